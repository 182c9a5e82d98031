"""Games on which the theorems of learners with experts must say numbers that are known by hand."""

from __future__ import annotations

from dataclasses import replace
from math import e, inf, log, nan, sqrt
from sys import float_info
from typing import Any

import numpy as np
import pytest

from regretless.comparator import ExpertComparator
from regretless.experts import EG
from regretless.ledger import ExpertLedger
from regretless.theory import expert_facts as es
from regretless.theory import experts, majority, mixable, rounding
from regretless.theory import second_order as second

from ..known import Assumes, Change, Known, first_of_each, is_unbounded, known, refuses, says_its_number

# Nine rounds, four experts; the second one has lost 3 of the learner's 5. Late outcomes cost it 0.5, which is in every
# bound that is observed, and in none that is known before the run.
LN4 = log(4)
BOOK = ExpertLedger(
    rounds=9.0, loss=5.0, expected=4.5, charge=4.4, delay=0.75, gap=1.2, drag=2.0, sampled=6.0, first_rate=1.0,
    last_rate=0.5, spread=2.0, spread2=16.0, lowest=0.0, highest=1.0, absent=0.0, mistakes=7.0, max_outcome2=2.25,
    sensitivity=0.0,
    losses=np.array([4.0, 3.0, 6.0, 5.0]), regrets=np.array([1.0, 2.0, -1.0, 0.0]),
    delays=np.array([0.1, 0.5, 0.2, 0.3]), faced=np.full(4, 5.0), spoke=np.full(4, 9.0),
    squares=np.array([1.0, 3.0, 2.0, 5.0]), drags=np.array([0.1, 0.7, 0.2, 0.4]),
)  # fmt: skip
EXPERT = ExpertComparator("expert", "2", loss=3.0, faced=5.0, rounds=9.0, expert=1, divergence=LN4)
HALVES = ExpertComparator(
    "best_convex", "half", loss=3.5, faced=5.0, rounds=9.0, weights=np.array([0.5, 0.5, 0, 0]), divergence=log(2)
)
UNIFORM = np.full(4, 0.25)


def hedge(schedule="constant", span: float | None = 2.0, **more: Any) -> es.ExpertFacts:
    rate = more.pop("rate", 0.5 if schedule == "constant" else nan)
    return es.ExpertFacts(4, UNIFORM, exponential=True, schedule=schedule, rate=rate, span=span, **more)


def case(theorem, learner, bound, observed=None, changes: Change | None = None, against=EXPERT) -> Known:
    return Known(theorem, BOOK, against, learner, bound, observed).changed(changes or {})


LINEAR = hedge(linear=True)
ONE = {"learner.experts": 1}
TUNED = hedge(rate=sqrt(8 * LN4 / 16) / 2, horizon=16)
# A rate that falls over 9 rounds costs ln 4 times 2 * 3 / (2 sqrt(ln 4)), and its gaps 2 * 3 sqrt(ln 4) / 2.
FALLS = 6 * sqrt(LN4)
WEIGHTS = [
    case(experts.hedge_posterior, hedge(), 2 * LN4 + 1.2 + 0.5, 2),
    case(experts.hedge_posterior, LINEAR, 2 * log(2) + 1.2 + 0.3, 1.5, against=HALVES),
    case(experts.hedge_posterior, hedge(), 1.7, 2, {"ledger.last_rate": inf}),
    case(experts.hedge_spreads, hedge(), 2 * LN4 + 1.0 + 0.5, 2),  # 0.5 / 8 * 16
    case(experts.hedge_spreads, LINEAR, 2 * log(2) + 1.0 + 0.3, 1.5, against=HALVES),
    case(experts.hedge_prior, hedge(), 2 * LN4 + 2.25, 2),  # 0.5 / 8 * 4 * 9
    case(experts.hedge_prior, hedge("anytime"), FALLS, 2),
    case(experts.hedge_prior, hedge("anytime", linear=True), 3 * log(2) / sqrt(LN4) + 3 * sqrt(LN4),
         against=HALVES),
    case(experts.hedge_tuned, TUNED, 2 * sqrt(8 * LN4), 2),
    case(experts.hedge_largest_spread, hedge("anytime", None), FALLS + 2 + 0.5, 2),
    case(experts.adahedge_posterior, hedge("self-tuned"), 2 * LN4 + 1.2 + 0.5, 2),  # KL over the last rate
    case(experts.adahedge_posterior, hedge("self-tuned", linear=True), 2 * log(2) + 1.2 + 0.3, 1.5, against=HALVES),
    # Without a gap before the last round its rate was infinite: 1.2 is the last gap alone.
    case(experts.adahedge_posterior, hedge("self-tuned"), 1.7, 2, {"ledger.last_rate": inf}),
    case(experts.adahedge_spreads, hedge("self-tuned"), 2 + sqrt(4 + 16 * LN4) + 0.5, 2),
    case(experts.adahedge_prior, hedge("self-tuned"), 2 * (1 + sqrt(1 + 9 * LN4)), 2),
    case(experts.adahedge_prior, hedge("self-tuned", linear=True), 1.5 * (1 + sqrt(1 + 9 * LN4)), against=HALVES),
    case(mixable.constant_regret, hedge(rate=1.0, loss="log"), LN4 + 0.5, 2),
    case(mixable.constant_regret, hedge(substitutes=True, span=4.0, loss="square"), 2 * LN4 + 0.5, 2),
    *(
        case(theorem, hedge(schedule, span, rate=rate, horizon=16), late, 2, ONE)
        for theorem, schedule, span, rate, late in (
            (experts.hedge_posterior, "constant", 2.0, 1.0, 0.5),
            (experts.hedge_spreads, "constant", 2.0, 1.0, 0.5),
            (experts.hedge_prior, "constant", 2.0, 1.0, 0.0),
            (experts.hedge_prior, "anytime", 2.0, nan, 0.0),
            (experts.hedge_tuned, "constant", 2.0, 0.0, 0.0),
            (experts.hedge_largest_spread, "anytime", None, nan, 0.5),
            (experts.adahedge_posterior, "self-tuned", None, nan, 0.5),
            (experts.adahedge_spreads, "self-tuned", None, nan, 0.5),
            (experts.adahedge_prior, "self-tuned", 2.0, nan, 0.0),
        )
    ),
    case(experts.hedge_prior, hedge(span=3.0), 2 * LN4 + 81 / 16, 2),
    case(experts.adahedge_prior, hedge("self-tuned", 3.0), 3 * (1 + sqrt(1 + 9 * LN4)), 2),
]  # fmt: skip

