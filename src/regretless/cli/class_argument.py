"""The finite class that a command line gives: in a file, by its family's name, or as halfspaces on points."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..errors import DataError, ParameterError, RegretlessError
from .exit_codes import UsageError

if TYPE_CHECKING:
    from ..finite_classes import FiniteClass
    from .arguments import DimensionOptions

READING = ("format", "array", "names")
HALFSPACES = ("halfspaces", "homogeneous-halfspaces")
SUFFIXES = (".rgl", ".xlsx", ".json", ".parquet", ".nfg", ".efg")


@dataclass(frozen=True)
class GivenClass:
    """A class, and how the user calls it.

    Attributes
    ----------
    finite_class : FiniteClass
    path : str or None
        The file that it, or its points, stand in.
    named : str or None
        The family that it is of.
    notes : list of str
        What a user should know of how the file was understood.
    """

    finite_class: FiniteClass
    path: str | None
    named: str | None
    notes: list[str] = field(default_factory=list)

    @property
    def title(self) -> str:
        """What it is called in a line."""
        return " on ".join(name for name in (self.named, self.path) if name is not None)


def given_class(arguments: DimensionOptions) -> GivenClass:
    """The class that the arguments give.

    Raises
    ------
    UsageError
        If they give none, or several, or options that have no meaning for it.
    RegretlessError
        If it cannot be read.
    """
    _refuse_nonsense(arguments)
    if arguments.points is not None:
        return _on_points(arguments, arguments.points)
    if arguments.named is not None:
        return _of_family(arguments, arguments.named.strip())
    assert arguments.file is not None, "no class is refused"
    return _read(arguments, arguments.file)


def _refuse_nonsense(arguments: DimensionOptions) -> None:
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
    for option in (*READING, "transpose") if file is None else ():
        if getattr(arguments, option) and (points is None or option in ("array", "transpose")):
            raise UsageError(f"--{option} is about reading a class from a FILE")


def _family(text: str) -> str:
    return text.partition(":")[0].strip().lower().replace("_", "-")


def _read(arguments: DimensionOptions, path: str) -> GivenClass:
    from ..data.class_files import read_class
    from ..finite_classes import FiniteClass

    if path.lower().endswith(SUFFIXES) and arguments.format is None:
        advice = "rows of 0 and 1 are expected, as .csv, .tsv, .npy or .npz"
        raise DataError(path, None, None, "this is no table of text, and no array", advice)
    try:
        found = read_class(
            path,
            transpose=arguments.transpose,
            format=arguments.format,
            array=arguments.array,
            names=arguments.names,
        )
    except RegretlessError as error:
        raise _about_option(error) from error
    made = FiniteClass(found.matrix, hypotheses=found.hypotheses, points=found.points)
    return GivenClass(made, found.name, None, found.notes)


def _of_family(arguments: DimensionOptions, text: str) -> GivenClass:
    from ..finite_classes import FiniteClass

    if arguments.homogeneous and _family(text) == "halfspaces":
        text = f"homogeneous-{text}"
    if _family(text) in HALFSPACES and ":" not in text:
        raise UsageError(f"--named {text}: of which points? --points FILE, or {text}:3x4 for a grid")
    try:
        return GivenClass(FiniteClass.named(text), None, text)
    except RegretlessError as error:
        raise UsageError(f"--named: {error}") from error


def _on_points(arguments: DimensionOptions, path: str) -> GivenClass:
    from ..data.class_files import read_points
    from ..finite_classes import FiniteClass

    homogeneous = arguments.homogeneous or _family(arguments.named or "") == "homogeneous-halfspaces"
    try:
        found = read_points(path, format=arguments.format, names=arguments.names)
    except RegretlessError as error:
        raise _about_option(error) from error
    try:
        made = FiniteClass.halfspaces(found.values, homogeneous=homogeneous, names=found.names, axes=found.axes)
    except RegretlessError as error:
        raise DataError(found.name, None, None, *_parted(str(error))) from error
    return GivenClass(made, found.name, HALFSPACES[homogeneous], found.notes)


def _parted(message: str) -> tuple[str, str]:
    found, _, advice = message.partition("; ")
    return found, advice or "choose other points"


def _about_option(error: RegretlessError) -> Exception:
    """The error by the name of the option, if it is about one."""
    if isinstance(error, ParameterError) and error.name in READING:
        return UsageError(f"--{error.name} {error.fault}")
    return error
