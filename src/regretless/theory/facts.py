"""What a theorem may ask of a learner besides its ledger, and the checks that several theorems share."""

from __future__ import annotations

import math
from dataclasses import dataclass
from math import floor, inf, isclose, nan

import numpy as np

from ..comparator import BaseComparator, Comparator
from ..facts import Facts
from ..ledger import Ledger
from ..theorem import Check

SHORTEST2 = 1e-290  # a squared length whose sixteenth digit still is a float of full precision
SHORTEST_STEP = 1e-292  # the same of one number alone


def sqrt(x: float) -> float:
    """The root of a number, or of each of an array: where comparators are looked for, a formula is read on many."""
    return np.sqrt(x) if isinstance(x, np.ndarray) else math.sqrt(x)


@dataclass(frozen=True, slots=True)
class LinearFacts(Facts):
    """One target of a learner as it stands after its last round.

    Attributes
    ----------
    norm : float
        Length of its weights, the constant feature's included.
    rate : float
        The parameter of its schedule.
    schedule : str
        "constant", "inverse-sqrt" (rate / sqrt(t)), "self-tuned" (rate / sqrt(sum of squared gradients)), "scale-free"
        (the same over the length of the longest row), or one of its own.
    loss : str
        What it is charged.
    radius : float
        Of the ball it lives in; infinite when there is none.
    steady : bool
        Whether it played all its rounds by the same parameters.
    passes : float
        How many passes it made, if it was to go on until one was clean; NaN for other runs and for several classes, one
        of which may be clean when another is not.
    width : float
        How many features there are, the constant one included; it only says what rounding may do to their sums.
    """

    norm: float
    rate: float
    schedule: str = "constant"
    loss: str = "perceptron"
    radius: float = inf
    steady: bool = True
    passes: float = nan
    width: float = 0.0


def _same_rounds(ledger: Ledger, comparator: Comparator, _: LinearFacts) -> bool:
    return comparator.rounds == ledger.rounds and isclose(
        comparator.total_norm2, ledger.total_norm2, rel_tol=1e-7, abs_tol=1e-300
    )


def _measured(ledger: Ledger, comparator: Comparator, _: LinearFacts) -> bool:
    # Rows of zeros are legal, and rows whose squares vanish look like them; against v = 0 both are alike indeed.
    if ledger.max_norm2 == 0:
        return ledger.rounds == 0 or comparator.norm == 0
    if not SHORTEST2 <= ledger.max_norm2 < inf:
        return False
    # Nor may be lost what a step changes of a score, or of the squared length of the weights.
    for rate in (ledger.first_rate, ledger.last_rate):
        if rate > 0 and rate * ledger.max_norm2 * min(rate, 1.0) < SHORTEST_STEP:
            return False
    return True


def has_unit_weights(ledger: Ledger, _: BaseComparator, __: LinearFacts) -> bool:
    """Whether every round weighed 1."""
    return ledger.weighted == 0


def _steady(_: Ledger, __: Comparator, learner: LinearFacts) -> bool:
    return learner.steady


def _separates(_: Ledger, comparator: Comparator, __: LinearFacts) -> bool:
    return (comparator.least > 0) & (comparator.norm > 0)  # of each of many as well


SAME_ROUNDS: tuple[str, Check] = (
    "the comparator must be read on the very rounds that were played, and these are others",
    _same_rounds,
)
MEASURED: tuple[str, Check] = (
    "the squared lengths of the rows are too large or too small for floats of full precision: scale the rows",
    _measured,
)
UNIT_WEIGHTS: tuple[str, Check] = (
    "it assumes that every round weighs 1, and others were given, by sample_weight or class_weight",
    has_unit_weights,
)
SEPARATES: tuple[str, Check] = (
    "no vector was found that has every round on its right side with a margin",
    _separates,
)
STEADY: tuple[str, Check] = ("it assumes one set of parameters, and they were changed during the run", _steady)


PLAYED = (SAME_ROUNDS, MEASURED, UNIT_WEIGHTS, STEADY)


def count_updates(ledger: Ledger, _: Comparator) -> float:
    """The quantity of a bound on updates."""
    return ledger.updates


def count_mistakes(ledger: Ledger, _: Comparator) -> float:
    """The quantity of a bound on mistakes."""
    return ledger.mistakes


def _until_clean(ledger: Ledger, _: Comparator, learner: LinearFacts) -> bool:
    return 1 <= learner.passes <= ledger.updates + 1  # more passes than that were not stopped by a clean one


def rounds_until_clean(updates: float, ledger: Ledger, learner: LinearFacts) -> float:
    """How many rounds a run until a pass is clean may take, if it makes at most so many updates."""
    return (floor(updates * (1 + 1e-9)) + 1) * ledger.rounds / learner.passes


UNTIL_CLEAN: tuple[str, Check] = (
    "it is about a run that goes on until a pass over the same rows is clean, and stops then",
    _until_clean,
)
