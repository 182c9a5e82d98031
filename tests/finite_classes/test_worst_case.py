"""Worst cases of learners of finite classes: exact, with rounds that prove them, and what they say about halving."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from math import inf, isinf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regretless import _core
from regretless.errors import RegretlessError
from regretless.experts import WeightedMajority
from regretless.finite_classes import (
    Consistent,
    FiniteClass,
    Halving,
    RandomizedOptimal,
    StandardOptimal,
    forced_mistakes,
    littlestone_dimension,
    worst_case,
)
from regretless.finite_classes.learners.state import rank

from ..examples import at_most
from .small_classes import KNOWN, TIES_MATTER, random_class
from .test_class_learners import tables

# Learners by their name in the worked cases.
JUDGED = {
    "consistent": (Consistent, {}),
    "halving_eager_tie1": (Halving, {}),
    "halving_eager_tie0": (Halving, {"tie": 0}),
    "halving_lazy_tie1": (Halving, {"prune": "mistake"}),
    "soa": (StandardOptimal, {}),
}
EVERY = [*JUDGED.values(), (Halving, {"tie": 0, "prune": "mistake"}), (StandardOptimal, {"tie": 0})]

# Whatever ties predict halving errs three times, and the standard optimal algorithm twice.
NO_TIE_HELPS = "00000 10000 01000 11000 00100 10100 11100 00010 00001"
# Who prunes in every round errs three times, who prunes after mistakes twice, whatever ties predict.
LAZY_IS_BETTER = "00011 01010 01011 01111 10000 10011 10110 10111 11011"


def written(rows: str) -> FiniteClass:
    """A class by its rows."""
    return FiniteClass([[int(digit) for digit in row] for row in rows.split()])


def plain_worst_case(
    finite_class: FiniteClass, predict: Callable[[frozenset[int], int], int], lazy: bool = False
) -> int:
    """The most mistakes, by going through all rounds; who agrees and who is followed are sets of their own."""
    says = finite_class.matrix

    @cache
    def most(alive: frozenset[int], subset: frozenset[int]) -> int:
        best = 0
        for point in range(finite_class.points):
            predicted = predict(subset, point)
            for label in (0, 1):
                after = frozenset(one for one in alive if says[one, point] == label)
                still = frozenset(one for one in subset if says[one, point] == label)
                still = subset if lazy and label == predicted else still
                if after and (after, still) != (alive, subset):
                    best = max(best, (label != predicted) + most(after, still))
        return best

    everybody = frozenset(range(finite_class.hypotheses))
    return most(everybody, everybody)


def most_of(finite_class: FiniteClass, tie: int) -> Callable[[frozenset[int], int], int]:
    """What most of a set say."""

    def predict(subset: frozenset[int], point: int) -> int:
        ones = sum(bool(finite_class.matrix[one, point]) for one in subset)
        return tie if 2 * ones == len(subset) else int(2 * ones > len(subset))

    return predict


def first(finite_class: FiniteClass, order: list[int]) -> Callable[[frozenset[int], int], int]:
    """What the first of a set says."""
    return lambda subset, point: int(finite_class.matrix[next(one for one in order if one in subset), point])


@given(tables(hypotheses=9, points=5), st.randoms())
def test_searches_find_what_going_through_all_rounds_finds(table, luck):
    """The compiled search for the worst case of consistent learners and of halving agrees with plain recursion."""
    finite_class = FiniteClass(table)
    order = list(range(finite_class.hypotheses))
    luck.shuffle(order)
    assert worst_case(Consistent(finite_class, order=order)).mistakes == plain_worst_case(
        finite_class, first(finite_class, order)
    )
    for tie in (0, 1):
        eager, lazy = Halving(finite_class, tie=tie), Halving(finite_class, tie=tie, prune="mistake")
        assert worst_case(eager).mistakes == plain_worst_case(finite_class, most_of(finite_class, tie))
        assert worst_case(lazy).mistakes == plain_worst_case(finite_class, most_of(finite_class, tie), lazy=True)


@given(tables(hypotheses=14, points=6))
def test_rounds_of_a_worst_case_force_as_many_mistakes(table):
    """A fresh learner that plays the rounds of its worst case makes that many mistakes, and the hypothesis agrees."""
    finite_class = FiniteClass(table)
    for kind, settings in EVERY:
        worst = worst_case(kind(finite_class, **settings))
        assert worst.exact
        assert kind(finite_class, **settings).play(worst.points, worst.labels).mistakes == worst.mistakes
        assert (finite_class.matrix[worst.hypothesis, worst.points] == worst.labels).all()


class Wrapped:
    """A learner of which nothing is known but what it predicts."""

    def __init__(self, learner):
        self.learner = learner

    def predict(self, point):
        return self.learner.predict(point)

    def update(self, label):
        self.learner.update(label)

    def state(self):
        return self.learner.state()


@at_most(25)
@given(tables(hypotheses=9, points=5))
def test_going_through_the_states_of_a_learner_finds_the_same(table):
    """The worst case of a learner that is known by its predictions alone is that of the learner itself."""
    finite_class = FiniteClass(table)
    for kind, settings in EVERY:
        made = kind(finite_class, **settings)
        worst, walked = worst_case(made), worst_case(Wrapped(made.clone()), finite_class)
        assert walked.exact
        assert walked.mistakes == worst.mistakes
        assert made.clone().play(walked.points, walked.labels).mistakes == worst.mistakes
        assert (finite_class.matrix[walked.hypothesis, walked.points] == walked.labels).all()


@given(tables(hypotheses=14, points=6))
def test_worst_cases_are_in_their_order(table):
    """Ldim is what the optimal algorithm pays and lazy halving at least; eager halving is never better than lazy.

    No halving pays more than floor(log2 |H|), and no consistent learner more than the rank of the class.
    """
    finite_class = FiniteClass(table)
    dimension = littlestone_dimension(finite_class).value
    for tie in (0, 1):
        assert worst_case(StandardOptimal(finite_class, tie=tie)).mistakes == dimension
        lazy = worst_case(Halving(finite_class, tie=tie, prune="mistake")).mistakes
        eager = worst_case(Halving(finite_class, tie=tie)).mistakes
        assert dimension <= lazy <= eager <= finite_class.floor_log2
    assert (
        dimension
        <= worst_case(Consistent(finite_class)).mistakes
        <= rank(finite_class)
        <= min(finite_class.hypotheses - 1, finite_class.points)
    )


@at_most(15)
@given(tables(hypotheses=7, points=4))
def test_the_worst_case_is_that_of_the_worst_target(table):
    """The most mistakes over a class are those on the worst of its targets; and each target's are what going through
    all rounds with its labels finds, and no more than the place of the target for a consistent learner."""
    finite_class = FiniteClass(table)
    everybody = range(finite_class.hypotheses)
    for kind, settings in EVERY:
        learner = kind(finite_class, **settings)
        each = [worst_case(learner, target=one) for one in everybody]
        assert max(one.mistakes for one in each) == worst_case(learner).mistakes
        for target, one in enumerate(each):
            assert one.hypothesis == target
            assert learner.clone().play(one.points, one.labels).mistakes == one.mistakes
            assert (finite_class.matrix[target, one.points] == one.labels).all()
    for target in everybody:
        assert worst_case(Consistent(finite_class), target=target).mistakes <= target
        assert worst_case(Halving(finite_class), target=target).mistakes == _of_target(finite_class, target)


def _of_target(finite_class: FiniteClass, target: int) -> int:
    """What halving pays on labels of a target, by going through all rounds."""
    predict, says = most_of(finite_class, 1), finite_class.matrix

    @cache
    def most(subset: frozenset[int]) -> int:
        best = 0
        for point in range(finite_class.points):
            after = frozenset(one for one in subset if says[one, point] == says[target, point])
            if after != subset:
                best = max(best, (predict(subset, point) != says[target, point]) + most(after))
        return best

    return most(frozenset(range(finite_class.hypotheses)))


def test_targets_of_singletons_cost_their_place():
    """Of singletons, tried in their order, the i-th target costs i mistakes: one for each hypothesis before it."""
    learner = Consistent(FiniteClass.named("singletons:6"))
    assert [worst_case(learner, target=one).mistakes for one in range(6)] == [0, 1, 2, 3, 4, 5]
    with pytest.raises(RegretlessError, match="there is no hypothesis 6"):
        worst_case(learner, target=6)


def test_worked_cases(oracles):
    """Worst cases are those of the worked cases."""
    cases = [case for case in oracles if case["id"].startswith("worst_case/")]
    assert len(cases) == 7
    for case in cases:
        finite_class = FiniteClass(case["input"]["hypotheses"])
        for name, (kind, settings) in JUDGED.items():
            assert worst_case(kind(finite_class, **settings)).mistakes == case["expected"][name], (case["id"], name)


@pytest.mark.parametrize(("name", "dimension"), [(name, ldim) for name, (_, ldim) in KNOWN.items()])
def test_named_classes(name, dimension):
    """The standard optimal algorithm errs as often as the Littlestone dimension of a named class says."""
    assert worst_case(StandardOptimal(FiniteClass.named(name))).mistakes == dimension


def test_larger_classes():
    """Worst cases of classes with too many version spaces to list are found: halfspaces, thresholds, rows of coins."""
    expected = {"thresholds:64": (64, 6), "halfspaces:4x4": (16, 7), "intervals:20": (20, 7), "conjunctions:4": (16, 5)}
    for name, (consistent, halving) in expected.items():
        finite_class = FiniteClass.named(name)
        assert worst_case(Consistent(finite_class)).mistakes == consistent, name
        assert worst_case(Halving(finite_class)).mistakes == halving, name
    assert worst_case(Halving(random_class(1000, 16))).mistakes == 9


def test_parities_cost_consistent_learners_no_more_than_optimal_ones():
    """Of the 2^k parities a consistent learner makes k mistakes at most, as their rank is k, not 2^k - 1."""
    for k in (1, 2, 3, 4, 5):
        finite_class = FiniteClass.named(f"parities:{k}")
        assert finite_class.hypotheses == 2**k
        assert (
            rank(finite_class)
            == worst_case(Consistent(finite_class)).mistakes
            == littlestone_dimension(finite_class).value
            == k
        )


# What halving pays, of all classes on a few points at once: a class is a set of the 2^points functions, a whole number.


def all_classes(points: int) -> dict[str, list[int]]:
    """For every class on so many points its size, its dimension, and what learners pay in the worst case."""
    functions = 1 << points
    says = [sum(1 << function for function in range(functions) if function >> point & 1) for point in range(points)]
    learners = ("eager 1", "eager 0", "lazy 1", "lazy 0", "best ties", "lazy with best ties")
    size, ldim, *costs = ([0] * (1 << functions) for _ in range(2 + len(learners)))
    for these in range(1, 1 << functions):
        size[these] = size[these >> 1] + (these & 1)
        for column in says:
            zeros, ones = these & ~column, these & column
            if not zeros or not ones:
                continue
            ldim[these] = max(ldim[these], 1 + min(ldim[zeros], ldim[ones]), ldim[zeros], ldim[ones])
            for place, cost in enumerate(costs):
                cost[these] = max(cost[these], after_a_point(cost, zeros, ones, size[zeros] - size[ones], place))
    return {"size": size, "ldim": ldim} | dict(zip(learners, costs, strict=True))


def after_a_point(cost: list[int], zeros: int, ones: int, lead: int, place: int) -> int:
    """What halving can be made to pay if a point is asked that splits a class so; `lead` is by how many zeros lead."""
    lazy = place in (2, 3, 5)
    predicts_one = [1 + cost[zeros], 0 if lazy else cost[ones]]
    predicts_zero = [1 + cost[ones], 0 if lazy else cost[zeros]]
    if lead or place < 4:
        return max(predicts_one if lead < 0 or (lead == 0 and place in (0, 2)) else predicts_zero)
    return min(max(predicts_one), max(predicts_zero))


@pytest.mark.parametrize("points", [1, 2, 3])
def test_on_three_points_halving_is_optimal(points):
    """Of all classes on up to three points there is none on which halving pays more than the Littlestone dimension."""
    classes = all_classes(points)
    for learner in ("eager 1", "eager 0", "lazy 1", "lazy 0", "best ties"):
        assert classes[learner] == classes["ldim"]


def test_on_four_points_ties_matter_and_nothing_else():
    """Of all classes on four points, those on which halving is not optimal have eight functions, and better ties help.

    1,456 of 65,535 classes are such with ties to 1, and 288 with ties to 0 as well; pruning late never helps.
    """
    classes = all_classes(4)
    worse = [classes["eager 1"][these] > classes["ldim"][these] for these in range(1 << 16)]
    assert {classes["size"][these] for these in range(1 << 16) if worse[these]} == {8}
    assert sum(worse) == 1456
    both = [
        min(classes["eager 0"][these], classes["eager 1"][these]) > classes["ldim"][these] for these in range(1 << 16)
    ]
    assert sum(both) == 288
    assert classes["best ties"] == classes["ldim"] == classes["lazy with best ties"]
    assert classes["eager 1"] == classes["lazy 1"]
    assert classes["eager 0"] == classes["lazy 0"]


def test_searches_agree_with_the_table_of_all_classes():
    """The worst case of halving is what the table of all classes on four points says, for every 97th class."""
    classes = all_classes(4)
    for these in range(1, 1 << 16, 97):
        rows = [[function >> point & 1 for point in range(4)] for function in range(16) if these >> function & 1]
        judged = FiniteClass(rows)
        for learner, settings in {
            "eager 1": {},
            "eager 0": {"tie": 0},
            "lazy 1": {"prune": "mistake"},
            "lazy 0": {"tie": 0, "prune": "mistake"},
        }.items():
            assert worst_case(Halving(judged, **settings)).mistakes == classes[learner][these]


def test_ties_matter():
    """On one class of eight functions halving errs three times if ties predict 1 and twice if they predict 0."""
    finite_class = FiniteClass(TIES_MATTER)
    assert littlestone_dimension(finite_class).value == worst_case(StandardOptimal(finite_class)).mistakes == 2
    assert [worst_case(Halving(finite_class, tie=tie)).mistakes for tie in (0, 1)] == [2, 3]


def cost_with_best_ties(finite_class: FiniteClass, lazy: bool = False) -> int:
    """What halving pays at least, whatever ties predict and whatever that answers to."""
    says = finite_class.matrix

    @cache
    def cost(subset: frozenset[int]) -> int:
        best = 0
        for point in range(finite_class.points):
            parts = [frozenset(one for one in subset if says[one, point] == label) for label in (0, 1)]
            if not all(parts):
                continue
            paid = [max(1 + cost(parts[1 - label]), 0 if lazy else cost(parts[label])) for label in (0, 1)]
            lead = len(parts[1]) - len(parts[0])
            best = max(best, min(paid) if lead == 0 else paid[lead > 0])
        return best

    return cost(frozenset(range(finite_class.hypotheses)))


def test_no_ties_make_halving_optimal():
    """On one class of nine functions on five points halving errs three times whatever ties predict; two are optimal.

    By the table of all classes four points are too few for that, and by the test below eight functions are.
    """
    finite_class = written(NO_TIE_HELPS)
    assert (finite_class.hypotheses, finite_class.points) == (9, 5)
    assert littlestone_dimension(finite_class).value == worst_case(StandardOptimal(finite_class)).mistakes == 2
    assert cost_with_best_ties(finite_class) == cost_with_best_ties(finite_class, lazy=True) == 3
    assert {worst_case(Halving(finite_class, tie=tie)).mistakes for tie in (0, 1)} == {3}


@given(tables(hypotheses=8, points=7))
def test_of_eight_functions_halving_with_good_ties_is_optimal(table):
    """On at most eight functions halving with the best ties pays no more than the Littlestone dimension."""
    finite_class = FiniteClass(table)
    assert (
        cost_with_best_ties(finite_class)
        == cost_with_best_ties(finite_class, lazy=True)
        == littlestone_dimension(finite_class).value
    )


def test_pruning_late_may_be_better():
    """On one class of nine functions on five points halving that prunes always errs three times, the lazy one twice."""
    finite_class = written(LAZY_IS_BETTER)
    assert (finite_class.hypotheses, finite_class.points) == (9, 5)
    for tie in (0, 1):
        assert worst_case(Halving(finite_class, tie=tie)).mistakes == 3
        assert worst_case(Halving(finite_class, tie=tie, prune="mistake")).mistakes == 2


@given(tables(hypotheses=12, points=6), st.data())
def test_halving_is_a_weighted_majority_without_mercy(table, data):
    """With beta = 0 the weighted majority of the hypotheses is halving with ties to 1, on labels of a hypothesis.

    If it updates after mistakes alone that is the lazy one, else the one that prunes always.
    """
    finite_class = FiniteClass(table)
    target = data.draw(st.integers(0, finite_class.hypotheses - 1))
    points = data.draw(st.lists(st.integers(0, finite_class.points - 1), max_size=15))
    worst = worst_case(Halving(finite_class, prune="mistake"))
    for queries, labels in ((points, finite_class.matrix[target, points]), (worst.points, worst.labels)):
        for prune, update_on in (("mistake", "mistake"), ("always", "always")):
            voted = WeightedMajority(beta=0.0, update_on=update_on)
            halved = Halving(finite_class, prune=prune).play(queries, labels)
            if len(queries):
                played = voted.play(finite_class.matrix[:, queries].T.astype(float), np.asarray(labels, dtype=float))
                assert (played.predictions == halved.predictions).all()


# Searches that are ended before.


def hard() -> FiniteClass:
    """A class whose worst case of consistent learners takes millions of steps."""
    return random_class(1000, 16)


def test_what_is_known_when_time_is_over_is_true():
    """A search that is ended says so, its interval holds the worst case, and its rounds force the lower number."""
    learner = Consistent(hard())
    worst = worst_case(learner, limit=0.01)
    assert worst.stopped == "the time limit was reached"
    assert not worst.exact
    assert 10 <= worst.lower < worst.upper <= 16
    assert learner.play(worst.points, worst.labels).mistakes == worst.lower
    assert str(worst) == f"{worst.lower} to {worst.upper}"
    assert worst.describe()["mistakes"] == [worst.lower, worst.upper]
    with pytest.raises(RegretlessError, match=f"the time limit was reached; it is only known to be {worst}"):
        _ = worst.mistakes


def test_a_search_can_be_stopped_and_watched():
    """A search asks whether to stop, tells how far it is, and lets an interrupt through."""
    calls = []
    learner = Consistent(hard())
    worst = worst_case(learner, on_progress=lambda *news: calls.append(news), stop=lambda: len(calls) >= 3)
    assert worst.stopped == "it was stopped"
    assert len(calls) == 3
    assert all(steps > 0 and lower <= upper for steps, lower, upper in calls)

    def interrupt(*_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        worst_case(learner, on_progress=interrupt)


def test_a_dimension_that_is_not_known_bounds_the_optimal_algorithm(monkeypatch):
    """Of the standard optimal algorithm there is an interval, without rounds, if the search for it was ended."""
    finite_class = FiniteClass.named("thresholds:7")
    known = replace(littlestone_dimension(finite_class), upper=5)
    monkeypatch.setattr("regretless.finite_classes.forced_mistakes.littlestone_dimension", lambda *_, **__: known)
    for settings, why in (({"limit": 0.0}, "the time limit was reached"), ({"stop": lambda: True}, "it was stopped")):
        worst = worst_case(StandardOptimal(finite_class), **settings)
        assert (worst.lower, worst.upper, worst.stopped) == (3, 5, why)
        assert len(worst.points) == len(worst.labels) == 0


@pytest.mark.kernel
def test_memory_that_runs_out_ends_a_search():
    """A search that may keep little says that it is full, and what it knows is true."""
    result = hard()
    search = _core.WorstCaseSearch(result.columns, result.hypotheses, first=True, memory=1 << 20)
    lower, upper, steps, full = search.run(1 << 24)
    assert full
    assert lower < upper
    assert search.run(1 << 10) == (lower, upper, steps, True)
    points, labels, hypothesis = search.trace()
    assert Consistent(result).play(points, labels).mistakes == lower
    assert result.matrix[hypothesis, points].tolist() == labels


@pytest.mark.kernel
@pytest.mark.parametrize("settings", [{"first": True}, {"tie": 0}, {"lazy": True}])
def test_searches_are_the_same_on_all_instruction_sets(isas, settings):
    """Bounds, steps and rounds do not depend on the instruction set, nor on how a search is cut into slices."""
    finite_class = FiniteClass(np.random.default_rng(5).random((150, 9)) < 0.3)
    events = []
    for isa in isas:
        _core.use_isa(isa)
        for size in (1, 7, 1 << 20):
            search = _core.WorstCaseSearch(finite_class.columns, finite_class.hypotheses, **settings)
            lower, upper, steps, full = search.run(size)
            while lower < upper:
                lower, upper, steps, full = search.run(size)
            events.append((lower, upper, steps, full, search.trace()))
    assert all(one == events[0] for one in events)


@pytest.mark.kernel
def test_a_search_refuses_what_makes_no_sense():
    """A search of no words, with a tie of 2, or of columns that do not fit the hypotheses raises."""
    columns = np.ones((3, 1), dtype=np.uint64)
    with pytest.raises(ValueError, match="one bit per hypothesis"):
        _core.WorstCaseSearch(columns, 65)
    with pytest.raises(ValueError, match="a tie predicts 0 or 1"):
        _core.WorstCaseSearch(columns, 1, tie=2)
    with pytest.raises(ValueError, match="one word at least"):
        _core.WorstCaseSearch(columns, 1).run(0)
    with pytest.raises(ValueError, match="a mebibyte of memory at least"):
        _core.WorstCaseSearch(columns, 1, memory=-1)
    with pytest.raises(ValueError, match="a bit beyond the last hypothesis"):
        _core.WorstCaseSearch(columns << np.uint64(1), 1)
    with pytest.raises(ValueError, match="one point at least"):
        _core.WorstCaseSearch(columns[:0], 1)


def test_the_class_is_packed_again_for_other_orders_alone(monkeypatch):
    """In the order in which hypotheses stand, the class is searched as it is; in another one its bits are moved."""
    packed_again = []
    moved = forced_mistakes.transposed
    monkeypatch.setattr(forced_mistakes, "transposed", lambda *args: packed_again.append(args) or moved(*args))
    finite_class = random_class(150, 9)
    once = worst_case(Consistent(finite_class))
    assert worst_case(Consistent(finite_class, order=range(finite_class.hypotheses))).mistakes == once.mistakes
    assert not packed_again
    order = np.random.default_rng(1).permutation(finite_class.hypotheses)
    reordered = FiniteClass(finite_class.matrix[order])
    assert worst_case(Consistent(finite_class, order=order)).mistakes == worst_case(Consistent(reordered)).mistakes
    assert len(packed_again) == 1


# Learners that somebody else made.


class Repeats:
    """Predicts the last label again."""

    def __init__(self, last=0):
        self.last = last

    def predict(self, point):
        return self.last

    def update(self, label):
        self.last = label

    def state(self):
        return self.last


class Counts(Repeats):
    """Predicts 1 in every third round."""

    def predict(self, point):
        return int(self.last % 3 == 2)

    def update(self, label):
        self.last += 1


class Turns(Counts):
    """Goes round three states."""

    def update(self, label):
        self.last = (self.last + 1) % 3


def test_who_never_learns_errs_without_end():
    """Where mistakes have no end that is found, with rounds that come back to where they began."""
    worst = worst_case(Repeats(), [[0, 1]])
    assert isinf(worst.mistakes)
    assert worst.exact
    assert str(worst) == "without end"
    assert worst.describe()["mistakes"] is None
    learner, states, wrong = Repeats(), [0], []
    for point, label in zip(worst.points, worst.labels, strict=True):
        wrong.append(learner.predict(point) != label)
        learner.update(label)
        states.append(learner.state())
    begin = states.index(states[-1])
    assert begin < len(wrong)
    assert any(wrong[begin:])
    assert worst_case(Repeats(), [[0, 0]]).mistakes == 0
    assert worst_case(Repeats(), [[1, 1]]).mistakes == 1
    assert isinf(worst_case(Turns(), [[0, 0], [0, 1]]).mistakes)


class Sees(Repeats):
    """Predicts 0, going to and fro between two states, until a label is 1; then 1 for ever."""

    def predict(self, point):
        return int(self.last == 2)

    def update(self, label):
        self.last = 2 if label or self.last == 2 else 1 - self.last


def test_states_that_go_round_without_a_mistake_do_no_harm():
    """A learner may come back to a state as long as it made no mistake on the way."""
    assert isinf(worst_case(Sees(), [[0, 1]]).mistakes)  # of point 0 it is wrong for ever once it saw point 1
    worst = worst_case(Sees(), [[1], [0]])
    assert worst.mistakes == 1
    assert worst.labels.tolist() == [1]


def test_states_without_end_need_a_limit():
    """Of a learner with ever new states the mistakes so far are known, and no upper bound."""
    worst = worst_case(Counts(), [[0, 0]], limit=0.05)
    assert worst.stopped == "the time limit was reached"
    assert worst.upper == inf
    assert worst.lower > 3
    assert str(worst) == f"{worst.lower} or more"
    learner, wrong = Counts(), 0
    for point, label in zip(worst.points, worst.labels, strict=True):
        wrong += learner.predict(point) != label
        learner.update(label)
    assert wrong == worst.lower


def test_a_learner_of_a_class_may_be_judged_on_a_smaller_one():
    """Halving of all functions pays more for singletons than halving of singletons; who was played is judged afresh."""
    everything, singletons = FiniteClass.named("all:4"), FiniteClass.named("singletons:4")
    learner = Halving(everything)
    learner.play([0, 1], [1, 0])
    assert worst_case(learner).mistakes == 4
    assert worst_case(learner, singletons).mistakes == 3
    assert worst_case(Halving(singletons), singletons.matrix).mistakes == 1


def test_worst_cases_that_make_no_sense_are_refused():
    """Learners that draw labels, that have no class, or that predict something else are refused by name."""
    with pytest.raises(RegretlessError, match="RandomizedOptimal draws its predictions"):
        worst_case(RandomizedOptimal(FiniteClass.named("thresholds:3")))
    with pytest.raises(RegretlessError, match="needs a finite_class="):
        worst_case(Repeats())
    with pytest.raises(RegretlessError, match="predicts -1 for point 0; 0 or 1 is expected"):
        worst_case(Repeats(-1), [[0, 1]])
