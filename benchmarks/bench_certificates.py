"""What certificates cost: `learn` with and without them in fresh processes, and `certify(X, y)` beside `fit`.

CPU seconds, the best of several, on rows of labels that a vector with noise gives.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import timing
from regretless.linear import AROW, Perceptron, Winnow

LEARNERS = ("aggregated", "perceptron", "arow", "winnow", "multiclass-perceptron")
# rows, numbers in a row, columns, classes
FILES = (
    (500, 20, 1000, 2),
    (100_000, 20, 1000, 2),
    (600_000, 20, 1000, 2),
    (20_000, 20, 1000, 8),
    (20_000, 20, 1000, 32),
)
ARRAYS = (
    (1000, 10, 100),
    (10_000, 10, 100),
    (10_000, 100, 100),
    (100_000, 20, 1000),
    (1_000_000, 20, 1000),
    (20_000, 20, 10**6),
)


def rows_of(rows: int, length: int, columns: int, classes: int = 2) -> tuple[Any, np.ndarray[Any, Any]]:
    """Sparse rows, or dense ones where a row has all columns, and labels with noise."""
    from scipy.sparse import csr_array

    random = np.random.default_rng(0)
    values = random.normal(size=(rows, length)).astype(np.float32)
    if length < columns:
        places = np.sort(random.integers(0, columns, (rows, length)), axis=1).astype(np.int32)
        X: Any = csr_array(
            (values.ravel(), places.ravel(), np.arange(0, rows * length + 1, length)), shape=(rows, columns)
        )
        X.sum_duplicates()
    else:
        X = values
    scores = X @ random.normal(size=(columns, max(1, classes if classes > 2 else 1)))
    scores += random.normal(size=scores.shape) * scores.std()
    return X, np.where(scores[:, 0] > 0, 1, -1) if classes == 2 else scores.argmax(axis=1)


def write(X: Any, y: np.ndarray[Any, Any], path: Path) -> None:
    """As svmlight text."""
    with path.open("w") as file:
        for row, label in enumerate(y.tolist()):
            begin, end = X.indptr[row], X.indptr[row + 1]
            pairs = zip(X.indices[begin:end].tolist(), X.data[begin:end].tolist(), strict=True)
            file.write(f"{label} {' '.join(f'{column + 1}:{value:.6g}' for column, value in pairs)}\n")


def best_of(work: Callable[[], object], repeats: int) -> float:
    """CPU seconds."""
    best = np.inf
    for _ in range(repeats):
        begun = time.process_time()
        work()
        best = min(best, time.process_time() - begun)
    return float(best)


def files(repeats: int) -> None:
    """Fresh processes over files."""
    print(f"{'learn FILE':>46} {'MB':>6} {'certified':>10} {'without':>8} {'ratio':>6}")
    with tempfile.TemporaryDirectory() as folder:
        for shape in FILES:
            path = Path(folder) / "rows.svm"
            write(*rows_of(*shape), path)
            for learner in LEARNERS:
                verb = [sys.executable, "-m", "regretless", "learn", str(path), "--learner", learner, "--quiet"]
                each = timing.fresh({"with": verb, "without": [*verb, "--no-certify"]}, repeats)
                whole, alone = each["with"][0], each["without"][0]
                name = f"{learner}, {shape[0]:,} rows, {shape[3]} classes"
                size = path.stat().st_size / 1e6
                print(f"{name:>46} {size:6.1f} {whole:9.2f}s {alone:7.2f}s {whole / alone:6.2f}", flush=True)


def arrays(repeats: int) -> None:
    """In one process, over arrays; the second call of each counts, for the first one imports."""
    print(f"\n{'certify(X, y)':>46} {'fit':>10} {'certify':>10} {'ratio':>6} {'ns a value':>10}")
    for shape in ARRAYS:
        X, y = rows_of(*shape)
        for make in (Perceptron, AROW, Winnow):
            learner = make().fit(X, y)
            learner.certify(X, y)
            fit = best_of(partial(make().fit, X, y), repeats)
            certify = best_of(partial(learner.certify, X, y), repeats)
            name = f"{make.__name__}, {shape[0]:,} x {shape[1]} of {shape[2]:,}"
            figures = f"{fit * 1e3:8.2f}ms {certify * 1e3:8.1f}ms {certify / fit:6.0f} {certify / X.size * 1e9:10.1f}"
            print(f"{name:>46} {figures}", flush=True)


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=3)
    options, _ = parser.parse_known_args()
    files(options.repeats)
    arrays(options.repeats)


if __name__ == "__main__":
    main()
