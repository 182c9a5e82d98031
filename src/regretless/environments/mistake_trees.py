"""Adversaries of a finite class, whose labels always leave a hypothesis that agrees with all of them."""

from __future__ import annotations

from abc import abstractmethod
from fractions import Fraction
from math import ceil
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np

from ..errors import ParameterError
from ..finite_classes.finite_class import unpacked
from .asker import Array, Asker, Known, Places, opposite
from .lower_bounds import LearnerDescription, LowerBound, errors_forced
from .points import PointLabels, votes_of

if TYPE_CHECKING:
    from ..finite_classes.finite_class import FiniteClass, Words
    from ..finite_classes.mistake_tree import MistakeTree

LITTLESTONE = "Littlestone 1988"
ROUNDING = 1e-9  # of values that are finer than the search goes
FILMUS = "Filmus, Hanneke, Mehalel & Moran 2023"


class Surviving(Asker):
    """It parts the hypotheses that are left until there is one, which then labels all points in turn."""

    def __init__(self, environment: PointLabels) -> None:
        self._environment, self._class = environment, environment.finite_class
        self._alive = everything(environment.columns)
        self._turn = -1
        self._settle()

    @abstractmethod
    def _next(self) -> int:
        """The point to ask for while more than one hypothesis is left."""

    @abstractmethod
    def _says_one(self, prediction: int, probability: float | None) -> bool:
        """Which label to give, where both leave hypotheses."""

    def row(self) -> Array:
        if self.settled:
            self._turn = (self._turn + 1) % self._class.points
            self.point = self._turn
        else:
            self.point = self._next()
        self._row = self._environment.votes_on(self.point)
        return self._row

    def label(self, prediction: int, probability: float | None = None) -> int:
        if self.settled:
            return int(self._row[self._last])
        zeros, ones = self._parts(self.point)
        says_one = bool(ones.any()) and (not zeros.any() or self._says_one(prediction, probability))
        self._alive = ones if says_one else zeros
        self._settle()
        return 1 if says_one else -1

    def ahead(self, rounds: int) -> Known | None:
        if not self.settled:
            return None
        points: Places = np.arange(self._turn + 1, self._turn + 1 + rounds) % self._class.points
        self._turn = (self._turn + rounds) % self._class.points
        rows = votes_of(self._class, points)
        return rows, rows[:, self._last].copy(), points

    def _parts(self, point: int) -> tuple[Words, Words]:
        """The hypotheses left that label a point 0, and those that label it 1."""
        ones = self._class.columns[point] & self._alive
        return self._alive & ~ones, ones

    def _settle(self) -> None:
        """See whether one is left, and who that is."""
        words = np.flatnonzero(self._alive)
        word = int(self._alive[words[0]])
        if len(words) == 1 and not word & (word - 1):
            self._last = 64 * int(words[0]) + word.bit_length() - 1
            self.settled = True


