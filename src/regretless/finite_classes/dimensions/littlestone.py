"""Littlestone dimensions of finite classes: how many mistakes the best deterministic learner cannot avoid."""

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
# Words after which a search that is not done yet looks for a shattered set, and between looks at the clock then.
GREEDY_AFTER = 1 << 24


class LittlestoneSearch(VersionSpaceSearch):
    """Littlestone dimensions of the version spaces of one class, and what was found on the way to them.

    Parameters
    ----------
    finite_class : FiniteClass
        The class.
    memory : int, default=2**30
        How many bytes may be taken to remember what is known of version spaces, 2^20 at least, and in any case enough
        for 32 of them. When they are used up, what helps least is forgotten, and searched for again if it is needed.

        What the search works on comes on top: the class's bits once more, and those of the version spaces on its way
        down, which are about as many again. Where there are more than two hypotheses for every point, version spaces
        are named by labels, and each point has 4 bits for every point beside its own.
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
        """What the dimension of the hypotheses that are alive is no less and no more than; equal once it is known.

        A search that memory runs out of ends with what it knows.

        Parameters
        ----------
        alive : ndarray of uint64, optional
            Their bits: all hypotheses that agree with some labels. All by default.
        limit : float, optional
            Seconds after which the search ends with what it knows.
        on_progress : callable, optional
            Called now and then with the number of steps and what the dimension is no less and no more than.
        stop : callable, optional
            Called now and then; once it returns true, the search ends with what it knows.
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
            pass  # what is known by then is the answer
        return lower, upper

    def dimension(
        self,
        alive: Words | None = None,
        *,
        limit: float | None = None,
        on_progress: Progress | None = None,
        stop: Stop | None = None,
    ) -> Dimension:
        """The same with a mistake tree as deep as what the dimension is no less than.

        Taking the tree out is part of the search. Where what proves it was forgotten and cannot be found again in time,
        or there is no memory for it, the tree is one that is known without a search, and the dimension is only said to
        be no less than its depth.
        """
        watch = Watch(limit=limit, on_progress=on_progress, stop=stop)
        return self._dimension(alive, watch, one_level(self.finite_class, alive))

    def labels(self, alive: Words | None, point: int) -> tuple[int, int]:
        """The dimensions of what the labels 0 and 1 of a point leave; -1 of no hypothesis."""
        return self._search.labels(alive, point)

    def _dimension(self, alive: Words | None, watch: Watch, tree: MistakeTree) -> Dimension:
        """The dimension, no less than the depth of a tree that is known."""
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
            pass  # what is known by then is the answer
        if lower > tree.depth:
            tree = self._tree(alive, lower, watch) or tree
        return Dimension(NAME, tree.depth, upper, tree, watch.seconds, steps)

    def _greedy(self, watch: Watch, tree: MistakeTree) -> MistakeTree:
        """The tree of a shattered set that is chosen greedily, if it is deeper: of large classes it is found sooner."""
        choice = _core.Shatter(self.finite_class.columns, self.finite_class.hypotheses, 0)
        while not choice.dive(GREEDY_AFTER) and not watch.over():
            pass
        return max(tree, MistakeTree.of_shattered(self.finite_class, choice.found), key=_depth)

    def _tree(self, alive: Words | None, depth: int, watch: Watch) -> MistakeTree | None:
        """A tree of this depth, unless it must be searched for again and there is no time or no memory for that."""
        try:
            for slice_ in watch.slices():
                tree = self._search.tree(alive, depth, slice_)
                if tree is not None:
                    return MistakeTree(*tree)
                if self.forgot and watch.over():
                    break
        except MemoryError:
            pass
        return None


def _depth(tree: MistakeTree) -> int:
    return tree.depth


def one_level(finite_class: FiniteClass, alive: Words | None = None) -> MistakeTree:
    """The tree that asks the first point on which hypotheses that are alive differ; one of no points if they do not."""
    left = finite_class.all_hypotheses if alive is None else alive
    for point, ones in enumerate(finite_class.columns):
        if (left & ones).any() and (left & ~ones).any():
            return MistakeTree(np.array([point]), np.array([_first(left & ~ones), _first(left & ones)]))
    return MistakeTree(np.array([], dtype=np.int64), np.array([_first(left)]))


def _first(some: Words) -> int:
    """The first of some hypotheses; 0 of none."""
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
    """The Littlestone dimension of a finite class: how many mistakes its best deterministic learner cannot avoid.

    It is the depth of the deepest mistake tree: 0 of one hypothesis, else the most, over points that split the class,
    of one more than the smaller of what the two labels leave.

    Parameters
    ----------
    finite_class : FiniteClass
        The class.
    limit : float, optional
        Seconds after which the search ends with what it knows.
    on_progress : callable, optional
        Called now and then with the number of steps and what the dimension is no less and no more than.
    stop : callable, optional
        Called now and then; once it returns true, the search ends with what it knows.
    shattered : sequence of int, optional
        Points that the class shatters, as the witness of `vc_dimension`: the search begins with the tree that asks them
        one by one.

    Returns
    -------
    Dimension
        With a `MistakeTree` as deep as its lower end. If memory runs out, they are what is known by then. Of a class
        without hypotheses, which shatters no tree at all, it is -1 by convention, and the witness None.

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
