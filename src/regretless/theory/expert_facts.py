"""What a theorem may ask of a learner with experts besides its ledger, and what all of these theorems share.

Everything rests on one inequality. With p the weights that were played, q those of the rule when the outcome arrived
(p itself unless it came late), c the charges, and silent experts charged h = q.c, the learner's loss exceeds expert
i's, over the rounds in which i spoke, by at most R_i plus the cost of the delay, R_i = sum (h - c_i) and sum (p -
q).c: losses are convex, or mixed by p. When charges are linearised the same is true of every fixed convex combination
of experts that always spoke, with R_u = sum u_i R_i. What is left to prove of a rule is a bound on R.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import comb, erf, inf, isclose, isfinite, log, nan, pi, sqrt
from typing import Any

import numpy as np

from ..certificate import NO_LIMIT, Most
from ..comparator import ExpertComparator
from ..facts import Facts
from ..ledger import ExpertLedger
from ..theorem import Check
from .rounding import EPSILON

Array = np.ndarray[Any, Any]

# Losses that the learner pays as its weights mix them, whatever their shape.
MIXED = ("table", "zero-one")


@dataclass(frozen=True, slots=True, eq=False)
class ExpertFacts(Facts):
    """A learner with experts as it stands after its last round.

    Attributes
    ----------
    experts : int
        How many there are.
    prior : ndarray, shape (experts,)
        The weights that it began with.
    exponential : bool
        Whether its weights are exponential ones, in proportion to prior * exp(-rate * summed charges), and nothing else
        moves them.
    substitutes : bool
        Whether it predicts as the aggregating algorithm does: what loses the least at worst, and not the mean.
    schedule : str
        How its rate moves, by the kernel's name of a schedule; empty where each expert has a rate of its own.
    rate : float
        A constant rate; nan otherwise.
    horizon : int or None
        The number of rounds that the rate was tuned for.
    span : float or None
        The largest difference between two charges of a round, if it was declared.
    loss : str
        What forecasts cost.
    linear, convex : bool
        Whether charges are linearised losses; whether a mixed forecast loses at most the mixed losses.
    alpha, beta : float
        Share of the weights that is dealt out again; what is left of the weight of an expert that errs.
    rates : ndarray or None, shape (experts,)
        The last rate of each expert, where each has its own.
    log_potential : float
        Logarithm of the potential at the end.
    grid : (ndarray, ndarray) or None
        Rates still in use and their prior masses, for a rule with a prior on rates.
    delayed, sampled : bool
        Whether outcomes came late; whether it drew experts.
    withdrawn : int
        Draws whose outcomes will never be known.
    delta : float or None
        How improbable a failure of a *probable* bound may be.
    blocks : tuple of (ExpertLedger, ExpertFacts)
        One of each stretch between two restarts.
    ridge, log_det : float
        What the squared distance of linear weights from `start` costs; logarithm of the determinant of I + sum x x' /
        ridge.
    start : ndarray or None, shape (experts,)
        The linear weights that it began with.
    missed : float
        By how much the rounds of ridge regression missed its identity for rounding, in all.
    sizes : ndarray or None, shape (experts,)
        Lengths of the columns of forecasts that it learned from, sqrt(ridge) among them.
    """

    experts: int
    prior: Array
    exponential: bool = False
    substitutes: bool = False
    schedule: str = "constant"
    rate: float = nan
    horizon: int | None = None
    span: float | None = None
    loss: str = "table"
    linear: bool = False
    convex: bool = True
    alpha: float = nan
    beta: float = nan
    rates: Array | None = None
    log_potential: float = 0.0
    grid: tuple[Array, Array] | None = None
    delayed: bool = False
    sampled: bool = False
    withdrawn: int = 0
    delta: float | None = None
    blocks: tuple[tuple[ExpertLedger, ExpertFacts], ...] = ()
    ridge: float = nan
    log_det: float = nan
    start: Array | None = None
    missed: float = 0.0
    sizes: Array | None = None


def regret(_: ExpertLedger, comparator: ExpertComparator) -> float:
    """How much more the learner lost than the comparator, over the same rounds."""
    return comparator.regret


def most_own_loss(ledger: ExpertLedger, comparator: ExpertComparator, _: ExpertFacts) -> Most:
    """Where no loss is negative, the least loss is 0."""
    return Most(comparator.faced, "the learner's own loss") if ledger.lowest >= 0 else NO_LIMIT


def most_regret(ledger: ExpertLedger, comparator: ExpertComparator, learner: ExpertFacts) -> Most:
    """That, or in every round the declared range, which no regret against experts or their mixtures is larger than."""
    own = most_own_loss(ledger, comparator, learner)
    if learner.span is None:
        return own
    return min(own, Most(learner.span * comparator.rounds, "the declared range of losses in every round"))


def most_rounds(ledger: ExpertLedger, _: ExpertComparator, __: ExpertFacts) -> Most:
    """Of losses from 0 to 1 there is no more than one in a round."""
    return Most(ledger.rounds, "the number of rounds") if 0 <= ledger.lowest <= ledger.highest <= 1 else NO_LIMIT


def mixture(comparator: ExpertComparator, experts: int) -> Array:
    """The comparator as weights of a convex combination."""
    if comparator.expert is None:
        return np.asarray(comparator.weights, dtype=np.float64)
    weights = np.zeros(experts)
    weights[comparator.expert] = 1.0
    return weights


def delay_cost(ledger: ExpertLedger, comparator: ExpertComparator) -> float:
    """What late outcomes cost over the rounds of the comparator."""
    if comparator.expert is not None:
        return float(ledger.delays[comparator.expert])
    if comparator.weights is not None:
        return float(comparator.weights @ ledger.delays)
    return ledger.delay


def divided(amount: float, rate: float) -> float:
    """The amount over the rate, where either may be infinite; nothing if there is nothing to divide."""
    return 0.0 if amount == 0 or rate == inf else amount / rate


def divergence(weights: Array, prior: Array) -> float:
    """Kullback and Leibler's divergence of the weights from the prior."""
    used = weights > 0
    with np.errstate(divide="ignore"):
        return max(0.0, float(weights[used] @ np.log(weights[used] / prior[used])))


