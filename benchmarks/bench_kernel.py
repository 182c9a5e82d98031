"""The kernel perceptron over dense and sparse rows, and the same perceptron row by row in numpy.

Ours are whole calls of `fit`. Two clouds of points overlap so far that about one row in ten is an update at first.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from benchmarks import data, timing
from regretless.linear import KernelPerceptron

Array = np.ndarray[Any, Any]
COLUMNS, GAMMA, BUDGET = 100, 0.005, 500


def clouds(rows: int, seed: int = 0) -> tuple[Array, Array]:
    """Two clouds and their labels."""
    random = np.random.default_rng(seed)
    y = np.where(random.random(rows) < 0.5, 1, -1)
    return random.normal(size=(rows, COLUMNS)) + 0.16 * y[:, None], y


def row_by_row(X: Array, y: Array) -> int:
    """The same perceptron, one product with the support a round."""
    norms2, support, count = np.einsum("ij,ij->i", X, X), np.zeros_like(X), 0
    theirs, alpha = np.zeros(len(X)), np.zeros(len(X))
    for i, x in enumerate(X):
        distances2 = theirs[:count] + norms2[i] - 2 * (support[:count] @ x)
        if y[i] * (alpha[:count] @ np.exp(-GAMMA * distances2)) <= 0:
            support[count], theirs[count], alpha[count], count = x, norms2[i], y[i], count + 1
    return count


def compare(title: str, X: Any, y: Array, repeats: int, *, numpy: bool = False, **how: Any) -> None:
    """Seconds of a pass."""
    learner = KernelPerceptron(**{"gamma": GAMMA, **how})
    contest: dict[str, Callable[[], object]] = {"regretless": lambda: learner.fit(X, y)}
    if numpy:
        contest["row by row (numpy)"] = lambda: row_by_row(X, y)
    best = timing.in_process(contest, repeats)
    rows, updates = learner.state_.support.count, int(learner.ledger_.updates)
    timing.show(f"{title}: {updates:,} updates, {rows:,} rows in the support", best, "s", "regretless")


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cache", type=Path, default=data.CACHE)
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    rows, repeats = options.rows, options.repeats
    X, y = clouds(rows)
    compare(f"RBF, float64, {rows:,} x {COLUMNS}", X, y, repeats, numpy=True)
    compare(f"RBF, float32, {rows:,} x {COLUMNS}", X.astype(np.float32), y, repeats)
    compare(f"polynomial, {rows:,} x {COLUMNS}", X, y, repeats, kernel="poly", gamma=0.01)
    compare("five passes", X, y, 1, passes=5)
    compare(f"a budget of {BUDGET}, the oldest goes", X, y, repeats, budget=BUDGET)
    compare(f"a budget of {BUDGET}, by projection", X, y, 1, budget=BUDGET, removal="projection")
    compare(f"RBF, float64, {3 * rows:,} x {COLUMNS}", *clouds(3 * rows), repeats)
    text = data.arrays(options.cache, rows)
    sparse = sp.csr_matrix((text.values, text.indices, text.starts.astype(np.int32)), shape=(rows, data.COLUMNS))
    compare(f"CSR float32, {rows:,} rows, {len(text.values):,} values", sparse, text.labels, 1, gamma=1.0)


if __name__ == "__main__":
    main()
