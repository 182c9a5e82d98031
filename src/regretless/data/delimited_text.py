"""The rows and cells of delimited text: where they end, what stands between them, and how decimals are written."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._core import quotes_delimiter

Offsets = np.ndarray[Any, np.dtype[np.intp]]

BOM = b"\xef\xbb\xbf"  # that some editors put before UTF-8 text
THOUSANDS = 3  # digits
DELIMITERS = (b";", b"\t", b",", b"|")
# Runs of spaces, those at either end of a line by themselves.
SPACES = re.compile(rb"^[ \t]+|[ \t]+(?=[\r\n]|\Z)|(?P<inner>[ \t]+)", re.MULTILINE)
QUOTE, COMMA, NEWLINE, RETURN = (ord(character) for character in '",\n\r')


@dataclass(frozen=True, slots=True)
class Block:
    """Whole rows of text, the line of the file on which they begin, and how numbers are written.

    Attributes
    ----------
    text : bytes
    line : int
    delimiter : bytes
        What stands between cells.
    comma : bool
        Whether decimals have a comma.
    """

    text: bytes
    line: int
    delimiter: bytes
    comma: bool = False

    def rows(self) -> list[tuple[int, int]]:
        """Where each row that is not blank begins and ends (its line end included)."""
        ends = row_ends(self.text, self.delimiter, final=True).tolist()
        spans = zip([0, *ends], ends, strict=False)
        return [(begin, end) for begin, end in spans if self.text[begin:end].strip(b"\r\n")]

    def last_row(self) -> tuple[int, int]:
        """Where the last row that is not blank begins and ends."""
        ends = [0, *row_ends(self.text, self.delimiter, final=True).tolist()]
        while not self.text[ends[-2] : ends[-1]].strip(b"\r\n"):
            ends.pop()
        return ends[-2], ends[-1]

    def position(self, row: tuple[int, int], cell: int) -> tuple[int, int]:
        """The line and column, counted from 1, where the cell with this number (from 0) begins.

        They are those of the row if it has fewer cells.
        """
        begins = [match.start() for match in cell_pattern(self.delimiter).finditer(self.text, *row)]
        begin = begins[cell] if cell < len(begins) else row[0]
        start = max(self.text.rfind(b"\n", 0, begin), self.text.rfind(b"\r", 0, begin)) + 1
        column = len(self.text[start:begin].decode(errors="replace")) + 1
        return self.line + count_lines(self.text[:begin]), column

    def without(self, bad: list[tuple[int, int]]) -> bytes:
        """The text without these rows (in ascending order)."""
        ends = [0, *(end for _, end in bad)]
        begins = [*(begin for begin, _ in bad), len(self.text)]
        return b"".join(self.text[end:begin] for end, begin in zip(ends, begins, strict=True))


def delimiter_in(row: bytes, expected: bytes, below: bytes) -> bytes:
    """What stands between the cells of a row: what is expected, if it is there, else another of its kind.

    Where commas are expected, and stand between digits only, semicolons or tabs are it: the commas are decimal. Spaces
    are it where the line below has as many of them, for a line alone may be a title.
    """
    bare = _unquoted(row)
    others = [mark for mark in DELIMITERS if mark != expected and mark in bare]
    if expected not in bare:
        next_line = _unquoted(below.lstrip(b"\r\n").splitlines()[0] if below.strip() else b"")
        spaced = expected == b"," and 1 < len(bare.split()) == len(next_line.split()) and expected not in next_line
        return others[0] if others else b" " if spaced else expected
    decimal = expected == b"," and re.search(rb"(?<![0-9]),|,(?![0-9])", bare) is None
    return others[0] if decimal and others and others[0] != b"|" else expected


def _unquoted(row: bytes) -> bytes:
    return re.sub(rb'"[^"]*"', b"q", row.strip())


def row_ends(text: bytes, delimiter: bytes, *, final: bool) -> Offsets:
    """Where each row ends (behind its line end); if the text is final its end is one, too."""
    data = np.frombuffer(text, np.uint8)
    ends = np.flatnonzero(data == NEWLINE)
    if b"\r" in text:
        ends = np.union1d(ends, _lone_returns(data, final))
    if b'"' in text:
        quotes = np.flatnonzero(data == QUOTE)
        if _well_formed(data, quotes, delimiter[0]):
            ends = ends[np.searchsorted(quotes, ends) % 2 == 0]
        else:
            ends = np.intersect1d(ends, _walk(text, delimiter))
    ends = ends + 1
    if final and len(text) and (not len(ends) or ends[-1] != len(text)):
        ends = np.append(ends, len(text))
    return ends


def decimal_comma(text: bytes, delimiter: bytes) -> bool:
    """Whether decimals have a comma: some cells do, and none has a point.

    Where commas separate cells these are in quotes, and three digits behind each comma might be thousands.
    """
    if delimiter == b",":
        if b'"' not in text or not quotes_delimiter(text, ","):
            return False
        decimals = re.findall(rb'"[-+]?[0-9]*,([0-9]+)"', text)
        some = any(len(digits) != THOUSANDS for digits in decimals)
    else:
        some = b"," in text and re.search(_decimal(b",", delimiter), text) is not None
    return some and re.search(_decimal(rb"\.", delimiter), text) is None


def _decimal(mark: bytes, delimiter: bytes) -> bytes:
    edge = rb'["\r\n' + re.escape(delimiter) + rb"]"
    return rb"(?:\A|" + edge + rb")[-+]?[0-9]*" + mark + rb"[0-9]+(?:[eE][-+]?[0-9]+)?(?=" + edge + rb"|\Z)"


def count_lines(text: bytes) -> int:
    """How many line ends there are, quoted or not."""
    count = int(np.count_nonzero(np.frombuffer(text, np.uint8) == NEWLINE))  # bytes.count takes five times as long
    return count + text.count(b"\r") - text.count(b"\r\n") if b"\r" in text else count


def _lone_returns(data: Any, final: bool) -> Offsets:
    returns = np.flatnonzero(data == RETURN)
    still_to_come = 0 if final else NEWLINE  # it may be one
    alone: Offsets = returns[_framed(data, still_to_come)[returns + 2] != NEWLINE]
    return alone


def _well_formed(data: Any, quotes: Offsets, delimiter: int) -> bool:
    """Whether quotes stand only around whole cells (doubled inside), so that they open and close in turn."""
    boundary = np.zeros(256, dtype=bool)
    boundary[[QUOTE, delimiter, NEWLINE, RETURN]] = True
    around = _framed(data, NEWLINE)
    opening, closing = quotes[::2], quotes[1::2]
    return bool(boundary[around[opening]].all() and boundary[around[closing + 2]].all())


def _framed(data: Any, edge: int) -> Any:
    framed = np.full(len(data) + 2, edge, np.uint8)
    framed[1:-1] = data
    return framed


def _walk(text: bytes, delimiter: bytes) -> Offsets:
    """Where the line ends outside of quotes are, cell by cell, for text whose quotes are out of place."""
    cells = cell_pattern(delimiter).finditer(text)
    return np.array([cell.end() - 1 for cell in cells if cell["end"] not in (delimiter, b"")], np.intp)


def cell_pattern(delimiter: bytes) -> re.Pattern[bytes]:
    """One cell with what ends it; Python keeps compiled patterns."""
    mark = re.escape(delimiter)
    quoted = rb'(?P<quoted>"[^"]*(?:""[^"]*)*)(?:(?P<closed>")|\Z)'
    return re.compile(rb"(?:%s)?[^%s\r\n]*(?P<end>%s|\r\n|\r|\n|\Z)" % (quoted, mark, mark))
