"""`certify(X, y)` in this process, beside the `fit` that it is about."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from benchmarks.table.inputs import labelled
from benchmarks.table.row import Contest, Job, Row
from regretless.linear import AROW, AggregatedClassifier, Perceptron, Winnow

# rows, numbers in a row, columns
SHAPES = ((1000, 10, 100), (100_000, 20, 1000), (20_000, 20, 10**6))
LARGE = ((10_000, 100, 100), (1_000_000, 20, 1000))
LEARNERS = (Perceptron, AROW, Winnow, AggregatedClassifier)


def rows() -> Iterator[Row]:
    """Each learner and shape."""
    for shapes, large in ((SHAPES, False), (LARGE, True)):
        for shape in shapes:
            for make in LEARNERS:
                what = f"certify, {make.__name__}, {shape[0]:,} x {shape[1]} of {shape[2]:,}"
                yield Row(what, "ms a call", partial(_certify, make, shape), large)


def _certify(make: Any, shape: tuple[int, int, int]) -> Contest:
    X, y = labelled(*shape)
    learner = make().fit(X, y)
    return Contest(Job(lambda: learner.certify(X, y)), {"fit": Job(lambda: make().fit(X, y))})
