"""The theorems of the kernel perceptron: none is ever violated, and where they are tight they are attained."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.metrics.pairwise import rbf_kernel

from regretless.certify import certify_stream
from regretless.data.arrays import ArrayStream
from regretless.data.batch import Batch
from regretless.errors import RegretlessError
from regretless.linear import KernelPerceptron, Perceptron, max_margin
from regretless.linear.kernel.comparators import doubt_of

wild = st.sampled_from([0.0, 1.0, -1.0, 1e-9, -3e-9, 7.5, 1e6, -1e7])
KERNELS = (
    {"kernel": "rbf", "gamma": 0.5},
    {"kernel": "rbf", "gamma": 1e-4, "intercept": 1.0},
    {"kernel": "poly", "degree": 2, "gamma": 0.1},
    {"kernel": "poly", "degree": 1, "gamma": 1.0, "coef0": 0.0},
    {"kernel": "linear"},
)


@given(
    X=arrays(np.float64, (24, 2), elements=wild),
    y=arrays(np.int8, 24, elements=st.integers(0, 2)),
    how=st.sampled_from(KERNELS),
    average=st.sampled_from([None, "averaged", "voted"]),
    passes=st.integers(1, 3),
    shuffle=st.booleans(),
    alternating=st.booleans(),
)
def test_no_sure_theorem_is_violated(X, y, how, average, passes, shuffle, alternating):
    """Whatever the scales, duplicates, zeros and labels, no bound is below what was observed."""
    if alternating:
        y = np.arange(len(y)) % 2
    if len(set(y.tolist())) < 2:
        return
    learner = KernelPerceptron(**how, average=average, passes=passes, shuffle=shuffle, random_state=0).fit(X, y)
    certificates = learner.certify(X, y)
    assert [c.theorem for c in certificates] == list(learner.proven())
    assert not any(c.violated for c in certificates)
    assert all(c.applies or "centre X" in c.why for c in certificates[1:])


@given(
    X=arrays(np.float64, (20, 3), elements=st.floats(-5, 5)),
    y=arrays(np.int8, 20, elements=st.sampled_from([-1, 1])),
    weights=arrays(np.float64, 20, elements=st.floats(-3, 3)),
)
def test_any_function_is_a_valid_comparator(X, y, weights):
    """Against coefficients of the user's own choice no bound is violated either."""
    if len(set(y.tolist())) < 2:
        return
    learner = KernelPerceptron(gamma=0.3).fit(X, y)
    assert not any(c.violated for c in learner.certify(X, y, against=weights))


def test_values_that_lost_their_digits_certify_nothing():
    """Where rows are so far out that distances between them are mere rounding, certificates say so and what to do."""
    random = np.random.default_rng(0)
    X, y = 1e8 + random.normal(size=(40, 2)), np.arange(40) % 2
    assert all("centre X" in c.why for c in KernelPerceptron(gamma=0.5).fit(X, y).certify(X, y))
    centred = X - X.mean(axis=0)
    assert KernelPerceptron(gamma=0.5).fit(centred, y).certify(centred, y)[1].applies


def test_orthogonal_features_attain_the_bound():
    """Rows that are orthogonal in the space of the kernel cost one update each, and that is what is certified."""
    gram = np.eye(12)
    learner = KernelPerceptron(kernel="precomputed", until_clean=True).fit(gram, np.arange(12) % 2)
    certificates = learner.certify(gram, np.arange(12) % 2)
    assert learner.ledger_.updates == 12
    assert [c.bound for c in certificates] == pytest.approx([12] * 7)
    far = 1000.0 * np.arange(12)[:, None]
    same = KernelPerceptron(gamma=1e-3, until_clean=True).fit(far, np.arange(12) % 2)
    assert [c.bound for c in same.certify(far, np.arange(12) % 2)] == pytest.approx([12] * 7)


def test_the_largest_margin_is_the_primal_one():
    """With the linear kernel the margin found on the Gram matrix, and so the bound, is that of the rows themselves."""
    random = np.random.default_rng(0)
    X = random.normal(size=(150, 4))
    y = np.sign(X @ random.normal(size=4)) * 1
    X += 0.2 * y[:, None] * random.normal(size=4)
    y = np.sign(X @ np.ones(4))
    best = max_margin(X, y)
    for kernel in ("linear", lambda a, b: a @ b.T):
        learner = KernelPerceptron(kernel=kernel, until_clean=True).fit(X, y)
        separable = learner.certify(X, y)[0]
        assert separable.comparator.margin == pytest.approx(best.lower, rel=1e-4)
        assert separable.bound == pytest.approx(learner.ledger_.max_norm2 / best.lower**2, rel=1e-4)


