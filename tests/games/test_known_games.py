"""Plays on which the theorems of games must say numbers that are known by hand."""

from __future__ import annotations

from dataclasses import replace
from math import inf, log, nan, sqrt
from typing import Any

import numpy as np
import pytest

from regretless.comparator import GameComparator
from regretless.ledger import GameLedger
from regretless.theory import game_facts as gs
from regretless.theory import games, self_play

from ..known import Assumes, Change, Known, first_of_each, known, refuses, says_its_number

# Sixteen rounds of a game of 3 rows and 4 columns, of weights that sum to 20, the last of them 3; a gap of 0.3.
BOOK = GameLedger(
    rounds=16.0, weight=20.0, last_weight=3.0, row_regret=3.0, column_regret=2.0, turn=0.5, row_norm=4.0,
    column_norm=5.0, row_square=25.0, column_square=36.0, row_shift=10.0, column_shift=12.0, row_move=1.5,
    column_move=2.5, gap=0.3,
)  # fmt: skip
ANSWERS = GameComparator(
    rounding=0.001, detail={"row_gain": 0.1, "column_gain": 0.2, "row_support": 3, "column_support": 2}
)


def play(method: str, **more: Any) -> gs.GameFacts:
    rates = {"row_rate": 0.5, "column_rate": 0.25}
    usual = {"rows": 3, "columns": 4, "row_spread": 1.5, "column_spread": 3.0}
    return gs.GameFacts(**usual | rates | more, method=method)


def case(theorem, learner, bound, observed=0.3, changes: Change | None = None) -> Known:
    return Known(theorem, BOOK, ANSWERS, learner, bound, observed).changed(changes or {})


L3, L4 = log(3), log(4)
ROW, COLUMN = 2 * L3 + 2.25, 4 * L4 + 4.5  # ln m / eta + eta D^2 16 / 8
HEDGE, OPTIMISTIC, RM = play("hedge"), play("optimistic-hedge"), play("rm")
FALLING = {"learner.row_rate": nan, "learner.column_rate": nan}
KEEPS = 4 * 1.5 * sqrt(2), 4 * 3 * sqrt(3)  # sqrt(T) D sqrt(m - 1)
EXTRA = 0.025 + 0.001  # turns and rounding
LOST = {"ledger.turn": -0.5}  # no: gained
ONE_ROW, ONE_COLUMN = {"learner.rows": 1}, {"learner.columns": 1}
ZERO_SUM = [
    case(games.weak_duality, HEDGE, 0.3, 0.2),
    case(games.complementary, play("simplex", claim=0.07), 0.071),
    case(games.complementary, play("simplex", claim=0.0), 0.001),
    case(games.basic_support, play("simplex", basic=True), 3, 3),
    case(self_play.regret_identity, HEDGE, 5.5 / 20 + 0.001),
    case(self_play.von_neumann, HEDGE, (ROW + COLUMN) / 16 + EXTRA),
    case(self_play.von_neumann, HEDGE, (ROW + COLUMN) / 16 + 0.001, changes=LOST),
    case(self_play.von_neumann, HEDGE, (6 * sqrt(L3) + 12 * sqrt(L4)) / 16 + EXTRA, changes=FALLING),
    case(self_play.von_neumann, HEDGE, COLUMN / 16 + EXTRA, changes=ONE_ROW),
    case(self_play.von_neumann, HEDGE, (6.25 + COLUMN) / 16 + EXTRA, changes={"learner.row_information": 2.0}),
    case(self_play.von_neumann, HEDGE, (ROW + 12.5) / 16 + EXTRA, changes={"learner.column_information": 2.0}),
    case(self_play.von_neumann, HEDGE, (6 / sqrt(L3) + 3 * sqrt(L3) + 12 * sqrt(L4)) / 16 + EXTRA,
         changes=FALLING | {"learner.row_information": 2.0}),
    case(self_play.optimistic, OPTIMISTIC, (2 * L3 + 0.28125 + 4 * L4 + 0.5625) / 16 + EXTRA),
    case(self_play.optimistic, OPTIMISTIC, (2 * L3 + 0.84375 + 4 * L4 + 0.5625) / 16 + EXTRA,
         changes={"learner.alternate": True}),
    case(self_play.optimistic, OPTIMISTIC, (4 * L4 + 0.5625) / 16 + EXTRA,
         changes={"learner.alternate": True} | ONE_ROW),
    case(self_play.changes, OPTIMISTIC, (2 * L3 + 2.5 + 4 * L4 + 0.5 + 0.5) / 16 + 0.001),
    case(self_play.changes, OPTIMISTIC, (4 * L4 + 0.5 + 0.5) / 16 + 0.001, changes=ONE_ROW),
    case(self_play.matching, RM, sum(KEEPS) / 16 + EXTRA),
    case(self_play.matching, play("rm+", power=1), sum(KEEPS) * 2 / 17 + EXTRA),
    case(self_play.matching, play("rm+", power=2), sum(KEEPS) * 96 / (17 * 33) + EXTRA),
    case(self_play.matching, play("prm+"), sum(KEEPS) * sqrt(61) / 64 + EXTRA),
    case(self_play.squares, RM, 33.5 / 20 + 0.001),
    case(self_play.squares, RM, 18.5 / 20 + 0.001, changes={"ledger.row_square": 0.0}),
    case(self_play.final_regrets, RM, 27.5 / 20 + 0.001),
]  # fmt: skip
GENERAL = [
    case(self_play.coarse, HEDGE, 3 / 20 + 0.001, 0.2),
    case(self_play.coarse, HEDGE, 4 / 20 + 0.001, 0.2, {"ledger.column_regret": 4.0}),
    case(self_play.coarse_hedge, HEDGE, COLUMN / 16 + 0.001, 0.2),
    case(self_play.coarse_hedge, HEDGE, (22 + 2.25) / 16 + 0.001, 0.2, {"learner.row_information": 11.0}),
    case(self_play.coarse_matching, RM, KEEPS[1] / 16 + 0.001, 0.2),
    case(self_play.coarse_matching, play("rm+", power=1), KEEPS[1] * 2 / 17 + 0.001, 0.2),
    case(self_play.coarse_changes, OPTIMISTIC, (4 * L4 + 0.5) / 16 + 0.001, 0.2),
    case(self_play.coarse_changes, OPTIMISTIC, (2 * L3 + 2.5) / 16 + 0.001, 0.2, ONE_COLUMN),
    case(self_play.coarse_final_regrets, RM, 15 / 20 + 0.001, 0.2),
    case(self_play.coarse_final_regrets, RM, 18 / 20 + 0.001, 0.2, {"ledger.row_norm": 6.0}),
]


