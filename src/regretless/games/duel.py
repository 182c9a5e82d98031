"""Two learners that play each other on one matrix, or each on a matrix of its own.

Each player is paid from a matrix, a scaled copy, compressed rows, or a product by a function.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf, isfinite, isnan, log, nan, sqrt
from typing import Any, ClassVar

import numpy as np

from .. import _core
from ..errors import ParameterError, RegretlessError
from ..ledger import GAME_FIELDS, GameLedger
from ..state import KernelState
from ..theory.game_facts import MATRIX_RULES, PlayRule
from .methods import AVERAGES, SELF_PLAY
from .payoffs import Payoffs, Vector, in_payoffs, power_of_two, starts_of, unit_of

# The error of 16-bit copies as a share of the range of payoffs: half of one of 65,534 steps for each of two players.
# The rounding of sums, at most 64 terms in a row and a tree of eight, is a small part of that.
ROUNDED = 1.1 / 65534
_, _, PLAY, SUM, WON, PRIOR = range(_core.DUEL_ROWS)


class Duel(KernelState):
    """Two learners that play each other; a play can be continued.

    Parameters
    ----------
    payoffs : Payoffs
        Payoffs of the row player.
    method : {"rm+", "prm+", "rm", "optimistic-hedge", "hedge"}
        The learners: regret matching plus, its predictive variant, which expects the last regrets again, plain regret
        matching, or exponential weights with or without such a prediction.
    column_payoffs : Payoffs, optional
        Payoffs of the column player; by default the negated payoffs of the row player.
    average : {"uniform", "linear", "quadratic"}, optional
        Whether round t has weight 1, t or t^2 in the average strategies; by default quadratic for ``"rm+"`` and
        ``"prm+"``, which converge much faster with it, else uniform.
    alternate : bool, optional
        Whether the column player moves second and sees the row player's strategy; the default for ``"rm+"`` and
        ``"prm+"``. Players of two matrices, and those with `joint`, always move at once.
    rates : float or pair of float, optional
        Of exponential weights, for payoffs in their own units. By default sqrt(8 ln n / rounds) / spread where the
        number of rounds is known, else 2 sqrt(ln n / t) / spread in round t; of ``"optimistic-hedge"`` 1 / spread.
    rounds : int, optional
        The horizon, for the default rates of ``"hedge"``.
    start : pair of array, optional
        Strategies of the first round. Those of exponential weights must be positive; regret matchers play them whenever
        they have no positive regret.
    single : bool
        Whether payoffs are copied in 16 bits, which is faster, and multiplied in float32.
    joint : ndarray, optional
        Zeros of the shape of the payoffs, to which the weighted joint distributions of the rounds are added.

    Raises
    ------
    RegretlessError
        If a parameter is invalid.
    """

    ARRAYS: ClassVar[tuple[str, ...]] = ("row_state", "column_state", "memory", "book")

    def __init__(
        self,
        payoffs: Payoffs,
        method: str = "rm+",
        *,
        column_payoffs: Payoffs | None = None,
        average: str | None = None,
        alternate: bool | None = None,
        rates: float | tuple[float, float] | None = None,
        rounds: int | None = None,
        start: tuple[Any, Any] | None = None,
        single: bool = False,
        joint: np.ndarray[Any, Any] | None = None,
    ) -> None:
        if method not in SELF_PLAY:
            raise ParameterError("method", None, f"{method!r}; self-play knows {', '.join(SELF_PLAY)}")
        self.rule = MATRIX_RULES[method]
        self.payoffs, self.column_payoffs, self.method, self.joint = payoffs, column_payoffs, method, joint
        self.zero_sum = column_payoffs is None
        if column_payoffs is not None and column_payoffs.shape != payoffs.shape:
            raise ParameterError("column_payoffs", None, f"shape {column_payoffs.shape}; {payoffs.shape} is expected")
        self.alternate, self.average = _habits(self.rule, alternate, average, self.zero_sum, joint)
        if single and not all(map(copyable, self._matrices())):
            raise ParameterError(
                "single", None, "only dense payoffs are copied in 16 bits, whose range is a normal float"
            )
        self.single = single
        row, column = paid(payoffs, column_payoffs, single)
        self.units = row.units, column.units
        self.falls, self.rates = _rates(method, rates, rounds, (row, column), payoffs.shape)
        begins = _begins(self.rule, start, payoffs.shape)
        self.started = start is not None
        self.row_state, self.column_state = (_state(self.rule, begin) for begin in begins)
        self.memory, self.book = np.zeros(_core.DUEL_MEMORY), np.zeros(len(GAME_FIELDS))
        self.core = self._core((row, column))

    def _matrices(self) -> list[Payoffs]:
        return [self.payoffs] if self.column_payoffs is None else [self.payoffs, self.column_payoffs]

    def _core(self, players: tuple[Paid, Paid] | None = None) -> Any:
        row, column = players or paid(self.payoffs, self.column_payoffs, self.single)
        return _core.Dueler(
            self.method,
            row.payer,
            column.payer,
            row_state=self.row_state,
            column_state=self.column_state,
            memory=self.memory,
            book=self.book,
            joint=self.joint,
            alternate=self.alternate,
            zero_sum=self.zero_sum,
            power=AVERAGES.index(self.average),
            falls=self.falls,
            row_rate=self.rates[0],
            column_rate=self.rates[1],
        )

    @property
    def rounds(self) -> int:
        """Number of rounds so far."""
        return int(self.book[0])

    def play(self, rounds: int, until: float = -inf) -> tuple[int, bool]:
        """Continue the play; a long play returns before its end, so that it can be interrupted.

        Parameters
        ----------
        rounds : int
        until : float
            The gap to stop at. It is checked each time that the rounds have grown by 1/32.

        Returns
        -------
        (int, bool)
            The number of rounds that were played, and whether the gap was at most `until`.
        """
        played, reached = self.core.play(rounds, until / self.units[0].unit)
        return int(played), bool(reached)

    @property
    def row(self) -> Vector:
        """The row player's average strategy."""
        return self._mean(self.row_state, self.payoffs.shape[0])

    @property
    def column(self) -> Vector:
        """The column player's average strategy."""
        return self._mean(self.column_state, self.payoffs.shape[1])

    def _mean(self, state: Vector, count: int) -> Vector:
        summed = state[SUM if self.book[0] > 0 else PLAY, :count]
        mean: Vector = summed / summed.sum()
        return mean

    @property
    def best(self) -> tuple[float, float]:
        """The payoff of each player's best response to the other's average strategy, by the players' own sums."""
        weight = self.book[1]
        if not weight > 0:
            return nan, nan
        states = zip((self.row_state, self.column_state), self.payoffs.shape, self.units, strict=True)
        row, column = (
            float(state[WON, :count].max()) / weight * units.unit + units.centre for state, count, units in states
        )
        return row, column

    @property
    def ledger(self) -> GameLedger:
        """The ledger, in the units of the payoffs."""
        return in_payoffs(self.book, self.units[0].unit)

    @property
    def rounding(self) -> float:
        """The error of the gap by copies in 16 bits and products in float32; 0 without them."""
        if not self.single:
            return 0.0
        return max(matrix.spread for matrix in self._matrices()) * ROUNDED

    @property
    def settings(self) -> dict[str, Any]:
        """Other facts of the players for theorems."""
        row_rate, column_rate = (
            nan if self.falls or not self.rule.exponential else rate / self.units[0].unit for rate in self.rates
        )
        settings: dict[str, Any] = {
            "alternate": self.alternate,
            "power": AVERAGES.index(self.average),
            "row_rate": row_rate,
            "column_rate": column_rate,
            "rounding": self.rounding,
            "zero_sum": self.zero_sum,
        }
        if self.started and self.rule.exponential:
            rows, columns = self.payoffs.shape
            settings["row_information"] = -float(self.row_state[PRIOR, :rows].min())
            settings["column_information"] = -float(self.column_state[PRIOR, :columns].min())
        return settings


