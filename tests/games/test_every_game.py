"""What holds of every way to solve a zero-sum game, whatever the game."""

from __future__ import annotations

import copy
import json
import pickle
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from scipy.sparse.linalg import aslinearoperator

from regretless.errors import RegretlessError
from regretless.games import MatrixGame, Payoffs, Solution, SolveError
from regretless.games.solution import ExactSolution

ENDING = ("auto", "simplex", "interior-point", "linear-programming")
PLAYING = ("hedge", "optimistic-hedge", "rm", "rm+", "prm+")
ROUNDS = 400
RNG = np.random.default_rng(7)

GAMES: dict[str, Any] = {
    "one number": [[3.5]],
    "one row": [[3.0, 7.0, 5.0]],
    "one column": [[3.0], [7.0], [5.0]],
    "all alike": np.full((4, 3), -2.0),
    "pennies": [[1.0, -1.0], [-1.0, 1.0]],
    "rock, paper, scissors": [[0, -1, 1], [1, 0, -1], [-1, 1, 0]],
    "saddle point": [[3.0, 1.0, 4.0], [1.0, 0.0, 2.0], [5.0, 0.5, 6.0]],
    "fractions": [[Fraction(1, 3), Fraction(1)], [Fraction(1), Fraction(1, 5)]],
    "duplicate rows": np.repeat(RNG.uniform(-1, 1, (4, 5)), 3, axis=0),
    "wide": RNG.uniform(-1, 1, (3, 40)),
    "far from zero": 1e6 + RNG.uniform(-1, 1, (6, 6)),
    "large numbers": 1e6 * RNG.uniform(-1, 1, (6, 7)),
    "tiny numbers": 1e-9 * RNG.uniform(-1, 1, (6, 7)),
    "coarse": RNG.integers(-2, 3, (12, 12)),
    "pursuit": np.abs(np.subtract.outer(np.arange(11), np.arange(11))),
}


def value_of(payoffs: Any) -> float:
    """The value, by a linear program written down anew."""
    from scipy.optimize import linprog

    held = Payoffs(payoffs).dense().astype(np.float64)
    shift, scale = float(held.mean()), max(float(np.ptp(held)), 1e-300)
    scaled, (m, n) = (held - shift) / scale, held.shape
    solution = linprog(
        np.append(np.zeros(m), -1.0),
        A_ub=np.hstack([-scaled.T, np.ones((n, 1))]),
        b_ub=np.zeros(n),
        A_eq=np.append(np.ones(m), 0.0)[None],
        b_eq=[1.0],
        bounds=[(0, None)] * m + [(None, None)],
    )
    return float(-solution.fun * scale + shift)


def checked(game: MatrixGame, solution: Solution) -> None:
    """Everything that a solution promises about itself."""
    for strategy in (solution.row, solution.column):
        assert (strategy >= 0).all()
        assert strategy.sum() == pytest.approx(1, abs=1e-12)
    assert solution.lower <= solution.upper
    assert (solution.lower, solution.upper) == pytest.approx(
        game.interval(solution.row, solution.column), abs=1e-12 * max(game.payoffs.size, 1e-300)
    )
    assert solution.certificates
    for certificate in solution.certificates:
        assert not certificate.violated, str(certificate)
    json.dumps(solution.describe(), allow_nan=False)


@pytest.mark.parametrize("method", ENDING)
@pytest.mark.parametrize("name", GAMES)
def test_methods_that_end_find_the_value_to_nine_digits(name: str, method: str) -> None:
    """Every exact method encloses the value of every game within 1e-9 of its range."""
    game = MatrixGame(GAMES[name])
    solution = game.solve(method)
    checked(game, solution)
    spread = game.payoffs.spread
    assert solution.gap <= 1e-9 * spread + 1e-14 * game.payoffs.size
    assert solution.value == pytest.approx(value_of(GAMES[name]), abs=1e-7 * spread + 1e-12 * game.payoffs.size)


