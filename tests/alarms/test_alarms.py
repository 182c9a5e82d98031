"""Alarms: against the textbook, how often they are false, what they refuse, and in files."""

from __future__ import annotations

import json
from math import inf, log, nan, sqrt

import numpy as np
import pytest

from regretless.alarms import EDetector, VilleAlarm
from regretless.alarms.base import Alarm
from regretless.errors import ModelError, ParameterError, RegretlessError, RowError
from regretless.textbook.alarms import e_detector, evidence
from regretless.theory.alarms import BETS

MAKERS = [lambda: EDetector(0.2, mean_rounds=50), lambda: VilleAlarm(0.2, alpha=0.02)]
REFERENCE = 0.25


def losses(rounds: int, mean: float = 0.3, seed: int = 0) -> np.ndarray:
    """Losses between 0 and 1, many of them 0."""
    rng = np.random.default_rng(seed)
    return np.where(rng.random(rounds) < 2 * mean, rng.random(rounds), 0.0)


def test_the_alarms_are_the_textbook_s() -> None:
    """The detector raises the alarms of sums of products over all starts, and a fixed start has their evidence."""
    values = losses(120).round(2)
    detector, fixed = EDetector(0.2, mean_rounds=30), VilleAlarm(0.2, alpha=1e-12)
    alarms = [t for t, loss in enumerate(values, 1) if detector.update(loss)]
    assert alarms == e_detector(values.tolist(), 0.2, 30) != []
    assert fixed.play(values)[-1] == pytest.approx(evidence(values.tolist(), 0.2), rel=1e-9)
    assert (detector.ledger_.alarms, detector.last_alarm_) == (len(alarms), alarms[-1])


@pytest.mark.parametrize("make", MAKERS)
def test_rounds_one_by_one_are_the_table(make) -> None:
    """Single rounds and tables, cut in whatever parts, and through a file in the middle, are the same to the bit."""
    values = losses(300)
    whole, single, parts = make(), make(), make()
    course = whole.play(values)
    raised = [single.update(loss) for loss in values]
    reached = np.flatnonzero(course >= whole.threshold)
    assert np.flatnonzero(raised).tolist() == reached[: sum(raised)].tolist() != []
    pieces = []
    for part in np.array_split(values, 7):
        pieces.append(parts.play(part))
        parts = type(parts).from_state(json.loads(json.dumps(parts.state_dict(), allow_nan=False)))
    np.testing.assert_array_equal(course, np.concatenate(pieces))
    assert whole.state_dict() == single.state_dict() == parts.state_dict()
    assert whole.ledger_.alarms > 0


def plain(detector: EDetector, values: list[float]) -> tuple[list[float], list[tuple[int, int]], list[float]]:
    """The evidence after each round, each alarm with since when, and the capitals, by a loop over rounds and bets."""
    factors, count = detector._factors, len(BETS)
    wealth, products, starts = [0.0] * count, [0.0] * count, [0] * count
    course, alarms = [], []
    for round, x in enumerate(values, 1):
        total = 0.0
        for bet, (rest, gain) in enumerate(factors):
            factor = rest + gain * x
            wealth[bet] = (wealth[bet] + 1.0) * factor
            products[bet], starts[bet] = (products[bet] * factor, starts[bet]) if products[bet] > 1 else (factor, round)
            total += wealth[bet]
        course.append(total / count)
        if total >= detector.mean_rounds * count:
            alarms.append((round, starts[wealth.index(max(wealth))]))
            wealth, products = [0.0] * count, [0.0] * count
    return course, alarms, wealth


@pytest.mark.parametrize(
    ("reference", "mean_rounds", "values"),
    [
        (0.2, 50, losses(2000)),
        (0.5, 3, np.full(40, 0.5)),  # all bets are as rich as the first
        (1e-100, 1e15, losses(100)),
        (1 - 1e-16, 1, losses(60, mean=0.5)),
        (0.3, 1e15, np.concatenate([np.zeros(200), np.ones(400)])),
    ],
)
def test_the_compiled_detector_has_the_bits_of_a_plain_loop(reference, mean_rounds, values) -> None:
    """Evidence, alarms, the rounds since which losses are worse and capitals are those of a plain loop, to the bit."""
    detector = EDetector(reference, mean_rounds)
    course, alarms, wealth = plain(detector, values.tolist())
    assert detector.play(values).tolist() == course
    assert [(one.round, one.since) for one in detector.raised_] == alarms != []
    assert [one.evidence for one in detector.raised_] == [course[round - 1] for round, _ in alarms]
    assert detector.state_dict()["capitals"] == wealth
    assert detector.since_ == alarms[-1][1]


