"""Axes: from values to pixels, with ticks that a reader can count by."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from . import formatting

DECADES_FOR_LOG = 1.5
"""What a log axis must span at least, in powers of ten."""

Format = Literal["count", "real", "percent", "share"]
"""How the values of a chart read: a percentage to three digits, or a share of a whole to a tenth of a per cent."""

Scale = Literal["auto", "linear", "snug", "log"]
"""Whether an axis is linear with zero on it, linear about the values alone, logarithmic, or what suits the values."""

_STEPS = (1, 2, 5)
_CHARACTER = 7.4  # the widest digit of the common system fonts at the 12 px of a tick label


@dataclass(frozen=True, slots=True)
class Axis:
    """A linear or logarithmic map from [low, high] to the pixels [start, end]; `whole` ticks are integers."""

    low: float
    high: float
    log: bool
    start: float
    end: float
    whole: bool = False

    def __call__(self, value: float) -> float:
        """Where the value stands."""
        if self.log:
            share = math.log(value / self.low) / math.log(self.high / self.low)
        else:
            share = (value - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)

    def stands(self, value: float) -> bool:
        """Whether the value has a place on this axis."""
        return math.isfinite(value) and (not self.log or value >= self.low * (1 - 1e-9))

    def ticks(self, horizontal: bool, percent: bool = False) -> list[tuple[float, str]]:
        """The finest ladder of round values whose labels leave each other room, with the labels.

        Where these are fewer than three, labels of values may stand closer.
        """
        ticks: list[tuple[float, str]] = []
        for closeness in (1.0, 0.75):
            for values in self._ladders():
                labels = tick_labels(values, percent)
                if values and self._roomy(values, labels, horizontal, closeness):
                    ticks = list(zip(values, labels, strict=True))
                    break
            if len(ticks) > 2 or horizontal:
                break
        return ticks

    def _ladders(self) -> Iterable[list[float]]:
        if not self.log:
            yield from self._linear_ladders()
            return
        first, last = math.floor(math.log10(self.low)), math.ceil(math.log10(self.high))
        yield self._inside([step * 10.0**power for power in range(first, last + 1) for step in _STEPS])
        for stride in range(1, last - first + 2):
            origin = math.ceil(first / stride) * stride
            yield self._inside([10.0**power for power in range(origin, last + 1, stride)])

    def _linear_ladders(self) -> Iterable[list[float]]:
        finest = math.floor(math.log10((self.high - self.low) / 8))
        for power in range(finest, finest + 4):
            for step in _STEPS:
                unit = step * 10.0**power
                first, last = math.ceil(self.low / unit - 1e-9), math.floor(self.high / unit + 1e-9)
                if last - first < 8 and not (self.whole and power < 0):
                    yield [step * k * 10.0**power if power >= 0 else step * k / 10.0**-power
                           for k in range(first, last + 1)]  # fmt: skip

    def _inside(self, values: Iterable[float]) -> list[float]:
        return [value for value in values if self.low * (1 - 1e-9) <= value <= self.high * (1 + 1e-9)]

    def _roomy(self, values: Sequence[float], labels: Sequence[str], horizontal: bool, closeness: float) -> bool:
        places = [self(value) for value in values]
        apart = closeness * (24 if self.log else 34)
        for k in range(1, len(places)):
            wanted = 16 + (len(labels[k]) + len(labels[k - 1])) / 2 * _CHARACTER if horizontal else apart
            if abs(places[k] - places[k - 1]) < wanted:
                return False
        return True


def value_axis(
    observed: Sequence[float],
    bounds: Sequence[float],
    start: float,
    end: float,
    format: Format,
    scale: Scale = "auto",
) -> Axis:
    """The axis for values: if nothing else is asked for, logarithmic where they span decades, else linear from zero.

    When most of what was observed is zero or negative a log axis would show nearly nothing of it. Twelve
    decades are enough for any run: what is smaller than that is rounding noise.
    """
    finite = [value for value in observed if math.isfinite(value)]
    values = finite + [value for value in bounds if math.isfinite(value)]
    positive = [value for value in values if value > 0]
    whole, ceiling = format == "count", 1.0 if format in ("percent", "share") else math.inf
    # Every mistake rate begins near 100%: on a linear axis all that was learned later would be a flat line.
    decades = 1.0 if format == "percent" else DECADES_FOR_LOG
    telling = positive and 2 * sum(value > 0 for value in finite) >= len(finite)
    wide = telling and math.log10(max(positive) / min(positive)) > decades
    if (scale == "auto" and wide) or (scale == "log" and positive):
        top = min(_round_up(max(positive) * 1.04), ceiling)
        least = max(min(positive) / (1.0 if whole else 1.1), top * 1e-12)
        return Axis(_round_down(least), top, True, start, end, whole)
    if scale == "snug" and (about := _snug(values)):
        return Axis(*about, False, start, end, whole)
    low, high = min([0.0, *values]), max([0.0, *values])
    if not high - low > 0:
        return Axis(0.0, 1.0, False, start, end, whole)
    room = 0.04 * (high - low)
    bottom, top = (low - room if low < 0 else 0.0), (high + room if high > 0 else 0.0)
    return Axis(bottom, min(top, ceiling), False, start, end, whole)


def _snug(values: Sequence[float]) -> tuple[float, float] | None:
    """The range of values that are far from zero for their spread, but not so far that labels would be all digits."""
    low, high = min(values, default=0.0), max(values, default=0.0)
    spread, nearest = high - low, max(low, -high)
    if nearest <= 0.5 * spread or spread < 1e-3 * nearest:
        return None
    return low - 0.06 * spread, high + 0.06 * spread


def round_axis(rounds: int, start: float, end: float, even: bool = False, first: float = 0.0) -> Axis:
    """The axis for rounds: logarithmic from 1, unless every round of a short run can be told apart.

    A linear one is asked for by `even`; it begins at the first round if what is shown is the end of a long run.
    """
    if rounds > 10**DECADES_FOR_LOG and not even:
        return Axis(1.0, float(rounds), True, start, end, True)
    least = first if even and 0.1 * rounds < first < rounds else 0.0
    return Axis(least, max(float(rounds), 2.0), False, start, end, True)


def tick_labels(values: Sequence[float], percent: bool) -> list[str]:
    """Labels in one style for the whole axis, with as many digits as it takes to tell them apart."""
    if percent:
        return [formatting.percent(value) for value in values]
    largest = max((abs(value) for value in values), default=0.0)
    if largest >= 1e15:
        return [_scientific(value) for value in values]
    write = formatting.real if largest < 1e6 else _compact
    labels: list[str] = []
    for digits in range(4, 13):
        labels = [write(value, digits) for value in values]
        if len(set(labels)) == len(labels):
            break
    return labels


def _compact(value: float, digits: int) -> str:
    for power, letter in ((12, "T"), (9, "G"), (6, "M"), (3, "k")):
        if abs(value) >= 0.9999 * 10**power:
            return formatting.real(value / 10**power, digits) + letter
    return formatting.real(value, digits)


def _scientific(value: float) -> str:
    if value == 0:
        return "0"
    exponent = math.floor(math.log10(abs(value)) + 1e-9)
    lead = formatting.real(value / 10.0**exponent)
    return formatting.power_of_ten(exponent) if lead == "1" else f"{lead}·{formatting.power_of_ten(exponent)}"


def _round_down(value: float) -> float:
    power = 10.0 ** math.floor(math.log10(value))
    return max(step * power for step in (0.5, *_STEPS) if step * power <= value * (1 + 1e-9))


def _round_up(value: float) -> float:
    power = 10.0 ** math.floor(math.log10(value))
    return min(step * power for step in (*_STEPS, 10) if step * power >= value * (1 - 1e-9))
