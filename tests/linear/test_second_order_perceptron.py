"""The second-order perceptron and AROW: their twins, their bits, their matrices and their theorems."""

from __future__ import annotations

import warnings
from dataclasses import replace
from math import log, sqrt

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.utils.estimator_checks import parametrize_with_checks

import regretless
from regretless import _core
from regretless.comparator import Comparator
from regretless.data.batch import Batch
from regretless.errors import ModelError, RegretlessError
from regretless.linear import AROW, SecondOrderPerceptron, second_order_learner
from regretless.linear.second_order_state import PRIOR, SecondOrderState
from regretless.persist.format import read_model, write_model
from regretless.rows.factor import upper_of
from regretless.textbook.linear import arow, arow_in_sizes, second_order_perceptron
from regretless.theory.second_order_perceptron import (
    AROW as AROW_THEOREMS,
)
from regretless.theory.second_order_perceptron import (
    SECOND_ORDER,
    SecondOrderFacts,
    arow_mistakes,
    arow_posterior,
    second_order_data,
    second_order_posterior,
)

from ..examples import first_of
from .slow import comparator as slow

MATRICES = pytest.mark.parametrize("matrix", ["full", "diagonal"])
LEARNERS = pytest.mark.parametrize("learner", [SecondOrderPerceptron, AROW])
reals = st.floats(-8, 8, width=32)
mostly_zero = st.one_of(st.just(0.0), reals)
signs = st.sampled_from([-1, 1])
priors = st.sampled_from([1.0, 0.1, 30.0])


def rounds(rows=30, columns=5, elements=reals):
    """Rows and signs."""
    return st.tuples(arrays(float, (rows, columns), elements=elements), arrays(np.int32, rows, elements=signs))


def drawn(seed, rows=400, columns=6, noise=0.3, classes=(-1, 1)):
    """A noisy problem whose features are of different sizes and go together, some of them zero."""
    random = np.random.default_rng(seed)
    mixed = random.normal(size=(rows, columns)) @ random.normal(size=(columns, columns))
    X = mixed * np.exp(random.normal(size=columns))
    X[random.random(X.shape) < 0.2] = 0
    scores = X @ random.normal(size=(columns, len(classes)))
    scores += noise * scores.std() * random.normal(size=scores.shape)
    return X, np.array(classes)[scores.argmax(axis=1)]


def played(learner, X, y, **rest):
    """A learner that knows both classes."""
    return learner.partial_fit(X, y, classes=[-1, 1], **rest)


def comparator(X, y, v, A) -> Comparator:
    """A comparator computed the slow way, as long as a matrix says."""
    return slow(X, y, v, own=float(np.sqrt(max(v @ A @ v, 0))))


def matrix_of(X, moved, a, matrix):
    """a I + sum of x x' over the rounds that moved the learner, or its diagonal."""
    rows = X[moved]
    whole = a * np.eye(X.shape[1]) + rows.T @ rows
    return whole if matrix == "full" else np.diag(np.diag(whole))


def moved_by(learner, X, y):
    """Which rounds move a learner, played one by one."""
    moved = []
    for t in range(len(X)):
        before = 0 if t == 0 else learner.ledger_.updates
        played(learner, X[t : t + 1], y[t : t + 1])
        moved.append(learner.ledger_.updates > before)
    return np.array(moved)


# ---- the twins


@pytest.mark.kernel
@MATRICES
@given(rounds(elements=mostly_zero), priors, st.sampled_from([0, 1, -1]))
def test_the_second_order_perceptron_is_the_textbooks(matrix, game, a, ties):
    """Sums, weights, updates and mistakes are those of ten lines of numpy, dense and sparse."""
    X, y = game
    u, A, _, updates, mistakes = second_order_perceptron(X, y, a, matrix == "diagonal", ties)
    for rows in (X, sp.csr_array(X)):
        learner = played(SecondOrderPerceptron(a=a, matrix=matrix, ties=ties or "update"), rows, y)
        if not _undecided(X, y, a, matrix, ties):
            assert (learner.ledger_.updates, learner.ledger_.mistakes) == (updates, mistakes)
            np.testing.assert_allclose(learner.coef_[0], np.linalg.solve(A, u), rtol=1e-7, atol=1e-9)


def _undecided(X, y, a, matrix, ties):
    """Whether, after the first update, some score is so near to zero that rounding may decide."""
    u, A = np.zeros(X.shape[1]), a * np.eye(X.shape[1])
    for x, label in zip(X, y, strict=True):
        outer = np.diag(x * x) if matrix == "diagonal" else np.outer(x, x)
        score = u @ np.linalg.solve(A + outer, x)
        if A.trace() > a * len(x) and abs(score) < 1e-9:
            return True
        if label * score < 0 or (score == 0 and label != ties):
            u, A = u + label * x, A + outer
    return False


@MATRICES
@given(st.integers(0, 10**6), priors)
def test_arow_is_the_textbooks(matrix, seed, r):
    """Means, updates and mistakes are those of Crammer's update of mean and covariance, dense and sparse."""
    X, y = drawn(seed, rows=60)
    mean, _, _, updates, mistakes = arow(X, y, r, matrix == "diagonal")
    for rows in (X, sp.csr_array(X)):
        learner = played(AROW(intercept=0.0, r=r, matrix=matrix, scale="none"), rows, y)
        assert (learner.ledger_.updates, learner.ledger_.mistakes) == (updates, mistakes)
        np.testing.assert_allclose(learner.coef_[0], mean, rtol=1e-6, atol=1e-9)


