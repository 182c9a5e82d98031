"""What the second-order learners share: how their state is made and grows with the classes, and comparators in the
geometry of their matrix."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import replace
from math import nan, sqrt
from typing import Any, ClassVar, Self

import numpy as np

from .. import _core
from ..checks import one_of, positive
from ..data.batch import Array, Batch, norms2
from ..data.sample import one_in
from ..errors import ParameterError
from ..ledger import FIELDS
from ..rows.narrowed import JoinedColumns, JoinedOfSome, SomeColumns, Spread, joined_columns
from ..rows.state import BaseState, length, length_of
from ..theory.facts import LinearFacts
from ..theory.second_order_perceptron import SecondOrderFacts
from .base import OnlineClassifier
from .comparators.candidates import matrix_of
from .comparators.machines import PENALTIES, machine_directions
from .comparators.question import FEW_TARGETS, MOST_PLAYED, as_it_is, climbs_of_classes, orders_of
from .second_order_state import SecondOrderState
from .separation.budget import Budget
from .state import EUCLIDEAN, Geometry, Whitened

ROUNDS = FIELDS.index("rounds")
FEW_COLUMNS = 200  # up to which "auto" keeps all of the matrix
PRIORS = 1e-290, 1e290  # between which inverses, and what is divided by them, are floats
PIECE, ENOUGH = 64, 8  # rows that are learned from together, or not; and how many a column at least
MOST_WHITENED = 20_000_000  # entries of dense rows that a full matrix would make of them
FAR = 4.0  # of ln det A, in units of |u|^2: where rows are many beside their columns it is below 3 of these
IN_ELLIPSOID = "the direction of a linear SVM in an ellipsoid, C = {0:g}"
MEAN = "/(mean r^2)"
OF_JOINED = ", of vectors that are multiples of A^-1 x in columns of one row x"
Back = Callable[[Array, float], tuple[Array, float]]


def invertible(name: str, value: Any) -> float:
    """What a matrix starts with, whose inverse is needed."""
    number = positive(name, value)
    if not PRIORS[0] <= number <= PRIORS[1]:
        raise ParameterError(
            name, repr(value), f"must lie between {PRIORS[0]:g} and {PRIORS[1]:g}: its inverse is needed", " "
        )
    return number


class SecondOrderLearner(OnlineClassifier):
    """A learner that keeps the sum of x x' over its updates, or the diagonal of that."""

    WEIGHTED: ClassVar[bool]  # whether a diagonal matrix goes with weights besides the sums
    _matrices: ClassVar[tuple[str, ...]] = ("auto", "full", "diagonal")

    matrix: str
    state_: SecondOrderState

    @abstractmethod
    def prior(self) -> float:
        """What the matrix starts with, times the identity."""

    def sized_prior(self) -> float | None:
        """What a diagonal one starts with, times the largest square of each feature so far; None if it is the same for
        all."""
        return None

    def sketch_rank(self) -> int:
        """How many directions a sketch has besides its diagonal."""
        return 0

    def new_state(self, columns: int, targets: int) -> SecondOrderState:
        """An empty state, with all of the matrix or its diagonal."""
        matrix = one_of("matrix", self.matrix, self._matrices)
        full = matrix == "full" or (matrix == "auto" and columns <= FEW_COLUMNS)
        sized = None if full else self.sized_prior()
        prior = self.prior() if sized is None else sized
        rank = self.sketch_rank() if matrix == "sketch" else 0
        return SecondOrderState(
            columns, targets, prior=prior, full=full, weighted=self.WEIGHTED, sized=sized is not None, rank=rank
        )

    # While classes may still come, a spare target learns what each of them will have learned.

    def _adopt(self, classes: Array, state: BaseState) -> None:
        super()._adopt(classes, state)
        if len(classes) == 1 and not self.state_.books[-1, ROUNDS]:
            self.state_.add_spare()

    def _expect(self, classes: Array, columns: int) -> None:
        super()._expect(classes, columns)
        self.state_.drop_spare()

    def extended(self, classes: Array) -> BaseState:
        """The state for one class more, which has seen -1 in every round so far."""
        grown, spare = super().extended(classes), self.state_.spare
        if spare is None or grown is self.state_:
            return grown
        assert isinstance(grown, SecondOrderState)
        for place in np.flatnonzero(~np.isin(classes, self.classes_)).tolist():
            grown.copy_target(spare, 0, place)
        grown.spare = spare
        return grown

    def _in_fewer_columns(self, batch: Batch, replayed: Any) -> tuple[Self, Batch, Spread | None]:
        """With lone entries joined, where the weights in their columns are multiples of A^-1 x: of one target whose
        diagonal matrix is in units of the features."""
        learner, rows, which = super()._in_fewer_columns(batch, replayed)
        diagonal = learner.state_.diagonal if learner.state_.sized else None
        few = None if diagonal is None else joined_columns(rows, diagonal.inverse)
        if few is None or not (isinstance(which, SomeColumns) and isinstance(few.which, JoinedColumns)):
            return learner, rows, which
        learner = copy(learner)
        learner.state_ = learner.state_.joined(few.which)
        return learner, few.rows, JoinedOfSome(few.which, which)

    def geometry(self) -> Geometry:
        """Comparators are measured by the matrix that was learned."""
        return Ellipsoid(self.state_)

    def settled(self) -> dict[str, Any]:
        """Which matrix is kept."""
        return {"matrix": self.state_.matrix}

    def target_facts(self) -> list[LinearFacts]:
        """What theorems may ask of each target."""
        state, loss = self.state_, self.played_rules().loss
        return [
            SecondOrderFacts(
                norm,
                1.0,
                loss=loss,
                steady=state.steady,
                energy=state.energy(target),
                volume=state.volume(target),
                full=state.full,
            )
            for target, norm in enumerate(state.norms())
        ]


