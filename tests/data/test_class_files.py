"""Classes and points in files."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from regretless.data.class_files import read_class, read_points
from regretless.errors import DataError, RegretlessError
from regretless.finite_classes import FiniteClass

PLAIN = [[False, True, True], [True, False, True]]
TABLES = st.tuples(st.integers(1, 6), st.integers(1, 9)).flatmap(lambda shape: arrays(bool, shape))


@pytest.fixture
def write(tmp_path):
    """Writes a file and says where it is."""

    def writer(content: str | bytes, name: str = "class.csv") -> Path:
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return writer


@pytest.mark.parametrize(
    ("text", "hypotheses", "points"),
    [
        ("0,1,1\n1,0,1\n", None, None),
        ("0,1,1\r\n1,0,1", None, None),
        ("\ufeff0, 1 ,1\n\n1,0, 1\n", None, None),
        ('"0","1","1"\n"1","0","1"\n', None, None),
        ("False,True,TRUE\ntrue,false,1\n", None, None),
        ("0.0,1.0,1\n1e0,0.000e+00,1.000000000000000000e+00\n", None, None),
        ("a,b,c\n0,1,1\n1,0,1\n", None, ["a", "b", "c"]),
        ("h,0,1,1\ng,1,0,1\n", ["h", "g"], None),
        (",a,b,c\nh,0,1,1\ng,1,0,1\n", ["h", "g"], ["a", "b", "c"]),
        ("a,b,c\nh,0,1,1\ng,1,0,1\n", ["h", "g"], ["a", "b", "c"]),
        ("hypothesis,a,b,c\n0,0,1,1\n1,1,0,1\n", ["0", "1"], ["a", "b", "c"]),
        ("rule,a,b,c\nh,0,1,1\ng,1,0,1\n", ["h", "g"], ["a", "b", "c"]),
        (",0,1,2\n0,0,1,1\n1,1,0,1\n", ["0", "1"], ["0", "1", "2"]),
        ('"x, y",0,1,1\n"two\nlines",1,0,1\n', ["x, y", "two\nlines"], None),
        ("17,0,1,1\n18,1,0,1\n", ["17", "18"], None),
    ],
)
def test_names_are_found(write, text, hypotheses, points):
    """A table gives the same class whether its names stand in a row, in a column, in both or nowhere."""
    finite_class = read_class(write(text))
    assert (finite_class.matrix.tolist(), finite_class.hypotheses, finite_class.points) == (PLAIN, hypotheses, points)
    assert finite_class.matrix.dtype == bool


@pytest.mark.parametrize("text", ["0,1,2\n0,1,1\n1,0,1\n", "0.5,1.5,2.5\n0,1,1\n1,0,1\n", "1,2,3\n0,1,1\n1,0,1\n"])
def test_numbers_as_names_are_noted(write, text):
    """A first row of other numbers than 0 and 1, or that counts, names the points, and a note says so."""
    finite_class = read_class(write(text))
    assert finite_class.matrix.tolist() == PLAIN
    assert finite_class.points == text.partition("\n")[0].split(",")
    assert "the numbers in row 1 are taken for names" in finite_class.notes[0]


def test_comments_are_noted(write):
    """Lines that begin with # are passed over, and counted in a note."""
    finite_class = read_class(write("# who\n0,1,1\n  # and why\n1,0,1\n"))
    assert finite_class.matrix.tolist() == PLAIN
    assert "2 lines, which begin with #" in finite_class.notes[0]
    assert read_class(write("# who\n0\n")).notes[0].endswith("1 line, which begins with #")


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        ("none", ([[False, True], [True, True]], None, None)),
        ("columns", ([[True, True]], None, ["0", "1"])),
        ("rows", ([[True], [True]], ["0", "1"], None)),
        ("both", ([[True]], ["1"], ["1"])),
    ],
)
def test_the_user_says_where_names_stand(write, names, expected):
    """Zeros and ones are names where the user says that names stand."""
    finite_class = read_class(write("0,1\n1,1\n"), names=names)
    assert (finite_class.matrix.tolist(), finite_class.hypotheses, finite_class.points) == expected


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("0,1,1\n0,2,1\n", "2:3", "found '2'; 0 or 1 is expected"),
        ("0,1,1\n0,1,\n", "2:5", "found an empty cell; 0 or 1 is expected"),
        ("0,1,1\nx,1,1\n", "2:1", "found 'x'; 0 or 1 is expected (--names says where names stand)"),
        ("h,0,1\ng,0,0.5\n", "2:5", "found '0.5'; 0 or 1"),
        ('"a\nb",0,1\ng,0,01\n', "3:5", "found '01'"),
        ("0,2,1\n0,1,1\n", "1:3", "found '2' beside 0 and 1"),
        ("0,1\n1,-1\n", "2:3", "found '-1' beside 0; write 0 and 1 in all cells, or -1 and 1 in all cells"),
        ("h,1,1\ng,1,-1\nf,1,1\ne,0,1\n", "4:3", "found '0' beside -1; write 0 and 1 in all cells"),
        ("a,b\nyes,no\nno,no\n", "2:5", "found 'no'; write 1 for yes and 0 for no"),
        ("a,b\nt,f\n", "2:3", "found 'f'; write 1 for yes and 0 for no"),
        ("1,no\n", "1:3", "found 'no' beside 0 and 1; write 1 for yes and 0 for no"),
        ("0,nan,1\n", "1:3", "found 'nan' beside 0 and 1"),
        ("0,1,1\n0,1\n", "2", "a row of 2 cells; 3 are expected, as in line 1"),
        ("0,1\n\n0,1,1\n", "3", "a row of 3 cells; 2 are expected, as in line 1"),
        ("a,b,c,d\n0,1,1\n", "", "4 names of columns above rows of 3 cells"),
        ("a,b,a\n0,1,1\n", "1:5", "the name 'a' stands here again; every name stands once"),
        ("h,0,1\nh,1,0\n", "2:1", "the name 'h' stands here again"),
        ("h,0,1\ng,1,1\nh,1,0\n", "3:1", "the name 'h' stands here again"),
        ("h,0,1\n,1,0\n", "2:1", "an empty cell; a name is expected"),
        ("a,,c\n0,1,1\n", "1:3", "an empty cell; a name is expected"),
        ("a,b,c\n", "1", "names alone, and no hypotheses"),
        ("", "", "the file is empty; rows of 0 and 1 are expected"),
        ("\n # only this\n", "", "no row has anything in it"),
        ("0110\n1010\n", "1", "one cell only, '0110'; ',' is to stand between"),
        ("0\t1\n1\t1\n", "1", "not '\\t' (for tabs pass --format tsv)"),
        ("a;b\n0;1\n", "2", "',' is to separate cells, not ';'"),
        ('0,"1\n', "1", "this is no table"),
        ('0,1\n1,"0\n', "2", "this is no table"),
    ],
)
def test_errors_say_where(write, text, place, message):
    """What cannot be used is reported with the file, its line and column, and what is expected."""
    path = write(text)
    with pytest.raises(DataError) as caught:
        read_class(path)
    assert str(caught.value).startswith(f"{path}{':' if place else ''}{place}: ")
    assert message in str(caught.value)