@pytest.mark.parametrize("make", MAKERS)
def test_losses_of_another_range_are_scaled(make) -> None:
    """Ten times the losses less 5, from -5 to 5, have the same evidence at the same reference."""
    values = losses(200)
    kind, one = type(make()), make()
    other = kind(10 * one.reference - 5, one.mean_rounds if kind is EDetector else one.alpha, value_range=(-5, 5))
    np.testing.assert_allclose(other.play(10 * values - 5), one.play(values), rtol=1e-9)


def test_a_fixed_start_raises_one_alarm() -> None:
    """A fixed start raises one alarm, and counts no rounds after it."""
    alarm = VilleAlarm(0.5, alpha=0.1)
    course = alarm.play(np.ones(200))
    assert course[-1] >= 10
    assert len(set(course[course >= 10])) == 1
    assert alarm.ledger_.rounds == alarm.last_alarm_ == 1 + int((course < 10).sum())
    assert not alarm.update(1.0)


def test_a_detector_notices_what_a_fixed_start_has_forgotten() -> None:
    """After 2,000 good rounds the detector notices a change within 60, and the fixed start does not."""
    values = np.concatenate([np.zeros(2000), np.tile([0.0, 1.0], 30)])
    detector, fixed = EDetector(0.1, mean_rounds=1000), VilleAlarm(0.1, alpha=0.001)
    assert np.flatnonzero(detector.play(values) >= 1000)[0] > 2000
    assert fixed.play(values).max() < 1
    assert fixed.ledger_.log_evidence > -inf


def test_since_when_is_near_the_change() -> None:
    """Of a change at round 501 the first alarm says that it was since a round near that, through a file too."""
    values = np.concatenate([losses(500, 0.1), losses(60, 0.45, seed=1)])
    detector = EDetector(0.15, mean_rounds=1000)
    assert detector.since_ is None
    detector.play(values[:505])
    detector = EDetector.from_state(json.loads(json.dumps(detector.state_dict())))
    assert any(detector.update(loss) for loss in values[505:])
    assert detector.ledger_.alarms == 1
    assert abs(detector.since_ - 501) < 20


ROUNDS = 400


def _stable(kind: str, rng: np.random.Generator, rounds: int) -> np.ndarray:
    """Losses of which none exceeds 1/4 in expectation, given those before."""
    if kind == "independent":
        return (rng.random(rounds) < REFERENCE).astype(float)
    x = np.empty(rounds)
    state = False
    for t, (u, v) in enumerate(zip(rng.random(rounds).tolist(), rng.random(rounds).tolist(), strict=True)):
        # Rare large losses, and frequent small ones, of the same mean: which they are depends on the past.
        size = 1.0 if state else 0.5
        x[t] = size if u < REFERENCE / size else 0.0
        state = v < (0.9 if x[t] else 0.1)
    return x


@pytest.mark.parametrize("kind", ["independent", "dependent"])
def test_false_alarms_are_as_rare_as_promised(kind: str) -> None:
    """In 150 streams of 400 rounds, independent or with sizes that follow what came before, there are as many alarms of
    a detector as are expected at most, and ever one of a fixed start in as few, each but for luck."""
    rng = np.random.default_rng(1)
    counts, ever, runs, mean_rounds, alpha = 0, 0, 150, 100, 0.2
    for _ in range(runs):
        values = _stable(kind, rng, ROUNDS)
        detector, fixed = EDetector(REFERENCE, mean_rounds), VilleAlarm(REFERENCE, alpha)
        detector.play(values)
        fixed.play(values)
        counts += detector.ledger_.alarms
        ever += fixed.ledger_.alarms
    expected = runs * ROUNDS / mean_rounds
    assert 0.3 * expected < counts < expected + 3 * sqrt(expected)
    assert 0.2 * alpha * runs < ever < alpha * runs + 3 * sqrt(alpha * runs)


