"""Intervals around forecasts that hold on any sequence, and their bounds."""

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def adaptive_intervals(scores: Array, alpha: float = 0.1, gamma: float = 0.02, window: int = 500) -> Array:
    """Gibbs and Candes: half the width of each round's interval around its forecast, of the scores |y - p|; -1 where it
    is empty."""
    widths = np.empty(len(scores))
    for t in range(len(scores)):
        a = alpha + gamma * (alpha * t - np.sum(scores[:t] > widths[:t]))
        last = np.sort(scores[max(0, t - window) : t])
        rank = int(np.ceil((1 - a) * (len(last) + 1)))
        widths[t] = np.inf if a <= 0 or rank > len(last) else -1.0 if a >= 1 else last[rank - 1]
    return widths


def quantile_tracker(scores: Array, alpha: float = 0.1, c: float = 0.01) -> Array:
    """The same by steps of c times the largest score so far; below 0 where it is empty."""
    widths, q = np.empty(len(scores)), 0.0
    for t, score in enumerate(scores):
        widths[t] = q
        q += c * scores[: t + 1].max() * ((score > q) - alpha)
    return widths


def _adaptive(ledger: dict[str, Any], v: dict[str, Any], w: dict[str, Any]) -> Any:
    return (max(w["start"], 1 - w["start"]) / w["gamma"] + 1 + ledger["outstanding"]) / ledger["rounds"]


def _tracker(ledger: dict[str, Any], v: dict[str, Any], w: dict[str, Any]) -> Any:
    K = 1 / w["c"] + 1 + ledger["outstanding"]
    return (K + K * ledger["growth"] + ledger["alpha"] * ledger["zero"]) / ledger["rounds"]


BOUNDS = {"adaptive_coverage": _adaptive, "tracker_coverage": _tracker}
