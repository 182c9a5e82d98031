"""``regretless dimension``: the dimensions of a finite class of hypotheses."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from math import ceil, floor
from typing import TYPE_CHECKING, Any, NamedTuple

from ..data.formats import CLASSES, NAMES
from ..errors import DataError, RegretlessError
from ..report.terminal import many, short
from . import options
from .arguments import Names, WatchedOptions
from .files import refuse_overwriting
from .output import DONE, Console, Ended, Output, UsageError, complain
from .signals import run_until_signal

if TYPE_CHECKING:
    from ..finite_classes import FiniteClass
    from ..finite_classes.searches import Dimensions
    from ..report.mistake_tree import TreePicture
    from .output import Console


DIMENSIONS = ("vc", "littlestone")
HALFSPACES = ("halfspaces", "homogeneous-halfspaces")
SUFFIXES = (".rgl", ".xlsx", ".json", ".parquet", ".nfg", ".efg")

HELP = "compute the VC and Littlestone dimensions of a finite class of hypotheses, with witnesses"
DESCRIPTION = (
    "Rows of the file are hypotheses, columns are points, and every entry is 0 or 1. Printed are the number of "
    "different hypotheses, the VC dimension with a shattered set, the Littlestone dimension with a mistake tree, the "
    "whole part of log2 of the number of hypotheses, and the optimal mistake bound."
)
EPILOG = (
    "Families: thresholds:N, intervals:N, singletons:N, singletons-and-zero:N, parities:K, conjunctions:K, "
    "disjunctions:K, all:N, at-most-k:N,K, exactly-k:N,K; halfspaces:3x4 (on a grid), halfspaces:cube:3 (on zeros and "
    "ones), halfspaces:signs:3 (on both signs), homogeneous-halfspaces:signs:3, and halfspaces with --points FILE."
)


class DimensionOptions(WatchedOptions):
    """Of `dimension`."""

    file: str | None
    named: str | None
    points: str | None
    homogeneous: bool
    format: str | None
    array: str | None
    names: Names | None
    transpose: bool
    limit: float | None
    only: str | None
    randomized: bool
    tree: str | None
    no_tree: bool


def add_arguments(parser: ArgumentParser) -> None:
    """The verb's options."""
    parser.epilog = EPILOG
    parser.add_argument(
        "file",
        metavar="FILE",
        nargs="?",
        help="a class, or - for standard input; text may be compressed (.gz .xz .zst .bz2)",
    )
    _add_named(parser)
    _add_reading(parser)
    _add_search(parser)
    _add_output(parser)


def _add_named(parser: ArgumentParser) -> None:
    group = parser.add_argument_group("instead of a file")
    group.add_argument("--named", metavar="FAMILY:N", help="a class of a family, which are listed below")
    group.add_argument("--points", metavar="FILE", help="the class of halfspaces on these points, a row for each")
    group.add_argument("--homogeneous", action="store_true", help="halfspaces: hyperplanes through the origin alone")


def _add_reading(parser: ArgumentParser) -> None:
    group = parser.add_argument_group("reading the file")
    options.add_format(group, CLASSES)
    group.add_argument("--array", metavar="NAME", help="npz: the array of the class, if there are several")
    group.add_argument(
        "--names", choices=NAMES, help="csv, tsv: what names stand in the file, in its first column and first row"
    )
    group.add_argument("--transpose", action="store_true", help="rows are points, columns are hypotheses")


def _add_search(parser: ArgumentParser) -> None:
    group = parser.add_argument_group("searching")
    group.add_argument(
        "--limit",
        type=options.seconds,
        metavar="S",
        help="search for at most S seconds, and print bounds on what is unknown then",
    )
    group.add_argument("--only", choices=DIMENSIONS, help="one of the two dimensions alone")
    group.add_argument(
        "--randomized", action="store_true", help="also the optimal bound on expected mistakes of learners that draw"
    )


def _add_output(parser: ArgumentParser) -> None:
    group = parser.add_argument_group("output")
    group.add_argument("--tree", metavar="OUT.svg", help="draw the mistake tree")
    group.add_argument("--no-tree", action="store_true", help="print the numbers alone, without the mistake tree")
    options.add_watching(group)