@pytest.mark.parametrize("alternate", [False, True])
@pytest.mark.parametrize("average", ["uniform", "linear", "quadratic"])
@pytest.mark.parametrize("method", PLAYING)
@pytest.mark.parametrize("name", GAMES)
def test_self_play_encloses_the_value_within_its_theorems(
    name: str, method: str, average: str, alternate: bool
) -> None:
    """Every pair of learners encloses the value of every game, and no theorem that applies is broken."""
    game = MatrixGame(GAMES[name])
    solution = game.solve(method, rounds=ROUNDS, average=average, alternate=alternate)
    checked(game, solution)
    near = 1e-7 * game.payoffs.spread + 1e-12 * game.payoffs.size
    assert solution.lower - near <= value_of(GAMES[name]) <= solution.upper + near
    assert solution.iterations == (ROUNDS if game.payoffs.spread else 0)


@pytest.mark.parametrize("method", [*ENDING, *PLAYING])
def test_swapping_the_players_turns_the_value_around(method: str) -> None:
    """The game in which the players have changed places has the negative value, within both gaps."""
    payoffs = RNG.uniform(-1, 1, (7, 4))
    rounds = ROUNDS if method in PLAYING else None
    here = MatrixGame(payoffs).solve(method, rounds=rounds)
    there = MatrixGame(-payoffs.T).solve(method, rounds=rounds)
    assert abs(here.value + there.value) <= (here.gap + there.gap) / 2 + 1e-12


@pytest.mark.parametrize("method", [*ENDING, *PLAYING])
def test_losses_are_reported_as_losses(method: str) -> None:
    """A game given as losses has the value min max p'Mq, and says whose loss it is."""
    losses = [[-5.0, 5.0, 5.0], [-4.0, 3.0, 2.0]]
    solution = MatrixGame.from_losses(losses).solve(method, rounds=ROUNDS if method in PLAYING else None)
    assert solution.lower - 1e-12 <= 3 <= solution.upper + 1e-12
    assert "loss" in solution.quantity
    assert solution.describe()["payoffs"] == "row player's losses"


@pytest.mark.parametrize("method", [*ENDING, *PLAYING])
def test_sparse_and_dense_matrices_are_one_game(method: str) -> None:
    """A sparse matrix is solved as well as the same matrix with its zeros written out."""
    payoffs = np.where(RNG.random((20, 30)) < 0.2, RNG.uniform(-1, 1, (20, 30)), 0.0)
    rounds = ROUNDS if method in PLAYING else None
    sparse, dense = (MatrixGame(one).solve(method, rounds=rounds) for one in (csr_array(payoffs), payoffs))
    assert abs(sparse.value - dense.value) <= (sparse.gap + dense.gap) / 2 + 1e-12


@pytest.mark.parametrize("method", ["auto", *PLAYING])
def test_products_alone_are_enough_to_play(method: str) -> None:
    """A linear operator is solved by self-play, which asks for products only."""
    payoffs = RNG.uniform(-1, 1, (9, 8))
    game = MatrixGame(aslinearoperator(payoffs), payoff_range=(-1, 1))
    solution = game.solve(method, 1e-3) if method == "auto" else game.solve(method, rounds=ROUNDS)
    assert solution.lower - 1e-9 <= value_of(payoffs) <= solution.upper + 1e-9


@pytest.mark.parametrize("name", ["fractions", "coarse", "rock, paper, scissors", "pursuit", "pennies"])
def test_exact_solutions_are_equilibria_in_fractions(name: str) -> None:
    """With exact=True the row guarantees exactly what the column concedes."""
    solution = MatrixGame(GAMES[name]).solve(exact=True)
    exact, payoffs = solution.exact, Payoffs(GAMES[name]).fractions()
    assert exact is not None
    assert sum(exact.row) == sum(exact.column) == 1
    assert min(*exact.row, *exact.column) >= 0
    columns = list(zip(*payoffs, strict=True))
    assert min(sum(p * a for p, a in zip(exact.row, column, strict=True)) for column in columns) == exact.value
    assert max(sum(q * a for q, a in zip(exact.column, row, strict=True)) for row in payoffs) == exact.value
    assert solution.lower <= exact.value <= solution.upper


