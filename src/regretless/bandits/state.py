"""The arrays of a bandit: what the kernel moves, and the ledger that can be read off them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import nan
from typing import Any, NamedTuple

import numpy as np

from .. import _core
from ..ledger import BanditLedger
from ..persist.validation import whole_numbers
from ..state import KernelState

Array = np.ndarray[Any, np.dtype[np.float64]]

FIELDS = tuple(_core.PULL_FIELDS)
MEMORY: int = _core.PULL_MEMORY
ROUNDS, SETTLED, LOSS = (FIELDS.index(name) for name in ("rounds", "settled", "loss"))
OWN = 6  # place in the kernel's memory of how many losses were neither 0 nor 1, of rules that count
OPEN = MEMORY - 4  # place in the kernel's memory of whether a bare draw waits; its arm, probability and gamma follow
EPOCH_BEGIN, EPOCH_END, RATE = 1, 2, 3  # places of the first draw with this rate and with another one, and of the rate
EXTRA, CLOSED_EXTRA = 7, 10  # and of what the arms that could be drawn add up to beside all arms in every round
TALLIES = 4
DRAWS, LOSSES, MISSED, ASLEEP = range(TALLIES)  # rows of the tallies
ESTIMATES, IMPLICIT, WEIGHTS = range(3)  # rows of the state
RESTRICTED = FIELDS.index("restricted")
COUNTS = [FIELDS.index(name) for name in ("rounds", "settled", "restricted", "late", "lost")]
LOST = FIELDS.index("lost")
SUM = 1e-9  # by how much probabilities, or shares of advice, may miss a sum of one
LENT = WEIGHTS  # of rules that lend: what of their estimates was credited to arms while they slept
KNOWN = WEIGHTS  # of rules that count: how many losses of each arm are known


class BanditRule(NamedTuple):
    """Facts of a rule; none has a default.

    Attributes
    ----------
    weighs : bool
        Whether the third row of the state holds weights, which sum to one and are equal at the start.
    lends : bool
        Whether it holds what of the estimates was credited to arms while they slept.
    counts : bool
        Whether it holds how many losses of each arm are known, and the first row their sums.
    exact : bool
        Whether a rate that falls is that of each round, though the implicit exploration be held on epochs.
    """

    weighs: bool
    lends: bool
    counts: bool
    exact: bool


RULES = {name: BanditRule(**facts) for name, facts in _core.PULL_RULES.items()}
"""By the kernel's names; each rule of the kernel says them of itself."""


@dataclass(frozen=True)
class BanditRules:
    """A composition, by the kernel's names.

    Attributes
    ----------
    rule, schedule : str
        How weights move, and whether the rate is "constant", "anytime" (held on epochs) or that of "every-round".
    rate, gamma : float
        The learning rate and the implicit exploration, where they are constant.
    beta, explore, share : float
        The bonus and the exploration of Exp3.P, and the share that EXP3.S deals out again.
    reduced : bool
        Whether estimates are of reduced variance.
    horizon : int
        The number of rounds, of MOSS.
    """

    rule: str
    schedule: str = "anytime"
    rate: float = nan
    gamma: float = nan
    beta: float = 0.0
    explore: float = 0.0
    share: float = 0.0
    reduced: bool = False
    horizon: int = 0

    @property
    def facts(self) -> BanditRule:
        """What is known of the rule; KeyError if nothing is."""
        return RULES[self.rule]


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


