"""Linear dichotomies of points: all strict separations by hyperplanes, in exact arithmetic.

Points are vectors and hyperplanes contain the origin; affine hyperplanes do so in one dimension more, where each point
has a last coordinate of 1. The normals of hyperplanes with the same labels of all vectors form an open cone, a chamber,
which is represented by one of its normals. A new vector v splits the chambers that meet the hyperplane of normals
orthogonal to v. The chambers on that hyperplane are those of the projected vectors, in one dimension less: they are the
split chambers, and from a normal u of one of them N u + v and N u - v, for N large enough, are on the two sides.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product
from math import gcd, lcm
from numbers import Rational
from typing import Any, NamedTuple

import numpy as np

from ..errors import InputError

Array = np.ndarray[Any, Any]

LARGEST = 1 << 25
"""The most entries, dichotomies times points; their number is not known beforehand."""
SAFE = 1 << 62  # products and sums below it are exact in 64 bits
NORMALS, DIRECTIONS = 20_000, 3200  # small normals to try; directions to try with all offsets
SIDE = 24  # the largest weight to try
MOST = 1 << 24  # numbers in the table of small normals
LARGEST_NUMBER = 1 << 40  # of coordinates, so that products are exact


class ClassTable(NamedTuple):
    """A table of labels with names of hypotheses and points: the arguments of a `FiniteClass`."""

    matrix: Array
    hypotheses: Sequence[str] | None = None
    points: Sequence[str] | None = None


def halfspaces(
    points: Any, *, homogeneous: bool = False, names: Sequence[str] | None = None, axes: Sequence[str] | None = None
) -> ClassTable:
    """All labels of the points by hyperplanes that contain none of them: see `FiniteClass.halfspaces`."""
    coordinates = [[_exact(number, place) for number in point] for place, point in enumerate(points)]
    if not coordinates:
        raise InputError("halfspaces of no points", "at least one point is expected")
    dimension = len(coordinates[0])
    for place, point in enumerate(coordinates):
        if len(point) != dimension or not dimension:
            raise InputError(f"point {place} has {len(point)} coordinates", f"{dimension or 1} are expected")
        if homogeneous and not any(point):
            raise InputError(f"point {place} is the origin, which is on every homogeneous hyperplane")
    if axes is not None and len(axes) != dimension:
        raise InputError(f"{len(axes)} names of axes", f"points have {dimension} coordinates")
    vectors = [_whole(point if homogeneous else [*point, Fraction(1)]) for point in coordinates]
    table, normals = dichotomies(vectors)
    order = np.lexsort(table.T[::-1])
    normals = plainer(table, normals, np.array(vectors, dtype=object), homogeneous=homogeneous)
    shown = axes or [f"x{axis}" for axis in range(1, dimension + 1)]
    called = [_inequality(normal, shown, homogeneous) for normal in normals[order].tolist()]
    return ClassTable(table[order], called, names or _coordinates(coordinates))


def dichotomies(vectors: Any) -> tuple[Array, Array]:
    """All labels of some vectors by hyperplanes through the origin.

    Parameters
    ----------
    vectors : array-like of shape (vectors, coordinates)
        Of whole numbers, none of them zero.

    Returns
    -------
    table : ndarray of bool, shape (chambers, vectors)
        Whether the inner product of the chamber's normals and the vector is positive; it is never 0.
    normals : ndarray of int64 or object, shape (chambers, coordinates)
        A normal of each chamber, in whole numbers.
    """
    lines, place, turned = _lines(_narrow(np.array(vectors, dtype=object)))
    table, normals = _chambers(lines)
    return table[:, place] ^ turned, normals


def _chambers(lines: Array) -> tuple[Array, Array]:
    """The chambers of vectors of which no two are parallel."""
    table = np.array([[True], [False]])
    normals = np.stack([lines[0], -lines[0]])
    for count in range(1, len(lines)):
        new, before = lines[count], lines[:count]
        parted, across = _at_right_angles(before, new)
        whole = _not_among(table, parted)
        sides = _beside(across, new, before)
        labels = _product(normals[whole], new) > 0
        table = np.vstack([_with(table[whole], labels), _with(parted, True), _with(parted, False)])
        normals = np.vstack([normals[whole], *sides])
        refuse_many(len(table), len(lines))
    return table, normals


def refuse_many(ways: int, points: int) -> None:
    """Refuse tables with more entries than LARGEST."""
    if ways * points > LARGEST:
        raise InputError(f"halfspaces: more than {LARGEST:,} entries", "fewer points are expected")


def _at_right_angles(lines: Array, normal: Array) -> tuple[Array, Array]:
    """The chambers on the hyperplane of normals orthogonal to a vector that is parallel to none of the others."""
    dimension = len(normal)
    pivot = int(np.flatnonzero(normal)[0])
    basis = np.zeros((dimension, dimension - 1), dtype=normal.dtype)
    others = [axis for axis in range(dimension) if axis != pivot]
    basis[others, range(dimension - 1)] = normal[pivot]
    basis[pivot] = -normal[others]
    table, normals = dichotomies(_product(lines, basis))
    return table, _product(normals, basis.T)


def _beside(across: Array, new: Array, before: Array) -> tuple[Array, Array]:
    """From normals orthogonal to a vector, normals on both of its sides with the same labels of the vectors before."""
    moved, room = abs(_product(before, new)), abs(_product(across, before.T))
    factor = (1 + (moved // room).max(axis=1))[:, None]
    if across.dtype == object or factor.dtype == object or _most(factor) * _most(across) + _most(new) >= SAFE:
        across, factor = across.astype(object), factor.astype(object)
    return _reduced(factor * across + new), _reduced(factor * across - new)


def _lines(vectors: Array) -> tuple[Array, Array, Array]:
    """One vector of each line, the line of each vector, and whether the vector is a negative multiple."""
    vectors = _reduced(vectors)
    leads = np.take_along_axis(vectors, (vectors != 0).argmax(axis=1)[:, None], axis=1)
    turned = (leads < 0).ravel().astype(bool)
    vectors = np.where(turned[:, None], -vectors, vectors)
    numbers: dict[tuple[int, ...], int] = {}
    place = np.array([numbers.setdefault(tuple(vector), len(numbers)) for vector in vectors.tolist()])
    _, first = np.unique(place, return_index=True)
    return vectors[first], place, turned


def _not_among(table: Array, others: Array) -> Array:
    """A mask of the rows that are not among others."""
    known = set(_keys(others))
    return np.fromiter((key not in known for key in _keys(table)), dtype=bool, count=len(table))


def _keys(table: Array) -> list[bytes]:
    bits = np.packbits(table, axis=1)
    text, size = bits.tobytes(), bits.shape[1]
    return [text[begin : begin + size] for begin in range(0, len(text), size)]


def _with(table: Array, last: Array | bool) -> Array:
    return np.column_stack([table, np.broadcast_to(last, len(table))])


# Integers of any size: in 64 bits where they fit.


def _product(one: Array, other: Array) -> Array:
    if object not in (one.dtype, other.dtype) and _most(one) * _most(other) * one.shape[-1] < SAFE:
        return one @ other
    return _narrow(one.astype(object) @ other.astype(object))


def _reduced(vectors: Array) -> Array:
    """The shortest integer vectors in the same directions."""
    shared = abs(np.gcd.reduce(vectors, axis=1))  # that of a single large number keeps its sign
    return _narrow(vectors // shared[:, None])


def _narrow(numbers: Array) -> Array:
    return numbers.astype(np.int64) if _most(numbers) < SAFE else numbers


def _most(numbers: Array) -> int:
    return int(abs(numbers).max(initial=0))


def _exact(number: Any, place: int) -> Fraction:
    if isinstance(number, Rational):
        return Fraction(number)
    try:
        return Fraction(str(number)) if isinstance(number, str) else Fraction(float(number))
    except (TypeError, ValueError, OverflowError, ZeroDivisionError) as error:
        raise InputError(f"point {place}: {number!r} is no coordinate", "a finite number is expected") from error


def _whole(vector: Sequence[Fraction]) -> list[int]:
    """The shortest integer vector in the same direction."""
    scale = lcm(*(number.denominator for number in vector))
    numbers = [int(number * scale) for number in vector]
    shared = gcd(*numbers)
    return [number // shared for number in numbers]


def _coordinates(points: Sequence[Sequence[Fraction]]) -> list[str] | None:
    """Names of points by their coordinates; None if a point occurs twice."""
    names = [f"({', '.join(map(str, point))})" for point in points]
    return names if len(set(names)) == len(names) else None


def _inequality(normal: Sequence[int], axes: Sequence[str], homogeneous: bool) -> str:
    """The inequality of a halfspace, as ``2 x1 - x2 > 3`` or ``x1 + x2 > -4.5``."""
    weights, offset = (normal, 0) if homogeneous else (normal[:-1], -normal[-1])
    threshold = str(offset)
    if offset % 2 and gcd(*weights) == 2:
        weights = [weight // 2 for weight in weights]
        threshold = f"{'-' if offset < 0 else ''}{abs(offset) // 2}.5"
    terms = ""
    for axis, weight in zip(axes, weights, strict=True):
        if weight:
            sign = (" - " if weight < 0 else " + ") if terms else ("-" if weight < 0 else "")
            terms += f"{sign}{'' if abs(weight) == 1 else f'{abs(weight)} '}{axis}"
    return f"{terms or '0'} > {threshold}"


# Small integers for hyperplanes: people read the names of halfspaces.


def plainer(table: Array, normals: Array, vectors: Array, *, homogeneous: bool) -> Array:
    """A normal of small integers for each dichotomy, or `normals` where no small one is known.

    Of the small normals it is one with the least sum of absolute weights.

    Parameters
    ----------
    table : ndarray of bool, shape (ways, vectors)
    normals : ndarray of int64 or object, shape (ways, coordinates)
    vectors : ndarray of object, shape (vectors, coordinates)
        Integers; the last coordinate is positive unless hyperplanes are homogeneous.
    homogeneous : bool
        Whether normals have no threshold; else their last number is the negated threshold.
    """
    smallest, missing = normals.astype(object), dict(zip(_keys(table), range(len(table)), strict=True))
    for keys, tried in _homogeneous(vectors) if homogeneous else _affine(vectors):
        for key, normal in zip(keys, tried, strict=True):
            place = missing.pop(key, None)
            if place is not None:
                smallest[place] = normal
        if not missing:
            break
    return smallest


Tried = Iterator[tuple[list[bytes], Array]]


def _homogeneous(vectors: Array) -> Tried:
    weights = _weights(vectors, NORMALS)
    if len(weights):
        products = weights @ vectors.astype(np.int64).T
        clear = (products != 0).all(axis=1)
        yield _keys(products[clear] > 0), weights[clear]


def _affine(vectors: Array) -> Tried:
    """All dichotomies of each direction, with thresholds half way between two of its values."""
    scale = lcm(*vectors[:, -1].tolist())
    points = vectors[:, :-1] * (scale // vectors[:, -1:])
    for weights in _weights(points, DIRECTIONS) if scale < LARGEST_NUMBER else ():
        values = points.astype(np.int64) @ weights
        levels = np.unique(values)
        twice = levels[1:] + levels[:-1] if len(levels) > 1 else 2 * levels[:1] + np.array([-1, 1])
        normals = np.column_stack([np.broadcast_to(2 * scale * weights, (len(twice), len(weights))), -twice])
        yield _keys(2 * values > twice[:, None]), normals // np.gcd.reduce(normals, axis=1)[:, None]


def _weights(points: Array, most: int) -> Array:
    """All vectors of small integers, the smallest first; none if there are too many."""
    count, dimension = points.shape
    side = min(SIDE, (int(most ** (1 / dimension)) - 1) // 2)
    if side < 1 or count * (2 * side + 1) ** dimension > MOST or abs(points).max() > LARGEST_NUMBER:
        return np.empty((0, dimension), dtype=np.int64)
    tried = np.array(list(product(range(-side, side + 1), repeat=dimension)), dtype=np.int64)
    return tried[np.argsort(np.abs(tried).sum(axis=1), kind="stable")]
