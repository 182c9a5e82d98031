"""The aggregated learner: its twins, its bits, its members, and what it does at the ends of floats."""

from __future__ import annotations

import ast
import copy
import pickle
from math import exp, log1p
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.utils.estimator_checks import parametrize_with_checks

import regretless
from regretless import _core
from regretless.data.batch import Batch
from regretless.errors import ParameterError, RegretlessError
from regretless.linear import AggregatedClassifier, aggregated
from regretless.linear.aggregated.state import CELL, COIN, COIN_SQUARE, COIN_SUM, GAIN, MOST, STACK, STACK_PRIOR, SUMS
from regretless.rows.mixture_state import FULL, LANES
from regretless.textbook import aggregated as book
from regretless.theory.aggregated import COUNTED, REACHES, curvature
from regretless.theory.facts import UNIT_WEIGHTS

reals = st.floats(-8, 8, width=32)
mostly_zero = st.one_of(st.just(0.0), reals)
eighths = st.integers(-64, 64).map(lambda k: k / 8)
signs = st.sampled_from([-1, 1])
SETTINGS = [
    {},
    {"share": False},
    {"stacked": False},
    {"coins": False, "rates": (0.5,)},
    {"rates": (), "full": 0},
    {"rates": (), "coins": False},
    {"full": 0, "intercept": 0.0},
    {"intercept": 3.0, "share": False},
]


def game(rows=30, columns=5, elements=mostly_zero):
    """Rows and signs."""
    return st.tuples(arrays(float, (rows, columns), elements=elements), arrays(np.int32, rows, elements=signs))


def drawn(seed, rows=200, columns=6, classes=(-1, 1)):
    """A noisy problem whose features are of different sizes and go together, some of them zero."""
    random = np.random.default_rng(seed)
    X = (
        random.normal(size=(rows, columns))
        @ random.normal(size=(columns, columns))
        * np.exp(random.normal(size=columns))
    )
    X[random.random(X.shape) < 0.2] = 0
    scores = X @ random.normal(size=(columns, len(classes)))
    scores += 0.3 * scores.std() * random.normal(size=scores.shape)
    return X, np.array(classes)[scores.argmax(axis=1)]


def played(X, y, sample_weight=None, classes=(-1, 1), **settings):
    """A learner that knows its classes."""
    return AggregatedClassifier(**settings).partial_fit(X, y, classes=list(classes), sample_weight=sample_weight)


def longer(X, intercept):
    """The rows with their constant feature first."""
    return np.column_stack([np.full(len(X), intercept), X])


def dense(X):
    """The same rows in one block of doubles."""
    return np.asarray(X.toarray() if sp.issparse(X) else X, dtype=float)


def batch_of(X, y):
    """Dense rows as learners read them."""
    X = np.ascontiguousarray(X, dtype=float)
    return Batch(X, np.asarray(y, dtype=float), X.shape[1])


def scored(learner, X):
    """What the members would say of some rows now, shape (rows, targets, 8)."""
    batch, state = batch_of(X, np.zeros(len(X))), learner.state_
    scores, members = np.empty((len(X), state.targets)), np.zeros((len(X), state.targets * LANES))
    _, why = state.player(learner.played_rules()).score(batch.values, batch.indices, batch.starts, scores, members)
    assert why is None
    return members.reshape(len(X), state.targets, LANES)


def row_by_row(X, y, sample_weight=None, **settings):
    """A learner that learned row by row, and what it and its members said of each row before."""
    learner, own, members = AggregatedClassifier(**settings), [], []
    weights = np.ones(X.shape[0]) if sample_weight is None else sample_weight
    for t in range(X.shape[0]):
        if t:
            own.append(learner.decision_function(X[t : t + 1])[0])
            members.append(scored(learner, dense(X[t : t + 1]))[0, 0])
        learner.partial_fit(X[t : t + 1], y[t : t + 1], classes=[-1, 1], sample_weight=weights[t : t + 1])
    return learner, np.array([0.0, *own]), np.array([np.zeros(8), *members])