RATES = np.array([0.5, 0.25, 1.0, 0.2])
OWN = hedge("", 3.0, rates=RATES, log_potential=0.3)
GRID = hedge("", 3.0, grid=(np.array([0.25, 0.125]), np.array([0.5, 0.5])), log_potential=0.3)
# pi_i (1 + ln(1 + V_i / 9)) of the four, at V = 1, 3, 2, 5
SQUARES = (4 + log(10 / 9) + log(12 / 9) + log(11 / 9) + log(14 / 9)) / 4
POTENTIAL = log(1 + (log(10 / (4 * LN4)) + 1 / (4 * LN4)) / (2 * e))
WIDE = np.full(4, 400.0)


def prod(information: float, squares: float) -> float:
    """(information + Lambda) / eta + sqrt(4 K + 1) (sqrt(9 + V) - 3), or V / 6 where that is less."""
    slowest = max(6, sqrt((9 + squares) / LN4))
    return (information + POTENTIAL) * slowest + min(squares / 6, sqrt(4 * LN4 + 1) * (sqrt(9 + squares) - 3))


SECOND = [
    case(second.poly_posterior, OWN, sqrt(2 * 4 / 0.25), 2),
    case(second.poly_posterior, replace(OWN, linear=True), sqrt(2 * (2 + 4)), 1.5, against=HALVES),
    case(second.poly_squares, OWN, sqrt(SQUARES * 48), 2),
    case(second.poly_prior, OWN, 3 * sqrt(10 * (1 + log(10)) * 4), 2),
    case(second.prod_posterior, OWN, (LN4 + 0.3) * 4 + 0.7, 2),
    # a = (1, 2) of A = 3: KL((1/3, 2/3) || 1/4)
    case(second.prod_posterior, replace(OWN, linear=True),
         3 * (log(4 / 3) / 3 + 2 * log(8 / 3) / 3 + 0.3) + 0.4, 1.5, against=HALVES),
    case(second.prod_squares, OWN, prod(LN4, 3.0), 2),
    case(second.prod_squares, OWN, prod(LN4, 400.0), 2, {"ledger.squares": WIDE}),
    case(second.prod_prior, OWN, prod(LN4, 81.0), 2),
    case(second.prod_prior, OWN, 0.0, 2, ONE),
    case(second.squint_posterior, GRID, min(4 * (LN4 + log(2) + 0.3) + 0.75, 8 * (LN4 + log(2) + 0.3) + 0.375), 2),
    case(second.squint_posterior, replace(GRID, linear=True), 4 * (2 * log(2) + 0.3) + 0.5, 1.5, against=HALVES),
    case(second.squint_squares, GRID, 4 * (LN4 + log(2)) + 0.75, 2),
    case(second.squint_prior, GRID, 8 * (LN4 + log(2)) + 10.125, 2),
    case(second.squint_prior, replace(GRID, span=2.0), 4 * (LN4 + log(2)) + 9, 2),
]  # fmt: skip

FIRST = replace(EXPERT, loss=3.0)
RIGHT = replace(EXPERT, loss=0.0)


def votes(beta: float, **more: Any) -> es.ExpertFacts:
    return es.ExpertFacts(4, UNIFORM, loss="zero-one", beta=beta, **more)


def stretches(*lengths: int) -> tuple[tuple[ExpertLedger, es.ExpertFacts], ...]:
    """Of exponential weights begun anew, at the rates for 1, 2, 4, ... rounds; each with gaps of 0.3."""
    rates = [sqrt(8 * LN4 / 2**k) / 2 for k in range(len(lengths))]
    return tuple(
        (replace(BOOK, rounds=float(n), gap=0.3, last_rate=rate), hedge(rate=rate))
        for n, rate in zip(lengths, rates, strict=True)
    )


