"""The learner and the nature that a command line asks for."""

from __future__ import annotations

import csv
from argparse import Namespace
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from inspect import signature
from typing import TYPE_CHECKING, Any

from ..checks import positive
from ..errors import RegretlessError
from ..meeting.kinds import WORST, Kind, resolve
from ..nature.registry import ELSEWHERE as NOT_WITH
from ..nature.registry import entry_of, make
from .exits import UsageError
from .output import complain
from .parameters import make_learner, read_settings

if TYPE_CHECKING:
    from ..classes.finite_class import FiniteClass
    from ..nature import Environment
    from ..nature.labels import Labels

SWITCHES = 5  # that a learner for changing arms is tuned for, unless the user says
OF_MARGINS = ("aggregating", "ridge")  # combiners of the square loss, which have no other one here
OF_VOTES = ("absolute", "square", "pinball", "log", "zero-one")  # losses of forecasts from 0 to 1
FIXING = ("horizon", "rate", "eta", "beta", "explore", "share")  # with one of them given nothing is tuned any more
ONCE = "the rounds are played once, in the order in which nature has them"
SEEDED = "use --seed"
ELSEWHERE: dict[Kind, dict[str, str]] = {
    "class": {"finite_class": "use --class or --named", "random_state": SEEDED},
    "linear": dict.fromkeys(("passes", "until_clean", "max_passes", "shuffle", "warm_start", "random_state"), ONCE),
    "experts": {
        "n_experts": "nature says how many there are",
        "value_range": "votes and losses lie between 0 and 1",
        "random_state": SEEDED,
    },
    "bandits": {
        "n_arms": "nature says how many there are",
        "arms": "nature names them",
        "n_experts": "nature says how many there are",
        "value_range": "losses lie between 0 and 1",
        "rewards": "nature tells losses",
        "seed": SEEDED,
        "run": "use --runs",
    },
}


@dataclass(frozen=True)
class Pairing:
    """Who meets whom, for how long.

    Attributes
    ----------
    kind : {"class", "linear", "experts", "bandits"}
    learner : object
        One that has played nothing.
    nature : Labels or Environment
    called : str
        Nature's name.
    given : mapping of str to str
        What was set of it.
    rounds : int
    """

    kind: Kind
    learner: Any
    nature: Labels | Environment
    called: str
    given: Mapping[str, str]
    rounds: int


def pairing_of(arguments: Namespace) -> Pairing:
    """Make both.

    Raises
    ------
    UsageError
        If there is no such learner or nature, they have nothing to say to each other, or a parameter has no meaning.
    """
    kind, name = _names(arguments)
    settings = _settings(kind, name, arguments.set)
    given = _given(arguments.given)
    if arguments.nature == WORST:
        learner = _Maker(kind, name, settings, arguments, _finite_class(arguments)).make()
        worst = _worst(learner, given)
        return Pairing(kind, learner, worst, arguments.nature, given, _rounds(arguments, worst))
    nature = _nature(arguments, given)
    rounds = _rounds(arguments, nature)
    finite_class = getattr(nature, "finite_class", None)
    learner = _Maker(kind, name, settings, arguments, finite_class, rounds).make()
    return Pairing(kind, learner, nature, arguments.nature, given, rounds)


def _names(arguments: Namespace) -> tuple[Kind, str]:
    try:
        return resolve(arguments.learner, arguments.nature)
    except RegretlessError as error:
        about = "--nature" if str(error).startswith("there is no nature") else "--learner"
        raise UsageError(f"{about} {error}") from error


def _class_of(kind: Kind, name: str) -> type[Any]:
    if kind == "class":
        from ..classes.learners.registry import class_learner

        return class_learner(name)
    if kind == "linear":
        from ..linear.registry import learner_class

        return learner_class(name)
    if kind == "experts":
        from ..experts.registry import expert_class

        return expert_class(name)
    from ..bandits.registry import bandit_class

    return bandit_class(name)


