"""``regretless solve``: equilibria of two-player games, with a gap that is certified."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError
from typing import TYPE_CHECKING

from ...data.formats import GAMES, NAMES
from ...errors import DataError, ParameterError, RegretlessError
from ...games.methods import AVERAGES, ENUMERATIONS, IN_TURNS, METHODS, OBJECTIVES, SELF_PLAY
from .. import options
from ..files import refuse_model, refuse_overwriting
from ..output import Console, Ended, UsageError, complain, explain, verdict
from ..signals import PlainWork, run_until_signal
from .result import SolveOptions, SolveOutput, SolveTask, of_general_sum, refuse

if TYPE_CHECKING:
    from ...data.game_files import GameFile

# The library's parameters, and the options that set them.
OPTIONS = {"rounds": "--rounds", "average": "--average", "alternate": "--simultaneous", "tolerance": "--tolerance"}
OPTIONS |= {"method": "--method", "start": "--start", "array": "--array", "names": "--names", "format": "--format"}

HELP = "solve a game of two players, and certify how near the strategies are to an equilibrium"
DESCRIPTION = (
    "A row of the file is a strategy of the row player, who wins the number in the cell that the other player's column "
    "picks, and the column player pays it. Printed are the value of the game, both strategies, the interval that they "
    "guarantee, computed afresh, and every theorem on it. Games in which both players have payoffs of their own (.nfg) "
    "are answered by their equilibria, zero-sum games in turns (.efg, sequence forms) by probabilities at each "
    "information set, other games in turns (.efg) by equilibria of their reduced strategic form."
)


def add_arguments(parser: ArgumentParser) -> None:
    """The verb's options."""
    options.add_file(parser, "a game", which="text may")
    _add_reading(parser)
    _add_solving(parser)
    _add_general(parser)
    _add_output(parser)


def _add_reading(parser: ArgumentParser) -> None:
    group = parser.add_argument_group("reading the file")
    options.add_format(group, GAMES)
    group.add_argument("--losses", action="store_true", help="the numbers are what the row player loses")
    group.add_argument("--array", metavar="NAME", help="npz: the array of payoffs, if there are several")
    group.add_argument(
        "--names", choices=NAMES, help="csv, tsv: what names stand in the file, in its first column and first row"
    )


def _add_solving(parser: ArgumentParser) -> None:
    group = parser.add_argument_group("solving")
    group.add_argument(
        "--method",
        type=_method,
        choices=("auto", *METHODS, *IN_TURNS),
        metavar="NAME",
        help=f"{', '.join(('auto', *METHODS))}; games in turns: auto, linear-programming, {', '.join(IN_TURNS)}",
    )
    options.add_number(
        group, "--tolerance", options.positive, "T", "the gap to end with, in payoffs; by default 1e-9 of their range"
    )
    group.add_argument(
        "--exact", action="store_true", help="also in fractions, verified: decimals are taken as they are written"
    )
    options.add_number(group, "--rounds", options.whole, "N", "self-play: how many rounds at most")
    group.add_argument("--average", choices=AVERAGES, help="self-play: how much later rounds count")
    turns = group.add_mutually_exclusive_group()
    turns.add_argument("--simultaneous", action="store_true", help="self-play: both players move at once")
    turns.add_argument("--alternating", action="store_true", help="self-play: the column player moves second")
    group.add_argument("--start", metavar="FILE", help="begin with strategies that --save wrote")


def _add_general(parser: ArgumentParser) -> None:
    group = parser.add_argument_group("games in which both players have payoffs of their own")
    group.add_argument(
        "--equilibria",
        type=_hyphened,
        choices=("auto", *ENUMERATIONS),
        metavar="METHOD",
        help=f"list equilibria by {', '.join(('auto', *ENUMERATIONS))}",
    )
    options.add_number(group, "--limit", options.whole, "N", "list at most N equilibria")
    options.add_number(group, "--seconds", options.positive, "S", "look no longer than this for equilibria")
    group.add_argument("--correlated", action="store_true", help="the best correlated equilibrium instead")
    group.add_argument("--coarse", action="store_true", help="the best coarse correlated equilibrium instead")
    group.add_argument(
        "--objective", choices=OBJECTIVES, help="which one is best: by the sum of the payoffs, or by one player's"
    )


def _add_output(parser: ArgumentParser) -> None:
    group = parser.add_argument_group("output")
    group.add_argument("--save", metavar="FILE", help="save the strategies, as arrays in a .npz file")
    options.add_report(group)
    options.add_watching(group)


def _hyphened(text: str) -> str:
    return text.replace("_", "-")


def _method(text: str) -> str:
    name = _hyphened(text)
    if name in ENUMERATIONS:
        raise ArgumentTypeError(f"{name} lists equilibria of two matrices: --equilibria {name}")
    return name


