"""Names that a user's file brings do not change the direction of writing on any page: what would is spelled out."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from ..command_line import CommandLine
from .test_hostile_names_browser import BIMATRIX, EVIL, TABLES, VERBS

TURNING = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
DATA = re.compile('<script type="application/json"[^>]*>(.*?)</script>', re.DOTALL)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of tables whose names turn the writing, with such a name itself."""
    folder = tmp_path / TURNING
    folder.mkdir()
    for name, text in TABLES.items():
        (folder / f"{name}.csv").write_text(text.replace(EVIL, TURNING))
    (folder / "game.nfg").write_text(BIMATRIX.replace(EVIL, TURNING))
    return folder


def turns(text: str) -> list[str]:
    """The characters of a text that turn the writing."""
    return [character for character in text if character in TURNING]


@pytest.mark.parametrize("verb", VERBS)
def test_no_name_turns_the_writing(verb, capsys, monkeypatch, tmp_path, folder):
    """On the report of every verb such characters of names stand as backslash and code, in data of scripts too."""
    page = tmp_path / "page.html"
    command = CommandLine(capsys, monkeypatch)(*VERBS[verb](folder, page), "--quiet")
    assert command.code == 0, command.err
    text = page.read_text()
    assert not turns(text)
    assert not turns("".join(json.dumps(json.loads(data), ensure_ascii=False) for data in DATA.findall(text)))
    assert "\\u202e" in text


def test_no_name_turns_the_writing_in_a_drawing(capsys, monkeypatch, tmp_path, folder):
    """Nor on the drawing of a mistake tree."""
    drawing = tmp_path / "tree.svg"
    command = CommandLine(capsys, monkeypatch)("dimension", folder / "class.csv", "--tree", drawing)
    assert command.code == 0, command.err
    assert not turns(drawing.read_text())
    assert "\\u202e" in drawing.read_text()
