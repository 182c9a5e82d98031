"""A certificate is a theorem's formula with the numbers of a run in it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from math import floor, inf, isfinite
from typing import Any, Literal, NamedTuple, Protocol

from . import html

__all__ = ["Certificate", "Certificates"]

Kind = Literal["sure", "expected", "probable"]
RELATIVE, _ABSOLUTE = 1e-9, 1e-9
VANISHING = 1e-140  # numbers whose squares have few digits, or none
FEW = 10  # runs; fewer do not show how far their mean may be from what is expected
ERRORS = 3  # standard errors by which luck alone may lift a mean
MOST_PARTS = 20  # problems of one against the rest that are described one by one
DIGITS = range(6, 18)  # that are printed; with the last so many, other numbers look different
LEAST_SHARE = 0.001  # that is said in three figures, as long as as much is left


ALONE = " for this number of rounds alone"
AT_ANY_TIME = " at any time"
SURELY = {"sure": "always", "expected": "in expectation", "probable": "with a probability"}
AFTER_NOUN = re.compile(r" (?:of|in|with|by|over|asked|against|at) ?| \(|,")  # what follows the noun of a quantity
# How it ends why nothing applies, where the rounds are not those that were played.
OTHER_ROUNDS = "learned from others, or by a version that rounds otherwise"
NOT_REPRODUCED = f"played again from the start, the rounds of {{name}} do not give this model: it {OTHER_ROUNDS}"


class Most(NamedTuple):
    """The most that what is bounded can be, whatever the learner does: no bound that is as large says anything.

    Attributes
    ----------
    value : float
    words : str
        What it is.
    """

    value: float
    words: str


NO_LIMIT = Most(inf, "")


class Bounding(Protocol):
    """What a certificate asks of its theorem."""

    @property
    def name(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def statement(self) -> str: ...
    @property
    def quantity(self) -> str: ...
    @property
    def formula(self) -> str: ...
    @property
    def source(self) -> str: ...
    @property
    def kind(self) -> Kind: ...
    @property
    def whole(self) -> bool: ...
    @property
    def event(self) -> str: ...
    @property
    def presumes(self) -> str: ...
    def entered(self, ledger: Any, comparator: Any, learner: Any) -> dict[str, Any]:
        """The facts that the bound was computed from."""
        ...


@dataclass(frozen=True, slots=True, repr=False)
class Certificate:
    """A theorem's number beside what was observed.

    Attributes
    ----------
    theorem : Theorem
    observed, bound : float or None
        None when the theorem does not apply; `observed` also when it bounds what cannot be seen: a bandit's regret, if
        the losses of the arms that were not drawn are not known.
    comparator : Comparator, ExpertComparator or None
        What it was read against.
    why : str or None
        Why it does not apply.
    confidence : float or None
        1 - delta of a *probable* theorem.
    parts : int
        Over how many one-against-rest problems both numbers were summed.
    most : Most
        What the observed number could not have exceeded anyway.
    at_once : bool or None
        Of a *probable* theorem, whether it holds with this confidence after all numbers of rounds at once; if not,
        after one that was fixed beforehand.
    assuming : str or None
        What it takes for granted that nothing in the run can show.
    read : tuple of (ledger, comparator, learner) or None
        The numbers that the theorem was read on, with which it can be computed again.
    each : tuple of Certificate
        Those that were summed.
    runs : dict
        ``of`` how many runs it speaks, how many ``exceeded`` the bound where they could be seen, and the quantiles
        ``q05``, ``q50`` and ``q95`` of the ``bound`` over the runs; empty for a single run. Of a bound in expectation
        both sides are means over the runs, and luck is allowed for.
    standard_error : float or None
        Of the mean over the runs, for a bound in expectation that was read on several.
    quick_bound : float or None
        Of a deep search for comparators, what the quick one gives for the same observed number, which is never below
        the bound; infinite where that found none.
    """

    theorem: Bounding
    observed: float | None
    bound: float | None
    comparator: Any
    why: str | None
    confidence: float | None = None
    parts: int = 1
    most: Most = NO_LIMIT
    at_once: bool | None = None
    assuming: str | None = None
    read: tuple[Any, Any, Any] | None = field(default=None, compare=False)
    each: tuple[Certificate, ...] = field(default=(), compare=False)
    runs: dict[str, Any] = field(default_factory=dict, hash=False)
    standard_error: float | None = None
    quick_bound: float | None = None

    @property
    def constants(self) -> dict[str, Any] | None:
        """The numbers that entered its bound, by whose they are; None if it has none, or sums those of others."""
        if self.read is None or not self.applies:
            return None
        return self.theorem.entered(*self.read)

    @property
    def applies(self) -> bool:
        """Whether the theorem's assumptions hold for this run."""
        return self.why is None

    @property
    def of_other_rounds(self) -> bool:
        """Whether it has no number because the rounds are not those that the learner played."""
        return self.why is not None and self.why.endswith(OTHER_ROUNDS)

    @property
    def quantity(self) -> str:
        """What is bounded."""
        return self.theorem.quantity if self.parts == 1 else f"{self.theorem.quantity} (sum of {self.parts} classes)"

    @property
    def shown_bound(self) -> float | None:
        """The bound as it is printed: counts are whole, so their bound may be rounded down; and where what was observed
        is above the bound for rounding alone, it is the bound with the allowance for that."""
        if self.bound is None or not isfinite(self.bound):
            return self.bound
        shown = self._whole(self.bound)
        if self.observed is not None and shown < self.observed <= self.bound + self.rounding:
            return max(self.observed, self._whole(self.bound + self.rounding))
        return shown

    def _whole(self, bound: float) -> float:
        whole = self.theorem.whole and isfinite(bound)
        return float(floor(bound * (1 + RELATIVE) + _ABSOLUTE)) if whole else bound

    @property
    def rounding(self) -> float:
        """By how much what was observed may be above the bound for rounding alone: a part of the larger of both, of 1
        if either may be that large, and what the comparator owes besides."""
        owed = float(getattr(self.comparator, "rounding", 0.0))
        # Losses may be tiny in the unit of the outcomes, in which the most of any run is too.
        least = min(1.0, self.most.value) if not owed or isfinite(self.most.value) else 0.0
        least = max(least, VANISHING)
        numbers = (abs(one) for one in (self.bound or 0.0, self.observed or 0.0) if isfinite(one))
        return RELATIVE * max(least, *numbers) + owed

    @property
    def luck(self) -> float:
        """By how much a mean over runs may be above the bound on its expectation before that tells against it."""
        if self.theorem.kind != "expected":
            return 0.0
        return inf if self.runs.get("of", 1) < FEW else ERRORS * (self.standard_error or 0.0)

    @property
    def holds(self) -> bool:
        """Whether what was observed is within the bound; true also of a certificate that does not apply."""
        if self.observed is None or self.bound is None:
            return True
        return self.observed <= self.bound + self.rounding + self.luck

    @property
    def vacuous(self) -> bool:
        """Whether the bound, with what is allowed for rounding, says no more than is true of every run: hard data does
        that, few rounds do, and numbers so large that their digits are lost."""
        if self.bound is None or not isfinite(self.most.value):
            return False
        return self._whole(self.bound + float(getattr(self.comparator, "rounding", 0.0))) >= self.most.value

    @property
    def tighter(self) -> float | None:
        """By what share the bound of a deep search, as it is printed, is below that of the quick one; None where one of
        them gave none."""
        if self.shown_bound is None or self.quick_bound is None or self.quick_bound == inf:
            return None
        quick = self._whole(self.quick_bound)
        return (quick - self.shown_bound) / quick if quick > max(self.shown_bound, 0.0) else 0.0

    @property
    def deeper(self) -> str:
        """How the bound of a deep search compares with that of the quick one, in words; empty where there was none."""
        share = self.tighter
        if self.shown_bound is None or self.quick_bound is None:
            return ""
        if share is None:
            return "where the quick search found no bound"
        if not share:
            return "no tighter than the quick search's"
        ends = "less than 0.1" if share < LEAST_SHARE else "more than 99.9" if share > 1 - LEAST_SHARE else ""
        quick = in_figures(self._whole(self.quick_bound))
        return f"{ends or format(100 * share, '.3g')} % below the {quick} of the quick search"

    @property
    def violated(self) -> bool:
        """Whether a theorem that always holds was broken: a bug, in the code or in the theorem."""
        return self.theorem.kind == "sure" and not self.holds

    def describe(self) -> dict[str, Any]:
        """The certificate as JSON values."""
        quick = self.quick_bound
        deep = {} if quick is None else {"quick_bound": quick if quick < inf else None}
        return {
            "theorem": self.theorem.name,
            "kind": self.theorem.kind,
            "quantity": self.quantity,
            "observed": self.observed,
            "bound": self.bound if self.bound is None or self.bound < inf else None,
            "rounding": self.rounding if self.bound is not None and self.bound < inf else None,
            "vacuous": self.vacuous,
            "applies": self.applies,
            "why": self.why,
            "confidence": self.confidence,
            "at_once": self.at_once,
            "assuming": self.assuming,
            "comparator": None if self.comparator is None else self.comparator.describe(),
            "source": self.theorem.source,
            "formula": self.theorem.formula,
            "constants": self.constants,
            "parts": [_part(one) for one in self.each] if 0 < len(self.each) <= MOST_PARTS else None,
        } | (deep | self._describe_runs())

    def _describe_runs(self) -> dict[str, Any]:
        return {"runs": self.runs} if self.runs else {}

    def __repr__(self) -> str:
        return f"<{self}>"

    def _repr_html_(self) -> str:
        """The certificate in words, and as a table of one row."""
        return html.paragraph(self.sentence()) + html.table([_cells(self)], HEADS)

    def plot(self) -> Any:
        """A matplotlib figure of what was observed beside its bound; see `Certificates.plot`."""
        return Certificates([self]).plot()

    def __str__(self) -> str:
        if self.shown_bound is None:
            return f"{self.theorem.title}: does not apply ({self.why})"
        empty = f", no better than {self.most.words}" if self.vacuous else ""
        often = "" if self.confidence is None else f", {self._often()} {100 * self.confidence:.6g}%"
        assumption = "" if self.assuming is None else f", assuming {self.assuming}"
        reading = f"{self._reading()}{self._deeper()}{empty}{often}{self._when()}{self._against()}{assumption}"
        line = f"{self.theorem.title}: {reading}  [{self.theorem.source}]"
        if not self.runs or self.theorem.kind == "expected" or self.runs["exceeded"] is None:
            return line
        return f"{line} ({self.runs['exceeded']} of {self.runs['of']} runs exceeded it)"

    def sentence(self) -> str:
        """The certificate in words: what was observed, what the theorem says of it, how surely, and against whom.

        Returns
        -------
        str
            A sentence, and where the numbers alone do not say it, one more: that the bound was exceeded, or says no
            more than is true of every run.
        """
        theorem, source = f"theorem \u201c{self.theorem.title}\u201d", self.theorem.source
        if self.shown_bound is None:
            return f"The {theorem} ({source}) does not apply, because {self.why}."
        shown, limit = "not observed", in_figures(self.shown_bound)
        if self.observed is not None:
            shown, limit = compared(self.observed, self.shown_bound)
        spread = "" if self.standard_error is None else f" ± {self.standard_error:.2g}"
        assumption = "" if self.assuming is None else f", assuming {self.assuming}"
        each = "of each run " if self.runs and self.confidence is not None else ""
        says = f"{each}it is {self._surely()} at most {limit}{self._deeper()}{self._against()}{assumption}"
        first = f"{_counted(self._subject())} was {shown}{spread}; the {theorem} says that {says} ({source})."
        return " ".join([first[:1].upper() + first[1:], *self._further()])

    def _subject(self) -> str:
        """What was observed, in words."""
        if not self.runs:
            return self.quantity
        share = "in the mean of" if self.theorem.kind == "expected" else "of one of"
        return f"{self.quantity} {share} {self.runs['of']} runs"

    def _surely(self) -> str:
        """How surely the bound holds, and when."""
        if self.confidence is None:
            return SURELY[self.theorem.kind]
        return f"with probability {100 * self.confidence:.6g}%{AT_ANY_TIME if self.at_once else self._when()}"

    def _deeper(self) -> str:
        return f", {self.deeper}" if self.deeper else ""

    def _against(self) -> str:
        if self.comparator is not None and self.comparator.label:
            return f", against {self.comparator.label}"
        return f", of {whose}" if (whose := getattr(self.comparator, "whose", "")) else ""

    def _further(self) -> Iterator[str]:
        """Sentences on what the numbers of the first one do not say."""
        if self.vacuous:
            yield f"The bound is no better than {self.most.words}."
        if not self.holds:
            always = "; as it holds always, that is a fault of the program" if self.violated else ""
            yield f"The bound was exceeded{always}."
        elif self.luck == inf and self.observed is not None:
            yield "It is a bound on what is expected, which so few runs do not test."
        elif self.luck and (self.observed or 0.0) > (self.shown_bound or 0.0):
            yield "The bound was exceeded by less than luck may do."
        if self.runs and self.theorem.kind != "expected" and self.runs["exceeded"] is not None:
            yield f"In {self.runs['exceeded']} of {self.runs['of']} runs it was exceeded."

    def _reading(self) -> str:
        """What was observed beside the bound, in numbers that compare as the true ones do."""
        observed, bound = self.observed, self.shown_bound or 0.0
        if observed is None:
            return f"{self.quantity} (not observed) <= {in_figures(bound)}"
        shown, limit = compared(observed, bound)
        if self.luck == inf:
            return f"{self.quantity} {shown}, expected to be <= {limit}"
        if not self.holds or observed <= bound:
            return f"{self.quantity} {shown} {'<=' if self.holds else 'EXCEEDS'} {limit}"
        return f"{self.quantity} {shown} above {limit} by less than luck may do"

    def _often(self) -> str:
        return "with probability"

    def _when(self) -> str:
        return ALONE if self.at_once is False else ""


