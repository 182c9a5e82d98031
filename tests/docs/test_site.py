"""The pages of the site, before Sphinx reads them."""

from __future__ import annotations

import re
from importlib import import_module

import pytest

from regretless.catalogue import TABLES
from tests.golden.names import packages

from .documents import DOCS, script


@pytest.fixture(scope="module")
def pages() -> dict[str, str]:
    """The text of each page by its path."""
    return script("pages").pages(play=False)  # notebooks are run by a test of their own


def test_each_learner_has_a_page_with_its_theorems(pages):
    """Each learner of the catalogue has a page, which links to the page of each of its theorems."""
    for kind, table in TABLES.items():
        for name in table:
            theorems = script("pages").class_of(kind, name).theorems
            links = re.findall(r"\]\(../../theorems/(.*?\.md)\)", pages[f"learners/{kind}/{name}.md"])
            assert len(links) == len(theorems)
            assert all(f"theorems/{link}" in pages for link in links)


def test_each_document_is_in_the_navigation(pages):
    """The index leads to each document of docs/, and every page is in the navigation or says that it is not."""
    named = {f"{page}.md" for names in script("pages").NAVIGATION.values() for page in names}
    assert {path.name for path in DOCS.glob("*.md")} <= named
    assert named - {"gallery/index.md"} <= set(pages)  # which Sphinx writes when it runs the examples
    for path in set(pages) - named - {"index.md"}:
        assert pages[path].startswith("---\norphan: true\n")


def test_each_public_name_is_in_the_reference(pages):
    """The page of a public package has all its names, but for those of Dask and Spark."""
    for package in packages():
        if package.rpartition(".")[2] not in ("dask", "spark"):
            page = pages[f"reference/{package}.md"]
            for name in import_module(package).__all__:
                assert f"- `{name}`" in page or f"## {name}\n" in page, (package, name)


def test_links_between_pages_lead_somewhere(pages):
    """Every link of a page to another is to one that is made, or to a picture."""
    pictures = {path.name for path in DOCS.glob("*.svg")}
    for path, text in pages.items():
        folder = path.split("/")[:-1]
        for target in re.findall(r"\]\((?!https?:)([^)#\s]+\.(?:md|svg))", text):
            parts = list(folder)
            for part in target.split("/"):
                parts = parts[:-1] if part == ".." else [*parts, part]
            assert "/".join(parts) in {*pages, *pictures}, (path, target)
