"""The theorems of a model in production, read on the rounds in the order of their labels.

A theorem about a learner of rows is about weights that have learned every label before the next prediction. In
production a prediction is answered by older weights if labels are late. The certificate is therefore about the
predictions that would have been made just before each label was learned; beside it stands what was answered, and the
difference, which is what the delay cost. A combiner's and a bandit's theorems are about their answers themselves: what
the delay cost is in their bounds, or they do not apply.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..certificate import Certificate
from ..certify import certify_outcomes, certify_stream, gives
from ..data import open_stream
from ..data.batch import Batch
from ..data.stream import Stream, past
from ..errors import RegretlessError
from ..theory.late_labels import as_answered
from .databases import store_of
from .engine import ModelEngine, label_of
from .live import Live
from .replay import BLOCK
from .rows import ServedRows
from .store import BY_SEQUENCE, LEARNT, Snapshot, Store

IN_ORDER = (
    "the theorems are about predictions by the weights that have learned every label before, in the order in which "
    "labels came; what was answered is by older weights where labels were late"
)
SHARE = 0.05  # of the time, at most, in which certificates are computed
AS_ANSWERED = "the theorems are about the answers themselves; what late labels cost is in the bounds"
GIVEN_UP = "; {expired:,} forecasts whose outcomes did not come are in no bound"
BY_DEFAULT = (
    "; {substituted:,} of {rounds:,} {noun} are the default that stands for labels that did not come, and the bounds "
    "are on these"
)
PROMOTED_SINCE = "; where another learner answered, about what this one predicted just before each label"
NOT_BEFORE = (
    "does not apply: no theorem about this learner says before the run what late labels will cost; the cost is counted"
)
EARLIER = (
    "the model had learned {rounds:,} rounds before those of the log; serve a new one (--learner), or start with their "
    "file (--rows)"
)
PRUNED = "the log was pruned: the rounds up to label {label:,} are not in it"
ASIDE = "the model had learned {rounds:,} rounds before it learned those of the log, which does not have them"


class LogStream(Stream):
    """The rows of a log whose labels were learned, in the order of the labels.

    Parameters
    ----------
    store : Store
        To read, not opened yet.
    live : Live
        The model at `version`, by whose columns rows are read.
    """

    def __init__(self, store: Store, live: Live) -> None:
        super().__init__(store.name)
        assert isinstance(live.served, ServedRows)
        self._store, self._rows, self._version = store, live.served, live.version
        self._since = live.tally.since

    def batches(self, skip: int = 0) -> Iterator[Batch]:
        """Read from the start, passing over the first `skip` rows."""
        return past(self._blocks(), skip)

    def _blocks(self) -> Iterator[Batch]:
        self._store.open()
        try:
            after = self._since
            while after < self._version:
                events = self._store.read(BY_SEQUENCE, after, min(BLOCK, self._version - after))
                if not events:
                    return
                after += len(events)
                learnt = [event for event in events if event.state == LEARNT]
                if learnt:
                    labels = self._rows.labels([label_of(event) for event in learnt])
                    yield self._rows.batch([event.input for event in learnt], labels)
        finally:
            self._store.close()

    def begins_after(self) -> int:
        """The last sequence number before the log begins: above 0 once it was pruned."""
        self._store.open()
        try:
            return self._store.begins_after()
        finally:
            self._store.close()

    def schema(self) -> dict[str, Any]:
        """That of the model."""
        return dict(self._rows.schema or {})


class FileAndLog(Stream):
    """The rows that a model had learned before it was served, and then those of its log.

    Parameters
    ----------
    file : Stream
        Of the rows before.
    log : LogStream
    columns : int
        How many features the model has.
    """

    def __init__(self, file: Stream, log: LogStream, columns: int) -> None:
        super().__init__(file.name)
        self.rereadable = file.rereadable
        self._file, self._log, self._columns = file, log, columns

    def batches(self, skip: int = 0) -> Iterator[Batch]:
        """Read from the start, passing over the first `skip` rows."""
        return past(self._both(), skip)

    def _both(self) -> Iterator[Batch]:
        sparse = False
        for batch in self._file.batches():
            sparse = batch.sparse
            yield batch
        for batch in self._log.batches():
            yield sparse_batch(batch) if sparse else batch

    def schema(self) -> dict[str, Any]:
        """That of the model."""
        return self._log.schema()


def sparse_batch(batch: Batch) -> Batch:
    """The rows of a batch, without their zeros."""
    rows, columns = np.nonzero(batch.values)
    starts = np.searchsorted(rows, np.arange(len(batch.values) + 1))
    return Batch(batch.values[rows, columns], batch.labels, batch.columns, columns.astype(np.int32), starts)


@dataclass(frozen=True, slots=True)
class Certified:
    """The certificates of a model after so many labels; `when` on the monotonic clock, and how long they took."""

    version: int
    rounds: int
    certificates: list[Certificate]
    described: dict[str, Any]
    when: float
    seconds: float


async def certify(engine: ModelEngine) -> dict[str, Any]:
    """The certificates of a model, as JSON values, which say after how many labels they are."""
    return (await certified_lately(engine)).described


async def certified_lately(engine: ModelEngine) -> Certified:
    """The certificates of the model as it stands, or not long ago where they take their time."""
    last: Certified | None = engine.certified_last
    if last is not None and (
        last.version == engine.live.version or time.monotonic() - last.when < last.seconds / SHARE
    ):
        return last
    return await certified(engine)


async def certified(engine: ModelEngine) -> Certified:
    """The certificates of a model as it stands; computed once for each version, one after the other."""
    version = engine.live.version
    known = engine.certified
    if known is None or (known[1].done() and (known[0] != version or known[1].exception() is not None)):
        now = engine.live.snapshot(0.0)
        work = asyncio.ensure_future(asyncio.to_thread(_certified, now, engine.name, engine.where, engine.rows))
        engine.certified = known = version, work
    result: Certified = await asyncio.shield(known[1])
    engine.certified_last = result
    return result


def _certified(now: Snapshot, name: str, where: Any, rows: str | None) -> Certified:
    begin, live = time.monotonic(), Live.of(now, name)
    certificates = _certificates(live, where, rows)
    delay = _delay(live)
    if isinstance(live.served, ServedRows) and live.tally.late and not live.tally.promoted:
        certificates += filter(None, [as_answered(one, delay["cost"]) for one in certificates])
    rounds = live.served.sums()[0]
    described = {
        "version": live.version,
        "rounds": rounds,
        "about": about(live),
        "delay": delay,
        "certificates": [one.describe() | {"line": str(one)} for one in certificates],
    }
    end = time.monotonic()
    return Certified(live.version, rounds, certificates, described, end, end - begin)


def about(live: Live) -> str:
    """What the theorems are about, and what is not in them."""
    served, tally = live.served, live.tally
    if isinstance(served, ServedRows):
        return IN_ORDER
    noun = "rewards" if getattr(served.learner, "rewards", False) else "losses"
    defaults = BY_DEFAULT.format(substituted=tally.substituted, rounds=tally.learnt + tally.substituted, noun=noun)
    gone = GIVEN_UP.format(expired=tally.expired) if tally.expired and served.forgets else ""
    return AS_ANSWERED + gone + (defaults if tally.substituted else "") + (PROMOTED_SINCE if tally.promoted else "")


def _certificates(live: Live, where: Any, rows: str | None) -> list[Certificate]:
    learner: Any = live.served.learner
    if not isinstance(live.served, ServedRows):
        return list(learner.certify())
    tally, log = live.tally, LogStream(store_of(where, writes=False), live)
    if (pruned := log.begins_after()) > tally.since:
        return _by_sums(learner, PRUNED.format(label=pruned))
    if tally.before and (rows is None or tally.since):
        return _by_sums(learner, (EARLIER if not tally.since else ASIDE).format(rounds=tally.before))
    if not live.served.sums()[0]:
        return list(learner.declined("no label was learned yet"))
    stream: Stream = log
    if tally.before:
        stream = FileAndLog(rows_before(str(rows), live), log, learner.state_.columns)
    if learner.kind == "linear":
        return certify_stream(learner, stream)
    return certify_outcomes(learner, stream)


def rows_before(path: str, live: Live) -> Stream:
    """The rows of a file, as the learner of a served model reads them."""
    return open_stream(path, schema=getattr(live.served.learner, "schema_", live.served.schema), frozen=True)


def refuse_rows(path: str, first: Live) -> None:
    """Refuse a file of rows that a model did not learn before it was served.

    Parameters
    ----------
    path : str
    first : Live
        The model that the log begins with.

    Raises
    ------
    RegretlessError
        If there is no such file, the model had learned nothing, or other rows, or is none of rows.
    """
    before, learner = first.tally.base_rounds, first.served.learner
    if not isinstance(first.served, ServedRows):
        raise RegretlessError(f"--rows {path}: the theorems of {learner.name} need no rows again; leave --rows out")
    if not Path(path).is_file():
        raise RegretlessError(f"--rows {path}: there is no such file")
    if not before:
        raise RegretlessError(f"--rows {path}: the model had learned nothing before it was served")
    stream = rows_before(path, first)
    rows = sum(map(len, stream.batches()))
    if not rows or before % rows:  # of several passes they are a multiple
        fault = f"this file has {rows:,} rows, and the model had learned {before:,} rounds before it was served"
        raise RegretlessError(f"--rows {path}: {fault}; give the file that it learned")
    if not gives(learner, stream):
        fault = "the rows of this file, played again, do not give the model as it was before it was served"
        advice = "give the file that it learned; if this is it, an earlier version learned it, which rounds otherwise"
        raise RegretlessError(f"--rows {path}: {fault}; {advice}")


def _by_sums(learner: Any, why: str) -> list[Certificate]:
    """The certificates for which no round is read again, and why the others do not apply."""
    known = {} if learner.kind != "linear" else {one.theorem.name: one for one in learner.by_sums()}
    return [known.get(one.theorem.name, one) for one in learner.declined(why)]


def _delay(live: Live) -> dict[str, Any]:
    """How late labels were, and what that cost; None of what is not known where labels came with their inputs."""
    tally = live.tally
    known = not tally.unanswered
    described: dict[str, Any] = {
        "labels": tally.learnt,
        "late": tally.late if known else None,
        "mean_rounds": tally.rounds_late / tally.learnt if tally.learnt and known else None,
        "most_rounds": tally.most_late if known else None,
        "mean_seconds": tally.seconds / tally.learnt if tally.learnt and known else None,
        "unanswered": tally.unanswered,
        "expired": tally.expired,
        "substituted": tally.substituted,
    }
    if not isinstance(live.served, ServedRows):
        return described
    _, mistakes, loss = live.served.sums()
    in_order = {"mistakes": mistakes - tally.base_mistakes, "loss": loss - tally.base_loss}
    answered = {
        "mistakes": tally.mistakes if live.served.judges_mistakes and known else None,
        "loss": tally.loss if live.served.judges_loss and known else None,
    }
    # Some were answered by the other one, or all by the mean or the vote of the weights whose mistakes are counted.
    others = tally.promoted or getattr(live.served.learner, "predicted_by", "") in ("average", "vote")
    cost = {name: None if value is None or others else value - in_order[name] for name, value in answered.items()}
    return described | {"answered": answered, "in_order": in_order, "cost": cost, "cost_before_the_run": NOT_BEFORE}