STRETCHES = hedge("", blocks=stretches(1, 2, 4, 2))
STARTS = 2 * LN4 * sum(sqrt(2**k / (8 * LN4)) for k in range(4))  # the sum of ln 4 / rate
DRAWN = votes(0.5, sampled=True, delta=0.05, span=1.0)
MAJORITY = [
    case(majority.weighted_majority, votes(0.5), (LN4 + 3 * log(2)) / log(4 / 3), 7),
    case(majority.weighted_majority, votes(0.0), 2.0, 7, {"comparator.loss": 0.0}),
    case(majority.randomized_majority, votes(0.25), (LN4 + 3 * LN4) / 0.75, 4.5),
    case(majority.randomized_majority, votes(0.0), LN4, 4.5, {"comparator.loss": 0.0}),
    case(majority.randomized_majority_simple, votes(0.75), 4 * LN4 + 3.75, 4.5),
    case(majority.randomized_majority_tuned, votes(1 - sqrt(LN4 / 16), horizon=16), 8 * sqrt(LN4), 2),
    case(majority.randomized_majority_tuned, votes(0.5, horizon=4), 2 * LN4 + 2, 2,
         {"ledger.rounds": 4.0, "comparator.rounds": 4.0, "ledger.spoke": np.full(4, 4.0)}),
    case(majority.vote_mistakes, votes(0.5), 10.0, 7),
    case(majority.sampled_loss, DRAWN, 4.5 + sqrt(4.5 * log(20)), 6, {"ledger.spread": 1.0}),
    case(majority.doubling_posterior, STRETCHES, STARTS + 1.2 + 0.5, 2),
    case(majority.doubling_sharp, STRETCHES, STARTS + sum(
        sqrt(8 * LN4 / 2**k) / 2 / 8 * 4 * n for k, n in enumerate((1, 2, 4, 2))), 2),
    case(majority.doubling_printed, STRETCHES,
         2 * (sqrt(2) * sqrt(4.5 * LN4) - sqrt(LN4 / 2)) / (sqrt(2) - 1), 2),
    case(majority.doubling_posterior, STRETCHES, 0.5, 2, ONE),
    case(majority.doubling_sharp, STRETCHES, 0.0, 2, ONE),
]  # fmt: skip

SHIFTS = ExpertComparator("best_shifting", "2 switches", loss=2.0, faced=5.0, rounds=9.0, switches=2)
STAY = -log(1 - 0.2 * 0.75)
I0, I2 = LN4 + 8 * STAY, LN4 + 2 * log(20) + 6 * STAY  # alpha = 0.2: a switch to one of four has probability 1 / 20
F0, F2 = log(20) + 8 * STAY, 3 * log(20) + 6 * STAY  # every stretch from scratch
SPAN_GAPS = 1 + sqrt(1 + 9 * log(20))
TWO = {"ledger.rounds": 2.0, "comparator.rounds": 2.0}
SHARE = [
    case(experts.share_posterior, hedge(alpha=0.2), 2 * I0 + 1.2 + 0.5, 2),
    case(experts.share_posterior, hedge(alpha=0.2), 2 * I2 + 1.2 + 0.75, 3, against=SHIFTS),
    case(experts.share_posterior, hedge("anytime", alpha=0.2), 2 * F2 + 1.2 + 0.75, 3, against=SHIFTS),
    case(experts.share_posterior, hedge("anytime", alpha=0.2), 2 * F0 + 1.2 + 0.5, 2),
    case(experts.share_posterior, hedge(alpha=0.0), 2 * LN4 + 1.2 + 0.5, 2),
    case(experts.share_prior, hedge(alpha=0.2), 2 * I0 + 2.25, 2),
    case(experts.share_prior, hedge("anytime", alpha=0.2), 3 * F2 / sqrt(LN4) + 3 * sqrt(LN4), 3,
         against=SHIFTS),
    case(experts.share_prior, hedge("self-tuned", alpha=0.2), F2 * SPAN_GAPS / log(20) + SPAN_GAPS, 3,
         against=SHIFTS),
    case(experts.share_posterior, hedge(alpha=0.2), 2 * (LN4 + 2 * log(20)) + 1.95, 3, TWO, SHIFTS),
    case(experts.share_posterior, hedge("anytime", alpha=0.2), 6 * log(20) + 1.95, 3, TWO, SHIFTS),
    case(experts.share_posterior, hedge(alpha=0.2), 0.5, 2, ONE),
    case(experts.share_prior, hedge(alpha=0.2), 0.0, 2, ONE),
]  # fmt: skip

RIDGE = es.ExpertFacts(4, UNIFORM, schedule="", loss="square", ridge=2.0, log_det=1.5, start=np.ones(4))
LINE = replace(HALVES, weights=np.array([2.0, 1.0, 1.0, 0.5]), norm2=6.25)  # 1.25 from the start, squared
LEAST = [
    case(mixable.ridge_posterior, RIDGE, 2.5 + 1.2 + 0.75, 1.5, against=LINE),
    case(mixable.ridge_determinant, RIDGE, 2.5 + 3.375 + 0.75, 1.5, against=LINE),
    case(mixable.ridge_determinant, RIDGE, 6 + 3.375 + 0.75, 2),  # 2 * (1 + 0 + 1 + 1) of a single one
]

# Rotations of 9 rounds move columns of these lengths by 3 (4 + 3) (9 + 1) units of rounding, times (2, 1, 1, 1.5) times
# the lengths and sqrt(9 * 2.25); the root of a |u - u_0|^2 + L(u) is that of 2.5 + 3.5.
SIZES = np.array([3.0, 4.0, 5.0, 6.0])


