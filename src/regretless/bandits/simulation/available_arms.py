"""How many arms could be drawn, round by round: what bounds in expectation grow with."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...environments import Table
from .one_run import Plan

Array = np.ndarray[Any, Any]
CELLS = 1 << 22  # of a table that are looked at together


def reach(plan: Plan) -> Array | None:
    """The sums over the first 0, 1, 2, ... rounds; None where all arms can be drawn in every round, or nobody knows.

    Experts reach an arm as far as the one who gives most to it.
    """
    table = plan.environment.table if isinstance(plan.environment, Table) else None
    if plan.advice is None and (table is None or plan.seen is None or not plan.seen.slept):
        return None
    source = table if plan.advice is None else plan.advice
    assert source is not None
    step = max(1, CELLS // source[0].size)
    count = _awake if plan.advice is None else _advised
    each = [count(source[first : first + step], plan.environment.arms) for first in range(0, plan.rounds, step)]
    return np.concatenate([[0.0], np.cumsum(np.concatenate(each)[: plan.rounds])])


def _awake(rows: Array, arms: int) -> Any:
    return arms - np.isnan(rows).sum(axis=1)


def _advised(rows: Array, arms: int) -> Any:
    if rows.ndim == 3:
        return rows.max(axis=1).sum(axis=1)
    ordered = np.sort(rows, axis=1)
    return 1 + (np.diff(ordered, axis=1) != 0).sum(axis=1)  # every arm that is named counts once
