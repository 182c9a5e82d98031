"""Products of two features as further features of a row, and the column that each feature and product has."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from .._core import all_products, hash_keys, merge_rows, move_keys, number_keys
from ..errors import ModelError, ParameterError, RegretlessError
from .batch import ABSENT, Array, Batch

HASH = "splitmix64"
PAIR = 32  # bits of a key that hold the larger number of a pair; above them stands the smaller one, and 1
LOW = (1 << PAIR) - 1
LISTED = 1 << 20  # keys that may be listed in a model
ALL = "*"
MOST_PRODUCTS = 1 << 17  # of a row; 512 features have so many pairs
ENTRIES = 1 << 15  # about how many are put together at a time, for them to stay in the cache
ROWS = 1 << 12  # with at most so many rows
PLACES = 1 << 10  # of the first hash table; a power of two
Name = str | int
Pair = tuple[Name, Name]


def pair_keys(first: Array, second: Array) -> Array:
    """The keys of products of features, given the numbers of both; the order of the two does not matter."""
    return ((np.minimum(first, second).astype(np.int64) + 1) << PAIR) | np.maximum(first, second)


def parts(key: int) -> tuple[int, ...]:
    """The number of a feature, or the two numbers of a product."""
    return (key,) if key <= LOW else ((key >> PAIR) - 1, key & LOW)


def hashed_keys(keys: Array, bits: int) -> Array:
    """The lowest bits of the splitmix64 of each key (Steele, Lea and Flood 2014)."""
    columns = np.empty(len(keys), np.int64)
    hash_keys(np.ascontiguousarray(keys, np.int64), bits, columns)
    return columns


class Keys:
    """Numbers keys in the order in which they first come.

    Parameters
    ----------
    limit : int
        How many there may be.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._count = 0
        self._places = np.full((PLACES, 2), ABSENT, np.int64)  # a hash table: key and number, or -1 for none

    def __len__(self) -> int:
        return self._count

    def find(self, keys: Array) -> Array:
        """The number of each key; -1 for those that never came."""
        numbers = np.empty(len(keys), np.int64)
        number_keys(self._places, keys, 0, self._count, self.limit, False, numbers)
        return numbers

    def add(self, keys: Array) -> tuple[Array, int]:
        """The number of each key, those that are new being numbered while there is room; and how often there was none,
        where the number is -1."""
        numbers, done, refused = np.empty(len(keys), np.int64), 0, 0
        while True:
            done, self._count, more = number_keys(self._places, keys, done, self._count, self.limit, True, numbers)
            refused += more
            if done == len(keys):
                return numbers, refused
            places = np.full((2 * len(self._places), 2), ABSENT, np.int64)
            move_keys(self._places, places)
            self._places = places

    def listed(self) -> Array:
        """All keys in the order of their numbers."""
        used = self._places[self._places[:, 0] != ABSENT]
        result = np.empty(self._count, np.int64)
        result[used[:, 1]] = used[:, 0]
        return result

    @classmethod
    def read(cls, listed: Any, limit: int) -> Keys:
        """The numbering that gave this list.

        Raises
        ------
        ModelError
            If it is no list of different keys.
        """
        try:
            keys = np.array([int(key) for key in listed], np.int64)
        except (TypeError, ValueError, OverflowError) as error:
            raise ModelError(f"the description of the columns is damaged ({error!r})") from error
        result = cls(max(limit, len(keys)))
        if (keys < 0).any() or (result.add(keys)[0] != np.arange(len(keys))).any():
            raise ModelError("the description of the columns lists a product twice, or one that cannot be")
        return result


