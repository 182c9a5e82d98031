"""The simplest learner: predict by a hypothesis that agrees with all labels so far."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ...errors import ParameterError
from ...info import ClassInfo
from ...theorem import Theorem
from ...theory.finite_classes import CONSISTENT
from ..finite_class import unpacked
from .base import ClassLearner
from .rounds import Label
from .state import ClassState


@dataclass(eq=False)
class Consistent(ClassLearner):
    """Follow the first hypothesis that agrees with all labels so far.

    Each mistake removes it, so that mistakes are at most the number of hypotheses before the first one that is always
    right. For singletons that can be all but one: without a vote a mistake says little about the others.

    Parameters
    ----------
    order : sequence of int or str, optional
        All hypotheses, by number or by name, the first choice first; by default in the order of the class.

    References
    ----------
    Shalev-Shwartz and Ben-David 2014, Cor. 21.2.

    Examples
    --------
    >>> from regretless.finite_classes import Consistent, FiniteClass
    >>> thresholds = FiniteClass.named("thresholds:20")
    >>> learner = Consistent(thresholds)
    >>> played = learner.play(range(20), [0] * 13 + [1] * 7)
    >>> learner.mistakes_
    13
    >>> print(str(learner.certify()[0]).partition("  [")[0])
    First in order: mistakes 13 <= 13, against hypothesis x >= 13
    """

    order: Sequence[int | str] | None = None

    info: ClassVar[ClassInfo] = ClassInfo(
        name="consistent",
        summary="the label by the first hypothesis that agrees with all labels so far",
        draws=False,
        ordered=True,
        forced="compiled",
        promises="",
        twin="consistent",
    )
    theorems: ClassVar[tuple[Theorem, ...]] = CONSISTENT

    def _begin(self) -> ClassState:
        return ClassState(self.finite_class, order=self._in_order())

    def _in_order(self) -> np.ndarray[Any, np.dtype[np.int64]]:
        count = self.finite_class.hypotheses
        if self.order is None:
            return np.arange(count)
        if isinstance(self.order, np.ndarray) and self.order.ndim == 1 and self.order.dtype.kind in "iu":
            order = self.order.astype(np.int64)
        else:
            names = self.finite_class.hypothesis_names or []
            places: dict[Any, int] = {name: place for place, name in enumerate(names)}
            order = np.array([self._number(one, places) for one in self.order], np.int64)
        if len(order) != count or not np.array_equal(np.sort(order), np.arange(count)):
            raise ParameterError("order", "", f"must name each of the {count:,} hypotheses once", " ")
        return order

    def _number(self, one: Any, places: dict[Any, int]) -> int:
        place = places.get(one) if isinstance(one, str) else None
        return self.finite_class.hypothesis(one) if place is None else place

    def _say(self, point: int) -> Label:
        return Label(self._state.core.predict(point))

    def _facts(self) -> dict[str, Any]:
        left = unpacked(self._state.version_space[None], self.finite_class.hypotheses)[0]
        return {"place": int(left[self._state.order].argmax()), **self._ranks()}
