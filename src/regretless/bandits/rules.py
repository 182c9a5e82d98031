"""The rules of the kernel that draw arms, and what the code around it must know of each."""

from __future__ import annotations

from typing import NamedTuple


class Rule(NamedTuple):
    """Facts of a rule; none has a default.

    Attributes
    ----------
    weighs : bool
        Whether the third row of the state holds weights, which sum to one and are equal at the start.
    lends : bool
        Whether it holds what of the estimates was credited to arms while they slept.
    exact : bool
        Whether a rate that falls is that of each round, though the implicit exploration be held on epochs.
    """

    weighs: bool
    lends: bool
    exact: bool


RULES: dict[str, Rule] = {
    "exp3": Rule(weighs=False, lends=False, exact=False),
    "exp3-ix": Rule(weighs=False, lends=False, exact=False),
    "exp3-p": Rule(weighs=False, lends=True, exact=False),
    "tsallis-inf": Rule(weighs=False, lends=False, exact=True),
    "exp3-s": Rule(weighs=True, lends=False, exact=False),
    "hedge": Rule(weighs=False, lends=False, exact=False),
    "exp4": Rule(weighs=False, lends=False, exact=False),
}
"""By the kernel's names."""
