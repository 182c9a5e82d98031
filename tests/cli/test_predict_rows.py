"""``regretless predict``: which line is of which row."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

import regretless
from regretless.data import open_stream
from regretless.linear.comparators.candidates import matrix_of

from ..command_line import CommandLine, noisy_lines, write

QUIET = ("--no-certify", "--quiet")
BAD = (0, 1, 5, 6, 30, 39)  # the rows that cannot be used, of 40


@pytest.fixture
def run(capsys, monkeypatch) -> CommandLine:
    return CommandLine(capsys, monkeypatch)


def table(path, bad=()) -> str:
    """A table of 40 rows, some of which lack a number."""
    rng = np.random.default_rng(1)
    lines = ["a,b,y\n"]
    for row in range(40):
        a, b = rng.normal(size=2)
        lines.append(f"{'' if row in bad else a},{b},{'up' if a > b else 'down'}\n")
    return str(write(path, lines))


def svmlight(path, bad=()) -> str:
    """Svmlight text of 40 rows and comments, in some of which an id is missing."""
    lines = [f"# {row}\n{'1 :2' if row in bad else line.strip()}\n" for row, line in enumerate(noisy_lines(40))]
    return str(write(path, lines))


def arrays(path, bad=()) -> str:
    """An archive of 40 rows, in some of which a value is nan."""
    rng = np.random.default_rng(2)
    values, labels = rng.normal(size=(40, 3)), np.tile([-1, 1], 20)
    values[list(bad), 1] = np.nan
    np.savez(path, X=values, y=labels)
    return str(path)


FILES = {".csv": table, ".svm": svmlight, ".npz": arrays}


@pytest.mark.parametrize("options", [(), ("--interactions", "*")])
@pytest.mark.parametrize("suffix", FILES)
def test_line_n_is_of_row_n_though_rows_are_passed_over(run, tmp_path, suffix, options):
    """Where rows are passed over, an empty line stands for each; the others have the lines that they would have."""
    good, bad = FILES[suffix](tmp_path / f"good{suffix}"), FILES[suffix](tmp_path / f"bad{suffix}", BAD)
    model = tmp_path / "m.rgl"
    assert run("learn", good, "--learner", "perceptron", *options, *QUIET, "--save", model).code == 0
    each = run("predict", model, good).out.splitlines()
    assert len(each) == 40
    command = run("predict", model, bad, "--on-error", "skip")
    assert command.out.splitlines() == ["" if row in BAD else line for row, line in enumerate(each)]
    assert command.err.startswith(f"regretless: {len(BAD)} rows were passed over")


def test_rows_that_are_passed_over_have_nan_for_numbers(run, tmp_path):
    """Scores and probabilities of such a row are nan, below the names of their columns, and null in JSON."""
    model, good, bad = tmp_path / "m.rgl", table(tmp_path / "good.csv"), table(tmp_path / "bad.csv", BAD)
    assert run("learn", good, *QUIET, "--save", model).code == 0
    scores = run("predict", model, bad, "--on-error", "skip", "--scores").out.splitlines()
    assert [row for row, line in enumerate(scores) if line == "nan"] == list(BAD)
    head, *lines = run("predict", model, bad, "--on-error", "skip", "--probabilities").out.splitlines()
    assert head == "down\tup"
    assert [row for row, line in enumerate(lines) if line == "nan\tnan"] == list(BAD)
    output = run("predict", model, bad, "--on-error", "skip", "--probabilities", "--json").json
    assert [row for row, pair in enumerate(output["probabilities"]) if pair is None] == list(BAD)
    assert (output["rows"], output["skipped"]) == (40 - len(BAD), len(BAD))


def test_intervals_of_numbers_stand_below_their_names(run, tmp_path):
    """Where columns of the file are named, so are forecast, low and high; a row that is passed over has three nan."""
    model, good, bad = tmp_path / "m.rgl", table(tmp_path / "good.csv"), table(tmp_path / "bad.csv", BAD)
    assert run("learn", good, "--target", "b", "--interval", "0.9", *QUIET, "--save", model).code == 0
    head, *lines = run("predict", model, bad, "--on-error", "skip", "--interval").out.splitlines()
    assert head == "forecast\tlow\thigh"
    assert [row for row, line in enumerate(lines) if line == "nan\tnan\tnan"] == list(BAD)
    assert len(run("predict", model, good).out.splitlines()) == 40


def test_losses_are_those_of_the_rows_and_can_be_watched(run, tmp_path):
    """Each row has 1 for a mistake and 0 for none, of numbers its absolute error, and nan where it is passed over;
    their sums are those of JSON, and a file without labels is refused."""
    good, bad = table(tmp_path / "good.csv"), table(tmp_path / "bad.csv", BAD)
    for target, key in (("y", "errors"), ("b", "absolute_loss")):
        model = tmp_path / f"{target}.rgl"
        assert run("learn", good, "--target", target, *QUIET, "--save", model).code == 0
        lines = run("predict", model, good, "--losses").out.splitlines()
        assert sum(map(float, lines)) == pytest.approx(run("predict", model, good, "--json").json[key])
        lines = run("predict", model, bad, "--on-error", "skip", "--losses").out.splitlines()
        assert [row for row, line in enumerate(lines) if line == "nan"] == list(BAD)
        command = run("predict", model, good, "--losses", "--json")
        assert (command.code, command.json["error"]) == (2, "--losses and --json: one of them can be printed")
    model, bare = tmp_path / "y.rgl", write(tmp_path / "bare.csv", ["a,b\n", "1,2\n"])
    assert "there are no labels" in run("predict", model, bare, "--losses").err
    losses = run("predict", model, good, "--losses").out.encode()
    assert "c1: 40 rows, mean" in run("watch", "-", "--reference", "0.9", stdin=losses).out


@pytest.mark.parametrize(("make", "learner"), [(svmlight, "perceptron"), (table, "alma"), (svmlight, "arow")])
def test_rows_that_were_divided_are_divided_in_python_too(run, tmp_path, make, learner):
    """A model of --normalize scores arrays and single rows as `predict` does, learns on so, and stays so when saved."""
    file, model = make(tmp_path / ("rows.csv" if make is table else "rows.svm")), tmp_path / "m.rgl"
    target = ("--target", "y") * (make is table)
    run("learn", file, "--learner", learner, "--normalize", *target, "--save", model, *QUIET)
    scores = [float(line) for line in run("predict", model, file, "--scores").out.split()]
    X, y = rows_of(file, target[1:])
    read = regretless.load(model)
    assert read.decision_function(X).tolist() == scores
    assert [read.scores_one(x)[0, 0] for x in X] == scores
    assert np.allclose(read.decision_function(7.0 * X), scores)
    read.save(tmp_path / "again.rgl")
    again, twin = regretless.load(tmp_path / "again.rgl"), regretless.load(model)
    again.partial_fit(X, y)
    for x, label in zip(X, y.tolist(), strict=True):
        twin.update_one(x, label)
    assert np.array_equal(again.coef_, twin.coef_)
    assert again.ledger_.max_norm2 == twin.ledger_.max_norm2


def rows_of(file, target):
    """The rows of a file as an array, and their labels."""
    stream = open_stream(file, target=target[0] if target else None)
    batches = list(stream.batches())
    columns = batches[-1].columns
    blocks = [csr_array(matrix_of(batch)).toarray() for batch in batches]
    wide = [np.pad(block, ((0, 0), (0, columns - block.shape[1]))) for block in blocks]
    return np.concatenate(wide), np.concatenate([batch.labels for batch in batches])
