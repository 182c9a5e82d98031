"""The document on combining experts says what the code does."""

from __future__ import annotations

import shlex

from ..command_line import CommandLine
from .documents import examples, page, script


def test_the_examples_of_the_document_give_what_stands_below_them():
    """Every line of Python in docs/experts.md gives the answer that stands below it."""
    doctests = examples("experts")
    assert doctests.attempted > 10
    assert doctests.failed == 0


def test_few_labels_are_asked_of_the_file_of_the_page(capsys, monkeypatch, tmp_path):
    """`combine --label-budget` takes the forecasts that the page makes, by the options that it shows."""
    monkeypatch.chdir(tmp_path)
    lines = page("experts").splitlines()
    (made,) = (line for line in lines if line.startswith("python3 -c"))
    exec(shlex.split(made)[2], {})
    (tmp_path / "forecasts.csv").write_text(capsys.readouterr().out)
    (shown,) = (line for line in lines if line.startswith("regretless") and line.endswith("--label-budget 5%"))
    command = CommandLine(capsys, monkeypatch)(*shlex.split(shown)[1:])
    assert command.code == 0, command.err


def test_the_examples_on_intervals_give_what_stands_below_them():
    """Every line of Python in docs/intervals.md gives the answer that stands below it."""
    doctests = examples("intervals")
    assert doctests.attempted > 10
    assert doctests.failed == 0


def test_the_examples_on_calibration_give_what_stands_below_them():
    """Every line of Python in docs/calibration.md gives the answer that stands below it."""
    doctests = examples("calibration")
    assert doctests.attempted > 8
    assert doctests.failed == 0


def test_the_examples_on_alarms_give_what_stands_below_them():
    """Every line of Python in docs/alarms.md gives the answer that stands below it."""
    doctests = examples("alarms")
    assert doctests.attempted > 8
    assert doctests.failed == 0


def test_the_tables_of_public_data_are_what_the_script_prints(data):
    """The tables of public data in docs/experts.md are what docs/forecasts.py computes from the data."""
    assert script("forecasts").filled(data) == page("experts")
