"""Games by linear programs and finite classes by brute force: numpy and scipy alone."""

from __future__ import annotations

from functools import cache
from itertools import combinations
from typing import Any

import numpy as np
from scipy.optimize import linprog

Array = np.ndarray[Any, Any]


def value(A: Array) -> float:
    """The value of a matrix game: max v with p'A >= v."""
    m, n = A.shape
    solution = linprog(
        np.append(np.zeros(m), -1.0),
        A_ub=np.column_stack([-A.T, np.ones(n)]),
        b_ub=np.zeros(n),
        A_eq=[np.append(np.ones(m), 0.0)],
        b_eq=[1.0],
        bounds=[(0, None)] * m + [(None, None)],
    )
    return float(-solution.fun)


def best_correlated(A: Array, B: Array, worth: Array, coarse: bool) -> float:
    """The most that a (coarse) correlated equilibrium is worth."""
    m, n = A.shape
    rows = []
    for i in range(m):
        if coarse:
            rows.append((np.tile(A[i], (m, 1)) - A).ravel())
        else:
            for k in range(m):
                gain = np.zeros((m, n))
                gain[k] = A[i] - A[k]
                rows.append(gain.ravel())
    for j in range(n):
        if coarse:
            rows.append((np.tile(B[:, [j]], (1, n)) - B).ravel())
        else:
            for k in range(n):
                gain = np.zeros((m, n))
                gain[:, k] = B[:, j] - B[:, k]
                rows.append(gain.ravel())
    solution = linprog(-worth.ravel(), A_ub=rows, b_ub=np.zeros(len(rows)), A_eq=[np.ones(m * n)], b_eq=[1.0])
    return float(-solution.fun)


def vc_dimension(H: Array) -> int:
    """The largest set of points on which all labels occur."""
    H = np.unique(H, axis=0)
    best = 0
    for size in range(1, H.shape[1] + 1):
        if 2**size > len(H):
            break
        if any(len(np.unique(H[:, points], axis=0)) == 2**size for points in combinations(range(H.shape[1]), size)):
            best = size
    return best


def littlestone_dimension(H: Array) -> int:
    """max over points of 1 + the smaller dimension of both halves, 0 of a single hypothesis."""
    H = np.unique(H, axis=0)

    @cache
    def of(alive: frozenset[int]) -> int:
        if len(alive) <= 1:
            return len(alive) - 1
        best = 0
        for x in range(H.shape[1]):
            ones = frozenset(h for h in alive if H[h, x])
            if ones and ones != alive:
                best = max(best, 1 + min(of(ones), of(alive - ones)))
        return best

    return of(frozenset(range(len(H))))
