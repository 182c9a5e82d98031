"""The search for equilibria: by which methods, for how long, and which method follows one that finds none.

quantecon's answers are floats without a check. Its two enumerations miss equilibria of degenerate games: that of
supports looks at pairs of equal size alone, that of vertices at one of the bases that a degenerate vertex has. It
compiles itself when it is first used, for some seconds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from math import comb
from time import monotonic
from typing import Any

import numpy as np

from ...errors import MissingError, RegretlessError
from ..matrix import MatrixGame
from ..payoffs import Payoffs
from ..raw_solution import Vector
from ..solution import SolveError
from .equilibria import Equilibria, Equilibrium
from .verify import Verifier, scaled
from .vertex_enumeration import connected, extreme_equilibria, most_rays, nash_subsets

# The most rays that "auto" enumerates exactly: 12 x 12 strategies have at most 24,752.
_MOST_RAYS = 25_000
Pair = tuple[Vector, Vector]

# quantecon cannot be interrupted: these limits keep a call below a few seconds.
_MOST_SUPPORTS = 3_000_000
_MOST_VERTICES = 400_000
_MOST_LABELS = 63
_MOST_PIVOT_WORK = 2_000_000_000  # numbers that a path of Lemke and Howson may write


class OutOfTime(Exception):
    """The time limit was reached."""


@dataclass(slots=True)
class Search:
    """One search: the game, the options, the time limit, and notes on methods that failed."""

    A: Payoffs
    B: Payoffs
    rows: list[str]
    cols: list[str]
    constant_sum: MatrixGame | None
    limit: int | None
    seconds: float
    notes: list[str] = field(default_factory=list)
    begin: float = field(init=False)
    ends: float = field(init=False, default=0.0)

    def __post_init__(self) -> None:
        self.begin = monotonic()

    def run(self, method: str) -> Equilibria:
        """Run one method, and others if it finds no equilibrium."""
        order = self._order(method)
        for place, tried in enumerate(order):
            left = self.begin + self.seconds - monotonic()
            # A method that may not end leaves time for the next.
            self.ends = monotonic() + (left if place == len(order) - 1 else left / 2)
            try:
                equilibria = self._by(tried)
            except OutOfTime:
                self.notes.append(f"{tried} did not end in time")
            except RegretlessError as error:
                if place == 0 and not isinstance(error, SolveError):
                    raise
                self.notes.append(f"{tried}: {error}")
            else:
                if equilibria is not None:
                    return equilibria
        raise RegretlessError(
            f"no equilibrium in {self.seconds:g} seconds, though every game has one: {'; '.join(self.notes)}"
        )

    def check_stop(self) -> None:
        """Raise OutOfTime after the time limit."""
        if monotonic() > self.ends:
            raise OutOfTime

    def _order(self, method: str) -> list[str]:
        m, n = self.A.shape
        small = max(most_rays(m, m + n), most_rays(n, m + n)) <= _MOST_RAYS
        methods = ["exact-enumeration"] if small else []
        if self.constant_sum is not None:
            methods.append("zero-sum")
        elif not small and fits_vertex_enumeration(m, n):
            methods.append("vertex-enumeration")
        methods.append("lemke-howson")
        return methods if method == "auto" else [method, *(other for other in methods if other != method)]

    def _by(self, method: str) -> Equilibria | None:
        verifier = Verifier.of(self.A, self.B, self.check_stop)
        if method == "exact-enumeration":
            return self._exactly(verifier)
        if method == "zero-sum":
            return self._zero_sum(verifier)
        return self._in_floats(method, verifier)

    def _exactly(self, verifier: Verifier) -> Equilibria:
        extremes = extreme_equilibria(verifier.exact_A, verifier.exact_B, self.check_stop)
        rows, columns = extremes.rows, extremes.columns
        pairs = sorted(extremes.pairs, key=lambda pair: (rows[pair[0]], columns[pair[1]]), reverse=True)
        equilibria = []
        for row, column in pairs[: self.limit]:
            self.check_stop()
            equilibrium = verifier.exact(rows[row], columns[column])
            assert equilibrium is not None, "a completely labelled pair is an equilibrium"
            equilibria.append(equilibrium)
        if len(equilibria) < len(pairs):
            return self._answer(equilibria, "exact-enumeration", False, extremes.degenerate, f"of {len(pairs)} in all")
        components = connected(pairs)
        subsets = sorted(subset for places in components for subset in nash_subsets(pairs, places, self.check_stop))
        answer = self._answer(equilibria, "exact-enumeration", True, extremes.degenerate)
        return replace(answer, subsets=subsets, components=components)

    def _zero_sum(self, verifier: Verifier) -> Equilibria | None:
        game = self.constant_sum
        assert game is not None, "asked of games of a constant sum alone"
        solution = game.solve(stop=lambda: monotonic() > self.ends)
        equilibrium = verifier.near(solution.row, solution.column)
        if equilibrium is None:
            self.notes.append(f"zero-sum, {solution.method}: a gap of {solution.gap:.3g} was left")
            return None
        return self._answer(
            [equilibrium], f"zero-sum, {solution.method}", False, verifier.degenerate_at(equilibrium) or None
        )

    def _in_floats(self, method: str, verifier: Verifier) -> Equilibria | None:
        equilibria: list[Equilibrium] = []
        refused, ended = 0, True
        try:
            for row, column in _IN_FLOATS[method](verifier.A, verifier.B, self.check_stop):
                self.check_stop()
                equilibrium = verifier.near(row, column)
                if equilibrium is None:
                    refused += 1
                elif not any(equilibrium.same(other) for other in equilibria):
                    equilibria.append(equilibrium)
                    # No other method needs the rest of the time.
                    self.ends = self.begin + self.seconds
                if len(equilibria) == self.limit:
                    ended = False
                    break
        except OutOfTime:
            ended = False
            self.notes.append(f"{method} was stopped by the time limit")
        if refused:
            self.notes.append(f"{method} returned {refused} pairs of strategies that are no equilibria")
        if not equilibria:
            self.notes.append(f"{method} found no equilibrium")
            return None
        every = ended and not refused and method != "lemke-howson"
        # A game that is not degenerate has an odd number of equilibria (Wilson 1971).
        degenerate = any(map(verifier.degenerate_at, equilibria)) or (every and len(equilibria) % 2 == 0)
        return self._answer(equilibria, method, None if every and not degenerate else False, degenerate or None)

    def _answer(
        self, equilibria: list[Equilibrium], method: str, complete: bool | None, degenerate: bool | None, note: str = ""
    ) -> Equilibria:
        return Equilibria(
            equilibria,
            self.rows,
            self.cols,
            method,
            complete,
            degenerate,
            seconds=monotonic() - self.begin,
            note="; ".join([*self.notes, note] if note else self.notes),
            is_exact=self.A.is_exact and self.B.is_exact,
        )


def by_support_enumeration(A: Payoffs, B: Payoffs, check_stop: Callable[[], None]) -> Iterator[Pair]:
    """Every pair of supports of equal size, one linear system for each player."""
    m, n = A.shape
    pairs = comb(m + n, n) - 1
    if pairs > _MOST_SUPPORTS:
        raise _too_large("support-enumeration", m, n, f"{pairs:.3g} pairs of supports", f"{_MOST_SUPPORTS:,} pairs")
    library = _library()
    check_stop()
    yield from library.support_enumeration_gen(_game(library, A, B))


def by_vertex_enumeration(A: Payoffs, B: Payoffs, check_stop: Callable[[], None]) -> Iterator[Pair]:
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
    check_stop()
    if min(m, n) == 1:
        # qhull refuses polytopes of one dimension.
        yield from by_support_enumeration(A, B, check_stop)
        return
    from scipy.spatial import QhullError  # type: ignore[import-untyped, unused-ignore]

    try:
        yield from library.vertex_enumeration_gen(_game(library, A, B))
    except QhullError:
        # qhull refuses polytopes that are flat to its precision.
        return


def fits_vertex_enumeration(m: int, n: int) -> bool:
    """Whether a game is small enough for vertex enumeration."""
    return max(most_rays(m, m + n), most_rays(n, m + n)) <= _MOST_VERTICES and m + n <= _MOST_LABELS


def by_lemke_howson(A: Payoffs, B: Payoffs, check_stop: Callable[[], None]) -> Iterator[Pair]:
    """A path of almost completely labelled pairs from each strategy in turn; long paths are abandoned."""
    m, n = A.shape
    library = _library()
    game = _game(library, A, B)
    pivots = max(1000, _MOST_PIVOT_WORK // ((m + n) * max(m, n)))
    for first in range(m + n):
        check_stop()
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


_IN_FLOATS: dict[str, Callable[[Payoffs, Payoffs, Callable[[], None]], Iterator[Pair]]] = {
    "support-enumeration": by_support_enumeration,
    "vertex-enumeration": by_vertex_enumeration,
    "lemke-howson": by_lemke_howson,
}
