"""The bounds once more, from their printed formulas and named numbers alone.

Nothing of `regretless.theory` is used: these are a second opinion. A formula takes three mappings of names to numbers,
of the ledger, of the comparator and of the learner, as the certificates of a report have them under `constants`. What
theorems add for rounding is left out where it is less than what a check allows; ridge regression's may be more. A page
of the textbook may have the formulas of its learners, by their kind: its `BOUNDS`.
"""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from ... import textbook
from . import bandits, experts, finite_classes, games, linear
from .base import FORMULAS, Facts, Printed, TooLong, same

__all__ = [
    "FORMULAS",
    "Facts",
    "Printed",
    "TooLong",
    "bandits",
    "experts",
    "finite_classes",
    "games",
    "linear",
]

for _page in iter_modules(textbook.__path__):
    for _kind, _bounds in getattr(import_module(f"{textbook.__name__}.{_page.name}"), "BOUNDS", {}).items():
        for _name, _formula in _bounds.items():
            same(_name, _formula, kind=_kind)
