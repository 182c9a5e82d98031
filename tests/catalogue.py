"""Every learner of the catalogue, of any kind, ready to be tried: how it is made, and rounds for it."""

from __future__ import annotations

from dataclasses import dataclass
from inspect import signature
from typing import Any

import numpy as np
import pytest

from regretless.catalogue import EXPERT_LEARNERS, TABLES, Kind, bandit_class, class_of
from regretless.finite_classes import FiniteClass
from regretless.textbook import experts as rules

ROUNDS, COLUMNS = 120, 4

# What a learner cannot be made without, or what keeps a small trial short. All else is the learner's own default.
SETTINGS: dict[tuple[str, str], dict[str, Any]] = {
    ("linear", "margin-perceptron"): {"gamma": 0.05, "max_passes": 3},
    ("linear", "kernel-perceptron"): {"gamma": 0.1},
    ("experts", "randomized-weighted-majority"): {"beta": 0.5, "random_state": 3},
    ("experts", "aggregating"): {"value_range": (0, 1)},
    ("experts", "hedge"): {"loss": "square"},
    ("experts", "eg"): {"loss": "square"},
    ("bandits", "exp3-s"): {"switches": 2},
    ("class", "randomized-optimal"): {"random_state": 3},
}


# Combiners that give each expert a rate of its own, or none: the rule of the textbook, which takes no more than the
# prior and the span of the charges, by the combiner's name.
OWN_RATES = {
    name: getattr(rules, entry.info.twin)
    for name, entry in EXPERT_LEARNERS.items()
    if entry.info.linearizes and "span" in signature(getattr(rules, entry.info.twin)).parameters
}


@dataclass(frozen=True)
class Entry:
    """A learner of the catalogue.

    Attributes
    ----------
    kind, name : str
        As in `regretless.catalogue`.
    """

    kind: Kind
    name: str

    @property
    def settings(self) -> dict[str, Any]:
        """What it is made with."""
        if self.kind == "bandits":
            return {"n_arms": COLUMNS, "seed": 5} | needed_by(self.name, horizon=ROUNDS)
        settings = dict(SETTINGS.get((self.kind, self.name), {}))
        return settings | ({"n_arms": COLUMNS, "seed": 5} if self.kind == "contextual" else {})

    @property
    def cls(self) -> type[Any]:
        """Its class."""
        return class_of(self.kind, self.name)

    def made(self, **more: Any) -> Any:
        """A new one."""
        about = [finite_class()] if self.kind == "class" else []
        return self.cls(*about, **(self.settings | more))

    def learn(self, learner: Any, begin: int = 0, end: int = ROUNDS) -> Any:
        """The same learner, after these of its rounds."""
        part = slice(begin, end)
        if self.kind == "linear":
            X, y = rows()
            return learner.partial_fit(X[part], y[part], **({} if begin else {"classes": [-1, 1]}))
        if self.kind == "regression":
            X, y = numbers()
            return learner.partial_fit(X[part], y[part])
        if self.kind == "class":
            learner.play(*(column[part] for column in points()))
        elif self.kind == "contextual":
            learner.play(rows()[0][part], losses()[part])
        elif self.kind == "experts":
            learner.play(*(column[part] for column in forecasts(binary="majority" in self.name)))
        else:
            advice = {"advice": recommended()[part]} if self.cls.info.advised else {}
            learner.play(losses()[part], **advice)
        return learner


def needed_by(name: str, horizon: int = 400, n_experts: int = 3) -> dict[str, Any]:
    """What a bandit cannot be made without: a horizon, advisers, and what `SETTINGS` says."""
    info = bandit_class(name).info
    needed = {"horizon": horizon} if info.needs_horizon else {}
    needed |= {"n_experts": n_experts} if info.advised else {}
    return needed | SETTINGS.get(("bandits", name), {})


EVERY = pytest.mark.parametrize(
    "entry",
    [Entry(kind, name) for kind, table in TABLES.items() for name in table],
    ids=lambda entry: f"{entry.kind}-{entry.name}",
)


def rows() -> tuple[np.ndarray, np.ndarray]:
    """Two classes that a line divides but for a tenth of the labels."""
    random = np.random.default_rng(1)
    X = random.normal(size=(ROUNDS, COLUMNS))
    y = np.where(X @ random.normal(size=COLUMNS) > 0, 1, -1)
    return X, np.where(random.random(ROUNDS) < 0.1, -y, y)


def numbers() -> tuple[np.ndarray, np.ndarray]:
    """Rows, and numbers near a line."""
    random = np.random.default_rng(1)
    X = random.normal(size=(ROUNDS, COLUMNS))
    return X, X @ random.normal(size=COLUMNS) + 3 + random.normal(size=ROUNDS) / 2


def forecasts(*, binary: bool) -> tuple[np.ndarray, np.ndarray]:
    """What experts of different skill say from 0 to 1, or of bits, and what came."""
    random = np.random.default_rng(2)
    outcomes = random.random(ROUNDS)
    predictions = np.clip(outcomes[:, None] + random.normal(size=(ROUNDS, COLUMNS)) * [0.1, 0.2, 0.4, 0.8], 0, 1)
    return (np.round(predictions), np.round(outcomes)) if binary else (predictions, outcomes)


def losses() -> np.ndarray:
    """A table of losses from 0 to 1, of which one arm's are lower."""
    return np.random.default_rng(3).random((ROUNDS, COLUMNS)) * [1.0, 0.4, 1.0, 1.0]


def recommended() -> np.ndarray:
    """Which arm each of three experts names."""
    return np.random.default_rng(4).integers(0, COLUMNS, (ROUNDS, 3))


def finite_class() -> FiniteClass:
    """Thresholds on a line of eleven points."""
    return FiniteClass(np.arange(11)[None, :] >= np.arange(12)[:, None])


def points() -> tuple[np.ndarray, np.ndarray]:
    """Points of the line, and what one of the thresholds says of them."""
    column = np.random.default_rng(5).integers(0, 11, ROUNDS)
    return column, (column >= 4).astype(np.int64)
