"""Bimatrix games: equilibria that are verified exactly, all of them where that is said, and never none."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import tarfile
from collections.abc import Iterable, Iterator
from contextlib import suppress
from fractions import Fraction
from importlib.util import find_spec
from itertools import combinations, count, product
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from regretless.errors import RegretlessError
from regretless.games.general_sum import nash_search
from regretless.games.general_sum.bimatrix import BimatrixGame
from regretless.games.general_sum.equilibria import kernel_vector
from regretless.games.general_sum.nash import is_nash, pure_equilibria

from ..command_line import heed_interrupts
from .bimatrix_games import BATTLE, DILEMMA, SHAPLEY, extremes_by_bases, small_games

quantecon = pytest.mark.skipif(find_spec("quantecon") is None, reason="quantecon is not installed")
IN_FLOATS = ["support-enumeration", "vertex-enumeration", "lemke-howson"]
# Extreme equilibria and components of the two-player games among Gambit's: degenerate ones have fewer components.
GAMBIT = {
    "6x6_game_with_75_eq_small_payoffs": (75, 75),
    "fig2": (3, 3),
    "fig3": (3, 3),
    "2x2": (1, 1),
    "2x2a": (1, 1),
    "8x8": (5, 5),
    "coord2": (3, 3),
    "csg4": (4, 1),
    "deg1": (6, 1),
    "e04": (3, 2),
    "loopback": (3, 2),
    "mixdom": (1, 1),
    "mixdom2": (1, 1),
    "perfect1": (9, 2),
    "sh3": (3, 3),
    "sww1": (3, 2),
    "todd1": (5, 5),
    "todd2": (3, 3),
    "zero": (4, 1),
    "2x2_bimatrix_all_zero_payoffs": (4, 1),
    "coordination_4x4_outcome": (15, 15),
    "coordination_4x4_payoff": (15, 15),
    "mixed_strategy": (2, 1),
    "non_const_sum_game": (3, 1),
}


@pytest.fixture(scope="module")
def gambit(data: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, BimatrixGame]:
    """Gambit's games of two players in strategic form, by the names of their files."""
    from regretless.data.gambit_nfg import read_nfg

    folder = tmp_path_factory.mktemp("gambit")
    with tarfile.open(data / "games" / "gambit_nfg_dev.tar.xz") as archive:
        archive.extractall(folder, filter="data")
    forms = {path.stem: read_nfg(path) for path in sorted(folder.rglob("*.nfg"))}
    return {
        name: BimatrixGame(form.matrix(0), form.matrix(1), *form.strategies)
        for name, form in forms.items()
        if len(form.players) == 2
    }


def found_by(game: BimatrixGame, **how: Any) -> set[tuple[tuple[Fraction, ...], tuple[Fraction, ...]]]:
    return exactly(game.equilibria(**how))


def exactly(equilibria: Iterable[Any]) -> set[tuple[tuple[Fraction, ...], tuple[Fraction, ...]]]:
    return {(tuple(one.exact.row), tuple(one.exact.column)) for one in equilibria if one.exact is not None}


def random_game(seed: int, m: int, n: int) -> BimatrixGame:
    return BimatrixGame(*np.random.default_rng(seed).uniform(-1, 1, (2, m, n)))


# Whether it is one.


def test_worked_equilibria_are_found_and_recognised(oracles: list[dict[str, Any]]) -> None:
    """Of the worked games, the equilibria are those that are known, exactly."""
    cases = [case for case in oracles if case["topic"] == "nash"]
    assert cases
    for case in cases:
        A, B = case["input"]["N_P1_payoff"], case["input"]["M_P2_payoff"]
        expected = [*case["expected"]["pure"], case["expected"]["mixed"]]
        known = {(tuple(map(Fraction, p)), tuple(map(Fraction, q))) for p, q in expected}
        assert found_by(BimatrixGame(A, B)) == known
        assert all(is_nash(A, B, p, q) for p, q in known)