def _settings(kind: Kind, name: str, given: list[str]) -> dict[str, Any]:
    """What is set of the learner."""
    orders = [text for text in given if kind == "class" and text.partition("=")[0].strip() == "order"]
    found = read_settings(_class_of(kind, name), [text for text in given if text not in orders], ELSEWHERE[kind])
    if not orders:
        return found
    if name != "consistent" or len(orders) > 1:
        raise UsageError(f"--set {orders[-1]}: {name} has no order" if name != "consistent" else "order is set twice")
    names = next(csv.reader([orders[0].partition("=")[2]]), [])
    return found | {"order": [int(one) if one.strip().isdigit() else one.strip() for one in names]}


# Nature.


def _given(texts: list[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for text in texts:
        name, sign, value = text.partition("=")
        name = name.strip().replace("-", "_")
        if not sign:
            raise UsageError(f"--with {text}: give a value, as in {name}=1")
        if name in found:
            raise UsageError(f"--with {text}: {name} is set twice")
        if name in NOT_WITH:
            raise UsageError(f"--with {text}: {name} is set by --{name} or not at all")
        found[name] = value.strip()
    return found


def _nature(arguments: Namespace, given: Mapping[str, str]) -> Labels | Environment:
    entry = entry_of(arguments.nature)
    if not entry.needs_class and (arguments.table is not None or arguments.named is not None):
        option = "--class" if arguments.named is None else "--named"
        raise UsageError(f"{option}: --nature {arguments.nature} is made of no class that one could choose")
    finite_class = _finite_class(arguments) if entry.needs_class else None
    try:
        return make(arguments.nature, given, rounds=arguments.rounds, seed=arguments.seed, finite_class=finite_class)
    except RegretlessError as error:
        raise _about_nature(error, arguments) from error


def _about_nature(error: RegretlessError, arguments: Namespace) -> Exception:
    """The error by the name of the option that it is about."""
    message = str(error)
    end = next((place for place, letter in enumerate(message) if letter in "=:"), len(message))
    name, rest = message[:end].replace("-", "_"), message[end + 1 :]
    if name in ("rounds", "seed"):
        given = getattr(arguments, name)
        return UsageError(f"--{name} is missing:{rest}" if given is None else f"--{name} {rest.strip()}")
    if name.isidentifier() and end < len(message):
        return UsageError(f"--with {message}")
    return error


def _worst(learner: Any, given: Mapping[str, str]) -> Labels:
    """The worst case of a learner; the time to look for it is all that can be set."""
    from ..meeting.worst import WorstCaseLabels

    settings = dict(given)
    text = settings.pop("limit", "none")
    try:
        limit = None if text == "none" else positive("limit", float(text))
    except ValueError:
        raise UsageError(f"--with limit={text}: a number of seconds is expected") from None
    if settings:
        one, value = next(iter(settings.items()))
        raise UsageError(f"--with {one}={value}: {WORST} has no such parameter; it has limit=none")
    return WorstCaseLabels(learner, limit)


def _finite_class(arguments: Namespace) -> FiniteClass:
    """The class that the command line gives.

    Raises
    ------
    UsageError
        If it gives none, or there is none of that name.
    """
    from ..classes.finite_class import FiniteClass

    if arguments.table is None and arguments.named is None:
        raise UsageError(f"--nature {arguments.nature} is made of a finite class: give --class FILE or --named FAMILY")
    if arguments.named is not None:
        try:
            return FiniteClass.named(arguments.named)
        except RegretlessError as error:
            raise UsageError(f"--named {arguments.named}: {error}") from error
    from ..data.class_files import read_class

    file = read_class(arguments.table)
    for note in () if arguments.quiet else file.notes:
        complain(note)
    return FiniteClass(file.matrix, hypotheses=file.hypotheses, points=file.points)


def _rounds(arguments: Namespace, nature: Labels | Environment) -> int:
    most = nature.rounds
    if arguments.rounds is None:
        if most is None:
            raise UsageError(f"--rounds is missing: {arguments.nature} goes on for ever")
        return most
    if most is not None and arguments.rounds > most:
        raise UsageError(f"--rounds {arguments.rounds}: {arguments.nature} has {most:,}")
    return int(arguments.rounds)


# The learner.


@dataclass(frozen=True)
class _Maker:
    """Makes the learner for this nature and so many rounds."""

    kind: Kind
    name: str
    settings: Mapping[str, Any]
    arguments: Namespace
    finite_class: FiniteClass | None
    rounds: int = 0

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
            raise UsageError(self._about(str(error))) from error

    def _about(self, message: str) -> str:
        """What is wrong with a parameter, by the name that it has on the command line."""
        name, found, rest = message.partition("=")
        if found and name in self.settings:
            return f"--set {name}={rest}"
        if self.arguments.anytime and "horizon" in message:
            return f"--anytime: {self.name} has to be told how many rounds there will be, or how fast to learn"
        return f"--learner {self.name}: {message}"

    def _of_class(self) -> Any:
        self._refuse_anytime()
        found = _class_of(self.kind, self.name)
        seeded = {"random_state": self.arguments.seed} if "random_state" in signature(found).parameters else {}
        return found(self.finite_class, **seeded, **self.settings)

    def _linear(self) -> Any:
        self._refuse_anytime()
        return make_learner(_class_of(self.kind, self.name), dict(self.settings))

    def _combiner(self) -> Any:
        found = _class_of(self.kind, self.name)
        known = signature(found).parameters
        settings = {"loss": self._loss(known["loss"].default), **self.settings}
        self._refuse_loss(settings["loss"])
        if settings["loss"] != "zero-one":
            settings["value_range"] = (0.0, 1.0)
        if "random_state" in known:
            settings["random_state"] = self.arguments.seed
        if "switches" not in known or settings.get("switches") is not None:
            settings = self._tuned(known) | settings
        made = found(**settings)
        made._rules(2)
        return made

    def _loss(self, usual: Any) -> Any:
        """Of arms the losses are told; a vote costs the distance of the forecast from the label."""
        if entry_of(self.arguments.nature).gives == "arms":
            return None
        return usual if usual == "zero-one" or self.name in OF_MARGINS else "absolute"

    def _refuse_loss(self, loss: Any) -> None:
        arms = entry_of(self.arguments.nature).gives == "arms"
        if arms and loss not in (None, "table"):
            raise UsageError(f"--set loss={loss}: {self.arguments.nature} tells what the arms lose; leave it out")
        if not arms and loss not in (*OF_VOTES, None, "table"):
            raise UsageError(f"--set loss={loss}: votes are right or wrong; {', '.join(OF_VOTES)} or none is expected")

    def _bandit(self) -> Any:
        found = _class_of(self.kind, self.name)
        known = signature(found).parameters
        arms = 2 if found.advised else None
        settings = {"n_arms": arms, "seed": self.arguments.seed, **self._tuned(known), **self.settings}
        if "horizon" in known and known["horizon"].default is known["horizon"].empty and "horizon" not in settings:
            raise RegretlessError("horizon is missing")
        if "switches" in known and "horizon" in settings:
            settings.setdefault("switches", min(SWITCHES, self.rounds - 1))
        return found(**settings)

    def _tuned(self, known: Mapping[str, Any]) -> dict[str, Any]:
        """The number of rounds, for a learner that can make use of it and is not tuned otherwise."""
        fixed = any(self.settings.get(name) is not None for name in FIXING)
        return {} if self.arguments.anytime or fixed or "horizon" not in known else {"horizon": self.rounds}

    def _refuse_anytime(self) -> None:
        if self.arguments.anytime:
            raise RegretlessError("--anytime is for learners whose rates follow the number of rounds")
