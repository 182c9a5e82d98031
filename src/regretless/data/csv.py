"""Comma- and tab-separated files of rows."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import islice, pairwise
from typing import Any

import numpy as np

from .._core import DelimitedBlocks
from ..errors import DataError
from .arrow_arrays import numpy_of
from .batch import Array
from .columns import DATES
from .delimited import (
    NULLS,
    SMALLEST,
    Blocks,
    InferredColumns,
    UnequalRows,
    find_faults,
    infer_columns,
    legible,
    parse,
    plain_columns,
    plain_reader,
)
from .delimited_text import Block
from .messages import listed, option, shown
from .source import Source, open_bytes
from .table import TARGETS, TableStream
from .table_chunk import ArrowColumns, Chunk

NUMBER = r"^[ \t]*[-+]?([0-9]+[.,]?[0-9]*|[.,][0-9]+)([eE][-+]?[0-9]+)?[ \t]*$"
DAY = r"^[ \t]*[0-9]{1,2}[./][0-9]{1,2}[./][0-9]{4}([ T]+[0-9]{1,2}:[0-9]{2}(:[0-9]{2})?)?[ \t]*$"
# From this share of numbers on, a cell that is none is taken for a slip rather than for a category.
MOSTLY = 0.9
ROWS = 200  # that are looked at
YEARS = range(1800, 2201)  # that columns may be called by

_NUMBER = re.compile(NUMBER)
GROUPED = r"[0-9]{1,3}([.,' ][0-9]{3})+([.,][0-9]+)?"  # with thousands apart
SIGNED = rf"^[-+]?([$€£] ?[-+]?[0-9][0-9.,]*|[0-9][0-9.,]* ?[%€$£]|{GROUPED})$"
HALF, MANY = 0.5, 20  # a share of numbers; how many different ones are a quantity rather than names
# Each column of a block has a price of its own, which a block of wide rows must spread over more of them.
BYTES_PER_COLUMN = 1600
LARGEST = 1 << 24
SAMPLE = 1 << 16  # bytes by which a first line is judged
NAMED = "--header says that it names them"
NAME_THEM = "name the columns in the first line"
NAME_OR_COUNT = f"{NAME_THEM}, or pass --no-header if they are those of the model in their order, without labels"


def is_number(cell: str) -> bool:
    """Whether a cell is a number, with a point or a comma."""
    return _NUMBER.match(cell) is not None


def is_row(first: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Whether a first line is a row like those below it, and no line of names.

    It is none if it has a word above a column of numbers, or counts the columns, or the years. It is one if it has a
    number above a column of numbers, or a word that stands in the same column again.

    Parameters
    ----------
    first : sequence of str
        Its cells.
    rows : sequence of sequences of str
        Those of some lines below it; if there are none, a line of numbers is a row.
    """
    if counts(first):
        return False
    if not rows:
        return any(map(is_number, first)) and all(cell in NULLS or is_number(cell) for cell in first)
    like_a_row = False
    for place, cell in enumerate(first):
        column = [row[place] for row in rows if place < len(row) and row[place] not in NULLS]
        if sum(map(is_number, column)) < MOSTLY * max(1, len(column)):
            like_a_row |= cell in column
        elif is_number(cell):
            like_a_row = True
        elif cell not in NULLS:
            return False
    return like_a_row


def counts(cells: Sequence[str]) -> bool:
    """Whether these are 0, 1, 2 and so on, as data frames have them for names, or the numbers among them are years."""
    if len(cells) > 2 and list(cells) in ([str(place + first) for place in range(len(cells))] for first in (0, 1)):
        return True  # two of them might be a row
    numbers = [cell.strip() for cell in cells if is_number(cell)]
    if len(numbers) < 2 or not all(number.isdecimal() and int(number) in YEARS for number in numbers):
        return False
    return all(int(left) < int(right) for left, right in pairwise(numbers))


def is_idle(column: Sequence[Sequence[str]]) -> bool:
    """Whether the cells of a column, one a row or none, are all empty, or number the rows, which are several."""
    cells = [cell for row in column for cell in row]
    if not any(cells):
        return True
    whole = len(cells) > 1 and all(cell.isdecimal() for cell in cells)
    return whole and all(int(right) == int(left) + 1 for left, right in pairwise(cells))


