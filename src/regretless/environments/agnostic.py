"""Labels that no hypothesis has: fair coins, or never what is predicted, down a tree or for two constant experts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..checks import whole
from ..finite_classes.finite_class import FiniteClass
from .asker import Array, Asker, Places, opposite
from .labels import ObliviousLabels
from .lower_bounds import LearnerDescription, LowerBound
from .points import PointLabels, signed, votes_of
from .stochastic import FairCoins, key_of, key_of_run, uniforms

if TYPE_CHECKING:
    from ..finite_classes.finite_class import FiniteClass
    from ..finite_classes.mistake_tree import MistakeTree
    from .base import Environment


SOURCE = "Ben-David, Pál & Shalev-Shwartz 2009"
TOGETHER = 1 << 16  # coins that are counted at once
RUNS = 1 << 12  # of which it is remembered where they lead
ROW = np.array([-1.0, 1.0])
ROW.flags.writeable = False


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
            from ..finite_classes import littlestone_dimension

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


def two_constants() -> FiniteClass:
    """The class of the two hypotheses on a single point."""
    return FiniteClass([[0], [1]], hypotheses=["never", "always"], points=["x"])


class LabelFlipping(PointLabels):
    """Two experts, one that always votes -1 and one that always votes 1; the label is not the one that is predicted.

    A deterministic learner errs in every one of T rounds. Of the two experts one is right in at least half of them, for
    in each round one of them is: so the learner's regret is at least T / 2, and no deterministic learner has a bound
    that grows more slowly. One that draws gets the label that it is less likely to predict: it errs with a probability
    of at least one half in each round, and its regret can be small all the same (Cover 1965).

    No hypothesis of this class is right in all rounds, so theorems about finite classes do not apply.

    Parameters
    ----------
    rounds : int, optional
    """

    name = "label-flipping"
    alike = True

    def __init__(self, rounds: int | None = None) -> None:
        super().__init__(two_constants(), rounds)

    def begin(self, run: int = 0) -> Asker:
        """An asker that contradicts."""
        return _Flipping()

    def lower_bounds(self, rounds: int, opposed: LearnerDescription) -> list[LowerBound]:
        """All rounds are mistakes of a deterministic learner, and no more than half of them are an expert's."""
        source = "Cover 1965"
        if not opposed.deterministic:
            return [LowerBound("Label flipping", "expected mistakes", rounds / 2, source)]
        return [
            LowerBound("Label flipping", "mistakes", float(rounds), source),
            LowerBound("Label flipping", "regret in mistakes", float(rounds - rounds // 2), source),
        ]


class _Flipping(Asker):
    point = 0

    def row(self) -> Array:
        return ROW

    def label(self, prediction: int, probability: float | None = None) -> int:
        return opposite(prediction, probability)


class FairLabels(PointLabels, ObliviousLabels):
    """Two experts, one that always votes -1 and one that always votes 1; each label is a fair coin.

    Every learner errs in half of the rounds in expectation. The better expert's mistakes are expected to
    be fewer by `FairCoins.regret`, T C(T - 1, floor((T - 1) / 2)) / 2^T, which is at least sqrt(T / 8): every learner's
    expected regret is this very number, and no learner does better for two experts on all sequences.

    Parameters
    ----------
    seed : int
        Every run has coins of its own.
    rounds : int, optional
    """

    name = "fair-coins"

    def __init__(self, seed: int = 0, rounds: int | None = None) -> None:
        self.seed = key_of(seed)
        super().__init__(two_constants(), rounds)

    def points(self, begin: int, end: int, run: int = 0) -> Places:
        """The only one there is."""
        return np.zeros(end - begin, dtype=np.int64)

    def block(self, begin: int, end: int, run: int = 0) -> tuple[Array, Array]:
        """The same two votes, and a coin."""
        heads = uniforms(key_of_run(self.seed, run), begin, end, 1)[:, 0] < 0.5
        return np.tile(ROW, (end - begin, 1)), signed(heads)

    def as_losses(self) -> Environment:
        """The same coins for arms."""
        return FairCoins(self.rounds, self.seed)

    def lower_bounds(self, rounds: int, opposed: LearnerDescription) -> list[LowerBound]:
        """Half of the rounds, and the exact regret of the game, for every learner."""
        source = "Mohri, Rostamizadeh & Talwalkar 2012, Thm 7.5; Szarek 1976"
        return [
            LowerBound("Fair coins", "mistakes", rounds / 2, source, "expected"),
            LowerBound("Fair coins", "regret in mistakes", FairCoins.regret(rounds), source, "expected"),
        ]
