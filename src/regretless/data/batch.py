"""Batches: consecutive rounds, without a copy of their arrays; and rows put together from columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .._core import MOST_COLUMNS_AN_ENTRY, add_words, number_columns, table_rows
from ..arrays import laid_out
from ..errors import RegretlessError

Array = np.ndarray[Any, np.dtype[Any]]

ABSENT = -1  # the number of a feature that a row does not have, or that is not known
NOWHERE = np.iinfo(np.int32).max  # where such a feature is put to stand behind all others


@dataclass(frozen=True, slots=True)
class Batch:
    """Consecutive rounds, dense or in compressed sparse rows.

    Parameters
    ----------
    values : ndarray of float32 or float64
        Sparse: shape (entries,). Dense: shape (rows, columns), C-contiguous.
    labels : ndarray or None, shape (rows,)
        float64, or strings; None when the source has no labels.
    columns : int
        How many columns are known after this batch; later batches may know more.
    indices : ndarray of int32 or int64, shape (entries,), or None when dense
        Column of each entry, strictly ascending inside a row.
    starts : ndarray of int32 or int64, shape (rows + 1,), or None when dense
        Where each row's entries begin; ``starts[0] == 0``.
    """

    values: Array
    labels: Array | None
    columns: int
    indices: Array | None = None
    starts: Array | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        return aligned, (self.values, self.labels, self.columns, self.indices, self.starts)

    @property
    def sparse(self) -> bool:
        """Whether only the entries that are not zero are stored."""
        return self.starts is not None

    @property
    def entries(self) -> int:
        """How many values are stored."""
        return int(self.values.size)

    def __len__(self) -> int:
        return len(self.values) if self.starts is None else len(self.starts) - 1

    def slice(self, begin: int, end: int) -> Batch:
        """The rounds begin <= t < end, sharing the memory of this batch (only the row starts are rebased)."""
        labels = None if self.labels is None else self.labels[begin:end]
        if self.starts is None or self.indices is None:
            return Batch(self.values[begin:end], labels, self.columns)
        starts = self.starts[begin : end + 1]
        first, last = int(starts[0]), int(starts[-1])
        return Batch(self.values[first:last], labels, self.columns, self.indices[first:last], starts - starts[0])

    def take(self, rows: Array) -> Batch:
        """Some rounds, by their numbers."""
        labels = None if self.labels is None else self.labels[rows]
        if self.starts is None or self.indices is None:
            return Batch(self.values[rows], labels, self.columns)
        firsts, lengths = self.starts[rows], self.starts[rows + 1] - self.starts[rows]
        starts = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
        entries = np.arange(starts[-1]) + np.repeat(firsts - starts[:-1], lengths)
        return Batch(self.values[entries], labels, self.columns, self.indices[entries], starts)

    def only(self, mask: Array) -> Batch:
        """The rounds where a mask is true."""
        labels = None if self.labels is None else self.labels[mask]
        if self.starts is None or self.indices is None:
            return Batch(self.values[mask], labels, self.columns)
        lengths = np.diff(self.starts)
        entries = np.repeat(mask, lengths)
        starts = np.concatenate([[0], np.cumsum(lengths[mask])])
        return Batch(self.values[entries], labels, self.columns, self.indices[entries], starts)


def aligned(
    values: Array, labels: Array | None, columns: int, indices: Array | None = None, starts: Array | None = None
) -> Batch:
    """A batch of arrays that may lie anywhere, as what came by a wire does; copied if they must be."""
    arrays = (None if one is None else laid_out(one) for one in (indices, starts))
    return Batch(laid_out(values), labels, columns, *arrays)


def sparse_rows(values: Array, ids: Array, categories: Array, labels: Array | None, columns: int) -> Batch:
    """Compressed sparse rows of numeric columns and of categories.

    Parameters
    ----------
    values : ndarray, shape (rows, numeric columns)
    ids : ndarray of int32, shape (numeric columns,)
        The feature that each numeric column is.
    categories : ndarray of int32, shape (rows, columns of text)
        The feature, of value 1, that each category is; -1 where there is none.

    Features of the same number, as hashing makes them, are added up.
    """
    if values.dtype == np.float64 and (rows := table_rows(values, ids, categories)) is not None:
        entries, indices, starts = rows
        return Batch(entries, labels, columns, indices, starts)
    result = np.sort(np.where(categories == ABSENT, NOWHERE, categories), axis=1)
    values = np.concatenate([values, np.ones(result.shape, values.dtype)], axis=1)
    result = np.concatenate([np.broadcast_to(ids, (len(values), len(ids))), result], axis=1)
    if (result[:, 1:] < result[:, :-1]).any():
        order = np.argsort(result, axis=1, kind="stable")
        result, values = np.take_along_axis(result, order, axis=1), np.take_along_axis(values, order, axis=1)
    stored = (result != NOWHERE) & (values != 0)
    starts = np.concatenate([[0], np.cumsum(stored.sum(axis=1))])
    return _merged(values[stored], result[stored], starts, labels, columns)


def with_words(batch: Batch, ends: Array, columns: Array, features: Array | None = None) -> Batch:
    """A sparse batch to whose rows words are added, each with the number of times that it stands there.

    Parameters
    ----------
    ends : ndarray of int64, shape (rows + 1,)
        Where the words of each row end, after a 0.
    columns : ndarray of int32, shape (words,)
        The feature of each word, -1 for none; with `features`, the place there of its feature.
    features : ndarray of int32, optional
    """
    values = np.asarray(batch.values, np.float64)
    indices, starts = np.asarray(batch.indices, np.int32), np.asarray(batch.starts, np.int64)
    values, indices, starts = add_words(values, indices, starts, ends, columns, features)
    return Batch(values.astype(batch.values.dtype, copy=False), batch.labels, batch.columns, indices, starts)


def _merged(values: Array, indices: Array, starts: Array, labels: Array | None, columns: int) -> Batch:
    """The batch, once neighbours with the same number have become one entry."""
    new = np.ones(len(indices), dtype=bool)
    new[1:] = indices[1:] != indices[:-1]
    new[starts[:-1][starts[:-1] < len(indices)]] = True
    if not new.all():
        values = np.add.reduceat(values, np.flatnonzero(new))
        indices = indices[new]
        starts = np.concatenate([[0], np.cumsum(new)])[starts]
    return Batch(values, labels, columns, indices, starts)


def ascending_rows(batch: Batch) -> Batch:
    """The batch, with the entries of each row in the order of their indices."""
    values, indices, starts = batch.values, np.asarray(batch.indices), np.asarray(batch.starts)
    if (_steps(indices, starts) >= 0).all():
        return batch
    order = np.lexsort((indices, np.repeat(np.arange(len(batch)), np.diff(starts))))
    return Batch(values[order], batch.labels, batch.columns, indices[order], starts)


def repeated_index(batch: Batch) -> int | None:
    """The first row of an ascending batch in which an index stands twice."""
    starts = np.asarray(batch.starts)
    repeated = np.flatnonzero(_steps(np.asarray(batch.indices), starts) == 0)
    return int(np.searchsorted(starts, repeated[0], side="right")) - 1 if len(repeated) else None


def first_columns(batch: Batch, columns: int) -> Batch:
    """The batch without the entries beyond the first so many columns."""
    indices, starts = np.asarray(batch.indices), np.asarray(batch.starts)
    if batch.columns <= columns:
        return batch
    within = indices < columns
    starts = np.concatenate([[0], np.cumsum(within)])[starts]
    return Batch(batch.values[within], batch.labels, columns, indices[within], starts)


def narrow(batch: Batch) -> tuple[Batch, Array]:
    """Sparse rows with the columns numbered afresh that occur in them, and which these are, ascending."""
    indices = np.zeros(0, dtype=np.int32) if batch.indices is None else batch.indices
    # They were looked at when the rows were read, but whose they are may have changed them since, in another thread.
    try:
        if batch.columns // MOST_COLUMNS_AN_ENTRY > len(indices):  # to look at every column would take longer
            indices = indices.copy()
            used, places = np.unique(indices, return_inverse=True)
            if len(used) and not 0 <= used[0] <= used[-1] < batch.columns:
                raise ValueError
            return Batch(batch.values, None, len(used), places.astype(np.int64), batch.starts), used.astype(np.int64)
        numbers, used = number_columns(indices, batch.columns)
    except ValueError:
        raise RegretlessError("the columns of the rows were changed, by another thread, while they were read") from None
    return Batch(batch.values, None, len(used), numbers, batch.starts), used


def _steps(indices: Array, starts: Array) -> Array:
    """By how much the index grows from each entry to the next; 1 from one row to another."""
    steps = np.diff(indices.astype(np.int64, copy=False))
    between = starts[1:-1]
    steps[between[(between > 0) & (between < len(indices))] - 1] = 1
    return steps


def norms2(batch: Batch) -> Array:
    """The squared length of each row, shape (rows,)."""
    if batch.starts is None:
        return np.asarray(np.einsum("ij,ij->i", batch.values, batch.values, dtype=np.float64))
    norms2, filled = np.zeros(len(batch)), batch.starts[:-1] < batch.starts[1:]
    if filled.any():
        squares = np.square(batch.values, dtype=np.float64)
        norms2[filled] = np.add.reduceat(squares, batch.starts[:-1][filled])
    return norms2
