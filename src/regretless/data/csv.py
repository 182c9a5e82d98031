"""Comma- and tab-separated files."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np

from ..errors import DataError
from .csv_blocks import SMALLEST, Block, Blocks
from .csv_cells import UnequalRows, find_faults, legible, parse
from .messages import shown
from .source import Source, open_bytes
from .table import TableStream
from .table_chunk import Chunk

NUMBER = r"^[ \t]*[-+]?([0-9]+[.,]?[0-9]*|[.,][0-9]+)([eE][-+]?[0-9]+)?[ \t]*$"
# From this share of numbers on, a cell that is none is taken for a slip rather than for a category.
MOSTLY = 0.9
# Each column of a block has a price of its own, which a block of wide rows must spread over more of them.
BYTES_PER_COLUMN = 1600
LARGEST = 1 << 24


class CsvStream(TableStream):
    """A stream over a file of delimited text whose first line names the columns.

    The file is read in blocks of whole rows. A column's kind is decided in the first block in which it has a
    value: numbers, booleans (1 and 0) or text; a column of dates or times is refused. Cells may be separated by
    semicolons, and decimals may have a comma, if all do. Empty cells and NA, N/A, n/a, <NA>, NULL, null, #N/A and ? are
    missing values, quoted or not. Lines are counted as an editor counts them, in quoted cells too.

    Parameters
    ----------
    delimiter : str
        What stands between cells.

    The others are those of `TableStream`.
    """

    def __init__(self, path: Source, *, delimiter: str = ",", **options: Any) -> None:
        super().__init__(path, **options)
        self._delimiter = delimiter

    def _line_of(self, row: int) -> int | None:
        """The line on which a row begins, both from 1."""
        with open_bytes(self._path) as file:
            blocks = Blocks(file, self.name, self._delimiter.encode())
            blocks.header()
            for block in blocks.blocks(LARGEST):
                spans = block.rows()
                if row <= len(spans):
                    return block.position(spans[row - 1], 0)[0]
                row -= len(spans)
        return None

    def _chunks(self) -> Iterator[Chunk]:
        with open_bytes(self._path) as file:
            blocks = Blocks(file, self.name, self._delimiter.encode())
            names = self._header(blocks.header())
            wanted = self._choose(names)
            for block in blocks.blocks(min(max(SMALLEST, BYTES_PER_COLUMN * len(names)), LARGEST)):
                self._decide(block, names, wanted)
                yield self._chunk(block, names, wanted)

    def _header(self, block: Block) -> list[str]:
        if not block.text.strip():
            raise self._error("the file is empty", "a line of column names is expected")
        try:
            text = block.text.decode().strip("\r\n")
        except UnicodeDecodeError as error:
            raise self._error("the column names are not UTF-8 text", "save the file as UTF-8") from error
        if "\0" in text:
            raise self._error("this is not text", "name the format with --format")
        names = [name.strip() for name in next(csv.reader([text], delimiter=block.delimiter.decode()))]
        if len(names) == 1 and (others := set(",;|\t") & set(names[0])):
            fault = f"one column only, {shown(names[0])}"
            advice = f"{self._delimiter!r} is to separate cells, not {min(others)!r} (for tabs pass --format tsv)"
            raise DataError(self.name, block.line, None, fault, advice)
        if self._target not in names and all(_is_number(name) for name in names) and not _counts(names):
            fault = "a row of numbers where the column names are expected"
            raise DataError(self.name, block.line, None, fault, "name the columns in the first line")
        return names

    def _decide(self, block: Block, names: list[str], wanted: list[str]) -> None:
        """Settle the kinds of the columns that had no value before this block."""
        undecided = self._undecided(wanted)
        kinds = {name: kind for name in undecided if (kind := self._stated(name)) is not None}
        unknown = [name for name in undecided if name not in kinds]
        if unknown:
            table = parse(block, legible(block.text), names, dict.fromkeys(unknown), UnequalRows())
            kinds |= {name: self._kind_of(name, table[name]) for name in unknown}
        if undecided:
            self._settle({name: kinds[name] for name in undecided})

    def _kind_of(self, name: str, column: Any) -> str:
        from pyarrow import types

        result = column.type
        if types.is_null(result):
            return "empty"
        if types.is_boolean(result):
            return "boolean"
        if types.is_integer(result) or types.is_floating(result):
            return "number"
        if types.is_string(result) or types.is_binary(result):
            return "number" if share_of_numbers(column) >= MOSTLY else "text"
        advice = f"leave it out with --ignore {name}, turn them into numbers, or take them for names with --categorical"
        raise self._error(f"column {name!r} holds dates or times", advice)

    def _chunk(self, block: Block, names: list[str], wanted: list[str]) -> Chunk:
        import pyarrow as pa

        spans = cache(block.rows)

        def error(row: int, column: str | None, fault: str, advice: str) -> DataError:
            line, place = block.position(spans()[row], 0 if column is None else names.index(column))
            return DataError(self.name, line, place, fault, advice)

        try:
            return Chunk(parse(block, block.text, names, self._types(wanted)), error)
        except pa.ArrowInvalid:
            faults = find_faults(block, names, {name: self._kind(name) for name in wanted})
        bad = faults.rows()
        text = block.without([spans()[row] for row in bad])
        kept = np.setdiff1d(np.arange(len(spans())), bad)
        return Chunk(parse(block, text, names, self._types(wanted)), error, kept, faults)

    def _types(self, wanted: list[str]) -> dict[str, Any]:
        import pyarrow as pa

        text = pa.dictionary(pa.int32(), pa.string())
        types = {"number": pa.float64(), "boolean": pa.bool_(), "text": text, "words": pa.string(), "empty": pa.null()}
        return {name: types[self._kind(name)] for name in wanted}


def share_of_numbers(column: Any) -> float:
    """How many of the cells that hold anything hold a number."""
    from pyarrow import compute

    numbers = compute.sum(compute.match_substring_regex(column, NUMBER)).as_py() or 0
    return float(numbers / max(1, len(column) - column.null_count))


def _counts(names: list[str]) -> bool:
    """Whether the names are 0, 1, 2 and so on, as data frames have them; two of them might be a row of data."""
    return len(names) > 2 and names in ([str(place + first) for place in range(len(names))] for first in (0, 1))


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
