"""Certificates of rows in a few of many columns, which are numbered afresh for it; and vectors of comparators that are
made once somebody reads them."""

from __future__ import annotations

from dataclasses import fields, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from .. import _core
from ..certificate import Certificate
from ..comparator import Comparator
from ..data.batch import Array, Batch, narrow

MANY_COLUMNS = 1 << 16  # beyond which those that occur are numbered afresh, if they are fewer than half
DEAR_COLUMNS = 8  # an entry, up to which rounds are played again in all columns


class SomeColumns(NamedTuple):
    """Those that occur, ascending, and how many there are in all."""

    used: Array
    columns: int

    @property
    def size(self) -> int:
        """How many these are."""
        return len(self.used)

    def of(self, table: Array) -> tuple[Array, bool]:
        """The rows of a table that are these columns', and whether all others hold nothing but zeros."""
        return _core.rows_of(table, self.used)

    def whole(self, vector: Array) -> Array:
        """A vector of these columns, which may have the weight of a constant feature at its end, in all columns: 0 in
        the others."""
        count = self.size
        wide = np.zeros((*vector.shape[:-1], self.columns + vector.shape[-1] - count))
        wide[..., self.used], wide[..., self.columns :] = vector[..., :count], vector[..., count:]
        return wide


class JoinedColumns(NamedTuple):
    """Those that are shared, and then one for each row that has lone entries, those of columns that have no other: they
    are joined to one number. A vector stands for the one that has in the lone columns of each row a multiple of the row
    or, where a diagonal A measures vectors, of A^-1 times it; it has the same scores and the same length, but for
    rounding.

    Attributes
    ----------
    used : ndarray of int64
        Which columns are shared, ascending.
    lone, shares : ndarray
        The lone columns, row after row, and what stands in them of a vector with a 1 in their place.
    starts : ndarray of int64
        Where those of each such row begin, and where the last ones end.
    leads : ndarray of int64
        Where the largest of them is.
    metric : ndarray, shape (joined numbers, 2 or 3)
        The entries of A^-1 of each, and by how much longer the entries are in their square. Or, of the sizes s of the
        shares, the sum, that of s ln s, and their number; empty without A where nobody asks for them.
    columns : int
        How many there are in all.
    """

    used: Array
    lone: Array
    shares: Array
    starts: Array
    leads: Array
    metric: Array
    columns: int

    @property
    def size(self) -> int:
        """How many these are."""
        return len(self.used) + len(self.starts) - 1

    def of(self, table: Array) -> tuple[Array, bool]:
        """The vectors that stand for those of a table with a row each column, which are multiples of what these stand
        for, so that one entry tells by how much; they are never those themselves."""
        leads = self.lone[self.leads], 1 / self.shares[self.leads], np.arange(len(self.leads) + 1)
        return _core.join_table(table, self.used, *leads), False

    def nearest(self, vector: Array) -> Array:
        """The vector that stands for the nearest one."""
        return _core.join_table(vector[:, None], self.used, self.lone, self.shares, self.starts)[:, 0]

    def whole(self, vector: Array) -> Array:
        """What a vector stands for in all columns; it may have the weight of a constant feature at its end."""
        shared, count = len(self.used), self.size
        wide = np.zeros((*vector.shape[:-1], self.columns + vector.shape[-1] - count))
        wide[..., self.used], wide[..., self.columns :] = vector[..., :shared], vector[..., count:]
        wide[..., self.lone] = self.alone(vector[..., shared:count])
        return wide

    def alone(self, numbers: Array) -> Array:
        """What joined numbers stand for in the lone columns, row after row."""
        return np.repeat(numbers, np.diff(self.starts), axis=-1) * self.shares


class JoinedOfSome(NamedTuple):
    """What is joined, of some columns; vectors are all that is made of both."""

    joined: JoinedColumns
    some: SomeColumns

    def whole(self, vector: Array) -> Array:
        """What a vector stands for in all columns; it may have the weight of a constant feature at its end."""
        return self.some.whole(self.joined.whole(vector))


Narrow = SomeColumns | JoinedColumns
Spread = Narrow | JoinedOfSome


class FewColumns(NamedTuple):
    """Rows with fewer columns, and which these are."""

    rows: Batch
    which: Narrow


