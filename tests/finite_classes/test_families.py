"""Families of classes by name, and what hyperplanes say of points."""

from __future__ import annotations

import re
from fractions import Fraction
from itertools import combinations, product
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regretless.errors import RegretlessError
from regretless.finite_classes import FiniteClass, families
from regretless.finite_classes.dichotomies import dichotomies
from regretless.finite_classes.families import FAMILIES, usage

# What each family's hypotheses are, written down a second time: (points, functions).
BITS = {k: list(product((0, 1), repeat=k)) for k in range(1, 5)}
DEFINITIONS = {
    "thresholds:5": (range(5), [lambda x, a=a: x >= a for a in range(6)]),
    "intervals:4": (range(4), [lambda x, a=a, b=b: a <= x < b for a in range(5) for b in range(a, 5)]),
    "singletons:4": (range(4), [lambda x, a=a: x == a for a in range(4)]),
    "singletons-and-zero:4": (range(4), [lambda x, a=a: x == a for a in range(5)]),
    "parities:3": (BITS[3], [lambda x, s=s: sum(map(int.__mul__, s, x)) % 2 for s in BITS[3]]),
    "conjunctions:3": (
        BITS[3],
        [lambda x, t=t: all(c in (2, b) for c, b in zip(t, x, strict=True)) for t in product((0, 1, 2), repeat=3)]
        + [lambda x: False],
    ),
    "disjunctions:4": (BITS[4], [lambda x, s=s: any(map(int.__mul__, s, x)) for s in BITS[4]]),
    "all:4": (range(4), [lambda x, s=s: s[x] for s in BITS[4]]),
    "at-most-k:4,2": (range(4), [lambda x, s=s: x in s for k in range(3) for s in combinations(range(4), k)]),
    "exactly-k:4,3": (range(4), [lambda x, s=s: x in s for s in combinations(range(4), 3)]),
}
SIZES = {
    "thresholds:20": (21, 20),
    "intervals:12": (79, 12),
    "singletons:1": (1, 1),
    "singletons-and-zero:1": (2, 1),
    "parities:4": (16, 16),
    "conjunctions:1": (4, 2),
    "conjunctions:2": (10, 4),
    "disjunctions:3": (8, 8),
    "all:10": (1024, 10),
    "at-most-k:8,2": (37, 8),
    "at-most-k:3,9": (8, 3),
    "at-most-k:3,0": (1, 3),
    "exactly-k:5,2": (10, 5),
    "halfspaces:2x2": (14, 4),
    "halfspaces:cube:2": (14, 4),
    "halfspaces:cube:3": (104, 8),
    "halfspaces:cube:4": (1882, 16),
    "halfspaces:3x3": (58, 9),
    "halfspaces:3x4": (100, 12),
    "halfspaces:4x4": (174, 16),
    "halfspaces:5": (10, 5),
    "homogeneous-halfspaces:signs:2": (4, 4),
    "homogeneous-halfspaces:signs:3": (14, 8),
}


def inequality(name: str) -> tuple[tuple[int, int], Fraction]:
    """The weights of x1 and x2 and the offset that a half-plane's name tells."""
    left, right = name.split(" > ")
    weights = {"x1": 0, "x2": 0}
    for part in left.replace(" - ", " + -").split(" + "):
        number, variable = re.fullmatch(r"(-?\d*) ?(x[12]|0)", part).groups() if part != "0" else ("0", "x1")
        weights[variable] = int(number) if number not in ("", "-") else int(f"{number}1")
    return (weights["x1"], weights["x2"]), Fraction(right)


@pytest.mark.parametrize("name", DEFINITIONS)
def test_families_are_what_they_are_said_to_be(name):
    """The hypotheses are those of the definition, as often as it has them, and the points come in its order."""
    points, functions = DEFINITIONS[name]
    expected = {tuple(bool(function(point)) for point in points) for function in functions}
    made = FiniteClass.named(name)
    assert {tuple(row) for row in made.matrix.tolist()} == expected
    assert made.table_rows == made.hypotheses == len(expected)


