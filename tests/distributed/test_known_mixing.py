"""Games on which the theorems of mixing must say numbers that are known: those of one learner, of the weighted sums."""

from __future__ import annotations

from dataclasses import replace
from math import inf, log, sqrt
from sys import float_info

import pytest

from regretless.ledger import Ledger
from regretless.theory import facts, gradient, mirror, mixing, mixing_mirror, mixing_regret, perceptron
from regretless.theory import mixing_facts as ms
from regretless.theory.mixing_facts import MixedLedger

from ..known import Assumes, Change, Known, first_of_each, known, refuses, says_its_number
from ..linear import test_known_linear as linear

# Four shards of the rounds of the linear games, weighted: sums over all of them are four times as large.
PLAIN = Ledger(
    rounds=48, updates=20, mistakes=16, loss=10, slope2=26, step2=7, max_norm2=9, update_norm2=120, total_norm2=160,
    reach2=16, first_rate=0.5, last_rate=0.25,
)  # fmt: skip
BOOK = MixedLedger(
    mixed=linear.BOOK, plain=PLAIN, shards=4, together=4, epochs=3, mixings=3, busy=2, path=30.0, opening=1.5,
    slowing=0.5, closing=0.25,
)  # fmt: skip


def of(player, weighting="updates", least=0.25, targets=1) -> ms.MixedFacts:
    return ms.MixedFacts(player=player, weighting=weighting, together=4, least=least, targets=targets)


def case(theorem, learner, bound, observed=None, changes: Change | None = None) -> Known:
    return Known(theorem, BOOK, linear.V, learner, bound, observed).changed(changes or {})


MANY, ALIKE, BY_ROWS = of(linear.LEARNER), of(linear.LEARNER, "uniform"), of(linear.LEARNER, "rows", 0.1)
TARGETS = of(linear.LEARNER, targets=3)
NOVIKOFF = linear.NOVIKOFF

PERCEPTRON = [
    case(mixing.mixed_separable, MANY, NOVIKOFF, 5),
    case(mixing.mixed_sharp, MANY, 42.25, 5),
    case(mixing.mixed_squared_hinge, MANY, 47.61, 5),
    case(mixing.mixed_total_distance, MANY, 42.5, 5),
    case(mixing.mixed_lengths, MANY, 3.25 + 2 * sqrt(30), 5),
    case(mixing.mixed_posterior, MANY, 23.25, 5),
    case(mixing.all_separable, MANY, 225, 20),
    case(mixing.all_separable, ALIKE, 225, 20),
    case(mixing.all_separable, BY_ROWS, 562.5, 20),
    case(mixing.all_sharp, MANY, 169, 20),
    case(mixing.all_sharp, BY_ROWS, 422.5, 20),
    case(mixing.epochs_until_clean, MANY, NOVIKOFF, 2),
    case(mixing.epochs_until_clean, ALIKE, 225, 2),
    case(mixing.epochs_until_clean, BY_ROWS, 562.5, 2),
    case(mixing.mixed_classes_separable, MANY, 112.5, 5),
    case(mixing.mixed_classes_sharp, MANY, linear.root2(72, 3.25), 5),
    case(mixing.mixed_classes_posterior, MANY, 23.25, 5),
    case(mixing.all_classes_sharp, BY_ROWS, 10 * linear.root2(72, 3.25), 20),
    case(mixing.classes_epochs_until_clean, TARGETS, 112.5, 2),
    case(mixing.classes_epochs_until_clean, ALIKE, 450, 2),
]