def few_columns(batch: Batch) -> FewColumns | None:
    """The rows, without labels, in the few of many columns that occur; None where these are most of them."""
    if batch.columns <= MANY_COLUMNS or batch.indices is None:
        return None
    rows, used = narrow(batch)
    return FewColumns(rows, SomeColumns(used, batch.columns)) if 2 * len(used) < batch.columns else None


def joined_columns(
    batch: Batch, inverse: Array | None = None, *, sums: bool = False, apart: bool = False
) -> FewColumns | None:
    """The rows, without labels, with their lone entries joined, as they are or as a diagonal with this inverse measures
    vectors; None where most columns would be left, or there are so many that vectors of all of them are dear beside the
    rows, or a row's lone entries are too small or large for their squares.

    Parameters
    ----------
    batch : Batch
    inverse : ndarray, optional
    sums : bool, default=False
        Whether to sum the sizes of shares.
    apart : bool, default=False
        Whether the positive and the negative entries of a row are joined to a number each, by vectors that have no
        negative entries.
    """
    columns, indices, starts = batch.columns, batch.indices, batch.starts
    if not MANY_COLUMNS < columns <= DEAR_COLUMNS * batch.entries or indices is None or starts is None:
        return None
    joined = _core.join_columns(batch.values, indices, starts, columns, (columns - 1) // 2, inverse, sums, apart)
    if joined is None:
        return None
    values, indices, starts, used, lone, shares, lone_starts, leads, metric = joined
    which = JoinedColumns(used, lone, shares, lone_starts, leads, metric, columns)
    return FewColumns(Batch(values, None, which.size, indices, starts), which)


def widened(certificate: Certificate, which: Spread, made: dict[int, Wide]) -> Certificate:
    """The certificate with the vector of its comparator in all columns, of which it knows some.

    Parameters
    ----------
    certificate : Certificate
    which : SomeColumns, JoinedColumns or JoinedOfSome
        Those that its vectors have, besides that of a constant feature at their end.
    made : dict
        Vectors with all columns, by the identity of those that have some: what is shared stays so.
    """
    comparator = certificate.comparator
    each = tuple(widened(one, which, made) for one in certificate.each)
    of_vector = isinstance(comparator, Comparator)
    vector = _VECTOR.__get__(comparator) if of_vector else getattr(comparator, "vector", None)
    if vector is None:
        return replace(certificate, each=each)
    wide = made.setdefault(id(vector), Wide(vector, which))
    comparator = with_vector(comparator, wide) if of_vector else replace(comparator, vector=wide.whole)
    read = None if certificate.read is None else (certificate.read[0], comparator, certificate.read[2])
    return replace(certificate, comparator=comparator, read=read, each=each)


class Scaled:
    """A multiple of a vector, which is made once somebody reads it.

    Parameters
    ----------
    vector : ndarray
    by : float
    """

    def __init__(self, vector: Array, by: float) -> None:
        self._vector, self._by = vector, by

    @cached_property
    def whole(self) -> Array:
        """The multiple."""
        return np.asarray(self._by * self._vector)


class Wide:
    """A vector in all columns, of which it knows some; of very many columns it is made once somebody reads it.

    Parameters
    ----------
    vector : ndarray or Scaled, shape (..., columns that are known) or with that of a constant feature at their end
    which : SomeColumns, JoinedColumns or JoinedOfSome
        Which columns these are.
    """

    def __init__(self, vector: Array | Scaled, which: Spread) -> None:
        self._vector, self._which = vector, which

    @cached_property
    def whole(self) -> Array:
        """The vector."""
        return self._which.whole(self._vector.whole if isinstance(self._vector, Scaled) else self._vector)


class LateComparator(Comparator):
    """A comparator whose vector may be one that is not made yet."""

    __slots__ = ()

    @property
    def vector(self) -> Array:
        """v itself, in all columns."""
        vector: Array | Scaled | Wide = _VECTOR.__get__(self)
        return vector if isinstance(vector, np.ndarray) else vector.whole  # a copy has it as it is

    @vector.setter
    def vector(self, vector: Any) -> None:
        _VECTOR.__set__(self, vector)


def with_vector(comparator: Comparator, vector: Scaled | Wide, **changes: Any) -> LateComparator:
    """The comparator with a vector that is made once somebody reads it, and other changes."""
    known = {field.name: getattr(comparator, field.name) for field in fields(Comparator) if field.name != "vector"}
    return LateComparator(**known | changes, vector=vector)  # type: ignore[arg-type]


_VECTOR: Any = Comparator.__dict__["vector"]
