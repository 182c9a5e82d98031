"""What every shard begins an epoch with: the only thing that travels to it."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Literal

import numpy as np

from ...data.batch import Array

Weighting = Literal["uniform", "updates", "rows"]
WEIGHTINGS: tuple[Weighting, ...] = ("uniform", "updates", "rows")


@dataclass(frozen=True, slots=True, eq=False)
class Start:
    """Where an epoch begins.

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
    met : ndarray, shape (targets,), or None
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
    met: Array | None = None
    whole: dict[str, Array] | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        """Without the rows of zeros, if that is shorter."""
        given = {field.name: getattr(self, field.name) for field in fields(self)}
        weights = given.pop("weights")
        rows = _not_zero(weights)
        return (_whole, (given, weights)) if rows is None else (_sparse, (given, weights.shape, rows, weights[rows]))


def _not_zero(weights: Array) -> Array | None:
    """The rows that are not all zero; None if naming them takes no less room than giving all."""
    held, targets = weights != 0, weights.shape[1]  # comparing and counting is much quicker than finding places
    if np.count_nonzero(held) * (1 + targets) >= weights.size * targets:
        return None
    rows = np.flatnonzero(held[:, 0] if targets == 1 else held.any(axis=1))
    return None if len(rows) * (1 + targets) >= weights.size else rows


def _whole(given: dict[str, Any], weights: Array) -> Start:
    return Start(weights=weights, **given)


def _sparse(given: dict[str, Any], shape: tuple[int, int], rows: Array, held: Array) -> Start:
    weights = np.zeros(shape)
    weights[rows] = held
    return Start(weights=weights, **given)
