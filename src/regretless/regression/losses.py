"""Losses of forecasts, by their names in the kernel: all that learners, comparators and reports ask of them.

A score is the forecast less the first outcome; of counts the logarithm of their mean, and of shares that of the odds.
What a run is charged the kernel computes: the losses stand in `regression_loss.hpp`, too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ..data.batch import Array

Value = Callable[[Array, Array, float, float], Array]


@dataclass(frozen=True, slots=True)
class ForecastLoss:
    """A convex loss of the score.

    Attributes
    ----------
    name : str
        As the kernel and a learner's parameter have it.
    words : str
        What it is called before the word "loss".
    parameter : {"", "quantile", "delta"}
        The parameter of a learner that it takes; empty if it takes none.
    outcomes : {"numbers", "counts", "shares"}
        What is forecast.
    squares : bool
        Whether it is the square of the error, which the mean and least squares make small.
    value : callable
        The loss of each of some scores beside outcomes, with the first outcome (of counts the logarithm that scores
        are measured from) and the parameter.
    steepest : callable
        The size of the largest slope at scores from the lowest to the highest, with the same two.
    slope : callable or None
        The slope at each error, score less outcome, and the parameter, where no quantile of the outcomes is the
        constant of the least loss. None: one is, or it is known otherwise.
    """

    name: str
    words: str
    parameter: Literal["", "quantile", "delta"]
    outcomes: Literal["numbers", "counts", "shares"]
    squares: bool
    value: Value
    steepest: Callable[[float, float, float, float], float]
    slope: Callable[[Array, float], Array] | None


def of_error(loss: Callable[[Array, float], Array]) -> Value:
    """The value of a loss of the error, outcome less score, and of its parameter."""
    return lambda scores, outcomes, _, parameter: np.asarray(loss(outcomes - scores, parameter))


def _pinball(errors: Array, tau: float) -> Array:
    return np.where(errors > 0, tau * errors, (tau - 1) * errors)


def _huber(errors: Array, delta: float) -> Array:
    size = np.abs(errors)
    return np.where(size <= delta, size * size / 2, delta * (size - delta / 2))


def lost_likelihood(logarithms: Array, counts: Array) -> Array:
    """By how much the log likelihood of a Poisson distribution is less than it could be, from the logarithms of its
    means."""
    more = logarithms - np.log(np.where(counts > 0, counts, 1))
    series = np.ones_like(more)  # near 0, where exp(x) - 1 - x is a difference of like numbers
    for k in range(15, 2, -1):
        series = 1 + series * more / k
    lost = np.where(np.abs(more) <= 0.5, more * more / 2 * series, np.expm1(more) - more)
    return np.asarray(np.where(counts > 0, counts * lost, np.exp(logarithms)))


SQUARE = ForecastLoss(
    name="square",
    words="squared",
    parameter="",
    outcomes="numbers",
    squares=True,
    value=of_error(lambda errors, _: errors * errors),
    steepest=lambda low, high, origin, _: 2 * (high - low),
    slope=None,
)
ABSOLUTE = ForecastLoss(
    name="absolute",
    words="absolute",
    parameter="",
    outcomes="numbers",
    squares=False,
    value=of_error(lambda errors, _: np.abs(errors)),
    steepest=lambda low, high, origin, _: 1.0,
    slope=None,
)
PINBALL = ForecastLoss(
    name="pinball",
    words="pinball",
    parameter="quantile",
    outcomes="numbers",
    squares=False,
    value=of_error(_pinball),
    steepest=lambda low, high, origin, tau: 1.0,
    slope=None,
)
HUBER = ForecastLoss(
    name="huber",
    words="Huber",
    parameter="delta",
    outcomes="numbers",
    squares=False,
    value=of_error(_huber),
    steepest=lambda low, high, origin, delta: min(high - low, delta),
    slope=lambda errors, delta: np.clip(errors, -delta, delta),
)
POISSON = ForecastLoss(
    name="poisson",
    words="Poisson",
    parameter="",
    outcomes="counts",
    squares=False,
    value=lambda scores, counts, origin, _: lost_likelihood(scores + origin, counts),
    steepest=lambda low, high, origin, _: float(np.exp(origin + high)),
    slope=None,
)
LOGISTIC = ForecastLoss(
    name="logistic",
    words="logistic",
    parameter="",
    outcomes="shares",
    squares=False,
    value=lambda scores, shares, origin, _: np.logaddexp(0, scores) - shares * scores,
    steepest=lambda low, high, origin, _: 1.0,
    slope=None,
)

FORECAST_LOSSES = {one.name: one for one in (SQUARE, ABSOLUTE, PINBALL, HUBER, POISSON, LOGISTIC)}
