"""How the benchmarks take time: interleaved, best of several, CPU seconds."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping

Contest = Mapping[str, Callable[[], object]]


def in_process(contest: Contest, repeats: int = 5) -> dict[str, float]:
    """Best CPU seconds of each function; they take turns, so that a noisy minute is everybody's."""
    best = dict.fromkeys(contest, float("inf"))
    for _ in range(repeats):
        for name, function in contest.items():
            before = time.process_time()
            function()
            best[name] = min(best[name], time.process_time() - before)
    return best


def fresh(commands: Mapping[str, list[str]], repeats: int = 3) -> dict[str, tuple[float, float]]:
    """Best CPU seconds (user and system) of whole processes in turns, and the peak memory of the best, in MB."""
    best = {name: (float("inf"), 0.0) for name in commands}
    for _ in range(repeats):
        for name, command in commands.items():
            with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
                _, status, usage = os.wait4(process.pid, 0)
                process.returncode = os.waitstatus_to_exitcode(status)
                if process.returncode:
                    sys.exit(f"{name} failed: {process.stderr.read().decode() if process.stderr else ''}")
            seconds = usage.ru_utime + usage.ru_stime
            best[name] = min(best[name], (seconds, usage.ru_maxrss / 1024))
    return best


def show(title: str, figures: Mapping[str, float], unit: str, ours: str) -> None:
    """A table of figures and how many times ours each is."""
    print(f"\n{title}")
    for name, value in figures.items():
        ratio = "" if name == ours else f"   {value / figures[ours]:8.2f} x ours"
        print(f"  {name:42} {value:12.4g} {unit}{ratio}")
