"""Payoff matrices: their numbers, names and units, and the interval that two strategies guarantee.

The numbers are dense or sparse floats, exact ones, or a linear operator that only multiplies.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import lru_cache
from math import frexp, inf, isnan, ldexp, nextafter
from numbers import Rational
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from .. import _core
from ..arrays import numbers
from ..errors import ParameterError, RegretlessError

if TYPE_CHECKING:
    from ..ledger import GameLedger

Array = np.ndarray[Any, Any]
Vector = np.ndarray[Any, np.dtype[np.float64]]
Kind = Literal["dense", "sparse", "operator"]


class Payoffs:
    """A matrix of numbers, one row for each strategy of the row player.

    Parameters
    ----------
    matrix : array, sequence, frame, sparse matrix, linear operator or Payoffs
        Floats, whole numbers or fractions; finite. Floats, dense or sparse, are not copied where possible, and must not
        change while the game is in use; whole numbers and fractions are copied.
    what : str
        Its name in errors.
    payoff_range : (float, float), optional
        Of a linear operator: the range of its payoffs, taken on trust.

    Attributes
    ----------
    kind : {"dense", "sparse", "operator"}
    values : ndarray, csr_array or LinearOperator
        float32 stays float32; everything else is float64. A dense one is in C order, a sparse one has sorted rows
        without duplicates.
    low, high : float
        The smallest and the largest payoff; NaN of a linear operator without a `payoff_range`.

    Raises
    ------
    RegretlessError
        If there is no row, no column, or an entry that is no finite number.
    """

    __slots__ = ("_exact", "high", "kind", "low", "values")

    kind: Kind
    values: Any
    low: float
    high: float
    _exact: Array | None

    def __init__(self, matrix: Any, what: str = "payoffs", payoff_range: tuple[float, float] | None = None) -> None:
        self._exact = None
        if type(matrix) is np.ndarray and matrix.dtype.kind == "f":
            self.kind, self.values = "dense", _dense(matrix, what)
        elif isinstance(matrix, Payoffs):
            for name in self.__slots__:
                setattr(self, name, getattr(matrix, name))
            return
        elif hasattr(matrix, "tocsr"):
            self.kind, self.values = "sparse", _sparse(matrix, what)
        elif hasattr(matrix, "matvec") and hasattr(matrix, "rmatvec"):
            self.kind, self.values = "operator", matrix
        else:
            self.kind, array = "dense", _array(matrix, what)
            self._exact = _exact_numbers(array)
            self.values = _dense(array if self._exact is None else _floats(self._exact, what), what)
        shape = self.values.shape
        if len(shape) != 2 or 0 in shape:
            few = "at least one row and one column" if len(shape) == 2 else "two dimensions, rows and columns,"
            raise RegretlessError(f"{what}: shape {shape}; {few} are expected")
        self.low, self.high = self._range(what) if payoff_range is None else _declared(payoff_range, self.kind, what)

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of rows and columns."""
        rows, columns = self.values.shape
        return int(rows), int(columns)

    @property
    def spread(self) -> float:
        """The range of the payoffs; NaN if it is unknown."""
        return self.high - self.low

    @property
    def size(self) -> float:
        """The largest absolute payoff; NaN if it is unknown."""
        return max(abs(self.low), abs(self.high))

    @property
    def rounding(self) -> float:
        """By how much a float may differ from its exact number; 0 unless these are fractions or huge."""
        if self._exact is None or (self._exact.dtype != object and self.size <= 2**53):
            return 0.0
        pairs = zip(self._exact.flat, self.values.flat, strict=True)
        odd = any(Fraction(number) != Fraction(value) for number, value in pairs)
        return max(self.size * 2.0**-52, 5e-324) if odd else 0.0

    @property
    def is_exact(self) -> bool:
        """Whether the user's numbers are whole numbers or fractions, rather than floats."""
        return self._exact is not None

    def times(self, column: Vector) -> Vector:
        """The payoff of every row against a mixed column."""
        return np.asarray(self.values @ np.asarray(column, dtype=np.float64), dtype=np.float64)

    def left(self, row: Vector) -> Vector:
        """The row player's payoff with a mixed row against every column."""
        row = np.asarray(row, dtype=np.float64)
        product = self.values.rmatvec(row) if self.kind == "operator" else row @ self.values
        return np.asarray(product, dtype=np.float64)

    def dense(self) -> Array:
        """All numbers as an array.

        Raises
        ------
        RegretlessError
            If only products are known.
        """
        if self.kind == "operator":
            raise RegretlessError("of a linear operator only products are known; this needs all payoffs")
        return np.ascontiguousarray(self.values.toarray()) if self.kind == "sparse" else self.values

    def fractions(self) -> list[list[Fraction]]:
        """All numbers exactly: as the user wrote them, or the exact value of each float.

        Raises
        ------
        RegretlessError
            If only products are known.
        """
        held = self.dense() if self._exact is None else self._exact
        return [[Fraction(value) for value in row] for row in held.tolist()]

    def negated(self) -> Payoffs:
        """The other player's payoffs."""
        other = object.__new__(Payoffs)
        other.kind, other.values, other.low, other.high = self.kind, -self.values, -self.high, -self.low
        # Unsigned numbers have no negative ones.
        other._exact = None if self._exact is None else -self._exact.astype(object)
        return other

    def _range(self, what: str) -> tuple[float, float]:
        values, kind = self.values, self.kind
        if kind == "operator":
            return float("nan"), float("nan")
        if kind == "dense":
            low, high = ends = _core.payoff_range(values)
        else:
            low, high = ends = _core.payoff_range(values.data) if values.nnz else (0.0, 0.0)
            if values.nnz < values.shape[0] * values.shape[1]:
                ends = min(low, 0.0), max(high, 0.0)
        if isnan(low):
            raise RegretlessError(f"{what}: {_culprit(values, kind)}; payoffs are finite numbers")
        return ends


