"""The adversary of a finite class: it walks down a mistake tree, away from every prediction."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...classes.finite_class import unpacked
from ..labels import Array, Asker, opposite
from ..promises import Opposed, Promise, errors_forced
from ..targets.points import PointLabels, votes_of

if TYPE_CHECKING:
    from ...classes.finite_class import FiniteClass
    from ...classes.mistake_tree import MistakeTree

Bits = np.ndarray[Any, np.dtype[np.bool_]]
SOURCE = "Littlestone 1988"


class ShatteredTree(PointLabels):
    """Ask for the point of a node of a mistake tree, answer against the prediction, go down to where that leads.

    Whatever was answered, some hypothesis agrees with it: so a deterministic learner errs as often as the tree is deep,
    in the first rounds already, on labels that a hypothesis of the class has. A learner that draws is told the label
    that it is less likely to say, and errs half as often in expectation. With a tree as deep as the Littlestone
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
        How many seconds to look for it; the deepest that was found by then is walked.
    rounds : int, optional
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
            from ...classes import littlestone_dimension

            tree = littlestone_dimension(finite_class, limit=limit).witness
        else:
            tree.check(finite_class)
        self.tree = tree
        super().__init__(finite_class, rounds)

    def begin(self, run: int = 0) -> Asker:
        """An asker at the root."""
        return _Walking(self)

    def promises(self, rounds: int, opposed: Opposed) -> list[Promise]:
        """As many mistakes as the tree is deep, or half as many in expectation."""
        return errors_forced("Shattered tree", min(rounds, self.tree.depth), SOURCE, opposed)


class _Walking(Asker):
    def __init__(self, nature: ShatteredTree) -> None:
        self._class, self._tree = nature.finite_class, nature.tree
        self._node, self._turn = 0, -1
        self._alive: Bits = np.ones(nature.columns, dtype=bool)
        self._row: Array = np.empty(0)

    def row(self) -> Array:
        self.point = self._next()
        self._row = votes_of(self._class, [self.point])[0]
        return self._row

    def label(self, prediction: int, probability: float | None = None) -> int:
        label = opposite(prediction, probability)
        agree = self._row == label
        if not (agree & self._alive).any():  # one that all who are left contradict; this happens below the tree alone
            label, agree = -label, ~agree
        self._alive &= agree
        self._node = 2 * self._node + (2 if label > 0 else 1)
        return label

    def _next(self) -> int:
        if self._node < len(self._tree.points):
            return int(self._tree.points[self._node])
        self._node = len(self._tree.points)  # or it would grow without end
        if np.count_nonzero(self._alive) > 1:
            return self._evenest()
        self._turn = (self._turn + 1) % self._class.points
        return self._turn

    def _evenest(self) -> int:
        """The point on which those who are left differ most evenly, of several the first."""
        left = np.flatnonzero(self._alive)
        ones = unpacked(self._class.rows[left], self._class.points).sum(0)
        return int(np.argmax(np.minimum(ones, len(left) - ones)))
