"""Whether the first line of a table names its columns, or is a row already."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from .csv_cells import NULLS

NUMBER = r"^[ \t]*[-+]?([0-9]+[.,]?[0-9]*|[.,][0-9]+)([eE][-+]?[0-9]+)?[ \t]*$"
# From this share of numbers on, a cell that is none is taken for a slip rather than for a category.
MOSTLY = 0.9
ROWS = 200  # that are looked at
YEARS = range(1800, 2201)  # that columns may be called by

_NUMBER = re.compile(NUMBER)


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
