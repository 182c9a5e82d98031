"""Tables of losses and experts' advice, in every format that they may be kept in."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from regretless.data.arm_advice import read_advice
from regretless.data.formats import LOSSES
from regretless.data.losses import LossTable, Wanted, read_losses
from regretless.errors import DataError, RegretlessError

ARMS = ["p", "q", "r"]
TEXT = "p,q,r\n0,0.25,1\n,0.5,0.75\n1,NA,0.125\n"
VALUES = np.array([[0, 0.25, 1], [np.nan, 0.5, 0.75], [1, np.nan, 0.125]])


def write(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


def saved(folder: Path, format: str) -> Path:
    """The same table in a format."""
    import pyarrow as pa
    from pyarrow import feather, parquet

    path = folder / f"t.{format}"
    columns = {name: [None if np.isnan(one) else one for one in VALUES[:, place]] for place, name in enumerate(ARMS)}
    if format.startswith("csv"):
        compress = {"csv": bytes, "csv.gz": gzip.compress, "csv.xz": lzma.compress, "csv.bz2": bz2.compress}
        path.write_bytes(compress[format](TEXT.encode()))
    elif format == "tsv":
        path.write_text(TEXT.replace(",", "\t"))
    elif format == "parquet":
        parquet.write_table(pa.table(columns), path)
    elif format == "feather":
        feather.write_feather(pa.table(columns), str(path))
    elif format == "arrow":
        with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, pa.table(columns).schema) as writer:
            writer.write_table(pa.table(columns))
    elif format == "npz":
        np.savez(path, losses=VALUES, names=np.array(ARMS))
    else:
        np.save(path, VALUES)
    return path


def complaint(path: Path, expected: Wanted | None = None, **more: str) -> str:
    with pytest.raises(DataError) as caught:
        read_losses(path, expected, **more)
    return str(caught.value).removeprefix(str(path))


@pytest.mark.parametrize("format", [*LOSSES.names, "csv.gz", "csv.xz", "csv.bz2"])
def test_every_format_holds_the_same_table(tmp_path, format):
    """Values, names and sleeping arms come out of each format alike; a .npy file alone has no names."""
    table = read_losses(saved(tmp_path, format))
    np.testing.assert_array_equal(table.values, VALUES)
    assert table.arms == (ARMS if format != "npy" else ["0", "1", "2"])
    assert table.values.flags.c_contiguous
    assert table.notes == []


def test_standard_input_is_a_table(monkeypatch):
    """A dash stands for standard input, which is taken for csv."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(TEXT.encode())))
    np.testing.assert_array_equal(read_losses("-").values, VALUES)


def test_the_file_of_many_blocks_is_one_table(tmp_path):
    """A table that is read in several parts is the table that was written."""
    values = np.random.default_rng(0).random((60_000, 3))
    path = tmp_path / "t.csv"
    np.savetxt(path, values, delimiter=",", header="p,q,r", comments="", fmt="%.17g")
    np.testing.assert_array_equal(read_losses(path).values, values)


@pytest.mark.parametrize(("type", "rest"), [("f4", "f4"), ("f8", "f8"), ("i2", "f4"), ("i4", "f8"), ("?", "f4")])
def test_small_types_stay_small(tmp_path, type, rest):
    """Values that single precision holds exactly are kept in it, all others in double."""
    np.savez(tmp_path / "t.npz", a=np.eye(3).astype(type))
    table = read_losses(tmp_path / "t.npz")
    assert table.values.dtype == np.dtype(rest)
    np.testing.assert_array_equal(table.values, np.eye(3))


def test_a_number_may_stand_for_sleep(tmp_path):
    """The number given as missing, and no other, becomes nan, in whatever type the table has."""
    codes = np.array([[1, -32768, 3], [-32768, 5, 6]])
    goal = Wanted(missing=-32768, low=0, high=10)
    expected = np.where(codes == -32768, np.nan, codes)
    for kind in ("i2", "i8", "f4"):
        np.savez(tmp_path / "t.npz", codes.astype(kind))
        np.testing.assert_array_equal(read_losses(tmp_path / "t.npz", goal).values, expected)
    path = write(tmp_path / "t.csv", "a,b,c\n1,-32768,3\n-32768,5,6\n")
    np.testing.assert_array_equal(read_losses(path, goal).values, expected)
    np.savez(tmp_path / "t.npz", np.array([[0.1, 0.5], [0.5, 0.1]], dtype=np.float32))
    assert np.isnan(read_losses(tmp_path / "t.npz", Wanted(missing=0.1)).values).sum() == 2


