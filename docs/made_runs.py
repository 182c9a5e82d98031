"""Short runs of all learners on made data, certified as they go: what the pictures of their pages are drawn from.

Every learner plays a stream of its kind, in blocks; after each block all its theorems are read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from math import isfinite
from typing import Any

import numpy as np

from regretless.bandits import simulate
from regretless.catalogue import TABLES, Kind, class_of
from regretless.certificate import Certificate
from regretless.environments import Bernoulli
from regretless.finite_classes import FiniteClass
from regretless.theorem import Theorem

Point = tuple[int, float, float]  # rounds, what was observed, the bound
Lines = Iterable[Certificate]


@dataclass
class Run:
    """What the theorems said in the course of one run.

    Attributes
    ----------
    learner : str
        Who played.
    stream : str
        What was played, in words.
    across : str
        What is counted from left to right.
    points : dict
        By the name of a theorem's page, after how many rounds what was observed and what the bound was.
    theorems : dict
        By the same names.
    """

    learner: str
    stream: str
    across: str = "Rounds"
    points: dict[str, list[Point]] = field(default_factory=dict)
    theorems: dict[str, Theorem] = field(default_factory=dict)

    def read(self, rounds: int, lines: Lines, page: Callable[[Theorem], str]) -> None:
        """Note the lines that apply and have a number to be seen.

        Raises
        ------
        RuntimeError
            If a bound that is sure does not hold: a site with such a picture is not built.
        """
        for line in lines:
            if line.theorem.kind == "sure" and line.applies and not line.holds:
                raise RuntimeError(f"{self.learner}, {self.across.lower()} {rounds}: {line}")
            if line.applies and line.observed is not None and isfinite(line.observed) and isfinite(line.bound or 0.0):
                name = page(line.theorem)
                self.theorems[name] = line.theorem
                self.points.setdefault(name, []).append((rounds, float(line.observed), float(line.bound or 0.0)))


def marks(last: int, count: int = 14) -> list[int]:
    """Round counts at which theorems are read."""
    return sorted({int(one) for one in np.linspace(last / count, last, count)})


# What learners cannot do without, or whose theorems want it; else they are as by default.
SETTINGS: dict[tuple[str, str], dict[str, Any]] = {
    ("linear", "winnow"): {"rate": 0.5},
    ("linear", "margin-perceptron"): {"until_clean": False},
    ("experts", "randomized-weighted-majority"): {"horizon": 1000},
    ("bandits", "exp3"): {"horizon": 2000},
    ("bandits", "exp3-ix"): {"horizon": 2000},
    ("bandits", "exp3-s"): {"horizon": 2000, "switches": 0},
    ("bandits", "exp4"): {"horizon": 2000, "n_experts": 3},
    ("bandits", "thompson"): {"posterior": "gaussian"},
}


def settings(kind: Kind, name: str) -> dict[str, Any]:
    """Those of a learner, with a horizon where a bandit needs one."""
    needed = {"horizon": 2000} if kind == "bandits" and class_of(kind, name).info.needs_horizon else {}
    return needed | SETTINGS.get((kind, name), {})


# Theorems that are about other settings are shown by these.
VARIANTS: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("linear", "passive-aggressive", {"variant": "PA"}),
    ("linear", "passive-aggressive", {"variant": "PA-II"}),
    ("linear", "winnow", {"gamma": 0.05}),
    ("linear", "perceptron", {"initial": [0.1, 0.1, 0.0, 0.0]}),
    ("linear", "kernel-perceptron", {"kernel": "rbf", "budget": 8}),
    ("linear", "online-gradient-descent", {"radius": 10.0, "schedule": "inverse-sqrt"}),
    ("linear", "aggregated", {"share": False}),
    ("experts", "hedge", {"horizon": 1000, "value_range": (0.0, 1.0)}),
    ("experts", "ewa", {"eta": 0.5, "value_range": (0.0, 1.0)}),
    ("experts", "randomized-weighted-majority", {"beta": 0.5}),
)


def labels(name: str, more: dict[str, Any]) -> Iterator[tuple[int, Lines]]:
    """A learner of weights: 400 rows of unit length that some vector separates with a margin of 0.15."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(4000, 4))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    score = X @ [0.6, 0.6, 0.4, np.sqrt(0.12)]
    X, y = X[np.abs(score) > 0.15][:400], np.sign(score[np.abs(score) > 0.15][:400])
    learner, done = class_of("linear", name)(**more), 0
    for rounds in marks(len(X)):
        learner.partial_fit(X[done:rounds], y[done:rounds], classes=[-1, 1])
        done = rounds
        yield rounds, learner.certify(X[:rounds], y[:rounds])


