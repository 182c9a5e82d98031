"""``regretless combine`` for those who use it rightly."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import regretless
from regretless.catalogue import EXPERT_LEARNERS
from regretless.cli.entry import make
from regretless.experts import BOA, EG, Hedge, MLPoly, Ridge

from ..command_line import CommandLine
from ..data.forecasts import EXPERTS, QUIET, drawn, write_table

KEYS = [
    "schema",
    "learner",
    "parameters",
    "rounds",
    "experts",
    "loss_name",
    "loss",
    "mean_loss",
    "expert_losses",
    "comparators",
    "weights",
    "forecast",
    "certificates",
    "joint_confidence",
    "missing",
    "without_outcome",
    "largest_block",
    "delay_cost",
    "seconds",
    "input",
]
WORDS = ("--target", "load", "--time", "day")


@pytest.fixture
def run(capsys, monkeypatch) -> CommandLine:
    return CommandLine(capsys, monkeypatch)


@pytest.fixture
def table(tmp_path) -> Path:
    """A table of 300 rows."""
    return write_table(tmp_path / "load.csv", *drawn(300))


def test_combine_is_the_learner_of_the_same_parameters(run, table):
    """The losses, the weights and the certificates of the command line are those of Python, to the bit."""
    advice, outcomes = drawn(300)
    learner = MLPoly()
    learner.play(advice, outcomes)
    learner.expert_names_ = list(EXPERTS)
    command = run("combine", table, *WORDS, "--json")
    report = command.json
    assert (command.code, command.err) == (0, "")
    assert list(report) == KEYS
    assert report["schema"] == "regretless.combine/1"
    ledger = learner.ledger_
    assert (report["learner"], report["loss_name"], report["rounds"], report["experts"]) == (
        "ml-poly",
        "square",
        300,
        4,
    )
    assert report["loss"] == ledger.loss
    assert report["mean_loss"] == ledger.loss / 300
    assert report["expert_losses"] == dict(zip(EXPERTS, ledger.losses.tolist(), strict=True))
    assert report["weights"] == dict(zip(EXPERTS, learner.weights.tolist(), strict=True))
    assert (report["forecast"], report["missing"], report["delay_cost"]) == (None, 0, None)
    expected = learner.certify(advice, outcomes)
    assert [one["theorem"] for one in report["certificates"]] == [one.theorem.name for one in expected]
    assert [one["bound"] for one in report["certificates"]] == pytest.approx([one.bound for one in expected])
    for one in learner.comparators(advice, outcomes):
        entry = report["comparators"][one.name]
        assert list(entry) == ["loss", "regret", "detail"]
        assert (entry["loss"], entry["regret"]) == pytest.approx((one.loss, one.regret))
    assert list(report["comparators"]) == ["best_expert", "uniform", "best_convex", "best_linear", "best_shifting"]
    assert report["comparators"]["best_shifting"]["detail"]["switches"] <= 5


def test_what_is_printed_is_in_the_json(run, table):
    """For people there are the loss, the experts with the best first, the comparators, the weights, the theorems."""
    report = run("combine", table, *WORDS, "--json", "--switches", 2).json
    command = run("combine", table, *WORDS, "--quiet", "--switches", 2)
    out = command.out.splitlines()
    assert (command.code, command.err) == (0, "")
    assert out[0] == f"ml-poly: square loss {report['loss']:,.6g} in 300 rounds, {report['mean_loss']:,.6g} a round"
    names = [line.split()[0] for line in out[2:6]]
    assert names == sorted(EXPERTS, key=lambda name: report["expert_losses"][name])
    assert [line.split()[1] for line in out[2:6]] == [f"{report['expert_losses'][name]:,.6g}" for name in names]
    for label in ("best expert north", "plain average", "best convex combination", "best sequence with 2 switches"):
        assert any(line.strip().startswith(label) for line in out)
    begin = out.index("weights") + 1
    shares = [float(line.split()[-1]) for line in out[begin : begin + 4]]
    assert shares == sorted(shares, reverse=True)
    assert sum(shares) == pytest.approx(1, abs=1e-5)
    assert [line.partition(":")[0] for line in out[-3:]] == ["Posterior regret", "Second-order regret", "Prior regret"]
    assert report["comparators"]["best_shifting"]["detail"]["switches"] <= 2


def test_the_table_shows_prefixes_at_doubling_rounds(run, table):
    """Each row holds the means so far and since the last row, the best expert's and the regret of that many rows."""
    rows = [line.split() for line in run("combine", table, *WORDS, "--no-comparators").err.splitlines()]
    assert rows[0] == ["rounds", "mean", "loss", "since", "last", "best", "expert", "regret"]
    assert [int(row[0]) for row in rows[1:]] == [1, 2, 4, 8, 16, 32, 64, 128, 256, 300]
    advice, outcomes = drawn(300)
    before, last = 0, 0.0
    for row in rows[1:]:
        rounds = int(row[0])
        learner = MLPoly()
        learner.play(advice[:rounds], outcomes[:rounds])
        book = learner.ledger_
        best = float(book.losses.min())
        expected = [book.loss / rounds, (book.loss - last) / (rounds - before), best / rounds, book.loss - best]
        assert [float(one) for one in row[1:]] == pytest.approx(expected, rel=1e-5)
        before, last = rounds, book.loss


