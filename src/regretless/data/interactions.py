"""Products of two features as further features of a row, and the column that each feature and product has."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from .._core import TRIANGLE_SIZE, cross_rows, fill_places, hash_keys, number_keys
from ..checks import names_in
from ..errors import ModelError, ParameterError, RegretlessError
from .batch import ABSENT, Array, Batch
from .messages import MOST

HASH = "splitmix64"
PAIR = 32  # bits of a key that hold the larger number of a pair; above them stands the smaller one, and 1
LOW = (1 << PAIR) - 1
LISTED = 1 << 20  # keys that may be listed in a model
ALL = "*"
MOST_PRODUCTS = 1 << 17  # of a row; 512 features have so many pairs
ENTRIES = 1 << 15  # about how many are put together at a time, for them to stay in the cache
ROWS = 1 << 12  # with at most so many rows
PLACES = 1 << 10  # of the first hash table; a power of two
MANY_PLACES = 1 << 20  # from which on it grows twofold and not fourfold
SIZES = (1 << 13, 1 << 20)  # of lists of keys: what is not written to takes no memory, and large arrays huge pages
NO_PLACES = np.empty(0, np.int32)
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


class Products(NamedTuple):
    """Rows, and which products they are to have.

    Attributes
    ----------
    values : ndarray of floats, shape (entries,)
    keys : ndarray of int64, shape (entries,)
        -1 for none.
    starts : ndarray of int64, shape (rows + 1,)
        Where each row begins.
    left, right : ndarray of int32, shape (pairs,)
        The places in a row of those that are multiplied, where all rows are as long.
    all : bool
        Whether every two entries of a row are multiplied.
    """

    values: Array
    keys: Array
    starts: Array
    left: Array = NO_PLACES
    right: Array = NO_PLACES
    all: bool = False

    def entries(self) -> int:
        """How many entries the rows have with their products."""
        lengths = np.diff(self.starts)
        products = lengths * (lengths - 1) // 2 if self.all else np.full_like(lengths, len(self.left))
        return int((lengths + products).sum())


class Crossed(NamedTuple):
    """Compressed sparse rows."""

    values: Array
    indices: Array
    starts: Array


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
        self._places = np.zeros(PLACES, np.uint64)  # a hash table of numbers from 1 on
        self._far = 0  # how many it has
        self._triangle = np.zeros(TRIANGLE_SIZE, np.uint32)  # numbers, from 1 on, of keys of features that are small
        self._listed = np.empty(PLACES // 2, np.int64)  # the key of each number

    def __len__(self) -> int:
        return self._count

    def find(self, keys: Array) -> Array:
        """The number of each key; -1 for those that never came."""
        numbers = np.empty(len(keys), np.int64)
        number_keys(*self._table(), False, keys, numbers)
        return numbers

    def add(self, keys: Array) -> tuple[Array, int]:
        """The number of each key, those that are new being numbered while there is room; and how often there was none,
        where the number is -1."""
        numbers, done, refused = np.empty(len(keys), np.int64), 0, 0
        while True:
            at, self._count, self._far, more = number_keys(*self._table(), True, keys[done:], numbers[done:])
            done, refused = done + at, refused + more
            if done == len(keys):
                return numbers, refused
            self._grow()

    def cross(self, rows: Products, bits: int | None, features: bool, learn: bool) -> tuple[Crossed, int]:
        """Rows with their products, and how often there was no room for a key, which has no column then.

        Parameters
        ----------
        rows : Products
        bits : int or None
            Columns are numbers, or with `bits` hashes; keys are numbered for people to read then.
        features : bool
            Whether only products are hashed and numbered then, features being columns.
        learn : bool
            Whether new keys are numbered.
        """
        ends, entries = np.zeros(len(rows.starts), np.int64), rows.entries()
        columns, sums = np.empty(entries, np.int32), np.empty(entries, rows.values.dtype)
        done = refused = 0
        while True:
            room = bits or 0, features, ends, columns, sums
            done, self._count, self._far, more, last = cross_rows(*rows, done, *self._table(), learn, *room)
            refused += more
            if done == len(ends) - 1:
                return Crossed(sums[:last], columns[:last], ends), refused
            self._grow()

    def _table(self) -> tuple[Array, Array, Array, int, int, int]:
        return self._places, self._triangle, self._listed, self._count, self._far, self.limit

    def _grow(self) -> None:
        """Make room for more keys, where they are listed or in the hash table."""
        if self._count == len(self._listed):
            listed = np.empty(next((size for size in SIZES if size > self._count), 2 * self._count), np.int64)
            listed[: self._count] = self._listed
            self._listed = listed
        else:
            size = len(self._places)
            self._places = np.empty((4 if size < MANY_PLACES else 2) * size, np.uint64)
            fill_places(self._places, self._triangle, self._listed, self._count)

    def listed(self) -> Array:
        """All keys in the order of their numbers."""
        return self._listed[: self._count].copy()

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

    def cross(self, rows: Products, *, learn: bool) -> Crossed:
        """Rows with their products, by columns; what stands in one is added up as it comes, what is 0 is left out.

        Parameters
        ----------
        rows : Products
        learn : bool
            Whether new keys are taken up in the order in which they come.

        Raises
        ------
        TooManyProducts
            If there are more than may be listed.
        """
        crossed, refused = self.keys.cross(rows, self.bits, self._names, learn)
        if refused and self.bits is None:
            raise TooManyProducts(f"more than {self.keys.limit:,} features and products of features")
        return crossed

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
        self.wanted, self.numbering = names_in("interactions", wanted), numbering
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

    def resolve(
        self, find: Callable[[str], Name | None], absent: Callable[[str], str] = "there is no column {!r}".format
    ) -> None:
        """Find the columns that are meant, once it is known what they are called.

        Parameters
        ----------
        find : callable
            Gives what a column is known by; None for a name that no column has.
        absent : callable
            Says why there is no column of a name.
        """
        if not self._resolved:
            self._pairs = tuple(dict.fromkeys(_pair(text, find, absent) for text in self.wanted))
            self._resolved = True

    def refuse_other(
        self, wanted: Sequence[str], find: Callable[[str], Name | None], called: Callable[[Name], str] = str
    ) -> None:
        """Refuse other products than those that a model was learned with; `called` is what `find` finds a column by."""
        if not wanted:
            return
        other = Crossing(wanted, self.numbering)
        other.resolve(find)
        if other.everything != self.everything or set(other.pairs) != set(self.pairs):
            own = (
                ALL
                if self.everything
                else ", ".join(f"{called(a)}*{called(b)}" for a, b in self.pairs[:MOST]) or "none"
            )
            more = f" and {len(self.pairs) - MOST} more" if len(self.pairs) > MOST else ""
            fault = f"the file that this continues had others ({own}{more})"
            raise ParameterError("interactions", ",".join(wanted), fault, ": ")

    def batch(self, rows: Products, labels: Array | None) -> Batch:
        """Rows with their products as a batch."""
        values, indices, starts = self.numbering.cross(rows, learn=not self.frozen)
        return Batch(values, labels, self.numbering.columns, indices, starts)

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


def _pair(text: str, find: Callable[[str], Name | None], absent: Callable[[str], str]) -> Pair:
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
    if len(halves) > 1:
        raise ParameterError("interactions", text, "only products of two columns, a*b, can be asked for", ": ")
    unknown = [absent(half) for half in halves[0] if find(half) is None]
    raise ParameterError("interactions", text, " and ".join(unknown), ": ")


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
