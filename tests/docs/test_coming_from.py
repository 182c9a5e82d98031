"""The page for those who come from other packages shows what works."""

from __future__ import annotations

import doctest
import re
import shlex
from pathlib import Path

import pytest

from ..command_line import quietly

PAGE = (Path(__file__).parents[2] / "docs" / "coming-from.md").read_text(encoding="utf-8")
COMMANDS = [
    command
    for row in re.findall(r"^\|.*\|$", PAGE, re.MULTILINE)
    if "not run" not in row
    for command in re.findall(r"`regretless ([^`]+)`", row.split(" | ", 1)[1])
]
DECISIONS = ["1:0.2:0.5 | rain size:2", "2:0.7:0.5 | sun", "1:0.1:0.5 | rain size:1", "2:0.3:0.5 | sun size:3"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """Small files of all kinds that the page names, and a model."""
    path = tmp_path_factory.mktemp("coming")
    towns = ["Rome", "Oslo", "Lima"]
    rows = [(0.5 + k % 7, towns[k % 3], "no" if k % 3 == 1 else "yes") for k in range(60)]
    tables = {
        "rows.csv": ["size,town,y", *(f"{size},{town},{label}" for size, town, label in rows)],
        "rows.vw": [f"{1 if label == 'yes' else -1} |a size:{size} |b {town}" for size, town, label in rows],
        "prices.vw": [f"{size * 2 + 1} | size:{size}" for size, _, _ in rows],
        "decisions.vw": DECISIONS * 10,
        "losses.csv": ["a,b", *(f"{k % 2},{(k + 1) % 3 / 2}" for k in range(60))],
        "load.csv": ["day,load,a,b", *(f"{k},{k % 5},{k % 5 + 1},{k % 4}" for k in range(60))],
        "costs.csv": ["rain,walk,bus", *(f"{k % 2},{k % 2},{1 - k % 2}" for k in range(60))],
        "game.csv": ["0,-1,2", "1,0,-1", "-1,1,0"],
        "game.nfg": ['NFG 1 R "g" { "a" "b" } { 2 2 }', "", "1 -1 -1 1 -1 1 1 -1"],
        "poker.efg": POKER,
    }
    for name, lines in tables.items():
        (path / name).write_text("\n".join(lines) + "\n")
    return path


POKER = [
    'EFG 2 R "bluff" { "one" "two" }',
    'c "" 1 "" { "high" 1/2 "low" 1/2 } 0',
    'p "" 1 1 "" { "bet" "pass" } 0',
    'p "" 2 1 "" { "call" "fold" } 0',
    't "" 1 "" { 2 -2 }',
    't "" 2 "" { 1 -1 }',
    't "" 3 "" { 1 -1 }',
    'p "" 1 2 "" { "bet" "pass" } 0',
    'p "" 2 1 "" { "call" "fold" } 0',
    't "" 4 "" { -2 2 }',
    't "" 5 "" { 1 -1 }',
    't "" 6 "" { -1 1 }',
]


def test_every_command_of_the_page_works(folder, monkeypatch):
    """Each command beside another package's ends with exit code 0 on files of the kind that it names."""
    monkeypatch.chdir(folder)
    assert len(COMMANDS) > 20
    codes = {command: quietly(*shlex.split(command)) for command in COMMANDS}
    assert not {command: code for command, code in codes.items() if code}


def test_the_lines_of_python_answer_so(folder, monkeypatch):
    """Each line of Python of the page gives the answer that stands below it."""
    pytest.importorskip("river")
    monkeypatch.chdir(folder)
    examples = "\n".join(re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL))
    test = doctest.DocTestParser().get_doctest(examples, {}, "page", None, 0)
    doctests = doctest.DocTestRunner(verbose=False).run(test)
    assert doctests.attempted > 10
    assert doctests.failed == 0
