"""What was right and wrong in a play for labels."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


class Tally:
    """Mistakes of a learner, and of each column where rows are votes.

    Parameters
    ----------
    voters : int
        How many columns vote; 0 if rows are no votes.

    Attributes
    ----------
    mistakes : int or None
        None of a learner that says nothing but probabilities.
    expected : float
        The sum of the probabilities of wrong labels.
    """

    def __init__(self, voters: int) -> None:
        self.mistakes: int | None = 0
        self.expected = 0.0
        self._wrong = np.zeros(voters, dtype=np.int64)

    def count(self, wrong: int | None, chance: float) -> None:
        """Some rounds of the learner: how many were wrong, and how many were to be expected."""
        self.mistakes = None if wrong is None or self.mistakes is None else self.mistakes + int(wrong)
        self.expected += float(chance)

    def votes(self, rows: Array, labels: Array) -> None:
        """The same rounds, as the columns saw them."""
        if len(self._wrong):
            self._wrong += np.count_nonzero(rows != labels[:, None], axis=0)

    def vote(self, row: Array, label: int) -> None:
        """One round."""
        if len(self._wrong):
            self._wrong += row != label

    @property
    def best(self) -> int | None:
        """Mistakes of the best column."""
        return int(self._wrong.min()) if len(self._wrong) else None

    @property
    def leader(self) -> int | None:
        """The best column, the first of several."""
        return int(self._wrong.argmin()) if len(self._wrong) else None

    def observed(self) -> dict[str, float]:
        """By the names that promises have for it."""
        found = {"expected mistakes": self.expected}
        if self.mistakes is not None:
            found["mistakes"] = float(self.mistakes)
        if self.best is not None:
            found["expected regret"] = self.expected - self.best
            found["regret"] = found["expected regret"] if self.mistakes is None else float(self.mistakes - self.best)
        return found
