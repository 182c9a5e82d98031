"""The intervals of `combine` and `learn`: their options, and what these may not be."""

from __future__ import annotations

from argparse import _ArgumentGroup
from typing import TYPE_CHECKING

from .output import UsageError

if TYPE_CHECKING:
    from ..experts.base import ExpertLearner
    from ..run.intervals import RunIntervals
    from .arguments import CombineOptions, LearnOptions

NO_NUMBERS = {"table": "losses themselves", "wealth": "price relatives", "zero-one": "votes"}  # by the loss


def add_intervals(group: _ArgumentGroup) -> None:
    """The options."""
    group.add_argument(
        "--interval",
        type=float,
        metavar="C",
        help="an interval around each forecast that holds a share C of the outcomes on any sequence: 0.9, say",
    )
    group.add_argument(
        "--interval-step",
        type=float,
        metavar="G",
        help="how far an outcome moves the level of the intervals, by default 0.02: less where many come at once",
    )


def refuse_shares(arguments: CombineOptions | LearnOptions) -> None:
    """Refuse numbers that have no meaning, before anything is read."""
    share, step = arguments.interval, arguments.interval_step
    if share is not None and not 0 < share < 1:
        raise UsageError(f"--interval {share:g}: the share of outcomes must lie between 0 and 1; 0.9, say")
    if step is not None and not 0 < step < 1:
        raise UsageError(f"--interval-step {step:g}: it must lie between 0 and 1; 0.02 is the default")
    if step is not None and share is None and arguments.resume is None:
        raise UsageError("--interval-step needs --interval C")


def refuse_loss(arguments: CombineOptions, learner: ExpertLearner) -> None:
    """An interval is one around a number."""
    name = learner._loss.name
    if arguments.interval is not None and name in NO_NUMBERS:
        raise UsageError(f"--interval is for forecasts of numbers, and --loss {name} is of {NO_NUMBERS[name]}")


def refuse_others(arguments: CombineOptions | LearnOptions, intervals: RunIntervals | None) -> None:
    """A model that goes on has the intervals that it has."""
    rule = None if intervals is None else intervals.rule
    wanted = {"--interval": arguments.interval, "--interval-step": arguments.interval_step}
    for option, value in wanted.items():
        if value is None:
            continue
        if rule is None:
            raise UsageError(f"{option} {value:g} contradicts the model, which learned without intervals")
        own = rule.coverage if option == "--interval" else rule.gamma
        if own != value:
            raise UsageError(f"{option} {value:g} contradicts the model, which has {own:g}")


def intervals_of(arguments: CombineOptions | LearnOptions) -> RunIntervals | None:
    """Those that are asked for."""
    from ..intervals import AdaptiveIntervals
    from ..run.intervals import RunIntervals

    if arguments.interval is None:
        return None
    if arguments.interval_step is None:
        return RunIntervals(AdaptiveIntervals(arguments.interval))
    return RunIntervals(AdaptiveIntervals(arguments.interval, arguments.interval_step))
