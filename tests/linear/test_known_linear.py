"""Games on which the theorems of linear learners must say numbers that are known by hand."""

from __future__ import annotations

from dataclasses import replace
from math import atanh, cosh, exp, inf, log, nan, sqrt
from sys import float_info

import pytest

from regretless.certificate import joint_confidence, together
from regretless.comparator import Comparator
from regretless.ledger import Ledger
from regretless.theory import (
    facts,
    gradient,
    margin_perceptron,
    mirror,
    perceptron,
    rounding,
)
from regretless.theory import online_to_batch as future
from regretless.theory import second_order_perceptron as second

from ..known import Assumes, Change, Known, first_of_each, is_unbounded, known, refuses, says_its_number

# Twelve rounds: three rows, four times. r = 3, |v| = 2, H = 3.25, |L| = 0.9, margin 0.4; |w| = 5 at steps of 1/2.
BOOK = Ledger(
    rounds=12, updates=5, mistakes=4, loss=2.5, slope2=6.5, step2=1.75, max_norm2=9, update_norm2=30,
    total_norm2=40, reach2=16, first_rate=0.5, last_rate=0.25,
)  # fmt: skip
V = Comparator(
    "v", norm=2.0, hinge=3.25, squared_hinge=0.81, loss=1.5, least=0.8, rounds=12, max_norm2=9, total_norm2=40
)
OWN = {"comparator.own": 2.5}
LEARNER = facts.LinearFacts(norm=5.0, rate=0.5, passes=4)


def case(theorem, learner, bound, observed=None, changes: Change | None = None) -> Known:
    return Known(theorem, BOOK, V, learner, bound, observed).changed(changes or {})


def root2(a2: float, hinge: float) -> float:
    """The square of the larger root of M = H + a sqrt(M), multiplied out."""
    return (2 * a2 + 4 * hinge + 2 * sqrt(a2 * a2 + 4 * a2 * hinge)) / 4


NOVIKOFF = 56.25  # (3 / 0.4)^2
LENGTHS = 3.25 + 2 * sqrt(30)
SQUARED_LENGTHS = 0.405 + 2 * sqrt(30) + 0.9 * sqrt(0.2025 + 2 * sqrt(30))  # s^2 = 0.9 s + 2 sqrt(30), solved for s^2
NEARLY_57 = {"comparator.least": 6 / sqrt(57) * (1 + 1e-13)}  # (r / rho)^2 is 57, but for rounding
STARTED = perceptron.StartFacts(norm=5.0, rate=0.5, passes=4, start=1.5, moved=4.0)
ALONG = {"comparator.product": 0.5}
KERNEL = perceptron.KernelFacts(norm=5.0, rate=0.5, removed=1.5, removals=0.0)

BOUNDS = (NOVIKOFF, 42.25, 47.61, 42.5, LENGTHS, SQUARED_LENGTHS, 23.25)

PERCEPTRON = [
    case(perceptron.separable, LEARNER, NOVIKOFF, 5),
    case(perceptron.sharp, LEARNER, 42.25, 5),  # ((6 + 7) / 2)^2
    case(perceptron.squared_hinge, LEARNER, 47.61, 5),  # (6 + 0.9)^2
    case(perceptron.total_distance, LEARNER, 42.5, 5),  # 36 + 6.5
    case(perceptron.lengths, LEARNER, LENGTHS, 5),
    case(perceptron.squared_lengths, LEARNER, SQUARED_LENGTHS, 5),
    case(perceptron.posterior, LEARNER, 23.25, 5),  # 3.25 + 2 * 5 / 0.5
    case(perceptron.clean_pass, LEARNER, 57 * 3, 12),
    case(perceptron.clean_pass, LEARNER, 58 * 3, 12, NEARLY_57),
    case(perceptron.sharp, LEARNER, 3.25, 5, {"comparator.norm": 0.0, "ledger.max_norm2": 0.0}),
    *(case(theorem, KERNEL, bound, 5) for theorem, bound in zip(perceptron.UNFORGETTING, BOUNDS, strict=True)),
    # h = 3.25 - 0.5 / 0.5, a = 6, b = 2 * 1.5 / 0.5: h + 18 + sqrt(36 h + 324 + 36)
    case(perceptron.sharp_from_start, STARTED, 20.25 + 21, 5, ALONG),
    case(perceptron.posterior_from_start, STARTED, 19.25, 5, ALONG),  # 3.25 + 2 * 4 / 0.5
    case(perceptron.budget, KERNEL, 16.25, 5),  # 3.25 + 2 * (5 + 1.5)
    case(perceptron.classes_separable, LEARNER, 112.5, 5),
    case(perceptron.classes_sharp, LEARNER, root2(72, 3.25), 5),
    case(perceptron.classes_posterior, LEARNER, 23.25, 5),
    case(perceptron.classes_clean_pass, LEARNER, 113 * 3, 12),
]

