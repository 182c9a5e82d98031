"""An interior-point method along the central path of a game, with a certified gap at every step.

With strategies x of the rows and y of the columns, all positive, any v < min_j (x'A)_j and w > max_i (A y)_i leave
slacks

    s = A'x - v > 0,   z = w - A y > 0,   and   w - v = x'z + y's

bounds the duality gap. Newton's method on the complementary products x z and y s (predictor and corrector of
Mehrotra, further correctors of Gondzio) keeps all four positive; as the slacks are computed afresh from x and y at each
step, the strategies are feasible even if directions are inexact, so that the first ones are computed in single
precision.

A step costs one matrix of normal equations of the smaller side, sum_i (x_i / z_i) (a_i - m)(a_i - m)' + diag(s / y),
with m the mean of the rows a_i under the same weights, and its Cholesky factor.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..payoffs import Payoffs, Vector
from ..play import self_play
from ..solution import RawSolution
from .polish import Pair, nearest_on_face, solved_supports, true_gap

Array = np.ndarray[Any, Any]

# The most steps; twenty are usual.
MOST_STEPS = 100
# Share of the largest step that keeps all variables positive.
DAMPING = 0.995
# The share of the uniform strategy in initial strategies.
MIXED_IN = 0.05
# Further correctors: the shares of the target between which complementary products stay, how much longer the step is to
# become, and the least gain in length.
CENTRAL = 0.1, 10.0
LONGER, LONGER_AT_LEAST = 0.3, 0.03
# Shorter steps make no progress; then complementary products move towards this share of their mean.
SHORT, MIDDLE = 0.15, 0.7
# The largest error of a direction's equations, in units of the mean complementary product, and the most corrections of
# it; after as many, the next matrix is in double precision.
DIRECTION_ERROR, MOST_CORRECTIONS = 0.05, 2
# Steps that do not shrink the gap to this share are slow; this many slow steps in a row end the method.
SLOW, MOST_SLOW = 0.7, 8
# Gaps as shares of the range: below the first the supports may be known, below the second a face is computed, and below
# the third the gap is final.
POLISH_BELOW, FACE_BELOW, FINAL = 1e-2, 1e-7, 1e-13
# Up to this tolerance, as a share of the range, the method makes this many steps more than needed.
EXACT, STEPS_BEYOND = 1e-8, 2
# The default start: RM+ to this gap, as a share of the range, in at most this many rounds, for games of at least this
# many cells.
WARM, WARM_ROUNDS, WARM_CELLS = 1e-4, 400, 20_000


def interior_point(
    payoffs: Payoffs,
    tolerance: float,
    *,
    start: Pair | None = None,
    on_progress: Callable[[int, float], None] | None = None,
    stop: Callable[[], bool] | None = None,
) -> RawSolution:
    """Strategies whose duality gap is below the tolerance; optimal ones where the supports are clear.

    Parameters
    ----------
    payoffs : Payoffs
        Not all equal; no linear operator.
    tolerance : float
        In payoffs.
    start : pair of ndarray, optional
        Initial strategies; by default those of RM+.
    on_progress : callable, optional
        Called after each step with its number and the gap.
    stop : callable, optional
        Called after each step; once it returns true, the method ends.
    """
    spread = payoffs.spread
    swapped = payoffs.shape[0] < payoffs.shape[1]
    begun = ""
    if start is None and payoffs.shape[0] * payoffs.shape[1] >= WARM_CELLS:
        played = self_play(payoffs, "rm+", rounds=WARM_ROUNDS, tolerance=WARM * spread, stop=stop)
        start, begun = (played.row, played.column), f", from {played.iterations} rounds of RM+"
        if played.stopped is not None:
            return RawSolution(*start, "interior-point", 0, note="interrupted", stopped=played.stopped)
    walk = CentralPath(_scaled(payoffs, swapped), start[::-1] if swapped and start is not None else start)
    stopped = None
    while not walk.arrived(tolerance / spread) and walk.step():
        if on_progress is not None:
            on_progress(walk.steps, walk.best_gap * spread)
        if stop is not None and stop():
            stopped = "asked to stop"
            break
    else:
        if tolerance <= EXACT * spread:
            walk.last_resort()
    column, row = walk.best if swapped else walk.best[::-1]
    note = (walk.note or f"{len(row)} x {len(column)}, as begun") + begun
    return RawSolution(row, column, "interior-point", walk.steps, walk.claim * spread, note, stopped=stopped)


def _scaled(payoffs: Payoffs, swapped: bool) -> Array:
    """The game scaled to payoffs in [-1/2, 1/2], with no fewer rows than columns; if swapped, by the other player."""
    scaled = np.subtract(payoffs.dense(), payoffs.low / 2 + payoffs.high / 2, dtype=np.float64)
    scaled /= payoffs.spread
    return np.ascontiguousarray(-scaled.T) if swapped else scaled


class Move(NamedTuple):
    """A step in all variables."""

    x: Vector
    y: Vector
    s: Vector
    z: Vector
    v: float
    w: float

    def plus(self, more: Move) -> Move:
        """The sum of both moves."""
        return Move(
            self.x + more.x, self.y + more.y, self.s + more.s, self.z + more.z, self.v + more.v, self.w + more.w
        )


class CentralPath:
    """The state of the method: strategies, slacks, and the best strategies so far.

    Attributes
    ----------
    x, y, s, z : ndarray
        Strategies of rows and columns; slacks of columns and rows.
    v, w : float
        The levels of the slacks, v < min x'A and w > max A y.
    best : pair of ndarray
    best_gap, claim : float
        The duality gap of the best strategies, and its bound by their complementary products.
    polished : bool
        Whether the best strategies solve the supports' equations.
    steps : int
    note : str
        Origin of the best strategies.
    """

    def __init__(self, payoffs: Array, start: Pair | None) -> None:
        rows, columns = payoffs.shape
        self.payoffs, self.normal = payoffs, NormalMatrix(payoffs)
        x, y = np.full(rows, 1 / rows), np.full(columns, 1 / columns)
        if start is not None:
            x = (1 - MIXED_IN) * start[0] / start[0].sum() + MIXED_IN * x
            y = (1 - MIXED_IN) * start[1] / start[1].sum() + MIXED_IN * y
        wins, costs = payoffs @ y, x @ payoffs
        gap = float(wins.max() - costs.min())
        slack = 0.05 if start is None else 0.1 * gap + 1e-9
        self.x, self.y = x, y
        self.v, self.w = float(costs.min()) - slack, float(wins.max()) + slack
        self.s, self.z = costs - self.v, self.w - wins
        self.best, self.best_gap, self.claim = (x, y), gap, self.w - self.v
        self.steps, self.slow, self.note = 0, 0, ""
        self.polished, self.faced_at, self.beyond = False, np.inf, 0

    @property
    def gap(self) -> float:
        """An upper bound on the duality gap of the strategies, by their slacks."""
        return self.w - self.v

    def arrived(self, tolerance: float) -> bool:
        """Whether the best strategies are within the tolerance; optimal ones are tried first."""
        if not self.polished and self.gap < POLISH_BELOW:
            self._polish()
            if not self.polished and self.gap < min(FACE_BELOW, 0.02 * self.faced_at):
                self.faced_at = self.gap
                self._face(1.0)
        if self.best_gap > tolerance:
            return False
        # Such a tolerance asks for an equilibrium, which may be a step or two away.
        self.beyond += 1
        return self.polished or tolerance > EXACT or self.best_gap <= FINAL or self.beyond > STEPS_BEYOND

    def last_resort(self) -> None:
        """Try faces of equilibria by larger and by smaller supports."""
        for caution in (1.0, 1e-2, 1e2, 1e-4, 1e4):
            if not self.polished and self.gap < FACE_BELOW:
                self._face(caution)

    def step(self) -> bool:
        """One step of Newton's method; False if it failed, or steps are too slow."""
        if self.steps >= MOST_STEPS or self.slow >= MOST_SLOW:
            return False
        mean = float(self.x @ self.z + self.y @ self.s) / (len(self.x) + len(self.y))
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            directions = self._directions(mean)
        if directions is None:
            return False
        move, far_x, far_y = directions
        before = self.gap
        self._advance(move, DAMPING * far_x, DAMPING * far_y)
        self.steps += 1
        self.slow = self.slow + 1 if self.gap > SLOW * before else 0
        return True

    def _directions(self, mean: float) -> tuple[Move, float, float] | None:
        """The direction and its length: predictor, corrector, and further correctors while they allow longer steps."""
        x, y, s, z = self.x, self.y, self.s, self.z
        if not self.normal.factor(x / z, s / y):
            return None
        move = self._direction(-x * z, -y * s, mean)
        if move is None:
            return None
        far_x, far_y = self._room(move)
        after = (x + far_x * move.x) @ (z + far_y * move.z) + (y + far_y * move.y) @ (s + far_x * move.s)
        wanted = mean * float(after / (len(x) + len(y)) / mean) ** 3
        rows, columns = wanted - x * z - move.x * move.z, wanted - y * s - move.y * move.s
        move = self._direction(rows, columns, mean)
        if move is None:
            return None
        far_x, far_y = self._room(move)
        if min(far_x, far_y) < SHORT:
            return self._to_the_middle(mean)
        for _ in range(self.normal.correctors):
            long_x, long_y = min(1.0, far_x + LONGER), min(1.0, far_y + LONGER)
            if far_x >= 1 and far_y >= 1:
                break
            more_rows = _centred((x + long_x * move.x) * (z + long_y * move.z), wanted)
            more_columns = _centred((y + long_y * move.y) * (s + long_x * move.s), wanted)
            further = self._direction(rows + more_rows, columns + more_columns, mean)
            if further is None:
                break
            room_x, room_y = self._room(further)
            if room_x + room_y < far_x + far_y + LONGER_AT_LEAST:
                break
            move, far_x, far_y, rows, columns = further, room_x, room_y, rows + more_rows, columns + more_columns
        return move, far_x, far_y

    def _to_the_middle(self, mean: float) -> tuple[Move, float, float] | None:
        """The direction from too near an edge: towards equal complementary products, with little progress."""
        move = self._direction(MIDDLE * mean - self.x * self.z, MIDDLE * mean - self.y * self.s, mean)
        return None if move is None else (move, *self._room(move))

    def _direction(self, rows: Vector, columns: Vector, mean: float) -> Move | None:
        """The move that changes complementary products, to first order, by these amounts."""
        move = self._solved(rows, columns)
        for corrections in range(MOST_CORRECTIONS + 1):
            error = columns - self.s * move.y - self.y * move.s
            worst = float(np.abs(error).max())
            if worst <= DIRECTION_ERROR * mean:
                self.normal.doubtful |= corrections == MOST_CORRECTIONS
                return move
            if not np.isfinite(worst):
                break
            move = move.plus(self._solved(0.0 * rows, error))
        if self.normal.precise():
            return self._direction(rows, columns, mean)
        return move if np.isfinite(move.v + move.w) else None

    def _solved(self, rows: Vector, columns: Vector) -> Move:
        normal, payoffs = self.normal, self.payoffs
        shares = rows / self.z
        total = shares.sum()
        weights = normal.solve(columns / self.y - shares @ payoffs + normal.middle * total)
        v = -weights.sum() / normal.ones.sum()
        y = weights + v * normal.ones
        w = normal.middle @ y + total / normal.total
        z = w - payoffs @ y
        x = shares - normal.weights * z
        return Move(x, y, x @ payoffs - v, z, float(v), float(w))

    def _room(self, move: Move) -> tuple[float, float]:
        """The step lengths of the rows' and the columns' variables until one is zero, at most 1."""
        far_x = min(_room(self.x, move.x), _room(self.s, move.s))
        return far_x, min(_room(self.y, move.y), _room(self.z, move.z))

    def _advance(self, move: Move, far_x: float, far_y: float) -> None:
        self.x = self.x + far_x * move.x
        self.y = self.y + far_y * move.y
        self.x /= self.x.sum()
        self.y /= self.y.sum()
        wins, costs = self.payoffs @ self.y, self.x @ self.payoffs
        # Slacks are computed afresh, so that errors of directions do not add up; near zero they would be rounding
        # alone.
        s, z = self.s + far_x * move.s, self.z + far_y * move.z
        self.v = min(float(self.y @ (costs - s)), float(costs.min()))
        self.w = max(float(self.x @ (wins + z)), float(wins.max()))
        self.s, self.z = _fresh(costs - self.v, s), _fresh(self.w - wins, z)
        gap = float(wins.max() - costs.min())
        if gap < self.best_gap and not self.polished:
            self.best, self.best_gap, self.note = (self.x, self.y), gap, f"{len(self.x)} x {len(self.y)}, not polished"
            self.claim = self.gap

    def _signs(self) -> Pair:
        """Probability over slack of rows and columns, each on its own scale."""
        return self.x / self.z * (self.z.mean() / self.x.mean()), self.y / self.s * (self.s.mean() / self.y.mean())

    def _polish(self) -> None:
        polished = solved_supports(self.payoffs, *self._signs())
        if polished is not None:
            self._better(polished[0], f"polished on supports {polished[1]} x {polished[1]}")

    def _face(self, caution: float) -> None:
        row_signs, column_signs = self._signs()
        rows, columns = np.flatnonzero(row_signs > caution), np.flatnonzero(column_signs > caution)
        pair = nearest_on_face(self.payoffs, rows, columns, self.x, self.y)
        if pair is not None:
            self._better(pair, f"polished on the face {len(rows)} x {len(columns)}")

    def _better(self, pair: Pair, note: str) -> None:
        """Store these strategies if they are better, or optimal up to rounding."""
        gap = true_gap(self.payoffs, *pair)
        self.polished = gap <= FINAL
        if gap < self.best_gap or self.polished:
            self.best, self.best_gap, self.claim, self.note = pair, gap, max(gap, 0.0), note


