"""Small games of bandits for the pages that show them, played by the textbook's Exp3-IX."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from math import inf, log, nan, sqrt
from types import SimpleNamespace
from typing import Any

import numpy as np

from regretless.bandits.off_policy.estimates import Estimate
from regretless.report import LoggedReport, PullCurves, PullReport

from ..report.test_report import certificate


@cache
def game(arms: int = 5, rounds: int = 2000, runs: int = 100, gap: float = 0.2, seed: int = 7) -> dict[str, Any]:
    """Runs of Exp3-IX over one table of losses: regrets, certificates and mean probabilities at some rounds."""
    chance = np.random.default_rng(seed)
    means = np.linspace(0.6 - gap, 0.6, arms)
    table = (chance.random((rounds, arms)) < means).astype(float)
    gamma = sqrt(log(max(arms, 2)) / (2 * arms * rounds))
    estimates, faced, own = np.zeros((runs, arms)), np.zeros(runs), np.zeros((runs, arms))
    marks = sorted({round(rounds ** (k / 59)) for k in range(60)})
    rest: dict[str, list[Any]] = {"regret": [], "certificate": [], "probabilities": []}
    for t in range(rounds):
        weights = np.exp(-2 * gamma * (estimates - estimates.min(1, keepdims=True)))
        p = weights / weights.sum(1, keepdims=True)
        drawn = np.minimum((p.cumsum(1) < chance.random((runs, 1))).sum(1), arms - 1)
        at = (np.arange(runs), drawn)
        estimates[at] += table[t, drawn] / (p[at] + gamma)
        own[at] += 1
        faced += table[t, drawn]
        if t + 1 in marks:
            rest["regret"].append(faced - table[: t + 1].sum(0).min())
            rest["certificate"].append(faced - estimates.min(1) + log(max(arms, 2) / 0.05) / (2 * gamma))
            rest["probabilities"].append(p.mean(0))
    return {
        "table": table, "marks": marks, "faced": faced, "draws": own.mean(0) / rounds, "gamma": gamma,
        **{name: np.array(rows) for name, rows in rest.items()},
    }  # fmt: skip


def course(played: dict[str, Any], **changes: Any) -> PullCurves:
    """How the runs of a game went."""
    rounds, (_, arms) = played["marks"], played["table"].shape
    levels = {"q05": 0.05, "q25": 0.25, "q50": 0.5, "q75": 0.75, "q95": 0.95}
    few = min(arms, 12)
    shares = {f"arm{k}": played["probabilities"][:, k].tolist() for k in range(few)}
    if arms > few:
        shares["others"] = played["probabilities"][:, few:].sum(1).tolist()
    eta, level = 2 * played["gamma"], log(max(arms, 2))
    made = PullCurves(
        rounds=rounds,
        regret={name: np.quantile(played["regret"], q, axis=1).tolist() for name, q in levels.items()},
        bounds={
            "Pseudo-regret of Exp3": [level / eta + eta * arms * t / 2 for t in rounds],
            "Regret of Exp3-IX": [level / eta + eta * arms * t + log(40) + log(40 * arms) / eta for t in rounds],
        },
        certificate=np.median(played["certificate"], axis=1).tolist(),
        probabilities=shares,
    )
    return replace(made, **changes)


def counted(name: str, exceeded: int, **values: Any) -> SimpleNamespace:
    """A certificate that was asked of a hundred runs."""
    made = certificate(name, quantity="regret", kind="probable", confidence=0.95, **values)
    bound = values["bound"]
    made.runs = {"of": 100, "exceeded": exceeded, "bound": {"q05": 0.8 * bound, "q50": 0.9 * bound, "q95": bound}}
    return made


class Exp3IX:
    """Stands in for the learner, of which a page has the name."""


OF_REPORT = ("title", "course", "parameters", "source", "certificates", "against", "asked")


def pulls(played: dict[str, Any] | None = None, **changes: Any) -> PullReport:
    """A report with something in every part of it, with changes of it or of the runs."""
    played = played or game()
    rounds, arms = played["table"].shape
    losses = played["table"].sum(0)
    regrets = played["regret"][-1]
    mean, high = float(regrets.mean()), float(np.quantile(regrets, 0.95))
    facts = course(played)
    expected, probable = (values[-1] for values in facts.bounds.values())
    assert expected is not None
    assert probable is not None
    runs: dict[str, Any] = {
        "learner": Exp3IX(),
        "rounds": rounds,
        "runs": len(regrets),
        "arms": [f"arm{k}" for k in range(arms)],
        "loss": float(played["faced"].mean()),
        "loss_deviation": float(played["faced"].std()),
        "reward": None,
        "regrets": regrets,
        "pseudo_regret": mean,
        "best_arm": f"arm{losses.argmin()}",
        "best_arm_loss": float(losses.min()),
        "best_arm_reward": None,
        "draws": played["draws"],
        "arm_losses": losses,
        "asleep": None,
        "seconds": 0.0123,
    }
    values: dict[str, Any] = {
        "title": "Exp3IX on losses.csv",
        "course": facts,
        "parameters": {"delta": 0.05, "horizon": rounds, "seed": 0},
        "source": {"path": "losses.csv", "rows": rounds, "arms": arms, "range": (0, 1)},
        "certificates": [
            counted("observable", 0, observed=high, bound=float(facts.certificate[-1] or 0.0)),
            counted("exp3_ix", 1, observed=high, bound=probable),
            certificate("exp3_pseudo_regret", quantity="regret", kind="expected", observed=mean, bound=expected),
            certificate("exp3_p", quantity="regret", kind="probable", why="the rule is not that of Exp3.P"),
        ],
    }
    runs |= {name: value for name, value in changes.items() if name not in OF_REPORT}
    values |= {name: value for name, value in changes.items() if name in OF_REPORT}
    return PullReport(pulls=SimpleNamespace(**runs), **values)


def odd() -> dict[str, PullReport]:
    """Runs in which something is missing, zero, infinite, negative, far away or alone."""
    played = game()
    known = course(played)
    many = len(known.rounds)
    unseen = certificate("observable", quantity="regret", kind="probable", confidence=0.95, observed=1.0, bound=812.5)
    unseen.observed, unseen.holds = None, True
    below = {name: [-0.4 * t for t in known.rounds] for name in known.regret}
    return {
        "no rounds": pulls(rounds=0, course=PullCurves(), draws=np.full(5, nan), regrets=[]),
        "one round": pulls(game(3, 1, 4)),
        "one run": pulls(game(5, 300, 1)),
        "one arm": pulls(game(1, 200, 10)),
        "few runs": pulls(game(4, 400, 12)),
        "many arms": pulls(game(60, 500, 30)),
        "no course": pulls(course=PullCurves()),
        "equal regrets": pulls(regrets=[12.5] * 40),
        "regrets of zero": pulls(regrets=[0.0] * 40),
        "regrets far from zero": pulls(regrets=[1e6 + k for k in range(90)]),
        "an outlying regret": pulls(regrets=[1.0 + k / 50 for k in range(99)] + [5000.0]),
        "regrets that are no numbers": pulls(regrets=[nan, inf, 1.0, 2.0, -3.0]),
        "negative regret": pulls(course=replace(known, regret=below), regrets=[-800.0 - k for k in range(100)]),
        "an enormous bound": pulls(course=replace(known, bounds={"Far": [1e300] * many})),
        "an infinite bound": pulls(course=replace(known, bounds={"Endless": [inf] * many}, certificate=())),
        "a bound at the end alone": pulls(course=replace(known, bounds={"Tuned": [None] * (many - 1) + [400.0]})),
        "many bounds": pulls(
            course=replace(known, bounds={f"B{k}": [9.0 * k + t for t in known.rounds] for k in range(9)})
        ),
        "unobserved": pulls(
            certificates=[unseen], pseudo_regret=nan, best_arm=None, best_arm_loss=None, regrets=[nan] * 100,
            arm_losses=None, course=replace(known, regret={}),
        ),
        "sleeping arms": pulls(asleep=[100.0, 2000.0, 0.0, 7.0, 0.0]),
        "rewards": pulls(reward=1203.5, best_arm_reward=1400.0),
        "no curve and no certificate": pulls(game(2, 3, 1), course=PullCurves(), certificates=[]),
    }  # fmt: skip


@dataclass(frozen=True)
class StandInLog:
    """A log without its rounds."""

    names: tuple[str, ...] = tuple(f"item{k}" for k in range(34))
    losses: bool = False
    rounds: int = 10_000

    def __len__(self) -> int:
        return self.rounds


def estimate(value: float, low: float, high: float, n: int, cautious: tuple[float, float] | None = None) -> Estimate:
    """An estimate from enough rounds."""
    return Estimate(value, low, high, n, "normal", cautious=cautious)


def logged(title: str = "Exp3IX on log.csv", certificates: Any = (), **changes: Any) -> LoggedReport:
    """Estimates of a learner from a log; changes are of the evaluation."""
    values: dict[str, Any] = {
        "log": StandInLog(),
        "estimates": {
            "replay": estimate(0.0057, 0.0031, 0.0091, 1012),
            "ips": estimate(0.0049, 0.0021, 0.0083, 10_000),
            "snips": estimate(0.0051, 0.0022, 0.0080, 10_000),
            "dr": estimate(0.0052, 0.0026, 0.0078, 10_000),
            "anytime": estimate(0.0055, 0.002, 0.009, 10_000),
        },
        "logged": estimate(0.0038, 0.0026, 0.0050, 10_000),
        "effective": 9000.5,
        "largest": 2.5,
        "runs": 1,
        "delta": 0.05,
        "learners": ["Exp3IX"],
        "draws": np.arange(34, 0, -1) / 595,
        "logged_draws": np.full(34, 1 / 34),
        "seconds": 0.5,
        "notes": [],
        "course": lambda: [(10, 0.0, 0.9, False), (1000, 0.001, 0.03, False), (10_000, 0.002, 0.009, True)],
    }
    return LoggedReport(
        title=title,
        evaluation=SimpleNamespace(**values | changes),
        learner="exp3-ix",
        parameters={"delta": 0.05},
        source={"path": "log.csv", "rows": 10_000, "action": "item", "reward": "click", "propensity": "p"},
        certificates=certificates,
    )


def odd_logs() -> dict[str, LoggedReport]:
    """Logs of which something is missing, enormous or alone."""
    known = logged().evaluation.estimates
    return {
        "no estimates": logged(estimates={}),
        "one estimate": logged(estimates={"dr": estimate(0.5, -inf, inf, 1)}),
        "an enormous interval": logged(estimates={**known, "ips": estimate(0.02, -3.5, 4.0, 10_000)}),
        "equal estimates": logged(
            estimates={key: estimate(1.0, 1.0, 1.0, 5) for key in known}, logged=estimate(1.0, 1.0, 1.0, 5)
        ),
        "long numbers": logged(
            estimates={key: estimate(-514091.0, -549743.0, -478440.0, 300) for key in known},
            logged=estimate(-520864.0, -553600.0, -488127.0, 300),
        ),
        "an infinite interval": logged(estimates={**known, "replay": estimate(0.005, -inf, inf, 0)}),
        "losses": logged(log=StandInLog(losses=True)),
        "a policy": logged(learners=[]),
        "all that can be known": logged(
            runs=10, effective=812.25, largest=34.0, notes=["The log is thin."],
            certificates=odd()["unobserved"].certificates,
            estimates={**known, "dr": estimate(0.0052, 0.0026, 0.0078, 10_000, (0.0011, 0.0123))},
        ),
        "an unknown estimator": logged(estimates={**known, "switch-dr": estimate(0.0045, 0.003, 0.006, 9)}),
    }  # fmt: skip
