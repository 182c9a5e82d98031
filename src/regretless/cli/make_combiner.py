"""The combiner for a command line: a new one, or one from a model file."""

from __future__ import annotations

from collections.abc import Mapping
from inspect import signature
from typing import TYPE_CHECKING, Any

from ..catalogue import expert_class
from ..errors import ParameterError, RegretlessError
from .defaults import COMBINER
from .exit_codes import UsageError
from .parameters import read_settings
from .read_model import read_combiner

if TYPE_CHECKING:
    from ..experts.base import ExpertLearner
    from ..run.experts import Continuation
    from .arguments import CombineOptions

TABLE = "table"
OPTIONS = {"loss": "--loss", "tau": "--tau", "value_range": "--range", "linearize": "--linearize"}
ELSEWHERE = {name: f"use {option}" for name, option in OPTIONS.items()}
ELSEWHERE["n_experts"] = "the file says how many experts there are"


def begin(arguments: CombineOptions) -> tuple[ExpertLearner, Continuation | None]:
    """The learner, and how its run goes on.

    Raises
    ------
    UsageError
        If a parameter has no meaning, or contradicts the model to go on with.
    ModelError
        If that model cannot be read.
    """
    if arguments.resume is not None:
        return _resumed(arguments, arguments.resume)
    wanted = expert_class(arguments.learner or COMBINER)
    settings = _settings(arguments, wanted)
    if "loss" not in settings and signature(wanted).parameters["loss"].default is None:
        settings["loss"] = "square"
    try:
        made = wanted(**settings)
        made._rules(2)  # so that a parameter without meaning is refused before a file is read
    except RegretlessError as error:
        raise UsageError(_about(error, wanted)) from error
    return made, None


def _resumed(arguments: CombineOptions, path: str) -> tuple[ExpertLearner, Continuation]:
    from ..run.experts import Continuation

    learner, extra = read_combiner(path)
    if arguments.learner not in (None, learner.name):
        raise UsageError(f"--learner {arguments.learner} contradicts the model, which is of {learner.name}")
    parameters = learner.get_params()
    for name, value in _settings(arguments, type(learner)).items():
        if parameters[name] != value:
            option = OPTIONS.get(name, f"--set {name}")
            raise UsageError(f"{option} {value} contradicts the model, which has {name}={parameters[name]}")
    kept = Continuation.read(learner, extra)
    if arguments.delay is not None and arguments.delay != (kept.delay or 1):
        raise UsageError(
            f"--delay {arguments.delay} contradicts the model, whose outcomes come {kept.delay or 1} later"
        )
    if (arguments.arrival is None) != (kept.columns["arrivals"] is None) and arguments.arrival is not None:
        raise UsageError("--arrival contradicts the model, which learned without it")
    return learner, kept


def _settings(arguments: CombineOptions, learner: type[ExpertLearner]) -> dict[str, Any]:
    """All parameters that the command line sets."""
    settings = read_settings(learner, arguments.set, ELSEWHERE)
    given = {
        "loss": arguments.loss,
        "tau": arguments.tau,
        "value_range": None if arguments.range is None else tuple(arguments.range),
        "linearize": arguments.linearize,
    }
    settings |= {name: value for name, value in given.items() if value is not None}
    if settings.get("loss") == TABLE:
        settings["loss"] = None
    if arguments.tau is not None and arguments.loss not in ("pinball", None):
        raise UsageError(f"--tau is for --loss pinball, not {arguments.loss}")
    return settings


def _about(error: RegretlessError, learner: type[ExpertLearner]) -> str:
    """What is wrong with a parameter, by the name that it has on the command line."""
    if not isinstance(error, ParameterError):
        return f"--learner {learner.name}: {error}"
    return f"{OPTIONS[error.name]} {error.fault}" if error.name in OPTIONS else f"--set {error}"


def columns_of(arguments: CombineOptions, kept: Continuation | None, *, blind: bool) -> Mapping[str, str | None]:
    """The columns that the file is to have; what is not said is as in the file before."""
    before = kept.columns if kept is not None else {}
    found = {
        "target": arguments.target or before.get("target"),
        "time": arguments.time or before.get("time"),
        "arrivals": arguments.arrival or before.get("arrivals"),
    }
    return found | {"target": None} if blind else found
