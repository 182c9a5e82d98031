"""The arrays of a play: what the kernel moves, and the ledger that can be read off them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf
from typing import Any, NamedTuple

import numpy as np

from .. import _core
from ..ledger import ExpertLedger
from ..persist.validation import whole_numbers
from ..state import KernelState

Array = np.ndarray[Any, np.dtype[np.float64]]

FIELDS = tuple(_core.expert_fields())
OWN, ABSENT, MISSED_CORE, MISSED_MIX, MISSED_LOSS = range(5)  # rows of the tallies
APART = _core.COMBINER_MEMORY - 1  # place in the kernel's memory
COUNTS = [FIELDS.index(name) for name in ("rounds", "absent", "mistakes")]
SIZES = [FIELDS.index(name) for name in ("spread", "spread2", "max_outcome2", "sensitivity")]


class CombinerRule(NamedTuple):
    """Facts of a rule; none has a default.

    Attributes
    ----------
    exponential : bool
        Whether weights are in proportion to prior * exp(-rate * summed charges), and nothing else moves them.
    one_rate : bool
        Whether all experts have one rate, of some schedule; then the last row of the state sums charges.
    own_rates : bool
        Whether each expert has a rate of its own.
    by_regret : bool
        Whether it lives by the regrets of what was played: the first row of the state sums them, the last their
        squares.
    drags : bool
        Whether the second row of the state sums gains, that are regrets less what the rule charges for their squares.
    shares : bool
        Whether a share of the weights is dealt out again, and these are the first row of the state: at the start, the
        prior.
    counts : bool
        Whether the state counts mistakes, of which each multiplies the weight of an expert by `beta`.
    """

    exponential: bool
    one_rate: bool
    own_rates: bool
    by_regret: bool
    drags: bool
    shares: bool
    counts: bool


RULES = {name: CombinerRule(**facts) for name, facts in _core.COMBINER_RULES.items()}
"""By the kernel's names; each rule of the kernel says them of itself."""


@dataclass(frozen=True)
class CombinerRules:
    """A composition, by the kernel's names.

    Attributes
    ----------
    rule, charge, schedule : str
        How weights move, what is charged, and how the rate is set.
    rate, span, alpha, tau, low, high : float
        The constant rate, the declared span of charges (0: learnt), the share that is dealt out again, the quantile,
        and the declared range of values.
    linear, substitute, always : bool
        Whether charges are linearised, whether the prediction is the aggregating algorithm's, and whether the
        majority moves in every round.
    beta : float
        What an erring expert's vote is multiplied by.
    """

    rule: str
    charge: str
    schedule: str = "constant"
    rate: float = 1.0
    span: float = 0.0
    alpha: float = 0.0
    tau: float = 0.5
    low: float = -inf
    high: float = inf
    linear: bool = False
    substitute: bool = False
    always: bool = False
    beta: float = 0.0

    @property
    def facts(self) -> CombinerRule:
        """What is known of the rule; KeyError if nothing is."""
        return RULES[self.rule]


