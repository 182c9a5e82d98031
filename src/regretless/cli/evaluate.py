"""``regretless evaluate``: what policies, or a learner, would have earned in the rounds of a log."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Callable, Sequence
from math import ceil, sqrt
from typing import TYPE_CHECKING

from ..catalogue import BANDITS, DEFAULT_BANDIT, bandit_class
from . import options
from .arguments import ReportOptions
from .files import refuse_overwriting
from .logs import OF_LOG, TABLES, LogOptions, add_columns, files_of, policies_of, read_evaluated
from .output import DONE, UsageError, complain

if TYPE_CHECKING:
    from ..bandits.base import Bandit
    from ..bandits.off_policy import Evaluation
    from ..data.logged import Log
    from .pull import PullOptions

RUNS = 10
MOST_RUNS = 100_000  # of which each keeps a learner of its own
DELTA = 0.05
MakeBandit = Callable[[int, Sequence[str]], "Bandit"]

HELP = "estimate from a log what other policies would have earned"
DESCRIPTION = (
    "A row of LOG is a round: the action that was taken, the probability with which it was, and its reward. Printed "
    "are estimates of the mean reward of other policies, or of a learner, each with its interval; one of them holds "
    "after every number of rounds, whatever the weights. Lines say whether the policy is better than that of the log, "
    "and than taking always the same action. Without --policy and --learner the policy of the log is asked about."
)
POLICY_HELP = (
    "a policy, again for several: log, uniform, always:ACTION, action:COLUMN (which names an action in each row), "
    "probability:COLUMN (of the action taken), model:FILE (that learn saved, which takes the action that it predicts, "
    "or explore, which draws as it would next, and learns nothing), or a table of action and probability, and of the "
    "context"
)


class EvaluateOptions(LogOptions, ReportOptions):
    """Of `evaluate`."""

    policy: list[str]
    learner: str | None
    set: list[str]
    delta: float | None
    runs: int | None
    seed: int | None


def add_arguments(parser: ArgumentParser) -> None:
    """The verb's options."""
    parser.add_argument("file", metavar="LOG", help="a table of logged rounds; text may be compressed, - is stdin")
    reading = parser.add_argument_group("reading the log")
    add_columns(reading)
    reading.add_argument(
        "--actions", metavar="A,B", action="append", default=[], help="all actions; by default those that the log took"
    )
    reading.add_argument(
        "--range", type=float, nargs=2, metavar=("LO", "HI"), help="where all rewards are known to lie; by default 0 1"
    )
    reading.add_argument("--format", choices=TABLES, help="by default as the suffix says")
    group = parser.add_argument_group("what is evaluated")
    group.add_argument("--policy", metavar="POLICY", action="append", default=[], help=POLICY_HELP)
    group.add_argument(
        "--learner",
        metavar="NAME",
        type=options.learner_in(BANDITS),
        choices=tuple(BANDITS),
        help="a learner that goes along the log, in place of a policy",
    )
    options.add_set(group)
    group.add_argument("--delta", type=options.share, metavar="D", help="how often an interval may fail (0.05)")
    group.add_argument("--runs", type=options.whole, metavar="R", help=f"how often the log is replayed ({RUNS})")
    group.add_argument("--seed", type=options.seed, metavar="S", help="of the random numbers (0)")
    output = parser.add_argument_group("output")
    options.add_report(output)
    options.add_watching(output)


def run(arguments: EvaluateOptions) -> int:
    """Read, evaluate, report."""
    from .evaluate_result import LogOutput, SeveralOutput

    _refuse_contradictions(arguments)
    make = None if arguments.learner is None else _maker(arguments)
    console = options.console_of(arguments)
    log = read_evaluated(arguments)
    console.doing("the log is replayed")
    each = [
        LogOutput(arguments, one, arguments.seed or 0, one.bets.name if one.learners else name)
        for name, one in _evaluations(arguments, log, make)
    ]
    console.settle()
    if arguments.json and not arguments.quiet:  # people have them beside the estimates
        for output in each:
            head = f"{output.name}: " if len(each) > 1 else ""
            for note in output.evaluation.notes:
                complain(head + note)
    outcome = each[0] if len(each) == 1 else SeveralOutput(each)
    outcome.publish(arguments, console, arguments.report)
    return DONE


