"""Svmlight text to rows: our loader and stream beside scikit-learn's reader and, where it is installed, xgboost's."""

from __future__ import annotations

import argparse
import importlib.util
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import data, timing
from regretless.data.svmlight import BLOCK, SvmlightStream, load_svmlight

Reader = Callable[[Path], Any]


def read_only(path: Path) -> None:
    """What no reader can do without."""
    block = bytearray(BLOCK)
    with path.open("rb", buffering=0) as file:
        while file.readinto(block):
            pass


def stream(path: Path) -> None:
    """Batch after batch, none kept."""
    for _ in SvmlightStream(path).batches():
        pass


def load_singles(path: Path) -> object:
    """Values as float32."""
    return load_svmlight(path, dtype="float32")


def sklearn(path: Path) -> Any:
    """One thread."""
    from sklearn.datasets import load_svmlight_file

    return load_svmlight_file(str(path), zero_based=False)


def xgboost(path: Path) -> object:
    """One thread."""
    import xgboost

    return xgboost.DMatrix(f"{path}?format=libsvm", nthread=1)


OURS: dict[str, Reader] = {
    "reading the bytes": read_only,
    "regretless, stream": stream,
    "regretless, load float64": load_svmlight,
    "regretless, load float32": load_singles,
}
PEERS: dict[str, Reader] = {"scikit-learn": sklearn, "xgboost": xgboost}


def take_turns(path: Path, repeats: int) -> dict[str, float]:
    """Best CPU seconds of each.

    Ours read three times for each time of a peer. While a slow peer reads, the host of a virtual machine takes back the
    memory that we freed, and whoever is next would pay for getting it again.
    """
    best: dict[str, float] = {}
    peers = {name: reader for name, reader in PEERS.items() if importlib.util.find_spec(reader.__name__)}
    for _ in range(repeats):
        for readers, turns in ((OURS, 3), (peers, 1)):
            contest = {name: partial(reader, path) for name, reader in readers.items()}
            for name, seconds in timing.in_process(contest, turns).items():
                best[name] = min(best.get(name, seconds), seconds)
    return best


def same_rows(path: Path) -> bool:
    """Whether our matrix has scikit-learn's values, bit for bit."""
    ours, our_labels = load_svmlight(path)
    theirs, their_labels = sklearn(path)
    return (
        np.array_equal(ours.data.view(np.int64), theirs.data.view(np.int64))
        and np.array_equal(ours.indices, theirs.indices)
        and np.array_equal(ours.indptr, theirs.indptr)
        and np.array_equal(our_labels, their_labels)
    )


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cache", type=Path, default=data.CACHE)
    parser.add_argument("--rows", type=int, default=data.ROWS)
    parser.add_argument("--repeats", type=int, default=2)
    options = parser.parse_args()
    path = data.text(options.cache, options.rows)
    take_turns(data.text(options.cache, rows=100), 1)  # imports do not count
    best = take_turns(path, options.repeats)
    size = path.stat().st_size / 1e6
    timing.show(f"file of {size:.0f} MB to rows", best, "s CPU", "regretless, load float64")
    for name, seconds in best.items():
        print(f"  {name:42} {size / seconds:12.0f} MB/s")
    print("  the rows are", "scikit-learn's, bit for bit" if same_rows(path) else "NOT THOSE OF SCIKIT-LEARN")


if __name__ == "__main__":
    main()
