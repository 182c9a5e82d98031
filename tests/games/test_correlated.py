"""Correlated equilibria: joint distributions that are best, proved to be so, and how far play is from them."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize
from scipy.optimize import OptimizeResult

from regretless.errors import RegretlessError
from regretless.games.general_sum.bimatrix import BimatrixGame
from regretless.games.general_sum.correlated import correlated, distance_to_correlated
from regretless.games.general_sum.nash import joint_gains, joint_of
from regretless.games.payoffs import Payoffs

from .bimatrix_games import BATTLE, CHICKEN, SHAPLEY, small_games


def gains_by_trying(A: Any, B: Any, joint: Any, coarse: bool) -> tuple[Fraction, Fraction]:
    """What each player gains by the best of all ways to answer the draw that it sees, or by the best fixed strategy."""
    m, n = len(A), len(A[0])
    results = []
    for size, value in (
        (m, lambda i, j, k: A[k[i]][j] - A[i][j]),
        (n, lambda i, j, k: B[i][k[j]] - B[i][j]),
    ):
        answers = [(k,) * size for k in range(size)] if coarse else product(range(size), repeat=size)
        totals = (sum(joint[i][j] * value(i, j, k) for i in range(m) for j in range(n)) for k in answers)
        results.append(max(totals))
    return results[0], results[1]


@given(small_games(), st.booleans(), st.data())
def test_gains_are_those_of_the_best_way_not_to_follow(game: Any, coarse: bool, more: Any) -> None:
    """The gains are those of the best of all answers, in exact arithmetic."""
    A, B = game
    shape = len(A), len(A[0])
    size = shape[0] * shape[1]
    counts = more.draw(st.lists(st.integers(0, 4), min_size=size, max_size=size).filter(any))
    joint = np.array([Fraction(count, sum(counts)) for count in counts], dtype=object).reshape(shape)
    gains = joint_gains(Payoffs(A), Payoffs(B), joint_of(joint, shape), coarse)
    assert gains == gains_by_trying(A, B, joint, coarse)


def test_chicken_has_aumanns_equilibrium() -> None:
    """The best correlated equilibrium of the game of chicken never has both dare, and is better than all mixtures."""
    correlation = correlated(*CHICKEN)
    assert correlation.joint == pytest.approx(np.array([[0.5, 0.25], [0.25, 0.0]]))
    assert correlation.best == pytest.approx(10.5)
    assert 10.5 <= correlation.bound <= 10.5 + 1e-9
    assert max(one.row_payoff + one.column_payoff for one in BimatrixGame(*CHICKEN).equilibria()) < 10


@given(small_games(most=4))
def test_more_may_be_had_the_less_is_asked(game: Any) -> None:
    """No Nash equilibrium is better than the best correlated one, nor that than the best coarse one or any bound."""
    one = BimatrixGame(*game)
    fine, coarse = one.correlated(), one.correlated(coarse=True)
    best = max(result.row_payoff + result.column_payoff for result in one.equilibria())
    assert best <= fine.best + 1e-7
    assert fine.best <= coarse.best + 1e-7
    for result in (fine, coarse):
        assert result.joint.min() >= 0
        assert result.joint.sum() == pytest.approx(1, abs=1e-12)
        assert result.best - 1e-12 <= result.bound <= result.best + 1e-6
        assert max(result.row_gain, result.column_gain) <= 1e-8 * 4


@pytest.mark.parametrize("coarse", [False, True])
def test_objectives_are_what_is_best(coarse: bool) -> None:
    """Each player's own best, and that of any matrix, are found in the battle of the sexes."""
    game = BimatrixGame(*BATTLE)
    assert game.correlated(objective="row", coarse=coarse).joint == pytest.approx(np.array([[1, 0], [0, 0]]))
    assert game.correlated(objective="column", coarse=coarse).joint == pytest.approx(np.array([[0, 0], [0, 1]]))
    apart = game.correlated(objective=[[0, 1], [0, 0]], coarse=coarse)
    assert apart.objective == "matrix"
    assert 0.2 < apart.best <= apart.bound


def test_sizes_of_payoffs_do_not_matter() -> None:
    """Payoffs of a million and of a millionth give the same distribution."""
    A, B = np.random.default_rng(1).uniform(-1, 1, (2, 6, 5))
    known = correlated(A, B, objective="row")
    correlation = correlated(1e6 * A + 7, 1e-6 * B, objective="row")
    assert correlation.joint == pytest.approx(known.joint, abs=1e-9)
    assert correlation.row_gain <= 1e-8 * 2e6


@pytest.mark.parametrize(
    ("what", "how"),
    [("objective: 'both'", {"objective": "both"}), ("objective: shape", {"objective": [[1, 2]]})],
)
def test_objectives_that_are_none_are_refused(what: str, how: dict[str, Any]) -> None:
    """An unknown objective, or one of another shape, is refused by name."""
    with pytest.raises(RegretlessError, match=what):
        correlated(*BATTLE, **how)


@pytest.mark.parametrize(
    ("what", "joint"), [("shape", [[1, 0]]), ("sum to 1", [[1, 1], [0, 0]]), ("not neg", [[2, -1], [0, 0]])]
)
def test_what_is_no_distribution_is_refused(what: str, joint: Any) -> None:
    """A joint distribution has the payoffs' shape, no negative entry, and sum 1."""
    with pytest.raises(RegretlessError, match=what):
        distance_to_correlated(*BATTLE, joint)


