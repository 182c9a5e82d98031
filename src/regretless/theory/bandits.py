"""The theorems about each bandit, and what they promise before a run."""

from __future__ import annotations

from dataclasses import replace
from math import isnan, sqrt

import numpy as np

from ..comparator import BanditComparator
from ..ledger import BanditLedger
from .bandit_facts import Array, BanditFacts, held_rates
from .bandit_weights import exp3_ix, exp3_ix_book, exp3_ix_expected, exp3_pseudo_regret, exp3_s, exp4
from .bandits_observable import observable
from .exp3_p import exp3_p, exp3_p_book, exp3_p_observable
from .full_information import hedge_expected, hedge_mixed, hedge_sampled
from .stochastic_bandits import kl_ucb, kl_ucb_gaps, moss, thompson, ucb1, ucb1_gaps
from .tsallis import tsallis, tsallis_book

EXP3 = (exp3_pseudo_regret, observable)
EXP3_IX = (exp3_ix, exp3_ix_book, exp3_ix_expected, observable)
EXP3_P = (exp3_p, exp3_p_book, exp3_p_observable, observable)
TSALLIS_INF = (tsallis, tsallis_book, observable)
EXP3_S = (exp3_s, observable)
HEDGE = (hedge_mixed, hedge_expected, hedge_sampled, observable)
EXP4 = (exp4, observable)
OF_UCB1 = (ucb1, observable)
OF_KL_UCB = (kl_ucb, observable)
OF_MOSS = (moss, observable)
OF_THOMPSON = (thompson, observable)
BY_GAPS = {ucb1: ucb1_gaps, kl_ucb: kl_ucb_gaps}  # what is said besides where the mean losses are known

AFTERWARDS = (observable, exp3_p_observable)  # they read the run
OF_SEQUENCES = (exp3_s,)  # of arms, and of how often they switch


def expected_ledger(
    learner: BanditFacts, rounds: int, *, slept: bool = False, reached: Array | None = None
) -> BanditLedger:
    """The book of a run of which nothing is known but its length, and perhaps which arms could be drawn: else all arms
    awake, or nearly, all losses in time, experts who agree on nothing."""
    rates, last, first = _rates(learner, rounds)
    reach = float(min(learner.arms, learner.comparators) if learner.advised else learner.arms)
    nothing = dict.fromkeys(("loss", "mixed", "late", "lost"), 0.0)
    return BanditLedger(
        rounds=float(rounds),
        settled=float(rounds),
        swing=reach * rates if reached is None else _rates(learner, rounds, reached)[0],
        rates=rates,
        restricted=float(slept),
        reach=reach * rounds if reached is None else float(reached[rounds]),
        first_rate=first,
        last_rate=last,
        last_gamma=last / 2,
        width=learner.width,
        draws=np.zeros(learner.arms),
        losses=np.zeros(learner.arms),
        missed=np.zeros(learner.arms),
        asleep=np.zeros(learner.arms),
        estimates=np.zeros(learner.comparators),
        implicit=np.zeros(learner.comparators),
        **nothing,
    )


def _rates(learner: BanditFacts, rounds: int, reached: Array | None = None) -> tuple[float, float, float]:
    """Their sum, weighted by the arms that could be drawn if these are given; the last and the first."""
    weights = float(rounds) if reached is None else float(reached[rounds])
    if learner.schedule == "constant":
        return learner.rate * weights, learner.rate, learner.rate
    if learner.comparators == 1:
        return weights, 1.0, 1.0
    scale = learner.scale
    if learner.schedule == "every-round":
        return _sum_of_rates(scale, rounds, reached), scale / sqrt(rounds), scale
    return *held_rates(scale, rounds, reached), scale


def _sum_of_rates(scale: float, rounds: int, reached: Array | None) -> float:
    """Of scale / sqrt(t) in round t, or at most so much; times the arms that could be drawn if these are given."""
    first = rounds if reached is not None else min(rounds, 1000)
    weights = np.ones(first) if reached is None else np.diff(reached[: rounds + 1])
    total = float(weights @ (1 / np.sqrt(np.arange(1, first + 1))))
    return scale * (total + 2 * (sqrt(rounds) - sqrt(first)))


def bound_at(
    learner: BanditFacts, rounds: int, switches: int = 0, *, slept: bool = False, reached: Array | None = None
) -> dict[str, float]:
    """What each theorem promises before the first of so many rounds, by its title, in the user's scale.

    The promise is about the regret against the best arm, or expert, in hindsight. A theorem that does not apply to the
    learner, whatever it plays, is left out, and so is one that reads the run.

    Parameters
    ----------
    learner : BanditFacts
        A learner as it would stand.
    rounds : int
        At least 1.
    switches : int
        Of the sequence of arms that it is compared with, by theorems on sequences.
    slept : bool
        Whether arms will be asleep at times: then luck has a say in which of them is the best in hindsight.
    reached : ndarray, optional
        How many arms can be drawn in the first 0, 1, 2, ... rounds, added up; with advice, the sums over arms of the
        largest share that an expert gives to each. By default all that there are.

    Returns
    -------
    dict of str to float
    """
    book = expected_ledger(learner, rounds, slept=slept, reached=reached)
    against = BanditComparator("best_expert" if learner.advised else "best_arm", "", 0.0, 0.0, book.rounds)
    values = {}
    for one in learner.theorems:
        compared = replace(against, switches=switches) if one in OF_SEQUENCES else against
        if one not in AFTERWARDS and one.obstacle(book, compared, learner) is None:
            values[one.title] = one.value(book, compared, learner)
    return {title: value for title, value in values.items() if not isnan(value)}
