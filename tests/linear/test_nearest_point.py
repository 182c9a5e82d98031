"""The compiled search for the point of a convex hull that is nearest to the origin, beside that of the textbook."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from regretless import _core
from regretless.linear import separate
from regretless.linear.separation.gordan import _equations, _equations_of_any
from regretless.textbook.nearest_point import nearest_point

from ..sanitized import fewer

pytestmark = pytest.mark.kernel

Array = np.ndarray[Any, Any]
NOTHING = 1e-12


def search(Z: Array, weights: Array | None = None, tolerance: float = 1e-9, most: float = np.inf) -> Any:
    """How it ended, the weights, the point and the work."""
    weights, point = np.zeros(len(Z)) if weights is None else weights.copy(), np.zeros(Z.shape[1])
    end, work = _core.nearest_point(np.ascontiguousarray(Z), weights, point, tolerance, NOTHING, most)
    return end, weights, point, work


def rows(count: int, columns: int, shift: float, seed: int) -> Array:
    random = np.random.default_rng(seed)
    return random.normal(size=(count, columns)) + shift * random.normal(size=columns)


@pytest.mark.parametrize("shape", [(1, 1), (1, 5), (7, 3), (12, 20), (60, 9), (90, 17), (150, 40)])
@pytest.mark.parametrize("shift", [0.0, 0.5, 2.0])
def test_it_is_the_point_of_the_textbook(shape, shift):
    """The weights are at least 0 with sum 1, give the point, and are those of the textbook."""
    Z = rows(*shape, shift, seed=shape[0])
    end, weights, point, _ = search(Z)
    assert weights.min() >= 0
    assert weights.sum() == pytest.approx(1)
    assert np.count_nonzero(weights) <= shape[1] + 1
    assert point == pytest.approx(weights @ Z, abs=1e-13)
    if end == "nothing":
        assert np.linalg.norm(point) <= NOTHING
        return
    assert end == "near"
    assert (Z @ point).min() >= (1 - 1e-9) * (point @ point)
    twin, best = nearest_point(Z)
    assert point == pytest.approx(best, abs=1e-7)
    assert weights == pytest.approx(twin, abs=1e-6)


def test_rows_on_all_sides_combine_to_nothing():
    """Of rows around the origin columns + 1 at most are shown to combine to it."""
    Z = rows(fewer(300, 60), 12, 0.0, seed=3)
    end, weights, _, _ = search(np.vstack([Z, -Z]))
    assert end == "nothing"
    assert np.count_nonzero(weights) <= 13


def test_rows_almost_in_the_plane_of_others_join_them():
    """Of columns of lengths 1 and 1e-4 the point is found though it is 1e-7 of their lengths away."""
    random = np.random.default_rng(11)
    side = random.normal(size=20)
    side[:3] = 0
    Z = random.normal(size=(300, 20))
    Z -= np.outer(Z @ side - 0.01 - 0.01 * np.abs(random.normal(size=300)), side) / (side @ side)
    Z *= np.where(np.arange(20) < 3, 1.0, 1e-4)
    end, weights, point, _ = search(Z, tolerance=1e-2)
    assert end == "near"
    assert 1e-7 < np.linalg.norm(point) < 1e-6
    assert (Z @ point).min() > 0.9 * (point @ point)
    assert point == pytest.approx(weights @ Z, abs=1e-15)


def test_it_goes_on_where_it_was():
    """Stopped for its work, again and again, it ends at the point of one search, and says late until then."""
    Z = rows(80, 10, 1.0, seed=4)
    end, weights, _, work = search(Z, most=0.0)
    calls = 1
    while end == "late":
        end, weights, point, more = search(Z, weights, most=0.0)
        assert more < work * 80
        calls += 1
    assert end == "near"
    assert calls > 3
    assert point == pytest.approx(search(Z)[2], rel=1e-12)


def test_repeated_rows_do_not_stop_it():
    """Every row three times has the point of every row once."""
    Z = rows(40, 6, 1.0, seed=5)
    assert search(np.repeat(Z, 3, axis=0))[2] == pytest.approx(search(Z)[2], rel=1e-12)


@pytest.mark.parametrize("scale", [1e-200, 1e200, np.nan, np.inf])
def test_numbers_that_have_no_squares_stop_it(scale):
    """Rows of extreme lengths, or none, end stalled or at nothing and never near."""
    with np.errstate(invalid="ignore"):
        Z = rows(20, 4, 1.0, seed=6) * scale
    assert search(Z)[0] in ("stalled", "nothing")


def test_every_instruction_set_gives_the_same_bits(isa):
    """Weights and point are the same on all that this machine can run."""
    Z = rows(70, 19, 0.3, seed=7)
    point = search(Z)
    _core.use_isa(_core.isas()[0])
    first = search(Z)
    assert point[0] == first[0]
    assert point[1].tobytes() == first[1].tobytes()
    assert point[2].tobytes() == first[2].tobytes()


@pytest.mark.parametrize(
    ("shape", "weights", "point", "numbers"),
    [
        ((0, 3), 0, 3, (0, 0, 1)),
        ((3, 0), 3, 0, (0, 0, 1)),
        ((3, 5000), 3, 5000, (0, 0, 1)),
        ((3, 2), 2, 2, (0, 0, 1)),
        ((3, 2), 3, 3, (0, 0, 1)),
        ((3, 2), 3, 2, (-1, 0, 1)),
        ((3, 2), 3, 2, (0, np.nan, 1)),
        ((3, 2), 3, 2, (0, 0, -1)),
    ],
)
def test_what_does_not_fit_is_refused(shape, weights, point, numbers):
    """Arrays of sizes that do not go together, and negative tolerances, are refused."""
    with pytest.raises(ValueError, match=r"column|row|negative"):
        _core.nearest_point(np.ones(shape), np.zeros(weights), np.zeros(point), *numbers)


@pytest.mark.parametrize("bad", [-1.0, np.nan, np.inf])
def test_weights_to_begin_with_are_checked(bad):
    """A negative weight, or one that is no number, is refused."""
    with pytest.raises(ValueError, match="weights are finite"):
        search(np.ones((2, 2)), np.array([0.5, bad]))


@pytest.mark.parametrize("unit", [1.0, 1 / 64, 2.0**-1070, 2.0**900])
@pytest.mark.parametrize("largest", [1, 5, 10**6])
def test_equations_of_numbers_of_about_one_size_are_those_of_any_numbers(unit, largest):
    """Coefficients and their digits are the same whether columns are made whole at once or number by number."""
    table = np.random.default_rng(largest).integers(-largest, largest + 1, (9, 7)) * unit
    together, digits = _equations(table)
    one_by_one, most = _equations_of_any(table)
    assert together.tolist() == one_by_one.tolist()
    assert digits == most


@pytest.mark.parametrize(("large", "small"), [(1e50, 1e-290), (1e20, 1e-308), (2.0**60, 2.0**-1000)])
def test_no_small_number_is_lost_beside_large_ones_of_its_column(large, small):
    """Rows that a vector separates in exact numbers are not said to combine to nothing where floats would lose one."""
    Z = np.array([[large, large, large], [-large, -large, large], [small, 0.0, -2 * large]])
    vector = [3 * Fraction(large) / Fraction(small), -3 * Fraction(large) / Fraction(small), Fraction(1)]
    assert all(sum(Fraction(z) * v for z, v in zip(row, vector, strict=True)) > 0 for row in Z.tolist())
    assert separate(Z, [1, 1, 1]).separable is not False
