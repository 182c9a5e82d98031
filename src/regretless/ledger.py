"""The ledger: the sums of a run, all that theorems know of it besides a comparator."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import Field, astuple, dataclass, field, fields, replace
from importlib import import_module
from typing import Any, ClassVar, Self

import numpy as np

from .html import Recorded

Array = np.ndarray[Any, np.dtype[np.float64]]
EXTREMES: dict[str, Callable[[float, float], float]] = {"max": max, "min": min}
# Metadata of fields that are no sums.
MAX, MIN, FIRST, LAST = ({"merge": how} for how in ("max", "min", "first", "last"))


class RunningTotals(Recorded):
    """Running totals, a dataclass, that notebooks show and draw."""

    __slots__ = ()

    def plot(self) -> Any:
        """A matplotlib figure: a chart of the totals that are numbers, and one of each that is a number for each expert
        or arm; `MissingError` without matplotlib.
        """
        known = {one.name: getattr(self, one.name) for one in fields(self)}  # type: ignore[arg-type]
        arrays = [(name, None, _drawable(value)) for name, value in known.items() if isinstance(value, np.ndarray)]
        numbers = {name: float(value) for name, value in known.items() if isinstance(value, int | float)}
        totals = (type(self).__name__, list(numbers), _drawable(np.array(list(numbers.values()))))
        # What draws stands above what it draws.
        return import_module(f"{__package__}.plot").figure_of_bars([totals, *arrays])


def _drawable(numbers: Array) -> Array:
    """Those that a bar can be as long as; others are 0."""
    return np.nan_to_num(numbers.ravel(), nan=0.0, posinf=0.0, neginf=0.0)


class Mergeable(RunningTotals):
    """Running totals of a stretch of rounds, a dataclass; those of two stretches add up, field by field.

    A field is a sum unless its metadata say how two of them merge: the larger, the smaller, or that of the first or the
    last stretch in which anything was counted.
    """

    __slots__ = ()
    counted: ClassVar[str] = "rounds"

    def __add__(self, later: Self) -> Self:
        """The books of two shards, or of two stretches of one stream, in one."""
        ends = {
            "first": self if getattr(self, self.counted) else later,
            "last": later if getattr(later, self.counted) else self,
        }

        def total(one: Field[Any]) -> Any:
            how, mine, theirs = one.metadata.get("merge"), getattr(self, one.name), getattr(later, one.name)
            if how is None:
                return mine + theirs
            return EXTREMES[how](mine, theirs) if how in EXTREMES else getattr(ends[how], one.name)

        return type(self)(**{one.name: total(one) for one in fields(self)})  # type: ignore[arg-type]

    def scaled(self, weight: float) -> Self:
        """The same book in which every round counts as `weight` rounds: sums are multiplied, extremes are not."""
        sums = [one.name for one in fields(self) if "merge" not in one.metadata]  # type: ignore[arg-type]
        return replace(self, **{name: weight * getattr(self, name) for name in sums})  # type: ignore[type-var]


@dataclass(frozen=True, slots=True)
class Ledger(Mergeable):
    """Running totals of a play, in the order in which the rounds came.

    Attributes
    ----------
    rounds, updates, mistakes : float
        Counts: rounds played, rounds that moved the weights, rounds whose predicted label was wrong. They differ: a
        score of exactly 0 may be an update without being a mistake.
    loss : float
        Sum of what was charged.
    slope2, step2 : float
        Sum of squared gradient norms, and the same with each term times the rate of its round. Of passive-aggressive
        learners: the sum of loss^2, and of tau * (2 loss - tau |x|^2), by which at least the steps came nearer to any
        weights without a loss.
    max_norm2, update_norm2, total_norm2 : float
        Squared lengths of the rows, the constant feature included: the largest, their sum over the updates, over all.
    reach2 : float
        Largest squared length of the weights before any round.
    first_rate, last_rate : float
        Rate of the first and of the last update.
    weighted : float
        Rounds whose sample weight was not 1.
    """

    counted: ClassVar[str] = "updates"

    rounds: float = 0.0
    updates: float = 0.0
    mistakes: float = 0.0
    loss: float = 0.0
    slope2: float = 0.0
    step2: float = 0.0
    max_norm2: float = field(default=0.0, metadata=MAX)
    update_norm2: float = 0.0
    total_norm2: float = 0.0
    reach2: float = field(default=0.0, metadata=MAX)
    first_rate: float = field(default=0.0, metadata=FIRST)
    last_rate: float = field(default=0.0, metadata=LAST)
    weighted: float = 0.0

    @classmethod
    def read(cls, book: np.ndarray[Any, Any]) -> Ledger:
        """The ledger that a kernel kept in an array."""
        return cls(*book.tolist())

    def array(self) -> np.ndarray[Any, Any]:
        """The same numbers as the kernels keep them."""
        return np.array(astuple(self), dtype=np.float64)


FIELDS = tuple(one.name for one in fields(Ledger))


@dataclass(frozen=True, slots=True, eq=False)
class ExpertLedger(Mergeable):
    """Running totals of a play with experts, over the rounds whose outcome is known.

    Attributes
    ----------
    rounds : float
        Rounds that were settled.
    loss, expected, sampled : float
        Sums of the learner's own loss, of the experts' losses mixed by its weights, and of the losses of the experts
        that it drew, where it draws.
    charge, gap : float
        What the rule was charged: the mix of the charges under its weights when the outcomes came, and how much that
        exceeds the mix losses.
    delay : float
        What it cost that outcomes came late: the charges of the weights that were played less those.
    drag : float
        ML-Poly's sum of rates times squared regrets.
    first_rate, last_rate : float
        Learning rate of the first and of the last settled round.
    spread, spread2 : float
        Largest difference between two charges of one round, and the sum of these differences squared.
    lowest, highest : float
        Of the experts' losses.
    absent : float
        Forecasts that were missing.
    mistakes : float
        Rounds predicted wrongly, where predictions are right or wrong.
    max_outcome2 : float
        Largest squared outcome.
    sensitivity : float
        Of the log loss l of one number, the sum of abs(p l'(p)) over the forecasts p: by how much more than a forecast,
        relatively, its loss changes. Where 1 - p is tiny and the outcome is 0 that is much.
    losses, faced, spoke : ndarray, shape (experts,)
        Each expert's own loss, the learner's loss, and the number of rounds; all over the rounds in which it spoke.
    regrets, delays : ndarray, shape (experts,)
        The rule's regret on the charges, and the cost of delay, over the rounds in which the expert spoke.
    squares, drags : ndarray, shape (experts,)
        Sums of squared regrets of a round, and what the second order takes off; zero where a rule keeps neither.
    changes : float
        Where the leader is followed: rounds in which an expert with the least sum of charges had it no more.
    """

    rounds: float
    loss: float
    expected: float
    charge: float
    delay: float
    gap: float
    drag: float
    sampled: float
    first_rate: float = field(metadata=FIRST)
    last_rate: float = field(metadata=LAST)
    spread: float = field(metadata=MAX)
    spread2: float
    lowest: float = field(metadata=MIN)
    highest: float = field(metadata=MAX)
    absent: float
    mistakes: float
    max_outcome2: float = field(metadata=MAX)
    sensitivity: float
    losses: Array
    regrets: Array
    delays: Array
    faced: Array
    spoke: Array
    squares: Array
    drags: Array
    changes: float = 0.0


@dataclass(slots=True)
class IntervalLedger(RunningTotals):
    """Running totals of intervals, over the rounds that had a forecast and whose outcome is known.

    Attributes
    ----------
    alpha : float
        The share of misses that was asked for.
    rounds, misses : int
        How many there were, and in how many the outcome was outside its interval.
    infinite, empty : int
        Intervals without an end, which cannot miss, and those that hold nothing, which must.
    worst : int
        The most misses of 500 rounds in a row; of fewer, if there were not so many.
    outstanding : int
        How many other rounds waited for their outcomes when one came, at most.
    width, winkler : float
        Sums over the rounds whose interval is finite, in the outcomes' unit: of its width (0 of an empty one), and of
        Winkler's score, the width and 2 / alpha times the distance of the outcome from the interval.
    growth : float
        Of a quantile tracker: the sum of 1 - step before / step.
    zero : int
        Of a quantile tracker: rounds up to which all forecasts were exact, so that there was no step.
    """

    alpha: float
    rounds: int = 0
    misses: int = 0
    infinite: int = 0
    empty: int = 0
    worst: int = 0
    outstanding: int = 0
    width: float = 0.0
    winkler: float = 0.0
    growth: float = 0.0
    zero: int = 0

    @property
    def coverage(self) -> float | None:
        """The share of outcomes inside their intervals; None without rounds."""
        return 1 - self.misses / self.rounds if self.rounds else None

    @property
    def mean_width(self) -> float | None:
        """Of the finite intervals; None if there was none."""
        finite = self.rounds - self.infinite
        return self.width / finite if finite else None

    @property
    def mean_winkler(self) -> float | None:
        """Winkler's score a round, of the finite intervals; None if there was none."""
        finite = self.rounds - self.infinite
        return self.winkler / finite if finite else None


@dataclass(frozen=True, slots=True, eq=False)
class BanditLedger(Mergeable):
    """Running totals of a bandit's draws; losses are in units of the declared range, from 0 to 1.

    Attributes
    ----------
    rounds, settled, lost : float
        Draws that were made, those whose loss is known, and those that were withdrawn.
    loss : float
        Sum of the losses that were suffered.
    mixed : float
        With full information: the losses of all arms, mixed by the probabilities of the draws.
    swing : float
        Sum over the draws of the rate times the number of arms that could be drawn; with experts' advice, times the sum
        over arms of the largest probability that an expert gives to it.
    rates, reach : float
        The sums of the two factors.
    first_rate, last_rate, last_gamma : float
        Learning rate of the first and of the last draw; implicit exploration of the last one.
    restricted : float
        Draws for which some arms were asleep.
    late : float
        Losses that came after another draw had been made.
    width : float
        Size of the declared range: what a unit is worth.
    draws, losses : ndarray, shape (arms,)
        How often each arm was drawn, and what it lost then.
    missed, asleep : ndarray, shape (arms,)
        What the learner lost in the rounds for which the arm was asleep, and how many they were.
    estimates : ndarray, shape (comparators,)
        What the learner goes by, for each arm, or each expert who gives advice: an estimate of its losses, or gains;
        the latter without what was credited to an arm while it slept.
    implicit : ndarray, shape (comparators,)
        Estimates of their losses that are unlikely to be much too large: each loss over its probability plus gamma.
    between : float
        Losses that were neither 0 nor 1, of learners that go by means; of others 0.
    """

    rounds: float
    settled: float
    loss: float
    mixed: float
    swing: float
    rates: float
    reach: float
    first_rate: float = field(metadata=FIRST)
    last_rate: float = field(metadata=LAST)
    last_gamma: float = field(metadata=LAST)
    restricted: float
    late: float
    lost: float
    width: float = field(metadata=LAST)
    draws: Array
    losses: Array
    missed: Array
    asleep: Array
    estimates: Array
    implicit: Array
    between: float = 0.0

    @property
    def unsettled(self) -> float:
        """Draws whose loss is not known, or never will be."""
        return self.rounds - self.settled


@dataclass(frozen=True, slots=True)
class ContextualLedger(Mergeable):
    """Running totals of a bandit's draws by features; losses are in units of the declared range, from 0 to 1.

    Attributes
    ----------
    rounds, settled, lost : float
        Decisions that were made, those whose loss is known, and those that were withdrawn.
    loss : float
        Sum of the losses that were suffered.
    late : float
        Losses that came after another decision had been made.
    restricted : float
        Decisions in which some arms could not be drawn.
    price : float
        Of inverse gap weighting, the sum over the decisions of what it costs at most besides errors of forecasts.
    gamma : float
        Its last gamma.
    error : float
        Sum of the squares of what was lost less what the drawn arm was expected to lose; of `FastCB` the log losses.
    reach : float
        Of rules with intervals for the mean losses, the sum of the mean upper end of what is drawn, less the least
        lower end.
    most : float
        The largest size of a feature.
    taught : float
        Decisions of another policy that it learned from.
    width : float
        Size of the declared range: what a unit is worth.
    draws, losses : ndarray, shape (arms,)
        How often each arm was drawn, and what it lost then.
    missed, asleep : ndarray, shape (arms,)
        What the learner lost in the rounds in which the arm could not be drawn, and how many they were.
    estimates : ndarray, shape (explorations, arms)
        What the arm lost when it was drawn, over the probability plus an implicit exploration.
    advised : ndarray, shape (explorations, policies)
        The same of policies that were named, in rounds in which they would have drawn it too.
    """

    rounds: float
    settled: float
    lost: float
    loss: float
    late: float
    restricted: float
    price: float
    gamma: float = field(metadata=LAST)
    error: float
    reach: float
    most: float = field(metadata=MAX)
    taught: float
    width: float = field(metadata=LAST)
    draws: Array
    losses: Array
    missed: Array
    asleep: Array
    estimates: Array
    advised: Array


@dataclass(frozen=True, slots=True)
class GameLedger(RunningTotals):
    """Running totals of two learners that played each other on one matrix, in the row player's payoffs.

    Round t counts with its weight w_t in the average strategies: 1, t or t^2. The row player's payoffs of round t are
    u_t = A q_t, the column player's losses are v_t, its own strategy of that round times A.

    Attributes
    ----------
    rounds, weight, last_weight : float
        Rounds played, the sum of their weights, and the last one.
    row_regret, column_regret : float
        How much more the best fixed row, or column, would have won, each round by its weight.
    turn : float
        Sum of w_t (p_t' A q_t - p_t' A q'_t), where q'_t is what the column player held when it met p_t: what it owes
        to moving second. Zero where both move at once.
    row_norm, column_norm : float
        Euclidean lengths of what each regret matcher keeps, at the end; zero of others. Of games in turns, the most
        that they add up to over the information sets that one plan comes to.
    row_square, column_square : float
        Sums of the squared lengths of the regrets of a round, of predictive learners of how far these were from what
        had been predicted; zero of exponential weights.
    row_shift, column_shift : float
        Of exponential weights: sums of the squared halves of the range of what the payoffs changed by from round to
        round, the first from zero; zero of others.
    row_move, column_move : float
        Of exponential weights: sums of the squared lengths, in absolute values, by which the strategies moved from
        round to round; zero of others.
    gap : float
        Duality gap of the average strategies, as the players' own sums have it.
    """

    rounds: float = 0.0
    weight: float = 0.0
    last_weight: float = 0.0
    row_regret: float = 0.0
    column_regret: float = 0.0
    turn: float = 0.0
    row_norm: float = 0.0
    column_norm: float = 0.0
    row_square: float = 0.0
    column_square: float = 0.0
    row_shift: float = 0.0
    column_shift: float = 0.0
    row_move: float = 0.0
    column_move: float = 0.0
    gap: float = 0.0


GAME_FIELDS = tuple(one.name for one in fields(GameLedger))


@dataclass(frozen=True, slots=True)
class ClassLedger(RunningTotals):
    """Running totals of a play with the hypotheses of a finite class.

    Attributes
    ----------
    rounds, mistakes : int
        Rounds whose label is known, and those that were predicted wrongly.
    expected : float
        Of a learner that draws its labels: the sum of the probabilities of the wrong ones; of others the mistakes.
    alive : int
        How many hypotheses agree with all labels so far; 0 if none does.
    voters : int
        How many hypotheses the learner predicts from; more than `alive` if it prunes on mistakes alone.
    died : int or None
        The round, counted from 1, whose label no hypothesis was left to agree with.
    """

    rounds: int = 0
    mistakes: int = 0
    expected: float = 0.0
    alive: int = 0
    voters: int = 0
    died: int | None = None