small = st.integers(1, 5).flatmap(
    lambda n: st.lists(st.lists(st.integers(-3, 3), min_size=n, max_size=n), min_size=1, max_size=5)
)


@given(small)
@settings(max_examples=80)
def test_exact_methods_agree_on_small_whole_games(payoffs: list[list[int]]) -> None:
    """On small games of whole numbers, degenerate ones among them, every method finds the exact value."""
    value = float(MatrixGame(payoffs).solve(exact=True).value)
    for method in ENDING:
        solution = MatrixGame(payoffs).solve(method)
        assert solution.lower - 1e-12 <= value <= solution.upper + 1e-12
        assert solution.gap <= 1e-8


def test_what_cannot_be_reached_is_an_error() -> None:
    """Self-play that may not play long enough raises an error with its interval instead of an answer."""
    with pytest.raises(SolveError) as caught:
        MatrixGame(RNG.uniform(-1, 1, (30, 30))).solve("hedge", 1e-6, rounds=10)
    assert caught.value.lower < caught.value.upper


def test_a_solver_can_be_stopped() -> None:
    """A solve that is asked to stop returns strategies with a true gap, and says that it was stopped."""
    game = MatrixGame(RNG.uniform(-1, 1, (200, 200)))
    for method in ("rm+", "interior-point", "simplex"):
        solution = game.solve(method, 1e-12, stop=lambda: True)
        assert solution.stopped or solution.gap <= 1e-12, method
        checked(game, solution)


@pytest.mark.parametrize("method", [*ENDING, *PLAYING])
def test_solutions_are_copied_with_their_certificates(method: str) -> None:
    """A solution whose certificates were read is pickled and copied, and its theorems stay what they were."""
    rounds = 50 if method in PLAYING else None
    solution = MatrixGame(RNG.uniform(-1, 1, (4, 5))).solve(method, rounds=rounds)
    lines = [str(one) for one in solution.certificates]
    for other in (pickle.loads(pickle.dumps(solution)), copy.deepcopy(solution)):
        assert [str(one) for one in other.certificates] == lines
        assert [one.theorem for one in other.certificates] == [one.theorem for one in solution.certificates]
        assert (other.row == solution.row).all()


@pytest.mark.parametrize("method", ["simplex", "rm+"])
def test_payoffs_as_large_as_floats_have_a_value(method: str) -> None:
    """The middle of an interval whose ends add up to more than floats hold is a float all the same."""
    game = MatrixGame(1.7e308 * np.array([[1.0, 0.9], [0.95, 1.0]]))
    solution = game.solve(method, rounds=30 if method == "rm+" else None)
    assert solution.lower <= solution.value <= solution.upper
    assert solution.value == pytest.approx(1.7e308 * (29 / 30), rel=1e-2)
    json.dumps(solution.describe(), allow_nan=False)


@pytest.mark.parametrize("method", [*ENDING, *PLAYING])
@pytest.mark.parametrize("scale", [1e-12, 1e-6, 1.0, 1e6, 1e12])
def test_no_line_is_false_whatever_the_unit(method: str, scale: float) -> None:
    """In units from 1e-12 to 1e12 every certificate's line is true as a number, without a slack of 1e-9 payoffs."""
    near_rank_one = np.outer(RNG.normal(size=12), RNG.normal(size=9)) + 1e-10 * RNG.normal(size=(12, 9))
    for payoffs in (RNG.uniform(-1, 1, (5, 7)), 100 + RNG.uniform(-1, 1, (6, 3)), near_rank_one):
        rounds = {"rounds": int(RNG.integers(1, 60))} if method in PLAYING else {"tolerance": 3 * scale}
        for one in MatrixGame(scale * payoffs).solve(method, **rounds).certificates:
            assert not one.applies or one.observed <= one.bound + 1e-9 * abs(one.bound), str(one)


