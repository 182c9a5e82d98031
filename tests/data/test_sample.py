"""Samples of a stream: all rows while they are few, then evenly spread pieces."""

from __future__ import annotations

import numpy as np
import pytest

from regretless.data import sample as module
from regretless.data.batch import Batch
from regretless.data.sample import Sample


def dense(first: int, rows: int) -> Batch:
    """Rows that know their places."""
    places = np.arange(first, first + rows, dtype=float)
    return Batch(places[:, None], places.copy(), 1)


def test_few_rows_are_all_kept_whatever_becomes_of_their_arrays():
    """A sample below its limit is whole, in order, and a copy."""
    sample, batch = Sample(), dense(0, 5000)
    sample.take(batch)
    sample.take(dense(5000, 10))
    batch.values[:] = batch.labels[:] = -1
    assert sample.whole
    assert sample.rows == 5010
    np.testing.assert_array_equal(np.concatenate([piece.labels for piece in sample.pieces]), np.arange(5010.0))


@pytest.mark.parametrize("together", [1, 7, 64, 1000])
def test_many_rows_are_thinned_evenly(monkeypatch, together):
    """However the rows come, what is kept stays below the limit and is spread over all of them."""
    monkeypatch.setattr(module, "SMALL", 60_000)
    monkeypatch.setattr(module, "PIECE", 8)
    sample = Sample()
    for first in range(0, 6000, together):
        sample.take(dense(first, min(together, 6000 - first)))
    places = np.concatenate([piece.labels for piece in sample.pieces])
    assert not sample.whole
    assert sample.rows == 6000
    assert sum(module.bytes_of(piece) for piece in sample.pieces) <= 60_000
    assert len(sample.pieces) > 15
    assert np.diff(places).min() > 0
    assert np.diff(places).max() < 600


def test_sparse_rows_keep_their_entries():
    """A piece of sparse rows holds the same entries as the rows it was cut from."""
    starts = np.arange(0, 9001, 3)
    indices = np.tile(np.arange(3, dtype=np.int32), 3000)
    batch = Batch(np.arange(9000.0), np.zeros(3000), 3, indices, starts)
    sample = Sample()
    sample.take(batch)
    assert [len(piece) for piece in sample.pieces] == [2048, 952]
    np.testing.assert_array_equal(np.concatenate([piece.values for piece in sample.pieces]), batch.values)
    assert all(piece.starts[0] == 0 for piece in sample.pieces)


def test_rows_in_memory_have_a_smaller_sample(monkeypatch):
    """Of many rows in memory pieces with an even distance are taken, with their codes; of few none are."""
    monkeypatch.setattr(module, "SMALL", 60_000)
    monkeypatch.setattr(module, "PIECE", 8)
    batch = dense(0, 6000)
    assert module.sample_of(dense(0, 20), np.zeros(20)) is None
    ((rows, codes),) = module.sample_of(batch, batch.labels)()
    firsts = codes[::8]
    assert (rows.values[:, 0] == codes).all()
    assert len(set(np.diff(firsts))) == 1
    assert firsts[1] > 8
    assert module.bytes_of(rows) <= max(60_000 / 4, module.bytes_of(batch) / module.PART)
