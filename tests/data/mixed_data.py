"""Shards to mix learners over, and readers that worker processes can import."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from time import monotonic
from typing import Any

import numpy as np

from regretless.data.batch import Array, Batch
from regretless.data.stream import Stream
from regretless.distributed.shards import Shard

Pair = tuple[Array, Array]


def pairs(shards: int = 4, rows: int = 60, columns: int = 5, noise: float = 0.1, seed: int = 0) -> list[Pair]:
    """Pairs (X, y) of labels -1 and 1, a few of them wrong; shards are of different sizes, and have both labels."""
    random = np.random.default_rng(seed)
    separator = random.standard_normal(columns)
    results = []
    for place in range(shards):
        X = random.standard_normal((rows + 7 * place, columns)).round(3)
        wrong = random.random(len(X)) < noise
        X[0], X[-1], wrong[[0, -1]] = separator.round(3), -separator.round(3), False
        y = np.where((X @ separator > 0) ^ wrong, 1, -1)
        results.append((X, y))
    return results


def write_svm(folder: Path, parts: list[Pair], name: str = "part-{}.svm") -> list[str]:
    """The same as svmlight files, numbered from 1."""
    paths = []
    for place, (X, y) in enumerate(parts, 1):
        path = folder / name.format(place)
        lines = (
            f"{label} " + " ".join(f"{column}:{value}" for column, value in enumerate(row, 1) if value)
            for row, label in zip(X.tolist(), y.tolist(), strict=True)
        )
        path.write_text("\n".join(lines) + "\n")
        paths.append(str(path))
    return paths


def joined(parts: list[Pair]) -> Pair:
    """All rows in the order of the shards."""
    return np.concatenate([X for X, _ in parts]), np.concatenate([y for _, y in parts])


class Endless(Stream):
    """The same row again and again, for a minute: a test that does not stop it fails then, instead of hanging."""

    def batches(self, skip: int = 0) -> Iterator[Batch]:
        end = monotonic() + 60.0
        while monotonic() < end:
            yield Batch(np.ones((1, 2)), np.ones(1), 2)

    def schema(self) -> dict[str, Any]:
        return {"format": "array", "columns": 2, "target": None}


class EndlessShard(Shard):
    """A shard that does not end by itself within the time of a test."""

    def __init__(self, name: str) -> None:
        self.name = name

    def open(self, schema: dict[str, Any] | None) -> Stream:
        return Endless(self.name)


def read_pair(seed: int) -> Pair:
    """A pair made where it is read."""
    return pairs(1, seed=seed)[0]


def read_or_die(seed: int, poison: str) -> Pair:
    """The same, unless a file stands there: of all that read, the process that removes it is killed."""
    try:
        os.unlink(poison)
    except FileNotFoundError:
        return read_pair(seed)
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError("a process outlived SIGKILL")


def fail(message: str) -> Pair:
    """A reader that raises what could not travel between processes."""

    class OfNoModuleError(Exception):
        pass

    raise OfNoModuleError(message)


class Counted:
    """What counts how often it is pickled, and in each process how often it was unpickled."""

    pickled = 0
    unpickled = 0

    def __getstate__(self) -> dict[str, Any]:
        Counted.pickled += 1
        return {"anything": 1}

    def __setstate__(self, state: dict[str, Any]) -> None:
        Counted.unpickled += 1


def unpickled_here(common: Counted, shard: Shard) -> dict[int, int]:
    """How often this process has unpickled."""
    return {os.getpid(): Counted.unpickled}


def most_of_each(common: Counted, left: dict[int, int], right: dict[int, int]) -> dict[int, int]:
    """The larger count of each process."""
    return {process: max(left.get(process, 0), right.get(process, 0)) for process in {*left, *right}}
