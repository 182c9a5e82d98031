"""What a certificate says beside its two numbers, and how it must be by those: a second opinion, too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import floor, isfinite
from typing import Any

from .formulas import FORMULAS

Fields = Mapping[str, Any]

RELATIVE = 1e-9  # by what part a count, or a bound, is allowed to be off
COUNTS = ("updates", "mistakes")  # quantities that are whole, so that their bounds may be rounded down


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


def vacuous(quantity: str, bound: float, most: float) -> bool:
    """Whether a bound says no more than that the quantity is at most `most`."""
    whole = quantity.startswith(COUNTS) and isfinite(bound)
    return isfinite(most) and (floor(bound * (1 + RELATIVE) + RELATIVE) if whole else bound) >= most


def joint_confidence(certificates: Sequence[Fields]) -> float | None:
    """One less what each event may fail; None if fewer than two lines may."""
    lines = [one for one in certificates if one["applies"] and one["confidence"] is not None]
    risks: dict[Any, float] = {}
    for place, one in enumerate(lines):
        claim = FORMULAS.get(one["theorem"])
        event = (claim and claim.event) or place
        risks[event] = max(risks.get(event, 0.0), 1 - one["confidence"])
    return max(0.0, 1 - sum(risks.values())) if len(lines) > 1 else None


def incoherent(certificate: Fields) -> str | None:
    """What is wrong with whether it applies; None if nothing is."""
    numbers = [name for name in ("observed", "bound", "constants") if certificate[name] is not None]
    if not certificate["applies"]:
        if numbers:
            return f"applies is false in the report, which has {' and '.join(numbers)} of it: it should be true"
        if certificate["why"] is None:
            return "applies is false in the report, and why is null: a reason was expected"
        return None
    if certificate["bound"] is None:
        return "applies is true in the report, and bound is null: a number was expected"
    if certificate["why"] is not None:
        return f"applies is true in the report, and why is {certificate['why']!r}: null was expected"
    return None
