"""``regretless pull``: many runs of a bandit over a table of losses, with the regret of each."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from ..catalogue import BANDITS, DEFAULT_BANDIT, bandit_class
from ..data.formats import LOSSES
from ..errors import RegretlessError
from ..report.terminal import many, more_lines, number_text, short
from ..run.trace_lines import TRACED, draw_lines
from . import options
from .arguments import ReportOptions
from .files import refuse_model, refuse_overwriting
from .logs import TABLES, LogColumnOptions, add_columns
from .output import (
    Console,
    Ended,
    Output,
    UsageError,
    certificate_values,
    complain,
    explain,
    parameters_of,
    runs_of,
    spread,
    title_of,
    verdict,
)
from .parameters import ADVISED, BanditMaker, BanditSettings
from .signals import run_until_signal

if TYPE_CHECKING:
    from ..bandits.base import Bandit
    from ..bandits.simulation import Pulls
    from ..certificate import Certificate
    from ..data.arm_advice import Advice
    from ..data.losses import LossTable
    from ..play.tracing import TracedDraw


RUNS = 100

HELP = "draw arms whose losses are learned one by one, many times over, and certify the regret"
DESCRIPTION = (
    "A row is a round, a column an arm; where a loss is missing the arm sleeps. In each round the learner draws an arm "
    "and sees that one's loss alone. The table is played many times, with other random numbers each time. Printed are "
    "the losses, the regret against the best arm, every theorem on it, and how many of the runs exceed what it says."
)


class PullOptions(BanditSettings, LogColumnOptions, ReportOptions):
    """Of `pull`, over a table, or over the log that `logged` names."""

    file: str | None
    arms: list[str]
    array: str | None
    missing: float | None
    format: str | None
    runs: int | None
    workers: int | None
    trace: int | None
    logged: str | None
    policy: str | None


def add_arguments(parser: ArgumentParser) -> None:
    """The verb's options."""
    parser.add_argument(
        "file",
        metavar="FILE",
        nargs="?",
        help="losses, or - for standard input; text may be compressed (.gz .xz .zst .bz2)",
    )
    _add_table(parser)
    _add_learning(parser)
    _add_runs(parser)
    _add_log(parser)
    _add_output(parser)


def _add_table(parser: ArgumentParser) -> None:
    group = parser.add_argument_group("reading the file")
    options.add_range(group, "where all losses are known to lie; by default 0 1")
    group.add_argument("--rewards", action="store_true", help="the table holds rewards: more is better")
    options.add_names(
        group, "--arms", "the arms' columns; by default all columns of numbers, but one that counts the rows"
    )
    group.add_argument("--array", metavar="NAME", help="npz: the array of losses, if there are several")
    group.add_argument(
        "--missing", type=float, metavar="VALUE", help="a number that stands for an arm that sleeps, as nan does"
    )
    options.add_format(group, LOSSES)


def _add_learning(parser: ArgumentParser) -> None:
    group = parser.add_argument_group("drawing")
    options.add_learner(group, BANDITS, f"{', '.join(BANDITS)}; by default {DEFAULT_BANDIT}")
    group.add_argument(
        "--delta", type=options.share, metavar="D", help="the probability with which a certificate may fail (0.05)"
    )
    options.add_anytime(group)
    options.add_set(group)
    group.add_argument(
        "--advice",
        metavar="FILE",
        help=f"{ADVISED}: a table with a column for each expert, who names an arm in every row; "
        "or probabilities (.npz)",
    )


def _add_runs(parser: ArgumentParser) -> None:
    group = parser.add_argument_group("runs")
    group.add_argument("--runs", type=options.whole, metavar="R", help=f"how often to play the table ({RUNS})")
    group.add_argument("--seed", type=options.seed, metavar="S", help="of the random numbers (0)")
    group.add_argument(
        "--workers", type=options.whole, metavar="W", help="how many runs at a time; by default one a processor"
    )


