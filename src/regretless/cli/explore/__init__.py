"""``regretless explore``: a contextual bandit over rounds with features, of trials or of a log."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Iterator
from os.path import splitext
from time import perf_counter
from typing import TYPE_CHECKING, Any

from ...catalogue import CONTEXTUAL_BANDITS, DEFAULT_CONTEXTUAL, REGRESSORS, class_of
from ...data.formats import DECISIONS, SUFFIXES
from ...run.trace_lines import TRACED
from .. import options
from ..files import refuse_overwriting_or_model, refuse_overwriting_rows
from ..output import UsageError, warn_skipped
from ..signals import PointTable, go
from .result import ExploreOptions, ExploreOutput, names_of_features

if TYPE_CHECKING:
    from ...contextual.base import ContextualBandit
    from ...data.decisions import DecisionStream
    from ...run.explore import ExploreContinuation, ExploreRun


DELTA = 0.05
LOGS = ("", ".csv", ".txt", ".vw", *SUFFIXES["parquet"])  # suffixes; what is no regular file has none
HELP = "draw actions by features, learn what each costs, and certify the run"
DESCRIPTION = (
    "In each round one of several actions is taken for a row of features, and its cost alone is learned. FILE has the "
    "cost of every action (--costs), or labels, of which all but the right one cost 1; or it is the log of another "
    "policy (--action, --cost, --propensity), or Vowpal Wabbit's text, action:cost:probability | features. From a log "
    "the learner learns, and what it would have paid is estimated by the probabilities that the log gives."
)


def add_arguments(parser: ArgumentParser) -> None:
    """The verb's options."""
    options.add_file(parser)
    _add_rounds(parser)
    _add_learning(parser)
    reading = options.add_reading(parser, DECISIONS)
    options.add_features(reading)
    output = parser.add_argument_group("output")
    output.add_argument(
        "--log", metavar="OUT", help="write the run's log: action, cost, probability and features (csv, parquet, or vw)"
    )
    options.add_report(output)
    options.add_trace(output, TRACED, "of a trial, the row, the action drawn, its probability and its cost")
    options.add_watching(output)


def _add_rounds(parser: ArgumentParser) -> None:
    group = parser.add_argument_group("what the file says of a round")
    options.add_names(group, "--costs", "the column of the cost of each action, which is called so")
    options.add_names(group, "--rewards", "the same of rewards: more is better")
    group.add_argument("--action", metavar="COLUMN", help="of a log: the column of the actions taken")
    group.add_argument("--cost", metavar="COLUMN", help="of a log: the column of what they cost")
    group.add_argument("--reward", metavar="COLUMN", help="of a log, in place of --cost: the column of their rewards")
    group.add_argument(
        "--propensity",
        metavar="P",
        help="of a log: the column of the probability with which each was taken, or a number for all",
    )
    options.add_names(
        group,
        "--propensities",
        "of a log: columns of the probability of each action, in the order of --actions; they must add up",
    )
    options.add_names(group, "--actions", "all actions, or labels; by default as the file has")
    options.add_range(group, "where all costs or rewards are known to lie; by default 0 1")


def _add_learning(parser: ArgumentParser) -> None:
    group = parser.add_argument_group("learning")
    options.add_learner(group, CONTEXTUAL_BANDITS, f"{', '.join(CONTEXTUAL_BANDITS)}; by default {DEFAULT_CONTEXTUAL}")
    options.add_set(group)
    group.add_argument(
        "--regressor",
        metavar="NAME",
        type=options.learner_in(REGRESSORS),
        choices=tuple(REGRESSORS),
        help="what foretells the cost of an action; by default as the learner has it",
    )
    group.add_argument(
        "--set-regressor", metavar="NAME=VALUE", action="append", default=[], help="set a parameter of the regressor"
    )
    options.add_number(group, "--seed", options.seed, "S", "of the draws (0)")
    options.add_number(group, "--delta", options.share, "D", "the probability with which a certificate may fail (0.05)")
    options.add_saving(group, "rounds")


class MeanCostTable(PointTable):
    """Rows at doubling round counts; a point is rounds, cost or reward, and that of the best single action."""

    HEADER = "{:>12} {:>12} {:>12} {:>18}".format("rounds", "mean cost", "since last", "best action so far")

    def row(self, point: Any, last: Any) -> str:
        """Mean costs so far and since the row before."""
        rounds, cost, best = point
        recent = (cost - last[1]) / (rounds - last[0])
        return f"{rounds:>12} {cost / rounds:>12.6f} {recent:>12.6f} {best / rounds:>18.6f}"


