"""The search for equilibria: by which methods, for how long, and which method follows one that finds none.

quantecon's answers are floats without a check. Its two enumerations miss equilibria of degenerate games: that of
supports looks at pairs of equal size alone, that of vertices at one of the bases that a degenerate vertex has. It
compiles itself when it is first used, for some seconds.

**All extreme equilibria**, in exact arithmetic, degenerate or not.

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

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import comb
from time import monotonic
from typing import Any

import numpy as np

from ...errors import MissingError, RegretlessError
from ..matrix import MatrixGame
from ..payoffs import Array, Payoffs, Vector
from ..solution import SolveError
from .equilibria import Equilibria, Equilibrium, Verifier
from .nash import Whole, scaled

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
class NashSearch:
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
            "this needs quantecon, which is not installed; install it with: pip install quantecon"
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
