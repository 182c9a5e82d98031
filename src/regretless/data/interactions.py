"""Products of two features, as further features of a row."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from ..errors import ModelError, ParameterError, RegretlessError
from .batch import Array, Batch
from .feature_index import ABSENT, Numbering, pair_keys

ALL = "*"
MOST_PRODUCTS = 1 << 17  # of a row; 512 features have so many pairs
ENTRIES = 1 << 15  # about how many are put together at a time, for them to stay in the cache
ROWS = 1 << 12  # with at most so many rows, whose numbers are short

Name = str | int
Pair = tuple[Name, Name]


class Crossing:
    """Which products there are, and which column each feature and each product has.

    Parameters
    ----------
    wanted : sequence of str
        ``a*b`` for the product of two columns of the file, ``*`` for those of any two features of a row.
    numbering : Numbering

    Attributes
    ----------
    pairs : sequence of pairs of columns, or None
        By name or number; None for all pairs of a row's features.
    """

    def __init__(self, wanted: Sequence[str], numbering: Numbering) -> None:
        self.wanted, self.numbering = tuple(wanted), numbering
        self.frozen = False
        self._pairs: tuple[Pair, ...] | None = None
        self._resolved = ALL in self.wanted or not self.wanted

    @property
    def everything(self) -> bool:
        """Whether all pairs of a row's features are multiplied."""
        return ALL in self.wanted

    @property
    def pairs(self) -> tuple[Pair, ...]:
        """The pairs of columns that are named."""
        return self._pairs or ()

    def resolve(self, find: Callable[[str], Name | None]) -> None:
        """Find the columns that are meant, once it is known what they are called.

        Parameters
        ----------
        find : callable
            Gives what a column is known by; None for a name that no column has.
        """
        if not self._resolved:
            self._pairs = tuple(dict.fromkeys(_pair(text, find) for text in self.wanted))
            self._resolved = True

    def refuse_other(self, wanted: Sequence[str], find: Callable[[str], Name | None]) -> None:
        """Refuse other products than those that a model was learned with."""
        if not wanted:
            return
        other = Crossing(wanted, self.numbering)
        other.resolve(find)
        if other.everything != self.everything or set(other.pairs) != set(self.pairs):
            raise ParameterError("interactions", ",".join(wanted), "the file that this continues had others", ": ")

    def batch(self, rows: Array, keys: Array, values: Array, labels: Array | None, count: int) -> Batch:
        """So many rows put together from their entries, in any order; what stands in one column is added up.

        Parameters
        ----------
        rows, keys, values : ndarray, shape (entries,)
            The row, the key (`keys`; -1 for none) and the value of each entry.
        """
        present = (keys != ABSENT) & (values != 0)
        rows, keys, values = rows[present], keys[present], values[present]
        if not self.frozen:
            self._learn(rows, keys)
        columns = self.numbering.columns_of(keys)
        if self.frozen and (known := columns != ABSENT).sum() < len(columns):
            rows, columns, values = rows[known], columns[known], values[known]
        order = _order(rows, columns)
        rows, columns, values = rows[order], columns[order], values[order]
        new = np.ones(len(rows), dtype=bool)
        new[1:] = (rows[1:] != rows[:-1]) | (columns[1:] != columns[:-1])
        if not new.all():
            with np.errstate(over="ignore"):
                values = np.add.reduceat(values, np.flatnonzero(new))
            rows, columns = rows[new], columns[new]
        starts = np.searchsorted(rows, np.arange(count + 1))
        return Batch(values, labels, self.numbering.columns, columns.astype(np.int32), starts)

    def _learn(self, rows: Array, keys: Array) -> None:
        """Take up new columns in the order of the rows, however these are cut in blocks."""
        if self.numbering.bits is None:
            unknown = np.flatnonzero(self.numbering.keys.find(keys) == ABSENT)
            rows, keys = rows[unknown], keys[unknown]
        if not self.numbering.learn(keys[np.argsort(rows, kind="stable")]):
            raise TooManyProducts(f"more than {self.numbering.keys.limit} features and products of features")

    def schema(self) -> dict[str, Any]:
        """All that is needed to build the same columns again, as JSON values."""
        pairs = ALL if self.everything else [list(pair) for pair in self.pairs]
        return {"pairs": pairs, **self.numbering.schema()}

    @classmethod
    def from_schema(cls, schema: Any, kind: type[Name], numbering: Numbering) -> Crossing:
        """The crossing that wrote this schema, of columns that are known by this kind of name."""
        try:
            pairs = schema["pairs"]
            result = cls([ALL] if pairs == ALL else [], numbering)
            if pairs != ALL:
                result._pairs = tuple((a, b) for a, b in pairs)
        except (KeyError, TypeError, ValueError) as error:
            raise ModelError(f"the description of the columns is damaged ({error!r})") from error
        if any(not isinstance(name, kind) for pair in result.pairs for name in pair):
            raise ModelError(f"the description of the columns is damaged (products {pairs!r})")
        numbering.restore(schema)
        return result


