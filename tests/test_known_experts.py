"""Games on which the theorems of learners with experts must say numbers that are known by hand."""

from __future__ import annotations

from dataclasses import replace
from math import e, inf, log, nan, sqrt
from typing import Any

import numpy as np
import pytest

from regretless.comparator import ExpertComparator
from regretless.ledger import ExpertLedger
from regretless.theory import expert_standing as es
from regretless.theory import experts, fixed_share, gaps, majority, mixable
from regretless.theory import second_order as second

from .known import Assumes, Change, Known, first_of_each, known, refuses, says_its_number

# Nine rounds, four experts; the second one has lost 3 of the learner's 5, late outcomes cost it 0.5.
LN4 = log(4)
BOOK = ExpertLedger(
    rounds=9.0, loss=5.0, expected=4.5, charge=4.4, delay=0.75, gap=1.2, drag=2.0, sampled=6.0, first_rate=1.0,
    last_rate=0.5, spread=2.0, spread2=16.0, lowest=0.0, highest=1.0, absent=0.0, mistakes=7.0, max_outcome2=2.25,
    losses=np.array([4.0, 3.0, 6.0, 5.0]), regrets=np.array([1.0, 2.0, -1.0, 0.0]),
    delays=np.array([0.1, 0.5, 0.2, 0.3]), faced=np.full(4, 5.0), spoke=np.full(4, 9.0),
    squares=np.array([1.0, 3.0, 2.0, 5.0]), drags=np.array([0.1, 0.7, 0.2, 0.4]),
)  # fmt: skip
EXPERT = ExpertComparator("expert", "2", loss=3.0, faced=5.0, rounds=9.0, expert=1, divergence=LN4)
HALVES = ExpertComparator(
    "best_convex", "half", loss=3.5, faced=5.0, rounds=9.0, weights=np.array([0.5, 0.5, 0, 0]), divergence=log(2)
)
UNIFORM = np.full(4, 0.25)


def hedge(schedule="constant", span: float | None = 2.0, **more: Any) -> es.ExpertStanding:
    rate = more.pop("rate", 0.5 if schedule == "constant" else nan)
    return es.ExpertStanding(4, UNIFORM, schedule=schedule, rate=rate, span=span, **more)


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
    case(experts.hedge_prior, hedge(), 2 * LN4 + 2.25 + 0.5, 2),  # 0.5 / 8 * 4 * 9
    case(experts.hedge_prior, hedge("anytime"), FALLS + 0.5, 2),
    case(experts.hedge_prior, hedge("anytime", linear=True), 3 * log(2) / sqrt(LN4) + 3 * sqrt(LN4) + 0.3,
         against=HALVES),
    case(experts.hedge_tuned, TUNED, 2 * sqrt(8 * LN4) + 0.5, 2),
    case(experts.hedge_largest_spread, hedge("anytime", None), FALLS + 2 + 0.5, 2),
    case(experts.adahedge_posterior, hedge("self-tuned"), 2.4 + 0.5, 2),
    case(experts.adahedge_posterior, hedge("self-tuned", linear=True), 1.5 * 1.2 + 0.3, against=HALVES),
    case(experts.adahedge_spreads, hedge("self-tuned"), 2 + sqrt(4 + 16 * LN4) + 0.5, 2),
    case(experts.adahedge_prior, hedge("self-tuned"), 2 * (1 + sqrt(1 + 9 * LN4)) + 0.5, 2),
    case(experts.adahedge_prior, hedge("self-tuned", linear=True), 1.5 * (1 + sqrt(1 + 9 * LN4)) + 0.3, against=HALVES),
    case(mixable.constant_regret, hedge(rate=1.0, loss="log"), LN4 + 0.5, 2),
    case(mixable.constant_regret, hedge(rule="aggregating", span=4.0, loss="square"), 2 * LN4 + 0.5, 2),
    *(
        case(theorem, hedge(schedule, span, rate=rate, horizon=16), 0.5, 2, ONE)
        for theorem, schedule, span, rate in (
            (experts.hedge_posterior, "constant", 2.0, 1.0),
            (experts.hedge_spreads, "constant", 2.0, 1.0),
            (experts.hedge_prior, "constant", 2.0, 1.0),
            (experts.hedge_prior, "anytime", 2.0, nan),
            (experts.hedge_tuned, "constant", 2.0, 0.0),
            (experts.hedge_largest_spread, "anytime", None, nan),
            (experts.adahedge_posterior, "self-tuned", None, nan),
            (experts.adahedge_spreads, "self-tuned", None, nan),
            (experts.adahedge_prior, "self-tuned", 2.0, nan),
        )
    ),
    case(experts.hedge_prior, hedge(span=3.0), 2 * LN4 + 81 / 16 + 0.5, 2),
    case(experts.adahedge_prior, hedge("self-tuned", 3.0), 3 * (1 + sqrt(1 + 9 * LN4)) + 0.5, 2),
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


