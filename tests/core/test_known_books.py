"""What books add up to, what comparators are worth and what a certificate makes of both, by hand."""

from __future__ import annotations

from dataclasses import astuple, fields, replace
from math import inf, isnan, nan, sqrt
from typing import Any

import numpy as np
import pytest

from regretless import comparator as comparators
from regretless.certificate import NO_LIMIT, Certificate, Most, compared, in_figures, summed
from regretless.comparator import BanditComparator, Comparator, ExpertComparator
from regretless.ledger import BanditLedger, ClassLedger, ExpertLedger, GameLedger, Ledger
from regretless.theorem import Theorem, theorem
from regretless.theory.aggregated import AggregatedFacts
from regretless.theory.bandit_facts import BanditFacts
from regretless.theory.expert_facts import ExpertFacts
from regretless.theory.facts import LinearFacts
from regretless.theory.finite_classes import ClassFacts
from regretless.theory.game_facts import GameFacts
from regretless.theory.gradient import AggressiveFacts
from regretless.theory.margin_perceptron import MarginFacts
from regretless.theory.mirror import PNormFacts, WinnowFacts
from regretless.theory.mixing_facts import MixedFacts, MixedLedger
from regretless.theory.online_to_batch import Declared
from regretless.theory.perceptron import KernelFacts
from regretless.theory.second_order_perceptron import SecondOrderFacts

FIRST = Ledger(10, 4, 3, 2.5, 6.0, 1.5, 9.0, 20.0, 40.0, 16.0, 0.5, 0.25, 1.0)
SECOND = Ledger(20, 6, 5, 3.5, 7.0, 2.5, 4.0, 30.0, 50.0, 25.0, 0.4, 0.125, 2.0)
STILL = Ledger(5, 0, 0, 0.5, 0.0, 0.0, 1.0, 0.0, 5.0, 25.0, 0.0, 0.0, 0.0)


def test_books_of_two_stretches_add_up():
    """Sums add up, extremes stay extremes, the first rate is that of the first update and the last that of the last."""
    both = FIRST + SECOND
    assert both == Ledger(30, 10, 8, 6.0, 13.0, 4.0, 9.0, 50.0, 90.0, 25.0, 0.5, 0.125, 3.0)
    assert replace(FIRST, rounds=15, loss=3.0, total_norm2=45.0, reach2=25.0) == (FIRST + STILL)
    assert (STILL + FIRST) == FIRST + STILL
    assert FIRST.scaled(0.5) == Ledger(5, 2, 1.5, 1.25, 3.0, 0.75, 9.0, 10.0, 20.0, 16.0, 0.5, 0.25, 0.5)
    assert Ledger.read(FIRST.array()) == FIRST


def test_a_book_begins_empty():
    """Before the first round every number is zero, and nobody has died."""
    for book in (Ledger(), GameLedger(), replace(ClassLedger(), died=0)):
        assert not any(astuple(book))
    assert MixedLedger().array().tolist() == [0.0] * len(MixedLedger().array())


def test_two_mixings_of_three_shards_by_hand():
    """Weighted sums, the longest path and what the rates have grown by are those of the formulas, mixing by mixing."""
    one = MixedLedger().after([0.5, 0.5, 0.0], [FIRST, SECOND, STILL])
    assert one.mixed.updates == 5
    assert one.plain.rounds == 35
    assert (one.shards, one.together, one.epochs, one.mixings, one.busy, one.path) == (3, 3, 1, 1, 1, 20.0)
    assert one.opening == pytest.approx(1.0 + 1.25)  # 0.5 / 0.5 + 0.5 / 0.4
    assert one.closing == pytest.approx(0.1875)
    assert one.slowing == pytest.approx(2.0 + 4.0 - 2.25)
    two = one.after([0.25, 0.75], [FIRST, SECOND])
    opened, closed = 0.25 / 0.5 + 0.75 / 0.4, 0.25 / 0.25 + 0.75 / 0.125
    assert two.opening == one.opening
    assert two.slowing == pytest.approx(
        one.slowing + closed - opened
    )  # no more: 1 / 0.1875 is above what it opens with
    assert two.closing == pytest.approx(0.25 * 0.25 + 0.75 * 0.125)
    slow = replace(SECOND, first_rate=0.1, last_rate=0.1)
    three = one.after([1.0], [slow])
    assert three.slowing == pytest.approx(one.slowing + 10 - 1 / 0.1875)
    assert (two.path, two.busy, two.shards, two.together) == (40.0, 2, 2, 3)


