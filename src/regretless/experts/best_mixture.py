"""Least quadratic functions and least sums of convex losses over weights that are nonnegative and sum to one.

Quadratic functions are solved exactly, by moving from one set of experts to the next; sums of smooth losses by Newton's
method on them, rounds being read once for each step and once for its length. What comes out is certified: the losses
at u' are at least those at u plus slopes.(u' - u), whose least over u' is at one expert.

Absolute, pinball and percentage losses are linear on both sides of the outcome, so that the best weights u solve a
linear programme. Its dual has a slope d_t for every round, between the slopes of the two sides: the most of m - d.y
with m at most every (A' d)_i, where A holds the forecasts and y the outcomes. Mehrotra's primal-dual method follows
both from within; a step needs a system as large as the experts are many, and a few readings of the rounds. Any slopes
certify the weights: no weights lose less than min_i (A' d)_i - d.y.

S. Portnoy and R. Koenker, The Gaussian hare and the Laplacian tortoise, Statistical Science 12 (1997).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from .losses import Loss

Array = np.ndarray[Any, np.dtype[np.float64]]
Rows = Callable[[], Iterator[tuple[Array, Any]]]

CLOSE = 1e-10  # relative gap that is small enough
LEVEL = 1e-13  # slopes that differ by less of their size are equal
FEW = 50  # experts who enter and leave one by one; of more, twice as many enter each time
PARTS = 2.0 ** -np.arange(8.0)
FAR, PRICE = 10.0, 1e-12  # weights so large come from systems that are almost singular; a price for distance helps
MOST_STEPS, PATIENCE = 60, 4
KINKED_PATIENCE = 15  # steps that do not halve the gap
DUST = 1e-12  # of the loss of the plain average, where the best combination has next to none
LITTLE = 1e-15
BACK_OFF = 0.9995  # of the way to the border
HALVINGS = 2.0 ** -np.arange(12.0)


def least_quadratic(matrix: Array, linear: Array) -> Array:
    """The weights v that make v' matrix v / 2 + linear.v least; the matrix must be positive semidefinite."""
    n = len(linear)
    scale = max(float(np.abs(matrix).max()), float(np.abs(linear).max()), 1e-300)
    h, g = matrix / scale, linear / scale
    v = np.zeros(n)
    v[int(np.argmin(np.diag(h) / 2 + g))] = 1.0
    used, entered, crowd, entrants = v > 0, np.zeros(n, dtype=bool), 1, 0
    for _ in range(20 * n + 50):
        target = _on_face(h, g, used, v)
        if target[used].min() > 0:
            v = target
            entered = _entering(h @ v + g, v, used, crowd)
            entrants = int(entered.sum())
            if not entrants:
                break
            used = used | entered
            crowd = min(2 * crowd, n) if n > FEW else 1
            continue
        if entered.any() and target[entered].max() <= 0:  # rounding alone let them in
            if entrants == 1:
                break
            used, entered, crowd = v > 0, np.zeros(n, dtype=bool), 1
            continue
        if n > FEW and (lower := _pruned(h, g, v, target)) is not None:
            v, used, entered = lower, lower > 0, np.zeros(n, dtype=bool)
            continue
        v, used = _to_the_border(v, target, used, entered)
        entered = entered & used & (v == 0)
    weights: Array = np.maximum(v, 0.0)
    weights /= weights.sum()
    return weights


def _entering(slopes: Array, v: Array, used: Any, most: int) -> Any:
    """The experts with the least slopes below that of the weights."""
    below = np.where(used, np.inf, slopes)
    below[below >= v @ slopes - LEVEL * max(1.0, float(np.abs(slopes).max()))] = np.inf
    lowest = np.argsort(below, kind="stable")[:most]
    entering = np.zeros(len(v), dtype=bool)
    entering[lowest[np.isfinite(below[lowest])]] = True
    return entering


def _to_the_border(v: Array, target: Array, used: Any, entered: Any) -> tuple[Array, Any]:
    """As far towards the target as all weights stay nonnegative, and who is left then."""
    falling = used & (target <= 0)
    steps = np.where(falling, v / np.where(falling, v - target, 1.0), np.inf)
    step = float(steps[used].min())
    v = np.maximum(v + step * (target - v), 0.0)
    used = used & (steps > step) & ((v > 0) | entered)
    return np.where(used, v, 0.0), used