@given(small_games(most=4))
def test_nash_equilibria_are_at_no_distance(game: Any) -> None:
    """The product of the strategies of an equilibrium is a correlated one, coarse or not."""
    one = BimatrixGame(*game)
    equilibrium = one.equilibria()[0]
    for coarse in (False, True):
        apart = one.distance_to_correlated(np.outer(equilibrium.row, equilibrium.column), coarse)
        assert apart.distance <= 1e-7
        assert apart.gain <= 1e-14


@given(small_games(most=4), st.booleans(), st.integers(0, 2**32 - 1))
def test_distances_are_between_what_is_gained_and_what_is_known(game: Any, coarse: bool, seed: int) -> None:
    """The distance is at least a player's gain over its range, and at most that to an equilibrium that is known."""
    one = BimatrixGame(*game)
    joint = np.random.default_rng(seed).dirichlet(np.full(one.row_payoffs.values.size, 0.5)).reshape(one.shape)
    apart = one.distance_to_correlated(joint, coarse)
    assert apart.distance == pytest.approx(np.abs(apart.nearest - joint).sum(), abs=1e-12)
    for gain, payoffs in ((apart.row_gain, one.row_payoffs), (apart.column_gain, one.column_payoffs)):
        assert gain <= payoffs.spread * apart.distance + 1e-7
    for known in (one.correlated(coarse=coarse).joint, *(np.outer(e.row, e.column) for e in one.equilibria())):
        assert apart.distance <= np.abs(known - joint).sum() + 1e-7


@pytest.mark.parametrize("method", ["hedge", "optimistic-hedge", "rm", "rm+", "prm+"])
def test_joint_play_comes_to_coarse_correlated_equilibria(method: str) -> None:
    """Whatever the method, what two learners play together is as near to one as its theorems say."""
    uneven = [0.8, 0.1, 0.1], [0.1, 0.8, 0.1]
    for payoffs, start in (
        (SHAPLEY, uneven),
        (SHAPLEY, None),
        (np.random.default_rng(5).uniform(-1, 1, (2, 4, 6)), None),
    ):
        game = BimatrixGame(*payoffs)
        play = game.self_play(method, rounds=5000, start=start)
        assert play.joint.sum() == pytest.approx(1, abs=1e-12)
        assert play.joint.min() >= 0
        assert play.certificates
        assert all(one.holds for one in play.certificates)
        assert play.gain <= 0.05
        apart = game.distance_to_correlated(play.joint)
        assert apart.gain == pytest.approx(play.gain, abs=1e-12)
        assert apart.distance <= 0.2


def test_joint_play_may_be_no_product() -> None:
    """In Shapley's game learners avoid the pairs in which both lose, which no Nash equilibrium does."""
    game = BimatrixGame(*SHAPLEY)
    play = game.self_play("rm", rounds=20000, start=([0.8, 0.1, 0.1], [0.1, 0.8, 0.1]))
    assert play.row_payoff + play.column_payoff > 0.9
    equilibria = game.equilibria()
    assert len(equilibria) == 1
    assert equilibria[0].row_payoff + equilibria[0].column_payoff == pytest.approx(2 / 3)


# To HiGHS's presolve probabilities that may fall by 6e-11 alone make the program of these games infeasible.
NARROW = (
    [0.00533185295784433, -0.9942254015989505, -0.6069648673326644],
    [-0.16291209947335616, -0.36126288771575354, -0.7341565582208138],
    [0.23366766310278497, 0.8864774354567679, -0.9217914314105979],
    [0.541284186716438, -0.29398862186514974, -0.4568061115040716],
    [0.4370002413559999, 0.11745856546897354, 6.245315232910913e-11],
    [0.35301954459882745, 0.0925216484512927, 6.245315232910913e-11],
)


def test_programs_that_one_way_fails_at_are_solved_by_another() -> None:
    """The nearest equilibrium is found though presolve takes its program for infeasible."""
    A, B, joint = np.reshape(NARROW, (3, 2, 3))
    joint /= joint.sum()
    apart = distance_to_correlated(A, B, joint)
    assert 0 < apart.distance < 0.1
    assert apart.distance == pytest.approx(np.abs(apart.nearest - joint).sum(), abs=1e-12)
    assert apart.gain > 0


@pytest.mark.parametrize("coarse", [False, True])
def test_payoffs_of_many_decades_have_a_best_correlated_equilibrium(coarse: bool) -> None:
    """Of payoffs from 1e-14 to 1 a correlated equilibrium is found, but for one game in 60 at most."""
    draw, failed = np.random.default_rng(3), 0
    for _ in range(60):
        A, B = draw.uniform(-1, 1, (2, 3, 4)) * 10.0 ** draw.integers(-14, 1, (2, 3, 4))
        try:
            correlation = correlated(A, B, coarse=coarse)
        except RegretlessError:
            failed += 1
            continue
        assert correlation.row_gain <= 1e-8 * np.ptp(A)
        assert correlation.column_gain <= 1e-8 * np.ptp(B)
    assert failed <= 1


def test_gains_are_reported_though_no_distance_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where HiGHS fails in every way the distance is NaN, the gains are exact, and `correlated` says who gave up."""
    failed = OptimizeResult(x=None, status=2, message="The problem is infeasible.")
    monkeypatch.setattr(optimize, "linprog", lambda *_, **__: failed)
    apart = distance_to_correlated(*BATTLE, [[0, 1], [0, 0]])
    assert np.isnan(apart.distance)
    assert np.isnan(apart.nearest).all()
    assert (apart.row_gain, apart.column_gain) == (1.0, 1.0)
    with pytest.raises(RegretlessError, match="the best correlated equilibrium was not found: HiGHS gave up"):
        correlated(*BATTLE)
