"""Hedge: one arm is drawn, and the losses of all of them are revealed."""

from __future__ import annotations

from dataclasses import dataclass
from math import log, sqrt
from typing import ClassVar

import numpy as np

from ..info import BanditInfo
from ..theorem import Theorem
from ..theory.bandit_weights import HEDGE
from .kinds import Tuned
from .state import ESTIMATES


@dataclass(kw_only=True, eq=False)
class Hedge(Tuned):
    """Exponential weights with full information: the yardstick for what it costs to see one loss alone.

    In each round draw an arm with probability p_i in proportion to exp(-rate * L_i), and see the losses of all arms:
    L_i += l_i. They are reported together: ``update(draw, losses)``.

    The expected regret against the best arm is at most ln K / rate + rate T / 8, that is sqrt(T ln K / 2) by the rate
    for the horizon, sqrt(T ln K) by the rate of each round, and 1.03 sqrt(T ln K) by that of epochs.

    Parameters
    ----------
    n_arms : int, optional
        How many arms there are.
    rate : float, optional
        A constant learning rate.
    horizon : int, optional
        The number T of rounds to come, for the rate sqrt(8 ln K / T). With neither, the rate of round t is
        2 sqrt(ln K / t).
    epochs : bool
        Whether that rate is held on epochs that grow by a tenth, or is that of each round.
    arms, value_range, rewards, seed, run, delta
        As for `Bandit`.

    References
    ----------
    Freund and Schapire 1997; Cesa-Bianchi and Lugosi 2006, Thm 2.2; Bubeck 2011, Thm 2.1, for the anytime rate.

    Examples
    --------
    >>> from regretless.bandits import Hedge, simulate
    >>> from regretless.environments import Bernoulli
    >>> pulls = simulate(Hedge(5, horizon=10_000, seed=0), Bernoulli([0.3, 0.5, 0.5, 0.5, 0.5]), rounds=10_000, runs=20)
    >>> pulls.best_arm
    '0'
    >>> print(str(pulls.certificates()[0]).partition("  [")[0])
    Regret of the mixed draws: mixed regret 46.0531 <= 89.7061, against best arm 0
    """

    info: ClassVar[BanditInfo] = BanditInfo(
        name="hedge",
        default_of="",
        summary="exponential weights with full information; the yardstick",
        draws=True,
        advised=False,
        informed=True,
        needs_horizon=False,
        twin="hedge",
    )
    theorems: ClassVar[tuple[Theorem, ...]] = HEDGE

    def _best(self, arms: int, comparators: int, rounds: int) -> float:
        return sqrt(8 * log(arms) / rounds)

    def _falling(self, arms: int, comparators: int) -> float:
        return 2 * sqrt(log(arms))

    @property
    def best_arm_(self) -> int:
        """The arm with the least loss, which is known here."""
        return int(np.argmin(self._known().state[ESTIMATES]))
