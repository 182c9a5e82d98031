"""`predict --probabilities`: a column a class."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import regretless
from regretless.catalogue import DEFAULT

from ..command_line import CommandLine, quietly
from .test_default_learner import table

LOGISTIC = ("--learner", "online-gradient-descent", "--set", "loss=logistic")


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    return CommandLine(capsys, monkeypatch)


@pytest.mark.parametrize("words", [(), LOGISTIC, (*LOGISTIC[:3], "loss=square")])
@pytest.mark.parametrize("classes", [2, 4])
def test_columns_are_the_probabilities_of_classes(run: CommandLine, tmp_path: Path, classes: int, words) -> None:
    """Of a table the classes stand above their columns, and a row is what `predict_proba` says; JSON has the same."""
    file, model = table(tmp_path / "t.csv", classes=classes), tmp_path / "m.rgl"
    assert run("learn", file, *words, "--no-certify", "--save", model).code == 0
    learner = regretless.load(model)
    head, *lines = run("predict", model, file, "--probabilities").out.splitlines()
    assert head.split("\t") == learner.classes_.tolist() == list("pqrs"[:classes])
    rows = [[float(cell) for cell in line.split("\t")] for line in lines]
    X = np.array([line.split(",")[:2] for line in file.read_text().splitlines()[1:]], dtype=float)
    exact = learner.predict_proba(X)
    assert np.allclose(rows, exact, rtol=1e-11, atol=0)
    assert np.sum(rows, axis=1) == pytest.approx(1)
    output = run("predict", model, file, "--probabilities", "--json").json
    assert (output["probabilities"], list(output["counts"])) == (exact.tolist(), head.split("\t"))
    assert "probabilities" not in run("predict", model, file, "--json").json


def test_rows_without_names_have_columns_without(run: CommandLine, tmp_path: Path) -> None:
    """Of svmlight, whose columns have no names, every line is a row, and the larger label comes last."""
    file, model = tmp_path / "t.svm", tmp_path / "m.rgl"
    file.write_text("".join(f"{sign} 1:{sign * (1 + k % 3)}\n" for k in range(40) for sign in (1, -1)))
    assert quietly("learn", file, "--no-certify", "--save", model) == 0
    rows = [
        list(map(float, line.split("\t"))) for line in run("predict", model, file, "--probabilities").out.splitlines()
    ]
    assert len(rows) == 80
    assert all((row[1] > row[0]) == (k % 2 == 0) for k, row in enumerate(rows))


def test_one_class_is_certain(run: CommandLine, tmp_path: Path) -> None:
    """A model that met one class alone gives it a probability of 1, in one column."""
    file, model = tmp_path / "t.svm", tmp_path / "m.rgl"
    file.write_text("1 1:1\n1 1:2\n")
    for words in ((), LOGISTIC):
        assert quietly("learn", file, *words, "--no-certify", "--save", model) == 0
        assert run("predict", model, file, "--probabilities").out == "1\n1\n"


def test_a_line_of_a_pipe_is_answered_by_a_line(tmp_path: Path) -> None:
    """Below the names, each row of a pipe has its probabilities before the next one is written."""
    file, model = table(tmp_path / "t.csv"), tmp_path / "m.rgl"
    assert quietly("learn", file, "--no-certify", "--save", model) == 0
    command = [sys.executable, "-m", "regretless", "predict", str(model), "-", "--probabilities"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for place, row in enumerate(["a,b\n1,2\n", "0.5,-3\n", "-1,1\n"]):
            process.stdin.write(row)
            process.stdin.flush()
            if place == 0:
                assert process.stdout.readline() == "p\tq\n"
            assert sum(map(float, process.stdout.readline().split("\t"))) == pytest.approx(1)
        process.stdin.close()
        assert process.stdout.read() == ""
        assert process.wait() == 0


@pytest.mark.parametrize("words", [("--learner", "perceptron"), (*LOGISTIC[:3], "loss=hinge")])
def test_learners_without_probabilities_are_refused(run: CommandLine, tmp_path: Path, words) -> None:
    """The refusal names the model, its learner, --scores and the default learner."""
    file, model = table(tmp_path / "t.csv"), tmp_path / "m.rgl"
    assert run("learn", file, *words, "--no-certify", "--save", model).code == 0
    command = run("predict", model, file, "--probabilities")
    assert (command.code, command.out) == (1, "")
    for part in (str(model), words[1], "--scores", DEFAULT):
        assert part in command.err


def test_scores_and_probabilities_are_two_things(run: CommandLine, tmp_path: Path) -> None:
    """Both options at once are refused before anything is read."""
    command = run("predict", tmp_path / "no.rgl", tmp_path / "no.csv", "--probabilities", "--scores")
    assert (command.code, command.err) == (2, "regretless: --scores and --probabilities: one of them can be printed\n")


def test_scores_of_several_classes_are_named_as_probabilities_are(run: CommandLine, tmp_path: Path) -> None:
    """Several columns stand below their labels, the one column of two classes does not."""
    for classes, first in ((3, "p\tq\tr"), (2, None)):
        file, model = table(tmp_path / f"{classes}.csv", classes=classes), tmp_path / f"{classes}.rgl"
        assert run("learn", file, "--learner", "arow", "--no-certify", "--quiet", "--save", model).code == 0
        lines = run("predict", model, file, "--scores").out.splitlines()
        rows = len(file.read_text().splitlines()) - 1
        assert len(lines) == rows + (first is not None)
        assert first is None or lines[0] == first


def test_a_table_without_the_line_of_names_is_reported(run: CommandLine, tmp_path: Path) -> None:
    """Rows alone are predicted with --no-header; with labels, or above a model without names, the fault is named."""
    file, model = table(tmp_path / "t.csv"), tmp_path / "m.rgl"
    rows = file.read_text().splitlines()[1:]
    words = ("--learner", "arow", "--no-certify", "--quiet", "--save", model)
    assert run("learn", file, *words).code == 0
    bare, labelled = tmp_path / "bare.csv", tmp_path / "labelled.csv"
    bare.write_text("".join(row.rpartition(",")[0] + "\n" for row in rows))
    labelled.write_text("".join(row + "\n" for row in rows))
    assert "or pass --no-header if they are those of the model" in run("predict", model, bare).err
    assert run("predict", model, bare, "--no-header").out == run("predict", model, file).out
    assert "the first line looks like a row: put a line of names above" in run("predict", model, labelled).err
    assert "they are to be the 2 of the model, and here are 3" in run("predict", model, labelled, "--no-header").err
    assert run("learn", labelled, "--target", "c3", *words).code == 0
    assert run("predict", model, labelled).code == 0
    assert "the model learned from rows without names" in run("predict", model, file).err
