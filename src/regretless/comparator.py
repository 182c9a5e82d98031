"""The comparator: a fixed solution, read in hindsight on the same rounds that the learner played."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import hypot, inf, isfinite, isnan, nan
from typing import Any

import numpy as np

from .facts import in_json


class BaseComparator(ABC):
    """What certificates ask of every comparator.

    Attributes
    ----------
    label : str
        What a line calls it.
    rounds : float
        How many rounds it was read on.
    played : float
        The number of rounds without their weights.
    rounding : float
        What may be owed to rounding.
    """

    __slots__ = ()
    label: str
    rounds: float

    @property
    def played(self) -> float:
        """Rounds count as they are, unless they were weighted."""
        return self.rounds

    @property
    def rounding(self) -> float:
        """Nothing, where theorems allow for it themselves."""
        return 0.0

    @abstractmethod
    def describe(self) -> dict[str, Any]:
        """The comparator as JSON values."""


@dataclass(frozen=True, slots=True)
class Comparator(BaseComparator):
    """A vector v and what it suffers on the rounds; all sums run over every round, not over the updates alone.

    Attributes
    ----------
    name : str
        Where v comes from ("averaged weights", "maximum margin", "yours", ...).
    norm : float
        Euclidean length of v, the weight of the constant feature included.
    hinge : float
        Sum of max(0, 1 - y <v, x>).
    squared_hinge : float
        Sum of their squares.
    loss : float or None
        Sum of the learner's own loss at v; None where the learner charges nothing to a fixed vector.
    least : float
        Smallest y <v, x> of any round.
    rounds, max_norm2, total_norm2 : float
        Of the rounds it was read on: they must be the ledger's.
    vector : ndarray or None, shape (features,)
        v itself, where it is kept.
    bias : float
        Weight of the constant feature.
    own : float
        Length of v in the learner's own geometry, of degree 1; the Euclidean one unless another is given.
    divergence : float
        How far v's direction is from where the learner started, where its geometry has such a thing.
    product : float
        Inner product of v with the learner's dual coordinates, where it has them; NaN elsewhere.
    played : float
        The number of rounds without their weights; by default the same as `rounds`.
    left_out : str
        Which others were asked for, but not looked at, and why; empty if none.
    """

    name: str
    norm: float
    hinge: float
    squared_hinge: float
    loss: float | None
    least: float
    rounds: float
    max_norm2: float
    total_norm2: float
    vector: np.ndarray[Any, Any] | None = None
    bias: float = 0.0
    own: float = nan
    divergence: float = 0.0
    product: float = nan
    played: float = nan
    left_out: str = ""

    def __post_init__(self) -> None:
        if isnan(self.own):
            object.__setattr__(self, "own", self.norm)
        if isnan(self.played):
            object.__setattr__(self, "played", self.rounds)

    @property
    def label(self) -> str:  # type: ignore[override]  # made of its name here
        """What a line calls it."""
        return f"{self.name} ({self.left_out})" if self.left_out else self.name

    @property
    def margin(self) -> float:
        """Smallest distance of any round from the wrong side: min y <v, x> / \\|v\\|; negative when v errs."""
        return self.least / self.norm if self.norm > 0 else (-inf if self.least < 0 else 0.0)

    def describe(self) -> dict[str, Any]:
        """The comparator as JSON values; a long vector is None."""
        return {
            "name": self.name,
            "left_out": self.left_out or None,
            "norm": self.norm,
            "hinge": self.hinge,
            "squared_hinge": self.squared_hinge,
            "loss": self.loss,
            "margin": self.margin if self.norm > 0 else None,
            "rounds": self.rounds,
            "vector": in_json(self.vector),
            "bias": self.bias,
        }

    def together(self, each: Sequence[Comparator]) -> Comparator:
        """Those of all classes as one: a vector for each class, so squared lengths and losses add up."""
        losses = [u.loss for u in each if u.loss is not None]
        norm = hypot(*(u.norm for u in each))
        return Comparator(
            name="one for each class",
            norm=norm,
            hinge=sum(u.hinge for u in each),
            squared_hinge=sum(u.squared_hinge for u in each),
            loss=sum(losses) if len(losses) == len(each) else None,
            least=norm * min(u.margin for u in each),  # so that its margin is the smallest of theirs
            rounds=sum(u.rounds for u in each),
            played=sum(u.played for u in each),
            max_norm2=max(u.max_norm2 for u in each),
            total_norm2=sum(u.total_norm2 for u in each),
            own=hypot(*(u.own for u in each)),
        )


@dataclass(frozen=True, slots=True)
class LossComparator(BaseComparator):
    """A fixed way to act, and what it would have lost.

    Attributes
    ----------
    name : str
        "best_expert", "best_arm", "best_convex", ...
    label : str
        What a line calls it.
    loss : float
        Its own loss; NaN where it cannot be known.
    faced : float
        The learner's loss over the same rounds.
    rounds : float
        How many these are; fewer than all for an expert that was silent, or an arm that slept, at times.
    """

    name: str
    label: str
    loss: float
    faced: float
    rounds: float

    @property
    def rounding(self) -> float:
        """What the regret may owe to rounding: it is a difference of long sums."""
        return 1e-12 * (abs(self.faced) + abs(self.loss)) + self._error if isfinite(self.loss) else 0.0

    @property
    def _error(self) -> float:
        """What else may be wrong with both losses."""
        return 0.0

    @property
    def regret(self) -> float:
        """How much more the learner lost; NaN where that was not observed."""
        return self.faced - self.loss


@dataclass(frozen=True, slots=True, eq=False)
class ExpertComparator(LossComparator):
    """A fixed way to use the experts.

    Its name is "best_expert", "best_convex", "best_linear", "best_shifting", "uniform" or "expert".

    Attributes
    ----------
    expert : int or None
        Its place, if it is a single expert.
    weights : ndarray or None, shape (experts,)
        Of a combination.
    switches : int or None
        Of a sequence of experts.
    norm2 : float or None
        Squared length of linear weights.
    divergence : float
        Kullback-Leibler divergence of its weights from the prior ones; infinite where there is none.
    off : float
        By how much rounding may have changed its loss and the learner's, of forecasts and of sums.
    detail : dict
        What else is worth knowing, as JSON values.
    """

    expert: int | None = None
    weights: np.ndarray[Any, Any] | None = None
    switches: int | None = None
    norm2: float | None = None
    divergence: float = inf
    off: float = 0.0
    detail: dict[str, Any] = field(default_factory=dict)

    @property
    def _error(self) -> float:
        return self.off

    def describe(self) -> dict[str, Any]:
        """The comparator as JSON values."""
        return {
            "name": self.name,
            "label": self.label,
            "loss": self.loss,
            "regret": self.regret,
            "rounds": self.rounds,
            "expert": self.expert,
            "weights": in_json(self.weights),
            "switches": self.switches,
            "detail": dict(self.detail),
        }


@dataclass(frozen=True, slots=True)
class BanditComparator(LossComparator):
    """A fixed way to draw arms.

    Its name is "best_arm", "arm", "best_expert" or "best_sequence". Losses are in units of the declared range; in a
    certificate, as they were reported.

    Attributes
    ----------
    place : int or None
        Which arm, or which expert.
    switches : int or None
        Of a sequence of arms.
    detail : dict
        What else is worth knowing, as JSON values.
    """

    place: int | None = None
    switches: int | None = None
    detail: dict[str, Any] = field(default_factory=dict)

    def describe(self) -> dict[str, Any]:
        """The comparator as JSON values."""
        known = not isnan(self.loss)
        return {
            "name": self.name,
            "label": self.label,
            "loss": self.loss if known else None,
            "regret": self.regret if known else None,
            "rounds": self.rounds,
            "place": self.place,
            "switches": self.switches,
            "detail": dict(self.detail),
        }


@dataclass(frozen=True, slots=True)
class GameComparator(BaseComparator):
    """What either player could do best against the other's strategy.

    Attributes
    ----------
    row, column : int or None
        The best responses, where they are single rows and columns.
    label : str
        What a line calls them.
    rounds : float
        How many were played, or how many steps the solver took.
    rounding : float
        What the numbers may owe to rounding, in payoffs.
    detail : dict
        What else is worth knowing, as JSON values.
    """

    row: int | None = None
    column: int | None = None
    label: str = ""
    rounds: float = inf
    rounding: float = 0.0
    detail: dict[str, Any] = field(default_factory=dict)
    name: str = "best_responses"

    def describe(self) -> dict[str, Any]:
        """The comparator as JSON values."""
        return {
            "name": self.name,
            "label": self.label,
            "row": self.row,
            "column": self.column,
            "detail": dict(self.detail),
        }


@dataclass(frozen=True, slots=True)
class ClassComparator(BaseComparator):
    """A hypothesis of a finite class that agrees with every label.

    Attributes
    ----------
    hypothesis : int
        Its place in the class.
    label : str
        What a line calls it.
    rounds : float
        How many rounds it was read on.
    alive : int
        How many hypotheses agree as well, itself included.
    rounding : float
        What the expected mistakes may owe to rounding.
    """

    hypothesis: int
    label: str
    rounds: float
    alive: int = 1
    rounding: float = 0.0
    name: str = "consistent_hypothesis"

    def describe(self) -> dict[str, Any]:
        """The comparator as JSON values."""
        return {"name": self.name, "label": self.label, "hypothesis": self.hypothesis, "alive": self.alive}
