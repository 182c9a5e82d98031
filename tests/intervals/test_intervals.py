"""Intervals around forecasts: against the textbook, against adversaries, and on real data."""

from __future__ import annotations

import json
import lzma
from math import inf, isnan, nan
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from regretless.errors import ModelError, ParameterError, RegretlessError
from regretless.intervals import AdaptiveIntervals, DecayingTracker, QuantileTracker
from regretless.textbook.experts import adaptive_intervals, decaying_tracker, quantile_tracker

DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "experts"
RULES = [AdaptiveIntervals, QuantileTracker, DecayingTracker]
MAKERS = st.one_of(
    st.builds(
        AdaptiveIntervals,
        st.sampled_from([0.05, 0.5, 0.9, 0.99]),
        gamma=st.sampled_from([0.003, 0.02, 0.4]),
        window=st.sampled_from([1, 7, 500]),
    ),
    st.builds(QuantileTracker, st.sampled_from([0.05, 0.5, 0.9, 0.99]), c=st.sampled_from([0.01, 0.3])),
    st.builds(
        DecayingTracker,
        st.sampled_from([0.05, 0.5, 0.9, 0.99]),
        c=st.sampled_from([0.01, 0.3]),
        decay=st.sampled_from([0.1, 0.6, 0.99]),
    ),
)


def walk(rounds: int, seed: int = 3):
    """Forecasts of a random walk by where it was, and the walk; its steps grow on the way."""
    y = np.cumsum(np.random.default_rng(seed).normal(size=rounds) * np.linspace(1, 4, rounds))
    return np.concatenate([[0.0], y[:-1]]), y


def holds(intervals) -> None:
    (certificate,) = intervals.certify()
    assert certificate.holds, certificate


@pytest.mark.parametrize("coverage", [0.5, 0.9, 0.975])
def test_the_same_intervals_as_the_textbook(coverage):
    """Both rules give the textbook's intervals on a walk, exactly."""
    forecasts, outcomes = walk(1500)
    scores = np.abs(outcomes - forecasts)
    for intervals, widths in (
        (AdaptiveIntervals(coverage, 0.05, 300), adaptive_intervals(scores, 1 - coverage, 0.05, 300)),
        (QuantileTracker(coverage), quantile_tracker(scores, 1 - coverage)),
        (DecayingTracker(coverage), decaying_tracker(scores, 1 - coverage, 0.1, 0.6)[0]),
    ):
        low, high = intervals.play(forecasts, outcomes)
        half = np.where(widths < 0, nan, widths)
        np.testing.assert_array_equal(low, forecasts - half)
        np.testing.assert_array_equal(high, forecasts + half)
        assert intervals.ledger_.misses == (scores > widths).sum()
        assert intervals.ledger_.infinite == np.isinf(widths).sum()
        assert intervals.ledger_.empty == (widths < 0).sum()


def aim(low: float, high: float, way: str, size: float) -> float:
    """An outcome for a forecast of 0 that misses its interval or not, near its end or far from it, if there is one."""
    if isnan(low):
        return 0.0 if "hit" in way else size
    if high == inf:
        return size
    return {"hit": 0.0, "hit the end": high, "miss": 1.5 * high + 1e-3, "miss by far": high + size}[way]


WAYS = st.sampled_from(["hit", "hit the end", "miss", "miss by far"])


@settings(max_examples=150)
@given(
    MAKERS,
    st.lists(st.tuples(st.lists(WAYS, min_size=1, max_size=5), st.integers(1, 60)), min_size=1, max_size=6),
    st.lists(st.sampled_from([0.0, 1e-6, 0.5, 1.0, 30.0, 1e9]), min_size=1, max_size=5),
)
def test_no_sequence_breaks_the_bound(intervals, plan, sizes):
    """An adversary that sees each interval, and picks an outcome that misses it or not, cannot break the bound."""
    turn = 0
    for ways, times in plan:
        for way in ways * times:
            low, high = intervals.interval(0.0)
            intervals.update(aim(low, high, way, sizes[turn % len(sizes)]))
            turn += 1
            holds(intervals)