def trees(method: str, power: int = 0) -> games.SequenceFacts:
    return games.SequenceFacts(
        rows=3, columns=4, method=method, power=power, row_spread=1.5, column_spread=3.0, row_reach=5.0,
        column_reach=7.0, row_sets=4.0, column_sets=9.0,
    )  # fmt: skip


T = range(1, 17)
SEQUENCES = [
    case(games.counterfactual, trees("cfr"), 3 + EXTRA),
    case(games.counterfactual, trees("cfr", 1), 12 * sqrt(sum(t**2 for t in T)) / sum(T) + EXTRA),
    case(games.counterfactual, trees("cfr", 2),
         12 * sqrt(sum(t**4 for t in T)) / sum(t**2 for t in T) + EXTRA),
    case(games.counterfactual, trees("cfr+", 1), 12 * 4 * 2 / 17 + EXTRA),
    case(games.counterfactual, trees("pcfr+", 2), 12 * sqrt(61) * 256 / sum(t**2 for t in T) + EXTRA),
    case(games.sequence_squares, trees("cfr"), 84.5 / 20 + 0.001),  # 3 * (10 + 18) + 0.5
    case(games.sequence_final_regrets, trees("cfr"), 27.5 / 20 + 0.001),
]  # fmt: skip

BOOST = games.BoostLedger(rounds=16, mean_edge=0.4, least_edge=0.3, product=0.6, margin=0.25, wrong=0.1)
BY_HEDGE, ADA = games.BoostFacts(5, 1.5, 0.5), games.BoostFacts(5, 1.5, None)
BOOSTS = [
    Known(games.margins_and_edges, BOOST, ANSWERS, ADA, 0.301, 0.25),
    Known(games.boosting_by_hedge, BOOST, ANSWERS, BY_HEDGE, log(5) / 8 + 0.140625 + 0.001, 0.15),
    Known(games.boosting_by_hedge, BOOST, ANSWERS, replace(BY_HEDGE, examples=1), 0.001, 0.15),
    Known(games.adaboost, BOOST, ANSWERS, ADA, 0.6006, 0.1),
    Known(games.adaboost, replace(BOOST, product=1.2), ANSWERS, ADA, 1.0, 0.1),
]
PLAYS = [*ZERO_SUM, *GENERAL, *SEQUENCES]
CASES = [*PLAYS, *BOOSTS]

