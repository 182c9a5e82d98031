"""Options of several verbs: how they are declared, refused, and read into a stream."""

from __future__ import annotations

import argparse
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Callable, Container, Iterator, Mapping
from contextlib import contextmanager, suppress
from importlib import import_module
from math import inf, isfinite
from types import ModuleType
from typing import TYPE_CHECKING, Any

from ..catalogue import CLASSIFICATION, name_in
from ..data.formats import ROWS, Formats
from ..errors import ParameterError
from .arguments import Arguments, CertifyingOptions, FeatureOptions, ReadingOptions, SavingOptions, WatchedOptions
from .files import add_vectors
from .output import Console, UsageError, complain

if TYPE_CHECKING:
    from ..certificate import Certificate
    from ..data.stream import Stream
    from ..info import Entry
    from ..linear.base import OnlineClassifier

UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86_400.0}  # of times, in seconds
OF_PARSER = ("run", "verb")  # what a namespace holds beside the arguments of a verb


def verb_of(name: str) -> ModuleType:
    """The module of a verb: its `HELP`, `DESCRIPTION`, `add_arguments` and `run`."""
    return import_module(f".{name}", __package__)


def run_verb(verb: ModuleType, namespace: Namespace) -> int:
    """Run a verb: its function takes the record that its annotation names, made of what argparse has read.

    The record refuses an argument that it does not name, and has none by default.
    """
    kind = getattr(verb, verb.run.__annotations__["arguments"])
    record = kind(**{name: value for name, value in vars(namespace).items() if name not in OF_PARSER})
    _refuse_contradictions(record)
    code: int = verb.run(record)
    return code


def _refuse_contradictions(record: Arguments) -> None:
    """Refuse options of several verbs that contradict each other, or mean nothing alone."""
    if isinstance(record, WatchedOptions) and record.quiet and record.progress:
        raise UsageError("--quiet and --progress contradict each other")
    if isinstance(record, SavingOptions) and record.checkpoint_every and not (record.save or record.resume):
        raise UsageError("--checkpoint-every needs --save MODEL")
    if isinstance(record, CertifyingOptions) and record.delta is not None and not record.iid:
        raise UsageError("--delta is for the guarantee on new rows, and --iid asks for it")
    if isinstance(record, FeatureOptions):
        _refuse_idle_features(record)


def _refuse_idle_features(record: FeatureOptions) -> None:
    """Refuse options that would change no feature: of no column, or of one that is left out."""
    if record.ngrams is not None and not record.text and getattr(record, "resume", None) is None:
        raise UsageError("--ngrams is about the words of columns, and --text names these")
    ignored, words = names_of(record.ignore) or (), names_of(record.text) or ()
    if both := [name for name in names_of(getattr(record, "categorical", [])) or () if name in words]:
        raise UsageError(f"--text and --categorical both use {both[0]!r}: name it in one of them")
    for pair in names_of(record.interactions) or ():
        if left_out := [name for name in pair.split("*") if pair.count("*") == 1 and name in ignored]:
            raise UsageError(f"--interactions uses {left_out[0]!r}, and --ignore leaves it out: name it in one of them")
    for option in ("text", "categorical"):
        for name in names_of(getattr(record, option, [])) or ():
            if name in ignored:
                raise UsageError(f"--{option} uses {name!r}, and --ignore leaves it out: name it in one of them")


def whole(text: str) -> int:
    """A whole number of at least 1."""
    return int(_number(text, int, lambda number: number >= 1, "a whole number above 0"))


def count(text: str) -> int:
    """A whole number of at least 0."""
    return int(_number(text, int, lambda number: number >= 0, "a whole number"))


def seed(text: str) -> int:
    """A whole number from 0 to 2^64 - 1."""
    return int(_number(text, int, lambda number: 0 <= number < 2**64, "a whole number from 0 to 2^64 - 1"))


def share(text: str) -> float:
    """A number strictly between 0 and 1."""
    return _number(text, float, lambda number: 0 < number < 1, "a number between 0 and 1")


def positive(text: str) -> float:
    """A finite number above 0."""
    return _number(text, float, lambda number: 0 < number < inf, "a number above 0")


def seconds(text: str) -> float:
    """The same, of seconds."""
    return _number(text, float, lambda number: 0 < number < inf, "a number of seconds above 0")


def duration(text: str) -> float:
    """A time with its unit, in seconds."""
    try:
        value = float(text[:-1]) * UNITS.get(text[-1:].lower(), 0.0)  # a number alone may be meant in any unit
    except ValueError:
        value = 0.0
    if not 0 < value < 1e12:
        raise ArgumentTypeError(f"{text!r} is not a time, as in 7d, 12h, 30m or 60s")
    return value


