"""``regretless compare``: two learners or models on the same rows, and which one errs less."""

from __future__ import annotations

import os
from argparse import ArgumentParser
from collections.abc import Iterator, Mapping
from time import perf_counter
from typing import TYPE_CHECKING, Any

from ..catalogue import LEARNERS, REGRESSORS, learner_class, name_in
from ..errors import ParameterError, did_you_mean
from ..report.terminal import many, number_text, share_text
from . import options
from .arguments import FeatureOptions, ReadingOptions, ReportOptions
from .files import refuse_overwriting
from .output import DONE, Console, Output, UsageError, certificate_values, complain, parameters_of, warn_skipped

if TYPE_CHECKING:
    from ..certificate import Certificate
    from ..data.batch import Batch
    from ..data.stream import Stream
    from ..linear.base import OnlineClassifier
    from ..run.comparison import Comparison
    from ..run.competitors import Competitor


HELP = "say which of two learners or models errs less on the same rows"
DESCRIPTION = (
    "Both predict every row. A learner, by its name, then learns it; a model that --save wrote stays as it is, and "
    "must not have learned from these rows. The difference of their mistakes is printed inside an interval that holds "
    "after every number of rows, however the rows come about, so that one may look at any time and stop when it is "
    "decided. Memory is constant; Ctrl-C prints what is known so far."
)
LEVEL = 0.95
# What is made of rows, for a model has its own.
OF_LEARNERS: dict[str, Any] = {
    "ignore": (), "text": (), "ngrams": None, "interactions": (), "normalize": False, "hash_bits": None,
    "keep_names": None, "max_features": 2**31 - 1,
}  # fmt: skip


class CompareOptions(ReadingOptions, FeatureOptions, ReportOptions):
    """Of `compare`."""

    a: str
    b: str
    file: str
    set_a: list[str]
    set_b: list[str]
    level: float
    any_labels: bool


def add_arguments(parser: ArgumentParser) -> None:
    """The verb's options."""
    for side in "AB":
        parser.add_argument(side.lower(), metavar=side, help=f"a model, or one of {', '.join(LEARNERS)}")
    options.add_file(parser)
    group = parser.add_argument_group("comparing")
    for side in "ab":
        group.add_argument(
            f"--set-{side}",
            metavar="NAME=VALUE",
            action="append",
            default=[],
            help=f"set a parameter of {side.upper()}, a learner",
        )
    options.add_number(
        group, "--level", options.share, "P", "the interval holds with this probability (0.95)", default=LEVEL
    )
    group.add_argument(
        "--any-labels", action="store_true", help="take numbers for labels though there are very many different ones"
    )
    options.add_features(options.add_reading(parser))
    output = parser.add_argument_group("output")
    options.add_report(output)
    options.add_watching(output)


def run(arguments: CompareOptions) -> int:
    """Compare."""
    from ..run.comparison import UNSEEN, Comparison, play
    from ..run.competitors import FrozenCompetitor, LearningCompetitor
    from ..run.first_rows import fitting_size, refuse_quantities
    from .signals import run_until_signal

    inputs = [one for one in (arguments.a, arguments.b) if name_in(LEARNERS, one) not in LEARNERS]
    refuse_overwriting([arguments.file, *inputs], [arguments.report])
    sides, streams = _sides(arguments)
    models = any(isinstance(side, FrozenCompetitor) for side in sides)
    result = Comparison(_names(arguments), arguments.level, assuming=UNSEEN if models else None)
    console = options.console_of(arguments)
    started = perf_counter()

    constant = _waiting(sides, arguments)

    def on_first(*batches: Batch) -> None:
        for letter, learner in constant.items():
            learner.set_params(intercept=fitting_size(batches["ab".index(letter)]))
        if not arguments.any_labels and any(isinstance(side, LearningCompetitor) for side in sides):
            refuse_quantities(streams[0], batches[0], "learn ")

    def go(stop: Any) -> Comparison:
        for _ in play(result, sides, streams, lambda rounds: console.rounds(rounds, unit="rows"), on_first):
            if stop():
                break
        return result

    _, code = run_until_signal(go, console, stopped=lambda: "interrupted before there was a row")
    _note(arguments, console, sides, streams[0], constant)
    if code is not None:
        complain(f"interrupted: what follows is about the first {many(result.rounds, 'row')}")
    learners, seconds = (sides[0].learner, sides[1].learner), perf_counter() - started
    outcome = CompareOutput(result, arguments.file, learners, seconds, streams[0].skipped, interrupted=code is not None)
    outcome.publish(arguments, console, arguments.report)
    return DONE if code is None else code


