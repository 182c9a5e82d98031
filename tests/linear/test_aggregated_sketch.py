"""Members of the aggregated learner with a sketch of their matrix."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import regretless
from regretless import _core
from regretless.data.batch import Batch
from regretless.linear import AggregatedClassifier
from regretless.linear.aggregated.state import FULLS, SHED
from regretless.rows.mixture_state import FULL
from regretless.theory.aggregated import REACHES, by_a_matrix, curvature, mixture

from .test_second_order_perceptron import drawn, layouts

PRIOR = 10.0


def mixed(**settings):
    """The mixture with sketches."""
    return AggregatedClassifier(**{"full": "sketch", "intercept": 0.0} | settings)


def textbook(X, y, kappa, rank=5):
    """A member by itself: its scores, the sum of its B, its weights, what D starts with, D and the sums of what was
    shed times weights and times their squares."""
    n = X.shape[1]
    size, shed, drawn_, drawn2, B, w = (np.zeros(n) for _ in range(6))
    B, scores, total = np.zeros((0, n)), [], 0.0
    for x, label in zip(X, y, strict=True):
        larger = np.maximum(size, x * x)
        start = 2 * PRIOR * np.where(larger > 0, larger, 1)
        A = np.diag(start + shed) + B.T @ B
        w = w - np.linalg.solve(A, 2 * PRIOR * (larger - size) * w)
        size, gain = larger, np.linalg.solve(A, x)
        plain, h = float(w @ x), float(x @ gain)
        low, high = -abs(plain) - 1, abs(plain) + 1
        for _ in range(200):
            s = (low + high) / 2
            low, high = (s, high) if s + h * np.tanh(s / 2) < plain else (low, s)
        scores.append(s)
        g = -label / (1 + np.exp(label * s))
        c = kappa * abs(g) * (1 - abs(g))
        r = (c * (s - plain) - g) / (1 + h * c)
        moved = plain - s + h * r
        total -= 0.5 * h * r * r + g * moved + 0.5 * c * moved * moved
        w, B = w + r * gain, np.vstack([B, np.sqrt(c) * x])
        if len(B) == 2 * rank:
            D = start + shed
            _, axes = np.linalg.eigh(B / D @ B.T)
            B = axes[:, ::-1].T @ B
            more, B = (B[rank:] ** 2).sum(axis=0), B[:rank]
            shed, drawn_, drawn2 = shed + more, drawn_ + more * w, drawn2 + more * w * w
    return np.array(scores), total, w, size, (shed, drawn_, drawn2)


@pytest.mark.kernel
@settings(max_examples=10)
@given(st.integers(0, 10**6))
def test_a_member_with_a_sketch_is_the_textbooks(seed):
    """Weights, the sum of B and what was shed are those of thirty lines of numpy, for both reaches."""
    X, y = drawn(seed, rows=50, columns=8)
    learner = mixed().partial_fit(X, y, classes=[-1, 1])
    for lane, reach in enumerate(REACHES):
        _, total, w, _, (shed, pull, squares) = textbook(X, y, curvature(reach))
        part = learner.state_.sketch[:, lane, 1:]
        np.testing.assert_allclose(part[0], w, rtol=1e-6, atol=1e-8)
        np.testing.assert_allclose(part[1], shed, rtol=1e-6, atol=1e-9 * shed.max())
        np.testing.assert_allclose(part[2], pull, rtol=1e-5, atol=1e-8 * np.abs(pull).max())
        np.testing.assert_allclose(part[3], squares, rtol=1e-5, atol=1e-8 * squares.max())
        assert learner.state_.part("energy")[0, FULL + lane] == pytest.approx(total, rel=1e-7)


@settings(max_examples=20)
@given(st.integers(0, 10**6), st.sampled_from([0.1, 1.0, 3.0]), st.integers(10, 120))
def test_no_vector_breaks_the_bound_of_a_sketch(seed, length, rows):
    """The log loss of a member is at most that of any vector whose scores are within its reach, plus the prior, half of
    what was shed and the sum of B."""
    X, y = drawn(seed, rows=rows, columns=8)
    state = mixed().partial_fit(X, y, classes=[-1, 1]).state_
    random = np.random.default_rng(seed)
    for lane, reach in enumerate(REACHES):
        best = state.sketch[0, lane, 1:]
        for v in (best, best + length * random.normal(size=8) / np.abs(X).max(axis=0), np.zeros(8)):
            v = v * min(1.0, reach / max(1e-9, np.abs(X @ v).max()))
            loss = np.log1p(np.exp(-y * (X @ v))).sum()
            most = np.abs(X).max(axis=0)
            own = PRIOR * (most**2 * v**2).sum() + state.sketched_away(0, lane, np.append(0.0, v))
            bound = loss + own + state.part("energy")[0, FULL + lane]
            assert state.part("loss")[0, FULL + lane] <= bound * (1 + 1e-9)


@pytest.mark.kernel
@settings(max_examples=3)
@given(st.integers(0, 10**6), st.sampled_from([2, 3]))
def test_all_instruction_sets_and_layouts_give_the_same_bits(seed, classes):
    """Dense rows, sparse rows, stored zeros: one state and one score, on every instruction set, and scoring changes
    nothing."""
    X, y = drawn(seed, rows=40, columns=11, classes=tuple(range(classes)))
    states, before = set(), _core.isa()
    try:
        for isa in _core.isas():
            _core.use_isa(isa)
            for rows in layouts(X):
                ours = mixed(intercept=1.0).partial_fit(rows, y, classes=range(classes))
                held = b"".join(array.tobytes() for array in ours.state_.tensors().values())
                scores = ours.decision_function(7 * X).tobytes()
                assert held == b"".join(array.tobytes() for array in ours.state_.tensors().values())
                states.add(held + scores)
    finally:
        _core.use_isa(before)
    assert len(states) == 1


@pytest.mark.kernel
def test_columns_and_rounds_may_come_late(tmp_path):
    """Rows that are narrow at first, in parts, with a file in between, give the bits of rows that were wide."""
    X, y = drawn(4, rows=90, columns=12)
    X[:60, 7:] = 0
    wide, narrow = mixed().partial_fit(X, y, classes=[-1, 1]), mixed()
    for begin, end, columns in ((0, 23, 7), (23, 60, 7), (60, 90, 12)):
        rows = sp.csr_array(X[begin:end, :columns])
        narrow.observe(Batch(rows.data, y[begin:end].astype(float), columns, rows.indices, rows.indptr))
        narrow.save(tmp_path / "m.rgl")
        narrow = regretless.load(tmp_path / "m.rgl")
    for name, array in wide.state_.tensors().items():
        np.testing.assert_array_equal(narrow.state_.tensors()[name], array)


def test_certificates_hold_and_name_the_sketch():
    """On columns that go together the best member is a sketch, and the bounds against vectors hold."""
    random = np.random.default_rng(0)
    factors = random.normal(size=(600, 4)) * 3.0 ** -np.arange(4)
    X = factors @ random.normal(size=(4, 300)) + 0.01 * random.normal(size=(600, 300))
    y = (factors[:, 3] > 0).astype(int)
    learner = mixed(intercept=1.0).fit(X, y)
    lines = learner.certify(X, y)
    assert all(line.holds is not False for line in lines)
    assert any(line.theorem is by_a_matrix and line.applies for line in lines)
    best = next(line for line in lines if line.theorem is mixture)
    assert best.comparator.member.startswith(("sketch", "stacked"))
    assert (learner.state_.sketch[SHED, :FULLS] >= 0).all()
    assert learner.ledger_.loss < AggregatedClassifier(full=256).fit(X, y).ledger_.loss
