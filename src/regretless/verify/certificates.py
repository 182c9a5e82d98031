"""One certificate of a report beside the same numbers computed again, and what it says of itself beside these."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from math import floor, inf, isfinite, nan
from typing import Any

import numpy as np

from .checks import ALLOWED, Check, Fields, Malformed, Number, alike, counted, differing, number
from .formulas import FORMULAS, Facts, TooLong

OWNERS = ("ledger", "comparator", "learner")
OF_MEMBERS = ("regularised", "largest")  # what a comparator is described by where it was read against a member
RELATIVE = 1e-9  # by what part a count, or a bound, is allowed to be off
COUNTS = ("updates", "mistakes")  # quantities that are whole, so that their bounds may be rounded down


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
    scales : mapping of str to float
        Of numbers that are differences, how large those are that they are differences of. These are computed again,
        too: what a report says may not widen what it is allowed.
    most : float or None
        The most that what is bounded can be, where that is known; infinite where it has no limit.
    rounding : float or None
        What the line is allowed for rounding beyond a part of its numbers, where that is known.
    least : float
        The least number that such a part is taken of.
    at_once : bool or None
        Of a line with a probability, whether that is one for all numbers of rounds.
    errors : mapping of str to float
        By how much sums of the comparator may be rounded, which a formula may multiply by something large.
    """

    facts: Mapping[str, Facts] = field(default_factory=dict)
    shown: Facts = field(default_factory=dict)
    observed: float | None = None
    scales: Mapping[str, float] = field(default_factory=dict)
    most: float | None = None
    rounding: float | None = 0.0
    least: float = 1.0
    at_once: bool | None = None
    errors: Mapping[str, float] = field(default_factory=dict)


def idle(certificate: Mapping[str, Any]) -> Check | None:
    """The check of a certificate that does not apply, or says so of itself in a way that cannot be."""
    name, wrong = str(certificate["theorem"]), incoherent(certificate)
    if wrong is not None:
        return Check(name, "differs", wrong)
    return None if certificate["applies"] else Check(name, "idle", str(certificate["why"]))


def whole(certificate: Mapping[str, Any], again: Sequence[Again]) -> Check:
    """The check of a certificate by what was computed from the data, or for each class that it sums over."""
    name = str(certificate["theorem"])
    if name not in FORMULAS:
        return Check(name, "unchecked", "its formula is not known here")
    parts = certificate["parts"] or [certificate]
    if any(one["constants"] is None for one in parts):
        return Check(name, "unchecked", "the report has no constants for it: it is a mean or a sum of many")
    try:
        again = [_loosened(name, one, its) for one, its in zip(parts, again, strict=True)]
        checks = [_one(name, one, its) for one, its in zip(parts, again, strict=True)]
    except LookupError as error:
        raise Malformed(f"certificate {name}: its constants lack what its formula takes ({error})") from error
    except (TypeError, ValueError, AttributeError) as error:
        if not (absent := _absent(parts[0], again[0])):
            raise Malformed(f"certificate {name}: its constants are not of the types that its formula takes") from error
        return Check(name, "unchecked", f"what has many numbers is not in the report: {', '.join(absent)}")
    numbers = [one for numbers, _ in checks for one in numbers]
    bounds = [one for one in numbers if one.name == "bound"]
    if certificate["parts"] and len(bounds) == len(checks):
        scale = sum(one.scale for one in bounds)
        numbers.append(Number("bound", _bound(certificate), sum(one.again for one in bounds), scale))
    results, unknown = _claimed(name, certificate, again, numbers)
    numbers += results
    taken = tuple(dict.fromkeys([*(name for _, names in checks for name in names), *unknown]))
    wrong = [one for one in numbers if not one.agrees]
    if wrong:
        return Check(name, "differs", differing(wrong), tuple(numbers), taken)
    if len(bounds) < len(checks):
        return Check(name, "unchecked", "its bound takes too many steps to follow", tuple(numbers), taken)
    return Check(name, "agrees", "", tuple(numbers), taken)


