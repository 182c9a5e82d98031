"""The p-norm perceptron: against its textbook twin, the perceptron and its theorems."""

from __future__ import annotations

import warnings
from math import inf, log

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.utils.estimator_checks import parametrize_with_checks

import regretless
from regretless.comparator import Comparator
from regretless.errors import RegretlessError
from regretless.linear import Perceptron, PNormPerceptron, Winnow
from regretless.linear.mirror_steps import DualNormGeometry, p_length
from regretless.textbook.linear import p_norm_perceptron
from regretless.theory.mirror import P_NORM, p_norm_posterior, p_norm_separable, p_norm_sharp
from regretless.theory.perceptron import posterior, separable, sharp

from .slow import comparator as slow

reals = st.floats(-8, 8, width=32)
signs = st.sampled_from([-1, 1])


def fitted(X, y, **parameters) -> PNormPerceptron:
    return PNormPerceptron(**parameters).partial_fit(np.asarray(X, float), np.asarray(y), classes=[-1, 1])


def comparator(X, y, v, q, of) -> Comparator:
    """A comparator computed the slow way."""
    product = float(np.asarray(v, float) @ of.state_.theta[: len(v), 0])
    return slow(X, y, v, own=float(np.linalg.norm(v, q)), product=product)


@given(
    seed=st.integers(0, 10**6),
    p=st.sampled_from([2.0, 2.5, 4.0, 11.0, 40.0]),
    tie=st.sampled_from(["update", 1, -1]),
    intercept=st.sampled_from([0.0, 1.5]),
    scale=st.sampled_from([1e-30, 1.0, 1e30]),
    kind=st.sampled_from([np.float32, np.float64]),
)
def test_it_is_the_textbooks(seed, p, tie, intercept, scale, kind):
    """Dual coordinates, updates and mistakes are those of eight lines of numpy, also for tiny and huge rows."""
    rng = np.random.default_rng(seed)
    X, y = (rng.normal(size=(40, 6)) * (rng.random((40, 6)) < 0.6)).astype(np.float32), rng.choice([-1, 1], 40)
    longer = np.hstack([X, np.full((len(X), 1), intercept)]) if intercept else X
    theta, *counts = p_norm_perceptron(longer, y, p, ties=0 if tie == "update" else tie)
    scale = scale if kind is np.float64 else 1.0
    learner = PNormPerceptron(p=p, ties=tie, intercept=intercept * scale)
    learner.partial_fit(sp.csr_array((X * kind(scale)).astype(kind)), y, classes=[-1, 1])
    assert [learner.ledger_.updates, learner.ledger_.mistakes] == counts
    duals, bias = learner.state_.duals(0)
    np.testing.assert_allclose(duals / scale, theta[:6], rtol=1e-9, atol=1e-9)
    assert bias == pytest.approx(theta[6] * scale if intercept else 0.0)
    update_rows = _update_rows(longer, y, p, 0 if tie == "update" else tie)
    reach = max((scale * np.linalg.norm(longer[t].astype(float), p) for t in update_rows), default=0.0)
    assert learner.target_facts()[0].reach == pytest.approx(reach, rel=1e-12)


def _update_rows(X, y, p, ties):
    """The rounds in which the textbook moves."""
    before, rows = 0, []
    for t in range(len(X)):
        updates = p_norm_perceptron(X[: t + 1], y[: t + 1], p, ties=ties)[1]
        if updates > before:
            rows.append(t)
        before = updates
    return rows


@given(
    X=arrays(float, (40, 5), elements=st.one_of(st.just(0.0), reals)),
    y=arrays(np.int8, 40, elements=st.integers(0, 2)),
    rate=st.sampled_from([1.0, 0.1, 7.0]),
    intercept=st.sampled_from([0.0, 1.5]),
)
def test_two_norms_are_the_perceptron(X, y, rate, intercept):
    """With p = 2 it has the perceptron's weights, decisions and mistakes, bit for bit, with several classes too."""
    ours = PNormPerceptron(p=2, rate=rate, intercept=intercept).partial_fit(X, y, classes=[0, 1, 2])
    theirs = Perceptron(rate=rate, intercept=intercept).partial_fit(X, y, classes=[0, 1, 2])
    np.testing.assert_array_equal(ours.state_.theta, theirs.state_.weights)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-12)
    for name in ("rounds", "updates", "mistakes", "max_norm2", "update_norm2", "total_norm2"):
        assert getattr(ours.ledger_, name) == getattr(theirs.ledger_, name)
    assert ours.ledger_.loss == pytest.approx(theirs.ledger_.loss)


