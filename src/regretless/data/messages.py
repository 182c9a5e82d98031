"""Words that the messages of several readers share."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from typing import Any

from ..errors import DataError, ParameterError

SKIPPING = "--on-error skip passes over such rows"
LONGEST = 40  # characters of a text that are shown
MOST = 10  # names that are listed
MOST_COLUMNS = 40  # that are listed
FEW = 4  # values that are named
MOST_CLASSES = 20  # different values that a column of labels has, as a guess


def or_skipped(error: DataError) -> DataError:
    """The error about one row, which also says how such rows are passed over."""
    return DataError(error.path, error.line, error.column, error.fault, f"{error.advice}; {SKIPPING}", error.more)


def one_of(name: str, value: str, allowed: tuple[str, ...]) -> None:
    """Refuse an option that is none of the words allowed."""
    if value not in allowed:
        raise ParameterError(name, repr(value), f"it must be {' or '.join(allowed)}", ": ")


def shown(text: str) -> str:
    """The text in quotes; its beginning if it is long."""
    return repr(text if len(text) <= LONGEST else text[: LONGEST - 3] + "...")


def listed(names: Sequence[str], between: str = ", ", most: int = MOST) -> str:
    """The names in quotes; only the first of them when there are many."""
    first = between.join(repr(name) for name in names[:most])
    return first if len(names) <= most else f"{first} and {len(names) - most} more"


def described(table: Any) -> Iterator[str]:
    """A line a column: its number, its name and what its first cells hold.

    Parameters
    ----------
    table : pyarrow.Table
        Some rows.
    """
    names = table.column_names[:MOST_COLUMNS]
    width = max(map(len, names), default=0)
    for number, name in enumerate(names, 1):
        yield f"{number:>4}  {name:<{width}}  {_contents(table[name])}"
    if more := len(table.column_names) - len(names):
        yield f"      and {more:,} more"


def likely_targets(table: Any) -> list[str]:
    """The last column of few different values, and the last one of all."""
    few = [name for name in table.column_names if 2 <= len(_values(table[name])) <= MOST_CLASSES]
    return list(dict.fromkeys([*few[-1:], table.column_names[-1]]))


def option(name: str, columns: Sequence[str] | str) -> str:
    """An option of the command line as it is typed: of one column, or of a list, whose names are quoted as in csv."""
    return f"{name} {shlex.quote(columns if isinstance(columns, str) else ','.join(map(_in_list, columns)))}"


def _in_list(name: str) -> str:
    quoted = name.replace('"', '""')
    return f'"{quoted}"' if quoted != name or "," in name else name


def _values(column: Any) -> list[Any]:
    from pyarrow import compute

    return [value for value in compute.unique(column).to_pylist() if value is not None]


def _contents(column: Any) -> str:
    from pyarrow import types

    values = _values(column)
    if not values:
        return "nothing"
    count = len(values)
    if types.is_integer(column.type) or types.is_floating(column.type):
        if count > FEW:
            return f"numbers from {min(values):g} to {max(values):g}, {count:,} different"
        return f"numbers: {', '.join(f'{value:g}' for value in sorted(values))}"
    first = ", ".join(shown(str(value)) for value in values[:FEW])
    return f"{first} and {count - FEW:,} others" if count > FEW else first
