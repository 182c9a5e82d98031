"""``regretless predict``: for every row a label or the probabilities of all labels; of a model of numbers a forecast,
and an interval around it if that is wanted."""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from math import nan
from typing import TYPE_CHECKING, Any

from ..catalogue import DEFAULT
from ..errors import RegretlessError
from . import options
from .output import DONE, UsageError, complain, label_text, warn_skipped, write_json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from ..data.batch import Array, Batch
    from ..data.stream import Stream
    from ..intervals import AdaptiveIntervals
    from ..linear.base import OnlineClassifier
    from ..regression.base import OnlineRegressor
    from ..run.intervals import RunIntervals
    from .arguments import PredictOptions

    Predictor = OnlineClassifier | OnlineRegressor

HELP = "print a label or a forecast for every row"
DESCRIPTION = (
    "One label a line, in constant memory; a row on standard input is answered when it comes. Features and categories "
    "that the model never met contribute nothing; labels in the file are ignored, except by --losses, and by --json, "
    "which counts the errors. With --probabilities, a line has the probability of each label instead. A model of "
    "numbers has a forecast a line. A row that --on-error skip passes over has an empty line, or nan in place of "
    "numbers."
)


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
    from ..run.linear import Continuation
    from .read_model import read_predictor

    printed = ("scores", "probabilities", *(("losses", "interval", "json") if arguments.losses else ()))
    if len(asked := [f"--{name}" for name in printed if getattr(arguments, name)]) > 1:
        raise UsageError(f"{' and '.join(asked)}: one of them can be printed")
    learner, extra = read_predictor(arguments.model)
    if learner.kind == "regression":
        return _predict_numbers(arguments, learner, extra)
    if arguments.interval:
        raise UsageError("--interval: this model predicts labels, and intervals are around forecasts of numbers")
    if arguments.probabilities:
        _refuse_without_probabilities(learner, arguments.model)
    stream = _open(arguments, learner, Continuation.read(extra).schema)
    scored = _scored(learner, stream)
    if arguments.json:
        head = {"schema": "regretless.predict/1", "model": arguments.model, "input": arguments.file}
        likely = RowLines(stream, None) if arguments.probabilities else None
        counted = _counts(learner, scored, likely)
        write_json({**head, **counted, "skipped": stream.skipped})
        if counted["unknown_labels"]:
            known = ", ".join(counted["counts"])
            complain(f"{counted['unknown_labels']} labels are none of the model's ({known}) and count as errors")
    elif arguments.losses:
        write_at_once(_losses(stream, scored, lambda batch, scores: _mistakes(learner, batch.labels, scores)))
    else:
        write_at_once(_texts(arguments, learner, stream, scored))
    warn_skipped(stream)
    return DONE


def _open(arguments: PredictOptions, learner: Predictor, schema: dict[str, Any] | None) -> Stream:
    """The rows, in the columns of the model."""
    from ..data.source import LiveInput
    from .read_model import MOST_FEATURES, known_schema

    known = known_schema(learner, schema)
    source: Any = LiveInput() if arguments.file == "-" else arguments.file
    return options.open_input(source, arguments, known, frozen=True, unlabelled=True, max_features=MOST_FEATURES)


def _refuse_without_probabilities(learner: OnlineClassifier, model: str) -> None:
    import numpy as np

    if learner.probabilities(np.zeros((0, learner.state_.targets))) is None:
        advice = f"--scores prints its scores, and the default learner of learn ({DEFAULT}) has probabilities"
        raise RegretlessError(f"{model}: this model has no probabilities, for it is of {learner.name}; {advice}")


def _texts(
    arguments: PredictOptions, learner: OnlineClassifier, stream: Stream, scored: Iterator[tuple[Batch, Array]]
) -> Iterator[str]:
    """The lines of each batch; several columns stand below their names where the file names its own."""
    named = arguments.probabilities or (arguments.scores and learner.state_.targets > 1)
    width = len(learner.classes_) if arguments.probabilities else learner.state_.targets * arguments.scores
    lines = RowLines(stream, "\t".join(["nan"] * width))
    for _, scores in scored:
        if named and names_columns(stream.schema()):
            yield "\t".join(map(label_text, learner.classes_.tolist())) + "\n"
        named = False
        if arguments.probabilities:
            yield lines.text(_numbers(learner.probabilities(scores), _rounded))
        else:
            yield lines.text(_numbers(scores) if arguments.scores else _labels(learner, scores))
    yield lines.rest()


def _losses(
    stream: Stream, scored: Iterator[tuple[Batch, Array]], lost: Callable[[Batch, Array], list[float]]
) -> Iterator[str]:
    """What the rows of each batch cost, a line each; nan of a row without label or outcome."""
    from ..errors import DataError

    lines = RowLines(stream, "nan")
    for batch, scores in scored:
        if batch.labels is None:
            advice = "a loss is one by a label: name their column with --target"
            raise DataError(stream.name, None, None, "there are no labels", advice)
        yield lines.text([f"{loss:.12g}" for loss in lost(batch, scores)])
    yield lines.rest()


def _mistakes(learner: OnlineClassifier, labels: Any, scores: Array) -> list[float]:
    """1 for each mistake and 0 for none; a label that the model does not know is one."""
    import numpy as np

    comparable = (labels.dtype.kind == "U") == (learner.classes_.dtype.kind == "U")
    wrong = labels != learner.labels(scores) if comparable else np.ones(len(labels), dtype=bool)
    there: list[float] = np.where(_there(labels, learner.classes_), wrong, nan).tolist()
    return there


