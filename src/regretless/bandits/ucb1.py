"""UCB1: the arm that may be best, by a confidence bound of Hoeffding's on each mean."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ..info import BanditInfo
from ..theorem import Theorem
from ..theory.bandits import OF_UCB1
from .kinds import ByMeans


@dataclass(kw_only=True, eq=False)
class UCB1(ByMeans):
    """Draw the arm with the least mean loss less sqrt(2 ln t / n), n losses of it being known after t draws.

    Each arm is drawn once; draws are no matter of chance. Where losses are independent draws by the same laws in every
    round, an arm that loses Delta more than the best is drawn at most 8 ln T / Delta^2 + 1 + pi^2 / 3 times in
    expectation, so that the expected regret against the arm of the best mean is at most
    2 sqrt(8 (K - 1) T ln T) + (1 + pi^2 / 3) (K - 1) whatever the gaps. Where they are not, nothing holds: an adversary
    knows what it draws next.

    Parameters
    ----------
    n_arms : int, optional
        How many arms there are.
    arms, value_range, rewards, seed, run, delta
        As for `Bandit`.

    References
    ----------
    Auer, Cesa-Bianchi and Fischer 2002, Thm 1.

    Examples
    --------
    >>> from regretless.bandits import UCB1, simulate
    >>> from regretless.environments import Bernoulli
    >>> learner = UCB1(5, seed=0)
    >>> pulls = simulate(learner, Bernoulli([0.3, 0.5, 0.5, 0.5, 0.5]), rounds=10_000, runs=20)
    >>> pulls.best_arm
    '0'
    >>> print(str(pulls.certificates()[0]).partition(", against")[0])
    Expected regret of UCB1: mean regret of 20 runs of one sequence of losses 220, expected to be <= 3,630.12
    """

    info: ClassVar[BanditInfo] = BanditInfo(
        name="ucb1",
        default_of="",
        summary="Hoeffding's confidence bounds; for comparison, where losses are independent draws",
        draws=False,
        advised=False,
        informed=False,
        needs_horizon=False,
        twin="ucb1",
    )
    theorems: ClassVar[tuple[Theorem, ...]] = OF_UCB1
