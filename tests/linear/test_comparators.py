"""Where comparators are looked for: support vector machines in one pass, scales along rays, columns that occur."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from regretless import _core
from regretless.data.batch import Batch, narrow
from regretless.linear import (
    AROW,
    AggregatedClassifier,
    MarginPerceptron,
    MulticlassPerceptron,
    Perceptron,
    PNormPerceptron,
    Winnow,
    certificates,
)
from regretless.linear.comparators import candidates, evaluate, line_search, question, search
from regretless.linear.separation.result import INSEPARABLE

MIDDLE = _core.PENALTIES


def climb(X, y, b, most, orders):
    """The kernel's vectors and means after some passes, the constant feature's last."""
    batch = Batch(X, None, X.shape[1]) if isinstance(X, np.ndarray) else Batch(X.data, None, *sparse(X))
    vectors, biases, multipliers = np.zeros((X.shape[1], 8)), np.zeros(8), np.zeros((X.shape[0], 4))
    for number, order in enumerate(orders):
        rows, last = (batch.values, batch.indices, batch.starts, y, order), number == len(orders) - 1
        assert _core.climb(*rows, b, vectors, biases, multipliers, most, last)[1] is None
    whole = np.vstack([vectors, biases])
    return whole[:, :MIDDLE], whole[:, :MIDDLE] - whole[:, MIDDLE:], multipliers


def sparse(X):
    """Columns, indices and starts of a matrix."""
    return X.shape[1], X.indices.astype(np.int32), X.indptr.astype(np.int32)


def by_the_book(X, y, b, most, orders):
    """The same, one row and one penalty after the other."""
    X = np.column_stack([X, np.full(len(X), b)])
    multipliers, w, past = np.zeros((len(X), 4)), np.zeros((4, X.shape[1])), []
    for order in orders:
        past = []
        for t in range(len(X)) if order is None else order:
            past.append(w.copy())
            for k in range(4):
                aim = multipliers[t, k] + (1 - y[t] * (w[k] @ X[t])) / (X[t] @ X[t]) if X[t].any() else 0.0
                step = np.clip(aim, 0, most[k]) - multipliers[t, k]
                multipliers[t, k] += step
                w[k] += step * y[t] * X[t]
    return w.T, np.mean([*past[1:], w], axis=0).T, multipliers


def rows_of(n=40, d=9, seed=0):
    """Rows with zeros, one of them nothing else, and labels with noise."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, d)) * (random.random((n, d)) < 0.6)
    X[3] = 0
    return X, np.where(X @ random.normal(size=d) + random.normal(size=n) > 0, 1, -1).astype(np.int32)


@pytest.mark.parametrize("b", [0.0, 0.7])
@pytest.mark.parametrize("shuffled", [False, True])
def test_dual_ascent_is_that_of_the_book(b, shuffled):
    """Vectors, their means over the last pass and multipliers are those of a loop over rows and penalties."""
    X, y = rows_of()
    random = np.random.default_rng(1)
    orders = [random.permutation(len(X)) if shuffled else None for _ in range(3)]
    most = np.array([0.01, 0.1, 1.0, 50.0])
    for its, book in zip(climb(X, y, b, most, orders), by_the_book(X, y, b, most, orders), strict=True):
        np.testing.assert_allclose(its, book, rtol=1e-9, atol=1e-12)


def test_dual_ascent_has_the_same_bits_of_sparse_rows():
    """Zeros that are left out change no bit."""
    X, y = rows_of(n=30, d=20)
    most = np.array([0.01, 0.1, 1.0, 50.0])
    for dense, others in zip(
        climb(X, y, 0.5, most, [None] * 2), climb(csr_array(X), y, 0.5, most, [None] * 2), strict=True
    ):
        np.testing.assert_array_equal(dense, others)


def test_machines_end_near_their_minimum():
    """After some passes no penalty's objective is 2 % above that of a hundred passes."""
    X, y = rows_of(n=60)
    r2 = float((X * X).sum(axis=1).max())
    batch, random = Batch(X, None, 9), np.random.default_rng(0)

    def values(passes):
        orders = [random.permutation(60) for _ in range(passes)]
        means = candidates.machine_directions(batch, y, 0.0, r2, orders)
        losses = [np.maximum(0, 1 - y * (X @ v)).sum() for _, v, _ in means]
        return [
            v @ v / 2 + c / r2 * loss for (_, v, _), loss, c in zip(means, losses, candidates.PENALTIES, strict=True)
        ]

    near, least = np.array(values(10)), np.array(values(100))
    assert (near[:3] <= 1.02 * least[:3]).all(), near / least


def test_no_machines_of_rows_whose_squares_are_no_floats():
    """Where penalties are no floats there are none."""
    X, y = rows_of()
    assert candidates.machine_directions(Batch(X, None, 9), y, 0.0, 1e-300, [None]) == []


def test_the_best_scale_is_that_of_all_edges():
    """Of each theorem the search along rays comes within 0.1 % of the best of all edges of all rays."""
    X, y = rows_of(n=80)
    learner = Perceptron().fit(X, y)
    rounds, span = [(Batch(X, None, 9), y)], evaluate.Span.of(80, 80)
    facts = learner.target_facts()[0]
    along = [learner.coef_[0], X.T @ y, learner.coef_[0] + X.T @ y]
    directions = [line_search.Direction.along(str(k), v) for k, v in enumerate(along)]
    rays = line_search.look(rounds, directions, intercept=0.0, span=span, loss_name="perceptron")
    searched = 0
    for theorem in learner.proven():
        best = line_search.best_on(rays, theorem, learner.ledger_, facts)
        if best is None:
            continue
        slacks = [line_search.Slack(ray, theorem, learner.ledger_, facts) for ray in rays]
        least = min(slack(edge) for slack in slacks for edge in range(4000, 9000))
        assert theorem.slack(learner.ledger_, best[0], facts) <= 1.001 * least
        searched += 1
    assert searched > 2