def turned(sizes: float) -> float:
    return 210 * float_info.epsilon * (24 * sizes + 4.5)


def rounded(missed: float, sizes: float = 1.0) -> es.ExpertFacts:
    return replace(RIDGE, missed=missed, sizes=SIZES * sizes)


LEAST += [
    case(mixable.ridge_posterior, rounded(0.005), 4.455, 1.5, against=LINE),
    case(mixable.ridge_posterior, rounded(0.0, 1e9), 4.45 + turned(1e9) * (2 * sqrt(6) + turned(1e9)), 1.5,
         against=LINE),
    case(mixable.ridge_determinant, rounded(0.005), 6.63, 1.5, against=LINE),
    case(mixable.ridge_determinant, rounded(0.0, 1e9), 6.625 + turned(1e9) * (2 * sqrt(6) + turned(1e9)), 1.5,
         against=LINE),
    # A loss that is not known is at most the square of all these lengths.
    case(mixable.ridge_posterior, rounded(0.0, 1e4),
         4.45 + turned(1e4) * (2 * sqrt(2.5 + 240004.5**2) + turned(1e4)), against=replace(LINE, loss=nan)),
]  # fmt: skip

CASES = [*WEIGHTS, *SECOND, *MAJORITY, *SHARE, *LEAST]
# A share of nothing makes no sequence with switches probable.
ENDLESS = [
    case(experts.share_posterior, hedge(alpha=5e-324), inf, against=SHIFTS),
    case(experts.share_prior, hedge(alpha=5e-324), inf, against=SHIFTS),
]

BREAKS: dict[str, list[Change]] = {
    es.SAME_ROUNDS[0]: [{"comparator.rounds": 8.0}, {"comparator.faced": 5.001}],
    es.MIXES[0]: [{"learner.convex": False, "learner.loss": "absolute"}],
    es.COMBINATION[0]: [
        {"comparator": SHIFTS},
        {"comparator": replace(HALVES, weights=np.array([1.5, -0.5, 0, 0]))},
        {"comparator": replace(HALVES, weights=np.array([0.5, 0.4, 0, 0]))},
    ],
    es.WITHIN_REACH[0]: [{"comparator": HALVES, "learner.linear": False}],
    es.ALWAYS_SPOKE[0]: [{"comparator": HALVES, "learner.linear": True, "ledger.spoke": np.array([9.0, 8, 9, 9])}],
    es.DECLARED[0]: [{"learner.span": None}, {"learner.span": inf}],
    es.IN_SPAN[0]: [{"ledger.spread": 3.0001}],
    es.IN_TIME[0]: [{"learner.delayed": True}],
    es.BEFOREHAND[0]: [{"learner.delayed": True}],
    es.ALL_SPEAK[0]: [{"ledger.absent": 1.0}],
    es.SINGLE[0]: [{"comparator": HALVES}],
    es.UNIFORM[0]: [{"learner.prior": np.array([0.3, 0.2, 0.25, 0.25])}],
    experts.CONSTANT[0]: [{"learner.schedule": "anytime"}],
    experts.COUNTED[0]: [{"learner.schedule": "self-tuned"}],
    experts.SELF_TUNED[0]: [{"learner.schedule": "constant"}],
    experts.LEARNT[0]: [{"learner.schedule": "constant"}, {"learner.span": 2.0}],
    experts.TUNED[0]: [
        {"learner.horizon": None},
        {"ledger.rounds": 17.0},
        {"learner.rate": 0.5},
        {"learner.span": None},
    ],
    second.RATES[0]: [{"learner.rates": None}],
    second.GRID[0]: [{"learner.grid": None}, {"learner.grid": (np.zeros(0), np.zeros(0))}],
    majority.RIGHT_OR_WRONG[0]: [{"learner.loss": "table"}],
    majority.UNIT_LOSSES[0]: [{"ledger.lowest": -0.001}, {"ledger.highest": 1.001}, {"ledger.lowest": 1.1}],
    majority.SOME_SAY[0]: [{"learner.beta": 0.0}, {"learner.beta": 0.0, "comparator.loss": 0.5}],
    majority.FROM_A_HALF[0]: [{"learner.beta": 0.49}],
    majority.TUNED[0]: [{"learner.horizon": None}, {"ledger.rounds": 17.0}, {"learner.beta": 0.6}],
    majority.DRAWS[0]: [{"learner.sampled": False}, {"learner.delta": None}],
    majority.NONE_WITHDRAWN[0]: [{"learner.withdrawn": 1}],
    majority.OWN_LOSSES[0]: [{"learner.linear": True}],
    majority.BLOCKS[0]: [
        {"learner.blocks": ()},
        {"learner.blocks": tuple((book, replace(one, exponential=False)) for book, one in STRETCHES.blocks)},
        {"learner.blocks": tuple((book, replace(one, substitutes=True)) for book, one in STRETCHES.blocks)},
        {"learner.blocks": tuple((book, replace(one, schedule="anytime")) for book, one in STRETCHES.blocks)},
    ],
    majority.DOUBLES[0]: [
        {"learner.blocks": stretches(1, 2, 3, 3)},
        {"learner.blocks": stretches(1, 2, 4, 9)},
        {"learner.blocks": tuple((book, replace(one, rate=0.5)) for book, one in STRETCHES.blocks)},
    ],
    experts.SEQUENCE[0]: [{"comparator": HALVES}],
    experts.IN_ORDER[0]: [{"comparator": SHIFTS, "learner.delayed": True}],
    experts.DEALT[0]: [
        {"comparator": SHIFTS, "learner.alpha": 0.0},
        {"learner.alpha": 0.0, "learner.schedule": "anytime"},
    ],
    mixable.CONSTANT[0]: [{"learner.schedule": "anytime"}],
    mixable.MIXABLE[0]: [{"learner.loss": "table"}, {"learner.rate": 1.01}, {"learner.linear": True}],
    mixable.IN_RANGE[0]: [{"ledger.highest": 2.001}],
    mixable.PROMPT[0]: [{"learner.delayed": True}],
    mixable.BEGINS[0]: [{"learner.start": None}],
    mixable.FIXED[0]: [{"comparator": SHIFTS}],
    mixable.GROWTH_KNOWN[0]: [{"ledger.gap": 0.0}],
}

