"""``regretless explore``: a contextual bandit over rounds with features, of trials or of a log."""

from __future__ import annotations

import os
from argparse import ArgumentParser
from collections.abc import Iterator
from os.path import splitext
from time import perf_counter
from typing import TYPE_CHECKING, Any

from ..catalogue import CONTEXTUAL_BANDITS, DEFAULT_CONTEXTUAL, REGRESSORS, class_of
from ..data.formats import DECISIONS, SUFFIXES
from ..report.terminal import label_text, many, more_lines, number_text, short
from ..run.trace_lines import TRACED, decision_lines
from . import options
from .arguments import ReportOptions, SavingOptions
from .decisions import DecisionOptions
from .files import refuse_overwriting_or_model, refuse_overwriting_rows
from .output import Console, Output, UsageError, certificate_values, parameters_of, title_of, verdict, warn_skipped
from .signals import PointTable, certifying, go, whole_run_message

if TYPE_CHECKING:
    from ..certificate import Certificate
    from ..contextual.base import ContextualBandit
    from ..data.decisions import DecisionStream
    from ..run.explore import ExploreContinuation, ExploreRun, HindsightCosts


DELTA = 0.05
LOGS = ("", ".csv", ".txt", ".vw", *SUFFIXES["parquet"])  # suffixes; what is no regular file has none
HELP = "draw actions by features, learn what each costs, and certify the run"
DESCRIPTION = (
    "In each round one of several actions is taken for a row of features, and its cost alone is learned. FILE has the "
    "cost of every action (--costs), or labels, of which all but the right one cost 1; or it is the log of another "
    "policy (--action, --cost, --propensity), or Vowpal Wabbit's text, action:cost:probability | features. From a log "
    "the learner learns, and what it would have paid is estimated by the probabilities that the log gives."
)


class ExploreOptions(DecisionOptions, SavingOptions, ReportOptions):
    """Of `explore`."""

    learner: str | None
    set: list[str]
    regressor: str | None
    set_regressor: list[str]
    seed: int | None
    delta: float | None
    log: str | None
    trace: int | None


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
    group.add_argument("--seed", type=options.seed, metavar="S", help="of the draws (0)")
    group.add_argument(
        "--delta", type=options.share, metavar="D", help="the probability with which a certificate may fail (0.05)"
    )
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
    table = MeanRewardTable if run.stream.rewards else MeanCostTable
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
    from ..run.explore import ExploreRun, columns_of
    from ..run.explore_log import DecisionsOut
    from ..run.explore_tally import LogTally, TrialTally
    from .decisions import stream_of

    low, high = options.range_of(arguments.range) if learner is None else learner.value_range
    before, schema = ({}, None) if known is None else (known.decisions, known.schema)
    stream = stream_of(arguments, (low, high), before, schema, None if learner is None else learner.names())
    if arguments.log is not None and stream.logged:
        raise UsageError("--log is for trials: nothing is drawn in the rounds of a log")
    if arguments.trace is not None and stream.logged:
        raise UsageError("--trace is for trials: nothing is drawn in the rounds of a log")
    columns = columns_of(stream) if learner is None else learner.n_features_in_
    learner = learner or _learner(arguments, stream.actions, rewards=stream.rewards)
    if known is None:
        kind = LogTally if stream.logged else TrialTally
        tally: Any = kind(stream.actions, (low, high), learner.delta, stream.rewards)
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
        rewards = (low, high) if stream.rewards else None
        exploring.out = DecisionsOut(arguments.log, stream.actions, lambda: _names(exploring), rewards)
    return exploring


def _notes(run: ExploreRun, log: str | None, before: int, known: ExploreContinuation | None) -> Iterator[str]:
    """What the user should know of a run that is over, and before which so many rounds had been played."""
    from ..run.notes import free_text_notes

    yield from free_text_notes(run.stream.schema(), run.place)
    if known is not None and known.source is None and known.last == run.last and before and not before % run.place:
        yield f"the model had learned the rows of {run.stream.name} already, as it seems"
    if log is not None and before:
        yield (
            f"{log} has the {run.rounds - before:,} rounds of this run; the {before:,} before it are in the log of the "
            "run that played them, of which nothing is left if that was killed"
        )


