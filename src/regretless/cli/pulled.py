"""What came of many runs of a bandit, for people, for programs and for a report."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from .console import Console
from .output import certificate_line, coloured, plain, write_json

if TYPE_CHECKING:
    from ..bandits.simulation import Pulls
    from ..theorem import Certificate

SCHEMA = "regretless.pull/1"
MOST = 12  # lines of arms
WIDTH = 34  # of names
QUANTILES = {"q05": 0.05, "q50": 0.5, "q95": 0.95}
GIVEN = ("arms", "run")  # parameters that stand elsewhere: the file has the arms, and every run its own number


@dataclass
class Pulled:
    """Runs that are over.

    Attributes
    ----------
    pulls : Pulls
    path : str
        What was played, as the user called it.
    experts : list of str or None
        Who gave advice.
    certificates : list of Certificate
    """

    pulls: Pulls
    path: str
    experts: list[str] | None
    certificates: list[Certificate]

    @classmethod
    def of(cls, pulls: Pulls, path: str, experts: list[str] | None) -> Pulled:
        """The runs beside what theorems say of them."""
        found = pulls.certificates()
        return cls(pulls, path, experts, found if experts is None else [_named(one, experts) for one in found])

    def publish(self, arguments: Namespace, console: Console) -> None:
        """Write the report, and print everything even if that fails."""
        try:
            if arguments.report is not None:
                self._write_page(arguments.report)
        finally:
            self._print(json=arguments.json)
        if arguments.report is not None:
            console.line(f"report: {os.fspath(arguments.report)}")

    def _write_page(self, path: str) -> None:
        from ..report import write_pull_report

        low, high = self.pulls.learner.value_range
        source = {
            "path": self.path,
            "rows": self.pulls.rounds,
            "arms": len(self.pulls.arms),
            "range": f"{_number(low)} to {_number(high)}",
        }
        title = f"{type(self.pulls.learner).__name__} on {os.path.basename(self.path)}"
        known = {name: value for name, value in self.parameters.items() if value is not None}
        report = self.pulls.report(title, source, parameters=known, certificates=self.certificates)
        write_pull_report(path, report)

    def _print(self, *, json: bool) -> None:
        if json:
            write_json(self.describe())
        else:
            for line in self._lines():
                print(line)
            colour = coloured(sys.stdout)
            for certificate in self.certificates:
                print(certificate_line(certificate, colour))
        sys.stdout.flush()

    # For programs.

    @property
    def parameters(self) -> dict[str, Any]:
        """The learner's, as JSON values."""
        found = {name: plain(value) for name, value in self.pulls.learner.get_params().items() if name not in GIVEN}
        counts = {"n_arms": len(self.pulls.arms)} | ({} if self.experts is None else {"n_experts": len(self.experts)})
        return found | counts

    def describe(self) -> dict[str, Any]:
        """The outcome as JSON values."""
        pulls = self.pulls
        quantiles = pulls.quantiles(*QUANTILES.values()).tolist()
        found = {
            "schema": SCHEMA,
            "learner": pulls.learner.name,
            "parameters": self.parameters,
            "runs": pulls.runs,
            "rounds": pulls.rounds,
            "arms": len(pulls.arms),
            "loss": _spread(pulls.losses),
            "pseudo_regret": pulls.pseudo_regret,
            "regret": {"mean": float(pulls.regrets.mean()), **dict(zip(QUANTILES, quantiles, strict=True))},
            "best_arm": pulls.best_arm,
            "best_arm_loss": pulls.best_arm_loss,
            "certificates": [certificate.describe() for certificate in self.certificates],
            "seconds": pulls.seconds,
            "seed": pulls.learner.seed_,
            "draws": dict(zip(pulls.arms, pulls.draws.tolist(), strict=True)),
        }
        if pulls.rewards is not None:
            found |= {"reward": _spread(pulls.rewards), "best_arm_reward": pulls.best_arm_reward}
        if self.best_expert is not None:
            name, total = self.best_expert
            found |= {"best_expert": name, f"best_expert_{'loss' if pulls.rewards is None else 'reward'}": total}
        return found

    @property
    def best_expert(self) -> tuple[str, float] | None:
        """Whose advice would have lost least, and what, where experts advise."""
        seen = self.pulls.plan.seen
        if self.experts is None or seen is None:
            return None
        place = int(np.argmin(seen.advised))
        return self.experts[place], self.pulls.plan.scale.total(float(seen.advised[place]), self.pulls.rounds)

    # For people.

    def _lines(self) -> Iterator[str]:
        yield from self._runs()
        yield from self._arms()
        yield from self._regrets()

    def _runs(self) -> Iterator[str]:
        pulls, rewards = self.pulls, self.pulls.rewards
        counts = f"{_many(pulls.runs, 'run')} of {_many(pulls.rounds, 'round')}, {_many(len(pulls.arms), 'arm')}"
        yield f"{pulls.learner.name}: {counts}, seed {pulls.learner.seed_}"
        word = "loss" if rewards is None else "reward"
        totals = pulls.losses if rewards is None else rewards
        mean, best = float(totals.mean()), pulls.best_arm_loss if rewards is None else pulls.best_arm_reward
        about = f", standard deviation {_number(float(totals.std(ddof=1)))}" if pulls.runs > 1 else ""
        yield f"  {f'{word} of a run':<{WIDTH}} {_number(mean):>14}, {_number(mean / pulls.rounds)} a round{about}"
        if pulls.best_arm is not None and best is not None:
            yield f"  {_short(f'best arm {pulls.best_arm}'):<{WIDTH}} {_number(best):>14}"
        if self.best_expert is not None:
            name, loss = self.best_expert
            yield f"  {_short(f'best expert {name}'):<{WIDTH}} {_number(loss):>14}"
        yield f"  {'pseudo-regret':<{WIDTH}} {_number(pulls.pseudo_regret):>14}"

    def _arms(self) -> Iterator[str]:
        """The arms that were drawn most, and what each would have cost."""
        pulls, seen = self.pulls, self.pulls.plan.seen
        scale, word = pulls.plan.scale, "loss" if pulls.rewards is None else "reward"
        yield f"{'arms':<{WIDTH + 2}} {'drawn':>14} {f'{word} a round':>14}"
        for place in np.argsort(-pulls.draws, kind="stable")[:MOST].tolist():
            awake = pulls.rounds - seen.asleep[place] if seen is not None else 0
            own = _number(scale.total(seen.losses[place], awake) / awake) if seen is not None and awake else "-"
            yield f"  {_short(pulls.arms[place]):<{WIDTH}} {100 * pulls.draws[place]:>13.4g}% {own:>14}"
        if len(pulls.arms) > MOST:
            yield f"  and {len(pulls.arms) - MOST:,} more"

    def _regrets(self) -> Iterator[str]:
        """The regret, and under it what each theorem allows."""
        pulls = self.pulls
        yield f"{'over the runs':<{WIDTH + 2}} {'5%':>14} {'median':>14} {'95%':>14}  exceeded in"
        yield _row("regret", pulls.quantiles(*QUANTILES.values()).tolist())
        for certificate in self.certificates:
            if not certificate.applies or certificate.bound is None:
                continue
            over: dict[str, Any] = getattr(certificate, "runs", {})
            bounds = [over["bound"][name] for name in QUANTILES] if over else [certificate.bound] * len(QUANTILES)
            yield f"{_row(certificate.theorem.title, bounds)}  {_exceeded(certificate, over)}"


