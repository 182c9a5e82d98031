"""What came of evaluating a log, for people, for programs and for a report."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .console import Console
from .output import certificate_line, coloured, write_json

if TYPE_CHECKING:
    from ..bandits.off_policy import Evaluation
    from ..bandits.off_policy.estimates import Estimate
    from ..theorem import Certificate

SCHEMA = "regretless.logged/1"
POLICY = "policy"
NAMES = {
    "replay": "replay",
    "ips": "inverse propensity",
    "snips": "self-normalised",
    "dr": "doubly robust",
}


@dataclass
class Logged:
    """An evaluation, for people, for programs and for a report.

    Attributes
    ----------
    arguments : Namespace
    found : Evaluation
    seed : int
    learner : str
        Its name, or "policy".
    parameters : dict
    certificates : list of Certificate
        Of the first run.
    """

    arguments: Namespace
    found: Evaluation
    seed: int
    learner: str
    parameters: dict[str, Any]
    certificates: list[Certificate] = field(default_factory=list)

    @property
    def quantity(self) -> str:
        """What the log holds."""
        return "loss" if self.found.log.losses else "reward"

    def publish(self, arguments: Namespace, console: Console) -> None:
        """Write the report, and print everything even if that fails."""
        try:
            if arguments.report is not None:
                self._write_page(arguments.report)
        finally:
            self._print()
        if arguments.report is not None:
            console.line(f"report: {os.fspath(arguments.report)}")

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
            "certificates": [certificate.describe() for certificate in self.certificates],
            "notes": list(found.notes),
            "seconds": found.seconds,
        }

    def _shares(self, draws: Any) -> dict[str, float]:
        return dict(zip(self.found.log.names, draws.tolist(), strict=True))

    def _print(self) -> None:
        if self.arguments.json:
            write_json(self.describe())
            sys.stdout.flush()
            return
        found = self.found
        runs = f", {found.runs} runs (seed {self.seed})" if found.runs > 1 else f" (seed {self.seed})"
        what = os.fspath(self.arguments.policy) if self.learner == POLICY else self.learner
        print(f"{what}: {len(found.log):,} logged rounds of {len(found.log.names)} actions{runs}")
        level = f"with probability {100 * (1 - found.delta):g}%"
        print(f"{f'mean {self.quantity} a round':<28} {'estimate':>12} {'from':>12} {'to':>12} {'rounds':>10}  {level}")
        for name, one in found.estimates.items():
            print(_line(NAMES[name], one))
            if one.cautious is not None:
                print(f"{'    after any number of rounds':<41} {one.cautious[0]:>12.6g} {one.cautious[1]:>12.6g}")
        print(_line("the log itself", found.logged))
        print(f"  worth {found.effective:,.0f} rounds of equal weights; the largest weight is {found.largest:.4g}")
        if self.certificates:
            which = "the first run" if found.runs > 1 else "it"
            print(f"what theorems say of the {found.learners[0].rounds_:,} rounds that {which} played")
        colour = coloured(sys.stdout)
        for certificate in self.certificates:
            print(certificate_line(certificate, colour))
        sys.stdout.flush()

    def _write_page(self, path: str) -> None:
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
        what = arguments.policy if self.learner == POLICY else type(found.learners[0]).__name__
        report = LoggedReport(
            title=f"{os.path.basename(what)} on {os.path.basename(log.name)}",
            learner=self.learner,
            parameters={name: value for name, value in self.parameters.items() if value is not None},
            source=source | {"propensity": arguments.propensity},
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
        )
        write_logged_report(path, report)


def _line(name: str, one: Estimate) -> str:
    doubt = "" if one.enough else "  (too few)"
    return f"  {name:<26} {one.value:>12.6g} {one.low:>12.6g} {one.high:>12.6g} {one.n:>10,}  {one.method}{doubt}"


def _shown(one: Estimate) -> Any:
    from ..report import Estimate as Shown

    return Shown(one.value, one.low, one.high, one.n)
