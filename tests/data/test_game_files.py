"""Games are read as they are written, and whatever is none is refused in one line that says where."""

from __future__ import annotations

import gzip
import io
import random
import re
import tarfile
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regretless import games
from regretless.data.exact_numbers import exact_number, looks_like_number
from regretless.data.formats import GAMES
from regretless.data.gambit_nfg import StrategicForm, parse_nfg, read_nfg
from regretless.data.game_files import GameFile, read_game
from regretless.errors import DataError, RegretlessError

ROCK = "0,-1,1\n1,0,-1\n-1,1,0\n"
PAYOFFS = [[0, -1, 1], [1, 0, -1], [-1, 1, 0]]
PARTS = ("row", "col", "val", "shape")


@pytest.fixture
def read(tmp_path):
    """Reads a game from text or bytes in a file."""

    def reader(content: str | bytes, name: str = "game.csv", **options: Any) -> GameFile:
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return read_game(path, **options)

    return reader


def archive(**arrays: Any) -> bytes:
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


def array(values: Any) -> bytes:
    file = io.BytesIO()
    np.save(file, values)
    return file.getvalue()


def members(path: Path) -> dict[str, str]:
    """The texts in an archive, by name."""
    with tarfile.open(path) as file:
        contents = {one.name: file.extractfile(one) for one in file.getmembers()}
        return {name: member.read().decode() for name, member in contents.items() if member is not None}


# Numbers.


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("3", 3),
        (" -7 ", -7),
        ("+0.50", Fraction(1, 2)),
        ("2.", 2),
        (".1", Fraction(1, 10)),
        ("1e-3", Fraction(1, 1000)),
        ("2.5E1", 25),
        ("2/6", Fraction(1, 3)),
        ("-1/3", Fraction(-1, 3)),
        ("0e999999999", 0),
    ],
)
def test_numbers_are_what_is_written(text, number):
    """A decimal is a fraction of a power of ten, not the float beside it, and whole numbers are ints."""
    assert exact_number(text) == number
    assert type(exact_number(text)) is type(number)
    assert looks_like_number(text)


@pytest.mark.parametrize(
    "text", ["", "-", "x", "nan", "inf", "1_000", "0x10", "1/0", "1/2/3", "1/-2", "١", "1e", "1e400", "1e999999999999",
             "1e-999999999999", "1 2", "1,5", "9" * 2000]
)  # fmt: skip
def test_what_is_no_number_is_refused(text):
    """Words, infinities, Python's own spellings, and numbers that no float can hold or that would fill the memory."""
    with pytest.raises(ValueError, match=r".; ."):
        exact_number(text)


@given(st.fractions(max_denominator=10**6))
def test_fractions_come_back(number):
    """What a fraction prints is read as that fraction."""
    assert exact_number(str(number)) == number


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_floats_come_back(number):
    """The shortest decimal of a float stands for that float when it is rounded."""
    assert float(exact_number(repr(number))) == number


# Tables.


@pytest.mark.parametrize(
    ("text", "rows", "columns"),
    [
        (ROCK, None, None),
        ("r,p,s\n" + ROCK, None, list("rps")),
        (",r,p,s\nr,0,-1,1\np,1,0,-1\ns,-1,1,0\n", list("rps"), list("rps")),
        ("bot,r,p,s\nr,0,-1,1\np,1,0,-1\ns,-1,1,0\n", list("rps"), list("rps")),
        ("r,p,s\nr,0,-1,1\np,1,0,-1\ns,-1,1,0\n", list("rps"), list("rps")),
        ("r,0,-1,1\np,1,0,-1\ns,-1,1,0\n", list("rps"), None),
        (",0,1,2\n0,0,-1,1\n1,1,0,-1\n2,-1,1,0\n", list("012"), list("012")),
        ("bot,1,2,3\nr,0,-1,1\n7,1,0,-1\ns,-1,1,0\n", ["r", "7", "s"], list("123")),
        ('"rock, paper",p,s\n' + ROCK, None, ["rock, paper", "p", "s"]),
        ("\ufeffr,p,s\r\n\r\n" + ROCK.replace("\n", "\r\n") + "\n\n", None, list("rps")),
        (" r , p ,s\n 0 , -1 ,1\n1,0,-1.0\n-1,1e0,0", None, list("rps")),
    ],
)
@pytest.mark.parametrize("exact", [False, True])
def test_tables_with_and_without_names(read, text, rows, columns, exact):
    """Names in the first row, the first column, both or none are distinguished from payoffs."""
    game = read(text, exact=exact)
    assert (game.kind, game.rows, game.columns) == ("matrix", rows, columns)
    assert game.payoffs[0].tolist() == PAYOFFS
    assert game.payoffs[0].dtype == (object if exact else np.float64)


