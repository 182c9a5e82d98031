"""Separability and the maximum margin: intervals that hold in exact arithmetic, and certificates that prove them."""

from __future__ import annotations

import itertools
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from threadpoolctl import ThreadpoolController

from regretless.data.batch import Batch
from regretless.errors import RegretlessError
from regretless.linear.separation import gordan, margin, nearest_point, signed_rows
from regretless.linear.separation.budget import Budget
from regretless.linear.separation.margin import MaxMargin, max_margin, max_margin_signed, separate

WORKED: list[tuple[list[list[int]], list[int], Fraction]] = [  # rows, labels, squared margin
    ([[1, 0, 0], [1, 0, 1], [1, 1, 0], [1, 1, 1]], [-1, 1, 1, 1], Fraction(1, 9)),
    ([[1, 2], [2, 1], [-1, -1], [-2, 1], [1, -2]], [1, 1, -1, -1, 1], Fraction(1)),
    ([[1, 0], [0, 1]], [1, 1], Fraction(1, 2)),
    ([[10, 1], [10, -1]], [1, -1], Fraction(1)),
    ([[1], [1]], [1, -1], Fraction(0)),
]
small_integers = st.integers(1, 4).flatmap(
    lambda columns: st.integers(1, 7).flatmap(
        lambda rows: st.tuples(
            arrays(np.int64, (rows, columns), elements=st.integers(-3, 3)),
            arrays(np.int64, rows, elements=st.sampled_from([-1, 1])),
        )
    )
)
finite = st.floats(-1e6, 1e6, width=32)
small_reals = st.integers(1, 4).flatmap(
    lambda columns: st.integers(1, 7).flatmap(lambda rows: arrays(np.float64, (rows, columns), elements=finite))
)


def fractions(values: Any) -> list[list[Fraction]]:
    return [[Fraction(float(value)) for value in row] for row in np.asarray(values, dtype=np.float64)]


def dot(a: list[Fraction], b: list[Fraction]) -> Fraction:
    return sum((x * y for x, y in zip(a, b, strict=True)), Fraction(0))


def solve(matrix: list[list[Fraction]], aim: list[Fraction]) -> list[Fraction] | None:
    """The solution of a square system in fractions, or None where there are none or many."""
    table = [[*row, value] for row, value in zip(matrix, aim, strict=True)]
    for place in range(len(table)):
        pivot = next((k for k in range(place, len(table)) if table[k][place]), None)
        if pivot is None:
            return None
        table[place], table[pivot] = table[pivot], table[place]
        table[place] = [value / table[place][place] for value in table[place]]
        for k, row in enumerate(table):
            if k != place and row[place]:
                table[k] = [a - row[place] * b for a, b in zip(row, table[place], strict=True)]
    return [row[-1] for row in table]


def squared_distance(Z: list[list[Fraction]]) -> Fraction:
    """Of the origin from the convex hull of few rows: the least over all sets of them with positive weights."""
    best = min(dot(z, z) for z in Z)
    for count in range(2, min(len(Z), len(Z[0]) + 1) + 1):
        for chosen in itertools.combinations(Z, count):
            matrix = [[*(dot(a, b) for b in chosen), Fraction(1)] for a in chosen]
            weights = solve([*matrix, [Fraction(1)] * count + [Fraction(0)]], [Fraction(0)] * count + [Fraction(1)])
            if weights is not None and min(weights[:-1]) >= 0:
                point = [dot(weights[:-1], list(column)) for column in zip(*chosen, strict=True)]
                best = min(best, dot(point, point))
    return best


def check(answer: MaxMargin, Z: list[list[Fraction]]) -> None:
    """The weights have at least the margin `lower`, and the support combines to at most `upper`, in fractions."""
    if answer.weights is None:
        assert answer.lower == 0
    else:
        w = [Fraction(float(value)) for value in answer.weights]
        least = min(dot(w, z) for z in Z)
        assert least > 0
        assert least**2 >= Fraction(answer.lower) ** 2 * dot(w, w)
    rows, weights = answer.support
    a = [Fraction(float(weight)) for weight in weights]
    assert min(a) > 0
    assert float(sum(a)) == pytest.approx(1)
    point = [sum((x * Z[row][k] for x, row in zip(a, rows, strict=True)), Fraction(0)) for k in range(len(Z[0]))]
    if answer.upper > 0:
        assert dot(point, point) <= Fraction(answer.upper) ** 2 * sum(a) ** 2


