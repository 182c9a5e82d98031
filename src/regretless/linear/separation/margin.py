"""Whether a hyperplane through the origin separates two classes, and how wide the margin can be.

For rows z = y x, any v and any weights a >= 0 with sum 1 enclose the largest margin of a unit vector,

    min <v, z> / |v|  <=  rho*  <=  |sum a z|,

and both sides meet at the point of the rows' convex hull that is nearest to the origin. If that is the origin itself,
no hyperplane separates (Gordan 1873). Both sides are computed so that no rounding error can break them.

Any separating v, however far from the best, makes (max |x| / min y <v, x> * |v|)^2 a valid bound of a
perceptron's updates.
"""

from __future__ import annotations

from contextlib import nullcontext
from functools import cached_property
from math import inf
from typing import Any

import numpy as np

from ...blas import one_thread
from ...data.batch import Array, Batch
from ...errors import RegretlessError
from .budget import STEP, Budget, step_work
from .gordan import MOST_EXACT_WORK, exact_weights
from .nearest_point import (
    FEW_COLUMNS,
    NEGLIGIBLE,
    NOTHING,
    Status,
    dense,
    least_distance,
    level,
    nearest_weights,
)
from .result import CallRows, MaxMargin, Separation, by_places
from .signed_rows import SignedRows, finite_number, read_batch, read_signs


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

    Raises
    ------
    RegretlessError
        If X or y cannot be used, or y holds more than two classes.

    Examples
    --------
    >>> from regretless.linear import separate
    >>> separate([[1.0, 2.0], [3.0, -1.0]], [1, -1]).separable
    True
    >>> answer = separate([[1.0], [1.0]], [1, -1])
    >>> answer.separable, answer.multipliers[1].tolist()
    (False, [0.5, 0.5])
    """
    search = MarginSearch(SignedRows(*read_signs(X, y), intercept), ANY, Budget(max_seconds))
    search.run()
    inseparable = search.separable is False
    return Separation(
        separable=search.separable,
        weights=search.weights,
        margin=search.lower,
        multipliers=search.support if inseparable else None,
        residual=search.residual if inseparable else search.upper,
        why=search.why,
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
        Return the interval as it is after about so long.

    Returns
    -------
    MaxMargin

    Raises
    ------
    RegretlessError
        If X or y cannot be used, y holds more than two classes, or the tolerance is negative.

    Examples
    --------
    >>> from regretless.linear import max_margin
    >>> margin = max_margin([[10.0, 1.0], [10.0, -1.0]], [1, -1])
    >>> round(margin.lower, 9), round(margin.upper, 9)
    (1.0, 1.0)
    >>> (margin.weights.round(9) + 0.0).tolist()  # of -0.0 that makes 0.0
    [0.0, 1.0]
    """
    return _max_margin(SignedRows(*read_signs(X, y), intercept), tolerance, Budget(max_seconds))


def max_margin_signed(
    rows: Any,
    signs: Any = None,
    *,
    intercept: float = 0.0,
    budget: Budget | None = None,
    call: CallRows = by_places,
    toward: tuple[Array, float] | None = None,
) -> MaxMargin:
    """:func:`max_margin` for rows whose labels are signs already.

    Parameters
    ----------
    rows : Batch, array, sparse matrix or table, shape (rows, features)
    signs : array-like, shape (rows,), optional
        -1 or 1; None where they are multiplied into the rows.
    intercept : float
        Size of the constant feature; 0 for none.
    budget : Budget, optional
        What the search may cost.
    call : callable, optional
        What rows are called in `why`.
    toward : (weights, weight of the constant feature), optional
        A vector that has few rows wrong: those that it has most wrong are looked at first.

    Returns
    -------
    MaxMargin

    Raises
    ------
    RegretlessError
        If there is another number of signs than of rows, or one is neither -1 nor 1.
    """
    batch = _dense_if_small(read_batch(rows))
    labels = np.ones(len(batch)) if signs is None else np.asarray(signs, dtype=np.float64)
    if labels.shape != (len(batch),) or not (np.abs(labels) == 1).all():
        raise RegretlessError(f"signs must be {len(batch):,} numbers, each -1 or 1")
    signed = SignedRows(batch, labels, intercept)
    first = None if toward is None else signed.inside(*toward)
    return _max_margin(signed, 1e-9, Budget() if budget is None else budget, call, first)