def _declared(ends: tuple[float, float], kind: Kind, what: str) -> tuple[float, float]:
    if kind != "operator":
        raise ParameterError(
            "payoff_range", repr(ends), f"that is for linear operators, these {what} speak for themselves"
        )
    try:
        low, high = (float(end) for end in ends)
    except (TypeError, ValueError):
        low = high = np.nan
    if not -np.inf < low <= high < np.inf:
        raise ParameterError("payoff_range", repr(ends), "two finite numbers are expected, the smaller one first")
    return low, high


def _sparse(source: Any, what: str) -> Any:
    from scipy.sparse import csr_array  # type: ignore[import-untyped, unused-ignore]

    matrix = csr_array(source)
    if matrix.dtype.kind not in "fiub":
        raise RegretlessError(f"{what}: numbers are expected ({matrix.dtype} was found)")
    if matrix.dtype not in (np.float32, np.float64):
        matrix = matrix.astype(np.float64)
    # Columns are checked once and used as long as the game is: they must not be anybody's to change.
    matrix = csr_array((matrix.data, matrix.indices.copy(), matrix.indptr.copy()), shape=matrix.shape)
    if not matrix.has_canonical_format:
        matrix = matrix.copy()
        matrix.sum_duplicates()
    return matrix


def _array(source: Any, what: str) -> Array:
    """An array of whatever kind; a frame's numbers, a list's rows."""
    try:
        return source if isinstance(source, np.ndarray) else np.asarray(source)
    except ValueError as error:
        raise RegretlessError(f"{what}: rows of one length are expected ({error})") from error


def _dense(array: Array, what: str) -> Array:
    values = numbers(array, what)
    return values[None] if values.ndim == 1 else values


def _exact_numbers(array: Array) -> Array | None:
    """The exact numbers, if all are whole or fractions; None if there are floats among them."""
    if array.ndim not in (1, 2) or array.size == 0 or np.ma.is_masked(array):
        return None
    if array.dtype.kind in "iu" or (array.dtype == object and all(isinstance(value, Rational) for value in array.flat)):
        return np.array(array, copy=True, ndmin=2)
    return None


def _floats(numbers: Array, what: str) -> Array:
    try:
        return numbers.astype(np.float64)
    except OverflowError as error:
        raise RegretlessError(f"{what}: a payoff is too large for floats") from error