def _number(text: str, kind: type[int] | type[float], fits: Callable[[float], bool], expected: str) -> float:
    with suppress(ValueError):
        if fits(number := kind(text)):
            return number
    raise ArgumentTypeError(f"{text!r} is not {expected}")


def learner_in(table: Mapping[str, Entry]) -> Callable[[str], str]:
    """The name of a learner, however it is written: ``arow``, ``AROW``, ``averaged_perceptron``."""
    return lambda text: name_in(table, text)


def names_of(texts: list[str]) -> list[str] | None:
    """The columns that an option names, which may be given several times and name several each; None if it is not."""
    if not texts:
        return None
    import csv

    return [name.strip() for names in csv.reader(texts) for name in names] or None


def add_file(parser: ArgumentParser, holds: str = "rows", *, which: str = "may", needed: bool = True) -> None:
    """The file, what it holds, and which files may be compressed."""
    parser.add_argument(
        "file",
        metavar="FILE",
        nargs=None if needed else "?",
        help=f"{holds}, or - for standard input; {which} be compressed (.gz .xz .zst .bz2)",
    )


def add_files(parser: ArgumentParser, *, needed: bool = True) -> None:
    """The file of rows, or files of which each is a shard."""
    parser.add_argument(
        "files",
        metavar="FILE",
        nargs="+" if needed else "*",
        help="rows, or - for standard input; may be compressed (.gz .xz .zst .bz2); shards: several, or a pattern",
    )


def add_model(parser: ArgumentParser) -> None:
    """The model."""
    parser.add_argument("model", metavar="MODEL", help="a model that --save wrote")


def add_learner(group: argparse._ArgumentGroup, table: Mapping[str, Entry], text: str) -> None:
    """A learner of this table, with this help."""
    group.add_argument("--learner", metavar="NAME", type=learner_in(table), choices=tuple(table), help=text)


def add_number(
    group: argparse._ActionsContainer,
    option: str,
    kind: Callable[[str], float],
    unit: str,
    text: str,
    *,
    default: float | None = None,
) -> None:
    """An option that is a number of this kind, with this help, in which `unit` stands for it."""
    group.add_argument(option, type=kind, metavar=unit, default=default, help=text)


def add_names(group: argparse._ActionsContainer, option: str, text: str) -> None:
    """An option that names columns, with this help; see `names_of`."""
    group.add_argument(option, metavar="A,B", action="append", default=[], help=text)


def add_range(group: argparse._ArgumentGroup, text: str) -> None:
    """Where numbers lie, with this help; see `range_of`."""
    group.add_argument("--range", type=float, nargs=2, metavar=("LO", "HI"), help=text)


def add_set(group: argparse._ArgumentGroup) -> None:
    """Parameters of the learner."""
    group.add_argument(
        "--set", metavar="NAME=VALUE", action="append", default=[], help="set a parameter of the learner"
    )


def label_budget(text: str) -> str:
    """A number of labels, or a share of the rows with a percent sign."""
    number = text.removesuffix("%")
    with suppress(ValueError):
        if 0 < float(number) < 100 if number != text else int(number) > 0:
            return text
    raise ArgumentTypeError(f"{text!r} is neither a whole number of labels nor a share below 100%, as 500 or 5%")


def add_anytime(group: argparse._ArgumentGroup) -> None:
    """Whether the learner knows the number of rounds."""
    group.add_argument(
        "--anytime", action="store_true", help="do not tell the learner how many rounds there will be: rates then fall"
    )


def add_saving(group: argparse._ArgumentGroup, unit: str) -> None:
    """The model to write, the model to go on with, and how often it is written, in such units."""
    group.add_argument("--save", metavar="MODEL", help="write the model (.rgl)")
    group.add_argument(
        "--resume", metavar="MODEL", help="go on with a model; it is replaced unless --save names another"
    )
    add_number(group, "--checkpoint-every", whole, "N", f"save the model every N {unit}")


def add_format(group: argparse._ArgumentGroup, formats: Formats) -> None:
    """Which of these formats the file has."""
    names = ", ".join(formats.names)
    table = ", or a table if the first line has cells" if formats.otherwise == "svmlight" else ""
    default = f"by default by the suffix, else {formats.otherwise}{table}"
    group.add_argument("--format", choices=formats.names, metavar="NAME", help=f"{names}; {default}")