@pytest.mark.kernel
@given(st.integers(0, 10**6), priors)
def test_arow_in_units_of_the_features_is_the_textbooks(seed, r):
    """Means, matrix, updates and mistakes of a diagonal AROW that measures its features are those of fifteen lines of
    numpy, dense and sparse."""
    X, y = drawn(seed, rows=60)
    mean, start, squares, updates, mistakes = arow_in_sizes(X, y, r)
    for rows in (X, sp.csr_array(X)):
        learner = played(AROW(intercept=0.0, r=r, matrix="diagonal"), rows, y)
        assert (learner.ledger_.updates, learner.ledger_.mistakes) == (updates, mistakes)
        np.testing.assert_allclose(learner.coef_[0], mean, rtol=1e-6, atol=1e-9)
        np.testing.assert_allclose(learner.state_.roots(0)[0] ** 2, start + squares, rtol=1e-9)
        assert learner.state_.volume(0) == pytest.approx(np.log((start + squares) / start).sum(), rel=1e-9)


@given(st.integers(0, 10**6), st.sampled_from([2, 3]))
def test_the_units_of_a_feature_do_not_matter_to_a_diagonal_arow(seed, classes):
    """With columns multiplied by powers of two the scores of all rows, learned and new, are the same bits; in the units
    of the rows they are not."""
    X, y = drawn(seed, rows=80, classes=tuple(range(classes)))
    units = 2.0 ** np.random.default_rng(seed).integers(-20, 20, X.shape[1])
    scores = [
        AROW(matrix="diagonal", scale=scale, intercept=1.0)
        .partial_fit(X[:60] * by, y[:60], classes=range(classes))
        .decision_function(X * by)
        for scale in ("auto", "none")
        for by in (1.0, units)
    ]
    np.testing.assert_array_equal(scores[0], scores[1])
    assert not np.array_equal(scores[2], scores[3])


def test_a_larger_value_than_all_before_counts_for_no_more_than_its_size():
    """After one row of 1, a row of 10 is scored by a weight that is smaller by what the prior grows: from 10 r + 1
    to 1000 r + 1."""
    learner = played(AROW(intercept=0.0, matrix="diagonal", r=2.0), np.array([[1.0]]), np.array([1]))
    weight = (1 / 20) / (1 + 1 / 20)
    assert learner.coef_[0, 0] == pytest.approx(weight)
    assert learner.decision_function(np.array([[1.0]]))[0] == pytest.approx(weight)
    assert learner.decision_function(np.array([[10.0]]))[0] == pytest.approx(10 * weight * 21 / 2001)


def test_pixels_are_learned_as_well_from_0_to_255_as_from_0_to_1():
    """On 250 pixels, ten of which each class lights up more often, AROW errs as often in either unit, whether it was
    told of the classes or not; with scale="none" it errs half as often again from 0 to 255."""
    random = np.random.default_rng(0)
    y = random.integers(0, 5, 1500)
    bright = np.where(np.arange(250) % 25 == y[:, None], 0.8, 0.3)
    X = random.beta(0.7, 1, (1500, 250)) * (random.random((1500, 250)) < bright)

    def mistakes(scale, size, **announced):
        return AROW(scale=scale).partial_fit(X * size, y, **announced).ledger_.mistakes

    small = mistakes("auto", 1.0)
    assert mistakes("auto", 255.0) == pytest.approx(small, abs=3)
    for announced in ({}, {"classes": range(5)}):
        assert mistakes("auto", 255.0, **announced) == pytest.approx(small, abs=5)
        assert mistakes("none", 255.0, **announced) > 1.5 * small


@LEARNERS
@MATRICES
@pytest.mark.parametrize("order", [(0, 1, 2, 3), (3, 0, 2, 1)])
def test_classes_that_come_late_are_learned_as_announced_ones(learner, matrix, order, tmp_path):
    """A class met on the way has, bit for bit, what it would have learned had it been announced, however the stream is
    cut and whether it was saved between; its ledger counts every round, and certificates hold."""
    random = np.random.default_rng(4)
    X, _ = drawn(4, rows=300, columns=6)
    y = np.array(order)[np.r_[np.zeros(5, int), random.integers(0, 2, 95), random.integers(0, 4, 200)]]
    announced = learner(matrix=matrix).partial_fit(X, y, classes=range(4))
    met = learner(matrix=matrix)
    for begin in range(0, 296, 8):
        met.partial_fit(X[begin : begin + 8], y[begin : begin + 8])
        if begin in (0, 48, 160):
            met.save(tmp_path / "model.rgl")
            met = regretless.load(tmp_path / "model.rgl")
    for x, label in zip(X[296:], y[296:], strict=True):
        met.update_one(x, label)
    np.testing.assert_array_equal(met.coef_, announced.coef_)
    np.testing.assert_array_equal(met.intercept_, announced.intercept_)
    np.testing.assert_array_equal(met.decision_function(X), announced.decision_function(X))
    for theirs, ours in zip(announced.state_.ledgers(), met.state_.ledgers(), strict=True):
        # The first class counts as it does in any stream: a score of 0 may be right until a rival comes.
        assert abs(ours.mistakes - theirs.mistakes) <= 1
        assert replace(ours, mistakes=theirs.mistakes) == theirs
    assert all(certificate.holds is not False for certificate in met.certify(X, y))
    assert announced.state_.spare is None
    met.partial_fit(X[:1], y[:1], classes=range(4))
    assert met.state_.spare is None


