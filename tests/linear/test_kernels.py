"""The compiled loop against its textbook twins, against itself in other layouts, and on hostile input."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from regretless import _core
from regretless.ledger import FIELDS, Ledger
from regretless.textbook.linear import LOSSES, gradient_descent, perceptron

from ..examples import at_most

pytestmark = pytest.mark.kernel

SCALE, NORM2, BIAS, ROUNDING, CLOCK, LAG_BIAS = range(6)
reals = st.floats(-8, 8, width=32)
mostly_zero = st.one_of(st.just(0.0), reals)
quarters = st.integers(-12, 12).map(lambda k: k / 4)  # sums and products of these are exact
SCHEDULES = ("constant", "inverse-sqrt", "self-tuned", "scale-free")


class Play:
    """Plain arrays and a player over them."""

    def __init__(self, columns: int, targets: int = 1, *, average: bool = False, **rules: Any) -> None:
        self.weights = np.zeros((columns, targets))
        self.memory = np.zeros((targets, _core.MEMORY_SIZE))
        self.memory[:, SCALE] = 1
        self.books = np.zeros((targets + (targets > 1), len(FIELDS)))
        self.lag = np.zeros((columns, targets)) if average else None
        named = {"geometry": "euclidean", "loss": "perceptron", "rate": "constant"} | rules
        scratch = np.zeros(4 * targets)
        self.player = _core.Player(self.weights, self.memory, self.books, scratch, self.lag, **named)

    def dense(self, X, labels, **rest):
        return self.player.play(np.ascontiguousarray(X), None, None, labels, **rest)

    def sparse(self, X, labels, *, wide=False, keep_zeros=False, **rest):
        return self.player.play(*csr(X, wide=wide, keep_zeros=keep_zeros), labels, **rest)

    @property
    def w(self):
        return self.weights * self.memory[:, SCALE]

    def ledger(self, target: int = 0) -> Ledger:
        return Ledger.read(self.books[target])

    def bits(self) -> bytes:
        return self.weights.tobytes() + self.memory.tobytes() + self.books.tobytes()


def csr(X, *, wide=False, keep_zeros=False):
    keep = np.ones_like(X, dtype=bool) if keep_zeros else X != 0
    kind = np.int64 if wide else np.int32
    starts = np.concatenate([[0], np.cumsum(keep.sum(1))]).astype(kind)
    return X[keep], np.nonzero(keep)[1].astype(kind), starts


def rounds(rows=30, columns=11, elements=reals, dtype=np.float64):
    """Rows and signs."""
    return st.tuples(
        arrays(dtype, (rows, columns), elements=elements),
        arrays(np.int32, rows, elements=st.sampled_from([-1, 1])),
    )


compositions = st.fixed_dictionaries(
    {
        "loss": st.sampled_from(["perceptron", "margin", *LOSSES]),
        "rate": st.sampled_from(SCHEDULES),
        "geometry": st.sampled_from(["euclidean", "ball"]),
        "radius": st.sampled_from([0.3, 2.0]),
        "eta": st.sampled_from([0.01, 0.3]),
        "intercept": st.sampled_from([0.0, 1.5]),
        "margin": st.just(0.4),
    }
)
aggressive = st.fixed_dictionaries(
    {
        "loss": st.just("hinge"),
        "rate": st.sampled_from(["pa", "pa-1", "pa-2"]),
        "limit": st.sampled_from([0.1, 1.0]),
        "intercept": st.sampled_from([0.0, 1.5]),
    }
)


@given(rounds(), st.sampled_from([0, 1, -1]), st.sampled_from([1.0, 0.5]))
def test_the_perceptron_is_the_textbooks(game, ties, rate):
    """Weights, updates and mistakes are those of eight lines of numpy."""
    X, y = game
    w, updates, mistakes = perceptron(X, y, rate, ties)
    play = Play(X.shape[1], eta=rate, tie=float(ties))
    assert play.dense(X, y) == (len(X), None)
    np.testing.assert_allclose(play.w[:, 0], w, rtol=1e-12, atol=1e-12)
    assert (play.ledger().updates, play.ledger().mistakes) == (updates, mistakes)


# A scale-free step is about 0.1 / |x|, and the scale shrinks by radius over step in each round in a ball: the sum that
# the mean is read from cancels as much, with rows of 1e-7 more than 1e-7 of it. So features are 0 or not that small.
nonzero = st.floats(2**-10, 2, width=32)


@given(
    rounds(columns=5, elements=st.one_of(st.just(0.0), nonzero, nonzero.map(lambda x: -x))),
    st.sampled_from(sorted(LOSSES)),
    st.sampled_from(SCHEDULES),
    st.sampled_from([np.inf, 0.5]),
)
def test_gradient_descent_is_the_textbooks(game, loss, schedule, radius):
    """Weights, loss, averages and largest length are those of the textbook, for every loss, schedule and ball."""
    X, y = game
    w, paid, history = gradient_descent(X, y, loss, schedule, 0.1, radius)
    # At the kink of the hinge the last bit of a sum decides whether there is a step, and the two sum in other orders.
    margins = y * np.einsum("td,td->t", X, history)
    assume(loss != "hinge" or not (abs(margins - 1) < 1e-9).any())
    ball = {"geometry": "ball", "radius": radius} if radius < np.inf else {}
    play = Play(5, average=True, loss=loss, rate=schedule, eta=0.1, **ball)
    play.dense(X, y)
    np.testing.assert_allclose(play.w[:, 0], w, rtol=1e-7, atol=1e-9)
    assert play.ledger().loss == pytest.approx(paid, rel=1e-9)
    mean = (play.memory[0, CLOCK] * play.weights - play.lag)[:, 0] / len(X)
    np.testing.assert_allclose(mean, np.mean(history, axis=0), rtol=1e-7, atol=1e-9)
    longest = max(float(v @ v) for v in history)
    assert play.ledger().reach2 == pytest.approx(longest, rel=1e-7, abs=1e-12)


@at_most(25)
@given(rounds(elements=quarters), st.sampled_from([0.0, 0.3, 2.0]), st.sampled_from([0.0, 1.5]))
def test_the_margin_perceptron_keeps_its_distance(game, theta, intercept):
    """It moves just where the margin is below theta |w|, or w is zero, and is charged what is missing."""
    X, y = game
    rows = np.hstack([X, np.full((len(X), 1), intercept)])
    w, missing, moves = np.zeros(rows.shape[1]), 0.0, np.zeros((len(X), 1))
    for t, (x, label) in enumerate(zip(rows, y, strict=True)):
        margin, bar = label * (w @ x), theta * np.sqrt(w @ w)
        missing += max(0.0, bar - margin)
        if margin < bar or margin == bar == 0:
            w, moves[t] = w + label * x, label
    play, scores = Play(X.shape[1], loss="margin", margin=theta, intercept=intercept), np.empty((len(X), 1))
    play.dense(X, y, moves=scores)
    np.testing.assert_array_equal(scores, moves)
    np.testing.assert_array_equal(play.w[:, 0], w[:-1])
    assert play.memory[0, NORM2] == w @ w
    assert play.ledger().loss == pytest.approx(missing, rel=1e-12, abs=1e-12)


@given(
    rounds(rows=20, columns=5, elements=quarters),
    aggressive,
    arrays(float, 20, elements=st.sampled_from([0.0, 1.0, 0.5, 7.0])),
)
def test_passive_aggressive_steps_are_the_textbooks(game, rules, weight):
    """Steps, loss, squared loss and gain are those of the closed forms, and no step crosses the line it is drawn to."""
    X, y = game
    limit, b = rules["limit"], rules["intercept"]
    rows = np.hstack([X, np.full((len(X), 1), b)])
    w, moves, suffered, squares, gain = np.zeros(rows.shape[1]), [], 0.0, 0.0, 0.0
    for x, label, c in zip(rows, y, weight, strict=True):
        loss, norm2 = max(0.0, 1 - label * (w @ x)), x @ x
        suffered += c * loss
        tau = 0.0
        if loss > 0 and c > 0:
            squares += loss**2
            if norm2 > 0:
                tau = {
                    "pa": loss / norm2,
                    "pa-1": min(limit * c, loss / norm2),
                    "pa-2": loss / (norm2 + 1 / (2 * limit * c)),
                }[rules["rate"]]
        gain += tau * (2 * loss - tau * norm2)
        w = w + tau * label * x
        moves.append(tau * label)
        assert loss == 0 or label * (w @ x) <= 1 + 1e-9
    play, scores = Play(X.shape[1], **rules), np.empty((len(X), 1))
    play.sparse(X, y, sample_weight=weight, moves=scores)
    # A round that is met exactly leaves a loss of nothing or of one rounding error, and a step as long as that.
    np.testing.assert_allclose(scores[:, 0], moves, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(play.w[:, 0], w[:-1], rtol=1e-9, atol=1e-9)
    ledger = play.ledger()
    assert (ledger.loss, ledger.slope2, ledger.step2) == pytest.approx((suffered, squares, gain), rel=1e-9, abs=1e-9)


def test_rounds_near_the_margin_are_decided_as_by_weights_summed_afresh():
    """Over 20,000 updates of long and short rows, the running length decides every round as |w| taken anew does."""
    rng = np.random.default_rng(7)
    X = rng.normal(size=(20_000, 4)) * 10.0 ** rng.integers(-3, 3, size=(20_000, 1))
    y = rng.choice(np.array([-1, 1], dtype=np.int32), 20_000)
    w, moves = np.zeros(4), np.zeros((len(X), 1))
    for t, (x, label) in enumerate(zip(X, y, strict=True)):
        if label * (w @ x) < 0.9 * np.sqrt(w @ w) or not w.any():
            w, moves[t] = w + label * x, label
    play, scores = Play(4, loss="margin", margin=0.9), np.empty_like(moves)
    play.dense(X, y, moves=scores)
    np.testing.assert_array_equal(scores, moves)
    assert play.memory[0, NORM2] == pytest.approx(w @ w, rel=1e-9)


@pytest.mark.parametrize("rate", _core.rate_clocks())
def test_a_rate_goes_by_all_of_its_clock_and_by_nothing_else(rate):
    """From the same weights steps are the same if the books have the rate's clock, and others if it lacks a number."""
    rng, half = np.random.default_rng(3), 20
    X, y = rng.normal(size=(2 * half, 3)), rng.choice(np.array([-1, 1], dtype=np.int32), 2 * half)
    X[0] *= 9  # the longest row is one of the past
    past = Play(3, loss="hinge", rate=rate, eta=0.3)
    past.dense(X[:half], y[:half])
    clock = [FIELDS.index(name) for name in _core.rate_clocks()[rate]]

    def steps(known: list[int]) -> list[float]:
        play, moves = Play(3, loss="hinge", rate=rate, eta=0.3), np.zeros((half, 1))
        play.weights[:], play.memory[:] = past.weights, past.memory
        play.books[:, known] = past.books[:, known]
        play.dense(X[half:], y[half:], moves=moves)
        return moves[:, 0].tolist()

    whole = steps(list(range(len(FIELDS))))
    assert any(whole)
    assert steps(clock) == whole
    for one in clock:
        assert steps([other for other in clock if other != one]) != whole


