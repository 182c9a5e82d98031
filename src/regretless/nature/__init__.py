"""Environments: who picks the losses that a learner meets, from written tables to adversaries that watch it."""

from __future__ import annotations

from .adaptive import Adaptive, LikeliestLoses, MostDrawnLoses
from .base import Environment, Oblivious, Opponent
from .lower_bounds import FairCoins, OneBetterArm, reversal
from .stochastic import Bernoulli, Stochastic
from .switching import Drifting, Switching
from .table import Table

__all__ = [
    "Adaptive",
    "Bernoulli",
    "Drifting",
    "Environment",
    "FairCoins",
    "LikeliestLoses",
    "MostDrawnLoses",
    "Oblivious",
    "OneBetterArm",
    "Opponent",
    "Stochastic",
    "Switching",
    "Table",
    "reversal",
]