def test_a_spare_target_of_another_kind_is_refused(tmp_path):
    """A model whose spare target has another matrix, another prior or a spare target of its own does not fit
    together."""
    X, y = drawn(5, rows=40, columns=3)
    ours, path = AROW(matrix="full").partial_fit(X, y), tmp_path / "model.rgl"
    ours.save(path)
    description, tensors = read_model(path)
    spare = {name: array for name, array in tensors.items() if name.startswith("spare_")}
    other = AROW(matrix="full", r=2.0).partial_fit(X, y).state_.spare.tensors()
    diagonal = AROW(matrix="diagonal", scale="none").partial_fit(X, y).state_.spare.tensors()
    for change in (
        {f"spare_{name}": array for name, array in other.items()},
        {f"spare_{name}": array for name, array in diagonal.items()},
        spare | {f"spare_{name}": array for name, array in spare.items()},
        dict(list(spare.items())[:-1]),
    ):
        rest = {name: array for name, array in tensors.items() if name not in spare}
        write_model(path, description, rest | change)
        with pytest.raises(ModelError, match="does not fit together"):
            regretless.load(path)
    write_model(path, description, tensors)
    np.testing.assert_array_equal(regretless.load(path).coef_, ours.coef_)


def charged(learner, matrix, X, signs, weights):
    """What one class against the rest is charged, by its definition."""
    u, A, loss, w = np.zeros(X.shape[1]), np.eye(X.shape[1]), 0.0, np.zeros(X.shape[1])
    for x, y, c in zip(X, signs, weights, strict=True):
        outer = np.outer(x, x) if matrix == "full" else np.diag(x * x)
        if learner is AROW:
            loss += c * max(0.0, 1 - y * (w @ x)) ** 2
            teaches, step = y * (w @ x) < 1, np.linalg.solve(A, x) * (y - w @ x) / (1 / c + x @ np.linalg.solve(A, x))
            w = w + step * teaches
        else:
            score = u @ np.linalg.solve(A + outer, x)
            loss += c * max(0.0, -y * score)
            teaches = y * score <= 0
        u, A = (u + c * y * x, A + c * outer) if teaches else (u, A)
    return loss


@pytest.mark.kernel
@LEARNERS
@MATRICES
@pytest.mark.parametrize("classes", [(-1, 1), (0, 1, 2)])
@pytest.mark.parametrize("weighted", [False, True])
def test_what_is_charged_is_the_loss_of_the_score_that_is_stated(learner, matrix, classes, weighted):
    """The loss in the ledger is the sum, from the rows alone, of max(0, -y u'(A + x x')^-1 x), or of the squared hinge
    of AROW's margins: with either matrix, over all classes against the rest."""
    X, y = drawn(3, rows=120, columns=4, classes=classes)
    weights = np.random.default_rng(5).uniform(0.2, 3, len(y)) if weighted else np.ones(len(y))
    settings = {"scale": "none"} if learner is AROW else {}
    ours = learner(matrix=matrix, intercept=0.0, **settings).fit(X, y, weights)
    each = classes if len(classes) > 2 else classes[1:]
    expected = sum(charged(learner, matrix, X, np.where(y == one, 1, -1), weights) for one in each)
    assert ours.ledger_.loss == pytest.approx(expected, rel=1e-9)


@LEARNERS
@MATRICES
def test_an_intercept_is_one_more_column(learner, matrix):
    """A constant feature of size 2 gives the weights and books of rows with a 2 at their end."""
    X, y = drawn(1)
    longer = np.hstack([X, np.full((len(X), 1), 2.0)])
    ours, theirs = (
        played(learner(matrix=matrix, intercept=2.0), X, y),
        played(learner(matrix=matrix, intercept=0.0), longer, y),
    )
    np.testing.assert_allclose(ours.coef_[0], theirs.coef_[0, :-1], rtol=1e-6)
    np.testing.assert_allclose(ours.intercept_, 2 * theirs.coef_[0, -1], rtol=1e-6)
    assert ours.ledger_.updates == theirs.ledger_.updates
    assert ours.ledger_.total_norm2 == pytest.approx(theirs.ledger_.total_norm2, rel=1e-12)
    assert ours.state_.energy(0) == pytest.approx(theirs.state_.energy(0), rel=1e-9)
    assert ours.state_.volume(0) == pytest.approx(theirs.state_.volume(0), rel=1e-9)
    v = np.arange(1.0, 8.0)
    assert ours.state_.stretched(v[:6], 7.0, 0) == pytest.approx(theirs.state_.stretched(v, 0.0, 0), rel=1e-9)


@LEARNERS
def test_a_full_matrix_counts_a_weighted_round_as_so_many(learner):
    """Whatever the weights, the weights of the learner are A^-1 u with A = I + sum of c x x' and u = sum of c y x."""
    X, y = drawn(2)
    random = np.random.default_rng(0)
    weights = random.choice([0.0, 0.5, 1.0, 3.0], size=len(X))
    ours = learner(matrix="full", intercept=0.0)
    moved = np.zeros(len(X), dtype=bool)
    for t in range(len(X)):
        before = ours.ledger_.updates if t else 0
        played(ours, X[t : t + 1], y[t : t + 1], sample_weight=weights[t : t + 1])
        moved[t] = ours.ledger_.updates > before
    assert not moved[weights == 0].any()
    c = weights[moved, None]
    A, u = np.eye(6) + (c * X[moved]).T @ X[moved], (c * y[moved, None] * X[moved]).sum(0)
    np.testing.assert_allclose(ours.coef_[0], np.linalg.solve(A, u), rtol=1e-8)
    certificates = ours.certify(X, y)
    assert not any(certificate.applies for certificate in certificates)


# ---- bits


def layouts(X):
    """The same rows in every layout that is read."""
    yield X
    for index in (np.int32, np.int64):
        for keep in (X != 0, np.ones_like(X, dtype=bool)):
            starts = np.concatenate([[0], np.cumsum(keep.sum(1))]).astype(index)
            yield sp.csr_array((X[keep], np.nonzero(keep)[1].astype(index), starts), shape=X.shape)


