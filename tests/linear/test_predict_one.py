"""One row at a time, by the names of its features."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from regretless.errors import RegretlessError
from regretless.linear import AROW, MulticlassPerceptron, Perceptron


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
