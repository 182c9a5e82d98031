"""What the command line prints and what the package offers is what is kept in tests/golden/expected."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from pathlib import Path

import pytest

from .golden.cases import CASES, EXPECTED, Case, stale, verbs
from .golden.compare import close, difference, mask, settled
from .golden.record import record

ELSEWHERE = {"--dask", "--print-completion"}  # one wants a cluster, the other prints what shtab makes of --help
SERVED = ("serve", "replay")  # which want a server that runs
SERVED_TESTS = sorted((Path(__file__).parent / "serve").glob("*.py"))
REMEDY = "if this is on purpose, make golden ARGS=--write, and say why in the commit"


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_what_is_printed_is_what_is_expected(case: Case) -> None:
    """Each case has a golden, and prints, writes and offers what stands there, but for last digits and seconds."""
    if not case.path.exists():
        pytest.fail(f"{case.name} has no golden: make golden ARGS='--write {case.name}'", pytrace=False)
    expected, actual = case.expected(), case.actual(record(case))
    if actual != expected:
        pytest.fail(f"{REMEDY}\n{difference(expected, actual, case.name)}", pytrace=False)


def test_every_golden_has_its_case() -> None:
    """No two cases share a file, and no file is left over from a case that is gone."""
    assert Counter(case.name for case in CASES).most_common(1)[0][1] == 1
    assert [path.relative_to(EXPECTED).as_posix() for path in stale()] == []


@pytest.mark.parametrize("verb", verbs())
def test_every_option_of_a_verb_is_in_a_case(verb: str) -> None:
    """An option that no case gives, nor any test of what is served, could change its meaning unseen."""
    commands = [command for case in CASES for command in case.commands if command.startswith(verb)]
    inputs = {word for words in map(shlex.split, commands) if words[:1] == [verb] for word in words}
    if verb in SERVED:
        inputs |= {word for path in SERVED_TESTS for word in re.findall(r"--[a-z-]+", path.read_text(encoding="utf-8"))}
    assert verbs()[verb] - inputs - ELSEWHERE == {"-h"}


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("loss 0.1234567890123, 3 rounds", "loss 0.1234567890124, 3 rounds", True),
        ("loss 0.1234567, 3 rounds", "loss 0.1234568, 3 rounds", False),
        ("gap 1e-17", "gap 0", True),
        ("gap 2 × 10⁻¹⁷", "gap 3 × 10⁻¹⁶", True),
        ("gap 2 × 10⁻³", "gap 3 × 10⁻³", False),
        ("3 rounds", "4 rounds", False),
        ("exp3 0.5", "exp4 0.5", False),
        ("loss 0.5", "cost 0.5", False),
        ("1,234.5 rows", "1,234.50000000001 rows", True),
    ],
)
def test_only_last_digits_may_differ(one: str, other: str, same: bool) -> None:
    """Words and whole numbers are compared exactly, other numbers but for their last digits."""
    assert close(one, other) == same
    assert (settled(f"{one}\n", f"{other}\n") == f"{one}\n") == same


def test_seconds_are_masked_and_other_numbers_are_not() -> None:
    """Of a run's speed nothing is kept; a number of rounds stays."""
    text = 'in 0.12 s, 40 rounds\n"seconds": 1.5e-05\nSeconds\n9.1 × 10⁻⁵\n'
    assert mask(text) == 'in <seconds> s, 40 rounds\n"seconds": <seconds>\nSeconds\n<seconds>\n'
