"""The examples of the gallery, all of which `make docs` runs."""

from __future__ import annotations

import ast
import runpy

import pytest

from .documents import DOCS

EXAMPLES = sorted((DOCS / "gallery").glob("*.py"))


def test_there_are_enough():
    """The gallery has at least 20 examples, numbered so that they stand in one order."""
    assert len(EXAMPLES) >= 20
    numbers = [path.name[:2] for path in EXAMPLES]
    assert numbers == sorted(set(numbers))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_each_is_short_says_what_it_is_about_and_draws(path):
    """Each example compiles, has a title that is underlined, at most 80 lines, and shows a picture last."""
    text = path.read_text(encoding="utf-8")
    title, line, blank = (ast.get_docstring(ast.parse(text)) or "").splitlines()[:3]
    assert (line, blank) == ("=" * len(title), "")
    assert 30 <= len(text.splitlines()) <= 80
    assert text.endswith("plt.show()\n")


@pytest.mark.parametrize("number", ["05", "13", "17"])
def test_three_of_them_run(number, monkeypatch, capsys):
    """Three cheap examples run, print something and draw a figure."""
    plt = pytest.importorskip("matplotlib.pyplot")
    plt.switch_backend("agg")
    drawn = []
    monkeypatch.setattr(plt, "show", lambda: drawn.extend(plt.get_fignums()))
    (path,) = (path for path in EXAMPLES if path.name.startswith(number))
    runpy.run_path(str(path), run_name="__main__")
    plt.close("all")
    assert drawn
    assert capsys.readouterr().out
