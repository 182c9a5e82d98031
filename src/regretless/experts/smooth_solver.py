"""Least quadratic functions, and least sums of smooth convex losses, over weights that are nonnegative and sum to one.

Quadratic functions are solved exactly, by moving from one set of experts to the next; sums of losses by Newton's
method on them, rounds being read once for each step and once for its length. What comes out is certified: the losses
at u' are at least those at u plus slopes.(u' - u), whose least over u' is at one expert.
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
HALVINGS = 2.0 ** -np.arange(12.0)


def least_quadratic(matrix: Array, linear: Array) -> Array:
    """The weights v that make v' matrix v / 2 + linear.v least; the matrix must be positive semidefinite."""
    n = len(linear)
    scale = max(float(np.abs(matrix).max()), float(np.abs(linear).max()), 1e-300)
    h, g = matrix / scale, linear / scale
    v = np.zeros(n)
    v[int(np.argmin(np.diag(h) / 2 + g))] = 1.0
    used, entered, crowd, came = v > 0, np.zeros(n, dtype=bool), 1, 0
    for _ in range(20 * n + 50):
        target = _on_face(h, g, used, v)
        if target[used].min() > 0:
            v = target
            entered = _entering(h @ v + g, v, used, crowd)
            came = int(entered.sum())
            if not came:
                break
            used = used | entered
            crowd = min(2 * crowd, n) if n > FEW else 1
            continue
        if entered.any() and target[entered].max() <= 0:  # rounding alone let them in
            if came == 1:
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
class Solution:
    """Weights, what they lose, and by how much at most other weights lose less."""

    weights: Array
    loss: float
    gap: float


def least_losses(rows: Rows, loss: Loss, experts: int) -> Solution:
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
    Solution
        Of infinite loss if even the plain average of the forecasts has it.
    """
    u = np.full(experts, 1 / experts)
    best, highest, idle = Solution(u, np.inf, np.inf), -np.inf, 0
    for _ in range(MOST_STEPS):
        lost, slopes, curves = _derivatives(rows, loss, u)
        least = lost + float(slopes.min() - slopes @ u)
        idle = 0 if lost < best.loss or least > highest else idle + 1
        highest = max(highest, least)
        if lost <= best.loss:
            best = Solution(u, lost, np.inf)
        if not np.isfinite(best.loss) or best.loss - highest <= CLOSE * abs(best.loss) or idle == PATIENCE:
            break
        curves = curves + 1e-12 * max(float(np.trace(curves)) / experts, 1e-300) * np.eye(experts)
        if not np.isfinite(curves).all():  # what was said is too near to nothing for floats
            return Solution(u, np.inf, np.inf)
        towards = least_quadratic(curves, slopes - curves @ u)
        path = u[:, None] + (towards - u)[:, None] * HALVINGS
        values = _values(rows, loss, path)
        # The last steps change the loss by less than its last digit: then the full step is taken.
        shortest = 0 if values[0] <= lost + 1e-14 * abs(lost) else int(np.argmin(values))
        u = np.maximum(path[:, shortest], 0.0)
        u = u / u.sum()
    return Solution(best.weights, best.loss, max(0.0, best.loss - highest))


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
        said = advice @ u
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            lost += float(loss.of(said, np.nan if outcomes is None else outcomes).sum())
            if loss.name == "wealth":
                first, second = -1 / said, 1 / said**2
            else:
                first = loss.slope(said, outcomes)
                second = np.where(outcomes > 0, outcomes / said**2, 0.0)
                second = second + np.where(outcomes < 1, (1 - outcomes) / (1 - said) ** 2, 0.0)
        slopes += advice.T @ first
        curves += advice.T @ (advice * second[:, None])
    return lost, slopes, curves
