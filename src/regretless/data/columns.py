"""The features of a table: which number each numeric column, each category and each word has."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from itertools import repeat
from typing import Any, NamedTuple

import numpy as np

from .._core import WordReader
from ..errors import ModelError, ParameterError, RegretlessError
from ..memory import TIMES, allowed, shown
from .arrow_arrays import TextCells, is_ascii, strings_of
from .batch import ABSENT, Array

OF_WORDS = r"^[\pL\pM\pN_]$"  # what words are made of: letters, their marks, digits and _
Codes = tuple[Array, list[str]]
HASH = "blake2b-64"
NUMERIC = ("number", "boolean")
VALUED = ("text", "words")  # kinds of which every value is a feature
KINDS = (*NUMERIC, *VALUED, "empty")
DATES = "dates"  # what a column holds that no feature is made of
LARGEST = 1 << 30  # so that 32-bit indices reach every column
REMEMBERED_HASHES = 1 << 16
REMEMBERED_WORDS = 1 << 20
REMEMBERED_LETTERS = 1 << 25  # of words, or of names that are hashed
MOST_NGRAMS = 5


class Words(NamedTuple):
    """The words of a column in some rows, one entry for each time that one stands in a row.

    Attributes
    ----------
    ends : ndarray of int64, shape (rows + 1,)
        Where the entries of each row end, after a 0.
    codes : ndarray of int32, shape (entries,)
        Which of the values each entry is.
    column : ColumnOfWords
        Whose values these are.
    new : int
        From which of the values on all have just been read in these rows for the first time, in the order in which
        they come.
    """

    ends: Array
    codes: Array
    column: ColumnOfWords
    new: int

    def only(self, good: Array) -> Words:
        """The entries of the rows of a mask, which are numbered anew."""
        lengths = np.diff(self.ends)
        ends = np.concatenate([[0], np.cumsum(lengths[good])])
        return Words(ends, self.codes[np.repeat(good, lengths)], self.column, len(self.column.values))


class ColumnOfWords:
    """Reads the words of a column, some rows at a time: words in lower case, and sequences of neighbours, joined by a
    space.

    Parameters
    ----------
    ngrams : int
        Of how many neighbours, at least 1.

    Attributes
    ----------
    values : list of str
        The words that were read, each once, in the order in which they came.
    numbers : ndarray of int32
        Their features, -1 where there is none, once they have been looked up.
    """

    def __init__(self, ngrams: int) -> None:
        self._ngrams = ngrams
        self._begin()

    def _begin(self) -> None:
        self._reader, self.values = WordReader(self._ngrams), list[str]()
        self.numbers = np.empty(0, np.int32)
        self._letters = 0
        self._open = np.empty(0, np.intp)  # which numbers are to be looked up again

    def forget(self, codes: Array) -> None:
        """Look these up again, as they are about to get numbers."""
        self._open = codes

    def look_up(self, numbers_of: Callable[[list[str]], list[int]]) -> None:
        """Ask for the numbers of the values that have not been looked up yet."""
        if len(self._open):
            self.numbers[self._open] = numbers_of([self.values[code] for code in self._open.tolist()])
            self._open = self._open[:0]
        if len(self.numbers) < len(self.values):
            new = numbers_of(self.values[len(self.numbers) :])
            self.numbers = np.concatenate([self.numbers, np.array(new, np.int32)])

    def read(self, cells: TextCells) -> Words:
        """The words of cells; those that are missing have none."""
        if len(self.values) > REMEMBERED_WORDS or self._letters > REMEMBERED_LETTERS:
            self._begin()
        text, offsets, missing = cells.in_small_letters()
        ends, codes, new = self._reader.read(text, offsets, missing, _letters(text))
        known = len(self.values)
        self.values += new
        self._letters += sum(map(len, new))
        return Words(ends, codes, self, known)


def _letters(text: Array) -> Array:
    """The characters beyond ASCII in some UTF-8 text that words are made of, as numbers, ascending."""
    if is_ascii(text):
        return np.empty(0, np.uint32)
    from pyarrow import compute

    characters = sorted(character for character in set(str(text.data, "utf-8")) if not character.isascii())
    of_words = compute.match_substring_regex(strings_of(characters), OF_WORDS)
    chosen = (character for character, good in zip(characters, of_words.to_pylist(), strict=True) if good)
    return np.array([ord(character) for character in chosen], np.uint32)


class TooManyColumns(RegretlessError):
    """There are more features than allowed."""


class LongNames(RegretlessError):
    """The names of the features take more memory than is allowed."""


class FeatureMap:
    """Numbers the features of a table.

    A numeric column is one feature, called ``age``; a column of text is one feature for each of its values,
    called ``city=Paris``, and one of words is one for each of them, ``review:good``. The numeric columns come first,
    in the order of the file; the values follow in the order in which they first appear, row by row. With `bits`, a
    feature's number is instead the lowest `bits` bits of the 64-bit BLAKE2b hash of its name in UTF-8, read as a
    little-endian number; features of the same number are added up.

    Parameters
    ----------
    bits : int, optional
        Of the hash, from 1 to 30.
    limit : int
        How many features there may be.
    keep : int
        As the attribute.

    Attributes
    ----------
    kinds : dict of str to str
        Each column's kind: ``number``, ``boolean``, ``text``, ``words``, or ``empty`` while it has had no value.
    ngrams : int
        Of how many neighbouring words one feature is made at most.
    sparse : bool
        Whether rows are sparse: always, unless the first block held numbers alone.
    frozen : bool
        Whether categories that are not known stay so.
    keep : int
        How many of the names that are hashed to remember, for people to read.
    hashed_names : dict of str to int
        Those names, each with its number.
    """

    def __init__(self, bits: int | None = None, limit: int = 1 << 27, keep: int = 0) -> None:
        if bits is not None and not 1 <= bits <= 30:
            raise ParameterError("hash_bits", str(bits), "it must be at least 1 and at most 30", ": ")
        self.bits, self.limit, self.keep = bits, min(limit, LARGEST), keep
        self.hashed_names: dict[str, int] = {}
        self.frozen, self.ngrams = False, 1
        self.kinds: dict[str, str] = {}
        self.sparse = bits is not None
        self._features: list[tuple[str, str | None]] = []
        self._numbers: defaultdict[str, dict[str | None, int]] = defaultdict(dict)
        self._letters = 0  # of the names, or of those whose hashes are remembered
        self._room: float = 0  # how many letters of names there may be in any case
        if bits is not None and self.columns > self.limit:
            raise ParameterError("hash_bits", str(bits), f"that is more than the {self.limit} features allowed", ": ")

    @property
    def columns(self) -> int:
        """How many features are known."""
        return len(self._features) if self.bits is None else 1 << self.bits

    def names(self, kinds: Iterable[str]) -> list[str]:
        """The columns of these kinds, in the order of the file."""
        wanted = set(kinds)
        return [name for name, kind in self.kinds.items() if kind in wanted]

    def feature_names(self) -> list[str] | None:
        """What each feature is called; None when they are hashed."""
        if self.bits is not None:
            return None
        return [self._called(name, value) for name, value in self._features]

    def _called(self, column: str, value: str | None) -> str:
        if value is None:
            return column
        return f"{column}{':' if self.kinds.get(column) == 'words' else '='}{value}"

    def settle(self, kinds: dict[str, str]) -> None:
        """Fix the kinds of columns that had none or were empty."""
        first = not self.kinds
        self.kinds.update(kinds)
        self._add((name, None) for name, kind in kinds.items() if kind in NUMERIC)
        if first and any(kind not in NUMERIC for kind in kinds.values()):
            self.sparse = True

    def number(self, column: str, value: str | None = None) -> int:
        """The number of a numeric column or of a category; -1 when it is not known."""
        known = self._numbers[column]
        result = known.get(value)
        if result is None:
            if self.bits is None:
                return ABSENT
            if len(known) >= REMEMBERED_HASHES or self._letters > REMEMBERED_LETTERS:
                self._forget(known)
            self._letters += len(value or "")
            name = self._called(column, value)
            result = known[value] = hashed(name, self.bits)
            if len(self.hashed_names) < self.keep and not self.frozen:
                self.hashed_names[name] = result
        return result

    def _forget(self, known: dict[str | None, int]) -> None:
        """Hash these names again when they come again; where they are long, those of all columns."""
        for names in [known] if self._letters <= REMEMBERED_LETTERS else self._numbers.values():
            self._letters -= sum(len(value or "") for value in names)
            names.clear()

    def make_room(self, file_size: int) -> None:
        """Allow names in proportion to a file of so many bytes, besides those that are known already."""
        self._room = self._letters + TIMES * file_size

    def _admit(self, column: str, letters: int) -> None:
        """Take note of new names with so many letters, which are as many bytes at least."""
        self._letters += letters
        if self._letters > max(allowed(), self._room):
            raise LongNames(f"the names of the features take {shown(self._letters)}, with those of column {column!r}")

    def _numbers_of(self, column: str, values: list[str]) -> list[int]:
        """The number of each of these categories or words; -1 of those that are not known."""
        if self.bits is not None:
            return [self.number(column, value) for value in values]
        return list(map(self._numbers[column].get, values, repeat(ABSENT)))

    def learn(self, codes: Mapping[str, Codes], words: Mapping[str, Words]) -> None:
        """Number the new categories and words row by row, however the rows are cut in blocks."""
        if self.bits is not None or self.frozen:
            return
        new = [(name, *self._unknown(name, code, values)) for name, (code, values) in codes.items()]
        alone = len(words) == 1 and not any(values for *_, values in new)
        if alone and self._learn_words(*next(iter(words.items()))):
            return
        new += [(name, *self._unknown_words(name, each)) for name, each in words.items()]
        self._number(new)

    def _number(self, new: list[tuple[str, Array, Array, list[str]]]) -> None:
        """Number the new values of columns by the rows in which they first stand, then by column, and by their places
        there."""
        lengths = [len(values) for *_, values in new]
        if not sum(lengths):
            return
        rows, places = (np.concatenate([each[k] for each in new]) for k in (1, 2))
        order = np.lexsort((places, np.repeat(np.arange(len(new)), lengths), rows))
        for name, _, _, values in new:
            self._admit(name, sum(map(len, values)))
        features = [(name, value) for name, _, _, values in new for value in values]
        ordered, first = [features[k] for k in order.tolist()], len(self._features)
        if first + len(ordered) > self.limit:
            self._add(ordered)  # which says at which column there are too many
        numbers = np.empty(len(order), np.intp)
        numbers[order] = np.arange(first, first + len(order))
        each = iter(numbers.tolist())
        for name, _, _, values in new:
            self._numbers[name].update(zip(values, each, strict=False))
        self._features += ordered

    def _learn_words(self, name: str, words: Words) -> bool:
        """Number the new words in the order of their values, which is that of the rows; whether that was possible."""
        column = words.column
        column.look_up(lambda values: self._numbers_of(name, values))
        lacking, first = np.flatnonzero(column.numbers == ABSENT), len(self._features)
        if len(lacking) and (lacking[0] < words.new or first + len(lacking) > self.limit):
            return False
        values = [column.values[code] for code in lacking.tolist()]
        self._admit(name, sum(map(len, values)))
        self._numbers[name].update(zip(values, range(first, first + len(values)), strict=True))
        self._features += zip(repeat(name), values)
        column.numbers[lacking] = np.arange(first, first + len(values), dtype=np.int32)
        return True

    def _unknown_words(self, name: str, words: Words) -> tuple[Array, Array, list[str]]:
        """The rows where words that have no number yet first stand, their places among all words, and these words."""
        where = np.flatnonzero(self._word_columns(name, words) == ABSENT)
        codes, first = np.unique(words.codes[where], return_index=True)
        places = where[first]
        if len(codes):
            words.column.forget(codes)
        rows = np.searchsorted(words.ends, places, side="right") - 1
        return rows, places, [words.column.values[code] for code in codes.tolist()]

    def _unknown(self, name: str, code: Array, values: list[str]) -> tuple[Array, Array, list[str]]:
        """The rows where values that have no number yet first stand, zeros, and these values."""
        known = self._numbers[name]
        none = np.empty(0, np.intp)
        if all(map(known.__contains__, values)):
            return none, none, []
        unknown = np.array([k for k, value in enumerate(values) if value not in known])
        first = _first_places(code, len(values))[unknown]
        there = np.flatnonzero(first != ABSENT)
        return first[there], np.zeros_like(there), [values[k] for k in unknown[there].tolist()]

    def _word_columns(self, name: str, words: Words) -> Array:
        """The feature of every entry; -1 where there is none."""
        words.column.look_up(lambda values: self._numbers_of(name, values))
        return words.column.numbers[words.codes]

    def word_numbers(self, words: Mapping[str, Words]) -> tuple[Array, Array, Array | None]:
        """Where the words of every row end, after a 0, and the feature of every word, -1 for none; or the number of
        every value, and the features of the values."""
        if len(words) == 1:
            ((name, each),) = words.items()
            each.column.look_up(lambda values: self._numbers_of(name, values))
            return each.ends, each.codes, each.column.numbers
        columns = [self._word_columns(name, each) for name, each in words.items()]
        ends = [each.ends for each in words.values()]
        rows = np.concatenate([np.repeat(np.arange(len(each) - 1), np.diff(each)) for each in ends])
        return np.sum(ends, axis=0), np.concatenate(columns)[np.argsort(rows, kind="stable")], None

    def numbers(self, codes: Mapping[str, Codes], rows: int) -> Array:
        """The numbers of all categories of so many rows, shape (rows, columns of text); -1 for none.

        Parameters
        ----------
        codes : dict of str to (ndarray of int, list of str)
            For each column of text, which of the listed values stands in each row; -1 where none does.
        """
        result = np.empty((rows, len(codes)), np.int32)
        for place, (name, (code, values)) in enumerate(codes.items()):
            numbers = self._numbers_of(name, values)
            result[:, place] = np.array([*numbers, ABSENT], np.int32)[code]  # the code -1 picks the last
        return result

    def _add(self, features: Iterable[tuple[str, str | None]]) -> None:
        if self.bits is not None:
            return
        for name, value in features:
            if len(self._features) >= self.limit:
                raise TooManyColumns(f"more than {self.limit:,} features, with those of column {name!r}")
            known = self._numbers[name]
            if value not in known:
                self._admit(name, len(value or name))
                known[value] = len(self._features)
                self._features.append((name, value))

    def schema(self) -> dict[str, Any]:
        """All that is needed to build the same map again, as JSON values."""
        order = {name: place for place, name in enumerate(self.kinds)}
        hashed_names = {"kept": {"limit": self.keep, "names": list(self.hashed_names)}} if self.keep else {}
        ngrams = {"ngrams": self.ngrams} if self.names(["words"]) else {}
        return (
            hashed_names
            | ngrams
            | {
                "columns": [{"name": name, "kind": kind} for name, kind in self.kinds.items()],
                "features": [[order[name], value] for name, value in self._features],
                "sparse": self.sparse,
                "hash": None if self.bits is None else {"function": HASH, "bits": self.bits},
            }
        )

    @classmethod
    def from_schema(cls, schema: dict[str, Any], limit: int = 1 << 27, *, frozen: bool = False) -> FeatureMap:
        """The map that wrote this schema."""
        try:
            hashing = schema["hash"]
            if hashing is not None and hashing["function"] != HASH:
                raise ModelError(f"the columns are hashed by {hashing['function']!r}, not {HASH}")
            result = cls(None if hashing is None else int(hashing["bits"]), limit)
            names = [str(column["name"]) for column in schema["columns"]]
            result.kinds = dict(zip(names, (str(column["kind"]) for column in schema["columns"]), strict=True))
            result.sparse = bool(schema["sparse"])
            result.ngrams = whole_ngrams(int(schema.get("ngrams", 1)))
            result._remember(schema.get("kept"))
            result._room = np.inf  # these names are in memory already
            result._add((names[int(place)], value) for place, value in schema["features"])
        except (KeyError, TypeError, IndexError, AttributeError) as error:
            raise ModelError(f"the description of the columns is damaged ({error!r})") from error
        result.frozen = frozen
        result._check(schema)
        return result

    @property
    def settled(self) -> bool:
        """Whether reading leaves it as it is, so that one map serves any number of readings, side by side too."""
        return self.frozen and self.bits is None and "empty" not in self.kinds.values()

    def _remember(self, described: Any) -> None:
        if described is not None and self.bits is not None:
            self.keep = int(described["limit"])
            self.hashed_names = {str(name): hashed(str(name), self.bits) for name in described["names"]}

    def _check(self, schema: dict[str, Any]) -> None:
        numeric = {(name, None) for name in self.names(NUMERIC)}
        text = set(self.names(VALUED))
        sound = (
            set(self.kinds.values()) <= set(KINDS)
            and len(self.kinds) == len(schema["columns"])
            and (self.sparse or not text)
            and len(self._features) == (len(schema["features"]) if self.bits is None else 0)
            and numeric >= {feature for feature in self._features if feature[1] is None}
            and len(numeric & set(self._features)) == (len(numeric) if self.bits is None else 0)
            and all(isinstance(value, str) and name in text for name, value in set(self._features) - numeric)
        )
        if not sound:
            raise ModelError("the description of the columns contradicts itself")


def hashed(name: str, bits: int) -> int:
    """The number of a feature: the lowest bits of the hash of its name."""
    return int.from_bytes(_blake2b()(name.encode(), digest_size=8).digest(), "little") & ((1 << bits) - 1)


@cache  # an import statement takes its time for each of many names
def _blake2b() -> Any:
    from hashlib import blake2b  # which takes its time, and few rows are hashed

    return blake2b


def whole_ngrams(ngrams: int) -> int:
    """The number of neighbouring words itself, if it has a meaning."""
    if not 1 <= ngrams <= MOST_NGRAMS:
        raise ParameterError("ngrams", str(ngrams), f"it must be at least 1 and at most {MOST_NGRAMS}", ": ")
    return ngrams


def _first_places(code: Array, count: int) -> Array:
    """The first place at which each code stands; -1 when it stands at none."""
    places = np.full(count + 1, ABSENT, np.intp)
    places[code[::-1]] = np.arange(len(code))[::-1]
    return places[:count]