def test_a_self_tuned_round_without_a_gradient_is_no_update():
    """Until a row has a length there is no rate, and nothing moves."""
    play, y = Play(2, loss="logistic", rate="self-tuned"), np.array([1, 1], dtype=np.int32)
    play.dense(np.zeros((2, 2)), y)
    assert (play.ledger().updates, play.ledger().first_rate) == (0, 0)
    play.dense(np.eye(2), y)
    assert play.ledger().updates == 2
    assert play.ledger().first_rate > 0


def test_a_row_of_zeros_is_no_update_of_a_passive_aggressive_learner():
    """It is charged and counted as a mistake, but as nothing can move no update is counted."""
    play = Play(2, loss="hinge", rate="pa")
    play.dense(np.zeros((3, 2)), np.array([1, -1, -1], dtype=np.int32))
    ledger = play.ledger()
    assert (ledger.loss, ledger.slope2, ledger.mistakes, ledger.updates) == (3, 3, 2, 0)


def test_a_passive_aggressive_step_along_a_tiny_row_is_as_long_as_it_must_be():
    """A row of length 1e-100 takes weights of length 1e100, without an overflow on the way."""
    play, y = Play(2, loss="hinge", rate="pa"), np.array([1], dtype=np.int32)
    x = np.array([[0.0, 1e-100]])
    assert play.dense(x, y) == play.dense(x, y) == (1, None)
    np.testing.assert_allclose(play.weights[:, 0], [0, 1e100], rtol=1e-12)
    assert play.memory[0, NORM2] == pytest.approx(1e200, rel=1e-12)


