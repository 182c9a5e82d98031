"""What a forecast costs: value, slope and span of each loss in numpy; the kernels have the same catalogue."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf, isfinite
from typing import Any

import numpy as np

from ..errors import ParameterError

Array = np.ndarray[Any, Any]
Own = Callable[[Any, Any], Any]

LOSSES = ("absolute", "square", "pinball", "log", "zero-one", "percentage", "wealth")
TABLE = "table"  # no loss at all: what is given are the losses themselves
WITHOUT_OUTCOME = (TABLE, "wealth")
CONVEX = ("absolute", "square", "pinball", "log", "percentage", "wealth")
LOGARITHMIC = ("log", "wealth")  # a convex function of the forecast that is smooth and has no largest value
MOST_SPAN = 1e145  # of charges of one round: whatever is declared, the kernels refuse more
DEMANDS = {"log": (0.0, 1.0), "wealth": (0.0, inf)}  # what the values must be, whatever was declared


@dataclass(frozen=True)
class Loss:
    """A loss of forecasts.

    Attributes
    ----------
    name : str
        One of `LOSSES`, "table", or "own" for a function of the user's.
    tau : float
        The quantile that pinball asks for.
    low, high : float
        Declared range of forecasts and outcomes, infinite if none is; of the losses themselves for a table.
    own : callable or None
        ``(forecasts, outcome) -> losses``, for "own".
    """

    name: str
    tau: float = 0.5
    low: float = -inf
    high: float = inf
    own: Own | None = None

    @property
    def convex(self) -> bool:
        """Whether the loss of a mixed forecast is at most the mixed loss."""
        return self.name in CONVEX

    @property
    def parameter(self) -> float | None:
        """The quantile, where it is one that is asked for."""
        return self.tau if self.name == "pinball" else None

    @property
    def of_relatives(self) -> bool:
        """Whether the advice are price relatives: there is no outcome, and what is lost is -ln of the growth."""
        return self.name == "wealth"

    @property
    def width(self) -> float:
        """Length of the declared range."""
        return self.high - self.low

    def of(self, advice: Any, outcome: Any) -> Array:
        """Losses of forecasts: numbers against an outcome each, or vectors against vectors along the last axis.

        The arrays are broadcast; forecasts of one number have no axis of their own. Missing forecasts give nan.
        """
        a, y = np.asarray(advice, dtype=np.float64), np.asarray(outcome, dtype=np.float64)
        if self.own is not None:
            return np.asarray(self.own(a, y), dtype=np.float64)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(VALUES[self.name](a, y, self.tau))

    def of_vectors(self, advice: Any, outcome: Any) -> Array:
        """The same for forecasts that are vectors along the last axis."""
        a, y = np.asarray(advice, dtype=np.float64), np.asarray(outcome, dtype=np.float64)
        if self.own is not None:
            return np.asarray(self.own(a, y), dtype=np.float64)
        if self.name == "log":
            with np.errstate(divide="ignore"):
                return np.asarray(-np.log((a * y).sum(-1)))
        return np.asarray(((a - y) ** 2).sum(-1))

    def slope(self, prediction: Any, outcome: Any) -> Array:
        """Derivative by the forecast; at a kink, zero."""
        a, y = np.asarray(prediction, dtype=np.float64), np.asarray(outcome, dtype=np.float64)
        if self.name not in SLOPES:
            raise ParameterError("loss", repr(self.name), "has no slope: the gradient trick needs a convex loss", " ")
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(SLOPES[self.name](a, y, self.tau))

    def span(self, linear: bool, width: int = 1) -> float | None:
        """The largest difference between two charges of one round that the declared range allows; None if none is
        declared, or it allows any that the kernels do. Forecasts of several numbers are charged for each of them."""
        steepest = {"absolute": 1.0, "square": 2 * self.width, "pinball": max(self.tau, 1 - self.tau)}
        highest = {
            "table": self.width,
            "absolute": self.width,
            "square": self.width * self.width,  # infinite, where a power would raise
            "pinball": self.width * max(self.tau, 1 - self.tau),
            "zero-one": 1.0,
        }
        span = width * (steepest.get(self.name, inf) * self.width if linear else highest.get(self.name, inf))
        return span if 0 < span < MOST_SPAN else None


def named_loss(name: str | Own | None, tau: float, value_range: tuple[float, float] | None) -> Loss:
    """The loss that a learner's parameters describe.

    Raises
    ------
    RegretlessError
        If there is none of that name, or a parameter has no meaning.
    """
    if callable(name):
        return Loss("own", own=name)
    name = TABLE if name is None else name
    if name not in (*LOSSES, TABLE):
        raise ParameterError("loss", repr(name), f"the losses are {', '.join(LOSSES)}", ": ")
    if not 0 < tau < 1:
        raise ParameterError("tau", repr(tau), "must lie between 0 and 1", " ")
    low, high = _range(value_range)
    least, most = DEMANDS.get(name, (-inf, inf))
    return Loss(name, tau, max(low, least), min(high, most))


def _range(value_range: tuple[float, float] | None) -> tuple[float, float]:
    if value_range is None:
        return -inf, inf
    try:
        low, high = (float(end) for end in value_range)
    except (TypeError, ValueError):
        low, high = inf, -inf
    if not (isfinite(low) and isfinite(high) and low < high):
        raise ParameterError("value_range", repr(value_range), "must be two numbers, the lower first", " ")
    return low, high


def _log(a: Array, y: Array, _: float) -> Array:
    missed, feared = np.where(y > 0, -y * np.log(a), 0.0), np.where(y < 1, -(1 - y) * np.log1p(-a), 0.0)
    return np.asarray(missed + feared + 0 * a)


VALUES: dict[str, Callable[[Array, Array, float], Any]] = {
    "table": lambda a, y, tau: a,
    "absolute": lambda a, y, tau: np.abs(a - y),
    "square": lambda a, y, tau: (a - y) ** 2,
    "pinball": lambda a, y, tau: np.where(y >= a, tau * (y - a), (1 - tau) * (a - y)),
    "log": _log,
    "zero-one": lambda a, y, tau: np.where(np.isnan(a), np.nan, (a != y).astype(np.float64)),
    "percentage": lambda a, y, tau: np.abs(a - y) / np.abs(y),
    "wealth": lambda a, y, tau: -np.log(a),
}
SLOPES: dict[str, Callable[[Array, Array, float], Any]] = {
    "absolute": lambda a, y, tau: np.sign(a - y),
    "square": lambda a, y, tau: 2 * (a - y),
    "pinball": lambda a, y, tau: np.where(a > y, 1 - tau, np.where(a < y, -tau, 0.0)),
    "log": lambda a, y, tau: np.where(y > 0, -y / a, 0.0) + np.where(y < 1, (1 - y) / (1 - a), 0.0),
    "percentage": lambda a, y, tau: np.sign(a - y) / np.abs(y),
    "wealth": lambda a, y, tau: -1 / a,
}
