"""The result of evaluating a log: lines, JSON and report."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .output import Published, described, many

if TYPE_CHECKING:
    from ..bandits.off_policy import Evaluation
    from ..bandits.off_policy.estimates import Estimate
    from ..theorem import Certificate
    from .arguments import PullOptions

SCHEMA = "regretless.logged/1"
POLICY = "policy"
NAMES = {
    "replay": "replay",
    "ips": "inverse propensity",
    "snips": "self-normalised",
    "dr": "doubly robust",
}


@dataclass
class Logged(Published):
    """An evaluation, for people, for programs and for a report.

    Attributes
    ----------
    arguments : PullOptions
    found : Evaluation
    seed : int
    learner : str
        Its name, or "policy".
    parameters : dict
    certificates : list of Certificate
        Of the first run.
    """

    arguments: PullOptions
    found: Evaluation
    seed: int
    learner: str
    parameters: dict[str, Any]
    certificates: list[Certificate] = field(default_factory=list)

    @property
    def quantity(self) -> str:
        """What the log holds."""
        return "loss" if self.found.log.losses else "reward"

    def describe(self) -> dict[str, Any]:
        """The outcome as JSON values."""
        found = self.found
        return {
            "schema": SCHEMA,
            **({"policy": self.parameters["file"]} if self.learner == POLICY else {"learner": self.learner}),
            "parameters": self.parameters,
            "runs": found.runs,
            "seed": self.seed,
            "rounds": len(found.log),
            "arms": len(found.log.names),
            "quantity": self.quantity,
            "confidence": 1 - found.delta,
            "estimates": {name: one.describe() for name, one in found.estimates.items()},
            "logged": found.logged.describe(),
            "effective_rounds": found.effective,
            "largest_weight": found.largest,
            "draws": self._shares(found.draws),
            **described(self.certificates),
            "notes": list(found.notes),
            "seconds": found.seconds,
        }

    def _shares(self, draws: Any) -> dict[str, float]:
        return dict(zip(self.found.log.names, draws.tolist(), strict=True))

    def lines(self) -> Iterator[str]:
        """What people are told before the certificates."""
        found = self.found
        runs = f", {found.runs} runs (seed {self.seed})" if found.runs > 1 else f" (seed {self.seed})"
        what = self.parameters["file"] if self.learner == POLICY else self.learner
        yield f"{what}: {many(len(found.log), 'logged round')} of {many(len(found.log.names), 'action')}{runs}"
        level = f"with probability {100 * (1 - found.delta):g}%"
        yield f"{f'mean {self.quantity} a round':<28} {'estimate':>12} {'from':>12} {'to':>12} {'rounds':>10}  {level}"
        for name, one in found.estimates.items():
            yield _line(NAMES[name], one)
            if one.cautious is not None:
                given = "" if one.assuming is None else f"  assuming {one.assuming}"
                yield f"{'    however few the rounds are':<41} {one.cautious[0]:>12.6g} {one.cautious[1]:>12.6g}{given}"
        yield _line("the log itself", found.logged)
        worth = "1 round" if round(found.effective) == 1 else f"{found.effective:,.0f} rounds"
        yield f"  worth {worth} of equal weights; the largest weight is {found.largest:.4g}"
        if self.certificates:
            which = "the first run" if found.runs > 1 else "it"
            played = int(found.learners[0].rounds_)
            yield f"what theorems say of the {many(played, 'round')} that {which} played"

    def write_page(self, path: str) -> None:
        """Write the report."""
        import numpy as np

        from ..report import LoggedReport, write_logged_report

        found, arguments, log = self.found, self.arguments, self.found.log
        logged = np.bincount(log.actions, minlength=len(log.names)) / len(log)
        source = {
            "path": arguments.logged,
            "rows": len(log),
            "action": arguments.action,
            self.quantity: arguments.reward,
        }
        context = {} if arguments.context is None else {"context": arguments.context}
        what = self.parameters["file"] if self.learner == POLICY else type(found.learners[0]).__name__
        report = LoggedReport(
            title=f"{os.path.basename(what)} on {os.path.basename(log.name)}",
            learner=self.learner,
            parameters={name: value for name, value in self.parameters.items() if value is not None},
            source=source | {"propensity": arguments.propensity, **context},
            rounds=len(log),
            arms=len(log.names),
            estimates={name: _shown(one) for name, one in found.estimates.items()},
            logging=_shown(found.logged),
            confidence=1 - found.delta,
            quantity=self.quantity,
            draws=self._shares(found.draws),
            logged_draws=self._shares(logged),
            seconds=found.seconds,
            runs=found.runs,
            effective=found.effective,
            largest=found.largest,
            certificates=self.certificates,
            notes=found.notes,
            policy=self.learner == POLICY,
        )
        write_logged_report(path, report)


def _line(name: str, one: Estimate) -> str:
    doubt = "" if one.enough else "  (too few)"
    return f"  {name:<26} {one.value:>12.6g} {one.low:>12.6g} {one.high:>12.6g} {one.n:>10,}  {one.method}{doubt}"


def _shown(one: Estimate) -> Any:
    from ..report import Estimate as Shown

    return Shown(one.value, one.low, one.high, one.n, one.cautious, one.assuming)
