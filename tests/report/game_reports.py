"""Small games for the pages that show them, played by the textbook's learners."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from math import inf, log, nan, sqrt
from typing import Any

import numpy as np

from regretless.report import (
    EquilibriumRow,
    ExactGame,
    GameCourse,
    GameReport,
    InformationSetRow,
    JointRow,
)

from .test_report import certificate

RPS = [[0.0, -1.0, 2.0], [1.0, 0.0, -1.0], [-1.0, 1.0, 0.0]]
HANDS = ("rock", "paper", "scissors")
Played = dict[str, Any]


def _positive(regrets: Any) -> Any:
    kept = np.maximum(regrets, 0)
    return kept / kept.sum() if kept.sum() > 0 else np.full(len(kept), 1 / len(kept))


def matched(payoffs: Any, rounds: int) -> Played:
    """Regret matching plus with alternation and quadratic weights: averages, intervals and gaps at some rounds."""
    m, n = payoffs.shape
    kept = (np.zeros(m), np.zeros(n))
    p, q = np.full(m, 1 / m), np.full(n, 1 / n)
    sums = (np.zeros(m), np.zeros(n))
    found: Played = {name: [] for name in ("rounds", "gap", "lower", "upper", "p", "q")}
    marks = _marks(rounds)
    for t in range(1, rounds + 1):
        p = _positive(kept[0])
        losses = p @ payoffs
        kept[1][:] = np.maximum(kept[1] + losses @ q - losses, 0)
        q = _positive(kept[1])
        gains = payoffs @ q
        kept[0][:] = np.maximum(kept[0] + gains - p @ gains, 0)
        sums[0][:] += t * t * p
        sums[1][:] += t * t * q
        if t in marks:
            _note(found, payoffs, t, sums[0] / sums[0].sum(), sums[1] / sums[1].sum())
    return found


def hedged(payoffs: Any, rounds: int) -> Played:
    """Hedge against Hedge with the rates tuned for the rounds, averages unweighted."""
    m, n = payoffs.shape
    spread = payoffs.max() - payoffs.min() or 1.0
    rates = [sqrt(8 * log(max(k, 2)) / rounds) / spread for k in (m, n)]
    won, lost, sums = np.zeros(m), np.zeros(n), (np.zeros(m), np.zeros(n))
    found: Played = {name: [] for name in ("rounds", "gap", "lower", "upper", "p", "q")}
    marks = _marks(rounds)
    for t in range(1, rounds + 1):
        p, q = np.exp(rates[0] * (won - won.max())), np.exp(-rates[1] * (lost - lost.min()))
        p, q = p / p.sum(), q / q.sum()
        won += payoffs @ q
        lost += p @ payoffs
        sums[0][:] += p
        sums[1][:] += q
        if t in marks:
            _note(found, payoffs, t, sums[0] / t, sums[1] / t)
    return found


def _marks(rounds: int) -> set[int]:
    return {round(rounds ** (k / 79)) for k in range(80)}


def _note(found: Played, payoffs: Any, t: int, p: Any, q: Any) -> None:
    lower, upper = float((p @ payoffs).min()), float((payoffs @ q).max())
    for name, value in zip(found, (t, upper - lower, lower, upper, p, q), strict=True):
        found[name].append(value)


@cache
def playing(seed: int = 0, rows: int = 3, columns: int = 3, rounds: int = 1000) -> tuple[Any, Played, Played]:
    """A game, how regret matching plus played it, and how Hedge did in ten times as many rounds."""
    payoffs = np.array(RPS) if seed == 0 else np.random.default_rng(seed).uniform(-1, 1, (rows, columns)).round(3)
    return payoffs, matched(payoffs, rounds), hedged(payoffs, 10 * rounds)


def named(count: int, what: str) -> list[str]:
    """Names of strategies."""
    return list(HANDS) if count == 3 else [f"{what}{k + 1}" for k in range(count)]


def told(strategy: Any, names: list[str]) -> dict[str, float]:
    """The probabilities of what is played."""
    return {name: float(p) for name, p in zip(names, strategy, strict=True) if p > 0}


def matrix(game: tuple[Any, Played, Played] | None = None, **changes: Any) -> GameReport:
    """A report on a zero-sum game with something in every part of it."""
    payoffs, found, hedge = game or playing()
    m, n = payoffs.shape
    rows, columns = named(m, "row"), named(n, "col")
    lower, upper = found["lower"][-1], found["upper"][-1]
    spread = float(payoffs.max() - payoffs.min())
    bounds = [spread * sqrt(8 * (m + n) / t) for t in found["rounds"]]
    course = GameCourse(
        rounds=found["rounds"],
        gap=found["gap"],
        lower=found["lower"],
        upper=found["upper"],
        rows={name: [float(p[k]) for p in found["p"]] for k, name in enumerate(rows)},
        columns={name: [float(q[k]) for q in found["q"]] for k, name in enumerate(columns)},
    )
    made = GameReport(
        title="rm+ on game.csv",
        kind="matrix",
        method="rm+",
        rows=m,
        columns=n,
        value=(lower + upper) / 2,
        lower=lower,
        upper=upper,
        gap=upper - lower,
        row=told(found["p"][-1], rows),
        column=told(found["q"][-1], columns),
        row_names=rows,
        column_names=columns,
        payoffs=payoffs.tolist(),
        source={"path": "game.csv", "format": "CSV", "range": (float(payoffs.min()), float(payoffs.max()))},
        iterations=found["rounds"][-1],
        seconds=0.0123,
        tolerance=0.01,
        certificates=[
            certificate("regret_matching_plus", quantity="duality gap", observed=upper - lower, bound=bounds[-1]),
            certificate(
                "weak_duality", quantity="largest gain by deviating", observed=upper - lower, bound=upper - lower
            ),
            certificate("complementary_slackness", why="the strategies were not found by a basis"),
        ],
        course=course,
        lines={"Regret matching plus": bounds},
        beside={"textbook Hedge": (hedge["rounds"], hedge["gap"])},
    )
    return replace(made, **changes)


def solved_at_once(game: tuple[Any, Played, Played] | None = None, **changes: Any) -> GameReport:
    """The same game found by pivots, in fractions, without any course."""
    bare: dict[str, Any] = {"course": GameCourse(), "lines": {}, "beside": {}, "method": "simplex", "title": "game.csv"}
    exact = ExactGame("1/12", dict.fromkeys(HANDS, "1/3"), dict(zip(HANDS, ("1/3", "5/12", "1/4"), strict=True)))
    return matrix(game, **{**bare, "exact": exact, "note": "optimal basis", "iterations": 4, **changes})


def bimatrix(**changes: Any) -> GameReport:
    """The battle of the sexes: three equilibria and what a mediator could do."""
    names = ("opera", "football")
    mixed = EquilibriumRow(
        {"opera": 0.6, "football": 0.4}, {"opera": 0.4, "football": 0.6}, 1.2, 1.2, 1.1e-16,
        ExactGame("6/5", {"opera": "3/5", "football": "2/5"}, {"opera": "2/5", "football": "3/5"}), "mixed",
    )  # fmt: skip
    made = GameReport(
        title="battle.nfg",
        kind="bimatrix",
        method="support-enumeration",
        rows=2,
        columns=2,
        quantity="payoffs of the row player and of the column player",
        row_names=names,
        column_names=names,
        payoffs=[[3.0, 0.0], [0.0, 2.0]],
        column_payoffs=[[2.0, 0.0], [0.0, 3.0]],
        source={"path": "battle.nfg", "format": "Gambit"},
        seconds=0.002,
        equilibria=[
            EquilibriumRow({"opera": 1.0}, {"opera": 1.0}, 3.0, 2.0, note="pure"),
            mixed,
            EquilibriumRow({"football": 1.0}, {"football": 1.0}, 2.0, 3.0, note="pure"),
        ],
        complete=True,
        joints=[JointRow("Correlated equilibrium of the greatest welfare", [[0.5, 0.0], [0.0, 0.5]], 2.5, 2.5, 0.0)],
    )
    return replace(made, **changes)


def in_turns(**changes: Any) -> GameReport:
    """A little poker, solved by its sequences."""
    _, found, hedge = playing(7, 13, 13, 400)
    sets = [
        InformationSetRow(
            player, f"{card} {'after a bet' if late else 'first'}", {"pass": 1 - p, "bet": p}, 1.0 - p * late
        )
        for player in (0, 1)
        for card, p in (("jack", 1 / 3), ("queen", 0.25), ("king", 1.0))
        for late in (0, 1)
    ]
    made = GameReport(
        title="pcfr+ on kuhn.efg",
        kind="sequence",
        method="pcfr+",
        rows=13,
        columns=13,
        value=-1 / 18,
        lower=-1 / 18 - 4e-7,
        upper=-1 / 18 + 4e-7,
        gap=8e-7,
        players=("Alice", "Bob"),
        quantity="payoff of Alice",
        source={"path": "kuhn.efg", "format": "Gambit"},
        iterations=400,
        seconds=0.01,
        tolerance=1e-6,
        course=GameCourse(rounds=found["rounds"], gap=found["gap"], lower=found["lower"], upper=found["upper"]),
        lines={"Counterfactual regret": [20 / sqrt(t) for t in found["rounds"]]},
        beside={"cfr": (hedge["rounds"], hedge["gap"])},
        certificates=[certificate("counterfactual_regret", quantity="duality gap", observed=8e-7, bound=1.0)],
        behaviour=sets,
    )
    return replace(made, **changes)


def odd() -> dict[str, GameReport]:
    """Games in which something is missing, zero, infinite, tiny, huge or alone."""
    large, wide, tall = playing(1, 60, 60, 300), playing(2, 3, 57, 300), playing(3, 40, 3, 300)
    known = matrix().course
    saddle = playing(4, 1, 1, 10)
    none: list[float | None] = [None] * len(known.rounds)
    return {
        "solved at once": solved_at_once(),
        "losses": matrix(losses=True, quantity="loss of the row player, who minimises it"),
        "one strategy each": matrix(saddle, row_names=("only",), column_names=("only",), row={"only": 1.0},
                                    column={"only": 1.0}, exact=ExactGame("1/2", {"only": "1"}, {"only": "1"})),
        "large": matrix(large),
        "wide": matrix(wide),
        "tall": matrix(tall),
        "too large for pictures": solved_at_once(large, payoffs=None, rows=900, columns=900, exact=None),
        "gap of zero": matrix(gap=0.0, lower=0.0, upper=0.0, value=0.0, course=replace(known, gap=[0.0] * len(none))),
        "gaps unknown": matrix(course=replace(known, gap=none, rows={}, columns={})),
        "gaps that are no numbers": matrix(course=replace(known, gap=[nan, inf, *known.gap[2:]])),
        "an endless bound": matrix(lines={"Endless": [inf] * len(none), "Far": [1e30] * len(none)}),
        "one round": matrix(course=GameCourse([1], [0.5], [0.0], [0.5], {"rock": [1.0]}, {"rock": [1.0]}), lines={}),
        "interrupted": matrix(interrupted="Ctrl-C", gap=0.5),
        "huge payoffs": matrix(payoffs=[[v * 1e300 for v in row] for row in RPS], value=1e299, lower=0.0, upper=2e299),
        "constant payoffs": solved_at_once(payoffs=[[2.0] * 3] * 3, value=2.0, lower=2.0, upper=2.0, gap=0.0),
        "broken": matrix(certificates=[certificate("weak_duality", observed=2.0, bound=1.0)]),
        "not solved": matrix(value=None, lower=None, upper=None, gap=None, row={}, column={}, certificates=[]),
        "battle": bimatrix(),
        "battle, not solved": bimatrix(equilibria=[], complete=None),
        "battle, nothing known": bimatrix(equilibria=[], joints=[], payoffs=None, column_payoffs=None),
        "many equilibria": bimatrix(equilibria=bimatrix().equilibria * 40, complete=False),
        "in turns": in_turns(),
        "in many turns": in_turns(behaviour=in_turns().behaviour * 20, value=nan, gap=inf),
    }  # fmt: skip
