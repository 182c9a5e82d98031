"""Shards: parts of the data, each opened where it is played."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from inspect import signature
from typing import Any

from ...checks import whole
from ...data.formats import open_stream
from ...data.stream import Stream
from ...errors import DataError, ParameterError, RegretlessError
from .memory_shard import fingerprint
from .memory_shard import stream_of as stream_of
from .paths import Paths, paths_of

DECIDED = ("path", "schema", "frozen", "cache")  # by whoever plays the shards

UNSURE = "Dask's "  # keys of collections are made of their content, or anew each time: nobody can tell


class Shard(ABC):
    """A part of the data; it travels as a description of where its rows are, never with them (but for arrays).

    Attributes
    ----------
    name : str
        What messages call it.
    of_file : bool
        Whether it is a file, whose rows messages count from 1.
    """

    name: str
    of_file = False

    @abstractmethod
    def open(self, schema: dict[str, Any] | None) -> Stream:
        """Its rows, from the first one.

        Parameters
        ----------
        schema : dict or None
            The columns that all shards are read to, if they are known.

        Raises
        ------
        DataError
            If there is nothing to open.
        """

    def fingerprint(self) -> str | None:
        """By what its rows are known again without reading them all, wherever they lie; None if by nothing.

        What begins with `UNSURE` may differ though the rows be the same: there is a warning then, and no error.
        """
        return None


@dataclass(frozen=True, slots=True)
class FileShard(Shard):
    """A file, read by its path where it is played.

    Attributes
    ----------
    name : str
        The path as it was given.
    path : str
        The whole path: whoever plays the shard may work in another folder.
    reading : mapping
        Options of `regretless.data.open_stream`.
    """

    of_file = True

    name: str
    path: str
    reading: Mapping[str, Any] = field(default_factory=dict)

    @property
    def mark(self) -> str:
        """What tells it from other shards of the same file."""
        return ""

    def described(self) -> dict[str, Any]:
        """The options of `files` that give such a shard."""
        return dict(self.reading)

    def fingerprint(self) -> str | None:
        """How long the file is, if this machine has it; its name is told apart from this."""
        try:
            return f"{os.path.getsize(self.path)} bytes"
        except OSError:
            return None

    def open(self, schema: dict[str, Any] | None) -> Stream:
        """Its rows.

        Raises
        ------
        DataError
            If there is no such file, or it can be read only once.
        """
        known = os.path.abspath(self.name) == self.path  # here too; then messages call it what it was called
        stream = open_stream(self.name if known else self.path, schema=schema, **self.reading)
        if not stream.rereadable:
            found = "this can be read once only, and every epoch reads it again"
            raise DataError(self.name, None, None, found, "save it in a file first")
        return stream


@dataclass(frozen=True, slots=True, eq=False)
class ArrayShard(Shard):
    """Rows in memory; they travel wherever the shard is played."""

    name: str
    X: Any
    y: Any

    def open(self, schema: dict[str, Any] | None) -> Stream:
        """Its rows.

        Raises
        ------
        RegretlessError
            If X or y cannot be used, or has other columns than the first shard.
        """
        return stream_of((self.X, self.y), self.name, schema)

    def fingerprint(self) -> str | None:
        """Its shape, the first and the last rows, and the labels."""
        return fingerprint(self.X, self.y)


@dataclass(frozen=True, slots=True)
class CallShard(Shard):
    """What a function reads where the shard is played."""

    name: str
    function: Callable[[], Any]

    def open(self, schema: dict[str, Any] | None) -> Stream:
        """What the function gives.

        Raises
        ------
        RegretlessError
            If it fails, or gives something else than (X, y) or a `Stream`.
        """
        try:
            given = self.function()
        except RegretlessError:
            raise
        except Exception as error:  # whatever readers raise; not all of it could travel between processes
            found = f"its reader raised {type(error).__name__}: {error}"
            raise DataError(self.name, None, None, found, "call the function by itself to see where") from error
        return stream_of(given, self.name, schema)


def files(paths: Paths, *, pieces: int = 1, **reading: Any) -> list[Shard]:
    """Files as shards, ``part-2`` before ``part-10``.

    Parameters
    ----------
    paths : path, pattern such as ``"part-*.svm"``, or sequence of these
        Whoever plays a shard must find its file under the same path.
    pieces : int, default=1
        Into how many shards to cut each file: svmlight and CSV text that is not compressed by lines, Parquet by row
        groups. No piece is copied, each is read where it stands in the file.
    **reading
        What `regretless.data.open_stream` takes, but for the schema.

    Returns
    -------
    list of Shard

    Raises
    ------
    RegretlessError
        If nothing is found, a path is a folder or is given twice, an option has no meaning, or a file cannot be cut.
    """
    whole("pieces", pieces)
    known = [name for name in signature(open_stream).parameters if name not in DECIDED]
    for name in reading:
        if name not in known:
            raise ParameterError(name, repr(reading[name]), f"files are read with {', '.join(known)}", ": ")
    kept = {name: value if isinstance(value, str) else _fixed(value) for name, value in reading.items()}
    found = [FileShard(path, os.path.abspath(path), kept) for path in paths_of(paths)]
    if pieces == 1:
        return list(found)
    from .file_splits import pieces_of

    return [piece for shard in found for piece in pieces_of(shard, pieces)]


def arrays(parts: Iterable[tuple[Any, Any]], *, pieces: int = 1) -> list[Shard]:
    """Pairs (X, y) as shards, in their order.

    Processes get the rows of a shard with each epoch: for more than a few, save them in files.

    Parameters
    ----------
    parts : iterable of (X, y)
        Each as `fit` takes it. Labels keep their type.
    pieces : int, default=1
        Into how many shards to cut each of them, by rows.

    Returns
    -------
    list of Shard
    """
    from .file_splits import rows_of

    found: list[Shard] = []
    for place, part in enumerate(parts):
        if not isinstance(part, tuple | list) or len(part) != 2:
            raise RegretlessError(f"shard {place} is {type(part).__name__}; a pair (X, y) is expected")
        found += rows_of(ArrayShard(f"shard {place}", *part), whole("pieces", pieces))
    return _some(found)


def calls(functions: Iterable[Callable[[], Any]]) -> list[Shard]:
    """Functions that read a shard where it is played, in their order.

    Parameters
    ----------
    functions : iterable of callable
        Each takes nothing and gives (X, y) or a `regretless.data` stream, every time the same. For processes they must
        be defined at the top of a module, or be a `functools.partial` of such a function.

    Returns
    -------
    list of Shard
    """
    found: list[Shard] = []
    for place, function in enumerate(functions):
        if not callable(function):
            raise RegretlessError(f"shard {place} is {type(function).__name__}; a function is expected")
        found.append(CallShard(f"shard {place} ({_called(function)})", function))
    return _some(found)


def shards_of(given: Any, **reading: Any) -> list[Shard]:
    """Whatever stands for shards.

    Parameters
    ----------
    given : path, pattern, or sequence of paths, of pairs (X, y), of functions or of `Shard`
    **reading
        What `files` takes, if they are paths.

    Returns
    -------
    list of Shard

    Raises
    ------
    RegretlessError
        If it is something else, or nothing at all.
    """
    if isinstance(given, str | os.PathLike):
        return files(given, **reading)
    if isinstance(given, Shard):
        return [given]
    if not isinstance(given, Iterable):
        raise RegretlessError(f"{type(given).__name__} is no list of shards; give {EXPECTED}")
    listed = list(given)
    if all(isinstance(one, Shard) for one in listed):
        return _distinct(_some(listed))
    if all(isinstance(one, str | os.PathLike) for one in listed):
        return files(listed, **reading)
    if all(isinstance(one, tuple) or _is_pair(one) for one in listed):
        return arrays(listed)
    if all(callable(one) for one in listed):
        return calls(listed)
    kinds = ", ".join(sorted({type(one).__name__ for one in listed}))
    if len(listed) == 2 and all(hasattr(one, "__len__") for one in listed):
        raise RegretlessError(f"{kinds} are no shards; if these are the rows and labels of one, give [(X, y)]")
    raise RegretlessError(f"these shards are of the kinds {kinds}; give {EXPECTED}")


EXPECTED = "paths, a pattern such as 'part-*.svm', pairs (X, y), functions that read one, or shards"


def _is_pair(one: Any) -> bool:
    """Whether a list is X and y, and no row of two numbers."""
    return isinstance(one, list) and len(one) == 2 and all(hasattr(part, "__len__") for part in one)


def _some(shards: list[Shard]) -> list[Shard]:
    if not shards:
        raise RegretlessError(f"there are no shards; give {EXPECTED}")
    return shards


def _distinct(shards: list[Shard]) -> list[Shard]:
    """Refuse shards that share a name: errors and checkpoints tell them apart by it."""
    seen: set[str] = set()
    for shard in shards:
        if shard.name in seen:
            raise RegretlessError(f"{shard.name} is given twice; give every shard once, under a name of its own")
        seen.add(shard.name)
    return shards


def _fixed(value: Any) -> Any:
    return tuple(value) if isinstance(value, Sequence | set | frozenset) else value


def _called(function: Callable[[], Any]) -> str:
    inner = getattr(function, "func", function)
    return str(getattr(inner, "__name__", type(inner).__name__))
