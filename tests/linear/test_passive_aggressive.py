"""Passive-aggressive learners: the steps of the paper, and the bounds on what they lose."""

from __future__ import annotations

import warnings
from math import sqrt

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.utils.estimator_checks import parametrize_with_checks

from regretless.errors import RegretlessError
from regretless.linear import PassiveAggressive
from regretless.textbook.linear import passive_aggressive
from regretless.theory.gradient import (
    OF_VARIANT,
    PASSIVE_AGGRESSIVE,
    aggressive_agnostic,
    aggressive_mistakes,
    aggressive_separable,
    damped_losses,
    damped_mistakes,
    limited_mistakes,
    limited_posterior,
)

from .slow import comparator, hunted

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
        [PassiveAggressive(variant="PA-II", C=0.5)], expected_failed_checks=lambda estimator: EXPECTED
    )

VARIANTS = ["PA", "PA-I", "PA-II"]
variants, sizes = st.sampled_from(VARIANTS), st.sampled_from([1e-3, 0.1, 1.0, 30.0])
reals = st.floats(-8, 8, width=32)
signs = st.sampled_from([-1, 1])


def fitted(X, y, **parameters) -> PassiveAggressive:
    return PassiveAggressive(**parameters).partial_fit(np.asarray(X, float), np.asarray(y), classes=[-1, 1])


def certificates(learner, u):
    """What the theorems of its variant say of it against one comparator."""
    return [theorem.certify(learner.ledger_, [u], learner.target_facts()[0]) for theorem in learner.proven()]


@pytest.mark.soak
@every_check
@pytest.mark.filterwarnings("ignore")
def test_scikit_learn_finds_no_fault(estimator, check):
    """Each of scikit-learn's estimator checks passes, but for weights that are not repetitions and a threshold that is
    not there."""
    check(estimator)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
def test_the_trace_is_the_twins(variant, C):
    """Weights, squared losses and mistakes are those of the twin but for rounding, and the same bits whether rows are
    dense or sparse and of either precision."""
    for seed in range(10):
        rng = np.random.default_rng(seed)
        X = (rng.normal(size=(120, 4)) * (rng.random((120, 4)) < 0.8)).astype(np.float32)
        X[rng.integers(0, 120, 5)] = 0
        y, intercept = rng.choice([-1, 1], 120), 1.5 * (seed % 2)
        longer = np.column_stack([X.astype(float), np.full(120, intercept)])
        w, squares, mistakes, updates = passive_aggressive(longer, y, variant, C)
        kinds = (X.astype(float), X, sp.csr_array(X), sp.csr_array(X.astype(float)))
        ours = [PassiveAggressive(variant=variant, C=C, intercept=intercept).fit(rows, y) for rows in kinds]
        np.testing.assert_allclose(ours[0].coef_[0], w[:-1], rtol=1e-7, atol=1e-12)
        np.testing.assert_allclose(ours[0].intercept_[0], w[-1] * intercept, rtol=1e-7, atol=1e-12)
        assert ours[0].ledger_.slope2 == pytest.approx(squares, rel=1e-7)
        assert (ours[0].ledger_.mistakes, ours[0].ledger_.updates) == (mistakes, updates)
        for other in ours[1:]:
            np.testing.assert_array_equal(other.coef_, ours[0].coef_)
            assert other.ledger_ == ours[0].ledger_


@pytest.mark.parametrize(("variant", "loss"), [("PA-I", "hinge"), ("PA-II", "squared_hinge")])
@pytest.mark.filterwarnings("ignore")
def test_one_pass_is_scikit_learns(variant, loss):
    """Over one pass in order and without intercept the weights are those of scikit-learn."""
    from sklearn.linear_model import PassiveAggressiveClassifier as Theirs

    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 5)), rng.choice([-1, 1], 300)
    theirs = Theirs(C=0.3, loss=loss, fit_intercept=False, shuffle=False, max_iter=1, tol=None).fit(X, y)
    np.testing.assert_allclose(PassiveAggressive(variant=variant, C=0.3).fit(X, y).coef_, theirs.coef_, rtol=1e-9)


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_weight_of_a_round_is_a_weight_of_its_loss(variant):
    """A round of weight c has c C in place of C, so that no step goes further than to a loss of 0, whatever it
    weighs."""
    rng = np.random.default_rng(0)
    X, y, weights = rng.normal(size=(200, 5)), rng.choice([-1, 1], 200), rng.uniform(0, 3, 200)
    weights[::17] = 0
    w = np.zeros(5)
    for x, label, weight in zip(X, y, weights, strict=True):
        lost, norm2 = max(0.0, 1 - label * (w @ x)), x @ x
        if weight > 0:
            limited, damped = min(0.3 * weight, lost / norm2), lost / (norm2 + 1 / (0.6 * weight))
            w = w + {"PA": lost / norm2, "PA-I": limited, "PA-II": damped}[variant] * label * x
    ours = PassiveAggressive(variant=variant, C=0.3).fit(X, y, sample_weight=weights)
    np.testing.assert_allclose(ours.coef_[0], w, rtol=1e-9)