@settings(max_examples=150)
@given(
    MAKERS,
    st.lists(st.tuples(WAYS, st.integers(0, 9), st.integers(0, 30)), min_size=1, max_size=150),
    st.sampled_from([0.0, 1.0, 1e6]),
)
def test_no_sequence_breaks_the_bound_of_late_outcomes(intervals, plan, size):
    """The same where outcomes come late and out of order, and the ledger's D is how many others waited."""
    waiting, most = [], 0
    for way, allowed, which in plan:
        low, high = intervals.interval(0.0)
        waiting.append((intervals.pending_[-1], aim(low, high, way, size)))
        while len(waiting) > allowed:
            most = max(most, len(waiting) - 1)
            intervals.update(*waiting.pop(which % len(waiting)))
            holds(intervals)
    assert intervals.ledger_.outstanding == most


def test_without_the_term_for_late_outcomes_the_bound_is_false():
    """A batch of hits that are all under way when the level passes 1 breaks the bound of D = 0."""
    intervals, late = AdaptiveIntervals(0.1, gamma=0.9), 40
    tickets = [intervals.interval(0.0).ticket for _ in range(late)]
    for ticket in tickets:
        intervals.update(ticket, 0.0)
    (certificate,) = intervals.certify()
    assert certificate.observed > (0.9 + 0.9) / (0.9 * late)
    assert certificate.holds


@settings(max_examples=100)
@given(
    st.lists(st.sampled_from([0.0, 1e-9, 0.5, 1.0, 30.0, 1e9]), min_size=1, max_size=60), st.sampled_from([0.2, 0.9])
)
def test_the_bound_of_steps_that_fall_is_that_of_the_textbook(scores, decay):
    """Sums that are kept as rounds come say what the textbook computes from all steps at once."""
    tracker, scores = DecayingTracker(0.8, c=0.3, decay=decay), np.array(scores)
    tracker.play(np.zeros(len(scores)), scores)
    _, bound = decaying_tracker(scores, tracker.alpha, 0.3, decay)
    assert tracker.certify()[0].bound == pytest.approx(bound / len(scores), rel=1e-9)


def test_steps_that_fall_have_the_bound_of_the_paper_where_no_score_is_larger_than_the_first():
    """It is (B + e_1) / (e_T T), and without the growth of 1 / e it would be broken."""
    tracker, rounds = DecayingTracker(0.5, c=0.5, decay=0.9), 400
    tracker.play(np.zeros(rounds), np.ones(rounds))
    assert tracker.certify()[0].bound == pytest.approx((1 + 0.5) / (0.5 * rounds**-0.9 * rounds))
    lucky = DecayingTracker(0.5, c=0.5, decay=0.9)
    lucky.play(np.zeros(rounds), np.append(np.ones(40), np.zeros(rounds - 40)))
    assert lucky.certify()[0].observed > (1 + 0.5) / (0.5 * rounds)  # the bound of steps that stay
    holds(lucky)


def test_steps_that_fall_come_to_rest_at_the_quantile():
    """Of outcomes drawn alike the width goes to their quantile, while steps that stay go on shaking it."""
    scores = np.random.default_rng(0).random(20_000)
    ends = []
    for tracker in (DecayingTracker(0.9), QuantileTracker(0.9, c=0.1)):
        _, high = tracker.play(np.zeros(len(scores)), scores)
        ends.append(high[-2000:])
    assert np.abs(ends[0] - 0.9).max() < 0.02
    assert np.abs(ends[1] - 0.9).max() > 0.05


# ---- pairs of quantiles


def test_pairs_of_quantiles_are_conformalised():
    """The interval reaches as far beyond its pair, or is as far inside, as the level of the scores max(l - y, y - h)
    says."""
    low, high = np.array([0.0, 1.0, 2.0, 0.0]), np.array([4.0, 3.0, 4.0, 2.0])
    intervals = AdaptiveIntervals(0.5, gamma=0.1)
    below, above = intervals.play(np.stack([low, high], axis=1), [1.0, 4.0, 3.0, 1.0])
    # scores -1, 1, -1: the level is .55 after a hit, .5 after a miss, of the whole line as the first
    assert below[0] == -inf
    assert (below[1], above[1]) == (2.0, 2.0)  # one inside the pair on each side: 4 is a miss
    assert intervals.ledger_.misses == 1 + (above[2] < 3 or below[2] > 3) + (above[3] < 1 or below[3] > 1)
    wide, point = AdaptiveIntervals(), AdaptiveIntervals()
    forecasts, outcomes = walk(800)
    assert np.isclose(
        wide.play(np.stack([forecasts, forecasts], axis=1), outcomes), point.play(forecasts, outcomes)
    ).all()
    assert wide.ledger_ == point.ledger_