class CsvStream(TableStream):
    """A stream over a file of delimited text.

    The first line names the columns, unless it is a row as those below it (`is_row`); then they are called
    c1, c2 and so on. The file is read in blocks of whole rows. A column's kind is decided in the first block in which
    it has a value: numbers, booleans (1 and 0) or text; a column of dates or times is left out. Cells may be separated
    by semicolons, tabs, bars or spaces too, and decimals may have a comma, if all do. Empty cells and NA, N/A, n/a,
    <NA>, NULL, null, #N/A and ? are missing values, quoted or not. Lines are counted as an editor counts them, in
    quoted cells too.

    Parameters
    ----------
    delimiter : str
        What is expected between cells.
    header : bool, optional
        Whether the first line names the columns; by default what the schema says, else what the line looks like.

    The others are those of `TableStream`.
    """

    def __init__(self, path: Source, *, delimiter: str = ",", header: bool | None = None, **options: Any) -> None:
        super().__init__(path, **options)
        self._delimiter = delimiter
        self._header = header if header is not None or self._known is None else bool(self._known.get("header", True))
        self._ahead: Block | None = None
        self._columns: list[str] = []

    def schema(self) -> dict[str, Any]:
        return super().schema() | ({"header": False} if self._header is False else {})

    def _line_of(self, row: int) -> int | None:
        """The line on which a row begins, both from 1."""
        with open_bytes(self._path) as file:
            blocks = Blocks(file, self.name, self._delimiter.encode())
            header = blocks.header()
            if self._header is False:
                blocks.give_back(header)
            for block in blocks.blocks(LARGEST):
                spans = block.rows()
                if row <= len(spans):
                    return block.position(spans[row - 1], 0)[0]
                row -= len(spans)
        return None

    def _chunks(self) -> Iterator[Chunk]:
        with open_bytes(self._path) as file:
            blocks = Blocks(file, self.name, self._delimiter.encode())
            self._columns = names = self._names(blocks)
            wanted = self._choose(names)
            self._ahead = None
            parts = blocks.blocks(min(max(SMALLEST, BYTES_PER_COLUMN * len(names)), LARGEST))
            reader = plain_reader()
            for block in parts:
                inferred = self._decide(block, names, wanted, reader)
                yield self._chunk(block, names, wanted, reader, inferred)
                if not self._undecided(wanted):
                    break
            yield from self._read_ahead(self._chunk(block, names, wanted, reader) for block in parts)

    def _names(self, blocks: Blocks) -> list[str]:
        """What the columns are called, from the first line or by their numbers."""
        block = blocks.header()
        cells = self._cells(block)
        self._ahead = ahead = blocks.ahead()
        rows = _rows(ahead)
        if len(cells) == 1 and rows and len(rows[0]) > 1:
            fault = f"one column only, {shown(cells[0])}, and {len(rows[0]):,} cells below it"
            raise DataError(self.name, block.line, None, fault, "remove what stands above the names of the columns")
        if self._header is None and not self._names_target(cells):
            self._header = not is_row(cells, rows)
            if not self._header:
                called = f"columns are called c1 to c{len(cells)}" if len(cells) > 1 else "column is called c1"
                self._note(f"the first line holds values, so that the {called}; {NAMED}")
        if self._header is False:
            blocks.give_back(block)
            self._ahead = blocks.ahead()
            names = self._numbered(len(cells))
            self._refuse_heading(block, cells, names)
            return names
        if self._target not in cells and all(map(is_number, cells)) and not counts(cells):
            fault = "a row of numbers where the column names are expected"
            raise DataError(self.name, block.line, None, fault, NAME_THEM if self._known is None else NAME_OR_COUNT)
        self._header = True
        return self._with_names(cells, rows)

    def _refuse_heading(self, block: Block, cells: list[str], names: list[str]) -> None:
        """Refuse a line of names where the model learned from a file without one: words above all of its numbers."""
        kinds = self._map.kinds
        numbers = [cell for name, cell in zip(names, cells, strict=True) if kinds.get(name) == "number"]
        if (
            self._known is None
            or self._skips
            or not numbers
            or any(is_number(cell) or cell in NULLS for cell in numbers)
        ):
            return
        fault = f"{listed(cells)} where numbers are expected"
        advice = "if this line names the columns, leave it out: the model learned from rows without names"
        raise DataError(self.name, block.line, None, fault, advice)

    def _with_names(self, cells: list[str], rows: list[list[str]]) -> list[str]:
        """The names, with some for columns without one that nobody needs, which are left out.

        They are empty or number the rows, or an earlier stream did without them.
        """
        bare = [place for place, name in enumerate(cells) if not name]
        later = self._known is not None
        idle = [place for place in bare if later or is_idle([row[place : place + 1] for row in rows])]
        names = [f"column {place + 1}" if place in idle else name for place, name in enumerate(cells)]
        left = [names[place] for place in idle]
        if left and not later:
            have = "has" if len(left) == 1 else "have"
            self._note(f"{listed(left, ' and ')} {have} no name and nothing to learn from: left out")
        self._ignore |= set(left)
        return names

    def _names_target(self, cells: list[str]) -> bool:
        """Whether the target is among the names that these are then; cells that are alike are none."""
        known = TARGETS if self._target is None else (self._target.casefold(),)
        return len(set(cells)) == len(cells) and not {cell.casefold() for cell in cells}.isdisjoint(known)

    def _cells(self, block: Block) -> list[str]:
        if not block.text.strip():
            raise self._error("the file is empty", "a line of column names is expected")
        try:
            text = block.text.decode().strip("\r\n")
        except UnicodeDecodeError as error:
            raise self._error("the column names are not UTF-8 text", "save the file as UTF-8") from error
        if "\0" in text:
            raise self._error("this is not text", "name the format with --format")
        cells = csv.reader([text], delimiter=block.delimiter.decode(), skipinitialspace=True)
        names = [name.strip() for name in next(cells)]
        if len(names) == 1 and (others := set(",;|\t") & set(names[0])):
            fault = f"one column only, {shown(names[0])}"
            advice = f"{self._delimiter!r} is to separate cells, not {min(others)!r} (for tabs pass --format tsv)"
            raise DataError(self.name, block.line, None, fault, advice)
        return names

    def _about_columns(self, names: list[str]) -> str:
        """What to say of a table that lacks columns of the model: perhaps it lacks the line that names them."""
        if self._known is None or not (self._header is False or any(map(is_number, names))):
            return super()._about_columns(names)
        named = ",".join(self._map.kinds)
        above = f"put a line of names above the rows, as {shown(named)} and what else they have"
        if self._header is False:
            counts = f"the {len(self._map.kinds):,} of the model, and here are {len(names):,}"
            return f"where no line names them they are to be {counts}: {above}"
        return f"the first line looks like a row: {above}"

    def _numbered(self, count: int) -> list[str]:
        """The names of columns that have none; of rows without labels those of the features."""
        if self._frozen and count == len(self._map.kinds):
            return list(self._map.kinds)
        return [f"c{number}" for number in range(1, count + 1)]

    def _contents(self, names: list[str]) -> Any:
        if self._ahead is None:
            return None
        return parse(self._ahead, legible(self._ahead.text), self._columns, dict.fromkeys(names), UnequalRows())

    def _decide(
        self, block: Block, names: list[str], wanted: list[str], reader: DelimitedBlocks
    ) -> InferredColumns | None:
        """Settle the kinds of the columns that had no value before this block; what was read of it for that."""
        undecided = self._undecided(wanted)
        kinds = {name: kind for name in undecided if (kind := self._stated(name)) is not None}
        unknown = [name for name in undecided if name not in kinds]
        result = None
        if unknown:
            known = {name: self._kind(name) for name in wanted if name not in undecided} | kinds
            result = infer_columns(block, names, known | dict.fromkeys(unknown), self._apart(), reader)
            if result is None:
                table = parse(block, legible(block.text), names, dict.fromkeys(unknown), UnequalRows())
            else:
                table = result.table
            kinds |= {name: self._kind_of(name, table[name]) for name in unknown}
        if undecided:
            self._settle(self._without_dates({name: kinds[name] for name in undecided}, wanted))
        return result

    def _kind_of(self, name: str, column: Any) -> str:
        from pyarrow import types

        result = column.type
        if types.is_null(result):
            return "empty"
        if types.is_boolean(result):
            return "boolean"
        if types.is_integer(result) or types.is_floating(result):
            return "number"
        if types.is_string(result) or types.is_binary(result) or types.is_dictionary(result):
            values = _values_of(column)
            if _means_numbers(*values):
                return "number"
            if _are_dates(values[0]):
                return DATES
            if example := _written_otherwise(*values):
                raise self._error(
                    f"column {name!r} holds numbers with signs as in {shown(example)}", self._plainly(name)
                )
            return "text"
        return DATES

    def _plainly(self, name: str) -> str:
        """What to do about numbers with signs."""
        names, out = option("--categorical", [name]), option("--ignore", [name])
        return f"write them without, take them for names with {names}, or leave them out with {out}"

    def _chunk(
        self,
        block: Block,
        names: list[str],
        wanted: list[str],
        reader: DelimitedBlocks,
        inferred: InferredColumns | None = None,
    ) -> Chunk:
        import pyarrow as pa

        spans = cache(block.rows)

        def error(row: int, column: str | None, fault: str, advice: str) -> DataError:
            line, place = block.position(spans()[row], 0 if column is None else names.index(column))
            return DataError(self.name, line, place, fault, advice)

        kinds = {name: self._kind(name) for name in wanted}
        if inferred is not None and inferred.are_of(kinds):
            return Chunk(inferred.columns, error)
        if (plain := plain_columns(block, names, kinds, self._apart(), reader)) is not None:
            return Chunk(plain, error)
        try:
            return Chunk(ArrowColumns(parse(block, block.text, names, self._types(wanted))), error)
        except pa.ArrowInvalid:
            faults = find_faults(block, names, kinds, self._ways)
        bad = faults.rows()
        text = block.without([spans()[row] for row in bad])
        left = np.setdiff1d(np.arange(len(spans())), bad)
        return Chunk(ArrowColumns(parse(block, text, names, self._types(wanted))), error, left, faults)

    def _ways(self, name: str, numbers: int, cells: int) -> str:
        """What can be done about a cell of a column that is no number."""
        if self._known is not None:
            return ""
        some = f" ({numbers:,} of {cells:,} cells here are numbers)" if numbers else ""
        ways = [f"; pass {option('--categorical', [name])} if its values are names{some}"]
        if name != self._target:
            ways += [f"{option('--ignore', [name])} to leave the column out"]
            ways += ["--missing zero, with nothing in the cell, to take it for 0"]
        return ", or ".join(ways)

    def _types(self, wanted: list[str]) -> dict[str, Any]:
        import pyarrow as pa

        text = pa.dictionary(pa.int32(), pa.string())
        types = {"number": pa.float64(), "boolean": pa.bool_(), "text": text, "words": pa.string(), "empty": pa.null()}
        return {name: types[self._kind(name)] for name in wanted}


