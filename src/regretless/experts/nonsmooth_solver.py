"""Least sums of losses with a kink over the weights that are nonnegative and sum to one.

Absolute, pinball and percentage losses are linear on both sides of the outcome, so that the best weights u solve a
linear programme. Its dual has a slope d_t for every round, between the slopes of the two sides: the most of m - d.y
with m at most every (A' d)_i, where A holds the forecasts and y the outcomes. Mehrotra's primal-dual method follows
both from within; a step needs a system as large as the experts are many, and a few readings of the rounds. Any slopes
certify the weights: no weights lose less than min_i (A' d)_i - d.y.

S. Portnoy and R. Koenker, The Gaussian hare and the Laplacian tortoise, Statistical Science 12 (1997).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .losses import Loss
from .smooth_solver import CLOSE, Array, Rows, Solution

PATIENCE = 15  # steps that do not halve the gap
DUST = 1e-12  # of the loss of the plain average, where the best combination has next to none
LITTLE = 1e-15
BACK_OFF = 0.9995  # of the way to the border


def least_kinked(rows: Rows, loss: Loss, experts: int) -> Solution:
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

    def solve(self) -> Solution:
        """Steps until the two sides are close, or come no closer."""
        best, highest, first, idle = Solution(self.u, np.inf, np.inf), -np.inf, 0.0, 0
        while True:
            gap = best.loss - highest
            lost = float(np.maximum(self.low * self.errors, self.high * self.errors).sum())
            if lost < best.loss:
                best = Solution(self.u.copy(), lost, np.inf)
            highest = max(highest, float(self._gathered(self.d).min() - self.d @ self.y))
            first, idle = max(first, lost), 0 if best.loss - highest < gap / 2 else idle + 1
            if best.loss - highest <= CLOSE * best.loss + DUST * first or idle == PATIENCE or not self._step():
                return Solution(best.weights, best.loss, max(0.0, best.loss - highest))

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
