"""The theorems about learners of finite classes: each lemma on every part of many classes, each bound on every play."""

from __future__ import annotations

import json
import pickle
from fractions import Fraction
from functools import cache
from math import comb, exp, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regretless.catalogue import CLASS_LEARNERS, class_learner
from regretless.comparator import ClassComparator
from regretless.finite_classes import Consistent, FiniteClass, Halving, RandomizedOptimal, StandardOptimal
from regretless.finite_classes.finite_class import packed
from regretless.finite_classes.learners.state import rank
from regretless.ledger import ClassLedger
from regretless.theory.finite_classes import ClassFacts, certified, chernoff, floor_log2, half_the_bits_of

from .small_classes import TIES_MATTER, every_class
from .test_class_learners import plays, tables

Part = frozenset[int]
THEOREMS = {name: class_learner(name).theorems for name in CLASS_LEARNERS}


class Plainly:
    """A class as a table, and its dimensions by their definitions."""

    def __init__(self, table):
        self.table = np.unique(np.asarray(table, dtype=int), axis=0)
        self.all_hypotheses = frozenset(range(len(self.table)))
        self.points = self.table.shape[1]
        self.littlestone = cache(self._littlestone)
        self.randomized = cache(self._randomized)

    def split(self, part: Part, point: int) -> tuple[Part, Part]:
        """Who says 0 and who says 1."""
        zero, one = (frozenset(h for h in part if self.table[h, point] == label) for label in (0, 1))
        return zero, one

    def splits(self, part: Part) -> list[tuple[Part, Part]]:
        """By each point that splits a part."""
        return [both for point in range(self.points) if all(both := self.split(part, point))]

    def _littlestone(self, part: Part) -> int:
        both = [1 + min(map(self.littlestone, each)) for each in self.splits(part)]
        return max([*both, *(self.littlestone(one) for each in self.splits(part) for one in each)], default=0)

    def _randomized(self, part: Part) -> Fraction:
        """Half the mean depth of the tree of which that is largest: a leaf, or a point with a tree below each label."""
        below = (sum(map(self.randomized, each)) for each in self.splits(part))
        return max(((1 + total) / 2 for total in below), default=Fraction(0))

    def chance(self, part: Part, point: int) -> Fraction:
        """With what probability the optimal learner predicts 1."""
        zero, one = self.split(part, point)
        if not zero or not one:
            return Fraction(len(one) > 0)
        return min(max((1 + self.randomized(one) - self.randomized(zero)) / 2, Fraction(0)), Fraction(1))

    def rank(self, part: Part) -> int:
        """By elimination of one row after another."""
        basis: list[int] = []
        for column in [[1] * len(part), *self.table[sorted(part)].T.tolist()]:
            bits = int("".join(map(str, column)), 2)
            for one in basis:
                bits = min(bits, bits ^ one)
            basis += [bits] * (bits > 0)
        return len(basis) - 1

    def parts(self) -> list[Part]:
        """All parts that labels may leave."""
        met, new = {self.all_hypotheses}, [self.all_hypotheses]
        while new:
            for both in self.splits(new.pop()):
                for part in both:
                    if part not in met:
                        met.add(part)
                        new.append(part)
        return list(met)


SMALL = tables(hypotheses=10, points=5)


@given(SMALL)
def test_a_learner_that_errs_loses_rank(table):
    """If a point splits a part of a class, what each label leaves has a smaller rank than the part."""
    plain_class = Plainly(table)
    for part in plain_class.parts():
        assert plain_class.rank(part) <= min(len(part) - 1, plain_class.points)
        assert (plain_class.rank(part) == 0) == (len(part) == 1)
        for both in plain_class.splits(part):
            assert max(map(plain_class.rank, both)) < plain_class.rank(part)


@given(SMALL)
def test_ranks_are_those_of_plain_elimination(table):
    """The rank of a class, and of any part of it that labels leave, is what elimination of whole numbers finds."""
    plain_class = Plainly(table)
    judged = FiniteClass(plain_class.table)
    assert rank(judged) == plain_class.rank(plain_class.all_hypotheses)
    for part in plain_class.parts():
        alive = packed(np.isin(np.arange(judged.hypotheses), list(part))[None])[0]
        assert rank(judged, alive) == plain_class.rank(part)


def test_ranks_of_large_classes(monkeypatch):
    """Sums of points add nothing to the rank of a class of many words; one that would take too long has none."""
    coins = np.random.default_rng(1).random((5000, 40)) < 0.5
    assert rank(FiniteClass(coins)) == 40
    assert rank(FiniteClass(np.hstack([coins, coins[:, :20] ^ coins[:, 20:], ~coins]))) == 40
    monkeypatch.setattr("regretless.finite_classes.learners.state.MOST_STEPS", 1000)
    assert rank(FiniteClass(coins)) is None


