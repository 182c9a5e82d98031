"""Reads docs/errata.md: of each theorem, where a form that is printed somewhere errs."""

from __future__ import annotations

import re
from collections.abc import Container

from learners import ROOT

PAGE = ROOT / "docs" / "errata.md"
PART = re.compile(r"^## .*?\n+Of (`.*?)\.\n\n(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
NAME = re.compile(r"`(\w+-\w+)`")


def errata() -> dict[str, str]:
    """The text of each part, by the names of the pages of the theorems that it is about."""
    parts = PART.findall(PAGE.read_text(encoding="utf-8"))
    return {name: words.strip() for names, words in parts for name in NAME.findall(names)}


def linked(text: str, known: Container[str], folder: str) -> str:
    """The text with links from the names of theorems to their pages, which stand in this folder."""
    return NAME.sub(lambda match: f"[{match[0]}]({folder}{match[1]}.md)" if match[1] in known else match[0], text)
