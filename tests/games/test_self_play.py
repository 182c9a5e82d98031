"""Self-play for users: how it ends, what it says, and games of every kind and size."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from scipy.sparse.linalg import LinearOperator, aslinearoperator

from regretless.errors import RegretlessError
from regretless.games import MatrixGame
from regretless.games.duel import Duel
from regretless.games.methods import AVERAGES, IN_TURNS, SELF_PLAY
from regretless.games.payoffs import Payoffs
from regretless.games.play import _limit, self_play
from regretless.theory.game_facts import MATRIX_RULES, TREE_RULES

Array = Any
RNG = np.random.default_rng(11)
ROCK = np.array([[0.0, -1, 1], [1, 0, -1], [-1, 1, 0]])
HILBERT = 1 / (1.0 + np.arange(8)[:, None] + np.arange(8))
GAMES: dict[str, Array] = {
    "rock-paper-scissors": ROCK,
    "saddle point": np.array([[3.0, 1, 2], [5, 4, 6], [0, 2, 1]]),
    "one row": np.array([[3.0, -1, 2]]),
    "one column": np.array([[3.0], [-1], [2]]),
    "one by one": np.array([[-7.0]]),
    "zero": np.zeros((4, 6)),
    "constant": np.full((3, 3), 2.5),
    "signs": RNG.choice([-1.0, 1.0], (20, 30)),
    "whole numbers": RNG.integers(-9, 10, (15, 12)).astype(float),
    "skew-symmetric": (lambda S: S - S.T)(RNG.uniform(-1, 1, (17, 17))),
    "low rank": RNG.uniform(-1, 1, (25, 2)) @ RNG.uniform(-1, 1, (2, 25)),
    "tall": RNG.uniform(-1, 1, (120, 3)),
    "wide": RNG.uniform(-1, 1, (3, 120)),
    "duplicate rows": np.repeat(RNG.uniform(-1, 1, (5, 9)), 4, axis=0),
    "scale 1e6": 1e6 * RNG.uniform(-1, 1, (10, 10)),
    "offset 1e6": 1e6 + RNG.uniform(-1, 1, (10, 10)),
    "lognormal": RNG.lognormal(0, 2, (12, 14)),
    "Hilbert": HILBERT,
    "tiny": 1e-250 * RNG.uniform(-1, 1, (8, 9)),
    "subnormal": 1e-310 * RNG.uniform(-1, 1, (8, 9)),
    "huge": 1e300 * RNG.uniform(-1, 1, (8, 9)),
    "float32": RNG.uniform(-1, 1, (9, 13)).astype(np.float32),
}

EXPONENTIAL = [name for name, rule in MATRIX_RULES.items() if rule.exponential]


def test_every_rule_of_self_play_says_what_theorems_ask():
    """Each method of self-play, of matrices and of sequence forms, has the facts that theorems ask of its rule."""
    assert set(SELF_PLAY) == set(MATRIX_RULES)
    assert set(IN_TURNS) == set(TREE_RULES)


def gap(A: Array, row: Array, column: Array) -> float:
    return float((A @ column).max() - (row @ A).min())


def is_strategy(given_strategy: Array, count: int) -> bool:
    sound = given_strategy.shape == (count,) and (given_strategy >= 0).all()
    return bool(sound and abs(given_strategy.sum() - 1) < 1e-12)


# ---- every game


@pytest.mark.parametrize("method", ["rm+", "prm+"])
@pytest.mark.parametrize("name", GAMES)
def test_games_of_every_kind_are_solved(name, method):
    """The gap of what is found, computed afresh, is at most the tolerance, whatever the matrix is like."""
    A = GAMES[name]
    spread = float(A.max()) / 2 - float(A.min()) / 2
    solution = self_play(A, method, tolerance=2e-5 * spread)
    assert is_strategy(solution.row, A.shape[0])
    assert is_strategy(solution.column, A.shape[1])
    exact = A - 1e6 if name == "offset 1e6" else A / (spread or 1.0)
    assert gap(exact.astype(float), solution.row, solution.column) <= (2e-5 if spread else 0.0)
    assert "not reached" not in solution.note


def test_payoffs_may_be_as_large_as_floats_are():
    """Payoffs whose range is no float are played all the same."""
    A = np.array([[1.7e308, -1.7e308], [-1.7e308, 1.6e308]])
    solution = self_play(A, tolerance=1e304)
    assert gap(A / 1e308, solution.row, solution.column) <= 1e-4


@pytest.mark.parametrize("method", SELF_PLAY)
@pytest.mark.parametrize("name", GAMES)
def test_the_gap_is_both_regrets_and_the_turns(name, method):
    """The weighted gap, computed afresh, is the sum of both regrets and of what moving second was worth."""
    A = GAMES[name]
    for alternate in (False, True):
        for average in AVERAGES:
            solution = self_play(A, method, rounds=300, alternate=alternate, average=average)
            book = solution.ledger
            size = float(max(abs(A.max()), abs(A.min())))
            afresh = gap(A.astype(float) / max(size, 1e-300), solution.row, solution.column) * max(size, 1e-300)
            assert book.gap == pytest.approx(afresh, abs=1e-13 * size)
            value = (book.row_regret + book.column_regret + book.turn) / book.weight
            assert value == pytest.approx(book.gap, abs=1e-13 * size)
            assert alternate or book.turn == 0


@settings(max_examples=40)
@given(
    values=st.integers(1, 9).flatmap(
        lambda n: st.lists(st.lists(st.floats(-1e3, 1e3), min_size=n, max_size=n), min_size=1, max_size=9)
    ),
    method=st.sampled_from(SELF_PLAY),
    alternate=st.booleans(),
    average=st.sampled_from(list(AVERAGES)),
    rounds=st.integers(1, 70),
)
def test_no_game_breaks_the_regret_identity(values, method, alternate, average, rounds):
    """Weight times gap is the sum of both regrets and the turns, on any matrix, after any number of rounds."""
    A = np.array(values)
    solution = self_play(A, method, rounds=rounds, alternate=alternate, average=average)
    book, size = solution.ledger, np.abs(A).max()
    assert solution.iterations == rounds
    assert is_strategy(solution.row, len(A))
    assert is_strategy(solution.column, A.shape[1])
    total = book.row_regret + book.column_regret + book.turn
    assert abs(gap(A, solution.row, solution.column) - total / book.weight) <= 1e-12 * size


# ---- worked cases


def exactly(value: Any) -> Any:
    return [exactly(part) for part in value] if isinstance(value, list) else float(Fraction(value))


def test_hedge_of_the_worked_case(oracles):
    """Four rounds of Hedge on a 2 x 2 game of losses end where they do by hand, and so do both regrets."""
    case = next(case for case in oracles if case["id"] == "game/hedge selfplay 2x2 T4")
    given_game, expected = case["input"], case["expected"]
    solution = self_play(
        MatrixGame.from_losses(given_game["M"]), "hedge", rounds=given_game["T"], rates=given_game["eta"], marks=9
    )
    assert solution.row == pytest.approx(expected["avg_p"], abs=1e-14)
    assert solution.column == pytest.approx(expected["avg_q"], abs=1e-14)
    assert solution.ledger.gap == pytest.approx(expected["gap"], abs=1e-14)
    assert solution.ledger.row_regret == pytest.approx(expected["reg1"], abs=1e-14)
    assert solution.ledger.column_regret == pytest.approx(expected["reg2"], abs=1e-14)
    assert (-solution.course.lower[-1], -solution.course.upper[-1]) == pytest.approx(
        (expected["upper"], expected["lower"])
    )


def test_regret_matching_of_the_worked_case(oracles):
    """Five rounds of regret matching on losses end where they do in fractions, and so does every round before."""
    case = next(case for case in oracles if case["id"] == "game/regret matching T5")
    game, expected = MatrixGame.from_losses(case["input"]["M"]), case["expected"]
    solution = self_play(game, "rm", rounds=case["input"]["T"], marks=1)
    assert solution.row == pytest.approx(exactly(expected["avg_p"]), abs=1e-14)
    assert solution.column == pytest.approx(exactly(expected["avg_q"]), abs=1e-14)
    assert -solution.course.lower[-1] == pytest.approx(exactly(expected["upper"]), abs=1e-14)
    assert -solution.course.upper[-1] == pytest.approx(exactly(expected["lower"]), abs=1e-14)
    duel = Duel(game.payoffs, "rm")
    for values in expected["rounds"]:
        assert duel.row_state[2, :3] == pytest.approx(exactly(values["p"]), abs=1e-14)
        assert duel.column_state[2, :3] == pytest.approx(exactly(values["q"]), abs=1e-14)
        duel.play(1)
        assert duel.row_state[0, :3] == pytest.approx(exactly(values["R1"]), abs=1e-14)


# ---- payoffs of every kind


@pytest.mark.parametrize("method", SELF_PLAY)
def test_sparse_payoffs_and_products_play_like_dense_ones(method):
    """The same matrix dense, compressed or as a linear operator leads to the same strategies but for rounding."""
    A = RNG.uniform(-1, 1, (30, 41)) * (RNG.random((30, 41)) < 0.3)
    rates = 0.4 if method in EXPONENTIAL else None
    dense, *others = (
        self_play(kind, method, rounds=200, rates=rates) for kind in (A, csr_array(A), aslinearoperator(A))
    )
    for other in others:
        assert other.row == pytest.approx(dense.row, abs=1e-9)
        assert other.column == pytest.approx(dense.column, abs=1e-9)
        assert other.ledger.gap == pytest.approx(dense.ledger.gap, abs=1e-9)


def test_an_operator_is_solved_by_its_products_alone():
    """A game of which only products are known is played to its tolerance."""
    A = RNG.uniform(-1, 1, (40, 60))
    queries: list[int] = []

    def times(q: Array) -> Array:
        queries.append(1)
        return A @ q.ravel()

    solution = self_play(
        LinearOperator(A.shape, matvec=times, rmatvec=lambda p: p.ravel() @ A, dtype=float), tolerance=1e-3
    )
    assert gap(A, solution.row, solution.column) <= 1e-3
    assert len(queries) <= solution.iterations + 5


def test_an_operator_s_own_error_is_reported():
    """What goes wrong in somebody's product reaches the caller."""

    def broken(_: Array) -> Array:
        raise KeyError("no such matrix")

    operator = LinearOperator((3, 4), matvec=broken, rmatvec=lambda p: np.zeros(4), dtype=float)
    with pytest.raises(KeyError, match="no such matrix"):
        self_play(operator, rounds=3)


