"""``regretless play``: any learner against any environment, certified."""

from __future__ import annotations

import os
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Callable, Iterator, Mapping
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from ..catalogue import TABLES, Kind
from ..environments.registry import ELSEWHERE as OPTIONS
from ..environments.registry import ENVIRONMENTS, WORST, entry_of, make, parameters
from ..errors import DataError, ParameterError, RegretlessError
from ..play.compatibility import GIVES, resolve
from ..report.terminal import many, number_text
from ..run.trace_lines import cell, step_lines
from . import options
from .arguments import Arguments, ReportOptions
from .files import refuse_irregular, refuse_overwriting
from .output import (
    VIOLATED,
    Console,
    Ended,
    Output,
    UsageError,
    certificate_values,
    complain,
    explain,
    plain,
    runs_of,
    spread,
    verdict,
)
from .parameters import PlayerMaker, fault_text, settings_in_play
from .signals import run_until_signal

if TYPE_CHECKING:
    from ..certificate import Certificate
    from ..environments import Environment
    from ..environments.labels import Labels
    from ..finite_classes import FiniteClass
    from ..play import PlayResult
    from ..play.player import CurvePoint


EPILOG = """\
example: a learner that errs as seldom as any can, against an environment that makes it err as often as any can
  regretless play --learner standard-optimal --environment shattered-tree --named thresholds:20"""
DRAWN, DRAWN_OF_ALL = 2_000, 100_000  # rounds of one run, and of all, of which a report shows every one
HELP = "let any learner play against any environment, and certify the result"
DESCRIPTION = (
    "An environment picks the rounds: by chance, by a plan, or against what the learner does. Printed are mistakes or "
    "losses at doubling round counts, what the environment was sure to force at least, and what each theorem about the "
    "learner allows at most. Some environments are made of a finite class, which --class or --named gives; each "
    "hypothesis is then a feature to a linear learner, an expert to a combiner and an arm to a bandit."
)


class PlayOptions(ReportOptions):
    """Of `play`; `table` is --class and `environment_set` is --with."""

    learner: str
    set: list[str]
    environment: str
    environment_set: list[str]
    table: str | None
    named: str | None
    rounds: int | None
    runs: int
    seed: int
    anytime: bool
    save: str | None
    trace: int | None


class Formatter(RawDescriptionHelpFormatter):
    """Help that breaks no name at its hyphen."""

    def _split_lines(self, text: str, width: int) -> list[str]:
        return wrap(" ".join(text.split()), width, break_on_hyphens=False)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return text if text == EPILOG else "\n".join(wrap(text, width, break_on_hyphens=False))


def add_arguments(parser: ArgumentParser) -> None:
    """The verb's options."""
    parser.formatter_class, parser.epilog = Formatter, EPILOG
    _add_players(parser)
    group = parser.add_argument_group("a finite class")
    group.add_argument(
        "--class", dest="table", metavar="FILE", help="a table of 0 and 1, rows are hypotheses and columns are points"
    )
    group.add_argument("--named", metavar="FAMILY", help="a class by name, as in thresholds:20 (see dimension)")
    group = parser.add_argument_group("rounds")
    group.add_argument("--rounds", type=options.whole, metavar="T", help="how many; by default all that there are")
    group.add_argument("--runs", type=options.whole, default=1, metavar="R", help="how often to play them (1)")
    group.add_argument(
        "--seed", type=options.seed, default=0, metavar="S", help="of the environment and the learner (0)"
    )
    options.add_anytime(group)
    group = parser.add_argument_group("output")
    group.add_argument("--save", metavar="MODEL", help="write the learner as it stands after its one run (.rgl)")
    options.add_report(group)
    shown = "what was asked, said and answered in the first run; JSON has 10,000 if no number is given"
    options.add_trace(group, SHOWN, shown, const=0)
    options.add_watching(group)


def _add_players(parser: ArgumentParser) -> None:
    group = parser.add_argument_group("learner and environment")
    playing = dict.fromkeys(name for kind, names in TABLES.items() if GIVES[kind] for name in names)
    group.add_argument(
        "--learner",
        metavar="NAME",
        required=True,
        help=f"{', '.join(playing)}; experts.hedge and bandits.hedge are two",
    )
    options.add_set(group)
    group.add_argument("--environment", metavar="NAME", required=True, help=", ".join((*ENVIRONMENTS, WORST)))
    group.add_argument(
        "--with",
        dest="environment_set",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        help="set a parameter of the environment",
    )