def _names(run: ExploreRun) -> list[str]:
    """What the features are called: their numbers where they have no names."""
    names = run.stream.feature_names() or [str(column) for column in range(run.columns)]
    return names[: run.columns]


def _read_model(path: str) -> tuple[ContextualBandit, ExploreContinuation]:
    """A model that ``explore`` wrote.

    Raises
    ------
    ModelError
        If it is none.
    """
    from ..errors import ModelError
    from ..persist.model import read
    from ..run.explore import ExploreContinuation

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
    from ..errors import ParameterError
    from .parameters import fault_text, make_learner, read_settings

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
    from ..memory import refuse_large
    from ..run.explore import block_size

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


# Lines, JSON and report.

SCHEMA = "regretless.explore/1"
WIDTH = 34  # of names
MOST = 12  # lines of actions
AGAINST_ARMS = "observable_by_features"
POLICY = "linear policy in hindsight"
APPROXIMATE = {
    "cost": "least squares of every action's cost, and the least of them taken: the best linear policy costs no more",
    "reward": "least squares of every action's reward, and the largest taken: the best linear policy earns no less",
}
UNSEEN = "that these rounds are none that the model had learned from before"  # nothing in a file shows it
SHOWN_ELSEWHERE = ("arms", "seed", "regressor")  # parameters that are shown in other places


