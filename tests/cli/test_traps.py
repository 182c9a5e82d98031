"""Rows of a kind that a learner makes little of are reported in a line, once they are learned."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

from ..command_line import CommandLine


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    return CommandLine(capsys, monkeypatch)


def notes(run: CommandLine, file: Path, *words: object) -> str:
    """What `learn` says in notes."""
    own = "perceptron" in words or "passive-aggressive" in words
    command = run("learn", file, "--no-certify", *words, *("--set", "intercept=0") * own)
    assert command.code == 0
    assert "note: " not in command.out
    return "\n".join(line for line in command.err.splitlines() if line.startswith("note: "))


def free_text(path: Path, rows: int = 60, different: int = 60) -> Path:
    """A table with a column of text of so many different values."""
    lines = [f"a word {row % different},{row % 3},{row % 2}\n" for row in range(rows)]
    path.write_text("review,count,label\n" + "".join(lines))
    return path


def test_a_column_of_free_text_is_reported(run: CommandLine, tmp_path: Path) -> None:
    """The note names the column and its share of different values, and is silent where values come again."""
    lines = notes(run, free_text(tmp_path / "a.csv"), "--learner", "perceptron")
    assert "column 'review' has 60 different values in 60 rows (100%)" in lines
    assert "of its words with --text review" in lines
    assert notes(run, free_text(tmp_path / "b.csv", different=20), "--learner", "perceptron") == ""
    assert notes(run, free_text(tmp_path / "c.csv", different=29), "--learner", "perceptron", "--passes", 3) == ""
    assert "(100%)" in notes(run, free_text(tmp_path / "d.csv"), "--learner", "perceptron", "--passes", 3)


def test_traps_are_in_the_json_and_not_printed_under_quiet(run: CommandLine, tmp_path: Path) -> None:
    """With --quiet, and with --json, stderr is empty; JSON has the notes in a list, which is empty without them."""
    table, words = free_text(tmp_path / "a.csv"), ("--learner", "winnow", "--no-certify")
    for silent in (("--quiet",), ("--json",), ("--quiet", "--json")):
        assert run("learn", table, *words, *silent).err == ""
    (note,) = run("learn", table, *words, "--json").json["notes"]
    assert note.startswith("column 'review' has 60 different values")
    assert run("learn", free_text(tmp_path / "b.csv", different=20), *words, "--json").json["notes"] == []


def test_columns_of_far_apart_scales_are_reported(run: CommandLine, tmp_path: Path) -> None:
    """Learners that take columns as they are say so, dense or sparse; one that adapts to each does not."""
    draw, table, text = random.Random(0), tmp_path / "a.csv", tmp_path / "a.svm"
    rows = [(draw.randrange(10_000, 900_000), draw.random(), row % 2) for row in range(60)]
    table.write_text("income,rate,label\n" + "".join(f"{a},{b},{label}\n" for a, b, label in rows))
    text.write_text("".join(f"{label} 1:{a} 5:{b}\n" for a, b, label in rows))
    assert "feature 'income' is about" in notes(run, table, "--learner", "perceptron")
    assert "feature '1' is about" in notes(run, text, "--learner", "passive-aggressive")
    assert notes(run, table, "--learner", "arow") == ""
    text.write_text("".join(f"{label} 1:{a / 1e6} 5:{b}\n" for a, b, label in rows))
    assert notes(run, text, "--learner", "perceptron") == ""


def test_a_column_that_few_rows_have_says_nothing_of_scales(run: CommandLine, tmp_path: Path) -> None:
    """A word that is rare, with a tiny weight, is no reason to scale."""
    path = tmp_path / "a.svm"
    path.write_text("".join(f"{row % 2} 1:5 {row + 2}:0.0001\n" for row in range(60)))
    assert notes(run, path, "--learner", "perceptron") == ""


def test_a_diagonal_on_dense_pixels_is_reported(run: CommandLine, tmp_path: Path) -> None:
    """AROW's diagonal on 200 dense features says that a sketch can do more; the full matrix says nothing."""
    generator, path = np.random.default_rng(0), tmp_path / "a.npz"
    pixels = generator.integers(1, 256, (40, 200)) * (generator.random((40, 200)) < 0.3)
    np.savez(path, X=pixels, y=np.arange(40) % 2)
    assert "--set matrix=sketch" in notes(run, path, "--learner", "arow", "--set", "matrix=diagonal")
    assert notes(run, path, "--learner", "arow", "--set", "matrix=full") == ""
    np.savez(path, X=pixels * (generator.random((40, 200)) < 0.1), y=np.arange(40) % 2)
    assert notes(run, path, "--learner", "arow", "--set", "matrix=diagonal") == ""


