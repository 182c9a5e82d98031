"""Delimited text: blocks of whole rows, their cells as columns, and what is wrong where they cannot be read."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from itertools import starmap
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from .._core import DelimitedBlocks, cut_delimited
from ..errors import DataError
from .arrow_arrays import TextCells, is_ascii, strings_of
from .batch import ABSENT, Array
from .columns import NUMERIC, VALUED
from .delimited_text import BOM, SPACES, Block, cell_pattern, count_lines, decimal_comma, delimiter_in, row_ends
from .messages import shown
from .source import LONGEST_ROW, read_ready
from .table_chunk import Faults, TextColumns

SMALLEST = 1 << 20
FIRST = 1 << 14  # bytes by which it is guessed what columns hold
Ways = Callable[[str, int, int], str]
NULLS = ["", "NA", "N/A", "n/a", "<NA>", "NULL", "null", "#N/A", "?"]
LETTERS = {
    "number": "n",
    "boolean": "b",
    "text": "t",
    "words": "w",
    "empty": "e",
}  # of kinds that the compiled reader knows
TRUE, FALSE = ["true", "True", "TRUE", "1"], ["false", "False", "FALSE", "0"]
TERMS = [[word.encode() for word in words] for words in (NULLS, TRUE, FALSE)]


class Blocks:
    """Reads delimited text: first its header, then block by block.

    A row ends at a line feed, a carriage return or both, unless a quote is open. A quote opens a cell only as
    its first character, so that ``5" pipe`` is an ordinary cell. What stands between cells, the first line says
    (`delimiter_in`); whether decimals have a comma, the first block.

    Parameters
    ----------
    file : binary file
    name : str
        What messages call it.
    delimiter : bytes
        What is expected between cells.
    """

    def __init__(self, file: BinaryIO, name: str, delimiter: bytes) -> None:
        self._file, self._name, self._delimiter = file, name, delimiter
        self._rest, self._line, self._final = b"", 1, False
        self._comma: bool | None = None  # of decimals; None before the first block
        self._judged: tuple[int, int, bool] | None = None  # line and size of a text, and whether its decimals have one
        self._paused = False  # whether the file had nothing more when it was last read

    def header(self) -> Block:
        """The first row that is not blank; no text if there is none."""
        self._more(SMALLEST)
        self._rest = self._rest.removeprefix(BOM)
        while True:
            if span := self._first_row():
                begin, end = span
                self._take(begin)
                row = self._rest[: end - begin]
                self._delimiter = delimiter_in(row, self._delimiter, self._rest[end - begin :])
                return self._checked(self._take(end - begin), last=True)
            if self._final:
                return self._take(len(self._rest))
            self._refuse_long_row()
            self._more(max(SMALLEST, len(self._rest)))

    def _first_row(self) -> tuple[int, int] | None:
        """Where the first row that is not blank begins and ends, of those that have been read."""
        for size in (FIRST, len(self._rest)):
            text, begin = self._rest[:size], 0
            for end in row_ends(text, self._delimiter, final=self._final and size >= len(self._rest)).tolist():
                if text[begin:end].strip(b"\r\n"):
                    return begin, end
                begin = end
        return None

    def blocks(self, size: int) -> Iterator[Block]:
        """The rows that are left, about `size` bytes at a time."""
        while self._rest or not self._final:
            cut = self._cut() if len(self._rest) >= size or self._final or self._paused else 0
            if cut:
                if self._comma is None:
                    self._comma = self._decimal_comma(self._rest[:cut])
                yield self._checked(self._take(cut), last=self._final)
            else:
                self._refuse_long_row()
                missing = size - len(self._rest)
                self._more(missing if missing > 0 else len(self._rest))

    def ahead(self) -> Block:
        """The rows that have been read already; they stay to be read."""
        text = self._rest[: self._cut()]
        comma = self._decimal_comma(text) if self._comma is None else self._comma
        return Block(self._text(text), self._line, self._delimiter, comma)

    def _decimal_comma(self, text: bytes) -> bool:
        """Whether decimals have a comma in a text, which is mostly the one of which it was asked before."""
        if self._judged is None or self._judged[:2] != (self._line, len(text)):
            self._judged = self._line, len(text), decimal_comma(text, self._delimiter)
        return self._judged[2]

    def give_back(self, header: Block) -> None:
        """Let the first row be one of those that are left, as it names no columns."""
        self._rest, self._line = header.text + self._rest, header.line

    def _more(self, size: int) -> None:
        new, ended = read_ready(self._file, size)
        self._final, self._paused = bool(ended), ended is None
        self._rest = self._rest + new if self._rest else new

    def _take(self, cut: int) -> Block:
        block = Block(self._text(self._rest[:cut]), self._line, self._delimiter, bool(self._comma))
        self._rest = self._rest[cut:]
        self._line += count_lines(block.text)
        return block

    def _text(self, text: bytes) -> bytes:
        """Where spaces stand between cells, any number of them are one."""
        return SPACES.sub(lambda match: b" " if match["inner"] else b"", text) if self._delimiter == b" " else text

    def _cut(self) -> int:
        if self._final:
            return len(self._rest)
        if b'"' not in self._rest:
            return self._rest.rfind(b"\n") + 1 or self._rest.rfind(b"\r", 0, len(self._rest) - 1) + 1
        if (cut := cut_delimited(self._rest, self._delimiter.decode())) >= 0:
            return cut
        ends = row_ends(self._rest, self._delimiter, final=False)
        return int(ends[-1]) if len(ends) else 0

    def _refuse_long_row(self) -> None:
        if len(self._rest) >= LONGEST_ROW:
            fault = f"a row of more than {LONGEST_ROW >> 20} MiB begins here"
            raise DataError(self._name, self._line, None, fault, "end the row, or close the quote that it opens")

    def _checked(self, block: Block, *, last: bool) -> Block:
        """The block itself, once its last row is known to end outside of quotes."""
        if not last or b'"' not in block.text:
            return block
        row = block.last_row()
        for number, match in enumerate(cell_pattern(self._delimiter).finditer(block.text, *row)):
            if match["quoted"] and not match["closed"]:
                line, column = block.position(row, number)
                raise DataError(self._name, line, column, "a quote is never closed", "close it")
        return block


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
        Called with each row that has too few or too many cells, to return ``skip``; without it they are an error.
    """
    import pyarrow as pa
    from pyarrow import csv

    if not text.strip(b"\r\n"):
        return pa.table({name: pa.nulls(0, kind) for name, kind in types.items()})
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


