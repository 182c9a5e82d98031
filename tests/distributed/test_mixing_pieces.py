"""Pieces: one file as several shards, none of which loses or repeats a row."""

from __future__ import annotations

import gzip
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regretless.data import open_stream
from regretless.data.stream import Stream
from regretless.distributed import Mixture, arrays, files, mix
from regretless.distributed.pieces import Lines
from regretless.distributed.shards import Shard
from regretless.errors import DataError, RegretlessError
from regretless.linear import Perceptron

from ..data.mixed_data import joined, pairs, write_svm


def rows(stream: Stream) -> list[tuple[float, tuple[float, ...]]]:
    """The rows of a stream, as labels and the values that are not zero."""
    results: list[tuple[float, tuple[float, ...]]] = []
    for batch in stream.batches():
        assert batch.labels is not None
        for row in range(len(batch)):
            values = batch.slice(row, row + 1).values.ravel()
            results.append((float(batch.labels[row]), tuple(values[values != 0].tolist())))
    return results


def of_all(shards: list[Shard], schema: Any = None) -> list[tuple[float, tuple[float, ...]]]:
    return [row for shard in shards for row in rows(shard.open(schema))]


@given(st.lists(st.integers(0, 30), max_size=12), st.integers(1, 9), st.booleans())
def test_every_line_is_in_one_piece(
    tmp_path_factory: pytest.TempPathFactory, lengths: list[int], pieces: int, ends: bool
) -> None:
    """However long the lines are and whether the last one ends, all pieces in a row are the file."""
    path = tmp_path_factory.mktemp("lines") / "file.svm"
    text = b"\n".join(b"x" * length for length in lengths) + b"\n" * ends
    path.write_bytes(text)
    results = []
    for piece in range(pieces):
        with Lines(str(path), "file", piece, pieces, table=False).open() as file:
            results.append(file.read())
    assert b"".join(results) == text
    assert all(one.endswith(b"\n") for one in [one for one in results if one][:-1])


@pytest.mark.parametrize("pieces", [2, 7])
def test_pieces_of_text_have_all_rows(pieces: int, tmp_path: Path) -> None:
    """The pieces of an svmlight file hold its rows in their order, and are named after it."""
    (path,) = write_svm(tmp_path, pairs(1))
    shards = files(path, pieces=pieces)
    assert of_all(shards) == rows(open_stream(path))
    assert shards[1].name == f"{path}[2/{pieces}]"


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
@pytest.mark.parametrize("pieces", [1, 3, 5])
def test_pieces_of_tables_have_all_rows(pieces: int, ending: str, tmp_path: Path) -> None:
    """Every piece of a CSV file is read under the names of its first line, whatever ends lines and is quoted."""
    lines = ["\ufeff", "x,city,y", *(f'{row}.5,"a ""b"" {row % 3}",{row % 2}' for row in range(1, 20))]
    (tmp_path / "file.csv").write_bytes(ending.join(lines).encode() + ending.encode())
    path = str(tmp_path / "file.csv")
    stream = open_stream(path)
    whole = rows(stream)
    assert of_all(files(path, pieces=pieces), stream.schema()) == whole


def test_pieces_of_parquet_are_row_groups(tmp_path: Path) -> None:
    """Pieces of a Parquet file hold its row groups in their order; more pieces than groups are refused."""
    pa, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    path = str(tmp_path / "file.parquet")
    table = pa.table({"x": np.arange(50.0), "y": np.arange(50) % 2})
    parquet.write_table(table, path, row_group_size=10)
    stream = open_stream(path)
    whole = rows(stream)
    assert of_all(files(path, pieces=3), stream.schema()) == whole
    with pytest.raises(DataError, match="5 row groups, too few for 6 pieces"):
        files(path, pieces=6)[0].open(None)


def test_a_bad_row_of_a_row_group_has_its_number_in_the_file(tmp_path: Path) -> None:
    """A value that is missing in the third row group is reported with the row of the whole file."""
    pa, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    path = str(tmp_path / "file.parquet")
    values = [float(row) if row != 23 else None for row in range(40)]
    parquet.write_table(pa.table({"x": values, "y": np.arange(40) % 2}), path, row_group_size=10)
    with pytest.raises(DataError, match=r"file\.parquet\[2/2\].*in row 24,"):
        mix(Perceptron(), files(path, pieces=2))


def test_pieces_of_arrays_are_rows() -> None:
    """Arrays, frames, lists and sparse matrices cut by rows are learned alike, and pieces are named."""
    X, y = joined(pairs(2))
    sparse, pandas = pytest.importorskip("scipy.sparse"), pytest.importorskip("pandas")
    forms = [(X, y), (X.tolist(), y.tolist()), (sparse.coo_matrix(X), y), (pandas.DataFrame(X), pandas.Series(y))]
    weights = [mix(Perceptron(), arrays([form], pieces=4)).learner.coef_ for form in forms]
    assert all(np.array_equal(one, weights[0]) for one in weights)
    assert arrays([(X, y)], pieces=4)[3].name == "shard 0[4/4]"
    with pytest.raises(DataError, match=r"shard 0: 2 rows; they cannot be cut into 3 pieces"):
        arrays([(X[:2], y[:2])], pieces=3)


