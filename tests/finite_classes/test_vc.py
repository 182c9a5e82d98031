"""VC dimensions: the compiled search against all sets of points, and what it says when it is ended before."""

from __future__ import annotations

import threading
from collections.abc import Generator
from itertools import combinations, pairwise, product
from math import comb
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from regretless import _core
from regretless.errors import RegretlessError
from regretless.finite_classes import FiniteClass, littlestone_dimension, vc_dimension
from regretless.finite_classes import vc as vc_module
from regretless.finite_classes.vc import check_shattered

from ..sanitized import fewer
from .small_classes import KNOWN, TIES_MATTER, random_class

pytestmark = pytest.mark.kernel

Array = np.ndarray[Any, Any]


def slowly(table: Array) -> int:
    """The size of the largest shattered set, by all sets of each size as long as one is."""
    rows = np.unique(np.asarray(table, dtype=np.int64), axis=0)
    size = 0
    while any(len(np.unique(rows[:, s] @ (1 << np.arange(size + 1)))) == 2 << size for s in subsets(rows, size + 1)):
        size += 1
    return size


def subsets(rows: Array, size: int) -> list[list[int]]:
    return [list(s) for s in combinations(range(rows.shape[1]), size)]


@st.composite
def tables(draw: st.DrawFn) -> Array:
    """Fair and unfair coins, with points that are alike, opposite or constant, about a word of hypotheses."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    points, count = draw(st.integers(1, 9)), draw(st.sampled_from([1, 2, 7, 40, 63, 64, 65, 130, 300]))
    table = rng.random((count, points)) < draw(st.sampled_from([0.5, 0.3, 0.1]))
    if draw(st.booleans()):
        table = table[:, rng.integers(0, points, points)] ^ (rng.random(points) < 0.5)
    return np.asarray(table)


@given(tables())
def test_it_is_the_size_of_the_largest_shattered_set(table: Array) -> None:
    """All sets of points, tried one by one, give the same number, and the witness is one of that size."""
    finite_class = FiniteClass(table)
    dimension = vc_dimension(finite_class)
    assert dimension.exact
    assert dimension.value == slowly(table) == len(dimension.witness)
    check_shattered(finite_class, dimension.witness)


@pytest.mark.parametrize(
    ("count", "points", "density", "expected"),
    [
        (250, 12, 0.5, (6, 6)),
        (600, 12, 0.5, (7, 7)),
        (1500, 13, 0.5, (8, 8)),
        (1500, 13, 0.25, (6, 6)),
        (3000, 14, 0.35, (7, 8)),
        (700, 13, 0.1, (4, 4)),
    ][: fewer(6, 2)],
)
def test_deep_searches_agree_with_all_sets(count: int, points: int, density: float, expected: tuple[int, int]) -> None:
    """Where prefixes are sorted by, cells are left out and tails are tried, no set is passed over."""
    for seed, dimension in enumerate(expected):
        table = np.random.default_rng(seed).random((count, points)) < density
        assert vc_dimension(FiniteClass(table)).value == slowly(table) == dimension


@pytest.mark.parametrize("name", KNOWN)
def test_named_classes(name: str) -> None:
    """Families have the dimensions that the books give them."""
    assert vc_dimension(FiniteClass.named(name)).value == KNOWN[name][0]


@pytest.mark.parametrize("size", range(1, 13))
def test_all_functions_of_some_of_the_points(size: int) -> None:
    """All functions of n points shatter all of them, and other points that copy them add nothing."""
    everything = np.array(list(product((0, 1), repeat=size)))
    dimension = vc_dimension(FiniteClass(np.hstack([everything, 1 - everything, everything])))
    assert dimension.value == size
    assert sorted(point % size for point in dimension.witness) == list(range(size))


@pytest.mark.parametrize("missing", [0, 1, 77, 511])
def test_one_function_less_than_all(missing: int) -> None:
    """Without one of the 512 functions of nine points only eight of them are shattered."""
    everything = np.array(list(product((0, 1), repeat=9)))
    assert vc_dimension(FiniteClass(np.delete(everything, missing, axis=0))).value == 8


@pytest.mark.parametrize("points", [63, 64, 65, 200])
def test_a_set_hidden_among_many_points(points: int) -> None:
    """Seven points that are shattered are found among two hundred that shatter no three."""
    rng = np.random.default_rng(points)
    hidden = np.sort(rng.choice(points, 7, replace=False))
    table = np.zeros((300, points), dtype=bool)
    table[:128, hidden] = list(product((0, 1), repeat=7))
    others = np.setdiff1d(np.arange(points), hidden)
    table[128 + np.arange(172), others[rng.integers(0, len(others), 172)]] = True
    dimension = vc_dimension(FiniteClass(table))
    assert dimension.value == 7
    assert sorted(dimension.witness) == hidden.tolist()


@pytest.mark.parametrize("dim", [1, 2, 3, 5])
def test_balls_of_few_ones(dim: int) -> None:
    """Sets of at most k among 14 points shatter any k of them and no more, though they outnumber 2^k by far."""
    finite_class = FiniteClass.named(f"at-most-k:14,{dim}")
    dimension = vc_dimension(finite_class)
    assert dimension.value == dim
    # Sauer and Shelah: no class of this dimension is larger.
    assert finite_class.hypotheses == sum(comb(14, ones) for ones in range(dim + 1))


@given(tables())
def test_sauer_and_shelah(table: Array) -> None:
    """There are no more hypotheses than the sum of binomial coefficients up to the dimension."""
    finite_class = FiniteClass(table)
    dimension = vc_dimension(finite_class).value
    assert finite_class.hypotheses <= sum(comb(finite_class.points, k) for k in range(dimension + 1))


def test_small_ones_by_hand() -> None:
    """One hypothesis shatters the empty set, two one point, and the class where ties matter two points."""
    one = vc_dimension(FiniteClass([[0, 1, 0]]))
    assert (one.value, one.witness) == (0, ())
    two = vc_dimension(FiniteClass([[0, 1, 0], [0, 1, 1]]))
    assert (two.value, two.witness) == (1, (2,))
    assert vc_dimension(FiniteClass(TIES_MATTER)).value == 2


@pytest.mark.parametrize("shape", [(1000, 16), (4096, 24), (10_000, 20)][: fewer(3, 1)])
def test_large_random_classes_are_exact(shape: tuple[int, int]) -> None:
    """Of thousands of fair coins on some twenty points, far from all sets are looked at."""
    finite_class = random_class(*shape)
    dimension = vc_dimension(finite_class)
    assert dimension.exact
    assert dimension.steps < 3_000_000
    check_shattered(finite_class, dimension.witness)


@pytest.mark.parametrize(("count", "points", "density"), [(700, 13, 0.5), (90, 40, 0.5), (500, 30, 0.15), (65, 9, 0.5)])
def test_every_instruction_set_makes_the_same_search(isas: list[str], count: int, points: int, density: float) -> None:
    """Witness and steps are the same on all of them."""
    finite_class = FiniteClass(np.random.default_rng(4).random((count, points)) < density)
    names = set()
    for isa in isas:
        _core.use_isa(isa)
        one = vc_dimension(finite_class)
        names.add((one.value, one.witness, one.steps))
    assert len(names) == 1


@given(tables(), st.integers(1, 50))
@settings(max_examples=25)
def test_slices_change_nothing(table: Array, work: int) -> None:
    """A search that is interrupted at every turn gives the answer and the steps of one that is not."""
    finite_class = FiniteClass(table)
    for target in range(1, 6):
        whole, sliced = (_core.Shatter(finite_class.columns, finite_class.hypotheses, target) for _ in range(2))
        answer = whole.run(2**40)
        assert answer is (vc_dimension(finite_class).value >= target)
        turns = 0
        while (now := sliced.run(work)) is None:
            turns += 1
        assert (now, sliced.points, sliced.steps) == (answer, whole.points, whole.steps)
        assert sliced.run(1) is answer


def hard() -> FiniteClass:
    """A class that no machine decides soon."""
    return random_class(100_000, 60)


def test_what_runs_out_of_time_is_an_interval() -> None:
    """After no time at all the bounds still hold, and the witness is shattered."""
    finite_class = hard()
    dimension = vc_dimension(finite_class, limit=0)
    assert not dimension.exact
    assert dimension.lower == len(dimension.witness) < dimension.upper <= 16
    check_shattered(finite_class, dimension.witness)
    with pytest.raises(RegretlessError, match="it is only known to be from"):
        int(dimension)


def test_it_stops_when_asked() -> None:
    """The answer is what is known when `stop` says so, and progress was reported with bounds that only came closer."""
    calls: list[tuple[int, int, int]] = []
    dimension = vc_dimension(hard(), on_progress=lambda *now: calls.append(now), stop=lambda: len(calls) == 3)
    assert not dimension.exact
    assert len(calls) == 3
    assert calls[-1] == (dimension.steps, dimension.lower, dimension.upper)
    for (steps, lower, upper), (more, higher, deeper) in pairwise(calls):
        assert steps < more
        assert lower <= higher <= deeper <= upper


def test_what_progress_raises_comes_through() -> None:
    """So Ctrl-C ends it, which Python sees between slices."""

    def interrupted(*now: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        vc_dimension(hard(), on_progress=interrupted)


def test_without_memory_the_bounds_so_far_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search that finds no room is an interval, and no crash."""

    class Full:
        steps = 5
        dived = False

        def __init__(self, *args: Any) -> None: ...

        points = (1, 0)

        def dive(self, work: int) -> bool:
            return True

        def run(self, work: int) -> bool:
            raise MemoryError

    monkeypatch.setattr(vc_module._core, "Shatter", Full)
    dimension = vc_dimension(FiniteClass(list(product((0, 1), repeat=4))))
    assert (dimension.lower, dimension.upper, dimension.witness) == (2, 4, (1, 0))