@pytest.mark.kernel
@LEARNERS
@MATRICES
@settings(max_examples=15)
@given(rounds(columns=19, elements=mostly_zero), st.sampled_from([0.0, 1.5]), st.sampled_from([2, 3, 11]))
def test_all_instruction_sets_and_layouts_give_the_same_bits(learner, matrix, game, intercept, classes):
    """Dense rows, sparse rows, stored zeros, 32 and 64 bit indices, float32: one state, on every instruction set."""
    X, y = game
    labels = y if classes == 2 else np.abs(X[:, 0] * 8).astype(int) % classes
    known = [-1, 1] if classes == 2 else range(classes)
    names, before = set(), _core.isa()
    try:
        for isa in _core.isas():
            _core.use_isa(isa)
            for rows in (*layouts(X), X.astype(np.float32)):
                ours = learner(matrix=matrix, intercept=intercept).partial_fit(rows, labels, classes=known)
                text = b"".join(array.tobytes() for array in ours.state_.tensors().values())
                names.add(text + ours.decision_function(rows).tobytes())
    finally:
        _core.use_isa(before)
    assert len(names) == 1


@pytest.mark.kernel
@LEARNERS
def test_features_far_apart_are_learned_as_neighbours_are(learner):
    """Records that fill more than a cache, of which those of the next row are fetched ahead, hold the bits of few."""
    X, y = drawn(4, columns=40)
    X[:, ::3] = 0
    rows, columns, places = sp.csr_array(X), 100_000, 2_000 * np.arange(1, 41)
    far = sp.csr_array((rows.data, places[rows.indices].astype(np.int32), rows.indptr), shape=(len(X), columns))
    near, wide = (played(learner(matrix="diagonal"), some, y) for some in (rows, far))
    np.testing.assert_array_equal(near.state_.records, wide.state_.records[places])
    assert near.ledger_ == wide.ledger_


@LEARNERS
def test_a_record_lies_in_as_few_cache_lines_as_it_can(learner):
    """Records begin where a cache line does, those of a fresh learner and those of one whose columns came late."""
    X, y = drawn(4, columns=40)
    ours = played(learner(matrix="diagonal"), X[:, :12], y)
    assert ours.state_.records.ctypes.data % 64 == 0
    ours.state_.grow(5_000)
    assert ours.state_.records.ctypes.data % 64 == 0


@pytest.mark.kernel
@LEARNERS
@pytest.mark.parametrize("classes", [(-1, 1), (0, 1, 2)])
@pytest.mark.parametrize("columns", [2, 3, 8, 13])
def test_a_change_that_waits_for_the_next_round_is_the_one_made_at_once(learner, classes, columns):
    """A call of one round makes its change before it ends, a longer one with the next row: of rows that teach and rows
    that do not, both give the same bits, and so do calls of any length."""
    X, y = drawn(11, rows=80, columns=columns, classes=classes, noise=2.0)
    whole, single, parts = (learner(matrix="full").partial_fit(X[:1], y[:1], classes=classes) for _ in range(3))
    whole.partial_fit(X[1:], y[1:])
    for x, label in zip(X[1:], y[1:], strict=True):
        single.update_one(x, label)
    for begin, end in ((1, 3), (3, 4), (4, 30), (30, 80)):
        parts.partial_fit(sp.csr_array(X[begin:end]), y[begin:end])
    assert 20 < whole.ledger_.updates < 80 * whole.state_.targets
    assert whole.state_.same(single.state_)
    assert whole.state_.same(parts.state_)


@pytest.mark.kernel
@LEARNERS
@MATRICES
@pytest.mark.parametrize("classes", [3, 8, 11])
def test_one_against_rest_is_a_row_of_binary_learners(learner, matrix, classes):
    """Each class's weights, energy and volume are the bits of a binary learner of that class against all others."""
    X, y = drawn(3, columns=9, classes=tuple(range(classes)))
    many = learner(matrix=matrix, intercept=1.0).fit(X, y)
    scores = many.decision_function(X)
    for place, label in enumerate(many.classes_):
        one = learner(matrix=matrix, intercept=1.0).fit(X, np.where(y == label, 1, -1))
        np.testing.assert_array_equal(many.coef_[place], one.coef_[0])
        np.testing.assert_array_equal(many.intercept_[place], one.intercept_[0])
        np.testing.assert_array_equal(scores[:, place], one.decision_function(X))
        assert many.state_.ledgers()[place] == one.ledger_
        assert many.state_.energy(place) == one.state_.energy(0)
        assert many.state_.volume(place) == one.state_.volume(0)


@pytest.mark.kernel
@LEARNERS
@MATRICES
def test_columns_may_come_late(learner, matrix):
    """Rows that are narrow at first, as in a stream, give the bits of rows that were wide from the start."""
    X, y = drawn(4, columns=40)
    X[:150, 12:] = 0
    X[:300, 25:] = 0
    wide = played(learner(matrix=matrix, intercept=1.0), X, y)
    narrow = learner(matrix=matrix, intercept=1.0)
    for begin, end, columns in ((0, 150, 12), (150, 300, 25), (300, 400, 40)):
        rows = sp.csr_array(X[begin:end, :columns])
        narrow.observe(Batch(rows.data, y[begin:end].astype(float), columns, rows.indices, rows.indptr))
    for name, array in wide.state_.tensors().items():
        np.testing.assert_array_equal(narrow.state_.tensors()[name], array)


@LEARNERS
@MATRICES
def test_a_third_class_loses_nothing_of_the_first_two(learner, matrix):
    """When a third class comes, what two classes have learned is what one-against-rest learners would have."""
    X, y = drawn(5, classes=(0, 1, 2))
    first = np.flatnonzero(y != 2)[:150]
    order = np.r_[first, np.setdiff1d(np.arange(len(X)), first)]
    X, y = X[order], y[order]
    late, early = learner(matrix=matrix).partial_fit(X, y), learner(matrix=matrix)
    early.partial_fit(X[:150], y[:150], classes=[0, 1, 2]).partial_fit(X[150:], y[150:])
    np.testing.assert_allclose(late.coef_[:2], early.coef_[:2], rtol=1e-12)
    assert [late.state_.energy(c) for c in (0, 1)] == [early.state_.energy(c) for c in (0, 1)]


