"""Zinkevich's online gradient descent."""

from collections.abc import Callable
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

Curve = Callable[[float], float]

# loss and its derivative, as functions of the margin m = y <w, x>
LOSSES: dict[str, tuple[Curve, Curve]] = {
    "hinge": (lambda m: max(0.0, 1 - m), lambda m: -1.0 if m < 1 else 0.0),
    "squared-hinge": (lambda m: max(0.0, 1 - m) ** 2, lambda m: -2 * max(0.0, 1 - m)),
    "logistic": (lambda m: float(np.logaddexp(0, -m)), lambda m: -float(np.exp(-np.logaddexp(0, m)))),
    "square": (lambda m: (1 - m) ** 2, lambda m: -2 * (1 - m)),
}


def gradient_descent(
    X: Array, y: Array, loss: str, schedule: str, rate: float, radius: float = np.inf
) -> tuple[Array, float, list[Array]]:
    """Last weights, loss paid, and the weights of every round, labels y in {-1, +1}.

    The rate of round t is `rate`, rate / sqrt(t) ("inverse-sqrt"), rate / sqrt(sum of |gradient|^2) ("self-tuned") or
    that over the length of the longest row so far ("scale-free").
    """
    value, slope = LOSSES[loss]
    w, paid, squares, longest, history = np.zeros(X.shape[1]), 0.0, 0.0, 0.0, []
    for t, (x, label) in enumerate(zip(X, y, strict=True), start=1):
        history.append(w)
        margin = label * (w @ x)
        gradient = slope(margin) * label * x
        paid, squares = paid + value(margin), squares + gradient @ gradient
        longest, tuned = max(longest, float(np.linalg.norm(x))), np.sqrt(squares) or np.inf
        slower = {"constant": 1, "inverse-sqrt": np.sqrt(t), "self-tuned": tuned, "scale-free": tuned}
        step = rate * gradient / slower[schedule]
        w = w - (step / (longest or 1) if schedule == "scale-free" else step)  # the product of both may be no float
        w = w * min(1, radius / (np.linalg.norm(w) or 1))
    return w, float(paid), history