PNORM = mirror.PNormFacts(norm=5.0, rate=0.5, passes=4, p=3.0, reach=1.5)
DUAL = {"comparator.own": 2.5, "comparator.product": 7.0}
WINNOW = mirror.WinnowFacts(norm=5.0, rate=0.5, passes=4, reach=1.5, weights=10)
TUNED = mirror.WinnowFacts(norm=5.0, rate=atanh(0.3) / 2, reach=1.5, weights=10, gamma=0.6, radius=2.0)
SHORT = {"comparator.own": 1.25, "comparator.product": 7.0, "comparator.divergence": 1.1}
LOG_COSH = log((exp(0.75) + exp(-0.75)) / 2)  # at eta r

MIRROR = [
    case(mirror.p_norm_separable, PNORM, 43.9453125, 5, DUAL),  # 2 * (1.5 * 2.5 / 0.8)^2
    case(mirror.p_norm_sharp, PNORM, root2(28.125, 3.25), 5, DUAL),
    case(mirror.p_norm_posterior, PNORM, 17.25, 5, DUAL),
    case(mirror.p_norm_clean_pass, PNORM, 44 * 3, 12, DUAL),
    case(mirror.winnow_separable, WINNOW, 1.1 / (0.32 - LOG_COSH), 5, SHORT),
    case(mirror.winnow_tuned, TUNED, 2 * log(10) / (1.3 * log(1.3) + 0.7 * log(0.7)), 5, SHORT),
    case(mirror.winnow_hinge, WINNOW, (1.1 + 0.4 * 3.25) / (0.4 - LOG_COSH), 5, SHORT),  # eta rho = 0.4
    case(mirror.winnow_textbook, WINNOW, (log(10) + 1.3) / (0.4 - 0.28125), 5, SHORT),
    case(mirror.winnow_posterior, WINNOW, 17.25, 5, SHORT),
    case(mirror.winnow_clean_pass, WINNOW, 18 * 3, 12, SHORT),  # 1.1 / 0.0622 = 17.7
]


def aggressive(variant: str, limit: float = 0.25) -> gradient.AggressiveFacts:
    return gradient.AggressiveFacts(norm=5.0, rate=1.0, limit=limit, variant=variant)


ALIKE = {"ledger.total_norm2": 108.0, "comparator.total_norm2": 108.0}
SHORTER = {"ledger.total_norm2": 105.0, "comparator.total_norm2": 105.0}  # one row may have 6 in place of 9
AGGRESSIVE = [
    case(gradient.aggressive_separable, aggressive("PA"), NOVIKOFF, 6.5),
    case(gradient.aggressive_mistakes, aggressive("PA"), NOVIKOFF, 4),
    case(gradient.aggressive_agnostic, aggressive("PA"), 37.62 + 1.8 * sqrt(36.81), 6.5, ALIKE),
    case(gradient.aggressive_agnostic, aggressive("PA"), 38.43 + 2 * sqrt(1.215 * 37.215), 6.5, SHORTER),
    case(gradient.limited_mistakes, aggressive("PA-I"), 50.625, 4),  # 9 * (4 + 0.5 * 3.25)
    case(gradient.limited_mistakes, aggressive("PA-I", 0.05), 86.5, 4),  # 20 * (4 + 0.1 * 3.25)
    case(gradient.limited_posterior, aggressive("PA-I"), 97.3125, 4),  # 9 * (0.25 * 3.25 + 10)
    case(gradient.limited_posterior, aggressive("PA-I", 0.05), 203.25, 4),
    case(gradient.damped_losses, aggressive("PA-II"), 48.455, 6.5),  # 11 * (4 + 0.5 * 0.81)
    case(gradient.damped_mistakes, aggressive("PA-II"), 48.455, 4),
]