# ---- the matrix


def test_a_hundred_thousand_updates_do_not_wear_the_inverse_out():
    """After 10^5 updates the weights, the energy, the volume and v'A v are those of a matrix summed afresh, to 9
    digits."""
    random = np.random.default_rng(0)
    X = random.normal(size=(100_000, 8)) @ random.normal(size=(8, 8))
    y = random.choice([-1, 1], size=len(X))
    learner = played(AROW(intercept=0.0, matrix="full", r=1e-3), X, y)
    assert learner.ledger_.updates > 99_000
    moved = played_again(learner, X, y)
    A, u = matrix_of(X, moved, 1e-3, "full"), (y[moved, None] * X[moved]).sum(0)
    np.testing.assert_allclose(learner.coef_[0], np.linalg.solve(A, u), rtol=1e-8)
    assert learner.state_.energy(0) == pytest.approx(u @ np.linalg.solve(A, u), rel=1e-9)
    assert learner.state_.volume(0) == pytest.approx(np.linalg.slogdet(A / 1e-3)[1], rel=1e-9)
    for v in np.eye(8):
        assert learner.state_.stretched(v, 0.0, 0) == pytest.approx(sqrt(v @ A @ v), rel=1e-9)


def played_again(learner, X, y):
    """Which rounds had a margin below 1, by the scores before each of them."""
    twin, moved = played(AROW(intercept=0.0, matrix="full", r=learner.r), X[:1], y[:1]), np.ones(len(X), dtype=bool)
    before = 1.0
    for t in range(1, len(X)):
        twin.update_one(X[t], y[t])
        after = twin.state_.books[0, 1]
        moved[t], before = after > before, after
    return moved


def test_features_of_very_different_sizes_keep_their_digits():
    """With features from 1e-6 to 1e6, the matrix that the factors stand for is the one that was summed, entry by
    entry, to a part in 10^9 of what its diagonal allows."""
    random = np.random.default_rng(1)
    sizes = 10.0 ** np.arange(-6, 7, 2)
    X = random.normal(size=(2000, 7)) @ random.normal(size=(7, 7)) * sizes
    y = random.choice([-1, 1], size=len(X))
    learner = AROW(intercept=0.0, matrix="full", r=1e-12)
    moved = moved_by(learner, X, y)
    A = matrix_of(X, moved, 1e-12, "full")
    corners = [np.eye(7)[i] + s * np.eye(7)[j] for i in range(7) for j in range(i) for s in (1, -1)]
    for corner in corners:
        v = corner / sizes
        assert learner.state_.stretched(v, 0.0, 0) == pytest.approx(sqrt(v @ A @ v), rel=1e-9)


def test_tiny_rows_count_too():
    """Where squares are lost in 1 + x^2 the bounds still see them: one update of a row of 1e-10 meets its bound."""
    for matrix in ("full", "diagonal"):
        learner = played(SecondOrderPerceptron(matrix=matrix), np.array([[1e-10]]), np.array([-1]))
        for certificate in learner.certify(np.array([[1e-10]]), np.array([-1]), against=[-1e10]):
            assert certificate.observed == 1
            assert certificate.bound == pytest.approx(1)
            assert certificate.holds


@pytest.mark.kernel
@LEARNERS
@MATRICES
def test_rows_whose_squares_vanish_are_rounds_too(learner, matrix):
    """A row of 1e-200, beside zeros and among other rows, is counted and learned, dense and sparse."""
    X, y = np.array([[1e-200, 0.0], [3.0, 1.0], [1e-200, 1e-200], [0.0, 2.0]]), np.array([-1, 1, 1, -1])
    dense, sparse = played(learner(matrix=matrix), X, y), played(learner(matrix=matrix), sp.csr_array(X), y)
    assert dense.ledger_.rounds == 4
    assert dense.ledger_.updates >= 3
    assert dense.state_.same(sparse.state_)


# ---- the theorems


@MATRICES
@given(rounds(), arrays(float, 5, elements=reals), priors, st.sampled_from([1e-140, 1e-6, 1.0, 1e6, 1e140]))
def test_no_stream_and_no_comparator_break_a_sure_bound(matrix, game, v, prior, size):
    """Every theorem of both learners holds on every stream, of whatever size, against every vector."""
    X, y = game
    X, v, prior = X * size, v / size, prior * size * size
    for learner, theorems in (
        (SecondOrderPerceptron(a=prior, matrix=matrix), SECOND_ORDER),
        (AROW(intercept=0.0, r=prior, matrix=matrix, scale="none"), AROW_THEOREMS),
    ):
        moved = moved_by(learner, X, y)
        own = comparator(X, y, v, matrix_of(X, moved, prior, matrix))
        for theorem in theorems:
            certificate = theorem.certify(learner.ledger_, [own], learner.target_facts()[0])
            assert certificate.holds, str(certificate)
    measured = played(AROW(intercept=0.0, r=prior / (size * size), matrix="diagonal"), X, y)
    own = replace(comparator(X, y, v, np.eye(5)), own=measured.state_.stretched(v, 0.0, 0))
    certificate = arow_posterior.certify(measured.ledger_, [own], measured.target_facts()[0])
    assert certificate.holds, str(certificate)


