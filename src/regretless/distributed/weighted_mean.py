"""How the weights of shards become one: weighted means, and of second-order learners sums of matrices.

A mean is of whole weights or of the touched rows alone, with the same bits in both forms.

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

from ..data.batch import Array
from ..linear.second_order_state import SIZE, SQUARE, SUM, VOLUME, WEIGHT, SecondOrderState
from ..rows.factor import put_upper, upper_of
from .messages import MeanPart

CROWDED = 32  # of how many rows one must be held, for a table of all to be quicker than a search


def pack(start: Array, weights: Array, sums: Array | None, weight: float, rounds: float) -> MeanPart:
    """The part that one shard returns, in the shorter form.

    Parameters
    ----------
    start : ndarray, shape (rows, targets)
        What the shard began with; rows that it lacks were zeros.
    weights, sums : ndarray, shape (size, targets)
        What it ended with; it has as many rows as the start, or more.
    """
    size = len(weights)
    moved = weights[: len(start)] != start
    moved = np.concatenate([moved, weights[len(start) :] != 0]) if size > len(start) else moved
    if sums is not None:
        moved |= sums != 0
    rows = rows_to_send(moved, sums is not None)
    if rows is None:
        return MeanPart(size, None, weights, sums, weight, rounds)
    return MeanPart(size, rows, weights[rows], None if sums is None else sums[rows], weight, rounds)


def rows_to_send(moved: Array, summed: bool) -> Array | None:
    """The rows that have moved, or None if naming them takes more room than giving all of them.

    Parameters
    ----------
    moved : ndarray of bool, shape (size, targets)
    summed : bool
        Whether there are sums.
    """
    rows = np.flatnonzero(moved[:, 0] if moved.shape[1] == 1 else moved.any(axis=1))
    return None if _too_many(len(rows), len(moved), moved.shape[1], summed) else rows


def merge_parts(start: Array, left: MeanPart, right: MeanPart) -> MeanPart:
    """The mean over the shards of both.

    Row by row it is a + (b - a) * (weight of b / weight of both): where both are the same nothing is rounded, so that a
    row that no shard has touched keeps its bits. A part of weight 0 gives way to the other as it is. Matrices and what
    goes with them add up, whatever the weights.

    Parameters
    ----------
    start : ndarray, shape (rows, targets)
        What all shards began with.
    left, right : MeanPart
        Of shards that are neighbours.

    Returns
    -------
    MeanPart
        Sparse only if both are.
    """
    size = max(left.size, right.size)
    if left.matrices is not None and right.matrices is not None:
        matrices, weight = add_matrices(left.matrices, right.matrices), left.weight + right.weight
        return MeanPart(size, None, left.weights, None, weight, left.rounds + right.rounds, matrices=matrices)
    rows = _union(left.rows, right.rows, size)
    if rows is not None and _too_many(len(rows), size, start.shape[1], left.sums is not None):
        rows = None
    places = [_places(part, rows, size) for part in (left, right)]
    weight = left.weight + right.weight
    if weight == 0:
        weights = _from_start(start, rows, size)
    elif 0 in (left.weight, right.weight):
        weights = _weights_in(start, *((left, places[0]) if left.weight else (right, places[1])), rows, size)
    else:
        first, second = (_weights_in(start, *each, rows, size) for each in zip((left, right), places, strict=True))
        with np.errstate(over="ignore", invalid="ignore"):  # the caller looks whether it is finite
            weights = second - first
            weights *= right.weight / weight
            weights += first
    sums = None
    if left.sums is not None and right.sums is not None:
        sums = _sums(left, places[0], rows, size, fresh=True)
        sums += _sums(right, places[1], rows, size)
    return MeanPart(size, rows, weights, sums, weight, left.rounds + right.rounds)


def unpack(start: Array, part: MeanPart) -> tuple[Array, Array | None]:
    """The whole weights and the whole sums, shape (size, targets) each.

    Parameters
    ----------
    start : ndarray, shape (rows, targets)
        What all shards began with.
    part : MeanPart
        Of all of them.
    """
    places = _places(part, None, part.size)
    weights = _weights_in(start, part, places, None, part.size)
    return weights, None if part.sums is None else _sums(part, places, None, part.size)


def _too_many(rows: int, size: int, targets: int, summed: bool) -> bool:
    """Whether naming so many rows takes more room than giving all of them."""
    width = 2 * targets if summed else targets
    return rows * (1 + width) >= size * width


def _union(left: Array | None, right: Array | None, size: int) -> Array | None:
    if left is None or right is None:
        return None
    held = np.zeros(size, dtype=np.bool_)
    held[left] = True
    held[right] = True
    return np.flatnonzero(held)


def _from_start(start: Array, rows: Array | None, size: int) -> Array:
    """The start's weights in these rows; new ones are zeros."""
    weights = np.zeros((size if rows is None else len(rows), start.shape[1]))
    if rows is None:
        weights[: len(start)] = start
    else:
        known = int(np.searchsorted(rows, len(start)))
        weights[:known] = start[rows[:known]]
    return weights


