"""The compiled simplex method: optimal bases of all kinds of games, to gaps at the level of rounding."""

from __future__ import annotations

import itertools
import threading
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import random_array

from regretless import _core
from regretless.games.payoffs import Payoffs, enclose
from regretless.games.solvers.linear_program import simplex

from ..sanitized import fewer

pytestmark = pytest.mark.kernel

Array = np.ndarray[Any, Any]
RNG = np.random.default_rng(5)


def uniform(*shape: int) -> Array:
    return RNG.uniform(-1, 1, shape)


def blotto(soldiers: int, fields: int) -> Array:
    """Who wins more fields, for all ways to send soldiers there."""
    ways = np.array([way for way in itertools.product(range(soldiers + 1), repeat=fields) if sum(way) == soldiers])
    return np.sign(np.sign(ways[:, None] - ways[None]).sum(axis=2)).astype(float)


def skew(A: Array) -> Array:
    return A - A.T


GAMES = {
    "one number": np.array([[-3.0]]),
    "one row": uniform(1, 7),
    "one column": uniform(7, 1),
    "constant": np.full((4, 3), 2.5),
    "pennies": np.array([[1.0, -1.0], [-1.0, 1.0]]),
    "rock, paper, scissors": np.array([[0, -1, 1], [1, 0, -1], [-1, 1, 0]]),
    "saddle point": np.array([[3, 1, 4], [1, 0, 2], [5, 0.5, 6]]),
    "ten": uniform(10, 10),
    "hundred": uniform(100, 100),
    "tall": uniform(300, 20),
    "wide": uniform(20, 300),
    "signs": RNG.choice([-1.0, 1.0], (60, 60)),
    "bits": RNG.choice([0.0, 1.0], (40, 60)),
    "few whole numbers": RNG.integers(-2, 3, (70, 70)).astype(float),
    "skew": skew(uniform(61, 61)),
    "skew whole": skew(RNG.integers(-3, 4, (60, 60)).astype(float)),
    "blotto 10 3": blotto(10, 3),
    "blotto 5 5": blotto(5, 5),
    "low rank": RNG.normal(size=(60, 5)) @ RNG.normal(size=(5, 60)),
    "identity": np.eye(50),
    "triangle": np.tril(np.ones((60, 60))),
    "geometric": np.diag(2.0 ** -np.arange(40)),
    "duplicate rows": np.repeat(uniform(20, 30), 3, axis=0),
    "duplicates": np.repeat(np.repeat(uniform(15, 15), 3, axis=0), 3, axis=1),
    "large": 1e6 * uniform(40, 40),
    "far from zero": 1e6 + uniform(40, 40),
    "tiny": 1e-300 * uniform(20, 20),
    "below all normal floats": 1e-310 * uniform(20, 20),
    "huge": 1e300 * uniform(20, 20),
    "half the largest": 8e307 * uniform(20, 20),
    "of all sizes": 10.0 ** RNG.uniform(-300, 300, (20, 20)),
    "lognormal": np.exp(3 * RNG.normal(size=(80, 80))),
    "hilbert": 1 / (np.arange(40)[:, None] + np.arange(40) + 1.0),
    "hilbert of signs": np.where(np.indices((20, 20)).sum(0) % 2, -1, 1)
    / (np.arange(20)[:, None] + np.arange(20) + 1.0),
    "pursuit": np.abs(np.subtract.outer(np.arange(101.0), np.arange(101.0))),
    "mostly zero": np.where(RNG.random((150, 150)) < 0.02, uniform(150, 150), 0.0),
    "singles": uniform(50, 50).astype(np.float32),
}


def check(payoffs: Payoffs, least: float = 1e-14) -> Any:
    """The gap is some units of rounding, of the range and of the largest payoff."""
    solution = simplex(payoffs)
    lower, upper = enclose(payoffs, solution.row, solution.column)
    assert lower <= upper
    assert upper - lower <= least * payoffs.spread + 4 * np.spacing(payoffs.size)
    assert (solution.row >= 0).all()
    assert (solution.column >= 0).all()
    assert solution.row.sum() == pytest.approx(1, abs=1e-13)
    assert solution.stopped is None
    rows, columns = solution.basis
    assert len(rows) == len(columns) > 0
    assert set(np.flatnonzero(solution.row > 1e-12)) <= set(rows) or payoffs.spread == 0
    return solution


@pytest.mark.parametrize("name", GAMES)
def test_every_kind_of_game_ends_with_a_gap_of_rounding(name):
    """Degenerate, scaled and sparse games leave a gap below 1e-14 of their range, ill-conditioned ones 1e-12."""
    check(Payoffs(GAMES[name]), 1e-12 if name == "hilbert of signs" else 1e-14)


