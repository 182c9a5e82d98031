"""Forecasts that remember by which weights they were made, until their outcome is known."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


class Forecast(float):
    """The prediction of a round, a number, and the ticket by which its outcome is reported.

    Attributes
    ----------
    ticket : int
        Number of the prediction, from 0.
    """

    ticket: int = -1


class VectorForecast(np.ndarray[Any, np.dtype[np.float64]]):
    """The same for predictions of several numbers."""

    ticket: int = -1

    def __array_finalize__(self, _: object) -> None:
        self.ticket = -1  # what is computed from a forecast is none


class Round:
    """A round that waits for its outcome.

    Parameters
    ----------
    kept : ndarray
        The advice, the weights that were played, and the prediction, one after the other.
    experts, width : int
    """

    __slots__ = ("experts", "kept", "width")

    def __init__(self, waiting: Array, experts: int, width: int) -> None:
        self.kept, self.experts, self.width = waiting, experts, width

    @property
    def advice(self) -> Array:
        """The advice, shape (experts,) or (experts, width)."""
        flat = self.kept[: self.experts * self.width]
        return flat if self.width == 1 else flat.reshape(self.experts, self.width)

    @property
    def weights(self) -> Array:
        """The weights, shape (experts,)."""
        return self.kept[self.experts * self.width : -self.width]

    @property
    def prediction(self) -> Array:
        """The prediction, shape (width,)."""
        return self.kept[-self.width :]
