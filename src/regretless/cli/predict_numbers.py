"""``regretless predict`` of a model of numbers: a forecast for every row, and an interval around it if that is
wanted."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import RegretlessError
from . import options
from .learn_numbers import loss_name
from .output import DONE, UsageError, warn_skipped, write_json
from .predict import RowLines, names_columns, write_at_once

if TYPE_CHECKING:
    from ..data.batch import Array, Batch
    from ..data.stream import Stream
    from ..intervals import AdaptiveIntervals
    from ..regression.base import OnlineRegressor
    from ..run.intervals import RunIntervals
    from .arguments import PredictOptions

Scored = Iterator[tuple["Batch", "Array"]]


def predict_numbers(arguments: PredictOptions, learner: OnlineRegressor, extra: dict[str, Any]) -> int:
    """Forecast."""
    from ..data.source import LiveInput
    from ..run.regression import continuation
    from .read_model import MOST_FEATURES, known_schema

    if arguments.probabilities:
        raise UsageError("--probabilities: this model forecasts numbers, and labels alone have probabilities")
    goes_on, forecasts = continuation(extra)
    intervals = _intervals(arguments, forecasts.intervals)
    source: Any = LiveInput() if arguments.file == "-" else arguments.file
    schema = known_schema(learner, goes_on.schema)
    stream = options.open_input(source, arguments, schema, frozen=True, unlabelled=True, max_features=MOST_FEATURES)
    scored = _scored(learner, stream)
    if arguments.json:
        head = {"schema": "regretless.predict/1", "model": arguments.model, "input": arguments.file}
        write_json({**head, **_counts(learner, scored, intervals), "skipped": stream.skipped})
    else:
        write_at_once(_texts(stream, scored, intervals))
    warn_skipped(stream)
    return DONE


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


def ends_of(intervals: AdaptiveIntervals, value: float) -> tuple[float, float]:
    """The interval around a forecast whose outcome will not be known; NaN if it holds nothing."""
    interval = intervals.interval(value)
    intervals.update(interval.ticket, np.nan)
    return interval[0], interval[1]


def _texts(stream: Stream, scored: Scored, intervals: AdaptiveIntervals | None) -> Iterator[str]:
    """The lines of each batch; several columns stand below their names where the file names its own."""
    lines, named = RowLines(stream, "nan" if intervals is None else "nan\tnan\tnan"), intervals is not None
    for _, values in scored:
        if named and names_columns(stream.schema()):
            yield "forecast\tlow\thigh\n"
        named = False
        yield lines.text([_line(value, intervals) for value in values.tolist()])
    yield lines.rest()


def _line(value: float, intervals: AdaptiveIntervals | None) -> str:
    if intervals is None:
        return repr(value)
    low, high = ends_of(intervals, value)
    return f"{value!r}\t{low!r}\t{high!r}"


def _scored(learner: OnlineRegressor, stream: Stream) -> Scored:
    """The batches of a stream, and the forecasts of their rows."""
    from ..errors import RowRefused
    from .read_model import known_columns

    rows = 0
    for batch in known_columns(stream, learner.state_.columns):
        try:
            scores = learner.scores(batch)[:, 0]
        except RowRefused as error:
            raise stream.refused(error, rows) from error
        yield batch, scores
        rows += len(batch)


def _counts(learner: OnlineRegressor, scored: Scored, intervals: AdaptiveIntervals | None) -> dict[str, Any]:
    """The losses of the forecasts, if the rows have outcomes, and how many of these their intervals hold."""
    rows, known = 0, 0
    sums = np.zeros(5)  # of squared, absolute and own losses, of outcomes, of their squares
    inside, width, origin = 0, 0.0, 0.0
    rules = learner.rules()
    for batch, forecasts in scored:
        rows += len(batch)
        if intervals is not None and len(batch):
            low, high = ends_of(intervals, 0.0)
            width = high - low
        if batch.labels is None or batch.labels.dtype.kind == "U":
            continue
        there = np.isfinite(batch.labels)
        outcomes, said = batch.labels[there].astype(np.float64), forecasts[there]
        if not known and len(outcomes):
            origin = float(outcomes[0])
        missed, z = outcomes - said, outcomes - origin
        own = rules.lost_by(said, outcomes)
        sums += [(missed**2).sum(), np.abs(missed).sum(), own.sum(), z.sum(), (z**2).sum()]
        known += len(outcomes)
        if intervals is not None:
            inside += int(np.count_nonzero((missed >= low) & (missed <= high)))
    spread = sums[4] - sums[3] ** 2 / known if known else 0.0
    return {
        "rows": rows,
        "outcomes": known,
        "loss_name": loss_name(learner),
        "loss": float(sums[2]) if known else None,
        "squared_loss": float(sums[0]) if known else None,
        "absolute_loss": float(sums[1]) if known else None,
        "best_constant_squared_loss": float(spread) if known else None,
        "r2": float(1 - sums[0] / spread) if spread > 0 else None,
        **({} if intervals is None else {"interval": {"width": width, "coverage": inside / known if known else None}}),
    }
