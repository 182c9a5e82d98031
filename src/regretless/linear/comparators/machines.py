"""Linear support vector machines of rows that are at hand, by coordinate ascent in the dual: some penalties at once,
whose vectors are good directions; or one without a penalty, which climbs to the largest margin."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import inf

import numpy as np

from ... import _core
from ...data.batch import Array, Batch
from ...rows.narrowed import MANY_COLUMNS
from ...rows.state import length, zeros_on_lines
from .evaluate import Vector, scores_of

PENALTIES = (0.1, 1.0, 10.0, 300.0)  # of machines that climb at once, in units of 1 / r^2
MORE_PENALTIES = (0.02, 0.2, 5.0, 300.0, 0.07, 1.0, 20.0, 1500.0)  # the same for rows of few entries
FEW_ENTRIES, FEW_OF_WIDE = 50_000, 300_000
UNLIMITED, NEAR = 1e9, 0.02  # the penalty of a machine that climbs to a margin, and how near to the largest
NOT_YET = "a margin, not yet the largest"
SVM_LENGTHS2 = 1e-290, 1e290  # outside of which C is no positive float
SMALLEST = np.finfo(float).tiny

Metric = tuple[Array, float]  # a diagonal, and the entry of the constant feature


def machine_directions(
    batch: Batch,
    signs: Array,
    intercept: float,
    longest2: float,
    orders: Iterable[Array | None],
    penalties: Sequence[float] | None = None,
    inverse: Metric | None = None,
    settled: float = 0.0,
) -> list[tuple[float, Array, float]]:
    """Linear support vector machines of some penalties, about: coordinate ascent in the dual, all in one pass.

    Parameters
    ----------
    batch, signs, intercept
        As for `margin_direction`.
    longest2 : float
        r^2, the largest squared length of a row, or another one in units of which penalties are.
    orders : iterable of (ndarray of int or None)
        Of each pass, in which order it goes over the rows.
    penalties : sequence of float, optional
        One, four or eight, in units of 1 / r^2; by default more for rows of few entries.
    inverse : tuple of (ndarray, shape (columns,), float), optional
        That of a diagonal A, and its entry for the constant feature: the machines are those of the rows A^-1/2 x, and
        the vectors those that give the rows x the same scores.
    settled : float, default=0
        A pass that raises the duals by less, as a share of what they are then, in the mean of all machines, is the last
        but one.

    Returns
    -------
    list of (penalty in units of 1 / r^2, weights, weight of the constant feature)
        The mean of each over the last pass; none where rows are so short or long that penalties are no floats.
    """
    if not SVM_LENGTHS2[0] < longest2 < SVM_LENGTHS2[1]:
        return []
    shares = penalties_of(batch.entries) if penalties is None else penalties
    most = np.array(shares) / longest2
    climbed = _climbed(_Climb(batch, signs, intercept, most, inverse), list(orders), settled)
    return [] if climbed is None else list(zip(shares, climbed[0], climbed[1].tolist(), strict=True))


def class_directions(
    batch: Batch,
    codes: Array,
    classes: int,
    intercept: float,
    longest2: float,
    orders: Sequence[Array],
    settled: float = 0.0,
) -> list[tuple[float, Array, Array]]:
    """The same of each class against the rest, for four penalties.

    Parameters
    ----------
    batch, intercept, longest2, orders, settled
        As for `machine_directions`.
    codes : ndarray of int, shape (rows,)
        Places of classes.
    classes : int
        How many there are, more than two.

    Returns
    -------
    list of (penalty in units of 1 / r^2, weights, shape (columns, classes), weights of the constant feature)
    """
    if not SVM_LENGTHS2[0] < longest2 < SVM_LENGTHS2[1]:
        return []
    most = np.array(PENALTIES) / longest2
    climbed = _climbed(_Climb(batch, codes, intercept, most, None, classes), orders, settled)
    if climbed is None:
        return []
    vectors, biases = (its.reshape(classes, len(PENALTIES), -1).transpose(1, 2, 0) for its in climbed)
    return list(zip(PENALTIES, vectors, biases[:, 0], strict=True))


def penalties_of(entries: int, wide: bool = False) -> Sequence[float]:
    """Those of machines of rows with so many entries, which may be no more than their columns."""
    return MORE_PENALTIES if entries <= (FEW_OF_WIDE if wide else FEW_ENTRIES) else PENALTIES


class _Climb:
    """Machines that go over the rows, pass after pass, from zero.

    Attributes
    ----------
    vectors, biases
        Shapes (columns, machines) and (machines,).
    multipliers : ndarray, shape (rows, machines)
    duals : ndarray, shape (machines,)
        What the passes have raised to.
    """

    def __init__(
        self, batch: Batch, labels: Array, intercept: float, most: Array, inverse: Metric | None, classes: int = 1
    ) -> None:
        self._rows, self._labels = (batch.values, batch.indices, batch.starts), labels
        self._intercept, self._most = intercept, most
        self._inverse = inverse or (None, 1.0)
        width = classes * len(most)
        self.vectors, self.multipliers = zeros_on_lines((batch.columns, width)), zeros_on_lines((len(batch), width))
        self.biases, self.duals = np.zeros(width), np.zeros(width)

    def pass_over(self, order: Array | None, lacks: Array | None = None) -> bool:
        """One pass more; false where a number of the rows is too large. What the vectors' means over the pass lack is
        added to `lacks`."""
        along = self.vectors, self.biases, self.multipliers, self._most
        more = lacks, *self._inverse, self.duals
        _, why = _core.climb(*self._rows, self._labels, order, self._intercept, *along, *more)
        return why is None


def _climbed(climb: _Climb, passes: Sequence[Array | None], settled: float) -> tuple[Array, Array] | None:
    """Weights, a row a penalty of each class, and weights of the constant feature; None of rows with numbers too
    large."""
    *first, last = passes
    for order in first:
        before = climb.duals.copy()
        if not climb.pass_over(order):
            return None
        if _share(climb.duals - before, climb.duals) < settled:
            break
    columns, width = climb.vectors.shape
    lacks = zeros_on_lines((columns + 1, width))
    if not climb.pass_over(last, lacks):
        return None
    vectors = climb.vectors
    vectors -= lacks[:-1]
    # Each is read often; very many columns are dear to copy, and are measured where they lie.
    return vectors.T if columns > MANY_COLUMNS else np.ascontiguousarray(vectors.T), climb.biases - lacks[-1]


def _share(gains: Array, duals: Array) -> float:
    """How much of what duals are now a pass gave them, in the mean; nan where numbers are too large."""
    with np.errstate(all="ignore"):
        return float(np.mean(gains / np.maximum(duals, SMALLEST)))


def climb_to_margin(
    batch: Batch, signs: Array, intercept: float, longest2: float, orders: Sequence[Array], most: int
) -> tuple[tuple[str, Array, float] | None, bool]:
    """A vector of nearly the largest margin, to which a machine without a penalty climbs.

    Parameters
    ----------
    batch, signs, intercept, longest2
        As for `machine_directions`.
    orders : sequence of ndarray of int
        Of some passes, after which it is looked at the margin.
    most : int
        How many passes it may take.

    Returns
    -------
    vector : tuple of (name, weights, weight of the constant feature), or None
        None where it does not separate the rows, or penalties are no floats.
    near : bool
        Whether its margin is nearly the largest.
    """
    if not SVM_LENGTHS2[0] < longest2 < SVM_LENGTHS2[1]:
        return None, False
    climb, least, near = _Climb(batch, signs, intercept, np.array([UNLIMITED / longest2]), None), -inf, False
    for _ in range(most // len(orders)):
        if not all(climb.pass_over(order) for order in orders):
            return None, False
        vector = Vector(NOT_YET, np.ascontiguousarray(climb.vectors[:, 0]), float(climb.biases[0]))
        least = float((signs * scores_of(batch, vector, intercept)).min())
        # The dual says that no margin is above |v| / sum a.
        norm = length(vector.vector, vector.bias)
        near = least * climb.multipliers.sum() >= (1 - NEAR) * norm * norm
        if near:
            break
    return ((vector.name, vector.vector, vector.bias), near) if least > 0 else (None, False)