def test_values_outside_of_the_range_tell_the_range(tmp_path):
    """The first of them is named by line and column, and the least and the largest value of the table are reported."""
    path = write(tmp_path / "t.csv", "a,b\n0,0.5\n0.25,7200\n-3,1\n")
    message = complaint(path)
    assert message.startswith(":3:6: arm 'b' has the loss 7200; losses from 0 to 1 are expected")
    assert "this table has -3 to 7200: declare with --range LO HI where losses can lie, or" in message
    assert "with --missing which number stands for none" in message
    assert read_losses(path, Wanted(low=-3, high=7200)).values.min() == -3
    assert "has the reward 7200; rewards from -3 to 10 are expected" in complaint(
        path, Wanted(None, None, None, -3, 10, True)
    )


def test_ends_of_the_range_may_be_rounded_to_single_precision(tmp_path):
    """0.1 in single precision is more than 0.1, and is taken for that end of the range; the next number is refused."""
    values = np.array([[0.05, 0.1], [np.nan, 0.1]], dtype=np.float32)
    np.save(tmp_path / "t.npy", values)
    pq.write_table(pa.table({"a": values[:, 0], "b": values[:, 1]}), tmp_path / "t.parquet")
    for name in ("t.npy", "t.parquet"):
        losses = read_losses(tmp_path / name, Wanted(high=0.1)).values
        assert losses[:, 1].tolist() == [0.1, 0.1]
        assert (losses[0, 0], np.isnan(losses[1, 0])) == (np.float32(0.05), True)
    assert read_losses(tmp_path / "t.npy", Wanted(high=0.2)).values.dtype == np.float32
    np.save(tmp_path / "t.npy", np.nextafter(np.float32(0.1), np.float32(1), dtype=np.float32)[None, None])
    assert "losses from 0 to 0.1 are expected" in complaint(tmp_path / "t.npy", Wanted(high=0.1))
    write(tmp_path / "t.csv", "a,b\n0,0.1000000001\n")
    assert "losses from 0 to 0.1 are expected" in complaint(tmp_path / "t.csv", Wanted(high=0.1))


def test_a_number_far_below_all_others_may_be_a_code(tmp_path):
    """Of -32768 among ratings --missing is suggested, of a loss that is a little low it is not, nor of a fraction."""
    path = tmp_path / "t.npy"
    for code, values in ((-32768, True), (-1200, False), (-32768.5, False)):
        np.save(path, np.array([[-999, 0], [code, 998], [3, 4]]))
        hint = f"if {code} stands for an arm that sleeps, say --missing {code}; else declare with --range LO HI"
        assert (hint in complaint(path)) == values
    np.save(path, np.array([[-999, 0], [-32768, 998]]))
    assert "if" not in complaint(path, Wanted(missing=-1))


def test_columns_of_a_log_are_pointed_out(tmp_path):
    """A log that is taken for a table of losses is said to be read with --logged, whether it can be played or not."""
    words = "'propensity' and 'click' look like columns of a log of draws, which is read with --logged"
    path = write(tmp_path / "t.csv", "x,propensity,click\n3,0.5,1\n")
    assert complaint(path).endswith(f"; {words}")
    assert read_losses(path, Wanted(high=3)).notes == [f"{path}: {words}"]
    assert read_losses(path, Wanted(arms=["propensity", "click"])).notes == []


def test_a_table_without_rows_is_reported_to_have_none(tmp_path):
    """An array of no rows is refused as such, in an archive too."""
    np.save(tmp_path / "t.npy", np.zeros((0, 3)))
    assert "there are no rows; at least one round is expected" in complaint(tmp_path / "t.npy")
    np.savez(tmp_path / "t.npz", losses=np.zeros((0, 3)))
    assert "there are no rows" in complaint(tmp_path / "t.npz")


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("a,b\n0,1\n,\n", ":3:1: no arm has a value"),
        ("a,b\n0,1\nnan,NA\n", ":3:1: no arm has a value"),
        ("a,b\n0,\n1,NA\n", ": column 'b' has no value in any row; remove it, or name the arms with --arms"),
        ("a,b\n0,nan\n1,nan\n", ": column 'b' has no value in any row"),
        ("a,b\n0,inf\n1,1\n", ":2:3: arm 'b' has the loss inf; only finite numbers"),
        ("a,b\n0,x\n0.2,1\n1,1\n", ":2:3: column 'b' holds 'x'; a number is expected, or name the arms with --arms"),
        ("a,b\n0,1\n0.2\n", ":3:1: 1 cell; 2 are expected"),
        ("a,a\n0,1\n", ": several columns are called 'a'"),
        ("a,\n0,1\n", ": column 2 has no name"),
        ("a,b\n", ": no rows; give a file with at least one row of losses"),
        ("", ": the file is empty"),
        ("0,1\n0.2,0.3\n", ":1: a row of numbers where the column names are expected"),
        ("a,b\nx,y\n", ": there is no column of numbers; every arm is a column of numbers"),
        ("a/b\n0/1\n", ": there is no column of numbers"),
    ],
)
def test_what_cannot_be_played_is_named(tmp_path, text, result):
    """A row or column that cannot be used is an error that says where it is and what was found."""
    assert complaint(write(tmp_path / "t.csv", text)).startswith(result)


