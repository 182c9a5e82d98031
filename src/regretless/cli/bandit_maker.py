"""The bandit of `pull` and `evaluate`, of what the command line says of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..catalogue import BANDITS, DEFAULT_BANDIT, bandit_class
from ..errors import ParameterError, RegretlessError
from .arguments import Record
from .output import UsageError

if TYPE_CHECKING:
    from ..bandits.base import Bandit

ADVISED = ", ".join(name for name, entry in BANDITS.items() if entry.info.advised)
SEED = 0
SWITCHES = 5  # that a learner for changing arms is tuned for, unless the user says
MANY_ROUNDS = 2**50  # with which parameters are tried before it is known how many there are
OPTIONS = {"value_range": "--range", "rewards": "--rewards", "seed": "--seed", "delta": "--delta"}
ELSEWHERE = {name: f"use {option}" for name, option in OPTIONS.items()} | {
    "n_arms": "the file says how many arms there are",
    "arms": "the file names the arms (--arms chooses among them)",
    "n_experts": "the advice says how many experts there are",
    "run": "all runs are played, as many as --runs says",
}
FIXING = ("horizon", "rate", "beta", "explore", "share")  # what is not tuned any more when one of them is given


class BanditSettings(Record):
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

        from .parameters import read_settings

        self._class = bandit_class(arguments.learner or DEFAULT_BANDIT)
        self._known = signature(self._class).parameters
        self._anytime = arguments.anytime
        self._settings = read_settings(self._class, arguments.set, ELSEWHERE) | _own_options(arguments)
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
