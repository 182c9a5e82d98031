"""Environments whose losses depend on the draws so far."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...errors import RegretlessError
from ..base import Array, Environment, Opponent
from ..lower_bounds import LearnerDescription, LowerBound

Arms = np.ndarray[Any, np.dtype[np.int64]]


class Adaptive(Environment):
    """Losses that are a function of the arms that were drawn so far.

    Parameters
    ----------
    function : callable
        ``function(drawn) -> losses``: from the arms of all earlier rounds of the run, an array of whole numbers that
        is not to be changed, to a loss for each arm; nan for one that is asleep.
    arms : int
    rounds : int, optional
    names : sequence of str, optional

    Examples
    --------
    >>> again = Adaptive(lambda drawn: [1.0, 0.0] if len(drawn) and drawn[-1] == 0 else [0.0, 1.0], arms=2)
    >>> run = again.begin()
    >>> run.see(0)
    >>> run.losses()
    array([1., 0.])
    """

    def __init__(
        self,
        function: Callable[[Arms], Any],
        arms: int,
        rounds: int | None = None,
        names: Sequence[str] | None = None,
    ) -> None:
        self.function = function
        super().__init__(arms, rounds, names)

    def begin(self, run: int = 0) -> Opponent:
        """An opponent that remembers every arm."""
        return _Remembering(self)


class _Remembering(Opponent):
    def __init__(self, environment: Adaptive) -> None:
        self._function, self._arms = environment.function, environment.arms
        self._drawn, self._count = np.empty(64, dtype=np.int64), 0

    def losses(self, probabilities: Array | None = None) -> Array:
        drawn = self._drawn[: self._count]
        drawn.flags.writeable = False
        losses = np.asarray(self._function(drawn), dtype=np.float64)
        if losses.shape != (self._arms,):
            raise RegretlessError(f"losses of shape {losses.shape}: one for each of {self._arms} arms is expected")
        return losses

    def see(self, arm: int) -> None:
        if self._count == len(self._drawn):
            self._drawn = np.concatenate([self._drawn, np.empty_like(self._drawn)])
        self._drawn[self._count] = arm
        self._count += 1


class LikeliestLoses(Environment):
    """The arm that is about to be drawn with the largest probability loses 1, the others nothing.

    Against a learner that knows what it will do, as one that follows the leader, this is the adversary of all lower
    bounds for deterministic learners: such a learner loses in every round, and some arm in at most one of K (Cover
    1965; Cesa-Bianchi and Lugosi 2006, section 4.1). A learner that draws loses at least 1/K in expectation.

    Parameters
    ----------
    arms : int
    rounds : int, optional
    names : sequence of str, optional
    """

    foresees = True
    rewards = False

    def begin(self, run: int = 0) -> Opponent:
        """An opponent that looks at probabilities alone."""
        return _AgainstTheLikeliest(self.arms)

    def lower_bounds(self, rounds: int, opposed: LearnerDescription) -> list[LowerBound]:
        """The likeliest of K arms has a probability of at least 1 / K; of a deterministic learner, of 1."""
        source = "Cover 1965"
        if not opposed.deterministic:
            return [LowerBound("Likeliest arm loses", "loss", rounds / self.arms, source, "expected")]
        return [
            LowerBound("Likeliest arm loses", "loss", float(rounds), source),
            LowerBound("Likeliest arm loses", "regret", float(rounds - rounds // self.arms), source),
        ]


class _AgainstTheLikeliest(Opponent):
    def __init__(self, arms: int) -> None:
        self._row = np.zeros(arms)

    def losses(self, probabilities: Array | None = None) -> Array:
        if probabilities is None:
            raise RegretlessError("this adversary wants to know the probabilities of the arms")
        self._row[:] = 0
        self._row[int(np.argmax(probabilities))] = 1
        return self._row


class MostDrawnLoses(Environment):
    """The arm that was drawn most often so far loses 1, the others nothing; of several, the first.

    It needs to see the arms alone, so that it can be played against learners outside of this library too.

    Parameters
    ----------
    arms : int
    rounds : int, optional
    names : sequence of str, optional
    """

    rewards = False

    def begin(self, run: int = 0) -> Opponent:
        """An opponent that counts."""
        return _AgainstTheMostDrawn(self.arms)


class _AgainstTheMostDrawn(Opponent):
    def __init__(self, arms: int) -> None:
        self._row, self._counts = np.zeros(arms), np.zeros(arms, dtype=np.int64)

    def losses(self, probabilities: Array | None = None) -> Array:
        self._row[:] = 0
        self._row[int(np.argmax(self._counts))] = 1
        return self._row

    def see(self, arm: int) -> None:
        self._counts[arm] += 1
