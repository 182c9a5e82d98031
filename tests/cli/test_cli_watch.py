"""``regretless watch``."""

from __future__ import annotations

import gzip
import json
import signal
from pathlib import Path
from time import sleep

import pytest

from regretless.cli.watch import Job
from regretless.errors import Interrupted
from regretless.verify.formulas import FORMULAS

from ..command_line import CommandLine, start


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    return CommandLine(capsys, monkeypatch)


ROWS = [f"{row},{int(row % 10 == 0 or (row > 300 and row % 3 == 0))},{int(row % 8 == 0)}" for row in range(1, 401)]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "l.csv"
    path.write_text("\n".join(["day,wrong,other", *ROWS, ""]))
    return path


WRONG = ("--column", "wrong", "--mean-rounds", 500)


def test_an_alarm_is_a_line_with_its_row_and_since_when(run: CommandLine, file: Path, tmp_path: Path) -> None:
    """From row 301 on every third is wrong: the alarm comes within 60 rows, is in the lines, in JSON and on the page,
    and the exit code says so only if it is asked to."""
    page = tmp_path / "r.html"
    outcome = run("watch", file, *WRONG, "--reference", 0.15, "--time", "day", "--report", page)
    command = run("watch", file, *WRONG, "--reference", 0.15, "--time", "day", "--json")
    alarm = command.json["alarms"][0]
    assert 300 < alarm["row"] < 360
    assert alarm["time"] == str(alarm["row"])
    assert abs(alarm["since"] - 301) < 10
    assert f"row {alarm['row']} ({alarm['row']}): alarm: wrong exceeds 0.15" in outcome.out.splitlines()[0]
    assert "Losses got worse" in page.read_text()
    assert (outcome.code, command.code) == (0, 0)
    assert run("watch", file, *WRONG, "--reference", 0.15, "--fail-on-alarm").code == 4
    assert run("watch", file, *WRONG, "--reference", 0.9, "--fail-on-alarm").code == 0
    for one in command.json["certificates"]:
        again = FORMULAS[one["theorem"]](one["constants"]["ledger"], {}, one["constants"]["learner"])
        assert again == pytest.approx(one["bound"], rel=1e-12)


def test_rows_of_the_reference_count_as_rows_and_are_not_watched(run: CommandLine, file: Path, tmp_path: Path) -> None:
    """The first 200 rows, or another file of them, give the same reference, and the alarm in its row of the file."""
    first, rest = tmp_path / "a.csv", tmp_path / "b.csv.gz"
    first.write_text("\n".join(["day,wrong,other", *ROWS[:200], ""]))
    rest.write_bytes(gzip.compress("\n".join(["day,wrong,other", *ROWS[200:], ""]).encode()))
    whole = run("watch", file, *WRONG, "--reference-rounds", 200, "--json").json
    parts = run("watch", rest, *WRONG, "--previous", first, "--json").json
    assert whole["columns"] == parts["columns"]
    assert [one["row"] for one in whole["alarms"]] == [one["row"] + 200 for one in parts["alarms"]] != []
    assert (whole["rounds"], whole["input"]["rows"]) == (200, 400)


def test_a_run_that_goes_on_ends_with_the_same_state(run: CommandLine, file: Path, tmp_path: Path) -> None:
    """Two halves with a state between them end with the bytes of one run; what the state has is not said again."""
    halves = [tmp_path / "a.csv", tmp_path / "b.csv"]
    for half, rows in zip(halves, (ROWS[:150], ROWS[150:]), strict=True):
        half.write_text("\n".join(["day,wrong,other", *rows, ""]))
    whole, parts = tmp_path / "whole.json", tmp_path / "parts.json"
    words = ("--column", "wrong,other", "--reference", 0.15)
    run("watch", file, *words, "--save", whole)
    run("watch", halves[0], *words, "--save", parts)
    assert run("watch", halves[1], "--resume", parts).code == 0
    assert parts.read_bytes() == whole.read_bytes()
    assert run("watch", halves[1], "--resume", parts, "--reference", 0.2).code == 2
    parts.write_text(parts.read_text().replace('"rounds": 400', '"rounds": 40'))
    before = parts.read_bytes()
    command = run("watch", halves[1], "--resume", parts)
    assert (command.code, parts.read_bytes()) == (1, before)
    assert "does not fit together" in command.err


