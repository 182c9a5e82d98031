"""Bounds on the risk of what a run gives."""

from __future__ import annotations

from math import log

import numpy as np

from .base import same


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


same("average_risk", lambda ell, v, w: _small_loss(ell["mistakes"], ell["rounds"], w["delta"]))
same("voted_risk", lambda ell, v, w: min(1.0, 2 * _small_loss(ell["mistakes"], ell["rounds"], w["delta"])))
