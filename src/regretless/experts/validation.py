"""Advice as users have it, in arrays or frames, as the kernel wants it."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays import numbers, reordered
from ..errors import RegretlessError

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
    table = numbers(advice, "advice")
    if table.ndim not in (2, 3) or 0 in table.shape[1:]:
        raise RegretlessError(f"advice of shape {table.shape}: a row for each round, a column for each expert")
    return table


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
        raise RegretlessError(f"prior of shape {result.shape}: one weight for each of the {experts} experts")
    if not (np.isfinite(result).all() and (result > 0).all()):
        raise RegretlessError("prior: the weights must be above 0; leave out experts that are not wanted")
    return np.ascontiguousarray(result / result.sum())