def bits(learner):
    """All that is kept of it."""
    return b"".join(np.ascontiguousarray(one).tobytes() for one in learner.state_.tensors().values())


# ---- the twins


@pytest.mark.kernel
@given(game(elements=eighths), st.sampled_from(SETTINGS), st.sampled_from([np.asarray, sp.csr_array, np.float32]))
@settings(max_examples=25)
def test_members_and_mixture_are_the_textbooks(rounds, options, kind):
    """Scores of every member, their books, the posterior and the loss are those of the algorithms as books print
    them; the rates' metric is in single precision."""
    X, y = rounds
    learner, own, scores = row_by_row(kind(X), y, **options)
    rules, state = learner.played_rules(), learner.state_
    whole, present = longer(X, rules.intercept), state.present
    cells = state.cells_of(0)
    for place, eta in enumerate(rules.rates):
        predictions, G, a, Q = book.dual_averaging(whole, y, eta)
        np.testing.assert_allclose(scores[:, place], predictions, rtol=1e-5, atol=1e-5)
        np.testing.assert_allclose(cells[:, SUMS][:, place], G, rtol=1e-5, atol=1e-5)
        np.testing.assert_allclose(state.metric_of(cells)[:, place], a, rtol=1e-5, atol=1e-5)
        assert state.part("energy")[0, place] == pytest.approx(Q, rel=1e-5)
    if rules.coins:
        predictions, G = book.coin_betting(whole, y)
        np.testing.assert_allclose(scores[:, COIN], predictions, rtol=1e-7, atol=1e-8)
        np.testing.assert_allclose(cells[:, COIN_SUM], G, rtol=1e-7, atol=1e-8)
    for place in range(FULL, STACK):
        if present[place]:
            predictions, M, B = book.full(whole, y, rules.curvatures[place - FULL], rules.full_prior)
            np.testing.assert_allclose(scores[:, place], predictions, rtol=1e-5, atol=1e-6)
            np.testing.assert_array_equal(cells[:, MOST], M)
            assert state.part("energy")[0, place] == pytest.approx(B, rel=1e-5, abs=1e-6)
    if present[STACK]:
        constant = float(rules.intercept > 0)
        predictions, B = book.stacked(scores[:, :STACK], y, rules.stack_curvature, STACK_PRIOR, constant)
        np.testing.assert_allclose(scores[:, STACK], predictions, rtol=1e-6, atol=1e-7)
        assert state.part("energy")[0, STACK] == pytest.approx(B, rel=1e-6, abs=1e-7)
    p, posterior, loss = book.mixture(scores[:, present], y, rules.share)
    np.testing.assert_allclose(1 / (1 + np.exp(-own)), p, rtol=1e-11)
    np.testing.assert_allclose(learner.posterior_[0], posterior, rtol=1e-9, atol=1e-15)
    assert learner.ledger_.loss == pytest.approx(loss, rel=1e-10)


@pytest.mark.kernel
@pytest.mark.parametrize("options", SETTINGS)
def test_books_are_sums_over_what_the_members_said(options):
    """With weights of rounds, also 0: each member's loss is sum c ln(1 + exp(-y s)), its linear part sum g s, the
    ledger's loss that of the mixture, its mistakes those of the sign, and a weight of 0 moves no book."""
    X, y = drawn(3, rows=80)
    c = np.random.default_rng(0).choice([0.0, 1e-3, 0.5, 1.0], size=len(X))
    learner, own, scores = row_by_row(X, y, c, **options)
    state, present = learner.state_, learner.state_.present
    losses = c[:, None] * np.logaddexp(0, -y[:, None] * scores)
    np.testing.assert_allclose(state.part("loss")[0, present], losses.sum(axis=0)[present], rtol=1e-10)
    slopes = -c[:, None] * y[:, None] * np.exp(-np.logaddexp(0, y[:, None] * scores))
    np.testing.assert_allclose(state.part("linear")[0, present], (slopes * scores).sum(axis=0)[present], rtol=1e-9)
    assert learner.ledger_.loss == pytest.approx(c @ np.logaddexp(0, -y * own), rel=1e-10)
    assert learner.ledger_.mistakes == ((own >= 0) != (y > 0)).sum()
    before = [state.part(name)[0].copy() for name in ("loss", "linear", "energy")]
    learner.partial_fit(X[:1], y[:1], sample_weight=[0.0])
    for name, old in zip(("loss", "linear", "energy"), before, strict=True):
        np.testing.assert_array_equal(learner.state_.part(name)[0], old)


