"""Values and strategies in fractions: true to the last digit, also where floats chose the wrong basis."""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from regretless.games.extensive_form.sequence import SequenceGame
from regretless.games.extensive_form.treeplex import vertex
from regretless.games.matrix import MatrixGame
from regretless.games.methods import SolverStopped
from regretless.games.payoffs import Array, Payoffs, enclose
from regretless.games.solution import ExactSolution, RawSolution
from regretless.games.solvers import exact
from regretless.games.solvers.exact import solve_exactly
from regretless.games.solvers.lifting import lifted
from regretless.games.solvers.linear_program import simplex
from regretless.report.formatting import fraction_text


def checked(payoffs: Payoffs, result: RawSolution | None = None) -> ExactSolution:
    """Both strategies guarantee the value against every answer, in fractions."""
    solved = solve_exactly(payoffs, simplex(payoffs) if result is None else result)
    A = payoffs.fractions()
    for strategy in (solved.row, solved.column):
        assert sum(strategy) == 1
        assert min(strategy) >= 0
    assert (
        min(sum(p * a for p, a in zip(solved.row, line, strict=True)) for line in zip(*A, strict=True)) == solved.value
    )
    assert max(sum(q * a for q, a in zip(solved.column, line, strict=True)) for line in A) == solved.value
    return solved


@pytest.mark.parametrize(
    ("payoffs", "value", "row"),
    [
        ([[7]], Fraction(7), ["1"]),
        ([[1, -1], [-1, 1]], Fraction(0), ["1/2", "1/2"]),
        ([[0, -1, 1], [1, 0, -1], [-1, 1, 0]], Fraction(0), ["1/3", "1/3", "1/3"]),
        ([[3, 1, 4], [1, 0, 2], [5, Fraction(1, 2), 6]], Fraction(1), ["1", "0", "0"]),
        ([[2, 0], [0, 1]], Fraction(2, 3), ["1/3", "2/3"]),
        ([[Fraction(1, 3), 1], [1, Fraction(1, 5)]], Fraction(7, 11), ["6/11", "5/11"]),
        ([[2, 2], [2, 2]], Fraction(2), ["1", "0"]),
        ([[3, 7, 5]], Fraction(3), ["1"]),
    ],
)
def test_small_games_have_the_values_of_paper_and_pencil(payoffs, value, row):
    """Values and strategies of games that are solved by hand."""
    solved = checked(Payoffs(payoffs))
    assert solved.value == value
    assert [fraction_text(p) for p in solved.row] == row


@given(
    rows=st.integers(1, 9),
    columns=st.integers(1, 9),
    kind=st.sampled_from(["bits", "whole", "fractions", "floats", "tenths", "skew", "sizes"]),
    seed=st.integers(0, 10**6),
)
def test_every_game_is_solved_exactly_within_the_interval_of_floats(rows, columns, kind, seed):
    """Games of all kinds, degenerate ones among them, have one exact value, and the floats enclose it."""
    rng = np.random.default_rng(seed)
    whole = rng.integers(-3, 4, (rows, columns))
    payoffs = Payoffs(
        {
            "bits": lambda: rng.integers(0, 2, (rows, columns)),
            "whole": lambda: whole,
            "fractions": lambda: np.array([[Fraction(int(a), 7) for a in line] for line in whole], dtype=object),
            "floats": lambda: rng.normal(size=(rows, columns)),
            "tenths": lambda: whole / 10,
            "skew": lambda: (lambda A: A - A.T)(rng.integers(-3, 4, (rows, rows)) / 10),
            "sizes": lambda: rng.normal(size=(rows, columns)) * 10.0 ** rng.uniform(-30, 30, (rows, columns)),
        }[kind]()
    )
    solution = simplex(payoffs)
    solved = checked(payoffs, solution)
    lower, upper = enclose(payoffs, solution.row, solution.column)
    assert Fraction(lower) <= solved.value <= Fraction(upper)
    if kind == "skew":
        assert solved.value == 0


def test_floats_count_at_their_very_values():
    """The float 0.1 is not one tenth, and the fraction one tenth is."""
    assert checked(Payoffs([[0.1]])).value == Fraction(0.1) != Fraction(1, 10)
    assert checked(Payoffs([[Fraction(1, 10)]])).value == Fraction(1, 10)
    assert checked(Payoffs(np.array([[0.1]], dtype=np.float32))).value == Fraction(float(np.float32(0.1)))


def test_differences_that_floats_do_not_see_decide():
    """Whole numbers that are one float are distinguished."""
    big = 2**70
    solved = checked(Payoffs([[big, big + 1], [big + 2, big]]))
    assert solved.value == big + Fraction(2, 3)


@pytest.mark.parametrize("basis", [([0], [0]), ([2, 3], [1, 1]), ([0, 1, 2, 3, 4], [4, 3, 2, 1, 0]), ([], [])])
def test_any_basis_will_do_to_begin_with(basis):
    """From a wrong, singular or empty basis exact pivots lead to the equilibrium."""
    A = np.random.default_rng(3).integers(-9, 10, (5, 6))
    payoffs = Payoffs(A)
    wrong = RawSolution(np.ones(5) / 5, np.ones(6) / 6, "none", 0, basis=basis)
    assert checked(payoffs, wrong).value == checked(payoffs).value


