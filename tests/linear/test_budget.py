"""Budgets: what goes is what the policy says, and the budget bound holds whatever goes."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.metrics.pairwise import rbf_kernel

from regretless.linear import KernelPerceptron
from regretless.linear.kernel.state import REMOVALS
from regretless.textbook.linear import budget_kernel_perceptron

removals = pytest.mark.parametrize("removal", REMOVALS)
wild = st.sampled_from([0.0, 1.0, -1.0, 1e-9, -3e-9, 7.5, 1e6, -1e7])
KERNELS = ({"gamma": 0.5}, {"kernel": "linear"}, {"kernel": "poly", "degree": 2, "gamma": 0.1})


def problem(rows: int = 500, classes: int = 2, seed: int = 0):
    random = np.random.default_rng(seed)
    X = random.normal(size=(rows, 4)) * (random.random((rows, 4)) < 0.8)
    return X, (np.sin(2 * X) @ random.normal(size=(4, classes)) + random.normal(size=(rows, classes))).argmax(axis=1)


@given(
    X=arrays(np.float64, (30, 2), elements=wild),
    y=arrays(np.int8, 30, elements=st.integers(0, 2)),
    how=st.sampled_from(KERNELS),
    removal=st.sampled_from(REMOVALS),
    budget=st.integers(1, 6),
    passes=st.integers(1, 3),
)
def test_no_sure_theorem_is_violated(X, y, how, removal, budget, passes):
    """Whatever is removed, by each policy, at any scale, no bound is below what was observed."""
    if len(set(y.tolist())) < 2:
        return
    learner = KernelPerceptron(**how, budget=budget, removal=removal, passes=passes, random_state=0).fit(X, y)
    assert learner.state_.support.count <= budget
    certificates = learner.certify(X, y)
    assert not any(c.violated for c in certificates)
    assert certificates[0].applies or "centre X" in certificates[0].why
    # The perceptron's own theorems are for runs that forget nothing, and none is read for one that did.
    removed = learner.state_.removed[:, 1].max() > 0
    assert not (removed and any(c.applies for c in certificates[1:]))


@pytest.mark.parametrize("budget", [1, 7, 60])
def test_the_oldest_goes_as_in_the_twin(budget):
    """Updates, coefficients and what was removed are the twin's, which plays row by row."""
    X, y = problem()
    alpha, updates, removed = budget_kernel_perceptron(rbf_kernel(X, gamma=0.5), np.where(y, 1, -1), budget)
    learner = KernelPerceptron(gamma=0.5, budget=budget).fit(X, y)
    assert learner.ledger_.updates == updates
    assert sorted(learner.dual_coef_[0].tolist()) == sorted(alpha[alpha != 0].tolist())
    assert learner.state_.removed[0].tolist() == pytest.approx([removed, removed])


def test_the_smallest_goes_as_in_the_twin():
    """Of rows of different lengths, the one whose part of the function is shortest goes."""
    X, y = problem()
    lengths = np.sqrt((X**2).sum(axis=1))
    twin = budget_kernel_perceptron(
        X @ X.T, np.where(y, 1, -1), 9, lambda slots, alpha: int(np.argmin(np.abs(alpha[slots]) * lengths[slots]))
    )
    learner = KernelPerceptron(kernel="linear", budget=9, removal="smallest").fit(X, y)
    assert learner.ledger_.updates == twin[1]
    assert learner.state_.removed[0, 0] == pytest.approx(twin[2])


@removals
@pytest.mark.parametrize("classes", [2, 3])
def test_the_books_of_what_is_gone_are_right(removal, classes):
    """The length of what is left is kept, something was removed from each function, and the budget is used up."""
    X, y = problem(classes=classes)
    learner = KernelPerceptron(gamma=0.5, budget=20, removal=removal, random_state=0).fit(X, y)
    alpha, gram = learner.dual_coef_, rbf_kernel(learner.support_vectors_, gamma=0.5)
    assert learner.state_.norms() == pytest.approx(np.sqrt(np.einsum("cs,st,ct->c", alpha, gram, alpha)), rel=1e-6)
    assert (learner.state_.removed[:, 0] > 0).all()
    assert learner.support_vectors_.shape == (20, 4)


