"""The mean inside an interval: against the textbook, how often it fails, and in files."""

from __future__ import annotations

import json
from math import sqrt

import numpy as np
import pytest

from regretless.alarms import ConfidenceSequence
from regretless.alarms.confidence import GRID, HedgedCapital
from regretless.errors import ModelError, ParameterError, RowError
from regretless.textbook.alarms import capitals
from regretless.textbook.off_policy import confidence_sequence
from regretless.verify.formulas import FORMULAS

METHODS = ["bernstein", "betting"]


def losses(rounds: int, seed: int = 0) -> np.ndarray:
    """Losses of 0 and 1, one in ten of them 1."""
    return (np.random.default_rng(seed).random(rounds) < 0.1).astype(float)


def test_bernstein_is_the_textbook_s() -> None:
    """Both have the same ends after each loss."""
    values = losses(60)
    low, high = ConfidenceSequence(0.9).play(values)
    np.testing.assert_allclose(np.column_stack([low, high]), confidence_sequence(values.tolist(), 1 - 0.9), atol=1e-12)


def test_the_capitals_are_the_textbook_s() -> None:
    """Up to the round in which the grid is refined for the first time both have the same capitals; later each is at
    most that of the textbook, and less by no more than a nat after 3,000 rounds."""
    values, capital, alpha = losses(3000), HedgedCapital(0.05), 0.05
    done = 0
    for rounds in (1, 2, 60, 3000):
        capital.add(values[done:rounds])
        done = rounds
        for place in range(0, GRID, 9):
            gains, falls = capitals(values[:rounds].tolist(), capital.means[place], alpha)
            least = -1.0 if rounds > 63 else -1e-9
            assert least <= capital.gains[place] - gains <= 1e-9
            assert least <= capital.losses[place] - falls <= 1e-9
    assert capital.means[-1] - capital.means[0] < 1 / 8


def test_a_grid_that_is_a_point_stays() -> None:
    """Where the ends have met, or passed each other, the grid is not refined: its means would not ascend."""
    for low, high in ((0.5, 0.5), (0.6, 0.5)):
        capital = HedgedCapital(0.05)
        capital.low, capital.high = low, high
        capital.add(losses(64))
        assert (np.diff(capital.means) > 0).all()


@pytest.mark.parametrize("method", METHODS)
def test_parts_and_files_change_nothing(method: str) -> None:
    """One table, single rounds and parts with a file between them end with the same bits."""
    values = losses(700)
    whole, single, parts = (ConfidenceSequence(method=method) for _ in range(3))
    whole.play(values)
    for loss in values[:300]:
        single.update(loss)
    single.play(values[300:])
    for part in np.array_split(values, 6):
        parts.play(part)
        parts = ConfidenceSequence.from_state(json.loads(json.dumps(parts.state_dict(), allow_nan=False)))
    for other in (single, parts):
        assert other.state_dict() == whole.state_dict()
        assert (other.interval_, other.mean_) == (whole.interval_, whole.mean_)
    assert whole.rounds_ == 700


RUNS, ALPHA = 400, 0.2


def test_the_intervals_fail_as_seldom_as_they_say() -> None:
    """In 400 runs of 300 rounds with a mean of 1/4 the interval by betting is ever beside it in no more of them than it
    says, but for luck, and is no idle promise: at 2 / alpha and not 20 / alpha it fails in some."""
    rng = np.random.default_rng(2)
    failed = 0
    for _ in range(RUNS):
        sequence = ConfidenceSequence(1 - ALPHA, "betting")
        sequence.play((rng.random(300) < 0.25).astype(float))
        low, high = sequence.interval_
        failed += not low <= 0.25 <= high
    assert 0 < failed <= ALPHA * RUNS + 3 * sqrt(ALPHA * RUNS)


def test_the_mean_of_who_bets_is_of_no_average_that_moves() -> None:
    """Where the mean moves from 0.1 to 0.9 every mean is refused by betting, which says so, while the average of the
    means stays inside the interval of bernstein."""
    values = np.concatenate([np.full(400, 0.1), np.full(400, 0.9)])
    betting, bernstein = ConfidenceSequence(method="betting"), ConfidenceSequence()
    for sequence in (betting, bernstein):
        sequence.play(values)
    assert betting.interval_[0] > betting.interval_[1]
    assert "every mean is refused" in str(betting.certify()[0])
    low, high = bernstein.interval_
    assert low < 0.5 < high


@pytest.mark.parametrize("method", METHODS)
def test_a_range_scales_all(method: str) -> None:
    """Losses from -2 to 6 have eight times the interval, shifted; the certificate is its farther end from the mean, and
    `verify` computes the same."""
    values = losses(150)
    one, other = ConfidenceSequence(method=method), ConfidenceSequence(method=method, value_range=(-2, 6))
    one.play(values)
    other.play(8 * values - 2)
    assert other.interval_ == pytest.approx([8 * end - 2 for end in one.interval_])
    (certificate,) = other.certify()
    low, high = other.interval_
    assert certificate.bound >= max(other.mean_ - low, high - other.mean_) - 1e-12
    constants = certificate.constants
    again = FORMULAS[certificate.theorem.name](constants["ledger"], {}, constants["learner"])
    assert again == pytest.approx(certificate.bound, rel=1e-12)


def test_what_has_no_meaning_is_refused() -> None:
    """A method that is none, a loss out of the range, a state of other sums."""
    with pytest.raises(ParameterError, match="method='best'"):
        ConfidenceSequence(method="best")
    sequence = ConfidenceSequence(method="betting")
    assert (sequence.interval_, sequence.mean_) == ((0.0, 1.0), None)
    assert not sequence.certify()[0].applies
    with pytest.raises(RowError, match=r"row 1 \(from 0\): the loss is 2"):
        sequence.play([1, 2])
    state = sequence.state_dict()
    for change in ({"total": 3.0}, {"rounds": "1"}, {"bets": {}}, {"bets": {**state["bets"], "means": [0.5]}}):
        with pytest.raises(ModelError):
            ConfidenceSequence.from_state({**state, **change})
