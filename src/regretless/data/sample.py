"""Rows of a stream that are kept in memory while it is read: all of them if they are few, else every so many."""

from __future__ import annotations

import numpy as np

from .batch import Batch

SMALL = 32 << 20  # bytes of rows that are kept
PIECE = 2048  # rows that are kept or left out together, fewer if they are long
PIECE_ENTRIES = 1 << 17
OVERHEAD = 1000  # bytes of a piece besides its rows


class Sample:
    """Pieces of a stream, evenly spread over it.

    Attributes
    ----------
    rows : int
        How many rows were given so far.
    """

    def __init__(self) -> None:
        self.rows = 0
        self._pieces: list[tuple[int, Batch]] = []
        self._stride, self._number, self._size = 1, 0, 0

    @property
    def whole(self) -> bool:
        """Whether all rows are kept."""
        return self._stride == 1

    @property
    def pieces(self) -> list[Batch]:
        """What is kept, in its order."""
        return [piece for _, piece in self._pieces]

    def take(self, batch: Batch) -> None:
        """Keep a copy of the next rows, or of some of them."""
        self.rows += len(batch)
        step = max(1, min(PIECE, PIECE_ENTRIES * len(batch) // max(1, batch.entries)))
        for begin in range(0, len(batch), step):
            if self._number % self._stride == 0:
                piece = owned(batch.slice(begin, min(begin + step, len(batch))))
                self._pieces.append((self._number, piece))
                self._size += bytes_of(piece)
            self._number += 1
            while self._size > SMALL and len(self._pieces) > 1:
                self._thin()

    def _thin(self) -> None:
        self._stride *= 2
        self._pieces = [(number, piece) for number, piece in self._pieces if number % self._stride == 0]
        self._size = sum(bytes_of(piece) for _, piece in self._pieces)


def bytes_of(batch: Batch) -> int:
    """About what rows take up in memory."""
    width = batch.values.itemsize + (0 if batch.indices is None else 4)
    labels = 0 if batch.labels is None else batch.labels.nbytes
    return batch.entries * width + labels + 8 * len(batch) + OVERHEAD


def owned(batch: Batch) -> Batch:
    """A copy, as a stream may use its buffers again; small enough for the 32-bit indices that scikit-learn wants."""
    values, columns = batch.values.copy(), batch.columns
    labels = None if batch.labels is None else batch.labels.copy()
    if batch.starts is None or batch.indices is None:
        return Batch(values, labels, columns)
    wide = np.int32 if columns <= np.iinfo(np.int32).max else np.int64
    return Batch(values, labels, columns, batch.indices.astype(wide), batch.starts.astype(wide))
