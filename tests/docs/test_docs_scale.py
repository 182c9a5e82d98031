"""The document on shards says what the code does, and what was measured."""

from __future__ import annotations

import re
import shutil
from xml.etree import ElementTree

import pytest

from regretless.catalogue import LEARNERS

from .documents import DOCS, examples, page, script

SVG = "{http://www.w3.org/2000/svg}"


def test_the_examples_of_the_document_give_what_stands_below_them():
    """Every line of Python in docs/scale.md gives the answer that stands below it."""
    doctests = examples("scale")
    assert doctests.attempted > 8
    assert doctests.failed == 0


def test_tables_are_made_of_what_was_measured():
    """Every table of docs/scale.md that stands between comments is what the script makes of docs/shards.json."""
    shards, tables = script("shards"), script("public_tables")
    assert tables.filled(shards.PAGE, shards.MAKERS, shards.PAGE.parent) == page("scale")


def test_commands_print_what_stands_below_them():
    """Every command of docs/scale.md prints what stands below it."""
    if shutil.which("bash") is None or shutil.which("awk") is None:
        pytest.skip("the commands are for bash and awk")
    pytest.importorskip("sklearn")
    assert script("shards").filled() == page("scale")


def test_the_picture_is_drawn_from_what_was_measured():
    """The picture is what the script draws: a line for each way to mix that it names, none of uneven shards."""
    shards = script("shards")
    drawn = (DOCS / "many-shards.svg").read_text(encoding="utf-8")
    assert shards.figure() == drawn
    paths = ElementTree.fromstring(drawn).findall(f".//{SVG}path[@class]")
    named = [text.text for text in ElementTree.fromstring(drawn).findall(f".//{SVG}text[@class='tag-text']")]
    assert len([path for path in paths if path.attrib["class"].startswith("line ")]) == len(named) > 4
    assert not [name for name in named if name is None or "uneven" in name]


def test_the_prediction_follows_from_the_measured_nanoseconds():
    """A thousand times the workers learn in a thousandth of the time, and move a thousand times the bytes."""
    shards = script("shards")
    _, _, *rows = [line.strip("| ").split(" | ") for line in shards.predicted(shards.PAGE).splitlines()]
    first, last = rows[0], rows[-1]
    assert [row[0] for row in rows] == ["1", "8", "64", "1,000"]
    assert seconds(first[1]) / seconds(last[1]) == pytest.approx(1000, rel=0.1)
    assert last[-1] == "240 GB"
    assert first[-1] == "240 MB"


def seconds(text: str) -> float:
    """A time as the table has it."""
    value, unit = text.split()
    return float(value.replace(",", "")) * {"s": 1.0, "min": 60.0, "h": 3600.0}[unit]


def test_what_can_be_mixed_is_reported():
    """The document names as many learners that can be mixed as the registry has, less those that are refused."""
    (matches,) = re.findall(r"^(The perceptron, .*?) can be mixed", page("scale"), re.MULTILINE | re.DOTALL)
    kinds = ("^The perceptron", "averaged", "multiclass", "passive-aggressive", "gradient descent", "p-norm", "Winnow")
    named = re.findall("|".join(kinds), matches)
    assert len(named) == sum(not entry.info.not_mixed for entry in LEARNERS.values())


def test_links_lead_somewhere():
    """Every relative link of the document is to a file, and every anchor to a title in it."""
    for target, anchor in re.findall(r"\]\((?!https?:)([^)#]*)(?:#([^)]+))?\)", page("scale")):
        assert not target or (DOCS / target).exists()
        if anchor:
            titles = re.findall(r"^#+ (.+)$", page(target.removesuffix(".md") or "scale"), re.MULTILINE)
            assert anchor in {re.sub(r"[^\w -]", "", title).lower().replace(" ", "-") for title in titles}, anchor