def run(arguments: PlayOptions) -> int:
    """Play, certify, report."""
    _refuse_contradictions(arguments)
    pairing = pairing_of(arguments)
    console = options.console_of(arguments)
    result, stopped = _play(pairing, arguments, console)
    outcome = PlayOutput(result, pairing, arguments)
    outcome.save()
    outcome.publish(arguments, console, arguments.report, model=arguments.save)
    code = verdict(outcome.certificates) or _code_of_lower_bounds(result)
    if stopped is not None:
        left_out = "" if result.certificates else "; to certify so many, ask for them by --rounds"
        raise Ended(f"interrupted after {outcome.played()}{left_out}", stopped)
    return code


def _play(pairing: Pairing, arguments: PlayOptions, console: Console) -> tuple[PlayResult, int | None]:
    """The result, and the exit code of the signal if one came before all was played."""
    from ..play import play

    def play_until(stop: Callable[[], bool]) -> PlayResult:
        return play(
            pairing.learner,
            pairing.environment,
            pairing.rounds,
            runs=arguments.runs,
            marks=_marks(pairing, arguments),
            on_rounds=lambda played: console.rounds(played),
            stop=stop,
        )

    def failed(error: Exception) -> RegretlessError:
        if isinstance(error, MemoryError):
            asked = f"{many(pairing.rounds, 'round')} of {many(arguments.runs, 'run')}"
            return RegretlessError(f"memory is exhausted by {asked}; ask for fewer")
        return RegretlessError(explain(error))

    return run_until_signal(play_until, console, stopped=lambda: "interrupted before there was a round", failed=failed)


def _marks(pairing: Pairing, arguments: PlayOptions) -> range | None:
    """Every round of a short play, if it is to be drawn."""
    short = pairing.rounds <= DRAWN and pairing.rounds * arguments.runs <= DRAWN_OF_ALL
    return range(1, pairing.rounds + 1) if arguments.report is not None and short else None


def _code_of_lower_bounds(result: PlayResult) -> int:
    """The exit code that goes with the environment's lower bounds."""
    broken = [bound.lower_bound.title for bound in result.lower_bounds if bound.violated]
    if not broken:
        return 0
    complain(f"what is sure to be forced was not ({', '.join(broken)}); this is a bug in regretless: please report it")
    return VIOLATED


def _refuse_contradictions(arguments: PlayOptions) -> None:
    """Refuse options that contradict each other, before anything is read or written."""
    if arguments.table is not None and arguments.named is not None:
        raise UsageError("--class and --named are two classes; name one")
    if arguments.save is not None and arguments.runs > 1:
        raise UsageError(f"--save keeps one learner, and --runs {arguments.runs} have as many")
    files = [
        text.partition("=")[2].strip() for text in arguments.environment_set if text.partition("=")[0].strip() == "file"
    ]
    tables = [] if arguments.table is None else [arguments.table]
    refuse_overwriting([*tables, *files], [arguments.save, arguments.report])
    refuse_irregular(arguments.save)


# Lines, JSON and report.


SCHEMA = "regretless.play/1"
SHOWN, MOST_TRACED = 50, 10_000  # rounds of a trace, for people and for programs, where no number is given
NAMES = 14  # characters of a setting's name
ELSEWHERE = ("finite_class", "arms", "n_arms", "run", "seed", "random_state")  # parameters that are shown elsewhere


