"""``regretless learn``: which columns are features, and what is no label."""

from __future__ import annotations

import numpy as np
import pytest

from ..command_line import CommandLine

QUIET = ("--learner", "arow", "--no-certify", "--quiet")


@pytest.fixture
def run(capsys, monkeypatch) -> CommandLine:
    return CommandLine(capsys, monkeypatch)


@pytest.fixture
def table(tmp_path):
    """A table with an id, a date, a quantity and a label."""
    rng = np.random.default_rng(0)
    lines = ["id,day,a,b,price,label"]
    for row in range(120):
        a, b = rng.normal(size=2)
        lines.append(f"{row},2030-01-{row % 28 + 1:02},{a},{b},{100 * abs(a):.2f},{'x' if a > b else 'y'}")
    (tmp_path / "t.csv").write_text("\n".join(lines) + "\n")
    return tmp_path / "t.csv"


def test_columns_that_are_ignored_are_as_if_not_there(run, table, tmp_path):
    """A model of a table with ignored columns has the bytes of one of a table that lacks them, and predicts both."""
    bare = tmp_path / "bare" / "t.csv"
    bare.parent.mkdir()
    rows = [line.split(",") for line in table.read_text().splitlines()]
    bare.write_text("".join(",".join(row[2:4] + row[5:]) + "\n" for row in rows))
    words = ("--ignore", "id,day", "--ignore", "price")
    assert run("learn", table, *QUIET, *words, "--save", tmp_path / "a.rgl").code == 0
    assert run("learn", bare, *QUIET, "--save", tmp_path / "b.rgl").code == 0
    assert (tmp_path / "a.rgl").read_bytes() == (tmp_path / "b.rgl").read_bytes()
    assert run("predict", tmp_path / "a.rgl", table).out == run("predict", tmp_path / "b.rgl", bare).out
    more = run("learn", table, "--resume", tmp_path / "a.rgl", "--no-certify", "--quiet", "--ignore", "a")
    assert (more.code, "'a': the model uses it" in more.err) == (2, True)


def test_categorical_takes_several_columns(run, tmp_path):
    """--categorical names one column or several; a name with a comma is quoted, as the advice about it says."""
    file = tmp_path / "t.csv"
    file.write_text('hail,"wind,sleet",label\n' + "1,2,x\n2,1,y\n" * 40)
    words = (*QUIET, "--json", "--categorical")
    both = [run("learn", file, *words, *names).json["input"] for names in (['hail,"wind,sleet"'], ["hail"])]
    assert [one["features"] for one in both] == [4, 3]
    file.write_text('hail,"wind,sleet",label\n' + "1,2,x\n" * 40 + "1,u,x\n")
    assert """pass --categorical '"wind,sleet"' if""" in run("learn", file, *QUIET).err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--ignore", "nothing"), "there is no column 'nothing'"),
        (("--ignore", "label", "--target", "label"), "--target uses 'label', and --ignore leaves it out"),
        (("--target", "day"), "column 'day' holds dates or times; turn it into numbers"),
        (("--interactions", "day*a"), "column 'day' holds dates or times; leave it out with --ignore day"),
        (("--format", "svmlight", "--ignore", "a"), "--ignore has no meaning in the format svmlight"),
    ],
)
def test_what_cannot_be_ignored_is_reported(run, table, words, message):
    """A column that is not there, or has to be, is an error."""
    command = run("learn", table, *QUIET, *words)
    assert command.code in (1, 2)
    assert message in command.err


def test_a_quantity_is_no_label(run, table, tmp_path):
    """A target of numbers that all differ is asked about before anything is learned, in tables and svmlight."""
    words = ("--ignore", "day,id,label", "--target", "price", "--save", tmp_path / "m.rgl")
    command = run("learn", table, *QUIET, *words)
    assert command.code == 1
    assert "the target 'price' has " in command.err
    assert "give --any-labels if each number is a label" in command.err
    assert not (tmp_path / "m.rgl").exists()
    assert run("learn", table, *QUIET, *words, "--any-labels").code == 0
    (tmp_path / "q.svm").write_text("".join(f"{row / 7} 1:{row}\n" for row in range(100)))
    assert "the labels are 100 different numbers" in run("learn", tmp_path / "q.svm", *QUIET).err


