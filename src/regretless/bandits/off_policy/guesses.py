"""What earlier rounds of a log say of the rewards of each action."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...data.logged import Log
from .anytime import Guessed

Array = np.ndarray[Any, Any]


class Guesses:
    """The mean reward of each action in each situation, over earlier rounds alone.

    To these rounds one more is added, with the mean reward of all earlier rounds, one of them with the middle of the
    range. So the model of a round is known before it, which is what makes doubly robust estimates unbiased.

    Parameters
    ----------
    log : Log
        To be gone through from its first round on.
    """

    def __init__(self, log: Log) -> None:
        self._log = log
        shape = len(log.situations), len(log.names)
        self._counts, self._sums = np.zeros(shape), np.zeros(shape)
        middle = 0.5 * (log.value_range[0] + log.value_range[1])
        before = np.concatenate([[0.0], np.cumsum(log.rewards)[:-1]])
        self._means = (before + middle) / np.arange(1, len(log) + 1)

    def block(self, begin: int, end: int, chances: Array) -> tuple[Array, Array, tuple[Guessed, Guessed] | None]:
        """The next rounds: what is expected of a policy with these probabilities, and of the action of the log; and as
        bets take it where weights are bounded, on the scale from 0, the worst, to 1, of rewards and of what is lost of
        them."""
        expected, guessed = np.empty(end - begin), np.empty(end - begin)
        bets = [Guessed(*(np.empty(end - begin) for _ in range(3))) for _ in range(2)]
        situations = self._log.contexts[begin:end]
        (low, high), losses = self._log.value_range, self._log.losses
        for situation in np.unique(situations).tolist():
            rows = np.flatnonzero(situations == situation)
            means, known = self._running(situation, begin + rows)
            logged = np.arange(len(rows)), self._log.actions[begin + rows]
            expected[rows] = np.einsum("ij,ij->i", chances[rows], means)
            guessed[rows] = means[logged]
            if not self._log.declared:
                continue
            above = np.clip((means - low) / (high - low), 0.0, 1.0)
            for one, scaled in zip(bets, (1 - above, above) if losses else (above, 1 - above), strict=True):
                # Of an action that never came nothing is guessed: it may be one that the log never takes.
                sure = np.where(known, scaled, 0.0)
                one.expected[rows] = np.einsum("ij,ij->i", chances[rows], sure)
                one.logged[rows], one.largest[rows] = sure[logged], sure.max(axis=1)
        return expected, guessed, (bets[0], bets[1]) if self._log.declared else None

    def _running(self, situation: int, rows: Array) -> tuple[Array, Array]:
        """The guess for each action before each of these rounds, of one situation, and whether it came before; the
        rounds are then known."""
        actions = self._log.actions[rows]
        drawn = np.zeros((len(rows), self._counts.shape[1]))
        drawn[np.arange(len(rows)), actions] = 1.0
        earned = drawn * self._log.rewards[rows, None]
        counts = self._counts[situation] + np.cumsum(drawn, axis=0)
        sums = self._sums[situation] + np.cumsum(earned, axis=0)
        self._counts[situation], self._sums[situation] = counts[-1], sums[-1]
        means: Array = (sums - earned + self._means[rows, None]) / (counts - drawn + 1.0)
        return means, counts > drawn
