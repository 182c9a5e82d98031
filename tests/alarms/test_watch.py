"""Columns of losses beside their references: corrections, references, courses, states and pages."""

from __future__ import annotations

import json
from math import nan

import numpy as np
import pytest

from regretless.alarms import ConfidenceSequence, EDetector, VilleAlarm, Watch
from regretless.alarms.watch import WINDOWS
from regretless.errors import ModelError, ParameterError, RegretlessError, RowError
from regretless.report import WatchReport, page_of_watch, render
from regretless.theory.alarms import BETS


def losses(rounds: int, columns: int = 2, seed: int = 0) -> np.ndarray:
    """Losses of 0 and 1 that get worse in the second half, the first column most."""
    rng = np.random.default_rng(seed)
    means = np.where(np.arange(rounds)[:, None] < rounds / 2, 0.1, 0.1 + 0.3 / (1 + np.arange(columns)))
    return (rng.random((rounds, columns)) < means).astype(float)


def test_each_of_several_columns_has_its_part_of_the_promise() -> None:
    """Three columns have detectors at three times the rounds, or fixed starts and intervals at a third of the
    probability, and raise their alarms."""
    table = losses(900, 3)
    for promise, alone in (
        ({"mean_rounds": 500}, EDetector(0.2, 1500)),
        ({"alpha": 0.06}, VilleAlarm(0.2, 0.02)),
    ):
        watch = Watch(["a", "b", "c"], 0.2, level=0.97, **promise)
        raised = watch.add(table)
        evidence = alone.play(table[:, 0])
        assert next(one.round for one in raised if one.column == "a") == np.argmax(evidence >= alone.threshold) + 1
        column = watch.results()[0]
        sequence = ConfidenceSequence(0.99)
        sequence.update(table[:, 0])
        assert column.interval == pytest.approx(sequence.interval_)
        assert (column.threshold, column.alarms) == (pytest.approx(alone.threshold), alone.ledger_.alarms)
        assert [one.round for one in raised] == sorted(one.round for one in raised)
        assert "3 columns together" in watch.promise


@pytest.mark.parametrize(("promise", "delta", "threshold"), [({}, 0.05, 1e4), ({"alpha": 0.1}, 0.05, 1 / 0.05)])
def test_a_reference_from_earlier_rounds_is_their_upper_limit(promise, delta: float, threshold: float) -> None:
    """The first rounds, or those that `begin` takes, give the same reference, at delta for the upper end alone; and a
    fixed start has what is left of alpha."""
    table = losses(1000, 1)
    first, begun = Watch(["a"], reference_rounds=400, **promise), Watch(["a"], **promise)
    begun.begin(table[:150])
    begun.begin(table[150:400])
    assert first.add(table[:300]) == []
    assert first.references_ is None
    raised = first.add(table[300:])
    assert begun.add(table[400:]) == raised != []
    sequence = ConfidenceSequence(1 - 2 * delta)
    sequence.update(table[:400, 0])
    assert first.references_ == begun.references_ == [pytest.approx(sequence.interval_[1])]
    assert (first.rounds_, first.reference_rounds_) == (600, 400)
    assert first.results()[0].threshold == pytest.approx(threshold)
    with pytest.raises(RegretlessError, match="there is a reference already"):
        begun.begin(table)


def test_references_are_renewed() -> None:
    """With a period each reference is the upper limit of the period before, at its part of delta; the detector goes on
    with it; and parts with files between them have the same bits."""
    table, watch = losses(1000, 1), Watch(["a"], period=200, mean_rounds=50)
    raised = watch.add(table)
    references = []
    for number in range(1, 5):
        sequence = ConfidenceSequence(1 - 2 * 0.05 / (number * (number + 1)))
        sequence.update(table[200 * (number - 1) : 200 * number, 0])
        references += [sequence.interval_[1]] * 200
    evidence, expected = 0.0, []
    wealth = [0.0] * len(BETS)
    for round, (x, reference) in enumerate(zip(table[200:, 0], references, strict=True), 1):
        wealth = [(one + 1) * (1 - bet + bet * x / reference) for one, bet in zip(wealth, BETS, strict=True)]
        evidence = sum(wealth) / len(BETS)
        if evidence >= 50:
            expected.append(round)
            wealth = [0.0] * len(BETS)
    assert [one.round for one in raised] == expected != []
    assert "renewed every period" in watch.promise
    assert "above the reference of its period" in str(watch.certify()[0])
    parts = Watch(["a"], period=200, mean_rounds=50)
    for part in np.array_split(table, 7):
        parts.add(part)
        parts = Watch.from_state(json.loads(json.dumps(parts.state_dict(), allow_nan=False)))
    assert parts.state_dict() == watch.state_dict()


def test_a_period_of_largest_losses_is_a_reference() -> None:
    """Where all losses of a period are the largest ones, none of the next period exceeds them, and losses that are
    small again are watched from the period after it."""
    watch = Watch(["a"], period=50, mean_rounds=100)
    assert watch.add(np.repeat([1.0, 1.0, 0.0], 50)) == []
    assert [one.round > 150 for one in watch.add(np.repeat([0.0, 1.0], 50))][:1] == [True]


