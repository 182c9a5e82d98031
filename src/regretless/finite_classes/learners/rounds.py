"""Points and labels of rounds, as users have them, and the predictions and plays that learners give back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...errors import RegretlessError
from ..finite_class import FiniteClass, is_label

Bytes = np.ndarray[Any, np.dtype[np.uint8]]
Array = np.ndarray[Any, Any]


class Label(int):
    """The prediction of a round, 0 or 1, with the ticket to report its label.

    Attributes
    ----------
    ticket : int
        Number of the prediction, from 0.
    """

    ticket: int = -1


class DrawnLabel(Label):
    """A prediction that was drawn.

    Attributes
    ----------
    probability : float
        The probability of 1.
    """

    probability: float = 0.5


@dataclass(frozen=True, slots=True, eq=False)
class ClassPlay:
    """Rounds that were played.

    Attributes
    ----------
    predictions, labels : ndarray of uint8, shape (rounds,)
        Predictions and labels.
    alive : ndarray of int64, shape (rounds,)
        Number of hypotheses that agree with all labels, after each round.
    probabilities : ndarray or None, shape (rounds,)
        Of a learner that draws: the probability of predicting 1.
    """

    predictions: Bytes
    labels: Bytes
    alive: np.ndarray[Any, np.dtype[np.int64]]
    probabilities: np.ndarray[Any, np.dtype[np.float64]] | None = None

    @property
    def wrong(self) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """A mask of the mistakes."""
        return np.not_equal(self.predictions, self.labels)

    @property
    def mistakes(self) -> int:
        """Number of mistakes."""
        return int(np.count_nonzero(self.wrong))

    def __len__(self) -> int:
        return len(self.labels)


def points_of(points: Any, finite_class: FiniteClass, places: Mapping[str, int]) -> Array:
    """The numbers of points, from their numbers or names.

    Raises
    ------
    RegretlessError
        If the class has no such point; the message has the row, from 0.
    """
    array = np.asarray(points)
    if array.ndim != 1:
        raise RegretlessError(f"points of shape {array.shape}; one point for each round is expected")
    if len(array) == 0:
        return np.empty(0, dtype=np.int64)
    if array.dtype.kind in "iu":
        outside = np.flatnonzero((array < 0) | (array >= finite_class.points))
        if len(outside):
            _refuse(int(outside[0]), array[outside[0]].item(), finite_class)
        return np.ascontiguousarray(array, dtype=np.int64)
    numbers = np.empty(len(array), dtype=np.int64)
    for row, point in enumerate(points):
        place = places.get(point) if isinstance(point, str) else None
        try:
            numbers[row] = finite_class.point(point) if place is None else place
        except RegretlessError as error:
            raise RegretlessError(f"row {row}: {error}") from error
    return numbers


def _refuse(row: int, point: int, finite_class: FiniteClass) -> None:
    try:
        finite_class.point(point)
    except RegretlessError as error:
        raise RegretlessError(f"row {row}: {error}") from error


def labels_of(labels: Any, rounds: int) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """An array of `rounds` labels, each 0 or 1.

    Raises
    ------
    RegretlessError
        If one is not 0 or 1, or there are more or fewer.
    """
    array = np.asarray(labels)
    if array.shape != (rounds,):
        raise RegretlessError(f"labels of shape {array.shape}; one for each of {rounds:,} points is expected")
    if array.dtype.kind not in "biuf":
        for row, label in enumerate(labels):
            if not is_label(label):
                raise RegretlessError(f"row {row}: label {label!r}; 0 or 1 is expected")
        array = array.astype(np.float64)
    wrong = np.flatnonzero((array != 0) & (array != 1))
    if len(wrong):
        raise RegretlessError(f"row {wrong[0]}: label {array[wrong[0]]!s}; 0 or 1 is expected")
    return np.ascontiguousarray(array, dtype=np.uint8)


def label_of(label: Any) -> int:
    """A label, 0 or 1.

    Raises
    ------
    RegretlessError
        If it is not 0 or 1.
    """
    if not is_label(label):
        raise RegretlessError(f"label {label!r}; 0 or 1 is expected")
    return int(label)
