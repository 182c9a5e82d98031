"""Products of the columns of a table."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .batch import Array, Batch
from .interactions import Crossing, cut, pairs_of


class TableProducts:
    """Which columns of a table are multiplied.

    Parameters
    ----------
    crossing : Crossing
    numeric, text : list of str
        The columns of numbers and those of text, as the table has them now.
    """

    def __init__(self, crossing: Crossing, numeric: list[str], text: list[str]) -> None:
        self._crossing, self._numeric = crossing, numeric
        self._left, self._right = _places(crossing, [*numeric, *text])

    def rows(self, values: Array, ids: Array, categories: Array, labels: Array | None) -> Iterator[Batch]:
        """The rows with their products, in pieces that take little memory.

        Parameters
        ----------
        values : ndarray, shape (rows, numeric columns)
        ids : ndarray of int32, shape (numeric columns,)
            The feature that each numeric column is.
        categories : ndarray of int32, shape (rows, columns of text)
            The feature, of value 1, that each category is; -1 where there is none.

        Raises
        ------
        TooManyProducts
            If there are more columns than may be listed.
        """
        left, right = self._left, self._right
        numbers = np.concatenate([np.broadcast_to(ids, (len(values), len(ids))), categories], axis=1).astype(np.int64)
        values = np.concatenate([values, np.ones(categories.shape, values.dtype)], axis=1)
        for begin, end in cut(np.full(len(values), numbers.shape[1] + len(left))):
            number, value = numbers[begin:end], values[begin:end]
            keys = np.concatenate([number, pairs_of(number, left, right)], axis=1)
            entries = np.concatenate([value, value[:, left] * value[:, right]], axis=1)
            rows = np.repeat(np.arange(end - begin), keys.shape[1])
            chosen = None if labels is None else labels[begin:end]
            yield self._crossing.batch(rows, keys.ravel(), entries.ravel(), chosen, end - begin)

    def infinite(self, values: Array) -> Iterator[tuple[str, str, Array]]:
        """Pairs of numeric columns, and the rows in which they are too large to be multiplied."""
        with np.errstate(over="ignore", invalid="ignore"):
            if not values.size or np.isfinite(np.square(np.abs(values).max())):
                return
            for left, right in zip(self._left.tolist(), self._right.tolist(), strict=True):
                if max(left, right) < len(self._numeric):
                    bad = np.flatnonzero(np.isinf(values[:, left] * values[:, right]))
                    yield self._numeric[left], self._numeric[right], bad


def _places(crossing: Crossing, names: list[str]) -> tuple[Array, Array]:
    if crossing.everything:
        return np.triu_indices(len(names), 1)
    place = {name: number for number, name in enumerate(names)}
    both = [(place[str(a)], place[str(b)]) for a, b in crossing.pairs if a in place and b in place]
    left, right = np.array(both, np.intp).reshape(-1, 2).T
    return left, right