def planted(rows: int, columns: int, gap: float = 0.05, noise: float = 0.0, seed: int = 1) -> tuple[Any, Any]:
    random = np.random.default_rng(seed)
    separator = random.normal(size=columns)
    separator /= np.linalg.norm(separator)
    Z = random.normal(size=(rows, columns))
    Z = Z * np.sign(Z @ separator)[:, None] + gap * separator
    y = np.where(random.random(rows) < 0.5, 1.0, -1.0)
    return Z * y[:, None], np.where(random.random(rows) < noise, -y, y)


def needle(margin: float) -> np.ndarray:
    """Rows of length about 5 that are all nearly orthogonal to their only separators."""
    random = np.random.default_rng(0)
    basis, _ = np.linalg.qr(random.normal(size=(20, 20)))
    Z = random.normal(size=(500, 20))
    Z[:, 0] = np.abs(Z[:, 0]) * margin + margin
    return Z @ basis.T


# ---- exact answers


@pytest.mark.parametrize(("X", "y", "squared"), WORKED)
def test_worked_cases(X, y, squared):
    """The interval holds the margin found by hand, in exact arithmetic, and is as narrow as asked."""
    separator = max_margin(X, y)
    assert Fraction(separator.lower) ** 2 <= squared <= Fraction(separator.upper) ** 2
    assert separator.converged
    assert separator.gap <= 1e-9
    assert separator.separable == (squared > 0)
    check(separator, fractions(np.array(X) * np.array(y)[:, None]))


def test_worked_cases_of_the_oracles(oracles):
    """Every worked case of a maximum margin with given rows lies in the interval."""
    cases = [case for case in oracles if case["topic"] == "max margin" and "rho2" in case["expected"]]
    assert len(cases) >= 5
    for case in cases:
        separator = max_margin(case["input"]["X"], case["input"]["y"])
        squared = Fraction(case["expected"]["rho2"])
        assert Fraction(separator.lower) ** 2 <= squared <= Fraction(separator.upper) ** 2, case["id"]
        assert separator.converged


@given(small_integers)
def test_integers_have_an_exact_answer(data):
    """On small whole numbers the exact distance is in the interval and separability is decided, and proved."""
    X, y = data
    Z = fractions(X * y[:, None])
    squared = squared_distance(Z)
    answer = max_margin(X, np.where(y > 0, "yes", "no")) if len(set(y)) == 2 else max_margin_signed(X, y)
    assert Fraction(answer.lower) ** 2 <= squared <= Fraction(answer.upper) ** 2
    assert answer.separable is (squared > 0)
    assert answer.converged
    assert answer.upper == 0 or squared > 0
    check(answer, Z)


@given(small_integers)
def test_separate_answers_as_max_margin_does(data):
    """separate agrees with the exact answer, and its separator or Gordan's certificate holds in fractions."""
    X, y = data
    Z = fractions(X * y[:, None])
    separator = separate(X, y if len(set(y)) == 2 else np.where(y > 0, 1, -1))
    assert separator.separable is (squared_distance(Z) > 0)
    if separator.separable:
        w = [Fraction(float(value)) for value in separator.weights]
        assert min(dot(w, z) for z in Z) ** 2 >= Fraction(separator.margin) ** 2 * dot(w, w)
        assert separator.margin > 0
        assert separator.multipliers is None
    else:
        rows, weights = separator.multipliers
        a = [Fraction(float(weight)) for weight in weights]
        point = [sum((x * Z[row][k] for x, row in zip(a, rows, strict=True)), Fraction(0)) for k in range(len(Z[0]))]
        assert dot(point, point) <= Fraction(separator.residual) ** 2 * sum(a) ** 2
        assert separator.residual <= 1e-14
        assert separator.weights is None
        assert separator.margin == 0


@given(small_reals)
def test_no_rounding_error_breaks_the_interval(Z):
    """On arbitrary numbers lower <= upper, and both are proved by what comes with them, in fractions."""
    separator = max_margin_signed(Z)
    assert 0 <= separator.lower <= separator.upper
    check(separator, fractions(Z))
    squared = squared_distance(fractions(Z))
    assert Fraction(separator.lower) ** 2 <= squared
    assert squared <= Fraction(separator.upper) ** 2
    assert separator.separable in (squared > 0, None)