def test_the_certificates_are_as_good_as_the_primal_ones():
    """On noisy rows the linear kernel's bounds are within a tenth of those that the primal search finds."""
    random = np.random.default_rng(1)
    X = random.normal(size=(400, 5))
    y = np.sign(X @ random.normal(size=5) + 0.5 * random.normal(size=400))
    ours = KernelPerceptron(kernel="linear").fit(X, y).certify(X, y)
    theirs = Perceptron().fit(X, y).certify(X, y, svm=False)
    for mine, yours in zip(ours[1:], theirs[1:], strict=True):
        assert mine.theorem.name == yours.theorem.name
        assert mine.bound <= 1.1 * yours.bound


def test_rounds_of_others_are_not_certified():
    """Other rows, other labels or another order are no longer the rounds that were played, and nothing is certified."""
    random = np.random.default_rng(2)
    X, y = random.normal(size=(90, 3)), np.arange(90) % 3
    learner = KernelPerceptron(gamma=0.2, passes=2).fit(X, y)
    assert learner.certify(X, y)[1].applies
    for rows, labels in ((X[::-1], y), (X, y[::-1]), (X + 1e-3, y), (X[:60], y[:60])):
        assert not any(c.applies for c in learner.certify(rows, labels))


@pytest.mark.parametrize("sparse", [False, True])
def test_a_stream_is_certified_like_rows_in_memory(sparse):
    """A stream that is read again gives valid certificates with the same observed counts."""
    random = np.random.default_rng(3)
    X = random.normal(size=(300, 4)) * (random.random((300, 4)) < 0.6)
    y = (X[:, 0] * X[:, 1] > 0) * 1
    learner, rows = KernelPerceptron(gamma=0.5), sp.csr_array(X) if sparse else X
    stream = ArrayStream(rows, y)
    for batch in stream.batches():
        learner.observe(batch)
    certificates = certify_stream(learner, stream)
    assert all(c.observed == learner.ledger_.updates for c in certificates if c.applies)
    assert all(c.holds for c in certificates)
    assert any(c.applies for c in certificates)


def test_a_late_class_is_certified_on_its_own_rounds():
    """A class that comes late is bounded by the rounds since, in one certificate for all classes."""
    random = np.random.default_rng(4)
    X, y = random.normal(size=(120, 3)), np.sort(np.arange(120) % 3)
    learner = KernelPerceptron(gamma=0.5).partial_fit(X, y)
    certificates = learner.certify(X, y)
    assert all(c.holds for c in certificates)
    assert certificates[1].applies
    assert certificates[1].comparator.rounds == sum(ledger.rounds for ledger in learner.state_.ledgers())


def test_lengths_stay_as_they_are():
    """The running length of each function is that which its Gram matrix gives, after thousands of updates."""
    random = np.random.default_rng(5)
    X, y = random.normal(size=(4000, 6)), random.integers(0, 2, size=4000)
    learner = KernelPerceptron(gamma=0.1, passes=2).fit(X, y)
    alpha, rows = learner.dual_coef_[0], learner.support_vectors_
    assert learner.state_.norms()[0] ** 2 == pytest.approx(alpha @ rbf_kernel(rows, gamma=0.1) @ alpha, rel=1e-9)


def test_what_is_no_comparator_is_refused():
    """A comparator needs one finite coefficient a row and target."""
    X, y = np.random.default_rng(6).normal(size=(30, 2)), np.arange(30) % 2
    learner = KernelPerceptron(gamma=0.1).fit(X, y)
    for wrong in (np.ones(29), np.ones((2, 30)), np.full(30, np.nan)):
        with pytest.raises(RegretlessError, match="comparator"):
            learner.certify(X, y, against=wrong)


@pytest.mark.parametrize("rounds", [24, 27, 30, 40, 50])
def test_coefficients_that_all_but_cancel_certify_nothing(rounds):
    """Rows that come ever nearer to each other have a separating function of huge coefficients, whose length and values
    are rounding alone: no bound is read from them that is below the updates."""
    steps = np.cumsum(2.0 ** -np.arange(1, rounds + 1) * np.where(np.arange(rounds) % 2, -1, 1))
    X, y = np.column_stack([steps, np.ones(rounds)]), np.where(np.arange(rounds) % 2, 1, -1)
    learner = KernelPerceptron(gamma=2.0).partial_fit(X, y, classes=[-1, 1])
    certificates = learner.certify(X, y)
    assert learner.ledger_.updates == rounds
    assert not any(one.violated for one in certificates)


