"""Environments that ask for labels: who picks the rows, and what they are called once a learner has answered."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ..checks import whole
from ..errors import ParameterError, RegretlessError
from .lower_bounds import LearnerDescription, LowerBound

if TYPE_CHECKING:
    from ..data.stream import Stream
    from ..finite_classes.finite_class import FiniteClass
    from .base import Environment

Array = np.ndarray[Any, np.dtype[np.float64]]
Places = np.ndarray[Any, np.dtype[np.int64]]
Known = tuple[Array, Array, Places | None]
CELLS = 1 << 18  # numbers that are made together


class Asker(ABC):
    """An environment within one run: it shows a row, hears a prediction and says the label.

    Attributes
    ----------
    point : int
        Of an environment of a finite class: the point whose row was shown last.
    settled : bool
        Whether nothing that is said from now on makes a difference, so that all that follows is known.
    """

    point: int = -1
    settled: bool = False

    @abstractmethod
    def row(self) -> Array:
        """The row of the next round, asked for once a round; it is never changed afterwards."""

    @abstractmethod
    def label(self, prediction: int, probability: float | None = None) -> int:
        """The label of that row.

        Parameters
        ----------
        prediction : {-1, 1}
            What the learner says, or said most likely.
        probability : float, optional
            That of the learner's saying 1, if it draws; the environment does not know what was drawn.

        Returns
        -------
        {-1, 1}
        """

    def ahead(self, rounds: int) -> Known | None:
        """So many rounds at once, instead of one at a time; None of an asker that is not settled.

        Parameters
        ----------
        rounds : int
            The next ones; the asker goes on behind them. No row may wait for its label.

        Returns
        -------
        rows : ndarray, shape (rounds, columns)
        labels : ndarray, shape (rounds,)
        points : ndarray, shape (rounds,), or None
            Where there is a finite class, the points of the rows.
        """
        return None


class Labels(ABC):
    """Whatever picks rows and their labels, -1 or 1, round by round.

    It never changes while it is played: what a run leaves behind is in the asker that `begin` gives.

    Parameters
    ----------
    columns : int
        How many numbers a row has.
    rounds : int, optional
        How many there are; by default as many as are asked for.
    names : sequence of str, optional
        Of the columns.
    finite_class : FiniteClass, optional
        The class whose points are asked for: a row is what its hypotheses say of the point, -1 or 1.

    Attributes
    ----------
    name : str
        In the table of environments.
    oblivious : bool
        Whether the rounds of a run are fixed before it begins.
    alike : bool
        Whether the rounds are a function of what the learner does alone, the same in all runs.
    votes : bool
        Whether rows hold -1 and 1 alone, so that each column can be an expert or an arm.
    """

    name: ClassVar[str] = ""
    oblivious: ClassVar[bool] = False
    alike: ClassVar[bool] = False
    votes: ClassVar[bool] = False

    def __init__(
        self,
        columns: int,
        rounds: int | None = None,
        names: Sequence[str] | None = None,
        finite_class: FiniteClass | None = None,
    ) -> None:
        self.columns = whole("columns", columns)
        self.rounds = None if rounds is None else whole("rounds", rounds)
        self.names = None if names is None else [str(name) for name in names]
        self.finite_class = finite_class

    @property
    def default_rounds(self) -> int | None:
        """How many rounds it takes to see all that it does; None where it never comes to an end."""
        return self.rounds

    @abstractmethod
    def begin(self, run: int = 0) -> Asker:
        """Meet one run of a learner; runs are told apart by their numbers."""

    def stream(self, rounds: int | None = None, run: int = 0) -> Stream:
        """The rounds as batches that can be read again and again; the environment takes no notice of predictions.

        Raises
        ------
        RegretlessError
            If it does take notice.
        """
        raise RegretlessError(f"{self.name} answers to what is predicted: use against(learner), or regretless.play")

    def promises(self, rounds: int, opposed: LearnerDescription) -> list[LowerBound]:
        """What it is sure to do to a learner in so many rounds, as far as it holds for this one."""
        return []

    def length(self, rounds: int | None) -> int:
        """How many rounds a run has: those that are asked for, or all.

        Raises
        ------
        RegretlessError
            If that is not known, or there are fewer.
        """
        if rounds is None:
            if self.rounds is None:
                raise RegretlessError(f"{self.name} goes on for ever: say how many rounds, with rounds=")
            return self.rounds
        if self.rounds is not None and whole("rounds", rounds) > self.rounds:
            raise ParameterError("rounds", str(rounds), f"{self.name} has {self.rounds}", ": ")
        return whole("rounds", rounds)

    def against(self, learner: Any, rounds: int | None = None, run: int = 0) -> Stream:
        """The rounds as a stream of single rows, each labelled once the learner was asked about it.

        Parameters
        ----------
        learner : object
            A linear learner, whose `predict_one` is asked; it is to learn each batch before it takes the next one.
            Before its first row it says 1. Or a learner of this very finite class, which is asked about the point; or a
            combiner of experts, whose forecast of the votes, 0 or 1, counts as 1 from one half on: these are told each
            label by the stream itself. Or ``predict(row) -> label``; whatever is above 0 counts as 1.
        rounds : int, optional
        run : int

        Returns
        -------
        Stream
            Each reading of it is a new game.

        Raises
        ------
        RegretlessError
            If such a learner cannot be asked about such rows.

        Examples
        --------
        >>> from regretless.linear import Perceptron
        >>> from regretless.environments import Orthonormal
        >>> learner = Perceptron()
        >>> for batch in Orthonormal(columns=4).against(learner, rounds=10).batches():
        ...     learner.observe(batch)
        >>> int(learner.ledger_.updates)
        4

        >>> from regretless.finite_classes import FiniteClass, Halving
        >>> from regretless.environments import ShatteredTree
        >>> thresholds = FiniteClass.named("thresholds:20")
        >>> learner = Halving(thresholds)
        >>> played = list(ShatteredTree(thresholds).against(learner, rounds=10).batches())
        >>> learner.rounds_, learner.mistakes_
        (10, 4)
        """
        from .ask import listener_of
        from .stream import Asked

        return Asked(self, listener_of(self, learner), self.length(rounds), run)

    def as_losses(self) -> Environment:
        """The same rounds for arms: each column is one, and it loses 1 whenever it is not the label.

        Raises
        ------
        RegretlessError
            If rows hold other numbers than -1 and 1.
        """
        from .rows_as_arms import votes_as_losses

        return votes_as_losses(self)

    def __repr__(self) -> str:
        length = "" if self.rounds is None else f", {self.rounds} rounds"
        return f"<{type(self).__name__}: {self.columns} columns{length}>"


class ObliviousLabels(Labels):
    """An environment that takes no notice of predictions."""

    oblivious = True

    @abstractmethod
    def block(self, begin: int, end: int, run: int = 0) -> tuple[Array, Array]:
        """Rows and labels of the rounds from `begin` (counted from 0) to before `end`."""

    def points(self, begin: int, end: int, run: int = 0) -> Places:
        """The points of these rounds, where there is a finite class.

        Raises
        ------
        RegretlessError
            If there is none.
        """
        raise RegretlessError(f"{self.name} asks for rows, not for points of a finite class")

    def begin(self, run: int = 0) -> Asker:
        """The rounds in their order."""
        return _Recited(self, run)

    def stream(self, rounds: int | None = None, run: int = 0) -> Stream:
        """The rounds as batches that can be read again and again."""
        from .stream import Told

        return Told(self, self.length(rounds), run)

    def step(self) -> int:
        """How many rounds are made together."""
        return max(1, CELLS // self.columns)


def opposite(prediction: int, probability: float | None) -> int:
    """The label that the learner does not say, or is less likely to say."""
    if probability is None:
        return -1 if prediction > 0 else 1
    return -1 if probability >= 0.5 else 1


class _Recited(Asker):
    settled = True

    def __init__(self, environment: ObliviousLabels, run: int) -> None:
        self._environment, self._run = environment, run
        self._first, self._t = 0, -1
        self._rows, self._labels = np.empty((0, environment.columns)), np.empty(0)
        self._points: Places | None = None

    def row(self) -> Array:
        self._t += 1
        if self._t - self._first >= len(self._rows):
            self._read()
        place = self._t - self._first
        if self._points is not None:
            self.point = int(self._points[place])
        row: Array = self._rows[place]
        return row

    def label(self, prediction: int, probability: float | None = None) -> int:
        return int(self._labels[self._t - self._first])

    def ahead(self, rounds: int) -> Known | None:
        environment, begin = self._environment, self._t + 1
        end = begin + rounds
        if environment.rounds is not None and end > environment.rounds:
            raise RegretlessError(
                f"{environment.name} has {environment.rounds} rounds, and {begin} of them were played"
            )
        self._first, self._t = end, end - 1
        self._rows, self._labels = self._rows[:0], self._labels[:0]
        points = None if environment.finite_class is None else environment.points(begin, end, self._run)
        rows, labels = environment.block(begin, end, self._run)
        return rows, labels, points

    def _read(self) -> None:
        environment, first = self._environment, self._t
        last = first + min(4096, environment.step())
        if environment.rounds is not None:
            last = min(last, environment.rounds)
        if last <= first:
            raise RegretlessError(f"{environment.name} has {environment.rounds} rounds, and all were played")
        self._first = first
        self._rows, self._labels = environment.block(first, last, self._run)
        if environment.finite_class is not None:
            self._points = environment.points(first, last, self._run)
