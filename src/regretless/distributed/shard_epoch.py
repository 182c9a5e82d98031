"""What an engine runs on one shard: an epoch, or a survey of its labels and columns; and how two become one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import isfinite
from time import thread_time
from typing import Any

import numpy as np

from ..data.batch import Array, Batch
from ..data.columns import KINDS
from ..data.interactions import pair_keys, parts
from ..data.stream import Stream
from ..errors import DataError, ParameterError, RegretlessError, RowError
from ..linear.base import OnlineClassifier
from ..linear.labels import distinct, encode
from .learner_adapter import books_of_epoch, learner_at, part_of, rate_clock
from .messages import Count, ShardResult, ShardSchema, Start
from .shards import Shard
from .state_weights import columns_seen_of, reach_of
from .weighted_mean import merge_parts

ID_ZERO = "id zero"


def epoch(start: Start, shard: Shard) -> ShardResult:
    """Play the rows of a shard from the mixed weights.

    Parameters
    ----------
    start : Start
        Where all shards begin.
    shard : Shard
        Opened here.

    Returns
    -------
    ShardResult
        Its part and its count; or its schema alone, where it has labels or columns that the start does not know: then
        nothing was learned.

    Raises
    ------
    DataError, RegretlessError
        If the shard cannot be read, or its rows cannot be played. The message names it.
    """
    try:
        return _play(start, shard)
    except RegretlessError as error:
        if type(error) not in (RegretlessError, ParameterError):
            raise  # it names the shard, or is no fault of it
        text = str(error)
        raise RegretlessError(text if text.startswith(shard.name) else f"{shard.name}: {text}") from error


def merge(start: Start, left: ShardResult, right: ShardResult) -> ShardResult:
    """The results of neighbouring shards in one.

    Parameters
    ----------
    start : Start
        What all shards began with.
    left, right : ShardResult
        Of neighbours.
    """
    counts = (*left.counts, *right.counts)
    if left.part is not None and right.part is not None:
        return ShardResult(merge_parts(start.weights, left.part, right.part), counts)
    if left.schema is None or right.schema is None:
        return ShardResult(None, counts, left.schema or right.schema)
    return ShardResult(None, counts, merge_schemas(start, left.schema, right.schema))


@dataclass(slots=True)
class _Passes:
    """The passes over a shard, and their counts."""

    start: Start
    shard: Shard
    rows: int = 0
    nonzeros: int = 0
    seconds: float = 0.0
    fresh: tuple[int, int] = (0, 0)
    skipped: int = 0
    first_errors: tuple[str, ...] = ()

    def play(self, learner: OnlineClassifier) -> bool:
        """Make all passes; False as soon as a label or column comes that the start does not know."""
        for number in range(self.start.passes):
            if not self._pass(learner):
                return False
            if number == 0:
                self.fresh = self.rows, int(learner.ledger_.mistakes)
        return True

    def _pass(self, learner: OnlineClassifier) -> bool:
        stream, before = self.shard.open(self.start.schema), self.rows
        for batch in self._batches(stream):
            if not len(batch):
                continue
            if batch.labels is None:
                raise DataError(self.shard.name, None, None, "rows without labels", "they teach nothing")
            codes, known = encode(batch.labels, self.start.classes)
            if not known.all():
                return False
            try:
                learner.play_encoded(batch, codes)
            except RowError as error:
                if not self.shard.of_file:  # arrays, whose rows are counted as Python does
                    raise RegretlessError(error.why) from error  # nothing of a shard that fails is learned
                raise stream.refused(error, self.rows - before) from error
            self.rows += len(batch)
            self.nonzeros += batch.entries if batch.sparse else int(np.count_nonzero(batch.values))
        if self.rows == before:
            raise DataError(self.shard.name, None, None, "no rows", "give a shard with at least one labelled row")
        self.skipped, self.first_errors = stream.skipped, tuple(stream.first_errors)
        return not has_new_columns(self.start.schema, stream.schema())

    def _batches(self, stream: Stream) -> Iterator[Batch]:
        """The batches; the time that reading takes is added up."""
        batches = iter(stream.batches())
        while True:
            began = thread_time()
            batch = next(batches, None)
            self.seconds += thread_time() - began
            if batch is None:
                return
            yield batch


def _play(start: Start, shard: Shard) -> ShardResult:
    began = thread_time()
    learner, reading = learner_at(start), _Passes(start, shard)
    try:
        known = reading.play(learner)
    except DataError as error:
        if not error.fault.startswith(ID_ZERO):
            raise
        known = False  # ids begin at 0 here, or the file is bad: the survey says which
    if not known:
        return ShardResult(None, (), survey(start, shard))
    clock, state = rate_clock(learner), learner.state_
    state.books[:] = books_of_epoch(learner, start)
    ledger = learner.ledger_
    weight = {"uniform": 1.0, "updates": ledger.updates, "rows": float(reading.rows)}[start.weighting]
    part = part_of(learner, start, weight, float(reading.rows))
    count = Count(
        name=shard.name,
        rounds=reading.rows,
        updates=int(ledger.updates),
        mistakes=int(ledger.mistakes),
        weight=weight,
        books=state.books,
        columns=state.columns,
        nonzeros=reading.nonzeros,
        clock=clock,
        fresh=reading.fresh,
        cpu=thread_time() - began,
        reading=reading.seconds,
        columns_seen=columns_seen_of(state),
        reach=reach_of(state),
        skipped=reading.skipped,
        first_errors=reading.first_errors,
    )
    return ShardResult(part, (count,))


# ---- labels and columns, which the first epoch must know


def peek(common: Any, shard: Shard) -> ShardSchema:
    """Labels and columns of the first rows of a shard.

    Raises
    ------
    DataError
        If there are none.
    """
    stream = shard.open(None)
    for batch in stream.batches():
        return ShardSchema(tuple(distinct(_labels(shard, batch.labels)).tolist()), (stream.schema(),), batch.columns)
    raise DataError(shard.name, None, None, "no rows", "every shard needs at least one")


def survey(start: Start, shard: Shard) -> ShardSchema:
    """Labels and columns of all rows of a shard; nothing is learned.

    Parameters
    ----------
    start : Start
        Its schema says how the shard is read; ids that begin at 0 are read so.
    shard : Shard

    Raises
    ------
    DataError
        If the shard cannot be read, or its labels never agree with those of the first shard.
    """
    try:
        return _survey(start, start.schema, shard)
    except DataError as error:
        schema = start.schema
        if schema is None or not error.fault.startswith(ID_ZERO) or schema.get("crossing") is not None:
            raise
        return _survey(start, {**schema, "ids_from": 0}, shard)


def merge_schemas(start: Any, left: ShardSchema, right: ShardSchema) -> ShardSchema:
    """Labels and columns of neighbouring shards."""
    labels = tuple(dict.fromkeys((*left.labels, *right.labels)))
    return ShardSchema(
        labels, (*left.schemas, *right.schemas), max(left.columns, right.columns), (*left.names, *right.names)
    )


def _survey(start: Start, schema: dict[str, Any] | None, shard: Shard) -> ShardSchema:
    stream, labels, columns = shard.open(schema), set[Any](), 0
    for batch in stream.batches():
        labels.update(distinct(_labels(shard, batch.labels)).tolist())
        columns = max(columns, batch.columns)
    _refuse_other_labels(start, shard, stream, sorted(labels))
    return ShardSchema(tuple(sorted(labels)), (stream.schema(),), columns, (shard.name,))


def _refuse_other_labels(start: Start, shard: Shard, stream: Stream, labels: list[Any]) -> None:
    """Refuse a table whose labels are all numbers where those of the first shard are all words: they never agree."""
    target = (stream.schema() or {}).get("target")
    if (start.schema or {}).get("target_kind") != "text" or target in getattr(stream, "categorical", ()):
        return
    known = start.classes.tolist()
    if all(map(_is_number, labels)) and not any(map(_is_number, known)):
        fault = f"its labels are numbers ({_few(labels)}) in column {target!r}"
        advice = f"in the first shard they are words ({_few(known)}); pass --categorical {target} if they are names too"
        raise DataError(shard.name, None, None, fault, advice)


def _is_number(label: str) -> bool:
    try:
        return isfinite(float(label))
    except ValueError:
        return False


def _few(labels: Sequence[Any]) -> str:
    return ", ".join(map(str, labels[:3])) + ", ..." * (len(labels) > 3)


def _labels(shard: Shard, labels: Array | None) -> Array:
    if labels is None:
        raise DataError(shard.name, None, None, "rows without labels", "rounds without labels teach nothing")
    return labels


def has_new_columns(known: dict[str, Any] | None, value: dict[str, Any] | None) -> bool:
    """Whether a stream has columns that the schema it was opened with lacks.

    Columns that are called by their number are no news, however many there are: they mean the same everywhere. So are
    those that are hashed. Categories, kinds of columns, products that are numbered as they come, and the id of the
    first column are.

    Parameters
    ----------
    known : dict or None
        The schema that the stream was opened with.
    value : dict or None
        Its schema now.
    """
    if value is None or known is None:
        return known is not value
    if known.get("format") == "table":
        kinds = [[column["kind"] for column in schema["columns"]] for schema in (known, value)]
        if kinds[0] != kinds[1] or len(known["features"]) != len(value["features"]):
            return True
    elif value.get("ids_from") not in (None, known.get("ids_from")):
        return True
    return known.get("hash") is None and len(_keys(known)) != len(_keys(value))


def unite_schemas(schemas: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """One schema that has all that several have, in their order.

    Parameters
    ----------
    schemas : sequence of dict
        The first is the one that the others continue.

    Raises
    ------
    RegretlessError
        If they contradict each other.
    """
    first = schemas[0]
    if first.get("format") == "table":
        return _unite_tables(schemas)
    result = dict(first)
    ids = [schema["ids_from"] for schema in schemas if schema.get("ids_from") is not None]
    if "ids_from" in first:
        result["ids_from"] = min(ids, default=None)
    if first.get("crossing") is not None:
        keys = _in_order(_keys(schema) for schema in schemas)
        result["crossing"] = {**first["crossing"], "keys": keys}
    return result


def columns_of(schema: dict[str, Any], numbered: int) -> int:
    """How many columns a schema has; `numbered` if they are called by their number, and the schema does not say.

    Parameters
    ----------
    schema : dict
    numbered : int
        How many features are known.
    """
    if schema.get("hash") is not None:
        return int(1 << schema["hash"]["bits"])
    if schema.get("crossing") is not None:
        return len(_keys(schema))
    return len(schema["features"]) if schema.get("format") == "table" else numbered


def unite_labels(labels: Iterable[Any]) -> Array:
    """All classes, ascending.

    Raises
    ------
    RegretlessError
        If some are strings and others numbers.
    """
    different = set(labels)
    if len({isinstance(label, str) for label in different}) > 1:
        raise RegretlessError("the labels are strings in some shards and numbers in others: they never agree")
    return np.array(sorted(different))


def _unite_tables(schemas: Sequence[dict[str, Any]]) -> dict[str, Any]:
    kinds = _unite_kinds(schemas)
    named = [_features(schema) for schema in schemas]
    features = _in_order(named)
    places = {feature: place for place, feature in enumerate(features)}
    order = {name: place for place, name in enumerate(kinds)}
    united = {
        **schemas[0],
        "columns": [{"name": name, "kind": kind} for name, kind in kinds.items()],
        "features": [[order[name], value] for name, value in features],
        "sparse": any(schema["sparse"] for schema in schemas),
    }
    if schemas[0].get("crossing") is not None and schemas[0].get("hash") is None:
        listed = [
            [_renumber(key, [places[feature] for feature in ours]) for key in _keys(schema)]
            for schema, ours in zip(schemas, named, strict=True)
        ]
        united["crossing"] = {**schemas[0]["crossing"], "keys": _in_order(listed)}
    return united


def _unite_kinds(schemas: Sequence[dict[str, Any]]) -> dict[str, str]:
    """The kind of each column, in the order of the first schema."""
    kinds: dict[str, str] = {}
    for schema in schemas:
        for column in schema["columns"]:
            name, kind = str(column["name"]), str(column["kind"])
            known = kinds.get(name, "empty")
            if "empty" not in (known, kind) and known != kind:
                words = " and ".join(sorted({known, kind}, key=KINDS.index))
                fault = f"column {name!r} is of the kinds {words}, in different shards"
                raise RegretlessError(f"{fault}; to take it for text say categorical={name!r}")
            kinds[name] = kind if known == "empty" else known
    return kinds


def _features(schema: dict[str, Any]) -> list[tuple[str, str | None]]:
    names = [str(column["name"]) for column in schema["columns"]]
    return [(names[place], value) for place, value in schema["features"]]


def _keys(schema: dict[str, Any]) -> list[int]:
    return (schema.get("crossing") or {}).get("keys") or []


def _renumber(key: int, places: list[int]) -> int:
    """The key of a feature, or of the product of two, when features have other numbers."""
    numbers = np.array([places[part] for part in parts(key)], np.int64)
    return int(numbers[0] if len(numbers) == 1 else pair_keys(numbers[:1], numbers[1:])[0])


def _in_order(lists: Iterable[Iterable[Any]]) -> list[Any]:
    """The different items of some lists, in the order in which they come first."""
    return list(dict.fromkeys(one for each in lists for one in each))
