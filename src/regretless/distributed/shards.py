"""Shards: parts of the data, each opened where it is played."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from types import SimpleNamespace
from typing import Any

import numpy as np

from ..data.batch import Batch, aligned
from ..data.rows import open_stream
from ..data.stream import Stream, past
from ..errors import DataError, RegretlessError
from ..linear.labels import read_labels
from ..rows.validation import ColumnRefused, read_rows

UNSURE = "Dask's "  # keys of collections are made of their content, or anew each time: there is no telling which
COMPARED_ROWS = 8  # rows at either end of those in memory by which they are known again
NUMBERS = (
    "only numbers are learned from: encode it (OneHotEncoder; of a Dask frame dask.dataframe.get_dummies after "
    "categorize), leave it out, or give the paths of files, whose columns of text are encoded as they are read"
)


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
        """What identifies its rows without reading them all, wherever they lie; None if nothing does.

        What begins with `UNSURE` may differ though the rows be the same: there is a warning then, and no error.
        """
        return None


@dataclass(frozen=True, slots=True)
class FileShard(Shard):
    """A file, read by its path where it is played.

    Attributes
    ----------
    name : str
        The path as the user wrote it.
    path : str
        The whole path: a worker may run in another folder.
    reading : mapping
        Options of `regretless.data.open_stream`.
    """

    of_file = True

    name: str
    path: str
    reading: Mapping[str, Any] = field(default_factory=dict)

    @property
    def mark(self) -> str:
        """What distinguishes it from other shards of the same file."""
        return ""

    def options(self) -> dict[str, Any]:
        """The options of `files` that give such a shard."""
        return dict(self.reading)

    def fingerprint(self) -> str | None:
        """How long the file is, if this machine has it; its name is compared too."""
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
            fault = "this can be read once only, and every epoch reads it again"
            raise DataError(self.name, None, None, fault, "save it in a file first")
        return stream


@dataclass(frozen=True, slots=True, eq=False)
class ArrayShard(Shard):
    """Rows in memory; they travel wherever the shard is played.

    Attributes
    ----------
    name : str
        What messages call it.
    X, y
        As `fit` takes them.
    """

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
    """Rows that a function reads where the shard is played.

    Attributes
    ----------
    name : str
        What messages call it.
    function : callable
        Takes nothing and gives (X, y) or a `Stream`, every time the same.
    """

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
            value = self.function()
        except RegretlessError:
            raise
        except Exception as error:  # whatever readers raise; not all of it could travel between processes
            fault = f"its reader raised {type(error).__name__}: {error}"
            raise DataError(self.name, None, None, fault, "call the function by itself to see where") from error
        return stream_of(value, self.name, schema)


class HeldStream(Stream):
    """A stream over X and y as `fit` takes them, in one batch.

    Parameters
    ----------
    X : array, sequence, scipy sparse matrix, table or Batch, shape (rows, features)
    y : array-like, shape (rows,)
    name : str
        What messages call it.
    schema : dict, optional
        Of the first shard. Dense rows must have as many columns, and tables columns of the same names; sparse rows may
        have more or fewer.

    Raises
    ------
    RegretlessError
        If X or y cannot be used, or has other columns than the schema.
    """

    def __init__(self, X: Any, y: Any, name: str, schema: dict[str, Any] | None = None) -> None:
        super().__init__(name)
        known = SimpleNamespace()
        try:
            rows = X if isinstance(X, Batch) else read_rows(X, learner=known, reset=True)
            self._batch = aligned(rows.values, read_labels(y, len(rows)), rows.columns, rows.indices, rows.starts)
        except ColumnRefused as error:
            raise self._error(f"column {error.column!r} holds {error.content}", NUMBERS) from error
        except RegretlessError:
            raise
        except (TypeError, ValueError) as error:  # of numpy, pandas and the like
            raise self._error(f"{type(error).__name__}: {error}", "rows and labels as `fit` takes them") from error
        names = getattr(known, "feature_names_in_", None)
        self._names = None if names is None else [str(one) for one in names]
        if schema is not None:
            self._refuse_other(schema)

    def batches(self, skip: int = 0) -> Iterator[Batch]:
        """All rows in one batch, without the first `skip`."""
        return past(iter([self._batch]), skip)

    def schema(self) -> dict[str, Any]:
        """How many columns dense rows have (sparse ones may be wider elsewhere), and what they are called."""
        columns = {} if self._batch.sparse else {"columns": self._batch.columns}
        return {"format": "array", **columns, "target": None, "held": True, "names": self._names}

    def feature_names(self) -> list[str] | None:
        """Names of the columns; None where they have none."""
        return self._names

    def _refuse_other(self, schema: dict[str, Any]) -> None:
        if schema.get("format") == "table":
            raise self._error("its columns have numbers", "the first shard knows its columns by names")
        known, here = schema.get("columns"), self._batch.columns
        if not self._batch.sparse and known is not None and known != here:
            raise self._error(f"{here:,} columns of features", f"{known} are expected, as in the first shard")
        if schema.get("held") and schema.get("names") != self._names:
            raise self._error(
                f"its columns are {_columns_in_words(self._names)}",
                f"in the first shard {_columns_in_words(schema['names'])}",
            )


def stream_of(value: Any, name: str, schema: dict[str, Any] | None = None) -> Stream:
    """A stream of the rows that a user or a function gave.

    Parameters
    ----------
    value : Stream, Batch with labels, or (X, y) as `fit` takes them
        Labels keep their type; the names that a table gives its columns are those of the learner.
    name : str
        What messages call it.
    schema : dict, optional
        The columns of all shards, if they are known.

    Raises
    ------
    RegretlessError
        If it is something else, cannot be used, or has other columns.
    """
    if isinstance(value, Stream):
        return value
    if isinstance(value, Batch) and value.labels is not None:
        return HeldStream(value, value.labels, name, schema)
    if isinstance(value, tuple | list) and len(value) == 2:
        X, y = value
        return HeldStream(X, y, name, schema)
    fault = f"this is {type(value).__name__}"
    raise DataError(name, None, None, fault, "rows and their labels are expected: (X, y), or a Stream")


def few_of(names: Iterable[str], most: int = 3) -> str:
    """Names as messages list them, the first few and how many more there are.

    Parameters
    ----------
    names : iterable of str
    most : int, default=3
        How many are listed.
    """
    listed = list(names)
    return ", ".join(listed[:most]) + (f" and {len(listed) - most} more" if len(listed) > most else "")


def fingerprint(X: Any, y: Any) -> str | None:
    """What identifies rows in memory: their shape, the first and last of them, and all labels.

    Parameters
    ----------
    X, y
        As `fit` takes them.

    Returns
    -------
    str or None
        None of what cannot be read; the worker that plays it says why.
    """
    try:
        X = X.tocsr() if hasattr(X, "tocsr") else X
        rows = int(X.shape[0]) if hasattr(X, "shape") else len(X)
        few = min(rows, COMPARED_ROWS)
        ends = [_rows(_rows_between(X, first, few)) for first in (0, rows - few)]
        labels = read_labels(y, rows)
    except Exception:  # whatever tables and sequences of others raise
        return None
    result = blake2b(digest_size=8)
    for end in ends:
        result.update(np.asarray(end.values, np.float64).tobytes())
        for places in (end.indices, end.starts):
            result.update(b"" if places is None else np.asarray(places, np.int64).tobytes())
    numbers = labels.dtype.kind in "biuf"
    result.update(labels.astype(np.float64).tobytes() if numbers else "\0".join(map(str, labels.tolist())).encode())
    return f"{rows} rows of {ends[0].columns} features, {result.hexdigest()}"


def _rows(X: Any) -> Batch:
    return X if isinstance(X, Batch) else read_rows(X, learner=SimpleNamespace(), reset=True)


def _rows_between(X: Any, first: int, count: int) -> Any:
    if isinstance(X, Batch):
        return X.slice(first, first + count)
    if hasattr(X, "iloc"):
        return X.iloc[first : first + count]
    return X.slice(first, count) if hasattr(X, "schema") else X[first : first + count]  # tables; all else


def _columns_in_words(names: list[str] | None) -> str:
    return "without names" if names is None else ", ".join(names[:5]) + ", ..." * (len(names) > 5)
