"""A learner's parameters on the command line, ``--set name=value``, and the learners of several verbs made of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..catalogue import BANDITS, CLASS_LEARNERS, DEFAULT_BANDIT, EXPERT_LEARNERS, Kind, bandit_class, class_of
from ..errors import ParameterError, ParameterMissing, RegretlessError, did_you_mean
from .arguments import Arguments
from .output import UsageError

if TYPE_CHECKING:
    from inspect import Parameter

    from ..bandits.base import Bandit
    from ..finite_classes import FiniteClass


IN_ORDER = "a file is learned from in its own order; shuffle the file itself"
ELSEWHERE = {"shuffle": IN_ORDER, "random_state": IN_ORDER}
WORDS = {"true": True, "yes": True, "false": False, "no": False}


def read_settings(
    learner: type[Any], texts: Sequence[str], elsewhere: Mapping[str, str] = ELSEWHERE, option: str = "--set"
) -> dict[str, Any]:
    """The parameters that ``name=value`` texts set, in the types that the class asks for.

    Parameters
    ----------
    learner : type
        The class.
    texts : sequence of str
    elsewhere : mapping of str to str
        Parameters that are not set in this way, and what to do instead.
    option : str
        By which the texts were given.

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
            raise UsageError(f"{option} {text}: {elsewhere[name]}")
        if not sign or name not in known:
            raise UsageError(f"{option} {text}: {_refusal(learner, name, known)}")
        if name in settings:
            raise UsageError(f"{option} {text}: {name} is set twice")
        settings[name] = _value(f"{option} {text}", value.strip(), known[name])
    return settings


def fault_text(error: ParameterError) -> str:
    """What is wrong with name=value, behind a colon as in all errors of the command line."""
    if error.between != "; ":
        return str(error)
    return f"{error.name}={error.value}: {error.expected}"


def make_learner(learner: type[Any], settings: dict[str, Any], option: str = "--set") -> Any:
    """The learner with these parameters, which were given by this option."""
    instance = learner(**settings)
    try:
        instance.checked()
    except RegretlessError as error:
        raise UsageError(f"{option} {error}") from error
    return instance


def refuse_other_settings(
    learner: Any, name: str | None, settings: Mapping[str, Any], own: Mapping[str, str] | None = None
) -> None:
    """Refuse another learner than that of the model to go on with, and other parameters.

    Parameters
    ----------
    learner : object
        Of the model.
    name : str or None
        The learner that the command line names.
    settings : mapping of str to object
        The parameters that it sets.
    own : mapping of str to str, optional
        Those that have options of their own.

    Raises
    ------
    UsageError
        If one differs.
    """
    if name not in (None, learner.name):
        raise UsageError(f"--learner {name} contradicts the model, which is of {learner.name}")
    parameters = learner.get_params()
    for one, value in settings.items():
        if parameters[one] != value:
            option = f"{own[one]} {value}" if own and one in own else f"--set {one}={value}"
            raise UsageError(f"{option} contradicts the model, which has {one}={parameters[one]}")


def by_option(error: RegretlessError, learner: type[Any], own: Mapping[str, str]) -> str:
    """What is wrong with a parameter of a learner, by the option that sets it; `own` are those besides --set."""
    from inspect import signature

    if not isinstance(error, ParameterError) or error.name not in signature(learner).parameters:
        return f"--learner {learner.name}: {error}"
    return f"{own[error.name]} {error.fault}" if error.name in own else f"--set {error}"


def _refusal(learner: type[Any], name: str, known: Mapping[str, Parameter]) -> str:
    if name in known:
        return f"give a value, as in {name}={known[name].default}"
    listed = ", ".join(f"{one}={parameter.default}" for one, parameter in known.items())
    return f"{learner.name} has no parameter {name!r}; {did_you_mean(name, known)}it has {listed}"


def _value(option: str, value: str, parameter: Parameter) -> Any:
    kinds = _kinds(parameter)
    if parameter.name == "class_weight":
        return _by_class(option, value)
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
        return _numbers(option, value)
    names = {"bool": "true or false", "int": "a whole number", "float": "a number", "None": "none"}
    raise UsageError(f"{option}: {' or '.join(names[kind] for kind in kinds)} is expected")


