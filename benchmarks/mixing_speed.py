"""Seconds and bytes of an epoch: processes of one machine, Dask and Spark, with shards on disk."""

from __future__ import annotations

import os
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import data, mixing_data
from regretless.distributed import Here, files, mix, workers
from regretless.linear import AveragedPerceptron

SHARDS, WORKERS = 8, 2
FORMATS: dict[str, tuple[Callable[[Path, int, int], list[Path]], dict[str, Any]]] = {
    "svmlight text": (mixing_data.text, {}),
    "npz, sparse": (mixing_data.archives, {}),
    "Parquet, dense": (mixing_data.tables, {"target": "label"}),
}


def epochs(shards: Sequence[Any], executor: Any, count: int = 2, **how: Any) -> list[dict[str, float]]:
    """What each epoch took: seconds, CPU seconds of all shards and of the driver, and the bytes that moved.

    The first one is left out: there the first rows of the first shard are looked at to find out what columns there are.
    """
    results: list[dict[str, float]] = []
    driver = time.process_time()

    def measure(epoch: Any) -> None:
        nonlocal driver
        now = time.process_time()
        results.append({name: getattr(epoch, name) for name in MEASURED} | {"driver": now - driver})
        driver = time.process_time()

    mixture = mix(AveragedPerceptron(), shards, executor, epochs=1 + count, classes=[-1, 1], on_epoch=measure, **how)
    nonzeros = float(mixture.nonzeros.sum())
    return [one | {"nonzeros": nonzeros} for one in results[1:]]


MEASURED = ("seconds", "cpu", "reading", "bytes_down", "bytes_up")


def processes(cache: Path, rows: int, repeats: int, pieces: tuple[int, ...] = (8, 32)) -> dict[str, Any]:
    """An epoch with one process, two, and two threads, in turns, the best of several; the pools stand before."""
    results: dict[str, Any] = {"load": round(os.getloadavg()[0], 2), "rows": rows}
    with workers(1) as one, workers(WORKERS) as two, ThreadPoolExecutor(WORKERS) as threads:
        pools = {"1": one, "2": two, "threads": threads}
        for name, (made, reading) in FORMATS.items():
            shards = files([str(path) for path in made(cache, SHARDS, rows)], **reading)
            results[name] = contest(shards, pools, repeats)
        paths = [str(path) for path in mixing_data.text(cache, SHARDS, rows)]
        for many in pieces:
            name = f"svmlight text, each file in {many} pieces, 2 together"
            results[name] = contest(files(paths, pieces=many), pools, repeats, together=WORKERS)
    return results


def contest(shards: Sequence[Any], pools: dict[str, Any], repeats: int, **how: Any) -> dict[str, Any]:
    """The quickest epoch of each pool; how many times quicker, also by CPU seconds, which other programs change little.

    By CPU seconds an epoch of two processes takes half of what the shards need and all that the driver needs.
    """
    runs: dict[str, list[dict[str, float]]] = {name: [] for name in pools}
    for _ in range(repeats):
        for name, pool in pools.items():
            runs[name] += epochs(shards, pool, **how)
    best = {name: min(each, key=lambda epoch: epoch["seconds"]) for name, each in runs.items()}
    shared, driven = (
        {name: min(epoch[part] for epoch in runs[name]) for name in ("1", "2")} for part in ("cpu", "driver")
    )
    needed = shared["1"] + driven["1"], shared["2"] / WORKERS + driven["2"]
    middle = {name: statistics.median(epoch["seconds"] for epoch in each) for name, each in runs.items()}
    return {
        "best": {name: _rounded(epoch) for name, epoch in best.items()},
        "ratio": round(best["1"]["seconds"] / best["2"]["seconds"], 3),
        "ratio by CPU": round(needed[0] / needed[1], 3),
        "median ratio": round(middle["1"] / middle["2"], 3),
    }


# ---- what an engine needs for itself


