"""One learner against one environment, round by round: what every kind of learner does in its own way."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Any, ClassVar, cast

import numpy as np

from ..finite_classes.finite_class import unpacked

if TYPE_CHECKING:
    from ..certificate import Certificate
    from ..environments.asker import Asker
    from ..environments.labels import Labels, ObliviousLabels
    from ..finite_classes.finite_class import FiniteClass


Array = np.ndarray[Any, Any]
AT_ONCE = 1 << 16  # numbers that a block of rounds holds
WATCHED = 256  # rounds that are played in Python before `stop` is called
PATIENCE = 0.05  # seconds after which it is called anyway, for a round may take long
NARROW = 16  # numbers of a row, or weights, that a trace shows


class MistakeTally:
    """Mistakes of a learner, and of each column where rows are votes.

    Parameters
    ----------
    voters : int
        How many columns vote; 0 if rows are no votes.
    finite_class : FiniteClass, optional
        Whose hypotheses vote on its points: the labels of each point are counted then, and the votes when asked for.

    Attributes
    ----------
    mistakes : int or None
        None of a learner that predicts probabilities only.
    expected : float
        The sum of the probabilities of wrong labels.
    """

    def __init__(self, voters: int, finite_class: FiniteClass | None = None) -> None:
        self.mistakes: int | None = 0
        self.expected = 0.0
        self._voters = np.zeros(voters, dtype=np.int64)
        self._class = finite_class if voters else None
        self._labels = np.zeros((2, 0 if finite_class is None else finite_class.points), dtype=np.int64)

    def count(self, wrong: int | None, chance: float) -> None:
        """Some rounds of the learner: how many were wrong, and how many were to be expected."""
        self.mistakes = None if wrong is None or self.mistakes is None else self.mistakes + int(wrong)
        self.expected += float(chance)

    def votes(self, rows: Array, labels: Array, points: Array | None) -> None:
        """The same rounds, as the columns saw them."""
        if self._class is not None:
            for label, counts in zip((-1, 1), self._labels, strict=True):
                counts += np.bincount(points[labels == label], minlength=len(counts))  # type: ignore[index]
        elif len(self._voters):
            self._voters += np.count_nonzero(rows != labels[:, None], axis=0)

    def vote(self, row: Array, label: int, point: int | None) -> None:
        """One round."""
        if self._class is not None:
            self._labels[int(label > 0), point] += 1
        elif len(self._voters):
            self._voters += row != label

    @property
    def _wrong(self) -> Array:
        """Mistakes of each column so far; of hypotheses the points are added up that were asked for."""
        if self._class is None:
            return self._voters
        wrong = self._voters.copy()
        for point in np.flatnonzero(self._labels.sum(axis=0)):
            zeros, ones = self._labels[:, point]
            votes = unpacked(self._class.columns[point : point + 1], len(wrong))[0]
            wrong += np.where(votes, zeros, ones)
        return wrong

    @property
    def best(self) -> int | None:
        """Mistakes of the best column."""
        return int(self._wrong.min()) if len(self._voters) else None

    @property
    def leader(self) -> int | None:
        """The best column, the first of several."""
        return int(self._wrong.argmin()) if len(self._voters) else None

    def observed(self) -> dict[str, float]:
        """By the names that lower bounds have for it."""
        quantities = {"expected mistakes": self.expected}
        if self.mistakes is not None:
            quantities["mistakes"] = float(self.mistakes)
        best = self.best
        if best is not None:
            likely = self.expected - best
            quantities["expected regret in mistakes"] = likely
            quantities["regret in mistakes"] = likely if self.mistakes is None else float(self.mistakes - best)
        return quantities


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """Counts after some rounds; of several runs, their means.

    Attributes
    ----------
    rounds : int
    count : float
        What the learner is counted by: its mistakes, or its loss.
    best : float or None
        The same of the best fixed hypothesis, expert or arm, where there is one.
    more : float or None
        How many hypotheses are left, of a learner of a finite class; how many updates a linear learner made.
    """

    rounds: int
    count: float
    best: float | None = None
    more: float | None = None

    @property
    def regret(self) -> float | None:
        """How much more it is than the best."""
        return None if self.best is None else self.count - self.best


class Player(ABC):
    """One run.

    Attributes
    ----------
    learner : object
        It is moved by the rounds.
    rounds : int
        How many were played.
    counts : str
        "mistakes" or "loss": what points count.
    more : str
        What else they have; empty if nothing.
    """

    counts: ClassVar[str] = "mistakes"
    more: ClassVar[str] = ""
    learner: Any
    rounds: int

    @abstractmethod
    def play(self, rounds: int) -> None:
        """Play at most so many rounds more, and at least one."""

    @abstractmethod
    def point(self) -> CurvePoint:
        """The counts so far."""

    @abstractmethod
    def observed(self) -> dict[str, float]:
        """What was counted, by the names that lower bounds have for it."""

    def certificates(self) -> list[Certificate]:
        """Each theorem about the learner, with the numbers of this run."""
        certificates: list[Certificate] = self.learner.certify()
        return certificates

    @property
    def is_long(self) -> bool:
        """Whether its certificates take more than a moment, and are left out once it was stopped."""
        return False

    def cheaply(self) -> list[Certificate]:
        """The same, where that takes long with worse numbers: of many runs those that are not shown."""
        return self.certificates()


@dataclass(frozen=True, slots=True)
class LabelRound:
    """One round for labels.

    Attributes
    ----------
    row : ndarray
    point : int or None
        Of a finite class.
    chance : float or None
        Of the prediction 1, of a learner that draws.
    label : {-1, 1}
    wrong : int or None
    """

    row: Array
    point: int | None
    chance: float | None
    label: int
    wrong: int | None


class LabelPlayer(Player):
    """One run for labels: the learner predicts, the environment labels."""

    careful: ClassVar[bool] = False  # whether a round may take so long that blocks have to begin small

    def __init__(self, environment: Labels, run: int) -> None:
        self.environment, self.run, self.rounds = environment, run, 0
        self.tally = MistakeTally(environment.columns if environment.votes else 0, environment.finite_class)
        self._asker = None if environment.oblivious and self.blocks else environment.begin(run)
        self._most = max(1, AT_ONCE // environment.columns)
        self._step = 1 if self.careful else self._most

    @property
    def blocks(self) -> bool:
        """Whether the learner can play many rounds at once."""
        return True

    @abstractmethod
    def predict(self, row: Array, point: int | None) -> tuple[int, float | None]:
        """Predict -1 or +1; also the probability of +1, if the learner draws.

        A learner that draws gives the likelier label here: no environment may know its coin.
        """

    @abstractmethod
    def update(self, row: Array, label: int) -> tuple[int | None, float]:
        """Take the label of the round that was predicted last.

        Returns
        -------
        wrong : int or None
            1 if the prediction was wrong, else 0; None of a learner that predicts probabilities only.
        chance : float
            The probability with which it was.
        """

    @abstractmethod
    def play_block(self, rows: Array, points: Array | None, labels: Array) -> tuple[int | None, float]:
        """Play a block of rounds, all of them known; the sums of what `update` gives."""

    def play(self, rounds: int) -> None:
        """Play in blocks where that can be done: where no prediction makes a difference."""
        if self.blocks and (self._asker is None or self._asker.settled):
            self._block(min(rounds, self._step))
            return
        asker = self._asker
        assert asker is not None
        ends = perf_counter() + PATIENCE
        for _ in range(min(rounds, WATCHED)):
            self.turn(asker)
            if asker.settled or perf_counter() > ends:
                break

    def _block(self, rounds: int) -> None:
        begun, end = perf_counter(), self.rounds + rounds
        rows, labels, points = self._ahead(end)
        self.tally.count(*self.play_block(rows, points, labels))
        self.tally.votes(rows, labels, points)
        self.rounds = end
        quick = perf_counter() - begun < PATIENCE / 4
        self._step = min(self._most, 2 * self._step) if quick else max(1, self._step // 2)

    def _ahead(self, end: int) -> tuple[Array, Array, Array | None]:
        if self._asker is not None:
            values = self._asker.ahead(end - self.rounds)
            assert values is not None
            return values
        environment = cast("ObliviousLabels", self.environment)
        rows, labels = environment.block(self.rounds, end, self.run)
        return (
            rows,
            labels,
            None if environment.finite_class is None else environment.points(self.rounds, end, self.run),
        )

    def turn(self, asker: Asker) -> LabelRound:
        """One round."""
        row = asker.row()
        point = None if self.environment.finite_class is None else asker.point
        predicted, chance = self.predict(row, point)
        label = asker.label(predicted, chance)
        wrong, expected = self.update(row, label)
        self.tally.count(wrong, expected)
        self.tally.vote(row, label, point)
        self.rounds += 1
        return LabelRound(row, point, chance, label, wrong)

    def after(self, turn: LabelRound) -> dict[str, Any]:
        """What else a trace shows of a round that was played."""
        return {}

    def observed(self) -> dict[str, float]:
        """Mistakes and the regret in them, in all and as was to be expected; and the regret in what points count."""
        regret = self.point().regret
        return self.tally.observed() | ({} if regret is None else {"regret": float(regret)})
