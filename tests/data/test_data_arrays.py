"""Arrays in memory and in NumPy's files."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

from regretless.data import ArrayStream, Batch, open_stream
from regretless.data import arrays as arrays_module
from regretless.data import numpy as numpy_module
from regretless.data.stream import Stream
from regretless.errors import DataError, RegretlessError

from .test_data_csv import whole

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(300, 7))
Y = np.arange(300) % 3


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Batches of a few rows."""
    monkeypatch.setattr(arrays_module, "ENTRIES", 100)
    monkeypatch.setattr(numpy_module, "ENTRIES", 100)


def sparse(**options: Any) -> Any:
    return scipy.sparse.random(200, 30, density=0.2, format="csr", random_state=1, **options)


def refusal(stream: Stream) -> str:
    with pytest.raises(DataError) as caught:
        list(stream.batches())
    return str(caught.value).removeprefix(stream.name)


@pytest.mark.parametrize("entries", [1, 50, 700, None])
@pytest.mark.parametrize(
    "matrix", [X, X.astype(np.float32), np.asfortranarray(X), sparse(), sparse().astype("f4"), sparse().tocoo()]
)
def test_an_array_stream_gives_the_array(matrix: Any, entries: int | None) -> None:
    """Slices of whatever size put together are the matrix, in its own precision, twice."""
    stream = ArrayStream(matrix, np.arange(matrix.shape[0]), entries=entries)
    for _ in range(2):
        values, labels = whole(stream)
        assert values.dtype == matrix.dtype
        assert values.tolist() == (matrix if isinstance(matrix, np.ndarray) else matrix.toarray()).tolist()
        assert labels == list(range(matrix.shape[0]))
    if entries is None:
        assert len(list(stream.batches())) == 1
    assert stream.schema() == {"format": "array", "columns": matrix.shape[1], "target": None}


def test_numbers_of_other_types_are_converted() -> None:
    """Integers, booleans and half floats become float64, labels too; strings stay strings."""
    for kind in ("i1", "u8", "?", ">f8", "f2"):
        values, labels = whole(ArrayStream(np.ones((3, 2), kind), np.array([1, 0, 1], kind)))
        assert values.dtype == np.float64
        assert labels == [1.0, 0.0, 1.0]
    assert whole(ArrayStream(X[:2], ["a", "bc"]))[1] == ["a", "bc"]
    assert whole(ArrayStream(X[:2], np.array(["a", "bc"], object)))[1] == ["a", "bc"]
    assert whole(ArrayStream(X[:2]))[1] is None


def test_batches_bring_their_own_labels() -> None:
    """A sequence of batches is a stream, with their labels or others."""
    batches = [Batch(X[:2], Y[:2].astype(float), 7), Batch(X[2:5], Y[2:5].astype(float), 7)]
    values, labels = whole(ArrayStream(batches))
    assert values.tolist() == X[:5].tolist()
    assert labels == [0, 1, 2, 0, 1]
    assert whole(ArrayStream(batches, np.arange(5)))[1] == [0, 1, 2, 3, 4]


def test_unsorted_sparse_rows_are_put_in_order() -> None:
    """Descending and repeated indices are sorted and added up, and the caller's matrix stays as it was."""
    matrix = scipy.sparse.csr_array((np.ones(4), np.array([2, 0, 1, 1]), np.array([0, 2, 4])), shape=(2, 3))
    assert whole(ArrayStream(matrix))[0].tolist() == [[1, 0, 1], [0, 2, 0]]
    assert matrix.indices.tolist() == [2, 0, 1, 1]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: ArrayStream(X[0]), "a shape of"),
        (lambda: ArrayStream(X, Y[:5]), "300 rows, but 5 labels"),
        (lambda: ArrayStream(X, Y.reshape(-1, 1)), "labels of shape"),
        (lambda: ArrayStream(X, [None] * 300), "labels of type object"),
        (lambda: ArrayStream(np.array([["a"]])), "values of type"),
        (lambda: ArrayStream(X.astype(complex)), "values of type complex"),
        (lambda: ArrayStream(X, on_error="never"), "on_error='never'"),
    ],
)
def test_what_is_no_table_is_refused(make: Any, message: str) -> None:
    """Shapes, types and lengths that do not fit are refused at once."""
    with pytest.raises(RegretlessError, match=message):
        make()


