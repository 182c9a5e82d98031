"""``regretless predict``: a label, the probabilities of all labels, or a forecast, for every row."""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from argparse import ArgumentParser
from math import nan
from typing import TYPE_CHECKING, Any

from ..catalogue import CLASSIFICATION, DEFAULT
from ..errors import DataError, RegretlessError
from ..report.terminal import label_text
from . import options
from .arguments import ReadingOptions
from .files import refuse_swapped
from .output import DONE, UsageError, complain, loss_name, warn_skipped, write_json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any

    from ..data.batch import Array, Batch
    from ..data.stream import Stream
    from ..intervals import AdaptiveIntervals
    from ..linear.base import OnlineClassifier
    from ..regression.base import OnlineRegressor
    from ..run.intervals import RunIntervals
    from ..run.linear import Continuation

    Scored = Iterator[tuple[Batch, Array]]


HELP = "print a label or a forecast for every row"
DESCRIPTION = (
    "One label a line, in constant memory; a row on standard input is answered when it comes. Features and categories "
    "that the model never met contribute nothing; labels in the file are ignored, except by --losses, and by --json, "
    "which counts the errors. With --probabilities, a line has the probability of each label instead. A model of "
    "numbers has a forecast a line. A row that --on-error skip passes over has an empty line, or nan in place of "
    "numbers."
)


class PredictOptions(ReadingOptions):
    """Of `predict`."""

    model: str
    file: str
    scores: bool
    probabilities: bool
    interval: bool
    losses: bool
    json: bool


def add_arguments(parser: ArgumentParser) -> None:
    """The verb's options."""
    options.add_model(parser)
    options.add_file(parser)
    parser.add_argument(
        "--scores",
        action="store_true",
        help="print scores instead; of several classes one column each, named if the columns of the file are",
    )
    parser.add_argument(
        "--probabilities",
        action="store_true",
        help="print the probability of each label instead, one column each, named if the columns of the file are",
    )
    parser.add_argument(
        "--losses",
        action="store_true",
        help="print instead what each row costs by its label, 1 for a mistake and 0 for none, or by its outcome, the "
        "absolute error; for regretless watch",
    )
    parser.add_argument(
        "--json", action="store_true", help="print counts, and errors if there are labels, as one JSON object"
    )
    parser.add_argument(
        "--interval",
        action="store_true",
        help="of a model of numbers that learned with intervals: the ends of the interval behind each forecast, named "
        "if the columns of the file are",
    )
    options.add_reading(parser)


def run(arguments: PredictOptions) -> int:
    """Predict."""
    from ..data.source import LiveInput
    from .read_model import MOST_FEATURES, continuation_of, known_schema, read_predictor

    printed = ("scores", "probabilities", *(("losses", "interval", "json") if arguments.losses else ()))
    if len(asked := [f"--{name}" for name in printed if getattr(arguments, name)]) > 1:
        raise UsageError(f"{' and '.join(asked)}: one of them can be printed")
    refuse_swapped(arguments.model, [arguments.file])
    learner, extra = read_predictor(arguments.model)
    goes_on = continuation_of(learner, extra)
    printer = _kind_of(learner.info.task)(arguments, learner, goes_on)
    source: Any = LiveInput() if arguments.file == "-" else arguments.file
    schema = known_schema(learner, goes_on.schema)
    stream = options.open_input(source, arguments, schema, frozen=True, unlabelled=True, max_features=MOST_FEATURES)
    scored = _scored(learner, stream)
    if arguments.json:
        head = {"schema": "regretless.predict/1", "task": learner.info.task}
        counted = printer.counts(scored, stream)
        names = {"model": arguments.model, "input": arguments.file}
        write_json({**head, **names, **counted, "skipped": stream.skipped})
        for complaint in printer.complaints(counted):
            complain(complaint)
    else:
        texts = printer.loss_texts if arguments.losses else printer.texts
        for text in texts(stream, scored):
            # At once: the sender of a row through a pipe may wait for the answer.
            sys.stdout.write(text)
            sys.stdout.flush()
    warn_skipped(stream)
    return DONE


def _kind_of(task: str) -> type[Predictions]:
    """What is said of labels, or of numbers."""

    return PredictedLabels if task == CLASSIFICATION else ForecastNumbers


def _scored(learner: Any, stream: Stream) -> Iterator[tuple[Batch, Array]]:
    """The batches of a stream, and what the model makes of them."""
    from ..errors import RowError
    from .read_model import known_columns

    rows = 0
    for batch in known_columns(stream, learner.state_.columns):
        try:
            scores = learner.scores(batch)
        except RowError as error:
            raise stream.refused(error, rows) from error
        yield batch, scores
        rows += len(batch)


# A line for every row, or one JSON object.


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


