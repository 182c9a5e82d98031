"""Margins, boosting and lower bounds as games: the values are those that each field knows by another name."""

from __future__ import annotations

from fractions import Fraction
from math import log, sqrt

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.sparse.linalg import aslinearoperator

from regretless.environments import FairCoins
from regretless.errors import RegretlessError
from regretless.games.boosting import boost, boosting_game, learning_game, margin_game
from regretless.games.matrix import MatrixGame
from regretless.games.solution import RawSolution
from regretless.linear import max_margin_simplex
from regretless.linear.separation import simplex_margin
from regretless.textbook.games import adaboost as textbook_adaboost
from regretless.textbook.games import boost as textbook_boost
from regretless.theory.games import BOOSTING, adaboost, boosting_by_hedge, margins_and_edges

labels = st.sampled_from([-1, 1])


# ---- margins


@settings(max_examples=30, deadline=None)
@given(
    X=arrays(np.int8, (9, 4), elements=st.integers(-3, 3)),
    y=arrays(np.int8, 9, elements=labels),
    balanced=st.booleans(),
    sparse=st.booleans(),
)
def test_the_value_is_the_margin_that_winnow_is_read_against(X, y, balanced, sparse):
    """The game's value is in the interval of the largest margin over the simplex, for dense and sparse rows."""
    y[0], y[1] = 1, -1
    game = margin_game(sp.csr_array(X.astype(float)) if sparse else X, y, balanced=balanced)
    margin = max_margin_simplex(X, y, balanced=balanced)
    assert margin.lower - 1e-9 <= game.value <= margin.upper + 1e-9
    weights, _ = game.solve().row, game.solve().column
    v = weights[:4] - weights[4:] if balanced else weights
    assert (y * (X @ v)).min() == pytest.approx(game.value, abs=1e-9)
    if balanced:
        assert game.value >= -1e-12


def test_the_worked_margin_is_the_value(oracles):
    """The worked game's value is 1, and its hardest examples keep every feature at it."""
    one = next(case for case in oracles if case["id"] == "game/winnow margin is a game value")
    game = margin_game(one["input"]["X"], one["input"]["y"])
    solution = game.solve(exact=True)
    assert solution.exact.value == one["expected"]["rho_inf"]
    np.testing.assert_allclose(solution.row, one["expected"]["v"], atol=1e-9)


def test_features_are_named_and_opposites_are_marked():
    """Names come from the caller or are numbers, and balanced games have each feature's opposite under a minus."""
    X, y = [[1.0, 2.0], [3.0, -1.0]], ["no", "yes"]
    assert margin_game(X, y).rows == ["1", "2"]
    assert margin_game(X, y, names=["a", "b"], balanced=True).rows == ["a", "b", "-a", "-b"]
    np.testing.assert_array_equal(margin_game(X, y).payoffs.values, [[-1, 3], [-2, -1]])
    assert margin_game(X, [0, 0]).payoffs.values.tolist() == (-np.array(X).T).tolist()  # one label, not positive
    assert margin_game(X, [2, 2]).payoffs.values.tolist() == np.array(X).T.tolist()


def test_a_frame_names_its_features():
    """The columns of a frame are the rows of the game."""
    pandas = pytest.importorskip("pandas")
    assert margin_game(pandas.DataFrame({"w": [1.0, 2.0], "h": [0.0, 1.0]}), [0, 1]).rows == ["w", "h"]


