"""Equilibria by quantecon, whose answers are floats without a check.

Its two enumerations miss equilibria of degenerate games: that of supports looks at pairs of equal size alone, that of
vertices at one of the bases that a degenerate vertex has. It compiles itself when it is first used, for some seconds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import comb
from typing import Any

import numpy as np

from ...errors import MissingError, RegretlessError
from ..payoffs import Payoffs
from ..raw_solution import Vector
from .verify import scaled
from .vertex_enumeration import most_rays

Pair = tuple[Vector, Vector]

# It cannot be interrupted: one call shall not take more than a few seconds.
_MOST_SUPPORTS = 3_000_000
_MOST_VERTICES = 400_000
_MOST_LABELS = 63
_MOST_PIVOT_WORK = 2_000_000_000  # numbers that one path of Lemke and Howson may rewrite


def by_support_enumeration(A: Payoffs, B: Payoffs, look: Callable[[], None]) -> Iterator[Pair]:
    """Every pair of supports of equal size, one linear system for each player."""
    m, n = A.shape
    pairs = comb(m + n, n) - 1
    if pairs > _MOST_SUPPORTS:
        raise _too_large("support-enumeration", m, n, f"{pairs:.3g} pairs of supports", f"{_MOST_SUPPORTS:,} pairs")
    library = _library()
    look()
    yield from library.support_enumeration_gen(_game(library, A, B))


def by_vertex_enumeration(A: Payoffs, B: Payoffs, look: Callable[[], None]) -> Iterator[Pair]:
    """Vertices of both best response polytopes by qhull, matched by their labels."""
    m, n = A.shape
    if not fits_vertex_enumeration(m, n):
        vertices = max(most_rays(m, m + n), most_rays(n, m + n))
        raise _too_large(
            "vertex-enumeration",
            m,
            n,
            f"up to {vertices:.3g} vertices",
            f"{_MOST_VERTICES:,} vertices and {_MOST_LABELS} strategies",
        )
    library = _library()
    look()
    if min(m, n) == 1:
        # A polytope of one dimension is none to qhull.
        yield from by_support_enumeration(A, B, look)
        return
    from scipy.spatial import QhullError  # type: ignore[import-untyped, unused-ignore]

    try:
        yield from library.vertex_enumeration_gen(_game(library, A, B))
    except QhullError:
        # It refuses what is flat to its precision.
        return


def fits_vertex_enumeration(m: int, n: int) -> bool:
    """Whether a game is small enough for it."""
    return max(most_rays(m, m + n), most_rays(n, m + n)) <= _MOST_VERTICES and m + n <= _MOST_LABELS


def by_lemke_howson(A: Payoffs, B: Payoffs, look: Callable[[], None]) -> Iterator[Pair]:
    """A path of almost completely labelled pairs from each strategy in turn; one that takes too long is given up."""
    m, n = A.shape
    library = _library()
    game = _game(library, A, B)
    pivots = max(1000, _MOST_PIVOT_WORK // ((m + n) * max(m, n)))
    for first in range(m + n):
        look()
        pair, how = library.lemke_howson(game, init_pivot=first, max_iter=pivots, full_output=True)
        if how.converged and all(np.isfinite(side).all() and side.sum() > 0 for side in pair):
            yield pair


def _game(library: Any, A: Payoffs, B: Payoffs) -> Any:
    players = (library.Player(np.ascontiguousarray(scaled(A))), library.Player(np.ascontiguousarray(scaled(B).T)))
    return library.NormalFormGame(players)


def _library() -> Any:
    try:
        from quantecon import game_theory
    except ImportError as error:
        raise MissingError(
            "this needs quantecon, which is not installed; install it with: pip install 'regretless[nash]'"
        ) from error
    return game_theory


def _too_large(method: str, m: int, n: int, size: str, most: str) -> RegretlessError:
    return RegretlessError(
        f"{method}: {m} x {n} strategies, {size}; it is for at most {most}; 'lemke-howson' finds some equilibria"
    )