def everything(count: int) -> Words:
    """The set of all of so many hypotheses, as bits."""
    words = np.full(-(-count // 64), ~np.uint64(0), dtype=np.uint64)
    if count % 64:
        words[-1] = np.uint64((1 << count % 64) - 1)
    return words


class ShatteredTree(PointLabels):
    """Ask for the point of a node of a mistake tree, answer against the prediction, go down to where that leads.

    After any answers some hypothesis agrees with them: so a deterministic learner errs as often as the tree is deep,
    in the first rounds already, on labels that a hypothesis of the class has. A learner that draws gets the label
    that it is less likely to predict, and errs half as often in expectation. With a tree as deep as the Littlestone
    dimension no learner can do better than the optimal one does.

    Below the tree more than one hypothesis may be left. The adversary then asks for a point on which they differ, as
    evenly as any, and answers against the prediction again, which costs a deterministic learner one more mistake; once
    one is left, it has all points labelled by that one in turn.

    Parameters
    ----------
    finite_class : FiniteClass
    tree : MistakeTree, optional
        By default one as deep as the Littlestone dimension.
    limit : float, optional
        How many seconds to search for it; the deepest tree known by then is walked.
    rounds : int, optional

    Examples
    --------
    >>> from regretless.environments import ShatteredTree
    >>> from regretless.finite_classes import FiniteClass, Halving
    >>> from regretless.play import play
    >>> thresholds = FiniteClass.named("thresholds:7")
    >>> play(Halving(thresholds), ShatteredTree(thresholds), 10).count
    3.0
    """

    name = "shattered-tree"
    alike = True

    def __init__(
        self,
        finite_class: FiniteClass,
        tree: MistakeTree | None = None,
        limit: float | None = None,
        rounds: int | None = None,
    ) -> None:
        if tree is None:
            from ..finite_classes import littlestone_dimension

            tree = littlestone_dimension(finite_class, limit=limit).witness
        else:
            tree.check(finite_class)
        self.tree = tree
        super().__init__(finite_class, rounds)

    @property
    def default_rounds(self) -> int | None:
        """Enough for one hypothesis to be left; every round until then asks for a point that was not asked for."""
        return self.parting_rounds if self.rounds is None else self.rounds

    def begin(self, run: int = 0) -> Asker:
        """An asker at the root."""
        return _Walking(self)

    def lower_bounds(self, rounds: int, opposed: LearnerDescription) -> list[LowerBound]:
        """As many mistakes as the tree is deep, or half as many in expectation."""
        return errors_forced("Shattered tree", min(rounds, self.tree.depth), LITTLESTONE, opposed)


class _Walking(Surviving):
    def __init__(self, environment: ShatteredTree) -> None:
        self._tree, self._node = environment.tree, 0
        super().__init__(environment)

    def _next(self) -> int:
        if self._node < len(self._tree.points):
            return int(self._tree.points[self._node])
        return self._evenest()

    def _says_one(self, prediction: int, probability: float | None) -> bool:
        return opposite(prediction, probability) > 0

    def label(self, prediction: int, probability: float | None = None) -> int:
        label = super().label(prediction, probability)
        if self._node < len(self._tree.points):
            self._node = 2 * self._node + (2 if label > 0 else 1)
        return label

    def _evenest(self) -> int:
        """The point on which the hypotheses left differ most evenly, of several the first."""
        left = np.flatnonzero(unpacked(self._alive[None], self._environment.columns)[0])
        ones = unpacked(self._class.rows[left], self._class.points).sum(0)
        return int(np.argmax(np.minimum(ones, len(left) - ones)))


class RandomizedTree(PointLabels):
    """Ask for the point that a learner which draws can guess worst, and answer what costs it most in the end.

    Let R be the randomised Littlestone dimension: 0 of one hypothesis, else the most, over points that split the
    class, of (1 + R0 + R1) / 2 and of R0 and R1, where R0 and R1 are those of what the two labels leave. Among the
    hypotheses that have the same R there are some with a point for which (1 + R0 + R1) / 2 is R: only these are left,
    which is not shown, and that point is asked for. A learner that predicts 1 with probability p gets the label y for
    which \\|y - p\\| + R_y is larger. It is at least the mean of both, R. So by the time that one hypothesis is left
    the probabilities of being wrong add up to R or more, for every learner; and some learner makes it no more.

    Each round parts the hypotheses that are left, by a point that was not asked for before: so fewer rounds than there
    are hypotheses, and no more than there are points, are enough. After them the last one labels all points in turn.

    Parameters
    ----------
    finite_class : FiniteClass
    limit : float, optional
        How many seconds the search for R may take; None for as many as it needs.
    rounds : int, optional

    Raises
    ------
    RegretlessError
        If R is not known by then.

    Examples
    --------
    >>> from regretless.environments import RandomizedTree
    >>> from regretless.finite_classes import FiniteClass, Halving
    >>> from regretless.play import play
    >>> thresholds = FiniteClass.named("thresholds:7")
    >>> play(Halving(thresholds), RandomizedTree(thresholds), 10).count
    3.0
    """

    name = "randomized-tree"
    alike = True

    def __init__(self, finite_class: FiniteClass, limit: float | None = 30.0, rounds: int | None = None) -> None:
        from ..finite_classes.littlestone import RandomizedSearch

        super().__init__(finite_class, rounds)
        self._search, self._lock = RandomizedSearch(finite_class), Lock()
        dimension = self._search.dimension(None, limit=limit)
        if dimension.upper - dimension.lower > ROUNDING:
            known = f"the randomised dimension of this class is not known by then, but {dimension}"
            raise ParameterError(
                "limit", str(limit), f"{known}; shattered-tree is quicker, and forces half the dimension", ": "
            )
        self.value = dimension.lower

    def dimension(self, alive: Words | None) -> Fraction:
        """The randomised Littlestone dimension of some hypotheses; runs on several threads share the search."""
        with self._lock:
            return self._search.value(alive)

    @property
    def default_rounds(self) -> int | None:
        """Enough for one hypothesis to be left; every round until then asks for a point that was not asked for."""
        return self.parting_rounds if self.rounds is None else self.rounds

    def begin(self, run: int = 0) -> Asker:
        """An asker that has all hypotheses left."""
        return _Weighing(self)

    def lower_bounds(self, rounds: int, opposed: LearnerDescription) -> list[LowerBound]:
        """The randomised Littlestone dimension, once the rounds are enough.

        A learner without probabilities errs a whole number of times. A combiner has them, its forecasts.
        """
        if rounds < self.parting_rounds:
            return []
        if opposed.deterministic and opposed.kind in ("class", "linear"):
            return [LowerBound("Randomised tree", "mistakes", float(ceil(self.value)), FILMUS)]
        return [LowerBound("Randomised tree", "expected mistakes", float(self.value), FILMUS)]


class _Weighing(Surviving):
    def __init__(self, environment: RandomizedTree) -> None:
        self._dimension = environment.dimension
        self._below = Fraction(0), Fraction(0)  # what the labels 0 and 1 of the point leave
        super().__init__(environment)

    def _next(self) -> int:
        while True:
            point = self._balanced(self._dimension(self._alive))
            if point is not None:
                return point

    def _says_one(self, prediction: int, probability: float | None) -> bool:
        """Whether the label 1 costs the learner more, now and later."""
        chance = float(prediction > 0) if probability is None else probability
        below, above = self._below
        return 1 - chance + float(above) >= chance + float(below)

    def _balanced(self, value: Fraction) -> int | None:
        """A point whose labels together attain the value; if there is none, fewer hypotheses that have it as well."""
        fewer, best, most = None, None, Fraction(-1)
        for point in range(self._class.points):
            zeros, ones = self._parts(point)
            if not (zeros.any() and ones.any()):
                continue
            below, above = self._dimension(zeros), self._dimension(ones)
            mean = (1 + below + above) / 2
            if abs(below - above) < 1 and mean > most:
                best, most, self._below = point, mean, (below, above)
                if mean >= value:
                    return point
            if max(below, above) >= value:
                fewer = zeros if below > above else ones
        if fewer is None:  # values that are too fine for the search were rounded up
            return best
        self._alive = fewer
        return None
