"""A theorem is a formula with its assumptions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from math import inf, isinf, isnan, nan
from typing import Any

from .certificate import NO_LIMIT, Certificate, Kind, Most
from .facts import facts_read, in_json

# A theorem is read on a ledger, a comparator and what it may know of the learner, each of the kind that its own chapter
# knows; all that is asked of every comparator is a name, a number of rounds and a description.
Check = Callable[[Any, Any, Any], bool]


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
    presumes : str
        What it takes for granted that no run can show, such as how the losses came about: a certificate says it.
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
    presumes: str = ""

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
        named = _called(self.bound.__module__, self.name)
        if named is self:
            return _called, (self.bound.__module__, self.name)
        return _assuming, (named, self.assumes)

    def obstacle(self, ledger: Any, comparator: Any, learner: Any) -> str | None:
        """The first assumption that fails, or None."""
        met = self._met(ledger, comparator, learner)
        return None if met == len(self.assumes) else self.assumes[met][0]

    def nearest_obstacle(self, ledger: Any, comparators: Sequence[Any], learner: Any) -> str | None:
        """The first assumption that fails, of the comparator that meets most before; None if one meets them all."""
        met = max(self._met(ledger, one, learner) for one in comparators)
        return None if met == len(self.assumes) else self.assumes[met][0]

    def _met(self, ledger: Any, comparator: Any, learner: Any) -> int:
        for place, (_, holds) in enumerate(self.assumes):
            if not holds(ledger, comparator, learner):
                return place
        return len(self.assumes)

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
        fields = (None if isnan(counted) else counted, best[0], best[1] if self.compares else None, None)
        most, read = self.limit(ledger, best[1], learner), (ledger, best[1], learner)
        known: dict[str, Any] = {"most": most, "read": read, "assuming": self.presumes or None}
        if self.kind != "probable":
            return Certificate(self, *fields, **known)
        at_once = self.at_once is None or self.at_once(learner)
        return Certificate(self, *fields, 1 - learner.delta, at_once=at_once, **known)

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
        merged = [one | more for one, more in zip(bound, [*counted, {}], strict=True)]
        return {name: in_json(notes) for name, notes in zip(("ledger", "comparator", "learner"), merged, strict=True)}


def _called(module: str, name: str) -> Theorem:
    theorem: Theorem = getattr(import_module(module), name)
    return theorem


def _assuming(theorem: Theorem, assumes: tuple[tuple[str, Check], ...]) -> Theorem:
    return replace(theorem, assumes=assumes)


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
    presumes: str = "",
) -> Callable[[Callable[[Any, Any, Any], float]], Theorem]:
    """Turn a formula into a theorem; its docstring is the statement."""

    def make(bound: Callable[[Any, Any, Any], float]) -> Theorem:
        more = (tuple(assumes), whole, most, compares, at_once, event, presumes)
        return Theorem(bound, counts, quantity, title, formula, source, kind, *more)

    return make
