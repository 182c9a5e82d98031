"""A run of `combine` that is stopped goes on to the very bytes of the run that was not."""

from __future__ import annotations

import csv
import signal
from pathlib import Path

import numpy as np
import pytest

from regretless.catalogue import EXPERT_LEARNERS
from regretless.cli.output import Console
from regretless.experts.result import History
from regretless.run.experts import CombineRun

from ..command_line import CommandLine
from ..data.forecasts import QUIET, drawn, lines, write_table
from .test_cli_combine import WORDS

ROWS = 500
WITH_BETA = ("weighted-majority", "randomized-weighted-majority")


@pytest.fixture
def run(capsys, monkeypatch) -> CommandLine:
    return CommandLine(capsys, monkeypatch)


@pytest.fixture
def blocks(monkeypatch):
    """Have text read in many small blocks."""
    for module in ("delimited", "csv"):
        monkeypatch.setattr(f"regretless.data.{module}.SMALLEST", 2000)
    monkeypatch.setattr("regretless.data.csv.BYTES_PER_COLUMN", 1)


@pytest.fixture
def strike(monkeypatch):
    """Have a signal sent to this process when so many rounds have been played."""

    def arrange(rounds: int, *numbers: int) -> None:
        original, struck = Console.rounds, []

        def watched(console: Console, played: int) -> None:
            if played >= rounds and not struck:
                struck.append(played)
                for number in numbers:
                    signal.raise_signal(number)
            original(console, played)

        monkeypatch.setattr(Console, "rounds", watched)

    return arrange


def learner_words(name: str) -> list[str]:
    more = {"aggregating": ["--range", "0", "1"], "eg": ["--loss", "square"]}
    seeded = ["--set", "random_state=7"] if name.startswith("randomized") else []
    return ["--learner", name, *(["--set", "beta=0.5", *seeded] if name in WITH_BETA else more.get(name, []))]


def rows_for(name: str, *, asleep: float = 0.2):
    advice, outcomes = drawn(ROWS, asleep=0.0 if name == "ridge" else asleep)
    advice[0] = [0.4, 0.5, 0.6, 0.7]  # a table of one row in which an expert is silent would be refused
    if name in WITH_BETA:
        advice, outcomes = np.where(np.isnan(advice), np.nan, advice > 0.5), (outcomes > 0.5).astype(float)
    return advice, outcomes


@pytest.mark.parametrize("name", list(EXPERT_LEARNERS))
def test_files_are_combined_like_one(run, tmp_path, name):
    """A round, N and M rounds, saved and loaded between, give the bytes of 1 + N + M rounds, for every learner."""
    advice, outcomes = rows_for(name)
    words, a, b, c = learner_words(name), *(tmp_path / f"{letter}.rgl" for letter in "abc")

    def table(part: slice) -> Path:
        return write_table(tmp_path / "t.csv", advice[part], outcomes[part], first=part.start)

    run("combine", table(slice(0, ROWS)), *WORDS, *words, *QUIET, "--save", c)
    run("combine", table(slice(0, 1)), *WORDS, *words, *QUIET, "--save", a)
    for part in (slice(1, 300), slice(300, ROWS)):
        command = run("combine", table(part), *QUIET, "--resume", a, "--save", b)
        assert command.code == 0, command.err
        a, b = b, a
    assert a.read_bytes() == c.read_bytes()


@pytest.mark.parametrize("how", ["delay", "arrival"])
def test_late_outcomes_are_waited_for_over_files(run, tmp_path, how):
    """What has not arrived when a file ends arrives in the next one; what is printed today is about all of it."""
    advice, outcomes = rows_for("ml-poly")
    due = np.arange(1, ROWS + 1) + np.random.default_rng(3).integers(1, 30, ROWS) if how == "arrival" else None
    parts = {"first": slice(0, 210), "second": slice(210, ROWS), "whole": slice(0, ROWS)}
    files = {
        key: write_table(
            tmp_path / f"{key}.csv",
            advice[part],
            outcomes[part],
            first=part.start,
            due=None if due is None else due[part],
        )
        for key, part in parts.items()
    }
    words = ["--delay", "24"] if how == "delay" else ["--arrival", "due"]
    a, c = tmp_path / "a.rgl", tmp_path / "c.rgl"
    report = run("combine", files["first"], *WORDS, *words, "--json", "--no-comparators", "--save", a).json
    shown = run("inspect", a, "--json").json
    assert report["rounds"] == 210
    assert shown["rounds"] + shown["waiting"] == 210
    assert shown["waiting"] > 1
    second = run("combine", files["second"], "--json", "--no-comparators", "--resume", a)
    assert second.code == 0, second.err
    whole = run("combine", files["whole"], *WORDS, *words, "--json", "--no-comparators", "--save", c).json
    assert second.json["loss"] == whole["loss"]
    assert second.json["rounds"] == ROWS
    assert a.read_bytes() == c.read_bytes()