PAIRS = st.tuples(st.sampled_from([0.0, 0.5, 3.0, 1e6]), WAYS, st.integers(0, 3), st.sampled_from([0.0, 1.0, 1e6]))


@settings(max_examples=150)
@given(st.sampled_from([0.05, 0.5, 0.9]), st.sampled_from([0.02, 0.4]), st.lists(PAIRS, min_size=1, max_size=150))
def test_no_sequence_breaks_the_bound_of_pairs(coverage, gamma, plan):
    """Whatever the pairs, who sees the interval and aims cannot break the bound, nor can outcomes that are late; the
    books count what is outside."""
    intervals, waiting, misses = AdaptiveIntervals(coverage, gamma=gamma, window=7), [], 0
    for spread, way, late, size in plan:
        interval = intervals.interval((-spread, spread))
        waiting.append((interval.ticket, interval, aim(*interval, way, size)))
        while len(waiting) > late:
            ticket, (low, high), outcome = waiting.pop(0)
            misses += not low <= outcome <= high
            intervals.update(ticket, outcome)
            holds(intervals)
            assert intervals.ledger_.misses == misses


def test_pairs_one_by_one_are_the_table_and_are_saved():
    """Intervals, ledgers and a state that was saved midway are the same, with gaps and ends that cross."""
    random = np.random.default_rng(2)
    pairs, outcomes = random.normal(size=(300, 2)) * 3, random.normal(size=300)
    pairs[5, 0] = outcomes[9] = nan
    whole, single = AdaptiveIntervals(0.8), AdaptiveIntervals(0.8)
    low, _ = whole.play(pairs, outcomes)
    for row, (pair, outcome) in enumerate(zip(pairs, outcomes, strict=True)):
        interval = single.interval(pair)
        if row in (3, 150):
            single = AdaptiveIntervals.from_state(json.loads(json.dumps(single.state_dict(), allow_nan=False)))
        assert interval[0] == low[row] or isnan(low[row])
        single.update(outcome)
    assert whole.ledger_ == single.ledger_
    for tracker in (QuantileTracker(), DecayingTracker()):
        with pytest.raises(RegretlessError, match="one number is expected by"):
            tracker.interval((1.0, 2.0))
    with pytest.raises(RegretlessError, match="two quantiles are expected"):
        single.interval((1.0, 2.0, 3.0))


def test_intervals_of_counts_begin_at_0_and_hold_the_same_outcomes():
    """With least=0 no interval begins below 0, each that does not is as without it, misses are the same, and the mean
    width is that of the ends; so it is one by one and after a state, and an outcome below 0 is refused."""
    random = np.random.default_rng(0)
    means = random.choice([0.5, 3.0, 40.0], 300)
    counts = random.poisson(means).astype(float)
    plain, cut, single = AdaptiveIntervals(0.9), AdaptiveIntervals(0.9, least=0), AdaptiveIntervals(0.9, least=0)
    (low, high), (start, end) = plain.play(means, counts), cut.play(means, counts)
    assert (low < 0).sum() > 50
    assert (start.tolist(), end.tolist()) == (np.maximum(low, 0).tolist(), high.tolist())
    assert cut.ledger_.misses == plain.ledger_.misses == np.count_nonzero((counts < start) | (counts > end))
    finite = np.isfinite(end)
    assert cut.ledger_.width == pytest.approx((end - start)[finite].sum())
    assert cut.ledger_.winkler - plain.ledger_.winkler == pytest.approx(cut.ledger_.width - plain.ledger_.width)
    for mean, count in zip(means.tolist(), counts.tolist(), strict=True):
        assert single.interval(mean)[0] >= 0
        single.update(count)
    assert single.ledger_ == cut.ledger_
    again = AdaptiveIntervals.from_state(single.state_dict())
    assert again.interval(0.5) == tuple(float(column[0]) for column in cut.around([0.5]))
    with pytest.raises(RegretlessError, match="at least 0 is expected"):
        again.update(-1.0)
    with pytest.raises(RegretlessError, match=r"row 1 .*at least 0 is expected"):
        cut.play([1.0, 1.0], [1.0, -1.0])