def test_a_full_member_is_the_minimiser_of_its_sum():
    """Its weights solve A w = b for the matrix that is summed afresh, when features grow by a factor of 10^12 at once
    and by 10^30 in all."""
    random = np.random.default_rng(172)
    sizes = 10.0 ** np.array([-15, -14, -14, -13, -1, -1, 11, 12, 15])
    X = random.normal(size=(len(sizes), 2)) * sizes[:, None]
    y = np.where(random.random(len(sizes)) < 0.5, 1, -1)
    learner, _, scores = row_by_row(X, y)
    state = learner.state_
    for lane, reach in enumerate(REACHES):
        kappa, H, b, M = curvature(reach), np.zeros((3, 3)), np.zeros(3), np.zeros(3)
        for x, label, s in zip(longer(X, 1.0), y, scores[:, FULL + lane], strict=True):
            g = book.slope(s, label)
            c = kappa * abs(g) * (1 - abs(g))
            H, b, M = H + c * np.outer(x, x), b + (c * s - g) * x, np.maximum(M, abs(x))
        A = H + 0.02 * np.diag(M * M)
        expected = np.linalg.solve(A / np.outer(M, M), b / M) / M
        np.testing.assert_allclose(state.weights[0].reshape(2, -1)[lane] * M, expected * M, rtol=1e-6, atol=1e-9)
    assert all(one.holds is not False for one in learner.certify(X, y))


# ---- bits


def layouts(X):
    """The same rows in every layout that is read."""
    yield X
    for index in (np.int32, np.int64):
        for keep in (X != 0, np.ones_like(X, dtype=bool)):
            starts = np.concatenate([[0], np.cumsum(keep.sum(1))]).astype(index)
            yield sp.csr_array((X[keep], np.nonzero(keep)[1].astype(index), starts), shape=X.shape)
    yield X.astype(np.float32)


@pytest.mark.kernel
@settings(max_examples=15)
@given(game(columns=19), st.sampled_from(SETTINGS), st.sampled_from([2, 3, 9]))
def test_all_instruction_sets_and_layouts_give_the_same_bits(rounds, options, classes):
    """Dense rows, sparse rows, stored zeros, 32 and 64 bit indices, float32: one state, on every instruction set."""
    X, y = rounds
    labels = y if classes == 2 else np.abs(X[:, 0] * 8).astype(int) % classes
    known = [-1, 1] if classes == 2 else range(classes)
    states, before = set(), _core.isa()
    try:
        for isa in _core.isas():
            _core.use_isa(isa)
            for rows in layouts(X):
                learner = played(rows, labels, classes=known, **options)
                states.add(bits(learner) + learner.decision_function(rows).tobytes())
    finally:
        _core.use_isa(before)
    assert len(states) == 1


