"""``regretless watch``: say when the losses of a column get worse than a reference, as soon as they do."""

from __future__ import annotations

import os
from argparse import ArgumentParser, _ArgumentGroup
from collections.abc import Iterator
from time import perf_counter
from typing import TYPE_CHECKING, Any

from ...data.formats import COLUMNS
from ...errors import RegretlessError
from ...report.terminal import many, number_text
from .. import options
from ..files import is_same_file, refuse_overwriting
from ..output import ALARMED, DONE, Output, certificate_values, complain
from .job import Job, WatchOptions

if TYPE_CHECKING:
    from ...certificate import Certificate
    from ...report import WatchedColumn


HELP = "say when losses get worse than a reference, with a promise about false alarms"
DESCRIPTION = (
    "Reads columns of losses row by row, 1 for a mistake and 0 for none or any numbers of a range, and prints a line "
    "as soon as there is enough evidence that those of a column exceed their reference: a number, or the upper "
    "confidence limit of earlier rows. While they do not, there are at least --mean-rounds rows on average to a false "
    "alarm, however rows depend on each other. At the end stands the mean of each column, inside an interval that "
    "holds after every number of rows."
)
SCHEMA = "regretless.watch/1"


def add_arguments(parser: ArgumentParser) -> None:
    """The verb's options."""
    options.add_file(parser, "a table")
    group = parser.add_argument_group("reading the file")
    options.add_names(group, "--column", "the columns of losses; by default all of numbers")
    group.add_argument(
        "--against", metavar="COLUMN", help="watch whether the losses of --column exceed those of this column"
    )
    options.add_range(group, "where all losses lie; by default from 0 to 1")
    group.add_argument("--time", metavar="COLUMN", help="the column that says when each row was")
    group.add_argument(
        "--missing",
        choices=("error", "skip"),
        help="stop at a row without a loss (error), or pass over it and count it",
    )
    options.add_format(group, COLUMNS)
    options.add_header(group)
    _add_watching(parser)
    output = parser.add_argument_group("output")
    output.add_argument("--save", metavar="STATE", help="write the state, from which --resume goes on (.json)")
    output.add_argument(
        "--fail-on-alarm",
        action="store_true",
        help="end with the exit code 4 if there was an alarm, or before this file the one of --alpha",
    )
    options.add_report(output)
    options.add_watching(output)


def _add_watching(parser: ArgumentParser) -> None:
    group = parser.add_argument_group("watching")
    _add_reference(group)
    options.add_number(
        group,
        "--mean-rounds",
        options.positive,
        "N",
        "how many rows there are at least, on average, to a false alarm of any column (10000)",
    )
    options.add_number(
        group,
        "--alpha",
        options.share,
        "A",
        "instead: with what probability there is ever a false alarm of any column, of one each",
    )
    options.add_number(
        group, "--level", options.share, "P", "the intervals of the means hold with this probability (0.95)"
    )
    group.add_argument(
        "--resume", metavar="STATE", help="go on with a state; it is replaced unless --save names another"
    )


def _add_reference(group: _ArgumentGroup) -> None:
    """What losses are compared with: a number, or the upper limit of earlier ones."""
    group.add_argument(
        "--reference", type=float, metavar="P", help="what a loss is to be expected to be at most; 0 with --against"
    )
    options.add_number(
        group,
        "--reference-rounds",
        options.whole,
        "M",
        "take the upper confidence limit of the first M rows for it, which are not watched",
    )
    options.add_number(group, "--period", options.whole, "M", "take that of the last M rows, and renew it every M rows")
    group.add_argument("--previous", metavar="FILE", help="take that of all rows of this file, as last month's")
    options.add_number(
        group,
        "--delta",
        options.share,
        "D",
        "how improbable it may be that such a limit is too low (0.05; with --alpha half of that)",
    )


def run(arguments: WatchOptions) -> int:
    """Watch the losses of a file."""
    from ..signals import run_until_signal

    save = arguments.save or arguments.resume
    inputs = [arguments.file, *([arguments.previous] if arguments.previous else [])]
    refuse_overwriting(inputs, [save, arguments.report])
    console, started = options.console_of(arguments), perf_counter()
    job = Job(arguments)

    def go(stop: Any) -> None:
        try:
            for rows in job.play(stop):
                console.rounds(rows, unit="rows")
                if stop():
                    break
        except RegretlessError:
            if not (stop() and job.watch is not None):  # else a signal came while it waited for rows
                raise

    _, code = run_until_signal(go, console, stopped=lambda: "interrupted before there was a row", run=job)
    if code is not None:
        complain(f"interrupted: what follows is about the first {many(job.rows, 'row')}")
    console.notes(job.notes)
    if arguments.previous is not None and is_same_file(arguments.previous, arguments.file):
        complain(f"{arguments.file} is the --previous file too: compared with their own mean, losses say little")
    if job.skipped:
        complain(f"{many(job.skipped, 'row')} without a loss {'was' if job.skipped == 1 else 'were'} passed over")
    if save is not None:
        job.save(save)
    result = WatchOutput(job, arguments.file, perf_counter() - started, interrupted=code is not None)
    result.publish(arguments, console, arguments.report, state=save)
    if code is not None:
        return code
    return ALARMED if arguments.fail_on_alarm and (job.raised or job.spent) else DONE


