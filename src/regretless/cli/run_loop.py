"""Runs work until it is done or a signal ends it, and says what a stopped run has saved."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from ..errors import RegretlessError
from .console import Console
from .exit_codes import Ended
from .output import explain
from .signals import Interruptible, PlainWork, Stopping

if TYPE_CHECKING:
    from ..run.experts import CombineRun
    from ..run.linear import Run


Result = TypeVar("Result")


def run_until_signal(
    work: Callable[[Callable[[], bool]], Result],
    console: Console,
    *,
    stopped: Callable[[], str] | None = None,
    failed: Callable[[Exception], Exception] | None = None,
    run: Interruptible | None = None,
) -> tuple[Result, int | None]:
    """What the work returns, and the exit code of the signal if one came meanwhile.

    Parameters
    ----------
    work : callable
        Takes a function to ask now and then whether to stop.
    console : Console
        Its changing line is taken away at the end.
    stopped : callable
        Returns the message if a signal came and the work raised; by default the error stands.
    failed : callable
        Takes what the work raised; returns what to raise in its place, by default the same.
    run : Interruptible, optional
        A run that says when a signal may end it at once; by default it never may.

    Raises
    ------
    Ended
        If a signal came and the work returned nothing.
    """
    with Stopping(run or PlainWork()) as stopping:
        try:
            result = work(stopping.asked)
        except Exception as error:
            if stopped is not None and stopping.asked():  # a reader may have put the interruption in its own words
                raise Ended(stopped(), stopping.code) from None
            if failed is None:
                raise
            raise failed(error) from error
        finally:
            console.settle()
    return result, stopping.code if stopping.asked() else None


class PointTable(ABC):
    """Rows at points of a run, and one at the end.

    Parameters
    ----------
    write : callable
        Takes a line.
    last : tuple
        The point that the first row counts from: its rounds first.
    """

    HEADER: ClassVar[str]

    def __init__(self, write: Callable[[str], None], last: Any) -> None:
        self._write, self._last, self._headed = write, last, False

    @abstractmethod
    def row(self, point: Any, last: Any) -> str:
        """The line of a point; `last` is the point before."""

    def point(self, point: Any) -> None:
        """Write the row of a point."""
        if not self._headed:
            self._write(self.HEADER)
            self._headed = True
        self._write(self.row(point, self._last))
        self._last = point

    def end(self, point: Any) -> None:
        """Write the last row, unless it is there."""
        if point[0] > self._last[0]:
            PointTable.point(self, point)


def go(run: Run | CombineRun, table: PointTable, console: Console) -> None:
    """Play a run.

    Raises
    ------
    Ended
        If a signal came.
    RegretlessError
        If a row cannot be used or read; it says what is saved.
    """
    run.on_point, run.on_rounds = table.point, console.rounds

    def play(stop: Callable[[], bool]) -> None:
        run.stop = stop
        run.play()

    def failed(error: Exception) -> RegretlessError:
        message = explain(error, run.stream.name)
        return RegretlessError(f"{message}{_rescued(run, message)}")

    try:
        _, code = run_until_signal(
            play, console, stopped=lambda: f"interrupted; {saved_message(run)}", failed=failed, run=run
        )
    finally:
        table.end(run.point)
    if code is not None:
        raise Ended(f"interrupted when the run was over; {saved_message(run)}", code)


def saved_message(run: Run | CombineRun) -> str:
    """What is saved of a run that was stopped."""
    if run.save is None:
        return "nothing was kept, for there is no --save"
    if not run.saved:
        return f"nothing was kept: {explain(run.unsaved)}" if run.unsaved else "nothing was learned yet"
    lost = f", and no later ones: {explain(run.unsaved)}" if run.unsaved else ""
    return f"{run.saved} rounds are kept in {run.save}{lost}; to go on: --resume {run.save}"


def whole_run_message(run: Run | CombineRun, then: str = "") -> str:
    """What is saved of a run that is over, if only what follows it was stopped."""
    whole = run.save is not None and run.saved and run.unsaved is None
    return f"the whole run is kept in {run.save}{then}" if whole else saved_message(run)


def _rescued(run: Run | CombineRun, error: str) -> str:
    lost = "" if run.unsaved is None or explain(run.unsaved) == error else f"; {explain(run.unsaved)}"
    if not run.saved:
        return f" (nothing is kept{lost})" if lost else ""
    return f" ({run.saved} rounds are kept in {run.save}{lost}; to go on when this is mended: --resume {run.save})"
