"""`certify(X, y)` in this process, beside the `fit` that it is about."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache, partial
from typing import Any

import numpy as np

from benchmarks.table.inputs import Array, labelled
from benchmarks.table.row import Contest, Job, Row
from regretless.linear import AROW, AggregatedClassifier, MulticlassPerceptron, Perceptron, Winnow
from regretless.regression import AggregatedRegressor, VovkAzouryWarmuth

Shape = tuple[int, int, int]  # rows, numbers in a row, columns

FEW, SOME, MANY, WIDE = (1000, 10, 100), (10_000, 20, 1000), (100_000, 20, 1000), (20_000, 20, 10**6)
SHAPES: tuple[Shape, ...] = (FEW, SOME, MANY, WIDE)
LARGE: tuple[Shape, ...] = ((10_000, 100, 100), (1_000_000, 20, 1000))
LEARNERS = (Perceptron, AROW, Winnow, AggregatedClassifier)
CLASSES = 8
OF_CLASSES: tuple[tuple[Any, Shape], ...] = (
    (MulticlassPerceptron, FEW),
    (MulticlassPerceptron, MANY),
    (Perceptron, FEW),
    (AROW, MANY),
    (AggregatedClassifier, MANY),
)
OF_NUMBERS: tuple[tuple[Any, tuple[Shape, ...]], ...] = (
    (AggregatedRegressor, (MANY, WIDE)),
    (VovkAzouryWarmuth, ((1000, 100, 100),)),
)


def rows() -> Iterator[Row]:
    """Each learner and shape."""
    for shapes, large in ((SHAPES, False), (LARGE, True)):
        for shape in shapes:
            for make in LEARNERS:
                yield _row(make, shape, large=large)
    for make, shape in OF_CLASSES:
        yield _row(make, shape, classes=CLASSES)
    yield _row(MulticlassPerceptron, MANY)
    for make, shapes in OF_NUMBERS:
        for shape in shapes:
            yield _row(make, shape, classes=0)


def _row(make: Any, shape: Shape, *, classes: int = 2, large: bool = False) -> Row:
    """Of labels of so many classes, or of numbers for none."""
    several = f", {classes} classes" if classes > 2 else ""
    what = f"certify, {make.__name__}, {shape[0]:,} x {shape[1]} of {shape[2]:,}{several}"
    return Row(what, "ms a call", partial(_certify, make, shape, classes), large)


@lru_cache(maxsize=1)
def _numbers(shape: Shape) -> tuple[Any, Array]:
    """Rows as for labels, and outcomes that are half noise."""
    random, (X, _) = np.random.default_rng(1), labelled(*shape)
    y = X @ random.normal(size=shape[2])
    return X, y + random.normal(size=len(y)) * y.std()


def _certify(make: Any, shape: Shape, classes: int) -> Contest:
    X, y = labelled(*shape, classes) if classes else _numbers(shape)
    learner = make().fit(X, y)
    return Contest(Job(lambda: learner.certify(X, y)), {"fit": Job(lambda: make().fit(X, y))})