WIDE = [
    Perceptron(),
    MarginPerceptron(),
    AROW(matrix="diagonal"),
    PNormPerceptron(p=3.0),
    Winnow(),
    AggregatedClassifier(),
]


@pytest.mark.parametrize("learner", [*WIDE, MulticlassPerceptron()], ids=lambda one: type(one).__name__)
@pytest.mark.parametrize("classes", [2, 3])
def test_columns_that_do_not_occur_change_no_bound(learner, classes, monkeypatch):
    """Bounds are the same whether or not columns are numbered afresh, and vectors have a number for each of all."""
    random = np.random.default_rng(2)
    X = csr_array((random.normal(size=200), random.integers(0, 700, 200), np.arange(0, 201, 5)), shape=(40, 700))
    X.sum_duplicates()
    y = random.integers(0, classes, 40)
    learner.fit(X, y)
    plain = learner.certify(X, y)
    monkeypatch.setattr(certificates, "MANY_COLUMNS", 10)
    narrow = learner.certify(X, y)
    for one, other in zip(plain, narrow, strict=True):
        assert one.why == other.why
        if one.bound is not None and one.theorem.name not in ("separable", "posterior", "winnow_posterior"):
            assert other.bound == pytest.approx(one.bound, rel=1e-9)
        elif one.bound is not None:  # how far a margin is searched depends on the width
            assert other.bound == pytest.approx(one.bound, rel=0.05) or other.bound < one.bound
        for vector in (getattr(c.comparator, "vector", None) for c in (other, *other.each)):
            assert vector is None or vector.shape[-1] == 700


@pytest.mark.parametrize("columns", [50, 10**6])
def test_rows_keep_their_entries_where_columns_are_numbered_afresh(columns):
    """The number of each entry's column stands for the column that it had, whether columns are marked or sorted."""
    random = np.random.default_rng(3)
    indices = random.integers(0, columns, 40).astype(np.int32)
    batch = Batch(np.ones(40), None, columns, indices, np.arange(0, 41, 4, dtype=np.int32))
    narrower, used = narrow(batch)
    assert narrower.columns == len(used)
    np.testing.assert_array_equal(used[narrower.indices], indices)
    assert (np.diff(used) > 0).all()


@pytest.mark.parametrize(("columns", "looked"), [(50, True), (600, False)])
def test_rows_that_are_few_beside_their_columns_are_not_looked_at(columns, looked, monkeypatch):
    """Whether some of many rows cannot be separated is asked unless those would be fewer than twice the columns."""
    random = np.random.default_rng(4)
    X = csr_array((random.normal(size=220_000), random.integers(0, columns, 220_000), np.arange(0, 220_001, 20)))
    X.sum_duplicates()
    y = random.choice([-1, 1], X.shape[0])
    monkeypatch.setattr(search, "MOST_WHOLE", 1000)
    (separable,) = (one for one in Perceptron().fit(X, y).certify(X, y) if one.theorem.name == "separable")
    assert (separable.why != search.WIDE) == looked
    assert separable.why.startswith(INSEPARABLE) == looked


@pytest.mark.parametrize("many", [10**6, 10])
def test_theorems_with_the_same_comparator_share_its_vector(many, monkeypatch):
    """A vector is made and read once for all theorems that choose it, whether or not columns are numbered afresh."""
    random = np.random.default_rng(5)
    X = csr_array((random.normal(size=100), random.integers(0, 700, 100), np.arange(0, 101, 5)), shape=(20, 700))
    X.sum_duplicates()
    y = random.choice([-1, 1], 20)
    monkeypatch.setattr(certificates, "MANY_COLUMNS", many)
    each = [one.comparator for one in Perceptron().fit(X, y).certify(X, y) if one.bound is not None]
    alike = {(one.name, one.norm): one.vector for one in each}
    assert len(alike) < len(each)
    assert all(one.vector is alike[one.name, one.norm] for one in each)


@pytest.mark.parametrize("learner", [AROW(matrix="diagonal"), AROW(matrix="full")], ids=["diagonal", "full"])
def test_second_order_learners_look_along_machines_in_their_own_metric(learner):
    """Their four machines are those of the rows A^-1/2 x, taken back to the columns that are there."""
    X, y = rows_of()
    batch = Batch(X, None, X.shape[1])
    state = learner.fit(X, y).state_
    names, vectors, biases = zip(*learner.geometry().directions(batch, y.astype(np.int32), 0), strict=True)
    assert len(set(names)) == MIDDLE
    b = learner.rules().intercept
    wide = np.column_stack([np.full(len(X), b), X])
    if learner.matrix == "full":
        back = state.root(0)
    else:
        roots, constant = state.roots(0)
        back = np.diag(1 / np.append(constant, roots))
    rows = wide @ back
    random = np.random.default_rng(0)
    orders = [random.permutation(len(X)) for _ in range(question.MOST_CLIMBS)]
    most = np.array(candidates.PENALTIES) / (rows**2).sum(axis=1).mean()
    _, means, _ = by_the_book(rows, y, 0.0, most, orders)
    np.testing.assert_allclose(np.vstack([biases, np.column_stack(vectors)]), back @ means[:-1], rtol=1e-6, atol=1e-9)