def test_whole_numbers_that_are_not_numbered_as_classes_are_asked_about(run, tmp_path):
    """Ages are refused without --any-labels, which learns each as a class, with a note; numbers from 1 on are not."""
    words = ("--learner", "perceptron", "--no-certify")
    for first, file in ((18, tmp_path / "age.csv"), (1, tmp_path / "letter.csv")):
        file.write_text("a,label\n" + "".join(f"{row % 7},{first + row % 26}\n" for row in range(260)))
    refused = run("learn", tmp_path / "age.csv", *words)
    assert refused.code == 1
    assert "the target 'label' has 26 different numbers" in refused.err
    for file in (tmp_path / "age.csv", tmp_path / "letter.csv"):
        command = run("learn", file, *words, *(["--any-labels"] if "age" in file.name else []))
        assert command.code == 0
        assert "each of the 26 different numbers of the labels" in command.err
        assert "forecast with --task regression, with --set loss=poisson if it counts something" in command.err


@pytest.mark.parametrize("labels", [[0.5, 1.5, 2.5], list(range(40)), [-1, 1]])
def test_labels_that_come_again_are_labels(run, tmp_path, labels):
    """Some numbers with fractions, or many whole ones, are classes as they are."""
    lines = [f"{labels[row % len(labels)]} 1:{row % 7} 2:1\n" for row in range(200)]
    (tmp_path / "t.svm").write_text("".join(lines))
    assert run("learn", tmp_path / "t.svm", *QUIET).code == 0


def test_a_column_that_numbers_the_rows_is_reported(run, table):
    """A note names it, and how to leave it out."""
    words = ("--learner", "arow", "--no-certify", "--ignore", "day")
    assert "note: column 'id' numbers the rows: leave it out with --ignore" in run("learn", table, *words).err
    assert "numbers the rows" not in run("learn", table, *words, "--ignore", "id").err


def test_standard_input_is_what_its_first_line_says(run, table, tmp_path):
    """A table is read as one without --format, to the model of the file; rows of svmlight stay that."""
    words = (*QUIET, "--ignore", "id,day", "--target", "label", "--save")
    assert run("learn", table, *words, tmp_path / "a.rgl").code == 0
    assert run("learn", "-", *words, tmp_path / "b.rgl", stdin=table.read_bytes()).code == 0
    assert (tmp_path / "a.rgl").read_bytes() == (tmp_path / "b.rgl").read_bytes()
    rows = "".join(f"{row % 2} 1:{row} 3:1\n" for row in range(20))
    assert run("learn", "-", *QUIET, stdin=rows.encode()).code == 0
    assert "<stdin>: no rows" in run("learn", "-", *QUIET, stdin=b"").err


def test_a_model_goes_on_with_a_column_of_its_labels_alone(run, table, tmp_path):
    """Another column with --resume, of which no label is known, is refused before anything is learned; one with the
    same labels under another name is not."""
    model = tmp_path / "m.rgl"
    words = ("--ignore", "id,day", *QUIET)
    assert run("learn", table, *words, "--ignore", "price", "--save", model).code == 0
    before = model.read_bytes()
    other = run("learn", table, "--resume", model, "--target", "price", "--no-certify", "--quiet")
    assert (other.code, model.read_bytes()) == (1, before)
    assert "the target 'price' has none of the labels that the model knows (x, y)" in other.err
    renamed = tmp_path / "r.csv"
    renamed.write_text(table.read_text().replace("label", "kind", 1))
    assert run("learn", renamed, "--resume", model, "--target", "kind", "--no-certify", "--quiet").code == 0


@pytest.mark.parametrize("suffix", [".xlsx", ".json", ".pkl"])
def test_files_of_other_formats_are_known_by_their_names(run, table, suffix):
    """Excel, JSON and pickles are not taken for text of rows; text under such a name is read where --format says so."""
    file = table.with_suffix(suffix)
    file.write_bytes(b"PK\x03\x04")
    for words in (("learn", file), ("combine", file, "--target", "y"), ("pull", file), ("solve", file)):
        command = run(*words)
        assert command.code == 1
        assert command.err.splitlines()[-1].startswith(
            f"regretless: {file}: no format of such files ({suffix}) is read; "
        )
    file.write_bytes(table.read_bytes())
    assert run("learn", file, "--format", "csv", "--ignore", "id,day,price", *QUIET).code == 0
