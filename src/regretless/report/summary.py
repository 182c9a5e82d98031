"""A run in a few words and numbers: the verdict, the cards, the certificates, and what pages read of these."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from . import formatting

if TYPE_CHECKING:
    from ..certificate import Certificate


class CertifiedReport(Protocol):
    """What a page reads of its report to name the tightest bound."""

    @property
    def certificates(self) -> Sequence[Certificate]: ...
    @property
    def quantity(self) -> str: ...


def counted(quantity: str) -> bool:
    """Whether the quantity is a whole number, so that a bound on it may be rounded down."""
    return bare(quantity) in ("mistakes", "updates")


def bare(quantity: str) -> str:
    """The quantity without its parenthesis, as ``updates`` for ``updates (sum of 3 classes)``."""
    return quantity.partition(" (")[0]


def quantity_of(certificates: Sequence[Certificate]) -> str:
    """What the bounds that apply are on: the regret, or else what the first of them is on."""
    quantities = [one.quantity for one in certificates if one.applies]
    return "regret" if not quantities or "regret" in quantities else quantities[0]


def smallest_bound(bounds: Iterable[tuple[float | None, Certificate]]) -> tuple[str, float] | None:
    """The theorem's title and the bound of the smallest one on a whole run; it holds for every part of it.

    Parameters
    ----------
    bounds : iterable of (float or None, Certificate)
        Bounds on one count, which only grows.
    """
    stated = [(bound, certificate) for bound, certificate in bounds if bound is not None]
    if not stated:
        return None
    bound, certificate = min(stated, key=lambda pair: pair[0])
    return certificate.theorem.title, bound


SUMS = ("name", "norm", "hinge", "squared_hinge", "loss", "margin")  # that a table of comparators shows


def comparator_rows(certificates: Sequence[Certificate]) -> list[dict[str, Any]]:
    """Each comparator once, with the theorems that were read against it."""
    rows: dict[tuple[Any, ...], dict[str, Any]] = {}
    for certificate in certificates:
        if certificate.comparator is None:
            continue
        values = certificate.comparator.describe()
        sums = {name: values[name] for name in SUMS if name in values}
        row = rows.setdefault(tuple(sums.items()), {**sums, "serves": []})
        row["serves"].append(certificate.theorem.title)
    return [{**row, "serves": ", ".join(row["serves"])} for row in rows.values()]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the sure theorems say of the run: state is held, broken or idle."""

    state: str
    headline: str
    detail: str


@dataclass(frozen=True, slots=True)
class Card:
    """One number of the header; `width` is how much of its bar is filled, in per cent."""

    name: str
    value: str
    note: str = ""
    width: float | None = None
    over: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """One certificate as the table shows it."""

    title: str
    kind: str
    statement: str
    formula: str
    source: str
    comparator: str
    applies: bool
    why: str
    quantity: str
    observed: str
    bound: str
    share: str
    width: float | None
    over: bool
    runs: str = ""
    assuming: str = ""
    empty: bool = False
    deeper: str = ""


def verdict(certificates: Sequence[Certificate]) -> Verdict:
    """Whether every sure bound held, one was exceeded, or none applied."""
    applying = [one for one in certificates if one.applies]
    sure = [one for one in applying if one.theorem.kind == "sure"]
    broken = [one for one in sure if not holds(one)]
    detail = f"{len(applying)} of {many(len(certificates), 'certificate')} applied"
    others = sum(not holds(one) for one in applying) - len(broken)
    if others:
        detail += f"; {many(others, 'bound')} that chance may exceed, exceeded"
    if broken:
        names = ", ".join(one.theorem.title for one in broken)
        detail = f"{names}: this is a fault of the program, not of the data. Please report it."
        return Verdict("broken", "A sure bound was violated", detail)
    if sure:
        return Verdict("held", "Every sure bound held", detail + ".")
    if applying and all(one.observed is None for one in applying):
        reason = f"{detail}: with a probability, or in expectation, of what no run can observe."
        return Verdict("idle", "What is bounded was not observed", reason)
    if applying and not others:
        return Verdict(
            "held", "Every bound held", f"{detail}; none is sure: they hold with a probability, or in expectation."
        )
    return Verdict("idle", "No sure bound applied", detail + "." if certificates else "No theorem was asked.")