@given(tables(), st.data())
def test_the_checker_accepts_shattered_sets_alone(table: Array, data: st.DataObject) -> None:
    """A set passes if and only if the rows have all its labels."""
    finite_class = FiniteClass(table)
    points = data.draw(st.lists(st.integers(0, finite_class.points - 1), unique=True, max_size=5))
    if len({tuple(row) for row in table[:, points].tolist()}) == 2 ** len(points):
        check_shattered(finite_class, points)
    else:
        with pytest.raises(RegretlessError):
            check_shattered(finite_class, points)


def test_the_checker_names_the_labels_that_are_missing() -> None:
    """The first combination without a hypothesis is reported, in the order of the points that were given."""
    finite_class = FiniteClass([[0, 0, 0], [0, 1, 0], [1, 1, 0], [1, 1, 1]])
    check_shattered(finite_class, [])
    check_shattered(finite_class, [2])
    with pytest.raises(RegretlessError, match="no hypothesis has labels 10 on the points 0, 1"):
        check_shattered(finite_class, [0, 1])
    with pytest.raises(RegretlessError, match="no hypothesis has labels 01 on the points 1, 0"):
        check_shattered(finite_class, [1, 0])
    with pytest.raises(RegretlessError, match=r"3 points need 2\^3 hypotheses; there are 4"):
        check_shattered(finite_class, [0, 1, 2])
    with pytest.raises(RegretlessError, match="is in the set twice"):
        check_shattered(finite_class, [0, 0])
    for outside in (-1, 3):
        with pytest.raises(RegretlessError, match=f"no point {outside}"):
            check_shattered(finite_class, [outside])


