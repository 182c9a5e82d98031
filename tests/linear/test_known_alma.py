"""ALMA, and games on which its theorems must say numbers that are known by hand."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from regretless.comparator import Comparator
from regretless.errors import RegretlessError
from regretless.ledger import Ledger
from regretless.linear import ALMA, max_margin
from regretless.textbook.linear import alma
from regretless.theory import facts
from regretless.theory.margin_perceptron import ALMA_THEOREMS, AlmaFacts, alma_hinge, alma_separable

from ..known import Assumes, Known, first_of_each, known, refuses, says_its_number

# Twelve rounds: r = 3, |v| = 2, H = 3.25, margin 0.4. With alpha = 1/2, A = 10.
BOOK = Ledger(
    rounds=12,
    updates=5,
    mistakes=4,
    loss=2.5,
    max_norm2=9,
    update_norm2=30,
    total_norm2=40,
    first_rate=1.4,
    last_rate=1.4,
)
V = Comparator(
    "v", norm=2.0, hinge=3.25, squared_hinge=0.81, loss=1.5, least=0.8, rounds=12, max_norm2=9, total_norm2=40
)
HALF = AlmaFacts(norm=1.0, rate=sqrt(2), alpha=0.5)
WHOLE = AlmaFacts(norm=1.0, rate=sqrt(2), alpha=1.0)
B = 30 * sqrt(2)  # 10 * 3 * 2 / sqrt(2)
CASES = [
    Known(alma_separable, BOOK, V, HALF, 121 / 8 * 56.25, 5),  # (11^2 / 8) (3 / 0.4)^2
    Known(alma_separable, BOOK, V, WHOLE, 1.5 * 56.25, 5),  # A = 2: (A + 1) / 2, which is more than 9 / 8
    Known(alma_hinge, BOOK, V, HALF, ((B + sqrt(B * B + 13 + 6 * B)) / 2) ** 2, 5),
    Known(alma_hinge, BOOK, V, HALF, 3.25, 5).changed({"comparator.norm": 0.0}),
]
ROUNDS = facts.PLAYED
ASSUMES: Assumes = [((alma_separable,), (*ROUNDS, facts.SEPARATES)), ((alma_hinge,), ROUNDS)]
BREAKS = {
    facts.SAME_ROUNDS[0]: [{"comparator.rounds": 11}, {"comparator.total_norm2": 41}],
    facts.MEASURED[0]: [{"ledger.max_norm2": 1e-291}],
    facts.UNIT_WEIGHTS[0]: [{"ledger.weighted": 1}],
    facts.STEADY[0]: [{"learner.steady": False}],
    facts.SEPARATES[0]: [{"comparator.least": 0.0}, {"comparator.norm": 0.0}],
}


@known(CASES)
def test_a_theorem_says_its_number(case):
    """On this game a theorem says the number that was found by hand."""
    says_its_number(case)


@known(first_of_each(CASES))
def test_an_assumption_that_fails_is_named(case):
    """Each assumption fails alone on a game, and then there is no number."""
    refuses(case, ASSUMES, BREAKS)


def game(seed: int, rows: int = 60, columns: int = 4, noise: float = 0.2, spread: float = 1.0):
    """Rows of different lengths, whose labels are wrong now and then."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, columns)) * np.exp(spread * rng.normal(size=(rows, 1)))
    y = np.where(X @ rng.normal(size=columns) > 0, 1, -1)
    return X, np.where(rng.random(rows) < noise, -y, y)


@pytest.mark.kernel
@given(
    seed=st.integers(0, 10_000),
    alpha=st.sampled_from([0.05, 0.5, 0.9, 1.0]),
    intercept=st.sampled_from([0.0, 1.0]),
    kind=st.sampled_from([np.asarray, sparse.csr_array, np.float32]),
    passes=st.integers(1, 3),
)
def test_the_learner_is_that_of_the_textbook(seed, alpha, intercept, kind, passes):
    """The compiled learner has the weights, updates and mistakes of the algorithm as a book would print it."""
    X, y = game(seed)
    X = X.astype(np.float32).astype(np.float64)
    ours = ALMA(alpha=alpha, intercept=intercept, passes=passes).fit(kind(X), y)
    longer = np.column_stack([X, np.full(len(X), intercept)]) if intercept else X
    w, updates, mistakes = alma(longer, y, alpha, passes)
    assert (ours.ledger_.updates, ours.ledger_.mistakes) == (updates, mistakes)
    np.testing.assert_allclose(ours.coef_[0], w[: X.shape[1]], rtol=1e-9, atol=1e-12)