class ExpertState(KernelState):
    """The state of one learner.

    Parameters
    ----------
    prior : ndarray, shape (experts,)
        Weights at the start, summing to one.
    width : int
        How many numbers a forecast has.
    rules : CombinerRules
    """

    def __init__(self, prior: Array, width: int, rules: CombinerRules) -> None:
        experts = len(prior)
        self.prior, self.width, self.rules = prior, width, rules
        self.room = (experts + 1) * width + experts  # how many numbers wait for the outcome of a round
        self.state = np.zeros((_core.combiner_rows(rules.rule), experts))
        self.memory = np.zeros(_core.COMBINER_MEMORY)
        self.book = np.zeros(len(FIELDS))
        self.tallies = np.zeros((5, experts))
        self.book[FIELDS.index("lowest")], self.book[FIELDS.index("highest")] = inf, -inf
        if rules.facts.shares:
            self.state[0] = prior
        self.core: Any = self._core()

    @classmethod
    def shapes(cls, rules: CombinerRules, experts: int, width: int) -> dict[str, tuple[int, ...]]:
        """The shapes of the arrays of such a state."""
        return {
            "state": (_core.combiner_rows(rules.rule), experts),
            "memory": (_core.COMBINER_MEMORY,),
            "book": (len(FIELDS),),
            "tallies": (5, experts),
        }

    @classmethod
    def refuse(cls, rules: CombinerRules, arrays: Mapping[str, Array]) -> None:
        """Refuse arrays that no run can have left; that something is infinite is no such sign.

        Raises
        ------
        ValueError
            Which says what is wrong.
        """
        if any(np.isnan(array).any() for array in arrays.values()):
            raise ValueError("its arrays hold something else than numbers")
        counts = [arrays["book"][COUNTS], arrays["tallies"][ABSENT]]
        if "memory" in arrays:
            counts.append(arrays["memory"][:1])
        if rules.facts.counts:
            counts.append(arrays["state"])
        if not whole_numbers(*counts):
            raise ValueError("what counts rounds or mistakes is no whole number >= 0")
        if (arrays["book"][SIZES] < 0).any():
            raise ValueError("a size is below 0")

    @property
    def apart(self) -> float:
        """How far weights were played from those when the outcome came; above 0 if any came late and it mattered."""
        return float(self.memory[APART])

    @property
    def rounds(self) -> int:
        """Rounds settled."""
        return int(self.book[0])

    def copy(self) -> ExpertState:
        """A copy of the state."""
        other = ExpertState(self.prior, self.width, self.rules)
        other.adopt(self.arrays())
        return other

    def weights(self) -> Array:
        """The weights of the next round, if every expert speaks."""
        out = np.empty(len(self.prior))
        self.core.weights(out)
        return out

    def rates(self) -> Array | None:
        """The last rate of each expert, for the rules that give each its own."""
        if not self.rules.facts.own_rates:
            return None
        out = np.empty(len(self.prior))
        self.core.rates(out)
        return out

    def ledger(self) -> ExpertLedger:
        """What was observed so far."""
        book = dict(zip(FIELDS, self.book.tolist(), strict=True))
        book["gap"] = self.core.gap()
        absent, core, mix, loss = self.tallies[ABSENT:]
        faced, spoke = book["loss"] - loss, book["rounds"] - absent
        rule = self.rules.facts
        # Rules that live by the regret take that of what was played, the others that of their weights at the time.
        late = np.zeros(len(self.prior)) if rule.by_regret else book["delay"] - (mix - core)
        regrets = faced - self.tallies[OWN] if rule.counts else self._regrets(book["charge"])
        own = self._own(book["charge"] + book["delay"] - mix, core)
        none = np.zeros(len(self.prior))
        return ExpertLedger(
            **book,
            losses=own,
            regrets=regrets,
            delays=late,
            faced=faced,
            spoke=spoke,
            squares=self.state[-1].copy() if rule.by_regret else none,
            drags=self.state[0] - self.state[1] if rule.drags else none,
        )

    def _regrets(self, charge: float) -> Array:
        return np.array(charge - self.state[-1] if self.rules.facts.one_rate else self.state[0])

    def _own(self, played: Array, missed: Array) -> Array:
        """The experts' own losses, from what was charged to the weights that were played while each of them spoke."""
        if self.rules.linear or self.rules.facts.counts:
            return np.array(self.tallies[OWN])
        if self.rules.facts.by_regret:
            return np.array(played - self.state[0])
        return np.array(self.state[-1] - missed)

    def _core(self) -> Any:
        rules = self.rules
        powers = np.cumprod(np.array([1.0, *[rules.beta] * 1100])) if rules.facts.counts else None
        return _core.Combiner(
            self.state,
            self.memory,
            self.book,
            self.tallies,
            self.prior,
            rule=rules.rule,
            charge=rules.charge,
            schedule=rules.schedule,
            rate=rules.rate,
            span=rules.span,
            alpha=rules.alpha,
            tau=rules.tau,
            low=rules.low,
            high=rules.high,
            linear=rules.linear,
            substitute=rules.substitute,
            powers=powers,
            always=rules.always,
            width=self.width,
        )
