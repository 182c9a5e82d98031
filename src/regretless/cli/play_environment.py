"""The environment that a command line asks for, and for how many rounds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..checks import positive
from ..environments.registry import ELSEWHERE, entry_of, make, parameters
from ..errors import DataError, ParameterError, RegretlessError
from ..play.compatibility import WORST
from .exit_codes import UsageError
from .output import complain
from .parameters import told

if TYPE_CHECKING:
    from ..environments import Environment
    from ..environments.labels import Labels
    from ..finite_classes.finite_class import FiniteClass
    from .arguments import PlayOptions

WORDS: dict[str, bool | None] = {"none": None, "true": True, "false": False}


def given_of(texts: list[str]) -> dict[str, str]:
    """What is set of it, as text."""
    found: dict[str, str] = {}
    for text in texts:
        name, sign, value = text.partition("=")
        name = name.strip().replace("-", "_")
        if not sign:
            raise UsageError(f"--with {text}: give a value, as in {name}=1")
        if name in found:
            raise UsageError(f"--with {text}: {name} is set twice")
        if name in ELSEWHERE:
            raise UsageError(f"--with {text}: {name} is set by --{name} or not at all")
        found[name] = value.strip()
    return found


def environment_of(arguments: PlayOptions, given: Mapping[str, str]) -> Labels | Environment:
    """The environment itself.

    Raises
    ------
    UsageError
        If a parameter of it has no meaning, or a class is given to one that is made of none.
    """
    entry = entry_of(arguments.environment)
    if not entry.needs_class and (arguments.table is not None or arguments.named is not None):
        option = "--class" if arguments.named is None else "--named"
        raise UsageError(f"{option}: --environment {arguments.environment} is made of no class that one could choose")
    finite_class = finite_class_of(arguments) if entry.needs_class else None
    try:
        return make(
            arguments.environment, given, rounds=arguments.rounds, seed=arguments.seed, finite_class=finite_class
        )
    except DataError:
        raise  # of a file that one of them names
    except RegretlessError as error:
        raise _about(error, arguments, given) from error


def _about(error: RegretlessError, arguments: PlayOptions, given: Mapping[str, str]) -> UsageError:
    """The error by the name of the option that it is about."""
    if not isinstance(error, ParameterError):
        meant = next((f"--with {one}={value}" for one, value in given.items() if repr(value) in str(error)), "")
        return UsageError(f"{meant or f'--environment {arguments.environment}'}: {error}")
    if error.name not in ("rounds", "seed"):
        return UsageError(f"--with {told(error)}")
    missing = getattr(arguments, error.name) is None
    return UsageError(f"--{error.name} is missing: {error.expected}" if missing else f"--{error.name} {error.fault}")


def worst_of(learner: Any, given: Mapping[str, str]) -> Labels:
    """The worst case of a learner; the time to look for it is all that can be set."""
    from ..play.worst_case import WorstCaseLabels

    settings = dict(given)
    text = settings.pop("limit", "none")
    try:
        limit = None if text == "none" else positive("limit", float(text))
    except ValueError:
        raise UsageError(f"--with limit={text}: a number of seconds is expected") from None
    if settings:
        one, value = next(iter(settings.items()))
        raise UsageError(f"--with {one}={value}: {WORST} has no such parameter; it has limit=none")
    return WorstCaseLabels(learner, limit)


def finite_class_of(arguments: PlayOptions) -> FiniteClass:
    """The class that the command line gives.

    Raises
    ------
    UsageError
        If it gives none, or there is none of that name.
    """
    from ..finite_classes.finite_class import FiniteClass

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


def rounds_of(arguments: PlayOptions, environment: Labels | Environment) -> int:
    """How many rounds are asked for; by default all, or as many as environment has something to say in.

    Raises
    ------
    UsageError
        If there are fewer, or environment goes on for ever.
    """
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


def settings_of(name: str, given: Mapping[str, str]) -> dict[str, Any]:
    """All parameters of an environment, those that were not set with their defaults: as JSON values."""
    usual = {"limit": "none"} if name == WORST else parameters(name)
    return {one: _value(given.get(one, text)) for one, text in usual.items()}


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
