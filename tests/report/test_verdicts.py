"""What a page says above its numbers, from runs of the command line."""

from __future__ import annotations

import re

import numpy as np
import pytest

from ..command_line import quietly


def page(tmp_path, *words) -> str:
    """The text of a report."""
    path = tmp_path / "r.html"
    assert quietly(*words, "--quiet", "--report", path) == 0
    return re.sub(
        r"\s+", " ", re.sub(r"<style.*?</style>|<script.*?</script>|<[^>]+>", " ", path.read_text(), flags=re.S)
    )


@pytest.fixture
def rare(tmp_path):
    """Rows of noise, 3 % of them of the rarer label."""
    rng = np.random.default_rng(0)
    y = (rng.random(600) < 0.03).astype(int)
    rows = [f"{label} 1:{a} 2:{b}\n" for label, (a, b) in zip(y, rng.normal(size=(600, 2)), strict=True)]
    (tmp_path / "t.svm").write_text("".join(rows))
    return tmp_path / "t.svm"


def test_a_rule_that_errs_less_is_named_beside_the_verdict(tmp_path, rare):
    """Bounds that hold are not shown in green over more errors than a constant label makes."""
    text = page(tmp_path, "learn", rare, "--learner", "perceptron")
    assert "Every sure bound held, and a rule without features errs less" in text
    assert "Always the most frequent label so far errs less: " in text
    assert "Recall and precision" in text


def test_what_the_mean_would_have_said_is_in_the_lead(tmp_path, rare):
    """Of an averaged perceptron the errors of its mean stand beside the mistakes that its theorems count."""
    text = page(tmp_path, "learn", rare, "--learner", "averaged-perceptron")
    assert re.search(r"the learner made \d+ mistakes, [\d.]+% of all. What will predict would have made \d+, ", text)
    assert "of what will predict, each row before it is learned" in text


def test_mistakes_of_classes_one_by_one_are_not_drawn_over_those_of_rows(tmp_path):
    """Where a theorem bounds the sum of the classes' mistakes, no curve of rows stands under its bound."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(300, 3))
    lines = [f"{row.argmax()} 1:{row[0]} 2:{row[1]} 3:{row[2]}\n" for row in X]
    (tmp_path / "t.svm").write_text("".join(lines))
    text = page(tmp_path, "learn", tmp_path / "t.svm", "--learner", "online-gradient-descent")
    assert "What is certified here is the mistakes (sum of 3 classes), of which no curve was recorded." in text
    assert "Mistakes under the certified bound" not in text


def test_bounds_with_a_probability_that_held_are_reported_to_have_held(tmp_path):
    """A bandit has no sure bound; where all of its others held the verdict says that, and how sure they are."""
    words = ("play", "--learner", "exp3-ix", "--environment", "bernoulli", "--with", "means=0.3,0.6", "--rounds", 500)
    text = page(tmp_path, *words)
    assert "Every bound held" in text
    assert "none is sure: they hold with a probability, or in expectation" in text
    assert "No sure bound applied" not in text


def test_bounds_on_what_is_not_observed_are_not_said_to_have_held(tmp_path):
    """A log is certified by an interval around what nobody sees, so that nothing held; its own mean has a tile."""
    rows = "\n".join(f"{'ab'[k % 2]},{k % 3 / 2},0.5,{k % 5}" for k in range(40))
    (tmp_path / "log.csv").write_text(f"action,cost,p,x\n{rows}\n")
    log = ("--action", "action", "--cost", "cost", "--propensity", "p")
    text = page(tmp_path, "explore", tmp_path / "log.csv", *log)
    assert "What is bounded was not observed" in text
    assert "Every bound held" not in text
    assert "Mean cost of the log" in text