def test_wrong_products_are_reported():
    """A product of another length, or one that is no number, is an error that says so."""
    for product in (np.zeros(2), np.array([0, 1, np.nan])):
        operator = LinearOperator((3, 4), matvec=lambda q: np.zeros(3), rmatvec=lambda p: np.zeros(4), dtype=float)
        operator.matvec = lambda q, product=product: product
        with pytest.raises(RegretlessError, match="product"):
            self_play(operator, rounds=3)


@pytest.mark.parametrize("scale", [1e305, 1e-200, 1e-318])
@pytest.mark.parametrize("method", SELF_PLAY)
def test_operators_of_any_size_are_played_like_others(method, scale):
    """Products near the ends of the floats are put in units, known by their range or by a first product."""
    A = scale * np.random.default_rng(1).uniform(-1, 1, (20, 30))
    for declared in ((-scale, scale), None)[: 1 if method in EXPONENTIAL else 2]:
        solution = self_play(Payoffs(aslinearoperator(A), payoff_range=declared), method, tolerance=0.02 * scale)
        assert solution.iterations < 3000
        assert gap(A, solution.row, solution.column) <= 0.02 * scale
        assert solution.ledger.gap == pytest.approx(gap(A, solution.row, solution.column), rel=0.01)


def test_a_play_by_calls_ends_in_seconds():
    """Without a number of rounds, calls are counted as the work that they are, however small the operator is."""
    limits = [_limit(Payoffs(game), None, 1e-9) for game in (ROCK, aslinearoperator(ROCK), aslinearoperator(HILBERT))]
    assert limits[0] > 10**8
    assert all(10**4 <= limit <= 10**6 for limit in limits[1:])


