"""Rows whose numbers reach from the smallest floats to the largest: refused, or learned in numbers that are finite."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from regretless.catalogue import LEARNERS, learner_class
from regretless.errors import RegretlessError
from regretless.linear.base import OnlineClassifier

SETTINGS: dict[str, list[dict[str, Any]]] = {
    "perceptron": [{}, {"intercept": 1.0}],
    "averaged-perceptron": [{}, {"intercept": 1.0}],
    "margin-perceptron": [{"gamma": gamma} for gamma in (1e-300, 0.05, 1e300)],
    "passive-aggressive": [{"variant": variant} for variant in ("PA", "PA-I", "PA-II")],
    "online-gradient-descent": [
        {"loss": loss, "schedule": schedule, "radius": radius}
        for loss in ("hinge", "logistic", "squared-hinge", "square", "perceptron")
        for schedule in ("scale-free", "self-tuned", "inverse-sqrt", "constant")
        for radius in (None, 1.0)
    ],
    "winnow": [{}, {"balanced": True}, {"gamma": 0.1}],
    "p-norm-perceptron": [{"p": 2}, {"p": 3.5}, {}],
    "second-order-perceptron": [{"matrix": "full"}, {"matrix": "diagonal"}],
    "arow": [{"matrix": "full"}, {"matrix": "diagonal"}, {"matrix": "diagonal", "intercept": 1.0}],
    "kernel-perceptron": [{"kernel": "linear"}, {"kernel": "rbf"}, {"kernel": "poly"}],
}
CASES = [(name, case) for name in LEARNERS for case in SETTINGS.get(name, [{}])]
EVERY = pytest.mark.parametrize(("name", "case"), CASES, ids=["-".join(map(str, (n, *c.values()))) for n, c in CASES])

ENDS = (
    0.0,
    5e-324,
    1e-320,
    2.3e-308,
    1e-300,
    1e-160,
    1e-155,
    1e-100,
    1e-8,
    0.5,
    1.0,
    1e8,
    1e100,
    1e150,
    1.3e154,
    1e160,
    1e308,
)
NUMBERS = st.builds(lambda size, sign: sign * size, st.sampled_from(ENDS), st.sampled_from((-1.0, 1.0)))
ROWS = st.lists(st.tuples(st.lists(NUMBERS, min_size=3, max_size=3), st.integers(0, 2)), min_size=1, max_size=8)


def numbers_of(learner: OnlineClassifier) -> dict[str, np.ndarray]:
    """All numbers that a learner keeps, as they are now."""
    return {name: np.array(array) for name, array in learner.state_.tensors().items()}


def check_scores(learner: OnlineClassifier, X: np.ndarray) -> None:
    """Scores of rows that can be scored at all are numbers or infinite, and labels are those of some class."""
    for row in X:
        try:
            score = learner.decision_function(row[None])
            label = learner.predict(row[None])
        except RegretlessError:  # a row too long to be scored is refused, in words
            continue
        assert not np.isnan(score).any(), row
        assert label[0] in learner.classes_


@EVERY
@pytest.mark.parametrize("classes", [2, 3])
@settings(max_examples=10)
@given(rows=ROWS)
def test_a_round_is_refused_or_leaves_numbers(name, case, classes, rows):
    """A round near the limits of floats is refused and changes nothing, or leaves nothing behind that is not finite."""
    X, y = np.array([row for row, _ in rows]), np.array([label % classes for _, label in rows])
    learner = learner_class(name)(**case)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        learner.partial_fit(np.zeros((1, 3)), [0], classes=list(range(classes)))
        for row, label in zip(X, y, strict=True):
            before = numbers_of(learner)
            try:
                learner.partial_fit(row[None], [label])
            except RegretlessError:
                after = numbers_of(learner)
                assert all(np.array_equal(before[key], after[key], equal_nan=True) for key in before), row
            assert all(np.isfinite(array).all() for array in numbers_of(learner).values()), row
        check_scores(learner, X)