@given(
    arrays(np.float64, (40, 6), elements=quarters),
    arrays(np.int32, 40, elements=st.integers(0, 16)),
    st.sampled_from([2, 3, 17]),
    st.sampled_from([1.0, 0.5]),
    st.sampled_from([0.0, 1.5]),
    st.booleans(),
)
def test_classes_played_directly_are_the_textbooks(X, classes, targets, eta, intercept, dense):
    """The true class and its best rival trade the row just where the true one is not strictly ahead."""
    classes = classes % targets
    rows = np.hstack([X, np.full((len(X), 1), intercept)])
    W, mean, moves = np.zeros((rows.shape[1], targets)), np.zeros((rows.shape[1], targets)), np.zeros((len(X), targets))
    updates, mistakes, loss, longest, norm2 = 0, 0, 0.0, 0.0, 0.0
    for t, (x, label) in enumerate(zip(rows, classes, strict=True)):
        mean, longest = mean + W / len(X), max(longest, (W**2).sum())
        scores = x @ W
        others = np.where(np.arange(targets) == label, -np.inf, scores)
        rival = int(others.argmax())
        mistakes += int(scores.argmax()) != label
        loss += max(0.0, scores[rival] - scores[label])
        if scores[label] <= scores[rival]:
            updates, norm2 = updates + 1, norm2 + x @ x
            moves[t, label], moves[t, rival] = eta, -eta
            W = W + np.outer(x, moves[t])
    play, slots = Play(6, targets, average=True, loss="direct", eta=eta, intercept=intercept), np.empty_like(moves)
    run = play.dense if dense else play.sparse
    assert run(X, classes, moves=slots) == (len(X), None)
    np.testing.assert_array_equal(slots, moves)
    np.testing.assert_array_equal(play.weights, W[:-1])
    np.testing.assert_allclose((play.memory[:, CLOCK] * play.weights - play.lag) / len(X), mean[:-1], atol=1e-12)
    whole = play.ledger(targets)
    assert (whole.rounds, whole.updates, whole.mistakes) == (len(X), updates, mistakes)
    assert (whole.loss, whole.reach2, whole.update_norm2) == (loss, longest, norm2)
    assert (whole.slope2, whole.step2) == (2 * norm2, 2 * eta * norm2)
    np.testing.assert_array_equal(play.memory[:, NORM2], (W**2).sum(axis=0))
    np.testing.assert_array_equal(play.books[:-1, FIELDS.index("updates")], np.count_nonzero(moves, axis=0))


@given(
    arrays(np.float32, (30, 11), elements=quarters),
    arrays(np.int32, 30, elements=st.integers(0, 4)),
    st.one_of(aggressive, st.just({"loss": "direct", "eta": 0.3})),
    st.integers(0, 30),
)
def test_aggressive_and_direct_runs_are_the_same_bits_everywhere(X, classes, rules, cut):
    """Instruction sets, layouts, precisions and cuts into blocks make no difference to several targets."""
    names = set()
    before = _core.isa()
    try:
        for isa in _core.isas():
            _core.use_isa(isa)
            for layout in ({}, {"wide": True}, {"keep_zeros": True}, None):
                play = Play(11, 5, average=True, **rules)
                rows = X if isa == before else X.astype(np.float64)
                run = play.dense if layout is None else lambda *a, p=play, o=layout, **k: p.sparse(*a, **o, **k)
                assert run(rows, classes, end=cut) == (cut, None)
                assert run(rows, classes, begin=cut) == (len(X), None)
                names.add(play.bits() + play.lag.tobytes())
    finally:
        _core.use_isa(before)
    assert len(names) == 1