def test_no_tolerance_is_below_what_products_are_trusted_to():
    """A gap within the rounding of an operator's products is refused at once, and one well above it is not."""
    A = np.random.default_rng(21).uniform(-1, 1, (40, 60))
    for declared in (None, (-1.0, 1.0)):
        operator = Payoffs(aslinearoperator(A), payoff_range=declared)
        for tolerance in (0.0, 1e-15):
            with pytest.raises(RegretlessError, match=r"no gap below .* can be reached"):
                self_play(operator, tolerance=tolerance)
        assert self_play(operator, tolerance=1e-12, rounds=5).iterations == 5


def test_copies_in_sixteen_bits_are_within_their_rounding():
    """Coarse copies are off by at most what is reported of them, and the true gap is within the tolerance."""
    for offset, scale in ((0.0, 1.0), (1e6, 1.0), (0.0, 1e-200), (3.0, 1e200)):
        A = RNG.uniform(-1, 1, (150, 140))
        solution = self_play(scale * (A + offset), rounds=200, single=True)
        true = scale * gap(scale * (A + offset) / scale - offset, solution.row, solution.column)
        rounding = solution.settings["rounding"]
        assert 0 < rounding <= 5e-5 * scale
        assert abs(solution.ledger.gap - true) <= rounding
        coarse = self_play(scale * (A + offset), tolerance=1e-3 * scale)
        assert coarse.settings["rounding"] > 0
        assert gap(scale * (A + offset) / scale - offset, coarse.row, coarse.column) <= 1e-3
    assert self_play(A, tolerance=1e-5).settings["rounding"] == 0
    assert self_play(A[:20, :20], tolerance=1e-3).settings["rounding"] == 0