class Numbering:
    """Gives every key its column.

    Without `bits` keys get columns in the order in which they come. With `bits` the column is the hash of the key.

    Parameters
    ----------
    bits : int or None
        Of the hash.
    limit : int
        How many columns there may be.
    names : bool
        Whether features have been hashed by name already, so that those that are no products keep their number.
    keep : int
        How many of the keys that are hashed to remember, for people to read.
    """

    def __init__(self, bits: int | None, limit: int, *, names: bool, keep: int = 0) -> None:
        if bits is not None and not 1 <= bits <= 30:
            raise ParameterError("hash_bits", str(bits), "it must be at least 1 and at most 30", ": ")
        if bits is not None and 1 << bits > limit:
            raise ParameterError("hash_bits", str(bits), f"that is more than the {limit} features allowed", ": ")
        self.bits, self._names = bits, names
        self.keys = Keys(min(limit, LISTED) if bits is None else keep)

    @property
    def columns(self) -> int:
        """How many columns there are."""
        return len(self.keys) if self.bits is None else 1 << self.bits

    def schema(self) -> dict[str, Any]:
        """The keys that are known and how many may be, as JSON values."""
        return {"keys": self.keys.listed().tolist(), "limit": self.keys.limit}

    def restore(self, schema: Any) -> None:
        """Go on with the keys of a schema; of those that are hashed, at least as many are kept as then."""
        try:
            limit = self.keys.limit if self.bits is None else max(int(schema["limit"]), self.keys.limit)
            self.keys = Keys.read(schema["keys"], limit)
        except (KeyError, TypeError, ValueError) as error:
            raise ModelError(f"the description of the columns is damaged ({error!r})") from error

    def learn(self, keys: Array) -> Array:
        """The column of each key, of which those that are new are taken up in the order in which they come.

        Raises
        ------
        TooManyProducts
            If there are more than may be listed.
        """
        if self.bits is None:
            columns, refused = self.keys.add(keys)
            if refused:
                raise TooManyProducts(f"more than {self.keys.limit} features and products of features")
            return columns
        if len(self.keys) < self.keys.limit:
            self.keys.add(keys[keys > LOW] if self._names else keys)
        return self.columns_of(keys)

    def columns_of(self, keys: Array) -> Array:
        """The column of each key; -1 for none."""
        if self.bits is None:
            return self.keys.find(keys)
        columns = hashed_keys(keys, self.bits)
        return np.where(keys <= LOW, keys, columns) if self._names else columns


def hash_of(schema: dict[str, Any]) -> int | None:
    """The bits of the hash by which a schema numbers features that have no names."""
    hashing = schema.get("hash")
    if hashing is None:
        return None
    try:
        if hashing["function"] != HASH:
            raise ModelError(f"the columns are hashed by {hashing['function']!r}, not {HASH}")
        return int(hashing["bits"])
    except (KeyError, TypeError, ValueError) as error:
        raise ModelError(f"the description of the columns is damaged ({error!r})") from error


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
        """So many rows put together from their entries; what stands in one column is added up, as it comes.

        Parameters
        ----------
        rows, keys, values : ndarray of int32, int64 and floats, shape (entries,)
            The row, the key (-1 for none) and the value of each entry, row after row.
        """
        present = (keys != ABSENT) & (values != 0)
        if not present.all():
            rows, keys, values = rows[present], keys[present], values[present]
        columns = self.numbering.columns_of(keys) if self.frozen else self.numbering.learn(keys)
        starts = np.empty(count + 1, np.int64)
        merged, sums = np.empty(len(rows), np.int32), np.empty_like(values)
        entries = merge_rows(rows, columns, values, starts, merged, sums)
        return Batch(sums[:entries], labels, self.numbering.columns, merged[:entries], starts)

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


def all_pairs(batch: Batch) -> tuple[Array, Array, Array]:
    """The row, the key and the value of every feature of a sparse row and of the product of any two, row after row."""
    starts = np.ascontiguousarray(batch.starts, np.int64)
    starts, features = starts - starts[0], np.ascontiguousarray(batch.indices, np.int64)
    lengths = np.diff(starts)
    entries = int((lengths * (lengths + 1) // 2).sum())
    rows, keys = np.empty(entries, np.int32), np.empty(entries, np.int64)
    values = np.empty(entries, batch.values.dtype)
    all_products(np.ascontiguousarray(batch.values), features, starts, rows, keys, values)
    return rows, keys, values


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


def pairs_of(numbers: Array, left: Array, right: Array) -> Array:
    """The keys of products of columns of a table of feature numbers; -1 where there is no feature."""
    first, second = numbers[:, left], numbers[:, right]
    return np.where((first == ABSENT) | (second == ABSENT), ABSENT, pair_keys(first, second))
