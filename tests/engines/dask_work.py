"""What workers do in the tests of Dask; they import it by its name."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from regretless.data.batch import Array, Batch
from regretless.data.stream import Stream
from regretless.distributed.shards import Shard
from regretless.errors import DataError


@dataclass(frozen=True)
class Plain:
    """A thing with a name, which no engine looks into."""

    name: str
    place: int


def rotated(common: Array, shard: Plain) -> Array:
    """What depends on the shard and on all of `common`."""
    return np.roll(common, shard.place) / (shard.place + 3)


def leaning(common: Array, left: Array, right: Array) -> Array:
    """A merge whose result tells in which shape it was done: neither commutative nor associative."""
    return left + (right - left) * 0.3 + common


@dataclass(frozen=True)
class Noting:
    """A shard whose work writes its process id to a file, so that what was done and where is seen."""

    name: str
    folder: str

    def note(self) -> int:
        """Write down that the work was begun; how often it was before."""
        path = Path(self.folder, self.name)
        with path.open("a") as file:
            file.write(f"{os.getpid()}\n")
        return len(path.read_text().split()) - 1

    def noted(self) -> list[int]:
        """The processes that began the work, in their order."""
        path = Path(self.folder, self.name)
        return [int(line) for line in path.read_text().split()] if path.exists() else []


def listed(common: Any, left: list[Any], right: list[Any]) -> list[Any]:
    """Both."""
    return [*left, *right]


def malformed(common: str, shard: Noting) -> list[str]:
    """A shard whose third line is wrong."""
    shard.note()
    if shard.name == common:
        raise DataError(shard.name, 3, 7, "this is no number: 'x'", "write a number")
    return [shard.name]


def failing_disk(common: str, shard: Noting) -> list[str]:
    """A shard that can be read at the second attempt."""
    if shard.note() == 0 and shard.name == common:
        raise OSError(5, "Input/output error")
    return [shard.name]


def broken(common: str, shard: Noting) -> list[str]:
    """A shard whose reader is wrong, every time."""
    shard.note()
    if shard.name == common:
        raise ZeroDivisionError("no such thing")
    return [shard.name]


def deadly(common: str, shard: Noting) -> list[str]:
    """A shard that ends the process that plays it."""
    shard.note()
    if shard.name == common:
        os.kill(os.getpid(), signal.SIGKILL)
    return [shard.name]


def deadly_once(common: str, shard: Noting) -> list[str]:
    """A shard that ends the process that plays it first."""
    if shard.note() == 0 and shard.name == common:
        os.kill(os.getpid(), signal.SIGKILL)
    return [shard.name]


def waiting(common: str, shard: Noting) -> list[str]:
    """A shard that waits for a file."""
    shard.note()
    wait_for(Path(common))
    return [shard.name]


class HeldUp(Stream):
    """A stream that stops after its first batch until a file is there, at one of its openings."""

    def __init__(self, inner: Stream, folder: str, opening: int) -> None:
        super().__init__(inner.name)
        self._inner, self._folder, self._opening = inner, Path(folder), opening

    def batches(self, skip: int = 0) -> Iterator[Batch]:
        with (self._folder / "opened").open("a") as file:
            file.write(f"{os.getpid()}\n")
        wait = len((self._folder / "opened").read_text().split()) == self._opening
        for number, batch in enumerate(self._inner.batches(skip)):
            yield batch
            if number == 0 and wait:
                (self._folder / "reaching").write_text(str(os.getpid()))
                (self._folder / "reaching").rename(self._folder / "reached")  # it is there with all that it says
                wait_for(self._folder / "go")

    def schema(self) -> dict[str, Any]:
        return self._inner.schema()


@dataclass(frozen=True)
class HeldUpShard(Shard):
    """A shard whose rows stop coming in the middle of one of its openings, counted from 1."""

    name: str
    inner: Shard
    folder: str
    opening: int

    def open(self, schema: dict[str, Any] | None) -> Stream:
        return HeldUp(self.inner.open(schema), self.folder, self.opening)


def wait_for(path: Path, seconds: float = 60.0) -> None:
    """Until a file is there."""
    end = time.monotonic() + seconds
    while not path.exists():
        if time.monotonic() > end:
            raise TimeoutError(f"{path} never came")
        time.sleep(0.005)
