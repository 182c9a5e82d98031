"""Certificates of rows in a few of many columns, which are numbered afresh for it; and vectors of comparators that are
made once somebody reads them."""

from __future__ import annotations

from dataclasses import fields, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ..certificate import Certificate
from ..comparator import Comparator
from ..data.batch import Array, Batch, narrow

MANY_COLUMNS = 1 << 16  # beyond which those that occur are numbered afresh, if they are fewer than half


class FewColumns(NamedTuple):
    """Rows with the columns numbered afresh that occur in them, and which these are, ascending."""

    rows: Batch
    used: Array


def few_columns(batch: Batch) -> FewColumns | None:
    """The rows, without labels, in the few of many columns that occur; None where these are most of them."""
    if batch.columns <= MANY_COLUMNS or batch.indices is None:
        return None
    few = FewColumns(*narrow(batch))
    return few if 2 * len(few.used) < batch.columns else None


def widened(certificate: Certificate, used: Array, columns: int, made: dict[int, Wide]) -> Certificate:
    """The certificate with the vector of its comparator in all columns, of which it knows some.

    Parameters
    ----------
    certificate : Certificate
    used : ndarray of int
        Which columns its vectors have, besides that of a constant feature at their end.
    columns : int
        How many there are.
    made : dict
        Vectors with all columns, by the identity of those that have some: what is shared stays so.
    """
    comparator = certificate.comparator
    each = tuple(widened(one, used, columns, made) for one in certificate.each)
    of_vector = isinstance(comparator, Comparator)
    vector = _VECTOR.__get__(comparator) if of_vector else getattr(comparator, "vector", None)
    if vector is None:
        return replace(certificate, each=each)
    wide = made.setdefault(id(vector), Wide(vector, used, columns))
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
    vector : ndarray or Scaled, shape (..., columns that occur) or with that of a constant feature at their end
    used : ndarray of int
        Which columns these are.
    columns : int
        How many there are.
    """

    def __init__(self, vector: Array | Scaled, used: Array, columns: int) -> None:
        self._vector, self._used, self._columns = vector, used, columns

    @cached_property
    def whole(self) -> Array:
        """The vector; 0 in the other columns."""
        some = self._vector.whole if isinstance(self._vector, Scaled) else self._vector
        count = len(self._used)
        wide = np.zeros((*some.shape[:-1], self._columns + some.shape[-1] - count))
        wide[..., self._used], wide[..., self._columns :] = some[..., :count], some[..., count:]
        return wide


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
