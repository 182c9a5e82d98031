"""A thousand million rounds of every geometry: what is kept from round to round is still what it is said to be.

Some minutes each, so that only `make soak` runs them. REGRETLESS_SOAK_ROUNDS asks for another number of rounds.
"""

from __future__ import annotations

import os
from math import fsum, sqrt
from typing import Any

import numpy as np
import pytest

from regretless.catalogue import LEARNERS as CATALOGUE
from regretless.catalogue import learner_class
from regretless.distributed.state_weights import weights_of
from regretless.ledger import FIELDS
from regretless.linear.mirror_steps import MirrorState
from regretless.linear.state import NORM2, SCALE, State

pytestmark = pytest.mark.soak

ROUNDS = int(float(os.environ.get("REGRETLESS_SOAK_ROUNDS", "1e9")))
STRETCH = 10**7  # rounds of one call
ROWS = 1000

SETTINGS: dict[str, dict[str, Any]] = {
    "margin-perceptron": {"gamma": 0.5},
    "online-gradient-descent": {"radius": 2.0, "schedule": "constant", "rate": 0.25},
    "winnow": {"rate": 0.125},
    "p-norm-perceptron": {"p": 3},
    "second-order-perceptron": {"matrix": "diagonal"},
    "arow": {"matrix": "diagonal"},
}
OTHERWISE: dict[str, dict[str, Any]] = {
    "online-gradient-descent, scale-free": {"loss": "logistic"},
    "winnow, balanced": {"rate": 0.125, "balanced": True},
    "second-order-perceptron, full": {"matrix": "full"},
}
# All but those that keep rows, of which there would be more and more.
LEARNERS = {
    name: SETTINGS.get(name, {})
    for name, entry in CATALOGUE.items()
    if entry.info.predicts_by not in ("support", "vote")
} | OTHERWISE


def problem() -> tuple[np.ndarray, np.ndarray]:
    """Rows that no plane separates, so that there are updates for ever."""
    random = np.random.default_rng(0)
    X = random.integers(-3, 4, size=(ROWS, 4)).astype(float)
    return X, np.where(random.random(ROWS) < 0.2, -1, 1) * np.where(X @ [1.0, -2.0, 0.5, 1.0] > 0, 1, -1)


def check_weights(state: State, rules: Any) -> None:
    """The running squared length is that of the weights, which are in their ball; the scale is a sane one."""
    norm2 = fsum(float(w) ** 2 for w in weights_of(state)[:, 0])
    assert state.memory[0, NORM2] == pytest.approx(norm2, rel=1e-9)
    assert 1e-6 <= state.memory[0, SCALE] <= 1
    if rules.geometry == "ball":
        assert sqrt(norm2) <= rules.radius * (1 + 1e-9)


def check_masses(state: MirrorState, rules: Any) -> None:
    """Weights that are cached, and their normaliser, are those that follow from the dual coordinates."""
    before = np.array(state.coefficients())
    state.make_player(rules).refresh()
    assert np.allclose(state.coefficients(), before, rtol=1e-9, atol=0)


def check_average(state: State, X: np.ndarray, y: np.ndarray, play: Any) -> None:
    """What a thousand rounds add to the sum of all weights is the sum of the weights before them."""
    rounds, start = float(state.books[0, FIELDS.index("rounds")]), state.average()[0][:, 0]
    weights, messages = np.array(weights_of(state)[1:, 0]), []
    for x, label in zip(X, y, strict=True):
        messages.append(weights.copy())
        if label * (weights @ x) <= 0:  # whole numbers: nothing is rounded
            weights += label * x
    play(np.arange(ROWS))
    added = state.average()[0][:, 0] * (rounds + ROWS) - start * rounds
    assert np.array_equal(weights_of(state)[1:, 0], weights)
    assert np.allclose(added, np.sum(messages, axis=0), rtol=0, atol=1e-14 * rounds * max(1.0, np.abs(start).max()))


@pytest.mark.parametrize("what", LEARNERS)
def test_nothing_drifts_in_a_thousand_million_rounds(what):
    """After so many rounds the books are those of as many, and lengths, masses and averages those of the weights."""
    X, y = problem()
    learner = learner_class(what.split(",")[0])(**LEARNERS[what])
    learner.partial_fit(X, y)
    state, rules = learner.state_, learner.checked()
    player, signs = state.make_player(rules), y.astype(np.int32)

    def play(order: np.ndarray) -> None:
        assert player.play(X, None, None, signs, None, order) == (len(order), None)

    order, played = np.tile(np.arange(ROWS), STRETCH // ROWS), ROWS
    while played < ROUNDS:
        play(order[: ROUNDS - played])
        played += min(len(order), ROUNDS - played)
    tensors = state.tensors()
    assert all(np.isfinite(array).all() for array in tensors.values())
    book = dict(zip(FIELDS, state.books[0].tolist(), strict=True))
    lengths = np.square(X).sum(axis=1) + rules.intercept**2
    assert book["rounds"] == played
    assert 0 < book["updates"] <= played
    assert book["total_norm2"] == fsum(lengths) * (played // ROWS) + fsum(lengths[: played % ROWS])
    if isinstance(state, State):
        check_weights(state, rules)
        if state.lag is not None:
            check_average(state, X, y, play)
    elif isinstance(state, MirrorState):
        check_masses(state, rules)
