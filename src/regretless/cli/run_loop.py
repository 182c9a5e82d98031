"""Runs a learner over a stream, with progress output, and says what a stopped run has saved."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from ..errors import RegretlessError
from .console import Console
from .exit_codes import Ended
from .output import explain
from .signals import Stopping

if TYPE_CHECKING:
    from ..run.experts import CombineRun
    from ..run.linear import Run


class Tabulates(Protocol):
    """A table of points."""

    def point(self, point: Any) -> None: ...
    def end(self, point: Any) -> None: ...


def go(run: Run | CombineRun, table: Tabulates, console: Console) -> None:
    """Play a run.

    Raises
    ------
    Ended
        If the user has had enough.
    RegretlessError
        If a row cannot be used or read; it says what is kept.
    """
    run.on_point, run.on_rounds = table.point, console.rounds
    with Stopping(run) as stopping:
        run.stop = stopping.asked
        try:
            run.play()
        except Exception as error:
            if stopping.asked():  # a reader may have put the interruption in its own words
                raise Ended(f"interrupted; {kept(run)}", stopping.code) from None
            found = explain(error, run.stream.name)
            raise RegretlessError(f"{found}{_rescued(run, found)}") from error
        finally:
            console.settle()
            table.end(run.point)
    if stopping.asked():
        raise Ended(f"interrupted when the run was over; {kept(run)}", stopping.code)


def kept(run: Run | CombineRun) -> str:
    """What is left of a run that was stopped: what was written, whatever was meant to be."""
    if run.save is None:
        return "nothing was kept, for there is no --save"
    if not run.saved:
        return f"nothing was kept: {explain(run.unsaved)}" if run.unsaved else "nothing was learned yet"
    lost = f", and no later ones: {explain(run.unsaved)}" if run.unsaved else ""
    return f"{run.saved} rounds are kept in {run.save}{lost}; to go on: --resume {run.save}"


def all_kept(run: Run | CombineRun, then: str = "") -> str:
    """What is left of a run that is over, where only what comes after it was stopped."""
    whole = run.save is not None and run.saved and run.unsaved is None
    return f"the whole run is kept in {run.save}{then}" if whole else kept(run)


def _rescued(run: Run | CombineRun, error: str) -> str:
    lost = "" if run.unsaved is None or explain(run.unsaved) == error else f"; {explain(run.unsaved)}"
    if not run.saved:
        return f" (nothing is kept{lost})" if lost else ""
    return f" ({run.saved} rounds are kept in {run.save}{lost}; to go on when this is mended: --resume {run.save})"
