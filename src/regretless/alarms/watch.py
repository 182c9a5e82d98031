"""Columns of losses beside their references: alarms, means inside intervals, and how all of it went."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import nextafter
from typing import Any

import numpy as np

from ..arrays import numbers
from ..certificate import Certificates, CertifiedState
from ..checks import names_in, share, whole
from ..errors import ParameterError, RegretlessError, RowError
from ..persist.json_state import JsonState
from ..persist.validation import count, one
from ..report import WatchedColumn, WatchReport, page_of_watch
from .base import Array, checked_range, outside
from .column import ColumnAlarm, WatchedLosses, alarm_of
from .confidence import ConfidenceSequence
from .detector import EDetector
from .ville import VilleAlarm

WINDOWS = 200  # of the course; when there are so many, each two become one
MOST_ALARMS = 1000  # that are remembered
MEAN_ROUNDS, DELTA = 10_000.0, 0.05


@dataclass(eq=False)
class Watch(CertifiedState, JsonState):
    """Watches columns of losses for those that get worse than their references.

    All bounds are for the columns together: each of K has an e-detector at K times `mean_rounds`, or a fixed start at
    `alpha` / K, an interval at 1 - (1 - `level`) / K, and a reference from earlier rounds at `delta` / K.

    Parameters
    ----------
    columns : sequence of str
    reference : float, optional
        The largest expected loss that is no alarm. By default the upper confidence limit of earlier rounds: those of
        `begin`, or the first `reference_rounds`.
    reference_rounds : int, optional
    period : int, optional
        Instead: the reference is the upper limit of the last `period` rounds, and is renewed every `period` rounds. So
        a drift that is slow beside a period raises no alarm, and what got worse is usual from the next period on. The
        k-th limit has its part delta / (k (k + 1)) of `delta`.
    mean_rounds : float, optional
        The mean number of rounds to a false alarm of any column, at least: 10,000 by default.
    alpha : float, optional
        Instead of `mean_rounds`: the probability that there is ever a false alarm, at most. A column has one alarm
        then.
    delta : float, optional
        The probability that a limit from earlier rounds is too low, at most: 0.05 by default, or half of `alpha`, of
        which it is a part.
    level : float
        The intervals of the means hold with this probability, after all numbers of rounds at once.
    value_range : (float, float)
        Where all losses lie.

    Examples
    --------
    >>> import numpy as np
    >>> from regretless.alarms import Watch
    >>> watch = Watch(["wrong"], reference_rounds=500, mean_rounds=1000)
    >>> raised = watch.add(np.repeat([0, 1], [1500, 20]))
    >>> raised[0].round, raised[0].since, round(watch.references_[0], 4)
    (1003, 1001, 0.0156)
    """

    columns: Sequence[str]
    reference: float | None = None
    reference_rounds: int | None = None
    mean_rounds: float | None = None
    alpha: float | None = None
    delta: float | None = None
    level: float = 0.95
    value_range: tuple[float, float] = (0.0, 1.0)
    period: int | None = None

    _kind = "watch"

    def __post_init__(self) -> None:
        self.columns = list(names_in("columns", self.columns))
        self.value_range = checked_range(self.value_range)
        if not self.columns or len(set(self.columns)) < len(self.columns):
            raise ParameterError("columns", repr(self.columns), "names are expected, none of them twice")
        self._check_promise()
        many = len(self.columns)
        self.level = share("level", self.level)
        self._each = [
            WatchedLosses(
                name,
                self._earlier(1),
                ConfidenceSequence(1 - (1 - self.level) / many, value_range=self.value_range),
            )
            for name in self.columns
        ]
        self.alarms_: list[ColumnAlarm] = []
        self._stride = 1
        if self.reference is not None:
            self._set([self.reference] * many)

    def _check_promise(self) -> None:
        if self.mean_rounds is not None and self.alpha is not None:
            raise ParameterError(
                "alpha", repr(self.alpha), "it is one promise, and mean_rounds is another: give one of them"
            )
        if self.period is not None:
            self.period = whole("period", self.period)
            for name in ("reference", "reference_rounds", "alpha"):
                if getattr(self, name) is not None:
                    raise ParameterError(name, repr(getattr(self, name)), "the reference is renewed every period")
        if self.reference is not None and (self.reference_rounds is not None or self.delta is not None):
            wrong = "reference_rounds" if self.reference_rounds is not None else "delta"
            raise ParameterError(wrong, repr(getattr(self, wrong)), "it is for a reference from earlier rounds")
        if self.reference_rounds is not None:
            self.reference_rounds = whole("reference_rounds", self.reference_rounds)
        if self.alpha is None:
            self.mean_rounds = EDetector(0.5, MEAN_ROUNDS if self.mean_rounds is None else self.mean_rounds).mean_rounds
        else:
            self.alpha = share("alpha", self.alpha)
        if self.delta is not None and not share("delta", self.delta) < (self.alpha or 0.5):
            raise ParameterError("delta", repr(self.delta), f"it must be below {self.alpha or 0.5:g}")

    @property
    def reference_delta(self) -> float:
        """The probability that a limit from earlier rounds is too low, at most."""
        return self.delta or (DELTA if self.alpha is None else self.alpha / 2)

    # The reference.

    def _earlier(self, number: int) -> ConfidenceSequence:
        """What takes the rounds before the k-th reference, of whose interval the upper end alone is used."""
        part = self.reference_delta / len(self.columns) / (1 if self.period is None else number * (number + 1))
        return ConfidenceSequence(1 - 2 * part, value_range=self.value_range)

    @property
    def references_(self) -> list[float] | None:
        """The reference of each column; None before it is known."""
        return [each.alarm.reference for each in self._each if each.alarm is not None] or None

    @property
    def reference_rounds_(self) -> int:
        """The number of earlier rounds for the references so far."""
        return self._each[0].earlier.rounds_

    def begin(self, losses: Any) -> None:
        """Add earlier rounds, whose upper limits become the references.

        Parameters
        ----------
        losses : array-like, shape (rounds, columns), or (rounds,) of a single column

        Raises
        ------
        RegretlessError
            If there is a reference already, or a loss cannot be used.
        """
        if self.references_ is not None:
            raise RegretlessError("there is a reference already, and rounds are watched")
        table = self._table(losses)
        for each, values in zip(self._each, table.T, strict=True):
            each.earlier.update(values)

    def _fix(self) -> None:
        """Set the references to the upper limits of the earlier rounds."""
        if not self.reference_rounds_:
            raise RegretlessError("there is no reference: give one, or earlier rounds")
        limits = [each.earlier.interval_[1] for each in self._each]
        for each, limit in zip(self._each, limits, strict=True):
            if self.period is None and limit >= self.value_range[1]:
                fault = f"the upper limit of {each.name!r} in {self.reference_rounds_:,} rounds is {limit:g}"
                raise RegretlessError(f"{fault}, which no loss exceeds; give more rounds for the reference")
        self._set([self._below_the_top(limit) for limit in limits])
        if self.period is not None:
            for each in self._each:
                each.period = self._earlier(2)

    def _below_the_top(self, limit: float) -> float:
        """A limit as a reference: where no loss can exceed it, nothing is found in this period."""
        low, high = self.value_range
        return min(limit, nextafter(high, low))

    def _renew(self) -> None:
        """Let the rounds of the period that is over give the reference of the next one."""
        assert self.period is not None
        for each in self._each:
            assert each.alarm is not None
            assert each.period is not None
            each.earlier = each.period
            each.alarm.renew(self._below_the_top(each.earlier.interval_[1]))
            each.period = self._earlier(self.rounds_ // self.period + 2)

    def _set(self, references: Sequence[float]) -> None:
        many = len(self._each)
        for each, reference in zip(self._each, references, strict=True):
            if self.alpha is None:
                assert self.mean_rounds is not None
                each.alarm = EDetector(reference, self.mean_rounds * many, value_range=self.value_range)
            else:
                alpha = self.alpha if self.reference is not None else self.alpha - self.reference_delta
                each.alarm = VilleAlarm(reference, alpha / many, value_range=self.value_range)

    # Rounds.

    @property
    def spent_(self) -> list[str]:
        """With `alpha`, the columns whose one alarm was raised: they can have no more."""
        return [each.name for each in self._each if isinstance(each.alarm, VilleAlarm) and each.alarm.last_alarm_]

    @property
    def rounds_(self) -> int:
        """The number of rounds, without those of the reference."""
        return self._each[0].mean.rounds_

    def add(self, losses: Any) -> list[ColumnAlarm]:
        """Add further rounds; those for a reference that is not known yet raise no alarm.

        Parameters
        ----------
        losses : array-like, shape (rounds, columns), or (rounds,) of a single column

        Returns
        -------
        list of ColumnAlarm
            The alarms of these rounds, in their order.

        Raises
        ------
        RowError
            If a loss is missing, infinite or out of the range; it names the row, from 0. Nothing has changed then.
        RegretlessError
            If there is no reference, or the losses are no table of these columns.
        """
        table, raised = self._table(losses), []
        if self.references_ is None:
            first = max(0, (self.reference_rounds or self.period or 0) - self.reference_rounds_)
            self.begin(table[:first])
            table = table[first:]
            if not len(table):
                return []
            self._fix()
        begin = 0
        while begin < len(table):
            done = self._each[0].open.rounds if self._each[0].open else 0
            left = len(table) if self.period is None else self.period - self.rounds_ % self.period
            end = min(len(table), begin + self._stride - done, begin + left)
            raised += self._window(table[begin:end], done + end - begin == self._stride)
            begin = end
            if self.period is not None and self.rounds_ % self.period == 0:
                self._renew()
        self.alarms_ += raised[: max(0, MOST_ALARMS - len(self.alarms_))]
        return raised

    def _window(self, rows: Array, ends: bool) -> list[ColumnAlarm]:
        """Add rounds of one window, and end it if these are its last."""
        raised = [alarm for each, values in zip(self._each, rows.T, strict=True) for alarm in each.add(values)]
        if ends:
            merge = len(self._each[0].windows) + 1 == WINDOWS
            for each in self._each:
                each.close(merge)
            self._stride *= 1 + merge
        return sorted(raised, key=lambda alarm: alarm.round)

    def _table(self, losses: Any) -> Array:
        """Losses of each column in a row a round.

        Raises
        ------
        RegretlessError
            If they have another shape, or one is missing, infinite or out of the range.
        """
        table = np.asarray(numbers(losses, "losses"), dtype=np.float64)
        table = table[:, None] if table.ndim == 1 and len(self._each) == 1 else table
        if table.ndim != 2 or table.shape[1] != len(self._each):
            expected = f"a row a round and {len(self._each)} columns are expected"
            raise RegretlessError(f"losses of shape {table.shape}: {expected}")
        low, high = self.value_range
        bad = ~((table >= low) & (table <= high)).all(axis=1)
        if bad.any():
            row = int(bad.argmax())
            value = next(one for one in table[row].tolist() if not low <= one <= high)
            fault, advice = outside(value, self.value_range)
            raise RowError(f"row {row} (from 0): {fault}; {advice}", 0, row, fault, advice)
        return table

    # Results.

    @property
    def promise(self) -> str:
        """The bound on false alarms, in a sentence."""
        many, earlier = len(self._each), self.reference is None
        columns = f", {many} columns together" if many > 1 else ""
        if self.alpha is not None:
            part = f", {100 * self.reference_delta:.4g}% of it for a reference that is too low" if earlier else ""
            return f"ever a false alarm with probability {100 * self.alpha:.4g}% at most{columns}{part}"
        assert self.mean_rounds is not None
        often = f"{self.mean_rounds:,.10g} rounds on average at least to a false alarm{columns}"
        which = "the reference" if self.period is None else "any of the references, renewed every period,"
        doubt = f", but for a probability of {100 * self.reference_delta:.4g}% that {which} is too low"
        return often + (doubt if earlier else "")

    def results(self) -> list[WatchedColumn]:
        """A result for each column."""
        return [each.result() for each in self._each]

    def certify(self) -> Certificates:
        """The bound on each column's alarms beside their number; for a single column the bound on its mean too."""
        certificates = Certificates()
        for each in self._each:
            if each.alarm is not None:
                above = f"{each.alarm.reference:.6g}" if self.period is None else "the reference of its period"
                words = f"that no loss of {each.name!r} is above {above} in expectation, given those before"
                certificates += [replace(one, assuming=words) for one in each.alarm.certify()]
        if len(self._each) == 1:
            certificates += self._each[0].mean.certify()
        return certificates

    def plot(self) -> Any:
        """A matplotlib figure of the losses by window, the mean inside its interval, and the evidence; `MissingError`
        without matplotlib.
        """
        from ..plot import figure

        return figure(page_of_watch(WatchReport("", self, {})))

    # In a file.

    def _state_values(self) -> dict[str, Any]:
        return {
            "stride": self._stride,
            "alarms": [list(one) for one in self.alarms_],
            "columns": [each.state_dict() for each in self._each],
        }

    def _restore(self, state: Mapping[str, Any]) -> None:
        self._stride = count(state["stride"], "stride", 1)
        self.alarms_ = [alarm_of(alarm) for alarm in one(state["alarms"], list, "alarms")]
        rule = EDetector if self.alpha is None else VilleAlarm
        for each, described in zip(self._each, state["columns"], strict=True):
            each.restore(described, rule)
            self._refuse_other(each)

    def _refuse_other(self, each: WatchedLosses) -> None:
        """Refuse a column whose parts are not those of one watch."""
        first = self._each[0]
        ranges = {each.earlier.value_range, each.mean.value_range, *([each.alarm.value_range] if each.alarm else ())}
        alike = each.mean.rounds_ == first.mean.rounds_ and len(each.windows) == len(first.windows) < WINDOWS
        if not alike or ranges != {self.value_range}:
            raise ValueError("its columns are not of one watch")
        if (each.alarm is None) != (first.alarm is None) or (each.alarm is None and each.mean.rounds_):
            raise ValueError("its columns are watched, and without a reference")