def numbers(name: str, more: dict[str, Any]) -> Iterator[tuple[int, Lines]]:
    """A learner of numbers: 600 rows, of which a linear function and noise make the outcomes."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(600, 3))
    y = X @ [2.0, -1.0, 0.5] + 3 + rng.normal(size=600)
    learner, done = class_of("regression", name)(**more), 0
    for rounds in marks(len(X)):
        learner.partial_fit(X[done:rounds], y[done:rounds])
        done = rounds
        yield rounds, learner.certify(X[:rounds], y[:rounds])


def advice() -> tuple[Any, Any]:
    """Forecasts of five experts between 0 and 1, and the outcomes."""
    rng = np.random.default_rng(2)
    outcomes, sizes = rng.random(1000), np.array([0.1, 0.2, 0.3, 0.4, 0.5])
    noise = np.vstack([np.tile(sizes[::-1], (300, 1)), np.tile(sizes, (700, 1))])  # the best is the worst at first
    return np.clip(outcomes[:, None] + rng.normal(size=(1000, 5)) * noise, 0, 1), outcomes


def combined(name: str, more: dict[str, Any]) -> Iterator[tuple[int, Lines]]:
    """A combiner: 1,000 forecasts of five experts; votes, for those that count mistakes; price relatives for `eg`."""
    forecasts, outcomes = advice()
    if "majority" in name:
        forecasts, outcomes = (forecasts > 0.5) * 1.0, (outcomes > 0.5) * 1.0
    elif name == "eg":
        forecasts, outcomes = np.exp(0.1 * (forecasts - 0.5)), None
    elif name == "hedge":
        forecasts, outcomes = (forecasts - outcomes[:, None]) ** 2, None
    ranged = {} if "majority" in name or name == "eg" else {"value_range": (0.0, 1.0)}
    learner, done = class_of("experts", name)(**(ranged | more)), 0
    for rounds in marks(len(forecasts)):
        block = slice(done, rounds)
        learner.play(forecasts[block], None if outcomes is None else outcomes[block])
        done = rounds
        yield rounds, learner.certify(forecasts[:rounds], None if outcomes is None else outcomes[:rounds])


def drawn(name: str, more: dict[str, Any]) -> Iterator[tuple[int, Lines]]:
    """A bandit: 30 runs of 2,000 rounds of three coins, of which one loses in 3 rounds of 10 and the others in 5."""
    learner, runs = class_of("bandits", name)(3, seed=0, **more), 30
    for rounds in marks(2000, 8):
        advice = {"advice": np.tile([0, 1, 2], (rounds, 1))} if learner.info.advised else {}
        pulls = simulate(learner, Bernoulli([0.3, 0.5, 0.5]), rounds=rounds, runs=runs, **advice)
        yield rounds, pulls.certificates()


def by_features(name: str, more: dict[str, Any]) -> Iterator[tuple[int, Lines]]:
    """A contextual bandit: 1,000 rows of two features, on which the losses of three arms depend."""
    rng = np.random.default_rng(3)
    X = rng.uniform(0, 1, (1000, 2))
    means = 0.2 + 0.6 * np.column_stack([X[:, 0], X[:, 1], 1 - X.mean(axis=1)])
    losses = np.clip(means + 0.1 * rng.normal(size=means.shape), 0, 1)
    learner, done, taken = class_of("contextual", name)(3, seed=0, **more), 0, np.empty(0)
    for rounds in marks(len(X)):
        taken = np.append(taken, learner.play(X[done:rounds], losses[done:rounds]).losses)
        done = rounds
        regret = float(taken.sum() - losses[:rounds].sum(axis=0).min())
        yield rounds, [replace(one, observed=regret) for one in learner.certify() if one.quantity == "regret"]


def hypotheses(name: str, more: dict[str, Any]) -> Iterator[tuple[int, Lines]]:
    """A learner of a finite class: 60 random points of 40 thresholds, one of which gives the labels."""
    thresholds, rng = FiniteClass.named("thresholds:40"), np.random.default_rng(4)
    learner = class_of("class", name)(thresholds, **more)
    for rounds, point in enumerate(rng.integers(0, 40, 60), 1):
        learner.predict(int(point))
        learner.update(int(thresholds.matrix[27, point]))
        yield rounds, learner.certify()


OF = {
    "linear": labels,
    "regression": numbers,
    "experts": combined,
    "bandits": drawn,
    "contextual": by_features,
    "class": hypotheses,
}


def run_of(kind: str, name: str, more: dict[str, Any], page: Callable[[Theorem], str]) -> Run:
    """A run of a learner with these settings."""
    words = " ".join((OF[kind].__doc__ or "").split()).partition(": ")[2]
    text = ", ".join(f"{key}={value}" for key, value in more.items())
    run = Run(f"{name} with {text}" if more else name, words)
    for rounds, lines in OF[kind](name, more):
        run.read(rounds, lines, page)
    return run


def runs_of_learners(page: Callable[[Theorem], str]) -> dict[tuple[str, str], Run]:
    """A run of each learner, by its kind and name."""
    names = [(kind, name) for kind in OF for name in TABLES[kind]]
    return {(kind, name): run_of(kind, name, settings(kind, name), page) for kind, name in names}


def runs_of_variants(page: Callable[[Theorem], str]) -> list[Run]:
    """Runs with the settings that some theorems are about."""
    return [run_of(kind, name, more, page) for kind, name, more in VARIANTS]
