"""The point of a convex hull nearest to the origin: of many rows by multipliers, of few to the last digit.

For many rows z, `LeastDistance` looks for the shortest w with <w, z> >= 1 for every row. With multipliers a >= 0 and a
penalty c, each round minimises

    |w|^2 / 2 + c / 2 * sum max(0, 1 + a_t / c - <w, z_t>)^2

by Newton's method with a line search (the function is convex and piecewise quadratic), sets a_t to c times the maximum
and raises c. Then w = sum a z, and a tends to the multipliers of the problem; ties and repeated rows do no harm. Where
no w exists, what the rows lack of 1 tends to multipliers g >= 0 with sum g z = 0 instead: Gordan's alternative
(Bertsekas, Constrained optimization and Lagrange multiplier methods, 1982, chapter 5).

Over few columns `NearestPoint` finds the point itself, compiled: by Wolfe's method (Finding the nearest point in a
polytope, 1976), which ends after finitely many steps, with the origin if the hull contains it. Where rounding errors
stop it, the method of multipliers goes on.

For few rows, `nearest_weights` solves least squares with nonnegative weights a for ``sum a z = 0, sum a = 1`` (Lawson
and Hanson, Solving least squares problems, 1974, chapter 23). It gives the weights of the nearest point, and of the
origin itself if the hull contains it; they end up on rows of which none is superfluous. Where the vector ``sum a z`` is
short it loses digits to cancellation, so the shortest w with <w, z> = 1 on those rows is solved for afresh.
"""

from __future__ import annotations

from enum import Enum, auto
from typing import Any

import numpy as np

from ... import _core
from ...data.batch import Array
from .budget import Budget, entries_of, newton_work

SMALLEST_PENALTY, FIRST_PENALTY, LARGEST_PENALTY, GROWTH = 1e-300, 1.0, 1e16, 10.0
OF_FEW_ROWS = 1e4  # the first penalty for no more rows than columns, which the first step separates then, as a rule
BACK_BY = 1e-3  # how far the penalty falls when rows are added: the old multipliers are no longer nearly right
MOST_ROUNDS, MOST_STEPS, PATIENCE = 100, 100, 8
NOTHING = 1e-12  # a combination of rows this much shorter than the rows may well be zero
FACTORED_AT_ONCE = 1500  # systems up to this size are solved by Cholesky's factors, larger ones by conjugate gradients,
FACTORED_AT_ALL = 8192  # and then by factors after all if that takes more than
CONJUGATE_STEPS, CLOSE_ENOUGH = 500, 0.1
ELIMINATED = 500
ROWS_OF_GRAM = 512
FEW_COLUMNS = 256  # of which the compiled search is the faster one
AT_A_TIME = 1e8  # its multiplications between looks at the clock


class Status(Enum):
    """How a search ended."""

    CLOSE = auto()  # within the tolerance
    NOTHING = auto()  # `gordan` combines the rows to nothing: no w exists, or one so long that rounding hides it
    STALLED = auto()
    LATE = auto()


