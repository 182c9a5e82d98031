"""One row at a time, by the names of its features."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from regretless.data.columns import FeatureMap
from regretless.errors import ParameterError, RegretlessError
from regretless.linear import (
    AROW,
    AggregatedClassifier,
    KernelPerceptron,
    MulticlassPerceptron,
    Perceptron,
    Winnow,
)
from regretless.linear.base import OnlineClassifier
from regretless.regression import AggregatedRegressor
from regretless.rows.estimator import FEATURE_MAP
from regretless.rows.state import Rules


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


def test_a_row_of_a_table_with_words_is_asked_for_by_its_columns():
    """Numbers in place of the values of a table with words are refused with the names of its columns."""
    learner = Perceptron().fit(pd.DataFrame({"size": [1.0, 2.0], "town": ["Turku", "Oulu"]}), ["no", "yes"])
    fault = r"a row of 3 numbers .* shape is \(2,\); they are made of the columns 'size', 'town'"
    for queries in (learner.predict_one, lambda row: learner.update_one(row, "no")):
        for row in (np.ones(2), [1.0, 2.0]):
            with pytest.raises(RegretlessError, match=fault):
                queries(row)


@pytest.mark.parametrize("learner", [Perceptron, AROW, AggregatedClassifier, Winnow, KernelPerceptron])
def test_single_rounds_weigh_what_their_class_does(learner: type[OnlineClassifier]) -> None:
    """update_one multiplies by the weight of the class as partial_fit does; "balanced" is refused."""
    X = np.random.default_rng(3).normal(size=(40, 3)).round(3)
    y = np.where(X[:, 0] > 0.3, "b", "a")
    more = {"kernel": "linear"} if learner is KernelPerceptron else {}
    weights = {"a": 0.25, "b": 2.5}
    one, rows, plain = (learner(class_weight=which, **more) for which in (weights, weights, None))
    for each in (one, rows, plain):
        each.partial_fit(X[:5], y[:5], classes=["a", "b"])
    rows.partial_fit(X[5:], y[5:])
    for x, label in zip(X[5:], y[5:].tolist(), strict=True):
        one.update_one(x, label)
        plain.update_one(x, label)
    assert np.array_equal(one.decision_function(X), rows.decision_function(X))
    assert not np.array_equal(one.decision_function(X), plain.decision_function(X))
    assert one.ledger_.weighted == 40
    with pytest.raises(RegretlessError, match="needs all labels at once"):
        plain.set_params(class_weight="balanced").update_one(X[0], "a")


def test_words_are_numbered_once_for_many_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows by themselves are read by one map of words as long as these stay, and by a new one after a new word."""
    built = []
    original = FeatureMap.from_schema.__func__

    def counted(*arguments: object, **more: object) -> FeatureMap:
        built.append(1)
        return original(*arguments, **more)

    frame = pd.DataFrame({"city": ["Rome", "Oslo", "Rome", "Bonn"], "size": [3.0, 1.0, 2.0, 4.0]})
    learner = Perceptron().fit(frame, ["a", "b", "a", "b"])
    vars(learner).pop(FEATURE_MAP, None)
    monkeypatch.setattr(FeatureMap, "from_schema", classmethod(counted))
    first = [learner.predict(frame.iloc[[place]])[0] for place in range(4)]
    assert (first, len(built)) == (learner.predict(frame).tolist(), 1)
    learner.partial_fit(pd.DataFrame({"city": ["Lima"], "size": [50.0]}), ["b"])
    again = learner.predict(pd.DataFrame({"city": ["Lima"], "size": [0.0]}))
    assert again[0] == "b"
    assert FEATURE_MAP in vars(learner)
    assert FEATURE_MAP not in vars(deepcopy(learner))


@pytest.mark.parametrize("ties", [1, -1])
def test_one_row_has_the_label_of_a_table(ties):
    """Scores above, below and at 0 become the labels that `predict` gives, whichever a tie goes to."""
    learner = Perceptron(ties=ties).fit([[1.0, 2.0], [2.0, 1.0]], ["no", "yes"])
    for row in np.array([[1.0, -3.0], [-1.0, 3.0], [0.0, 0.0]]):
        assert learner.predict_one(row) == learner.predict(row[None])[0]
    assert learner.predict_one(np.zeros(2)) == ("yes" if ties == 1 else "no")


def test_parameters_that_change_after_a_fit_are_noticed() -> None:
    """Rules are made anew once any parameter is another object or may have changed in place, or the class is not ours;
    what has no meaning is refused as ever."""
    X, y = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0]]), np.array(["a", "b", "a"])
    learner = Perceptron(rate=1.0, initial=[0.0]).fit(X, y)
    assert learner.set_params(rate=2.0).partial_fit(X, y).played_rules().eta == 2
    with pytest.raises(ParameterError, match="rate"):
        learner.set_params(rate=True).predict(X)
    with pytest.raises(ParameterError, match="passes"):
        learner.set_params(rate=1.0, passes=0).partial_fit(X, y)
    start = [0.0]
    learner.set_params(passes=1, initial=start).partial_fit(X, y)
    start[0] = np.nan
    with pytest.raises(ParameterError, match="initial"):
        learner.predict(X)

    numbers = AggregatedRegressor().fit(X, [1.0, 2.0, 3.0])
    with pytest.raises(ParameterError, match="loss"):
        numbers.set_params(loss="cubic").predict(X)
    assert numbers.set_params(loss="square", rates=[0.1]).partial_fit(X, [1.0, 2.0, 3.0]).played_rules().rates == (0.1,)
    numbers.rates.append(0.2)
    assert numbers.partial_fit(X, [1.0, 2.0, 3.0]).played_rules().rates == (0.1, 0.2)

    class Slow(Perceptron):
        step = 1.0

        def rules(self) -> Rules:
            return replace(super().rules(), eta=self.step)

    slow = Slow().fit(X, y)
    slow.step = 3.0
    assert slow.partial_fit(X, y).played_rules().eta == 3


@pytest.mark.parametrize("y", [np.array([3, 7]), np.array(["a", "bb"]), np.array([False, True])])
def test_the_label_of_one_row_is_that_of_many(y: np.ndarray) -> None:
    """A row alone has the label and the type of a row among others, also where its score is 0, whatever that means."""
    X = np.array([[1.0], [-1.0], [0.0]])
    for ties in ("update", 1, -1):
        learner = Perceptron(ties=ties).fit(X[:2], y)
        alone = [learner.predict(X[t : t + 1]) for t in range(3)]
        assert np.concatenate(alone).tolist() == learner.predict(X).tolist()
        assert {labels.dtype for labels in alone} == {y.dtype}
        alone[0][:] = y[0]  # an array of its own
        assert learner.classes_.tolist() == y.tolist()