def test_the_course_holds_what_came() -> None:
    """However many rounds there are the course has fewer windows than a few hundred, which add up to all losses, hold
    the most evidence, and end with the interval of the whole."""
    watch, table = Watch(["a"], 0.2), losses(1500, 1)
    watch.add(table)
    (column,) = watch.results()
    course = column.course
    sizes = np.diff([0, *(point.round for point in course)])
    assert len(course) <= WINDOWS
    assert course[-1].round == 1500
    assert sum(sizes * [point.loss for point in course]) == pytest.approx(table.sum())
    assert max(point.evidence for point in course) == EDetector(0.2).play(table[:, 0]).max()
    assert (course[-1].low, course[-1].high) == pytest.approx(column.interval)


@pytest.mark.parametrize("settings", [{"reference": 0.2}, {"reference_rounds": 150, "alpha": 0.1}])
def test_parts_and_files_change_nothing(settings) -> None:
    """One table, and parts with a file between them, end with the same state to the bit."""
    table, whole = losses(700), Watch(["a", "b"], **settings)
    parts = Watch(["a", "b"], **settings)
    whole.add(table)
    for part in np.array_split(table, 9):
        parts.add(part)
        parts = Watch.from_state(json.loads(json.dumps(parts.state_dict(), allow_nan=False)))
    assert parts.state_dict() == whole.state_dict()
    assert parts.alarms_ == whole.alarms_ != []


def test_what_has_no_meaning_is_refused() -> None:
    """Two promises, a reference that is none, losses out of the range or of other columns; nothing has changed then."""
    for settings, words in (
        ({"reference": 0.1, "alpha": 0.1, "mean_rounds": 10}, "alpha=0.1"),
        ({"reference": 0.1, "delta": 0.1}, "delta=0.1"),
        ({"reference": 0.1, "reference_rounds": 3}, "reference_rounds=3"),
        ({"alpha": 0.1, "delta": 0.1}, "delta=0.1"),
        ({"alpha": 0.1, "period": 50}, "alpha=0.1"),
        ({"reference": 0.1, "period": 50}, "reference=0.1"),
        ({"reference": 1.0}, "reference=1.0"),
        ({"level": 1}, "level=1"),
    ):
        with pytest.raises(ParameterError, match=words):
            Watch(["a"], **settings)
    with pytest.raises(ParameterError, match="columns="):
        Watch(["a", "a"], 0.1)
    watch = Watch(["a", "b"], 0.1)
    before = watch.state_dict()
    with pytest.raises(RowError, match=r"row 1 \(from 0\): the loss is nan"):
        watch.add([[0, 1], [0, nan]])
    with pytest.raises(RegretlessError, match="2 columns are expected"):
        watch.add([0, 1])
    assert watch.state_dict() == before
    with pytest.raises(RegretlessError, match="there is no reference"):
        Watch(["a"]).add([0])
    with pytest.raises(RegretlessError, match="which no loss exceeds; give more rounds"):
        Watch(["a"], reference_rounds=2).add([1, 1, 1])


def test_a_state_that_does_not_fit_is_refused() -> None:
    """Columns that are lacking, of other rounds or of another range are a ModelError."""
    watch = Watch(["a", "b"], 0.1)
    watch.add(losses(50))
    state = watch.state_dict()
    other = Watch(["a"], 0.1, value_range=(0, 2))
    other.add(losses(50, 1))
    first = state["columns"][0]
    for change in ({"windows": [[0] * 6]}, {"windows": [[1, 0.0, nan, 1, 0.0, 0.0]]}, {"open": [1]}, {"mean": {}}):
        with pytest.raises(ModelError):
            Watch.from_state({**state, "columns": [{**first, **change}, state["columns"][1]]})
    with pytest.raises(ModelError):
        Watch.from_state({**state, "alarms": [["1", "a", 1.0, 1.0, None]]})
    for columns in ([], state["columns"][:1], [state["columns"][0], other.state_dict()["columns"][0]], [{}, {}]):
        with pytest.raises(ModelError):
            Watch.from_state({**state, "columns": columns})


def test_the_page_shows_windows_means_evidence_and_alarms() -> None:
    """Of a column the page has the three charts and its alarms, of several no chart of means; before the first round
    there is none."""
    one, two = Watch(["wrong <b>"], 0.2), Watch(["a", "b"], 0.2)
    one.add(losses(600, 1))
    two.add(losses(600))
    texts = [
        render(page_of_watch(WatchReport("title", watch, {"path": "x"}))) for watch in (one, two, Watch(["a"], 0.2))
    ]
    assert [[f'data-panel="{key}"' in text for key in ("windows", "mean", "evidence")] for text in texts] == [
        [True, True, True],
        [True, False, True],
        [False, False, False],
    ]
    assert "Losses got worse" in texts[0]
    assert "In a. 10,000 rounds on average" in texts[1]
    assert "wrong &lt;b&gt;" in texts[0]
    assert "wrong <b>" not in texts[0]
    assert "No alarm" in texts[2]


def test_the_figure_has_the_charts_of_the_page() -> None:
    """`plot` draws the three charts; matplotlib is needed for it."""
    pytest.importorskip("matplotlib")
    watch = Watch(["a"], 0.2)
    watch.add(losses(300, 1))
    assert [axes.get_title() for axes in watch.plot().axes] == [
        "Losses by window",
        "The mean of the losses so far",
        "Evidence that losses exceed the reference",
    ]