def test_a_column_is_not_compared_with_itself(run: CommandLine, file: Path) -> None:
    """The same column behind --column and --against is refused, whether or not there is a reference too."""
    for more in ((), ("--reference", 0.1)):
        command = run("watch", file, "--column", "wrong", "--against", "wrong", *more)
        assert command.code == 2
        assert "--against wrong: a column cannot be watched against itself" in command.err


def test_two_columns_are_compared(run: CommandLine, file: Path) -> None:
    """Of `wrong` against `other` the difference is watched, beside 0 by default; the other way round it is no alarm."""
    report = run("watch", file, *WRONG, "--against", "other", "--json").json
    (column,) = report["columns"]
    assert (column["name"], column["reference"], report["range"]) == ("wrong - other", 0.0, [-1.0, 1.0])
    wrong, other = (sum(int(row.split(",")[place]) for row in ROWS) for place in (1, 2))
    assert column["mean"] == pytest.approx((wrong - other) / 400)
    assert column["alarms"] > 0
    back = run("watch", file, "--column", "other", "--against", "wrong", "--mean-rounds", 500, "--json").json
    assert back["columns"][0]["alarms"] == 0


def test_a_signal_just_before_it_waits_is_not_lost() -> None:
    """What came before rows are waited for ends the watch, though the rows may never come."""
    job, queries = Job.__new__(Job), []

    def stop() -> bool:
        queries.append(job.waiting)
        return True

    with pytest.raises(Interrupted):
        job._next(iter(()), stop)
    assert queries == [True]
    assert job.waiting is False


def test_an_alarm_is_reported_before_the_next_row_is_there(tmp_path: Path) -> None:
    """From a pipe of numbers without a name the alarm is printed while the pipe is open; a signal then ends it with
    what is known, and keeps the state."""
    state = tmp_path / "s.json"
    process = start("watch", "-", "--reference", "0.1", "--mean-rounds", "50", "--save", state)
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(b"0\n" * 20 + b"1\n" * 3)
    process.stdin.flush()
    assert process.stdout.readline().startswith(b"row 23: alarm: c1 exceeds 0.1")
    sleep(0.5)  # so that it waits for rows
    process.send_signal(signal.SIGTERM)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 128 + signal.SIGTERM
    assert "interrupted: what follows is about the first 23 rows" in err.decode()
    assert "c1: 23 rows, mean 0.130435" in out.decode()
    assert json.loads(state.read_text())["watch"]["parameters"]["columns"] == ["c1"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a,b\n0,1\n1,\n", ":3:3: column 'b' has no value; every row needs a loss; --missing skip passes over others"),
        ("a\n0\n1.5\n", ":3:1: column 'a' holds 1.5, and losses from 0 to 1 are expected; declare with --range LO HI"),
        ("a\n0\nnan\n", ":3:1: column 'a' "),
        ("a\n0\ninf\n", ":3:1: column 'a' holds inf"),
        ("a\n", "no rows"),
    ],
)
def test_what_is_no_loss_is_refused_by_line(run: CommandLine, tmp_path: Path, text: str, words: str) -> None:
    """A loss that is missing, infinite or out of the range has its line and column, and the old state stays."""
    path, state = tmp_path / "l.csv", tmp_path / "s.json"
    path.write_text(text)
    command = run("watch", path, "--reference", 0.1, "--save", state)
    assert command.code == 1
    assert words in command.err
    assert not state.exists()


def test_every_format_of_tables_gives_the_same(run: CommandLine, file: Path, tmp_path: Path) -> None:
    """Tabs, semicolons, Parquet, Feather and a compressed table have the alarms and means of one with commas."""
    from pyarrow import csv, feather, parquet

    text, table = file.read_text(), csv.read_csv(file)
    output = run("watch", file, *WRONG, "--reference", 0.15, "--json").json
    (tmp_path / "t.tsv").write_text(text.replace(",", "\t"))
    (tmp_path / "s.csv").write_text(text.replace(",", ";"))
    (tmp_path / "g.csv.gz").write_bytes(gzip.compress(text.encode()))
    parquet.write_table(table, tmp_path / "p.parquet")
    feather.write_feather(table, tmp_path / "f.feather")
    for name in ("t.tsv", "s.csv", "g.csv.gz", "p.parquet", "f.feather"):
        report = run("watch", tmp_path / name, *WRONG, "--reference", 0.15, "--json").json
        assert (report["columns"], report["alarms"]) == (output["columns"], output["alarms"]), name


