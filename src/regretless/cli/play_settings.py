"""The learner and the environment that a command line asks for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..catalogue import Kind
from ..errors import RegretlessError
from ..play.compatibility import WORST, resolve
from .exit_codes import UsageError
from .play_environment import class_of, environment_of, given_of, rounds_of, settings_of, worst_of
from .play_learner import Maker
from .play_learner import settings_of as settings_of_learner

if TYPE_CHECKING:
    from ..environments import Environment
    from ..environments.labels import Labels
    from .arguments import PlayOptions


@dataclass(frozen=True)
class Pairing:
    """Who meets whom, for how long.

    Attributes
    ----------
    kind : {"class", "linear", "experts", "bandits"}
    learner : object
        One that has played nothing.
    environment : Labels or Environment
    called : str
        Environment's name.
    given : mapping of str to str
        What was set of it.
    settings : mapping
        All its parameters as JSON values, those that were not set too.
    rounds : int
    """

    kind: Kind
    learner: Any
    environment: Labels | Environment
    called: str
    given: Mapping[str, str]
    settings: Mapping[str, Any]
    rounds: int


def pairing_of(arguments: PlayOptions) -> Pairing:
    """Make both.

    Raises
    ------
    UsageError
        If there is no such learner or environment, they have nothing to say to each other, or a parameter has no
        meaning.
    """
    kind, name = _names(arguments)
    maker = Maker(kind, name, settings_of_learner(kind, name, arguments.set), arguments, None, arguments.rounds or 0)
    maker.check()
    given = given_of(arguments.given)
    environment: Labels | Environment
    if arguments.environment == WORST:
        learner = maker.of(class_of(arguments)).make()
        environment = worst_of(learner, given)
        rounds = rounds_of(arguments, environment)
    else:
        environment = environment_of(arguments, given)
        rounds = rounds_of(arguments, environment)
        learner = maker.of(getattr(environment, "finite_class", None), rounds).make()
    settings = settings_of(arguments.environment, given)
    return Pairing(kind, learner, environment, arguments.environment, given, settings, rounds)


def _names(arguments: PlayOptions) -> tuple[Kind, str]:
    try:
        return resolve(arguments.learner, arguments.environment)
    except RegretlessError as error:
        about = "--environment" if str(error).startswith("there is no environment") else "--learner"
        raise UsageError(f"{about}: {error}") from error
