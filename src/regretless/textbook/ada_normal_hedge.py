"""AdaNormalHedge, and its bounds."""

from typing import Any

import numpy as np

from .experts import Array, Rule, restricted


def ada_normal_hedge(prior: Array, span: float = 0.0) -> Rule:
    """Weights (Phi(R + 1, C + 1) - Phi(R - 1, C + 1)) / 2, Phi(R, C) = exp(max(R, 0)^2 / 3C), in units of the span."""
    regret, sizes, largest = np.zeros(len(prior)), np.zeros(len(prior)), span
    while True:
        speaks = yield
        R, C = (regret / largest, sizes / largest) if largest > 0 else (regret, sizes)
        more, less = (np.maximum(R + one, 0) ** 2 / (3 * (C + 1)) for one in (1, -1))
        base = more[speaks].max()
        w = np.exp(more - base) - np.exp(less - base)
        c, h = yield restricted(prior * w if largest > 0 else prior, speaks, prior)
        r = h - c
        regret, sizes = regret + r, sizes + np.abs(r)
        largest = max(largest, float(np.abs(r).max()))


def _mixture(v: dict[str, Any], w: dict[str, Any]) -> Any:
    """The comparator as weights."""
    if v["expert"] is None:
        return np.asarray(v["weights"])
    return np.eye(w["experts"])[v["expert"]]


def _information(u: Array, prior: Array) -> float:
    return float(sum(a * np.log(a / b) for a, b in zip(u, prior, strict=True) if a > 0))


def _posterior(ledger: dict[str, Any], v: dict[str, Any], w: dict[str, Any]) -> Any:
    u = _mixture(v, w)
    differed = np.asarray(ledger["drags"]) > 0
    return np.sqrt(
        sum(u[differed] / np.asarray(w["rates"])[differed]) * (_information(u, w["prior"]) + w["log_potential"])
    )


def _sizes(ledger: dict[str, Any], v: dict[str, Any], w: dict[str, Any]) -> Any:
    u, s, C = _mixture(v, w), w["span"], np.asarray(ledger["drags"])
    potential = 1 + sum(w["prior"] * (np.log(1 + C / s) + C / (s + C))) / 2
    return np.sqrt(3 * s * (u @ C) * (_information(u, w["prior"]) + np.log(potential)))


def _prior(ledger: dict[str, Any], v: dict[str, Any], w: dict[str, Any]) -> Any:
    t = ledger["rounds"]
    potential = 1 + (np.log(1 + t) + t / (1 + t)) / 2
    return w["span"] * np.sqrt(3 * t * (_information(_mixture(v, w), w["prior"]) + np.log(potential)))


BOUNDS = {"normal_hedge_posterior": _posterior, "normal_hedge_sizes": _sizes, "normal_hedge_prior": _prior}
COMBINERS = {"ada-normal-hedge": ada_normal_hedge}
