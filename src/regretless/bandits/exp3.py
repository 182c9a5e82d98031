"""Exp3: exponential weights on losses that are estimated from the arm that was drawn."""

from __future__ import annotations

from dataclasses import dataclass
from math import log, sqrt
from typing import ClassVar

from ..info import BanditInfo
from ..theorem import Theorem
from ..theory.bandit_weights import EXP3
from .kinds import Tuned, of_one_loss


@dataclass(kw_only=True, eq=False)
class Exp3(Tuned):
    """Exponential weights for exploration and exploitation: small regret in expectation against any losses.

    In each round draw arm I with probability p_I, where p_i is in proportion to exp(-rate * L_i), and see its loss l
    alone. L_I += l / p_I estimates the losses of all arms without bias.

    The expected regret against the best arm is at most ln K / rate + rate K T / 2, that is sqrt(2 T K ln K) by the rate
    for the horizon, 2 sqrt(T K ln K) by the rate of each round, and 2.05 sqrt(T K ln K) by that of epochs. Some runs do
    far worse, for the estimates have heavy tails: for a single run take Exp3IX.

    Parameters
    ----------
    n_arms : int, optional
        How many arms there are.
    rate : float, optional
        A constant learning rate.
    horizon : int, optional
        The number T of rounds to come, for the rate sqrt(2 ln K / (T K)). With neither, the rate of round t is
        sqrt(ln K / (t K)).
    epochs : bool
        Whether that rate is held on epochs that grow by a tenth, so that a draw takes O(log K) steps, or is that of
        each round, which takes O(K).
    arms, value_range, rewards, seed, run, delta
        As for `Bandit`.

    References
    ----------
    Auer, Cesa-Bianchi, Freund and Schapire 2002; Bubeck and Cesa-Bianchi 2012, Thm 3.1.

    Examples
    --------
    >>> from regretless.bandits import Exp3, simulate
    >>> from regretless.environments import Bernoulli
    >>> pulls = simulate(Exp3(5, horizon=10_000, seed=0), Bernoulli([0.3, 0.5, 0.5, 0.5, 0.5]), rounds=10_000, runs=20)
    >>> pulls.best_arm
    '0'
    >>> print(str(pulls.certificates()[0]).partition("  [")[0])
    Pseudo-regret of Exp3: pseudo-regret 240.85 ± 5.7 <= 401.178, against best arm 0
    """

    info: ClassVar[BanditInfo] = BanditInfo(
        name="exp3",
        default_of="",
        summary="exponential weights on estimated losses; regret bounded in expectation",
        draws=True,
        advised=False,
        informed=False,
        needs_horizon=False,
        twin="exp3",
    )
    theorems: ClassVar[tuple[Theorem, ...]] = EXP3

    def _best(self, arms: int, comparators: int, rounds: int) -> float:
        return sqrt(2 * log(arms) / (rounds * arms))

    def _falling(self, arms: int, comparators: int) -> float:
        return of_one_loss(arms, comparators)
