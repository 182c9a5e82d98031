"""Small games for the pages that show them, played by the textbook's learners."""

from __future__ import annotations

from dataclasses import fields, replace
from fractions import Fraction
from functools import cache
from math import inf, log, nan, sqrt
from typing import Any

import numpy as np

from regretless.games import Solution, Trajectory
from regretless.games.general_sum.correlated import CorrelatedEquilibrium
from regretless.games.general_sum.equilibria import Equilibria, Equilibrium, ExactEquilibrium
from regretless.games.solution import ExactSolution
from regretless.report import (
    BimatrixReport,
    GameReport,
    InformationSetRow,
    Page,
    page_of_bimatrix,
    page_of_game,
)

from .test_report import certificate

RPS = [[0.0, -1.0, 2.0], [1.0, 0.0, -1.0], [-1.0, 1.0, 0.0]]
HANDS = ("rock", "paper", "scissors")
Played = dict[str, Any]


def _positive(regrets: Any) -> Any:
    positive = np.maximum(regrets, 0)
    return positive / positive.sum() if positive.sum() > 0 else np.full(len(positive), 1 / len(positive))


def matched(payoffs: Any, rounds: int) -> Played:
    """Regret matching plus with alternation and quadratic weights: averages, intervals and gaps at some rounds."""
    m, n = payoffs.shape
    rest = (np.zeros(m), np.zeros(n))
    p, q = np.full(m, 1 / m), np.full(n, 1 / n)
    sums = (np.zeros(m), np.zeros(n))
    results: Played = {name: [] for name in ("rounds", "gap", "lower", "upper", "p", "q")}
    marks = _marks(rounds)
    for t in range(1, rounds + 1):
        p = _positive(rest[0])
        losses = p @ payoffs
        rest[1][:] = np.maximum(rest[1] + losses @ q - losses, 0)
        q = _positive(rest[1])
        gains = payoffs @ q
        rest[0][:] = np.maximum(rest[0] + gains - p @ gains, 0)
        sums[0][:] += t * t * p
        sums[1][:] += t * t * q
        if t in marks:
            _note(results, payoffs, t, sums[0] / sums[0].sum(), sums[1] / sums[1].sum())
    return results


def hedged(payoffs: Any, rounds: int) -> Played:
    """Hedge against Hedge with the rates tuned for the rounds, averages unweighted."""
    m, n = payoffs.shape
    spread = payoffs.max() - payoffs.min() or 1.0
    rates = [sqrt(8 * log(max(k, 2)) / rounds) / spread for k in (m, n)]
    won, lost, sums = np.zeros(m), np.zeros(n), (np.zeros(m), np.zeros(n))
    results: Played = {name: [] for name in ("rounds", "gap", "lower", "upper", "p", "q")}
    marks = _marks(rounds)
    for t in range(1, rounds + 1):
        p, q = np.exp(rates[0] * (won - won.max())), np.exp(-rates[1] * (lost - lost.min()))
        p, q = p / p.sum(), q / q.sum()
        won += payoffs @ q
        lost += p @ payoffs
        sums[0][:] += p
        sums[1][:] += q
        if t in marks:
            _note(results, payoffs, t, sums[0] / t, sums[1] / t)
    return results


def _marks(rounds: int) -> set[int]:
    return {round(rounds ** (k / 79)) for k in range(80)}


def _note(result: Played, payoffs: Any, t: int, p: Any, q: Any) -> None:
    lower, upper = float((p @ payoffs).min()), float((payoffs @ q).max())
    for name, value in zip(result, (t, upper - lower, lower, upper, p, q), strict=True):
        result[name].append(value)


@cache
def playing(seed: int = 0, rows: int = 3, columns: int = 3, rounds: int = 1000) -> tuple[Any, Played, Played]:
    """A game, how regret matching plus played it, and how Hedge did in ten times as many rounds."""
    payoffs = np.array(RPS) if seed == 0 else np.random.default_rng(seed).uniform(-1, 1, (rows, columns)).round(3)
    return payoffs, matched(payoffs, rounds), hedged(payoffs, 10 * rounds)


def named(count: int, what: str) -> list[str]:
    """Names of strategies."""
    return list(HANDS) if count == 3 else [f"{what}{k + 1}" for k in range(count)]


def course_of(result: Played) -> Trajectory:
    """The trajectory of a self-play."""
    names = {"rounds": "rounds", "gap": "gap", "lower": "lower", "upper": "upper", "rows": "p", "columns": "q"}
    return Trajectory(**{name: np.array(result[key]) for name, key in names.items()})


