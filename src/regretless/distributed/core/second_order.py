"""What second-order learners of several shards add up to: their sums of y x, and their matrices.

Of a full matrix A = a I + sum of x x' the weights are A^-1 u with u = sum of y x, all sums over the updates. So A - a I
and u of the shards add up, and the weights that follow are those of one learner with the updates of all shards. Where a
diagonal goes with weights of its own, A w adds up in the place of u: a weight is then a mean over the shards, in
proportion to the entry of A of each; an entry that starts by the largest value of its feature starts by the largest of
all shards. Sums run in one order and without BLAS, so that every engine gives the same bits.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import log

import numpy as np

from ...data.batch import Array
from ...linear.second_order_learner import SIZE, SQUARE, SUM, VOLUME, WEIGHT, SecondOrderState

Matrices = dict[str, Array]


def matrices_of(state: SecondOrderState) -> Matrices:
    """What a shard has learned, in a form that adds up.

    Returns
    -------
    dict of str to ndarray, shape (rows, targets)
        With a full matrix ``sums`` (u, the constant feature's first) and ``triangle``, A - a I up to its diagonal, row
        after row; with a diagonal ``sums``, ``squares`` (A - a I) and, where there are weights, ``products`` (A w) and,
        where A starts by the sizes of features, ``sizes``, of which the larger count.
    """
    if state.full:
        triangles = [_triangle(state, target) for target in range(state.targets)]
        return {"sums": state.sums.T.copy(), "triangle": np.stack(triangles, axis=1)}
    parts = {"sums": _with_constant(state, SUM, -1), "squares": _with_constant(state, SQUARE, 1)}
    if state.options()["weighted"]:
        parts["products"] = _with_constant(state, WEIGHT, 0) * state.entries()
    if state.sized:
        parts["sizes"] = _with_constant(state, SIZE, 3)
    return parts


def add_matrices(left: Matrices, right: Matrices) -> Matrices:
    """Those of neighbours in one; columns that one of them lacks have taught it nothing."""
    result = {}
    for name, one in left.items():
        longer, shorter = (one, right[name]) if len(one) >= len(right[name]) else (right[name], one)
        result[name] = longer.copy()
        with np.errstate(over="ignore", invalid="ignore"):  # the mixer looks whether they are finite
            join = np.maximum if name == "sizes" else np.add
            join(result[name][: len(shorter)], shorter, out=result[name][: len(shorter)])
    return result


def place_matrices(state: SecondOrderState, matrices: Mapping[str, Array]) -> None:
    """Let a state that has learned nothing be the one that has learned all of it; it has as many columns."""
    if state.full:
        for target in range(state.targets):
            _place_triangle(state, target, matrices["sums"][:, target], matrices["triangle"][:, target])
        return
    sums, squares = matrices["sums"], matrices["squares"]
    _put(state, SUM, -1, sums)
    _put(state, SQUARE, 1, squares)
    if "sizes" in matrices:
        _put(state, SIZE, 3, matrices["sizes"])
    if "products" in matrices:
        _put(state, WEIGHT, 0, matrices["products"] / state.entries())


# ---- a diagonal: one row of numbers a feature, those of the constant feature in `memory`


def _with_constant(state: SecondOrderState, constant: int, place: int) -> Array:
    return np.concatenate([state.memory[None, :, constant], _columns(state, place)])


def _put(state: SecondOrderState, constant: int, place: int, values: Array) -> None:
    state.memory[:, constant] = values[0]
    _columns(state, place)[:] = values[1:]


def _columns(state: SecondOrderState, place: int) -> Array:
    """One of the numbers of each record, shape (columns, targets); the sums are the first or, after weights, the
    third."""
    if place < 0:
        place = 2 if state.options()["weighted"] else 0
    return state.records[: state.columns, place * state.targets : (place + 1) * state.targets]


# ---- a full matrix: A^-1 = L'D L with ones on the diagonal of L, so that A = M D^-1 M' with M = L^-1


def _triangle(state: SecondOrderState, target: int) -> Array:
    """A - a I up to its diagonal, row after row."""
    size = 1 + state.columns
    lower = np.eye(size)
    lower[np.tril_indices(size, -1)] = state.factor[target]
    inverse, matrix = _inverse(lower), np.zeros((size, size))
    with np.errstate(over="ignore", invalid="ignore"):  # the caller looks whether they are finite
        for k, scale in enumerate(state.scales[target]):
            column = inverse[k:, k]
            matrix[k:, k:] += column[:, None] * (column / scale)
    matrix[np.diag_indices(size)] -= state.prior
    return np.asarray(matrix[np.tril_indices(size)])


def _place_triangle(state: SecondOrderState, target: int, sums: Array, triangle: Array) -> None:
    size = len(sums)
    matrix = np.zeros((size, size))
    matrix[np.tril_indices(size)] = triangle
    matrix[np.diag_indices(size)] += state.prior
    pivots = np.empty(size)
    for k in range(size):
        # No pivot is below the smallest eigenvalue of A, which is a at least: what is less is so by rounding.
        pivots[k] = max(matrix[k, k], state.prior)
        column = matrix[k + 1 :, k] / pivots[k]
        matrix[k + 1 :, k + 1 :] -= column[:, None] * matrix[k + 1 :, k]
        matrix[k + 1 :, k] = column
    lower = np.tril(matrix, -1)
    lower[np.diag_indices(size)] = 1
    lower = _inverse(lower)
    scaled = (lower * sums).sum(axis=1) / pivots
    state.sums[target] = sums
    state.weights[target] = (lower * scaled[:, None]).sum(axis=0)
    state.scales[target] = 1 / pivots
    state.factor[target] = lower[np.tril_indices(size, -1)]
    state.memory[target, VOLUME] = sum(log(pivot / state.prior) for pivot in pivots)


def _inverse(lower: Array) -> Array:
    """The inverse of a lower triangle with ones on its diagonal."""
    inverse = np.eye(len(lower))
    for k in range(len(lower)):
        inverse[k + 1 :, : k + 1] -= lower[k + 1 :, k, None] * inverse[k, : k + 1]
    return inverse