def beside_rules(held: Verdict, worse: str | None) -> Verdict:
    """The same verdict, but not in green where a rule that looks at no feature errs less than the learner."""
    if worse is None or held.state != "held":
        return held
    return Verdict(
        "idle", f"{held.headline}, and a rule without features errs less", f"{held.detail} {sentence(worse)}"
    )


def sentence(text: str) -> str:
    """With a capital letter and a full stop."""
    return f"{text[:1].upper()}{text[1:]}."


def tightest(report: CertifiedReport) -> Certificate | None:
    """The certificate that leaves the least room above what was observed, a sure one where there is any.

    Where nothing was observed, the one with the least bound. Room rather than the bound itself, for certificates of
    regret against different comparators observe different things.
    """
    alike = [one for one in report.certificates if one.applies and bare(one.quantity) == bare(report.quantity)]
    numbered = [one for one in alike if not math.isnan(_room(one))]
    for kind in ("sure", "probable", "expected"):
        if of_kind := [one for one in numbered if one.theorem.kind == kind]:
            return min(of_kind, key=_room)
    # What could not be observed leaves no room to measure.
    bounded = [(one.bound, one) for one in alike if one.bound is not None and not math.isnan(one.bound)]
    return min(bounded, key=lambda pair: pair[0])[1] if bounded and not numbered else None


def bound_card(report: CertifiedReport) -> Card:
    """The tightest bound on what is certified, and how much of it was used."""
    best = tightest(report)
    if best is None or best.bound is None:
        return Card(f"Tightest bound on {report.quantity}", "–", "no theorem gives one")
    return card_of_bound(best)


def card_of_bound(best: Certificate) -> Card:
    """This bound, and how much of it was used."""
    share, width = used(best)
    against = getattr(best.comparator, "label", "") if best.quantity == "regret" else ""
    note = best.theorem.title + (f", against {against}" if against else "")
    if untested(best):
        note += f": {untested_by(best)} to test it"
    elif share != "–":
        note += f": {share} used"
    note += "; vacuous, as nothing can exceed it" if vacuous(best) else ""
    return Card(f"Tightest bound on {best.quantity}", pair(best)[1], note, width, not holds(best))


def row(certificate: Certificate, formula: str) -> Row:
    """One certificate, its numbers written out."""
    theorem = certificate.theorem
    observed, bound = pair(certificate)
    if certificate.applies and certificate.observed is None:
        observed = "not observed"
    share, width = used(certificate)
    return Row(
        title=theorem.title,
        kind=_kind(certificate),
        statement=formatting.typeset(theorem.statement),
        formula=formula,
        source=formatting.typeset(theorem.source),
        comparator=_comparator(certificate.comparator),
        applies=certificate.applies,
        why=certificate.why or "one of its assumptions fails",
        quantity=certificate.quantity,
        observed=observed,
        bound=bound,
        share=share,
        width=width,
        over=certificate.applies and not holds(certificate),
        runs=_over_runs(certificate),
        assuming=formatting.plain(getattr(certificate, "assuming", None) or ""),
        empty=vacuous(certificate),
        deeper=getattr(certificate, "deeper", ""),
    )


def _over_runs(certificate: Certificate) -> str:
    """In how many of several runs a bound was exceeded, and between what it lay in them."""
    runs = getattr(certificate, "runs", None)
    if not certificate.applies or not isinstance(runs, Mapping) or not runs.get("of"):
        return ""
    # What holds in expectation is about the mean over the runs, and any of them may exceed it.
    exceeded = None if certificate.theorem.kind == "expected" else runs.get("exceeded")
    bound = runs.get("bound")
    low, high = (bound.get(key) for key in ("q05", "q95")) if isinstance(bound, Mapping) else (None, None)
    parts = [f"{untested_by(certificate)} to test what is expected"] if untested(certificate) else []
    parts += [] if exceeded is None else [f"exceeded in {exceeded or 'none'} of {many(runs['of'], 'run')}"]
    if low is not None and high is not None and low < high < math.inf:
        whose = "the runs" if exceeded is None else "them"
        parts.append(f"the bound was {formatting.between(low, high)} in 90% of {whose}")
    text = "; ".join(parts)
    return text[:1].upper() + text[1:] + "." if text else ""


