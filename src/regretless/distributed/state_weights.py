"""What moves between shards, taken from the state of a learner and put back: weights, their sums, dual coordinates.

All of it has shape (1 + columns, targets), the constant feature's row first.
"""

from __future__ import annotations

import numpy as np

from ..data.batch import Array
from ..linear import mirror_steps as mirror
from ..linear.averaged import AveragedState
from ..linear.mirror_steps import MirrorState
from ..linear.second_order_state import SecondOrderState
from ..linear.state import BIAS, CLOCK, LAG_BIAS, NORM2, SCALE, State
from ..rows.state import BaseState, Rules

STRETCH = 1 << 16  # a multiple of eight; so much stays in the cache


def weights_of(state: BaseState) -> Array:
    """The weights that learn, as they are meant; of learners of mirror steps the dual coordinates."""
    if isinstance(state, MirrorState):
        return np.concatenate([state.memory[None, :, mirror.BIAS], state.theta[: state.columns]])
    if isinstance(state, SecondOrderState):
        return np.concatenate([state.biases()[None], state.coefficients()])
    if not isinstance(state, State):
        raise TypeError(f"{type(state).__name__} has nothing that can be mixed")
    scale = state.memory[:, SCALE]
    weights = np.empty((1 + state.columns, state.targets))
    np.multiply(state.memory[:, BIAS], scale, out=weights[0])
    np.multiply(state.weights[: state.columns], scale, out=weights[1:])
    return weights


def weights_in(state: State, rows: Array) -> Array:
    """Some rows of the weights that learn, which ascend."""
    scale, first = state.memory[:, SCALE], _first(rows)
    weights = np.empty((len(rows), state.targets))
    np.multiply(state.memory[:, BIAS], scale, out=weights[:first])
    np.multiply(state.weights.take(rows[first:] - 1, axis=0), scale, out=weights[first:])
    return weights


def differences(state: State, start: Array) -> Array:
    """Where the weights that learn, or their sums, are no longer what they were.

    Parameters
    ----------
    state : State
    start : ndarray, shape (rows, targets)
        What they were; rows that these lack were zeros.

    Returns
    -------
    ndarray of bool, shape (1 + columns, targets)
    """
    differs, scale = np.empty((1 + state.columns, state.targets), dtype=np.bool_), state.memory[:, SCALE]
    weights = state.weights[: state.columns]
    if (scale != 1).any():
        weights = weights * scale
    np.not_equal(state.memory[:, BIAS] * scale, start[0], out=differs[0])
    np.not_equal(weights[: len(start) - 1], start[1:], out=differs[1 : len(start)])
    np.not_equal(weights[len(start) - 1 :], 0, out=differs[len(start) :])
    if isinstance(state, AveragedState) and state.lag is not None:
        differs[0] |= state.memory[:, LAG_BIAS] != 0
        differs[1:] |= state.lag[: state.columns] != 0
    return differs


def place(state: State, weights: Array, norms2: Array) -> None:
    """Put weights in place of those that learn, with their squared lengths; the state has as many columns.

    Parameters
    ----------
    state : State
    weights : ndarray, shape (1 + columns, targets)
    norms2 : ndarray, shape (targets,)
    """
    state.weights[: state.columns] = weights[1:]
    if state.lag is not None:
        state.lag[:] = 0
    _begin_with(state, weights[0], norms2)


def replace(state: State, start: Array, rows: Array | None, weights: Array) -> None:
    """Put weights in place of those that learn.

    Parameters
    ----------
    state : State
    start : ndarray, shape (rows, targets)
        What `weights_of` gives, before columns were added perhaps.
    rows : ndarray, or None
        Which rows to replace, ascending; None: all of them.
    weights : ndarray, shape (rows, targets)
        What to put there.
    """
    if rows is None:
        biases = weights[0]
        state.weights[: state.columns] = weights[1:]
    else:
        first = _first(rows)
        biases = weights[0] if first else start[0]
        if (state.memory[:, SCALE] != 1).any():
            state.weights[: len(start) - 1] = start[1:]
        state.weights[rows[first:] - 1] = weights[first:]
    _begin_with(state, biases, lengths_of(state.weights[: state.columns], biases))


def _begin_with(state: State, biases: Array, norms2: Array) -> None:
    state.memory[:] = 0
    state.memory[:, SCALE] = 1
    state.memory[:, BIAS] = biases
    state.memory[:, NORM2] = norms2


