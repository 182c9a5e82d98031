"""``regretless pull --logged``: what a learner, or a fixed policy, would have earned in the rounds of a log."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from math import ceil, sqrt
from typing import TYPE_CHECKING, Any

from . import options
from .files import refuse_overwriting
from .output import DONE, Output, UsageError, certificate_values, complain, many, parameters_of

if TYPE_CHECKING:
    from ..bandits.base import Bandit
    from ..bandits.off_policy import Evaluation
    from ..bandits.off_policy.estimates import Estimate
    from ..certificate import Certificate
    from ..data.logged import Log
    from .arguments import PullOptions

RUNS = 10
MOST_RUNS = 100_000  # of which each keeps a learner of its own
DELTA = 0.05
TABLES = ("csv", "tsv", "parquet", "arrow", "feather")
MakeBandit = Callable[[int, Sequence[str]], "Bandit"]


def evaluate_log(arguments: PullOptions, path: str, learner_of: Callable[[PullOptions], MakeBandit]) -> int:
    """Read, evaluate, report.

    Parameters
    ----------
    arguments : PullOptions
    path : str
        The log.
    learner_of : callable
        Takes the arguments; returns what makes their learner by the number of rounds and the names of the arms.
    """
    _refuse_contradictions(arguments, path)
    make = None if arguments.policy is not None else learner_of(arguments)
    console = options.console_of(arguments)
    log = _read(arguments, path)
    console.doing("the log is replayed")
    outcome = _evaluate(arguments, log, make)
    console.settle()
    if not arguments.quiet:
        for note in outcome.evaluation.notes:
            complain(note)
    outcome.publish(arguments, console, arguments.report)
    return DONE


def _refuse_contradictions(arguments: PullOptions, path: str) -> None:
    columns = {"action": arguments.action, "reward": arguments.reward, "propensity": arguments.propensity}
    for name, column in columns.items():
        if column is None:
            raise UsageError(f"--logged needs --{name}: which column that is (--propensity: or the number for all)")
    of_tables = {
        "a table of losses": arguments.file,
        "--arms": arguments.arms,
        "--array": arguments.array,
        "--missing": arguments.missing,
        "--advice": arguments.advice,
    }
    options.refuse_set(of_tables, "and --logged exclude each other")
    if (arguments.runs or RUNS) > MOST_RUNS:
        raise UsageError(f"--runs {arguments.runs}: a log is replayed at most {MOST_RUNS:,} times")
    if arguments.rewards and arguments.losses:
        raise UsageError("--rewards and --losses contradict each other")
    if arguments.policy is not None and arguments.learner is not None:
        raise UsageError("--policy and --learner exclude each other: one of them is evaluated")
    if arguments.policy is not None:
        of_learners = {"--set": arguments.set, "--anytime": arguments.anytime}
        options.refuse_set(of_learners, "is for a learner, and --policy is none")
    if arguments.format is not None and arguments.format not in TABLES:
        raise UsageError(f"--format {arguments.format}: a log is {', '.join(TABLES)}")
    options.range_of(arguments.range)
    inputs = [one for one in (path, arguments.policy) if one is not None]
    refuse_overwriting(inputs, [arguments.report])


def _read(arguments: PullOptions, path: str) -> Log:
    from ..data.logged import read_log

    action, reward, named = arguments.action, arguments.reward, arguments.propensity
    if action is None or reward is None or named is None:
        raise AssertionError("a log without them is refused")
    try:
        propensity: str | float = float(named)
    except ValueError:
        propensity = named
    with options.usage_errors("propensity"):
        log = read_log(
            path,
            action=action,
            reward=reward,
            propensity=propensity,
            context=arguments.context,
            value_range=options.range_of(arguments.range),
            losses=arguments.losses,
            format=arguments.format,
        )
        return log if arguments.least_propensity is None else log.declaring(arguments.least_propensity)


def _evaluate(arguments: PullOptions, log: Log, make: MakeBandit | None) -> LogOutput:
    from ..bandits.off_policy import evaluate_learner, evaluate_policy

    delta, runs, seed = arguments.delta or DELTA, arguments.runs or RUNS, arguments.seed or 0
    if arguments.policy is not None:
        from ..data.logged import read_policy

        wider, table = read_policy(arguments.policy, log, context=arguments.context)
        evaluation = evaluate_policy(wider, table, runs=runs, delta=delta, seed=seed)
        return LogOutput(arguments, evaluation, seed, POLICY, {"file": os.fspath(arguments.policy)})
    assert make is not None, "without a policy there is a learner"
    learner = make(_most_rounds(log), log.names)
    evaluation = evaluate_learner(log, learner, runs=runs, delta=delta)
    parameters = parameters_of(learner, without=("arms", "run"))
    return LogOutput(arguments, evaluation, seed, learner.name, parameters, _certificates(evaluation))


def _most_rounds(log: Log) -> int:
    """More rounds than this are replayed once in thirty thousand logs: for learners that are tuned for so many."""
    expected = len(log) * log.least
    return ceil(expected + 4 * sqrt(expected))


def _certificates(evaluation: Evaluation) -> list[Certificate]:
    """Certificates of the rounds that the first run played; the rewards of the other actions are not known."""
    first = evaluation.learners[0]
    return first.certify() if first.rounds_ else []


SCHEMA = "regretless.logged/1"
POLICY = "policy"
NAMES = {
    "replay": "replay",
    "ips": "inverse propensity",
    "snips": "self-normalised",
    "dr": "doubly robust",
}


@dataclass
class LogOutput(Output):
    """An evaluation, for people, for programs and for a report.

    Attributes
    ----------
    arguments : PullOptions
    evaluation : Evaluation
    seed : int
    learner : str
        Its name, or "policy".
    parameters : dict
    certificates : list of Certificate
        Of the first run.
    """

    arguments: PullOptions
    evaluation: Evaluation
    seed: int
    learner: str
    parameters: dict[str, Any]
    certificates: list[Certificate] = field(default_factory=list)

    @property
    def quantity(self) -> str:
        """What the log holds."""
        return "loss" if self.evaluation.log.losses else "reward"

    def describe(self) -> dict[str, Any]:
        """The result as JSON values."""
        evaluation = self.evaluation
        return {
            "schema": SCHEMA,
            **({"policy": self.parameters["file"]} if self.learner == POLICY else {"learner": self.learner}),
            "parameters": self.parameters,
            "runs": evaluation.runs,
            "seed": self.seed,
            "rounds": len(evaluation.log),
            "arms": len(evaluation.log.names),
            "quantity": self.quantity,
            "confidence": 1 - evaluation.delta,
            "estimates": {name: one.describe() for name, one in evaluation.estimates.items()},
            "logged": evaluation.logged.describe(),
            "effective_rounds": evaluation.effective,
            "largest_weight": evaluation.largest,
            "draws": dict(zip(evaluation.log.names, evaluation.draws.tolist(), strict=True)),
            **certificate_values(self.certificates),
            "notes": list(evaluation.notes),
            "seconds": evaluation.seconds,
        }

    def lines(self) -> Iterator[str]:
        """Lines for people before the certificates."""
        evaluation = self.evaluation
        runs = f", {evaluation.runs} runs (seed {self.seed})" if evaluation.runs > 1 else f" (seed {self.seed})"
        what = self.parameters["file"] if self.learner == POLICY else self.learner
        log = evaluation.log
        yield f"{what}: {many(len(log), 'logged round')} of {many(len(log.names), 'action')}{runs}"
        level = f"with probability {100 * (1 - evaluation.delta):g}%"
        yield f"{f'mean {self.quantity} a round':<28} {'estimate':>12} {'from':>12} {'to':>12} {'rounds':>10}  {level}"
        for name, one in evaluation.estimates.items():
            yield _line(NAMES[name], one)
            if one.cautious is not None:
                condition = "" if one.assuming is None else f"  assuming {one.assuming}"
                low, high = one.cautious
                yield f"{'    however few the rounds are':<41} {low:>12.6g} {high:>12.6g}{condition}"
        yield _line("the log itself", evaluation.logged)
        worth = "1 round" if round(evaluation.effective) == 1 else f"{evaluation.effective:,.0f} rounds"
        yield f"  worth {worth} of equal weights; the largest weight is {evaluation.largest:.4g}"
        if self.certificates:
            which = "the first run" if evaluation.runs > 1 else "it"
            played = int(evaluation.learners[0].rounds_)
            yield f"what theorems say of the {many(played, 'round')} that {which} played"

    def write_page(self, path: str) -> None:
        """Write the report."""
        from ..report import LoggedReport, page_of_log, write_report

        evaluation, arguments, log = self.evaluation, self.arguments, self.evaluation.log
        source = {
            "path": arguments.logged,
            "rows": len(log),
            "action": arguments.action,
            self.quantity: arguments.reward,
        }
        context = {} if arguments.context is None else {"context": arguments.context}
        what = self.parameters["file"] if self.learner == POLICY else type(evaluation.learners[0]).__name__
        report = LoggedReport(
            title=f"{os.path.basename(what)} on {os.path.basename(log.name)}",
            evaluation=evaluation,
            learner=self.learner,
            parameters={name: value for name, value in self.parameters.items() if value is not None},
            source=source | {"propensity": arguments.propensity, **context},
            certificates=self.certificates,
        )
        write_report(path, page_of_log(report))


def _line(name: str, one: Estimate) -> str:
    doubt = "" if one.enough else "  (too few)"
    return f"  {name:<26} {one.value:>12.6g} {one.low:>12.6g} {one.high:>12.6g} {one.n:>10,}  {one.method}{doubt}"