def ill_conditioned(seed: int) -> Array:
    """Payoffs of all sizes, or nearly of a rank below their number."""
    rng = np.random.default_rng(seed)
    rows, columns = rng.integers(2, 12, 2)
    if seed % 2:
        return rng.choice([-1.0, 1.0], (rows, columns)) * 10.0 ** rng.uniform(-5, 10, (rows, columns))
    small = 10.0 ** rng.uniform(-14, -7)
    return np.outer(rng.normal(size=3 * rows), rng.normal(size=3 * columns)) + small * rng.normal(
        size=(3 * rows, 3 * columns)
    )


HARD = np.array(
    [
        [1.3e-05, 559.383868, -6.6e-05],
        [-1.26953, 71545478.966319, 3.717377],
        [374.751794, -28765789509.13358, -654.325949],
    ]
)


@pytest.mark.parametrize("seed", range(-1, 200))
def test_the_claim_is_true_of_ill_conditioned_bases(seed):
    """The gap that is enclosed afresh is no larger than what the tableau measured itself, but for rounding."""
    payoffs = Payoffs(HARD if seed < 0 else ill_conditioned(seed))
    solution = simplex(payoffs)
    lower, upper = enclose(payoffs, solution.row, solution.column)
    assert upper - lower <= solution.claim + sum(payoffs.shape) * np.spacing(payoffs.size)
    assert solution.claim <= (upper - lower) * (1 + 1e-9) + sum(payoffs.shape) * np.spacing(payoffs.size)


def test_rounding_is_not_played():
    """Of Blotto with five soldiers on four fields no strategy is in play by rounding alone."""
    solution = simplex(Payoffs(blotto(5, 4)))
    for strategy in (solution.row, solution.column):
        assert not ((strategy > 0) & (strategy < 1e-12)).any()


def test_true_weights_however_small_are_played():
    """A probability of 1e-17 without which the gap would be 1 stays."""
    problems = check(Payoffs(np.array([[1.0, 0.0], [0.0, 1e17]])))
    assert problems.row[1] == pytest.approx(1e-17)
    assert problems.column[1] == pytest.approx(1e-17)


@given(rows=st.integers(1, 12), columns=st.integers(1, 12), levels=st.integers(1, 4), seed=st.integers(0, 10**6))
def test_small_degenerate_games_are_solved(rows, columns, levels, seed):
    """Games of few different whole numbers, nearly all of them degenerate, are solved to rounding."""
    check(Payoffs(np.random.default_rng(seed).integers(0, levels + 1, (rows, columns)).astype(float)))


@given(size=st.integers(2, 9), seed=st.integers(0, 10**6))
def test_symmetric_games_are_worth_nothing(size, seed):
    """The value of a skew-symmetric game is zero."""
    payoffs = Payoffs(skew(np.random.default_rng(seed).normal(size=(size, size))))
    problems = check(payoffs)
    lower, upper = enclose(payoffs, problems.row, problems.column)
    assert lower <= 0 <= upper


@pytest.mark.parametrize("name", ["hundred", "blotto 10 3", "far from zero", "singles", "mostly zero", "triangle"])
def test_every_instruction_set_gives_the_same_bits(name):
    """Strategies, pivots and basis are the same on all instruction sets."""
    before, names = _core.isa(), set()
    try:
        for isa in _core.isas():
            _core.use_isa(isa)
            one = simplex(Payoffs(GAMES[name]))
            names.add((one.row.tobytes(), one.column.tobytes(), one.iterations, str(one.basis)))
    finally:
        _core.use_isa(before)
    assert len(names) == 1


def test_a_sparse_game_is_that_of_its_payoffs():
    """A sparse matrix and the same one dense have one solution."""
    sparse = random_array((40, 50), density=0.1, rng=np.random.default_rng(0)).tocsr()
    one, other = simplex(Payoffs(sparse)), simplex(Payoffs(sparse.toarray()))
    np.testing.assert_array_equal(one.row, other.row)
    assert one.basis == other.basis


def test_pivots_in_small_portions_lead_to_the_same_end():
    """Pivoting three times a call ends with the bits of one call."""
    payoffs = Payoffs(GAMES["hundred"])
    once = simplex(payoffs)
    tableau = _core.GameTableau(payoffs.values, payoffs.low, payoffs.high)
    row, column, calls = np.empty(100), np.empty(100), 1
    while not tableau.solve(3, row, column):
        calls += 1
    assert calls > 10
    assert (row.tobytes(), column.tobytes(), tableau.pivots) == (
        once.row.tobytes(),
        once.column.tobytes(),
        once.iterations,
    )
    assert tableau.solve(3, row, column)


