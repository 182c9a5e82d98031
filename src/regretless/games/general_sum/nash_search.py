"""How equilibria are looked for: by which methods, for how long, and what is done when one finds none."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from time import monotonic

from ...errors import RegretlessError
from ..matrix import MatrixGame
from ..payoffs import Payoffs
from ..solution import SolveError
from .equilibria import Equilibria, Equilibrium
from .nash_library import (
    Pair,
    by_lemke_howson,
    by_support_enumeration,
    by_vertex_enumeration,
    fits_vertex_enumeration,
)
from .verify import Verifier
from .vertex_enumeration import connected, extreme_equilibria, most_rays, nash_subsets

METHODS = ("auto", "exact-enumeration", "support-enumeration", "vertex-enumeration", "lemke-howson")
_IN_FLOATS: dict[str, Callable[[Payoffs, Payoffs, Callable[[], None]], Iterator[Pair]]] = {
    "support-enumeration": by_support_enumeration,
    "vertex-enumeration": by_vertex_enumeration,
    "lemke-howson": by_lemke_howson,
}
# Up to so many rays "auto" enumerates exactly: 12 x 12 strategies have at most 24,752.
_MOST_RAYS = 25_000


class OutOfTime(Exception):
    """The seconds that were given are over."""


@dataclass(slots=True)
class Search:
    """One search: the game, what is asked for, when it must end, and what was tried in vain."""

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
        """By one method, and by others if that finds nothing."""
        order = self._order(method)
        for place, tried in enumerate(order):
            left = self.begin + self.seconds - monotonic()
            # What may not end leaves time for the next.
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
            f"every game has an equilibrium, but none was found in {self.seconds:g} seconds: {'; '.join(self.notes)}"
        )

    def look(self) -> None:
        """Raise OutOfTime if the time is over."""
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
        verifier = Verifier.of(self.A, self.B, self.look)
        if method == "exact-enumeration":
            return self._exactly(verifier)
        if method == "zero-sum":
            return self._zero_sum(verifier)
        return self._in_floats(method, verifier)

    def _exactly(self, verifier: Verifier) -> Equilibria:
        extremes = extreme_equilibria(verifier.exact_A, verifier.exact_B, self.look)
        rows, columns = extremes.rows, extremes.columns
        pairs = sorted(extremes.pairs, key=lambda pair: (rows[pair[0]], columns[pair[1]]), reverse=True)
        equilibria = []
        for row, column in pairs[: self.limit]:
            self.look()
            equilibrium = verifier.exact(rows[row], columns[column])
            assert equilibrium is not None, "a completely labelled pair is an equilibrium"
            equilibria.append(equilibrium)
        if len(equilibria) < len(pairs):
            return self._answer(equilibria, "exact-enumeration", False, extremes.degenerate, f"of {len(pairs)} in all")
        components = connected(pairs)
        subsets = sorted(subset for places in components for subset in nash_subsets(pairs, places, self.look))
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
            for row, column in _IN_FLOATS[method](verifier.A, verifier.B, self.look):
                self.look()
                equilibrium = verifier.near(row, column)
                if equilibrium is None:
                    refused += 1
                elif not any(equilibrium.same(other) for other in equilibria):
                    equilibria.append(equilibrium)
                    # Nobody else is waiting any more.
                    self.ends = self.begin + self.seconds
                if len(equilibria) == self.limit:
                    ended = False
                    break
        except OutOfTime:
            ended = False
            self.notes.append(f"{method} was stopped when its time was over")
        if refused:
            self.notes.append(f"{method} gave {refused} pairs of strategies that are no equilibria")
        if not equilibria:
            self.notes.append(f"{method} found nothing")
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
