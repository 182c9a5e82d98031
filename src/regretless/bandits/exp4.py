"""Exp4: experts advise which arm to draw."""

from __future__ import annotations

from dataclasses import dataclass
from math import log, sqrt
from typing import Any, ClassVar

import numpy as np

from ..errors import RegretlessError
from ..info import BanditInfo
from ..picture import Bars
from ..theorem import Theorem
from ..theory.bandit_weights import EXP4
from .base import Array
from .kinds import Tuned, of_one_loss
from .state import ESTIMATES, IMPLICIT, BanditState
from .validation import MOST, advice_of, at_most


@dataclass(kw_only=True, eq=False)
class Exp4(Tuned):
    """Exponential weights on experts who advise which arm to draw: small regret against the best of N experts.

    In each round every expert n gives a distribution xi_n over the arms. Draw arm I with probability
    p_I = sum_n q_n xi_n(I), where q_n is in proportion to exp(-rate * Y_n), and see its loss l alone.
    Y_n += xi_n(I) l / p_I estimates the losses of all experts without bias.

    The expected regret against the best expert is at most ln N / rate + rate K T / 2, that is sqrt(2 T K ln N) by the
    rate for the horizon; where experts agree on many arms, far less.

    Parameters
    ----------
    n_arms : int, optional
        How many arms there are.
    n_experts : int, optional
        How many experts; by default as many as the first advice has.
    rate : float, optional
        A constant learning rate.
    horizon : int, optional
        The number T of rounds to come, for the rate sqrt(2 ln N / (T K)). With neither, the rate of round t is
        sqrt(ln N / (t K)).
    epochs : bool
        Whether that rate is held on epochs that grow by a tenth, or is that of each round.
    arms, value_range, rewards, seed, run, delta
        As for `Bandit`.

    References
    ----------
    Auer, Cesa-Bianchi, Freund and Schapire 2002, section 7; Bubeck and Cesa-Bianchi 2012, Thm 4.2.

    Examples
    --------
    >>> import numpy as np
    >>> from regretless.bandits import Exp4
    >>> rng = np.random.default_rng(0)
    >>> losses = rng.random((1000, 3))
    >>> best = np.eye(3)[losses.argmin(axis=1)]
    >>> advice = np.stack([best, np.full((1000, 3), 1 / 3)], axis=1)
    >>> learner = Exp4(3, horizon=1000, seed=0)
    >>> played = learner.play(losses, advice=advice)
    >>> print(str(learner.certify(losses, advice=advice)[0]).partition(", against")[0])
    Pseudo-regret of Exp4: regret of this run 34.9517, expected to be <= 50.1584
    """

    n_experts: int | None = None

    info: ClassVar[BanditInfo] = BanditInfo(
        name="exp4",
        default_of="",
        summary="experts advise which arm to draw; regret against the best expert, in expectation",
        draws=True,
        advised=True,
        informed=False,
        needs_horizon=False,
        twin="exp4",
    )
    theorems: ClassVar[tuple[Theorem, ...]] = EXP4

    def _refuse_parameters(self) -> None:
        experts = 2 if self.n_experts is None else at_most(MOST, "n_experts", self.n_experts)
        self._rules(self._arms or 2, experts)

    def _best(self, arms: int, comparators: int, rounds: int) -> float:
        return sqrt(2 * log(comparators) / (rounds * arms))

    def _falling(self, arms: int, comparators: int) -> float:
        return of_one_loss(arms, comparators)

    @property
    def n_experts_(self) -> int:
        """How many experts advise."""
        return self._known().comparators

    @property
    def expert_weights_(self) -> Array:
        """The weights of the experts in the next round; they sum to one."""
        estimates = self._known().state[ESTIMATES]
        weights = np.exp(-self.rate_ * (estimates - estimates.min()))
        expert_weights: Array = weights / weights.sum()
        return expert_weights

    def bars(self) -> list[Bars]:
        """The weights of the experts in the next round."""
        return [Bars("Weights of the experts", None, self.expert_weights_)]

    @property
    def best_expert_(self) -> int:
        """The expert with the least estimated loss, by estimates that are unlikely to be much too large."""
        return int(np.argmin(self._known().state[IMPLICIT]))

    @property
    def best_arm_(self) -> int:
        """There is none: which arm is best is for the experts to say, round by round."""
        raise RegretlessError("best_arm_: this learner goes by its experts; see best_expert_")

    def _comparators(self) -> int | None:
        return self.n_experts if self._state is None else self._state.comparators

    def _known(self) -> BanditState:
        if self._state is None and self._arms is not None:
            if self.n_experts is None:
                raise RegretlessError("how many experts are there? give n_experts=, or advice first")
            return self._begin(self._arms, int(self.n_experts))
        return super()._known()

    def _known_with(self, advice: Any) -> BanditState:
        if self._state is None and self._arms is not None and self.n_experts is None and advice is not None:
            return self._begin(self._arms, len(advice_of(advice, None, self._arms, self.arm_names_)))
        return self._known()