def _dense_if_small(batch: Batch) -> Batch:
    """Few rows without the zeros left out, which is the faster arithmetic for them, and needs no import of scipy."""
    if batch.starts is None or batch.indices is None or len(batch) * batch.columns > MOST_DENSE:
        return batch
    values = np.zeros((len(batch), batch.columns))
    begins = np.arange(len(batch)) * batch.columns
    values.ravel()[np.repeat(begins, np.diff(batch.starts)) + batch.indices] = batch.values
    return Batch(values, batch.labels, batch.columns)


def _max_margin(
    rows: SignedRows,
    tolerance: float,
    budget: Budget,
    call: CallRows = by_places,
    toward: Array | None = None,
) -> MaxMargin:
    search = MarginSearch(rows, finite_number("tolerance", tolerance, least=0.0), budget, call, toward)
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


ANY = inf  # a tolerance that any margin meets
FIRST_ROWS = 256  # of the working set
ROWS_A_COLUMN = 4  # of it, where some vector has few rows wrong: of half as many any labels may well be separable
NARROW = 1024  # columns up to which a working set is certain to stay small
MOST_DENSE = 1 << 20  # values of rows that are searched with their zeros
MOST_VALUES = 20_000_000  # of the working set at the start, when it is not
COARSE = 1e-2  # gap at which the rows outside the working set are looked at again
LOOSE = 0.2  # and where any margin will do
MOST_FINISHES = 30
LARGE = 1000  # multiplications of floats in the time of one of large whole numbers


# ---- the search: the shortest vectors for few rows, then the rows they have wrong


