"""The two sides of a comparison: classifiers that learn the rows, and models that stay as they are."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..data.batch import Array, Batch, first_columns
from ..errors import ParameterError, RegretlessError
from ..linear.first_pass import LOOKAHEAD
from ..linear.progressive import log_losses
from .linear import print_of

if TYPE_CHECKING:
    from ..linear.base import OnlineClassifier


class Losses(NamedTuple):
    """What rows cost one of the two.

    Attributes
    ----------
    wrong : ndarray of bool, shape (rows,)
        Or losses of a span, as parts of it from 0 to 1.
    log : ndarray or None, shape (rows,)
        Minus the logarithm of the probability of the label; None without probabilities.
    """

    wrong: Array
    log: Array | None


class Competitor(ABC):
    """One of the two: a learner, and whether it learns the rows."""

    def __init__(self, learner: OnlineClassifier) -> None:
        self.learner = learner

    @abstractmethod
    def losses(self, batch: Batch) -> Losses:
        """What the rows of a batch cost, each predicted by what was known before it."""


class LossRecorder:
    """Records what rows cost while a learner learns them.

    A row of a class that the learner did not know is a mistake, whatever it predicted once it knew of the class:
    before it, nobody could have said that label. Its log loss is that of a learner that knows the class.
    """

    def __init__(self, learner: OnlineClassifier) -> None:
        self.learner, self.new_classes = learner, learner.unannounced_
        self.each: list[Losses] = []

    def __call__(self, scores: Array, codes: Array, classes: Array, tie: float, votes: Array | None) -> None:
        """Record rows that were just played, of classes that are known; the first may be the first of its class."""
        one = _losses(self.learner, scores if votes is None else votes, codes, tie)
        if self.learner.unannounced_ > self.new_classes and len(one.wrong):
            one.wrong[0] = True
            self.new_classes = self.learner.unannounced_
        self.each.append(one)

    def losses(self) -> Losses:
        """Those of all rows."""
        logs = [one.log for one in self.each if one.log is not None]
        wrong = np.concatenate([one.wrong for one in self.each])
        return Losses(wrong, np.concatenate(logs) if len(logs) == len(self.each) else None)


class LearningCompetitor(Competitor):
    """A learner that learns each row once it has predicted it.

    Raises
    ------
    ParameterError
        If one of its parameters is taken from the rows themselves.
    """

    def __init__(self, learner: OnlineClassifier) -> None:
        refuse_lookahead(learner)
        super().__init__(learner)

    def losses(self, batch: Batch) -> Losses:
        """Those of the rows before they were learned."""
        watch = LossRecorder(self.learner)
        self.learner.on_scores = watch
        try:
            self.learner.observe(batch)
        finally:
            self.learner.on_scores = None
        return watch.losses()


class FrozenCompetitor(Competitor):
    """A learner that stays as it is, as `predict` has it.

    Parameters
    ----------
    learner : OnlineClassifier
    last : str or None
        By what the row is known that it learned last; None where that is not known.
    """

    def __init__(self, learner: OnlineClassifier, last: str | None = None) -> None:
        super().__init__(learner)
        self._learned, self._rows, self._last = last, 0, ""

    @property
    def again(self) -> bool:
        """Whether the rows so far are, for all that is known of them, those that it has learned, once or several times.

        There are so many of them, or a part of that, and the last is the last that it learned.
        """
        return self._rows > 0 and self._last == self._learned and self.learner.ledger_.rounds % self._rows == 0

    def losses(self, batch: Batch) -> Losses:
        """Those of its predictions; a label that it does not know is a mistake, and has no probability."""
        self._rows += len(batch)
        if len(batch) and self._learned is not None:
            self._last = print_of(batch, len(batch) - 1)
        learner, labels = self.learner, np.asarray(batch.labels)
        scores = learner.scores(_without_unknown(batch, learner.state_.columns))
        comparable = (labels.dtype.kind == "U") == (learner.classes_.dtype.kind == "U")
        if not comparable:
            return Losses(np.ones(len(labels), dtype=bool), None)
        wrong = np.asarray(labels != learner.labels(scores))
        places = np.minimum(learner.classes_.searchsorted(labels), len(learner.classes_) - 1)
        if not (learner.classes_[places] == labels).all():
            return Losses(wrong, None)
        codes = np.where(places > 0, 1, -1) if scores.shape[1] == 1 else places
        return Losses(wrong, _losses(learner, scores, codes, 1.0).log)


def _without_unknown(batch: Batch, columns: int) -> Batch:
    """The batch without the columns that a model does not know."""
    if batch.starts is not None:
        return first_columns(batch, columns)
    if batch.columns < columns:
        raise RegretlessError(f"{batch.columns:,} columns of features; the model knows {columns:,}")
    return Batch(np.ascontiguousarray(batch.values[:, :columns]), batch.labels, columns)


def _losses(learner: OnlineClassifier, scores: Array, codes: Array, tie: float) -> Losses:
    """The losses of rounds by their scores and the codes of their labels, as `Progressive` takes them."""
    one = scores.shape[1] == 1
    predicted = (scores[:, 0] >= 0 if tie >= 0 else scores[:, 0] > 0) if one else scores.argmax(axis=1)
    wrong = np.asarray(predicted != (codes > 0 if one else codes))
    return Losses(wrong, log_losses(scores.astype(np.float64), codes) if learner.scores_are_log_odds else None)


def refuse_lookahead(learner: OnlineClassifier) -> None:
    """Refuse a learner that knows more than the rounds before, which the theorem excludes.

    Raises
    ------
    ParameterError
        If it looks at all rows, or at all columns, first.
    """
    parameter = learner.looks_ahead() or learner.looks_at_columns()
    if parameter:
        raise ParameterError(parameter, repr(getattr(learner, parameter)), LOOKAHEAD[parameter])
