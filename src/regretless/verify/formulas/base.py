"""What all formulas share: the table of them by the names of their theorems."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Facts = dict[str, Any]
Formula = Callable[[Facts, Facts, Facts], Any]  # a number, of numbers as JSON has them

FORMULAS: dict[str, Formula] = {}


class TooLong(Exception):
    """A recursion has more steps than are followed here."""


def printed(*names: str) -> Callable[[Formula], Formula]:
    """The formula of these theorems."""

    def keep(formula: Formula) -> Formula:
        FORMULAS.update(dict.fromkeys(names, formula))
        return formula

    return keep


def same(names: str, formula: Formula) -> None:
    """The formula of these theorems, whose names are divided by blanks."""
    FORMULAS.update(dict.fromkeys(names.split(), formula))