def _by_class(option: str, value: str) -> dict[str, float]:
    if value == "balanced":
        why = "that is for Python, where all labels are known before the first round"
        raise UsageError(f"{option}: {why}; give the weight of each class, as in class_weight=1:2.5,-1:1")
    try:
        pairs = [pair.rpartition(":") for pair in value.split(",")]
        if all(label for label, _, _ in pairs):
            return {label.strip(): float(weight) for label, _, weight in pairs}
    except ValueError:
        pass
    raise UsageError(f"{option}: a weight for each class is expected, as in class_weight=1:2.5,-1:1")


def _numbers(option: str, value: str) -> list[float]:
    try:
        return [float(number) for number in value.split(",")]
    except ValueError as error:
        raise UsageError(f"{option}: numbers with commas between them are expected") from error


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
ELSEWHERE_OF_BANDITS = {name: f"use {option}" for name, option in OPTIONS.items()} | {
    "n_arms": "the file says how many arms there are",
    "arms": "the file names the arms (--arms chooses among them)",
    "n_experts": "the advice says how many experts there are",
    "run": "all runs are played, as many as --runs says",
}
FIXING = ("horizon", "rate", "eta", "beta", "explore", "share")  # what is not tuned any more when one of them is given


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
        self._settings = read_settings(self._class, arguments.set, ELSEWHERE_OF_BANDITS) | _own_options(arguments)
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
            raise UsageError(by_option(error, self._class, OPTIONS)) from error
        return learner


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


# Learners that `play`.

MANY = 1 << 20  # rounds for which a learner is made as a trial, where it is not known yet how many there are
OF_VOTES = ("absolute", "square", "pinball", "log", "zero-one")  # losses of forecasts from 0 to 1
ONCE = "the rounds are played once, in the order in which environment has them"
SEEDED = "use --seed"
ELSEWHERE_IN_PLAY: dict[Kind, dict[str, str]] = {
    "class": {"finite_class": "use --class or --named", "random_state": SEEDED},
    "linear": dict.fromkeys(("passes", "until_clean", "max_passes", "shuffle", "warm_start", "random_state"), ONCE),
    "experts": {
        "n_experts": "the environment says how many there are",
        "value_range": "votes and losses lie between 0 and 1",
        "random_state": SEEDED,
    },
    "bandits": {
        "n_arms": "the environment says how many there are",
        "arms": "the environment names them",
        "n_experts": "the environment says how many there are",
        "value_range": "losses lie between 0 and 1",
        "rewards": "the environment tells losses",
        "seed": SEEDED,
        "run": "use --runs",
    },
}


def settings_in_play(kind: Kind, name: str, texts: list[str]) -> dict[str, Any]:
    """The parameters of the learner that the command line sets."""
    orders = [text for text in texts if kind == "class" and text.partition("=")[0].strip() == "order"]
    settings = read_settings(
        class_of(kind, name), [text for text in texts if text not in orders], ELSEWHERE_IN_PLAY[kind]
    )
    if not orders:
        return settings
    ordered = CLASS_LEARNERS[name].info.ordered
    if not ordered or len(orders) > 1:
        raise UsageError("order is set twice" if ordered else f"--set {orders[-1]}: {name} has no order")
    import csv

    names = next(csv.reader([orders[0].partition("=")[2]]), [])
    return settings | {"order": [int(one) if one.strip().isdigit() else one.strip() for one in names]}