@pytest.mark.parametrize("content", [b"\xff\xfe0\x00,\x001\x00", b"0,1\n0,\x00\n", b"\x89PNG\r\n\x1a\n"])
def test_what_is_no_text_is_refused(write, content):
    """Bytes that are no text are distinguished from tables."""
    with pytest.raises(DataError, match="this is no text"):
        read_class(write(content))


@pytest.mark.parametrize(
    ("text", "hypotheses", "points"),
    [
        ("-1,1,1\n1,-1,1\n", None, None),
        ("-1.0,1,+1\n 1 ,-1,1e0\n", None, None),
        ("h,-1,1,1\ng,1,-1,1\n", ["h", "g"], None),
        ("a,b,c\n-1,1,1\n1,-1,1\n", None, ["a", "b", "c"]),
        (",a,b,c\nh,-1,1,1\ng,1,-1,1\n", ["h", "g"], ["a", "b", "c"]),
    ],
)
def test_signs_are_labels(write, text, hypotheses, points):
    """A table of -1 and 1 alone is that of 0 and 1, and a note says so."""
    finite_class = read_class(write(text))
    assert (finite_class.matrix.tolist(), finite_class.hypotheses, finite_class.points) == (PLAIN, hypotheses, points)
    assert finite_class.notes == [f"{finite_class.name}: every entry is -1 or 1; -1 is taken for 0"]


def test_signs_may_come_late(write):
    """Rows of ones before the first -1 are what they would be above zeros."""
    finite_class = read_class(write("1,1\n1,1\n1,1\n-1,1\n"))
    assert finite_class.matrix.tolist() == [[True, True]] * 3 + [[False, True]]


