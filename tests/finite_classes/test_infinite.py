"""Halfspaces have no mistake bound: the dyadic tree, in exact fractions."""

from __future__ import annotations

from fractions import Fraction
from itertools import count, islice
from math import inf
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regretless.errors import RegretlessError
from regretless.finite_classes import Halfspaces, dyadic_tree, littlestone_dimension, vc_dimension
from regretless.finite_classes.halfspaces import DyadicTree

LABELS = st.lists(st.integers(0, 1), max_size=200)


@pytest.mark.parametrize("depth", range(11))
def test_every_path_of_the_tree_has_its_halfspace(depth: int) -> None:
    """At every depth the inner products of all 2^depth halfspaces have the signs of their paths."""
    tree = dyadic_tree(depth)
    tree.check()
    assert len(list(tree.paths())) == 2**depth


def test_the_tree_of_depth_two_as_worked_by_hand() -> None:
    """The points are 1/2, then 1/4 and 3/4, and the halfspaces lie at the odd eighths."""
    halves, borders = [], []
    for _, points, weights in dyadic_tree(2).paths():
        assert all(one == 1 for _, one in points)
        assert weights[0] == -1
        halves.append([middle for middle, _ in points])
        borders.append(weights[1])
    quarters = [Fraction(k, 4) for k in (1, 1, 3, 3)]
    assert halves == [[Fraction(1, 2), quarter] for quarter in quarters]
    assert borders == [Fraction(k, 8) for k in (1, 3, 5, 7)]


@given(LABELS)
def test_a_path_may_be_of_any_length(labels: list[int]) -> None:
    """Along any labels every inner product has the sign of its label, and the margin is the least of them."""
    tree = dyadic_tree(0)
    weights = tree.hypothesis(labels)
    products = []
    for label, point in zip(labels, tree.path(labels), strict=False):
        products.append(sum(w * v for w, v in zip(weights, point, strict=True)))
        assert (products[-1] > 0) == label
    assert tree.margin(labels) == min(map(abs, products), default=Fraction(1, 2))


@given(LABELS)
def test_points_one_by_one_are_those_of_the_path(labels: list[int]) -> None:
    """The lazy path asks the points that each beginning of the labels asks by itself."""
    tree = dyadic_tree(3)
    assert list(tree.path(labels)) == [tree.point(labels[:k]) for k in range(len(labels) + 1)]


def test_labels_may_never_end() -> None:
    """The path looks at a label only after its point was asked."""
    ones = (1 for _ in count())
    middles = [middle for middle, _ in islice(dyadic_tree(0).path(ones), 100)]
    assert middles == [1 - Fraction(1, 2**k) for k in range(1, 101)]


def test_a_tree_that_is_not_shattered_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """A halfspace on the wrong side of one point is named with its path and round."""
    right = DyadicTree.hypothesis

    def wrong(self: DyadicTree, labels: Any) -> Any:
        return (Fraction(-1), Fraction(1, 4)) if tuple(labels) == (0, 1, 0) else right(self, labels)

    monkeypatch.setattr(DyadicTree, "hypothesis", wrong)
    with pytest.raises(RegretlessError, match="round 2 of its path 010"):
        dyadic_tree(3).check()


@pytest.mark.kernel
@pytest.mark.parametrize("depth", range(7))
def test_its_points_and_halfspaces_are_a_finite_class(depth: int) -> None:
    """The 2^depth halfspaces at the leaves are thresholds on the tree's points: Littlestone dimension depth, VC 1."""
    finite_class, tree = dyadic_tree(depth).finite()
    tree.check(finite_class)
    assert tree.depth == depth
    assert finite_class.hypotheses == 2**depth
    assert littlestone_dimension(finite_class).value == depth
    assert vc_dimension(finite_class).value == min(depth, 1)
    order = np.argsort(finite_class.matrix.sum(axis=1))
    assert (np.diff(finite_class.matrix[order].astype(int), axis=0) >= 0).all()


def test_the_json_form() -> None:
    """Fractions are written as they are."""
    leaf = {"0": {"h": ["-1", "1/4"]}, "1": {"h": ["-1", "3/4"]}}
    assert dyadic_tree(1).nested() == {"x": ["1/2", "1"], **leaf}
    assert dyadic_tree(0).nested() == {"h": ["-1", "1/2"]}


@pytest.mark.parametrize("dimension", [1, 2, 3, 10])
@pytest.mark.parametrize("affine", [False, True])
def test_dimensions_of_halfspaces(dimension: int, affine: bool) -> None:
    """The VC dimension counts the weights, and the Littlestone dimension is infinite unless there is only one."""
    halfspaces = Halfspaces(dimension, affine=affine)
    weights = dimension + affine
    assert halfspaces.vc_dimension() == weights
    assert halfspaces.littlestone_dimension() == (1 if weights == 1 else inf)
    assert ("margin" in halfspaces.why()) == (weights > 1)


def test_what_is_no_tree_and_no_space() -> None:
    """A negative depth, a space without dimension and a label that is none are refused."""
    with pytest.raises(RegretlessError, match="depth -1"):
        dyadic_tree(-1)
    with pytest.raises(RegretlessError, match="dimension 0"):
        Halfspaces(0)
    with pytest.raises(RegretlessError, match="label 2"):
        dyadic_tree(1).point([2])
    with pytest.raises(RegretlessError, match="label -1"):
        list(dyadic_tree(1).path([-1]))


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_worked_trees(depth: int, oracles: list[dict[str, Any]]) -> None:
    """Worked by hand: all points and all halfspaces of the first depths."""
    (case,) = (case for case in oracles if case["id"] == f"ldim_infinite/dyadic_tree_depth_{depth}")
    results = [
        {
            "path": list(labels),
            "instances": [[str(middle), int(one)] for middle, one in points],
            "witness_w": [int(weights[0]), str(weights[1])],
        }
        for labels, points, weights in dyadic_tree(depth).paths()
    ]
    assert results == case["expected"]["paths"]


@pytest.mark.parametrize("depth", [1.5, -1, True])
def test_a_depth_is_a_whole_number(depth):
    """A dyadic tree of no whole depth is refused."""
    with pytest.raises(RegretlessError, match="whole number from 0"):
        dyadic_tree(depth)