def _values_of(column: Any) -> tuple[Any, Array]:
    """The values of a column of text, each once, and how many cells hold each."""
    from pyarrow import types

    if types.is_dictionary(column.type):
        codes = numpy_of(column.indices, np.dtype(np.int32))
        return column.dictionary, np.bincount(codes, minlength=len(column.dictionary))
    counted = column.drop_null().value_counts()
    return counted.field("values"), numpy_of(counted.field("counts"), np.dtype(np.int64))


def _places(values: Any, pattern: str) -> Array:
    """Which of some values a pattern fits."""
    from pyarrow import compute

    return numpy_of(compute.indices_nonzero(compute.match_substring_regex(values, pattern)), np.dtype(np.uint64))


def _means_numbers(values: Any, counts: Array) -> bool:
    """Whether a column of numbers and other cells is one of numbers with slips, and not one of names.

    It is if nearly all of its cells are numbers, or at least half, of so many values that they are quantities: so
    2, 3, 4 and 5more are names, and a column of measurements with a dash here and there is none.
    """
    numbers = _places(values, NUMBER)
    cells = int(counts[numbers].sum())
    share = cells / max(1, int(counts.sum()))
    return share >= MOSTLY or (share >= HALF and len(numbers) > min(MANY, cells * HALF))


def _are_dates(values: Any) -> bool:
    """Whether all cells are days as 31.12.2030 or 12/31/2030, which the reader of cells takes for words."""
    return len(_places(values, DAY)) == len(values)


def _written_otherwise(values: Any, counts: Array) -> str | None:
    """The first cell, if nearly all of a column are different numbers with a sign of money or percent or thousands."""
    signed = _places(values, SIGNED)
    cells = int(counts[signed].sum())
    most = cells >= MOSTLY * max(1, int(counts.sum()))
    return values[int(signed[0])].as_py() if most and len(signed) > max(2, min(MANY, cells * HALF)) else None


def share_of_numbers(column: Any) -> float:
    """How many of the cells that hold anything hold a number."""
    values, counts = _values_of(column)
    return float(counts[_places(values, NUMBER)].sum() / max(1, int(counts.sum())))


def _rows(block: Block) -> list[list[str]]:
    """The cells of some rows of a block."""
    text = block.text[:SAMPLE]
    lines = csv.reader(io.StringIO(text.decode(errors="replace"), newline=""), delimiter=block.delimiter.decode())
    return [[cell.strip() for cell in row] for row in islice(filter(None, lines), ROWS)]
