"""The standard optimal algorithm: no deterministic learner has a better bound."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np

from ... import _core
from ...checks import one_of
from ...info import ClassInfo
from ...theorem import Theorem
from ...theory.finite_classes import STANDARD_OPTIMAL
from ..finite_class import FiniteClass, Words
from .result import Label
from .search_learner import SearchingLearner

FIRST, LAST = 1 << 18, 1 << 24  # words of bits between looks at Ctrl-C
LOOKS = 64  # at the whole class, between two of those, where it is large: a search gets on by some looks at a time
# Words for each dimension that certificates ask for: some seconds at most. No clock says what they certify.
PATIENCE = 1 << 30


class Search(Protocol):
    """A search for Littlestone dimensions that goes on where it stood."""

    def run(self, alive: Any, words: int, /) -> tuple[int, int, int]:
        """Numbers between which the dimension lies, after a look at so many words, and how many steps that took."""


def most_words(finite_class: FiniteClass) -> int:
    """How many words a search of a class looks at between looks at Ctrl-C."""
    return max(LAST, LOOKS * finite_class.columns.size)


def compared(search: Search, one: Words, other: Words, most_at_once: int = LAST) -> int:
    """1, 0 or -1: whether the dimension of one part is larger than that of the other, the same, or smaller.

    No more is found out of either than that takes.
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
    """Numbers between which the dimension of a part of a class lies: one number, unless the search loses its patience.

    The search knows nothing when it begins, so that it tells the same whatever was found out before, and by whom.
    """
    search: Search = _core.Littlestone(finite_class.columns, finite_class.hypotheses)
    left, words, most_at_once = PATIENCE, FIRST, most_words(finite_class)
    least, most, _ = search.run(part, words)
    while least < most and left > 0:
        words = min(2 * words, most_at_once)
        left -= words
        least, most, _ = search.run(part, words)
    return least, most


@dataclass(eq=False)
class StandardOptimal(SearchingLearner):
    """Predict the label whose hypotheses would be costlier to learn.

    Of those that are left, some say 0 of a point and some 1. The label is predicted whose hypotheses have the larger
    Littlestone dimension, so that a mistake leaves those that have the smaller one. There are at most as many mistakes
    as the dimension of the class, and labels that force them; every other deterministic learner can be made to err as
    often at least.

    It has to know the dimensions of what is left: that can take long for large classes, and is remembered.

    Parameters
    ----------
    tie : {0, 1}
        What is predicted when both dimensions are the same.

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
    )
    theorems: ClassVar[tuple[Theorem, ...]] = STANDARD_OPTIMAL

    def __post_init__(self) -> None:
        one_of("tie", self.tie, (0, 1))
        super().__post_init__()
        self._stood: tuple[bytes, tuple[int, int]] | None = None  # what was left when it was last judged

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
        """Numbers between which the dimension of what is left lies."""
        words, key = self._board.version_space, self.state()
        if np.array_equal(words, self.finite_class.all_hypotheses):
            return whole
        if self._stood is None or self._stood[0] != key:
            least, most = dimension_bounds(self.finite_class, words)
            self._stood = key, (least, min(most, whole[1]))
        return self._stood[1]

    def _new_search(self) -> Any:
        return _core.Littlestone(self.finite_class.columns, self.finite_class.hypotheses)
