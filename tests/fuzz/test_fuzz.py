"""The fuzzer itself, and a few executions of each of its targets."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from . import runner
from .runner import content_of, fuzz
from .targets import NAMES


@pytest.mark.parametrize("name", NAMES)
def test_no_mutated_file_ends_otherwise_than_it_should(name: str) -> None:
    """The first executions of the seed 7 end without a crash, an error that is not translated, or too much memory."""
    done, faults = fuzz(name, 7, most=4)
    assert [finding.what for finding in faults] == []
    assert done == 4


def test_the_same_seed_gives_the_same_files() -> None:
    """A file is a function of the target, the seed and its number."""
    for name in NAMES:
        assert content_of(name, 3, 5) == content_of(name, 3, 5)
    assert len({content_of("solve.nfg", 0, number) for number in range(50)}) > 40


def _raises(*_: Any) -> int:
    raise TypeError("no such luck")


@pytest.mark.parametrize(
    ("answer", "what"),
    [
        (_raises, "TypeError was raised"),
        (lambda words: os.kill(os.getpid(), signal.SIGKILL), "ended by SIGKILL"),
        (lambda words: 3, "exit code 3"),
        (lambda words: print("\x1b[0m") or 0, "an escape sequence"),
        (lambda words: 1, "no line says what is wrong"),
        (lambda words: len(b"x" * (768 << 20)) and 0, "MiB of memory were used"),
        (lambda words: Path(words[1]).with_name("a.tmp").touch() or 0, "temporary files are left"),
    ],
)
def test_what_is_wrong_is_found(answer: Any, what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A reader that raises, dies, takes memory or leaves files behind is found out in its first execution."""
    monkeypatch.setattr(runner, "MEMORY", 64 << 20)
    monkeypatch.setattr("regretless.cli.main", answer)
    _, faults = fuzz("solve.nfg", 0, most=1)
    assert len(faults) == 1
    assert what in faults[0].what


def test_what_was_used_before_is_not_held_against_a_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """Memory of the process that a child is a fork of, whatever it is, is no finding."""
    monkeypatch.setattr(runner, "MEMORY", 64 << 20)
    monkeypatch.setattr("regretless.cli.main", lambda words: 0)
    held = bytearray(b"x") * runner.MEMORY * 2
    assert fuzz("solve.nfg", 0, most=1) == (1, [])
    assert held


@pytest.mark.parametrize(
    ("runs", "what"), [(lambda: sum(iter(int, 1)), "computes more than"), (lambda: time.sleep(60), "waits")]
)
def test_what_hangs_is_found(runs: Any, what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that computes for ever, or waits for ever, is ended and distinguished."""
    monkeypatch.setattr(runner, "SECONDS", 1)
    monkeypatch.setattr(runner, "WAIT", 20 if what != "waits" else 1)
    monkeypatch.setattr("regretless.cli.main", lambda words: runs())
    _, faults = fuzz("solve.nfg", 0, most=1)
    assert [what in one.what for one in faults] == [True]
