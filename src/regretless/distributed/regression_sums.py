"""What ridge regression knows of some rows, in a form that adds up: products, sums, and two quadratic functions."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from ..data.batch import Array
from ..ledger import Ledger
from ..regression.state import MOST, RegressionRules, RegressionState
from ..rows.factor import put_upper, upper_of
from ..rows.mixture_state import FULL, RATES
from .weighted_mean import inverse_of_lower, lower_and_pivots

SQUARES = 2 * RATES  # the place in a cell from which on it is about rows alone: squares, count, most, root


@dataclass(frozen=True, slots=True, eq=False)
class Moments:
    """Count, mean and spread of outcomes, as distances from one of them.

    Attributes
    ----------
    count, base, mean, spread : float
        How many; one of them; their mean less it; the sum of their squared distances from the mean.
    """

    count: float = 0.0
    base: float = 0.0
    mean: float = 0.0
    spread: float = 0.0

    def __add__(self, other: Moments) -> Moments:
        """Those of all outcomes."""
        if not self.count or not other.count:
            return self if self.count else other
        count = self.count + other.count
        apart = other.base - self.base + other.mean - self.mean
        part = other.count / count
        return Moments(
            count, self.base, self.mean + apart * part, self.spread + other.spread + apart * apart * self.count * part
        )


@dataclass(frozen=True, slots=True, eq=False)
class RidgeSums:
    """What some neighbouring shards know; all but the first row of the first of them is in the sums.

    Features have the constant one first. Outcomes are measured from `origin`.

    Attributes
    ----------
    names : tuple of str or None
        Of the columns.
    ledger : Ledger
        The sum of those of the shards.
    energy, gap : float
        The sums of theirs.
    origin, low, high : float
        The first outcome; the range of the others, measured from it.
    moments : Moments
        Of the outcomes but for the first.
    first, total : ndarray, shape (features,)
        The first row; the sum of the others.
    gram : ndarray, shape (features, features)
        The sum of x x'.
    products : ndarray, shape (features,)
        The sum of x z.
    cells : ndarray, shape (features, 4)
        Of each feature the sum of squares, the count, the largest size, the largest root mean square.
    penalised : ndarray, shape (features, features)
        The matrix of the sum over the shards of their penalised losses of one vector.
    best : ndarray, shape (features,)
        The vector at which this sum is least.
    least : float
        The sum there.
    """

    names: tuple[str, ...] | None
    ledger: Ledger
    energy: float
    gap: float
    origin: float
    low: float
    high: float
    moments: Moments
    first: Array
    total: Array
    gram: Array
    products: Array
    cells: Array
    penalised: Array
    best: Array
    least: float

    @property
    def features(self) -> int:
        """How many there are, with the constant one."""
        return len(self.first)


def sums_of(
    state: RegressionState, rules: RegressionRules, first: Array, total: Array, names: tuple[str, ...] | None
) -> RidgeSums:
    """The sums of a shard from the state after its last row.

    Parameters
    ----------
    state : RegressionState
        With one full matrix.
    rules : RegressionRules
        By which all rows were played.
    first, total : ndarray, shape (features,)
        The first row; the sum of the others.
    names : tuple of str or None
        Of the columns.
    """
    cells = state.all_cells()
    penalised = _matrix(state)
    best = state.weights[0].copy()
    gram = penalised - np.diag(rules.priors[0] * cells[:, MOST] ** 2)
    ledger = state.ledger()
    return RidgeSums(
        names=names,
        ledger=ledger,
        energy=float(state.part("energy")[FULL]),
        gap=state.one("gap"),
        origin=state.one("origin"),
        low=state.one("low"),
        high=state.one("high"),
        moments=Moments(ledger.updates, state.one("second"), state.one("mean"), state.one("spread")),
        first=first,
        total=total,
        gram=gram,
        products=_times(penalised, best),
        cells=cells[:, SQUARES:],
        penalised=penalised,
        best=best,
        least=float(state.part("least")[FULL]),
    )


def add_sums(left: RidgeSums, right: RidgeSums, size: float) -> RidgeSums:
    """The sums of neighbours: those of one pass over the rows of the one and then of the other.

    Parameters
    ----------
    left, right : RidgeSums
    size : float
        Of the constant feature; 0 where there is none, and each shard's outcomes stay measured from its own first one
        in the sum of the penalised losses.
    """
    left, right = _aligned(left, right)
    off = right.origin - left.origin
    row = right.first
    best = right.best.copy()
    best[0] += off / size if size else 0.0
    penalised, least = left.penalised + right.penalised, left.least + right.least
    joint = _solution(penalised, _times(left.penalised, left.best) + _times(right.penalised, best))
    for one, own in ((left.penalised, left.best), (right.penalised, best)):
        least += float((_times(one, joint - own) * (joint - own)).sum())
    alone = np.stack([row * row, (row != 0) * 1.0, np.abs(row), np.zeros(len(row))], axis=1)
    return replace(
        left,
        ledger=left.ledger + right.ledger,
        energy=left.energy + right.energy,
        gap=left.gap + right.gap,
        low=min(left.low, off, right.low + off),
        high=max(left.high, off, right.high + off),
        moments=left.moments + Moments(1.0, right.origin) + right.moments,
        total=left.total + row + right.total,
        gram=left.gram + np.outer(row, row) + right.gram,
        products=left.products + off * (row + right.total) + right.products,
        cells=np.hstack(
            [
                left.cells[:, :2] + alone[:, :2] + right.cells[:, :2],
                np.maximum(np.maximum(left.cells[:, 2:], alone[:, 2:]), right.cells[:, 2:]),
            ]
        ),
        penalised=penalised,
        best=joint,
        least=least,
    )


def place_sums(state: RegressionState, sums: RidgeSums, prior: float) -> None:
    """Put sums into a state that has learned nothing and has as many columns: ridge regression on all of the rows.

    Its energy becomes what the bound on the summed loss exceeds the least penalised loss by, so that this bound goes on
    with the rounds to come.

    Parameters
    ----------
    state : RegressionState
    sums : RidgeSums
    prior : float
        lambda.
    """
    most = sums.cells[:, MOST - SQUARES]
    matrix = sums.gram + np.diag(prior * most * most)
    lower, pivots, sizes = _factors(matrix)
    state.books[0] = sums.ledger.array()
    state.memory[0, SQUARES : SQUARES + 4] = sums.cells[0]
    state.cells[: state.columns, SQUARES : SQUARES + 4] = sums.cells[1:]
    weights = _solution(matrix, sums.products)
    state.weights[0] = weights
    state.scales[0] = np.where(most > 0, 1 / (pivots * sizes * sizes), 0)
    put_upper(state.factor[0], inverse_of_lower(lower).T * (sizes[None, :] / sizes[:, None]))
    moments = sums.moments
    apart = moments.base - sums.origin + moments.mean
    least = moments.spread + moments.count * apart * apart - float((weights * sums.products).sum())
    state.part("least")[FULL] = max(least, 0.0)
    state.part("energy")[FULL] = max(sums.least + sums.energy - max(least, 0.0), 0.0)
    state.part("loss")[FULL] = sums.ledger.loss
    singles = {name: getattr(sums, name) for name in ("origin", "low", "high", "gap")}
    singles |= {"second": moments.base, "mean": moments.mean, "spread": moments.spread}
    for name, value in singles.items():
        state.put(name, value)


# ---- columns


def _aligned(left: RidgeSums, right: RidgeSums) -> tuple[RidgeSums, RidgeSums]:
    """Both with the columns of both: by their names or, where these are the same or there are none, by number."""
    names = left.names
    if names is None or right.names is None or names == right.names:
        count = max(left.features, right.features)
        return _widened(left, np.arange(left.features), count), _widened(right, np.arange(right.features), count)
    places = {name: k for k, name in enumerate(dict.fromkeys((*names, *right.names)), 1)}
    at = [np.array([0, *(places[name] for name in one)]) for one in (names, right.names)]
    left = replace(left, names=tuple(places))
    return _widened(left, at[0], 1 + len(places)), _widened(right, at[1], 1 + len(places))


def _widened(sums: RidgeSums, places: Array, count: int) -> RidgeSums:
    """The same sums with each feature at its place among so many."""
    if count == sums.features and (places == np.arange(count)).all():
        return sums
    wider: dict[str, Any] = {}
    for one in fields(sums):
        old = getattr(sums, one.name)
        if not isinstance(old, np.ndarray):
            continue
        square = one.name in ("gram", "penalised")
        wider[one.name] = np.zeros((count, count) if square else (count, *old.shape[1:]))
        wider[one.name][np.ix_(places, places) if square else places] = old
    return replace(sums, **wider)


# ---- a full matrix: A^-1 = U D U' with ones on the diagonal of U, so that A = L D^-1 L' with L = U'^-1


def _times(matrix: Array, vector: Array) -> Array:
    """Their product, summed in one order: that of BLAS depends on the number of threads."""
    return np.asarray((matrix * vector).sum(axis=1))


def _factors(matrix: Array) -> tuple[Array, Array, Array]:
    """L, 1 / D and the sizes of the features, in units of which both are."""
    diagonal = np.diag(matrix)
    sizes = np.where(diagonal > 0, np.sqrt(np.maximum(diagonal, 0)), 1.0)
    scaled = matrix / sizes[:, None] / sizes
    scaled[np.diag_indices(len(scaled))] = 1.0  # also of a feature that never came
    return (*lower_and_pivots(scaled, np.finfo(float).eps), sizes)


def _solution(matrix: Array, right: Array) -> Array:
    """A^-1 b, and 0 for features that never came."""
    lower, pivots, sizes = _factors(matrix)
    inverse = inverse_of_lower(lower)
    return np.asarray((inverse.T * (_times(inverse, right / sizes) / pivots)).sum(axis=1) / sizes)


def _matrix(state: RegressionState) -> Array:
    """A, with the penalty of the prior."""
    scales, size = state.scales[0], 1 + state.columns
    inverse = inverse_of_lower(upper_of(state.factor[0], size).T)
    matrix = np.zeros((size, size))
    for k in np.flatnonzero(scales):
        column = inverse[:, k]
        matrix += column[:, None] * (column / scales[k])
    return matrix
