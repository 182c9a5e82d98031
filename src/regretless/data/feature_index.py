"""Which column a feature, or the product of two, has: numbered as they come, or by a hash."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import ModelError, ParameterError
from .batch import Array

ABSENT = -1
HASH = "splitmix64"
PAIR = 32  # bits of a key that hold the larger number of a pair; above them stands the smaller one, and 1
LOW = (1 << PAIR) - 1
LISTED = 1 << 20  # keys that may be listed in a model


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
