"""The closed table of environments: the only names that a command line may use, and their parameters as text."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from ..errors import ParameterError, RegretlessError, did_you_mean

WORST = "worst-case"  # an environment that is made of the learner itself, so that it is in no table of environments

if TYPE_CHECKING:
    from inspect import Parameter

    from ..finite_classes.finite_class import FiniteClass
    from .base import Environment
    from .labels import Labels

ELSEWHERE = ("rounds", "seed", "finite_class", "tree", "names")  # what is not set by name=value
SINGLE = {"bool": "true or false", "int": "a whole number", "float": "a number"}
WORDS = {"true": True, "yes": True, "false": False, "no": False}


class EnvironmentInfo(NamedTuple):
    """What makes an environment, and what it gives.

    Attributes
    ----------
    attribute : str
        The class, or the function, as `regretless.environments` calls it.
    gives : {"points", "votes", "rows", "arms"}
        Points of a finite class (and the votes of its hypotheses), rows of -1 and 1, rows of any numbers; or losses of
        arms without rows.
    summary : str
    needs_class : bool
        Whether it is made of a finite class.
    watches_draws : bool
        Whether its losses depend on the arms that were drawn.
    usual : mapping of str to str
        Parameters that have no default of their own, as text.
    """

    attribute: str
    gives: Literal["points", "votes", "rows", "arms"]
    summary: str
    needs_class: bool = False
    watches_draws: bool = False
    usual: Mapping[str, str] = MappingProxyType({})


ENVIRONMENTS = {
    "shattered-tree": EnvironmentInfo(
        "ShatteredTree", "points", "walks down a mistake tree, away from every prediction", needs_class=True
    ),
    "randomized-tree": EnvironmentInfo(
        "RandomizedTree",
        "points",
        "asks what a learner that draws can guess worst, and answers what costs it most",
        needs_class=True,
    ),
    "random-target": EnvironmentInfo(
        "RandomTarget", "points", "points and the hypothesis that labels them are drawn", needs_class=True
    ),
    "agnostic-tree": EnvironmentInfo(
        "AgnosticTree",
        "points",
        "fair coins down a mistake tree, by the majority of the labels of each point",
        needs_class=True,
    ),
    "written": EnvironmentInfo(
        "written", "points", "points and labels of a file, a row for each round", needs_class=True
    ),
    "label-flipping": EnvironmentInfo(
        "LabelFlipping", "points", "two constant experts, and never the label that is predicted"
    ),
    "fair-coins": EnvironmentInfo("FairLabels", "points", "two constant experts, and a fair coin for a label"),
    "dyadic": EnvironmentInfo("Dyadic", "rows", "halfspaces of the plane, halved again and again by the prediction"),
    "orthonormal": EnvironmentInfo("Orthonormal", "rows", "a new direction each round, and a label against it"),
    "exponential": EnvironmentInfo(
        "Exponential", "rows", "few rows that a perceptron needs exponentially many updates for"
    ),
    "sparse-target": EnvironmentInfo("SparseTarget", "votes", "the majority of a few out of many votes"),
    "separable": EnvironmentInfo("Separable", "rows", "rows of the unit ball, apart by a margin but for noise"),
    "drifting-target": EnvironmentInfo("DriftingTarget", "rows", "the same, and the target turns steadily"),
    "bernoulli": EnvironmentInfo("Bernoulli", "arms", "arms with a mean loss each", usual={"means": "0.4,0.6"}),
    "switching": EnvironmentInfo(
        "Switching", "arms", "arms whose mean losses change at chosen rounds", usual={"means": "0.4,0.6;0.6,0.4"}
    ),
    "drifting": EnvironmentInfo(
        "Drifting",
        "arms",
        "arms whose mean losses go from one to another in small steps",
        usual={"first": "0.3,0.7", "last": "0.7,0.3"},
    ),
    "one-better-arm": EnvironmentInfo(
        "OneBetterArm", "arms", "fair coins, and one arm a little better", usual={"arms": "2"}
    ),
    "likeliest-loses": EnvironmentInfo(
        "LikeliestLoses", "arms", "the arm most likely drawn loses, the others do not", usual={"arms": "2"}
    ),
    "most-drawn-loses": EnvironmentInfo(
        "MostDrawnLoses",
        "arms",
        "the arm most often drawn loses, the others do not",
        watches_draws=True,
        usual={"arms": "2"},
    ),
    "reversal": EnvironmentInfo("reversal", "arms", "what the first half taught is wrong in the second one"),
}


def entry_of(name: str) -> EnvironmentInfo:
    """The entry of an environment by its hyphened name.

    Raises
    ------
    RegretlessError
        If there is none.
    """
    if name not in ENVIRONMENTS:
        meant = did_you_mean(name, ENVIRONMENTS)
        raise RegretlessError(f"there is no environment called {name!r}; {meant}there are: {', '.join(ENVIRONMENTS)}")
    return ENVIRONMENTS[name]


def environment_class(name: str) -> Callable[..., Any]:
    """What makes an environment, by its hyphened name."""
    maker: Callable[..., Any] = getattr(import_module(str(__package__)), entry_of(name).attribute)
    return maker


def parameters(name: str) -> dict[str, str]:
    """The parameters of an environment that can be set by name, and their defaults, all as text.

    A required one has its own name for a default, in capitals.
    """
    usual = entry_of(name).usual
    return {one: usual.get(one, _default(parameter)) for one, parameter in _settable(name).items()}


def make(
    name: str,
    settings: Mapping[str, str] | None = None,
    *,
    rounds: int | None = None,
    seed: int = 0,
    finite_class: FiniteClass | None = None,
) -> Labels | Environment:
    """An environment from text.

    Parameters
    ----------
    name : str
    settings : mapping of str to str
        Numbers as they are written; several with commas between them, rows of them with semicolons.
    rounds : int, optional
    seed : int
        For those that have luck.
    finite_class : FiniteClass, optional
        For those that are made of one.

    Raises
    ------
    RegretlessError
        If there is no such environment or parameter, or a value is none; the message begins with the parameter's name.
    """
    entry, known = entry_of(name), _settable(name)
    if entry.needs_class and finite_class is None:
        raise RegretlessError(f"{name} asks for the points of a finite class: give one")
    options: dict[str, Any] = {}
    for one, text in (dict(entry.usual) | dict(settings or {})).items():
        place = one.replace("-", "_")
        if place not in known:
            raise ParameterError(one, text, _refusal(name), ": ")
        options[place] = _read(place, text, known[place])
    takes = _takes(name)
    more = {"rounds": rounds, "seed": seed, "finite_class": finite_class if entry.needs_class else None}
    options |= {one: value for one, value in more.items() if one in takes and value is not None}
    _refuse_what_lacks(name, takes, options)
    environment: Labels | Environment = environment_class(name)(**options)
    return environment


def _takes(name: str) -> Mapping[str, Parameter]:
    from inspect import signature  # which takes its time, and a command line's --help asks for names alone

    return signature(environment_class(name)).parameters


def _settable(name: str) -> dict[str, Parameter]:
    return {one: parameter for one, parameter in _takes(name).items() if one not in ELSEWHERE}


def _refusal(name: str) -> str:
    known = ", ".join(f"{one}={value}" for one, value in parameters(name).items())
    return f"{name} has no such parameter; it has {known}" if known else f"{name} has no parameters"


def _refuse_what_lacks(name: str, takes: Mapping[str, Parameter], options: Mapping[str, Any]) -> None:
    lacking = [one for one, parameter in takes.items() if parameter.default is parameter.empty and one not in options]
    if lacking:
        raise ParameterError(lacking[0], None, f"{name} cannot do without it")


def _read(name: str, text: str, parameter: Parameter) -> Any:
    kinds = [kind.strip() for kind in str(parameter.annotation).split("|")]
    if "None" in kinds and text.lower() == "none":
        return None
    for kind, read in (("bool", _word), ("int", int), ("float", float), ("str", str)):
        if kind in kinds:
            try:
                return read(text)
            except (ValueError, KeyError):
                continue
    single = next((SINGLE[kind] for kind in kinds if kind in SINGLE), None)
    if single is not None:
        raise ParameterError(name, text, f"{single} is expected", ": ")
    try:
        return _several(text, int if "Sequence[int]" in kinds else float)
    except ValueError as error:
        raise ParameterError(name, text, "numbers with commas between them are expected", ": ") from error


def _word(text: str) -> bool:
    return WORDS[text.lower()]


def _several(text: str, read: Callable[[str], float]) -> list[Any]:
    rows = [[read(number) for number in row.split(",")] for row in text.split(";")]
    return rows if len(rows) > 1 else rows[0]


def _default(parameter: Parameter) -> str:
    value = parameter.default
    if value is parameter.empty:
        return parameter.name.upper()
    return "none" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
