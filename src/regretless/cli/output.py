"""What the verbs print, on stdout and stderr, and the exit codes that they end with."""

from __future__ import annotations

import errno
import json
import os
import sys
from abc import ABC, abstractmethod
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from math import isfinite
from time import monotonic
from typing import TYPE_CHECKING, Any, ClassVar, TextIO

from ..catalogue import CLASSIFICATION
from ..errors import DataError, MissingError, ModelError, RegretlessError
from ..report.formatting import printable
from ..report.terminal import many

if TYPE_CHECKING:
    from ..certificate import Certificate
    from ..data.decisions import DecisionStream
    from ..data.forecast_stream import ForecastStream
    from ..data.stream import Stream
    from ..distributed.result import Mixture
    from .arguments import ReportOptions, WatchedOptions


DONE = 0
FAILED = 1  # bad data, or something that went wrong on the way
USAGE = 2
VIOLATED = 3  # a bound that always holds did not
ALARMED = 4  # losses got worse, and it was asked for to say so by the code
HUNG_UP = 129  # the terminal was closed
INTERRUPTED = 130  # Ctrl-C
TERMINATED = 143


class UsageError(Exception):
    """The command line itself makes no sense."""


class Ended(Exception):
    """The user or the system asked the command to end.

    Parameters
    ----------
    message : str
        What is left of the work.
    code : int
        The exit code.
    """

    def __init__(self, message: str, code: int = INTERRUPTED) -> None:
        super().__init__(message)
        self.code = code


ON_TERMINAL = 0.1  # seconds between two looks of the changing line
ELSEWHERE = 2.0


class Console:
    """Lines and progress on stderr.

    Parameters
    ----------
    quiet : bool
        Whether to say nothing at all.
    progress : bool or None
        Whether to show a changing line; None on terminals only. Where nothing can change, new lines are written.
    """

    def __init__(self, *, quiet: bool, progress: bool | None = None) -> None:
        self._out = None if quiet else sys.stderr
        self._terminal = self._out is not None and self._out.isatty()
        self._shows = self._terminal if progress is None else progress
        self._begun = self._next = monotonic()
        self._first: int | None = None
        self._shown = 0

    def line(self, text: str) -> None:
        """Write a line."""
        self._write(self._cleared() + printable(text) + "\n")

    def notes(self, notes: Iterable[str]) -> None:
        """Write what a user should know, in a line each."""
        for note in notes:
            self.line(f"note: {note}")

    def rounds(self, rounds: int, done: str = "", unit: str = "rounds") -> None:
        """Show how far the work has come; `done` says it in other words, before the rounds or whatever is counted."""
        if not self._shows or (now := monotonic()) < self._next:
            return
        if self._first is None:
            self._first, self._begun = rounds, now
            return
        speed = (rounds - self._first) / (now - self._begun) if now > self._begun else 0
        self._change(f"{done}{rounds:,} {unit}, {speed:,.0f} a second", now)

    def parts(self, text: str) -> None:
        """Show the progress of work that is done in parts."""
        if self._shows and (now := monotonic()) >= self._next:
            self._change(printable(text), now)

    def doing(self, text: str) -> None:
        """Show what takes its time, where a line can change."""
        if self._terminal and self._shows:
            self._write(self._cleared() + text)
            self._shown = len(text)

    def settle(self) -> None:
        """Take the changing line away."""
        self._write(self._cleared())

    def _change(self, text: str, now: float) -> None:
        self._next = now + (ON_TERMINAL if self._terminal else ELSEWHERE)
        self._write(f"{self._cleared()}{text}" if self._terminal else f"{text}\n")
        self._shown = len(text) if self._terminal else 0

    def _cleared(self) -> str:
        blank = f"\r{' ' * self._shown}\r" if self._shown else ""
        self._shown = 0
        return blank

    def _write(self, text: str) -> None:
        if self._out is None or not text:
            return
        try:
            self._out.write(text)
            self._out.flush()
        except (OSError, ValueError):
            self._out = None  # stderr is closed; the work goes on


ADVICE = {
    errno.ENOENT: "check its name, and that its folder exists",
    errno.EACCES: "check its permissions",
    errno.EPERM: "check its permissions",
    errno.EROFS: "choose another folder",
    errno.EISDIR: "name a file in it",
    errno.ENOTDIR: "check its name",
    errno.ENOSPC: "make room, or choose another folder",
    errno.EDQUOT: "make room, or choose another folder",
}
COLOURS = {"holds": "32", "broken": "1;31", "idle": "33"}