MATRIX = second.SecondOrderFacts(norm=5.0, rate=0.5, energy=1.44, volume=2.25, full=True)
SECOND = [
    case(second.second_order_data, MATRIX, 7.0, 5, OWN),  # 3.25 + 2.5 * 1.5
    case(second.second_order_posterior, MATRIX, 6.25, 5, OWN),
    case(second.arow_mistakes, MATRIX, 2.25 + 2.5 * sqrt(3.25), 4, OWN),
    case(second.arow_posterior, MATRIX, 5.25, 4, OWN),
]


def largest(hinge: float, norm: float, r2: float, theta: float) -> int:
    """The largest M <= H + |v| g_M, the recursion followed as it is written; all M up to it satisfy that."""
    g, m = sqrt(r2), 1
    while m <= hinge + norm * g:
        m, g = m + 1, sqrt(g * g + 2 * theta * g + r2)
    return m - 1


MARGIN = margin_perceptron.MarginFacts(norm=5.0, rate=0.5, passes=4, threshold=0.3, quiet=3, rows=3)
MARGINS = [
    case(margin_perceptron.margin_recursion, MARGIN, largest(0, 2.5, 9, 0.3), 5),
    case(margin_perceptron.margin_closed, MARGIN, 1860, 5),  # 2 * 30^2 + 2 * 30
    case(margin_perceptron.margin_hinge, MARGIN, largest(3.25, 2, 9, 0.3), 5),
    case(margin_perceptron.margin_hinge, MARGIN, 3, 5, {"comparator.norm": 0.0}),
    case(margin_perceptron.margin_attained, MARGIN, 1.0, 0.75, {"comparator.own": 0.6}),  # theta |v|, of 0.8
    case(margin_perceptron.margin_attained, MARGIN, 1.0, 1.0, {"comparator.own": 0.8}),
    case(margin_perceptron.margin_clean_pass, MARGIN, 3 * (largest(0, 2.5, 9, 0.3) + 1), 12),
]


def descent(schedule: str, loss: str, radius: float) -> facts.LinearFacts:
    return facts.LinearFacts(norm=5.0, rate=0.5, schedule=schedule, loss=loss, radius=radius)


HINGE = descent("constant", "hinge", inf)
DESCENT = [
    case(gradient.posterior_regret, HINGE, 40.875, 1),  # 4 + 36 / 2 * (4 - 2) + 1.75 / 2
    case(gradient.posterior_regret, HINGE, 4.875, 1, {"ledger.last_rate": 1.0}),
    case(gradient.posterior_regret, HINGE, 0.0, 1, {"ledger.first_rate": 0.0, "ledger.step2": 0.0}),
    case(gradient.prior_regret, HINGE, 31, 1),  # 4 + 1/4 * 9 * 12
    case(gradient.prior_regret, descent("inverse-sqrt", "logistic", 2.5), 24.75 * sqrt(12), 1),  # 4.5^2 + 9 / 2
    case(gradient.prior_regret, descent("self-tuned", "hinge", 2.5), 62.25 * sqrt(12), 1),  # (4.5^2 + 1/2) * 3
    case(gradient.prior_regret, descent("constant", "negative-part", inf), 31, 1),
    case(gradient.prior_regret, descent("constant", "square", 2.5), 7807, 1),  # G = 2 * (1 + 7.5) * 3 = 51
    case(gradient.mistakes_from_regret, HINGE, 42.375, 4),
    case(gradient.mistakes_from_regret, descent("constant", "logistic", inf), 42.375 / log(2), 4),
]

DECLARED = future.Declared(delta=0.05, width=2.0, regret=3.0)


def certain(losses: float, rounds: float, delta: float) -> float:
    """The p at which the mean of the supermartingales is 1 / delta, by halving."""
    low, high = 0.0, 1.0
    for _ in range(100):
        p = (low + high) / 2
        rates = [2.0**k for k in range(-6, 6)]
        mean = sum(exp(-rate * losses) / (1 - p * (1 - exp(-rate))) ** rounds for rate in rates) / 12
        low, high = (p, high) if mean < 1 / delta else (low, p)
    return high