@given(st.integers(0, 299), st.integers(0, 6), st.sampled_from([np.nan, np.inf, -np.inf]), st.booleans())
def test_a_number_that_is_not_finite_is_found(row: int, column: int, value: float, as_sparse: bool) -> None:
    """Its row and column are named, the rows before it come out, and skipping leaves out that row alone."""
    bad = X.copy()
    bad[row, column] = value
    matrix = scipy.sparse.csr_array(bad) if as_sparse else bad
    stream = ArrayStream(matrix, Y, entries=100)
    batches: list[Batch] = []
    with pytest.raises(DataError, match=rf"^X: row {row}, column {column} \(counted from 0\) holds {value}"):
        batches.extend(stream.batches())
    assert sum(map(len, batches)) == row
    stream = ArrayStream(matrix, Y, entries=100, on_error="skip")
    values, labels = whole(stream)
    assert values.tolist() == np.delete(bad, row, axis=0).tolist()
    assert labels == np.delete(Y, row).tolist()
    assert stream.skipped == 1


def test_labels_are_checked_and_checks_can_be_left_out() -> None:
    """A NaN label is an error; with check=False nothing is looked at."""
    assert refusal(ArrayStream(X[:2], [1, np.nan])).startswith(": the label of row 1 (counted from 0) is nan")
    assert len(next(ArrayStream(X[:2], [1, np.nan], check=False).batches())) == 2


def test_arrays_without_rows_are_an_error() -> None:
    """No rows at all, or none that can be used, is said."""
    assert refusal(ArrayStream(X[:0])).startswith(": no rows")
    assert refusal(ArrayStream(np.full((3, 2), np.nan), on_error="skip")).startswith(": no rows")


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("compressed", [False, True])
@pytest.mark.parametrize("dtype", ["f4", ">f8", "i2"])
def test_npz_of_rows(order: Any, compressed: bool, dtype: str, tmp_path: Path, small: None) -> None:
    """X and y of an archive come out in batches, whatever their layout and type."""
    values = np.array((X * 100).astype(dtype), order=order)
    (np.savez_compressed if compressed else np.savez)(tmp_path / "t.npz", X=values, y=Y)
    stream = open_stream(tmp_path / "t.npz")
    assert len(list(stream.batches())) > 5
    rows, labels = whole(stream)
    assert rows.tolist() == values.tolist()
    assert labels == Y.tolist()
    assert whole(open_stream(tmp_path / "t.npz", dtype="float32"))[0].dtype == np.float32


@pytest.mark.parametrize("index", ["i4", "i8", "u2"])
def test_npz_of_sparse_rows(index: str, tmp_path: Path, small: None) -> None:
    """What scipy.sparse.save_npz writes is read without scipy, with y from the same archive if it is there."""
    matrix = sparse()
    scipy.sparse.save_npz(tmp_path / "a.npz", matrix)
    assert whole(open_stream(tmp_path / "a.npz", frozen=True))[0].tolist() == matrix.toarray().tolist()
    parts = {"data": matrix.data, "indices": matrix.indices.astype(index), "indptr": matrix.indptr.astype(index)}
    np.savez(tmp_path / "b.npz", **parts, shape=matrix.shape, labels=np.array(["no", "yes"] * 100))
    values, labels = whole(open_stream(tmp_path / "b.npz", target="labels"))
    assert values.tolist() == matrix.toarray().tolist()
    assert labels == ["no", "yes"] * 100


