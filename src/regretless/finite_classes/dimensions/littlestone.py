"""Littlestone dimensions of finite classes: the optimal mistake bound of deterministic learners."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ... import _core
from ..finite_class import FiniteClass, Words
from ..mistake_tree import MistakeTree
from .budget import Progress, Stop, Watch
from .dimension import Dimension
from .search import VersionSpaceSearch, left_of, room_of

NAME = "Littlestone dimension"
# Words after which a search tries a greedy shattered set, and between looks at the clock then.
GREEDY_AFTER = 1 << 24


class LittlestoneSearch(VersionSpaceSearch):
    """Littlestone dimensions of the version spaces of one class, with a table of results.

    Parameters
    ----------
    finite_class : FiniteClass
        The class.
    memory : int, default=2**30
        Bytes of the table of version spaces, at least 2^20 and enough for 32 of them. When it is full, the least useful
        entries are dropped, and computed again if they are needed.

        The search needs more memory: the bits of the class once more, and about as many for the version spaces on its
        path. With more than two hypotheses per point, version spaces are keyed by labels, and each point takes 4 bits
        for every other point.
    """

    _search: _core.Littlestone

    def __init__(self, finite_class: FiniteClass, *, memory: int = 2**30) -> None:
        super().__init__(finite_class)
        self._search = _core.Littlestone(finite_class.columns, finite_class.hypotheses, room_of(memory))

    def bounds(
        self,
        alive: Words | None = None,
        *,
        limit: float | None = None,
        on_progress: Progress | None = None,
        stop: Stop | None = None,
    ) -> tuple[int, int]:
        """Bounds on the dimension of the hypotheses that are alive.

        They are equal unless the search ends early; it also does when memory is exhausted.

        Parameters
        ----------
        alive : ndarray of uint64, optional
            Their bits: all hypotheses that agree with some labels; by default all.
        limit : float, optional
            Time limit in seconds.
        on_progress : callable, optional
            Called at intervals with the number of steps and both bounds.
        stop : callable, optional
            Called at intervals; once it returns true, the search ends.
        """
        watch = Watch(limit=limit, on_progress=on_progress, stop=stop)
        lower, upper, steps = 0, left_of(self.finite_class, alive).bit_length() - 1, 0
        try:
            for slice_ in watch.slices():
                lower, upper, used = self._search.run(alive, slice_)
                steps += used
                if lower == upper or watch.end(steps, lower, upper):
                    break
        except MemoryError:
            pass  # the bounds so far are the answer
        return lower, upper

    def dimension(
        self,
        alive: Words | None = None,
        *,
        limit: float | None = None,
        on_progress: Progress | None = None,
        stop: Stop | None = None,
    ) -> Dimension:
        """The dimension, with a mistake tree as deep as the lower bound.

        Extracting the tree is part of the search. If its proof was dropped from the table and cannot be computed again
        in time, or memory is exhausted, the tree is a simple one, and the lower bound is its depth.
        """
        watch = Watch(limit=limit, on_progress=on_progress, stop=stop)
        return self._dimension(alive, watch, one_level(self.finite_class, alive))

    def labels(self, alive: Words | None, point: int) -> tuple[int, int]:
        """The dimensions of the hypotheses with label 0 and with label 1 at a point; -1 of none."""
        return self._search.labels(alive, point)

    def _dimension(self, alive: Words | None, watch: Watch, tree: MistakeTree) -> Dimension:
        """The dimension, at least the depth of a known tree."""
        lower, upper, steps = tree.depth, left_of(self.finite_class, alive).bit_length() - 1, 0
        choice = None if alive is not None or tree.depth > 1 else self.words + GREEDY_AFTER
        try:
            for slice_ in watch.slices():
                allowed = slice_ if choice is None else min(slice_, choice - self.words)
                lower, upper, used = self._search.run(alive, allowed, tree.depth)
                steps += used
                if lower == upper or watch.end(steps, lower, upper):
                    break
                if choice is not None and self.words >= choice:
                    choice, tree = None, self._greedy(watch, tree)
        except MemoryError:
            pass  # the bounds so far are the answer
        if lower > tree.depth:
            tree = self._tree(alive, lower, watch) or tree
        return Dimension(NAME, tree.depth, upper, tree, watch.seconds, steps)

    def _greedy(self, watch: Watch, tree: MistakeTree) -> MistakeTree:
        """The tree of a greedy shattered set, if it is deeper: fast for large classes."""
        choice = _core.Shatter(self.finite_class.columns, self.finite_class.hypotheses, 0)
        while not choice.dive(GREEDY_AFTER) and not watch.over():
            pass
        return max(tree, MistakeTree.of_shattered(self.finite_class, choice.found), key=_depth)

    def _tree(self, alive: Words | None, depth: int, watch: Watch) -> MistakeTree | None:
        """A tree of this depth; None if it must be computed again and time or memory is exhausted."""
        try:
            for slice_ in watch.slices():
                tree = self._search.tree(alive, depth, slice_)
                if tree is not None:
                    return MistakeTree(*tree)
                if self.memory_full and watch.over():
                    break
        except MemoryError:
            pass
        return None


def _depth(tree: MistakeTree) -> int:
    return tree.depth


def one_level(finite_class: FiniteClass, alive: Words | None = None) -> MistakeTree:
    """The tree of the first point on which hypotheses that are alive differ; of no point if there is none."""
    left = finite_class.all_hypotheses if alive is None else alive
    for point, ones in enumerate(finite_class.columns):
        if (left & ones).any() and (left & ~ones).any():
            return MistakeTree(np.array([point]), np.array([_first(left & ~ones), _first(left & ones)]))
    return MistakeTree(np.array([], dtype=np.int64), np.array([_first(left)]))


def _first(some: Words) -> int:
    """The first of some hypotheses; 0 if there are none."""
    word = int(np.argmax(some != 0))
    lowest = int(some[word])
    return 64 * word + max(0, (lowest & -lowest).bit_length() - 1)


def littlestone_dimension(
    finite_class: FiniteClass,
    *,
    limit: float | None = None,
    on_progress: Progress | None = None,
    stop: Stop | None = None,
    shattered: Sequence[int] | None = None,
) -> Dimension:
    """The Littlestone dimension of a finite class: the optimal mistake bound of deterministic learners.

    It is the depth of the deepest mistake tree: 0 for one hypothesis, else the maximum, over points that split the
    class, of one more than the smaller dimension of the two parts.

    Parameters
    ----------
    finite_class : FiniteClass
        The class.
    limit : float, optional
        Time limit in seconds.
    on_progress : callable, optional
        Called at intervals with the number of steps and both bounds.
    stop : callable, optional
        Called at intervals; once it returns true, the search ends.
    shattered : sequence of int, optional
        Points that the class shatters, as the witness of `vc_dimension`: the search begins with their tree.

    Returns
    -------
    Dimension
        With a `MistakeTree` as deep as its lower bound, also if memory is exhausted. For a class without hypotheses it
        is
        -1 by convention, with the witness None.

    Raises
    ------
    RegretlessError
        If the class does not shatter these points.

    Examples
    --------
    >>> from regretless.finite_classes import FiniteClass, littlestone_dimension
    >>> dimension = littlestone_dimension(FiniteClass.named("thresholds:7"))
    >>> dimension.lower, dimension.upper
    (3, 3)
    """
    if not finite_class.hypotheses:
        return Dimension(NAME, -1, -1, None)
    watch = Watch(limit=limit, on_progress=on_progress, stop=stop)
    tree = one_level(finite_class)
    if shattered is not None:
        tree = max(tree, MistakeTree.of_shattered(finite_class, shattered), key=_depth)
    try:
        search = LittlestoneSearch(finite_class)
    except MemoryError:
        return Dimension(NAME, tree.depth, finite_class.floor_log2, tree, watch.seconds)
    return search._dimension(None, watch, tree)
