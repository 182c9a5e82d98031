"""Files that hold the shards of a problem, and functions that go over them."""

from __future__ import annotations

import os
from itertools import pairwise
from pathlib import Path

from ..command_line import noisy_lines, write


def parts(folder: Path, shards: int = 5, rows: int = 600, classes: tuple[int, ...] = (-1, 1)) -> list[Path]:
    """Svmlight files part-1, part-2, ... of unequal length; of several classes, some are in later parts only."""
    lines = noisy_lines(rows, classes=classes)
    cuts = [round(rows * (k / shards) ** 1.3) for k in range(shards + 1)]
    return [write(folder / f"part-{k}.svm", lines[begin:end]) for k, (begin, end) in enumerate(pairwise(cuts), 1)]


def children(process: int) -> list[int]:
    """The processes that a process has started; empty where the system does not tell."""
    try:
        text = Path(f"/proc/{process}/task/{process}/children").read_text()
    except OSError:
        return []
    return [int(word) for word in text.split()]


def alive(process: int) -> bool:
    """Whether there is such a process, and it has not ended."""
    try:
        stat = Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] not in ("Z", "X")


def command_of(process: int) -> str:
    """What a process was started with."""
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return ""


TELLS = os.path.exists(f"/proc/{os.getpid()}/task/{os.getpid()}/children")
