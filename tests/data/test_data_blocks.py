"""Delimited text cut in blocks of whole rows."""

from __future__ import annotations

import io
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import csv

from regretless.data import delimited as module
from regretless.data.delimited import Blocks
from regretless.data.delimited_text import Block, count_lines
from regretless.errors import DataError


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SMALLEST", 7)


def arrow_rows(text: bytes) -> list[Any]:
    """The rows that pyarrow finds in a text of two columns, and how many cells the unequal ones have."""
    if not text.strip(b"\r\n"):
        return []
    unequal: dict[int, int] = {}

    def note(row: Any) -> str:
        unequal[row.number - 1] = row.actual_columns
        return "skip"

    table = csv.read_csv(
        pa.BufferReader(text),
        csv.ReadOptions(column_names=["a", "b"], block_size=len(text) + 1, use_threads=False),
        csv.ParseOptions(newlines_in_values=True, invalid_row_handler=note),
        csv.ConvertOptions(column_types={"a": pa.binary(), "b": pa.binary()}),
    )
    equal = iter(zip(table["a"].to_pylist(), table["b"].to_pylist(), strict=True))
    return [unequal[row] if row in unequal else next(equal) for row in range(len(table) + len(unequal))]


def ends_in_a_quote(text: bytes) -> bool:
    """Whether a quote is open at the end, found byte by byte."""
    state, place = "start", 0
    while place < len(text):
        byte = text[place : place + 1]
        if state == "quoted":
            if byte == b'"' and text[place + 1 : place + 2] == b'"':
                place += 1
            elif byte == b'"':
                state = "plain"
        elif byte in b",\r\n":
            state = "start"
        else:
            state = "quoted" if state == "start" and byte == b'"' else "plain"
        place += 1
    return state == "quoted"


def cut(text: bytes, size: int) -> list[Block]:
    blocks = Blocks(io.BytesIO(text), "f", b",")
    assert blocks.header().text.strip() == b"x,y"
    return list(blocks.blocks(size))


letters = st.sampled_from([b"a", b",", b'"', b"\n", b"\r\n", b"\r", b'""', b',"', b'",', b'"\n', b"b\n"])


@given(st.lists(letters, max_size=60).map(b"".join), st.sampled_from([3, 7, 20]))
def test_blocks_hold_the_rows_of_the_whole(body: bytes, size: int) -> None:
    """However text is quoted and cut, the blocks read one by one give the rows that the text gives as a whole."""
    if ends_in_a_quote(body):
        with pytest.raises(DataError, match="a quote is never closed"):
            cut(b"x,y\n" + body, size)
        return
    blocks = cut(b"x,y\n" + body, size)
    assert b"".join(block.text for block in blocks) == body
    assert [row for block in blocks for row in arrow_rows(block.text)] == arrow_rows(body)
    assert sum(len(block.rows()) for block in blocks) == len(arrow_rows(body))
    for place, block in enumerate(blocks):
        assert block.line == 2 + count_lines(b"".join(before.text for before in blocks[:place]))


def test_a_quoted_line_end_does_not_end_a_row() -> None:
    """A row with a line end in a quoted cell stays whole, and the rows after it have the right lines."""
    first, second = cut(b'x,y\n1,"a\nb\n\nc"\n2,d\n', 7)
    assert first.text == b'1,"a\nb\n\nc"\n'
    assert (second.text, second.line) == (b"2,d\n", 6)


def test_a_quote_within_a_cell_is_no_quote() -> None:
    """An inch sign does not swallow the rows that follow."""
    assert [block.text for block in cut(b'x,y\n5" pipe,1\n6" pipe,2\n7,3\n', 12)] == [
        b'5" pipe,1\n',
        b'6" pipe,2\n',
        b"7,3\n",
    ]


def test_position_counts_lines_and_characters() -> None:
    """A cell's place is that of its first character, after quoted line ends and letters of several bytes."""
    block = Block('1,é,"a\nb",c\n2,d\n'.encode(), 10, b",")
    first, second = block.rows()
    assert [block.position(first, cell) for cell in range(4)] == [(10, 1), (10, 3), (10, 5), (11, 4)]
    assert block.position(second, 1) == (12, 3)
    assert block.position(second, 9) == (12, 1)


def test_an_open_quote_is_found_where_it_opens() -> None:
    """The error names the line and column of the quote, not the end of the file."""
    with pytest.raises(DataError, match=r"^f:3:3: a quote is never closed"):
        cut(b'x,y\n1,2\n3,"4\n5,6\n7,8\n', 7)


def test_an_endless_row_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """A quote that stays open costs a bounded amount of memory."""
    monkeypatch.setattr(module, "LONGEST_ROW", 1 << 20)
    text = io.BytesIO(b'x,y\n1,2\n3,"4' + b"\n" * (10 << 20))
    blocks = Blocks(text, "f", b",")
    blocks.header()
    with pytest.raises(DataError, match=r"^f:3: a row of more than 1 MiB"):
        list(blocks.blocks(1000))
    assert text.tell() < 5 << 20


def test_a_header_may_be_longer_than_a_block() -> None:
    """Blank lines before it and a length of many blocks do not keep the first row from being found whole."""
    names = b",".join(b"column%d" % number for number in range(100))
    blocks = Blocks(io.BytesIO(b"\xef\xbb\xbf\n\r\n" + names + b"\n1,2\n"), "f", b",")
    header = blocks.header()
    assert (header.text, header.line) == (names + b"\n", 3)
    assert [(block.text, block.line) for block in blocks.blocks(7)] == [(b"1,2\n", 4)]
