"""The adversary of a finite class: it walks down a mistake tree, away from every prediction."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...finite_classes.finite_class import unpacked
from ..asker import Asker, opposite
from ..lower_bounds import LearnerDescription, LowerBound, errors_forced
from ..targets.points import PointLabels
from .realizable import Surviving

if TYPE_CHECKING:
    from ...finite_classes.finite_class import FiniteClass
    from ...finite_classes.mistake_tree import MistakeTree

SOURCE = "Littlestone 1988"


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
            from ...finite_classes import littlestone_dimension

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
        return errors_forced("Shattered tree", min(rounds, self.tree.depth), SOURCE, opposed)


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
