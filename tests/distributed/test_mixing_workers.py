"""Processes of this machine: how they are started, and what is said when they cannot be."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from ..data.mixed_data import pairs, write_svm

PATIENCE = 120  # seconds until a script that should have ended is given up; its processes end with it
POSIX = pytest.mark.skipif(sys.platform == "win32", reason="patches how processes are started on POSIX")

STARTING = """
import os, signal, sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import active_children, popen_spawn_posix
from time import monotonic, sleep

from regretless.distributed import workers

submit, launch, calls = ProcessPoolExecutor.submit, popen_spawn_posix.Popen._launch, []


def interrupted(pool, *given):
    calls.append(0)
    future = submit(pool, *given)
    if len(calls) == 2:
        if sys.argv[1] == "another":
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})  # as it is in threads that began before
        signal.raise_signal(signal.SIGINT)
    return future


def refused(*given):
    calls.append(0)
    if len(calls) == 2:
        raise BlockingIOError(11, "Resource temporarily unavailable")
    return launch(*given)


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if sys.argv[1] == "no more":
        popen_spawn_posix.Popen._launch = refused
    else:
        ProcessPoolExecutor.submit = interrupted
    try:
        with workers(3):
            print("begun")
    except BaseException as error:
        print(type(error).__name__, error, len(calls))
    since = monotonic()
    while active_children() and monotonic() < since + 60:  # one that has ended may not be counted off yet
        sleep(0.01)
    print(active_children())
"""

UNGUARDED = """
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

from regretless.distributed import mix, workers
from regretless.linear import Perceptron

with workers(2) if sys.argv[1] == "workers" else ProcessPoolExecutor(2, get_context("spawn")) as pool:
    mix(Perceptron(), sys.argv[2:], pool)
"""


def play(folder: Path, script: str, *words: str) -> subprocess.CompletedProcess[str]:
    """Run a script."""
    path = folder / "script.py"
    path.write_text(script)
    command = [sys.executable, str(path), *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)


@POSIX
@pytest.mark.parametrize("hears", ["this thread", "another"])
def test_ctrl_c_while_processes_are_started_ends_them(hears: str, tmp_path: Path) -> None:
    """Ctrl-C when two of three processes are started takes effect once all are, in whichever thread, and leaves
    none."""
    assert play(tmp_path, STARTING, hears).stdout.splitlines() == ["KeyboardInterrupt  3", "[]"]


@POSIX
def test_a_process_that_cannot_be_started_ends_the_others(tmp_path: Path) -> None:
    """If the system refuses the second process this is an error of the engine, and the first one is not left."""
    message = "EngineError 3 processes could not be started (Resource temporarily unavailable) 2"
    assert play(tmp_path, STARTING, "no more").stdout.splitlines() == [message, "[]"]


@pytest.mark.parametrize("pool", ["workers", "spawned"])
def test_a_script_without_a_guard_is_refused_with_the_reason(pool: str, tmp_path: Path) -> None:
    """A script that starts processes while they import it is advised of `if __name__ == "__main__"`."""
    ended = play(tmp_path, UNGUARDED, pool, *write_svm(tmp_path, pairs(2)))
    assert ended.returncode == 1
    # Python's tracker of semaphores may have its say after that, when the machine is busy.
    lines = [line for line in ended.stderr.splitlines() if line.startswith("regretless.errors.EngineError: ")]
    assert 'a script must start processes under `if __name__ == "__main__":`' in lines[-1]
