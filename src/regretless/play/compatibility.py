"""Which learners can play in which environments, decided by names, before anything is loaded."""

from __future__ import annotations

from collections.abc import Iterator

from ..catalogue import BANDITS, CLASS_LEARNERS, EXPERT_LEARNERS, TABLES, Kind
from ..environments.registry import ENVIRONMENTS, WORST, entry_of
from ..errors import RegretlessError, did_you_mean

PREFIXES = {
    "classes": "class",
    "linear": "linear",
    "regression": "regression",
    "experts": "experts",
    "bandits": "bandits",
    "contextual": "contextual",
}
GIVES = {
    "class": ("points",),
    "linear": ("points", "votes", "rows"),
    "regression": (),
    "experts": ("points", "votes", "arms"),
    "bandits": ("points", "votes", "arms"),
    "contextual": (),
}
TAKES = {
    "class": "it learns the points of a finite class",
    "linear": "it learns rows and their labels",
    "regression": "it learns rows and numbers, which no environment gives",
    "experts": "it combines votes, or the losses of arms",
    "bandits": "it draws arms, or follows votes",
    "contextual": "it draws arms by features, which no environment gives",
}
# By what else it is taken, if no environment gives anything to it.
TAKEN_BY = {"regression": "regretless learn takes it", "contextual": "its play() takes a table"}
OF_VOTES = "it combines votes"


def fits(kind: Kind, learner: str, environment: str) -> bool:
    """Whether such a learner can play against such an environment."""
    if environment == WORST:
        return kind == "class" and not CLASS_LEARNERS[learner].info.draws
    entry = entry_of(environment)
    if entry.gives not in GIVES[kind] or (entry.gives == "arms" and _of_labels(kind, learner)):
        return False
    return not entry.watches_draws or kind == "bandits" or _follows(kind, learner)


def _of_labels(kind: Kind, learner: str) -> bool:
    """Whether it needs votes: bare losses are nothing to it."""
    if kind == "experts":
        return bool(EXPERT_LEARNERS[learner].info.forecasts)
    return kind == "bandits" and bool(BANDITS[learner].info.advised)


def _follows(kind: Kind, learner: str) -> bool:
    """Whether it combines experts by drawing one of them."""
    return kind == "experts" and bool(EXPERT_LEARNERS[learner].info.draws)


def environments_for(kind: Kind, learner: str) -> list[str]:
    """The environments that it can play against."""
    return [environment for environment in (*ENVIRONMENTS, WORST) if fits(kind, learner, environment)]


def resolve(learner: str, environment: str) -> tuple[Kind, str]:
    """The table and the name of a learner: of several of one name, the first that can play against the environment.

    Parameters
    ----------
    learner : str
        A name, or one with its table before it, as in ``bandits.hedge``.
    environment : str

    Raises
    ------
    RegretlessError
        If there is none, or it cannot play against this environment: the message names those that it can.
    """
    if environment not in (*ENVIRONMENTS, WORST):
        raise RegretlessError(
            f"there is no environment called {environment!r}; {_known(environment, (*ENVIRONMENTS, WORST))}"
        )
    candidates = list(_called(learner))
    if not candidates:
        known = dict.fromkeys(name for kind, names in TABLES.items() if GIVES[kind] for name in names)
        raise RegretlessError(f"there is no learner called {learner!r}; {_known(learner, tuple(known))}")
    for kind, name in candidates:
        if fits(kind, name, environment):
            return kind, name
    kind, name = candidates[0]
    can = environments_for(kind, name)
    advice = f"it can play against {', '.join(can)}" if can else TAKEN_BY[kind]
    raise RegretlessError(f"{learner} cannot play against {environment}: {_why_not(kind, name, environment)}; {advice}")


def _known(name: str, names: tuple[str, ...]) -> str:
    """What there is, the names first that are nearly this one."""
    return f"{did_you_mean(name.rpartition('.')[2], names)}there are: {', '.join(names)}"


def _why_not(kind: Kind, name: str, environment: str) -> str:
    if environment == WORST:
        return "it draws its labels" if kind == "class" else "this is about learners of finite classes"
    entry = entry_of(environment)
    if entry.watches_draws and entry.gives in GIVES[kind] and not _of_labels(kind, name):
        return "it draws none of the arms, and this environment watches the draws"
    return OF_VOTES if _of_labels(kind, name) else TAKES[kind]


def _called(learner: str) -> Iterator[tuple[Kind, str]]:
    table, dot, name = learner.rpartition(".")
    for kind, names in TABLES.items():
        if dot and PREFIXES.get(table) != kind:
            continue
        if name in names:
            yield kind, name
