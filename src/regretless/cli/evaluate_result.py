"""What ``regretless evaluate`` says of policies and learners on a log: lines, JSON and a page."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .output import Output, certificate_values, many, parameters_of

if TYPE_CHECKING:
    from ..bandits.off_policy import Evaluation
    from ..bandits.off_policy.estimates import Estimate
    from ..certificate import Certificate
    from .evaluate import EvaluateOptions

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


@dataclass
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

    arguments: EvaluateOptions
    evaluation: Evaluation
    seed: int
    name: str

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


@dataclass
class SeveralOutput(Output):
    """Several policies on one log.

    Attributes
    ----------
    each : list of LogOutput
    """

    each: Sequence[LogOutput]

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