SURVIVAL = future.Survival(mistakes=5, updates=3, survived=50, needed=50, epsilon=0.1, classes=2)
OUT = future.LeftOut(rows=12, errors=3, support=5, residual=2)
LAZY = future.Lazy(lazy=True, clean=True, additive=True)
RISK = [
    case(future.average_risk, DECLARED, certain(4, 12, 0.05), 1 / 3),
    case(future.average_risk, DECLARED, 1.0, 1, {"ledger.rounds": 1.0, "ledger.mistakes": 1.0}),
    case(future.voted_risk, DECLARED, 1.0, 2 / 3),
    case(future.voted_risk, DECLARED, 1.0, 1, {"ledger.mistakes": 7.0}),
    case(future.voted_risk, DECLARED, 2 * certain(4, 100, 0.05), 0.08, {"ledger.rounds": 100.0}),
    case(future.mean_risk, DECLARED, 2.5 / 12 + 2 * sqrt(log(20) / 24), 2.5 / 12),
    case(future.mean_small_loss, DECLARED, 2 * certain(1.25, 12, 0.05), 2.5 / 12),
    case(future.mean_excess, DECLARED, 0.25 + 4 * sqrt(log(40) / 24), None),
    Known(future.longest_survivor, SURVIVAL, None, DECLARED, 0.1),
    Known(future.longest_survivor, SURVIVAL, None, DECLARED, 0.2).changed({"ledger.epsilon": 0.2}),
    Known(future.support_rows, OUT, V, LAZY, 7, 3),
    Known(future.support_by_margin, OUT, V, LAZY, NOVIKOFF, 3),
    Known(future.risk_by_support, OUT, V, LAZY, 7 / 12, 1 / 4),
    Known(future.risk_by_margin, OUT, V, LAZY, NOVIKOFF / 12, 1 / 4),
]

CASES = [*PERCEPTRON, *MIRROR, *AGGRESSIVE, *SECOND, *MARGINS, *DESCENT, *RISK]
# At |v| = 1 / theta each update allows another one.
ENDLESS = [
    case(margin_perceptron.margin_hinge, MARGIN, inf, changes={"comparator.norm": norm}) for norm in (1 / 0.3, 4.0)
]

BREAKS: dict[str, list[Change]] = {
    facts.SAME_ROUNDS[0]: [{"comparator.rounds": 11.0}, {"comparator.total_norm2": 40.1}],
    facts.MEASURED[0]: [
        {"ledger.max_norm2": 9.9e-291},
        {"ledger.max_norm2": inf},
        {"ledger.max_norm2": 0.0},
        {"ledger.first_rate": 1e-147},
        {"ledger.last_rate": 1e-294},
    ],
    facts.UNIT_WEIGHTS[0]: [{"ledger.weighted": 1.0}],
    facts.STEADY[0]: [{"learner.steady": False}],
    facts.SEPARATES[0]: [{"comparator.least": 0.0}, {"comparator.norm": 0.0}],
    facts.UNTIL_CLEAN[0]: [{"learner.passes": 0}, {"learner.passes": 7}, {"learner.passes": nan}],
    perceptron.NOTHING_REMOVED[0]: [{"learner.removals": 1.0}, {"learner.removals": 2.0}],
    perceptron.CLASSES_SEPARATE[0]: [{"comparator.least": 0.0}, {"comparator.norm": 0.0}],
    mirror.ALLOWED[0]: [{"comparator.own": inf}],
    mirror.FINITE[0]: [{"comparator.product": nan}, {"comparator.product": inf}],
    mirror.RATE: [{"comparator.own": 3.0}, {"learner.rate": 3.0}],
    mirror.winnow_tuned.assumes[-4][0]: [{"learner.rate": 0.16}, {"learner.gamma": 0.0}],
    mirror.winnow_tuned.assumes[-3][0]: [{"learner.reach": 2.01}],
    mirror.winnow_tuned.assumes[-1][0]: [{"comparator.own": 1.4}],  # 0.8 / 1.4 < 0.6
    gradient.PLAIN[0]: [{"learner.variant": "PA-I"}, {"learner.variant": ""}],
    gradient.LIMITED[0]: [{"learner.variant": "PA-II"}, {"learner.variant": "PA"}],
    gradient.DAMPED[0]: [{"learner.variant": "PA"}, {"learner.variant": "PA-I"}],
    gradient.ONE_LENGTH[0]: [{"ledger.total_norm2": 103.5 - 1e-9, "comparator.total_norm2": 103.5}],  # 4.5 is half of 9
    second.FULL[0]: [{"learner.full": False}],
    second.WEIGHED[0]: [{"learner.volume": 9.9e-291}, {"learner.volume": 0.0}],
    margin_perceptron.WIDE[0]: [{"learner.threshold": 0.4}],
    margin_perceptron.CLEAN[0]: [{"learner.quiet": 2}],
    gradient.INSIDE[0]: [{"learner.radius": 1.999999}],
    perceptron.STARTED[-1][0]: [{"comparator.product": nan}],
    gradient.KNOWS_LOSS[0]: [{"comparator.loss": None}],
    gradient.COSTS[0]: [{"learner.loss": "negative-part"}],
    gradient.BOUNDED[0]: [
        {"learner.schedule": "scale-free", "learner.radius": 2.5},
        {"learner.loss": "square"},
        {"learner.schedule": "self-tuned"},
        {"learner.schedule": "of no theorem", "learner.radius": 2.5},
    ],
    future.PLAYED[0]: [{"ledger.rounds": 0.0}],
    future.BEFORE[0]: [{"learner.before": False}],
    future.BOUNDED[0]: [{"learner.width": inf}],
    future.REGRETFUL[0]: [{"learner.regret": inf}],
    future.longest_survivor.assumes[0][0]: [
        {"ledger.survived": 49},
        {"ledger.survived": 49, "ledger.updates": 5},  # what all M updates leave must survive too
        {"ledger.survived": 0, "ledger.updates": 5},
    ],
    future.longest_survivor.assumes[1][0]: [{"ledger.classes": 1}],
    future.LAZY[0]: [{"learner.lazy": False}],
    future.CLEAN[0]: [{"learner.clean": False}],
    future.ADDITIVE[0]: [{"learner.additive": False}],
    future.SEPARATES[0]: [{"comparator.least": 0.0}, {"comparator.norm": 0.0}, {"comparator": None}],
    future.SAME_ROWS[0]: [{"ledger.rows": 13}],
}