def _errors(outcomes: Any, forecasts: Array) -> list[float]:
    """The absolute error of each forecast; nan where the outcome is no number."""
    errors: list[float] = [nan] * len(forecasts) if outcomes.dtype.kind == "U" else abs(outcomes - forecasts).tolist()
    return errors


def write_at_once(texts: Iterator[str]) -> None:
    """Write each text when it is there: whoever sent a row through a pipe may wait for the answer."""
    for text in texts:
        sys.stdout.write(text)
        sys.stdout.flush()


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


def names_columns(schema: Mapping[str, Any]) -> bool:
    """Whether the file has a line of names above its rows."""
    return schema.get("format") == "table" and bool(schema.get("header", True))


def _scored(learner: Predictor, stream: Stream) -> Iterator[tuple[Batch, Array]]:
    """The batches of a stream, and what the model makes of them."""
    from ..errors import RowRefused
    from .read_model import known_columns

    rows = 0
    for batch in known_columns(stream, learner.state_.columns):
        try:
            scores = learner.scores(batch)
        except RowRefused as error:
            raise stream.refused(error, rows) from error
        yield batch, scores
        rows += len(batch)


def _labels(learner: OnlineClassifier, scores: Array) -> list[str]:
    names = [label_text(label) for label in learner.classes_.tolist()]
    places = learner.classes_.searchsorted(learner.labels(scores))
    return [names[place] for place in places.tolist()]


def _numbers(rows: Any, written: Callable[[float], str] = repr) -> list[str]:
    return ["\t".join(map(written, row)) for row in rows.tolist()]


def _rounded(probability: float) -> str:
    """Twelve digits; the last of all depend on the machine's exp."""
    return f"{probability:.12g}"


def _counts(
    learner: OnlineClassifier, scored: Iterator[tuple[Batch, Array]], likely: RowLines | None
) -> dict[str, Any]:
    """How often each label was predicted, and how often it was wrong; with the probabilities of all rows, if wanted."""
    import numpy as np

    classes = learner.classes_
    counts, errors, strange, labelled = np.zeros(len(classes), np.int64), 0, 0, 0
    each: list[list[float] | None] = []
    for batch, scores in scored:
        if likely is not None:
            each += likely.of(np.asarray(learner.probabilities(scores)).tolist())
        predicted = learner.labels(scores)
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


def _there(labels: Array, classes: Array) -> Array:
    """Which rows have a label; no text is none, unless the model knows it as one."""
    import numpy as np

    if labels.dtype.kind != "U":
        return np.asarray(~np.isnan(labels))
    return np.asarray(labels != "") | ("" in classes.tolist())


# ---- models of numbers


def _predict_numbers(arguments: PredictOptions, learner: OnlineRegressor, extra: dict[str, Any]) -> int:
    """Print a forecast a row, and the interval around it if that is wanted."""
    from ..run.regression import continuation

    if arguments.probabilities:
        raise UsageError("--probabilities: this model forecasts numbers, and labels alone have probabilities")
    goes_on, known = continuation(extra)
    intervals = _intervals(arguments, known.intervals)
    stream = _open(arguments, learner, goes_on.schema)
    scored = _scored(learner, stream)
    if arguments.json:
        head = {"schema": "regretless.predict/1", "model": arguments.model, "input": arguments.file}
        write_json({**head, **_counts_of_numbers(learner, scored, intervals), "skipped": stream.skipped})
    elif arguments.losses:
        write_at_once(_losses(stream, scored, lambda batch, forecasts: _errors(batch.labels, forecasts[:, 0])))
    else:
        write_at_once(_forecasts(stream, scored, intervals))
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


def _ends_of(intervals: AdaptiveIntervals, value: float) -> tuple[float, float]:
    """The interval around a forecast whose outcome will not be known; NaN if it holds nothing."""
    interval = intervals.interval(value)
    intervals.update(interval.ticket, nan)
    return interval[0], interval[1]


def _forecasts(
    stream: Stream, scored: Iterator[tuple[Batch, Array]], intervals: AdaptiveIntervals | None
) -> Iterator[str]:
    """The lines of each batch; several columns stand below their names where the file names its own."""
    lines, named = RowLines(stream, "nan" if intervals is None else "nan\tnan\tnan"), intervals is not None
    for _, forecasts in scored:
        if named and names_columns(stream.schema()):
            yield "forecast\tlow\thigh\n"
        named = False
        yield lines.text([_line(value, intervals) for value in forecasts[:, 0].tolist()])
    yield lines.rest()


def _line(value: float, intervals: AdaptiveIntervals | None) -> str:
    if intervals is None:
        return repr(value)
    low, high = _ends_of(intervals, value)
    return f"{value!r}\t{low!r}\t{high!r}"


def _counts_of_numbers(
    learner: OnlineRegressor, scored: Iterator[tuple[Batch, Array]], intervals: AdaptiveIntervals | None
) -> dict[str, Any]:
    """The losses of the forecasts, if the rows have outcomes, and how many of these their intervals hold."""
    import numpy as np

    from .learn_numbers import loss_name

    rows, known = 0, 0
    sums = np.zeros(5)  # of squared, absolute and own losses, of outcomes, of their squares
    inside, width, origin = 0, 0.0, 0.0
    rules = learner.rules()
    for batch, forecasts in scored:
        rows += len(batch)
        if intervals is not None and len(batch):
            low, high = _ends_of(intervals, 0.0)
            width = high - low
        if batch.labels is None or batch.labels.dtype.kind == "U":
            continue
        there = np.isfinite(batch.labels)
        outcomes, said = batch.labels[there].astype(np.float64), forecasts[there, 0]
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
