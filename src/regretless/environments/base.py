"""Environments of arms: what they share, one run of a learner in one of them, and a table of losses."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ..arrays import laid_out, names_of, numbers
from ..checks import whole
from ..errors import ParameterError, RegretlessError

if TYPE_CHECKING:
    from .lower_bounds import LearnerDescription, LowerBound


Array = np.ndarray[Any, np.dtype[np.float64]]
CELLS = 1 << 18  # losses that are made or read together


class Opponent(ABC):
    """An environment within one run: it gives the losses of the arms, and then sees which of them was drawn."""

    @abstractmethod
    def losses(self, probabilities: Array | None = None) -> Array:
        """What each arm loses in the next round; nan for an arm that is asleep.

        Parameters
        ----------
        probabilities : ndarray, optional, shape (arms,)
            Of drawing each arm in this round; of environments that ask for them.
        """

    def see(self, arm: int) -> None:  # noqa: B027 - most do not use it
        """Take note of the arm that was drawn in this round."""


class RoundSource(ABC):
    """What environments of arms and of labels share: how many rounds there are, and what these force.

    None changes while it is played: what a run leaves behind is in what `begin` gives.

    Parameters
    ----------
    rounds : int, optional
        How many there are; by default as many as are asked for.

    Attributes
    ----------
    oblivious : bool
        Whether the rounds of a run are fixed before it begins.
    alike : bool
        Whether the rounds are a function of what the learner does alone, the same in all runs.
    """

    oblivious: ClassVar[bool] = False
    alike: ClassVar[bool] = False

    def __init__(self, rounds: int | None = None) -> None:
        self.rounds = None if rounds is None else whole("rounds", rounds)

    @abstractmethod
    def begin(self, run: int = 0) -> Any:
        """Begin one run of a learner; runs go by their numbers."""

    @property
    def called(self) -> str:
        """What messages call it."""
        return "the environment"

    @property
    def default_rounds(self) -> int | None:
        """After how many rounds nothing new happens; None where there is no end."""
        return self.rounds

    def length(self, rounds: int | None) -> int:
        """How many rounds a run has: those that are asked for, or all.

        Raises
        ------
        RegretlessError
            If that is not known, or there are fewer.
        """
        if rounds is None:
            if self.rounds is None:
                raise RegretlessError(f"{self.called} goes on for ever: say how many rounds, with rounds=")
            return self.rounds
        if self.rounds is not None and whole("rounds", rounds) > self.rounds:
            raise ParameterError("rounds", str(rounds), f"{self.called} has {self.rounds:,}", ": ")
        return whole("rounds", rounds)

    def lower_bounds(self, rounds: int, opposed: LearnerDescription) -> list[LowerBound]:
        """Lower bounds on what a learner suffers in so many rounds: those that hold for this one.

        Parameters
        ----------
        rounds : int
        opposed : LearnerDescription
            The learner.

        Returns
        -------
        list of LowerBound
        """
        return []


class Environment(RoundSource):
    """Picks the losses, or rewards, of some arms, round by round.

    Parameters
    ----------
    arms : int
    rounds : int, optional
        How many there are; by default as many as are asked for.
    names : sequence of str, optional
        Of the arms; their numbers from 0 by default.

    Attributes
    ----------
    foresees : bool
        Whether its opponents ask for the probabilities of the arms.
    rewards : bool or None
        Whether its numbers are rewards; None if the learner decides.
    """

    foresees: ClassVar[bool] = False
    rewards: bool | None = None

    def __init__(self, arms: int, rounds: int | None = None, names: Sequence[str] | None = None) -> None:
        self.arms = whole("arms", arms)
        super().__init__(rounds)
        self._names = None if names is None else _named(names, self.arms)

    @property
    def names(self) -> list[str]:
        """The arms' names, or their numbers from 0."""
        return self._names or [str(arm) for arm in range(self.arms)]

    @property
    def named(self) -> bool:
        """Whether the arms have names of their own."""
        return self._names is not None

    @abstractmethod
    def begin(self, run: int = 0) -> Opponent:
        """Begin one run of a learner; runs go by their numbers."""

    def __repr__(self) -> str:
        length = "" if self.rounds is None else f", {self.rounds} rounds"
        return f"<{type(self).__name__}: {self.arms} arms{length}>"