ROUNDS = (facts.SAME_ROUNDS, facts.MEASURED, facts.UNIT_WEIGHTS, facts.STEADY)
CLEAN, SEPARATES, SEPARABLE = facts.UNTIL_CLEAN, facts.SEPARATES, (*ROUNDS, facts.SEPARATES)
SLOW, NEAR, QUADRATIC = ((mirror.RATE, check) for check in (mirror._slow, mirror._near, mirror._quadratic))
MADE_FOR = mirror.winnow_tuned.assumes
LEFT_OUT = (future.LAZY, future.CLEAN, future.ADDITIVE, future.SEPARATES,
            future.SAME_ROWS)  # fmt: skip
ASSUMES: Assumes = [
    ((perceptron.separable,), SEPARABLE),
    ((perceptron.sharp, perceptron.squared_hinge, perceptron.total_distance, perceptron.lengths,
      perceptron.squared_lengths, perceptron.posterior), ROUNDS),
    ((perceptron.budget,), ROUNDS),
    (perceptron.FROM_START, perceptron.STARTED),
    ((perceptron.clean_pass,), (*SEPARABLE, CLEAN)),
    (perceptron.UNFORGETTING, (*ROUNDS, perceptron.NOTHING_REMOVED)),
    (perceptron.UNFORGETTING[:1], (SEPARATES,)),
    ((perceptron.classes_sharp, perceptron.classes_posterior), ROUNDS),
    ((perceptron.classes_separable, perceptron.classes_clean_pass), (*ROUNDS, perceptron.CLASSES_SEPARATE)),
    ((perceptron.classes_clean_pass, mirror.p_norm_clean_pass, mirror.winnow_clean_pass), (CLEAN,)),
    ((mirror.p_norm_separable, mirror.p_norm_clean_pass), SEPARABLE),
    ((mirror.p_norm_sharp,), ROUNDS),
    ((mirror.p_norm_posterior, mirror.winnow_posterior), (*ROUNDS, mirror.FINITE)),
    ((mirror.winnow_separable, mirror.winnow_clean_pass), (*SEPARABLE, mirror.ALLOWED, SLOW)),
    ((mirror.winnow_tuned,), (*SEPARABLE, mirror.ALLOWED, MADE_FOR[-4], MADE_FOR[-3], MADE_FOR[-1])),
    ((mirror.winnow_hinge,), (*ROUNDS, mirror.ALLOWED, NEAR)),
    ((mirror.winnow_textbook,), (*ROUNDS, mirror.ALLOWED, QUADRATIC)),
    ((gradient.aggressive_separable, gradient.aggressive_mistakes), (*SEPARABLE, gradient.PLAIN)),
    ((gradient.aggressive_agnostic,), (*ROUNDS, gradient.PLAIN, gradient.ONE_LENGTH)),
    ((gradient.limited_mistakes, gradient.limited_posterior), (*ROUNDS, gradient.LIMITED)),
    ((gradient.damped_losses, gradient.damped_mistakes), (*ROUNDS, gradient.DAMPED)),
    ((second.second_order_data, second.second_order_posterior, second.arow_posterior), (*ROUNDS, second.WEIGHED)),
    ((second.arow_mistakes,), (*ROUNDS, second.WEIGHED, second.FULL)),
    ((margin_perceptron.margin_recursion, margin_perceptron.margin_closed), (*SEPARABLE, margin_perceptron.WIDE)),
    ((margin_perceptron.margin_hinge,), ROUNDS),
    ((margin_perceptron.margin_attained,), (*ROUNDS, margin_perceptron.CLEAN)),
    ((margin_perceptron.margin_clean_pass,), (*SEPARABLE, margin_perceptron.WIDE, CLEAN)),
    ((gradient.posterior_regret, gradient.prior_regret, gradient.mistakes_from_regret),
     (*ROUNDS, gradient.KNOWS_LOSS, gradient.INSIDE)),
    ((gradient.mistakes_from_regret,), (gradient.COSTS,)),
    ((gradient.prior_regret,), (gradient.BOUNDED,)),
    ((future.average_risk, future.voted_risk), (future.PLAYED,)),
    ((future.mean_risk, future.mean_small_loss, future.mean_excess), (future.PLAYED, future.BEFORE, future.BOUNDED)),
    ((future.mean_excess,), (future.REGRETFUL,)),
    ((future.longest_survivor,), future.longest_survivor.assumes[:2]),
    ((future.support_rows, future.risk_by_support), (future.LAZY,)),
    ((future.support_by_margin, future.risk_by_margin), LEFT_OUT),
]  # fmt: skip

