"""Arrays of pyarrow as arrays of numpy. Its own ways import pandas where that is installed, which takes longer than to
read a small file."""

from __future__ import annotations

from typing import Any

import numpy as np

from .batch import Array


def numpy_of(array: Any, dtype: np.dtype[Any]) -> Array:
    """An array of pyarrow without gaps, or of gaps whose values do not matter, without a copy."""
    values = array.buffers()[1]
    if values is None or not len(array):
        return np.empty(0, dtype)
    return np.frombuffer(values, dtype, len(array), array.offset * dtype.itemsize)


def missing_in(column: Any) -> Array:
    """The places at which a column of pyarrow has no value."""
    from pyarrow import compute

    if not column.null_count:
        return np.empty(0, np.intp)
    return numpy_of(compute.indices_nonzero(column.is_null()), np.dtype(np.uint64)).astype(np.intp)


def floats(column: Any) -> Array:
    """A column of numbers as pyarrow has it; what is missing becomes nan."""
    if str(column.type) != "double":
        column = column.cast("double")
    chunks = [numpy_of(chunk, np.dtype(np.float64)) for chunk in column.chunks]
    if len(chunks) == 1 and not column.null_count:
        return chunks[0]
    values = np.concatenate([np.empty(0), *chunks])
    values[missing_in(column)] = np.nan
    return values