@settings(max_examples=8)
@given(st.integers(0, 10**6), priors, st.sampled_from([0.0, 1.0]), st.sampled_from([(-1, 1), (0, 1, 2)]))
def test_certificates_of_whole_runs_hold(seed, prior, intercept, classes):
    """With two classes or three, over two passes, against what is found in hindsight."""
    X, y = drawn(seed, rows=50, classes=classes)
    if len(set(y.tolist())) < len(classes):
        return
    for matrix in ("full", "diagonal"):
        for learner in (SecondOrderPerceptron, AROW):
            name = "a" if learner is SecondOrderPerceptron else "r"
            ours = learner(**{name: prior}, matrix=matrix, intercept=intercept, passes=2).fit(X, y)
            certificates = ours.certify(X, y, svm=False)
            assert all(certificate.holds for certificate in certificates)
            assert sum(certificate.applies for certificate in certificates) == 1 + (
                learner is SecondOrderPerceptron or matrix == "full"
            )


@given(st.integers(0, 10**6), priors)
def test_the_energy_grows_as_the_proofs_say(seed, prior):
    """An update of the second-order perceptron adds at most x'A_+^-1 x to u'A^-1 u; one of AROW with a full matrix
    adds exactly 1 - (1 - m)^2 / (1 + x'A^-1 x)."""
    X, y = drawn(seed, rows=40)
    for matrix in ("full", "diagonal"):
        u, A = np.zeros(6), prior * np.eye(6)
        learner = SecondOrderPerceptron(a=prior, matrix=matrix)
        moved = moved_by(learner, X, y)
        for x, label in zip(X[moved], y[moved], strict=True):
            before = u @ np.linalg.solve(A, u)
            A = A + (np.outer(x, x) if matrix == "full" else np.diag(x * x))
            u = u + label * x
            assert u @ np.linalg.solve(A, u) <= before + x @ np.linalg.solve(A, x) + 1e-9
    u, A = np.zeros(6), prior * np.eye(6)
    moved = moved_by(AROW(intercept=0.0, r=prior, matrix="full"), X, y)
    for x, label in zip(X[moved], y[moved], strict=True):
        before, doubt = u @ np.linalg.solve(A, u), x @ np.linalg.solve(A, x)
        margin = label * (x @ np.linalg.solve(A, u))
        A, u = A + np.outer(x, x), u + label * x
        grown = u @ np.linalg.solve(A, u) - before
        assert grown == pytest.approx(1 - (1 - margin) ** 2 / (1 + doubt), rel=1e-6, abs=1e-7)


def test_the_posterior_bound_is_never_above_the_bound_before_the_run():
    """u'A^-1 u is at most ln det(A / a) for the second-order perceptron, and at most ln det(A / r) + U for AROW."""
    for seed in range(20):
        X, y = drawn(seed)
        for matrix in ("full", "diagonal"):
            state = played(SecondOrderPerceptron(matrix=matrix), X, y).state_
            assert state.energy(0) <= state.volume(0)
        learner = played(AROW(intercept=0.0, matrix="full"), X, y)
        others = learner.ledger_.updates - learner.ledger_.mistakes
        assert learner.state_.energy(0) <= learner.state_.volume(0) + others


@pytest.mark.parametrize("prior", [0.01, 1.0, 1e6])
@MATRICES
def test_orthonormal_rounds_attain_the_posterior_bound(matrix, prior):
    """On n orthonormal rows with label -1, v = -(1, ..., 1) has bound n, the number of updates; before the run it is
    n sqrt((a + 1) ln(1 + 1/a)), which is n for large a."""
    for n in range(1, 9):
        X, y, v = np.eye(n), -np.ones(n, dtype=int), -np.ones(n)
        A = (1 + prior) * np.eye(n)
        ours = played(SecondOrderPerceptron(a=prior, matrix=matrix), X, y)
        own, facts = comparator(X, y, v, A), ours.target_facts()[0]
        assert ours.ledger_.updates == ours.ledger_.mistakes == n
        assert second_order_posterior.bound(ours.ledger_, own, facts) == pytest.approx(n, rel=1e-12)
        before = n * sqrt((prior + 1) * np.log1p(1 / prior))
        assert second_order_data.bound(ours.ledger_, own, facts) == pytest.approx(before, rel=1e-9)
        theirs = played(AROW(intercept=0.0, r=prior, matrix=matrix), X, y)
        certificate = arow_mistakes.certify(theirs.ledger_, [own], theirs.target_facts()[0])
        assert certificate.applies == (matrix == "full")
        if certificate.applies:
            assert certificate.observed == n
            assert certificate.bound == pytest.approx(before, rel=1e-9)
    if prior > 1e5:
        assert before == pytest.approx(8, rel=1e-5)


def test_a_stretched_cloud_is_easier_to_the_second_order():
    """Where a first order learner pays for long rows, the bound of the second order does not: a plane through a cloud
    that is 1000 times longer than wide."""
    random = np.random.default_rng(0)
    X = random.normal(size=(2000, 2)) * [1000.0, 1.0]
    y = np.where(X[:, 1] > 0, 1, -1)
    keep = np.abs(X[:, 1]) > 0.3
    X, y = X[keep], y[keep]
    ours = played(SecondOrderPerceptron(), X, y)
    theirs = regretless.linear.Perceptron().partial_fit(X, y, classes=[-1, 1])
    assert 5 * ours.ledger_.updates < theirs.ledger_.updates
    first = min(c.bound for c in theirs.certify(X, y) if c.applies)
    second = min(c.bound for c in ours.certify(X, y) if c.applies)
    assert 5 * second < first


def test_the_bound_of_the_full_matrix_fails_for_the_diagonal():
    """On 20 rows (1, 1) with label +1 a diagonal AROW makes no mistake, and read with its matrix the bound is below
    0."""
    X, y, v = np.ones((20, 2)), np.ones(20, dtype=int), np.array([0.5, 0.5])
    learner = played(AROW(intercept=0.0, matrix="diagonal", scale="none"), X, y)
    assert (learner.ledger_.updates, learner.ledger_.mistakes) == (20, 0)
    own, facts = comparator(X, y, v, 21 * np.eye(2)), learner.target_facts()[0]
    assert arow_mistakes.bound(learner.ledger_, own, facts) < 0
    assert not arow_mistakes.certify(learner.ledger_, [own], facts).applies
    assert arow_posterior.certify(learner.ledger_, [own], facts).holds