def changed(report: GameReport, **changes: Any) -> GameReport:
    """The report with other fields, of its own or of its solution."""
    if "certificates" in changes:
        certificates = changes.pop("certificates")
        changes["make_certificates"] = lambda: certificates
    own = {name: changes.pop(name) for name in {one.name for one in fields(GameReport)} & changes.keys()}
    return replace(report, **{"solution": replace(report.solution, **changes), **own})


def gap_bound(title: str, bound: Any) -> dict[str, Any]:
    """A theorem on the gap of self-play, as a change of a report."""
    return {"make_gap_bound": lambda: (title, bound)}


def matrix(game: tuple[Any, Played, Played] | None = None, **changes: Any) -> GameReport:
    """A report on a zero-sum game with something in every part of it."""
    payoffs, result, hedge = game or playing()
    m, n = payoffs.shape
    lower, upper = result["lower"][-1], result["upper"][-1]
    low, high = float(payoffs.min()), float(payoffs.max())

    def bound(t: float) -> float:
        return (high - low) * sqrt(8 * (m + n) / t)

    within = {"observed": upper - lower, "bound": upper - lower}
    certificates = [
        certificate("regret_matching_plus", quantity="duality gap", **within | {"bound": bound(result["rounds"][-1])}),
        certificate("weak_duality", quantity="largest gain by deviating", **within),
        certificate("complementary_slackness", why="the strategies were not found by a basis"),
    ]
    solution = Solution(
        named(m, "row"), named(n, "col"), "rm+", np.array(result["p"][-1]), np.array(result["q"][-1]), lower, upper,
        result["rounds"][-1], 0.0123, course=course_of(result), make_certificates=lambda: certificates,
        **gap_bound("Regret matching plus", bound),
    )  # fmt: skip
    source = {"path": "game.csv", "format": "CSV", "range": (low, high)}
    beside = {"textbook Hedge": (hedge["rounds"], hedge["gap"])}
    made = GameReport("rm+ on game.csv", solution, source, payoffs=payoffs.tolist(), tolerance=0.01, beside=beside)
    return changed(made, **changes)


def solved_at_once(game: tuple[Any, Played, Played] | None = None, **changes: Any) -> GameReport:
    """The same game found by pivots, in fractions, without any course."""
    bare: dict[str, Any] = {"course": None, "make_gap_bound": lambda: None, "beside": {}}
    thirds = [Fraction(1, 3)] * 3
    exact = ExactSolution(Fraction(1, 12), thirds, [Fraction(1, 3), Fraction(5, 12), Fraction(1, 4)])
    own = {"exact": exact, "method": "simplex", "title": "game.csv", "note": "optimal basis", "iterations": 4}
    return matrix(game, **{**bare, **own, **changes})


def pair(row: list[float], column: list[float], *payoffs: float, gain: float = 0.0, exact: Any = None) -> Equilibrium:
    """An equilibrium."""
    return Equilibrium(np.array(row), np.array(column), *payoffs, gain, gain, exact)


def battle() -> list[Equilibrium]:
    """The equilibria of the battle of the sexes."""
    mixed = ExactEquilibrium(
        [Fraction(3, 5), Fraction(2, 5)], [Fraction(2, 5), Fraction(3, 5)], Fraction(6, 5), Fraction(6, 5)
    )
    return [
        pair([1, 0], [1, 0], 3.0, 2.0),
        pair([0.6, 0.4], [0.4, 0.6], 1.2, 1.2, gain=1.1e-16, exact=mixed),
        pair([0, 1], [0, 1], 2.0, 3.0),
    ]


def equilibria(listed: list[Equilibrium] | None = None, **facts: Any) -> Equilibria:
    """A list of equilibria, by default all of the battle of the sexes."""
    known = {"complete": True, "degenerate": False, "seconds": 0.002, "is_exact": True, **facts}
    return Equilibria(battle() if listed is None else listed, (), (), "support-enumeration", **known)


def bimatrix(**changes: Any) -> BimatrixReport:
    """The battle of the sexes: three equilibria and what a mediator could do."""
    joint = CorrelatedEquilibrium(np.diag([0.5, 0.5]), False, "welfare", 2.5, 2.5, 0.0, 0.0, 5.0, 5.0)
    made = BimatrixReport(
        title="battle.nfg",
        rows=("opera", "football"),
        columns=("opera", "football"),
        payoffs=([[3.0, 0.0], [0.0, 2.0]], [[2.0, 0.0], [0.0, 3.0]]),
        source={"path": "battle.nfg", "format": "Gambit"},
        equilibria=equilibria(),
        correlated=joint,
        kind="Correlated equilibrium of the greatest welfare",
    )
    return replace(made, **changes)


