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
    """That of the function at a vector."""
    X = np.column_stack([np.full(len(y), intercept), X])
    scores = X @ v
    beyond = np.sign(scores) * np.maximum(np.abs(scores) - reach, 0)
    return over * X.T @ (10 * beyond - y / (1 + np.exp(y * scores))) + tilt + v


@pytest.mark.parametrize("reach", [np.inf, 0.5])
@pytest.mark.parametrize("intercept", [0.0, 2.0])
@pytest.mark.parametrize("shape", [(80, 4), (13, 40), (0, 3), (5, 0)])
def test_the_slope_is_0_where_it_ends(shape, intercept, reach):
    """The slope is about 0 at the minimiser, of more rows than columns and of fewer, with a tilt, an intercept and a
    reach and without; and rows are the same dense and sparse."""
    random = np.random.default_rng(0)
    X = random.normal(size=shape) * (random.random(shape) < 0.7)
    y, tilt = random.choice([-1, 1], shape[0]), random.normal(size=1 + shape[1])
    best = minimiser(X, y, intercept, tilt, 3.0, reach)
    assert np.abs(slope(X, y, intercept, tilt, 3.0, reach, best)).max() < 0.02
    np.testing.assert_allclose(minimiser(csr_array(X), y, intercept, tilt, 3.0, reach), best, rtol=1e-3, atol=1e-4)


def test_every_instruction_set_gives_the_same_minimiser(isas):
    """Vectors have the same bits on each instruction set, as coefficients of rows and as weights."""
    random = np.random.default_rng(1)
    for shape in ((50, 20), (9, 60)):
        X, y = csr_array(random.normal(size=shape)), random.choice([-1, 1], shape[0])
        each = set()
        for isa in isas:
            _core.use_isa(isa)
            each.add(minimiser(X, y, 1.0, np.ones(1 + shape[1]), 2.0, 3.0).tobytes())
        assert len(each) == 1


def test_rows_that_are_broken_are_refused():
    """A column that is not there, or columns that do not ascend, end the search before it begins."""
    y, tilt, best = np.ones(2, dtype=np.int32), np.zeros(4), np.full(4, np.nan)
    values, starts = np.ones(4), np.array([0, 2, 4])
    for columns, why in (([0, 1, 0, 3], "out of range"), ([0, 1, 2, 1], "unsorted")):
        rows = values, np.array(columns, dtype=np.int32), starts
        assert _core.ridge_regression(*rows, y, 1.0, tilt, 1.0, np.inf, best) == (1, why)
    assert np.isnan(best).all()
