"""AROW with a sketch, a diagonal and a few directions, in the place of its matrix."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import regretless
from regretless import _core
from regretless.data.batch import Batch
from regretless.errors import ModelError, RegretlessError
from regretless.linear import AROW, SecondOrderPerceptron
from regretless.persist.format import read_model, write_model
from regretless.textbook.linear import arow_sketched
from regretless.theory.second_order_perceptron import arow_mistakes, arow_posterior

from .test_second_order_perceptron import comparator, drawn, layouts, moved_by, played, reals, rounds

SCALES = pytest.mark.parametrize("scale", ["auto", "none"])


def sketched(rank=2, **settings):
    """AROW with a sketch, without a constant feature."""
    return AROW(**{"matrix": "sketch", "rank": rank, "intercept": 0.0} | settings)


def whole(sketch):
    """The matrix that a sketch stands for, without the constant feature."""
    return (np.diag(sketch.start + sketch.shed) + sketch.rows.T @ sketch.rows)[1:, 1:]


@pytest.mark.kernel
@SCALES
@settings(max_examples=25)
@given(st.integers(0, 10**6), st.sampled_from([0.1, 1.0, 30.0]), st.integers(1, 4))
def test_a_sketched_arow_is_the_textbooks(scale, seed, r, rank):
    """Means, updates, mistakes and D + B'B are those of twenty lines of numpy, dense and sparse."""
    X, y = drawn(seed, rows=60)
    mean, start, D, B, updates, mistakes = arow_sketched(X, y, r, rank, scale == "auto")
    for rows in (X, sp.csr_array(X)):
        learner = played(sketched(rank, r=r, scale=scale), rows, y)
        assert (learner.ledger_.updates, learner.ledger_.mistakes) == (updates, mistakes)
        np.testing.assert_allclose(learner.coef_[0], mean, rtol=1e-6, atol=1e-8)
        sketch, A = learner.state_.sketch(0), np.diag(D) + B.T @ B
        np.testing.assert_allclose(whole(sketch), A, rtol=1e-6, atol=1e-8 * A.max())
        assert sketch.volume() == pytest.approx(np.linalg.slogdet(A / start)[1], rel=1e-7)


@pytest.mark.kernel
@SCALES
def test_a_sketch_of_more_rows_than_a_strip_is_the_textbooks(scale):
    """So is one whose 70 rows are turned beside the stack, in whole registers and what is left of 43 columns."""
    X, y = drawn(3, rows=200, columns=43)
    mean, _, D, B, updates, mistakes = arow_sketched(X, y, 1.0, 35, scale == "auto")
    learner = played(sketched(35, scale=scale), X, y)
    assert (learner.ledger_.updates, learner.ledger_.mistakes) == (updates, mistakes)
    np.testing.assert_allclose(learner.coef_[0], mean, rtol=1e-6, atol=1e-8)
    A = np.diag(D) + B.T @ B
    np.testing.assert_allclose(whole(learner.state_.sketch(0)), A, rtol=1e-6, atol=1e-8 * A.max())


@pytest.mark.kernel
@SCALES
@settings(max_examples=8)
@given(
    rounds(columns=19, elements=st.one_of(st.just(0.0), reals)),
    st.sampled_from([0.0, 1.5]),
    st.sampled_from([2, 3]),
)
@example((np.array([[1.0, -0.0], [1.0, 0.0]]), np.array([1, -1], np.int32)), 0.0, 2)
def test_all_instruction_sets_and_layouts_give_the_same_bits(scale, game, intercept, classes):
    """Dense rows, sparse rows, zeros of both signs, indices of 32 and 64 bits, float32: one state on all kernels."""
    X, y = game
    labels = y if classes == 2 else np.abs(X[:, 0] * 8).astype(int) % classes
    states, before = set(), _core.isa()
    try:
        for isa in _core.isas():
            _core.use_isa(isa)
            for rows in (*layouts(X), X.astype(np.float32)):
                ours = sketched(scale=scale, intercept=intercept)
                ours.partial_fit(rows, labels, classes=[-1, 1] if classes == 2 else range(classes))
                arrays_ = b"".join(array.tobytes() for array in ours.state_.tensors().values())
                states.add(arrays_ + ours.decision_function(rows).tobytes())
    finally:
        _core.use_isa(before)
    assert len(states) == 1


