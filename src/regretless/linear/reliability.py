"""How often what was said to be probable came, from counts of scores that are log odds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..data.batch import Array

if TYPE_CHECKING:
    from .progressive import Progressive

TENTHS = 20  # stretches of probability, each of a twentieth


@dataclass(frozen=True, slots=True)
class Reliability:
    """Probabilities of the larger of two labels, in stretches, beside how often it came.

    The Brier score, the mean of (p - y)^2, is reliability - resolution + uncertainty (Murphy 1973): how far what came
    is from what was said, how far it is from its mean, and what a constant would pay.

    Attributes
    ----------
    said, came : ndarray, shape (stretches,)
        The mean probability in each, and the share of rows with the larger label.
    rows : ndarray of int, shape (stretches,)
    """

    said: Array
    came: Array
    rows: Array

    @property
    def mean(self) -> float:
        """The share of rows with the larger label."""
        return float(self.came @ self.rows / self.rows.sum())

    @property
    def reliability(self) -> float:
        """Mean squared distance of what came from what was said; 0 is best."""
        return float((self.said - self.came) ** 2 @ self.rows / self.rows.sum())

    @property
    def resolution(self) -> float:
        """Mean squared distance of what came from its mean: what the stretches tell apart."""
        return float((self.came - self.mean) ** 2 @ self.rows / self.rows.sum())

    @property
    def uncertainty(self) -> float:
        """What the best constant pays."""
        return self.mean * (1 - self.mean)

    @property
    def brier(self) -> float:
        """The Brier score of the means of the stretches."""
        return self.reliability - self.resolution + self.uncertainty

    def describe(self) -> dict[str, Any]:
        """As JSON values."""
        return {
            "said": self.said.tolist(),
            "came": self.came.tolist(),
            "rows": self.rows.tolist(),
            "brier": self.brier,
            "reliability": self.reliability,
            "resolution": self.resolution,
            "uncertainty": self.uncertainty,
        }


def reliability(counts: Progressive) -> Reliability | None:
    """What the rows of a first pass say of the probabilities that they were predicted with.

    Parameters
    ----------
    counts : Progressive
        Of two labels, whose scores are log odds, in bins three percent wide.

    Returns
    -------
    Reliability or None
        None if there are no rows of two labels.
    """
    scores, low, high = counts.score_counts()
    if len(counts.labels) != 2 or not low.sum() + high.sum():
        return None
    probability = np.exp(-np.logaddexp(0, -scores))
    place = np.minimum((probability * TENTHS).astype(int), TENTHS - 1)
    rows = np.bincount(place, low + high, TENTHS)
    said, came = np.bincount(place, (low + high) * probability, TENTHS), np.bincount(place, high, TENTHS)
    there = rows > 0
    return Reliability(said[there] / rows[there], came[there] / rows[there], rows[there].astype(np.int64))
