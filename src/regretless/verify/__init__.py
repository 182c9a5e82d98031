"""A second opinion: certificates of a report computed again from the data and plain formulas.

Nothing here imports the learners, their kernels or their theory: rows come from the readers, runs from the textbook,
sums from numpy, and bounds from the formulas as they are printed.
"""

from __future__ import annotations

from . import bandits, experts, explore, games, linear, off_policy, regression
from .certificates import Again, whole
from .checks import Check, Malformed, Number
from .shape import refuse_misshapen

__all__ = [
    "Again",
    "Check",
    "Malformed",
    "Number",
    "bandits",
    "experts",
    "explore",
    "games",
    "linear",
    "off_policy",
    "refuse_misshapen",
    "regression",
    "whole",
]
