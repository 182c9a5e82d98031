"""Halving: the majority vote of the version space."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from ...checks import one_of
from ...info import ClassInfo
from ...theorem import Theorem
from ...theory.finite_classes import HALVING
from .base import ClassLearner
from .rounds import Label
from .state import ClassState


@dataclass(eq=False)
class Halving(ClassLearner):
    """Predict by the majority of the hypotheses that are left.

    Hypotheses that err with the majority lose their vote. Each mistake removes at least half of the votes, so that
    there are at most floor(log2 of the number of hypotheses).

    Parameters
    ----------
    tie : {0, 1}
        The prediction of an even vote. It matters: one of them may cost a mistake more than the other.
    prune : {"always", "mistake"}
        Whether hypotheses that disagree with a label leave in every round, or only when the majority errs. Neither is
        better for every class.

    References
    ----------
    Barzdin and Freivald 1972; Littlestone 1988.

    Examples
    --------
    >>> from regretless.finite_classes import FiniteClass, Halving
    >>> thresholds = FiniteClass.named("thresholds:20")
    >>> learner = Halving(thresholds)
    >>> played = learner.play(range(20), [0] * 13 + [1] * 7)
    >>> learner.mistakes_
    1
    >>> print(str(learner.certify()[-1]).partition("  [")[0])
    Halving: mistakes 1 <= 4, against hypothesis x >= 13
    """

    tie: int = 1
    prune: Literal["always", "mistake"] = "always"

    info: ClassVar[ClassInfo] = ClassInfo(
        name="halving",
        summary="the majority vote of the version space",
        draws=False,
        ordered=False,
        forced="compiled",
        promises="log2",
        twin="halving",
    )
    theorems: ClassVar[tuple[Theorem, ...]] = HALVING

    def _begin(self) -> ClassState:
        one_of("prune", self.prune, ("always", "mistake"))
        return ClassState(self.finite_class, tie=one_of("tie", self.tie, (0, 1)), lazy=self.prune == "mistake")

    def _say(self, point: int) -> Label:
        return Label(self._state.core.predict(point))
