"""``regretless combine`` when something is wrong: one line on stderr, the right exit code, and never a traceback."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from regretless import load
from regretless.certificate import Certificate
from regretless.errors import ModelError
from regretless.experts import MLPoly
from regretless.persist.format import read_model, write_model

from ..command_line import BARE, CommandLine, noisy_lines, write
from ..data.forecasts import QUIET, drawn, lines, write_table
from .test_cli_combine import WORDS


@pytest.fixture
def run(capsys, monkeypatch) -> CommandLine:
    return CommandLine(capsys, monkeypatch)


@pytest.fixture
def table(tmp_path) -> Path:
    return write_table(tmp_path / "load.csv", *drawn(50))


@pytest.fixture
def model(run, table, tmp_path) -> Path:
    assert run("combine", table, *WORDS, *QUIET, "--save", tmp_path / "m.rgl").code == 0
    return tmp_path / "m.rgl"


def complaint(command) -> str:
    """The one line of an error."""
    assert command.out == ""
    (line,) = command.err.splitlines()
    assert line.startswith("regretless: ")
    assert "Traceback" not in line
    return line.removeprefix("regretless: ")


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ([], "required: FILE"),
        (["{table}", "--learner", "ml-polly"], "'ml-poly'"),
        (["{table}", "--loss", "cubic"], "'square'"),
        (["{table}", "--learner", "perceptron"], "invalid choice: 'perceptron'"),
        (["{table}", "--set", "speed=3"], "ml-poly has no parameter 'speed'"),
        (["{table}", "--set", "loss=square"], "use --loss"),
        (["{table}", "--set", "value_range=3"], "use --range"),
        (["{table}", "--set", "n_experts=3"], "the file says"),
        (["{table}", "--set", "prior=a,b"], "numbers with commas"),
        (["{table}", "--learner", "hedge", "--set", "eta=-1"], "--set eta=-1.0"),
        (["{table}", "--learner", "hedge", "--set", "eta=1", "--set", "horizon=9"], "exclude each other"),
        (["{table}", "--learner", "randomized-weighted-majority"], "either beta= or horizon="),
        (["{table}", "--learner", "aggregating"], "--range is missing"),
        (["{table}", "--learner", "aggregating", "--linearize", "--range", "0", "1"], "--linearize True"),
        (["{table}", "--learner", "ridge", "--loss", "absolute"], "--loss 'absolute'"),
        (["{table}", "--loss", "zero-one", "--linearize"], "convex loss"),
        (["{table}", "--range", "1", "0"], "--range (1.0, 0.0) must be two numbers, the lower first"),
        (["{table}", "--range", "1"], "expected 2 arguments"),
        (["{table}", "--loss", "pinball", "--tau", "1.5"], "--tau 1.5 must lie between 0 and 1"),
        (["{table}", "--loss", "square", "--tau", "0.5"], "--tau is for --loss pinball"),
        (["{table}", "--delay", "0"], "--delay: '0'"),
        (["{table}", "--delay", "2", "--arrival", "due"], "exclude each other"),
        (["{table}", "--delay", "2", "--loss", "table"], "--delay is for outcomes"),
        (
            ["{table}", "--delay", "2", "--learner", "randomized-weighted-majority", "--set", "beta=0.5"],
            "one round after the other",
        ),
        (["{table}", "--switches", "-1"], "--switches: '-1'"),
        (["{table}", "--switches", "1", "--no-comparators"], "--no-comparators wants none"),
        (["{table}", "--quiet", "--progress"], "contradict"),
        (["{table}", "--checkpoint-every", "5"], "needs --save"),
        (["{table}", "--experts", "north,north"], "--experts north,north: one of them is named twice"),
        (["{table}", "--experts", "north,load", "--target", "load"], "something else already"),
        (["{table}", "--learner", "eg", "--loss", "wealth", "--target", "load"], "--target has no meaning"),
        (["{table}", "--loss", "table", "--target", "load"], "--target has no meaning"),
        (["{table}", "--format", "svmlight"], "invalid choice: 'svmlight'"),
        (["{table}", "--out", "{table}"], "would be overwritten"),
        (["{table}", "--out", "x.csv", "--weights", "x.csv"], "would be overwritten"),
        (["{table}", "--save", "x.rgl", "--report", "x.rgl"], "would be overwritten"),
        (["{table}", "--resume", "{model}", "--learner", "boa"], "contradicts the model, which is of ml-poly"),
        (["{table}", "--resume", "{model}", "--loss", "absolute"], "--loss absolute contradicts"),
        (["{table}", "--resume", "{model}", "--delay", "3"], "--delay 3 contradicts"),
        (["{table}", "--resume", "{model}", "--arrival", "due"], "--arrival contradicts"),
        (["{table}", "--resume", "{model}", "--experts", "north"], "--experts contradicts the model"),
    ],
)
def test_wrong_usage_ends_with_2_and_says_what_is_possible(run, table, model, words, expected):
    """What the command line cannot mean is refused before anything is read or written."""
    before = sorted(path.name for path in table.parent.iterdir())
    command = run("combine", *(word.format(table=table, model=model) for word in words))
    assert command.code == 2
    assert expected in complaint(command)
    assert sorted(path.name for path in table.parent.iterdir()) == before


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (
            ["{table}", "--time", "day"],
            "it is not said what the outcome is; choose it with --target among 'day', 'north'",
        ),
        (["{table}", "--target", "loud"], "there is no column 'loud'; did you mean load? choose it with"),
        (["{table}", *WORDS, "--experts", "north,up"], "there is no column 'up'; the columns are 'day', 'north'"),
        (["{table}", "--target", "load", "--experts", "north,day"], "column 'day' holds 'd0000'"),
        (["{table}", *WORDS, "--arrival", "due"], "there is no column 'due'"),
        (["none.csv", *WORDS], "there is no such file"),
        (["{table}", *WORDS, "--out", "no/such/folder/o.csv"], "make it first"),
        (["{table}", *WORDS, "--set", "prior=1,2"], "prior of shape (2,)"),
        (["{table}", *WORDS, "--resume", "none.rgl"], "none.rgl: there is no such file"),
        (["-", *WORDS, "--resume", "{table}"], "is not a model"),
    ],
)
def test_bad_data_end_with_1(run, table, words, expected):
    """What is wrong with the file is said in one line."""
    command = run("combine", *(word.format(table=table) for word in words), "--quiet")
    assert command.code == 1
    assert expected in complaint(command)


def test_a_value_out_of_the_declared_range_names_row_and_expert(run, tmp_path):
    """Line, column, expert and value of a forecast out of its range are reported; so are those of an outcome."""
    advice, outcomes = drawn(20)
    advice[7, 2] = 1.5
    path = write_table(tmp_path / "t.csv", advice, outcomes)
    command = run("combine", path, *WORDS, "--range", "0", "1", *QUIET)
    cell = "".join(lines(advice, outcomes)).splitlines()[8]
    column = cell.index("1.5") + 1
    assert command.code == 1
    assert complaint(command).startswith(
        f"{path}:9:{column}: expert east: the forecast is outside [0, 1] (1.5 was found)"
    )
    advice, outcomes = drawn(20)
    outcomes[4] = -3
    command = run("combine", write_table(path, advice, outcomes), *WORDS, "--range", "0", "1", *QUIET)
    column = "".join(lines(advice, outcomes)).splitlines()[5].index("-3") + 1
    expected = f"{path}:6:{column}: column 'load': the outcome is outside [0, 1] (-3 was found)"
    assert complaint(command).startswith(expected)


@pytest.mark.parametrize("delay", [1, 3])
def test_a_row_in_which_all_sleep_is_named(run, tmp_path, delay):
    """If nobody speaks there is nothing to combine: the error names the line, whether or not outcomes come late."""
    advice, outcomes = drawn(20)
    advice[11] = np.nan
    path = write_table(tmp_path / "t.csv", advice, outcomes)
    command = run("combine", path, *WORDS, "--delay", delay, *QUIET)
    assert command.code == 1
    assert complaint(command).startswith(f"{path}:13:1: every forecast is missing; no expert speaks")


def test_the_row_of_an_archive_is_named(run, tmp_path):
    """Where there are no lines the row is reported, counted from 0."""
    advice, outcomes = drawn(20)
    advice[11] = np.nan
    np.savez(tmp_path / "t.npz", experts=advice, y=outcomes)
    assert "in row 11 (counted from 0), every forecast is missing" in complaint(
        run("combine", tmp_path / "t.npz", *QUIET)
    )


def test_an_outcome_must_not_arrive_before_its_row_is_over(run, tmp_path):
    """An arrival at the time of the forecast itself would be knowing the future."""
    advice, outcomes = drawn(20)
    due = np.arange(20) + 3
    due[6] = 7
    path = write_table(tmp_path / "t.csv", advice, outcomes, due=due)
    command = run("combine", path, "--target", "load", "--time", "day", "--arrival", "due", *QUIET)
    assert command.code == 1
    assert complaint(command).startswith(f"{path}:8:1: the outcome arrives before the row is over")


def test_an_infinite_loss_is_reported(run, tmp_path):
    """Certain and wrong under the log loss: the error says so and what to do."""
    advice, outcomes = np.full((5, 2), 0.5), np.array([1.0, 0, 1, 0, 1])
    advice[3] = 1
    path = write_table(tmp_path / "t.csv", advice, outcomes)
    message = complaint(run("combine", path, *WORDS, "--loss", "log", *QUIET))
    assert message.startswith(f"{path}:5:")
    assert "the loss is infinite; keep probabilities away from 0 and 1" in message


def test_numbers_too_large_to_sum_are_reported(run, tmp_path):
    """Forecasts whose squared errors are beyond floats: the row is named, and those before it are kept in the model."""
    advice, outcomes = drawn(5)
    advice[3] *= 1e154
    path = write_table(tmp_path / "t.csv", advice, outcomes)
    message = complaint(run("combine", path, *WORDS, "--save", tmp_path / "m.rgl", *QUIET))
    assert message.startswith(f"{path}:5:")
    assert "too large for floats; scale the numbers down" in message
    assert load(tmp_path / "m.rgl").rounds_ == 3


@pytest.mark.parametrize(
    "words",
    [["predict", "{model}", "{table}"], ["certify", "{model}", "{table}"], ["learn", "{table}", "--resume", "{model}"]],
)
def test_verbs_for_classifiers_refuse_combiners(run, model, table, words):
    """predict, certify and learn --resume say which verb a model of experts is for."""
    command = run(*(word.format(model=model, table=table) for word in words))
    assert command.code == 1
    assert f"{model}: this model combines experts (ml-poly); combine --resume goes on with it" in complaint(command)


def test_combine_refuses_classifiers(run, table, tmp_path):
    """combine --resume says which verbs a model of labelled rows is for."""
    mail = write(tmp_path / "mail.svm", noisy_lines(50))
    run("learn", mail, *BARE, "--save", tmp_path / "c.rgl")
    command = run("combine", table, *WORDS, "--resume", tmp_path / "c.rgl")
    assert command.code == 1
    assert "learned from labelled rows (perceptron); learn --resume goes on with it" in complaint(command)


def test_a_model_made_in_python_is_not_resumed(run, table, tmp_path):
    """A model that knows no file's columns is for Python; inspect shows it all the same."""
    learner = MLPoly()
    learner.play(*drawn(9))
    learner.save(tmp_path / "p.rgl")
    command = run("combine", table, *WORDS, "--resume", tmp_path / "p.rgl")
    assert command.code == 1
    assert "go on with it in Python" in complaint(command)
    assert "not known" in run("inspect", tmp_path / "p.rgl").out


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("history", {}),
        ("history", {"rounds": [1]}),
        ("waiting", [[1, 2, 3, 0.5]]),
        ("waiting", [[1]]),
        ("columns", {}),
        ("unfinished", {"row": -1, "source": "x"}),
        ("unfinished", {"row": "many"}),
        ("delay", 0),
    ],
)
def test_a_model_that_contradicts_itself_is_refused(run, table, model, key, value):
    """Whatever of a model's own account is changed, the error is that of a model that does not fit together."""
    description, tensors = read_model(model)
    description["extra"][key] = value
    write_model(model, description, tensors)
    command = run("combine", table, *WORDS, "--resume", model)
    assert command.code == 1
    assert "does not fit together" in complaint(command)


