"""The perceptron of several classes: its trace, and its bounds."""

from __future__ import annotations

import warnings
from math import sqrt

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.utils.estimator_checks import parametrize_with_checks

from regretless.linear import MulticlassPerceptron, Perceptron
from regretless.textbook.linear import multiclass_perceptron
from regretless.theory.facts import LinearFacts
from regretless.theory.perceptron import (
    MULTICLASS,
    classes_posterior,
    classes_separable,
    classes_sharp,
)

from .slow import of_matrix

WEIGHTS = "a round that weighs 2 is one round and not two"
THRESHOLD = "the weights of classes move a threshold, which takes a constant feature and many passes"
EXPECTED = {
    "check_class_weight_classifiers": THRESHOLD,
    "check_sample_weight_equivalence_on_dense_data": WEIGHTS,
    "check_sample_weight_equivalence_on_sparse_data": WEIGHTS,
}
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    every_check = parametrize_with_checks(
        [MulticlassPerceptron(intercept=1.0, passes=5)], expected_failed_checks=lambda estimator: EXPECTED
    )

small = st.integers(-3, 3).map(float)
reals = st.floats(-8, 8, width=32)


def whole(learner) -> LinearFacts:
    """All classes together."""
    norms = learner.state_.norms()
    return LinearFacts(sqrt(2) * norms[0] if len(norms) == 1 else float(np.linalg.norm(norms)), learner.rate)


@pytest.mark.soak
@every_check
@pytest.mark.filterwarnings("ignore")
def test_scikit_learn_finds_no_fault(estimator, check):
    """Each of scikit-learn's estimator checks passes, but for weights that are not repetitions and a threshold that is
    not there."""
    check(estimator)


@given(
    X=arrays(np.float32, (25, 3), elements=small),
    y=arrays(np.int8, 25, elements=st.integers(0, 4)),
    rate=st.sampled_from([1.0, 0.5, 8.0]),
    intercept=st.sampled_from([0.0, 2.0]),
)
def test_the_trace_is_the_twins(X, y, rate, intercept):
    """Weights, updates and mistakes are those of the twin, from dense and sparse rows of either precision."""
    y, classes = np.unique(y, return_inverse=True)[1], len(set(y))
    if classes < 3:
        return
    longer = np.column_stack([X.astype(float), np.full(len(X), intercept)])
    W, updates, mistakes = multiclass_perceptron(longer, y, classes, rate)
    for rows in (X, X.astype(float), sp.csr_array(X), sp.csr_array(X.astype(float))):
        ours = MulticlassPerceptron(rate=rate, intercept=intercept).fit(rows, y)
        np.testing.assert_array_equal(ours.coef_, W[:, :-1])
        np.testing.assert_array_equal(ours.intercept_, W[:, -1] * intercept)
        assert (ours.ledger_.updates, ours.ledger_.mistakes) == (updates, mistakes)


@given(X=arrays(float, (25, 3), elements=small), y=arrays(np.int8, 25, elements=st.sampled_from([-1, 1])))
def test_two_classes_are_the_perceptron(X, y):
    """With two classes every decision is the perceptron's."""
    if len(set(y)) < 2:
        return
    ours, plain = MulticlassPerceptron().fit(X, y), Perceptron().fit(X, y)
    np.testing.assert_array_equal(ours.coef_, plain.coef_)
    assert ours.ledger_ == plain.ledger_


@pytest.mark.parametrize("separable", [True, False])
def test_two_classes_have_the_perceptrons_numbers(separable):
    """At the same vector the three bounds are those that the perceptron has there: half of it for each of two
    opposites."""
    rng = np.random.default_rng(0)
    X, v = rng.normal(size=(80, 3)), np.array([1.0, -2.0, 0.5])
    y = np.where((X @ v > 0) ^ (rng.random(80) < (0.0 if separable else 0.1)), 1, -1)
    theirs = {one.theorem.name: one for one in Perceptron().fit(X, y).certify(X, y, against=v)}
    ours = MulticlassPerceptron().fit(X, y).certify(X, y, against=v)
    for mine, other in zip(ours, map(theirs.get, ("separable", "sharp", "posterior")), strict=True):
        assert mine.applies == other.applies
        assert not mine.applies or mine.bound == pytest.approx(other.bound, rel=1e-2)


