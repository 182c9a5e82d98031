"""Learners as models of river, for its pipelines, metrics and evaluations.

>>> from river import datasets, evaluate, metrics, preprocessing
>>> from regretless.linear import AROW
>>> model = preprocessing.StandardScaler() | RiverClassifier(AROW())
>>> evaluate.progressive_val_score(datasets.Phishing(), model, metrics.Accuracy())
Accuracy: 88.79%
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from ..catalogue import DEFAULT
from ..data.batch import Array, Batch
from ..errors import MissingError, RegretlessError

try:
    from river import base
except ImportError as error:
    raise MissingError.of_extra("models of river need the package river", "river", "river") from error

__all__ = ["RiverClassifier", "RiverRegressor"]


class _NamedRows:
    """Rows as mappings, in columns that come as their names come: a number is one, a word with its name another."""

    _takes = ""  # the kind of learner

    def __init__(self, learner: Any) -> None:
        _refuse_other(learner, self._takes)
        self.learner = learner
        self.model = type(learner)(**learner.get_params())
        self._columns: dict[Any, int] = {}

    def batch(self, x: Mapping[Any, Any], label: Array | None = None) -> Batch:
        """One row. Where it has no label to be learned, features that are not known contribute nothing."""
        entries = {}
        for name, value in x.items():
            key, number = ((name, value), 1.0) if isinstance(value, str) else (name, float(value))
            column = self._columns.get(key)
            if column is None and label is not None:
                column = self._columns.setdefault(key, len(self._columns))
            if column is not None and number != 0:
                entries[column] = number
        indices = sorted(entries)
        values = np.array([entries[column] for column in indices], dtype=float)
        starts = np.array([0, len(indices)], dtype=np.int64)
        return Batch(values, label, len(self._columns), np.array(indices, dtype=np.int32), starts)


def _refuse_other(learner: Any, kind: str) -> None:
    """Refuse a learner that is not of the kind that a model of river is made of."""
    own = getattr(learner, "kind", "")
    if own == kind:
        return
    model, what = ("RiverClassifier", "labels") if kind == "linear" else ("RiverRegressor", "numbers")
    other = {"linear": "; RiverClassifier takes it", "regression": "; RiverRegressor takes it"}.get(own, "")
    name = getattr(learner, "name", type(learner).__name__)
    raise RegretlessError(f"{model} takes learners of {what}, and {name} is none{other}")


class RiverClassifier(_NamedRows, base.Classifier):  # type: ignore[misc]
    """A learner of labels as a classifier of river.

    Rows are mappings: features may come and stay away, numbers are taken as they are, and each word of a feature is a
    feature of its own, of value 1. Labels are of one kind: numbers (truth values among them) or words.

    Parameters
    ----------
    learner : learner of labels
        Of `regretless.linear`, with its parameters; what it has learned before is not used, and it stays as it is.

    Attributes
    ----------
    model : learner of labels
        The one that learns, with its ledger, ``model.ledger_``.

    Raises
    ------
    RegretlessError
        If it is no learner of labels.

    Examples
    --------
    >>> from regretless.linear import Perceptron
    >>> model = RiverClassifier(Perceptron())
    >>> model.learn_one({"rain": 1.0, "town": "Oslo"}, "in")
    >>> model.learn_one({"sun": 1.0, "town": "Rome"}, "out")
    >>> model.predict_one({"sun": 2.0})
    'out'
    """

    _takes = "linear"

    def __init__(self, learner: Any) -> None:
        super().__init__(learner)
        self._labels: dict[Any, Any] = {}

    @property
    def _multiclass(self) -> bool:
        return True

    def learn_one(self, x: Mapping[Any, Any], y: Any) -> None:
        """Play one round.

        Parameters
        ----------
        x : mapping
            The features by their names.
        y : label
        """
        label = np.array([y if isinstance(y, str) else float(y)])
        self._labels[label[0].item()] = y
        self.model.observe(self.batch(x, label))

    def predict_one(self, x: Mapping[Any, Any], **_: Any) -> Any:
        """The label of a row; None before one was learned."""
        if not self._labels:
            return None
        return self._labels[self.model.labels(self.model.scores(self.batch(x)))[0].item()]

    def predict_proba_one(self, x: Mapping[Any, Any], **_: Any) -> dict[Any, float]:
        """The probability of each label; none before one was learned.

        Raises
        ------
        NotImplementedError
            If the learner has no probabilities: `AggregatedClassifier` has some, and logistic gradient descent.
        """
        if not self.model.has_probabilities:
            raise NotImplementedError(f"{self.model.name} has no probabilities; {DEFAULT} has")
        if not self._labels:
            return {}
        chances: Iterable[float] = self.model.probabilities(self.model.scores(self.batch(x)))[0].tolist()
        labels = [self._labels[label] for label in self.model.classes_.tolist()]
        return dict(zip(labels, chances, strict=False))


class RiverRegressor(_NamedRows, base.Regressor):  # type: ignore[misc]
    """A learner of numbers as a regressor of river.

    Parameters
    ----------
    learner : learner of numbers
        Of `regretless.regression`, with its parameters; rows are as `RiverClassifier` takes them.

    Attributes
    ----------
    model : learner of numbers
        The one that learns, with its ledger, ``model.ledger_``.

    Raises
    ------
    RegretlessError
        If it is no learner of numbers.
    """

    _takes = "regression"

    def __init__(self, learner: Any) -> None:
        super().__init__(learner)

    def learn_one(self, x: Mapping[Any, Any], y: float) -> None:
        """Play one round.

        Parameters
        ----------
        x : mapping
            The features by their names.
        y : float
        """
        self.model.observe(self.batch(x, np.array([float(y)])))

    def predict_one(self, x: Mapping[Any, Any], **_: Any) -> float:
        """The forecast of a row; 0 before one was learned."""
        if not hasattr(self.model, "state_"):
            return 0.0
        return float(self.model.scores(self.batch(x))[0, 0])
