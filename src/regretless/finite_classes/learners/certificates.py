"""Certificates of a learner of a finite class, and the facts that theorems need."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from ... import _core
from ...certificate import Certificate
from ...comparator import ClassComparator
from ...info import ClassInfo
from ...ledger import ClassLedger
from ...theorem import Theorem
from ...theory.finite_classes import ClassFacts, certified
from ..finite_class import FiniteClass, Words

Array = np.ndarray[Any, Any]
ROUNDING = 4e-15  # of a sum of probabilities below 32, for each of its terms
MOST_STEPS = 2**31  # words that elimination may write: about a second


class Certified(ABC):
    """A learner with certificates.

    Attributes
    ----------
    theorems : tuple of Theorem
        About the learner, the sharpest first.
    """

    info: ClassVar[ClassInfo]
    name: ClassVar[str]
    theorems: ClassVar[tuple[Theorem, ...]] = ()
    finite_class: FiniteClass

    @property
    @abstractmethod
    def ledger_(self) -> ClassLedger:
        """Running totals."""

    @property
    @abstractmethod
    def alive_(self) -> Array:
        """Numbers of the hypotheses that agree with all labels so far."""

    @property
    @abstractmethod
    def version_space_(self) -> Words:
        """The hypotheses that the learner predicts from, as bits: at least one."""

    @property
    @abstractmethod
    def realizable_(self) -> bool:
        """Whether some hypothesis agrees with all labels so far."""

    def _facts(self) -> dict[str, Any]:
        """Facts of the class for this learner's theorems: fields of a `ClassFacts`."""
        return {}

    def facts(self) -> ClassFacts:
        """Facts of the learner for theorems, besides its ledger."""
        return ClassFacts(
            learner=self.name,
            hypotheses=self.finite_class.hypotheses,
            tie=getattr(self, "tie", None),
            prune=getattr(self, "prune", ""),
            **(self._facts() if self.realizable_ else {}),
        )

    def comparators(self) -> list[ClassComparator]:
        """The first hypothesis that agrees with all labels, or no comparator."""
        alive = self.alive_
        if not len(alive):
            return []
        first, ledger = int(alive[0]), self.ledger_
        rounding = ROUNDING * ledger.rounds if self.info.draws else 0.0
        label = f"hypothesis {self.finite_class.hypothesis_name(first)}"
        return [ClassComparator(first, label, float(ledger.rounds), len(alive), rounding)]

    def certify(self, *, comparators: Sequence[ClassComparator] | None = None) -> list[Certificate]:
        """Each theorem about this learner, with the numbers of its run.

        Parameters
        ----------
        comparators : sequence of ClassComparator, optional
            Comparators to use instead of the learner's own.
        """
        candidates = self.comparators() if comparators is None else comparators
        return certified(self.theorems, self.ledger_, candidates, self.facts())

    def _ranks(self) -> dict[str, Any]:
        """The ranks of the class and of the version space."""
        return {"rank": rank(self.finite_class), "rank_left": rank(self.finite_class, self.version_space_)}


def rank(finite_class: FiniteClass, alive: Words | None = None) -> int | None:
    """The rank over GF(2) of the table with a column of ones, less 1; None if elimination would take long.

    It is 0 for a single hypothesis, at most the number of points, and less than the number of hypotheses. A learner
    that predicts by a hypothesis that agrees with all labels so far makes at most as many mistakes.

    Parameters
    ----------
    finite_class : FiniteClass
    alive : ndarray of uint64, shape (words,), optional
        The hypotheses that count, as bits; all by default.
    """
    if alive is None or np.array_equal(alive, finite_class.all_hypotheses):
        return finite_class.cache("rank", lambda: _eliminated(finite_class, finite_class.all_hypotheses))
    return _eliminated(finite_class, alive)


def _eliminated(finite_class: FiniteClass, alive: Words) -> int | None:
    words, rows = len(alive), finite_class.points + 1
    if words * rows * min(rows, finite_class.hypotheses) > MOST_STEPS:
        return None
    return _core.rank_of_bits(np.vstack([alive[None, :], finite_class.columns & alive])) - 1
