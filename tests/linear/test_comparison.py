"""Two classifiers on the same rows."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone

import regretless
from regretless.data.batch import Batch
from regretless.errors import ParameterError, RegretlessError
from regretless.linear import (
    AROW,
    AggregatedClassifier,
    KernelPerceptron,
    OnlineGradientDescent,
    Perceptron,
    PNormPerceptron,
)
from regretless.linear.base import OnlineClassifier
from regretless.run.comparison import Comparison
from regretless.run.competitors import FrozenCompetitor, LearningCompetitor, Losses
from regretless.theory.confidence import interval


def rows(count: int, seed: int = 0, classes: int = 2) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(count, 5))
    scores = X @ rng.normal(size=(5, classes)) + rng.normal(size=(count, classes))
    return X, np.array(["red", "green", "blue"])[scores.argmax(axis=1)]


def losses(rng: np.random.Generator, count: int, chance: float) -> Losses:
    return Losses(rng.random(count) < chance, None)


def test_learners_are_compared_by_their_mistakes_before_each_update() -> None:
    """The mistakes of both are those of their own runs, in which the first row of a class is one whatever was said of
    it; the objects themselves learn nothing."""
    X, y = rows(500)
    a, b = Perceptron(), AROW()
    comparison = regretless.compare(a, b, X, y)
    assert not hasattr(a, "classes_")
    first = {int(np.argmax(y == label)) for label in np.unique(y)}
    expected = []
    for one in (a, b):
        before, wrong = 0, 0
        for row in range(len(y)):
            mistakes = one.partial_fit(X[[row]], y[[row]]).ledger_.mistakes
            wrong += row in first or mistakes > before
            before = mistakes
        expected.append(int(wrong))
    assert comparison.mistakes == expected
    assert comparison.apart[0] - comparison.apart[1] == expected[0] - expected[1]
    assert comparison.difference == (expected[0] - expected[1]) / 500


def test_a_label_that_nobody_knew_is_a_mistake_of_both() -> None:
    """Five rows of zeros with a label each: nothing that was learned before could say any of them."""
    X, y = np.zeros((5, 2)), np.arange(5)
    for pair in ((Perceptron(), AROW()), (AROW(), OnlineGradientDescent(loss="logistic"))):
        assert regretless.compare(*pair, X, y).mistakes == [5, 5]


def test_models_are_judged_as_they_are() -> None:
    """A fitted classifier keeps its weights, errs as `predict` does, and is taken not to know the rows."""
    X, y = rows(300)
    model = AROW().fit(*rows(300, seed=1))
    before = model.coef_.copy()
    comparison = regretless.compare(model, Perceptron(), X, y)
    assert comparison.mistakes[0] == int((model.predict(X) != y).sum())
    assert np.array_equal(model.coef_, before)
    assert all(
        one.assuming == "that no model has learned from these rows, or was chosen by them"
        for one in comparison.certificates
    )
    assert regretless.compare(Perceptron(), AROW(), X, y).certificates[0].assuming is None


def test_several_classes_are_compared() -> None:
    """One against the rest, classes met on the way, by streams and by arrays alike."""
    X, y = rows(400, classes=3)
    comparison = regretless.compare(Perceptron(), OnlineGradientDescent(loss="logistic"), X, y)
    sides = LearningCompetitor(Perceptron()), LearningCompetitor(OnlineGradientDescent(loss="logistic"))
    again = Comparison(("a", "b"))
    for begin in range(0, 400, 37):
        batch = Batch(X[begin : begin + 37], y[begin : begin + 37], 5)
        again.add(*(side.losses(batch) for side in sides))
    assert (again.mistakes, again.apart) == (comparison.mistakes, comparison.apart)
    assert again.log_losses[0] is comparison.log_losses[0] is None
    assert again.log_losses[1] == pytest.approx(comparison.log_losses[1], rel=1e-12)


@pytest.mark.parametrize("classes", [2, 3])
def test_the_log_loss_is_that_of_the_probabilities(classes: int) -> None:
    """A frozen model's log loss is minus the sum of the logarithms of what `predict_proba` gives to the labels."""
    X, y = rows(200, classes=classes)
    model = OnlineGradientDescent(loss="logistic").fit(*rows(200, seed=1, classes=classes))
    own = model.predict_proba(X)[np.arange(200), model.classes_.searchsorted(y)]
    cost = FrozenCompetitor(model).losses(Batch(X, y, 5)).log
    assert cost is not None
    assert cost.sum() == pytest.approx(-np.log(own).sum(), rel=1e-6)


