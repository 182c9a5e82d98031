"""Names that a user's file brings are text on every page, whatever they look like to a browser."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from ..browser import Browser, find_browser
from ..command_line import CommandLine

pytestmark = pytest.mark.skipif(find_browser() is None, reason="no Chromium on the path to look with")

EVIL = "</script></title><img src=x onerror=window.struck=1><script>window.struck=1</script>"
TABLES = {
    "rows": f"{EVIL}a,{EVIL}b,label\n1,2,{EVIL}yes\n2,1,{EVIL}no\n3,1,{EVIL}no\n1,4,{EVIL}yes\n",
    "load": f"day,load,{EVIL}a,{EVIL}b\n{EVIL}1,1,1,2\n{EVIL}2,2,2,1\n{EVIL}3,,3,2\n",
    "losses": f"{EVIL}a,{EVIL}b\n0,1\n0.5,0.25\n1,0\n",
    "game": f",{EVIL}a,{EVIL}b\n{EVIL}c,0,-1\n{EVIL}d,1,0.5\n",
    "class": f"name,{EVIL}p,{EVIL}q\n{EVIL}f,1,1\n{EVIL}g,0,1\n{EVIL}h,0,0\n",
}
BIMATRIX = f'NFG 1 R "{EVIL}" {{"{EVIL}1" "{EVIL}2"}} {{ {{"{EVIL}a" "b"}} {{"a" "b"}} }} 2 1 0 0 0 0 1 2'

Words = Sequence[object]
VERBS: dict[str, Callable[[Path, Path], Words]] = {
    "learn": lambda folder, page: ("learn", folder / "rows.csv", "--learner", "perceptron", "--report", page),
    "compare": lambda folder, page: ("compare", "perceptron", "arow", folder / "rows.csv", "--report", page),
    "combine": lambda folder, page: (
        "combine",
        folder / "load.csv",
        "--target",
        "load",
        "--time",
        "day",
        "--report",
        page,
    ),
    "pull": lambda folder, page: ("pull", folder / "losses.csv", "--runs", 3, "--report", page),
    "solve": lambda folder, page: ("solve", folder / "game.csv", "--report", page),
    "bimatrix": lambda folder, page: ("solve", folder / "game.nfg", "--report", page),
    "play": lambda folder, page: (
        *("play", "--learner", "halving", "--environment", "shattered-tree", "--class", folder / "class.csv"),
        *("--rounds", 4, "--report", page),
    ),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of tables full of hostile names, with such a name itself."""
    folder = tmp_path / EVIL.replace("/", "|")
    folder.mkdir()
    for name, text in TABLES.items():
        (folder / f"{name}.csv").write_text(text)
    (folder / "game.nfg").write_text(BIMATRIX)
    return folder


def struck(browser: Browser, page: Path) -> list[object]:
    """What hostile names did to a page: scripts that ran, images that were asked for, complaints of the browser."""
    browser.open(page)
    ran, images = browser.evaluate("[window.struck === undefined ? 0 : 1, document.querySelectorAll('img').length]")
    return [ran, images, *browser.complaints]


@pytest.mark.parametrize("verb", VERBS)
def test_no_name_is_markup(verb, browser, capsys, monkeypatch, tmp_path, folder):
    """On the report of every verb no script runs and no image is asked for that a name brought."""
    page = tmp_path / "page.html"
    command = CommandLine(capsys, monkeypatch)(*VERBS[verb](folder, page), "--quiet")
    assert command.code == 0, command.err
    assert struck(browser, page) == [0, 0]
    assert "struck" in page.read_text()  # the names are there


def test_no_name_is_markup_in_a_drawing(browser, capsys, monkeypatch, tmp_path, folder):
    """Nor on the drawing of a mistake tree."""
    drawing = tmp_path / "tree.svg"
    command = CommandLine(capsys, monkeypatch)("dimension", folder / "class.csv", "--tree", drawing)
    assert command.code == 0, command.err
    assert struck(browser, drawing) == [0, 0]


def test_the_check_itself_sees_a_script(browser, tmp_path):
    """A page with such a name in its markup is struck."""
    page = tmp_path / "page.html"
    page.write_text(f"<!doctype html><title>page</title><body>{EVIL}")
    assert struck(browser, page)[0] == 1
