"""Outcomes as Python keeps them, checked and brought into one form."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays import laid_out
from ..data.batch import Array
from ..errors import RegretlessError
from ..rows.targets import one_dimensional, target_array

LARGEST = 1e70  # outcome, as the kernel has it
TOO_LARGE = (
    f"is infinite or too large: its square, or a sum of these, is no float; scale the outcomes to below {LARGEST:g}"
)

NEGATIVE = "is below 0, and the Poisson loss is of counts; take another loss"


def read_outcomes(y: Any, rows: int) -> Array:
    """One outcome a row, as float64.

    Parameters
    ----------
    y : array-like, shape (rows,)
        Numbers.
    rows : int
        How many there must be.

    Raises
    ------
    RegretlessError
        If they are no numbers, not finite, or not as many; the message says which row (from 0).
    """
    outcomes = one_dimensional(target_array(y))
    if len(outcomes) != rows:
        raise RegretlessError(f"Found input variables with inconsistent numbers of samples: [{rows}, {len(outcomes)}]")
    if outcomes.dtype.kind == "c":
        raise RegretlessError(f"Complex data not supported\n{outcomes}\n")
    if outcomes.dtype != np.float64:
        try:
            outcomes = outcomes.astype(np.float64)
        except (TypeError, ValueError) as error:
            fault = f"y holds what is no number ({error}); outcomes are to be numbers"
            raise RegretlessError(f"{fault}, and for labels there are the classifiers of regretless.linear") from error
    refuse_unfit(outcomes)
    return laid_out(outcomes)


def refuse_negative(outcomes: Array) -> None:
    """Refuse outcomes that are no counts.

    Raises
    ------
    RegretlessError
        The message says which row, from 0.
    """
    if (outcomes < 0).any():
        row = int(np.argmax(outcomes < 0))
        raise RegretlessError(f"y[{row}] = {outcomes[row]:g} {NEGATIVE}")


def refuse_unfit(outcomes: Array) -> None:
    """Refuse numbers that no learner can take.

    Raises
    ------
    RegretlessError
        The message says which row, from 0.
    """
    fit = np.abs(outcomes) <= LARGEST
    if fit.all():
        return
    row = int(np.argmin(fit))
    if np.isnan(outcomes[row]):
        raise RegretlessError(f"Input y contains NaN. It stands in row {row} (counted from 0).")
    if np.isinf(outcomes[row]):
        raise RegretlessError(f"Input y contains infinity. It stands in row {row} (counted from 0).")
    raise RegretlessError(f"y[{row}] = {outcomes[row]:g} {TOO_LARGE}")