@pytest.mark.parametrize("name", list(EXPERT_LEARNERS))
def test_every_learner_combines(run, tmp_path, name):
    """Each name on the command line plays a table that suits it, and breaks no bound."""
    advice, outcomes = drawn(120)
    words = ["--learner", name, "--json"]
    if name in ("weighted-majority", "randomized-weighted-majority"):
        advice, outcomes = (advice > 0.5).astype(float), (outcomes > 0.5).astype(float)
        words += ["--set", "beta=0.5"]
    if name == "aggregating":
        words += ["--range", "0", "1"]
    if name == "eg":
        path = write_table(tmp_path / "t.csv", 0.5 + advice, None)
        words += ["--time", "day", "--loss", "wealth"]
    else:
        path = write_table(tmp_path / "t.csv", advice, outcomes)
        words += WORDS
    command = run("combine", path, *words)
    assert command.code == 0, command.err
    assert command.json["learner"] == name
    assert command.json["rounds"] == 120
    assert np.isfinite(command.json["loss"])
    assert any(one["applies"] for one in command.json["certificates"])


@pytest.mark.parametrize(
    ("words", "twin"),
    [
        (["--loss", "absolute"], MLPoly(loss="absolute")),
        (["--loss", "pinball", "--tau", "0.9"], MLPoly(loss="pinball", tau=0.9)),
        (["--no-linearize"], MLPoly(linearize=False)),
        (["--range", "0", "1"], MLPoly(value_range=(0, 1))),
        (["--learner", "boa", "--linearize", "--set", "prior=4,3,2,1"], BOA(linearize=True, prior=[4, 3, 2, 1])),
        (["--learner", "hedge", "--set", "eta=2"], Hedge(eta=2.0, loss="square")),
        (["--learner", "ridge", "--set", "a=2", "--set", "around=zero"], Ridge(a=2.0, around="zero")),
    ],
)
def test_parameters_reach_the_learner(run, table, words, twin):
    """What the options say is what Python's parameters do."""
    advice, outcomes = drawn(300)
    twin.play(advice, outcomes)
    report = run("combine", table, *WORDS, *words, "--json").json
    assert report["loss"] == twin.ledger_.loss
    assert report["weights"] == dict(zip(EXPERTS, twin.weights.tolist(), strict=True))


def test_losses_themselves_need_no_outcome(run, tmp_path):
    """With --loss table the columns are losses, and the learner is charged their mean under its weights."""
    advice, _ = drawn(80)
    twin = Hedge()
    twin.play(advice)
    path = write_table(tmp_path / "t.csv", advice, None)
    report = run("combine", path, "--time", "day", "--learner", "hedge", "--loss", "table", "--json").json
    assert (report["loss"], report["loss_name"], report["parameters"]["loss"]) == (twin.ledger_.loss, "table", None)


