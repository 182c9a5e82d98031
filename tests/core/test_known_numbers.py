"""Every theorem there is has a game on which it must say a number that is known."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

import pytest

import regretless.theory
from regretless.theorem import Theorem

PAGES = sorted(Path(__file__).resolve().parents[1].glob("*/test_known_*.py"))
CHAPTERS = [import_module(f"..{page.parent.name}.{page.stem}", __package__) for page in PAGES]
CHAPTERS = [chapter for chapter in CHAPTERS if hasattr(chapter, "CASES")]
KNOWN = {case.theorem for chapter in CHAPTERS for case in chapter.CASES}
ASSUMED = {theorem for chapter in CHAPTERS for theorems, _ in getattr(chapter, "ASSUMES", ()) for theorem in theorems}


def theorems(module: str) -> set[Theorem]:
    """All theorems that a module of theory names, alone, in tuples or in tables."""
    held = list(vars(import_module(f"regretless.theory.{module}")).values())
    held += [one for table in held if isinstance(table, dict) for one in table.values()]
    each = [part for one in held for part in (one if isinstance(one, tuple) else (one,))]
    return {part for part in each if isinstance(part, Theorem)}


@pytest.mark.parametrize("module", [result.name for result in iter_modules(regretless.theory.__path__)])
def test_every_theorem_has_a_number_that_is_known(module):
    """No theorem is without a game in the tables of known numbers, nor without its assumptions stated there."""
    assert {one.name for one in theorems(module) - KNOWN} == set(), "they are in no CASES of a test_known_*.py"
    assert {one.name for one in theorems(module) - ASSUMED} == set(), "they are in no ASSUMES of a test_known_*.py"