def test_exact_play_is_judged_without_rounding() -> None:
    """Of fractions, the least deviation from an equilibrium is seen; floats that are rounded from one pass."""
    off = Fraction(1, 10**30)
    p, q = [Fraction(2, 3), Fraction(1, 3)], [Fraction(1, 3), Fraction(2, 3)]
    assert is_nash(*BATTLE, p, q)
    assert not is_nash(*BATTLE, [p[0] + off, p[1] - off], q)
    assert is_nash(*BATTLE, [2 / 3, 1 / 3], [1 / 3, 2 / 3])
    assert not is_nash(*BATTLE, [0.66, 0.34], [1 / 3, 2 / 3])
    assert is_nash(*BATTLE, [0.66, 0.34], [1 / 3, 2 / 3], tolerance=0.03)


@given(small_games(), st.data())
def test_gains_are_those_of_the_best_deviation(game: Any, more: Any) -> None:
    """What each player may gain is the most that any of its strategies wins more, in exact arithmetic."""
    A, B = game
    sides = []
    for size in (len(A), len(A[0])):
        counts = more.draw(st.lists(st.integers(0, 5), min_size=size, max_size=size).filter(any))
        sides.append([Fraction(count, sum(counts)) for count in counts])
    p, q = (np.array(side, dtype=object) for side in sides)
    incentives = BimatrixGame(A, B).incentives(*sides)
    A, B = np.array(A, dtype=object), np.array(B, dtype=object)
    assert (incentives.row_payoff, incentives.column_payoff) == (p @ A @ q, p @ B @ q)
    assert (incentives.row_gain, incentives.column_gain) == (max(A @ q) - p @ A @ q, max(p @ B) - p @ B @ q)


def test_payoffs_of_all_sizes_are_summed_exactly() -> None:
    """A gain that is far below the rounding error of the sum that it is part of is still seen."""
    A, B = [[2.0**900, 2.0**-900], [2.0**900, 0.0]], [[0.0, 0.0], [0.0, 0.0]]
    assert BimatrixGame(A, B).incentives([0.0, 1.0], [0.5, 0.5]).row_gain == Fraction(2) ** -901
    assert not is_nash(A, B, [0.0, 1.0], [0.5, 0.5], tolerance=0.0)
    assert is_nash(A, B, [1.0, 0.0], [0.5, 0.5], tolerance=0.0)


@pytest.mark.parametrize(
    ("what", "arguments"),
    [
        ("A is 2 x 2, B is 1 x 2", ([[1, 2], [3, 4]], [[1, 2]], [1, 0], [1, 0])),
        ("p: shape", (*BATTLE, [1], [1, 0])),
        ("q: probabilities", (*BATTLE, [1, 0], [2, -1])),
        ("fractions sum to", (*BATTLE, [Fraction(1, 3), Fraction(2, 3) - Fraction(1, 10**9)], [1, 0])),
        ("infinite|inf", ([[1, float("inf")]], [[1, 2]], [1], [1, 0])),
    ],
)
def test_what_is_no_game_or_no_strategy_is_refused(what: str, arguments: tuple[Any, ...]) -> None:
    """Matrices of two shapes, probabilities that are none and payoffs without end are refused, each by its name."""
    with pytest.raises(RegretlessError, match=what):
        is_nash(*arguments)


def test_a_tolerance_is_a_number() -> None:
    """A negative tolerance, or none that is a number, is refused."""
    for tolerance in (-1.0, float("nan")):
        with pytest.raises(RegretlessError, match="tolerance"):
            is_nash(*BATTLE, [1, 0], [1, 0], tolerance)


# All extreme equilibria, exactly.


@given(small_games(low=-1, high=1) | small_games())
@example(([[1, 1, 1, 2], [0, 1, 2, 1], [2, 1, 0, 1]], [[1, 0, 0, 2], [0, 1, 1, 2], [0, 1, 1, 0]]))
def test_enumeration_finds_what_trying_every_basis_finds(game: Any) -> None:
    """The exact enumeration misses no extreme equilibrium and invents none, of degenerate games too.

    The example has rays that share equalities enough for an edge and have none.
    """
    equilibria = BimatrixGame(*game).equilibria("exact-enumeration")
    assert equilibria.complete
    assert equilibria.method == "exact-enumeration"
    exact = [(tuple(one.exact.row), tuple(one.exact.column)) for one in equilibria if one.exact is not None]
    assert len(set(exact)) == len(exact) == len(equilibria) > 0
    assert set(exact) == extremes_by_bases(*game)


