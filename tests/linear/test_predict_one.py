"""One row at a time, by the names of its features."""

from __future__ import annotations

from copy import deepcopy

import numpy as np
import pandas as pd
import pytest

from regretless.errors import RegretlessError
from regretless.linear import AROW, KernelPerceptron, MulticlassPerceptron, Perceptron, Winnow
from regretless.regression import AggregatedRegressor


@pytest.mark.parametrize("learner", [Perceptron(), AROW(), MulticlassPerceptron()], ids=repr)
def test_named_features_are_those_of_the_frame(learner):
    """A mapping is predicted as the row of a data frame; what is not named is 0, and what is not known is nothing."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(60, 3)), columns=["a", "b", "c"])
    y = np.where(X["a"] > X["b"], "more", "less")
    learner.fit(X, y)
    for _, row in X.iterrows():
        named = dict(reversed(list(row.items())))
        assert learner.predict_one(named) == learner.predict(X.loc[[row.name]])[0]
        assert learner.predict_one({**named, "d": 5.0}) == learner.predict_one(named)
    assert learner.predict_one({"b": 2.0}) == learner.predict(pd.DataFrame([[0, 2.0, 0]], columns=X.columns))[0]


def test_names_need_names():
    """A learner of bare arrays says that it knows no names."""
    learner = Perceptron().fit([[1.0, 2.0], [2.0, 1.0]], [0, 1])
    with pytest.raises(RegretlessError, match="give an array of 2 numbers, or fit a data frame"):
        learner.predict_one({"a": 1.0})


LEARNERS = [Perceptron(), AROW(), Winnow(), KernelPerceptron(), AggregatedRegressor()]


@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
def test_a_series_or_a_mapping_is_learned_as_the_row_of_the_frame(learner):
    """Whatever the order of its names, a row by name is predicted and learned as the bare numbers are; so are numbers
    of other types, without names in their order."""
    rng = np.random.default_rng(1)
    X = pd.DataFrame(rng.random(size=(30, 3)), columns=["a", "b", "c"])
    y = np.where(X["a"] > X["b"], 1.0, -1.0)
    learner.fit(X, y)
    row = X.iloc[3]
    forms = [row, row[["c", "a", "b"]], row.to_dict(), row.astype(object), row.tolist(), tuple(row)]
    expected = learner.predict_one(row.to_numpy())
    twins = []
    for form in forms:
        assert learner.predict_one(form) == expected
        twins.append(deepcopy(learner))
        twins[-1].update_one(form, 1.0)
    learner.update_one(row.to_numpy(), 1.0)
    assert all(twin.predict_one(row) == learner.predict_one(row) for twin in twins)
    assert all(twin.ledger_ == learner.ledger_ for twin in twins)
    assert learner.predict_one(row.to_numpy(np.float32)) == learner.predict_one(row.to_numpy(np.float32).tolist())


def test_a_row_that_does_not_fit_is_refused():
    """A row of another length, of words, and a label that was never learned have messages of their own."""
    learner = Perceptron().fit([[1.0, 2.0], [2.0, 1.0]], ["no", "yes"])
    assert learner.predict_one(pd.Series([1.0, 2.0])) == learner.predict_one([1.0, 2.0])
    with pytest.raises(RegretlessError, match=r"a row of 2 numbers is expected, and its shape is \(3,\)"):
        learner.update_one([1.0, 2.0, 3.0], "no")
    with pytest.raises(RegretlessError, match="a row of 2 numbers is expected, or values by their names"):
        learner.predict_one(["a", "b"])
    with pytest.raises(RegretlessError, match="label 'maybe' is none of those that were learned: 'no', 'yes'"):
        learner.update_one(np.array([1.0, 2.0]), "maybe")
