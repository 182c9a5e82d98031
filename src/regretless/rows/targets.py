"""What rows are learned for, labels or outcomes, as Python keeps it: an array of one dimension.

The messages are those of scikit-learn, which costs two seconds to import.
"""

from __future__ import annotations

import sys
import warnings
from typing import Any

import numpy as np

from ..data.batch import Array
from ..errors import RegretlessError


def target_array(y: Any) -> Array:
    """Labels or outcomes as an array.

    Raises
    ------
    RegretlessError
        If there are none, or they are a sparse matrix.
    """
    if y is None:
        raise RegretlessError("This learner requires y to be passed, but the target y is None.")
    sparse = sys.modules.get("scipy.sparse")
    if sparse is not None and sparse.issparse(y):
        raise RegretlessError("y should be a 1d array, got a sparse matrix instead.")
    return np.asarray(y)


def one_dimensional(y: Array) -> Array:
    """Labels or outcomes in one dimension; a column vector is accepted with a warning at the caller's caller.

    Raises
    ------
    RegretlessError
        If they are of another shape.
    """
    if y.ndim == 1:
        return y
    if y.ndim != 2 or y.shape[1] != 1:
        raise RegretlessError(f"y should be a 1d array, got an array of shape {y.shape} instead.")
    exceptions = sys.modules.get("sklearn.exceptions")
    warnings.warn(
        "A column-vector y was passed when a 1d array was expected. Please change the shape of y to "
        "(n_samples, ), for example using ravel().",
        UserWarning if exceptions is None else exceptions.DataConversionWarning,
        stacklevel=4,
    )
    return y.ravel()