@given(small_games(most=4, low=0, high=1), st.data())
def test_mixtures_inside_a_nash_subset_are_equilibria(game: Any, more: Any) -> None:
    """Any mixture of the row strategies of a subset with any of its column strategies is an equilibrium, exactly."""
    equilibria = BimatrixGame(*game).equilibria()
    assert equilibria.subsets is not None
    for subset in equilibria.subsets:
        weights = [more.draw(st.lists(st.integers(1, 4), min_size=len(subset), max_size=len(subset))) for _ in range(2)]
        exact = [equilibria[place].exact for place in subset]
        sides = [
            sum((w * np.array(one, dtype=object) for w, one in zip(weight, side, strict=True)), Fraction(0))
            / sum(weight)
            for weight, side in zip(weights, ([e.row for e in exact], [e.column for e in exact]), strict=True)  # type: ignore[union-attr]
        ]
        assert is_nash(*game, sides[0].tolist(), sides[1].tolist())


@given(small_games(most=2, low=-1, high=1))
def test_every_equilibrium_lies_in_a_nash_subset(game: Any) -> None:
    """Of games with two strategies, each equilibrium on a grid of mixtures lies in the box of one of the subsets."""
    equilibria = BimatrixGame(*game).equilibria()
    assert equilibria.subsets is not None
    boxes = []
    for subset in equilibria.subsets:
        exact = [one for place in subset if (one := equilibria[place].exact) is not None]
        sides = [[one.row[0] for one in exact], [one.column[0] for one in exact]]
        boxes.append([(min(side), max(side)) for side in sides])
    grid = sorted({Fraction(a, b) for b in (1, 2, 3, 4, 5) for a in range(b + 1)})
    for s, t in product(grid if len(game[0]) == 2 else [Fraction(1)], grid if len(game[0][0]) == 2 else [Fraction(1)]):
        p, q = [s, 1 - s][: len(game[0])], [t, 1 - t][: len(game[0][0])]
        inside = any(a <= s <= b and c <= t <= d for (a, b), (c, d) in boxes)
        assert is_nash(*game, p, q) == inside


@given(small_games(most=4, low=0, high=1))
def test_subsets_cover_and_components_part_the_equilibria(game: Any) -> None:
    """Each extreme equilibrium is in a subset and in one component; no subset is part of another, or of two."""
    equilibria = BimatrixGame(*game).equilibria()
    assert equilibria.subsets is not None
    assert equilibria.components is not None
    subsets, components = [set(one) for one in equilibria.subsets], [set(one) for one in equilibria.components]
    assert set().union(*subsets) == set(range(len(equilibria)))
    assert sorted(place for one in components for place in one) == list(range(len(equilibria)))
    assert not any(one < other for one in subsets for other in subsets)
    assert all(sum(not one.isdisjoint(component) for component in components) == 1 for one in subsets)


@given(small_games(most=4, low=0, high=1))
def test_subsets_are_all_the_largest_products(game: Any) -> None:
    """The subsets are the products that no row strategy and no column strategy can be added to, each of them once."""
    equilibria = BimatrixGame(*game).equilibria()
    pairs = [(tuple(one.row), tuple(one.column)) for one in equilibria]
    rows = sorted({row for row, _ in pairs})
    assume(len(rows) <= 8)
    expected = set()
    for size in range(1, len(rows) + 1):
        for some in combinations(rows, size):
            columns = {column for _, column in pairs if all((row, column) in pairs for row in some)}
            every = {row for row in rows if all((row, column) in pairs for column in columns)}
            if columns:
                expected.add(frozenset(place for place, (x, y) in enumerate(pairs) if x in every and y in columns))
    assert equilibria.subsets is not None
    assert sorted(map(sorted, expected)) == equilibria.subsets


@given(small_games())
def test_only_games_that_are_degenerate_have_continua(game: Any) -> None:
    """A game that is said not to be degenerate has an odd number of equilibria, isolated, of equal supports."""
    equilibria = BimatrixGame(*game).equilibria()
    if not equilibria.degenerate:
        assert len(equilibria) % 2 == 1
        assert equilibria.components == [[place] for place in range(len(equilibria))]
        assert all(len(one.support[0]) == len(one.support[1]) for one in equilibria)


