"""Contextual bandits of ten arms, on rows of fifty features: tables in one call, and single decisions."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from benchmarks.table.inputs import Array
from benchmarks.table.row import Contest, Job, Row
from regretless.catalogue import CONTEXTUAL_BANDITS, class_of

DECISION = "us a round"
ROUNDS, CALLS, FEW, FEATURES, ARMS = 5000, 1000, 200, 50, 10


def rows() -> Iterator[Row]:
    """Every learner with its defaults, on a table and by `act` and `learn`."""
    for name in CONTEXTUAL_BANDITS:
        yield Row(f"{name}, play, 10 arms, 50 features", DECISION, partial(_table, name))
        yield Row(f"{name}, act and learn", DECISION, partial(_single, name))


def _trial() -> tuple[Array, Array]:
    random = np.random.default_rng(0)
    X = random.normal(size=(ROUNDS, FEATURES))
    losses = 0.5 + 0.05 * X @ random.normal(size=(FEATURES, ARMS)) + 0.1 * random.normal(size=(ROUNDS, ARMS))
    return X, np.clip(losses, 0, 1)


def _table(name: str) -> Contest:
    X, losses = _trial()
    beside = {"loop in numpy": Job(lambda: numpy_greedy(X[:FEW], losses[:FEW]), FEW)}
    return Contest(Job(lambda: class_of("contextual", name)(ARMS, seed=0).play(X, losses), ROUNDS), beside)


def _single(name: str) -> Contest:
    X, losses = _trial()

    def decide() -> None:
        bandit = class_of("contextual", name)(ARMS, seed=0)
        for x, lost in zip(X[:CALLS], losses, strict=False):
            ticket = bandit.act(x)
            bandit.learn(ticket, lost[ticket.action])

    return Contest(Job(decide, CALLS), {"loop in numpy": Job(lambda: numpy_greedy(X[:FEW], losses[:FEW]), FEW)})


def numpy_greedy(X: Array, losses: Array) -> None:
    """Epsilon-greedy on a ridge regression an arm, as one writes it with numpy; features may not grow."""
    random, inverse = np.random.default_rng(0), np.stack([100 * np.eye(X.shape[1])] * losses.shape[1])
    sums = np.zeros((losses.shape[1], X.shape[1]))
    for x, lost in zip(X, losses, strict=True):
        gains = inverse @ x
        forecasts = (gains * sums).sum(axis=1) / (1 + gains @ x)
        arm = int(random.integers(len(lost)) if random.random() < 0.05 else forecasts.argmin())
        inverse[arm] -= np.outer(gains[arm], gains[arm]) / (1 + gains[arm] @ x)
        sums[arm] += (lost[arm] - 0.5) * x
