"""A learner's parameters on the command line, ``--set name=value``; and the bandit that the command line asks for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..catalogue import BANDITS, DEFAULT_BANDIT, bandit_class
from ..errors import ParameterError, RegretlessError, did_you_mean
from .arguments import Arguments
from .output import UsageError

if TYPE_CHECKING:
    from inspect import Parameter

    from ..bandits.base import Bandit


IN_ORDER = "a file is learned from in its own order; shuffle the file itself"
ELSEWHERE = {"shuffle": IN_ORDER, "random_state": IN_ORDER}
WORDS = {"true": True, "yes": True, "false": False, "no": False}


def read_settings(learner: type[Any], texts: Sequence[str], elsewhere: Mapping[str, str] = ELSEWHERE) -> dict[str, Any]:
    """The parameters that ``name=value`` texts set, in the types that the class asks for.

    Parameters
    ----------
    learner : type
        The class.
    texts : sequence of str
    elsewhere : mapping of str to str
        Parameters that are not set in this way, and what to do instead.

    Raises
    ------
    UsageError
        If a name is unknown or a value is none; the message says what is possible.
    """
    from inspect import signature

    parameters = signature(learner).parameters
    known = {name: one for name, one in parameters.items() if name not in elsewhere}
    settings: dict[str, Any] = {}
    for text in texts:
        name, sign, value = text.partition("=")
        name = name.strip().replace("-", "_")
        if name in elsewhere and name in parameters:
            raise UsageError(f"--set {text}: {elsewhere[name]}")
        if not sign or name not in known:
            raise UsageError(f"--set {text}: {_refusal(learner, name, known)}")
        if name in settings:
            raise UsageError(f"--set {text}: {name} is set twice")
        settings[name] = _value(text, value.strip(), known[name])
    return settings


def fault_text(error: ParameterError) -> str:
    """What is wrong with name=value, behind a colon as in all errors of the command line."""
    if error.between != "; ":
        return str(error)
    return f"{error.name}={error.value}: {error.expected}"


def make_learner(learner: type[Any], settings: dict[str, Any]) -> Any:
    """The learner with these parameters."""
    made = learner(**settings)
    try:
        made.checked()
    except RegretlessError as error:
        raise UsageError(f"--set {error}") from error
    return made


def _refusal(learner: type[Any], name: str, known: Mapping[str, Parameter]) -> str:
    if name in known:
        return f"give a value, as in {name}={known[name].default}"
    listed = ", ".join(f"{one}={parameter.default}" for one, parameter in known.items())
    return f"{learner.name} has no parameter {name!r}; {did_you_mean(name, known)}it has {listed}"


def _value(text: str, value: str, parameter: Parameter) -> Any:
    kinds = _kinds(parameter)
    if parameter.name == "class_weight":
        return _by_class(text, value)
    if "None" in kinds and value.lower() == "none":
        return None
    if "bool" in kinds and value.lower() in WORDS:
        return WORDS[value.lower()]
    for kind, read in (("int", int), ("float", float)):
        if kind in kinds:
            try:
                return read(value)
            except ValueError:
                continue
    if "str" in kinds or any(kind.startswith("Literal") for kind in kinds):
        return value
    if "Any" in kinds:
        return _numbers(text, value)
    names = {"bool": "true or false", "int": "a whole number", "float": "a number", "None": "none"}
    raise UsageError(f"--set {text}: {' or '.join(names[kind] for kind in kinds)} is expected")


def _by_class(text: str, value: str) -> dict[str, float]:
    try:
        pairs = [pair.rpartition(":") for pair in value.split(",")]
        if all(label for label, _, _ in pairs):
            return {label.strip(): float(weight) for label, _, weight in pairs}
    except ValueError:
        pass
    raise UsageError(f"--set {text}: a weight for each class is expected, as in class_weight=1:2.5,-1:1")


def _numbers(text: str, value: str) -> list[float]:
    try:
        return [float(number) for number in value.split(",")]
    except ValueError as error:
        raise UsageError(f"--set {text}: numbers with commas between them are expected") from error


def _kinds(parameter: Parameter) -> list[str]:
    """The types that a parameter may have, by name, as its annotation says."""
    annotation = parameter.annotation
    written = annotation if isinstance(annotation, str) else getattr(annotation, "__name__", str(annotation))
    return [kind.strip() for kind in written.split("|")]


# Bandits of `pull` and `evaluate`.

ADVISED = ", ".join(name for name, entry in BANDITS.items() if entry.info.advised)
SEED = 0
SWITCHES = 5  # that a learner for changing arms is tuned for, unless the user says
MANY_ROUNDS = 2**50  # with which parameters are tried before it is known how many there are
OPTIONS = {"value_range": "--range", "rewards": "--rewards", "seed": "--seed", "delta": "--delta"}
OF_BANDITS_ELSEWHERE = {name: f"use {option}" for name, option in OPTIONS.items()} | {
    "n_arms": "the file says how many arms there are",
    "arms": "the file names the arms (--arms chooses among them)",
    "n_experts": "the advice says how many experts there are",
    "run": "all runs are played, as many as --runs says",
}
FIXING = ("horizon", "rate", "beta", "explore", "share")  # what is not tuned any more when one of them is given


class BanditSettings(Arguments):
    """What the command line says of a bandit that goes along a log."""

    learner: str | None
    set: list[str]
    delta: float | None
    range: list[float] | None
    seed: int | None
    rewards: bool
    anytime: bool
    advice: str | None


class BanditMaker:
    """Makes the learner, once it is known how many rounds and arms there are.

    Parameters
    ----------
    arguments : BanditSettings

    Raises
    ------
    UsageError
        If a parameter has no meaning: that is seen before any file is read.
    """

    def __init__(self, arguments: BanditSettings) -> None:
        from inspect import signature

        self._class = bandit_class(arguments.learner or DEFAULT_BANDIT)
        self._known = signature(self._class).parameters
        self._anytime = arguments.anytime
        self._settings = read_settings(self._class, arguments.set, OF_BANDITS_ELSEWHERE) | _own_options(arguments)
        self._refuse_contradictions(arguments)
        self._make({**self._settings, **self._tuning(MANY_ROUNDS)})

    def learner(self, rounds: int, arms: Sequence[str]) -> Bandit:
        """The learner for so many rounds and these arms."""
        return self._make({**self._settings, **self._tuning(rounds), "arms": list(arms)})

    def _refuse_contradictions(self, arguments: BanditSettings) -> None:
        if self._class.info.advised and arguments.advice is None:
            raise UsageError(f"--learner {self._class.name} draws as experts advise: give their --advice FILE")
        if not self._class.info.advised and arguments.advice is not None:
            raise UsageError(f"--advice is for {ADVISED}: {self._class.name} has no experts")
        if self._anytime and self._class.info.needs_horizon:
            refused = f"--learner {self._class.name} cannot be played with --anytime"
            raise UsageError(f"{refused}: it is tuned for a number of rounds, and has no rates that fall")
        for name in ("horizon", "rate"):
            if self._anytime and self._settings.get(name) is not None:
                raise UsageError(f"--anytime contradicts --set {name}={self._settings[name]}")

    def _tuning(self, rounds: int) -> Mapping[str, Any]:
        """The number of rounds, for a learner that can make use of it and is not tuned otherwise."""
        if self._anytime or self._settings.get("epochs") is False or "horizon" not in self._known:
            return {}
        more: dict[str, Any] = {}
        if all(self._settings.get(name) is None for name in FIXING):
            more["horizon"] = rounds
        if "switches" in self._known and (more or self._settings.get("horizon") is not None):
            more["switches"] = min(SWITCHES, rounds - 1)
        return more | {name: value for name, value in self._settings.items() if value is not None and name in more}

    def _make(self, settings: Mapping[str, Any]) -> Bandit:
        try:
            learner: Bandit = self._class(**settings)
        except RegretlessError as error:
            raise UsageError(self._about(error)) from error
        return learner

    def _about(self, error: RegretlessError) -> str:
        """What is wrong with a parameter, by the name that it has on the command line."""
        if not isinstance(error, ParameterError) or error.name not in self._known:
            return f"--learner {self._class.name}: {error}"
        return f"{OPTIONS[error.name]} {error.fault}" if error.name in OPTIONS else f"--set {error}"


def _own_options(arguments: BanditSettings) -> dict[str, Any]:
    """The parameters that have options of their own."""
    settings: dict[str, Any] = {"seed": SEED if arguments.seed is None else arguments.seed}
    if arguments.range is not None:
        settings["value_range"] = tuple(arguments.range)
    if arguments.rewards:
        settings["rewards"] = True
    if arguments.delta is not None:
        settings["delta"] = arguments.delta
    return settings