def test_floats_are_taken_at_their_values() -> None:
    """Of floats too every extreme equilibrium is found, and each gain is what rounding the strategies costs."""
    for seed in range(20):
        game = random_game(seed, 4, 5)
        equilibria = game.equilibria()
        stated = BimatrixGame(game.row_payoffs.fractions(), game.column_payoffs.fractions()).equilibria()
        assert [one.row.tolist() for one in equilibria] == [one.row.tolist() for one in stated]
        assert max(max(one.row_gain, one.column_gain) for one in equilibria) < 1e-15
        assert stated.describe()["equilibria"][0]["exact"]
        assert "exact" not in equilibria.describe()["equilibria"][0]


def test_scales_and_offsets_change_no_equilibrium() -> None:
    """Payoffs may be stretched, moved, and spread over all magnitudes that floats have."""
    rng = np.random.default_rng(3)
    A, B = rng.integers(-9, 10, (2, 5, 4)).astype(float)
    known = [one.row.tolist() for one in BimatrixGame(A, B).equilibria()]
    for other in (BimatrixGame(A * 2.0**500, B * 2.0**-500), BimatrixGame(A + 2.0**40, B - 2.0**40)):
        assert [one.row.tolist() for one in other.equilibria()] == known
    wild = rng.normal(size=(5, 5)) * 10.0 ** rng.integers(-300, 300, (5, 5))
    assert BimatrixGame(wild, wild.T).equilibria().complete


def test_all_of_gambits_games_are_enumerated(gambit: dict[str, BimatrixGame]) -> None:
    """Each two-player game of Gambit's has the extreme equilibria and the components that it is known for."""
    equilibria = {name: game.equilibria() for name, game in gambit.items()}
    assert {name: (len(one), len(one.components or ())) for name, one in equilibria.items()} == GAMBIT
    for name, one in equilibria.items():
        assert one.complete
        assert all(equilibrium.exact is not None for equilibrium in one)
        A, B = gambit[name].row_payoffs.fractions(), gambit[name].column_payoffs.fractions()
        assert all(is_nash(A, B, e.exact.row, e.exact.column) for e in one if e.exact is not None)


def test_coordination_has_all_its_mixtures() -> None:
    """A game of pure coordination with n strategies has one equilibrium for each set of them."""
    for size in (1, 3, 7):
        assert len(BimatrixGame(np.eye(size, dtype=int), np.eye(size, dtype=int)).equilibria()) == 2**size - 1


def test_games_of_equal_payoffs_are_one_product() -> None:
    """Where nothing matters, all pure pairs are extreme, and together one subset."""
    equilibria = BimatrixGame(np.zeros((3, 4), dtype=int), np.zeros((3, 4), dtype=int)).equilibria()
    assert len(equilibria) == 12
    assert equilibria.subsets == equilibria.components == [list(range(12))]


# By quantecon.


@quantecon
@pytest.mark.parametrize("method", IN_FLOATS[:2])
def test_enumerations_in_floats_agree_with_the_exact_one(method: str) -> None:
    """On 40 random 3 x 3 games each enumeration finds all equilibria, and at least one."""
    for seed in range(40):
        game = random_game(seed, 3, 3)
        equilibria = game.equilibria(method, seconds=inf)  # the first waits for what numba compiles
        assert equilibria.method == method
        assert equilibria.complete is None
        assert exactly(equilibria) == exactly(game.equilibria(seconds=inf))


@quantecon
def test_lemke_howson_ends_and_is_right() -> None:
    """On 40 random 10 x 10 games, and 20 with many ties, Lemke-Howson ends with equilibria, exactly."""
    ties = np.random.default_rng(0).integers(0, 3, (20, 2, 10, 10))
    for game in (*(random_game(seed, 10, 10) for seed in range(40)), *(BimatrixGame(*game) for game in ties)):
        equilibria = game.equilibria("lemke-howson", seconds=inf)
        assert equilibria.method == "lemke-howson"
        assert all(one.exact is not None and max(one.row_gain, one.column_gain) < 1e-14 for one in equilibria)


