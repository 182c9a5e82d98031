"""Intervals that hold at all times: against the textbook, at numbers known by hand, and how often they fail."""

from __future__ import annotations

from math import exp, log, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regretless.alarms.confidence import Increments
from regretless.textbook.off_policy import confidence_sequence
from regretless.theory.confidence import (
    PLAYED,
    PRICES,
    RATES,
    ComparisonLedger,
    Confidence,
    MeanLedger,
    Rivals,
    deviation,
    excess_loss,
    interval,
    log_evidence,
    mean_loss,
)
from regretless.verify.formulas import FORMULAS

from ..known import Assumes, Known, first_of_each, known, refuses, says_its_number

# Without variance, s = 10 makes the mean of exp(rate s) this.
AT_TEN = sum(exp(10 * rate) for rate in RATES) / len(RATES)
CASES = [
    Known(excess_loss, ComparisonLedger(40, 6, 0.0), Rivals("a", "b"), Confidence(1 / AT_TEN), 26 / 40),
    Known(excess_loss, ComparisonLedger(40, -6, 0.0), Rivals("a", "b"), Confidence(1 / AT_TEN), 14 / 40),
    Known(mean_loss, MeanLedger(40, 20, 0.0, 3.0), None, Confidence(2 / AT_TEN), 30 / 40),
]
ASSUMES: Assumes = [((excess_loss, mean_loss), (PLAYED,))]


@known(CASES)
def test_the_excess_loss_says_its_number(case: Known) -> None:
    """With no variance the bound is the mean and twice the s at which the mean of exp(rate s) is 1 / delta, a row; of a
    mean loss it is the width of the range times the s at which that is 2 / delta."""
    says_its_number(case)


@known(first_of_each(CASES))
def test_without_rounds_there_is_no_bound(case: Known) -> None:
    """Its only assumption is that there are rounds."""
    refuses(case, ASSUMES, {PLAYED[0]: [{"ledger.rounds": 0}]})


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30), st.sampled_from([0.5, 0.05, 1e-6]))
def test_the_interval_is_the_textbook_s(values: list[float], alpha: float) -> None:
    """After each increment both have the same ends, however the increments are cut into parts."""
    sums, parts = Increments(), []
    for part in np.array_split(np.array(values), 3):
        parts.append(sums.add(part))
    totals, variances = (np.concatenate(each) for each in zip(*parts, strict=True))
    low, high = interval(np.arange(1, len(values) + 1), totals, variances, alpha)
    assert np.allclose(np.column_stack([low, high]), confidence_sequence(values, alpha), rtol=0, atol=1e-12)


@given(st.integers(1, 10**6), st.floats(-1, 1), st.floats(0, 1), st.floats(1e-9, 0.5))
def test_the_second_formula_agrees(rounds: int, share: float, spread: float, delta: float) -> None:
    """`verify` computes the same bound from the numbers of the report."""
    ledger = {"rounds": rounds, "excess": share * rounds, "variance": spread * rounds}
    first = excess_loss.bound(ComparisonLedger(**ledger), Rivals("a", "b"), Confidence(delta))
    assert FORMULAS["excess_loss"](ledger, {}, {"delta": delta}) == pytest.approx(first, rel=1e-12, abs=1e-12)


@given(st.floats(-1, 1), st.integers(0, len(RATES) - 1))
def test_one_step_is_a_supermartingale(guess_error: float, place: int) -> None:
    """For every guess g and outcomes 0 and 1 of any mean, exp(rate (x - m) - psi (x - g)^2) is at most 1 on average."""
    guess = (1 + guess_error) / 2
    for mean in np.linspace(0, 1, 41):
        each = [
            chance * exp(RATES[place] * (x - mean) - PRICES[place] * (x - guess) ** 2)
            for x, chance in ((0.0, 1 - mean), (1.0, mean))
        ]
        assert sum(each) <= 1 + 1e-12


def test_a_price_of_half_the_square_would_be_too_low() -> None:
    """With rate^2 / 2 in place of psi(rate) a step has a mean above 1 where the guess is 1 and the mean 0.8."""
    rate, mean, guess = 0.75, 0.8, 1.0

    def average(price: float) -> float:
        chances = ((0.0, 1 - mean), (1.0, mean))
        return sum(chance * exp(rate * (x - mean) - price * (x - guess) ** 2) for x, chance in chances)

    assert average(PRICES[0]) <= 1 < average(rate**2 / 2)


RUNS, ROUNDS, ALPHA = 1500, 600, 0.05


def _drifting(rng: np.random.Generator, past: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    mean = np.clip(0.5 + 0.4 * np.sign(past), 0.1, 0.9)
    return (rng.random(len(past)) < mean).astype(float), mean


def _fair(rng: np.random.Generator, past: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return (rng.random(len(past)) < 0.5).astype(float), np.full(len(past), 0.5)


def _rare(rng: np.random.Generator, past: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    apart = rng.random(len(past)) < 0.1
    return np.where(apart, (rng.random(len(past)) < 0.3).astype(float), 0.5), np.full(len(past), 0.48)


@pytest.mark.parametrize("draw", [_drifting, _fair, _rare])
def test_the_interval_fails_as_seldom_as_it_says(draw) -> None:
    """In 1,500 runs whose means follow what came before, the average of the means is at any of 600 times outside in
    no more of them than five in a hundred, and luck."""
    rng = np.random.default_rng(3)
    past, excess, total, variance = np.zeros((4, RUNS))
    outside = np.zeros(RUNS, dtype=bool)
    for done in range(ROUNDS):
        x, mean = draw(rng, past)
        variance += (x - (0.5 + total) / (done + 1)) ** 2
        total += x
        excess += x - mean
        past = 0.9 * past + x - 0.5
        outside |= np.maximum(log_evidence(excess, variance), log_evidence(-excess, variance)) >= log(2 / ALPHA)
    assert outside.mean() <= ALPHA + 3 * sqrt(ALPHA / RUNS)


def test_looking_at_any_time_at_a_usual_interval_fails_far_more_often() -> None:
    """An interval of 1.96 standard errors, looked at after every round, is left in more than a quarter of the runs: it
    is what the sequence is for."""
    rng = np.random.default_rng(4)
    sums = np.cumsum(rng.random((RUNS, ROUNDS)) < 0.5, axis=1)
    rounds = np.arange(1, ROUNDS + 1)
    outside = np.abs(sums - rounds / 2)[:, 20:] > 1.96 * np.sqrt(rounds / 4)[20:]
    assert outside.any(axis=1).mean() > 1 / 4


def test_the_interval_narrows_as_it_should() -> None:
    """Its width is less than three times that of a usual interval at 10^3 to 10^8 rounds, whatever the variance."""
    for rounds in (10**3, 10**5, 10**8):
        for spread in (0.25, 0.025):
            usual = 1.96 * sqrt(rounds * spread)
            assert usual < float(deviation(rounds * spread, 0.025)) < 3 * usual


@pytest.mark.parametrize("alpha", [0.5, 0.05, 1e-12])
def test_the_deviation_is_where_the_evidence_suffices(alpha: float) -> None:
    """At the deviation the mean of the supermartingales is 1 / alpha."""
    variances = np.array([0.0, 1e-9, 1.0, 50.0, 1e7])
    assert np.allclose(log_evidence(deviation(variances, alpha), variances), -log(alpha), rtol=1e-9)