def _claimed(
    name: str, certificate: Mapping[str, Any], again: Sequence[Again], numbers: Sequence[Number]
) -> tuple[list[Number], list[str]]:
    """What a line says of itself, and what of that could not be computed."""
    kind = FORMULAS[name].kind
    sure = kind != "probable"
    results = [Number("kind", certificate["kind"], kind)]
    results += [Number("at_once", certificate["at_once"], None if sure else _at_once(name, again[0]))]
    unknown = [name for name in ("assuming", "quick_bound") if certificate.get(name) is not None]
    if sure and not certificate["parts"]:
        results.append(Number("confidence", certificate["confidence"], None))
    bounds = [one.again for one in numbers if one.name == "bound"]
    seen = [one.again for one in numbers if one.name == "observed"]
    several = bool(certificate["parts"])
    if several:
        results += _summed(certificate["comparator"], again)
        if len(seen) == len(again) and certificate["observed"] is not None:
            results.append(counted("observed", certificate["observed"], sum(seen), 0.0))
    if len(bounds) < len(again):  # one takes too many steps to follow
        return results, [*unknown, "vacuous", "rounding"]
    most = None if any(one.most is None for one in again) else sum(one.most or 0.0 for one in again)
    if most is None:
        unknown.append("vacuous")
    else:
        stated = vacuous(str(certificate["quantity"]), bounds[-1], most)
        results.append(Number("vacuous", certificate["vacuous"], stated))
    known = [one.rounding for one in again]
    if any(one is None for one in known) or certificate["rounding"] is None or (most is None and again[0].least):
        unknown.append("rounding")
    else:
        observed = sum(seen) if several and seen else seen[0] if seen else certificate["observed"]
        owed = sum(one or 0.0 for one in known)
        least = least_of(again[0].least, inf if most is None else most, owed)
        mine = rounding(bounds[-1], observed, least) + owed
        sizes = (one.scales.get(name, 0.0) for one in again for name in ("observed", "bound"))
        results.append(counted("rounding", certificate["rounding"], mine, RELATIVE * max(0.0, *sizes)))
    return results, unknown


def _at_once(name: str, again: Again) -> bool | None:
    return at_once(name, {}) if again.at_once is None else again.at_once


def _summed(comparator: Mapping[str, Any] | None, again: Sequence[Again]) -> list[Number]:
    """The comparators of all classes as one."""
    each = [one.shown for one in again]
    if comparator is None or not all(each):
        return []
    scale = sum(float(one.get("rounds", 0.0)) for one in each)
    mine = {
        name: sum(one[name] for one in each)
        for name in ("hinge", "squared_hinge", "loss", "rounds")
        if all(name in one for one in each)
    }
    if all("norm" in one for one in each):
        mine["norm"] = float(np.sqrt(sum(one["norm"] ** 2 for one in each)))
    if all("margin" in one for one in each):
        mine["margin"] = min(one["margin"] for one in each)
    mine["bias"] = 0.0  # each has its own
    return [
        counted(name, comparator[name], value, scale if name != "norm" else 0.0)
        for name, value in mine.items()
        if comparator.get(name) is not None
    ]


def _absent(certificate: Mapping[str, Any], again: Again) -> list[str]:
    """Facts that neither the report nor the data have; some formulas can do without."""
    numbers = certificate["constants"]
    return [
        f"{owner}.{fact}"
        for owner in OWNERS
        for fact, value in numbers[owner].items()
        if value is None and fact not in again.facts.get(owner, {}) and fact not in ("expert", "weights", "span")
    ]


def _bound(certificate: Mapping[str, Any]) -> float:
    return inf if certificate["bound"] is None else float(certificate["bound"])


def _loosened(name: str, certificate: Mapping[str, Any], again: Again) -> Again:
    """The same where sums of the comparator may be off by their rounding, and the bound by what that makes of it."""
    if not again.errors:
        return again
    ledger, comparator, learner = facts = _facts(number(certificate["constants"]), again)
    moved = 0.0
    with suppress(TooLong):
        for fact in again.errors.keys() & comparator.keys():
            off = {**comparator, fact: comparator[fact] + again.errors[fact]}
            moved += abs(_value(name, [ledger, off, learner]) - _value(name, facts))
    scales = {fact: error / ALLOWED for fact, error in {**again.errors, "bound": moved}.items()}
    larger = {fact: max(again.scales.get(fact, 0.0), scale) for fact, scale in scales.items()}
    return replace(again, scales={**again.scales, **larger})


def _facts(constants: Mapping[str, Facts], again: Again) -> list[Facts]:
    """What a formula takes: what the data give, and the report's where they do not."""
    mine = [{fact: one for fact, one in again.facts.get(owner, {}).items() if one is not None} for owner in OWNERS]
    return [
        {fact: own.get(fact, stated) for fact, stated in constants[owner].items()}
        for owner, own in zip(OWNERS, mine, strict=True)
    ]