# At the edge of an assumption it still holds.
HELD: list[tuple[Known, Change]] = [
    (PERCEPTRON[0], {"comparator.total_norm2": 40 * (1 + 9e-8)}),
    (PERCEPTRON[0], {"ledger.max_norm2": 1e-290}),
    (PERCEPTRON[0], {"comparator.least": 1e-300}),
    (PERCEPTRON[0], {"ledger.first_rate": 1e-145}),
    (PERCEPTRON[1], {"comparator.norm": 0.0, "ledger.max_norm2": 0.0}),
    (PERCEPTRON[1], {f"{of}.{name}": 0.0 for of in ("ledger", "comparator") for name in ("rounds", "total_norm2")}
     | {"ledger.max_norm2": 0.0}),
    (PERCEPTRON[5], {"learner.passes": 6}),
    (PERCEPTRON[5], {"learner.passes": 1}),
    (MIRROR[5], {"learner.reach": 2.0}),
    (MIRROR[5], {"comparator.own": 0.8 / 0.6 * (1 + 1e-13)}),
    (MIRROR[5], {"learner.rate": atanh(0.3) / 2 * (1 + 1e-13)}),
    (AGGRESSIVE[2], {"ledger.total_norm2": 103.6, "comparator.total_norm2": 103.6}),
    (MARGINS[0], {"learner.threshold": 0.399}),
    (DESCENT[3], {"learner.radius": 2 * (1 - 1e-13)}),
    (DESCENT[3], {"learner.radius": 2.0, "comparator.norm": 2.0 * (1 + 1e-12)}),
    (DESCENT[4], {"learner.radius": 2.0}),
    (RISK[8], {"ledger.survived": 50, "ledger.updates": 5}),
]  # fmt: skip


@known(CASES)
def test_a_linear_theorem_says_the_number_that_is_known(case):
    """Each theorem of linear learners says the number that its formula gives by hand on a small game."""
    says_its_number(case)


@known(ENDLESS)
def test_a_linear_theorem_that_promises_nothing_has_no_number(case):
    """Where the formula is infinite there is no bound, and the certificate does not apply."""
    is_unbounded(case)