# ---- manners


@LEARNERS
def test_auto_keeps_all_of_the_matrix_of_few_features(learner):
    """Up to 200 features with which learning begins the matrix is full, and stays so; beyond that it is its
    diagonal."""
    random = np.random.default_rng(0)
    X, y = random.normal(size=(20, 201)), np.arange(20) % 2
    assert learner().fit(X[:, :200], y).state_.full
    assert not learner().fit(X, y).state_.full


@LEARNERS
def test_a_full_matrix_refuses_too_many_features(learner):
    """2,001 features are an error that says what to do, at once and when the last of them comes in a stream."""
    X, y = sp.csr_array(np.ones((2, 2001))), np.array([0, 1])
    with pytest.raises(RegretlessError, match=r"2,001 features.*2,000.*matrix='diagonal'"):
        learner(matrix="full").fit(X, y)
    grown = learner(matrix="full").fit(X[:, :3], y)
    with pytest.raises(RegretlessError, match="2,001"):
        grown.observe(Batch(X.data, y.astype(float), 2001, X.indices, X.indptr))


@LEARNERS
@MATRICES
def test_rows_whose_squares_are_too_large_to_add_are_refused(learner, matrix):
    """A row of 1e150 is an error, and the rows before it are learned; so is one whose square times r is too large."""
    X, y = np.array([[1.0], [1e150]]), np.array([1, -1])
    if learner is AROW and matrix == "diagonal":
        with pytest.raises(RegretlessError, match="too large"):
            played(AROW(matrix=matrix, r=1e200), np.array([[1e50]]), y[:1])
    ours = learner(matrix=matrix)
    with pytest.raises(RegretlessError, match="too large"):
        played(ours, X, y)
    assert ours.ledger_.rounds == 1
    assert np.isfinite(ours.coef_).all()


@LEARNERS
def test_parameters_without_a_meaning_are_refused_by_name(learner):
    """The message names the parameter."""
    prior = "a" if learner is SecondOrderPerceptron else "r"
    for wrong in ({prior: 0}, {prior: float("inf")}, {"matrix": "half"}, {"intercept": -1}, {"passes": 0}):
        with pytest.raises(RegretlessError, match=next(iter(wrong))):
            learner(**wrong).fit(np.eye(2), [0, 1])


@LEARNERS
@MATRICES
def test_a_saved_learner_goes_on_bit_for_bit(learner, matrix, tmp_path):
    """N rounds, save, load and M rounds are N + M rounds, also with a prior that was changed in between."""
    X, y = drawn(6)
    prior = "a" if learner is SecondOrderPerceptron else "r"
    whole, half = (learner(**{prior: 0.3}, matrix=matrix) for _ in range(2))
    played(whole, X, y)
    played(half, X[:100], y[:100]).set_params(**{prior: 5.0}).save(tmp_path / "half.rgl")
    loaded = played(regretless.load(tmp_path / "half.rgl"), X[100:], y[100:])
    assert loaded.state_.same(whole.state_)
    np.testing.assert_array_equal(loaded.decision_function(X), whole.decision_function(X))


@pytest.mark.parametrize("columns", [1, 6, 7])
def test_a_full_matrix_of_version_0_1_is_read(columns, tmp_path):
    """A file in which the columns of U stand one after the other, each above the diagonal, is the same learner."""
    X, y = drawn(12, columns=columns)
    ours, path = AROW(matrix="full").partial_fit(X, y), tmp_path / "m.rgl"  # a class that comes late has a spare target
    ours.save(path)
    description, tensors = read_model(path)
    for name in ("factor", "spare_factor"):
        uppers = [upper_of(factor, 1 + columns) for factor in tensors[name]]
        tensors[name] = np.array([np.concatenate([upper[:j, j] for j in range(1 + columns)]) for upper in uppers])
    write_model(path, description, tensors)
    loaded = regretless.load(path)
    assert loaded.state_.same(ours.state_)
    np.testing.assert_array_equal(loaded.decision_function(X), ours.decision_function(X))


@LEARNERS
def test_a_matrix_that_auto_chose_is_stored_in_the_file(learner, tmp_path):
    """A full matrix that has grown beyond what "auto" would choose now is read back as what it is."""
    X, y = drawn(7, columns=5)
    ours = played(learner(), X, y)
    ours.state_.grow(300)
    ours.n_features_in_ = 300
    ours.save(tmp_path / "m.rgl")
    loaded = regretless.load(tmp_path / "m.rgl")
    assert loaded.state_.full
    assert loaded.state_.same(ours.state_)


@LEARNERS
@MATRICES
def test_a_file_with_an_impossible_matrix_is_refused(learner, matrix, tmp_path):
    """A negative square, an entry of D that is not positive and a prior of 0 are no model."""
    X, y = drawn(8)
    played(learner(matrix=matrix), X, y).save(tmp_path / "m.rgl")
    description, tensors = read_model(tmp_path / "m.rgl")
    for name, place in (("scales" if matrix == "full" else "records", (0, 1)), ("memory", (0, PRIOR))):
        forged = {key: array.copy() for key, array in tensors.items()}
        forged[name][place] = -1.0
        write_model(tmp_path / "f.rgl", description, forged)
        with pytest.raises(ModelError, match="positive"):
            regretless.load(tmp_path / "f.rgl")


def test_targets_are_copied_between_states_of_one_kind():
    """A full matrix is not taken for a diagonal one."""
    with pytest.raises(TypeError):
        SecondOrderState(3, 2, full=True).copy_target(SecondOrderState(3, 2), 0, 0)