def test_one_row_and_one_column(read):
    """A row alone, a column alone and a number alone are games too."""
    assert read("1,2,3").payoffs[0].shape == (1, 3)
    assert read("1\n2\n3\n").payoffs[0].shape == (3, 1)
    assert read("3").payoffs[0].tolist() == [[3]]
    assert (game := read("wins\n1\n2\n")).columns == ["wins"]
    assert game.payoffs[0].tolist() == [[1], [2]]


def test_names_where_the_user_says_so(read):
    """`names` decides where cells do not, and a guess is stated in a note."""
    text = "0,1,2\n1,5,6\n2,7,8\n"
    assert read(text, names="both").payoffs[0].tolist() == [[5, 6], [7, 8]]
    assert read(text, names="rows").payoffs[0].tolist() == [[1, 2], [5, 6], [7, 8]]
    assert read(text, names="columns").columns == ["0", "1", "2"]
    assert read("bot,1,2,3\na,0,1,2\n", names="rows").payoffs[0].tolist() == [[1, 2, 3], [0, 1, 2]]
    assert read(text).notes == []
    assert "taken for" in read(",0,1\n0,5,6\n").notes[0]
    assert "counts the columns" in read("bot,1,2,3\na,0,1,2\n").notes[0]


def test_comments_are_passed_over(read):
    """Lines that begin with # are no rows, errors still name the right line, and a note counts them."""
    game = read("# shares of goals\n,l,r\n  # more\nu,1,2\nd,3,4\n")
    assert (game.payoffs[0].tolist(), game.rows, game.columns) == ([[1, 2], [3, 4]], ["u", "d"], ["l", "r"])
    assert "passed over as comments: 2 lines, which begin with #" in game.notes[0]
    assert "1 line, which begins" in read("#\n1,2\n").notes[0]
    with pytest.raises(DataError, match=r"game\.csv:3:3: 'x' is no number"):
        read("# a\n1,2\n3,x\n")


def test_the_mark_of_utf_8_is_no_part_of_the_first_line(read):
    """A byte order mark neither hides a comment, nor moves the column that a message names."""
    mark = b"\xef\xbb\xbf"
    assert np.array_equal(read(mark + b"# by hand\n1,2\n3,4\n").payoffs[0], [[1, 2], [3, 4]])
    with pytest.raises(DataError) as caught:
        read(mark + b"1,2,x\n3,4,5\n")
    assert (caught.value.line, caught.value.column) == (1, 5)


def test_lines_within_quotes_belong_to_their_cell(read):
    """A name in quotes may go over several lines, blank ones too, and the rows after it keep their numbers."""
    with pytest.raises(DataError) as caught:
        read('name,a\n"one\n\ntwo",1\nthree,x\n')
    assert caught.value.line == 5
    assert read('name,a\n"one\n\ntwo",1\nthree,2\n').rows == ["one\n\ntwo", "three"]


@pytest.mark.parametrize("cell", ["1,000", "0x10", "1_000", "$5", "5 %", "1'000"])
def test_names_that_look_like_numbers_are_reported(read, cell):
    """Where a cell that people would take for a number is taken for a name, a note says so, unless the user said it."""
    text = f'year,a,b\n"{cell}",1,2\nother,3,4\n'
    assert f"column 1 is taken for names, though {cell!r} looks like a number (--names" in read(text).notes[0]
    assert read(text, names="both").notes == []
    assert read(text.replace(cell, "e10")).notes == []


