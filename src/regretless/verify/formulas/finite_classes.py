"""Bounds on mistakes of learners of finite classes."""

from __future__ import annotations

from math import log
from typing import Any

from .base import Facts, printed, same


def _bits(count: float) -> int:
    return int(count).bit_length() - 1


def _ratio(number: Any) -> Any:
    """A fraction, which a report has as text."""
    top, _, bottom = str(number).partition("/")
    return float(top) / float(bottom or 1)


same("first_in_order", lambda ell, v, w: w["place"])
same("rank", lambda ell, v, w: w["rank"] - (w["rank_left"] or 0))
same("left", lambda ell, v, w: w["hypotheses"] - ell["alive"])
same("consistent", lambda ell, v, w: w["hypotheses"] - 1)
same("halvings", lambda ell, v, w: _bits(w["hypotheses"] // ell["voters"]))
same("halving optimal_by_size", lambda ell, v, w: _bits(w["hypotheses"]))
same(
    "dimension_spent",
    lambda ell, v, w: w["littlestone"][1] - max(0, w["littlestone_left"][0] if w["littlestone_left"] else 0),
)
same("dimension", lambda ell, v, w: w["littlestone"][1])
same(
    "randomized_spent",
    lambda ell, v, w: _ratio(w["randomized"][1]) - (_ratio(w["randomized_left"][0]) if w["randomized_left"] else 0.0),
)
same("randomized", lambda ell, v, w: _ratio(w["randomized"][1]))


@printed("half_the_bits")
def half_the_bits(ell: Facts, v: Facts, w: Facts) -> Any:
    """(k - 1 + |H| / 2^k) / 2."""
    k = _bits(w["hypotheses"])
    return float((k - 1 + w["hypotheses"] / 2**k) / 2)


@printed("drawn", kind="probable")
def drawn(ell: Facts, v: Facts, w: Facts) -> Any:
    """a ln(a / R) - a + R = ln(1 / delta), by Newton's method from above."""
    mean, wanted = _ratio(w["randomized"][1]), -log(w["delta"])
    if mean == 0:
        return 0.0
    a = 4 * (mean + wanted)
    for _ in range(100):
        a -= (a * log(a / mean) - a + mean - wanted) / log(a / mean)
    return a
