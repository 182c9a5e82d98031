"""``regretless play``: any learner against any environment, certified."""

from __future__ import annotations

from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Callable
from textwrap import wrap
from typing import TYPE_CHECKING

from ...catalogue import TABLES
from ...environments.registry import ENVIRONMENTS, WORST
from ...errors import RegretlessError
from ...play.compatibility import GIVES
from ...report.terminal import many
from .. import options
from ..files import refuse_irregular, refuse_overwriting
from ..output import VIOLATED, Console, Ended, UsageError, complain, explain, verdict
from ..signals import run_until_signal
from .pairing import Pairing, PlayOptions, pairing_of
from .result import SHOWN, PlayOutput

if TYPE_CHECKING:
    from ...play import PlayResult


EPILOG = """\
example: a learner that errs as seldom as any can, against an environment that makes it err as often as any can
  regretless play --learner standard-optimal --environment shattered-tree --named thresholds:20"""
DRAWN, DRAWN_OF_ALL = 2_000, 100_000  # rounds of one run, and of all, of which a report shows every one
HELP = "let any learner play against any environment, and certify the result"
DESCRIPTION = (
    "An environment picks the rounds: by chance, by a plan, or against what the learner does. Printed are mistakes or "
    "losses at doubling round counts, what the environment was sure to force at least, and what each theorem about the "
    "learner allows at most. Some environments are made of a finite class, which --class or --named gives; each "
    "hypothesis is then a feature to a linear learner, an expert to a combiner and an arm to a bandit."
)


class Formatter(RawDescriptionHelpFormatter):
    """Help that breaks no name at its hyphen."""

    def _split_lines(self, text: str, width: int) -> list[str]:
        return wrap(" ".join(text.split()), width, break_on_hyphens=False)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return text if text == EPILOG else "\n".join(wrap(text, width, break_on_hyphens=False))


def add_arguments(parser: ArgumentParser) -> None:
    """The verb's options."""
    parser.formatter_class, parser.epilog = Formatter, EPILOG
    _add_players(parser)
    group = parser.add_argument_group("a finite class")
    group.add_argument(
        "--class", dest="table", metavar="FILE", help="a table of 0 and 1, rows are hypotheses and columns are points"
    )
    group.add_argument("--named", metavar="FAMILY", help="a class by name, as in thresholds:20 (see dimension)")
    group = parser.add_argument_group("rounds")
    options.add_number(group, "--rounds", options.whole, "T", "how many; by default all that there are")
    options.add_number(group, "--runs", options.whole, "R", "how often to play them (1)", default=1)
    options.add_number(group, "--seed", options.seed, "S", "of the environment and the learner (0)", default=0)
    options.add_anytime(group)
    group = parser.add_argument_group("output")
    group.add_argument("--save", metavar="MODEL", help="write the learner as it stands after its one run (.rgl)")
    options.add_report(group)
    shown = "what was asked, said and answered in the first run; JSON has 10,000 if no number is given"
    options.add_trace(group, SHOWN, shown, const=0)
    options.add_watching(group)


def _add_players(parser: ArgumentParser) -> None:
    group = parser.add_argument_group("learner and environment")
    playing = dict.fromkeys(name for kind, names in TABLES.items() if GIVES[kind] for name in names)
    group.add_argument(
        "--learner",
        metavar="NAME",
        required=True,
        help=f"{', '.join(playing)}; experts.hedge and bandits.hedge are two",
    )
    options.add_set(group)
    group.add_argument("--environment", metavar="NAME", required=True, help=", ".join((*ENVIRONMENTS, WORST)))
    group.add_argument(
        "--with",
        dest="environment_set",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        help="set a parameter of the environment",
    )


def run(arguments: PlayOptions) -> int:
    """Play, certify, report."""
    _refuse_contradictions(arguments)
    pairing = pairing_of(arguments)
    console = options.console_of(arguments)
    result, stopped = _play(pairing, arguments, console)
    outcome = PlayOutput(result, pairing, arguments)
    outcome.save()
    outcome.publish(arguments, console, arguments.report, model=arguments.save)
    code = verdict(outcome.certificates) or _code_of_lower_bounds(result)
    if stopped is not None:
        left_out = "" if result.certificates else "; to certify so many, ask for them by --rounds"
        raise Ended(f"interrupted after {outcome.played()}{left_out}", stopped)
    return code


def _play(pairing: Pairing, arguments: PlayOptions, console: Console) -> tuple[PlayResult, int | None]:
    """The result, and the exit code of the signal if one came before all was played."""
    from ...play import play

    def play_until(stop: Callable[[], bool]) -> PlayResult:
        return play(
            pairing.learner,
            pairing.environment,
            pairing.rounds,
            runs=arguments.runs,
            marks=_marks(pairing, arguments),
            on_rounds=lambda played: console.rounds(played),
            stop=stop,
        )

    def failed(error: Exception) -> RegretlessError:
        if isinstance(error, MemoryError):
            asked = f"{many(pairing.rounds, 'round')} of {many(arguments.runs, 'run')}"
            return RegretlessError(f"memory is exhausted by {asked}; ask for fewer")
        return RegretlessError(explain(error))

    return run_until_signal(play_until, console, stopped=lambda: "interrupted before there was a round", failed=failed)


def _marks(pairing: Pairing, arguments: PlayOptions) -> range | None:
    """Every round of a short play, if it is to be drawn."""
    short = pairing.rounds <= DRAWN and pairing.rounds * arguments.runs <= DRAWN_OF_ALL
    return range(1, pairing.rounds + 1) if arguments.report is not None and short else None


def _code_of_lower_bounds(result: PlayResult) -> int:
    """The exit code that goes with the environment's lower bounds."""
    broken = [bound.lower_bound.title for bound in result.lower_bounds if bound.violated]
    if not broken:
        return 0
    complain(f"what is sure to be forced was not ({', '.join(broken)}); this is a bug in regretless: please report it")
    return VIOLATED


def _refuse_contradictions(arguments: PlayOptions) -> None:
    """Refuse options that contradict each other, before anything is read or written."""
    if arguments.table is not None and arguments.named is not None:
        raise UsageError("--class and --named are two classes; name one")
    if arguments.save is not None and arguments.runs > 1:
        raise UsageError(f"--save keeps one learner, and --runs {arguments.runs} have as many")
    files = [
        text.partition("=")[2].strip() for text in arguments.environment_set if text.partition("=")[0].strip() == "file"
    ]
    tables = [] if arguments.table is None else [arguments.table]
    refuse_overwriting([*tables, *files], [arguments.save, arguments.report])
    refuse_irregular(arguments.save)