class LeastDistance:
    """The search over a set of rows that may grow.

    Attributes
    ----------
    w : ndarray, shape (columns,)
        The vector so far.
    multipliers : ndarray, shape (rows,)
        The weights of the rows in it, not normalised.
    gordan : ndarray, shape (rows,)
        Nonnegative weights of the shortest combination seen last, not normalised.
    least : float
        Smallest <w, z>.
    """

    def __init__(self, columns: int, budget: Budget) -> None:
        self.w = np.zeros(columns)
        self.multipliers = self.gordan = np.zeros(0)
        self.least = 0.0
        self._budget = budget
        self._c, self._largest_c = FIRST_PENALTY, LARGEST_PENALTY
        self._conjugate = True

    @np.errstate(over="ignore", invalid="ignore")
    def solve(self, Z: Any, tolerance: float) -> Status:
        """Search until 1 - least / \\|w\\| over \\|sum a z\\| / sum a is at most the tolerance.

        Parameters
        ----------
        Z : ndarray or sparse array, shape (rows, columns)
            The rows, of norms about 1; those of an earlier search first, in their order.
        tolerance : float
            Relative gap between the two sides of the distance.
        """
        added = Z.shape[0] - len(self.multipliers)
        if added == Z.shape[0] <= min(Z.shape[1], FACTORED_AT_ONCE):
            self._c = OF_FEW_ROWS / BACK_BY
        self.multipliers = np.append(self.multipliers, np.zeros(added))
        self._c = max(FIRST_PENALTY, self._c * (BACK_BY if added else 1))
        scores, best, waited, care = Z @ self.w, np.inf, 0, 1e-3
        for _ in range(MOST_ROUNDS):
            scores = self._minimise(Z, scores, care)
            if not np.isfinite(scores).all():  # rows whose lengths differ by hundreds of powers of ten
                self.w = np.zeros_like(self.w)
                break
            self.multipliers = np.maximum(self.multipliers + self._c * (1 - scores), 0)
            self.least = float(scores.min())
            gap, shortest = self._measure(Z, scores)
            if gap <= tolerance:
                return Status.CLOSE
            if shortest <= NOTHING:
                return Status.NOTHING
            care = max(1e-14, min(care, 0.01 * min(gap, shortest)))
            if self._budget.late():
                return Status.LATE
            waited = 0 if gap < 0.9 * best else waited + 1
            best = min(best, gap)
            if waited > PATIENCE and self._c >= self._largest_c:
                break
            self._c = min(self._c * GROWTH, self._largest_c)
        return Status.STALLED

    def _measure(self, Z: Any, scores: Array) -> tuple[float, float]:
        """The relative gap, and how short the shortest combination of rows is."""
        length, lack = float(np.linalg.norm(self.w)), np.maximum(1 - scores, 0)
        distance, residual = _combination(Z, self.multipliers), _combination(Z, lack)
        self.gordan = lack if residual < distance else self.multipliers
        separates = 0 < length < np.inf and self.least > 0
        return 1 - self.least / length / distance if separates else np.inf, min(distance, residual)

    def _minimise(self, Z: Any, scores: Array, tolerance: float) -> Array:
        before = np.inf
        for _ in range(MOST_STEPS):
            lack = 1 + self.multipliers / self._c - scores
            gradient = self.w - self._c * (Z.T @ np.maximum(lack, 0))
            size = float(np.linalg.norm(gradient))
            if size <= tolerance * np.linalg.norm(self.w) or size > 0.5 * before:
                break
            active = Z[np.flatnonzero(lack > 0)]
            work = newton_work(active) + 4.0 * entries_of(Z)
            if self._budget.late(work):
                break
            self._budget.spend(work)
            step = self._newton(active, gradient)
            along = Z @ step
            length, full = self._line_search(lack, along, step, float(gradient @ step))
            before = size if full else np.inf  # full steps that no longer help have met the rounding errors
            self.w = self.w + length * step
            scores = Z @ self.w
        return scores

    def _line_search(self, lack: Array, along: Array, step: Array, start: float) -> tuple[float, bool]:
        """Where the function is least along the step: the root of a piecewise linear, increasing slope."""
        linear, square = float(self.w @ step), float(step @ step)
        length, low, high = 1.0, 0.0, np.inf
        for _ in range(40):
            rest = lack - length * along
            slope = linear + length * square - self._c * float(np.maximum(rest, 0) @ along)
            curve = square + self._c * float((along * along) @ (rest > 0))
            if abs(slope) <= 1e-3 * abs(start) or curve == 0:
                break
            low, high = (length, high) if slope < 0 else (low, length)
            following = length - slope / curve
            if not low < following < high:
                following = 2 * length if high == np.inf else (low + high) / 2
            length = following
        return length, length == 1.0

    def _newton(self, active: Any, gradient: Array) -> Array:
        """-(I + c A'A)^-1 gradient for the active rows A."""
        if min(active.shape) > FACTORED_AT_ONCE:
            if self._conjugate or min(active.shape) > FACTORED_AT_ALL:
                step, done = _conjugate_gradients(active, self._c, gradient)
                if done or min(active.shape) > FACTORED_AT_ALL:
                    return step
            self._conjugate = False
        c = self._c
        while True:
            try:
                step = _factored(active, c, gradient)
            except np.linalg.LinAlgError:
                step = gradient
            if float(step @ gradient) < 0 or c < SMALLEST_PENALTY:
                return step
            # So large a penalty drowns the identity in rounding errors; with a smaller one the step still descends.
            c /= GROWTH
            self._largest_c = c