HEADS = ("theorem", "observed", "", "bound", "holds", "against", "source")


class Certificates(list[Certificate]):
    """Certificates of one run: a list that notebooks show as a table, and that can be drawn."""

    def __str__(self) -> str:
        return "\n".join(map(str, self))

    def _repr_html_(self) -> str:
        """A row for each certificate; those that do not apply say why. Below it the same in words, folded up."""
        table = html.table([_cells(one) for one in self], HEADS)
        return table + html.folded("in words", *(html.paragraph(one.sentence()) for one in self)) if self else table

    def plot(self) -> Any:
        """A matplotlib figure: of each theorem that applies what was observed, as a dot, and its bound, as a bar;
        `MissingError` without matplotlib.
        """
        return import_module(f"{__package__}.plot").figure_of_certificates(self)  # it stands above what it draws


class CertifiedState:
    """What knows its own certificates: notebooks show it as it is made, with its ledger, if it has one, and those."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        known: Any = self
        ledger = getattr(known, "ledger_", None)
        shown = ledger._repr_html_() if isinstance(ledger, html.Recorded) else ""
        return html.code(repr(self)) + shown + html.titled("Certificates", known.certify()._repr_html_())

    def plot(self) -> Any:
        """A matplotlib figure of its certificates: what was observed beside its bound; `MissingError` without
        matplotlib.
        """
        known: Any = self
        return known.certify().plot()


def _cells(certificate: Certificate) -> tuple[str, ...]:
    """A certificate as the row of a table."""
    one = certificate
    if one.shown_bound is None:
        return (one.theorem.title, "-", "", "-", f"does not apply: {one.why}", "", one.theorem.source)
    shown, limit = "not observed", in_figures(one.shown_bound)
    if one.observed is not None:
        shown, limit = compared(one.observed, one.shown_bound)
    often = SURELY[one.theorem.kind] if one.confidence is None else f"with probability {100 * one.confidence:.6g}%"
    empty = f", no better than {one.most.words}" if one.vacuous else ""
    against = "" if one.comparator is None else one.comparator.label
    sign = "≤" if one.holds else ">"
    holds = f"{often}{one._deeper()}{empty}"
    return (one.theorem.title, f"{one.quantity} {shown}", sign, limit, holds, against, one.theorem.source)


def _counted(quantity: str) -> str:
    """A quantity with its article; of several things it is their number, or their sum."""
    noun = AFTER_NOUN.split(quantity)[0]
    if not noun.endswith("s") or noun.endswith("ss"):
        return f"the {quantity}"
    return f"the sum of {quantity}" if "losses" in quantity else f"the number of {quantity}"


def _part(certificate: Certificate) -> dict[str, Any]:
    known = certificate.describe()
    return {name: known[name] for name in ("observed", "bound", "comparator", "constants")}


def joint_confidence(certificates: Sequence[Any]) -> float | None:
    """With what probability all lines that hold with some probability hold together: one less what each event may fail.

    None if fewer than two of them do; 0 if the union bound promises nothing.
    """
    lines = _probable(certificates)
    risks: dict[Any, float] = {}
    for place, one in enumerate(lines):
        event = getattr(one.theorem, "event", "") or place
        risks[event] = max(risks.get(event, 0.0), 1 - (one.confidence or 0.0))
    return max(0.0, 1 - sum(risks.values())) if len(lines) > 1 else None


def together(certificates: Sequence[Any]) -> str | None:
    """The same in words, for people; None where there is nothing to say."""
    joint = joint_confidence(certificates)
    if joint is None:
        return None
    lines = _probable(certificates)
    runs = " of a run" if any(getattr(one, "runs", None) for one in lines) else ""
    same = len({getattr(one.theorem, "event", "") or place for place, one in enumerate(lines)}) == 1
    joint_words = f"with at least {100 * joint:.6g}%" if joint else "with no probability that is known"
    why = "one event" if same else "union bound"
    joint_line = f"all {len(lines)} such lines{runs} hold together {joint_words} ({why})"
    return f"Each probability is that of its line alone; {joint_line}"


def _probable(certificates: Sequence[Any]) -> list[Any]:
    return [one for one in certificates if one.applies and one.confidence is not None]


def in_figures(value: float, digits: int = DIGITS[0]) -> str:
    """A number as lines print it: whole ones in full, others to six digits."""
    return f"{value:,.0f}" if float(value).is_integer() and abs(value) < 1e15 else f"{value:,.{digits}g}"


def compared(observed: float, bound: float) -> tuple[str, str]:
    """Both as lines print them, with as many digits as it takes for the printed ones to compare as they do."""
    for digits in DIGITS:
        shown, limit = in_figures(observed, digits), in_figures(bound, digits)
        if (_read(shown) <= _read(limit)) == (observed <= bound):
            break
    return shown, limit


def _read(figures: str) -> float:
    return float(figures.replace(",", ""))


def summed(certificates: Sequence[Certificate]) -> Certificate:
    """One certificate for several one-against-rest problems: both sides add up."""
    first = certificates[0]
    failed = next((c for c in certificates if not c.applies), None)
    if failed is not None:
        return Certificate(first.theorem, None, None, None, failed.why, parts=len(certificates))
    observed = sum(c.observed for c in certificates if c.observed is not None)
    bound = sum(c.bound for c in certificates if c.bound is not None)
    most = Most(sum(c.most.value for c in certificates), first.most.words)
    each = [c.comparator for c in certificates]
    together = None if None in each else each[0].together(each)
    fields = (first.theorem, observed, bound, together, None)
    taken = first.assuming
    return Certificate(*fields, parts=len(certificates), most=most, assuming=taken, each=tuple(certificates))


def tighter_of(deep: Certificate, quick: Certificate) -> Certificate:
    """The tighter one of two certificates of one theorem, by a deep search for comparators and a quick one, with the
    bound of the quick one.

    A regret is other for other comparators. Each bound on it is one on the learner's loss too, and so on the regret
    against any other.
    """
    if quick.bound is None:
        return replace(deep, quick_bound=inf)
    if deep.bound is not None:
        quick_bound = quick.bound + ((deep.observed or 0.0) - (quick.observed or 0.0))
        if quick_bound >= deep.bound:
            return replace(deep, quick_bound=quick_bound)
    return replace(quick, quick_bound=quick.bound)