REGRET = (es.MIXES, es.COMBINATION, es.WITHIN_REACH, es.ALWAYS_SPOKE, es.SAME_ROUNDS)
DECLARED = (es.DECLARED, es.IN_SPAN)
EVERYBODY = (es.IN_TIME, es.ALL_SPEAK, es.SINGLE, es.SAME_ROUNDS)
SHIFTING = (es.MIXES, experts.SEQUENCE, experts.IN_ORDER, experts.DEALT, es.SAME_ROUNDS)
ASSUMES: Assumes = [
    (experts.HEDGE[:5] + experts.ADAHEDGE + majority.DOUBLING, REGRET),
    (second.ML_POLY + second.ML_PROD + second.SQUINT, REGRET),
    ((experts.hedge_prior, experts.hedge_tuned, experts.adahedge_prior), (es.BEFOREHAND, *DECLARED)),
    ((experts.hedge_spreads, experts.hedge_tuned), (experts.CONSTANT,)),
    ((experts.hedge_prior,), (experts.COUNTED,)),
    ((experts.hedge_tuned,), (es.UNIFORM, experts.TUNED)),
    ((experts.hedge_largest_spread,), (experts.LEARNT,)),
    (experts.ADAHEDGE, (experts.SELF_TUNED,)),
    ((mixable.constant_regret,), (mixable.CONSTANT, mixable.MIXABLE, mixable.IN_RANGE, mixable.PROMPT, es.SINGLE,
                                  es.SAME_ROUNDS)),
    (second.ML_POLY + second.ML_PROD, (second.RATES,)),
    (second.SQUINT, (second.GRID,)),
    (second.ML_POLY[1:] + second.ML_PROD[1:] + second.SQUINT[1:], (es.IN_TIME, *DECLARED)),
    ((majority.vote_mistakes,), ()),
    ((majority.weighted_majority,), (majority.RIGHT_OR_WRONG, *EVERYBODY)),
    ((majority.weighted_majority, majority.randomized_majority), (majority.SOME_SAY,)),
    (majority.RANDOMIZED_MAJORITY[:3], (majority.UNIT_LOSSES, *EVERYBODY)),
    ((majority.randomized_majority_simple,), (majority.FROM_A_HALF,)),
    ((majority.randomized_majority_tuned,), (es.UNIFORM, majority.TUNED)),
    ((majority.sampled_loss,), (majority.DRAWS, majority.NONE_WITHDRAWN, majority.OWN_LOSSES, *DECLARED)),
    (majority.DOUBLING, (majority.BLOCKS,)),
    (majority.DOUBLING[1:], (es.BEFOREHAND, *DECLARED)),
    ((majority.doubling_printed,), (majority.DOUBLES, es.UNIFORM)),
    (experts.FIXED_SHARE, SHIFTING),
    ((experts.share_prior,), (es.BEFOREHAND, *DECLARED)),
    (mixable.RIDGE, (mixable.BEGINS, es.ALL_SPEAK, mixable.FIXED, es.SAME_ROUNDS)),
    ((mixable.ridge_posterior,), (mixable.GROWTH_KNOWN,)),
]  # fmt: skip
# Who asks for a rate that is tuned asks for a span, and who asks for outcomes in time has them in order.
BEHIND = {("hedge_tuned", es.DECLARED[0]), ("share_prior", experts.IN_ORDER[0])}