# ---- The result.


class WatchOutput(Output):
    """The result.

    Attributes
    ----------
    job : Job
    path : str
        The file, as in the arguments.
    seconds : float
    interrupted : bool
        Whether it was stopped before the last row.
    """

    def __init__(self, job: Job, path: str, seconds: float, *, interrupted: bool) -> None:
        self.job, self.path, self.seconds, self.interrupted = job, path, seconds, interrupted
        if job.watch is None:
            raise RegretlessError(f"{path}: there are no rows")
        self.watch = job.watch

    @property
    def certificates(self) -> list[Certificate]:  # type: ignore[override]
        """The bounds beside the counts."""
        return self.watch.certify()

    def lines(self) -> Iterator[str]:
        """Mean, interval, reference and alarms of each column, and the promise."""
        for column in self.watch.results():
            yield from self._lines(column)
        yield f"promised: {self.watch.promise}"

    def _lines(self, column: WatchedColumn) -> Iterator[str]:
        if column.mean is None:
            rows = column.earlier[0] if column.earlier else 0
            yield f"{column.name}: no row was watched, {many(rows, 'row')} for the reference so far"
            return
        low, high = column.interval
        confidence = f"with probability {100 * self.watch.level:.6g}%" + (
            " for all columns together" if len(self.watch.columns) > 1 else ""
        )
        between = f"between {number_text(low)} and {number_text(high)} ({confidence}, after any number of rows)"
        yield f"{column.name}: {many(self.watch.rounds_, 'row')}, mean {number_text(column.mean)}, {between}"
        origin = ""
        if column.earlier is not None and column.earlier[1] is not None:
            mean = number_text(column.earlier[1])
            origin = f", the upper limit of {many(column.earlier[0], 'row')} before, of mean {mean}"
        assert column.reference is not None
        yield f"  reference {number_text(column.reference)}{origin}"
        yield f"  {self._alarms(column)}"

    def _alarms(self, column: WatchedColumn) -> str:
        """How many alarms there were, how many of them before this file, and whether there can be more."""
        if column.name in self.watch.spent_:
            where = f" in round {column.last:,}" + (", before this file" if column.name in self.job.spent else "")
            return f"the one alarm was{where}; no later row can raise another: begin anew, without --resume"
        counted = many(column.alarms, "alarm") if column.alarms else "no alarm"
        if self.job.before is None or not column.alarms:
            return counted
        here = column.alarms - self.job.before[column.name]
        return f"{counted}, {f'{here:,}' if here else 'none'} of them in this file"

    def describe(self) -> dict[str, Any]:
        """The result as JSON values."""
        watch = self.watch
        names = ("name", "reference", "threshold", "evidence", "alarms", "mean")
        return {
            "schema": SCHEMA,
            "rounds": watch.rounds_,
            "columns": [
                {name: getattr(column, name) for name in names}
                | {
                    "reference_rounds": column.earlier[0] if column.earlier else None,
                    "reference_mean": column.earlier[1] if column.earlier else None,
                    "last_alarm": column.last,
                    "interval": list(column.interval),
                    "course": [list(point) for point in column.course],
                }
                for column in watch.results()
            ],
            "alarms": [
                {
                    "row": row,
                    "time": time,
                    "column": alarm.column,
                    "evidence": alarm.evidence,
                    "threshold": alarm.threshold,
                    "since": None if alarm.since is None else row - alarm.round + alarm.since,
                }
                for row, time, alarm in self.job.raised
            ],
            "promise": watch.promise,
            "mean_rounds": watch.mean_rounds,
            "alpha": watch.alpha,
            "delta": None if watch.reference is not None else watch.reference_delta,
            "level": watch.level,
            "range": list(watch.value_range),
            **certificate_values(self.certificates),
            "input": {"path": self.path, "rows": self.job.rows, "skipped": self.job.skipped},
            "interrupted": self.interrupted,
            "seconds": self.seconds,
        }

    def write_page(self, path: str) -> None:
        """Write the report."""
        from ...report import WatchReport, page_of_watch, write_report

        title = f"{', '.join(self.watch.columns)} of {os.path.basename(self.path)}"
        source = {"path": self.path, "rows": self.job.rows, "skipped": self.job.skipped}
        write_report(path, page_of_watch(WatchReport(title, self.watch, source, self.seconds)))