def test_text_is_no_npy_file(tmp_path):
    """A file that is not numpy's is said to be none, without advice to unpickle it."""
    (tmp_path / "game.csv").write_text("1,2\n3,4\n")
    with pytest.raises(DataError, match=r"this is no \.npy file; name the format that it has with --format"):
        read_game(tmp_path / "game.csv", format="npy")


def test_strategic_forms_are_read_as_games(tmp_path):
    """`read_nfg` takes a path or a text, keeps fractions and names, and refuses everything else."""
    text = 'NFG 1 R "Thirds" {"A" "B"} { {"u" "d"} {"l" "r"} } 1/3 0 0 1 0 0.5 2 2'
    (tmp_path / "game.nfg").write_text(text)
    for source in (text, tmp_path / "game.nfg", str(tmp_path / "game.nfg")):
        game = games.read_nfg(source)
        assert (game.rows, game.cols) == (["u", "d"], ["l", "r"])
        assert game.row_payoffs.fractions()[0][0] == Fraction(1, 3)
        assert game.column_payoffs.fractions()[0][1] == Fraction(1, 2)
    with pytest.raises(RegretlessError, match="source: TextIOWrapper; a path, or the text of a file, is expected"):
        games.read_nfg(open(tmp_path / "game.nfg"))  # noqa: SIM115
    with pytest.raises(DataError, match="a game of 3 players"):
        games.read_nfg('NFG 1 R "" {"a" "b" "c"} {1 1 1} 1 2 3')


def test_numbers_of_a_table_exactly(read):
    """0.1 is a tenth and 1/3 a third where exact numbers are asked for, and the nearest floats elsewhere."""
    text = "0.1,1/3\n-2,1e-3\n"
    third, tenth = Fraction(1, 3), Fraction(1, 10)
    assert read(text, exact=True).payoffs[0].tolist() == [[tenth, third], [-2, Fraction(1, 1000)]]
    assert read(text).payoffs[0].tolist() == [[0.1, 1 / 3], [-2, 0.001]]


@given(
    st.integers(1, 6).flatmap(lambda n: st.lists(st.lists(st.floats(-1e9, 1e9), min_size=n, max_size=n), min_size=1)),
    st.booleans(), st.booleans(), st.sampled_from([",", "\t"]),
)  # fmt: skip
def test_tables_come_back(tmp_path_factory, values, rows, columns, delimiter):
    """A table with or without names, written with all digits, is read as the same floats."""
    lines = [[*([f"row {i}"] if rows else []), *map(repr, row)] for i, row in enumerate(values)]
    if columns:
        lines.insert(0, [*(["corner"] if rows else []), *(f"col {j}" for j in range(len(values[0])))])
    path = tmp_path_factory.mktemp("table") / ("game.csv" if delimiter == "," else "game.tsv")
    path.write_text("\n".join(map(delimiter.join, lines)))
    game = read_game(path)
    assert game.payoffs[0].tolist() == values
    assert (game.rows is not None, game.columns is not None) == (rows, columns)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", ": the file is empty; rows of payoffs are expected"),
        ("\n \n", ": no row has anything in it; rows of payoffs are expected"),
        ("# 1,2\n", ": no row has anything in it"),
        ("0,1\n2,x\n", ":2:3: 'x' is no number; a number such as"),
        ("0,1\n2,nan\n", ":2:3: 'nan' is no number"),
        ("0,1\n2,\n", ":2:3: an empty cell; a number is expected in every cell"),
        ("0,1\n2,1/0\n", ":2:3: '1/0' divides by zero"),
        ("0,1\n2,1e999\n", ":2:3: '1e999' is too large for floats"),
        ("0,1\n2,1_0\n", ":2:3: '1_0' is no number"),
        ("0,1\n2\n", ":2: a row of 1 cells; 2 are expected, as in line 1"),
        ("a,b\n\n1,2\n3,4,5\n", ":4: a row of 3 cells; 2 are expected, as in line 3"),
        ("0,x,1\n1,0,2\n", ":1:3: 'x' stands among numbers; names stand in the first row"),
        ("O,1,2\n1,0,2\n", ":1:1: 'O' stands among numbers"),
        ("1,nan\n2,3\n", ":1:3: 'nan' is no number; payoffs are finite numbers"),
        ("1,a,b\n2,3,4\n", ":1:1: the number '1' stands among names"),
        ("a,b\n", ":1: names alone, and no payoffs"),
        ("a,a\n1,2\n", ":1:3: the name 'a' stands here again"),
        (",,b\nx,1,2\n", ":1:2: an empty cell; a name is expected"),
        ("x,1,2\nx,3,4\n", ": two rows are called 'x'"),
        ("1;2\n3;4\n", r":1: one cell only, '1;2'; ',' is to separate cells, not ';'"),
        ("1 2\n3 4\n", ":1: one cell only, '1 2'"),
        ('"1,2\n3,4\n', ":1: this is no table"),
        (b"caf\xe9,b\n1,2\n", ":1: this is no text in UTF-8"),
        (b"a,b\n1,2\n3,\x004\n", ":3: this is no text"),
    ],
)
def test_tables_that_are_none(read, tmp_path, text, message):
    """Each is refused in one line with the file, the line, the column, what was found and what was expected."""
    with pytest.raises(DataError) as caught:
        read(text)
    assert str(caught.value).startswith(f"{tmp_path / 'game.csv'}{message}")
    assert "\n" not in str(caught.value)