def _room(place: Vector, move: Vector) -> float:
    """The multiple of the move until an entry is zero, at most 1."""
    worst = float((move / place).min())
    return 1.0 if worst >= -1.0 else -1.0 / worst


def _centred(products: Vector, wanted: float) -> Vector:
    """Changes that move outlying complementary products towards the target."""
    least, most = CENTRAL
    return np.maximum(np.clip(products, least * wanted, most * wanted) - products, -most * wanted)


def _fresh(computed: Vector, predicted: Vector) -> Vector:
    predicted = np.maximum(predicted, 1e-300)
    return np.where(computed > 0.1 * predicted, computed, predicted)


# The fewest cells of a game for which single precision is worth its copy of the payoffs.
SINGLE_CELLS = 150_000
# The fewest columns for which one and two further correctors are worth their solutions.
ONE_CORRECTOR, TWO_CORRECTORS = 100, 600
# Shares of the diagonal that are added to it in turn until there is a Cholesky factor.
REGULAR = (0.0, 1e-14, 1e-12, 1e-10)


class NormalMatrix:
    """sum_i D_i (a_i - m)(a_i - m)' + diag(e), with a_i the rows of the payoffs and m their mean under the weights D.

    Attributes
    ----------
    weights, middle, ones : ndarray
        D, m, and the solution for a right side of ones.
    total : float
        Sum of the weights.
    doubtful : bool
        Whether single precision was barely sufficient.
    correctors : int
        The number of further correctors for each factor.
    """

    def __init__(self, payoffs: Array) -> None:
        columns = payoffs.shape[1]
        self._payoffs = payoffs
        self._single = payoffs.astype(np.float32) if payoffs.size >= SINGLE_CELLS else None
        self._held: Array | None = None
        self.doubtful = False
        self.correctors = (columns >= ONE_CORRECTOR) + (columns >= TWO_CORRECTORS)
        self.weights = self.middle = self.ones = np.zeros(0)
        self.total = 0.0

    def factor(self, weights: Vector, diagonal: Vector) -> bool:
        """Build and factorise; False if the matrix is not positive definite in this precision."""
        self.weights, self._diagonal = weights, diagonal
        self.total = float(weights.sum())
        self.middle = (weights @ self._payoffs) / self.total
        if self._single is None:
            return self._factor(self._payoffs)
        if self.doubtful:
            return self.precise()
        return self._factor(self._single) or self.precise()

    def precise(self) -> bool:
        """Switch to double precision for good and factorise again; False if that is in use already."""
        if self._single is None:
            return False
        self._single = self._held = None
        return self._factor(self._payoffs)

    def solve(self, right: Vector) -> Vector:
        """The solution for a right side."""
        solution, _ = self._potrs(self._cholesky, right.astype(self._cholesky.dtype, copy=False), lower=1)
        return np.asarray(solution, dtype=np.float64)

    def _factor(self, payoffs: Array) -> bool:
        from scipy.linalg import blas, lapack  # type: ignore[import-untyped, unused-ignore]

        double = payoffs.dtype == np.float64
        syrk, potrf, self._potrs = (
            (blas.dsyrk, lapack.dpotrf, lapack.dpotrs) if double else (blas.ssyrk, lapack.spotrf, lapack.spotrs)
        )
        if self._held is None:
            self._held = np.empty_like(payoffs)
        np.subtract(payoffs, self.middle.astype(payoffs.dtype, copy=False), out=self._held)
        self._held *= np.sqrt(self.weights).astype(payoffs.dtype, copy=False)[:, None]
        matrix = syrk(1.0, self._held.T, lower=1)
        diagonal = matrix.diagonal() + self._diagonal.astype(payoffs.dtype, copy=False)
        for added in REGULAR if double else (0.0,):
            np.fill_diagonal(matrix, diagonal * (1 + added))
            self._cholesky, info = potrf(matrix, lower=1, clean=0)
            if info == 0:
                break
        else:
            return False
        self.ones = self.solve(np.ones(len(matrix)))
        return bool(np.isfinite(self.ones).all()) and self.ones.sum() > 0
