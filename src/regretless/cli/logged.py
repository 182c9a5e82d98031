"""``regretless pull --logged``: what a learner, or a fixed policy, would have earned in the rounds of a log."""

from __future__ import annotations

import os
from argparse import _ArgumentGroup
from math import ceil, isfinite, sqrt
from typing import TYPE_CHECKING, Any

from ..errors import ParameterError
from . import options
from .defaults import BANDIT
from .exit_codes import DONE, UsageError
from .files import refuse_overwriting
from .output import complain, plain

if TYPE_CHECKING:
    from ..bandits.off_policy import Evaluation
    from ..data.logged import Log
    from ..theorem import Certificate
    from .arguments import PullOptions
    from .logged_result import Logged

RUNS = 10
MOST_RUNS = 100_000  # of which each keeps a learner of its own
DELTA = 0.05
TABLES = ("csv", "tsv", "parquet", "arrow", "feather")
OF_TABLES = ("file", "arms", "array", "missing", "advice")


def add_arguments(group: _ArgumentGroup) -> None:
    """The options of a log."""
    group.add_argument("--logged", metavar="FILE", help="a row a round: the action taken, its propensity, its reward")
    group.add_argument("--action", metavar="COLUMN", help="the column of actions")
    group.add_argument("--reward", metavar="COLUMN", help="the column of rewards: numbers, or true and false")
    group.add_argument(
        "--propensity", metavar="P", help="the column of the probabilities of the actions taken, or a number for all"
    )
    group.add_argument(
        "--least-propensity",
        type=float,
        metavar="P",
        help="no action could be less probable than this, drawn or not: what the interval of ips takes for granted",
    )
    group.add_argument("--losses", action="store_true", help="what that column holds are losses: less is better")
    group.add_argument(
        "--policy",
        metavar="FILE",
        help="evaluate this policy instead of a learner: a table of action and probability, and of the context",
    )
    group.add_argument(
        "--context", metavar="COLUMN", help="the column of the situation that a round was in, for --policy and dr"
    )


def run(arguments: PullOptions, path: str) -> int:
    """Read, evaluate, report."""
    _refuse_nonsense(arguments, path)
    make = None if arguments.policy is not None else _maker(arguments)
    console = options.console_of(arguments)
    log = _read(arguments, path)
    console.doing("the log is replayed")
    outcome = _evaluated(arguments, log, make)
    console.settle()
    if not arguments.quiet:
        for note in outcome.found.notes:
            complain(note)
    outcome.publish(arguments, console)
    return DONE


def _refuse_nonsense(arguments: PullOptions, path: str) -> None:
    for name in ("action", "reward", "propensity"):
        if getattr(arguments, name) is None:
            raise UsageError(f"--logged needs --{name}: which column that is (--propensity: or the number for all)")
    for name in OF_TABLES:
        if getattr(arguments, name) not in (None, []):
            what = "a table of losses" if name == "file" else f"--{name}"
            raise UsageError(f"{what} and --logged exclude each other")
    if (arguments.runs or RUNS) > MOST_RUNS:
        raise UsageError(f"--runs {arguments.runs}: a log is replayed at most {MOST_RUNS:,} times")
    if arguments.rewards and arguments.losses:
        raise UsageError("--rewards and --losses contradict each other")
    if arguments.policy is not None and arguments.learner is not None:
        raise UsageError("--policy and --learner exclude each other: one of them is evaluated")
    for name in ("set", "anytime"):
        if arguments.policy is not None and getattr(arguments, name):
            raise UsageError(f"--{name} is for a learner, and --policy is none")
    if arguments.format is not None and arguments.format not in TABLES:
        raise UsageError(f"--format {arguments.format}: a log is {', '.join(TABLES)}")
    low, high = arguments.range or (0.0, 1.0)
    if not (isfinite(low) and isfinite(high) and low < high):
        raise UsageError(f"--range {low:g} {high:g}: a number and a larger one are expected")
    inputs = [one for one in (path, arguments.policy) if one is not None]
    refuse_overwriting(inputs, [arguments.report])


def _maker(arguments: PullOptions) -> Any:
    """What makes the learner, by the number of rounds and the names of the arms."""
    from dataclasses import replace

    from ..catalogue import bandit_class
    from .pull_settings import Puller

    wanted = bandit_class(arguments.learner or BANDIT)
    if wanted.info.advised or wanted.info.informed:
        needs = "advice" if wanted.info.advised else "the rewards of all actions"
        raise UsageError(f"--learner {wanted.name} needs {needs}, which a log has not; choose another one")
    # How many rounds there will be is not known: those that a log accepts are a matter of chance.
    tuned = any(text.partition("=")[0].strip() in ("horizon", "rate") for text in arguments.set)
    anytime = arguments.anytime or (not wanted.info.needs_horizon and not tuned)
    if arguments.anytime and not wanted.info.needs_horizon:
        raise UsageError("--anytime is how a log is replayed; --set horizon=N tells the learner a number of rounds")
    return Puller(replace(arguments, rewards=not arguments.losses, anytime=anytime))


def _read(arguments: PullOptions, path: str) -> Log:
    from ..data.logged import read_log

    action, reward, named = arguments.action, arguments.reward, arguments.propensity
    if action is None or reward is None or named is None:
        raise AssertionError("a log without them is refused")
    try:
        propensity: str | float = float(named)
    except ValueError:
        propensity = named
    low, high = arguments.range or (0.0, 1.0)
    try:
        log = read_log(
            path,
            action=action,
            reward=reward,
            propensity=propensity,
            context=arguments.context,
            value_range=(low, high),
            losses=arguments.losses,
            format=arguments.format,
        )
        return log if arguments.least_propensity is None else log.declaring(arguments.least_propensity)
    except ParameterError as error:
        if error.name == "propensity":
            raise UsageError(f"--propensity {error.fault}") from error
        raise


def _evaluated(arguments: PullOptions, log: Log, make: Any) -> Logged:
    from ..bandits.off_policy import evaluate_learner, evaluate_policy
    from .logged_result import POLICY, Logged

    delta, runs, seed = arguments.delta or DELTA, arguments.runs or RUNS, arguments.seed or 0
    if arguments.policy is not None:
        from ..data.logged import read_policy

        wider, table = read_policy(arguments.policy, log, context=arguments.context)
        found = evaluate_policy(wider, table, runs=runs, delta=delta, seed=seed)
        return Logged(arguments, found, seed, POLICY, {"file": os.fspath(arguments.policy)})
    learner = make.learner(_most_rounds(log), log.names)
    found = evaluate_learner(log, learner, runs=runs, delta=delta)
    kept = {name: plain(value) for name, value in learner.get_params().items() if name not in ("arms", "run")}
    return Logged(arguments, found, seed, learner.name, kept, _certificates(found))


def _most_rounds(log: Log) -> int:
    """More rounds than this are replayed once in thirty thousand logs: for learners that are tuned for so many."""
    expected = len(log) * log.least
    return ceil(expected + 4 * sqrt(expected))


def _certificates(found: Evaluation) -> list[Certificate]:
    """What theorems say of the rounds that the first run played; nobody knows the rewards of the other actions."""
    first = found.learners[0]
    return first.certify() if first.rounds_ else []
