"""Curves of many runs of a bandit, and what their regret is counted against, for a report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any

import numpy as np

from ...report.arm_table import called
from ...report.pull_page import MOST_ARMS, PullCurves
from ...theory.bandits import OF_SEQUENCES
from .statistics import Statistics

Array = np.ndarray[Any, Any]
QUANTILES = {"q05": 0.05, "q25": 0.25, "q50": 0.5, "q75": 0.75, "q95": 0.95}


def curves_of(pulls: Statistics, bounds: Mapping[str, Array], certificate: Array | None) -> PullCurves:
    """How the runs went, at the marks."""
    regret = pulls.regret_curve
    several = len(regret) > 1
    quantiles = {name: share for name, share in QUANTILES.items() if several or name == "q50"}
    return PullCurves(
        rounds=pulls.marks.tolist(),
        regret={name: _plain(np.quantile(regret, share, axis=0)) for name, share in quantiles.items()},
        bounds={_against_what(pulls, title): _plain(values) for title, values in bounds.items()},
        certificate=() if certificate is None else _plain(np.median(certificate, axis=0)),
        probabilities={} if pulls.shares is None else _probabilities(pulls.plan.names, pulls.shares),
    )


def _against_what(pulls: Statistics, title: str) -> str:
    """The title of a bound, and what it is drawn against where that is not what the certificate is about."""
    kinds = {one.title: one.kind for one in pulls.learner.theorems}
    if title in {one.title for one in OF_SEQUENCES}:
        return f"{title}, of one arm alone"
    beforehand = not pulls.plan.experts and not (pulls.plan.environment.oblivious and pulls.asleep is None)
    return f"{title}, against the best arm of each run" if beforehand and kinds.get(title) == "expected" else title


def against(pulls: Statistics) -> str | None:
    """What the regret is counted against, if not the best arm."""
    if pulls.plan.experts:
        return "the best expert in hindsight"
    if pulls.by_means:
        return "the arm with the best mean, by means"
    if pulls.plan.environment.oblivious or pulls.runs == 1 or pulls.best_arm is None:
        return None
    # The best arm in hindsight is another one from run to run.
    return f"{called(pulls.best_arm)}, the best on average"


def _probabilities(names: Sequence[str], shares: Array) -> dict[str, list[float | None]]:
    """Those of the leading arms, and of all others together."""
    ranked = np.argsort(-shares.mean(0), kind="stable")
    probabilities = {names[arm]: _plain(shares[:, arm]) for arm in ranked[:MOST_ARMS].tolist()}
    if len(rest := ranked[MOST_ARMS:]):
        probabilities["others"] = _plain(shares[:, rest].sum(1))
    return probabilities


def _plain(values: Array) -> list[float | None]:
    return [value if isfinite(value) else None for value in values.tolist()]