class Output(ABC):
    """The result of a command: for people, for programs and as a page.

    Attributes
    ----------
    certificates : list of Certificate
    PAGE : str
        What the page is called.
    ended : str or None
        Why certificates are missing, where the user ended the command before they were there.
    """

    certificates: Sequence[Certificate]
    PAGE: ClassVar[str] = "report"
    ended: str | None = None

    @abstractmethod
    def describe(self) -> dict[str, Any]:
        """The result as JSON values."""

    def lines(self) -> Iterator[str]:
        """Lines for people before the certificates, if any."""
        return iter(())

    @abstractmethod
    def write_page(self, path: str) -> None:
        """Write the page."""

    def publish(
        self,
        arguments: WatchedOptions,
        console: Console,
        page: str | None,
        **written: str | os.PathLike[str] | None,
    ) -> None:
        """Write the page, and print everything even if that fails; `written` are other files by what they hold."""
        try:
            if page is not None:
                self.write_page(page)
        finally:
            self._print(json=arguments.json)
        for what, path in {**written, self.PAGE: page}.items():
            if path is not None:
                console.line(f"{what}: {os.fspath(path)}")

    @contextmanager
    def published_if_ended(
        self, arguments: ReportOptions, console: Console, **written: str | os.PathLike[str] | None
    ) -> Iterator[None]:
        """Publish what is known where the user ends what comes yet, and then end.

        Raises
        ------
        Ended
            If the user did.
        """
        try:
            yield
        except Ended as end:
            self.ended = str(end)
            console.settle()
            self.publish(arguments, console, arguments.report, **written)
            raise

    def _print(self, *, json: bool) -> None:
        if json:
            write_json(self.describe() | ({} if self.ended is None else {"ended": self.ended}))
        else:
            for line in self.lines():
                print(printable(line))
            print_certificates(self.certificates)
        sys.stdout.flush()


def complain(message: str, more: Iterable[str] = ()) -> None:
    """Say on stderr, in one line, what went wrong; below it `more`, where there is something to choose from."""
    with suppress(OSError, ValueError):  # stderr may be closed
        lines = [f"regretless: {printable(' '.join(message.split()))}", *map(printable, more)]
        print(*lines, sep="\n", file=sys.stderr, flush=True)


def explain(error: BaseException, place: str | None = None) -> str:
    """What went wrong and what to do, in one line; `place` is the file at hand, for errors that name none."""
    if isinstance(error, RegretlessError):
        named = place is None or isinstance(error, DataError | ModelError | MissingError)
        return str(error) if named else f"{_head(place)}{error}"
    if isinstance(error, MemoryError):
        return "memory is exhausted; use fewer features (--max-features, --hash-bits) or a larger machine"
    if isinstance(error, OSError) and error.strerror:
        place = place if error.filename is None else os.fsdecode(error.filename)
        if error.errno == errno.ENOENT and error.filename is not None:  # as of files of data
            return f"{_head(place)}there is no such file; check its name"
        return f"{_head(place)}{error.strerror}; {ADVICE.get(error.errno or 0, 'try again')}"
    if isinstance(error, UnicodeEncodeError):
        return f"the output cannot show {error.object[error.start : error.end]!r}; set PYTHONIOENCODING=utf-8"
    if isinstance(error, ModuleNotFoundError):
        return f"the module {error.name} is missing; install it"
    kind, text = type(error).__name__, str(error).partition("\n")[0]
    return f"{_head(place)}{kind}: {text or 'no more is known'}; set REGRETLESS_TRACEBACK=1 to see where"


def _head(place: str | None) -> str:
    return "" if place is None else f"{place}: "


def warn_skipped(stream: Stream | DecisionStream | Mixture, when: str = "") -> None:
    """Say on stderr how many rows were passed over, and what was wrong with the first of them."""
    if not stream.skipped:
        return
    complain(f"{many(stream.skipped, 'row')} {'was' if stream.skipped == 1 else 'were'} passed over{when}")
    for message in stream.first_errors:
        complain(message)
    if stream.skipped > len(stream.first_errors):
        complain(f"and {stream.skipped - len(stream.first_errors)} more")


def target_of(stream: Stream | ForecastStream) -> dict[str, str]:
    """The column of labels or outcomes as a JSON value, where the file has columns to choose from."""
    target = stream.schema().get("target")
    return {} if target is None else {"target": str(target)}


