"""How a run of a combiner that was saved goes on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..data.forecast_stream import UNITS, ForecastStream
from ..errors import RegretlessError
from ..experts.base import ExpertLearner
from ..experts.delayed_stream import Waiting
from ..experts.label_efficient import LabelEfficient
from ..experts.result import History
from ..persist.validation import fits, one
from .base import refuse_other_stream
from .intervals import RunIntervals


@dataclass(frozen=True)
class CombineContinuation:
    """How a run that was saved goes on.

    Attributes
    ----------
    columns : mapping
        The columns of the file that was combined: target, time, arrivals; and the unit of a block.
    delay : int or None
    waiting : tuple of (arrival, row, ticket, outcome)
        Outcomes that had not arrived yet.
    passed_over : int
        Rows that had no outcome, and were followed by one that had.
    history : History or None
    place : int
        Of an unfinished run, how many rows of its stream are learned; else 0.
    source : str or None
        The stream that an unfinished run stopped in, without its folder.
    intervals : RunIntervals or None
        Those around the forecasts, if there are.
    asking : LabelEfficient or None
        What asks for few of the outcomes, if not all are learned.
    """

    columns: Mapping[str, str | None]
    delay: int | None = None
    waiting: tuple[Waiting, ...] = ()
    passed_over: int = 0
    history: History | None = None
    place: int = 0
    source: str | None = None
    intervals: RunIntervals | None = None
    asking: LabelEfficient | None = None

    def describe(self) -> dict[str, Any]:
        """What goes into the model file; where the run stands only while it is not finished, so that a model does not
        depend on the stops on the way to it."""
        return {
            "columns": dict(self.columns),
            "delay": self.delay,
            "passed_over": self.passed_over,
            "waiting": [list(one) for one in self.waiting],
            "history": None if self.history is None else self.history.describe(),
            **({} if self.intervals is None else {"interval": self.intervals.describe()}),
            **({} if self.asking is None else {"asking": self.asking.describe()}),
            "unfinished": None if self.source is None else {"row": self.place, "source": self.source},
        }

    @classmethod
    def read(cls, learner: ExpertLearner, extra: Mapping[str, Any]) -> CombineContinuation:
        """What `describe` gave.

        Parameters
        ----------
        learner : ExpertLearner
            Of the same file.
        extra : mapping
            What was saved beside it.

        Raises
        ------
        ModelError
            If it does not fit together.
        RegretlessError
            If the model was made in Python, so that nothing is said of any file.
        """
        if "columns" not in extra:
            raise RegretlessError("the model does not say which file its experts came from; go on with it in Python")
        with fits("what the model says of its run"):
            columns = {name: _column(extra["columns"][name]) for name in ("target", "time", "arrivals")}
            columns["block"] = _unit(extra["columns"].get("block"))
            waiting = tuple((int(a), int(row), int(t), float(y)) for a, row, t, y in extra["waiting"])
            if sorted(ticket for _, _, ticket, _ in waiting) != sorted(learner.pending_):
                raise ValueError("other outcomes are waited for than predictions were made")
            history = History.read(extra["history"], learner.names())
            stands, delay = extra["unfinished"], extra["delay"]
            place, source = (0, None) if stands is None else (int(stands["row"]), str(stands["source"]))
            passed_over = int(extra.get("passed_over", 0))
            if min(place, passed_over) < 0 or (delay is not None and int(delay) < 1):
                raise ValueError(f"row {place}, passed over {passed_over}, delay {delay}")
            intervals = None if extra.get("interval") is None else RunIntervals.read(extra["interval"])
            asking = None if extra.get("asking") is None else LabelEfficient.read(learner, extra["asking"])
        delay = None if delay is None else int(delay)
        return cls(columns, delay, waiting, passed_over, history, place, source, intervals, asking)

    @property
    def in_blocks(self) -> bool:
        """Whether rows of one time were a block."""
        return self.delay is None and self.columns["time"] is not None and self.columns["arrivals"] is None

    def refuse_other(self, stream: ForecastStream) -> None:
        """An unfinished run goes on in the stream that it stopped in.

        Raises
        ------
        RegretlessError
            If this one has another name.
        """
        if self.source is not None:
            refuse_other_stream(stream.name, self.source, self.place)


def _unit(name: Any) -> str | None:
    if name not in (None, *UNITS):
        raise ValueError(f"a block of one {name!r}")
    return None if name is None else str(name)


def _column(name: Any) -> str | None:
    return None if name is None else one(name, str, "a column")
