"""Fair coins down a mistake tree: the lower bound on regret without a true hypothesis."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...checks import whole
from ..arms.lower_bounds import FairCoins
from ..arms.stochastic import key_of, key_of_run, uniforms
from ..asker import Array, Places
from ..labels import ObliviousLabels
from ..lower_bounds import LearnerDescription, LowerBound
from ..targets.points import PointLabels, signed, votes_of

if TYPE_CHECKING:
    from ...finite_classes.finite_class import FiniteClass
    from ...finite_classes.mistake_tree import MistakeTree

SOURCE = "Ben-David, Pál & Shalev-Shwartz 2009"
TOGETHER = 1 << 16  # coins that are counted at once
RUNS = 1 << 12  # of which it is remembered where they lead


class AgnosticTree(PointLabels, ObliviousLabels):
    """Go down a mistake tree, asking for the point of each node many times, with fair coins for labels.

    The T rounds are shared among the d levels of the tree as evenly as can be, the first ones having one more: k_i of
    them at level i. The majority of these labels leads to the next node; where they are as many, 0 does.

    Given all that came before, a label is a fair coin: so every learner, drawing or not, is wrong in T / 2 rounds in
    expectation. The hypothesis at the leaf, which agrees with the majority at every node, is wrong for the minority
    alone: in k / 2 - \\|S_k\\| / 2 of k rounds, where S_k is the sum of their labels, -1 and 1. So the expected regret
    against it is r(k_1) + ... + r(k_d) exactly, with r(k) = E \\|S_k\\| / 2, which is `FairCoins.regret`; and that
    against the best hypothesis, which is wrong no more often, is no less. For d <= T this is at least sqrt(d T / 8):
    no learner's regret grows more slowly, for any class (Ben-David, Pál and Shalev-Shwartz 2009).

    For let r be drawn as straight lines between whole numbers. It is enough that r(x) >= sqrt(x / 8) for all x >= 1,
    for T / d lies between the two whole numbers that the k_i are, so that their r add up to d r(T / d). For even k it
    is Khintchine's inequality with its best constant (Szarek 1976). From k - 1 to k, r does not change, while the root
    grows to its value at k; from k to k + 1 the line is that through 0, r(k) x / k, which grows faster than a root.

    Parameters
    ----------
    finite_class : FiniteClass
    rounds : int
        T. If fewer are played, the bound is that of the levels which they reach.
    tree : MistakeTree, optional
        By default one as deep as the Littlestone dimension.
    limit : float, optional
        How many seconds to search for it; the deepest tree known by then is walked.
    seed : int
        Every run has coins of its own.
    """

    name = "agnostic-tree"
    rounds: int

    def __init__(
        self,
        finite_class: FiniteClass,
        rounds: int,
        tree: MistakeTree | None = None,
        limit: float | None = None,
        seed: int = 0,
    ) -> None:
        if tree is None:
            from ...finite_classes import littlestone_dimension

            tree = littlestone_dimension(finite_class, limit=limit).witness
        else:
            tree.check(finite_class)
        self.tree, self.seed = tree, key_of(seed)
        super().__init__(finite_class, whole("rounds", rounds))
        more, depth = np.arange(tree.depth), max(1, tree.depth)
        self._ends: Places = np.cumsum(rounds // depth + (more < rounds % depth))
        self._paths: dict[int, Places] = {}

    def path(self, run: int = 0) -> Places:
        """The nodes of the tree that a run goes down by, and the place of its leaf below them; shape (d + 1,)."""
        path = self._paths.get(run)
        if path is None:
            if len(self._paths) >= RUNS:
                self._paths.clear()
            path = self._paths[run] = self._walked(run)
        return path

    def target_of(self, run: int = 0) -> int:
        """The hypothesis at the leaf, which agrees with the majority of the labels of every point that was asked."""
        return int(self.tree.leaves[self.path(run)[-1] - len(self.tree.points)])

    def points(self, begin: int, end: int, run: int = 0) -> Places:
        """Those of the nodes; without a tree, for a single hypothesis, the first one."""
        if not len(self._ends):
            return np.zeros(end - begin, dtype=np.int64)
        levels = np.searchsorted(self._ends, np.arange(begin, end), side="right")
        points: Places = self.tree.points[self.path(run)[levels]]
        return points

    def block(self, begin: int, end: int, run: int = 0) -> tuple[Array, Array]:
        """Votes, and a coin for each."""
        return votes_of(self.finite_class, self.points(begin, end, run)), signed(self._heads(begin, end, run))

    def lower_bounds(self, rounds: int, opposed: LearnerDescription) -> list[LowerBound]:
        """Half of the rounds, and the regret of each level, for every learner."""
        lengths = np.diff(np.minimum(self._ends, rounds), prepend=0)
        regret = sum(FairCoins.regret(int(length)) for length in lengths if length)
        return [
            LowerBound("Agnostic tree", "mistakes", rounds / 2, SOURCE, "expected"),
            LowerBound("Agnostic tree", "regret in mistakes", float(regret), SOURCE, "expected"),
        ]

    def _heads(self, begin: int, end: int, run: int) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        heads: np.ndarray[tuple[int], np.dtype[np.bool_]]
        heads = uniforms(key_of_run(self.seed, run), begin, end, 1)[:, 0] < 0.5
        return heads

    def _walked(self, run: int) -> Places:
        node, begin, nodes = 0, 0, [0]
        for end in self._ends.tolist():
            ones = sum(
                int(np.count_nonzero(self._heads(first, min(first + TOGETHER, end), run)))
                for first in range(begin, end, TOGETHER)
            )
            node = 2 * node + (2 if 2 * ones > end - begin else 1)
            nodes.append(node)
            begin = end
        return np.array(nodes)
