"""Epsilon-greedy: the arm that is expected to lose least, and now and then any."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..checks import share
from ..info import ContextualInfo
from ..theorem import Theorem
from ..theory.contextual import OF_EVERY_RULE
from .base import ContextualBandit

Array = np.ndarray[Any, Any]


@dataclass(kw_only=True, eq=False)
class EpsilonGreedy(ContextualBandit):
    """Draw the arm that is expected to lose least, and with probability epsilon any of the arms, all alike.

    Arms that are expected to lose alike share the first part. The rule has no theorem that says how much it loses; what
    it has lost beside every fixed arm is certified from its own draws.

    Parameters
    ----------
    epsilon : float
        Between 0 and 1.
    n_arms, arms, regressor, shared, hash_bits, value_range, rewards, seed, norm, delta, policies
        As for `ContextualBandit`.

    Examples
    --------
    >>> from regretless.contextual import EpsilonGreedy
    >>> bandit = EpsilonGreedy(arms=["red", "blue"], seed=0)
    >>> for day in range(200):
    ...     ticket = bandit.act([day % 2])
    ...     bandit.learn(ticket, float(ticket.action != day % 2))
    >>> bandit.forecasts([1]).round(1).tolist()
    [0.9, 0.0]
    """

    info: ClassVar[ContextualInfo] = ContextualInfo(
        name="epsilon-greedy",
        default_of="explore",
        summary="the arm that is expected to lose least, or now and then any",
        twin="epsilon_greedy",
    )
    theorems: ClassVar[tuple[Theorem, ...]] = OF_EVERY_RULE

    epsilon: float = 0.05

    def _amount(self) -> float:
        return share("epsilon", self.epsilon)