def _habits(
    rule: PlayRule, alternate: bool | None, average: str | None, zero_sum: bool, joint: np.ndarray[Any, Any] | None
) -> tuple[bool, str]:
    """Whether the column player moves second, and how rounds are weighted."""
    turns = rule.clips
    if average is not None and average not in AVERAGES:
        raise ParameterError("average", None, f"{average!r}; {', '.join(AVERAGES)} are known")
    if not zero_sum or joint is not None:
        if alternate:
            raise RegretlessError("alternate: players of two matrices, and those with joint=, move at once")
        turns = False
    return turns if alternate is None else bool(alternate), average or ("quadratic" if rule.clips else "uniform")


def _rates(
    method: str,
    rates: float | tuple[float, float] | None,
    rounds: int | None,
    players: tuple[Paid, Paid],
    shape: tuple[int, int],
) -> tuple[bool, tuple[float, float]]:
    """Whether rates fall, and both players' rates for payoffs in units."""
    rule = MATRIX_RULES[method]
    if not rule.exponential:
        if rates is not None:
            raise ParameterError("rates", None, f"{method} has none; exponential weights have")
        return False, (0.0, 0.0)
    if rates is not None:
        pair = tuple(rates) if isinstance(rates, tuple | list) else (rates, rates)
        if len(pair) != 2 or not all(0 < rate * players[0].units.unit < inf for rate in pair):
            raise ParameterError("rates", None, f"{rates!r}; one or two finite numbers above 0 are expected")
        row, column = (float(rate) * players[0].units.unit for rate in pair)
        return False, (row, column)
    spreads = [who.spread for who in players]
    if not all(isfinite(spread) for spread in spreads):
        raise ParameterError("rates", None, f"{method} needs them where the range of the payoffs is unknown")
    scales = [1 / spread if spread > 0 else 1.0 for spread in spreads]
    if rule.predicts:
        return False, (scales[0], scales[1])
    informations = [log(count) for count in shape]
    factor = 2.0 if rounds is None else sqrt(8 / rounds)
    row, column = (factor * sqrt(nats) * scale for nats, scale in zip(informations, scales, strict=True))
    return rounds is None, (row, column)