def _class_of(arguments: DimensionOptions) -> ClassArgument:
    """The class that the arguments name: in a file, by its family, or as halfspaces on points.

    Raises
    ------
    UsageError
        If they name none, or several, or have options that do not apply to it.
    RegretlessError
        If it cannot be read.
    """
    _refuse_other_classes(arguments)
    if arguments.points is not None:
        return _on_points(arguments, arguments.points)
    if arguments.named is not None:
        return _of_family(arguments, arguments.named.strip())
    assert arguments.file is not None, "no class is refused"
    return _read(arguments, arguments.file)


def _refuse_other_classes(arguments: DimensionOptions) -> None:
    """Refuse no class, several, and options that do not apply."""
    file, named, points = arguments.file, arguments.named, arguments.points
    if file is None and named is None and points is None:
        raise UsageError("name a class: a FILE, --named FAMILY:N, or --points FILE for halfspaces")
    if file is not None and (named is not None or points is not None):
        other = "--named" if named is not None else "--points"
        raise UsageError(f"FILE and {other} are two classes; give one of them")
    halfspaces = points is not None or _family(named or "") in HALFSPACES
    if points is not None and named is not None and named.strip().lower().replace("_", "-") not in HALFSPACES:
        raise UsageError(f"--points is for halfspaces, and --named {named} has points of its own")
    if arguments.homogeneous and not halfspaces:
        raise UsageError("--homogeneous is for halfspaces: --points FILE, or --named halfspaces:3x4")
    if file is None:
        of_points: dict[str, object] = (
            {} if points is not None else {"--format": arguments.format, "--names": arguments.names}
        )
        of_class = {"--array": arguments.array, "--transpose": arguments.transpose}
        options.refuse_set({**of_points, **of_class}, "is about reading a class from a FILE")


def _family(text: str) -> str:
    return text.partition(":")[0].strip().lower().replace("_", "-")


def _read(arguments: DimensionOptions, path: str) -> ClassArgument:
    from ..data.class_files import read_class
    from ..finite_classes import FiniteClass

    if path.lower().endswith(SUFFIXES) and arguments.format is None:
        advice = "rows of 0 and 1 are expected, as .csv, .tsv, .npy or .npz"
        raise DataError(path, None, None, "this is no table of text, and no array", advice)
    with options.usage_errors("format", "array", "names"):
        file = read_class(
            path,
            transpose=arguments.transpose,
            format=arguments.format,
            array=arguments.array,
            names=arguments.names,
        )
    made = FiniteClass(file.matrix, hypotheses=file.hypotheses, points=file.points)
    return ClassArgument(made, file.name, None, file.notes)


def _of_family(arguments: DimensionOptions, text: str) -> ClassArgument:
    from ..finite_classes import FiniteClass

    if arguments.homogeneous and _family(text) == "halfspaces":
        text = f"homogeneous-{text}"
    if _family(text) in HALFSPACES and ":" not in text:
        raise UsageError(f"--named {text}: of which points? --points FILE, or {text}:3x4 for a grid")
    try:
        return ClassArgument(FiniteClass.named(text), None, text)
    except RegretlessError as error:
        raise UsageError(f"--named: {error}") from error


def _on_points(arguments: DimensionOptions, path: str) -> ClassArgument:
    from ..data.class_files import read_points
    from ..finite_classes import FiniteClass

    homogeneous = arguments.homogeneous or _family(arguments.named or "") == "homogeneous-halfspaces"
    with options.usage_errors("format", "array", "names"):
        points = read_points(path, format=arguments.format, names=arguments.names)
    try:
        made = FiniteClass.halfspaces(points.values, homogeneous=homogeneous, names=points.names, axes=points.axes)
    except RegretlessError as error:
        raise DataError(points.name, None, None, *_parted(str(error))) from error
    return ClassArgument(made, points.name, HALFSPACES[homogeneous], points.notes)


def _parted(message: str) -> tuple[str, str]:
    fault, _, advice = message.partition("; ")
    return fault, advice or "choose other points"


def run(arguments: DimensionOptions) -> int:
    """Read, search, report."""
    _refuse_contradictions(arguments)
    try:
        argument = _class_of(arguments)
    except MemoryError as error:
        raise RegretlessError("memory is exhausted by this class; a smaller one is needed") from error
    for note in () if arguments.quiet else argument.notes:
        complain(note)
    console = options.console_of(arguments)
    outcome, stopped = _search(argument, arguments, console)
    outcome.publish(arguments, console, arguments.tree)
    if stopped is not None:
        raise Ended(outcome.interrupted(), stopped)
    return DONE