LOG, AGGREGATING = (one for one in WEIGHTS if one.theorem is mixable.constant_regret)
FIRST = {case.theorem: case for case in reversed(CASES)}
MIXED, SIMPLE = FIRST[majority.randomized_majority], FIRST[majority.randomized_majority_simple]
FOR_SIXTEEN, DOUBLED = FIRST[majority.randomized_majority_tuned], FIRST[majority.doubling_printed]
NOT = replace(AGGREGATING, learner=replace(AGGREGATING.learner, substitutes=False, rate=0.125))
HELD: list[tuple[Known, Change]] = [
    (WEIGHTS[0], {"comparator.faced": 5 * (1 + 9e-8)}),
    (WEIGHTS[0], {"ledger.faced": np.array([4.0, 5, 4, 4]), "ledger.loss": 4.0}),
    (WEIGHTS[1], {"ledger.faced": np.full(4, 4.0)}),
    (WEIGHTS[0], {"learner.convex": False}),  # a table's losses are mixed
    (
        WEIGHTS[0],  # a single expert may be silent at times
        {"comparator.weights": np.eye(4)[1], "comparator.rounds": 8.0, "ledger.spoke": np.array([9.0, 8, 9, 9])},
    ),
    (WEIGHTS[1], {"ledger.spoke": np.array([9.0, 9, 8, 9])}),  # who has no weight may be silent
    (WEIGHTS[1], {"comparator.weights": np.array([0.5, 0.5 + 5 * float_info.epsilon, 0, 0])}),
    (WEIGHTS[5], {"ledger.spread": 2 * (1 + 9e-10)}),
    (WEIGHTS[5], {"ledger.spoke": np.array([1.0, 9, 1, 1])}),
    (WEIGHTS[8], {"ledger.rounds": 16.0, "comparator.rounds": 16.0, "ledger.spoke": np.full(4, 16.0)}),
    (WEIGHTS[8], {"learner.rate": TUNED.rate * (1 + 9e-10)}),
    (LOG, {"learner.rate": 1 + 9e-10}),
    (LOG, {"learner.span": None, "ledger.highest": 1e9}),
    (AGGREGATING, {"learner.delayed": True}),
    (AGGREGATING, {"learner.rate": 0.5 * (1 + 9e-10), "ledger.highest": 4 * (1 + 9e-10)}),
    (NOT, {"learner.rate": 0.125 * (1 + 9e-10)}),
    (MIXED, {"ledger.lowest": 1.0}),
    (SIMPLE, {"learner.beta": 0.5}),
    (FOR_SIXTEEN, {"learner.prior": UNIFORM + np.array([1e-13, 0, 0, 0])}),
    (FOR_SIXTEEN, {"ledger.rounds": 16.0, "comparator.rounds": 16.0, "ledger.spoke": np.full(4, 16.0)}),
    (DOUBLED, {"learner.blocks": stretches(1, 2, 4, 8)}),
    (LEAST[0], {"ledger.gap": 1.0}),
    (LEAST[0], {"ledger.gap": -1.0}),
    (LEAST[0], {"ledger.gap": 0.0, "ledger.max_outcome2": 0.0}),
    (SHARE[0], {"learner.delayed": True}),
]
FAILS: list[tuple[Known, Change]] = [
    (WEIGHTS[0], {"comparator.faced": 1e-3, "ledger.faced": np.full(4, 2e-3)}),
    (WEIGHTS[1], {"comparator.weights": np.array([0.5, 0.5 + 6 * float_info.epsilon, 0, 0])}),
    (WEIGHTS[5], {"ledger.spread": 2 * (1 + 1e-7)}),
    (WEIGHTS[8], {"learner.rate": TUNED.rate * (1 + 1e-7)}),
    (FOR_SIXTEEN, {"learner.beta": (1 - sqrt(LN4 / 16)) * (1 + 1e-7)}),
    (
        DOUBLED,
        {"learner.blocks": tuple((b, replace(one, span=None, rate=2 * one.rate)) for b, one in STRETCHES.blocks)},
    ),
    (DOUBLED, {"learner.blocks": tuple((b, replace(one, rate=one.rate * 1.001)) for b, one in STRETCHES.blocks)}),
    (AGGREGATING, {"learner.rate": 0.5001}),
    (AGGREGATING, {"learner.span": None}),
    (AGGREGATING, {"learner.loss": "absolute"}),
    (AGGREGATING, {"learner.linear": True}),
    (AGGREGATING, {"learner.experts": 0}),
    (NOT, {"learner.rate": 0.1251}),
    (LOG, {"learner.delayed": True}),
    (LEAST[0], {"ledger.gap": 0.0, "ledger.max_outcome2": 1.0}),
    (FOR_SIXTEEN, {"learner.prior": UNIFORM + np.array([1e-9, 0, 0, 0])}),
]


@known(CASES)
def test_a_theorem_of_experts_says_the_number_that_is_known(case):
    """Each theorem of learners with experts says the number that its formula gives by hand on a small game."""
    says_its_number(case)


@known(ENDLESS)
def test_a_theorem_of_experts_that_promises_nothing_has_no_number(case):
    """Where the formula is infinite there is no bound, and the certificate does not apply."""
    is_unbounded(case)


def test_the_spreads_say_no_more_than_mirror_descent_with_the_entropy():
    """For the exponentiated gradient the bound by the spreads is at most ln N / eta + eta / 2 times the sum of the
    largest squared slopes, and equal to it where in each round slopes are as large on both sides of 0."""
    random = np.random.default_rng(0)
    for slopes in (random.normal(size=(40, 3)), random.choice([-1.0, 1.0], size=(40, 1)) * [1.0, -1.0, 0.5]):
        learner = EG(eta=0.2, loss=None)
        learner.play(slopes)
        hedge_spreads = {one.theorem.name: one.bound for one in learner.certify(slopes)}["hedge_spreads"]
        corollary = log(3) / 0.2 + 0.1 * float((np.abs(slopes).max(1) ** 2).sum())
        assert hedge_spreads <= corollary * (1 + 1e-12)
        assert (hedge_spreads == pytest.approx(corollary)) == (abs(slopes[0, 0]) == 1)


