"""Arrow batches of Spark's columns as batches of rounds, without Spark."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("pyspark")

from regretless.data import Batch
from regretless.distributed.spark.engine import PartitionTask
from regretless.distributed.spark.rows import Layout, RecordStream, batch_of
from regretless.errors import DataError, RegretlessError

VECTOR = pa.struct(
    [
        pa.field("type", pa.int8(), nullable=False),
        ("size", pa.int32()),
        ("indices", pa.list_(pa.int32())),
        ("values", pa.list_(pa.float64())),
    ]
)
WIDTH = 4

rows = st.lists(st.tuples(st.booleans(), st.lists(st.sampled_from([0.0, 1.5, -2.0, 1e-300]), min_size=4, max_size=4)))


def vectors(given: list[tuple[bool, list[float]]]) -> Any:
    """Rows as pyspark.ml vectors, dense where the first is true."""
    results = []
    for dense, values in given:
        places = [place for place, value in enumerate(values) if value]
        sparse = {"type": 0, "size": len(values), "indices": places, "values": [values[place] for place in places]}
        results.append({"type": 1, "size": None, "indices": None, "values": values} if dense else sparse)
    return pa.array(results, VECTOR)


def dense(batch: Batch) -> Any:
    """The rows of a batch, zeros and all."""
    if batch.starts is None or batch.indices is None:
        return batch.values
    sums = np.zeros((len(batch), batch.columns))
    sums[np.repeat(np.arange(len(batch)), np.diff(batch.starts)), batch.indices] = batch.values
    return sums


def records(**columns: Any) -> Any:
    """A record batch of some columns."""
    return pa.RecordBatch.from_pydict(columns)


@given(rows.filter(bool), st.integers(0, 3))
def test_vectors_hold_what_they_held(given: list[tuple[bool, list[float]]], cut: int) -> None:
    """A batch has the rows of its vectors, dense and sparse ones mixed, also of a slice of a longer Arrow batch."""
    cut = min(cut, len(given) - 1)
    batch = batch_of(records(x=vectors(given)).slice(cut), Layout("vector", ("x",)), "here")
    assert dense(batch).tolist() == [values for _, values in given[cut:]]
    assert batch.columns == WIDTH
    assert batch.sparse == (not all(one for one, _ in given[cut:]))
    if batch.indices is not None:
        inside = np.ones(len(batch.indices), bool)
        inside[batch.starts[:-1][np.diff(batch.starts) > 0]] = False
        assert (np.diff(batch.indices)[inside[1:]] > 0).all()


@pytest.mark.parametrize("kind", [pa.float64(), pa.float32(), pa.int16(), pa.decimal128(6, 2)])
def test_arrays_and_columns_agree(kind: Any) -> None:
    """The same numbers are the same batch as arrays and as a column each, in single precision where all are."""
    values = [[1, 2, 3], [4, 5, 6]]
    arrays = batch_of(records(x=pa.array(values, pa.list_(kind))), Layout("array", ("x",)), "here")
    table = {name: pa.array([row[place] for row in values], kind) for place, name in enumerate("abc")}
    columns = batch_of(records(**table), Layout("columns", ("a", "b", "c")), "here")
    assert arrays.values.dtype == columns.values.dtype == (np.float32 if kind == pa.float32() else np.float64)
    assert arrays.values.tolist() == columns.values.tolist() == values
    assert columns.values.flags.c_contiguous


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (pa.array([3, 1, 3], pa.int32()), np.array([3, 1, 3])),
        (pa.array([3.0, 1.0, 3.0], pa.float32()), np.array([3.0, 1.0, 3.0])),
        (pa.array(["no", "yes", "no"]), np.array(["no", "yes", "no"])),
        (pa.array([True, False, True]), np.array([True, False, True])),
    ],
)
def test_labels_keep_their_type(labels: Any, expected: Any) -> None:
    """Whole numbers stay whole, words words and truth values truth values."""
    given = records(x=pa.array([1.0, 2.0, 3.0]), y=labels)
    result = batch_of(given, Layout("columns", ("x",), "y"), "here").labels
    assert result is not None
    assert result.dtype.kind == expected.dtype.kind
    assert result.tolist() == expected.tolist()


@pytest.mark.parametrize(
    ("columns", "layout", "message"),
    [
        ({"x": [1.0, None]}, Layout("columns", ("x",)), "column 'x', row 8 (counted from 0): null"),
        (
            {"a": [1.0, 2.0], "b": [np.inf, 2.0]},
            Layout("columns", ("a", "b")),
            "'b', row 7 (counted from 0): inf",
        ),
        ({"x": [[1.0], None]}, Layout("array", ("x",)), "column 'x', row 8 (counted from 0): null"),
        ({"x": [[1.0, 2.0], [3.0, None]]}, Layout("array", ("x",)), "row 8 (counted from 0): null at place 1"),
        ({"x": [[1.0, 2.0], [3.0]]}, Layout("array", ("x",)), "row 8 (counted from 0): the array has 1 numbers"),
        ({"x": [1.0, 2.0], "y": [np.nan, 1.0]}, Layout("columns", ("x",), "y"), "column 'y', row 7"),
        ({"x": [1.0, 2.0], "y": ["a", None]}, Layout("columns", ("x",), "y"), "column 'y', row 8"),
    ],
)
def test_what_is_missing_is_named(columns: dict[str, Any], layout: Layout, message: str) -> None:
    """An error names the place, the column, and the row in the partition."""
    with pytest.raises(DataError) as error:
        batch_of(pa.RecordBatch.from_pydict(columns), layout, "partition 5", 7)
    assert message in str(error.value)
    assert str(error.value).startswith("partition 5: ")


def test_a_sparse_vector_names_what_is_not_finite() -> None:
    """Not a number in a sparse vector is found under its own index."""
    with pytest.raises(DataError, match=r"column 'x', row 1 \(counted from 0\): nan at place 2"):
        batch_of(
            records(x=vectors([(False, [1.0, 0, 0, 0]), (False, [0, 0, np.nan, 1.0])])), Layout("vector", ("x",)), "p"
        )


def test_a_task_gives_its_rows_once_or_keeps_them() -> None:
    """Rows that are not kept are refused a second time, and that is noted; rows that are kept come again."""
    batches = [records(x=pa.array([1.0, 2.0])), records(x=pa.array([3.0]))]
    once, storing = (PartitionTask(iter(batches), "p", 3, keep) for keep in (False, True))
    assert sum(batch.num_rows for batch in once.read()) == 3
    with pytest.raises(RegretlessError, match="read already"):
        once.read()
    assert once.again
    for _ in range(3):
        assert [batch.column(0).to_pylist() for batch in storing.read()] == [[1.0, 2.0], [3.0]]
    assert not storing.again


def test_other_rows_than_were_counted_are_refused() -> None:
    """A partition that has fewer or more rows than when it was counted is an error that says so."""
    for rows in (2, 4):
        with pytest.raises(DataError, match=rf"3 rows, but {rows} when they were counted"):
            list(PartitionTask(iter([records(x=pa.array([1.0, 2.0, 3.0]))]), "p", rows, False).read())


def test_a_stream_passes_over_what_was_played() -> None:
    """The first rows can be left out, and empty record batches are no rounds."""
    batches = [records(x=pa.array([], pa.float64())), records(x=pa.array([1.0, 2.0])), records(x=pa.array([3.0]))]
    stream = RecordStream(lambda: iter(batches), Layout("columns", ("x",)), "p", None)
    assert [batch.values.ravel().tolist() for batch in stream.batches(1)] == [[2.0], [3.0]]
    assert stream.schema()["names"] == stream.feature_names() == ["x"]
    assert stream.schema()["columns"] == 1