def test_a_shard_that_stands_still_takes_part_at_the_mean_rate():
    """A shard without an update counts with the mean of the last rates of the others, first and last."""
    one = MixedLedger().after([0.5, 0.5], [FIRST, STILL])
    assert one.closing == 0.25
    assert one.opening == pytest.approx(0.5 / 0.5 + 0.5 / 0.25)
    assert one.slowing == pytest.approx(0.5 / 0.25 - 0.5 / 0.5)
    none = one.after([0.0, 0.0], [STILL, STILL])
    assert (none.opening, none.slowing, none.closing) == (one.opening, one.slowing, one.closing)
    assert (none.busy, none.epochs) == (1, 2)


def test_neighbours_that_are_mixed_two_by_two():
    """An epoch of four shards, two mixed together, has two mixings, whose longest shards make its path."""
    shares, books = [0.5, 0.5, 1.0, 0.0], [FIRST, SECOND, FIRST, STILL]
    epoch = MixedLedger().after(shares, books, together=2)
    assert (epoch.mixings, epoch.path, epoch.together, epoch.shards, epoch.busy) == (2, 30.0, 2, 4, 1)
    assert epoch.mixed.updates == 9
    assert MixedLedger().after([1.0], [FIRST], together=2).together == 1
    assert MixedLedger.read(epoch.array()) == epoch
    assert MixedLedger().after([], []).epochs == 1


def filled(book, seed: float, arrays: tuple[str, ...]):
    """A book with a different number in each field."""
    names = [field.name for field in fields(book)]
    numbers = {name: seed + place for place, name in enumerate(names)}
    return book(
        **{name: np.array([value, value + 0.5]) if name in arrays else value for name, value in numbers.items()}
    )


EXPERT_ARRAYS = ("losses", "regrets", "delays", "faced", "spoke", "squares", "drags")
EXTREMES = {"spread": max, "lowest": min, "highest": max, "max_outcome2": max}
BANDIT_ARRAYS = ("draws", "losses", "missed", "asleep", "estimates", "implicit")
LATER = {"last_rate", "last_gamma", "width"}


@pytest.mark.parametrize(("book", "arrays"), [(ExpertLedger, EXPERT_ARRAYS), (BanditLedger, BANDIT_ARRAYS)])
def test_books_of_experts_and_bandits_add_up(book, arrays):
    """Each sum is the sum of both, each extreme the extreme, each rate that of its end; an empty book changes none."""
    early, late = filled(book, 3.0, arrays), filled(book, 50.0, arrays)
    both = early + late
    for field in fields(book):
        a, b = getattr(early, field.name), getattr(late, field.name)
        expected = a if field.name == "first_rate" else b if field.name in LATER else a + b
        expected = EXTREMES[field.name](a, b) if field.name in EXTREMES else expected
        np.testing.assert_array_equal(getattr(both, field.name), expected, err_msg=field.name)
    empty = replace(early, rounds=0.0)
    assert (empty + late).first_rate == late.first_rate
    assert (late + empty).last_rate == late.last_rate


def test_draws_that_are_not_settled():
    """What is not known yet, or never will be, are the draws less those that were settled."""
    assert filled(BanditLedger, 3.0, BANDIT_ARRAYS).unsettled == -1.0


V = Comparator(
    "v", norm=2.0, hinge=3.0, squared_hinge=4.0, loss=1.5, least=-0.5, rounds=12, max_norm2=9, total_norm2=40
)