def engines(cache: Path, repeats: int) -> dict[str, Any]:
    """The seconds of an epoch of eight shards of so few rows that all of it is the engine's, and of the weights'."""
    small = mixing_data.text(cache, SHARDS, 800)
    results: dict[str, Any] = {"load": round(os.getloadavg()[0], 2), "columns": data.COLUMNS}
    for name, engine in ENGINES.items():
        try:
            with engine(small) as (executor, shards):
                each = epochs(shards, executor, 3 * repeats)
        except ImportError as error:
            print(f"{name} is left out: {error}")
            continue
        except Exception as error:
            if "not installed" not in str(error):
                raise
            print(f"{name} is left out: {error}")
            continue
        beyond = [one["seconds"] - one["cpu"] / WORKERS for one in each]
        results[name] = {"least": round(min(beyond), 4), "median": round(statistics.median(beyond), 4)}
    return results


@contextmanager
def _here(paths: list[Path]) -> Iterator[tuple[Any, Any]]:
    yield None, files([str(path) for path in paths])


@contextmanager
def _pool(paths: list[Path]) -> Iterator[tuple[Any, Any]]:
    with workers(WORKERS) as pool:
        yield pool, files([str(path) for path in paths])


@contextmanager
def _dask(paths: list[Path]) -> Iterator[tuple[Any, Any]]:
    from distributed import Client, LocalCluster

    with (
        LocalCluster(n_workers=WORKERS, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):
        yield client, files([str(path) for path in paths])


@contextmanager
def _spark(paths: list[Path]) -> Iterator[tuple[Any, Any]]:
    from pyspark.sql import SparkSession

    from regretless.distributed.spark import SparkEngine

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    with ExitStack() as stack:
        builder = SparkSession.builder.master(f"local[{WORKERS}]").config("spark.ui.enabled", "false")
        builder = builder.config("spark.ui.showConsoleProgress", "false")
        session = builder.getOrCreate()
        stack.callback(session.stop)
        session.sparkContext.setLogLevel("ERROR")
        yield SparkEngine(session), files([str(path.resolve()) for path in paths])


ENGINES = {"this process": _here, "2 processes": _pool, "Dask, 2 workers": _dask, "Spark, 2 cores": _spark}


# ---- what travels


def moved(cache: Path, rows: int) -> dict[str, Any]:
    """Bytes of an epoch, by formula and as they were pickled: weights that all shards touch, and some that few do."""
    dense = files([str(path) for path in mixing_data.text(cache, SHARDS, rows)])
    wide = files([str(path) for path in _wide(cache)])
    with workers(WORKERS) as pool:
        return {"dense": _bytes(dense, pool), "sparse": _bytes(wide, pool)}


WIDE, FEW = 4_000_000, 16_000


def _wide(cache: Path) -> list[Path]:
    """A few rows of millions of columns: most weights stay what they are."""
    folder = cache / f"wide-{FEW}x{WIDE}"
    if not folder.exists():
        partial = folder.with_suffix(".partial")
        partial.mkdir(parents=True)
        rows = data.generate(FEW, WIDE)
        for place, part in enumerate(np.array_split(np.arange(FEW), SHARDS)):
            starts = rows.starts[part[0] : part[-1] + 2]
            shard = data.Rows(rows.values, rows.indices, starts, rows.labels[part])
            data.write_text(partial / f"part-{place}.svm", shard)
        partial.rename(folder)
    return sorted(folder.glob("part-*.svm"))


def _bytes(shards: Sequence[Any], pool: Any) -> dict[str, Any]:
    *_, last = epochs(shards, pool, 2)
    looking = Looking()
    mix(AveragedPerceptron(), shards, looking, epochs=3, classes=[-1, 1])
    size = looking.size
    return {
        "columns": size - 1,
        "not zero": looking.held,
        "touched": round(statistics.mean(looking.touched)),
        "down": [WORKERS * 8 * min(size, 2 * looking.held), last["bytes_down"]],
        "up": [8 * sum(min(2 * size, 3 * rows) for rows in looking.touched), last["bytes_up"]],
    }


class Looking(Here):
    """This process, which keeps how many weights the last epoch began with, and how many each shard moved."""

    def fold(self, work: Any, merge: Any, common: Any, shards: Any, **how: Any) -> Any:
        """As anywhere."""
        if common is not None:
            parts = [work(common, shard).part for shard in shards]
            self.touched = [part.size if part.rows is None else len(part.rows) for part in parts]
            self.size, self.held = len(common.weights), int(np.count_nonzero(common.weights))
        return super().fold(work, merge, common, shards, **how)


def _rounded(measured: dict[str, float]) -> dict[str, float]:
    return {name: round(value, 4) if isinstance(value, float) else value for name, value in measured.items()}