class NearestPoint(LeastDistance):
    """The same over few columns, by the compiled search for the nearest point; where rounding errors stop that, by the
    method of multipliers."""

    _stalled = False

    @np.errstate(over="ignore", invalid="ignore")
    def solve(self, Z: Any, tolerance: float) -> Status:
        """As `LeastDistance.solve`; the multipliers are those of as few rows as can be."""
        if self._stalled:
            return super().solve(Z, tolerance)
        rows = np.ascontiguousarray(Z if isinstance(Z, np.ndarray) else Z.toarray())
        weights, point = np.zeros(len(rows)), np.zeros(rows.shape[1])
        weights[: len(self.multipliers)] = self.multipliers
        end, self.least = "late", 0.0
        while end == "late" and not self._budget.late():
            most = min(self._budget.left, AT_A_TIME)
            end, work = _core.nearest_point(rows, weights, point, tolerance, NOTHING, most)
            self._budget.spend(work)
        self.multipliers = self.gordan = weights
        if end == "nothing":
            return Status.NOTHING
        size = float(point @ point)
        if NOTHING**2 < size < np.inf:
            self.w, self.multipliers = point / size, weights / size
            self.least = float((rows @ self.w).min())
        if end != "stalled":
            return Status.CLOSE if end == "near" else Status.LATE
        if self.least > 0:
            some = rows[weights > 0]
            w = level(some)  # of so long a vector the last digits come from its rows
            if w is not None and (least := float((rows @ w).min())) > self.least:
                self.w, self.least = w, least
            return Status.STALLED
        self._stalled = True
        return super().solve(Z, tolerance)


def least_distance(columns: int, budget: Budget) -> LeastDistance:
    """The search that is the faster one for so many columns."""
    return (NearestPoint if columns <= FEW_COLUMNS else LeastDistance)(columns, budget)


def _combination(Z: Any, weights: Array) -> float:
    total = float(weights.sum())
    return float(np.linalg.norm(Z.T @ (weights / total))) if 0 < total < np.inf else np.inf


def _factored(A: Any, c: float, g: Array) -> Array:
    by_column = A.shape[0] > A.shape[1]
    gram = _gram(A.T) if by_column else _gram(A)
    gram *= c
    gram[np.diag_indices(len(gram))] += 1.0
    if by_column:
        return -_solved(gram, g)
    return -(g - A.T @ (c * _solved(gram, A @ g)))  # type: ignore[no-any-return]


def _solved(gram: Array, aim: Array) -> Array:
    # numpy and scipy bring a BLAS each, and the idle threads of one steal the processors from the other: what is small
    # stays with numpy, though elimination takes twice the multiplications of Cholesky's factors.
    if len(gram) <= ELIMINATED:
        return np.linalg.solve(gram, aim)
    from scipy.linalg import cho_factor, cho_solve

    factor = cho_factor(gram, lower=True, overwrite_a=True, check_finite=False)
    return cho_solve(factor, aim, check_finite=False)  # type: ignore[no-any-return]


def _gram(A: Any) -> Array:
    """A A'; for large sparse A the lower triangle only."""
    if isinstance(A, np.ndarray):
        return A @ A.T
    A = A.tocsr()
    if A.shape[0] <= ELIMINATED:
        return (A @ A.T).toarray()  # type: ignore[no-any-return]
    gram = np.zeros((A.shape[0], A.shape[0]))
    for begin in range(0, A.shape[0], ROWS_OF_GRAM):
        end = begin + ROWS_OF_GRAM
        gram[begin:end, :end] = (A[begin:end] @ A[:end].T).toarray()
    return gram