@quantecon
@pytest.mark.parametrize("method", IN_FLOATS)
@given(game=small_games())
@example(game=([[0, 0, 0], [0, 0, 0], [2, 0, -1]], [[1, 0, 0], [1, 0, 0], [0, 0, 1]]))
def test_what_quantecon_finds_is_an_equilibrium_and_once(method: str, game: Any) -> None:
    """Of any small game, degenerate or not, each method gives equilibria, exactly verified, none twice.

    In the example all systems of support enumeration are singular or have no solution: another method answers.
    """
    one = BimatrixGame(*game)
    equilibria = one.equilibria(method, seconds=inf)
    exact = [(e.exact.row, e.exact.column) for e in equilibria if e.exact is not None]
    assert len(exact) == len(equilibria) >= 1
    assert all(exact[place] not in exact[:place] for place in range(len(exact)))
    assert all(is_nash(*game, *strategies) for strategies in exact)
    every = one.equilibria()
    if equilibria.method != method:
        assert every.degenerate
        assert f"{method} found no equilibrium" in equilibria.note
        return
    assert equilibria.complete is not True
    if not every.degenerate and method != "lemke-howson":
        assert (len(equilibria), equilibria.complete, equilibria.degenerate) == (len(every), None, None)


@quantecon
def test_von_stengels_game_gives_all_75(gambit: dict[str, BimatrixGame]) -> None:
    """Both enumerations of quantecon find the 75 equilibria that the exact one finds."""
    game = gambit["6x6_game_with_75_eq_small_payoffs"]
    for method in IN_FLOATS[:2]:
        assert found_by(game, method=method) == found_by(game)


@quantecon
def test_large_games_give_at_least_one() -> None:
    """By itself the search takes what fits: an enumeration, or Lemke and Howson's paths."""
    assert random_game(0, 14, 13).equilibria(limit=2).method == "vertex-enumeration"
    equilibria = random_game(0, 40, 60).equilibria(limit=3)
    assert (equilibria.method, len(equilibria), equilibria.complete) == ("lemke-howson", 3, False)
    assert max(max(one.row_gain, one.column_gain) for one in equilibria) < 1e-14


@quantecon
@pytest.mark.parametrize("method", IN_FLOATS)
@pytest.mark.parametrize("shape", [(1, 1), (1, 4), (4, 1), (2, 5)])
def test_games_of_any_shape_are_taken(method: str, shape: tuple[int, int]) -> None:
    """A player may have one strategy, or far fewer than the other."""
    assert len(random_game(1, *shape).equilibria(method)) == len(random_game(1, *shape).equilibria()) == 1


def test_what_is_too_large_is_refused_with_another_way() -> None:
    """An enumeration that would take hours is refused at once, with a method that would not."""
    for method in IN_FLOATS[:2]:
        with pytest.raises(RegretlessError, match=f"{method}: 30 x 30 .* 'lemke-howson'"):
            random_game(0, 30, 30).equilibria(method)


