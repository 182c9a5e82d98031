"""One pass of the second-order learners over rows in memory, beside our perceptron and what others have.

Neither scikit-learn nor VW keeps a matrix; scikit-learn's perceptron and SGD (hinge) stand for what a first-order pass
costs there. Full matrices are timed on dense rows, in microseconds a round and a numpy twin beside them.
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
from sklearn.linear_model import SGDClassifier

from benchmarks import data, timing
from regretless.linear import AROW, Perceptron, SecondOrderPerceptron

Array = np.ndarray[Any, Any]


def sparse(title: str, X: Any, y: Array, repeats: int) -> None:
    """One line for each contestant, in nanoseconds a value, and what share of the rounds moved ours."""
    learners = {
        "AROW, diagonal": AROW(matrix="diagonal"),
        "second-order perceptron, diagonal": SecondOrderPerceptron(matrix="diagonal"),
        "perceptron": Perceptron(),
        "scikit-learn Perceptron": TheirPerceptron(fit_intercept=False, shuffle=False, max_iter=1, tol=None),
        "scikit-learn SGDClassifier, hinge": SGDClassifier(fit_intercept=False, shuffle=False, max_iter=1, tol=None),
    }
    contest: dict[str, Callable[[], object]] = {name: (lambda f=f: f.fit(X, y)) for name, f in learners.items()}
    best = timing.in_process(contest, repeats)
    timing.show(title, {name: s / X.nnz * 1e9 for name, s in best.items()}, "ns/value", "AROW, diagonal")
    for name in list(learners)[:3]:
        ledger = learners[name].ledger_
        moved, wrong = ledger.updates / ledger.rounds, ledger.mistakes / ledger.rounds
        print(f"  {name}: moved in {moved:.0%} of the rounds, wrong in {wrong:.1%}")


def numpy_arow(X: Array, y: Array) -> Array:
    """AROW as one writes it with numpy: one outer product an update."""
    w, sigma = np.zeros(X.shape[1]), np.eye(X.shape[1])
    for x, label in zip(X, y, strict=True):
        margin = label * (w @ x)
        if margin < 1:
            gain = sigma @ x
            beta = 1 / (x @ gain + 1)
            w += (1 - margin) * beta * label * gain
            sigma -= beta * np.outer(gain, gain)
    return w


def full(columns: int, rows: int, repeats: int) -> None:
    """One line for each contestant, in microseconds an update of a full matrix."""
    random = np.random.default_rng(0)
    X = random.normal(size=(rows, columns))
    y = np.sign(X @ random.normal(size=columns) + np.sqrt(columns) * random.normal(size=rows))
    ours = AROW(matrix="full")
    contest: dict[str, Callable[[], object]] = {
        "AROW": lambda: ours.fit(X, y),
        "second-order perceptron": lambda: SecondOrderPerceptron(matrix="full").fit(X, y),
        "AROW in numpy": lambda: numpy_arow(X, y),
    }
    best = timing.in_process(contest, repeats)
    title = f"full matrix, {rows:,} x {columns}, {int(ours.ledger_.updates):,} updates of AROW"
    timing.show(title, {name: s / rows * 1e6 for name, s in best.items()}, "us/round", "AROW")


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cache", type=Path, default=data.CACHE)
    parser.add_argument("--rows", type=int, default=data.ROWS)
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    some = data.arrays(options.cache, options.rows)
    shape = (options.rows, data.COLUMNS)
    single = sp.csr_matrix((some.values, some.indices, some.starts.astype(np.int32)), shape=shape)
    sparse("CSR float32", single, some.labels, options.repeats)
    double = sp.csr_matrix((some.values.astype(np.float64), single.indices, single.indptr), shape=shape)
    sparse("CSR float64", double, some.labels, options.repeats)
    rows = options.rows // 4
    wide = data.arrays(options.cache, rows, 1 << 22)
    X = sp.csr_matrix((wide.values, wide.indices, wide.starts.astype(np.int32)), shape=(rows, 1 << 22))
    sparse("CSR float32, 2^22 features", X, wide.labels, options.repeats)
    full(100, 5000, options.repeats)
    full(1000, 300, 1)


if __name__ == "__main__":
    main()
