"""ALMA with p = 2, and its bounds."""

from math import sqrt
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def alma(X: Array, y: Array, alpha: float, passes: int = 1) -> tuple[Array, int, int]:
    """Weights, updates and mistakes, labels y in {-1, +1}; rows are divided by the longest row so far."""
    w, updates, mistakes, longest = np.zeros(X.shape[1]), 0, 0, 0.0
    for _ in range(passes):
        for x, label in zip(X, y, strict=True):
            longest = max(longest, sqrt(x @ x))
            score, k = w @ x, updates + 1
            mistakes += int((score >= 0) != (label > 0))
            if longest > 0 and label * score <= (1 - alpha) * sqrt(8 / k) * longest / alpha:
                w = w + sqrt(2 / k) * label * x / longest
                w = w / max(1.0, sqrt(w @ w))
                updates += 1
    return w, updates, mistakes


def _separable(ledger: dict[str, Any], v: dict[str, Any], w: dict[str, Any]) -> Any:
    a = 8 / w["alpha"] - 5
    return max(a**2 / 8, a / 2) * ledger["max_norm2"] * (v["norm"] / v["least"]) ** 2


def _hinge(ledger: dict[str, Any], v: dict[str, Any], w: dict[str, Any]) -> Any:
    b = (8 / w["alpha"] - 6) * sqrt(ledger["max_norm2"] / 2) * v["norm"]
    return ((b + sqrt(b**2 + 4 * (v["hinge"] + 1.5 * b))) / 2) ** 2


BOUNDS = {"alma_separable": _separable, "alma_hinge": _hinge}
