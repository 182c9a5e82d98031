"""The rows of the table, in its order and under its titles."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module

from benchmarks.table.row import Row

# title -> the module and the function that has its rows: a package that lacks what one of them times has the others
GROUPS = {
    "From a file to a model and its certificates, whole processes": ("files", "certified"),
    "From a file to a model, whole processes": ("files", "models"),
    "From a file to rows": ("files", "readers"),
    "One pass over rows in memory, the whole fit": ("passes", "rows"),
    "Certificates of rows in memory": ("certificates", "rows"),
    "Second order": ("learners", "second_order"),
    "Numbers": ("learners", "numbers"),
    "Tables of losses": ("experts", "rows"),
    "One call from Python": ("calls", "rows"),
    "Contextual bandits": ("contextual", "rows"),
    "Kernels, finite classes, alarms, intervals": ("learners", "others"),
    "Starts": ("starts", "rows"),
}


def rows_of(title: str, *, large: bool = False, only: str = "") -> Iterator[Row]:
    """The rows under a title whose names, or the title, have `only` in them; those that take minutes if wanted."""
    module, function = GROUPS[title]
    rows = getattr(import_module(f"benchmarks.table.{module}"), function)()
    hit = only.lower() in title.lower()
    return (row for row in rows if (large or not row.large) and (hit or only.lower() in row.what.lower()))
