"""A batch: consecutive rounds, without a copy of their arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arrays import laid_out

Array = np.ndarray[Any, np.dtype[Any]]


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


def aligned(
    values: Array, labels: Array | None, columns: int, indices: Array | None = None, starts: Array | None = None
) -> Batch:
    """A batch of arrays that may lie anywhere, as what came by a wire does; copied if they must be."""
    arrays = (None if one is None else laid_out(one) for one in (indices, starts))
    return Batch(laid_out(values), labels, columns, *arrays)
