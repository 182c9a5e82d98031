"""Halving: the vote of the hypotheses that are left."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from ...checks import one_of
from ...info import ClassInfo
from ...theorem import Theorem
from ...theory.finite_classes import HALVING
from .base import ClassLearner
from .result import Label
from .state import ClassState


@dataclass(eq=False)
class Halving(ClassLearner):
    """Predict what most of the hypotheses say that are left.

    Whoever errs when the majority does has no vote any more. A mistake takes half of the votes at least, and so there
    are at most floor(log2 of the number of hypotheses).

    Parameters
    ----------
    tie : {0, 1}
        What an even vote says. It matters: one of them may cost a mistake more than the other.
    prune : {"always", "mistake"}
        Whether hypotheses that say otherwise than the label leave in every round, or only when the majority errs.
        Neither is better for every class.

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
        summary="what most of the hypotheses say that are left",
        draws=False,
        ordered=False,
    )
    theorems: ClassVar[tuple[Theorem, ...]] = HALVING

    def _begin(self) -> ClassState:
        one_of("prune", self.prune, ("always", "mistake"))
        return ClassState(self.finite_class, tie=one_of("tie", self.tie, (0, 1)), lazy=self.prune == "mistake")

    def _say(self, point: int) -> Label:
        return Label(self._board.core.predict(point))