def votes(beta: float, **more: Any) -> es.ExpertStanding:
    return es.ExpertStanding(4, UNIFORM, rule="majority", loss="zero-one", beta=beta, **more)


def stretches(*lengths: int) -> tuple[tuple[ExpertLedger, es.ExpertStanding], ...]:
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
    case(majority.weighted_majority, votes(0.0), inf, 7),
    case(majority.randomized_majority, votes(0.25), (LN4 + 3 * LN4) / 0.75, 4.5),
    case(majority.randomized_majority, votes(0.0), LN4, 4.5, {"comparator.loss": 0.0}),
    case(majority.randomized_majority, votes(0.0), inf, 4.5),
    case(majority.randomized_majority, votes(0.0), inf, 4.5, {"comparator.loss": 0.5}),
    case(majority.weighted_majority, votes(0.0), inf, 7, {"comparator.loss": 0.5}),
    case(majority.randomized_majority_simple, votes(0.75), 4 * LN4 + 3.75, 4.5),
    case(majority.randomized_majority_tuned, votes(1 - sqrt(LN4 / 16), horizon=16), 8 * sqrt(LN4), 2),
    case(majority.randomized_majority_tuned, votes(0.5, horizon=4), 2 * LN4 + 2, 2,
         {"ledger.rounds": 4.0, "comparator.rounds": 4.0, "ledger.spoke": np.full(4, 4.0)}),
    case(majority.sampled_loss, DRAWN, 4.5 + sqrt(4.5 * log(20)), 6, {"ledger.spread": 1.0}),
    case(majority.doubling_posterior, STRETCHES, STARTS + 1.2 + 0.5, 2),
    case(majority.doubling_sharp, STRETCHES, STARTS + 0.5 + sum(
        sqrt(8 * LN4 / 2**k) / 2 / 8 * 4 * n for k, n in enumerate((1, 2, 4, 2))), 2),
    case(majority.doubling_printed, STRETCHES,
         0.5 + 2 * (sqrt(2) * sqrt(4.5 * LN4) - sqrt(LN4 / 2)) / (sqrt(2) - 1), 2),
    case(majority.doubling_posterior, STRETCHES, 0.5, 2, ONE),
    case(majority.doubling_sharp, STRETCHES, 0.5, 2, ONE),
]  # fmt: skip

SHIFTS = ExpertComparator("best_shifting", "2 switches", loss=2.0, faced=5.0, rounds=9.0, switches=2)
STAY = -log(1 - 0.2 * 0.75)
I0, I2 = LN4 + 8 * STAY, LN4 + 2 * log(20) + 6 * STAY  # alpha = 0.2: a switch to one of four has probability 1 / 20
F0, F2 = log(20) + 8 * STAY, 3 * log(20) + 6 * STAY  # every stretch from scratch
SPAN_GAPS = 1 + sqrt(1 + 9 * log(20))
TWO = {"ledger.rounds": 2.0, "comparator.rounds": 2.0}
SHARE = [
    case(fixed_share.share_posterior, hedge(alpha=0.2), 2 * I0 + 1.2 + 0.5, 2),
    case(fixed_share.share_posterior, hedge(alpha=0.2), 2 * I2 + 1.2 + 0.75, 3, against=SHIFTS),
    case(fixed_share.share_posterior, hedge("anytime", alpha=0.2), 2 * F2 + 1.2 + 0.75, 3, against=SHIFTS),
    case(fixed_share.share_posterior, hedge("anytime", alpha=0.2), 2 * F0 + 1.2 + 0.5, 2),
    case(fixed_share.share_posterior, hedge(alpha=0.0), 2 * LN4 + 1.2 + 0.5, 2),
    case(fixed_share.share_posterior, hedge(alpha=0.0), inf, 3, against=SHIFTS),
    case(fixed_share.share_prior, hedge(alpha=0.2), 2 * I0 + 2.25 + 0.5, 2),
    case(fixed_share.share_prior, hedge("anytime", alpha=0.2), 3 * F2 / sqrt(LN4) + 3 * sqrt(LN4) + 0.75, 3,
         against=SHIFTS),
    case(fixed_share.share_prior, hedge("self-tuned", alpha=0.2), F2 * SPAN_GAPS / log(20) + SPAN_GAPS + 0.75, 3,
         against=SHIFTS),
    case(fixed_share.share_posterior, hedge(alpha=0.2), 2 * (LN4 + 2 * log(20)) + 1.95, 3, TWO, SHIFTS),
    case(fixed_share.share_posterior, hedge("anytime", alpha=0.2), 6 * log(20) + 1.95, 3, TWO, SHIFTS),
    case(fixed_share.share_posterior, hedge(alpha=0.2), 0.5, 2, ONE),
    case(fixed_share.share_prior, hedge(alpha=0.2), 0.5, 2, ONE),
]  # fmt: skip

