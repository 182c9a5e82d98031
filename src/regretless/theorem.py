"""A theorem is a formula with its assumptions; a certificate is the formula with the numbers of a run in it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from math import floor, hypot, inf, isfinite, isinf, isnan, nan
from typing import Any, Literal, NamedTuple

from .comparator import Comparator
from .facts import facts_read, in_json

Kind = Literal["sure", "expected", "probable"]
# A theorem is read on a ledger, a comparator and what it may know of the learner, each of the kind that its own chapter
# knows; all that is asked of every comparator is a name, a number of rounds and a description.
Check = Callable[[Any, Any, Any], bool]

RELATIVE, _ABSOLUTE = 1e-9, 1e-9
FEW = 10  # runs; from fewer nobody can tell how far their mean may be from what is expected
ERRORS = 3  # standard errors by which luck alone may lift a mean
MOST_PARTS = 20  # problems of one against the rest that are described one by one
DIGITS = range(6, 18)  # that are printed; with the last so many, other numbers look different


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
# How `math` complains of a number that a function has no value for; from Python 3.14 on it says which one it expected.
OUTSIDE = (
    "math domain error",
    "expected a positive input",
    "expected a nonnegative input",
    "expected a number between",
)
NO_NUMBERS = "its numbers are too large or too small for floats"
BOUNDLESS = "its bound is no finite number"


@dataclass(frozen=True, slots=True)
class Theorem:
    """A bound on something observed.

    Attributes
    ----------
    bound : callable
        ``(ledger, comparator, learner) -> float``; its docstring states the theorem in words.
    counts : callable
        ``(ledger, comparator) -> float``: the quantity that is bounded.
    quantity, title, formula, source : str
        Name of that quantity, name of the theorem, its formula in TeX, and where it comes from.
    kind : {"sure", "expected", "probable"}
        Whether it always holds (a violation is a bug), holds in expectation, or with probability 1 - delta.
    assumes : sequence of (str, callable)
        What must be true of the run, in words and as a check.
    whole : bool
        Whether the quantity is a whole number, so that the bound may be rounded down.
    most : callable or None
        ``(ledger, comparator, learner) -> Most``: how large the quantity can be at most, whatever the learner does.
        None: as large as the number of rounds, if it is whole, and without a limit otherwise.
    compares : bool
        Whether the comparator enters, so that a certificate names it.
    at_once : callable or None
        ``learner -> bool``: whether a *probable* bound holds, with its one probability, after all numbers of rounds at
        once, and not after one that was fixed beforehand alone. None: it does.
    event : str
        Of *probable* theorems that fail together, as they rest on one event, its name; else empty.
    """

    bound: Callable[[Any, Any, Any], float]
    counts: Callable[[Any, Any], float]
    quantity: str
    title: str
    formula: str
    source: str
    kind: Kind
    assumes: tuple[tuple[str, Check], ...]
    whole: bool
    most: Callable[[Any, Any, Any], Most] | None = None
    compares: bool = True
    at_once: Callable[[Any], bool] | None = None
    event: str = ""

    @property
    def name(self) -> str:
        """The theorem's name in code and in JSON."""
        return self.bound.__name__

    @property
    def statement(self) -> str:
        """The theorem in words."""
        return " ".join((self.bound.__doc__ or "").split())

    def __reduce__(self) -> tuple[Callable[..., Theorem], tuple[Any, ...]]:
        # A theorem stands in its module where its formula was: copies and pickles are that one, and those of a theorem
        # that somebody reads with more assumptions are made of that one again.
        found = _called(self.bound.__module__, self.name)
        if found is self:
            return _called, (self.bound.__module__, self.name)
        return _assuming, (found, self.assumes)

    def obstacle(self, ledger: Any, comparator: Any, learner: Any) -> str | None:
        """The first assumption that fails, or None."""
        for words, holds in self.assumes:
            if not holds(ledger, comparator, learner):
                return words
        return None

    def value(self, ledger: Any, comparator: Any, learner: Any) -> float:
        """The bound, whose assumptions hold; NaN where its numbers are too large or too small for floats."""
        try:
            return self.bound(ledger, comparator, learner)
        except (OverflowError, ZeroDivisionError):
            return nan
        except ValueError as error:
            if not str(error).startswith(OUTSIDE):  # a fault of the formula, and not of its numbers
                raise
            return nan

    def slack(self, ledger: Any, comparator: Any, learner: Any) -> float:
        """How far the bound is above what it bounds: what a search for comparators makes small.

        Infinite where the theorem does not apply, or its numbers are none.
        """
        if self.obstacle(ledger, comparator, learner) is not None:
            return inf
        slack = self.value(ledger, comparator, learner) - self.counts(ledger, comparator)
        return inf if isnan(slack) else slack

    def certify(self, ledger: Any, comparators: Sequence[Any], learner: Any) -> Certificate:
        """Read the theorem against the comparator that serves it best.

        Every comparator gives a valid bound, so the smallest is reported. When the assumptions fail for all of them,
        the certificate says which, and gives no number.
        """
        best: tuple[float, Any] | None = None
        why = "there is no comparator to read it against"
        for comparator in comparators:
            obstacle = self.obstacle(ledger, comparator, learner)
            if obstacle is not None:
                why = obstacle
                continue
            value = self.value(ledger, comparator, learner)
            if isnan(value) or value == inf:
                why = BOUNDLESS if value == inf else NO_NUMBERS
                continue
            # An infinite count breaks a bound; an infinite regret is a difference of sums that were beyond floats.
            lost = self.quantity == "regret" and isinf(self.counts(ledger, comparator))
            if lost or isinf(getattr(comparator, "rounding", 0.0)):
                why = NO_NUMBERS
                continue
            # What is bounded may depend on the comparator too (regret): the tightest is the least slack.
            # Where it cannot be observed, the first comparator stands.
            if best is None or value - self.counts(ledger, comparator) < best[0] - self.counts(ledger, best[1]):
                best = value, comparator
        if best is None:
            return Certificate(self, None, None, None, why)
        counted = self.counts(ledger, best[1])
        told = (None if isnan(counted) else counted, best[0], best[1] if self.compares else None, None)
        most, read = self.limit(ledger, best[1], learner), (ledger, best[1], learner)
        if self.kind != "probable":
            return Certificate(self, *told, most=most, read=read)
        at_once = self.at_once is None or self.at_once(learner)
        return Certificate(self, *told, 1 - learner.delta, most=most, at_once=at_once, read=read)

    def limit(self, ledger: Any, comparator: Any, learner: Any) -> Most:
        """The most that what is bounded could have been."""
        if self.most is not None:
            return self.most(ledger, comparator, learner)
        if not self.whole or comparator is None:
            return NO_LIMIT
        return Most(float(comparator.played), "the number of rounds")

    def entered(self, ledger: Any, comparator: Any, learner: Any) -> dict[str, Any]:
        """The facts that the bound and what it bounds were computed from, by whose they are."""
        bound = facts_read(self.bound, ledger, comparator, learner)
        counted = facts_read(self.counts, ledger, comparator)
        found = [one | more for one, more in zip(bound, [*counted, {}], strict=True)]
        return {name: in_json(notes) for name, notes in zip(("ledger", "comparator", "learner"), found, strict=True)}