def test_portfolios_need_no_outcome(run, tmp_path):
    """eg plays price relatives, and says what became of one coin beside the best stock and the best portfolio."""
    relatives = 0.5 + drawn(80)[0]
    twin = EG()
    twin.play(relatives)
    path = write_table(tmp_path / "t.csv", relatives, None)
    report = run("combine", path, "--time", "day", "--learner", "eg", "--loss", "wealth", "--json").json
    assert (report["loss_name"], report["loss"]) == ("wealth", twin.ledger_.loss)
    out = run("combine", path, "--time", "day", "--learner", "eg", "--loss", "wealth", "--quiet").out
    assert f"final wealth, from 1: {np.exp(-twin.ledger_.loss):,.6g}" in out
    best = min(report["expert_losses"], key=report["expert_losses"].__getitem__)
    assert f"best stock {best}: {np.exp(-report['expert_losses'][best]):,.6g}" in out
    portfolio = report["comparators"]["best_convex"]["loss"]
    assert f"best constant-rebalanced portfolio: {np.exp(-portfolio):,.6g}" in out


def test_the_last_rows_are_forecast(run, tmp_path):
    """Rows without outcome are combined by the weights after all others: one number, or a list of several."""
    advice, outcomes = drawn(60)
    learner = MLPoly()
    learner.play(advice[:57], outcomes[:57])
    expected = [float(learner.forecast(row)) for row in advice[57:]]
    path = write_table(tmp_path / "t.csv", advice, outcomes[:57])
    report = run("combine", path, *WORDS, "--json").json
    assert (report["rounds"], report["forecast"]) == (57, expected)
    out = run("combine", path, *WORDS, "--quiet").out
    assert f"forecast d0058: {expected[1]:,.6g}" in out
    one = write_table(tmp_path / "one.csv", advice[:58], outcomes[:57])
    assert run("combine", one, *WORDS, "--json").json["forecast"] == expected[0]


def test_sleeping_experts_are_counted(run, tmp_path):
    """Missing forecasts are reported, and each expert's loss is over the rounds in which it spoke."""
    advice, outcomes = drawn(200, asleep=0.3)
    path = write_table(tmp_path / "t.csv", advice, outcomes)
    report = run("combine", path, *WORDS, "--json").json
    assert report["missing"] == int(np.isnan(advice).sum())
    own = np.nansum((advice - outcomes[:, None]) ** 2, axis=0)
    assert list(report["expert_losses"].values()) == pytest.approx(own)
    out = run("combine", path, *WORDS, "--quiet").out
    assert f"forecasts that were missing: {report['missing']}" in out
    spoke = {line.split()[0]: line.split()[-1] for line in out.splitlines()[3:7]}
    assert spoke == {name: str(n) for name, n in zip(EXPERTS, (~np.isnan(advice)).sum(0), strict=True)}


@pytest.mark.parametrize("delay", [1, 2, 24])
def test_a_delay_is_that_of_python(run, table, delay):
    """--delay K learns what play(arrivals=K) learns, and says what that cost."""
    advice, outcomes = drawn(300)
    learner = MLPoly()
    learner.play(advice, outcomes, arrivals=delay)
    report = run("combine", table, *WORDS, "--delay", delay, "--json").json
    assert report["loss"] == pytest.approx(learner.ledger_.loss, rel=1e-12)
    assert report["delay_cost"] == (None if delay == 1 else pytest.approx(learner.ledger_.delay, rel=1e-9))
    assert ("cost of late outcomes" in run("combine", table, *WORDS, "--delay", delay).out) == (delay > 1)


@pytest.mark.parametrize("clock", [True, False])
def test_arrival_times_are_those_of_python(run, tmp_path, clock):
    """A column of arrivals, by the time column or by the number of a row, is play(arrivals=...)."""
    advice, outcomes = drawn(120)
    arrivals = np.minimum(np.arange(120) + np.random.default_rng(1).integers(1, 9, 120), 120)
    learner = MLPoly()
    learner.play(advice, outcomes, arrivals=arrivals)
    path = write_table(tmp_path / "t.csv", advice, outcomes, due=arrivals + 1)
    words = ("--time", "day") if clock else ("--experts", ",".join(EXPERTS))
    report = run("combine", path, "--target", "load", "--arrival", "due", *words, "--json").json
    assert report["loss"] == pytest.approx(learner.ledger_.loss, rel=1e-12)
    assert report["delay_cost"] == pytest.approx(learner.ledger_.delay, rel=1e-9)


