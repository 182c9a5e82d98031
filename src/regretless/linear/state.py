"""The weights of a Euclidean learner, and how its theorems measure what it is compared with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import nan
from typing import Any, ClassVar, Self

import numpy as np

from .. import _core
from ..data.batch import Array, Batch
from ..ledger import FIELDS
from ..rows.narrowed import FewColumns, Narrow, few_columns, joined_columns
from ..rows.state import BaseState, Rules, length
from .separation.budget import Budget

SCALE, NORM2, BIAS, ROUNDING, CLOCK, LAG_BIAS = range(6)  # columns of `memory`
CLOCKS = _core.rate_clocks()  # the fields of the ledger that each rate goes by, beside its step


class State(BaseState):
    """The weights of Euclidean learners.

    Parameters
    ----------
    columns, targets : int
        As of any state.
    average : bool
        Whether to keep what the average of all weights so far needs.
    """

    FEATURES: ClassVar[dict[str, float]] = {"weights": 0.0}
    TARGETS: ClassVar[dict[str, int]] = {"memory": _core.MEMORY_SIZE}

    weights: Array
    memory: Array
    lag: Array | None = None

    def __init__(self, columns: int, targets: int, *, average: bool = False) -> None:
        self._average = average
        super().__init__(columns, targets)
        self.memory[:, SCALE] = 1

    def features(self) -> dict[str, float]:
        """The weights, and what turns them into their average."""
        return {"weights": 0.0, "lag": 0.0} if self._average else self.FEATURES

    def options(self) -> dict[str, Any]:
        """Whether the average is kept."""
        return {"average": self._average}

    def make_player(self, rules: Rules) -> Any:
        """The loop over rows, with the composition that the rules name."""
        return _core.Player(
            self.weights,
            self.memory,
            self.books,
            np.zeros(4 * self.targets),
            self.lag,
            geometry=rules.geometry,
            loss=rules.loss,
            rate=rules.rate,
            radius=rules.radius,
            eta=rules.eta,
            tie=rules.tie,
            intercept=rules.intercept,
            limit=rules.limit,
            margin=rules.margin,
        )

    def plain(self, columns: int) -> State:
        """An empty state of weights alone, for as many targets, whose books are read in the same way."""
        return State(columns, self.targets)

    def few_columns(self, batch: Batch) -> FewColumns | None:
        """With lone entries joined, of whose rows weights are multiples there; or in the columns that occur."""
        return joined_columns(batch) or few_columns(batch)

    def narrowed(self, which: Narrow) -> Self | None:
        """The weights of other columns are 0."""
        return self._of_columns(which)

    def mirror(self, target: int) -> None:
        """Exchange the two classes of a target."""
        self.weights[:, target] = 0 - self.weights[:, target]
        if self.lag is not None:
            self.lag[:, target] = 0 - self.lag[:, target]
        for column in (BIAS, LAG_BIAS):
            self.memory[target, column] = 0 - self.memory[target, column]

    def coefficients(self) -> Array:
        """The weights as they are meant, shape (columns, targets)."""
        return np.asarray(self.weights[: self.columns] * self.memory[:, SCALE])

    def biases(self) -> Array:
        """Weights of the constant feature, shape (targets,)."""
        return np.asarray(self.memory[:, BIAS] * self.memory[:, SCALE])

    def average(self) -> tuple[Array, Array]:
        """The mean of the weights before each round, and of the constant feature's: (columns, targets), (targets,)."""
        if self.lag is None:
            raise RuntimeError("this state was made without average=True")
        rounds = np.maximum(self.books[: self.targets, FIELDS.index("rounds")], 1)
        clock, stored = self.memory[:, CLOCK], self.weights[: self.columns]
        mean = (clock * stored - self.lag[: self.columns]) / rounds
        return mean, (clock * self.memory[:, BIAS] - self.memory[:, LAG_BIAS]) / rounds


# ---- how it is compared


EUCLIDEAN = " in Euclidean length"  # of a margin, where theorems measure by another length