def holds(certificate: Certificate) -> bool:
    """Whether what was observed is within the bound."""
    return certificate.holds is None or certificate.holds


def untested(certificate: Certificate) -> bool:
    """Whether what is observed, a mean over too few runs, tells nothing of a bound on its expectation."""
    return bool(getattr(certificate, "few", False))


def untested_by(certificate: Certificate) -> str:
    """Why it does not: where losses are drawn, all runs may have seen one draw of them."""
    return "one draw of the losses is too few" if certificate.theorem.presumes else "too few runs"


def vacuous(certificate: Certificate) -> bool:
    """Whether the bound says nothing: nothing that there can be would exceed it."""
    return certificate.applies and bool(getattr(certificate, "vacuous", False))


def pair(certificate: Certificate) -> tuple[str, str]:
    """The observed number and the bound as text."""
    observed, bound = certificate.observed, certificate.bound
    if observed is None or bound is None:
        return _known(observed), _known(bound)
    bound = getattr(certificate, "shown_bound", bound)  # with the allowance for rounding, where it is needed
    within = holds(certificate) and not _by_luck(certificate)
    return formatting.observed_and_bound(observed, bound, counted(certificate.quantity), within)


def _by_luck(certificate: Certificate) -> bool:
    """Whether a mean may lie above the bound on its expectation, and not for rounding alone."""
    return bool(getattr(certificate, "luck", 0.0) > 0)


def used(certificate: Certificate) -> tuple[str, float | None]:
    """How much of the bound was used, as text and as the per cent of a bar to fill."""
    observed, bound = certificate.observed, certificate.bound
    if observed is None or bound is None or not (math.isfinite(observed) and math.isfinite(bound)):
        return "–", None
    if holds(certificate) and observed >= bound and not _by_luck(certificate):
        return "100%", 100.0
    if bound <= 0:
        return "–", None
    if observed < 0:
        return "none", 0.0
    if counted(certificate.quantity) and bound >= 1:
        bound = math.floor(bound * (1 + 1e-9))  # the share of what is shown
    share = observed / bound
    if 1 < share < 1.01:
        return "over 100%", 100.0
    return formatting.percent(share), round(100 * min(max(share, 0.0), 1.0), 2)


def _room(certificate: Certificate) -> float:
    if certificate.bound is None or certificate.observed is None:
        return math.nan
    return certificate.bound - certificate.observed


def _kind(certificate: Certificate) -> str:
    if certificate.theorem.kind == "probable" and certificate.confidence is not None:
        alone = " for this number of rounds alone" if getattr(certificate, "at_once", None) is False else ""
        return f"with probability {formatting.percent(certificate.confidence)}{alone}"
    return {"expected": "in expectation", "probable": "with high probability"}.get(
        certificate.theorem.kind, certificate.theorem.kind
    )


def _comparator(comparator: object) -> str:
    """The comparator's name; all that is known of it where it has none."""
    if comparator is None:
        return ""
    describe = getattr(comparator, "describe", None)
    known = describe() if callable(describe) else comparator
    if isinstance(known, Mapping) and (label := known.get("label")):
        return formatting.plain(label)
    if isinstance(known, Mapping) and (name := known.get("name")):
        return formatting.plain(str(name).replace("_", " "))
    return formatting.plain(known)


def _known(value: float | None) -> str:
    return "–" if value is None else formatting.number(value)


def many(value: int, noun: str) -> str:
    """So many of something, in words that agree."""
    amount = "no" if value == 0 else formatting.number(value)
    return f"{amount} {noun}{'' if value == 1 else 's'}"
