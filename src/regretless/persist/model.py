"""Model files of learners of any kind: one writer, one reader, and what a learner must offer them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import fields
from io import BytesIO
from os import PathLike, fspath
from typing import Any, ClassVar, Self

import numpy as np

from ..catalogue import EXPERT_LEARNERS, NOUNS, Kind, class_of
from ..errors import ModelError, RegretlessError
from .format import decoded, encoded, read_model, refuse_unknown, write_model
from .validation import one, plain

Array = np.ndarray[Any, Any]
Path = str | PathLike[str]
KEYS: dict[
    Kind, str
] = {  # what a description may have; all of it is needed but for "fresh", and "asked" of those that ask
    "linear": "learner parameters extra classes labels columns names steady fresh asked",
    "regression": "learner parameters extra room columns names steady",
    "experts": "learner parameters extra experts width names tickets pending draws",
    "bandits": "learner parameters extra room arms first comparators names seed",
    "contextual": "learner parameters extra room arms columns names seed regressions",
    "class": "learner parameters extra room given points point_names names tickets open more",
}
ROOMS: dict[Kind, str] = {
    "bandits": "bandits",
    "contextual": "contextual",
    "class": "classes",
    "regression": "regression",
}  # the kinds whose names others have too say so


class Persistent(ABC):
    """A learner that can be saved in a file."""

    name: ClassVar[str]
    kind: ClassVar[Kind]

    @abstractmethod
    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The constructor's arguments."""

    @abstractmethod
    def state_dict(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """What it has learned: a description of JSON values by the `KEYS` of its kind, and arrays."""

    @classmethod
    @abstractmethod
    def from_state(cls, description: Mapping[str, Any], tensors: Mapping[str, Array]) -> Self:
        """A learner of the parameters and the state in a description, neither of them checked yet.

        Parameters
        ----------
        description : mapping
            With the keys that `KEYS` has for its kind.
        tensors : mapping of str to ndarray

        Raises
        ------
        ValueError
            If it does not fit together; or a LookupError, a TypeError, an ArithmeticError, an AttributeError.
        """

    def _extra(self) -> dict[str, Any]:
        """What is saved beside the state, as JSON values."""
        return {}

    def stored_params(self) -> dict[str, Any]:
        """The parameters that the description keeps."""
        return self.get_params()

    def save(self, path: str | PathLike[str]) -> None:
        """Write the learner to a file that `regretless.load` reads, with all that waits for an outcome.

        Parameters
        ----------
        path : path-like
            Replaced as a whole, or not at all.

        Raises
        ------
        RegretlessError
            If there is nothing to save yet, or something cannot be saved in a file.
        OSError
            If the file cannot be written.
        """
        write(path, self, self._extra())


class PersistentRecord(Persistent):
    """A learner whose parameters are the fields of a dataclass, which cannot be set once it has set `_made`."""

    _FIXED: ClassVar[str] = "cannot be changed"  # of a parameter, as its error says

    def __setattr__(self, name: str, value: Any) -> None:
        record: Any = self
        if "_made" in self.__dict__ and name in record.__dataclass_fields__:
            raise RegretlessError(f"{name}= {self._FIXED}; see clone({name}=...)")
        object.__setattr__(self, name, value)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The constructor's arguments."""
        record: Any = self
        return {field.name: getattr(self, field.name) for field in fields(record)}

    def clone(self, **changes: Any) -> Self:
        """A new learner with the same parameters but for the changes; one that draws, without a seed of its own, draws
        another one."""
        return type(self)(**(self.get_params() | changes))


def write(path: Path, learner: Persistent, extra: Mapping[str, Any]) -> None:
    """Write a learner and what its caller wants to keep with it.

    Parameters
    ----------
    path : path-like
        Replaced as a whole, or not at all.
    learner : Persistent
    extra : mapping of JSON values
        Read back as it is.

    Raises
    ------
    RegretlessError
        If something cannot be saved in a file, or would be refused when it is read.
    OSError
        If the file cannot be written.
    """
    write_model(path, *_content(learner, extra), rebuilt)


def model_bytes(learner: Persistent, extra: Mapping[str, Any], name: str = "the model") -> bytes:
    """The bytes of the file that `write` would write; messages call it by the name.

    Raises
    ------
    RegretlessError
        As by `write`.
    """
    return b"".join(encoded(name, *_content(learner, extra), rebuilt))


def read_bytes(content: bytes, name: str) -> tuple[Any, dict[str, Any]]:
    """What `read` reads, from the bytes of a file; messages call it by the name.

    Raises
    ------
    ModelError
        As by `read`.
    """
    return rebuilt(name, *decoded(name, BytesIO(content), len(content)))


def _content(learner: Persistent, extra: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Array]]:
    """The description and the arrays of a learner."""
    state, tensors = learner.state_dict()
    parameters = {name: plain(value) for name, value in learner.stored_params().items()}
    room = {"room": ROOMS[learner.kind]} if learner.kind in ROOMS else {}
    description = {"learner": learner.name, "parameters": parameters, "extra": dict(extra)}
    return room | description | state, tensors


def read(path: Path, kind: Kind | None = None) -> tuple[Any, dict[str, Any]]:
    """Read a learner and what was saved with it; nothing is imported by a name in the file, and nothing is run.

    Parameters
    ----------
    path : path-like
        A ``.rgl`` file.
    kind : {"linear", "regression", "experts", "bandits", "contextual", "class"}, optional
        Refuse learners of any other.

    Returns
    -------
    learner : OnlineClassifier, OnlineRegressor, ExpertLearner, Bandit or ClassLearner
    extra : dict
        JSON values.

    Raises
    ------
    ModelError
        If the file is no model, is damaged, or does not fit together.
    """
    return rebuilt(path, *read_model(path), kind)


def rebuilt(
    path: Path, description: Mapping[str, Any], tensors: Mapping[str, Array], kind: Kind | None = None
) -> tuple[Any, dict[str, Any]]:
    """The same from the content of the file.

    Parameters
    ----------
    path : path-like
        What messages call the file.
    description : mapping
    tensors : mapping of str to ndarray
    kind : {"linear", "experts", "bandits", "class"}, optional
        Refuse learners of any other.

    Raises
    ------
    ModelError
        If it does not fit together.
    """
    kind = kind or _kind_of(description)
    refuse_unknown(path, description, KEYS[kind].split())
    try:
        if description.get("room") != ROOMS.get(kind):
            raise ValueError(f"it is no {NOUNS[kind]}")
        learner = class_of(kind, one(description["learner"], str, "learner")).from_state(description, tensors)
        return learner, dict(one(description["extra"], dict, "extra"))
    except (LookupError, TypeError, ValueError, ArithmeticError, AttributeError, MemoryError) as error:
        if isinstance(error, ModelError):
            raise
        raise ModelError(f"{fspath(path)}: the model does not fit together ({error}); it cannot be used") from error


def _kind_of(description: Mapping[str, Any]) -> Kind:
    if "room" in description:
        rooms = {room: kind for kind, room in ROOMS.items()}
        room = description["room"]
        return rooms.get(room, "bandits") if isinstance(room, str) else "bandits"
    name = description.get("learner")
    return "experts" if isinstance(name, str) and name in EXPERT_LEARNERS else "linear"
