"""Whether some rounds are the ones that a learner played: they are played again and must give the same bits.

Sums and counts that agree would not do: other labels, or other rows of the same lengths, have the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from ..data.batch import Array, Batch
from ..errors import RegretlessError
from ..ledger import FIELDS
from .state import BaseState

if TYPE_CHECKING:
    from .base import OnlineClassifier

Rounds = Callable[[], Iterator[tuple[Batch, Array]]]
Orders = Callable[[int], Array | None]
ROUNDS = FIELDS.index("rounds")
OTHERS = "played again from the start, the rounds of {name} do not give this model: it learned from others"


def gives(learner: OnlineClassifier, rounds: Rounds) -> bool:
    """Whether the rounds, played from the start as often as their number says, give the same weights and books.

    Parameters
    ----------
    learner : OnlineClassifier
        Fitted, with its classes announced or met on the way, in the order of the rows or shuffled.
    rounds : callable
        Reads the rounds again: batches with the numbers that the kernel plays.
    """
    seed = getattr(learner, "seed_", learner.random_state)
    if learner.shuffle and isinstance(seed, (int, np.integer)):
        random = np.random.default_rng(seed)
        if _announced(learner, rounds, random.permutation):
            return True
    return _announced(learner, rounds, lambda rows: None) or _met(learner, rounds)


def _announced(learner: OnlineClassifier, rounds: Rounds, order: Orders) -> bool:
    ours = learner.state_
    twin = ours.blank(ours.columns, ours.targets)
    player = twin.player(learner.played_rules())

    def play(batch: Batch, codes: Array) -> bool:
        return player.play(batch.values, batch.indices, batch.starts, codes, None, order(len(batch)))[1] is None

    return _played(ours, rounds, play) and ours.same(twin)


def _met(learner: OnlineClassifier, rounds: Rounds) -> bool:
    twin = type(learner)(**learner.get_params())

    def play(batch: Batch, codes: Array) -> bool:
        labels = decode(codes, learner.classes_)
        try:
            twin.observe(Batch(batch.values, labels, batch.columns, batch.indices, batch.starts))
        except RegretlessError:
            return False
        return True

    return _played(learner.state_, rounds, play) and learner.state_.same(twin.state_)


def _played(ours: BaseState, rounds: Rounds, play: Callable[[Batch, Array], bool]) -> bool:
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


def decode(codes: Array, classes: Array) -> Array:
    """The labels that the kernel plays so."""
    if len(classes) > 2:
        return np.asarray(classes[codes])
    return np.asarray(classes[np.minimum((codes + 1) // 2, len(classes) - 1)])