def test_ranges_below_the_normal_floats_are_not_copied():
    """Large games of subnormal payoffs are played as they are, and a copy that is asked for is refused."""
    A = 1e-310 * np.random.default_rng(22).uniform(-1, 1, (150, 140))
    solution = self_play(A, tolerance=1e-3 * 1e-310)
    assert solution.settings["rounding"] == 0
    assert gap(A, solution.row, solution.column) <= 1e-3 * 1e-310
    with pytest.raises(RegretlessError, match="single"):
        self_play(A, rounds=3, single=True)


# ---- how it ends


@pytest.mark.parametrize("method", SELF_PLAY)
def test_a_play_of_so_many_rounds_ends_there(method):
    """Without a tolerance every round is played, the course ends at the last one, and its numbers are those found."""
    A = GAMES["whole numbers"]
    solution = self_play(A, method, rounds=777, marks=20, keep_strategies=True)
    course = solution.course
    assert solution.iterations == 777
    assert course.rounds[-1] == 777
    assert (np.diff(course.rounds) > 0).all()
    assert len(course.rounds) <= 20
    for place, (row, column) in enumerate(zip(course.rows, course.columns, strict=True)):
        lower, upper = (row @ A).min(), (A @ column).max()
        assert course.lower[place] == pytest.approx(lower, abs=1e-12)
        assert course.upper[place] == pytest.approx(upper, abs=1e-12)
        assert course.gap[place] == pytest.approx(upper - lower, abs=1e-12)
    assert np.array_equal(course.rows[-1], solution.row)
    again = self_play(A, method, rounds=int(course.rounds[5]))
    assert np.array_equal(again.row, course.rows[5]) or method == "hedge"  # whose rate knows how many rounds there are


def test_marks_change_nothing():
    """Whether the course is noted makes no difference to the strategies, nor to when a tolerance is reached."""
    A = GAMES["signs"]
    plain, marked = (self_play(A, tolerance=1e-4, marks=marks) for marks in (0, 200))
    assert plain.iterations == marked.iterations
    assert np.array_equal(plain.row, marked.row)
    assert marked.course.rounds[-1] == marked.iterations
    assert plain.course is None


def test_a_tolerance_that_is_not_reached_is_reported():
    """When the rounds are over before the tolerance is reached, the note says so."""
    solution = self_play(GAMES["signs"], "hedge", tolerance=1e-6, rounds=50)
    assert solution.iterations == 50
    assert "was not reached" in solution.note


def test_many_rounds_are_reported_by_thousands():
    """A note counts rounds as other texts do, with commas."""
    assert self_play(ROCK, "hedge", rounds=10_000).note == "uniform average of 10,000 rounds"


