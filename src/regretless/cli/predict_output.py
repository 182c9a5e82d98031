"""What `predict` prints: a line for every row, of labels as of numbers, or one JSON object."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ..data.batch import Array, Batch
    from ..data.stream import Stream
    from ..run.linear import Continuation
    from .arguments import PredictOptions

    Scored = Iterator[tuple[Batch, Array]]


class Predictions(ABC):
    """What a kind of models says of rows.

    Parameters
    ----------
    arguments : PredictOptions
    learner : OnlineClassifier or OnlineRegressor
    goes_on : Continuation
        What the model says of its run.

    Raises
    ------
    UsageError, RegretlessError
        If something is asked that the model has not.

    Attributes
    ----------
    columns : tuple of str
        What several columns of a line are called; empty of one.
    blank : str
        The line of a row that is passed over.
    """

    columns: tuple[str, ...] = ()
    blank: str = ""

    def __init__(self, arguments: PredictOptions, learner: Any, goes_on: Continuation) -> None:
        self.arguments, self.learner = arguments, learner

    @abstractmethod
    def lines(self, scores: Array) -> list[str]:
        """The lines of some rows."""

    @abstractmethod
    def losses(self, labels: Array, scores: Array) -> list[float]:
        """What rows cost by their labels or outcomes; NaN of those without."""

    @abstractmethod
    def counts(self, scored: Scored, stream: Stream) -> dict[str, Any]:
        """The counts of all rows as JSON values."""

    def complaints(self, counted: Mapping[str, Any]) -> Iterator[str]:
        """What is to be said of the counts, in a line each."""
        return iter(())

    def texts(self, stream: Stream, scored: Scored) -> Iterator[str]:
        """The lines of each batch; several columns stand below their names where the file names its own."""
        lines, columns = RowLines(stream, self.blank), self.columns
        for _, scores in scored:
            if columns and _names_columns(stream.schema()):
                yield "\t".join(columns) + "\n"
            columns = ()
            yield lines.text(self.lines(scores))
        yield lines.rest()

    def loss_texts(self, stream: Stream, scored: Scored) -> Iterator[str]:
        """What the rows of each batch cost, a line each; nan of a row without label or outcome."""
        from ..errors import DataError

        lines = RowLines(stream, "nan")
        for batch, scores in scored:
            if batch.labels is None:
                advice = "a loss is one by a label: name their column with --target"
                raise DataError(stream.name, None, None, "there are no labels", advice)
            yield lines.text([f"{loss:.12g}" for loss in self.losses(batch.labels, scores)])
        yield lines.rest()


class RowLines:
    """Lines of the rows of a stream, with one for each row that it passes over, so that line n is of row n.

    Parameters
    ----------
    stream : Stream
        Not read yet.
    blank : object
        The line of a row that is passed over.
    """

    def __init__(self, stream: Stream, blank: Any) -> None:
        self._passed, self._blank, self._row = stream.watch(), blank, 0

    def of(self, lines: list[Any]) -> list[Any]:
        """The lines of the next rows, with those of rows that are passed over before, between and right behind."""
        result, done = [], 0
        while self._passed and self._passed[0] <= self._row + len(lines) - done:
            good = self._passed.popleft() - self._row
            result += [*lines[done : done + good], self._blank]
            self._row, done = self._row + good + 1, done + good
        self._row += len(lines) - done
        return result + lines[done:]

    def text(self, lines: list[str]) -> str:
        """The same, as they are written."""
        return "".join(f"{line}\n" for line in self.of(lines))

    def rest(self) -> str:
        """The lines of rows that were passed over behind the last batch."""
        return self.text([])


def _names_columns(schema: Mapping[str, Any]) -> bool:
    """Whether the file has a line of names above its rows."""
    return schema.get("format") == "table" and bool(schema.get("header", True))
