"""What a play gives back, and what can be drawn of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import RegretlessError

if TYPE_CHECKING:
    from .certificates import Certified
    from .delay_schedule import Schedule
    from .history import History
    from .state import ExpertState

Array = np.ndarray[Any, Any]


@dataclass(eq=False)
class Play:
    """A table that was played.

    Attributes
    ----------
    predictions : ndarray, shape (rounds,) or (rounds, width)
        Where losses are given themselves these are the learner's.
    losses : ndarray, shape (rounds,)
        The learner's.
    weights : ndarray or None, shape (rounds, experts)
        By which each prediction was made, if they were to be kept.
    chosen : ndarray of int or None, shape (rounds,)
        The experts that were drawn, by a learner that draws.
    """

    predictions: Array
    losses: Array
    weights: Array | None = None
    chosen: Array | None = None
    _again: tuple[Any, ...] = field(default=(), repr=False)

    @classmethod
    def room(cls, rounds: int, experts: int, width: int, *, weights: bool, bare: bool = False) -> Play:
        """Room for so many rounds, of bare losses or of forecasts."""
        losses = np.empty(rounds)
        predictions = losses if bare else np.empty(rounds) if width == 1 else np.empty((rounds, width))
        return cls(predictions, losses, np.empty((rounds, experts)) if weights else None)

    def of(
        self, learner: Certified, before: ExpertState, table: Array, outcomes: Array | None, plan: Schedule | None
    ) -> Play:
        """The same, with what it takes to play it once more."""
        self._again = learner, before, table, outcomes, plan
        return self

    def history(self) -> History:
        """Books and weights at a few hundred rounds, evenly spaced.

        The rounds are played once more to get them, from the very arrays that were given: they must not have changed.
        """
        if not self._again:
            raise RegretlessError("there is no history of a play in stretches; look at each of them")
        from .history import replayed

        return replayed(*self._again)

    def plot(self) -> Any:
        """A matplotlib figure: regret under its bound, weights, losses, residuals and rates.

        Returns
        -------
        matplotlib.figure.Figure

        Raises
        ------
        RegretlessError
            If matplotlib is missing.
        """
        from ..plot import figure
        from ..report import Page
        from ..report.forecast_charts import panels

        history, learner = self.history(), self._again[0]
        charts = panels(history, learner._loss.name, len(self.losses)) if len(self.losses) else ()
        return figure(Page(type(learner).__name__, lead="", cards=(), tables=(), panels=charts))
