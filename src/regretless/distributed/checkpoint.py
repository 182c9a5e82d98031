"""A mixed run in a model file: all that is needed to go on with it, and to certify it."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from ..data.batch import Array
from ..errors import ModelError, RegretlessError
from ..linear.base import OnlineClassifier
from ..persist.model import read, write
from ..persist.validation import fits, plain
from .history import Epoch, MixingSums
from .messages import Weighting
from .shards import UNSURE, FileShard, Shard

ADDED_ONCE = (
    "each shard was played apart and the matrices were added up once: no theorem bounds the mistakes of a learner with "
    "the updates of all shards"
)
NO_GUARANTEE = (
    "each shard was played apart and the weights were averaged once: no theorem bounds the mistakes of such a mean; on "
    "data that can be separated it may err for ever"
)
PATIENCE = ("passes", "max_passes")  # parameters that say how long to go on, and change nothing else


@dataclass(frozen=True, slots=True, eq=False)
class SavedRun:
    """A mixed run after a whole number of epochs.

    Attributes
    ----------
    weights : str
        "uniform", "updates" or "rows".
    together : int
        How many shards begin from the same weights.
    epochs : int
        How many were asked for.
    passes : int
        How often a shard is gone over in an epoch.
    one_shot : bool
        Whether the weights were averaged once, at the end, and not after each epoch.
    names : list of str
        Of the shards, without the folder that all of them are in.
    prints : list of (str or None)
        By what the rows of each are known again; see `Shard.fingerprint`.
    reading : dict or None
        The options of `files`, as JSON values.
    schema : dict or None
        By which all shards are read to the same columns.
    clock : ndarray
        What the rates of the next epoch go by.
    history : list of Epoch
    sums : MixingSums
    skipped : int
        Rows that were passed over in the last epoch.
    first_errors : list of str
        What was wrong with the first of them.
    """

    weights: Weighting
    together: int
    epochs: int
    passes: int
    one_shot: bool
    names: list[str]
    prints: list[str | None]
    reading: dict[str, Any] | None
    schema: dict[str, Any] | None
    clock: Array
    history: list[Epoch]
    sums: MixingSums
    skipped: int = 0
    first_errors: tuple[str, ...] = ()

    @property
    def finished(self) -> bool:
        """Whether nothing is left of what was asked for."""
        return len(self.history) >= self.epochs

    def extra(self) -> dict[str, Any]:
        """The run as JSON values, beside the model in its file."""
        held = (self.schema or {}).get("held", False)  # rows in memory: a later file is read by its own columns
        mixing = {
            "weights": self.weights,
            "together": self.together,
            "epochs": self.epochs,
            "passes": self.passes,
            "one_shot": self.one_shot,
            "names": self.names,
            "prints": self.prints,
            "reading": self.reading,
            "schema": self.schema if held else None,
            "clock": self.clock.tolist(),
            "history": [epoch.to_list() for epoch in self.history],
            "skipped": self.skipped,
            "first_errors": list(self.first_errors),
            **self.sums.to_dict(),
        }
        return {"schema": None if held else self.schema, "mixing": mixing}

    @classmethod
    def of(cls, extra: Mapping[str, Any]) -> SavedRun:
        """The run of what `extra` wrote.

        Raises
        ------
        ModelError
            If it does not fit together.
        """
        with fits("what the model says of its shards"):
            values = extra["mixing"]
            schema = extra["schema"] if values["schema"] is None else values["schema"]
            history = [Epoch.read(place + 1, one) for place, one in enumerate(values["history"])]
            result = cls(
                cast(Weighting, str(values["weights"])),
                int(values["together"]),
                int(values["epochs"]),
                int(values["passes"]),
                values["one_shot"] is True,
                [str(name) for name in values["names"]],
                [None if one is None else str(one) for one in values["prints"]],
                values["reading"],
                schema,
                np.array(values["clock"], dtype=np.float64),
                history,
                MixingSums.read(values),
                int(values["skipped"]),
                tuple(str(error) for error in values["first_errors"]),
            )
            if not history or not len(result.names) == len(result.prints) == len(result.sums.shares):
                raise ValueError("its shards are not those that it was learned from")
        return result


def no_guarantee(learner: OnlineClassifier, run: SavedRun) -> str:
    """Why no theorem about mixing covers a run; empty if they do.

    Weights that are averaged once, after a single pass, are one epoch of mixing.
    """
    if learner.info.not_mixed:
        return ADDED_ONCE
    return NO_GUARANTEE if run.one_shot and run.passes > 1 else ""


def union_of(learner: OnlineClassifier) -> str:
    """How one-shot averaging unites the shards of this learner, in words."""
    return "matrices added up" if learner.info.not_mixed else "weights averaged"


def save(path: str | os.PathLike[str], learner: OnlineClassifier, run: SavedRun) -> None:
    """Write the model and the run; the file is replaced as a whole, or not at all.

    Parameters
    ----------
    path : path-like
    learner : OnlineClassifier
        As the run has left it.
    run : SavedRun

    Raises
    ------
    RegretlessError
        If a parameter cannot be written to a file.
    OSError
        If the file cannot be written.
    """
    extra = run.extra()
    _refuse_unfit(path, learner, SavedRun.of(extra))
    write(path, learner, extra)


def load(path: str | os.PathLike[str]) -> tuple[OnlineClassifier, SavedRun]:
    """Read what `save` wrote.

    Raises
    ------
    ModelError
        If it is no model, or one that was not mixed.
    """
    learner, extra = read(path, "linear")
    if "mixing" not in extra:
        raise ModelError(f"{os.fspath(path)}: this model was learned in one go, not over shards")
    run = SavedRun.of(extra)
    _refuse_unfit(path, learner, run)
    return learner, run


def _refuse_unfit(path: str | os.PathLike[str], learner: OnlineClassifier, run: SavedRun) -> None:
    """Refuse a run that is not this learner's."""
    if run.clock.shape != learner.state_.books.shape or len(run.sums.mixed) != learner.state_.targets:
        raise ModelError(f"{os.fspath(path)}: what the model says of its shards is not about this learner")


