"""Predictions and plays as Series and data frames of pandas and polars."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest

from regretless.errors import RegretlessError
from regretless.experts import ExponentiallyWeightedAverage
from regretless.linear import AggregatedClassifier, OnlineGradientDescent, Perceptron
from regretless.regression import AggregatedRegressor

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")
RNG = np.random.default_rng(0)
INDEX = pd.Index([f"r{place}" for place in range(40)], name="id")
ROWS = pd.DataFrame({"a": RNG.normal(size=40), "b": RNG.normal(size=40), "c": RNG.choice(["x", "y"], 40)}, index=INDEX)
LABELS = np.where(ROWS["a"] > 0, "yes", "no")


def test_predictions_have_the_index_of_their_rows() -> None:
    """With "pandas" labels and numbers are Series on the index of the frame, with the values that arrays have."""
    for learner, outcomes in ((Perceptron(), LABELS), (AggregatedRegressor(), ROWS["b"].to_numpy())):
        plain = learner.fit(ROWS, outcomes).predict(ROWS)
        assert isinstance(plain, np.ndarray)
        boxed: Any = learner.set_output(predict="pandas").predict(ROWS)
        assert isinstance(boxed, pd.Series)
        assert boxed.index.equals(INDEX)
        assert boxed.tolist() == plain.tolist()
        assert learner.score(ROWS, outcomes) == learner.set_output(predict="default").score(ROWS, outcomes)


@pytest.mark.parametrize("learner", [AggregatedClassifier(), OnlineGradientDescent(loss="logistic")])
def test_probabilities_have_a_column_for_each_class(learner: Any) -> None:
    """Probabilities are a frame under the names of the classes; scores of two classes are a Series."""
    plain = learner.fit(ROWS, LABELS).predict_proba(ROWS)
    boxed = learner.set_output(predict="pandas").predict_proba(ROWS)
    assert list(boxed.columns) == ["no", "yes"]
    np.testing.assert_array_equal(boxed.to_numpy(), plain)
    assert boxed.index.equals(INDEX)
    assert isinstance(learner.decision_function(ROWS), pd.Series)


def test_polars_in_and_out() -> None:
    """Rows of polars, with an Enum and a boolean column, are learned as those of pandas, and predicted into polars."""
    table = pl.DataFrame({"a": ROWS["a"].to_numpy(), "b": ROWS["b"].to_numpy(), "c": ROWS["c"].to_list()})
    table = table.with_columns(pl.col("c").cast(pl.Enum(["x", "y"])), flag=pl.col("a") > 0.5)
    same = ROWS.assign(c=ROWS["c"].astype("category"), flag=ROWS["a"] > 0.5)
    first, second = Perceptron().fit(table, pl.Series(LABELS)), Perceptron().fit(same, pd.Series(LABELS, index=INDEX))
    assert first.feature_names_in_.tolist() == second.feature_names_in_.tolist()
    np.testing.assert_array_equal(first.coef_, second.coef_)
    boxed: Any = first.set_output(predict="polars").predict(table)
    assert isinstance(boxed, pl.Series)
    assert boxed.to_list() == second.predict(same).tolist()
    shares: Any = AggregatedClassifier().fit(table, LABELS).set_output(predict="polars").predict_proba(table)
    assert shares.columns == ["no", "yes"]


def test_a_clone_keeps_what_was_asked_for() -> None:
    """scikit-learn's clone() of a learner that predicts Series predicts Series."""
    base = pytest.importorskip("sklearn.base")
    learner = base.clone(Perceptron().set_output(predict="pandas")).fit(ROWS, LABELS)
    assert isinstance(learner.predict(ROWS), pd.Series)


def test_what_is_no_container_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """A name that is none is an error with those that there are, and a package that is missing is named."""
    with pytest.raises(RegretlessError, match="'default', 'pandas', 'polars'"):
        Perceptron().set_output(predict="arrow")
    learner = Perceptron().fit(ROWS, LABELS).set_output(predict="polars")
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(RegretlessError, match="pip install polars"):
        learner.predict(ROWS)


def test_a_combiner_of_a_frame_gives_a_frame() -> None:
    """Experts are called by the columns, in whatever order these stand, and a play has the frame's index."""
    advice = pd.DataFrame({"north": RNG.random(40), "south": RNG.random(40)}, index=INDEX)
    outcomes = pd.Series(RNG.random(40), index=INDEX)
    learner, turned = ExponentiallyWeightedAverage(), ExponentiallyWeightedAverage()
    played = learner.play(advice, outcomes, weights=True)
    table = played.frame()
    assert list(table.columns) == ["prediction", "loss", "weight of north", "weight of south"]
    assert table.index.equals(INDEX)
    assert table["prediction"].tolist() == played.predictions.tolist()
    assert played.frame("polars").columns == list(table.columns)
    turned.play(advice, outcomes)
    assert (
        turned.play(advice[["south", "north"]], outcomes).losses.tolist()
        == learner.play(advice, outcomes).losses.tolist()
    )
    array = ExponentiallyWeightedAverage().play(advice.to_numpy(), outcomes.to_numpy(), weights=True)
    assert list(array.frame().columns)[2:] == ["weight of 0", "weight of 1"]
    with pytest.raises(RegretlessError, match="is expected"):
        played.frame("default")


def test_a_column_of_text_among_forecasts_is_named() -> None:
    """A frame of forecasts with words in it is refused by row and column."""
    advice = pd.DataFrame({"north": [0.1, 0.2], "town": ["a", "b"]})
    with pytest.raises(RegretlessError, match=r"row 0 \(from 0\), expert 'town' forecasts 'a'.* leave that column out"):
        ExponentiallyWeightedAverage().play(advice, [0.1, 0.2])
