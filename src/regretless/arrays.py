"""Numbers as users give them, in arrays, frames or lists."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from .errors import RegretlessError

Array = np.ndarray[Any, Any]


def names_of(table: Any) -> list[str] | None:
    """The columns' names, of a data frame, an Arrow table, or a row of a data frame."""
    if type(table) is np.ndarray:
        return None
    for attribute in ("column_names", "columns"):
        names = getattr(table, attribute, None)
        if names is not None and not callable(names):
            return [str(name) for name in names]
    if not hasattr(table, "to_numpy") or not hasattr(table, "index"):
        return None
    labels = list(table.index)
    return labels if labels and all(isinstance(label, str) for label in labels) else None


def reordered(values: Array, names: list[str] | None, known: list[str] | None, axis: int) -> Array | None:
    """Values under some names, in the order of known ones where both are there; None if the names are others."""
    if names is None or known is None or names == known:
        return values
    if sorted(names) != sorted(known):
        return None
    return np.ascontiguousarray(np.take(values, [names.index(name) for name in known], axis=axis))


def numbers(values: Any, what: str) -> Array:
    """An array of floats, in C order; what a masked array hides is nan.

    Raises
    ------
    RegretlessError
        If these are no numbers.
    """
    # Types of numpy's own arrays of floats are one object each, so that nothing has to be compared.
    if type(values) is np.ndarray and (values.dtype is _DOUBLE or values.dtype is _SINGLE):
        return laid_out(values)
    try:
        array = np.ma.filled(values.astype(np.float64), np.nan) if np.ma.isMA(values) else np.asarray(values)
        if array.dtype.kind in "cSUmM":
            raise TypeError(f"{array.dtype} was found")
        if array.dtype not in (np.float32, np.float64):
            array = array.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise RegretlessError(f"{what}: numbers are expected ({error})") from error
    return laid_out(array)


_DOUBLE, _SINGLE = np.dtype(np.float64), np.dtype(np.float32)


def laid_out(array: Array) -> Array:
    """The array as compiled code reads it: in C order, its numbers where numbers may begin. Copied only if it must be.

    `np.ascontiguousarray` does not see to the second, which fails for what was unpacked out of a longer message.
    """
    flags = array.flags
    return array if flags.c_contiguous and flags.aligned else np.require(array, requirements=("C", "A"))


def own(array: Array) -> Array:
    """The same for an array that is written to: one that is mapped, or borrowed from a message, is copied."""
    return laid_out(array if array.flags.writeable else array.copy())


def set_own(target: Any, state: Mapping[str, Any]) -> None:
    """Set the attributes of what was pickled: arrays that came by a wire, or were mapped, as they can be written to."""
    for name, value in state.items():
        setattr(target, name, own(value) if isinstance(value, np.ndarray) else value)
