"""``regretless predict``: a label, the probabilities of all labels, or a forecast, for every row."""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from typing import TYPE_CHECKING

from . import options
from .arguments import ReadingOptions
from .files import refuse_swapped
from .output import CLASSIFICATION, DONE, UsageError, complain, warn_skipped, write_json

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from ..data.batch import Array, Batch
    from ..data.stream import Stream
    from .predict_output import Predictions

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
    from .predict_output import ForecastNumbers, PredictedLabels

    return PredictedLabels if task == CLASSIFICATION else ForecastNumbers


def _scored(learner: Any, stream: Stream) -> Iterator[tuple[Batch, Array]]:
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