@pytest.mark.kernel
@given(st.integers(0, 10**6))
def test_squared_lengths_are_the_same_bits_with_and_without_zeros(seed):
    """Rows of many entries whose squares are rounded have one squared length in the books, zeros stored or not."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(6, 30)) * (random.random((6, 30)) < 0.6)
    y = random.choice([-1, 1], size=6)
    books = {played(rows, y).ledger_.total_norm2 for rows in (X, sp.csr_array(X))}
    assert books.pop() == pytest.approx((X * X).sum() + 6, rel=1e-12)
    assert not books


@pytest.mark.kernel
@given(st.integers(0, 10**6), st.sampled_from(SETTINGS), st.sampled_from([0.0, 0.3]))
@settings(max_examples=25)
def test_a_score_is_what_play_sees(seed, options, growth):
    """`decision_function` gives the bits that the next round is predicted by, also for rows that make features grow,
    and leaves no trace of it."""
    X, y = drawn(seed, rows=40)
    X = X * np.exp(growth * np.arange(len(X)))[:, None]
    learner = played(X[:20], y[:20], **options)
    for t in range(20, len(X)):
        before = bits(learner)
        score = learner.decision_function(X[t : t + 1])[0]
        assert bits(learner) == before
        sums = np.zeros((1, 1))
        player = learner.state_.player(learner.played_rules())
        player.watch(sums)
        player.play(X[t : t + 1], None, None, y[t : t + 1].astype(np.int32))
        player.watch(None)
        assert sums[0, 0] == score


@pytest.mark.kernel
@pytest.mark.parametrize("classes", [3, 5])
@pytest.mark.parametrize("full", [0, "auto"])
def test_one_against_rest_is_a_row_of_binary_learners(classes, full):
    """Each class has the bits of a binary learner of that class against all others, and the loss of the whole is
    that of odds divided by their sum."""
    X, y = drawn(3, columns=9, classes=tuple(range(classes)))
    learner = played(X, y, classes=range(classes), full=full)
    scores = learner.decision_function(X)
    for place in range(classes):
        one = played(X, np.where(y == place, 1, -1), full=full)
        np.testing.assert_array_equal(scores[:, place], one.decision_function(X))
        np.testing.assert_array_equal(learner.posterior_[place], one.posterior_[0])
        assert learner.state_.ledgers()[place] == one.ledger_
    single = AggregatedClassifier(full=full).partial_fit(X[:1], y[:1], classes=list(range(classes)))
    loss = single.ledger_.loss
    assert loss == pytest.approx(np.log(classes))
    for t in range(1, len(X)):
        loss -= single.predict_log_proba(X[t : t + 1])[0, y[t]]
        single.update_one(X[t], y[t])
    assert learner.ledger_.loss == pytest.approx(loss, rel=1e-9)


# ---- streams


@pytest.mark.kernel
@pytest.mark.parametrize("full", [0, 25, 256])
def test_columns_may_come_late(full):
    """Rows that are narrow at first give the bits of rows that were wide from the start, as long as no member has to
    retire; where full ones have to, the diagonal ones have these bits all the same."""
    X, y = drawn(4, rows=400, columns=40)
    X[:150, 12:] = 0
    X[:300, 25:] = 0
    wide, narrow = played(X, y, full=full), AggregatedClassifier(full=full)
    for begin, end, columns in ((0, 150, 12), (150, 300, 25), (300, 400, 40)):
        rows = sp.csr_array(X[begin:end, :columns])
        narrow.observe(Batch(rows.data, y[begin:end].astype(float), columns, rows.indices, rows.indptr))
    assert set(narrow.state_.tensors()) == set(wide.state_.tensors())
    np.testing.assert_array_equal(narrow.state_.tensors()["cells"], wide.state_.tensors()["cells"])
    if full != 25:
        assert bits(narrow) == bits(wide)


def test_members_that_retire_leave_their_weight_to_the_others():
    """Past the limit the full members go, the posterior of the others grows in proportion, and they still count
    among the K of the theorem: with fewer it would be false."""
    random = np.random.default_rng(0)
    X, y = random.normal(size=(400, 1)), random.choice([-1, 1], size=400)  # where the slowest is the best
    learner = played(X[:200], y[:200], share=False, full=1, rates=(1e-3,), coins=False, stacked=False)
    posterior = learner.posterior_[0]
    whole = np.column_stack([X, np.arange(400) >= 200])
    rows = sp.csr_array(whole[200:])
    learner.observe(Batch(rows.data, y[200:].astype(float), 2, rows.indices, rows.indptr))
    assert learner.members_ == ["rate 0.001"]
    assert not learner.state_.full
    assert posterior[0] < 1
    own, member = learner.ledger_.loss, learner.losses_[0, 0]
    assert own > member  # ln 1 + its loss is less than what the mixture lost
    facts = learner.target_facts()[0]
    assert facts.members == 3
    assert own <= member + np.log(facts.members)


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 0, 1), (1, 2, 0)])
def test_classes_may_come_in_any_order(order):
    """A third class that comes late finds of the first two what one-against-rest learners would have learned, and no
    theorem is violated."""
    X, y = drawn(5, classes=(0, 1, 2))
    first = np.concatenate([np.flatnonzero(y == order[0])[:20], np.flatnonzero(y == order[1])[:20]])
    rest = np.setdiff1d(np.arange(len(X)), first)
    X, y = X[np.r_[first, rest]], y[np.r_[first, rest]]
    late = AggregatedClassifier()
    for t in range(0, len(X), 10):
        late.partial_fit(X[t : t + 10], y[t : t + 10])
    early = played(X, y, classes=(0, 1, 2))
    for place in order[:2]:
        np.testing.assert_allclose(late.posterior_[place], early.posterior_[place], rtol=1e-9)
        np.testing.assert_allclose(late.losses_[place], early.losses_[place], rtol=1e-9)
    assert late.classes_.tolist() == [0, 1, 2]
    assert all(one.holds is not False for one in late.certify(X, y))
    np.testing.assert_allclose(late.predict_proba(X).sum(axis=1), 1, rtol=1e-12)


@pytest.mark.parametrize("full", [0, 4, "auto"])
@pytest.mark.parametrize("classes", [(-1, 1), (0, 1, 2)])
def test_a_run_may_stop_anywhere(tmp_path, full, classes):
    """Saved, pickled and copied in the middle of a run, a learner ends with the bytes of one that was not."""
    X, y = drawn(6, classes=classes)
    whole = AggregatedClassifier(full=full).partial_fit(X, y, classes=list(classes))

    def through_file(learner):
        learner.save(tmp_path / "m.rgl")
        return regretless.load(tmp_path / "m.rgl")

    for way in (through_file, lambda one: pickle.loads(pickle.dumps(one)), copy.deepcopy):
        half = way(AggregatedClassifier(full=full).partial_fit(X[:90], y[:90], classes=list(classes)))
        half.partial_fit(X[90:], y[90:])
        assert bits(half) == bits(whole)
        assert half.members_ == whole.members_


# ---- probabilities


@pytest.mark.parametrize("classes", [(-1, 1), (0, 1, 2, 3)])
def test_probabilities_sum_to_one_and_say_what_scores_say(classes):
    """Rows of `predict_proba` sum to 1, their largest is what `predict` says, and logarithms agree."""
    X, y = drawn(8, classes=classes)
    learner = played(X, y, classes=classes)
    p = learner.predict_proba(X)
    np.testing.assert_allclose(p.sum(axis=1), 1, rtol=1e-12)
    np.testing.assert_array_equal(learner.classes_[p.argmax(axis=1)], learner.predict(X))
    np.testing.assert_allclose(np.exp(learner.predict_log_proba(X)), p, rtol=1e-12)
    if len(classes) == 2:
        np.testing.assert_allclose(p[:, 1], 1 / (1 + np.exp(-learner.decision_function(X))), rtol=1e-12)


@pytest.mark.kernel
@pytest.mark.parametrize("rates", [(100.0, 300.0), (1e4, 2e4, 3e4, 1e5)])
def test_scores_far_out_have_finite_logarithms(rates):
    """Where members say scores of 10^4 and more, log odds and log probabilities are finite, and those of the mixture
    are the ones that logarithms of sums give."""
    X, y = drawn(9, columns=2)
    learner = played(X[:3], y[:3], full=0, coins=False, stacked=False, rates=rates)
    weights, scores = learner.posterior_[0], scored(learner, X)[:, 0, learner.state_.present]
    assert np.abs(scores).max() > rates[-1] / 10
    each = [np.logaddexp.reduce(np.log(weights) - np.logaddexp(0, sign * scores), axis=1) for sign in (1, -1)]
    np.testing.assert_allclose(learner.decision_function(X), each[1] - each[0], rtol=1e-9, atol=1e-9)
    assert np.isfinite(learner.predict_log_proba(X)).all()


# ---- what is refused


@pytest.mark.kernel
@pytest.mark.parametrize("value", [np.nan, np.inf, 1e300, 1e-300, 1e76, 1e-76])
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_refused_rows_change_nothing(value, kind):
    """A number that is no number, or whose fourth power is none, is an error; what was learned stays as it was."""
    X, y = drawn(10)
    learner = played(X, y)
    before, wrong = bits(learner), X[:1].copy()
    wrong[0, 2] = value
    with pytest.raises(RegretlessError):
        learner.partial_fit(kind(wrong), y[:1])
    assert bits(learner) == before
    with pytest.raises(RegretlessError):
        learner.decision_function(kind(wrong))
    assert bits(learner) == before


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("rates", (0.0,)),
        ("rates", (1, 2, 3, 4, 5)),
        ("rates", "fast"),
        ("rates", None),
        ("rates", (np.inf,)),
        ("full", -1),
        ("full", True),
        ("full", "all"),
        ("intercept", -1.0),
        ("intercept", 1e-200),
        ("intercept", 1e200),
    ],
)
def test_parameters_without_a_meaning_are_refused_by_name(name, value):
    """The message names the parameter."""
    with pytest.raises(ParameterError, match=name):
        AggregatedClassifier(**{name: value}).fit(np.eye(2), [0, 1])
    with pytest.raises(ParameterError, match="rates"):
        AggregatedClassifier(rates=(), coins=False, full=0).fit(np.eye(2), [0, 1])


# ---- its kernel's functions


def lone(size, y):
    """The loss that the kernel gives a lone member at about such a score, and that score."""
    learner = AggregatedClassifier(rates=(1.0,), coins=False, full=0, share=False, stacked=False, intercept=0.0)
    learner.partial_fit([[1.0]], [1], classes=[-1, 1])
    state, x = learner.state_, np.array([[1.0]])
    state.cells[0, 0] = size
    state.part("loss")[:] = 0.0
    score = scored(learner, x)[0, 0, 0]
    learner.partial_fit(x, [y])
    return state.part("loss")[0, 0], score


@pytest.mark.kernel
@given(st.floats(-40, 700), signs)
def test_exp_and_log_of_the_kernel_are_within_two_units(size, y):
    """The loss of a lone member is ln(1 + exp(-y s)) to two units in the last place of its parts."""
    loss, s = lone(size, y)
    expected = log1p(exp(-abs(s))) + max(0.0, -y * s)
    assert abs(loss - expected) <= 2 * np.spacing(expected)


@pytest.mark.kernel
@given(st.floats(-700, 700), signs)
def test_the_log_odds_of_a_lone_member_are_its_score(size, y):
    """The logarithm of p / (1 - p), p from the exponential of a score, is that score to two units in its last place and
    what two in that of p make."""
    learner = AggregatedClassifier(rates=(1.0,), coins=False, full=0, share=False, stacked=False, intercept=0.0)
    learner.partial_fit([[1.0]], [y], classes=[-1, 1])
    learner.state_.cells[0, 0] = size
    s = scored(learner, np.array([[1.0]]))[0, 0, 0]
    assert abs(learner.decision_function([[1.0]])[0] - s) <= 2 * np.spacing(abs(s)) + 4 * np.spacing(1.0)


@pytest.mark.kernel
@given(st.floats(-70, 70), st.floats(1, 1e4), st.floats(-0.9, 0.9))
def test_the_inverse_root_of_the_bettor_is_off_by_less_than_a_part_in_ten_billion(exponent, square, share):
    """A bet is share * wealth / (2 q) with share = G / q and q = sqrt(S + M^2), where 1 / q, which enters twice, has a
    relative error below 4e-11, for features of any size."""
    x = 10.0**exponent
    learner = AggregatedClassifier(rates=(), full=0, share=False, stacked=False, intercept=0.0)
    learner.partial_fit([[x]], [1], classes=[-1, 1])
    cell = learner.state_.cells[0]
    cell[COIN_SQUARE] = square * x * x
    q = np.sqrt(cell[COIN_SQUARE] + x * x)
    cell[COIN_SUM] = share * q
    expected = share * (1 + cell[GAIN]) / (2 * q) * x
    assert abs(scored(learner, np.array([[x]]))[0, 0, COIN] - expected) <= 8.1e-11 * abs(expected)


# ---- scikit-learn

WEIGHTS = "a round that weighs 2 is one round and not two"
every_check = parametrize_with_checks(
    [AggregatedClassifier(full=8)],
    expected_failed_checks=lambda _: {
        f"check_sample_weight_equivalence_on_{kind}_data": WEIGHTS for kind in ("dense", "sparse")
    },
)


@every_check
@pytest.mark.filterwarnings("ignore")
def test_scikit_learn_finds_no_fault(estimator, check):
    """Each of scikit-learn's estimator checks passes, but for what is declared above with its reason."""
    check(estimator)


