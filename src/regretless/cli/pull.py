"""``regretless pull``: many runs of a bandit over a table of losses, with the regret of each."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..catalogue import BANDITS, DEFAULT_BANDIT, bandit_class
from ..data.formats import LOSSES
from ..errors import ParameterError, RegretlessError
from . import options
from .evaluate import add_columns
from .files import refuse_model, refuse_overwriting
from .output import Console, Ended, UsageError, complain, explain, verdict
from .signals import run_until_signal

if TYPE_CHECKING:
    from ..bandits.base import Bandit
    from ..bandits.simulation import Pulls
    from ..data.arm_advice import Advice
    from ..data.losses import LossTable
    from .arguments import BanditSettings, PullOptions

RUNS = 100
ADVISED = ", ".join(name for name, entry in BANDITS.items() if entry.info.advised)

HELP = "draw arms whose losses are learned one by one, many times over, and certify the regret"
DESCRIPTION = (
    "A row is a round, a column an arm; where a loss is missing the arm sleeps. In each round the learner draws an arm "
    "and sees that one's loss alone. The table is played many times, with other random numbers each time. Printed are "
    "the losses, the regret against the best arm, every theorem on it, and how many of the runs exceed what it says."
)


def add_arguments(parser: ArgumentParser) -> None:
    """The verb's options."""
    parser.add_argument(
        "file",
        metavar="FILE",
        nargs="?",
        help="losses, or - for standard input; text may be compressed (.gz .xz .zst .bz2)",
    )
    _add_table(parser)
    _add_learning(parser)
    _add_runs(parser)
    _add_log(parser)
    _add_output(parser)


def _add_table(parser: ArgumentParser) -> None:
    group = parser.add_argument_group("reading the file")
    group.add_argument(
        "--range", type=float, nargs=2, metavar=("LO", "HI"), help="where all losses are known to lie; by default 0 1"
    )
    group.add_argument("--rewards", action="store_true", help="the table holds rewards: more is better")
    group.add_argument(
        "--arms",
        metavar="A,B",
        action="append",
        default=[],
        help="the arms' columns; by default all columns of numbers, but one that counts the rows",
    )
    group.add_argument("--array", metavar="NAME", help="npz: the array of losses, if there are several")
    group.add_argument(
        "--missing", type=float, metavar="VALUE", help="a number that stands for an arm that sleeps, as nan does"
    )
    options.add_format(group, LOSSES)


def _add_learning(parser: ArgumentParser) -> None:
    group = parser.add_argument_group("drawing")
    group.add_argument(
        "--learner",
        metavar="NAME",
        type=options.learner_in(BANDITS),
        choices=tuple(BANDITS),
        help=f"{', '.join(BANDITS)}; by default {DEFAULT_BANDIT}",
    )
    group.add_argument(
        "--delta", type=options.share, metavar="D", help="the probability with which a certificate may fail (0.05)"
    )
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
    group.add_argument("--runs", type=options.whole, metavar="R", help=f"how often to play the table ({RUNS})")
    group.add_argument("--seed", type=options.seed, metavar="S", help="of the random numbers (0)")
    group.add_argument(
        "--workers", type=options.whole, metavar="W", help="how many runs at a time; by default one a processor"
    )


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
    options.add_watching(group)


def run(arguments: PullOptions) -> int:
    """Play, certify, report."""
    if arguments.logged is not None:
        from .evaluate import evaluate_pulled

        return evaluate_pulled(arguments, arguments.logged)
    from .pull_result import PullOutput

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
    outcome = PullOutput.of(pulls, path, None if advice is None else advice.experts, _runs(arguments))
    outcome.publish(arguments, console, arguments.report)
    code = verdict(outcome.certificates)
    if stopped is not None:
        raise Ended(f"interrupted; this is about {pulls.runs} of {_runs(arguments)} runs", stopped)
    return code


SEED = 0
SWITCHES = 5  # that a learner for changing arms is tuned for, unless the user says
MANY_ROUNDS = 2**50  # with which parameters are tried before it is known how many there are
OPTIONS = {"value_range": "--range", "rewards": "--rewards", "seed": "--seed", "delta": "--delta"}
ELSEWHERE = {name: f"use {option}" for name, option in OPTIONS.items()} | {
    "n_arms": "the file says how many arms there are",
    "arms": "the file names the arms (--arms chooses among them)",
    "n_experts": "the advice says how many experts there are",
    "run": "all runs are played, as many as --runs says",
}
FIXING = ("horizon", "rate", "beta", "explore", "share")  # what is not tuned any more when one of them is given


