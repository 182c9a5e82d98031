"""The kernel that climbs in the dual of support vector machines, beside the book's loop over rows and penalties."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from regretless import _core

pytestmark = pytest.mark.kernel

MOST = np.array([0.01, 0.1, 1.0, 50.0])


def parts(X):
    """Values, columns and starts of rows."""
    return (X, None, None) if isinstance(X, np.ndarray) else (X.data, X.indices, X.indptr)


def climb(X, y, b, orders, most=MOST, inverse=(None, 1.0), classes=1):
    """The kernel's vectors, means and multipliers after some passes, the constant feature's last."""
    n = classes * len(most)
    vectors, lacks, multipliers = (np.zeros((size, n)) for size in (X.shape[1], X.shape[1] + 1, X.shape[0]))
    biases = np.zeros(n)
    for number, order in enumerate(orders):
        its = lacks if number == len(orders) - 1 else None
        assert _core.climb(*parts(X), y, order, b, vectors, biases, multipliers, most, its, *inverse)[1] is None
    last = np.vstack([vectors, biases])
    return last, last - lacks, multipliers


def by_the_book(X, y, b, orders, most=MOST):
    """The same, one row after the other."""
    X = np.column_stack([X, np.full(len(X), b)]).astype(float)
    norms2, multipliers, w = (X * X).sum(axis=1), np.zeros((len(X), 4)), np.zeros((X.shape[1], 4))
    total = w
    for order in orders:
        total = np.zeros_like(w)
        for t in range(len(X)) if order is None else order:
            if norms2[t]:
                aim = np.clip(multipliers[t] + (1 - y[t] * (X[t] @ w)) / norms2[t], 0, most)
                w = w + np.outer(X[t], y[t] * (aim - multipliers[t]))
                multipliers[t] = aim
            total += w
    return w, total / len(order if order is not None else X), multipliers


def rows_of(n=40, d=9, share=0.6, seed=0):
    """Rows with zeros, one of them nothing else, of floats that need no more than 32 bits; and labels with noise."""
    random = np.random.default_rng(seed)
    X = (random.normal(size=(n, d)) * (random.random((n, d)) < share)).astype(np.float32)
    X[3] = 0
    return X, np.where(X @ random.normal(size=d) + random.normal(size=n) > 0, 1, -1).astype(np.int32)


@pytest.mark.parametrize("b", [0.0, 0.7])
@pytest.mark.parametrize("shuffled", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_dual_ascent_is_that_of_the_book(b, shuffled, dtype):
    """Vectors, their means over the last pass and multipliers are those of a loop over rows."""
    X, y = rows_of()
    random = np.random.default_rng(1)
    orders = [random.permutation(len(X)) if shuffled else None for _ in range(3)]
    for its, book in zip(climb(X.astype(dtype), y, b, orders), by_the_book(X, y, b, orders), strict=True):
        np.testing.assert_allclose(its, book, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("layout", [np.asarray, csr_array])
@pytest.mark.parametrize(("classes", "inverse"), [(1, None), (1, 1 / np.arange(1.0, 10.0)), (3, None)])
def test_gains_sum_to_the_duals(layout, classes, inverse):
    """What passes say that they raised is sum a - |w|^2 / 2 of each machine, in the metric of its rows."""
    X, y = rows_of()
    codes = y if classes == 1 else np.random.default_rng(5).integers(0, 3, len(X)).astype(np.int32)
    n, constant = 4 * classes, 1.0 if inverse is None else 0.5
    vectors, biases, multipliers, gains = np.zeros((9, n)), np.zeros(n), np.zeros((40, n)), np.zeros(n)
    rows = *parts(layout(X)), codes
    for order in (np.random.default_rng(4).permutation(40), None):
        along = vectors, biases, multipliers, MOST
        assert _core.climb(*rows, order, 0.7, *along, None, inverse, constant, gains)[1] is None
    metric = np.ones(9) if inverse is None else 1 / inverse
    squares = (metric[:, None] * vectors**2).sum(axis=0) + biases**2 / constant
    np.testing.assert_allclose(gains, multipliers.sum(axis=0) - squares / 2, rtol=1e-9)
    with pytest.raises(ValueError, match="a gain for each vector"):
        _core.climb(*rows, None, 0.7, vectors, biases, multipliers, MOST, None, inverse, constant, np.zeros(n + 1))


@pytest.mark.parametrize("layout", [np.asarray, csr_array])
@pytest.mark.parametrize("inverse", [None, 1 / np.arange(1.0, 10.0)])
def test_a_machine_alone_has_the_bits_that_it_has_beside_others(layout, inverse):
    """One penalty gives the vectors, means and multipliers that it gives as the third of four, and four those that they
    give among eight."""
    X, y = rows_of()
    orders = [np.random.default_rng(4).permutation(len(X)), None]
    counts = MOST[2:3], MOST, np.append(MOST[::-1] / 3, MOST)
    alone, beside, among = (climb(layout(X), y, 0.7, orders, most, (inverse, 0.5)) for most in counts)
    for one, four, eight in zip(alone, beside, among, strict=True):
        assert one.tobytes() == four[:, 2:3].tobytes()
        assert four.tobytes() == eight[:, 4:].tobytes()


@pytest.mark.parametrize("layout", [np.asarray, csr_array])
@pytest.mark.parametrize("classes", [3, 8, 21])
def test_machines_of_a_class_have_the_bits_that_they_have_without_those_of_others(layout, classes):
    """Vectors, means and multipliers of each class are those of its rows against the rest."""
    X, _ = rows_of()
    random = np.random.default_rng(5)
    codes, orders = random.integers(0, classes, len(X)).astype(np.int32), [random.permutation(len(X)), None]
    together = climb(layout(X), codes, 0.7, orders, classes=classes)
    for c in range(classes):
        alone = climb(layout(X), np.where(codes == c, 1, -1).astype(np.int32), 0.7, orders)
        for its, one in zip(together, alone, strict=True):
            np.testing.assert_array_equal(its[:, 4 * c : 4 * c + 4], one)


@pytest.mark.parametrize(
    ("labels", "columns", "penalties", "why"),
    [
        ([0, 3, 1], 12, 4, "a label is no sign and no number of a target"),
        ([0, -1, 1], 12, 4, "a label is no sign and no number of a target"),
        ([1, -1, 1], 10, 4, "vectors of each penalty side by side"),
        ([0, 2, 1], 24, 8, "machines of more than two classes have four penalties"),
        ([1, -1, 1], 8, 4, "machines of more than two classes have four penalties"),
    ],
)
def test_machines_of_classes_that_do_not_fit_are_refused(labels, columns, penalties, why):
    """Labels must be places of the classes, of which there are more than two, each with four machines."""
    X, labels, most = np.ones((3, 2)), np.array(labels, np.int32), np.ones(penalties)
    vectors, biases, multipliers = np.zeros((2, columns)), np.zeros(columns), np.zeros((3, columns))
    with pytest.raises(ValueError, match=why):
        _core.climb(X, None, None, labels, None, 0.0, vectors, biases, multipliers, most)


@pytest.mark.parametrize("layout", [np.asarray, csr_array])
def test_in_a_metric_the_machines_are_those_of_divided_rows(layout):
    """With the inverse of a diagonal A the vectors give the rows the scores that those of A^-1/2 x give these."""
    X, y = rows_of()
    random = np.random.default_rng(3)
    diagonal, constant, orders = random.uniform(0.1, 9.0, X.shape[1]), 2.5, [random.permutation(len(X)), None]
    ours = climb(layout(X), y, 0.7, orders, inverse=(1 / diagonal, 1 / constant))
    white = by_the_book(X / np.sqrt(diagonal), y, 0.7 / np.sqrt(constant), orders)
    roots = np.sqrt(np.append(diagonal, constant))[:, None]
    for its, book in zip(ours, (white[0] / roots, white[1] / roots, white[2]), strict=True):
        np.testing.assert_allclose(its, book, rtol=1e-9, atol=1e-12)
    total, (rows, why) = _core.sum_of_squares(*parts(layout(X)), 1 / diagonal)
    assert (total, rows, why) == (pytest.approx((np.square(X, dtype=float) / diagonal).sum(), rel=1e-9), len(X), None)


def test_rows_of_several_pieces_are_those_of_the_book():
    """Of 3,000 sparse rows, which the core is given 1,024 at a time, each piece goes on where the one before ended."""
    X, y = rows_of(n=3000, d=12, share=0.3)
    for its, book in zip(climb(csr_array(X), y, 0.5, [None]), by_the_book(X, y, 0.5, [None]), strict=True):
        np.testing.assert_allclose(its, book, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("shuffled", [False, True])
def test_dual_ascent_has_the_same_bits_everywhere(shuffled):
    """Instruction sets, layouts, precisions and the width of columns change no bit, of rows of several pieces too."""
    X, y = rows_of(n=1500, d=20, share=0.2)
    orders = [np.random.default_rng(2).permutation(len(X)) if shuffled else None] * 2
    sparse = csr_array(X.astype(np.float64))
    wide = sparse.copy()
    wide.indices, wide.indptr = sparse.indices.astype(np.int64), sparse.indptr.astype(np.int64)
    bits, before = set(), _core.isa()
    try:
        for isa in _core.isas():
            _core.use_isa(isa)
            for rows in (X, X.astype(np.float64), csr_array(X), sparse, wide):
                bits.add(b"".join(array.tobytes() for array in climb(rows, y, 0.5, orders)))
    finally:
        _core.use_isa(before)
    assert len(bits) == 1


@pytest.mark.parametrize("most", [0.0, -1.0, np.inf, np.nan])
def test_what_no_multiplier_can_be_at_most_is_refused(most):
    """Each of them has to be a finite number above 0."""
    X, y = rows_of()
    with pytest.raises(ValueError, match="finite number above 0"):
        climb(X, y, 0.0, [None], np.array([0.1, 1.0, 10.0, most]))


@pytest.mark.parametrize("value", [np.nan, -np.inf, 1e200])
@pytest.mark.parametrize("layout", [np.asarray, csr_array])
def test_a_pass_ends_before_a_row_without_a_finite_length(value, layout):
    """The row is named, and sums are those of the rows before it."""
    X, y = rows_of(n=1100)
    X = X.astype(np.float64)
    X[1050, 2] = value
    sums, other = ([np.zeros((9, 4)), np.zeros(4), np.zeros((n, 4))] for n in (1100, 1050))
    assert _core.climb(*parts(layout(X)), y, None, 0.5, *sums, MOST) == (1050, "not finite")
    assert _core.climb(*parts(layout(X[:1050])), y[:1050], None, 0.5, *other, MOST) == (1050, None)
    for one, before in zip(sums, other, strict=True):
        np.testing.assert_array_equal(one[: len(before)], before)
