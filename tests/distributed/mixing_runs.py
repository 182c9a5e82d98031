"""Mixing in plain numpy, round by round, with the books that theorems are read on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import log, sqrt
from typing import Any

import numpy as np

from regretless.comparator import Comparator
from regretless.ledger import FIELDS, Ledger
from regretless.theory.facts import LinearFacts
from regretless.theory.mixing_facts import MixedFacts, MixedLedger

Array = np.ndarray[Any, Any]
Shards = Sequence[tuple[Array, Array]]
LOSSES: dict[str, tuple[Callable[[float], float], Callable[[float], float]]] = {  # of a margin: value and slope
    "hinge": (lambda m: max(0.0, 1 - m), lambda m: -1.0 if m < 1 else 0.0),
    "squared-hinge": (lambda m: max(0.0, 1 - m) ** 2, lambda m: -2 * max(0.0, 1 - m)),
    "square": (lambda m: (1 - m) ** 2, lambda m: -2 * (1 - m)),
    "logistic": (lambda m: float(np.logaddexp(0, -m)), lambda m: -1 / (1 + np.exp(m))),
}


@dataclass
class Player:
    """One rule: the dual coordinates are what moves and what is mixed; the weights follow from them."""

    loss: str = "perceptron"
    schedule: str = "constant"
    rate: float = 1.0
    radius: float = np.inf
    limit: float = 1.0
    link: Callable[[Array], Array] = lambda theta: theta
    reach: float = 0.0
    measure: Callable[[Array], float] = lambda x: 0.0

    def shard(self, theta: Array, X: Array, y: Array, clock: Ledger) -> tuple[Array, Ledger]:
        """The dual coordinates after all rows, and the book, which tells the clock's share too."""
        theta, book = theta.copy(), dict.fromkeys(FIELDS, 0.0)
        for name in ("rounds", "slope2", "max_norm2"):
            book[name] = getattr(clock, name)
        for x, label in zip(X, y, strict=True):
            self._round(theta, x, label, book)
        return theta, Ledger(**book)

    def _round(self, theta: Array, x: Array, label: int, book: dict[str, float]) -> None:
        w = self.link(theta)
        norm2, score = float(x @ x), float(w @ x)
        margin = label * score
        book["rounds"] += 1
        book["mistakes"] += (1 if score >= 0 else -1) != label
        book["total_norm2"] += norm2
        book["max_norm2"] = max(book["max_norm2"], norm2)
        book["reach2"] = max(book["reach2"], float(w @ w))
        if self.loss == "perceptron":
            book["loss"] += max(0.0, -margin)
            slope = -1.0 if margin <= 0 else 0.0
        else:
            value, derivative = LOSSES[self.loss]
            book["loss"] += value(margin)
            slope = derivative(margin)
        if slope == 0:
            return
        book["update_norm2"] += norm2
        self.reach = max(self.reach, self.measure(x))
        step = self._step(value(margin) if self.schedule.startswith("pa") else 0.0, slope, norm2, book)
        theta += step * label * x
        length = float(np.linalg.norm(theta))
        if length > self.radius:
            theta *= self.radius / length

    def _step(self, loss: float, slope: float, norm2: float, book: dict[str, float]) -> float:
        """How much of y x the weights move by."""
        aggressive = self.schedule.startswith("pa")
        book["slope2"] += loss * loss if aggressive else slope * slope * norm2
        rate = self._rate(loss, norm2, book)
        book["step2"] += rate * (2 * loss - rate * norm2) if aggressive else rate * slope * slope * norm2
        if rate == 0:
            return 0.0
        book["updates"] += 1
        book["first_rate"] = book["first_rate"] or rate
        book["last_rate"] = rate
        return rate if aggressive else -rate * slope

    def _rate(self, loss: float, norm2: float, book: dict[str, float]) -> float:
        if self.schedule == "constant":
            return self.rate
        if self.schedule == "inverse-sqrt":
            return self.rate / sqrt(book["rounds"])
        if self.schedule in ("self-tuned", "scale-free"):
            longest = sqrt(book["max_norm2"]) if self.schedule == "scale-free" else 1.0
            return self.rate / sqrt(book["slope2"]) / longest if book["slope2"] > 0 else 0.0
        if norm2 == 0:
            return 0.0
        most = {"pa": np.inf, "pa-1": self.limit, "pa-2": np.inf}[self.schedule]
        return min(most, loss / (norm2 + (0.5 / self.limit if self.schedule == "pa-2" else 0.0)))


@dataclass
class Run:
    """The results of some epochs."""

    theta: Array
    ledger: MixedLedger
    shares: Array
    weighting: str
    least: float
    clean: bool

    def facts(self, player: LinearFacts) -> MixedFacts:
        """What the theorems of mixing ask."""
        return MixedFacts(player, self.weighting, self.ledger.together, self.least)

    def plain(self, weights: Array) -> dict[str, float]:
        """The fields that all facts have."""
        return {"norm": float(np.linalg.norm(weights)), "width": float(len(weights) + 1)}


