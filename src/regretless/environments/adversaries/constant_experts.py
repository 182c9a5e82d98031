"""Two experts with constant votes, and labels on which both err."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...finite_classes.finite_class import FiniteClass
from ..arms.lower_bounds import FairCoins
from ..arms.stochastic import key_of, key_of_run, uniforms
from ..asker import Array, Asker, Places, opposite
from ..labels import ObliviousLabels
from ..lower_bounds import LearnerDescription, LowerBound
from ..targets.points import PointLabels, signed

if TYPE_CHECKING:
    from ..base import Environment

ROW = np.array([-1.0, 1.0])
ROW.flags.writeable = False


def two_constants() -> FiniteClass:
    """The class of the two hypotheses on a single point."""
    return FiniteClass([[0], [1]], hypotheses=["never", "always"], points=["x"])


class LabelFlipping(PointLabels):
    """Two experts, one that always votes -1 and one that always votes 1; the label is not the one that is predicted.

    A deterministic learner errs in every one of T rounds. Of the two experts one is right in at least half of them, for
    in each round one of them is: so the learner's regret is at least T / 2, and no deterministic learner has a bound
    that grows more slowly. One that draws gets the label that it is less likely to predict: it errs with a probability
    of at least one half in each round, and its regret can be small all the same (Cover 1965).

    No hypothesis of this class is right in all rounds, so theorems about finite classes do not apply.

    Parameters
    ----------
    rounds : int, optional
    """

    name = "label-flipping"
    alike = True

    def __init__(self, rounds: int | None = None) -> None:
        super().__init__(two_constants(), rounds)

    def begin(self, run: int = 0) -> Asker:
        """An asker that contradicts."""
        return _Flipping()

    def lower_bounds(self, rounds: int, opposed: LearnerDescription) -> list[LowerBound]:
        """All rounds are mistakes of a deterministic learner, and no more than half of them are an expert's."""
        source = "Cover 1965"
        if not opposed.deterministic:
            return [LowerBound("Label flipping", "expected mistakes", rounds / 2, source)]
        return [
            LowerBound("Label flipping", "mistakes", float(rounds), source),
            LowerBound("Label flipping", "regret in mistakes", float(rounds - rounds // 2), source),
        ]


class _Flipping(Asker):
    point = 0

    def row(self) -> Array:
        return ROW

    def label(self, prediction: int, probability: float | None = None) -> int:
        return opposite(prediction, probability)


class FairLabels(PointLabels, ObliviousLabels):
    """Two experts, one that always votes -1 and one that always votes 1; each label is a fair coin.

    Every learner errs in half of the rounds in expectation. The better expert's mistakes are expected to
    be fewer by `FairCoins.regret`, T C(T - 1, floor((T - 1) / 2)) / 2^T, which is at least sqrt(T / 8): every learner's
    expected regret is this very number, and no learner does better for two experts on all sequences.

    Parameters
    ----------
    seed : int
        Every run has coins of its own.
    rounds : int, optional
    """

    name = "fair-coins"

    def __init__(self, seed: int = 0, rounds: int | None = None) -> None:
        self.seed = key_of(seed)
        super().__init__(two_constants(), rounds)

    def points(self, begin: int, end: int, run: int = 0) -> Places:
        """The only one there is."""
        return np.zeros(end - begin, dtype=np.int64)

    def block(self, begin: int, end: int, run: int = 0) -> tuple[Array, Array]:
        """The same two votes, and a coin."""
        heads = uniforms(key_of_run(self.seed, run), begin, end, 1)[:, 0] < 0.5
        return np.tile(ROW, (end - begin, 1)), signed(heads)

    def as_losses(self) -> Environment:
        """The same coins for arms."""
        return FairCoins(self.rounds, self.seed)

    def lower_bounds(self, rounds: int, opposed: LearnerDescription) -> list[LowerBound]:
        """Half of the rounds, and the exact regret of the game, for every learner."""
        source = "Mohri, Rostamizadeh & Talwalkar 2012, Thm 7.5; Szarek 1976"
        return [
            LowerBound("Fair coins", "mistakes", rounds / 2, source, "expected"),
            LowerBound("Fair coins", "regret in mistakes", FairCoins.regret(rounds), source, "expected"),
        ]
