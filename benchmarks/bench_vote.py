"""Rounds of learners of a finite class, beside halving in numpy: on packed words, and on a table of truth values.

Three classes of as many hypotheses. In the first every point splits those that are left in halves, so that they are few
soon. In the second one of 16 leaves in a round, as when a class learns what it nearly knows. In the third hardly any
leaves, which is the worst that can happen: every round looks at all of them.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from benchmarks import timing
from regretless import _core
from regretless.finite_classes import Consistent, FiniteClass, Halving

Array = np.ndarray[Any, Any]
OURS = "Halving().play"
SHARES = {"half leave in a round": 1 / 2, "1 of 16 leaves": 1 / 16, "1 of 10,000 leaves": 1e-4}


def drawn(hypotheses: int, points: int, share: float) -> FiniteClass:
    """Hypotheses that say 1 of a point, but for that share of them; the last points, nobody's, tell them apart."""
    numbers, digits = np.random.default_rng(7), hypotheses.bit_length()
    table = np.empty((hypotheses, points + digits), dtype=bool)
    for begin in range(0, hypotheses, 1 << 14):
        part = table[begin : begin + (1 << 14), :points]
        np.greater_equal(numbers.random(part.shape, dtype=np.float32), share, out=part)
    table[:, points:] = np.arange(hypotheses)[:, None] >> np.arange(digits) & 1
    return FiniteClass(table)


def on_words(finite_class: FiniteClass, points: Array, labels: Array) -> None:
    """Halving as numpy does it on packed words."""
    alive = np.bitwise_or.reduce(finite_class.columns, axis=0)
    size = int(np.bitwise_count(alive).sum())
    for point, label in zip(points.tolist(), labels.tolist(), strict=True):
        says_one = alive & finite_class.columns[point]
        ones = int(np.bitwise_count(says_one).sum())
        left = ones if label else size - ones
        if left < size:
            alive, size = says_one if label else alive & ~finite_class.columns[point], left


def on_truth(table: Array, points: Array, labels: Array) -> None:
    """Halving as numpy does it on truth values, one column after the other."""
    alive = np.ones(table.shape[1], dtype=bool)
    for point, label in zip(points.tolist(), labels.tolist(), strict=True):
        np.count_nonzero(alive & table[point])
        alive &= table[point] == bool(label)


def live(finite_class: FiniteClass, points: Array, labels: Array) -> None:
    """A round at a time."""
    learner = Halving(finite_class)
    for point, label in zip(points.tolist(), labels.tolist(), strict=True):
        learner.predict(point)
        learner.update(label)


def contest(finite_class: FiniteClass, points: Array, labels: Array) -> dict[str, Callable[[], object]]:
    """All that are timed on the same rounds."""
    arguments = (finite_class, points, labels)
    table = np.ascontiguousarray(finite_class.matrix.T)
    return {
        OURS: lambda: Halving(finite_class).play(points, labels),
        "Halving(prune='mistake').play": lambda: Halving(finite_class, prune="mistake").play(points, labels),
        "Consistent().play": lambda: Consistent(finite_class).play(points, labels),
        "Halving, a round at a time": partial(live, *arguments),
        "numpy, packed words": partial(on_words, *arguments),
        "numpy, truth values": partial(on_truth, table, points, labels),
    }


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hypotheses", type=int, default=1_000_000)
    parser.add_argument("--points", type=int, default=250)
    parser.add_argument("--rounds", type=int, default=1000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--json", action="store_true", help="print one JSON object instead, in microseconds a round")
    options = parser.parse_args()
    figures = {}
    for title, share in SHARES.items():
        finite_class = drawn(options.hypotheses, options.points, share)
        points = np.random.default_rng(8).integers(0, options.points, options.rounds)
        labels = finite_class.matrix[0][points].astype(np.uint8)
        best = timing.in_process(contest(finite_class, points, labels), options.repeats)
        figures[title] = {name: seconds / options.rounds * 1e6 for name, seconds in best.items()}
        if not options.json:
            timing.show(
                f"{title} ({finite_class.hypotheses:,} hypotheses, {_core.isa()})", figures[title], "us/round", OURS
            )
    if options.json:
        print(json.dumps({"hypotheses": options.hypotheses, "isa": _core.isa(), "figures": figures}))


if __name__ == "__main__":
    main()
