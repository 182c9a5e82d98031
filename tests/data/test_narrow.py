"""The columns that occur in sparse rows, numbered afresh."""

from __future__ import annotations

import numpy as np
import pytest

from regretless.data.batch import Batch, narrow
from regretless.errors import RegretlessError


def batch(indices: np.ndarray, columns: int) -> Batch:
    """Rows of an entry each."""
    return Batch(np.ones(len(indices)), None, columns, indices, np.arange(len(indices) + 1))


@pytest.mark.usefixtures("isa")
@pytest.mark.parametrize("dtype", [np.int32, np.int64])
@pytest.mark.parametrize("columns", [1, 63, 64, 65, 1000, 10**6])
def test_columns_are_numbered_as_sorting_numbers_them(dtype, columns):
    """Marked or sorted, the columns that occur and the number of each entry's are those of numpy's `unique`."""
    indices = np.random.default_rng(columns).integers(0, columns, 200).astype(dtype)
    indices[:2] = 0, columns - 1
    rows, used = narrow(batch(indices, columns))
    expected, numbers = np.unique(indices, return_inverse=True)
    np.testing.assert_array_equal(used, expected)
    np.testing.assert_array_equal(rows.indices, numbers)
    assert used.dtype == np.int64  # as kernels take them
    assert rows.columns == len(expected)


@pytest.mark.usefixtures("isa")
@pytest.mark.parametrize("columns", [100, 10**6])
@pytest.mark.parametrize("wrong", [-1, 10**6])
def test_columns_that_another_thread_wrote_are_refused(columns, wrong):
    """A column that no row may have is refused, and nothing is read or written by it."""
    with pytest.raises(RegretlessError, match="another thread"):
        narrow(batch(np.array([3, wrong, 5]), columns))
