"""The data of a report on mixed shards."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .model import BoundCurve

if TYPE_CHECKING:
    from ..certificate import Certificate


WEIGHTED = "weighted updates"
"""What the theorems about mixing bound: updates, each of which counts what its shard's weights count in the mean."""


@dataclass(frozen=True, slots=True)
class EpochRow:
    """One epoch by itself, over all shards.

    Parameters
    ----------
    rounds, mistakes, updates : int
    weighted : float
        The updates of each shard times what its weights count in the mean of this epoch, summed.
    seconds : float, optional
        How long it took.
    """

    rounds: int
    mistakes: int
    updates: int
    weighted: float
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class ShardRow:
    """One shard.

    Parameters
    ----------
    name : str
    rows : int
        In one epoch.
    share : float
        What its weights counted in the mean, from 0 to 1, on average over the epochs.
    """

    name: str
    rows: int
    share: float


@dataclass(frozen=True, slots=True)
class MixReport:
    """A run over shards, ready to be shown.

    Parameters
    ----------
    title : str
        The headline, as ``AveragedPerceptron on part-*.svm``.
    learner : str
        The learner's name.
    parameters : mapping
        The learner's parameters by name.
    source : mapping
        Where the rounds came from: ``path, shards, rows, features, nonzeros, skipped``, as far as known.
    how : mapping
        How it was mixed, by names for people: what a shard counts, who ran it, what moved.
    epochs : sequence of EpochRow
        In their order; a run that averages once has one.
    shards : sequence of ShardRow
        In their order.
    bounds : sequence of BoundCurve
        Certified bounds on the weighted updates, over epochs; may be empty.
    quantity : str
        What is certified: ``"weighted updates"``, ``"weighted regret"`` and the like.
    certificates : sequence of Certificate
        Every theorem that was asked, whether or not it applies.
    weights : sequence of (feature, weight)
        The largest weights.
    comparators : sequence of mapping
        The comparators that the certificates were read against, one row each.
    seconds : float, optional
        How long learning took.
    once : bool
        Whether the shards were learned apart and averaged once.
    """

    title: str
    learner: str
    parameters: Mapping[str, object]
    source: Mapping[str, object]
    how: Mapping[str, object]
    epochs: Sequence[EpochRow]
    shards: Sequence[ShardRow]
    quantity: str = WEIGHTED
    bounds: Sequence[BoundCurve] = ()
    certificates: Sequence[Certificate] = ()
    weights: Sequence[tuple[str, float]] = ()
    comparators: Sequence[Mapping[str, object]] = field(default_factory=list)
    seconds: float | None = None
    once: bool = False

    @property
    def rounds(self) -> int:
        """Of all epochs."""
        return sum(epoch.rounds for epoch in self.epochs)

    @property
    def mistakes(self) -> int:
        """Of all epochs, each counted as one."""
        return sum(epoch.mistakes for epoch in self.epochs)

    @property
    def updates(self) -> int:
        """Of all epochs, each counted as one."""
        return sum(epoch.updates for epoch in self.epochs)

    @property
    def weighted(self) -> float:
        """The updates of all epochs, weighted."""
        return sum(epoch.weighted for epoch in self.epochs)
