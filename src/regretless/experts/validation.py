"""Advice as users have it, as the kernel wants it, and what can be wrong with a round, in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..arrays import names_of, numbers, reordered
from ..errors import RegretlessError, RoundError
from .losses import Loss

Array = np.ndarray[Any, Any]


def in_order(advice: Array, names: list[str] | None, known: list[str] | None, axis: int) -> Array:
    """The experts in the order in which a learner knows them, where both are named.

    Raises
    ------
    RegretlessError
        If they are others.
    """
    ordered = reordered(advice, names, known, axis)
    if ordered is None:
        raise RegretlessError(f"experts {', '.join(names or [])}: the learner's are {', '.join(known or [])}")
    return ordered


def table_of(advice: Any) -> Array:
    """A table of advice: (rounds, experts), or (rounds, experts, width) for forecasts of several numbers.

    Raises
    ------
    RegretlessError
        If it is no such table.
    """
    try:
        table = numbers(advice, "advice")
    except RegretlessError as error:
        raise _whose(advice, error) from error
    if table.ndim not in (2, 3) or 0 in table.shape[1:]:
        raise RegretlessError(f"advice of shape {table.shape}: a row for each round, a column for each expert")
    return table


def _whose(advice: Any, error: RegretlessError) -> RegretlessError:
    """Which column of a data frame holds something else than numbers, and in which row; else the error."""
    for name in names_of(advice) or ():
        for row, value in enumerate(np.asarray(advice[name], dtype=object).tolist()):
            if value is not None and not isinstance(value, int | float | np.number):
                fault = f"in row {row} (from 0), expert {name!r} forecasts {value!r}, and a number is expected"
                return RegretlessError(f"advice: {fault}; leave that column out, or convert it")
    return error


def row_of(advice: Any) -> Array:
    """The advice of one round: (experts,) or (experts, width)."""
    row = numbers(advice, "advice")
    if row.ndim not in (1, 2) or 0 in row.shape:
        raise RegretlessError(f"advice of shape {row.shape}: a forecast of each expert is expected")
    return row


def outcomes_of(outcomes: Any, rounds: int, width: int, *, classes: bool) -> Array:
    """Outcomes as the kernel wants them: one number each, or a vector of the advice's width.

    Whole numbers for vectors name the class that came, where forecasts are probabilities of classes.
    """
    result = numbers(outcomes, "outcomes")
    if width > 1 and result.ndim == 1 and classes:
        return indicators(result, width)
    expected = (rounds,) if width == 1 else (rounds, width)
    if result.shape != expected and result.shape != (rounds, width):
        raise RegretlessError(f"outcomes of shape {result.shape}: {expected} is expected")
    return np.ascontiguousarray(result.reshape(expected), dtype=np.float64)


def indicators(classes: Array, width: int) -> Array:
    """A one in the place of the class that came; nan for one that is not known yet."""
    known = ~np.isnan(classes.astype(np.float64))
    if ((classes[known] != np.floor(classes[known])) | (classes[known] < 0) | (classes[known] >= width)).any():
        raise RegretlessError(f"outcomes: classes are whole numbers from 0 to {width - 1}")
    rows = np.full((len(classes), width), np.nan)
    rows[known] = np.eye(width)[classes[known].astype(np.intp)]
    return rows


def normalised(prior: Any, experts: int) -> Array:
    """Prior weights that sum to one, uniform by default.

    Raises
    ------
    RegretlessError
        If they are not positive, or not one for each expert.
    """
    if prior is None:
        return np.full(experts, 1.0 / experts)
    result = numbers(prior, "prior").astype(np.float64)
    if result.shape != (experts,):
        raise RegretlessError(f"prior of shape {result.shape}: one weight for each of the {experts:,} experts")
    if not (np.isfinite(result).all() and (result > 0).all()):
        raise RegretlessError("prior: the weights must be above 0; leave out experts that are not wanted")
    return np.ascontiguousarray(result / result.sum())


ADVICE = {
    "asleep": "no expert speaks; leave the row out, or give a forecast that never fails as one more expert",
    "too large": "scale the numbers down: sums of their squares must be finite",
    "infinite loss": "keep probabilities away from 0 and 1, or use the aggregating algorithm",
}


OUTCOME = -1  # the column of an `AdviceError` about the outcome


class AdviceError(RoundError):
    """A round whose advice or outcome cannot be played.

    Its column is `OUTCOME` where the outcome is at fault, and None where no single number is.
    """

    noun = "expert"


def complaint(why: str, row: int, column: int, names: Sequence[str], loss: Loss) -> AdviceError:
    """The error for what a kernel refused; a column below 0 is the outcome."""
    expert = names[column] if column >= 0 else None
    place = None if why in ("asleep", "infinite loss") else max(column, OUTCOME)  # of a loss two numbers are at fault
    return AdviceError(row, expert, *_words(why, expert is None, loss), column=place)


def _words(why: str, of_outcome: bool, loss: Loss) -> tuple[str, str]:
    """What was found, and what to do."""
    what = "the outcome" if of_outcome else ("the loss" if loss.name == "table" else "the forecast")
    if why == "out of range":
        return f"{what} is {_range(loss)}", _declare(loss)
    return {
        "asleep": ("every forecast is missing", ADVICE["asleep"]),
        "infinite loss": _beyond(loss),
        "outcome": ("the outcome is missing", "an outcome is expected in every row but the last ones"),
        "silent": ("the forecast is missing", "this learner needs all of them; choose another"),
        "not binary": (f"{what} is neither 0 nor 1", "0 and 1 are expected"),
    }.get(why, (f"{what} is not finite", "a finite number is expected"))


def _beyond(loss: Loss) -> tuple[str, str]:
    if loss.name == "log":
        return "the loss is infinite", ADVICE["infinite loss"]
    return "its numbers are too large for floats", ADVICE["too large"]


def _range(loss: Loss) -> str:
    if loss.name == "percentage":
        return "zero, or as good as that"
    return f"outside [{loss.low:g}, {loss.high:g}]"


def _declare(loss: Loss) -> str:
    if loss.name == "percentage":
        return "percentages of nothing mean nothing: choose another loss"
    if loss.of_relatives:
        return "price relatives above 0 are expected"
    if loss.name == "log":
        return "probabilities are expected"
    return "correct it, or declare the range of all values (value_range=, --range)"
