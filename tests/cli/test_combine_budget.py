"""`combine --label-budget`: forecasts of all rows from few outcomes, certified, resumed, verified, refused."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from regretless.experts import ExponentiallyWeightedAverage, LabelEfficient

from ..command_line import CommandLine
from ..data.forecasts import QUIET, drawn, lines, write_table

READ = ("--target", "load", "--time", "day", "--learner", "ewa", "--range", "0", "1")
ROWS = 400


@pytest.fixture
def run(capsys, monkeypatch) -> CommandLine:
    return CommandLine(capsys, monkeypatch)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Rows of which the last two have no outcome."""
    advice, outcomes = drawn(ROWS + 2)
    return write_table(tmp_path / "t.csv", advice, outcomes[:ROWS])


def python(share: float) -> tuple[LabelEfficient, np.ndarray]:
    """The same in Python, and its losses."""
    advice, outcomes = drawn(ROWS)
    learner = LabelEfficient(ExponentiallyWeightedAverage(value_range=(0, 1)), share)
    return learner, learner.play(advice, outcomes).losses


@pytest.mark.parametrize(("budget", "share"), [("10%", 0.1), (100, 0.25)])
def test_the_command_line_says_what_python_does(run, table, tmp_path, budget, share):
    """Weights, losses, what was asked and every certificate are those of `LabelEfficient`, to the bit."""
    report = run("combine", table, *READ, "--label-budget", budget, "--out", tmp_path / "o.csv", "--json", *QUIET).json
    learner, losses = python(share)
    assert list(report["weights"].values()) == learner.weights.tolist()
    assert report["asked"]["outcomes"] == report["rounds"] == learner.asked_
    assert report["asked"]["rounds"] == ROWS
    assert report["asked"]["share"] == share
    assert report["asked"]["loss"] == pytest.approx(losses.sum())
    ours = [(one.theorem.name, one.observed, one.bound) for one in learner.certify()]
    assert [(one["theorem"], one["observed"], one["bound"]) for one in report["certificates"]] == ours
    with (tmp_path / "o.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [float(row["loss"]) for row in rows[:ROWS]] == losses.tolist()
    assert [row["asked"] for row in rows[:ROWS]] == [str(float(one)) for one in learner.asks(0, ROWS)]
    assert len(report["forecast"]) == 2


def test_lines_report_and_inspect_say_what_was_asked(run, table, tmp_path):
    """People read how many outcomes were asked, and what was lost in all rows."""
    learner, losses = python(0.1)
    files = ("--report", tmp_path / "r.html", "--save", tmp_path / "m.rgl")
    text = run("combine", table, *READ, "--label-budget", "10%", *QUIET, *files).out
    share = f"{learner.asked_} of 400"
    assert f"  outcomes asked: {share} (" in text
    assert "); 40.0 were to be expected" in text
    assert f"  loss in all rows: {losses.sum():.6g}, " in text
    assert f"<bdi>{share}</bdi>" in (tmp_path / "r.html").read_text()
    assert f"asked       {share} (" in run("inspect", tmp_path / "m.rgl").out


def test_comparators_are_of_the_asked_rows(run, table):
    """The average of the experts loses in the asked rows what it is said to lose."""
    report = run("combine", table, *READ, "--label-budget", "10%", "--json", "--quiet").json
    advice, outcomes = drawn(ROWS)
    queries = python(0.1)[0].asks(0, ROWS)
    average = ((advice.mean(1) - outcomes)[queries] ** 2).sum()
    assert report["comparators"]["uniform"]["loss"] == pytest.approx(average)
    assert report["comparators"]["best_shifting"]["detail"]["stretches"][-1][2] == queries.sum()


def test_verify_agrees_and_notices_other_draws(run, table, tmp_path):
    """The numbers are those of the textbook on the asked rows, and of no others."""
    report = run("combine", table, *READ, "--label-budget", "10%", "--json", "--quiet").json
    for change, code in (({}, 0), ({"seed": 1}, 3), ({"rounds": 399}, 3), ({"seed": 2**64}, 1), ({"share": None}, 1)):
        (tmp_path / "r.json").write_text(json.dumps(report | {"asked": report["asked"] | change}))
        checked = run("verify", tmp_path / "r.json", table, "--target", "load", "--time", "day")
        assert (checked.code, "Traceback" in checked.err) == (code, False), (change, checked.err)


@pytest.mark.parametrize("every", [[], ["--checkpoint-every", "7"]])
def test_a_resumed_run_is_the_whole_run(run, tmp_path, every):
    """In two files, with rows without outcome between, the model and what is printed are the same, bit for bit."""
    text = lines(*drawn(ROWS))
    text[150] = text[150].rpartition(",")[0] + ",\n"
    one, two, whole = (tmp_path / name for name in ("one.csv", "two.csv", "whole.csv"))
    for path, part in ((whole, text), (one, text[:200]), (two, [text[0], *text[200:]])):
        path.write_text("".join(part))
    command = run("combine", whole, *READ, "--label-budget", "10%", "--save", tmp_path / "w.rgl", *QUIET)
    run("combine", one, *READ, "--label-budget", "10%", "--save", tmp_path / "h.rgl", *QUIET, *every)
    again = run("combine", two, "--resume", tmp_path / "h.rgl", *QUIET)
    assert (tmp_path / "w.rgl").read_bytes() == (tmp_path / "h.rgl").read_bytes()
    assert command.out.splitlines()[1:] == again.out.splitlines()[1:]


def test_a_row_that_cannot_be_played_leaves_those_before_it(run, tmp_path):
    """What is saved then is the model of the rows before."""
    text = lines(*drawn(60))
    (tmp_path / "good.csv").write_text("".join(text[:41]))
    text[41] = text[41].replace(text[41].split(",")[1], "7.5", 1)
    (tmp_path / "bad.csv").write_text("".join(text))
    words = (*READ, "--label-budget", "20%", *QUIET, "--save")
    refused = run("combine", tmp_path / "bad.csv", *words, tmp_path / "bad.rgl")
    run("combine", tmp_path / "good.csv", *words, tmp_path / "good.rgl")
    assert refused.code == 1
    assert "bad.csv:42" in refused.err
    bad, good = (json.loads(run("inspect", tmp_path / f"{name}.rgl", "--json").out) for name in ("bad", "good"))
    assert (bad["asked"], bad["weights"]) == (good["asked"], good["weights"])


def test_outcomes_that_are_not_asked_may_be_out_of_range(run, tmp_path):
    """Then the loss in all rows is not known, and the bound of the regret in them stands without a number beside."""
    advice, outcomes = drawn(ROWS)
    queries = python(0.1)[0].asks(0, ROWS)
    table = write_table(tmp_path / "t.csv", advice, np.where(queries, outcomes, 9.0))
    report = run("combine", table, *READ, "--label-budget", "10%", "--json", *QUIET).json
    assert report["asked"]["loss"] is None
    assert list(report["weights"].values()) == python(0.1)[0].weights.tolist()
    assert report["certificates"][1]["bound"] > 0
    assert report["certificates"][1]["observed"] is None


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["--label-budget", "0"], 2, "'0' is neither a whole number of labels nor a share"),
        (["--label-budget", "400"], 1, "t.csv: 400 rows have an outcome; --label-budget 400 must be fewer"),
        (["--label-budget", "5%", "--delay", "2"], 2, "an outcome that is asked comes before the next row"),
        (["--label-budget", "5%", "--block", "day"], 2, "an outcome that is asked comes before the next row"),
        (["--label-budget", "5%", "--interval", ".9"], 2, "needs all outcomes, and --label-budget asks for few"),
        (["--label-budget", "5%", "--resume", "m.rgl"], 2, "the model to go on with has its own, or none"),
        (["--label-budget", "5%", "--learner", "randomized-weighted-majority", "--set", "beta=.5"], 2, "draws experts"),
    ],
)
def test_what_cannot_be_done_is_reported(run, table, words, code, message):
    """Budgets without meaning, and options that take all outcomes, are refused."""
    refused = run("combine", table, "--target", "load", "--time", "day", *words, *QUIET)
    assert refused.code == code
    assert message in refused.err


def test_rows_of_one_time_are_refused(run, tmp_path):
    """An outcome that is asked would be learned before the row of the same time."""
    text = lines(*drawn(20))
    text[5] = "d0003" + text[5][5:]
    (tmp_path / "t.csv").write_text("".join(text))
    refused = run("combine", tmp_path / "t.csv", *READ, "--label-budget", "20%", *QUIET)
    assert refused.code == 1
    assert "t.csv:6:1: " in refused.err
    assert "--label-budget learns an outcome before the next row" in refused.err
