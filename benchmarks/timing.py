"""The one way in which the benchmarks take time: contestants take turns, CPU seconds, the best of several.

CPU seconds are those of the user and of the system together. Linux measures their sum exactly and tells the two apart
by samples of some milliseconds only, so that the user's alone would vary by more than most changes make.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence

Contest = Mapping[str, Callable[[], object]]


def seconds(work: Callable[[], object]) -> float:
    """CPU seconds of one call."""
    before = time.process_time()
    work()
    return time.process_time() - before


def best_of(work: Callable[[], object], repeats: int = 3) -> float:
    """CPU seconds of the fastest of several calls."""
    return min(seconds(work) for _ in range(repeats))


def in_process(contest: Contest, repeats: int = 5) -> dict[str, float]:
    """Best CPU seconds of each function; they take turns, so that a noisy minute is everybody's."""
    best = dict.fromkeys(contest, float("inf"))
    for _ in range(repeats):
        for name, function in contest.items():
            best[name] = min(best[name], seconds(function))
    return best


def process(command: Sequence[str]) -> tuple[float, float]:
    """CPU seconds of a whole process, and its peak memory in MB; the benchmark ends if it fails."""
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as started:
        message = started.stderr.read().decode() if started.stderr else ""
        _, status, usage = os.wait4(started.pid, 0)
        started.returncode = os.waitstatus_to_exitcode(status)
    if started.returncode:
        raise RuntimeError(f"{' '.join(command)} failed: {message}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def fresh(commands: Mapping[str, list[str]], repeats: int = 3) -> dict[str, tuple[float, float]]:
    """Best CPU seconds of whole processes in turns, and the peak memory of the best, in MB."""
    best = {name: (float("inf"), 0.0) for name in commands}
    for _ in range(repeats):
        for name, command in commands.items():
            try:
                best[name] = min(best[name], process(command))
            except RuntimeError as error:
                sys.exit(f"{name}: {error}")
    return best


def show(title: str, figures: Mapping[str, float], unit: str, ours: str) -> None:
    """A table of figures and how many times ours each is."""
    print(f"\n{title}")
    for name, value in figures.items():
        ratio = "" if name == ours else f"   {value / figures[ours]:8.2f} x ours"
        print(f"  {name:42} {value:12.4g} {unit}{ratio}")