def test_compressed_tables(read):
    """A suffix of a compression is looked through, and damage is reported as such."""
    assert read(gzip.compress(ROCK.encode()), "game.csv.gz").payoffs[0].tolist() == PAYOFFS
    assert read(gzip.compress(ROCK.replace(",", "\t").encode()), "game.tsv.gz").payoffs[0].tolist() == PAYOFFS
    with pytest.raises(DataError, match="compressed data are damaged"):
        read(gzip.compress(ROCK.encode())[:-9], "cut.csv.gz")


def test_formats_by_suffix_and_by_name(read, tmp_path):
    """A format is chosen by the suffix or by name, csv where neither says anything, and others are refused."""
    assert read(ROCK, "game").payoffs[0].tolist() == PAYOFFS
    assert read(ROCK.replace(",", "\t"), "game.dat", format="tsv").payoffs[0].tolist() == PAYOFFS
    with pytest.raises(RegretlessError, match="format='xls': games are read from csv, tsv, npz, npy, nfg, efg"):
        read(ROCK, format="xls")
    with pytest.raises(RegretlessError, match=r"array=A: it is for \.npz"):
        read(ROCK, array="A")
    with pytest.raises(RegretlessError, match="names=both: it is for tables"):
        read(array(np.eye(2)), "game.npy", names="both")
    with pytest.raises(DataError, match="there is no such file; check its name"):
        read_game(tmp_path / "nowhere.csv")
    with pytest.raises(DataError, match="this is a folder"):
        read_game(tmp_path)
    assert list(GAMES.names) == ["csv", "tsv", "npz", "npy", "nfg", "efg"]


# Arrays.


@pytest.mark.parametrize("dtype", ["f8", "f4", "f2", "i4", "u1", "?", ">f8", ">i2"])
def test_arrays_of_any_numbers(read, dtype):
    """Numbers of any type are taken; single precision stays, whole numbers stay whole."""
    values = np.array([[0, 1], [1, 0]]).astype(dtype)
    payoffs = read(array(values), "game.npy").payoffs[0]
    assert payoffs.tolist() == [[0, 1], [1, 0]]
    assert payoffs.dtype.kind == ("i" if dtype == "?" else values.dtype.kind)
    assert payoffs.dtype.itemsize == values.dtype.itemsize


def test_two_matrices_are_a_bimatrix_game(read):
    """Two layers of a .npy file, and the arrays A and B of an archive, are payoffs of both players."""
    both = np.arange(12).reshape(2, 2, 3)
    for game in (read(array(both), "game.npy"), read(archive(A=both[0], B=both[1]), "game.npz")):
        assert game.kind == "bimatrix"
        assert [one.tolist() for one in game.payoffs] == both.tolist()
    assert read(archive(A=both[0], B=both[1]), "game.npz", array="A").kind == "matrix"


