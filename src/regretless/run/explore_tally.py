"""What the rounds of a contextual bandit cost: sums that a run goes on from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import isfinite, log2
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ..alarms.confidence import ConfidenceSequence
from ..certificate import Certificate
from ..data.decisions import ValueSums, doubts, seldom
from ..persist.json_state import JsonState
from ..persist.validation import count, one
from ..theory.confidence import Confidence, of_rewards
from ..theory.off_policy import RATES, WEIGHT_RATES, ValueLedger, policy_value, refuted, value_interval

if TYPE_CHECKING:
    from ..contextual.inputs import Trial

Array = np.ndarray[Any, Any]
HALVES = 24  # probabilities are counted by how often 1 is halved to reach them, the last of these and all below it


@dataclass(eq=False)
class _Tally(JsonState):
    """What both kinds of runs count.

    Parameters
    ----------
    actions : list of str
    value_range : (float, float)
        Where all costs lie.
    delta : float
        How probable it may be that an interval ever fails.
    rewards : bool
        Whether what is counted are rewards, of which more is better: read reward for cost, then.

    Attributes
    ----------
    rounds : int
    taken : ndarray of int64, shape (actions,)
        How often each action was taken.
    awake : ndarray of int64, shape (actions,)
        In how many rounds it could be.
    halves : ndarray of int64, shape (HALVES,)
        How often the probability of the action taken was in (1/2, 1], (1/4, 1/2] and so on.
    least : float
        The least of these probabilities; 1 before there is any.
    """

    actions: list[str]
    value_range: tuple[float, float] = (0.0, 1.0)
    delta: float = 0.05
    rewards: bool = False

    rounds: int = field(default=0, init=False)

    ARRAYS: ClassVar[tuple[str, ...]] = ("taken", "awake", "halves")
    NUMBERS: ClassVar[tuple[str, ...]] = ("least",)

    def __post_init__(self) -> None:
        self.actions, self.value_range = list(self.actions), (self.value_range[0], self.value_range[1])
        self.taken, self.awake = np.zeros((2, len(self.actions)), np.int64)
        self.each = np.zeros(len(self.actions))
        self.halves = np.zeros(HALVES, np.int64)
        self.least = 1.0

    @property
    def width(self) -> float:
        """Of the range of costs."""
        return self.value_range[1] - self.value_range[0]

    @property
    def means(self) -> Array:
        """What each action would have cost in a round in which it could be taken; nan where it never could."""
        return np.where(self.awake > 0, self.each / np.maximum(self.awake, 1), np.nan)

    @property
    def best(self) -> int:
        """The action that would have cost least, of those whose cost is known."""
        best = np.nanargmax if self.rewards else np.nanargmin
        return int(best(self.means)) if self.rounds else 0

    @property
    def quantity(self) -> str:
        """What is counted, in a word."""
        return "reward" if self.rewards else "cost"

    @property
    def notes(self) -> list[str]:
        """What a reader should know."""
        return []

    @property
    def best_cost(self) -> float:
        """What it would have cost, had it been there in all rounds."""
        best = self.best
        return float(self.each[best] * (self.rounds / self.awake[best])) if self.rounds else 0.0

    def _count(self, actions: Array, chances: Array) -> None:
        """Count actions that were taken among all, and their probabilities."""
        self.rounds += len(actions)
        self.awake += len(actions)
        self.taken += np.bincount(actions, minlength=len(self.taken))
        halvings = np.minimum(np.floor(-np.log2(chances)).astype(np.int64), HALVES - 1)
        self.halves += np.bincount(halvings, minlength=HALVES)
        self.least = min(self.least, float(chances.min()))

    def _parameters(self) -> dict[str, Any]:
        known = {"actions": self.actions, "value_range": list(self.value_range), "delta": self.delta}
        return known | ({"rewards": True} if self.rewards else {})

    def _state_values(self) -> dict[str, Any]:
        arrays = {name: getattr(self, name).tolist() for name in self.ARRAYS}
        return {"rounds": self.rounds, **arrays, **{name: getattr(self, name) for name in self.NUMBERS}}

    def _restore(self, state: Mapping[str, Any]) -> None:
        self.rounds = count(state["rounds"], "rounds")
        for name in self.ARRAYS:
            array = getattr(self, name)
            values = np.array(one(state[name], list, name), dtype=array.dtype)
            if values.shape != array.shape or not np.isfinite(values).all():
                raise ValueError(f"{name} has another shape, or something else than finite numbers")
            array[...] = values
        for name in self.NUMBERS:
            setattr(self, name, one(state[name], float, name))
            if not isfinite(getattr(self, name)):
                raise ValueError(f"{name} is not finite")
        if self.taken.sum() != self.rounds or self.halves.sum() != self.rounds or not (self.taken >= 0).all():
            raise ValueError("its actions do not add up")
        if (self.awake < self.taken).any() or (self.awake > self.rounds).any():
            raise ValueError("an action was taken that could not be")


@dataclass(eq=False)
class TrialTally(_Tally):
    """Rounds of which the costs of all actions are known.

    Attributes
    ----------
    cost : float
        Of the actions taken.
    each : ndarray, shape (actions,)
        What each action would have cost.
    own : ConfidenceSequence
        Of the costs of the actions taken.
    """

    _kind = "run"
    ARRAYS = (*_Tally.ARRAYS, "each")
    NUMBERS = (*_Tally.NUMBERS, "cost")

    def __post_init__(self) -> None:
        super().__post_init__()
        self.cost = 0.0
        self.own = ConfidenceSequence(level=1 - self.delta, value_range=self.value_range)

    def add(self, costs: Array, trial: Trial) -> None:
        """Add rounds: what all actions cost, and what was done."""
        if not len(costs):
            return
        self._count(trial.actions, trial.probabilities)
        # One after the other, so that sums are the same in whatever pieces rows come.
        self.cost = float(np.cumsum(np.append(self.cost, trial.losses))[-1])
        self.each = np.cumsum(np.vstack([self.each, costs]), axis=0)[-1]
        self.own.update(trial.losses)

    @property
    def interval(self) -> tuple[float, float]:
        """Around the mean of the expected costs, given all before each round."""
        low, high = self.own.interval_
        return float(low), float(high)

    def certify(self) -> list[Certificate]:
        """The interval as a certificate."""
        known = self.own.certify() if self.rounds else []
        return [replace(one, theorem=of_rewards(one.theorem)) for one in known] if self.rewards else known

    def _state_values(self) -> dict[str, Any]:
        return super()._state_values() | {"own": self.own.state_dict()}

    def _restore(self, state: Mapping[str, Any]) -> None:
        super()._restore(state)
        self.own = ConfidenceSequence.from_state(state["own"])
        if self.own.rounds_ != self.rounds:
            raise ValueError("its interval is of other rounds")


@dataclass(eq=False)
class LogTally(_Tally):
    """Rounds of another policy, and what the learner would have done in each before it learned from it.

    The weight w of a round is the learner's probability of the action taken over the log's.

    Attributes
    ----------
    logged : float
        What the actions taken cost.
    weights, squares, largest : float
        The sum of the weights, and of their squares; the largest one.
    weighted : float
        The sum of w cost: over the rounds, an unbiased estimate of what the learner would have paid.
    robust : float
        The same with the forecasts as a control: the sum of what was expected, and w (cost - forecast).
    each : ndarray, shape (actions,)
        The sum of cost / probability over the rounds in which each action was taken.
    shares : ndarray, shape (actions,)
        The sums of the learner's probabilities.
    gains, losses : ndarray, shape (rates,)
        The sums of ln(1 + u w r) and ln(1 + u w (1 - r)), r the reward 1 - cost on the scale from 0 to 1.
    weighed : ndarray, shape (weight rates,)
        The sums of ln(1 + u w).
    inverse, inverse_squares : float
        The sums of 1 / probability of the action taken, and of its square.
    """

    _kind = "run"
    ARRAYS = (*_Tally.ARRAYS, "each", "shares", "gains", "losses", "weighed")
    NUMBERS = (
        *_Tally.NUMBERS,
        "logged",
        "weights",
        "squares",
        "largest",
        "weighted",
        "robust",
        "inverse",
        "inverse_squares",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        self.logged = self.weights = self.squares = self.largest = self.weighted = self.robust = 0.0
        self.inverse = self.inverse_squares = 0.0
        self.shares = np.zeros(len(self.actions))
        self.gains, self.losses = np.zeros(len(RATES)), np.zeros(len(RATES))
        self.weighed = np.zeros(len(WEIGHT_RATES))

    def add(
        self,
        action: int,
        cost: float,
        chance: float,
        probabilities: Array,
        forecasts: Array,
        available: Array | None = None,
    ) -> None:
        """Add a round.

        Parameters
        ----------
        action : int
            That was taken.
        cost, chance : float
            What it cost, and the probability with which it was taken.
        probabilities, forecasts : ndarray, shape (actions,)
            The learner's, before it learned from the round.
        available : ndarray of bool, shape (actions,), optional
            Which could be taken; by default all.
        """
        self.rounds += 1
        self.awake += 1 if available is None else available
        self.taken[action] += 1
        self.halves[min(int(-log2(chance)), HALVES - 1)] += 1
        self.least = min(self.least, chance)
        weight = float(probabilities[action]) / chance
        self.logged += cost
        self.weights, self.squares = self.weights + weight, self.squares + weight**2
        self.largest = max(self.largest, weight)
        self.inverse, self.inverse_squares = self.inverse + 1 / chance, self.inverse_squares + 1 / chance**2
        self.weighted += weight * cost
        self.robust += float(probabilities @ forecasts) + weight * (cost - float(forecasts[action]))
        self.each[action] += cost / chance
        self.shares += probabilities
        earned, lost = self._shared(cost)
        self.gains += np.log1p(RATES * weight * earned)
        self.losses += np.log1p(RATES * weight * lost)
        self.weighed += np.log1p(WEIGHT_RATES * weight)

    def _shared(self, cost: float, weight: float = 1.0) -> tuple[float, float]:
        """What so much of a round's weight earned and lost, each on the scale from 0 to 1."""
        unit = (cost - self.value_range[0] * weight) / self.width
        return (unit, weight - unit) if self.rewards else (weight - unit, unit)

    @property
    def cost(self) -> float:
        """What the learner would have paid, estimated."""
        return self.weighted

    @property
    def effective(self) -> float:
        """How many rounds of equal weights are worth as much."""
        return self.weights**2 / self.squares if self.squares else 0.0

    @property
    def ledger(self) -> ValueLedger:
        """The sums that the interval is made of; of rewards, 1 - cost on the scale from 0 to 1."""
        earned, _ = self._shared(self.weighted, self.weights)
        estimate = min(max(earned / self.rounds, 0.0), 1.0) if self.rounds else 0.0
        return ValueLedger(self.rounds, estimate, self.gains, self.losses, self.width, self.weighed)

    @property
    def means(self) -> Array:
        """What each action would have cost in a round, estimated; nan where none took it."""
        return np.where(self.taken > 0, super().means, np.nan)

    @property
    def notes(self) -> list[str]:
        """What shows that propensities are wrong, or that weights are too large."""
        taken = self.taken > 0
        if not taken.any():
            return []
        rounds, (low, high) = self.rounds, self.value_range
        weights, inverse = (
            ValueSums(rounds, self.weights, self.squares),
            ValueSums(rounds, self.inverse, self.inverse_squares),
        )
        actions = float(self.awake[taken].sum()) / rounds
        expected = float(self.shares[taken].sum()) / rounds
        notes = doubts(weights, expected, inverse, actions, int(self.taken[taken].min())) + seldom(
            self.actions, self.taken
        )
        each = {"inverse propensity": self.weighted / rounds, "doubly robust": self.robust / rounds}
        outside = [f"{name} ({value:.6g})" for name, value in each.items() if not low <= value <= high]
        if outside:
            means = f"no mean of {self.quantity}s in [{low:g}, {high:g}]"
            notes.append(f"{' and '.join(outside)}: {means}; weights are too large for it")
        return notes

    @property
    def interval(self) -> tuple[float, float] | None:
        """Around the mean of what the learner would have been expected to pay; None where the log refutes its
        propensities, the range before the first round."""
        if not self.rounds:
            return self.value_range
        if refuted(self.ledger, self.delta):
            return None
        low, high = value_interval(self.ledger, self.delta)
        bottom, top = self.value_range
        if self.rewards:
            return bottom + self.width * low, bottom + self.width * high
        return top - self.width * high, top - self.width * low

    def certify(self) -> list[Certificate]:
        """The interval as a certificate."""
        return [policy_value.certify(self.ledger, [None], Confidence(self.delta))] if self.rounds else []