def test_one_file_is_mixed_like_several(tmp_path: Path) -> None:
    """A file that is cut is learned as the files would be that its pieces are, on threads too, and goes on."""
    (whole,) = write_svm(tmp_path, pairs(1, rows=90))
    lines = Path(whole).read_text().splitlines(keepends=True)
    cuts, sizes = [0], np.cumsum([len(line) for line in lines])
    cuts += [int(np.searchsorted(sizes, sizes[-1] * piece // 3, side="left")) + 1 for piece in (1, 2)]
    for number, (begin, end) in enumerate(zip(cuts, [*cuts[1:], None], strict=True)):
        (tmp_path / f"cut-{number}.svm").write_text("".join(lines[begin:end]))
    apart = mix(Perceptron(), str(tmp_path / "cut-*.svm"), epochs=3)
    model = tmp_path / "model.rgl"
    with ThreadPoolExecutor(2) as threads:
        mix(Perceptron(), files(whole, pieces=3), threads, epochs=2, checkpoint=model)
        cut = mix(Perceptron(), files(whole, pieces=3), threads, epochs=3, checkpoint=model)
    assert np.array_equal(cut.learner.coef_, apart.learner.coef_)
    assert cut.names == [f"part-1.svm[{piece}/3]" for piece in (1, 2, 3)]
    assert [shard.name for shard in Mixture.read(model, whole).shards] == [f"{whole}[{piece}/3]" for piece in (1, 2, 3)]
    with pytest.raises(RegretlessError, match="there were 3 shards and are 4"):
        mix(Perceptron(), files(whole, pieces=4), epochs=4, checkpoint=model)


@pytest.mark.parametrize("kind", ["svm", "csv"])
@pytest.mark.parametrize("pieces", [1, 2, 5])
def test_errors_tell_the_line_of_the_whole_file(pieces: int, kind: str, tmp_path: Path) -> None:
    """A bad value has its line of the whole file, in whichever piece it is, also where it is passed over."""
    path = tmp_path / f"file.{kind}"
    lines = [f"{row % 2} 1:{row}" if kind == "svm" else f"{row % 2},{row}" for row in range(2, 42)]
    lines[32] = "1 1:bad" if kind == "svm" else "1,bad"
    head = [] if kind == "svm" else ["y,x"]
    path.write_text("\n".join([*head, *lines]) + "\n")
    line = 33 + len(head)
    with pytest.raises(DataError) as caught:
        mix(Perceptron(), files(path, pieces=pieces))
    assert caught.value.line == line
    mixture = mix(Perceptron(), files(path, pieces=pieces, on_error="skip"))
    assert mixture.skipped == 1
    assert f":{line}:" in mixture.first_errors[0]


def test_what_cannot_be_cut_is_refused(tmp_path: Path) -> None:
    """Compressed files, arrays in files, and tables whose quoted cells hold line ends are refused, each with why."""
    with gzip.open(tmp_path / "a.svm.gz", "wt") as file:
        file.write("1 1:1\n")
    np.savez(tmp_path / "a.npz", X=np.ones((4, 2)), y=np.ones(4))
    for name, words in [("a.svm.gz", "compressed"), ("a.npz", "npz are not cut"), ("a.csv.xz", "compressed")]:
        with pytest.raises(DataError, match=words):
            files(tmp_path / name, pieces=2)
    (tmp_path / "a.csv").write_text("x,city,y\n" + '1,"two\nlines",1\n2,one,0\n' * 9)
    with pytest.raises(DataError, match="quoted cell holds a line end"):
        mix(Perceptron(), files(tmp_path / "a.csv", pieces=3))


def test_too_many_pieces_are_reported(tmp_path: Path) -> None:
    """A piece in which no row begins is an error that says what to do."""
    path = tmp_path / "a.svm"
    path.write_text("1 1:1\n-1 2:1\n")
    with pytest.raises(DataError, match=r"a\.svm\[\d/8\]: no rows begin in this piece; cut the file into fewer"):
        mix(Perceptron(), files(path, pieces=8))


@pytest.mark.parametrize("pieces", [0, -1, 1.5])
def test_pieces_are_whole_numbers(pieces: Any, tmp_path: Path) -> None:
    """No pieces, fewer than none and a part of one are refused."""
    with pytest.raises(RegretlessError, match="pieces="):
        files(write_svm(tmp_path, pairs(1)), pieces=pieces)
