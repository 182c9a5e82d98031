"""`combine --interval`: around every forecast before its outcome is known, certified, resumed, drawn, refused."""

from __future__ import annotations

import csv
import json
from math import inf, isnan
from pathlib import Path

import numpy as np
import pytest

from regretless.intervals import AdaptiveIntervals

from ..command_line import CommandLine
from ..data.forecasts import QUIET, drawn, write_table

READ = ("--target", "load", "--time", "day")
ROWS = 700


@pytest.fixture
def run(capsys, monkeypatch) -> CommandLine:
    return CommandLine(capsys, monkeypatch)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Rows of which the last three have no outcome."""
    advice, outcomes = drawn(ROWS + 3, seed=4)
    return write_table(tmp_path / "t.csv", advice, outcomes[:ROWS])


def rows_of(path: Path) -> dict[str, list[float]]:
    """The columns of numbers; an empty cell is NaN."""
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    return {name: [float(row[name] or "nan") for row in rows] for name in rows[0] if name != "day"}


def blocks_of(path: Path, size: int) -> Path:
    """Rows with outcomes, so many of which are of one time."""
    advice, outcomes = drawn(ROWS, seed=4)
    cells = [
        ",".join([f"d{k // size:04}", *map(repr, row.tolist()), repr(float(y))])
        for k, (row, y) in enumerate(zip(advice, outcomes, strict=True))
    ]
    path.write_text("\n".join(["day,a,b,c,d,load", *cells]) + "\n")
    return path


@pytest.mark.parametrize("words", [(), ("--delay", 7), ("--learner", "hedge"), ("--loss", "pinball", "--tau", "0.3")])
def test_the_rows_have_the_intervals_of_the_class(run, table, tmp_path, words):
    """Every row, and each of the last ones without outcome, has the interval that `AdaptiveIntervals` makes."""
    command = run("combine", table, *READ, "--interval", 0.8, *words, "--out", tmp_path / "o.csv", "--json", *QUIET)
    columns, report = rows_of(tmp_path / "o.csv"), command.json
    delay = 7 if "--delay" in words else 1
    intervals = AdaptiveIntervals(0.8)
    outcomes = np.array(columns["outcome"])
    known, arrivals = ~np.isnan(outcomes), np.arange(ROWS + 3) + delay
    low, high = intervals.play(columns["forecast"], np.where(known, outcomes, np.nan), arrivals=arrivals)
    np.testing.assert_array_equal(columns["low"], low)
    np.testing.assert_array_equal(columns["high"], high)
    ledger = intervals.ledger_
    assert report["interval"]["rounds"] == ROWS == ledger.rounds
    assert report["interval"]["misses"] == ledger.misses
    assert report["interval"]["coverage"] == ledger.coverage
    assert report["interval"]["infinite"] == ledger.infinite
    assert report["interval"]["mean_width"] == pytest.approx(ledger.mean_width)
    assert report["interval"]["worst_misses"] == ledger.worst
    assert report["interval"]["outstanding"] == delay - 1
    assert report["interval"]["forecast"] == [[low[k], high[k]] for k in range(ROWS, ROWS + 3)]
    certificate = next(one for one in report["certificates"] if one["theorem"] == "adaptive_coverage")
    assert certificate["observed"] <= certificate["bound"] == report["interval"]["bound"]
    assert certificate["bound"] == pytest.approx((0.8 + 0.02 * delay) / (0.02 * ROWS))


def test_rows_of_one_time_have_intervals_of_one_size(run, tmp_path):
    """No outcome of a block changes an interval of it, and the bound allows for the others of the block."""
    path = blocks_of(tmp_path / "b.csv", 5)
    command = run("combine", path, *READ, "--interval", 0.9, "--out", tmp_path / "o.csv", "--json", *QUIET)
    columns = rows_of(tmp_path / "o.csv")
    half = (np.array(columns["high"]) - np.array(columns["low"])).reshape(-1, 5)
    finite = half[np.isfinite(half).all(axis=1)]
    assert len(finite) > 80
    assert np.ptp(finite, axis=1).max() < 1e-12
    assert len(np.unique(finite[:, 0].round(9))) > 20
    assert command.json["interval"]["outstanding"] == 4


@pytest.mark.parametrize("words", [(), ("--delay", 6)])
def test_a_run_in_two_files_is_one_run(run, tmp_path, words):
    """The model goes on with its intervals: rows, ledger and certificate are those of one run over all rows."""
    advice, outcomes = drawn(ROWS, seed=9)
    whole = write_table(tmp_path / "t.csv", advice, outcomes)
    parts = [
        write_table(tmp_path / f"{name}.csv", advice[cut], outcomes[cut], first=cut.start)
        for name, cut in (("p", slice(0, 333)), ("q", slice(333, ROWS)))
    ]
    out, model = tmp_path / "o.csv", tmp_path / "m.rgl"
    arguments = ("--interval", 0.9, "--interval-step", 0.05)
    once = run("combine", whole, *READ, *arguments, *words, "--out", tmp_path / "all.csv", "--json", *QUIET).json
    run("combine", parts[0], *READ, *arguments, *words, "--save", model, *QUIET)
    again = run("combine", parts[1], "--resume", model, "--out", out, "--json", *QUIET).json
    assert again["interval"] == once["interval"]
    everything, rest = rows_of(tmp_path / "all.csv"), rows_of(out)
    assert rest["low"] == everything["low"][333:]
    assert rest["high"] == everything["high"][333:]
    asked_for = {"wanted": 0.9, "gamma": 0.05}
    interval = run("inspect", model, "--json").json["interval"]
    assert interval == asked_for | {name: interval[name] for name in ("rounds", "misses")}
    assert "intervals   of 90 %, " in run("inspect", model).out


def test_a_report_of_intervals_is_drawn_and_checked(run, table, tmp_path):
    """The page has the band and the misses, the lines the ledger, and `verify` computes the certificate again."""
    page = tmp_path / "r.html"
    lines = run("combine", table, *READ, "--interval", 0.9, "--report", page, "--quiet").out
    assert "intervals of 90 %: " in lines
    assert "worst 500 rounds: " in lines
    assert ", from " in lines.partition("forecast d0700")[2].splitlines()[0]
    assert "Coverage on any sequence: coverage error" in lines
    text = page.read_text()
    for words in ("Misses of the intervals", "Where they must be", "Share asked for", "Interval"):
        assert words in text
    report = tmp_path / "j.json"
    report.write_text(run("combine", table, *READ, "--interval", 0.9, "--json", "--quiet").out)
    checked = run("verify", report, table, *READ)
    assert checked.code == 0
    assert "agrees: adaptive_coverage: rounds, observed, bound" in checked.out
    described = json.loads(report.read_text())
    for one in described["certificates"]:
        if one["theorem"] == "adaptive_coverage":
            one["constants"]["ledger"]["misses"] += 1
    report.write_text(json.dumps(described))
    assert run("verify", report, table, *READ).code != 0


def test_without_the_option_nothing_is_reported_of_intervals(run, table, tmp_path):
    """No column, no key and no certificate."""
    report = run("combine", table, *READ, "--out", tmp_path / "o.csv", "--json", *QUIET).json
    assert "interval" not in report
    assert "low" not in rows_of(tmp_path / "o.csv")
    assert all(one["quantity"] == "regret" for one in report["certificates"])


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        (("--interval", 90), "--interval 90: the share of outcomes must lie between 0 and 1"),
        (("--interval", 0), "--interval 0: "),
        (("--interval", "nan"), "--interval nan: "),
        (("--interval", 0.9, "--interval-step", 1), "--interval-step 1: it must lie between 0 and 1"),
        (("--interval-step", 0.1), "--interval-step needs --interval C"),
        (("--interval", 0.9, "--loss", "zero-one"), "--interval is for forecasts of numbers, and --loss zero-one"),
        (("--interval", 0.9, "--learner", "weighted-majority", "--set", "beta=0.5"), "is of votes"),
    ],
)
def test_what_has_no_meaning_is_refused(run, table, words, fault):
    """A share outside (0, 1), and losses whose forecasts are no numbers, in one line."""
    command = run("combine", table, *READ, *words, "--quiet")
    assert command.code == 2
    assert command.err.startswith("regretless: ")
    assert fault in command.err
    assert command.err.count("\n") == 1


def test_a_model_has_the_intervals_that_it_has(run, table, tmp_path):
    """To resume with another share, another step, or intervals that a model never had is refused."""
    model, bare = tmp_path / "m.rgl", tmp_path / "b.rgl"
    run("combine", table, *READ, "--interval", 0.9, "--save", model, *QUIET)
    run("combine", table, *READ, "--save", bare, *QUIET)
    for path, words, fault in [
        (model, ("--interval", 0.8), "--interval 0.8 contradicts the model, which has 0.9"),
        (model, ("--interval-step", 0.1), "--interval-step 0.1 contradicts the model, which has 0.02"),
        (bare, ("--interval", 0.9), "--interval 0.9 contradicts the model, which learned without intervals"),
    ]:
        command = run("combine", table, "--resume", path, *words, "--quiet")
        assert (command.code, fault in command.err) == (2, True)
    assert run("combine", table, "--resume", model, "--interval", 0.9, *QUIET).code == 0


def test_a_gap_in_the_outcomes_changes_nothing(run, tmp_path):
    """A row without outcome has an interval, and the intervals after it are those without that row."""
    advice, outcomes = drawn(200, seed=2)
    gaps = outcomes.copy()
    gaps[[50, 51, 120]] = np.nan
    path = write_table(tmp_path / "g.csv", advice, gaps)
    run("combine", path, *READ, "--interval", 0.9, "--out", tmp_path / "o.csv", *QUIET)
    columns = rows_of(tmp_path / "o.csv")
    low, high = AdaptiveIntervals(0.9).play(columns["forecast"], columns["outcome"])
    assert isnan(columns["outcome"][50])
    assert columns["high"][50] < inf
    np.testing.assert_array_equal(columns["low"], low)
    np.testing.assert_array_equal(columns["high"], high)


def test_without_a_round_there_is_a_forecast_and_no_certificate(run, tmp_path):
    """A table without outcomes has the whole line around its forecasts, no coverage, and a page all the same."""
    advice, _ = drawn(3, seed=2)
    path, page = write_table(tmp_path / "n.csv", advice, np.empty(0)), tmp_path / "r.html"
    command = run("combine", path, *READ, "--interval", 0.9, "--report", page, "--json", *QUIET)
    assert command.code == 0
    interval = command.json["interval"]
    assert (interval["rounds"], interval["coverage"], interval["bound"], interval["mean_width"]) == (
        0,
        None,
        None,
        None,
    )
    assert interval["forecast"] == [[None, None]] * 3
    assert "Misses of the intervals" not in page.read_text()


def test_a_model_whose_intervals_do_not_fit_is_refused(run, table, tmp_path):
    """What a model says of its intervals is checked as everything else of it: one line, and no traceback."""
    from regretless.persist.model import read, write

    model = tmp_path / "m.rgl"
    run("combine", table, *READ, "--interval", 0.9, "--save", model, *QUIET)
    learner, extra = read(model)
    sound = extra["interval"]
    spoilt = [5, {}, sound | {"points": [[0, 0]]}, sound | {"radii": ["wide"]}, sound | {"waiting": [[1, 1, 1, 0.5]]}]
    for interval in spoilt:
        write(model, learner, extra | {"interval": interval})
        for words in (("combine", table, "--resume", model, "--quiet"), ("inspect", model)):
            command = run(*words)
            assert command.code == 1, interval
            assert command.err.startswith("regretless: ")
            assert "does not fit together" in command.err