def parts(**change: Any) -> dict[str, Any]:
    """A matrix of two rows and three columns in compressed sparse rows, with something changed."""
    good = {"data": [1.0, 2, 3], "indices": [0, 2, 1], "indptr": [0, 2, 3], "shape": [2, 3], "y": [0, 1]}
    return {name: np.asarray(part) for name, part in (good | change).items()}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"indices": [0, 3, 1]}, "an index outside of the 3 columns"),
        ({"indices": [-1, 2, 1]}, "an index outside of the 3 columns"),
        ({"indices": [2, 2, 1]}, "an index stands twice in row 0"),
        ({"indices": [0.0, 2, 1]}, "contradict"),
        ({"indices": [0, 2]}, "contradict"),
        ({"indptr": [0, 3]}, "indptr of length 2 for 2 rows"),
        ({"indptr": [0, 9, 3]}, "indptr descends in row 1"),
        ({"indptr": [0, 2, 9]}, "indptr leads outside"),
        ({"indptr": [1, 2, 3]}, "indptr leads outside"),
        ({"shape": [2, 3, 1]}, "contradict"),
        ({"data": [1.0, np.nan, 3]}, "row 0, column 2 .counted from 0. holds nan"),
        ({"data": np.array([1, "a", None], object)}, "never unpickled"),
        ({"format": b"csc"}, "convert it with .tocsr"),
        ({"y": [0, 1, 2]}, "2 rows, but 3 labels"),
        ({"shape": [2, 0], "indices": [0, 0, 0]}, "there are no features"),
    ],
)
def test_sparse_archives_that_contradict_themselves(change: dict[str, Any], message: str, tmp_path: Path) -> None:
    """Whatever is wrong with the parts of a sparse matrix is an error and never a wrong row."""
    np.savez(tmp_path / "t.npz", **parts(**change))
    with pytest.raises(DataError, match=message):
        list(open_stream(tmp_path / "t.npz").batches())


def test_descending_indices_are_put_in_order(tmp_path: Path) -> None:
    """Indices that descend within a row, as scipy allows, are sorted with their values."""
    np.savez(tmp_path / "t.npz", **parts(indices=[2, 0, 1]))
    assert whole(open_stream(tmp_path / "t.npz"))[0].tolist() == [[2, 0, 1], [0, 3, 0]]


def test_an_archive_needs_rows_and_labels(tmp_path: Path) -> None:
    """What is missing is said with what there is; without labels an archive will do to predict."""
    np.savez(tmp_path / "t.npz", X=X)
    fault = "no array of labels is called 'y'; no other array is of one dimension"
    assert fault in refusal(open_stream(tmp_path / "t.npz"))
    assert whole(open_stream(tmp_path / "t.npz", frozen=True))[1] is None
    np.savez(tmp_path / "t.npz", X=X[0], y=Y[:7])
    assert "X is an array of shape (7,)" in refusal(open_stream(tmp_path / "t.npz"))
    np.savez(tmp_path / "u.npz", Z=X, z=Y)
    assert "the arrays in it are Z, z; X is expected" in refusal(open_stream(tmp_path / "u.npz"))
    np.savez(tmp_path / "v.npz", X=X, other=X, z=Y)
    assert "choose one of z with --target" in refusal(open_stream(tmp_path / "v.npz"))


def test_damaged_archives(tmp_path: Path) -> None:
    """Text, a cut archive, a wrong checksum and a header that lies about the shape are errors naming the file."""
    path = tmp_path / "t.npz"
    path.write_bytes(b"+1 1:2\n")
    assert ": this cannot be read" in refusal(open_stream(path))
    np.savez(path, X=X, y=Y)
    good = path.read_bytes()
    path.write_bytes(good[:-200])
    assert ": this cannot be read" in refusal(open_stream(path))
    path.write_bytes(good.replace(X[100].tobytes(), X[101].tobytes()))
    assert ": this cannot be read (Bad CRC" in refusal(open_stream(path))
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, {"descr": "<f8", "fortran_order": False, "shape": (300, 10**12)})
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("X.npy", header.getvalue())
        archive.writestr("y.npy", zipfile.ZipFile(io.BytesIO(good)).read("y.npy"))
    assert "an array is cut short" in refusal(open_stream(path))


