"""The optimal randomised learner."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from ...checks import drawn_seed, whole
from ...info import ClassInfo
from ...ledger import ClassLedger
from ...persist.validation import count, digits, stored_as
from ...theorem import Theorem
from ...theory.finite_classes import RANDOMIZED_OPTIMAL, half_the_bits_of
from ..finite_class import Words
from ..littlestone import RandomizedSearch
from .rounds import ClassPlay, DrawnLabel, Label
from .standard_optimal import SearchingLearner

Array = np.ndarray[Any, Any]


@dataclass(eq=False)
class RandomizedOptimal(SearchingLearner):
    """Draw a label, with the probability that makes both labels equally costly.

    With R the randomised Littlestone dimension, and V0 and V1 the hypotheses of the version space with label 0 and 1,
    it predicts 1 with probability (1 + R(V1) - R(V0)) / 2, clipped to [0, 1]. The probabilities of its mistakes sum to
    at most R of the class, which is between half the Littlestone dimension and all of it, for any labels that do not
    depend on the current draw. No learner has a better bound.

    R can take long to compute. After a search that reaches `patience` the learner uses half the bits of V,
    (k - 1 + |V| / 2^k) / 2 with k = floor(log2 |V|), in place of R(V), until V is small enough. Half the bits are at
    least R, and at least half of one more than the sum of those of both parts: the probabilities of mistakes still sum
    to at most half the bits of the class.

    Every prediction takes one draw, whatever its probability.

    Parameters
    ----------
    random_state : int, optional
        Seed of the draws.
    patience : int, optional
        The most words of bits that a search may read, one or two hundred million a second; the search is repeated when
        half of the hypotheses have left. None is no limit. After the first complete search all later ones are complete,
        as the bound needs R from then on.

    References
    ----------
    Filmus, Hanneke, Mehalel and Moran 2023.

    Examples
    --------
    >>> from regretless.finite_classes import FiniteClass, RandomizedOptimal
    >>> thresholds = FiniteClass.named("thresholds:20")
    >>> learner = RandomizedOptimal(thresholds, random_state=0)
    >>> played = learner.play(range(20), [0] * 13 + [1] * 7)
    >>> print(str(learner.certify()[0]).partition("  [")[0])
    Randomised dimension that was spent: expected mistakes 1 <= 2.15625, against hypothesis x >= 13
    """

    random_state: Any = field(default=None, metadata=stored_as(int))
    patience: int | None = 1 << 26

    info: ClassVar[ClassInfo] = ClassInfo(
        name="randomized-optimal",
        summary="a label drawn with the probability that makes both equally costly",
        draws=True,
        ordered=False,
        forced="states",
        promises="",
        twin="randomized_optimal",
    )
    theorems: ClassVar[tuple[Theorem, ...]] = RANDOMIZED_OPTIMAL

    def __post_init__(self) -> None:
        if self.patience is not None:
            whole("patience", self.patience)
        self.seed_ = drawn_seed(self.random_state)
        self._expected = 0.0
        self._draw_from(0)
        super().__post_init__()
        self._tried = 2 * self.finite_class.hypotheses  # size of the version space at the last search
        self._settled_at: int | None = None  # size of the version space at the first complete search

    @property
    def ledger_(self) -> ClassLedger:
        """Running totals, with the sum of the probabilities of mistakes."""
        return self._state.ledger(self._expected)

    def forecast(self, point: int | str) -> float:
        """The probability of predicting 1, without a round."""
        return self._chance(self._place(point))

    def copy(self) -> RandomizedOptimal:
        """An independent copy of the learner with the same draws."""
        other = super().copy()
        other._draw_from(self._tickets)
        return other

    def _draw_from(self, tickets: int) -> None:
        """Set the generator to the state after `tickets` draws: each takes one number of 64 bits."""
        numbers = np.random.PCG64(self.seed_)
        numbers.advance(tickets)
        self._generator = np.random.Generator(numbers)

    # The search, and its replacement while it is incomplete.

    def _weigh(self, point: int) -> float:
        if self._knows():
            zero, one = (self._search().value(part) for part in self._parts(point))
        else:
            ones = self._state.core.ones(point)
            zero, one = half_the_bits_of(self._state.core.size - ones), half_the_bits_of(ones)
        return float(min(1, max(0, (1 + one - zero) / 2)))

    def _knows(self) -> bool:
        """Whether a search is complete, now or earlier; from then on each search is.

        Each attempt uses a new search, so that its result does not depend on earlier questions.
        """
        size = self._state.core.size
        if self._settled_at is None and 2 * size <= self._tried:
            self._tried, search = size, self._new_search()
            if searched(search, self._state.version_space, self.patience):
                self._settled_at, self._searching = size, search
        return self._settled_at is not None

    def _new_search(self) -> RandomizedSearch:
        return RandomizedSearch(self.finite_class)

    def _facts(self) -> dict[str, Any]:
        hypotheses, left = self.finite_class.hypotheses, self._state.core.size
        knows = self._knows()
        return {
            "randomized": self._range(None, hypotheses, self._settled_at == hypotheses),
            "randomized_left": self._range(self._state.version_space, left, knows),
            **self._ranks(),
        }

    def _range(self, part: Words | None, size: int, known: bool) -> tuple[Fraction | float, Fraction | float]:
        """Bounds on R: the learner used at most the upper one, and for the class at least the lower one."""
        if not known:
            return 0.0, half_the_bits_of(size)
        dimension = self._search().dimension(part)
        return dimension.lower, dimension.upper

    def _say(self, point: int) -> DrawnLabel:
        probability = self._chance(point)
        label = DrawnLabel(self._generator.random() < probability)
        label.probability = probability
        return label

    def _settle(self, point: int, label: int, predicted: Label) -> None:
        assert isinstance(predicted, DrawnLabel)
        super()._settle(point, label, predicted)
        self.__dict__["_expected"] += abs(predicted.probability - label)

    def _room(self, points: Array) -> Array:
        return np.empty(len(points))

    def _note(self, row: int, predicted: Label, played: ClassPlay) -> None:
        assert isinstance(predicted, DrawnLabel)
        assert played.probabilities is not None
        played.probabilities[row] = predicted.probability

    # Model files: the seed and the number of draws determine the generator.

    def _settled(self) -> dict[str, Any]:
        return {} if isinstance(self.random_state, int) else {"random_state": None}

    def _more(self) -> dict[str, Any]:
        return {
            "seed": str(self.seed_),
            "expected": self._expected,
            "tried": self._tried,
            "settled_at": self._settled_at,
        }

    def _go_on(self, extra: Any) -> None:
        size, hypotheses = self._state.core.size, self.finite_class.hypotheses
        self.seed_ = digits(extra["seed"])
        self._expected, settled_at = float(extra["expected"]), extra["settled_at"]
        if type(extra["expected"]) is not float or not 0 <= self._expected <= self.rounds_:
            raise ValueError("its expected mistakes are no sum of probabilities")
        self._tried = count(extra["tried"], "tried", size)
        self._settled_at = None if settled_at is None else count(settled_at, "settled_at", size)
        if self._tried > 2 * hypotheses or (settled_at or 0) > hypotheses:
            raise ValueError("its search has a size beyond the number of hypotheses")
        self._draw_from(self._tickets)

    def _label(self, point: int, predicted: int) -> DrawnLabel:
        label = DrawnLabel(predicted)
        label.probability = self._chance(point)
        if label.probability == 1 - predicted:
            raise ValueError("it cannot have predicted that")
        return label


def searched(search: RandomizedSearch, part: Words, patience: int | None) -> bool:
    """Whether a search is complete after `patience` words."""
    dimension = search.dimension(part, words=patience)
    return dimension.exact or dimension.finer