class ExploreOutput(Output):
    """A run that is over.

    Attributes
    ----------
    run : ExploreRun
    path : str
        The file, as the user called it.
    seconds : float
        How long the learning took.
    hindsight : HindsightCosts or None
        What the rounds would have cost with all costs known; None where that is not computed.
    certificates : list of Certificate
    """

    certificates: list[Certificate]

    def __init__(self, run: ExploreRun, path: str, seconds: float) -> None:
        self.run, self.path, self.seconds = run, path, seconds
        self.hindsight: HindsightCosts | None = None
        self.certificates = []

    def conclude(self, arguments: ExploreOptions, console: Console) -> int:
        """Look back, certify, write and print the result; the exit code."""
        run = self.run
        with certifying(lambda: whole_run_message(run)):
            if not run.earlier:
                from ..run.explore import hindsight

                console.doing("the rounds are read again for the policy in hindsight")
                self.hindsight = hindsight(run.stream, run.columns, run.rounds)
                console.settle()
            self.certificates = self._certified()
        self.publish(arguments, console, arguments.report, log=arguments.log, model=run.save)
        return verdict(self.certificates)

    @property
    def logged(self) -> bool:
        """Whether the rounds were those of a log."""
        return self.run.stream.logged

    @property
    def quantity(self) -> str:
        """What is learned of an action: its cost, or its reward."""
        return self.run.tally.quantity

    def _certified(self) -> list[Certificate]:
        """What theorems say of the run; in a trial the regret against the best action was observed."""
        from dataclasses import replace

        tally = self.run.tally
        if self.logged:
            return [replace(one, assuming=self._assuming) for one in tally.certify()]
        regret = tally.best_cost - tally.cost if tally.rewards else tally.cost - tally.best_cost
        own = self.run.learner.certify()
        seen = [replace(one, observed=regret) if one.theorem.name == AGAINST_ARMS else one for one in own]
        return [*seen, *tally.certify()]

    @property
    def _assuming(self) -> str | None:
        """What an interval takes for granted of a log: in a second pass over it, a model would know what comes."""
        return UNSEEN if self.logged and self.run.earlier else None

    # For programs.

    def describe(self) -> dict[str, Any]:
        """The result as JSON values."""
        import numpy as np

        run, learner, tally = self.run, self.run.learner, self.run.tally
        actions, word = tally.actions, self.quantity
        values = {
            "schema": SCHEMA,
            "learner": learner.name,
            "parameters": parameters_of(learner, SHOWN_ELSEWHERE) | {"value_range": list(learner.value_range)},
            "regressor": learner.regressor_.name,
            "seed": learner.seed_,
            "logged": self.logged,
            "rounds": run.rounds,
            "actions": actions,
            "features": run.columns,
            word: tally.cost,
            "interval": None if tally.interval is None else list(tally.interval),
            "best_action": actions[tally.best],
            f"best_action_{word}": tally.best_cost,
            f"hindsight_policy_{word}": None if self.hindsight is None else self.hindsight.policy_cost,
            f"action_{word}s": dict(zip(actions, tally.each.tolist(), strict=True)),
            "awake": dict(zip(actions, tally.awake.tolist(), strict=True)),
            "taken": dict(zip(actions, tally.taken.tolist(), strict=True)),
            "least_probability": tally.least,
            "halvings": np.trim_zeros(tally.halves, "b").tolist(),
        }
        return {
            **values,
            **(self._estimates() if self.logged else {}),
            **certificate_values(self.certificates),
            **({"trace": [one.describe(word) for one in run.traced]} if run.trace else {}),
            "curve": [list(point) for point in run.whole_curve],
            "model": None if run.save is None else os.fspath(run.save),
            "notes": [*run.stream.notes, *tally.notes],
            "input": {"path": self.path, "rows": run.place, "skipped": run.stream.skipped, **run.stream.describe()},
            "seconds": self.seconds,
        }

    def _estimates(self) -> dict[str, Any]:
        """Of a log: what the learner would have paid, and how much that is worth."""
        tally: Any = self.run.tally
        return {
            f"logged_{self.quantity}": tally.logged,
            "estimates": {name: value for name, value, _ in self._means()},
            "effective_rounds": tally.effective,
            "largest_weight": tally.largest,
            "shares": dict(zip(tally.actions, (tally.shares / max(tally.rounds, 1)).tolist(), strict=True)),
        }

    def _means(self) -> list[tuple[str, float | None, str]]:
        """Of a log: estimates of the mean cost or reward of a round, by their short names and in words."""
        tally: Any = self.run.tally
        rounds = max(tally.rounds, 1)
        normal = tally.weighted / tally.weights if tally.weights else None
        return [
            ("ips", tally.weighted / rounds, "inverse propensity"),
            ("snips", normal, "self-normalised"),
            ("dr", tally.robust / rounds, "doubly robust"),
        ]

    def _of_page(self) -> dict[str, float | None]:
        """The log's own mean, and what is estimated of the learner's."""
        tally: Any = self.run.tally
        own = tally.logged / tally.rounds if tally.rounds else None
        return {f"mean {self.quantity} of the log": own} | {words: value for _, value, words in self._means()}

    # For people.

    def lines(self) -> Iterator[str]:
        """Lines for people before the certificates."""
        run, tally = self.run, self.run.tally
        counts = f"{many(run.rounds, 'round')}, {many(len(tally.actions), 'action')}, {many(run.columns, 'feature')}"
        yield f"{run.learner.name}: {counts}, seed {run.learner.seed_}"
        yield from decision_lines(run.traced, _names(run) if run.traced else [], self.quantity)
        yield from self._of_log() if self.logged else self._of_trial()
        yield from self._actions()
        yield from self._probabilities()

    def _of_trial(self) -> Iterator[str]:
        tally: Any = self.run.tally
        rounds = self.run.rounds
        low, high = tally.interval
        words = f"expected {number_text(low)} to {number_text(high)} a round, {self._level} after any number of rounds"
        yield _line(self.quantity, tally.cost, rounds, f"  {words}")
        yield _line(f"best single action {label_text(tally.actions[tally.best])}", tally.best_cost, rounds)
        if self.hindsight is not None:
            yield _line(POLICY, self.hindsight.policy_cost, rounds, f"  {APPROXIMATE[self.quantity]}")
        else:
            yield f"  {POLICY:<{WIDTH}} {'-':>14}  {self._unseen()}"

    def _unseen(self) -> str:
        """Why there is no policy in hindsight."""
        run = self.run
        if run.earlier:
            return f"not known: {many(run.earlier, 'round')} before those of this file cannot be read again"
        if not run.stream.rereadable:
            return "not known: the rounds can be read only once"
        return f"not computed, for there are {run.columns:,} features"

    def _of_log(self) -> Iterator[str]:
        tally: Any = self.run.tally
        yield f"  {f'mean {self.quantity} of the log':<{WIDTH}} {number_text(tally.logged / tally.rounds):>14}"
        for _, value, words in self._means():
            yield f"  {f'of the learner, {words}':<{WIDTH}} {'-' if value is None else number_text(value):>14}"
        ends = "refused" if tally.interval is None else " to ".join(map(number_text, tally.interval))
        often = f"{self._level} after any number of rounds"
        often += "" if self._assuming is None else f", assuming {self._assuming}"
        often = often if tally.interval is not None else f"{self.certificates[0].why}"
        yield f"  {'of the learner, from and to':<{WIDTH}} {ends:>14}  {often}"
        best = tally.best_cost / tally.rounds
        name = short(f"best action {label_text(tally.actions[tally.best])}", WIDTH)
        yield f"  {name:<{WIDTH}} {number_text(best):>14}  taken in {many(int(tally.taken[tally.best]), 'round')}"
        worth = f"worth {number_text(round(tally.effective))} rounds of equal weights"
        yield f"  {worth}; the largest weight is {tally.largest:.4g}"
        yield from (f"  note: {note}" for note in tally.notes)

    @property
    def _level(self) -> str:
        return f"with probability {100 * (1 - self.run.tally.delta):g}%"

    def _actions(self) -> Iterator[str]:
        """The actions that were taken most, and what each would have cost."""
        import numpy as np

        tally: Any = self.run.tally
        rounds = tally.rounds
        head = f"{'in the log':>14} {'by the learner':>14}" if self.logged else f"{'taken':>14}"
        yield f"{'actions':<{WIDTH + 2}} {head} {f'{self.quantity} a round':>14}"
        for place in np.argsort(-tally.taken, kind="stable")[:MOST].tolist():
            shares = [tally.taken[place] / rounds, *([tally.shares[place] / rounds] if self.logged else [])]
            cells = " ".join(f"{100 * share:>13.4g}%" for share in shares)
            name = short(label_text(tally.actions[place]), WIDTH)
            mean = float(tally.means[place])
            yield f"  {name:<{WIDTH}} {cells} {'-' if np.isnan(mean) else number_text(mean):>14}"
        yield from more_lines(len(tally.actions), MOST)

    def _probabilities(self) -> Iterator[str]:
        """With which probabilities the actions were taken."""
        tally: Any = self.run.tally
        counted = tally.halves.tolist()
        each = [
            f"{count:,} above {2.0 ** -(place + 1):.4g}" for place, count in enumerate(counted[:-1]) if count
        ]  # fmt: skip
        yield f"probabilities of the actions taken: {', '.join(each)}; the least is {tally.least:.4g}"

    def write_page(self, path: str) -> None:
        """Write the report."""
        from ..report import ExploreReport, page_of_explore, write_report

        run, tally = self.run, self.run.tally
        report = ExploreReport(
            title=title_of(run.learner, run.stream.name),
            learner=run.learner.name,
            parameters=parameters_of(run.learner, SHOWN_ELSEWHERE) | {"seed": run.learner.seed_},
            source={"path": self.path, "rows": run.rounds, "features": run.columns},
            tally=tally,
            logged=self.logged,
            rewards=tally.rewards,
            curve=run.whole_curve,
            hindsight=self.hindsight,
            estimates=self._of_page() if self.logged else {},
            certificates=self.certificates,
            seconds=self.seconds,
        )
        write_report(path, page_of_explore(report))


def _line(name: str, total: float, rounds: int, more: str = "") -> str:
    return f"  {short(name, WIDTH):<{WIDTH}} {number_text(total):>14}, {number_text(total / rounds)} a round{more}"