PNORM, WINNOW = of(linear.PNORM), of(linear.WINNOW)
HINGE_BOUND = (1.1 + 0.4 * 3.25) / (0.4 - linear.LOG_COSH)
MIRROR = [
    case(mixing_mirror.mixed_p_norm_separable, PNORM, 43.9453125, 5, linear.DUAL),
    case(mixing_mirror.mixed_p_norm_sharp, PNORM, linear.root2(28.125, 3.25), 5, linear.DUAL),
    case(mixing_mirror.mixed_p_norm_posterior, PNORM, 17.25, 5, linear.DUAL),
    case(mixing_mirror.all_p_norm_sharp, PNORM, 4 * linear.root2(28.125, 3.25), 20, linear.DUAL),
    case(mixing_mirror.p_norm_epochs_until_clean, of(linear.PNORM, "rows", 0.1), 439.453125, 2, linear.DUAL),
    case(mixing_mirror.mixed_winnow_separable, WINNOW, 1.1 / (0.32 - linear.LOG_COSH), 5, linear.SHORT),
    case(mixing_mirror.mixed_winnow_tuned, of(linear.TUNED), linear.MIRROR[5].bound, 5, linear.SHORT),
    case(mixing_mirror.mixed_winnow_hinge, WINNOW, HINGE_BOUND, 5, linear.SHORT),
    case(mixing_mirror.mixed_winnow_textbook, WINNOW, (log(10) + 1.3) / (0.4 - 0.28125), 5, linear.SHORT),
    case(mixing_mirror.mixed_winnow_posterior, WINNOW, 17.25, 5, linear.SHORT),
    case(mixing_mirror.all_winnow_hinge, WINNOW, 4 * HINGE_BOUND, 20, linear.SHORT),
    case(mixing_mirror.winnow_epochs_until_clean, of(linear.WINNOW, "uniform"), 4.4 / (0.32 - linear.LOG_COSH), 2,
         linear.SHORT),
]  # fmt: skip

HINGE = of(linear.HINGE)
ONE_LENGTH = {
    "ledger.mixed.total_norm2": 108.0,
    "comparator.total_norm2": 108.0,
    "ledger.plain.total_norm2": 432.0,
}
SHORTER = ONE_LENGTH | {"ledger.plain.total_norm2": 429.0}
REGRET = [
    case(mixing_regret.mixed_posterior_regret, HINGE, 12.875, 1),  # 4 * 1.5 / 2 + 36 * 0.5 / 2 + 1.75 / 2
    case(mixing_regret.mixed_prior_regret, HINGE, 31, 1),
    case(mixing_regret.mixed_prior_regret, of(linear.descent("inverse-sqrt", "logistic", 2.5)), 24.75 * sqrt(30), 1),
    case(mixing_regret.mixed_prior_regret, of(linear.descent("self-tuned", "hinge", 2.5)), 62.25 * sqrt(30), 1),
    case(mixing_regret.mixed_mistakes_from_regret, HINGE, 14.375, 4),
    case(mixing_regret.mixed_mistakes_from_regret, of(linear.descent("constant", "logistic", inf)), 14.375 / log(2), 4),
    case(mixing_regret.mixed_aggressive_separable, of(linear.aggressive("PA")), NOVIKOFF, 6.5),
    case(mixing_regret.mixed_aggressive_mistakes, of(linear.aggressive("PA")), NOVIKOFF, 4),
    case(mixing_regret.mixed_aggressive_agnostic, of(linear.aggressive("PA")), 37.62 + 1.8 * sqrt(36.81), 6.5,
         ONE_LENGTH),
    case(mixing_regret.mixed_aggressive_agnostic, of(linear.aggressive("PA")), 38.43 + 2 * sqrt(1.215 * 37.215), 6.5,
         SHORTER),
    case(mixing_regret.mixed_limited_mistakes, of(linear.aggressive("PA-I")), 50.625, 4),
    case(mixing_regret.mixed_limited_posterior, of(linear.aggressive("PA-I")), 97.3125, 4),
    case(mixing_regret.mixed_limited_posterior, of(linear.aggressive("PA-I", 0.05)), 203.25, 4),
    case(mixing_regret.mixed_damped_losses, of(linear.aggressive("PA-II")), 48.455, 6.5),
    case(mixing_regret.mixed_damped_mistakes, of(linear.aggressive("PA-II")), 48.455, 4),
]  # fmt: skip

CASES = [*PERCEPTRON, *MIRROR, *REGRET]


def lifted(change: Change) -> Change:
    """The same of the weighted sums and of the learner whose weights are mixed."""
    places = {"ledger.": "ledger.mixed.", "learner.": "learner.player.", "comparator.": "comparator."}
    return {
        new + name[len(old) :]: v for name, v in change.items() for old, new in places.items() if name.startswith(old)
    }