class Oblivious(Environment):
    """An environment that takes no notice of what is drawn."""

    oblivious = True
    alike = True

    @abstractmethod
    def block(self, begin: int, end: int, run: int = 0) -> Array:
        """The losses of the rounds from `begin` (counted from 0) to before `end`, shape (end - begin, arms)."""

    def read(self, begin: int, end: int, run: int = 0) -> Array:
        """The same as an array of floats in rows.

        Raises
        ------
        RegretlessError
            If `block` gave anything else than a number for each round and arm.
        """
        losses = numbers(self.block(begin, end, run), type(self).__name__)
        if losses.shape != (end - begin, self.arms):
            expected = f"{end - begin} rounds of {self.arms} arms"
            raise RegretlessError(f"{type(self).__name__} gave losses of shape {losses.shape}, for {expected}")
        return losses

    def losses(self, t: int, run: int = 0) -> Array:
        """What each arm loses in round t, counted from 0."""
        row: Array = self.read(t, t + 1, run)[0]
        return row

    def begin(self, run: int = 0) -> Opponent:
        """The rounds in their order."""
        return Recital(self, run)

    def best(self, rounds: int | None = None, run: int = 0, *, rewards: bool = False) -> tuple[int, float]:
        """The arm with the least sum (with rewards, the largest) over the first rounds, and that sum.

        An arm that was asleep at times is passed over.
        """
        length = self.length(rounds)
        totals = np.zeros(self.arms)
        step = max(1, CELLS // self.arms)
        for begin in range(0, length, step):
            totals += self.read(begin, min(begin + step, length), run).sum(0, dtype=np.float64)
        if np.isnan(totals).all():
            raise RegretlessError("every arm was asleep at times, so that none of them can be drawn in every round")
        arm = int(np.nanargmax(totals) if rewards else np.nanargmin(totals))
        return arm, float(totals[arm])


class Recital(Opponent):
    """The rounds of an oblivious environment, one after the other."""

    def __init__(self, environment: Oblivious, run: int) -> None:
        self._environment, self._run = environment, run
        self._t, self._first, self._block = 0, 0, np.empty((0, environment.arms))

    def losses(self, probabilities: Array | None = None) -> Array:
        """The next row; after the last one, an error."""
        if self._t - self._first >= len(self._block):
            self._first, last = self._t, self._t + max(1, min(4096, CELLS // self._environment.arms))
            if self._environment.rounds is not None:
                last = min(last, self._environment.rounds)
            if last <= self._first:
                raise RegretlessError(f"the environment has {self._environment.rounds:,} rounds, and all were played")
            self._block = self._environment.read(self._first, last, self._run)
        self._t += 1
        row: Array = self._block[self._t - 1 - self._first]
        return row


def _named(names: Sequence[str], arms: int) -> list[str]:
    texts = [str(name) for name in names]
    if len(texts) != arms or len(set(texts)) < arms:
        raise RegretlessError(f"{len(set(texts)):,} names for {arms:,} arms; each needs a name of its own")
    return texts


class Table(Oblivious):
    """A table of losses, or of rewards: rows are rounds, columns are arms, nan where an arm is asleep.

    Parameters
    ----------
    losses : array-like of shape (rounds, arms)
        An array, also one that is mapped from a file, or a data frame or Arrow table, whose columns name the arms. An
        array of float32 or float64 in rows is used where it is; anything else is copied.
    names : sequence of str, optional
        Of the arms.

    Examples
    --------
    >>> table = Table([[0.0, 1.0], [0.5, 0.0]], names=["left", "right"])
    >>> table.best()
    (0, 0.5)
    """

    def __init__(self, losses: Any, names: Sequence[str] | None = None) -> None:
        self.table = _table(losses)
        super().__init__(self.table.shape[1], len(self.table), names if names is not None else names_of(losses))

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.table = laid_out(self.table)  # it may have come by a wire

    def block(self, begin: int, end: int, run: int = 0) -> Array:
        """The rows themselves."""
        return self.table[begin:end]


def _table(losses: Any) -> Array:
    table = numbers(losses, "losses")
    if table.ndim != 2 or 0 in table.shape:
        raise RegretlessError(f"losses of shape {table.shape}: a row for each round and a column for each arm")
    return table
