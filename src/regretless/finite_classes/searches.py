"""All dimensions of a finite class, searched for within one time, and the bounds that they give each other."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, comb, floor
from time import perf_counter
from typing import Any

from .dimension import Dimension, Stop
from .finite_class import FiniteClass
from .littlestone import RandomizedDimension
from .mistake_tree import MistakeTree

VC, LITTLESTONE, RANDOMIZED = "VC dimension", "Littlestone dimension", "randomized dimension"


@dataclass(frozen=True)
class Dimensions:
    """The dimensions of a class, as far as they are known.

    Attributes
    ----------
    finite_class : FiniteClass
    vc, littlestone : Dimension or None
        None if it was not looked for.
    randomized : RandomizedDimension or None
        The expected mistakes of the best learner that draws, if they were looked for.
    seconds : float
        Time of the searches.
    """

    finite_class: FiniteClass
    vc: Dimension | None
    littlestone: Dimension | None
    randomized: RandomizedDimension | None
    seconds: float

    @property
    def intervals(self) -> dict[str, tuple[int, int]]:
        """Bounds on both dimensions, by all dimensions together.

        VC <= Littlestone <= log2 of the size; randomised <= Littlestone <= twice the randomised one; and the
        number of hypotheses implies a VC dimension of at least `counted`.
        """
        most = self.finite_class.floor_log2
        low, high = (self.counted, most) if self.vc is None else (self.vc.lower, self.vc.upper)
        least, top = (0, most) if self.littlestone is None else (self.littlestone.lower, self.littlestone.upper)
        low = max(low, self.counted)
        if self.randomized is not None:
            least, top = max(least, ceil(self.randomized.lower)), min(top, floor(2 * self.randomized.upper))
        return {"vc_dimension": (low, min(high, top)), "littlestone_dimension": (max(low, least), top)}

    @property
    def counted(self) -> int:
        """A lower bound on the VC dimension by the number of hypotheses (Sauer 1972; Shelah 1972)."""
        table = self.finite_class
        return least_by_counting(table.hypotheses, table.points)

    @property
    def drawn(self) -> tuple[Fraction, Fraction] | None:
        """Bounds on the randomised dimension: also by the Littlestone dimension, and by the size of the class."""
        if self.randomized is None:
            return None
        from ..theory.finite_classes import half_the_bits_of

        low, high = self.intervals["littlestone_dimension"]
        most = min(self.randomized.upper, Fraction(high), Fraction(half_the_bits_of(self.finite_class.hypotheses)))
        return max(self.randomized.lower, Fraction(low, 2)), most

    @property
    def tree(self) -> MistakeTree | None:
        """The mistake tree, if it was asked for."""
        return None if self.littlestone is None else self.littlestone.witness


def search_dimensions(
    finite_class: FiniteClass,
    wanted: Collection[str],
    limit: float | None,
    on_progress: Callable[[str], Callable[[int, Any, Any], None]],
    stop: Stop,
) -> Dimensions:
    """Compute dimensions, each within its share of the time left, and check their witnesses.

    Parameters
    ----------
    finite_class : FiniteClass
    wanted : collection of str
        Which of `VC`, `LITTLESTONE` and `RANDOMIZED`.
    limit : float or None
        Seconds for all of them.
    on_progress : callable
        Takes the name of a dimension; returns what is called with steps and both bounds.
    stop : callable
        Asked now and then whether to stop.
    """
    from . import littlestone_dimension, randomized_littlestone_dimension, vc_dimension
    from .vc import check_shattered

    begun = perf_counter()
    # Later searches get the time that earlier ones leave; mistake trees are mostly fast.
    searches: dict[str, Any] = {LITTLESTONE: littlestone_dimension, VC: vc_dimension}
    searches |= {RANDOMIZED: randomized_littlestone_dimension}
    dimensions: dict[str, Any] = {}
    for place, name in enumerate(asked := [one for one in searches if one in wanted]):
        left = None if limit is None else max(limit - (perf_counter() - begun), 0.0) / (len(asked) - place)
        dimensions[name] = searches[name](finite_class, limit=left, on_progress=on_progress(name), stop=stop)
    vc, littlestone = dimensions.get(VC), dimensions.get(LITTLESTONE)
    if vc is not None:
        check_shattered(finite_class, vc.witness)
    if littlestone is not None:
        littlestone = _deepened(littlestone, vc, finite_class)
        littlestone.witness.check(finite_class)
    return Dimensions(finite_class, vc, littlestone, dimensions.get(RANDOMIZED), perf_counter() - begun)


def _deepened(littlestone: Dimension, vc: Dimension | None, finite_class: FiniteClass) -> Dimension:
    """The dimension with the tree of the shattered set, if that is deeper."""
    if vc is None or len(vc.witness) <= littlestone.witness.depth:
        return littlestone
    tree = MistakeTree.of_shattered(finite_class, sorted(vc.witness))
    return replace(littlestone, lower=max(littlestone.lower, tree.depth), witness=tree)


def least_by_counting(hypotheses: int, points: int) -> int:
    """The least VC dimension of a class of this size.

    With dimension d there are at most C(n, 0) + ... + C(n, d) on n points, by the lemma of Sauer and Shelah.
    """
    dimension, most = 0, 1
    while most < hypotheses:
        dimension += 1
        most += comb(points, dimension)
    return dimension
