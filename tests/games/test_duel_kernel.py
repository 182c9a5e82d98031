"""The compiled duel: products, rounds, and the loop in all the ways in which it can be cut."""

from __future__ import annotations

import pickle
import sys
import threading
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from regretless import _core
from regretless.games.duel import Duel
from regretless.games.methods import AVERAGES, SELF_PLAY
from regretless.games.payoffs import Payoffs
from regretless.ledger import GAME_FIELDS
from regretless.textbook import games as textbook

pytestmark = pytest.mark.kernel

Array = Any
SIZES = ((1, 1), (1, 5), (7, 1), (2, 3), (8, 8), (15, 17), (16, 16), (33, 100), (100, 31))
KINDS = ("doubles", "floats", "shorts", "sparse", "sparse floats", "calls")


@pytest.fixture(params=_core.isas())
def isa(request):
    """Each instruction set that the machine has, in turn."""
    before = _core.isa()
    _core.use_isa(request.param)
    yield request.param
    _core.use_isa(before)


def matrix(rows: int, columns: int, seed: int = 0) -> Array:
    return np.random.default_rng([seed, rows, columns]).uniform(-1, 1, (rows, columns))


def payer(kind: str, A: Array, turned: bool, sign: float = 1.0) -> tuple[Any, Array]:
    """Who multiplies, and the matrix that is then multiplied."""
    from scipy.sparse import csr_array

    if kind == "shorts":
        held = np.zeros((len(A), -(-A.shape[1] // 16) * 16), np.int16)
        _core.shorten_payoffs(A, 0.0, 32767.0, held)
        made = _core.Payer.dense(held, turned=turned, sign=sign / 32767, columns=A.shape[1])
        return made, held[:, : A.shape[1]] / 32767
    if kind == "calls":
        rows, columns = A.shape[::-1] if turned else A.shape
        return _core.Payer.calls(lambda x: x @ A if turned else A @ x, mine=rows, others=columns, sign=sign), A
    A = A.astype(np.float32) if "floats" in kind else A
    if kind in ("doubles", "floats"):
        return _core.Payer.dense(A, turned=turned, sign=sign), A.astype(float)
    A = np.where(np.abs(A) < 0.5, 0, A)
    rows = csr_array(A.T if turned else A)
    starts = rows.indptr.astype(np.int64)
    return _core.Payer.sparse(rows.data, rows.indices.astype(np.int32), starts, rows.shape[1], sign=sign), A.astype(
        float
    )


def play(duel: Duel, rounds: int, until: float = -np.inf) -> bool:
    """Play to the end, however often the core comes up for air."""
    reached = False
    while rounds and not reached:
        played, reached = duel.play(rounds, until)
        rounds -= played
    return reached


def bits(duel: Duel) -> bytes:
    return b"".join(array.tobytes() for array in duel.arrays().values())


def replayed(A: Array, method: str, rounds: int, alternate: bool, power: int, rate: float) -> dict[str, Any]:
    """The ledger and the averages by plain numpy, from the strategies that the textbook's learners play."""
    m, n = A.shape

    def learner(count: int) -> Any:
        if method == "hedge":
            return textbook.hedge(count, lambda t: rate)
        if method == "optimistic-hedge":
            return textbook.optimistic_hedge(count, rate)
        if method == "rm":
            return textbook.regret_matching(count)
        return textbook.regret_matching_plus(count, predictive=method == "prm+")

    row, column = learner(m), learner(n)
    p, q = next(row), next(column)
    rows, met, played = [], [], []
    for _ in range(rounds):
        rows.append(p)
        met.append(q)
        if alternate:
            q = column.send(-(p @ A))
            played.append(q)
            p = row.send(A @ q)
        else:
            played.append(q)
            p, q = row.send(A @ q), column.send(-(p @ A))
    P, Q, M = np.array(rows), np.array(played), np.array(met)
    w = np.arange(1.0, rounds + 1) ** power
    U, V = Q @ A.T, -(P @ A)
    row_worth, column_worth = (P * U).sum(1), (M * V).sum(1)
    parameters = {
        "rounds": rounds,
        "weight": w.sum(),
        "last_weight": w[-1],
        "gap": textbook.gap(A, w @ P / w.sum(), w @ Q / w.sum()),
    }
    parameters["turn"] = w @ (row_worth + column_worth)
    for who, S, G, worth in (("row", P, U, row_worth), ("column", M, V, column_worth)):
        parameters[f"{who}_regret"] = (w @ G).max() - w @ worth
        regrets = G - worth[:, None]
        if method in ("hedge", "optimistic-hedge"):
            change = np.diff(G, axis=0, prepend=0)
            parameters[f"{who}_shift"] = (((change.max(1) - change.min(1)) / 2) ** 2).sum()
            parameters[f"{who}_move"] = (np.abs(np.diff(S, axis=0)).sum(1) ** 2).sum()
            continue
        sums = np.zeros(regrets.shape[1])
        for r in regrets:
            sums = sums + r if method == "rm" else np.maximum(sums + r, 0)
        parameters[f"{who}_norm"] = np.linalg.norm(np.maximum(sums, 0))
        wrong = np.diff(regrets, axis=0, prepend=0) if method == "prm+" else regrets
        parameters[f"{who}_square"] = (wrong**2).sum()
    return parameters | {"row": w @ P / w.sum(), "column": w @ Q / w.sum()}


# ---- products


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shape", SIZES)
def test_products_are_those_of_numpy(isa, shape, kind, turned):
    """Every kind of payoffs pays what the product with the other's strategy says, also where that has zeros."""
    made, A = payer(kind, matrix(*shape), turned, -2.0)
    mine, others = A.shape[::-1] if turned else A.shape
    rng = np.random.default_rng(3)
    for strategy in (rng.random(others), rng.random(others) * (rng.random(others) < 0.3), np.zeros(others)):
        product = np.empty(mine)
        made.gains(strategy, product)
        expected = -2.0 * (strategy @ A if turned else A @ strategy)
        error = 1e-6 if kind == "shorts" else 1e-14
        assert np.allclose(product, expected, rtol=0, atol=error * (1 + np.abs(strategy).sum()))


@pytest.mark.parametrize("kind", KINDS[:-1])
def test_all_instruction_sets_multiply_alike(kind):
    """A product has the same bits on every instruction set."""
    before, names = _core.isa(), set()
    for name in _core.isas():
        _core.use_isa(name)
        for turned in (False, True):
            A = matrix(45, 77)
            out = np.empty(77 if turned else 45)
            payer(kind, A, turned)[0].gains(np.random.default_rng(5).dirichlet(np.ones(45 if turned else 77)), out)
            names.add((turned, out.tobytes()))
    _core.use_isa(before)
    assert len(names) == 2


@given(
    values=st.lists(st.floats(-3, 3), min_size=1, max_size=40),
    centre=st.floats(-1, 1),
    single=st.booleans(),
)
def test_short_numbers_are_the_nearest(values, centre, single):
    """A copy in 16 bits holds the nearest whole numbers, within 32767, and zeros beyond the end of a row."""
    given_values = np.array([values], np.float32 if single else np.float64)
    out = np.full((1, -(-len(values) // 16) * 16), 77, np.int16)
    _core.shorten_payoffs(given_values, centre, 1e4, out)
    expected = np.clip(np.rint((given_values.astype(float) - centre) * 1e4), -32767, 32767)
    assert np.array_equal(out[0, : len(values)], expected[0])
    assert not out[0, len(values) :].any()


def test_copies_need_finite_units():
    """A factor or a centre that is no finite number is refused, and a payoff that is none is held as some number."""
    A, out = np.ones((1, 3)), np.zeros((1, 16), np.int16)
    for centre, factor in ((0.0, np.inf), (0.0, np.nan), (np.nan, 1.0), (-np.inf, 1.0)):
        with pytest.raises(ValueError, match="finite"):
            _core.shorten_payoffs(A, centre, factor, out)
    _core.shorten_payoffs(np.array([[np.nan, np.inf, -np.inf]]), 0.0, 1.0, out)
    assert out[0, 1:3].tolist() == [32767, -32767]
    assert abs(int(out[0, 0])) <= 32767


# ---- rounds


@pytest.mark.parametrize("alternate", [False, True])
@pytest.mark.parametrize("average", AVERAGES)
@pytest.mark.parametrize("method", SELF_PLAY)
def test_rounds_are_those_of_the_textbook(isa, method, average, alternate):
    """Averages and every number of the ledger agree with learners of the textbook, replayed in numpy."""
    for shape in ((2, 3), (5, 4), (17, 9), (1, 6), (4, 1)):
        A = matrix(*shape, seed=2)
        rates = 0.3 if method in ("hedge", "optimistic-hedge") else None
        duel = Duel(Payoffs(A), method, average=average, alternate=alternate, rates=rates)
        play(duel, 60)
        expected = replayed(A, method, 60, alternate, AVERAGES.index(average), 0.3)
        assert np.allclose(duel.row, expected.pop("row"), rtol=0, atol=1e-9)
        assert np.allclose(duel.column, expected.pop("column"), rtol=0, atol=1e-9)
        for name, number in expected.items():
            assert getattr(duel.ledger, name) == pytest.approx(number, rel=1e-9, abs=1e-8), name


def test_hedge_at_falling_rates_is_that_of_the_textbook(isa):
    """Without a number of rounds the rate of round t is 2 sqrt(ln n / t) over the range of the payoffs."""
    A = matrix(6, 4)
    duel = Duel(Payoffs(A), "hedge")
    play(duel, 80)
    spread = np.ptp(A)
    row, column = (
        textbook.hedge(count, lambda t, count=count: 2 * np.sqrt(np.log(count) / t) / spread) for count in A.shape
    )
    p, q = textbook.self_play(A, row, column, 80)
    assert np.allclose(duel.row, p, rtol=0, atol=1e-12)
    assert np.allclose(duel.column, q, rtol=0, atol=1e-12)


@pytest.mark.parametrize("kind", ["dense", "single", "sparse", "float32", "offset"])
@pytest.mark.parametrize("method", SELF_PLAY)
def test_all_instruction_sets_play_alike(method, kind):
    """After the same rounds every array has the same bits on every instruction set."""
    from scipy.sparse import csr_array

    A = matrix(37, 50)
    given_payoffs = {
        "sparse": lambda: csr_array(A * (A > 0.3)),
        "float32": lambda: A.astype(np.float32),
        "offset": lambda: A + 1e3,
    }
    payoffs = Payoffs(given_payoffs.get(kind, lambda: A)())
    before, names = _core.isa(), set()
    for name in _core.isas():
        _core.use_isa(name)
        duel = Duel(payoffs, method, single=kind == "single")
        play(duel, 150)
        names.add(bits(duel))
    _core.use_isa(before)
    assert len(names) == 1


@settings(max_examples=30)
@given(
    cuts=st.lists(st.integers(0, 30), min_size=1, max_size=5),
    method=st.sampled_from(SELF_PLAY),
    alternate=st.booleans(),
    average=st.sampled_from(list(AVERAGES)),
    again=st.sampled_from(["on", "pickled", "adopted"]),
)
def test_a_play_may_be_cut_anywhere(cuts, method, alternate, average, again):
    """Rounds in pieces, even if the players were kept or handed over between them, end in the bits of rounds in one."""
    payoffs = Payoffs(matrix(9, 6))

    def begin() -> Duel:
        return Duel(payoffs, method, alternate=alternate, average=average)

    whole, pieces = begin(), begin()
    play(whole, sum(cuts))
    for cut in cuts:
        play(pieces, cut)
        if again == "pickled":
            pieces = pickle.loads(pickle.dumps(pieces))
        elif again == "adopted":
            heir = begin()
            heir.adopt(pieces.arrays())
            pieces = heir
    assert bits(whole) == bits(pieces)
    assert whole.rounds == sum(cuts)


def test_a_long_play_comes_up_for_air():
    """A call of very many rounds returns before its end, and goes on to the same bits."""
    payoffs = Payoffs(matrix(400, 300))
    whole, pieces = Duel(payoffs, single=True), Duel(payoffs, single=True)
    played, _ = whole.play(10**9)
    assert 0 < played < 10**6
    play(pieces, played // 2)
    play(pieces, played - played // 2)
    assert bits(whole) == bits(pieces)


@pytest.mark.parametrize("method", SELF_PLAY)
def test_a_play_stops_at_its_target(method):
    """It stops where the gap is at most what was asked for, and at most a thirty-second part of the rounds late."""
    payoffs = Payoffs(matrix(12, 10))
    stopped, whole = Duel(payoffs, method), Duel(payoffs, method)
    assert play(stopped, 10**6, 0.02)
    assert stopped.ledger.gap <= 0.02
    before, first = Duel(payoffs, method), stopped.rounds
    play(before, int(first - 2 - first / 32))
    assert before.ledger.gap > 0.02 or method in ("hedge", "optimistic-hedge", "rm")
    play(whole, stopped.rounds)
    assert np.array_equal(whole.row_state, stopped.row_state)
    assert np.array_equal(whole.book, stopped.book)


def test_the_joint_play_is_what_was_played(isa):
    """The joint distribution is the weighted sum of the products of strategies that met."""
    A = matrix(5, 7)
    joint, expected = np.zeros(A.shape), np.zeros(A.shape)
    duel = Duel(Payoffs(A), "rm", average="linear", joint=joint)
    p, q = textbook.regret_matching(5), textbook.regret_matching(7)
    x, y = next(p), next(q)
    for t in range(1, 31):
        expected += t * np.outer(x, y)
        x, y = p.send(A @ y), q.send(-(x @ A))
    play(duel, 30)
    assert np.allclose(joint, expected, rtol=1e-10, atol=1e-10)


def test_two_matrices_are_two_players(isa):
    """With a matrix of its own the column player learns from that, and the gap is the larger regret per round."""
    A, B = matrix(5, 4), matrix(5, 4, seed=9)
    duel = Duel(Payoffs(A), "rm+", column_payoffs=Payoffs(B), average="uniform")
    row, column = textbook.regret_matching_plus(5), textbook.regret_matching_plus(4)
    p, q, P, Q = next(row), next(column), [], []
    for _ in range(50):
        P.append(p)
        Q.append(q)
        p, q = row.send(A @ q), column.send(p @ B)
    play(duel, 50)
    assert np.allclose(duel.row, np.mean(P, 0), rtol=0, atol=1e-9)
    assert np.allclose(duel.column, np.mean(Q, 0), rtol=0, atol=1e-9)
    joint = np.array(P).T @ np.array(Q) / 50
    regrets = (A @ joint.sum(0)).max() - (A * joint).sum(), (joint.sum(1) @ B).max() - (B * joint).sum()
    assert duel.ledger.gap == pytest.approx(max(regrets), abs=1e-12)
    assert duel.ledger.row_regret == pytest.approx(50 * regrets[0], abs=1e-10)
    assert duel.ledger.column_regret == pytest.approx(50 * regrets[1], abs=1e-10)


# ---- what is refused


def arrays(rows: int = 3, columns: int = 4) -> dict[str, Array]:
    states = {"row_state": np.zeros((_core.DUEL_ROWS, 16)), "column_state": np.zeros((_core.DUEL_ROWS, 16))}
    states["row_state"][2, :rows] = 1 / rows
    states["column_state"][2, :columns] = 1 / columns
    return states | {"memory": np.zeros(_core.DUEL_MEMORY), "book": np.zeros(len(GAME_FIELDS))}


def test_the_book_has_the_fields_of_the_ledger():
    """The core writes the ledger's numbers in the ledger's order."""
    assert _core.GAME_FIELDS == GAME_FIELDS


@pytest.mark.parametrize(
    "change",
    [
        {"row_state": np.zeros((_core.DUEL_ROWS, 32))},
        {"column_state": np.zeros((_core.DUEL_ROWS - 1, 16))},
        {"memory": np.zeros(_core.DUEL_MEMORY + 1)},
        {"book": np.zeros(len(GAME_FIELDS) - 1)},
        {"book": np.full(len(GAME_FIELDS), np.nan)},
        {"row_state": np.full((_core.DUEL_ROWS, 16), np.nan)},
        {"row_state": np.full((_core.DUEL_ROWS, 16), 0.1)},
        {"power": 3},
        {"row_rate": np.nan},
        {"column_rate": -1.0},
        {"joint": np.zeros((4, 3))},
        {"joint": np.zeros((3, 4)), "alternate": True},
        {"joint": np.zeros((3, 4), np.float32)},
    ],
)
def test_arrays_that_do_not_fit_are_refused(change):
    """State of another shape or type, or one that no play leaves behind, is an error and not a crash."""
    A = matrix(3, 4)
    row, column = _core.Payer.dense(A), _core.Payer.dense(A, turned=True, sign=-1.0)
    with pytest.raises((ValueError, TypeError)):
        _core.Dueler("rm+", row, column, **(arrays() | change))


def test_payers_that_do_not_fit_are_refused():
    """Payoffs of different shapes, and unknown methods, are errors."""
    A = matrix(3, 4)
    with pytest.raises(ValueError, match="different shapes"):
        _core.Dueler("rm", _core.Payer.dense(A), _core.Payer.dense(A), **arrays())
    with pytest.raises(ValueError, match="no method"):
        _core.Dueler("cfr", _core.Payer.dense(A), _core.Payer.dense(A, turned=True), **arrays())
    with pytest.raises(ValueError, match="two dimensions"):
        _core.Payer.dense(np.zeros(3))
    with pytest.raises(ValueError, match="whole sixteens"):
        _core.Payer.dense(np.zeros((3, 5), np.int16), columns=4)
    with pytest.raises(ValueError, match="float32 or float64"):
        _core.Payer.dense(np.zeros((3, 5), np.int32))
    with pytest.raises(ValueError, match="one strategy"):
        _core.Payer.dense(np.zeros((3, 0)))


@pytest.mark.parametrize(
    ("indices", "starts", "columns"),
    [
        ([0, 4], [0, 1, 2], 4),
        ([0, -1], [0, 1, 2], 4),
        ([0, 1], [0, 3, 2], 4),
        ([0, 1], [0, 1, 1], 4),
        ([0, 1], [1, 1, 2], 4),
        ([0], [0, 1, 2], 4),
        ([0, 1], [0], 4),
    ],
)
def test_broken_sparse_payoffs_are_refused(indices, starts, columns):
    """Indices beyond the end and starts that do not lead through the entries are errors and not a crash."""
    with pytest.raises(ValueError, match=r"index|start|strategy"):
        _core.Payer.sparse(np.ones(2), np.array(indices, np.int32), np.array(starts, np.int64), columns)


@pytest.mark.parametrize("answer", [np.zeros(2), np.full(3, np.nan), np.full(3, np.inf), "none", None])
def test_wrong_products_are_refused(answer):
    """A product of another length, or one that is no row of finite numbers, ends the play with an error."""
    row = _core.Payer.calls(lambda q: answer, mine=3, others=4)
    column = _core.Payer.dense(matrix(3, 4), turned=True, sign=-1.0)
    core = _core.Dueler("rm+", row, column, **arrays())
    with pytest.raises(ValueError, match="a product"):
        core.play(5, 0.0)


@pytest.mark.parametrize("alternate", [False, True])
def test_a_product_that_fails_leaves_nothing_to_go_on_with(alternate):
    """The error of a product reaches its caller; players who moved at once may go on, those in mid-turn may not."""
    A, fails = matrix(3, 4), [False]

    def times(q: Array) -> Array:
        if fails[0]:
            raise KeyError("gone")
        return A @ q

    row = _core.Payer.calls(times, mine=3, others=4)
    held = arrays()
    core = _core.Dueler("rm+", row, _core.Payer.dense(A, turned=True, sign=-1.0), **held, alternate=alternate)
    assert core.play(1, -1.0) == (1, False)
    fails[0] = True
    with pytest.raises(KeyError, match="gone"):
        core.play(3, -1.0)
    assert held["book"][0] == 1
    fails[0] = False
    if alternate:
        with pytest.raises(ValueError, match="middle of a round"):
            core.play(1, -1.0)
    else:
        assert core.play(1, -1.0) == (1, False)


def test_players_are_used_by_one_thread_at_a_time():
    """A second thread is refused while the first one plays, and nothing is harmed."""
    inside, done = threading.Event(), threading.Event()
    A = matrix(3, 4)

    def times(q: Array) -> Array:
        inside.set()
        done.wait(10)
        return A @ q

    column = _core.Payer.dense(A, turned=True, sign=-1.0)
    core = _core.Dueler("rm", _core.Payer.calls(times, mine=3, others=4), column, **arrays())
    played: list[Any] = []
    thread = threading.Thread(target=lambda: played.append(core.play(1, -1.0)))
    thread.start()
    assert inside.wait(10)
    with pytest.raises(ValueError, match="another thread"):
        core.play(1, -1.0)
    done.set()
    thread.join()
    assert played == [(1, False)]


def test_others_run_while_a_product_is_computed():
    """A large product does not keep the interpreter to itself."""
    payer, out = _core.Payer.dense(np.ones((3000, 4000))), np.empty(3000)
    others = np.full(4000, 1 / 4000)
    gate, ran = threading.Lock(), threading.Event()
    gate.acquire()

    def run() -> None:
        with gate:
            ran.set()

    thread = threading.Thread(target=run)
    thread.start()
    before = sys.getswitchinterval()
    sys.setswitchinterval(100.0)  # who does not let go by itself is not interrupted
    try:
        gate.release()
        products = 0
        while not ran.is_set() and products < 200:
            payer.gains(others, out)
            products += 1
    finally:
        sys.setswitchinterval(before)
        thread.join()
    assert 0 < products < 200
    assert out == pytest.approx(np.ones(3000))
