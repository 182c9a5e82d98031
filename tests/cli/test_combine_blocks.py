"""``regretless combine --time``: rows of one time, times that go back, and rows without outcome between others."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

from regretless.catalogue import expert_class
from regretless.cli.combine import UNITS
from regretless.data import forecast_stream
from regretless.data.forecasts import open_forecasts
from regretless.errors import DataError
from regretless.experts import MLPoly
from regretless.run.experts import CombineRun

from ..command_line import CommandLine
from ..data.forecasts import EXPERTS, QUIET, drawn

WORDS = ("--target", "load", "--time", "hour")


@pytest.fixture
def run(capsys, monkeypatch) -> CommandLine:
    return CommandLine(capsys, monkeypatch)


def clock_of(rows: int, *, seed: int = 0, most: int = 9) -> np.ndarray:
    """Times that stand still for a while, now and then."""
    sizes = np.random.default_rng(seed).integers(1, most + 1, rows)
    return np.repeat(np.arange(rows), sizes)[:rows]


def write(path: Path, clock, advice, outcomes) -> Path:
    """A table with a column of times; nan is an empty cell."""
    rows = [["hour", *EXPERTS, "load"]]
    for when, forecasts, outcome in zip(clock, advice.tolist(), outcomes.tolist(), strict=True):
        rows.append([when, *forecasts, outcome])
    path.write_text("".join(",".join("" if cell != cell else str(cell) for cell in row) + "\n" for row in rows))
    return path


def forecasts(path: Path) -> list[str]:
    with path.open(newline="") as file:
        return [row["forecast"] for row in csv.DictReader(file)]


def plainly(learner, clock, advice, outcomes) -> list[float]:
    """Predict all rows of a time, then report their outcomes; whatever has no outcome is withdrawn."""
    messages: list[float] = []
    for when in dict.fromkeys(clock):
        rows = [row for row in range(len(clock)) if clock[row] == when]
        waiting = [learner.predict(advice[row]) for row in rows]
        messages += [float(one) for one in waiting]
        for row, forecast in zip(rows, waiting, strict=True):
            if np.isnan(outcomes[row]):
                learner.withdraw(forecast.ticket)
            else:
                learner.update(forecast.ticket, outcomes[row])
    return messages


@pytest.mark.parametrize("name", ["ml-poly", "hedge", "adahedge", "boa", "ridge", "fixed-share", "squint"])
def test_rows_of_one_time_are_a_block(run, tmp_path, name):
    """Each row is predicted by what was known before its time, to the bit of a loop that waits for the block's end."""
    advice, outcomes = drawn(400, asleep=0.0 if name == "ridge" else 0.1)
    clock = clock_of(400)
    table, out = write(tmp_path / "t.csv", clock, advice, outcomes), tmp_path / "o.csv"
    more = ("--range", 0, 1) if name in ("hedge", "fixed-share", "squint") else ()
    command = run("combine", table, *WORDS, "--learner", name, "--out", out, "--loss", "square", *more, "--json")
    report = command.json
    learner = expert_class(name)(loss="square", **({"value_range": (0, 1)} if more else {}))
    assert [float(one) for one in forecasts(out)] == plainly(learner, clock, advice, outcomes)
    assert report["loss"] == learner.ledger_.loss
    assert report["weights"] == dict(zip(EXPERTS, learner.weights.tolist(), strict=True))
    assert report["largest_block"] == np.bincount(clock).max()
    assert report["delay_cost"] is not None
    assert command.code == 0  # no bound is broken


def test_no_forecast_sees_an_outcome_of_its_own_time(run, tmp_path):
    """Other outcomes within a block change no forecast of the block, and change those after it."""
    advice, outcomes = drawn(60)
    clock, other = np.repeat(np.arange(10), 6), outcomes.copy()
    other[30:36] = 0
    messages = []
    for number, values in enumerate((outcomes, other)):
        table, out = write(tmp_path / f"{number}.csv", clock, advice, values), tmp_path / f"o{number}.csv"
        assert run("combine", table, *WORDS, *QUIET, "--out", out).code == 0
        messages.append(forecasts(out))
    assert messages[0][:36] == messages[1][:36]
    assert messages[0][36:] != messages[1][36:]


def test_a_delay_of_one_learns_each_row_before_the_next(run, tmp_path):
    """--delay 1 is the user's word that outcomes are known at once, whatever the times are."""
    advice, outcomes = drawn(90)
    table = write(tmp_path / "t.csv", clock_of(90)[::-1], advice, outcomes)
    learner = MLPoly()
    learner.play(advice, outcomes)
    report = run("combine", table, *WORDS, "--delay", 1, "--json").json
    assert (report["loss"], report["largest_block"], report["delay_cost"]) == (learner.ledger_.loss, 1, None)