class MeanRewardTable(MeanCostTable):
    """The same of rewards."""

    HEADER = MeanCostTable.HEADER.replace("  mean cost", "mean reward")


def run(arguments: ExploreOptions) -> int:
    """Play, certify, report."""

    _refuse_contradictions(arguments)
    learner, known = (None, None) if arguments.resume is None else _read_model(arguments.resume)
    _refuse_other_parameters(arguments, learner)
    if learner is None:
        _learner(arguments, ["a", "b"], rewards=False)  # so that what has no meaning is refused before a file is read
    run = _run_of(arguments, learner, known)
    console = options.console_of(arguments)
    started, before = perf_counter(), run.rounds
    table = MeanRewardTable if run.tally.rewards else MeanCostTable
    go(run, table(console.line, run.point), console)
    seconds = perf_counter() - started
    warn_skipped(run.stream)
    console.notes([*run.stream.notes, *_notes(run, arguments.log, before, known)])
    outcome = ExploreOutput(run, arguments.file, seconds)
    return outcome.conclude(arguments, console)


def _run_of(
    arguments: ExploreOptions, learner: ContextualBandit | None, known: ExploreContinuation | None
) -> ExploreRun:
    """The run that is to be played."""
    from ...data.decisions import in_rewards
    from ...run.explore import ExploreRun, columns_of
    from ...run.explore_log import DecisionsOut
    from ...run.explore_tally import LogTally, TrialTally
    from ..decisions import stream_of

    low, high = options.range_of(arguments.range) if learner is None else learner.value_range
    before, schema = ({}, None) if known is None else (known.decisions, known.schema)
    stream = stream_of(arguments, (low, high), before, schema, None if learner is None else learner.names())
    if arguments.log is not None and stream.logged:
        raise UsageError("--log is for trials: nothing is drawn in the rounds of a log")
    if arguments.trace is not None and stream.logged:
        raise UsageError("--trace is for trials: nothing is drawn in the rounds of a log")
    columns = columns_of(stream) if learner is None else learner.n_features_in_
    rewards = in_rewards(stream.describe())
    learner = learner or _learner(arguments, stream.actions, rewards=rewards)
    if known is None:
        kind = LogTally if stream.logged else TrialTally
        tally: Any = kind(stream.actions, (low, high), learner.delta, rewards)
    else:
        known.refuse_other(stream)
        tally = known.tally
    exploring = ExploreRun(
        learner,
        stream,
        columns,
        tally,
        save=arguments.save or arguments.resume,
        checkpoint_every=arguments.checkpoint_every,
        curve=[] if known is None else list(known.curve),
        place=0 if known is None else known.place,
        last=None if known is None else known.last,
        trace=arguments.trace or 0,
        on_first=lambda columns: _refuse_large(stream, exploring.learner, columns),
    )
    if arguments.log is not None:
        ends = (low, high) if rewards else None
        exploring.out = DecisionsOut(arguments.log, stream.actions, lambda: names_of_features(exploring), ends)
    return exploring


def _notes(run: ExploreRun, log: str | None, before: int, known: ExploreContinuation | None) -> Iterator[str]:
    """What the user should know of a run that is over, and before which so many rounds had been played."""
    from ...run.notes import free_text_notes

    yield from free_text_notes(run.stream.schema(), run.place)
    if known is not None and known.source is None and known.last == run.last and before and not before % run.place:
        yield f"the model had learned the rows of {run.stream.name} already, as it seems"
    if log is not None and before:
        yield (
            f"{log} has the {run.rounds - before:,} rounds of this run; the {before:,} before it are in the log of the "
            "run that played them, of which nothing is left if that was killed"
        )


def _read_model(path: str) -> tuple[ContextualBandit, ExploreContinuation]:
    """A model that ``explore`` wrote.

    Raises
    ------
    ModelError
        If it is none.
    """
    from ...errors import ModelError
    from ...persist.model import read
    from ...run.explore import ExploreContinuation

    learner, extra = read(path)
    if learner.kind != "contextual":
        raise ModelError(
            f"{path}: this model draws no actions by features ({learner.name}); explore wrote none like it"
        )
    return learner, ExploreContinuation.read(learner, extra)


ELSEWHERE = {
    "n_arms": "the file says how many actions there are",
    "arms": "the file names the actions (--actions names all)",
    "value_range": "use --range",
    "rewards": "use --rewards for the columns of a trial, --reward for that of a log",
    "hash_bits": "use --hash-bits",
    "regressor": "use --regressor and --set-regressor",
    "seed": "use --seed",
    "delta": "use --delta",
}