@given(SMALL)
def test_an_optimal_learner_that_errs_loses_a_dimension(table):
    """The smaller of the dimensions of two parts is below that of the whole, which is floor(log2) of it at most."""
    plain_class = Plainly(table)
    for part in plain_class.parts():
        assert plain_class.littlestone(part) <= floor_log2(len(part))
        for both in plain_class.splits(part):
            zero, one = map(plain_class.littlestone, both)
            assert min(zero, one) < plain_class.littlestone(part)
            assert max(zero, one) <= plain_class.littlestone(part)


@given(SMALL)
def test_the_randomised_dimension_is_a_potential(table):
    """What the optimal randomised learner risks at a point, and R of what is left, are at most R for either label."""
    plain_class = Plainly(table)
    for part in plain_class.parts():
        whole = plain_class.randomized(part)
        for point in range(plain_class.points):
            chance = plain_class.chance(part, point)
            for label, left in enumerate(plain_class.split(part, point)):
                if left:
                    assert abs(chance - label) + plain_class.randomized(left) <= whole


@given(SMALL)
def test_the_randomised_dimension_lies_where_it_should(table):
    """Ldim / 2 <= R <= Ldim; R <= log2 |H| / 2; and R is as well what counts only parts that differ by 1 at most."""
    plain_class = Plainly(table)
    for part in plain_class.parts():
        whole, dimension = plain_class.randomized(part), plain_class.littlestone(part)
        assert Fraction(dimension, 2) <= whole <= dimension
        assert 2 * whole <= depth(len(part))
        assert 4 ** float(whole) <= len(part) * (1 + 1e-12)
        pairs = [tuple(map(plain_class.randomized, both)) for both in plain_class.splits(part)]
        balanced = [(1 + zero + one) / 2 if abs(zero - one) <= 1 else max(zero, one) for zero, one in pairs]
        assert whole == max(balanced, default=0)


@pytest.mark.parametrize("points", range(1, 12))
def test_thresholds_cost_as_much_as_any_class_of_their_size(points):
    """The randomised dimension of thresholds is half the mean depth of the evenest tree with as many paths."""
    plain_class = Plainly(FiniteClass.named(f"thresholds:{points}").matrix)
    assert 2 * plain_class.randomized(plain_class.all_hypotheses) == depth(points + 1)


def test_half_the_bits_is_a_potential_too():
    """It is half the mean depth of the evenest tree, grows with the paths, and no split of these makes it larger."""
    bits = [Fraction(0), *(Fraction(half_the_bits_of(paths)) for paths in range(1, 200))]
    for paths in range(1, 200):
        assert 2 * bits[paths] == depth(paths)
        assert bits[paths - 1] <= bits[paths]
        assert 4 ** float(bits[paths]) <= paths * (1 + 1e-12)
        assert all((1 + bits[one] + bits[paths - one]) / 2 <= bits[paths] for one in range(1, paths))


def test_a_learner_without_patience_is_certified_by_half_the_bits(monkeypatch):
    """Where R was not found the bound is half the bits, and the adversary who splits as evenly as can be attains it."""
    monkeypatch.setattr("regretless.finite_classes.learners.randomized.searched", lambda *_: False)
    for points in (4, 9, 15, 19):
        finite_class = FiniteClass.named(f"thresholds:{points}")
        for larger in (0, 1):
            learner = RandomizedOptimal(finite_class, random_state=0, patience=1)
            while len(learner.alive_) > 1:
                table = finite_class.matrix[learner.alive_]
                point = int(np.minimum(table.sum(0), len(table) - table.sum(0)).argmax())
                ones = int(table[:, point].sum())
                learner.play([point], [int((ones > len(table) - ones) == bool(larger))])
            certificates = learner.certify()
            assert all(one.applies and one.holds for one in certificates[:3])
            assert certificates[2].observed == pytest.approx(float(depth(points + 1)) / 2)