def lengths_of(weights: Array, biases: Array) -> Array:
    """|w|^2 of each target, the same bits as a kernel that sums it afresh.

    Parameters
    ----------
    weights : ndarray, shape (columns, targets)
    biases : ndarray, shape (targets,)
        Weights of the constant feature.

    Returns
    -------
    ndarray, shape (targets,)
    """
    rows, targets = weights.shape
    lane = np.zeros((8, targets))
    room = np.empty((1 + -(-min(rows, STRETCH) // 8), 8, targets))
    with np.errstate(over="ignore", invalid="ignore"):
        for begin in range(0, rows, STRETCH):
            part = weights[begin : begin + STRETCH]
            squares = room[: 1 + -(-len(part) // 8)]
            squares[-1] = 0  # the last eight may be fewer
            squares[0] = lane  # numpy adds along the first axis one after the other
            np.multiply(part, part, out=squares.reshape(-1, targets)[8 : 8 + len(part)])
            lane = squares.sum(axis=0)
        tree = ((lane[0] + lane[4]) + (lane[2] + lane[6])) + ((lane[1] + lane[5]) + (lane[3] + lane[7]))
        return np.asarray(tree + biases * biases)


# ---- sums of weights, of learners that predict by their mean


def sums_beyond(state: AveragedState, start: Array, rows: Array | None = None) -> Array:
    """The sums over all rounds of the weights that are averaged, less a start.

    Parameters
    ----------
    state : AveragedState
    start : ndarray, shape (rows, targets)
        Those that were put in place before the first round; rows that are lacking are zeros.
    rows : ndarray, optional
        Of which rows, ascending; all by default.
    """
    if rows is None:
        beyond, first = weights_of(state), 1
        beyond[: len(start)] -= start
    else:
        beyond, first = weights_in(state, rows), _first(rows)
        known = int(np.searchsorted(rows, len(start)))
        beyond[:known] -= start.take(rows[:known], axis=0)
    beyond *= state.memory[:, CLOCK] + state.ahead
    beyond[:first] -= state.memory[:, LAG_BIAS]
    if state.lag is not None:
        beyond[first:] -= state.lag[: state.columns] if rows is None else state.lag.take(rows[first:] - 1, axis=0)
    return beyond


def add_sums(
    state: AveragedState, start: Array, rows: Array | None, weights: Array, beyond: Array, rounds: float
) -> None:
    """Put weights in place, as `replace` does, after so many more rounds.

    Parameters
    ----------
    state, start, rows, weights
        As of `replace`.
    beyond : ndarray, shaped as the weights
        By how much the weights of these rounds differed from the start, summed; zero in all other rows.
    rounds : float
    """
    assert state.lag is not None
    if (state.memory[:, CLOCK] + state.ahead).any():
        _place_sums(state, sums_beyond(state, np.zeros((0, state.targets))))
    lag, biases = state.lag, state.memory[:, LAG_BIAS].copy()
    replace(state, start, rows, weights)
    first = 1 if rows is None else _first(rows)
    with np.errstate(over="ignore", invalid="ignore"):  # the mixer looks whether they are finite
        lag[slice(state.columns) if rows is None else rows[first:] - 1] -= beyond[first:]
        if first:
            biases -= beyond[0]
        for begin in range(0, len(start) - 1, STRETCH):
            part = start[1 + begin : 1 + begin + STRETCH]
            lag[begin : begin + len(part)] -= rounds * part
        state.memory[:, LAG_BIAS] = biases - rounds * start[0]
    state.memory[:, CLOCK] = -state.ahead
    state.forget_mean()


def _place_sums(state: AveragedState, sums: Array) -> None:
    assert state.lag is not None
    np.subtract(0.0, sums[1:], out=state.lag[: state.columns])
    state.memory[:, LAG_BIAS] = 0 - sums[0]
    state.memory[:, CLOCK] = -state.ahead
    state.forget_mean()


def sum_arrays(state: AveragedState) -> tuple[Array, Array]:
    """The arrays of the sums: finite if they are."""
    assert state.lag is not None
    return state.lag[: state.columns], state.memory[:, LAG_BIAS]


# ---- dual coordinates


def place_duals(state: MirrorState, duals: Array, rules: Rules, columns_seen: Array, reach: Array) -> None:
    """Put these dual coordinates in place of its own; it has as many columns.

    Parameters
    ----------
    state : MirrorState
    duals : ndarray, shape (1 + columns, targets)
        As `weights_of` gives them.
    rules : Rules
        By which the weights follow from them.
    columns_seen : ndarray, shape (targets,)
        Up to which feature rounds have shown any.
    reach : ndarray, shape (targets,)
        The largest norm of an update's row.
    """
    for target in range(state.targets):
        state.pairs[:, [target, state.targets + target]] = 0
        state.begin(target)
    state.memory[:, mirror.MET], state.memory[:, mirror.REACH] = columns_seen, reach
    state.theta[: state.columns] = duals[1:]
    state.memory[:, mirror.BIAS] = duals[0]
    state.memory[:, mirror.TOUCHED] = np.count_nonzero(duals, axis=0)
    state.player(rules).refresh()


def columns_seen_of(state: BaseState) -> Array | None:
    """Up to which feature rounds have shown any, shape (targets,); None of learners without mirror steps."""
    return state.memory[:, mirror.MET].copy() if isinstance(state, MirrorState) else None


def reach_of(state: BaseState) -> Array | None:
    """The largest norm of an update's row, shape (targets,); None of learners without mirror steps."""
    return state.memory[:, mirror.REACH].copy() if isinstance(state, MirrorState) else None


def _first(rows: Array) -> int:
    """How many of the rows, which ascend, are the constant feature's."""
    return int(len(rows) > 0 and rows[0] == 0)