def _same_rounds(ledger: ExpertLedger, comparator: ExpertComparator, _: ExpertFacts) -> bool:
    alone = comparator.expert is not None
    rounds = ledger.spoke[comparator.expert] if alone else ledger.rounds
    faced = ledger.faced[comparator.expert] if alone else ledger.loss
    return bool(comparator.rounds == rounds) and isclose(comparator.faced, faced, rel_tol=1e-7, abs_tol=1e-300)


def _mixes(_: ExpertLedger, __: ExpertComparator, learner: ExpertFacts) -> bool:
    return learner.convex or learner.loss in MIXED


def _convex_combination(_: ExpertLedger, comparator: ExpertComparator, __: ExpertFacts) -> bool:
    if comparator.expert is not None:
        return True
    weights = comparator.weights
    if weights is None or comparator.divergence == inf or weights.min() < 0:
        return False
    return abs(float(weights.sum()) - 1) <= EPSILON * (len(weights) + 1)


def _within_reach(_: ExpertLedger, comparator: ExpertComparator, learner: ExpertFacts) -> bool:
    return comparator.expert is not None or learner.linear


def _always_spoke(ledger: ExpertLedger, comparator: ExpertComparator, _: ExpertFacts) -> bool:
    if comparator.expert is not None or comparator.weights is None:
        return True
    return bool((ledger.spoke[comparator.weights > 0] == ledger.rounds).all())


def _declared(_: ExpertLedger, __: ExpertComparator, learner: ExpertFacts) -> bool:
    return learner.span is not None and isfinite(learner.span)


def _in_span(ledger: ExpertLedger, _: ExpertComparator, learner: ExpertFacts) -> bool:
    return learner.span is None or ledger.spread <= learner.span * (1 + 1e-9)


def _in_time(_: ExpertLedger, __: ExpertComparator, learner: ExpertFacts) -> bool:
    return not learner.delayed


def _all_speak(ledger: ExpertLedger, _: ExpertComparator, __: ExpertFacts) -> bool:
    return ledger.absent == 0


def _single(_: ExpertLedger, comparator: ExpertComparator, __: ExpertFacts) -> bool:
    return comparator.expert is not None


def _uniform(_: ExpertLedger, __: ExpertComparator, learner: ExpertFacts) -> bool:
    return bool(np.ptp(learner.prior) <= 1e-12)


def scheduled(*schedules: str) -> Check:
    """A check that the rate moves in one of these ways."""

    def holds(_: ExpertLedger, __: ExpertComparator, learner: ExpertFacts) -> bool:
        return learner.schedule in schedules

    return holds


Assumption = tuple[str, Check]

