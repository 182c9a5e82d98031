"""``regretless pull``: many runs of a bandit over a table of losses, with the regret of each."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ...catalogue import BANDITS, DEFAULT_BANDIT, bandit_class
from ...data.formats import LOSSES
from ...errors import RegretlessError
from ...run.trace_lines import TRACED
from .. import options
from ..arguments import ReportOptions
from ..files import refuse_model, refuse_overwriting
from ..logs import TABLES, LogColumnOptions, add_columns
from ..output import Console, Ended, UsageError, complain, explain, verdict
from ..parameters import ADVISED, BanditMaker, BanditSettings
from ..signals import run_until_signal
from .result import PullOutput

if TYPE_CHECKING:
    from ...bandits.base import Bandit
    from ...bandits.simulation import Pulls
    from ...data.arm_advice import Advice
    from ...data.losses import LossTable


RUNS = 100

HELP = "draw arms whose losses are learned one by one, many times over, and certify the regret"
DESCRIPTION = (
    "A row is a round, a column an arm; where a loss is missing the arm sleeps. In each round the learner draws an arm "
    "and sees that one's loss alone. The table is played many times, with other random numbers each time. Printed are "
    "the losses, the regret against the best arm, every theorem on it, and how many of the runs exceed what it says."
)


class PullOptions(BanditSettings, LogColumnOptions, ReportOptions):
    """Of `pull`, over a table, or over the log that `logged` names."""

    file: str | None
    arms: list[str]
    array: str | None
    missing: float | None
    format: str | None
    runs: int | None
    workers: int | None
    trace: int | None
    logged: str | None
    policy: str | None


def add_arguments(parser: ArgumentParser) -> None:
    """The verb's options."""
    options.add_file(parser, "losses", which="text may", needed=False)
    _add_table(parser)
    _add_learning(parser)
    _add_runs(parser)
    _add_log(parser)
    _add_output(parser)


def _add_table(parser: ArgumentParser) -> None:
    group = parser.add_argument_group("reading the file")
    options.add_range(group, "where all losses are known to lie; by default 0 1")
    group.add_argument("--rewards", action="store_true", help="the table holds rewards: more is better")
    options.add_names(
        group, "--arms", "the arms' columns; by default all columns of numbers, but one that counts the rows"
    )
    group.add_argument("--array", metavar="NAME", help="npz: the array of losses, if there are several")
    group.add_argument(
        "--missing", type=float, metavar="VALUE", help="a number that stands for an arm that sleeps, as nan does"
    )
    options.add_format(group, LOSSES)


def _add_learning(parser: ArgumentParser) -> None:
    group = parser.add_argument_group("drawing")
    options.add_learner(group, BANDITS, f"{', '.join(BANDITS)}; by default {DEFAULT_BANDIT}")
    options.add_number(group, "--delta", options.share, "D", "the probability with which a certificate may fail (0.05)")
    options.add_anytime(group)
    options.add_set(group)
    group.add_argument(
        "--advice",
        metavar="FILE",
        help=f"{ADVISED}: a table with a column for each expert, who names an arm in every row; "
        "or probabilities (.npz)",
    )


def _add_runs(parser: ArgumentParser) -> None:
    group = parser.add_argument_group("runs")
    options.add_number(group, "--runs", options.whole, "R", f"how often to play the table ({RUNS})")
    options.add_number(group, "--seed", options.seed, "S", "of the random numbers (0)")
    options.add_number(group, "--workers", options.whole, "W", "how many runs at a time; by default one a processor")


def _add_log(parser: ArgumentParser) -> None:
    group = parser.add_argument_group("a log of another policy's draws, instead of a table; see regretless evaluate")
    group.add_argument("--logged", metavar="FILE", help="a row a round: the action taken, its propensity, its reward")
    add_columns(group)
    group.add_argument(
        "--policy",
        metavar="FILE",
        help="evaluate this policy instead of a learner: a table of action and probability, and of the context",
    )


def _add_output(parser: ArgumentParser) -> None:
    group = parser.add_argument_group("output")
    options.add_report(group)
    options.add_trace(group, TRACED, "of the first run, the probabilities, the draw, its loss and the estimates")
    options.add_watching(group)


def run(arguments: PullOptions) -> int:
    """Play, certify, report."""
    if arguments.logged is not None:
        return _evaluate(arguments, arguments.logged)

    path = arguments.file
    if path is None:
        raise UsageError("a FILE of losses is missing, or --logged FILE; see regretless pull --help")
    _refuse_contradictions(arguments, path)
    maker = BanditMaker(arguments)
    table = _read(arguments, path)
    for note in () if arguments.quiet else table.notes:
        complain(note)
    advice = _advice(arguments, table)
    learner = maker.learner(len(table.values), table.arms)
    console = options.console_of(arguments)
    pulls, stopped = _play(arguments, learner, table, advice, console)
    outcome = PullOutput(pulls, path, None if advice is None else advice.experts, _runs(arguments))
    if arguments.trace is not None:
        from ...environments import Table
        from ...play.tracing import trace_draws

        rounds = min(arguments.trace, len(table.values))
        values = None if advice is None else advice.values
        outcome.trace = trace_draws(learner, Table(table.values, table.arms), rounds, advice=values)
    outcome.publish(arguments, console, arguments.report)
    code = verdict(outcome.certificates)
    if stopped is not None:
        raise Ended(f"interrupted; this is about {pulls.runs} of {_runs(arguments)} runs", stopped)
    return code


