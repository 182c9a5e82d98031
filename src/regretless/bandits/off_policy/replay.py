"""Policies that go along a log: a fixed one, and a learner that plays where its own draw is the log's."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from ...data.logged import Log

if TYPE_CHECKING:
    from ..base import Bandit

Array = np.ndarray[Any, Any]
Waiting = tuple[list[int], list[int]]

EQUAL = 1 - 1e-9  # so that propensities that differ by their rounding alone are not thinned
THINNING = 0x7265706C  # keeps the coins that thin a log apart from all draws of a learner


class Walker(Protocol):
    """A policy that goes along a log."""

    learners: list[Bandit]
    largest: float
    """What no weight can exceed."""
    support: float
    """The probability with which the policy does what the log ever did, which is the mean of its weights."""
    notes: list[str]

    def block(self, begin: int, end: int) -> tuple[Array, Array]:
        """The policy's probabilities in these rounds, as the mean over the runs, and in how many it accepted each."""

    def finish(self) -> None:
        """The log is at its end."""


class Fixed:
    """A policy that never changes."""

    def __init__(self, log: Log, table: Array, runs: int, seed: int) -> None:
        self._log, self._table, self._runs = log, table, runs
        self._generator = np.random.default_rng([THINNING, seed])
        self._most = float((table[log.contexts, log.actions] / log.propensities).max())
        self.largest = float(table.max() / log.least)
        self.learners: list[Bandit] = []
        self.support, self.notes = 1.0, []
        if lost := self._unlogged():
            self.support -= lost
            worst = log.value_range[1] if log.losses else log.value_range[0]
            self.notes = [
                f"with probability {lost:.3g} the policy takes an action that the log never took: ips counts the worst "
                f"value of the range for it, {worst:g}; replay and snips leave it out, and dr guesses the mean"
            ]

    def _unlogged(self) -> float:
        """How probable it is that the policy does what the log never did."""
        log, shape = self._log, self._table.shape
        cells = log.contexts.astype(np.int64) * shape[1] + log.actions
        never = np.bincount(cells, minlength=self._table.size).reshape(shape) == 0
        shares = np.bincount(log.contexts, minlength=shape[0]) / len(log)
        return float(shares @ np.where(never, self._table, 0).sum(axis=1))

    def block(self, begin: int, end: int) -> tuple[Array, Array]:
        """Accept each round with a probability in proportion to its weight."""
        log, here = self._log, slice(begin, end)
        chances = self._table[log.contexts[here]]
        weights = chances[np.arange(end - begin), log.actions[here]] / log.propensities[here]
        odds = weights / self._most if self._most else weights
        return chances, self._generator.binomial(self._runs, np.minimum(odds, 1.0))

    def finish(self) -> None:
        """Nothing is left open."""


class Replays:
    """Several runs of a learner, each on its own."""

    def __init__(self, log: Log, learner: Bandit, runs: int) -> None:
        self.learners = [learner.clone(seed=learner.seed_, run=learner.run + run) for run in range(runs)]
        self._log = log
        rewards = log.rewards.tolist()
        self._even = bool(log.least >= EQUAL * log.propensities.max())
        self._runs = [_Replay(log, one, rewards, thins=not self._even) for one in self.learners]
        self.largest, self.support = 1 / log.least, 1.0
        self.notes = []
        if not self._even:
            about = f"about {len(log) * log.least:,.3g} of {len(log):,} rounds can be replayed"
            self.notes.append(f"the least propensity is {log.least:g}, so that {about}")

    def block(self, begin: int, end: int) -> tuple[Array, Array]:
        """Play every run to `end`."""
        total = np.zeros((end - begin, len(self._log.names)))
        taken = np.zeros(end - begin)
        alike = self._runs[0].waiting(begin, end) if self._even else None
        for run in self._runs:
            run.play(begin, end, alike or run.waiting(begin, end), total, taken)
        return total / len(self._runs), taken

    def finish(self) -> None:
        """Take back the draws that the log had no round for."""
        for run in self._runs:
            run.take_back()


class _Replay:
    """One run: the learner holds an arm until the log draws it too."""

    def __init__(self, log: Log, learner: Bandit, rewards: list[float], *, thins: bool) -> None:
        self._log, self._learner, self._core, self._rewards = log, learner, learner.bare(), rewards
        key = [THINNING, learner.seed_, int(learner.run)]
        self._coins = np.random.default_rng(key) if thins else None
        self._before: dict[str, Array] | None = None
        self._chances: Array = self._core.probabilities()
        self._held = -1

    def waiting(self, begin: int, end: int) -> Waiting:
        """The rounds that remain, by key: arm * length + place in the block, in order; and each arm's last place."""
        log, length = self._log, end - begin
        actions = log.actions[begin:end].astype(np.int64)
        places = np.arange(length)
        if self._coins is not None:
            accepted = self._coins.random(length) * log.propensities[begin:end] < log.least
            actions, places = actions[accepted], places[accepted]
        last = np.full(len(log.names), -1)
        last[actions] = places  # the last of several stays
        return np.sort(actions * length + places).tolist(), last.tolist()

    def play(self, begin: int, end: int, waiting: Waiting, total: Array, taken: Array) -> None:
        """Play the rounds from begin to end; adds the probabilities in each to `total`, and counts those accepted."""
        (keys, last), length = waiting, end - begin
        core, rewards = self._core, self._rewards
        rows, accepted = [self._chances], []
        safe, place = min(last), 0  # up to `safe` every arm comes once more
        while True:
            if self._held < 0:
                if place > safe:
                    self._before = {name: array.copy() for name, array in self._learner._known().arrays().items()}
                self._held = core.draw()
            key = self._held * length
            place_of_key = bisect_left(keys, key + place)
            if last[self._held] < place:
                break
            at = keys[place_of_key] - key
            core.update(self._held, rewards[begin + at])
            self._held = -1
            accepted.append(at)
            place = at + 1
            rows.append(core.probabilities())
        self._chances = rows[-1]
        taken[accepted] += 1
        each = np.diff([0, *(at + 1 for at in accepted), length])
        total += np.repeat(np.array(rows), each, axis=0)

    def take_back(self) -> None:
        """Forget a draw whose arm did not come again."""
        if self._before is not None:
            self._learner._known().adopt(self._before)