def test_archives_and_their_names(read):
    """Rows and columns are called by the arrays that are meant, and by none where it is not clear."""
    names = {"agents": np.array(["x", "y"]), "tasks": np.array([b"k", b"l", b"m"])}
    game = read(archive(A=np.ones((2, 3)), raw=np.ones((2, 3)), **names), "game.npz")
    assert (game.rows, game.columns) == (["x", "y"], ["k", "l", "m"])
    game = read(archive(A=np.eye(2), names=np.array(["x", "y"])), "game.npz")
    assert (game.rows, game.columns) == (["x", "y"], ["x", "y"])
    game = read(archive(payoffs=np.ones((2, 3)), first=np.array(["x", "y"])), "game.npz")
    assert (game.rows, game.columns) == (["x", "y"], None)
    game = read(archive(A=np.eye(2), some=np.array(["x", "y"]), other=np.array(["k", "l"])), "game.npz")
    assert (game.rows, game.columns) == (None, None)


def test_sparse_matrices(read):
    """A matrix that scipy saved stays sparse."""
    from scipy import sparse

    dense = np.array([[0.0, 2.0, 0.0], [1.0, 0.0, -3.0]])
    for made in (sparse.csr_array, sparse.csc_array):
        file = io.BytesIO()
        sparse.save_npz(file, made(dense))
        payoffs = read(file.getvalue(), "game.npz").payoffs[0]
        assert sparse.issparse(payoffs)
        assert payoffs.toarray().tolist() == dense.tolist()


def coordinates(**changes: Any) -> dict[str, Any]:
    """Matching pennies in sequence form, as arrays."""
    choice = {"row": [0, 1, 1, 1], "col": [0, 0, 1, 2], "val": [1.0, -1, 1, 1], "shape": [2, 3]}
    payoffs = {"row": [1, 1, 2, 2], "col": [1, 2, 1, 2], "val": [1.0, -1, -1, 1], "shape": [3, 3]}
    forms = {"A": payoffs, "E": choice, "F": choice}
    return {f"{form}_{part}": np.array(forms[form][part]) for form in forms for part in PARTS} | changes


def test_sequence_forms(read):
    """Twelve arrays are a sequence form, each matrix by its entries."""
    game = read(archive(**coordinates()), "game.npz")
    assert (game.kind, game.payoffs) == ("sequence", [])
    assert game.triplets["A"].values.tolist() == [1, -1, -1, 1]
    assert game.triplets["E"].shape == (2, 3)


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"x": np.array(["a"])}, "no array of numbers in rows and columns is among 'x'; payoffs are expected"),
        ({"x": np.eye(2), "y": np.eye(2)}, "any of the arrays 'x', 'y' may be the payoffs; choose with --array"),
        ({"A": np.ones(3)}, r"the array 'A' has shape \(3,\) and type float64; numbers in rows and columns"),
        ({"A": np.ones((0, 3))}, r"the array 'A' has shape \(0, 3\); at least one row and one column"),
        ({"A": np.ones((2, 2), complex)}, "type complex128"),
        ({"A": np.array([[1, 2], [np.nan, 4]])}, "the array 'A' has nan in row 2, column 1; payoffs are finite"),
        ({"A": np.array([[1, np.inf], [-np.inf, 4]])}, "has inf in row 1, column 2"),
        ({"A": np.eye(2), "B": np.eye(3)}, r"the shapes of A and B are \(2, 2\) and \(3, 3\)"),
        ({"A": np.eye(2), "names": np.array(["x", "x"])}, "the array 'names' has 'x' twice"),
        ({"A": np.eye(2), "names": np.array(["x", ""])}, "the array 'names' has an empty name"),
        (coordinates(A_row=np.array([1, 1, 2, 9])), "A_row has 9 at entry 4; a number from 0 to 2 is expected"),
        (coordinates(E_val=np.ones(3)), "E_row, E_col and E_val have 4, 4 and 3 entries; as many are expected"),
        (coordinates(F_shape=np.array([2, 10**12])), "F_shape is .* each from 1 to 10,000,000"),
        (coordinates(A_shape=np.array([3, 4])), r"A_shape is \[3, 4\], .*; A is expected to have a row for each"),
        (coordinates(A_val=np.array([1, 2, np.nan, 4])), "the array 'A_val' has nan in entry 3"),
        (coordinates(A_col=np.array([1.5, 2, 1, 2])), "the array 'A_col' has shape .* a list of whole numbers"),
        ({"A_row": np.zeros(1, int)}, "a sequence form without 'A_col', 'A_val'"),
    ],
)  # fmt: skip
def test_archives_that_are_no_game(read, tmp_path, arrays, message):
    """Each is refused in one line with the file, the array and the entry."""
    with pytest.raises(DataError, match=message) as caught:
        read(archive(**arrays), "game.npz")
    assert str(caught.value).startswith(f"{tmp_path / 'game.npz'}: ")
    assert "\n" not in str(caught.value)