@pytest.mark.parametrize(
    ("times", "line", "words"),
    [
        (["1", "3", "2"], 4, "from 3 to 2"),
        (["0.5", "0.75", "0.6"], 4, "from 0.75 to 0.6"),
        (["2030-01-01 10:00", "2030-01-01 09:00", "2030-01-02"], 3, "from 2030-01-01 10:00 to 2030-01-01 09:00"),
        (
            ["2030-01-01T10:00Z", "2030-01-01T11:00Z", "2030-01-01T10:30Z"],
            4,
            "from 2030-01-01T11:00Z to 2030-01-01T10:30Z",
        ),
    ],
)
def test_times_that_go_back_are_refused(run, tmp_path, times, line, words):
    """Numbers and dates that go back are an error with the line, which says what to do."""
    command = run("combine", write(tmp_path / "t.csv", times, *drawn(3)), *WORDS, "--quiet")
    assert command.code == 1
    assert f"t.csv:{line}:" in command.err
    assert f"'hour' goes back, {words}" in command.err
    assert "--delay 1" in command.err


def test_times_of_another_kind_than_the_first_are_refused(tmp_path):
    """A word among numbers, after the first rows were read, is an error with its place."""
    blocks, complain = (
        forecast_stream.TimeBlocks("hour"),
        lambda row, *words: DataError("t.csv", row, None, words[1], words[2]),
    )
    assert blocks.mark(["1", "1", "2"], complain)[0].tolist() == [1, 1, 3]
    clock, error = blocks.mark(["2", "x", "3"], complain)
    assert clock.tolist() == [3]
    assert "'hour' holds 'x'; a number is expected" in str(error)
    clock, error = blocks.mark(["1"], complain)
    assert (clock.tolist(), "goes back, from 2 to 1" in str(error)) == ([], True)


def test_text_without_order_makes_blocks_too(tmp_path):
    """Times that are neither numbers nor dates may come in any order; neighbours that are equal are a block."""
    advice, outcomes = drawn(6)
    table = write(tmp_path / "t.csv", ["Tue", "Tue", "Mon", "Mon", "Mon", "Tue"], advice, outcomes)
    (batch,) = open_forecasts(table, target="load", time="hour", blocks=True).batches()
    assert batch.clock.tolist() == [1, 1, 3, 3, 3, 6]


@pytest.mark.parametrize(("unit", "expected"), [("hour", [1, 2, 3, 4]), ("day", [1, 1, 3, 4]), ("month", [1, 1, 1, 4])])
def test_blocks_may_be_stretches_of_time(run, tmp_path, unit, expected):
    """--block takes all rows of an hour, a day or a month together, and goes on so; the times must be dates."""
    times = ["2030-01-01 10:30", "2030-01-01 11:30", "2030-01-02 00:30", "2030-02-01"]
    table, model = write(tmp_path / "t.csv", times, *drawn(4)), tmp_path / "m.rgl"
    (batch,) = open_forecasts(table, target="load", time="hour", blocks=True, block=unit).batches()
    assert batch.clock.tolist() == expected
    command = run("combine", table, *WORDS, "--block", unit, "--json", "--save", model)
    assert command.json["largest_block"] == max(expected.count(one) for one in expected)
    assert run("combine", table, "--resume", model, *QUIET).code == 0
    other = "week" if unit != "week" else "day"
    assert "contradicts the model" in run("combine", table, "--resume", model, "--block", other).err
    numbers = run("combine", write(tmp_path / "u.csv", range(4), *drawn(4)), *WORDS, "--block", unit)
    assert (numbers.code, f"a date is expected, for blocks of one {unit}" in numbers.err) == (1, True)
    assert run("combine", table, "--target", "load", "--block", unit).code == 2
    assert tuple(forecast_stream.UNITS) == UNITS


def test_a_draw_a_round_cannot_wait(run, tmp_path):
    """A learner that draws experts refuses two rows of one time by their line, and plays a table without any."""
    advice, outcomes = drawn(8)
    binary = np.round(outcomes), np.round(advice)
    words = ("--learner", "randomized-weighted-majority", "--loss", "zero-one", "--set", "beta=0.5", *QUIET)
    table = write(tmp_path / "t.csv", [1, 2, 3, 4, 4, 5, 6, 7], binary[1], binary[0])
    command = run("combine", table, *WORDS, *words)
    assert command.code == 1
    assert f"{table}:6:" in command.err
    assert "both of 4, and randomized-weighted-majority needs every outcome at once; --delay 1" in command.err
    assert run("combine", table, *WORDS, *words, "--delay", 1).code == 0
    assert run("combine", write(tmp_path / "u.csv", range(8), binary[1], binary[0]), *WORDS, *words).code == 0


