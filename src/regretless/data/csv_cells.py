"""The cells of delimited text: read as columns by pyarrow, and what is wrong where it could not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .csv_blocks import Block
from .messages import shown
from .table_chunk import Array, Faults

Ways = Callable[[str, int, int], str]

NULLS = ["", "NA", "N/A", "n/a", "<NA>", "NULL", "null", "#N/A", "?"]
TRUE, FALSE = ["true", "True", "TRUE", "1"], ["false", "False", "FALSE", "0"]


def parse(
    block: Block, text: bytes, names: list[str], types: dict[str, Any], unequal: Callable[[Any], str] | None = None
) -> Any:
    """A table of the columns in `types`; a type of None is inferred.

    Parameters
    ----------
    block : Block
        Where the text comes from.
    text : bytes
        All its rows, or those that can be read.
    names : list of str
        Of all columns.
    types : dict of str to pyarrow.DataType or None
        The columns that are wanted.
    unequal : callable, optional
        Told of the rows that have too few or too many cells, and answers ``skip``; without it they are an error.
    """
    import pyarrow as pa
    from pyarrow import csv

    if not text.strip(b"\r\n"):
        return pa.table({name: pa.array([], kind) for name, kind in types.items()})
    # With one thread alone are the rows that are passed over numbered; a second one would gain little.
    reading = csv.ReadOptions(column_names=names, block_size=len(text) + 1, use_threads=False)
    parsing = csv.ParseOptions(
        delimiter=block.delimiter.decode(), newlines_in_values=b'"' in text, invalid_row_handler=unequal
    )
    converting = csv.ConvertOptions(
        column_types={name: kind for name, kind in types.items() if kind is not None},
        include_columns=list(types),
        null_values=NULLS,
        true_values=TRUE,
        false_values=FALSE,
        strings_can_be_null=True,
        decimal_point="," if block.comma else ".",
    )
    # pyarrow's own handler of Ctrl-C and termination may lose a signal: it hands it on by a thread, and has looked by
    # then. A block takes some milliseconds, so that Python's comes soon enough. (Nothing says whether it was on.)
    pa.enable_signal_handlers(False)
    try:
        return csv.read_csv(pa.BufferReader(text), reading, parsing, converting)
    finally:
        pa.enable_signal_handlers(True)


def find_faults(block: Block, names: list[str], kinds: dict[str, str], ways: Ways) -> Faults:
    """What is wrong with the rows of a block that could not be read as a whole; rows that are blank do not count.

    `ways` says what can be done about a cell that is no number, from its column, and how many of how many cells that
    are no gaps are numbers in the block.
    """
    import pyarrow as pa
    from pyarrow import compute

    unequal, faults = UnequalRows(), Faults()
    text = block.text
    if (clear := legible(text)) is not text:
        parse(block, clear, names, dict.fromkeys(names[:1], pa.binary()), unequal)
        spans = block.rows()
        text = block.without([spans[row] for row in sorted(unequal.found)])
    raw = parse(block, text, names, dict.fromkeys(kinds, pa.binary()), unequal)
    faults.add(np.array(sorted(unequal.found), np.intp), None, unequal.explain)
    read = np.setdiff1d(np.arange(raw.num_rows + len(unequal.found)), list(unequal.found))
    for name, kind in kinds.items():
        column = raw[name].combine_chunks()
        plain = compute.replace_substring(column, b",", b".") if block.comma and kind == "number" else column
        bad = _unreadable(plain, kind)
        held = len(column) - column.null_count
        more = ways(name, held - len(bad), held) if kind == "number" else ""
        faults.add(read[bad], name, _explain(name, kind, column, read, more))
    return faults


def legible(text: bytes) -> bytes:
    """The text with a mark for what is no UTF-8: of rows of the wrong length pyarrow tells in their own words."""
    try:
        text.decode()
    except UnicodeDecodeError:
        return text.decode(errors="replace").encode()
    return text


class UnequalRows:
    """Notes the rows that have too few or too many cells, as pyarrow comes across them."""

    def __init__(self) -> None:
        self.found: dict[int, tuple[int, int]] = {}

    def __call__(self, row: Any) -> str:
        self.found[row.number - 1] = (row.actual_columns, row.expected_columns)
        return "skip"

    def explain(self, row: int) -> tuple[str, str]:
        """What was found, what to do."""
        actual, expected = self.found[row]
        return f"{actual} cell{'s' * (actual > 1)}", f"{expected} are expected, as in the first line"


def _unreadable(column: Any, kind: str) -> Array:
    """Which cells of a raw column cannot be read as this kind."""
    if _can_be_read(column, kind):
        return np.empty(0, np.intp)
    encoded = column.dictionary_encode()
    bad = _refused(encoded.dictionary, kind)
    return np.flatnonzero(np.isin(encoded.indices.fill_null(-1).to_numpy(), bad))


def _refused(values: Any, kind: str, first: int = 0) -> list[int]:
    """Where the values stand that cannot be read, by halving."""
    if _can_be_read(values, kind):
        return []
    if len(values) == 1:
        return [first]
    half = len(values) // 2
    return _refused(values[:half], kind, first) + _refused(values[half:], kind, first + half)


def _can_be_read(values: Any, kind: str) -> bool:
    """Whether all these values (bytes, or null) can be read as this kind."""
    import pyarrow as pa
    from pyarrow import compute

    if kind == "boolean":
        return set(compute.unique(values).to_pylist()) <= {None, *(word.encode() for word in TRUE + FALSE)}
    try:
        text = values.cast("string")
        if kind == "number":
            compute.ascii_trim(text, " \t").cast("double")
    except pa.ArrowInvalid:
        return False
    return True


def _explain(name: str, kind: str, column: Any, read: Array, ways: str) -> Callable[[int], tuple[str, str]]:
    expected = {"number": "a number", "boolean": "true or false"}.get(kind, "UTF-8 text")

    def explain(row: int) -> tuple[str, str]:
        cell = column[int(np.searchsorted(read, row))].as_py().decode(errors="backslashreplace")
        return f"column {name!r} holds {shown(cell)}", f"{expected} is expected{ways}"

    return explain
