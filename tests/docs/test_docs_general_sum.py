"""The document on games in which both may win says what the code does."""

from __future__ import annotations

from pathlib import Path

import pytest

from .documents import examples, page, script


def test_the_examples_of_the_document_give_what_stands_below_them() -> None:
    """Every line of Python in docs/games-general-sum.md gives the answer that stands below it."""
    doctests = examples("games-general-sum")
    assert doctests.attempted > 20
    assert doctests.failed == 0


def test_the_table_of_gambits_games_is_what_the_script_prints(data: Path) -> None:
    """The table of docs/games-general-sum.md is what docs/equilibria.py finds in Gambit's games."""
    pytest.importorskip("quantecon")
    assert script("equilibria").filled(data) == page("games-general-sum")