@given(st.integers(0, 10**6))
def test_agrees_with_a_general_optimiser(seed):
    """The margin of random rows is the one that SLSQP finds."""
    from scipy.optimize import minimize

    random = np.random.default_rng(seed)
    Z = random.normal(size=(int(random.integers(1, 12)), int(random.integers(1, 5)))) + 0.7
    separator = max_margin_signed(Z)
    start = np.full(len(Z), 1 / len(Z))
    other = minimize(
        lambda a: 0.5 * float((a @ Z) @ (a @ Z)),
        start,
        jac=lambda a: Z @ (a @ Z),
        bounds=[(0, None)] * len(Z),
        constraints={"type": "eq", "fun": lambda a: a.sum() - 1, "jac": lambda a: np.ones(len(a))},
        options={"ftol": 1e-14, "maxiter": 500},
    )
    assert separator.converged
    assert separator.upper == pytest.approx(float(np.linalg.norm(other.x @ Z)), rel=1e-4, abs=1e-4)


# ---- what does not matter


@given(st.integers(0, 10**6), st.integers(-300, 300))
def test_order_and_scale_do_not_matter(seed, exponent):
    """Rows in another order have the same margin, and 2^k times the rows 2^k times the margin."""
    random = np.random.default_rng(seed)
    Z = random.normal(size=(30, 3)) + 1.5
    separator = max_margin_signed(Z)
    for other in (max_margin_signed(Z[random.permutation(30)]), max_margin_signed(Z * 2.0**exponent)):
        scale = 1.0 if other.upper == pytest.approx(separator.upper) else 2.0**exponent
        assert other.separable == separator.separable
        assert other.lower <= separator.upper * scale * (1 + 1e-15)
        assert separator.lower * scale <= other.upper * (1 + 1e-15)
        assert other.converged


@pytest.mark.parametrize("scale", [1e-300, 1e-200, 1e200, 1e303])
@pytest.mark.parametrize("sparse", [False, True])
def test_numbers_of_any_size(scale, sparse):
    """Neither tiny nor huge values over- or underflow."""
    X, y = planted(400, 8, gap=0.2)
    separator = max_margin(sp.csr_array(X * scale) if sparse else X * scale, y)
    assert separator.converged
    assert separator.lower / scale == pytest.approx(max_margin(X, y).lower)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("intercept", [0.0, 2.0])
def test_dense_and_sparse_rows_have_the_same_margin(dtype, index, intercept):
    """The interval is the same for both layouts, and float32 rows are taken as the exact numbers they are."""
    X, y = planted(600, 12)
    X[np.abs(X) < 0.5] = 0
    X = X.astype(dtype)
    rows = sp.csr_array(X)
    rows.indices, rows.indptr = rows.indices.astype(index), rows.indptr.astype(index)
    dense, sparse = max_margin(X, y, intercept=intercept), max_margin(rows, y, intercept=intercept)
    exact = max_margin(np.column_stack([X.astype(np.float64), np.full(600, intercept)]), y)
    for answer in (dense, sparse):
        assert answer.converged
        assert answer.lower <= exact.upper
        assert exact.lower <= answer.upper
        if answer.weights is not None:
            assert answer.weights.shape == (12 + (intercept > 0),)


def test_memory_maps_are_read(tmp_path):
    """A memory map has the margin of the array."""
    X, y = planted(500, 5, gap=0.3)
    stored = np.memmap(tmp_path / "rows", np.float32, "w+", shape=X.shape)
    stored[:] = X
    separator = max_margin(stored, y)
    assert (separator.lower, separator.upper) == (lambda m: (m.lower, m.upper))(max_margin(X.astype(np.float32), y))


def test_signs_may_be_multiplied_into_the_rows():
    """max_margin_signed gives the same interval for X with signs as for the rows y x."""
    X, y = planted(300, 6, gap=0.2)
    separator, other = max_margin_signed(X, y), max_margin_signed(X * y[:, None])
    assert separator.lower == pytest.approx(other.lower, rel=1e-9)
    assert separator.lower == pytest.approx(max_margin(X, y).lower, rel=1e-9)
    with pytest.raises(RegretlessError, match="each -1 or 1"):
        max_margin_signed(X, np.zeros(300))
    with pytest.raises(RegretlessError, match="each -1 or 1"):
        max_margin_signed(X, y[:-1])


# ---- odd data


def test_one_class():
    """One class alone is separated from nothing by its nearest point; its sign follows the label."""
    X = np.array([[3.0, 4.0], [6.0, 8.0]])
    for label, sign in ((1, 1), ("spam", 1), (0, -1), (-1, -1)):
        separator = max_margin(X, [label, label])
        assert separator.lower == pytest.approx(5)
        assert separator.weights == pytest.approx(sign * np.array([0.6, 0.8]))


