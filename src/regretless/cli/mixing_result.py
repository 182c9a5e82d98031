"""The result of learning from shards: lines, JSON and report."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .output import Published, described

if TYPE_CHECKING:
    from ..distributed.result import Mixture
    from ..theorem import Certificate
    from .arguments import LearnOptions

SCHEMA = "regretless.mixing/1"


@dataclass
class Mixed(Published):
    """A run over shards that is over.

    Attributes
    ----------
    mixture : Mixture
    arguments : LearnOptions
    seconds : float
        How long the learning took.
    certificates : list of Certificate
    """

    mixture: Mixture
    arguments: LearnOptions
    seconds: float
    certificates: list[Certificate] = field(default_factory=list)

    @property
    def model(self) -> str | None:
        """Where the model was written."""
        return self.arguments.save or self.arguments.resume

    def lines(self) -> Iterator[str]:
        """Nothing more: what the run was like was told while it went on."""
        return iter(())

    def write_page(self, path: str) -> None:
        """Write the report."""
        from .mixing_page import write_page

        write_page(path, self)

    def describe(self) -> dict[str, Any]:
        """The outcome as JSON values."""
        return {
            "schema": SCHEMA,
            **self.mixture.describe(),
            "loss": self.mixture.ledger.loss,
            "seconds": self.seconds,
            **described(self.certificates),
            "model": None if self.model is None else os.fspath(self.model),
            "input": self.input(),
        }

    def input(self) -> dict[str, Any]:
        """What was read in one epoch."""
        mixture = self.mixture
        return {
            "path": list(self.arguments.files),
            "shards": len(mixture.names),
            "rows": int(mixture.rounds.sum()),
            "features": mixture.learner.state_.columns,
            "nonzeros": int(mixture.nonzeros.sum()),
            "skipped": mixture.skipped,
        }
