"""``regretless evaluate``: what policies, or a learner, would have earned in the rounds of a log."""

from __future__ import annotations

import os
from argparse import ArgumentParser
from collections.abc import Callable, Iterator, Sequence
from math import ceil, sqrt
from typing import TYPE_CHECKING, Any

from ..catalogue import BANDITS, DEFAULT_BANDIT, bandit_class
from ..report.terminal import many
from . import options
from .arguments import ReportOptions
from .files import refuse_overwriting
from .logs import OF_LOG, TABLES, LogOptions, add_columns, files_of, policies_of, read_evaluated
from .output import DONE, Output, UsageError, certificate_values, complain, parameters_of

if TYPE_CHECKING:
    from ..bandits.base import Bandit
    from ..bandits.off_policy import Evaluation
    from ..bandits.off_policy.estimates import Estimate
    from ..certificate import Certificate
    from ..data.logged import Log


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
    options.add_names(reading, "--actions", "all actions; by default those that the log took")
    options.add_range(reading, "where all rewards are known to lie; by default 0 1")
    reading.add_argument("--format", choices=TABLES, help="by default as the suffix says")
    group = parser.add_argument_group("what is evaluated")
    group.add_argument("--policy", metavar="POLICY", action="append", default=[], help=POLICY_HELP)
    options.add_learner(group, BANDITS, "a learner that goes along the log, in place of a policy")
    options.add_set(group)
    options.add_number(group, "--delta", options.share, "D", "how often an interval may fail (0.05)")
    options.add_number(group, "--runs", options.whole, "R", f"how often the log is replayed ({RUNS})")
    options.add_number(group, "--seed", options.seed, "S", "of the random numbers (0)")
    output = parser.add_argument_group("output")
    options.add_report(output)
    options.add_watching(output)


def run(arguments: EvaluateOptions) -> int:
    """Read, evaluate, report."""

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


# Lines, JSON and report.

SCHEMA = "regretless.logged/1"
SEVERAL = "regretless.evaluate/1"
POLICY = "policy"
NAMES = {
    "replay": "replay",
    "ips": "inverse propensity",
    "snips": "self-normalised",
    "dr": "doubly robust",
    "anytime": "at any time",
}