def test_columns_may_change_their_places(run, tmp_path):
    """Experts are found by name in the next file, new columns are left out, and a missing one is an error."""
    advice, outcomes = rows_for("ml-poly")
    model, twin = tmp_path / "a.rgl", tmp_path / "b.rgl"
    first = write_table(tmp_path / "first.csv", advice[:100], outcomes[:100])
    second = write_table(tmp_path / "second.csv", advice[100:], outcomes[100:], first=100)
    for path in (model, twin):
        run("combine", first, *WORDS, *QUIET, "--save", path)
    with second.open(newline="") as file:
        rows = list(csv.DictReader(file))
    moved = tmp_path / "moved.csv"
    with moved.open("w", newline="") as file:
        writer = csv.DictWriter(file, ["west", "load", "new", "south", "day", "east", "north"], restval="1")
        writer.writeheader()
        writer.writerows(rows)
    assert run("combine", second, *QUIET, "--resume", twin).code == 0
    command = run("combine", moved, *QUIET, "--resume", model)
    assert command.code == 0
    assert "'new' is left out: not known to the model" in command.err
    assert model.read_bytes() == twin.read_bytes()
    poor = tmp_path / "poor.csv"
    poor.write_text("day,north,load\nx,1,1\n")
    command = run("combine", poor, *QUIET, "--resume", model)
    assert command.code == 1
    assert "there is no column 'south', 'east', 'west'" in command.err


def test_a_finished_model_forecasts_rows_without_outcomes(run, tmp_path):
    """With --resume, tomorrow's row alone is forecast by the model, which stays as it is."""
    advice, outcomes = rows_for("ml-poly", asleep=0)
    model = tmp_path / "a.rgl"
    run("combine", write_table(tmp_path / "t.csv", advice[:100], outcomes[:100]), *WORDS, *QUIET, "--save", model)
    before = model.read_bytes()
    tomorrow = write_table(tmp_path / "u.csv", advice[100:101], None)
    report = run("combine", tomorrow, "--resume", model, "--json").json
    weights = np.array(list(report["weights"].values()))
    assert report["forecast"] == pytest.approx(float(weights @ advice[100]))
    assert model.read_bytes() == before


@pytest.mark.parametrize("delay", [1, 7])
@pytest.mark.parametrize(
    ("number", "rounds"),
    [*((signal.SIGINT, rounds) for rounds in (1, 200, 430)), (signal.SIGTERM, 200), (signal.SIGHUP, 430)],
)
def test_a_signal_stops_the_run_after_saving(run, tmp_path, blocks, strike, monkeypatch, rounds, number, delay):
    """Ctrl-C or termination ends with 130 or 143 and a model, and --resume finishes the run to the same bytes."""
    table = write_table(tmp_path / "t.csv", *rows_for("ml-poly"))
    whole, model, words = tmp_path / "w.rgl", tmp_path / "m.rgl", (*WORDS, *QUIET, "--delay", delay)
    run("combine", table, *words, "--save", whole)
    strike(rounds, number)
    stopped = run("combine", table, *words, "--save", model)
    assert stopped.code == {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 129}[number]
    assert stopped.err.startswith("regretless: interrupted")
    assert f"--resume {model}" in stopped.err
    monkeypatch.setattr(Console, "rounds", lambda console, played: None)
    shown = run("inspect", model, "--json").json
    assert shown["unfinished"]["source"] == "t.csv"
    assert 0 < shown["unfinished"]["row"] < ROWS
    assert run("combine", table, *QUIET, "--resume", model).code == 0
    assert model.read_bytes() == whole.read_bytes()


