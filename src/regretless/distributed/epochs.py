"""The loop over epochs: from a checkpoint or from nothing, until all are played or one is clean."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import Any

import numpy as np

from ..checks import one_of, whole
from ..data.batch import Array
from ..data.table import LACKING
from ..errors import DataError, EngineError, ParameterError, RegretlessError
from ..linear.base import OnlineClassifier
from ..linear.validation import read_labels
from .checkpoint import SavedRun, names_of, prints_of, reading_of, refuse_other, save
from .core.broadcast import WEIGHTINGS, Weighting
from .core.discovery import columns_of, united, united_labels
from .core.learner_adapter import refuse
from .core.weighted_mean import Count
from .engines.engine import Engine
from .epoch_runner import Player
from .history import Epoch, EpochResult, Sums, epoch_of
from .result import Mixture
from .rows.paths import same_file
from .rows.schema_check import refuse_unlike
from .rows.shards import FileShard, Shard

Path = str | os.PathLike[str]
FIRST = "the first shard"  # what messages call the one whose columns are those of all
NUMBER = "a number is expected"
REMEMBERED = 20  # errors of rows that were passed over


@dataclass
class Mixing:
    """One learner, its shards, and who plays them.

    Attributes
    ----------
    learner : OnlineClassifier
        Its parameters.
    shards : list of Shard
    engine : Engine
    epochs, weights, together, classes, checkpoint, resume, on_shard, on_epoch, stop
        As in `mix`.
    found : sequence
        Labels that somebody has looked up in the rows already: they spare a second beginning, and announce nothing.
    passes : int
        How often a shard is gone over before weights are mixed.
    one_shot : bool
        Whether they are averaged once only.
    unfinished : bool
        Whether a checkpoint that has all epochs behind it is refused: whoever fits would get what was fitted before.
    mixture : Mixture or None
        As of the last whole epoch, also when something has stopped the run since.
    saved : int
        How many epochs are behind the model in the checkpoint; 0 if this run has found and written none there.
    """

    learner: OnlineClassifier
    shards: list[Shard]
    engine: Engine
    epochs: int = 1
    weights: Weighting = "uniform"
    together: int | None = None
    classes: Any = None
    found: Any = ()
    checkpoint: Path | None = None
    resume: Path | bool | None = None
    passes: int = 1
    one_shot: bool = False
    unfinished: bool = False
    on_shard: Callable[[int, int], None] = lambda number, place: None
    on_epoch: Callable[[Epoch], None] = lambda epoch: None
    stop: Callable[[], bool] = lambda: False
    mixture: Mixture | None = field(default=None, init=False)
    saved: int = field(default=0, init=False)
    _prints: list[str | None] = field(default_factory=list, init=False)
    _names: list[str] = field(default_factory=list, init=False)
    _reading: dict[str, Any] | None = field(default=None, init=False)

    def play(self) -> Mixture:
        """Go on until all epochs are played, or one is clean if the learner wants that; the last state."""
        refuse(self.learner)
        one_of("weights", self.weights, WEIGHTINGS)
        if self.together is not None:
            whole("together", self.together)
        self._refuse_places()
        refuse_unlike(self.shards)
        self._names, self._reading = names_of(self.shards), reading_of(self.shards)
        self._prints = prints_of(self.shards)
        source = self._source()
        if source is not None:
            self._go_on(source)
        try:
            while not self._done():
                self._epoch()
        except EngineError as error:
            raise EngineError(f"{error}. {self._stands()}") from error
        assert self.mixture is not None
        return self.mixture

    # ---- going on from a file

    def _source(self) -> Path | None:
        """The file to go on from."""
        if self.resume is False or (self.resume in (None, True) and self.checkpoint is None):
            return None
        if isinstance(self.resume, str | os.PathLike):
            return self.resume
        return self.checkpoint if self.checkpoint is not None and os.path.exists(self.checkpoint) else None

    def _go_on(self, source: Path) -> None:
        mixture = Mixture.read(source)
        learner, kept = mixture.learner, mixture.kept
        asked = {"weights": self.weights, "together": self._together, "passes": self.passes, "one_shot": self.one_shot}
        refuse_other(source, kept, learner, self.learner, self.shards, self._prints, **asked)
        done = len(kept.history)
        if done > self.epochs:
            found = f"{os.fspath(source)} has {done} epochs behind it, and {self.epochs} are asked for"
            raise RegretlessError(f"{found}; begin anew under another name")
        learner.set_params(**self.learner.get_params())
        learner.n_iter_ = done
        self._prints = kept.prints  # those of the first call, so that the file is that of a run that never stopped
        self.mixture = Mixture(learner, self.shards, replace(kept, epochs=self.epochs))
        if self.unfinished and self._done():
            found = f"{os.fspath(source)} is finished: load it, or give another name"
            raise RegretlessError(f"{found}; a fit goes on with one that was stopped, or for more epochs")
        if self.checkpoint is not None and not (os.path.exists(self.checkpoint) and same_file(source, self.checkpoint)):
            self.mixture.save(self.checkpoint)
        self.saved = 0 if self.checkpoint is None else done

    def _refuse_places(self) -> None:
        """Refuse a checkpoint that cannot be written, before anything is played."""
        if self.checkpoint is None:
            return
        path = os.fspath(self.checkpoint)
        for shard in self.shards:
            if isinstance(shard, FileShard) and same_file(shard.path, path):
                raise RegretlessError(f"{path} is one of the shards; the checkpoint needs a name of its own")
        folder = os.path.dirname(os.path.abspath(path))
        if os.path.isdir(path) or not os.path.isdir(folder):
            found = "is a folder" if os.path.isdir(path) else f"cannot be written: there is no folder {folder}"
            raise ParameterError("checkpoint", repr(path), found, " ")

    def _stands(self) -> str:
        """What is kept when something broke, and how to go on."""
        done = 0 if self.mixture is None else len(self.mixture.history)
        if self.checkpoint is None:
            return f"There is no checkpoint, so that nothing is kept of {done} epochs; give checkpoint=FILE"
        if self.saved == 0:
            return "No epoch was finished yet, and nothing is written"
        path = os.fspath(self.checkpoint)
        return f"Epoch {self.saved} is whole in {path}: make a new executor and call the same again to go on from there"

    # ---- one epoch

    def _done(self) -> bool:
        mixture = self.mixture
        return mixture is not None and (mixture.kept.finished or (mixture.learner.until_clean and mixture.clean))

    def _epoch(self) -> None:
        began = perf_counter()
        player = Player(self.engine, self.shards, self.weights, self.passes, self._together, self.on_shard, self.stop)
        try:
            learner, schema, played = self._first(player) if self.mixture is None else self._next(player)
        except DataError as error:
            raise _beside(error, self.shards[0].name) from error
        self._refuse_changed(played.counts)
        number = 1 if self.mixture is None else len(self.mixture.history) + 1
        down, up = player.moved
        last = epoch_of(number, played, seconds=perf_counter() - began, bytes_down=down, bytes_up=up)
        learner.n_iter_ = number
        self.mixture = Mixture(learner, self.shards, self._kept(learner, schema, played, last))
        if self.checkpoint is not None:
            save(self.checkpoint, learner, self.mixture.kept)
            self.saved = number
        self.on_epoch(last)

    def _first(self, player: Player) -> tuple[OnlineClassifier, dict[str, Any] | None, EpochResult]:
        """The first epoch; begun anew, once, when shards meet what the first rows of the first one do not tell of."""
        found = player.peek()
        schema, columns = found.schemas[0], found.columns
        classes = united_labels([*self._declared(), *_listed(self.found), *found.labels])
        names: tuple[str, ...] = ()
        for _ in range(2):
            learner = self._learner(classes, columns, schema)
            outcome = player.play(learner, schema, 0)
            if isinstance(outcome, EpochResult):
                if len(classes) < 2:
                    raise RegretlessError(f"all rows are of one class ({classes[0]}): there is nothing to tell it from")
                return learner, schema, outcome
            names, schema = outcome.names, united([schema, *outcome.schemas])
            classes = united_labels([*classes.tolist(), *outcome.labels])
            columns = columns_of(schema, max(columns, outcome.columns))
        raise RegretlessError(
            f"{', '.join(names[:3])}: labels or columns that were not there a moment ago, when all shards were "
            f"looked through, and that {self.shards[0].name}, the first one, does not have; data must stay as they are "
            "during a run"
        )

    def _next(self, player: Player) -> tuple[OnlineClassifier, dict[str, Any] | None, EpochResult]:
        """An epoch from the weights of the last one, which are left as they are until it is whole."""
        assert self.mixture is not None
        learner, kept = deepcopy(self.mixture.learner), self.mixture.kept
        outcome = player.play(learner, kept.schema, len(kept.history), kept.clock)
        if isinstance(outcome, EpochResult):
            return learner, kept.schema, outcome
        raise RegretlessError(
            f"in epoch {len(kept.history) + 1} some shards have labels or columns that they did not have before; "
            "their data must stay as they are during a run"
        )

    def _learner(self, classes: Array, columns: int, schema: dict[str, Any]) -> OnlineClassifier:
        """A learner that has learned nothing, and knows what there is."""
        learner = type(self.learner)(**self.learner.get_params())
        learner.announce(classes, columns)
        new = len(set(classes.tolist()).difference(self._declared())) if len(classes) > 2 else 0
        # Shards that play together do not tell each other of a class that nobody announced; two are the two signs.
        learner.met_ = new * self._together
        learner.looked_ = self._looked(learner, new, schema)
        if schema.get("names"):
            learner.feature_names_in_ = np.array(schema["names"], dtype=object)
        return learner

    def _looked(self, learner: OnlineClassifier, new: int, schema: dict[str, Any]) -> str:
        """By what rounds were known before they were played, if they were; `new` classes had nobody announced."""
        fixed = schema.get("hash") is not None or (schema.get("held") and schema.get("columns") is not None)
        if not fixed and learner.looks_at_columns():
            return learner.looks_at_columns()
        if new and learner.looks_at_classes():
            return learner.looks_at_classes()
        # Each class against the rest learns apart from those that are still to come, but for what shards count by.
        return "weights" if new and self.weights == "updates" and 1 < self._together < len(self.shards) else ""

    def _declared(self) -> list[Any]:
        """All labels that the user has announced."""
        return [] if self.classes is None else _listed(self.classes)

    @property
    def _together(self) -> int:
        return min(self.together or len(self.shards), len(self.shards))

    def _refuse_changed(self, counts: Sequence[Count]) -> None:
        """Refuse shards that have other rows than in the epoch before."""
        if self.mixture is None:
            return
        for shard, count, rows in zip(self.shards, counts, self.mixture.rounds.tolist(), strict=True):
            if count.rounds != rows * self.passes:
                found = f"{count.rounds // self.passes:,} rows in this epoch, and {rows:,} in those before"
                raise DataError(shard.name, None, None, found, "data must stay as they are during a run")

    def _kept(
        self, learner: OnlineClassifier, schema: dict[str, Any] | None, played: EpochResult, last: Epoch
    ) -> SavedRun:
        before = None if self.mixture is None else self.mixture.kept
        sums = Sums.none(learner.state_.targets, len(self.shards)) if before is None else before.sums
        counts = played.counts
        return SavedRun(
            weights=self.weights,
            together=self._together,
            epochs=self.epochs,
            passes=self.passes,
            one_shot=self.one_shot,
            names=self._names,
            prints=self._prints,
            reading=self._reading,
            schema=schema,
            clock=played.clock,
            history=[*([] if before is None else before.history), last],
            sums=sums.after(learner.state_, played, together=self._together, passes=self.passes),
            skipped=sum(count.skipped for count in counts),
            first_errors=tuple(error for count in counts for error in count.first_errors)[:REMEMBERED],
        )


def _listed(labels: Any) -> list[Any]:
    return list(read_labels(labels, len(labels)).tolist()) if len(labels) else []


def _beside(error: DataError, first: str) -> DataError:
    """The error, which also names the first shard if it is about what the columns and labels of that one are."""
    path, found, advice = error.path, error.found, error.advice
    if path == first:
        return error
    if found.startswith(LACKING):
        advice += f"; {first}, the first shard, has it, and all must have the columns of that one"
    elif FIRST in advice:
        advice = advice.replace(FIRST, f"{first}, {FIRST},").removesuffix(",")
    elif found.startswith("column ") and advice.startswith(NUMBER):
        advice = advice.replace(NUMBER, f"{NUMBER}, as in {first}, {FIRST}", 1)
    return DataError(path, error.line, error.column, found, advice)