def test_a_zero_row_has_margin_zero():
    """A row of zeros is Gordan's certificate all by itself, but not where an intercept is added."""
    X, y = [[1.0, 2.0], [0.0, 0.0], [3.0, 1.0]], [1, 1, -1]
    for rows in (np.array(X), sp.csr_array(X)):
        separator = separate(rows, y)
        assert separator.separable is False
        assert [part.tolist() for part in separator.multipliers] == [[1], [1.0]]
        assert separator.residual == 0
        assert "row 1" in separator.why
    assert separate([[1.0], [0.0], [-1.0]], [1, 1, -1], intercept=1.0).separable is True


def test_stored_zeros_are_zeros():
    """A sparse row whose stored values are zero is a row of zeros."""
    rows = sp.csr_array((np.array([1.0, 0.0]), np.array([0, 1]), np.array([0, 1, 2])), shape=(2, 2))
    assert separate(rows, [1, 1]).why.startswith("row 1")


@pytest.mark.parametrize("tiny", [1e-320, 1e-200])
def test_a_tiny_row_is_no_zero_row(tiny):
    """A row that underflows when it is squared is still distinguished from zero."""
    separator = max_margin([[1.0, 1.0], [tiny, 0.0]], [1, 1])
    assert separator.separable is not False
    assert 0 <= separator.lower <= tiny <= separator.upper * (1 + 1e-15)


def test_contradictory_duplicates():
    """Two equal rows with different labels settle it, among however many others."""
    X, y = planted(1000, 40, gap=0.5)
    X[700], y[700] = X[3], -y[3]
    for rows in (X, sp.csr_array(X), X.astype(np.float32)):
        separator = separate(rows, y)
        assert separator.separable is False
        assert sorted(separator.multipliers[0].tolist()) == [3, 700]
        assert separator.multipliers[1].tolist() == [0.5, 0.5]
        assert separator.residual == 0
        assert max_margin(rows, y).upper == 0


def test_duplicates_of_the_same_class_change_nothing():
    """Every row twice has the margin of every row once."""
    X, y = planted(200, 5, gap=0.2)
    once, twice = max_margin(X, y), max_margin(np.vstack([X, X]), np.append(y, y))
    assert twice.converged
    assert twice.lower == pytest.approx(once.lower, rel=1e-9)


def test_fewer_rows_than_columns():
    """Independent rows are always separable, whatever their labels."""
    random = np.random.default_rng(0)
    X = random.normal(size=(20, 300))
    separator = max_margin(X, random.permutation([0, 1] * 10))
    assert separator.converged
    assert separator.separable


def test_one_column():
    """On a line the margin is the smallest |x| if all y x are positive."""
    assert max_margin([[2.0], [-3.0], [5.0]], [1, -1, 1]).lower == pytest.approx(2)
    assert separate([[2.0], [-3.0], [5.0]], [1, 1, -1]).separable is False


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("sparse", [False, True])
def test_not_a_number(value, sparse):
    """NaN and infinity are refused, with their place."""
    X = np.ones((5, 3))
    X[2, 1] = value
    with pytest.raises(RegretlessError, match=r"row 2, column 1"):
        max_margin(sp.csr_array(X) if sparse else X, [1, 1, 0, 0, 1])


def test_wrong_arguments():
    """Three classes, no rows, labels of another length and impossible parameters are refused."""
    with pytest.raises(RegretlessError, match="3 classes"):
        separate([[1.0], [2.0], [3.0]], ["a", "b", "c"])
    with pytest.raises(RegretlessError):
        separate(np.zeros((0, 2)), [])
    with pytest.raises(RegretlessError):
        separate([[1.0], [2.0]], [1])
    with pytest.raises(RegretlessError, match="tolerance"):
        max_margin([[1.0], [2.0]], [1, 1], tolerance=-1)
    with pytest.raises(RegretlessError, match="intercept"):
        max_margin([[1.0], [2.0]], [1, 1], intercept=np.nan)


# ---- hard data


