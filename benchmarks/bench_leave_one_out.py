"""The leave-one-out error of 5,000 rows: how many rounds are played for it, and how many a run for each row takes."""

from __future__ import annotations

import argparse
from time import perf_counter
from typing import Any

import numpy as np
import scipy.sparse as sp

from benchmarks import data
from regretless.batch import leave_one_out
from regretless.linear import PassiveAggressive, Perceptron, Winnow

ROWS = 5000


def problems(random: np.random.Generator) -> dict[str, tuple[Any, Any]]:
    """Rows with a margin, the same with a twentieth of the labels wrong, and text-like rows."""
    X = random.normal(size=(4 * ROWS, 50))
    scores = X @ random.normal(size=50) / 7
    clear = np.flatnonzero(np.abs(scores) > 0.3)[:ROWS]
    X, y = X[clear], np.where(scores[clear] > 0, 1, -1)
    flipped = np.where(random.random(ROWS) < 0.05, -y, y)
    rows = data.arrays()
    text = sp.csr_array((rows.values, rows.indices, rows.starts), shape=(len(rows.labels), data.COLUMNS))
    return {"with a margin": (X, y), "5% wrong labels": (X, flipped), "text-like": (text[:ROWS], rows.labels[:ROWS])}


def main() -> None:
    """One line for each problem and learner."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--passes", type=int, default=1)
    passes = parser.parse_known_args()[0].passes
    learners = [Perceptron(), PassiveAggressive(), Winnow(balanced=True)]
    heads = ("error", 7), ("support", 8), ("visits", 11), ("of reruns", 14), ("fewer", 7), ("time", 8)
    print(f"{'rows':<16} {'learner':<40} " + " ".join(f"{head:>{width}}" for head, width in heads))
    for title, (X, y) in problems(np.random.default_rng(0)).items():
        for learner in (one.set_params(passes=passes) for one in learners):
            started = perf_counter()
            result = leave_one_out(learner, X, y, seconds=0)
            took = perf_counter() - started
            print(
                f"{title:<16} {learner!r:<40} {result.error:7.2%} {int(result.support.sum()):8,} "
                f"{result.row_visits:11,} {result.rerun_visits:14,} "
                f"{result.rerun_visits / result.row_visits:6.1f}x {took:7.2f}s"
            )


if __name__ == "__main__":
    main()
