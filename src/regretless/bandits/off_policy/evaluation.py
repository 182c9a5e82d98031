"""Off-policy evaluation: what a learner, or a fixed policy, would have earned in the rounds that another one logged."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from ...certificate import Certificates
from ...checks import share, whole
from ...data.decisions import ValueSums, doubts, seldom
from ...data.logged import Log
from ...errors import RegretlessError
from ...theory.off_policy import policy_excess
from .anytime import THE_LOG, Guessed, IntervalPoint, PolicyBets, WeightedRounds
from .estimates import Estimate, Evidence, estimates, of_log
from .policies import Replays, Walker, walker_of

if TYPE_CHECKING:
    from ..base import Bandit


Array = np.ndarray[Any, Any]
ENTRIES = 1 << 20  # of a block of rounds by actions


@dataclass(frozen=True, slots=True, eq=False)
class Evaluation:
    """What a log says of another policy.

    Attributes
    ----------
    log : Log
    estimates : dict of str to Estimate
        By ``replay, ips, snips, dr, anytime``; one that cannot be made is left out. The last one is the doubly robust
        or the weighted one, whose interval holds after every number of rounds, and needs no normal distribution; where
        the log refutes its propensities it is left out (see `refuted`).
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
    seconds : float
    notes : list of str
        What a reader should know.
    bets : PolicyBets
        What the last estimate comes from.
    together : int
        How many policies are evaluated at once, among which delta is divided.
    assuming : str or None
        What must be true of the policy, and the log cannot show.
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
    bets: PolicyBets = field(kw_only=True)
    together: int = 1
    assuming: str | None = None

    def certify(self) -> Certificates:
        """What holds of the policy after all numbers of rounds at once, each with probability 1 - delta / together: how
        far the last estimate may be from the truth, and whether the policy is better than that of the log, and than
        always the same action. Below 0 its losses are less."""
        beside = self.estimates.get("anytime") or self.estimates.get("dr", self.estimates["ips"])
        certificates = self.bets.certify(self.delta / self.together, beside.value)
        return Certificates(replace(one, assuming=self.assuming) for one in certificates)

    @property
    def refuted(self) -> str | None:
        """Why the log can say nothing of the policy at any time: its propensities cannot be right, but for what is
        improbable; None if they can."""
        return self.bets.certify(self.delta / self.together)[0].why

    def course(self) -> list[IntervalPoint]:
        """The interval at any time, at numbers of rounds that grow by a fifth, with the confidence of `certify`."""
        return self.bets.course(self.delta / self.together)

    def better_than(self) -> list[str]:
        """What the policy is shown to be better than, each a sentence, with the probability of `certify`."""
        what = "loses less" if self.log.losses else "earns more"
        since = next((look.rounds for look in self.course() if look.better), 0)
        lines = [one for one in self.certify() if one.applies and one.theorem.name == policy_excess.name]
        return [
            f"{self.bets.name} {what} than {one.comparator.second}, by {-one.bound:.4g} a round on average or more"
            + (f", as was shown after {since:,} rounds" if since and one.comparator.second == THE_LOG else "")
            for one in lines
            if one.bound is not None and one.bound < 0
        ]

    @property
    def logged_draws(self) -> Array:
        """Share of each action in the log, of shape (actions,)."""
        shares: Array = np.bincount(self.log.actions, minlength=len(self.log.names)) / len(self.log)
        return shares


def evaluate_policy(
    log: Log,
    policy: Any,
    *,
    runs: int = 1,
    delta: float = 0.05,
    seed: int = 0,
    name: str = "the policy",
    together: int = 1,
    assuming: str | None = None,
) -> Evaluation:
    """Estimate what a policy that does not learn would have earned.

    Parameters
    ----------
    log : Log
    policy : array of shape (actions,) or (situations, actions), mapping of str to float, Choices, Randomised, or Stated
        The probabilities with which it takes each action of the log, in each of its situations; or by the action's
        name, for all situations alike. One that is not named is never taken, and one that the log does not know is
        added. Or what it takes in each round, or how probable it was to take what the log took. It must not have been
        made of these very rounds.
    runs : int
        How often the log is replayed.
    delta : float
        How improbable it should be that an interval does not hold the truth.
    seed : int
        Of the coins that choose which rounds are replayed.
    name : str
        What certificates call it.
    together : int
        How many policies are evaluated on this log: the anytime intervals of all of them hold together with probability
        1 - delta, for each has a part of delta (union bound).
    assuming : str, optional
        What must be true of the policy and cannot be seen: certificates say it.

    Raises
    ------
    RegretlessError
        If these are no probabilities, or no actions of the log; rows are counted from 0.
    """
    log, walker = walker_of(log, policy, runs, seed)
    return _evaluate(log, walker, name, runs, delta, together, assuming)


def evaluate_learner(log: Log, learner: Bandit, *, runs: int = 1, delta: float = 0.05, together: int = 1) -> Evaluation:
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
    together : int
        As for `evaluate_policy`.

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
    return _evaluate(log, Replays(log, learner, runs), learner.name, runs, delta, together, None)


def _evaluate(
    log: Log, walker: Walker, name: str, runs: int, delta: float, together: int, assuming: str | None
) -> Evaluation:
    started = perf_counter()
    share("delta", delta)
    bets = PolicyBets(
        name,
        log.names,
        log.value_range,
        losses=log.losses,
        most_weight=walker.largest if log.declared else None,
        always=walker.always,
        least=log.least if log.declared else None,
        situations=len(log.situations),
    )
    evidence = _evidence(log, walker, runs, bets)
    estimated = estimates(evidence, delta)
    part = delta / whole("together", together)
    if not bets.refuted(part):
        estimated["anytime"] = _anytime(bets, estimated.get("dr", estimated["ips"]), part)
    draws = np.bincount(log.actions, weights=evidence.accepted, minlength=len(log.names))
    return Evaluation(
        log,
        estimated,
        of_log(log.rewards, log.value_range, delta),
        evidence.effective,
        float(evidence.weights.max()),
        runs,
        delta,
        walker.learners,
        draws / max(draws.sum(), 1.0),
        perf_counter() - started,
        [*walker.notes, *_doubts(estimated), *_contradictions(log, evidence.weights, walker.support)],
        bets=bets,
        together=together,
        assuming=_taken(log, assuming, "dr" in estimated),
    )


