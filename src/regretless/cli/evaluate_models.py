"""What models would have done in the rows of a log, for ``regretless evaluate``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..data.batch import Array, Batch
from ..errors import DataError, ModelError

if TYPE_CHECKING:
    from ..contextual.base import ContextualBandit
    from ..data.logged import Log
    from .arguments import EvaluateOptions


def drawn_by(
    path: str, learner: ContextualBandit, extra: Mapping[str, Any], arguments: EvaluateOptions, log: Log
) -> tuple[Log, Array]:
    """How probable each action is, in each row of a log, to a model that ``explore`` wrote; it learns nothing.

    Parameters
    ----------
    path : str
        Of the model.
    learner, extra
        What the file of the model holds.
    arguments : EvaluateOptions
    log : Log

    Returns
    -------
    Log, ndarray of shape (rounds, actions)
        The log with the actions that only the model has added to its own.

    Raises
    ------
    ModelError
        If rows of a table are nothing to it.
    DataError
        If it has learned these rows, as far as can be seen, or a row cannot be used.
    """
    from ..run.explore import ExploreContinuation
    from ..run.linear import print_of

    if "decisions" not in extra:
        fault = "this model was made in Python, and does not say which columns its features are"
        advice = "write its probabilities of the actions that were taken to a column (--policy probability:COLUMN)"
        raise ModelError(f"{path}: {fault}; {advice}")
    known = ExploreContinuation.read(learner, extra)
    if known.decisions.get("form") == "vw":
        raise ModelError(f"{path}: this model knows features of Vowpal Wabbit's text, and evaluate reads tables")
    parts, last = [], None
    for rows in _rows(arguments, known.schema, learner.n_features_in_):
        parts += [learner.probabilities(row) for row in rows]
        last = print_of(Batch(rows[-1:], None, rows.shape[1]), 0) if len(rows) else last
    refuse_learned(path, arguments.file, last is not None and last == known.last, learner.rounds_, len(parts))
    refuse_lost(arguments.file, len(parts), log)
    log = log.among(learner.names())
    table = np.zeros((len(log), len(log.names)))
    table[:, [log.names.index(name) for name in learner.names()]] = parts
    return log, table


def _rows(arguments: EvaluateOptions, schema: dict[str, Any], columns: int) -> Iterator[Array]:
    """The features that a model knows, part by part; of a log that ``explore`` wrote each has a column of its own."""
    from ..data import open_stream
    from ..data.named_columns import read_picked
    from ..data.names import all_names
    from ..run.explore import dense
    from ..run.explore_log import column_of
    from .read_model import MOST_FEATURES

    path, format = arguments.file, arguments.format
    there = set(next(read_picked(path, None, [], format)).chunk.columns.names)
    written = [column_of(name) for name in all_names(schema, columns)]
    if there.issuperset(written) and not there.issuperset(one["name"] for one in schema.get("columns", ())):
        for part in read_picked(path, [], written, format):
            part.refuse()
            yield np.column_stack([part.numbers[name] for name in written])
        return
    how: dict[str, Any] = {"frozen": True, "unlabelled": True, "max_features": MOST_FEATURES}
    for batch in open_stream(path, schema=schema, format=format, **how).batches():
        yield dense(batch, columns)


def refuse_learned(path: str, name: str, same: bool, rounds: float, rows: int) -> None:
    """Refuse rows of which the last is the last that the model learned, where it learned them all once or more."""
    if same and rounds % rows == 0:
        fault = f"the model {path} has learned from these very rounds, as it seems"
        raise DataError(name, None, None, fault, "no interval holds then; give rounds that it has not seen")


def refuse_lost(name: str, rows: int, log: Log) -> None:
    """Refuse a model's rows that are not those of the log."""
    if rows != len(log):
        raise DataError(name, None, None, f"the model reads {rows} rows of {len(log)}", "give a whole log")