class LogOutput(Output):
    """An evaluation, for people, for programs and for a report.

    Attributes
    ----------
    arguments : EvaluateOptions
    evaluation : Evaluation
    seed : int
    name : str
        The learner's, or what the policy was called.
    """

    def __init__(self, arguments: EvaluateOptions, evaluation: Evaluation, seed: int, name: str) -> None:
        self.arguments, self.evaluation, self.seed, self.name = arguments, evaluation, seed, name

    @property
    def learned(self) -> bool:
        """Whether it is a learner."""
        return bool(self.evaluation.learners)

    @property
    def parameters(self) -> dict[str, Any]:
        """Of the learner, or what the policy is."""
        learners = self.evaluation.learners
        return parameters_of(learners[0], without=("arms", "run")) if learners else {"policy": self.name}

    @property
    def certificates(self) -> list[Certificate]:  # type: ignore[override]
        """What the log says of it, and what theorems say of the rounds that the first run of a learner played: the
        rewards of the other actions are not known."""
        learners = self.evaluation.learners
        return [*self.evaluation.certify(), *(learners[0].certify() if learners and learners[0].rounds_ else ())]

    @property
    def reading(self) -> dict[str, Any]:
        """How the log was read, as the options say it, and the policy's columns by its name."""
        arguments, log = self.arguments, self.evaluation.log
        names = ("action", "reward", "propensity", "least_propensity", "losses", "context", "actions")
        return {name: getattr(arguments, name) for name in names} | {"range": list(log.value_range)}

    @property
    def quantity(self) -> str:
        """What the log holds."""
        return "loss" if self.evaluation.log.losses else "reward"

    def describe(self) -> dict[str, Any]:
        """The result as JSON values."""
        evaluation = self.evaluation
        return {
            "schema": SCHEMA,
            "learner" if self.learned else "policy": self.name,
            "parameters": self.parameters,
            "runs": evaluation.runs,
            "seed": self.seed,
            "rounds": len(evaluation.log),
            "arms": len(evaluation.log.names),
            "quantity": self.quantity,
            "log": self.reading,
            "confidence": 1 - evaluation.delta,
            "estimates": {name: one.describe() for name, one in evaluation.estimates.items()},
            "logged": evaluation.logged.describe(),
            "effective_rounds": evaluation.effective,
            "largest_weight": evaluation.largest,
            "course": [[look.rounds, look.low, look.high] for look in evaluation.course()],
            "draws": dict(zip(evaluation.log.names, evaluation.draws.tolist(), strict=True)),
            **certificate_values(self.certificates),
            "notes": list(evaluation.notes),
            "seconds": evaluation.seconds,
        }

    def lines(self) -> Iterator[str]:
        """Lines for people before the certificates."""
        evaluation = self.evaluation
        runs = f", {evaluation.runs} runs (seed {self.seed})" if evaluation.runs > 1 else f" (seed {self.seed})"
        log = evaluation.log
        yield f"{self.name}: {many(len(log), 'logged round')} of {many(len(log.names), 'action')}{runs}"
        level = f"with probability {100 * (1 - evaluation.delta):g}%"
        yield f"{f'mean {self.quantity} a round':<28} {'estimate':>12} {'from':>12} {'to':>12} {'rounds':>10}  {level}"
        for name, one in evaluation.estimates.items():
            yield _line(NAMES[name], one)
            if one.cautious is not None:
                condition = "" if one.assuming is None else f"  assuming {one.assuming}"
                low, high = one.cautious
                yield f"{'    however few the rounds are':<41} {low:>12.6g} {high:>12.6g}{condition}"
        if evaluation.refuted is not None:
            yield f"  {NAMES['anytime']:<26} {'refused':>12} {'-':>12} {'-':>12}"
        yield _line("the log itself", evaluation.logged)
        worth = "1 round" if round(evaluation.effective) == 1 else f"{evaluation.effective:,.0f} rounds"
        yield f"  worth {worth} of equal weights; the largest weight is {evaluation.largest:.4g}"
        often = f"with probability {100 * (1 - evaluation.delta / evaluation.together):.6g}%, at any time"
        if evaluation.refuted is not None:
            yield f"refused: {evaluation.refuted}; so nothing is said of {evaluation.bets.name} at any time"
        yield from (f"{words} ({often})" for words in evaluation.better_than())
        yield from (f"note: {note}" for note in evaluation.notes)
        if self.learned and (played := int(evaluation.learners[0].rounds_)):
            which = "the first run" if evaluation.runs > 1 else "it"
            yield f"what theorems say of it, and last of the {many(played, 'round')} that {which} played"

    @property
    def source(self) -> dict[str, Any]:
        """Where the log came from, for a page."""
        arguments, rows = self.arguments, len(self.evaluation.log)
        columns = {"action": arguments.action, self.quantity: arguments.reward, "propensity": arguments.propensity}
        context = {} if arguments.context is None else {"context": arguments.context}
        return {"path": arguments.file, "rows": rows, **columns, **context}

    def write_page(self, path: str) -> None:
        """Write the report."""
        from ..report import LoggedReport, page_of_log, write_report

        evaluation, log = self.evaluation, self.evaluation.log
        what = type(evaluation.learners[0]).__name__ if self.learned else self.name
        report = LoggedReport(
            title=f"{os.path.basename(what)} on {os.path.basename(log.name)}",
            evaluation=evaluation,
            learner=self.name if self.learned else POLICY,
            parameters={name: value for name, value in self.parameters.items() if value is not None},
            source=self.source,
            certificates=self.certificates,
        )
        write_report(path, page_of_log(report))


class SeveralOutput(Output):
    """Several policies on one log.

    Attributes
    ----------
    each : list of LogOutput
    """

    def __init__(self, each: Sequence[LogOutput]) -> None:
        self.each = each

    @property
    def certificates(self) -> list[Certificate]:  # type: ignore[override]
        """Of all of them."""
        return [one for output in self.each for one in output.certificates]

    def describe(self) -> dict[str, Any]:
        """The result as JSON values."""
        first = self.each[0].evaluation
        return {
            "schema": SEVERAL,
            "policies": [one.describe() for one in self.each],
            "confidence": 1 - first.delta,
            "anytime_confidence": 1 - first.delta / first.together,
        }

    def lines(self) -> Iterator[str]:
        """Lines for people before the certificates."""
        first = self.each[0].evaluation
        for output in self.each:
            yield from output.lines()
        each, all_of_them = (f"{100 * (1 - risk):.6g}%" for risk in (first.delta / first.together, first.delta))
        yield (
            f"at any time: each of the {len(self.each)} intervals holds with probability {each}, so that all of them "
            f"hold together with {all_of_them} (union bound); the same is true of the lines of each kind below"
        )

    def write_page(self, path: str) -> None:
        """Write the report."""
        from ..report import PoliciesReport, page_of_policies, write_report

        first = self.each[0]
        report = PoliciesReport(
            title=f"{len(self.each)} policies on {os.path.basename(first.evaluation.log.name)}",
            evaluations={output.name: output.evaluation for output in self.each},
            source=first.source,
            certificates=self.certificates,
        )
        write_report(path, page_of_policies(report))


def _line(name: str, one: Estimate) -> str:
    doubt = "" if one.enough else "  (too few)"
    return f"  {name:<26} {one.value:>12.6g} {one.low:>12.6g} {one.high:>12.6g} {one.n:>10,}  {one.method}{doubt}"
