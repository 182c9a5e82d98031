"""What a round weighs by its class."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..checks import positive
from ..data.batch import Array
from ..errors import ParameterError, RegretlessError


def weigh(class_weight: Any, labels: Array, weights: Array | None, classes: Array | None) -> Array | None:
    """The weight of each round: its own times that of its class; None where all weigh the same.

    Parameters
    ----------
    class_weight : mapping, "balanced" or None
        Weights of classes, 1 where none is given; "balanced": rounds / (classes * rounds of the class).
    labels : ndarray, shape (rounds,)
    weights : ndarray, shape (rounds,), or None
        Of the rounds themselves.
    classes : ndarray or None
        All classes among the labels; None in a stream, which does not know yet how many rounds each will have.

    Raises
    ------
    RegretlessError
        If there is no such weight.
    """
    if class_weight is None:
        return weights
    if isinstance(class_weight, Mapping):
        by_class = np.ones(len(labels))
        for label, weight in class_weight.items():
            by_class[_is(labels, label)] = positive(f"class_weight[{label!r}]", weight, or_zero=True)
    elif isinstance(class_weight, str) and class_weight == "balanced":
        if classes is None:
            raise RegretlessError(
                'class_weight="balanced" needs all labels at once; in a stream, give the weight of each class'
            )
        places = np.searchsorted(classes, labels)
        counts = np.bincount(places, weights=weights, minlength=len(classes))
        by_class = (counts.sum() / (len(classes) * counts))[places]
    else:
        raise ParameterError("class_weight", repr(class_weight), "it must be a mapping, 'balanced' or None")
    return np.asarray(by_class if weights is None else by_class * weights)


def _is(labels: Array, label: Any) -> Array:
    """Which labels are the one of this name; a command line and a model file call numbers by their text."""
    if labels.dtype.kind == "U":
        return np.asarray(labels == str(label))
    try:
        return np.asarray(labels == (float(label) if isinstance(label, str) else label))
    except ValueError:
        return np.zeros(len(labels), dtype=np.bool_)
