"""How labels are predicted: scikit-learn's interface of a classifier, and labels by scores of rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from ..data.batch import Array
from ..errors import RegretlessError
from ..frames import as_array
from ..info import LinearInfo, LinearWords
from ..picture import TIMES_SIZES, Bars
from ..rows.estimator import Estimator
from ..rows.learner import RowLearner
from ..rows.sample_weights import read_weights
from .labels import positive_labels, read_labels


class Classifier(Estimator):
    """What every learner of labels shares.

    Attributes
    ----------
    classes_ : ndarray
        The labels, ascending. It comes last: a learner that has it counts as fitted.
    """

    _sklearn_type = "classifier"

    classes_: Array

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The share of the rows, or of their weight, that is labelled correctly.

        Parameters
        ----------
        X : array-like, sparse matrix or table, shape (rows, columns)
            The rows.
        y : array-like, shape (rows,)
            Their true labels.
        sample_weight : array-like, shape (rows,), optional
            How much each row counts.
        """
        predicted = as_array(self.predict(X))
        labels = read_labels(y, len(predicted))
        weights = read_weights(sample_weight, len(predicted))
        if (labels.dtype.kind == "U") != (predicted.dtype.kind == "U"):
            raise RegretlessError(
                f"The labels in y ({labels.dtype}) are not of the same kind as those that were learned "
                f"({predicted.dtype}): strings and numbers never agree."
            )
        return float(np.average(labels == predicted, weights=weights))

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "classes_")


class LabelPredictor(RowLearner, Classifier):
    """A learner whose scores of a row say its label: by their sign, or by the largest of them."""

    info: ClassVar[LinearInfo]
    words: ClassVar[LinearWords]
    _begins = "partial_fit(X[:1], y[:1], classes=...)"

    def decision_function(self, X: Any) -> Array:
        """Scores of the rows of X.

        Parameters
        ----------
        X : array-like, sparse matrix or table, shape (rows, features)

        Returns
        -------
        ndarray of float64
            Shape (rows,) for two classes, positive for ``classes_[1]``; shape (rows, classes) otherwise.

        Raises
        ------
        RegretlessError
            If X cannot be used, or nothing was learned yet.
        """
        scores = self._scores_of(X)
        boxed: Array = self._boxed(scores[:, 0] if scores.shape[1] == 1 else scores, X)
        return boxed

    def predict(self, X: Any) -> Array:
        """The label of each row of X.

        Parameters
        ----------
        X : array-like, sparse matrix or table, shape (rows, features)

        Returns
        -------
        ndarray, shape (rows,)
            Members of ``classes_``; a score of 0 goes to ``classes_[1]`` unless `ties` is -1, and of several equal
            scores the first class wins.

        Raises
        ------
        RegretlessError
            If X cannot be used, or nothing was learned yet.
        """
        labels: Array = self._boxed(self.labels(self._scores_of(X)), X)
        return labels

    @property
    def predicted_by(self) -> str:
        """What predicts, in the words of its `info`, which parameters may change."""
        return self.info.predicts_by

    @property
    def scores_are_log_odds(self) -> bool:
        """Whether its probabilities are those whose log odds its scores are."""
        return False

    @property
    def counts_log_loss(self) -> bool:
        """Whether the loss of its ledger is the log loss of its probabilities, each round counted once."""
        alike = self.scores_are_log_odds and getattr(self, "class_weight", None) is None
        return alike and self.state_.targets == 1  # of more, the losses of one against the rest are added up

    @property
    def has_probabilities(self) -> bool:
        """Whether there are probabilities that go with its scores."""
        return False

    def probabilities(self, scores: Array) -> Array | None:
        """The probabilities that go with some scores, shape (rows, classes); None of a learner that has none."""
        return None

    def predict_one(self, x: Array | Mapping[str, float | str]) -> Any:
        """The label of one row, without the checks of `predict`; the learner must be fitted.

        Parameters
        ----------
        x : ndarray of float64, shape (features,), or mapping of str to float or str, or pandas.Series
            Contiguous, as wide as the rows before. Or the values of columns by their names, read as a table is: numbers
            that are not named are 0, and names or words that the learner does not know contribute nothing, if it knows
            one of the names.

        Returns
        -------
        label
            One of ``classes_``.

        Raises
        ------
        RegretlessError
            If nothing was learned yet, the row has another shape, a column of numbers holds something else, or the
            learner knows none of the names.
        """
        scores = self.scores_one(x)
        if scores.size == 1 and len(self.classes_) == 2 and (score := scores.item()) != 0:
            return self.classes_[1 if score > 0 else 0]  # without a look at `ties`, which takes longer than the score
        return self.labels(scores)[0]

    def labels(self, scores: Array) -> Array:
        """The labels that go with some scores."""
        if scores.shape[1] > 1:
            return np.asarray(self.classes_[scores.argmax(axis=1)])
        if scores.size == 1 and len(self.classes_) == 2 and (score := scores.item()) != 0:
            return np.array(self.classes_[1:] if score > 0 else self.classes_[:1])  # a few calls of numpy less
        column = scores[:, 0]
        positive = column > 0
        if np.count_nonzero(column) < len(column) and self.rules().tie >= 0:
            positive |= column == 0
        if len(self.classes_) == 1:
            return np.repeat(self.classes_, len(column))
        return np.asarray(self.classes_.take(positive))

    # ---- what was learned

    @property
    def coef_(self) -> Array:
        """The weights, shape (1, features) for two classes, (classes, features) otherwise."""
        self._require_fitted()
        return np.ascontiguousarray(self.state_.coefficients().T)

    @property
    def intercept_(self) -> Array:
        """What the constant feature adds to the scores, shape (1,) or (classes,)."""
        self._require_fitted()
        return self.state_.biases() * self.rules().intercept

    def bars(self) -> list[Bars]:
        """The weights for each label, the constant feature's left out; where it is known how large features have been,
        what they make of these."""
        weights, names, sizes = self.coef_, self._feature_names(), self.state_.sizes()
        scaled = "" if sizes is None else TIMES_SIZES
        return [
            Bars(f"Weights for {label}{scaled}", names, row if sizes is None else row * sizes)
            for label, row in zip(positive_labels(self.classes_, len(weights)), weights, strict=True)
        ]

    def settled(self) -> dict[str, Any]:
        """The values chosen for parameters that left them open, as JSON values; the learner must be fitted."""
        return {}
