"""One pass over rows in memory: ours, scikit-learn's, and merely reading the arrays.

Ours and theirs are whole calls of `fit` on scipy matrices and arrays, ledger, validation and all.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.linear_model import SGDClassifier

from benchmarks import data, timing
from regretless.linear import AveragedPerceptron, MulticlassPerceptron, PassiveAggressive, Perceptron

Array = np.ndarray[Any, Any]
Options = dict[str, Any]

# name -> our learner, and what makes scikit-learn's SGD as near to it as its parameters allow
LEARNERS: dict[str, tuple[Any, Options]] = {
    "perceptron": (Perceptron, {"loss": "perceptron", "learning_rate": "constant"}),
    "averaged": (AveragedPerceptron, {"loss": "perceptron", "learning_rate": "constant", "average": True}),
    "PA-I": (PassiveAggressive, {"loss": "hinge", "learning_rate": "pa1"}),
}


def theirs(options: Options, shuffle: bool) -> SGDClassifier:
    """scikit-learn's loop over rows, one pass without intercept or penalty."""
    one_pass = {"penalty": None, "fit_intercept": False, "max_iter": 1, "tol": None, "random_state": 0}
    return SGDClassifier(eta0=1.0, shuffle=shuffle, **one_pass, **options)


def reading(*arrays: Array) -> Callable[[], object]:
    """Look at every byte once."""
    words = [array.reshape(-1).view(np.uint64) for array in arrays if array.nbytes % 8 == 0]
    return lambda: [np.bitwise_xor.reduce(word) for word in words]


def contest(name: str, X: Any, y: Array, shuffle: bool) -> dict[str, Callable[[], object]]:
    """Ours, theirs, and what nobody can do without."""
    ours, options = LEARNERS[name]
    return {
        "regretless": lambda: ours(shuffle=shuffle, random_state=0).fit(X, y),
        "scikit-learn": lambda: theirs(options, shuffle).fit(X, y),
        "reading the arrays (numpy)": reading(*((X.data, X.indices) if sp.issparse(X) else (X,))),
    }


def compare(
    title: str, X: Any, y: Array, repeats: int, names: Sequence[str] = ("perceptron",), shuffle: bool = False
) -> None:
    """A table for each learner, in nanoseconds a value."""
    values = X.nnz if sp.issparse(X) else X.size
    for name in names:
        best = timing.in_process(contest(name, X, y, shuffle), repeats)
        figures = {who: seconds / values * 1e9 for who, seconds in best.items()}
        timing.show(f"{title}, {name}", figures, "ns/value", "regretless")


def compare_classes(title: str, X: Any, y: Array, repeats: int) -> None:
    """All classes against the rest, and all at once, in seconds."""
    players: dict[str, Callable[[], object]] = {
        "regretless": lambda: Perceptron().fit(X, y),
        "regretless, MulticlassPerceptron": lambda: MulticlassPerceptron().fit(X, y),
        "scikit-learn": lambda: theirs(LEARNERS["perceptron"][1], False).fit(X, y),
    }
    timing.show(title, timing.in_process(players, repeats), "s", "regretless")


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
    shape = (rows, data.COLUMNS)
    single = sp.csr_matrix((some.values, some.indices, some.starts.astype(np.int32)), shape=shape)
    compare("CSR float32, in order", single, some.labels, repeats, tuple(LEARNERS))
    compare("CSR float32, shuffled", single, some.labels, repeats, shuffle=True)
    double = sp.csr_matrix((some.values.astype(np.float64), single.indices, single.indptr), shape=shape)
    compare("CSR float64, in order", double, some.labels, repeats, tuple(LEARNERS))
    classes = (single @ random.normal(size=(data.COLUMNS, 32)).astype(np.float32)).argmax(axis=1)
    compare_classes("CSR float32, 32 classes", single, classes, 2)

    wide = data.arrays(options.cache, rows // 4, 1 << 22)
    X = sp.csr_matrix((wide.values, wide.indices, wide.starts.astype(np.int32)), shape=(rows // 4, 1 << 22))
    compare("CSR float32, 2^22 features", X, wide.labels, repeats)

    dense = random.normal(size=(rows * 5 // 4, 100)).astype(np.float32)
    labels = np.sign(dense @ random.normal(size=100)) * np.where(random.random(len(dense)) < data.NOISE, -1, 1)
    compare(f"dense float32, {len(dense):,} x 100", dense, labels, repeats)


if __name__ == "__main__":
    main()
