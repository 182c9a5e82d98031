"""The perceptron in the dual, plain, averaged, voted, and with a budget."""

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def kernel_perceptron(K: Array, y: Array, ties: int = 0, passes: int = 1) -> tuple[Array, list[tuple[int, int]], int]:
    """Coefficients alpha of f = sum alpha_s K(x_s, .), the updates as (round, row), and mistakes; K is the Gram matrix.

    A score of 0 predicts `ties` (+1 if that is 0) and is an update unless it predicts the label that `ties` names.
    """
    alpha, updates, mistakes, t = np.zeros(len(y)), [], 0, 0
    for _ in range(passes):
        for i, label in enumerate(y.tolist()):
            t += 1
            score = K[i] @ alpha
            mistakes += (np.sign(score) or ties or 1) != label
            if label * score < 0 or (score == 0 and label != ties):
                alpha[i] += label
                updates.append((t, i))
    return alpha, updates, int(mistakes)


def averaged(y: Array, updates: list[tuple[int, int]], rounds: int) -> Array:
    """Coefficients of (f_1 + ... + f_T) / T, f_t being the function before round t."""
    alpha = np.zeros(len(y))
    for t, i in updates:
        alpha[i] += y[i] * (rounds - t) / rounds
    return alpha


def voted(k: Array, y: Array, updates: list[tuple[int, int]], rounds: int, ties: int = 0) -> float:
    """Share of the votes of f_1, ..., f_T for +1 less the share for -1, at a point z with k = (K(x_1, z), ...)."""
    votes, score, last = 0.0, 0.0, 0
    for t, i in [*updates, (rounds, 0)]:
        votes += (t - last) * (np.sign(score) or ties or 1)
        score, last = score + y[i] * k[i], t
    return votes / rounds


def budget_kernel_perceptron(
    K: Array, y: Array, budget: int, remove: Any = lambda slots, alpha: 0
) -> tuple[Array, int, float]:
    """Coefficients, updates and the sum of the lengths of what was removed; `remove` picks one of the old slots."""
    slots: list[int] = []
    alpha, updates, removed = np.zeros(len(y)), 0, 0.0
    for i, label in enumerate(y.tolist()):
        if label * (K[i] @ alpha) <= 0:
            alpha[i], updates = label, updates + 1
            if len(slots) == budget:
                gone = slots.pop(remove(slots, alpha))
                removed += abs(alpha[gone]) * float(np.sqrt(K[gone, gone]))
                alpha[gone] = 0
            slots.append(i)
    return alpha, updates, removed
