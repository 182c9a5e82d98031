"""Shards from paths, patterns, arrays and functions."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from inspect import signature
from typing import Any

from ..checks import whole
from ..data.formats import ROWS
from ..data.rows import READERS, open_stream
from ..errors import DataError, ParameterError, RegretlessError
from .paths import Paths, paths_of
from .pieces import pieces_of, rows_of
from .shards import ArrayShard, CallShard, FileShard, Shard

DECIDED = ("path", "schema", "frozen", "cache")  # by the workers
EXPECTED = "paths, a pattern such as 'part-*.svm', pairs (X, y), functions that read one, or shards"


def files(paths: Paths, *, pieces: int = 1, **reading: Any) -> list[Shard]:
    """Files as shards, ``part-2`` before ``part-10``.

    Parameters
    ----------
    paths : path, pattern such as ``"part-*.svm"``, or sequence of these
        Every worker must find the file of its shard under the same path.
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
        If no file matches, a path is a folder or is given twice, an option has no meaning, or a file cannot be cut.
    """
    whole("pieces", pieces)
    known = [name for name in signature(open_stream).parameters if name not in DECIDED]
    for name in reading:
        if name not in known:
            raise ParameterError(name, repr(reading[name]), f"files are read with {', '.join(known)}", ": ")
    options = {name: value if isinstance(value, str) else _freeze(value) for name, value in reading.items()}
    result = [FileShard(path, os.path.abspath(path), options) for path in paths_of(paths)]
    if pieces == 1:
        return list(result)
    return [piece for shard in result for piece in pieces_of(shard, pieces)]


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

    Raises
    ------
    RegretlessError
        If there are none, or one is no pair.
    DataError
        If rows are too few for so many pieces.
    """
    result: list[Shard] = []
    for place, part in enumerate(parts):
        if not isinstance(part, tuple | list) or len(part) != 2:
            raise RegretlessError(f"shard {place} is {type(part).__name__}; a pair (X, y) is expected")
        result += rows_of(ArrayShard(f"shard {place}", *part), whole("pieces", pieces))
    return _some(result)


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

    Raises
    ------
    RegretlessError
        If there are none, or one is no function.
    """
    result: list[Shard] = []
    for place, function in enumerate(functions):
        if not callable(function):
            raise RegretlessError(f"shard {place} is {type(function).__name__}; a function is expected")
        result.append(CallShard(f"shard {place} ({_name_of(function)})", function))
    return _some(result)


def shards_of(shards: Any, **reading: Any) -> list[Shard]:
    """Shards, of anything that stands for them.

    Parameters
    ----------
    shards : path, pattern, or sequence of paths, of pairs (X, y), of functions or of `Shard`
    **reading
        What `files` takes, if they are paths.

    Raises
    ------
    RegretlessError
        If it is something else, or nothing at all.
    """
    if isinstance(shards, str | os.PathLike):
        return files(shards, **reading)
    if isinstance(shards, Shard):
        return [shards]
    if not isinstance(shards, Iterable):
        raise RegretlessError(f"{type(shards).__name__} is no list of shards; give {EXPECTED}")
    listed = list(shards)
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


def _is_pair(one: Any) -> bool:
    """Whether a list is X and y, and no row of two numbers."""
    return isinstance(one, list) and len(one) == 2 and all(hasattr(part, "__len__") for part in one)


def _some(shards: list[Shard]) -> list[Shard]:
    if not shards:
        raise RegretlessError(f"there are no shards; give {EXPECTED}")
    return shards


def _distinct(shards: list[Shard]) -> list[Shard]:
    """Refuse shards that share a name: errors and checkpoints distinguish them by it."""
    seen: set[str] = set()
    for shard in shards:
        if shard.name in seen:
            raise RegretlessError(f"{shard.name} is given twice; give every shard once, under a name of its own")
        seen.add(shard.name)
    return shards


def _freeze(value: Any) -> Any:
    return tuple(value) if isinstance(value, Sequence | set | frozenset) else value


def _name_of(function: Callable[[], Any]) -> str:
    inner = getattr(function, "func", function)
    return str(getattr(inner, "__name__", type(inner).__name__))


def refuse_unlike(shards: Sequence[Shard]) -> None:
    """Refuse files whose columns cannot be made alike, before any of them is opened.

    Those of Vowpal Wabbit's text are numbered as they come, in each shard in an order of its own, or are hashed.

    Raises
    ------
    DataError
        It names the first shard, and the first one that is not like it.
    """
    formats = [(shard.name, _format(shard)) for shard in shards if isinstance(shard, FileShard)]
    for shard in shards:
        if isinstance(shard, FileShard) and _format(shard) == "vw" and shard.reading.get("hash_bits") is None:
            fault = "features by name, in the format vw, have no common columns over shards"
            raise DataError(shard.name, None, None, fault, "hash them with --hash-bits 18, say")
    for name, result in formats[1:]:
        first, expected = formats[0]
        if _columns(result) != _columns(expected):
            advice = f"{first}, the first shard, is {expected} with columns {_columns(expected)}"
            advice += "; give shards of one format"
            raise DataError(name, None, None, f"this is {result} with columns {_columns(result)}", advice)


def _format(shard: FileShard) -> str:
    result = shard.reading.get("format")
    return ROWS.choose(shard.path) if result is None else str(result)


def _columns(name: str) -> str:
    reader = READERS.get(name)
    if reader is None:
        return ""  # opening it is an error that says so
    if reader.named:
        return "that have names"
    return "that have ids" if "ids_from" in reader.takes else "that go by their places"
