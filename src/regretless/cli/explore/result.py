"""The result of `explore`: lines, JSON and report."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ...report.terminal import label_text, many, more_lines, number_text, short
from ...run.trace_lines import decision_lines
from ..arguments import ReportOptions, SavingOptions
from ..decisions import DecisionOptions
from ..output import Console, Output, certificate_values, parameters_of, title_of, verdict
from ..signals import certifying, whole_run_message

if TYPE_CHECKING:
    from ...certificate import Certificate
    from ...run.explore import ExploreRun, HindsightCosts


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


def names_of_features(run: ExploreRun) -> list[str]:
    """What the features are called: their numbers where they have no names."""
    names = run.stream.feature_names() or [str(column) for column in range(run.columns)]
    return names[: run.columns]


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
                from ...run.explore import hindsight

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
            "regressor_parameters": parameters_of(learner.regressor_),
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
            "model": run.save,
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
        yield from decision_lines(run.traced, names_of_features(run) if run.traced else [], self.quantity)
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
        from ...report import ExploreReport, page_of_explore, write_report

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
