"""Products of two features as further features of a row, and the column that each feature and product has."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from ..errors import ModelError, ParameterError, RegretlessError
from .batch import ABSENT, Array, Batch

HASH = "splitmix64"
PAIR = 32  # bits of a key that hold the larger number of a pair; above them stands the smaller one, and 1
LOW = (1 << PAIR) - 1
LISTED = 1 << 20  # keys that may be listed in a model
ALL = "*"
MOST_PRODUCTS = 1 << 17  # of a row; 512 features have so many pairs
ENTRIES = 1 << 15  # about how many are put together at a time, for them to stay in the cache
ROWS = 1 << 12  # with at most so many rows, whose numbers are short
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
    mixed = keys.astype(np.uint64) + np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed ^= mixed >> np.uint64(31)
    return (mixed & np.uint64((1 << bits) - 1)).astype(np.int64)


class Keys:
    """Numbers keys in the order in which they first come.

    Parameters
    ----------
    limit : int
        How many there may be.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._sorted = np.empty(0, np.int64)
        self._numbers = np.empty(0, np.int64)

    def __len__(self) -> int:
        return len(self._sorted)

    def find(self, keys: Array) -> Array:
        """The number of each key; -1 for those that never came."""
        if not len(self):
            return np.full(len(keys), ABSENT, np.int64)
        places = np.minimum(np.searchsorted(self._sorted, keys), len(self) - 1)
        return np.where(self._sorted[places] == keys, self._numbers[places], ABSENT)

    def add(self, keys: Array) -> int:
        """Number the keys that are new, the first of them first, while there is room; returns how many had none."""
        keys = keys[self.find(keys) == ABSENT]
        new, first = np.unique(keys, return_index=True)
        numbers = np.empty(len(new), np.int64)
        numbers[np.argsort(first)] = np.arange(len(self), len(self) + len(new))
        fits = numbers < self.limit
        places = np.searchsorted(self._sorted, new[fits])
        self._sorted = np.insert(self._sorted, places, new[fits])
        self._numbers = np.insert(self._numbers, places, numbers[fits])
        return int((~fits).sum())

    def listed(self) -> Array:
        """All keys in the order of their numbers."""
        result = np.empty(len(self), np.int64)
        result[self._numbers] = self._sorted
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
        result.add(keys)
        if len(result) < len(keys) or (keys < 0).any():
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

    def learn(self, keys: Array) -> bool:
        """Take up keys that may be new, in the order in which they come; whether there was room for all columns."""
        if self.bits is None:
            return not self.keys.add(keys)
        if len(self.keys) < self.keys.limit:
            self.keys.add(keys[keys > LOW] if self._names else keys)
        return True

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
