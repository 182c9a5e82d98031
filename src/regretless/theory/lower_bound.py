"""What no algorithm can avoid."""

from __future__ import annotations

from functools import lru_cache
from math import comb, erf, pi, sqrt
from typing import Any

import numpy as np

MOST_SUMMED = 10**7  # rounds up to which distances are summed one by one
NORMAL_STEPS, NORMAL_END = 1 << 14, 8.0


def lower_bound(rounds: int, experts: int) -> float:
    """A regret that every algorithm must expect to pay, on some losses in [0, 1].

    Half of the experts, and their opposites, lose 0 or 1 as a fair coin falls: every algorithm expects to lose T / 2,
    and the best expert T / 2 less the expected largest distance of the counts from T / 2. Two experts give
    T C(T-1, floor((T-1)/2)) / 2^T exactly, which is at least sqrt(T / 8).

    Of more than ten million rounds and more than three experts, the value is a little lower than that. By Tusnady's
    inequality the counts can be tied to normal variables Z so that every distance is at least
    sqrt(T) |Z| / 2 - 1 - Z^2 / 8.
    """
    pairs = experts // 2
    if rounds < 1 or pairs < 1:
        return 0.0
    if pairs == 1 and rounds <= 1000:
        return float(rounds * comb(rounds - 1, (rounds - 1) // 2) / 2**rounds)
    if pairs == 1:
        m = (rounds + 1) // 2  # the last of an even number of rounds changes nothing
        return m * _balanced(m)
    if rounds <= MOST_SUMMED:
        return _summed(rounds, pairs)
    distance, square = _largest_normal(pairs)
    return max(_summed(MOST_SUMMED, pairs), sqrt(rounds) / 2 * distance - 1 - square / 8)


def _balanced(m: int) -> float:
    """The chance that 2m fair coins show m heads, rounded down by less than 1 / (100 m^3) of itself."""
    if m <= 500:
        return float(comb(2 * m, m) / 4**m)
    return 1 / sqrt(pi * (m + 0.25 + 1 / (32 * m)))


@lru_cache(maxsize=1024)
def _summed(rounds: int, pairs: int) -> float:
    # The distances beyond 6 sqrt(T) are left out: their chance is below 1e-31, and without them the value is lower.
    m, odd = divmod(rounds, 2)
    most = min(m, int(6 * sqrt(rounds)) + 4)
    steps = np.arange(most + 1.0)
    distances = steps + odd / 2
    counts = m + odd + steps
    chances = np.empty(most + 1)
    chances[0] = _balanced(m) * ((2 * m + 1) / (2 * m + 2) if odd else 1.0)
    chances[1:] = chances[0] * np.cumprod((rounds - counts[:-1]) / (counts[:-1] + 1))
    chances[0 if odd else 1 :] *= 2
    within: Any = np.minimum(1.0, np.cumsum(chances)) ** pairs
    return float(distances @ np.diff(within, prepend=0.0))


@lru_cache(maxsize=64)
def _largest_normal(pairs: int) -> tuple[float, float]:
    """The largest of so many |Z|: its mean from below and its mean square from above, both by sums over steps."""
    width = NORMAL_END / NORMAL_STEPS
    places = width * np.arange(NORMAL_STEPS + 1)
    above = 1 - np.array([erf(place / sqrt(2)) for place in places]) ** pairs
    mean = width * float(above[1:].sum())
    # Beyond the end at most `pairs` variables of chance 1.3e-15 are left.
    square = width * float((2 * (places[:-1] + width) * above[:-1]).sum()) + pairs * 1e-12
    return mean, square
