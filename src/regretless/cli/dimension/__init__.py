"""``regretless dimension``: the dimensions of a finite class of hypotheses."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Callable
from typing import TYPE_CHECKING

from ...data.formats import CLASSES, NAMES
from ...errors import DataError, InputError, RegretlessError
from .. import options
from ..arguments import Names, WatchedOptions
from ..files import refuse_overwriting
from ..output import DONE, Console, Ended, UsageError, complain
from ..signals import run_until_signal
from .result import ClassArgument, DimensionOutput, shower

if TYPE_CHECKING:
    from ..output import Console


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
    options.add_file(parser, "a class", which="text may", needed=False)
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
    options.add_number(
        group, "--limit", options.seconds, "S", "search for at most S seconds, and print bounds on what is unknown then"
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
    from ...data.class_files import read_class
    from ...finite_classes import FiniteClass

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
    finite_class = FiniteClass(file.matrix, hypotheses=file.hypotheses, points=file.points)
    return ClassArgument(finite_class, file.name, None, file.notes)


def _of_family(arguments: DimensionOptions, text: str) -> ClassArgument:
    from ...finite_classes import FiniteClass

    if arguments.homogeneous and _family(text) == "halfspaces":
        text = f"homogeneous-{text}"
    if _family(text) in HALFSPACES and ":" not in text:
        raise UsageError(f"--named {text}: of which points? --points FILE, or {text}:3x4 for a grid")
    try:
        return ClassArgument(FiniteClass.named(text), None, text)
    except RegretlessError as error:
        raise UsageError(f"--named: {error}") from error


def _on_points(arguments: DimensionOptions, path: str) -> ClassArgument:
    from ...data.class_files import read_points
    from ...finite_classes import FiniteClass

    homogeneous = arguments.homogeneous or _family(arguments.named or "") == "homogeneous-halfspaces"
    with options.usage_errors("format", "array", "names"):
        points = read_points(path, format=arguments.format, names=arguments.names)
    try:
        finite_class = FiniteClass.halfspaces(
            points.values, homogeneous=homogeneous, names=points.names, axes=points.axes
        )
    except InputError as error:
        raise DataError(points.name, None, None, error.fault, error.advice or "choose other points") from error
    return ClassArgument(finite_class, points.name, HALFSPACES[homogeneous], points.notes)


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

    from ...finite_classes.searches import LITTLESTONE, RANDOMIZED, VC, search_dimensions

    asked = {VC: arguments.only != "littlestone", LITTLESTONE: arguments.only != "vc", RANDOMIZED: arguments.randomized}
    wanted = [name for name, there in asked.items() if there]

    def search(stop: Callable[[], bool]) -> DimensionOutput:
        finite_class = argument.finite_class
        known = search_dimensions(finite_class, wanted, arguments.limit, lambda name: shower(console, name), stop)
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