def _one(name: str, certificate: Mapping[str, Any], again: Again) -> tuple[list[Number], list[str]]:
    """The numbers of one problem, and what had to be taken from the report; no bound if that takes too long."""
    constants = number(certificate["constants"])
    numbers, taken, facts = [], [], _facts(constants, again)
    for owner in OWNERS:
        for fact, value in constants[owner].items():
            mine = again.facts.get(owner, {}).get(fact)
            if mine is None:
                taken += [f"{owner}.{fact}"] if _counts(value) else []
                continue
            numbers += alike(fact, value, mine, again.scales.get(fact, 0.0))
    for fact, mine in again.shown.items():
        if certificate["comparator"].get(fact) is not None:
            numbers += alike(fact, certificate["comparator"][fact], mine, again.scales.get(fact, 0.0))
    others = certificate["comparator"] or {}
    taken += [f"comparator.{fact}" for fact in OF_MEMBERS if others.get(fact) is not None and fact not in again.shown]
    if certificate["observed"] is not None and again.observed is None:
        taken.append("observed")
    elif certificate["observed"] is not None:
        numbers.append(counted("observed", certificate["observed"], again.observed, again.scales.get("observed", 0.0)))
    _claims(certificate, {**again.facts.get("learner", {}), **facts[-1]}, numbers, taken)
    with suppress(TooLong):
        numbers.append(counted("bound", _bound(certificate), _value(name, facts), again.scales.get("bound", 0.0)))
    return numbers, taken


def _claims(certificate: Mapping[str, Any], learner: Facts, numbers: list[Number], taken: list[str]) -> None:
    """The confidence of a line, where the learner has a delta."""
    confidence = certificate.get("confidence")  # a part of a sum has none
    if confidence is not None and "delta" in learner:
        numbers.append(counted("confidence", confidence, 1 - float(learner["delta"]), 0.0))
    elif confidence is not None:
        taken.append("confidence")


def _value(name: str, facts: Sequence[Facts]) -> Any:
    """The formula's; NaN of numbers that it has no value for, as no theorem has a bound there."""
    try:
        return FORMULAS[name](*facts)
    except (ValueError, ZeroDivisionError, OverflowError):
        return nan


def _counts(value: Any) -> bool:
    """Whether it is numbers, and not the name of something."""
    return isinstance(value, int | float | list) and not isinstance(value, bool)


# What a line says of itself.


def at_once(theorem: str, parameters: Fields) -> bool | None:
    """Whether a probability is one for all numbers of rounds; None of lines that have none."""
    claim = FORMULAS.get(theorem)
    if claim is None or claim.kind != "probable":
        return None
    if claim.at_once == "one rate":
        tuned = "rate" in parameters and parameters.get("horizon") is not None  # MOSS has no rate to tune
        return parameters.get("rate") is not None or tuned or _tuned(parameters)
    return claim.at_once == "always"


def _tuned(parameters: Fields) -> bool:
    """Whether every learner of this kind has one rate."""
    return "share" in parameters or "explore" in parameters


def rounding(bound: float, observed: float | None, least: float = 1.0) -> float:
    """What is allowed for rounding of numbers that are no differences of long sums."""
    return RELATIVE * max(least, *(abs(one) for one in (bound, observed or 0.0) if isfinite(one)))


def least_of(least: float, most: float, owed: float) -> float:
    """The least number that rounding is a part of: 1, or the most of any run; next to nothing where more is owed."""
    return max(0.0 if owed and most == inf else min(least, most), 1e-140 if least else 0.0)


def vacuous(quantity: str, bound: float, most: float) -> bool:
    """Whether a bound says no more than that the quantity is at most `most`."""
    whole = quantity.startswith(COUNTS) and isfinite(bound)
    return isfinite(most) and (floor(bound * (1 + RELATIVE) + RELATIVE) if whole else bound) >= most


def incoherent(certificate: Fields) -> str | None:
    """What is wrong with whether it applies; None if nothing is."""
    names = ("observed", "bound", "constants", "quick_bound")
    numbers = [name for name in names if certificate.get(name) is not None]
    if not certificate["applies"]:
        if numbers:
            return f"applies is false in the report, which has {' and '.join(numbers)} of it: it should be true"
        if certificate["vacuous"]:
            return "applies is false in the report, and vacuous is true: false was expected"
        if certificate["why"] is None:
            return "applies is false in the report, and why is null: a reason was expected"
        return None
    if certificate["bound"] is None:
        return "applies is true in the report, and bound is null: a number was expected"
    if certificate["why"] is not None:
        return f"applies is true in the report, and why is {certificate['why']!r}: null was expected"
    bound, quick = number(certificate["bound"]), number(certificate.get("quick_bound"))
    if quick is not None and not quick >= bound:
        return f"quick_bound is {quick!r} in the report, and bound is {bound!r}: one that is no larger was expected"
    return None
