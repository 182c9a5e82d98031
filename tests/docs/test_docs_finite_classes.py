"""The document on finite classes says what the code does."""

from __future__ import annotations

import re
import shutil
from xml.etree import ElementTree

import pytest

from regretless.catalogue import CLASS_LEARNERS
from regretless.finite_classes import FAMILIES

from .documents import DOCS, examples, page, script

SVG = "{http://www.w3.org/2000/svg}"


def part(title: str) -> str:
    """What stands under a title of the document."""
    (matches,) = re.findall(rf"^## {title}\n(.*?)(?=^## |\Z)", page("finite_classes"), re.MULTILINE | re.DOTALL)
    return matches


def test_the_examples_of_the_document_give_what_stands_below_them():
    """Every line of Python in docs/finite_classes.md gives the answer that stands below it."""
    doctests = examples("finite_classes")
    assert doctests.attempted > 25
    assert doctests.failed == 0


def test_tables_and_commands_are_as_they_come_out():
    """Tables of docs/finite_classes.md, but for the times, and what stands below its commands are as they come out."""
    if shutil.which("bash") is None:
        pytest.skip("the commands are for bash")
    assert script("dimensions").filled() == page("finite_classes")


def test_every_family_and_every_learner_has_a_row():
    """The table of classes has one of each family, the table of learners each of them once."""
    rows = re.findall(r"^\| `([a-z-]+):", part("Two dimensions, with proofs"), re.MULTILINE)
    assert set(rows) == set(FAMILIES)
    assert re.findall(r"^\| `([a-z-]+)` \|", part("The learners"), re.MULTILINE) == list(CLASS_LEARNERS)


def test_the_picture_of_costs_is_drawn_from_what_was_timed():
    """The picture is what the script draws, with a line for each kind of classes and each dimension."""
    dimensions = script("dimensions")
    drawn = (DOCS / "dimension-cost.svg").read_text(encoding="utf-8")
    assert dimensions.figure() == drawn
    paths = ElementTree.fromstring(drawn).findall(f".//{SVG}path[@class]")
    assert len([path for path in paths if path.attrib["class"].startswith("line ")]) == len(dimensions.lines()) > 6


def test_links_lead_somewhere():
    """Every relative link of the document is to a file, and every anchor to a title in it."""
    for target, anchor in re.findall(r"\]\((?!https?:)([^)#]*)(?:#([^)]+))?\)", page("finite_classes")):
        assert not target or (DOCS / target).exists()
        if anchor:
            titles = re.findall(r"^#+ (.+)$", page(target.removesuffix(".md") or "finite_classes"), re.MULTILINE)
            assert anchor in {re.sub(r"[^\w -]", "", title).lower().replace(" ", "-") for title in titles}, anchor
