"""Offsets by bins of forecast probabilities, so that labels in each bin are as frequent as forecast."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arrays import numbers
from ..certificate import Certificates, CertifiedState
from ..checks import share, whole
from ..errors import RegretlessError
from ..ledger import Ledger
from ..persist.json_state import JsonState
from ..persist.validation import count, one
from ..theory.calibration import CalibrationFacts, binned_calibration
from .labels import is_larger, which_are_larger

Array = np.ndarray[Any, np.dtype[np.float64]]
WITHIN = "from 0 to 1 is expected"


@dataclass(eq=False)
class BinnedOffsets(CertifiedState, JsonState):
    """Forecast probabilities p, each corrected by an offset of its bin, which follows the errors in the bin.

    ::

        predict   p + theta_k within [0, 1], k the bin of p
        update    theta_k <- theta_k + rate (1[the label is the larger one] - the forecast)

    Whatever the sequence, the distance of forecasts from labels, added up over the bins of p, is at most
    sum_k (max(1 - (k - 1) / bins, k / bins) + rate) / rate rounds in all. Bins are those of p, not of the corrected
    forecast. Nothing is promised of the log loss: a forecaster that ignores the rows is calibrated, and remains
    useless.

    Parameters
    ----------
    bins : int, default=10
        Of equal width.
    rate : float, default=0.05
        Between 0 and 1: the smaller, the steadier, and the wider the bound.

    Attributes
    ----------
    offsets_ : ndarray, shape (bins,)
    ledger_ : Ledger
        Rounds, and as loss the calibration error: the distance of forecasts from labels, added up over the bins.

    References
    ----------
    Angelopoulos, Jordan & Tibshirani 2025, Gradient equilibrium in online learning.

    Examples
    --------
    >>> import numpy as np
    >>> from regretless.calibration import BinnedOffsets
    >>> rng = np.random.default_rng(0)
    >>> too_sure = np.where(rng.random(4000) < 0.5, 0.05, 0.95)
    >>> labels = rng.random(4000) < np.where(too_sure > 0.5, 0.7, 0.3)
    >>> offsets = BinnedOffsets()
    >>> corrected = offsets.play(too_sure, labels)
    >>> offsets.offsets_[[0, 9]].round(1).tolist()
    [0.3, -0.3]
    >>> offsets.certify()[0].holds
    True
    """

    bins: int = 10
    rate: float = 0.05

    _kind = "calibration"

    def __post_init__(self) -> None:
        self.bins, self.rate = whole("bins", self.bins), share("rate", self.rate)
        self.offsets_ = np.zeros(self.bins)
        self._rounds = np.zeros(self.bins, dtype=np.int64)
        self._errors = np.zeros(self.bins)

    def probability(self, p: float) -> float:
        """The corrected forecast where the forecaster has p.

        Raises
        ------
        RegretlessError
            If p is no number from 0 to 1.
        """
        return self._corrected(_checked(p))

    def update(self, p: float, label: Any) -> float:
        """Learn a round; the corrected forecast of it, made before it was learned.

        Parameters
        ----------
        p : float
            The forecast, from 0 to 1.
        label : bool, or -1, 0 or 1
            Whether it is the larger one.

        Raises
        ------
        RegretlessError
            If p is no number from 0 to 1, or the label is another.
        """
        return self._learn(_checked(p), is_larger(label))

    def play(self, probabilities: Any, labels: Any) -> Array:
        """Many rounds; the corrected forecast of each, made before it was learned.

        Parameters
        ----------
        probabilities : array-like of shape (rounds,)
        labels : array-like of shape (rounds,)
            Whether each is the larger one: bool, or -1 and 1, or 0 and 1.

        Raises
        ------
        RegretlessError
            If a probability is no number from 0 to 1, or there are other labels; the message says in which row (from
            0). Then nothing is learned.
        """
        each = np.asarray(numbers(probabilities, "probabilities"), dtype=np.float64).ravel()
        larger = which_are_larger(labels, len(each), "probabilities")
        valid = (each >= 0) & (each <= 1)
        if not valid.all():
            row = int(np.argmin(valid))
            raise RegretlessError(f"probabilities: row {row} (from 0) is {each[row]:g}: a number {WITHIN}")
        return np.array([self._learn(*one) for one in zip(each.tolist(), larger.tolist(), strict=True)])

    def _learn(self, p: float, larger: bool) -> float:
        k, corrected = self._bin(p), self._corrected(p)
        self.offsets_[k] += self.rate * (larger - corrected)
        self._errors[k] += larger - corrected
        self._rounds[k] += 1
        return corrected

    def _corrected(self, p: float) -> float:
        return min(max(p + float(self.offsets_[self._bin(p)]), 0.0), 1.0)

    def _bin(self, p: float) -> int:
        return min(int(p * self.bins), self.bins - 1)

    @property
    def ledger_(self) -> Ledger:
        """What was observed so far."""
        return Ledger(rounds=float(self._rounds.sum()), loss=float(np.abs(self._errors).sum()))

    def facts(self) -> CalibrationFacts:
        """What theorems may ask."""
        k = np.flatnonzero(self._rounds)
        furthest = np.maximum(1 - k / self.bins, (k + 1) / self.bins) + self.rate
        return CalibrationFacts(offsets=float(furthest.sum()), rate=self.rate)

    def certify(self) -> Certificates:
        """The theorem on the calibration error, with the numbers of this run."""
        return Certificates([binned_calibration.certify(self.ledger_, [None], self.facts())])

    # ---- in a file

    def _state_values(self) -> dict[str, Any]:
        offsets, rounds, errors = (each.tolist() for each in (self.offsets_, self._rounds, self._errors))
        return {"offsets": offsets, "rounds": rounds, "errors": errors}

    def _restore(self, state: Mapping[str, Any]) -> None:
        for name in ("offsets", "rounds", "errors"):
            if len(one(state[name], list, name)) != self.bins:
                raise ValueError(f"{name} are not of {self.bins} bins")
        self.offsets_[:] = [one(value, float, "an offset") for value in state["offsets"]]
        self._rounds[:] = [count(value, "rounds of a bin") for value in state["rounds"]]
        self._errors[:] = [one(value, float, "an error") for value in state["errors"]]
        if not (np.abs(self._errors) <= self._rounds).all():
            raise ValueError("an error is larger than its rounds")
        if not (np.abs(self.offsets_ - self.rate * self._errors) <= 1e-9 * (1 + self._rounds)).all():
            raise ValueError("an offset is not that of its errors")


def _checked(p: Any) -> float:
    try:
        number = float(p)
    except (TypeError, ValueError, OverflowError) as error:
        raise RegretlessError(f"probability {p!r}: a number {WITHIN}") from error
    if not 0 <= number <= 1:
        raise RegretlessError(f"probability {number:g}: a number {WITHIN}")
    return number