def test_the_log_loss_of_a_learner_is_the_one_that_it_counts() -> None:
    """Over a stream of two classes the aggregated classifier's log loss is that of its own ledger."""
    X, y = rows(400)
    comparison = regretless.compare(AggregatedClassifier(), Perceptron(), X, y)
    assert comparison.log_losses[0] == pytest.approx(AggregatedClassifier().partial_fit(X, y).ledger_.loss, rel=1e-9)
    assert comparison.log_losses[1] is None


def test_a_label_that_a_model_does_not_know_is_a_mistake_without_a_probability() -> None:
    """So is every label of another kind."""
    X, y = rows(60)
    model = OnlineGradientDescent(loss="logistic").fit(X, y)
    strange = FrozenCompetitor(model).losses(Batch(X, np.array(["grey"] * 60), 5))
    numbers = FrozenCompetitor(model).losses(Batch(X, np.ones(60), 5))
    assert strange.wrong.all()
    assert numbers.wrong.all()
    assert strange.log is None
    assert numbers.log is None


def test_a_comparison_does_not_depend_on_how_rows_are_cut() -> None:
    """Sums, course and the first decision are the same of parts and of the whole."""
    rng = np.random.default_rng(1)
    first, second = losses(rng, 5000, 0.3), losses(rng, 5000, 0.2)
    whole, parts = Comparison(("a", "b")), Comparison(("a", "b"))
    whole.add(first, second)
    for begin in range(0, 5000, 77):
        parts.add(*(Losses(one.wrong[begin : begin + 77], None) for one in (first, second)))
    assert [point.rounds for point in whole.course] == [point.rounds for point in parts.course]
    assert np.allclose(whole.course, parts.course, rtol=0, atol=1e-12)
    assert whole.decided == parts.decided
    assert whole.better == "b"


def test_the_first_decision_is_the_first_interval_without_0() -> None:
    """Looking at every interval finds the same row."""
    rng = np.random.default_rng(2)
    first, second = losses(rng, 3000, 0.35), losses(rng, 3000, 0.25)
    comparison = Comparison(("a", "b"))
    comparison.add(first, second)
    x = (1.0 + first.wrong - second.wrong) / 2
    rounds = np.arange(1, 3001)
    guesses = (0.5 + np.cumsum(x) - x) / rounds
    low, high = interval(rounds, np.cumsum(x), np.cumsum((x - guesses) ** 2), 0.05)
    outside = np.flatnonzero((low > 0.5) | (high < 0.5))
    assert comparison.decided == outside[0] + 1


def test_equal_classifiers_are_never_distinguished() -> None:
    """Of two that always err together the difference is 0 and the interval holds it."""
    X, y = rows(300)
    comparison = regretless.compare(Perceptron(), Perceptron(), X, y)
    assert comparison.names == ("Perceptron A", "Perceptron B")
    assert (comparison.difference, comparison.better, comparison.decided) == (0, None, None)
    assert "neither is shown to err less" in str(comparison)


def test_the_better_one_is_named_in_either_order() -> None:
    """Swapping the two mirrors the interval."""
    rng = np.random.default_rng(3)
    good, bad = losses(rng, 4000, 0.1), losses(rng, 4000, 0.2)
    one, other = Comparison(("bad", "good")), Comparison(("good", "bad"))
    one.add(bad, good)
    other.add(good, bad)
    assert one.better == other.better == "good"
    assert np.allclose(one.interval, [-end for end in other.interval[::-1]])
    assert str(one) == str(other)
    assert one.certificates[0].bound == pytest.approx(one.interval[1])
    assert one.certificates[1].bound == pytest.approx(-one.interval[0])


def test_what_cannot_be_compared_is_refused() -> None:
    """A level that is none, and labels for other rows."""
    X, y = rows(20)
    with pytest.raises(ParameterError, match="level=1"):
        regretless.compare(Perceptron(), AROW(), X, y, level=1.0)
    with pytest.raises(RegretlessError):
        regretless.compare(Perceptron().fit(X, y), AROW(), X, y[:-1])


@pytest.mark.parametrize(
    ("learner", "fault"),
    [
        (KernelPerceptron(gamma="scale"), "gamma='scale'.*all rows first"),
        (PNormPerceptron(p="auto"), "p='auto'.*number of columns"),
        (Perceptron(class_weight="balanced"), "class_weight='balanced'.*all labels first"),
    ],
    ids=["gamma", "p", "class_weight"],
)
def test_a_learner_that_looks_at_rows_first_is_refused(learner: OnlineClassifier, fault: str) -> None:
    """On either side, with the parameter and the reason; once it has learned other rows it is a model like any."""
    X, y = rows(50)
    for pair in ((learner, AROW()), (AROW(), learner)):
        with pytest.raises(ParameterError, match=fault):
            regretless.compare(*pair, X, y)
    assert regretless.compare(clone(learner).fit(*rows(50, seed=1)), AROW(), X, y).rounds == 50
