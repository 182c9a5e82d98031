"""The learner and the environment that a command line asks for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from ..catalogue import CLASS_LEARNERS, EXPERT_LEARNERS, Kind, class_of
from ..environments.registry import ELSEWHERE as OPTIONS
from ..environments.registry import WORST, entry_of, make, parameters
from ..errors import DataError, ParameterError, RegretlessError
from ..play.compatibility import resolve
from .arguments import Arguments, ReportOptions
from .output import UsageError, complain
from .parameters import fault_text, read_settings

if TYPE_CHECKING:
    from ..environments import Environment
    from ..environments.labels import Labels
    from ..finite_classes import FiniteClass


class PlayOptions(ReportOptions):
    """Of `play`; `table` is --class and `environment_set` is --with."""

    learner: str
    set: list[str]
    environment: str
    environment_set: list[str]
    table: str | None
    named: str | None
    rounds: int | None
    runs: int
    seed: int
    anytime: bool
    save: str | None
    trace: int | None


WORDS: dict[str, bool | None] = {"none": None, "true": True, "false": False}


def _environment_texts(texts: list[str]) -> dict[str, str]:
    """The parameters of the environment that the command line sets, as text."""
    settings: dict[str, str] = {}
    for text in texts:
        name, sign, value = text.partition("=")
        name = name.strip().replace("-", "_")
        if not sign:
            raise UsageError(f"--with {text}: give a value, as in {name}=1")
        if name in settings:
            raise UsageError(f"--with {text}: {name} is set twice")
        if name in OPTIONS:
            raise UsageError(f"--with {text}: {name} is set by --{name} or not at all")
        settings[name] = value.strip()
    return settings


def _environment_of(arguments: PlayOptions, texts: Mapping[str, str]) -> Labels | Environment:
    """The environment itself."""
    entry = entry_of(arguments.environment)
    if not entry.needs_class and (arguments.table is not None or arguments.named is not None):
        option = "--class" if arguments.named is None else "--named"
        raise UsageError(f"{option}: --environment {arguments.environment} is made of no class that one could choose")
    finite_class = _finite_class_of(arguments) if entry.needs_class else None
    try:
        return make(
            arguments.environment, texts, rounds=arguments.rounds, seed=arguments.seed, finite_class=finite_class
        )
    except DataError:
        raise  # of a file that one of them names
    except RegretlessError as error:
        raise _about(error, arguments, texts) from error


def _about(error: RegretlessError, arguments: PlayOptions, texts: Mapping[str, str]) -> UsageError:
    """The error by the name of the option that it is about."""
    if not isinstance(error, ParameterError):
        meant = next((f"--with {one}={value}" for one, value in texts.items() if repr(value) in str(error)), "")
        return UsageError(f"{meant or f'--environment {arguments.environment}'}: {error}")
    if error.name not in ("rounds", "seed"):
        return UsageError(f"--with {fault_text(error)}")
    missing = error.name == "rounds" and arguments.rounds is None
    return UsageError(f"--{error.name} is missing: {error.expected}" if missing else f"--{error.name} {error.fault}")


def _worst_of(learner: Any, texts: Mapping[str, str]) -> Labels:
    """The worst case of a learner, on labels of a target if one is named, and with a time to look for it."""
    from ..checks import positive
    from ..environments.points import WorstCaseLabels

    settings = dict(texts)
    text, target = settings.pop("limit", "none"), settings.pop("target", "none")
    try:
        limit = None if text == "none" else positive("limit", float(text))
    except ValueError:
        raise UsageError(f"--with limit={text}: a number of seconds is expected") from None
    if settings:
        one, value = next(iter(settings.items()))
        raise UsageError(f"--with {one}={value}: {WORST} has no such parameter; it has limit=none and target=none")
    named = learner.finite_class.hypothesis_names or ()
    place = int(target) if target.isdecimal() and target not in named else target
    return WorstCaseLabels(learner, limit, None if target == "none" else place)


def _finite_class_of(arguments: PlayOptions) -> FiniteClass:
    """The class that the command line names."""
    from ..finite_classes import FiniteClass

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


def _rounds_of(arguments: PlayOptions, environment: Labels | Environment) -> int:
    """How many rounds are asked for; by default all, or the default of an endless environment."""
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


def _settings_of(name: str, texts: Mapping[str, str]) -> dict[str, Any]:
    """All parameters of an environment, those that were not set with their defaults: as JSON values."""
    usual = {"limit": "none", "target": "none"} if name == WORST else parameters(name)
    return {one: _value(texts.get(one, text)) for one, text in usual.items()}


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


class Pairing(Arguments):
    """A learner, an environment, and for how many rounds they play.

    Attributes
    ----------
    kind : {"class", "linear", "experts", "bandits"}
    learner : object
        One that has played nothing.
    environment : Labels or Environment
    called : str
        Environment's name.
    texts : mapping of str to str
        Its parameters that the command line sets, as text.
    settings : mapping
        All its parameters as JSON values, those that were not set too.
    rounds : int
    """

    kind: Kind
    learner: Any
    environment: Labels | Environment
    called: str
    texts: Mapping[str, str]
    settings: Mapping[str, Any]
    rounds: int


def pairing_of(arguments: PlayOptions) -> Pairing:
    """Make both.

    Raises
    ------
    UsageError
        If there is no such learner or environment, they do not fit together, or a parameter has no
        meaning.
    """
    kind, name = _names(arguments)
    maker = Maker(
        kind=kind,
        name=name,
        settings=_settings_of_learner(kind, name, arguments.set),
        arguments=arguments,
        finite_class=None,
        rounds=arguments.rounds or 0,
    )
    maker.check()
    texts = _environment_texts(arguments.environment_set)
    environment: Labels | Environment
    if arguments.environment == WORST:
        learner = maker.of(_finite_class_of(arguments)).make()
        environment = _worst_of(learner, texts)
        rounds = _rounds_of(arguments, environment)
    else:
        environment = _environment_of(arguments, texts)
        rounds = _rounds_of(arguments, environment)
        learner = maker.of(getattr(environment, "finite_class", None), rounds).make()
    return Pairing(
        kind=kind,
        learner=learner,
        environment=environment,
        called=arguments.environment,
        texts=texts,
        settings=_settings_of(arguments.environment, texts),
        rounds=rounds,
    )


def _names(arguments: PlayOptions) -> tuple[Kind, str]:
    try:
        return resolve(arguments.learner, arguments.environment)
    except RegretlessError as error:
        about = "--environment" if str(error).startswith("there is no environment") else "--learner"
        raise UsageError(f"{about}: {error}") from error


MANY = 1 << 20  # rounds for which a learner is made as a trial, where it is not known yet how many there are
SWITCHES = 5  # that a learner for changing arms is tuned for, unless the user says
OF_VOTES = ("absolute", "square", "pinball", "log", "zero-one")  # losses of forecasts from 0 to 1
FIXING = ("horizon", "rate", "eta", "beta", "explore", "share")  # with one of them given nothing is tuned any more
ONCE = "the rounds are played once, in the order in which environment has them"
SEEDED = "use --seed"
ELSEWHERE: dict[Kind, dict[str, str]] = {
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


def _settings_of_learner(kind: Kind, name: str, texts: list[str]) -> dict[str, Any]:
    """The parameters of the learner that the command line sets."""
    orders = [text for text in texts if kind == "class" and text.partition("=")[0].strip() == "order"]
    settings = read_settings(class_of(kind, name), [text for text in texts if text not in orders], ELSEWHERE[kind])
    if not orders:
        return settings
    ordered = CLASS_LEARNERS[name].info.ordered
    if not ordered or len(orders) > 1:
        raise UsageError("order is set twice" if ordered else f"--set {orders[-1]}: {name} has no order")
    import csv

    names = next(csv.reader([orders[0].partition("=")[2]]), [])
    return settings | {"order": [int(one) if one.strip().isdigit() else one.strip() for one in names]}


class Maker(Arguments):
    """Makes the learner for this environment and so many rounds."""

    kind: Kind
    name: str
    settings: Mapping[str, Any]
    arguments: PlayOptions
    finite_class: FiniteClass | None
    rounds: int

    def make(self) -> Any:
        made: dict[Kind, Callable[[], Any]] = {
            "class": self._of_class,
            "linear": self._linear,
            "experts": self._combiner,
            "bandits": self._bandit,
        }
        try:
            return made[self.kind]()
        except RegretlessError as error:
            raise UsageError(self._about(error)) from error

    def of(self, finite_class: FiniteClass | None, rounds: int = 0) -> Maker:
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
        if self.arguments.anytime and "horizon" in str(error):
            return f"--anytime: {self.name} needs the number of rounds, or a rate"
        return f"--learner {self.name}: {error}"

    def _of_class(self) -> Any:
        from inspect import signature

        self._refuse_anytime()
        learner_class = class_of(self.kind, self.name)
        seeded = {"random_state": self.arguments.seed} if "random_state" in signature(learner_class).parameters else {}
        return learner_class(self.finite_class, **seeded, **self.settings)

    def _linear(self) -> Any:
        self._refuse_anytime()
        made = class_of(self.kind, self.name)(**self.settings)
        made.checked()
        return made

    def _combiner(self) -> Any:
        from inspect import signature

        learner_class = class_of(self.kind, self.name)
        known = signature(learner_class).parameters
        settings = {"loss": self._loss(known["loss"].default), **self.settings}
        self._refuse_loss(settings["loss"])
        if settings["loss"] != "zero-one":
            settings["value_range"] = (0.0, 1.0)
        if "random_state" in known:
            settings["random_state"] = self.arguments.seed
        if "switches" not in known or settings.get("switches") is not None:
            settings = self._tuned(known) | settings
        made = learner_class(**settings)
        made._rules(2)
        return made

    def _loss(self, usual: Any) -> Any:
        """Arms have losses of their own; a vote costs the distance of the forecast from the label."""
        if entry_of(self.arguments.environment).gives == "arms":
            return None
        return usual if usual == "zero-one" or EXPERT_LEARNERS[self.name].info.one_loss else "absolute"

    def _refuse_loss(self, loss: Any) -> None:
        arms = entry_of(self.arguments.environment).gives == "arms"
        if arms and loss not in (None, "table"):
            raise UsageError(f"--set loss={loss}: {self.arguments.environment} tells what the arms lose; leave it out")
        if not arms and loss not in (*OF_VOTES, None, "table"):
            raise UsageError(f"--set loss={loss}: votes are right or wrong; {', '.join(OF_VOTES)} or none is expected")

    def _bandit(self) -> Any:
        from inspect import signature

        learner_class = class_of(self.kind, self.name)
        known = signature(learner_class).parameters
        arms = 2 if learner_class.info.advised else None
        settings = {"n_arms": arms, "seed": self.arguments.seed, **self._tuned(known), **self.settings}
        if "horizon" in known and known["horizon"].default is known["horizon"].empty and "horizon" not in settings:
            raise RegretlessError("horizon is missing")
        if "switches" in known and "horizon" in settings:
            settings.setdefault("switches", min(SWITCHES, self.rounds - 1))
        return learner_class(**settings)

    def _tuned(self, known: Mapping[str, Any]) -> dict[str, Any]:
        """The number of rounds, for a learner that can make use of it and is not tuned otherwise."""
        fixed = any(self.settings.get(name) is not None for name in FIXING) or self.settings.get("epochs") is False
        return {} if self.arguments.anytime or fixed or "horizon" not in known else {"horizon": self.rounds}

    def _refuse_anytime(self) -> None:
        if self.arguments.anytime:
            raise RegretlessError("--anytime is for learners whose rates follow the number of rounds")
