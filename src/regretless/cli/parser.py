"""The parser of the command line; nothing heavy is imported to make it."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from functools import partial
from typing import Any, NoReturn

from .. import __version__
from . import certify, combine, demo, dimension, inspect, learn, play, predict, pull, solve, verify
from .exit_codes import UsageError
from .options import run_verb

VERBS = (learn, combine, pull, solve, dimension, play, predict, certify, verify, inspect, demo)
EPILOG = """\
exit codes: 0 done, 1 bad data or a failure, 2 wrong usage, 3 a bound that always holds was violated, or a number that
verify computed again differs, 130 interrupted (what was learned is saved first)"""


class Parser(argparse.ArgumentParser):
    """A parser whose errors are reported like all others."""

    def error(self, message: str) -> NoReturn:
        """Refuse the command line."""
        raise UsageError(f"{message}; see {self.prog} --help")

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        """The arguments; what nobody knows is refused by the verb that it was said to."""
        found, unknown = self.parse_known_args(args, namespace)
        if unknown:
            verb: Parser = getattr(found, "verb", self)
            verb.error(f"unrecognized arguments: {' '.join(unknown)}")
        return found


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


def make() -> Parser:
    """The parser of all verbs."""
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
    for verb in VERBS:
        name = verb.__name__.rpartition(".")[2]
        made = verbs.add_parser(name, help=verb.HELP, description=verb.DESCRIPTION, allow_abbrev=False)
        verb.add_arguments(made)
        made.set_defaults(run=partial(run_verb, verb), verb=made)
    return parser


def _complete_files(parser: argparse.ArgumentParser, files: Any) -> None:
    """Have every argument that names a file completed by files."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for verb in action.choices.values():
                _complete_files(verb, files)
        elif action.metavar in FILES:
            action.complete = files  # type: ignore[attr-defined]


FILES = ("FILE", "MODEL", "PAGE", "DIR")
