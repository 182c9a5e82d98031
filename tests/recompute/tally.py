"""How many numbers were computed again, and whether they agree."""

from __future__ import annotations

from collections.abc import Sequence
from math import isclose, isfinite
from typing import Any


class Tally:
    """Compares numbers, and counts them."""

    total = 0  # of all tallies of this process

    def __init__(self) -> None:
        self.count = 0

    def same(self, what: str, reported: Any, again: Any, *, scale: float = 0.0, part: float = 1e-9) -> None:
        """Fail unless two computations of a number, or of several, agree but for rounding."""
        if isinstance(reported, Sequence) and not isinstance(reported, str):
            assert len(reported) == len(again), what
            most = max([scale, *(abs(float(one)) for one in again)])
            for place, (one, other) in enumerate(zip(reported, again, strict=True)):
                self.same(f"{what}[{place}]", one, other, scale=most, part=part)
            return
        self.count += 1
        Tally.total += 1
        if reported is None:
            assert not isfinite(again), f"{what}: null in the report, {again!r} again"
            return
        close = isclose(float(reported), float(again), rel_tol=part, abs_tol=part * scale + 1e-300)
        assert close, f"{what}: {reported!r} in the report, {again!r} again"

    def facts(self, what: str, reported: Any, again: Any, *, listed: Sequence[str] = (), scale: float = 0.0) -> None:
        """Every fact that a certificate names must be computed again, or be listed."""
        for name, value in reported.items():
            if value is None or isinstance(value, str | bool | dict):
                continue
            if name in listed:
                continue
            assert name in again, f"{what}: nobody computed {name} again, and it is not listed"
            self.same(f"{what}.{name}", value, again[name], scale=scale)