class JsonOut:
    """Whether a command has printed its JSON object."""

    written = False


def write_json(value: dict[str, Any]) -> None:
    """One JSON object on stdout, in ASCII; what is not finite is null."""
    print(json.dumps(finite(value), allow_nan=False))
    JsonOut.written = True


def finite(value: Any) -> Any:
    """The value with null for every number that JSON cannot hold."""
    if isinstance(value, dict):
        return {key: finite(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [finite(one) for one in value]
    return None if isinstance(value, float) and not isfinite(value) else value


def coloured(stream: TextIO | None) -> bool:
    """Whether colours are welcome: on a terminal, unless NO_COLOR says no."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return stream is not None and stream.isatty()


def certificate_line(certificate: Certificate, colour: bool) -> str:
    """A certificate in one line, its verdict coloured if that is wanted."""
    line = printable(str(certificate))
    if not colour:
        return line
    for words, kind in (("does not apply", "idle"), (" EXCEEDS ", "broken"), (" <= ", "holds"), (" above ", "holds")):
        head, sign, tail = line.partition(words)
        if sign:
            bare = words.strip()
            return head + words.replace(bare, f"\033[{COLOURS[kind]}m{bare}\033[0m") + tail
    return line


def print_certificates(certificates: Sequence[Certificate]) -> None:
    """All of them, a line each, and what holds of those together that may fail."""
    from ..certificate import together

    colour = coloured(sys.stdout)
    for certificate in certificates:
        print(certificate_line(certificate, colour))
    joint = together(certificates)
    if joint is not None:
        print(joint)


def certificate_values(certificates: Sequence[Certificate], **more: Any) -> dict[str, Any]:
    """The certificates as JSON values, each with what else it is to have; and with what probability all hold."""
    from ..certificate import joint_confidence

    values = [one.describe() | {name: of(one) for name, of in more.items()} for one in certificates]
    return {"certificates": values, "joint_confidence": joint_confidence(certificates)}


def learner_values(learner: Any) -> dict[str, Any]:
    """A learner of labels or numbers, its parameters and its counts as JSON values; `task` says which it is."""
    ledger = learner.ledger_
    values = {
        "learner": learner.name,
        "task": learner.info.task,
        "parameters": parameters_of(learner),
        "rounds": int(ledger.rounds),
        "loss": ledger.loss,
    }
    if learner.info.task != CLASSIFICATION:
        return {**values, "loss_name": loss_name(learner)}
    counts = {"mistakes": int(ledger.mistakes), "updates": int(ledger.updates)}
    return {**values, **counts, "classes": [plain(label) for label in learner.classes_]}


def title_of(learner: Any, path: str) -> str:
    """What a report on a learner and a file is called."""
    return f"{type(learner).__name__} on {os.path.basename(path)}"


def loss_name(learner: Any) -> str:
    """What the loss of a learner of numbers is called."""
    return f"{learner.rules().charged.words} loss"


def parameters_of(learner: Any, without: Container[str] = ()) -> dict[str, Any]:
    """A learner's parameters as JSON values, but for some of them."""
    return {name: plain(value) for name, value in learner.get_params().items() if name not in without}


def spread(totals: Any) -> dict[str, float | None]:
    """Mean and standard deviation over runs; one run has no deviation."""
    return {"mean": float(totals.mean()), "sd": float(totals.std(ddof=1)) if len(totals) > 1 else None}


def runs_of(certificate: Certificate) -> dict[str, Any] | None:
    """Over how many runs a certificate speaks, and how; None of one run."""
    return getattr(certificate, "runs", None) or None


def verdict(certificates: Sequence[Certificate]) -> int:
    """The exit code that goes with some certificates; a bound that must hold and does not is a bug, and ours."""
    broken = [certificate.theorem.name for certificate in certificates if certificate.violated]
    if not broken:
        return DONE
    complain(
        f"a bound that always holds was violated ({', '.join(broken)}); this is a bug in regretless: please report it"
    )
    return VIOLATED


def fact_lines(facts: Mapping[str, Any]) -> list[str]:
    """Facts in a line each, behind their names; None is left out."""
    return [f"{name:<12}{value}" for name, value in facts.items() if value is not None]


def plain(value: Any) -> Any:
    """A value of numpy as one of Python."""
    return value.item() if hasattr(value, "item") else value