def test_compressed_data_without_a_suffix(write, monkeypatch):
    """Compressed data that no suffix tells of, as in a pipe, are reported as what they are."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(gzip.compress(b"0,1\n1,1\n"))))
    with pytest.raises(DataError, match=r"^<stdin>: this is compressed \(gzip\); decompress it first"):
        read_class("-")
    with pytest.raises(DataError, match=r"this is compressed \(xz\)"):
        read_class(write(lzma.compress(b"0,1\n1,1\n")))
    with pytest.raises(DataError, match=r"this is compressed \(gzip\)"):
        read_points(write(gzip.compress(b"0,1\n1,1\n")))


@given(TABLES, st.booleans(), st.booleans(), st.sampled_from([",", "\t"]), st.randoms(use_true_random=False))
def test_what_is_written_is_read(tmp_path_factory, table, rows, columns, delimiter, draw):
    """Any table with any layout of names gives back its entries and names, rows quoted or plain, blanks or none."""
    path = tmp_path_factory.mktemp("class") / ("class.csv" if delimiter == "," else "class.tsv")
    lines = []
    if columns:
        lines.append(delimiter.join([*([""] if rows else []), *(f"point {x}" for x in range(table.shape[1]))]))
    for number, row in enumerate(table.astype(int).tolist()):
        style = draw.choice(['"{}"', " {} ", "{}", "{}"])
        lines.append(delimiter.join([*([f"rule {number}"] if rows else []), *(style.format(bit) for bit in row)]))
    path.write_text("\n".join(lines) + "\n" * draw.randrange(3))
    finite_class = read_class(path)
    assert finite_class.matrix.tolist() == table.tolist()
    assert finite_class.hypotheses == ([f"rule {h}" for h in range(len(table))] if rows else None)
    assert finite_class.points == ([f"point {x}" for x in range(table.shape[1])] if columns else None)


@pytest.mark.parametrize(("suffix", "press"), [(".gz", gzip.compress), (".xz", lzma.compress), (".bz2", bz2.compress)])
def test_text_may_be_compressed(write, suffix, press):
    """A compressed table is read like the table, and a damaged one is an error."""
    path = write(press(b"0,1,1\n1,0,1\n"), f"class.csv{suffix}")
    assert read_class(path).matrix.tolist() == PLAIN
    damaged = write(path.read_bytes()[:-9], f"damaged.csv{suffix}")
    with pytest.raises(DataError, match="damaged"):
        read_class(damaged)


def test_standard_input(monkeypatch):
    """A dash is standard input, which errors call by its name."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"0,1,1\n1,0,1\n")))
    assert read_class("-").matrix.tolist() == PLAIN
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"0,1,1\n1,0,7\n")))
    with pytest.raises(DataError, match="<stdin>:2:5: found '7';"):
        read_class("-")


def test_rows_may_be_points(write):
    """Transposed, rows are points, and their names are those of the points."""
    finite_class = read_class(write(",g,h\np,0,1\nq,1,1\nr,0,0\n"), transpose=True)
    assert finite_class.matrix.tolist() == [[False, True, False], [True, True, False]]
    assert (finite_class.hypotheses, finite_class.points) == (["g", "h"], ["p", "q", "r"])


@pytest.mark.parametrize("dtype", [bool, np.int8, np.uint64, np.float32, np.float64])
def test_arrays(tmp_path, dtype):
    """Arrays of any type of number hold the same class; of an archive the names, too."""
    table = np.array(PLAIN, dtype=dtype)
    np.save(tmp_path / "class.npy", table)
    np.savez(tmp_path / "class.npz", matrix=table, hypotheses=["g", "h"], points=[b"p", b"q", b"r"])
    assert read_class(tmp_path / "class.npy").matrix.tolist() == PLAIN
    finite_class = read_class(tmp_path / "class.npz")
    assert (finite_class.matrix.tolist(), finite_class.hypotheses, finite_class.points) == (
        PLAIN,
        ["g", "h"],
        ["p", "q", "r"],
    )


@pytest.mark.parametrize("dtype", [np.int8, np.int64, np.float32])
def test_arrays_of_signs(tmp_path, dtype):
    """An array of -1 and 1 alone is that of 0 and 1, and a note says so."""
    np.save(tmp_path / "a.npy", np.where(PLAIN, 1, -1).astype(dtype))
    finite_class = read_class(tmp_path / "a.npy")
    assert finite_class.matrix.tolist() == PLAIN
    assert "-1 is taken for 0" in finite_class.notes[0]
    np.save(tmp_path / "a.npy", np.array([[0, -1], [1, 1]], dtype=dtype))
    with pytest.raises(
        DataError, match=r"found -1(\.0)? in row 0, column 1 .* 0 and 1 are expected, or -1 and 1 alone"
    ):
        read_class(tmp_path / "a.npy")