def test_exact_forecasts_are_no_counterexample():
    """A tracker has no step while every forecast is exact, and its bound allows for these rounds."""
    tracker = QuantileTracker()
    tracker.play(np.full(3000, 7.0), np.full(3000, 7.0))
    assert tracker.ledger_.misses == 0
    assert tracker.ledger_.zero == 3000
    assert tracker.certify()[0].observed > 101 / 3000  # the bound without them
    holds(tracker)
    adaptive = AdaptiveIntervals()
    adaptive.play(np.full(3000, 7.0), np.full(3000, 7.0))
    assert adaptive.ledger_.empty > 100  # nothing else misses a constant
    holds(adaptive)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("delay", [None, 1, 5])
def test_rounds_one_by_one_are_the_table(rule, delay):
    """Intervals and ledgers are the same from a table and from single rounds, with late outcomes too."""
    forecasts, outcomes = walk(700)
    whole, single = rule(), rule()
    low, _ = whole.play(forecasts, outcomes, arrivals=delay)
    lows, waiting = [], []
    for forecast, outcome in zip(forecasts, outcomes, strict=True):
        if len(waiting) == (delay or 1):
            single.update(*waiting.pop(0))
        interval = single.interval(forecast)
        lows.append(interval[0])
        waiting.append((interval.ticket, outcome))
    for one in waiting:
        single.update(*one)
    np.testing.assert_array_equal(low, lows)
    assert whole.ledger_ == single.ledger_
    assert whole.ledger_.outstanding == (delay or 1) - 1


@pytest.mark.parametrize("rule", RULES)
def test_a_run_that_is_saved_and_resumed_is_one_run(rule):
    """Through JSON and back in the middle of a run, with rounds under way, nothing changes."""
    forecasts, outcomes = walk(1300)
    plain, stopped = rule(0.8), rule(0.8)
    for row, (forecast, outcome) in enumerate(zip(forecasts, outcomes, strict=True)):
        pairs = [(one, one.interval(forecast)) for one in (plain, stopped)]
        if row in (0, 3, 650, 1100):
            stopped = rule.from_state(json.loads(json.dumps(stopped.state_dict(), allow_nan=False)))
        plain.update(outcome)
        stopped.update(pairs[1][1].ticket, outcome)
        assert pairs[0][1] == pairs[1][1] or isnan(pairs[0][1][0])
    assert plain.ledger_ == stopped.ledger_
    assert plain.state_dict() == stopped.state_dict()


@pytest.mark.parametrize("rule", RULES)
def test_a_state_that_does_not_fit_is_refused(rule):
    """What is missing, of another type, infinite or inconsistent in a state is a ModelError."""
    made = rule()
    made.play(*walk(30))
    made.interval(1.0)
    sound = made.state_dict()
    rule.from_state(sound)
    spoilt = [
        {},
        sound | {"parameters": {"coverage": 2.0}},
        sound | {"parameters": {"colour": 2.0}},
        sound | {"ledger": sound["ledger"] | {"misses": -1}},
        sound | {"ledger": sound["ledger"] | {"width": inf}},
        sound | {"ledger": sound["ledger"] | {"rounds": 1e3}},
        sound | {"ledger": sound["ledger"] | {"alpha": 0.3}},
        sound | {"recent": "01"},
        sound | {"recent": "2" * 30},
        sound | {"pending": [[9, 1.0, 1.0]]},
        sound | {"pending": [[0, inf, 1.0]]},
        sound | {"rule": {}},
        sound | {"rule": {"scores": [nan] * 30, "q": nan, "largest": 0.0}},
    ]
    for state in spoilt:
        with pytest.raises((ModelError, ParameterError)):
            rule.from_state(state)


@pytest.mark.parametrize("rule", RULES)
def test_rounds_without_forecast_or_outcome_change_nothing(rule):
    """NaN on either side leaves the run as it is without that row; the interval around no forecast is NaN."""
    forecasts, outcomes = walk(400)
    plain, gaps = rule(), rule()
    low, high = plain.play(forecasts, outcomes)
    wide = np.repeat(forecasts, 3), np.repeat(outcomes, 3)
    wide[0][1::3], wide[1][2::3] = nan, nan
    lows, highs = gaps.play(*wide)
    np.testing.assert_array_equal(lows[::3], low)
    np.testing.assert_array_equal(highs[::3], high)
    assert np.isnan(lows[1::3]).all()
    assert plain.ledger_ == gaps.ledger_
    gaps.interval(nan)
    gaps.update(3.0)
    gaps.interval(1.0)
    gaps.update(nan)
    assert plain.ledger_ == gaps.ledger_