@pytest.mark.parametrize("name", SIZES)
def test_sizes(name):
    """Each class has as many different hypotheses and points as it is known to have."""
    made = FiniteClass.named(name)
    assert (made.hypotheses, made.points) == SIZES[name]


def test_worked_cases(oracles):
    """The sizes are those of exact slow programs."""
    hyphened = {"singletons_and_zero": "singletons-and-zero", "parities": "parities", "all_functions": "all"}
    hyphened |= {"at_most_k_ones": "at-most-k", "exactly_k_ones": "exactly-k", "intervals_and_empty": "intervals"}
    hyphened |= {"conjunctions_with_false": "conjunctions", "singletons": "singletons", "thresholds": "thresholds"}
    count = 0
    for case in oracles:
        if case["topic"] != "dimension" or "cls" not in case["input"] or "params" not in case["input"]:
            continue
        family, params = case["input"]["cls"], case["input"]["params"]
        if "halfspaces" in family:
            made = FiniteClass.halfspaces(params, homogeneous=family.startswith("homogeneous"))
        else:
            made = FiniteClass.named(f"{hyphened[family]}:{','.join(map(str, params))}")
        assert made.hypotheses == case["expected"]["size"]
        count += 1
    assert count > 20


def test_every_family_is_named_by_its_usage():
    """Each usage with numbers in place of its letters names a class of the family."""
    for name, family in FAMILIES.items():
        text = usage(name).replace("AxB", "2x3").replace("N", "3").replace("K", "2")
        assert FiniteClass.named(text).points > 0
        assert family.about


def test_families_are_not_written():
    """Nobody can take a family out of the public table, or put one in."""
    with pytest.raises(TypeError):
        FAMILIES["thresholds"] = FAMILIES["intervals"]


def test_names_are_read_with_tolerance():
    """Capitals, underscores and blanks make no difference."""
    assert FiniteClass.named(" At_Most_K: 8 , 2 ") == FiniteClass.named("at-most-k:8,2")
    assert FiniteClass.named("HALFSPACES:Cube:2") == FiniteClass.named("halfspaces:cube:2")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("spheres:3", "there is no family called 'spheres'; there are: thresholds:N, intervals:N"),
        ("thresholds", "'thresholds' names no class; thresholds:N is expected"),
        ("thresholds:x", "thresholds:N is expected, with whole numbers"),
        ("thresholds:-1", "thresholds:N is expected"),
        ("thresholds:1,2", "thresholds:N is expected"),
        ("at-most-k:8", "at-most-k:N,K is expected"),
        ("thresholds:0", "no point, or no hypothesis;"),
        ("exactly-k:3,4", "no point, or no hypothesis;"),
        ("all:0", "no point, or no hypothesis;"),
        ("all:40", "more than 268,435,456 entries"),
        ("all:999999999", "more than 268,435,456 entries"),
        ("thresholds:999999999", "more than 268,435,456 entries"),
        ("exactly-k:999999999,499999999", "more than 268,435,456 entries"),
        ("at-most-k:100000,50000", "more than 268,435,456 entries"),
        ("conjunctions:30", "more than 268,435,456 entries"),
        ("halfspaces", "halfspaces:3x4 for a grid"),
        ("halfspaces:3x", "halfspaces:3x4 for a grid"),
        ("halfspaces:0x4", "halfspaces:3x4 for a grid"),
        ("halfspaces:ball:3", "halfspaces:3x4 for a grid"),
        ("halfspaces:cube:60", "more than 268,435,456 entries"),
        ("halfspaces:99999x99999x99999", "more than 268,435,456 entries"),
        ("homogeneous-halfspaces:3x3", r"point 0 is the origin"),
        ("homogeneous-halfspaces:cube:9", r"point 0 is the origin"),
        ("halfspaces:cube:6", "halfspaces: more than 33,554,432 entries"),
        ("halfspaces:cube:9", "halfspaces: more than 33,554,432 entries"),
        ("halfspaces:signs:9", "halfspaces: more than 33,554,432 entries"),
        ("homogeneous-halfspaces:signs:7", "halfspaces: more than 33,554,432 entries"),
        ("halfspaces:9x9x9x9x9", "halfspaces: more than 33,554,432 entries"),
    ],
)
def test_classes_that_do_not_exist(text, message, monkeypatch):
    """The error says what is expected instead, and comes before any chamber is looked for."""
    monkeypatch.setattr("regretless.finite_classes.dichotomies._chambers", no_search)
    with pytest.raises(RegretlessError, match=message):
        FiniteClass.named(text)