@given(rounds(elements=mostly_zero), compositions)
def test_all_instruction_sets_and_layouts_give_the_same_bits(game, rules):
    """Dense rows, sparse rows, stored zeros, 32 and 64 bit indices: on every instruction set one and the same state."""
    X, y = game
    names = set()
    before = _core.isa()
    try:
        for isa in _core.isas():
            _core.use_isa(isa)
            for layout in ({}, {"wide": True}, {"keep_zeros": True}, None):
                play = Play(X.shape[1], **rules)
                outcome = play.dense(X, y) if layout is None else play.sparse(X, y, **layout)
                assert outcome == (len(X), None)
                names.add(play.bits())
    finally:
        _core.use_isa(before)
    assert len(names) == 1


@given(rounds(dtype=np.float32), compositions)
def test_single_and_double_precision_rows_of_the_same_numbers_give_the_same_bits(game, rules):
    """Sums and weights are double whatever the rows are."""
    X, y = game
    single, double = Play(X.shape[1], **rules), Play(X.shape[1], **rules)
    single.dense(X, y)
    double.dense(X.astype(np.float64), y)
    assert single.bits() == double.bits()
    wide = Play(X.shape[1], **rules)
    wide.sparse(X, y, wide=True)
    assert wide.bits() == double.bits()


@given(rounds(elements=mostly_zero), compositions, st.integers(0, 30), st.integers(0, 30))
def test_a_run_in_pieces_is_one_run(game, rules, first, second):
    """Blocks may be cut anywhere, and `begin` and `end` are a cut too."""
    X, y = game
    whole, pieces, ranges = (Play(X.shape[1], **rules) for _ in range(3))
    whole.dense(X, y)
    a, b = sorted((first, second))
    for begin, end in ((0, a), (a, b), (b, len(X))):
        pieces.sparse(X[begin:end], y[begin:end])
        ranges.dense(X, y, begin=begin, end=end)
    assert pieces.bits() == whole.bits() == ranges.bits()


