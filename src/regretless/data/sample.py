"""Rows of a stream that are kept in memory while it is read: all of them if they are few, else every so many."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from math import ceil
from typing import Any

import numpy as np

from .batch import Array, Batch

SMALL = 32 << 20  # bytes of rows that are kept
PART = 8  # of rows in memory one in so many is looked at, and more if they are few
PIECE = 2048  # rows that are kept or left out together, fewer if they are long
PIECE_ENTRIES = 1 << 17
FEW_LABELS = 4
OVERHEAD = 1000  # bytes of a piece besides its rows


class Sample:
    """Pieces of a stream, evenly spread over it.

    Attributes
    ----------
    rows : int
        How many rows were given so far.
    labels : dict
        How many of all of them had each label.
    """

    def __init__(self) -> None:
        self.rows = 0
        self.labels: dict[Any, int] = {}
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
        if batch.labels is not None:
            self._count(batch.labels)
        step = _piece_of(batch)
        for begin in range(0, len(batch), step):
            if self._number % self._stride == 0:
                piece = owned(batch.slice(begin, min(begin + step, len(batch))))
                self._pieces.append((self._number, piece))
                self._size += bytes_of(piece)
            self._number += 1
            while self._size > SMALL and len(self._pieces) > 1:
                self._thin()

    def _count(self, labels: Array) -> None:
        if len(self.labels) <= FEW_LABELS:  # then it is faster not to sort
            for label in self.labels:
                same = labels == label
                self.labels[label] += int(np.count_nonzero(same))
                labels = labels[~same]
                if not len(labels):
                    return
        for label, count in zip(*np.unique(labels, return_counts=True), strict=True):
            key = label.item()
            self.labels[key] = self.labels.get(key, 0) + int(count)

    def _thin(self) -> None:
        self._stride *= 2
        self._pieces = [(number, piece) for number, piece in self._pieces if number % self._stride == 0]
        self._size = sum(bytes_of(piece) for _, piece in self._pieces)


def _piece_of(batch: Batch) -> int:
    """How many rows a piece has."""
    return max(1, min(PIECE, PIECE_ENTRIES * len(batch) // max(1, batch.entries)))


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


def joined(rounds: list[tuple[Batch, Array]]) -> list[tuple[Batch, Array]]:
    """All rounds in one batch."""
    if len(rounds) < 2:
        return rounds
    batches = [batch for batch, _ in rounds]
    codes = np.concatenate([codes for _, codes in rounds])
    values, columns = np.concatenate([b.values for b in batches]), batches[-1].columns
    if batches[0].starts is None:
        return [(Batch(values, None, columns), codes)]
    indices = np.concatenate([b.indices for b in batches if b.indices is not None])
    lengths = np.concatenate([np.diff(b.starts) for b in batches if b.starts is not None])
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype(indices.dtype)
    return [(Batch(values, None, columns, indices, starts), codes)]


def coded(sample: Sample) -> list[tuple[Batch, Array]]:
    """The pieces of a sample whose labels are codes, and these."""
    return [(replace(piece, labels=None), piece.labels) for piece in sample.pieces if piece.labels is not None]


def sample_of(batch: Batch, codes: Array) -> Callable[[], Iterator[tuple[Batch, Array]]] | None:
    """What reads a sample of rows with their codes; None where they are few, which need none."""
    size = bytes_of(batch)
    if size <= SMALL:
        return None
    # To read all rows again takes no time to speak of: what is done with the sample may cost a part of that.
    return one_in(ceil(size / max(SMALL // 4, size // PART)), batch, codes, _piece_of(batch))


def one_in(many: int, batch: Batch, codes: Array, step: int) -> Callable[[], Iterator[tuple[Batch, Array]]]:
    """What reads one in so many pieces of rows, each of so many rows, with their codes."""
    rounds = joined([(batch.slice(k, k + step), codes[k : k + step]) for k in range(0, len(batch), step * many)])
    return lambda: iter(rounds)
