"""Combining experts: whole tables of losses beside a plain numpy loop, and one live round."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks import timing
from regretless.experts import AdaHedge, Hedge, MLPoly

Array = np.ndarray[Any, Any]
SHAPES = ((100_000, 10), (10_000, 1_000), (1_000, 100_000))


def numpy_hedge(losses: Array, rate: Callable[[int, float], float], mixable: bool = False) -> float:
    """Exponential weights; with `mixable`, the gaps are summed and given to the rate, as AdaHedge asks."""
    sums, gaps, paid = np.zeros(losses.shape[1]), 0.0, 0.0
    for t, row in enumerate(losses, 1):
        eta = rate(t, gaps)
        w = np.exp(-eta * (sums - sums.min())) if eta < np.inf else (sums == sums.min()).astype(float)
        w /= w.sum()
        mix = float(w @ row)
        if mixable:
            least = row.min()
            gaps += mix - least + (np.log(w @ np.exp(-eta * (row - least))) / eta if eta < np.inf else 0.0)
        paid += mix
        sums += row
    return paid


def numpy_poly(losses: Array) -> float:
    """ML-Poly."""
    regret, squares = np.zeros(losses.shape[1]), np.zeros(losses.shape[1])
    largest = paid = 0.0
    for row in losses:
        w = np.maximum(regret, 0) / np.maximum(largest + squares, 1e-300)
        w = w / w.sum() if w.sum() > 0 else np.full(len(row), 1 / len(row))
        mix = float(w @ row)
        r = mix - row
        regret += r
        squares += r * r
        largest = max(largest, float((r * r).max()))
        paid += mix
    return paid


def tables(rounds: int, experts: int, repeats: int) -> None:
    """Whole tables of losses in [0, 1]."""
    losses = np.random.default_rng(0).random((rounds, experts))
    k, eta = float(np.log(experts)), float(np.sqrt(8 * np.log(experts) / rounds))
    span = {"loss": None, "value_range": (0.0, 1.0)}
    contests: dict[str, dict[str, Callable[[], object]]] = {
        "exponential weights, constant rate": {
            "regretless": lambda: Hedge(eta=eta, **span).play(losses),
            "numpy loop": lambda: numpy_hedge(losses, lambda t, gaps: eta),
            "reading the table (numpy)": losses.sum,
        },
        "exponential weights, anytime rate": {
            "regretless": lambda: Hedge(**span).play(losses),
            "numpy loop": lambda: numpy_hedge(losses, lambda t, gaps: 2 * np.sqrt(k / t)),
        },
        "AdaHedge": {
            "regretless": lambda: AdaHedge(loss=None).play(losses),
            "numpy loop": lambda: numpy_hedge(losses, lambda t, gaps: k / gaps if gaps > 0 else np.inf, mixable=True),
        },
        "ML-Poly": {
            "regretless": lambda: MLPoly(loss=None).play(losses),
            "numpy loop": lambda: numpy_poly(losses),
        },
    }
    for title, contest in contests.items():
        best = timing.in_process(contest, repeats)
        figures = {name: seconds / losses.size * 1e9 for name, seconds in best.items()}
        timing.show(f"{title}, {rounds:,} x {experts:,}", figures, "ns/(round x expert)", "regretless")


def live(rounds: int, repeats: int) -> None:
    """Predict and update, 10 experts."""
    random = np.random.default_rng(0)
    advice, outcomes = list(random.random((rounds, 10))), random.random(rounds).tolist()

    def play(learner: Any) -> Callable[[], None]:
        def one_by_one() -> None:
            for row, outcome in zip(advice, outcomes, strict=True):
                learner.predict(row)
                learner.update(outcome)

        return one_by_one

    hedge = Hedge(n_experts=10, eta=0.1, loss="square")
    contest: dict[str, Callable[[], object]] = {
        "regretless": play(hedge),
        "ML-Poly": play(MLPoly(n_experts=10)),
        "a callable for a loss": play(Hedge(n_experts=10, eta=0.1, loss=lambda forecast, y: abs(forecast - y))),
    }
    best = timing.in_process(contest, repeats)
    microseconds = {name: seconds / rounds * 1e6 for name, seconds in best.items()}
    timing.show("predict and update, 10 experts", microseconds, "microseconds", "regretless")


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--rounds", type=int, default=10_000, help="of the live play")
    options = parser.parse_args()
    for rounds, experts in SHAPES:
        tables(rounds, experts, options.repeats)
    live(options.rounds, options.repeats)


if __name__ == "__main__":
    main()