def test_columns_must_be_what_they_say() -> None:
    """Words that do not fit the hypotheses, and bits beyond the last one, are refused."""
    columns = FiniteClass(TIES_MATTER).columns
    for wrong, count, target in [
        (columns, 65, 1),
        (columns, 0, 1),
        (columns, 8, -1),
        (columns, 8, 63),
        (columns, 7, 1),
    ]:
        with pytest.raises(ValueError, match=r"one bit per|a bit beyond|from no point"):
            _core.Shatter(wrong, count, target)
    search = _core.Shatter(columns, 8, 2)
    with pytest.raises(ValueError, match="one word at least"):
        search.run(0)
    assert search.points == []
    assert search.run(1000)
    assert len(search.points) == 2
    with pytest.raises(ValueError, match="goes on as it was begun"):
        search.dive(1000)
    search = _core.Shatter(columns, 8, 0)
    search.dive(1)
    with pytest.raises(ValueError, match="goes on as it was begun"):
        search.run(1000)
    padded = np.zeros(8 * columns.size + 1, dtype=np.uint8)
    with pytest.raises(ValueError, match="must be aligned"):
        _core.Shatter(padded[1:].view(np.uint64).reshape(columns.shape), 8, 1)


@given(tables(), st.integers(1, 300))
@settings(max_examples=25)
def test_a_greedy_choice_in_slices_is_the_same(table: Array, work: int) -> None:
    """However it is cut into slices, what is found grows to the same shattered set, in as many steps."""
    finite_class = FiniteClass(table)
    whole, sliced = (_core.Shatter(finite_class.columns, finite_class.hypotheses, 0) for _ in range(2))
    assert whole.dive(2**40)
    before: list[int] = []
    while not sliced.dive(work):
        assert sliced.points[: len(before)] == before
        before = sliced.points
        check_shattered(finite_class, before)
    assert (sliced.points, sliced.steps) == (whole.points, whole.steps)


