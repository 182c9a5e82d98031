"""The perceptron's theorems: nothing that hypothesis can build breaks them, and the forms once printed wrongly do
break."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import regretless
from regretless.comparator import Comparator
from regretless.ledger import Ledger
from regretless.linear import Perceptron
from regretless.theory.facts import LinearFacts
from regretless.theory.perceptron import (
    PERCEPTRON,
    clean_pass,
    lengths,
    posterior,
    separable,
    sharp,
    squared_hinge,
    squared_lengths,
    total_distance,
)

from .slow import comparator

reals = st.floats(-8, 8, width=32)
signs = st.sampled_from([-1, 1])


def fitted(X, y, **parameters) -> Perceptron:
    learner = Perceptron(**parameters)
    return learner.partial_fit(np.asarray(X, float), np.asarray(y), classes=[-1, 1])


@given(
    X=arrays(float, (30, 3), elements=reals),
    y=arrays(np.int8, 30, elements=signs),
    v=arrays(float, 3, elements=reals),
    ties=st.sampled_from(["update", 1, -1]),
    rate=st.sampled_from([1.0, 0.1, 7.0]),
)
def test_no_stream_and_no_comparator_break_a_sure_bound(X, y, v, ties, rate):
    """Every theorem of the perceptron holds on every stream against every vector, under every rule for ties."""
    learner = fitted(X, y, ties=ties, rate=rate)
    for theorem in PERCEPTRON:
        certificate = theorem.certify(learner.ledger_, [comparator(X, y, v)], learner.target_facts()[0])
        assert certificate.holds, str(certificate)


@given(
    X=arrays(float, (12, 3), elements=reals),
    y=arrays(np.int8, 12, elements=signs),
    v=arrays(float, 3, elements=reals),
)
def test_the_order_of_the_bounds_at_one_vector(X, y, v):
    """At each vector the posterior bound and the sharp bound are at most the total distance, and the sharp bound is at
    most the form with a sqrt(H). What the lengths of the updates say is no less than the posterior bound, and where all
    rows are updates of one length no more than the squared-hinge bound."""
    learner = fitted(X, y)
    ledger, facts, u = learner.ledger_, learner.target_facts()[0], comparator(X, y, v)
    a = sqrt(ledger.max_norm2) * u.norm
    assert sharp.bound(ledger, u, facts) <= total_distance.bound(ledger, u, facts) * (1 + 1e-12)
    assert sharp.bound(ledger, u, facts) <= (a * a + a * sqrt(u.hinge) + u.hinge) * (1 + 1e-12)
    reached = u.hinge + a * sqrt(ledger.updates)
    assert posterior.bound(ledger, u, facts) <= lengths.bound(ledger, u, facts) * (1 + 1e-9) <= reached * (1 + 2e-9)
    solved = squared_lengths.bound(ledger, u, facts)
    assert solved == pytest.approx(sqrt(u.squared_hinge * solved) + u.norm * sqrt(ledger.update_norm2))
    if ledger.update_norm2 <= ledger.max_norm2 * squared_hinge.bound(ledger, u, facts):
        assert solved <= squared_hinge.bound(ledger, u, facts) * (1 + 1e-9)


@given(X=arrays(float, (20, 4), elements=reals), y=arrays(np.int8, 20, elements=signs))
def test_the_chain_behind_the_proof(X, y):
    """updates * rho <= |w| <= r * sqrt(updates), whatever vector rho is the margin of."""
    learner = fitted(X, y)
    ledger, norm = learner.ledger_, learner.target_facts()[0].norm
    assert norm <= sqrt(ledger.max_norm2 * ledger.updates) * (1 + 1e-9) + 1e-12
    assert norm <= sqrt(ledger.update_norm2) * (1 + 1e-9) + 1e-12
    rng = np.random.default_rng(0)
    for v in rng.normal(size=(5, 4)):
        rho = comparator(X, y, v).margin
        assert ledger.updates * rho <= norm * (1 + 1e-9) + 1e-9


def test_orthonormal_rounds_attain_the_separable_bound():
    """On n orthonormal rows with label -1 the perceptron makes exactly (r / rho)^2 = n updates."""
    for n in range(1, 9):
        X, y = np.eye(n), -np.ones(n)
        learner, v = fitted(X, y), -np.ones(n)
        certificate = separable.certify(learner.ledger_, [comparator(X, y, v)], learner.target_facts()[0])
        assert certificate.observed == n
        assert certificate.shown_bound == n


def test_a_run_until_clean_is_as_short_as_its_theorem_says():
    """Orthonormal rows of label -1 are clean in the second pass of at most d + 1; a fixed number of passes has no such
    certificate."""
    X, y = np.eye(5), -np.ones(5)
    learner = Perceptron(until_clean=True).partial_fit(X, y, classes=[-1, 1]).partial_fit(X, y)
    last = learner.certify(X, y)[-1]
    assert last.theorem is clean_pass
    assert (last.observed, last.bound) == (10, 5 * 6)
    assert clean_pass not in [c.theorem for c in Perceptron(passes=2).partial_fit(X, y, classes=[-1, 1]).certify(X, y)]


def test_the_exponential_example():
    """Triangular rows of alternating sign make (4^n - 1) / 3 updates, within the bound n (4^n - 1) / 3."""
    for n in range(1, 7):
        y = np.array([1.0 if i % 2 == 0 else -1.0 for i in range(n)])
        X = y[:, None] * (np.eye(n) - np.tri(n, k=-1))
        learner = Perceptron(passes=10_000, until_clean=True)
        if n == 1:
            learner.partial_fit(X, y, classes=[-1, 1])
        else:
            learner.fit(X, y)
        assert learner.ledger_.updates == (4**n - 1) // 3
        w = learner.coef_[0]
        repeats = int(learner.ledger_.rounds) // n
        certificate = separable.certify(learner.ledger_, [comparator(X, y, w, repeats)], learner.target_facts()[0])
        assert certificate.applies
        assert certificate.holds


def test_the_posterior_bound_is_attained_away_from_zero():
    """Five updates, and the posterior bound at v = e_1 is 5: it is met with equality by a vector that is not 0."""
    X = np.array([[1.0, 0]] * 3 + [[0, 1.0]] * 4 + [[1.0, 0]] * 9)
    y = np.array([1, 1, 1, -1, 1, -1, 1] + [1] * 9)
    learner = fitted(X, y)
    values = [
        posterior.bound(learner.ledger_, comparator(X, y, np.array([s, 0.0])), learner.target_facts()[0])
        for s in (1, 0.5, 0)
    ]
    assert learner.ledger_.updates == 5
    assert values == pytest.approx([5.0, 10.5, 16.0], rel=1e-12)


# ---- forms that were printed wrongly must fail


def test_the_square_root_of_the_length_of_the_losses_is_no_bound():
    """With sqrt(|L|) instead of |L| the squared-hinge bound breaks: x = 1 with alternating labels, two rounds."""
    X, y = np.ones((2, 1)), np.array([1, -1])
    learner, u = fitted(X, y), comparator(np.ones((2, 1)), [1, -1], np.zeros(1))
    printed = (0 + sqrt(sqrt(u.squared_hinge))) ** 2
    assert learner.ledger_.updates == 2 > printed
    assert squared_hinge.bound(learner.ledger_, u, learner.target_facts()[0]) == pytest.approx(2)


def test_hinge_losses_of_the_update_rounds_alone_say_nothing():
    """Summed over the updates alone, the smallest hinge bound is M itself, so it could never have been violated or
    used."""
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(50, 2)), rng.choice([-1, 1], 50)
    learner = fitted(X, y)
    M, w, updates = learner.ledger_.updates, np.zeros(2), []
    for t in range(50):
        if y[t] * (w @ X[t]) <= 0:
            w, updates = w + y[t] * X[t], [*updates, t]
    Z = y[updates, None] * X[updates]
    best = min(
        np.maximum(0, 1 - s * Z @ d).sum() + s * sqrt(learner.ledger_.max_norm2) * sqrt(M)
        for d in (w / np.linalg.norm(w), *rng.normal(size=(20, 2)))
        for s in (0, 1e-6, 0.01, 0.1, 1)
    )
    assert best == pytest.approx(M)


def test_the_largest_coordinate_is_no_radius():
    """With r the largest coordinate instead of the length, Novikoff's bound breaks: 1 < 2 updates under ties=1."""
    X, y = np.array([[-1.0, -1], [-1, 1]]), np.array([-1, -1])
    learner = fitted(X, y, ties=1)
    u = comparator(X, y, np.array([1.0, 0]))
    assert learner.ledger_.updates == 2 > (np.abs(X).max() / u.margin) ** 2
    assert separable.bound(learner.ledger_, u, learner.target_facts()[0]) == pytest.approx(2)


