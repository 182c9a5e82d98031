"""Strict validation of model metadata."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields
from functools import cache
from math import isfinite
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np

from ..errors import ModelError, RegretlessError

Array = np.ndarray[Any, Any]


@contextmanager
def fits(what: str) -> Iterator[None]:
    """Turn what goes wrong in the block, which reads a description, into a `ModelError`.

    Raises
    ------
    ModelError
        If something goes wrong; `what` says of what.
    """
    try:
        yield
    except (LookupError, TypeError, ValueError, ArithmeticError, AttributeError) as error:
        if isinstance(error, RegretlessError):
            raise
        raise ModelError(f"{what} does not fit together ({error!r})") from error


def one(value: Any, kind: type, what: str) -> Any:
    """A value of exactly the type that is expected; a truth value is no number.

    Parameters
    ----------
    value : object
    kind : type
    what : str
        What messages call it.

    Raises
    ------
    ValueError
        If it is of another, as everywhere here.
    """
    if type(value) is not kind:
        raise ValueError(f"{what} is of another type than {kind.__name__}")
    return value


def count(value: Any, what: str, least: int = 0) -> int:
    """A whole number of at least `least`.

    Parameters
    ----------
    value : object
    what : str
        What messages call it.
    least : int, default=0

    Raises
    ------
    ValueError
        If it is no such number.
    """
    number: int = one(value, int, what)
    if number < least:
        raise ValueError(f"{what} is below {least}")
    return number


def finite(value: Any, what: str, least: float = 0.0) -> float:
    """A finite float of at least `least`.

    Parameters
    ----------
    value : object
    what : str
        What messages call it.
    least : float, default=0.0

    Raises
    ------
    ValueError
        If it is no such number.
    """
    number: float = one(value, float, what)
    if not isfinite(number) or number < least:
        raise ValueError(f"{what} is {number}")
    return number


def digits(text: Any) -> int:
    """A whole number that was written as text, for JSON has none of 64 bits that everybody reads alike.

    Raises
    ------
    ValueError
        If it is none.
    """
    if not (one(text, str, "a number").isascii() and text.isdigit()):
        raise ValueError(f"{text[:40]!r} is no whole number")
    return int(text)


def names(described: Any, many: int, whose: str) -> list[str] | None:
    """As many names, or None.

    Parameters
    ----------
    described : object
    many : int
        How many there must be.
    whose : str
        Of what; a noun in the plural.

    Raises
    ------
    ValueError
        If they are of another number or type.
    """
    if described is None:
        return None
    if len(one(described, list, "names")) != many:
        raise ValueError(f"there are not as many names as {whose}")
    return [one(name, str, "a name") for name in described]


def parameters(described: Any, learner: type) -> dict[str, Any]:
    """The parameters of a learner that is a dataclass, each of a type that its field has, or None.

    Lists hold numbers, and a range is a tuple.

    Parameters
    ----------
    described : object
    learner : type
        A dataclass.

    Raises
    ------
    ValueError
        If there is no such parameter, or it is of another type.
    """
    values, kinds = dict(one(described, dict, "parameters")), _kinds(learner)
    for name, value in values.items():
        if value is not None and type(value) not in kinds.get(name, ()):
            raise ValueError(f"there is no parameter {name} of this type")
        if type(value) is list and not all(type(part) in (bool, int, float) for part in value):
            raise ValueError(f"{name} holds something else than numbers")
    if values.get("value_range") is not None:
        values["value_range"] = tuple(values["value_range"])
    return values


def stored_as(*kinds: type) -> dict[str, Any]:
    """The metadata of a field whose annotation does not say by which JSON types a file keeps its values."""
    return {"stored": kinds}


@cache
def _kinds(learner: type) -> dict[str, tuple[type, ...]]:
    hints = get_type_hints(learner)
    return {each.name: each.metadata.get("stored") or tuple(_json_types(hints[each.name])) for each in fields(learner)}


def _json_types(hint: Any) -> Iterator[type]:
    """The JSON types of values that are annotated so, None aside."""
    origin = get_origin(hint)
    if origin in (Union, UnionType):
        for part in get_args(hint):
            yield from _json_types(part)
    elif origin is Literal:
        yield from map(type, get_args(hint))
    elif origin is tuple:
        yield list
    elif hint in (bool, int, float, str):
        yield from (int, float) if hint is float else (hint,)


def refuse_shapes(shapes: Mapping[str, tuple[int, ...]], tensors: Mapping[str, Array]) -> None:
    """Refuse arrays that are not those of the learner that is described.

    Parameters
    ----------
    shapes : mapping of str to tuple of int
        What the learner asks for.
    tensors : mapping of str to ndarray
        What is there.

    Raises
    ------
    ValueError
        If the names, shapes or types differ.
    """
    if set(shapes) != set(tensors):
        raise ValueError("it has other arrays than such a learner")
    for name, array in tensors.items():
        if array.shape != shapes[name] or array.dtype != np.float64:
            raise ValueError(f"{name} has another shape or type than the learner asks for")


def whole_numbers(*arrays: Array) -> bool:
    """Whether all of these are whole numbers of at least 0."""
    return all(bool((np.isfinite(each) & (each >= 0) & (np.floor(each) == each)).all()) for each in arrays)


def plain(value: Any) -> Any:
    """A parameter as JSON values."""
    if isinstance(value, Mapping):
        return {str(key): plain(part) for key, part in value.items()}
    if isinstance(value, np.ndarray | list | tuple):
        return [plain(part) for part in value]
    return value.item() if isinstance(value, np.generic) else value
