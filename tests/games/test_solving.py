"""Every method on every kind of game: solved to the tolerance or refused, never answered wrongly."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import FrozenInstanceError, fields
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import linprog
from scipy.sparse import csr_array
from scipy.sparse.linalg import aslinearoperator

from regretless.errors import RegretlessError
from regretless.games import MatrixGame, SolveError, solving
from regretless.games.extensive_form.sequence import SequenceGame
from regretless.games.methods import EXACT_METHODS, METHODS, SELF_PLAY
from regretless.games.payoffs import Payoffs, enclose
from regretless.games.solution import RawSolution, Solution
from regretless.games.solvers import interior_point as interior
from regretless.games.solvers import interior_point as interior_point_module
from regretless.games.solvers import linear_program as programs
from regretless.games.solvers.interior_point import NormalMatrix, interior_point
from regretless.games.solvers.linear_program import (
    linear_program,
    simplex,
    simplex_at_once,
    solved_in_slices,
    tree_program,
)
from regretless.games.solvers.polish import nearest_on_face, solved_supports
from regretless.games.solving import choose

from ..sanitized import fewer

# What runs on the compiled core is run under the sanitizers too; interior points and linear programs are not its.
kernel = pytest.mark.kernel
EACH = ["auto", *(pytest.param(name, marks=kernel) if name == "simplex" else name for name in EXACT_METHODS)]


def blotto(soldiers: int, fields: int) -> np.ndarray:
    """Who wins more fields wins 1."""

    def splits(left: int, places: int) -> list[tuple[int, ...]]:
        if places == 1:
            return [(left,)]
        return [(first, *rest) for first in range(left + 1) for rest in splits(left - first, places - 1)]

    armies = np.array(splits(soldiers, fields))
    return np.asarray(np.sign(np.sign(armies[:, None] - armies[None]).sum(axis=-1)), dtype=float)


def skewed(matrix: np.ndarray) -> np.ndarray:
    return np.asarray(matrix - matrix.T)


def families() -> dict[str, np.ndarray]:
    draw = np.random.default_rng(5)

    def uniform(*shape: int) -> np.ndarray:
        return draw.uniform(-1, 1, shape)

    numbers = np.arange(101.0)
    return {
        "rock-paper-scissors": np.array([[0.0, -1, 1], [1, 0, -1], [-1, 1, 0]]),
        "matching pennies": np.array([[1.0, -1], [-1, 1]]),
        "saddle point": np.array([[3.0, 1, 4], [1, 0, 2], [5, 0.5, 6]]),
        "one payoff": np.array([[7.0]]),
        "all payoffs alike": np.full((3, 4), 0.1),
        "1 x n": uniform(1, 7),
        "n x 1": uniform(7, 1),
        "blotto 10 on 3": blotto(10, 3),
        "blotto on 4": blotto(fewer(9, 6), 4),
        "plus or minus 1": draw.choice([-1.0, 1.0], (70, 70)),
        # Beyond the simplex method's work, as "blotto on 4" is: "auto" gives it to the interior point. What is compiled
        # does the same to smaller ones under the sanitizers.
        "plus or minus 1, large": draw.choice([-1.0, 1.0], (220, 220))[: fewer(220, 110), : fewer(220, 110)],
        "whole numbers": draw.integers(-2, 3, (100, 100)).astype(float),
        "skew-symmetric": skewed(uniform(91, 91)),
        "skew-symmetric, whole": skewed(draw.integers(-3, 4, (60, 60)).astype(float)),
        "rank 5": draw.normal(size=(150, 5)) @ draw.normal(size=(5, 150)),
        "tall": uniform(1000, 30),
        "wide": uniform(30, 1000),
        "duplicate rows": np.repeat(uniform(30, 40), 3, axis=0),
        "scale 1e6": 1e6 * uniform(60, 60),
        "scale 1e-200": 1e-200 * uniform(30, 30),
        "scale 1e200": 1e200 * uniform(30, 30),
        "offset 1e6": 1e6 + uniform(60, 60),
        "2 % not zero": np.where(draw.random((200, 200)) < 0.02, uniform(200, 200), 0.0),
        "lognormal": np.exp(3 * draw.normal(size=(100, 100))),
        "Hilbert": 1 / (np.arange(60)[:, None] + np.arange(60) + 1.0),
        "identity": np.eye(50),
        "diagonal": np.diag(np.exp(2 * draw.normal(size=60))),
        "|i - j|": np.abs(numbers[:, None] - numbers),
        "uniform": uniform(150, 150),
        "float32": (3 + uniform(80, 70)).astype(np.float32),
    }


FAMILIES = families()


def certified(matrix: np.ndarray, solution: Any, relative: float = 1e-9) -> None:
    """The strategies are some, and guarantee what is said, to the tolerance."""
    spread = float(matrix.max()) - float(matrix.min())
    least = max(relative * spread, 8 * np.spacing(float(np.abs(matrix).max())))
    for strategy in (solution.row, solution.column):
        assert (strategy >= 0).all()
        assert strategy.sum() == pytest.approx(1, abs=1e-12)
    assert solution.upper - solution.lower <= least
    wins = float((matrix @ solution.column).max() / solution.column.sum())
    costs = float((solution.row @ matrix).min() / solution.row.sum())
    off = 1e-13 * float(np.abs(matrix).max())
    assert solution.lower <= costs + off
    assert wins - off <= solution.upper


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize("method", EACH)
def test_every_family_is_solved_by_every_exact_method(method: str, name: str) -> None:
    """Every family of games is solved to a billionth of its range by every method that ends at an equilibrium."""
    certified(FAMILIES[name], MatrixGame(FAMILIES[name]).solve(method))


@kernel
@pytest.mark.parametrize("method", ["rm+", "prm+"])
@pytest.mark.parametrize("name", ["rock-paper-scissors", "saddle point", "1 x n", "whole numbers", "scale 1e6", "tall"])
def test_self_play_reaches_what_it_is_asked_for(method: str, name: str) -> None:
    """Self-play ends at a gap of a ten-thousandth of the range in every kind of game it is given."""
    matrix = FAMILIES[name]
    solution = MatrixGame(matrix).solve(method, 1e-4 * float(np.ptp(matrix)))
    certified(matrix, solution, 1e-4)
    assert solution.method == method
    assert solution.iterations > 0


def test_values_agree_with_a_linear_program_of_its_own() -> None:
    """The value is what scipy finds for the textbook's linear program, in forty random games of many shapes."""
    draw = np.random.default_rng(7)
    for _ in range(40):
        rows, columns = draw.integers(1, 12, 2)
        matrix = draw.integers(-3, 4, (rows, columns)).astype(float)
        program = linprog(
            np.append(np.zeros(rows), -1),
            A_ub=np.hstack([-matrix.T, np.ones((columns, 1))]),
            b_ub=np.zeros(columns),
            A_eq=np.append(np.ones(rows), 0)[None],
            b_eq=[1],
            bounds=[(0, None)] * rows + [(None, None)],
        )
        for method in EXACT_METHODS:
            assert MatrixGame(matrix).solve(method).value == pytest.approx(-program.fun, abs=1e-9)


