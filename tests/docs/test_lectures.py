"""The notebooks of lectures: each cell runs, and what it asserts is true."""

from __future__ import annotations

import pytest

from .documents import script

NOTEBOOKS = script("lectures").notebooks()


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_each_notebook_runs(path):
    """Every cell runs to its end, and what it asserts is true; something is printed or shown."""
    outputs = [output for _, output in script("lectures").run(path)]
    assert sum(map(bool, outputs)) >= 5


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_are_stored_without_outputs(path):
    """A file holds what somebody has written and nothing that Jupyter adds: ``docs/lectures.py --strip`` sees to it."""
    lectures = script("lectures")
    assert path.read_text(encoding="utf-8") == lectures.stripped(lectures.cells(path))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_lines_of_notebooks_are_short(path):
    """No line has more than the 120 characters that code may have: a slide shows it whole."""
    lines = [line for cell in script("lectures").cells(path) for line in cell.source.splitlines()]
    assert [line for line in lines if len(line) > 120] == []


def test_each_notebook_is_numbered_and_has_a_title():
    """Notebooks stand in one order, and each begins with a heading."""
    assert [path.name[0] for path in NOTEBOOKS] == [str(place + 1) for place in range(len(NOTEBOOKS))]
    for path in NOTEBOOKS:
        first = script("lectures").cells(path)[0]
        assert (first.kind, first.source[:2]) == ("markdown", "# ")