def test_a_signal_stops_within_a_batch(run, tmp_path, monkeypatch):
    """A slow learner is stopped between two rows of what was read at once; the model that goes on is that of one run,
    and what is written does not depend on how long the rows took."""
    table, whole, model = write_table(tmp_path / "t.csv", *drawn(ROWS)), tmp_path / "whole.rgl", tmp_path / "m.rgl"
    run("combine", table, *QUIET, "--target", "load", "--save", whole, "--out", tmp_path / "whole.parquet")
    original = CombineRun._piece

    def struck(combining, piece):
        original(combining, piece)
        if 300 <= combining.place < 310:
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr("regretless.run.base.MOMENT", 0.0)  # everything is slow
    slow = run("combine", table, *QUIET, "--target", "load", "--save", model, "--out", tmp_path / "slow.parquet")
    assert slow.code == 0, slow.err
    assert (tmp_path / "slow.parquet").read_bytes() == (tmp_path / "whole.parquet").read_bytes()
    monkeypatch.setattr(CombineRun, "_piece", struck)
    monkeypatch.setattr("regretless.cli.signals.SAME_SIGNAL", 1e9)
    assert run("combine", table, *QUIET, "--target", "load", "--save", model).code == 130
    monkeypatch.undo()
    assert 300 <= run("inspect", model, "--json").json["rounds"] < ROWS - 1
    assert run("combine", table, *QUIET, "--resume", model).code == 0
    assert model.read_bytes() == whole.read_bytes()


def test_a_second_signal_ends_at_once(run, tmp_path, blocks, strike, monkeypatch):
    """A second Ctrl-C ends a run at once, and nothing is left behind."""
    table = write_table(tmp_path / "t.csv", *rows_for("ml-poly"))
    before = signal.getsignal(signal.SIGINT)
    monkeypatch.setattr("regretless.cli.signals.SAME_SIGNAL", 0.0)
    strike(1, signal.SIGINT, signal.SIGINT)
    command = run("combine", table, *WORDS, *QUIET, "--save", tmp_path / "m.rgl", "--out", tmp_path / "o.csv")
    assert (command.code, command.out) == (130, "")
    assert "Traceback" not in command.err
    assert sorted(one.name for one in tmp_path.iterdir()) == ["t.csv"]
    assert signal.getsignal(signal.SIGINT) is before


@pytest.mark.parametrize("delay", [1, 7])
@pytest.mark.parametrize("bad", ["word", "asleep"])
def test_a_bad_row_keeps_what_was_learned(run, tmp_path, blocks, bad, delay):
    """The rows before a bad one are saved and written; when it is mended --resume goes on to the same bytes."""
    advice, outcomes = rows_for("ml-poly")
    table = write_table(tmp_path / "t.csv", advice, outcomes)
    whole, model, words = tmp_path / "w.rgl", tmp_path / "m.rgl", (*WORDS, *QUIET, "--delay", delay)
    run("combine", table, *words, "--save", whole, "--out", tmp_path / "whole.csv")
    good = table.read_text()
    text = lines(advice, outcomes)
    text[301] = "d0300,word,1,1,1,1\n" if bad == "word" else "d0300,,,,,1\n"
    table.write_text("".join(text))
    command = run("combine", table, *words, "--save", model, "--out", tmp_path / "first.csv")
    assert command.code == 1
    assert f"{table}:302:" in command.err
    assert "300 rounds are kept" in command.err
    assert run("inspect", model, "--json").json["unfinished"] == {"row": 300, "source": "t.csv"}
    table.write_text(good)
    assert run("combine", table, *QUIET, "--resume", model, "--out", tmp_path / "second.csv").code == 0
    assert model.read_bytes() == whole.read_bytes()
    first, second, both = ((tmp_path / f"{name}.csv").read_text().splitlines() for name in ("first", "second", "whole"))
    assert first + second[1:] == both


