"""Whether some rounds are the ones that a learner played: they are played again and must give the same bits.

Sums and counts that agree would not do: other labels, or other rows of the same lengths, have the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..data.batch import Array, Batch
from ..errors import RegretlessError
from ..ledger import FIELDS
from ..rows.state import BaseState
from .labels import decode

Rounds = Callable[[], Iterator[tuple[Batch, Array]]]
Orders = Callable[[int], Array | None]
ROUNDS = FIELDS.index("rounds")


def reproduces(learner: Any, rounds: Rounds, weights: Array | None = None) -> bool:
    """Whether the rounds, played from the start as often as their number says, give the same weights and books.

    Parameters
    ----------
    learner : OnlineClassifier
        Fitted, with its classes announced or met on the way, in the order of the rows or shuffled.
    rounds : callable
        Reads the rounds again: batches with the numbers that the kernel plays.
    weights : ndarray, shape (rows,), optional
        What the rounds weigh, by themselves and by their classes; then all are one batch. By default 1.
    """
    seed = getattr(learner, "seed_", learner.random_state)
    if learner.shuffle and isinstance(seed, (int, np.integer)):
        random = np.random.default_rng(seed)
        if _replays_announced(learner, rounds, random.permutation, weights):
            return True
    in_order = _replays_announced(learner, rounds, lambda rows: None, weights)
    return in_order or _replays_stream(learner, rounds, weights)


def _replays_announced(learner: Any, rounds: Rounds, order: Orders, weights: Array | None) -> bool:
    ours = learner.state_
    twin = ours.blank(ours.columns, ours.targets)
    player = twin.player(learner.played_rules())

    def play(batch: Batch, codes: Array) -> bool:
        return player.play(batch.values, batch.indices, batch.starts, codes, weights, order(len(batch)))[1] is None

    return plays_as_many(ours, rounds, play) and ours.same(twin)


def _replays_stream(learner: Any, rounds: Rounds, weights: Array | None) -> bool:
    twin = type(learner)(**learner.get_params() | ({} if weights is None else {"class_weight": None}))

    def play(batch: Batch, codes: Array) -> bool:
        labels = decode(codes, learner.classes_)
        try:
            twin.observe(Batch(batch.values, labels, batch.columns, batch.indices, batch.starts), weights)
        except RegretlessError:
            return False
        return True

    return plays_as_many(learner.state_, rounds, play) and learner.state_.same(twin.state_)


def plays_as_many(ours: BaseState, rounds: Rounds, play: Callable[[Batch, Array], bool]) -> bool:
    """Play the rounds until there are as many as ours; whether that came out even."""
    done, wanted = 0, int(ours.books[-1, ROUNDS])
    while done < wanted:
        before = done
        for batch, codes in rounds():
            if not play(batch, codes):
                return False
            done += len(batch)
        if done == before or wanted % (done - before):
            return False
    return done == wanted
