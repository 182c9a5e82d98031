"""Learners of numbers, full matrices, kernels, and what watches: a row for each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp

from benchmarks.table.inputs import Array, labelled, read_arrays
from benchmarks.table.row import Contest, Job, Row, installed
from regretless.alarms import ConfidenceSequence, EDetector
from regretless.finite_classes import FiniteClass, Halving
from regretless.intervals import AdaptiveIntervals
from regretless.linear import AROW, AggregatedClassifier, KernelPerceptron
from regretless.regression import AggregatedRegressor, OnlineGradientDescent, VovkAzouryWarmuth

ROUND = "us a row"


def second_order() -> Iterator[Row]:
    """Full matrices, and many dense columns."""
    yield Row("AROW, full matrix of 100 columns", ROUND, partial(_full, 100, 2000))
    yield Row("AROW, full matrix of 784 columns", ROUND, partial(_full, 784, 200))
    for name, make in {
        "AROW, diagonal": partial(AROW, matrix="diagonal"),
        "AROW, sketch of rank 5": partial(AROW, matrix="sketch"),
        "AggregatedClassifier without sketches": partial(AggregatedClassifier, full=0),
        "AggregatedClassifier (the default)": AggregatedClassifier,
    }.items():
        yield Row(f"{name}, 784 dense columns", "ns a value", partial(_dense, make))
    yield Row("VovkAzouryWarmuth, 100 columns", ROUND, _vaw)


def numbers() -> Iterator[Row]:
    """Learners of numbers over sparse rows."""
    makes: dict[str, Callable[[], Any]] = {
        "AggregatedRegressor": partial(AggregatedRegressor, full=0),
        "OnlineGradientDescent, square loss": OnlineGradientDescent,
    }
    for name, make in makes.items():
        yield Row(f"{name}, 40 of 2,000 columns", "ns a value", partial(_numbers, make))


def others() -> Iterator[Row]:
    """Kernels, classes, alarms and intervals."""
    yield Row("KernelPerceptron, 3,000 x 100", ROUND, _kernel)
    yield Row("Halving, 100,000 hypotheses", ROUND, _halving)
    detector = partial(_watched, lambda losses: EDetector(0.1, 1e9).play(losses))
    yield Row("EDetector, a column of losses", "us a loss", detector)
    mean = partial(_watched, lambda losses: ConfidenceSequence().update(losses))
    yield Row("ConfidenceSequence, a column of losses", "us a loss", mean)
    yield Row("AdaptiveIntervals, a table", "us a round", _intervals)


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


def _full(columns: int, count: int) -> Contest:
    random = np.random.default_rng(0)
    X = random.normal(size=(count, columns))
    y = np.sign(X @ random.normal(size=columns) + np.sqrt(columns) * random.normal(size=count))
    few = slice(0, 200)
    beside = {"loop in numpy": Job(lambda: numpy_arow(X[few], y[few]), 200)}
    return Contest(Job(lambda: AROW(matrix="full").fit(X, y), count), beside)


def _dense(make: Callable[[], Any]) -> Contest:
    X, y = labelled(5000, 784, 784)
    reading = Job(lambda: read_arrays(X), X.size)
    return Contest(Job(lambda: make().fit(X, y), X.size), {}, reading)


def _vaw() -> Contest:
    random = np.random.default_rng(0)
    X, y = random.normal(size=(2000, 100)), random.normal(size=2000)
    return Contest(Job(lambda: VovkAzouryWarmuth().fit(X, y), len(y)))


def _numbers(make: Callable[[], Any]) -> Contest:
    from sklearn.linear_model import SGDRegressor

    X = sp.random_array((20_000, 2000), density=0.02, random_state=0, format="csr")
    X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)  # as scikit-learn wants them
    y = np.random.default_rng(0).normal(size=X.shape[0])
    beside = {"scikit-learn": Job(lambda: SGDRegressor(shuffle=False, max_iter=1, tol=None).fit(X, y), X.nnz)}
    if installed("river"):
        from river.linear_model import LinearRegression

        parts = [slice(X.indptr[row], X.indptr[row + 1]) for row in range(200)]
        named = [dict(zip(X.indices[part].tolist(), X.data[part].tolist(), strict=True)) for part in parts]
        pairs, model = list(zip(named, y.tolist(), strict=False)), LinearRegression()
        beside["river"] = Job(lambda: [model.learn_one(x, number) for x, number in pairs], X.indptr[200])
    return Contest(Job(lambda: make().fit(X, y), X.nnz), beside, Job(lambda: read_arrays(X.data, X.indices), X.nnz))


def _kernel() -> Contest:
    random, rows = np.random.default_rng(0), 3000
    y = np.where(random.random(rows) < 0.5, 1, -1)
    X = random.normal(size=(rows, 100)) + 0.16 * y[:, None]
    few = slice(0, 500)
    beside = {"loop in numpy, 500 rows": Job(lambda: numpy_kernel(X[few], y[few]), 500)}
    return Contest(Job(lambda: KernelPerceptron(gamma=0.005).fit(X, y), rows), beside)


def numpy_kernel(X: Array, y: Array, gamma: float = 0.005) -> None:
    """The kernel perceptron as one writes it with numpy: one product with the support a round."""
    norms2, support, count = np.einsum("ij,ij->i", X, X), np.zeros_like(X), 0
    theirs, alpha = np.zeros(len(X)), np.zeros(len(X))
    for i, x in enumerate(X):
        distances2 = theirs[:count] + norms2[i] - 2 * (support[:count] @ x)
        if y[i] * (alpha[:count] @ np.exp(-gamma * distances2)) <= 0:
            support[count], theirs[count], alpha[count], count = x, norms2[i], y[i], count + 1


def _halving() -> Contest:
    random, points, digits = np.random.default_rng(7), 250, 17
    table = np.empty((100_000, points + digits), dtype=bool)
    table[:, :points] = random.random((100_000, points), dtype=np.float32) >= 1 / 16
    table[:, points:] = np.arange(100_000)[:, None] >> np.arange(digits) & 1  # nobody's points: they tell rows apart
    finite_class, queries = FiniteClass(table), random.integers(0, points, 1000)
    labels = finite_class.matrix[0][queries].astype(np.uint8)
    return Contest(Job(lambda: Halving(finite_class).play(queries, labels), 1000))


def _watched(watch: Callable[[Array], object]) -> Contest:
    losses = (np.random.default_rng(0).random(50_000) < 0.1).astype(float)
    beside = {}
    if installed("river"):
        from river.drift import ADWIN

        theirs, few = ADWIN(), losses[:2000].tolist()
        beside["river ADWIN"] = Job(lambda: [theirs.update(one) for one in few], len(few))
    return Contest(Job(lambda: watch(losses), len(losses)), beside)


def _intervals() -> Contest:
    outcomes = np.random.default_rng(0).standard_t(3, size=50_000)
    forecasts = np.zeros(len(outcomes))
    return Contest(Job(lambda: AdaptiveIntervals(0.9).play(forecasts, outcomes), len(outcomes)))
