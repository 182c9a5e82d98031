"""Probabilities from scores, as a book would print them: Platt's scaling by Newton steps, and offsets of bins."""

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def f(q: Any) -> Any:
    """ln(1 + e^q)."""
    return np.logaddexp(0, q)


def platt_scaling(scores: Array, larger: Array, reach: float, prior: float) -> tuple[Array, float]:
    """Log odds of each score, and by how much the least penalised sum of lower bounds is below 0."""
    log_odds: list[float] = []
    parts: list[tuple[Array, float, float, float]] = []
    M = 0.0

    def least() -> tuple[Array, float]:
        A, B, k = prior * np.diag([M * M, 1.0]), np.zeros(2), 0.0
        for x, p, g, c in parts:
            A, B, k = A + c * np.outer(x, x), B + (c * p - g / 2) * x, k + c * p * p - g * p
        u = np.linalg.pinv(A, hermitian=True) @ B
        return u, float(B @ u - k)

    for s, y in zip(scores, larger, strict=True):
        M, x = max(M, abs(s)), np.array([s, 1.0])
        p = float(np.clip(least()[0] @ x, -reach, reach))
        sigma = 1 / (1 + np.exp(-p))
        end = 1 / (1 + np.exp(-reach))
        c = min(
            (f(q) - f(p) - sigma * (q - p)) / (q - p) ** 2 if abs(q - p) > 1e-3 else end * (1 - end) / 2
            for q in (-reach, reach)
        )
        parts.append((x, p, sigma - bool(y), float(c)))
        log_odds.append(p)
    return np.array(log_odds), least()[1]


def binned_offsets(p: Array, larger: Array, bins: int, rate: float) -> Array:
    """The corrected forecast of each probability p."""
    theta, forecasts = np.zeros(bins), []
    for one, y in zip(p, larger, strict=True):
        k = min(int(one * bins), bins - 1)
        forecasts.append(float(np.clip(one + theta[k], 0, 1)))
        theta[k] += rate * (bool(y) - forecasts[-1])
    return np.array(forecasts)


def _scaling(ledger: dict[str, Any], v: dict[str, Any], w: dict[str, Any]) -> Any:
    return v["loss"] + v["regularised"] + w["energy"]


def _bins(ledger: dict[str, Any], v: dict[str, Any], w: dict[str, Any]) -> Any:
    return w["offsets"] / w["rate"] / ledger["rounds"]


BOUNDS = {"sure": {"against_every_scaling": _scaling, "binned_calibration": _bins}}