def test_a_play_may_be_watched_and_stopped():
    """Progress is reported as it is made, and a wish to stop ends the play with what it has."""
    calls: list[tuple[int, float]] = []
    A = RNG.uniform(-1, 1, (300, 300))
    solution = self_play(
        A, tolerance=0.0, on_progress=lambda rounds, now: calls.append((rounds, now)), stop=lambda: len(calls) >= 3
    )
    assert solution.stopped == "asked to stop"
    assert [rounds for rounds, _ in calls] == sorted({rounds for rounds, _ in calls})
    assert solution.iterations == calls[-1][0]
    assert solution.ledger.gap == calls[-1][1]
    assert gap(A, solution.row, solution.column) == pytest.approx(solution.ledger.gap, abs=1e-12)


def test_hedge_keeps_its_digits_over_long_plays():
    """After a million rounds at a large rate the weights are still probabilities, and the theorem still holds."""
    A = np.array([[1.0, -1], [-0.999, 1.001]])
    solution = self_play(A, "hedge", rounds=10**6, rates=0.5)
    assert is_strategy(solution.row, 2)
    assert solution.ledger.gap <= 0.5 / 4 * 2 * 1.01
    lopsided = self_play(np.array([[1.0, 0.5], [0, 0.25], [-1, -1]]), "hedge", rounds=10**6, rates=3.0)
    assert lopsided.row == pytest.approx([1, 0, 0], abs=1e-5)
    assert lopsided.column == pytest.approx([0, 1], abs=1e-5)
    assert lopsided.ledger.gap <= (np.log(3) + np.log(2)) / 3 / 10**6 + 6 * 4 / 8


@pytest.mark.parametrize("method", EXPONENTIAL)
def test_no_rate_is_too_large(method):
    """At rates beyond all reason the best strategies so far are played, and nothing else happens."""
    for rate in (1e3, 1e30, 1e308):
        solution = self_play(100 * GAMES["skew-symmetric"], method, rounds=200, rates=rate)
        assert is_strategy(solution.row, 17)
        assert is_strategy(solution.column, 17)
        assert np.isfinite(solution.ledger.gap)


def test_fallen_weights_rise_again():
    """A strategy whose weight has fallen below the smallest float is played again once it deserves it."""
    way = {"now": np.array([1.0, -1.0])}
    operator = LinearOperator(
        (2, 1),
        matvec=lambda q: way["now"] * q.ravel()[0],
        rmatvec=lambda p: np.array([p.ravel() @ way["now"]]),
        dtype=float,
    )
    duel = Duel(Payoffs(operator), "hedge", rates=1.0)
    for _ in range(2000):
        duel.play(1)
    assert duel.row_state[2, 1] == 0
    way["now"] = np.array([-1.0, 1.0])
    for _ in range(2100):
        duel.play(1)
    assert duel.row_state[2, 1] == pytest.approx(1.0)


# ---- settings


def test_rates_are_those_of_the_theorems():
    """Tuned rates belong to a number of rounds, falling ones to none, optimistic ones to the range of the payoffs."""
    A, spread = GAMES["whole numbers"], float(np.ptp(GAMES["whole numbers"]))
    tuned = self_play(A, "hedge", rounds=200).settings
    assert tuned["row_rate"] == pytest.approx(np.sqrt(8 * np.log(15) / 200) / spread)
    assert tuned["column_rate"] == pytest.approx(np.sqrt(8 * np.log(12) / 200) / spread)
    assert np.isnan(self_play(A, "hedge", rounds=200, tolerance=1e-9).settings["row_rate"])
    assert self_play(A, "optimistic-hedge", rounds=5).settings["column_rate"] == pytest.approx(1 / spread)
    given_rates = self_play(1e6 + A, "hedge", rounds=5, rates=(0.1, 0.2)).settings
    assert (given_rates["row_rate"], given_rates["column_rate"]) == pytest.approx((0.1, 0.2))


@pytest.mark.parametrize("method", SELF_PLAY)
def test_a_start_is_played_first(method):
    """The first round is played with the strategies that were given."""
    start = np.array([0.5, 0.2, 0.3]), np.array([0.1, 0.1, 0.8])
    solution = self_play(ROCK, method, rounds=1, start=start, alternate=False)
    assert solution.row == pytest.approx(start[0])
    assert solution.column == pytest.approx(start[1])
    assert ("row_information" in solution.settings) == (method in EXPONENTIAL)
    if method in EXPONENTIAL:
        assert solution.settings["row_information"] == pytest.approx(-np.log(0.2))
        assert solution.settings["column_information"] == pytest.approx(-np.log(0.1))
    far = self_play(ROCK, method, rounds=3000, start=start)
    assert far.ledger.gap < 0.06