# ---- comparators


class Ellipsoid(Geometry):
    """A vector v is as long as sqrt(v'A v), with the matrix of the target in question.

    Parameters
    ----------
    state : SecondOrderState
        Whose matrices they are.
    penalties : tuple of float, default=()
        Of support vector machines, in units of |w| / |u|: the learner's weights in A, over the sum of y x over its
        updates in the inverse. The best v of H + |v| |u| is a machine whose C is |v| / |u|, and weights that learn
        margins of 1 are about as long. If empty, penalties of any rows, in units of the mean square of lengths: the
        longest of such rows is one whose features are rare, and says little of the others.
    short : tuple of float, default=()
        Further ones of a full matrix whose ln det A is so far above |u|^2 that the bound with that in its place wants a
        much shorter v.
    """

    OF_MARGIN = EUCLIDEAN

    def __init__(
        self, state: SecondOrderState, penalties: tuple[float, ...] = (), short: tuple[float, ...] = ()
    ) -> None:
        self.state, self._penalties, self._short = state, penalties, short
        self.LIKES_MARGINS = not penalties  # machines of these penalties served better on all rows that were tried
        if state.stretch is not None:
            self.OF_MARGIN = EUCLIDEAN + OF_JOINED
        self._roots: dict[int, tuple[Array, float]] = {}
        self._triangles: dict[int, Array] = {}

    def plain(self) -> tuple[Array, float] | None:
        """Where lone entries are joined, what makes their squares those of the entries."""
        return None if self.state.stretch is None else (self.state.stretch, 1.0)

    def measure(self, vector: Array, bias: float, target: int) -> tuple[float, float]:
        """sqrt(v'A v), the constant feature included; there is no divergence."""
        if self.state.rank:
            return self.state.stretched(vector, bias, target), 0.0
        if self.state.full:
            if target not in self._triangles:  # as the roots of a diagonal
                self._triangles[target] = self.state.triangle(target)
            return self.state.stretched(vector, bias, target, self._triangles[target]), 0.0
        roots, constant = self._roots_of(target)
        return length(vector * roots, bias * constant), 0.0

    def measure_columns(
        self, table: Array, biases: Sequence[float], target: int
    ) -> list[tuple[float, float, float]] | None:
        """sqrt(v'A v) of each, with a diagonal matrix."""
        if self.state.matrix != "diagonal":
            return None
        roots, constant = self._roots_of(target)
        each = zip(_core.column_squares(table, roots), biases, strict=True)
        owns = [length_of(squares, bias * constant) for squares, bias in each]
        return None if None in owns else [(own, 0.0, nan) for own in owns if own is not None]

    def _roots_of(self, target: int) -> tuple[Array, float]:
        if target not in self._roots:  # asked for once for each vector
            self._roots[target] = self.state.roots(target)
        return self._roots[target]

    def directions(
        self, batch: Batch, signs: Array, target: int, *, separable: bool | None = True, budget: Budget | None = None
    ) -> list[tuple[str, Array, float]]:
        """Of several classes support vector machines of the rows that are whitened; of two there are these already.
        Unless some vector is known to separate the rows, or the search may cost more, those of many rows learn on a
        part of them."""
        targets = self.state.targets
        if targets == 1:
            return []
        often = max(1, targets // FEW_TARGETS)
        many = min(batch.entries * often // MOST_PLAYED, len(batch) // (ENOUGH * max(1, batch.columns)))
        if many > 1 and not separable:
            ((batch, signs),) = one_in(many, batch, signs, PIECE)()
        white = self.whitened(batch, target)
        if white is None:
            return []
        orders = orders_of(len(batch), climbs_of_classes(white.rows.entries, targets))
        climbed = machine_directions(
            white.rows, signs, white.intercept, white.length2, orders, white.penalties or PENALTIES, white.inverse
        )
        return [(white.name.format(penalty), *white.back(vector, bias)) for penalty, vector, bias in climbed]

    def _size(self, target: int) -> float:
        """The length of the learner's own weights."""
        return self.measure(self.state.coefficients()[:, target], float(self.state.biases()[target]), target)[0]

    def whitened(self, batch: Batch, target: int) -> Whitened | None:
        """The rows A^-1/2 x; with a diagonal A the rows x, and the inverse of A."""
        if self.state.matrix != "diagonal":
            return self._white(batch, target)
        if not 0 < self._size(target) < np.inf:
            return None
        intercept = 0.0 if self.state.rules is None else self.state.rules.intercept
        inverse, first = self.state.inverse_of(target)
        inverse = inverse[: batch.columns]
        white = Whitened(batch, intercept, 1.0, as_it_is, IN_ELLIPSOID, (inverse, first))
        if self._penalties:
            return self._in_own_units(white, target)
        sums, (_, why) = _core.sum_of_squares(batch.values, batch.indices, batch.starts, inverse)
        middle2 = sums / max(1, len(batch)) + intercept**2 * first
        if why is not None or not middle2 < np.inf:
            return None
        return replace(white, length2=middle2, name=IN_ELLIPSOID + MEAN)

    def _in_own_units(self, white: Whitened, target: int) -> Whitened:
        """The same with penalties in units of |w| / |u|."""
        energy = self.state.energy(target)
        far = self.state.full and self.state.volume(target) > FAR * energy
        penalties = self._penalties + (self._short if far else ())
        return replace(
            white, length2=sqrt(energy) / self._size(target), name=f"{IN_ELLIPSOID} |w|/|u|", penalties=penalties
        )

    def _white(self, batch: Batch, target: int) -> Whitened | None:
        """The rows A^-1/2 x."""
        whole = self.state.matrix != "diagonal"
        if not 0 < self._size(target) < np.inf or (whole and len(batch) * (batch.columns + 1) > MOST_WHITENED):
            return None
        intercept = 0.0 if self.state.rules is None else self.state.rules.intercept
        if self.state.rank:
            made = self._by_sketch(batch, target, intercept)
        else:
            made = (self._by_matrix if self.state.full else self._by_diagonal)(batch, target, intercept)
        rows, constant, back = made
        middle2 = float(norms2(rows).sum()) / max(1, len(rows)) + constant**2
        white = Whitened(rows, constant, middle2, back, IN_ELLIPSOID + MEAN)
        return self._in_own_units(white, target) if self._penalties else white

    def _by_diagonal(self, batch: Batch, target: int, intercept: float) -> tuple[Batch, float, Back]:
        scales, constant = self.state.roots(target)
        columns = slice(None) if batch.indices is None else batch.indices
        values = np.ascontiguousarray(batch.values / scales[: batch.columns][columns])
        return replace(batch, values=values), intercept / constant, lambda v, b: (v / scales, b / constant)

    def _by_matrix(self, batch: Batch, target: int, intercept: float) -> tuple[Batch, float, Back]:
        root = self.state.root(target)
        rows = np.ascontiguousarray(matrix_of(batch) @ root[1 : batch.columns + 1])
        rows += intercept * root[0]  # where it lies: to touch as much memory again takes longer than the product

        def back(vector: Array, _: float) -> tuple[Array, float]:
            whole = root @ vector
            return whole[1:], float(whole[0])

        return Batch(rows, None, rows.shape[1]), 0.0, back

    def _by_sketch(self, batch: Batch, target: int, intercept: float) -> tuple[Batch, float, Back]:
        sketch, values = self.state.sketch(target), matrix_of(batch)
        rows = np.zeros((len(batch), 1 + self.state.columns))
        rows[:, 0] = intercept
        rows[:, 1 : 1 + batch.columns] = values if batch.starts is None else values.toarray()

        def back(vector: Array, _: float) -> tuple[Array, float]:
            whole = sketch.unwhitened(vector)
            return whole[1:], float(whole[0])

        return Batch(np.ascontiguousarray(sketch.whitened(rows)), None, rows.shape[1]), 0.0, back
