"""Tables of losses in one call, in nanoseconds a round and expert, beside a plain numpy loop."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from benchmarks.table.inputs import Array, read_arrays
from benchmarks.table.row import Contest, Job, Row
from regretless.experts import AdaHedge, Hedge, MLPoly

SHAPES = (((100_000, 10), False), ((10_000, 1_000), True), ((1_000, 100_000), True))
MOST = 200_000  # losses that the loops in numpy are given


def rows() -> Iterator[Row]:
    """Each rule on each shape."""
    for (rounds, experts), large in SHAPES:
        for name in RULES:
            what = f"{name}, {rounds:,} x {experts:,}"
            yield Row(what, "ns a loss", partial(_table, name, rounds, experts), large)


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


def _constant(rounds: int, experts: int) -> tuple[Any, Any]:
    eta = float(np.sqrt(8 * np.log(experts) / rounds))
    return partial(Hedge, eta=eta, loss=None, value_range=(0.0, 1.0)), partial(numpy_hedge, rate=lambda t, gaps: eta)


def _anytime(rounds: int, experts: int) -> tuple[Any, Any]:
    k = float(np.log(experts))
    make = partial(Hedge, loss=None, value_range=(0.0, 1.0))
    return make, partial(numpy_hedge, rate=lambda t, gaps: 2 * np.sqrt(k / t))


def _adahedge(rounds: int, experts: int) -> tuple[Any, Any]:
    k = float(np.log(experts))
    rate = lambda t, gaps: k / gaps if gaps > 0 else np.inf  # noqa: E731
    return partial(AdaHedge, loss=None), partial(numpy_hedge, rate=rate, mixable=True)


RULES: dict[str, Callable[[int, int], tuple[Any, Any]]] = {
    "Hedge, constant rate": _constant,
    "Hedge, anytime rate": _anytime,
    "AdaHedge": _adahedge,
    "MLPoly": lambda rounds, experts: (partial(MLPoly, loss=None), numpy_poly),
}


def _table(name: str, rounds: int, experts: int) -> Contest:
    losses = np.random.default_rng(0).random((rounds, experts))
    make, loop = RULES[name](rounds, experts)
    few = losses[: max(1, MOST // experts)]
    beside = {"loop in numpy": Job(lambda: loop(few), few.size)}
    reading = Job(lambda: read_arrays(losses), losses.size)
    return Contest(Job(lambda: make().play(losses), losses.size), beside, reading)
