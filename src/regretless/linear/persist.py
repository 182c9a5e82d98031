"""A linear learner as arrays and a description, and back."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike, fspath
from typing import Any

import numpy as np

from ..catalogue import learner_class
from ..data.batch import Array
from ..errors import ModelError, ParameterError
from ..persist.format import read_model, refuse_unknown, write_model
from .base import OnlineClassifier

KEYS = frozenset({"learner", "parameters", "classes", "labels", "columns", "names", "steady", "fresh", "extra"})


def write(path: str | PathLike[str], learner: OnlineClassifier, extra: Mapping[str, Any]) -> None:
    """Write a learner and what its caller wants to keep with it.

    Parameters
    ----------
    path : path-like
        Replaced as a whole, or not at all.
    learner : OnlineClassifier
        Fitted.
    extra : mapping of JSON values
        Read back as it is.
    """
    state, parameters = learner.state_, learner.get_params()
    seed = parameters.get("random_state")
    if seed is not None and not isinstance(seed, (int, np.integer)):
        raise ParameterError(
            "random_state", repr(seed), "cannot be kept in a model file; give a whole number or None", " "
        )
    names = getattr(learner, "feature_names_in_", None)
    description = {
        "learner": learner.name,
        "parameters": {key: _plain(value) for key, value in parameters.items()},
        "classes": learner.classes_.tolist(),
        "labels": learner.classes_.dtype.kind,
        "columns": state.columns,
        "names": None if names is None else list(names),
        "steady": state.steady and state.rules in (None, learner.rules()),
        "fresh": learner.first_pass(),
        "extra": dict(extra),
    }
    write_model(path, description, state.tensors(), rebuilt)


def read(path: str | PathLike[str]) -> tuple[OnlineClassifier, dict[str, Any]]:
    """Read a learner and what was kept with it; nothing is imported by name and nothing is run.

    Raises
    ------
    ModelError
        If the file is no model, is damaged, or does not fit together.
    """
    return rebuilt(path, *read_model(path))


def rebuilt(
    path: str | PathLike[str], description: Mapping[str, Any], tensors: Mapping[str, Array]
) -> tuple[OnlineClassifier, dict[str, Any]]:
    """The same from what the file was found to hold.

    Raises
    ------
    ModelError
        If it does not fit together.
    """
    refuse_unknown(path, description, KEYS)
    try:
        return _rebuild(description, tensors), dict(description["extra"])
    except (KeyError, TypeError, ValueError, OverflowError, MemoryError) as error:
        if isinstance(error, ModelError):
            raise
        raise ModelError(f"{fspath(path)}: the model does not fit together ({error}); it cannot be used") from error


def _rebuild(description: Mapping[str, Any], tensors: Mapping[str, Array]) -> OnlineClassifier:
    learner: OnlineClassifier = learner_class(description["learner"])(**description["parameters"])
    learner.checked()
    kinds = {"U": np.str_, "f": np.float64, "i": np.int64, "u": np.uint64, "b": np.bool_}
    classes: Array = np.array(description["classes"], dtype=kinds[description["labels"]])
    if classes.ndim != 1 or not len(classes) or not (classes[1:] > classes[:-1]).all():
        raise ValueError("its classes are not in order")
    columns = description["columns"]
    state = learner.new_state(0, learner.targets(classes))
    state.adopt(columns, tensors)
    state.steady = description["steady"] is True
    state.follow(learner.rules())
    learner.n_features_in_ = columns
    names = description["names"]
    if names is not None:
        if not isinstance(names, list) or len(names) != columns or not all(isinstance(name, str) for name in names):
            raise ValueError("its features have other names than its columns ask for")
        learner.feature_names_in_ = np.array(names, dtype=object)
    learner._adopt(classes, state)
    learner.resume_first_pass(description.get("fresh"))
    return learner


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(one) for key, one in value.items()}
    return value.item() if isinstance(value, np.generic) else value
