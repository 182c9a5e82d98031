"""The rows of the table of speed, and how they are timed and shown."""

from __future__ import annotations

import pytest

import benchmarks.__main__
from benchmarks.table import page, show
from benchmarks.table.all_rows import GROUPS, rows_of
from benchmarks.table.row import OURS, READING, SCALES, Contest, Job, Row, take_turns


def test_every_row_has_a_name_of_its_own():
    """No two rows have one name, by which they are asked for, and each has a unit of time."""
    rows = [row for title in GROUPS for row in rows_of(title, large=True)]
    assert len({row.what for row in rows}) == len(rows)
    assert {row.unit.split()[0] for row in rows} <= set(SCALES)


def test_without_pandas(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Without the package that writes the files, one line names what to install, and nothing is timed."""
    monkeypatch.setattr(benchmarks.__main__, "find_spec", lambda name: None)
    monkeypatch.setattr("sys.argv", ["benchmarks", "--quick"])
    with pytest.raises(SystemExit) as stopped:
        benchmarks.__main__.main()
    output = capsys.readouterr()
    assert (stopped.value.code, output.out) == (2, "")
    assert output.err.splitlines()[-1].endswith("pip install pandas")


def test_turns_are_taken_by_all():
    """Each job is done as often as the others, in turns, and its seconds are a unit's."""
    done: list[str] = []
    jobs = Contest(Job(lambda: done.append("ours"), 10), {"theirs": Job(lambda: done.append("theirs"))}).jobs()
    times = take_turns(jobs, patience=0.0, least=2)
    assert done == ["ours", "theirs"] * 2
    assert [len(each) for each in times.values()] == [2, 2]


def test_a_line_says_the_best_turn_and_its_ratio():
    """The table has the shortest turns in the unit of the row, and ours over theirs."""
    row = Row("work", "us a call", lambda: Contest(Job(lambda: None)))
    times = {OURS: [3e-6, 2e-6], "one": [4e-6], "other": [1e-6], READING: [5e-7]}
    cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in show.lines(row, times).splitlines()]
    assert cells == [["work", "us a call", "2", "one", "4", "0.5", "0.5"], ["", "", "", "other", "1", "2", ""]]
    assert show.as_json(row, times)["ours"] == {"best": 2.0, "median": 2.5, "turns": 2}


def test_the_page_shows_rows_that_are_timed():
    """Each line of the table in docs/speed.md is a row or a title of the table as it is now."""
    names = {row.what for title in GROUPS for row in rows_of(title, large=True)} | {f"**{title}**" for title in GROUPS}
    shown = {line.split("|")[1].strip() for line in page.table().splitlines() if line.startswith("|")}
    assert names & shown
    assert shown <= names | {"", "---"}
