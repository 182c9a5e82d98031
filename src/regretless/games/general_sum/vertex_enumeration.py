"""All extreme equilibria of a bimatrix game, in exact arithmetic, degenerate or not.

A mixed row x and a bound v on what the column player can win against it form a polyhedral cone,

    x >= 0,   v - (B' x)_j >= 0 for every column j,

and likewise a mixed column y with u for the row player. Label each of these inequalities by the row or column it speaks
of. (x, y) is an equilibrium if and only if every row and every column is a label of an inequality that x or y, with the
smallest bounds, meets with equality: each strategy that is played is a best response (Lemke and Howson 1964). An
equilibrium is extreme if x and y span extreme rays of their cones. The set of all equilibria is the union of the
products conv X x conv Y, where X x Y is a largest set of pairs of which each is an extreme equilibrium (Mangasarian
1964; Winkels 1979): the maximal Nash subsets. Two of them meet if and only if they have an extreme equilibrium in
common, since they are products of faces; so the connected components can be read off the extreme equilibria.

The rays are found by double description (Motzkin, Raiffa, Thompson and Thrall 1953): the inequalities are added one by
one, and each cuts the edges between rays on its two sides. Two rays span an edge if and only if no third one meets
all the equalities that they have in common, which holds with degenerate rays too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import comb
from typing import Any

import numpy as np

from ..payoffs import Array
from .exact_integers import Whole

Mask = np.ndarray[Any, np.dtype[np.bool_]]
_CELLS = 2_000_000  # of tables in memory at once


@dataclass(frozen=True, slots=True, eq=False)
class Extremes:
    """Extreme equilibria as pairs of extreme strategies.

    Attributes
    ----------
    rows, columns : list of list of Fraction
        Extreme strategies that are part of an equilibrium.
    pairs : list of (int, int)
        Which of them are equilibria with each other.
    degenerate : bool
        Whether some strategy has more pure best responses than it mixes strategies.
    """

    rows: list[list[Fraction]]
    columns: list[list[Fraction]]
    pairs: list[tuple[int, int]]
    degenerate: bool


def extreme_equilibria(A: Whole, B: Whole, check_stop: Callable[[], None]) -> Extremes:
    """All extreme equilibria; `check_stop` is called at intervals, and its exception ends the search."""
    m, n = A.values.shape
    xs, x_labels = _extreme_rays(B.values.T, check_stop)
    ys, y_labels = _extreme_rays(A.values, check_stop)
    y_labels = np.hstack([y_labels[:, n:], y_labels[:, :n]])
    degenerate = bool((x_labels.sum(axis=1) > m).any() or (y_labels.sum(axis=1) > n).any())
    first, second = _complementary(x_labels[1:], y_labels[1:], check_stop)
    rows, row_of = np.unique(first, return_inverse=True)
    columns, column_of = np.unique(second, return_inverse=True)
    return Extremes(
        [_strategy(xs[1 + place]) for place in rows],
        [_strategy(ys[1 + place]) for place in columns],
        list(zip(row_of.tolist(), column_of.tolist(), strict=True)),
        degenerate,
    )


def most_rays(size: int, inequalities: int) -> int:
    """The most vertices of a polytope, by the upper bound theorem (McMullen 1970)."""
    up, down = (size + 1) // 2, size // 2
    return comb(inequalities - up, down) + comb(inequalities - down - 1, up - 1)


def connected(pairs: list[tuple[int, int]]) -> list[list[int]]:
    """Connected components of equilibria, as indices into `pairs`: two that share a strategy are connected."""
    holds: dict[tuple[str, int], int] = {}
    members: dict[int, list[int]] = {}
    for place, (row, column) in enumerate(pairs):
        sides = ("row", row), ("column", column)
        touched = {holds[side] for side in sides if side in holds}
        first = min(touched, default=place)
        members.setdefault(first, []).append(place)
        for other in touched - {first}:
            members[first] += members.pop(other)
        for side in {side for one in members[first] for side in (("row", pairs[one][0]), ("column", pairs[one][1]))}:
            holds[side] = first
    return sorted(sorted(places) for places in members.values())


def nash_subsets(pairs: list[tuple[int, int]], places: list[int], check_stop: Callable[[], None]) -> list[list[int]]:
    """The maximal Nash subsets of a component: every row strategy of one with each of its column strategies."""
    partners: dict[int, int] = {}
    for row, column in (pairs[place] for place in places):
        partners[row] = partners.get(row, 0) | 1 << column
    sides: set[int] = set()
    for one in partners.values():
        check_stop()
        sides |= {one, *(one & other for other in sides if one & other)}
    subsets = []
    for side in sides:
        check_stop()
        together = {row for row, one in partners.items() if one & side == side}
        subsets.append([place for place in places if pairs[place][0] in together and side >> pairs[place][1] & 1])
    return sorted(subsets)


def _extreme_rays(answers: Array, check_stop: Callable[[], None]) -> tuple[Array, Mask]:
    """Extreme rays (x, v) of x >= 0, v >= answers @ x, and the inequalities that hold with equality; x = 0 first."""
    count, size = answers.shape
    rays = np.zeros((size + 1, size + 1), dtype=object)
    rays[0, size] = 1
    rays[1:, :size], rays[1:, size] = np.eye(size, dtype=np.int64), answers[0]
    tight = np.zeros((size + 1, size + count), dtype=bool)
    tight[:, :size] = rays[:, :size] == 0
    tight[1:, size] = True
    for place in range(1, count):
        check_stop()
        slack = rays[:, size] - rays[:, :size] @ answers[place]
        tight[:, size + place] = slack == 0
        over, under = np.flatnonzero(slack > 0), np.flatnonzero(slack < 0)
        if not under.size:
            continue
        a, b = _edges(tight, over, under, size - 1, check_stop)
        cut = slack[a, None] * rays[b] - slack[b, None] * rays[a]
        cut //= np.gcd.reduce(cut, axis=1)[:, None]
        met = tight[a] & tight[b]
        met[:, size + place] = True
        inside = np.flatnonzero(slack >= 0)
        rays, tight = np.vstack([rays[inside], cut]), np.vstack([tight[inside], met])
    return rays, tight


def _edges(tight: Mask, over: Array, under: Array, least: int, check_stop: Callable[[], None]) -> tuple[Array, Array]:
    """Pairs of rays, one on each side, that span an edge of the cone."""
    table = tight.astype(np.float32)
    begins, ends = [], []
    for first in _parts(over, len(under)):
        common = table[first] @ table[under].T
        a, b = np.nonzero(common >= least)
        for part in _parts(np.arange(len(a)), len(table)):
            check_stop()
            one, other = first[a[part]], under[b[part]]
            holders = (table[one] * table[other]) @ table.T == common[a[part], b[part], None]
            edge = holders.sum(axis=1) == 2
            begins.append(one[edge])
            ends.append(other[edge])
    return np.concatenate([over[:0], *begins]), np.concatenate([under[:0], *ends])


def _complementary(x_labels: Mask, y_labels: Mask, check_stop: Callable[[], None]) -> tuple[Array, Array]:
    """Completely labelled pairs of strategies."""
    lacking = (~y_labels).astype(np.float32)
    firsts, seconds = [], []
    for part in _parts(np.arange(len(x_labels)), len(y_labels)):
        check_stop()
        a, b = np.nonzero((~x_labels[part]).astype(np.float32) @ lacking.T == 0)
        firsts.append(part[a])
        seconds.append(b)
    return np.concatenate(firsts), np.concatenate(seconds)


def _parts(places: Array, width: int) -> list[Array]:
    size = max(1, _CELLS // max(1, width))
    return [places[begin : begin + size] for begin in range(0, len(places), size)]


def _strategy(ray: Array) -> list[Fraction]:
    total = sum(ray[:-1])
    return [Fraction(entry, total) for entry in ray[:-1]]