def names_of(shards: Sequence[Shard]) -> list[str]:
    """What shards are called in a model: files without the folder that all are in, which is not shown."""
    paths = [shard.path for shard in shards if isinstance(shard, FileShard)]
    if not paths:
        return [shard.name for shard in shards]
    folder = os.path.commonpath([os.path.dirname(path) for path in paths])
    return [
        os.path.relpath(shard.path, folder) + shard.mark if isinstance(shard, FileShard) else shard.name
        for shard in shards
    ]


def prints_of(shards: Sequence[Shard]) -> list[str | None]:
    """The fingerprint of the rows of each shard."""
    return [shard.fingerprint() if isinstance(shard, Shard) else None for shard in shards]


def reading_of(shards: Sequence[Shard]) -> dict[str, Any] | None:
    """What `files` takes to read and cut them, if all are read and cut in the same way."""
    ways = [shard.options() for shard in shards if isinstance(shard, FileShard)]
    return _json(ways[0]) if ways and all(way == ways[0] for way in ways) else None


def refuse_other(
    path: str | os.PathLike[str],
    run: SavedRun,
    learner: OnlineClassifier,
    wanted: OnlineClassifier,
    shards: Sequence[Shard],
    prints: Sequence[str | None],
    **asked: Any,
) -> None:
    """Refuse to go on with a run other than the one that is asked for.

    Parameters
    ----------
    path : path-like
        Of the checkpoint.
    run, learner
        What it holds.
    wanted : OnlineClassifier
        The learner that is asked for.
    shards : sequence of Shard
    prints : sequence of (str or None)
        As `prints_of` gives them; where there is none, now or then, nothing is compared.
    **asked
        Attributes of `SavedRun` that must be the same.

    Raises
    ------
    RegretlessError
        If something differs; the message says what.
    """
    results = [*_parameters_differ(learner, wanted), *_shards_differ(run, shards, prints)]
    was = {name: getattr(run, name) for name in asked}
    results += [f"{name} was {was[name]!r} and is {now!r}" for name, now in asked.items() if was[name] != now]
    if results:
        raise RegretlessError(
            f"{os.fspath(path)} is of another run: {'; '.join(results)}. It is left as it "
            "is: go on with what it was learned from, or begin anew under another name"
        )
    unsure = _other_rows(run, shards, prints, sure=False)
    if unsure:
        warnings.warn(f"{os.fspath(path)}: perhaps {unsure[0]}; if so, begin anew", UserWarning, stacklevel=6)


def _parameters_differ(saved: OnlineClassifier, wanted: OnlineClassifier) -> list[str]:
    if saved.name != wanted.name:
        return [f"the learner was {saved.name} and is {wanted.name}"]
    before, now = (_json({k: plain(v) for k, v in one.get_params().items()}) for one in (saved, wanted))
    return [f"{k} was {before[k]!r} and is {now[k]!r}" for k in now if k not in PATIENCE and before[k] != now[k]]


def _shards_differ(run: SavedRun, shards: Sequence[Shard], prints: Sequence[str | None]) -> list[str]:
    names = names_of(shards)
    if len(names) != len(run.names):
        return [f"there were {len(run.names):,} shards and are {len(names):,}"]
    other = [(before, now) for before, now in zip(run.names, names, strict=True) if before != now]
    result = [f"shard {other[0][0]} is now {other[0][1]}"] if other else []
    reading = reading_of(shards)
    if reading != run.reading:
        result.append(f"files were read with {_options(run.reading)} and now with {_options(reading)}")
    if not result:
        result += _other_rows(run, shards, prints, sure=True)[:1]
    return result


def _other_rows(run: SavedRun, shards: Sequence[Shard], prints: Sequence[str | None], *, sure: bool) -> list[str]:
    """Which shards have other rows than they had, for sure or perhaps."""
    return [
        f"{name} has other rows than those that were learned from (it was {before}, and is {now})"
        for name, before, now in zip(names_of(shards), run.prints, prints, strict=True)
        if before is not None and now is not None and before != now and now.startswith(UNSURE) is not sure
    ]


def _options(reading: dict[str, Any] | None) -> str:
    return ", ".join(f"{name}={value!r}" for name, value in sorted((reading or {}).items())) or "no options"


def _json(value: dict[str, Any]) -> dict[str, Any]:
    """The value as it would come back from a file."""
    result: dict[str, Any] = json.loads(json.dumps({name: plain(one) for name, one in value.items()}, default=str))
    return result