def test_the_loss_is_that_of_the_falling_margin():
    """The ledger sums (B (1 - alpha) / sqrt(k) - m / R) / sqrt(k) over rounds below the margin, R the longest row."""
    X, y = game(5)
    learner, longest, loss = ALMA(alpha=0.3), 0.0, 0.0
    for x, label in zip(X, y, strict=True):
        longest = max(longest, sqrt(x @ x))
        score = learner.decision_function([x])[0] if hasattr(learner, "classes_") else 0.0
        root = sqrt(1 + (learner.ledger_.updates if hasattr(learner, "classes_") else 0))
        loss += max(0.0, 0.7 * sqrt(8) / 0.3 / root - label * score / longest) / root
        learner.partial_fit([x], [label], classes=[-1, 1])
    assert learner.ledger_.loss == pytest.approx(loss, rel=1e-9)


@given(
    seed=st.integers(0, 10_000),
    alpha=st.sampled_from([0.05, 0.3, 0.85, 0.9, 1.0]),
    noise=st.sampled_from([0.0, 0.3, 0.5]),
    spread=st.sampled_from([0.0, 1.0, 3.0]),
    order=st.booleans(),
)
def test_no_run_exceeds_a_bound(seed, alpha, noise, spread, order):
    """Against any vector, on rows of any lengths in any order, the updates are at most what the theorems allow."""
    X, y = game(seed, 40, 2, noise, spread)
    if order:  # the longest row last, when the steps have become short
        places = np.argsort((X * X).sum(axis=1))
        X, y = X[places], y[places]
    learner = ALMA(alpha=alpha, passes=5).fit(X, y)
    direction = np.random.default_rng(seed).normal(size=(4, 2))
    for against in (None, *direction, *(1e-3 * direction)):
        assert all(one.holds is not False for one in learner.certify(X, y, against=against))


@given(seed=st.integers(0, 10_000), alpha=st.sampled_from([0.2, 0.5, 0.9, 1.0]))
def test_a_clean_pass_hands_over_most_of_the_margin(seed, alpha):
    """Once a pass is clean the weights have a margin of (1 - alpha) times the largest at least."""
    rng = np.random.default_rng(seed)
    y = rng.choice([-1, 1], 30)
    X = rng.normal(size=(30, 3))
    X[:, 0] += 6 * y
    largest = max_margin(X, y).lower
    if not largest > 0:
        return
    learner = ALMA(alpha=alpha, until_clean=True, max_passes=100_000).fit(X, y)
    w = learner.coef_[0]
    assert (y * (X @ w)).min() / sqrt(w @ w) >= (1 - alpha) * largest * (1 - 1e-9)
    assert learner.certify(X, y)[0].holds


def test_the_bound_on_a_margin_is_nearly_attained():
    """Two rows in turn cost nine tenths of the updates that the bound allows, so that no smaller constant is true."""
    X = np.tile([[1.0, 0.1], [-1.0, 0.1]], (8000, 1))
    learner = ALMA(alpha=0.2).partial_fit(X, np.ones(len(X), dtype=int), classes=[-1, 1])
    separable = learner.certify(X, np.ones(len(X), dtype=int))[0]
    assert separable.holds
    assert separable.observed > 0.9 * separable.bound


def test_rows_of_zeros_before_any_other_change_nothing():
    """A row of zeros has no length to measure by: the first ones are no updates, and the later ones take no step."""
    learner = ALMA().fit(np.zeros((3, 2)), [1, -1, 1])
    assert learner.ledger_.updates == 0
    assert not learner.coef_.any()
    learner = ALMA().fit(np.array([[1.0, 0.0], [0.0, 0.0]]), [1, -1])
    assert learner.coef_.tolist() == [[1.0, 0.0]]


@pytest.mark.parametrize("alpha", [0, -0.5, 1.5, float("nan"), "half"])
def test_an_alpha_without_a_meaning_is_refused_by_name(alpha):
    """The message names the parameter."""
    with pytest.raises(RegretlessError, match="alpha"):
        ALMA(alpha=alpha).fit(np.eye(2), [0, 1])


def test_all_theorems_are_in_force():
    """A run is certified by both theorems."""
    X, y = game(1)
    assert [one.theorem for one in ALMA().fit(X, y).certify(X, y)] == list(ALMA_THEOREMS)
