"""Rows of cells in small tables of text, and where each stands; points and their labels in such rows."""

from __future__ import annotations

import csv
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from io import BufferedReader
from typing import Any, cast

import numpy as np

from ..errors import DataError
from .batch import Array
from .delimited_text import BOM, Block
from .formats import SUFFIXES
from .messages import shown
from .source import Source, decoded, lines_of, name_of, open_bytes, suffixes

COMMENT = b"#"
LABELS = {"0": 0, "1": 1}
HEADERS = ("point", "points", "name", "names", "id", "case"), ("label", "labels", "y", "class", "target", "outcome")
EXPECTED = "a point and its label, 0 or 1, are expected"


@dataclass(slots=True)
class Record:
    """A row of cells, and where it stands in the file."""

    cells: list[str]
    line: int
    raw: bytes


class Records:
    """The rows of a table of text, without blank lines and comments, which begin with #.

    Parameters
    ----------
    path : path or "-"
        It may be compressed (.gz, .xz, .zst, .bz2).
    delimiter : str
        What stands between cells.
    expected : str
        What to do about what is no table.

    Attributes
    ----------
    name : str
        The file, as messages call it.
    line, comments : int
        How many lines were read, and how many of them were comments.
    """

    def __init__(
        self,
        path: Source,
        delimiter: str,
        expected: str = "cells in rows are expected, quotes closed, every row on a line of its own",
    ) -> None:
        self.name, self.delimiter = name_of(path), delimiter
        self.line = self.comments = 0
        self._path, self._expected = path, expected
        self._next: bytes | None = None
        self._taken: list[bytes] = []
        self._cells = csv.reader(self._text(), delimiter=delimiter, strict=True)

    def lines(self) -> Iterator[bytes]:
        """The lines in which rows begin."""
        with open_bytes(self._path) as opened:
            self._file = lines_of(BufferedReader(cast(Any, opened), 1 << 18), self.name)
            for raw in self._file:
                self.line += 1
                begins = raw.removeprefix(BOM) if self.line == 1 else raw
                if stripped := begins.lstrip():
                    if stripped.startswith(COMMENT):
                        self.comments += 1
                    else:
                        yield begins

    def parsed(self, raw: bytes) -> Record:
        """The row that the last line begins, which a quote may lead over several."""
        begun = self.line
        self._next = raw
        self._taken.clear()
        try:
            cells = next(self._cells)
        except csv.Error as error:
            fault = f"this is no table ({str(error).partition(' - ')[0]})"
            raise DataError(self.name, begun, None, fault, self._expected) from error
        return Record(cells, begun, b"".join(self._taken))

    def _text(self) -> Iterator[str]:
        """The line that is to be parsed, and those after it as long as a quote is open."""
        while True:
            raw, self._next = self._next, None
            if raw is None:
                if (raw := next(self._file, None)) is None:
                    return
                self.line += 1
            self._taken.append(raw)
            if raw.lstrip().startswith(COMMENT):
                self.comments += 1
                yield "\n"
            else:
                yield decoded(raw, self.name, self.line)

    def filled(self, lines: Iterable[bytes]) -> Iterator[Record]:
        """The rows that have anything in them."""
        for raw in lines:
            record = self.parsed(raw)
            if any(map(str.strip, record.cells)):
                yield record

    def error(self, record: Record, place: int, fault: str, advice: str) -> DataError:
        """The error that a cell is."""
        block = Block(record.raw, record.line, self.delimiter.encode())
        line, column = block.position((0, len(record.raw)), place)
        return DataError(self.name, line, column, fault, advice)


@dataclass(frozen=True)
class LabelledPoints:
    """Rounds as a file has them.

    Attributes
    ----------
    points : ndarray of int64, shape (rounds,)
    labels : ndarray of uint8, shape (rounds,)
    """

    points: Array
    labels: Array


def read_point_labels(path: Source, points: int, names: Sequence[str] | None = None) -> LabelledPoints:
    """Read rounds: in each row a point and its label.

    A first row of such words as ``point`` and ``label`` is a header. Blank lines and those that begin with # are passed
    over.

    Parameters
    ----------
    path : path or "-"
        It may be compressed (.gz, .xz, .zst, .bz2). Between the cells are commas; tabs in files called .tsv or .tab.
    points : int
        How many points there are.
    names : sequence of str, optional
        What they are called. Their numbers, from 0, do as well, but where there are numbers among the names.

    Raises
    ------
    DataError
        If a row is no point with its label, or there is none.
    """
    delimiter = "\t" if suffixes(path)[-1:] and suffixes(path)[-1] in SUFFIXES["tsv"] else ","
    return _RoundReader(Records(path, delimiter, EXPECTED), points, names).read()


class _RoundReader:
    """Reads one table."""

    def __init__(self, records: Records, points: int, names: Sequence[str] | None) -> None:
        self._records, self._name = records, records.name
        self._count, self._names = points, names
        self._places = {name.strip(): place for place, name in enumerate(names or ())}
        if not any(name.isdecimal() for name in self._places):
            self._places |= {str(number): number for number in range(points)}

    def read(self) -> LabelledPoints:
        """The whole table."""
        points, labels = array("q"), bytearray()
        for number, record in enumerate(self._records.filled(self._records.lines())):
            if number or not self._is_header(record):
                point, label = self._round(record)
                points.append(point)
                labels.append(label)
        if not labels:
            fault = "no row has a label" if self._records.line else "the file is empty"
            raise DataError(self._name, None, None, fault, EXPECTED)
        return LabelledPoints(np.array(points, dtype=np.int64), np.frombuffer(labels, np.uint8))

    def _is_header(self, record: Record) -> bool:
        words = [cell.strip() for cell in record.cells]
        if len(words) != 2 or words[1] in LABELS:
            return False
        return words[1].lower() in HEADERS[1] or (words[0].lower() in HEADERS[0] and words[0] not in self._places)

    def _round(self, record: Record) -> tuple[int, int]:
        cells = [cell.strip() for cell in record.cells]
        if len(cells) != 2:
            fault = f"one cell only, {shown(cells[0])}" if len(cells) == 1 else f"a row of {len(cells):,} cells"
            raise DataError(self._name, record.line, None, fault, f"{EXPECTED}, with {self._between()} between them")
        point, label = self._places.get(cells[0]), LABELS.get(cells[1])
        if point is None:
            raise self._records.error(record, 0, f"{_cell_fault(cells[0], 'no point is called')}", self._known())
        if label is None:
            raise self._records.error(record, 1, _cell_fault(cells[1], "there is no label"), "0 or 1 is expected")
        return point, label

    def _between(self) -> str:
        return "a comma" if self._records.delimiter == "," else "a tab"

    def _known(self) -> str:
        """What points are called."""
        if self._names is None:
            return f"a number from 0 to {self._count - 1} is expected"
        few = ", ".join(shown(name) for name in self._names[:3])
        return f"one of the {self._count} points of the class is expected: {few}{', ...' * (self._count > 3)}"


def _cell_fault(cell: str, what: str) -> str:
    return f"{what} {shown(cell)}" if cell else "an empty cell stands"