def _pruned(h: Array, g: Array, v: Array, target: Array) -> Array | None:
    """Weights towards the target without all those that fall below zero, if that is lower."""
    now = _value(h, g, v)
    for part in PARTS:
        there: Array = np.maximum(v + part * (target - v), 0.0)
        there /= there.sum()
        if ((there == 0) & (v > 0)).any() and _value(h, g, there) < now:
            return there
    return None


def _value(h: Array, g: Array, v: Array) -> float:
    return float(v @ (h @ v) / 2 + g @ v)


def _on_face(h: Array, g: Array, used: Any, v: Array) -> Array:
    """The least point of the plane through these corners, wherever it is; of several, one that is not far from v."""
    corners = np.flatnonzero(used)
    k = len(corners)
    system = np.ones((k + 1, k + 1))
    system[:k, :k] = h[np.ix_(corners, corners)]
    system[k, k] = 0.0
    aim = np.append(-g[corners], 1.0)
    try:
        result: Array = np.linalg.solve(system, aim)
    except np.linalg.LinAlgError:
        result = np.full(k + 1, np.nan)
    if not np.isfinite(result).all() or np.abs(system @ result - aim).max() > 1e-9:
        result = _nearby(system, aim, v[corners]) if k > FEW else np.linalg.lstsq(system, aim, rcond=None)[0]
    elif k > FEW and np.abs(result[:k]).max() > FAR:
        result = _nearby(system, aim, v[corners])
    there = np.zeros(len(g))
    there[corners] = result[:k] / max(float(result[:k].sum()), 1e-300)
    return there


def _nearby(system: Array, aim: Array, v: Array) -> Array:
    """The same at a little price for the squared distance from v, where the system alone is as good as singular."""
    priced, k = system.copy(), len(v)
    priced[np.arange(k), np.arange(k)] += PRICE
    priced_aim = aim.copy()
    priced_aim[:k] += PRICE * v
    result: Array = np.asarray(np.linalg.solve(priced, priced_aim), dtype=np.float64)
    return result


@dataclass(frozen=True, slots=True)
class Minimum:
    """Weights, what they lose, and by how much at most other weights lose less."""

    weights: Array
    loss: float
    gap: float


def least_losses(rows: Rows, loss: Loss, experts: int) -> Minimum:
    """The weights whose mixed forecasts lose least.

    Parameters
    ----------
    rows : callable
        ``rows()`` reads blocks of forecasts, shape (rounds, experts), and outcomes.
    loss : Loss
        "wealth" or "log".
    experts : int

    Returns
    -------
    Minimum
        Of infinite loss if even the plain average of the forecasts has it.
    """
    u = np.full(experts, 1 / experts)
    best, highest, idle = Minimum(u, np.inf, np.inf), -np.inf, 0
    for _ in range(MOST_STEPS):
        lost, slopes, curves = _derivatives(rows, loss, u)
        least = lost + float(slopes.min() - slopes @ u)
        idle = 0 if lost < best.loss or least > highest else idle + 1
        highest = max(highest, least)
        if lost <= best.loss:
            best = Minimum(u, lost, np.inf)
        if not np.isfinite(best.loss) or best.loss - highest <= CLOSE * abs(best.loss) or idle == PATIENCE:
            break
        curves = curves + 1e-12 * max(float(np.trace(curves)) / experts, 1e-300) * np.eye(experts)
        if not np.isfinite(curves).all():  # what was said is too near to nothing for floats
            return Minimum(u, np.inf, np.inf)
        towards = least_quadratic(curves, slopes - curves @ u)
        path = u[:, None] + (towards - u)[:, None] * HALVINGS
        values = _values(rows, loss, path)
        # The last steps change the loss by less than its last digit: then the full step is taken.
        shortest = 0 if values[0] <= lost + 1e-14 * abs(lost) else int(np.argmin(values))
        u = np.maximum(path[:, shortest], 0.0)
        u = u / u.sum()
    return Minimum(best.weights, best.loss, max(0.0, best.loss - highest))


