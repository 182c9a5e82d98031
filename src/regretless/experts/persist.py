"""A combiner as arrays and a description, and back."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike, fspath
from typing import Any

import numpy as np

from ..errors import ModelError, RegretlessError
from ..modelfile import read_model, write_model
from .base import ExpertLearner
from .forecast import Round
from .registry import expert_class
from .weighted_majority import RandomizedWeightedMajority

KEYS = frozenset({"learner", "parameters", "experts", "width", "names", "tickets", "pending", "draws", "extra"})
Array = np.ndarray[Any, Any]


def write(path: str | PathLike[str], learner: ExpertLearner, extra: Mapping[str, Any]) -> None:
    """Write a combiner, predictions that wait for their outcomes included, and what its caller wants to keep with it.

    Parameters
    ----------
    path : path-like
        Replaced as a whole, or not at all.
    learner : ExpertLearner
        That knows how many experts there are.
    extra : mapping of JSON values
        Read back as it is.

    Raises
    ------
    RegretlessError
        If its loss is a function: a model file holds no code.
    """
    if callable(learner.loss):
        raise RegretlessError("a loss that is a function cannot be kept in a model file; use one that has a name")
    board = learner._known()
    pending = learner._pending
    description = {
        "learner": learner.name,
        "parameters": {name: _plain(value) for name, value in learner.get_params().items()},
        "experts": len(board.prior),
        "width": board.width,
        "names": learner.expert_names_,
        "tickets": learner._tickets,
        "pending": list(pending),
        "draws": _draws(learner),
        "extra": dict(extra),
    }
    tensors = board.arrays()
    if pending:
        tensors["waiting"] = np.stack([kept.kept for kept in pending.values()])
    write_model(path, description, tensors)


def read(path: str | PathLike[str]) -> tuple[ExpertLearner, dict[str, Any]]:
    """Read a combiner and what was kept with it; nothing is imported by name and nothing is run.

    Raises
    ------
    ModelError
        If the file is no model of a combiner, is damaged, or does not fit together.
    """
    return rebuilt(path, *read_model(path))


def rebuilt(
    path: str | PathLike[str], description: Mapping[str, Any], tensors: Mapping[str, Array]
) -> tuple[ExpertLearner, dict[str, Any]]:
    """The same from what the file was found to hold.

    Raises
    ------
    ModelError
        If it does not fit together.
    """
    strange = sorted(set(description) - KEYS)
    if strange:
        raise ModelError(f"{fspath(path)}: has keys that are not known: {', '.join(map(repr, strange))}")
    try:
        return _rebuild(description, tensors), dict(description["extra"])
    except (KeyError, TypeError, ValueError, OverflowError, AttributeError) as error:
        if isinstance(error, ModelError):
            raise
        raise ModelError(f"{fspath(path)}: the model does not fit together ({error}); it cannot be used") from error


def _rebuild(description: Mapping[str, Any], tensors: Mapping[str, Array]) -> ExpertLearner:
    parameters = dict(description["parameters"])
    if parameters.get("value_range") is not None:
        parameters["value_range"] = tuple(parameters["value_range"])
    learner = expert_class(description["learner"])(**parameters)
    experts, names = int(description["experts"]), description["names"]
    if experts < 1 or (names is not None and len(names) != experts):
        raise ValueError("there are not as many names as experts")
    board = learner._begin(experts, int(description["width"]))
    waiting = tensors.get("waiting", np.empty((0, board.room)))
    if any(np.isnan(array).any() for name, array in tensors.items() if name != "waiting"):
        raise ValueError("its arrays hold something else than numbers")
    board.adopt({name: array for name, array in tensors.items() if name != "waiting"})
    learner.expert_names_ = None if names is None else [str(name) for name in names]
    learner._tickets = int(description["tickets"])
    tickets = [int(ticket) for ticket in description["pending"]]
    if waiting.shape != (len(tickets), board.room) or waiting.dtype != np.float64:
        raise ValueError("there are not as many rounds that wait as tickets")
    for ticket, kept in zip(tickets, waiting, strict=True):
        learner._pending[ticket] = Round(np.array(kept), experts, board.width)
    _draw_on(learner, description["draws"])
    return learner


def _draws(learner: ExpertLearner) -> dict[str, Any] | None:
    """Where the generator stands, and which experts were drawn for the predictions that wait."""
    if not isinstance(learner, RandomizedWeightedMajority):
        return None
    state: Any = learner.generator_.bit_generator.state
    return {
        "seed": str(learner.seed_),
        "state": {name: str(value) for name, value in state["state"].items()},  # JSON has no numbers of 128 bits
        "drawn": [[ticket, place] for ticket, place in learner._drawn.items()],
    }


def _draw_on(learner: ExpertLearner, draws: Mapping[str, Any] | None) -> None:
    if not isinstance(learner, RandomizedWeightedMajority) or draws is None:
        return
    state: Any = learner.generator_.bit_generator.state
    state["state"] = {name: int(value) for name, value in draws["state"].items()}
    learner.seed_ = int(draws["seed"])
    learner.generator_.bit_generator.state = state
    learner._drawn = {int(ticket): int(place) for ticket, place in draws["drawn"]}


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray | list | tuple):
        return [_plain(one) for one in value]
    return value.item() if isinstance(value, np.generic) else value