@pytest.mark.parametrize("size", [1e3, 1e6, 1e9])
def test_a_function_that_cancels_itself_is_no_good_comparator(size):
    """Coefficients of opposite signs at rows that are all but one: its length is taken for no less than it can be."""
    X = np.array([[0.0], [1e-9], [2e-9], [3e-9], [1.0]])
    y = np.array([1, -1, 1, -1, 1])
    learner = KernelPerceptron(gamma=1.0, until_clean=True, max_passes=50).fit(X, y)
    for weights in (size * np.array([1, -3, 3, -1, 0.0]), size * np.array([1, -1, 1, -1, 1e-9])):
        assert not any(one.violated for one in learner.certify(X, y, against=weights))


def inner_products(A):
    """A Gram matrix of whole numbers, of a rank that may be low."""
    return A @ A.T


square = arrays(np.float64, (7, 7), elements=st.integers(-3, 3).map(float))


@given(A=square, kind=st.sampled_from(["any", "kernel", "nearly"]), y=arrays(np.int8, 7, elements=st.integers(0, 2)))
@example(A=np.eye(7) - np.tri(7, k=-1), kind="any", y=(np.arange(7) == 2).astype(np.int8))  # 2 I - 1
def test_no_matrix_makes_a_sure_theorem_false(A, kind, y):
    """Whatever a precomputed kernel holds, inner products or not, no bound that is printed is exceeded."""
    if len(set(y.tolist())) < 2:
        return
    gram = np.where(np.eye(7), np.abs(A), A + A.T) if kind == "any" else inner_products(A)
    gram = gram - 1e-6 * np.diag(np.diagonal(gram)) if kind == "nearly" else gram
    for passes in (1, 3):
        certificates = KernelPerceptron(kernel="precomputed", passes=passes).fit(gram, y).certify(gram, y, svm=False)
        assert not any(c.violated for c in certificates)
        assert kind == "any" or certificates[1].applies


def test_values_that_are_no_inner_products_certify_nothing():
    """A Gram matrix with a negative eigenvalue, one that is not symmetric and a tanh get certificates that say why they
    do not apply, with several classes and with a budget too."""
    gram, y = 2 * np.eye(3) - 1, [-1, -1, 1]
    X = np.random.default_rng(0).normal(size=(60, 3))
    signs, classes = np.sign(X[:, 0] * X[:, 1]), np.arange(60) % 3

    def tanh(a, b):
        return np.tanh(a @ b.T + 1)

    lines = [
        KernelPerceptron(kernel="precomputed").fit(gram, y).certify(gram, y),
        KernelPerceptron(kernel="precomputed")
        .fit(X @ X.T + 1e-3 * X[:, 0], signs)
        .certify(X @ X.T + 1e-3 * X[:, 0], signs),
        KernelPerceptron(kernel=tanh).fit(X, signs).certify(X, signs),
        KernelPerceptron(kernel=tanh).fit(X, classes).certify(X, classes),
        KernelPerceptron(kernel=tanh, budget=5).fit(X, signs).certify(X, signs),
        KernelPerceptron(kernel=tanh, budget=5, removal="projection").fit(X, signs).certify(X, signs),
    ]
    for certificates in lines:
        assert len(certificates) >= 5
        assert all(c.bound is None and "not known to be positive semidefinite" in c.why for c in certificates)


def test_inner_products_that_were_rounded_are_a_kernel():
    """Of one kernel, compiled, given as a function, as a matrix and as one of single precision, the bounds are the same
    but for rounding."""
    X = np.random.default_rng(1).normal(size=(150, 3))
    y = np.sign(X[:, 0] * X[:, 1])
    gram = (X @ X.T + 1) ** 2
    ours = KernelPerceptron(kernel="poly", degree=2, gamma=1.0).fit(X, y).certify(X, y)
    function = KernelPerceptron(kernel=lambda a, b: (a @ b.T + 1) ** 2).fit(X, y).certify(X, y)
    matrix = KernelPerceptron(kernel="precomputed").fit(gram, y).certify(gram, y)
    single = gram.astype(np.float32).astype(np.float64)
    rounded = KernelPerceptron(kernel="precomputed").fit(single, y).certify(single, y)
    for mine, *others in zip(ours, function, matrix, rounded, strict=True):
        assert mine.applies
        assert [other.bound / mine.bound for other in others[:2]] == pytest.approx([1, 1], rel=1e-4)
        assert 0.9999 * mine.bound <= others[2].bound <= 1.5 * mine.bound  # a margin so small feels single precision