def _values(rows: Rows, loss: Loss, path: Array) -> Array:
    """The losses at every column of weights."""
    total = np.zeros(path.shape[1])
    for advice, outcomes in rows():
        with np.errstate(divide="ignore", invalid="ignore"):
            total += loss.of(advice @ path, np.nan if outcomes is None else outcomes[:, None]).sum(0)
    return np.where(np.isnan(total), np.inf, total)


def _derivatives(rows: Rows, loss: Loss, u: Array) -> tuple[float, Array, Array]:
    """Loss, slopes and curvatures at the weights."""
    lost, slopes, curves = 0.0, np.zeros(len(u)), np.zeros((len(u), len(u)))
    for advice, outcomes in rows():
        forecast = advice @ u
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            lost += float(loss.of(forecast, np.nan if outcomes is None else outcomes).sum())
            if loss.of_relatives:
                first, second = -1 / forecast, 1 / forecast**2
            else:
                first = loss.slope(forecast, outcomes)
                second = np.where(outcomes > 0, outcomes / forecast**2, 0.0)
                second = second + np.where(outcomes < 1, (1 - outcomes) / (1 - forecast) ** 2, 0.0)
        slopes += advice.T @ first
        curves += advice.T @ (advice * second[:, None])
    return lost, slopes, curves


def least_kinked(rows: Rows, loss: Loss, experts: int) -> Minimum:
    """The weights whose mixed forecasts lose least.

    Parameters
    ----------
    rows : callable
        ``rows()`` reads blocks of forecasts, shape (rounds, experts), and outcomes.
    loss : Loss
        "absolute", "pinball" or "percentage".
    experts : int

    Notes
    -----
    Unlike other comparators this one needs memory that grows with the rounds: about twenty numbers of 8 bytes for
    each while it searches. What `rows` keeps comes on top.
    """
    y = np.concatenate([outcomes for _, outcomes in rows()])
    steepness = np.maximum(1 / np.abs(y), 1e-300) if loss.name == "percentage" else np.ones(1)
    low, high = (loss.tau, 1 - loss.tau) if loss.name == "pinball" else (1.0, 1.0)
    return _Programme(rows, y, -low * steepness, high * steepness, experts).solve()


