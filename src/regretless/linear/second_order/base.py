"""What the second-order learners share."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar

from ...checks import one_of, positive
from ...errors import ParameterError
from ...theory.facts import LinearFacts
from ...theory.second_order_perceptron import SecondOrderFacts
from ..base import OnlineClassifier
from .state import SecondOrderState

if TYPE_CHECKING:
    from ..comparators.search import Geometry

FEW_COLUMNS = 200  # up to which "auto" keeps all of the matrix
MATRICES = ("auto", "full", "diagonal")
PRIORS = 1e-290, 1e290  # between which inverses, and what is divided by them, are floats


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

    matrix: str
    state_: SecondOrderState

    @abstractmethod
    def prior(self) -> float:
        """What the matrix starts with, times the identity."""

    def sized_prior(self) -> float | None:
        """What a diagonal one starts with, times the largest square of each feature so far; None if it is the same for
        all."""
        return None

    def new_state(self, columns: int, targets: int) -> SecondOrderState:
        """An empty state, with all of the matrix or its diagonal."""
        matrix = one_of("matrix", self.matrix, MATRICES)
        full = matrix == "full" or (matrix == "auto" and columns <= FEW_COLUMNS)
        sized = None if full else self.sized_prior()
        prior = self.prior() if sized is None else sized
        return SecondOrderState(
            columns, targets, prior=prior, full=full, weighted=self.WEIGHTED, sized=sized is not None
        )

    def geometry(self) -> Geometry:
        """Comparators are measured by the matrix that was learned."""
        from .ellipsoid import Ellipsoid

        return Ellipsoid(self.state_)

    def settled(self) -> dict[str, Any]:
        """Which matrix is kept."""
        return {"matrix": "full" if self.state_.full else "diagonal"}

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
