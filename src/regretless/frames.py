"""Results in the containers of pandas and polars, which are loaded where somebody asks for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

import numpy as np

from .errors import MissingError, ParameterError

Array = np.ndarray[Any, Any]
CONTAINERS = ("default", "pandas", "polars")


def container(kind: str) -> str:
    """The name of a container, if it is one.

    Raises
    ------
    ParameterError
        If it is none.
    """
    if kind not in CONTAINERS:
        raise ParameterError("predict", repr(kind), f"one of {', '.join(map(repr, CONTAINERS))} is expected")
    return kind


def index_of(table: Any) -> Any:
    """The index of a data frame of pandas; None of all else."""
    return table.index if hasattr(table, "iloc") else None


def series(values: Array, kind: str, index: Any = None, name: str | None = None) -> Any:
    """Values as a Series; those of several columns are left to `frame`."""
    module = _loaded(kind)
    if kind == "pandas":
        return module.Series(values, index=index, name=name)
    return module.Series(name or "", values)


def frame(columns: Mapping[str, Array], kind: str, index: Any = None) -> Any:
    """Named columns as a data frame."""
    module = _loaded(kind)
    return module.DataFrame(dict(columns), index=index) if kind == "pandas" else module.DataFrame(dict(columns))


def several(values: Array, names: Sequence[Any], kind: str, index: Any = None) -> Any:
    """The columns of a table of numbers, under the names that they have."""
    return frame({str(name): values[:, place] for place, name in enumerate(names)}, kind, index)


def as_array(values: Any) -> Array:
    """An array again, of text as of numbers."""
    return values if isinstance(values, np.ndarray) else np.array(values.to_list())


def _loaded(kind: str) -> Any:
    try:
        return import_module(kind)
    except ImportError as error:
        raise MissingError(f"{kind} is not installed; install it with: pip install {kind}") from error
