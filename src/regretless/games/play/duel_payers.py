"""Payoffs for self-play: a matrix, a scaled copy, compressed rows, or a product by a function."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import isnan
from typing import Any

import numpy as np

from ... import _core
from ...errors import RegretlessError
from ..payoffs import Payoffs, Vector
from ..scaling import power_of_two, unit_of

# The largest 16-bit integer.
LARGEST_SHORT = 32767.0
# Payoffs larger than their range by this factor lose the digits in which they differ.
OFFSET = 8.0
# A smaller half of the range has no inverse in floats times 32767.
NARROWEST = 2.0**-1000


@dataclass(frozen=True, slots=True)
class Units:
    """Units of a player's payoffs: a payoff is `centre` plus a multiple of `unit`."""

    centre: float = 0.0
    unit: float = 1.0


@dataclass(frozen=True, slots=True, eq=False)
class Paid:
    """One player's payoffs in units.

    Attributes
    ----------
    payer : Payer
    units : Units
    spread : float
        The range of its payoffs, in units; NaN if it is unknown.
    """

    payer: Any
    units: Units
    spread: float


def paid(payoffs: Payoffs, column_payoffs: Payoffs | None, single: bool) -> tuple[Paid, Paid]:
    """Both players' payoffs.

    Parameters
    ----------
    payoffs : Payoffs
        The row player's.
    column_payoffs : Payoffs or None
        The column player's; None for the negated payoffs of the row player.
    single : bool
        Whether dense payoffs are copied in 16 bits, and multiplied in float32.
    """
    matrix = _scaled(payoffs, single)
    row = _player(payoffs, matrix, matrix.units.unit, turned=False, sign=1.0)
    if column_payoffs is None:
        return row, _player(payoffs, matrix, matrix.units.unit, turned=True, sign=-1.0)
    other = _scaled(column_payoffs, single)
    unit = max(matrix.units.unit, other.units.unit)  # regrets of both are compared
    return _player(payoffs, matrix, unit, turned=False, sign=1.0), _player(
        column_payoffs, other, unit, turned=True, sign=1.0
    )


def gap_between(payoffs: Payoffs, row: Vector, column: Vector) -> float:
    """The duality gap of two strategies, from the original payoffs, up to the rounding of float64 sums."""
    if payoffs.kind != "dense":
        return float(payoffs.times(column).max() - payoffs.left(row).min())
    above, below = np.empty(len(row)), np.empty(len(column))
    _core.Payer.dense(payoffs.values).gains(column, above)
    _core.Payer.dense(payoffs.values, turned=True).gains(row, below)
    return float(above.max() - below.min())


@dataclass(frozen=True, slots=True, eq=False)
class _Scaled:
    """A matrix in units, or in 16-bit integers of which LARGEST_SHORT are a unit."""

    values: Any
    units: Units
    low: float
    high: float


def _scaled(payoffs: Payoffs, single: bool) -> _Scaled:
    if payoffs.kind == "operator":
        return _scaled_products(payoffs)
    # Halves first: the range of payoffs may be beyond the floats.
    centre, half = payoffs.low / 2 + payoffs.high / 2, payoffs.high / 2 - payoffs.low / 2
    if payoffs.kind == "dense" and single:
        return _Scaled(_shortened(payoffs, centre, half), Units(centre, half or 1.0), -1.0, 1.0)
    if payoffs.kind != "dense" or payoffs.size <= OFFSET * half:
        centre = 0.0
    if centre == 0 and unit_of(payoffs.size) == 1:
        return _Scaled(payoffs.values, Units(), payoffs.low, payoffs.high)
    unit = power_of_two(half or payoffs.size)
    low, high = payoffs.low - centre, payoffs.high - centre
    return _Scaled(_moved(payoffs, centre) / unit, Units(centre, unit), low / unit, high / unit)


def copyable(payoffs: Payoffs) -> bool:
    """Whether payoffs can be copied in 16 bits: dense ones, all equal or with a range that is not too small."""
    half = payoffs.high / 2 - payoffs.low / 2
    return payoffs.kind == "dense" and (half == 0 or half >= NARROWEST)


def largest_product(payoffs: Payoffs) -> float:
    """The size of the payoffs of a linear operator without a range: the largest entry of one product."""
    # Weights without simple linear relations.
    weights = np.sqrt(np.arange(1.0, payoffs.shape[1] + 1))
    return float(np.abs(_checked(payoffs.times, payoffs.shape[0])(weights / weights.sum())).max())


def _scaled_products(payoffs: Payoffs) -> _Scaled:
    """A linear operator: its products are in units if they are far from 1."""
    size = largest_product(payoffs) if isnan(payoffs.size) else payoffs.size
    unit = unit_of(size)
    return _Scaled(payoffs.values, Units(0.0, unit), payoffs.low / unit, payoffs.high / unit)


def _shortened(payoffs: Payoffs, centre: float, half: float) -> Any:
    values = np.empty((payoffs.shape[0], -(-payoffs.shape[1] // 16) * 16), np.int16)
    _core.shorten_payoffs(payoffs.values, centre, LARGEST_SHORT / half if half > 0 else 0.0, values)
    return values


def _moved(payoffs: Payoffs, centre: float) -> Any:
    values = payoffs.values.astype(np.float64)
    return values if centre == 0 else values - centre


def _player(payoffs: Payoffs, matrix: _Scaled, unit: float, *, turned: bool, sign: float) -> Paid:
    """The player that wins `sign` times the payoffs, in multiples of `unit`."""
    factor = matrix.units.unit / unit
    return Paid(
        _payer(payoffs, matrix, turned=turned, sign=sign * factor),
        Units(sign * matrix.units.centre, unit),
        (matrix.high - matrix.low) * factor,
    )


def _payer(payoffs: Payoffs, matrix: _Scaled, *, turned: bool, sign: float) -> Any:
    rows, columns = payoffs.shape
    if payoffs.kind == "operator":
        mine, others = (columns, rows) if turned else (rows, columns)
        multiply = _checked(payoffs.left if turned else payoffs.times, mine, matrix.units.unit)
        return _core.Payer.calls(multiply, mine=mine, others=others, sign=sign)
    if payoffs.kind == "dense":
        shorts = matrix.values.dtype == np.int16
        return _core.Payer.dense(
            matrix.values, turned=turned, sign=sign / (LARGEST_SHORT if shorts else 1), columns=columns
        )
    compressed = matrix.values.T.tocsr() if turned else matrix.values
    return _core.Payer.sparse(
        np.ascontiguousarray(compressed.data),
        np.ascontiguousarray(compressed.indices, dtype=np.int32),
        np.ascontiguousarray(compressed.indptr, dtype=np.int64),
        int(compressed.shape[1]),
        sign=sign,
    )


def _checked(multiply: Callable[[Vector], Vector], count: int, unit: float = 1.0) -> Callable[[Vector], Vector]:
    def product(strategy: Vector) -> Vector:
        payoffs = multiply(strategy)
        if payoffs.shape != (count,) or not np.isfinite(payoffs).all():
            raise RegretlessError(f"payoffs: a product has shape {payoffs.shape}; {count} finite numbers are expected")
        return payoffs if unit == 1 else payoffs / unit

    return product
