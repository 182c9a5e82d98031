"""Policies that go along a log: those that never learn, as a user states them, and learners that are replayed."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from ...data.logged import Log
from ...errors import RegretlessError

if TYPE_CHECKING:
    from ..base import Bandit


SHOWN = 10  # actions that an error names

Array = np.ndarray[Any, Any]
Waiting = tuple[list[int], list[int]]
Block = tuple[Array | None, Array, Array]

EQUAL = 1 - 1e-9  # so that propensities that differ by their rounding alone are not thinned
THINNING = 0x7265706C  # keeps the coins that thin a log apart from all draws of a learner


class Walker(Protocol):
    """A policy that goes along a log."""

    learners: list[Bandit]
    largest: float
    """What no weight can exceed, if no action could be less probable than the least of the log."""
    support: float
    """The probability with which the policy does what the log ever did, which is the mean of its weights."""
    always: str | None
    """The one action that it ever takes."""
    notes: list[str]

    def block(self, begin: int, end: int) -> Block:
        """The policy's probabilities in these rounds, as the mean over the runs; None if only those of the logged
        actions are known. Its weights, and in how many runs it accepted each round."""

    def finish(self) -> None:
        """The log is at its end."""


class Unchanging:
    """A policy that does not learn; of whose probabilities those of the actions of the log are known at least.

    Parameters
    ----------
    log : Log
    chances : ndarray, shape (rounds,)
        With what probability it takes the action of each round.
    most : float
        What none of its probabilities exceeds.
    runs, seed : int
    """

    def __init__(self, log: Log, chances: Array, most: float, runs: int, seed: int) -> None:
        self._log, self._runs = log, runs
        self._generator = np.random.default_rng([THINNING, seed])
        self._weights = chances / log.propensities
        self._most = float(self._weights.max())
        self.largest = most / log.least
        self.learners: list[Bandit] = []
        self.support = 1.0
        self.always: str | None = None
        self.notes: list[str] = []

    def block(self, begin: int, end: int) -> Block:
        """Accept each round with a probability in proportion to its weight."""
        weights = self._weights[begin:end]
        odds = weights / self._most if self._most else weights
        return self._chances(begin, end), weights, self._generator.binomial(self._runs, np.minimum(odds, 1.0))

    def finish(self) -> None:
        """Nothing is left open."""

    def _chances(self, begin: int, end: int) -> Array | None:
        return None

    def _lose(self, lost: float) -> None:
        """Say with what probability the policy does what the log never did."""
        if not lost:
            return
        self.support -= lost
        log = self._log
        worst = log.value_range[1] if log.losses else log.value_range[0]
        self.notes = [
            f"with probability {lost:.3g} the policy takes an action that the log never took: ips counts the worst "
            f"value of the range for it, {worst:g}; replay and snips leave it out, and dr guesses the mean"
        ]


class Fixed(Unchanging):
    """A policy with the same probabilities whenever it is in a situation."""

    def __init__(self, log: Log, table: Array, runs: int, seed: int) -> None:
        super().__init__(log, table[log.contexts, log.actions], float(table.max()), runs, seed)
        self._table = table
        certain = np.flatnonzero((table == 1).all(axis=0))
        self.always = log.names[certain[0]] if len(certain) else None
        cells = log.contexts.astype(np.int64) * table.shape[1] + log.actions
        never = np.bincount(cells, minlength=table.size).reshape(table.shape) == 0
        shares = np.bincount(log.contexts, minlength=len(table)) / len(log)
        self._lose(float(shares @ np.where(never, table, 0).sum(axis=1)))

    def _chances(self, begin: int, end: int) -> Array | None:
        chances: Array = self._table[self._log.contexts[begin:end]]
        return chances


class Chosen(Unchanging):
    """A policy that says for each round which action it takes.

    Parameters
    ----------
    actions : ndarray of int, shape (rounds,)
        Among the names of the log.
    """

    def __init__(self, log: Log, actions: Array, runs: int, seed: int) -> None:
        super().__init__(log, (actions == log.actions).astype(np.float64), 1.0, runs, seed)
        self._actions = actions
        if (actions == actions[0]).all():
            self.always = log.names[int(actions[0])]
        taken = np.unique(log.contexts.astype(np.int64) * len(log.names) + log.actions)
        self._lose(float((~np.isin(log.contexts.astype(np.int64) * len(log.names) + actions, taken)).mean()))

    def _chances(self, begin: int, end: int) -> Array | None:
        chances = np.zeros((end - begin, len(self._log.names)))
        chances[np.arange(end - begin), self._actions[begin:end]] = 1.0
        return chances


class Mixed(Unchanging):
    """A policy that says for each round how probable each action is.

    Parameters
    ----------
    table : ndarray, shape (rounds, actions)
    """

    def __init__(self, log: Log, table: Array, runs: int, seed: int) -> None:
        super().__init__(log, table[np.arange(len(log)), log.actions], float(table.max()), runs, seed)
        self._table = table
        certain = np.flatnonzero((table == 1).all(axis=0))
        self.always = log.names[certain[0]] if len(certain) else None
        taken = np.zeros((len(log.situations), len(log.names)), dtype=bool)
        taken[log.contexts, log.actions] = True
        self._lose(float(np.where(taken[log.contexts], 0, table).sum(axis=1).mean()))

    def _chances(self, begin: int, end: int) -> Array | None:
        chances: Array = self._table[begin:end]
        return chances


class Replays:
    """Several runs of a learner, each on its own."""

    def __init__(self, log: Log, learner: Bandit, runs: int) -> None:
        self.learners = [learner.clone(seed=learner.seed_, run=learner.run + run) for run in range(runs)]
        self._log = log
        rewards = log.rewards.tolist()
        self._even = bool(log.least >= EQUAL * log.propensities.max())
        self._runs = [_Replay(log, one, rewards, thins=not self._even) for one in self.learners]
        self.largest, self.support = 1 / log.least, 1.0
        self.always: str | None = None
        self.notes = []
        if not self._even:
            about = f"about {len(log) * log.least:,.3g} of {len(log):,} rounds can be replayed"
            self.notes.append(f"the least propensity is {log.least:g}, so that {about}")

    def block(self, begin: int, end: int) -> Block:
        """Play every run to `end`."""
        total = np.zeros((end - begin, len(self._log.names)))
        taken = np.zeros(end - begin)
        alike = self._runs[0].waiting(begin, end) if self._even else None
        for run in self._runs:
            run.play(begin, end, alike or run.waiting(begin, end), total, taken)
        log = self._log
        chances = total / len(self._runs)
        weights = chances[np.arange(end - begin), log.actions[begin:end]] / log.propensities[begin:end]
        return chances, weights, taken

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


@dataclass(frozen=True, slots=True, eq=False)
class Choices:
    """A policy that says which action it takes in each round of a log.

    Attributes
    ----------
    actions : sequence
        By their names, one a round.
    """

    actions: Sequence[Any]


@dataclass(frozen=True, slots=True, eq=False)
class Randomised:
    """A policy that says for each round of a log how probable each action is to it.

    Attributes
    ----------
    probabilities : array-like, shape (rounds, actions)
        In the order of the names of the log; each row sums to 1.
    """

    probabilities: Any


@dataclass(frozen=True, slots=True, eq=False)
class Stated:
    """A policy of which only is known how probable the actions of a log were to it.

    Attributes
    ----------
    probabilities : array-like, shape (rounds,)
        From 0 to 1; the propensities themselves are the policy of the log.
    """

    probabilities: Any


def walker_of(log: Log, policy: Any, runs: int, seed: int) -> tuple[Log, Unchanging]:
    """The policy, checked, and the log with the actions that it names (see `evaluate_policy`)."""
    if isinstance(policy, Choices):
        return log, Chosen(log, _codes(log, policy.actions), runs, seed)
    if isinstance(policy, Randomised):
        return log, Mixed(log, _each_round(log, policy.probabilities), runs, seed)
    if isinstance(policy, Stated):
        stated = np.asarray(policy.probabilities, dtype=np.float64)
        _refuse_length(log, len(stated), "probabilities")
        if len(bad := np.flatnonzero(~((stated >= 0) & (stated <= 1)))):
            fault = f"in row {bad[0]} (counted from 0), the probability is {stated[bad[0]]:g}"
            raise RegretlessError(f"{fault}; one from 0 to 1 is expected")
        return log, Unchanging(log, stated, float(stated.max()), runs, seed)
    if isinstance(policy, Mapping):
        log, policy = _by_name(log, policy)
    table = np.array(policy, dtype=np.float64)
    table = np.tile(table, (len(log.situations), 1)) if table.ndim == 1 else table
    if table.shape != (len(log.situations), len(log.names)):
        shape = f"({len(log.situations)}, {len(log.names)})"
        raise RegretlessError(f"probabilities of shape {table.shape}; {shape}, of situations and actions, is expected")
    if not ((table >= 0).all() and np.allclose(table.sum(axis=1), 1)):
        raise RegretlessError("probabilities: they must be at least 0, and sum to 1 in each situation")
    return log, Fixed(log, table, runs, seed)


def _codes(log: Log, actions: Sequence[Any]) -> Array:
    _refuse_length(log, len(actions), "actions")
    places = {name: place for place, name in enumerate(log.names)}
    codes = np.array([places.get(str(one), -1) for one in actions], dtype=np.int64)
    if len(unknown := np.flatnonzero(codes < 0)):
        row = int(unknown[0])
        fault = (
            f"in row {row} (counted from 0), the policy takes {str(actions[row])!r}, an action that the log never took"
        )
        raise RegretlessError(f"{fault}; it has {', '.join(log.names[:SHOWN])}" + ", ..." * (len(log.names) > SHOWN))
    return codes


def _each_round(log: Log, probabilities: Any) -> Array:
    """Those of all actions in each round, checked."""
    table = np.asarray(probabilities, dtype=np.float64)
    shape = len(log), len(log.names)
    if table.shape != shape:
        raise RegretlessError(f"probabilities of shape {table.shape}; {shape}, of rounds and actions, is expected")
    if len(bad := np.flatnonzero(~((table >= 0).all(axis=1) & np.isclose(table.sum(axis=1), 1)))):
        fault = f"in row {bad[0]} (counted from 0), these are no probabilities: {table[bad[0]].tolist()}"
        raise RegretlessError(f"{fault}; they must be at least 0, and sum to 1")
    return table


def _refuse_length(log: Log, size: int, what: str) -> None:
    if size != len(log):
        raise RegretlessError(f"{size:,} {what}; the log has {len(log):,} rounds, and one for each is expected")


def _by_name(log: Log, probabilities: Mapping[Any, float]) -> tuple[Log, list[float]]:
    """The log with all actions that are named, and their probabilities in its order."""
    named = {str(name): chance for name, chance in probabilities.items()}
    log = log.among(list(named))
    return log, [named.get(name, 0.0) for name in log.names]