def no_search(lines):
    raise AssertionError("chambers are looked for")


@pytest.mark.parametrize(
    "text", ["1x1", "1x7", "5", "2x2", "3x3", "4x3", "2x2x2", "3x2x2", "2x5", "3x3x2", "cube:4", "signs:3"]
)
def test_halfspaces_are_no_fewer_than_is_taken_for_granted(text):
    """What is refused as too many is so few at the least."""
    kind, _, size = text.partition(":")
    sides = [2] * int(size) if size else [int(side) for side in kind.split("x")]
    assert 2 <= families._least_halfspaces(sides) <= FiniteClass.named(f"halfspaces:{text}").hypotheses
    if kind == "signs":
        less = families._least_halfspaces(sides[1:])
        assert less <= FiniteClass.named(f"homogeneous-halfspaces:{text}").hypotheses


@given(
    st.integers(1, 4), st.integers(1, 9), st.sampled_from([30, 10**4, 10**9, 10**30]), st.randoms(use_true_random=False)
)
def test_points_in_general_position(dimension, count, size, draw):
    """Hyperplanes part points of which none d + 1 lie on one in 2 times the sum of C(n - 1, i), i <= d, ways."""
    places = sorted({draw.randrange(-size, size) for _ in range(count)})
    curve = [[place**power for power in range(1, dimension + 1)] for place in places]
    expected = 2 * sum(comb(len(places) - 1, i) for i in range(dimension + 1))
    assert FiniteClass.halfspaces(curve).hypotheses == expected


@given(st.data(), st.integers(1, 3), st.integers(1, 6))
def test_every_way_to_part_points_is_found(data, dimension, count):
    """Of points in any position, the ways found are those for which a linear program finds a strict separator."""
    linprog = pytest.importorskip("scipy.optimize").linprog
    coordinates = st.lists(st.integers(-2, 2), min_size=dimension, max_size=dimension)
    vectors = [v for v in data.draw(st.lists(coordinates, min_size=count, max_size=count)) if any(v)]
    if not vectors:
        return
    table, _ = dichotomies(vectors)
    names = {tuple(row) for row in table.tolist()}
    assert len(names) == len(table)
    for labels in product((False, True), repeat=len(vectors)):
        signed = np.where(np.array(labels)[:, None], vectors, -np.array(vectors))
        free = [(None, None)] * dimension
        status = linprog(np.zeros(dimension), A_ub=-signed, b_ub=-np.ones(len(signed)), bounds=free).status
        assert (status == 0) == (labels in names)


COORDINATES = st.sampled_from([2, 10**6, 2**62, 10**40]).flatmap(lambda size: st.integers(-size, size))


@given(st.integers(1, 4).flatmap(lambda d: st.lists(st.tuples(*[COORDINATES] * d), min_size=1, max_size=7)))
def test_each_normal_says_what_its_row_says(points):
    """The inner product of a normal with a vector is never 0 and has the sign that its row says."""
    vectors = [point for point in points if any(point)]
    if not vectors:
        return
    table, normals = dichotomies(vectors)
    assert len(set(map(tuple, table.tolist()))) == len(table) == len(normals)
    for row, normal in zip(table.tolist(), normals.tolist(), strict=True):
        inner = [sum(a * b for a, b in zip(normal, vector, strict=True)) for vector in vectors]
        assert 0 not in inner
        assert [product > 0 for product in inner] == row