def test_forecasts_under_delay_know_what_will_have_arrived(run, tmp_path):
    """A row to forecast is combined by the weights that are known then, not by those of outcomes still to come."""
    advice, outcomes = drawn(50)
    path = write_table(tmp_path / "t.csv", advice, outcomes[:48])
    report = run("combine", path, *WORDS, "--delay", 10, "--json").json
    whole = MLPoly()
    # With all outcomes at hand the predictions of the last rows are the same: they do not see them.
    played = whole.play(advice, np.append(outcomes[:48], [0, 0]), arrivals=10)
    assert report["forecast"] == pytest.approx(played.predictions[48:].tolist())
    assert report["rounds"] == 48


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
@pytest.mark.parametrize("delay", [1, 3])
def test_forecasts_and_weights_are_written(run, tmp_path, suffix, delay):
    """--out has each prediction and its loss, --weights the weights that made it; rows to forecast come last."""
    from pyarrow import csv as text
    from pyarrow import parquet

    advice, outcomes = drawn(70, asleep=0.2)
    learner = MLPoly()
    played = learner.play(advice[:69], outcomes[:69], arrivals=delay, weights=True)
    path, out, weights = write_table(tmp_path / "t.csv", advice, outcomes[:69]), tmp_path / "o", tmp_path / "w"
    out, weights = out.with_suffix(f".{suffix}"), weights.with_suffix(f".{suffix}")
    report = run("combine", path, *WORDS, "--delay", delay, "--out", out, "--weights", weights, "--json").json
    tables = [text.read_csv(one) if suffix == "csv" else parquet.read_table(one) for one in (out, weights)]
    assert tables[0].column_names == ["day", "outcome", "forecast", "loss"]
    assert tables[1].column_names == ["day", *EXPERTS]
    columns = {name: tables[0][name].to_pylist() for name in tables[0].column_names}
    assert columns["day"] == [f"d{k:04}" for k in range(70)]
    assert columns["outcome"] == [*outcomes[:69].tolist(), None]
    assert columns["forecast"] == pytest.approx([*played.predictions, report["forecast"]], rel=1e-12)
    assert columns["loss"][:-1] == pytest.approx(played.losses.tolist(), rel=1e-12)
    assert columns["loss"][-1] is None
    rest = np.array([tables[1][name].to_numpy() for name in EXPERTS]).T
    np.testing.assert_allclose(rest[:69], played.weights, rtol=1e-12, atol=1e-15)
    assert np.nansum(rest[:69] * np.nan_to_num(advice[:69]), axis=1) == pytest.approx(played.predictions)