class BanditMaker:
    """Makes the learner, once it is known how many rounds and arms there are.

    Parameters
    ----------
    arguments : PullOptions or BanditSettings

    Raises
    ------
    UsageError
        If a parameter has no meaning: that is seen before any file is read.
    """

    def __init__(self, arguments: PullOptions | BanditSettings) -> None:
        from inspect import signature

        from .parameters import read_settings

        self._class = bandit_class(arguments.learner or DEFAULT_BANDIT)
        self._known = signature(self._class).parameters
        self._anytime = arguments.anytime
        self._settings = read_settings(self._class, arguments.set, ELSEWHERE) | _own_options(arguments)
        self._refuse_contradictions(arguments)
        self._make({**self._settings, **self._tuning(MANY_ROUNDS)})

    def learner(self, rounds: int, arms: Sequence[str]) -> Bandit:
        """The learner for so many rounds and these arms."""
        return self._make({**self._settings, **self._tuning(rounds), "arms": list(arms)})

    def _refuse_contradictions(self, arguments: PullOptions | BanditSettings) -> None:
        if self._class.info.advised and arguments.advice is None:
            raise UsageError(f"--learner {self._class.name} draws as experts advise: give their --advice FILE")
        if not self._class.info.advised and arguments.advice is not None:
            raise UsageError(f"--advice is for {ADVISED}: {self._class.name} has no experts")
        if self._anytime and self._class.info.needs_horizon:
            refused = f"--learner {self._class.name} cannot be played with --anytime"
            raise UsageError(f"{refused}: it is tuned for a number of rounds, and has no rates that fall")
        for name in ("horizon", "rate"):
            if self._anytime and self._settings.get(name) is not None:
                raise UsageError(f"--anytime contradicts --set {name}={self._settings[name]}")

    def _tuning(self, rounds: int) -> Mapping[str, Any]:
        """The number of rounds, for a learner that can make use of it and is not tuned otherwise."""
        if self._anytime or self._settings.get("epochs") is False or "horizon" not in self._known:
            return {}
        more: dict[str, Any] = {}
        if all(self._settings.get(name) is None for name in FIXING):
            more["horizon"] = rounds
        if "switches" in self._known and (more or self._settings.get("horizon") is not None):
            more["switches"] = min(SWITCHES, rounds - 1)
        return more | {name: value for name, value in self._settings.items() if value is not None and name in more}

    def _make(self, settings: Mapping[str, Any]) -> Bandit:
        try:
            learner: Bandit = self._class(**settings)
        except RegretlessError as error:
            raise UsageError(self._about(error)) from error
        return learner

    def _about(self, error: RegretlessError) -> str:
        """What is wrong with a parameter, by the name that it has on the command line."""
        if not isinstance(error, ParameterError) or error.name not in self._known:
            return f"--learner {self._class.name}: {error}"
        return f"{OPTIONS[error.name]} {error.fault}" if error.name in OPTIONS else f"--set {error}"


def _own_options(arguments: PullOptions | BanditSettings) -> dict[str, Any]:
    """The parameters that have options of their own."""
    settings: dict[str, Any] = {"seed": SEED if arguments.seed is None else arguments.seed}
    if arguments.range is not None:
        settings["value_range"] = tuple(arguments.range)
    if arguments.rewards:
        settings["rewards"] = True
    if arguments.delta is not None:
        settings["delta"] = arguments.delta
    return settings


def _read(arguments: PullOptions, path: str) -> LossTable:
    from ..data.losses import Wanted, read_losses

    low, high = options.range_of(arguments.range)
    named = options.names_of(arguments.arms)
    wanted = Wanted(named, arguments.array, arguments.missing, low, high, arguments.rewards)
    with options.usage_errors("arms", "array", "format"):
        return read_losses(path, wanted, format=arguments.format)


def _advice(arguments: PullOptions, table: LossTable) -> Advice | None:
    if arguments.advice is None:
        return None
    from ..data.arm_advice import read_advice

    return read_advice(arguments.advice, table.arms, len(table.values))


def _play(
    arguments: PullOptions, learner: Bandit, table: LossTable, advice: Advice | None, console: Console
) -> tuple[Pulls, int | None]:
    """The runs that were over, and the exit code of the signal if one came before all of them were."""
    from ..bandits.simulation import simulate
    from ..environments import Table

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
    options.refuse_quiet_progress(arguments)
    if arguments.arms and not any(options.names_of(arguments.arms) or ()):
        raise UsageError("--arms names no column; leave it out for all columns of numbers")
    options.range_of(arguments.range)
    refuse_model(path, "regretless inspect shows it, and a table of losses is expected here")
    inputs = [path, *([arguments.advice] if arguments.advice is not None else [])]
    if inputs.count("-") > 1:
        raise UsageError("FILE and --advice cannot both be standard input")
    refuse_overwriting(inputs, [arguments.report])