def test_other_rows_are_refused_where_weights_were_passed() -> None:
    """Rows that were not played give no bound: they are reported with their number and length."""
    random = np.random.default_rng(0)
    X = random.normal(size=(60, 4))
    y = np.where(X @ random.normal(size=4) + random.normal(size=60) > 0, 1, -1)
    learner = AggregatedClassifier().fit(X, y, sample_weight=random.random(60))
    easy = np.argsort(-np.abs(X).sum(axis=1))
    assert not any(one.applies for one in learner.certify(X[easy[:10]], y[easy[:10]]))
    assert not any(one.applies for one in learner.certify(2 * X, y))


@pytest.mark.parametrize("by_class", [False, True])
def test_other_labels_give_no_bound_where_weights_were_passed(by_class) -> None:
    """Labels that were not learned, of the rows that were, lead to no false bound: no line reads labels then, those
    that were learned no more than others, and the mixture is set beside its members alone."""
    random = np.random.default_rng(0)
    X, y = random.normal(size=(300, 4)), random.choice([-1, 1], 300)
    if by_class:
        learner = AggregatedClassifier(class_weight={-1: 0.9, 1: 0.9}).fit(X, y)
    else:
        learner = AggregatedClassifier().fit(X, y, sample_weight=np.full(300, 0.9))
    for labels in (y, np.where(X[:, 0] > 0, 1, -1)):
        lines = learner.certify(X, labels)
        assert [one.theorem.name for one in lines if one.applies] == ["mixture"]
        assert lines[0].holds
        assert {one.why for one in lines[1:]} == {COUNTED[0], UNIT_WEIGHTS[0]}


