"""The policies that ``regretless evaluate`` is asked about, as a command line names them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..errors import DataError, did_you_mean
from .output import UsageError, label_text

if TYPE_CHECKING:
    from ..data.logged import Log
    from .arguments import EvaluateOptions

SHOWN = 10  # actions that an error names
OF_LOG = "log"
UNIFORM = "uniform"
KINDS = ("always", "action", "probability", "model")
MADE_BEFORE = "that it was not chosen by these rounds"
UNSEEN = "that the model has not learned from these rounds, or was chosen by them"
EARLIER = "that its column depends on earlier rounds and the situation alone"


@dataclass(frozen=True, slots=True, eq=False)
class NamedPolicy:
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


def policies_of(arguments: EvaluateOptions, log: Log) -> list[NamedPolicy]:
    """All of them; the policy of the log where none is named.

    Raises
    ------
    UsageError
        If an action, or a kind of policy, is not known.
    RegretlessError
        If a file cannot be used.
    """
    return [_policy(text, arguments, log) for text in arguments.policy or [OF_LOG]]


def _policy(text: str, arguments: EvaluateOptions, log: Log) -> NamedPolicy:
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
                f"--policy {text}: {meant}the log took no action {rest!r}, but {', '.join(log.names[:10])}"
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


def _of_column(text: str, kind: str, column: str, arguments: EvaluateOptions, log: Log) -> NamedPolicy:
    from ..bandits.off_policy import Choices, Stated
    from ..data.logged import read_choices, read_stated

    _again(text, arguments.file)
    policy: Any
    if kind == "action":
        policy = Choices(read_choices(arguments.file, log, column, arguments.format))
    else:
        policy = Stated(read_stated(arguments.file, column, arguments.format))
    return NamedPolicy(text, column, log, policy, EARLIER)


def _of_model(text: str, path: str, arguments: EvaluateOptions, log: Log) -> NamedPolicy:
    """A model of labels takes the action that it predicts of a row; one that draws actions by features draws so."""
    from ..bandits.off_policy import Choices, Randomised
    from ..persist.model import read
    from .evaluate_models import drawn_by

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


def _predicted(path: str, arguments: EvaluateOptions, log: Log) -> list[str]:
    from ..data import open_stream
    from ..run.linear import Continuation, print_of
    from .evaluate_models import refuse_learned, refuse_lost
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
