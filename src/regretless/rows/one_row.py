"""One row by itself: numbers in the order of the columns, or values by the names of these."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from math import isfinite, isnan, nan
from typing import Any

import numpy as np

from ..data.batch import Array, Batch
from ..data.columns import NUMERIC, hashed
from ..data.interactions import hashed_keys, pair_keys
from ..data.messages import listed
from ..data.stream import KEY, normalized
from ..errors import RegretlessError

FEATURE = re.compile("[=:*]")  # what stands behind a column's name in that of a feature made of its values


class RowAsTable:
    """A row that the reader of tables has to take, for it alone knows how its features are made.

    Parameters
    ----------
    columns : mapping of str to pyarrow.Array
        One value each.
    """

    def __init__(self, columns: Mapping[str, Any]) -> None:
        self._columns = dict(columns)

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        import pyarrow as pa

        return pa.table(self._columns).__arrow_c_stream__(requested_schema)


def row_in_order(values: Any, columns: int, schema: Mapping[str, Any] | None = None) -> Array:
    """A row of so many numbers as the loops take it; the schema is that of the table that they are made from.

    Raises
    ------
    RegretlessError
        If it has another shape, or holds something else.
    """
    expected = f"a row of {columns:,} numbers is expected"
    try:
        row = np.ascontiguousarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise RegretlessError(f"{expected}, or values by their names: {error}") from error
    if row.ndim > 1:
        raise RegretlessError(f"{expected}, and its shape is {row.shape}: one row is one-dimensional, as X[0] is")
    if row.shape != (columns,):
        named = list(_kinds(schema)) if is_table(schema) else []
        more = f"; they are made of the columns {listed(named)}: give their values by these names" if named else ""
        raise RegretlessError(f"{expected}, and its shape is {row.shape}{more}")
    return row


def is_table(schema: Mapping[str, Any] | None) -> bool:
    """Whether rows are those of a table, whose columns the schema knows."""
    return schema is not None and schema.get("format") == "table"


def divides_rows(schema: Mapping[str, Any] | None) -> bool:
    """Whether rows are divided by their lengths before anything else."""
    return schema is not None and bool(schema.get(KEY))


def divided(row: Array) -> Array:
    """One row divided by its length, with the bits of a row among others."""
    return np.asarray(normalized(Batch(row[None], None, len(row))).values[0])


def read_as_features(schema: Mapping[str, Any] | None) -> bool:
    """Whether the numbers of a row are features as they stand, and each word of a column is one."""
    if schema is None or not is_table(schema):
        return schema is None or (schema.get("hash") is None and schema.get("crossing") is None)
    changed = schema.get("hash") is not None or schema.get("crossing") is not None or schema.get(KEY)
    return not changed and all(column["kind"] != "words" for column in schema.get("columns", ()))


def named_row(
    values: Mapping[str, Any], names: Sequence[str], schema: Mapping[str, Any] | None, *, learns: bool
) -> Array | RowAsTable:
    """A row of values by the names of columns or features, where `read_as_features`; what is not named is 0.

    Parameters
    ----------
    values : mapping of str to float or str
    names : sequence of str
        Of the features.
    schema : mapping, optional
        What the columns are, of a table with columns of text.
    learns : bool
        Whether a word that no feature stands for is to become one, which the reader of tables does.

    Raises
    ------
    RegretlessError
        If a number is missing, not finite or a word, or no name is known.
    """
    places = {name: place for place, name in enumerate(names)}
    kinds, zero = _kinds(schema), (schema or {}).get("missing") == "zero"
    row, known = np.zeros(len(names)), not len(values)
    for name, value in values.items():
        kind = kinds.get(name)
        feature = name
        if kind == "text" or (kind is None and isinstance(value, str) and name not in places):
            word = _text_of(value)
            feature, value = f"{name}={word}", 1.0
            if kind == "text" and word is not None and learns and feature not in places:
                return row_as_table(values, schema or {}, learns=True)
        known = known or kind is not None or feature in places
        if feature in places:
            row[places[feature]] = _number(name, value, zero=zero)
    if not known and not _are_columns_of_words(values, names):
        raise _unknown(values, list(kinds) or names)
    return row


def row_as_table(values: Mapping[str, Any], schema: Mapping[str, Any], *, learns: bool) -> RowAsTable:
    """A row of values by the names of columns as a table of one row; numbers that are not named are 0.

    Parameters
    ----------
    values : mapping of str to float or str
    schema : mapping
        What the columns are.
    learns : bool
        Whether columns that had no value so far are taken along.

    Raises
    ------
    RegretlessError
        If a number is missing, not finite or a word, a name is that of a feature, or none is that of a column.
    """
    import pyarrow as pa

    kinds, zero, names = (
        _kinds(schema),
        schema["missing"] == "zero",
        list(values.keys()),
    )  # a Series iterates over values
    for name in names:
        if name not in kinds and (column := FEATURE.split(str(name))[0]) in kinds:
            raise RegretlessError(
                f"{name!r} is no column; its features are made of column {column!r}, so give that instead"
            )
    if names and not any(name in kinds for name in names):
        raise _unknown(values, list(kinds))
    columns = {}
    for name, kind in kinds.items():
        value = values.get(name)
        if kind in NUMERIC:
            columns[name] = pa.array([_number(name, value, zero=zero) if name in values else 0.0])
        elif kind != "empty":
            columns[name] = pa.array([_text_of(value)], pa.string())
        elif learns:
            columns[name] = pa.array([value], from_pandas=True)
    return RowAsTable(columns)


_hashed = lru_cache(maxsize=1 << 16)(hashed)


def hashed_row(values: Mapping[str, Any], bits: int) -> Array:
    """A row of values by names, where a hash of its name says the column of a feature; what falls in one is added up.

    Parameters
    ----------
    values : mapping of str to float or str
        Of a text ``town="north"`` the feature ``town=north`` is 1.
    bits : int
        Of the hash: there are 2^bits columns, which are those of a table that is read with as many.

    Raises
    ------
    RegretlessError
        If a number is missing or not finite.
    """
    row = np.zeros(1 << bits)
    for name, value in values.items():
        if isinstance(value, str):
            row[_hashed(f"{name}={value}", bits)] += 1
        else:
            row[_hashed(str(name), bits)] += _number(name, value, zero=False)
    return row


def crossed_row(left: Array, right: Array, bits: int) -> Array:
    """Two hashed rows as one, with the product of each feature of the one and each of the other, hashed as those of
    tables are."""
    row, ours, theirs = left + right, np.flatnonzero(left), np.flatnonzero(right)
    keys = pair_keys(*(places.ravel() for places in np.meshgrid(ours, theirs, indexing="ij")))
    np.add.at(row, hashed_keys(keys, bits), np.outer(left[ours], right[theirs]).ravel())
    return np.asarray(row)


def _kinds(schema: Mapping[str, Any] | None) -> dict[str, str]:
    return {column["name"]: column["kind"] for column in (schema or {}).get("columns", ())}


def _text_of(value: Any) -> str | None:
    """A value of a column of text as the reader of tables takes it; None where it is missing."""
    if type(value) is str:
        return value
    import pyarrow as pa

    return pa.array([value], from_pandas=True).cast("string")[0].as_py()  # type: ignore[no-any-return, unused-ignore]


def _number(name: str, value: Any, *, zero: bool) -> float:
    """A value of a column of numbers; with `zero`, a missing one is 0."""
    if isinstance(value, str | bytes):
        fault = f"column {name!r} holds the text {value!r}, and a number is expected"
        raise RegretlessError(f"{fault}; convert it first, as float does")
    missing = value is None or type(value).__name__ == "NAType"  # of pandas
    try:
        number = nan if missing else float(value)
    except (TypeError, ValueError) as error:
        raise RegretlessError(f"column {name!r} holds {value!r}, and a number is expected") from error
    if zero and isnan(number):
        return 0.0
    if not isfinite(number):
        raise RegretlessError(f"column {name!r} holds {value!r}; only finite numbers can be used")
    return number


def _are_columns_of_words(values: Mapping[str, Any], names: Sequence[str]) -> bool:
    """Whether features are called after one of the names, and a value of its column."""
    columns = tuple(f"{name}=" for name, _ in values.items())
    return any(name.startswith(columns) for name in names)


def _unknown(values: Mapping[str, Any], columns: Sequence[str]) -> RegretlessError:
    features = listed([str(name) for name, _ in values.items()])
    return RegretlessError(
        f"the row has {features}, none of which the learner knows; it learned from {listed(columns)}"
    )
