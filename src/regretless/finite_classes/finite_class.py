"""A finite class of hypotheses on finitely many points, as bits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from operator import index
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar, cast

import numpy as np

from .. import _core
from ..errors import InputError, RegretlessError

if TYPE_CHECKING:
    from ..data.source import Source

Array = np.ndarray[Any, Any]
Words = np.ndarray[Any, np.dtype[np.uint64]]

T = TypeVar("T")

BLOCK = 1 << 22  # entries of a table that are packed at a time
MIX = 0x9E3779B97F4A7C15  # odd, with evenly spread bits: a multiplier for hashes


class FiniteClass:
    """Hypotheses that label each point 0 or 1; hypotheses that agree on all points are merged.

    A class may be empty: its VC and Littlestone dimensions are -1 by convention, below the 0 of a single hypothesis.
    Learning it is an error.

    Two classes are equal if their hypotheses and points are the same, in the same order, with the same names.

    Parameters
    ----------
    matrix : array-like of shape (hypotheses, points)
        The label, 0 or 1, of each point by each hypothesis; ``[]`` is the empty class on no points.
    hypotheses, points : sequence of str, optional
        Their names; by default their numbers from 0. Merged hypotheses have the first one's name.

    Attributes
    ----------
    table_rows : int
        Rows of `matrix`; hypotheses that agree everywhere are merged.
    columns : ndarray of uint64, shape (points, words)
        Bit h % 64 of word h // 64 is the label of the point by hypothesis h; bits beyond the last hypothesis are 0.
    rows : ndarray of uint64, shape (hypotheses, words)
        Bit x % 64 of word x // 64 is the label of point x by the hypothesis.

    Raises
    ------
    RegretlessError
        If an entry is neither 0 nor 1, there is a hypothesis but no point, or the names do not fit.

    Examples
    --------
    >>> FiniteClass([[0, 0, 1], [0, 1, 1], [0, 0, 1]])
    <FiniteClass: 2 hypotheses on 3 points>
    >>> FiniteClass.named("thresholds:20")
    <FiniteClass: 21 hypotheses on 20 points>
    """

    table_rows: int
    columns: Words
    rows: Words

    def __init__(
        self, matrix: Any, *, hypotheses: Sequence[str] | None = None, points: Sequence[str] | None = None
    ) -> None:
        table = _table(matrix)
        self.table_rows, width = table.shape
        self._points = _names(points, width, "points")
        names = _names(hypotheses, self.table_rows, "hypotheses")
        rows = _packed_zero_one(table)
        firsts = _first_of_each(rows) if self.table_rows else np.arange(0)
        if len(firsts) < self.table_rows:
            rows = rows[firsts]
            names = None if names is None else [names[place] for place in firsts]
        self._hypotheses = names
        self._shape = len(rows), width
        self.rows, self.columns = rows, transposed(rows, width)
        self._protect()

    @classmethod
    def from_functions(
        cls,
        functions: Iterable[Callable[[Any], Any]],
        points: Iterable[Any],
        *,
        hypotheses: Sequence[str] | None = None,
    ) -> FiniteClass:
        """The class of some functions on some points, which are named by ``str``.

        Raises
        ------
        RegretlessError
            If a value is neither 0 nor 1.

        Examples
        --------
        >>> FiniteClass.from_functions([str.isupper, str.isdigit], ["a", "B", "7"])
        <FiniteClass: 2 hypotheses on 3 points>
        """
        asked = list(points)
        table = [[_label_of(function, place, point) for point in asked] for place, function in enumerate(functions)]
        return cls(table, hypotheses=hypotheses, points=[str(point) for point in asked])

    @classmethod
    def named(cls, text: str) -> FiniteClass:
        """A class of a family, as ``"thresholds:20"`` or ``"at-most-k:8,2"``; `FAMILIES` lists them.

        Raises
        ------
        RegretlessError
            If there is no such family, or it has no such class.
        """
        from .families import named

        return cls._of(named(text))

    @classmethod
    def read(cls, path: Source, **options: Any) -> FiniteClass:
        """The class in a file: a table of 0 and 1 as text, or an array.

        Parameters
        ----------
        path : path or "-"
            The file; ``-`` is standard input.
        **options
            Those of `regretless.data.class_files.read_class`.

        Raises
        ------
        DataError
            If the file cannot be used; the message has the place.
        """
        from ..data.class_files import read_class

        return cls._of(read_class(path, **options))

    @classmethod
    def halfspaces(
        cls,
        points: Any,
        *,
        homogeneous: bool = False,
        names: Sequence[str] | None = None,
        axes: Sequence[str] | None = None,
    ) -> FiniteClass:
        """All labels of the points by halfspaces whose hyperplane contains none of them: 1 on the positive side.

        Parameters
        ----------
        points : array-like of shape (points, coordinates)
            Whole numbers, fractions or floats, all exact.
        homogeneous : bool
            Only hyperplanes through the origin.
        names : sequence of str, optional
            Of the points; their coordinates by default.
        axes : sequence of str, optional
            Names of coordinates in the inequalities that name the halfspaces; by default x1, x2, ...

        Raises
        ------
        RegretlessError
            If a coordinate is no finite number, or hyperplanes are homogeneous and a point is the origin.

        Examples
        --------
        >>> FiniteClass.halfspaces([[0, 0], [0, 1], [1, 0], [1, 1]])
        <FiniteClass: 14 hypotheses on 4 points>
        """
        from .dichotomies import halfspaces

        return cls._of(halfspaces(points, homogeneous=homogeneous, names=names, axes=axes))

    @classmethod
    def _of(cls, table: Any) -> FiniteClass:
        """The class of a table with names."""
        return cls(table.matrix, hypotheses=table.hypotheses, points=table.points)

    @property
    def hypotheses(self) -> int:
        """Number of different hypotheses."""
        return int(self._shape[0])

    @property
    def points(self) -> int:
        """Number of points."""
        return int(self._shape[1])

    @property
    def matrix(self) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """The table, shape (hypotheses, points)."""
        return unpacked(self.rows, self.points)

    @property
    def all_hypotheses(self) -> Words:
        """The set of all hypotheses as bits, shape (words,)."""
        return self._all_hypotheses

    @property
    def floor_log2(self) -> int:
        """floor(log2) of the number of hypotheses, which bounds the Littlestone dimension; -1 if there are none."""
        return self.hypotheses.bit_length() - 1

    @property
    def hypothesis_names(self) -> list[str] | None:
        """Names of the hypotheses; None if these are their numbers."""
        return None if self._hypotheses is None else list(self._hypotheses)

    @property
    def point_names(self) -> list[str] | None:
        """Names of the points; None if these are their numbers."""
        return None if self._points is None else list(self._points)

    def hypothesis_name(self, hypothesis: int) -> str:
        """The name of a hypothesis."""
        return str(hypothesis) if self._hypotheses is None else self._hypotheses[hypothesis]

    def point_name(self, point: int) -> str:
        """The name of a point."""
        return str(point) if self._points is None else self._points[point]

    def point(self, point: int | str) -> int:
        """The number of a point, from its number or its name.

        Raises
        ------
        RegretlessError
            If there is no such one.
        """
        return _place(point, self.points, self._points, "point")

    def hypothesis(self, hypothesis: int | str) -> int:
        """The number of a hypothesis, from its number or its name.

        Raises
        ------
        RegretlessError
            If there is no such one.
        """
        return _place(hypothesis, self.hypotheses, self._hypotheses, "hypothesis")

    def on(self, points: Iterable[int | str]) -> FiniteClass:
        """The class on some of its points, in this order."""
        chosen = [self.point(point) for point in points]
        names = None if self._points is None else [self._points[point] for point in chosen]
        return FiniteClass(self.matrix[:, chosen], hypotheses=self._hypotheses, points=names)

    def only(self, hypotheses: Iterable[int | str]) -> FiniteClass:
        """A subclass of some hypotheses, in this order."""
        chosen = [self.hypothesis(hypothesis) for hypothesis in hypotheses]
        names = None if self._hypotheses is None else [self._hypotheses[hypothesis] for hypothesis in chosen]
        return FiniteClass(unpacked(self.rows[chosen], self.points), hypotheses=names, points=self._points)

    def describe(self) -> dict[str, Any]:
        """The size of the class as JSON values."""
        return {
            "hypotheses": self.table_rows,
            "distinct": self.hypotheses,
            "points": self.points,
            "floor_log2": self.floor_log2,
        }

    def cache(self, name: str, compute: Callable[[], T]) -> T:
        """A value that depends on the class alone; it is computed once."""
        if name not in self._values:
            self._values[name] = compute()
        return cast(T, self._values[name])

    def _protect(self) -> None:
        """Make the bits read-only, and forget cached values."""
        self._all_hypotheses: Words = np.full(self.columns.shape[1], ~np.uint64(0))
        self._all_hypotheses[-1:] >>= np.uint64(-self.hypotheses % 64)
        for words in (self.columns, self.rows, self._all_hypotheses):
            words.flags.writeable = False
        self._values: dict[str, Any] = {}

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in ("_values", "_all_hypotheses")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._protect()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, FiniteClass):
            return NotImplemented
        named = self._hypotheses == other._hypotheses and self._points == other._points
        return named and self._shape == other._shape and bool(np.array_equal(self.rows, other.rows))

    def __hash__(self) -> int:
        return hash((self._shape, self.rows.tobytes()))

    def __repr__(self) -> str:
        hypotheses = "1 hypothesis" if self.hypotheses == 1 else f"{self.hypotheses} hypotheses"
        return f"<FiniteClass: {hypotheses} on {self.points} point{'s' if self.points != 1 else ''}>"


def packed(table: Array) -> Words:
    """The bits of each row of a table, 64 to a word, the first one lowest."""
    bits = np.packbits(np.ascontiguousarray(table), axis=1, bitorder="little")
    room = np.zeros((len(table), -(-table.shape[1] // 64) * 8), dtype=np.uint8)
    room[:, : bits.shape[1]] = bits
    return room.view("<u8").astype(np.uint64, copy=False)


def is_label(label: Any) -> bool:
    """Whether it is 0 or 1; truth values and whole floats are."""
    return isinstance(label, int | float | np.bool_ | np.number) and bool(label in (0, 1))


def refuse_empty(finite_class: FiniteClass) -> None:
    """Refuse the empty class.

    Raises
    ------
    RegretlessError
        With the convention on its dimensions.
    """
    if not finite_class.hypotheses:
        raise RegretlessError(
            "a class without hypotheses: its VC and Littlestone dimensions are -1 by convention, and it cannot "
            "be learned; at least one hypothesis is expected"
        )


def unpacked(words: Words, count: int) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """The first `count` bits of each row of words."""
    raw = np.ascontiguousarray(words.astype("<u8", copy=False)).view(np.uint8)
    return np.unpackbits(raw, axis=1, count=count, bitorder="little").view(np.bool_)


def transposed(rows: Words, points: int) -> Words:
    """The columns of a table of bits, 64 to a word, from its rows."""
    columns = np.empty((points, -(-len(rows) // 64)), dtype=np.uint64)
    _core.transpose_bits(rows, columns)
    return columns


def _table(matrix: Any) -> Array:
    try:
        table = np.asarray(matrix)
    except ValueError as error:
        raise RegretlessError(
            "a class whose rows have different lengths; a label of every point is expected in each"
        ) from error
    if table.shape == (0,):
        return np.empty((0, 0), dtype=bool)
    if table.ndim != 2 or (len(table) and not table.shape[1]):
        raise RegretlessError(f"a class of shape {table.shape}; rows of hypotheses and columns of points are expected")
    if len(table) and table.dtype.kind not in "biufO":
        _refuse(table[0], 0, 0)
    return table


def _packed_zero_one(table: Array) -> Words:
    """The rows as bits, packed in blocks to save memory."""
    rows = np.empty((len(table), -(-table.shape[1] // 64)), dtype=np.uint64)
    step = max(1, BLOCK // max(1, table.shape[1]))
    for begin in range(0, len(table), step):
        block = table[begin : begin + step]
        rows[begin : begin + step] = packed(_zero_one(block, begin))
    return rows


def _zero_one(block: Array, begin: int) -> Array:
    """Rows as truth values; `begin` is the number of the first one."""
    if block.dtype == bool:
        return block
    if block.dtype.kind == "u":
        sound = block.max() <= 1
    elif block.dtype.kind == "i":
        sound = block.min() >= 0 and block.max() <= 1
    else:
        sound = False
    ones = block == 1
    if not sound:
        wrong = ~(ones | (block == 0))
        if wrong.any():
            row, column = (int(place) for place in np.argwhere(wrong)[0])
            _refuse(block[row], begin + row, column)
    return np.asarray(ones, dtype=bool)


def _refuse(says: Array, row: int, column: int) -> NoReturn:
    raise RegretlessError(f"hypothesis {row} has {says[column]!s} for point {column}; 0 or 1 is expected")


def _label_of(function: Callable[[Any], Any], place: int, point: Any) -> bool:
    label = function(point)
    if is_label(label):
        return bool(label)
    name = getattr(function, "__name__", "")
    called = f"hypothesis {place} ({name})" if name.isidentifier() else f"hypothesis {place}"
    raise RegretlessError(f"{called} has {label!r} for {point!r}; 0 or 1 is expected")


def _first_of_each(rows: Words) -> Array:
    """Numbers of the first row of each kind."""
    marks = rows[:, 0].copy()
    for word in range(1, rows.shape[1]):
        marks = (marks ^ (marks >> np.uint64(29))) * np.uint64(MIX) + rows[:, word]
    _, first, like = np.unique(marks, return_index=True, return_inverse=True)
    # One word identifies a row; hashes of several words may collide.
    if rows.shape[1] > 1 and not np.array_equal(rows[first][like], rows):
        _, first = np.unique(rows, axis=0, return_index=True)
    return np.sort(first)


def _names(names: Sequence[str] | None, count: int, what: str) -> list[str] | None:
    if names is None:
        return None
    texts = [str(name) for name in names]
    if len(texts) != count:
        raise InputError(f"{len(texts):,} names for {count:,} {what}", "a name for each is expected")
    if what == "points" and len(set(texts)) < count:
        twice = next(name for name, times in Counter(texts).items() if times > 1)
        raise InputError(f"two points are called {twice!r}", "different names are expected")
    return texts


def _place(called: int | str, count: int, names: Sequence[str] | None, what: str) -> int:
    if isinstance(called, str):
        if names is not None and called in names:
            return names.index(called)
        if names is None and called.isdecimal() and int(called) < count:
            return int(called)
        raise RegretlessError(f"there is no {what} called {called!r}; {_known(count, names)}")
    try:
        place = index(called)
    except TypeError:
        raise RegretlessError(f"{called!r} is no {what}; {_known(count, names)}") from None
    if not 0 <= place < count:
        raise RegretlessError(f"there is no {what} {place}; they are numbered from 0 to {count - 1}")
    return place


def _known(count: int, names: Sequence[str] | None) -> str:
    if names is None:
        return f"they are numbered from 0 to {count - 1}"
    shown = ", ".join(map(repr, names[:6]))
    return f"there are {shown}{', ...' if count > 6 else ''}"
