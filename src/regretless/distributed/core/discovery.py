"""Labels and columns of shards, collected before the first epoch."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import isfinite
from typing import Any

import numpy as np

from ...data.batch import Array
from ...data.columns import KINDS
from ...data.interactions import pair_keys, parts
from ...data.stream import Stream
from ...errors import DataError, RegretlessError
from ...linear.labels import distinct
from ..rows.shards import Shard
from .messages import ShardSchema, Start

ID_ZERO = "id zero"


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
    """Labels and columns of all rows of a shard; nothing is learned."""
    try:
        return _survey(start, start.schema, shard)
    except DataError as error:
        schema = start.schema
        if schema is None or not error.found.startswith(ID_ZERO) or schema.get("crossing") is not None:
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


def has_news(known: dict[str, Any] | None, value: dict[str, Any] | None) -> bool:
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
        return _united_tables(schemas)
    result = dict(first)
    ids = [schema["ids_from"] for schema in schemas if schema.get("ids_from") is not None]
    if "ids_from" in first:
        result["ids_from"] = min(ids, default=None)
    if first.get("crossing") is not None:
        keys = _in_order(_keys(schema) for schema in schemas)
        result["crossing"] = {**first["crossing"], "keys": keys}
    return result


def columns_of(schema: dict[str, Any], numbered: int) -> int:
    """How many columns a schema has; `numbered` if they are called by their number, and the schema does not say."""
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


def _united_tables(schemas: Sequence[dict[str, Any]]) -> dict[str, Any]:
    kinds = _united_kinds(schemas)
    named = [_features(schema) for schema in schemas]
    features = _in_order(named)
    places = {feature: place for place, feature in enumerate(features)}
    order = {name: place for place, name in enumerate(kinds)}
    united_tables = {
        **schemas[0],
        "columns": [{"name": name, "kind": kind} for name, kind in kinds.items()],
        "features": [[order[name], value] for name, value in features],
        "sparse": any(schema["sparse"] for schema in schemas),
    }
    if schemas[0].get("crossing") is not None and schemas[0].get("hash") is None:
        listed = [
            [_renumbered(key, [places[feature] for feature in ours]) for key in _keys(schema)]
            for schema, ours in zip(schemas, named, strict=True)
        ]
        united_tables["crossing"] = {**schemas[0]["crossing"], "keys": _in_order(listed)}
    return united_tables


def _united_kinds(schemas: Sequence[dict[str, Any]]) -> dict[str, str]:
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


def _renumbered(key: int, places: list[int]) -> int:
    """The key of a feature, or of the product of two, when features have other numbers."""
    numbers = np.array([places[part] for part in parts(key)], np.int64)
    return int(numbers[0] if len(numbers) == 1 else pair_keys(numbers[:1], numbers[1:])[0])


def _in_order(lists: Iterable[Iterable[Any]]) -> list[Any]:
    """All that is in some lists, each once, the first one first."""
    return list(dict.fromkeys(one for each in lists for one in each))