class BanditState(KernelState):
    """The state of one bandit.

    Parameters
    ----------
    arms, comparators : int
        How many arms there are, and how many the learner compares itself with: the same, or the experts.
    rules : BanditRules
    scale : Scale
    seed, run : int
        The key of the generator.
    first : int, optional
        How many arms there were at the first draw, if some came later: rates that fall are for so many.
    """

    def __init__(
        self,
        arms: int,
        comparators: int,
        rules: BanditRules,
        scale: Scale,
        seed: int,
        run: int,
        first: int | None = None,
    ) -> None:
        self.arms, self.comparators, self.rules, self.scale = arms, comparators, rules, scale
        self.first = arms if first is None else first
        self.seed, self.run = seed, run
        self.state = np.zeros((_core.puller_rows(rules.rule), comparators))
        self.memory = np.zeros(MEMORY)
        self.book = np.zeros(len(FIELDS))
        self.tallies = np.zeros((TALLIES, arms))
        if rules.facts.weighs:
            self.state[WEIGHTS] = 1.0 / arms
        self.core: Any = self._core()

    @classmethod
    def shapes(cls, rules: BanditRules, arms: int, comparators: int) -> dict[str, tuple[int, ...]]:
        """The shapes of the arrays of such a state."""
        return {
            "state": (_core.puller_rows(rules.rule), comparators),
            "memory": (MEMORY,),
            "book": (len(FIELDS),),
            "tallies": (TALLIES, arms),
        }

    @classmethod
    def refuse(cls, rules: BanditRules, arrays: Mapping[str, Array], waiting: int) -> None:
        """Refuse arrays that no run can have left, where so many draws wait for their losses.

        Raises
        ------
        ValueError
            Which says what is wrong.
        """
        state, memory, book, tallies = (arrays[name] for name in cls.ARRAYS)
        if not all(np.isfinite(array).all() for array in (state, book, tallies)) or np.isnan(memory).any():
            raise ValueError("its arrays hold something else than numbers")
        if not whole_numbers(book[COUNTS], tallies[[DRAWS, ASLEEP]], memory[[0, OPEN, OPEN + 1]]):
            raise ValueError("what counts draws is no whole number >= 0")
        if (book < 0).any() or (tallies < 0).any() or book[LOSS] > book[SETTLED] * (1 + SUM):
            raise ValueError("a sum of losses or rates lies outside what it can be")
        if book[ROUNDS] != book[SETTLED] + book[LOST] + waiting + memory[OPEN] or book[ROUNDS] != tallies[DRAWS].sum():
            raise ValueError("its draws do not add up")
        if rules.facts.weighs and not ((state[WEIGHTS] > 0).all() and abs(state[WEIGHTS].sum() - 1) < SUM):
            raise ValueError("its weights do not sum to one")
        if rules.facts.lends and not ((state[LENT] >= 0).all() and not state[LENT][tallies[ASLEEP] == 0].any()):
            raise ValueError("arms were credited for rounds in which they did not sleep")
        if rules.facts.counts:
            _refuse_counts(state[ESTIMATES], state[KNOWN], book[SETTLED], tallies[DRAWS])
            if not whole_numbers(memory[OWN : OWN + 1]) or memory[OWN] > book[SETTLED]:
                raise ValueError("the losses between 0 and 1 are no number of losses")
        _refuse_memory(rules, memory, book[ROUNDS], tallies.shape[1])

    @property
    def rounds(self) -> int:
        """Draws that were made."""
        return int(self.book[ROUNDS])

    @property
    def paid(self) -> tuple[float, float]:
        """The losses that are known, summed in units, and how many they are."""
        return float(self.book[LOSS]), float(self.book[SETTLED])

    @property
    def bare(self) -> tuple[int, int] | None:
        """The number and the arm of the draw of the bare core that waits for its loss."""
        return (self.rounds, int(self.memory[OPEN + 1])) if self.memory[OPEN] else None

    def copy(self) -> BanditState:
        """A copy of the state."""
        other = BanditState(self.arms, self.comparators, self.rules, self.scale, self.seed, self.run, self.first)
        other.adopt(self.arrays())
        return other

    def adopt(self, arrays: Mapping[str, Array]) -> None:
        """The same, and the core makes its caches anew."""
        super().adopt(arrays)
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
            estimates=self._estimated(),
            implicit=self.state[IMPLICIT].copy(),
            between=float(self.memory[OWN]) if self.rules.facts.counts else 0.0,
        )

    def _estimated(self) -> Array:
        """What was estimated of each arm in the rounds in which it was awake."""
        lent = self.state[LENT] if self.rules.facts.lends else 0.0
        estimates: Array = self.state[ESTIMATES] - lent
        return estimates

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
            first_arms=self.first,
            horizon=float(rules.horizon),
        )


def _refuse_counts(sums: Array, known: Array, settled: float, draws: Array) -> None:
    """The same of sums of losses, and of how many these are."""
    if not whole_numbers(known) or known.sum() != settled or (known > draws).any():
        raise ValueError("the losses that are known of its arms do not add up")
    if ((sums < 0) | (sums > known * (1 + SUM))).any():
        raise ValueError("the losses of an arm are no losses")


def _refuse_memory(rules: BanditRules, memory: Array, rounds: float, arms: int) -> None:
    """The same of what the kernel keeps for itself."""
    position, begin, end, rate, gamma = memory[:5].tolist()
    is_open, arm, probability, bias = memory[OPEN:].tolist()
    if not np.isfinite(np.delete(memory, EPOCH_END)).all() or position != rounds:
        raise ValueError("its generator does not stand where the last draw left it")
    if rounds and not (1 <= begin <= rounds < end and rate > 0 and gamma >= 0):
        raise ValueError("its rate has no meaning")
    if rounds and rules.schedule == "constant" and (rate, gamma) != (rules.rate, rules.gamma):
        raise ValueError("its rate is another one than its parameters ask for")
    if is_open > 1 or (is_open and not (arm < arms and 0 < probability <= 1 and bias >= 0)):
        raise ValueError("a draw that waits was never made")