def in_turns(**changes: Any) -> GameReport:
    """A little poker, solved by its sequences."""
    sets = [
        InformationSetRow(
            player, f"{card} {'after a bet' if late else 'first'}", {"pass": 1 - p, "bet": p}, 1.0 - p * late
        )
        for player in (0, 1)
        for card, p in (("jack", 1 / 3), ("queen", 0.25), ("king", 1.0))
        for late in (0, 1)
    ]
    own = {"title": "pcfr+ on kuhn.efg", "method": "pcfr+", "players": ("Alice", "Bob"), "behaviour": sets,
           "source": {"path": "kuhn.efg", "format": "Gambit"}, "tolerance": 1e-6, "seconds": 0.01, "payoffs": None,
           "lower": -1 / 18 - 4e-7, "upper": -1 / 18 + 4e-7,
           **gap_bound("Counterfactual regret", lambda t: 20 / sqrt(t)),
           "certificates": [certificate("counterfactual_regret", quantity="duality gap", observed=8e-7, bound=1.0)],
           "course": replace(course_of(playing(7, 13, 13, 400)[1]), rows=None, columns=None)}  # fmt: skip
    return matrix(playing(7, 13, 13, 400), **{**own, **changes})


def odd() -> dict[str, GameReport | BimatrixReport]:
    """Games in which something is missing, zero, infinite, tiny, huge or alone."""
    large, wide, tall = playing(1, 60, 60, 300), playing(2, 3, 57, 300), playing(3, 40, 3, 300)
    course = course_of(playing()[1])
    saddle = playing(4, 1, 1, 10)
    marks = len(course.rounds)
    one = ExactSolution(Fraction(1, 2), [Fraction(1)], [Fraction(1)])
    first = Trajectory(np.array([1]), *np.array([[0.5], [0.0], [0.5]]), np.eye(3)[:1], np.eye(3)[:1])
    many = {"rows": named(900, "row"), "columns": named(900, "col"), "row": np.eye(900)[0], "column": np.eye(900)[1]}
    gaps = np.array([nan, inf, *course.gap[2:]])
    return {
        "solved at once": solved_at_once(),
        "losses": matrix(losses=True),
        "one strategy each": matrix(saddle, rows=("only",), columns=("only",), exact=one),
        "large": matrix(large),
        "wide": matrix(wide),
        "tall": matrix(tall),
        "too large for pictures": solved_at_once(large, payoffs=None, exact=None, **many),
        "gap of zero": matrix(lower=0.0, upper=0.0, course=replace(course, gap=np.zeros(marks))),
        "gaps unknown": matrix(course=replace(course, gap=np.full(marks, nan), rows=None, columns=None)),
        "gaps that are no numbers": matrix(course=replace(course, gap=gaps)),
        "an endless bound": matrix(**gap_bound("Endless", lambda t: inf)),
        "a bound that is far": matrix(**gap_bound("Far", lambda t: 1e30)),
        "one round": matrix(course=first, make_gap_bound=lambda: None),
        "interrupted": matrix(stopped="Ctrl-C", upper=0.5),
        "huge payoffs": matrix(payoffs=[[v * 1e300 for v in row] for row in RPS], lower=0.0, upper=2e299),
        "constant payoffs": solved_at_once(payoffs=[[2.0] * 3] * 3, lower=2.0, upper=2.0, exact=None),
        "broken": matrix(certificates=[certificate("weak_duality", observed=2.0, bound=1.0)]),
        "battle": bimatrix(),
        "battle, not solved": bimatrix(equilibria=None),
        "battle, nothing known": bimatrix(equilibria=None, correlated=None, payoffs=()),
        "many equilibria": bimatrix(equilibria=equilibria(battle() * 40, complete=False)),
        "in turns": in_turns(),
        "in many turns": in_turns(behaviour=(in_turns().behaviour or []) * 20, lower=-inf, upper=inf),
    }


def page_of(report: GameReport | BimatrixReport) -> Page:
    """The page of either report."""
    return page_of_game(report) if isinstance(report, GameReport) else page_of_bimatrix(report)