@dataclass(frozen=True, slots=True)
class Whitened:
    """Rows whose comparators a geometry measures by Euclid's length.

    Attributes
    ----------
    rows : Batch
    intercept : float
        Size of the constant feature of these rows.
    length2 : float
        A squared length of theirs, in units of which penalties are.
    back : callable
        From weights of these rows and of their constant feature to those of the rows that they were made of.
    name : str
        Of the direction of a support vector machine of them, where {0:g} is the penalty.
    inverse : tuple of (ndarray, float) or None
        Where these are the rows as they were: the inverse of the diagonal A by whose root they would be divided, and
        that of the constant feature.
    penalties : sequence of float or None
        Of support vector machines, at most eight; those of any rows where none are named.
    """

    rows: Batch
    intercept: float
    length2: float
    back: Callable[[Array, float], tuple[Array, float]]
    name: str
    inverse: tuple[Array, float] | None = None
    penalties: Sequence[float] | None = None


class Geometry:
    """How a learner's theorems measure a comparator, and which ones they allow: any vector, by its Euclidean length."""

    PART: ClassVar[str] = "what is allowed of yours"  # the name of what `admissible` makes of a user's vector
    OF_MARGIN: str = ""  # what the name of the vector of the maximum margin, which is Euclid's, ends with
    LIKES_MARGINS: bool = True  # whether a vector of a large margin may serve a theorem best

    def measure(self, vector: Array, bias: float, target: int) -> tuple[float, float]:
        """The length and the divergence of a vector.

        Parameters
        ----------
        vector : ndarray, shape (columns,)
        bias : float
            Its weight of the constant feature.
        target : int
            In whose geometry.

        Returns
        -------
        own, divergence : float
            The length in the learner's own geometry, of degree 1; the divergence, of degree 0.
        """
        return length(vector, bias), 0.0

    def measure_columns(
        self, table: Array, biases: Sequence[float], target: int
    ) -> list[tuple[float, float, float]] | None:
        """The length, the divergence and the product of vectors that lie side by side; None where each is measured by
        itself.

        Parameters
        ----------
        table : ndarray, shape (columns, 4 or 8)
        biases : sequence of float
            Their weights of the constant feature.
        target : int
        """
        return None

    def product(self, vector: Array, bias: float, target: int) -> float:
        """Inner product of a vector with the learner's dual coordinates; NaN where no theorem asks for it.

        Parameters
        ----------
        vector, bias, target
            As of `measure`.
        """
        return nan

    def admissible(self, vector: Array, bias: float) -> tuple[Array, float]:
        """The vector itself if it is allowed, or what is near it and is."""
        return vector, bias

    def admit_columns(self, table: Array, biases: Sequence[float]) -> list[float]:
        """Make of vectors that lie side by side what `admissible` makes of each, where they lie; the weights of the
        constant feature that they have then."""
        return list(biases)

    def plain(self) -> tuple[Array, float] | None:
        """The inverse of the diagonal with which machines of rows as they were played climb along those that are read,
        and that of the constant feature; None where rows are those."""
        return None

    def whitened(self, batch: Batch, target: int) -> Whitened | None:
        """The rows in which comparators are measured by Euclid's length; None where they are that already, or none can
        be made.

        Parameters
        ----------
        batch : Batch
        target : int
            In whose geometry.
        """
        return None

    def directions(
        self, batch: Batch, signs: Array, target: int, *, separable: bool | None = True, budget: Budget | None = None
    ) -> Sequence[tuple[str, Array, float]]:
        """More comparators to try when all rounds are at hand.

        Parameters
        ----------
        batch : Batch
            All rows.
        signs : ndarray of int, shape (rows,)
            Labels of the target, -1 or 1.
        target : int
        separable : bool or None
            Whether these rounds may well be separable, so that a costly search for a margin may find one; False where
            it is known that they are not, None where nothing is known.
        budget : Budget, optional
            What a search for a margin may cost.

        Returns
        -------
        sequence of (name, vector, weight of the constant feature)
        """
        return ()
