"""What notebooks show of learners, ledgers, certificates, solutions and runs: HTML, and figures by `plot`."""

from __future__ import annotations

import re
import sys
from functools import cache
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pytest

from regretless.alarms import ConfidenceSequence, VilleAlarm, Watch
from regretless.bandits import Exp3, simulate
from regretless.calibration import BinnedOffsets
from regretless.catalogue import TABLES
from regretless.certificate import Certificates
from regretless.contextual import EpsilonGreedy
from regretless.environments import Bernoulli, ShatteredTree
from regretless.errors import RegretlessError
from regretless.experts import ExponentiallyWeightedAverage
from regretless.finite_classes import FiniteClass, Halving
from regretless.games import BimatrixGame, MatrixGame, SequenceGame
from regretless.intervals import AdaptiveIntervals
from regretless.linear import Perceptron
from regretless.play import play

from ..catalogue import Entry

LEARNERS = [Entry(kind, name) for kind, table in TABLES.items() if kind != "class" for name in table]
HOSTILE = "<script>alert(1)</script>"
ROWS, LABELS = [[1.0, 2.0], [-1.0, -1.0]], [1, -1]
CHOICE, PENNIES = [[1, 0, 0], [-1, 1, 1]], [[0, 0, 0], [0, 1, -1], [0, -1, 1]]
LOSSES = np.random.default_rng(0).random((30, 2)) * [0.5, 1.0]


class Tags(HTMLParser):
    """Which tags a text has; each that is opened must be closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.opened: list[str] = []
        self.tags: set[str] = set()
        self.feed(text)
        assert self.opened == []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.opened.append(tag)
        self.tags.add(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.opened.pop() == tag


def words(html: str) -> str:
    return re.sub(r"<[^>]*>", " ", html)


@pytest.mark.parametrize("entry", LEARNERS, ids=lambda entry: f"{entry.kind}-{entry.name}")
def test_every_learner_is_shown_before_and_after_it_has_learned(entry: Entry) -> None:
    """A learner without a round is shown as it is made, and one with rounds with its ledger besides."""
    learner = entry.made()
    assert "<code>" in learner._repr_html_()
    shown = entry.learn(learner)._repr_html_()
    assert {"code", "table", "th", "td"} <= Tags(shown).tags
    assert "rounds" in words(shown)


def after(learner: Any, *columns: Any) -> Any:
    learner.play(*(columns or ([0, 1] * 10,)))
    return learner


def watched() -> Watch:
    watch = Watch([HOSTILE], reference=0.5, mean_rounds=100)
    watch.add(LOSSES[:, 0])
    return watch


@cache
def results() -> dict[str, Any]:
    """A result of each kind, with names that a page must not obey where there are names."""
    combiner, bandit = ExponentiallyWeightedAverage(), Exp3(arms=[HOSTILE, "b"], seed=0)
    combined = combiner.play(LOSSES, LOSSES[:, 0])
    table = bandit.play(LOSSES)
    perceptron = Perceptron().fit(ROWS, LABELS)
    halving = Halving(FiniteClass.named("thresholds:7"))
    played = play(halving, ShatteredTree(halving.finite_class), 3)
    return {
        "certificates": perceptron.certify(ROWS, LABELS),
        "ledger": perceptron.ledger_,
        "expert ledger": combiner.ledger_,
        "bandit ledger": bandit.ledger_,
        "combined": combined,
        "bandit": bandit,
        "pulls": simulate(Exp3(2, horizon=50, seed=0), Bernoulli([0.3, 0.6]), rounds=50, runs=3),
        "solution": MatrixGame([[0, -1], [1, 0]], rows=[HOSTILE, "b"]).solve(),
        "equilibrium": BimatrixGame([[3, 0], [5, 1]], [[3, 5], [0, 1]]).equilibria()[0],
        "play": played,
        "class learner": played.learner,
        "table": table,
        "trial": EpsilonGreedy(2, seed=0).play(LOSSES, LOSSES),
        "correlated": BimatrixGame([[3, 0], [5, 1]], [[3, 5], [0, 1]]).correlated(),
        "tree": SequenceGame(PENNIES, CHOICE, CHOICE).solve(),
        "intervals": after(AdaptiveIntervals(), LOSSES[:, 0], LOSSES[:, 1]),
        "alarm": after(VilleAlarm(reference=0.9)),
        "mean": after(ConfidenceSequence()),
        "watch": watched(),
        "offsets": after(BinnedOffsets(), LOSSES[:, 0], LOSSES[:, 1] > 0.5),
    }


@pytest.mark.parametrize("name", results())
def test_every_result_is_shown_with_its_names_escaped(name: str) -> None:
    """A table or a line, and no tag that comes from a name."""
    tags = Tags(results()[name]._repr_html_()).tags
    assert "table" in tags
    assert tags <= {"p", "b", "code", "table", "tr", "th", "td", "details", "summary"}


@pytest.mark.parametrize("name", results())
def test_every_result_can_be_drawn(name: str) -> None:
    """A figure with axes, on which something stands."""
    pytest.importorskip("matplotlib")
    figure = results()[name].plot()
    figure.draw_without_rendering()
    assert any(axes.has_data() for axes in figure.axes)


def test_nothing_overprints_the_legend_of_certificates() -> None:
    """The legend of drawn certificates covers neither the numbers beside the bars nor the title."""
    pytest.importorskip("matplotlib")
    figure = results()["certificates"].plot()
    figure.draw_without_rendering()
    (axes,) = figure.axes
    legend = axes.get_legend().get_window_extent()
    title = axes._left_title.get_window_extent()
    assert axes.texts
    assert not any(legend.overlaps(one.get_window_extent()) for one in axes.texts)
    assert not legend.overlaps(title)


def test_certificates_are_a_list_that_reads_as_lines() -> None:
    """They are equal to the list of them, print a line each, and say in their table why one does not apply."""
    certificates = results()["certificates"]
    assert isinstance(certificates, Certificates)
    assert certificates == list(certificates)
    assert str(certificates).splitlines() == [str(one) for one in certificates]
    assert "updates 1" in words(certificates._repr_html_())
    assert "The number of updates was 1;" in words(certificates._repr_html_())
    assert "The number of updates was 1;" in words(certificates[0]._repr_html_())
    combiner = ExponentiallyWeightedAverage()
    combiner.play(LOSSES, LOSSES[:, 0])
    assert "does not apply: " in words(combiner.certify()._repr_html_())


def test_a_table_says_where_a_bound_was_broken() -> None:
    """The sign between what was observed and the bound is that of the verdict."""
    (first, *_) = results()["certificates"]
    broken = type(first)(first.theorem, 9.0, 1.0, first.comparator, None)
    assert ("≤" in first._repr_html_(), "≤" in broken._repr_html_()) == (True, False)
    assert "&gt;" in broken._repr_html_()


@pytest.mark.parametrize("name", ["certificates", "ledger", "solution", "play"])
def test_without_matplotlib_a_plot_says_what_to_install(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What notebooks draw needs the extra, and the error names it."""
    for module in [one for one in sys.modules if one.partition(".")[0] == "matplotlib"]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(RegretlessError, match="pip install matplotlib"):
        results()[name].plot()
