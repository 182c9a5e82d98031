"""What is wrong with a row that the compiled loop has refused, in words."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..data.batch import Array, Batch
from .state import LEAST_ENTRY, MOST_ENTRY

SCALE = "scale the columns"


def _entries(batch: Batch, row: int) -> tuple[Array, Array | None]:
    """The values in a row, and their columns if it is sparse."""
    if batch.starts is None or batch.indices is None:
        return batch.values[row], None
    entries = slice(int(batch.starts[row]), int(batch.starts[row + 1]))
    return batch.values[entries], batch.indices[entries]


def fault_of(batch: Batch, row: int, why: str, overflow: str = SCALE) -> tuple[str, str]:
    """What is wrong with a row of finite numbers that the loop refused, and what to do about it.

    Parameters
    ----------
    batch : Batch
        What the loop was reading.
    row : int
        The row it stopped at.
    why : str
        Its reason.
    overflow : str
        What to do where the weights would overflow.

    Returns
    -------
    tuple of str
        What is extreme about the row, or else about the weights, to be put behind its name; and the advice.
    """
    if why != "diverged":
        return (
            "is too long: the squares of its numbers add up to infinity" if why == "not finite" else f"is {why}"
        ), SCALE
    largest = float(np.abs(_entries(batch, row)[0]).max(initial=0.0))
    if 0 < largest < LEAST_ENTRY:
        return f"is so short (its largest entry is {largest:.3g}) that a step along it is too long for floats", SCALE
    if largest > MOST_ENTRY:
        problem = (
            f"is so long (its largest entry is {largest:.3g}) that what is charged for it, or its square, is too large"
        )
        return f"{problem} for floats", SCALE
    problem = "makes the score too large: the weights, or what is summed up of them, would overflow"
    return problem, overflow


def explain_nonfinite(batch: Batch, row: int, names: Sequence[str] | None = None) -> str:
    """Why the loop refused a row: what stands in it, and where.

    Parameters
    ----------
    batch : Batch
        What the loop was reading.
    row : int
        The row it stopped at.
    names : sequence of str, optional
        The names of the columns, if they have any.
    """
    values, columns = _entries(batch, row)
    unfit = np.flatnonzero(~np.isfinite(values))
    if not unfit.size:
        return f"Input X contains a value too large: the squares in row {row} (from 0) add up to infinity."
    place = int(unfit[0])
    column = place if columns is None else int(columns[place])
    what = "NaN" if np.isnan(values[place]) else f"infinity or a value too large for {batch.values.dtype!r}"
    called = f"column {column}" if names is None else f"column {names[column]!r}"
    return f"Input X contains {what}. It stands in row {row}, {called} (counted from 0)."