def test_what_a_vector_is_worth():
    """Its margin is the smallest product over its length; that of nothing is 0, or minus infinity if it errs."""
    assert V.margin == -0.25
    assert replace(V, norm=0.0).margin == -inf
    assert replace(V, norm=0.0, least=0.0).margin == 0.0
    assert (V.own, V.played) == (2.0, 12)
    other = replace(V, own=3.0, played=7.0)
    assert (other.own, other.played) == (3.0, 7.0)
    assert V.describe() == {
        "name": "v", "left_out": None, "norm": 2.0, "hinge": 3.0, "squared_hinge": 4.0, "loss": 1.5, "margin": -0.25,
        "rounds": 12, "vector": None, "bias": 0.0,
    }  # fmt: skip
    assert replace(V, norm=0.0).describe()["margin"] is None
    record = replace(V, vector=np.array([1.5, -2.0]), bias=0.5, left_out="no solver").describe()
    assert (record["vector"], record["bias"], record["left_out"]) == ([1.5, -2.0], 0.5, "no solver")
    for size, values in ((100, [1.0] * 100), (101, None)):
        assert replace(V, vector=np.ones(size)).describe()["vector"] == values
    assert (V.label, replace(V, left_out="no solver").label) == ("v", "v (no solver)")
    assert (V.bias, V.divergence) == (0.0, 0.0)
    assert isnan(V.product)


@pytest.mark.parametrize("kind", [ExpertComparator, BanditComparator])
def test_what_a_fixed_choice_is_worth(kind):
    """The regret is what was lost more, and may owe 1e-12 of both sums to rounding."""
    one = kind("arm", "2", loss=-3.0, faced=5.0, rounds=9.0)
    assert one.regret == 8.0
    assert one.rounding == pytest.approx(8e-12, rel=1e-12, abs=0)
    assert replace(one, faced=-5.0).rounding == pytest.approx(8e-12, rel=1e-12, abs=0)
    assert replace(one, loss=inf).rounding == 0.0
    assert one.describe()["regret"] == 8.0
    assert one.describe()["loss"] == -3.0
    if kind is BanditComparator:
        unknown = replace(one, loss=nan)
        assert (unknown.describe()["loss"], unknown.describe()["regret"], unknown.rounding) == (None, None, 0.0)
    else:
        assert one.divergence == inf


def test_defaults_of_the_other_comparators():
    """Best responses take no rounding of their own, and one hypothesis stands for itself."""
    assert comparators.GameComparator().rounding == 0.0
    assert comparators.GameComparator().rounds == inf
    one = comparators.ClassComparator(3, "h", 9.0)
    assert (one.alive, one.rounding) == (1, 0.0)


# ---- certificates: a bound of `norm`, on what is counted as `hinge`, if `least` is above -1

WIDE = ("it must be wide", lambda _, v, __: v.least > -1)
COMMON = {"counts": lambda _, v: v.hinge, "formula": "", "source": "nobody", "assumes": [WIDE]}


@theorem(title="Count", quantity="mistakes", **COMMON)
def count(_, v, __):
    """A count."""
    return v.norm


@theorem(title="Sum", quantity="loss", whole=False, kind="probable", **COMMON)
def amount(_, v, __):
    """A sum."""
    return 1 / v.norm - 1


def halved(v: Comparator) -> Most:
    return Most(v.rounds / 2, "half the rounds")


@theorem(title="Lonely", quantity="loss", whole=False, compares=False, at_once=lambda learner: learner.delta > 0.05,
         **COMMON | {"kind": "probable"})  # fmt: skip
def lonely(_, v, __):
    """A sum that is compared with nobody."""
    return v.norm


@theorem(title="Weighed", quantity="mistakes", whole=False, most=lambda ledger, v, learner: halved(v), **COMMON)
def weighed(_, v, __):
    """A weighted count."""
    return v.norm


class Learner:
    """One who asks for 95 %."""

    delta = 0.05


def certified(one: Theorem, *against: Comparator) -> Certificate:
    return one.certify(FIRST, against, Learner())