class _Header(argparse.BooleanOptionalAction):
    """``--header`` or ``--no-header``, of which argparse itself would take the last."""

    def __call__(self, parser: ArgumentParser, namespace: Namespace, values: Any, option: str | None = None) -> None:
        before = getattr(namespace, self.dest)
        super().__call__(parser, namespace, values, option)
        if before not in (None, getattr(namespace, self.dest)):
            parser.error("--header and --no-header contradict each other")


def add_header(group: argparse._ArgumentGroup) -> None:
    """Whether the first line of a table has names."""
    group.add_argument(
        "--header",
        action=_Header,
        default=None,
        help="csv, tsv: whether the first line names the columns, else called c1, c2, ...; by default as it looks",
    )


def add_reading(parser: ArgumentParser, formats: Formats = ROWS) -> argparse._ArgumentGroup:
    """How the file, of one of these formats, is to be read."""
    group = parser.add_argument_group("reading the file")
    add_format(group, formats)
    group.add_argument(
        "--target", metavar="COLUMN", help="the column of labels (npz: the array; npy: last, a number or a file)"
    )
    add_header(group)
    group.add_argument(
        "--ids-from",
        type=int,
        choices=(0, 1),
        help="svmlight: the id of the first feature; by default found in the file",
    )
    group.add_argument(
        "--missing", choices=("error", "zero"), help="tables: what an empty cell in a column of numbers is"
    )
    add_names(group, "--categorical", "tables: take these columns for names though they may hold numbers")
    group.add_argument(
        "--on-error",
        choices=("raise", "skip"),
        default="raise",
        help="stop at a row that cannot be used, or pass over it and count it",
    )
    group.add_argument(
        "--threads",
        type=int,
        choices=(1, 2),
        default=1,
        help="2: a second thread reads the file ahead, which gains time where a core is idle; the results are the same",
    )
    return group


def add_features(group: argparse._ArgumentGroup) -> None:
    """Features that are made of a row, beside its own, or left out."""
    add_names(group, "--ignore", "tables: columns that are not used: dates, ids")
    add_names(group, "--text", "tables: columns whose words are features, counted")
    add_number(group, "--ngrams", whole, "N", "with --text: sequences of up to N neighbouring words too")
    group.add_argument(
        "--interactions",
        metavar="A*B",
        action="append",
        default=[],
        help="a further feature, the product of two columns; '*' for those of any two of a row; not beside --text",
    )
    group.add_argument("--normalize", action="store_true", help="divide each row by its Euclidean length")
    add_number(group, "--hash-bits", whole, "B", "number features by B bits of a hash")
    add_number(group, "--keep-names", whole, "N", "remember the names of N features that are hashed, for inspect")
    add_number(group, "--max-features", whole, "N", "refuse more features than this")


def add_report(group: argparse._ArgumentGroup) -> None:
    """Where the report goes."""
    group.add_argument("--report", metavar="PAGE", help="write a report, one HTML file that needs nothing else")


def add_watching(group: argparse._ArgumentGroup, quiet: str = "nothing on stderr but errors") -> None:
    """The options of output."""
    group.add_argument("--json", action="store_true", help="print one JSON object instead")
    group.add_argument("--quiet", action="store_true", help=quiet)
    group.add_argument(
        "--progress", action="store_const", const=True, help="show progress even if stderr is no terminal"
    )


def add_trace(group: argparse._ArgumentGroup, rounds: int, shown: str, *, const: int | None = None) -> None:
    """The first rounds one by one, so many if no number is given; `const` is what stands for that, if they are not."""
    group.add_argument(
        "--trace",
        type=whole,
        nargs="?",
        const=rounds if const is None else const,
        metavar="N",
        help=f"show the first N rounds ({rounds}) one by one: {shown}",
    )


def refuse_set(values: Mapping[str, object], why: str) -> None:
    """Refuse options that have no meaning here.

    Parameters
    ----------
    values : mapping of str to object
        What the command line sets, by option.
    why : str
        Why it has no meaning.

    Raises
    ------
    UsageError
        If one is set.
    """
    for option, value in values.items():
        if is_set(value):
            raise UsageError(f"{option} {why}")


def is_set(value: object) -> bool:
    """Whether an option is set: None, false and an empty list are not."""
    return value is not None and value is not False and value != []


def console_of(arguments: WatchedOptions) -> Console:
    """The console for these options."""
    return Console(quiet=arguments.quiet or arguments.json, progress=arguments.progress)