def test_a_class_that_hardly_came_is_reported(run: CommandLine, tmp_path: Path) -> None:
    """A label with a slip is named with its line and what it is like; classes of a small share are not."""
    draw, lines = random.Random(1), ["a,b,label"]
    for row in range(200):
        a = draw.gauss(0, 1)
        lines.append(f"{a:.3f},{draw.random():.3f},{'spma' if row == 150 else 'spam' if a > 0 else 'mail'}")
    (tmp_path / "slip.csv").write_text("\n".join(lines) + "\n")
    text = notes(run, tmp_path / "slip.csv")
    where = "class 'spma' came once in 200 rows, first at line 152: it is learned as one of 3"
    assert text == f"note: {where}; if 'spam' is meant, mend it"
    (tmp_path / "clean.csv").write_text("\n".join(lines).replace("spma", "spam") + "\n")
    assert notes(run, tmp_path / "clean.csv") == ""
    (tmp_path / "few.svm").write_text("".join(f"{row % 60} 1:{row % 7}\n" for row in range(180)))
    assert notes(run, tmp_path / "few.svm", "--learner", "perceptron", "--any-labels").count("came") == 0
    (tmp_path / "one.svm").write_text("".join(f"{7 if row == 9 else row % 2} 1:{row % 7}\n" for row in range(400)))
    assert "class 7 came once in 400 rows, first at line 10: " in notes(run, tmp_path / "one.svm")
    quiet = run("learn", tmp_path / "one.svm", "--no-certify", "--quiet").err
    assert quiet.startswith(f"regretless: {tmp_path / 'one.svm'}: class 7 came once in 400 rows, first at line 10: ")
    assert quiet.count("\n") == 1


@pytest.mark.parametrize(("unit", "size"), [(1, "1"), (300, "256"), (0.02, "0.015625")])
def test_the_intercept_that_is_advised_goes_by_the_numbers(
    run: CommandLine, tmp_path: Path, unit: float, size: str
) -> None:
    """A learner that a constant beats is advised an intercept of about the size of its numbers."""
    draw = random.Random(5)
    lines = [f"{1 if draw.random() < 0.1 else -1} 1:{unit * draw.random():.5f}\n" for _ in range(200)]
    (tmp_path / "t.svm").write_text("".join(lines))
    assert f"try --set intercept={size}, or the default" in notes(run, tmp_path / "t.svm", "--learner", "perceptron")


def test_columns_of_numbers_are_noted_too(run: CommandLine, tmp_path: Path) -> None:
    """Of forecasts of numbers, units that gradient descent minds and a column that numbers the rows are reported; the
    default learner minds no units."""
    draw, lines = random.Random(6), ["row,large,small,price"]
    for row in range(120):
        large, small = 1e4 * draw.gauss(0, 1), draw.gauss(0, 1)
        lines.append(f"{row},{large:.1f},{small:.4f},{large / 1e4 + small:.4f}")
    (tmp_path / "t.csv").write_text("\n".join(lines) + "\n")
    words = ("--target", "price", "--ignore", "row", "--task", "regression")
    text = notes(run, tmp_path / "t.csv", *words, "--learner", "online-gradient-descent")
    assert "feature 'large' is about 1" in text
    assert "or take the default learner (aggregated-regressor), which minds no scale" in text
    assert "in size" not in notes(run, tmp_path / "t.csv", *words)
    assert "column 'row' numbers the rows" in notes(run, tmp_path / "t.csv", "--target", "price")


@pytest.mark.parametrize(
    ("size", "options", "noted"),
    [
        (1e9, ["scale=none"], True),
        (1e9, [], False),
        (1e3, ["scale=none"], False),
        (1e9, ["scale=none", "r=1e8"], False),
    ],
)
def test_a_sketch_in_the_units_of_long_rows_is_noted(
    run: CommandLine, tmp_path: Path, size: float, options: list[str], noted: bool
) -> None:
    """Where rows are longer than 10^7 times the root of r, a sketch that does not measure features says what to do."""
    lines = [f"{1 if row % 3 else -1} 1:{size * (row % 5)!r} 2:{row % 7}" for row in range(30)]
    (tmp_path / "t.svm").write_text("\n".join(lines) + "\n")
    words = [word for option in ("matrix=sketch", *options) for word in ("--set", option)]
    result = notes(run, tmp_path / "t.svm", "--learner", "arow", *words)
    assert ("--set scale=auto measures each feature" in result) == noted