def test_arrays_are_never_unpickled(read):
    """Arrays of objects are refused, not loaded."""
    with pytest.raises(DataError, match="never unpickled"):
        read(array(np.array([[1, "x"]], dtype=object)), "game.npy")
    with pytest.raises(DataError):
        read(archive(A=np.array([[1, "x"]], dtype=object)), "game.npz")
    with pytest.raises(DataError, match=r"a \.npy file holds one array without a name"):
        read(array(np.eye(2)), "game.npy", array="A")
    with pytest.raises(DataError, match="cannot be read compressed"):
        read(gzip.compress(array(np.eye(2))), "game.npy.gz")


# Gambit's strategic forms.

OUTCOMES = """NFG 1 R "a \\"game\\"" { "Joe" "Dan" }
{ { "up" "down" } { "left" "right" "out" } }
"a comment"
{ { "best" 1/2, 0.1 } { "" -2 3 } }
1 2 0 2 1 1
"""


def test_outcomes_and_payoffs(read):
    """The first player's strategy changes fastest, outcome 0 pays nothing, and numbers are exact."""
    game = read(OUTCOMES, "game.nfg")
    half, tenth = Fraction(1, 2), Fraction(1, 10)
    assert [one.tolist() for one in game.payoffs] == [
        [[half, 0, half], [-2, -2, half]],
        [[tenth, 0, tenth], [3, 3, tenth]],
    ]
    assert (game.kind, game.title, game.players) == ("bimatrix", 'a "game"', ["Joe", "Dan"])
    assert (game.rows, game.columns) == (["up", "down"], ["left", "right", "out"])
    game = read('NFG 1 D "" {"" ""} {2 2}\n1 2 3.5 4\n 5e0 6 7 8', "game.nfg")
    assert [one.tolist() for one in game.payoffs] == [[[1, 5], [3.5, 7]], [[2, 6], [4, 8]]]
    assert (game.rows, game.players) == (["1", "2"], ["row player", "column player"])


def test_strategies_of_one_name_are_distinguished(read):
    """Names that stand twice, or are empty, get numbers, and a note says so."""
    text = 'NFG 1 R "" {"a" "b"} { {"x" "x" "x (2)"} {"" ""} } 1 1 1 1 1 1 1 1 1 1 1 1'
    game = read(text, "game.nfg")
    assert game.rows == ["x", "x (3)", "x (2)"]
    assert game.columns == ["1", "2"]
    assert len(game.notes) == 2