@kernel
@given(
    arrays(np.float64, st.tuples(st.integers(1, 7), st.integers(1, 7)), elements=st.integers(-3, 3)),
    st.sampled_from(["auto", *EXACT_METHODS]),
)
def test_small_games_are_solved_however_degenerate(matrix: np.ndarray, method: str) -> None:
    """Games of small whole numbers, full of ties, are solved by every exact method."""
    certified(matrix, MatrixGame(matrix).solve(method))


@pytest.mark.parametrize("method", EACH)
def test_the_other_side_sees_the_same_game(method: str) -> None:
    """The game of losses has the same strategies' guarantees with the signs and ends exchanged."""
    matrix = FAMILIES["duplicate rows"]
    won, lost = MatrixGame(-matrix).solve(method), MatrixGame.from_losses(matrix).solve(method)
    assert (lost.lower, lost.upper) == (-won.upper, -won.lower)
    assert lost.value == pytest.approx(-won.value, abs=1e-12)
    certified(matrix.T, MatrixGame(matrix.T).solve(method))


def real(data: Path) -> dict[str, tuple[np.ndarray, dict[str, Any]]]:
    index = json.loads((data / "INDEX.json").read_text())
    results = {}
    for entry in index:
        if entry["category"] == "games" and entry["file"].endswith(".npz") and "seqform" not in entry["name"]:
            with np.load(data / entry["file"]) as held:
                results[entry["name"]] = held["A"].astype(float), entry["checks"]
    return results


