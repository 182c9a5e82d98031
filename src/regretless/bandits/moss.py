"""MOSS: confidence bounds that are tuned for the number of rounds, without a logarithm in the regret."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ..errors import ParameterMissing
from ..info import BanditInfo
from ..theorem import Theorem
from ..theory.bandits import OF_MOSS
from .kinds import ByMeans
from .state import BanditRules
from .validation import LONGEST, at_most


@dataclass(kw_only=True, eq=False)
class MOSS(ByMeans):
    """Draw the arm with the least mean loss less sqrt(max(ln(T / (K n)), 0) / n), n losses of it being known.

    Each arm is drawn once; draws are no matter of chance. Where losses are independent draws by the same laws in every
    round, the expected regret against the arm of the best mean is at most 19.5 sqrt(K T) + K - 1.

    Parameters
    ----------
    n_arms : int, optional
        How many arms there are.
    horizon : int
        The number T of rounds to come.
    arms, value_range, rewards, seed, run, delta
        As for `Bandit`.

    References
    ----------
    Audibert and Bubeck 2009; Lattimore and Szepesvari 2020, Thm 9.1.

    Examples
    --------
    >>> from regretless.bandits import MOSS, simulate
    >>> from regretless.environments import Bernoulli
    >>> learner = MOSS(5, horizon=10_000, seed=0)
    >>> pulls = simulate(learner, Bernoulli([0.3, 0.5, 0.5, 0.5, 0.5]), rounds=10_000, runs=20)
    >>> pulls.best_arm
    '0'
    >>> print(str(pulls.certificates()[0]).partition(", against")[0])
    Expected regret of MOSS: mean regret of 20 runs of one sequence of losses 52, expected to be <= 4,543.74
    """

    horizon: int | None = None

    info: ClassVar[BanditInfo] = BanditInfo(
        name="moss",
        default_of="",
        summary="confidence bounds for a number of rounds; for comparison, where losses are independent draws",
        draws=False,
        advised=False,
        informed=False,
        needs_horizon=True,
        twin="moss",
    )
    theorems: ClassVar[tuple[Theorem, ...]] = OF_MOSS

    def _rules(self, arms: int, comparators: int) -> BanditRules:
        if self.horizon is None:
            raise ParameterMissing("horizon", "moss is tuned for a number of rounds: give horizon=")
        return BanditRules(self.name, horizon=at_most(LONGEST, "horizon", self.horizon))
