"""Bounds on the risk of what a run gives."""

from __future__ import annotations

from math import log
from typing import Any

import numpy as np

from .base import Facts, printed


def _small_loss(lost: float, rounds: float, delta: float) -> float:
    """The p at which the mean of the supermartingales is 1 / delta."""
    rates = [2.0**k for k in range(-6, 6)]

    def mean(p: float) -> float:
        powers = np.array([-rate * lost - rounds * np.log1p(-p * -np.expm1(-rate)) for rate in rates])
        return float(powers.max() + np.log(np.exp(powers - powers.max()).mean()))

    low, high = 0.0, 1.0
    if mean(high) < -log(delta):
        return 1.0
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if mean(middle) < -log(delta) else (low, middle)
    return high


@printed("average_risk", kind="probable", event="small losses", risk=1)
def average_risk(ell: Facts, v: Facts, w: Facts) -> Any:
    """The bound on the mean risk."""
    return _small_loss(ell["mistakes"], ell["rounds"], w["delta"])


@printed("voted_risk", kind="probable", event="small losses", risk=2)
def voted_risk(ell: Facts, v: Facts, w: Facts) -> Any:
    """Twice as much: a vote errs only where half of the voters do."""
    return min(1.0, 2 * average_risk(ell, v, w))