def _begins(rule: PlayRule, start: tuple[Any, Any] | None, shape: tuple[int, int]) -> list[Vector]:
    if start is None:
        return [np.full(count, 1 / count) for count in shape]
    begins = starts_of(start, shape)
    if rule.exponential and any((begin == 0).any() for begin in begins):
        raise ParameterError(
            "start", None, "exponential weights never play what begins at 0; positive probabilities are expected"
        )
    return [begin / begin.sum() for begin in begins]


def _state(rule: PlayRule, begin: Vector) -> Vector:
    """A player's state before the first round."""
    count, exponential = len(begin), rule.exponential
    state = np.zeros((_core.DUEL_ROWS, -(-count // 16) * 16))
    state[PLAY, :count] = begin
    state[PRIOR, :count] = np.log(begin) if exponential else begin
    if exponential:
        state[PRIOR, count:] = -inf
    return state


# The largest 16-bit integer.
LARGEST_SHORT = 32767.0
# Payoffs larger than their range by this factor lose the digits in which they differ.
OFFSET = 8.0
# A smaller half of the range has no inverse in floats times 32767.
NARROWEST = 2.0**-1000


@dataclass(frozen=True, slots=True)
class Units:
    """Units of a player's payoffs: a payoff is `centre` plus a multiple of `unit`."""

    centre: float = 0.0
    unit: float = 1.0


@dataclass(frozen=True, slots=True, eq=False)
class Paid:
    """One player's payoffs in units.

    Attributes
    ----------
    payer : Payer
    units : Units
    spread : float
        The range of its payoffs, in units; NaN if it is unknown.
    """

    payer: Any
    units: Units
    spread: float


def paid(payoffs: Payoffs, column_payoffs: Payoffs | None, single: bool) -> tuple[Paid, Paid]:
    """Both players' payoffs.

    Parameters
    ----------
    payoffs : Payoffs
        The row player's.
    column_payoffs : Payoffs or None
        The column player's; None for the negated payoffs of the row player.
    single : bool
        Whether dense payoffs are copied in 16 bits, and multiplied in float32.
    """
    matrix = _scaled(payoffs, single)
    row = _player(payoffs, matrix, matrix.units.unit, turned=False, sign=1.0)
    if column_payoffs is None:
        return row, _player(payoffs, matrix, matrix.units.unit, turned=True, sign=-1.0)
    other = _scaled(column_payoffs, single)
    unit = max(matrix.units.unit, other.units.unit)  # regrets of both are compared
    return _player(payoffs, matrix, unit, turned=False, sign=1.0), _player(
        column_payoffs, other, unit, turned=True, sign=1.0
    )


def gap_between(payoffs: Payoffs, row: Vector, column: Vector) -> float:
    """The duality gap of two strategies, from the original payoffs, up to the rounding of float64 sums."""
    if payoffs.kind != "dense":
        return float(payoffs.times(column).max() - payoffs.left(row).min())
    above, below = np.empty(len(row)), np.empty(len(column))
    _core.Payer.dense(payoffs.values).gains(column, above)
    _core.Payer.dense(payoffs.values, turned=True).gains(row, below)
    return float(above.max() - below.min())


@dataclass(frozen=True, slots=True, eq=False)
class _Scaled:
    """A matrix in units, or in 16-bit integers of which LARGEST_SHORT are a unit."""

    values: Any
    units: Units
    low: float
    high: float


def _scaled(payoffs: Payoffs, single: bool) -> _Scaled:
    if payoffs.kind == "operator":
        return _scaled_products(payoffs)
    # Halves first: the range of payoffs may be beyond the floats.
    centre, half = payoffs.low / 2 + payoffs.high / 2, payoffs.high / 2 - payoffs.low / 2
    if payoffs.kind == "dense" and single:
        return _Scaled(_shortened(payoffs, centre, half), Units(centre, half or 1.0), -1.0, 1.0)
    if payoffs.kind != "dense" or payoffs.size <= OFFSET * half:
        centre = 0.0
    if centre == 0 and unit_of(payoffs.size) == 1:
        return _Scaled(payoffs.values, Units(), payoffs.low, payoffs.high)
    unit = power_of_two(half or payoffs.size)
    low, high = payoffs.low - centre, payoffs.high - centre
    return _Scaled(_moved(payoffs, centre) / unit, Units(centre, unit), low / unit, high / unit)


def copyable(payoffs: Payoffs) -> bool:
    """Whether payoffs can be copied in 16 bits: dense ones, all equal or with a range that is not too small."""
    half = payoffs.high / 2 - payoffs.low / 2
    return payoffs.kind == "dense" and (half == 0 or half >= NARROWEST)


def largest_product(payoffs: Payoffs) -> float:
    """The size of the payoffs of a linear operator without a range: the largest entry of one product."""
    # Weights without simple linear relations.
    weights = np.sqrt(np.arange(1.0, payoffs.shape[1] + 1))
    return float(np.abs(_checked(payoffs.times, payoffs.shape[0])(weights / weights.sum())).max())


def _scaled_products(payoffs: Payoffs) -> _Scaled:
    """A linear operator: its products are in units if they are far from 1."""
    size = largest_product(payoffs) if isnan(payoffs.size) else payoffs.size
    unit = unit_of(size)
    return _Scaled(payoffs.values, Units(0.0, unit), payoffs.low / unit, payoffs.high / unit)


def _shortened(payoffs: Payoffs, centre: float, half: float) -> Any:
    values = np.empty((payoffs.shape[0], -(-payoffs.shape[1] // 16) * 16), np.int16)
    _core.shorten_payoffs(payoffs.values, centre, LARGEST_SHORT / half if half > 0 else 0.0, values)
    return values


def _moved(payoffs: Payoffs, centre: float) -> Any:
    values = payoffs.values.astype(np.float64)
    return values if centre == 0 else values - centre


def _player(payoffs: Payoffs, matrix: _Scaled, unit: float, *, turned: bool, sign: float) -> Paid:
    """The player that wins `sign` times the payoffs, in multiples of `unit`."""
    factor = matrix.units.unit / unit
    return Paid(
        _payer(payoffs, matrix, turned=turned, sign=sign * factor),
        Units(sign * matrix.units.centre, unit),
        (matrix.high - matrix.low) * factor,
    )


def _payer(payoffs: Payoffs, matrix: _Scaled, *, turned: bool, sign: float) -> Any:
    rows, columns = payoffs.shape
    if payoffs.kind == "operator":
        mine, others = (columns, rows) if turned else (rows, columns)
        multiply = _checked(payoffs.left if turned else payoffs.times, mine, matrix.units.unit)
        return _core.Payer.calls(multiply, mine=mine, others=others, sign=sign)
    if payoffs.kind == "dense":
        shorts = matrix.values.dtype == np.int16
        return _core.Payer.dense(
            matrix.values, turned=turned, sign=sign / (LARGEST_SHORT if shorts else 1), columns=columns
        )
    compressed = matrix.values.T.tocsr() if turned else matrix.values
    return _core.Payer.sparse(
        np.ascontiguousarray(compressed.data),
        np.ascontiguousarray(compressed.indices, dtype=np.int32),
        np.ascontiguousarray(compressed.indptr, dtype=np.int64),
        int(compressed.shape[1]),
        sign=sign,
    )


def _checked(multiply: Callable[[Vector], Vector], count: int, unit: float = 1.0) -> Callable[[Vector], Vector]:
    def product(strategy: Vector) -> Vector:
        payoffs = multiply(strategy)
        if payoffs.shape != (count,) or not np.isfinite(payoffs).all():
            raise RegretlessError(
                f"payoffs: a product has shape {payoffs.shape}; {count:,} finite numbers are expected"
            )
        return payoffs if unit == 1 else payoffs / unit

    return product
