"""The result of a play: how it stood, lower bounds beside what was observed, the certificates of its runs in one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import inf, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import html
from ..certificate import ERRORS, RELATIVE, Certificate, Certificates, in_figures
from .player import CurvePoint

if TYPE_CHECKING:
    from ..environments.lower_bounds import LearnerDescription, LowerBound

Array = np.ndarray[Any, Any]
# Fewer runs do not show how far their mean may be from what is expected. Regrets are skew, with few
# large ones that make up for many small ones: the mean of some runs is mostly below what is expected. An upper bound,
# for which ten runs are enough, is not exceeded by that, but a lower one may seem to be missed.
FEW = 30
Whole = Callable[[], Sequence[Certificate]]
SHOWN = (0.05, 0.5, 0.95)  # quantiles of the bounds


@dataclass(frozen=True, slots=True)
class CheckedLowerBound:
    """A lower bound beside what was observed.

    Attributes
    ----------
    lower_bound : LowerBound
    observed : float or None
        The least of all runs, or for a bound in expectation their mean; None if it was not observed.
    runs : int
    standard_error : float
        Of the mean.
    """

    lower_bound: LowerBound
    observed: float | None
    runs: int = 1
    standard_error: float = 0.0

    @property
    def luck(self) -> float:
        """How far below the bound an observation may be by chance or rounding."""
        rounding = RELATIVE * max(1.0, abs(self.lower_bound.least))
        if self.lower_bound.kind == "sure":
            return rounding
        return inf if self.runs < FEW else rounding + ERRORS * self.standard_error

    @property
    def holds(self) -> bool:
        """Whether it holds; true also of what was not observed."""
        return self.observed is None or self.observed >= self.lower_bound.least - self.luck

    @property
    def violated(self) -> bool:
        """Whether a bound that always holds was broken: a bug, in the code or in the theorem."""
        return self.lower_bound.kind == "sure" and not self.holds

    def describe(self) -> dict[str, Any]:
        """The bound as JSON values."""
        return self.lower_bound.describe() | {"observed": self.observed, "holds": self.holds}

    def __str__(self) -> str:
        bound, least = self.lower_bound, in_figures(self.lower_bound.least)
        if self.observed is None:
            return f"{bound.title}: {bound.quantity} (not observed) at least {least}  [{bound.source}]"
        seen = f"{self._what()} {in_figures(self.observed)}"
        if bound.kind == "expected" and self.runs < FEW:
            return f"{bound.title}: {seen}, expected to be at least {least}  [{bound.source}]"
        spread = "" if not self.standard_error else f" ± {self.standard_error:.2g}"
        if self.holds and self.observed < bound.least - RELATIVE * max(1.0, abs(bound.least)):
            verdict = f"below {least} by less than {ERRORS} standard errors"
        else:
            verdict = f"{'>=' if self.holds else 'FALLS SHORT OF'} {least}"
        return f"{bound.title}: {seen}{spread} {verdict}  [{bound.source}]"

    def _what(self) -> str:
        if self.runs == 1 or self.lower_bound.kind == "sure":
            return self.lower_bound.quantity if self.runs == 1 else f"least {self.lower_bound.quantity}"
        return f"mean {self.lower_bound.quantity}"


def check_lower_bound(bound: LowerBound, quantities: Mapping[str, Array]) -> CheckedLowerBound:
    """A lower bound beside what was observed of its quantity, in each run."""
    values, likely = quantities.get(bound.quantity), f"expected {bound.quantity}"
    if values is None and bound.kind == "expected" and likely in quantities:
        bound, values = replace(bound, quantity=likely), quantities[likely]  # which is the same in expectation
    if values is None or not np.isfinite(values).all():
        return CheckedLowerBound(bound, None)
    if bound.kind == "sure":
        return CheckedLowerBound(bound, float(values.min()), len(values))
    error = float(values.std(ddof=1) / sqrt(len(values))) if len(values) > 1 else 0.0
    return CheckedLowerBound(bound, float(values.mean()), len(values), error)


@dataclass(frozen=True, eq=False, repr=False)
class PlayResult:
    """Some runs of one learner against one environment.

    Attributes
    ----------
    kind : {"class", "linear", "experts", "bandits"}
        Of the learner.
    learner : object
        After the first run.
    environment : Labels or Environment
    rounds : int
        Of each run.
    runs : int
    counts : str
        "mistakes" or "loss": what the learner is counted by.
    more : str
        What else the curve has; empty if nothing.
    curve : list of CurvePoint
        How things stood after 1, 2, 4, ... rounds and at the end; means over the runs.
    totals : ndarray, shape (runs,)
        The count of each run.
    quantities : mapping of str to ndarray of shape (runs,)
        All that was observed: mistakes, expected mistakes, updates, loss, regret.
    certificates : list of Certificate
        What the learner's theorems allow at most.
    lower_bounds : list of CheckedLowerBound
        What the environment forces at least.
    opposed : LearnerDescription
        What the environment knows of the learner.
    seconds : float
        How long the rounds took.
    stopped : bool
        Whether `stop` ended it before all rounds of all runs were played.
    """

    kind: str
    learner: Any
    environment: Any
    rounds: int
    runs: int
    counts: str
    more: str
    curve: list[CurvePoint]
    totals: Array
    quantities: Mapping[str, Array]
    certificates: Certificates
    lower_bounds: list[CheckedLowerBound]
    opposed: LearnerDescription
    seconds: float
    stopped: bool = False

    @property
    def count(self) -> float:
        """Mistakes or loss, as a mean over the runs."""
        return float(self.totals.mean())

    @property
    def best(self) -> float | None:
        """The same of the best fixed hypothesis, expert or arm, where there is one."""
        return self.curve[-1].best

    @property
    def regret(self) -> float | None:
        """How much more than the best, as a mean over the runs."""
        return self.curve[-1].regret

    def lower_bounds_at(self, rounds: int) -> list[LowerBound]:
        """The environment's lower bounds on so many rounds."""
        bounds: list[LowerBound] = self.environment.lower_bounds(rounds, self.opposed)
        return bounds

    @property
    def violated(self) -> list[str]:
        """Names of the theorems, and titles of the lower bounds, that always hold and did not."""
        certificates = [one.theorem.name for one in self.certificates if one.violated]
        return certificates + [one.lower_bound.title for one in self.lower_bounds if one.violated]

    def _repr_html_(self) -> str:
        """The result in a line, what was forced at least, and what is allowed at most."""
        forced = "".join(html.code(str(one)) for one in self.lower_bounds)
        return html.code(repr(self)) + forced + self.certificates._repr_html_()

    def plot(self) -> Any:
        """A matplotlib figure of the curve, beside what was forced at least and is allowed at most; `MissingError`
        without matplotlib.
        """
        from ..plot import figure
        from ..report.play_page import PlayReport, page_of_play

        return figure(page_of_play(PlayReport(self, called(self.environment), {}, {}, "")))

    def __repr__(self) -> str:
        who = f"{self.learner.name} against {called(self.environment)}"
        return f"<PlayResult: {who}, {self.runs} runs of {self.rounds} rounds, {self.counts} {self.count:.6g}>"