def _read(arguments: PullOptions, path: str) -> LossTable:
    from ...data.losses import Wanted, read_losses

    low, high = options.range_of(arguments.range)
    named = options.names_of(arguments.arms)
    wanted = Wanted(named, arguments.array, arguments.missing, low, high, arguments.rewards)
    with options.usage_errors("arms", "array", "format"):
        return read_losses(path, wanted, format=arguments.format)


def _advice(arguments: PullOptions, table: LossTable) -> Advice | None:
    if arguments.advice is None:
        return None
    from ...data.arm_advice import read_advice

    return read_advice(arguments.advice, table.arms, len(table.values))


def _play(
    arguments: PullOptions, learner: Bandit, table: LossTable, advice: Advice | None, console: Console
) -> tuple[Pulls, int | None]:
    """The runs that were over, and the exit code of the signal if one came before all of them were."""
    from ...bandits.simulation import simulate
    from ...environments import Table

    rounds, runs = len(table.values), _runs(arguments)

    def play(stop: Callable[[], bool]) -> Pulls:
        return simulate(
            learner,
            Table(table.values, table.arms),
            runs=runs,
            advice=None if advice is None else advice.values,
            workers=arguments.workers,
            on_rounds=lambda played: console.rounds(played, f"{played // rounds:,} of {runs:,} runs, "),
            stop=stop,
        )

    def failed(error: Exception) -> RegretlessError:
        if isinstance(error, MemoryError):
            return RegretlessError(f"memory is exhausted by {runs:,} runs; use fewer (--runs)")
        return RegretlessError(explain(error, table.name))

    return run_until_signal(play, console, stopped=lambda: "interrupted before the first run was over", failed=failed)


def _runs(arguments: PullOptions) -> int:
    return RUNS if arguments.runs is None else int(arguments.runs)


def _evaluate(arguments: PullOptions, path: str) -> int:
    """``pull --logged``, which is `evaluate` by the options of this verb."""
    from ..evaluate import EvaluateOptions
    from ..evaluate import run as evaluate

    of_tables = {
        "a table of losses": arguments.file,
        "--arms": arguments.arms,
        "--array": arguments.array,
        "--missing": arguments.missing,
        "--advice": arguments.advice,
    }
    options.refuse_set(of_tables, "and --logged exclude each other")
    if arguments.rewards and arguments.losses:
        raise UsageError("--rewards and --losses contradict each other")
    if arguments.policy is not None and arguments.learner is not None:
        raise UsageError("--policy and --learner exclude each other: one of them is evaluated")
    if arguments.policy is not None:
        options.refuse_set({"--anytime": arguments.anytime}, "is for a learner, and --policy is none")
    if arguments.format is not None and arguments.format not in TABLES:
        raise UsageError(f"--format {arguments.format}: a log is {', '.join(TABLES)}")
    learner = None if arguments.policy is not None else arguments.learner or DEFAULT_BANDIT
    if arguments.anytime:
        info = bandit_class(learner or DEFAULT_BANDIT).info
        if info.needs_horizon:
            refused = f"--learner {info.name} cannot be played with --anytime"
            raise UsageError(f"{refused}: it is tuned for a number of rounds, and has no rates that fall")
        raise UsageError("--anytime is how a log is replayed; --set horizon=N tells the learner a number of rounds")
    policies = [] if arguments.policy is None else [arguments.policy]
    own: dict[str, Any] = {"file": path, "learner": learner, "policy": policies, "actions": []}
    same = {name: getattr(arguments, name) for name in EvaluateOptions.fields() if name not in own}
    return evaluate(EvaluateOptions(**own, **same))


def _refuse_contradictions(arguments: PullOptions, path: str) -> None:
    """Refuse options that contradict each other, before anything is read or written."""
    of_logs = {
        "--action": arguments.action,
        "--reward": arguments.reward,
        "--propensity": arguments.propensity,
        "--least-propensity": arguments.least_propensity,
        "--losses": arguments.losses,
        "--policy": arguments.policy,
        "--context": arguments.context,
    }
    options.refuse_set(of_logs, "is about a log, and --logged FILE names none")
    if arguments.arms and not any(options.names_of(arguments.arms) or ()):
        raise UsageError("--arms names no column; leave it out for all columns of numbers")
    options.range_of(arguments.range)
    refuse_model(path, "regretless inspect shows it, and a table of losses is expected here")
    inputs = [path, *([arguments.advice] if arguments.advice is not None else [])]
    if inputs.count("-") > 1:
        raise UsageError("FILE and --advice cannot both be standard input")
    refuse_overwriting(inputs, [arguments.report])