def test_a_shuffled_pass_is_a_pass_over_the_shuffled_rows():
    """The order comes from `random_state`, and the rows in that order give the same weights and books."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(80, 4)), rng.integers(0, 3, 80)
    order = np.random.default_rng(3).permutation(80)
    shuffled = PassiveAggressive(C=0.1, shuffle=True, random_state=3).fit(X, y)
    plain = PassiveAggressive(C=0.1).fit(X[order], y[order])
    np.testing.assert_array_equal(shuffled.coef_, plain.coef_)
    assert shuffled.ledger_ == plain.ledger_


# ---- the theorems


@given(
    X=arrays(float, (25, 3), elements=st.one_of(reals, st.sampled_from([0.0, 1e-3, 200.0]))),
    y=arrays(np.int8, 25, elements=signs),
    v=arrays(float, 3, elements=reals),
    variant=variants,
    C=sizes,
    passes=st.integers(1, 3),
    ties=signs,
)
def test_no_stream_and_no_comparator_break_a_bound(X, y, v, variant, C, passes, ties):
    """Every theorem of each variant holds on every stream, zero rows included, over several passes, against any
    vector."""
    learner = PassiveAggressive(variant=variant, C=C, ties=ties)
    for _ in range(passes):
        learner.partial_fit(X, y, classes=[-1, 1])
    for scale in (1.0, 0.1, 1e-3, 0.0):
        for certificate in certificates(learner, comparator(X, y, scale * v, passes)):
            assert certificate.holds, str(certificate)


@given(
    X=arrays(float, (25, 3), elements=reals),
    y=arrays(np.int8, 25, elements=signs),
    v=arrays(float, 3, elements=reals),
    size=st.sampled_from([1.0, 1e-3, 50.0]),
    dtype=st.sampled_from([np.float32, np.float64]),
)
def test_rows_of_one_length_have_a_bound_on_any_data(X, y, v, size, dtype):
    """PA's bound for data that cannot be separated applies to rows that were normalized, in either precision, and
    holds."""
    lengths = np.linalg.norm(X, axis=1)
    keep = lengths > 1e-3
    if not keep.any():
        return
    X, y = (X[keep] / lengths[keep, None] * size).astype(dtype).astype(float), y[keep]
    learner = fitted(X, y, variant="PA")
    for scale in (1.0, 0.1, 1e-3, 0.0):
        certificate = certificates(learner, comparator(X, y, scale * v))[2]
        assert certificate.theorem is aggressive_agnostic
        assert certificate.applies, str(certificate)
        assert certificate.holds, str(certificate)


@settings(max_examples=25)
@given(
    X=arrays(float, (20, 3), elements=st.sampled_from([0.0, 1.0, -1.0, 1e-30, 7.5, -1e30])), variant=variants, C=sizes
)
def test_no_stream_breaks_what_is_printed(X, variant, C):
    """The certificates with the comparators that are found in hindsight hold, for rows of any size."""
    y = np.array([1, -1] * 10)
    try:
        learner = PassiveAggressive(variant=variant, C=C).fit(X, y)
    except RegretlessError:
        return
    result = hunted(learner, X, y)
    assert [c.theorem for c in result] == list(OF_VARIANT[variant])
    for certificate in result:
        assert certificate.holds, str(certificate)


@pytest.mark.parametrize("n", [1, 4, 9])
def test_orthonormal_rounds_attain_the_bounds(n):
    """On n orthonormal rows with label -1 all three variants make n mistakes, and so many are allowed."""
    X, y = np.eye(n), -np.ones(n)
    for variant, theorems, scale in (
        ("PA", (aggressive_separable, aggressive_mistakes, aggressive_agnostic), 1.0),
        ("PA-I", (limited_mistakes, limited_posterior), 1.0),
        ("PA-II", (damped_losses, damped_mistakes), 2 / 3),  # 2C / (1 + 2C)
    ):
        learner = fitted(X, y, variant=variant, C=1.0)
        for theorem in theorems:
            certificate = theorem.certify(
                learner.ledger_, [comparator(X, y, -scale * np.ones(n))], learner.target_facts()[0]
            )
            assert certificate.observed == n
            assert certificate.bound == pytest.approx(n)


def test_small_steps_are_the_perceptrons_and_have_its_bound():
    """When every step is C, the posterior bound is H + |v| |w| / C, as of a perceptron that also moves on small
    margins."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 3)), rng.choice([-1, 1], 60)
    learner = fitted(X, y, C=1e-6)
    assert learner.ledger_.first_rate == learner.ledger_.last_rate == 1e-6
    for v in rng.normal(size=(9, 3)):
        u = comparator(X, y, v)
        bound = limited_posterior.bound(learner.ledger_, u, learner.target_facts()[0])
        assert bound == pytest.approx(u.hinge + u.norm * learner.target_facts()[0].norm / 1e-6)


