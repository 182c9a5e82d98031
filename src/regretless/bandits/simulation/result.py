"""What many runs of a bandit give back."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite, log, nan, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from ...comparator import BanditComparator
from ...environments import Environment, Stochastic
from ...ledger import BanditLedger
from ...theory.bandit_facts import BanditFacts, epoch_starts
from .one_run import Plan
from .storage import Group, Runs

if TYPE_CHECKING:
    from ...report.pulls import PullCurves, PullReport
    from ...theorem import Certificate
    from ..base import Bandit

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, eq=False, repr=False)
class Pulls:
    """Many runs of one learner in one environment; losses and regrets are in the user's own scale.

    The regret is that against the best arm in hindsight, or against the best expert for a learner with experts, on the
    losses as they came. In a world of chance with more losses than can be looked at twice (100 million) it is counted
    by their means, from how often each arm was drawn, and says so: `by_means`. That is another regret, as all runs of
    one seed meet the same noise, which no number of runs averages; no theorem about the losses that came bounds it.

    Attributes
    ----------
    learner : Bandit
        As it was given; it has not played.
    stands : BanditFacts
        What theorems know of it.
    plan : Plan
    seconds : float
        How long it all took.
    """

    learner: Bandit
    stands: BanditFacts
    plan: Plan
    _runs: Runs
    seconds: float

    def __repr__(self) -> str:
        kind, mean = type(self.learner).__name__, float(self.regrets.mean())
        return f"<Pulls: {self.runs} runs of {self.rounds} rounds, {kind}, mean regret {mean:.6g}>"

    # What was played.

    @property
    def environment(self) -> Environment:
        """Where."""
        return self.plan.environment

    @property
    def rounds(self) -> int:
        """Of each run."""
        return self.plan.rounds

    @property
    def runs(self) -> int:
        """How many are over."""
        return len(self._runs.numbers)

    @property
    def numbers(self) -> Array:
        """Which ones: run r can be seen once more with ``simulate(..., first=r, runs=1)``."""
        return self._runs.numbers

    @property
    def arms(self) -> list[str]:
        """Names of the arms."""
        return list(self.plan.names)

    @property
    def marks(self) -> Array:
        """Numbers of rounds at which curves have their points."""
        return self.plan.marks

    @property
    def by_means(self) -> bool:
        """Whether the regret is counted by means of the losses, as those that came were too many to be looked at."""
        looked = self.plan.seen is not None or self.plan.realised or self.plan.advice is not None
        return isinstance(self.environment, Stochastic) and not looked

    # How each run went.

    @property
    def losses(self) -> Array:
        """What each run lost in all; of rewards, by how much they missed the highest one."""
        return self._total(self._runs.losses)

    @property
    def rewards(self) -> Array | None:
        """What each run earned in all, if rewards were reported."""
        return self.plan.scale.high * self.rounds - self.losses if self.plan.scale.rewards else None

    @property
    def regrets(self) -> Array:
        """The regret of each run."""
        return self.plan.scale.width * self._runs.regrets

    @property
    def mean_regrets(self) -> Array | None:
        """The regret by means of each run: what its draws cost by the means of the arms, less the best arm's.

        None where losses have no means, and for a learner with experts. It is not what bounds are about.
        """
        known = isinstance(self.environment, Stochastic) and self.plan.advice is None
        return self.plan.scale.width * self._runs.mean_regrets if known else None

    def quantiles(self, *shares: float) -> Array:
        """Quantiles of the regret over the runs."""
        found: Array = np.quantile(self.regrets, shares)
        return found

    @property
    def ledgers(self) -> list[BanditLedger]:
        """The books of the runs; with very many runs or arms, of the first ones."""
        return self._runs.ledgers

    @property
    def loss_curve(self) -> Array:
        """The loss of each run up to each mark, shape (runs, marks); with very many runs, of the first ones."""
        return self._total(self._runs.loss, self.marks)

    @property
    def regret_curve(self) -> Array:
        """The regret of each run up to each mark, against what was best up to there."""
        return self.plan.scale.width * self._runs.regret

    @property
    def certificate_curve(self) -> Array | None:
        """What each run can certify of its regret up to each mark from what it saw itself, at one mark at a time.

        None without a delta.
        """
        if self.stands.delta is None:
            return None
        certified = self._runs.certificate + log(self.stands.comparators / self.stands.delta) / (2 * self._gammas())
        return self.plan.scale.width * (certified if self.stands.arms > 1 else np.zeros_like(certified))

    def _gammas(self) -> Array:
        """The implicit exploration of the estimates that a certificate rests on, at the last draw before each mark."""
        if isfinite(self.stands.gamma):
            return np.full(len(self.marks), self.stands.gamma)
        if self.stands.comparators == 1:
            return np.full(len(self.marks), 0.5)
        starts = epoch_starts(self.rounds)
        scale = 0.5 * sqrt(log(self.stands.comparators) / self.stands.arms)
        return np.array([scale / sqrt(starts[bisect_right(starts, mark) - 1]) for mark in self.marks.tolist()])

    def _total(self, units: Array, rounds: Any = None) -> Array:
        scale = self.plan.scale
        low = 0.0 if scale.rewards else scale.low
        return low * (self.rounds if rounds is None else rounds) + scale.width * units

    # All runs together.

    @property
    def _sums(self) -> Group:
        assert self._runs.sums is not None
        return self._runs.sums

    @property
    def draws(self) -> Array:
        """Share of the draws of each arm, over all runs."""
        return self._sums.draws / (self.runs * self.rounds)

    @property
    def shares(self) -> Array | None:
        """Probabilities of the draw that comes after each mark, shape (marks, arms), as means over the runs.

        Where experts advise, they are as if the advice of the last round were given once more.
        """
        return None if self._sums.shares is None else self._sums.shares / self.runs

    @property
    def arm_losses(self) -> Array | None:
        """What each arm lost while it was awake, as a mean over the runs; its mean `by_means`. None if unknown."""
        units = self._arm_units()
        return None if units is None else self._total(units, self.rounds - self._asleep())

    @property
    def _best(self) -> int | None:
        """The arm with the largest regret as a mean over the runs."""
        units = self._arm_units()
        if units is None:
            return None
        regrets = -self._sums.missed / self.runs - units
        return int(np.argmax(np.where(self._asleep() < self.rounds, regrets, -np.inf)))

    @property
    def best_arm(self) -> str | None:
        """The best fixed arm, for the mean over the runs."""
        return None if self._best is None else self.plan.names[self._best]

    @property
    def best_arm_loss(self) -> float | None:
        """What it loses in all, while it is awake."""
        return None if self._best is None or self.arm_losses is None else float(self.arm_losses[self._best])

    @property
    def best_arm_reward(self) -> float | None:
        """What it earns in all, while it is awake, if rewards were reported."""
        if self._best is None or self.best_arm_loss is None or not self.plan.scale.rewards:
            return None
        return float(self.plan.scale.high * (self.rounds - self._asleep()[self._best]) - self.best_arm_loss)

    @property
    def pseudo_regret(self) -> float:
        """By how much the mean loss is above that of the best fixed arm, or expert.

        NaN where nobody looked at what the arms lost; see `mean_regrets`.
        """
        if self.by_means:
            return nan
        faced = float(self._runs.losses.mean())
        if self.plan.experts:
            advised = self._sums.advised / self.runs if self.plan.seen is None else self.plan.seen.advised
            return self.plan.scale.width * float(faced - advised.min())
        units, best = self._arm_units(), self._best
        if units is None or best is None:
            return nan
        return self.plan.scale.width * float(faced - self._sums.missed[best] / self.runs - units[best])

    def _arm_units(self) -> Array | None:
        if self.by_means:
            assert isinstance(self.environment, Stochastic)
            return self.environment.expected(self.rounds) if self.environment.alike else None
        return self._sums.losses / self.runs if self.plan.seen is None else self.plan.seen.losses

    @property
    def asleep(self) -> Array | None:
        """In how many rounds each arm was asleep, as a mean over the runs; None if none ever was."""
        found = self._asleep()
        return found if found.any() else None

    def _asleep(self) -> Array:
        return self.plan.seen.asleep if self.plan.seen is not None else self._sums.asleep / self.runs

    # What theorems say.

    def comparators(self) -> list[list[BanditComparator]]:
        """What each run that has a ledger is compared with.

        Where losses answer to the draws, or arms sleep, the best arm in hindsight is another one from run to run. Then
        there is also the arm that is best for the mean over the runs: bounds in expectation are about an arm that is
        fixed beforehand. It is picked by these very runs, so that the mean regret against it is, if anything, larger
        than expected.
        """
        from .certificates import comparators

        return comparators(self)

    def certificates(self) -> list[Certificate]:
        """Each theorem about the learner, read against all runs that have a ledger.

        Bounds in expectation are read against an arm that is fixed beforehand where that is not the best of each run,
        all others against what is best in each run.
        """
        from .certificates import judged

        return judged(self)

    def bounds(self) -> dict[str, Array]:
        """What each theorem promised of so many rounds, for each mark, by its title; nan where it says nothing.

        They are about the regret whose curves they are drawn with, that against the best of each run: bounds in
        expectation against an arm that is fixed beforehand are none of these where losses answer to the draws or arms
        sleep, and of a regret by means there are none at all.
        """
        from .certificates import promised

        return promised(self)

    # To be shown.

    def course(self) -> PullCurves:
        """How the runs went, as a report shows it."""
        from .report import course

        return course(self)

    def plot(self) -> Any:
        """A matplotlib figure: regret in its bands under its bounds, probabilities, and shares of the draws.

        Returns
        -------
        matplotlib.figure.Figure

        Raises
        ------
        RegretlessError
            If matplotlib is missing.
        """
        from ...plot_pulls import pull_figure

        return pull_figure(self)

    def report(
        self,
        title: str,
        source: Mapping[str, object],
        *,
        parameters: Mapping[str, object] | None = None,
        certificates: Sequence[Certificate] | None = None,
    ) -> PullReport:
        """What `regretless.report.write_pull_report` asks for.

        Parameters
        ----------
        title : str
        source : mapping
            Where the losses came from.
        parameters : mapping, optional
            The learner's by default.
        certificates : sequence of Certificate, optional
            If they are known already.
        """
        from .report import report

        return report(self, title, source, parameters, certificates)