@pytest.mark.parametrize("method", EACH)
def test_real_games_have_their_values(data: Path, method: str) -> None:
    """The real games have the values that were found when they were collected."""
    games = real(data)
    assert len(games) >= 8
    for name, (matrix, checks) in games.items():
        solution = MatrixGame(matrix).solve(method)
        certified(matrix, solution)
        assert solution.value == pytest.approx(checks["value"], abs=6e-7), name


@kernel
def test_real_games_have_their_supports(data: Path) -> None:
    """The real games' supports are as large as was found when they were collected, where one equilibrium is alone."""
    alone = ("atari_agent57", "atari_muesli11", "pokemon_types", "roshambo_bots", "sscait_2016")
    games = real(data)
    for name in alone:
        matrix, checks = games[name]
        solution = MatrixGame(matrix).solve()
        assert len(solution.row_support(1e-9)) == checks["nash_support"], name


@kernel
@pytest.mark.parametrize("step", [1, 10**5])
def test_whole_numbers_beyond_floats_are_enclosed(step: int) -> None:
    """The exact value of whole numbers that floats hardly tell apart, or cannot, lies in the printed interval."""
    base = 2**70
    solution = MatrixGame([[base, base + step], [base + 2 * step, base]]).solve(exact=True)
    assert solution.exact is not None
    assert solution.exact.value == base + Fraction(2 * step, 3)
    assert Fraction(solution.lower) <= solution.exact.value <= Fraction(solution.upper)


@kernel
@pytest.mark.parametrize("name", FAMILIES)
def test_a_small_game_in_one_call_is_solved_to_the_bits_of_pivots_in_turns(name: str) -> None:
    """One compiled call gives the strategies, interval, pivots and basis of a tableau that is asked for each."""
    payoffs = Payoffs(FAMILIES[name])
    at_once = simplex_at_once(payoffs)
    if payoffs.values.size > 4096 or payoffs.spread == 0:
        assert at_once is None
        return
    assert at_once is not None
    plain = simplex(payoffs)
    quick, lower, upper = at_once
    assert (quick.row.tobytes(), quick.column.tobytes()) == (plain.row.tobytes(), plain.column.tobytes())
    assert (quick.iterations, quick.claim, quick.note, quick.basis) == (
        plain.iterations,
        plain.claim,
        plain.note,
        plain.basis,
    )
    assert (lower, upper) == enclose(Payoffs(payoffs.values), plain.row, plain.column)


@kernel
@pytest.mark.parametrize("name", FAMILIES)
def test_a_game_is_solved_to_the_same_bits_whether_options_are_left_out(name: str) -> None:
    """Without any option a small game takes a short way, to all that the way past the options says of it."""
    short, long = MatrixGame(FAMILIES[name]).solve(), MatrixGame(FAMILIES[name]).solve(stop=lambda: False)
    assert (short.row.tobytes(), short.column.tobytes()) == (long.row.tobytes(), long.column.tobytes())
    for field in ("lower", "upper", "method", "iterations", "note", "stopped"):
        assert getattr(short, field) == getattr(long, field)
    assert list(map(str, short.certificates)) == list(map(str, long.certificates))