@known(first_of_each(CASES))
def test_a_theorem_of_experts_refuses_what_it_assumes_not(case):
    """Each assumption, where it alone fails, is what the certificate says, which then has no number."""
    refuses(case, ASSUMES, BREAKS, BEHIND)


@pytest.mark.parametrize(("case", "change"), HELD)
def test_an_assumption_of_experts_holds_up_to_its_edge(case, change):
    """An assumption that holds exactly, or but for rounding, does not keep the theorem from its number."""
    assert case.changed(change).obstacle is None


@pytest.mark.parametrize(("case", "change"), FAILS)
def test_an_assumption_of_experts_fails_beyond_its_edge(case, change):
    """A rate, a prior or a loss that is a little beyond what is assumed gives no number."""
    assert case.obstacle is None
    assert case.changed(change).obstacle is not None


def test_nothing_divided_is_nothing():
    """Nothing to divide is nothing at any rate, an infinite rate leaves nothing, and other amounts are divided."""
    assert (es.divided(0.0, 0.5), es.divided(3.0, inf), es.divided(0.0, inf)) == (0, 0, 0)
    assert (es.divided(1.0, 0.5), es.divided(3.0, 0.5), es.divided(inf, 0.5)) == (2, 6, inf)


def test_how_far_weights_are_from_the_prior():
    """An expert without weight adds nothing, one without prior weight infinitely much."""
    assert es.divergence(np.array([0.5, 0.5, 0, 0]), UNIFORM) == pytest.approx(log(2), rel=1e-15)
    assert es.divergence(np.eye(4)[1], UNIFORM) == pytest.approx(LN4, rel=1e-15)
    assert es.divergence(np.eye(4)[1], np.array([0.5, 0, 0.25, 0.25])) == inf


def test_the_gaps_of_a_span_of_nothing_are_nothing():
    """Charges that are declared to be alike have no gaps, and an unknown spread is that of the run."""
    assert experts.constant_gaps(BOOK, hedge(span=0.0)) == 0
    assert experts.anytime_gaps(BOOK, hedge("anytime", 0.0)) == 0
    assert experts.anytime_inverse(BOOK, hedge("anytime", None)) == pytest.approx(3 / sqrt(LN4), rel=1e-12)
    assert experts.self_tuned_gaps(2.0, 3.0, 8.0) == 4.0  # (3 + sqrt(9 + 16)) / 2


@pytest.mark.parametrize("theorem", [experts.hedge_prior, experts.hedge_tuned, experts.adahedge_prior])
def test_a_span_of_nothing_leaves_no_regret_but_for_the_start(theorem):
    """With charges that are all alike a bound is KL over the rate, or nothing."""
    learner = hedge("self-tuned" if theorem is experts.adahedge_prior else "constant", 0.0, horizon=16)
    start = 2 * LN4 if theorem is experts.hedge_prior else 0.0
    assert theorem.bound(BOOK, EXPERT, learner) == pytest.approx(start, rel=1e-12)
    still = replace(STRETCHES, span=0.0)
    assert majority.doubling_sharp.bound(BOOK, EXPERT, still) == pytest.approx(STARTS, rel=1e-12)
    assert majority.doubling_printed.bound(BOOK, EXPERT, still) == 0.0
    assert majority.sampled_loss.bound(BOOK, EXPERT, replace(DRAWN, span=0.0)) == 4.5


OWN_LOSS = "the learner's own loss"
RANGE = "the declared range of losses in every round"


@pytest.mark.parametrize(
    ("span", "change", "most"),
    [
        (None, {}, (5.0, OWN_LOSS)),
        (2.0, {}, (5.0, OWN_LOSS)),
        (0.5, {}, (4.5, RANGE)),  # nine rounds
        (0.5, {"comparator.rounds": 8.0}, (4.0, RANGE)),
        (2.0, {"ledger.lowest": -0.001}, (18.0, RANGE)),
        (None, {"ledger.lowest": -0.001}, (inf, "")),
    ],
)
def test_the_most_that_a_regret_can_be(span, change, most):
    """It is the learner's own loss where no loss is negative, or the span in every round where that is less."""
    game = case(experts.hedge_posterior, hedge(span=span), nan, changes=change)
    assert game.theorem.limit(game.ledger, game.comparator, game.learner) == most


def test_what_else_can_be_no_larger_than_the_rounds():
    """Losses between 0 and 1 add up to no more than the rounds, mistakes do always; ridge has no span to go by."""
    for theorem in (majority.randomized_majority, majority.sampled_loss):
        for change, most in (({}, 9.0), ({"ledger.lowest": -0.001}, inf), ({"ledger.highest": 1.001}, inf)):
            game = case(theorem, DRAWN, nan, changes=change)
            assert theorem.limit(game.ledger, game.comparator, game.learner).value == most, change
    assert majority.weighted_majority.limit(BOOK, EXPERT, votes(0.5)) == (9.0, "the number of rounds")
    assert mixable.ridge_posterior.limit(BOOK, LINE, replace(RIDGE, span=0.1)) == (5.0, OWN_LOSS)


