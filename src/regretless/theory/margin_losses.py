"""Losses of a margin m = y <w, x> that have bounds on regret: all that theorems, comparators and learners ask of them.

What a run is charged, and a vector that is read exactly, the kernel computes: the losses stand in `loss.hpp`, too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from typing import Any, Literal, Protocol

import numpy as np


class MarginSums(Protocol):
    """Sums of margins over some rounds.

    Attributes
    ----------
    rounds, all_total, all_squares : float
        How many there are, and the sums of their margins and of the squares of these.
    bins : ndarray, shape (bins, 3)
        The same of margins that are about alike, which have one sign.
    """

    @property
    def rounds(self) -> float: ...
    @property
    def all_total(self) -> float: ...
    @property
    def all_squares(self) -> float: ...
    @property
    def bins(self) -> Any: ...


@dataclass(frozen=True, slots=True)
class MarginLoss:
    """A convex loss of the margin, never below 0, and at -m as large and as steep as at m > 0, or more so.

    Attributes
    ----------
    name : str
        As facts of theorems have it.
    played : str
        As the kernel and a learner's parameter have it.
    value : callable
        The loss of a margin, or of each of an array.
    steepest : callable
        The size of its slope at -a: the largest at margins from -a to a.
    limit : float
        What no slope exceeds in size; infinite where there is no such limit.
    says : {"", "log-odds", "share"}
        What a score estimates if this loss is small: the logarithm of the odds, 2 p - 1 for the probability p, or
        nothing but a label.
    by_hinges : callable or None
        Its sum over some rounds from the sums of their hinge losses and of the squares of these, where it is either.
    summed : callable or None
        Its sum over the rounds of margins s m, from the `MarginSums` of m, and s. None: it is known by hinge losses, or
        the sum of its values at the means of the bins is near enough.
    """

    name: str
    played: str
    value: Callable[[Any], Any]
    steepest: Callable[[float], float]
    limit: float
    says: Literal["", "log-odds", "share"]
    by_hinges: Callable[[Any, Any], Any] | None = None
    summed: Callable[[MarginSums, Any], Any] | None = None

    @property
    def of_a_mistake(self) -> float:
        """The smallest loss of a round whose label was not predicted: that of a score of 0."""
        return float(self.value(0.0))


HINGE = MarginLoss(
    name="hinge",
    played="hinge",
    value=lambda m: np.maximum(0, 1 - m),
    steepest=lambda a: 1.0,
    limit=1.0,
    says="",
    by_hinges=lambda hinge, squared_hinge: hinge,
)
LOGISTIC = MarginLoss(
    name="logistic",
    played="logistic",
    value=lambda m: np.logaddexp(0, -m),
    steepest=lambda a: float(np.exp(-np.logaddexp(0, -a))),
    limit=1.0,
    says="log-odds",
)
SQUARED_HINGE = MarginLoss(
    name="squared-hinge",
    played="squared-hinge",
    value=lambda m: np.maximum(0, 1 - m) ** 2,
    steepest=lambda a: 2 * (1 + a),
    limit=inf,
    says="share",
    by_hinges=lambda hinge, squared_hinge: squared_hinge,
)
SQUARE = MarginLoss(
    name="square",
    played="square",
    value=lambda m: (1 - m) ** 2,
    steepest=lambda a: 2 * (1 + a),
    limit=inf,
    says="share",
    summed=lambda sums, s: sums.rounds - 2 * s * sums.all_total + s * s * sums.all_squares,
)
# The perceptron's loss where fixed vectors are charged it, too: of a perceptron its theorems ask no such thing.
NEGATIVE_PART = MarginLoss(
    name="negative-part",
    played="perceptron",
    value=lambda m: np.maximum(0, -m),
    steepest=lambda a: 1.0,
    limit=1.0,
    says="",
    summed=lambda sums, s: s * float(np.maximum(0, -sums.bins[:, 1]).sum()),
)

MARGIN_LOSSES = {one.name: one for one in (HINGE, LOGISTIC, SQUARED_HINGE, SQUARE, NEGATIVE_PART)}
"""By the name in facts."""
PLAYED_LOSSES = {one.played: one for one in MARGIN_LOSSES.values()}
"""By the name in kernels."""