def test_the_certificate_is_read_against_who_serves_it_best():
    """The comparator of the least slack counts, the first of equals; those that do not apply are passed over."""
    near, far = replace(V, name="near", norm=5.0, hinge=1.0), replace(V, name="far", norm=6.0, hinge=4.0)
    narrow = replace(V, name="narrow", norm=0.0, least=-2.0)
    assert certified(count, near, far).comparator.name == "far"  # 6 - 4 < 5 - 1
    assert certified(count, narrow, near).comparator.name == "near"
    assert certified(count, near, replace(near, name="twin")).comparator.name == "near"
    assert (certified(count, far, near).bound, certified(count, far, near).observed) == (6.0, 4.0)
    assert certified(count, narrow).why == WIDE[0]
    assert certified(count).why is not None
    assert certified(amount, replace(V, norm=0.0)).why is not None  # 1 / 0
    assert certified(amount, replace(V, norm=0.0)).bound is None
    assert certified(count, replace(V, norm=nan), near).comparator.name == "near"
    assert certified(count, near).confidence is None
    assert certified(amount, near).confidence == 0.95
    assert certified(count, replace(near, hinge=nan)).observed is None


def test_how_much_slack_there_is():
    """The slack is the bound less what was observed, and infinite where there is no number."""
    assert count.slack(FIRST, replace(V, norm=5.0), None) == 2.0
    assert count.slack(FIRST, replace(V, least=-2.0), None) == inf
    assert amount.slack(FIRST, replace(V, norm=0.0), None) == inf
    assert isnan(amount.value(FIRST, replace(V, norm=0.0), None))


def test_when_a_certificate_holds():
    """What was observed may be above the bound by rounding alone; a sure theorem that fails by more is violated."""
    tight = certified(count, replace(V, norm=4.0, hinge=4.0))
    for slip, holds in ((0.0, True), (3e-9, True), (5e-9, False), (1.0, False), (-1.0, True)):
        one = replace(tight, observed=4.0 + slip)
        assert (one.holds, one.violated) == (holds, not holds), slip
    small = replace(tight, bound=0.0, observed=9e-10)
    assert small.holds
    assert not replace(small, observed=1.1e-9).holds
    assert not replace(certified(amount, V), observed=9.0).violated  # probable
    assert not replace(certified(amount, V), observed=9.0).holds
    assert replace(tight, observed=None).holds
    assert replace(tight, bound=-100.0, observed=-100.0 + 9e-8).holds
    with_own = replace(tight, comparator=replace_rounding(0.5), observed=4.5)
    assert with_own.holds
    assert not replace(with_own, observed=4.6).holds


def replace_rounding(rounding: float) -> comparators.ClassComparator:
    return comparators.ClassComparator(0, "h", 12.0, rounding=rounding)


def test_a_count_is_rounded_down():
    """Bounds on counts are whole, but for rounding below a whole number; sums and infinity are left alone."""
    for bound, shown in ((4.9, 4.0), (5 - 1e-9, 5.0), (5 - 1e-6, 4.0), (1e-9, 0.0), (inf, inf)):
        assert replace(certified(count, V), bound=bound).shown_bound == shown
    assert replace(certified(amount, V), bound=4.9).shown_bound == 4.9
    assert replace(certified(count, V), bound=None).shown_bound is None


def test_a_bound_is_printed_with_what_rounding_may_do():
    """Where the observed number is above the bound by less than the allowance, the printed bound has the allowance."""
    tight = certified(count, replace(V, norm=4.0, hinge=4.0))
    slip = 4.0 + 3e-9
    assert replace(tight, observed=slip).shown_bound == slip  # the whole number below 4 + 4e-9 is less
    assert replace(tight, observed=4.0 + 5e-9).shown_bound == 4.0  # it does not hold
    assert replace(tight, observed=3.0).shown_bound == 4.0
    loose = replace(tight, comparator=replace_rounding(1.25), observed=4.5)
    assert loose.shown_bound == 5.0  # 5.25 as a count
    assert replace(loose, observed=5.2).shown_bound == 5.2
    assert replace(loose, observed=5.3).shown_bound == 4.0
    some = replace(certified(amount, V), bound=0.5, observed=0.5 + 9e-10)
    assert some.shown_bound == pytest.approx(0.5 + 1e-9, rel=1e-12, abs=0)
    assert replace(some, observed=0.5).shown_bound == 0.5
    assert replace(some, observed=0.5 + 2e-9).shown_bound == 0.5
    assert replace(some, observed=None).shown_bound == 0.5