class MarginSearch:
    """Bounds of the largest margin that close in on it, with what proves them.

    The working set only grows: rows that may leave it come back for ever. Any vector is tried on all rows, so the lower
    bound holds for all; the upper bound of a few rows holds for all anyway.

    Parameters
    ----------
    rows : SignedRows
        The rows z = y x.
    tolerance : float
        Relative gap that is good enough; `ANY` to stop at the first positive margin.
    budget : Budget
        What it may cost.
    call : callable, optional
        What rows are called in `why`.
    toward : ndarray, shape (columns of the rows,), optional
        The rows that this vector has most wrong are looked at first; by default those that their mean has.

    Attributes
    ----------
    lower, upper, weights, support, separable, converged, why
        As in `MaxMargin`.
    """

    def __init__(
        self,
        rows: SignedRows,
        tolerance: float,
        budget: Budget,
        call: CallRows = by_places,
        toward: Array | None = None,
    ) -> None:
        self.rows, self.tolerance, self._toward = rows, tolerance, toward
        self.lower, self.upper = 0.0, inf
        self.weights: Array | None = None
        self.support: tuple[Array, Array] = (np.zeros(0, np.intp), np.zeros(0))
        self.separable: bool | None = None
        self.converged = False
        self.why = ""
        self._call, self._budget, self._entries = call, budget, float(rows.terms.sum())
        self._goal, self._sizes = tolerance, np.ones(rows.rows)

    @cached_property
    def residual(self) -> float:
        """As in `Separation`, when nothing separates the rows; few ask."""
        return self.rows.outside(self.rows.combination(*self.support), inf)

    def run(self) -> None:
        """Look until the gap is closed, or until it is known that it cannot be."""
        # Work is counted so that numbers are the same on every machine: their last digits depend on the threads, too.
        with one_thread() if self._budget.counted or self.rows.width <= NARROW else nullcontext():
            self._run()

    def _run(self) -> None:
        if self._is_obvious():
            return
        rows = self.rows
        if self._budget.late(_first_work(rows.rows, rows.width, int(self._entries), rows.sparse)):
            self._conclude()
            return
        # Divided by powers of two, rows stay what they are. Where any margin will do, rows of all lengths count alike,
        # which takes fewer steps; of wide rows even an early margin is late.
        lengths = np.exp2(np.round(np.log2(self.rows.norms)))
        if self.tolerance == ANY or (self._budget.limited and self.rows.width > NARROW):
            self._grow(lengths, ANY)
        if self.tolerance != ANY and self._may_go_on():
            middle = np.sort(lengths)[[(len(lengths) - 1) // 2, len(lengths) // 2]]  # `np.median` would import numpy.ma
            self._grow(np.full(len(lengths), middle.sum() / 2), self.tolerance)
            if self.lower == 0 and self._may_go_on():
                self._grow(lengths, ANY)
        self._conclude()

    def _conclude(self) -> None:
        if self.separable is False:
            return
        self._cut_upper(np.array([np.argmin(self.rows.norms)]), np.ones(1))
        self.converged = self.lower > 0 and 1 - self.lower / self.upper <= self.tolerance
        hidden = "the rest of the gap" if self.separable else "whether a hyperplane separates"
        if self.converged and self.tolerance == ANY:
            self.why = "the weights have every row on its right side"
        elif self.converged:
            self.why = "both ends of the interval meet within the tolerance"
        else:
            self.why = self._budget.why if self._budget.late() else f"rounding errors hide {hidden}"

    def _may_go_on(self) -> bool:
        return self.separable is not False and not self._budget.late()

    def _is_obvious(self) -> bool:
        obvious = self.rows.obvious(self._call)
        if obvious is None:
            return False
        places, why = obvious
        self._inseparable(places, np.full(len(places), 1 / len(places)), why)
        self.residual = 0.0  # and not what rounding may make of it
        return True

    def _grow(self, sizes: Array, goal: float) -> None:
        """Shortest vectors for a working set of rows, each over its size, until no row outside is worse than inside."""
        self._sizes, self._goal = sizes, goal
        chosen, finest = self._first(), min(goal / 4, LOOSE)
        tolerance = finest if len(chosen) == self.rows.rows else max(COARSE, finest)
        search = least_distance(self.rows.width, self._budget)
        while True:
            outcome = search.solve(self._take(chosen), tolerance)
            if outcome is Status.NOTHING:
                some = np.flatnonzero(search.gordan)
                if len(some) <= self.rows.width + 1 and self._settle(chosen[some], search.gordan[some]):
                    return
            self._cut_upper(chosen, search.multipliers / sizes[chosen])
            if outcome is Status.NOTHING:
                self._finish(chosen, search.gordan)
                return
            scores = self._raise_lower(search.w)
            if self._done():
                return
            lacking = self._lacking(scores, chosen, tolerance)
            if len(lacking):
                chosen = np.append(chosen, lacking)
            elif tolerance > finest and outcome is Status.CLOSE:
                tolerance = max(tolerance * COARSE, finest)
            else:
                self._finish(chosen, search.multipliers)
                return

    def _done(self) -> bool:
        return self._budget.late() or (self.lower > 0 and 1 - self.lower / self.upper <= self._goal)

    def _first(self) -> Array:
        rows, count = self.rows, _first_rows(self.rows.rows, self.rows.width, int(self._entries))
        if count >= rows.rows:
            return np.arange(rows.rows)
        scores = rows.scores(rows.mean() if self._toward is None else self._toward)
        wrong = 0 if self._toward is None else np.count_nonzero(scores < 0)
        if wrong and rows.width <= FEW_COLUMNS:
            count = min(rows.rows, max(count, ROWS_A_COLUMN * rows.width))
        order, half = np.argsort(scores / self._sizes, kind="stable"), count // 2
        if wrong <= half:
            return order[:count]
        # The opposite vector separates those that are wrong: beside others they show why none separates all.
        return np.append(order[:half], order[half :: (len(order) - half) // (count - half)][: count - half])

    def _take(self, chosen: Array) -> Any:
        Z = self.rows.take(chosen)
        if self.rows.sparse:
            Z.data /= np.repeat(self._sizes[chosen], np.diff(Z.indptr))
        else:
            Z /= self._sizes[chosen, None]
        return Z

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
        """The scores of all rows, each over its size; the margin goes into the lower bound."""
        self._budget.spend(100 * self._entries)  # in more than one reading
        unit = w / (np.linalg.norm(w) or 1.0)
        margin, scores = self.rows.margin(unit)
        margin = self.rows.outside(margin, 0.0)
        if margin > self.lower:
            self.lower, self.weights, self.separable = margin, self.rows.vector(unit), True
        return scores / self._sizes

    def _cut_upper(self, rows: Array, multipliers: Array) -> None:
        places = np.flatnonzero(multipliers)
        total = multipliers[places].sum()
        if not 0 < total < inf:
            return
        rows, weights = rows[places], multipliers[places] / total
        distance = self.rows.outside(self.rows.combination(rows, weights), inf)
        if distance < self.upper:
            self.upper, self.support = distance, (rows, weights)

    def _finish(self, chosen: Array, multipliers: Array) -> None:
        """What the method of multipliers leaves open: the last digits, or whether rows combine to nothing."""
        positive = multipliers > NEGLIGIBLE * multipliers.max()
        rows, shares = chosen[positive], multipliers[positive]
        for _ in range(MOST_FINISHES):
            work = STEP + 3.0 * len(rows) ** 2 * self.rows.width
            if self._budget.late(work):
                break
            self._budget.spend(work)
            weights = nearest_weights(self._take(rows))
            if weights is None:
                self._settle(rows, shares)
                break
            self._cut_upper(rows, weights / self._sizes[rows])
            if self._settle(rows[weights > 0], weights[weights > 0]):
                return
            w = level(self._take(rows[weights > 0]))
            if w is None:
                break
            lacking = self._lacking(self._raise_lower(w), rows, min(self._goal, 1.0) / 4)
            if self._done():
                return
            if not len(lacking):
                break
            rows = np.append(rows, lacking)

    def _settle(self, rows: Array, weights: Array) -> bool:
        """Whether these weights of rows over their sizes lead to a proof that the rows cannot be separated."""
        weights = weights / self._sizes[rows]
        weights /= weights.sum()
        total, taken = float(weights @ self.rows.norms[rows]), self.rows.take(rows)
        # Rows of very different sizes may leave nothing of the weights but what has no square.
        if self.lower > 0 or not total > 0 or np.linalg.norm(taken.T @ weights) > NOTHING * total:
            return False
        table = dense(taken) if self.rows.exact else None
        if table is None:
            return False
        most = min(MOST_EXACT_WORK, self._budget.left / LARGE)
        proved, weights = exact_weights(table, weights, most)
        self._budget.spend(LARGE * min(most, float(len(rows)) ** 3))
        if proved:
            self._inseparable(rows, weights, f"{np.count_nonzero(weights)} rows combine to exactly zero (Gordan)")
        return self.separable is False

    def _inseparable(self, rows: Array, weights: Array, why: str) -> None:
        places = np.flatnonzero(weights)
        self.support = rows[places], weights[places]
        self.lower, self.upper, self.weights = 0.0, 0.0, None
        self.separable, self.converged, self.why = False, True, why


def work_to_begin(batch: Batch) -> float:
    """How many multiplications the first step of a search among these rows takes, about."""
    sparse = batch.sparse and len(batch) * batch.columns > MOST_DENSE
    return _first_work(len(batch), batch.columns, batch.entries if sparse else len(batch) * batch.columns, sparse)


def _first_work(rows: int, columns: int, entries: int, sparse: bool) -> float:
    if columns <= FEW_COLUMNS:
        return 0.0
    count = min(rows, _first_rows(rows, columns, entries))
    return step_work(min(count, columns), entries * count // max(1, rows), sparse)


def _first_rows(rows: int, columns: int, entries: int) -> int:
    """How many rows a working set begins with, if there are as many."""
    return max(FIRST_ROWS, int(MOST_VALUES * rows / max(1, entries))) if columns > NARROW else FIRST_ROWS