class TooManyProducts(RegretlessError):
    """There are more columns than may be listed."""


def _pair(text: str, find: Callable[[str], Name | None]) -> Pair:
    """The two columns that a text names; their names may have asterisks of their own."""
    halves = [(text[:place], text[place + 1 :]) for place, letter in enumerate(text) if letter == ALL]
    both = [(find(left), find(right)) for left, right in halves]
    results = [(a, b) for a, b in both if a is not None and b is not None]
    if len(results) == 1:
        (a, b) = results[0]
        return (b, a) if str(b) < str(a) else (a, b)
    if results:
        raise ParameterError("interactions", text, f"this can be read in {len(results)} ways; rename a column", ": ")
    if not halves:
        raise ParameterError("interactions", text, "a*b is expected, or * for all pairs", ": ")
    unknown = [half for half in halves[0] if find(half) is None]
    raise ParameterError("interactions", text, f"there is no column {' and no column '.join(map(repr, unknown))}", ": ")


def all_pairs(starts: Array) -> tuple[Array, Array]:
    """The places of both entries of every pair of entries of a row."""
    lengths = np.diff(starts)
    entries = int(lengths.sum())
    behind = np.repeat(starts[1:], lengths) - 1 - np.arange(entries)
    first = np.repeat(np.arange(entries), behind)
    step = np.arange(len(first)) - np.repeat(np.cumsum(behind) - behind, behind)
    return first, first + 1 + step


def named_pairs(batch: Batch, pairs: Iterable[Pair]) -> tuple[Array, Array]:
    """The places of both entries of every pair of columns that stands in a row."""
    left, right = np.array(list(pairs), np.int64).reshape(-1, 2).T
    if not len(left):
        return left, right
    indices, starts = np.asarray(batch.indices), np.asarray(batch.starts)
    columns = np.unique(np.concatenate([left, right]))
    where = np.minimum(np.searchsorted(columns, indices), len(columns) - 1)
    result = np.flatnonzero(columns[where] == indices)
    table = np.full((len(batch), len(columns)), ABSENT, np.int64)
    table[np.searchsorted(starts, result, side="right") - 1, where[result]] = result
    first, second = table[:, np.searchsorted(columns, left)], table[:, np.searchsorted(columns, right)]
    both = (first != ABSENT) & (second != ABSENT)
    return first[both], second[both]


def cut(sizes: Array) -> Iterator[tuple[int, int]]:
    """Where to cut rows of these sizes, for each piece to be put together in little memory."""
    ends = np.cumsum(sizes)
    begin = 0
    while begin < len(sizes):
        done = int(ends[begin - 1]) if begin else 0
        end = min(int(np.searchsorted(ends, done + ENTRIES, side="right")), begin + ROWS)
        end = max(end, begin + 1)
        yield begin, end
        begin = end


def _order(rows: Array, columns: Array) -> Array:
    """By row, then by column, then as they stand: digit after digit, for 16 bits numpy sorts without comparing."""
    if not len(rows):
        return np.empty(0, np.intp)
    width = int(columns.max()).bit_length()
    packed = (rows.astype(np.uint64) << np.uint64(width)) | columns.astype(np.uint64)
    order = np.argsort(packed.astype(np.uint16), kind="stable")
    for digit in range(16, int(packed.max()).bit_length(), 16):
        order = order[np.argsort((packed >> np.uint64(digit)).astype(np.uint16)[order], kind="stable")]
    return order


def pairs_of(numbers: Array, left: Array, right: Array) -> Array:
    """The keys of products of columns of a table of feature numbers; -1 where there is no feature."""
    first, second = numbers[:, left], numbers[:, right]
    return np.where((first == ABSENT) | (second == ABSENT), ABSENT, pair_keys(first, second))
