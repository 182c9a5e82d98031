"""What the scripts share whose tables of public data stand in a document."""

from __future__ import annotations

import re
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

import tour

Makers = Mapping[str, Callable[[Path], str]]  # what makes each table from the folder of the data, by its name


def table(rows: list[tuple[str, ...]]) -> str:
    """Rows of cells, the first of them the head, as a document has them."""
    lines = [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join([lines[0], "|" + " --- |" * len(rows[0]), *lines[1:]])


def filled(page: Path, makers: Makers, folder: Path) -> str:
    """The document with its tables as they should be."""
    text = page.read_text(encoding="utf-8")
    for name, make in makers.items():
        place = re.search(f"(<!-- {name}: .*? -->\n).*?(\n<!-- end of {name} -->)", text, re.DOTALL)
        if place is None:
            raise SystemExit(f"{page} has no place for the {name}")
        text = text[: place.start()] + place[1] + make(folder) + place[2] + text[place.end() :]
    return text


def run(page: Path, makers: Makers, usage: str | None) -> None:
    """Print the tables of the folder that the command line names, or with ``--write`` put them in their place."""
    folders = [Path(one) for one in sys.argv[1:] if not one.startswith("-")]
    if len(folders) != 1:
        raise SystemExit(usage)
    if "--write" in sys.argv[1:]:
        page.write_text(filled(page, makers, folders[0]), encoding="utf-8")
        return
    for make in makers.values():
        print(make(folders[0]), end="\n\n")


def page_text(page: Path, makers: Makers) -> str:
    """The document with its tables, of what is kept beside it, and the output of its commands as they should be."""
    with tempfile.TemporaryDirectory() as folder:
        return tour.filled(filled(page, makers, page.parent), folder)


def tell(page: Path, makers: Makers, picture: Path, figure: Callable[[], str]) -> None:
    """Print the tables, or with ``--write`` put them, the output of the commands and a picture in their places."""
    if "--write" in sys.argv[1:]:
        page.write_text(page_text(page, makers), encoding="utf-8")
        picture.write_text(figure(), encoding="utf-8")
        return
    print("\n\n".join(make(page) for make in makers.values()))