def plain_reader() -> DelimitedBlocks:
    """What remembers the values of the columns of text from one block to the next."""
    return DelimitedBlocks(*TERMS)


def plain_columns(
    block: Block,
    names: list[str],
    kinds: Mapping[str, str],
    apart: Collection[str],
    reader: DelimitedBlocks | None = None,
) -> TextColumns | None:
    """The columns of a block if it is of the plain form, as nearly all are; None where pyarrow is to read it.

    What is read here is what `parse` would make of it.

    Parameters
    ----------
    block : Block
    names : list of str
        Of all columns.
    kinds : dict of str to str
        Of the columns that are wanted.
    apart : collection of str
        Columns of numbers that are not to stand in the matrix of the others.
    reader : DelimitedBlocks, optional
        What has read other blocks of the same columns.
    """
    if block.comma or not set(kinds.values()) <= set(LETTERS):
        return None
    inside = [name for name, kind in kinds.items() if kind in NUMERIC and name not in apart]
    places = {name: place for place, name in enumerate(inside)}
    letters = "".join(LETTERS[kinds[name]] if name in kinds else "." for name in names)
    where = [places.get(name, ABSENT) for name in names]
    columns = (reader or plain_reader()).read(block.text, block.delimiter.decode(), letters, where)
    if columns is None:
        return None
    matrix, alone, codes, values, cells, gaps = columns
    if not all(map(is_ascii, (each[0] for each in cells))) and not is_utf8(block.text):
        return None
    numbers = [name for name in names if kinds.get(name) in NUMERIC and name not in places]
    text, words = ([name for name in names if kinds.get(name) == kind] for kind in VALUED)
    return TextColumns(
        inside,
        matrix,
        dict(zip(numbers, alone, strict=True)),
        dict(zip(text, zip(codes, values, strict=True), strict=True)),
        dict(zip(words, starmap(TextCells, cells), strict=True)),
        {name: gap for name, gap in zip(names, gaps, strict=True) if name in kinds},
    )


