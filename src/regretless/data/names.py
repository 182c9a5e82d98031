"""What the columns of a schema are called."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

from ..errors import ModelError
from .columns import FeatureMap
from .interactions import ALL, LOW, Numbering, hash_of, parts

SHOWN = 4
Names = Callable[[int], list[str]]


def column_names(schema: dict[str, Any] | None) -> Names:
    """What may be asked for the names of a column: as the file has them, several if they share it, none if unknown."""
    if schema is None:
        return lambda column: []
    named = {"table": _table, "vw": _words}
    plain = named.get(schema.get("format", ""), _numbers)(schema)
    return plain if schema.get("crossing") is None else _crossed(schema, plain)


def made_of(schema: dict[str, Any] | None) -> tuple[list[str], int | None]:
    """The products that a schema asks for, as they were asked for, and the bits of its hash.

    Raises
    ------
    ModelError
        If it is damaged.
    """
    schema = schema or {}
    try:
        pairs = (schema.get("crossing") or {}).get("pairs") or []
        bits = (schema.get("hash") or {}).get("bits")
        plain = _numbers(schema)
        named = [[name if isinstance(name, str) else plain(name)[0] for name in pair] for pair in pairs]
        shown = [ALL] if pairs == ALL else ["*".join(pair) for pair in named]
        return shown, None if bits is None else int(bits)
    except (TypeError, ValueError, AttributeError) as error:
        raise ModelError(f"the description of the columns is damaged ({error!r})") from error


def called(names: list[str], column: int) -> str:
    """The names in one text; the number of the column if it has none."""
    if not names:
        return str(column)
    more = f" | {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return " | ".join(names[:SHOWN]) + more


def all_names(schema: dict[str, Any], columns: int) -> list[str]:
    """What each of the columns is called."""
    names = column_names(schema)
    return [called(names(column), column) for column in range(columns)]


def _numbers(schema: dict[str, Any]) -> Names:
    if schema.get("format") != "svmlight":
        return lambda column: [str(column)]
    first = 0 if schema.get("ids_from") == 0 else 1
    return lambda column: [str(column + first)]


def _words(schema: dict[str, Any]) -> Names:
    """Of Vowpal Wabbit's text; hashed features are known by their column alone."""
    listed = schema["features"]
    return lambda column: [str(listed[column])] if column < len(listed) else []


def _table(schema: dict[str, Any]) -> Names:
    features = FeatureMap.from_schema(schema)
    listed = features.feature_names()
    if listed is not None:
        return lambda column: [listed[column]] if column < len(listed) else []
    known: dict[int, list[str]] = {}
    for name, number in features.hashed_names.items():
        known.setdefault(number, []).append(name)
    return lambda column: known.get(column, [])


def _crossed(schema: dict[str, Any], plain: Names) -> Names:
    """Names of the columns that features and products got, by what the keys are made of."""
    table = schema.get("format") == "table"
    bits = FeatureMap.from_schema(schema).bits if table else hash_of(schema)
    numbering = Numbering(bits, LOW, names=table)
    numbering.restore(schema["crossing"])
    listed = numbering.keys.listed()
    known: dict[int, list[int]] = {}
    for key, column in zip(listed.tolist(), numbering.columns_of(listed).tolist(), strict=True):
        known.setdefault(column, []).append(key)

    def names(column: int) -> list[str]:
        result = plain(column) if table and bits is not None else []
        for key in known.get(column, []):
            each = product(*map(plain, parts(key)))
            result = result + ["*".join(sorted(names) if table else names) for names in each]
        return list(dict.fromkeys(result))

    return names


def namer(learner: Any, schema: dict[str, Any] | None) -> Callable[[int], str]:
    """What to call a feature: its name, its id as the file has it, or else its column; all names of a shared column."""
    names = getattr(learner, "feature_names_in_", None)
    if names is not None:
        return _from_list([str(name) for name in names])
    of = column_names(schema)
    return lambda column: called(of(column), column)


def _from_list(names: list[str]) -> Callable[[int], str]:
    return lambda column: names[column] if column < len(names) else str(column)