def _add_log(parser: ArgumentParser) -> None:
    group = parser.add_argument_group("a log of another policy's draws, instead of a table; see regretless evaluate")
    group.add_argument("--logged", metavar="FILE", help="a row a round: the action taken, its propensity, its reward")
    add_columns(group)
    group.add_argument(
        "--policy",
        metavar="FILE",
        help="evaluate this policy instead of a learner: a table of action and probability, and of the context",
    )


def _add_output(parser: ArgumentParser) -> None:
    group = parser.add_argument_group("output")
    options.add_report(group)
    options.add_trace(group, TRACED, "of the first run, the probabilities, the draw, its loss and the estimates")
    options.add_watching(group)


def run(arguments: PullOptions) -> int:
    """Play, certify, report."""
    if arguments.logged is not None:
        return _evaluate(arguments, arguments.logged)

    path = arguments.file
    if path is None:
        raise UsageError("a FILE of losses is missing, or --logged FILE; see regretless pull --help")
    _refuse_contradictions(arguments, path)
    maker = BanditMaker(arguments)
    table = _read(arguments, path)
    for note in () if arguments.quiet else table.notes:
        complain(note)
    advice = _advice(arguments, table)
    learner = maker.learner(len(table.values), table.arms)
    console = options.console_of(arguments)
    pulls, stopped = _play(arguments, learner, table, advice, console)
    outcome = PullOutput(pulls, path, None if advice is None else advice.experts, _runs(arguments))
    if arguments.trace is not None:
        from ..environments import Table
        from ..play.tracing import trace_draws

        rounds = min(arguments.trace, len(table.values))
        values = None if advice is None else advice.values
        outcome.trace = trace_draws(learner, Table(table.values, table.arms), rounds, advice=values)
    outcome.publish(arguments, console, arguments.report)
    code = verdict(outcome.certificates)
    if stopped is not None:
        raise Ended(f"interrupted; this is about {pulls.runs} of {_runs(arguments)} runs", stopped)
    return code


def _read(arguments: PullOptions, path: str) -> LossTable:
    from ..data.losses import Wanted, read_losses

    low, high = options.range_of(arguments.range)
    named = options.names_of(arguments.arms)
    wanted = Wanted(named, arguments.array, arguments.missing, low, high, arguments.rewards)
    with options.usage_errors("arms", "array", "format"):
        return read_losses(path, wanted, format=arguments.format)


def _advice(arguments: PullOptions, table: LossTable) -> Advice | None:
    if arguments.advice is None:
        return None
    from ..data.arm_advice import read_advice

    return read_advice(arguments.advice, table.arms, len(table.values))


def _play(
    arguments: PullOptions, learner: Bandit, table: LossTable, advice: Advice | None, console: Console
) -> tuple[Pulls, int | None]:
    """The runs that were over, and the exit code of the signal if one came before all of them were."""
    from ..bandits.simulation import simulate
    from ..environments import Table

    rounds, runs = len(table.values), _runs(arguments)

    def play(stop: Callable[[], bool]) -> Pulls:
        return simulate(
            learner,
            Table(table.values, table.arms),
            runs=runs,
            advice=None if advice is None else advice.values,
            workers=arguments.workers,
            on_rounds=lambda played: console.rounds(played, f"{played // rounds:,} of {runs:,} runs, "),
            stop=stop,
        )

    def failed(error: Exception) -> RegretlessError:
        if isinstance(error, MemoryError):
            return RegretlessError(f"memory is exhausted by {runs:,} runs; use fewer (--runs)")
        return RegretlessError(explain(error, table.name))

    return run_until_signal(play, console, stopped=lambda: "interrupted before the first run was over", failed=failed)


def _runs(arguments: PullOptions) -> int:
    return RUNS if arguments.runs is None else int(arguments.runs)


