"""Off-policy evaluation: what a learner, or a fixed policy, would have earned in the rounds that another one logged."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from math import sqrt
from time import perf_counter
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from ...data.logged import Log
from ...errors import ParameterError, RegretlessError
from .estimates import Estimate, Evidence, estimates, of_log

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


class Guesses:
    """The mean reward of each action in each situation, over earlier rounds alone.

    To these rounds one more is added, with the mean reward of all earlier rounds, one of them with the middle of the
    range. So the model of a round is known before it, which is what makes doubly robust estimates unbiased.

    Parameters
    ----------
    log : Log
        To be gone through from its first round on.
    """

    def __init__(self, log: Log) -> None:
        self._log = log
        shape = len(log.situations), len(log.names)
        self._counts, self._sums = np.zeros(shape), np.zeros(shape)
        middle = 0.5 * (log.value_range[0] + log.value_range[1])
        before = np.concatenate([[0.0], np.cumsum(log.rewards)[:-1]])
        self._means = (before + middle) / np.arange(1, len(log) + 1)

    def block(self, begin: int, end: int, chances: Array) -> tuple[Array, Array]:
        """The next rounds: what is expected of a policy with these probabilities, and of the action of the log."""
        expected, guessed = np.empty(end - begin), np.empty(end - begin)
        situations = self._log.contexts[begin:end]
        for situation in np.unique(situations).tolist():
            rows = np.flatnonzero(situations == situation)
            means = self._running(situation, begin + rows)
            expected[rows] = np.einsum("ij,ij->i", chances[rows], means)
            guessed[rows] = means[np.arange(len(rows)), self._log.actions[begin + rows]]
        return expected, guessed

    def _running(self, situation: int, rows: Array) -> Array:
        """The guess for each action before each of these rounds, of one situation; the rounds are then known."""
        actions = self._log.actions[rows]
        drawn = np.zeros((len(rows), self._counts.shape[1]))
        drawn[np.arange(len(rows)), actions] = 1.0
        earned = drawn * self._log.rewards[rows, None]
        counts = self._counts[situation] + np.cumsum(drawn, axis=0)
        sums = self._sums[situation] + np.cumsum(earned, axis=0)
        self._counts[situation], self._sums[situation] = counts[-1], sums[-1]
        means: Array = (sums - earned + self._means[rows, None]) / (counts - drawn + 1.0)
        return means


ENTRIES = 1 << 20  # of a block of rounds by actions
STRANGE, SLIGHT = 5.0, 0.02  # a mean of weights that far off is no accident: in standard deviations, and at all


@dataclass(frozen=True, slots=True, eq=False)
class Evaluation:
    """What a log says of another policy.

    Attributes
    ----------
    log : Log
    estimates : dict of str to Estimate
        By ``replay, ips, snips, dr``; one that cannot be made is left out.
    logged : Estimate
        What the policy that made the log earned.
    effective, largest : float
        How many rounds of equal weights would be worth as much as these, and the largest weight.
    runs : int
    delta : float
    learners : list of Bandit
        How the learner ended, in each run; empty for a fixed policy.
    draws : ndarray of shape (actions,)
        Share of each action in the rounds that were replayed.
    notes : list of str
        What a reader should know.
    seconds : float
    """

    log: Log
    estimates: dict[str, Estimate]
    logged: Estimate
    effective: float
    largest: float
    runs: int
    delta: float
    learners: list[Bandit]
    draws: Array
    seconds: float
    notes: list[str] = field(default_factory=list)

    @property
    def logged_draws(self) -> Array:
        """Share of each action in the log, of shape (actions,)."""
        shares: Array = np.bincount(self.log.actions, minlength=len(self.log.names)) / len(self.log)
        return shares


def evaluate_policy(log: Log, probabilities: Any, *, runs: int = 1, delta: float = 0.05, seed: int = 0) -> Evaluation:
    """Estimate what a fixed policy would have earned.

    Parameters
    ----------
    log : Log
    probabilities : array-like of shape (actions,) or (situations, actions), or mapping of str to float
        Those with which the policy takes each action of the log, in each of its situations; or by the action's name,
        for all situations alike. One that is not named is never taken, and one that the log does not know is added.
    runs : int
        How often the log is replayed.
    delta : float
        How improbable it should be that an interval does not hold the truth.
    seed : int
        Of the coins that choose which rounds are replayed.

    Raises
    ------
    RegretlessError
        If these are no probabilities.
    """
    if isinstance(probabilities, Mapping):
        log, probabilities = _by_name(log, probabilities)
    table = np.array(probabilities, dtype=np.float64)
    table = np.tile(table, (len(log.situations), 1)) if table.ndim == 1 else table
    if table.shape != (len(log.situations), len(log.names)):
        shape = f"({len(log.situations)}, {len(log.names)})"
        raise RegretlessError(f"probabilities of shape {table.shape}; {shape}, of situations and actions, is expected")
    if not ((table >= 0).all() and np.allclose(table.sum(axis=1), 1)):
        raise RegretlessError("probabilities: they must be at least 0, and sum to 1 in each situation")
    return _evaluate(log, Fixed(log, table, runs, seed), runs, delta)


def _by_name(log: Log, probabilities: Mapping[Any, float]) -> tuple[Log, list[float]]:
    """The log with all actions that are named, and their probabilities in its order."""
    named = {str(name): chance for name, chance in probabilities.items()}
    log = log.among(list(named))
    return log, [named.get(name, 0.0) for name in log.names]


def evaluate_learner(log: Log, learner: Bandit, *, runs: int = 1, delta: float = 0.05) -> Evaluation:
    """Estimate what a learner would have earned, had it drawn the actions itself.

    The learner plays along the log. It draws an action, and passes over the rounds in which the log drew another one;
    where the two agree it receives the reward, and draws again. If the log did not draw all actions with the same
    probability, rounds are passed over at random so that those that remain do: one with propensity p remains with
    probability p_min / p, where p_min is the least propensity of the log. So each round is accepted with probability
    p_min, whatever the learner does, and what it meets is what it would have met on its own. The other estimates use
    all rounds, with the probabilities that the learner had when it came to each of them.

    Parameters
    ----------
    log : Log
        Its situations are not shown to the learner.
    learner : Bandit
        For the actions of the log; it is cloned for each run.
    runs : int
        With how many seeds. Estimates are means over the runs, and intervals count that all of them use one log.
    delta : float

    Raises
    ------
    RegretlessError
        If the learner needs to see more than the rewards of its draws, or has other arms, or another range.
    """
    if learner.info.advised or learner.info.informed:
        raise RegretlessError(f"{learner.name} needs more than a log has: the rewards of the actions taken")
    if learner.names() != log.names:
        raise RegretlessError(f"the learner's arms are not the {len(log.names)} actions of the log (arms=log.names)")
    if tuple(learner.value_range) != tuple(log.value_range) or learner.rewards == log.losses:
        what = "losses" if log.losses else "rewards"
        raise RegretlessError(f"the log holds {what} in {log.value_range}; make the learner for these")
    return _evaluate(log, Replays(log, learner, runs), runs, delta)


def _evaluate(log: Log, walker: Walker, runs: int, delta: float) -> Evaluation:
    if not 0 < delta < 1:
        raise ParameterError("delta", repr(delta), "it must lie between 0 and 1")
    started = perf_counter()
    guesses = Guesses(log)
    weights, expected, guessed, accepted = (np.empty(len(log)) for _ in range(4))
    for begin, end in _blocks(log):
        chances, taken = walker.block(begin, end)
        here = slice(begin, end)
        weights[here] = chances[np.arange(end - begin), log.actions[here]] / log.propensities[here]
        expected[here], guessed[here] = guesses.block(begin, end, chances)
        accepted[here] = taken
    walker.finish()
    doubt = None if log.declared else f"no action could have a propensity below {log.least:g}, the least of the log"
    evidence = Evidence(
        log.rewards, weights, expected, guessed, accepted, runs, log.value_range, walker.largest, log.losses, doubt
    )
    estimated = estimates(evidence, delta)
    draws = np.bincount(log.actions, weights=accepted, minlength=len(log.names))
    return Evaluation(
        log,
        estimated,
        of_log(log.rewards, log.value_range, delta),
        evidence.effective,
        float(weights.max()),
        runs,
        delta,
        walker.learners,
        draws / max(draws.sum(), 1.0),
        perf_counter() - started,
        [*walker.notes, *_doubts(estimated), *_contradiction(weights, walker.support)],
    )


def _blocks(log: Log) -> Iterator[tuple[int, int]]:
    size = max(ENTRIES // len(log.names), 1)
    return ((begin, min(begin + size, len(log))) for begin in range(0, len(log), size))


def _doubts(result: dict[str, Estimate]) -> Iterator[str]:
    if "replay" not in result:
        yield "no round was replayed: the log is too short, or its least propensity too small"
    if few := [name for name, one in result.items() if not one.enough]:
        them = "this interval" if len(few) == 1 else "these intervals"
        yield f"{', '.join(few)}: too few rounds of weight, or of one of two outcomes, to trust {them}"


def _contradiction(weights: Array, expected: float) -> Iterator[str]:
    """Weights have a mean that is known, whatever the rewards are; another one shows that propensities are wrong."""
    mean, error = float(weights.mean()), float(weights.std()) / sqrt(len(weights))
    if abs(mean - expected) > max(STRANGE * error, SLIGHT):
        fault = f"the weights have a mean of {mean:.4g}, and {expected:.4g} is expected"
        yield f"{fault}: are these the probabilities of the actions that were taken?"