def test_players_of_unlike_payoffs_are_compared_in_payoffs():
    """The gap of two matrices is the larger of both regrets also where one is a million times the other, or far off."""
    A, B = RNG.uniform(-1, 1, (6, 5)), RNG.uniform(-1, 1, (6, 5))
    for scale, other, offset in ((1.0, 1e6, 0.0), (1e-3, 1.0, 1e6), (1e200, 1.0, 0.0), (1e200, 1e-200, 0.0)):
        for single in (False, True):
            joint = np.zeros((6, 5))
            solution = self_play(
                scale * A, "rm+", column_payoffs=other * B + offset, joint=joint, rounds=100, single=single
            )
            row = scale * ((A @ joint.sum(0)).max() - (A * joint).sum())
            column = other * ((joint.sum(1) @ B).max() - (B * joint).sum())
            assert solution.ledger.gap == pytest.approx(max(row, column), rel=1e-9 if not single else 0.1)


def test_joint_play_is_a_distribution():
    """The joint distribution of two learners sums to 1, and neither regrets more than the ledger's gap says."""
    A, B = RNG.uniform(-1, 1, (6, 5)), RNG.uniform(-1, 1, (6, 5))
    joint = np.zeros((6, 5))
    solution = self_play(A, "rm+", column_payoffs=B, joint=joint, tolerance=1e-3)
    assert joint.sum() == pytest.approx(1)
    assert (joint >= 0).all()
    worst = max((A @ joint.sum(0)).max() - (A * joint).sum(), (joint.sum(1) @ B).max() - (B * joint).sum())
    assert worst == pytest.approx(solution.ledger.gap, abs=1e-12)
    assert worst <= 1e-3
    assert not solution.settings["alternate"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({}, "self-play needs one of them to end"),
        ({"rounds": 0}, "rounds"),
        ({"rounds": 2.5}, "rounds"),
        ({"rounds": "x"}, "rounds"),
        ({"rounds": True}, "rounds"),
        ({"rounds": float("inf")}, "rounds"),
        ({"rounds": float("nan")}, "rounds"),
        ({"tolerance": -1.0}, "tolerance"),
        ({"tolerance": float("nan")}, "tolerance"),
        ({"tolerance": "x"}, "tolerance"),
        ({"rounds": 3, "method": "cfr"}, "method"),
        ({"rounds": 3, "average": "cubic"}, "average"),
        ({"rounds": 3, "rates": 0.1}, "rates"),
        ({"rounds": 3, "method": "hedge", "rates": 0.0}, "rates"),
        ({"rounds": 3, "method": "hedge", "rates": (0.1, 0.2, 0.3)}, "rates"),
        ({"rounds": 3, "start": ([1, 0, 0],)}, "start"),
        ({"rounds": 3, "start": ([1, 0, 0], [0.5, 0.1, 0.1])}, "start: column"),
        ({"rounds": 3, "method": "hedge", "start": ([1, 0, 0], [1, 0, 0])}, "start"),
        ({"rounds": 3, "column_payoffs": np.zeros((2, 3))}, "column_payoffs"),
        ({"rounds": 3, "column_payoffs": ROCK, "alternate": True}, "alternate"),
        ({"rounds": 3, "joint": np.zeros((3, 3)), "alternate": True}, "alternate"),
    ],
)
def test_settings_without_a_meaning_are_refused(change, words):
    """An error names the setting that has no meaning."""
    with pytest.raises(RegretlessError, match=words):
        self_play(ROCK, **change)


def test_operators_need_rates_and_sixteen_bits_need_a_matrix():
    """What cannot be known of a linear operator has to be said, and what cannot be copied is refused."""
    operator = aslinearoperator(ROCK)
    with pytest.raises(RegretlessError, match="rates"):
        self_play(operator, "hedge", rounds=3)
    with pytest.raises(RegretlessError, match="single"):
        self_play(operator, rounds=3, single=True)
