"""What an environment is sure to do to a learner; those of arms have their bounds here, by their kind."""

from __future__ import annotations

from typing import Any

from .arms.adaptive import LikeliestLoses
from .arms.lower_bounds import FairCoins, OneBetterArm
from .labels import Labels
from .lower_bounds import LearnerDescription, LowerBound


def lower_bounds_of(environment: Any, rounds: int, opposed: LearnerDescription) -> list[LowerBound]:
    """What an environment promises to do to a learner in so many rounds.

    Parameters
    ----------
    environment : Labels or Environment
    rounds : int
    opposed : LearnerDescription

    Returns
    -------
    list of LowerBound
        Those alone that hold for this learner.
    """
    if isinstance(environment, Labels):
        return environment.promises(rounds, opposed)
    if isinstance(environment, FairCoins):
        return _coins(rounds)
    if isinstance(environment, OneBetterArm):
        return _one_better(environment, rounds, opposed)
    if isinstance(environment, LikeliestLoses):
        return _likeliest(environment.arms, rounds, opposed)
    return []


def _coins(rounds: int) -> list[LowerBound]:
    source = "Mohri, Rostamizadeh & Talwalkar 2012, Thm 7.5; Szarek 1976"
    return [
        LowerBound("Fair coins", "loss", rounds / 2, source, "expected"),
        LowerBound("Fair coins", "regret", FairCoins.regret(rounds), source, "expected"),
    ]


def _one_better(environment: OneBetterArm, rounds: int, opposed: LearnerDescription) -> list[LowerBound]:
    """The theorem is about its own gap, for its own number of rounds, and about learners that see one arm's loss."""
    hardest = OneBetterArm(environment.arms, rounds).gap
    if environment.gap != hardest or opposed.kind != "bandits" or opposed.informed:
        return []
    source = "Auer, Cesa-Bianchi, Freund & Schapire 2002, Theorem 5.1"
    return [LowerBound("One better arm", "regret", OneBetterArm.regret(environment.arms, rounds), source, "expected")]


def _likeliest(arms: int, rounds: int, opposed: LearnerDescription) -> list[LowerBound]:
    """The likeliest of K arms has a probability of at least 1 / K; of a deterministic learner, of 1."""
    source = "Cover 1965"
    if not opposed.deterministic:
        return [LowerBound("Likeliest arm loses", "loss", rounds / arms, source, "expected")]
    return [
        LowerBound("Likeliest arm loses", "loss", float(rounds), source),
        LowerBound("Likeliest arm loses", "regret", float(rounds - rounds // arms), source),
    ]
