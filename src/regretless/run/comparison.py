"""Two learners on the same rows: mistakes or losses of each, and the difference inside an interval that holds at any
time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, field, replace
from math import log
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np

from ..alarms.confidence import Increments
from ..certificate import Certificates
from ..checks import share
from ..data.batch import Array, Batch
from ..errors import DataError, RegretlessError, RowError
from ..frames import as_array
from ..theory.confidence import ComparisonLedger, Confidence, Rivals, excess_loss, interval, log_evidence
from .competitors import Competitor, Losses, LossRecorder, refuse_lookahead
from .linear import points_within

if TYPE_CHECKING:
    from ..data.stream import Stream
    from ..linear.base import OnlineClassifier

NEITHER = "neither is shown to {verb} less"
SAME = "give models of the same labels, and a file without rows that one of them passes over"
COUNTS = ("level", "rounds", "mistakes", "apart", "log_losses", "decided", "assuming")
UNSEEN = "that no model has learned from these rows, or was chosen by them"


class ComparisonPoint(NamedTuple):
    """The comparison after so many rows: the mean of A's mistakes less B's, and the interval.

    Attributes
    ----------
    rounds : int
    difference : float
        The mean over the rows of A's mistakes, or losses, less B's.
    low, high : float
        The ends of the interval.
    """

    rounds: int
    difference: float
    low: float
    high: float


@dataclass
class Comparison:
    """What two learners did on the same rows.

    Attributes
    ----------
    names : (str, str)
        Of A and B.
    level : float
        With this probability the interval has held after every number of rows, and will.
    rounds : int
        Rows.
    mistakes : [int, int]
        Of A and of B; with a `span` the sums of their losses.
    apart : [int, int]
        Rows that A alone predicted wrongly, and B alone.
    log_losses : [float or None, float or None]
        Summed over the rows, in nats; None of one without probabilities.
    decided : int or None
        The first row after which the interval held no 0.
    assuming : str or None
        What is taken for granted of models: whether they have learned from these rows, the rows do not show.
    span : (float, float) or None
        Of losses in place of mistakes: where they lie. Certificates are about losses in parts of it.
    """

    names: tuple[str, str]
    level: float = 0.95
    rounds: int = 0
    mistakes: list[Any] = field(default_factory=lambda: [0, 0])
    apart: list[int] = field(default_factory=lambda: [0, 0])
    log_losses: list[float | None] = field(default_factory=lambda: [0.0, 0.0])
    decided: int | None = None
    assuming: str | None = None
    span: tuple[float, float] | None = None
    _sums: Increments = field(default_factory=Increments, repr=False)
    _points: list[tuple[int, float, float]] = field(default_factory=list, repr=False)

    def __post_init__(self) -> None:
        share("level", self.level)

    def state(self) -> dict[str, Any]:
        """All of it as JSON values, by which `of_state` goes on with the same bits."""
        counts = {name: getattr(self, name) for name in COUNTS}
        sums = [self._sums.rounds, self._sums.total, self._sums.variance]
        points = [list(point) for point in self._points]
        span = {} if self.span is None else {"span": list(self.span)}
        return {**counts, "names": list(self.names), "sums": sums, "points": points, **span}

    @classmethod
    def of_state(cls, state: Mapping[str, Any]) -> Self:
        """A comparison from its `state`."""
        span = None if state.get("span") is None else tuple(state["span"])
        result = cls(tuple(state["names"]), **{name: state[name] for name in COUNTS}, span=span)
        result._sums.rounds, result._sums.total, result._sums.variance = state["sums"]
        result._points = [tuple(point) for point in state["points"]]
        return result

    @property
    def alpha(self) -> float:
        """How improbable it is that the interval ever fails."""
        return 1 - self.level

    def add(self, first: Losses, second: Losses) -> None:
        """Take in the losses of further rows.

        Parameters
        ----------
        first, second : Losses
            Of A and of B, on the same rows.
        """
        before = self.rounds
        self.rounds += len(first.wrong)
        for place, (mine, others) in enumerate(((first, second), (second, first))):
            if self.span is None:
                self.mistakes[place] += int(mine.wrong.sum())
                self.apart[place] += int((mine.wrong & ~others.wrong).sum())
            else:
                for loss in (self.span[0] + self.width * mine.wrong).tolist():  # the same bits for parts of any size
                    self.mistakes[place] += loss
            total = self.log_losses[place]
            known = total is not None and mine.log is not None
            self.log_losses[place] = total + float(mine.log.sum()) if known else None  # type: ignore[operator, union-attr]
        excess = first.wrong.astype(np.float64) - second.wrong
        totals, variances = self._sums.add((1 + excess) / 2)
        if self.decided is None:
            self.decided = self._first_decision(before, totals, variances)
        self._points += [
            (t, float(totals[t - before - 1]), float(variances[t - before - 1]))
            for t in points_within(before, self.rounds)
        ]

    def _first_decision(self, before: int, totals: Array, variances: Array) -> int | None:
        """The first of these rows after which a difference of 0 is outside."""
        rounds = before + 1 + np.arange(len(totals))
        distance = np.abs(totals - rounds / 2)
        needed = log(2 / self.alpha)
        # No rate does better than this, for psi(rate) is at least rate^2 / 2.
        possible = np.flatnonzero(distance**2 >= 2 * needed * variances)
        outside = possible[log_evidence(distance[possible], variances[possible]) >= needed]
        return int(rounds[outside[0]]) if len(outside) else None

    @property
    def course(self) -> list[ComparisonPoint]:
        """The difference and its interval at round counts that grow by a tenth of an octave, and at the last."""
        points = list(self._points)
        if self.rounds and (not points or points[-1][0] != self.rounds):
            points.append((self.rounds, self._sums.total, self._sums.variance))
        if not points:
            return []
        rounds, totals, variances = (np.array(column, dtype=np.float64) for column in zip(*points, strict=True))
        low, high = interval(rounds, totals, variances, self.alpha)
        ends = (self.width * (2 * each - 1) for each in (totals / rounds, low, high))
        return [ComparisonPoint(int(t), *map(float, rest)) for t, *rest in zip(rounds, *ends, strict=True)]

    @property
    def width(self) -> float:
        """Of the span of losses; 1 of mistakes."""
        return 1.0 if self.span is None else self.span[1] - self.span[0]

    @property
    def noun(self) -> str:
        """What is compared."""
        return "mistakes" if self.span is None else "loss"

    @property
    def difference(self) -> float:
        """A's mistakes, or losses, less B's, a row."""
        return float(self.mistakes[0] - self.mistakes[1]) / self.rounds

    @property
    def interval(self) -> tuple[float, float]:
        """Where the average of what is to be expected of it lies, with probability `level`."""
        last = self.course[-1]
        return last.low, last.high

    @property
    def better(self) -> str | None:
        """The name of the one that errs less, if the interval says so."""
        low, high = self.interval
        return self.names[1] if low > 0 else self.names[0] if high < 0 else None

    @property
    def certificates(self) -> Certificates:
        """How far the mistakes of each exceed those of the other; both hold together with probability `level`."""
        (a, b), variance = (sum_ / self.width for sum_ in self.mistakes), self._sums.variance
        each = ((float(a - b), Rivals(*self.names)), (float(b - a), Rivals(*self.names[::-1])))
        asked = Confidence(self.alpha / 2)
        stated = [
            excess_loss.certify(ComparisonLedger(self.rounds, more, variance), [pair], asked) for more, pair in each
        ]
        return Certificates(replace(one, assuming=self.assuming) for one in stated)

    def verdict(self) -> str:
        """Which one errs less, in a sentence."""
        low, high = self.interval
        if self.better is None:
            neither = NEITHER.format(verb="err" if self.span is None else "lose")
            return f"{neither}: the difference is between {low:+.4f} and {high:+.4f} a row"
        better, worse = self.names if high < 0 else self.names[::-1]
        least, most = sorted((abs(low), abs(high)))
        by = f"by {least:.4f} to {most:.4f} a row, on average over these rows"
        verb = "erred" if self.span is None else "lost"
        return f"{better} {verb} less than {worse}: in expectation {by}"

    def __str__(self) -> str:
        return f"{self.verdict()} (with probability {self.level:g}, after any number of rows)"


def compare(a: OnlineClassifier, b: OnlineClassifier, X: Any, y: Any, *, level: float = 0.95) -> Comparison:
    """Play two classifiers over the same rows, and say which one errs less.

    A learner that has learned nothing yet predicts each row before it learns it; the object itself stays as it is. One
    that has learned already is judged as it is, and learns nothing; the rows must be others than those that it learned.

    Parameters
    ----------
    a, b : OnlineClassifier
    X : array-like, sparse matrix or table, shape (rows, features)
    y : array-like of labels, shape (rows,)
    level : float
        In (0, 1): with this probability the interval holds, after all numbers of rows at once.

    Returns
    -------
    Comparison

    Raises
    ------
    ParameterError
        If the level is none, or a parameter of a learner that has learned nothing yet is taken from the rows
        themselves: the theorem holds of learners that know only the rounds before.
    RegretlessError
        If X or y cannot be used.

    Examples
    --------
    >>> import numpy as np
    >>> from regretless import compare
    >>> from regretless.linear import AROW, Perceptron
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(10_000, 5))
    >>> y = X @ np.arange(5) + rng.normal(size=10_000) > 0
    >>> comparison = compare(Perceptron(), AROW(), X, y)
    >>> comparison.better
    'AROW'
    """
    for learner in (a, b):
        if getattr(learner, "kind", "linear") != "linear":
            raise RegretlessError(f"{type(learner).__name__} predicts no labels, and what is compared are mistakes")
        if not hasattr(learner, "classes_"):
            refuse_lookahead(learner)
    names = (type(a).__name__, type(b).__name__)
    if names[0] == names[1]:
        names = (f"{names[0]} A", f"{names[1]} B")
    fitted = any(hasattr(learner, "classes_") for learner in (a, b))
    result = Comparison(names, level, assuming=UNSEEN if fitted else None)
    result.add(*(_losses_of(learner, X, y) for learner in (a, b)))
    return result


def _losses_of(learner: OnlineClassifier, X: Any, y: Any) -> Losses:
    if hasattr(learner, "classes_"):
        labels = np.asarray(y)
        predicted = as_array(learner.predict(X))
        if len(predicted) != len(labels):
            raise RegretlessError(f"X has {len(predicted):,} rows and y {len(labels):,}")
        return Losses(np.asarray(predicted != labels), None)
    twin = deepcopy(learner)
    twin.on_scores = watch = LossRecorder(twin)
    twin.partial_fit(X, y)
    return watch.losses()


def play(
    result: Comparison,
    sides: tuple[Competitor, Competitor],
    streams: list[Stream],
    on_rounds: Callable[[int], object],
    on_first: Callable[[Batch, Batch], object] = lambda left, right: None,
) -> Iterator[int]:
    """Go over the streams once; yields the number of rows after each batch, where the caller may stop.

    Parameters
    ----------
    result : Comparison
        What takes the losses.
    sides : (Competitor, Competitor)
    streams : list of Stream
        One that both read, or one for each, of the same rows.
    on_rounds : callable
        Called with the number of rows.
    on_first : callable
        Called with the first rows as each of the two reads them, before they are played.

    Raises
    ------
    DataError
        If there are no rows or no labels, or the streams do not have the same rows.
    RegretlessError
        If a row cannot be used.
    """
    for pair in _pairs(streams):
        if not result.rounds:
            on_first(*pair)
        losses = []
        for side, batch, stream in zip(sides, pair, (streams[0], streams[-1]), strict=True):
            if batch.labels is None:
                raise DataError(stream.name, None, None, "there are no labels", "name their column with --target")
            try:
                losses.append(side.losses(batch))
            except RowError as error:
                raise stream.refused(error, result.rounds) from error
        result.add(*losses)
        on_rounds(result.rounds)
        yield result.rounds


def _pairs(streams: list[Stream]) -> Iterable[tuple[Batch, Batch]]:
    """The same rows of both, however each of them is cut into batches."""
    if len(streams) == 1:
        yield from ((batch, batch) for batch in streams[0].batches())
        return
    name = streams[0].name
    each = [stream.batches() for stream in streams]
    held: list[Batch | None] = [None, None]
    while True:
        held = [
            next(batches, None) if one is None or not len(one) else one for one, batches in zip(held, each, strict=True)
        ]
        left, right = held
        if left is None or right is None:
            if left is not right:
                raise DataError(name, None, None, "the two read different rows of it", SAME)
            return
        rows = min(len(left), len(right))
        pair = left.slice(0, rows), right.slice(0, rows)
        first, second = (batch.labels for batch in pair)
        if first is not None and second is not None and not np.array_equal(first, second):
            raise DataError(name, None, None, "the two read different labels or rows of it", SAME)
        yield pair
        held = [left.slice(rows, len(left)), right.slice(rows, len(right))]