def test_bounds_of_classes_drawn_at_random_are_called_vacuous() -> None:
    """Ten classes that no feature tells apart cost more than a uniform guess, and their bounds say nothing."""
    random = np.random.default_rng(1)
    X, y = random.normal(size=(60, 4)), random.integers(0, 10, 60)
    for one in AggregatedClassifier().fit(X, y).certify(X, y):
        assert one.applies
        assert one.vacuous
        assert one.most.value == pytest.approx(60 if one.theorem.whole else 60 * np.log(10))


BLAS = {f"np.{name}" for name in ("dot", "vdot", "inner", "matmul", "tensordot")}


def test_no_certificate_depends_on_a_blas() -> None:
    """No product in the modules of the mixture goes through a BLAS, whose last digits are those of the machine."""
    modules = list(Path(aggregated.__path__[0]).glob("*.py"))
    assert modules
    for path in modules:
        for one in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            by_name = isinstance(one, ast.Attribute) and f"{ast.unparse(one.value)}.{one.attr}" in BLAS
            by_sign = isinstance(one, ast.BinOp | ast.AugAssign) and isinstance(one.op, ast.MatMult)
            through_blas = by_name or by_sign
            assert not through_blas, f"{path.name}:{getattr(one, 'lineno', '')}"


@pytest.mark.parametrize("classes", [2, 3])
def test_the_certificate_by_sums_is_the_one_that_reads_the_rounds(classes):
    """The mixture beside its members is certified by its sums as by the rounds, of several classes too."""
    random = np.random.default_rng(classes)
    X = random.normal(size=(60, 3))
    y = random.integers(0, classes, size=60)
    learner = AggregatedClassifier().fit(X, y)
    (by_sums,) = learner.by_sums()
    by_rounds = next(one for one in learner.certify(X, y) if one.theorem is by_sums.theorem)
    assert by_sums.applies
    assert str(by_sums) == str(by_rounds)