def test_a_shuffled_pass_is_a_pass_over_the_shuffled_rows():
    """The order comes from `random_state`, and the rows in that order give the same weights and books."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(80, 4)), rng.integers(0, 3, 80)
    order = np.random.default_rng(3).permutation(80)
    shuffled = MulticlassPerceptron(intercept=1.0, shuffle=True, random_state=3).fit(X, y)
    plain = MulticlassPerceptron(intercept=1.0).fit(X[order], y[order])
    np.testing.assert_array_equal(shuffled.coef_, plain.coef_)
    assert shuffled.ledger_ == plain.ledger_


# ---- the theorems


@given(
    X=arrays(float, (25, 3), elements=st.one_of(reals, st.sampled_from([0.0, 1e-60, 1e60]))),
    y=arrays(np.int8, 25, elements=st.integers(0, 3)),
    V=arrays(float, (4, 3), elements=reals),
    rate=st.sampled_from([1.0, 0.1, 7.0]),
    passes=st.integers(1, 3),
)
def test_no_stream_and_no_comparator_break_a_bound(X, y, V, rate, passes):
    """Every theorem holds on every stream against every matrix, over several passes, with classes that are never
    met."""
    learner = MulticlassPerceptron(rate=rate)
    for _ in range(passes):
        learner.partial_fit(X, y, classes=range(4))
    for scale in (1.0, 0.1, 1e-3, 0.0):
        u = of_matrix(X, y, scale * V, passes)
        for theorem in MULTICLASS[:3]:
            certificate = theorem.certify(learner.ledger_, [u], whole(learner))
            assert certificate.holds, str(certificate)


@given(
    X=arrays(float, (25, 3), elements=reals),
    y=arrays(np.int8, 25, elements=st.integers(0, 3)),
    V=arrays(float, (4, 3), elements=reals),
)
def test_classes_that_are_met_on_the_way_break_no_bound(X, y, V):
    """The bounds hold of the whole run, one class, two and then more, though early rounds had fewer rivals."""
    learner = MulticlassPerceptron().partial_fit(X, y)
    if len(learner.classes_) < 3:
        return
    places = np.searchsorted(learner.classes_, y)
    for scale in (1.0, 0.1, 1e-3):
        u = of_matrix(X, places, scale * V[: len(learner.classes_)])
        for theorem in MULTICLASS[:3]:
            certificate = theorem.certify(learner.ledger_, [u], whole(learner))
            assert certificate.holds, str(certificate)
    W = np.column_stack([learner.coef_, learner.intercept_])
    assert np.abs(W.sum(axis=0)).max() <= 1e-9
    assert np.linalg.norm(W) ** 2 <= 2 * learner.ledger_.update_norm2 * (1 + 1e-9) + 1e-12


@pytest.mark.parametrize("n", [1, 4, 9])
def test_orthonormal_rounds_of_two_classes_attain_the_bound(n):
    """On n orthonormal rows the opposite vectors of two classes make n updates, which is 2 (r / rho)^2."""
    X, y = np.eye(n), np.zeros(n, dtype=int)
    learner = MulticlassPerceptron().partial_fit(X, y, classes=[0, 1])
    u = of_matrix(X, y, np.array([np.ones(n), -np.ones(n)]))
    for theorem in (classes_separable, classes_sharp, classes_posterior):
        v = u if theorem is classes_separable else of_matrix(X, y, np.array([np.ones(n), -np.ones(n)]) / 2)
        assert theorem.bound(learner.ledger_, v, whole(learner)) == pytest.approx(n)
    assert learner.ledger_.updates == n


def test_without_the_factor_two_the_bound_is_false():
    """A step moves two classes: (r / rho)^2, as for two opposite vectors counted once, breaks."""
    X, y = np.eye(4), np.zeros(4, dtype=int)
    learner = MulticlassPerceptron().partial_fit(X, y, classes=[0, 1])
    u = of_matrix(X, y, np.array([np.ones(4), -np.ones(4)]))
    assert learner.ledger_.updates == 4 > u.max_norm2 / u.margin**2


def test_a_run_that_went_on_after_a_clean_pass_has_no_bound_on_its_length():
    """The certificate on the rounds until clean does not apply when more passes followed."""
    X, y = np.array([[2.0, 0.0], [0.0, 2.0], [-1.0, -1.0]]), ["a", "b", "c"]
    learner = MulticlassPerceptron(until_clean=True).fit(X, y)
    assert learner.certify(X, y)[-1].applies
    for _ in range(9):
        learner.partial_fit(X, y)
    assert "until a pass" in str(learner.certify(X, y)[-1].why)


def test_an_update_is_one_round():
    """The ledger counts rounds that moved two classes once, and what two classes were charged goes on when a third
    comes."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 3)), np.r_[np.arange(2), rng.integers(0, 2, 38), rng.integers(0, 3, 20)]
    late = MulticlassPerceptron().partial_fit(X, y).ledger_
    two = Perceptron().partial_fit(X[:40], y[:40]).ledger_
    ledger = MulticlassPerceptron().partial_fit(X, y, classes=[0, 1, 2]).ledger_
    assert late.updates <= late.rounds == ledger.rounds == 60
    half = MulticlassPerceptron().partial_fit(X[:40], y[:40]).extended(np.arange(3)).ledger()
    assert half.updates == two.updates
    assert half.loss == 2 * two.loss
    assert half.slope2 == 2 * two.slope2 == 2 * half.update_norm2


def test_a_class_that_comes_late_is_met_without_a_copy_of_the_others():
    """Meeting one class more takes the memory of the new weights alone, in which the others stand where they did."""
    import tracemalloc

    learner, many, columns = Perceptron(), 20, 5_000
    X = np.eye(many, columns)
    learner.partial_fit(X, np.arange(many) * 2)
    before = learner.state_.coefficients()
    tracemalloc.start()
    learner._meet(21)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 1.5 * before.nbytes
    assert np.array_equal(np.delete(learner.state_.coefficients(), 11, axis=1), before)