def range_of(bounds: list[float] | None) -> tuple[float, float]:
    """The range of losses, by default from 0 to 1.

    Raises
    ------
    UsageError
        If it is no range.
    """
    low, high = bounds or (0.0, 1.0)
    if not (isfinite(low) and isfinite(high) and low < high):
        raise UsageError(f"--range {low:g} {high:g}: a number and a larger one are expected")
    return low, high


def add_certifying(parser: ArgumentParser) -> argparse._ArgumentGroup:
    """What the certificates are read against."""
    group = parser.add_argument_group("certificates")
    group.add_argument("--against", metavar="FILE", help="read them against your own vector, a .npy array")
    add_vectors(group)
    group.add_argument("--svm", action="store_true", help="try scikit-learn's linear SVMs as comparators too")
    group.add_argument(
        "--deep",
        action="store_true",
        help="look for comparators longer too, for up to ten seconds or so, and say how much tighter that made each "
        "bound",
    )
    group.add_argument(
        "--iid",
        action="store_true",
        help="declare that the rows are independent draws: print the risk that the first pass guarantees on new ones",
    )
    add_number(group, "--delta", share, "D", "how improbable it may be that this guarantee fails (0.05)")
    return group


def warn_idle_search(arguments: CertifyingOptions, learner: Any) -> None:
    """Say on stderr where --deep and --svm change nothing, for the comparators of a mixture are its own."""
    asked = [name for name, there in {"--deep": arguments.deep, "--svm": arguments.svm}.items() if there]
    if asked and learner.info.task == CLASSIFICATION and learner.info.predicts_by == "mixture":
        alone, why = len(asked) == 1, "whose certificates are read against comparators of its own"
        complain(f"{' and '.join(asked)} change{'s' * alone} nothing: {learner.name} is a mixture of learners, {why}")


def future(arguments: CertifyingOptions, learner: OnlineClassifier) -> list[Certificate]:
    """The guarantee of the first pass on new rows, if the user states that they are independent draws."""
    if not arguments.iid:
        return []
    return learner.certify_risk(0.05 if arguments.delta is None else arguments.delta)


def add_cache(group: argparse._ArgumentGroup) -> None:
    """Where to keep a copy of rows that come only once."""
    group.add_argument(
        "--cache", metavar="FILE", help="keep standard input or a pipe here, so that it can be read again"
    )


def open_input(
    path: str, arguments: ReadingOptions, schema: dict[str, Any] | None, *, frozen: bool = False, **more: Any
) -> Stream:
    """The stream of a file as the arguments describe it; `more` overrules them.

    Raises
    ------
    UsageError
        If an option has no meaning for the file's format.
    RegretlessError
        If the file cannot be opened or does not fit the schema.
    """
    from ..data import open_stream

    parameters = reading(arguments) | {"threads": arguments.threads} | more
    with errors_by_option(parameters):
        return open_stream(path, schema=schema, frozen=frozen, **parameters)


def reading(arguments: ReadingOptions) -> dict[str, Any]:
    """The options of reading that are set, by the names that they have in Python."""
    values: dict[str, Any] = {
        "format": arguments.format,
        "target": arguments.target,
        "header": arguments.header,
        "ids_from": arguments.ids_from,
        "missing": arguments.missing,
        "categorical": names_of(arguments.categorical),
        "on_error": arguments.on_error,
    }
    if isinstance(arguments, FeatureOptions):
        values["ignore"] = names_of(arguments.ignore)
        values["text"] = names_of(arguments.text)
        values["ngrams"] = arguments.ngrams
        values["interactions"] = arguments.interactions
        values["normalize"] = arguments.normalize or None
        values["hash_bits"] = arguments.hash_bits
        values["keep_names"] = arguments.keep_names
        values["max_features"] = arguments.max_features
    if isinstance(arguments, CertifyingOptions):
        values["cache"] = arguments.cache
    return {name: value for name, value in values.items() if value is not None}


@contextmanager
def usage_errors(*names: str) -> Iterator[None]:
    """Raise errors about these parameters as errors of the options of the same names.

    Raises
    ------
    UsageError
        If an error is about one of them.
    """
    try:
        yield
    except ParameterError as error:
        if error.name in names:
            raise UsageError(f"--{error.name} {error.fault}") from error
        raise


@contextmanager
def errors_by_option(parameters: Container[str]) -> Iterator[None]:
    """Say errors about parameters by the options that set them.

    Raises
    ------
    UsageError
        If it is one of these parameters.
    """
    try:
        yield
    except ParameterError as error:
        if error.name in parameters:
            raise UsageError(str(error.called(f"--{error.name.replace('_', '-')}"))) from error
        raise
