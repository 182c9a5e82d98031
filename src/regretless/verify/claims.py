"""What a certificate says beside its two numbers, and how it must be by those: a second opinion, too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import floor, isfinite
from typing import Any

Fields = Mapping[str, Any]

RELATIVE = 1e-9  # by what part a count, or a bound, is allowed to be off
EXPECTED = {
    *("exp3_pseudo_regret", "exp3_ix_expected", "exp3_s", "exp4", "hedge_expected", "tsallis", "tsallis_book"),
    *("ucb1", "ucb1_gaps", "kl_ucb", "kl_ucb_gaps", "moss", "thompson", "risk_by_support", "risk_by_margin"),
}
ONE_RATE = {"exp3_ix", "exp3_ix_book", "observable"}  # with one probability after all rounds only at one rate
FIXED = {"sampled_loss", "hedge_sampled"}  # after a number of rounds that was fixed beforehand
EVENTS = {  # theorems that fail together
    **dict.fromkeys(("average_risk", "voted_risk"), "small losses"),
    **dict.fromkeys(("exp3_ix", "exp3_ix_book"), "exp3-ix"),
    **dict.fromkeys(("exp3_p", "exp3_p_book", "exp3_p_observable"), "exp3-p"),
}
PROBABLE = ONE_RATE | FIXED | set(EVENTS) | {"drawn"}
COUNTS = ("updates", "mistakes")  # quantities that are whole, so that their bounds may be rounded down


def kind(theorem: str) -> str:
    """Whether it always holds, in expectation, or with some probability."""
    return "probable" if theorem in PROBABLE else "expected" if theorem in EXPECTED else "sure"


def at_once(theorem: str, parameters: Fields) -> bool | None:
    """Whether a probability is one for all numbers of rounds; None of lines that have none."""
    if theorem not in PROBABLE:
        return None
    if theorem in ONE_RATE:
        tuned = "rate" in parameters and parameters.get("horizon") is not None  # MOSS has no rate to tune
        return parameters.get("rate") is not None or tuned or _tuned(parameters)
    return theorem not in FIXED


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
        event = EVENTS.get(one["theorem"], place)
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
