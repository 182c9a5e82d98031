"""The learner for a command line: a new one, or one from a model file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..catalogue import learner_class
from ..linear.base import OnlineClassifier
from ..run.linear import Continuation
from .exit_codes import UsageError
from .parameters import make_learner, read_settings
from .read_model import read_classifier

if TYPE_CHECKING:
    from .arguments import LearnOptions


def begin(arguments: LearnOptions) -> tuple[OnlineClassifier, dict[str, Any]]:
    """The learner, and what was kept with it, by which its run goes on.

    Raises
    ------
    UsageError
        If a parameter has no meaning, or contradicts the model to go on with.
    ModelError
        If that model cannot be read.
    """
    if arguments.resume is not None:
        return _resumed(arguments, arguments.resume)
    assert arguments.learner is not None, "learn refuses to begin without either"
    wanted = learner_class(arguments.learner)
    settings = _settings(arguments, wanted)
    if arguments.passes is not None:
        name = _limit(make_learner(wanted, settings).until_clean)
        if settings.get(name, arguments.passes) != arguments.passes:
            raise UsageError(f"--passes {arguments.passes} contradicts --set {name}={settings[name]}")
        settings[name] = arguments.passes
    return make_learner(wanted, settings), {}


def _resumed(arguments: LearnOptions, path: str) -> tuple[OnlineClassifier, dict[str, Any]]:
    learner, extra = read_classifier(path)
    if arguments.learner not in (None, learner.name):
        raise UsageError(f"--learner {arguments.learner} contradicts the model, which is of {learner.name}")
    parameters = learner.get_params()
    for name, value in _settings(arguments, type(learner)).items():
        if parameters[name] != value:
            raise UsageError(f"--set {name}={value} contradicts the model, which has {name}={parameters[name]}")
    continuation = Continuation.read(extra)
    hashing = (continuation.schema or {}).get("hash")
    if arguments.hash_bits is not None and (hashing is None or hashing["bits"] != arguments.hash_bits):
        raise UsageError(f"--hash-bits {arguments.hash_bits} contradicts the model, whose columns are known already")
    if arguments.passes is not None and continuation.passes is None:
        learner.set_params(**{_limit(learner.until_clean): arguments.passes})
    return learner, extra


def _limit(until_clean: bool) -> str:
    """The parameter that --passes is: so many passes, or at most so many of those that go on until one is clean."""
    return "max_passes" if until_clean else "passes"


def _settings(arguments: LearnOptions, learner: type[OnlineClassifier]) -> dict[str, object]:
    return read_settings(learner, arguments.set)