def test_a_solver_that_is_stopped_says_so(monkeypatch):
    """A solver that is asked to stop returns uniform strategies, and that it was stopped."""
    monkeypatch.setattr("regretless.games.solvers.linear_program.CELLS", 1)
    solution = simplex(Payoffs(GAMES["hundred"]), stop=lambda: True)
    assert solution.stopped
    np.testing.assert_allclose(solution.row, 0.01)


def test_progress_reports_the_pivots(monkeypatch):
    """Between portions of pivots their number is reported, and that the gap is not known yet."""
    monkeypatch.setattr("regretless.games.solvers.linear_program.CELLS", 1)
    calls: list[tuple[int, float]] = []
    solution = simplex(Payoffs(GAMES["ten"]), on_progress=lambda *news: calls.append(news))
    assert [pivots for pivots, _ in calls] == list(range(1, len(calls) + 1))
    assert 0 < len(calls) <= solution.iterations
    assert all(np.isnan(gap) for _, gap in calls)


@given(rows=st.integers(1, 12), columns=st.integers(1, 12), seed=st.integers(0, 10**6))
def test_lexicographic_order_leads_to_the_same_value(rows, columns, seed):
    """A tableau that has no patience with stalls, and orders its pivots at once, ends at an equilibrium too."""
    rng = np.random.default_rng(seed)
    payoffs = Payoffs(np.append(rng.integers(0, 2, (rows, columns)), np.zeros((1, columns)), axis=0).astype(float))
    if payoffs.spread == 0:
        return
    tableau = _core.GameTableau(payoffs.values, payoffs.low, payoffs.high, patience=0)
    row, column = np.empty(rows + 1), np.empty(columns)
    assert tableau.solve(10_000, row, column)
    lower, upper = enclose(payoffs, row, column)
    assert upper - lower <= 1e-14
    assert tableau.gap <= 1e-14


@pytest.mark.parametrize("size", [2, 3, 5, 8, 13, 40])
def test_stalls_end(size):
    """Games whose every pivot is degenerate, which Dantzig's rule alone may cycle on, end within few pivots."""
    for seed in range(20):
        rng = np.random.default_rng([size, seed])
        A = np.kron(rng.integers(0, 2, (size, size)), np.ones((3, 3)))
        problems = check(Payoffs(A + np.tril(np.ones_like(A))))
        assert problems.iterations <= 40 * size + 200


def refused_while_pivoting(tableau: _core.GameTableau, size: int) -> set[str]:
    """What is said to a thread that asks while another one solves the game."""
    row, column = np.empty(size), np.empty(size)
    both, ended, refused = threading.Barrier(2), [], set()

    def solve() -> None:
        both.wait()
        ended.append(tableau.solve(10**6, row, column))

    thread = threading.Thread(target=solve)
    thread.start()
    both.wait()
    while thread.is_alive():
        for ask in (lambda: tableau.pivots, lambda: tableau.gap, tableau.basis):
            try:
                ask()
            except ValueError as error:
                refused.add(str(error))
    thread.join()
    assert ended == [True]
    return refused


def test_one_thread_at_a_time_uses_a_tableau():
    """While one thread pivots, another is refused instead of spoiling it."""
    refused: set[str] = set()
    for size in (
        fewer(400, 150),
        400,
        800,
        1200,
    ):  # a game may end before it is asked for, where others keep the processor
        payoffs = Payoffs(np.random.default_rng(0).uniform(-1, 1, (size, size)))
        tableau = _core.GameTableau(payoffs.values, payoffs.low, payoffs.high)
        refused = refused_while_pivoting(tableau, size)
        if refused:
            break
    assert len(refused) == 1
    assert "another thread" in refused.pop()
    assert tableau.gap <= 1e-14


def test_the_core_refuses_what_is_no_game():
    """A range that is none, types that are none, and strategies of the wrong length are refused."""
    A = np.eye(3)
    for low, high in ((1.0, 1.0), (0.0, np.inf), (np.nan, 1.0)):
        with pytest.raises(ValueError, match="range"):
            _core.GameTableau(A, low, high)
    with pytest.raises(ValueError, match="float32 or float64"):
        _core.GameTableau(A.astype(int), 0.0, 1.0)
    with pytest.raises(ValueError, match="one weight per strategy"):
        _core.GameTableau(A, 0.0, 1.0).solve(10, np.empty(3), np.empty(4))
    for limit in (0, -1):
        with pytest.raises(ValueError, match="one pivot"):
            _core.GameTableau(A, 0.0, 1.0).solve(limit, np.empty(3), np.empty(3))