class PlayerMaker(Arguments):
    """Makes the learner for this environment and so many rounds."""

    kind: Kind
    name: str
    settings: Mapping[str, Any]
    environment: str
    seed: int
    anytime: bool
    finite_class: FiniteClass | None
    rounds: int

    def make(self) -> Any:
        makers: dict[Kind, Callable[[], Any]] = {
            "class": self._of_class,
            "linear": self._linear,
            "experts": self._combiner,
            "bandits": self._bandit,
        }
        try:
            return makers[self.kind]()
        except RegretlessError as error:
            raise UsageError(self._about(error)) from error

    def of(self, finite_class: FiniteClass | None, rounds: int = 0) -> PlayerMaker:
        """The same for such a class, and so many rounds."""
        return self.but(finite_class=finite_class, rounds=rounds)

    def check(self) -> None:
        """Refuse settings that have no meaning, before anything else is asked for; the learner is not kept."""
        try_out = self.but(rounds=self.rounds or MANY)
        if self.kind == "class" and self.finite_class is None:
            from ..finite_classes import FiniteClass

            few = {name: value for name, value in self.settings.items() if name != "order"}  # that is of the real one
            try_out = try_out.but(finite_class=FiniteClass([[0], [1]]), settings=few)
        try_out.make()

    def _about(self, error: RegretlessError) -> str:
        """What is wrong with a parameter, by the name that it has on the command line."""
        if isinstance(error, ParameterError) and error.name in self.settings:
            return f"--set {fault_text(error)}"
        if self.anytime and isinstance(error, ParameterError | ParameterMissing) and error.name == "horizon":
            return f"--anytime: {self.name} needs the number of rounds, or a rate"
        return f"--learner {self.name}: {error}"

    def _of_class(self) -> Any:
        from inspect import signature

        self._refuse_anytime()
        learner_class = class_of(self.kind, self.name)
        seeded = {"random_state": self.seed} if "random_state" in signature(learner_class).parameters else {}
        return learner_class(self.finite_class, **seeded, **self.settings)

    def _linear(self) -> Any:
        self._refuse_anytime()
        instance = class_of(self.kind, self.name)(**self.settings)
        instance.checked()
        return instance

    def _combiner(self) -> Any:
        from inspect import signature

        learner_class = class_of(self.kind, self.name)
        known = signature(learner_class).parameters
        settings = {"loss": self._loss(known["loss"].default), **self.settings}
        self._refuse_loss(settings["loss"])
        if settings["loss"] != "zero-one":
            settings["value_range"] = (0.0, 1.0)
        if "random_state" in known:
            settings["random_state"] = self.seed
        if "switches" not in known or settings.get("switches") is not None:
            settings = self._tuned(known) | settings
        instance = learner_class(**settings)
        instance._rules(2)
        return instance

    @property
    def _arms(self) -> bool:
        """Whether the environment has arms, and no points."""
        from ..environments.registry import entry_of

        return entry_of(self.environment).gives == "arms"

    def _loss(self, usual: Any) -> Any:
        """Arms have losses of their own; a vote costs the distance of the forecast from the label."""
        if self._arms:
            return None
        return usual if usual == "zero-one" or EXPERT_LEARNERS[self.name].info.one_loss else "absolute"

    def _refuse_loss(self, loss: Any) -> None:
        if self._arms and loss not in (None, "table"):
            raise UsageError(f"--set loss={loss}: {self.environment} tells what the arms lose; leave it out")
        if not self._arms and loss not in (*OF_VOTES, None, "table"):
            raise UsageError(f"--set loss={loss}: votes are right or wrong; {', '.join(OF_VOTES)} or none is expected")

    def _bandit(self) -> Any:
        from inspect import signature

        learner_class = class_of(self.kind, self.name)
        known = signature(learner_class).parameters
        arms = 2 if learner_class.info.advised else None
        settings = {"n_arms": arms, "seed": self.seed, **self._tuned(known), **self.settings}
        if "horizon" in known and known["horizon"].default is known["horizon"].empty and "horizon" not in settings:
            raise ParameterMissing("horizon", "horizon is missing")
        if "switches" in known and "horizon" in settings:
            settings.setdefault("switches", min(SWITCHES, self.rounds - 1))
        return learner_class(**settings)

    def _tuned(self, known: Mapping[str, Any]) -> dict[str, Any]:
        """The number of rounds, for a learner that can make use of it and is not tuned otherwise."""
        fixed = any(self.settings.get(name) is not None for name in FIXING) or self.settings.get("epochs") is False
        return {} if self.anytime or fixed or "horizon" not in known else {"horizon": self.rounds}

    def _refuse_anytime(self) -> None:
        if self.anytime:
            raise RegretlessError("--anytime is for learners whose rates follow the number of rounds")
