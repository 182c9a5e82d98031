"""What the theorems say of one run of a bandit, or of many alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf, isnan, sqrt
from typing import Any

import numpy as np

from ..certificate import AT_ANY_TIME, ERRORS, FEW, Certificate, Certificates, Most, compared
from ..comparator import BanditComparator
from ..ledger import BanditLedger
from ..theorem import BOUNDLESS, Theorem
from ..theory.bandit_facts import BanditFacts

Compared = Sequence[BanditComparator]
SHOWN = (0.05, 0.5, 0.95)  # quantiles of the bounds
PRESUMED = "losses, and which of them come, fixed beforehand (oblivious)"
NO_SAY = "that which losses come does not depend on the draws"


@dataclass(frozen=True, slots=True, repr=False)
class BanditCertificate(Certificate):
    """A certificate of one run of a bandit, or of many.

    Of a bound in expectation the mean over the runs is observed, which is not what the bound is about: it exceeds the
    bound only if it is above it by more than three standard errors, which needs ten runs at least. Of fewer it
    says what they lost, and what is expected of their mean.

    Attributes
    ----------
    one_table : bool
        Whether all runs had the same losses, of which the bound is an expectation: then there is no error to show.
    """

    one_table: bool = False

    @property
    def few(self) -> bool:
        """Whether a bound in expectation was read on too few runs to be tested by them.

        Of losses that are drawn all runs of a table have seen one draw alone, however many they are.
        """
        seen = self.theorem.kind == "expected" and self.observed is not None
        return seen and (int(self.runs.get("of", 1)) < FEW or bool(self.theorem.presumes))

    @property
    def quantity(self) -> str:
        """What is observed: of a few runs not what they are expected to, but what they did."""
        # Beside a regret against one arm, that against a sequence of arms is another number.
        against = " against the sequence" if getattr(self.comparator, "switches", None) else ""
        if not self.few:
            return self.theorem.quantity + against
        return (f"mean regret of {self.runs['of']} runs" if self.runs else "regret of this run") + against

    @property
    def luck(self) -> float:
        """By how much a mean may be above the bound on its expectation."""
        return inf if self.few else ERRORS * (self.standard_error or 0.0)

    def _describe_runs(self) -> dict[str, Any]:
        error = {} if self.standard_error is None else {"standard_error": self.standard_error}
        return error | Certificate._describe_runs(self)

    def _reading(self) -> str:
        if self.observed is None or self.bound is None or self.theorem.kind != "expected":
            return Certificate._reading(self)
        spread = "" if self.standard_error is None else f" ± {self.standard_error:.2g}"
        shown = self.bound if self.shown_bound is None else self.shown_bound
        figures, bound = compared(self.observed, shown)
        seen = f"{self.quantity} {figures}{spread}"
        if self.one_table:
            seen = f"{self.quantity} of one sequence of losses {figures}"
        if self.few:
            return f"{seen}, expected to be <= {bound}"
        if self.holds and self.observed > shown:
            return f"{seen} above {bound} by less than {ERRORS} standard errors"
        return f"{seen} {'<=' if self.holds else 'EXCEEDS'} {bound}"

    def _subject(self) -> str:
        if self.few:  # the quantity says of how many runs it is
            return self.quantity
        return f"{self.quantity} of one sequence of losses" if self.one_table else Certificate._subject(self)

    def _when(self) -> str:
        # A bandit in production is looked at again and again, so that both are said.
        return AT_ANY_TIME if self.at_once else Certificate._when(self)

    def _often(self) -> str:
        # A run that was picked for its place among the others has no such guarantee.
        return "of each run with probability" if self.runs else "with probability"


def certificates(
    theorems: Sequence[Theorem],
    learner: BanditFacts,
    ledgers: Sequence[BanditLedger],
    comparators: Sequence[Compared],
) -> Certificates:
    """Each theorem about one run, or about many runs of the same learner in the same rounds.

    Of a theorem in expectation both sides are means over the runs; see `BanditCertificate`. One that holds with
    probability 1 - delta is shown by the run at the delta-quantile of the slack, bound less regret: it holds there if
    and only if no more than a share delta of the runs exceeded their bounds. One that always holds is shown by the run
    of least slack. Where no regret was seen, the run with the median bound is shown.

    Parameters
    ----------
    theorems : sequence of Theorem
    learner : BanditFacts
        The same for all runs.
    ledgers : sequence of BanditLedger
        One of each run.
    comparators : sequence of sequences of BanditComparator
        For each run what it is compared with, in the same order.
    """
    return Certificates(_certificate(theorem, learner, ledgers, comparators) for theorem in theorems)


def _certificate(
    theorem: Theorem, learner: BanditFacts, ledgers: Sequence[BanditLedger], comparators: Sequence[Compared]
) -> Certificate:
    """The certificate against the comparator that serves it best."""
    best: Certificate | None = None
    why = "there is no comparator to read it against"
    for alike in zip(*comparators, strict=True):
        certificate = _against(theorem, learner, ledgers, alike)
        if not certificate.applies:
            why = str(certificate.why)
        elif best is None or _order(certificate) < _order(best):
            best = certificate
    return BanditCertificate(theorem, None, None, None, why) if best is None else best


def _against(theorem: Theorem, learner: BanditFacts, ledgers: Sequence[BanditLedger], alike: Compared) -> Certificate:
    each = []
    for ledger, comparator in zip(ledgers, alike, strict=True):
        certificate = theorem.certify(ledger, [comparator], learner)
        if not certificate.applies:
            return certificate
        each.append(_in_own_scale(certificate, ledger, learner))
    bounds = np.array([certificate.bound for certificate in each])
    if not np.isfinite(bounds).all():
        return BanditCertificate(theorem, None, None, None, BOUNDLESS)
    shown = _mean(each) if theorem.kind == "expected" else _at_quantile(each, learner.delta or 0.0)
    seen = [not certificate.holds for certificate in each if certificate.observed is not None]
    quantiles = {f"q{100 * q:02.0f}": float(np.quantile(bounds, q)) for q in SHOWN}
    runs = {"of": len(each), "exceeded": sum(seen) if seen else None, "bound": quantiles} if len(each) > 1 else {}
    error = _standard_error(each) if theorem.kind == "expected" else None
    rounds, width = shown.comparator.rounds, ledgers[0].width
    most = Most(width * rounds or inf, "the number of rounds" if width == 1 else "the range times the number of rounds")
    fields = (theorem, shown.observed, shown.bound, shown.comparator, None, shown.confidence)
    hangs = learner.presumed and any(_hangs(theorem, *one, learner) for one in zip(ledgers, alike, strict=True))
    taken = [theorem.presumes or (PRESUMED if hangs else None)]
    # Of a run with all its losses too the first is assumed: in others, by its draws, some might not have come.
    taken += [NO_SAY] if taken[0] != PRESUMED and _missing(theorem, ledgers, learner) else []
    assuming = ", and ".join(one for one in taken if one is not None) or None
    options: dict[str, Any] = {"at_once": shown.at_once, "assuming": assuming}
    options["one_table"] = bool(runs and theorem.presumes) and len({one.loss for one in alike}) == 1
    read = None if runs and theorem.kind == "expected" else shown.read  # a mean is that of no run
    return BanditCertificate(*fields, **options, runs=runs, standard_error=error, most=most, read=read)


def _missing(theorem: Theorem, ledgers: Sequence[BanditLedger], learner: BanditFacts) -> bool:
    """Whether a bound in expectation counts losses that did not come: where draws have a say in how many these are,
    what is to be expected of that number is another one than it was here."""
    return theorem.kind == "expected" and learner.arms > 1 and any(ledger.unsettled for ledger in ledgers)


def _hangs(theorem: Theorem, ledger: BanditLedger, comparator: BanditComparator, learner: BanditFacts) -> bool:
    """Whether there would be another number, or none, if losses might answer to the draws."""
    # The best arm is one of hindsight, even while it is not known which it is.
    seen = replace(comparator, loss=0.0) if isnan(comparator.loss) else comparator

    def statement(stands: BanditFacts) -> str | float:
        return theorem.obstacle(ledger, seen, stands) or theorem.value(ledger, seen, stands)

    return statement(replace(learner, oblivious=False)) != statement(learner)


def _standard_error(each: Sequence[Certificate]) -> float | None:
    """Of the mean of what was observed; None if that was not, or only once."""
    observed = [certificate.observed for certificate in each if certificate.observed is not None]
    if len(observed) < max(2, len(each)):
        return None
    if min(observed) == max(observed):
        return 0.0  # whose rounded mean they would differ from
    return float(np.std(observed, ddof=1) / sqrt(len(observed)))


def _mean(each: Sequence[Certificate]) -> Certificate:
    """Both sides as means over the runs."""
    observed = [certificate.observed for certificate in each if certificate.observed is not None]
    bound = float(np.mean([certificate.bound for certificate in each]))
    mean = float(np.mean(observed)) if len(observed) == len(each) else None
    return replace(each[0], observed=mean, bound=bound, comparator=_mean_comparator([one.comparator for one in each]))


def _mean_comparator(each: Compared) -> BanditComparator:
    """The comparator of all runs; the losses may be others in each, and then so may the best arm."""
    same = len({one.place for one in each}) == 1
    faced, loss, rounds = (float(np.mean([getattr(one, name) for one in each])) for name in ("faced", "loss", "rounds"))
    mean = replace(each[0], faced=faced, loss=loss, rounds=rounds)
    return mean if same else replace(mean, label="the best of each run", place=None, detail={})


def _at_quantile(each: Sequence[Certificate], delta: float) -> Certificate:
    """The run that as many others exceed as may; of a theorem that always holds none may, so it is the tightest.

    Where no regret was seen there is no telling, and the run with the median bound stands for all.
    """
    ordered = sorted(each, key=_slack)
    if each[0].observed is None:
        return ordered[len(each) // 2]
    allowed = int(delta * len(each) + 1e-9) if each[0].theorem.kind == "probable" else 0
    return ordered[min(allowed, len(each) - 1)]


def _slack(certificate: Certificate) -> float:
    """How far the bound is above what it bounds; the bound itself where that was not observed."""
    return (certificate.bound or 0.0) - (certificate.observed or 0.0)


def _order(certificate: Certificate) -> tuple[bool, bool, float]:
    """What was seen comes first, then sequences: a theorem that knows them is about those the rate is tuned for."""
    alone = getattr(certificate.comparator, "switches", None) is None
    return certificate.observed is None, alone, _slack(certificate)


def _in_own_scale(certificate: Certificate, ledger: BanditLedger, learner: BanditFacts) -> Certificate:
    """The comparator's losses as they were reported, from units."""
    units = certificate.comparator
    if units is None:
        return certificate
    low = learner.low * units.rounds
    faced, loss = (low + ledger.width * value for value in (units.faced, units.loss))
    return replace(certificate, comparator=replace(units, faced=faced, loss=loss))