def mixed(
    player: Player,
    shards: Shards,
    epochs: int,
    weighting: str = "uniform",
    until_clean: bool = False,
    together: int | None = None,
) -> Run:
    """Play some epochs, or until one has no update."""
    columns = shards[0][0].shape[1]
    theta, ledger, clock = np.zeros(columns), MixedLedger(), Ledger()
    shares = np.zeros(len(shards))
    rows = np.array([len(X) for X, _ in shards], dtype=float)
    clean = False
    size = together or len(shards)
    groups = [range(begin, min(begin + size, len(shards))) for begin in range(0, len(shards), size)]
    for _ in range(epochs):
        books: list[Ledger] = []
        mus: list[float] = []
        for group in groups:
            theta, clock, its_books, mu = mixing(player, [shards[i] for i in group], theta, clock, weighting)
            books, mus = books + its_books, mus + mu
        ledger, shares = ledger.after(mus, books, together), shares + mus
        clean = not any(book.updates for book in books)
        if clean and until_clean:
            break
    each = [rows[list(group)].min() / rows[list(group)].sum() for group in groups]
    return Run(theta, ledger, shares, weighting, float(min(each)) if weighting == "rows" else 1 / size, clean)


def mixing(
    player: Player, shards: Shards, theta: Array, clock: Ledger, weighting: str
) -> tuple[Array, Ledger, list[Ledger], list[float]]:
    """Some shards from the same weights: the mean, where the clock goes on, the books and mu."""
    parts = [player.shard(theta, X, y, clock) for X, y in shards]
    books = [own(book, clock) for _, book in parts]
    by = {
        "uniform": [1.0 for _ in shards],
        "updates": [book.updates for book in books],
        "rows": [float(len(X)) for X, _ in shards],
    }[weighting]
    mu = [weight / sum(by) if sum(by) else 0.0 for weight in by]
    if any(mu):
        theta = sum(share * ended for share, (ended, _) in zip(mu, parts, strict=True))
    names = ("rounds", "slope2", "max_norm2")
    clock = Ledger(**{name: max(getattr(book, name) for _, book in parts) for name in names})
    return theta, clock, books, mu


def own(book: Ledger, clock: Ledger) -> Ledger:
    """A shard's book without what the clock began with."""
    from dataclasses import replace

    return replace(book, rounds=book.rounds - clock.rounds, slope2=book.slope2 - clock.slope2)


def against(run: Run, shards: Shards, v: Array, loss: str = "", **more: float) -> Comparator:
    """A vector read the slow way: each shard counts as often as its weights did."""
    margins = [y * (X @ v) for X, y in shards]
    hinge = [np.maximum(0, 1 - m) for m in margins]
    squares = [(X**2).sum(1) for X, _ in shards]

    def weighted(each: Sequence[Array]) -> float:
        return float(sum(share * part.sum() for share, part in zip(run.shares, each, strict=True)))

    charged = [np.array([LOSSES[loss][0](m) for m in part]) for part in margins] if loss else []
    return Comparator(
        name="slow",
        norm=float(np.linalg.norm(v)),
        hinge=weighted(hinge),
        squared_hinge=weighted([h**2 for h in hinge]),
        loss=weighted(charged) if loss else None,
        least=float(min(m.min() for m in margins)),
        rounds=weighted([np.ones(len(m)) for m in margins]),
        max_norm2=float(max(s.max() for s in squares)),
        total_norm2=weighted(squares),
        vector=v,
        played=run.ledger.plain.rounds,
        **more,
    )


def power_link(p: float) -> Callable[[Array], Array]:
    """The weights of a p-norm perceptron."""

    def link(theta: Array) -> Array:
        norm = float((np.abs(theta) ** p).sum()) ** (1 / p)
        if norm == 0:
            return theta
        return np.asarray(np.sign(theta) * np.abs(theta) ** (p - 1) / norm ** (p - 2))

    return link


def simplex_link(theta: Array) -> Array:
    """Winnow's weights."""
    weights = np.exp(theta - theta.max())
    return np.asarray(weights / weights.sum())


def divergence(v: Array) -> float:
    """Of the shares of a vector without negative entries from uniform weights."""
    shares = v[v > 0] / v.sum()
    return max(0.0, log(len(v)) + float(shares @ np.log(shares)))


def split(X: Array, y: Array, sizes: Sequence[int]) -> list[tuple[Array, Array]]:
    """Consecutive rows as shards."""
    ends = np.cumsum(sizes)
    return [(X[end - size : end], y[end - size : end]) for size, end in zip(sizes, ends, strict=True)]