def test_more_players_are_read_and_refused(read):
    """A game of three players is understood, but no game that is solved here; the reason says so."""
    text = 'NFG 1 R "" {"a" "b" "c"} {1 2 1} 1 2 3 4 5 6'
    form = parse_nfg(text, "game")
    assert form.payoffs == [[1, 2, 3], [4, 5, 6]]
    with pytest.raises(DataError, match=": a game of 3 players; games of two players alone can be solved"):
        read(text, "game.nfg")
    with pytest.raises(DataError, match=": a game of 1 player; "):
        read('NFG 1 R "" {"a"} {2} 1 2', "game.nfg")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("NFG", "EFG", ":1:1: 'EFG' stands here; NFG is expected"),
        ("1 R", "2 R", ":1:5: '2' stands here; 1 is expected, the version"),
        (" R ", " Q ", ":1:7: 'Q' stands here; R or D is expected"),
        ('"a \\"game\\""', "game", ":1:9: 'game' stands here; the game's title in quotes is expected"),
        ('"Joe" "Dan"', "", ":1:22: '{' stands here; the name of a player is expected"),
        ('"out" }', '"out" ', ":3:1: \"a comment\" stands here; } is expected \\(the end of the strategies"),
        ('{ "left" "right" "out" }', "{ }", ":2:19: '{' stands here; the strategies of player 'Dan' are expected"),
        ("1/2", "x", ":4:12: 'x' stands here; the payoff of player 'Joe' in outcome 1 is expected"),
        ("1/2", "1/0", ":4:12: '1/0' divides by zero"),
        ("0.1 }", "}", ":4:17: '}' stands here; the payoff of player 'Dan' in outcome 1"),
        ("0.1 }", "0.1 2 }", ":4:21: '2' stands here; } is expected \\(the end of outcome 1"),
        ("1 2 0", "1 3 0", ":5:3: '3' stands here; the outcome of cell 2 of 6 is expected, a whole number from 0 to 2"),
        ("1 2 0", "1 .5 0", ":5:3: '.5' stands here; the outcome of cell 2"),
        ("1 1\n", "1\n", ":5:10: the end of the file stands here; the outcome of cell 6 of 6"),
        ("1 1\n", "1 1 1\n", ":5:13: '1' stands here; the end of the file is expected"),
        ('"best"', '"best', ":.*is never closed; another \" is expected"),
        ("{ { \"up\" \"down\" } { \"left\" \"right\" \"out\" } }", "{ 2 99999999 }",
         ":2:5: '99999999' stands here; the number of the strategies of player 'Dan' is expected, for which"),
    ],
)  # fmt: skip
def test_strategic_forms_that_are_none(read, tmp_path, old, new, message):
    """Each is refused in one line with the line, the column, what was found and what was expected."""
    assert old in OUTCOMES
    with pytest.raises(DataError) as caught:
        read(OUTCOMES.replace(old, new, 1), "game.nfg")
    assert re.match(f"{re.escape(str(tmp_path / 'game.nfg'))}({message})", str(caught.value)), str(caught.value)
    assert "\n" not in str(caught.value)


@given(
    st.lists(st.integers(1, 4), min_size=1, max_size=4),
    st.randoms(use_true_random=False),
    st.booleans(),
)
def test_strategic_forms_come_back(sizes, generator, outcomes):
    """A game of any number of players, written with payoffs or with outcomes, is read as it was."""
    cells = int(np.prod(sizes))
    pool = [[Fraction(generator.randint(-9, 9), generator.randint(1, 9)) for _ in sizes] for _ in range(cells)]
    players, named = (" ".join(f'"p{place}"' for place in range(len(sizes))), "") if outcomes else ("", "")
    players = " ".join(f'"p{place}"' for place in range(len(sizes)))
    named = " ".join("{" + " ".join(f'"s{one}"' for one in range(size)) + "}" for size in sizes)
    text = f'NFG 1 R "t" {{{players}}} {{{named if outcomes else " ".join(map(str, sizes))}}}\n'
    if outcomes:
        text += "{" + "".join('{"" ' + ", ".join(map(str, one)) + "}" for one in pool) + "}\n"
        text += " ".join(str(cell + 1) for cell in range(cells))
    else:
        text += " ".join(str(number) for one in pool for number in one)
    form = parse_nfg(text, "game")
    assert form.payoffs == pool
    assert [len(names) for names in form.strategies] == sizes


# Damage.