# Without it, in vain, and in a hurry.


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if quantecon were not installed."""
    monkeypatch.setitem(sys.modules, "quantecon", None)


@pytest.mark.usefixtures("alone")
def test_without_quantecon_small_and_constant_sum_games_are_solved() -> None:
    """Small games need no extra, nor do large ones of a constant sum; for others the message names it."""
    assert len(BimatrixGame(*BATTLE).equilibria()) == 3
    payoffs = np.random.default_rng(0).integers(-9, 10, (20, 20))
    equilibria = BimatrixGame(payoffs, 1 - payoffs).equilibria()
    assert equilibria.method.startswith("zero-sum")
    assert equilibria[0].exact is not None
    assert equilibria[0].row_payoff + equilibria[0].column_payoff == pytest.approx(1)
    for method in ("auto", *IN_FLOATS):
        with pytest.raises(RegretlessError, match=r"pip install quantecon"):
            (random_game(0, 20, 20) if method in ("auto", "lemke-howson") else random_game(0, 3, 3)).equilibria(method)


def test_a_method_that_finds_nothing_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    """No list is empty: if a method gives nothing, or what is no equilibrium, another one answers, and that is said."""

    def wrong(*_: Any) -> Iterator[Any]:
        yield np.array([1.0, 0.0]), np.array([0.0, 1.0])

    monkeypatch.setitem(nash_search._IN_FLOATS, "support-enumeration", wrong)
    equilibria = BimatrixGame(*BATTLE).equilibria("support-enumeration")
    assert (len(equilibria), equilibria.method, equilibria.complete) == (3, "exact-enumeration", True)
    assert "returned 1 pairs of strategies that are no equilibria" in equilibria.note
    assert "found no equilibrium" in equilibria.note


def test_equations_have_one_solution_or_none_is_given() -> None:
    """Homogeneous equations in whole numbers are solved where they leave one direction, neither none nor several."""
    assert kernel_vector(np.array([[2, -1, 0], [0, 3, -1]], dtype=object), lambda: None) in ([1, 2, 6], [-1, -2, -6])
    assert kernel_vector(np.array([[2, -1, 0], [4, -2, 0]], dtype=object), lambda: None) is None
    assert kernel_vector(np.array([[1, 0], [0, 1], [1, 1]], dtype=object), lambda: None) is None
    assert kernel_vector(np.array([[0, 0], [0, 0]], dtype=object), lambda: None) is None


def test_rounded_answers_are_refined() -> None:
    """Strategies that are off by 1e-9 give the equilibrium itself; what is far from all equilibria gives none."""
    from regretless.games.general_sum.equilibria import Verifier

    game = BimatrixGame(*BATTLE)
    verifier = Verifier.of(game.row_payoffs, game.column_payoffs, lambda: None)
    result = verifier.near(np.array([2 / 3 + 1e-9, 1 / 3 - 1e-9]), np.array([1 / 3, 2 / 3]))
    assert result is not None
    assert result.exact is not None
    assert result.exact.row == [Fraction(2, 3), Fraction(1, 3)]
    assert verifier.near(np.array([1.0, 0.0]), np.array([0.0, 1.0])) is None


def test_time_that_is_over_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search that cannot end in time ends with an error that says so, and that there is an equilibrium."""
    monkeypatch.setitem(sys.modules, "quantecon", None)
    ticks = count()
    monkeypatch.setattr(nash_search, "monotonic", lambda: 0.01 * next(ticks))
    with pytest.raises(RegretlessError, match=r"no equilibrium in 0\.5 seconds, though every game has one"):
        random_game(0, 18, 18).equilibria("exact-enumeration", seconds=0.5)
    assert next(ticks) < 100


def test_a_search_can_be_interrupted() -> None:
    """Ctrl-C ends an enumeration that would take hours."""
    code = (
        "import numpy as np; from regretless.games import BimatrixGame\n"
        "from regretless.games.general_sum import nash_search\n"
        "class Search(nash_search.NashSearch):\n"
        "    def check_stop(self):\n"
        "        if not self.notes: print('looking', flush=True); self.notes.append('told')\n"
        "from regretless.games.general_sum import bimatrix\n"
        "bimatrix.NashSearch = Search\n"
        "game = BimatrixGame(*np.random.default_rng(0).uniform(-1, 1, (2, 20, 20)))\n"
        "game.equilibria('exact-enumeration', seconds=100)"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=heed_interrupts
    ) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"looking\n"
        errors = b""
        for _ in range(60):  # an interruption that falls into a destructor is ignored by Python
            child.send_signal(signal.SIGINT)
            with suppress(subprocess.TimeoutExpired):
                _, errors = child.communicate(timeout=1)
                break
        child.kill()
    assert b"KeyboardInterrupt" in errors


def test_limits_are_observed_and_checked() -> None:
    """A limit gives so many, not said to be all; what has no meaning is refused."""
    equilibria = BimatrixGame(*BATTLE).equilibria(limit=2)
    assert (len(equilibria), equilibria.complete, equilibria.subsets, equilibria.note) == (
        2,
        False,
        None,
        "of 3 in all",
    )
    assert BimatrixGame(*BATTLE).equilibria(limit=3).complete
    for wrong in ({"method": "gambit"}, {"limit": 0}, {"seconds": 0}, {"seconds": float("nan")}):
        with pytest.raises(RegretlessError, match=next(iter(wrong))):
            BimatrixGame(*BATTLE).equilibria(**wrong)  # type: ignore[arg-type]


