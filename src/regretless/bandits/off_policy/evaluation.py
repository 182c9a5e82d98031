"""Off-policy evaluation: what a learner, or a fixed policy, would have earned in the rounds that another one logged."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from math import sqrt
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from ...data.logged import Log
from ...errors import ParameterError, RegretlessError
from .estimates import Estimate, Evidence, estimates, of_log
from .replay import Fixed, Replays, Walker

if TYPE_CHECKING:
    from ..base import Bandit


Array = np.ndarray[Any, Any]


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