def _weights_in(start: Array, part: MeanPart, places: Array | slice | None, rows: Array | None, size: int) -> Array:
    """The part's weights in these rows."""
    if places is None:
        return part.weights
    weights = _from_start(start, rows, size)
    weights[places] = part.weights
    return weights


def _sums(part: MeanPart, places: Array | slice | None, rows: Array | None, size: int, *, fresh: bool = False) -> Array:
    """The part's sums in these rows; an array of their own if they are to be changed."""
    assert part.sums is not None
    if places is None:
        return part.sums.copy() if fresh else part.sums
    sums = np.zeros((size if rows is None else len(rows), part.sums.shape[1]))
    sums[places] = part.sums
    return sums


def _places(part: MeanPart, rows: Array | None, size: int) -> Array | slice | None:
    """Where the part's rows stand among these, which hold them; None if it has just these."""
    if part.rows is None:
        return None if rows is None and part.size == size else slice(0, part.size)
    if rows is None:
        return part.rows
    if len(rows) == len(part.rows):
        return None
    if CROWDED * len(part.rows) < size:
        return np.searchsorted(rows, part.rows)
    place = np.empty(size, dtype=np.intp)
    place[rows] = np.arange(len(rows))
    return place[part.rows]


Matrices = dict[str, Array]


# ---- sums and matrices of second-order learners


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
    """The sums of the matrices of neighbours; columns that one of them lacks have taught it nothing."""
    result = {}
    for name, one in left.items():
        longer, shorter = (one, right[name]) if len(one) >= len(right[name]) else (right[name], one)
        result[name] = longer.copy()
        with np.errstate(over="ignore", invalid="ignore"):  # the mixer looks whether they are finite
            join = np.maximum if name == "sizes" else np.add
            join(result[name][: len(shorter)], shorter, out=result[name][: len(shorter)])
    return result


def place_matrices(state: SecondOrderState, matrices: Mapping[str, Array]) -> None:
    """Put matrices into a state that has learned nothing and has as many columns.

    Parameters
    ----------
    state : SecondOrderState
    matrices : mapping of str to ndarray
        As `matrices_of` and `add_matrices` give them.
    """
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
    inverse, matrix = inverse_of_lower(upper_of(state.factor[target], size).T), np.zeros((size, size))
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
    # No pivot is below the smallest eigenvalue of A, which is a at least: what is less is so by rounding.
    lower, pivots = lower_and_pivots(matrix, state.prior)
    lower = inverse_of_lower(lower)
    scaled = (lower * sums).sum(axis=1) / pivots
    state.sums[target] = sums
    state.weights[target] = (lower * scaled[:, None]).sum(axis=0)
    state.scales[target] = 1 / pivots
    put_upper(state.factor[target], lower.T)
    state.memory[target, VOLUME] = sum(log(pivot / state.prior) for pivot in pivots)


def lower_and_pivots(matrix: Array, least: float) -> tuple[Array, Array]:
    """L and D of a symmetric matrix L D L', whose lower triangle is overwritten.

    Parameters
    ----------
    matrix : ndarray, shape (size, size)
    least : float
        Below which no pivot is but by rounding.

    Returns
    -------
    lower : ndarray, shape (size, size)
        With ones on its diagonal.
    pivots : ndarray, shape (size,)
    """
    pivots = np.empty(len(matrix))
    for k in range(len(matrix)):
        pivots[k] = max(matrix[k, k], least)
        column = matrix[k + 1 :, k] / pivots[k]
        matrix[k + 1 :, k + 1 :] -= column[:, None] * matrix[k + 1 :, k]
        matrix[k + 1 :, k] = column
    lower = np.tril(matrix, -1)
    lower[np.diag_indices(len(matrix))] = 1
    return lower, pivots


def inverse_of_lower(lower: Array) -> Array:
    """The inverse of a lower triangle with ones on its diagonal."""
    inverse = np.eye(len(lower))
    for k in range(len(lower)):
        inverse[k + 1 :, : k + 1] -= lower[k + 1 :, k, None] * inverse[k, : k + 1]
    return inverse