@known(first_of_each(CASES))
def test_a_linear_theorem_refuses_what_it_assumes_not(case):
    """Each assumption, where it alone fails, is what the certificate says, which then has no number."""
    refuses(case, ASSUMES, BREAKS)


@pytest.mark.parametrize(("case", "change"), HELD)
def test_a_linear_assumption_holds_up_to_its_edge(case, change):
    """An assumption that holds exactly, or but for rounding, does not keep the theorem from its number."""
    assert case.changed(change).obstacle is None


def test_what_rounding_may_do_to_sums():
    """The allowances for rounding are those of 12 rounds, 5 updates and 11 features, in units of epsilon."""
    wide = replace(LEARNER, width=11.0)
    hinge, product = 14 * 3.25 + 15 * 2 * sqrt(12 * 40), (5 + 11 + 4) * 2 * sqrt(5 * 30)
    assert rounding.of_hinge(V, wide) == pytest.approx(float_info.epsilon * hinge, rel=1e-12, abs=0)
    assert rounding.of_product(BOOK, V, wide) == pytest.approx(float_info.epsilon * product, rel=1e-12, abs=0)
    assert rounding.of_posterior(BOOK, V, wide) == pytest.approx(
        float_info.epsilon * (hinge + product), rel=1e-12, abs=0
    )


def test_rounding_is_added_to_what_it_may_have_made_smaller():
    """Against a vector of length 1e12 the bounds that need it are larger by their allowances, and by no more."""
    far = replace(V, norm=1e12, hinge=0.0)
    unit = float_info.epsilon * 1e12 * (4 * sqrt(480) + 9 * sqrt(150))  # of a width of 0
    still = replace(LEARNER, norm=0.0)
    assert perceptron.posterior.bound(BOOK, far, still) == pytest.approx(unit, rel=1e-9)
    assert perceptron.classes_posterior.bound(BOOK, far, still) == pytest.approx(2 * unit, rel=1e-9)
    dual = replace(far, product=0.0, own=1e12)
    assert mirror.p_norm_posterior.bound(BOOK, dual, PNORM) == pytest.approx(unit, rel=1e-9)
    assert mirror.winnow_posterior.bound(BOOK, dual, WINNOW) == pytest.approx(unit, rel=1e-9)
    assert gradient.limited_posterior.bound(BOOK, far, replace(aggressive("PA-I"), norm=0.0)) == pytest.approx(
        9 * 0.25 * unit, rel=1e-9
    )
    flat = second.SecondOrderFacts(norm=0.0, rate=0.5, energy=1.0, volume=1.0, full=True)
    stretched = 1e12 + 9 * float_info.epsilon * 1e12 + unit
    assert second.second_order_posterior.bound(BOOK, replace(far, own=1e12), flat) - stretched == pytest.approx(
        0, abs=1e-3
    )


@pytest.mark.parametrize(("x", "value"), [(0.0, 0.0), (0.5, log(cosh(0.5))), (-2.0, log(cosh(2))), (800, 800 - log(2))])
def test_the_logarithm_of_cosh(x, value):
    """ln cosh is even, and right where cosh is no float."""
    assert mirror.log_cosh(x) == pytest.approx(value, rel=1e-13, abs=0)


def test_what_a_margin_of_all_costs():
    """At a margin as large as the radius the tuned rate halves: (1 + s) ln(1 + s) + (1 - s) ln(1 - s) is 2 ln 2."""
    assert mirror.binary(1.0) == pytest.approx(2 * log(2), rel=1e-15)
    assert mirror.binary(0.0) == 0


def test_a_long_recursion_is_followed_within_one_part_in_sixteen_thousand():
    """Where the recursion is passed in strides its bound is at least the exact one, and hardly above it."""
    exact = largest(0, 1 / 0.3904, 1.0, 0.39)
    limit = margin_perceptron.most_updates(0.0, 1 / 0.3904, 1.0, 0.39)
    assert 1 << 14 < exact <= limit <= exact * (1 + 1 / 16000) + 1
    free = margin_perceptron.most_updates(0.0, 2e5, 1.0, 0.0)  # M <= 2e5 sqrt(M)
    assert 4e10 <= free <= 4e10 * (1 + 1 / 8000)


