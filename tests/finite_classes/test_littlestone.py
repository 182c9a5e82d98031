"""Littlestone dimensions, with and without luck: against recursion, with witnesses that are checked, and in slices."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from functools import cache
from itertools import pairwise
from math import comb, log2
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regretless import _core
from regretless.errors import RegretlessError
from regretless.finite_classes import (
    FiniteClass,
    MistakeTree,
    littlestone,
    littlestone_dimension,
    randomized_littlestone_dimension,
    vc_dimension,
)
from regretless.finite_classes import dimension as dimension_module
from regretless.finite_classes.finite_class import Words, packed
from regretless.finite_classes.learners.randomized import RandomizedOptimal, searched
from regretless.finite_classes.littlestone import LittlestoneSearch, RandomizedSearch

from ..sanitized import fewer
from .small_classes import KNOWN, every_class, random_class

pytestmark = pytest.mark.kernel

FAMILIES = {
    "all_functions": "all",
    "at_most_k_ones": "at-most-k",
    "conjunctions_with_false": "conjunctions",
    "exactly_k_ones": "exactly-k",
    "intervals_and_empty": "intervals",
    "parities": "parities",
    "singletons": "singletons",
    "singletons_and_zero": "singletons-and-zero",
    "thresholds": "thresholds",
}


def sides(finite_class: FiniteClass) -> tuple[int, list[int]]:
    """All hypotheses, and those that say 1 of each point, as sets of bits."""
    ones = [sum(1 << h for h, says in enumerate(column) if says) for column in finite_class.matrix.T]
    return (1 << finite_class.hypotheses) - 1, ones


def recursive(finite_class: FiniteClass) -> int:
    """The definition, each version space once."""
    whole, ones = sides(finite_class)

    @cache
    def dimension(left: int) -> int:
        splits = ((left & one, left & ~one) for one in ones if left & one and left & ~one)
        return max((1 + min(dimension(a), dimension(b)) for a, b in splits), default=0)

    return dimension(whole)


def recursive_fraction(finite_class: FiniteClass) -> Fraction:
    """The same of the randomised one."""
    whole, ones = sides(finite_class)

    @cache
    def dimension(left: int) -> Fraction:
        splits = ((left & one, left & ~one) for one in ones if left & one and left & ~one)
        return max(((1 + dimension(a) + dimension(b)) / 2 for a, b in splits), default=Fraction(0))

    return dimension(whole)


def drawn(hypotheses: int, points: int, density: float, seed: int) -> FiniteClass:
    return FiniteClass(np.random.default_rng(seed).random((hypotheses, points)) < density)


SMALL = st.builds(drawn, st.integers(1, 120), st.integers(1, 7), st.floats(0.1, 0.9), st.integers(0, 2**32))


def words(finite_class: FiniteClass, hypotheses: Any) -> Words:
    alive = np.zeros((1, finite_class.hypotheses), dtype=bool)
    alive[0, hypotheses] = True
    result: Words = packed(alive)[0]
    return result


@given(SMALL)
def test_dimension_is_the_recursion(finite_class: FiniteClass) -> None:
    """The search finds what the definition says, and its tree is shattered and as deep."""
    dimension = littlestone_dimension(finite_class)
    assert dimension.value == recursive(finite_class)
    assert dimension.witness.depth == dimension.value
    dimension.witness.check(finite_class)


def test_all_classes_on_three_points() -> None:
    """Both dimensions of each of the 255 classes on three points are those of the definition."""
    functions = np.array([[code >> bit & 1 for bit in range(3)] for code in range(8)])
    for chosen in range(1, 256):
        finite_class = FiniteClass(functions[[chosen >> place & 1 == 1 for place in range(8)]])
        assert littlestone_dimension(finite_class).value == recursive(finite_class)
        assert randomized_littlestone_dimension(finite_class).value == recursive_fraction(finite_class)


@pytest.mark.parametrize(("name", "expected"), [(name, dimensions[1]) for name, dimensions in KNOWN.items()])
def test_known_dimensions(name: str, expected: int) -> None:
    """Named classes have the dimensions that are known of them."""
    assert littlestone_dimension(FiniteClass.named(name)).value == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("thresholds:64", 6),
        ("thresholds:1000", 9),
        ("intervals:40", 9),
        ("conjunctions:6", 7),
        ("at-most-k:14,4", 4),
        ("exactly-k:14,5", 5),
        ("parities:8", 8),
        ("all:11", 11),
        ("halfspaces:3x4", 6),
        ("halfspaces:4x4", 7),
        ("halfspaces:cube:4", 9),
    ],
)
def test_larger_classes(name: str, expected: int) -> None:
    """Classes of many words have the dimension known or proven by hand, and a tree that says so."""
    finite_class = FiniteClass.named(name)
    dimension = littlestone_dimension(finite_class, limit=20)
    assert dimension.value == expected
    dimension.witness.check(finite_class)


def test_worked_cases(oracles: list[dict[str, Any]]) -> None:
    """Each worked case of a named family has the dimension that was worked out."""
    met = 0
    for case in oracles:
        family = FAMILIES.get(case["input"].get("cls", "")) if case["topic"] == "dimension" else None
        if family is None or "params" not in case["input"]:
            continue
        size = ",".join(map(str, case["input"]["params"]))
        dimension = littlestone_dimension(FiniteClass.named(f"{family}:{size}"))
        assert dimension.value == case["expected"]["ldim"], case["id"]
        met += 1
    assert met > 20


@given(SMALL, st.integers(0, 2**32))
def test_renaming_changes_nothing(finite_class: FiniteClass, seed: int) -> None:
    """Neither the order of rows and columns, nor turning columns over, nor giving them twice, changes a dimension."""
    random = np.random.default_rng(seed)
    table = random.permutation(random.permutation(finite_class.matrix, axis=0), axis=1)
    table = np.hstack([table, table[:, :1]]) ^ random.integers(0, 2, table.shape[1] + 1).astype(bool)
    other = FiniteClass(table)
    assert littlestone_dimension(other).value == littlestone_dimension(finite_class).value
    assert randomized_littlestone_dimension(other).value == randomized_littlestone_dimension(finite_class).value


def test_targets() -> None:
    """A thousand random functions on 16 points have dimension 9, found with its tree in far less than ten seconds."""
    codes = np.random.default_rng(0).choice(2**16, 1000, replace=False)
    finite_class = FiniteClass((codes[:, None] >> np.arange(16)) & 1)
    dimension = littlestone_dimension(finite_class, limit=10)
    assert dimension.value == 9
    assert dimension.seconds < 1
    dimension.witness.check(finite_class)


def test_just_too_few_for_another_level() -> None:
    """Of 8,192 to 8,292 random functions, 2^13 and little more, twelve levels are all there are, and this is proven."""
    for count in (8192, 8292):
        codes = np.random.default_rng(count).choice(2**20, count, replace=False)
        finite_class = FiniteClass((codes[:, None] >> np.arange(20)) & 1)
        assert littlestone_dimension(finite_class).value == 12


@pytest.mark.parametrize("name", ["one hypothesis", "two opposites", "points that say nothing", "ties matter"])
def test_odd_classes(name: str) -> None:
    """Classes of few hypotheses, of points that say nothing or the same, have their dimension too."""
    finite_class = every_class()[name]
    dimension = littlestone_dimension(finite_class)
    assert dimension.value == recursive(finite_class)
    dimension.witness.check(finite_class)
    assert randomized_littlestone_dimension(finite_class).value == recursive_fraction(finite_class)


def test_few_hypotheses_on_many_points() -> None:
    """Where points are many, version spaces are named by their hypotheses, and dimensions are the same."""
    finite_class = random_class(12, fewer(400, 100))
    assert littlestone_dimension(finite_class).value == recursive(finite_class) == 3
    wide = random_class(300, 3000, 1)
    dimension = littlestone_dimension(wide)
    assert dimension.value == 8
    dimension.witness.check(wide)


def test_slices_change_nothing() -> None:
    """A search that is left after every step, and taken up again, ends where one that is not does."""
    finite_class = FiniteClass.named("halfspaces:4x4")
    search = _core.Littlestone(finite_class.columns, finite_class.hypotheses)
    ends, steps = [(0, 99)], 0
    while ends[-1][0] < ends[-1][1]:
        lower, upper, used = search.run(None, 1)
        assert used <= 1
        steps += used
        ends.append((lower, upper))
    assert all(a[0] <= b[0] and b[1] <= a[1] for a, b in pairwise(ends))
    assert ends[-1] == (7, 7)
    assert steps == littlestone_dimension(finite_class).steps


def test_ended_searches_are_honest() -> None:
    """What a search that was ended says holds the dimension, and its tree proves the lower end."""
    finite_class = FiniteClass.named("intervals:60")
    truth = littlestone_dimension(finite_class).value
    dimension = littlestone_dimension(finite_class, limit=0)
    assert dimension.lower <= truth <= dimension.upper
    assert dimension.witness.depth == dimension.lower
    dimension.witness.check(finite_class)
    stopped = littlestone_dimension(FiniteClass.named("halfspaces:cube:4"), stop=lambda: True)
    assert not stopped.exact
    assert stopped.lower <= 9 <= stopped.upper
    with pytest.raises(RegretlessError, match="it is only known to be from"):
        int(stopped)


def test_progress_narrows() -> None:
    """Progress is reported with growing steps, and with an interval that never widens."""
    calls: list[tuple[int, int, int]] = []
    littlestone_dimension(FiniteClass.named("halfspaces:cube:4"), on_progress=lambda *news: calls.append(news))
    assert len(calls) > 3
    for (steps, lower, upper), (later, low, high) in pairwise(calls):
        assert steps < later
        assert lower <= low <= high <= upper


def test_forgetting_is_reported_and_harmless() -> None:
    """With too little memory a search forgets, says so, and finds the same dimension and a tree."""
    finite_class = FiniteClass.named(f"intervals:{fewer(160, 100)}")
    search = LittlestoneSearch(finite_class, memory=2**20)
    dimension = search.dimension()
    assert search.memory_full
    assert dimension.value == littlestone_dimension(finite_class).value
    dimension.witness.check(finite_class)


def test_instruction_sets_agree(isas: list[str]) -> None:
    """On every instruction set the same number of steps leads to the same dimensions and the same tree."""
    finite_class, coins = FiniteClass.named("intervals:30"), random_class(200, 9)
    answers = []
    for isa in isas:
        _core.use_isa(isa)
        whole, luck = littlestone_dimension(finite_class), randomized_littlestone_dimension(coins)
        tree = whole.witness.points.tolist(), whole.witness.leaves.tolist()
        words = []
        for kind, made in ((_core.Littlestone, finite_class), (_core.RandomizedLittlestone, coins)):
            search: Any = kind(made.columns, made.hypotheses)
            search.run(None, 1 << 40)
            words.append(search.words)
        answers.append((whole.value, whole.steps, tree, luck.value, luck.steps, words))
    assert answers[0][0] == 8
    assert all(other == answers[0] for other in answers[1:])


@given(SMALL, st.integers(0, 6), st.booleans())
def test_labels_are_those_of_the_sides(finite_class: FiniteClass, point: int, twice: bool) -> None:
    """What a point leaves has the dimensions that a class of those hypotheses alone has; nothing has -1."""
    point %= finite_class.points
    says = finite_class.matrix[:, point]
    alive = words(finite_class, finite_class.matrix[:, 0] == says[0] if twice else slice(None))
    rest = np.flatnonzero(finite_class.matrix[:, 0] == says[0]) if twice else np.arange(finite_class.hypotheses)
    expected = []
    for label in (0, 1):
        side = finite_class.matrix[rest][says[rest] == label]
        expected.append(recursive(FiniteClass(side)) if len(side) else -1)
    if len(rest):
        assert LittlestoneSearch(finite_class).labels(alive, point) == tuple(expected)


def test_one_memory_for_all_version_spaces() -> None:
    """What was found of a class answers for what labels leave of it without another step."""
    finite_class = FiniteClass.named("thresholds:63")
    search = LittlestoneSearch(finite_class)
    tree = search.dimension().witness
    below = search.dimension(words(finite_class, finite_class.matrix[:, tree.point(())] == 0))
    assert (below.value, below.steps) == (5, 0)
    below.witness.subtree(0).check(finite_class)


def test_what_is_no_version_space_is_refused() -> None:
    """Hypotheses that others agree with on all that they share, no hypotheses, and too many bits are refused."""
    finite_class = FiniteClass.named("thresholds:100")
    search = LittlestoneSearch(finite_class)
    for rest in ([3, 5], []):
        with pytest.raises(ValueError, match="no version space"):
            search.bounds(words(finite_class, rest))
    with pytest.raises(ValueError, match="no version space"):
        search.bounds(~words(finite_class, []))
    with pytest.raises(ValueError, match="one bit per hypothesis"):
        search.bounds(np.zeros(3, dtype=np.uint64))
    with pytest.raises(ValueError, match="no such point"):
        search.labels(None, 100)
    with pytest.raises(RegretlessError, match="limit=-1"):
        littlestone_dimension(finite_class, limit=-1)
    columns = finite_class.columns.copy()
    columns[0, -1] |= np.uint64(1 << 63)
    with pytest.raises(ValueError, match="beyond the last hypothesis"):
        _core.Littlestone(columns, finite_class.hypotheses)


def test_no_tree_is_deeper_than_the_dimension() -> None:
    """A tree may be asked for at any depth up to the dimension, and at none above."""
    finite_class = FiniteClass.named("intervals:12")
    search = _core.Littlestone(finite_class.columns, finite_class.hypotheses)
    for depth in range(6):
        tree = search.tree(None, depth)
        assert tree is not None
        points, leaves = tree
        assert (len(points), len(leaves)) == (2**depth - 1, 2**depth)
        MistakeTree(points, leaves).check(finite_class)
    for depth in (6, 7, 41, -1):
        with pytest.raises(ValueError, match="no tree is as deep"):
            search.tree(None, depth)


@given(SMALL)
def test_randomized_dimension_is_the_recursion(finite_class: FiniteClass) -> None:
    """The randomised dimension is exactly what the definition says, and lies between its bounds."""
    value = randomized_littlestone_dimension(finite_class).value
    assert value == recursive_fraction(finite_class)
    whole = littlestone_dimension(finite_class).value
    k = finite_class.hypotheses.bit_length() - 1
    assert Fraction(whole, 2) <= value <= min(Fraction(whole), (k - 1 + Fraction(finite_class.hypotheses, 2**k)) / 2)
    assert value <= log2(finite_class.hypotheses) / 2 + 1e-12


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("parities:6", Fraction(3)),
        ("all:10", Fraction(5)),
        ("thresholds:63", Fraction(3)),
        ("thresholds:100", Fraction(421, 128)),
        ("singletons:59", 1 - Fraction(1, 2**58)),
        ("at-most-k:12,3", Fraction(12195, 4096)),
        ("halfspaces:3x4", Fraction(105, 32)),
        ("halfspaces:4x4", Fraction(471, 128)),
        ("intervals:12", Fraction(12575, 4096)),
        ("conjunctions:4", Fraction(186383, 65536)),
    ],
)
def test_known_randomized_dimensions(name: str, expected: Fraction) -> None:
    """Named classes have the randomised dimensions that were worked out."""
    assert randomized_littlestone_dimension(FiniteClass.named(name)).value == expected


def test_fractions_too_fine_are_rounded_up() -> None:
    """Of 80 singletons the dimension is 1 - 2^-79: too fine, so it is said to lie in an interval, and rounded up."""
    finite_class = FiniteClass.named("singletons:80")
    dimension = randomized_littlestone_dimension(finite_class)
    assert not dimension.exact
    assert dimension.lower < 1 - Fraction(1, 2**79) < dimension.upper == 1
    assert dimension.finer
    low, high = str(dimension).removesuffix(", finer than 2^-58").split(" to ")
    assert Fraction(low) <= dimension.lower < Fraction(high) == 1
    assert RandomizedSearch(finite_class).value() == 1
    assert not RandomizedSearch(finite_class).dimension(words=1).finer


@given(SMALL)
def test_a_learner_can_keep_to_the_values(finite_class: FiniteClass) -> None:
    """Whatever the label, the chance to err and the value of what is left come to no more than the value before."""
    search = RandomizedSearch(finite_class)
    for point in range(finite_class.points):
        zero, one = search.labels(None, point)
        if zero is None or one is None:
            continue
        chance = min(max((1 + one - zero) / 2, Fraction(0)), Fraction(1))
        assert max(chance + zero, 1 - chance + one) <= search.value()


def test_ended_randomized_searches_are_honest() -> None:
    """An interval that a search was ended with holds what the whole search finds."""
    finite_class = FiniteClass.named("intervals:22")
    truth = randomized_littlestone_dimension(finite_class).value
    calls: list[tuple[int, Fraction, Fraction]] = []
    dimension = randomized_littlestone_dimension(
        finite_class, stop=lambda: len(calls) > 3, on_progress=lambda *news: calls.append(news)
    )
    assert not dimension.exact
    assert dimension.lower <= truth <= dimension.upper
    assert all(lower <= truth <= upper for _, lower, upper in calls)
    with pytest.raises(RegretlessError, match="it is only known to be from"):
        float(dimension)


def test_sums_of_binomials_bound_the_class() -> None:
    """A class of dimension d on n points has no more functions than C(n, 0) + ... + C(n, d)."""
    for name, finite_class in every_class().items():
        dimension = littlestone_dimension(finite_class).value
        assert finite_class.hypotheses <= sum(comb(finite_class.points, k) for k in range(dimension + 1)), name


def small_bits(points: int, words: int) -> Words:
    bits: Words = np.random.default_rng(points).integers(0, 2**64, (points, words), dtype=np.uint64)
    return bits


def least_looks(search: Any, looks: int) -> int:
    """The most words that a search looks at when it is asked for one."""
    most = 0
    for _ in range(looks):
        before = search.words
        search.run(None, 1)
        most = max(most, search.words - before)
    return most


@pytest.mark.parametrize("kind", [_core.Littlestone, _core.RandomizedLittlestone])
def test_a_search_begins_with_one_look_at_the_class(kind: Any) -> None:
    """To make a search costs one look at each word of the class, and every stretch of it a few looks more."""
    finite_class = drawn(250, 300, 0.3, 1)
    search = kind(finite_class.columns, finite_class.hypotheses)
    assert search.words == finite_class.columns.size
    table = 250 * 250 * 7 // 2  # what sizes and dimensions are worth, once
    assert least_looks(search, 3000) <= 8 * finite_class.columns.size + table * (kind is _core.RandomizedLittlestone)


def test_patience_is_what_may_be_looked_at() -> None:
    """A search that may look at so many words does, and at few more; a learner's first forecast costs no more."""
    finite_class = drawn(700, 700, 0.3, 1)
    for patience in (1, 1 << 18, 1 << 22):
        search = RandomizedSearch(finite_class)
        assert not searched(search, finite_class.all_hypotheses, patience)
        assert patience <= search.words <= patience + 8 * finite_class.columns.size + 700 * 700 * 9 // 2
    learner = RandomizedOptimal(finite_class, random_state=0, patience=1 << 18)
    ones = int(finite_class.matrix[:, 0].sum())
    halves = [littlestone.by_number(finite_class, side)[1] for side in sides_of(finite_class, 0)]
    assert ones > 100
    assert learner.forecast(0) == float((1 + halves[1] - halves[0]) / 2)


