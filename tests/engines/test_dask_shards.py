"""Partitions of Dask collections as shards: made where they are played, named in what goes wrong."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("dask")

import dask
import dask.array as da
import dask.bag
import dask.dataframe as dd
import pandas as pd
from scipy.sparse import csr_matrix

from regretless.distributed.dask import partitions
from regretless.distributed.dask.engine import DaskEngine
from regretless.errors import DataError, RegretlessError

ROWS = np.random.default_rng(0).normal(size=(20, 3)).round(3)
LABELS = np.array(["no", "yes"])[(ROWS[:, 0] > 0).astype(int)]
FRAME = pd.DataFrame(ROWS, columns=["a", "b", "c"]).assign(label=LABELS)


def read_shard(common: Any, shard: Any) -> list[Any]:
    """The rows and labels of a shard, and what its columns are called."""
    stream = shard.open(None)
    rows, labels = [], []
    for batch in stream.batches():
        rows.append(_dense(batch))
        labels.append(batch.labels)
    return [(shard.name, np.vstack(rows), np.concatenate(labels), stream.feature_names())]


def _dense(batch: Any) -> Any:
    if not batch.sparse:
        return batch.values
    return csr_matrix((batch.values, batch.indices, batch.starts), shape=(len(batch), batch.columns)).toarray()


def both(common: Any, left: list[Any], right: list[Any]) -> list[Any]:
    return [*left, *right]


def read(inputs: Any, **how: Any) -> list[Any]:
    """What the shards of something hold, on threads."""
    return list(DaskEngine().fold(read_shard, both, None, partitions(inputs, **how)))


def check(result: list[Any], sizes: list[int], names: list[str] | None = None) -> None:
    """All rows, in their order, in partitions of these sizes."""
    assert [name for name, *_ in result] == [f"partition {place}" for place in range(len(sizes))]
    assert [len(rows) for _, rows, *_ in result] == sizes
    assert np.array_equal(np.vstack([rows for _, rows, *_ in result]), ROWS)
    assert [label for one in result for label in one[2].tolist()] == LABELS.tolist()
    assert all(one[3] == names for one in result)


def frames(partitioned: int = 3) -> Any:
    return dd.from_pandas(FRAME, npartitions=partitioned)


def test_a_frame_with_a_label_column() -> None:
    """The column of the labels is taken off, and the others keep their names."""
    check(read(frames(), label="label"), [7, 7, 6], ["a", "b", "c"])


def test_a_frame_and_a_series() -> None:
    """X and y may be two collections of one source."""
    frame = frames()
    check(read((frame[["a", "b", "c"]], frame["label"])), [7, 7, 6], ["a", "b", "c"])
    check(read((frame[["a", "b", "c"]], frame[["label"]])), [7, 7, 6], ["a", "b", "c"])


def test_arrays() -> None:
    """Blocks of rows are shards, however their columns are cut."""
    X, y = da.from_array(ROWS, chunks=(8, 2)), da.from_array(LABELS, chunks=8)
    check(read((X, y)), [8, 8, 4])
    check(read((X, y[:, None])), [8, 8, 4])


def test_labels_that_are_cut_elsewhere() -> None:
    """Labels follow the rows where it is known how many these are."""
    check(read((da.from_array(ROWS, chunks=(8, 3)), da.from_array(LABELS, chunks=5))), [8, 8, 4])


def test_sparse_blocks() -> None:
    """Blocks may be sparse matrices."""
    X = da.from_array(ROWS, chunks=(8, 3)).map_blocks(csr_matrix)
    check(read((X, da.from_array(LABELS, chunks=8))), [8, 8, 4])


def test_delayed_readers() -> None:
    """A delayed reader gives (X, y), or a frame."""
    pairs = [dask.delayed(lambda part: (part[["a", "b", "c"]], part["label"]))(FRAME[i : i + 10]) for i in (0, 10)]
    check(read(pairs), [10, 10], ["a", "b", "c"])
    check(read([dask.delayed(FRAME[i : i + 10]) for i in (0, 10)], label="label"), [10, 10], ["a", "b", "c"])
    check(read(dask.delayed(FRAME), label="label"), [20], ["a", "b", "c"])


def test_files_of_a_frame_stay_apart(tmp_path: Path) -> None:
    """Each file of a frame is a shard, also where few columns of them are read."""
    wide = FRAME.assign(**{f"more{place}": 0.0 for place in range(40)})
    for place in range(4):
        wide[place * 5 : place * 5 + 5].to_parquet(tmp_path / f"part-{place}.parquet")
    frame = dd.read_parquet(tmp_path)
    check(read((frame[["a", "b", "c"]], frame["label"])), [5, 5, 5, 5], ["a", "b", "c"])
    check(read(frame[["a", "b", "c", "label"]], label="label"), [5, 5, 5, 5], ["a", "b", "c"])


def test_paths_are_shards_too(tmp_path: Path) -> None:
    """A pattern stands for its files."""
    for place in (0, 1):
        FRAME[place * 10 : place * 10 + 10].to_csv(tmp_path / f"part-{place}.csv", index=False)
    shards = read(str(tmp_path / "part-*.csv"))
    assert np.array_equal(np.vstack([rows for _, rows, *_ in shards]), ROWS)


def test_a_partition_travels_as_what_makes_it(tmp_path: Path) -> None:
    """What is pickled of a partition of files is far smaller than its rows, and makes the same rows elsewhere."""
    many = pd.concat([FRAME] * 500, ignore_index=True)
    for place in (0, 1):
        many[place * 5000 : place * 5000 + 5000].to_parquet(tmp_path / f"part-{place}.parquet")
    shards = partitions(dd.read_parquet(tmp_path), label="label")
    sent = pickle.dumps(shards[1])
    assert len(sent) < 0.1 * 5000 * 3 * 8
    assert np.array_equal(read_shard(None, pickle.loads(sent))[0][1], many[["a", "b", "c"]].to_numpy()[5000:])


def test_what_partitions_share_is_made_once() -> None:
    """A task that several partitions are made of is run once by Dask, and not by each of them."""
    runs: list[int] = []

    def whole() -> pd.DataFrame:
        runs.append(1)
        return FRAME

    source = dask.delayed(whole)()
    readers = [source[place * 10 : place * 10 + 10] for place in (0, 1)]
    check(read(readers, label="label"), [10, 10], ["a", "b", "c"])
    assert len(runs) == 1
    with pytest.raises(RegretlessError, match="partition 0: it is held by Dask's workers"):
        partitions(readers, label="label")[0].open(None)


def test_an_empty_partition_is_named() -> None:
    """A partition without rows is no silent gap."""
    for inputs, how in (
        (frames()[frames()["a"] > 10], {"label": "label"}),
        ((frames()[["a"]][frames()["a"] > 10], frames()["label"][frames()["a"] > 10]), {}),
        ([dask.delayed((ROWS[:0], LABELS[:0]))], {}),
        ((da.from_array(ROWS, chunks=(20, 3))[:0], da.from_array(LABELS)[:0]), {}),
    ):
        with pytest.raises(DataError, match=r"^partition 0: no rows; every shard needs at least one"):
            read(inputs, **how)


def test_a_reader_that_fails_is_named() -> None:
    """What a user's task raises comes with the partition's name."""

    def fails(place: int) -> Any:
        if place == 1:
            raise KeyError("nothing there")
        return ROWS, LABELS

    with pytest.raises(DataError, match=r"^partition 1: to make it raised KeyError: 'nothing there'"):
        read([dask.delayed(fails)(place) for place in range(3)])


def test_what_a_reader_gives_must_be_rows() -> None:
    """Something else than rows and labels is refused by its kind."""
    with pytest.raises(DataError, match=r"^partition 0: this is ndarray; rows and their labels are expected"):
        read([dask.delayed(ROWS)])
    with pytest.raises(DataError, match=r"^partition 0: a frame, and there is no label=; the columns are 'a', 'b'"):
        read([dask.delayed(FRAME)])


@pytest.mark.parametrize(
    ("inputs", "how", "message"),
    [
        (lambda: frames(), {}, "needs label="),
        (lambda: frames(), {"label": "d"}, "label='d': there is no such column; there are 'a', 'b', 'c', 'label'"),
        (lambda: (frames(3)[["a"]], frames(2)["label"]), {}, "X has 3 partitions and y 2"),
        (lambda: (da.ones((4, 2), chunks=2), da.ones(5, chunks=2)), {}, "X has 4 rows and y 5"),
        (lambda: (da.ones((4, 2, 2), chunks=2), da.ones(4, chunks=2)), {}, "X has 3 dimensions"),
        (lambda: (frames()[["a"]], frames()[["a", "b"]]), {}, "y has 2 columns"),
        (lambda: da.ones((4, 2)), {}, "a dask Array is no shards by itself"),
        (lambda: frames()["a"], {"label": "a"}, "a dask Series is no shards by itself"),
        (lambda: [frames(), frames(), frames()], {}, "a list of dask DataFrame is no shards"),
        (lambda: (dask.delayed(ROWS), da.ones(4)), {}, "a tuple of dask Delayed\\w*, dask Array is no shards"),
        (lambda: (da.ones((4, 2)), LABELS[:4]), {}, "a tuple of dask Array, numpy ndarray is no shards"),
        (lambda: dask.bag.from_sequence([1]), {}, "a dask Bag is no shards by itself"),
        (lambda: [(ROWS, LABELS)], {"label": "label"}, "label= is for data frames"),
    ],
)
def test_what_is_no_shards_is_refused(inputs: Any, how: dict[str, Any], message: str) -> None:
    """Anything else is refused before it is computed, and the message says what was given."""
    with pytest.raises(RegretlessError, match=message):
        partitions(inputs(), **how)
