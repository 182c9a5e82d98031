"""What no algorithm can avoid."""

from __future__ import annotations

from math import comb, exp, lgamma, log, sqrt


def lower_bound(rounds: int, experts: int) -> float:
    """A regret that every algorithm must expect to pay, on some losses in [0, 1].

    Half of the experts, and their opposites, lose 0 or 1 as a fair coin falls: every algorithm expects to lose T / 2,
    and the best expert T / 2 less the expected largest distance of the counts from T / 2. Two experts give
    T C(T-1, floor((T-1)/2)) / 2^T exactly, which is at least sqrt(T / 8).
    """
    pairs = experts // 2
    if rounds < 1 or pairs < 1:
        return 0.0
    if pairs == 1 and rounds <= 1000:
        return float(rounds * comb(rounds - 1, (rounds - 1) // 2) / 2**rounds)
    # The distances beyond 12 sqrt(T) are left out: their chance is below 1e-124, and without them the value is lower.
    most = rounds // 2 if rounds < 4 else min(rounds // 2, int(12 * sqrt(rounds)))
    middle = (rounds + 1) // 2
    chance = exp(lgamma(rounds + 1) - lgamma(middle + 1) - lgamma(rounds - middle + 1) - rounds * log(2))
    within, expected = 0.0, 0.0
    for step in range(most + 1):
        count = middle + step
        if count > rounds:
            break
        distance = count - rounds / 2
        after = min(1.0, within + (chance if distance == 0 else 2 * chance))
        expected += distance * (after**pairs - within**pairs)
        within, chance = after, chance * (rounds - count) / (count + 1)
    return expected