@given(
    X=arrays(float, (30, 3), elements=st.one_of(reals, st.sampled_from([0.0, 1e-6, 1e6]))),
    y=arrays(np.int8, 30, elements=signs),
    v=arrays(float, 3, elements=reals),
    p=st.sampled_from([2.0, 2.2, 3.0, 10.0, 60.0]),
    ties=st.sampled_from(["update", 1, -1]),
    rate=st.sampled_from([1.0, 0.1, 7.0]),
)
def test_no_stream_and_no_comparator_break_a_sure_bound(X, y, v, p, ties, rate):
    """Every theorem of the p-norm perceptron holds on every stream against every vector."""
    learner = fitted(X, y, p=p, ties=ties, rate=rate)
    for theorem in P_NORM:
        certificate = theorem.certify(
            learner.ledger_, [comparator(X, y, v, p / (p - 1), learner)], learner.target_facts()[0]
        )
        assert certificate.holds, str(certificate)


@given(
    X=arrays(float, (25, 4), elements=reals), y=arrays(np.int8, 25, elements=signs), v=arrays(float, 4, elements=reals)
)
def test_at_two_the_theorems_are_the_perceptrons(X, y, v):
    """With p = 2 each bound is the perceptron's, or smaller, for it looks at updates alone."""
    if not v.any():
        return
    ours, theirs = fitted(X, y, p=2), Perceptron().partial_fit(X, y, classes=[-1, 1])
    u, ledger = comparator(X, y, v, 2, ours), theirs.ledger_
    ours_, theirs_ = ours.target_facts()[0], theirs.target_facts()[0]
    assert p_norm_posterior.bound(ledger, u, ours_) <= posterior.bound(ledger, u, theirs_) * (1 + 1e-6) + 1e-6
    assert p_norm_sharp.bound(ledger, u, ours_) <= sharp.bound(ledger, u, theirs_) * (1 + 1e-9)
    if u.least > 0:
        assert p_norm_separable.bound(ledger, u, ours_) <= separable.bound(ledger, u, theirs_) * (1 + 1e-9)


@given(
    X=arrays(float, (20, 4), elements=reals), y=arrays(np.int8, 20, elements=signs), p=st.sampled_from([2.0, 3.0, 9.0])
)
def test_the_chain_behind_the_proof(X, y, p):
    """|theta|_p^2 is at most p - 1 times the sum of |x|_p^2 over the updates."""
    X = np.where(np.abs(X) < 1e-20, 0.0, X)  # so that no power below vanishes
    theta, total, clear = np.zeros(4), 0.0, []
    for x, label in zip(X, y, strict=True):
        terms = np.sign(theta) * np.abs(theta) ** (p - 1) * x
        # Where terms cancel, rounding decides on which side of 0 the score is, and each order of the sum in its way.
        clear.append(not terms.any() or abs(terms.sum()) > 1e-9 * np.abs(terms).sum())
        if clear[-1] and label * terms.sum() <= 0:
            theta, total = theta + label * x, total + np.linalg.norm(x, p) ** 2
    learner = fitted(X[clear], y[clear], p=p)
    assert np.linalg.norm(theta, p) ** 2 <= (p - 1) * total * (1 + 1e-9) + 1e-9
    facts = learner.target_facts()[0]
    np.testing.assert_allclose(learner.state_.theta[:4, 0], theta, atol=1e-9)
    assert total <= facts.reach**2 * learner.ledger_.updates * (1 + 1e-9)


