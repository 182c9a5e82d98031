"""Certificates of rows in a few of many columns, which are numbered afresh for it."""

from __future__ import annotations

from dataclasses import fields, replace
from functools import cached_property
from typing import Any

import numpy as np

from ..certificate import Certificate
from ..comparator import Comparator
from ..data.batch import Array

MANY_COLUMNS = 1 << 16  # beyond which those that occur are numbered afresh, if they are fewer than half


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
    vector = getattr(comparator, "vector", None)
    if vector is None:
        return replace(certificate, each=each)
    wide = made.setdefault(id(vector), Wide(vector, used, columns))
    if type(comparator) is Comparator:
        known = {field.name: getattr(comparator, field.name) for field in fields(Comparator)}
        comparator = WideComparator(**known | {"vector": wide})
    else:
        comparator = replace(comparator, vector=wide.whole)
    read = None if certificate.read is None else (certificate.read[0], comparator, certificate.read[2])
    return replace(certificate, comparator=comparator, read=read, each=each)


class Wide:
    """A vector in all columns, of which it knows some; of very many columns it is made once somebody reads it.

    Parameters
    ----------
    vector : ndarray, shape (..., columns that occur) or with that of a constant feature at their end
    used : ndarray of int
        Which columns these are.
    columns : int
        How many there are.
    """

    def __init__(self, vector: Array, used: Array, columns: int) -> None:
        self._vector, self._used, self._columns = vector, used, columns

    @cached_property
    def whole(self) -> Array:
        """The vector; 0 in the other columns."""
        some, count = self._vector, len(self._used)
        wide = np.zeros((*some.shape[:-1], self._columns + some.shape[-1] - count))
        wide[..., self._used], wide[..., self._columns :] = some[..., :count], some[..., count:]
        return wide


class WideComparator(Comparator):
    """A comparator whose vector may be a `Wide` one."""

    __slots__ = ()

    @property
    def vector(self) -> Array:
        """v itself, in all columns."""
        vector: Array | Wide = _VECTOR.__get__(self)
        return vector.whole if isinstance(vector, Wide) else vector  # a copy has it as it is

    @vector.setter
    def vector(self, vector: Any) -> None:
        _VECTOR.__set__(self, vector)


_VECTOR: Any = Comparator.__dict__["vector"]