def run(arguments: SolveOptions) -> int:
    """Read, solve, report."""
    _refuse_contradictions(arguments)
    file = _read(arguments)
    task = _task(file, arguments)
    for note in () if arguments.quiet else [*file.notes, *task.notes]:
        complain(note)
    console = options.console_of(arguments)
    outcome, stopped = _solve(task, arguments, file, console)
    if arguments.save is not None:
        outcome.save(arguments.save)
    outcome.publish(arguments, console, arguments.report, strategies=arguments.save)
    code = verdict(outcome.certificates)
    if stopped is not None:
        raise Ended(outcome.interrupted(), stopped)
    return code


def _read(arguments: SolveOptions) -> GameFile:
    from ...data.game_files import read_game

    try:
        return read_game(
            arguments.file,
            format=arguments.format,
            array=arguments.array,
            exact=arguments.exact,
            names=arguments.names,
        )
    except MemoryError as error:
        raise RegretlessError(f"{arguments.file}: memory is exhausted by this game; a smaller one is needed") from error
    except RegretlessError as error:
        raise _about_option(error) from error


def _task(file: GameFile, arguments: SolveOptions) -> SolveTask:
    """The task for the file.

    Raises
    ------
    UsageError
        If an option does not apply to a game of its kind.
    """
    if file.kind == "matrix":
        from .zero_sum import MatrixTask

        refuse(arguments, of_general_sum(arguments), "a zero-sum game, whose equilibria are its solutions")
        return MatrixTask(file, arguments)
    if file.kind == "bimatrix":
        from .bimatrix import bimatrix_task

        return bimatrix_task(file, arguments)
    from .zero_sum import SequenceTask

    tree = None
    if file.tree is not None:
        from ...games.extensive_form.extensive import ExtensiveGame

        tree = ExtensiveGame(file.tree)
        if not tree.is_constant_sum:
            from .bimatrix import tree_task

            return tree_task(file, arguments, tree)
    refuse(arguments, {**of_general_sum(arguments), "--losses": arguments.losses}, "a zero-sum game in turns")
    return SequenceTask(file, arguments, tree)


def _solve(
    task: SolveTask, arguments: SolveOptions, file: GameFile, console: Console
) -> tuple[SolveOutput, int | None]:
    """The answer, and the exit code of a signal that came before the end."""

    def show(steps: int, gap: float) -> None:
        console.rounds(steps, f"gap {gap:.3g}, ")

    def failed(error: Exception) -> Exception:
        if isinstance(error, MemoryError):
            return RegretlessError(f"{file.name}: memory is exhausted; try --method rm+")
        if isinstance(error, RegretlessError):
            return _about_option(error, file.name)
        return RegretlessError(explain(error, file.name))

    return run_until_signal(
        lambda stop: task.solve(show, stop),
        console,
        stopped=lambda: "interrupted before there were any strategies",
        failed=failed,
        run=PlainWork(not task.asks),
    )


def _about_option(error: RegretlessError, path: str = "") -> Exception:
    """The error with the name of the option that sets the parameter, or else with the name of the file."""
    if isinstance(error, ParameterError) and error.name in OPTIONS:
        return UsageError(str(error.called(OPTIONS[error.name])))
    if isinstance(error, DataError) or not path:
        return error
    return RegretlessError(f"{path}: {error}")


def _refuse_contradictions(arguments: SolveOptions) -> None:
    """Refuse options that contradict each other, before anything is read or written."""
    if arguments.correlated and arguments.coarse:
        raise UsageError("--correlated and --coarse are two sets of equilibria; name one")
    if arguments.equilibria is not None and (arguments.correlated or arguments.coarse):
        raise UsageError("--equilibria lists Nash equilibria; it contradicts --correlated and --coarse")
    if arguments.objective is not None and not (arguments.correlated or arguments.coarse):
        raise UsageError("--objective chooses among the correlated equilibria of --correlated or --coarse")
    if arguments.method not in (*SELF_PLAY, *IN_TURNS):
        of_self_play = {
            "--rounds": arguments.rounds,
            "--average": arguments.average,
            "--simultaneous": arguments.simultaneous,
            "--alternating": arguments.alternating,
        }
        options.refuse_set(
            of_self_play, f"is about self-play; --method names one: {', '.join((*SELF_PLAY, *IN_TURNS))}"
        )
    if arguments.start is not None and arguments.method == "simplex":
        raise UsageError("--start is of no use to the simplex method, which begins at a vertex of its own")
    refuse_model(arguments.file, "a game is expected here")
    if arguments.save is not None and not arguments.save.endswith(".npz"):
        raise UsageError(f"--save {arguments.save}: strategies are saved in a .npz file")
    inputs = [arguments.file, *([arguments.start] if arguments.start is not None else [])]
    refuse_overwriting(inputs, [arguments.save, arguments.report])
