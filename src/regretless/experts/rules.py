"""The rules of the kernel that move weights of experts, and what the code around it must know of each."""

from __future__ import annotations

from typing import NamedTuple


class Rule(NamedTuple):
    """Facts of a rule; none has a default.

    Attributes
    ----------
    exponential : bool
        Whether weights are in proportion to prior * exp(-rate * summed charges), and nothing else moves them.
    one_rate : bool
        Whether all experts have one rate, of some schedule; then the last row of the state sums charges.
    own_rates : bool
        Whether each expert has a rate of its own.
    by_regret : bool
        Whether it lives by the regrets of what was played: the first row of the state sums them, the last their
        squares.
    drags : bool
        Whether the second row of the state sums gains, that are regrets less what the rule charges for their squares.
    shares : bool
        Whether a share of the weights is dealt out again, and these are the first row of the state: at the start, the
        prior.
    counts : bool
        Whether the state counts mistakes, of which each multiplies the weight of an expert by `beta`.
    """

    exponential: bool
    one_rate: bool
    own_rates: bool
    by_regret: bool
    drags: bool
    shares: bool
    counts: bool


RULES: dict[str, Rule] = {
    "hedge": Rule(
        exponential=True,
        one_rate=True,
        own_rates=False,
        by_regret=False,
        drags=False,
        shares=False,
        counts=False,
    ),
    "share": Rule(
        exponential=False,
        one_rate=True,
        own_rates=False,
        by_regret=False,
        drags=False,
        shares=True,
        counts=False,
    ),
    "poly": Rule(
        exponential=False,
        one_rate=False,
        own_rates=True,
        by_regret=True,
        drags=False,
        shares=False,
        counts=False,
    ),
    "prod": Rule(
        exponential=False,
        one_rate=False,
        own_rates=True,
        by_regret=True,
        drags=True,
        shares=False,
        counts=False,
    ),
    "boa": Rule(
        exponential=False,
        one_rate=False,
        own_rates=True,
        by_regret=True,
        drags=True,
        shares=False,
        counts=False,
    ),
    "squint": Rule(
        exponential=False,
        one_rate=False,
        own_rates=False,
        by_regret=True,
        drags=False,
        shares=False,
        counts=False,
    ),
    "majority": Rule(
        exponential=False,
        one_rate=False,
        own_rates=False,
        by_regret=False,
        drags=False,
        shares=False,
        counts=True,
    ),
}
"""By the kernel's names."""
