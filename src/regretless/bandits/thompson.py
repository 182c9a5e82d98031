"""Thompson sampling: each arm is drawn as often as it is likely to be the best."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Literal

from ..checks import one_of
from ..info import BanditInfo
from ..theorem import Theorem
from ..theory.bandit_facts import BanditFacts
from ..theory.bandits import OF_THOMPSON
from .kinds import ByMeans
from .state import BanditRules


@dataclass(kw_only=True, eq=False)
class ThompsonSampling(ByMeans):
    """Draw an arm with the probability that its mean is the best, by what is known of the means.

    Before each draw 32 sets of means are drawn from the posterior, and an arm is drawn with the share of the sets in
    which it is best: which is to draw one set, and the arm that is best in it. So `probabilities` are shares of these
    sets, and a draw's `probability` is one by which its loss may be weighed without bias.

    By the beta posterior the mean loss of an arm is Beta(1 + L, 1 + n - L) after n losses that add up to L, as for a
    uniform prior and losses of 0 and 1. By the Gaussian one the mean gain is normal around G / (n + 1), with variance
    1 / (n + 1), after gains 1 - loss that add up to G. Where the means are drawn from the uniform prior, and
    losses of 0 and 1 by them, the beta posterior has the expected regret sqrt(K T ln(K) / 2) at most, over the means
    too. Of an environment whose means were set, as those of `Bernoulli` are, this bound says nothing.

    Parameters
    ----------
    n_arms : int, optional
        How many arms there are.
    posterior : {"beta", "gaussian"}
        What is believed of the means.
    arms, value_range, rewards, seed, run, delta
        As for `Bandit`.

    References
    ----------
    Thompson 1933; Agrawal and Goyal 2013, for the Gaussian; Russo and Van Roy 2016, Prop. 1 and 3, for the bound.

    Examples
    --------
    >>> import numpy as np
    >>> from regretless.bandits import ThompsonSampling, simulate
    >>> random = np.random.default_rng(0)
    >>> means = random.random(5)  # from the uniform prior
    >>> table = (random.random((2_000, 5)) < means).astype(float)
    >>> pulls = simulate(ThompsonSampling(5, seed=0), table, runs=20)
    >>> pulls.best_arm, int(means.argmin())
    ('3', 3)
    >>> print(str(pulls.certificates()[0]).partition(", expected")[0])
    Bayesian regret of Thompson sampling: mean regret of 20 runs of one sequence of losses 11.2
    """

    posterior: Literal["beta", "gaussian"] = "beta"

    info: ClassVar[BanditInfo] = BanditInfo(
        name="thompson",
        default_of="",
        summary="drawn as likely as it is best; for comparison, where losses are independent draws",
        draws=True,
        advised=False,
        informed=False,
        needs_horizon=False,
        twin="thompson",
    )
    theorems: ClassVar[tuple[Theorem, ...]] = OF_THOMPSON

    def _rules(self, arms: int, comparators: int) -> BanditRules:
        one_of("posterior", self.posterior, ("beta", "gaussian"))
        return BanditRules(f"{self.name}-{self.posterior}")

    def facts(self) -> BanditFacts:
        """What a theorem may know of the learner besides its ledger; which posterior it goes by is its estimator."""
        return replace(super().facts(), estimator=self.posterior)
