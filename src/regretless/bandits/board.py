"""The arrays of a bandit: what the kernel moves, and the ledger that can be read off them."""

from __future__ import annotations

from dataclasses import dataclass
from math import nan
from typing import Any

import numpy as np

from .. import _core
from ..ledger import BanditLedger

Array = np.ndarray[Any, np.dtype[np.float64]]

FIELDS = tuple(_core.PULL_FIELDS)
MEMORY: int = _core.PULL_MEMORY
OPEN = MEMORY - 4  # place in the kernel's memory of whether a bare draw waits; its arm, probability and gamma follow
EPOCH_END = 2  # the place of the first draw with another rate
TALLIES = 4
DRAWS, LOSSES, MISSED, ASLEEP = range(TALLIES)  # rows of the tallies
ESTIMATES, IMPLICIT, WEIGHTS = range(3)  # rows of the state


@dataclass(frozen=True)
class Rules:
    """A composition, by the kernel's names.

    Attributes
    ----------
    rule, schedule : str
        How weights move, and whether the rate is constant or held on epochs.
    rate, gamma : float
        The learning rate and the implicit exploration, where they are constant.
    beta, explore, share : float
        The bonus and the exploration of Exp3.P, and the share that EXP3.S deals out again.
    reduced : bool
        Whether estimates are of reduced variance.
    """

    rule: str
    schedule: str = "anytime"
    rate: float = nan
    gamma: float = nan
    beta: float = 0.0
    explore: float = 0.0
    share: float = 0.0
    reduced: bool = False


@dataclass(frozen=True)
class Scale:
    """What a loss is, in the user's own units.

    Attributes
    ----------
    low, high : float
        The declared range.
    rewards : bool
        Whether more is better.
    """

    low: float
    high: float
    rewards: bool

    @property
    def width(self) -> float:
        """What a unit is worth."""
        return self.high - self.low

    def total(self, units: float, rounds: float) -> float:
        """The sum of what was reported, from the sum of its losses in units."""
        return self.high * rounds - self.width * units if self.rewards else self.low * rounds + self.width * units


class Board:
    """The state of one bandit.

    Parameters
    ----------
    arms, comparators : int
        How many arms there are, and how many the learner compares itself with: the same, or the experts.
    rules : Rules
    scale : Scale
    seed, run : int
        The key of the generator.
    """

    ARRAYS: tuple[str, ...] = ("state", "memory", "book", "tallies")

    def __init__(self, arms: int, comparators: int, rules: Rules, scale: Scale, seed: int, run: int) -> None:
        self.arms, self.comparators, self.rules, self.scale = arms, comparators, rules, scale
        self.seed, self.run = seed, run
        self.state = np.zeros((_core.puller_rows(rules.rule), comparators))
        self.memory = np.zeros(MEMORY)
        self.book = np.zeros(len(FIELDS))
        self.tallies = np.zeros((TALLIES, arms))
        if len(self.state) > WEIGHTS:
            self.state[WEIGHTS] = 1.0 / arms
        self.core: Any = self._core()

    def __getstate__(self) -> dict[str, Any]:
        """Everything but the compiled core, which borrows the arrays."""
        return {name: value for name, value in self.__dict__.items() if name != "core"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.core = self._core()
        self.core.rebuild()

    @property
    def rounds(self) -> int:
        """Draws that were made."""
        return int(self.book[0])

    def arrays(self) -> dict[str, Array]:
        """The arrays by name."""
        return {name: getattr(self, name) for name in self.ARRAYS}

    def copy(self) -> Board:
        """Another board in the same state."""
        other = Board(self.arms, self.comparators, self.rules, self.scale, self.seed, self.run)
        other.adopt(self.arrays())
        return other

    def adopt(self, arrays: dict[str, Array]) -> None:
        """Take over what `arrays` gave; the shapes must be the same.

        Raises
        ------
        ValueError
            If they are not.
        """
        for name in self.ARRAYS:
            mine, theirs = getattr(self, name), arrays[name]
            if theirs.shape != mine.shape or theirs.dtype != np.float64:
                raise ValueError(f"{name} has another shape or type than the learner asks for")
            mine[...] = theirs
        self.core.rebuild()

    def ledger(self) -> BanditLedger:
        """What was observed so far."""
        return BanditLedger(
            **dict(zip(FIELDS, self.book.tolist(), strict=True)),
            width=self.scale.width,
            draws=self.tallies[DRAWS].copy(),
            losses=self.tallies[LOSSES].copy(),
            missed=self.tallies[MISSED].copy(),
            asleep=self.tallies[ASLEEP].copy(),
            estimates=self.state[ESTIMATES].copy(),
            implicit=self.state[IMPLICIT].copy(),
        )

    def _core(self) -> Any:
        rules, scale = self.rules, self.scale
        return _core.Puller(
            rules.rule,
            rules.schedule,
            state=self.state,
            memory=self.memory,
            book=self.book,
            tallies=self.tallies,
            rate=rules.rate,
            gamma=rules.gamma,
            beta=rules.beta,
            explore=rules.explore,
            share=rules.share,
            reduced=rules.reduced,
            low=scale.low,
            high=scale.high,
            rewards=scale.rewards,
            arms=self.arms,
            seed=self.seed,
            run=self.run,
        )
