"""The result of `dimension`: lines, JSON and picture."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import ceil, comb, floor
from time import perf_counter
from typing import TYPE_CHECKING, Any

from ..atomic_write import replacing
from ..report.mistake_tree import MOST, TreePicture, tree_lines, tree_svg
from .output import Output, many, short

if TYPE_CHECKING:
    from ..finite_classes import Dimension, FiniteClass, MistakeTree
    from ..finite_classes.littlestone import RandomizedDimension
    from .dimension import DimensionOptions
    from .output import Console

SCHEMA = "regretless.dimension/1"
DEEPEST = 16  # of trees in JSON: every level more doubles them
VC, LITTLESTONE, RANDOMIZED = "VC dimension", "Littlestone dimension", "randomized dimension"
DRAWN = "randomized_littlestone_dimension"
WIDTH = 24
NOTHING = "there is nothing to ask"
CLOSE = Fraction(1, 10**9)  # intervals below this width are printed as one number

Stop = Callable[[], bool]


@dataclass(frozen=True)
class ClassArgument:
    """The class of a command line, and its name there.

    Attributes
    ----------
    finite_class : FiniteClass
    path : str or None
        The file of the class, or of its points.
    named : str or None
        Its family.
    notes : list of str
        Notes on how the file was read.
    """

    finite_class: FiniteClass
    path: str | None
    named: str | None
    notes: list[str] = field(default_factory=list)

    @property
    def title(self) -> str:
        """Its name in a line."""
        return " on ".join(name for name in (self.named, self.path) if name is not None)


@dataclass
class DimensionOutput(Output):
    """The dimensions of a class, as far as they are known.

    Attributes
    ----------
    argument : ClassArgument
    vc, littlestone : Dimension or None
        None if it was not asked for.
    randomized : RandomizedDimension or None
        The expected mistakes of the best learner that draws, if they were asked for.
    seconds : float
        Time of the searches.
    trees : bool
        Whether to print the mistake tree.
    """

    PAGE = "tree"
    certificates = ()

    argument: ClassArgument
    vc: Dimension | None
    littlestone: Dimension | None
    randomized: RandomizedDimension | None
    seconds: float
    trees: bool

    @property
    def intervals(self) -> dict[str, tuple[int, int]]:
        """Bounds on both dimensions, by all dimensions together.

        VC <= Littlestone <= log2 of the size; randomised <= Littlestone <= twice the randomised one; and the
        number of hypotheses implies a VC dimension of at least `counted`.
        """
        most = self.argument.finite_class.floor_log2
        low, high = (self.counted, most) if self.vc is None else (self.vc.lower, self.vc.upper)
        least, top = (0, most) if self.littlestone is None else (self.littlestone.lower, self.littlestone.upper)
        low = max(low, self.counted)
        if self.randomized is not None:
            least, top = max(least, ceil(self.randomized.lower)), min(top, floor(2 * self.randomized.upper))
        return {"vc_dimension": (low, min(high, top)), "littlestone_dimension": (max(low, least), top)}

    @property
    def counted(self) -> int:
        """A lower bound on the VC dimension by the number of hypotheses (Sauer 1972; Shelah 1972)."""
        made = self.argument.finite_class
        return least_by_counting(made.hypotheses, made.points)

    @property
    def drawn(self) -> tuple[Fraction, Fraction] | None:
        """Bounds on the randomised dimension: also by the Littlestone dimension, and by the size of the class."""
        if self.randomized is None:
            return None
        from ..theory.finite_classes import half_the_bits_of

        low, high = self.intervals["littlestone_dimension"]
        most = min(
            self.randomized.upper, Fraction(high), Fraction(half_the_bits_of(self.argument.finite_class.hypotheses))
        )
        return max(self.randomized.lower, Fraction(low, 2)), most

    @property
    def tree(self) -> MistakeTree | None:
        """The mistake tree, if it was asked for."""
        return None if self.littlestone is None else self.littlestone.witness

    def describe(self) -> dict[str, Any]:
        """The outcome as JSON values; the tree is null if it is not asked for."""
        made = self.argument.finite_class
        known = {name: low if low == high else None for name, (low, high) in self.intervals.items()}
        unknown: dict[str, Any] = {name: list(ends) for name, ends in self.intervals.items() if known[name] is None}
        more = {}
        if self.drawn is not None:
            low, high = self.drawn
            more[DRAWN] = str(low) if low == high else None
            unknown |= {DRAWN: [str(low), str(high)]} if low < high else {}
        return {
            "schema": SCHEMA,
            "path": self.argument.path,
            "named": self.argument.named,
            "hypotheses": made.table_rows,
            "distinct": made.hypotheses,
            "points": made.points,
            "vc_dimension": known["vc_dimension"],
            "shattered": self._shattered(),
            "littlestone_dimension": known["littlestone_dimension"],
            "tree": self._nested() if self.trees else None,
            "floor_log2": made.floor_log2,
            **more,
            "exact": unknown or True,
            "seconds": self.seconds,
        }

    def _shattered(self) -> list[str | int] | None:
        names = self.argument.finite_class.point_names
        return None if self.vc is None else [_called(names, point) for point in sorted(self.vc.witness)]

    def _nested(self) -> dict[str, Any] | None:
        tree, made = self.tree, self.argument.finite_class
        if tree is None or tree.depth > DEEPEST:
            return None
        return tree.nested(made.point_names, made.hypothesis_names)

    def interrupted(self) -> str:
        """The message about searches that a signal ended."""
        ends = [*self.intervals.values(), *([] if self.drawn is None else [self.drawn])]
        if all(low == high for low, high in ends):
            return "interrupted when the search was done"
        return "interrupted; the bounds so far were printed"

    # For people.

    def lines(self) -> Iterator[str]:
        """The lines for people, with the tree if it is asked for."""
        made = self.argument.finite_class
        merged = f", from {made.table_rows:,} rows" if made.table_rows > made.hypotheses else ""
        count = f"{made.hypotheses:,} different hypothes{'is' if made.hypotheses == 1 else 'es'}"
        yield f"{self.argument.title}: {count}{merged}, on {many(made.points, 'point')}"
        for name, title in (("vc_dimension", VC), ("littlestone_dimension", LITTLESTONE)):
            yield self._row(title, _between(*self.intervals[name]), self._proof(name))
        yield self._row("floor(log2 |H|)", str(made.floor_log2), "the halving algorithm errs no more often")
        optimal = self.intervals["littlestone_dimension"]
        yield self._row("optimal mistake bound", _between(*optimal), self._promised(*optimal))
        if self.drawn is not None:
            yield self._row("randomized", _approximately(*self.drawn), self._expected(*self.drawn))
        if self.trees:
            yield from self._tree_lines()

    def _promised(self, low: int, high: int) -> str:
        """The optimal mistake bound in words, and a learner that has it."""
        from ..finite_classes.learners.halving import Halving
        from ..finite_classes.learners.standard_optimal import StandardOptimal

        if low == high:
            return f"no deterministic learner can promise fewer, and {StandardOptimal.name} promises these"
        learner = Halving.name if high == self.argument.finite_class.floor_log2 else StandardOptimal.name
        return f"no deterministic learner can promise fewer than {low}, and {learner} promises {high}"

    def _expected(self, low: Fraction, high: Fraction) -> str:
        """The optimal bound on expected mistakes in words."""
        if high - low > CLOSE:
            least, most = (f"{end:g}" for end in _rounded(low, high))
            return (
                f"no learner which draws can promise fewer than {least} expected mistakes, and the best promises {most}"
            )
        meaning = "expected mistakes that no learner which draws can promise to stay below"
        if low < high:
            assert self.randomized is not None
            why = ", for it is finer than 2^-58" if self.randomized.finer else ""
            return f"{meaning}, known to within {float(high - low):.0e}{why}"
        return f"{meaning}, exactly {low}" if low.denominator > 1 else meaning

    def _row(self, name: str, value: str, why: str) -> str:
        return f"  {name:<{WIDTH}}{value:<8} {why}".rstrip()

    def _proof(self, name: str) -> str:
        made, (low, high) = self.argument.finite_class, self.intervals[name]
        dimension = self.vc if name == "vc_dimension" else self.littlestone
        if dimension is None:
            return "not looked for" if low < high else "not looked for, but it lies between the others"
        if name == "littlestone_dimension":
            depth = dimension.witness.depth
            return f"shattered: a mistake tree of depth {depth}{self._besides(low, depth)}" if high else NOTHING
        names = [short(made.point_name(point)) for point in sorted(dimension.witness)]
        listed = f"{', '.join(names[:8])}{', ...' if len(names) > 8 else ''}"
        nothing = "no point has both labels" if dimension.exact else "none shattered so far"
        points = f"shattered: {'points' if len(names) > 1 else 'point'} {listed}" if names else nothing
        return f"{points}{self._besides(low, len(names))}"

    def _besides(self, low: int, shown: int) -> str:
        """The reason of a lower bound beyond the witness."""
        if low <= shown:
            return ""
        return f"; at least {low}, by {'counting' if low == self.counted else 'the randomized dimension'}"

    def _tree_lines(self) -> Iterator[str]:
        if self.tree is None or not self.tree.depth:
            return
        from ..finite_classes.mistake_tree import SHOWN

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
        with replacing(path) as file:
            file.write(tree_svg(self.picture(MOST, with_leaves=MOST)).encode())

    def picture(self, levels: int, *, with_leaves: int) -> TreePicture:
        """The first levels of the tree, with hypotheses if its depth is at most `with_leaves`."""
        made, tree = self.argument.finite_class, self.tree
        assert tree is not None
        points, hypotheses = made.point_names, made.hypothesis_names
        return tree.picture(
            levels, with_leaves=with_leaves, points=points, hypotheses=hypotheses, of=self.argument.title
        )


def find(argument: ClassArgument, arguments: DimensionOptions, console: Console, stop: Stop) -> DimensionOutput:
    """Compute the dimensions that the arguments ask for, each within its share of the time left."""
    from ..finite_classes import littlestone_dimension, randomized_littlestone_dimension, vc_dimension
    from ..finite_classes.vc import check_shattered

    begun, made = perf_counter(), argument.finite_class
    # Later searches get the time that earlier ones leave; mistake trees are mostly fast.
    searches: dict[str, Any] = {LITTLESTONE: littlestone_dimension, VC: vc_dimension}
    searches |= {RANDOMIZED: randomized_littlestone_dimension}
    asked = {VC: arguments.only != "littlestone", LITTLESTONE: arguments.only != "vc", RANDOMIZED: arguments.randomized}
    wanted = [name for name in searches if asked[name]]
    dimensions: dict[str, Any] = {}
    for place, name in enumerate(wanted):
        left = None
        if arguments.limit is not None:
            left = max(arguments.limit - (perf_counter() - begun), 0.0) / (len(wanted) - place)
        dimensions[name] = searches[name](made, limit=left, on_progress=_shower(console, name), stop=stop)
    if VC in dimensions:
        check_shattered(made, dimensions[VC].witness)
    if LITTLESTONE in dimensions:
        dimensions[LITTLESTONE] = _deepened(dimensions[LITTLESTONE], dimensions.get(VC), made)
        dimensions[LITTLESTONE].witness.check(made)
    return DimensionOutput(
        argument,
        dimensions.get(VC),
        dimensions.get(LITTLESTONE),
        dimensions.get(RANDOMIZED),
        seconds=perf_counter() - begun,
        trees=not arguments.no_tree,
    )


def _deepened(littlestone: Dimension, vc: Dimension | None, finite_class: FiniteClass) -> Dimension:
    """The dimension with the tree of the shattered set, if that is deeper."""
    from ..finite_classes import MistakeTree

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


def _shower(console: Console, name: str) -> Callable[[int, Any, Any], None]:
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