def test_solutions_without_a_basis_are_given_one():
    """What other methods found is solved exactly too."""
    payoffs = Payoffs(np.random.default_rng(4).integers(-9, 10, (5, 6)))
    assert checked(payoffs, RawSolution(np.ones(5) / 5, np.ones(6) / 6, "rm+", 10)).value == checked(payoffs).value


def test_a_matrix_that_is_nearly_of_low_rank_is_solved_beyond_its_rank():
    """Where all that decides lies below the rounding of floats, exact pivots find many more strategies in play."""
    rng = np.random.default_rng(1)
    payoffs = Payoffs(rng.normal(size=(15, 3)) @ rng.normal(size=(3, 15)))
    solution = simplex(payoffs)
    solved = checked(payoffs, solution)
    assert sum(p > 0 for p in solved.row) > len(solution.basis[0])


def test_a_sparse_game_is_solved_exactly():
    """A sparse matrix of floats has the value of the same one dense."""
    A = np.diag(np.arange(1.0, 9.0))
    assert checked(Payoffs(csr_array(A))).value == 1 / sum(Fraction(1, d) for d in range(1, 9))


def test_a_hundred_whole_strategies_have_a_value_of_many_digits():
    """A game of 100 x 100 whole numbers is solved exactly, in a moment."""
    payoffs = Payoffs(np.random.default_rng(5).integers(-9, 10, (100, 100)))
    assert len(fraction_text(checked(payoffs).value)) > 100