def _refuse_contradictions(arguments: EvaluateOptions) -> None:
    columns = {"action": arguments.action, "reward": arguments.reward, "propensity": arguments.propensity}
    for name, column in columns.items():
        if column is None:
            raise UsageError(f"a log needs --{name}: which column that is (--propensity: or the number for all)")
    if (arguments.runs or RUNS) > MOST_RUNS:
        raise UsageError(f"--runs {arguments.runs}: a log is replayed at most {MOST_RUNS:,} times")
    if arguments.policy and arguments.learner is not None:
        raise UsageError("--policy and --learner exclude each other: one of them is evaluated")
    if arguments.learner is None:
        options.refuse_set({"--set": arguments.set}, "is for a learner, and a policy is none")
    if len(set(arguments.policy)) < len(arguments.policy):
        raise UsageError("--policy: the same one is there twice")
    options.range_of(arguments.range)
    refuse_overwriting([arguments.file, *files_of(arguments.policy)], [arguments.report])


def _evaluations(arguments: EvaluateOptions, log: Log, make: MakeBandit | None) -> list[tuple[str, Evaluation]]:
    """Each policy, by its name, or the learner."""
    from ..bandits.off_policy import evaluate_learner, evaluate_policy

    delta, runs = arguments.delta or DELTA, arguments.runs or RUNS
    if make is not None:
        learner = make(_most_rounds(log), log.names)
        return [(learner.name, evaluate_learner(log, learner, runs=runs, delta=delta))]
    asked = policies_of(arguments.policy or [OF_LOG], arguments, log)
    return [
        (
            one.text,
            evaluate_policy(
                one.log,
                one.policy,
                runs=runs,
                delta=delta,
                seed=arguments.seed or 0,
                name=one.name,
                together=len(asked),
                assuming=one.assuming,
            ),
        )
        for one in asked
    ]


def _most_rounds(log: Log) -> int:
    """More rounds than this are replayed once in thirty thousand logs: for learners that are tuned for so many."""
    expected = len(log) * log.least
    return ceil(expected + 4 * sqrt(expected))


def _maker(arguments: EvaluateOptions) -> MakeBandit:
    """What makes the learner that a log is replayed to, by the number of rounds and the names of the arms."""
    from .parameters import BanditMaker, BanditSettings

    wanted = bandit_class(arguments.learner or DEFAULT_BANDIT)
    if wanted.info.advised or wanted.info.informed:
        needs = "advice" if wanted.info.advised else "the rewards of all actions"
        raise UsageError(f"--learner {wanted.name} needs {needs}, which a log has not; choose another one")
    # How many rounds there will be is not known: those that a log accepts are a matter of chance.
    tuned = any(text.partition("=")[0].strip() in ("horizon", "rate") for text in arguments.set)
    return BanditMaker(
        BanditSettings(
            learner=arguments.learner,
            set=arguments.set,
            delta=arguments.delta,
            range=arguments.range,
            seed=arguments.seed,
            rewards=not arguments.losses,
            anytime=not wanted.info.needs_horizon and not tuned,
            advice=None,
        )
    ).learner


def evaluate_pulled(arguments: PullOptions, path: str) -> int:
    """``regretless pull --logged``, which came before this verb."""

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
    shared = ("range", "format", "set", "delta", "runs", "seed", "action", "reward", "propensity", "least_propensity")
    rest = ("losses", "context", "report", "json", "quiet", "progress")
    same = {name: getattr(arguments, name) for name in (*shared, *rest)}
    return run(EvaluateOptions(file=path, learner=learner, policy=policies, actions=[], **same))