def test_names_in_archives_fit(tmp_path):
    """Names are strings or whole numbers, by what they name also when rows are points; a wrong count is an error."""
    path = tmp_path / "a.npz"
    np.savez(path, matrix=PLAIN, points=[10, 20, 30])
    assert read_class(path).points == ["10", "20", "30"]
    np.savez(path, matrix=PLAIN, points=["p", "q"], hypotheses=["f", "g", "h"])
    with pytest.raises(DataError, match="the array 'hypotheses' has 3 names; 2 are expected, one for each row"):
        read_class(path)
    finite_class = read_class(path, transpose=True)
    assert (finite_class.hypotheses, finite_class.points) == (["f", "g", "h"], ["p", "q"])
    np.savez(path, matrix=PLAIN, columns=["p", "q"])
    with pytest.raises(DataError, match="the array 'columns' has 2 names; 3 are expected, one for each column"):
        read_class(path)


def test_errors_of_arrays(tmp_path, write):
    """An array that is no class, or an archive without one, is refused with what it holds."""

    def refused(message: str, path: Path, **options: str) -> None:
        with pytest.raises(DataError, match=message):
            read_class(path, **options)

    path = tmp_path / "a.npy"
    np.save(path, [[0, 1], [1, 3]])
    refused("found 3 in row 1, column 1", path)
    np.save(path, [0, 1])
    refused(r"an array of shape \(2,\)", path)
    np.save(path, np.empty((0, 3)))
    refused(r"an array of shape \(0, 3\)", path)
    np.save(path, [["0", "1"]])
    refused("type <U1", path)
    refused("this is no .npy file", write("0,1\n", "text.npy"))
    refused("there is no such file", tmp_path / "none.npy")
    archive = tmp_path / "a.npz"
    np.savez(archive, one=np.eye(2), two=np.eye(3))
    refused("any of the arrays 'one', 'two' may be meant; choose with --array", archive)
    refused("there is no array 'three'", archive, array="three")
    assert read_class(archive, array="two").matrix.sum() == 3
    np.savez(archive, one=[0, 1])
    refused("no array of numbers in rows and columns is among 'one'", archive)
    np.savez(archive, matrix=np.eye(2), points=["a", "a"])
    refused("two points are called 'a'", archive)
    refused("cannot be read", write(b"PK\x03\x04 and no more", "b.npz"))


def test_options_that_do_not_fit(write):
    """An option that has no meaning for the format is an error that begins with its name."""
    path = write("0,1\n")
    with pytest.raises(RegretlessError, match=r"^array=x: it is for .npz archives"):
        read_class(path, array="x")
    with pytest.raises(RegretlessError, match=r"^names=rows: it is for tables of text"):
        read_class(path, format="npy", names="rows")
    with pytest.raises(RegretlessError, match=r"^names='x': both, rows"):
        read_class(path, names="x")
    with pytest.raises(RegretlessError, match=r"^format='json': classes are read from csv"):
        read_class(path, format="json")


def test_a_class_is_made_of_a_file(write):
    """`FiniteClass.read` merges rows alike and keeps the names."""
    made = FiniteClass.read(write("p\tq\nh\t0\t1\ng\t0\t1\n", "class.tab"))
    assert (made.table_rows, made.hypothesis_names, made.point_names) == (2, ["h"], ["p", "q"])


def test_points_are_read_as_they_are_written(write):
    """Decimals and fractions of a table keep all their digits; names of points stand in the first column."""
    points = read_points(write("name,x,y\norigin,0,0\nthird,1/3,0.1\n", "points.csv"))
    assert points.values == [[0, 0], [Fraction(1, 3), Fraction(1, 10)]]
    assert points.names == ["origin", "third"]


def test_points_in_arrays(tmp_path):
    """An array's floats are points, unless one of them is not finite."""
    np.save(tmp_path / "p.npy", [[0.5, 1.0], [2.0, 3.0]])
    assert read_points(tmp_path / "p.npy").values == [[0.5, 1.0], [2.0, 3.0]]
    np.save(tmp_path / "p.npy", [[0.5, np.inf]])
    with pytest.raises(DataError, match="found inf in row 0, column 1"):
        read_points(tmp_path / "p.npy")
    np.save(tmp_path / "p.npy", [0.5])
    with pytest.raises(DataError, match=r"an array of shape \(1,\)"):
        read_points(tmp_path / "p.npy")


def test_errors_of_points_speak_of_coordinates(write):
    """A table that holds no points is refused in words that fit points."""
    with pytest.raises(DataError, match="rows of coordinates are expected"):
        read_points(write(""))
    with pytest.raises(DataError, match="names alone, and no coordinates"):
        read_points(write("x,y\n"))
    with pytest.raises(DataError, match=":2:3: 'z' is no number"):
        read_points(write("0,1\n1,z\n"))