class InferredColumns(NamedTuple):
    """Columns of a block of the plain form, of which it was not known what they hold.

    Attributes
    ----------
    table : dict of str to pyarrow.Array or pyarrow.ChunkedArray
        Of each column that was not known, an array of the type that `parse` infers (of numbers, any such type). One of
        text is a dictionary with the values of the whole block, without the gaps; others have its first rows alone.
    columns : TextColumns
        All columns.
    kinds : dict of str to str
        What they were read as.
    """

    table: dict[str, Any]
    columns: TextColumns
    kinds: dict[str, str]

    def are_of(self, kinds: Mapping[str, str]) -> bool:
        """Whether the columns were read as these kinds."""
        return all(self.kinds.get(name) == kind for name, kind in kinds.items())


def infer_columns(
    block: Block, names: list[str], kinds: Mapping[str, str | None], apart: Collection[str], reader: DelimitedBlocks
) -> InferredColumns | None:
    """The columns of a block, where those of kind None hold what its first rows suggest; None where that is not so.

    pyarrow infers the first type, in an order of its own, of which all cells are. So a column is of no type that its
    first rows are not of, and to look at the others it is enough to read them as that type.
    """
    import pyarrow as pa
    from pyarrow import types

    text, mark = block.text[:FIRST], block.delimiter.decode()
    cut = cut_delimited(text, mark) if len(text) < len(block.text) and not block.comma else 0
    if cut <= 0:
        return None
    try:
        first = parse(block, text[:cut], names, {name: None for name, kind in kinds.items() if kind is None})
    except pa.ArrowInvalid:
        return None
    read = {name: _kind_of(first[name].type) if kind is None else kind for name, kind in kinds.items()}
    if (columns := plain_columns(block, names, read, apart, reader)) is None:
        return None
    table: dict[str, Any] = {}
    for name in first.column_names:
        table[name] = first[name]
        if read[name] == "text":
            codes, values = columns.codes(name)
            if types.is_temporal(first[name].type):
                table[name] = _inferred(values)
            if not types.is_temporal(table[name].type):
                parts = [None, pa.py_buffer(codes[codes != ABSENT])]
                indices = pa.Array.from_buffers(pa.int32(), len(parts[1]) // 4, parts)
                table[name] = pa.DictionaryArray.from_arrays(indices, strings_of(values))
    return InferredColumns(table, columns, read)


def _kind_of(type: Any) -> str:
    """What a column of a type that was inferred is to be read as."""
    from pyarrow import types

    if types.is_null(type):
        return "empty"
    if types.is_boolean(type):
        return "boolean"
    return "number" if types.is_integer(type) or types.is_floating(type) else "text"


def _inferred(values: list[str]) -> Any:
    """A column of these cells, of the type that pyarrow infers."""
    quoted = "\n".join('"' + value.replace('"', '""') + '"' for value in values).encode()
    return parse(Block(quoted, 1, b","), quoted, ["values"], {"values": None})["values"]


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
        text = block.without([spans[row] for row in sorted(unequal.cells)])
    raw = parse(block, text, names, dict.fromkeys(kinds, pa.binary()), unequal)
    faults.add(np.array(sorted(unequal.cells), np.intp), None, unequal.explain)
    read = np.setdiff1d(np.arange(raw.num_rows + len(unequal.cells)), list(unequal.cells))
    for name, kind in kinds.items():
        column = raw[name].combine_chunks()
        plain = compute.replace_substring(column, b",", b".") if block.comma and kind == "number" else column
        bad = _unreadable(plain, kind)
        filled = len(column) - column.null_count
        more = ways(name, filled - len(bad), filled) if kind == "number" else ""
        faults.add(read[bad], name, _explain(name, kind, column, read, more))
    return faults


def is_utf8(text: bytes) -> bool:
    """Whether a text is one in UTF-8."""
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True


def legible(text: bytes) -> bytes:
    """The text with a mark for what is no UTF-8, which pyarrow could not show of rows of the wrong length."""
    return text if is_utf8(text) else text.decode(errors="replace").encode()


class UnequalRows:
    """Notes the rows that have too few or too many cells, as pyarrow comes across them."""

    def __init__(self) -> None:
        self.cells: dict[int, tuple[int, int]] = {}

    def __call__(self, row: Any) -> str:
        self.cells[row.number - 1] = (row.actual_columns, row.expected_columns)
        return "skip"

    def explain(self, row: int) -> tuple[str, str]:
        """What was found, what to do."""
        actual, expected = self.cells[row]
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
        text = shown(cell).replace("\\\\x", "\\x")  # bytes that are no text have one stroke
        return f"column {name!r} holds {text}", f"{expected} is expected{ways}"

    return explain
