"""The matrices of a sequence form, as users give them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ...errors import RegretlessError


def sparse(given: Any, what: str) -> Any:
    """A matrix of floats, sparse, in canonical form and without zeros.

    Parameters
    ----------
    given : array, sparse matrix or (rows, columns, values, shape)
    what : str
        What errors call it.

    Raises
    ------
    RegretlessError
        If it is no matrix of finite numbers.
    """
    from scipy.sparse import coo_array, csr_array

    try:
        if isinstance(given, tuple) and len(given) == 4:
            rows, columns, values, shape = given
            entries = np.asarray(values, dtype=np.float64), (_places(rows), _places(columns))
            given = coo_array(entries, shape=_shape(shape))
        found = csr_array(given if hasattr(given, "tocsr") else np.atleast_2d(np.asarray(given, dtype=np.float64)))
        found = found.astype(np.float64, copy=True)
    except (TypeError, ValueError, OverflowError) as error:
        raise RegretlessError(f"{what}: a matrix of numbers is expected ({error})") from error
    if found.ndim != 2 or 0 in found.shape:
        raise RegretlessError(f"{what}: shape {found.shape}; at least one row and one column are expected")
    found.sum_duplicates()
    found.eliminate_zeros()
    if not np.isfinite(found.data).all():
        raise RegretlessError(f"{what}: not all of its entries are finite numbers")
    return found


def from_file(arrays: Mapping[str, Any], letter: str) -> tuple[Any, Any, Any, Any]:
    """A matrix as an ``.npz`` file has it.

    Raises
    ------
    RegretlessError
        If something is missing.
    """
    names = [f"{letter}_{part}" for part in ("row", "col", "val", "shape")]
    missing = [name for name in names if name not in arrays]
    if missing:
        raise RegretlessError(f"{', '.join(missing)}: missing; a sequence form has {', '.join(names)}")
    rows, columns, values, shape = (arrays[name] for name in names)
    return rows, columns, values, shape


def _places(given: Any) -> Any:
    found = np.asarray(given)
    if found.size and found.dtype.kind not in "iu":
        raise TypeError("places are whole numbers")
    return found.astype(np.int64)


def _shape(given: Any) -> tuple[int, int]:
    rows, columns = np.asarray(given).tolist()
    return int(rows), int(columns)