def test_a_greedy_choice_of_a_large_class_is_left_when_the_time_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    """Looks at the clock are never more than so many words apart, before the search as well as in it."""
    finite_class = random_class(3000, 3000)
    words = finite_class.columns.size
    search, looks = _core.Shatter(finite_class.columns, finite_class.hypotheses, 0), 0
    while not search.dive(words // 4):
        looks += 1
    assert looks >= 4 * len(search.points)
    monkeypatch.setattr(vc_module, "_FIRST_SLICE", words // 10)
    assert sum(1 for _ in vc_module.unlike(finite_class)) >= 10
    calls: list[int] = []
    dimension = vc_dimension(finite_class, on_progress=lambda *now: calls.append(now[1]), stop=lambda: len(calls) == 3)
    assert (dimension.lower, dimension.upper) == (calls[-1], 11)
    check_shattered(finite_class, dimension.witness)


@pytest.mark.parametrize("blind", [False, True])
def test_points_that_are_like_others_are_left_out(monkeypatch: pytest.MonkeyPatch, blind: bool) -> None:
    """Of columns that are the same or opposite the first stays, and none that is constant, whatever their marks are."""
    if blind:
        monkeypatch.setattr(vc_module, "_marks", lambda columns: np.zeros(len(columns), dtype=np.uint64))
    coins = np.random.default_rng(2).random((130, 5)) < 0.5
    table = np.hstack([np.ones((130, 1), dtype=bool), coins, ~coins, coins, np.zeros((130, 1), dtype=bool)])
    slices = vc_module.unlike(FiniteClass(table))
    assert ended(slices).tolist() == [1, 2, 3, 4, 5]


def ended(slices: Generator[None, None, Array]) -> Array:
    """What a generator returns in the end."""
    while True:
        try:
            next(slices)
        except StopIteration as end:
            return np.asarray(end.value)


def test_dimensions_are_equal_however_long_they_took() -> None:
    """Equality and hash go by what was found out."""
    once, again = (vc_dimension(FiniteClass(TIES_MATTER)) for _ in range(2))
    assert once == again
    assert len({once, again}) == 1
    assert once != vc_dimension(FiniteClass([[0, 1, 0]]))
    trees = {littlestone_dimension(FiniteClass(TIES_MATTER)) for _ in range(2)}
    assert len(trees) == 1


def test_one_search_is_not_run_by_two_threads_at_once() -> None:
    """The second thread is refused, while the first one goes on."""
    finite_class = hard()
    search = _core.Shatter(finite_class.columns, finite_class.hypotheses, 14)
    first = threading.Thread(target=search.run, args=(fewer(10**7, 10**6),))
    first.start()
    refused = False
    while first.is_alive() and not refused:
        try:
            search.run(1)
        except ValueError as error:
            refused = "another thread" in str(error)
    first.join()
    assert refused


def test_worked_classes(oracles: list[dict[str, Any]]) -> None:
    """Worked by hand and by slow programs: VC dimensions of named classes."""
    families = {
        "all_functions": "all",
        "thresholds": "thresholds",
        "intervals_and_empty": "intervals",
        "singletons": "singletons",
        "singletons_and_zero": "singletons-and-zero",
        "parities": "parities",
        "conjunctions_with_false": "conjunctions",
        "at_most_k_ones": "at-most-k",
        "exactly_k_ones": "exactly-k",
    }
    met = 0
    for case in oracles:
        family = case["input"].get("cls", "") if case["topic"] == "dimension" else ""
        if "params" not in case["input"]:
            continue
        parameters = case["input"]["params"]
        if family in families:
            finite_class = FiniteClass.named(f"{families[family]}:{','.join(map(str, parameters))}")
        elif "halfspaces" in family:
            finite_class = FiniteClass.halfspaces(parameters, homogeneous=family.startswith("homogeneous"))
        else:
            continue
        assert finite_class.hypotheses == case["expected"]["size"], case["id"]
        assert vc_dimension(finite_class).value == case["expected"]["vcdim"], case["id"]
        met += 1
    assert met >= 25