def _culprit(values: Any, kind: Kind) -> str:
    dense = values.toarray() if kind == "sparse" else values
    row, column = np.argwhere(~np.isfinite(dense))[0]
    return f"{dense[row, column]} in row {row + 1}, column {column + 1}"


class ZeroSum:
    """What the methods need of a `MatrixGame`.

    Attributes
    ----------
    payoffs : Payoffs
        Payoffs of the row player, also of a game of losses.
    rows, cols : list of str
    losses : bool
        Whether the user's numbers are the row player's losses.
    """

    payoffs: Payoffs
    rows: list[str]
    cols: list[str]
    losses: bool


def strategy_of(probabilities: Any, count: int, what: str) -> Vector:
    """Probabilities as users give them.

    Raises
    ------
    RegretlessError
        If there are not as many as strategies, one is negative, or their sum is not 1.
    """
    try:
        strategy = np.ascontiguousarray(np.asarray(probabilities, dtype=np.float64))
    except (TypeError, ValueError) as error:
        raise RegretlessError(f"{what}: probabilities are expected ({error})") from error
    if strategy.shape != (count,):
        raise RegretlessError(
            f"{what}: shape {strategy.shape}; one probability for each of {count:,} strategies is expected"
        )
    if not (strategy >= 0).all() or not abs(strategy.sum() - 1) <= 1e-6:
        raise RegretlessError(f"{what}: probabilities are not negative and sum to 1; {strategy.sum():.9g} was found")
    return strategy


def starts_of(starts: Any, shape: tuple[int, int]) -> tuple[Vector, Vector]:
    """Both players' initial strategies.

    Raises
    ------
    ParameterError
        If they are no probabilities of the game's strategies.
    """
    if len(starts) != 2:
        expected = "the row player's and the column player's are expected"
        raise ParameterError("start", None, f"{len(starts):,} strategies; {expected}")
    try:
        return strategy_of(starts[0], shape[0], "row"), strategy_of(starts[1], shape[1], "column")
    except RegretlessError as error:
        raise ParameterError("start", None, str(error)) from error


# Twice the distance from 1 to the next float, for every product and addition.
_UNIT = 2.0**-52
# The smallest float: products and quotients below the normal ones may be off by half of it.
_LEAST = 5e-324


def enclose(payoffs: Payoffs, row: Vector, column: Vector) -> tuple[float, float]:
    """An interval that contains the value of the game: the least that ``row`` wins and the most that ``column`` pays.

    Both ends hold for the exact strategies ``row / sum(row)`` and ``column / sum(column)`` and are rounded outwards,
    so that ``lower <= value <= upper`` always holds, and the gap is never negative. Products are summed in twice the
    digits with a bound on their error, which is zero where nothing was rounded: the interval is as narrow as floats
    allow, and the same for every instruction set. The difference between fractions and their floats is included.

    The products with a linear operator are the user's. They are trusted to be as accurate as plain sums of as many
    terms, each no larger than the declared payoffs, or else than the largest product. Products outside of the
    declared range are an error.

    Parameters
    ----------
    payoffs : Payoffs
    row, column : ndarray of float64
        Weights, not all zero.

    Returns
    -------
    (float, float)

    Raises
    ------
    RegretlessError
        If products with a linear operator cannot be those of one matrix, or of one with such payoffs.
    """
    row, column = np.ascontiguousarray(row, dtype=np.float64), np.ascontiguousarray(column, dtype=np.float64)
    values = payoffs.values
    if payoffs.kind == "dense":
        lower, upper = _core.enclose(values, payoffs.size, row, column)
    elif payoffs.kind == "sparse":
        lower, upper = _core.enclose(values.data, payoffs.size, row, column, values.indices, values.indptr)
    else:
        return _trusted(payoffs, row, column)
    return loosened(lower, upper, payoffs.rounding)


def loosened(lower: float, upper: float, off: float) -> tuple[float, float]:
    """An interval of floats that holds the exact one too, whose payoffs may differ by so much."""
    return (nextafter(lower - off, -inf), nextafter(upper + off, inf)) if off else (lower, upper)


def trusted_to(payoffs: Payoffs, largest: float) -> float:
    """The largest error of a linear operator's product, of payoffs up to `largest`."""
    return (max(payoffs.shape) + 8) * (_UNIT * largest + _LEAST)