BREAKS: dict[str, list[Change]] = {
    **{words: [lifted(change) for change in changes] for words, changes in linear.BREAKS.items()},
    facts.SAME_ROUNDS[0]: [{"comparator.rounds": 12 * (1 + 1e-8)}, {"comparator.total_norm2": 40.1}],
    gradient.ONE_LENGTH[0]: [{"ledger.plain.total_norm2": 427.5 - 1e-9}],
    ms.ALONE[0]: [{"learner.targets": 2}],
}
ROUNDS, SEPARABLE = linear.ROUNDS, linear.SEPARABLE
BY_MARGIN = (mixing.mixed_separable, mixing.all_separable, mixing.epochs_until_clean)
WINNOW_BY_MARGIN = (mixing_mirror.mixed_winnow_separable, mixing_mirror.winnow_epochs_until_clean)
ASSUMES: Assumes = [
    (BY_MARGIN, SEPARABLE),
    ((mixing.epochs_until_clean, mixing_mirror.p_norm_epochs_until_clean, mixing_mirror.winnow_epochs_until_clean),
     (ms.ALONE,)),
    ((mixing.mixed_sharp, mixing.mixed_squared_hinge, mixing.mixed_total_distance, mixing.mixed_lengths,
      mixing.mixed_posterior, mixing.all_sharp, mixing.mixed_classes_sharp, mixing.mixed_classes_posterior,
      mixing.all_classes_sharp), ROUNDS),
    ((mixing.mixed_classes_separable, mixing.classes_epochs_until_clean), (*ROUNDS, perceptron.CLASSES_SEPARATE)),
    ((mixing_mirror.mixed_p_norm_separable, mixing_mirror.p_norm_epochs_until_clean), SEPARABLE),
    ((mixing_mirror.mixed_p_norm_sharp, mixing_mirror.all_p_norm_sharp), ROUNDS),
    ((mixing_mirror.mixed_p_norm_posterior, mixing_mirror.mixed_winnow_posterior), (*ROUNDS, mirror.FINITE)),
    (WINNOW_BY_MARGIN, (*SEPARABLE, mirror.ALLOWED, linear.SLOW)),
    ((mixing_mirror.mixed_winnow_tuned,),
     (*SEPARABLE, mirror.ALLOWED, linear.MADE_FOR[-4], linear.MADE_FOR[-3], linear.MADE_FOR[-1])),
    ((mixing_mirror.mixed_winnow_hinge, mixing_mirror.all_winnow_hinge, mixing_mirror.mixed_winnow_textbook),
     (*ROUNDS, mirror.ALLOWED, linear.NEAR)),
    ((mixing_regret.mixed_posterior_regret, mixing_regret.mixed_prior_regret, mixing_regret.mixed_mistakes_from_regret),
     (*ROUNDS, gradient.KNOWS_LOSS, gradient.INSIDE)),
    ((mixing_regret.mixed_prior_regret,), (gradient.BOUNDED,)),
    ((mixing_regret.mixed_mistakes_from_regret,), (gradient.COSTS,)),
    ((mixing_regret.mixed_aggressive_separable, mixing_regret.mixed_aggressive_mistakes), (*SEPARABLE, gradient.PLAIN)),
    ((mixing_regret.mixed_aggressive_agnostic,), (*ROUNDS, gradient.PLAIN, gradient.ONE_LENGTH)),
    ((mixing_regret.mixed_limited_mistakes, mixing_regret.mixed_limited_posterior), (*ROUNDS, gradient.LIMITED)),
    ((mixing_regret.mixed_damped_losses, mixing_regret.mixed_damped_mistakes), (*ROUNDS, gradient.DAMPED)),
]  # fmt: skip
HELD: list[tuple[Known, Change]] = [
    (PERCEPTRON[0], {"comparator.rounds": 12 * (1 + 9e-10)}),
    (PERCEPTRON[0], {"comparator.total_norm2": 40 * (1 + 9e-8)}),
    (PERCEPTRON[0], {"learner.targets": 2}),
    (REGRET[8], {"ledger.plain.total_norm2": 427.6}),
]


@known(CASES)
def test_a_theorem_of_mixing_says_the_number_that_is_known(case):
    """Each theorem of mixing says the number that its formula gives by hand for four shards."""
    says_its_number(case)


@known(first_of_each(CASES))
def test_a_theorem_of_mixing_refuses_what_it_assumes_not(case):
    """Each assumption of one learner, where it fails of the weighted sums, is what the certificate says."""
    refuses(case, ASSUMES, BREAKS)


