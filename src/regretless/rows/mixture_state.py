"""What a mixture of eight learners remembers, of labels as of numbers: cells of features, books of the members, and
full matrices of few features."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np

from .. import _core
from ..data.batch import Array
from .state import BaseState, zeros_on_lines

# Members side by side; how many rates; the place of the first member with a matrix of the features.
LANES, RATES, FULL = _core.AGGREGATED_LANES, _core.AGGREGATED_RATES, _core.AGGREGATED_FULL
BLOCK = 4096  # columns whose cells are looked at at once


class MixtureState(BaseState):
    """Cells of features, books of members, and full matrices of a part of the members while there are few columns.

    Parameters
    ----------
    columns, targets : int
        As of any state.
    members : tuple of bool
        Which of the eight places have a member.
    limit : int or None
        Up to how many columns the full members stay; None: for ever.
    """

    CELL: ClassVar[int]  # numbers of a feature and target
    FULLS: ClassVar[int]  # places of members with matrices

    cells: Array
    memory: Array
    weights: Array
    scales: Array
    factor: Array

    def __init__(self, columns: int, targets: int, *, members: tuple[bool, ...], limit: int | None) -> None:
        self._members = tuple(bool(member) for member in members)
        self._limit, self._fulls = limit, self.matrices(self._members)
        self.full = any(self._members[FULL : FULL + self.FULLS]) and (limit is None or columns <= limit)
        super().__init__(columns, targets)
        for name, shape in self._layout(columns).items():
            setattr(self, name, zeros_on_lines(shape))
        self._enlist(self._members if self.full else self._without_matrices())

    @classmethod
    def matrices(cls, members: tuple[bool, ...]) -> int:
        """How many full matrices a target has room for."""
        return cls.FULLS

    def _without_matrices(self) -> tuple[bool, ...]:
        """The members that stay when there are too many columns."""
        return (*self._members[:FULL], *self.FULLS * (False,), *self._members[FULL + self.FULLS :])

    def options(self) -> dict[str, Any]:
        """Which members there are, and how long the full ones stay."""
        return {"members": list(self._members), "limit": self._limit}

    @abstractmethod
    def sizes(self) -> Array:
        """The largest size of each feature so far, shape (columns,)."""

    @abstractmethod
    def _enlist(self, members: tuple[bool, ...]) -> None:
        """Give these members equal prior weights, and share among them what others have had."""

    def grow(self, columns: int) -> None:
        """Make room for columns that the stream has revealed; beyond the limit the full members go."""
        if columns <= self.columns:
            return
        self._refuse_large(columns)
        if columns > len(self.cells):
            room = max(columns, min(2 * len(self.cells), 2 * columns))
            self.cells = _with_rows(self.cells, room)
            self._player = None
        if self.full and self._limit is not None and columns > self._limit:
            self._retire()
        elif self.full:
            self._widen(columns)
        self.columns = columns

    def _retire(self) -> None:
        names = [name for name in self._layout(0) if name != "cells"]
        self.full, self._player = False, None
        for name in names:
            delattr(self, name)
        self._enlist(self._without_matrices())

    def _widen(self, columns: int) -> None:
        """New columns of the matrices, which owe nothing to the others yet."""
        for name, shape in self._layout(columns).items():
            if name == "cells":
                continue
            old = getattr(self, name).reshape(self.targets, self._fulls, -1)
            larger = zeros_on_lines(shape)
            larger.reshape(self.targets, self._fulls, -1)[:, :, : old.shape[2]] = old
            setattr(self, name, larger)
        self._player = None

    def _layout(self, columns: int) -> dict[str, tuple[int, ...]]:
        layout: dict[str, tuple[int, ...]] = {"cells": (columns, self.targets * self.CELL)}
        if self.full and (self._limit is None or columns <= self._limit):
            n = 1 + columns
            each = {"weights": n, "scales": n, "factor": _core.factor_size(n)}
            layout |= {name: (self.targets, self._fulls * size) for name, size in each.items()}
        return layout

    def without_matrices(self, columns: int) -> Self:
        """An empty state of so many columns with the other members alone."""
        return type(self)(columns, self.targets, members=self._without_matrices(), limit=self._limit)

    def same_within(self, other: Self, columns: Array) -> bool:
        """Whether a state that has these columns alone, ascending, holds the same bits, and this one nothing of others.

        Parameters
        ----------
        other : MixtureState
            Of as many columns as are named.
        columns : ndarray of int
        """
        if self.full or other.full or not np.array_equal(self.memory, other.memory):
            return False
        blocks = range(0, len(columns), BLOCK)
        same = (np.array_equal(self.cells.take(columns[k : k + BLOCK], 0), other.cells[k : k + BLOCK]) for k in blocks)
        alike = np.array_equal(self.books, other.books) and all(same)
        return alike and np.count_nonzero(self.sizes()) == np.count_nonzero(other.sizes())

    def tensors(self) -> dict[str, Array]:
        """All that must be kept of it, by name."""
        arrays = {name: getattr(self, name) for name in self._layout(0)}
        return {**arrays, "cells": self.cells[: self.columns], "memory": self.memory, "books": self.books}

    def shapes(self, columns: int) -> dict[str, tuple[int, ...]]:
        """The shapes of what `tensors` gives when there are so many columns."""
        size = {name: (self.targets, numbers) for name, numbers in self.TARGETS.items()}
        return {**self._layout(columns), **size, "books": self.books.shape}

    def adopt(self, columns: int, tensors: Mapping[str, Array]) -> None:
        """Take over what `tensors` gave, in a state that is empty and has as many targets."""
        if self.full and not self._layout(0).keys() <= tensors.keys():
            self._retire()
        super().adopt(columns, tensors)
        self.cells = _with_rows(self.cells, columns)


def _with_rows(array: Array, rows: int) -> Array:
    larger = zeros_on_lines((rows, array.shape[1]))
    larger[: len(array)] = array
    return larger
