"""A run of a combiner over a stream: output, checkpoints, resuming."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from math import inf, isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from ..data.forecast_stream import ForecastBatch, ForecastStream
from ..errors import DataError, RowError
from ..experts.base import ExpertLearner
from ..experts.comparators import Totals
from ..experts.delayed_stream import Late, Waiting, bookmark, can_wait
from ..experts.label_efficient import LabelEfficient
from ..experts.losses import WITHOUT_OUTCOME
from ..experts.result import TAIL, CombinerPlay, History
from ..experts.validation import OUTCOME, AdviceError
from .base import StreamRun
from .continuation import CombineContinuation
from .intervals import RunIntervals

if TYPE_CHECKING:
    from ..comparator import ExpertComparator
    from ..data.column_writer import ColumnsOut
    from .tracing import ForecastTracer

Array = np.ndarray[Any, Any]
LARGEST_GRAM = 1000  # experts up to which there are `Totals`
AHEAD = 1024  # rows, and more, whose draws are looked at for the next stop
MOST_FORECASTS = 10_000  # of rows without outcome that are remembered
Point = tuple[int, float, float, float]  # rounds, the learner's loss, the best expert's loss a round, the regret


@dataclass
class CombineRun(StreamRun):
    """One combiner, one stream of forecasts.

    Attributes
    ----------
    learner : ExpertLearner
    stream : ForecastStream
    delay : int or None
        After how many rows an outcome is known; None: when the stream's arrivals or times say, or before the next row.
    arrivals : bool
        Whether a column of the stream says when outcomes are known.
    save : path or None
        Where checkpoints and the finished model go.
    checkpoint_every : int or None
        The model is saved whenever the number of rows is a multiple of this.
    out, weights_out : ColumnsOut or None
        Where forecasts and weights go, row by row.
    history : History
    unsettled : iterable of (arrival, row, ticket, outcome)
        Rows of earlier files whose outcomes have not arrived yet.
    passed_over : int
        How many rows, of this file and those before it, had no outcome, and were followed by one that had.
    place : int
        How many rows of this stream are learned; at first, where the run begins.
    compare : bool
        Whether to add up what `comparators` needs.
    intervals : RunIntervals or None
        Those around the forecasts, if they are wanted.
    asking : LabelEfficient or None
        What plays the learner, which is its own, if few of the outcomes are to be learned. The rows that have one are
        its rounds, so that which are asked does not depend on those that have none.
    tracer : ForecastTracer or None
        Takes down the first rows one by one, where that is wanted.
    forecasts : list of (time, forecast)
        Of the last rows, whose outcome is not known.
    ends : list of (low, high)
        Of the intervals around these.
    on_point : callable
        Called with each point at a power of two.
    on_rounds : callable
        Called with the number of rounds that have been played.
    stop : callable
        Called before each batch, and a few times a second within one; true stops the run.
    waiting : bool
        Whether the next batch is being read. What is raised then finds the learner between two rounds.
    saved : int
        How many rounds the model had when this run last saved it; 0 if it never did.
    """

    learner: ExpertLearner
    stream: ForecastStream
    delay: int | None = None
    arrivals: bool = False
    save: str | os.PathLike[str] | None = None
    checkpoint_every: int | None = None
    out: ColumnsOut | None = None
    weights_out: ColumnsOut | None = None
    history: History = field(default_factory=lambda: History([]))
    unsettled: Iterable[Waiting] = ()
    passed_over: int = 0
    place: int = 0
    compare: bool = True
    intervals: RunIntervals | None = None
    asking: LabelEfficient | None = None
    tracer: ForecastTracer | None = None
    forecasts: list[tuple[str, float]] = field(default_factory=list)
    ends: list[tuple[float, float]] = field(default_factory=list)
    on_point: Callable[[Point], None] = lambda point: None
    on_rounds: Callable[[int], None] = lambda rounds: None
    stop: Callable[[], bool] = lambda: False
    waiting: bool = False
    saved: int = 0
    totals: Totals | None = None

    def __post_init__(self) -> None:
        waiting = list(self.unsettled)
        self._passed_over = self.passed_over  # before this file
        played = self.learner.rounds_ if self.asking is None else self.asking.rounds_
        self.before = self._rows = played + len(waiting) + self.passed_over  # rows of all files so far
        self._noted = self.learner.rounds_  # rounds when the learner's state was looked at last
        self._asked_late = self.delay not in (None, 1) or self.arrivals
        waits = self.asking is None and can_wait(self.learner)
        late = self._asked_late or waiting or (self.stream.in_blocks and waits)
        self._late: Late | None = None
        if late:
            self._late = Late(self.learner, self.delay, waiting, self._rows, self._note_settled, self._next_note)
        self._clock = 0  # of the last row
        self._ahead: list[ForecastBatch] = []  # rows without outcome, after which none has come yet
        self._last: deque[tuple[Sequence[Any], Array, Array]] = deque()  # times, predictions, outcomes
        self._last_rows = 0

    def play(self) -> None:
        """As any run does; tables that were written are kept if the model was saved or the run is over."""
        keep = False
        try:
            try:
                self._with_rescue(self._go_to_the_end)
            except Exception:
                keep = self.saved > 0
                raise
            self._write(unfinished=False)
            keep = True
            if self._asked_late:  # the saved model goes on tomorrow, with outcomes still to come
                self._look_ahead()
        finally:
            self._note_last()
            self._close(keep=keep)
        if self.rounds:
            self.history.record(self.learner)

    def _go_to_the_end(self) -> None:
        self._go_over(self.stream.batches(self.place))
        if not self._asked_late:  # the last block is over
            self._look_ahead()
        if gaps := self.passed_over - self._passed_over:
            rows = "row has no outcome" if gaps == 1 else "rows have no outcome"
            note = f"{gaps:,} {rows} and rows with one after it: predicted, and nothing learned"
            self.stream.notes.append(f"{self.stream.name}: {note}")

    @property
    def rounds(self) -> int:
        """Rounds whose outcome is learned, by this run and those before it."""
        return self.learner.rounds_

    @property
    def rows(self) -> int:
        """Rows taken, by this run and those before it; more than rounds while outcomes are to come."""
        return self._rows

    @property
    def point(self) -> Point:
        """Where the run stands; the best expert is the one that the learner regrets most."""
        if not self.rounds:
            return 0, 0.0, 0.0, 0.0
        book = self.learner.ledger_
        regrets = np.where(book.spoke > 0, book.faced - book.losses, -np.inf)
        best = int(np.argmax(regrets))
        return int(book.rounds), book.loss, float(book.losses[best] / book.spoke[best]), float(regrets[best])

    @property
    def late(self) -> bool:
        """Whether outcomes come late, by the user's word or by blocks of rows."""
        state = self.learner._state
        return self._asked_late or (self._late is not None and state is not None and state.apart > 0)

    @property
    def blind(self) -> bool:
        """Whether there are no outcomes: the advice says it all."""
        return self.learner._loss.name in WITHOUT_OUTCOME

    def _begin(self) -> None:
        """The experts are known once the first batch is."""
        self.learner._learn_names(self.stream.experts)
        if not self.history.names:
            self.history.names = list(self.stream.experts)
        count = len(self.stream.experts)
        if self.compare and self.totals is None and self._rows == 0 and count <= LARGEST_GRAM:
            self.totals = Totals(count, self.learner._loss)

    def _look_back(self, batch: ForecastBatch) -> None:
        """Note it where a run goes on with a table that begins with a row that it has learned: it is learned again."""
        if self.place or batch.times is None or not len(batch):
            return
        if batch.times[0] in {str(time) for time, _, _ in self.history.residuals}:
            fault = f"the row of {batch.times[0]} was learned before, and is learned again"
            self.stream.notes.append(f"{self.stream.name}: {fault}; leave out the rows that the model knows")

    def _batch(self, batch: ForecastBatch) -> None:
        self._begin()
        if self.before and self._rows == self.before:
            self._look_back(batch)
        if self.stream.in_blocks and self._late is None:
            self._refuse_ties(batch)
        first = 0 if self.asking is None else self.asking.rounds_
        for begin, end, known in batch.runs():
            if known:
                self._pass_over()
                self._learn(batch, begin, end)
            else:
                self._ahead.append(batch.slice(begin, end))
        if self.totals is not None:
            good = self._asked(batch.with_outcomes(), first)
            if len(good):
                self.totals.add(good.advice, None if self.blind else good.outcomes)

    def _asked(self, known: ForecastBatch, first: int) -> ForecastBatch:
        """Those of consecutive rows with outcomes that are learned; the first of them is the round `first`, from 0."""
        return known if self.asking is None else known.where(self.asking.asks(first, first + len(known)))

    def _learn(self, batch: ForecastBatch, begin: int, end: int) -> None:
        """Play rows that have outcomes, with a stop wherever something is to be noted."""
        while begin < end:
            stop = begin + self._until_stop(end - begin)
            for first, cut in self._pieces(begin, stop):
                self._piece(batch.slice(first, cut))
            begin = stop

    def _pass_over(self) -> None:
        """Forecast rows without outcome that a row with one has followed: nothing is learned from them."""
        for batch in self._ahead:
            for begin, end in self._pieces(0, len(batch)):
                for row in (batch.slice(place, place + 1) for place in range(begin, end)):
                    if self._late is not None:
                        if self.intervals is not None:
                            self.intervals.settle(self._late.now(row, 0))
                        self._late.pass_over(row)
                    self._forecast(row, 0)
                    self._rows += 1
                    self.place += 1
                    self.passed_over += 1
                    self._save_if_due()
        self._ahead.clear()
        self.forecasts.clear()
        self.ends.clear()

    def _refuse_ties(self, batch: ForecastBatch) -> None:
        """Refuse rows of one time where the learner needs every outcome before the next row."""
        assert batch.clock is not None
        clock = np.concatenate([[self._clock], batch.clock])
        tied = np.flatnonzero(clock[1:] == clock[:-1])
        if len(tied):
            row, when = int(tied[0]), batch.times[tied[0]] if batch.times else ""
            fault = f"this row and the one before it are both of {when}"
            why = f"{self.learner.name} needs every outcome at once"
            advice = "--delay 1 plays one after the other, and hedge waits for outcomes"
            if self.asking is not None:
                why, advice = "--label-budget learns an outcome before the next row", "use --delay 1 where that is so"
            raise batch.error(row, None, f"{fault}, and {why}", advice)
        self._clock = int(clock[-1])

    def _next_note(self, rounds: int) -> int:
        """The next round after which the learner's state is noted."""
        return min(self.history.next_stop(rounds), 1 << rounds.bit_length())

    def _until_stop(self, most: int) -> int:
        """After how many of so many rows something is to be noted first."""
        if self._traces:
            return 1
        rows, notes = self._rows, most
        if self.asking is None:
            notes = self._next_note(rows) - rows
        else:
            left = self._next_note(self.rounds) - self.rounds
            most = int(min(most, AHEAD + 2 * left / self.asking.share))  # nor need the draws of all rows be looked at
            asked = np.flatnonzero(self.asking.asks(self.asking.rounds_, self.asking.rounds_ + most))
            notes = most if len(asked) < left else int(asked[left - 1]) + 1
        checkpoint = most if not self.checkpoint_every else self.checkpoint_every - rows % self.checkpoint_every
        return min(most, notes, checkpoint)

    def _piece(self, piece: ForecastBatch) -> None:
        """Play rows up to the next stop, or up to one that cannot be played."""
        times = None if self._late is None else self._late.times(piece)
        played, error = self._play_rows(replace(piece, outcomes=None) if self.blind else piece)
        good = piece.slice(0, len(played.losses))
        if len(good):
            self._take_note(good, played, times)
        if error is not None:
            raise self._name_error(error, piece) from error

    def _play_rows(self, piece: ForecastBatch) -> tuple[CombinerPlay, AdviceError | None]:
        """The play of the rows that could be played, and what is wrong with the first that could not."""
        rest = self.weights_out is not None or self._traces
        if self._late is not None:
            out = CombinerPlay.room(len(piece), piece.advice.shape[1], 1, weights=rest)
            try:
                self._late.play(piece, out)
            except AdviceError as error:
                weights = None if out.weights is None else out.weights[: error.row]
                return CombinerPlay(out.predictions[: error.row], out.losses[: error.row], weights), error
            return out, None
        player = self.asking or self.learner
        undo = bookmark(self.learner) if self.asking is None else self.asking.bookmark()
        try:
            return player.play(piece.advice, piece.outcomes, weights=rest), None
        except AdviceError as error:
            undo()
            good = piece.slice(0, error.row)
            return player.play(good.advice, good.outcomes, weights=rest), error

    @property
    def _traces(self) -> bool:
        """Whether the next row is one of the first that are taken down."""
        return self.tracer is not None and self.tracer.left > 0

    def _learned_at_once(self, rows: int) -> bool:
        """Whether of the rows that were played last one had its outcome learned before the next was forecast."""
        if self.asking is not None:
            return bool(self.asking.asks(self.asking.rounds_ - rows, self.asking.rounds_).any())
        return self._late is None

    def _take_note(self, piece: ForecastBatch, played: CombinerPlay, clock: tuple[Array, Array] | None) -> None:
        """Write what was played where it is wanted, and save the model if that is due."""
        outcomes = None if self.blind else piece.outcomes
        if outcomes is not None:
            self._keep_last(piece, played.predictions, outcomes)
        if self.tracer is not None and self._traces:
            self.tracer.take(self.learner, piece, played, outcomes, learned=self._learned_at_once(len(piece)))
        writes = self.out is not None or self.weights_out is not None
        times = self._times(piece) if writes else []
        self._rows += len(piece)
        self.place += len(piece)
        ends = self._ends(piece, played, clock)
        if self.out is not None:
            columns = [*([] if outcomes is None else [outcomes]), played.predictions, played.losses, *ends]
            if self.asking is not None:
                rounds = self.asking.rounds_
                columns.append(self.asking.asks(rounds - len(piece), rounds).astype(np.float64))
            self.out.write(times, columns)
        if self.weights_out is not None and played.weights is not None:
            self.weights_out.write(times, list(played.weights.T))
        if self._late is None:
            self._note_settled()
        self._save_if_due()

    def _ends(
        self, piece: ForecastBatch, played: CombinerPlay, clock: tuple[Array, Array] | None
    ) -> tuple[()] | tuple[Array, Array]:
        """The ends of the intervals around the forecasts of rows, if intervals are wanted."""
        if self.intervals is None or piece.outcomes is None:
            return ()
        try:
            return self.intervals.play(played.predictions, piece.outcomes, clock)
        except RowError as error:
            raise piece.error(error.row, None, error.fault, error.advice) from error

    def _save_if_due(self) -> None:
        if self.checkpoint_every and self._rows % self.checkpoint_every == 0:
            self._write(unfinished=True)

    def _keep_last(self, piece: ForecastBatch, predictions: Array, outcomes: Array) -> None:
        """Store the last forecasts of a piece, of which the history takes the last of the whole run."""
        cut = slice(max(0, len(piece) - TAIL), None)
        times = range(self._rows + 1, self._rows + len(piece) + 1) if piece.times is None else piece.times
        self._last.append((times[cut], predictions[cut].copy(), outcomes[cut].copy()))
        self._last_rows += len(self._last[-1][1])
        while self._last_rows - len(self._last[0][1]) >= TAIL:
            self._last_rows -= len(self._last.popleft()[1])

    def _note_last(self) -> None:
        """Add the stored forecasts to the history."""
        for times, predictions, outcomes in self._last:
            for time, predicted, outcome in zip(times, predictions.tolist(), outcomes.tolist(), strict=True):
                self.history.residual(time if isinstance(time, str) else str(time), predicted, outcome)
        self._last.clear()
        self._last_rows = 0

    def _note_settled(self) -> None:
        """Note how the learner stands, after an outcome or several."""
        rounds = self.rounds
        if rounds == self._noted:
            return
        self._noted = rounds
        if rounds % self.history.stride == 0:
            self.history.record(self.learner)
        if rounds & (rounds - 1) == 0:
            self.on_point(self.point)

    def _look_ahead(self) -> None:
        """Forecast the last rows by what will be known then, and learn all that is."""
        ahead = 0
        for batch in self._ahead:
            for row in (batch.slice(place, place + 1) for place in range(len(batch))):
                if self._late is not None:
                    if self.intervals is not None:
                        self.intervals.settle(self._late.now(row, ahead))
                    self._late.arrive(row, ahead)
                self._forecast(row, ahead)
                ahead += 1
        if self._late is not None:
            self._late.settle_all()
        if self.intervals is not None:
            self.intervals.settle(inf)

    def _forecast(self, row: ForecastBatch, ahead: int) -> None:
        """Combine the forecasts of a row whose outcome is not known."""
        try:
            foreseen = self.learner._round(row.advice[0])
        except AdviceError as error:
            raise self._name_error(error, row) from error
        times = row.times or [str(self._rows + ahead + 1)]
        self.forecasts.append((times[0], float(foreseen.prediction[0])))
        del self.forecasts[:-MOST_FORECASTS]
        missing, ends = np.array([np.nan]), [] if self.asking is None else [np.zeros(1)]
        if self.intervals is not None:
            self.ends.append(self.intervals.around(self.forecasts[-1][1]))
            del self.ends[:-MOST_FORECASTS]
            ends = [np.array([end]) for end in self.ends[-1]]
        if self.out is not None:
            self.out.write(times, [missing, foreseen.prediction, missing, *ends])
        if self.weights_out is not None:
            self.weights_out.write(times, list(foreseen.weights[:, None]))

    def _times(self, piece: ForecastBatch) -> list[str]:
        return piece.times or [str(self._rows + 1 + row) for row in range(len(piece))]

    def _name_error(self, error: AdviceError, rows: ForecastBatch) -> DataError:
        """The error with the place in the file in it, and what stands there."""
        row, column, fault = min(error.row, len(rows) - 1), error.whose, error.fault
        if error.column == OUTCOME and self.stream.target is not None:
            column, fault = self.stream.target, f"column {self.stream.target!r}: {fault}"
        values = rows.outcomes if error.column == OUTCOME else rows.advice
        if error.column is not None and values is not None:
            value = float(values[row] if error.column == OUTCOME else values[row, error.column])
            fault += f" ({value:g} was found)" if isfinite(value) else ""
        return rows.error(row, column, fault, error.advice)

    def _close(self, *, keep: bool) -> None:
        tables = [table for table in (self.out, self.weights_out) if table is not None]
        try:
            for table in tables if keep else ():
                table.finish()
        finally:
            for table in tables:
                table.discard()  # what is finished already stays

    def comparators(self, switches: Iterable[int] = ()) -> tuple[list[ExpertComparator], dict[str, str]]:
        """Comparators: the losses of fixed uses of the experts, and why others are missing.

        The stream is read again where one pass did not do.
        """
        from ..experts.certificates import best_expert, hindsight
        from ..experts.comparators import absent_reasons

        ledger, loss = self.learner.ledger_, self.learner._loss
        wanted = tuple(switches)
        reasons = absent_reasons(ledger, loss, switches=wanted)
        if self.before:
            others = ("uniform", "best_convex", "best_linear", "best_shifting")
            why = "it is about all rounds, and those before this file are not at hand"
            return [best_expert(self.learner, ledger)], reasons | dict.fromkeys(others, why)
        if not self.stream.rereadable:
            if loss.name != "square" or wanted:
                why = "it needs the rounds once more, and this can be read once only; keep it with --cache FILE"
                reasons |= dict.fromkeys(("best_shifting", *(() if loss.name == "square" else ("best_convex",))), why)
            if loss.name != "square" or self.totals is None:
                return [best_expert(self.learner, ledger)], reasons
            return hindsight(self.learner, ledger, lambda: (), totals=self.totals), reasons
        return hindsight(self.learner, ledger, self._blocks, totals=self.totals, switches=wanted), reasons

    def _blocks(self) -> Iterator[tuple[Array, Array | None]]:
        first = 0
        for batch in self.stream.batches():
            known = batch.with_outcomes()
            first, known = first + len(known), self._asked(known, first)
            if len(known):
                yield known.advice, None if self.blind else known.outcomes

    def describe(self, *, unfinished: bool) -> dict[str, Any]:
        """What goes into the model file, from which `CombineContinuation.read` goes on."""
        self._note_last()
        goes_on = CombineContinuation(
            {name: value for name, value in self.stream.schema().items() if name != "experts"},
            self.delay,
            () if self._late is None else tuple(self._late.waiting()),
            self.passed_over,
            self.history,
            self.place if unfinished else 0,
            os.path.basename(self.stream.name) if unfinished else None,
            self.intervals,
            self.asking,
        )
        return goes_on.describe()
