"""Follow the leader, and its bound."""

from typing import Any

import numpy as np

from .experts import Array, Rule, restricted


def follow_the_leader(prior: Array, span: float = 0.0) -> Rule:
    """Weights in proportion to the prior on those with the least sum of charges, of the experts that speak."""
    losses = np.zeros(len(prior))
    while True:
        speaks = yield
        led = losses == losses[speaks].min()
        c, _ = yield restricted(np.where(led, prior, 0.0), speaks, prior)
        losses = losses + c


def _changes(ledger: dict[str, Any], v: dict[str, Any], w: dict[str, Any]) -> Any:
    delays = np.asarray(ledger["delays"])
    cost = delays[v["expert"]] if v["expert"] is not None else np.dot(v["weights"], delays)
    return ledger["changes"] * ledger["spread"] + float(cost)


BOUNDS = {"leader_changes": _changes}
CHARGED = {"follow-the-leader": follow_the_leader}
