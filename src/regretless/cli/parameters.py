"""A learner's parameters on the command line, ``--set name=value``; and the learner that ``learn`` begins with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from inspect import Parameter, signature
from typing import TYPE_CHECKING, Any

from ..catalogue import DEFAULT_OF_TASK, DEFAULT_WITH_FEW_LABELS, KIND_OF_TASK, class_of
from ..errors import ParameterError, RegretlessError, did_you_mean
from .output import CLASSIFICATION, UsageError

if TYPE_CHECKING:
    from .arguments import LearnOptions

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


def learner_of(arguments: LearnOptions, task: str = CLASSIFICATION) -> tuple[Any, dict[str, Any]]:
    """The learner, of labels or of numbers, and what was kept with it, by which its run goes on.

    Raises
    ------
    UsageError
        If a parameter has no meaning, or contradicts the model to go on with.
    ModelError
        If that model cannot be read.
    """
    if arguments.resume is not None:
        return _resumed(arguments, arguments.resume, task)
    default = DEFAULT_OF_TASK[task] if arguments.label_budget is None else DEFAULT_WITH_FEW_LABELS
    wanted = class_of(KIND_OF_TASK[task], arguments.learner or default)
    try:
        settings = read_settings(wanted, arguments.set) | _budget(arguments, wanted)
    except UsageError as error:
        raise UsageError(f"{error}{_of_another_task(arguments, task)}") from error
    if arguments.passes is not None:
        name = _limit(make_learner(wanted, settings).until_clean)
        if settings.get(name, arguments.passes) != arguments.passes:
            raise UsageError(f"--passes {arguments.passes} contradicts --set {name}={settings[name]}")
        settings[name] = arguments.passes
    return make_learner(wanted, settings), {}


def _budget(arguments: LearnOptions, wanted: type[Any]) -> dict[str, Any]:
    """The parameters that a budget of labels stands for: so many in all are spread over the rows of a file, which are
    counted for that.

    Raises
    ------
    UsageError
        If the learner takes none, or `--set` speaks of it too.
    """
    budget = arguments.label_budget
    if budget is None:
        return {}
    if "most_labels" not in signature(wanted).parameters:
        advice = f"leave out --learner, or name {DEFAULT_WITH_FEW_LABELS}"
        raise UsageError(f"--label-budget {budget}: {wanted.name} learns from all labels; {advice}")
    for name in ("share", "most_labels"):
        if any(text.partition("=")[0].strip().replace("-", "_") == name for text in arguments.set):
            raise UsageError(f"--label-budget {budget} sets {name}, and so does --set")
    if budget.endswith("%"):
        return {"share": float(budget[:-1]) / 100}
    rows, most = _rows_of(arguments), int(budget)
    return {"most_labels": most} | ({"share": most / rows} if most < rows else {})


def _rows_of(arguments: LearnOptions) -> int:
    """How many rows the passes over the file have; 0 where it can be read once only."""
    from . import options

    stream = options.open_input(arguments.files[0], arguments, None)
    return sum(map(len, stream.batches())) * (arguments.passes or 1) if stream.rereadable else 0


def _of_another_task(arguments: LearnOptions, task: str) -> str:
    """What to add of names that are parameters of the learner of another task, where none was asked for."""
    if arguments.task is not None or arguments.learner is not None or task != CLASSIFICATION:
        return ""
    names = {text.partition("=")[0].strip().replace("-", "_") for text in arguments.set}
    names -= {*signature(class_of(KIND_OF_TASK[task], DEFAULT_OF_TASK[task])).parameters}
    for other, name in DEFAULT_OF_TASK.items():
        if known := sorted(names & {*signature(class_of(KIND_OF_TASK[other], name)).parameters}):
            return f"; {name} has {known[0]}, so for numbers add --task {other}"
    return ""


def _resumed(arguments: LearnOptions, path: str, task: str) -> tuple[Any, dict[str, Any]]:
    from .read_model import continuation_of, read_classifier, read_predictor

    if arguments.label_budget is not None:
        raise UsageError(f"--label-budget {arguments.label_budget}: the model to go on with has its own, or none")
    learner, extra = read_classifier(path) if task == CLASSIFICATION else read_predictor(path)
    if arguments.learner not in (None, learner.name):
        raise UsageError(f"--learner {arguments.learner} contradicts the model, which is of {learner.name}")
    parameters = learner.get_params()
    for name, value in read_settings(type(learner), arguments.set).items():
        if parameters[name] != value:
            raise UsageError(f"--set {name}={value} contradicts the model, which has {name}={parameters[name]}")
    continuation = continuation_of(learner, extra)
    hashing = (continuation.schema or {}).get("hash")
    if arguments.hash_bits is not None and (hashing is None or hashing["bits"] != arguments.hash_bits):
        raise UsageError(f"--hash-bits {arguments.hash_bits} contradicts the model, whose columns are known already")
    if arguments.passes is not None and continuation.passes is None:
        learner.set_params(**{_limit(learner.until_clean): arguments.passes})
    return learner, extra


def _limit(until_clean: bool) -> str:
    """The parameter that --passes is: so many passes, or at most so many of those that go on until one is clean."""
    return "max_passes" if until_clean else "passes"
