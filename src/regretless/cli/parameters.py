"""A learner's parameters on the command line, ``--set name=value``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..errors import ParameterError, RegretlessError, did_you_mean
from .output import UsageError

if TYPE_CHECKING:
    from inspect import Parameter

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