class PlayOutput(Output):
    """A result that is over.

    Attributes
    ----------
    result : PlayResult
    pairing : Pairing
        The learner and the environment.
    arguments : PlayOptions
    """

    def __init__(self, result: PlayResult, pairing: Pairing, arguments: PlayOptions) -> None:
        self.result, self.pairing, self.arguments = result, pairing, arguments

    @property
    def certificates(self) -> list[Certificate]:  # type: ignore[override]
        """The certificates of the learner."""
        return self.result.certificates

    def write_page(self, path: str) -> None:
        """Write the report."""
        from ..report import PlayReport, page_of_play, write_report

        report = PlayReport(
            self.result,
            self.pairing.called,
            {name: value for name, value in self.parameters.items() if value is not None},
            self._about_environment(),
            f"after {self.played()}" if self.result.stopped else "",
        )
        write_report(path, page_of_play(report))

    def _about_environment(self) -> dict[str, Any]:
        known = {name: value for name, value in self.pairing.settings.items() if value is not None}
        return {**(self._shape() or {}), **known, "seed": self.arguments.seed}

    def _shape(self) -> dict[str, int] | None:
        """The size of the finite class that the environment is made of, if it is."""
        finite_class = getattr(self.pairing.environment, "finite_class", None)
        if finite_class is None:
            return None
        return {"hypotheses": finite_class.hypotheses, "points": finite_class.points}

    def save(self) -> None:
        """Save the learner, if a file is named."""
        path = self.arguments.save
        if path is None:
            return
        learner = self.result.learner
        if self.result.kind == "bandits" and not learner.rounds_:
            from ..play.bandits import replayed

            learner = replayed(learner, self.pairing.environment, self.result.rounds, 0)
        learner.save(path)

    def played(self) -> str:
        """How much was played of what was asked for."""
        result = self.result
        if result.runs < self.arguments.runs and result.rounds == self.pairing.rounds:
            return f"{result.runs} of {many(self.arguments.runs, 'run')}"
        return f"{result.rounds:,} of {many(self.pairing.rounds, 'round')}"

    # For programs.

    def describe(self) -> dict[str, Any]:
        """The result as JSON values."""
        result, pairing = self.result, self.pairing
        return {
            "schema": SCHEMA,
            "learner": result.learner.name,
            "kind": result.kind,
            "parameters": self.parameters,
            "environment": pairing.called,
            "settings": dict(pairing.settings),
            "class": self._shape(),
            "rounds": result.rounds,
            "runs": result.runs,
            "seed": self.arguments.seed,
            "counted": result.counts,
            "total": spread(result.totals),
            "best": result.best,
            "regret": result.regret,
            "observed": {name: spread(values) for name, values in result.quantities.items()},
            "curve": [_described(point, result) for point in self._curve()],
            "trace": None if self.arguments.trace is None else [step.describe() for step in self._trace(MOST_TRACED)],
            "lower_bounds": [bound.describe() for bound in result.lower_bounds],
            **certificate_values(result.certificates, runs=runs_of),
            "interrupted": result.stopped,
            "seconds": result.seconds,
            "model": None if self.arguments.save is None else os.fspath(self.arguments.save),
        }

    @property
    def parameters(self) -> dict[str, Any]:
        """The learner's, as JSON values."""
        known = self.result.learner.get_params()
        return {name: _written(value) for name, value in known.items() if name not in ELSEWHERE}

    # For people.

    def lines(self) -> Iterator[str]:
        """Lines for people before the certificates."""
        result, pairing = self.result, self.pairing
        counts = f"{many(result.runs, 'run')} of {many(result.rounds, 'round')}"
        yield f"{result.learner.name} against {pairing.called}: {counts}, seed {self.arguments.seed}"
        yield from self._settings()
        if self.arguments.trace is not None:
            yield from step_lines(self._trace(SHOWN), result.rounds)
        yield from self._table()
        if len(result.totals) > 1:
            deviation = number_text(result.totals.std(ddof=1))
            yield f"{result.counts} as means over the runs; standard deviation at the end {deviation}"
        if result.lower_bounds:
            yield "forced at least"
            for bound in result.lower_bounds:
                yield f"  {bound}"
        if result.certificates:
            yield "allowed at most"

    def _settings(self) -> Iterator[str]:
        """Settings of the user, and those that follow from the environment."""
        shape = self._shape()
        if shape is not None:
            what = "hypothesis" if shape["hypotheses"] == 1 else "hypotheses"
            yield f"  {'class':<{NAMES}} {shape['hypotheses']:,} {what} on {many(shape['points'], 'point')}"
        for name, value in self.pairing.texts.items():
            yield f"  {name:<{NAMES}} {value}"
        for name, value in self.parameters.items():
            if value is not None and (name in self._set() or name in ("tie", "prune", "horizon", "loss")):
                yield f"  {name:<{NAMES}} {value}"

    def _set(self) -> set[str]:
        return {text.partition("=")[0].strip().replace("-", "_") for text in self.arguments.set}

    def _curve(self) -> list[CurvePoint]:
        """The curve at doubling round counts."""
        from ..play.run import doubling

        stops = set(doubling(self.result.rounds))
        return [point for point in self.result.curve if point.rounds in stops]

    def _trace(self, usual: int) -> list[Any]:
        """The first rounds of the first run, played once more."""
        from ..play import trace

        pairing = self.pairing
        return list(trace(pairing.learner, pairing.environment, min(self.arguments.trace or usual, self.result.rounds)))

    def _table(self) -> Iterator[str]:
        """The curve at doubling round counts."""
        result = self.result
        heads = ["rounds", result.counts, "since last"]
        if result.best is not None:
            heads += ["best", "regret"]
        if result.more:
            heads.append(result.more)
        yield " ".join(f"{head:>12}" for head in heads)
        last = (0, 0.0)
        for point in self._curve():
            recent = (point.count - last[1]) / (point.rounds - last[0])
            cells = [str(point.rounds), cell(point.count), f"{recent:.6f}"]
            if result.best is not None:
                cells += [cell(point.best), cell(point.regret)]
            if result.more:
                cells.append(cell(point.more))
            yield " ".join(f"{cell:>12}" for cell in cells)
            last = point.rounds, point.count