class PredictedLabels(Predictions):
    """Labels of rows."""

    learner: OnlineClassifier

    def __init__(self, arguments: PredictOptions, learner: OnlineClassifier, goes_on: Continuation) -> None:
        super().__init__(arguments, learner, goes_on)
        if arguments.interval:
            raise UsageError("--interval: this model predicts labels, and intervals are around forecasts of numbers")
        self.calibration = goes_on.calibration
        if arguments.probabilities:
            self._refuse_without_probabilities()
        several = arguments.probabilities or (arguments.scores and learner.state_.targets > 1)
        self.columns = tuple(map(label_text, learner.classes_.tolist())) if several else ()
        width = len(learner.classes_) if arguments.probabilities else learner.state_.targets * arguments.scores
        self.blank = "\t".join(["nan"] * width)

    def lines(self, scores: Array) -> list[str]:
        """The lines of some rows."""
        if self.arguments.probabilities:
            return _numbers(self.probabilities(scores), _rounded)
        return _numbers(scores) if self.arguments.scores else _labels(self.learner, scores)

    def probabilities(self, scores: Array) -> Array:
        """Of all labels: by the learner itself, or as its run has learned from its scores."""
        import numpy as np

        if self.calibration is None or self.learner.has_probabilities:
            return np.asarray(self.learner.probabilities(scores))
        larger = self.calibration.rule.probabilities(scores[:, 0])
        return np.column_stack([1 - larger, larger])

    def _refuse_without_probabilities(self) -> None:
        learner = self.learner
        if learner.has_probabilities or (self.calibration is not None and len(learner.classes_) == 2):
            return
        advice = f"--scores prints scores, learn --calibrate learns some, and the default of learn ({DEFAULT}) has some"
        fault = f"this model has no probabilities, for it is of {learner.name}"
        raise RegretlessError(f"{self.arguments.model}: {fault}; {advice}")

    def losses(self, labels: Array, scores: Array) -> list[float]:
        """1 for each mistake and 0 for none; a label that the model does not know is one."""
        import numpy as np

        classes = self.learner.classes_
        comparable = (labels.dtype.kind == "U") == (classes.dtype.kind == "U")
        wrong = labels != self.learner.labels(scores) if comparable else np.ones(len(labels), dtype=bool)
        there: list[float] = np.where(_there(labels, classes), wrong, np.nan).tolist()
        return there

    def counts(self, scored: Scored, stream: Stream) -> dict[str, Any]:
        """How often each label was predicted, and how often it was wrong; with the probabilities of all rows, if
        wanted."""
        import numpy as np

        classes = self.learner.classes_
        counts, errors, strange, labelled = np.zeros(len(classes), np.int64), 0, 0, 0
        each: list[list[float] | None] = []
        likely = RowLines(stream, None) if self.arguments.probabilities else None
        for batch, scores in scored:
            if likely is not None:
                each += likely.of(self.probabilities(scores).tolist())
            predicted = self.learner.labels(scores)
            counts += np.bincount(classes.searchsorted(predicted), minlength=len(classes))
            if batch.labels is None:
                continue
            there = _there(batch.labels, classes)
            labels = batch.labels[there]
            labelled += len(labels)
            comparable = (labels.dtype.kind == "U") == (classes.dtype.kind == "U")
            errors += int((labels != predicted[there]).sum()) if comparable else len(labels)
            strange += int((~np.isin(labels, classes)).sum()) if comparable else len(labels)
        rows = int(counts.sum())
        return {
            "rows": rows,
            "counts": {label_text(label): int(count) for label, count in zip(classes.tolist(), counts, strict=True)},
            **({"labelled": labelled} if 0 < labelled < rows else {}),
            "errors": errors if labelled else None,
            "error_rate": errors / labelled if labelled else None,
            "unknown_labels": strange if labelled else None,
            **({"probabilities": each + likely.of([])} if likely is not None else {}),
        }

    def complaints(self, counted: Mapping[str, Any]) -> Iterator[str]:
        """Labels that the model does not know."""
        if counted["unknown_labels"]:
            known = ", ".join(counted["counts"])
            yield f"{counted['unknown_labels']} labels are none of the model's ({known}) and count as errors"


def _labels(learner: OnlineClassifier, scores: Array) -> list[str]:
    names = [label_text(label) for label in learner.classes_.tolist()]
    places = learner.classes_.searchsorted(learner.labels(scores))
    return [names[place] for place in places.tolist()]


def _numbers(rows: Any, written: Callable[[float], str] = repr) -> list[str]:
    return ["\t".join(map(written, row)) for row in rows.tolist()]


def _rounded(probability: float) -> str:
    """Twelve digits; the last of all depend on the machine's exp."""
    return f"{probability:.12g}"


def _there(labels: Array, classes: Array) -> Array:
    """Which rows have a label; no text is none, unless the model knows it as one."""
    import numpy as np

    if labels.dtype.kind != "U":
        return np.asarray(~np.isnan(labels))
    return np.asarray(labels != "") | ("" in classes.tolist())


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
        import numpy as np

        words = labels.dtype.kind == "U"
        errors: list[float] = [np.nan] * len(scores) if words else np.abs(labels - scores[:, 0]).tolist()
        return errors

    def counts(self, scored: Scored, stream: Stream) -> dict[str, Any]:
        """The losses of the forecasts, if the rows have outcomes, and how many of these their intervals hold."""
        import numpy as np

        from ..run.regression import OutcomeSums

        rows, width = 0, 0.0  # where intervals begin at 0, the sum of their widths
        intervals = self.intervals
        sums = OutcomeSums(self.learner.rules().lost_by, nan if intervals is None else intervals.half_width())
        for batch, scores in scored:
            rows += len(batch)
            if intervals is not None and intervals.least is not None:
                low, high = intervals.around(scores[:, 0])
                width += float((high - low).sum())
            if batch.labels is not None and batch.labels.dtype.kind != "U":
                there = np.isfinite(batch.labels)
                sums.add(scores[there, 0], batch.labels[there].astype(np.float64))
        counted: dict[str, Any] = {
            "rows": rows,
            "outcomes": sums.known,
            "loss_name": loss_name(self.learner),
            **sums.describe(),
        }
        if intervals is not None:
            wide = 2 * sums.half if intervals.least is None else width / rows if rows else None
            counted["interval"] = {"width": wide, "coverage": sums.inside / sums.known if sums.known else None}
        return counted


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
