"""Environments that ask for labels, and the same rounds as a stream or as losses of arms."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ..checks import whole
from ..data.batch import Batch
from ..data.stream import Stream
from ..errors import RegretlessError
from .asker import Array, Asker, Known, Places, RowPredictor, predictor_of
from .base import Environment, Oblivious, Opponent, RoundSource

if TYPE_CHECKING:
    from ..finite_classes.finite_class import FiniteClass

CELLS = 1 << 18  # numbers that are made together


class Labels(RoundSource):
    """Picks rows and their labels, -1 or 1, round by round.

    Parameters
    ----------
    columns : int
        How many numbers a row has.
    rounds : int, optional
        How many there are; by default as many as are asked for.
    names : sequence of str, optional
        Of the columns.
    finite_class : FiniteClass, optional
        The class whose points are asked for: a row holds the votes of its hypotheses, -1 or 1.

    Attributes
    ----------
    name : str
        In the table of environments.
    votes : bool
        Whether rows hold -1 and 1 alone, so that each column can be an expert or an arm.
    """

    name: ClassVar[str] = ""
    votes: ClassVar[bool] = False

    def __init__(
        self,
        columns: int,
        rounds: int | None = None,
        names: Sequence[str] | None = None,
        finite_class: FiniteClass | None = None,
    ) -> None:
        self.columns = whole("columns", columns)
        super().__init__(rounds)
        self.names = None if names is None else [str(name) for name in names]
        self.finite_class = finite_class

    @property
    def called(self) -> str:
        """Its name."""
        return self.name

    @abstractmethod
    def begin(self, run: int = 0) -> Asker:
        """Begin one run of a learner; runs go by their numbers."""

    def stream(self, rounds: int | None = None, run: int = 0) -> Stream:
        """The rounds as batches that can be read again and again; the environment takes no notice of predictions.

        Raises
        ------
        RegretlessError
            If it does take notice.
        """
        raise RegretlessError(f"{self.name} answers to what is predicted: use against(learner), or regretless.play")

    def against(self, learner: Any, rounds: int | None = None, run: int = 0) -> Stream:
        """The rounds as a stream of single rows, each labelled once the learner was asked about it.

        Parameters
        ----------
        learner : object
            A linear learner, whose `predict_one` is asked; it is to learn each batch before it takes the next one.
            Before its first row it predicts 1. Or a learner of the same finite class, which is asked about the point;
            or a combiner of experts, whose forecast of the votes, 0 or 1, counts as 1 from one half on: these get each
            label by the stream itself. Or ``predict(row) -> label``; what is above 0 counts as 1.
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
        predictor = predictor_of(learner, self.name, self.finite_class, self.votes)
        return _AdaptiveRounds(self, predictor, self.length(rounds), run)

    def as_losses(self) -> Environment:
        """The same rounds for arms: each column is one, and it loses 1 whenever it is not the label.

        Raises
        ------
        RegretlessError
            If rows hold other numbers than -1 and 1.
        """
        if not self.votes:
            raise RegretlessError(f"the rows of {self.name} hold other numbers than -1 and 1: they are no votes")
        return ObliviousVotes(self) if isinstance(self, ObliviousLabels) else AdaptiveVotes(self)

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
        return _InTurn(self, run)

    def stream(self, rounds: int | None = None, run: int = 0) -> Stream:
        """The rounds as batches that can be read again and again."""
        return _ObliviousRounds(self, self.length(rounds), run)

    def step(self) -> int:
        """How many rounds are made together."""
        return max(1, CELLS // self.columns)


class _InTurn(Asker):
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
                f"{environment.name} has {environment.rounds:,} rounds, and {begin:,} of them were played"
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
            raise RegretlessError(f"{environment.name} has {environment.rounds:,} rounds, and all were played")
        self._first = first
        self._rows, self._labels = environment.block(first, last, self._run)
        if environment.finite_class is not None:
            self._points = environment.points(first, last, self._run)


class _Rounds(Stream):
    """So many rounds of one run."""

    def __init__(self, environment: Labels, rounds: int, run: int) -> None:
        super().__init__(environment.name)
        self._environment, self._rounds, self._run = environment, rounds, run

    def feature_names(self) -> list[str] | None:
        return self._environment.names

    def schema(self) -> dict[str, Any]:
        return {"format": "environment", "environment": self._environment.name, "columns": self._environment.columns}


class _ObliviousRounds(_Rounds):
    """The rounds of an oblivious environment."""

    _environment: ObliviousLabels

    def __init__(self, environment: ObliviousLabels, rounds: int, run: int) -> None:
        super().__init__(environment, rounds, run)

    def batches(self, skip: int = 0) -> Iterator[Batch]:
        """Rows made as they are asked for, so that no run has to fit into memory."""
        step = self._environment.step()
        for begin in range(skip, self._rounds, step):
            rows, labels = self._environment.block(begin, min(begin + step, self._rounds), self._run)
            yield Batch(rows, labels, self._environment.columns)


class _AdaptiveRounds(_Rounds):
    """The rounds of an environment that sees the prediction of a learner before it gives the label."""

    rereadable = False

    def __init__(self, environment: Labels, predictor: RowPredictor, rounds: int, run: int) -> None:
        super().__init__(environment, rounds, run)
        self._predictor = predictor

    def batches(self, skip: int = 0) -> Iterator[Batch]:
        """One row at a time; those that are passed over are played as well."""
        asker, predictor = self._environment.begin(self._run), self._predictor
        for number in range(self._rounds):
            row = asker.row()
            label = asker.label(*predictor.predict(row, asker.point))
            predictor.update(label)
            if number >= skip:
                yield Batch(row[None], np.array([float(label)]), self._environment.columns)


class ObliviousVotes(Oblivious):
    """The votes of an environment that takes no notice of what is drawn."""

    alike = False
    rewards = False

    def __init__(self, labels: ObliviousLabels) -> None:
        self.labels = labels
        super().__init__(labels.columns, labels.rounds, labels.names)

    def block(self, begin: int, end: int, run: int = 0) -> Array:
        """One where a vote is not the label, else nothing."""
        rows, labels = self.labels.block(begin, end, run)
        lost: Array = (rows != labels[:, None]).astype(np.float64)
        return lost


class AdaptiveVotes(Environment):
    """The votes of an adversary.

    It sees the probability of the prediction 1, that of the arms which vote for it: so a bandit plays against the
    same adversary as a learner that labels rows itself.
    """

    foresees: ClassVar[bool] = True
    rewards = False

    def __init__(self, labels: Labels) -> None:
        self.labels = labels
        super().__init__(labels.columns, labels.rounds, labels.names)

    def begin(self, run: int = 0) -> Opponent:
        """An opponent that looks at probabilities alone."""
        return _Voted(self.labels.begin(run))


class _Voted(Opponent):
    def __init__(self, asker: Asker) -> None:
        self._asker = asker

    def losses(self, probabilities: Array | None = None) -> Array:
        if probabilities is None:
            raise RegretlessError("this adversary wants to know the probabilities of the arms")
        row = self._asker.row()
        chance = float(probabilities[row > 0].sum())
        label = self._asker.label(1 if chance >= 0.5 else -1, chance)
        lost: Array = (row != label).astype(np.float64)
        return lost