def sides_of(finite_class: FiniteClass, point: int) -> tuple[Words, Words]:
    ones = finite_class.columns[point]
    return finite_class.all_hypotheses & ~ones, ones


def test_patience_ends_at_the_same_place_everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a search ends that may look at so many words does not hang on how often it looks at the clock."""
    finite_class = drawn(700, 700, 0.3, 2)
    ends = set()
    for first, between in ((1 << 16, 0.02), (7, 0.0), (1 << 30, 1.0)):
        monkeypatch.setattr(dimension_module.SearchLimits.slices, "__defaults__", (first,))
        monkeypatch.setattr(dimension_module, "BETWEEN_LOOKS", between if first > 7 else 1e-4)
        search = RandomizedSearch(finite_class)
        dimension = search.dimension(words=6_000_000)
        ends.add((search.words, dimension.lower, dimension.upper, dimension.steps))
    assert len(ends) == 1
    assert min(ends)[-1] > 0


def test_little_memory_does_for_wide_keys() -> None:
    """A mebibyte does for a class one version space of which takes a thousandth of it: 32 of them always fit."""
    bits = small_bits(4200, 130)
    assert _core.Littlestone(bits, 64 * 130, memory=2**20).run(None, 1)[0] == 1
    bits = small_bits(1100, 34)
    assert _core.RandomizedLittlestone(bits, 64 * 34, memory=2**20).run(None, 1)[3] == 0


class RunsOut:
    """A search that memory runs out of after so many slices, or when its tree is taken out."""

    full = False

    def __init__(self, search: Any, slices: int) -> None:
        self.search, self.slices = search, slices

    def run(self, alive: Any, words: int, least: int = 0) -> Any:
        if self.slices == 0:
            raise MemoryError
        self.slices -= 1
        return self.search.run(alive, min(words, 2000)) if least == 0 else self.search.run(alive, 2000, least)

    def tree(self, *args: Any) -> Any:
        raise MemoryError

    @property
    def words(self) -> int:
        result: int = self.search.words
        return result


@pytest.mark.parametrize("slices", [0, 1, 5])
def test_what_memory_leaves_is_an_interval(slices: int) -> None:
    """If memory runs out, on the way or when the tree is taken out, there is an interval, and a tree for its end."""
    finite_class = FiniteClass.named("halfspaces:cube:4")
    search = LittlestoneSearch(finite_class)
    search.__dict__["_search"] = RunsOut(search._search, slices)
    dimension = search.dimension()
    assert (dimension.lower, dimension.witness.depth) == (1, 1)
    assert 9 <= dimension.upper <= 10
    dimension.witness.check(finite_class)
    luck = RandomizedSearch(finite_class)
    luck.__dict__["_search"] = RunsOut(luck._search, slices)
    known = luck.dimension()
    assert known.lower < Fraction(9, 2) < known.upper
    with pytest.raises(MemoryError, match="known to be from"):
        luck.value()


def test_no_memory_to_begin_with_is_an_interval_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where there is no memory for a search, sizes alone bound both dimensions."""

    def none(*_: Any, **__: Any) -> Any:
        raise MemoryError

    monkeypatch.setattr(_core, "Littlestone", none)
    monkeypatch.setattr(_core, "RandomizedLittlestone", none)
    finite_class = FiniteClass.named("thresholds:20")
    dimension = littlestone_dimension(finite_class)
    assert (dimension.lower, dimension.upper, dimension.witness.depth) == (1, 4, 1)
    dimension.witness.check(finite_class)
    known = randomized_littlestone_dimension(finite_class)
    assert (known.lower, known.upper) == (Fraction(1, 2), Fraction(3, 2) + Fraction(21, 32))
    one = littlestone_dimension(FiniteClass([[0, 1]]))
    assert (one.lower, one.upper) == (0, 0)