@LEARNERS
@MATRICES
@pytest.mark.parametrize("sparse", [False, True])
def test_comparators_are_sought_where_the_geometry_is_round(learner, matrix, sparse):
    """In whitened rows a vector has the scores of the one it stands for, and its length is sqrt(v'A v)."""
    X, y = drawn(9)
    ours = played(learner(matrix=matrix, intercept=2.0), X, y)
    rows = sp.csr_array(X)
    batch = Batch(rows.data, None, 6, rows.indices, rows.indptr) if sparse else Batch(X, None, 6)
    geometry = ours.geometry()
    white, full = geometry._white(batch, 0), matrix == "full"
    whitened, intercept, back = white.rows, white.intercept, white.back
    z = np.arange(1.0, whitened.columns + 1)
    v, bias = back(z, 0.0 if full else 3.0)
    values = whitened.values
    if whitened.starts is not None:
        values = sp.csr_array((values, whitened.indices, whitened.starts), shape=X.shape)
    np.testing.assert_allclose(values @ z + (0.0 if full else 3.0) * intercept, X @ v + 2.0 * bias, rtol=1e-9)
    assert geometry.measure(v, bias, 0)[0] == pytest.approx(sqrt(z @ z + (0 if full else 9)), rel=1e-9)
    assert geometry.directions(batch, y.astype(np.int32), 0) == []  # of two classes there are machines already


def test_a_diagonal_has_a_comparator_of_its_own_length():
    """With a diagonal matrix AROW's bound is within 5 % of its mistakes on rows of which machines with penalties in
    units of their lengths give 13 %: penalties are in units of |w| / |u|."""
    random = np.random.default_rng(2)
    X = random.normal(size=(1000, 3))
    X = np.hstack([X, X**2, X[:, :1] * X[:, 1:2]])
    y = np.where(X[:, 0] + X[:, 3] - 1 + 0.3 * random.normal(size=1000) > 0, 1, -1)
    learner = AROW(matrix="diagonal").fit(X, y)
    white = learner.geometry().whitened(Batch(X, None, 7), 0)
    facts, weights = learner.target_facts()[0], (learner.coef_[0], learner.intercept_[0])
    assert white.length2 == pytest.approx(sqrt(facts.energy) / learner.geometry().measure(*weights, 0)[0])
    posterior = learner.certify(X, y)[-1]
    assert posterior.theorem.name == "arow_posterior"
    assert posterior.observed <= posterior.bound <= 1.05 * posterior.observed


def test_diagonals_multiply():
    """The volume of a diagonal matrix is the sum of ln(1 + S / a) over its entries."""
    X, y = np.array([[3.0, 0.0], [0.0, 2.0]]), np.array([-1, -1])
    learner = played(SecondOrderPerceptron(matrix="diagonal", a=0.5, intercept=1.0), X, y)
    assert learner.ledger_.updates == 1
    assert learner.state_.volume(0) == pytest.approx(log(1 + 9 / 0.5) + log(1 + 1 / 0.5))
    assert isinstance(learner.target_facts()[0], SecondOrderFacts)


WEIGHTS = "a round that weighs 2 is one round and not two"
EXPECTED = {
    "check_sample_weight_equivalence_on_dense_data": WEIGHTS,
    "check_sample_weight_equivalence_on_sparse_data": WEIGHTS,
    "check_class_weight_classifiers": "the weights of classes move a threshold, which takes a constant feature",
}
WITH_INTERCEPT = ("check_class_weight_classifiers",)
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    every_check = parametrize_with_checks(
        first_of(
            [
                SecondOrderPerceptron(),
                SecondOrderPerceptron(matrix="diagonal", intercept=1.0, passes=3, shuffle=True, random_state=0),
                AROW(),
                AROW(matrix="diagonal", intercept=1.0, passes=3),
            ]
        ),
        expected_failed_checks=lambda estimator: {
            check: why for check, why in EXPECTED.items() if check not in WITH_INTERCEPT or not estimator.intercept
        },
    )


@every_check
@pytest.mark.filterwarnings("ignore")
def test_scikit_learn_finds_no_fault(estimator, check):
    """Each of scikit-learn's estimator checks passes, but for those that are declared above, each with its reason."""
    check(estimator)


@pytest.mark.parametrize("learner", [AROW(matrix="diagonal"), SecondOrderPerceptron(matrix="diagonal")])
def test_some_of_many_rows_of_several_classes_are_learned_from_in_hindsight(learner, monkeypatch):
    """Of many rows a part is whitened and learned from, all where they can be separated, and bounds come within
    5 % of those by all rows; where a part would have few rows a column, all are learned from."""
    random = np.random.default_rng(0)
    X = random.normal(size=(1200, 4))
    y = (X @ random.normal(size=(4, 3)) + random.normal(size=(1200, 3)) / 2).argmax(axis=1)
    learner = learner.fit(X, y)
    whole, seen, climb = learner.certify(X, y), [], second_order_learner.machine_directions
    monkeypatch.setattr(second_order_learner, "MOST_PLAYED", X.size // 3)

    def noted(rows, *more):
        seen.append(len(rows))
        return climb(rows, *more)

    monkeypatch.setattr(second_order_learner, "machine_directions", noted)
    for one, other in zip(learner.certify(X, y), whole, strict=True):
        assert one.bound is None or one.bound <= other.bound * 1.05
    assert set(seen) == {432}
    signs, batch = np.where(y == 0, 1, -1).astype(np.int32), Batch(X, None, 4)
    learner.geometry().directions(batch, signs, 0, separable=True)
    assert seen[-1] == 1200
    learner.geometry().directions(batch.slice(0, 60), signs[:60], 0, separable=None)
    assert seen[-1] == 60
