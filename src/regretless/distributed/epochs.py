"""Epochs over all shards: the first one, which discovers labels and columns, and those that go on with it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from functools import partial
from time import perf_counter
from typing import Any, TypeVar

import numpy as np

from ..data.batch import Array
from ..data.table import LACKING
from ..errors import DataError, Interrupted, RegretlessError
from ..linear.base import OnlineClassifier
from ..linear.labels import read_labels
from .checkpoint import SavedRun
from .engine import Engine
from .history import EpochResult, MixingSums, epoch_of
from .learner_adapter import make_start, take_in
from .messages import Count, ShardSchema
from .shard_epoch import columns_of, epoch, merge, merge_schemas, peek, survey, unite_labels, unite_schemas
from .shards import Shard

T = TypeVar("T")
FIRST = "the first shard"  # what messages call the one whose columns are those of all
NUMBER = "a number is expected"
REMEMBERED = 20  # errors of rows that were passed over


@dataclass
class Epochs:
    """Plays epochs of one learner over shards.

    Attributes
    ----------
    learner : OnlineClassifier
        Its parameters.
    shards : list of Shard
    engine : Engine
    classes : array-like or None
        Labels that the user has announced.
    known_labels : sequence
        As in `Mixing`.
    on_shard : callable
        Called with the number of the epoch, from 1, and the place of each shard that is done.
    stop : callable
        Called now and then; true stops the run.
    """

    learner: OnlineClassifier
    shards: list[Shard]
    engine: Engine
    classes: Any = None
    known_labels: Any = ()
    on_shard: Callable[[int, int], None] = lambda number, place: None
    stop: Callable[[], bool] = lambda: False
    _moved: tuple[int, int] = field(default=(0, 0), init=False)  # bytes that travelled in this epoch, down and up

    def next(self, learner: OnlineClassifier | None, run: SavedRun) -> tuple[OnlineClassifier, SavedRun]:
        """Play the epoch that comes after a run; the learner and the run that it leaves, which are others.

        Parameters
        ----------
        learner : OnlineClassifier or None
            As the run has left it; None before the first epoch.
        run : SavedRun
            Without a history before that: then it says how to mix.

        Raises
        ------
        DataError
            If a shard is empty or malformed, or has changed since the epoch before.
        RegretlessError
            If all rows are of one class, or shards contradict each other.
        Interrupted
            If `stop` was true.
        """
        began, self._moved = perf_counter(), (0, 0)
        try:
            after, schema, played = self._first(run) if learner is None else self._later(learner, run)
        except DataError as error:
            raise _beside(error, self.shards[0].name) from error
        counts = played.counts
        self._refuse_changed(run, counts)
        after.n_iter_ = len(run.history) + 1
        down, up = self._moved
        last = epoch_of(after.n_iter_, played, seconds=perf_counter() - began, bytes_down=down, bytes_up=up)
        sums = run.sums if run.history else MixingSums.none(after.state_.targets, len(self.shards))
        return after, replace(
            run,
            schema=schema,
            clock=played.clock,
            history=[*run.history, last],
            sums=sums.after(after.state_, played, together=run.together, passes=run.passes),
            skipped=sum(count.skipped for count in counts),
            first_errors=tuple(error for count in counts for error in count.first_errors)[:REMEMBERED],
        )

    def _first(self, run: SavedRun) -> tuple[OnlineClassifier, dict[str, Any] | None, EpochResult]:
        """The first epoch; begun anew, once, when shards have more labels or columns than the first rows of it."""
        result = self._fold(peek, _no_neighbours, None, self.shards[:1])
        schema, columns = result.schemas[0], result.columns
        classes = unite_labels([*self._announced_labels(), *_label_list(self.known_labels), *result.labels])
        names: tuple[str, ...] = ()
        for _ in range(2):
            learner = self._learner(run, classes, columns, schema)
            outcome = self._play(learner, run, schema)
            if isinstance(outcome, EpochResult):
                if len(classes) < 2:
                    raise RegretlessError(f"all rows are of one class ({classes[0]}): there is nothing to tell it from")
                return learner, schema, outcome
            names, schema = outcome.names, unite_schemas([schema, *outcome.schemas])
            classes = unite_labels([*classes.tolist(), *outcome.labels])
            columns = columns_of(schema, max(columns, outcome.columns))
        raise RegretlessError(
            f"{', '.join(names[:3])}: labels or columns that were not there a moment ago, when all shards were "
            f"looked through, and that {self.shards[0].name}, the first one, does not have; data must stay as they are "
            "during a run"
        )

    def _later(
        self, before: OnlineClassifier, run: SavedRun
    ) -> tuple[OnlineClassifier, dict[str, Any] | None, EpochResult]:
        """An epoch from the weights of the last one, which are left as they are until it is whole."""
        learner = deepcopy(before)
        outcome = self._play(learner, run, run.schema)
        if isinstance(outcome, EpochResult):
            return learner, run.schema, outcome
        raise RegretlessError(
            f"in epoch {len(run.history) + 1} some shards have labels or columns that they did not have before; "
            "their data must stay as they are during a run"
        )

    def _learner(self, run: SavedRun, classes: Array, columns: int, schema: dict[str, Any]) -> OnlineClassifier:
        """A learner that has learned nothing, and knows classes and columns."""
        learner = type(self.learner)(**self.learner.get_params())
        learner.announce(classes, columns)
        new = len(set(classes.tolist()).difference(self._announced_labels())) if len(classes) > 2 else 0
        # Shards that play together do not know each other's unannounced classes; two are the two signs.
        learner.unannounced_ = new * run.together
        learner.lookahead_ = self._look_ahead_of(run, learner, new, schema)
        if schema.get("names"):
            learner.feature_names_in_ = np.array(schema["names"], dtype=object)
        return learner

    def _look_ahead_of(self, run: SavedRun, learner: OnlineClassifier, new: int, schema: dict[str, Any]) -> str:
        """Which parameter or property let the learner know of rounds before they were played; empty if none did.

        `new` classes were not announced.
        """
        fixed = schema.get("hash") is not None or (schema.get("held") and schema.get("columns") is not None)
        if not fixed and learner.looks_at_columns():
            return learner.looks_at_columns()
        if new and learner.looks_at_classes():
            return learner.looks_at_classes()
        # Each class against the rest learns apart from those that are still to come, but for what shards count by.
        return "weights" if new and run.weights == "updates" and 1 < run.together < len(self.shards) else ""

    def _announced_labels(self) -> list[Any]:
        """All labels that the user has announced."""
        return [] if self.classes is None else _label_list(self.classes)

    def _refuse_changed(self, run: SavedRun, counts: Sequence[Count]) -> None:
        """Refuse shards that have other rows than in the epoch before."""
        if not run.history:
            return
        for shard, count, rows in zip(self.shards, counts, run.sums.rounds.tolist(), strict=True):
            if count.rounds != rows * run.passes:
                fault = f"{count.rounds // run.passes:,} rows in this epoch, and {rows:,} in those before"
                raise DataError(shard.name, None, None, fault, "data must stay as they are during a run")

    def _play(
        self, learner: OnlineClassifier, run: SavedRun, schema: dict[str, Any] | None
    ) -> EpochResult | ShardSchema:
        """Play an epoch group by group, and leave the learner as it ends.

        If shards have labels or columns that the learner does not know, the result is the schema of all further shards;
        the learner is of no use then.

        Parameters
        ----------
        learner : OnlineClassifier
            Announced or settled.
        run : SavedRun
            As it stood before.
        schema : dict or None
        """
        groups: list[tuple[Count, ...]] = []
        number, clock = len(run.history), run.clock if run.history else None
        for first in range(0, len(self.shards), run.together):
            shards = self.shards[first : first + run.together]
            start = make_start(
                learner,
                schema=schema,
                epoch=number,
                weighting=run.weights,
                clock=clock,
                passes=run.passes,
                alone=len(shards) == 1,
            )
            outcome = self._fold(epoch, merge, start, shards, partial(self._done, number, first))
            if outcome.schema is not None:
                behind = self.shards[first + len(shards) :]
                if not behind:
                    return outcome.schema
                return merge_schemas(start, outcome.schema, self._fold(survey, merge_schemas, start, behind))
            clock = take_in(learner, start, outcome)
            groups.append(outcome.counts)
        assert clock is not None
        return EpochResult(groups, clock)

    def _done(self, number: int, first: int, place: int) -> None:
        self.on_shard(number + 1, first + place)

    def _fold(
        self,
        work: Callable[[Any, Any], T],
        merge: Callable[[Any, T, T], T],
        common: Any,
        shards: Sequence[Shard],
        done: Callable[[int], None] | None = None,
    ) -> T:
        if self.stop():
            raise Interrupted("interrupted")
        self.engine.moved = (0, 0)
        outcome = self.engine.fold(work, merge, common, shards, done=done, stop=self.stop)
        self._moved = (self._moved[0] + self.engine.moved[0], self._moved[1] + self.engine.moved[1])
        return outcome


def _no_neighbours(common: Any, left: T, right: T) -> T:
    raise AssertionError("one shard has no neighbour")


def _label_list(labels: Any) -> list[Any]:
    return list(read_labels(labels, len(labels)).tolist()) if len(labels) else []


def _beside(error: DataError, first: str) -> DataError:
    """The error; if it compares columns or labels with those of the first shard, it names that one too."""
    path, fault, advice = error.path, error.fault, error.advice
    if path == first:
        return error
    if fault.startswith(LACKING):
        advice += f"; {first}, the first shard, has it, and all must have the columns of that one"
    elif FIRST in advice:
        advice = advice.replace(FIRST, f"{first}, {FIRST},").removesuffix(",")
    elif fault.startswith("column ") and advice.startswith(NUMBER):
        advice = advice.replace(NUMBER, f"{NUMBER}, as in {first}, {FIRST}", 1)
    return DataError(path, error.line, error.column, fault, advice)