def _note(
    arguments: CompareOptions,
    console: Console,
    sides: tuple[Competitor, Competitor],
    stream: Stream,
    constant: Mapping[str, OnlineClassifier],
) -> None:
    """Say what is to be known of the rows, of learners that went by the first of them, and of models of them."""
    from ..run.competitors import FrozenCompetitor
    from ..run.first_rows import said_of

    warn_skipped(stream)
    console.notes(stream.notes)
    console.notes(f"for {one.name}, {said_of(one, f'--set-{letter}')}" for letter, one in constant.items())
    for model, side in zip((arguments.a, arguments.b), sides, strict=True):
        if isinstance(side, FrozenCompetitor) and side.again:
            complain(f"{arguments.file} is, as it seems, what {model} has learned from: its mistakes there say little")


def _waiting(sides: tuple[Competitor, Competitor], arguments: CompareOptions) -> dict[str, OnlineClassifier]:
    """The learners, by their letters, whose constant feature is to go by the first row."""
    from ..run.competitors import LearningCompetitor
    from ..run.first_rows import is_open

    settings = {"a": arguments.set_a, "b": arguments.set_b}
    return {
        letter: side.learner
        for side, (letter, texts) in zip(sides, settings.items(), strict=True)
        if isinstance(side, LearningCompetitor) and is_open(side.learner, texts)
    }


def _names(arguments: CompareOptions) -> tuple[str, str]:
    """What to call the two: as the command line has them, with their letters where that is the same."""
    first, second = (os.path.basename(name_in(LEARNERS, one)) for one in (arguments.a, arguments.b))
    return (f"{first} (A)", f"{second} (B)") if first == second else (first, second)


def _sides(arguments: CompareOptions) -> tuple[tuple[Competitor, Competitor], list[Stream]]:
    """Both, and the streams that they read: one of two learners, else one each."""
    from ..errors import DataError
    from ..run.competitors import FrozenCompetitor

    pairs = [
        _side(arguments, one, letter, settings)
        for one, letter, settings in ((arguments.a, "a", arguments.set_a), (arguments.b, "b", arguments.set_b))
    ]
    sides = pairs[0][0], pairs[1][0]
    models = [isinstance(side, FrozenCompetitor) for side in sides]
    if all(models):
        set_here = {name: value for name, value in options.reading(arguments).items() if name in OF_LEARNERS}
        options.refuse_set(
            {f"--{name.replace('_', '-')}": value for name, value in set_here.items()},
            "is for learners, and both are models, which have their columns",
        )
    if not any(models):
        return sides, [options.open_input(arguments.file, arguments, None)]
    streams = [_stream(arguments, side, schema) for side, schema in pairs]
    if not all(stream.rereadable for stream in streams):
        fault = "this can be read once only, and each of the two reads its own columns of it"
        raise DataError(streams[0].name, None, None, fault, "save it in a file first")
    return sides, streams


def _stream(arguments: CompareOptions, side: Competitor, schema: dict[str, Any] | None) -> Stream:
    from ..run.competitors import FrozenCompetitor

    if isinstance(side, FrozenCompetitor):
        return options.open_input(arguments.file, arguments, schema, frozen=True, **OF_LEARNERS)
    return options.open_input(arguments.file, arguments, None)