SAME_ROUNDS: Assumption = (
    "the comparator must be read on the very rounds that were played, and these are others",
    _same_rounds,
)
MIXES: Assumption = (
    "a mixed forecast must lose at most the mixed losses, and this loss is not known to be convex",
    _mixes,
)
COMBINATION: Assumption = ("it is about one expert, or one convex combination, for all rounds", _convex_combination)
WITHIN_REACH: Assumption = (
    "a convex combination is within reach of linearised charges (linearize=True), and these are the losses themselves",
    _within_reach,
)
ALWAYS_SPOKE: Assumption = ("a combination needs experts that spoke in every round, and some did not", _always_spoke)
DECLARED: Assumption = (
    "before the run a bound needs the range of forecasts and outcomes (value_range=, --range), and none was declared",
    _declared,
)
IN_SPAN: Assumption = ("the charges of a round differed by more than the declared range allows", _in_span)
IN_TIME: Assumption = ("it assumes that each outcome is known before the next forecast, and some came late", _in_time)
BEFOREHAND: Assumption = (
    "it is known before the run only where each outcome is known before the next forecast, and some came late",
    _in_time,
)
ALL_SPEAK: Assumption = ("it assumes that every expert speaks in every round, and some did not", _all_speak)
SINGLE: Assumption = ("it is about single experts", _single)
UNIFORM: Assumption = ("it assumes equal prior weights", _uniform)

# What every bound on the regret against one expert or one combination assumes; what depends on the comparator comes
# last, so that a theorem that never applies to a learner says so.
REGRET: tuple[Assumption, ...] = (MIXES, COMBINATION, WITHIN_REACH, ALWAYS_SPOKE, SAME_ROUNDS)
PRIOR: tuple[Assumption, ...] = (DECLARED, IN_SPAN, *REGRET)


def log_experts(learner: ExpertFacts) -> float:
    """ln N, the numerator of most rates."""
    return log(learner.experts)


# ---- What no algorithm can avoid.


MOST_SUMMED = 10**7  # rounds up to which distances are summed one by one
NORMAL_STEPS, NORMAL_END = 1 << 14, 8.0


def lower_bound(rounds: int, experts: int) -> float:
    """A regret that every algorithm must expect to pay, on some losses in [0, 1].

    Half of the experts, and their opposites, lose 0 or 1 as a fair coin falls: every algorithm expects to lose T / 2,
    and the best expert T / 2 less the expected largest distance of the counts from T / 2. Two experts give
    T C(T-1, floor((T-1)/2)) / 2^T exactly, which is at least sqrt(T / 8).

    Of more than ten million rounds and more than three experts, the value is a little lower than that. By Tusnady's
    inequality the counts can be tied to normal variables Z so that every distance is at least
    sqrt(T) |Z| / 2 - 1 - Z^2 / 8.
    """
    pairs = experts // 2
    if rounds < 1 or pairs < 1:
        return 0.0
    if pairs == 1 and rounds <= 1000:
        return float(rounds * comb(rounds - 1, (rounds - 1) // 2) / 2**rounds)
    if pairs == 1:
        m = (rounds + 1) // 2  # the last of an even number of rounds changes nothing
        return m * _balanced(m)
    if rounds <= MOST_SUMMED:
        return _summed(rounds, pairs)
    distance, square = _largest_normal(pairs)
    return max(_summed(MOST_SUMMED, pairs), sqrt(rounds) / 2 * distance - 1 - square / 8)


def _balanced(m: int) -> float:
    """The chance that 2m fair coins show m heads, rounded down by less than 1 / (100 m^3) of itself."""
    if m <= 500:
        return float(comb(2 * m, m) / 4**m)
    return 1 / sqrt(pi * (m + 0.25 + 1 / (32 * m)))


@lru_cache(maxsize=1024)
def _summed(rounds: int, pairs: int) -> float:
    # The distances beyond 6 sqrt(T) are left out: their chance is below 1e-31, and without them the value is lower.
    m, odd = divmod(rounds, 2)
    most = min(m, int(6 * sqrt(rounds)) + 4)
    steps = np.arange(most + 1.0)
    distances = steps + odd / 2
    counts = m + odd + steps
    chances = np.empty(most + 1)
    chances[0] = _balanced(m) * ((2 * m + 1) / (2 * m + 2) if odd else 1.0)
    chances[1:] = chances[0] * np.cumprod((rounds - counts[:-1]) / (counts[:-1] + 1))
    chances[0 if odd else 1 :] *= 2
    within: Any = np.minimum(1.0, np.cumsum(chances)) ** pairs
    return float(distances @ np.diff(within, prepend=0.0))


@lru_cache(maxsize=64)
def _largest_normal(pairs: int) -> tuple[float, float]:
    """The largest of so many |Z|: its mean from below and its mean square from above, both by sums over steps."""
    width = NORMAL_END / NORMAL_STEPS
    places = width * np.arange(NORMAL_STEPS + 1)
    above = 1 - np.array([erf(place / sqrt(2)) for place in places]) ** pairs
    mean = width * float(above[1:].sum())
    # Beyond the end at most `pairs` variables of chance 1.3e-15 are left.
    square = width * float((2 * (places[:-1] + width) * above[:-1]).sum()) + pairs * 1e-12
    return mean, square