def test_a_shattered_set_is_where_the_search_begins() -> None:
    """Points that are shattered are a tree of as many levels; the search goes on above, and others are refused."""
    finite_class = drawn(500, 60, 0.2, 3)
    points = vc_dimension(finite_class).witness
    dimension = littlestone_dimension(finite_class, limit=0, shattered=points)
    assert dimension.lower >= len(points) == 5
    dimension.witness.check(finite_class)
    whole = littlestone_dimension(finite_class, shattered=points)
    assert whole.value == littlestone_dimension(finite_class, shattered=points[:2]).value
    assert whole.value == littlestone_dimension(finite_class).value == whole.witness.depth
    with pytest.raises(RegretlessError, match="no hypothesis has labels"):
        littlestone_dimension(finite_class, shattered=range(8))


def test_a_long_search_chooses_points_greedily(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search that is not done soon is never behind a greedy choice of points, which is its tree if it is ended."""
    monkeypatch.setattr(littlestone, "GREEDY_AFTER", dimension_module.FIRST_SLICE)
    finite_class = drawn(1500, 1500, 0.3, 3)
    calls: list[tuple[int, int, int]] = []
    dimension = littlestone_dimension(
        finite_class, stop=lambda: len(calls) > 1, on_progress=lambda *news: calls.append(news)
    )
    assert calls[0][1] < calls[1][1]
    greedy = _core.Shatter(finite_class.columns, finite_class.hypotheses, 0)
    while not greedy.dive(1 << 24):
        pass
    assert dimension.lower >= len(greedy.points) > 5
    dimension.witness.check(finite_class)


def test_a_tree_is_taken_out_in_slices() -> None:
    """A tree that is asked for a word at a time is the one that is asked for at once, even if much was forgotten."""
    finite_class = FiniteClass.named(f"intervals:{fewer(160, 100)}")
    for memory in (2**20, 2**30):
        search = _core.Littlestone(finite_class.columns, finite_class.hypotheses, memory)
        while (ends := search.run(None, 1 << 20)[:2])[0] < ends[1]:
            pass
        whole = search.tree(None, ends[0])
        pauses = 0
        while (tree := search.tree(None, ends[0], 1000)) is None:
            pauses += 1
        assert pauses > 10
        assert whole is not None
        MistakeTree(*tree).check(finite_class)
        if not search.full:
            assert [part.tolist() for part in tree] == [part.tolist() for part in whole]
    assert search.tree(None, 3, 1) is None
    search.run(None, 1)
    with pytest.raises(ValueError, match="no tree is as deep"):
        search.tree(None, ends[0] + 1)


class Forgetful(RunsOut):
    """A search that has forgotten what proves its tree."""

    full = True

    def tree(self, *args: Any) -> None:
        return None


def test_no_time_for_what_was_forgotten_is_reported() -> None:
    """A tree that would have to be searched for again when time is over is not; another one says what is known."""
    finite_class = FiniteClass.named("halfspaces:4x4")
    search = LittlestoneSearch(finite_class)
    search.__dict__["_search"] = Forgetful(search._search, 1 << 30)
    dimension = search.dimension(limit=0.2)
    assert (dimension.lower, dimension.upper, dimension.witness.depth) == (1, 7, 1)


def test_threads_share_a_search() -> None:
    """Threads that ask one search at a time wait for one another, and what it knows can be read meanwhile."""
    size = fewer(60, 30)
    finite_class = FiniteClass.named(f"intervals:{size}")
    search = LittlestoneSearch(finite_class)
    with ThreadPoolExecutor(4) as pool:
        answers = [pool.submit(search.labels, None, point) for point in range(size)]
        looks = [search._search.known for _ in range(1000)]
        dimensions = [one.result() for one in answers]
    assert looks == sorted(looks)
    assert not search.memory_full
    assert dimensions == [LittlestoneSearch(finite_class).labels(None, point) for point in range(size)]