def test_two_files_are_one(run, tmp_path):
    """A model that goes on with the next days is that of all days in one file; --delay contradicts it."""
    advice, outcomes = drawn(200)
    clock = clock_of(200)
    cut = int(np.flatnonzero(np.diff(clock))[20]) + 1
    parts = [
        write(tmp_path / f"{name}.csv", clock[part], advice[part], outcomes[part])
        for name, part in (("whole", slice(None)), ("a", slice(cut)), ("b", slice(cut, None)))
    ]
    whole, half = tmp_path / "whole.rgl", tmp_path / "half.rgl"
    assert run("combine", parts[0], *WORDS, *QUIET, "--save", whole).code == 0
    assert run("combine", parts[1], *WORDS, *QUIET, "--save", half).code == 0
    refused = run("combine", parts[2], "--resume", half, "--delay", 1)
    assert (refused.code, "--delay 1 contradicts the model, whose outcomes come with their time" in refused.err) == (
        2,
        1,
    )
    assert run("combine", parts[2], "--resume", half, *QUIET).code == 0
    assert half.read_bytes() == whole.read_bytes()


@pytest.mark.parametrize("row", [1, 57, 58, 59, 60, 128, 199])
def test_a_run_that_breaks_off_within_a_block_goes_on(run, tmp_path, row):
    """A slip in any row of a block, mended, leaves the same model as a table without it."""
    advice, outcomes = drawn(200)
    outcomes[[40, 57, 150]] = np.nan
    clock = clock_of(200)
    table, whole, model = tmp_path / "t.csv", tmp_path / "whole.rgl", tmp_path / "m.rgl"
    write(table, clock, advice, outcomes)
    good = table.read_text()
    assert run("combine", table, *WORDS, *QUIET, "--save", whole).code == 0
    lines = good.splitlines(keepends=True)
    lines[row + 1] = lines[row + 1].replace(",0.", ",oops0.", 1)
    table.write_text("".join(lines))
    assert run("combine", table, *WORDS, *QUIET, "--save", model, "--checkpoint-every", 7).code == 1
    table.write_text(good)
    more = ("--resume", model) if model.exists() else (*WORDS, "--save", model)
    assert run("combine", table, *more, *QUIET).code == 0
    assert model.read_bytes() == whole.read_bytes()


@pytest.mark.parametrize("words", [(), ("--time", "hour"), ("--delay", "3")])
def test_a_row_without_outcome_between_others_is_no_round(run, tmp_path, words):
    """It is forecast and written without an outcome, nothing is learned from it, and a note counts such rows."""
    advice, outcomes = drawn(80)
    gaps = [0, 11, 12, 40]
    outcomes[gaps] = np.nan
    clock = np.arange(80) // 2
    table, out = write(tmp_path / "t.csv", clock, advice, np.append(outcomes[:78], [np.nan] * 2)), tmp_path / "o.csv"
    experts = ("--experts", ",".join(EXPERTS))
    command = run("combine", table, "--target", "load", *experts, *words, "--out", out, "--json")
    report = command.json
    assert (report["rounds"], report["without_outcome"], len(report["forecast"])) == (74, 4, 2)
    assert "4 rows have no outcome and rows with one after it" in command.err
    with out.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row for row in range(80) if not rows[row]["outcome"]] == [*gaps, 78, 79]
    assert all(row["forecast"] for row in rows)
    if not words:
        learner, known = MLPoly(), ~np.isnan(np.append(outcomes[:78], [np.nan] * 2))
        played = learner.play(advice[known], outcomes[known])
        assert report["loss"] == learner.ledger_.loss
        assert [float(rows[row]["forecast"]) for row in np.flatnonzero(known)] == played.predictions.tolist()
    if words == ("--time", "hour"):
        message = plainly(MLPoly(), clock, advice, np.append(outcomes[:78], [np.nan] * 2))
        assert [float(row["forecast"]) for row in rows] == message


def test_gaps_between_batches_are_counted(tmp_path):
    """A gap that a later batch closes is passed over; one that nothing closes is forecast."""
    one, other = "1.0000000000", "2.0000000000"  # long, so that few rows are more than a batch
    rows = [f"{one},{other},1"] * 20_000 + [f"{other},{one},"] * 60_000 + ["3,3,3"] * 5 + ["1,2,"] * 3
    (tmp_path / "t.csv").write_text("a,b,y\n" + "\n".join(rows) + "\n")
    run = CombineRun(MLPoly(loss="square"), open_forecasts(tmp_path / "t.csv"))
    run.play()
    assert (run.rounds, run.passed_over, len(run.forecasts)) == (20_005, 60_000, 3)
