"""The optimal learner that may toss coins."""

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
from ..dimensions.randomized import RandomizedSearch
from ..finite_class import Words
from .result import ClassPlay, DrawnLabel, Label
from .search_learner import SearchingLearner

Array = np.ndarray[Any, Any]


@dataclass(eq=False)
class RandomizedOptimal(SearchingLearner):
    """Draw a label, with the odds that make both equally dear.

    With R the randomised Littlestone dimension, and V0 and V1 those of what is left that say 0 and 1, it predicts 1
    with the probability (1 + R(V1) - R(V0)) / 2, cut to [0, 1]. The probabilities of its mistakes add up to at most R
    of the class, which is from half the Littlestone dimension to all of it, however the labels are chosen, as long as
    the draws are not known to him before. No learner has a better bound.

    R can take long to find out. A search that lost its patience leaves the learner with half the bits of V in the place
    of R(V), (k - 1 + |V| / 2^k) / 2 with k = floor(log2 |V|), until so many have left that it finds R after all. Half
    the bits are never less than R, and never less than half of one more than those of both parts: the probabilities of
    its mistakes still add up to at most half the bits of the class.

    Every prediction takes one draw, whatever its odds are.

    Parameters
    ----------
    random_state : int, optional
        Seed of the draws.
    patience : int, optional
        Words of bits that a search may look at, a hundred million or two of which take a second; it is tried again when
        half of the hypotheses have left. None searches to the end. Once one came to its end, all later ones are
        searched to theirs, for what is known of R must not be given up again.

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
        summary="a label that is drawn with the odds that make both equally dear",
        draws=True,
        ordered=False,
    )
    theorems: ClassVar[tuple[Theorem, ...]] = RANDOMIZED_OPTIMAL

    def __post_init__(self) -> None:
        if self.patience is not None:
            whole("patience", self.patience)
        self.seed_ = drawn_seed(self.random_state)
        self._expected = 0.0
        self._draw_from(0)
        super().__post_init__()
        self._tried = 2 * self.finite_class.hypotheses  # how many were left when the search was last tried
        self._settled_at: int | None = None  # how many were left when it first came to its end

    @property
    def ledger_(self) -> ClassLedger:
        """What was observed so far; the probabilities of mistakes are added up."""
        return self._board.ledger(self._expected)

    def forecast(self, point: int | str) -> float:
        """The probability with which it would predict 1, without playing a round."""
        return self._chance(self._place(point))

    def copy(self) -> RandomizedOptimal:
        """The learner as it stands, to go on by itself with the same draws."""
        other = super().copy()
        other._draw_from(self._tickets)
        return other

    def _draw_from(self, tickets: int) -> None:
        """Stand where so many draws were made: each takes one number of 64 bits."""
        numbers = np.random.PCG64(self.seed_)
        numbers.advance(tickets)
        self._generator = np.random.Generator(numbers)

    # The search, and what it is worth while it has no end.

    def _weigh(self, point: int) -> float:
        if self._knows():
            zero, one = (self._search().value(part) for part in self._parts(point))
        else:
            ones = self._board.core.ones(point)
            zero, one = half_the_bits_of(self._board.core.size - ones), half_the_bits_of(ones)
        return float(min(1, max(0, (1 + one - zero) / 2)))

    def _knows(self) -> bool:
        """Whether the search came to its end, now or before; from then on it always does.

        Each try is made with a search of its own, so that what it finds does not depend on who asked for what before.
        """
        size = self._board.core.size
        if self._settled_at is None and 2 * size <= self._tried:
            self._tried, search = size, self._new_search()
            if searched(search, self._board.version_space, self.patience):
                self._settled_at, self._searching = size, search
        return self._settled_at is not None

    def _new_search(self) -> RandomizedSearch:
        return RandomizedSearch(self.finite_class)

    def _facts(self) -> dict[str, Any]:
        hypotheses, left = self.finite_class.hypotheses, self._board.core.size
        knows = self._knows()
        return {
            "randomized": self._range(None, hypotheses, self._settled_at == hypotheses),
            "randomized_left": self._range(self._board.version_space, left, knows),
            **self._ranks(),
        }

    def _range(self, part: Words | None, size: int, known: bool) -> tuple[Fraction | float, Fraction | float]:
        """Numbers between which R lies; what the learner went by is no more, of the class no less."""
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

    def _note(self, row: int, said: Label, played: ClassPlay) -> None:
        assert isinstance(said, DrawnLabel)
        assert played.probabilities is not None
        played.probabilities[row] = said.probability

    # What a model file keeps: the seed and how many numbers were drawn are all that the generator is.

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
        size, hypotheses = self._board.core.size, self.finite_class.hypotheses
        self.seed_ = digits(extra["seed"])
        self._expected, settled_at = float(extra["expected"]), extra["settled_at"]
        if type(extra["expected"]) is not float or not 0 <= self._expected <= self.rounds_:
            raise ValueError("its expected mistakes are no sum of probabilities")
        self._tried = count(extra["tried"], "tried", size)
        self._settled_at = None if settled_at is None else count(settled_at, "settled_at", size)
        if self._tried > 2 * hypotheses or (settled_at or 0) > hypotheses:
            raise ValueError("its search was tried when there were more hypotheses than there ever were")
        self._draw_from(self._tickets)

    def _said(self, point: int, predicted: int) -> DrawnLabel:
        label = DrawnLabel(predicted)
        label.probability = self._chance(point)
        if label.probability == 1 - predicted:
            raise ValueError("it would never have predicted that")
        return label


def searched(search: RandomizedSearch, part: Words, patience: int | None) -> bool:
    """Whether a search came to its end when it had looked at so many words."""
    dimension = search.dimension(part, words=patience)
    return dimension.exact or dimension.finer
