"""What `certify` finds out about a vector or a matrix, computed the slow way, and certificates without a search for the
best."""

from __future__ import annotations

from typing import Any

import numpy as np

from regretless.certificate import Certificate
from regretless.comparator import Comparator
from regretless.linear.base import OnlineClassifier
from regretless.rows.validation import read_rows


def comparator(X: Any, y: Any, v: Any, repeats: int = 1, **more: float) -> Comparator:
    """A vector on rows that are played so many times, with what else a theorem measures of it."""
    X, v = np.asarray(X, float), np.asarray(v, float)
    return _of_margins(X, np.asarray(y) * (X @ v), v, repeats, **more)


def of_matrix(X: Any, y: Any, V: Any, repeats: int = 1) -> Comparator:
    """A row for each class, on rows of the classes `y` that are played so many times: by how much these lead."""
    X, V = np.asarray(X, float), np.asarray(V, float)
    scores, rounds = X @ V.T, np.arange(len(y))
    own = scores[rounds, y]
    scores[rounds, y] = -np.inf
    return _of_margins(X, own - scores.max(axis=1), V, repeats)


def _of_margins(X: Any, margins: Any, v: Any, repeats: int, **more: float) -> Comparator:
    hinge, squares = np.maximum(0, 1 - margins), (X**2).sum(1)
    return Comparator(
        "slow",
        float(np.linalg.norm(v)),
        repeats * float(hinge.sum()),
        repeats * float((hinge**2).sum()),
        None,
        float(margins.min()),
        repeats * len(margins),
        float(squares.max()),
        repeats * float(squares.sum()),
        v,
        **more,
    )


def hunted(learner: OnlineClassifier, X: Any, y: Any) -> list[Certificate]:
    """The certificates of a learner, without wasting time on the very best comparators."""
    batch, codes = read_rows(X, learner=learner, reset=False), learner.codes(np.asarray(y))
    rounds = learner.question(lambda: iter([(batch, codes)]), len(batch), in_memory=True, svm=False, against=None)
    return list(learner.judge(rounds))