# ---- forms that are false, or would be


def test_the_agnostic_bound_is_false_for_rows_of_different_lengths():
    """With a row a thousandth as long as the others, PA loses more than 10^5 times (|v| + 2 U)^2, and the certificate
    does not apply."""
    X, y, v = np.array([[1.0], [1e-3], [1.0]]), np.array([1, -1, 1]), np.array([1.0])
    learner, u = fitted(X, y, variant="PA"), comparator(X, y, v)
    printed = (u.norm + 2 * sqrt(u.squared_hinge)) ** 2
    assert learner.ledger_.slope2 > 1e5 * printed
    certificate = aggressive_agnostic.certify(learner.ledger_, [u], learner.target_facts()[0])
    assert "one length" in str(certificate.why)


def test_the_root_is_sharper_than_the_printed_form():
    """The solution of the quadratic is at most (|v| + 2 U)^2 for rows of length 1."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    y = rng.choice([-1, 1], 40)
    learner = fitted(X, y, variant="PA")
    for v in rng.normal(size=(20, 3)):
        u = comparator(X, y, v)
        ours = aggressive_agnostic.bound(learner.ledger_, u, learner.target_facts()[0])
        assert ours <= (u.norm + 2 * sqrt(u.squared_hinge)) ** 2 * (1 + 1e-9)


def test_each_variant_has_its_own_theorems():
    """A theorem about one variant gives no number for another, and says which one it is about."""
    X, y = np.eye(3), np.array([1, -1, 1])
    u = comparator(X, y, np.array([1.0, -1, 1]))
    names = {"PA": "it is about PA", "PA-I": "it is about PA-I", "PA-II": "it is about PA-II"}
    for variant in VARIANTS:
        learner = fitted(X, y, variant=variant)
        for theorem in PASSIVE_AGGRESSIVE:
            certificate = theorem.certify(learner.ledger_, [u], learner.target_facts()[0])
            assert certificate.applies == (theorem in learner.proven())
            assert certificate.applies or certificate.why in names.values()
    weighted = PassiveAggressive().fit(X, y, sample_weight=[1, 2, 1])
    assert "weigh" in str(certificates(weighted, u)[0].why)


def test_the_squared_losses_are_summed_over_all_rounds():
    """The ledger's sum of squared losses counts a zero row too, on which nothing can be learned and nobody is right."""
    X, y = np.array([[0.0, 0.0], [2.0, 0.0], [0.0, 0.0]]), np.array([1, 1, -1])
    for variant in VARIANTS:
        ledger = fitted(X, y, variant=variant).ledger_
        assert (ledger.slope2, ledger.updates, ledger.mistakes) == (3.0, 1.0, 1.0)


@pytest.mark.parametrize(
    ("parameters", "names"),
    [({"variant": "PA-III"}, "variant"), ({"C": 0}, "C="), ({"C": float("inf")}, "C="), ({"ties": "update"}, "ties")],
)
def test_parameters_without_a_meaning_are_refused_by_name(parameters, names):
    """The message names the parameter."""
    with pytest.raises(RegretlessError, match=names):
        PassiveAggressive(**parameters).fit(np.eye(2), [0, 1])


def test_the_bound_for_any_data_as_printed_needs_rows_of_length_one():
    """(|v| + 2 U)^2, meant for |x| = 1, is less than the squared losses on rows of two lengths; ours declines there."""
    X, y = np.array([[1.0], [100.0]] * 20), np.array([1, -1] * 20)
    learner = PassiveAggressive(variant="PA").fit(X, y)
    vectors = np.linspace(-1, 1, 2001)
    losses = np.maximum(0, 1 - (y * X[:, 0])[:, None] * vectors)
    printed = np.abs(vectors) + 2 * np.sqrt((losses**2).sum(axis=0))
    assert learner.ledger_.slope2 > printed.min() ** 2
    declined = next(c for c in learner.certify(X, y, svm=False) if c.theorem is aggressive_agnostic)
    assert not declined.applies