def called(environment: Any) -> str:
    """An environment's name."""
    return str(getattr(environment, "name", "")) or type(environment).__name__


def mean_point(points: list[CurvePoint]) -> CurvePoint:
    """The mean of the same point of some runs."""
    bests = [point.best for point in points if point.best is not None]
    more = [point.more for point in points if point.more is not None]
    return CurvePoint(
        points[0].rounds,
        float(np.mean([point.count for point in points])),
        float(np.mean(bests)) if len(bests) == len(points) else None,
        float(np.mean(more)) if len(more) == len(points) else None,
    )


# ---- the certificates of many runs of one learner in one


def joined(each: Sequence[Sequence[Certificate]], whole: Sequence[Whole] = ()) -> list[Certificate]:
    """One certificate for each theorem; those of a single run are as they were.

    Parameters
    ----------
    each : sequence of sequences of Certificate
        Of each run, in the same order; these are counted.
    whole : sequence of callables
        What gives those of each run with all care, if that takes longer: they are asked for where a run is shown.
    """
    if len(each) == 1:
        return list(each[0])
    known: dict[int, Sequence[Certificate]] = {}

    def carefully(run: int, place: int) -> Certificate:
        if not whole:
            return each[run][place]
        if run not in known:
            known[run] = whole[run]()
        return min(each[run][place], known[run][place], key=_worth)

    return [_joined(alike, partial(carefully, place=place)) for place, alike in enumerate(zip(*each, strict=True))]


def _joined(alike: Sequence[Certificate], carefully: Callable[[int], Certificate]) -> Certificate:
    alike, failed = _applied(alike, carefully)
    if failed:
        return Certificate(alike[0].theorem, None, None, None, failed)
    bounds = np.array([one.bound for one in alike], dtype=np.float64)
    shares = np.quantile(bounds, SHOWN).tolist()
    quantiles = {f"q{100 * share:02.0f}": value for share, value in zip(SHOWN, shares, strict=True)}
    runs = {"of": len(alike), "exceeded": sum(not one.holds for one in alike), "bound": quantiles}
    shown = carefully(_shown(alike))
    if shown.theorem.kind != "expected":
        values = (shown.theorem, shown.observed, shown.bound, shown.comparator, None, shown.confidence)
        more: dict[str, Any] = {"most": shown.most, "at_once": shown.at_once, "read": shown.read, "each": shown.each}
        return Certificate(*values, runs=runs, assuming=shown.assuming, **more)
    observed = np.array([one.observed for one in alike if one.observed is not None])
    error = float(observed.std(ddof=1) / sqrt(len(observed))) if len(observed) > 1 else 0.0
    mean = float(observed.mean()) if len(observed) else None
    of_means = (shown.theorem, mean, float(bounds.mean()), shown.comparator, None)
    return Certificate(*of_means, most=shown.most, runs=runs, standard_error=error, assuming=shown.assuming)


def _applied(
    alike: Sequence[Certificate], carefully: Callable[[int], Certificate]
) -> tuple[Sequence[Certificate], str | None]:
    """The same certificates, those with care that do not apply without; and why, if one does not apply at all."""
    failed = [run for run, one in enumerate(alike) if not one.applies]
    checked = list(alike)
    for run in failed:
        checked[run] = carefully(run)
        if not checked[run].applies:
            share = "" if len(failed) == len(alike) else f"in {len(failed)} of {len(alike)} runs: "
            return checked, f"{share}{checked[run].why}"
    return checked, None


def _shown(alike: Sequence[Certificate]) -> int:
    """The run of least slack; of a theorem that may fail now and then, the one that as many others exceed as may."""
    allowed = 0.0 if alike[0].theorem.kind != "probable" else (1 - (alike[0].confidence or 1.0)) * len(alike)
    order = sorted(range(len(alike)), key=lambda run: _slack(alike[run]))
    return order[min(int(allowed + 1e-9), len(alike) - 1)]


def _slack(certificate: Certificate) -> float:
    return (certificate.bound or 0.0) - (certificate.observed or 0.0)


def _worth(certificate: Certificate) -> tuple[bool, float]:
    """What is shown of a run: one that applies, with the least slack."""
    return not certificate.applies, _slack(certificate)
