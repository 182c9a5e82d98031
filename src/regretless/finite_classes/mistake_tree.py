"""Mistake trees: for every path of labels some hypothesis of the class agrees with all of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import RegretlessError

if TYPE_CHECKING:
    from ..report.mistake_tree import TreePicture
    from .finite_class import FiniteClass

Array = np.ndarray[Any, np.dtype[np.int64]]
SHOWN = 4  # levels of a tree as text, and 3 with the hypotheses that agree


@dataclass(frozen=True, slots=True, eq=False)
class MistakeTree:
    """A complete binary tree of points that a class shatters.

    Attributes
    ----------
    points : ndarray of int64, shape (2^depth - 1,)
        The points in the order of a heap: below node k, label 0 leads to node 2k + 1 and label 1 to node 2k + 2.
    leaves : ndarray of int64, shape (2^depth,)
        A hypothesis for each path of labels, from all zeros to all ones.

    Raises
    ------
    RegretlessError
        If the two are not of one complete tree.
    """

    points: Array
    leaves: Array

    def __post_init__(self) -> None:
        nodes, leaves = np.shape(self.points), np.shape(self.leaves)
        if len(nodes) != 1 or leaves != (nodes[0] + 1,) or leaves[0] & (leaves[0] - 1):
            raise RegretlessError(
                f"a mistake tree of points of shape {nodes} and leaves of shape {leaves}; "
                "2^depth - 1 points and 2^depth leaves are expected"
            )

    @property
    def depth(self) -> int:
        """The number of mistakes that it forces."""
        return len(self.leaves).bit_length() - 1

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, MistakeTree):
            return NotImplemented
        return np.array_equal(self.points, other.points) and np.array_equal(self.leaves, other.leaves)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<MistakeTree of depth {self.depth}>"

    def __str__(self) -> str:
        from ..report.mistake_tree import tree_lines

        cut = [f"(the first {SHOWN} of {self.depth} levels)"] if self.depth > SHOWN else []
        return "\n".join([*tree_lines(self.picture(SHOWN, with_leaves=SHOWN - 1)), *cut])

    def _repr_svg_(self) -> str:
        from ..report.mistake_tree import MOST, tree_svg

        return tree_svg(self.picture(MOST, with_leaves=MOST))

    def picture(
        self,
        levels: int,
        *,
        with_leaves: int,
        points: Sequence[str] | None = None,
        hypotheses: Sequence[str] | None = None,
        of: str = "",
    ) -> TreePicture:
        """The part of the tree to draw or print.

        Parameters
        ----------
        levels : int
            The most levels to show.
        with_leaves : int
            The largest depth of a tree that is shown with hypotheses.
        points, hypotheses : sequence of str, optional
            Their names; by default their numbers.
        of : str
            Name of the class.
        """
        from ..report.mistake_tree import TreePicture

        asked = self.points[: (1 << levels) - 1].tolist()
        leaves = self.leaves.tolist() if self.depth <= with_leaves else []
        return TreePicture(
            f"A mistake tree of depth {self.depth}{of and f' for {of}'}",
            self.depth,
            [f"point {point}" if points is None else points[point] for point in asked],
            [f"hypothesis {leaf}" if hypotheses is None else hypotheses[leaf] for leaf in leaves],
        )

    def point(self, labels: Sequence[int] = ()) -> int:
        """The point at the node that these labels lead to; they are fewer than the depth."""
        node = _node(labels)
        if node >= len(self.points):
            raise RegretlessError(f"{len(labels):,} labels lead out of a mistake tree of depth {self.depth}")
        return int(self.points[node])

    def hypothesis(self, labels: Sequence[int]) -> int:
        """A hypothesis with these labels on their path; they are at most as many as the depth."""
        if len(labels) > self.depth:
            raise RegretlessError(f"{len(labels):,} labels lead out of a mistake tree of depth {self.depth}")
        return int(self.leaves[(_node(labels) + 1 << self.depth - len(labels)) - len(self.leaves)])

    def paths(self) -> Iterator[tuple[tuple[int, ...], tuple[int, ...], int]]:
        """The labels, the points and the hypothesis of each path, from all zeros to all ones."""
        for leaf in range(len(self.leaves)):
            labels = tuple(leaf >> below & 1 for below in reversed(range(self.depth)))
            yield labels, tuple(self.point(labels[:round_]) for round_ in range(self.depth)), int(self.leaves[leaf])

    def subtree(self, label: int) -> MistakeTree:
        """The subtree below the root for a label."""
        if self.depth == 0:
            raise RegretlessError("a mistake tree of depth 0 has no subtree")
        side, half = bit_of(label), len(self.leaves) // 2
        # Level d of the tree has 2^d nodes from node 2^d - 1 on, one half of which is in the subtree.
        levels = [(2 << level) - 1 + (side << level) for level in range(self.depth - 1)]
        nodes = [self.points[begin : begin + (1 << level)] for level, begin in enumerate(levels)]
        points = np.concatenate([np.empty(0, dtype=np.int64), *nodes])
        return MistakeTree(points, self.leaves[side * half : (side + 1) * half])

    def check(self, finite_class: FiniteClass) -> None:
        """Check that the class shatters the tree: each leaf's hypothesis has the labels of its path.

        Raises
        ------
        RegretlessError
            If it does not: with the first path whose hypothesis has another label, and the round.
        """
        _inside(self.points, finite_class.points, "points")
        _inside(self.leaves, finite_class.hypotheses, "hypotheses")
        path, rows = np.arange(len(self.leaves)), finite_class.rows
        for level in range(self.depth):
            asked = self.points[(1 << level) - 1 + (path >> self.depth - level)]
            labels = rows[self.leaves, asked >> 6] >> (asked & 63).astype(np.uint64) & np.uint64(1)
            wrong = np.flatnonzero(labels != (path >> self.depth - level - 1 & 1).astype(np.uint64))
            if len(wrong):
                raise RegretlessError(self._refusal(int(wrong[0]), level, int(asked[wrong[0]]), int(labels[wrong[0]])))

    def _refusal(self, leaf: int, level: int, point: int, label: int) -> str:
        labels = format(leaf, f"0{self.depth}b")
        return (
            f"the mistake tree is not shattered: on its path {labels} hypothesis {int(self.leaves[leaf])} "
            f"has label {label} for point {point} in round {level + 1}"
        )

    def nested(self, points: Sequence[Any] | None = None, hypotheses: Sequence[Any] | None = None) -> dict[str, Any]:
        """The tree as JSON has it: ``{"x": point, "0": below, "1": below}`` and for a leaf ``{"h": hypothesis}``.

        Parameters
        ----------
        points, hypotheses : sequence, optional
            Their names; by default their numbers.
        """
        below: list[dict[str, Any]] = [{"h": _called(leaf, hypotheses)} for leaf in self.leaves.tolist()]
        for level in reversed(range(self.depth)):
            asked = self.points[(1 << level) - 1 : (2 << level) - 1].tolist()
            below = [
                {"x": _called(point, points), "0": below[2 * place], "1": below[2 * place + 1]}
                for place, point in enumerate(asked)
            ]
        return below[0]

    @classmethod
    def of_shattered(cls, finite_class: FiniteClass, points: Sequence[int]) -> MistakeTree:
        """The tree of a shattered set of points, with one point at all nodes of a level.

        Raises
        ------
        RegretlessError
            If the class does not shatter them: with the first combination of labels that no hypothesis has.
        """
        from .vc import check_shattered

        check_shattered(finite_class, points)
        asked, labels = np.array(points, dtype=np.int64), np.zeros(finite_class.hypotheses, dtype=np.int64)
        for point in asked:
            bits = finite_class.rows[:, point >> 6] >> np.uint64(point & 63) & np.uint64(1)
            labels = labels << 1 | bits.astype(np.int64)
        leaves = np.empty(1 << len(asked), dtype=np.int64)
        leaves[labels[::-1]] = np.arange(finite_class.hypotheses)[::-1]  # so that the first one with these labels stays
        return cls(np.repeat(asked, 1 << np.arange(len(asked))), leaves)

    @classmethod
    def from_nested(
        cls, tree: dict[str, Any], points: Sequence[Any] | None = None, hypotheses: Sequence[Any] | None = None
    ) -> MistakeTree:
        """The tree whose JSON form this is, with the same names."""
        asked: list[int] = []
        level = [tree]
        while all(isinstance(node, dict) and {"x", "0", "1"} <= node.keys() for node in level):
            asked += [_number(node["x"], points, "point") for node in level]
            level = [node[label] for node in level for label in "01"]
        if not all(isinstance(node, dict) and "h" in node for node in level):
            raise RegretlessError(
                'a mistake tree is {"x": point, "0": tree, "1": tree} or {"h": hypothesis}, and complete'
            )
        leaves = [_number(node["h"], hypotheses, "hypothesis") for node in level]
        return cls(np.array(asked, dtype=np.int64), np.array(leaves, dtype=np.int64))


def bit_of(label: int) -> int:
    """The label, which must be 0 or 1."""
    if label not in (0, 1):
        raise RegretlessError(f"label {label!r}; 0 or 1 is expected")
    return int(label)


def _node(labels: Sequence[int]) -> int:
    node = 0
    for label in labels:
        node = 2 * node + 1 + bit_of(label)
    return node


def _inside(numbers: Array, count: int, what: str) -> None:
    beyond = numbers[(numbers < 0) | (numbers >= count)]
    if len(beyond):
        raise RegretlessError(f"the mistake tree names number {int(beyond[0]):,} of a class of {count:,} {what}")


def _called(number: int, names: Sequence[Any] | None) -> Any:
    return number if names is None else names[number]


def _number(name: Any, names: Sequence[Any] | None, what: str) -> int:
    if names is not None:
        if name not in names:
            raise RegretlessError(f"the mistake tree names a {what} {name!r} that is not there")
        return list(names).index(name)
    if not isinstance(name, int) or isinstance(name, bool):
        raise RegretlessError(f"the mistake tree names a {what} {name!r}; a number is expected")
    return name