HUGE, TINY = 2.0**401, 2.0**-401
NOBODY_KNOWS = {"learner.row_spread": nan, "learner.column_spread": nan}
BREAKS: dict[str, list[Change]] = {
    gs.PLAYED[0]: [{"ledger.rounds": 0.0}, {"ledger.weight": 0.0}],
    gs.ALIKE[0]: [{"learner.power": 1}, {"learner.power": 2}],
    gs.AT_ONCE[0]: [{"learner.alternate": True}],
    gs.KNOWN[0]: [{f"learner.{one}_spread": bad} for one in ("row", "column") for bad in (nan, inf, -1.0)],
    gs.ZERO_SUM[0]: [{"learner.zero_sum": False}],
    gs.SQUARES[0]: [
        *({f"learner.{one}_spread": bad} for one in ("row", "column") for bad in (HUGE, TINY)),
        *(NOBODY_KNOWS | {"ledger.row_square": bad} for bad in (HUGE**2, TINY**2)),
        *(NOBODY_KNOWS | {"ledger.column_square": bad} for bad in (HUGE**2, TINY**2)),
    ],
    games.complementary.assumes[-1][0]: [{"learner.claim": None}],
    games.basic_support.assumes[-1][0]: [{"learner.basic": False}],
    self_play.EVERYWHERE[0]: [{"learner.row_information": inf}, {"learner.column_information": inf}],
    self_play.CONSTANT[0]: [{"learner.row_rate": nan}, {"learner.column_rate": inf}],
    self_play.optimistic.assumes[-1][0]: [{"learner.row_rate": 0.9}, {"learner.column_spread": 6.0}],
    self_play.WEIGHTS[0]: [{"learner.method": "rm", "learner.power": 1}],
    games.boosting_by_hedge.assumes[1][0]: [{"learner.rate": bad} for bad in (None, 0.0, inf)],
    games.boosting_by_hedge.assumes[2][0]: [{"learner.spread": inf}],
    games.adaboost.assumes[1][0]: [{"learner.rate": 0.5}],
}
SUM = gs.ZERO_SUM
ASSUMES: Assumes = [
    ((games.weak_duality,), (SUM,)),
    ((games.complementary,), (SUM, games.complementary.assumes[-1])),
    ((games.basic_support,), (SUM, games.basic_support.assumes[-1])),
    ((self_play.regret_identity, self_play.von_neumann, self_play.optimistic, self_play.changes), (gs.PLAYED, SUM)),
    ((self_play.von_neumann, self_play.optimistic, self_play.changes), (gs.ALIKE, self_play.EVERYWHERE)),
    ((self_play.von_neumann, self_play.optimistic, self_play.matching), (gs.KNOWN,)),
    ((self_play.optimistic, self_play.changes, self_play.coarse_changes), (self_play.CONSTANT,)),
    ((self_play.optimistic,), self_play.optimistic.assumes[-1:]),
    ((self_play.changes, self_play.squares, self_play.coarse_changes), (gs.SQUARES,)),
    (self_play.MATCHING, (gs.PLAYED, SUM, self_play.WEIGHTS)),
    (tuple(one.theorem for one in GENERAL), (gs.PLAYED, gs.AT_ONCE)),
    ((self_play.coarse_hedge, self_play.coarse_changes), (gs.ALIKE, self_play.EVERYWHERE)),
    ((self_play.coarse_hedge, self_play.coarse_matching), (gs.KNOWN,)),
    ((self_play.coarse_matching, self_play.coarse_final_regrets), (self_play.WEIGHTS,)),
    (tuple(one.theorem for one in SEQUENCES), (gs.PLAYED, SUM)),
    ((games.counterfactual,), (gs.KNOWN,)),
    ((games.sequence_squares,), (gs.SQUARES,)),
    (games.BOOSTING, (games.BOOSTED,)),
    ((games.boosting_by_hedge,), games.boosting_by_hedge.assumes[1:3]),
    ((games.adaboost,), games.adaboost.assumes[1:2]),
]