WORDS = [
    '"',
    "{",
    "}",
    ",",
    "\n",
    "1e999",
    "1/0",
    "nan",
    "-",
    "x",
    "\0",
    "\r",
    "99999999999999",
    "1e-9999999",
    "1_0",
    " ",
]
TEXTS = {
    "nfg": [
        OUTCOMES,
        'NFG 1 D "" {"a" "b"} {2 2}\n1 2 3.5 4\n5e0 6 7 8',
        'NFG 1 R "" {"a" "b" "c"} {1 2 1} 1 2 3 4 5 6',
    ],
    "csv": [ROCK, ",r,p\nx,0,1/3\ny,.5,1e-3\n", '"a b","c, d"\n1,2\n3,4\n'],
}


def damaged(data: bytes, generator: random.Random) -> bytes:
    """The bytes with a few of them changed, taken away or put in."""
    content = bytearray(data)
    for _ in range(generator.choice([1, 1, 2, 5])):
        place = generator.randrange(len(content) + 1)
        action = generator.randrange(4)
        if action == 0:
            content[place:place] = generator.choice(WORDS).encode()
        elif action == 1:
            del content[place : place + generator.randrange(1, 9)]
        elif action == 2:
            content[place : place + 1] = bytes([generator.randrange(256)])
        else:
            del content[place:]
    return bytes(content)


@given(st.randoms(use_true_random=False), st.sampled_from(["nfg", "csv", "npz", "npy"]), st.booleans())
def test_damaged_files_are_read_or_refused(tmp_path_factory, generator, kind, exact):
    """Whatever a file holds, it is a game of finite numbers, or one line says where it is none."""
    arrays = {
        "npz": [archive(**coordinates()), archive(A=np.eye(3), names=np.array(list("abc")))],
        "npy": [array(np.arange(6.0).reshape(2, 3)), array(np.ones((2, 2, 2), "i4"))],
    }
    sources = arrays.get(kind) or [text.encode() for text in TEXTS[kind]]
    path = tmp_path_factory.mktemp("damaged") / f"game.{kind}"
    path.write_bytes(damaged(generator.choice(sources), generator))
    message = None
    try:
        payoffs = read_game(path, exact=exact).payoffs
    except DataError as error:
        message, payoffs = str(error), []
    assert message is None or re.fullmatch(rf"{re.escape(str(path))}(:\d+)*: .*; .+", message)
    assert all(np.isfinite(one.astype(np.float64)).all() for one in payoffs)


# Real files.


def test_all_of_gambits_strategic_forms(data, tmp_path):
    """Each of the 34 is read; the 24 of two players are games, the others are refused for the number of players."""
    texts = members(data / "games" / "gambit_nfg_dev.tar.xz")
    assert len(texts) == 34
    games, refused = [], []
    for name, text in texts.items():
        path = tmp_path / Path(name).name
        path.write_text(text)
        form: StrategicForm = read_nfg(path)
        assert len(form.payoffs) == int(np.prod([len(names) for names in form.strategies]))
        try:
            games.append(read_game(path))
        except DataError as error:
            refused.append(str(error))
    assert len(games) == 24
    assert all(re.search(r": a game of [3-5] players; ", message) for message in refused)
    assert all(one.payoffs[0].shape == (len(one.rows), len(one.columns)) for one in games)


def test_all_archives_of_games(data):
    """Each archive of real games is read without a hint, with the names that it has."""
    shapes = {
        "atari_agent57": (8, 57), "atari_muesli11": (4, 57), "blotto_10_3": (66, 66), "blotto_5_4": (56, 56),
        "blotto_5_5": (126, 126), "pokemon_types": (18, 18), "roshambo_bots": (43, 43), "sscait_2016": (45, 45),
    }  # fmt: skip
    for name, shape in shapes.items():
        game = read_game(data / "games" / f"{name}.npz")
        assert (game.kind, game.payoffs[0].shape) == ("matrix", shape)
        assert (game.rows is None) == name.startswith("blotto")
    for name in ("kuhn_poker", "leduc_poker", "leduc_suit_isomorphic"):
        assert read_game(data / "games" / f"seqform_{name}.npz").kind == "sequence"