def test_orthonormal_rounds_attain_the_bound():
    """With p = 2, n orthonormal rows of label -1 are n updates, which is the separable bound."""
    for n in range(1, 9):
        learner = fitted(np.eye(n), -np.ones(n), p=2)
        u = comparator(np.eye(n), -np.ones(n), -np.ones(n), 2, learner)
        certificate = p_norm_separable.certify(learner.ledger_, [u], learner.target_facts()[0])
        assert certificate.observed == certificate.shown_bound == n


def test_few_features_of_many_are_found_sooner():
    """Where three of 2,000 signs decide, p = 2 ln d makes far fewer updates than the perceptron."""
    rng = np.random.default_rng(0)
    X = rng.choice([-1.0, 1.0], size=(1500, 2000)).astype(np.float32)
    y = np.sign(X[:, :3].sum(1))
    ours, theirs = PNormPerceptron().fit(X, y), Perceptron().fit(X, y)
    assert ours.p_ == pytest.approx(2 * log(2000))
    assert ours.ledger_.updates < theirs.ledger_.updates / 3
    v = np.eye(2000)[:3].sum(0)
    u = comparator(X, y, v, ours.p_ / (ours.p_ - 1), ours)
    assert p_norm_separable.bound(ours.ledger_, u, ours.target_facts()[0]) < 2000 * 3
    assert Winnow(balanced=True, gamma=1 / 3).fit(X, y).ledger_.updates < theirs.ledger_.updates / 3


def test_lengths_have_no_range():
    """The p-norm of what has no p-th power among floats is right, with the constant feature's entry."""
    assert p_length(np.array([3e200, 4e200]), 0.0, 2) == pytest.approx(5e200)
    assert p_length(np.array([3e-200]), 4e-200, 2) == pytest.approx(5e-200)
    assert p_length(np.zeros(2), 0.0, 3) == 0
    assert p_length(np.array([inf]), 0.0, 3) == inf
    assert DualNormGeometry(lambda target: (np.ones(8), 0.0), 4.0).measure(np.ones(8), 0.0, 0) == (
        pytest.approx(8**0.75),
        0.0,
    )


def test_auto_is_set_by_the_first_rows_and_kept(tmp_path):
    """p is 2 ln d, at least 2, with the constant feature counted; a saved model keeps it."""
    X, y = np.random.default_rng(0).normal(size=(30, 40)), np.tile([0, 1], 15)
    learner = PNormPerceptron().fit(X, y)
    assert learner.p_ == 2 * log(40)
    assert PNormPerceptron(intercept=1.0).fit(X, y).p_ == 2 * log(41)
    assert PNormPerceptron().fit(X[:, :2], y).p_ == 2
    learner.save(tmp_path / "m.rgl")
    assert regretless.load(tmp_path / "m.rgl").p_ == learner.p_


@pytest.mark.parametrize("p", [1.9, "two", True, float("nan"), 1e4, None])
def test_p_without_a_meaning_is_refused(p):
    """A p below 2, above 1000 or no number is named."""
    with pytest.raises(RegretlessError, match="p="):
        PNormPerceptron(p=p).fit(np.eye(2), [0, 1])


with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    WEIGHTS = "a round that weighs 2 is one round and not two"
    HEAVY = "a heavier class moves the weights farther, which need not make it the more frequent one"
    every_check = parametrize_with_checks(
        [PNormPerceptron(), PNormPerceptron(p=3, intercept=2.0, passes=3, shuffle=True, random_state=0)],
        expected_failed_checks=lambda estimator: {
            "check_sample_weight_equivalence_on_dense_data": WEIGHTS,
            "check_sample_weight_equivalence_on_sparse_data": WEIGHTS,
            "check_class_weight_classifiers": HEAVY,
        },
    )


@pytest.mark.soak
@every_check
@pytest.mark.filterwarnings("ignore")
def test_scikit_learn_finds_no_fault(estimator, check):
    """Each of scikit-learn's estimator checks passes, but for those that promise what a step cannot."""
    check(estimator)
