"""KL-UCB: the arm that may be best, by a confidence bound of Chernoff's on each mean."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ..info import BanditInfo
from ..theorem import Theorem
from ..theory.bandits import OF_KL_UCB
from .kinds import ByMeans


@dataclass(kw_only=True, eq=False)
class KLUCB(ByMeans):
    """Draw the arm with the least mean loss q that is likely: n kl(m, q) <= ln(1 + t ln(t)^2), n losses with mean m
    being known of it in draw t.

    kl is the relative entropy of coins. Each arm is drawn once; draws are no matter of chance. Where losses are
    independent draws by the same laws in every round, bad arms are drawn as seldom as is possible in the long run, if
    losses are 0 and 1; the expected regret against the arm of the best mean is at most
    2 sqrt((K - 1) T (2 ln(1 + T ln(T)^2) + 40)) whatever the gaps.

    Parameters
    ----------
    n_arms : int, optional
        How many arms there are.
    arms, value_range, rewards, seed, run, delta
        As for `Bandit`.

    References
    ----------
    Garivier and Cappe 2011; Lattimore and Szepesvari 2020, Thm 10.6.

    Examples
    --------
    >>> from regretless.bandits import KLUCB, simulate
    >>> from regretless.environments import Bernoulli
    >>> learner = KLUCB(5, seed=0)
    >>> pulls = simulate(learner, Bernoulli([0.3, 0.5, 0.5, 0.5, 0.5]), rounds=2_000, runs=20)
    >>> pulls.best_arm
    '0'
    >>> print(str(pulls.certificates()[0]).partition(", against")[0])
    Expected regret of KL-UCB: mean regret of 20 runs of one sequence of losses 64, expected to be <= 1,503.64
    """

    info: ClassVar[BanditInfo] = BanditInfo(
        name="kl-ucb",
        default_of="",
        summary="Chernoff's confidence bounds; for comparison, where losses are independent draws",
        draws=False,
        advised=False,
        informed=False,
        needs_horizon=False,
        twin="kl_ucb",
    )
    theorems: ClassVar[tuple[Theorem, ...]] = OF_KL_UCB
