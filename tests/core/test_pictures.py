"""What `plot` draws of a learner: its numbers, the largest first, and an error where nothing can be drawn."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest

import regretless
from regretless.catalogue import TABLES
from regretless.errors import RegretlessError
from regretless.linear import KernelPerceptron, Perceptron
from regretless.plot import MOST_BARS, MOST_CHARTS

from ..catalogue import Entry

NUMBERS = [Entry(kind, name) for kind, table in TABLES.items() if kind != "class" for name in table]


def drawn(axes: Any) -> dict[str, float]:
    """The names of a chart's bars, and how long these are."""
    names = [label.get_text().strip() for label in axes.get_yticklabels()]
    return dict(zip(names, [bar.get_width() for bar in axes.patches], strict=True))


@pytest.mark.parametrize("entry", NUMBERS, ids=lambda entry: f"{entry.kind}-{entry.name}")
def test_every_learner_of_weights_combiner_and_bandit_can_be_drawn(entry: Entry):
    """After some rounds its figure has a chart of as many bars as it goes by numbers, or the most that are drawn."""
    pytest.importorskip("matplotlib")
    learner = entry.learn(entry.made())
    figure = learner.plot()
    figure.draw_without_rendering()
    assert len(figure.axes) == len(learner.bars())
    for axes, bars in zip(figure.axes, learner.bars(), strict=True):
        assert len(axes.patches) == min(len(bars.values), MOST_BARS) > 0


def test_the_largest_weights_are_drawn_by_their_names():
    """Of 30 columns of a frame the 20 with the largest weights are drawn, those below 0 to the left."""
    pytest.importorskip("matplotlib")
    pandas = pytest.importorskip("pandas")
    rows = np.arange(1.0, 31) * np.where(np.arange(30) % 2, -1, 1)
    table = pandas.DataFrame([rows, -rows], columns=[f"c{place}$" for place in range(30)])
    learner = Perceptron(ties="update").fit(table, ["no", "yes"])
    (axes,) = learner.plot().axes
    bars = drawn(axes)
    assert list(bars)[:2] == [r"c29\$", r"c28\$"]
    assert len(bars) == MOST_BARS
    assert bars == {f"c{place}\\$": learner.coef_[0, place] for place in range(29, 9, -1)}
    assert axes.get_title() == "Weights for yes\n(20 of 30, the largest in size)"


@pytest.mark.parametrize("learner", [Perceptron(), KernelPerceptron(kernel="linear")], ids=["weights", "kernel"])
def test_numbers_of_a_lone_class_are_named_by_what_they_speak_for(learner):
    """While the only class is 0, positive scores speak for what is not 0; once there is a second one, for that."""
    learner.partial_fit([[1.0], [2.0]], [0, 0])
    assert [bars.title.partition(" for ")[2] for bars in learner.bars()] == ["not 0"]
    learner.partial_fit([[3.0]], [1])
    assert [bars.title.partition(" for ")[2] for bars in learner.bars()] == ["1"]


def test_a_bandit_shows_its_arms_and_a_combiner_its_experts():
    """Bars are the probabilities of the next draw, and the weights of the next round, by name."""
    pytest.importorskip("matplotlib")
    bandit = regretless.Exp3(arms=["left", "right"], seed=0)
    bandit.play(np.array([[0.0, 1.0]] * 20))
    (axes,) = bandit.plot().axes
    assert drawn(axes) == dict(zip(["left", "right"], bandit.probabilities_, strict=True))
    combiner = regretless.experts.Hedge()
    combiner.play(np.array([[0.0, 1.0, 0.5]] * 20))
    (axes,) = combiner.plot().axes
    assert drawn(axes) == dict(zip("021", sorted(combiner.weights, reverse=True), strict=True))


def test_each_of_many_classes_has_a_chart_up_to_twelve():
    """Of 15 classes the first 12 are drawn; a kernel perceptron shows its support rows."""
    pytest.importorskip("matplotlib")
    X, y = np.eye(15), np.arange(15)
    figure = Perceptron(passes=2).fit(X, y).plot()
    assert [axes.get_title() for axes in figure.axes] == [f"Weights for {label}" for label in range(MOST_CHARTS)]
    kernel = KernelPerceptron(gamma=1.0).fit(X, y % 2)
    (axes,) = kernel.plot().axes
    assert sorted(drawn(axes).values()) == sorted(kernel.dual_coef_[0])


def test_without_matplotlib_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch):
    """A learner that is drawn where matplotlib is missing names the extra; one that has learned nothing says so."""
    learner = Perceptron().fit(np.eye(2), [0, 1])
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(RegretlessError, match=r"pip install matplotlib"):
        learner.plot()
    with pytest.raises(RegretlessError):
        Perceptron().plot()