def _called(module: str, name: str) -> Theorem:
    found: Theorem = getattr(import_module(module), name)
    return found


def _assuming(theorem: Theorem, assumes: tuple[tuple[str, Check], ...]) -> Theorem:
    return replace(theorem, assumes=assumes)


@dataclass(frozen=True, slots=True, repr=False)
class Certificate:
    """A theorem's number beside what was observed.

    Attributes
    ----------
    theorem : Theorem
    observed, bound : float or None
        None when the theorem does not apply; `observed` also when it bounds what cannot be seen: a bandit's regret, if
        nobody knows the losses of the arms that were not drawn.
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
        What the theorem was read on, for those who want to compute it again.
    each : tuple of Certificate
        Those that were summed.
    runs : dict
        ``of`` how many runs it speaks, how many ``exceeded`` the bound where they could be seen, and the quantiles
        ``q05``, ``q50`` and ``q95`` of the ``bound`` over the runs; empty for a single run. Of a bound in expectation
        both sides are means over the runs, and luck is allowed for.
    standard_error : float or None
        Of the mean over the runs, for a bound in expectation that was read on several.
    """

    theorem: Theorem
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
        """By how much what was observed may be above the bound for rounding alone."""
        least = max(1.0, *(abs(one) for one in (self.bound or 0.0, self.observed or 0.0) if isfinite(one)))
        return RELATIVE * least + float(getattr(self.comparator, "rounding", 0.0))

    @property
    def luck(self) -> float:
        """By how much a mean over runs may be above the bound on its expectation before that tells against it."""
        if not self.runs or self.theorem.kind != "expected":
            return 0.0
        return inf if self.runs["of"] < FEW else ERRORS * (self.standard_error or 0.0)

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
    def violated(self) -> bool:
        """Whether a theorem that always holds was broken: a bug, in the code or in the theorem."""
        return self.theorem.kind == "sure" and not self.holds

    def describe(self) -> dict[str, Any]:
        """The certificate as JSON values."""
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
        } | self._describe_runs()

    def _describe_runs(self) -> dict[str, Any]:
        return {"runs": self.runs} if self.runs else {}

    def __repr__(self) -> str:
        return f"<{self}>"

    def __str__(self) -> str:
        if self.shown_bound is None:
            return f"{self.theorem.title}: does not apply ({self.why})"
        against = f", against {self.comparator.label}" if self.comparator is not None and self.comparator.label else ""
        empty = f", no better than {self.most.words}" if self.vacuous else ""
        often = "" if self.confidence is None else f", {self._often()} {100 * self.confidence:.6g}%"
        alone = " for this number of rounds alone" if self.at_once is False else ""
        given = "" if self.assuming is None else f", assuming {self.assuming}"
        told = f"{self._reading()}{empty}{often}{alone}{against}{given}"
        line = f"{self.theorem.title}: {told}  [{self.theorem.source}]"
        if not self.runs or self.theorem.kind == "expected" or self.runs["exceeded"] is None:
            return line
        return f"{line} ({self.runs['exceeded']} of {self.runs['of']} runs exceeded it)"

    def _reading(self) -> str:
        """What was observed beside the bound, in numbers that compare as the true ones do."""
        observed, bound = self.observed, self.shown_bound or 0.0
        if observed is None:
            return f"{self.quantity} (not observed) <= {in_figures(bound)}"
        seen, limit = compared(observed, bound)
        if not self.holds or observed <= bound:
            return f"{self.quantity} {seen} {'<=' if self.holds else 'EXCEEDS'} {limit}"
        if self.luck == inf:
            return f"{self.quantity} {seen}, expected to be <= {limit}"
        return f"{self.quantity} {seen} above {limit} by less than luck may do"

    def _often(self) -> str:
        return "with probability"


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
    told = f"all {len(lines)} such lines{runs} hold together {joint_words} ({why})"
    return f"Each probability is that of its line alone; {told}"


