"""Logs of rounds on the command line: their columns, how they are read, and the policies that they are asked about."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import DataError, ModelError, did_you_mean
from ..report.terminal import label_text
from . import options
from .arguments import Arguments
from .output import UsageError

if TYPE_CHECKING:
    from ..contextual.base import ContextualBandit
    from ..data.batch import Array
    from ..data.logged import Log


TABLES = ("csv", "tsv", "parquet", "arrow", "feather")
SHOWN = 10  # actions that an error names
OF_LOG = "log"
UNIFORM = "uniform"
KINDS = ("always", "action", "probability", "model")
MADE_BEFORE = "that it was not chosen by these rounds"
UNSEEN = "that the model has not learned from these rounds, or was chosen by them"
EARLIER = "that its column depends on earlier rounds and the situation alone"


class LogColumnOptions(Arguments):
    """What the columns of a log are."""

    action: str | None
    reward: str | None
    propensity: str | None
    least_propensity: float | None
    losses: bool
    context: str | None


class LogOptions(LogColumnOptions):
    """A log, and how it is read."""

    file: str
    range: list[float] | None
    format: str | None
    actions: list[str]


def add_columns(group: Any) -> None:
    """What the columns of a log are."""
    group.add_argument("--action", metavar="COLUMN", help="the column of actions")
    group.add_argument("--reward", metavar="COLUMN", help="the column of rewards: numbers, or true and false")
    group.add_argument(
        "--propensity", metavar="P", help="the column of the probabilities of the actions taken, or a number for all"
    )
    group.add_argument(
        "--least-propensity",
        type=float,
        metavar="P",
        help="no action could be less probable than this, drawn or not: narrows intervals that hold at any time",
    )
    group.add_argument("--losses", action="store_true", help="what that column holds are losses: less is better")
    group.add_argument("--context", metavar="COLUMN", help="the column of the situation that a round was in")


def read_evaluated(arguments: LogOptions) -> Log:
    """The log, by the options."""
    from ..data.logged import read_log

    action, reward, named = arguments.action, arguments.reward, arguments.propensity
    if action is None or reward is None or named is None:
        raise AssertionError("a log without them is refused")
    try:
        propensity: str | float = float(named)
    except ValueError:
        propensity = named
    if arguments.format is None and arguments.file.lower().endswith(".vw"):
        raise UsageError(f"{arguments.file} is Vowpal Wabbit's text, which explore reads; a log here is a table")
    with options.usage_errors("propensity"):
        log = read_log(
            arguments.file,
            action=action,
            reward=reward,
            propensity=propensity,
            context=arguments.context,
            value_range=options.range_of(arguments.range),
            losses=arguments.losses,
            format=arguments.format,
            named=options.names_of(arguments.actions or []),
        )
        return log if arguments.least_propensity is None else log.declaring(arguments.least_propensity)


class NamedPolicy(NamedTuple):
    """A policy, as `evaluate_policy` takes it.

    Attributes
    ----------
    text : str
        As the command line has it.
    name : str
        As certificates call it.
    log : Log
        Perhaps with more actions.
    policy : Any
    assuming : str or None
    """

    text: str
    name: str
    log: Log
    policy: Any
    assuming: str | None


def files_of(texts: Sequence[str]) -> list[str]:
    """The files that policies are read from."""
    parts = (text.partition(":") for text in texts if text not in (OF_LOG, UNIFORM))
    return [
        rest if kind == "model" else f"{kind}{colon}{rest}"
        for kind, colon, rest in parts
        if not (colon and kind in KINDS and kind != "model")
    ]


def policies_of(texts: Sequence[str], arguments: LogOptions, log: Log) -> list[NamedPolicy]:
    """The policies that these texts name, of a log that these options read.

    Raises
    ------
    UsageError
        If an action, or a kind of policy, is not known.
    RegretlessError
        If a file cannot be used.
    """
    return [_policy(text, arguments, log) for text in texts]


def _policy(text: str, arguments: LogOptions, log: Log) -> NamedPolicy:
    from ..bandits.off_policy import Stated
    from ..bandits.off_policy.anytime import THE_LOG

    kind, colon, rest = text.partition(":")
    if text == OF_LOG:
        return NamedPolicy(text, THE_LOG, log, Stated(log.propensities), None)
    if text == UNIFORM:
        even = dict.fromkeys(log.names, 1 / len(log.names))
        return NamedPolicy(text, UNIFORM, log, even, None)
    if colon and kind == "always":
        if rest not in log.names:
            meant = did_you_mean(rest, log.names)
            raise UsageError(
                f"--policy {text}: {meant}the log took no action {rest!r}, but {', '.join(log.names[:SHOWN])}"
            )
        return NamedPolicy(text, f"always {rest}", log, {rest: 1.0}, MADE_BEFORE)
    if colon and kind == "model":
        return _of_model(text, rest, arguments, log)
    if colon and kind in KINDS:
        return _of_column(text, kind, rest, arguments, log)
    from ..data.logged import read_policy

    wider, table = read_policy(text, log, context=arguments.context)
    return NamedPolicy(text, os.path.basename(text), wider, table, MADE_BEFORE)


def _again(text: str, path: str) -> None:
    if path == "-":
        raise UsageError(f"--policy {text}: standard input can be read once only; save the log in a file first")


def _of_column(text: str, kind: str, column: str, arguments: LogOptions, log: Log) -> NamedPolicy:
    from ..bandits.off_policy import Choices, Stated
    from ..data.logged import read_choices, read_stated

    _again(text, arguments.file)
    policy: Any
    if kind == "action":
        policy = Choices(read_choices(arguments.file, log, column, arguments.format))
    else:
        policy = Stated(read_stated(arguments.file, column, arguments.format))
    return NamedPolicy(text, column, log, policy, EARLIER)


def _of_model(text: str, path: str, arguments: LogOptions, log: Log) -> NamedPolicy:
    """A model of labels takes the action that it predicts of a row; one that draws actions by features draws so."""
    from ..bandits.off_policy import Choices, Randomised
    from ..persist.model import read

    _again(text, arguments.file)
    if not os.path.exists(path):
        raise DataError(path, None, None, "there is no such file", f"--policy {text} names a saved model")
    policy: Any
    learner, extra = read(path)
    if learner.kind == "contextual":
        log, table = drawn_by(path, learner, extra, arguments, log)
        policy = Randomised(table)
    else:
        policy = Choices(_predicted(path, arguments, log))
    return NamedPolicy(text, os.path.basename(path), log, policy, UNSEEN)


def _predicted(path: str, arguments: LogOptions, log: Log) -> list[str]:
    from ..data import open_stream
    from ..run.linear import Continuation, print_of
    from .read_model import MOST_FEATURES, known_columns, known_schema, read_classifier

    learner, extra = read_classifier(path)
    goes_on = Continuation.read(extra)
    stream = open_stream(
        arguments.file,
        schema=known_schema(learner, goes_on.schema),
        frozen=True,
        unlabelled=True,
        max_features=MOST_FEATURES,
        format=arguments.format,
    )
    names = [label_text(label) for label in learner.classes_.tolist()]
    result: list[str] = []
    last = None
    for batch in known_columns(stream, learner.state_.columns):
        places = learner.classes_.searchsorted(learner.labels(learner.scores(batch)))
        result += [names[place] for place in places.tolist()]
        last = print_of(batch, len(batch) - 1) if len(batch) else last
    same = last is not None and last == goes_on.last
    refuse_learned(path, stream.name, same, learner.ledger_.rounds, len(result))
    refuse_lost(stream.name, len(result), log)
    return result


def drawn_by(
    path: str, learner: ContextualBandit, extra: Mapping[str, Any], arguments: LogOptions, log: Log
) -> tuple[Log, Array]:
    """How probable each action is, in each row of a log, to a model that ``explore`` wrote; it learns nothing.

    Parameters
    ----------
    path : str
        Of the model.
    learner, extra
        What the file of the model holds.
    arguments : LogOptions
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
    import numpy as np

    from ..data.batch import Batch
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


def _rows(arguments: LogOptions, schema: dict[str, Any], columns: int) -> Iterator[Array]:
    """The features that a model knows, part by part; of a log that ``explore`` wrote each has a column of its own."""
    import numpy as np

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
        raise DataError(name, None, None, f"the model reads {rows:,} rows of {len(log):,}", "give a whole log")
