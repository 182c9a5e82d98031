"""Losses so curved that the regret stays constant: Vovk's aggregating algorithm, and his forecaster in linear form."""

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def aggregating(advice: Array, outcomes: Array, low: float, high: float) -> tuple[Array, Array]:
    """Predictions and final weights for the square loss of numbers in [low, high], every expert speaking.

    The prediction does at least as well as the mix of the experts' losses at either end, and so in between.
    """
    eta = 2 / (high - low) ** 2
    losses, predictions = np.zeros(advice.shape[1]), []
    for said, y in zip(advice, outcomes, strict=True):
        p = np.exp(-eta * (losses - losses.min()))
        at_low, at_high = (-np.log(p / p.sum() @ np.exp(-eta * (said - end) ** 2)) / eta for end in (low, high))
        predictions.append((low + high) / 2 + (at_low - at_high) / (2 * (high - low)))
        losses = losses + (said - y) ** 2
    p = np.exp(-eta * (losses - losses.min()))
    return np.array(predictions), p / p.sum()


def ridge(advice: Array, outcomes: Array, a: float) -> tuple[Array, Array]:
    """Predictions and final weights of Vovk, Azoury and Warmuth's forecaster: the present round counts as a zero."""
    gram, cross, predictions = a * np.eye(advice.shape[1]), np.zeros(advice.shape[1]), []
    for x, y in zip(advice, outcomes, strict=True):
        gram = gram + np.outer(x, x)
        predictions.append(x @ np.linalg.solve(gram, cross))
        cross = cross + y * x
    return np.array(predictions), np.linalg.solve(gram, cross)
