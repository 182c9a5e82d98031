"""A run of a contextual bandit over decisions: trials, where all costs are known, or the log of another policy.

Afterwards `hindsight` says what trials would have cost the best single action, and a linear policy that knew them all.
The linear policy of least cost is hard to find, for costs of a choice are no convex function of weights. In its place
stands one that least squares give: ridge regressions of the cost of each action on the features and a constant, and of
each row the action whose regression is least. So the best linear policy costs as much or less. Of rewards it is the
largest, and that policy earns as much or more.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..blas import one_thread
from ..contextual.base import ContextualBandit
from ..data.batch import Array, Batch, first_columns
from ..data.decisions import Decisions, DecisionStream, in_rewards
from ..errors import DataError, RegretlessError
from ..persist.validation import count, fits, one
from .base import StreamRun, refuse_other_stream
from .explore_tally import LogTally, TrialTally
from .linear import points_within, print_of
from .tracing import TracedDecision

if TYPE_CHECKING:
    from .explore_log import DecisionsOut


BLOCK = 1 << 24  # bytes of rows that are made dense at once
Point = tuple[int, float, float]  # rounds, what they cost, and what the best single action would have cost
Tally = TrialTally | LogTally


@dataclass
class ExploreRun(StreamRun):
    """One contextual bandit, one stream of decisions.

    Attributes
    ----------
    learner : ContextualBandit
    stream : DecisionStream
    columns : int
        How many features a row has; further ones of the file are left out. 0: as many as the first rows have.
    save : path or None
        Where checkpoints and the finished model go.
    checkpoint_every : int or None
        The model is saved whenever the number of rounds is a multiple of this.
    tally : TrialTally or LogTally
        What the rounds cost.
    curve : list of (rounds, cost, best single action's cost)
        At the round counts of `run.linear.CURVE_POINTS`.
    place : int
        How many rows of this stream are learned; at first, where the run begins.
    out : DecisionsOut or None
        Where the decisions are written.
    on_first : callable
        Called with the number of features before the first round; what it raises ends the run.
    on_point, on_rounds : callable
        Called with each point of the curve, and with the number of rounds after each part.
    stop : callable
        Called before each part, and a few times a second within one; true stops the run.
    waiting : bool
        Whether the next part is being read.
    saved : int
        How many rounds the model had when this run last saved it.
    last : str or None
        The print of the row that was learned last; None before the first.
    trace : int
        How many rounds of a trial are noted one by one.
    traced : list of TracedDecision
        Those.
    """

    learner: ContextualBandit
    stream: DecisionStream
    columns: int
    tally: Tally
    save: str | os.PathLike[str] | None = None
    checkpoint_every: int | None = None
    curve: list[Point] = field(default_factory=list)
    place: int = 0
    out: DecisionsOut | None = None
    on_first: Callable[[int], None] = lambda columns: None
    on_point: Callable[[Point], None] = lambda point: None
    on_rounds: Callable[[int], None] = lambda rounds: None
    stop: Callable[[], bool] = lambda: False
    waiting: bool = False
    saved: int = 0
    last: str | None = None
    trace: int = 0
    traced: list[TracedDecision] = field(default_factory=list)
    _begun: bool = field(default=False, init=False)

    def play(self) -> None:
        """As any run does; decisions that were written are kept if there are some."""
        try:
            super().play()
        finally:
            if self.out is not None:
                self.out.close(keep=self.place > 0)

    def _go_to_the_end(self) -> None:
        self._go_over(self.stream.rounds(self.place))
        if not self.place:
            raise DataError(self.stream.name, None, None, "no rows", "there is nothing to learn from")

    @property
    def rounds(self) -> int:
        """Rounds played so far, by this run and those before it."""
        return self.tally.rounds

    @property
    def earlier(self) -> int:
        """How many rounds had been played before those of this stream."""
        return self.rounds - self.place

    @property
    def point(self) -> Point:
        """Rounds, their cost, and that of the best single action."""
        return self.rounds, self.tally.cost, self.tally.best_cost

    @property
    def whole_curve(self) -> list[Point]:
        """The curve to its very end."""
        return self.curve if self.curve and self.curve[-1][0] == self.rounds else [*self.curve, self.point]

    def _batch(self, part: Decisions) -> None:
        self.columns = self.columns or part.rows.columns
        if not self._begun:
            self.on_first(self.columns)
            self._begun = True
        first, last, done = self.rounds, self.rounds + len(part), 0
        points, checkpoints = points_within(first, last), self._checkpoints_within(first, last)
        for halt in sorted({*points, *checkpoints, last}):
            for begin, end in self._pieces(done, halt - first):
                self._observe(part.slice(begin, end))
            done = halt - first
            if halt in points:
                self.curve.append(self.point)
                self.on_point(self.point)
            if halt in checkpoints:
                self._write(unfinished=True)

    def _observe(self, part: Decisions) -> None:
        """Play some rounds."""
        for few, rows in self._blocks(part):
            self._play(few, rows)
            end = dense(few.rows.slice(len(few) - 1, len(few)), self.columns)
            self.last = print_of(Batch(end, None, self.columns), 0)

    def _blocks(self, part: Decisions) -> Iterator[tuple[Decisions, Any]]:
        """Rounds and their rows: sparse ones as they are, where nothing wants them dense."""
        wanted = isinstance(self.tally, LogTally) or self.out is not None or self.learner.shared
        if wanted or not part.rows.sparse:
            yield from dense_blocks(part, self.columns)
        else:
            yield part, replace(first_columns(part.rows, self.columns), columns=self.columns)

    def _play(self, part: Decisions, rows: Any) -> None:
        if isinstance(self.tally, LogTally):
            assert part.taken is not None, "a log says which action was taken"
            taught(self.learner, self.tally, part, rows)
            self.place += len(part)
            return
        trial = self.learner.play(rows, part.costs)
        self.tally.add(part.costs, trial)
        self._note(part, trial)
        self.place += len(part)
        if self.out is not None:
            self.out.write(rows, trial)

    def _note(self, part: Decisions, trial: Any) -> None:
        """Note the first rounds of the stream; rows of actions that have features of their own are left out."""
        wanted = min(self.trace - len(self.traced), len(part))
        if wanted <= 0:
            return
        rows = None if self.learner.shared else dense(part.rows.slice(0, wanted), self.columns)
        for place in range(wanted):
            row = [] if rows is None else np.asarray(rows)[place].tolist()
            action = self.tally.actions[int(trial.actions[place])]
            chance, cost = float(trial.probabilities[place]), float(trial.losses[place])
            self.traced.append(TracedDecision(self.place + place + 1, row, action, chance, cost))

    def describe(self, *, unfinished: bool) -> dict[str, Any]:
        """What goes into the model file; where the run stands only while it is not finished."""
        stands = {"row": self.place, "source": os.path.basename(self.stream.name)}
        return {
            "schema": self.stream.schema(),
            "decisions": self.stream.describe(),
            "tally": self.tally.state_dict(),
            "curve": [list(point) for point in self.curve],
            "last": self.last,
            "unfinished": stands if unfinished else None,
        }


@dataclass(frozen=True)
class ExploreContinuation:
    """How a run that was saved goes on.

    Attributes
    ----------
    schema : dict
        Of the stream, by which the next one builds the same columns.
    decisions : dict
        How the rounds were written in the file.
    tally : TrialTally or LogTally
    curve : tuple of (rounds, cost, best single action's cost)
    place : int
        Of an unfinished run, how many rows of its stream are learned; else 0.
    source : str or None
        The stream that an unfinished run stopped in, without its folder.
    last : str or None
        The print of the row that was learned last; None of models of earlier versions.
    """

    schema: dict[str, Any]
    decisions: dict[str, Any]
    tally: Tally
    curve: tuple[Point, ...] = ()
    place: int = 0
    source: str | None = None
    last: str | None = None

    @classmethod
    def read(cls, learner: ContextualBandit, extra: Mapping[str, Any]) -> ExploreContinuation:
        """What `ExploreRun.describe` wrote.

        Raises
        ------
        ModelError
            If it does not fit together.
        RegretlessError
            If the model was made in Python, so that nothing is said of any file.
        """
        if "decisions" not in extra:
            raise RegretlessError("the model does not say which file its rounds came from; go on with it in Python")
        with fits("what the model says of its run"):
            schema, decisions = dict(extra["schema"]), dict(extra["decisions"])
            kind = LogTally if one(decisions["logged"], bool, "logged") else TrialTally
            tally = kind.from_state(extra["tally"])
            if len(tally.actions) != learner.n_arms_:
                raise ValueError("its sums are of another number of actions")
            curve = tuple((count(r, "rounds"), float(c), float(b)) for r, c, b in extra["curve"])
            stands, last = extra["unfinished"], extra.get("last")
            if last is not None:
                one(last, str, "last")
            if stands is None:
                return cls(schema, decisions, tally, curve, last=last)
            place, source = count(stands["row"], "row"), one(stands["source"], str, "source")
        return cls(schema, decisions, tally, curve, place, source, last)

    def refuse_other(self, stream: DecisionStream) -> None:
        """An unfinished run goes on in the stream that it stopped in.

        Raises
        ------
        RegretlessError
            If this one has another name.
        """
        if self.source is not None:
            refuse_other_stream(stream.name, self.source, self.place)


def columns_of(stream: DecisionStream) -> int:
    """How many features the rows of a stream have, which is read for it: to its end, where rows are sparse.

    0 of what can be read only once. Of rows of which one cannot be used, as many as those before it have: a run learns
    these before it stops there.
    """
    columns = 0
    with suppress(DataError):
        for part in stream.rounds() if stream.rereadable else ():
            columns = max(columns, part.rows.columns)
            if not part.rows.sparse:
                break
    return columns


def dense(batch: Batch, columns: int) -> Array:
    """The rows with so many features: those beyond are left out, and what a row does not have is 0."""
    if batch.starts is None:
        rows = batch.values[:, :columns].astype(np.float64)
        return np.ascontiguousarray(np.pad(rows, ((0, 0), (0, columns - rows.shape[1]))))
    batch = first_columns(batch, columns)
    rows = np.zeros((len(batch), columns))
    lengths = np.diff(np.asarray(batch.starts))
    rows[np.repeat(np.arange(len(batch)), lengths), batch.indices] = batch.values
    return rows


def block_size(columns: int) -> int:
    """How many bytes the rows take that are made dense at once: `BLOCK`, or those of one row."""
    return max(BLOCK, 8 * columns)


def dense_blocks(part: Decisions, columns: int) -> Iterator[tuple[Decisions, Array]]:
    """Rounds and their dense rows, so few at once that these take no more than `block_size`."""
    step = max(1, BLOCK // (8 * columns)) if columns else len(part)
    for begin in range(0, len(part), step):
        few = part.slice(begin, min(begin + step, len(part)))
        yield few, dense(few.rows, columns)


def taught(learner: ContextualBandit, tally: LogTally, part: Decisions, rows: Array) -> None:
    """Learn from a log: before each round, what the learner would have done in it is compared with what was done."""
    taken, chances = np.asarray(part.taken), np.asarray(part.chances)
    costs = part.costs[np.arange(len(part)), taken]
    for place, (row, action) in enumerate(zip(rows, taken.tolist(), strict=True)):
        there = None if part.available is None else part.available[place]
        probabilities, forecasts = learner.foreseen(row, there)
        tally.add(action, float(costs[place]), float(chances[place]), probabilities, forecasts, there)
        learner.observe(row, action, costs[place])


MOST_COLUMNS = 2000  # whose products are added up
PRIOR = 1e-3  # of the mean square of each feature, times the rounds: what the squares of its weights are charged


@dataclass(frozen=True)
class HindsightCosts:
    """Costs in hindsight.

    Attributes
    ----------
    rounds : list of int
        Round counts.
    best : list of float
        What the best single action of all rounds had cost after each of them.
    policy : list of float
        What the linear policy had.
    """

    rounds: list[int]
    best: list[float]
    policy: list[float]

    @property
    def policy_cost(self) -> float:
        """What the policy cost in all rounds."""
        return self.policy[-1]


@one_thread()
def hindsight(
    stream: DecisionStream, columns: int, most: int, stop: Callable[[], bool] = lambda: False
) -> HindsightCosts | None:
    """Read costs or rewards twice more; None of a log, of what can be read only once, or of very many features.

    Parameters
    ----------
    stream : DecisionStream
    columns : int
        How many features there are.
    most : int
        How many rounds to read, at least 1.
    stop : callable
        Whether to give up; None then.
    """
    if stream.logged or not stream.rereadable or columns > MOST_COLUMNS:
        return None
    squares, products = np.zeros((columns + 1, columns + 1)), np.zeros((columns + 1, len(stream.actions)))
    for rows, costs in _parts(stream, columns, most):
        squares += rows.T @ rows
        products += rows.T @ costs
        if stop():
            return None
    least = np.argmax if in_rewards(stream.describe()) else np.argmin
    best = int(least(products[-1]))  # the constant is last: these are sums of costs
    weights = np.linalg.lstsq(squares + np.diag(PRIOR * np.diag(squares)), products, rcond=None)[0]
    counts: list[int] = []
    curves: tuple[list[float], list[float]] = [], []
    done, totals = 0, np.zeros(2)
    for rows, costs in _parts(stream, columns, most):
        chosen = least(rows @ weights, axis=1)
        each = np.column_stack([costs[:, best], costs[np.arange(len(costs)), chosen]])
        sums = np.cumsum(np.vstack([totals, each]), axis=0)
        for point in {*points_within(done, done + len(rows)), *({most} & {done + len(rows)})}:
            counts.append(point)
            for curve, value in zip(curves, sums[point - done].tolist(), strict=True):
                curve.append(value)
        done, totals = done + len(rows), sums[-1]
        if stop():
            return None
    order = np.argsort(counts)
    ordered = [[values[place] for place in order] for values in curves]
    return HindsightCosts([counts[place] for place in order], *ordered)


def _parts(stream: DecisionStream, columns: int, most: int) -> Iterator[tuple[Array, Array]]:
    """Rows with a constant behind them, and costs."""
    for part in stream.rounds():
        part = part.slice(0, min(len(part), most))
        for few, rows in dense_blocks(part, columns):
            yield np.column_stack([rows, np.ones(len(few))]), few.costs
        most -= len(part)
        if not most:
            return