def test_when_a_count_says_nothing():
    """A bound on a count is vacuous from the number of rounds on, a weighted one from its own limit on."""
    assert certified(count, V).most == (12.0, "the number of rounds")
    assert certified(weighed, V).most == (6.0, "half the rounds")
    assert count.limit(FIRST, None, None) == certified(amount, V).most == NO_LIMIT == (inf, "")
    assert replace(certified(count, V), bound=12 - 1e-9).vacuous  # but for rounding
    assert not replace(certified(weighed, V), bound=6 - 1e-9).vacuous
    for bound, vacuous in ((11.9, False), (12.0, True), (13.0, True)):
        assert replace(certified(count, V), bound=bound).vacuous == vacuous
    assert not replace(certified(count, replace(V, played=20.0)), bound=13.0).vacuous
    assert not replace(certified(weighed, V), bound=5.9).vacuous
    assert replace(certified(weighed, V), bound=6.0).vacuous
    assert not replace(certified(amount, V), bound=1e300).vacuous
    assert not certified(count, replace(V, least=-2.0)).vacuous  # it does not apply


def test_classes_add_up():
    """Sides add up over classes; the comparator of all has the smallest margin, the length of all as one vector."""
    first, second = replace(V, norm=3.0, least=1.5, max_norm2=4.0), replace(V, norm=4.0, least=0.4, loss=2.0, own=12.0)
    both = summed([certified(count, first), certified(count, second)])
    assert (both.observed, both.bound, both.parts) == (6.0, 7.0, 2)
    assert (both.most, len(both.each)) == ((24.0, "the number of rounds"), 2)
    parts = both.describe()["parts"]
    assert [(part["observed"], part["bound"], part["comparator"]["norm"]) for part in parts] == [(3, 3, 3), (3, 4, 4)]
    one = both.comparator
    assert (one.norm, one.hinge, one.squared_hinge, one.loss, one.rounds, one.played) == (5.0, 6.0, 8.0, 3.5, 24, 24)
    assert (one.margin, one.max_norm2, one.total_norm2, one.own) == (pytest.approx(0.1), 9, 80, sqrt(4 + 144))
    assert both.quantity == "mistakes (sum of 2 classes)"
    assert certified(count, V).quantity == "mistakes"
    without = summed([certified(count, first), certified(count, replace(second, loss=None))])
    assert without.comparator.loss is None
    failed = summed([certified(count, first), certified(count, replace(V, least=-2.0))])
    assert (failed.bound, failed.why, failed.parts) == (None, WIDE[0], 2)
    assert summed([replace(certified(count, first), comparator=None), certified(count, V)]).comparator is None


def test_what_a_certificate_tells_of_itself():
    """As values, it has no infinite bound; as a line, it says its numbers, its share of luck and its comparator."""
    record = certified(count, replace(V, norm=1234.0)).describe()
    assert (record["bound"], record["observed"], record["applies"], record["why"], record["confidence"]) == (
        1234.0,
        3.0,
        True,
        None,
        None,
    )
    assert (record["theorem"], record["kind"], record["vacuous"], record["comparator"]["name"]) == (
        "count",
        "sure",
        True,
        "v",
    )
    endless = certified(count, replace(V, norm=inf))
    assert (endless.applies, endless.bound, endless.describe()["bound"]) == (False, None, None)
    assert certified(count, replace(V, norm=inf), V).bound == 2.0
    assert record["rounding"] == pytest.approx(1.234e-6, rel=1e-12)  # 1e-9 of the larger number
    assert record["constants"] == {"ledger": {}, "comparator": {"norm": 1234.0, "hinge": 3.0}, "learner": {}}
    assert certified(count, replace(V, least=-2.0)).describe()["comparator"] is None
    line = str(certified(count, replace(V, norm=7.9)))
    assert "mistakes 3 <= 7" in line
    assert ", against v" in line
    assert "no better than" not in line
    assert "mistakes 3 EXCEEDS 2" in str(certified(count, V))
    assert "no better than the number of rounds" in str(certified(count, replace(V, norm=12.0)))
    assert "no better than half the rounds" in str(certified(weighed, replace(V, norm=6.0)))
    assert ", with probability 95%, against v" in str(certified(amount, V))
    assert certified(amount, V).at_once is True
    alone = certified(lonely, V)
    assert (alone.comparator, alone.at_once, alone.bound) == (None, False, 2.0)
    assert "95% for this number of rounds alone" in str(alone)
    assert "against" not in str(alone)
    assert ", against v, assuming luck" in str(replace(certified(count, V), assuming="luck"))
    assert str(certified(count, replace(V, least=-2.0))) == f"Count: does not apply ({WIDE[0]})"
    assert "against" not in str(certified(count, replace(V, name="")))