@pytest.mark.parametrize(
    ("X", "y", "words"),
    [
        ([[1.0], [2.0], [3.0]], [0, 1, 2], "two are expected"),
        ([[1.0], [2.0]], [0, 1, 1], "one label for each"),
        ([1.0, 2.0], [0, 1], "rows of features"),
        ([["a"], ["b"]], [0, 1], "numbers are expected"),
    ],
)
def test_what_is_no_margin_is_refused(X, y, words):
    """Three labels, labels that are too many, and rows that are none are errors in words."""
    with pytest.raises(RegretlessError, match=words):
        margin_game(X, y)


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("balanced", [False, True])
def test_a_margin_without_time_is_a_wide_interval(balanced, sparse):
    """With no time at all dense and sparse rows get intervals that contain those with time."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(400, 120)), rng.choice([-1, 1], 400)
    rows = sp.csr_array(X) if sparse else X
    hasty = max_margin_simplex(rows, y, balanced=balanced, max_seconds=0.0)
    patient = max_margin_simplex(rows, y, balanced=balanced)
    assert hasty.lower <= patient.lower <= patient.upper <= hasty.upper
    assert patient.gap < 1e-8


def test_a_method_that_fails_gives_way_to_linear_programming(monkeypatch):
    """Where the first method stops far from an equilibrium, the margin is found nevertheless."""
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(60, 12)), rng.choice([-1, 1], 60)
    true = max_margin_simplex(X, y)
    lost = RawSolution(np.full(60, 1 / 60), np.full(12, 1 / 12), "simplex", 0)
    monkeypatch.setattr(simplex_margin, "simplex", lambda payoffs, stop=None: lost)
    margin = max_margin_simplex(X, y)
    assert margin.gap < 1e-8
    assert max(true.lower, margin.lower) <= min(true.upper, margin.upper)


# ---- boosting


@settings(max_examples=30, deadline=None)
@given(
    predictions=arrays(np.int8, (8, 5), elements=st.integers(-1, 1)),
    y=arrays(np.int8, 8, elements=labels),
    rounds=st.integers(1, 60),
    method=st.sampled_from(["hedge", "adaboost"]),
    rate=st.sampled_from([None, 0.05, 1.0, 3.0]),
)
def test_no_boosting_breaks_a_theorem(predictions, y, rounds, method, rate):
    """Whatever the hypotheses, also such that abstain, margins, edges and wrong examples are within their bounds."""
    y[:2] = 1, -1
    if method == "adaboost":
        rate = None
    boosting = boost(predictions, y, rounds=rounds, method=method, rate=rate)
    value = boosting_game(predictions, y).value
    assert boosting.margin - 1e-9 <= value <= boosting.edge + 1e-9
    assert boosting.votes.sum() == pytest.approx(1)
    assert (boosting.votes >= 0).all()
    margins = y * (predictions @ boosting.votes)
    assert boosting.margin == pytest.approx(margins.min())
    assert [one.theorem for one in boosting.certificates] == list(BOOSTING)
    assert all(one.holds for one in boosting.certificates)
    assert boosting.certificates[1].applies == (method == "hedge")
    assert boosting.certificates[2].applies == (method == "adaboost")
    if method == "adaboost":
        assert (margins <= 1e-12).mean() <= boosting.certificates[2].bound + 1e-9 or boosting.edges[-1] <= 0


@pytest.mark.parametrize("method", ["hedge", "adaboost"])
def test_boosting_is_the_textbooks(method):
    """Votes, edges and the bound on wrong examples are those of the textbook's few lines."""
    rng = np.random.default_rng(0)
    y = rng.choice([-1, 1], 40)
    predictions = np.clip(rng.uniform(-1, 1, (40, 12)) + 0.4 * y[:, None], -1, 1)  # none has just the edge of another
    boosting = boost(predictions, y, rounds=30, method=method, rate=0.3 if method == "hedge" else None)
    margins = (predictions * y[:, None]).T
    if method == "hedge":
        votes, edges = textbook_boost(margins, 30, 0.3)
        np.testing.assert_allclose(boosting.edges, edges, rtol=1e-12)
    else:
        votes, bound = textbook_adaboost(margins, 30)
        assert boosting.certificates[2].bound == pytest.approx(bound, rel=1e-12)
    np.testing.assert_allclose(boosting.votes, votes, rtol=1e-12, atol=1e-15)


def test_weak_learning_is_strong_learning():
    """Where the value is positive, as many rounds as the theorem asks for make the votes right on every example."""
    rng = np.random.default_rng(3)
    y = rng.choice([-1, 1], 30)
    predictions = np.where(rng.random((30, 15)) < 0.8, y[:, None], -y[:, None])
    value = boosting_game(predictions, y).value
    assert value > 0.2
    rounds = int(2 * log(30) / value**2) + 1
    boosting = boost(predictions, y, rounds=rounds)
    by_name = {one.theorem: one for one in boosting.certificates}
    assert by_name[boosting_by_hedge].bound == pytest.approx(2 * sqrt(log(30) / (2 * rounds)))
    assert boosting.margin >= boosting.edges.mean() - by_name[boosting_by_hedge].bound > 0
    assert by_name[margins_and_edges].holds


