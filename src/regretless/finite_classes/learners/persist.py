"""A learner of a finite class as arrays and a description, and back; the class is in the file too."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from typing import Any

import numpy as np

from ...catalogue import class_learner
from ...persist.format import read_model, refuse_unknown, write_model
from ...persist.validation import count, fitted, names, one, parameters
from ..finite_class import FiniteClass, packed, unpacked
from .base import ClassLearner
from .state import FIELDS, ClassState

ROOM = "classes"
KEYS = frozenset(
    {"room", "learner", "parameters", "given", "points", "point_names", "names", "tickets", "open", "more", "extra"}
)
KINDS: dict[str, tuple[type, ...]] = {  # of parameters; what they may be is for the learner to say
    "tie": (int,),
    "prune": (str,),
    "random_state": (int,),
    "patience": (int,),
}
APART = ("finite_class", "order")  # parameters that are kept as arrays
Array = np.ndarray[Any, Any]


def write(path: str | PathLike[str], learner: ClassLearner, extra: Mapping[str, Any]) -> None:
    """Write a learner, a prediction that waits for its label included, and what its caller wants to keep with it.

    Parameters
    ----------
    path : path-like
        Replaced as a whole, or not at all.
    learner : ClassLearner
    extra : mapping of JSON values
        Read back as it is.
    """
    finite_class, board = learner.finite_class, learner._board
    given = {name: value for name, value in learner.get_params().items() if name not in APART}
    description = {
        "room": ROOM,
        "learner": learner.name,
        "parameters": given | learner._settled(),
        "given": finite_class.given,
        "points": finite_class.points,
        "point_names": finite_class.point_names,
        "names": finite_class.hypothesis_names,
        "tickets": learner._tickets,
        "open": None if learner._open is None else [learner._open[0], int(learner._open[1])],
        "more": learner._more(),
        "extra": dict(extra),
    }
    tensors = {"rows": finite_class.rows, **board.arrays()}
    if getattr(learner, "order", None) is not None:
        assert board.order is not None
        tensors["order"] = board.order
    write_model(path, description, tensors, rebuilt)


def read(path: str | PathLike[str]) -> tuple[ClassLearner, dict[str, Any]]:
    """Read a learner and what was kept with it; nothing is imported by name and nothing is run.

    Raises
    ------
    ModelError
        If the file is no model of a learner of a finite class, is damaged, or does not fit together.
    """
    return rebuilt(path, *read_model(path))


def rebuilt(
    path: str | PathLike[str], description: Mapping[str, Any], tensors: Mapping[str, Array]
) -> tuple[ClassLearner, dict[str, Any]]:
    """The same from what the file was found to hold.

    Raises
    ------
    ModelError
        If it does not fit together.
    """
    refuse_unknown(path, description, KEYS)
    return fitted(path, description, lambda: _rebuild(description, tensors))


def _rebuild(description: Mapping[str, Any], tensors: Mapping[str, Array]) -> ClassLearner:
    if description["room"] != ROOM:
        raise ValueError("it learns no finite class")
    kind = class_learner(one(description["learner"], str, "learner"))
    given = parameters(description["parameters"], KINDS)
    if "order" in tensors:
        given["order"] = _whole(tensors["order"], "order")
    learner: ClassLearner = kind(_class(description, tensors["rows"]), **given)
    board = learner._board
    arrays = {name: tensors[name] for name in tensors if name not in ("rows", "order")}
    _refuse_arrays(board, arrays)
    learner._board = ClassState(learner.finite_class, tie=board.tie, lazy=board.lazy, order=board.order, arrays=arrays)
    learner._tickets = count(description["tickets"], "tickets", int(learner._board.book[0]))
    learner._go_on(description["more"])
    _reopen(learner, description["open"])
    return learner


def _class(description: Mapping[str, Any], rows: Array) -> FiniteClass:
    """The class; a file holds no hypothesis twice."""
    points, given = count(description["points"], "points", 1), count(description["given"], "given", 1)
    if rows.ndim != 2 or rows.dtype != np.uint64 or rows.shape[1] != -(-points // 64) or not 0 < len(rows) <= given:
        raise ValueError("its class has another shape or type than it says")
    table = unpacked(rows, points)
    if not np.array_equal(packed(table), rows):
        raise ValueError("its hypotheses speak of points that are not there")
    found = FiniteClass(
        table,
        hypotheses=names(description["names"], len(rows), "hypotheses"),
        points=names(description["point_names"], points, "points"),
    )
    if found.hypotheses != len(rows):
        raise ValueError("a hypothesis is there twice")
    found.given = given
    return found


def _whole(array: Array, what: str) -> Array:
    if array.ndim != 1 or array.dtype != np.int64:
        raise ValueError(f"{what} is no row of whole numbers")
    return array


def _agreeing(finite_class: FiniteClass, everybody: Array, some: Array) -> Array:
    """All hypotheses that say what some of them agree on."""
    agreeing = everybody.copy()
    for column in finite_class.columns:
        if not (some & ~column).any():
            agreeing &= column
        elif not (some & column).any():
            agreeing &= ~column
    return agreeing


def _size(words: Array) -> int:
    return int(np.unpackbits(words.view(np.uint8)).sum(dtype=np.int64))


def _refuse_arrays(board: ClassState, arrays: Mapping[str, Array]) -> None:
    """Refuse what no run can have written."""
    if set(arrays) != set(board.arrays()):
        raise ValueError("it has other arrays than such a learner")
    everybody = board.kept
    for name, array in arrays.items():
        if name == "book":
            continue
        if array.shape != everybody.shape or array.dtype != np.uint64 or (array & ~everybody).any() or not array.any():
            raise ValueError(f"{name} is no set of its hypotheses")
        if not np.array_equal(_agreeing(board.finite_class, everybody, array), array):
            raise ValueError(f"{name} are not all that agree with some labels")
    if board.lazy and (arrays["alive"] & ~arrays["kept"]).any() and not arrays["book"][FIELDS.index("died")]:
        raise ValueError("a hypothesis agrees with all labels and has no vote")
    book = _whole(arrays["book"], "book")
    if len(book) != len(FIELDS):
        raise ValueError("its book has another length")
    rounds, mistakes, alive, kept, died = book.tolist()
    agreeing = _size(arrays.get("alive", arrays["kept"]))
    if not (0 <= mistakes <= rounds and 0 <= died <= rounds):
        raise ValueError("it counts more mistakes than rounds, or a death in none of them")
    if kept != _size(arrays["kept"]) or alive != (0 if died else agreeing):
        raise ValueError("its book counts other hypotheses than there are")


def _reopen(learner: ClassLearner, kept: Any) -> None:
    """The prediction that waits for its label: what the learner says of the point again."""
    if kept is None:
        return
    point, predicted = (count(number, "an open prediction") for number in one(kept, list, "an open prediction"))
    if point >= learner.finite_class.points or predicted > 1 or learner._tickets == learner.rounds_:
        raise ValueError("a prediction waits that was never made")
    label = learner._said(point, predicted)
    label.ticket = learner._tickets - 1
    learner._open = point, label
