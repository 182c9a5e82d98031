"""Products of features: nanoseconds a feature or product of rows with all pairs (`--interactions`), numbered or hashed.

Beside them what plain numpy takes for the values and the keys alone, which have no columns yet, and scikit-learn's
`PolynomialFeatures`, which numbers by a formula and has columns for products that never come.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

from benchmarks import timing
from regretless.data import ArrayStream, CrossedStream

SHAPES = ((2000, 40, 300), (2000, 75, 500), (20_000, 10, 60))  # rows, features in each, columns


def rows_of(rows: int, length: int, columns: int) -> Any:
    """Sparse rows of as many features each."""
    random = np.random.default_rng(0)
    places = np.sort(random.permuted(np.tile(np.arange(columns), (rows, 1)), axis=1)[:, :length], axis=1)
    starts = np.arange(0, rows * length + 1, length)
    return sp.csr_matrix((random.normal(size=places.size), places.ravel().astype(np.int32), starts), (rows, columns))


def crossed(X: Any, bits: int | None) -> Callable[[], object]:
    """All batches of the rows with their products."""
    y = np.ones(X.shape[0], np.int32)
    return lambda: [len(b) for b in CrossedStream(ArrayStream(X, y), interactions=["*"], hash_bits=bits).batches()]


def plain(X: Any) -> Callable[[], object]:
    """Keys and values, row by row."""

    def run() -> None:
        for begin, end in zip(X.indptr[:-1], X.indptr[1:], strict=True):
            first, second = np.triu_indices(end - begin, 1)
            columns, values = X.indices[begin:end].astype(np.int64), X.data[begin:end]
            _ = (columns[first] << 32) | columns[second], values[first] * values[second]

    return run


def polynomial(X: Any) -> Callable[[], object]:
    """scikit-learn's products of two features."""
    from sklearn.preprocessing import PolynomialFeatures

    return lambda: PolynomialFeatures(2, interaction_only=True, include_bias=False).fit_transform(X)


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=3)
    options, _ = parser.parse_known_args()
    for shape in SHAPES:
        X = rows_of(*shape)
        rows, length, columns = shape
        contest = {
            "numbered": crossed(X, None),
            "hashed, 18 bits": crossed(X, 18),
            "hashed, 22 bits": crossed(X, 22),
            "numpy, keys and values alone": plain(X),
            "scikit-learn PolynomialFeatures": polynomial(X),
        }
        best = timing.in_process(contest, options.repeats)
        each = {name: seconds / (rows * length * (length + 1) // 2) * 1e9 for name, seconds in best.items()}
        timing.show(f"{rows:,} rows of {length} features of {columns}", each, "ns", "numbered")


if __name__ == "__main__":
    main()
