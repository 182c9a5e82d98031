"""``regretless predict`` of a model of numbers: a forecast for every row, and an interval around it if that is
wanted."""

from __future__ import annotations

from math import nan
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import RegretlessError
from .output import UsageError, loss_name
from .predict_output import Predictions

if TYPE_CHECKING:
    from ..data.batch import Array
    from ..data.stream import Stream
    from ..intervals import AdaptiveIntervals
    from ..regression.base import OnlineRegressor
    from ..run.intervals import RunIntervals
    from ..run.linear import Continuation
    from .arguments import PredictOptions
    from .predict_output import Scored


class ForecastNumbers(Predictions):
    """Forecasts of rows, and intervals around them."""

    learner: OnlineRegressor
    blank = "nan"

    def __init__(self, arguments: PredictOptions, learner: OnlineRegressor, goes_on: Continuation) -> None:
        super().__init__(arguments, learner, goes_on)
        if arguments.probabilities:
            raise UsageError("--probabilities: this model forecasts numbers, and labels alone have probabilities")
        self.intervals = _intervals(arguments, goes_on.progressive.intervals)
        if self.intervals is not None:
            self.columns, self.blank = ("forecast", "low", "high"), "nan\tnan\tnan"

    def lines(self, scores: Array) -> list[str]:
        """The lines of some rows."""
        forecasts = scores[:, 0].tolist()
        if self.intervals is None:
            return [repr(value) for value in forecasts]
        ends = (column.tolist() for column in self.intervals.around(forecasts))
        return [f"{value!r}\t{low!r}\t{high!r}" for value, low, high in zip(forecasts, *ends, strict=True)]

    def losses(self, labels: Array, scores: Array) -> list[float]:
        """The absolute error of each forecast; NaN where the outcome is no number."""
        words = labels.dtype.kind == "U"
        errors: list[float] = [np.nan] * len(scores) if words else np.abs(labels - scores[:, 0]).tolist()
        return errors

    def counts(self, scored: Scored, stream: Stream) -> dict[str, Any]:
        """The losses of the forecasts, if the rows have outcomes, and how many of these their intervals hold."""
        rows, known = 0, 0
        sums = np.zeros(5)  # of squared, absolute and own losses, of outcomes, of their squares
        inside, width, origin = 0, 0.0, 0.0  # where intervals begin at 0, the sum of their widths
        intervals, rules = self.intervals, self.learner.rules()
        half = nan if intervals is None else intervals.half_width()
        for batch, scores in scored:
            rows += len(batch)
            if intervals is not None and intervals.least is not None:
                low, high = intervals.around(scores[:, 0])
                width += float((high - low).sum())
            if batch.labels is None or batch.labels.dtype.kind == "U":
                continue
            there = np.isfinite(batch.labels)
            outcomes, forecasts = batch.labels[there].astype(np.float64), scores[there, 0]
            if not known and len(outcomes):
                origin = float(outcomes[0])
            missed, z = outcomes - forecasts, outcomes - origin
            own = rules.lost_by(forecasts, outcomes)
            sums += [(missed**2).sum(), np.abs(missed).sum(), own.sum(), z.sum(), (z**2).sum()]
            known += len(outcomes)
            inside += int(np.count_nonzero(np.abs(missed) <= half))  # no outcome is in what is cut off below 0
        spread = sums[4] - sums[3] ** 2 / known if known else 0.0
        return {
            "rows": rows,
            "outcomes": known,
            "loss_name": loss_name(self.learner),
            "loss": float(sums[2]) if known else None,
            "squared_loss": float(sums[0]) if known else None,
            "absolute_loss": float(sums[1]) if known else None,
            "best_constant_squared_loss": float(spread) if known else None,
            "r2": float(1 - sums[0] / spread) if spread > 0 else None,
            **(
                {}
                if intervals is None
                else {
                    "interval": {
                        "width": 2 * half if intervals.least is None else width / rows if rows else None,
                        "coverage": inside / known if known else None,
                    }
                }
            ),
        }


def _intervals(arguments: PredictOptions, there: RunIntervals | None) -> AdaptiveIntervals | None:
    """Those of the model, as they stand.

    Raises
    ------
    RegretlessError
        If they are wanted, and it learned none.
    """
    if not arguments.interval:
        return None
    if there is None:
        fault = "this model has no intervals, for it learned without them"
        raise RegretlessError(f"{arguments.model}: {fault}; learn with --interval 0.9, say")
    return there.rule