def test_an_arm_that_always_sleeps_is_refused_in_arrays(tmp_path):
    """Also one whose every value is the number that stands for sleep."""
    np.savez(tmp_path / "t.npz", a=np.array([[0, 9], [1, 9]]))
    assert "arm '1' has no value in any row" in complaint(tmp_path / "t.npz", Wanted(missing=9))
    message = complaint(write(tmp_path / "t.csv", "a,b\n0,9\n1,9\n"), Wanted(missing=9))
    assert "arm 'b' has no value in any row" in message


def test_a_column_that_counts_the_rows_is_no_arm(tmp_path):
    """It is left out, which a note says, unless the user takes it for an arm; columns that grow otherwise are arms."""
    rows = "".join(f"{t},{t * t},{t % 2}\n" for t in range(20))
    path = write(tmp_path / "t.csv", f"t,b,c\n{rows}")
    table = read_losses(path, Wanted(high=400))
    assert table.arms == ["b", "c"]
    assert table.values.shape == (20, 2)
    assert [note.removeprefix(f"{path}: ") for note in table.notes] == [
        "'t' is left out: it counts the rows (--arms takes it)",
        "'b' grows from row to row like a date, and is taken for an arm; if it is none, name the arms with --arms",
    ]
    assert read_losses(path, Wanted(arms=["t", "c"], high=400)).arms == ["t", "c"]
    assert "arm 'b' has the loss 4" in complaint(path)


def test_arms_can_be_chosen(tmp_path):
    """The named columns are taken, in the order of the names, and nothing else is looked at."""
    path = write(tmp_path / "t.csv", "when,a,b,c\nMon,0,9,0.5\nTue,1,9,0.25\n")
    table = read_losses(path, Wanted(arms=["c", "a"]))
    np.testing.assert_array_equal(table.values, [[0.5, 0], [0.25, 1]])
    assert read_losses(path, Wanted(high=9)).notes == [f"{path}: 'when' is left out: text is no loss"]
    dates = pa.array([0, 1], pa.date32())
    pq.write_table(pa.table({"when": dates, "a": [0, 1], "c": [0.5, 0.25]}), tmp_path / "t.parquet")
    assert read_losses(tmp_path / "t.parquet").notes[0].endswith("'when' is left out: dates and times are no losses")
    assert "column 'when' holds dates or times" in complaint(tmp_path / "t.parquet", Wanted(arms=["when", "a"]))
    assert "there is no column 'z'" in complaint(path, Wanted(arms=["z"]))
    with pytest.raises(RegretlessError, match="named twice"):
        read_losses(path, Wanted(arms=["a", "a"]))
    np.savez(tmp_path / "t.npz", VALUES, names=np.array(ARMS))
    np.testing.assert_array_equal(read_losses(tmp_path / "t.npz", Wanted(arms=["r", "q"])).values, VALUES[:, [2, 1]])
    assert "there is no arm 'z'; the arms are 'p', 'q', 'r'" in complaint(tmp_path / "t.npz", Wanted(arms=["z"]))


def test_names_that_count_are_names(tmp_path):
    """A first line 0,1,2 names columns, as data frames do, and is no round."""
    table = read_losses(write(tmp_path / "t.csv", "0,1,2\n0,0.5,1\n"))
    assert table.arms == ["0", "1", "2"]
    assert len(table.values) == 1


def archived(folder: Path, **arrays: object) -> Path:
    np.savez(folder / "t.npz", **arrays)
    return folder / "t.npz"