def _evaluate(arguments: PullOptions, path: str) -> int:
    """``pull --logged``, which is `evaluate` by the options of this verb."""
    from .evaluate import EvaluateOptions
    from .evaluate import run as evaluate

    of_tables = {
        "a table of losses": arguments.file,
        "--arms": arguments.arms,
        "--array": arguments.array,
        "--missing": arguments.missing,
        "--advice": arguments.advice,
    }
    options.refuse_set(of_tables, "and --logged exclude each other")
    if arguments.rewards and arguments.losses:
        raise UsageError("--rewards and --losses contradict each other")
    if arguments.policy is not None and arguments.learner is not None:
        raise UsageError("--policy and --learner exclude each other: one of them is evaluated")
    if arguments.policy is not None:
        options.refuse_set({"--anytime": arguments.anytime}, "is for a learner, and --policy is none")
    if arguments.format is not None and arguments.format not in TABLES:
        raise UsageError(f"--format {arguments.format}: a log is {', '.join(TABLES)}")
    learner = None if arguments.policy is not None else arguments.learner or DEFAULT_BANDIT
    if arguments.anytime:
        info = bandit_class(learner or DEFAULT_BANDIT).info
        if info.needs_horizon:
            refused = f"--learner {info.name} cannot be played with --anytime"
            raise UsageError(f"{refused}: it is tuned for a number of rounds, and has no rates that fall")
        raise UsageError("--anytime is how a log is replayed; --set horizon=N tells the learner a number of rounds")
    policies = [] if arguments.policy is None else [arguments.policy]
    own: dict[str, Any] = {"file": path, "learner": learner, "policy": policies, "actions": []}
    same = {name: getattr(arguments, name) for name in EvaluateOptions.fields() if name not in own}
    return evaluate(EvaluateOptions(**own, **same))


def _refuse_contradictions(arguments: PullOptions, path: str) -> None:
    """Refuse options that contradict each other, before anything is read or written."""
    of_logs = {
        "--action": arguments.action,
        "--reward": arguments.reward,
        "--propensity": arguments.propensity,
        "--least-propensity": arguments.least_propensity,
        "--losses": arguments.losses,
        "--policy": arguments.policy,
        "--context": arguments.context,
    }
    options.refuse_set(of_logs, "is about a log, and --logged FILE names none")
    if arguments.arms and not any(options.names_of(arguments.arms) or ()):
        raise UsageError("--arms names no column; leave it out for all columns of numbers")
    options.range_of(arguments.range)
    refuse_model(path, "regretless inspect shows it, and a table of losses is expected here")
    inputs = [path, *([arguments.advice] if arguments.advice is not None else [])]
    if inputs.count("-") > 1:
        raise UsageError("FILE and --advice cannot both be standard input")
    refuse_overwriting(inputs, [arguments.report])


# Lines, JSON and report.

SCHEMA = "regretless.pull/1"
MOST = 12  # lines of arms
WIDTH, WIDEST = 34, 56  # of names
MOST_RUNS = 5000  # whose own bounds are in JSON
OBSERVABLE = "observable"
QUANTILES = {"q05": 0.05, "q50": 0.5, "q95": 0.95}
ELSEWHERE = ("arms", "run")  # parameters that are not shown: the file has the arms, and every run its own number