@pytest.mark.parametrize(
    ("margin", "few_columns"),
    [*((10.0**-k, 256) for k in range(2, 17, 2)), (0.0, 256), (1e-2, 0), (1e-6, 0), (1e-14, 0), (0.0, 0)],
)
def test_tiny_margins_are_found_or_left_open(monkeypatch, margin, few_columns):
    """Down to the rounding errors of the data the margin is enclosed, either way; below, nothing is claimed."""
    monkeypatch.setattr(nearest_point, "FEW_COLUMNS", few_columns)
    Z = needle(margin)
    separator = max_margin_signed(Z)
    assert separator.separable in ((True,) if margin >= 1e-12 else (None, True, False))
    assert separator.lower <= separator.upper
    assert separator.gap <= max(1e-9, 1e-15 / margin * 1000) if margin else True
    assert separator.converged == (separator.separable is False or separator.gap <= 1e-9)
    if margin >= 1e-6:
        assert separator.converged
    if separator.separable is None:
        assert "rounding" in separator.why


@pytest.mark.parametrize("columns", [5, 10, 20, 30, 40, 50])
def test_margins_that_shrink_exponentially(columns):
    """Rows e_i - 2 e_(i-1) are separable with a margin of about 2^-columns, and never called anything else."""
    Z = np.eye(columns) - 2 * np.eye(columns, k=-1)
    separator = max_margin_signed(Z)
    best = 1 / np.sqrt(sum(float(2**k - 1) ** 2 for k in range(1, columns + 1)))
    assert separator.lower <= best * (1 + 1e-14)
    assert best <= separator.upper * (1 + 1e-14)
    assert separator.separable is (True if columns <= 40 else separator.separable)
    assert separator.separable is not False
    assert separate(Z, np.ones(columns)).separable is not False


def test_columns_and_rows_of_very_different_size():
    """A column a million times the others, or rows from 1e-4 to 1e4, cost no digits."""
    X, y = planted(2000, 20, gap=0.1)
    for scaled in (
        X * np.where(np.arange(20) == 3, 1e6, 1.0),
        X * np.exp(3 * np.random.default_rng(0).normal(size=(2000, 1))),
    ):
        assert max_margin(scaled, y).converged
    lengths = np.exp(8 * np.random.default_rng(0).normal(size=(2000, 1)))
    assert separate(X * lengths, y).separable is True
    assert max_margin(X * lengths, y).separable is True


def test_overlapping_classes_are_proved_to_overlap():
    """Normal rows with flipped labels have a certificate of columns + 1 rows at most, proved without fractions."""
    X, y = planted(5000, 30, noise=0.05)
    separator = separate(X, y)
    assert separator.separable is False
    rows, weights = separator.multipliers
    assert len(rows) <= 31
    assert weights.sum() == pytest.approx(1)
    point = weights.astype(np.longdouble) @ (X[rows] * y[rows, None])  # float64 rounds more than the bound allows for
    assert np.sqrt(point @ point) <= separator.residual * (1 + 1e-6) + 1e-17
    assert separator.residual <= 1e-13
    assert max_margin(X, y).upper == 0


def test_time_runs_out():
    """Without any time an interval comes back all the same, and it holds."""
    X, y = planted(20_000, 50)
    hurried, done = max_margin(X, y, max_seconds=0), max_margin(X, y)
    assert hurried.lower <= done.upper
    assert done.lower <= hurried.upper < np.inf
    assert not hurried.converged
    assert hurried.why == "the time is up"
    assert separate(X, y, max_seconds=0).separable is None


def test_a_step_that_cannot_be_paid_for_is_not_begun(monkeypatch):
    """With less work than the first step takes the search ends before it takes any rows, and its interval holds."""
    X, y = planted(40, 600)
    monkeypatch.setattr(margin.MarginSearch, "_grow", lambda *_: pytest.fail("it began"))
    batch = Batch(X, None, 600)
    hurried = max_margin_signed(X, y, budget=Budget(work=0.9 * margin.work_to_begin(batch)))
    assert hurried.why == "the work that it may cost is done"
    assert hurried.upper < np.inf
    with pytest.raises(pytest.fail.Exception):
        max_margin_signed(X, y, budget=Budget(work=1.1 * margin.work_to_begin(batch)))


@pytest.mark.parametrize(("rows", "columns"), [(243, 364), (110, 600), (256, 300)])
def test_rows_that_are_no_more_than_the_columns_are_separated_by_two_steps(rows, columns):
    """A search with the work of two and a half steps separates rows in general position, whatever their labels."""
    random = np.random.default_rng(rows)
    X, y = random.normal(size=(rows, columns)), random.choice([-1.0, 1.0], size=rows)
    hurried = max_margin_signed(X, y, budget=Budget(work=2.5 * margin.work_to_begin(Batch(X, None, columns))))
    assert hurried.why == "the work that it may cost is done"
    assert hurried.separable
    best = max_margin_signed(X, y)
    assert 0.5 * best.lower <= hurried.lower <= best.lower


