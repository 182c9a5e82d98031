"""The result of `learn`, of labels as of numbers: lines, JSON and report, and the steps from a run to them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, ClassVar

from ...catalogue import CLASSIFICATION
from ...run.trace_lines import trace_values
from ..arguments import CertifyingOptions, FeatureOptions, IntervalOptions, ReportOptions
from ..files import write_vectors
from ..output import (
    Console,
    Output,
    certificate_values,
    complain,
    learner_values,
    target_of,
    title_of,
    verdict,
    warn_skipped,
)
from ..signals import PointTable, certify_hint, certifying, earlier_rows, whole_run_message

if TYPE_CHECKING:
    from ...certificate import Certificate
    from ...data.stream import Stream

SCHEMA = "regretless.learn/1"
MOST_WEIGHTS = 30  # bars of a report


class LearnOptions(CertifyingOptions, FeatureOptions, IntervalOptions, ReportOptions):
    """Of `learn`."""

    learner: str | None
    set: list[str]
    label_budget: str | None
    passes: int | None
    any_labels: bool
    calibrate: bool
    task: str | None
    mixing: str | None
    together: int | None
    one_shot: bool
    no_certify: bool
    trace: int | None


class LearnOutput(Output):
    """A run that is over.

    Attributes
    ----------
    run : Run
    path : str
        The file, as the user called it.
    seconds : float
        How long the learning took.
    skipped : int
        Rows passed over.
    certificates : list of Certificate
    notes : list of str
        Notes on the data.
    quiet : bool
        Whether people are to read the certificates alone.
    """

    TABLE: ClassVar[type[PointTable]]

    def __init__(self, run: Any, path: str, seconds: float, *, quiet: bool) -> None:
        self.run, self.path, self.seconds, self.quiet = run, path, seconds, quiet
        self.skipped: int = run.stream.skipped
        self.certificates: list[Certificate] = []
        self.notes: list[str] = []

    # ---- what each kind says

    @classmethod
    @abstractmethod
    def refuse(cls, arguments: LearnOptions) -> None:
        """Refuse options that are about the other kind.

        Raises
        ------
        UsageError
            If there are some.
        """

    @classmethod
    @abstractmethod
    def run_of(cls, arguments: LearnOptions, learner: Any, extra: dict[str, Any], stream: Stream) -> Any:
        """The run that is to be played."""

    @classmethod
    @abstractmethod
    def table_of(cls, run: Any, write: Callable[[str], None]) -> PointTable:
        """The table of the run on its way."""

    @abstractmethod
    def observations(self) -> Iterator[str]:
        """Notes on the run that the user should know, in a line each."""

    def complaints(self) -> Iterator[str]:
        """What is said even of a quiet run, in a line each."""
        return iter(())

    @abstractmethod
    def certified(self, arguments: LearnOptions, against: Any, *, trusted: bool) -> list[Certificate]:
        """The certificates, for which the rows are read again."""

    def without_rows(self, certificates: list[Certificate]) -> list[Certificate]:
        """These, and those for which no row is read again."""
        return certificates

    def future(self, arguments: LearnOptions) -> list[Certificate]:
        """Those of rows to come, where the user asks for them."""
        return []

    @abstractmethod
    def own_values(self) -> dict[str, Any]:
        """What JSON has of learners of this kind alone."""

    @abstractmethod
    def own_lines(self) -> Iterator[str]:
        """How the rows were predicted, beside simple rules, and by which members."""

    # ---- what they share

    def conclude(self, arguments: LearnOptions, console: Console, against: Any, *, trusted: bool) -> int:
        """Say what is to be said of the run, certify it, write and print the result; the exit code.

        Parameters
        ----------
        against : array-like or None
            The user's comparator.
        trusted : bool
            Whether the rows are all that the model learned from.
        """
        run = self.run
        warn_skipped(run.stream)
        self.notes = [*run.stream.notes, *self.observations()]
        console.notes(self.notes)
        if run.again:
            complain(f"{self.path} is, as it seems, what the model had learned from: its rows were learned once more")
        for complaint in self.complaints():
            complain(complaint)
        if not arguments.no_certify:
            console.doing("the rounds are read again for the certificates")
            with self.published_if_ended(arguments, console, model=run.save):
                self.certificates = self._certify(arguments, against, trusted=trusted)
            console.settle()
        self.certificates += self.future(arguments)
        write_vectors(arguments.save_comparators, self.certificates)
        self.publish(arguments, console, arguments.report, model=run.save)
        if not arguments.no_certify and run.save is not None and earlier_rows(run) is not None:
            console.line(f"for certificates: {certify_hint(run, self.path)}")
        return verdict(self.certificates)

    def _certify(self, arguments: LearnOptions, against: Any, *, trusted: bool) -> list[Certificate]:
        run = self.run
        if (why := earlier_rows(run)) is not None:
            return self.without_rows(run.learner.declined(why))
        with certifying(lambda: whole_run_message(run, f"; for its certificates: {certify_hint(run, self.path)}")):
            return self.without_rows(self.certified(arguments, against, trusted=trusted))

    def describe(self) -> dict[str, Any]:
        """The result as JSON values."""
        return {
            "schema": SCHEMA,
            **learner_values(self.run.learner),
            **self.own_values(),
            "progressive": self.run.progressive.summary(),
            "seconds": self.seconds,
            "curve": [list(point) for point in self.run.whole_curve],
            **certificate_values(self.certificates),
            "model": self.run.save,
            "notes": self.notes,
            "input": self.input(),
            **trace_values(self.run.tracer),
        }

    def lines(self) -> Iterator[str]:
        """The first rounds, if they are wanted; and how the rows were predicted, unless certificates alone are."""
        from ...run.trace_lines import row_lines

        if self.run.tracer is not None:
            yield from row_lines(self.run.tracer.rows, numbers=self.run.learner.info.task != CLASSIFICATION)
        if not self.quiet:
            yield from self.own_lines()

    def input(self) -> dict[str, Any]:
        """What was read in one pass."""
        return {
            "path": self.path,
            "rows": self.run.place.rows,
            "features": self.run.learner.state_.columns,
            "nonzeros": self.run.place.nonzeros,
            "skipped": self.skipped,
            **target_of(self.run.stream),
        }

    @property
    def title(self) -> str:
        """What the report is called."""
        return title_of(self.run.learner, self.run.stream.name)


def sizes_of(run: Any) -> tuple[Any, str]:
    """The largest size of each feature, and what to say behind the title of weights that are multiplied by it: of all
    rows where the learner knows it, else of the first ones, if these are dense; None where it is not known."""
    from ...picture import TIMES_SIZES

    sizes = run.learner.state_.sizes()
    if sizes is not None:
        return sizes, TIMES_SIZES
    first = run.first
    if first is None or first.starts is not None or first.columns != run.learner.state_.columns:
        return None, ""
    return abs(first.values).max(axis=0), f"{TIMES_SIZES} in the first rows"
