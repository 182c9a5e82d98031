"""Maximum margin of 100,000 x 100 rows with a planted separator: ours to 1e-9, LinearSVC, quadprog if installed.

One thread for everybody: an idle BLAS thread that waits for work counts as CPU time.
"""

from __future__ import annotations

import argparse
import importlib.util
import warnings
from collections.abc import Callable

import numpy as np
from sklearn.svm import LinearSVC
from threadpoolctl import threadpool_limits

from benchmarks import timing
from regretless.linear import max_margin, separate

HARD = 1e6  # C of a linear SVM that is to have no slack
START = 200  # rows of quadprog's working set, and how many it grows by


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--columns", type=int, default=100)
    options = parser.parse_args()
    warnings.simplefilter("ignore")  # LinearSVC does not converge, which is what the last table shows
    X, y = planted(options.rows, options.columns, gap=0.05)
    flipped = np.where(np.random.default_rng(2).random(len(y)) < 0.05, -y, y)
    margins: dict[str, float] = {}

    def ours() -> None:
        margin = max_margin(X, y)
        margins["regretless, lower end"], margins["regretless, upper end"] = margin.lower, margin.upper

    def svm() -> None:
        w = LinearSVC(loss="hinge", C=HARD, fit_intercept=False, random_state=0).fit(X, y).coef_[0]
        margins["LinearSVC"] = float((y * (X @ w)).min() / np.linalg.norm(w))

    contest: dict[str, Callable[[], object]] = {
        "regretless max_margin, certified to 1e-9": ours,
        "regretless separate": lambda: separate(X, y),
        "regretless max_margin, 5 % of the labels flipped": lambda: max_margin(X, flipped),
        "scikit-learn LinearSVC, hinge, C = 1e6": svm,
    }
    if importlib.util.find_spec("quadprog"):

        def quadratic() -> None:
            margins["quadprog"] = _quadprog(X, y)

        contest["quadprog on a working set"] = quadratic
    with threadpool_limits(1):
        best = timing.in_process(contest, 3)
    timing.show(f"maximum margin, {options.rows} x {options.columns}", best, "s", next(iter(contest)))
    print("\nmargins found")
    for name, value in margins.items():
        print(f"  {name:42} {value:16.12f}")


def planted(rows: int, columns: int, gap: float) -> tuple[np.ndarray, np.ndarray]:
    """Normal rows on either side of a random hyperplane, each moved away from it by the gap."""
    random = np.random.default_rng(1)
    separator = random.normal(size=columns)
    separator /= np.linalg.norm(separator)
    Z = random.normal(size=(rows, columns))
    Z = Z * np.sign(Z @ separator)[:, None] + gap * separator
    y = np.where(random.random(rows) < 0.5, 1.0, -1.0)
    return Z * y[:, None], y


def _quadprog(X: np.ndarray, y: np.ndarray) -> float:
    from quadprog import solve_qp

    Z = X * y[:, None]
    columns = Z.shape[1]
    chosen = np.argsort(Z @ Z.mean(axis=0))[:START]
    while True:
        w = solve_qp(np.eye(columns), np.zeros(columns), Z[chosen].T, np.ones(len(chosen)))[0]
        scores = Z @ w
        lacking = np.setdiff1d(np.flatnonzero(scores < 1 - 1e-9), chosen)
        if not len(lacking):
            return float(scores.min() / np.linalg.norm(w))
        chosen = np.append(chosen, lacking[np.argsort(scores[lacking])[:START]])


if __name__ == "__main__":
    main()