@pytest.mark.parametrize(("case", "change"), HELD)
def test_an_assumption_of_mixing_holds_up_to_its_edge(case, change):
    """An assumption that holds but for rounding does not keep the theorem from its number."""
    assert case.changed(change).obstacle is None


@pytest.mark.parametrize("name", ["rounds", "total_norm2"])
def test_small_sums_are_distinguished(name):
    """Rounds that weigh next to nothing in all are distinguished from others that weigh twice as much."""
    other = PERCEPTRON[1].changed({f"ledger.mixed.{name}": 1e-3, f"comparator.{name}": 2e-3})
    assert other.obstacle == facts.SAME_ROUNDS[0]
    assert (
        linear.PERCEPTRON[1].changed({"ledger.total_norm2": 1e-3, "comparator.total_norm2": 2e-3}).obstacle
        == facts.SAME_ROUNDS[0]
    )


def test_a_weighted_count_is_vacuous_from_the_weighted_rounds_on():
    """A bound on weighted updates says nothing from the weighted rounds on; one on epochs always says something."""
    certificate = PERCEPTRON[0].theorem.certify(BOOK, [linear.V], MANY)
    assert certificate.vacuous  # 56.25 of 12
    assert not replace(certificate, bound=11.9).vacuous
    assert replace(certificate, bound=12.0).vacuous
    epochs = PERCEPTRON[11].theorem.certify(BOOK, [linear.V], MANY)
    assert not replace(epochs, bound=1e300).vacuous


def test_what_rounding_may_do_to_weighted_sums():
    """The allowances for rounding are those of 48 rounds, 4 shards, 3 mixings and 11 features, in units of epsilon."""
    learner = of(replace(linear.LEARNER, width=11.0))
    hinge = 54 * 3.25 + 15 * 2 * sqrt(12 * 40)
    assert ms.of_mixed_hinge(BOOK, linear.V, learner) == pytest.approx(float_info.epsilon * hinge, rel=1e-12, abs=0)
    product = (20 + 11 + 4 + 3 * 2 * 7) * 2 * sqrt(20 * 120)
    values = ms.of_mixed_posterior(BOOK, linear.V, learner)
    assert values == pytest.approx(float_info.epsilon * (hinge + product), rel=1e-12, abs=0)
    five = ms.of_mixed_posterior(replace(BOOK, together=5), linear.V, learner)
    assert five - values == pytest.approx(
        float_info.epsilon * 3 * (3 * 8 - 2 * 7) * 2 * sqrt(20 * 120), rel=1e-9, abs=0
    )


def test_rounding_is_added_to_what_mixing_may_have_made_smaller():
    """Against a vector of length 1e12 the mixed bounds that need it are larger by their allowances, and by no more."""
    far = replace(linear.V, norm=1e12, hinge=0.0, product=0.0)
    hinge = float_info.epsilon * 4e12 * sqrt(480)
    unit = hinge + float_info.epsilon * (20 + 4 + 3 * 2 * 7) * 1e12 * sqrt(2400)
    still = of(replace(linear.LEARNER, norm=0.0))
    assert mixing.mixed_posterior.bound(BOOK, far, still) == pytest.approx(unit, rel=1e-9)
    assert mixing.mixed_classes_posterior.bound(BOOK, far, still) == pytest.approx(2 * unit, rel=1e-9)
    assert mixing_mirror.mixed_winnow_posterior.bound(BOOK, far, WINNOW) == pytest.approx(unit, rel=1e-9)
    lengths = mixing.mixed_lengths.bound(BOOK, far, still) - 1e12 * sqrt(30)
    assert lengths == pytest.approx(unit, rel=1e-3)
    limited = of(replace(linear.aggressive("PA-I"), norm=0.0))
    assert mixing_regret.mixed_limited_posterior.bound(BOOK, far, limited) == pytest.approx(2.25 * unit, rel=1e-9)
    near = replace(far, own=1.25, divergence=0.0)
    value = mixing_mirror.mixed_winnow_hinge.bound(BOOK, near, WINNOW)
    single = float_info.epsilon * 4 * 1e12 * sqrt(480)  # the formula of one learner adds its own
    assert value == pytest.approx(0.4 * (hinge + single) / (0.4 - linear.LOG_COSH), rel=1e-9)
