"""Exp3.P: estimated gains with a bonus for arms that are seldom drawn."""

from __future__ import annotations

from dataclasses import dataclass
from math import log, sqrt
from typing import ClassVar

from ..checks import positive
from ..errors import ParameterError, ParameterMissing
from ..info import BanditInfo
from ..theorem import Theorem
from ..theory.bandit_estimates import EXP3_P
from .base import Bandit
from .kinds import implicit
from .new_arm import mean_of_weights
from .state import ESTIMATES, RATE, BanditRules, BanditState
from .validation import LONGEST, at_most, tangible


@dataclass(kw_only=True, eq=False)
class Exp3P(Bandit):
    """Exp3 with explicit exploration and upper confidence bounds on gains: small regret with high probability.

    In each round draw arm I with probability p_I, where p is (1 - explore) times the distribution in proportion to
    exp(rate * G_i), plus explore / K, and see its gain g = 1 - l alone. Every G_i grows by beta / p_i, and G_I by
    g / p_I besides: estimates that are likely to be large enough.

    Where arms sleep, those that do are credited what the learner's own mix is estimated to gain; nothing else would be
    fair to them, as gains only grow.

    Tuned for T rounds and delta, the regret against the best arm is with probability 1 - delta at most
    5.15 sqrt(T K ln(K / delta)).

    Parameters
    ----------
    n_arms : int, optional
        How many arms there are.
    delta : float
        The probability with which the bounds may fail; here it is a part of the algorithm.
    horizon : int, optional
        The number T of rounds to come: beta = sqrt(ln(K / delta) / (T K)), rate = 0.95 sqrt(ln K / (T K)) and
        explore = 1.05 sqrt(K ln K / T). In a run too short for these, beta is 1 at most and explore is 1/2.
    rate, beta, explore : float, optional
        All three of them, instead of the horizon.
    arms, value_range, rewards, seed, run
        As for `Bandit`.

    References
    ----------
    Auer, Cesa-Bianchi, Freund and Schapire 2002; Bubeck and Cesa-Bianchi 2012, Thm 3.2.

    Examples
    --------
    >>> from regretless.bandits import Exp3P, simulate
    >>> from regretless.environments import Bernoulli
    >>> pulls = simulate(Exp3P(5, horizon=10_000, seed=0), Bernoulli([0.3, 0.5, 0.5, 0.5, 0.5]), rounds=10_000, runs=20)
    >>> pulls.best_arm
    '0'
    >>> print(str(pulls.certificates()[0]).partition("  [")[0])
    Regret of Exp3.P: regret 731 <= 1,828.25, of each run with probability 95% at any time, against best arm 0
    """

    horizon: int | None = None
    rate: float | None = None
    beta: float | None = None
    explore: float | None = None

    info: ClassVar[BanditInfo] = BanditInfo(
        name="exp3-p",
        default_of="",
        summary="estimated gains with confidence bonuses; regret bounded with high probability",
        draws=True,
        advised=False,
        informed=False,
        needs_horizon=True,
        twin="exp3_p",
    )
    theorems: ClassVar[tuple[Theorem, ...]] = EXP3_P

    def _estimate_of_new(self, state: BanditState) -> float:
        return mean_of_weights(state.state[ESTIMATES], -float(state.memory[RATE]))

    def _rules(self, arms: int, comparators: int) -> BanditRules:
        known = [value is not None for value in (self.rate, self.beta, self.explore)]
        if self.horizon is None:
            if not all(known):
                raise ParameterMissing(
                    "horizon", "exp3-p is tuned for a number of rounds: give horizon=, or rate=, beta= and explore="
                )
            return self._explicit()
        if any(known):
            raise ParameterError("horizon", "", "sets rate, beta and explore: give it, or these three, not both", " ")
        if self.delta is None:
            raise ParameterError(
                "delta", "None", "exp3-p is tuned for it; give the probability with which bounds may fail", ": "
            )
        return self._tuned(arms, at_most(LONGEST, "horizon", self.horizon), self.delta)

    def _explicit(self) -> BanditRules:
        rate = tangible("rate", positive("rate", self.rate))
        beta = positive("beta", self.beta, or_zero=True)
        # Or the bonus of an arm that is never drawn would be infinite.
        explore = tangible("explore", positive("explore", self.explore))
        if beta > 1 or explore > 1:
            raise ParameterError("beta", f"{beta:g}", f"explore={explore:g}; neither may exceed 1", ", ")
        return BanditRules(self.name, "constant", rate, rate / 2, beta, explore)

    def _tuned(self, arms: int, rounds: int, delta: float) -> BanditRules:
        return BanditRules(
            self.name,
            "constant",
            rate=0.95 * sqrt(log(arms) / (rounds * arms)) if arms > 1 else 1.0,
            gamma=implicit(arms, arms, rounds),
            beta=min(sqrt(log(arms / delta) / (rounds * arms)), 1.0),
            explore=min(1.05 * sqrt(arms * log(arms) / rounds), 0.5),
        )