RIDGE = es.ExpertStanding(
    4, UNIFORM, rule="ridge", schedule="", loss="square", ridge=2.0, log_det=1.5, start=np.ones(4)
)
LINE = replace(HALVES, weights=np.array([2.0, 1.0, 1.0, 0.5]), norm2=6.25)  # 1.25 from the start, squared
LEAST = [
    case(mixable.ridge_posterior, RIDGE, 2.5 + 1.2 + 0.75, 1.5, against=LINE),
    case(mixable.ridge_determinant, RIDGE, 2.5 + 3.375 + 0.75, 1.5, against=LINE),
    case(mixable.ridge_determinant, RIDGE, 6 + 3.375 + 0.75, 2),  # 2 * (1 + 0 + 1 + 1) of a single one
]

CASES = [*WEIGHTS, *SECOND, *MAJORITY, *SHARE, *LEAST]

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
    es.NOBODY_SILENT[0]: [{"ledger.absent": 1.0}],
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
    majority.FROM_A_HALF[0]: [{"learner.beta": 0.49}],
    majority.TUNED[0]: [{"learner.horizon": None}, {"ledger.rounds": 17.0}, {"learner.beta": 0.6}],
    majority.DRAWS[0]: [{"learner.sampled": False}, {"learner.delta": None}],
    majority.OWN_LOSSES[0]: [{"learner.linear": True}],
    majority.BLOCKS[0]: [
        {"learner.blocks": ()},
        {"learner.blocks": tuple((book, replace(one, rule="eg")) for book, one in STRETCHES.blocks)},
        {"learner.blocks": tuple((book, replace(one, schedule="anytime")) for book, one in STRETCHES.blocks)},
    ],
    majority.DOUBLES[0]: [
        {"learner.blocks": stretches(1, 2, 3, 3)},
        {"learner.blocks": stretches(1, 2, 4, 9)},
        {"learner.blocks": tuple((book, replace(one, rate=0.5)) for book, one in STRETCHES.blocks)},
    ],
    fixed_share.SEQUENCE[0]: [{"comparator": HALVES}],
    fixed_share.IN_ORDER[0]: [{"comparator": SHIFTS, "learner.delayed": True}],
    mixable.CONSTANT[0]: [{"learner.schedule": "anytime"}],
    mixable.MIXABLE[0]: [{"learner.loss": "table"}, {"learner.rate": 1.01}, {"learner.linear": True}],
    mixable.IN_RANGE[0]: [{"ledger.highest": 2.001}],
    mixable.PROMPT[0]: [{"learner.delayed": True}],
    mixable.BEGINS[0]: [{"learner.start": None}],
    mixable.FIXED[0]: [{"comparator": SHIFTS}],
    mixable.GROWTH_KEPT[0]: [{"ledger.gap": 0.0}],
}

