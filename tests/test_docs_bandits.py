"""The document on bandits says what the code does."""

from __future__ import annotations

import doctest
import importlib.util
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def test_the_examples_of_the_document_give_what_stands_below_them():
    """Every line of Python in docs/bandits.md gives the answer that stands below it."""
    result = doctest.testfile(str(ROOT / "docs" / "bandits.md"), module_relative=False)
    assert result.attempted > 5
    assert result.failed == 0


def test_the_tables_of_public_data_are_what_the_script_prints(data):
    """The tables of public data in docs/bandits.md are what docs/pulls.py computes from the data."""
    spec = importlib.util.spec_from_file_location("pulls", ROOT / "docs" / "pulls.py")
    script = importlib.util.module_from_spec(spec)
    sys.modules["pulls"] = script  # dataclasses look themselves up
    spec.loader.exec_module(script)
    assert script.filled(data) == (ROOT / "docs" / "bandits.md").read_text(encoding="utf-8")