@pytest.mark.kernel
def test_one_against_rest_is_a_row_of_binary_learners():
    """Each class's weights, energy and volume are the bits of a binary learner of that class against all others."""
    X, y = drawn(3, columns=9, classes=(0, 1, 2))
    many = sketched(intercept=1.0).fit(X, y)
    for place, label in enumerate(many.classes_):
        one = sketched(intercept=1.0).fit(X, np.where(y == label, 1, -1))
        np.testing.assert_array_equal(many.coef_[place], one.coef_[0])
        assert many.intercept_[place] == one.intercept_[0]
        assert many.state_.ledgers()[place] == one.ledger_
        assert many.state_.energy(place) == one.state_.energy(0)
        assert many.state_.volume(place) == one.state_.volume(0)


@pytest.mark.kernel
@SCALES
def test_columns_classes_and_rounds_may_come_late(scale, tmp_path):
    """Rows that are narrow at first, in single rounds, with classes that come on the way and a file in between, give
    the bits of rows that were wide, at once and of known classes."""
    X, y = drawn(4, rows=120, columns=12, classes=(0, 1, 2))
    X[:60, 7:] = 0
    y[:30] %= 2
    wide, narrow = sketched(scale=scale).partial_fit(X, y, classes=range(3)), sketched(scale=scale)
    for t in range(120):
        rows = sp.csr_array(X[t : t + 1, : 7 if t < 60 else 12])
        narrow.observe(Batch(rows.data, y[t : t + 1], rows.shape[1], rows.indices, rows.indptr))
        if t in (20, 77):
            narrow.save(tmp_path / "m.rgl")
            narrow = regretless.load(tmp_path / "m.rgl")
    np.testing.assert_array_equal(narrow.decision_function(X), wide.decision_function(X))
    for name in ("sums", "weights", "shed", "largest", "inverse", "directions", "gram", "lower"):
        np.testing.assert_array_equal(getattr(narrow.state_, name), getattr(wide.state_, name))


@given(st.integers(0, 10**6), st.sampled_from([2, 3]))
@settings(max_examples=10)
def test_the_units_of_a_feature_do_not_matter(seed, classes):
    """With columns multiplied by powers of two the scores of all rows are the same bits."""
    X, y = drawn(seed, rows=60, classes=tuple(range(classes)))
    units = 2.0 ** np.random.default_rng(seed).integers(-20, 20, X.shape[1])
    scores = [sketched(intercept=1.0).fit(X * by, y).decision_function(X * by) for by in (1.0, units)]
    np.testing.assert_array_equal(*scores)


def test_with_room_for_all_rows_a_sketch_is_the_whole_matrix():
    """Of 40 updates a sketch of rank 21 has shed nothing: its weights, energy and v'A v are those of the full matrix,
    and with rank 2 they are not."""
    X, y = drawn(1, rows=40)
    full = played(AROW(intercept=0.0, matrix="full"), X, y)
    large, small = (played(sketched(rank, scale="none"), X, y) for rank in (21, 2))
    assert full.ledger_.updates > 4
    np.testing.assert_allclose(large.coef_, full.coef_, rtol=1e-8)
    assert large.state_.energy(0) == pytest.approx(full.state_.energy(0), rel=1e-9)
    v = np.arange(1.0, 7.0)
    assert large.state_.stretched(v, 0.0, 0) == pytest.approx(full.state_.stretched(v, 0.0, 0), rel=1e-9)
    assert not np.allclose(small.coef_, full.coef_, rtol=1e-2)


@given(st.integers(0, 10**6), st.integers(1, 3))
@settings(max_examples=20)
def test_the_diagonal_is_that_of_the_whole_matrix_and_the_rest_is_at_most_what_was_shed(seed, rank):
    """D + B'B has the diagonal of r I + sum of x x'; in no direction is it larger by more than what D got, or smaller
    by more than the sum of the shed b b', whose trace is what D got."""
    X, y = drawn(seed, rows=50)
    learner = sketched(rank, scale="none")
    moved = moved_by(learner, X, y)
    sketch, A = learner.state_.sketch(0), np.eye(6) + X[moved].T @ X[moved]
    np.testing.assert_allclose(np.diag(whole(sketch)), np.diag(A), rtol=1e-9)
    gap = np.diag(sketch.shed[1:]) - (whole(sketch) - A)
    assert np.linalg.eigvalsh(gap / A.max()).min() > -1e-9
    assert np.trace(gap) == pytest.approx(sketch.shed.sum(), rel=1e-6)


@given(
    rounds(rows=25, columns=4),
    arrays(float, 4, elements=reals),
    st.sampled_from([1e-6, 1.0, 1e6]),
    st.sampled_from([1e-100, 1.0, 1e100]),
)
@settings(max_examples=40)
def test_no_stream_and_no_comparator_break_the_posterior_bound(game, v, r, size):
    """It holds on every stream, of whatever size, against every vector, with either scale."""
    X, y = game
    X, v = X * size, v / size
    for learner in (sketched(1, r=r * size * size, scale="none"), sketched(2, r=r)):
        played(learner, X, y)
        own = comparator(X, y, v, whole(learner.state_.sketch(0)))
        certificate = arow_posterior.certify(learner.ledger_, [own], learner.target_facts()[0])
        assert certificate.holds, str(certificate)


