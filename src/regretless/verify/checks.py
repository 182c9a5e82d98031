"""One certificate of a report beside the same numbers computed again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import inf, isfinite, isnan, log10
from typing import Any, Literal

from .formulas import FORMULAS, Facts

Verdict = Literal["agrees", "differs", "unchecked", "idle"]
OWNERS = ("ledger", "comparator", "learner")
ALLOWED = 1e-9  # by what part two computations of one number may differ
MOST_DIGITS = 16.0


@dataclass(frozen=True, slots=True)
class Number:
    """A number of the report and the same computed again.

    Attributes
    ----------
    name : str
    reported, again : float
    scale : float
        How large the numbers are that it is a difference of; what rounding may do to it goes by that.
    """

    name: str
    reported: float
    again: float
    scale: float = 0.0

    @property
    def off(self) -> float:
        """By what part they differ."""
        if self.reported == self.again or (isnan(self.reported) and isnan(self.again)):
            return 0.0
        if not (isfinite(self.reported) and isfinite(self.again)):
            return inf
        return abs(self.reported - self.again) / max(abs(self.reported), abs(self.again), self.scale)

    @property
    def digits(self) -> float:
        """To how many digits they agree."""
        return MOST_DIGITS if self.off == 0 else max(0.0, min(MOST_DIGITS, -log10(self.off)))

    @property
    def agrees(self) -> bool:
        """Whether rounding explains the difference."""
        return self.off <= ALLOWED


@dataclass(frozen=True, slots=True)
class Check:
    """What came of one certificate.

    Attributes
    ----------
    theorem : str
    verdict : {"agrees", "differs", "unchecked", "idle"}
        "idle" of a certificate that does not apply, and claims nothing.
    why : str
        What differs, or why nothing could be computed.
    numbers : tuple of Number
        What was computed again.
    taken : tuple of str
        Facts that were taken from the report, as the data alone do not give them.
    """

    theorem: str
    verdict: Verdict
    why: str = ""
    numbers: tuple[Number, ...] = ()
    taken: tuple[str, ...] = ()

    @property
    def digits(self) -> float:
        """To how many digits all of it agrees."""
        return min((one.digits for one in self.numbers), default=0.0)

    def describe(self) -> dict[str, Any]:
        """The check as JSON values."""
        return {
            "theorem": self.theorem,
            "verdict": self.verdict,
            "why": self.why or None,
            "digits": round(self.digits, 1) if self.numbers else None,
            "numbers": {one.name: [one.reported, one.again] for one in self.numbers},
            "taken": list(self.taken),
        }

    def __str__(self) -> str:
        if self.verdict == "agrees":
            told = ", ".join(dict.fromkeys(one.name for one in self.numbers))
            taken = f"; from the report: {', '.join(self.taken)}" if self.taken else ""
            return f"agrees: {self.theorem}: {told} to {int(self.digits)} digits{taken}"
        words = {"differs": "differs", "unchecked": "cannot be checked", "idle": "does not apply"}
        return f"{words[self.verdict]}: {self.theorem}: {self.why}"


@dataclass(frozen=True, slots=True)
class Again:
    """What the data give.

    Attributes
    ----------
    facts : mapping of str to mapping
        Facts by whose they are, as `constants` of a certificate are.
    shown : mapping of str to float
        Numbers of the comparator as it is described.
    observed : float or None
        What was observed, where that can be computed again.
    scale : float
        Of what bound and observed are differences of.
    bound : float or None
        The bound, where it is no formula of the facts.
    """

    facts: Mapping[str, Facts] = field(default_factory=dict)
    shown: Facts = field(default_factory=dict)
    observed: float | None = None
    scale: float = 0.0
    bound: float | None = None


def number(value: Any) -> Any:
    """Facts as the formulas want them: what JSON has as text for an infinite number is that number."""
    if isinstance(value, str) and value in ("inf", "-inf", "nan"):
        return float(value)
    if isinstance(value, list):
        return [number(one) for one in value]
    return {name: number(one) for name, one in value.items()} if isinstance(value, dict) else value


def whole(certificate: Mapping[str, Any], again: Sequence[Again]) -> Check:
    """The check of a certificate, given what the data say of it, or of each class that it sums over."""
    name = str(certificate["theorem"])
    if name not in FORMULAS:
        return Check(name, "unchecked", "its formula is not known here")
    told = certificate["parts"] or [certificate]
    if any(one["constants"] is None for one in told):
        return Check(name, "unchecked", "the report has no constants for it: it is a mean or a sum of many")
    try:
        checks = [_one(name, one, its) for one, its in zip(told, again, strict=True)]
    except TypeError:
        if not (absent := _absent(told[0], again[0])):
            raise
        return Check(name, "unchecked", f"what has many numbers is not in the report: {', '.join(absent)}")
    numbers = [one for numbers, _ in checks for one in numbers]
    if certificate["parts"]:
        numbers.append(Number("bound", _bound(certificate), sum(_named(numbers, "bound") for numbers, _ in checks)))
    taken = tuple(dict.fromkeys(name for _, names in checks for name in names))
    wrong = [one for one in numbers if not one.agrees]
    if wrong:
        why = "; ".join(f"{one.name} is {one.reported!r} in the report and {one.again!r} here" for one in wrong[:3])
        return Check(name, "differs", why, tuple(numbers), taken)
    return Check(name, "agrees", "", tuple(numbers), taken)


def _absent(certificate: Mapping[str, Any], again: Again) -> list[str]:
    """Facts that neither the report nor the data have; some formulas can do without."""
    found = certificate["constants"]
    return [
        f"{owner}.{fact}"
        for owner in OWNERS
        for fact, value in found[owner].items()
        if value is None and fact not in again.facts.get(owner, {}) and fact not in ("expert", "weights", "span")
    ]


def _named(numbers: Sequence[Number], name: str) -> float:
    return next(one.again for one in numbers if one.name == name)


def _bound(certificate: Mapping[str, Any]) -> float:
    return inf if certificate["bound"] is None else float(certificate["bound"])


def _one(name: str, certificate: Mapping[str, Any], again: Again) -> tuple[list[Number], list[str]]:
    """The numbers of one problem, and what had to be taken from the report."""
    constants = number(certificate["constants"])
    numbers, taken, facts = [], [], []
    for owner in OWNERS:
        found = dict(constants[owner])
        for fact, value in found.items():
            mine = again.facts.get(owner, {}).get(fact)
            if mine is None:
                taken += [f"{owner}.{fact}"] if isinstance(value, float | list) else []
                continue
            numbers += _alike(fact, value, mine, again.scale)
            found[fact] = mine
        facts.append(found)
    for fact, mine in again.shown.items():
        if certificate["comparator"].get(fact) is not None:
            numbers.append(Number(fact, float(certificate["comparator"][fact]), mine, again.scale))
    if again.observed is not None and certificate["observed"] is not None:
        numbers.append(Number("observed", float(certificate["observed"]), again.observed, again.scale))
    bound = FORMULAS[name](*facts) if again.bound is None else again.bound
    if isnan(bound):
        taken.append("bound")  # a recursion that is too long to follow
    else:
        numbers.append(Number("bound", _bound(certificate), float(bound), again.scale))
    return numbers, taken


def _alike(name: str, reported: Any, mine: Any, scale: float) -> list[Number]:
    if isinstance(reported, list):
        most = max([scale, *(abs(float(one)) for one in reported)])
        return [Number(name, float(a), float(b), most) for a, b in zip(reported, mine, strict=True)]
    return [Number(name, float(reported), float(mine), scale)]
