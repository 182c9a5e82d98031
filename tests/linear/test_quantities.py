"""Numbers that are rather quantities than labels."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from regretless import AROW, AggregatedClassifier

RANDOM = np.random.default_rng(3)
X = RANDOM.normal(size=(200, 2))


@pytest.mark.parametrize("learner", [AggregatedClassifier(), AROW()], ids=repr)
def test_ages_are_warned_of(learner):
    """Many whole numbers that do not begin with 0 or 1, or that nearly all differ, are learned with a warning."""
    ages = RANDOM.integers(18, 60, 200)
    with pytest.warns(
        UserWarning, match=r"y has \d+ different whole numbers, 18 to 59, and each becomes a class"
    ) as values:
        learner.fit(X, ages)
    assert values[0].filename == __file__
    with pytest.warns(UserWarning, match="y has 60 different whole numbers"):
        learner.fit(X[:60], np.arange(60))


@pytest.mark.parametrize(
    "labels", [RANDOM.integers(0, 40, 200), RANDOM.integers(18, 60, 200).astype(str), np.arange(200) % 2 * 65 + 18]
)
def test_labels_are_not_warned_of(labels):
    """Numbers from 0 on, words and a few numbers are labels."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        AROW().fit(X, labels)
