"""What theorems may ask of a learner, and which facts of a run a bound was computed from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from math import isfinite
from typing import Any

import numpy as np

SMALL = 100  # numbers of an array that JSON holds itself
SMALL_TABLE = 1000  # numbers of one with rows: ten estimates of each of a hundred arms

Notes = dict[str, Any]


class Facts:
    """What a theorem may ask of a learner besides its ledger: each kind of learner has a frozen record of them.

    Learners make them by ``facts()``; those of weights, which have one for each target, by ``target_facts()``.
    """

    __slots__ = ()


def facts_read(what: Callable[..., Any], *sources: Any) -> list[Notes]:
    """What a formula asks of each of its sources, by name; those that are no dataclasses tell nothing."""
    notes: list[Notes] = [{} for _ in sources]
    what(*(watched(source, note) for source, note in zip(sources, notes, strict=True)))
    return notes


def watched(source: Any, notes: Notes) -> Any:
    """The same object, which writes down what it is asked for."""
    if not is_dataclass(source) or isinstance(source, type):
        return source
    twin: Any = object.__new__(_noting(type(source)))
    for field in fields(source):
        object.__setattr__(twin, field.name, getattr(source, field.name))
    object.__setattr__(twin, "_notes", notes)
    return twin


@cache
def _noting(kind: type) -> type:
    """The class of objects of that kind that note what they are asked for."""

    def read(self: Any, name: str) -> Any:
        value = object.__getattribute__(self, name)
        if name.startswith("_") or callable(value):
            return value
        try:
            notes = object.__getattribute__(self, "_notes")
        except AttributeError:  # a copy that the formula made: what it is made of was noted
            return value
        if is_dataclass(value) and not isinstance(value, type):
            return watched(value, notes.setdefault(name, {}))
        notes[name] = value
        return value

    return type(kind.__name__, (kind,), {"__slots__": ("_notes",), "__getattribute__": read})


def in_json(value: Any) -> Any:
    """A value as JSON has it; None for arrays of more than `SMALL` numbers, of tables of more than `SMALL_TABLE`, and
    for what it has no word for."""
    if isinstance(value, np.ndarray):
        most = SMALL if value.ndim < 2 else SMALL_TABLE
        return in_json(value.tolist()) if value.size <= most else None
    if isinstance(value, np.generic):
        return in_json(value.item())
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if isfinite(value) else str(value)
    if isinstance(value, Mapping):
        return {str(name): in_json(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [in_json(one) for one in value]
    if is_dataclass(value):
        return {field.name: in_json(getattr(value, field.name)) for field in fields(value)}
    return None
