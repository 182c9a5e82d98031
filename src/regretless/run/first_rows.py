"""What the first rows of a file say: the task, and the size of a constant feature.

A constant feature is what ``learn`` and ``compare`` append where the user has set none.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ..catalogue import CLASSIFICATION, DEFAULT_OF_TASK
from ..errors import DataError
from ..linear.labels import FEW_CLASSES, OFTEN, are_numbered, ascending
from ..rows.state import LEAST_ENTRY, MOST_ENTRY
from ..rows.validation import JUDGED_ROWS

if TYPE_CHECKING:
    from ..data.batch import Array, Batch
    from ..data.stream import Stream
    from ..linear.base import OnlineClassifier


REGRESSION = "regression"
COUNTS = "--set loss=poisson"
SOME = 20  # rows, to ask by, where it was not
MOST_FRACTIONS = 20  # different numbers, not all of them whole, that may be labels where they come again


def task_of_rows(stream: Stream, batch: Batch | None) -> str:
    """The task that the first rows are about.

    Raises
    ------
    DataError
        If they may be about either.
    """
    labels = None if batch is None else batch.labels
    if labels is None or labels.dtype.kind == "U":
        return CLASSIFICATION
    values = ascending(labels)
    alone = len(values) > OFTEN * len(labels)
    if _has_fractions(values) and (len(values) > MOST_FRACTIONS or alone):
        return REGRESSION
    if len(values) > FEW_CLASSES or (len(labels) >= SOME and alone) or not are_numbered(values):
        counts = f", with {COUNTS} for counts" if _may_be_counts(values) else ""
        advice = f"say whether it is one: --task regression{counts}, or --task classification for labels"
        raise DataError(stream.name, None, None, _as_a_quantity(stream, labels), advice)
    return CLASSIFICATION


def forecast_instead(values: Array) -> str:
    """How a quantity is forecast whose numbers were taken for labels."""
    counts = f", with {COUNTS} if it counts something" if _may_be_counts(values) else ""
    return f"a quantity is forecast with --task {REGRESSION}{counts}"


def taken_for(stream: Stream, task: str) -> str:
    """What to say of a task that was found in the rows."""
    target = stream.schema().get("target")
    what = "the labels have" if target is None else f"the target {target!r} has"
    return f"{what} fractions, so numbers are forecast (--task {task}); --task {CLASSIFICATION} takes them for labels"


def refuse_quantities(stream: Stream, batch: Batch, verb: str = "") -> None:
    """Refuse numbers that are rather a quantity to be forecast than labels, by the first rows.

    Parameters
    ----------
    stream : Stream
    batch : Batch
        Its first rows.
    verb : str
        Which verb forecasts numbers, where it is another one.

    Raises
    ------
    DataError
        If nearly every row has a number of its own, or there are many that are not whole, or that are
        not numbered from 0 or 1 on as classes are.
    """
    labels = batch.labels
    if labels is None or labels.dtype.kind == "U" or len(labels) < JUDGED_ROWS:
        return
    values = ascending(labels)
    fractions = len(values) > MOST_FRACTIONS and _has_fractions(values)
    if not fractions and len(values) <= OFTEN * len(labels) and are_numbered(values):
        return
    advice = f"forecast it with {verb}--task {REGRESSION} ({DEFAULT_OF_TASK[REGRESSION]}), make classes of it, or give "
    advice += "--any-labels if each number is a label all the same"
    raise DataError(stream.name, None, None, _as_a_quantity(stream, labels), advice)


def refuse_words(stream: Stream, batch: Batch) -> None:
    """Refuse words where --interval wants numbers, by the first rows.

    Raises
    ------
    DataError
        If they are words.
    """
    if batch.labels is not None and batch.labels.dtype.kind == "U":
        advice = "choose a column of numbers with --target, or leave --interval out"
        fault = f"--interval is for numbers, and {as_words(stream, batch.labels)}"
        raise DataError(stream.name, None, None, fault, advice)


def as_words(stream: Stream, labels: Array) -> str:
    """That the labels are words, and the first of them."""
    target = stream.schema().get("target")
    what = "the labels are" if target is None else f"the target {target!r} holds"
    return f"{what} words, first {str(labels[0])!r}"


def _may_be_counts(values: Array) -> bool:
    return not _has_fractions(values) and bool(values.min() >= 0)


def _has_fractions(values: Array) -> bool:
    return bool((values != np.floor(values)).any())


def _as_a_quantity(stream: Stream, labels: Array) -> str:
    target = stream.schema().get("target")
    what = "the labels are" if target is None else f"the target {target!r} has"
    return f"{what} {len(ascending(labels)):,} different numbers in the first {len(labels):,} rows, as a quantity has"


# The constant feature.

INTERCEPT = "intercept"


def is_open(learner: OnlineClassifier, settings: Sequence[str]) -> bool:
    """Whether a learner that has seen no row waits for a size that goes by the first one.

    Parameters
    ----------
    learner : OnlineClassifier
    settings : sequence of str
        What the user has set, as ``name=value``.
    """
    return learner.info.constant and not any(text.partition("=")[0].strip() == INTERCEPT for text in settings)


def fitting_size(batch: Batch) -> float:
    """The root mean square of those numbers of the first row that are not 0, to the nearest power of two; 1 where there
    are none.

    It goes by one row alone, so that it does not matter in which pieces rows are read.
    """
    if not len(batch):
        return 1.0
    row = batch.values[0] if batch.starts is None else batch.values[: int(batch.starts[1])]
    sizes = np.abs(row[row != 0].astype(np.float64))
    if not len(sizes) or not np.isfinite(sizes).all():  # such a row is refused when it is learned
        return 1.0
    most = float(sizes.max())
    mean = most * float(np.sqrt(np.mean(np.square(sizes / most))))
    return _power(min(max(mean, LEAST_ENTRY), MOST_ENTRY))


def _power(size: float) -> float:
    """The nearest power of two."""
    return float(2.0 ** np.round(np.log2(size)))


def said_of(learner: OnlineClassifier, option: str = "--set") -> str:
    """What people should know of it, for nobody has asked for it."""
    size = learner.get_params()[INTERCEPT]
    chosen = {
        _power(LEAST_ENTRY): "the least that is chosen, for numbers of the first row are as small or smaller",
        _power(MOST_ENTRY): "the most that is chosen, for numbers of the first row are as large or larger",
    }.get(size, "as large as numbers of the first row")
    return (
        f"every row has a constant feature of {size:g} besides, {chosen}, and bounds are those of the longer rows; "
        f"{option} {INTERCEPT}=0 leaves it out"
    )
