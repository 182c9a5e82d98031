"""Results of a prediction and of a play."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

Bytes = np.ndarray[Any, np.dtype[np.uint8]]


class Label(int):
    """The prediction of a round, 0 or 1, with the ticket to report its label.

    Attributes
    ----------
    ticket : int
        Number of the prediction, from 0.
    """

    ticket: int = -1


class DrawnLabel(Label):
    """A prediction that was drawn.

    Attributes
    ----------
    probability : float
        The probability of 1.
    """

    probability: float = 0.5


@dataclass(frozen=True, slots=True, eq=False)
class ClassPlay:
    """Rounds that were played.

    Attributes
    ----------
    predictions, labels : ndarray of uint8, shape (rounds,)
        Predictions and labels.
    alive : ndarray of int64, shape (rounds,)
        Number of hypotheses that agree with all labels, after each round.
    probabilities : ndarray or None, shape (rounds,)
        Of a learner that draws: the probability of predicting 1.
    """

    predictions: Bytes
    labels: Bytes
    alive: np.ndarray[Any, np.dtype[np.int64]]
    probabilities: np.ndarray[Any, np.dtype[np.float64]] | None = None

    @property
    def wrong(self) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """A mask of the mistakes."""
        return np.not_equal(self.predictions, self.labels)

    @property
    def mistakes(self) -> int:
        """Number of mistakes."""
        return int(np.count_nonzero(self.wrong))

    def __len__(self) -> int:
        return len(self.labels)