def _probable(certificates: Sequence[Any]) -> list[Any]:
    return [one for one in certificates if one.applies and one.confidence is not None]


def in_figures(value: float, digits: int = DIGITS[0]) -> str:
    """A number as lines print it: whole ones in full, others to six digits."""
    return f"{value:,.0f}" if float(value).is_integer() and abs(value) < 1e15 else f"{value:,.{digits}g}"


def compared(observed: float, bound: float) -> tuple[str, str]:
    """Both as lines print them, with as many digits as it takes for the printed ones to compare as they do."""
    for digits in DIGITS:
        seen, limit = in_figures(observed, digits), in_figures(bound, digits)
        if (_read(seen) <= _read(limit)) == (observed <= bound):
            break
    return seen, limit


def _read(figures: str) -> float:
    return float(figures.replace(",", ""))


def theorem(
    *,
    title: str,
    quantity: str,
    counts: Callable[[Any, Any], float],
    formula: str,
    source: str,
    kind: Kind = "sure",
    assumes: Sequence[tuple[str, Check]] = (),
    whole: bool = True,
    most: Callable[[Any, Any, Any], Most] | None = None,
    compares: bool = True,
    at_once: Callable[[Any], bool] | None = None,
    event: str = "",
) -> Callable[[Callable[[Any, Any, Any], float]], Theorem]:
    """Turn a formula into a theorem; its docstring is the statement."""

    def make(bound: Callable[[Any, Any, Any], float]) -> Theorem:
        more = (tuple(assumes), whole, most, compares, at_once, event)
        return Theorem(bound, counts, quantity, title, formula, source, kind, *more)

    return make


def summed(certificates: Sequence[Certificate]) -> Certificate:
    """One certificate for several one-against-rest problems: both sides add up."""
    first = certificates[0]
    failed = next((c for c in certificates if not c.applies), None)
    if failed is not None:
        return Certificate(first.theorem, None, None, None, failed.why, parts=len(certificates))
    observed = sum(c.observed for c in certificates if c.observed is not None)
    bound = sum(c.bound for c in certificates if c.bound is not None)
    most = Most(sum(c.most.value for c in certificates), first.most.words)
    told = (first.theorem, observed, bound, _together(certificates), None)
    taken = first.assuming
    return Certificate(*told, parts=len(certificates), most=most, assuming=taken, each=tuple(certificates))


def _together(certificates: Sequence[Certificate]) -> Comparator | None:
    """The comparators of all classes as one: a vector for each class, so squared lengths and losses add up."""
    each = [c.comparator for c in certificates if c.comparator is not None]
    if len(each) < len(certificates):
        return None
    losses = [u.loss for u in each if u.loss is not None]
    norm = hypot(*(u.norm for u in each))
    return Comparator(
        name="one for each class",
        norm=norm,
        hinge=sum(u.hinge for u in each),
        squared_hinge=sum(u.squared_hinge for u in each),
        loss=sum(losses) if len(losses) == len(each) else None,
        least=norm * min(u.margin for u in each),  # so that its margin is the smallest of theirs
        rounds=sum(u.rounds for u in each),
        played=sum(u.played for u in each),
        max_norm2=max(u.max_norm2 for u in each),
        total_norm2=sum(u.total_norm2 for u in each),
        own=hypot(*(u.own for u in each)),
    )
