"""Intervals around forecasts, nothing chosen: coverage beside its bound, widths and Winkler's scores, and river's
intervals around the same forecasts.

``python -m benchmarks.bench_intervals --data DATA`` plays 90 % intervals around the forecasts of the aggregated
regressor on each set of numbers, and around pairs of aggregated quantiles; then against outcomes that are picked to
miss; and prints what a round costs. river is left out where it is not installed.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from importlib.util import find_spec
from math import isnan
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import timing
from regretless.intervals import AdaptiveIntervals, DecayingTracker, QuantileTracker
from regretless.regression import AggregatedQuantile, AggregatedRegressor

from .bench_regression import SETS, rows_for

Array = np.ndarray[Any, np.dtype[Any]]
COVERAGE, WINDOW = 0.9, 500
ALPHA = 1 - COVERAGE
Player = Callable[[Array, Array], tuple[Array, Array, float | None]]  # low, high, and the bound on the coverage error


def forecasts_of(learner: Any, X: Any, y: Array) -> Array:
    """What each row was forecast by before it was learned."""
    parts: list[Array] = []
    learner.on_forecasts = lambda forecasts, _: parts.append(forecasts)
    learner.fit(rows_for(learner, X), y)
    return np.concatenate(parts)


def ours(rule: Callable[[float], Any], forecasts: Array, outcomes: Array) -> tuple[Array, Array, float | None]:
    """Intervals of one of the rules."""
    intervals = rule(COVERAGE)
    low, high = intervals.play(forecasts, outcomes)
    return low, high, intervals.certify()[0].bound


def river(forecasts: Array, outcomes: Array) -> tuple[Array, Array, float | None]:
    """river's jackknife over the last scores, around the same forecasts."""
    from river import base, conf

    class Said(base.Regressor):  # type: ignore[misc]
        """Forecasts that are there already."""

        def predict_one(self, x: dict[str, float]) -> float:
            return x["forecast"]

        def learn_one(self, x: dict[str, float], y: float) -> None:
            """Nothing."""

    model = conf.RegressionJackknife(Said(), confidence_level=COVERAGE, window_size=WINDOW)
    ends = np.empty((2, len(outcomes)))
    for row, (forecast, outcome) in enumerate(zip(forecasts.tolist(), outcomes.tolist(), strict=True)):
        interval = model.predict_one({"forecast": forecast}, with_interval=True)
        ends[:, row] = interval.lower, interval.upper
        model.learn_one({"forecast": forecast}, outcome)
    return ends[0], ends[1], None


def players() -> dict[str, Player]:
    """The rules, and river where it is."""
    rules: dict[str, Player] = {
        "adaptive": lambda forecasts, y: ours(AdaptiveIntervals, forecasts, y),
        "tracker": lambda forecasts, y: ours(QuantileTracker, forecasts, y),
        "decaying": lambda forecasts, y: ours(DecayingTracker, forecasts, y),
    }
    return rules | ({"river": river} if find_spec("river") else {})


def line_of(name: str, low: Array, high: Array, outcomes: Array, bound: float | None) -> str:
    """A line: misses, the bound on how far they are off, widths, Winkler's score, the worst rounds in a row."""
    missed = ~((low <= outcomes) & (outcomes <= high))
    finite = ~np.isinf(high)
    low, high, y = low[finite], high[finite], outcomes[finite]
    low, high = (np.where(np.isnan(end), y, end) for end in (low, high))  # of nothing the width is 0
    beyond = np.maximum(np.maximum(low - y, y - high), 0)
    winkler = (high - low + 2 / ALPHA * beyond).mean()
    worst = np.convolve(missed, np.ones(min(WINDOW, len(missed)))).max() / min(WINDOW, len(missed))
    allowed = "" if bound is None else f"<= {bound:.4f}"
    return (
        f"  {name:<14} misses {missed.mean():.4f}  off by {abs(missed.mean() - ALPHA):.4f} {allowed:<10} "
        f"width {(high - low).mean():<10.4g} Winkler {winkler:<10.4g} worst {worst:.3f}  infinite {(~finite).sum()}"
    )


def real(name: str, folder: Path) -> None:
    """One set: around one forecast, around a pair of quantiles, and the pair alone."""
    X, y = SETS[name](folder)
    forecasts, outcomes = forecasts_of(AggregatedRegressor(), X, y)[1:], y[1:]
    print(f"{name}, {len(outcomes):,} rounds")
    for player, play in players().items():
        print(line_of(player, *(played := play(forecasts, outcomes))[:2], outcomes, played[2]))
    ends = [forecasts_of(AggregatedQuantile(quantile=level), X, y)[1:] for level in (ALPHA / 2, 1 - ALPHA / 2)]
    low, high = np.minimum(*ends), np.maximum(*ends)
    print(line_of("pair alone", low, high, outcomes, None))
    low, high, bound = ours(AdaptiveIntervals, np.stack(ends, axis=1), outcomes)
    print(line_of("pair, adaptive", low, high, outcomes, bound))


def adversarial(rounds: int) -> None:
    """Outcomes just outside each interval for a thousand rounds in two, and inside otherwise."""
    print(f"outcomes that are picked to miss, {rounds:,} rounds")
    for rule in (AdaptiveIntervals, QuantileTracker, DecayingTracker):
        intervals = rule(COVERAGE)
        for row in range(rounds):
            high = intervals.interval(0.0)[1]
            outside = 1.0 if isnan(high) or np.isinf(high) else min(high * 1.001 + 1e-6, 1e6)
            intervals.update(outside if row // 1000 % 2 == 0 else 0.0)
        (one,) = intervals.certify()
        verdict = "holds" if one.holds else "BROKEN"
        print(f"  {rule.__name__:<18} off by {one.observed:.4f} <= {one.bound:.4f}  {verdict}")


def speed(rounds: int = 200_000) -> None:
    """What a round costs, the best of five."""
    y = np.random.default_rng(0).standard_t(3, size=rounds)
    for rule in (AdaptiveIntervals, QuantileTracker, DecayingTracker):
        best = timing.best_of(lambda rule=rule: rule(COVERAGE).play(np.zeros(len(y)), y), 5)
        print(f"{rule.__name__:<18} {best / rounds * 1e6:.2f} us a round of a table")


def main() -> None:
    """All of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="where the sets are")
    parser.add_argument("--sets", default=",".join(SETS), help="which, with commas between them")
    arguments = parser.parse_args()
    for name in arguments.sets.split(","):
        real(name, arguments.data)
    adversarial(20_000)
    speed()


if __name__ == "__main__":
    main()
