"""The adversary of learners that draw: it forces the randomised Littlestone dimension, and no more."""

from __future__ import annotations

from fractions import Fraction
from math import ceil
from threading import Lock
from typing import TYPE_CHECKING

from ...errors import ParameterError
from ..asker import Asker
from ..lower_bounds import LearnerDescription, LowerBound
from ..targets.points import PointLabels
from .realizable import Surviving

if TYPE_CHECKING:
    from ...finite_classes.finite_class import FiniteClass, Words

ROUNDING = 1e-9  # of values that are finer than the search goes
SOURCE = "Filmus, Hanneke, Mehalel & Moran 2023"


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
        from ...finite_classes.dimensions.randomized import RandomizedSearch

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
            return [LowerBound("Randomised tree", "mistakes", float(ceil(self.value)), SOURCE)]
        return [LowerBound("Randomised tree", "expected mistakes", float(self.value), SOURCE)]


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
