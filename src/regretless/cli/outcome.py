"""What came of a run, for people, for programs and for a report."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .console import Console
from .output import certificate_line, coloured, plain, write_json

if TYPE_CHECKING:
    from ..run import Run
    from ..theorem import Certificate

SCHEMA = "regretless.learn/1"


@dataclass
class Outcome:
    """A run that is over.

    Attributes
    ----------
    run : Run
    path : str
        What it learned from, as the user called it.
    seconds : float
        How long the learning took.
    skipped : int
        Rows passed over.
    certificates : list of Certificate
    """

    run: Run
    path: str
    seconds: float
    skipped: int
    certificates: list[Certificate] = field(default_factory=list)

    def publish(self, arguments: Namespace, console: Console) -> None:
        """Write the report, and print everything even if that fails."""
        try:
            if arguments.report is not None:
                from .page import write_page

                write_page(arguments.report, self)
        finally:
            self._print(json=arguments.json)
        if self.run.save is not None:
            console.line(f"model: {os.fspath(self.run.save)}")
        if arguments.report is not None:
            console.line(f"report: {arguments.report}")

    def _print(self, *, json: bool) -> None:
        if json:
            write_json(self.describe())
        else:
            colour = coloured(sys.stdout)
            for certificate in self.certificates:
                print(certificate_line(certificate, colour))
        sys.stdout.flush()

    def describe(self) -> dict[str, Any]:
        """The outcome as JSON values."""
        ledger = self.run.learner.ledger_
        return {
            "schema": SCHEMA,
            "learner": self.run.learner.name,
            "parameters": {name: plain(value) for name, value in self.run.learner.get_params().items()},
            "rounds": int(ledger.rounds),
            "mistakes": int(ledger.mistakes),
            "updates": int(ledger.updates),
            "loss": ledger.loss,
            "seconds": self.seconds,
            "curve": [list(point) for point in self.run.whole_curve],
            "certificates": [certificate.describe() for certificate in self.certificates],
            "model": None if self.run.save is None else os.fspath(self.run.save),
            "input": self.input(),
        }

    def input(self) -> dict[str, Any]:
        """What was read in one pass."""
        return {
            "path": self.path,
            "rows": self.run.place.rows,
            "features": self.run.learner.state_.columns,
            "nonzeros": self.run.place.nonzeros,
            "skipped": self.skipped,
        }
