"""Runs work until it is done, or Ctrl-C or termination ends it where nothing is half done."""

from __future__ import annotations

import signal
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from threading import Timer, current_thread, main_thread
from time import monotonic
from types import FrameType
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, Protocol, TypeVar

from ..errors import Interrupted, RegretlessError
from ..report.terminal import many
from .output import HUNG_UP, INTERRUPTED, TERMINATED, Console, Ended, explain

if TYPE_CHECKING:
    from ..run.experts import CombineRun
    from ..run.explore import ExploreRun
    from ..run.linear import Run


SAME_SIGNAL = 0.5  # seconds in which a repeated signal counts once: a key that bounced, a signal delivered twice
ONCE_MORE = 0.02  # seconds after which a signal is sent again that came while a module was imported
IMPORTER = "<frozen importlib._bootstrap>"  # the file of Python's own code for imports
CODES: dict[int, int] = {signal.SIGINT: INTERRUPTED, signal.SIGTERM: TERMINATED}
if hasattr(signal, "SIGHUP"):  # its terminal is gone, or the connection to it
    CODES[signal.SIGHUP] = HUNG_UP
_replaced: dict[int, Any] = {}  # handlers of the signals before a run that was stopped, until the command is over


class Interruptible(Protocol):
    """A run that says when nothing is half done."""

    @property
    def waiting(self) -> bool: ...


class PlainWork:
    """Work that asks now and then whether to stop; with `waiting` it never asks, and is stopped at once."""

    def __init__(self, waiting: bool = False) -> None:
        self.waiting = waiting


class Stopping(AbstractContextManager["Stopping"]):
    """While it is entered, the first signal asks the run to stop, and a second one ends the process at once.

    A signal right after the first one is a repetition and is ignored: what is done so far is reported. The run asks
    between two batches; while it waits for the next one, which may take for ever, it is stopped at once.
    """

    def __init__(self, run: Interruptible) -> None:
        self._run = run
        self.signal: int | None = None
        self._since = 0.0
        self._before: dict[int, Any] = {}

    @property
    def code(self) -> int:
        """The exit code that goes with the signal."""
        return CODES.get(self.signal or signal.SIGINT, INTERRUPTED)

    def asked(self) -> bool:
        """Whether a signal came."""
        return self.signal is not None

    def __enter__(self) -> Stopping:
        if current_thread() is main_thread():
            for number in CODES:
                # What is ignored from the start (nohup, a shell's background job) stays so.
                if signal.getsignal(number) is not signal.SIG_IGN:
                    self._before[number] = signal.signal(number, self._stop)
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if self.signal is not None and kind is not KeyboardInterrupt:
            for number, before in self._before.items():  # or a repetition of the signal would end what follows
                _replaced.setdefault(number, before)
            return
        for number, before in self._before.items():
            signal.signal(number, before)

    def _stop(self, number: int, frame: FrameType | None) -> None:
        if _postponed(number, frame):
            return
        if self.signal is not None:
            if monotonic() - self._since < SAME_SIGNAL:
                return
            interrupt(number)
        self._since = monotonic()
        self.signal = number
        if self._run.waiting:
            raise Interrupted("interrupted")


class InterruptWatch:
    """Remembers whether Ctrl-C came; a module that is being imported is imported to its end first."""

    def __init__(self) -> None:
        self.interrupt = self._deadly = False
        before = signal.getsignal(signal.SIGINT)
        if current_thread() is main_thread() and before in (signal.SIG_DFL, signal.default_int_handler):
            self._deadly = before is signal.SIG_DFL  # as `__main__` has it
            _replaced.setdefault(signal.SIGINT, signal.signal(signal.SIGINT, self._on_interrupt))

    def _on_interrupt(self, number: int, frame: FrameType | None) -> None:
        if self._deadly and "regretless._core" not in sys.modules:  # it still starts, and nothing is half done
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            signal.raise_signal(signal.SIGINT)
        self.interrupt = True
        if not _postponed(number, frame):
            raise KeyboardInterrupt


def _postponed(number: int, frame: FrameType | None) -> bool:
    """Whether a module is being imported; the signal is then sent again a little later.

    An exception there may be swallowed by the module, become an error of its own, or leave half of it behind.
    """
    if not _importing(frame):
        return False
    again = Timer(ONCE_MORE, _send_again, [number])
    again.daemon = True
    again.start()
    return True


def _importing(frame: FrameType | None) -> bool:
    """Whether the command imports a module; what imported the module that called the command does not count."""
    while frame is not None and frame.f_globals.get("__name__") != f"{__package__}.entry":
        if frame.f_code.co_filename == IMPORTER:
            return True
        frame = frame.f_back
    return False


