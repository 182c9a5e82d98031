"""Littlestone and Warmuth's weighted majority."""

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def weighted_majority(advice: Array, labels: Array, beta: float, always: bool = False) -> tuple[int, Array, Array]:
    """Mistakes, predictions and final weights; advice and labels in {0, 1}, a tie predicts 1.

    Experts that err are multiplied by beta in the rounds in which the majority errs, or in all of them.
    """
    weights, mistakes, predictions = np.ones(advice.shape[1]), 0, []
    for said, label in zip(advice, labels, strict=True):
        predictions.append(int(weights[said == 1].sum() >= weights[said == 0].sum()))
        mistakes += predictions[-1] != label
        if always or predictions[-1] != label:
            weights = np.where(said != label, weights * beta, weights)
    return mistakes, np.array(predictions), weights
