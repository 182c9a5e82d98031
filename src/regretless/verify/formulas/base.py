"""What all formulas share: the table of them by the names of their theorems."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

Facts = dict[str, Any]
Formula = Callable[[Facts, Facts, Facts], Any]  # a number, of numbers as JSON has them
Kind = Literal["sure", "expected", "probable"]


@dataclass(frozen=True, slots=True)
class Printed:
    """A bound as it is printed, and what is printed of it besides.

    Attributes
    ----------
    formula : callable
        ``(ledger, comparator, learner) -> number``.
    kind : {"sure", "expected", "probable"}
        Whether it always holds, in expectation, or with some probability.
    at_once : {"always", "one rate", "never"}
        Of a probable one, when its probability is one for all numbers of rounds: for any learner, for one whose rate
        stays the same, or for none, as the number was fixed beforehand.
    event : str
        Of probable ones that fail together its name; else empty.
    subtracts : bool
        Whether updates are taken off a sum, so that rounding is a part of both and not of the bound alone.
    risk : int
        Of a bound on the risk of new rows, how many times the error rate of the first pass estimates it; 0 of others.
    """

    formula: Formula
    kind: Kind = "sure"
    at_once: Literal["always", "one rate", "never"] = "always"
    event: str = ""
    subtracts: bool = False
    risk: int = 0

    def __call__(self, ledger: Facts, comparator: Facts, learner: Facts) -> Any:
        """The bound."""
        return self.formula(ledger, comparator, learner)


FORMULAS: dict[str, Printed] = {}


class TooLong(Exception):
    """A recursion has more steps than are followed here."""


def printed(*names: str, **besides: Any) -> Callable[[Formula], Formula]:
    """The formula of these theorems, and what `Printed` has besides.

    Raises
    ------
    ValueError
        If a theorem of one of these names has a formula already.
    """
    twice = sorted(FORMULAS.keys() & set(names))
    if twice:
        raise ValueError(f"a theorem called {twice[0]} has a formula already; a new one needs another name")

    def keep(formula: Formula) -> Formula:
        FORMULAS.update(dict.fromkeys(names, Printed(formula, **besides)))
        return formula

    return keep


def same(names: str, formula: Formula, **besides: Any) -> None:
    """The formula of these theorems, whose names are divided by blanks."""
    printed(*names.split(), **besides)(formula)
