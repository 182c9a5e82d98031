"""The result of `dimension`: lines, JSON and the picture of a tree."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from math import ceil, floor
from typing import TYPE_CHECKING, Any, NamedTuple

from ...report.terminal import many, short
from ..output import Console, Output

if TYPE_CHECKING:
    from ...finite_classes import FiniteClass
    from ...finite_classes.searches import Dimensions
    from ...report.mistake_tree import TreePicture
    from ..output import Console


SCHEMA = "regretless.dimension/1"
DEEPEST = 16  # of trees in JSON: every level more doubles them
DRAWN = "randomized_littlestone_dimension"
WIDTH = 24
NOTHING = "there is nothing to ask"
CLOSE = Fraction(1, 10**9)  # intervals below this width are printed as one number


class ClassArgument(NamedTuple):
    """The class of a command line, and its name there.

    Attributes
    ----------
    finite_class : FiniteClass
    path : str or None
        The file of the class, or of its points.
    named : str or None
        Its family.
    notes : sequence of str
        Notes on how the file was read.
    """

    finite_class: FiniteClass
    path: str | None
    named: str | None
    notes: Sequence[str] = ()

    @property
    def title(self) -> str:
        """Its name in a line."""
        return " on ".join(name for name in (self.named, self.path) if name is not None)


class DimensionOutput(Output):
    """The dimensions of a class, as far as they are known.

    Attributes
    ----------
    argument : ClassArgument
    known : Dimensions
    trees : bool
        Whether to print the mistake tree.
    """

    PAGE = "tree"
    certificates = ()

    def __init__(self, argument: ClassArgument, known: Dimensions, *, trees: bool) -> None:
        self.argument, self.known, self.trees = argument, known, trees

    def describe(self) -> dict[str, Any]:
        """The outcome as JSON values; the tree is null if it is not asked for."""
        finite_class = self.argument.finite_class
        known = {name: low if low == high else None for name, (low, high) in self.known.intervals.items()}
        unknown: dict[str, Any] = {
            name: list(ends) for name, ends in self.known.intervals.items() if known[name] is None
        }
        more = {}
        if self.known.drawn is not None:
            low, high = self.known.drawn
            more[DRAWN] = str(low) if low == high else None
            unknown |= {DRAWN: [str(low), str(high)]} if low < high else {}
        return {
            "schema": SCHEMA,
            "path": self.argument.path,
            "named": self.argument.named,
            "hypotheses": finite_class.table_rows,
            "distinct": finite_class.hypotheses,
            "points": finite_class.points,
            "vc_dimension": known["vc_dimension"],
            "shattered": self._shattered(),
            "littlestone_dimension": known["littlestone_dimension"],
            "tree": self._nested() if self.trees else None,
            "floor_log2": finite_class.floor_log2,
            **more,
            "exact": unknown or True,
            "seconds": self.known.seconds,
        }

    def _shattered(self) -> list[str | int] | None:
        names = self.argument.finite_class.point_names
        return None if self.known.vc is None else [_called(names, point) for point in sorted(self.known.vc.witness)]

    def _nested(self) -> dict[str, Any] | None:
        tree, finite_class = self.known.tree, self.argument.finite_class
        if tree is None or tree.depth > DEEPEST:
            return None
        return tree.nested(finite_class.point_names, finite_class.hypothesis_names)

    def interrupted(self) -> str:
        """The message about searches that a signal ended."""
        ends = [*self.known.intervals.values(), *([] if self.known.drawn is None else [self.known.drawn])]
        if all(low == high for low, high in ends):
            return "interrupted when the search was done"
        return "interrupted; the bounds so far were printed"

    # For people.

    def lines(self) -> Iterator[str]:
        """The lines for people, with the tree if it is asked for."""
        finite_class = self.argument.finite_class
        merged = f", from {finite_class.table_rows:,} rows" if finite_class.table_rows > finite_class.hypotheses else ""
        count = f"{finite_class.hypotheses:,} different hypothes{'is' if finite_class.hypotheses == 1 else 'es'}"
        yield f"{self.argument.title}: {count}{merged}, on {many(finite_class.points, 'point')}"
        for name, title in (("vc_dimension", "VC dimension"), ("littlestone_dimension", "Littlestone dimension")):
            yield self._row(title, _between(*self.known.intervals[name]), self._proof(name))
        yield self._row("floor(log2 |H|)", str(finite_class.floor_log2), "the halving algorithm errs no more often")
        optimal = self.known.intervals["littlestone_dimension"]
        yield self._row("optimal mistake bound", _between(*optimal), self._promised(*optimal))
        if self.known.drawn is not None:
            yield self._row("randomized", _approximately(*self.known.drawn), self._expected(*self.known.drawn))
        if self.trees:
            yield from self._tree_lines()

    def _promised(self, low: int, high: int) -> str:
        """The optimal mistake bound in words, and a learner that has it."""
        from ...learner_table import CLASS_LEARNERS

        learner = {one.info.promises: name for name, one in CLASS_LEARNERS.items()}
        if low == high:
            return f"no deterministic learner can promise fewer, and {learner['littlestone']} promises these"
        known = learner["log2" if high == self.argument.finite_class.floor_log2 else "littlestone"]
        return f"no deterministic learner can promise fewer than {low}, and {known} promises {high}"

    def _expected(self, low: Fraction, high: Fraction) -> str:
        """The optimal bound on expected mistakes in words."""
        if high - low > CLOSE:
            least, most = (f"{end:g}" for end in _rounded(low, high))
            return (
                f"no learner which draws can promise fewer than {least} expected mistakes, and the best promises {most}"
            )
        meaning = "expected mistakes that no learner which draws can promise to stay below"
        if low < high:
            assert self.known.randomized is not None
            why = ", for it is finer than 2^-58" if self.known.randomized.finer else ""
            return f"{meaning}, known to within {float(high - low):.0e}{why}"
        return f"{meaning}, exactly {low}" if low.denominator > 1 else meaning

    def _row(self, name: str, value: str, why: str) -> str:
        return f"  {name:<{WIDTH}}{value:<8} {why}".rstrip()

    def _proof(self, name: str) -> str:
        finite_class, (low, high) = self.argument.finite_class, self.known.intervals[name]
        dimension = self.known.vc if name == "vc_dimension" else self.known.littlestone
        if dimension is None:
            return "not looked for" if low < high else "not looked for, but it lies between the others"
        if name == "littlestone_dimension":
            depth = dimension.witness.depth
            return f"shattered: a mistake tree of depth {depth}{self._besides(low, depth)}" if high else NOTHING
        names = [short(finite_class.point_name(point)) for point in sorted(dimension.witness)]
        listed = f"{', '.join(names[:8])}{', ...' if len(names) > 8 else ''}"
        nothing = "no point has both labels" if dimension.exact else "none shattered so far"
        points = f"shattered: {'points' if len(names) > 1 else 'point'} {listed}" if names else nothing
        return f"{points}{self._besides(low, len(names))}"

    def _besides(self, low: int, shown: int) -> str:
        """The reason of a lower bound beyond the witness."""
        if low <= shown:
            return ""
        return f"; at least {low}, by {'counting' if low == self.known.counted else 'the randomized dimension'}"

    def _tree_lines(self) -> Iterator[str]:
        if self.known.tree is None or not self.known.tree.depth:
            return
        from ...finite_classes.mistake_tree import SHOWN
        from ...report.mistake_tree import tree_lines

        picture = self.picture(SHOWN, with_leaves=SHOWN - 1)
        shown = len(picture.points).bit_length()
        yield ""
        cut = f" (the first {shown} of {picture.depth} levels)" if shown < picture.depth else ""
        ends = ", and each path ends at a hypothesis that agrees" if picture.leaves else ""
        yield f"mistake tree{cut}: whatever is predicted, the other label is still possible{ends}"
        for line in tree_lines(picture):
            yield f"  {line}"

    # As a picture.

    def write_page(self, path: str) -> None:
        """Write the tree as an SVG file."""
        from ...atomic_write import replacing
        from ...report.mistake_tree import MOST, tree_svg

        with replacing(path) as file:
            file.write(tree_svg(self.picture(MOST, with_leaves=MOST)).encode())

    def picture(self, levels: int, *, with_leaves: int) -> TreePicture:
        """The first levels of the tree, with hypotheses if its depth is at most `with_leaves`."""
        finite_class, tree = self.argument.finite_class, self.known.tree
        assert tree is not None
        points, hypotheses = finite_class.point_names, finite_class.hypothesis_names
        return tree.picture(
            levels, with_leaves=with_leaves, points=points, hypotheses=hypotheses, of=self.argument.title
        )


def shower(console: Console, name: str) -> Callable[[int, Any, Any], None]:
    """What shows on a console how far the search for this dimension is."""
    from ...finite_classes.searches import RANDOMIZED

    def show(steps: int, lower: Any, upper: Any) -> None:
        between = _between(lower, upper) if name != RANDOMIZED else _approximately(lower, upper)
        console.rounds(steps, f"{name} {between}, ", "steps")

    return show


def _approximately(low: Fraction, high: Fraction) -> str:
    """Both ends in three decimals, rounded outwards; one number if they differ by rounding alone."""
    if high - low <= CLOSE:
        return f"{float(high):.6g}"
    least, most = _rounded(low, high)
    return f"{least:g} to {most:g}"


def _rounded(low: Fraction, high: Fraction) -> tuple[float, float]:
    return floor(low * 1000) / 1000, ceil(high * 1000) / 1000


def _between(low: int, high: int) -> str:
    return str(low) if low == high else f"{low} to {high}"


def _called(names: list[str] | None, number: int) -> str | int:
    return number if names is None else names[number]