def _named(certificate: Certificate, experts: list[str]) -> Certificate:
    """The certificate with the name of the expert whom the learner knows by number."""
    known = certificate.comparator
    if known is None or known.name != "best_expert" or known.place is None:
        return certificate
    name = experts[known.place]
    return replace(certificate, comparator=replace(known, label=f"best expert {name}", detail={"expert": name}))


def _exceeded(certificate: Certificate, over: dict[str, Any]) -> str:
    """In how many of the runs; what holds in expectation is about their mean."""
    if certificate.theorem.kind == "expected":
        return "mean within" if certificate.holds else "mean above"
    if not over:
        return "0 of 1" if certificate.holds else "1 of 1"
    return "-" if over["exceeded"] is None else f"{over['exceeded']} of {over['of']}"


def _row(name: str, numbers: Sequence[float]) -> str:
    return f"  {_short(name):<{WIDTH}} " + " ".join(f"{_number(number):>14}" for number in numbers)


def _spread(totals: Any) -> dict[str, float | None]:
    """Mean and standard deviation over the runs; one run has none."""
    return {"mean": float(totals.mean()), "sd": float(totals.std(ddof=1)) if len(totals) > 1 else None}


def _many(count: int, word: str) -> str:
    return f"{count:,} {word}{'s' if count != 1 else ''}"


def _number(value: float) -> str:
    return f"{value:,.6g}" if isfinite(value) else str(value)


def _short(name: str, most: int = WIDTH) -> str:
    flat = " ".join(name.split())
    return flat if len(flat) <= most else f"{flat[: most - 3]}..."
