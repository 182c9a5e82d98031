"""Small whole numbers for hyperplanes: the names of halfspaces are read by people."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from math import lcm

import numpy as np

from .finite_class import Array

NORMALS, DIRECTIONS = 20_000, 3200  # that are tried, of directions with all offsets
SIDE = 24  # the largest weight that is tried
MOST = 1 << 24  # numbers that are made to try them
LARGEST = 1 << 40  # of coordinates, so that products are exact


def plainer(table: Array, normals: Array, vectors: Array, *, homogeneous: bool) -> Array:
    """For each way to part the vectors a normal of small whole numbers if one was found, else the one that is given.

    Of all that are tried, it is one with the smallest weights, by the sum of their sizes.

    Parameters
    ----------
    table : ndarray of bool, shape (ways, vectors)
    normals : ndarray of int64 or object, shape (ways, coordinates)
    vectors : ndarray of object, shape (vectors, coordinates)
        Whole numbers; the last one is above 0 unless hyperplanes are homogeneous.
    homogeneous : bool
        Whether all of a normal are weights; else the last of its numbers is what the others are compared with.
    """
    found, missing = normals.astype(object), dict(zip(_keys(table), range(len(table)), strict=True))
    for keys, tried in _homogeneous(vectors) if homogeneous else _affine(vectors):
        for key, normal in zip(keys, tried, strict=True):
            place = missing.pop(key, None)
            if place is not None:
                found[place] = normal
        if not missing:
            break
    return found


Tried = Iterator[tuple[list[bytes], Array]]


def _homogeneous(vectors: Array) -> Tried:
    weights = _weights(vectors, NORMALS)
    if len(weights):
        said = weights @ vectors.astype(np.int64).T
        clear = (said != 0).all(axis=1)
        yield _keys(said[clear] > 0), weights[clear]


def _affine(vectors: Array) -> Tried:
    """Of each direction all ways to part the points by what it says of them, half way between two of its values."""
    scale = lcm(*vectors[:, -1].tolist())
    points = vectors[:, :-1] * (scale // vectors[:, -1:])
    for weights in _weights(points, DIRECTIONS) if scale < LARGEST else ():
        values = points.astype(np.int64) @ weights
        levels = np.unique(values)
        twice = levels[1:] + levels[:-1] if len(levels) > 1 else 2 * levels[:1] + np.array([-1, 1])
        normals = np.column_stack([np.broadcast_to(2 * scale * weights, (len(twice), len(weights))), -twice])
        yield _keys(2 * values > twice[:, None]), normals // np.gcd.reduce(normals, axis=1)[:, None]


def _weights(points: Array, most: int) -> Array:
    """Small whole numbers in all combinations, the smallest ones first; none if they cannot be tried."""
    count, dimension = points.shape
    side = min(SIDE, (int(most ** (1 / dimension)) - 1) // 2)
    if side < 1 or count * (2 * side + 1) ** dimension > MOST or abs(points).max() > LARGEST:
        return np.empty((0, dimension), dtype=np.int64)
    tried = np.array(list(product(range(-side, side + 1), repeat=dimension)), dtype=np.int64)
    return tried[np.argsort(np.abs(tried).sum(axis=1), kind="stable")]


def _keys(table: Array) -> list[bytes]:
    return [row.tobytes() for row in np.packbits(table, axis=1)]