def test_a_bad_row_undoes_the_draws_after_it(run, tmp_path):
    """A learner that draws uses up one draw for each row that was played, no more."""
    advice, outcomes = rows_for("randomized-weighted-majority")
    table, words = tmp_path / "t.csv", (*WORDS, *QUIET, *learner_words("randomized-weighted-majority"))
    text = lines(advice, outcomes)
    table.write_text("".join([*text[:201], "d0200,,,,,1\n", *text[202:]]))
    assert run("combine", table, *words, "--save", tmp_path / "m.rgl").code == 1
    table.write_text("".join(text))
    run("combine", table, *QUIET, "--resume", tmp_path / "m.rgl")
    run("combine", table, *words, "--save", tmp_path / "w.rgl")
    assert (tmp_path / "m.rgl").read_bytes() == (tmp_path / "w.rgl").read_bytes()


@pytest.mark.parametrize("delay", [1, 5])
def test_checkpoints_do_not_change_the_run(run, tmp_path, delay):
    """A run with checkpoints ends with the model of one without, and a checkpoint goes on to it as well."""
    table = write_table(tmp_path / "t.csv", *rows_for("ml-poly"))
    words = (*WORDS, *QUIET, "--delay", delay)
    a, b = tmp_path / "a.rgl", tmp_path / "b.rgl"
    run("combine", table, *words, "--save", a)
    run("combine", table, *words, "--save", b, "--checkpoint-every", 37)
    assert a.read_bytes() == b.read_bytes()


def test_arrays_go_on_too(run, tmp_path):
    """A model of an array that was named among the experts goes on with the same array of another archive."""
    advice, outcomes = rows_for("ml-poly")
    for name, part in (("first", slice(0, 90)), ("second", slice(90, ROWS)), ("whole", slice(0, ROWS))):
        np.savez(tmp_path / f"{name}.npz", ensemble=advice[part], obs=outcomes[part])
    model, twin, words = tmp_path / "a.rgl", tmp_path / "b.rgl", (*QUIET, "--experts", "ensemble")
    run("combine", tmp_path / "first.npz", *words, "--save", model)
    assert run("combine", tmp_path / "second.npz", *words, "--resume", model).code == 0
    run("combine", tmp_path / "whole.npz", *words, "--save", twin)
    assert model.read_bytes() == twin.read_bytes()


def test_an_unfinished_run_goes_on_in_its_own_file(run, tmp_path, blocks, strike, monkeypatch):
    """Another file is refused while a run is not finished."""
    table = write_table(tmp_path / "t.csv", *rows_for("ml-poly"))
    other = write_table(tmp_path / "u.csv", *rows_for("ml-poly"))
    strike(1, signal.SIGINT)
    run("combine", table, *WORDS, *QUIET, "--save", tmp_path / "m.rgl")
    monkeypatch.setattr(Console, "rounds", lambda console, played: None)
    command = run("combine", other, *QUIET, "--resume", tmp_path / "m.rgl")
    assert command.code == 1
    assert "of t.csv, not of this" in command.err


def test_a_long_history_stays_short(run, tmp_path):
    """However many rounds there are, at most 400 snapshots are kept, evenly spaced, and 2,000 residuals."""
    advice, outcomes = drawn(5000)
    run("combine", write_table(tmp_path / "t.csv", advice, outcomes), *WORDS, *QUIET, "--save", tmp_path / "m.rgl")
    from regretless.persist.model import read

    learner, extra = read(tmp_path / "m.rgl")
    history = History.read(extra["history"], learner.names())
    assert 200 <= len(history.rounds) <= 400
    assert set(np.diff(history.rounds)) == {history.stride}
    assert len(history.residuals) == 2000
    assert history.residuals[-1][0] == "d4999"
    assert (tmp_path / "m.rgl").stat().st_size < 250_000


def test_rows_that_are_learned_twice_are_spoken_of(run, tmp_path):
    """Going on with a table that begins with a row of before is allowed, and said; tomorrow's rows pass in silence."""
    advice, outcomes = drawn(60)
    first = write_table(tmp_path / "first.csv", advice[:40], outcomes[:40])
    model = tmp_path / "m.rgl"
    assert run("combine", first, *WORDS, "--quiet", "--save", model).code == 0
    again = run("combine", first, "--resume", model, "--save", tmp_path / "n.rgl", "--quiet")
    assert again.code == 0
    assert "was learned before, and is learned again" in again.err
    second = write_table(tmp_path / "second.csv", advice[40:], outcomes[40:], first=40)
    command = run("combine", second, "--resume", model, "--quiet")
    assert (command.code, command.err) == (0, "")