def test_the_best_of_the_grid_is_what_its_formula_says():
    """(rate L + ln(12 / delta)) / T as an exponent, at the best of twelve rates, and never more than 1."""
    expected = min((1 - exp(-(2.0**k * 4 + log(240)) / 100)) / (1 - exp(-(2.0**k))) for k in range(-6, 6))
    assert future.small_loss_grid(4, 100, 0.05) == pytest.approx(expected, rel=1e-12)
    assert future.small_loss_grid(5, 5, 0.05) == 1.0
    assert future.small_loss_grid(0, 0, 0.05) == 1.0


def test_how_many_rounds_a_hypothesis_must_survive():
    """ln(5 / 0.05) / 0.1 is 46.05, so that it must survive 47 rounds."""
    assert future.survivals(5, 0.1, 0.05) == 47


def test_a_rate_of_nothing_is_too_large_for_every_margin():
    """At a rate of 0 Winnow learns nothing, and no bound of it has a number."""
    for case in (MIRROR[4], MIRROR[6]):
        assert case.changed({"learner.rate": 0.0}).obstacle == mirror.RATE


def test_a_margin_below_the_one_asked_for_is_a_violation():
    """A clean pass that leaves a row nearer than theta |v| breaks the theorem; a row on the wrong side does so too."""
    request = {"comparator.own": 0.6}
    for least, observed in ((0.75, 0.8), (0.6, 1.0), (0.5, 1.2), (0.0, inf), (-0.1, inf)):
        game = case(margin_perceptron.margin_attained, MARGIN, 1.0, observed, request | {"comparator.least": least})
        certificate = game.theorem.certify(game.ledger, [game.comparator], game.learner)
        assert certificate.observed == pytest.approx(observed, rel=1e-12)
        assert certificate.violated is (least < 0.6)


def test_a_vector_that_loses_nothing_is_regretted_by_no_more_than_the_own_loss():
    """A bound on the regret of gradient descent says nothing from the learner's own loss on, 2.5 here."""
    game = DESCENT[1]  # 4.875
    for lost, vacuous in ((2.5, True), (4.875, True), (4.876, False)):
        one = game.changed({"ledger.loss": lost})
        assert one.theorem.limit(one.ledger, one.comparator, one.learner) == (lost, "the learner's own loss")
        assert one.theorem.certify(one.ledger, [one.comparator], one.learner).vacuous is vacuous
    assert gradient.mistakes_from_regret.limit(BOOK, V, HINGE) == (12.0, "the number of rounds")
    assert perceptron.sharp.certify(BOOK, [replace(V, played=43.0)], LEARNER).vacuous is False  # 42.25
    assert perceptron.sharp.certify(BOOK, [replace(V, played=42.0)], LEARNER).vacuous is True


AT_ONCE = {"mean_risk": False, "mean_excess": False}


@known([one for one in first_of_each(CASES) if one.theorem.kind == "probable"])
def test_after_which_numbers_of_rounds_a_risk_is_bounded(case):
    """Bounds from Hoeffding's inequality are for a number of rounds fixed beforehand, those from Ville's for all."""
    certificates = case.theorem.certify(case.ledger, [case.comparator], case.learner)
    assert (certificates.confidence, certificates.at_once) == (0.95, AT_ONCE.get(case.theorem.name, True))


def test_lines_that_rest_on_one_event_fail_together():
    """Two bounds of small losses hold together with 95%, with a third one of another event with 90%."""
    vote, average, mean = (
        one.certify(BOOK, [V], DECLARED) for one in (future.voted_risk, future.average_risk, future.mean_risk)
    )
    sure = perceptron.sharp.certify(BOOK, [V], LEARNER)
    assert joint_confidence([vote, average, sure]) == pytest.approx(0.95, rel=1e-12)
    assert joint_confidence([vote, average, mean]) == pytest.approx(0.9, rel=1e-12)
    assert joint_confidence([mean, replace(mean, confidence=0.8)]) == pytest.approx(0.75, rel=1e-12)
    assert joint_confidence([mean] * 21) == 0.0
    assert (joint_confidence([vote, sure]), together([vote, sure])) == (None, None)
    assert "all 2 such lines hold together with at least 95% (one event)" in (together([vote, average]) or "")
    assert "all 3 such lines hold together with at least 90% (union bound)" in (together([vote, average, mean]) or "")