def test_rows_without_a_loss_are_passed_over_if_asked(run: CommandLine, file: Path, tmp_path: Path) -> None:
    """With a row in ten without a loss the others give what they give alone, at the rows where they stand; a loss out
    of the range is still refused."""
    holes = tmp_path / "h.csv"
    rows = [f"{row.split(',')[0]},," if k % 10 == 9 else row for k, row in enumerate(ROWS)]
    holes.write_text("\n".join(["day,wrong,other", *rows, ""]))
    alone = tmp_path / "a.csv"
    alone.write_text("\n".join(["day,wrong,other", *(row for k, row in enumerate(ROWS) if k % 10 != 9), ""]))
    words = (*WRONG, "--reference-rounds", 100, "--time", "day", "--json")
    command = run("watch", holes, *words, "--missing", "skip")
    report = run("watch", alone, *words).json
    assert command.json["columns"] == report["columns"]
    assert [one["row"] for one in command.json["alarms"]] == [int(one["time"]) for one in report["alarms"]] != []
    assert (command.json["input"]["rows"], command.json["input"]["skipped"]) == (400, 40)
    assert "40 rows without a loss were passed over" in command.err
    holes.write_text(holes.read_text() + "401,2,0\n")
    outcome = run("watch", holes, *words, "--missing", "skip")
    assert (outcome.code, "column 'wrong' holds 2.0" in outcome.err) == (1, True)


def test_the_only_alarm_is_not_forgotten(run: CommandLine, file: Path, tmp_path: Path) -> None:
    """With --alpha a state whose alarm was raised says so of the next file, whatever is in it, and --fail-on-alarm ends
    with 4; one that has not raised its alarm says nothing."""
    state, worse = tmp_path / "s.json", tmp_path / "worse.csv"
    worse.write_text("wrong\n" + "1\n" * 50)
    words = ("--column", "wrong", "--reference", 0.05, "--alpha", 0.05, "--save", state)
    report = run("watch", file, *words, "--json").json
    (column,) = report["columns"]
    assert (column["alarms"], column["last_alarm"]) == (1, report["alarms"][0]["row"])
    command = run("watch", worse, "--resume", state, "--fail-on-alarm")
    line = f"  the one alarm was in round {column['last_alarm']:,}, before this file; no later row can raise another"
    assert command.code == 4
    assert line in command.out
    run("watch", file, "--column", "wrong", "--reference", 0.9, "--alpha", 0.05, "--save", state)
    command = run("watch", file, "--resume", state, "--fail-on-alarm")
    assert (command.code, "no alarm\n" in command.out) == (0, True)


def test_alarms_before_this_file_are_distinguished(run: CommandLine, file: Path, tmp_path: Path) -> None:
    """A clean file after one with alarms has none of them, and a bad one after that has its own."""
    state, clean, worse = tmp_path / "s.json", tmp_path / "clean.csv", tmp_path / "worse.csv"
    clean.write_text("wrong\n" + "0\n" * 50)
    worse.write_text("wrong\n" + "1\n" * 30)
    before = run("watch", file, *WRONG, "--reference", 0.15, "--save", state, "--json").json["columns"][0]["alarms"]
    assert f"{before} alarms, none of them in this file\n" in run("watch", clean, "--resume", state).out
    command = run("watch", worse, "--resume", state)
    here = command.out.count(": alarm: ")
    assert f"{before + here} alarms, {here} of them in this file\n" in command.out


def test_what_cannot_be_watched_says_what_to_do(run: CommandLine, file: Path, tmp_path: Path) -> None:
    """A reference out of the range names --range, a model is no state, two promises are one too many, and a file that
    is its own reference gets a warning."""
    model = tmp_path / "m.rgl"
    model.write_bytes(b"\x89\xff\x00")
    command = run("watch", file, "--reference", 20000)
    assert (command.code, "lies between 0 and 1: declare with --range LO HI" in command.err) == (2, True)
    command = run("watch", file, "--resume", model, "--save", tmp_path / "s.json")
    assert (command.code, "a saved model, and no state" in command.err, "codec" in command.err) == (1, True, False)
    command = run("watch", file, "--reference", 0.1, "--mean-rounds", 10, "--alpha", 0.1)
    assert (command.code, "one promise is expected" in command.err) == (2, True)
    command = run("watch", file, "--column", "wrong", "--previous", file)
    assert (command.code, "is the --previous file too" in command.err) == (0, True)