def test_a_perfect_hypothesis_ends_adaboost():
    """A hypothesis that is always right gets the only vote, and none is wrong, as the bound of 0 says."""
    boosting = boost([[1, 1], [-1, 1], [1, -1]], [1, -1, 1], rounds=50, method="adaboost")
    assert boosting.votes.tolist() == [1.0, 0.0]
    match = next(one for one in boosting.certificates if one.theorem is adaboost)
    assert (match.observed, match.bound, len(boosting.edges)) == (0.0, 0.0, 1)


def test_hypotheses_without_an_edge_teach_nothing():
    """Where no hypothesis has an edge AdaBoost ends, and promises no more than that all may be wrong."""
    boosting = boost([[1, -1], [1, -1]], [1, -1], rounds=50, method="adaboost")
    assert boosting.edge == 0
    assert boosting.certificates[2].bound == 1
    assert boosting.certificates[2].holds


@pytest.mark.parametrize(
    ("predictions", "values", "words"),
    [
        ([[2.0], [1.0]], {"rounds": 3}, "from -1 to 1"),
        ([[1.0], [1.0]], {"rounds": 0}, "rounds"),
        ([[1.0], [1.0]], {"rounds": 3, "method": "bagging"}, "method"),
        ([[1.0], [1.0]], {"rounds": 3, "rate": -1.0}, "rate"),
    ],
)
def test_what_is_no_boosting_is_refused(predictions, values, words):
    """Predictions beyond 1, no rounds, unknown methods and negative rates are errors in words."""
    with pytest.raises(RegretlessError, match=words):
        boost(predictions, [0, 1], **values)


def test_adaboost_refuses_payoffs_beyond_one():
    """AdaBoost is refused where margins may exceed 1 or nobody knows them; Hedge keeps its bounds there."""
    A = np.random.default_rng(1).uniform(-50, 80, (6, 9))
    for game in (MatrixGame(A), MatrixGame(aslinearoperator(A))):
        with pytest.raises(RegretlessError, match="from -1 to 1"):
            boost(game, rounds=20, method="adaboost")
        boosting = boost(game, rounds=20)
        assert not any(one.violated for one in boosting.certificates)
    assert "only products are known" in boost(game, rounds=20).certificates[1].why


def test_games_of_losses_are_not_boosted():
    """Margins are won: a game of losses is refused rather than reported with the wrong sign."""
    with pytest.raises(RegretlessError, match="game of losses"):
        boost(MatrixGame.from_losses([[1.0, -1.0], [-1.0, 1.0]]), rounds=5)


@pytest.mark.parametrize("scale", [1e-200, 1e-12, 1e12])
def test_boosting_is_certified_in_any_unit(scale):
    """Hedge's certificates of boosting hold without any slack but what rounding explains, for margins of any size."""
    for seed in range(20):
        game = MatrixGame(scale * np.random.default_rng(seed).uniform(-1, 1, (4, 5)))
        for one in boost(game, rounds=7).certificates:
            assert not one.applies or one.observed <= one.bound, str(one)


# ---- lower bounds


@pytest.mark.parametrize("rounds", [1, 2, 3])
def test_fair_coins_are_what_no_learner_escapes(rounds):
    """Every deterministic learner has exactly the regret of fair coins, and the game is worth no more."""
    game = learning_game(rounds)
    exact = Fraction(FairCoins.regret(rounds))
    regrets = -np.array(game.payoffs.fractions())
    assert game.shape == (2 ** (2**rounds - 1), 2**rounds)
    assert all(sum(row) / 2**rounds == exact for row in regrets)
    solution = game.solve(exact=True)
    assert solution.exact.value == exact
    lower, _ = game.interval(np.full(game.shape[0], 1 / game.shape[0]), np.full(game.shape[1], 1 / game.shape[1]))
    assert lower == pytest.approx(float(exact))
    assert lower <= solution.upper


def test_a_learner_is_known_by_whom_it_follows():
    """The rows of the game of two rounds are all choices after the empty history and after either first loss."""
    game = learning_game(2)
    assert game.rows == ["111", "112", "121", "122", "211", "212", "221", "222"]
    assert game.cols == ["11", "12", "21", "22"]
    regrets = -np.array(game.payoffs.values)
    # It follows the first expert, and the second once the first one lost.
    assert regrets[game.rows.index("121")].tolist() == [1, 1, 0, 0]


def test_games_that_are_too_long_are_refused():
    """There are too many deterministic learners of five rounds, and no game of none."""
    for rounds in (0, 5):
        with pytest.raises(RegretlessError, match="rounds"):
            learning_game(rounds)