def test_threads_change_no_bit_where_work_is_counted():
    """A search whose limit is counted ends with the same weights whatever number of threads the libraries may use."""
    controller = ThreadpoolController()
    X, y = np.random.default_rng(0).normal(size=(20, 30_000)), np.where(np.arange(20) % 3, 1, -1)
    ends = []
    for threads in (1, 2):
        with controller.limit(limits=threads):
            ends.append(max_margin_signed(X, y, budget=Budget(work=1e9)))
    assert ends[0].lower > 0
    np.testing.assert_array_equal(ends[0].weights, ends[1].weights)


@pytest.mark.parametrize("tolerance", [0.5, 1e-3, 1e-6, 1e-12])
def test_the_tolerance_is_met(tolerance):
    """The gap is at most what was asked, where numbers allow it."""
    separator = max_margin(*planted(3000, 10, gap=0.3), tolerance=tolerance)
    assert separator.converged
    assert separator.gap <= tolerance


def test_a_gap_that_numbers_do_not_hold_is_not_claimed():
    """Asked for no gap at all, the interval stays open by rounding errors and says so."""
    separator = max_margin(*planted(500, 10), tolerance=0.0)
    assert separator.lower < separator.upper
    assert not separator.converged
    assert separator.gap <= 1e-12


@pytest.mark.parametrize("work", [2e7, 1e8, np.inf])
@pytest.mark.parametrize("doublings", [30, 34, 38, 42])
@pytest.mark.parametrize(("columns", "times"), [(25, 2), (50, 2), (12, 4)])
def test_rows_that_a_tiny_margin_separates_are_never_called_inseparable(columns, times, doublings, work):
    """Whole numbers that a vector of powers of two separates, by 1 of products of 10^13 or more, are separated or left
    open, whatever the search may cost."""
    random = np.random.default_rng(2)
    v = np.left_shift(1, np.round(np.linspace(0, doublings, columns)).astype(np.int64))
    v *= random.choice([-1, 1], columns)
    Z = random.integers(-1000, 1001, (times * columns, columns))
    for place in np.argsort(-np.abs(v)):  # each product is brought nearer to 1, at last by the column whose weight is 1
        Z[:, place] += np.sign(v[place]) * ((1 - Z @ v) // np.abs(v[place]))
    assert (Z @ v == 1).all()
    separator = max_margin_signed(Z.astype(np.float64), budget=Budget(work=work))
    assert separator.separable is not False
    check(separator, fractions(Z))


# ---- the ways there


def without_corrals(patch):
    patch.setattr(nearest_point, "FEW_COLUMNS", 0)


def shrink_systems(patch):
    patch.setattr(nearest_point, "ELIMINATED", 5)


def conjugate(patch):
    patch.setattr(nearest_point, "FACTORED_AT_ONCE", 3)


def conjugate_only(patch):
    patch.setattr(nearest_point, "FACTORED_AT_ONCE", 3)
    patch.setattr(nearest_point, "FACTORED_AT_ALL", 3)


def give_up_on_conjugates(patch):
    patch.setattr(nearest_point, "FACTORED_AT_ONCE", 3)
    patch.setattr(nearest_point, "CONJUGATE_STEPS", 2)


def small_blocks(patch):
    patch.setattr(signed_rows, "AT_A_TIME", 100)
    patch.setattr(signed_rows, "CAREFUL", 50)
    patch.setattr(nearest_point, "ROWS_OF_GRAM", 7)
    patch.setattr(nearest_point, "ELIMINATED", 5)


def number_afresh(patch):
    patch.setattr(signed_rows, "COLUMNS_TO_NUMBER_AFRESH", 10)


def wide(patch):
    patch.setattr(margin, "NARROW", 5)


def stalled(patch):
    patch.setattr(nearest_point._core, "nearest_point", lambda *any: ("stalled", 0.0))


def a_few_steps_at_a_time(patch):
    patch.setattr(nearest_point, "AT_A_TIME", 1e3)


CORRALS = [stalled, a_few_steps_at_a_time]
WAYS = [
    *CORRALS,
    without_corrals,
    shrink_systems,
    conjugate,
    conjugate_only,
    give_up_on_conjugates,
    small_blocks,
    number_afresh,
    wide,
]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("layout", [np.asarray, sp.csr_array, lambda X: X.astype(np.float32)])
def test_every_way_leads_to_the_same_interval(monkeypatch, way, layout):
    """Whatever solver, block size or numbering is used, the intervals overlap and are narrow."""
    X, y = planted(400, 15, gap=0.3)
    X[np.abs(X) < 0.4] = 0
    wider = np.zeros((400, 60))
    wider[:, 7:52:3] = X.astype(np.float32)
    expected = max_margin(wider, y)
    way(monkeypatch)
    if way not in CORRALS:
        without_corrals(monkeypatch)
    separator = max_margin(layout(wider), y, max_seconds=60)
    assert separator.converged
    assert separator.lower <= expected.upper
    assert expected.lower <= separator.upper
    assert separator.separable == expected.separable
    if separator.weights is not None:
        assert (y * (wider @ separator.weights)).min() == pytest.approx(separator.lower, rel=1e-6)
    X, y = planted(400, 15, noise=0.1)
    assert separate(layout(X), y).separable is False


@pytest.mark.parametrize("layout", [np.asarray, sp.csr_array])
def test_many_rows_are_corrected_rather_than_reduced(monkeypatch, layout):
    """Where the rows of a proof are too many to single some out, their weights still combine them to nothing."""
    monkeypatch.setattr(nearest_point, "MOST_NNLS_ROWS", 5)
    without_corrals(monkeypatch)
    X, y = planted(400, 15, noise=0.1)
    separator = separate(layout(X), y)
    assert separator.separable is False
    assert 0 < separator.residual <= 1e-13
    rows, weights = separator.multipliers
    assert len(rows) > 16
    assert np.linalg.norm(weights @ (X[rows] * y[rows, None])) <= separator.residual + 1e-15


def test_a_vector_shows_where_to_look_first():
    """Whatever the vector, the margin is the same; from the best one no row is missing in the first working set."""
    X, y = planted(2000, 12, gap=0.2)
    batch, signs = signed_rows.read_signs(X, y)
    separator = max_margin_signed(batch, signs, intercept=2.0)
    best = separator.weights[:-1], separator.weights[-1]
    for toward in (best, (-best[0], -best[1]), (np.zeros(12), 0.0)):
        other = max_margin_signed(batch, signs, intercept=2.0, toward=toward)
        assert other.converged
        assert (other.lower, other.upper) == pytest.approx((separator.lower, separator.upper), rel=1e-8)


@given(small_integers)
def test_a_proof_of_gordan_is_a_proof(data):
    """exact_weights says yes only to rows that do combine to nothing, and no only to rows that do not."""
    X, y = data
    rows = (X * y[:, None]).astype(np.float64)
    rows = rows[:, rows.any(axis=0)]
    if not rows.size:
        return
    proved, weights = gordan.exact_weights(rows, np.full(len(rows), 1 / len(rows)))
    if proved:
        assert squared_distance(fractions(rows)) == 0
        assert np.abs(weights @ rows).max() <= 1e-14
    elif proved is False:
        assert squared_distance(fractions(rows)) > 0


@pytest.mark.parametrize(
    ("rows", "proved", "weights"),
    [
        ([[1.0], [-3.0]], True, [0.75, 0.25]),
        ([[1.0, 0.0], [-1.0, 0.0]], True, [0.5, 0.5]),
        ([[0.0, 0.0, 1e-14], [0.0, 2.0**-120, -1.0]], False, None),  # the first unknown is the one that stays free
        ([[1.0, 2.0], [-2.0, -1.0], [1.0, -1.0]], True, [1 / 3] * 3),
        ([[1.0, 2.0], [-2.0, -1.0], [1.0, 1.0]], False, None),
        ([[0.1, 0.2], [-0.1, -0.2 * (1 + 2.0**-52)]], False, None),  # off by the last bit
        ([[1.0], [-1.0], [-1.0]], True, [0.5, 0.25, 0.25]),  # the nearest of many solutions
    ],
)
def test_proofs_by_hand(rows, proved, weights):
    """Rows combine to nothing, do not, or leave it open, as can be seen by hand."""
    table = np.array(rows)
    given_weights = np.full(len(table), 1 / len(table))
    answer, result = gordan.exact_weights(table[:, table.any(axis=0)], given_weights)
    assert answer is proved
    assert result == pytest.approx(given_weights if weights is None else weights)


@pytest.mark.parametrize(
    ("rows", "weights"),
    [
        ([[1.0], [2.0]], [2.0, -1.0]),
        ([[1.0, 1.0], [-1.0, -1.0 - 2.0**-52], [1.0, -1.0]], [0.5, 0.5, 1e-17]),  # exactly the last is about -2^-54
    ],
)
def test_weights_that_are_near_negative_ones_prove_nothing(rows, weights):
    """Weights that solve the equations up to rounding are no proof where those that solve them exactly are negative."""
    solution = solve(
        [*map(list, zip(*fractions(rows), strict=True)), [Fraction(1)] * len(rows)],
        [*[Fraction()] * len(rows[0]), Fraction(1)],
    )
    assert min(solution) < 0
    assert gordan.exact_weights(np.array(rows), np.array(weights))[0] is False


@pytest.mark.parametrize("seed", range(5))
def test_what_a_system_stretches_by_is_at_most_its_least_singular_value(seed):
    """_stretches says yes a little below the least singular value, no above it and where rounding could hide it."""
    random = np.random.default_rng(seed)
    system = random.normal(size=(30, 30)) @ np.diag(2.0 ** random.integers(-4, 4, 30))
    least, unit = np.linalg.svd(system)[1].min(), 64 * 2.0**-53
    gram = system.T @ system
    assert gordan._stretches(gram, 0.99 * least, unit)
    assert not gordan._stretches(gram, 1.01 * least, unit)
    assert not gordan._stretches(np.diag([1.0, 1e-18]), 1e-12, unit)


# ---- what it is for


@given(st.integers(0, 10**6))
def test_any_separator_bounds_the_updates_of_a_perceptron(seed):
    """Updates M <= (r / margin(v))^2 for v of separate and of max_margin, and M rho <= |w| <= r sqrt M on the way."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(200, 4))
    y = np.where(X @ random.normal(size=4) > 0, 1, -1)
    longest = float(np.sqrt((X * X).sum(axis=1).max()))
    some, best = separate(X, y), max_margin(X, y)
    assert some.margin <= best.upper
    w, updates = np.zeros(4), 0
    for x, label in zip(X, y, strict=True):
        if label * (w @ x) <= 0:
            w, updates = w + label * x, updates + 1
            assert updates * best.lower <= np.linalg.norm(w) * (1 + 1e-12)
            assert np.linalg.norm(w) <= longest * np.sqrt(updates) * (1 + 1e-12)
    for lower in (some.margin, best.lower):
        assert updates <= (longest / lower) ** 2 * (1 + 1e-12)


@pytest.mark.parametrize("name", ["agaricus_train", "heart_scale", "german_numer_scale", "a9a", "svmguide1"])
def test_real_data_are_decided(data: Path, name: str):
    """Mushrooms can be separated, with a margin known to ten digits; the others cannot, which is proved."""
    import lzma

    from sklearn.datasets import load_svmlight_file

    path = data / "sparse" / f"{name}.svm.xz"
    if not path.is_file():
        pytest.skip(f"no {path.name} here")
    with lzma.open(path) as file:
        X, y = load_svmlight_file(file)
    separator, some = max_margin(X, y), separate(X, y)
    assert separator.converged
    assert some.separable is separator.separable is (name == "agaricus_train")
    Z = sp.diags_array(np.where(y == y.max(), 1.0, -1.0)) @ X
    rows, weights = separator.support
    rounding = 1e-15 * float(np.sqrt((Z * Z).sum(axis=1).max()))
    assert np.linalg.norm(weights @ Z[rows]) <= separator.upper + rounding
    if separator.separable:
        assert (separator.lower, separator.upper) == pytest.approx((0.2747278186, 0.2747278186), abs=1e-9)
        assert (Z @ separator.weights).min() == pytest.approx(separator.lower, rel=1e-12)
    else:
        assert separator.upper == 0
        assert np.linalg.norm(some.multipliers[1] @ Z[some.multipliers[0]]) <= some.residual + rounding


def test_raw_columns_of_real_rows_are_separated_soon():
    """Breast cancer's rows, of columns from 1e-3 to 1e3, have the largest margin found in a tenth of a quick search."""
    X, y = pytest.importorskip("sklearn.datasets").load_breast_cancer(return_X_y=True)
    separator = max_margin_signed(X, np.where(y, 1, -1), budget=Budget(work=1.2e7))
    assert separator.converged
    assert separator.lower == pytest.approx(4.04756024e-5, rel=1e-8)


def test_the_module_imports_no_scipy():
    """scipy and scikit-learn are not loaded until a margin is asked for."""
    code = (
        "import sys, regretless.linear.separation.margin\n"
        "print(sorted({'scipy', 'sklearn', 'pyarrow'} & set(sys.modules)))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "[]\n"
