"""Bandits that take losses for independent draws, and go by the means of those that they saw."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .base import Array, Bandit
from .rates import of_one_loss
from .state import ESTIMATES, KNOWN, BanditState, Rules


@dataclass(kw_only=True, eq=False)
class ByMeans(Bandit):
    """A bandit whose state is the mean loss of each arm, and how many losses are known of it.

    Its bounds hold only where losses are independent draws by the same laws in every round. Where they drift, or answer
    to the draws, its regret may grow with the number of rounds.
    """

    def _rules(self, arms: int, comparators: int) -> Rules:
        return Rules(self.name)

    def _falling(self, arms: int, comparators: int) -> float:
        return of_one_loss(arms, comparators)  # of the estimates of the certificate alone

    def _estimate_of_new(self, board: BanditState) -> float:
        return 0.0  # an arm of which no loss is known

    @property
    def means_(self) -> Array:
        """The mean of the losses that each arm is known to have had, in units of the declared range; nan of none."""
        state = self._known().state
        means: Array = np.full(state.shape[1], np.nan)
        np.divide(state[ESTIMATES], state[KNOWN], out=means, where=state[KNOWN] > 0)
        return means

    @property
    def best_arm_(self) -> int:
        """The arm with the least mean loss, of those with a loss that is known; the first if there is none."""
        return int(np.argmin(np.nan_to_num(self.means_, nan=np.inf)))