def test_the_array_of_losses_is_found(tmp_path):
    """It is the only one of rows and columns, or the only one called so; else the user chooses."""
    cost, other = np.eye(2), np.ones((2, 2))
    assert read_losses(archived(tmp_path, x=cost, when=np.arange(2))).values.tolist() == cost.tolist()
    assert read_losses(archived(tmp_path, solved=other, cost=cost)).values.tolist() == cost.tolist()
    path = archived(tmp_path, one=cost, two=other)
    assert "any of the arrays 'one', 'two' may be the table; choose it with --array" in complaint(path)
    assert read_losses(path, Wanted(array="two")).values.tolist() == other.tolist()
    assert "there is no array 'three'; the arrays are 'one', 'two'" in complaint(path, Wanted(array="three"))
    assert "no array of numbers in rows and columns" in complaint(archived(tmp_path, x=np.ones(3)))


def test_names_in_an_archive(tmp_path):
    """Strings as many as the columns name the arms; of several such arrays the one that is called so does."""
    rows = np.eye(2)
    assert read_losses(archived(tmp_path, x=rows, solver=np.array(["a", "b"]))).arms == ["a", "b"]
    assert read_losses(archived(tmp_path, x=rows, solver=np.array([b"a", b"b"]))).arms == ["a", "b"]
    both = {"instance": np.array(["i", "j"]), "algorithm": np.array(["a", "b"])}
    assert read_losses(archived(tmp_path, x=rows, **both)).arms == ["a", "b"]
    both = {"instance": np.array(["i", "j"]), "solver": np.array(["a", "b"])}
    assert read_losses(archived(tmp_path, x=rows, **both)).arms == ["0", "1"]
    assert "'names' has 'a' twice" in complaint(archived(tmp_path, x=rows, names=np.array(["a", "a"])))
    assert "'names' has an empty name" in complaint(archived(tmp_path, x=rows, names=np.array(["a", ""])))


def test_arrays_that_are_no_tables(tmp_path):
    """Other shapes and types, objects and damaged files are refused by what was found."""
    assert "an array of shape (2,)" in complaint(archived(tmp_path, x=np.ones(2)), Wanted(array="x"))
    assert "holds objects" in complaint(archived(tmp_path, x=np.array([[None]])), Wanted(array="x"))
    assert "type complex128" in complaint(archived(tmp_path, x=np.ones((2, 2), complex)), Wanted(array="x"))
    message = complaint(archived(tmp_path, x=np.array([[0, 1], [0, 2]])))
    assert ": in row 1 (counted from 0), arm '1' has the loss 2" in message
    path = tmp_path / "bad.npz"
    path.write_bytes(archived(tmp_path, x=np.random.default_rng(0).random((50, 50))).read_bytes()[:5000])
    assert "this cannot be read" in complaint(path)
    np.save(tmp_path / "t.npy", np.ones(3))
    assert "an array of shape (3,)" in complaint(tmp_path / "t.npy")
    assert "leave --array away" in complaint(tmp_path / "t.npy", Wanted(array="x"))
    assert "there is no such file" in complaint(tmp_path / "nothing.npz")


def test_damaged_files_are_reported_as_such(tmp_path):
    """Whatever goes wrong inside of the libraries that take a file apart, the message is about the file."""
    path = archived(tmp_path, x=np.eye(3))
    content = bytearray(path.read_bytes())
    content[-6:-2] = b"\xff\xff\xff\x7f"  # where the list of members begins
    path.write_bytes(content)
    assert "this cannot be read" in complaint(path)
    np.save(tmp_path / "t.npy", np.eye(3))
    content = bytearray((tmp_path / "t.npy").read_bytes())
    (tmp_path / "t.npy").write_bytes(content.replace(b"}", b"("))
    assert "this cannot be read" in complaint(tmp_path / "t.npy")
    with pytest.raises(DataError, match="this cannot be read"):
        read_advice(tmp_path / "t.npy", ARMS, 2)


def test_arrays_stored_by_columns_are_tables(tmp_path):
    """The order in memory of what was saved makes no difference."""
    table: LossTable = read_losses(archived(tmp_path, x=np.asfortranarray(VALUES)))
    np.testing.assert_array_equal(table.values, VALUES)


# Advice.


