"""One pass of balanced Winnow and of the p-norm perceptron over sparse rows in memory: whole calls of `fit`.

There is no other implementation to compare with that can be installed, so they are put beside our own perceptron, which
makes one product and one addition where Winnow multiplies weights, and beside merely reading the arrays. The last table
shows that a round does not cost more in 2^22 features than cache misses do, which the perceptron pays as well.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from benchmarks import data, timing
from benchmarks.bench_play import reading
from regretless.linear import Perceptron, PNormPerceptron, Winnow


def compare(title: str, X: Any, y: Any, repeats: int) -> None:
    """One line for each contestant, in nanoseconds a nonzero, after one for how often they moved."""
    learners: dict[str, Callable[[], Any]] = {
        "Winnow(balanced=True)": lambda: Winnow(balanced=True, rate=2.0),
        "Winnow()": lambda: Winnow(rate=2.0),
        "PNormPerceptron()": PNormPerceptron,
        "Perceptron()": Perceptron,
    }
    contest: dict[str, Callable[[], object]] = {
        name: (lambda make=make: make().fit(X, y)) for name, make in learners.items()
    }
    contest["reading the arrays (numpy)"] = reading(X.data, X.indices)
    best = timing.in_process(contest, repeats)
    timing.show(title, {name: s / X.nnz * 1e9 for name, s in best.items()}, "ns/nonzero", "Winnow(balanced=True)")
    shares = (f"{name} {make().fit(X, y).ledger_.updates / X.shape[0]:.1%}" for name, make in learners.items())
    print(f"  updates: {', '.join(shares)}")


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cache", type=Path, default=data.CACHE)
    parser.add_argument("--rows", type=int, default=data.ROWS)
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    rows, repeats = options.rows, options.repeats

    some = data.arrays(options.cache, rows)
    shape = (rows, data.COLUMNS)
    single = sp.csr_matrix((some.values, some.indices, some.starts.astype(np.int32)), shape=shape)
    compare("CSR float32", single, some.labels, repeats)
    double = sp.csr_matrix((some.values.astype(np.float64), single.indices, single.indptr), shape=shape)
    compare("CSR float64", double, some.labels, repeats)

    wide = data.arrays(options.cache, rows // 4, 1 << 22)
    X = sp.csr_matrix((wide.values, wide.indices, wide.starts.astype(np.int32)), shape=(rows // 4, 1 << 22))
    compare("CSR float32, 2^22 features", X, wide.labels, repeats)


if __name__ == "__main__":
    main()