def _learner(arguments: ExploreOptions, actions: list[str], *, rewards: bool) -> ContextualBandit:
    """A new learner of these actions, from costs or from rewards.

    Raises
    ------
    UsageError
        If a parameter has no meaning.
    """
    from ...errors import ParameterError
    from ..parameters import fault_text, make_learner, read_settings

    wanted = class_of("contextual", arguments.learner or DEFAULT_CONTEXTUAL)
    settings = read_settings(wanted, arguments.set, ELSEWHERE)
    regressor = None
    if arguments.regressor is not None or arguments.set_regressor:
        # Without a name it is the one that a bandit takes by itself.
        named = arguments.regressor
        kind = type(wanted(2).regressor_) if named is None else class_of("regression", named)
        option = "--set-regressor"
        regressor = make_learner(kind, read_settings(kind, arguments.set_regressor, option=option), option)
    settings |= {"delta": arguments.delta or DELTA, "seed": arguments.seed or 0, "regressor": regressor}
    settings["rewards"] = rewards
    try:
        return wanted(arms=actions, value_range=options.range_of(arguments.range), **settings)  # type: ignore[no-any-return]
    except ParameterError as error:
        raise UsageError(f"--set {fault_text(error)}") from error


def _refuse_other_parameters(arguments: ExploreOptions, learner: ContextualBandit | None) -> None:
    """Refuse what contradicts the model to go on with."""
    if learner is None:
        return
    stated = {
        "--learner": (arguments.learner, learner.name),
        "--seed": (arguments.seed, learner.seed_),
        "--delta": (arguments.delta, learner.delta),
        "--range": (None if arguments.range is None else tuple(arguments.range), tuple(learner.value_range)),
        "--actions": (options.names_of(arguments.actions), learner.names()),
    }
    for option, (asked, own) in stated.items():
        if asked not in (None, own):
            raise UsageError(f"{option} {asked}: it is {own} in the model")
    of_new = {"--set": arguments.set, "--regressor": arguments.regressor, "--set-regressor": arguments.set_regressor}
    options.refuse_set(of_new, "is for a new learner, and --resume goes on with one")


def _refuse_large(stream: DecisionStream, learner: ContextualBandit, columns: int) -> None:
    """Refuse regressions, and dense rows, that would not fit, before the first is made."""
    from ...memory import refuse_large
    from ...run.explore import block_size

    size = learner.memory(columns) + block_size(columns)
    what = f"what is learned of {columns:,} features for each of {learner.n_arms_:,} actions (--hash-bits has fewer)"
    refuse_large(stream.name, size, what)


def _refuse_contradictions(arguments: ExploreOptions) -> None:
    """Refuse options that contradict each other, before anything is read or written."""
    options.range_of(arguments.range)
    options.refuse_set({"--rewards": arguments.costs and arguments.rewards}, "and --costs exclude each other")
    options.refuse_set({"--reward": arguments.cost and arguments.reward}, "and --cost exclude each other")
    if arguments.costs or arguments.rewards:
        of_logs = {
            "--action": arguments.action,
            "--cost": arguments.cost,
            "--reward": arguments.reward,
            "--propensity": arguments.propensity,
            "--propensities": arguments.propensities,
            "--actions": arguments.actions,
            "--target": arguments.target,
        }
        options.refuse_set(of_logs, f"and {'--costs' if arguments.costs else '--rewards'} exclude each other")
    of_log = {
        "--cost": arguments.cost,
        "--reward": arguments.reward,
        "--propensity": arguments.propensity,
        "--propensities": arguments.propensities,
    }
    if arguments.action is None:
        options.refuse_set(of_log, "is about a log, and --action names its column of actions")
    else:
        options.refuse_set({"--target": arguments.target}, "is a column of labels, and a log has actions")
        named = arguments.cost is not None or arguments.reward is not None
        if not named or not (arguments.propensity or arguments.propensities):
            needs = "--cost (or --reward) and --propensity"
            raise UsageError(f"a log needs {needs} beside --action: which columns these are")
    if arguments.log is not None and splitext(arguments.log)[1].lower() not in LOGS:
        raise UsageError(f"--log {arguments.log}: a log is written as .csv, .parquet or .vw")
    refuse_overwriting_or_model(arguments, [arguments.file], [arguments.log, arguments.report])
    if arguments.resume is not None:
        refuse_overwriting_rows([arguments.log])