def test_advice_names_arms_or_numbers_them(tmp_path):
    """A cell is an arm by its name, else by its number from 0, in text and in tables of numbers."""
    import pyarrow as pa
    from pyarrow import parquet

    path = write(tmp_path / "a.csv", "e,f\np,2\n r ,1\n")
    advice = read_advice(path, ARMS, 2)
    assert (advice.values.tolist(), advice.experts) == ([[0, 2], [2, 1]], ["e", "f"])
    assert read_advice(write(tmp_path / "a.tsv", "e\tf\np\t2\nr\t1\n"), ARMS, 2).values.tolist() == [[0, 2], [2, 1]]
    parquet.write_table(pa.table({"e": [0, 2], "f": [1.0, 0.0], "g": ["q", "p"]}), tmp_path / "a.parquet")
    assert read_advice(tmp_path / "a.parquet", ARMS, 2).values.tolist() == [[0, 1, 1], [2, 0, 0]]
    assert read_advice(write(tmp_path / "a.csv", "e\n1\n0\n"), ["1", "0"], 2).values.tolist() == [[0], [1]]


def test_advice_in_arrays(tmp_path):
    """Whole numbers, names, or probabilities, which may be rounded a little."""
    assert read_advice(archived(tmp_path, advice=np.array([[0, 2]])), ARMS, 1).values.tolist() == [[0, 2]]
    names = {"x": np.array([["p", "r"]]), "names": np.array(["e", "f"])}
    advice = read_advice(archived(tmp_path, **names), ARMS, 1)
    assert (advice.values.tolist(), advice.experts) == ([[0, 2]], ["e", "f"])
    shares = np.array([[[0.3333333, 0.3333333, 0.3333333], [0, 0, 1]]])
    advice = read_advice(archived(tmp_path, advice=shares), ARMS, 1)
    np.testing.assert_allclose(advice.values[0], [[1 / 3] * 3, [0, 0, 1]])
    np.testing.assert_allclose(advice.values.sum(axis=2), 1, rtol=1e-15)


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("e,f\np,0\nx,2\n", ":3:1: expert 'e' recommends 'x'; an arm is expected, one of 'p', 'q', 'r', or its number"),
        ("e,f\np,3\nq,2\n", ":2:3: expert 'f' recommends '3'"),
        ("e,f\np,0\n,2\n", ":3:1: column 'e' has no value; every row needs one"),
        ("e,f\np\nx,2\n", ":2:1: 1 cell; 2 are expected"),
        ("e,f\nx,1\np\n", ":2:1: expert 'e' recommends 'x'"),
        ("e,f\np,1\n", ": advice on 1 round"),
        ("e,f\n", ": no rows"),
    ],
)
def test_advice_that_is_none(tmp_path, text, result):
    """What is no arm is named by line and column, and there is one row for each round."""
    path = write(tmp_path / "a.csv", text)
    with pytest.raises(DataError) as caught:
        read_advice(path, ARMS, 2)
    assert str(caught.value).removeprefix(str(path)).startswith(result)


@pytest.mark.parametrize(
    ("array", "result"),
    [
        (np.array([[0, 1], [2, 3]]), "in row 1 (counted from 0), expert '1' recommends 3"),
        (np.full((2, 2, 3), 0.5), "in row 0 (counted from 0), expert '0' gives 1.5 in all"),
        (np.array([[[1.5, -0.5, 0]]] * 2), "expert '0' gives -0.5 to arm 'q'"),
        (np.array([[[np.nan, 0.5, 0.5]]] * 2), "expert '0' gives nan to arm 'p'"),
        (np.ones((2, 2, 4)), "an array of shape (2, 2, 4)"),
        (np.ones(2), "the arrays in it are 'x'"),
        (np.zeros((3, 2), int), "advice on 3 rounds"),
    ],
)
def test_arrays_that_are_no_advice(tmp_path, array, result):
    """They are refused by what was found, and where."""
    with pytest.raises(DataError) as caught:
        read_advice(archived(tmp_path, x=array), ARMS, 2)
    assert result in str(caught.value)


def test_real_tables_are_read(data):
    """The runtimes of solvers have their names, and jokes that nobody rated are asleep."""
    folder = data / "bandits"
    if not folder.is_dir():
        pytest.skip("no bandits among the real data")
    table = read_losses(folder / "aslib_bnsl_2016.npz", Wanted(high=7200))
    assert table.values.shape == (1179, 8)
    assert table.arms[0] == "astar-comp"
    jokes = read_losses(folder / "jester5k.npz", Wanted(missing=-32768, low=-1000, high=1000, rewards=True))
    assert jokes.values.shape == (5000, 100)
    assert jokes.values.dtype == np.float32
    assert 0.2 < np.isnan(jokes.values).mean() < 0.4
