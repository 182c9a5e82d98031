"""Bounds on the gap of a solution, and on gains by deviating."""

from __future__ import annotations

from collections.abc import Callable
from math import isnan, log, sqrt
from typing import Any

from .base import Facts, Formula, printed, same


def _share(rounds: float, power: int) -> float:
    """The last weight over the sum of the weights t^power."""
    return float((1 / rounds, 2 / (rounds + 1), 6 * rounds / ((rounds + 1) * (2 * rounds + 1)))[power])


def _turns(ell: Facts) -> Any:
    return float(max(0.0, ell["turn"]) / ell["weight"])


def _two(per_player: Callable[..., float], ell: Facts, w: Facts) -> tuple[float, float]:
    sums = []
    for side, count in (("row", w["rows"]), ("column", w["columns"])):
        own = {name: w.get(f"{side}_{name}") for name in ("rate", "spread", "information")}
        information = own["information"]
        information = log(count) if information is None or isnan(information) else information
        seen = ell.get(f"{side}_shift", 0.0), ell.get(f"{side}_move", 0.0)
        sums.append(per_player(count, own["rate"], own["spread"], information, *seen) if count > 1 else 0.0)
    return sums[0], sums[1]


def _hedge(ell: Facts, w: Facts) -> tuple[float, float]:
    t = float(ell["rounds"])

    def regret(n: int, rate: float, d: float, information: float, *_: float) -> float:
        if isnan(rate):
            return information * d * sqrt(t / log(n)) / 2 + d * sqrt(t * log(n)) / 2
        return information / rate + rate * d**2 * t / 8

    return _two(regret, ell, w)


def _seen(ell: Facts, w: Facts) -> tuple[float, float]:
    def regret(n: int, rate: float, d: float, information: float, shift: float, move: float) -> float:
        return information / rate + min(rate * shift - move / (4 * rate), rate * shift / 2)

    return _two(regret, ell, w)


def _matching(ell: Facts, w: Facts) -> tuple[float, float]:
    predictive = sqrt(4 - 3 / ell["rounds"]) if w["method"] == "prm+" else 1.0
    root = predictive * sqrt(ell["rounds"]) * _share(ell["rounds"], w["power"])
    return (
        root * w["row_spread"] * sqrt(w["rows"] - 1),
        root * w["column_spread"] * sqrt(w["columns"] - 1),
    )


def answers(formula: Formula) -> Formula:
    """What these numbers may owe to rounding in payoffs is added."""
    return lambda ell, v, w: float(formula(ell, v, w) + v["rounding"])


same("weak_duality", lambda ell, v, w: ell["gap"])
same("complementary", answers(lambda ell, v, w: w["claim"]))
same("basic_support", lambda ell, v, w: min(w["rows"], w["columns"]))
same(
    "regret_identity",
    answers(lambda ell, v, w: (ell["row_regret"] + ell["column_regret"] + ell["turn"]) / ell["weight"]),
)
same("von_neumann", answers(lambda ell, v, w: sum(_hedge(ell, w)) / ell["rounds"] + _turns(ell)))


@printed("optimistic")
@answers
def optimistic(ell: Facts, v: Facts, w: Facts) -> Any:
    """(ln m / eta_1 + ln n / eta_2 + (eta_1 + eta_2) D^2 / 4) / T, and eta_1 D^2 / 2 in turns."""
    each = _two(lambda n, rate, d, information, *_: information / rate + rate * d**2 / 4, ell, w)
    unpaid = w["row_rate"] * w["row_spread"] ** 2 / 2 if w["alternate"] and w["rows"] > 1 else 0.0
    return (sum(each) + unpaid) / ell["rounds"] + _turns(ell)


same("changes", answers(lambda ell, v, w: (sum(_seen(ell, w)) + ell["turn"]) / ell["rounds"]))
same("matching", answers(lambda ell, v, w: sum(_matching(ell, w)) + _turns(ell)))


def _root(number: float) -> Any:
    return sqrt(max(0.0, number))


same(
    "squares",
    answers(
        lambda ell, v, w: (
            (ell["last_weight"] * (_root(ell["row_square"]) + _root(ell["column_square"])) + ell["turn"])
            / ell["weight"]
        )
    ),
)
same(
    "final_regrets sequence_final_regrets",
    answers(
        lambda ell, v, w: (ell["last_weight"] * (ell["row_norm"] + ell["column_norm"]) + ell["turn"]) / ell["weight"]
    ),
)
same("coarse", answers(lambda ell, v, w: max(ell["row_regret"], ell["column_regret"]) / ell["weight"]))
same("coarse_hedge", answers(lambda ell, v, w: max(_hedge(ell, w)) / ell["rounds"]))
same("coarse_matching", answers(lambda ell, v, w: max(_matching(ell, w))))
same("coarse_changes", answers(lambda ell, v, w: max(_seen(ell, w)) / ell["rounds"]))
same(
    "coarse_final_regrets",
    answers(lambda ell, v, w: ell["last_weight"] * max(ell["row_norm"], ell["column_norm"]) / ell["weight"]),
)


@printed("counterfactual")
@answers
def counterfactual(ell: Facts, v: Facts, w: Facts) -> Any:
    """w_T sqrt(T) / W times both reaches; of CFR the root of the sum of the squared weights over W."""
    t, power = ell["rounds"], w["power"]
    squares = (t, t * (t + 1) * (2 * t + 1) / 6, t * (t + 1) * (2 * t + 1) * (3 * t**2 + 3 * t - 1) / 30)[power]
    root = _share(t, power) * (sqrt(t) if w["method"] != "cfr" else sqrt(squares) / t**power)
    root *= sqrt(4 - 3 / t) if w["method"] == "pcfr+" else 1.0
    return float(root * (w["row_reach"] + w["column_reach"]) + _turns(ell))


@printed("sequence_squares")
@answers
def sequence_squares(ell: Facts, v: Facts, w: Facts) -> Any:
    """w_T (sqrt(K_1 sum |r|^2) + sqrt(K_2 sum |r|^2)) / W and the turns."""
    lengths = _root(w["row_sets"] * ell["row_square"]) + _root(w["column_sets"] * ell["column_square"])
    return float((ell["last_weight"] * lengths + ell["turn"]) / ell["weight"])
