"""What was right and wrong in a play for labels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..finite_classes.finite_class import unpacked

if TYPE_CHECKING:
    from ..finite_classes.finite_class import FiniteClass

Array = np.ndarray[Any, Any]


class Tally:
    """Mistakes of a learner, and of each column where rows are votes.

    Parameters
    ----------
    voters : int
        How many columns vote; 0 if rows are no votes.
    finite_class : FiniteClass, optional
        Whose hypotheses vote on its points: then only the labels of each point are counted until somebody asks.

    Attributes
    ----------
    mistakes : int or None
        None of a learner that says nothing but probabilities.
    expected : float
        The sum of the probabilities of wrong labels.
    """

    def __init__(self, voters: int, finite_class: FiniteClass | None = None) -> None:
        self.mistakes: int | None = 0
        self.expected = 0.0
        self._voters = np.zeros(voters, dtype=np.int64)
        self._class = finite_class if voters else None
        self._labels = np.zeros((2, 0 if finite_class is None else finite_class.points), dtype=np.int64)

    def count(self, wrong: int | None, chance: float) -> None:
        """Some rounds of the learner: how many were wrong, and how many were to be expected."""
        self.mistakes = None if wrong is None or self.mistakes is None else self.mistakes + int(wrong)
        self.expected += float(chance)

    def votes(self, rows: Array, labels: Array, points: Array | None) -> None:
        """The same rounds, as the columns saw them."""
        if self._class is not None:
            for label, counts in zip((-1, 1), self._labels, strict=True):
                counts += np.bincount(points[labels == label], minlength=len(counts))  # type: ignore[index]
        elif len(self._voters):
            self._voters += np.count_nonzero(rows != labels[:, None], axis=0)

    def vote(self, row: Array, label: int, point: int | None) -> None:
        """One round."""
        if self._class is not None:
            self._labels[int(label > 0), point] += 1
        elif len(self._voters):
            self._voters += row != label

    @property
    def _wrong(self) -> Array:
        """Mistakes of each column so far; of hypotheses the points are added up that were asked for."""
        if self._class is None:
            return self._voters
        wrong = self._voters.copy()
        for point in np.flatnonzero(self._labels.sum(axis=0)):
            zeros, ones = self._labels[:, point]
            says = unpacked(self._class.columns[point : point + 1], len(wrong))[0]
            wrong += np.where(says, zeros, ones)
        return wrong

    @property
    def best(self) -> int | None:
        """Mistakes of the best column."""
        return int(self._wrong.min()) if len(self._voters) else None

    @property
    def leader(self) -> int | None:
        """The best column, the first of several."""
        return int(self._wrong.argmin()) if len(self._voters) else None

    def observed(self) -> dict[str, float]:
        """By the names that promises have for it."""
        found = {"expected mistakes": self.expected}
        if self.mistakes is not None:
            found["mistakes"] = float(self.mistakes)
        best = self.best
        if best is not None:
            likely = self.expected - best
            found["expected regret in mistakes"] = likely
            found["regret in mistakes"] = likely if self.mistakes is None else float(self.mistakes - best)
        return found
