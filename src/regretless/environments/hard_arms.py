"""Arms that are hard on a learner: they watch the draws, or no learner does better on them than a known number."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import sqrt
from typing import Any

import numpy as np

from ..checks import share, whole
from ..errors import ParameterError, RegretlessError
from .base import Array, Environment, Opponent, Table
from .lower_bounds import LearnerDescription, LowerBound
from .stochastic import Stochastic, World, key_of, key_of_run, uniforms

Arms = np.ndarray[Any, np.dtype[np.int64]]


class OneBetterArm(Stochastic):
    """All arms lose a fair coin but for one, drawn anew for every run, that loses a little less often.

    With a gap of min(1, sqrt(K / T)) / 4 every learner's regret is in expectation at least `regret`,
    min(T, sqrt(K T)) / 20 (Auer, Cesa-Bianchi, Freund and Schapire 2002, Theorem 5.1 and its proof). The numbers are
    losses.

    Parameters
    ----------
    arms : int
        At least 2.
    rounds : int
    seed : int
    gap : float, optional
        By how much the better arm's mean is below one half.
    names : sequence of str, optional

    Examples
    --------
    >>> from regretless.bandits import Exp3
    >>> from regretless.environments import OneBetterArm
    >>> from regretless.play import play
    >>> play(Exp3(seed=0), OneBetterArm(4, rounds=1000), 1000).count
    501.0
    """

    alike = False

    def __init__(
        self, arms: int, rounds: int, seed: int = 0, gap: float | None = None, names: Sequence[str] | None = None
    ) -> None:
        if whole("arms", arms) < 2:
            raise ParameterError("arms", str(arms), "it must be at least 2, or there is nothing to learn")
        hardest = min(1.0, sqrt(arms / whole("rounds", rounds))) / 4
        self.gap = hardest if gap is None else share("gap", gap)
        if self.gap > 0.5:
            raise ParameterError("gap", repr(gap), "it must be at most 0.5")
        self.seed = key_of(seed)
        super().__init__(arms, rounds, names)

    def better(self, run: int = 0) -> int:
        """The better arm of a run."""
        return int(uniforms(key_of_run(self.seed, run) ^ 1, 0, 1, 1)[0, 0] * self.arms)

    def world(self, run: int = 0) -> World:
        """One stretch, with noise of the run's own."""
        means = np.full((1, self.arms), 0.5)
        means[0, self.better(run)] -= self.gap
        return World(means, np.zeros(1, dtype=np.int64), key_of_run(self.seed, run))

    def lower_bounds(self, rounds: int, opposed: LearnerDescription) -> list[LowerBound]:
        """Of the theorem's own gap and number of rounds, for learners that see the loss of one arm."""
        hardest = OneBetterArm(self.arms, rounds).gap
        if self.gap != hardest or opposed.kind != "bandits" or opposed.informed:
            return []
        source = "Auer, Cesa-Bianchi, Freund & Schapire 2002, Theorem 5.1"
        return [LowerBound("One better arm", "regret", OneBetterArm.regret(self.arms, rounds), source, "expected")]

    @staticmethod
    def regret(arms: int, rounds: int) -> float:
        """What every learner's regret is at least, in expectation over the runs, with the gap of the theorem."""
        return min(float(rounds), sqrt(arms * rounds)) / 20


def reversal(rounds: int, early: float = 0.25) -> Table:
    """A table of two arms in which what was learned in the first half is wrong in the second one.

    At first the second arm is the better one by `early`, later the first one by 1. Exp3 may have driven the first
    arm's probability so low by then that it does not come back in time, and it does so in a constant share of its
    runs: its regret has heavy tails, which implicit exploration cures (Lattimore and Szepesvári 2020, notes and
    exercises of chapters 11 and 12).

    Parameters
    ----------
    rounds : int
    early : float
        Between 0 and 1.
    """
    half = whole("rounds", rounds) // 2
    losses = np.empty((rounds, 2))
    losses[:half] = [1.0, 1 - share("early", early)]
    losses[half:] = [0.0, 1.0]
    return Table(losses)


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
