"""Points of a finite class as rounds: each hypothesis votes; labels are a hypothesis's, a file's or a worst case's."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ..checks import positive
from ..errors import ParameterError, RegretlessError
from ..finite_classes.finite_class import refuse_empty, unpacked
from .asker import Array, Places
from .labels import Labels, ObliviousLabels
from .lower_bounds import LearnerDescription, LowerBound
from .registry import WORST
from .stochastic import key_of, key_of_run, uniforms

if TYPE_CHECKING:
    from ..finite_classes.finite_class import FiniteClass
    from ..finite_classes.learners.base import ClassLearner


STORED = 1 << 22  # numbers, those of points that may be asked for again


def votes_of(finite_class: FiniteClass, points: Any) -> Array:
    """The votes of the hypotheses on some points, -1 or 1, shape (points, hypotheses)."""
    return signed(unpacked(finite_class.columns[points], finite_class.hypotheses))


def signed(bits: Any) -> Array:
    """1 for 1, and -1 for 0."""
    signs: Array = 2 * np.asarray(bits, dtype=np.float64) - 1
    return signs


class PointLabels(Labels):
    """An environment that asks for the points of a finite class.

    A row holds the votes of all hypotheses, so that they can be experts or arms, and so that a linear learner has a
    target: the hypothesis that is right is a row's entry that is always the label.
    """

    votes: ClassVar[bool] = True
    finite_class: FiniteClass

    def __init__(self, finite_class: FiniteClass, rounds: int | None = None) -> None:
        refuse_empty(finite_class)
        super().__init__(finite_class.hypotheses, rounds, finite_class.hypothesis_names, finite_class)
        self._rows: dict[int, Array] = {}

    @property
    def parting_rounds(self) -> int:
        """Rounds by which one hypothesis is left, if each of them parts those that agree with all labels before it."""
        return max(1, min(self.columns - 1, self.finite_class.points))

    def votes_on(self, point: int) -> Array:
        """The votes of the hypotheses on a point, -1 or 1, stored for the next time."""
        row = self._rows.get(point)
        if row is None:
            if (len(self._rows) + 1) * self.columns > STORED:
                self._rows.clear()
            row = votes_of(self.finite_class, [point])[0]
            row.flags.writeable = False
            self._rows[point] = row
        return row


class RandomTarget(PointLabels, ObliviousLabels):
    """A hypothesis drawn for each run labels points that are drawn evenly; noise may turn a label round.

    With noise every learner is expected to err in at least that share of the rounds: whether a label is turned round
    is decided by a coin of its own, which nothing that was seen before knows of.

    Parameters
    ----------
    finite_class : FiniteClass
    noise : float
        The probability with which a label is turned round, below one half. With noise no hypothesis may be right in
        all rounds.
    target : int or str, optional
        The hypothesis, or its name; by default one is drawn for each run.
    seed : int
    rounds : int, optional

    Examples
    --------
    >>> from regretless.environments import RandomTarget
    >>> from regretless.finite_classes import FiniteClass, Halving
    >>> from regretless.play import play
    >>> thresholds = FiniteClass.named("thresholds:7")
    >>> play(Halving(thresholds), RandomTarget(thresholds), 10).count
    1.0
    """

    name = "random-target"

    def __init__(
        self,
        finite_class: FiniteClass,
        noise: float = 0.0,
        target: int | str | None = None,
        seed: int = 0,
        rounds: int | None = None,
    ) -> None:
        self.noise = noise_of(noise)
        self.target = None if target is None else _named(finite_class, target)
        self.seed = key_of(seed)
        super().__init__(finite_class, rounds)

    def target_of(self, run: int = 0) -> int:
        """The hypothesis of a run."""
        if self.target is not None:
            return self.target
        return int(uniforms(key_of_run(self.seed, run) ^ 1, 0, 1, 1)[0, 0] * self.finite_class.hypotheses)

    def points(self, begin: int, end: int, run: int = 0) -> Places:
        """Points that were drawn evenly."""
        return self._drawn(begin, end, run)[0]

    def block(self, begin: int, end: int, run: int = 0) -> tuple[Array, Array]:
        """Votes, and the labels of the target but for noise."""
        points, turned = self._drawn(begin, end, run)
        rows = votes_of(self.finite_class, points)
        labels = rows[:, self.target_of(run)].copy()
        labels[turned] *= -1
        return rows, labels

    def lower_bounds(self, rounds: int, opposed: LearnerDescription) -> list[LowerBound]:
        """The noise cannot be foreseen."""
        return noise_bounds(self.noise, rounds)

    def _drawn(self, begin: int, end: int, run: int) -> tuple[Places, np.ndarray[Any, np.dtype[np.bool_]]]:
        luck = uniforms(key_of_run(self.seed, run), begin, end, 2)
        points = (luck[:, 0] * self.finite_class.points).astype(np.int64)
        return points, luck[:, 1] < self.noise


class WrittenPoints(PointLabels, ObliviousLabels):
    """Points and labels from the user, a file or a worst case.

    Parameters
    ----------
    finite_class : FiniteClass
    points : sequence of int or str
        Their numbers or names.
    labels : sequence of int
        0 or 1, the label of each.
    """

    name = "written"
    alike = True

    def __init__(self, finite_class: FiniteClass, points: Sequence[int | str], labels: Sequence[int]) -> None:
        asked = [point if isinstance(point, str) else int(point) for point in points]
        self._points = np.array([finite_class.point(point) for point in asked], dtype=np.int64)
        self._labels = np.asarray(labels)
        if self._labels.shape != self._points.shape or not np.isin(self._labels, (0, 1)).all():
            raise ParameterError("labels", None, f"{len(self._points):,} numbers are expected, each 0 or 1")
        super().__init__(finite_class, len(self._points))

    def points(self, begin: int, end: int, run: int = 0) -> Places:
        """As they were written."""
        return self._points[begin:end]

    def block(self, begin: int, end: int, run: int = 0) -> tuple[Array, Array]:
        """Votes, and the written labels."""
        return votes_of(self.finite_class, self._points[begin:end]), signed(self._labels[begin:end])


def written(finite_class: FiniteClass, file: str | PathLike[str]) -> WrittenPoints:
    """Points and labels from a table of two columns.

    Parameters
    ----------
    finite_class : FiniteClass
    file : path or "-"
        Points by their names or numbers, labels 0 or 1; it may be compressed (.gz, .xz, .zst, .bz2).

    Raises
    ------
    DataError
        If something cannot be used: it names the place.
    """
    from ..data.records import read_point_labels

    rows = read_point_labels(file, finite_class.points, finite_class.point_names)
    return WrittenPoints(finite_class, rows.points.tolist(), rows.labels.tolist())


class WorstCaseLabels(WrittenPoints):
    """Points, with the labels of a hypothesis of the class, on which one learner makes the most mistakes.

    Exact dynamic programming gives them before the first round; learners that draw have no such labels.

    Parameters
    ----------
    learner : ClassLearner
        One that has played nothing.
    target : int or str, optional
        The hypothesis whose labels they are; by default that of the most mistakes.
    limit : float, optional
        How many seconds to search. If the most is not known by then, the rounds that are known force fewer mistakes.

    Attributes
    ----------
    most : WorstCase
    """

    name = WORST
    summary = "points and labels of a hypothesis that cost this very learner as much as any do"

    def __init__(self, learner: ClassLearner, limit: float | None = None, target: int | str | None = None) -> None:
        from ..finite_classes.forced_mistakes import worst_case

        place = None if target is None else _named(learner.finite_class, target)
        self.most = worst_case(learner, limit=limit, target=place)
        if not len(self.most.points):
            whose = "a hypothesis" if target is None else f"hypothesis {target}"
            reason = f"no labels of {whose} force a mistake" if self.most.exact else "none was found in that time"
            raise RegretlessError(f"{learner.name} has no worst case to play: {reason}")
        self._of = learner.name, learner.get_params()
        super().__init__(learner.finite_class, self.most.points.tolist(), self.most.labels.tolist())

    def lower_bounds(self, rounds: int, opposed: LearnerDescription) -> list[LowerBound]:
        """Its mistakes, of this learner alone and for all of the rounds."""
        if rounds != self.rounds or (opposed.learner, opposed.parameters) != self._of:
            return []
        source = "exact dynamic programming" if self.most.exact else "dynamic programming, stopped before it was done"
        return [LowerBound("Worst case", "mistakes", float(self.most.lower), source)]


def _named(finite_class: FiniteClass, target: int | str) -> int:
    try:
        return finite_class.hypothesis(target)
    except RegretlessError as error:
        raise ParameterError("target", str(target), str(error), ": ") from error


def noise_of(noise: float) -> float:
    """A probability below one half.

    Raises
    ------
    RegretlessError
        If it is none.
    """
    if positive("noise", noise, or_zero=True) >= 0.5:
        raise ParameterError("noise", repr(noise), "it must be below 0.5, or labels say nothing")
    return float(noise)


def noise_bounds(noise: float, rounds: int) -> list[LowerBound]:
    """What labels that are turned round by coins of their own cost every learner in expectation."""
    if not noise:
        return []
    return [LowerBound("Noise", "mistakes", noise * rounds, "a label's own coin", "expected")]