def _send_again(number: int) -> None:
    """Send the main thread a signal from another one, so that it also wakes from waiting for input."""
    if hasattr(signal, "pthread_kill"):
        signal.pthread_kill(main_thread().ident or 0, number)
    else:
        signal.raise_signal(number)


def interrupt(number: int, _: object = None) -> NoReturn:
    """End what is being done; the signal is remembered."""
    raise KeyboardInterrupt(number)


def _interrupt(number: int, frame: FrameType | None) -> None:
    if not _postponed(number, frame):
        interrupt(number)


def code_of(end: KeyboardInterrupt) -> int:
    """The exit code that goes with the signal that ended the work; Python's own handler is of Ctrl-C."""
    return CODES.get(end.args[0], INTERRUPTED) if end.args else INTERRUPTED


@contextmanager
def certifying(saved: Callable[[], str]) -> Iterator[None]:
    """While a run is certified, a signal ends the command; the message says what is saved.

    Raises
    ------
    Ended
        If one came.
    """
    before: dict[int, Any] = {}
    if current_thread() is main_thread():
        for number in CODES:
            if signal.getsignal(number) is signal.SIG_DFL:
                before[number] = signal.signal(number, _interrupt)
    try:
        yield
    except KeyboardInterrupt as end:
        raise Ended(f"interrupted while certifying; {saved()}", code_of(end)) from None
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def restore() -> None:
    """Give the signals back to their handlers before the command, once it is over."""
    while _replaced:
        signal.signal(*_replaced.popitem())


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
    """Rows at those points of a run whose rounds are powers of two, from `FIRST` on, and one at the end.

    Parameters
    ----------
    write : callable
        Takes a line.
    last : tuple
        The point that the first row counts from: its rounds first.
    """

    HEADER: ClassVar[str]
    FIRST: ClassVar[int] = 1

    def __init__(self, write: Callable[[str], None], last: Any) -> None:
        self._write, self._last, self._headed = write, last, False

    @abstractmethod
    def row(self, point: Any, last: Any) -> str:
        """The line of a point; `last` is the point before."""

    def point(self, point: Any) -> None:
        """Write the row of a point that has one."""
        if point[0] >= self.FIRST and not point[0] & (point[0] - 1):
            self._line(point)

    def end(self, point: Any) -> None:
        """Write the last row, unless it is there."""
        if point[0] > self._last[0]:
            self._line(point)

    def _line(self, point: Any) -> None:
        if not self._headed:
            self._write(self.HEADER)
            self._headed = True
        self._write(self.row(point, self._last))
        self._last = point


def go(run: Run | CombineRun | ExploreRun, table: PointTable, console: Console) -> None:
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


def saved_message(run: Run | CombineRun | ExploreRun) -> str:
    """What is saved of a run that was stopped."""
    if run.save is None:
        return "nothing was kept, for there is no --save"
    if not run.saved:
        return f"nothing was kept: {explain(run.unsaved)}" if run.unsaved else "nothing was learned yet"
    lost = f", and no later ones: {explain(run.unsaved)}" if run.unsaved else ""
    return f"{run.saved:,} rounds are kept in {run.save}{lost}; to go on: --resume {run.save}"


def whole_run_message(run: Run | CombineRun | ExploreRun, then: str = "") -> str:
    """What is saved of a run that is over, if only what follows it was stopped."""
    whole = run.save is not None and run.saved and run.unsaved is None
    return f"the whole run is kept in {run.save}{then}" if whole else saved_message(run)


def earlier_rows(run: Run) -> str | None:
    """Why the rows of a run that is over do not certify its model: it had learned others before. None if not."""
    if run.again or run.earlier <= 0:
        return None
    return f"the model had learned {many(run.earlier, 'round')} before those of {run.stream.name}"


def certify_hint(run: Run, path: str) -> str:
    """How a saved model is certified: with all rows that it learned."""
    if earlier_rows(run) is None:
        return f"regretless certify {run.save} {path}"
    return (
        f"regretless certify {run.save} ALL, where ALL holds the rows of all files, in the order they were learned in"
    )


def _rescued(run: Run | CombineRun | ExploreRun, error: str) -> str:
    lost = "" if run.unsaved is None or explain(run.unsaved) == error else f"; {explain(run.unsaved)}"
    if not run.saved:
        return f" (nothing is kept{lost})" if lost else ""
    return f" ({run.saved:,} rounds are kept in {run.save}{lost}; to go on when this is mended: --resume {run.save})"
