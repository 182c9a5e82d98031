"""What many runs of a bandit give back: their numbers, and what theorems say of them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from math import isfinite, log, nan, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from ... import html
from ...certificate import Certificate, Certificates
from ...comparator import BanditComparator
from ...environments import Stochastic, Table
from ...ledger import BanditLedger
from ...report.arm_table import called
from ...report.pull_page import MOST_ARMS, PullCurves
from ...theorem import Theorem
from ...theory.bandit_facts import epoch_starts
from ...theory.bandits import BY_GAPS, OF_SEQUENCES, bound_at
from ..certificates import certificates
from .one_run import Plan
from .statistics import Statistics

if TYPE_CHECKING:
    from ...report import PullCurves, PullReport


Array = np.ndarray[Any, Any]
QUANTILES = {"q05": 0.05, "q25": 0.25, "q50": 0.5, "q75": 0.75, "q95": 0.95}
CELLS = 1 << 22  # of a table that are looked at together


class Pulls(Statistics):
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

    def __repr__(self) -> str:
        kind, mean = type(self.learner).__name__, float(self.regrets.mean())
        return f"<Pulls: {self.runs} runs of {self.rounds} rounds, {kind}, mean regret {mean:.6g}>"

    def _repr_html_(self) -> str:
        """The runs in a line, and their certificates."""
        return html.code(repr(self)) + self.certificates()._repr_html_()

    # What theorems say.

    def comparators(self) -> list[list[BanditComparator]]:
        """What each run that has a ledger is compared with.

        Where losses answer to the draws, or arms sleep, the best arm in hindsight is another one from run to run. Then
        there is also the arm that is best for the mean over the runs: bounds in expectation are about an arm that is
        fixed beforehand. It is picked by these very runs, so that the mean regret against it is, if anything, larger
        than expected.
        """
        plan, own, best = self.plan, self._runs.comparators, self._best
        if self.by_means:
            return [self._by_chance(ledger, place) for place, ledger in enumerate(self.ledgers)]
        if plan.hindsight is not None:
            own = [plan.hindsight.comparators(ledger, plan.names) for ledger in self.ledgers]
        if (plan.environment.oblivious and self.asleep is None) or plan.experts or best is None:
            return own
        return [[*compared, self._beforehand(best, run)] for run, compared in enumerate(own)]

    def _by_chance(self, ledger: BanditLedger, place: int) -> list[BanditComparator]:
        """The best arm, of whose losses the means alone are known.

        Where each run has noise of its own the mean over the runs averages it, as bounds in expectation do, and it is
        compared with the arm that has the best mean. Noise that all runs share is averaged by nothing.
        """
        unseen = BanditComparator("best_arm", "the best arm", nan, ledger.loss, ledger.rounds)
        world = self.environment
        if world.alike:
            return [unseen]
        assert isinstance(world, Stochastic)
        loss = float(world.expected(self.rounds, int(self.numbers[place])).min())
        faced = loss + float(self._runs.mean_regrets[place])
        return [unseen, BanditComparator("arm", "the arm with the best mean, by means", loss, faced, ledger.rounds)]

    def _beforehand(self, place: int, run: int) -> BanditComparator:
        """One arm, the same for all runs, in one of them."""
        ledger, name, seen = self.ledgers[run], self.plan.names[place], self.plan.hindsight
        if seen is not None:
            return seen.arm(ledger, place, self.plan.names, beforehand=True)
        lost = float(self._runs.arm_losses[run][place])
        faced, rounds = float(ledger.loss - ledger.missed[place]), float(ledger.rounds - ledger.asleep[place])
        return BanditComparator("arm", f"arm {name}", lost, faced, rounds, place, detail={"arm": name})

    def certificates(self) -> Certificates:
        """Each theorem about the learner, read against all runs that have a ledger.

        Bounds in expectation are read against an arm that is fixed beforehand where that is not the best of each run,
        all others against what is best in each run.
        """
        compared = self.comparators()
        best = [[one for one in of_run if one.name != "arm"] for of_run in compared]
        each = Certificates()
        for theorem in self._theorems():
            against = compared if theorem.kind == "expected" else best
            each += certificates([theorem], self.stands, self.ledgers, against)
        return each

    def _theorems(self) -> list[Theorem]:
        """The learner's, and after each one the theorem that knows the gaps between arms, where these are known."""
        known = {} if self.stands.means is None else BY_GAPS
        return [one for theorem in self.learner.theorems for one in (theorem, known.get(theorem)) if one is not None]

    def bounds(self) -> dict[str, Array]:
        """What each theorem promised of so many rounds, for each mark, by its title; nan where it says nothing.

        They are about the regret whose curves they are drawn with, that against the best of each run: bounds in
        expectation against an arm that is fixed beforehand are none of these where losses answer to the draws or arms
        sleep, and of a regret by means there are none at all.
        """
        if self.by_means:
            return {}
        slept, reached = self.asleep is not None, _reach(self.plan)
        each = [bound_at(self.stands, mark, slept=slept, reached=reached) for mark in self.marks.tolist()]
        titles = dict.fromkeys(title for bounds in each for title in bounds)
        return {title: np.array([bounds.get(title, nan) for bounds in each]) for title in titles}

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

    # To be shown.

    def course(self) -> PullCurves:
        """How the runs went, as a report shows it."""
        return curves_of(self, self.bounds(), None if self.by_means else self.certificate_curve)

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
        from ...plot import figure
        from ...report import page_of_pulls

        return figure(page_of_pulls(self.report("", {})))

    def report(
        self,
        title: str,
        source: Mapping[str, object],
        *,
        parameters: Mapping[str, object] | None = None,
        certificates: Sequence[Certificate] | None = None,
    ) -> PullReport:
        """What `regretless.report.page_of_pulls` asks for.

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
        from ...report import PullReport

        return PullReport(
            title,
            self,
            self.course(),
            self.learner.get_params() if parameters is None else parameters,
            source,
            self.certificates() if certificates is None else certificates,
            against(self),
        )


def _reach(plan: Plan) -> Array | None:
    """The sums over the first 0, 1, 2, ... rounds; None where all arms can be drawn in every round, or it is not known.

    Experts reach an arm as far as the one who gives most to it.
    """
    table = plan.environment.table if isinstance(plan.environment, Table) else None
    if plan.advice is None and (table is None or plan.hindsight is None or not plan.hindsight.slept):
        return None
    source = table if plan.advice is None else plan.advice
    assert source is not None
    step = max(1, CELLS // source[0].size)
    count = _awake if plan.advice is None else _advised
    each = [count(source[first : first + step], plan.environment.arms) for first in range(0, plan.rounds, step)]
    return np.concatenate([[0.0], np.cumsum(np.concatenate(each)[: plan.rounds])])


def _awake(rows: Array, arms: int) -> Any:
    return arms - np.isnan(rows).sum(axis=1)


def _advised(rows: Array, arms: int) -> Any:
    if rows.ndim == 3:
        return rows.max(axis=1).sum(axis=1)
    ordered = np.sort(rows, axis=1)
    return 1 + (np.diff(ordered, axis=1) != 0).sum(axis=1)  # every arm that is named counts once


def curves_of(pulls: Statistics, bounds: Mapping[str, Array], certificate: Array | None) -> PullCurves:
    """How the runs went, at the marks."""
    regret = pulls.regret_curve
    several = len(regret) > 1
    quantiles = {name: share for name, share in QUANTILES.items() if several or name == "q50"}
    return PullCurves(
        rounds=pulls.marks.tolist(),
        regret={name: _plain(np.quantile(regret, share, axis=0)) for name, share in quantiles.items()},
        bounds={_against_what(pulls, title): _plain(values) for title, values in bounds.items()},
        certificate=() if certificate is None else _plain(np.median(certificate, axis=0)),
        probabilities={} if pulls.shares is None else _probabilities(pulls.plan.names, pulls.shares),
    )


def _against_what(pulls: Statistics, title: str) -> str:
    """The title of a bound, and what it is drawn against where that is not what the certificate is about."""
    kinds = {one.title: one.kind for one in pulls.learner.theorems}
    if title in {one.title for one in OF_SEQUENCES}:
        return f"{title}, of one arm alone"
    beforehand = not pulls.plan.experts and not (pulls.plan.environment.oblivious and pulls.asleep is None)
    return f"{title}, against the best arm of each run" if beforehand and kinds.get(title) == "expected" else title


def against(pulls: Statistics) -> str | None:
    """What the regret is counted against, if not the best arm."""
    if pulls.plan.experts:
        return "the best expert in hindsight"
    if pulls.by_means:
        return "the arm with the best mean, by means"
    if pulls.plan.environment.oblivious or pulls.runs == 1 or pulls.best_arm is None:
        return None
    # The best arm in hindsight is another one from run to run.
    return f"{called(pulls.best_arm)}, the best on average"


def _probabilities(names: Sequence[str], shares: Array) -> dict[str, list[float | None]]:
    """Those of the leading arms, and of all others together."""
    ranked = np.argsort(-shares.mean(0), kind="stable")
    probabilities = {names[arm]: _plain(shares[:, arm]) for arm in ranked[:MOST_ARMS].tolist()}
    if len(rest := ranked[MOST_ARMS:]):
        probabilities["others"] = _plain(shares[:, rest].sum(1))
    return probabilities


def _plain(values: Array) -> list[float | None]:
    return [value if isfinite(value) else None for value in values.tolist()]
