"""The default learner beside what was recommended before it, on classification sets: each row predicted before it is
learned, one pass, in the order of the set or in one that is drawn.

``python -m benchmarks.bench_before --data DATA`` prints errors in percent and log loss a row in nats, beside the best
constant of either kind, known in hindsight. Before: `AROW` with r in the units of the rows, and the averaged
perceptron, of which the mistakes of the last weights were counted. With ``--write`` the table of docs/accuracy.md is
replaced.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from benchmarks.default_data import SETS, load
from regretless.data.batch import Batch
from regretless.linear import AROW, AggregatedClassifier, AveragedPerceptron
from regretless.linear.base import OnlineClassifier
from regretless.linear.progressive import Progressive

PAGE = Path(__file__).resolve().parent.parent / "docs" / "accuracy.md"
START, END = "<!-- before: python -m benchmarks.bench_before --data DATA --write -->", "<!-- end of before -->"
HEAD = (
    "set",
    "rows",
    "classes",
    "log loss: default",
    "best constant",
    "errors: default",
    "best constant",
    "arow, before",
    "arow",
    "averaged-perceptron, before",
    "averaged-perceptron",
)
MOST_ROWS, CUT, MOST_BYTES = 200_000, 50_000, 100_000_000
STEP = 1000


def counted(learner: OnlineClassifier, X: Any, y: np.ndarray[Any, Any]) -> Progressive:
    """One pass in pieces, each row predicted before it is learned."""
    counts = Progressive()
    if learner.scores_are_log_odds:
        counts.log_loss = 0.0
    learner.on_scores = counts
    for begin in range(0, len(y), STEP):
        part = X[begin : begin + STEP]
        indptr = np.ascontiguousarray(part.indptr)
        learner.observe(Batch(part.data, y[begin : begin + STEP], X.shape[1], part.indices, indptr))
    return counts


def cut(X: Any, y: np.ndarray[Any, Any]) -> tuple[Any, np.ndarray[Any, Any], bool]:
    """The first rows of a set that is large, and whether it was."""
    large = len(y) > MOST_ROWS or X.data.nbytes > MOST_BYTES
    return (X[:CUT], y[:CUT], len(y) > CUT) if large else (X, y, False)


def row(name: str, folder: Path) -> tuple[str, ...]:
    """The line of one set."""
    X, y, was_cut = cut(*load(name, folder))
    X = sp.csr_array(X)
    y = y.astype(np.float64)
    rows = len(y)
    default = counted(AggregatedClassifier(), X, y)
    arow, before = counted(AROW(), X, y), counted(AROW(scale="none"), X, y)
    averaged = AveragedPerceptron()
    mean = counted(averaged, X, y)

    def share(errors: float) -> str:
        return f"{100 * errors / rows:.2f}"

    return (
        name,
        f"{rows:,}" + (" (the first)" if was_cut else ""),
        f"{len(default.labels)}",
        f"{(default.log_loss or 0.0) / rows:.4f}",
        f"{default.best_constant() / rows:.4f}",
        share(default.errors),
        share(rows - int(default.counts.max())),
        share(before.errors),
        share(arow.errors),
        share(averaged.ledger_.mistakes),
        share(mean.errors),
    )


def table(folder: Path, names: list[str]) -> Iterator[str]:
    """The lines of the table, one set after the other."""
    yield "| " + " | ".join(HEAD) + " |"
    yield "|" + " --- |" * len(HEAD)
    for name in names:
        yield "| " + " | ".join(row(name, folder)) + " |"


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=os.environ.get("REGRETLESS_DATA"), help="folder of public data")
    parser.add_argument("--sets", default=",".join(SETS), help="which, with commas between them")
    parser.add_argument("--write", action="store_true", help="put the table into docs/accuracy.md")
    options = parser.parse_args()
    if options.data is None:
        print("nothing to measure: give the folder of the data with --data")
        return
    lines = []
    for line in table(Path(options.data), options.sets.split(",")):
        print(line, flush=True)
        lines.append(line)
    if options.write:
        text = PAGE.read_text()
        if START not in text:
            sys.exit(f"{PAGE.name} has no table of this name")
        head, rest = text.split(START)
        PAGE.write_text("\n".join([head + START, *lines, END + rest.split(END, 1)[1]]))


if __name__ == "__main__":
    main()
