"""Tables of forecasts as shards, each opened and played where it is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ...arrays import names_of
from ...errors import DataError, RegretlessError
from ...experts.comparators import MOST_SOLVED, Totals
from ...experts.losses import WITHOUT_OUTCOME
from ...experts.validation import AdviceError, in_order, outcomes_of, table_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...data.forecast_stream import ForecastStream
    from ...experts.base import ExpertLearner

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, slots=True)
class Experts:
    """The experts of all shards.

    Attributes
    ----------
    count : int
    width : int
        How many numbers a forecast has.
    names : list of str or None
    """

    count: int
    width: int = 1
    names: list[str] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class ForecastShard(ABC):
    """Rounds of forecasts, and the outcomes beside them.

    Attributes
    ----------
    name : str
        What messages call it.
    place : int
        Among the shards, from 0.
    """

    name: str
    place: int

    @abstractmethod
    def experts(self, blind: bool) -> Experts:
        """The experts here; `blind` where there are no outcomes to look for."""

    @abstractmethod
    def play(self, learner: ExpertLearner, known: Experts) -> Totals | None:
        """Let a learner play all rounds; it gives what hindsight needs of them, if there are not too many experts."""

    @abstractmethod
    def blocks(self, known: Experts, blind: bool) -> Iterator[tuple[Array, Array | None]]:
        """The rounds once more, as forecasts and outcomes, the experts in the order in which they are known."""


@dataclass(frozen=True, slots=True, eq=False)
class ForecastFile(ForecastShard):
    """A file, by its path.

    Attributes
    ----------
    path : str
    reading : mapping
        Options of `regretless.data.forecasts.open_forecasts`.
    """

    path: str
    reading: Mapping[str, Any] = field(default_factory=dict)

    def experts(self, blind: bool) -> Experts:
        """As its first rows have them."""
        stream = self._open(None, blind)
        next(iter(stream.batches()))
        return Experts(len(stream.experts), 1, list(stream.experts))

    def play(self, learner: ExpertLearner, known: Experts) -> Totals | None:
        """As ``regretless combine`` would play the file alone."""
        from ...run.experts import CombineRun

        run = CombineRun(
            learner,
            self._open(known.names, learner._loss.name in WITHOUT_OUTCOME),
            arrivals=self.reading.get("arrivals") is not None,
            compare=known.count <= MOST_SOLVED,
        )
        run.play()
        if not run.rounds:
            raise DataError(self.name, None, None, "no row has an outcome", "leave this file out")
        return run.totals

    def blocks(self, known: Experts, blind: bool) -> Iterator[tuple[Array, Array | None]]:
        """The rows whose outcomes are known."""
        for batch in self._open(known.names, blind).batches():
            good = batch.with_outcomes()
            if len(good):
                yield good.advice, None if blind else good.outcomes

    def _open(self, names: list[str] | None, blind: bool) -> ForecastStream:
        from ...data.forecasts import open_forecasts

        timed = self.reading.get("time") is not None and self.reading.get("arrivals") is None
        return open_forecasts(self.path, names=names, **{"blocks": timed, **self.reading, "need_target": not blind})


@dataclass(frozen=True, slots=True, eq=False)
class ForecastArrays(ForecastShard):
    """Arrays or frames; or a function that gives them where the shard is played.

    Attributes
    ----------
    source : (forecasts, outcomes) or forecasts, or a function
    """

    source: Any

    def experts(self, blind: bool) -> Experts:
        """As the columns have them."""
        forecasts, _ = self._read(blind)
        table = self._checked(lambda: table_of(forecasts))
        return Experts(table.shape[1], table.shape[2] if table.ndim == 3 else 1, names_of(forecasts))

    def play(self, learner: ExpertLearner, known: Experts) -> Totals | None:
        """All rows at once."""
        forecasts, outcomes = self._read(learner._loss.name in WITHOUT_OUTCOME)
        self._checked(lambda: learner.play(forecasts, outcomes))
        if known.count > MOST_SOLVED:
            return None
        totals = Totals(known.count, learner._loss)
        for advice, came in self.blocks(known, outcomes is None):
            totals.add(advice, came)
        return totals

    def blocks(self, known: Experts, blind: bool) -> Iterator[tuple[Array, Array | None]]:
        """The arrays as they are."""
        forecasts, outcomes = self._read(blind)
        table = in_order(table_of(forecasts), names_of(forecasts), known.names, 1)
        yield table, None if blind else outcomes_of(outcomes, len(table), known.width, classes=True)

    def _read(self, blind: bool) -> tuple[Any, Any]:
        pair = self.source() if callable(self.source) else self.source
        forecasts, outcomes = pair if isinstance(pair, tuple) and len(pair) == 2 else (pair, None)
        if blind:
            return forecasts, None
        if outcomes is None:
            advice = "give a pair of forecasts and outcomes; without outcomes there are loss=None and wealth"
            raise DataError(self.name, None, None, "there are no outcomes", advice)
        return forecasts, outcomes

    def _checked(self, doing: Callable[[], Any]) -> Any:
        """What is done, and errors that name the shard."""
        try:
            result = doing()
        except AdviceError as error:
            whose = "" if error.expert is None else f"expert {error.expert}: "
            raise DataError(self.name, error.row + 1, None, f"{whose}{error.found}", error.advice) from error
        except RegretlessError as error:
            raise RegretlessError(f"{self.name}: {error}") from error
        if not len(getattr(result, "losses", result)):
            raise DataError(self.name, None, None, "no rows", "leave this shard out")
        return result


def forecast_shards(shards: Any, reading: Mapping[str, Any]) -> list[ForecastShard]:
    """Shards of forecasts, of anything that stands for them.

    Raises
    ------
    RegretlessError
        If there are none, or they are nothing of the kind.
    """
    if isinstance(shards, Sequence) and not isinstance(shards, str) and len(shards) and not _paths(shards):
        if reading:
            raise RegretlessError(f"{', '.join(reading)}=: an option of reading files, and these shards are arrays")
        return [ForecastArrays(f"shard {place}", place, one) for place, one in enumerate(shards)]
    from .paths import paths_of

    paths = paths_of(shards)
    return [ForecastFile(path, place, path, dict(reading)) for place, path in enumerate(paths)]


def _paths(shards: Sequence[Any]) -> bool:
    return all(isinstance(one, str) or hasattr(one, "__fspath__") for one in shards)