def test_the_bound_of_the_full_matrix_is_not_for_a_sketch():
    """On 20 rows (1, 1) with label +1 and rank 1, it says so, and gives no number."""
    X, y = np.ones((20, 2)), np.ones(20, dtype=int)
    learner = played(sketched(1, scale="none"), X, y)
    assert not arow_mistakes.certify(learner.ledger_, [], learner.target_facts()[0]).applies


def test_the_bound_fails_where_what_was_shed_is_forgotten_in_v_alone():
    """On 400 rows, 20 of each of 20 axes, a sketch of rank 1 has shed nearly all: read with B'B and the start alone,
    v is so short that the bound is below the mistakes."""
    X, y = np.tile(np.eye(20), (20, 1)), np.ones(400, dtype=int)
    X[::3] *= -1
    y[::3] = -1
    y[:20] = -1
    learner = played(sketched(1, scale="none"), X, y)
    v, sketch = np.ones(20), learner.state_.sketch(0)
    forgetful = np.diag(sketch.start)[1:, 1:] + (sketch.rows.T @ sketch.rows)[1:, 1:]
    facts = learner.target_facts()[0]
    true, short = (
        arow_posterior.certify(learner.ledger_, [comparator(X, y, v, A)], facts) for A in (whole(sketch), forgetful)
    )
    assert true.holds
    assert not short.holds


@SCALES
def test_directions_that_no_sum_of_squares_has_are_found_in_hindsight(scale):
    """In whitened rows a vector has the scores of the one it stands for, and its length is sqrt(v'A v)."""
    X, y = drawn(9)
    geometry = played(sketched(intercept=2.0, scale=scale), X, y).geometry()
    white = geometry.whitened(Batch(X, None, 6), 0)
    whitened, back = white.rows, white.back
    z = np.arange(1.0, whitened.columns + 1)
    v, bias = back(z, 0.0)
    np.testing.assert_allclose(whitened.values @ z, X @ v + 2.0 * bias, rtol=1e-9)
    assert geometry.measure(v, bias, 0)[0] == pytest.approx(np.linalg.norm(z), rel=1e-9)


def test_a_file_with_an_impossible_sketch_is_refused(tmp_path):
    """Negative sums of squares, an inverse or a pivot below 0, and rows of another shape are no model."""
    X, y = drawn(8, rows=40)
    played(sketched(), X, y).save(tmp_path / "m.rgl")
    description, tensors = read_model(tmp_path / "m.rgl")
    for name in ("shed", "largest", "inverse", "lower"):
        forged = {key: array.copy() for key, array in tensors.items()}
        forged[name].flat[0] = -1.0
        write_model(tmp_path / "f.rgl", description, forged)
        with pytest.raises(ModelError, match="positive"):
            regretless.load(tmp_path / "f.rgl")
    write_model(tmp_path / "f.rgl", description, tensors | {"directions": tensors["directions"][:, :3]})
    with pytest.raises(ModelError):
        regretless.load(tmp_path / "f.rgl")


def test_what_has_no_sketch_refuses_one_and_ranks_have_limits():
    """The message names the parameter; the second-order perceptron keeps all of the matrix or its diagonal."""
    for learner in (AROW(matrix="sketch", rank=0), AROW(matrix="sketch", rank=101)):
        with pytest.raises(RegretlessError, match="rank"):
            learner.fit(np.eye(2), [0, 1])
    with pytest.raises(RegretlessError, match="matrix"):
        SecondOrderPerceptron(matrix="sketch").fit(np.eye(2), [0, 1])


def test_pixels_that_go_together_are_learned_better_than_by_the_diagonal():
    """On 240 columns that are sums of 8 with noise, a sketch errs less than two thirds as often as the diagonal."""
    random = np.random.default_rng(0)
    factors = random.normal(size=(1500, 8)) * 2.0 ** -np.arange(8)
    X = factors @ random.normal(size=(8, 240)) + 0.02 * random.normal(size=(1500, 240))
    y = (factors[:, 7] + factors[:, 6] / 2 > 0).astype(int)
    sketch, diagonal = (AROW(matrix=matrix).fit(X, y).ledger_.mistakes for matrix in ("sketch", "diagonal"))
    assert 3 * sketch < 2 * diagonal
