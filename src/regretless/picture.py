"""What a learner has come to as a picture: one method, that learners of weights, combiners and bandits share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from . import html
from .certificate import Certificates
from .errors import RegretlessError

Array = np.ndarray[Any, Any]


TIMES_SIZES = ", times the largest size of each feature"  # behind the title of weights in units of their own


class Bars(NamedTuple):
    """A chart of named numbers.

    Attributes
    ----------
    title : str
    names : sequence of str, or None
        One a number; None if they have none but their places, counted from 0.
    values : ndarray of float, one-dimensional
    """

    title: str
    names: Sequence[str] | None
    values: Array


CHARTS = 3  # that a notebook shows as tables


def _largest(chart: Bars) -> str:
    """The numbers of a chart that are largest in size, as a table."""
    order = np.argsort(-np.abs(chart.values), kind="stable")[: html.MOST].tolist()
    rows = [(str(place) if chart.names is None else chart.names[place], float(chart.values[place])) for place in order]
    more = len(chart.values) - len(rows)
    return html.table([*rows, (f"and {more:,} more", "")] if more else rows)


def figure_by_arm(arms: Array, losses: Array) -> Any:
    """A matplotlib figure of how often each arm was drawn, and of what it lost, or earned, in all; `MissingError`
    without matplotlib.
    """
    from .plot import figure_of_bars

    charts = (("Draws of each arm", None), ("Sum of what was reported for it", losses))
    return figure_of_bars([Bars(title, None, np.bincount(arms, weights).astype(float)) for title, weights in charts])


class Pictured(ABC):
    """A learner that can be drawn as it stands."""

    @abstractmethod
    def bars(self) -> list[Bars]:
        """The numbers that it goes by: weights, or the probabilities of a draw."""

    def _repr_html_(self) -> str:
        """The learner as it is made, its ledger, its numbers, and what theorems say without the rows."""
        parts = [html.code(repr(self))]
        try:
            ledger = self.ledger_  # type: ignore[attr-defined]
            charts = self.bars()
        except RegretlessError:  # nothing was learned yet
            return parts[0]
        parts.append(ledger._repr_html_())
        parts += [html.titled(chart.title, _largest(chart)) for chart in charts[:CHARTS]]
        certificates = self._without_rows()
        return "".join(parts) + (html.titled("Certificates", certificates._repr_html_()) if certificates else "")

    def _without_rows(self) -> Certificates:
        """What theorems say without the rows: what notebooks show."""
        return Certificates(self.certify())  # type: ignore[attr-defined]

    def plot(self) -> Any:
        """A matplotlib figure of the numbers that it goes by, the largest first.

        Of a learner of weights these are its weights for each class against the rest, and of a kernel perceptron the
        coefficients of its support rows; of a combiner the weights of the experts in the next round; of a bandit the
        probabilities of the next draw. Each chart has the 20 that are largest in size, and a figure at most 12 charts.

        Returns
        -------
        matplotlib.figure.Figure

        Raises
        ------
        RegretlessError
            If matplotlib is missing, or nothing was learned yet.
        """
        from .plot import figure_of_bars

        return figure_of_bars(self.bars())