def test_npy_with_labels_in_a_column_or_apart(tmp_path: Path, small: None) -> None:
    """The labels of an array are its last column, any column, or another file; else the error says how to choose."""
    np.save(tmp_path / "t.npy", np.c_[X[:, :3], Y, X[:, 3:]])
    np.save(tmp_path / "x.npy", X)
    np.save(tmp_path / "y.npy", Y)
    np.save(tmp_path / "last.npy", np.c_[X, Y])
    for name, target in (("t", "3"), ("x", str(tmp_path / "y.npy")), ("last", "last")):
        stream = open_stream(tmp_path / f"{name}.npy", target=target)
        values, labels = whole(stream)
        assert values.tolist() == X.tolist()
        assert labels == Y.tolist()
    for target in ("8", "-1", "age"):
        assert f"there is no column {target!r} to be the target" in refusal(
            open_stream(tmp_path / "t.npy", target=target)
        )
    assert "the labels are not given; pass --target last" in refusal(open_stream(tmp_path / "t.npy"))
    assert whole(open_stream(tmp_path / "x.npy", frozen=True))[1] is None
    np.save(tmp_path / "short.npy", Y[:5])
    assert "300 rows, but 5 labels" in refusal(open_stream(tmp_path / "x.npy", target=str(tmp_path / "short.npy")))


def test_npy_of_another_shape_or_type(tmp_path: Path) -> None:
    """Vectors, words, objects and damage are refused, and nothing is unpickled."""
    path = tmp_path / "t.npy"
    for array, message in ((X[0], "an array of shape"), (np.array([["a"]]), "values of type"), (X[:0], "no rows")):
        np.save(path, array)
        assert message in refusal(open_stream(path, target="last"))
    np.save(path, np.array([[{}]]), allow_pickle=True)
    assert "never unpickled" in refusal(open_stream(path, target="last"))
    path.write_bytes(b"hello")
    assert "this is no .npy file" in refusal(open_stream(path, target="last"))


def test_predicting_from_arrays(tmp_path: Path) -> None:
    """A model's schema finds the label's column or its absence, ignores later columns, and refuses too few."""
    np.save(tmp_path / "train.npy", np.c_[Y, X])
    stream = open_stream(tmp_path / "train.npy", target="0")
    list(stream.batches())
    schema = json.loads(json.dumps(stream.schema()))
    assert schema == {"format": "array", "columns": 7, "target": "0"}
    assert whole(open_stream(tmp_path / "train.npy", schema=schema, frozen=True))[1] == Y.tolist()
    for extra, width in ((X, 7), (np.c_[X, X], 7)):
        np.savez(tmp_path / "new.npz", X=extra)
        values, labels = whole(open_stream(tmp_path / "new.npz", schema=schema | {"target": None}, frozen=True))
        assert values.tolist() == X.tolist()
        assert (values.shape[1], labels) == (width, None)
    np.save(tmp_path / "new.npy", X)
    values, labels = whole(open_stream(tmp_path / "new.npy", schema=schema, frozen=True))
    assert values.tolist() == X.tolist()
    assert labels is None
    np.savez(tmp_path / "new.npz", X=X[:, :5], y=Y)
    message = refusal(open_stream(tmp_path / "new.npz", schema=schema | {"target": None}, frozen=True))
    assert "5 columns of features; 7 are expected" in message
    with pytest.raises(RegretlessError, match="columns='x'"):
        open_stream(tmp_path / "new.npz", schema={"format": "array", "columns": "x"})


def test_predicting_from_sparse_archives(tmp_path: Path) -> None:
    """Unknown columns of a sparse matrix contribute nothing; to learn, they are new; missing ones are zero."""
    np.savez(tmp_path / "t.npz", **parts())
    schema = {"format": "array", "columns": 2, "target": None}
    (frozen,) = open_stream(tmp_path / "t.npz", schema=schema, frozen=True).batches()
    assert (frozen.columns, frozen.entries) == (2, 2)
    (grown,) = open_stream(tmp_path / "t.npz", schema=schema).batches()
    assert (grown.columns, grown.entries) == (3, 3)
    (fewer,) = open_stream(tmp_path / "t.npz", schema=schema | {"columns": 9}, frozen=True).batches()
    assert (fewer.columns, fewer.entries) == (3, 3)


def test_real_archive(data: Path) -> None:
    """A real archive gives its 62 rows of 2,000 genes with their labels."""
    values, labels = whole(open_stream(data / "dense" / "gene_alon.npz"))
    assert values.shape == (62, 2000)
    assert sorted(set(labels or [])) == ["n", "t"]
