"""Zero-sum games by learning: two learners play each other, and their average strategies close in on an equilibrium.

A learner is a generator: it yields a strategy, and is sent what each of its choices would have won. The row player wins
p'Aq, which the column player loses.
"""

from collections.abc import Callable, Generator
from itertools import pairwise
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
Learner = Generator[Array, Array, None]


def gap(A: Array, p: Array, q: Array) -> float:
    """What both players together could gain by answering the other's strategy best."""
    return float((A @ q).max() - (p @ A).min())


def self_play(
    A: Array, row: Learner, column: Learner, rounds: int, *, alternate: bool = False, power: int = 0
) -> tuple[Array, Array]:
    """The average strategies, in which round t counts as t to the power. In turns, the column player moves second."""
    p, q, P, Q = next(row), next(column), 0.0, 0.0
    for t in range(1, rounds + 1):
        P = P + t**power * p
        if alternate:
            q = column.send(-(p @ A))
            Q, p = Q + t**power * q, row.send(A @ q)
        else:
            Q = Q + t**power * q
            p, q = row.send(A @ q), column.send(-(p @ A))
    return P / np.sum(P), Q / np.sum(Q)


def hedge(n: int, rate: Callable[[int], float]) -> Learner:
    """Exponential weights of all that was won so far, at a rate for each round."""
    won, t = np.zeros(n), 0
    while True:
        t += 1
        weights = np.exp(rate(t) * (won - won.max()))
        won = won + (yield weights / weights.sum())


def optimistic_hedge(n: int, rate: float) -> Learner:
    """The same, where the last round is expected to come once more."""
    won, last = np.zeros(n), np.zeros(n)
    while True:
        expected = won + last
        weights = np.exp(rate * (expected - expected.max()))
        last = yield weights / weights.sum()
        won = won + last


def matched(regrets: Array) -> Array:
    """Probabilities in proportion to what is positive; all the same where nothing is."""
    positive = np.maximum(regrets, 0.0)
    shares: Array = positive / positive.sum() if positive.any() else np.full(len(regrets), 1 / len(regrets))
    return shares


def regret_matching(n: int) -> Learner:
    """Each choice by how much more it would have won alone, summed over the rounds."""
    regrets = np.zeros(n)
    while True:
        p = matched(regrets)
        gains = yield p
        regrets = regrets + gains - p @ gains


def regret_matching_plus(n: int, *, predictive: bool = False) -> Learner:
    """Regret matching with sums that never fall below zero; the last regrets may be expected once more."""
    regrets, last = np.zeros(n), np.zeros(n)
    while True:
        p = matched(regrets + last)
        gains = yield p
        regret = gains - p @ gains
        regrets = np.maximum(regrets + regret, 0.0)
        last = regret if predictive else last


def counterfactual(first: Array, parent: Array, *, plus: bool = True) -> Learner:
    """A regret matcher in every information set i, which has the sequences first[i] .. first[i + 1] - 1 after
    parent[i].

    It yields plans, the probabilities of all sequences of choices, of which number 0 is the empty one, and is sent what
    each sequence wins at its end."""
    regrets = np.zeros(first[-1])
    sets = [slice(begin, end) for begin, end in pairwise(first)]
    while True:
        steps = np.concatenate([np.ones(1), *(matched(regrets[s]) for s in sets)])
        plan = steps.copy()
        for s, before in zip(sets, parent, strict=True):
            plan[s] *= plan[before]
        gains = np.array((yield plan))
        for s, before in zip(sets[::-1], parent[::-1], strict=True):
            value = steps[s] @ gains[s]
            gains[before] += value
            regrets[s] += gains[s] - value
        regrets = np.maximum(regrets, 0.0) if plus else regrets


def von_neumann(losses: Array, rounds: int, rate: float) -> tuple[Array, Array, float, float]:
    """The proof of von Neumann's theorem: average strategies of p, who loses p'Mq, and q, who wins it, both by Hedge,
    with the interval from min_i (Mq)_i to max_j (p'M)_j, which contains the value and closes as the rounds go on."""
    m, n = losses.shape
    p, q = self_play(-losses, hedge(m, lambda t: rate), hedge(n, lambda t: rate), rounds)
    return p, q, float((losses @ q).min()), float((p @ losses).max())


def boost(margins: Array, rounds: int, rate: float) -> tuple[Array, Array]:
    """Votes of hypotheses, and the edge of each round's best, where margins[h, x] is how right h is on example x.

    Hedge weighs examples, those on which the votes are wrong most; each round the hypothesis with the largest edge
    wins a vote. No example's margin is farther below the mean edge than Hedge's regret per round."""
    examples, votes, edges = hedge(margins.shape[1], lambda t: rate), np.zeros(len(margins)), np.zeros(rounds)
    weights = next(examples)
    for t in range(rounds):
        best = int(np.argmax(margins @ weights))
        edges[t] = margins[best] @ weights
        votes[best] += 1 / rounds
        weights = examples.send(-margins[best])
    return votes, edges


def adaboost(margins: Array, rounds: int) -> tuple[Array, float]:
    """AdaBoost, where no hypothesis is always right: votes of sum 1, and a bound on the share of wrong examples."""
    weights, votes, bound = np.full(margins.shape[1], 1 / margins.shape[1]), np.zeros(len(margins)), 1.0
    for _ in range(rounds):
        best = int(np.argmax(margins @ weights))
        edge = float(margins[best] @ weights)
        vote = np.log((1 + edge) / (1 - edge)) / 2
        votes[best] += vote
        weights = weights * np.exp(-vote * margins[best])
        weights, bound = weights / weights.sum(), bound * np.sqrt(1 - edge**2)
    return votes / votes.sum(), bound
