"""Self-play the slow way: the textbook's learners, and every field of the ledger from the list of all rounds."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import log, sqrt

import numpy as np

from regretless.comparator import GameComparator
from regretless.ledger import GameLedger
from regretless.textbook.games import hedge, optimistic_hedge, regret_matching, regret_matching_plus
from regretless.theory.game_facts import GameFacts

METHODS = ("hedge", "optimistic-hedge", "rm", "rm+", "prm+")
TURNS = (False, True)
POWERS = (0, 1, 2)


@dataclass(frozen=True)
class Slow:
    """A run, and all that theorems ask about it."""

    ledger: GameLedger
    facts: GameFacts
    answers: GameComparator
    row: np.ndarray
    column: np.ndarray
    joint: np.ndarray

    def certify(self, theorem):
        return theorem.certify(self.ledger, [self.answers], self.facts)


def learner(method, count, rate):
    """One of the textbook's; a rate of None falls."""
    if method == "hedge":
        return hedge(count, rate)
    if method == "optimistic-hedge":
        return optimistic_hedge(count, rate(1))
    return regret_matching(count) if method == "rm" else regret_matching_plus(count, predictive=method == "prm+")


def rates(method, count, spread, rounds, schedule):
    """A rate for each round, and what facts say of it."""
    if method not in ("hedge", "optimistic-hedge") or spread == 0 or count == 1:
        return (lambda t: 1.0), 1.0
    if isinstance(schedule, float):
        return (lambda t: schedule / spread), schedule / spread
    if method == "optimistic-hedge":
        return (lambda t: 1 / spread), 1 / spread
    if schedule == "falling":
        return (lambda t: 2 * sqrt(log(count) / t) / spread), float("nan")
    tuned = sqrt(8 * log(count) / rounds) / spread
    return (lambda t: tuned), tuned


@dataclass(frozen=True)
class History:
    """All rounds: both strategies as they met for the row player, the column player's as it met p, and both gains."""

    row: np.ndarray
    column: np.ndarray
    met: np.ndarray
    row_gains: np.ndarray
    column_gains: np.ndarray


def played(A, won, row, column, rounds, alternate) -> History:
    """Let two of the textbook's learners play; `won` is what the column player wins."""
    p, q, events = next(row), next(column), []
    for _ in range(rounds):
        before, loss, earlier = p, p @ won, q
        if alternate:
            q = column.send(loss)
            gains, now = A @ q, q
            p = row.send(gains)
        else:
            gains, now = A @ q, q
            p, q = row.send(gains), column.send(loss)
        events.append((before, now, earlier, gains, loss))
    return History(*(np.array(result) for result in zip(*events, strict=True)))


def slow(A, method, rounds, *, alternate=False, power=0, schedule="tuned", B=None) -> Slow:
    """Play, and look at everything afterwards. B is what the column player wins; otherwise it loses A."""
    A = np.asarray(A, float)
    won = -A if B is None else np.asarray(B, float)
    (m, n), spreads = A.shape, (float(np.ptp(A)), float(np.ptp(won)))
    row_rate, told_row = rates(method, m, spreads[0], rounds, schedule)
    column_rate, told_column = rates(method, n, spreads[1], rounds, schedule)
    h = played(A, won, learner(method, m, row_rate), learner(method, n, column_rate), rounds, alternate)
    w = np.arange(1.0, rounds + 1) ** power
    p, q, joint = w @ h.row / w.sum(), w @ h.column / w.sum(), np.einsum("t,ti,tj->ij", w, h.row, h.met) / w.sum()
    facts = GameFacts(
        m,
        n,
        method,
        alternate=alternate,
        power=power,
        row_rate=told_row,
        column_rate=told_column,
        row_spread=spreads[0],
        column_spread=spreads[1],
        zero_sum=B is None,
    )
    gap = float((A @ q).max() - (p @ A).min()) if B is None else 0.0
    ledger = replace(totals(method, h, w, zero_sum=B is None), gap=gap)
    if B is None:
        gains = (A @ q).max() - p @ A @ q, p @ A @ q - (p @ A).min()
    else:
        gains = (A @ joint.sum(0)).max() - (A * joint).sum(), (joint.sum(1) @ won).max() - (won * joint).sum()
    answers = GameComparator(
        rounds=rounds,
        rounding=1e-14 * (np.abs(A).max() + np.abs(won).max()) * (m + n + rounds),
        detail={"row_gain": gains[0], "column_gain": gains[1]},
    )
    return Slow(ledger, facts, answers, p, q, joint)


def totals(method, h: History, w, *, zero_sum=True) -> GameLedger:
    """What a ledger says of a history whose rounds weigh w."""
    row_value, column_value = (h.row * h.row_gains).sum(1), (h.met * h.column_gains).sum(1)
    row_norm, row_square = length_of(method, h.row_gains, h.row)
    column_norm, column_square = length_of(method, h.column_gains, h.met)
    exponential = method in ("hedge", "optimistic-hedge")
    return GameLedger(
        rounds=float(len(w)),
        weight=float(w.sum()),
        last_weight=float(w[-1]),
        row_regret=float((w @ h.row_gains).max() - w @ row_value),
        column_regret=float((w @ h.column_gains).max() - w @ column_value),
        turn=float(w @ (row_value + column_value)) if zero_sum else 0.0,
        row_norm=row_norm,
        column_norm=column_norm,
        row_square=row_square,
        column_square=column_square,
        row_shift=changes(h.row_gains) if exponential else 0.0,
        column_shift=changes(h.column_gains) if exponential else 0.0,
        row_move=moves(h.row) if exponential else 0.0,
        column_move=moves(h.met) if exponential else 0.0,
    )


def length_of(method, gains, strategies):
    """The length of what a regret matcher keeps, and the sum of the squares that bounds it."""
    regrets = gains - (strategies * gains).sum(1)[:, None]
    if method == "rm":
        return float(np.linalg.norm(np.maximum(regrets.sum(0), 0))), float((regrets**2).sum())
    if method in ("rm+", "prm+"):
        held = np.zeros(gains.shape[1])
        for regret in regrets:
            held = np.maximum(held + regret, 0)
        predicted = np.zeros_like(regrets)
        if method == "prm+":
            predicted[1:] = regrets[:-1]
        return float(np.linalg.norm(held)), float(((regrets - predicted) ** 2).sum())
    return 0.0, 0.0


def changes(gains):
    """The squared halves of the ranges of what the payoffs changed by, the first from zero."""
    steps = np.diff(gains, axis=0, prepend=np.zeros((1, gains.shape[1])))
    return float((np.ptp(steps, axis=1) ** 2).sum() / 4)


def moves(strategies):
    """The squared lengths of the steps of a strategy, in absolute values."""
    return float((np.abs(np.diff(strategies, axis=0)).sum(1) ** 2).sum())
