"""The result of `pull`: lines, JSON and report."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ...report.terminal import many, more_lines, number_text, short
from ...run.trace_lines import draw_lines
from ..output import Output, certificate_values, parameters_of, runs_of, spread, title_of

if TYPE_CHECKING:
    from ...bandits.simulation import Pulls
    from ...certificate import Certificate
    from ...play.tracing import TracedDraw


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

        from ...report import page_of_pulls, write_report

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