def test_rows_without_times_are_numbered(run, table, tmp_path):
    """Without --time the rows of --out are counted from 1."""
    run("combine", table, "--target", "load", *QUIET, "--out", tmp_path / "o.csv")
    with (tmp_path / "o.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["row"] for row in rows] == [str(k + 1) for k in range(300)]


def test_columns_that_are_left_out_are_reported(run, table):
    """A column of text that is not the time is not used, and stderr says so; the JSON stays pure."""
    command = run("combine", table, "--target", "load", "--json")
    assert command.code == 0
    assert command.err == f"regretless: {table}: 'day' is left out: text is no forecast\n"
    assert command.json["experts"] == 4


def test_standard_input_is_combined(run, table, tmp_path):
    """A pipe gives what the file gives; what would need a second reading says so, and --cache helps."""
    whole = run("combine", table, *WORDS, "--loss", "absolute", "--json").json
    piped = run("combine", "-", *WORDS, "--loss", "absolute", "--json", stdin=table.read_bytes()).json
    assert piped["loss"] == whole["loss"]
    assert list(piped["comparators"]) == ["best_expert"]
    output = run("combine", "-", *WORDS, "--loss", "absolute", "--quiet", stdin=table.read_bytes()).out
    assert "--cache FILE" in output
    words = (*WORDS, "--loss", "absolute", "--json", "--cache", tmp_path / "c.csv")
    cached = run("combine", "-", *words, stdin=table.read_bytes()).json
    assert cached["comparators"] == whole["comparators"]


def test_a_pipe_of_squares_is_compared_on_one_pass(run, table):
    """For the square loss sums of one pass are enough for the best combinations, though not for the best sequence."""
    whole = run("combine", table, *WORDS, "--json").json
    piped = run("combine", "-", *WORDS, "--json", stdin=table.read_bytes()).json
    del whole["comparators"]["best_shifting"]  # takes the losses of every round
    assert list(piped["comparators"]) == list(whole["comparators"])
    for name, one in whole["comparators"].items():
        assert piped["comparators"][name]["loss"] == pytest.approx(one["loss"])


def test_without_comparators_the_best_expert_remains(run, table):
    """--no-comparators reads the theorems against the best expert alone."""
    report = run("combine", table, *WORDS, "--no-comparators", "--json").json
    assert list(report["comparators"]) == ["best_expert"]
    assert any(one["applies"] for one in report["certificates"])


def test_a_report_is_written(run, tmp_path):
    """--report writes one page that tells the learner, the loss and the experts."""
    advice, outcomes = drawn(200, asleep=0.1)
    path = write_table(tmp_path / "t.csv", advice, outcomes)
    page = tmp_path / "r.html"
    words = (*WORDS, "--loss", "absolute", "--range", "0", "1", "--delay", "2", "--report", page)
    command = run("combine", path, *words)
    text = page.read_text()
    assert command.code == 0
    assert command.err.splitlines()[-1] == f"report: {page}"
    assert "MLPoly on t.csv" in text
    assert all(name in text for name in EXPERTS)
    assert text.rstrip().endswith("</html>")


def test_a_report_of_no_round_is_written(run, tmp_path):
    """A table of rows to forecast alone is no failure: the plain average, without a round."""
    advice, _ = drawn(3)
    path = write_table(tmp_path / "t.csv", advice, np.empty(0))
    report = run("combine", path, *WORDS, "--json", "--report", tmp_path / "r.html").json
    assert (report["rounds"], report["mean_loss"], report["comparators"]) == (0, None, {})
    assert report["forecast"] == pytest.approx(advice.mean(1).tolist())
    assert "No round was played" in (tmp_path / "r.html").read_text()
    assert "forecast d0002" in run("combine", path, *WORDS, "--quiet").out


def test_a_model_is_inspected_and_loaded(run, table, tmp_path):
    """inspect tells of a combiner what it tells of a classifier, and regretless.load brings it back."""
    model = tmp_path / "m.rgl"
    report = run("combine", table, *WORDS, "--save", model, "--json").json
    shown = run("inspect", model, "--json").json
    assert shown["schema"] == "regretless.inspect/1"
    for key in ("learner", "parameters", "rounds", "experts", "loss", "loss_name", "weights", "expert_losses"):
        assert shown[key] == report[key]
    assert shown["columns"] == {"target": "load", "time": "day", "arrivals": None, "block": None}
    lines = run("inspect", model, "--top", 2).out.splitlines()
    assert lines[0].split() == ["learner", "ml-poly"]
    assert len(lines) - lines.index("") == 4
    learner = regretless.load(model)
    assert isinstance(learner, MLPoly)
    assert learner.weights.tolist() == list(report["weights"].values())
    advice, _ = drawn(1)
    assert learner.predict(advice[0]) == pytest.approx(float(learner.weights @ advice[0]))


def test_many_experts_are_cut_short(run, tmp_path):
    """Of more than twelve experts the first twelve are printed; the JSON has them all."""
    generator = np.random.default_rng(0)
    np.savez(tmp_path / "t.npz", experts=generator.random((40, 30)), y=generator.random(40))
    out = run("combine", tmp_path / "t.npz", "--quiet").out
    assert out.count("  and 18 more\n") == 2
    assert len(run("combine", tmp_path / "t.npz", "--json").json["expert_losses"]) == 30


def test_names_with_commas_can_be_quoted(run, tmp_path):
    """--experts is read like a line of a table, and may be given several times."""
    path = tmp_path / "t.csv"
    path.write_text('"a, b",c,d,y\n1,2,3,4\n2,3,4,5\n')
    report = run("combine", path, "--experts", '"a, b",d', "--experts", "c", "--json").json
    assert list(report["expert_losses"]) == ["a, b", "d", "c"]


def test_progress_is_shown_where_it_is_asked_for(run, table, monkeypatch):
    """With --progress the number of rounds is written though stderr is no terminal."""
    monkeypatch.setattr("regretless.cli.output.ELSEWHERE", 0)
    monkeypatch.setattr("regretless.data.csv.BYTES_PER_COLUMN", 1)
    for module in ("delimited", "csv"):
        monkeypatch.setattr(f"regretless.data.{module}.SMALLEST", 1000)
    assert "rounds, " in run("combine", table, *WORDS, "--progress").err
    assert "rounds, " not in run("combine", table, *WORDS).err


def test_help_and_completion_know_the_verb():
    """The verb has a page of help, and its files are completed by files."""
    parser = make()
    with pytest.raises(SystemExit):
        parser.parse_args(["combine", "--help"])
    script = subprocess.run(
        [sys.executable, "-m", "regretless", "--print-completion", "bash"], capture_output=True, text=True, check=True
    ).stdout
    assert "combine" in script
    for option in ("__out", "__weights", "__report", "__save", "__cache"):
        assert f"combine_{option}_COMPGEN=_shtab_compgen_files" in script.replace("_shtab_regretless_", "")


def test_opera_is_combined(run, data):
    """On the French load the combination is better than the best expert, and its certificate holds."""
    path = data / "experts/opera_regional.npz"
    report = run("combine", path, "--loss", "percentage", "--time", "date_unix", "--json").json
    assert report["rounds"] == 398
    assert report["mean_loss"] < 0.0204 == pytest.approx(report["comparators"]["best_expert"]["loss"] / 398, abs=1e-4)
    assert json.dumps(report["certificates"])
    assert all(one["observed"] <= one["bound"] for one in report["certificates"] if one["applies"])


def test_the_new_york_stock_exchange(run, data):
    """EG's wealth, the best stock and the best constant-rebalanced portfolio are those that were published."""
    out = run("combine", data / "experts/portfolio_nyse_o.npz", "--learner", "eg", "--loss", "wealth", "--quiet").out
    wealth = {line.rpartition(":")[0].strip(): float(line.rpartition(":")[2]) for line in out.splitlines()[1:4]}
    assert wealth["final wealth, from 1"] == pytest.approx(27.095, abs=5e-4)
    assert wealth["best stock 29"] == pytest.approx(54.14, abs=5e-3)
    assert wealth["best constant-rebalanced portfolio"] == pytest.approx(250.597, abs=5e-3)


def test_forecasts_beyond_floats_break_no_bound_of_ridge(run, tmp_path):
    """Where rounding drowns ridge regression each bound has no number or none that says anything, and none is broken.

    Which of the two it is depends on the order in which this machine's linear algebra sums.
    """
    path = tmp_path / "r.csv"
    path.write_text("y,a,b\n2e15,1e15,1e15\n0,3e15,3e15\n1e15,1e15,1e15\n")
    command = run("combine", path, "--target", "y", "--learner", "ridge", "--quiet")
    assert command.code == 0
    silent = ("its numbers are too large or too small for floats", "no better than the learner's own loss")
    assert sum(command.out.count(words) for words in silent) == 2


def test_one_expert_has_no_regret_beyond_its_allowance(run, tmp_path):
    """A single expert's regret is rounding alone: the line is a true inequality, and JSON has the allowance apart."""
    random = np.random.default_rng(3)
    loads = 5e4 + 1e4 * random.normal(size=5000)
    path = tmp_path / "one.csv"
    rows = zip(loads, loads + 3e3 * random.normal(size=5000), strict=True)
    path.write_text("load,a\n" + "".join(f"{y!r},{a!r}\n" for y, a in ((float(y), float(a)) for y, a in rows)))
    line = next(one for one in run("combine", path, "--target", "load", "--quiet").out.splitlines() if " <= " in one)
    observed, bound = (part.split()[place].rstrip(",") for part, place in zip(line.split(" <= "), (-1, 0), strict=True))
    assert float(observed) <= float(bound)
    certificate = run("combine", path, "--target", "load", "--quiet", "--json").json["certificates"][0]
    assert certificate["bound"] == 0
    assert certificate["observed"] <= certificate["rounding"]
    assert 0 < certificate["rounding"] < 1