@removals
def test_batches_layouts_and_stops_change_nothing(removal, tmp_path):
    """Rows in batches of any size, dense or sparse, with a model file between them, give the same function."""
    import regretless

    X, y = problem(300)
    how = {"gamma": 0.5, "budget": 12, "removal": removal, "random_state": 3}
    whole = KernelPerceptron(**how).partial_fit(X, y, classes=[0, 1])
    for size in (1, 50, 77):
        parts = KernelPerceptron(**how)
        for begin in range(0, len(X), size):
            rows = X[begin : begin + size]
            parts.partial_fit(sp.csr_array(rows) if size == 77 else rows, y[begin : begin + size], classes=[0, 1])
            if size == 50:
                parts.save(tmp_path / "m.rgl")
                parts = regretless.load(tmp_path / "m.rgl")
        assert parts.ledger_ == whole.ledger_
        assert np.array_equal(parts.decision_function(X), whole.decision_function(X))


def test_random_removals_follow_their_seed():
    """One seed gives one run, another gives another."""
    X, y = problem()
    ledgers = [
        KernelPerceptron(gamma=0.5, budget=10, removal="random", random_state=seed).fit(X, y).ledger_
        for seed in (1, 1, 2)
    ]
    assert ledgers[0] == ledgers[1] != ledgers[2]


def test_projection_keeps_what_is_in_the_span():
    """Rows that depend on those in the support are taken over by them, and nothing is removed but rounding errors."""
    random = np.random.default_rng(0)
    X = random.normal(size=(400, 3))
    y = np.where(X @ random.normal(size=3) + 0.3 * random.normal(size=400) > 0, 1, -1)
    free = KernelPerceptron(kernel="linear").fit(X, y)
    bound = KernelPerceptron(kernel="linear", budget=3, removal="projection").fit(X, y)
    assert bound.ledger_.updates == free.ledger_.updates
    assert bound.coef_ == pytest.approx(free.coef_, rel=1e-6)
    assert bound.state_.removed[0, 0] < 1e-4 * free.ledger_.updates


@removals
def test_rows_without_length_are_removed_at_no_cost(removal):
    """Rows of zeros, whose Gram matrix has no inverse, come and go without harm."""
    X, y = np.zeros((20, 2)), np.arange(20) % 2
    learner = KernelPerceptron(kernel="linear", budget=2, removal=removal).fit(X, y)
    assert learner.ledger_.updates == 20
    assert learner.state_.removed[0, 0] == 0
    assert learner.certify(X, y)[0].bound == pytest.approx(20)


def test_projection_loses_less_than_forgetting():
    """On rows that resemble one another, projection removes less length than the other policies."""
    X, y = problem(800, seed=5)
    lengths = {
        removal: KernelPerceptron(gamma=0.05, budget=40, removal=removal, random_state=0).fit(X, y).state_.removed[0, 0]
        for removal in REMOVALS
    }
    assert lengths["projection"] < 0.2 * min(value for name, value in lengths.items() if name != "projection")


def test_a_callable_kernel_has_budgets_too():
    """A kernel of the user's own forgets the rows that the compiled one forgets."""
    X, y = problem(600)
    for removal in REMOVALS:
        how = {"budget": 15, "removal": removal, "random_state": 0, "passes": 2}
        ours = KernelPerceptron(gamma=0.5, **how).fit(X, y)
        theirs = KernelPerceptron(kernel=lambda a, b: rbf_kernel(a, b, gamma=0.5), **how).fit(X, y)
        assert theirs.ledger_.updates == ours.ledger_.updates
        assert np.array_equal(theirs.support_vectors_, ours.support_vectors_)
        assert np.allclose(theirs.decision_function(X), ours.decision_function(X))


@removals
@pytest.mark.parametrize("shuffle", [False, True])
@pytest.mark.parametrize("kernel", ["rbf", "poly", rbf_kernel])
def test_rows_that_come_again_are_known_by_their_slots(removal, shuffle, kernel):
    """After removals in several passes, each row that is left is where its note says, and none is noted besides."""
    X, y = problem(300)
    how = {"budget": 15, "passes": 3, "removal": removal, "shuffle": shuffle, "random_state": 0}
    state = KernelPerceptron(kernel=kernel, gamma=0.5, **how).fit(X, y).state_
    noted = np.flatnonzero(state.slots >= 0)
    assert sorted(state.slots[noted].tolist()) == list(range(15))
    assert np.array_equal(state.support.rows[state.slots[noted]], X[noted])
    assert np.array_equal(state.support.source[state.slots[noted]], noted)


def test_the_bound_is_the_posterior_one_while_nothing_is_removed():
    """A budget that is never reached costs nothing: its bound is the posterior one."""
    X, y = problem(100)
    certificates = KernelPerceptron(gamma=0.5, budget=100).fit(X, y).certify(X, y)
    by_name = {c.theorem.name: c for c in certificates}
    assert by_name["budget"].bound == pytest.approx(by_name["posterior"].bound)
    assert by_name["sharp"].applies