def _described(point: CurvePoint, result: PlayResult) -> dict[str, Any]:
    values = {"rounds": point.rounds, result.counts: point.count, "best": point.best, "regret": point.regret}
    return values | ({result.more: point.more} if result.more else {})


def _written(value: Any) -> Any:
    """A parameter as a JSON value."""
    if hasattr(value, "tolist"):
        return value.tolist()
    return plain(value) if isinstance(value, str | bool | int | float | list | tuple | None) else str(value)


# The learner and the environment.

WORDS: dict[str, bool | None] = {"none": None, "true": True, "false": False}


def _environment_texts(texts: list[str]) -> dict[str, str]:
    """The parameters of the environment that the command line sets, as text."""
    settings: dict[str, str] = {}
    for text in texts:
        name, sign, value = text.partition("=")
        name = name.strip().replace("-", "_")
        if not sign:
            raise UsageError(f"--with {text}: give a value, as in {name}=1")
        if name in settings:
            raise UsageError(f"--with {text}: {name} is set twice")
        if name in OPTIONS:
            raise UsageError(f"--with {text}: {name} is set by --{name} or not at all")
        settings[name] = value.strip()
    return settings


def _environment_of(arguments: PlayOptions, texts: Mapping[str, str]) -> Labels | Environment:
    """The environment itself."""
    entry = entry_of(arguments.environment)
    if not entry.needs_class and (arguments.table is not None or arguments.named is not None):
        option = "--class" if arguments.named is None else "--named"
        raise UsageError(f"{option}: --environment {arguments.environment} is made of no class that one could choose")
    finite_class = _finite_class_of(arguments) if entry.needs_class else None
    try:
        return make(
            arguments.environment, texts, rounds=arguments.rounds, seed=arguments.seed, finite_class=finite_class
        )
    except DataError:
        raise  # of a file that one of them names
    except RegretlessError as error:
        raise _about(error, arguments) from error


def _about(error: RegretlessError, arguments: PlayOptions) -> UsageError:
    """The error by the name of the option that it is about."""
    if not isinstance(error, ParameterError):
        return UsageError(f"--environment {arguments.environment}: {error}")
    if error.name not in ("rounds", "seed"):
        return UsageError(f"--with {fault_text(error)}")
    missing = error.name == "rounds" and arguments.rounds is None
    return UsageError(f"--{error.name} is missing: {error.expected}" if missing else f"--{error.name} {error.fault}")


def _worst_of(learner: Any, texts: Mapping[str, str]) -> Labels:
    """The worst case of a learner, on labels of a target if one is named, and with a time to look for it."""
    from ..checks import positive
    from ..environments.points import WorstCaseLabels

    settings = dict(texts)
    text, target = settings.pop("limit", "none"), settings.pop("target", "none")
    try:
        limit = None if text == "none" else positive("limit", float(text))
    except ValueError:
        raise UsageError(f"--with limit={text}: a number of seconds is expected") from None
    if settings:
        one, value = next(iter(settings.items()))
        raise UsageError(f"--with {one}={value}: {WORST} has no such parameter; it has limit=none and target=none")
    named = learner.finite_class.hypothesis_names or ()
    place = int(target) if target.isdecimal() and target not in named else target
    try:
        return WorstCaseLabels(learner, limit, None if target == "none" else place)
    except ParameterError as error:
        raise UsageError(f"--with {fault_text(error)}") from error