def test_a_violated_bound_ends_with_3(run, table, monkeypatch):
    """A sure bound that does not hold is a bug: everything is printed, and the exit code says so."""
    monkeypatch.setattr(Certificate, "holds", property(lambda self: self.bound is None))
    command = run("combine", table, *WORDS, "--quiet")
    assert command.code == 3
    assert "EXCEEDS" in command.out
    assert "this is a bug in regretless" in command.err


def test_a_failed_run_leaves_old_outputs(run, tmp_path):
    """Without --save a run that fails leaves the files of an earlier one as they were, and no half of a new one."""
    advice, outcomes = drawn(20)
    advice[11] = np.nan
    path, out = write_table(tmp_path / "t.csv", advice, outcomes), tmp_path / "o.csv"
    out.write_text("old")
    assert run("combine", path, *WORDS, *QUIET, "--out", out, "--weights", tmp_path / "w.csv").code == 1
    assert out.read_text() == "old"
    assert sorted(one.name for one in tmp_path.iterdir()) == ["o.csv", "t.csv"]


def test_loading_says_what_is_no_model(table):
    """A table is no model, in Python either."""
    import regretless

    with pytest.raises(ModelError, match="is not a model"):
        regretless.load(str(table))


def test_rows_of_an_earlier_run_are_not_lost(run, table, tmp_path):
    """A run that goes on refuses to write its rows over those of the run before it."""
    out, model = tmp_path / "out.csv", tmp_path / "model.rgl"
    assert run("combine", table, *WORDS, "--save", model, "--out", out).code == 0
    content = out.read_bytes()
    command = run("combine", table, "--resume", model, "--out", out)
    assert command.code == 2
    assert "out.csv holds the rows of an earlier run" in command.err
    assert out.read_bytes() == content


def test_a_table_is_not_called_what_it_is_not(run, table, tmp_path):
    """Forecasts are not written as text under the name of a spreadsheet."""
    command = run("combine", table, *WORDS, "--out", tmp_path / "out.xlsx")
    assert command.code == 2
    assert "not .xlsx" in command.err


def test_slips_in_a_column_of_numbers_are_named(run, tmp_path):
    """A column that holds mostly numbers is not left out for a few cells that are none: the first one is named."""
    path = tmp_path / "slips.csv"
    rows = [f"{t},{t + 1},{'-' if t % 3 == 2 else t}" for t in range(12)]
    path.write_text("\n".join(["load,a,b", *rows]) + "\n")
    command = run("combine", path, "--target", "load")
    assert command.code == 1
    assert "slips.csv:4:" in command.err
    assert "'b'" in command.err
