"""Points of a finite class and their labels, as a table of two columns."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..errors import DataError
from .formats import SUFFIXES
from .labelled_matrix import Record, Records
from .messages import shown
from .source import Source, suffixes
from .table_chunk import Array

LABELS = {"0": 0, "1": 1}
HEADERS = ("point", "points", "name", "names", "id", "case"), ("label", "labels", "y", "class", "target", "outcome")
EXPECTED = "a point and its label, 0 or 1, are expected"


@dataclass(frozen=True)
class PointLabels:
    """Rounds as a file has them.

    Attributes
    ----------
    points : ndarray of int64, shape (rounds,)
    labels : ndarray of uint8, shape (rounds,)
    """

    points: Array
    labels: Array


def read_point_labels(path: Source, points: int, names: Sequence[str] | None = None) -> PointLabels:
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
    return _Reader(Records(path, delimiter, EXPECTED), points, names).read()


class _Reader:
    """Reads one table."""

    def __init__(self, records: Records, points: int, names: Sequence[str] | None) -> None:
        self._records, self._name = records, records.name
        self._count, self._names = points, names
        self._places = {name.strip(): place for place, name in enumerate(names or ())}
        if not any(name.isdecimal() for name in self._places):
            self._places |= {str(number): number for number in range(points)}

    def read(self) -> PointLabels:
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
        return PointLabels(np.array(points, dtype=np.int64), np.frombuffer(labels, np.uint8))

    def _is_header(self, record: Record) -> bool:
        words = [cell.strip() for cell in record.cells]
        if len(words) != 2 or words[1] in LABELS:
            return False
        return words[1].lower() in HEADERS[1] or (words[0].lower() in HEADERS[0] and words[0] not in self._places)

    def _round(self, record: Record) -> tuple[int, int]:
        cells = [cell.strip() for cell in record.cells]
        if len(cells) != 2:
            fault = f"one cell only, {shown(cells[0])}" if len(cells) == 1 else f"a row of {len(cells)} cells"
            raise DataError(self._name, record.line, None, fault, f"{EXPECTED}, with {self._between()} between them")
        point, label = self._places.get(cells[0]), LABELS.get(cells[1])
        if point is None:
            raise self._records.error(record, 0, f"{_found(cells[0], 'no point is called')}", self._known())
        if label is None:
            raise self._records.error(record, 1, _found(cells[1], "there is no label"), "0 or 1 is expected")
        return point, label

    def _between(self) -> str:
        return "a comma" if self._records.delimiter == "," else "a tab"

    def _known(self) -> str:
        """What points are called."""
        if self._names is None:
            return f"a number from 0 to {self._count - 1} is expected"
        few = ", ".join(shown(name) for name in self._names[:3])
        return f"one of the {self._count} points of the class is expected: {few}{', ...' * (self._count > 3)}"


def _found(cell: str, what: str) -> str:
    return f"{what} {shown(cell)}" if cell else "an empty cell stands"