@pytest.mark.parametrize("rule", RULES)
def test_what_cannot_be_used_is_refused_and_nothing_is_learned(rule):
    """Infinite and huge numbers, shapes and unknown tickets are refused; the round goes on waiting."""
    made = rule()
    for forecasts, outcomes, words in [
        ([1.0, inf], [1.0, 2.0], "row 1"),
        ([1.0, 2.0], [-inf, 2.0], "row 0"),
        ([1.0, 1.7e308], [1.0, -1.7e308], "row 1"),
        ([1.0], [1.0, 2.0], "1 forecasts and 2 outcomes"),
        ([[1.0]], [1.0], "shape"),
        (["a"], [1.0], "forecasts"),
    ]:
        with pytest.raises(RegretlessError, match=words):
            made.play(forecasts, outcomes)
    with pytest.raises(RegretlessError, match="no interval waits"):
        made.update(1.0)
    for forecast in (inf, "x", None):
        with pytest.raises(RegretlessError, match="forecast"):
            made.interval(forecast)
    made.interval(0.0)
    for outcome in (inf, "x", 1e305):
        with pytest.raises(RegretlessError, match="outcome"):
            made.update(outcome)
    with pytest.raises(RegretlessError, match="ticket"):
        made.update(7, 1.0)
    with pytest.raises(RegretlessError, match="wait for their outcomes"):
        made.play([1.0], [1.0])
    assert made.ledger_.rounds == 0
    made.update(1.0)
    assert made.ledger_.rounds == 1


@pytest.mark.parametrize("coverage", [0, 1, -0.1, 90, nan, "0.9", True, None])
def test_a_coverage_outside_0_and_1_is_refused(coverage):
    """So is a step outside (0, 1), and a window without a round."""
    for rule in RULES:
        with pytest.raises(ParameterError, match="coverage"):
            rule(coverage)
    with pytest.raises(ParameterError, match="gamma"):
        AdaptiveIntervals(gamma=coverage)
    with pytest.raises(ParameterError, match="c="):
        QuantileTracker(c=coverage)
    with pytest.raises(ParameterError, match="window"):
        AdaptiveIntervals(window=0.5)


def test_widths_scores_and_the_worst_stretch_are_what_the_rounds_say():
    """Mean width, Winkler's score and the worst 500 rounds are those counted afresh from the intervals."""
    forecasts, outcomes = walk(2000)
    tracker = QuantileTracker(0.8)
    low, high = tracker.play(forecasts, outcomes)
    missed = ~((low <= outcomes) & (outcomes <= high))
    low, high = (np.where(np.isnan(end), forecasts, end) for end in (low, high))
    beyond = np.maximum(np.maximum(low - outcomes, outcomes - high), 0)
    books = tracker.ledger_
    assert books.misses == missed.sum()
    assert books.coverage == pytest.approx(1 - missed.mean())
    assert books.mean_width == pytest.approx((high - low).mean())
    assert books.mean_winkler == pytest.approx((high - low + 2 / 0.2 * beyond).mean())
    assert books.worst == np.convolve(missed, np.ones(500)).max()


FIGURES = {"epf_BE": (0.0033, 0.15), "epf_FR": (0.0033, 0.15)}


@pytest.mark.parametrize("name", FIGURES)
def test_coverage_on_prices_of_electricity(name):
    """Around the mean of the experts 90 % of the prices are covered, closely, and no 500 rounds are much worse."""
    path = DATA / f"{name}.csv.xz"
    if not path.exists():
        pytest.skip("the data are not at hand")
    with lzma.open(path, "rt") as file:
        table = np.genfromtxt(file, delimiter=",", skip_header=1, usecols=range(1, 12))
    intervals = AdaptiveIntervals()
    intervals.play(table[:, 1:].mean(axis=1), table[:, 0])
    (certificate,) = intervals.certify()
    bound, worst = FIGURES[name]
    assert certificate.observed < 1e-3 < certificate.bound < bound
    assert intervals.ledger_.worst / 500 < worst
    assert intervals.ledger_.infinite / intervals.ledger_.rounds < 0.011
