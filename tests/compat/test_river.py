"""Learners in river's pipelines predict what they predict by themselves."""

from __future__ import annotations

import numpy as np
import pytest

from regretless.errors import RegretlessError
from regretless.experts import Hedge
from regretless.linear import AROW, AggregatedClassifier, Perceptron
from regretless.regression import AggregatedRegressor, OnlineGradientDescent

pytest.importorskip("river")
from river import checks, datasets, dummy, evaluate, metrics, preprocessing, stats

from regretless.compat.river import RiverClassifier, RiverRegressor


def test_a_pass_over_dictionaries_is_a_pass_over_the_matrix():
    """The errors of a progressive pass, and the weights after it, are those of the learner on the same matrix."""
    rows = list(datasets.Phishing().take(300))
    names = list(rows[0][0])
    model, metric = RiverClassifier(Perceptron()), metrics.Accuracy()
    for x, y in rows:
        if (guess := model.predict_one(x)) is not None:
            metric.update(y, guess)
        model.learn_one(x, y)
    learner = Perceptron()
    X = np.array([[x[name] for name in names] for x, _ in rows])
    learner.fit(X, [float(y) for _, y in rows])
    assert model.model.ledger_.rounds == 300
    assert model.model.ledger_.mistakes == learner.ledger_.mistakes


@pytest.mark.parametrize("learner", [AROW(), AggregatedClassifier()], ids=lambda one: one.name)
def test_pipelines_and_metrics_take_it(learner):
    """progressive_val_score of river evaluates a pipeline that ends with one of our learners, above 80 per cent."""
    model = preprocessing.StandardScaler() | RiverClassifier(learner)
    score = evaluate.progressive_val_score(datasets.Phishing().take(400), model, metrics.Accuracy())
    assert score.get() > 0.8


def test_numbers_too():
    """A regressor in a pipeline errs less than half as much as the mean of the outcomes so far does."""
    rows, errors = list(datasets.TrumpApproval().take(300)), []
    for model in (RiverRegressor(AggregatedRegressor()), dummy.StatisticRegressor(stats.Mean())):
        errors.append(evaluate.progressive_val_score(rows, model, metrics.MAE()).get())
    assert errors[0] < errors[1] / 2


def test_probabilities_are_by_the_labels_that_came():
    """Probabilities have the labels as they were given, add up to 1, and are refused where there are none."""
    model = RiverClassifier(AggregatedClassifier())
    for x, y in datasets.Phishing().take(50):
        model.learn_one(x, y)
    chances = model.predict_proba_one(x)
    assert set(chances) == {True, False}
    assert sum(chances.values()) == pytest.approx(1)
    with pytest.raises(NotImplementedError, match="perceptron has no probabilities"):
        RiverClassifier(Perceptron()).predict_proba_one(x)


@pytest.mark.parametrize(
    ("model", "learner", "message"),
    [
        (
            RiverClassifier,
            AggregatedRegressor(),
            "of labels, and aggregated-regressor is none; RiverRegressor takes it",
        ),
        (
            RiverRegressor,
            AROW(),
            "learners of numbers, and arow is none; RiverClassifier takes it",
        ),
        (RiverRegressor, Hedge(2), "takes learners of numbers, and hedge is none$"),
    ],
)
def test_a_learner_of_another_kind_is_refused_at_once(model, learner, message):
    """A model of labels is not made of a learner of numbers, nor the other way round, nor either of a combiner."""
    with pytest.raises(RegretlessError, match=message):
        model(learner)


class Classifier(RiverClassifier):
    """The class says with which parameters river may make one."""

    @classmethod
    def _unit_test_params(cls):
        yield {"learner": AROW()}


class Regressor(RiverRegressor):
    """The same of numbers."""

    @classmethod
    def _unit_test_params(cls):
        yield {"learner": OnlineGradientDescent()}


MODELS = [Classifier(AROW()), Regressor(OnlineGradientDescent())]


@pytest.mark.parametrize(
    ("model", "check"),
    [(model, check) for model in MODELS for check in checks.yield_checks(model)],
    ids=lambda one: getattr(one, "__name__", type(one).__name__),
)
def test_the_checks_of_river(model, check):
    """Every check that river makes of its own classifiers and regressors passes."""
    check(model.clone())
