"""The draws of `pull` once more, by the textbook's rules and the seed of the report."""

from __future__ import annotations

from collections.abc import Mapping
from math import log, log1p, sqrt
from typing import Any

import numpy as np

from ..textbook import bandits as rules

Array = np.ndarray[Any, Any]
Told = Mapping[str, Any]

MOST_DRAWS = 200_000  # of all runs, some ten thousand in a second


def replayed(report: Told, units: Array) -> Array | None:
    """The arms that were drawn, shape (runs, rounds); None where the runs are none of the textbook's, or too long.

    Parameters
    ----------
    report : mapping
        What ``pull --json`` printed.
    units : ndarray, shape (rounds, arms)
        Losses in [0, 1].
    """
    runs, seed = int(report["runs"]), int(report["seed"])
    if not 0 < runs * len(units) <= MOST_DRAWS or not 0 <= seed < 2**64:
        return None
    each = [_drawn(report, units, uniforms(seed, run, len(units))) for run in range(runs)]
    return None if any(one is None for one in each) else np.array(each)


def uniforms(seed: int, run: int, rounds: int) -> Array:
    """The numbers that a run draws by: counter-based, so that no run depends on another."""
    return np.random.Generator(np.random.Philox(key=np.array([seed, run], np.uint64))).random(rounds)


def _drawn(report: Told, units: Array, luck: Array) -> Array | None:
    told, learner, (rounds, arms) = report["parameters"], str(report["learner"]), units.shape
    if learner == "tsallis-inf":
        return rules.tsallis_inf(units, luck, told["estimator"] != "importance")[0]
    if arms == 1:
        return np.zeros(rounds, int)
    horizon = told["horizon"]
    if learner == "exp3-p" and horizon is not None and told["rate"] is None:
        kt, n = arms * horizon, log(arms)
        explore = min(0.5, 1.05 * sqrt(arms * n / horizon))
        return rules.exp3_p(units, luck, 0.95 * sqrt(n / kt), sqrt(log(arms / told["delta"]) / kt), explore)[0]
    if learner == "exp3-s":
        return rules.exp3_s(units, luck, *_sharing(told, arms))[0]
    if learner not in ("exp3", "exp3-ix", "hedge"):
        return None
    tuned = 8 * log(arms) if learner == "hedge" else 2 * log(arms) / arms
    own = rules.anytime(rounds, arms) if told["epochs"] else rules.every_round(rounds, arms)
    falling = own * 2 * sqrt(arms) if learner == "hedge" else own
    rate: Any = falling if horizon is None else sqrt(tuned / horizon)
    rate = rate if told["rate"] is None else told["rate"]
    if learner == "hedge":
        return rules.hedge(units, luck, rate)[0]
    return rules.exp3_ix(units, luck, rate, rate / 2 if learner == "exp3-ix" else 0.0)[0]


def _sharing(told: Told, arms: int) -> tuple[float, float]:
    """Rate and share of a learner that keeps up with switches."""
    if told["rate"] is not None:
        return told["rate"], told["share"]
    rounds, switches = told["horizon"], told["switches"]
    share = min(max(switches / max(rounds - 1, 1), 1 / rounds), 0.5)
    nats = (switches + 1) * log(arms) - switches * log(share) - (rounds - switches - 1) * log1p(-share)
    return sqrt(2 * nats / (arms * rounds)), share
