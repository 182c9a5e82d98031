"""The kernel that looks for ridge logistic regressions, beside the slope of what it makes small."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from regretless import _core

pytestmark = pytest.mark.kernel


def minimiser(X, y, intercept, tilt, over, reach):
    """The kernel's, the constant feature first."""
    parts = (X, None, None) if isinstance(X, np.ndarray) else (X.data, X.indices, X.indptr)
    best = np.full(1 + X.shape[1], np.nan)
    assert _core.ridge_regression(*parts, y.astype(np.int32), intercept, tilt, over, reach, best) == (len(y), None)
    return best


def slope(X, y, intercept, tilt, over, reach, v):
    """That of the function at a vector, in units of the root of the curvature in each direction of the columns."""
    X = np.column_stack([np.full(len(y), intercept), X])
    scores = X @ v
    beyond = np.sign(scores) * np.maximum(np.abs(scores) - reach, 0)
    wrong = 1 / (1 + np.exp(y * scores))
    curvature = 1 + over * (X**2).T @ (10 * (np.abs(scores) > reach) + wrong * (1 - wrong))
    return (over * X.T @ (10 * beyond - y * wrong) + tilt + v) / np.sqrt(curvature)


@pytest.mark.parametrize("reach", [np.inf, 0.5])
@pytest.mark.parametrize("intercept", [0.0, 2.0])
@pytest.mark.parametrize("shape", [(80, 4), (13, 40), (0, 3), (5, 0)])
def test_the_slope_is_0_where_it_ends(shape, intercept, reach):
    """The slope is about 0 at the minimiser, of more rows than columns and of fewer, with a tilt, an intercept and a
    reach and without; and rows have the same bits dense and sparse."""
    random = np.random.default_rng(0)
    X = random.normal(size=shape) * (random.random(shape) < 0.7)
    y, tilt = random.choice([-1, 1], shape[0]), random.normal(size=1 + shape[1])
    best = minimiser(X, y, intercept, tilt, 3.0, reach)
    assert np.abs(slope(X, y, intercept, tilt, 3.0, reach, best)).max() < 3e-3
    assert minimiser(csr_array(X), y, intercept, tilt, 3.0, reach).tobytes() == best.tobytes()


@pytest.mark.parametrize("reach", [np.inf, 0.5])
def test_the_slope_is_0_in_all_directions_of_uneven_curvature(reach):
    """It is where the squares of columns are as 1 to 30 to 900, in units of the root of each one's curvature."""
    random = np.random.default_rng(2)
    X = random.normal(size=(80, 3)) * np.sqrt([1.0, 30.0, 900.0])
    y, tilt = random.choice([-1, 1], 80), np.zeros(4)
    best = minimiser(X, y, 0.0, tilt, 1.0, reach)
    assert np.abs(slope(X, y, 0.0, tilt, 1.0, reach, best)).max() < 3e-3


@pytest.mark.parametrize("stored", [False, True])
def test_columns_of_one_row_are_searched_with_all_others(stored):
    """The slope is about 0 in columns that have an entry in one row alone too, whether or not zeros are stored."""
    random = np.random.default_rng(3)
    X = np.zeros((30, 200))
    X[random.integers(0, 30, 90), random.integers(0, 200, 90)] = random.normal(size=90)
    assert ((X != 0).sum(axis=0) == 1).sum() > 30
    y, tilt = random.choice([-1, 1], 30), random.normal(size=201)
    whole = X.ravel(), np.tile(np.arange(200), 30), np.arange(0, 6001, 200)
    rows = csr_array(whole if stored else X, shape=X.shape)
    best = minimiser(rows, y, 0.5, tilt, 2.0, 3.0)
    assert np.abs(slope(X, y, 0.5, tilt, 2.0, 3.0, best)).max() < 3e-3
    assert minimiser(X, y, 0.5, tilt, 2.0, 3.0).tobytes() == best.tobytes()


def test_every_instruction_set_gives_the_same_minimiser(isas):
    """Vectors have the same bits on each instruction set, dense and sparse, as coefficients of rows and as weights."""
    random = np.random.default_rng(1)
    for shape in ((50, 20), (9, 60)):
        X, y = random.normal(size=shape) * (random.random(shape) < 0.6), random.choice([-1, 1], shape[0])
        each = set()
        for isa in isas:
            _core.use_isa(isa)
            each |= {minimiser(rows, y, 1.0, np.ones(1 + shape[1]), 2.0, 3.0).tobytes() for rows in (X, csr_array(X))}
        assert len(each) == 1


def test_rows_that_are_broken_are_refused():
    """A column that is not there, or columns that do not ascend, end the search before it begins."""
    y, tilt, best = np.ones(2, dtype=np.int32), np.zeros(4), np.full(4, np.nan)
    values, starts = np.ones(4), np.array([0, 2, 4])
    for columns, why in (([0, 1, 0, 3], "out of range"), ([0, 1, 2, 1], "unsorted")):
        rows = values, np.array(columns, dtype=np.int32), starts
        assert _core.ridge_regression(*rows, y, 1.0, tilt, 1.0, np.inf, best) == (1, why)
    assert np.isnan(best).all()