def _search(
    argument: ClassArgument, arguments: DimensionOptions, console: Console
) -> tuple[DimensionOutput, int | None]:
    """The answer, and the exit code of a signal that came before the end."""

    from ..finite_classes.searches import LITTLESTONE, RANDOMIZED, VC, search_dimensions

    asked = {VC: arguments.only != "littlestone", LITTLESTONE: arguments.only != "vc", RANDOMIZED: arguments.randomized}
    wanted = [name for name, there in asked.items() if there]

    def search(stop: Callable[[], bool]) -> DimensionOutput:
        made = argument.finite_class
        known = search_dimensions(made, wanted, arguments.limit, lambda name: _shower(console, name), stop)
        return DimensionOutput(argument, known, trees=not arguments.no_tree)

    return run_until_signal(search, console)


def _refuse_contradictions(arguments: DimensionOptions) -> None:
    """Refuse options that contradict each other, before anything is read or written."""
    if arguments.only == "vc" and (arguments.tree is not None or arguments.randomized):
        raise UsageError("--only vc computes no mistake tree, which --tree and --randomized need")
    if arguments.tree is not None and not arguments.tree.lower().endswith(".svg"):
        raise UsageError(f"--tree {arguments.tree}: the tree is drawn as an .svg file")
    inputs = [path for path in (arguments.file, arguments.points) if path is not None]
    refuse_overwriting(inputs, [arguments.tree])


# Lines, JSON and report.

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
        made = self.argument.finite_class
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
            "seconds": self.known.seconds,
        }

    def _shattered(self) -> list[str | int] | None:
        names = self.argument.finite_class.point_names
        return None if self.known.vc is None else [_called(names, point) for point in sorted(self.known.vc.witness)]

    def _nested(self) -> dict[str, Any] | None:
        tree, made = self.known.tree, self.argument.finite_class
        if tree is None or tree.depth > DEEPEST:
            return None
        return tree.nested(made.point_names, made.hypothesis_names)

    def interrupted(self) -> str:
        """The message about searches that a signal ended."""
        ends = [*self.known.intervals.values(), *([] if self.known.drawn is None else [self.known.drawn])]
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
        for name, title in (("vc_dimension", "VC dimension"), ("littlestone_dimension", "Littlestone dimension")):
            yield self._row(title, _between(*self.known.intervals[name]), self._proof(name))
        yield self._row("floor(log2 |H|)", str(made.floor_log2), "the halving algorithm errs no more often")
        optimal = self.known.intervals["littlestone_dimension"]
        yield self._row("optimal mistake bound", _between(*optimal), self._promised(*optimal))
        if self.known.drawn is not None:
            yield self._row("randomized", _approximately(*self.known.drawn), self._expected(*self.known.drawn))
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
            assert self.known.randomized is not None
            why = ", for it is finer than 2^-58" if self.known.randomized.finer else ""
            return f"{meaning}, known to within {float(high - low):.0e}{why}"
        return f"{meaning}, exactly {low}" if low.denominator > 1 else meaning

    def _row(self, name: str, value: str, why: str) -> str:
        return f"  {name:<{WIDTH}}{value:<8} {why}".rstrip()

    def _proof(self, name: str) -> str:
        made, (low, high) = self.argument.finite_class, self.known.intervals[name]
        dimension = self.known.vc if name == "vc_dimension" else self.known.littlestone
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
        return f"; at least {low}, by {'counting' if low == self.known.counted else 'the randomized dimension'}"

    def _tree_lines(self) -> Iterator[str]:
        if self.known.tree is None or not self.known.tree.depth:
            return
        from ..finite_classes.mistake_tree import SHOWN
        from ..report.mistake_tree import tree_lines

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
        from ..atomic_write import replacing
        from ..report.mistake_tree import MOST, tree_svg

        with replacing(path) as file:
            file.write(tree_svg(self.picture(MOST, with_leaves=MOST)).encode())

    def picture(self, levels: int, *, with_leaves: int) -> TreePicture:
        """The first levels of the tree, with hypotheses if its depth is at most `with_leaves`."""
        made, tree = self.argument.finite_class, self.known.tree
        assert tree is not None
        points, hypotheses = made.point_names, made.hypothesis_names
        return tree.picture(
            levels, with_leaves=with_leaves, points=points, hypotheses=hypotheses, of=self.argument.title
        )


def _shower(console: Console, name: str) -> Callable[[int, Any, Any], None]:
    from ..finite_classes.searches import RANDOMIZED

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
