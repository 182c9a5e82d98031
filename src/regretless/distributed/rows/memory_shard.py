"""Rows that are held in memory as a stream: labels keep their type."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import blake2b
from types import SimpleNamespace
from typing import Any

import numpy as np

from ...data.batch import Batch, aligned
from ...data.stream import Stream, past
from ...errors import DataError, RegretlessError
from ...linear.validation import ColumnRefused, read_labels, read_rows

LOOKED_AT = 8  # rows at either end of those in memory by which they are known again
NUMBERS = (
    "only numbers are learned from: encode it (OneHotEncoder; of a Dask frame dask.dataframe.get_dummies after "
    "categorize), leave it out, or give the paths of files, whose columns of text are encoded as they are read"
)


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
            raise self._error(f"column {error.column!r} holds {error.found}", NUMBERS) from error
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
            raise self._error(f"{here} columns of features", f"{known} are expected, as in the first shard")
        if schema.get("held") and schema.get("names") != self._names:
            raise self._error(f"its columns are {_said(self._names)}", f"in the first shard {_said(schema['names'])}")

    def _error(self, found: str, advice: str) -> DataError:
        return DataError(self.name, None, None, found, advice)


def stream_of(value: Any, name: str, schema: dict[str, Any] | None = None) -> Stream:
    """What was read as a stream of rows.

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
    found = f"this is {type(value).__name__}"
    raise DataError(name, None, None, found, "rows and their labels are expected: (X, y), or a Stream")


def fingerprint(X: Any, y: Any) -> str | None:
    """By what rows in memory are known again: their shape, the first and last of them, and all labels.

    Returns
    -------
    str or None
        None of what cannot be looked at; whoever plays it says why.
    """
    try:
        X = X.tocsr() if hasattr(X, "tocsr") else X
        rows = int(X.shape[0]) if hasattr(X, "shape") else len(X)
        few = min(rows, LOOKED_AT)
        ends = [_rows(_cut(X, first, few)) for first in (0, rows - few)]
        labels = read_labels(y, rows)
    except Exception:  # whatever tables and sequences of others raise
        return None
    found = blake2b(digest_size=8)
    for end in ends:
        found.update(np.asarray(end.values, np.float64).tobytes())
        for places in (end.indices, end.starts):
            found.update(b"" if places is None else np.asarray(places, np.int64).tobytes())
    numbers = labels.dtype.kind in "biuf"
    found.update(labels.astype(np.float64).tobytes() if numbers else "\0".join(map(str, labels.tolist())).encode())
    return f"{rows} rows of {ends[0].columns} features, {found.hexdigest()}"


def _rows(X: Any) -> Batch:
    return X if isinstance(X, Batch) else read_rows(X, learner=SimpleNamespace(), reset=True)


def _cut(X: Any, first: int, count: int) -> Any:
    if isinstance(X, Batch):
        return X.slice(first, first + count)
    if hasattr(X, "iloc"):
        return X.iloc[first : first + count]
    return X.slice(first, count) if hasattr(X, "schema") else X[first : first + count]  # tables; all else


def _said(names: list[str] | None) -> str:
    return "without names" if names is None else ", ".join(names[:5]) + ", ..." * (len(names) > 5)