def _taken(log: Log, assuming: str | None, controlled: bool) -> str | None:
    """What certificates take for granted: of the policy, and of the log where doubly robust terms enter."""
    bounded = f"that no action had a propensity below {log.least:g} in any round, as was declared"
    each = [assuming, bounded if log.declared and controlled else None]
    return ", and ".join(one for one in each if one is not None) or None


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

    def block(self, begin: int, end: int, chances: Array) -> tuple[Array, Array, tuple[Guessed, Guessed] | None]:
        """The next rounds: what is expected of a policy with these probabilities, and of the action of the log; and as
        bets take it where weights are bounded, on the scale from 0, the worst, to 1, of rewards and of what is lost of
        them."""
        expected, guessed = np.empty(end - begin), np.empty(end - begin)
        bets = [Guessed(*(np.empty(end - begin) for _ in range(3))) for _ in range(2)]
        situations = self._log.contexts[begin:end]
        (low, high), losses = self._log.value_range, self._log.losses
        for situation in np.unique(situations).tolist():
            rows = np.flatnonzero(situations == situation)
            means, known = self._running(situation, begin + rows)
            logged = np.arange(len(rows)), self._log.actions[begin + rows]
            expected[rows] = np.einsum("ij,ij->i", chances[rows], means)
            guessed[rows] = means[logged]
            if not self._log.declared:
                continue
            above = np.clip((means - low) / (high - low), 0.0, 1.0)
            for one, scaled in zip(bets, (1 - above, above) if losses else (above, 1 - above), strict=True):
                # Of an action that never came nothing is guessed: it may be one that the log never takes.
                sure = np.where(known, scaled, 0.0)
                one.expected[rows] = np.einsum("ij,ij->i", chances[rows], sure)
                one.logged[rows], one.largest[rows] = sure[logged], sure.max(axis=1)
        return expected, guessed, (bets[0], bets[1]) if self._log.declared else None

    def _running(self, situation: int, rows: Array) -> tuple[Array, Array]:
        """The guess for each action before each of these rounds, of one situation, and whether it came before; the
        rounds are then known."""
        actions = self._log.actions[rows]
        drawn = np.zeros((len(rows), self._counts.shape[1]))
        drawn[np.arange(len(rows)), actions] = 1.0
        earned = drawn * self._log.rewards[rows, None]
        counts = self._counts[situation] + np.cumsum(drawn, axis=0)
        sums = self._sums[situation] + np.cumsum(earned, axis=0)
        self._counts[situation], self._sums[situation] = counts[-1], sums[-1]
        means: Array = (sums - earned + self._means[rows, None]) / (counts - drawn + 1.0)
        return means, counts > drawn


def _evidence(log: Log, walker: Walker, runs: int, bets: PolicyBets) -> Evidence:
    """Go along the log."""
    guesses = Guesses(log)
    weights, expected, guessed, accepted = (np.empty(len(log)) for _ in range(4))
    low, high = log.value_range
    scaled = (high - log.rewards if log.losses else log.rewards - low) / (high - low)
    known = True
    for begin, end in _blocks(log):
        here = slice(begin, end)
        chances, weights[here], accepted[here] = walker.block(begin, end)
        control = None
        if chances is None:
            known = False
        else:
            expected[here], guessed[here], control = guesses.block(begin, end, chances)
        each = scaled[here], weights[here], log.actions[here], log.propensities[here]
        bets.add(WeightedRounds(*each, control, log.contexts[here]))
    walker.finish()
    doubt = None if log.declared else f"no action could have a propensity below {log.least:g}, the least of the log"
    model = expected if known else None, guessed if known else None
    return Evidence(
        log.rewards,
        weights,
        *model,
        accepted,
        runs=runs,
        value_range=log.value_range,
        largest=walker.largest,
        losses=log.losses,
        assuming=doubt,
    )


def _anytime(bets: PolicyBets, beside: Estimate, delta: float) -> Estimate:
    """The estimate beside which the interval stands, cut to it."""
    low, high = bets.interval(delta)
    return Estimate(min(max(beside.value, low), high), low, high, beside.n, "bets, at any time")


def _blocks(log: Log) -> Iterator[tuple[int, int]]:
    size = max(ENTRIES // len(log.names), 1)
    return ((begin, min(begin + size, len(log))) for begin in range(0, len(log), size))


def _doubts(result: dict[str, Estimate]) -> Iterator[str]:
    if "replay" not in result:
        yield "no round was replayed: the log is too short, or its least propensity too small"
    if few := [name for name, one in result.items() if not one.enough]:
        them = "this interval" if len(few) == 1 else "these intervals"
        yield f"{', '.join(few)}: too few rounds of weight, or of one of two outcomes, to trust {them}"


def _contradictions(log: Log, weights: Array, expected: float) -> list[str]:
    counts = np.bincount(log.actions, minlength=len(log.names))
    taken, inverse = counts[counts > 0], ValueSums.of(1 / log.propensities)
    notes = doubts(ValueSums.of(weights), expected, inverse, float(len(taken)), int(taken.min()))
    return [*notes, *([] if log.stated else seldom(log.names, counts))]