class PullOutput(Output):
    """Runs that are over.

    Attributes
    ----------
    pulls : Pulls
    path : str
        The file, as the user called it.
    experts : list of str or None
        Their names, where experts advise.
    asked : int
        How many runs were asked for; fewer are over if they were interrupted.
    certificates : list of Certificate
    trace : list of TracedDraw or None
        The first rounds of the first run, if they are wanted.
    """

    certificates: list[Certificate]

    def __init__(self, pulls: Pulls, path: str, experts: list[str] | None, asked: int) -> None:
        self.pulls, self.path, self.experts, self.asked = pulls, path, experts, asked
        self.certificates = [one if experts is None else _named(one, experts) for one in pulls.certificates()]
        self.trace: list[TracedDraw] | None = None

    def write_page(self, path: str) -> None:
        """Write the report."""
        from dataclasses import replace

        from ..report import page_of_pulls, write_report

        low, high = self.pulls.learner.value_range
        source = {
            "path": self.path,
            "rows": self.pulls.rounds,
            "arms": len(self.pulls.arms),
            "range": f"{number_text(low)} to {number_text(high)}",
        }
        title = title_of(self.pulls.learner, self.path)
        known = {name: value for name, value in self.parameters.items() if value is not None}
        report = self.pulls.report(title, source, parameters=known, certificates=self.certificates)
        write_report(path, page_of_pulls(replace(report, asked=self.asked)))

    # For programs.

    @property
    def parameters(self) -> dict[str, Any]:
        """The learner's, as JSON values."""
        counts = {"n_arms": len(self.pulls.arms)} | ({} if self.experts is None else {"n_experts": len(self.experts)})
        return parameters_of(self.pulls.learner, ELSEWHERE) | counts

    def describe(self) -> dict[str, Any]:
        """The result as JSON values."""
        pulls = self.pulls
        quantiles = pulls.quantiles(*QUANTILES.values()).tolist()
        values = {
            "schema": SCHEMA,
            "learner": pulls.learner.name,
            "parameters": self.parameters,
            "runs": pulls.runs,
            "rounds": pulls.rounds,
            "arms": len(pulls.arms),
            "loss": spread(pulls.losses),
            "pseudo_regret": pulls.pseudo_regret,
            "regret": {"mean": float(pulls.regrets.mean()), **dict(zip(QUANTILES, quantiles, strict=True))},
            "best_arm": pulls.best_arm,
            "best_arm_loss": pulls.best_arm_loss,
            **certificate_values(self.certificates, runs=runs_of),
            "observable": self._observable(),
            "seconds": pulls.seconds,
            "seed": pulls.learner.seed_,
            "draws": dict(zip(pulls.arms, pulls.draws.tolist(), strict=True)),
        }
        if self.trace is not None:
            values |= {"trace": [one.describe() for one in self.trace]}
        if pulls.rewards is not None:
            values |= {"reward": spread(pulls.rewards), "best_arm_reward": pulls.best_arm_reward}
        if self.best_expert is not None:
            name, total = self.best_expert
            values |= {"best_expert": name, f"best_expert_{'loss' if pulls.rewards is None else 'reward'}": total}
        return values

    def _observable(self) -> dict[str, list[float]] | None:
        """The regret of each run beside what it could say of it without having seen it."""
        curve = self.pulls.certificate_curve
        if curve is None or not any(one.applies for one in self.certificates if one.theorem.name == OBSERVABLE):
            return None
        bounds = curve[:MOST_RUNS, -1]
        return {"regret": self.pulls.regrets[: len(bounds)].tolist(), "bound": bounds.tolist()}

    @property
    def best_expert(self) -> tuple[str, float] | None:
        """The expert whose advice would have lost least, and its loss; None without advice."""
        import numpy as np

        hindsight = self.pulls.plan.hindsight
        if self.experts is None or hindsight is None:
            return None
        place = int(np.argmin(hindsight.advised))
        return self.experts[place], self.pulls.plan.scale.total(float(hindsight.advised[place]), self.pulls.rounds)

    # For people.

    def lines(self) -> Iterator[str]:
        """Lines for people before the certificates."""
        if self.trace is not None:
            yield from draw_lines(self.trace, self.pulls.runs)
        yield from self._runs()
        yield from self._arms()
        yield from self._regrets()

    def _runs(self) -> Iterator[str]:
        pulls, rewards = self.pulls, self.pulls.rewards
        counts = f"{many(pulls.runs, 'run')} of {many(pulls.rounds, 'round')}, {many(len(pulls.arms), 'arm')}"
        yield f"{pulls.learner.name}: {counts}, seed {pulls.learner.seed_}"
        word = "loss" if rewards is None else "reward"
        totals = pulls.losses if rewards is None else rewards
        mean, best = float(totals.mean()), pulls.best_arm_loss if rewards is None else pulls.best_arm_reward
        about = f", standard deviation {number_text(float(totals.std(ddof=1)))}" if pulls.runs > 1 else ""
        each = f"{number_text(mean / pulls.rounds)} a round{about}"
        yield f"  {f'{word} of a run':<{WIDTH}} {number_text(mean):>14}, {each}"
        if pulls.best_arm is not None and best is not None:
            yield f"  {short(f'best arm {pulls.best_arm}', WIDTH):<{WIDTH}} {number_text(best):>14}"
        if self.best_expert is not None:
            name, loss = self.best_expert
            yield f"  {short(f'best expert {name}', WIDTH):<{WIDTH}} {number_text(loss):>14}"
        yield f"  {'pseudo-regret':<{WIDTH}} {number_text(pulls.pseudo_regret):>14}"

    def _arms(self) -> Iterator[str]:
        """The arms that were drawn most, and what each would have cost."""
        import numpy as np

        pulls, hindsight = self.pulls, self.pulls.plan.hindsight
        scale, word = pulls.plan.scale, "loss" if pulls.rewards is None else "reward"
        yield f"{'arms':<{WIDTH + 2}} {'drawn':>14} {f'{word} a round':>14}"
        for place in np.argsort(-pulls.draws, kind="stable")[:MOST].tolist():
            awake = pulls.rounds - hindsight.asleep[place] if hindsight is not None else 0
            own = (
                number_text(scale.total(hindsight.losses[place], awake) / awake)
                if hindsight is not None and awake
                else "-"
            )
            yield f"  {short(pulls.arms[place], WIDTH):<{WIDTH}} {100 * pulls.draws[place]:>13.4g}% {own:>14}"
        yield from more_lines(len(pulls.arms), MOST)

    def _regrets(self) -> Iterator[str]:
        """The regret, and under it what each theorem allows."""
        rows, shares = [(*row, "") for row in self._seen()], self._shares()
        for certificate in self.certificates:
            if not certificate.applies or certificate.bound is None:
                continue
            over: dict[str, Any] = getattr(certificate, "runs", {})
            bounds = [over["bound"][name] for name in shares] if over else [certificate.bound] * len(shares)
            rows.append((certificate.theorem.title, bounds, f"  {_exceeded(certificate, over)}"))
        width = min(max(WIDTH, *(len(name) for name, *_ in rows)), WIDEST)
        several = self.pulls.runs > 1
        heads = " ".join(f"{head:>14}" for head in (("5%", "median", "95%") if several else ("at the end",)))
        yield f"{'over the runs' if several else 'in the run':<{width + 2}} {heads}  exceeded in"
        for name, values, often in rows:
            numbers = " ".join(f"{number_text(value):>14}" for value in values)
            yield f"  {short(name, width):<{width}} {numbers}{often}"

    def _shares(self) -> dict[str, float]:
        """The quantiles that are shown; one run has a single number."""
        return QUANTILES if self.pulls.runs > 1 else {"q50": QUANTILES["q50"]}

    def _seen(self) -> list[tuple[str, list[float]]]:
        """The regrets against all that it can be counted against, by their quantiles."""
        import numpy as np

        pulls, shares = self.pulls, list(self._shares().values())
        sequences = [
            (f"regret against {alike[0].label}", [pulls.plan.scale.width * one.regret for one in alike])
            for alike in zip(*pulls.comparators(), strict=True)
            if alike[0].name == "best_sequence"
        ]
        quantiles = [(name, np.quantile(regrets, shares).tolist()) for name, regrets in sequences]
        return [("regret against best arm" if quantiles else "regret", pulls.quantiles(*shares).tolist()), *quantiles]


def _named(certificate: Certificate, experts: list[str]) -> Certificate:
    """The certificate with the name of the expert in place of its number."""
    known = certificate.comparator
    if known is None or known.name != "best_expert" or known.place is None:
        return certificate
    from dataclasses import replace

    name = experts[known.place]
    return replace(certificate, comparator=replace(known, label=f"best expert {name}", detail={"expert": name}))


def _exceeded(certificate: Certificate, over: dict[str, Any]) -> str:
    """In how many of the runs; what holds in expectation is about their mean."""
    if certificate.theorem.kind == "expected":
        if getattr(certificate, "few", False):
            return "one draw alone" if certificate.theorem.presumes else "too few runs"
        return "mean within" if certificate.holds else "mean above"
    if not over:
        return "0 of 1" if certificate.holds else "1 of 1"
    return "-" if over["exceeded"] is None else f"{over['exceeded']} of {over['of']}"
