"""What is said of probabilities: reliability diagrams, and snapshots of an aggregated learner on its way."""

from __future__ import annotations

import numpy as np
import pytest

from regretless.linear import OnlineGradientDescent
from regretless.linear.progressive import Progressive, Reliability, reliability
from regretless.report.run_page import reliability_panel

CLASSES = np.array([-1, 1])


def counts(scores: np.ndarray, labels: np.ndarray) -> Progressive:
    """A first pass with these scores."""
    progressive = Progressive()
    progressive(scores[:, None], labels.astype(np.int32), CLASSES, 1.0)
    return progressive


def drawn(rows: int, sharper: float = 1.0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Log odds, labels drawn by them, and the scores that are said instead."""
    random = np.random.default_rng(0)
    odds = 2 * random.normal(size=rows)
    labels = np.where(random.random(rows) < 1 / (1 + np.exp(-odds)), 1, -1)
    return odds, labels, sharper * odds


def test_right_probabilities_lie_on_the_diagonal_and_sharper_ones_do_not() -> None:
    """Of labels drawn by their probabilities as many come as was said; of scores three times as large they do not."""
    _, labels, predictions = drawn(40_000)
    right = reliability(counts(predictions, labels))
    wrong = reliability(counts(3 * predictions, labels))
    assert right is not None
    assert wrong is not None
    assert right.reliability < 0.001 < 0.01 < wrong.reliability
    assert np.abs(right.forecast - right.frequency).max() < 0.05
    assert right.rows.sum() == 40_000


def test_the_parts_of_the_brier_score_add_up_to_it() -> None:
    """Reliability - resolution + uncertainty is the mean squared error of the probabilities, but for the stretches."""
    _, labels, predictions = drawn(40_000)
    table = reliability(counts(predictions, labels))
    assert table is not None
    exact = float(((1 / (1 + np.exp(-predictions)) - (labels > 0)) ** 2).mean())
    assert table.brier == pytest.approx(exact, rel=0.01)
    assert table.describe()["brier"] == table.brier


def test_the_middles_of_bins_are_near_their_scores() -> None:
    """A score is within three percent of the middle of the bin that it was counted in."""
    scores = np.concatenate([-np.logspace(-6, 3, 50), np.logspace(-6, 3, 50)])
    for score in scores:
        middle, low, high = counts(np.array([score, 5.0]), np.array([1, -1])).score_counts()
        assert np.abs(middle / score - 1).min() < 0.03
        assert low.sum() == high.sum() == 1


def test_there_is_no_diagram_of_one_label_or_none() -> None:
    """Before two labels were met there is nothing to compare."""
    assert reliability(Progressive()) is None


@pytest.mark.parametrize("loss", ["logistic", "square", "squared-hinge", "hinge"])
def test_scores_are_log_odds_of_the_logistic_loss_alone(loss: str) -> None:
    """Where a learner says that its scores are log odds, its probabilities are theirs; elsewhere they are others."""
    random = np.random.default_rng(3)
    X = random.normal(size=(300, 3))
    y = np.where(X[:, 0] + random.normal(size=300) > 0, 1, -1)
    learner = OnlineGradientDescent(loss=loss).fit(X, y)
    scores = learner.decision_function(X)[:, None]
    probabilities = learner.probabilities(scores)
    by_odds = 1 / (1 + np.exp(-scores[:, 0]))
    assert learner.scores_are_log_odds == (probabilities is not None and np.allclose(probabilities[:, 1], by_odds))
    assert learner.scores_are_log_odds == (loss == "logistic")


def test_the_report_draws_frequencies_over_forecasts() -> None:
    """The panel of a report reads a described table: a point a stretch, both in percent, with its rows beside it."""
    table = Reliability(np.array([0.2, 0.7]), np.array([0.1, 0.8]), np.array([10, 20]))
    panel = reliability_panel(table.describe())
    assert [tuple(np.round(point, 9)) for point in panel.series[0].points] == [(20, 10), (70, 80)]
    assert [row[-1] for row in panel.table[1:]] == ["10", "20"]