@given(st.lists(st.tuples(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6)), min_size=1, max_size=9, unique=True))
def test_floats_are_parted_as_they_are(points):
    """Of floats as they are, hyperplanes' inequalities hold in fractions, and there are no more ways than can be."""
    vectors = [(Fraction(x), Fraction(y)) for x, y in points]
    made = FiniteClass.halfspaces(points)
    assert made.hypotheses <= 2 * sum(comb(len(points) - 1, i) for i in range(3))
    for name, row in zip(made.hypothesis_names, made.matrix.tolist(), strict=True):
        weights, offset = inequality(name)
        assert [weights[0] * x + weights[1] * y > offset for x, y in vectors] == row


def test_numbers_of_any_size_are_taken_exactly():
    """Three points of which the middle one lies off the line by 1 part in 10^40 are parted in all ways but none."""
    nearly = [[0, 0], [1, Fraction(1, 10**40)], [2, 0]]
    assert FiniteClass.halfspaces(nearly).hypotheses == 8
    assert FiniteClass.halfspaces([[0, 0], [1, 0], [2, 0]]).hypotheses == 6
    assert FiniteClass.halfspaces([["0", "1/3"], ["1", "1e-30"]]).hypotheses == 4
    # 0.1 + 0.2 is not 0.3: in floats, as they are, the three do not lie evenly, but still on one line.
    assert FiniteClass.halfspaces([[0.1], [0.2], [0.3]]).hypotheses == 6
    assert FiniteClass.halfspaces([[0.1, 0.1], [0.2, 0.2], [0.1 + 0.2, 0.3]]).hypotheses == 8


def test_points_that_stand_twice_say_the_same():
    """Equal points are never parted; points in opposite directions have opposite labels under homogeneous ones."""
    assert FiniteClass.halfspaces([[1, 2], [1, 2]]).matrix.tolist() == [[False, False], [True, True]]
    opposite = FiniteClass.halfspaces([[1, 2], [-2, -4]], homogeneous=True)
    assert opposite.matrix.tolist() == [[False, True], [True, False]]


def test_halfspaces_are_named_by_inequalities():
    """A hypothesis is called by a half-plane that says just what it says, a point by its coordinates."""
    made = FiniteClass.halfspaces([[0, 0], [Fraction(1, 2), 1], [1, 0]])
    assert made.point_names == ["(0, 0)", "(1/2, 1)", "(1, 0)"]
    for name, row in zip(made.hypothesis_names, made.matrix.tolist(), strict=True):
        weights, offset = inequality(name)
        messages = [weights[0] * x + weights[1] * y > offset for x, y in ((0, 0), (Fraction(1, 2), 1), (1, 0))]
        assert messages == row


def test_too_many_ways_are_refused(monkeypatch):
    """Once there are more ways to part the points than memory is meant to hold, the search ends."""
    monkeypatch.setattr("regretless.finite_classes.dichotomies.LARGEST", 100)
    with pytest.raises(RegretlessError, match="more than 100 entries; fewer points are expected"):
        FiniteClass.named("halfspaces:3x4")


@pytest.mark.parametrize(
    ("points", "message"),
    [
        ([[0, 1], [1]], "point 1 has 1 coordinates"),
        ([[], []], "point 0 has 0 coordinates"),
        ([[0, float("nan")]], "point 0: nan is no coordinate"),
        ([[0, float("inf")]], "point 0: inf is no coordinate"),
        ([[0, "x"]], "point 0: 'x' is no coordinate"),
        ([[0, None]], "point 0: None is no coordinate"),
        ([], "halfspaces of no points"),
    ],
)
def test_points_that_are_refused(points, message):
    """The error names the point."""
    with pytest.raises(RegretlessError, match=message):
        FiniteClass.halfspaces(points)
