"""What a model's features are called, and which of them weigh most."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from .output import label_text

if TYPE_CHECKING:
    from ..linear.base import OnlineClassifier

Weights = list[tuple[str, float]]


def namer(learner: OnlineClassifier, schema: dict[str, Any] | None) -> Callable[[int], str]:
    """What to call a feature: its name, its id as the file has it, or else its column; all names of a shared column."""
    names = getattr(learner, "feature_names_in_", None)
    if names is not None:
        return _from_list([str(name) for name in names])
    from ..data.names import called, column_names

    of = column_names(schema)
    return lambda column: called(of(column), column)


def _from_list(names: list[str]) -> Callable[[int], str]:
    return lambda column: names[column] if column < len(names) else str(column)


def largest(learner: OnlineClassifier, schema: dict[str, Any] | None, top: int) -> list[tuple[str, Weights]]:
    """For each target, the class that positive scores speak for and the largest weights, the largest first."""
    name = namer(learner, schema)
    weights = learner.state_.coefficients()
    classes = learner.classes_[-1:] if weights.shape[1] == 1 else learner.classes_
    found = []
    for target, label in enumerate(classes.tolist()):
        column = weights[:, target]
        chosen = _top(np.abs(column), top)
        found.append((label_text(label), [(name(int(k)), float(column[k])) for k in chosen if column[k] != 0]))
    return found


def _top(sizes: np.ndarray[Any, Any], top: int) -> list[int]:
    """The places of the largest sizes; among equals the first."""
    if top < len(sizes):
        least = np.partition(sizes, len(sizes) - top)[len(sizes) - top]
        above = np.flatnonzero(sizes > least)
        chosen = np.concatenate([above, np.flatnonzero(sizes == least)[: top - len(above)]])
    else:
        chosen = np.arange(len(sizes))
    order = np.lexsort((chosen, -sizes[chosen]))
    return [int(place) for place in chosen[order]]
