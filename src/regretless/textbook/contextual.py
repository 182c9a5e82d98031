"""Bandits that draw by features, as papers print them: one regression an arm, and a rule for the probabilities."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .regression import inverse_of

Array = np.ndarray[Any, Any]
Facts = dict[str, Any]


def epsilon_greedy(forecasts: Array, epsilon: float) -> Array:
    """epsilon / K for each arm, the rest for those that are expected to lose least."""
    best = forecasts == min(forecasts)
    return np.asarray(epsilon / len(forecasts) + (1 - epsilon) * best / sum(best))


def square_cb(forecasts: Array, gamma: float) -> Array:
    """1 / (lambda + 2 gamma gap), lambda such that they add up to 1 (Foster & Rakhlin 2020)."""
    gaps, least, most = forecasts - min(forecasts), 1.0, float(len(forecasts))
    while least < (middle := (least + most) / 2) < most:
        least, most = (middle, most) if sum(1 / (middle + 2 * gamma * gaps)) > 1 else (least, middle)
    return np.asarray(1 / (most + 2 * gamma * gaps))


def explored(
    X: Array, losses: Array, numbers: Array, rule: Callable[[Array, int], Array], prior: float
) -> tuple[Array, Array]:
    """Vovk, Azoury and Warmuth's forecaster for each arm, measured from 1/2, and a rule that makes probabilities of its
    forecasts and the number of the decision; the arms that it draws by numbers between 0 and 1, and with what
    probabilities."""
    (T, K), d = losses.shape, X.shape[1] + 1
    M, H, b = np.zeros((K, d)), np.zeros((K, d, d)), np.zeros((K, d))
    drawn = []
    for t, x in enumerate(np.hstack([np.ones((T, 1)), X])):
        forecasts = np.empty(K)
        for a in range(K):
            inverse = inverse_of(H[a], np.maximum(M[a], abs(x)), prior)
            forecasts[a] = np.clip(0.5 + b[a] @ inverse @ x / (1 + x @ inverse @ x), 0, 1)
        p = rule(forecasts, t + 1)
        arm = min(int(np.sum(np.cumsum(p) <= numbers[t])), K - 1)
        M[arm] = np.maximum(M[arm], abs(x))
        H[arm] += np.outer(x, x)
        b[arm] += (losses[t, arm] - 0.5) * x
        drawn.append((arm, p[arm]))
    return np.array([arm for arm, _ in drawn]), np.array([p for _, p in drawn])


def _observable(ell: Facts, _: Facts, w: Facts) -> Any:
    """max_a min_g of what was lost while a was awake, less its estimate, plus ln(G K / delta) / (2 g)."""
    if w["arms"] == 1:
        return 0.0
    each = [
        ell["loss"]
        + (ell["rounds"] - ell["settled"])
        - np.asarray(ell["missed"])
        - np.asarray(estimates)
        + np.log(len(w["implicit"]) * w["arms"] / w["delta"]) / (2 * g)
        for g, estimates in zip(w["implicit"], ell["estimates"], strict=True)
    ]
    return w["width"] * np.max(np.min(each, axis=0))


def _realised(ell: Facts, _: Facts, w: Facts) -> Any:
    """The price of exploring, and gamma times what the forecasts may miss the mean losses by."""
    excess = ell["error"] - (w["least"] - w["penalty"]) + (ell["rounds"] - ell["settled"])
    etas = 2.0 ** -np.arange(5)
    missed = min((etas * excess + np.log(5) - np.log(w["delta"])) / -np.expm1(etas * etas / 2 - etas))
    return w["width"] * (ell["price"] + ell["gamma"] * max(missed, 0.0))


BOUNDS = {"probable": {"observable_by_features": _observable, "realised_square_cb": _realised}}
