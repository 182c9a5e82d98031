"""Rates that are given, tuned for a horizon, or follow the number of draws."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from math import log, sqrt

import numpy as np

from ..checks import positive
from ..errors import ParameterError
from .base import Bandit
from .state import Rules
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

    def _rules(self, arms: int, comparators: int) -> Rules:
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
            return Rules(self.name, "constant", rate, rate / 2)
        rounds = None if self.horizon is None else at_most(LONGEST, "horizon", self.horizon)
        if comparators == 1:
            return Rules(self.name, "constant", 1.0, 0.5)
        if rounds is None:
            return Rules(self.name, "anytime" if self.epochs else "every-round")
        return Rules(self.name, "constant", self._best(arms, comparators, rounds), implicit(arms, comparators, rounds))


def of_one_loss(arms: int, comparators: int) -> float:
    """The first of the rates that fall, for learners that see the loss of the drawn arm alone."""
    return sqrt(log(comparators) / arms)


def implicit(arms: int, comparators: int, rounds: int) -> float:
    """The implicit exploration of a certificate that is tightest after so many rounds."""
    return sqrt(log(comparators) / (2 * arms * rounds)) if comparators > 1 else 0.5
