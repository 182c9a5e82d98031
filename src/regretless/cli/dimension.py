"""``regretless dimension``: what a finite class of hypotheses costs to learn."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError
from math import isfinite
from typing import TYPE_CHECKING

from ..data.formats import CLASSES, NAMES
from ..errors import RegretlessError
from . import options
from .console import Console
from .exit_codes import DONE, Ended, UsageError
from .files import refuse_overwriting
from .output import complain
from .signals import Heeds, Stopping

if TYPE_CHECKING:
    from .arguments import DimensionOptions
    from .class_argument import GivenClass
    from .dimension_result import DimensionOutput

DIMENSIONS = ("vc", "littlestone")

HELP = "say what a finite class costs to learn: its VC and Littlestone dimensions, with witnesses"
DESCRIPTION = (
    "Rows of the file are hypotheses, columns are points, and every entry is 0 or 1. Printed are the number of "
    "different hypotheses, the VC dimension with a shattered set, the Littlestone dimension with a mistake tree, the "
    "whole part of log2 of the number of hypotheses, and the mistakes that the best of learners cannot avoid."
)
EPILOG = (
    "Families: thresholds:N, intervals:N, singletons:N, singletons-and-zero:N, parities:K, conjunctions:K, "
    "disjunctions:K, all:N, at-most-k:N,K, exactly-k:N,K; halfspaces:3x4 (on a grid), halfspaces:cube:3 (on zeros and "
    "ones), halfspaces:signs:3 (on both signs), homogeneous-halfspaces:signs:3, and halfspaces with --points FILE."
)


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
    group.add_argument("--points", metavar="FILE", help="all that hyperplanes say of these points, a row for each")
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
        "--limit", type=_seconds, metavar="S", help="search for S seconds at most, and say between what the rest lies"
    )
    group.add_argument("--only", choices=DIMENSIONS, help="one of the two dimensions alone")
    group.add_argument(
        "--randomized", action="store_true", help="also the expected mistakes that no learner that draws can avoid"
    )


def _add_output(parser: ArgumentParser) -> None:
    group = parser.add_argument_group("output")
    group.add_argument("--tree", metavar="OUT.svg", help="draw the mistake tree")
    group.add_argument("--no-tree", action="store_true", help="print the numbers alone, without the mistake tree")
    options.add_watching(group)


def _seconds(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not (isfinite(number) and number > 0):
        raise ArgumentTypeError(f"{text!r} is not a number of seconds above 0")
    return number


def run(arguments: DimensionOptions) -> int:
    """Read, search, report."""
    _refuse_nonsense(arguments)
    from .class_argument import given_class

    try:
        given = given_class(arguments)
    except MemoryError as error:
        raise RegretlessError("memory is exhausted by this class; a smaller one is needed") from error
    for note in () if arguments.quiet else given.notes:
        complain(note)
    console = options.console_of(arguments)
    found, stopped = _search(given, arguments, console)
    try:
        found.publish(json=arguments.json, trees=not arguments.no_tree)
    finally:
        if arguments.tree is not None:
            found.draw(arguments.tree)
            console.line(f"tree: {arguments.tree}")
    if stopped is not None:
        raise Ended(found.interrupted(), stopped)
    return DONE


def _search(given: GivenClass, arguments: DimensionOptions, console: Console) -> tuple[DimensionOutput, int | None]:
    """What was found, and the exit code of the signal if one came before all was known."""
    from .dimension_result import find

    with Stopping(Heeds()) as stopping:
        try:
            found = find(given, arguments, console, stopping.asked)
        finally:
            console.settle()
    return found, stopping.code if stopping.asked() else None


def _refuse_nonsense(arguments: DimensionOptions) -> None:
    """Refuse what cannot be meant, before anything is read or written."""
    options.refuse_quiet_progress(arguments)
    if arguments.only == "vc" and (arguments.tree is not None or arguments.randomized):
        raise UsageError("--only vc looks for no mistake tree, which --tree and --randomized are about")
    if arguments.tree is not None and not arguments.tree.lower().endswith(".svg"):
        raise UsageError(f"--tree {arguments.tree}: the tree is drawn as an .svg file")
    inputs = [path for path in (arguments.file, arguments.points) if path is not None]
    refuse_overwriting(inputs, [arguments.tree])
