"""Common parts of `solve` for all games: options that do not apply, lines, JSON, saved strategies."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal, localcontext
from math import ceil, isfinite, log10
from typing import TYPE_CHECKING, Any, Protocol

from ...errors import DataError
from ...report.formatting import fraction_text
from ...report.terminal import short
from ..arguments import Names, ReportOptions
from ..options import refuse_set
from ..output import Output

if TYPE_CHECKING:
    from fractions import Fraction

    from ...data.game_files import GameFile

SCHEMA = "regretless.solve/1"
MOST = 12  # lines of strategies
WIDTH = 34  # of names
LONGEST = 24  # of fractions that are shown beside decimals
PRECISION = 700  # digits enough for any two floats
UNITS = {"simplex": "pivots", "interior-point": "steps", "linear-programming": "iterations", "constant": "steps"}

Show = Callable[[int, float], None]
Stop = Callable[[], bool]


class SolveOptions(ReportOptions):
    """Of `solve`."""

    file: str
    format: str | None
    losses: bool
    array: str | None
    names: Names | None
    method: str | None
    tolerance: float | None
    exact: bool
    rounds: int | None
    average: str | None
    simultaneous: bool
    alternating: bool
    start: str | None
    equilibria: str | None
    limit: int | None
    seconds: float | None
    correlated: bool
    coarse: bool
    objective: str | None
    save: str | None


class SolveOutput(Output):
    """An answer.

    Attributes
    ----------
    file : GameFile
        The game.
    """

    file: GameFile

    @abstractmethod
    def arrays(self) -> dict[str, Any]:
        """The arrays to save, by name."""

    def interrupted(self) -> str:
        """The message for a signal after the game was solved."""
        return "interrupted when the game was solved"

    def save(self, path: str) -> None:
        """Save the strategies atomically."""
        import numpy as np

        from ...atomic_write import replacing

        with replacing(path) as file:
            np.savez(file, **self.arrays())

    def headed(self, values: dict[str, Any], kind: str) -> dict[str, Any]:
        """The JSON values of an answer, with those of its file first."""
        about = {"schema": SCHEMA, "path": self.file.name, "title": self.file.title or None, "game": kind}
        return {**about, **values}

    def title_lines(self) -> Iterator[str]:
        """The title of the game in a line, if it has one."""
        if self.file.title:
            yield " ".join(self.file.title.split())

    def _print(self, *, json: bool) -> None:
        # If stdout is closed, stderr still lists the files and the reason of the end.
        with suppress(BrokenPipeError):
            super()._print(json=json)


def fraction(value: Fraction, otherwise: str | None = None) -> str:
    """A fraction, or `otherwise` if it is long; by default its length."""
    text = fraction_text(value)
    if len(text) <= LONGEST:
        return text
    return f"a fraction of {len(text):,} characters (--json)" if otherwise is None else otherwise


def row_of(name: str, text: str) -> str:
    """A line of a name and its text."""
    return f"  {short(name, WIDTH):<{WIDTH}} {text}"


def steps(method: str, count: int) -> str:
    """The steps of a method, in its own unit."""
    unit = UNITS.get(method, "rounds")
    return f"{count:,} {unit[:-1] if count == 1 else unit}"


def strategy_lines(
    what: str, names: Sequence[str], chances: Sequence[float], exact: Sequence[Fraction] | None = None
) -> Iterator[str]:
    """A strategy by its most likely parts."""
    import numpy as np

    order = np.argsort(-np.asarray(chances), kind="stable")
    played = int(np.count_nonzero(np.asarray(chances) > 0))
    yield f"{what}, {played:,} of {len(names):,} played"
    shown = order[: min(MOST, played)].tolist()
    for place in shown:
        beside = "" if exact is None else f"  {fraction(exact[place])}"
        yield row_of(names[place], f"{100 * chances[place]:>11.6g}%{beside}")
    if played > len(shown):
        rest = 100 * float(np.asarray(chances)[order[len(shown) :]].sum())
        yield f"  … and {played - len(shown):,} more, together {rest:.3g}%"


def read_start(path: str, rows: Sequence[str], columns: Sequence[str]) -> tuple[Any, Any]:
    """The strategies that were saved in a file.

    Raises
    ------
    DataError
        If it has none, or those of another game.
    """
    import numpy as np

    from ...data.archives import Archive, damage_as_error
    from ...data.source import whole_file

    advice = "a .npz file with the arrays row and column is expected, as --save writes it"
    file = whole_file(path, "an array")
    with damage_as_error(file, "there are no strategies in it", advice), Archive(file) as archive:
        strategies = [archive[name].all() for name in ("row", "column")]
        names = [archive[name].all().ravel().tolist() if name in archive.names else None for name in ("rows", "cols")]
    for what, strategy, known, own in zip(("row", "column"), strategies, names, (rows, columns), strict=True):
        if strategy.shape != (len(own),) or strategy.dtype.kind not in "fiu":
            shown = f"{what} has shape {strategy.shape} and type {strategy.dtype}"
            raise DataError(path, None, None, shown, f"a probability for each of {len(own)} {what}s is expected")
        if not np.isfinite(strategy).all() or (strategy < 0).any():
            raise DataError(path, None, None, f"{what} has numbers that are no probabilities", "choose another file")
        if known is not None and list(map(str, known)) != list(own):
            raise DataError(path, None, None, f"the {what}s have other names", "these are strategies of another game")
    return strategies[0], strategies[1]


def of_general_sum(arguments: SolveOptions) -> dict[str, object]:
    """The options for general-sum games, with their values."""
    return {
        "--equilibria": arguments.equilibria,
        "--limit": arguments.limit,
        "--seconds": arguments.seconds,
        "--correlated": arguments.correlated,
        "--coarse": arguments.coarse,
        "--objective": arguments.objective,
    }


def of_zero_sum(arguments: SolveOptions) -> dict[str, object]:
    """The options for zero-sum games alone, with their values."""
    return {
        "--method": arguments.method,
        "--tolerance": arguments.tolerance,
        "--rounds": arguments.rounds,
        "--average": arguments.average,
        "--simultaneous": arguments.simultaneous,
        "--alternating": arguments.alternating,
        "--start": arguments.start,
    }


def refuse(arguments: SolveOptions, values: Mapping[str, object], what: str) -> None:
    """Refuse options that do not apply to a game.

    Raises
    ------
    UsageError
        If one of them is set.
    """
    refuse_set(values, f"has no meaning here: {arguments.file} holds {what}")


class SolveTask(Protocol):
    """A game to solve.

    Attributes
    ----------
    notes : list of str
        Notes to print before the solution.
    asks : bool
        Whether its solver calls `stop` at intervals.
    """

    notes: list[str]
    asks: bool

    def solve(self, show: Show, stop: Stop) -> SolveOutput:
        """Solve it; `show` takes the steps and the gap so far, and `stop` returns true to end."""


def figures(value: float) -> str:
    """A number in twelve digits."""
    return f"{value + 0.0:,.12g}"


def certain(value: float, gap: float) -> str:
    """A number with the digits that an interval of this width determines, at most twelve."""
    return figures(round(value, _decimals(gap)) if 0 < gap < abs(value) + 1 and isfinite(value) else value)


def ends(lower: float, upper: float) -> str:
    """Both ends of an interval, rounded outwards to digits that show its width."""
    gap = upper - lower
    if not (isfinite(gap) and gap > 0):
        return f"{_plain(Decimal(repr(lower)))}, {_plain(Decimal(repr(upper)))}"
    decimals = _decimals(gap) + 2
    return f"{_rounded(lower, decimals, ROUND_FLOOR)}, {_rounded(upper, decimals, ROUND_CEILING)}"


def _decimals(gap: float) -> int:
    """The number of decimals that the gap leaves certain."""
    return ceil(-log10(gap))


def _rounded(value: float, decimals: int, rounding: str) -> str:
    with localcontext(prec=PRECISION):
        return _plain(Decimal(value).quantize(Decimal(1).scaleb(-decimals), rounding))


def _plain(value: Decimal) -> str:
    """A decimal without trailing zeros; with an exponent if it is very large or very small."""
    if not value:
        return "0"
    if not value.is_finite() or -5 <= value.adjusted() < 15:
        text = f"{value:,f}"
        return text.rstrip("0").rstrip(".") if "." in text else text
    with localcontext(prec=PRECISION):
        return f"{value.normalize():e}"
