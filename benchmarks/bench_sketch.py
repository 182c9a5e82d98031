"""AROW with the diagonal of its matrix, with sketches of it, and with all of it: errors in percent of one pass, each
row predicted before it is learned, and CPU seconds.

``python -m benchmarks.bench_sketch --data DATA`` prints the table, over three random orders of each set. With
``--images FOLDER`` the first rows of a set of images too, such as Fashion-MNIST: ``train-images-idx3-ubyte.gz`` and the
labels beside it, pixels from 0 to 255.
"""

from __future__ import annotations

import argparse
import gzip
import os
from collections.abc import Iterator
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

from benchmarks.default_data import load
from regretless.linear import AROW

SETS = ("sonar", "musk1", "spambase", "higgs", "a9a", "usps")
ORDERS, MOST_ROWS, MOST_IMAGES, MOST_FULL = 3, 20_000, 20_000, 300
RANKS = (2, 5, 10, 20, 50)


def images(folder: Path) -> tuple[Any, Any]:
    """The first images of a set in the format of MNIST, a row an image, and their labels."""
    pixels, labels = (
        np.frombuffer(gzip.decompress((folder / f"train-{name}-ubyte.gz").read_bytes()), np.uint8, offset=offset)
        for name, offset in (("images-idx3", 16), ("labels-idx1", 8))
    )
    rows = pixels.reshape(len(labels), -1)
    return rows[:MOST_IMAGES].astype(float), labels[:MOST_IMAGES]


def learners(columns: int) -> Iterator[tuple[str, AROW]]:
    """What is compared, by the heading of its column. All of the matrix has r in the units of the rows."""
    yield "diagonal", AROW(matrix="diagonal")
    for rank in RANKS:
        yield f"rank {rank}", AROW(matrix="sketch", rank=rank)
    if columns <= MOST_FULL:
        yield "full", AROW(matrix="full")


def measured(X: Any, y: Any) -> dict[str, tuple[float, float]]:
    """Errors in percent, and seconds."""
    result = {}
    for name, learner in learners(X.shape[1]):
        begin = process_time()
        ledger = learner.fit(X, y).ledger_
        result[name] = 100 * ledger.mistakes / ledger.rounds, process_time() - begin
    return result


def rounds_of(name: str, options: argparse.Namespace) -> Iterator[tuple[Any, Any]]:
    """The rows of a set in each order."""
    for seed in range(ORDERS):
        if name == "images":
            X, y = images(options.images)
            order = np.random.default_rng(seed).permutation(len(y))
            yield X[order], y[order]
        else:
            X, y = load(name, options.data, seed)
            yield X[:MOST_ROWS].toarray(), y[:MOST_ROWS]


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=os.environ.get("REGRETLESS_DATA"), help="folder of public data")
    parser.add_argument("--images", type=Path, help="folder of images in the format of MNIST")
    parser.add_argument("--sets", default=",".join(SETS), help="which, with commas between them")
    options = parser.parse_args()
    if options.data is None:
        parser.error("give --data, the folder of public data")
    names = ["diagonal", *(f"rank {rank}" for rank in RANKS), "full"]
    print("| set | rows | columns | classes | " + " | ".join(names) + " |")
    print("| --- |" + " --- |" * (3 + len(names)))
    for name in [one for one in options.sets.split(",") if one] + ["images"] * (options.images is not None):
        each = []
        for X, y in rounds_of(name, options):
            each.append(measured(X, y))
            size = f"{len(y):,} | {X.shape[1]} | {len(np.unique(y))}"
        cells = [
            f"{np.mean([run[one][0] for run in each]):.2f}, {np.min([run[one][1] for run in each]):.2f} s"
            if one in each[0]
            else ""
            for one in names
        ]
        print(f"| {name} | {size} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