@kernel
class TestSelfSuspicion:
    """What a solver says is checked, and what is not good enough is no answer."""

    def test_a_wrong_answer_is_no_answer(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """A method that hands back poor strategies is refused with the interval that these guarantee."""
        self.spoil(monkeypatch, "simplex")
        with pytest.raises(SolveError, match="simplex left a gap") as error:
            MatrixGame(FAMILIES["saddle point"]).solve("simplex")
        assert error.value.lower <= 1 <= error.value.upper

    def test_auto_goes_on_to_another_method_and_says_so(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Where the first method fails, `auto` takes another, and the note names both."""
        self.spoil(monkeypatch, "simplex")
        solution = MatrixGame(FAMILIES["blotto 10 on 3"]).solve()
        assert solution.method == "interior-point"
        assert "simplex left a gap" in solution.note
        certified(FAMILIES["blotto 10 on 3"], solution)

    def test_auto_fails_only_if_all_methods_do(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Where every method fails, the error names each with its gap, and carries the best interval."""
        for method in EXACT_METHODS:
            self.spoil(monkeypatch, method)
        with pytest.raises(SolveError) as error:
            MatrixGame(FAMILIES["saddle point"]).solve()
        for method in EXACT_METHODS:
            assert f"{method} left a gap" in str(error.value)
        assert error.value.lower < error.value.upper

    def test_what_floats_cannot_have_is_refused(self) -> None:
        """No gap of zero is claimed for a game whose value no float is."""
        with pytest.raises(SolveError):
            MatrixGame(np.random.default_rng(0).random((9, 9))).solve(tolerance=0)

    def test_self_play_out_of_rounds_is_refused(self) -> None:
        """Self-play that may not play long enough for its tolerance is an error, with the interval that it came to."""
        matrix = FAMILIES["whole numbers"]
        with pytest.raises(SolveError, match="rm\\+ left a gap") as error:
            MatrixGame(matrix).solve("rm+", 1e-6, rounds=10)
        value = MatrixGame(matrix).value
        assert error.value.lower <= value <= error.value.upper

    @staticmethod
    def spoil(monkeypatch: pytest.MonkeyPatch, method: str) -> None:
        real_find: Callable[..., RawSolution] = solving._by_method

        def uniform(payoffs: Payoffs, **_: Any) -> RawSolution:
            rows, columns = payoffs.shape
            return RawSolution(np.full(rows, 1 / rows), np.full(columns, 1 / columns), method, 1)

        if method == "simplex":
            monkeypatch.setattr(solving, "simplex", uniform)
            monkeypatch.setattr(solving, "simplex_at_once", lambda payoffs: None)
        else:
            monkeypatch.setattr(
                solving,
                "_by_method",
                lambda name, payoffs, *rest: uniform(payoffs) if name == method else real_find(name, payoffs, *rest),
            )

    def test_an_error_about_losses_is_reported_in_losses(self) -> None:
        """The interval of a game of losses is one of losses, in the error and in its words."""
        game = MatrixGame.from_losses([[1, 2], [3, 1]])
        with pytest.raises(SolveError) as error:
            game.solve("hedge", 1e-6, rounds=50)
        assert error.value.lower <= Fraction(5, 3) <= error.value.upper
        assert f"between {error.value.lower!r} and {error.value.upper!r}" in str(error.value)


class TestStopping:
    """Progress is reported, and may end it."""

    @pytest.mark.parametrize(
        "method", ["interior-point", *(pytest.param(name, marks=kernel) for name in ("rm+", "hedge"))]
    )
    def test_stopped_methods_hand_over_what_they_have(self, method: str) -> None:
        """A stopped method returns strategies, an interval that contains the value, and why it ended."""
        matrix = np.random.default_rng(3).uniform(-1, 1, (120, 80))
        solution = MatrixGame(matrix).solve(method, 1e-12, stop=lambda: True)
        assert solution.stopped
        assert solution.lower <= MatrixGame(matrix).value <= solution.upper
        assert solution.row.sum() == pytest.approx(1)

    def test_the_interior_point_tells_a_falling_gap(self) -> None:
        """The interior point tells a best gap that never rises, one for every step."""
        calls: list[tuple[int, float]] = []
        matrix = FAMILIES["lognormal"]
        interior_point(Payoffs(matrix), 1e-9 * float(np.ptp(matrix)), on_progress=lambda *what: calls.append(what))
        assert [step for step, _ in calls] == list(range(1, len(calls) + 1))
        assert all(after <= before for (_, before), (_, after) in pairwise(calls))

    @kernel
    def test_a_stop_in_auto_is_no_failure(self) -> None:
        """`auto` that is stopped returns what it has, however far that is."""
        matrix = np.random.default_rng(4).uniform(-1, 1, (400, 400))
        solution = MatrixGame(matrix).solve(stop=lambda: True)
        assert solution.stopped
        assert solution.gap > 1e-9


class TestInteriorPoint:
    """The interior point itself."""

    @pytest.mark.parametrize("name", ["uniform", "lognormal", "tall", "wide", "2 % not zero"])
    def test_its_claim_is_above_the_gap(self, name: str) -> None:
        """The complementary products' sum is at least the gap of the strategies, but for rounding."""
        matrix = FAMILIES[name]
        solution = interior_point(Payoffs(matrix), 1e-3 * float(np.ptp(matrix)))
        gap = (matrix @ solution.column).max() - (solution.row @ matrix).min()
        assert solution.claim is not None
        assert gap <= solution.claim + 1e-12 * float(np.ptp(matrix))

    def test_payoffs_of_all_sizes_do_not_halt_it(self) -> None:
        """Payoffs that differ by dozens of orders of magnitude lead it near edges, and it finds its way back."""
        for seed in (26, 91, *range(10)):
            draw = np.random.default_rng(seed)
            rows, columns = (int(draw.integers(20, 90)) for _ in range(2))
            matrix = np.exp(draw.uniform(5, 8) * draw.normal(size=(rows, columns)))
            certified(matrix, MatrixGame(matrix).solve("interior-point"))

    def test_it_begins_near_what_it_is_given(self) -> None:
        """Begun at the solution, it needs fewer steps than begun anywhere."""
        payoffs = Payoffs(np.random.default_rng(8).uniform(-1, 1, (90, 90)))
        first = interior_point(payoffs, 1e-9)
        again = interior_point(payoffs, 1e-9, start=(first.row, first.column))
        assert again.iterations < first.iterations

    def test_polished_strategies_are_sparse(self) -> None:
        """Of a game with one equilibrium, as almost all are, both supports are equally small and the rest is zero."""
        solution = interior_point(Payoffs(FAMILIES["uniform"]), 2e-9)
        assert np.count_nonzero(solution.row) == np.count_nonzero(solution.column) < 200
        assert f"{np.count_nonzero(solution.row)} x {np.count_nonzero(solution.row)}" in solution.note
        assert "rounds of RM+" in solution.note


class TestPolish:
    """The supports' equations."""

    def test_supports_give_the_equilibrium(self) -> None:
        """From the right supports alone, the equilibrium of a 2 x 2 game inside a larger one comes out exactly."""
        matrix = np.array([[3.0, -1, 9], [-2, 4, 9], [-9, -9, 0]])
        solved = solved_supports(matrix, np.array([2.0, 2, 0.5]), np.array([2.0, 2, 0.5]))
        assert solved is not None
        (row, column), count = solved
        assert count == 2
        np.testing.assert_allclose(row, [0.6, 0.4, 0], atol=1e-15)
        np.testing.assert_allclose(column, [0.5, 0.5, 0], atol=1e-15)

    def test_wrong_supports_are_set_right(self) -> None:
        """A strategy taken for one that is played, and another for one that is not, change sides."""
        matrix = np.array([[3.0, -1, 9], [-2, 4, 9], [-9, -9, 0]])
        solved = solved_supports(matrix, np.array([2.0, 0.9, 0.5]), np.array([2.0, 0.9, 0.5]))
        assert solved is not None
        np.testing.assert_allclose(solved[0][0], [0.6, 0.4, 0], atol=1e-15)

    def test_no_support_is_no_answer(self) -> None:
        """Supports that cannot be those of an equilibrium give nothing."""
        assert solved_supports(np.zeros((3, 3)), np.full(3, 0.5), np.full(3, 0.5)) is None
        assert solved_supports(np.ones((2, 2)), np.full(2, 2.0), np.full(2, 2.0)) is None

    def test_the_face_is_met_where_we_stand(self) -> None:
        """Of many equilibria the one is taken that is nearest: strategies that are optimal already stay."""
        matrix = np.hstack([np.eye(3), np.eye(3)])
        column = np.array([0.2, 0.1, 0.15, 2 / 15, 7 / 30, 11 / 60])
        moved = nearest_on_face(matrix, np.arange(3), np.arange(6), np.full(3, 1 / 3), column)
        assert moved is not None
        np.testing.assert_allclose(moved[1], column, atol=1e-15)
        nudge = np.array([1e-4, 0, 0, 0, 0, 0])
        nudged = nearest_on_face(matrix, np.arange(3), np.arange(6), np.full(3, 1 / 3), column + nudge)
        assert nudged is not None
        np.testing.assert_allclose(matrix @ nudged[1], 1 / 3, atol=1e-14)


class TestChoice:
    """What auto begins with."""

    @kernel
    def test_small_games_go_to_the_simplex_method(self) -> None:
        """Games of some thousand payoffs, and very long ones, go to the simplex method, whatever the tolerance."""
        for shape in ((10, 10), (100, 150), (2000, 20)):
            assert choose(Payoffs(np.random.default_rng(0).random(shape)), 0.5) == "simplex"

    @kernel
    def test_coarse_wishes_go_to_self_play(self) -> None:
        """A large game and a gap of a thousandth go to self-play, a billionth to the interior point."""
        payoffs = Payoffs(np.random.default_rng(0).random((400, 400)))
        assert choose(payoffs, 1e-3) == "rm+"
        assert choose(payoffs, 1e-9) == "interior-point"
        assert MatrixGame(payoffs.values).solve(tolerance=1e-3).method == "rm+"

    def test_sparse_games_go_to_the_linear_program(self) -> None:
        """A large game whose payoffs are nearly all zero goes to HiGHS, and is solved."""
        draw = np.random.default_rng(1)
        matrix = csr_array(np.where(draw.random((900, 900)) < 0.003, draw.random((900, 900)), 0.0))
        solution = MatrixGame(matrix).solve()
        assert solution.method == "linear-programming"
        certified(matrix.toarray(), solution)

    @pytest.mark.parametrize("method", [*EACH, pytest.param("rm+", marks=kernel)])
    def test_sparse_is_as_dense(self, method: str) -> None:
        """The sparse game has the dense one's value."""
        matrix = FAMILIES["2 % not zero"][:120, :90]
        tolerance = 1e-4 if method == "rm+" else None
        sparse = MatrixGame(csr_array(matrix)).solve(method, tolerance)
        assert sparse.value == pytest.approx(MatrixGame(matrix).value, abs=tolerance or 1e-9)

    @kernel
    def test_products_alone_go_to_self_play(self) -> None:
        """Of a linear operator the value is found by products, if a gap is named; other methods say what they lack."""
        matrix = np.random.default_rng(2).uniform(-1, 1, (60, 50))
        game = MatrixGame(aslinearoperator(matrix))
        solution = game.solve(tolerance=1e-4)
        assert solution.method == "rm+"
        assert solution.gap <= 1e-4
        assert solution.lower - 1e-12 <= MatrixGame(matrix).value <= solution.upper + 1e-12
        with pytest.raises(RegretlessError, match="only products are known"):
            game.solve("simplex", 1e-4)
        with pytest.raises(RegretlessError, match="a gap, rounds or payoff_range= are needed"):
            game.solve()

    def test_a_declared_range_gives_a_tolerance(self) -> None:
        """A linear operator whose range is declared is solved to 1e-9 of it if nobody says, by PRM+."""
        matrix = np.random.default_rng(3).uniform(-1, 1, (20, 15))
        game = MatrixGame(aslinearoperator(matrix), payoff_range=(-1.0, 1.0))
        solution = game.solve()
        assert solution.method == "prm+"
        assert solution.gap <= 2e-9
        assert solution.lower <= MatrixGame(matrix).value <= solution.upper
        assert not any(one.violated for one in solution.certificates)
        assert game.solve(tolerance=1e-2).method == "rm+"

    @kernel
    def test_products_that_leave_the_declared_range_prove_it_false(self) -> None:
        """Products beyond the declared range are an error that names both."""
        matrix = np.array([[1.0, -1.0], [-1.0, 1.0]]) * 7 + 5
        operator = aslinearoperator(matrix)
        for declared in ((-1.0, 1.0), (5.5, 20.0)):
            with pytest.raises(RegretlessError, match=r"payoff_range: from .* was declared"):
                MatrixGame(operator, payoff_range=declared).solve("rm+", rounds=10)
        assert MatrixGame(operator, payoff_range=(-2.0, 12.0)).solve("rm+", rounds=10).lower <= 5


@kernel
class TestWishes:
    """Parameters without a meaning are refused."""

    @pytest.mark.parametrize(
        ("wish", "words"),
        [
            ({"method": "magic"}, "one of auto, simplex"),
            ({"tolerance": -1.0}, "finite number >= 0"),
            ({"tolerance": float("nan")}, "finite number >= 0"),
            ({"tolerance": "little"}, "finite number >= 0"),
            ({"rounds": 10}, "only self-play"),
            ({"method": "simplex", "alternate": True}, "only self-play"),
            ({"method": "rm+", "rounds": 0}, "whole number >= 1"),
            ({"method": "rm+", "rounds": float("nan")}, "whole number >= 1"),
            ({"method": "rm+", "rounds": "many"}, "whole number >= 1"),
            ({"method": "rm+", "rounds": 5, "average": "cubic"}, "quadratic is expected"),
            ({"method": "simplex", "start": ([1, 0, 0], [1, 0, 0])}, "begins at no strategies"),
            ({"method": "rm+", "start": ([1, 0, 0],)}, "1 strategies"),
            ({"method": "rm+", "start": ([1, 0], [1, 0, 0])}, "shape"),
        ],
    )
    def test_they_are_refused(self, wish: dict[str, Any], words: str) -> None:
        """A wish that has no meaning is an error that says what is expected."""
        with pytest.raises(RegretlessError, match=words):
            MatrixGame(FAMILIES["rock-paper-scissors"]).solve(**wish)

    def test_a_range_beyond_floats_is_refused(self) -> None:
        """Payoffs whose range is no float are refused, rather than called solved to an infinite tolerance."""
        with pytest.raises(RegretlessError, match="too large for floats"):
            MatrixGame([[1.5e308, -1.5e308], [-1.5e308, 1.5e308]]).solve()

    @pytest.mark.parametrize("method", SELF_PLAY)
    def test_rounds_without_a_tolerance_are_all_played(self, method: str) -> None:
        """Self-play of so many rounds plays so many, and is an answer whatever its gap."""
        solution = MatrixGame(FAMILIES["saddle point"]).solve(method, rounds=37)
        assert solution.iterations == 37
        assert solution.lower <= 1 <= solution.upper
        assert solution.course is not None
        assert solution.course.rounds[-1] == 37

    def test_a_course_of_losses_is_reported_as_losses(self) -> None:
        """The course of a game of losses has its ends exchanged like the solution's."""
        solution = MatrixGame.from_losses(FAMILIES["saddle point"]).solve("rm+", rounds=50)
        course = solution.course
        assert course is not None
        assert (course.lower <= course.upper + 1e-12).all()
        assert course.upper[-1] == pytest.approx(solution.upper, abs=1e-9)

    def test_a_start_is_begun_with(self) -> None:
        """Self-play begun at the equilibrium needs fewer rounds than begun at nothing."""
        game = MatrixGame(FAMILIES["blotto 10 on 3"])
        solved = game.solve()
        begun = game.solve("interior-point", start=(solved.row, solved.column))
        assert begun.gap <= 2e-9

    def test_methods_are_those_of_the_docstring(self) -> None:
        """Every method's name stands in the documentation of `solve`."""
        for method in ("auto", *METHODS):
            assert f'"{method}"' in (MatrixGame.solve.__doc__ or "")

    def test_exact_solutions_come_with_every_method(self) -> None:
        """The value in fractions is the same whatever found the strategies, of losses with the other sign."""
        whole = [[3, -1], [-2, 4]]
        for method in ("auto", *EXACT_METHODS):
            proof = MatrixGame(whole).solve(method, exact=True).exact
            assert proof is not None
            assert str(proof.value) == "1"
        lost = MatrixGame.from_losses(whole).solve(exact=True)
        assert lost.exact is not None
        assert lost.lower <= float(lost.exact.value) <= lost.upper


class TestSinglePrecision:
    """The interior point's first steps in float32, which small games are spared."""

    def test_every_family_is_solved_from_single_precision(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Begun in float32, the interior point solves every family, and leaves it where it is not good enough."""
        left: list[int] = []
        precise = NormalMatrix.precise

        def counted(normal: NormalMatrix) -> bool:
            left.append(normal._single is not None)
            return precise(normal)

        monkeypatch.setattr(interior_point_module, "SINGLE_CELLS", 0)
        monkeypatch.setattr(NormalMatrix, "precise", counted)
        for name, matrix in FAMILIES.items():
            if np.ptp(matrix) > 0:
                solution = MatrixGame(matrix).solve("interior-point")
                certified(matrix, solution)
                assert solution.method == "interior-point", name
        assert any(left)

    def test_a_direction_that_is_not_good_enough_is_found_again(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Where no correction helps, single precision is left within the step, and the game is solved all the same."""
        left: list[bool] = []
        precise = NormalMatrix.precise
        monkeypatch.setattr(interior_point_module, "SINGLE_CELLS", 0)
        monkeypatch.setattr(interior, "DIRECTION_ERROR", 0.0)
        monkeypatch.setattr(
            NormalMatrix, "precise", lambda normal: left.append(normal._single is not None) or precise(normal)
        )
        for name in ("uniform", "lognormal", "tall"):
            certified(FAMILIES[name], MatrixGame(FAMILIES[name]).solve("interior-point"))
        assert left[0]
        assert sum(left) == 3

    def test_a_doubtful_matrix_is_the_last_one_in_single_precision(self) -> None:
        """Once single precision was hardly good enough, the next matrix is one of doubles."""
        payoffs = np.random.default_rng(3).uniform(-1, 1, (600, 300))
        normal = NormalMatrix(payoffs)
        assert normal.factor(np.ones(600), np.ones(300))
        narrow = normal.ones
        normal.doubtful = True
        assert normal.factor(np.ones(600), np.ones(300))
        assert not normal.precise()
        matrix = (payoffs - payoffs.mean(axis=0)).T @ (payoffs - payoffs.mean(axis=0)) + np.eye(300)
        np.testing.assert_allclose(matrix @ normal.ones, np.ones(300), rtol=0, atol=1e-10)
        assert 1e-9 < np.abs(matrix @ narrow - 1).max() < 1e-2


class TestSlices:
    """HiGHS in slices of time."""

    @pytest.mark.parametrize("kind", ["matrix", "turns"])
    def test_both_programs_can_be_stopped(self, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
        """A program that does not end in its first slice asks whether to stop, and hands back some strategies."""

        class Unfinished:
            status, nit = 1, 3

        monkeypatch.setattr("scipy.optimize.linprog", lambda **program: Unfinished())
        draw = np.random.default_rng(3)
        calls: list[int] = []
        watched: dict[str, Any] = {"on_progress": lambda step, gap: calls.append(step), "stop": lambda: len(calls) > 1}
        if kind == "matrix":
            solution = linear_program(Payoffs(draw.uniform(-1, 1, (4, 4))), **watched)
        else:
            payoffs = np.zeros((4, 4))
            payoffs[1:, 1:] = draw.uniform(-1, 1, (3, 3))
            choice = np.vstack([np.eye(1, 4), [-1.0, 1.0, 1.0, 1.0]])
            solution = tree_program(SequenceGame(payoffs, choice, choice), **watched)
        assert solution.stopped == "asked to stop"
        assert len(calls) == 2
        assert 0 < solution.row.min() <= solution.row.max() <= 1

    def test_an_interruption_stops_between_slices(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Though nobody watches, no slice is without an end, and the second one has twice the time of the first."""
        given_seconds: list[float] = []

        class Unfinished:
            status, nit = 1, 3

        def never_ready(**program: Any) -> Unfinished:
            given_seconds.append(program["options"]["time_limit"])
            if len(given_seconds) == 3:
                raise KeyboardInterrupt
            return Unfinished()

        monkeypatch.setattr("scipy.optimize.linprog", never_ready)
        with pytest.raises(KeyboardInterrupt):
            solved_in_slices({}, "highs")
        assert given_seconds == [programs.FIRST_ALONE, 2 * programs.FIRST_ALONE, 4 * programs.FIRST_ALONE]


def test_a_game_is_solved_without_what_its_certificates_need() -> None:
    """Solving a game and reading its value load neither certificates nor ledgers, HTML, the report or scipy."""
    program = (
        "import sys; from regretless.games import MatrixGame; MatrixGame([[1.0, 0.0], [0.0, 1.0]]).solve().value;"
        "late = {f'regretless.{name}' for name in ('certificate', 'ledger', 'theorem', 'html', 'report')};"
        "loaded = {'scipy', *late} & set(sys.modules); sys.exit(str(loaded) if loaded else 0)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_solution_is_frozen_and_has_all_its_fields() -> None:
    """What `solve` returns is a `Solution` of which each field is set, and no field can be set again."""
    solution = MatrixGame([[2.0, 0.0], [0.0, 1.0]], rows=["a", "b"]).solve()
    assert type(solution) is Solution
    assert (solution.rows, solution.method, solution.losses, solution.exact) == (["a", "b"], "simplex", False, None)
    for field in fields(Solution):
        with pytest.raises(FrozenInstanceError):
            setattr(solution, field.name, getattr(solution, field.name))


def test_arrays_that_are_no_matrices_are_refused_by_what_they_lack():
    """Three dimensions are refused for being three, and a matrix without a column for having none."""
    for shape, lacking in (((2, 2, 2), "two dimensions, rows and columns,"), ((2, 0), "one row and one column")):
        with pytest.raises(RegretlessError, match=f"{lacking} are expected"):
            MatrixGame(np.zeros(shape))
