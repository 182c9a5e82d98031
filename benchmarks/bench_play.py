"""One pass over rows in memory: ours, scikit-learn's, and merely reading the arrays.

Ours and theirs are whole calls of `fit` on scipy matrices and arrays, ledger, validation and all.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.linear_model import Perceptron as TheirPerceptron

from benchmarks import data, timing
from regretless.linear import Perceptron

Array = np.ndarray[Any, Any]


def theirs(shuffle: bool = False) -> TheirPerceptron:
    """scikit-learn's perceptron, as near to ours as its parameters allow."""
    return TheirPerceptron(fit_intercept=False, shuffle=shuffle, max_iter=1, tol=None, random_state=0)


def reading(*arrays: Array) -> Callable[[], object]:
    """Look at every byte once."""
    words = [array.reshape(-1).view(np.uint64) for array in arrays if array.nbytes % 8 == 0]
    return lambda: [np.bitwise_xor.reduce(word) for word in words]


def compare(title: str, X: Any, y: Array, values: int, repeats: int, shuffle: bool = False) -> None:
    """One line for each contestant, in nanoseconds a value."""
    arrays = (X.data, X.indices) if sp.issparse(X) else (X,)
    contest: dict[str, Callable[[], object]] = {
        "regretless": lambda: Perceptron(shuffle=shuffle, random_state=0).fit(X, y),
        "scikit-learn": lambda: theirs(shuffle).fit(X, y),
        "reading the arrays (numpy)": reading(*arrays),
    }
    best = timing.in_process(contest, repeats)
    timing.show(title, {name: s / values * 1e9 for name, s in best.items()}, "ns/value", "regretless")


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cache", type=Path, default=data.CACHE)
    parser.add_argument("--rows", type=int, default=data.ROWS)
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    rows, repeats = options.rows, options.repeats
    random = np.random.default_rng(0)

    some = data.arrays(options.cache, rows)
    values, shape = len(some.values), (rows, data.COLUMNS)
    single = sp.csr_matrix((some.values, some.indices, some.starts.astype(np.int32)), shape=shape)
    compare("CSR float32, in order", single, some.labels, values, repeats)
    compare("CSR float32, shuffled", single, some.labels, values, repeats, shuffle=True)
    double = sp.csr_matrix((some.values.astype(np.float64), single.indices, single.indptr), shape=shape)
    compare("CSR float64, in order", double, some.labels, values, repeats)
    classes = (single @ random.normal(size=(data.COLUMNS, 32)).astype(np.float32)).argmax(axis=1)
    compare("CSR float32, one against rest, 32 classes", single, classes, values, 2)

    wide = data.arrays(options.cache, rows // 4, 1 << 22)
    X = sp.csr_matrix((wide.values, wide.indices, wide.starts.astype(np.int32)), shape=(rows // 4, 1 << 22))
    compare("CSR float32, 2^22 features", X, wide.labels, len(wide.values), repeats)

    dense = random.normal(size=(rows * 5 // 4, 100)).astype(np.float32)
    labels = np.sign(dense @ random.normal(size=100)) * np.where(random.random(len(dense)) < data.NOISE, -1, 1)
    compare(f"dense float32, {len(dense):,} x 100", dense, labels, dense.size, repeats)


if __name__ == "__main__":
    main()