@given(size=st.integers(1, 12), bits=st.sampled_from([1, 3, 24, 60, 200]), seed=st.integers(0, 10**6))
def test_equations_are_solved_from_their_digits(size, bits, seed):
    """Whole weights add the columns of a matrix up to one number in every row, unless the matrix is singular."""
    chance = Random(seed)
    matrix = np.array(
        [[chance.getrandbits(bits) - (1 << bits) // 3 for _ in range(size)] for _ in range(size)], dtype=object
    )
    weights = lifted(matrix)
    if weights is None:
        assert determinant(matrix) == 0
    else:
        sums = set(matrix @ weights)
        assert len(sums) == 1
        assert sums.pop() > 0


def determinant(matrix: Any) -> Fraction:
    """By elimination in fractions."""
    rows = [[Fraction(number) for number in row] for row in matrix.tolist()]
    product = Fraction(1)
    while rows:
        place = next((place for place, row in enumerate(rows) if row[0]), None)
        if place is None:
            return Fraction(0)
        first = rows.pop(place)
        product *= first[0] * (-1) ** place
        rows = [[a - b * row[0] / first[0] for a, b in zip(row[1:], first[1:], strict=True)] for row in rows]
    return product


def test_a_matrix_that_is_singular_for_one_prime_is_solved_by_another():
    """A determinant that the first prime divides does not stop the second."""
    np.testing.assert_array_equal(lifted(np.array([[33554393, 0], [0, 1]], dtype=object)), [1, 33554393])
    assert lifted(np.array([[1, 1], [1, 1]], dtype=object)) is None
    assert lifted(np.empty((0, 0), dtype=object)) is None


def test_strategies_that_are_not_optimal_never_pass(monkeypatch):
    """If exact pivots ended anywhere else, that would be an error and no answer."""
    monkeypatch.setattr(exact, "_pivoted", lambda cells, rows, columns, look: (np.array([1, 0]), np.array([1, 0])))
    with pytest.raises(AssertionError, match="not optimal"):
        solve_exactly(
            Payoffs([[1, -1], [-1, 1]]), RawSolution(np.ones(2) / 2, np.ones(2) / 2, "none", 0, basis=([0], [0]))
        )


def test_fractions_of_any_length_are_written():
    """Whole numbers of more digits than Python writes by itself are written, and read back the same."""
    number = Fraction(3**20000, 2)
    text = fraction_text(number)
    assert len(text) == 9545
    assert text.endswith("/2")
    assert int(text[:-2][:4000]) == number.numerator // 10 ** (len(text) - 2 - 4000)
    assert (fraction_text(Fraction(-3)), fraction_text(Fraction(-1, 3))) == ("-3", "-1/3")


VALUES: dict[str, tuple[float, int]] = {
    "atari_agent57": (-0.257106, 4),
    "atari_muesli11": (-0.258959, 3),
    "blotto_10_3": (0.0, 17),
    "blotto_5_4": (0.0, 0),
    "blotto_5_5": (0.0, 0),
    "pokemon_types": (0.0, 13),
    "roshambo_bots": (0.000334, 6),
    "sscait_2016": (0.0, 2),
}


@pytest.mark.parametrize("name", VALUES)
def test_real_games_have_their_known_values(data: Any, name: str) -> None:
    """Games of the data sets have the values, and where these are unique the supports, that others found."""
    payoffs = Payoffs(np.load(data / "games" / f"{name}.npz")["A"])
    value, support = VALUES[name]
    solved = checked(payoffs)
    assert float(solved.value) == pytest.approx(value, abs=6e-7)
    if support:
        assert sum(p > 0 for p in solved.row) == support
    if value == 0:
        assert solved.value == 0


# ---- a search can be stopped


@pytest.mark.parametrize("basis", [None, ([0, 1, 2], [2, 1, 0])])
def test_an_exact_solution_is_stopped_wherever_it_is(basis):
    """Lifting and pivots ask again and again whether to stop, and the first wish ends them."""
    payoffs = Payoffs(np.random.default_rng(6).integers(-9, 10, (12, 12)))
    solution = (
        simplex(payoffs) if basis is None else RawSolution(np.ones(12) / 12, np.ones(12) / 12, "none", 0, basis=basis)
    )

    def solve_with(patience: int) -> int:
        asks = iter(range(patience))
        try:
            solve_exactly(payoffs, solution, stop=lambda: next(asks, None) is None)
        except SolverStopped:
            assert next(asks, None) is None
            return patience
        return patience - len(list(asks))

    most = solve_with(10**6)
    assert most > (40 if basis is None else 200)
    assert all(solve_with(patience) == patience for patience in range(0, most, 7))


def test_a_solution_that_is_stopped_before_its_fractions_is_one_in_floats():
    """What was found in floats is the answer, with its gap, and says that it was stopped."""
    A = np.random.default_rng(6).integers(-9, 10, (12, 12))
    solution = MatrixGame(A).solve("linear-programming", exact=True, stop=lambda: True)
    assert solution.exact is None
    assert solution.stopped == "asked to stop before there were fractions"
    assert solution.gap <= 1e-8
    turns = as_sequences(A).solve("linear-programming", exact=True, stop=lambda: True)
    assert turns.exact is None
    assert turns.stopped == solution.stopped
    assert turns.gap <= 1e-8


# ---- sequence forms


def as_sequences(A: Array) -> SequenceGame:
    """A matrix as a game in which both players choose once."""
    rows, columns = A.shape
    payoffs = np.zeros((rows + 1, columns + 1))
    payoffs[1:, 1:] = A
    choices = [np.vstack([np.eye(1, count + 1), [-1.0, *[1.0] * count]]) for count in (rows, columns)]
    return SequenceGame(payoffs, *choices)


@given(
    rows=st.integers(1, 8),
    columns=st.integers(1, 8),
    kind=st.sampled_from(["floats", "bits", "whole"]),
    method=st.sampled_from(["auto", "cfr+"]),
    seed=st.integers(0, 10**6),
)
def test_sequence_forms_of_floats_have_the_values_of_their_matrices(rows, columns, kind, method, seed):
    """Floats are solved exactly in sequence form, whatever found the plans, to the value of the game's matrix."""
    rng = np.random.default_rng(seed)
    A = {
        "floats": lambda: rng.normal(size=(rows, columns)),
        "bits": lambda: rng.integers(0, 2, (rows, columns)).astype(float),
        "whole": lambda: rng.integers(-3, 4, (rows, columns)).astype(float),
    }[kind]()
    tolerance = 1e-2 * float(np.ptp(A)) if method == "cfr+" and np.ptp(A) > 0 else None
    solution = as_sequences(A).solve(method, tolerance, exact=True)
    assert solution.exact is not None
    assert solution.exact.value == checked(Payoffs(A)).value
    for plan in (solution.exact.row, solution.exact.column):
        assert plan[0] == sum(plan[1:]) == 1
        assert min(plan) >= 0


def test_a_plan_in_the_middle_of_a_face_stays_there():
    """Where equally good plans form a face, the exact one is the face's point at the floats, not a corner."""
    game = as_sequences(np.ones((2, 3)))
    entries = [(j, i, -int(value)) for i, j, value in game.fractions()]
    plan = vertex(game.row, game.column, entries, np.array([1.0, 0.3, 0.7]), lambda: None)
    assert plan is not None
    assert [Fraction(weight, plan[0]) for weight in plan] == [1, Fraction(3, 10), Fraction(7, 10)]


@pytest.mark.parametrize("name", ["kuhn_poker", "leduc_suit_isomorphic"])
def test_real_sequence_forms_are_solved_exactly(data: Any, name: str) -> None:
    """Games of poker whose payoffs are floats have exact plans, verified, and a value within the interval."""
    with np.load(data / "games" / f"seqform_{name}.npz") as held:
        parts = [tuple(held[f"{letter}_{part}"] for part in ("row", "col", "val", "shape")) for letter in "AEF"]
    solution = SequenceGame(*parts).solve(exact=True)
    assert solution.exact is not None
    assert Fraction(solution.lower) <= solution.exact.value <= Fraction(solution.upper)
    assert float(solution.exact.value) == pytest.approx(-1 / 18 if name == "kuhn_poker" else -0.085606424078, abs=1e-9)
