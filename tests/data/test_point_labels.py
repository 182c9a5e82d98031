"""Files of points and labels."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from regretless.environments import written
from regretless.errors import DataError
from regretless.finite_classes import FiniteClass, Halving


def test_a_file_of_points_and_labels_is_played(tmp_path: Path) -> None:
    """Rows of the file are the rounds, by names or numbers, compressed or not; a learner plays them as they stand."""
    named = FiniteClass([[0, 0, 1], [0, 1, 1], [1, 1, 1]], points=["a", "b", "c"])
    text = b'\xef\xbb\xbf# by hand\npoint,label\na,0\n c , 1\n\n"b",1\n2,1\n'
    (tmp_path / "labels.csv").write_bytes(text)
    (tmp_path / "labels.csv.gz").write_bytes(gzip.compress(text))
    (tmp_path / "labels.tsv").write_bytes(text.replace(b",", b"\t"))
    for file in sorted(tmp_path.iterdir()):
        environment = written(named, file)
        assert (environment.name, environment.rounds, environment.default_rounds) == ("written", 4, 4)
        assert environment.points(0, 4).tolist() == [0, 2, 1, 2]
        assert environment.block(0, 4)[1].tolist() == [-1, 1, 1, 1]
        learner = Halving(named)
        list(environment.against(learner).batches())
        assert learner.rounds_ == 4


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "a,0\nd,1\n",
            ":2:1: no point is called 'd'; one of the 4 points of the class is expected: 'a', 'b', 'c', ...",
        ),
        ("a,0\nb,yes\n", ":2:3: there is no label 'yes'; 0 or 1 is expected"),
        ("a,0\n\nb,\n", ":3:3: an empty cell stands; 0 or 1 is expected"),
        ("a,0\nb\n", ":2: one cell only, 'b'; a point and its label, 0 or 1, are expected, with a comma between them"),
        ("a,0,1\n", ":1: a row of 3 cells; a point"),
        ("9,0\n", ":1:1: no point is called '9'"),
        ("a,0\nlabel,1\n", ":2:1: no point is called 'label'"),
        ("", ": the file is empty; a point and its label"),
        ("point,label\n", ": no row has a label; a point"),
        ('a,0\n"b\n', ":2: this is no table"),
    ],
)
def test_what_a_file_of_labels_has_wrong_is_reported_with_its_place(tmp_path: Path, text: str, message: str) -> None:
    """Errors name the file, the line, the column, what stands there and what was expected."""
    file = tmp_path / "labels.csv"
    file.write_text(text)
    with pytest.raises(DataError) as error:
        written(FiniteClass([[0, 0, 1, 1]], points=["a", "b", "c", "e"]), file)
    assert str(error.value).startswith(f"{file}{message}")


def test_numbers_that_are_names_are_no_numbers_of_points(tmp_path: Path) -> None:
    """Where points are called 1, 2 and 3 there is no point 0, so that nobody is misunderstood."""
    counted = FiniteClass([[0, 0, 1]], points=["1", "2", "3"])
    file = tmp_path / "labels.csv"
    file.write_text("3,1\n")
    assert written(counted, file).points(0, 1).tolist() == [2]
    file.write_text("0,1\n")
    with pytest.raises(DataError, match="no point is called '0'"):
        written(counted, file)