def test_at_a_third_of_the_threshold_there_would_be_too_many() -> None:
    """The promise is not so loose that an alarm at N / 3 kept it: on losses that are always the reference there are
    three times as many."""
    detector = EDetector(0.5, mean_rounds=100)
    detector.play(np.full(900, 0.5))
    assert detector.ledger_.alarms == 9
    third = EDetector(0.5, mean_rounds=100 / 3)
    third.play(np.full(900, 0.5))
    (certificate,) = detector.certify()
    assert certificate.observed == certificate.bound == 9
    assert third.ledger_.alarms > 2.8 * certificate.bound


def test_a_certificate_says_what_it_assumes() -> None:
    """More alarms than expected are no violation of one run; the evidence of a fixed start above its bound is one that
    is improbable."""
    detector, fixed = EDetector(0.1, mean_rounds=100), VilleAlarm(0.1, alpha=0.01)
    for alarm in (detector, fixed):
        alarm.play(np.ones(50))
    first, second = (*detector.certify(), *fixed.certify())
    assert "expected to be <= 0.5, assuming that no loss is above 0.1 in expectation" in str(first)
    assert first.holds
    assert (second.holds, second.violated) == (False, False)
    assert second.observed >= second.bound == pytest.approx(log(100))


@pytest.mark.parametrize("loss", [nan, inf, -0.1, 1.0001, "much", None])
@pytest.mark.parametrize("make", MAKERS)
def test_what_is_no_loss_is_refused_and_changes_nothing(make, loss) -> None:
    """NaN, infinite, missing, or out of the declared range: the row is named, and nothing was learned."""
    alarm = make()
    alarm.update(0.5)
    before = alarm.state_dict()
    with pytest.raises(RegretlessError, match="from 0 to 1 is expected"):
        alarm.update(loss)
    with pytest.raises(RegretlessError) as caught:
        alarm.play([0.0, 0.5, loss])
    if isinstance(loss, float):
        assert isinstance(caught.value, RowError)
        assert "row 2 (from 0)" in str(caught.value)
    assert alarm.state_dict() == before


@pytest.mark.parametrize(
    ("kind", "words", "settings"),
    [
        (EDetector, "reference=1.0", {"reference": 1.0}),
        (EDetector, "reference=0", {"reference": 0}),
        (EDetector, "mean_rounds=0.5", {"reference": 0.5, "mean_rounds": 0.5}),
        (EDetector, "mean_rounds=inf", {"reference": 0.5, "mean_rounds": inf}),
        (VilleAlarm, "alpha=1", {"reference": 0.5, "alpha": 1}),
        (VilleAlarm, r"value_range=\(2, 1\)", {"reference": 1.5, "value_range": (2, 1)}),
        (VilleAlarm, "value_range=", {"reference": 1.5, "value_range": (-1e308, 1e308)}),
    ],
)
def test_settings_without_meaning_are_refused(kind: type[Alarm], words: str, settings) -> None:
    """A reference at an end of the range, less than a round, a certain false alarm, a range that is none."""
    with pytest.raises(ParameterError, match=words):
        kind(**settings)


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("reference", [0.0, 1.0, 1.5, -1, nan, 1e-101, "0.3"])
def test_no_other_reference_is_renewed_than_begun_with(make, reference) -> None:
    """`renew` refuses what the constructor refuses, and the alarm goes on with its reference."""
    alarm, twin = make(), make()
    with pytest.raises(ParameterError, match="reference="):
        type(alarm)(reference)
    with pytest.raises(ParameterError, match="reference="):
        alarm.renew(reference)
    assert alarm.play(losses(50)).tolist() == twin.play(losses(50)).tolist()
    assert alarm.state_dict() == twin.state_dict()


@pytest.mark.parametrize("make", MAKERS)
def test_a_state_that_does_not_fit_is_refused(make) -> None:
    """What is missing, of another type or inconsistent in a state is a ModelError."""
    made = make()
    made.play(losses(100, 0.45))
    assert made.ledger_.alarms > 0
    whole = made.state_dict()
    key = "capitals" if isinstance(made, EDetector) else "log_capitals"
    bad = [
        {key: whole[key][:-1]},
        {key: [1e6] * 8 if isinstance(made, EDetector) else [0.0] * 8},
        {key: [nan] * 8},
        {"rounds": -1},
        {"rounds": 1},
        {"alarms": 0},
        {"last_alarm": None},
        {"parameters": {}},
        *([{"starts": [0] * 8}, {"products": [-1.0] * 8}, {"since": 101}] if isinstance(made, EDetector) else []),
    ]
    for change in bad:
        with pytest.raises((ModelError, ParameterError)):
            type(made).from_state({**whole, **change})