def test_the_smallest_sphere_is_no_radius():
    """r must be measured from the origin: two rows close together and far away make 2 updates, not 1."""
    X, y = np.array([[10.0, 1], [10, -1]]), np.array([1, -1])
    learner = fitted(X, y)
    u = comparator(X, y, np.array([0.0, 1]))
    assert learner.ledger_.updates == 2 > 1.0 / u.margin**2
    assert separable.bound(learner.ledger_, u, learner.target_facts()[0]) == 101


# ---- assumptions


def test_a_comparator_read_on_other_rounds_gives_no_number():
    """The certificate says so when its comparator was read on rounds that were not played."""
    X, y = np.eye(3), np.array([1, -1, 1])
    learner = fitted(X, y)
    other = comparator(2 * X, y, np.ones(3))
    for theorem in PERCEPTRON:
        certificate = theorem.certify(learner.ledger_, [other], learner.target_facts()[0])
        assert not certificate.applies
        assert certificate.bound is None
        assert "rounds" in str(certificate.why)


def test_sample_weights_are_named_as_the_obstacle():
    """A bound that assumes unit weights says so when weights were given."""
    X, y = np.eye(3), np.array([1, -1, 1])
    learner = Perceptron().fit(X, y, sample_weight=[1, 2, 1])
    certificate = sharp.certify(learner.ledger_, [comparator(X, y, np.ones(3))], learner.target_facts()[0])
    assert not certificate.applies
    assert "weigh" in str(certificate.why)


def test_parameters_changed_during_the_run_are_named_as_the_obstacle(tmp_path):
    """A run that was not played by one set of parameters has no certificate, also after it was saved and loaded."""
    X, y = np.eye(3), np.array([1, -1, 1])
    learner = fitted(X, y).set_params(rate=2.0).partial_fit(X, y)
    learner.save(tmp_path / "m.rgl")
    for facts in (learner.target_facts()[0], regretless.load(tmp_path / "m.rgl").target_facts()[0]):
        certificate = sharp.certify(learner.ledger_, [comparator(X, y, np.ones(3), 2)], facts)
        assert "parameters" in str(certificate.why)


def test_a_certificate_floors_counts_but_never_below_what_a_float_may_have_lost():
    """A bound of 2.9999999999 on a count prints 3, one of 2.9 prints 2."""

    u = Comparator("", 0, 2.9999999999, 0, None, 0, 3, 0, 0)
    assert sharp.certify(Ledger(rounds=3), [u], LinearFacts(0, 1)).shown_bound == 3
    u = Comparator("", 0, 2.9, 0, None, 0, 3, 0, 0)
    assert sharp.certify(Ledger(rounds=3), [u], LinearFacts(0, 1)).shown_bound == 2
