"""``regretless inspect``: what is in a model."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from ...report.formatting import printable
from .. import options
from ..arguments import Arguments
from ..output import DONE, write_json
from .kinds import (
    MOST,
    describe_bandit,
    describe_class_learner,
    describe_combiner,
    describe_contextual,
    describe_regressor,
    lines_of,
    lines_of_bandit,
    lines_of_class_learner,
    lines_of_contextual,
    lines_of_regressor,
)
from .labels import describe, describe_mixing, label_lines

HELP = "show what is in a model"
DESCRIPTION = (
    "The learner, its parameters, its ledger and its largest weights, by the features' names or ids as in the file; of "
    "a finite class what is left of it, and what it says of the points."
)


class InspectOptions(Arguments):
    """Of `inspect`."""

    model: str
    top: int
    json: bool


def add_arguments(parser: ArgumentParser) -> None:
    """The verb's options."""
    options.add_model(parser)
    options.add_number(parser, "--top", options.whole, "N", "how many weights of each class; 10 by default", default=10)
    parser.add_argument("--json", action="store_true", help="print one JSON object instead")


def run(arguments: InspectOptions) -> int:
    """Inspect."""
    from ...persist.model import read
    from ...persist.validation import fits

    learner, extra = read(arguments.model)
    with fits(f"{arguments.model}: what the model says"):
        values, lines = _values_and_lines(learner, extra, arguments)
    if arguments.json:
        write_json({"schema": "regretless.inspect/1", "model": arguments.model, **values})
    else:
        print("\n".join(map(printable, lines)))
    return DONE


def _values_and_lines(
    learner: Any, extra: dict[str, Any], arguments: InspectOptions
) -> tuple[dict[str, Any], list[str]]:
    """What is in a model, for programs and for people."""
    from ...run.linear import Continuation

    if learner.kind == "experts":
        values = describe_combiner(learner, extra)
        lines = lines_of(values, arguments.top)
    elif learner.kind == "regression":
        values = describe_regressor(learner, extra, arguments.top)
        lines = lines_of_regressor(values)
    elif learner.kind == "bandits":
        values = describe_bandit(learner)
        lines = lines_of_bandit(values, arguments.top)
    elif learner.kind == "contextual":
        values = describe_contextual(learner, extra)
        lines = lines_of_contextual(values, arguments.top)
    elif learner.kind == "class":
        values = describe_class_learner(learner, MOST if arguments.json else arguments.top)
        lines = lines_of_class_learner(values, arguments.top)
    else:
        values = describe(learner, Continuation.read(extra), arguments.top)
        values["mixing"] = describe_mixing(learner, extra)
        lines = label_lines(values, arguments.top)
    return values, lines
