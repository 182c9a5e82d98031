"""What was found out about a finite class, for people, for programs and as a picture."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor
from time import perf_counter
from typing import TYPE_CHECKING, Any

from ..replacing import replacing
from ..report.mistake_tree import MOST, TreePicture, tree_lines, tree_svg
from .output import many, short, write_json

if TYPE_CHECKING:
    from ..classes import Dimension, MistakeTree
    from ..classes.dimensions.littlestone import RandomizedDimension
    from .class_given import GivenClass
    from .console import Console

SCHEMA = "regretless.dimension/1"
DEEPEST = 16  # of trees in JSON: every level more doubles them
VC, LITTLESTONE, RANDOMIZED = "VC dimension", "Littlestone dimension", "randomized dimension"
DRAWN = "randomized_littlestone_dimension"
SHOWN = 4  # levels of a tree as text, and 3 with the hypotheses that agree
WIDTH = 24

Stop = Callable[[], bool]


@dataclass
class Found:
    """The dimensions of a class, as far as they are known.

    Attributes
    ----------
    given : GivenClass
    vc, littlestone : Dimension or None
        None is one that was not asked for.
    randomized : RandomizedDimension or None
        The expected mistakes of the best learner that draws, if they were asked for.
    seconds : float
        How long the searches took.
    """

    given: GivenClass
    vc: Dimension | None
    littlestone: Dimension | None
    randomized: RandomizedDimension | None
    seconds: float

    @property
    def intervals(self) -> dict[str, tuple[int, int]]:
        """Between what both dimensions lie, by what each says of the other: VC <= Littlestone <= log2 of the size."""
        most = self.given.finite_class.floor_log2
        low, high = (min(1, most), most) if self.vc is None else (self.vc.lower, self.vc.upper)
        least, most = (0, most) if self.littlestone is None else (self.littlestone.lower, self.littlestone.upper)
        return {"vc_dimension": (low, min(high, most)), "littlestone_dimension": (max(low, least), most)}

    @property
    def drawn(self) -> tuple[Fraction, Fraction] | None:
        """Between what the randomised dimension lies: also from half of the other one to all of it."""
        if self.randomized is None:
            return None
        low, high = self.intervals["littlestone_dimension"]
        return max(self.randomized.lower, Fraction(low, 2)), min(self.randomized.upper, Fraction(high))

    @property
    def tree(self) -> MistakeTree | None:
        """The mistake tree, if one was looked for."""
        return None if self.littlestone is None else self.littlestone.witness

    def publish(self, *, json: bool) -> None:
        """Print everything."""
        if json:
            write_json(self.describe())
        else:
            for line in self.lines():
                print(line)
        sys.stdout.flush()

    def describe(self) -> dict[str, Any]:
        """The outcome as JSON values."""
        made = self.given.finite_class
        known = {name: low if low == high else None for name, (low, high) in self.intervals.items()}
        unknown: dict[str, Any] = {name: list(ends) for name, ends in self.intervals.items() if known[name] is None}
        more = {}
        if self.drawn is not None:
            low, high = self.drawn
            more[DRAWN] = str(low) if low == high else None
            unknown |= {DRAWN: [str(low), str(high)]} if low < high else {}
        return {
            "schema": SCHEMA,
            "path": self.given.path,
            "named": self.given.named,
            "hypotheses": made.given,
            "distinct": made.hypotheses,
            "points": made.points,
            "vc_dimension": known["vc_dimension"],
            "shattered": self._shattered(),
            "littlestone_dimension": known["littlestone_dimension"],
            "tree": self._nested(),
            "floor_log2": made.floor_log2,
            **more,
            "exact": unknown or True,
            "seconds": self.seconds,
        }

    def _shattered(self) -> list[str | int] | None:
        names = self.given.finite_class.point_names
        return None if self.vc is None else [_called(names, point) for point in sorted(self.vc.witness)]

    def _nested(self) -> dict[str, Any] | None:
        tree, made = self.tree, self.given.finite_class
        if tree is None or tree.depth > DEEPEST:
            return None
        return tree.nested(made.point_names, made.hypothesis_names)

    def interrupted(self) -> str:
        """What is said of searches that a signal ended."""
        ends = [*self.intervals.values(), *([] if self.drawn is None else [self.drawn])]
        if all(low == high for low, high in ends):
            return "interrupted when all was known"
        return "interrupted; what is known by then was printed"

    # For people.

    def lines(self) -> Iterator[str]:
        """What people are told."""
        made = self.given.finite_class
        merged = f", of {made.given:,} that were given" if made.given > made.hypotheses else ""
        count = f"{made.hypotheses:,} different hypothes{'is' if made.hypotheses == 1 else 'es'}"
        yield f"{self.given.title}: {count}{merged}, on {many(made.points, 'point')}"
        for name, title in (("vc_dimension", VC), ("littlestone_dimension", LITTLESTONE)):
            yield self._row(title, _between(*self.intervals[name]), self._proof(name))
        yield self._row("floor(log2 |H|)", str(made.floor_log2), "the halving algorithm errs no more often")
        optimal = _between(*self.intervals["littlestone_dimension"])
        yield self._row(
            "optimal mistake bound",
            optimal,
            "no deterministic learner can promise fewer, and standard-optimal promises these",
        )
        if self.drawn is not None:
            low, high = self.drawn
            told = f", exactly {low}" if low == high and low.denominator > 1 else ""
            expected = f"expected mistakes that no learner which draws can promise to stay below{told}"
            yield self._row("randomized", _approximately(low, high), expected)
        yield from self._tree_lines()

    def _row(self, name: str, value: str, told: str) -> str:
        return f"  {name:<{WIDTH}}{value:<8} {told}".rstrip()

    def _proof(self, name: str) -> str:
        made, (low, high) = self.given.finite_class, self.intervals[name]
        found = self.vc if name == "vc_dimension" else self.littlestone
        if found is None:
            return "not looked for" if low < high else "not looked for, but it lies between the others"
        if name == "littlestone_dimension":
            return f"shattered: a mistake tree of depth {found.lower}" if found.lower else "there is nothing to ask"
        names = [short(made.point_name(point)) for point in sorted(found.witness)]
        told = f"{', '.join(names[:8])}{', ...' if len(names) > 8 else ''}"
        return f"shattered: {'points' if len(names) > 1 else 'point'} {told}" if names else "no point has both labels"

    def _tree_lines(self) -> Iterator[str]:
        if self.tree is None or not self.tree.depth:
            return
        picture = self.picture(SHOWN, with_leaves=SHOWN - 1)
        shown = len(picture.points).bit_length()
        yield ""
        cut = f" (the first {shown} of {picture.depth} levels)" if shown < picture.depth else ""
        ends = ", and each path ends at a hypothesis that agrees" if picture.leaves else ""
        yield f"mistake tree{cut}: whatever is predicted, the other label is still possible{ends}"
        for line in tree_lines(picture):
            yield f"  {line}"

    # As a picture.

    def draw(self, path: str) -> None:
        """Write the tree as an SVG file."""
        with replacing(path) as file:
            file.write(tree_svg(self.picture(MOST, with_leaves=MOST)).encode())

    def picture(self, levels: int, *, with_leaves: int) -> TreePicture:
        """So many levels of the tree, and what agrees with each path if it is no deeper than the second number."""
        made, tree = self.given.finite_class, self.tree
        assert tree is not None
        points = [_point(made.point_names, point) for point in tree.points[: (1 << levels) - 1].tolist()]
        leaves = tree.leaves.tolist() if tree.depth <= with_leaves else []
        named = [_hypothesis(made.hypothesis_names, leaf) for leaf in leaves]
        title = f"A mistake tree of depth {tree.depth} for {self.given.title}"
        return TreePicture(title, tree.depth, points, named)


def find(given: GivenClass, arguments: Namespace, console: Console, stop: Stop) -> Found:
    """Search for what the arguments ask, each search within its share of the time that is left."""
    from ..classes import littlestone_dimension, randomized_littlestone_dimension, vc_dimension
    from ..classes.dimensions.vc import check_shattered

    begun, made = perf_counter(), given.finite_class
    # What one search leaves of the time the next one may use, and mistake trees are mostly found sooner.
    searches: dict[str, Any] = {LITTLESTONE: littlestone_dimension, VC: vc_dimension}
    searches |= {RANDOMIZED: randomized_littlestone_dimension}
    asked = {VC: arguments.only != "littlestone", LITTLESTONE: arguments.only != "vc", RANDOMIZED: arguments.randomized}
    wanted = [name for name in searches if asked[name]]
    found: dict[str, Any] = {}
    for place, name in enumerate(wanted):
        left = None
        if arguments.limit is not None:
            left = max(arguments.limit - (perf_counter() - begun), 0.0) / (len(wanted) - place)
        found[name] = searches[name](made, limit=left, on_progress=_shower(console, name), stop=stop)
    if VC in found:
        check_shattered(made, found[VC].witness)
    if LITTLESTONE in found:
        found[LITTLESTONE].witness.check(made)
    return Found(given, found.get(VC), found.get(LITTLESTONE), found.get(RANDOMIZED), perf_counter() - begun)


def _shower(console: Console, name: str) -> Callable[[int, Any, Any], None]:
    def show(steps: int, lower: Any, upper: Any) -> None:
        between = _between(lower, upper) if name != RANDOMIZED else _approximately(lower, upper)
        console.rounds(steps, f"{name} {between}, ", "steps")

    return show


def _approximately(low: Fraction, high: Fraction) -> str:
    """Both ends in three decimals, rounded outwards."""
    if low == high:
        return f"{float(low):.6g}"
    return f"{floor(low * 1000) / 1000:g} to {ceil(high * 1000) / 1000:g}"


def _between(low: int, high: int) -> str:
    return str(low) if low == high else f"{low} to {high}"


def _called(names: list[str] | None, number: int) -> str | int:
    return number if names is None else names[number]


def _point(names: list[str] | None, number: int) -> str:
    return f"point {number}" if names is None else names[number]


def _hypothesis(names: list[str] | None, number: int) -> str:
    return f"hypothesis {number}" if names is None else names[number]
