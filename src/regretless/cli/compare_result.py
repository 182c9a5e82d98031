"""The result of `compare`: lines, JSON and report."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .learn_result import share_text
from .output import Output, certificate_values, number_text, parameters_of

if TYPE_CHECKING:
    from ..certificate import Certificate
    from ..linear.base import OnlineClassifier
    from ..run.comparison import Comparison

SCHEMA = "regretless.compare/1"


@dataclass
class CompareOutput(Output):
    """A comparison that is over, or was stopped.

    Attributes
    ----------
    comparison : Comparison
    path : str
        The file, as the user called it.
    learners : (OnlineClassifier, OnlineClassifier)
        A and B.
    seconds : float
    skipped : int
        Rows passed over.
    interrupted : bool
        Whether it was stopped before the last row.
    """

    comparison: Comparison
    path: str
    learners: tuple[OnlineClassifier, OnlineClassifier]
    seconds: float
    skipped: int
    interrupted: bool = False

    @property
    def certificates(self) -> list[Certificate]:  # type: ignore[override]
        """How far the losses of each exceed the other's."""
        return self.comparison.certificates

    def lines(self) -> Iterator[str]:
        """Mistakes of both, the difference, and who errs less."""
        one = self.comparison
        low, high = one.interval
        width = max(map(len, one.names))
        for name, mistakes, alone, loss in zip(one.names, one.mistakes, one.apart, one.log_losses, strict=True):
            log = "" if loss is None else f"; log loss {number_text(loss)} ({loss / one.rounds:.4g} a row)"
            yield f"{name:<{width}}  mistakes {share_text(mistakes, one.rounds)}, {alone:,} of them alone{log}"
        yield f"difference: {one.difference:+.4f} a row, between {low:+.4f} and {high:+.4f} ({self._often()})"
        since = "" if one.better is None or one.decided is None else f"; decided first after row {one.decided:,}"
        yield f"{one.verdict()}{since}"

    def _often(self) -> str:
        return f"with probability {100 * self.comparison.level:.6g}%, after any number of rows"

    def describe(self) -> dict[str, Any]:
        """The result as JSON values."""
        one = self.comparison
        each = zip("ab", one.names, self.learners, one.mistakes, one.apart, one.log_losses, strict=True)
        return {
            "schema": SCHEMA,
            **{
                side: {
                    "name": name,
                    "learner": learner.name,
                    "parameters": parameters_of(learner),
                    "mistakes": mistakes,
                    "alone": alone,
                    "log_loss": loss,
                }
                for side, name, learner, mistakes, alone, loss in each
            },
            "rounds": one.rounds,
            "level": one.level,
            "difference": one.difference,
            "interval": list(one.interval),
            "better": one.better,
            "decided": one.decided,
            "course": [list(point) for point in one.course],
            **certificate_values(self.certificates),
            "input": {"path": self.path, "rows": one.rounds, "skipped": self.skipped},
            "interrupted": self.interrupted,
            "seconds": self.seconds,
        }

    def write_page(self, path: str) -> None:
        """Write the report."""
        from ..report import CompareReport, page_of_comparison, write_report

        one = self.comparison
        report = CompareReport(
            title=f"{one.names[0]} and {one.names[1]} on {os.path.basename(self.path)}",
            comparison=one,
            parameters=[parameters_of(learner) for learner in self.learners],
            source={"path": self.path, "rows": one.rounds, "skipped": self.skipped},
            seconds=self.seconds,
        )
        write_report(path, page_of_comparison(report))
