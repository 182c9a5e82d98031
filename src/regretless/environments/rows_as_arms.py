"""Rows of -1 and 1 as arms: one that is not the label loses 1."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from ..errors import RegretlessError
from .base import Array, Environment, Oblivious, Opponent
from .labels import Asker, Labels, ObliviousLabels


def votes_as_losses(labels: Labels) -> Environment:
    """The environment in which drawing an arm is to say what it says.

    Raises
    ------
    RegretlessError
        If rows hold other numbers than -1 and 1.
    """
    if not labels.votes:
        raise RegretlessError(f"the rows of {labels.name} hold other numbers than -1 and 1: they are no votes")
    return ToldVotes(labels) if isinstance(labels, ObliviousLabels) else AskedVotes(labels)


class ToldVotes(Oblivious):
    """The votes of an environment that takes no notice of what is drawn.

    Parameters
    ----------
    labels : ObliviousLabels
    """

    alike = False
    rewards = False

    def __init__(self, labels: ObliviousLabels) -> None:
        self.labels = labels
        super().__init__(labels.columns, labels.rounds, labels.names)

    def block(self, begin: int, end: int, run: int = 0) -> Array:
        """One where a vote is not the label, else nothing."""
        rows, labels = self.labels.block(begin, end, run)
        lost: Array = (rows != labels[:, None]).astype(np.float64)
        return lost


class AskedVotes(Environment):
    """The votes of an adversary.

    It is told the probability with which 1 is said, that of the arms which vote for it: so who draws arms meets the
    same adversary as a learner that labels rows itself.

    Parameters
    ----------
    labels : Labels
    """

    foresees: ClassVar[bool] = True
    rewards = False

    def __init__(self, labels: Labels) -> None:
        self.labels = labels
        super().__init__(labels.columns, labels.rounds, labels.names)

    def begin(self, run: int = 0) -> Opponent:
        """An opponent that looks at probabilities alone."""
        return _Voted(self.labels.begin(run))


class _Voted(Opponent):
    def __init__(self, asker: Asker) -> None:
        self._asker = asker

    def losses(self, probabilities: Array | None = None) -> Array:
        if probabilities is None:
            raise RegretlessError("this adversary wants to know the probabilities of the arms")
        row = self._asker.row()
        chance = float(probabilities[row > 0].sum())
        label = self._asker.label(1 if chance >= 0.5 else -1, chance)
        lost: Array = (row != label).astype(np.float64)
        return lost
