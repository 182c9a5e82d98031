"""The command line under test: in this process, or in one of its own."""

from __future__ import annotations

import io
import json
import random
import signal
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from regretless.cli import main

if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:  # as nohup leaves it
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
BARE = ("--learner", "perceptron", "--no-certify", "--quiet")


@dataclass(frozen=True)
class Result:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """What it printed, which must be one JSON object of finite numbers."""
        return json.loads(self.out, parse_constant=pytest.fail)


class CommandLine:
    """Runs command lines in this process."""

    def __init__(self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        self._capsys, self._patch = capsys, monkeypatch

    def __call__(self, *words: object, stdin: bytes | None = None) -> Result:
        if stdin is not None:
            self._patch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(stdin))))
        self._capsys.readouterr()
        code = main([str(word) for word in words])
        return Result(code, *self._capsys.readouterr())


def quietly(*words: object) -> int:
    """Run a command line in this process for a fixture of many tests; its exit code."""
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        return main([str(word) for word in words])


def heed_interrupts() -> None:
    """Let a process be interrupted, though its parent ignores that, as a job in a shell's background does."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


def start(*words: object, **more: Any) -> subprocess.Popen[bytes]:
    """Run a command line in a process of its own, its streams piped."""
    command = [sys.executable, "-m", "regretless", *map(str, words)]
    streams = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen(command, **({"preexec_fn": heed_interrupts} | streams | more))


def noisy_lines(rows: int, *, columns: int = 12, classes: tuple[int, ...] = (-1, 1), seed: int = 0) -> list[str]:
    """Svmlight lines of a noisy problem; with several classes, some of them come late."""
    draw = random.Random(seed)
    lines = []
    for row in range(rows):
        present = sorted(draw.sample(range(1, columns + 1), 5))
        values = [draw.gauss(0, 1) for _ in present]
        known = classes[: 2 + row * len(classes) // rows]
        label = draw.choice(known) if draw.random() < 0.1 else known[int(abs(sum(values)) * 2) % len(known)]
        lines.append(f"{label} " + " ".join(f"{i}:{v!r}" for i, v in zip(present, values, strict=True)) + "\n")
    return lines


def write(path: Path, lines: list[str]) -> Path:
    """Write lines to a file."""
    path.write_text("".join(lines))
    return path
