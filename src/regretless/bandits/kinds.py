"""Two kinds of bandits: by a rate, and by the means of the losses that they saw."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from math import log, sqrt

import numpy as np

from ..checks import positive
from ..errors import ParameterError
from .base import Array, Bandit
from .state import ESTIMATES, KNOWN, BanditRules, BanditState
from .validation import LONGEST, at_most, tangible


@dataclass(kw_only=True, eq=False)
class Tuned(Bandit):
    """A bandit with a rate that is given, tuned for a horizon, or follows the number of draws.

    Parameters
    ----------
    rate : float, optional
        A constant learning rate.
    horizon : int, optional
        The number of rounds to come, for which the best constant rate is taken.
    epochs : bool
        Whether a rate that follows the number of draws is held on epochs that grow by a tenth, or that of each round.
    """

    rate: float | None = None
    horizon: int | None = None
    epochs: bool = True

    @abstractmethod
    def _best(self, arms: int, comparators: int, rounds: int) -> float:
        """The constant rate that is best for so many rounds."""

    @abstractmethod
    def _falling(self, arms: int, comparators: int) -> float: ...

    def _rules(self, arms: int, comparators: int) -> BanditRules:
        if self.rate is not None and self.horizon is not None:
            raise ParameterError("rate", "", "and horizon= exclude each other: the horizon sets the rate", " ")
        if not isinstance(self.epochs, bool | np.bool_):
            raise ParameterError("epochs", repr(self.epochs), "it must be True or False")
        if not self.epochs and (self.rate, self.horizon) != (None, None):
            raise ParameterError(
                "epochs", "False", "is for a rate that falls; rate= and horizon= make it constant", " "
            )
        if self.rate is not None:
            rate = tangible("rate", positive("rate", self.rate))
            return BanditRules(self.name, "constant", rate, rate / 2)
        rounds = None if self.horizon is None else at_most(LONGEST, "horizon", self.horizon)
        if comparators == 1:
            return BanditRules(self.name, "constant", 1.0, 0.5)
        if rounds is None:
            return BanditRules(self.name, "anytime" if self.epochs else "every-round")
        return BanditRules(
            self.name, "constant", self._best(arms, comparators, rounds), implicit(arms, comparators, rounds)
        )


def of_one_loss(arms: int, comparators: int) -> float:
    """The first of the rates that fall, for learners that see the loss of the drawn arm alone."""
    return sqrt(log(comparators) / arms)


def implicit(arms: int, comparators: int, rounds: int) -> float:
    """The implicit exploration of a certificate that is tightest after so many rounds."""
    return sqrt(log(comparators) / (2 * arms * rounds)) if comparators > 1 else 0.5


@dataclass(kw_only=True, eq=False)
class ByMeans(Bandit):
    """A bandit whose state is the mean loss of each arm, and how many losses are known of it.

    Its bounds hold only where losses are independent draws by the same laws in every round. Where they drift, or answer
    to the draws, its regret may grow with the number of rounds.
    """

    def _rules(self, arms: int, comparators: int) -> BanditRules:
        return BanditRules(self.name)

    def _falling(self, arms: int, comparators: int) -> float:
        return of_one_loss(arms, comparators)  # of the estimates of the certificate alone

    def _estimate_of_new(self, state: BanditState) -> float:
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
