"""The document on bandits says what the code does."""

from __future__ import annotations

from .documents import examples, page, script


def test_the_examples_of_the_document_give_what_stands_below_them():
    """Every line of Python in docs/bandits.md gives the answer that stands below it."""
    doctests = examples("bandits")
    assert doctests.attempted > 30
    assert doctests.failed == 0


def test_the_examples_on_logs_give_what_stands_below_them():
    """Every line of Python in docs/logs.md gives the answer that stands below it."""
    doctests = examples("logs")
    assert doctests.attempted > 8
    assert doctests.failed == 0


def test_the_examples_of_the_first_page_give_what_stands_below_them():
    """Every line of Python in docs/start.md gives the answer that stands below it."""
    doctests = examples("start")
    assert doctests.attempted > 6
    assert doctests.failed == 0


def test_the_tables_of_public_data_are_what_the_script_prints(data):
    """The tables of public data in docs/bandits.md are what docs/pulls.py computes from the data."""
    assert script("pulls").filled(data) == page("bandits")