def test_whole_numbers_stay_as_they_were() -> None:
    """Whole numbers that change after the game was made change neither its floats nor its exact value."""
    payoffs = np.array([[3, 0], [0, 1]])
    game = MatrixGame(payoffs)
    payoffs[:] = 7
    solution = game.solve(exact=True)
    assert solution.exact is not None
    assert solution.exact.value == Fraction(3, 4)
    assert solution.lower <= 0.75 <= solution.upper


def test_an_exact_value_outside_of_the_interval_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fractions that contradict what the strategies in floats guarantee are no answer."""
    wrong = ExactSolution(Fraction(2), [Fraction(1), Fraction(0)], [Fraction(1), Fraction(0)])
    monkeypatch.setattr("regretless.games.solvers.exact.solve_exactly", lambda *_, **__: wrong)
    with pytest.raises(RegretlessError, match=r"the exact value, 2, lies outside of 0\.7"):
        MatrixGame([[3, 0], [0, 1]]).solve(exact=True)


def test_a_game_says_how_large_it_is() -> None:
    """The representation of a game names its sides, its kind, and whether it is one of losses."""
    assert repr(MatrixGame([[1, 2, 3], [4, 5, 6]])) == "<MatrixGame: 2 x 3, dense>"
    assert repr(MatrixGame.from_losses(csr_array(np.eye(4)))) == "<MatrixGame: 4 x 4, sparse, of losses>"
    assert repr(MatrixGame(aslinearoperator(np.eye(2)))) == "<MatrixGame: 2 x 2, operator>"


def test_sparse_payoffs_are_made_canonical() -> None:
    """Of a sparse matrix entries that stand twice are added up in a copy, and whole numbers become floats."""
    twice = csr_array((np.array([1.0, 2.0, 5.0]), np.array([0, 0, 1]), np.array([0, 2, 3])), shape=(2, 2))
    assert Payoffs(twice).dense().tolist() == [[3.0, 0.0], [0.0, 5.0]]
    assert twice.data.tolist() == [1.0, 2.0, 5.0]
    whole = Payoffs(csr_array(np.array([[0, 3], [1, 0]])))
    assert whole.values.dtype == np.float64
    assert MatrixGame(whole).value == pytest.approx(0.75)


@pytest.mark.parametrize(
    ("payoffs", "names", "word"),
    [
        ([], {}, "at least one row"),
        ([[1.0, np.nan]], {}, "row 1, column 2"),
        ([[1.0, 2.0], [3.0]], {}, "one length"),
        ([["a"]], {}, "numbers are expected"),
        ([[1.0, 2.0]], {"rows": ["a", "b"]}, "1 are expected"),
        ([[1.0, 2.0]], {"cols": ["a", "a"]}, "twice"),
        ([[1.0, 2.0]], {"payoff_range": (0, 2)}, "speak for themselves"),
        (aslinearoperator(np.eye(2)), {"payoff_range": (1, 0)}, "two finite numbers"),
        (aslinearoperator(np.eye(2)), {"payoff_range": ("little", "much")}, "two finite numbers"),
        (aslinearoperator(np.eye(2)), {"payoff_range": 3}, "two finite numbers"),
        (csr_array(np.eye(2) * 1j), {}, "complex128 was found"),
        ([[10**400, 1]], {}, "too large for floats"),
    ],
)
def test_games_that_are_none_are_refused(payoffs: Any, names: dict[str, Any], word: str) -> None:
    """What is no game is refused, and the message says what was found."""
    with pytest.raises(ValueError, match=word):
        MatrixGame(payoffs, **names)
