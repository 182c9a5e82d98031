"""A combiner as arrays and a description, and back."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from typing import Any

import numpy as np

from .. import _core
from ..catalogue import expert_class
from ..errors import RegretlessError
from ..persist.format import read_model, refuse_unknown, write_model
from ..persist.validation import count, digits, fitted, names, one, parameters, plain, refuse_shapes, whole_numbers
from .base import ExpertLearner
from .forecast import Round
from .ridge import Ridge, RidgeBoard
from .state import ABSENT, FIELDS, ExpertState, Rules
from .weighted_majority import RandomizedWeightedMajority

KEYS = frozenset({"learner", "parameters", "experts", "width", "names", "tickets", "pending", "draws", "extra"})
WIDEST = 2**24  # numbers of a forecast: no array of the file bears witness to them
COUNTS = [FIELDS.index(name) for name in ("rounds", "absent", "mistakes")]
SIZES = [FIELDS.index(name) for name in ("spread", "spread2", "max_outcome2", "sensitivity")]
NUMBER = (int, float)
KINDS: dict[str, tuple[type, ...]] = {  # of parameters, None aside; what they may be is for the learner to say
    "n_experts": (int,),
    "loss": (str,),
    "tau": NUMBER,
    "value_range": (list,),
    "linearize": (bool, int),
    "prior": (list,),
    "eta": NUMBER,
    "alpha": NUMBER,
    "beta": NUMBER,
    "a": NUMBER,
    "horizon": (int,),
    "switches": (int,),
    "random_state": (int,),
    "update_on": (str,),
    "around": (str,),
}
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
        If its loss is a function: a model file holds no code. If it is too wide to be read back.
    """
    if callable(learner.loss):
        raise RegretlessError("a loss that is a function cannot be kept in a model file; use one that has a name")
    board = learner._known()
    if board.width > WIDEST:
        raise RegretlessError(f"forecasts of {board.width} numbers: a model file keeps those of {WIDEST} at most")
    pending = learner._pending
    description = {
        "learner": learner.name,
        "parameters": {name: plain(value) for name, value in learner.get_params().items()},
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
    write_model(path, description, tensors, rebuilt)


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
    refuse_unknown(path, description, KEYS)
    return fitted(path, description, lambda: _rebuild(description, tensors))


def _rebuild(description: Mapping[str, Any], tensors: Mapping[str, Array]) -> ExpertLearner:
    learner: ExpertLearner = expert_class(one(description["learner"], str, "learner"))(
        **parameters(description["parameters"], KINDS)
    )
    experts, width = count(description["experts"], "experts", 1), count(description["width"], "width", 1)
    tickets, pending = _tickets(description)
    rules = learner._rules(experts)
    # Before memory is set aside for them: the file has shown that it holds as much.
    refuse_shapes(_shapes(learner, rules, experts, width, len(pending)), tensors)
    _refuse_values(rules, tensors)
    learner.expert_names_ = names(description["names"], experts, "experts")
    board = learner._begin(experts, width)
    board.adopt({name: array for name, array in tensors.items() if name != "waiting"})
    learner._tickets = tickets
    for ticket, kept in zip(pending, tensors.get("waiting", ()), strict=True):
        learner._pending[ticket] = _round(kept, experts, width)
    _draw_on(learner, description["draws"])
    return learner


def _tickets(description: Mapping[str, Any]) -> tuple[int, list[int]]:
    """How many tickets were drawn, and which of them wait."""
    drawn = count(description["tickets"], "tickets")
    pending = [count(ticket, "a ticket") for ticket in one(description["pending"], list, "pending")]
    if len(set(pending)) < len(pending) or any(ticket >= drawn for ticket in pending):
        raise ValueError("a ticket waits twice, or was never drawn")
    return drawn, pending


def _shapes(learner: ExpertLearner, rules: Rules, experts: int, width: int, waiting: int) -> dict[str, tuple[int, ...]]:
    """The arrays that such a learner has."""
    if width > WIDEST:
        raise ValueError(f"forecasts have more than {WIDEST} numbers")
    shapes: dict[str, tuple[int, ...]] = {
        "state": (_core.combiner_rows(rules.rule), experts),
        "memory": (_core.COMBINER_MEMORY,),
        "book": (len(FIELDS),),
        "tallies": (5, experts),
        "triangle": (experts + 1, experts + 1),
        "waiting": (waiting, (experts + 1) * width + experts),
    }
    names = RidgeBoard.ARRAYS if isinstance(learner, Ridge) else ExpertState.ARRAYS
    return {name: shapes[name] for name in (*names, *(["waiting"] if waiting else []))}


def _refuse_values(rules: Rules, tensors: Mapping[str, Array]) -> None:
    """What no run can have written; that something is infinite is no such sign."""
    if any(np.isnan(array).any() for name, array in tensors.items() if name != "waiting"):
        raise ValueError("its arrays hold something else than numbers")
    counts = [tensors["book"][COUNTS], tensors["tallies"][ABSENT]]
    if "memory" in tensors:
        counts.append(tensors["memory"][:1])
    if rules.facts.counts:
        counts.append(tensors["state"])
    if not whole_numbers(*counts):
        raise ValueError("what counts rounds or mistakes is no whole number >= 0")
    if (tensors["book"][SIZES] < 0).any():
        raise ValueError("a size is below 0")
    if "triangle" in tensors and not np.diagonal(tensors["triangle"])[:-1].all():
        raise ValueError("its triangle cannot be solved")


def _round(kept: Array, experts: int, width: int) -> Round:
    waiting = Round(np.array(kept), experts, width)
    if not np.isfinite(waiting.weights).all():
        raise ValueError("the weights of a round that waits are no numbers")
    return waiting


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


def _draw_on(learner: ExpertLearner, draws: Any) -> None:
    if not isinstance(learner, RandomizedWeightedMajority):
        if draws is not None:
            raise ValueError("this learner draws no experts")
        return
    state: Any = learner.generator_.bit_generator.state
    kept = {name: digits(value) for name, value in one(draws["state"], dict, "the generator").items()}
    if set(kept) != set(state["state"]) or any(value >= 2**128 for value in kept.values()) or kept["inc"] % 2 == 0:
        raise ValueError("the generator has no such state")
    learner.seed_ = digits(draws["seed"])
    learner.generator_.bit_generator.state = state | {"state": kept}
    drawn = {one(ticket, int, "a ticket"): count(place, "a drawn expert") for ticket, place in draws["drawn"]}
    if len(drawn) != len(draws["drawn"]) or set(drawn) != set(learner._pending):
        raise ValueError("there is not one drawn expert for each prediction that waits")
    for ticket, place in drawn.items():
        if np.isnan(learner._pending[ticket].advice[place]):
            raise ValueError("an expert was drawn that is silent")
    learner._drawn = drawn
