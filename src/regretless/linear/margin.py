"""Whether a hyperplane through the origin separates two classes, and how wide the margin can be.

For rows z = y x, any v and any weights a >= 0 with sum 1 enclose the largest margin of a unit vector,

    min <v, z> / |v|  <=  rho*  <=  |sum a z|,

and both sides meet at the point of the rows' convex hull that is nearest to the origin. If that is the origin itself, no
hyperplane separates (Gordan 1873). Both sides are computed so that no rounding error can break them.

Any separating v, be it ever so far from the best, makes (max |x| / min y <v, x> * |v|)^2 a valid bound of a
perceptron's updates.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np

from ..data.batch import Array, Batch
from ..errors import RegretlessError
from . import gordan
from .intake import read_labels, read_rows
from .least_distance import LeastDistance, Outcome
from .signed_rows import SignedRows

FIRST_ROWS = 256  # of the working set
NARROW = 1024  # columns up to which a working set is certain to be small
MOST_VALUES = 20_000_000  # of the working set at the start
COARSE = 1e-2  # gap at which the rows outside the working set are looked at again
ANY_GAP = 0.9  # a margin at least a tenth of the largest is found as soon as any is
ROUNDING = 1e-14  # a combination of rows so much shorter than they are is zero up to rounding errors


@dataclass(frozen=True, slots=True)
class Separation:
    """Whether two classes can be separated, and what shows it.

    Attributes
    ----------
    separable : bool or None
        None when rounding errors or the time left no answer; `why` says so.
    weights : ndarray or None
        A unit vector with a positive margin on every row. With an intercept, the last entry is the weight of the
        constant feature.
    margin : float
        Lower bound of min y <weights, x>, rounding errors allowed for; 0 when there are no weights.
    multipliers : tuple of two ndarrays, or None
        Rows a and their weights, positive with sum 1, for which sum a y x = 0 up to `residual`: no vector separates.
    residual : float
        Upper bound of \\|sum a y x\\|. No unit vector has a larger margin.
    proven : bool
        Whether the answer is certain. If not, and `separable` is False, then up to the residual only.
    why : str
        What the answer rests on, in one sentence.
    """

    separable: bool | None
    weights: Array | None
    margin: float
    multipliers: tuple[Array, Array] | None
    residual: float
    proven: bool
    why: str


@dataclass(frozen=True, slots=True)
class MaxMargin:
    """An interval that contains the largest margin, and what proves each of its ends.

    Attributes
    ----------
    lower, upper : float
        lower <= rho* <= upper, rounding errors allowed for. Both are 0 when it is proved that nothing separates.
    weights : ndarray or None
        The unit vector whose margin is `lower`; None when lower is 0. With an intercept, the last entry is the weight
        of the constant feature.
    support : tuple of two ndarrays
        Rows a and their weights, with sum 1, for which upper = \\|sum a y x\\|.
    separable : bool or None
        As in :class:`Separation`.
    converged : bool
        Whether the gap is within the tolerance, or nothing separates.
    why : str
        What the answer rests on, in one sentence.
    """

    lower: float
    upper: float
    weights: Array | None
    support: tuple[Array, Array]
    separable: bool | None
    converged: bool
    why: str

    @property
    def gap(self) -> float:
        """Relative width of the interval, 1 - lower / upper."""
        return 1 - self.lower / self.upper if self.upper > 0 else 0.0


def separate(X: Any, y: Any, *, intercept: float = 0.0, max_seconds: float | None = None) -> Separation:
    """Decide whether a hyperplane separates two classes.

    Parameters
    ----------
    X : array, sequence, sparse matrix or table, shape (rows, features)
        Float32 and float64, dense or in compressed sparse rows, are read where they are.
    y : array or sequence, shape (rows,)
        Two labels, of which the larger one is +1. One label alone is +1 if it is a string or positive, else -1.
    intercept : float, default=0.0
        Size B of a constant feature that every row is given; 0 for a hyperplane through the origin.
    max_seconds : float, optional
        Stop looking after about so long.

    Returns
    -------
    Separation
        With a separator, or with Gordan's certificate that there is none.

    Examples
    --------
    >>> from regretless.linear import separate
    >>> separate([[1.0, 2.0], [3.0, -1.0]], [1, -1]).separable
    True
    >>> found = separate([[1.0], [1.0]], [1, -1])
    >>> found.separable, found.multipliers[1].tolist()
    (False, [0.5, 0.5])
    """
    search = _Search(_signed(X, y, intercept), ANY_GAP, max_seconds)
    search.run()
    found = search.separable is False
    return Separation(
        separable=search.separable,
        weights=search.weights,
        margin=search.lower,
        multipliers=search.support if found else None,
        residual=search.residual if found else search.upper,
        proven=search.separable is True or search.proven,
        why=search.why if search.separable is not True else "the weights have every row on its right side",
    )


def max_margin(
    X: Any, y: Any, *, intercept: float = 0.0, tolerance: float = 1e-9, max_seconds: float | None = None
) -> MaxMargin:
    """Find the largest margin rho* of a hyperplane between two classes, as an interval that contains it.

    Parameters
    ----------
    X, y, intercept
        As for :func:`separate`. With an intercept, margins are those of the rows with the constant feature.
    tolerance : float, default=1e-9
        Relative gap, 1 - lower / upper, that is good enough.
    max_seconds : float, optional
        Return the interval found so far after about so long.

    Examples
    --------
    >>> from regretless.linear import max_margin
    >>> found = max_margin([[10.0, 1.0], [10.0, -1.0]], [1, -1])
    >>> round(found.lower, 9), round(found.upper, 9), found.weights.round(9).tolist()
    (1.0, 1.0, [0.0, 1.0])
    """
    return _max_margin(_signed(X, y, intercept), tolerance, max_seconds)


def max_margin_signed(
    rows: Any,
    signs: Any = None,
    *,
    intercept: float = 0.0,
    tolerance: float = 1e-9,
    max_seconds: float | None = None,
) -> MaxMargin:
    """:func:`max_margin` for rows whose labels are signs already, -1 and 1, or multiplied into the rows (None)."""
    batch = _read(rows)
    given = np.ones(len(batch)) if signs is None else np.asarray(signs, dtype=np.float64)
    if given.shape != (len(batch),) or not (np.abs(given) == 1).all():
        raise RegretlessError(f"signs must be {len(batch)} numbers, each -1 or 1")
    return _max_margin(SignedRows(batch, given, _finite("intercept", intercept)), tolerance, max_seconds)


def _max_margin(rows: SignedRows, tolerance: float, max_seconds: float | None) -> MaxMargin:
    search = _Search(rows, _finite("tolerance", tolerance, least=0.0), max_seconds)
    search.run()
    return MaxMargin(
        lower=search.lower,
        upper=search.upper,
        weights=search.weights,
        support=search.support,
        separable=search.separable,
        converged=search.converged,
        why=search.why,
    )


def _signed(X: Any, y: Any, intercept: float) -> SignedRows:
    batch = _read(X)
    labels = read_labels(y, len(batch))
    classes = np.unique(labels)
    if len(classes) > 2:
        raise RegretlessError(f"y holds {len(classes)} classes; a hyperplane separates two")
    larger = classes[-1]
    if len(classes) == 1 and labels.dtype.kind != "U" and not larger > 0:
        signs = np.full(len(batch), -1.0)
    else:
        signs = np.where(labels == larger, 1.0, -1.0)
    return SignedRows(batch, signs, _finite("intercept", intercept))


def _read(X: Any) -> Batch:
    return X if isinstance(X, Batch) else read_rows(X, learner=SimpleNamespace(), reset=True)


def _finite(name: str, value: float, least: float = -np.inf) -> float:
    number = float(value)
    if not np.isfinite(number) or number < least:
        raise RegretlessError(f"{name} must be a finite number{'' if least < 0 else ' from 0'}, not {value!r}")
    return number


class _Search:
    """The largest margin of all rows from the shortest vectors for few of them: a working set that only grows."""

    def __init__(self, rows: SignedRows, tolerance: float, max_seconds: float | None) -> None:
        self.rows, self.tolerance = rows, tolerance
        self.lower, self.upper, self.residual = 0.0, np.inf, np.inf
        self.weights: Array | None = None
        self.support: tuple[Array, Array] = (np.zeros(0, np.intp), np.zeros(0))
        self.separable: bool | None = None
        self.proven = self.converged = False
        self.why = ""
        ends = np.inf if max_seconds is None else time.perf_counter() + max_seconds
        self._late: Callable[[], bool] = lambda: time.perf_counter() > ends
        self._scale = float(np.exp2(np.round(np.log2(np.median(rows.norms)))))  # a power of two: nothing is rounded

    def run(self) -> None:
        zero = self.rows.zero()
        if zero is not None:
            self._inseparable(
                np.array([zero]), np.ones(1), f"row {zero} (from 0) is zero: its margin is 0", proven=True
            )
            return
        shortest = np.array([np.argmin(self.rows.norms)])
        self._cut_upper(shortest, np.ones(1))
        self._grow()

    def _grow(self) -> None:
        chosen, finest = self._first(), self.tolerance / 4
        tolerance = finest if len(chosen) == self.rows.rows else max(COARSE, finest)
        search = LeastDistance(self.rows.width, self._late)
        while True:
            Z = self.rows.take(chosen) / self._scale
            outcome = search.solve(Z, tolerance)
            self._cut_upper(chosen, search.multipliers)
            if outcome is Outcome.NOTHING and self._settle(chosen, search.gordan):
                return
            scores = self._raise_lower(search.w)
            if self.lower > 0 and 1 - self.lower / self.upper <= self.tolerance:
                self.converged, self.why = True, "both ends of the interval meet within the tolerance"
                return
            if self._late():
                self.why = "the time is up"
                return
            lacking = self._lacking(scores, chosen, tolerance)
            if len(lacking):
                chosen = np.append(chosen, lacking)
            elif tolerance > finest and outcome is Outcome.CLOSE:
                tolerance = max(tolerance * COARSE, finest)
            else:
                self._give_up(chosen)
                return

    def _first(self) -> Array:
        rows = self.rows
        count = FIRST_ROWS
        if rows.width > NARROW:
            count = max(count, int(MOST_VALUES * rows.rows / max(1, int(rows.terms.sum()))))
        if count >= rows.rows:
            return np.arange(rows.rows)
        return np.argsort(rows.scores(rows.mean()), kind="stable")[:count]

    def _lacking(self, scores: Array, chosen: Array, tolerance: float) -> Array:
        """The rows outside the working set that are furthest on the wrong side, at most as many as are in it."""
        wanted = scores[chosen].min()
        outside = np.ones(len(scores), dtype=bool)
        outside[chosen] = False
        lacking = np.flatnonzero(outside & (scores < wanted - tolerance * abs(wanted)))
        most = max(FIRST_ROWS, len(chosen))
        if len(lacking) > most:
            lacking = lacking[np.argpartition(scores[lacking], most)[:most]]
        return lacking

    def _raise_lower(self, w: Array) -> Array:
        unit = w / np.linalg.norm(w)
        margin, scores = self.rows.margin(unit)
        margin = self.rows.outside(margin, 0.0)
        if margin > self.lower:
            self.lower, self.weights, self.separable = margin, self.rows.vector(unit), True
        return scores

    def _cut_upper(self, chosen: Array, multipliers: Array) -> None:
        places = np.flatnonzero(multipliers)
        total = multipliers[places].sum()
        if not 0 < total < np.inf:
            return
        rows, weights = chosen[places], multipliers[places] / total
        distance = self.rows.outside(self.rows.combination(rows, weights), np.inf)
        if distance < self.upper:
            self.upper, self.support = distance, (rows, weights)

    def _settle(self, chosen: Array, weights: Array) -> bool:
        """Whether weights that combine rows to about nothing show that the rows cannot be separated."""
        Z = self.rows.take(chosen)
        weights = gordan.reduce(Z, weights)
        exact = gordan.prove(Z, weights) if self.rows.exact else None
        count = np.count_nonzero(weights)
        if exact is not None:
            self._inseparable(chosen, exact, f"{count} rows combine to exactly zero (Gordan)", proven=True)
            return True
        self._cut_upper(chosen, weights)
        lengths = float(weights @ self.rows.norms[chosen])
        if self.lower > 0 or self.rows.combination(chosen, weights) > ROUNDING * lengths:
            return False
        self._inseparable(
            chosen, weights, f"{count} rows combine to zero but for rounding errors (Gordan)", proven=False
        )
        return True

    def _inseparable(self, chosen: Array, weights: Array, why: str, *, proven: bool) -> None:
        places = np.flatnonzero(weights)
        self.support = chosen[places], weights[places]
        residual = self.rows.outside(self.rows.combination(*self.support), np.inf)
        self.lower, self.upper, self.weights = 0.0, 0.0 if proven else residual, None
        self.residual, self.separable, self.proven, self.converged, self.why = residual, False, proven, True, why

    def _give_up(self, chosen: Array) -> None:
        """Rounding errors have the last word, unless a linear program knows better."""
        if self.lower == 0:
            v, multipliers = gordan.box_program(self.rows.take(chosen) / self._scale)
            if v is not None and v.any():
                self._raise_lower(v)
            if self.lower == 0 and multipliers is not None and self._settle(chosen, multipliers):
                return
        hidden = "the rest of the gap" if self.lower > 0 else "whether a hyperplane separates"
        self.why = f"rounding errors hide {hidden}"
