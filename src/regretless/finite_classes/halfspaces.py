"""Halfspaces: a class of few dimensions that no learner can learn with boundedly many mistakes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import inf
from typing import TYPE_CHECKING, Any

from ..errors import RegretlessError
from .mistake_tree import bit_of

if TYPE_CHECKING:
    from .finite_class import FiniteClass
    from .mistake_tree import MistakeTree

Vector = tuple[Fraction, ...]


@dataclass(frozen=True, slots=True)
class Halfspaces:
    """All x -> 1 if <w, x> > 0 else 0 on R^dimension; with `affine` all x -> 1 if <w, x> + b > 0 else 0.

    Attributes
    ----------
    dimension : int
        Of the space, 1 at least.
    affine : bool
        Whether the hyperplanes may miss the origin.
    """

    dimension: int
    affine: bool = False

    def __post_init__(self) -> None:
        if self.dimension < 1:
            raise RegretlessError(f"halfspaces of dimension {self.dimension}; at least 1 is expected")

    @property
    def weights(self) -> int:
        """The number of weights: an affine halfspace is a homogeneous one of dimension + 1 on the points (x, 1)."""
        return self.dimension + self.affine

    def vc_dimension(self) -> int:
        """The number of weights.

        The unit vectors (and with `affine` the origin) have every combination of labels. Of more points some numbers
        c_i, one of them positive, give sum c_i x_i = 0, with (x_i, 1) for x_i if `affine`. No halfspace labels those
        with c_i > 0 by 1 and the others by 0: sum c_i <w, x_i> = 0 would have a positive part and no negative one.
        """
        return self.weights

    def littlestone_dimension(self) -> float:
        """Infinite, as `why` says, with two weights or more; 1 with one weight."""
        return 1 if self.weights == 1 else inf

    def why(self) -> str:
        """The reason for the Littlestone dimension, in words."""
        if self.weights == 1:
            return (
                "halfspaces of the line with their border at 0 are three hypotheses, 1 if x > 0, 1 if x < 0 and always "
                "0; one mistake can be forced, and no more than floor(log2 3) = 1"
            )
        return (
            "halfspaces of two weights or more shatter the dyadic tree of any depth: (-1, a) says 1 of the points "
            "(m, 1) with m < a, and there is an a below and above m, however often the interval was halved: no learner "
            "has a mistake bound, unless the margin is bounded from below"
        )


@dataclass(frozen=True, slots=True)
class DyadicTree:
    """A mistake tree of halfspaces of the plane of any depth, in exact fractions.

    After labels y_1, ..., y_k comes the point (m, 1), where m = sum y_i 2^-i + 2^-(k+1) is the middle of what binary
    search in (0, 1) has left. The halfspace (-1, a) says 1 if a > m, so that (-1, m) has all these labels.

    Attributes
    ----------
    depth : int
        The depth for `check`, `paths` and `finite`; points and halfspaces are available for any labels.
    """

    depth: int

    def __post_init__(self) -> None:
        if isinstance(self.depth, bool) or not hasattr(self.depth, "__index__") or self.depth < 0:
            raise RegretlessError(f"a tree of depth {self.depth}; a whole number from 0 is expected")

    def point(self, labels: Sequence[int] = ()) -> Vector:
        """The point after these labels."""
        return _middle(labels), Fraction(1)

    def hypothesis(self, labels: Sequence[int]) -> Vector:
        """A halfspace that has these labels on their path."""
        return Fraction(-1), _middle(labels)

    def margin(self, labels: Sequence[int]) -> Fraction:
        """The least |<w, v>| of that halfspace on their path, 2^-(k+1) after k labels: each halves it."""
        return Fraction(1, 2 << len(labels))

    def path(self, labels: Iterable[int]) -> Iterator[Vector]:
        """The points, each before its label: lazily, so that labels may be infinite."""
        low, half = Fraction(0), Fraction(1, 2)
        yield low + half, Fraction(1)
        for label in labels:
            low += bit_of(label) * half
            half /= 2
            yield low + half, Fraction(1)

    def paths(self) -> Iterator[tuple[tuple[int, ...], tuple[Vector, ...], Vector]]:
        """The labels, the points and the halfspace of each path, from all zeros to all ones."""
        for labels in product((0, 1), repeat=self.depth):
            points = tuple(self.point(labels[:round_]) for round_ in range(self.depth))
            yield labels, points, self.hypothesis(labels)

    def check(self) -> None:
        """Check that each path's halfspace has the labels of the path, by inner products.

        Raises
        ------
        RegretlessError
            If one has not; the message has the path and the round.
        """
        for labels, points, weights in self.paths():
            for round_, (label, point) in enumerate(zip(labels, points, strict=True), start=1):
                predicted = sum((w * v for w, v in zip(weights, point, strict=True)), Fraction(0)) > 0
                if predicted != label:
                    path = "".join(map(str, labels))
                    raise RegretlessError(f"the dyadic tree is not shattered: round {round_} of its path {path}")

    def nested(self) -> dict[str, Any]:
        """The tree as JSON has it: ``{"x": ["1/2", "1"], "0": below, "1": below}``, for a leaf ``{"h": weights}``."""
        return self._nested(())

    def _nested(self, labels: tuple[int, ...]) -> dict[str, Any]:
        if len(labels) == self.depth:
            return {"h": [str(weight) for weight in self.hypothesis(labels)]}
        below = {str(label): self._nested((*labels, label)) for label in (0, 1)}
        return {"x": [str(part) for part in self.point(labels)], **below}

    def finite(self) -> tuple[FiniteClass, MistakeTree]:
        """The halfspaces at the leaves on the points of the tree, which are thresholds; and the tree in them."""
        import numpy as np

        from .finite_class import FiniteClass
        from .mistake_tree import MistakeTree

        inner = [labels for level in range(self.depth) for labels in product((0, 1), repeat=level)]
        leaves = list(product((0, 1), repeat=self.depth))
        # A class of one hypothesis needs a point: a tree of depth 0 uses that of its root.
        middles = [_middle(labels) for labels in inner or [()]]
        borders = [_middle(labels) for labels in leaves]
        finite_class = FiniteClass(
            [[border > middle for middle in middles] for border in borders],
            hypotheses=[f"(-1, {border})" for border in borders],
            points=[f"({middle}, 1)" for middle in middles],
        )
        return finite_class, MistakeTree(np.arange(len(inner)), np.arange(len(leaves)))


def dyadic_tree(depth: int) -> DyadicTree:
    """The tree of this depth that the halfspaces of the plane shatter."""
    return DyadicTree(depth)


def _middle(labels: Sequence[int]) -> Fraction:
    numerator = 0
    for label in labels:
        numerator = 2 * numerator + bit_of(label)
    return Fraction(2 * numerator + 1, 2 << len(labels))