class _Programme:
    """Weights u and slopes d, with what complements them: `over` - `under` is A u - y, s is A' d - m.

    `low` and `high` are the least and the largest slopes, of every round or of all.
    """

    def __init__(self, rows: Rows, y: Array, low: Array, high: Array, experts: int) -> None:
        self.rows, self.y, self.low, self.high = rows, y, low, high
        self.u = np.full(experts, 1 / experts)
        self.errors = self._mixed(self.u) - y
        slack = max(float(np.abs(self.errors).mean()), 1e-300)
        self.over, self.under = np.maximum(self.errors, 0) + slack, np.maximum(-self.errors, 0) + slack
        self.d = np.full(len(y), (low + high) / 2)
        reach = self._gathered(self.d)
        self.m = float(reach.min()) - max(float(np.abs(reach).max()), float((high - low).mean()) * slack)
        self.s = reach - self.m

    def _mixed(self, u: Array) -> Array:
        return np.concatenate([advice @ u for advice, _ in self.rows()])

    def _gathered(self, d: Array) -> Array:
        total, begin = np.zeros(len(self.u)), 0
        for advice, _ in self.rows():
            total += advice.T @ d[begin : begin + len(advice)]
            begin += len(advice)
        return total

    def _curves(self, w: Array) -> Array:
        total, begin = np.zeros((len(self.u), len(self.u))), 0
        for advice, _ in self.rows():
            total += advice.T @ (advice * w[begin : begin + len(advice), None])
            begin += len(advice)
        return total

    def solve(self) -> Minimum:
        """Steps until the two sides are close, or come no closer."""
        best, highest, first, idle = Minimum(self.u, np.inf, np.inf), -np.inf, 0.0, 0
        while True:
            gap = best.loss - highest
            lost = float(np.maximum(self.low * self.errors, self.high * self.errors).sum())
            if lost < best.loss:
                best = Minimum(self.u.copy(), lost, np.inf)
            highest = max(highest, float(self._gathered(self.d).min() - self.d @ self.y))
            first, idle = max(first, lost), 0 if best.loss - highest < gap / 2 else idle + 1
            if best.loss - highest <= CLOSE * best.loss + DUST * first or idle == KINKED_PATIENCE or not self._step():
                return Minimum(best.weights, best.loss, max(0.0, best.loss - highest))

    def _step(self) -> bool:
        up, down = self.high - self.d, self.d - self.low
        products = 2 * len(self.y) + len(self.u)
        mean = float(up @ self.over + down @ self.under + self.u @ self.s) / products
        weigh = 1 / (self.over / up + self.under / down)
        curves = self._curves(weigh) + np.diag(self.s / self.u)
        aim = (-up * self.over, -down * self.under, -self.u * self.s)
        move = self._direction(aim, up, down, weigh, curves)
        if move is None:
            return False
        u, d, over, under, s, _ = move
        ahead, behind = self._lengths(move, up, down)
        after = (
            float(
                (up - behind * d) @ (self.over + ahead * over)
                + (down + behind * d) @ (self.under + ahead * under)
                + (self.u + ahead * u) @ (self.s + behind * s)
            )
            / products
        )
        centre = mean * min(1.0, max(after, 0.0) / mean) ** 3
        aim = (aim[0] + centre + d * over, aim[1] + centre - d * under, aim[2] + centre - u * s)
        del move, u, d, over, under, s  # as long as the rounds are many
        move = self._direction(aim, up, down, weigh, curves)
        if move is None:
            return False
        self._move(move, up, down)
        return True

    @np.errstate(over="ignore", invalid="ignore", divide="ignore")
    def _direction(self, aim: Any, up: Array, down: Array, weigh: Array, curves: Array) -> Any:
        """The step at which the products of each pair change by `aim`."""
        towards_over, towards_under, towards_s = aim
        short = (self.over - self.under) - self.errors
        base = weigh * (towards_under / down - towards_over / up - short)
        gap = self._gathered(self.d) - self.m - self.s
        right = towards_s / self.u - gap - self._gathered(base)
        # With unit diagonal and a little more, so that experts who always agree are no obstacle.
        unit = 1 / np.sqrt(np.diag(curves))
        matrix = curves * unit[:, None] * unit + LITTLE * np.eye(len(unit))
        try:
            solved = np.linalg.solve(matrix, np.column_stack([right * unit, unit])) * unit[:, None]
        except np.linalg.LinAlgError:
            return None
        m = (1 - float(self.u.sum()) - float(solved[:, 0].sum())) / float(solved[:, 1].sum())
        u = solved[:, 0] + m * solved[:, 1]
        d = base + weigh * self._mixed(u)
        over, under = (towards_over + self.over * d) / up, (towards_under - self.under * d) / down
        s = (towards_s - self.s * u) / self.u
        return (u, d, over, under, s, m) if np.isfinite(m) and np.isfinite(d).all() else None

    def _lengths(self, move: Any, up: Array, down: Array) -> tuple[float, float]:
        u, d, over, under, s, _ = move
        ahead = min(_room(self.u, u), _room(self.over, over), _room(self.under, under))
        return ahead, min(_room(up, -d), _room(down, d), _room(self.s, s))

    def _move(self, move: Any, up: Array, down: Array) -> None:
        u, d, over, under, s, m = move
        ahead, behind = self._lengths(move, up, down)
        self.u = np.maximum(self.u + ahead * u, 1e-100)
        self.u = self.u / self.u.sum()
        self.over = np.maximum(self.over + ahead * over, 1e-300)
        self.under = np.maximum(self.under + ahead * under, 1e-300)
        edge = 1e-16 * (self.high - self.low)
        self.d = np.clip(self.d + behind * d, self.low + edge, self.high - edge)
        self.s, self.m = np.maximum(self.s + behind * s, 1e-300), self.m + behind * m
        self.errors = self._mixed(self.u) - self.y


def _room(value: Array, change: Array) -> float:
    """How far along the change the value stays positive, at most 1."""
    falling = change < 0
    return min(1.0, BACK_OFF * float((value[falling] / -change[falling]).min())) if falling.any() else 1.0