@pytest.mark.parametrize("full", [0, "auto"])
def test_no_prediction_knows_its_label_by_its_weight(full: int | str) -> None:
    """A round counts as a mistake where `predict` would have been wrong just before, though its class weighs more."""
    rng = np.random.default_rng(7)
    X = rng.normal(size=(80, 3)) * np.exp(2 * rng.normal(size=(80, 3)))
    y = (rng.random(80) < 0.4).astype(int)
    learner = AggregatedClassifier(full=full, class_weight={0: 1.0, 1: 3.0}).partial_fit(X[:1], y[:1], classes=[0, 1])
    for x, label in zip(X[1:], y[1:], strict=True):
        wrong, before = learner.predict(x[None])[0] != label, learner.ledger_.mistakes
        learner.partial_fit(x[None], [label])
        assert learner.ledger_.mistakes - before == wrong


def test_certificates_make_the_metric_of_two_classes_once(monkeypatch):
    """Theorems about two classes read one metric, and none asks for the length of the learner's weights."""
    X, y = drawn(3)
    learner = AggregatedClassifier(full=0).fit(X, y)
    made, metric = [], type(learner.state_).metric_of
    monkeypatch.setattr(
        type(learner.state_), "metric_of", lambda state, cells: made.append(len(cells)) or metric(state, cells)
    )
    monkeypatch.setattr(type(learner.state_), "norms", lambda state: pytest.fail("a length was asked for"))
    assert any(line.bound is not None and line.holds for line in learner.certify(X, y))
    assert made == [1 + X.shape[1]]


@pytest.mark.parametrize("targets", [1, 3])
def test_cells_are_turned_over_as_numpy_turns_them(targets):
    """What `slopes_of` gives by the core are the numbers and the metric that numpy makes of the cells, bit for bit, at
    sizes in single precision and beyond it."""
    random = np.random.default_rng(0)
    state = AggregatedClassifier().new_state(37, targets).without_matrices(37)
    state.cells[:] = np.abs(random.normal(size=state.cells.shape)) * 10.0 ** random.integers(-20, 20, state.cells.shape)
    state.cells[::4, MOST::CELL] = 0  # a feature that was never met
    for target in range(targets):
        cells, metric = state.slopes_of(target)
        whole = state.cells_of(target)
        np.testing.assert_array_equal(cells, whole[:, : COIN_SUM + 1])
        np.testing.assert_array_equal(metric, state.metric_of(whole))
