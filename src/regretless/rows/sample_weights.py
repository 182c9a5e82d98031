"""How much each row counts, checked and brought into one form."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np

from ..arrays import laid_out
from ..data.batch import Array
from ..errors import RegretlessError
from .validation import DOUBLE, as_double


def read_weights(sample_weight: Any, rows: int, *, all_zero: bool = False) -> Array | None:
    """One weight a row, as float64, or None where all weigh the same.

    Parameters
    ----------
    sample_weight : None, number, array or sequence
        Nothing may be negative or infinite. One number stands for every row.
    rows : int
        How many weights there must be.
    all_zero : bool, default=False
        Whether a batch in which nothing counts is fine, as it is in the middle of a stream.
    """
    if sample_weight is None:
        return None
    array = np.asarray(sample_weight)
    weights: Array = array if array.dtype == DOUBLE else as_double(array)
    if weights.ndim == 0 and isinstance(sample_weight, (Real, np.ndarray, np.generic)):
        weights = np.full(rows, weights)
    if weights.ndim != 1:
        raise RegretlessError(
            f"Sample weights must be 1D array or scalar, got {weights.ndim}D array. "
            f"Expected either a scalar value or a 1D array of length {rows}."
        )
    if len(weights) != rows:
        raise RegretlessError(f"sample_weight.shape == {weights.shape}, expected {(rows,)}!")
    least, largest = weights.min(), weights.max()
    if not np.isfinite(least) or not np.isfinite(largest):
        raise RegretlessError(f"Input sample_weight contains {what_is_not_finite(weights)}.")
    if least < 0:
        raise RegretlessError("Negative values in data passed to `sample_weight`.")
    if largest == 0 and not all_zero:
        raise RegretlessError("Sample weights must contain at least one non-zero number.")
    return laid_out(weights)


def what_is_not_finite(values: Array) -> str:
    """Which of them it is."""
    return "NaN" if np.isnan(values).any() else f"infinity or a value too large for {values.dtype!r}"
