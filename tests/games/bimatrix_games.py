"""Small bimatrix games for tests, and all their extreme equilibria by trying every basis."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
from hypothesis import strategies as st

Point = tuple[Fraction, ...]

BATTLE = [[2, 0], [0, 1]], [[1, 0], [0, 2]]
CHICKEN = [[6, 2], [7, 0]], [[6, 7], [2, 0]]
DILEMMA = [[3, 0], [5, 1]], [[3, 5], [0, 1]]
SHAPLEY = [[1, 0, 0], [0, 1, 0], [0, 0, 1]], [[0, 1, 0], [0, 0, 1], [1, 0, 0]]


@st.composite
def small_games(
    draw: st.DrawFn, most: int = 3, low: int = -2, high: int = 2
) -> tuple[list[list[int]], list[list[int]]]:
    """Two matrices of small whole numbers, of which many are degenerate; the first row and column may stand twice."""
    m, n = draw(st.integers(1, most)), draw(st.integers(1, most))
    row = st.lists(st.integers(low, high), min_size=n, max_size=n)
    table = st.lists(row, min_size=m, max_size=m)
    A, B = draw(table), draw(table)
    if draw(st.booleans()):
        A, B = [A[0], *A][:most], [B[0], *B][:most]
    if draw(st.booleans()):
        A, B = ([[one[0], *one][:most] for one in side] for side in (A, B))
    return A, B


def extremes_by_bases(A: Any, B: Any) -> set[tuple[Point, Point]]:
    """All pairs of extreme strategies that are equilibria, with every choice of equalities tried."""
    A, B = np.array(A, dtype=object), np.array(B, dtype=object)
    names = set()
    for x in _points(B.T):
        for y in _points(A):
            if x @ A @ y == max(A @ y) and x @ B @ y == max(x @ B):
                names.add((tuple(x), tuple(y)))
    return names


def _points(answers: Any) -> list[Any]:
    """Extreme points of the mixtures of the columns with bounds on all rows' payoffs."""
    count, size = answers.shape
    rows = [[int(place == k) for place in range(size)] + [0] for k in range(size)]
    rows += [[*answer, -1] for answer in answers.tolist()]
    results = {}
    for chosen in combinations(range(size + count), size):
        solved = _solve([[1] * size + [0], *(rows[place] for place in chosen)], [1] + [0] * size)
        if solved is not None and min(solved[:-1]) >= 0:
            point = np.array(solved[:-1], dtype=object)
            if max(answers @ point) == solved[-1]:
                results[tuple(solved[:-1])] = point
    return list(results.values())


def _solve(matrix: list[list[int]], aim: list[int]) -> list[Fraction] | None:
    table = [[Fraction(entry) for entry in [*row, value]] for row, value in zip(matrix, aim, strict=True)]
    for place in range(len(table)):
        pivot = next((k for k in range(place, len(table)) if table[k][place]), None)
        if pivot is None:
            return None
        table[place], table[pivot] = table[pivot], table[place]
        table[place] = [entry / table[place][place] for entry in table[place]]
        for other in range(len(table)):
            if other != place and table[other][place]:
                factor = table[other][place]
                table[other] = [x - factor * y for x, y in zip(table[other], table[place], strict=True)]
    return [row[-1] for row in table]
