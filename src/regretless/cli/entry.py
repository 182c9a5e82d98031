"""From a command line to an exit code; every failure is one line on stderr."""

from __future__ import annotations

import argparse
import io
import os
import sys
import warnings
from collections.abc import Sequence
from contextlib import suppress
from functools import cache, partial
from typing import Any, NoReturn, TextIO

from .. import __version__
from ..errors import DataError, did_you_mean
from .options import run_verb, verb_of
from .output import FAILED, INTERRUPTED, USAGE, Ended, JsonOut, UsageError, complain, explain, write_json
from .signals import InterruptWatch, code_of, restore

STDOUT = "standard output"


VERBS = (
    "learn", "combine", "pull", "explore", "evaluate", "solve", "dimension", "play",
    "compare", "watch", "predict", "certify", "verify", "inspect", "export", "explain", "serve", "replay", "demo",
)  # fmt: skip
EPILOG = """\
exit codes: 0 done, 1 bad data or a failure, 2 wrong usage, 3 a bound that always holds was violated, or a number that
verify computed again differs, 4 an alarm (watch --fail-on-alarm), 130 interrupted (what was learned is saved first)"""


class Parser(argparse.ArgumentParser):
    """A parser whose errors are reported like all others."""

    def error(self, message: str) -> NoReturn:
        """Refuse the command line."""
        raise UsageError(f"{message}; see {self.prog} --help")

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Refuse what is none of the choices, and name those that it is like."""
        if action.choices is not None and value not in action.choices:
            meant = did_you_mean(str(value), map(str, action.choices))
            choices = ", ".join(map(repr, action.choices))
            raise argparse.ArgumentError(action, f"invalid choice: {value!r} ({meant}choose from {choices})")

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        """The arguments; unknown ones are refused by the verb that they stand behind."""
        record, unknown = self.parse_known_args(args, namespace)
        if unknown:
            verb: Parser = getattr(record, "verb", self)
            known = [option for action in verb._actions for option in action.option_strings if option.startswith("--")]
            meant = did_you_mean(unknown[0].partition("=")[0], known) if unknown[0].startswith("--") else ""
            verb.error(f"unrecognized arguments: {' '.join(unknown)}{meant and f'; {meant}'.rstrip()}")
        return record


class PrintCompletion(argparse.Action):
    """Prints the completion script of a shell."""

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: Any, values: str | Sequence[Any] | None, option: Any = None
    ) -> NoReturn:
        """Print and exit."""
        import shtab

        _complete_files(parser, shtab.FILE)
        print(shtab.complete(parser, shell=str(values)))
        parser.exit()


@cache
def make(names: tuple[str, ...] = VERBS) -> Parser:
    """The parser of all verbs, or of some, which is there sooner: one for all command lines of a process."""
    parser = Parser(
        prog="regretless",
        description="Online learning with guarantees: every run prints its theorem's bound beside what was observed.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"regretless {__version__}")
    parser.add_argument(
        "--print-completion",
        action=PrintCompletion,
        choices=("bash", "zsh", "tcsh"),
        default=argparse.SUPPRESS,
        help="print the completion script of a shell",
    )
    verbs = parser.add_subparsers(title="verbs", metavar="VERB", required=True, parser_class=Parser)
    for name in names:
        verb = verb_of(name)
        subparser = verbs.add_parser(name, help=verb.HELP, description=verb.DESCRIPTION, allow_abbrev=False)
        verb.add_arguments(subparser)
        subparser.set_defaults(run=partial(run_verb, verb), verb=subparser)
    return parser


def _complete_files(parser: argparse.ArgumentParser, files: Any) -> None:
    """Have every argument that names a file completed by files."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for verb in action.choices.values():
                _complete_files(verb, files)
        elif action.metavar in FILES:
            action.complete = files  # type: ignore[attr-defined]


FILES = ("FILE", "LOG", "MODEL", "STORE", "STATE", "PAGE", "OUT", "DIR", "A", "B")  # A and B are models or learners


def run(argv: Sequence[str] | None = None) -> int:
    """Run a command line, that of the process by default, and return its exit code."""
    # Rounds are played by one thread. More of them for linear algebra would only wait, at the cost of a start.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    _fill_closed()
    _buffer_output()
    with warnings.catch_warnings():
        if not sys.warnoptions:
            warnings.simplefilter("ignore")
        try:
            code = _outcome(sys.argv[1:] if argv is None else argv)
        finally:
            restore()
    return _flushed(code)


def _outcome(argv: Sequence[str]) -> int:
    watch, JsonOut.written = InterruptWatch(), False

    def failed(code: int, message: str, more: tuple[str, ...] = ()) -> int:
        complain(message, more)
        if "--json" in argv and not JsonOut.written:
            with suppress(OSError):  # stdout may be what cannot be written
                write_json({"schema": "regretless.error/1", "error": message, "code": code})
        return code

    try:
        arguments = make(_asked(argv[0] if argv else "")).parse_args(argv)
        return int(arguments.run(arguments))
    except SystemExit as end:  # --help and --version
        return int(end.code or 0)
    except UsageError as error:
        return failed(USAGE, str(error))
    except Ended as end:
        return failed(end.code, str(end))
    except KeyboardInterrupt as end:
        return failed(code_of(end), "interrupted")
    except Exception as error:
        if isinstance(error, BrokenPipeError) and error.filename is None:  # the reader of the output has closed it
            return 0
        if watch.interrupt:
            return failed(INTERRUPTED, "interrupted")
        if os.environ.get("REGRETLESS_TRACEBACK"):
            raise
        return failed(FAILED, explain(error, _unwritable(error)), _choices(error))


def _asked(word: str) -> tuple[str, ...]:
    """The verbs that a command line may be about which begins with a word: one alone, or none, or any."""
    if word == "--version":
        return ()
    return (word,) if word in VERBS else VERBS


def _choices(error: BaseException | None) -> tuple[str, ...]:
    """What there is to choose from where the data are refused, though it may have been said in other words since."""
    while error is not None and not isinstance(error, DataError):
        error = error.__cause__
    return () if error is None else error.more


def _flushed(code: int) -> int:
    """The code, once all output is out; a reader that closed it is no failure."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        _let_go(sys.stdout)
    except OSError as error:
        _let_go(sys.stdout)
        if code != FAILED:  # else it was reported already
            complain(explain(error, STDOUT))
            code = code or FAILED
    try:
        sys.stderr.flush()
    except OSError:  # nothing reads it
        _let_go(sys.stderr)
    return code


def _unwritable(error: Exception) -> str | None:
    """The standard output, if it was what the error comes from: what could not be written then is there still."""
    if isinstance(error, OSError) and error.filename is None:
        try:
            sys.stdout.flush()
        except OSError:
            return STDOUT
    return None


def _fill_closed() -> None:
    """Give closed streams somewhere to go: Python has None in their place, and `print` would take one for the other."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115 (it stays open to the end)


def _buffer_output() -> None:
    """Write all of what is printed, or fail: unbuffered, a write that the system cuts short loses the rest."""
    stdout = sys.stdout
    if isinstance(raw := getattr(stdout, "buffer", None), io.RawIOBase):
        sys.stdout = io.TextIOWrapper(io.BufferedWriter(raw), stdout.encoding, stdout.errors, line_buffering=True)


def _let_go(stream: TextIO) -> None:
    """Let the interpreter's own last flush go nowhere instead of failing again."""
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