def depth(paths: int) -> Fraction:
    """The mean depth of the evenest tree with so many paths, down which coins are tossed."""
    if paths == 1:
        return Fraction(0)
    return 1 + (depth(paths // 2) + depth(paths - paths // 2)) / 2


def test_fair_coins_down_the_best_tree_cost_everybody_as_much():
    """On labels tossed along the best tree halving errs R(H) times in the mean, though it errs more often elsewhere."""
    plain_class = Plainly(TIES_MATTER)

    def mean(part: Part, learner: Halving) -> Fraction:
        whole = plain_class.randomized(part)
        for point in range(plain_class.points):
            both = plain_class.split(part, point)
            if all(both) and (1 + sum(map(plain_class.randomized, both))) / 2 == whole:
                total = Fraction(0)
                for label, left in enumerate(both):
                    moved = learner.copy()
                    wrong = moved.predict(point) != label
                    moved.update(label)
                    total += wrong + mean(left, moved)
                return total / 2
        return Fraction(0)

    learner = Halving(FiniteClass(plain_class.table))
    assert (
        mean(plain_class.all_hypotheses, learner)
        == plain_class.randomized(plain_class.all_hypotheses)
        == Fraction(23, 16)
    )


# Bounds on plays.


@given(plays(hypotheses=10, points=5))
def test_no_play_breaks_a_bound(played):
    """Every theorem applies to every play with labels of a hypothesis, holds, and so do those about its beginnings."""
    finite_class, points, labels = played
    learners = [
        Consistent(finite_class),
        Halving(finite_class),
        Halving(finite_class, tie=0, prune="mistake"),
        StandardOptimal(finite_class),
        RandomizedOptimal(finite_class, random_state=1),
        RandomizedOptimal(finite_class, random_state=1, patience=1),
    ]
    for learner in learners:
        for point, label in zip(points, labels, strict=True):
            learner.predict(point)
            learner.update(label)
            for one in learner.certify():
                assert one.applies, str(one)
                assert one.holds or one.theorem.kind == "probable", str(one)


@given(plays(realizable=False, hypotheses=10, points=5))
def test_no_theorem_applies_once_the_last_hypothesis_died(played):
    """Labels that no hypothesis agrees with are never certified, and the round in which the last one died is named."""
    finite_class, points, labels = played
    for learner in (Consistent(finite_class), Halving(finite_class, prune="mistake"), StandardOptimal(finite_class)):
        learner.play(points, labels)
        messages = [str(one.why) for one in learner.certify()]
        if learner.realizable_:
            assert messages == ["None"] * len(messages)
        else:
            died = f"no hypothesis agrees with all labels: the last one died in round {learner.died_}"
            assert messages == [died] * len(learner.theorems)


def test_bounds_are_attained():
    """Singletons cost consistent learners |H| - 1 mistakes; all functions of n points cost halving n, coins n / 2."""
    singletons, everything = FiniteClass.named("singletons:5"), FiniteClass.named("all:4")
    learner = Consistent(singletons)
    learner.play([0, 1, 2, 3], [0, 0, 0, 0])
    assert [(one.observed, one.bound) for one in learner.certify()] == [(4, 4)] * 4
    learner = Halving(everything)
    learner.play([0, 1, 2, 3], [0, 0, 0, 0])
    assert [(one.observed, one.bound) for one in learner.certify()] == [(4, 4)] * 2
    learner = RandomizedOptimal(everything, random_state=0)
    learner.play([0, 1, 2, 3], [0, 1, 1, 0])
    assert [(one.observed, one.bound) for one in learner.certify()[:3]] == [(2.0, 2.0)] * 3


def test_posterior_bounds_know_what_is_left():
    """After one mistake on thresholds the posterior bounds are what that cost, not what all of them may cost."""
    finite_class = FiniteClass.named("thresholds:7")
    for learner, spent, ever in (
        (Halving(finite_class), 1, 3),
        (StandardOptimal(finite_class), 1, 3),
        (Consistent(finite_class), 4, 7),
    ):
        learner.play([3], [1 - learner.forecast(3)])
        bounds = [one.bound for one in learner.certify()]
        assert (min(bounds), max(bounds)) == (spent, ever)


@given(st.integers(1, 2**70))
def test_logarithms_are_exact(count):
    """floor_log2 is the largest k with 2^k <= count, however large that is."""
    assert 2 ** floor_log2(count) <= count < 2 ** (floor_log2(count) + 1)


def read(name: str, ledger: ClassLedger, **known) -> dict[str, float | None]:
    """The bounds on a play of which nothing but its books is known."""
    against = [ClassComparator(0, "hypothesis 0", ledger.rounds)]
    return {
        one.theorem.name: one.bound for one in certified(THEOREMS[name], ledger, against, ClassFacts(name, **known))
    }


def test_formulas():
    """Each bound is its formula, of numbers that nobody computed: intervals count by their worse ends."""
    books = ClassLedger(rounds=9, mistakes=1, expected=1.0, alive=3, voters=5)
    assert read("consistent", books, hypotheses=100, place=7, rank=6, rank_left=2) == {
        "first_in_order": 7,
        "rank": 4,
        "left": 97,
        "consistent": 99,
    }
    assert read("halving", books, hypotheses=100) == {"halvings": 4, "halving": 6}
    known = {"littlestone": (3, 5), "littlestone_left": (1, 2)}
    assert read("standard-optimal", books, hypotheses=100, **known) == {
        "dimension_spent": 4,
        "dimension": 5,
        "optimal_by_size": 6,
    }
    known = {"randomized": (Fraction(1), Fraction(9, 4)), "randomized_left": (Fraction(1, 2), Fraction(1))}
    bounds = read("randomized-optimal", books, hypotheses=100, rank=6, rank_left=2, **known)
    assert (bounds["randomized_spent"], bounds["randomized"], bounds["rank"]) == (1.75, 2.25, 4)
    assert bounds["half_the_bits"] == (5 + 100 / 64) / 2
    assert bounds["drawn"] == pytest.approx(6.8226, abs=1e-4)


@pytest.mark.parametrize("name", THEOREMS)
def test_what_is_not_known_is_not_certified(name):
    """A theorem whose numbers were not computed does not apply, and says which."""
    books = ClassLedger(rounds=1, alive=3, voters=3)
    against = [ClassComparator(0, "hypothesis 0", 1)]
    for one in certified(THEOREMS[name], books, against, ClassFacts(name, hypotheses=9)):
        needs = one.theorem.assumes[1:]
        assert one.applies == (not needs)
        assert one.why == (needs[0][0] if needs else None)


def test_certificates_are_written_and_read():
    """Theorems about finite classes can be pickled, and their certificates are JSON."""
    for name, theorems in THEOREMS.items():
        for one in theorems:
            assert pickle.loads(pickle.dumps(one)) is one
            assert one.statement.endswith(".")
        books = ClassLedger(rounds=3, mistakes=1, alive=2, voters=2)
        against = [ClassComparator(1, "hypothesis 1", 3.0, 2)]
        for one in certified(theorems, books, against, ClassFacts(name, hypotheses=4)):
            assert json.loads(json.dumps(one.describe()))["theorem"] == one.theorem.name


# Luck.


@pytest.mark.parametrize("delta", [0.5, 0.05, 1e-9])
@pytest.mark.parametrize("mean", [0.01, 0.5, 3.0, 1000.0])
def test_chernoff_solves_its_equation(mean, delta):
    """The bound on the draws is the number of mistakes whose Chernoff bound is delta, and not below that."""
    a = chernoff(mean, delta)
    assert a >= mean
    assert exp(a - mean - a * log(a / mean)) == pytest.approx(delta, rel=1e-6)
    assert a - mean - a * log(a / mean) <= log(delta) * (1 - 1e-15)


def test_a_learner_that_cannot_err_is_certified_not_to():
    """Where the expected mistakes are 0 no draw is wrong, and the bound is 0."""
    assert chernoff(0.0, 0.05) == 0.0


@pytest.mark.parametrize("name", [name for name, result in every_class().items() if result.hypotheses <= 16])
@pytest.mark.parametrize("delta", [0.5, 0.1, 0.01])
def test_no_adversary_beats_the_bound_on_the_draws(name, delta):
    """Whatever labels answer to, more mistakes than the bound with labels of a hypothesis have a probability <= delta.

    The adversary who sees every draw and wants that many mistakes is played out exactly.
    """
    result = Plainly(every_class()[name].matrix)

    @cache
    def most(part: Part, expected: int) -> Fraction:
        """With what probability the best adversary sees that many mistakes more."""
        if expected == 0:
            return Fraction(1)
        best = Fraction(0)
        for point in range(result.points):
            both = result.split(part, point)
            if not all(both):
                continue
            for label, left in enumerate(both):
                wrong = abs(result.chance(part, point) - label)
                best = max(best, wrong * most(left, expected - 1) + (1 - wrong) * most(left, expected))
        return best

    bound = chernoff(float(result.randomized(result.all_hypotheses)), delta)
    assert most(result.all_hypotheses, int(bound) + 1) <= delta


def test_the_bound_on_the_draws_is_not_far_above_coins():
    """Of all functions on 60 points the bound of 95% is below 46 mistakes; coins exceed 36 with 5% at most."""
    tail = [sum(comb(60, k) for k in range(least, 61)) / 2**60 for least in range(61)]
    assert next(least for least in range(61) if tail[least] <= 0.05) == 37
    assert 36 < chernoff(30.0, 0.05) < 46
