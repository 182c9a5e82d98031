"""Who plays in the accuracy benchmark: learners of this library and of its peers, all in one pass, with defaults."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from benchmarks.accuracy_data import Task
from regretless.catalogue import learner_class

Array = np.ndarray[Any, np.dtype[Any]]
Player = Callable[[Task], Array]
LARGEST_KERNEL = 8000  # rows; the support of a kernel learner may be as many


def ours(name: str, **parameters: Any) -> Player:
    """A learner of this library."""

    def play(task: Task) -> Array:
        return np.asarray(learner_class(name)(**parameters).fit(task.X, task.y).predict(task.X_test))

    return play


def scikit(name: str, **parameters: Any) -> Player:
    """A learner of scikit-learn, in one pass that takes the rows as they come."""

    def play(task: Task) -> Array:
        from sklearn import linear_model

        X, X_test = (_narrow(X) for X in (task.X, task.X_test))
        learner = getattr(linear_model, name)(max_iter=1, tol=None, shuffle=False, **parameters)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return np.asarray(learner.fit(X, task.y).predict(X_test))

    return play


def wabbit(options: str) -> Player:
    """Vowpal Wabbit; several classes one against all, as it recommends."""

    def play(task: Task) -> Array:
        from vowpalwabbit import Workspace

        many = len(task.classes) > 2
        kind = f"--oaa {len(task.classes)}" if many else "--binary"
        learner = Workspace(f"--quiet -b 20 {kind} {options}")
        labels = np.searchsorted(task.classes, task.y) + 1 if many else np.where(task.y > 0, 1, -1)
        for label, line in zip(labels.tolist(), _lines(task.X), strict=True):
            learner.learn(f"{label} | {line}")
        predicted = np.array([learner.predict(f"| {line}") for line in _lines(task.X_test)])
        learner.finish()
        return task.classes[predicted.astype(int) - 1] if many else np.where(predicted > 0, 1.0, -1.0)

    return play


def _narrow(X: Any) -> Any:
    """scikit-learn wants indices of 32 bits."""
    if hasattr(X, "indptr"):
        X = X.copy()
        X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    return X


def _lines(X: Any) -> Iterator[str]:
    for row in range(X.shape[0]):
        if hasattr(X, "indptr"):
            entries = slice(X.indptr[row], X.indptr[row + 1])
            ids, values = X.indices[entries].tolist(), X.data[entries].tolist()
        else:
            ids, values = range(X.shape[1]), X[row].tolist()
        yield " ".join(f"{i}:{v!r}" for i, v in zip(ids, values, strict=True) if v)


def _twice(name: str, size: float) -> dict[str, Player]:
    """A learner as it is, and with a constant feature."""
    return {name: ours(name), f"{name}, intercept={size:g}": ours(name, intercept=size)}


OURS: dict[str, Player] = {
    **_twice("perceptron", 0.1),
    **_twice("averaged-perceptron", 0.1),
    **_twice("passive-aggressive", 0.1),
    "multiclass-perceptron": ours("multiclass-perceptron"),
    "winnow, balanced": ours("winnow", balanced=True),
    "arow": ours("arow"),
    "second-order-perceptron": ours("second-order-perceptron"),
    "online-gradient-descent, hinge": ours("online-gradient-descent"),
    "online-gradient-descent, logistic": ours("online-gradient-descent", loss="logistic"),
    "kernel-perceptron": ours("kernel-perceptron"),
    "kernel-perceptron, averaged": ours("kernel-perceptron", average="averaged"),
}
PEERS: dict[str, Player] = {
    "scikit-learn Perceptron": scikit("Perceptron"),
    "scikit-learn SGDClassifier, PA-I": scikit("SGDClassifier", penalty=None, learning_rate="pa1", eta0=1.0),
    "scikit-learn SGDClassifier, logistic": scikit("SGDClassifier", loss="log_loss"),
    "Vowpal Wabbit, logistic": wabbit("--loss_function logistic"),
    "Vowpal Wabbit, hinge": wabbit("--loss_function hinge"),
}


def plays(name: str, task: Task) -> bool:
    """Whether a player takes part in a task; a kernel learner does only where there are few dense rows."""
    return not name.startswith("kernel") or (task.X.shape[0] <= LARGEST_KERNEL and not task.sparse)
