"""A bandit against an environment: all runs together; and one by one where experts advise it which label to draw."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..bandits.certificates import certificates
from ..bandits.simulation import Pulls, simulate
from ..bandits.simulation.runner import MOST_REALISED, processors
from ..bandits.simulation.statistics import MOST_LEDGERS
from ..comparator import BanditComparator
from ..environments import Environment, Stochastic
from ..environments.labels import Labels
from ..errors import RegretlessError
from .player import CurvePoint, LabelPlayer
from .result import CheckedLowerBound, PlayResult, check_lower_bound

if TYPE_CHECKING:
    from ..bandits.base import Bandit
    from ..certificate import Certificate, Certificates
    from ..environments.lower_bounds import LearnerDescription, LowerBound
    from ..ledger import BanditLedger

Array = np.ndarray[Any, Any]
CURVES = ("losses", "regrets", "loss_curve", "regret_curve")
FEWEST = 16  # runs that are played together, so that no processor has to wait for long
FEW_ARMS = 16  # whose losses are always compared


def play_arms(
    learner: Bandit,
    environment: Labels | Environment,
    rounds: int,
    marks: Sequence[int],
    opposed: LearnerDescription,
    *,
    runs: int,
    first: int,
    on_rounds: Callable[[int], None],
    stop: Callable[[], bool],
) -> PlayResult:
    """Some runs; if `stop` ends the first one early, as much of it as was played."""
    world = environment.as_losses() if isinstance(environment, Labels) else environment
    progress, joined = _Progress(on_rounds), Joined()
    for numbers in _together(world, rounds, range(first, first + runs)):
        try:
            joined.add(_some(learner, world, rounds, marks, numbers, progress, stop))
        except RegretlessError:
            if not (stop() and (joined.runs or progress.rounds)):
                raise
        if stop():
            break
    if not joined.runs:
        # A run that is not over has no ledger; about as many rounds as it had, of those of all, are played again.
        played = min(rounds - 1, max(1, progress.rounds // min(runs, processors() if world.oblivious else 1)))
        again = [mark for mark in marks if mark < played]
        joined.add(simulate(learner, world, rounds=played, first=first, marks=[*again, played]))
    return _result(joined, environment, opposed, joined.runs < runs or joined.rounds < rounds)


def _some(
    learner: Bandit,
    world: Environment,
    rounds: int,
    marks: Sequence[int],
    numbers: range,
    progress: _Progress,
    stop: Callable[[], bool],
) -> Pulls:
    progress.begin()
    many, first = len(numbers), numbers[0]
    return simulate(learner, world, rounds=rounds, runs=many, first=first, marks=marks, on_rounds=progress, stop=stop)


def _together(world: Environment, rounds: int, numbers: range) -> list[range]:
    """The runs in as many parts as it takes to compare the losses of each one.

    Losses by chance are made once more to be compared, if those of all runs that are asked for together are not too
    many. With few arms that takes a few times as long as to play, and is done in any case: what is certified of a run
    does not depend on how many were asked for, nor on how many were over at a stop. More arms are left to `simulate`.
    """
    cells = rounds * world.arms
    step = MOST_REALISED // cells
    if not isinstance(world, Stochastic) or world.alike or world.arms > FEW_ARMS or step < FEWEST:
        return [numbers]
    return [numbers[place : place + step] for place in range(0, len(numbers), step)]


class _Progress:
    """Counts the rounds that were played, and reports them."""

    def __init__(self, on_rounds: Callable[[int], None]) -> None:
        self._on_rounds, self._before, self.rounds = on_rounds, 0, 0

    def begin(self) -> None:
        """More runs begin, whose rounds are counted from 0."""
        self._before = self.rounds

    def __call__(self, rounds: int) -> None:
        self.rounds = self._before + rounds
        self._on_rounds(self.rounds)


class Joined:
    """Runs of one learner in one environment that were played in parts."""

    def __init__(self) -> None:
        self.runs, self.seconds = 0, 0.0
        self._curves: dict[str, list[Array]] = {name: [] for name in CURVES}
        self._ledgers: list[BanditLedger] = []
        self._compared: list[list[BanditComparator]] = []

    def add(self, part: Pulls) -> None:
        """Some more runs."""
        if not self.runs:
            self._first = part
        self.runs += part.runs
        self.seconds += part.seconds
        for name, curve in self._curves.items():
            curve.append(getattr(part, name))
        room = MOST_LEDGERS - len(self._ledgers)
        if part is not self._first and room > 0:
            self._keep(part, room)

    def _keep(self, part: Pulls, room: int) -> None:
        if not self._ledgers:
            self._ledgers += self._first.ledgers
            self._compared += self._first.comparators()
            room -= len(self._ledgers)
        self._ledgers += part.ledgers[: max(room, 0)]
        self._compared += part.comparators()[: max(room, 0)]

    @property
    def learner(self) -> Bandit:
        """As the user made it."""
        return self._first.learner

    @property
    def rounds(self) -> int:
        """Of each run."""
        return self._first.rounds

    @property
    def marks(self) -> Array:
        """Numbers of rounds at which curves have their points."""
        return self._first.marks

    def all(self, name: str) -> Array:
        """Losses or regrets of all runs, or their curves."""
        return np.concatenate(self._curves[name])

    def certificates(self) -> Certificates:
        """What the theorems say of all runs whose ledgers are there."""
        if not self._ledgers:
            return self._first.certificates()
        # Of several parts all losses are by chance, no arm sleeps, and each run is compared with its own best arm.
        return certificates(self.learner.theorems, self._first.stands, self._ledgers, self._compared)


def _result(pulls: Joined, environment: Any, opposed: LearnerDescription, stopped: bool) -> PlayResult:
    losses, regrets = pulls.all("losses"), pulls.all("regrets")
    quantities = {"loss": losses, "regret": regrets}
    if isinstance(environment, Labels):
        quantities |= {"mistakes": losses, "regret in mistakes": regrets}
    return PlayResult(
        kind="bandits",
        learner=pulls.learner,
        environment=environment,
        rounds=pulls.rounds,
        runs=pulls.runs,
        counts="loss",
        more="",
        curve=_curve(pulls),
        totals=losses,
        quantities=quantities,
        certificates=pulls.certificates(),
        opposed=opposed,
        lower_bounds=[_read(one, quantities) for one in environment.lower_bounds(pulls.rounds, opposed)],
        seconds=pulls.seconds,
        stopped=stopped,
    )


def _read(bound: LowerBound, quantities: dict[str, Array]) -> CheckedLowerBound:
    """What a bandit loses is drawn: of what is expected its mean over the runs is seen, and nothing of a single run."""
    if bound.quantity.startswith("expected "):
        bound = replace(bound, quantity=bound.quantity.removeprefix("expected "), kind="expected")
    return check_lower_bound(bound, quantities)


def _curve(pulls: Joined) -> list[CurvePoint]:
    losses, regrets = pulls.all("loss_curve").mean(0), pulls.all("regret_curve").mean(0)
    return [
        CurvePoint(mark, loss, loss - regret if np.isfinite(regret) else None)
        for mark, loss, regret in zip(pulls.marks.tolist(), losses.tolist(), regrets.tolist(), strict=True)
    ]


def replayed(learner: Bandit, environment: Labels | Environment, rounds: int, run: int) -> Bandit:
    """The learner as a run has left it: its draws depend on its seed and the number of the run alone."""
    twin = learner
    for after, *_ in drawn(learner, environment, rounds, run):
        twin = after
    return twin


def drawn(
    learner: Bandit, environment: Labels | Environment, rounds: int, run: int, advice: Array | None = None
) -> Iterator[tuple[Bandit, str, float, float]]:
    """The rounds of a run, one at a time: the learner after it, the arm, with what probability, and what it lost.

    `advice` is what experts say in each round, to a learner that goes by them.
    """
    world = environment.as_losses() if isinstance(environment, Labels) else environment
    twin = learner.clone(seed=learner.seed_, run=run, n_arms=world.arms)
    opponent = world.begin(run)
    for place in range(rounds):
        losses = opponent.losses(twin.probabilities() if getattr(world, "foresees", False) else None)
        awake = None if not np.isnan(losses).any() else ~np.isnan(losses)
        draw = twin.draw(awake) if advice is None else twin.draw(awake, advice[place])
        twin.update(draw, losses if twin.info.informed else float(losses[int(draw)]))
        opponent.see(int(draw))
        yield twin, world.names[int(draw)], float(draw.probability), float(losses[int(draw)])


class AdvisedPlayer(LabelPlayer):
    """Exp4 with the labels -1 and 1 for arms, of which every column names one.

    Parameters
    ----------
    learner : Bandit
        Of two arms.
    environment : Labels
        One with votes.
    run : int
    """

    counts = "loss"
    deterministic = False

    def __init__(self, learner: Bandit, environment: Labels, run: int) -> None:
        if not environment.votes:
            raise RegretlessError(f"the rows of {environment.name} are no votes, and {learner.name} goes by experts")
        self.learner = learner
        learner._begin(2, environment.columns)
        super().__init__(environment, run)

    @property
    def blocks(self) -> bool:
        """Draws are seen one by one."""
        return False

    def predict(self, row: Array, point: int | None) -> tuple[int, float | None]:
        """Draw a label."""
        self._drawn = self.learner.draw(advice=((row + 1) / 2).astype(np.int64))
        chance = self._drawn.probability
        self._chance = chance if int(self._drawn) else 1 - chance
        return (1 if self._chance >= 0.5 else -1), self._chance

    def update(self, row: Array, label: int) -> tuple[int, float]:
        """Let the learner learn whether it was right."""
        truth = (label + 1) // 2
        wrong = int(int(self._drawn) != truth)
        self.learner.update(self._drawn, float(wrong))
        return wrong, abs(self._chance - truth)

    def play_block(self, rows: Array, points: Array | None, labels: Array) -> tuple[int, float]:
        """There are no blocks of draws."""
        raise AssertionError

    def point(self) -> CurvePoint:
        """The loss, and that of the best expert."""
        return CurvePoint(self.rounds, float(self.learner.ledger_.loss), self.tally.best)

    def observed(self) -> dict[str, float]:
        """Its loss is its mistakes."""
        sums = super().observed()
        return sums | {"loss": sums["mistakes"]}

    def certificates(self) -> list[Certificate]:
        """Those of the learner, with the regret, which the environment alone can see."""
        return together([self])


def together(players: Sequence[AdvisedPlayer]) -> list[Certificate]:
    """What the theorems say of some runs of one learner."""
    first = players[0]
    stands = replace(first.learner.facts(), oblivious=first.environment.oblivious)
    ledgers = [player.learner.ledger_ for player in players]
    return certificates(first.learner.theorems, stands, ledgers, [[_best(player)] for player in players])


def _best(player: AdvisedPlayer) -> BanditComparator:
    """The expert who erred least."""
    place, ledger = player.tally.leader, player.learner.ledger_
    assert place is not None
    name = str(place) if player.environment.names is None else player.environment.names[place]
    lost = float(player.tally.best or 0)
    details = {"expert": name}
    return BanditComparator(
        "best_expert", f"best expert {name}", lost, ledger.loss, ledger.rounds, place, detail=details
    )
