"""What a log says of a policy after every number of rounds at once, by bets (see `regretless.theory.off_policy`)."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ...certificate import Certificate, Certificates
from ...checks import share
from ...theory.confidence import Confidence, Rivals
from ...theory.off_policy import (
    RATES,
    WEIGHT_RATES,
    ExcessLedger,
    ValueLedger,
    least_mean,
    policy_excess,
    policy_value,
    refuted,
    value_interval,
)

Array = np.ndarray[Any, np.dtype[np.float64]]
LEFT = 0.75  # how much of a capital a control variate may cost in a round
CELLS = 1 << 20  # rounds by rates at once
LOOKS = tuple(np.unique(np.ceil(2.0 ** (np.arange(8, 240) / 4) - 1e-9)).astype(np.int64).tolist())  # of the course
THE_LOG = "the policy of the log"


@dataclass(frozen=True, slots=True, eq=False)
class Guessed:
    """Guesses of rewards on the scale from 0 to 1, by the rounds before and the situation; each has a value a round.

    Attributes
    ----------
    expected : ndarray
        Their mean under the policy; 0 is guessed of an action that never came.
    logged : ndarray
        Of the action of the log.
    largest : ndarray
        What none of them exceeds.
    """

    expected: Array
    logged: Array
    largest: Array


@dataclass(frozen=True, slots=True, eq=False)
class WeightedRounds:
    """Rounds of a log as a policy sees them.

    Attributes
    ----------
    rewards : ndarray, shape (rounds,)
        From 0, the worst, to 1.
    weights : ndarray, shape (rounds,)
        The policy's probability of the action over the propensity.
    actions : ndarray of int, shape (rounds,)
    propensities : ndarray, shape (rounds,)
    guesses : (Guessed, Guessed) or None
        Of rewards, and of 1 - rewards: a control variate, where weights are bounded.
    situations : ndarray of int, shape (rounds,), or None
        In which each round was; None where there is one.
    """

    rewards: Array
    weights: Array
    actions: Array
    propensities: Array
    guesses: tuple[Guessed, Guessed] | None = None
    situations: Array | None = None


class IntervalPoint(NamedTuple):
    """What is known after so many rounds.

    Attributes
    ----------
    rounds : int
    low, high : float
        The ends of the interval; the lower one is above the upper one where all means are refused.
    better : bool
        Whether the policy is shown to be better than that of the log.
    """

    rounds: int
    low: float
    high: float
    better: bool


class PolicyBets:
    """Capitals of bets on the mean reward of a policy, and on what it is better by than others.

    Parameters
    ----------
    name : str
        Of the policy.
    actions : sequence of str
        With taking always the same of which it is compared.
    value_range : (float, float)
    losses : bool
        Whether less is better.
    most_weight : float or None
        What no weight can exceed, for a control variate; None if there is no such number.
    always : str or None
        The action that the policy takes in all rounds, with which it is not compared.
    least : float or None
        What the propensity of no action is less than, for a control variate of comparisons with always the same.
    situations : int
        How many there are.

    Attributes
    ----------
    rounds : int
    gains, falls : ndarray, shape (rates,)
        The sums of logarithms of the capitals of bets on more reward, and on less.
    over_log : ndarray, shape (rates,)
        Of bets that the policy is better than that of the log.
    weights : ndarray, shape (weight rates,)
        Of bets that the weights are larger than right propensities leave them.
    """

    def __init__(
        self,
        name: str,
        actions: Sequence[str],
        value_range: tuple[float, float] = (0.0, 1.0),
        *,
        losses: bool = False,
        most_weight: float | None = None,
        always: str | None = None,
        least: float | None = None,
        situations: int = 1,
    ) -> None:
        self.name, self.actions, self._always = name, list(actions), always
        self.value_range, self.losses, self.most_weight = value_range, losses, most_weight
        self.rounds = 0
        self.gains, self.falls, self.over_log, self._others = (np.zeros(len(RATES)) for _ in range(4))
        self._taken, self._always_gains, self._always_falls = np.zeros((3, len(self.actions), len(RATES)))
        self.weights = np.zeros(len(WEIGHT_RATES))
        self._always_weights = np.zeros((len(self.actions), len(WEIGHT_RATES)))
        self._least, self._missed = least, 0.0
        # Which actions came in which situation, and the control variate's part in each of the sums `_others`.
        self._occurs, self._part = np.zeros((situations, len(self.actions)), bool), np.zeros((situations, len(RATES)))
        self._looks: list[tuple[int, tuple[Array, Array, Array]]] = []

    def add(self, rounds: WeightedRounds) -> None:
        """Take in further rounds of the log, in their order."""
        size = max(CELLS // len(RATES), 1)
        for begin in range(0, len(rounds.rewards), size):
            self._add(rounds, slice(begin, begin + size))

    def _add(self, rounds: WeightedRounds, here: slice) -> None:
        rewards, weights = rounds.rewards[here], rounds.weights[here]
        missed, earned = 1 - rewards, weights * rewards
        plain = np.log1p(RATES * earned[:, None])
        gained, lost = (
            (None, 0.0)
            if rounds.guesses is None or self.most_weight is None
            else (_control(one, here, weights, self.most_weight) for one in rounds.guesses)
        )
        each = (
            _onto(self.gains, plain if gained is None else np.log1p(RATES * (earned[:, None] + gained))),
            _onto(self.falls, np.log1p(RATES * ((weights * missed)[:, None] + lost))),
            _onto(self.over_log, np.log1p(RATES * ((earned + missed)[:, None] + (0.0 if gained is None else gained)))),
        )
        first, last = bisect_right(LOOKS, self.rounds), bisect_right(LOOKS, self.rounds + len(rewards))
        places = [look - self.rounds for look in LOOKS[first:last]]
        self._looks += [(self.rounds + at, (each[0][at], each[1][at], each[2][at])) for at in places]
        self.gains, self.falls, self.over_log = (sums[-1] for sums in each)
        self.rounds += len(rewards)
        self._add_actions(rounds, here, plain)

    def _add_actions(self, rounds: WeightedRounds, here: slice, plain: Array) -> None:
        """Bets against each action. A round in which another action was taken says of always this one what one without
        a reward says of it, and what was guessed."""
        rewards, weights, actions = rounds.rewards[here], rounds.weights[here], rounds.actions[here]
        earned, missed, propensities = weights * rewards, 1 - rewards, rounds.propensities[here]
        drawn = np.log1p(RATES * (earned + missed / propensities)[:, None])
        others = plain
        if self._least is not None:
            where = np.zeros(len(actions), np.int64) if rounds.situations is None else rounds.situations[here]
            first = self._first(where, actions)
            base, guess = self._guessed(rounds, here, self._least)
            others = np.log1p(RATES * (base + guess))
            known = np.log1p(RATES * (base + guess + (missed[:, None] - guess) / propensities[:, None]))
            drawn = np.where(first[:, None], drawn, known)
            self._take_parts(others - plain, where, actions, first)
        self._others = _onto(self._others, others)[-1]
        _add_by_action(self._taken, actions, drawn - others)
        for sums, numbers in ((self._always_gains, rewards), (self._always_falls, missed)):
            _add_by_action(sums, actions, np.log1p(RATES * (numbers / propensities)[:, None]))
        self.weights = _onto(self.weights, np.log1p(WEIGHT_RATES * weights[:, None]))[-1]
        _add_by_action(self._always_weights, actions, np.log1p(WEIGHT_RATES / propensities[:, None]))

    def _first(self, where: Any, actions: Any) -> Any:
        """Whether an action comes for the first time in its situation; they are then known."""
        cells = where.astype(np.int64) * len(self.actions) + actions
        first = np.zeros(len(cells), bool)
        first[np.unique(cells, return_index=True)[1]] = True
        occurs = self._occurs.reshape(-1)
        first &= ~occurs[cells]
        occurs[cells] = True
        return first

    def _guessed(self, rounds: WeightedRounds, here: slice, least: float) -> tuple[Array, Array]:
        """For each round and rate: the weighted reward with the part of its guess, and that of what an action that came
        before is guessed to lack, the mean of all earlier rounds."""
        rewards, weights = rounds.rewards[here], rounds.weights[here]
        sums = np.cumsum(np.concatenate([[self._missed], 1 - rewards]))
        guess = ((sums[:-1] + 0.5) / (self.rounds - len(rewards) + np.arange(1, len(rewards) + 1)))[:, None]
        self._missed, most, centred = float(sums[-1]), guess / least, np.zeros((len(rewards), 1))
        if rounds.guesses is not None and self.most_weight is not None:
            one = rounds.guesses[0]
            most = most + self.most_weight * one.largest[here, None]
            centred = (one.expected[here] - weights * one.logged[here])[:, None]
        shares = np.minimum(1.0, LEFT / np.maximum(RATES * most, LEFT))
        return (weights * rewards)[:, None] + shares * centred, shares * guess

    def _take_parts(self, parts: Array, where: Any, actions: Any, first: Any) -> None:
        """Of an action that came first now, take back the parts of the guess in the rounds before, in its situation."""
        for situation in np.unique(where).tolist():
            rows = np.flatnonzero(where == situation)
            course = _onto(self._part[situation], parts[rows])
            for place in np.flatnonzero(first[rows]).tolist():
                self._taken[actions[rows[place]]] -= course[place]
            self._part[situation] = course[-1]

    # What they say.

    @property
    def over_actions(self) -> Array:
        """The sums of bets that the policy is better than always the same action, of shape (actions, rates)."""
        unknown: Array = np.einsum("sk,sj->kj", (~self._occurs).astype(np.float64), self._part)
        return self._others + self._taken - unknown

    def interval(self, delta: float) -> tuple[float, float]:
        """The ends, in the unit of the rewards, at which the average of what was to be expected of the policy lies with
        probability 1 - delta, after this and all other numbers of rounds; the range before the first.

        The lower one is above the upper one where all means are refused.
        """
        low, high = value_interval(self._value_ledger(0.0), share("delta", delta))
        worst, best = self.value_range[:: -1 if self.losses else 1]
        first, second = worst + low * (best - worst), worst + high * (best - worst)
        return (second, first) if self.losses else (first, second)

    def refuted(self, delta: float) -> bool:
        """Whether nothing can be said of the policy, its weights or all means of its reward being refused."""
        return refuted(self._value_ledger(0.0), delta)

    def course(self, delta: float) -> list[IntervalPoint]:
        """The interval at numbers of rounds that grow by a fifth, and at the last."""
        looks = [*self._looks]
        if self.rounds and (not looks or looks[-1][0] != self.rounds):
            looks.append((self.rounds, (self.gains, self.falls, self.over_log)))
        if not looks:
            return []
        rounds = np.array([count for count, _ in looks], dtype=np.float64)
        gains, falls, over_log = (np.array(sums) for sums in zip(*(each for _, each in looks), strict=True))
        low, high = least_mean(gains, rounds, 1.0, delta / 2), 1 - least_mean(falls, rounds, 1.0, delta / 2)
        better = least_mean(over_log, rounds, 2.0, delta) > 1
        (bottom, top), width = self.value_range, self._width
        ends = (top - width * high, top - width * low) if self.losses else (bottom + width * low, bottom + width * high)
        each = zip(rounds.tolist(), *(end.tolist() for end in ends), better.tolist(), strict=True)
        return [IntervalPoint(int(count), *rest) for count, *rest in each]

    def _value_ledger(self, estimate: float) -> ValueLedger:
        return ValueLedger(self.rounds, estimate, self.gains, self.falls, self._width, self.weights)

    @property
    def _width(self) -> float:
        return self.value_range[1] - self.value_range[0]

    def certify(self, delta: float, estimate: float | None = None) -> Certificates:
        """What holds of the policy with probability 1 - delta each, after all numbers of rounds at once.

        Parameters
        ----------
        delta : float
        estimate : float, optional
            Of the mean reward, in its unit; by default the middle of the interval.

        Returns
        -------
        list of Certificate
            How far the estimate may be from the truth; and by how much the losses of the policy exceed those of the
            log's, and of the best one that takes always the same action, at most: below 0 it is shown to be better.
        """
        asked, low = Confidence(share("delta", delta)), self.value_range[0]
        middle = sum(self.interval(delta)) / 2 if estimate is None else estimate
        scaled = min(max((middle - low) / self._width, 0.0), 1.0)
        ledger = self._value_ledger(1 - scaled if self.losses else scaled)
        result = [policy_value.certify(ledger, [PolicyName(self.name)], asked)]
        if self.name != THE_LOG:
            # With weights of 1 the ends lie around the mean: of the log's own policy some means are always left.
            excess = ExcessLedger(self.rounds, self.over_log, 1, self._width, refuted(ledger, delta))
            result.append(policy_excess.certify(excess, [Rivals(self.name, THE_LOG)], asked))
        return Certificates([*result, *self._over_actions(asked, refuted(ledger, delta))])

    def _over_actions(self, asked: Confidence, refused: bool) -> list[Certificate]:
        """Against the action that the policy is shown to be better than by least; none if there is no other one."""
        others = [place for place, action in enumerate(self.actions) if action != self._always]
        if not others:
            return []
        sums = self.over_actions[others]
        place = int(least_mean(sums, self.rounds, 2.0, asked.delta / len(others)).argmin())
        refused = refused or not all(self._action_left(one, asked.delta / len(others)) for one in others)
        excess = ExcessLedger(self.rounds, sums[place], len(others), self._width, refused)
        which = "the same action" if self._always is None else "another action"
        best = f"always {which} (that is nearest: {self.actions[others[place]]})"
        return [policy_excess.certify(excess, [Rivals(self.name, best)], asked)]

    def _action_left(self, place: int, delta: float) -> bool:
        """Whether neither all mean rewards of taking always this action are refused, nor the weights for that."""
        sums = self._always_gains[place], self._always_falls[place]
        return not refuted(ValueLedger(self.rounds, 0.0, *sums, self._width, self._always_weights[place]), delta)


@dataclass(frozen=True, slots=True)
class PolicyName:
    """Whose value a certificate is about.

    Attributes
    ----------
    name : str
    """

    name: str

    @property
    def label(self) -> str:
        """As a certificate prints it."""
        return ""

    @property
    def whose(self) -> str:
        """Whose value it is, as a certificate prints it."""
        return self.name

    def describe(self) -> dict[str, str]:
        """The name."""
        return {"policy": self.name}


def _add_by_action(sums: Array, actions: Array, logs: Array) -> None:
    """Add what each round has to the sums of its action, one after the other."""
    rates = sums.shape[1]
    cells = actions[:, None].astype(np.int64) * rates + np.arange(rates)
    np.add.at(sums.reshape(-1), cells.reshape(-1), logs.reshape(-1))


def _onto(sums: Array, logs: Array) -> Array:
    """The sums before and after each round, one after the other, so that parts of any size have the same bits."""
    course: Array = np.cumsum(np.vstack([sums, logs]), axis=0)
    return course


def _control(guessed: Guessed, here: slice, weights: Array, most_weight: float) -> Array:
    """c_t(u) (e_t - w_t g_t), for each round and rate."""
    most = most_weight * guessed.largest[here, None]
    shares = np.minimum(1.0, LEFT / np.maximum(RATES * most, LEFT))
    terms: Array = shares * (guessed.expected[here] - weights * guessed.logged[here])[:, None]
    return terms
