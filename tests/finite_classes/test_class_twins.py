"""Compiled searches and learners of finite classes beside their textbook twins."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from regretless.finite_classes import (
    Consistent,
    FiniteClass,
    Halving,
    RandomizedOptimal,
    StandardOptimal,
    littlestone_dimension,
    randomized_littlestone_dimension,
    vc_dimension,
    worst_case,
)
from regretless.textbook import finite_classes as textbook

from .small_classes import KNOWN, TIES_MATTER

pytestmark = pytest.mark.kernel


def as_set(finite_class: FiniteClass) -> textbook.Class:
    return frozenset(in_order(finite_class))


def in_order(finite_class: FiniteClass) -> list[textbook.Hypothesis]:
    return [tuple(row) for row in finite_class.matrix.astype(int).tolist()]


@st.composite
def classes(draw: st.DrawFn, points: int = 6, rows: int = 24) -> FiniteClass:
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    shape = draw(st.integers(1, rows)), draw(st.integers(1, points))
    return FiniteClass(rng.random(shape) < draw(st.sampled_from([0.5, 0.25])))


@st.composite
def plays(draw: st.DrawFn) -> tuple[FiniteClass, list[int], list[int]]:
    """A class and rounds labelled by one of its hypotheses."""
    finite_class = draw(classes())
    truth = finite_class.matrix[draw(st.integers(0, finite_class.hypotheses - 1))]
    points = draw(st.lists(st.integers(0, finite_class.points - 1), max_size=15))
    return finite_class, points, [int(truth[point]) for point in points]


def small(name: str) -> bool:
    return FiniteClass.named(name).points <= 9


@given(classes())
def test_dimensions_of_random_classes(finite_class: FiniteClass) -> None:
    """All three dimensions are those of their definitions."""
    H = as_set(finite_class)
    assert vc_dimension(finite_class).value == textbook.vc_dimension(H)
    assert littlestone_dimension(finite_class).value == textbook.littlestone_dimension(H)
    assert randomized_littlestone_dimension(finite_class).value == textbook.randomized_littlestone_dimension(H)


@pytest.mark.parametrize("name", [name for name in KNOWN if small(name)])
def test_dimensions_of_named_classes(name: str) -> None:
    """The definitions give the numbers that the books give."""
    H = as_set(FiniteClass.named(name))
    assert (textbook.vc_dimension(H), textbook.littlestone_dimension(H)) == KNOWN[name]


def test_the_empty_class_costs_less_than_one_function() -> None:
    """The Littlestone dimension of none is -1, of one function 0, and of two 1, half of it in expectation."""
    one, other = (0, 1), (1, 1)
    sizes = [frozenset[tuple[int, ...]](), frozenset({one}), frozenset({one, other})]
    assert [textbook.littlestone_dimension(H) for H in sizes] == [-1, 0, 1]
    assert textbook.randomized_littlestone_dimension(sizes[2]) == Fraction(1, 2)


@given(plays(), st.integers(0, 1), st.randoms(use_true_random=False))
def test_learners_predict_as_their_twins(played: Any, tie: int, random: Any) -> None:
    """Consistent in any order, halving with either tie and pruning, and the standard optimal algorithm agree."""
    finite_class, points, labels = played
    H, rows = as_set(finite_class), in_order(finite_class)
    order = random.sample(range(len(rows)), len(rows))
    pairs = [
        (Consistent(finite_class), textbook.consistent(rows), False),
        (Consistent(finite_class, order=order), textbook.consistent([rows[place] for place in order]), False),
        (Halving(finite_class, tie=tie), lambda V, x: textbook.halving(V, x, tie), False),
        (Halving(finite_class, tie=tie, prune="mistake"), lambda V, x: textbook.halving(V, x, tie), True),
        (StandardOptimal(finite_class, tie=tie), lambda V, x: textbook.standard_optimal(V, x, tie), False),
    ]
    for learner, twin, lazy in pairs:
        predictions, alive = textbook.play(twin, H, points, labels, lazy)
        assert learner.play(points, labels).predictions.tolist() == predictions
        assert learner.ledger_.voters == len(alive)


@given(plays())
@settings(max_examples=30)
def test_the_randomised_learner_has_the_probabilities_of_its_twin(played: Any) -> None:
    """Round by round the probability of 1 is that of the definition."""
    finite_class, points, labels = played
    learner, V = RandomizedOptimal(finite_class, random_state=0), as_set(finite_class)
    for point, label in zip(points, labels, strict=True):
        assert learner.forecast(point) == textbook.randomized_optimal(V, point)
        learner.predict(point)
        learner.update(label)
        V = textbook.agreeing(V, point, label)


@given(classes(points=5, rows=10), st.integers(0, 1))
@settings(max_examples=30)
def test_worst_cases_are_those_of_the_definition(finite_class: FiniteClass, tie: int) -> None:
    """The most mistakes of every learner, found by going through all rounds that change something."""
    H = as_set(finite_class)
    twins: list[tuple[Any, textbook.Learner, bool]] = [
        (Consistent(finite_class), textbook.consistent(in_order(finite_class)), False),
        (Halving(finite_class, tie=tie), lambda V, x: textbook.halving(V, x, tie), False),
        (Halving(finite_class, tie=tie, prune="mistake"), lambda V, x: textbook.halving(V, x, tie), True),
        (StandardOptimal(finite_class, tie=tie), lambda V, x: textbook.standard_optimal(V, x, tie), False),
    ]
    for learner, twin, lazy in twins:
        assert worst_case(learner).mistakes == textbook.worst_case(twin, H, lazy)
    assert textbook.worst_case(twins[-1][1], H) == textbook.littlestone_dimension(H)


def test_ties_matter_for_halving_by_the_definition() -> None:
    """Eight functions cost halving three mistakes if ties go to 1 and two if they go to 0; two is optimal."""
    H = frozenset(TIES_MATTER)
    worst = [textbook.worst_case(lambda V, x, tie=tie: textbook.halving(V, x, tie), H) for tie in (0, 1)]
    assert worst == [2, 3]
    assert textbook.worst_case(textbook.standard_optimal, H) == textbook.littlestone_dimension(H) == 2
    assert textbook.worst_case(textbook.consistent(TIES_MATTER), H) == 4


@given(classes(points=4, rows=9))
@settings(max_examples=30)
def test_no_labels_cost_the_randomised_learner_more_than_its_dimension(finite_class: FiniteClass) -> None:
    """Along every sequence the expected mistakes and what is left to pay never exceed what there was to pay."""

    def most(V: textbook.Class) -> Fraction:
        costs = [Fraction(0)]
        for x, y in product(textbook.splitting(V), (0, 1)):
            costs.append(abs(textbook.randomized_optimal(V, x) - y) + most(textbook.agreeing(V, x, y)))
        return max(costs)

    H = as_set(finite_class)
    assert most(H) == textbook.randomized_littlestone_dimension(H)


def test_worked_worst_cases(oracles: list[dict[str, Any]]) -> None:
    """Worked worst cases of every learner, and worked plays."""
    met = 0
    for case in oracles:
        if not case["id"].startswith("worst_case/"):
            continue
        order = [tuple(row) for row in case["input"]["hypotheses"]]
        H, expected = frozenset(order), case["expected"]
        assert textbook.worst_case(textbook.consistent(order), H) == expected["consistent"]
        assert textbook.worst_case(textbook.halving, H) == expected["halving_eager_tie1"]
        assert textbook.worst_case(lambda V, x: textbook.halving(V, x, 0), H) == expected["halving_eager_tie0"]
        assert textbook.worst_case(textbook.halving, H, lazy=True) == expected["halving_lazy_tie1"]
        assert textbook.worst_case(textbook.standard_optimal, H) == expected["soa"]
        met += 1
    assert met >= 7