@given(rounds(elements=mostly_zero), compositions, st.randoms(use_true_random=False))
def test_an_order_is_the_rows_in_that_order(game, rules, random):
    """Playing in an order gives the bits of permuted rows, dense and sparse."""
    X, y = game
    order = np.array(random.sample(range(len(X)), len(X)), dtype=np.int64)
    permuted = Play(X.shape[1], **rules)
    permuted.dense(X[order], y[order])
    for layout in ("dense", "sparse"):
        ordered = Play(X.shape[1], **rules)
        assert getattr(ordered, layout)(X, y, order=order) == (len(X), None)
        assert ordered.bits() == permuted.bits()


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("targets", [4, 5, 8, 16])
def test_targets_score_as_each_alone(targets, dtype):
    """Rows of any length, with zeros or without, have the scores by several targets that each target gives them."""
    draw = np.random.default_rng(targets)
    X = draw.normal(size=(90, 45)).astype(dtype)
    for row in range(90):
        X[row, draw.permutation(45)[row // 2 :]] = 0
    weights, (values, indices, starts) = draw.normal(size=(45, targets)), csr(X)
    for rows in ((X, None, None), (values, indices, starts), csr(X, keep_zeros=True)):
        many, scores = Play(45, targets), np.empty((90, targets))
        many.weights[:] = weights
        many.player.score(*rows, scores)
        for c in range(targets):
            one, alone = Play(45), np.empty((90, 1))
            one.weights[:, 0] = weights[:, c]
            one.player.score(*rows, alone)
            np.testing.assert_array_equal(scores[:, c], alone[:, 0])


@settings(max_examples=30)
@given(
    arrays(np.float64, (25, 9), elements=mostly_zero),
    arrays(np.int32, 25, elements=st.integers(0, 16)),
    st.sampled_from([3, 4, 8, 11, 17]),
    compositions,
    st.booleans(),
)
def test_one_against_rest_is_a_row_of_binary_runs(X, classes, targets, rules, dense):
    """Target by target the weights, memory and books of one pass are those of binary runs, bit for bit."""
    classes = classes % targets
    many = Play(9, targets, average=True, **rules)
    many.dense(X, classes) if dense else many.sparse(X, classes)
    scores, wrong = np.zeros(targets), 0
    singles = [Play(9, average=True, **rules) for _ in range(targets)]
    for t in range(len(X)):
        for c, single in enumerate(singles):
            out = np.empty((1, 1))
            single.player.score(X[t : t + 1], None, None, out)
            scores[c] = out[0, 0]
            single.dense(X[t : t + 1], np.array([1 if classes[t] == c else -1], dtype=np.int32))
        wrong += int(scores.argmax()) != classes[t]
    for c, single in enumerate(singles):
        np.testing.assert_array_equal(many.weights[:, c], single.weights[:, 0])
        np.testing.assert_array_equal(many.memory[c], single.memory[0])
        np.testing.assert_array_equal(many.books[c], single.books[0])
        np.testing.assert_array_equal(many.lag[:, c], single.lag[:, 0])
    assert (many.ledger(targets).rounds, many.ledger(targets).mistakes) == (25, wrong)


@given(rounds(elements=reals), compositions)
def test_the_running_sums_are_the_sums(game, rules):
    """The length of the weights that is kept from round to round, and the sums over rows, are those taken afresh."""
    X, y = game
    play = Play(X.shape[1], **rules)
    play.dense(X, y)
    b, ledger = rules["intercept"], play.ledger()
    squares = (X**2).sum(1) + b * b
    assert ledger.rounds == len(X)
    assert ledger.max_norm2 == pytest.approx(squares.max(), rel=1e-12)
    assert ledger.total_norm2 == pytest.approx(squares.sum(), rel=1e-12)
    afresh = float((play.w**2).sum()) + (play.memory[0, SCALE] * play.memory[0, BIAS]) ** 2
    assert play.memory[0, NORM2] == pytest.approx(afresh, rel=1e-6, abs=1e-9)
    if rules["geometry"] == "ball":
        assert afresh <= rules["radius"] ** 2 * (1 + 1e-9)


def test_the_scale_of_a_ball_is_folded_before_digits_are_lost():
    """Thousands of projections drive the scale down; the weights and their average stay those of the textbook."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(4000, 3)), rng.choice(np.array([-1, 1], dtype=np.int32), 4000)
    play = Play(3, average=True, geometry="ball", radius=0.01, loss="hinge", rate="constant", eta=5.0)
    play.dense(X, y)
    w, _, history = gradient_descent(X, y, "hinge", "constant", 5.0, 0.01)
    assert play.memory[0, SCALE] >= 1e-9
    np.testing.assert_allclose(play.w[:, 0], w, rtol=1e-6, atol=1e-12)
    mean = (play.memory[0, CLOCK] * play.weights - play.lag)[:, 0] / len(X)
    np.testing.assert_allclose(mean, np.mean(history, axis=0), rtol=1e-6, atol=1e-9)


def test_the_running_length_is_summed_afresh_now_and_then():
    """A |w|^2 whose rounding has added up to a 2^-32 of it is mended by the next step, whatever the layout."""
    X, y = np.array([[1.0, 2.0], [2.0, 1.0]]), np.array([1, -1], dtype=np.int32)
    play = Play(2, loss="linear", eta=1e-9)
    play.dense(X, y)
    play.memory[0, NORM2] += 5.0
    play.memory[0, ROUNDING] = 2.0**20 * play.memory[0, NORM2]
    play.dense(X, y)
    assert play.memory[0, ROUNDING] < 3
    assert play.memory[0, NORM2] == pytest.approx(float((play.w**2).sum()), rel=1e-9)


def test_the_running_length_in_a_ball_is_summed_afresh_in_its_scale():
    """After projections the stored weights are longer than the true ones, and |w|^2 is that of the true ones."""
    X, y = np.array([[1.0, 2.0], [3.0, 1.0], [-0.1, -0.1]]), np.array([1, 1, 1], dtype=np.int32)
    play = Play(2, geometry="ball", radius=0.5, loss="linear", rate="constant", eta=0.3)
    play.dense(X[:2], y[:2])
    assert play.memory[0, SCALE] < 0.9
    play.memory[0, ROUNDING] = 2.0**21
    play.dense(X[2:], y[2:])  # a step inwards, after which nothing is projected
    assert play.memory[0, ROUNDING] == 0
    assert play.memory[0, NORM2] == pytest.approx(float((play.w**2).sum()), rel=1e-9)
    assert play.memory[0, NORM2] < 0.25


def test_what_rounding_may_have_done_is_summed_up():
    """Each step adds |w|^2 + a (2 |score| + a |x|^2) to the units of rounding, with a the length of the step."""
    X, y = np.array([[1.0, 2.0], [-2.0, 1.0], [0.5, -3.0]]), np.array([1, 1, 1], dtype=np.int32)
    play, w, units = Play(2, loss="linear", rate="constant", eta=0.5), np.zeros(2), 0.0
    for x in X:
        units += w @ w + 0.5 * (2 * abs(w @ x) + 0.5 * (x @ x))
        w = w - 0.5 * x
    play.dense(X, y)
    np.testing.assert_allclose(play.w[:, 0], w, rtol=1e-12)
    assert play.memory[0, ROUNDING] == pytest.approx(units, rel=1e-12)


@given(
    arrays(float, (40, 3), elements=st.floats(-1, 1, width=32)),
    arrays(np.int32, 40, elements=st.sampled_from([-1, 1])),
    st.sampled_from([1.0, 1e4, 1e8, 1e12]),
    st.sampled_from([0.0, 1e6]),
)
def test_the_running_length_keeps_its_digits_when_what_is_large_cancels(X, y, size, intercept):
    """With a column or a constant feature far larger than the rest, |w|^2 is right to nine digits after every round."""
    X[:, 0] = size
    play = Play(3, loss="margin", margin=0.3, intercept=intercept)
    for t in range(len(X)):
        play.dense(X[t : t + 1], y[t : t + 1])
        afresh = float((play.w**2).sum()) + play.memory[0, BIAS] ** 2
        assert play.memory[0, NORM2] == pytest.approx(afresh, rel=1e-9)


@given(
    st.sampled_from(["euclidean", "ball"]),
    arrays(float, 4, elements=st.floats(-1, 1, width=32)),
    arrays(float, 4, elements=st.floats(-1, 1, width=32)),
    arrays(float, 4, elements=reals),
    st.floats(0.001, 2),
)
def test_the_one_step_lemma(geometry, w, u, g, eta):
    """eta <g, w - u> <= D(u, w) - D(u, w1) + D(w, w2) for w, u in the ball, w2 the step and w1 its projection."""
    radius = 2.0  # both w and u lie in it
    play = Play(4, geometry=geometry, radius=radius, loss="linear", eta=eta)
    play.weights[:, 0] = w
    play.memory[0, NORM2] = w @ w
    play.dense(g[None], np.array([1], dtype=np.int32))
    after = play.w[:, 0]
    left = eta * g @ (w - u)
    right = ((u - w) @ (u - w) - (u - after) @ (u - after) + eta**2 * (g @ g)) / 2
    assert left <= right + 1e-9 * (1 + abs(left) + abs(right))


@given(st.floats(-800, 800))
def test_the_logistic_loss_is_numpys(margin):
    """Value and slope agree with numpy's logaddexp to fifteen digits, for tiny and huge margins."""
    play = Play(1, loss="logistic", eta=1.0)
    play.weights[0, 0] = margin
    play.dense(np.ones((1, 1)), np.array([1], dtype=np.int32))
    assert play.ledger().loss == pytest.approx(np.logaddexp(0, -margin), rel=2e-15, abs=1e-307)
    assert np.sqrt(play.ledger().slope2) == pytest.approx(np.exp(-np.logaddexp(0, margin)), rel=2e-13, abs=1e-150)


@given(rounds(elements=mostly_zero), compositions)
def test_scores_are_the_bits_that_learning_sees(game, rules):
    """score() of a row is what play() will multiply the label with: a mistake is counted exactly when it is one."""
    X, y = game
    play = Play(X.shape[1], **rules)
    for t in range(len(X)):
        out = np.empty((1, 1))
        assert play.player.score(*csr(X[t : t + 1]), out) == (1, None)
        before = play.ledger().mistakes
        play.dense(X[t : t + 1], y[t : t + 1])
        assert play.ledger().mistakes - before == ((1 if out[0, 0] >= 0 else -1) != y[t])


@given(rounds(elements=mostly_zero), compositions, st.integers(0, 30), st.randoms(use_true_random=False))
def test_moves_are_the_steps_of_each_round(game, rules, cut, random):
    """Replayed, `moves` give the weights; asking for them changes no bit, and other rounds are not touched."""
    X, y = game
    order = np.array(random.sample(range(len(X)), len(X)), dtype=np.int64)
    silent, loud = Play(X.shape[1], **rules), Play(X.shape[1], **rules)
    silent.sparse(X, y, order=order)
    moves = np.full((len(X), 1), np.nan)
    loud.sparse(X, y, order=order, end=cut, moves=moves)
    assert np.isfinite(moves[:cut]).all()
    assert np.isnan(moves[cut:]).all()
    loud.sparse(X, y, order=order, begin=cut, moves=moves)
    assert loud.bits() == silent.bits()
    assert np.count_nonzero(moves) <= loud.ledger().updates
    w, bias = np.zeros(X.shape[1]), 0.0
    for t, a in zip(order, moves[:, 0], strict=True):
        w, bias = w + a * X[t], bias + a * rules["intercept"]
        length = np.sqrt(w @ w + bias * bias)
        if rules["geometry"] == "ball" and length > rules["radius"]:
            w, bias = w * rules["radius"] / length, bias * rules["radius"] / length
    np.testing.assert_allclose(loud.w[:, 0], w, rtol=1e-6, atol=1e-8)


@given(rounds(elements=mostly_zero), arrays(np.int32, 30, elements=st.integers(0, 4)))
def test_moves_of_several_targets_are_those_of_each(game, classes):
    """Column c of `moves` is what the one-against-rest run of class c would have seen."""
    X, _ = game
    many, moves = Play(X.shape[1], 5), np.empty((len(X), 5))
    many.dense(X, classes, moves=moves)
    for c in range(5):
        one = np.empty((len(X), 1))
        Play(X.shape[1]).dense(X, np.where(classes == c, 1, -1).astype(np.int32), moves=one)
        np.testing.assert_array_equal(moves[:, c], one[:, 0])


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 1e200])
@pytest.mark.parametrize("layout", ["dense", "sparse"])
@pytest.mark.parametrize("targets", [1, 4])
def test_a_row_that_is_not_finite_stops_the_run_before_it_does_harm(bad, layout, targets):
    """The rounds before are played, the bad one leaves no trace, and the outcome says which it was."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20, 5))
    y = (
        np.where(rng.random(20) < 0.5, 1, -1).astype(np.int32)
        if targets == 1
        else rng.integers(0, 4, 20).astype(np.int32)
    )
    clean = Play(5, targets)
    clean.dense(X[:13], y[:13])
    X[13, 3] = bad
    play = Play(5, targets)
    assert getattr(play, layout)(X, y) == (13, "not finite")
    assert play.bits() == clean.bits()


def test_sparse_rows_that_make_no_sense_are_refused_before_they_are_read():
    """Columns that fall, repeat or do not exist, and row starts that fall or point past the end, stop the run there."""
    values, y = np.ones(4), np.array([1, -1], dtype=np.int32)

    def outcome(indices, starts, targets=1):
        labels = y if targets == 1 else np.array([0, 1], dtype=np.int32)
        play = Play(3, targets)
        return play.player.play(values, np.array(indices, dtype=np.int32), np.array(starts, dtype=np.int32), labels)

    for targets in (1, 3):
        assert outcome([0, 1, 0, 2], [0, 2, 4], targets) == (2, None)
        assert outcome([0, 1, 2, 0], [0, 2, 4], targets) == (1, "unsorted")
        assert outcome([1, 1, 0, 2], [0, 2, 4], targets) == (0, "unsorted")
        assert outcome([0, 1, 0, 3], [0, 2, 4], targets) == (1, "out of range")
        assert outcome([-1, 1, 0, 2], [0, 2, 4], targets) == (0, "out of range")
        assert outcome([0, 1, 0, 2], [0, 2, 9], targets) == (1, "broken starts")
        assert outcome([0, 1, 0, 2], [0, 2, 5], targets) == (1, "broken starts")
        assert outcome([0, 1, 0, 2], [2, 0, 4], targets) == (0, "broken starts")
        assert outcome([0, 1, 0, 2], [-2, 0, 4], targets) == (0, "broken starts")


@pytest.mark.parametrize("length", [2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 24, 31])
def test_columns_that_do_not_ascend_are_noticed_wherever_they_stand(length):
    """In a row of any length a column that is that of the entry before, or below it, stops the run before the row."""
    labels, starts = np.ones(2, np.int32), np.array([0, 1, 1 + length])
    before = _core.isa()
    try:
        for isa in _core.isas():
            _core.use_isa(isa)
            for place in range(1, length):
                for less in (1, 2):
                    indices = np.concatenate([[0], 2 * np.arange(length) + 1]).astype(np.int32)
                    indices[1 + place] = indices[place] - (less - 1)
                    play = Play(2 * length + 1)
                    assert play.player.play(np.ones(length + 1), indices, starts, labels) == (1, "unsorted")
    finally:
        _core.use_isa(before)


@pytest.mark.parametrize("order", [None, [1, 0]], ids=["in order", "shuffled"])
@pytest.mark.parametrize("far", [[1, 2**32 + 2], [1, 2**31], [2**31, 2**40], [-(2**40), 1], [-(2**33), -(2**32) + 1]])
def test_columns_beyond_32_bits_are_out_of_range_and_not_columns_of_their_low_bits(far, order):
    """Wide columns are narrowed on the way to the kernels: what does not fit is refused, alone or with others."""
    rows = np.ones(4), np.array([*far, 0, 2], dtype=np.int64), np.array([0, 2, 4], dtype=np.int64)
    y = np.array([1, -1], dtype=np.int32)
    play = Play(3)
    turns = None if order is None else np.array(order, dtype=np.int64)
    assert play.player.play(*rows, y, order=turns) == (0 if order is None else 1, "out of range")
    assert play.ledger().rounds == (0 if order is None else 1)
    assert play.player.score(*rows, np.empty((2, 1))) == (0, "out of range")


# Sparse rows are copied in pieces of 8,192 entries or 1,024 rows: these lie on the edges of both.
EDGES = {
    "many short rows": [1] * 1023 + [0, 2, 1] + [3] * 1100,
    "rows of a piece": [4096, 4096, 8192, 0, 1, 8191, 8191, 2],
    "a row longer than a piece": [5, 20_000, 5, 8193, 0, 0],
    "empty rows": [0] * 1500 + [1],
}


def edged(lengths, wide, random):
    X = np.zeros((len(lengths), max(lengths)))
    for row, length in zip(X, lengths, strict=True):
        row[random.permutation(X.shape[1])[:length]] = random.integers(1, 9, length) / 4
    return X, csr(X, wide=wide)


@pytest.mark.parametrize("targets", [1, 3])
@pytest.mark.parametrize("wide", [False, True], ids=["int32", "int64"])
@pytest.mark.parametrize("lengths", EDGES.values(), ids=EDGES)
def test_sparse_rows_in_many_pieces_are_their_dense_twins(lengths, wide, targets):
    """However rows fall into the pieces that are copied, learning, its moves and scores have the bits of dense rows."""
    random = np.random.default_rng(0)
    X, rows = edged(lengths, wide, random)
    labels = random.choice(np.array([-1, 1] if targets == 1 else [0, 1, 2], np.int32), len(X))
    weights = random.integers(1, 4, len(X)) / 2
    one, other = (Play(X.shape[1], targets, average=True) for _ in range(2))
    moves, others = np.full((2, len(X), targets), np.nan)
    begin = len(X) // 3
    assert one.dense(X, labels, sample_weight=weights, begin=begin, moves=moves) == (len(X), None)
    assert other.player.play(*rows, labels, sample_weight=weights, begin=begin, moves=others) == (len(X), None)
    assert one.bits() == other.bits()
    assert moves.tobytes() == others.tobytes()
    scores, observed = np.empty((2, len(X), targets))
    one.player.score(X, None, None, scores)
    other.player.score(*rows, observed)
    assert scores.tobytes() == observed.tobytes()


@pytest.mark.parametrize("row", [0, 1023, 1024, 2000])
@pytest.mark.parametrize(
    ("fault", "why"),
    [("unsorted", "unsorted"), ("far", "out of range"), ("start", "broken starts"), ("nan", "not finite")],
)
def test_a_bad_row_is_named_by_its_number_among_all_pieces(row, fault, why):
    """The round that stops learning, or scoring, counts from the first of all rows, not of its piece."""
    (values, indices, starts), labels = csr(np.ones((2001, 2))), np.ones(2001, np.int32)
    if fault == "unsorted":
        indices[2 * row : 2 * row + 2] = 1, 0
    elif fault == "far":
        indices[2 * row + 1] = 2
    elif fault == "start":
        starts[row + 1] = 5000
    else:
        values[2 * row] = np.nan
    game = Play(2)
    assert game.player.play(values, indices, starts, labels) == (row, why)
    assert game.ledger().rounds == row
    assert game.player.score(values, indices, starts, np.empty((2001, 1))) == (row, why)


def test_arguments_that_do_not_fit_are_refused():
    """Labels, orders, weights and shapes that do not fit raise instead of being read."""
    X, y = np.eye(3), np.array([1, -1, 1], dtype=np.int32)
    play = Play(3)
    for call in (
        lambda: play.dense(X, y[:2]),
        lambda: play.dense(X, np.array([1, 0, 1], dtype=np.int32)),
        lambda: play.dense(X, y, order=np.array([0, 3], dtype=np.int64)),
        lambda: play.dense(X, y, begin=2, end=1),
        lambda: play.dense(X, y, end=4),
        lambda: play.dense(X, y, sample_weight=np.ones(2)),
        lambda: play.dense(X, y, moves=np.empty((2, 1))),
        lambda: play.dense(X, y, order=np.array([0, 1], dtype=np.int64), moves=np.empty((3, 1))),
        lambda: play.player.score(X, None, None, np.empty((2, 1))),
        lambda: Play(3, 4).dense(X, np.array([0, 4, 1], dtype=np.int32)),
        lambda: Play(3, loss="huber"),
        lambda: Play(3, loss="logistic", rate="pa"),
        lambda: Play(3, loss="direct"),
        lambda: Play(3, 3, loss="direct", geometry="ball", radius=1.0),
        lambda: _core.use_isa("v9"),
    ):
        with pytest.raises(ValueError):  # noqa: PT011  each says something else
            call()
    with pytest.raises(TypeError):
        play.dense(X.astype(np.int64).astype(object), y)
    assert Play(2).dense(X, y) == (0, "out of range")
    assert play.ledger().rounds == 0


@settings(max_examples=200)
@given(
    arrays(np.float64, 6, elements=st.floats(-4, 4)),
    arrays(np.int32, 6, elements=st.integers(-2, 5)),
    arrays(np.int32, 4, elements=st.integers(-3, 9)),
    st.sampled_from([1, 9]),
)
def test_no_sparse_rubbish_is_ever_read_out_of_bounds(values, indices, starts, targets):
    """Whatever stands in the three arrays, the run ends with an outcome (under the sanitizers: without a bad read)."""
    labels = np.array([1, -1, 1], dtype=np.int32) if targets == 1 else np.array([0, 3, 8], dtype=np.int32)
    play = Play(4, targets)
    played, why = play.player.play(values, indices, starts, labels)
    assert (played == 3) == (why is None)
    out = np.empty((3, targets))
    play.player.score(values, indices, starts, out)


def test_weights_of_the_rounds_scale_what_they_charge():
    """A round of weight c is charged c times its loss and moves the weights by c times its gradient."""
    X, y = np.array([[1.0, 2.0]]), np.array([1], dtype=np.int32)
    play = Play(2, loss="hinge", eta=0.5)
    play.dense(X, y, sample_weight=np.array([3.0]))
    np.testing.assert_array_equal(play.weights[:, 0], [1.5, 3.0])
    assert (play.ledger().loss, play.ledger().slope2, play.ledger().weighted) == (3.0, 45.0, 1.0)


def test_the_ledger_has_the_kernels_fields():
    """The dataclass and the kernel name the same numbers in the same order."""
    assert list(FIELDS) == _core.ledger_fields()


def test_squares_are_summed_in_one_order_wherever_zeros_are():
    """A long row has the same squared length and the same products, to the bit, with zeros in it and without."""
    draw, vectors = np.random.default_rng(4), 12
    weights, none, whose = draw.normal(size=(700, vectors)), np.zeros(vectors), np.ones(vectors, np.int32)
    for _ in range(24):  # so that the second stretch begins in each lane
        row = draw.normal(size=700) * (draw.random(700) < 0.9)
        columns = np.flatnonzero(row).astype(np.int32)
        names = set()
        for table in ((row[None], None, None), (row[columns], columns, np.array([0, len(columns)]))):
            sums, counts = np.zeros((3, vectors)), np.zeros(3)
            ends = np.stack([np.full(vectors, np.inf), none])
            assert _core.charge(
                *table, whose[:1], 0.0, "nothing", weights, none, whose, none + 1, sums, ends, counts
            ) == (1, None)
            names.add((sums.tobytes(), ends.tobytes(), counts.tobytes()))
        assert len(names) == 1