def _trusted(payoffs: Payoffs, row: Vector, column: Vector) -> tuple[float, float]:
    won, paid = payoffs.times(column) / column.sum(), payoffs.left(row) / row.sum()
    if not (np.isfinite(won).all() and np.isfinite(paid).all()):
        raise RegretlessError("a product with the linear operator is not finite")
    largest = payoffs.size
    if isnan(largest):
        largest = max(float(np.abs(won).max()), float(np.abs(paid).max()))
    lower, upper = float(paid.min()), float(won.max())
    off = trusted_to(payoffs, largest)
    for product in (won, paid):
        least, most = float(product.min()), float(product.max())
        if least < payoffs.low - off or most > payoffs.high + off:  # never of NaN, where nothing was declared
            raise RegretlessError(
                f"payoff_range: from {payoffs.low:.9g} to {payoffs.high:.9g} was declared of the row player's payoffs, "
                f"but the linear operator's products go from {least:.9g} to {most:.9g}"
            )
    # Products that contradict each other by more than that are no products of one matrix.
    if lower - off > upper + off:
        raise RegretlessError(
            f"the linear operator's products contradict each other: a row wins at least {lower:.9g} and a column pays "
            f"at most {upper:.9g}; rmatvec must be the transpose of matvec"
        )
    return nextafter(lower - off, -inf), nextafter(upper + off, inf)


# Squares of payoffs beyond these, or sums of them, would over- or underflow.
SMALLEST, LARGEST = 2.0**-100, 2.0**100


def power_of_two(size: float) -> float:
    """The power of two that brings a size near 1, and whose inverse is a float too."""
    return ldexp(1.0, max(-1022, min(1022, frexp(size)[1])))


def unit_of(size: float) -> float:
    """The divisor of payoffs up to a size: 1 wherever their squares are floats."""
    return 1.0 if size == 0 or SMALLEST <= size <= LARGEST else power_of_two(size)


def in_payoffs(book: np.ndarray[Any, Any], unit: float) -> GameLedger:
    """The ledger, in payoffs, of a play that was paid in a unit."""
    from ..ledger import GAME_FIELDS, GameLedger

    totals = dict(zip(GAME_FIELDS, book.tolist(), strict=True))
    for name, value in totals.items():
        if name.endswith(("_regret", "_norm", "turn", "gap")):
            totals[name] = value * unit
        elif name.endswith(("_square", "_shift")):
            totals[name] = value * unit * unit
    return GameLedger(**totals)


# So few numbers as names are stored.
_FEW = 100


@lru_cache(maxsize=16)
def _numbered(count: int, first: int) -> tuple[str, ...]:
    return tuple(str(place) for place in range(first, first + count))


def names_or_numbers(names: Sequence[str] | None, count: int, what: str, first: int = 1) -> list[str]:
    """Distinct names; by default numbers.

    Parameters
    ----------
    names : sequence of str or None
    count : int
        The number of names.
    what : str
        Their name in errors.
    first : int
        The first number.

    Raises
    ------
    RegretlessError
        If there are more or fewer names, or one occurs twice.
    """
    if names is None:
        return list(_numbered(count, first)) if count <= _FEW else list(_numbered.__wrapped__(count, first))
    if isinstance(names, str):
        raise RegretlessError(f"{what}: {names!r} is one name; a list of {count:,} names is expected")
    texts = [str(name) for name in names]
    if len(texts) != count:
        raise RegretlessError(f"{what}: {len(texts):,} names; {count:,} are expected")
    if len(set(texts)) < count:
        twice = next(name for place, name in enumerate(texts) if name in texts[:place])
        raise RegretlessError(f"{what}: {twice!r} stands twice; each needs a name of its own")
    return texts


def distinct(names: Iterable[str]) -> list[str]:
    """Distinct names: names that occur more than once are numbered."""
    texts = list(names)
    counts, used, unique = Counter(texts), set(texts), []
    numbers: Counter[str] = Counter()
    for name in texts:
        new = name
        while counts[name] > 1 and (new == name or new in used):
            numbers[name] += 1
            new = f"{name} ({numbers[name]})"
        used.add(new)
        unique.append(new)
    return unique
