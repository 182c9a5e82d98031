"""The policy in hindsight, and the sums of a run over a log."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from regretless.data import CostTable
from regretless.run.explore import PRIOR, hindsight
from regretless.run.explore_tally import LogTally


def test_the_linear_policy_takes_the_least_of_ridge_regressions(tmp_path: Path) -> None:
    """Its cost, and the best action's, are those of a solution by hand, at the last round and on the way."""
    draw = np.random.default_rng(0)
    X = draw.integers(0, 9, (50, 2)) / 8
    costs = np.column_stack([X[:, 0], 0.75 - X[:, 0] / 2, np.full(50, 0.625)])
    path = tmp_path / "t.csv"
    lines = [",".join(map(repr, row)) for row in np.hstack([X, costs]).tolist()]
    path.write_text("\n".join(["x,z,a,b,c", *lines, ""]))
    back = hindsight(CostTable(path, ["a", "b", "c"]), 2, 50)
    assert back is not None
    Z = np.column_stack([X, np.ones(50)])
    gram = Z.T @ Z
    weights = np.linalg.solve(gram + PRIOR * np.diag(np.diag(gram)), Z.T @ costs)
    chosen = costs[np.arange(50), (Z @ weights).argmin(axis=1)]
    assert back.rounds[-1] == 50
    assert back.policy_cost == pytest.approx(chosen.sum())
    assert back.policy[back.rounds.index(8)] == pytest.approx(chosen[:8].sum())
    assert back.best[-1] == pytest.approx(costs.sum(axis=0).min())
    assert back.policy_cost < back.best[-1]


def test_estimates_of_a_log_are_right_on_average() -> None:
    """Over many logs the estimates of a fixed policy's cost average to what it costs, and intervals hold it."""
    draw, costs = np.random.default_rng(1), np.array([0.2, 0.6, 0.9])
    logging, policy = np.array([0.2, 0.3, 0.5]), np.array([0.7, 0.2, 0.1])
    truth, means, missed = float(policy @ costs), [], 0
    for _ in range(40):
        tally = LogTally(["a", "b", "c"])
        for action, lucky in zip(draw.choice(3, 60, p=logging).tolist(), draw.random(60), strict=True):
            tally.add(action, float(lucky < costs[action]), logging[action], policy, np.full(3, 0.5))
        means.append([tally.weighted / 60, tally.robust / 60])
        low, high = tally.interval
        missed += not low <= truth <= high
    np.testing.assert_allclose(np.mean(means, axis=0), truth, atol=0.05)
    assert missed <= 2
