"""The result of `learn`: lines, JSON and report."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .output import Published, described, plain

if TYPE_CHECKING:
    from ..run.linear import Run
    from ..theorem import Certificate

SCHEMA = "regretless.learn/1"


@dataclass
class LearnOutput(Published):
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
    notes : list of str
        What the user should know of the data.
    """

    run: Run
    path: str
    seconds: float
    skipped: int
    certificates: list[Certificate] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def lines(self) -> Iterator[str]:
        """Nothing more: what the run was like was told while it went on."""
        return iter(())

    def write_page(self, path: str) -> None:
        """Write the report."""
        from .page import write_page

        write_page(path, self)

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
            "classes": [plain(label) for label in self.run.learner.classes_],
            "seconds": self.seconds,
            "curve": [list(point) for point in self.run.whole_curve],
            **described(self.certificates),
            "model": None if self.run.save is None else os.fspath(self.run.save),
            "notes": self.notes,
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
