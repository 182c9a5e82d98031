"""Tsallis-INF: best of both worlds, adversarial and stochastic."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from ..checks import one_of
from ..info import BanditInfo
from ..theorem import Theorem
from ..theory.bandits import TSALLIS_INF
from .base import Bandit
from .new_arm import mean_of_inverse_squares
from .state import ESTIMATES, BanditRules, BanditState


@dataclass(kw_only=True, eq=False)
class TsallisINF(Bandit):
    """Mirror descent with the Tsallis entropy: regret without a logarithm, and far less where losses are stochastic.

    In round t draw arm I with probability p_I, where p_i = 4 / (eta_t (L_i - x))^2 and x is such that these sum to one,
    and see its loss l alone. By importance weights (eta_t = 2 / sqrt t) L_I += l / p_I. With reduced variance
    (eta_t = 4 / sqrt t) losses are measured from B_i, which is 1/2 where p_i >= eta_t^2 and 0 elsewhere: L_i += B_i for
    every arm, and L_I += (l - B_I) / p_I besides.

    The expected regret against the best arm is at most 4 sqrt(K T) + 1 by importance weights, and
    2 sqrt(K T) + 10 K ln T + 16 with reduced variance; it grows as ln T where one arm is best by a gap.

    Parameters
    ----------
    n_arms : int, optional
        How many arms there are.
    estimator : {"importance", "reduced"}
        How the losses are estimated.
    arms, value_range, rewards, seed, run, delta
        As for `Bandit`.

    References
    ----------
    Zimmert and Seldin 2021, Thm 1.

    Examples
    --------
    >>> from regretless.bandits import TsallisINF, simulate
    >>> from regretless.environments import Bernoulli
    >>> pulls = simulate(TsallisINF(5, seed=0), Bernoulli([0.3, 0.5, 0.5, 0.5, 0.5]), rounds=10_000, runs=20)
    >>> pulls.best_arm
    '0'
    >>> print(str(pulls.certificates()[0]).partition("  [")[0])
    Pseudo-regret of Tsallis-INF: pseudo-regret 123.3 ± 5.8 <= 689.427, against best arm 0
    """

    estimator: Literal["importance", "reduced"] = "importance"

    info: ClassVar[BanditInfo] = BanditInfo(
        name="tsallis-inf",
        default_of="",
        summary="Tsallis entropy; best of both worlds, adversarial and stochastic, no tuning",
        draws=True,
        advised=False,
        informed=False,
        needs_horizon=False,
        twin="tsallis_inf",
    )
    theorems: ClassVar[tuple[Theorem, ...]] = TSALLIS_INF

    def _rules(self, arms: int, comparators: int) -> BanditRules:
        one_of("estimator", self.estimator, ("importance", "reduced"))
        return BanditRules(self.name, reduced=self.estimator == "reduced")

    def _estimate_of_new(self, state: BanditState) -> float:
        return mean_of_inverse_squares(state.state[ESTIMATES], self.rate_)

    def _falling(self, arms: int, comparators: int) -> float:
        return 4.0 if self.estimator == "reduced" else 2.0
