"""What many runs are compared with, and what the theorems say of them."""

from __future__ import annotations

from math import nan
from typing import TYPE_CHECKING, Any

import numpy as np

from ...comparator import BanditComparator
from ...environments import Stochastic, Table
from ...ledger import BanditLedger
from ...theorem import Certificate
from ...theory.bandits import bound_at
from ..certificates import certificates
from .one_run import Plan

if TYPE_CHECKING:
    from .result import Pulls


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


def comparators(pulls: Pulls) -> list[list[BanditComparator]]:
    """See `Pulls.comparators`."""
    plan, own, best = pulls.plan, pulls._runs.comparators, pulls._best
    if pulls.by_means:
        return [_by_chance(pulls, ledger, place) for place, ledger in enumerate(pulls.ledgers)]
    if plan.seen is not None:
        own = [plan.seen.comparators(ledger, plan.names) for ledger in pulls.ledgers]
    if (plan.environment.oblivious and pulls.asleep is None) or plan.experts or best is None:
        return own
    return [[*found, _beforehand(pulls, best, run)] for run, found in enumerate(own)]


def _by_chance(pulls: Pulls, ledger: BanditLedger, place: int) -> list[BanditComparator]:
    """The best arm, of whose losses the means alone are known.

    Where each run has noise of its own the mean over the runs averages it, as bounds in expectation do, and it is
    compared with the arm that has the best mean. Noise that all runs share is averaged by nothing.
    """
    unseen = BanditComparator("best_arm", "the best arm", nan, ledger.loss, ledger.rounds)
    world = pulls.environment
    if world.alike:
        return [unseen]
    assert isinstance(world, Stochastic)
    loss = float(world.expected(pulls.rounds, int(pulls.numbers[place])).min())
    faced = loss + float(pulls._runs.mean_regrets[place])
    return [unseen, BanditComparator("arm", "the arm with the best mean, by means", loss, faced, ledger.rounds)]


def _beforehand(pulls: Pulls, place: int, run: int) -> BanditComparator:
    """One arm, the same for all runs, in one of them."""
    ledger, name, seen = pulls.ledgers[run], pulls.plan.names[place], pulls.plan.seen
    if seen is not None:
        return seen.arm(ledger, place, pulls.plan.names, beforehand=True)
    lost = float(pulls._runs.arm_losses[run][place])
    faced, rounds = float(ledger.loss - ledger.missed[place]), float(ledger.rounds - ledger.asleep[place])
    return BanditComparator("arm", f"arm {name}", lost, faced, rounds, place, detail={"arm": name})


def judged(pulls: Pulls) -> list[Certificate]:
    """See `Pulls.certificates`."""
    compared = comparators(pulls)
    best = [[one for one in found if one.name != "arm"] for found in compared]
    each = []
    for theorem in pulls.learner.theorems:
        against = compared if theorem.kind == "expected" else best
        each += certificates([theorem], pulls.stands, pulls.ledgers, against)
    return each


def promised(pulls: Pulls) -> dict[str, Array]:
    """See `Pulls.bounds`."""
    if pulls.by_means:
        return {}
    slept, reached = pulls.asleep is not None, reach(pulls.plan)
    each = [bound_at(pulls.stands, mark, slept=slept, reached=reached) for mark in pulls.marks.tolist()]
    titles = dict.fromkeys(title for found in each for title in found)
    return {title: np.array([found.get(title, nan) for found in each]) for title in titles}