def _conjugate_gradients(A: Any, c: float, g: Array) -> tuple[Array, bool]:
    """About -(I + c A'A)^-1 g, a descent direction in any case; and whether it came close enough."""
    diagonal = 1 + c * np.asarray((A * A).sum(axis=0)).ravel()
    step, rest = np.zeros_like(g), -g
    direction = rest / diagonal
    size = float(rest @ direction)
    enough = CLOSE_ENOUGH**2 * size
    for _ in range(CONJUGATE_STEPS):
        image = direction + c * (A.T @ (A @ direction))
        length = size / float(direction @ image)
        step += length * direction
        rest -= length * image
        scaled = rest / diagonal
        before, size = size, float(rest @ scaled)
        if size <= enough:
            return step, True
        direction = scaled + (size / before) * direction
    return step, False


MOST_DENSE_VALUES = 1 << 22  # of a matrix that is worth making dense
MOST_NNLS_ROWS = 1000
NEGLIGIBLE = 1e-9


# ---- few rows


def dense(rows: Any) -> Array | None:
    """The rows without the columns in which all are zero; None when that is too large."""
    if isinstance(rows, np.ndarray):
        return rows[:, rows.any(axis=0)] if rows.size <= MOST_DENSE_VALUES else None
    columns = np.unique(rows.indices)
    if rows.shape[0] * len(columns) > MOST_DENSE_VALUES:
        return None
    full: Array = rows.tocsc()[:, columns].toarray()
    return full[:, full.any(axis=0)]


def nearest_weights(rows: Any) -> Array | None:
    """The weights, with sum 1, of the nearest point; None when there are too many rows or the iteration fails."""
    table = dense(rows) if 0 < rows.shape[0] <= MOST_NNLS_ROWS else None
    if table is None:
        return None
    from scipy.optimize import nnls

    norms = np.sqrt((table * table).sum(axis=1))
    scale = float(np.median(norms))
    if scale == 0:  # so short that their squares are
        return None
    sizes = np.maximum(norms / scale, 1)
    system = np.vstack([table.T / (scale * sizes), 1 / sizes])
    aim = np.zeros(len(system))
    aim[-1] = 1
    if len(system) > 2 * len(table):  # more equations than unknowns: a triangle says the same
        basis, system = np.linalg.qr(system)
        aim = basis[-1]
    try:
        solution = nnls(system, aim, maxiter=30 * len(table))[0] / sizes
    except (RuntimeError, ValueError):  # too many steps, or lengths too different for numbers of this size
        return None
    return _without_specks(table, solution / solution.sum()) if solution.any() else None


def level(rows: Any) -> Array | None:
    """The shortest w with <w, z> = 1 for every row, which must not depend on one another."""
    table = rows if isinstance(rows, np.ndarray) else rows.toarray()
    basis, triangle = np.linalg.qr(table.T)
    wide, w = table.astype(np.longdouble), np.zeros(table.shape[1])
    for _ in range(3):
        lack = (1 - wide @ w.astype(np.longdouble)).astype(np.float64)
        try:
            w = w + basis @ np.linalg.solve(triangle.T, lack)
        except (np.linalg.LinAlgError, ValueError):  # dependent rows, more rows than columns
            return None
    return w if bool(np.isfinite(w).all() and w.any()) else None


def _without_specks(table: Array, weights: Array) -> Array:
    """The weights without those that rounding errors may have left, where the point comes no further."""
    clipped = np.where(weights > NEGLIGIBLE * weights.max(), weights, 0.0)
    clipped /= clipped.sum()
    size = float(np.sqrt((table * table).sum(axis=1).max()))
    worst = max(2 * float(np.linalg.norm(weights @ table)), 1e-15 * size)
    return clipped if float(np.linalg.norm(clipped @ table)) <= worst else weights
