"""An environment within one run: it shows rows and says their labels once a learner has answered."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[np.float64]]
Places = np.ndarray[Any, np.dtype[np.int64]]
Known = tuple[Array, Array, Places | None]


class Asker(ABC):
    """An environment within one run: it shows a row, hears a prediction and says the label.

    Attributes
    ----------
    point : int
        Of an environment of a finite class: the point whose row was shown last.
    settled : bool
        Whether nothing that is said from now on makes a difference, so that all that follows is known.
    """

    point: int = -1
    settled: bool = False

    @abstractmethod
    def row(self) -> Array:
        """The row of the next round, asked for once a round; it is never changed afterwards."""

    @abstractmethod
    def label(self, prediction: int, probability: float | None = None) -> int:
        """The label of that row.

        Parameters
        ----------
        prediction : {-1, 1}
            What the learner says, or said most likely.
        probability : float, optional
            That of the learner's saying 1, if it draws; the environment does not know what was drawn.

        Returns
        -------
        {-1, 1}
        """

    def ahead(self, rounds: int) -> Known | None:
        """So many rounds at once, instead of one at a time; None of an asker that is not settled.

        Parameters
        ----------
        rounds : int
            The next ones; the asker goes on behind them. No row may wait for its label.

        Returns
        -------
        rows : ndarray, shape (rounds, columns)
        labels : ndarray, shape (rounds,)
        points : ndarray, shape (rounds,), or None
            Where there is a finite class, the points of the rows.
        """
        return None


def opposite(prediction: int, probability: float | None) -> int:
    """The label that the learner does not say, or is less likely to say."""
    if probability is None:
        return -1 if prediction > 0 else 1
    return -1 if probability >= 0.5 else 1
