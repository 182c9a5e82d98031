"""What trials would have cost the best single action, and a linear policy that knew them all.

The linear policy of least cost is hard to find, for costs of a choice are no convex function of weights. In its place
stands one that least squares give: ridge regressions of the cost of each action on the features and a constant, and of
each row the action whose regression is least. So the best linear policy costs as much or less.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..data.decisions import DecisionStream
from .explore import dense_blocks
from .linear import points_within

Array = np.ndarray[Any, Any]
MOST_COLUMNS = 2000  # whose products are added up
PRIOR = 1e-3  # of the mean square of each feature, times the rounds: what the squares of its weights are charged


@dataclass(frozen=True)
class HindsightCosts:
    """Costs in hindsight.

    Attributes
    ----------
    rounds : list of int
        Round counts.
    best : list of float
        What the best single action of all rounds had cost after each of them.
    policy : list of float
        What the linear policy had.
    """

    rounds: list[int]
    best: list[float]
    policy: list[float]

    @property
    def policy_cost(self) -> float:
        """What the policy cost in all rounds."""
        return self.policy[-1]


def hindsight(
    stream: DecisionStream, columns: int, most: int, stop: Callable[[], bool] = lambda: False
) -> HindsightCosts | None:
    """Read the rounds twice more; None of a log, of what can be read only once, or of very many features.

    Parameters
    ----------
    stream : DecisionStream
    columns : int
        How many features there are.
    most : int
        How many rounds to read, at least 1.
    stop : callable
        Whether to give up; None then.
    """
    if stream.logged or not stream.rereadable or columns > MOST_COLUMNS:
        return None
    squares, products = np.zeros((columns + 1, columns + 1)), np.zeros((columns + 1, len(stream.actions)))
    for rows, costs in _parts(stream, columns, most):
        squares += rows.T @ rows
        products += rows.T @ costs
        if stop():
            return None
    best = int(np.argmin(products[-1]))  # the constant is last: these are sums of costs
    weights = np.linalg.lstsq(squares + np.diag(PRIOR * np.diag(squares)), products, rcond=None)[0]
    counts: list[int] = []
    curves: tuple[list[float], list[float]] = [], []
    done, totals = 0, np.zeros(2)
    for rows, costs in _parts(stream, columns, most):
        chosen = np.argmin(rows @ weights, axis=1)
        each = np.column_stack([costs[:, best], costs[np.arange(len(costs)), chosen]])
        sums = np.cumsum(np.vstack([totals, each]), axis=0)
        for point in {*points_within(done, done + len(rows)), *({most} & {done + len(rows)})}:
            counts.append(point)
            for curve, value in zip(curves, sums[point - done].tolist(), strict=True):
                curve.append(value)
        done, totals = done + len(rows), sums[-1]
        if stop():
            return None
    order = np.argsort(counts)
    ordered = [[values[place] for place in order] for values in curves]
    return HindsightCosts([counts[place] for place in order], *ordered)


def _parts(stream: DecisionStream, columns: int, most: int) -> Iterator[tuple[Array, Array]]:
    """Rows with a constant behind them, and costs."""
    for part in stream.rounds():
        part = part.slice(0, min(len(part), most))
        for few, rows in dense_blocks(part, columns):
            yield np.column_stack([rows, np.ones(len(few))]), few.costs
        most -= len(part)
        if not most:
            return
