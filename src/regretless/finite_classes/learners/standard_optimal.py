"""The standard optimal algorithm, and the base of learners that compare the parts of a version space."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ... import _core
from ...checks import one_of
from ...info import ClassInfo
from ...theorem import Theorem
from ...theory.finite_classes import STANDARD_OPTIMAL
from ..finite_class import FiniteClass, Words
from .base import ClassLearner
from .rounds import ClassPlay, Label

Array = np.ndarray[Any, Any]
FIRST, LAST = 1 << 18, 1 << 24  # words of bits between checks of Ctrl-C
LOOKS = 64  # reads of a large class between two checks
# Words for each dimension of a certificate, some seconds at most: certificates do not depend on the clock.
PATIENCE = 1 << 30


@dataclass(eq=False)
class SearchingLearner(ClassLearner):
    """A learner that compares the two parts into which a point splits the version space.

    A point that does not split it has only one label.
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        self._weighed: tuple[int, dict[int, float]] = (0, {})
        self._searching: Any = None

    @abstractmethod
    def _new_search(self) -> Any:
        """A search for a dimension of parts of the class."""

    def _search(self) -> Any:
        """The search of this learner and its copies."""
        if self._searching is None:
            self._searching = self._new_search()
        return self._searching

    def _parts(self, point: int) -> tuple[Words, Words]:
        """The hypotheses of the version space with label 0 at a point, and those with label 1."""
        words, column = self._state.version_space, self.finite_class.columns[point]
        return words & ~column, words & column

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_searching": None}

    @abstractmethod
    def _weigh(self, point: int) -> float:
        """The probability of predicting 1 at a point that splits the version space."""

    def _chance(self, point: int) -> float:
        """The probability of predicting 1; cached until a hypothesis leaves."""
        core = self._state.core
        ones, size = core.ones(point), core.size
        if ones in (0, size):
            return float(ones > 0)
        if self._weighed[0] != size:
            self._weighed = (size, {})
        known = self._weighed[1]
        if point not in known:
            known[point] = self._weigh(point)
        return known[point]

    def _play(self, points: Array, played: ClassPlay) -> None:
        for row, (point, label) in enumerate(zip(points.tolist(), played.labels.tolist(), strict=True)):
            predicted = self._say(point)
            self.__dict__["_tickets"] += 1
            self._settle(point, label, predicted)
            played.predictions[row], played.alive[row] = predicted, self._state.book[2]
            self._note(row, predicted, played)

    def _note(self, row: int, predicted: Label, played: ClassPlay) -> None:
        """Store further results of a round."""


def most_words(finite_class: FiniteClass) -> int:
    """The number of words that a search of a class reads between checks of Ctrl-C."""
    return max(LAST, LOOKS * finite_class.columns.size)


def compared(search: _core.Littlestone, one: Words, other: Words, most_at_once: int = LAST) -> int:
    """1, 0 or -1: whether the dimension of one part is larger than that of the other, equal, or smaller.

    The dimensions are computed only as far as the comparison needs.
    """
    words = FIRST
    least, most = search.run(one, words)[:2]
    other_least, other_most = search.run(other, words)[:2]
    while other_least <= most and least <= other_most and (least < most or other_least < other_most):
        words = min(2 * words, most_at_once)
        if least < most:
            least, most = search.run(one, words)[:2]
        if other_least < other_most:
            other_least, other_most = search.run(other, words)[:2]
    return (least > other_most) - (most < other_least)


def dimension_bounds(finite_class: FiniteClass, part: Words | None) -> tuple[int, int]:
    """Bounds on the dimension of a part of a class, equal unless the search reaches `PATIENCE`.

    The search is new, so that its result does not depend on earlier questions.
    """
    search: _core.Littlestone = _core.Littlestone(finite_class.columns, finite_class.hypotheses)
    left, words, most_at_once = PATIENCE, FIRST, most_words(finite_class)
    least, most, _ = search.run(part, words)
    while least < most and left > 0:
        words = min(2 * words, most_at_once)
        left -= words
        least, most, _ = search.run(part, words)
    return least, most


@dataclass(eq=False)
class StandardOptimal(SearchingLearner):
    """Predict the label whose hypotheses have the larger Littlestone dimension.

    A mistake leaves the part with the smaller dimension. Mistakes are at most the dimension of the class, and some
    labels force as many; every deterministic learner makes at least as many on some labels.

    The dimensions can take long to compute for large classes; they are cached.

    Parameters
    ----------
    tie : {0, 1}
        The prediction when both dimensions are equal.

    References
    ----------
    Littlestone 1988.

    Examples
    --------
    >>> from regretless.finite_classes import FiniteClass, StandardOptimal
    >>> thresholds = FiniteClass.named("thresholds:20")
    >>> learner = StandardOptimal(thresholds)
    >>> played = learner.play(range(20), [0] * 13 + [1] * 7)
    >>> learner.mistakes_
    1
    >>> print(str(learner.certify()[-1]).partition("  [")[0])
    Optimal, by size: mistakes 1 <= 4, against hypothesis x >= 13
    """

    tie: int = 1

    info: ClassVar[ClassInfo] = ClassInfo(
        name="standard-optimal",
        summary="the label whose hypotheses have the larger Littlestone dimension",
        draws=False,
        ordered=False,
        forced="tree",
        promises="littlestone",
        twin="standard_optimal",
    )
    theorems: ClassVar[tuple[Theorem, ...]] = STANDARD_OPTIMAL

    def __post_init__(self) -> None:
        one_of("tie", self.tie, (0, 1))
        super().__post_init__()
        self._certified: tuple[bytes, tuple[int, int]] | None = None  # version space of the last certificate

    def _say(self, point: int) -> Label:
        return Label(self._chance(point))

    def _weigh(self, point: int) -> float:
        zero, one = self._parts(point)
        costlier = compared(self._search(), one, zero, most_words(self.finite_class))
        return float(self.tie if costlier == 0 else costlier > 0)

    def _facts(self) -> dict[str, Any]:
        whole = self.finite_class.cache("Littlestone dimension", lambda: dimension_bounds(self.finite_class, None))
        return {"littlestone": whole, "littlestone_left": self._left(whole)}

    def _left(self, whole: tuple[int, int]) -> tuple[int, int]:
        """Bounds on the dimension of the version space."""
        words, key = self._state.version_space, self.state()
        if np.array_equal(words, self.finite_class.all_hypotheses):
            return whole
        if self._certified is None or self._certified[0] != key:
            least, most = dimension_bounds(self.finite_class, words)
            self._certified = key, (least, min(most, whole[1]))
        return self._certified[1]

    def _new_search(self) -> Any:
        return _core.Littlestone(self.finite_class.columns, self.finite_class.hypotheses)