@pytest.mark.parametrize(
    ("game", "vacuous"),
    [
        (WEIGHTS[0], False),  # 2 ln 4 + 1.7 is 4.47, the learner has lost 5
        (WEIGHTS[5], True),  # 2 ln 4 + 2.25 is 5.02
        (WEIGHTS[5].changed({"ledger.lowest": -0.001}), False),  # against 2 in each of nine rounds
        (WEIGHTS[10], False),
        (WEIGHTS[10].changed({"learner.span": 0.4}), True),  # nine times 0.4 is 3.6
        (SECOND[0], True),  # sqrt(32) is 5.7
        (SHARE[0], True),
        (MAJORITY[0], True),  # 12 of nine rounds
        (MAJORITY[1], False),
        (MAJORITY[2], False),  # 7.4 of nine rounds
        (LEAST[0], False),
    ],
    ids=lambda one: one.theorem.name if isinstance(one, Known) else str(one),
)
def test_a_regret_as_large_as_it_can_be_says_nothing(game, vacuous):
    """A bound is vacuous from the most on that its quantity can be, and says so in its line."""
    certificate = game.theorem.certify(game.ledger, [game.comparator], game.learner)
    assert certificate.vacuous is vacuous
    assert ("no better than" in str(certificate)) is vacuous


def test_the_luck_of_draws_is_that_of_one_number_of_rounds_against_nobody():
    """Its bound names no comparator and holds for a number of rounds fixed beforehand; sure ones say neither."""
    drawn = majority.sampled_loss.certify(BOOK, [EXPERT], replace(DRAWN, span=2.0))
    assert (drawn.comparator, drawn.confidence, drawn.at_once) == (None, 0.95, False)
    assert "for this number of rounds alone" in str(drawn)
    sure = experts.hedge_posterior.certify(BOOK, [EXPERT], hedge())
    assert (sure.comparator, sure.confidence, sure.at_once) == (EXPERT, None, None)


def test_there_is_no_bound_where_rounding_drowns_it():
    """Rounding may add a thousandth of the bound and the loss, 9.45 of them here, and no more."""
    for missed, applies in ((0.0094499, True), (0.0094501, False), (inf, False)):
        certificate = mixable.ridge_posterior.certify(BOOK, [LINE], rounded(missed))
        assert certificate.applies is applies
        assert applies or certificate.bound is None
    endless = case(mixable.ridge_posterior, rounded(0.0), nan, against=LINE).changed(
        {"ledger.loss": inf, "comparator.faced": inf}
    )
    assert endless.obstacle is None
    assert not endless.theorem.certify(endless.ledger, [endless.comparator], endless.learner).applies


# Units of epsilon that nine rounds and four experts may be off. Sums of losses of 5 and 3: 11 * 8. Weights are off by
# 32, that is 4 (4 + 4), times 9 * 1 for losses up to 1; 1.5 is the largest outcome, and 2 the largest spread.
SUMS, MIX = 11 * 8, 32 * 9
UNITS: list[tuple[str, Change, float]] = [
    ("table", {}, SUMS + MIX),
    ("absolute", {}, SUMS + 2.5 * MIX),
    ("pinball", {}, SUMS + 6.5 * MIX),  # a distance of 5 costs 1 at a slope of 0.2
    ("percentage", {}, SUMS + 2 * MIX),
    ("log", {}, SUMS + 3 * MIX),
    ("log", {"ledger.sensitivity": 1e9}, SUMS + 3 * MIX + 32e9),
    ("wealth", {}, SUMS + 3 * MIX),
    ("log", {"ledger.spread": inf}, SUMS + MIX),
    ("square", {}, SUMS + 2 * 80 * sqrt(9 * 8)),  # forecasts up to 2.5 are off by 32 * 2.5
    ("table", {"ledger.lowest": -2.0}, 11 * 36 + 2 * MIX),  # 18 each at most
    ("table", {"ledger.loss": -5.0, "ledger.lowest": -0.5}, 11 * 18 + MIX),
    ("table", {"ledger.rounds": 0.0}, 0.0),
]


@pytest.mark.parametrize(("loss", "change", "units"), UNITS)
def test_what_rounding_may_do_to_a_regret(loss, change, units):
    """The allowance of a combiner's regret is that of nine rounds and four experts, in units of epsilon."""
    book = case(experts.hedge_posterior, hedge(), nan, changes=change).ledger
    assert rounding.of_regret(book, loss, 0.2, 3.0) == pytest.approx(units * float_info.epsilon, rel=1e-9, abs=0)


def test_a_regret_may_exceed_its_bound_by_what_rounding_may_do():
    """A regret of 4.5 is within a bound of 4.47 only if forecasts may be that far off; the bound is printed with it."""
    game = WEIGHTS[0].changed({"comparator.loss": 0.5})
    for off, holds in ((0.03, True), (0.01, False), (0.0, False)):
        against = replace(game.comparator, off=off)
        certificates = game.theorem.certify(game.ledger, [against], game.learner)
        assert (certificates.observed, certificates.holds, certificates.violated) == (4.5, holds, not holds)
        allowed = 2 * LN4 + 1.7 + (off + 1e-9 * 4.5 + 1e-12 * 5.5 if holds else 0.0)
        assert certificates.shown_bound == pytest.approx(allowed, rel=1e-13)
