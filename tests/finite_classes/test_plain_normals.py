"""Halfspaces are named by inequalities of small numbers, which say what the halfspaces say."""

from __future__ import annotations

import re
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regretless.errors import RegretlessError
from regretless.finite_classes import FiniteClass

from ..command_line import CommandLine

coordinates = st.one_of(st.integers(-3, 3), st.fractions(-2, 2, max_denominator=6), st.sampled_from([10**30, 0.1, 1e9]))


def inequality(name: str, point: list[Fraction]) -> bool:
    """What an inequality says of a point."""
    left, _, right = name.partition(" > ")
    total = Fraction(0)
    for sign, weight, axis in re.findall(r"(-?)\s?\+?\s?(?:(\d+) )?x(\d+)", left):
        total += (-1 if sign else 1) * int(weight or 1) * point[int(axis) - 1]
    return total > Fraction(right)


@given(
    st.integers(1, 3).flatmap(
        lambda size: st.lists(st.lists(coordinates, min_size=size, max_size=size), min_size=1, max_size=5)
    ),
    st.booleans(),
)
def test_names_say_what_halfspaces_say(points, homogeneous):
    """Each hypothesis is 1 on exactly the points at which its inequality holds, however large their numbers."""
    if homogeneous and not all(any(point) for point in points):
        return
    made = FiniteClass.halfspaces(points, homogeneous=homogeneous)
    exact = [[Fraction(number) for number in point] for point in points]
    for name, row in zip(made.hypothesis_names, made.matrix.tolist(), strict=True):
        assert [inequality(name, point) for point in exact] == row


@pytest.mark.parametrize(("named", "most"), [("halfspaces:3x4", 4), ("halfspaces:10x10", 9), ("halfspaces:cube:4", 3)])
def test_weights_are_small(named, most):
    """On grids no weight is larger than it need be by much."""
    weights = [
        int(weight) for name in FiniteClass.named(named).hypothesis_names for weight in re.findall(r"(\d+) x", name)
    ]
    assert max(weights) <= most


def test_axes_are_called_as_in_the_file(capsys, monkeypatch, tmp_path):
    """The first row of a file of points names the coordinates in the inequalities."""
    path = tmp_path / "points.csv"
    path.write_text("name,height,mass\nflea,0,0\nmouse,0,1\nstork,1,0\nhorse,1,1\n")
    report = CommandLine(capsys, monkeypatch)("dimension", "--points", path, "--json").json
    assert "height - mass > 0.5" in str(report["tree"])
    assert "x1" not in str(report["tree"])
    with pytest.raises(RegretlessError, match="1 names of axes; points have 2 coordinates"):
        FiniteClass.halfspaces(np.eye(2), axes=["x"])