# What needs no search.


@given(small_games(most=4))
def test_pure_equilibria_are_all_pairs_of_best_responses(game: Any) -> None:
    """The pure equilibria are the pairs from which no pure deviation is better."""
    A, B = game
    cells = list(product(range(len(A)), range(len(A[0]))))
    best = [(i, j) for i, j in cells if A[i][j] == max(row[j] for row in A) and B[i][j] == max(B[i])]
    assert pure_equilibria(A, B) == best


def test_dominated_strategies_are_eliminated_in_turn() -> None:
    """Defecting dominates, and what is dominated by a mixture alone, or only after others are gone, goes too."""
    only = BimatrixGame(*DILEMMA).dominated()
    assert [(one.player, one.strategy, one.margin) for one in only] == [("row", 0, 1.0), ("column", 0, 1.0)]
    mixed = BimatrixGame([[4, 0], [0, 4], [1, 1]], [[1, 1], [1, 1], [0, 5]]).dominated()
    assert [(one.player, one.strategy) for one in mixed] == [("row", 2)]
    assert mixed[0].by == pytest.approx([0.5, 0.5, 0])
    assert mixed[0].margin == pytest.approx(1)
    assert BimatrixGame(*SHAPLEY).dominated() == []
    assert BimatrixGame([[2, 0], [0, 2], [1, 1]], [[0, 0]] * 3).dominated() == []  # only as good as a mixture


@given(small_games(most=4))
def test_no_equilibrium_plays_what_is_dominated(game: Any) -> None:
    """Strategies that are eliminated have probability 0 in every equilibrium."""
    one = BimatrixGame(*game)
    gone = one.dominated()
    for equilibrium in one.equilibria():
        for domination in gone:
            side = equilibrium.row if domination.player == "row" else equilibrium.column
            assert side[domination.strategy] == 0


def test_a_constant_sum_is_seen() -> None:
    """Payoffs that add up to one number, but for rounding, make a zero-sum game of the row player's."""
    shares = np.random.default_rng(0).uniform(size=(3, 3))
    game = BimatrixGame(shares, 1 - shares, rows=["a", "b", "c"]).constant_sum
    assert game is not None
    assert game.rows == ["a", "b", "c"]
    assert BimatrixGame(*BATTLE).constant_sum is None


def test_names_and_json() -> None:
    """What is found is reported by name, in JSON values, exactly where the payoffs were stated."""
    game = BimatrixGame(*BATTLE, rows=["boxing", "ballet"], cols=["Boxing", "Ballet"])
    assert game.pure_equilibria() == [("boxing", "Boxing"), ("ballet", "Ballet")]
    record = json.loads(json.dumps(game.equilibria().describe()))
    assert (record["method"], record["complete"], record["degenerate"]) == ("exact-enumeration", True, False)
    assert record["equilibria"][1]["exact"] == {
        "row_strategy": {"boxing": "2/3", "ballet": "1/3"},
        "column_strategy": {"Boxing": "1/3", "Ballet": "2/3"},
        "row_payoff": "2/3",
        "column_payoff": "2/3",
    }
    assert record["equilibria"][0]["row_strategy"] == {"boxing": 1.0}


def test_games_tell_their_size() -> None:
    """A game is shown by its size, and names of methods may be written as Python writes names."""
    assert repr(BimatrixGame([[1, 2, 3]], [[3, 2, 1]])) == "<BimatrixGame: 1 x 3>"
    assert BimatrixGame(*BATTLE).equilibria("exact_enumeration").method == "exact-enumeration"


def test_imports_are_light() -> None:
    """Neither quantecon nor scipy is loaded before somebody asks for what needs it."""
    code = (
        "import sys; from regretless.games.general_sum.bimatrix import BimatrixGame\n"
        "assert len(BimatrixGame([[2, 0], [0, 1]], [[1, 0], [0, 2]]).equilibria()) == 3\n"
        "assert not {'quantecon', 'numba', 'scipy'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
