"""Any learner of the library against any environment that makes sense for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any

import numpy as np

from ..bandits.base import Bandit
from ..catalogue import Kind
from ..certificate import Certificates
from ..checks import whole
from ..environments import Environment
from ..environments.labels import Labels
from ..environments.lower_bounds import LearnerDescription
from ..environments.stochastic import key_of_run
from ..errors import RegretlessError
from ..experts.base import ExpertLearner
from ..finite_classes.learners.base import ClassLearner
from ..linear.base import OnlineClassifier
from .player import CurvePoint, Player
from .players import ArmsPlayer, ClassPlayer, ExpertPlayer, LinearPlayer
from .result import PlayResult, called, check_lower_bound, joined, mean_point

OnPoint = Callable[[CurvePoint], None]
SEEDS = 2**63 - 1


def play(
    learner: Any,
    environment: Labels | Environment,
    rounds: int | None = None,
    *,
    runs: int = 1,
    first: int = 0,
    marks: Sequence[int] | None = None,
    on_point: Callable[[CurvePoint], None] | None = None,
    on_rounds: Callable[[int], None] | None = None,
    stop: Callable[[], bool] | None = None,
) -> PlayResult:
    """Let a learner play against an environment, and read its theorems beside the lower bounds of the environment.

    The learner itself is left as it is: every run begins with a new one that has its parameters. What a run is depends
    on the seeds and on its own number alone, not on how many there are.

    Parameters
    ----------
    learner : ClassLearner, OnlineClassifier, ExpertLearner or Bandit
    environment : Labels or Environment
        Class learners play points of their own class, linear learners rows, combiners and bandits votes (each
        hypothesis is an expert, or an arm) and losses.
    rounds : int, optional
        By default all that the environment has, or those in which it forces something.
    runs : int
    first : int
        Number of the first run.
    marks : sequence of int, optional
        Round counts after which it is noted how things stand; by default 1, 2, 4, ... The last round always is one.
    on_point : callable, optional
        Called with the counts at the marks of the first run; of bandits, whose runs are played together,
        when all is over.
    on_rounds : callable, optional
        Called now and then with the number of rounds that have been played, of all runs.
    stop : callable, optional
        Called now and then; true ends the run. What was played by then is returned; of a linear learner without
        certificates if the rows have more than a million numbers, for they would have to be read several times more.

    Returns
    -------
    PlayResult

    Raises
    ------
    RegretlessError
        If the learner cannot play against this environment, or `stop` was true before there was a round.

    Examples
    --------
    >>> from regretless.finite_classes import FiniteClass, StandardOptimal
    >>> from regretless.environments import ShatteredTree
    >>> thresholds = FiniteClass.named("thresholds:7")
    >>> result = play(StandardOptimal(thresholds), ShatteredTree(thresholds), 10)
    >>> result.count
    3.0
    """
    length = environment.length(environment.default_rounds if rounds is None else rounds)
    whole("runs", runs)
    report, halt, point = on_rounds or _nothing, stop or (lambda: False), on_point or _nothing
    kind = kind_of(learner)
    stops = doubling(length) if marks is None else sorted({*(mark for mark in marks if 0 < mark < length), length})
    if isinstance(learner, Bandit) and not learner.info.advised:
        from .bandits import play_arms

        opposed = LearnerDescription(kind, learner.name, False, learner.get_params())
        result = play_arms(
            learner, environment, length, stops, opposed, runs=runs, first=first, on_rounds=report, stop=halt
        )
        for mark in result.curve:
            point(mark)
        return result
    return _Runs(learner, environment, stops, report, halt).play(range(first, first + runs), point)


def doubling(rounds: int) -> list[int]:
    """1, 2, 4, ... and the last round."""
    return [*(1 << power for power in range(rounds.bit_length()) if 1 << power < rounds), rounds]


def _nothing(_: object) -> None:
    """No callback."""


def kind_of(learner: Any) -> Kind:
    """Which chapter of the library a learner is of.

    Raises
    ------
    RegretlessError
        If it is of none.
    """
    known: tuple[tuple[type, Kind], ...] = (
        (ClassLearner, "class"),
        (OnlineClassifier, "linear"),
        (ExpertLearner, "experts"),
        (Bandit, "bandits"),
    )
    for base, kind in known:
        if isinstance(learner, base):
            return kind
    raise RegretlessError(f"{type(learner).__name__} is no learner of this library")


class _Runs:
    """Runs that are played one after the other."""

    def __init__(
        self,
        learner: Any,
        environment: Labels | Environment,
        marks: list[int],
        report: Callable[[int], None],
        halt: Callable[[], bool],
    ) -> None:
        self._learner, self._environment, self._marks = learner, environment, marks
        self._report, self._halt = report, halt
        self._played = 0

    def play(self, numbers: range, on_point: OnPoint) -> PlayResult:
        begun = perf_counter()
        players: list[Player] = []
        curves: list[list[CurvePoint]] = []
        for number in numbers:
            player = player_of(again(self._learner, number), self._environment, number)
            curve = self._one(player, on_point if not players else _nothing)
            if players and player.rounds < self._marks[-1]:
                break  # of several runs those count that are over
            players.append(player)
            curves.append(curve)
            if self._halt():
                break
        if not players[0].rounds:
            raise RegretlessError("stopped before the first round")
        return self._result(players, curves, perf_counter() - begun, len(players) < len(numbers))

    def _one(self, player: Player, on_point: OnPoint) -> list[CurvePoint]:
        curve: list[CurvePoint] = []
        for mark in self._marks:
            while player.rounds < mark and not self._halt():
                before = player.rounds
                self._play(player, mark - before)
                self._played += player.rounds - before
                self._report(self._played)
            if not curve or player.rounds > curve[-1].rounds:
                curve.append(player.point())
                on_point(curve[-1])
        return curve

    def _play(self, player: Player, rounds: int) -> None:
        before = player.rounds
        try:
            player.play(rounds)
        except RegretlessError as error:
            rounds = max(before, player.rounds)
            raise RegretlessError(f"{called(self._environment)}, after {rounds:,} rounds: {error}") from error

    def _result(self, players: list[Player], curves: list[list[CurvePoint]], seconds: float, fewer: bool) -> PlayResult:
        first, each = players[0], [player.observed() for player in players]
        quantities = {name: np.array([one[name] for one in each]) for name in each[0]}
        learner, kind = first.learner, kind_of(first.learner)
        opposed = LearnerDescription(kind, learner.name, deterministic(first), learner.get_params())
        return PlayResult(
            kind=kind,
            learner=learner,
            environment=self._environment,
            rounds=first.rounds,
            runs=len(players),
            counts=first.counts,
            more=first.more,
            curve=[mean_point(list(alike)) for alike in zip(*curves, strict=True)],
            totals=np.array([curve[-1].count for curve in curves]),
            quantities=quantities,
            certificates=Certificates(
                [] if self._halt() and any(player.is_long for player in players) else certified(players)
            ),
            lower_bounds=[
                check_lower_bound(one, quantities) for one in self._environment.lower_bounds(first.rounds, opposed)
            ],
            opposed=opposed,
            seconds=seconds,
            stopped=fewer or first.rounds < self._marks[-1],
        )


def certified(players: list[Player]) -> list[Any]:
    """What the theorems say of all runs together."""
    if kind_of(players[0].learner) == "bandits":
        from .bandits import AdvisedPlayer, together

        return together([player for player in players if isinstance(player, AdvisedPlayer)])
    if len(players) == 1:
        return players[0].certificates()
    return joined([player.cheaply() for player in players], [player.certificates for player in players])


def again(learner: Any, run: int) -> Any:
    """A new learner with the same parameters, for a run."""
    if isinstance(learner, OnlineClassifier):
        return type(learner)(**learner.get_params())
    if isinstance(learner, Bandit):
        return learner.clone(seed=learner.seed_, run=run)
    own = getattr(learner, "random_state", None)
    if run and own is not None and hasattr(own, "__index__"):  # that of run 0 stays what it is
        return learner.clone(random_state=key_of_run(int(own), run) & SEEDS)
    return learner.clone()


def player_of(learner: Any, environment: Labels | Environment, run: int) -> Player:
    """The player of a run.

    Raises
    ------
    RegretlessError
        If such a learner cannot play against such an environment.
    """
    kind = kind_of(learner)
    if isinstance(environment, Environment):
        if kind != "experts":
            raise RegretlessError(f"{learner.name} cannot play against {called(environment)}, which has losses of arms")
        return ArmsPlayer(learner, environment, run)
    if kind == "class":
        return ClassPlayer(learner, environment, run)
    if kind == "linear":
        return LinearPlayer(learner, environment, run)
    if kind == "experts":
        return ExpertPlayer(learner, environment, run)
    from .bandits import AdvisedPlayer

    return AdvisedPlayer(learner, environment, run)


def deterministic(player: Player) -> bool:
    """Whether its predictions are a function of what it saw."""
    return bool(getattr(player, "deterministic", True))
