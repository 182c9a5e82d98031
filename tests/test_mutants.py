"""The list of mutants that change nothing is about mutants that there are, one a line, and none stands for another."""

from __future__ import annotations

import time
from typing import Any

import pytest

from .mutants import __main__ as main
from .mutants import rules
from .mutants.changes import told_apart


def of_rules() -> list[str]:
    """The names of all faults of the update rules, whether or not they compile."""
    headers = {header: rules.ROOT / "cpp" / "regretless" / f"{header}.hpp" for header in rules.RULES}
    changes = [rules.planted(header, path.read_text(), 1, set())[1] for header, path in headers.items()]
    return told_apart([rule.name for each in changes for rule in each])


def test_every_equivalent_is_one_mutant():
    """Each line of the list names a mutant of the sources or of the rules, and names are never those of two."""
    assert main.unknown(main.every_source(), rules=False) == []
    assert main.unknown(of_rules(), rules=True) == []
    assert told_apart(["a", "b", "a"]) == ["a [1]", "b", "a [2]"]


def test_a_line_about_no_mutant_is_reported(tmp_path, monkeypatch):
    """A line whose mutant is gone, or is one of several, is named."""
    stale = tmp_path / "equivalent.txt"
    stale.write_text("ledger.after: 1 -> 2  # one of two\nledger.gone: 1 -> 2  # gone\ngone.hpp: a -> b  # gone\n")
    monkeypatch.setattr(main, "EQUIVALENT", stale)
    assert main.unknown(main.every_source(), rules=False) == ["ledger.after: 1 -> 2", "ledger.gone: 1 -> 2"]
    assert main.unknown(of_rules(), rules=True) == ["gone.hpp: a -> b"]


def test_a_mutant_that_is_too_slow_is_listed_apart(monkeypatch, capsys):
    """What takes too long counts neither as noticed nor as unnoticed, and is named."""

    def killed(files: list[str], awake: Any) -> str | None:
        awake()
        return {"hangs": main.SLOW, "dies": "a test", "lives": None}[files[0]]

    monkeypatch.setattr(main, "killed_by", killed)
    trials = [main.Trial(fate, "here", [fate], lambda: None) for fate in ("dies", "hangs", "lives")]
    assert main.played(trials, "3 mutants") == 1
    assert main.played(trials[:2], "2 mutants") == 0
    output = capsys.readouterr().out
    assert output.count("slow:  here  hangs") == 2
    assert "1 died, 0 lived, 0 change nothing, 1 were too slow to tell; 100.0 %" in output


@pytest.mark.skipif(not hasattr(main.os, "fork"), reason="a mutant lives in a fork")
def test_what_hangs_is_too_slow(monkeypatch):
    """A process that does not end is ended, and is said to be too slow."""
    monkeypatch.setattr(main, "SECONDS", 0.2)
    assert main.killed_by([], lambda: time.sleep(60)) == main.SLOW