@pytest.mark.parametrize(
    ("value", "shown"),
    [(1234.0, "1,234"), (1234.5678, "1,234.57"), (0.5, "0.5"), (1e15, "1e+15"), (1e15 - 1, f"{10**15 - 1:,}")],
)
def test_numbers_as_lines_print_them(value, shown):
    """Whole numbers below 1e15 in full, others to six digits."""
    assert in_figures(value) == shown


@pytest.mark.parametrize(
    ("observed", "bound", "printed"),
    [
        (1.0, 2.5, ("1", "2.5")),
        (1.0000001, 1.0000002, ("1", "1")),  # 1 <= 1 is as true
        (1.0000002, 1.0000001, ("1.0000002", "1.0000001")),
        (2.0000004, 2.0, ("2.0000004", "2")),
        (2.0, 1.9999999, ("2", "1.9999999")),
        (1234574.0, 1234574.4, ("1,234,574", "1,234,574")),  # 1.23457e+06 would be less
        (0.1 + 0.2, 0.3, ("0.30000000000000004", "0.29999999999999999")),
        (1e20, 2e20, ("1e+20", "2e+20")),
    ],
)
def test_printed_numbers_compare_as_the_true_ones_do(observed, bound, printed):
    """They have six digits, or as many more as tell them apart where it matters which is larger."""
    assert compared(observed, bound) == printed


DEFAULTS: dict[Any, tuple[int, dict[str, Any]]] = {
    LinearFacts: (2, {"schedule": "constant", "loss": "perceptron", "radius": inf, "steady": True, "width": 0.0}),
    PNormFacts: (2, {"p": 2.0, "reach": 0.0}),
    WinnowFacts: (2, {"reach": 0.0, "weights": 1, "gamma": 0.0, "radius": 1.0}),
    KernelFacts: (2, {"removed": 0.0, "removals": 0.0}),
    AggressiveFacts: (2, {"limit": 1.0, "variant": ""}),
    SecondOrderFacts: (2, {"energy": 0.0, "volume": 0.0, "full": False}),
    AggregatedFacts: (2, {"members": 1.0, "share": True, "heaviest": 1.0}),
    MarginFacts: (2, {"threshold": 0.0, "quiet": 0.0, "rows": inf}),
    MixedFacts: (4, {"targets": 1}),
    ExpertFacts: (
        2,
        {
            "exponential": False,
            "substitutes": False,
            "schedule": "constant",
            "linear": False,
            "convex": True,
            "log_potential": 0.0,
        },
    ),
    BanditFacts: (3, {"theorems": (), "schedule": "constant", "width": 1.0, "low": 0.0, "oblivious": True}),
    GameFacts: (2, {"alternate": False, "power": 0, "zero_sum": True, "basic": False}),
    ClassFacts: (2, {"prune": "", "delta": 0.05}),
    Declared: (1, {"width": 1.0, "regret": inf, "before": True}),
}


@pytest.mark.parametrize("facts", DEFAULTS)
def test_facts_that_no_theorem_gets(facts):
    """What facts do not say is what does no harm: no rounding, no exploration, one target, weights that last."""
    needed, defaults = DEFAULTS[facts]
    known_facts = facts(*range(needed))
    assert {name: getattr(known_facts, name) for name in defaults} == defaults