def _side(
    arguments: CompareOptions, name_or_path: str, letter: str, settings: list[str]
) -> tuple[Competitor, dict[str, Any] | None]:
    """A learner by its name, or a model by its file and its columns."""
    from ..run.competitors import FrozenCompetitor, LearningCompetitor
    from ..run.linear import Continuation
    from .parameters import fault_text, make_learner, read_settings
    from .read_model import known_schema, read_classifier

    name = name_in(LEARNERS, name_or_path)
    if name in LEARNERS:
        wanted = learner_class(name)
        option = f"--set-{letter}"
        try:
            known = read_settings(wanted, settings, option=option)
            return LearningCompetitor(make_learner(wanted, known, option)), None
        except ParameterError as error:
            raise UsageError(f"{option} {fault_text(error)}") from error
    if not os.path.exists(name_or_path):
        if (of_numbers := name_in(REGRESSORS, name_or_path)) in REGRESSORS:
            fault = f"{letter.upper()}, {of_numbers}, forecasts numbers, and compare is for labels"
            raise UsageError(f"{fault}; learn --learner {of_numbers} says what it loses, beside simple rules")
        fault = f"{letter.upper()} is neither a model nor a learner: {name_or_path}"
        meant = did_you_mean(name_or_path, LEARNERS)
        raise UsageError(f"{fault}; {meant}give a file that --save wrote, or one of {', '.join(LEARNERS)}")
    if settings:
        raise UsageError(f"--set-{letter} {settings[0]}: {name_or_path} is a model, which has its parameters")
    learner, extra = read_classifier(name_or_path)
    continuation = Continuation.read(extra)
    return FrozenCompetitor(learner, continuation.last), known_schema(learner, continuation.schema)


# Lines, JSON and report.


SCHEMA = "regretless.compare/1"


class CompareOutput(Output):
    """A comparison that is over, or was stopped.

    Attributes
    ----------
    comparison : Comparison
    path : str
        The file, as the user called it.
    learners : (OnlineClassifier, OnlineClassifier)
        A and B.
    seconds : float
    skipped : int
        Rows passed over.
    interrupted : bool
        Whether it was stopped before the last row.
    """

    def __init__(
        self,
        comparison: Comparison,
        path: str,
        learners: tuple[OnlineClassifier, OnlineClassifier],
        seconds: float,
        skipped: int,
        *,
        interrupted: bool,
    ) -> None:
        self.comparison, self.path, self.learners = comparison, path, learners
        self.seconds, self.skipped, self.interrupted = seconds, skipped, interrupted

    @property
    def certificates(self) -> list[Certificate]:  # type: ignore[override]
        """How far the losses of each exceed the other's."""
        return self.comparison.certificates

    def lines(self) -> Iterator[str]:
        """Mistakes of both, the difference, and who errs less."""
        one = self.comparison
        low, high = one.interval
        width = max(map(len, one.names))
        for name, mistakes, alone, loss in zip(one.names, one.mistakes, one.apart, one.log_losses, strict=True):
            log = "" if loss is None else f"; log loss {number_text(loss)} ({loss / one.rounds:.4g} a row)"
            yield f"{name:<{width}}  mistakes {share_text(mistakes, one.rounds)}, {alone:,} of them alone{log}"
        yield f"difference: {one.difference:+.4f} a row, between {low:+.4f} and {high:+.4f} ({self._often()})"
        since = "" if one.better is None or one.decided is None else f"; decided first after row {one.decided:,}"
        yield f"{one.verdict()}{since}"

    def _often(self) -> str:
        return f"with probability {100 * self.comparison.level:.6g}%, after any number of rows"

    def describe(self) -> dict[str, Any]:
        """The result as JSON values."""
        one = self.comparison
        each = zip("ab", one.names, self.learners, one.mistakes, one.apart, one.log_losses, strict=True)
        return {
            "schema": SCHEMA,
            **{
                side: {
                    "name": name,
                    "learner": learner.name,
                    "parameters": parameters_of(learner),
                    "mistakes": mistakes,
                    "alone": alone,
                    "log_loss": loss,
                }
                for side, name, learner, mistakes, alone, loss in each
            },
            "rounds": one.rounds,
            "level": one.level,
            "difference": one.difference,
            "interval": list(one.interval),
            "better": one.better,
            "decided": one.decided,
            "course": [list(point) for point in one.course],
            **certificate_values(self.certificates),
            "input": {"path": self.path, "rows": one.rounds, "skipped": self.skipped},
            "interrupted": self.interrupted,
            "seconds": self.seconds,
        }

    def write_page(self, path: str) -> None:
        """Write the report."""
        from ..report import CompareReport, page_of_comparison, write_report

        one = self.comparison
        report = CompareReport(
            title=f"{one.names[0]} and {one.names[1]} on {os.path.basename(self.path)}",
            comparison=one,
            parameters=[parameters_of(learner) for learner in self.learners],
            source={"path": self.path, "rows": one.rounds, "skipped": self.skipped},
            seconds=self.seconds,
        )
        write_report(path, page_of_comparison(report))
