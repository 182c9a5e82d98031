"""Rounds from arrays, whose columns are called by their number."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ..arrays import laid_out
from ..errors import DataError
from .batch import Array, Batch
from .messages import SKIPPING, one_of
from .stream import Stream, past

ENTRIES = 1 << 16


class NumberedStream(Stream):
    """A stream whose columns are called by their number; checks that every value is finite.

    Parameters
    ----------
    name : str
        What messages call it.
    on_error : {"raise", "skip"}
        What to do with a row that holds NaN or infinity.
    """

    _first_number = 0

    def __init__(self, name: str, on_error: str = "raise") -> None:
        super().__init__(name)
        one_of("on_error", on_error, ("raise", "skip"))
        self._skips = on_error == "skip"

    def batches(self, skip: int = 0) -> Iterator[Batch]:
        self._forget_errors()
        return past(self._finite(), skip)

    @abstractmethod
    def _pieces(self) -> Iterator[Batch]:
        """The rows from the first on, unchecked."""

    def _finite(self) -> Iterator[Batch]:
        first, empty = 0, True
        for piece in self._pieces():
            bad = _not_finite(piece)
            good, error = self._judge(piece, bad, first) if bad.any() else (piece, None)
            if len(good):
                empty = False
                yield good
            if error is not None:
                raise error
            first += len(piece)
        if empty:
            raise self._error("no rows", "give at least one row that can be used")

    def _judge(self, piece: Batch, bad: Array, first: int) -> tuple[Batch, DataError | None]:
        """The rows to use, and the error to raise after them."""
        advice = "only finite numbers can be used" + ("" if self._skips else f"; {SKIPPING}")
        if self._skips:
            self._mark(first + np.flatnonzero(bad))
        for row in np.flatnonzero(bad).tolist():
            error = self._error(_fault_of(piece, row, first + row), advice)
            if not self._skips:
                return piece.slice(0, row), error
            self._pass_over(str(error))
        return piece.only(~bad), None


class ArrayStream(NumberedStream):
    """A stream over arrays in memory.

    Parameters
    ----------
    X : ndarray of shape (rows, columns), sparse matrix, Batch, or sequence of Batch
        A sparse matrix that is not in compressed sparse rows is converted; values that are neither float32 nor
        float64 are, a slice at a time.
    y : array of shape (rows,), optional
        Labels: numbers or strings. A Batch may bring its own instead.
    name : str
        What messages call it.
    entries : int or None
        About how many values a slice holds; None for one batch.
    check : bool
        Whether to look for NaN and infinity, which costs a reading; False if there are known to be none.
    on_error : {"raise", "skip"}
        What to do with rows that hold one.
    """

    def __init__(
        self,
        X: Any,
        y: Any = None,
        *,
        name: str = "X",
        entries: int | None = ENTRIES,
        check: bool = True,
        on_error: str = "raise",
    ) -> None:
        super().__init__(name, on_error)
        self._parts = [_part(part, name) for part in (X if _is_batches(X) else [X])]
        self._labels = None if y is None else labels_of(np.asarray(y), "y")
        rows = sum(len(part) for part in self._parts)
        if self._labels is not None and len(self._labels) != rows:
            fault = f"{rows:,} rows, but {len(self._labels):,} labels"
            raise DataError(name, None, None, fault, "give one for each row")
        self._entries, self._check = entries, check

    def schema(self) -> dict[str, Any]:
        columns = max((part.columns for part in self._parts), default=0)
        return {"format": "array", "columns": columns, "target": None}

    def _finite(self) -> Iterator[Batch]:
        return super()._finite() if self._check else self._pieces()

    def _pieces(self) -> Iterator[Batch]:
        first = 0
        for part in self._parts:
            for begin, end in slices(len(part), part.entries, self._entries):
                piece = part.slice(begin, end)
                labels = piece.labels if self._labels is None else self._labels[first + begin : first + end]
                yield Batch(floating(piece.values), labels, piece.columns, piece.indices, piece.starts)
            first += len(part)


def slices(rows: int, entries: int, wanted: int | None) -> Iterator[tuple[int, int]]:
    """Where to cut so many rows for each slice to have about as many entries as wanted."""
    step = rows if wanted is None else max(rows * wanted // max(entries, 1), 1)
    return ((begin, min(begin + step, rows)) for begin in range(0, rows, max(step, 1)))


def floating(values: Array, dtype: Any = None) -> Array:
    """The values in C order, in the type asked for, else in float32 if they are, else in float64."""
    if dtype is None:
        dtype = np.float32 if values.dtype == np.float32 else np.float64
    with np.errstate(over="ignore"):
        return laid_out(np.asarray(values, dtype))


def labels_of(labels: Array, name: str) -> Array:
    """Labels as float64 or as numpy strings."""
    if labels.ndim != 1:
        raise DataError(name, None, None, f"labels of shape {labels.shape}", "one dimension is expected")
    if labels.dtype.kind in "biuf":
        return laid_out(np.asarray(labels, np.float64))
    if labels.dtype.kind == "O" and all(isinstance(label, str) for label in labels):
        return labels.astype(np.str_)
    if labels.dtype.kind in "US":
        return labels.astype(np.str_, copy=False)
    raise DataError(name, None, None, f"labels of type {labels.dtype}", "numbers or strings are expected")


def refuse_values(values: Array, name: str) -> None:
    """Refuse values that are not real numbers."""
    if values.dtype.kind not in "biuf":
        raise DataError(name, None, None, f"values of type {values.dtype}", "numbers are expected")


def _is_batches(X: Any) -> bool:
    return isinstance(X, Sequence) and all(isinstance(part, Batch) for part in X)


def _part(X: Any, name: str) -> Batch:
    if isinstance(X, Batch):
        return X
    if hasattr(X, "tocsr"):
        return _sparse_part(X, name)
    values = np.asarray(X)
    if values.ndim != 2:
        raise DataError(name, None, None, f"a shape of {values.shape}", "rows and columns are expected")
    refuse_values(values, name)
    return Batch(values, None, values.shape[1])


def _sparse_part(X: Any, name: str) -> Batch:
    X = X.tocsr()
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    refuse_values(X.data, name)
    return Batch(X.data, None, X.shape[1], X.indices, X.indptr)


def _not_finite(batch: Batch) -> Array:
    """Which rows hold NaN or infinity, as a mask."""
    finite = np.isfinite(batch.values)
    bad = np.zeros(len(batch), dtype=bool)
    if not finite.all():
        if batch.starts is None:
            bad |= ~finite.all(axis=1)
        else:
            bad[np.searchsorted(batch.starts, np.flatnonzero(~finite), side="right") - 1] = True
    if batch.labels is not None and batch.labels.dtype.kind == "f":
        bad |= ~np.isfinite(batch.labels)
    return bad


def _fault_of(batch: Batch, row: int, number: int) -> str:
    """What is not finite in a row; numbers are those of numpy."""
    one = batch.slice(row, row + 1)
    values = one.values.reshape(-1)
    bad = np.flatnonzero(~np.isfinite(values))
    if not len(bad):
        return f"the label of row {number} (counted from 0) is {np.asarray(one.labels)[0]}"
    column = bad[0] if one.indices is None else one.indices[bad[0]]
    return f"row {number}, column {column} (counted from 0) holds {values[bad[0]]}"
