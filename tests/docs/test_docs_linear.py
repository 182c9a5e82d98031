"""The documents on linear learners and on accuracy say what the code does."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from regretless.catalogue import LEARNERS

from .documents import examples

ROOT = Path(__file__).resolve().parents[2]
PAGES = ("linear", "accuracy")


def read(name: str) -> str:
    return (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8")


def test_the_examples_give_what_stands_below_them():
    """Every line of Python in docs/linear.md gives the answer that stands below it."""
    doctests = examples("linear")
    assert doctests.attempted > 10
    assert doctests.failed == 0


@pytest.mark.parametrize("title", ["How they learn", "What they cost", "What their certificates say"])
def test_every_learner_has_a_row(title):
    """The tables of updates, costs and certificates name every learner of the registry, and no other."""
    (part,) = re.findall(rf"^## {title}\n(.*?)^## ", read("linear"), re.MULTILINE | re.DOTALL)
    rows = [line.split(" | ")[0] for line in part.splitlines() if line.startswith("| `")]
    named = {name for row in rows for name in re.findall(r"`([a-z-]+[a-z])`", row)}
    assert named == set(LEARNERS)


@pytest.mark.parametrize("name", PAGES)
def test_links_lead_somewhere(name):
    """Every relative link of the two pages is to a file, and every anchor to a title in it."""
    for target, anchor in re.findall(r"\]\((?!https?:)([^)#]*)(?:#([^)]+))?\)", read(name)):
        page = ROOT / "docs" / (target or f"{name}.md")
        assert page.exists()
        titles = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
        assert not anchor or anchor in {title.lower().replace(" ", "-") for title in titles}


def test_the_table_of_accuracy_is_whole():
    """Each row of the table has a cell for each task of the document, and one cell of each column is bold."""
    (table,) = re.findall(r"<!-- accuracy: .*? -->\n(.*?)\n<!-- end of accuracy -->", read("accuracy"), re.DOTALL)
    head, _, *rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()]
    assert head[1:] == re.findall(r"^\| `(\w+)`:", read("accuracy"), re.MULTILINE)
    assert all(len(row) == len(head) for row in rows)
    assert len(rows) > 10
    for place in range(1, len(head)):
        assert sum("**" in row[place] for row in rows) == 1
