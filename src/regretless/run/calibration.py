"""Probabilities that a run learns from its scores, each forecast before the label is known."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np

from ..calibration import PlattScaling
from ..certificate import Certificate
from ..errors import RegretlessError
from ..theory.calibration import against_every_scaling

Array = np.ndarray[Any, Any]
BINS = 10  # of forecast probabilities, in which they are compared with frequencies
OTHERS = "rows were learned by runs before this one, and their scores are not at hand"


class RunCalibration:
    """The calibration of a run, and the scores of its rounds for the certificate.

    Parameters
    ----------
    rule : PlattScaling
    """

    def __init__(self, rule: PlattScaling) -> None:
        self.rule = rule
        self._first: Any = None  # the label that was alone at first
        self._scores: list[Array] = []
        self._larger: list[Array] = []
        self._forecasts: list[Array] = []

    def __call__(self, scores: Array, codes: Array, classes: Array, votes: Array | None = None) -> None:
        """Learn the rounds of a batch.

        Raises
        ------
        RegretlessError
            If there are more than two labels.
        """
        if scores.shape[1] != 1 or len(classes) > 2:
            raise RegretlessError(f"--calibrate is for two labels, and there are {len(classes)}")
        if len(classes) == 1:
            self._first = classes[0]
        elif self._first is not None:
            if self._first == classes[0]:  # the label that was alone was taken for the larger one
                self.rule._swap_labels()
                self._scores, self._larger = [-one for one in self._scores], [~one for one in self._larger]
                self._forecasts = [1 - one for one in self._forecasts]
            self._first = None
        each, larger = np.array((scores if votes is None else votes)[:, 0]), codes > 0
        self._forecasts.append(self.rule.play(each, larger))
        self._scores.append(each)
        self._larger.append(larger)

    def certify(self) -> list[Certificate]:
        """The theorem on the scaling, against the best one in hindsight."""
        scores, larger = self._all(self._scores), self._all(self._larger)
        if len(scores) != self.rule.ledger_.rounds:
            return [Certificate(against_every_scaling, None, None, None, OTHERS)]
        return self.rule.certify(scores, larger)

    def error(self) -> float | None:
        """The calibration error of this run, over ten bins of forecast probabilities."""
        forecasts, larger = self._all(self._forecasts), self._all(self._larger)
        if not len(forecasts):
            return None
        bins = np.minimum((forecasts * BINS).astype(np.int64), BINS - 1)
        return float(np.abs(np.bincount(bins, larger - forecasts, BINS)).sum() / len(forecasts))

    @staticmethod
    def _all(parts: list[Array]) -> Array:
        return np.concatenate(parts) if parts else np.zeros(0)

    def describe(self) -> dict[str, Any]:
        """What it takes to go on, as JSON values."""
        return self.rule.state_dict() | {"first": _plain(self._first)}

    @classmethod
    def read(cls, described: Mapping[str, Any]) -> Self:
        """The calibration of a `describe`.

        Raises
        ------
        ModelError
            If it does not fit together.
        """
        calibration = cls(PlattScaling.from_state(described))
        calibration._first = described.get("first")
        return calibration


def _plain(label: Any) -> Any:
    return label.item() if isinstance(label, np.generic) else label