@given(A=square, share=st.sampled_from([0.0, 1e-12, 1e-9, 1e-7, 1e-5, 0.1]))
def test_the_doubt_is_no_smaller_than_the_eigenvalue_that_is_missing(A, share):
    """With its diagonal made 1, a matrix that passes has no eigenvalue below -doubt, inner products of whole numbers
    pass with a doubt of rounding alone, and what is not symmetric by a part is in doubt by that part."""
    gram = inner_products(A)
    assert doubt_of(gram) < 1e-12
    wrong = gram - share * np.diag(np.diagonal(gram))
    used = np.diagonal(wrong) > 0
    lengths = np.sqrt(np.diagonal(wrong)[used])
    least = np.linalg.eigvalsh(wrong[np.ix_(used, used)] / np.outer(lengths, lengths)).min(initial=0.0)
    assert -doubt_of(wrong) <= least + 1e-14
    assert least > -2e-6 or doubt_of(wrong) == np.inf
    assert doubt_of(gram + share * np.triu(np.sqrt(np.outer(np.diagonal(gram), np.diagonal(gram))), 1)) >= share / 2


def test_what_a_proof_would_need_is_reported_where_it_is_not_there():
    """Beyond 2,000 rows values of a user's own kernel are looked at on the support alone, and a comparator on all rows
    gets no certificate; what was removed from a support that large cannot be looked at."""
    rows = 2001
    X, y = np.random.default_rng(0).normal(size=(rows, 2)) + 3, np.where(np.arange(rows) < 2, -1, 1)

    def product(a, b):
        return a @ b.T

    learner = KernelPerceptron(kernel=product).fit(X, y)
    assert learner.certify(X, y)[1].applies
    assert "on 2,001 rows, and at most 2,000" in learner.certify(X, y, against=np.zeros(rows))[1].why
    forgetful = KernelPerceptron(kernel=product, budget=1).fit(X, y)
    assert "what the budget took" in forgetful.certify(X, y)[0].why


def test_a_function_with_negative_lengths_is_refused_by_its_row():
    """A callable that gives a negative K(x, x) is refused with the row, as a Gram matrix is."""
    X = np.array([[2.0], [3.0], [0.5]])
    with pytest.raises(RegretlessError, match=r"K\(x, x\) = -0\.75 in row 2"):
        KernelPerceptron(kernel=lambda a, b: a @ b.T - 1).fit(X, [0, 1, 0])


def test_values_of_rows_do_not_depend_on_how_many_are_asked_for_at_once(monkeypatch):
    """A machine is asked about a few rows at a time, so that Ctrl-C stops it, and each value has the same bits."""
    random = np.random.default_rng(0)
    X, y = random.normal(size=(80, 3)), random.integers(2, size=80)
    learner = KernelPerceptron(gamma=0.5).fit(X, y)
    at_once, queries = learner.decision_function(X), []
    monkeypatch.setattr("regretless.linear.kernel.player.PAIRS", 100)
    original = Batch.slice
    monkeypatch.setattr(Batch, "slice", lambda *words: queries.append(words) or original(*words))
    assert np.array_equal(learner.decision_function(X), at_once)
    assert np.array_equal(learner.decision_function(sp.csr_array(X)), at_once)
    assert len(queries) > 20


def test_rows_of_a_gaussian_kernel_are_never_called_inseparable():
    """Any labels of rows that differ can be separated, so that rounded values of a Gaussian kernel settle nothing."""
    random = np.random.default_rng(0)
    X, y = random.normal(size=(60, 1)), random.choice([-1, 1], 60)
    separable = KernelPerceptron("rbf").fit(X, y).certify(X, y)[0]
    assert not separable.applies
    assert separable.why.startswith("it was not found out whether the rounds can be separated")


@pytest.mark.parametrize("layout", [np.asarray, sp.csr_array])
def test_equal_rows_of_different_labels_are_named_whatever_the_kernel(layout):
    """Two rows with the same numbers and other labels are one point, and the reason names them."""
    X, y = np.random.default_rng(1).normal(size=(20, 2)), np.where(np.arange(20) % 2, 1, -1)
    X[7] = X[2]
    assert "rows 2 and 7 (from 0) are equal" in KernelPerceptron("rbf").fit(layout(X), y).certify(layout(X), y)[0].why
