"""Whole calls of `fit` over rows in memory, in nanoseconds a value: checks, labels, ledger and all."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from sklearn.linear_model import SGDClassifier

from benchmarks import data
from benchmarks.table.inputs import Array, labelled, read_arrays, text_like
from benchmarks.table.row import Contest, Job, Row, installed
from regretless.linear import (
    AROW,
    AggregatedClassifier,
    AveragedPerceptron,
    MulticlassPerceptron,
    OnlineGradientDescent,
    PassiveAggressive,
    Perceptron,
    PNormPerceptron,
    SecondOrderPerceptron,
    Winnow,
)

ROWS, ALL_ROWS = 100_000, 400_000  # of 75 numbers each
UNIT = "ns a value"
PERCEPTRON = {"loss": "perceptron", "learning_rate": "constant"}
# name -> our learner, and what makes scikit-learn's SGD as near to it as its parameters allow, if it has the learner
LEARNERS: dict[str, tuple[Callable[..., Any], dict[str, Any] | None]] = {
    "Perceptron": (Perceptron, PERCEPTRON),
    "AveragedPerceptron": (AveragedPerceptron, {**PERCEPTRON, "average": True}),
    "PassiveAggressive": (PassiveAggressive, {"loss": "hinge", "learning_rate": "pa1"}),
    "OnlineGradientDescent": (OnlineGradientDescent, {"loss": "hinge", "learning_rate": "invscaling"}),
    "Winnow, balanced": (partial(Winnow, balanced=True, rate=2.0), None),
    "PNormPerceptron": (PNormPerceptron, None),
    "AROW, diagonal": (partial(AROW, matrix="diagonal"), None),
    "SecondOrderPerceptron, diagonal": (partial(SecondOrderPerceptron, matrix="diagonal"), None),
    "AggregatedClassifier (the default)": (AggregatedClassifier, None),
}


def rows() -> Iterator[Row]:
    """Each learner over sparse rows of singles, then other rows."""
    for name in LEARNERS:
        yield Row(f"{name}, CSR float32", UNIT, partial(_sparse, name, ROWS))
    yield Row("Perceptron.decision_function, CSR float32", UNIT, partial(_scores, ROWS))
    yield Row("Perceptron, dense float32, 100 columns", UNIT, _dense)
    yield Row("MulticlassPerceptron, 8 classes, CSR float32", UNIT, partial(_classes, 8))
    yield Row("Perceptron, 8 classes against the rest", UNIT, partial(_against, 8))
    for name in LEARNERS:
        yield Row(f"{name}, CSR float32, 30 M values", UNIT, partial(_sparse, name, ALL_ROWS), large=True)
    for name in ("Perceptron", "Winnow, balanced", "AROW, diagonal"):
        yield Row(f"{name}, CSR float64", UNIT, partial(_sparse, name, ALL_ROWS, dtype="float64"), large=True)
        yield Row(f"{name}, CSR float32, 2^22 columns", UNIT, partial(_sparse, name, ROWS, 1 << 22), large=True)
    yield Row("Perceptron, CSR float32, shuffled", UNIT, partial(_sparse, "Perceptron", ALL_ROWS, shuffle=True), True)


def theirs(options: dict[str, Any], shuffle: bool = False) -> SGDClassifier:
    """scikit-learn's loop over rows, one pass without intercept or penalty."""
    one_pass = {"penalty": None, "fit_intercept": False, "max_iter": 1, "tol": None, "random_state": 0}
    return SGDClassifier(eta0=1.0, shuffle=shuffle, **one_pass, **options)


def _sparse(
    name: str, count: int, columns: int = data.COLUMNS, dtype: str = "float32", *, shuffle: bool = False
) -> Contest:
    X, y = text_like(count, columns, dtype)
    make, options = LEARNERS[name]
    how = {"shuffle": True, "random_state": 0} if shuffle else {}
    beside: dict[str, Job] = {}
    if options is not None:
        beside["scikit-learn"] = Job(lambda: theirs(options, shuffle).fit(X, y), X.nnz)
    if name == "Perceptron" and not shuffle and columns == data.COLUMNS:
        w = np.ones(columns, dtype=X.dtype)
        beside |= {"products alone (scipy)": Job(lambda: X @ w, X.nnz)} | _one_by_one(X, y)
    reading = Job(lambda: read_arrays(X.data, X.indices), X.nnz)
    return Contest(Job(lambda: make(**how).fit(X, y), X.nnz), beside, reading)


def _one_by_one(X: Any, y: Array) -> dict[str, Job]:
    """Those who take an example at a time; of few rows, that they already have as they want them."""
    jobs = {}
    parts = [slice(X.indptr[row], X.indptr[row + 1]) for row in range(2000)]
    named = [dict(zip(X.indices[part].tolist(), X.data[part].tolist(), strict=True)) for part in parts]
    if installed("vowpalwabbit"):
        from vowpalwabbit import Workspace

        wabbit = Workspace("--quiet --binary --loss_function hinge --sgd -l 1 --noconstant")
        texts = (" ".join(f"{column}:{value}" for column, value in x.items()) for x in named)
        lines = (f"{label:.0f} | {text}" for label, text in zip(y, texts, strict=False))
        examples = [wabbit.parse(line, wabbit.get_label_type()) for line in lines]
        jobs["Vowpal Wabbit, parsed before"] = Job(lambda: [wabbit.learn(one) for one in examples], X.indptr[2000])
    if installed("river"):
        from river.linear_model import Perceptron as Theirs

        few, learner = 200, Theirs()
        jobs["river"] = Job(
            lambda: [learner.learn_one(x, label > 0) for x, label in zip(named[:few], y, strict=False)], X.indptr[few]
        )
    return jobs


def _scores(count: int) -> Contest:
    X, y = text_like(count)
    learner, other = Perceptron().fit(X, y), theirs(PERCEPTRON).fit(X, y)
    w = np.ones(X.shape[1], dtype=X.dtype)
    beside = {
        "scikit-learn": Job(lambda: other.decision_function(X), X.nnz),
        "products alone (scipy)": Job(lambda: X @ w, X.nnz),
    }
    reading = Job(lambda: read_arrays(X.data, X.indices), X.nnz)
    return Contest(Job(lambda: learner.decision_function(X), X.nnz), beside, reading)


def _dense() -> Contest:
    X, y = labelled(50_000, 100, 100)
    beside = {"scikit-learn": Job(lambda: theirs(PERCEPTRON).fit(X, y), X.size)}
    return Contest(Job(lambda: Perceptron().fit(X, y), X.size), beside, Job(lambda: read_arrays(X), X.size))


def _classes(classes: int) -> Contest:
    X, y = labelled(50_000, 20, 1000, classes)
    reading = Job(lambda: read_arrays(X.data, X.indices), X.nnz)
    return Contest(Job(lambda: MulticlassPerceptron().fit(X, y), X.nnz), {}, reading)


def _against(classes: int) -> Contest:
    X, y = labelled(50_000, 20, 1000, classes)
    beside = {"scikit-learn": Job(lambda: theirs(PERCEPTRON).fit(X, y), X.nnz)}
    return Contest(
        Job(lambda: Perceptron().fit(X, y), X.nnz), beside, Job(lambda: read_arrays(X.data, X.indices), X.nnz)
    )