REGRET = (es.MIXES, es.COMBINATION, es.WITHIN_REACH, es.ALWAYS_SPOKE, es.SAME_ROUNDS)
DECLARED = (es.DECLARED, es.IN_SPAN)
EVERYBODY = (es.IN_TIME, es.NOBODY_SILENT, es.SINGLE, es.SAME_ROUNDS)
SHIFTING = (es.MIXES, fixed_share.SEQUENCE, fixed_share.IN_ORDER, es.SAME_ROUNDS)
ASSUMES: Assumes = [
    (experts.HEDGE[:5] + experts.ADAHEDGE + majority.DOUBLING, REGRET),
    (second.ML_POLY + second.ML_PROD + second.SQUINT, REGRET),
    ((experts.hedge_prior, experts.hedge_tuned, experts.adahedge_prior), DECLARED),
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
    ((majority.weighted_majority,), (majority.RIGHT_OR_WRONG, *EVERYBODY)),
    (majority.RANDOMIZED_MAJORITY[:3], (majority.UNIT_LOSSES, *EVERYBODY)),
    ((majority.randomized_majority_simple,), (majority.FROM_A_HALF,)),
    ((majority.randomized_majority_tuned,), (es.UNIFORM, majority.TUNED)),
    ((majority.sampled_loss,), (majority.DRAWS, majority.OWN_LOSSES, *DECLARED)),
    (majority.DOUBLING, (majority.BLOCKS,)),
    (majority.DOUBLING[1:], DECLARED),
    ((majority.doubling_printed,), (majority.DOUBLES, es.UNIFORM)),
    (fixed_share.FIXED_SHARE, SHIFTING),
    ((fixed_share.share_prior,), DECLARED),
    (mixable.RIDGE, (mixable.BEGINS, es.NOBODY_SILENT, mixable.FIXED, es.SAME_ROUNDS)),
    ((mixable.ridge_posterior,), (mixable.GROWTH_KEPT,)),
]  # fmt: skip
# Who asks for a rate that is tuned asks for a span.
BEHIND = {("hedge_tuned", es.DECLARED[0])}

LOG, AGGREGATING = WEIGHTS[15], WEIGHTS[16]
FIRST = {case.theorem: case for case in reversed(CASES)}
MIXED, SIMPLE = FIRST[majority.randomized_majority], FIRST[majority.randomized_majority_simple]
FOR_SIXTEEN, DOUBLED = FIRST[majority.randomized_majority_tuned], FIRST[majority.doubling_printed]
NOT = replace(AGGREGATING, learner=replace(AGGREGATING.learner, rule="hedge", rate=0.125))
HELD: list[tuple[Known, Change]] = [
    (WEIGHTS[0], {"comparator.faced": 5 * (1 + 9e-8)}),
    (WEIGHTS[0], {"ledger.faced": np.array([4.0, 5, 4, 4]), "ledger.loss": 4.0}),
    (WEIGHTS[1], {"ledger.faced": np.full(4, 4.0)}),
    (WEIGHTS[0], {"learner.convex": False}),  # a table's losses are mixed
    (WEIGHTS[1], {"ledger.spoke": np.array([9.0, 9, 8, 9])}),  # who has no weight may be silent
    (WEIGHTS[1], {"comparator.weights": np.array([0.5, 0.5 + 9e-10, 0, 0])}),
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
    (WEIGHTS[1], {"comparator.weights": np.array([0.5, 0.5 + 1e-7, 0, 0])}),
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


def test_the_gaps_of_a_span_of_nothing_are_nothing():
    """Charges that are declared to be alike have no gaps, and an unknown spread is that of the run."""
    assert gaps.constant_gaps(BOOK, hedge(span=0.0)) == 0
    assert gaps.anytime_gaps(BOOK, hedge("anytime", 0.0)) == 0
    assert gaps.anytime_inverse(BOOK, hedge("anytime", None)) == pytest.approx(3 / sqrt(LN4), rel=1e-12)
    assert gaps.self_tuned_gaps(2.0, 3.0, 8.0) == 4.0  # (3 + sqrt(9 + 16)) / 2


@pytest.mark.parametrize("theorem", [experts.hedge_prior, experts.hedge_tuned, experts.adahedge_prior])
def test_a_span_of_nothing_leaves_no_regret_but_for_the_start(theorem):
    """With charges that are all alike a bound is KL over the rate and the cost of delay, or that cost alone."""
    learner = hedge("self-tuned" if theorem is experts.adahedge_prior else "constant", 0.0, horizon=16)
    start = 2 * LN4 if theorem is experts.hedge_prior else 0.0
    assert theorem.bound(BOOK, EXPERT, learner) == pytest.approx(start + 0.5, rel=1e-12)
    still = replace(STRETCHES, span=0.0)
    assert majority.doubling_sharp.bound(BOOK, EXPERT, still) == pytest.approx(STARTS + 0.5, rel=1e-12)
    assert majority.doubling_printed.bound(BOOK, EXPERT, still) == 0.5
    assert majority.sampled_loss.bound(BOOK, EXPERT, replace(DRAWN, span=0.0)) == 4.5
