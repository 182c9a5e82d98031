"""The rows of the mixing benchmark, cut into shards: in memory in several ways, and on disk in several formats."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache as cache_of
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from benchmarks import data
from benchmarks.accuracy_data import Task

Array = np.ndarray[Any, np.dtype[Any]]
TEST = 50_000
DENSE = 75


def planted(rows: data.Rows, test: int = TEST) -> Task:
    """The rows, the last of them for testing: their labels come from the same separator, with the same noise."""
    starts = rows.starts.astype(np.int32)  # or all indices would become 64 bits wide
    X = sp.csr_array((rows.values, rows.indices, starts), shape=(len(rows.labels), data.COLUMNS))
    at = len(rows.labels) - test
    return Task(X[:at], rows.labels[:at], X[at:], rows.labels[at:])


def benchmark(cache: Path, rows: int = data.ROWS) -> Task:
    """The rows of the other benchmarks, which are generated before those for testing and are the same therefore."""
    return planted(data.arrays(cache, rows + TEST))


def equal(task: Task, shards: int) -> list[Array]:
    """Shards of one size, in the order of the rows."""
    return np.array_split(np.arange(len(task.y)), shards)


def halved(task: Task, shards: int) -> list[Array]:
    """Each shard has half the rows of the one before it."""
    shares = np.cumsum(0.5 ** np.arange(shards))
    return np.split(np.arange(len(task.y)), (len(task.y) * shares[:-1] / shares[-1]).astype(np.int64))


def uneven(task: Task, shards: int) -> list[Array]:
    """Shards whose sizes are log-normal: the largest have a hundred times the rows of the smallest, and more."""
    sizes = np.random.default_rng(0).lognormal(sigma=1.2, size=shards)
    ends = np.maximum((np.cumsum(sizes) / sizes.sum() * len(task.y)).astype(np.int64), np.arange(1, shards + 1))
    return np.split(np.arange(len(task.y)), ends[:-1])


def by_feature(task: Task, shards: int) -> list[Array]:
    """Shards whose rows are about different features: sorted by the column of their largest value."""
    values, columns = (one.reshape(len(task.y), -1) for one in (task.X.data, task.X.indices))
    about = columns[np.arange(len(columns)), values.argmax(axis=1)]
    return np.array_split(np.argsort(about, kind="stable"), shards)


def by_label(task: Task, shards: int) -> list[Array]:
    """Shards of one class each, but for the one where they meet."""
    return np.array_split(np.argsort(task.y, kind="stable"), shards)


WAYS: Mapping[str, Callable[[Task, int], list[Array]]] = {
    "equal, in any order": equal,
    "each half the one before": halved,
    "sorted by feature": by_feature,
    "sorted by label": by_label,
}


def cut(task: Task, places: list[Array]) -> list[tuple[Any, Array]]:
    """The shards in memory."""
    return [(task.X[one], task.y[one]) for one in places]


def text(cache: Path, shards: int, rows: int = data.ROWS) -> list[Path]:
    """The rows as svmlight text, a file for each shard."""

    @cache_of
    def read() -> data.Rows:
        return data.arrays(cache, rows + TEST)

    def write(path: Path, part: slice) -> None:
        metadata = read()
        starts = metadata.starts[part.start : part.stop + 1]
        data.write_text(path, data.Rows(metadata.values, metadata.indices, starts, metadata.labels[part]))

    return _written(cache, f"text-{rows}", "svm", shards, rows, write)


def archives(cache: Path, shards: int, rows: int = data.ROWS) -> list[Path]:
    """The rows as sparse .npz archives that are not compressed."""

    @cache_of
    def read() -> Task:
        return benchmark(cache, rows)

    def write(path: Path, part: slice) -> None:
        task = read()
        sp.save_npz(path, task.X[part], compressed=False)
        with np.load(path) as stored:
            arrays = dict(stored)
        np.savez(path, **arrays, y=task.y[part])

    return _written(cache, f"npz-{rows}", "npz", shards, rows, write)


def tables(cache: Path, shards: int, rows: int = data.ROWS) -> list[Path]:
    """As many dense rows in as many columns as a sparse row has values, as Parquet."""

    def write(path: Path, part: slice) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        random = np.random.default_rng(part.start)
        X = random.standard_normal((part.stop - part.start, DENSE), dtype=np.float32)
        y = np.where(X @ np.random.default_rng(1).standard_normal(DENSE) > 0, 1, -1)
        columns = {f"x{k}": X[:, k] for k in range(DENSE)}
        pq.write_table(pa.table({**columns, "label": y}), path)

    return _written(cache, f"parquet-{rows}", "parquet", shards, rows, write)


def _written(
    cache: Path, name: str, suffix: str, shards: int, rows: int, write: Callable[[Path, slice], None]
) -> list[Path]:
    folder = cache / f"{name}x{shards}"
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for place, part in enumerate(np.array_split(np.arange(rows), shards)):
        path = folder / f"part-{place}.{suffix}"
        if not path.exists():
            partial = folder / f"partial.{suffix}"
            write(partial, slice(int(part[0]), int(part[-1]) + 1))
            partial.rename(path)
        paths.append(path)
    return paths
