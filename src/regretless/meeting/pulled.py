"""A bandit against a nature: all runs together, by the loop that is made for them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..bandits.simulation import Pulls, simulate
from ..errors import RegretlessError
from ..nature import Environment, promises_of
from ..nature.labels import Labels
from .outcome import Meeting
from .player import Point
from .promised import Kept, beside

if TYPE_CHECKING:
    from ..bandits.base import Bandit
    from ..nature.promises import Opposed, Promise

Array = np.ndarray[Any, Any]


def meet_arms(
    learner: Bandit,
    nature: Labels | Environment,
    rounds: int,
    marks: Sequence[int],
    opposed: Opposed,
    *,
    runs: int,
    first: int,
    on_rounds: Callable[[int], None],
    stop: Callable[[], bool],
) -> Meeting:
    """Some runs; if somebody wishes to stop before the first is over, as much of it as was played."""
    world = nature.as_losses() if isinstance(nature, Labels) else nature
    heard = _Heard(on_rounds)
    try:
        pulls = simulate(learner, world, rounds=rounds, runs=runs, first=first, marks=marks, on_rounds=heard, stop=stop)
    except RegretlessError:
        played = heard.rounds // runs
        if not (stop() and played):
            raise
        # A run that is not over has no books; the rounds that were played are played again.
        again = [mark for mark in marks if mark < played]
        pulls = simulate(learner, world, rounds=played, first=first, marks=[*again, played])
    stopped = pulls.runs < runs or pulls.rounds < rounds
    return _told(pulls, nature, opposed, stopped)


class _Heard:
    """Remembers how many rounds were played."""

    def __init__(self, tell: Callable[[int], None]) -> None:
        self._tell, self.rounds = tell, 0

    def __call__(self, rounds: int) -> None:
        self.rounds = rounds
        self._tell(rounds)


def _told(pulls: Pulls, nature: Any, opposed: Opposed, stopped: bool) -> Meeting:
    losses, regrets = pulls.losses, pulls.regrets
    quantities = {"loss": losses, "expected loss": losses, "regret": regrets, "expected regret": regrets}
    if isinstance(nature, Labels):
        quantities |= {"mistakes": losses, "expected mistakes": losses}
    return Meeting(
        kind="bandits",
        learner=pulls.learner,
        nature=nature,
        rounds=pulls.rounds,
        runs=pulls.runs,
        counts="loss",
        more="",
        curve=_curve(pulls),
        totals=losses,
        quantities=quantities,
        certificates=pulls.certificates(),
        promises=[_read(one, quantities) for one in promises_of(nature, pulls.rounds, opposed)],
        seconds=pulls.seconds,
        stopped=stopped,
    )


def _read(promise: Promise, quantities: dict[str, Array]) -> Kept:
    """What a bandit loses is drawn, so that no promise about what is expected can be read on a single run."""
    if promise.quantity.startswith("expected"):
        promise = replace(promise, kind="expected")
    return beside(promise, quantities)


def _curve(pulls: Pulls) -> list[Point]:
    losses, regrets = pulls.loss_curve.mean(0), pulls.regret_curve.mean(0)
    return [
        Point(mark, loss, loss - regret if np.isfinite(regret) else None)
        for mark, loss, regret in zip(pulls.marks.tolist(), losses.tolist(), regrets.tolist(), strict=True)
    ]


def replayed(learner: Bandit, nature: Labels | Environment, rounds: int, run: int) -> Bandit:
    """The learner as a run has left it: its draws depend on its seed and the number of the run alone."""
    world = nature.as_losses() if isinstance(nature, Labels) else nature
    found = learner.clone(seed=learner.seed_, run=run, n_arms=world.arms)
    opponent = world.begin(run)
    for _ in range(rounds):
        losses = opponent.losses(found.probabilities() if getattr(world, "foresees", False) else None)
        drawn = found.draw(None if not np.isnan(losses).any() else ~np.isnan(losses))
        found.update(drawn, losses if found.sees_all else float(losses[int(drawn)]))
        opponent.see(int(drawn))
    return found
