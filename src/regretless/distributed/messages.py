"""What travels between the mixer and the shards: an epoch's start goes down, its result comes up."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Literal

import numpy as np

from ..data.batch import Array

Weighting = Literal["uniform", "updates", "rows"]

WEIGHTINGS: tuple[Weighting, ...] = ("uniform", "updates", "rows")


@dataclass(frozen=True, slots=True, eq=False)
class Start:
    """The start of an epoch, the same for all shards.

    When it is pickled, rows of weights that are all zero are left out if most are.

    Attributes
    ----------
    learner, parameters : str, dict
        Which learner, by its hyphened name, and its parameters.
    classes : ndarray
        All classes, in order.
    columns : int
        How many features are known.
    schema : dict or None
        By which files are read to the same columns.
    epoch : int
        From 0.
    weighting : {"uniform", "updates", "rows"}
        What a shard's weights count in the mean.
    weights : ndarray, shape (1 + columns, targets)
        The mixed weights, the constant feature's in row 0; of learners of mirror steps the dual coordinates.
    norms2 : ndarray, shape (targets,)
        Their squared lengths, as the kernel keeps them.
    clock : ndarray, shape of the books
        What the books of a shard begin with: zero but for what rates go by.
    passes : int
        How often a shard is gone over before the weights are mixed.
    columns_seen : ndarray, shape (targets,), or None
        Of learners of mirror steps: up to which feature rounds have shown any.
    whole : dict of str to ndarray, or None
        Where there is one shard only: all that the learner remembers, with which the shard goes on, so that the run is
        the sequential one, bit for bit.
    """

    learner: str
    parameters: dict[str, Any]
    classes: Array
    columns: int
    schema: dict[str, Any] | None
    epoch: int
    weighting: Weighting
    weights: Array
    norms2: Array
    clock: Array
    passes: int = 1
    columns_seen: Array | None = None
    whole: dict[str, Array] | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        """Without the rows of zeros, if that is shorter."""
        rest = {field.name: getattr(self, field.name) for field in fields(self)}
        weights = rest.pop("weights")
        rows = _not_zero(weights)
        return (_whole, (rest, weights)) if rows is None else (_sparse, (rest, weights.shape, rows, weights[rows]))


def _not_zero(weights: Array) -> Array | None:
    """The rows that are not all zero; None if naming them takes no less room than giving all."""
    held, targets = weights != 0, weights.shape[1]  # comparing and counting is much quicker than finding places
    if np.count_nonzero(held) * (1 + targets) >= weights.size * targets:
        return None
    rows = np.flatnonzero(held[:, 0] if targets == 1 else held.any(axis=1))
    return None if len(rows) * (1 + targets) >= weights.size else rows


def _whole(rest: dict[str, Any], weights: Array) -> Start:
    return Start(weights=weights, **rest)


def _sparse(rest: dict[str, Any], shape: tuple[int, int], rows: Array, held: Array) -> Start:
    weights = np.zeros(shape)
    weights[rows] = held
    return Start(weights=weights, **rest)


@dataclass(frozen=True, slots=True, eq=False)
class ShardSchema:
    """Labels and columns of some shards; if the start did not know them, the epoch is begun anew.

    Attributes
    ----------
    labels : tuple
        All of these shards.
    schemas : tuple of dict
        Of their streams, in the order of the shards.
    columns : int
        How many features are known.
    names : tuple of str
        Of those that were read to the end.
    """

    labels: tuple[Any, ...]
    schemas: tuple[dict[str, Any], ...]
    columns: int
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Count:
    """The counts of one shard in one epoch.

    Attributes
    ----------
    name : str
        Of the shard.
    rounds, updates, mistakes : int
    weight : float
        What its weights count in the mean.
    books : ndarray
        Of each target, and of the whole where there are several; without what the clock began with.
    columns, nonzeros : int
        How many features are known at its end, and how many values were read that are not zero, or are stored.
    cpu, reading : float
        Seconds of CPU time in all, and in reading.
    clock : ndarray
        Shaped as the books: what rates go by, as it stood at the end.
    fresh : (int, int)
        Rounds and mistakes of the first pass.
    columns_seen, reach : ndarray, shape (targets,), or None
        Of learners of mirror steps: up to which feature rounds have shown any, and the largest norm of an update's row.
    skipped : int
        Rows that were passed over.
    first_errors : tuple of str
        What was wrong with the first of them.
    """

    name: str
    rounds: int
    updates: int
    mistakes: int
    weight: float
    books: Array
    columns: int
    nonzeros: int
    clock: Array
    fresh: tuple[int, int]
    cpu: float = 0.0
    reading: float = 0.0
    columns_seen: Array | None = None
    reach: Array | None = None
    skipped: int = 0
    first_errors: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class MeanPart:
    """A weighted mean over some shards.

    Attributes
    ----------
    size : int
        How many rows there are: one more than the features.
    rows : ndarray of int64, or None
        The rows that are held, ascending; the others are as they were at the start. None: all of them.
    weights : ndarray, shape (held, targets)
        The mean.
    sums : ndarray, shape (held, targets), or None
        Of learners that predict by the mean of all the weights they had: by how much these differ from the start's,
        summed over the rounds. Rows that are not held have sums of zero.
    weight : float
        What these shards count in the mean of the weights.
    rounds : float
        How many rounds they played.
    whole : dict of str to ndarray, or None
        All that the learner remembers, where there is one shard only.
    matrices : dict of str to ndarray, or None
        Of second-order learners, in the place of weights: the sums and matrices of all these shards, added up.
    """

    size: int
    rows: Array | None
    weights: Array
    sums: Array | None
    weight: float
    rounds: float
    whole: dict[str, Array] | None = None
    matrices: dict[str, Array] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class ShardResult:
    """The result of an epoch on some shards.

    Attributes
    ----------
    part : MeanPart or None
        None where shards had labels or columns that the start did not know.
    counts : tuple of Count
        In the order of the shards; those with something new have none.
    schema : ShardSchema or None
        Labels and columns of shards with something new.
    """

    part: MeanPart | None
    counts: tuple[Count, ...]
    schema: ShardSchema | None = None
