"""A decision that waits for its loss."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


class Ticket:
    """An arm that was drawn for a row of features, by which its loss is reported.

    Attributes
    ----------
    number : int
        Of the decision, from 1.
    action : int
        The arm, counted from 0.
    name : str
        The arm's name, or its number.
    probability : float
        With which it was drawn: above 0, at most 1.
    forecast : float
        What it was expected to lose, in units of the declared range.
    row : ndarray, shape (features,)
        The features.
    available : ndarray of bool, shape (arms,), or None
        Which arms could be drawn; None: all.
    advice : ndarray of int, shape (policies,), or None
        Which arm each policy that was named would have drawn.
    """

    __slots__ = ("action", "advice", "available", "forecast", "name", "number", "probability", "row")

    def __init__(
        self,
        number: int,
        action: int,
        name: str,
        probability: float,
        forecast: float,
        row: Array,
        available: Array | None,
        advice: Array | None = None,
    ) -> None:
        self.number, self.action, self.name, self.probability = number, action, name, probability
        self.forecast, self.row, self.available, self.advice = forecast, row, available, advice

    def __repr__(self) -> str:
        return f"Ticket({self.number}, action={self.name}, probability={self.probability:.6g})"
