"""The learner and the environment that `play` puts together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ...catalogue import Kind
from ...environments.registry import ELSEWHERE as OPTIONS
from ...environments.registry import ENVIRONMENTS, WORST, entry_of, make, parameters
from ...errors import DataError, ParameterError, RegretlessError
from ...play.compatibility import resolve
from ..arguments import Arguments, ReportOptions
from ..output import UsageError, complain
from ..parameters import PlayerMaker, fault_text, settings_in_play

if TYPE_CHECKING:
    from ...environments import Environment
    from ...environments.labels import Labels
    from ...finite_classes import FiniteClass


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
    from ...checks import positive
    from ...environments.points import WorstCaseLabels

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
    from ...finite_classes import FiniteClass

    if arguments.named is not None:
        try:
            return FiniteClass.named(arguments.named)
        except RegretlessError as error:
            raise UsageError(f"--named {arguments.named}: {error}") from error
    if arguments.table is None:
        raise UsageError(
            f"--environment {arguments.environment} is made of a finite class: give --class FILE or --named FAMILY"
        )
    from ...data.class_files import read_class

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
