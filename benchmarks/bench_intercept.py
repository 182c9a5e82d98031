"""What a constant feature does to learners without one: errors with none, with 1, and with the size of the first row.

``python -m benchmarks.bench_intercept --data DATA`` prints the means over all sets of `default_data`, each in three
random orders and of at most 8,000 rows, and on how many sets the last errs less, or more, than none by half a point.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.default_data import SETS, load
from regretless.catalogue import learner_class
from regretless.data.batch import Batch
from regretless.learner_table import LEARNERS
from regretless.run.first_rows import fitting_size

ORDERS, MOST_ROWS, HALF_A_POINT = 3, 8000, 0.5
MOST_COLUMNS = {"second-order-perceptron": 5000}
NAMES = ("perceptron", "passive-aggressive", "online-gradient-descent", "p-norm-perceptron", "alma")
NAMES += ("second-order-perceptron", "winnow")
SETTINGS: dict[str, dict[str, Any]] = {"winnow": {"balanced": True}}


def errors(name: str, folder: Path) -> dict[str, list[float]]:
    """Errors on a set in percent, a mean over the orders: of each learner without, with 1, and by the first row."""
    result: dict[str, list[list[float]]] = {}
    for seed in range(ORDERS):
        X, y = load(name, folder, seed)
        X, y = X[:MOST_ROWS], y[:MOST_ROWS]
        by_row = fitting_size(Batch(X.data, None, X.shape[1], X.indices, X.indptr))
        for learner in NAMES:
            if X.shape[1] > MOST_COLUMNS.get(learner, X.shape[1]):
                continue
            ledgers = [
                learner_class(learner)(intercept=size, **SETTINGS.get(learner, {})).fit(X, y).ledger_
                for size in (0.0, 1.0, by_row)
            ]
            result.setdefault(learner, []).append([100 * one.mistakes / one.rounds for one in ledgers])
    return {learner: np.mean(each, axis=0).tolist() for learner, each in result.items()}


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=os.environ.get("REGRETLESS_DATA"), help="folder of public data")
    parser.add_argument("--sets", default=",".join(SETS), help="which, with commas between them")
    options = parser.parse_args()
    if options.data is None:
        parser.error("give --data, the folder of public data")
    measured = {name: errors(name, options.data) for name in options.sets.split(",")}
    print("| learner | sets | none | 1 | by the first row | less by half a point | more by half a point | in `learn` |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for learner in NAMES:
        each = np.array([one[learner] for one in measured.values() if learner in one])
        gain = each[:, 0] - each[:, 2]
        less, more = (gain > HALF_A_POINT).sum(), (gain < -HALF_A_POINT).sum()
        means = " | ".join(f"{mean:.1f}" for mean in each.mean(axis=0))
        default = "yes" if LEARNERS[learner].info.constant else "no"
        print(f"| `{learner}` | {len(each)} | {means} | {less} | {more} | {default} |")


if __name__ == "__main__":
    main()
