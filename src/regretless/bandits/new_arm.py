"""An arm that comes while a bandit runs: as if it had been asleep until now.

Exponential weights compare what they mix with every arm over the rounds in which it was awake. Let F(n, eta) = -ln(the
mean over n arms of exp(-eta L)) / eta; it falls in eta. A new arm whose estimate is F(K, eta), at the rate eta of the
last draw, has the mean of the weights, so that F(K + 1, eta) = F(K, eta), and it is as if it had been charged what the
mix was charged in all the rounds before. What the mix is charged later adds up to at most F(K + 1) at the end less that
estimate: to no more than the new arm is charged from now on and ln(K + 1) over the last rate, as with sleepers. Rates
must never grow, so those that fall remain the ones for as many arms as there were at the first draw.

The shares of EXP3.S, which are dealt out to more arms now, give no sequence less than they would if all arms had been
there from the start: 1 / K (K / (K + 1)) = 1 / (K + 1) is what an arm has to begin with, and a switch to the new one
costs 1 / (K + 1) at this moment.
"""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np

from .state import (
    ASLEEP,
    CLOSED_EXTRA,
    EPOCH_BEGIN,
    ESTIMATES,
    EXTRA,
    LENT,
    LOSS,
    MISSED,
    RESTRICTED,
    ROUNDS,
    WEIGHTS,
    BanditState,
)

Array = np.ndarray[Any, Any]
STEPS = 200  # halvings: more than a float has bits


def mean_of_weights(estimates: Array, rate: float) -> float:
    """The estimate with the mean of the weights exp(-rate L); a negative rate is one of gains."""
    nearest = estimates.min() if rate > 0 else estimates.max()
    return float(nearest - np.log(np.mean(np.exp(-rate * (estimates - nearest)))) / rate)


def mean_of_inverse_squares(estimates: Array, rate: float) -> float:
    """The estimate with which Tsallis-INF draws a new arm with probability 1 / (K + 1), at that rate."""
    least, many = estimates.min(), len(estimates) + 1
    near, far = 2 / rate * sqrt(many / (many - 1)), 2 / rate * sqrt(many)
    for _ in range(STEPS):
        between = (near + far) / 2
        others = float(np.sum(4 / (rate * (estimates - least + between)) ** 2))
        near, far = (between, far) if others > 1 - 1 / many else (near, between)
    return float(least - far + 2 / rate * sqrt(many))


def with_new_arm(state: BanditState, estimate: float, *, advised: bool) -> BanditState:
    """The same state with one arm more, last of all, which was asleep in the rounds before.

    Parameters
    ----------
    state : BanditState
    estimate : float
        What the new arm begins with, where each arm has an estimate.
    advised : bool
        Whether experts are compared, who gave nothing to the arm before.
    """
    arms = state.arms + 1
    compared = state.comparators if advised else arms
    grown = BanditState(arms, compared, state.rules, state.scale, state.seed, state.run, state.first)
    arrays = {name: array.copy() for name, array in state.arrays().items()}
    slept = np.zeros(len(state.tallies))
    if not advised:
        slept[MISSED], slept[ASLEEP] = state.book[LOSS], state.book[ROUNDS]
        arrays["state"] = _with_column(state, estimate)
        arrays["book"][RESTRICTED] = state.rounds
    arrays["tallies"] = np.column_stack([state.tallies, slept])
    # What is added up as draws times arms was not among so many.
    draws = state.rounds - arrays["memory"][EPOCH_BEGIN] + 1
    arrays["memory"][EXTRA] -= draws
    arrays["memory"][CLOSED_EXTRA] -= state.rounds - draws
    grown.adopt(arrays)
    return grown


def _with_column(state: BanditState, estimate: float) -> Array:
    """The state with a column for the new arm."""
    column = np.zeros(len(state.state))
    column[ESTIMATES] = estimate
    facts, rows = state.rules.facts, state.state.copy()
    if facts.lends:
        column[LENT] = estimate
    if facts.weighs:
        rows[WEIGHTS] *= state.arms / (state.arms + 1)
        column[WEIGHTS] = 1 / (state.arms + 1)
    return np.column_stack([rows, column])