SQUARES, SLOW, CHANGES = self_play.squares, self_play.optimistic, self_play.changes
HELD: list[tuple[Any, Change]] = [
    (SQUARES, {"learner.row_spread": 0.0, "learner.column_spread": 0.0}),
    (SQUARES, {"learner.row_spread": 2.0**-399, "learner.column_spread": 2.0**399}),
    (SQUARES, NOBODY_KNOWS | {"ledger.row_square": 2.0**-799, "ledger.column_square": 2.0**799}),
    (SQUARES, NOBODY_KNOWS | {"ledger.row_square": 0.0, "ledger.row_norm": 0.0}),
    (SQUARES, NOBODY_KNOWS | {"ledger.column_square": 0.0, "ledger.column_norm": 0.0}),
    (SQUARES, NOBODY_KNOWS | {"ledger.row_shift": 0.0, "ledger.column_shift": 0.0}),
    (CHANGES, NOBODY_KNOWS | ONE_ROW | {"ledger.row_shift": 0.0}),
    (CHANGES, NOBODY_KNOWS | ONE_COLUMN | {"ledger.column_shift": 0.0}),
    (SLOW, {"learner.row_rate": 8 / 9 * (1 + 9e-10)}),
    (SLOW, {"learner.row_rate": 9.0} | ONE_ROW),
    (SLOW, {"learner.row_spread": 0.0}),
    (SLOW, {"learner.column_spread": 0.0}),
    (games.weak_duality, {"ledger.rounds": 0.0}),
    (self_play.final_regrets, {"learner.method": "rm+", "learner.power": 1}),
    (self_play.final_regrets, {"ledger.rounds": 1.0, "ledger.weight": 0.5}),
    (games.margins_and_edges, {"ledger.rounds": 1}),
]
FAILS: list[tuple[Any, Change]] = [
    (CHANGES, NOBODY_KNOWS | {"ledger.row_shift": 0.0}),
    (CHANGES, NOBODY_KNOWS | {"ledger.column_shift": 0.0}),
    (SLOW, {"learner.row_rate": 8 / 9 * (1 + 1e-8)}),
    (SQUARES, {"learner.row_spread": 2.0**-400}),
]
FIRST = {one.theorem: one for one in first_of_each(CASES)}


@known(CASES)
def test_a_theorem_of_games_says_the_number_that_is_known(case):
    """Each theorem of games says the number that its formula gives by hand on sixteen rounds."""
    says_its_number(case)


@known(first_of_each(PLAYS))
def test_a_theorem_of_games_refuses_what_it_assumes_not(case):
    """Each assumption, where it alone fails, is what the certificate says, which then has no number."""
    refuses(case, ASSUMES, BREAKS)


@known(first_of_each(BOOSTS))
def test_a_theorem_of_boosting_refuses_what_it_assumes_not(case):
    """Each assumption about a booster, where it alone fails, is what the certificate says."""
    refuses(case, ASSUMES, BREAKS | {games.BOOSTED[0]: [{"ledger.rounds": 0}]})


@pytest.mark.parametrize(("theorem", "change"), HELD)
def test_an_assumption_of_games_holds_up_to_its_edge(theorem, change):
    """An assumption that holds exactly, or but for rounding, does not keep the theorem from its number."""
    assert FIRST[theorem].changed(change).obstacle is None


@pytest.mark.parametrize(("theorem", "change"), FAILS)
def test_an_assumption_of_games_fails_beyond_its_edge(theorem, change):
    """Rates or payoffs a little beyond what is assumed give no number."""
    assert FIRST[theorem].changed(change).obstacle is not None


def test_what_a_plan_comes_to():
    """Of three sets, two of them behind the two actions of the first, a plan comes to the first and the better one."""
    first, parent = np.array([1, 3, 5, 8]), np.array([0, 1, 2])
    assert games.most_of_a_plan(first, parent, np.array([1.0, 2.0, 5.0])) == 6
    low, high = np.array([0.0, 1, 0, 0, 2, 0, 0, 0]), np.array([0.0, 2, 3, 1, 4, 9, 0, 0])
    reach, sets = games.reach(first, parent, low, high)
    assert (reach, sets) == (pytest.approx(3 + max(4, 9 * sqrt(2))), 2)
    assert games.reach(np.array([1]), np.array([]), low, high) == (0.0, 0.0)


def test_what_is_promised_before_a_game():
    """The promise is that of the first theorem that is known beforehand, without rounding and turns."""
    assert games.gap_at(HEDGE, 16) == ("Von Neumann by Hedge", pytest.approx((ROW + COLUMN) / 16))
    assert games.gap_at(RM, 16) == ("Regret matching", pytest.approx(sum(KEEPS) / 16))
    assert games.gap_at(play("simplex"), 16) is None
    assert games.gap_at(play("prm+", alternate=True), 16) is None
    assert games.gap_at(play("rm", alternate=True), 16) is not None
    assert games.gap_at(play("hedge", alternate=True), 16) is not None
    assert games.gap_at(play("hedge", alternate=True, column_rate=nan), 16) is None