def _finite_class_of(arguments: PlayOptions) -> FiniteClass:
    """The class that the command line names."""
    from ..finite_classes import FiniteClass

    if arguments.named is not None:
        try:
            return FiniteClass.named(arguments.named)
        except RegretlessError as error:
            raise UsageError(f"--named {arguments.named}: {error}") from error
    if arguments.table is None:
        raise UsageError(
            f"--environment {arguments.environment} is made of a finite class: give --class FILE or --named FAMILY"
        )
    from ..data.class_files import read_class

    file = read_class(arguments.table)
    for note in () if arguments.quiet else file.notes:
        complain(note)
    return FiniteClass(file.matrix, hypotheses=file.hypotheses, points=file.points)


def _rounds_of(arguments: PlayOptions, environment: Labels | Environment) -> int:
    """How many rounds are asked for; by default all, or the default of an endless environment."""
    most = environment.rounds
    if arguments.rounds is None:
        usual = most if most is not None else getattr(environment, "default_rounds", None)
        if usual is None:
            raise UsageError(f"--rounds is missing: {arguments.environment} goes on for ever")
        return int(usual)
    if most is not None and arguments.rounds > most:
        raise UsageError(
            f"--rounds {arguments.rounds}: {arguments.environment} has {most:,}; leave --rounds out to play all of them"
        )
    return int(arguments.rounds)


def _settings_of(name: str, texts: Mapping[str, str]) -> dict[str, Any]:
    """All parameters of an environment, those that were not set with their defaults: as JSON values."""
    usual = {"limit": "none", "target": "none"} if name == WORST else parameters(name)
    return {one: _value(texts.get(one, text)) for one, text in usual.items()}


def _value(text: str) -> Any:
    """What a text means: nothing, a truth value, a number, several numbers, rows of them, or itself."""
    if text.lower() in WORDS:
        return WORDS[text.lower()]
    for sign in ";,":
        if sign in text:
            several = [_value(part.strip()) for part in text.split(sign)]
            return text if any(one is None or isinstance(one, str | bool) for one in several) else several
    for read in (int, float):
        try:
            return read(text)
        except ValueError:
            continue
    return text


class Pairing(Arguments):
    """A learner, an environment, and for how many rounds they play.

    Attributes
    ----------
    kind : {"class", "linear", "experts", "bandits"}
    learner : object
        One that has played nothing.
    environment : Labels or Environment
    called : str
        Environment's name.
    texts : mapping of str to str
        Its parameters that the command line sets, as text.
    settings : mapping
        All its parameters as JSON values, those that were not set too.
    rounds : int
    """

    kind: Kind
    learner: Any
    environment: Labels | Environment
    called: str
    texts: Mapping[str, str]
    settings: Mapping[str, Any]
    rounds: int


def pairing_of(arguments: PlayOptions) -> Pairing:
    """Make both.

    Raises
    ------
    UsageError
        If there is no such learner or environment, they do not fit together, or a parameter has no
        meaning.
    """
    kind, name = _names(arguments)
    maker = PlayerMaker(
        kind=kind,
        name=name,
        settings=settings_in_play(kind, name, arguments.set),
        environment=arguments.environment,
        seed=arguments.seed,
        anytime=arguments.anytime,
        finite_class=None,
        rounds=arguments.rounds or 0,
    )
    maker.check()
    texts = _environment_texts(arguments.environment_set)
    environment: Labels | Environment
    if arguments.environment == WORST:
        learner = maker.of(_finite_class_of(arguments)).make()
        environment = _worst_of(learner, texts)
        rounds = _rounds_of(arguments, environment)
    else:
        environment = _environment_of(arguments, texts)
        rounds = _rounds_of(arguments, environment)
        learner = maker.of(getattr(environment, "finite_class", None), rounds).make()
    return Pairing(
        kind=kind,
        learner=learner,
        environment=environment,
        called=arguments.environment,
        texts=texts,
        settings=_settings_of(arguments.environment, texts),
        rounds=rounds,
    )


def _names(arguments: PlayOptions) -> tuple[Kind, str]:
    try:
        return resolve(arguments.learner, arguments.environment)
    except RegretlessError as error:
        about = "--learner" if arguments.environment in (*ENVIRONMENTS, WORST) else "--environment"
        raise UsageError(f"{about}: {error}") from error
