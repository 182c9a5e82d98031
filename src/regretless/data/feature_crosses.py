"""Rows with products of their features: streams whose columns are called by their number, and tables."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ..errors import DataError, ParameterError, RegretlessError
from .batch import Array, Batch
from .interactions import (
    HASH,
    LOW,
    MOST_PRODUCTS,
    Crossing,
    Numbering,
    Products,
    TooManyProducts,
    cut,
    hash_of,
    named_pairs,
    pair_keys,
)
from .messages import SKIPPING, one_of
from .names import all_names
from .stream import REMEMBERED_ERRORS, Stream, WrappedStream, past

HASHED = "hash them with --hash-bits, or name the pairs with --interactions A*B"
NAMED = "name the pairs with --interactions A*B"
LARGE = "scale the values down"


class CrossedStream(WrappedStream):
    """The rows of another stream with products of their features, or with their columns hashed.

    Without a hash, features and products get their columns in the order in which they first come. With one, the column
    of feature i is the lowest bits of splitmix64(i), and that of the product of features i <= j is those of
    splitmix64((i + 1) * 2^32 + j), where features are counted from 0; what falls in the same column is added up.

    Parameters
    ----------
    inner : Stream
        Whose columns are called by their number.
    interactions : sequence of str
        ``3*7`` for the product of two features, numbered as in the file; ``*`` for those of any two of a row.
    hash_bits : int, optional
        Number all features by so many bits of a hash.
    keep_names : int
        How many of the features that are hashed to remember by name.
    max_features : int
        How many columns there may be.
    on_error : {"raise", "skip"}
        What to do with a row that has too many products, or one that is infinite.
    schema : dict, optional
        The `schema` of an earlier stream, whose columns this one is to have.
    frozen : bool
        Whether features and products that the schema does not know contribute nothing.
    """

    def __init__(
        self,
        inner: Stream,
        *,
        interactions: Sequence[str] = (),
        hash_bits: int | None = None,
        keep_names: int = 0,
        max_features: int = 1 << 27,
        on_error: str = "raise",
        schema: dict[str, Any] | None = None,
        frozen: bool = False,
    ) -> None:
        super().__init__(inner)
        one_of("on_error", on_error, ("raise", "skip"))
        self._skips = on_error == "skip"
        self._own: list[str] = []
        self._own_skipped = 0
        self._gaps: deque[int] = deque()  # rows that the inner stream passes over
        bits = hash_bits if schema is None else hash_of(schema)
        if hash_bits not in (None, bits):
            raise ParameterError("hash_bits", str(hash_bits), f"it was {bits} in the file that this continues", ": ")
        numbering = Numbering(bits, max_features, names=False, keep=keep_names)
        if schema is None:
            self._crossing = Crossing(interactions, numbering)
        else:
            self._crossing = Crossing.from_schema(schema.get("crossing"), int, numbering)
            self._crossing.refuse_other(interactions, self._find, lambda place: str(int(place) + self._first_id))
        self._crossing.frozen = frozen

    def batches(self, skip: int = 0) -> Iterator[Batch]:
        """Read from the start, passing over the first `skip` good rows.

        Raises
        ------
        DataError
            At a row that cannot be used (after the good rows before it), and if there are no rows.
        """
        return past(self._read(), skip)

    def schema(self) -> dict[str, Any]:
        numbering = self._crossing.numbering
        result = {**self._inner.schema(), "crossing": self._crossing.schema()}
        if numbering.bits is not None:
            result["hash"] = {"function": HASH, "bits": numbering.bits}
        return result

    def feature_names(self) -> list[str] | None:
        if self._crossing.numbering.bits is not None:
            return None
        return all_names(self.schema(), self._crossing.numbering.columns)

    def watch(self) -> deque[int]:
        self._gaps = self._inner.watch()
        return Stream.watch(self)

    def _mark(self, rows: Array) -> None:
        if self._passed is not None:
            rows = np.union1d(np.array(self._passed, dtype=np.int64), rows)
            self._passed.clear()
        super()._mark(rows)

    def _numbers(self, next: int, count: int) -> Array:
        """Which of all rows these are, where `next` comes next unless it is one that the inner stream passes over."""
        numbers = np.arange(next, next + count)
        passed = []
        while self._gaps and self._gaps[0] <= numbers[-1]:
            passed.append(self._gaps.popleft())
            numbers[numbers >= passed[-1]] += 1
        self._mark(np.array(passed, dtype=np.int64))
        return numbers

    def _find(self, text: str) -> int | None:
        """The number of the column that the file calls so."""
        if not text.isdecimal():
            return None
        number = int(text) - self._first_id
        return number if 0 <= number < LOW >> 1 else None

    @property
    def _first_id(self) -> int:
        """The number that the file calls its first column by."""
        first = self._inner.schema().get("ids_from", 0)
        return 1 if first is None else int(first)

    def _read(self) -> Iterator[Batch]:
        self._own, self._own_skipped, first, numbers = [], 0, 0, np.zeros(1, dtype=np.int64) - 1
        if self._passed is not None:
            self._passed.clear()
        try:
            for batch in self._inner.batches():
                self._resolve()
                numbers = self._numbers(int(numbers[-1]) + 1, len(batch))
                yield from self._batch(sparse(batch), first, numbers)
                first += len(batch)
                self._count()
        finally:
            self._count()
        self._mark(np.array(self._gaps, dtype=np.int64))
        if first == self._own_skipped:
            raise self._error("no rows", "give at least one row that can be used")

    def _resolve(self) -> None:
        try:
            self._crossing.resolve(self._find)
        except RegretlessError as error:
            raise self._error(str(error), "features are called by their number") from error

    def _count(self) -> None:
        """What was passed over, here and by the inner stream."""
        self.skipped = self._inner.skipped + self._own_skipped
        self.first_errors = [*self._inner.first_errors, *self._own][:REMEMBERED_ERRORS]

    def _batch(self, batch: Batch, first: int, numbers: Array) -> Iterator[Batch]:
        """The rows with their products, in pieces; `first` is the number of the first among good rows, `numbers` are
        those among all."""
        lengths = np.diff(np.asarray(batch.starts)).astype(np.int64)
        everything = self._crossing.everything
        products = lengths * (lengths - 1) // 2 if everything else np.full_like(lengths, len(self._crossing.pairs))
        many = products > MOST_PRODUCTS
        for begin, end in cut(lengths + np.where(many, 0, products)):
            piece = batch.slice(begin, end)
            infinite = self._infinite(piece, many[begin:end])
            good, error = self._judge(piece, many[begin:end], infinite, first + begin)
            if self._skips:
                self._mark(numbers[begin:end][many[begin:end] | infinite])
            if len(good):
                yield self._crossed(good)
            if error is not None:
                raise error

    def _judge(self, piece: Batch, many: Array, infinite: Array, first: int) -> tuple[Batch, DataError | None]:
        """The rows to use, and the error to raise after them."""
        bad = many | infinite
        for row in np.flatnonzero(bad).tolist():
            if self._skips:
                self._own_skipped += 1
                if len(self._own) == REMEMBERED_ERRORS:
                    continue
            fault = f"has {len(piece.slice(row, row + 1).values):,} features, the most for all pairs is 512"
            if not many[row]:
                fault = "has features whose product is infinite"
            advice = (NAMED if many[row] else LARGE) + ("" if self._skips else f"; {SKIPPING}")
            place = first + row + 1
            error = DataError(self.name, self._inner.line_of(place), None, f"{self.call_rows(place)} {fault}", advice)
            if not self._skips:
                return piece.slice(0, row), error
            self._own.append(str(error))
        return (piece.only(~bad) if bad.any() else piece), None

    def _infinite(self, piece: Batch, many: Array) -> Array:
        """Which rows have a product that is too large to be written; a look at the largest value says so of most."""
        bad = np.zeros(len(piece), dtype=bool)
        with np.errstate(over="ignore"):
            if not len(piece.values) or np.isfinite(np.square(np.abs(piece.values).max())):
                return bad
            for row in np.flatnonzero(~many).tolist():
                one = piece.slice(row, row + 1)
                if self._crossing.everything:
                    first, second = np.triu_indices(len(one.values), 1)
                else:
                    first, second = named_pairs(one, self._crossing.pairs)
                bad[row] = not np.isfinite(one.values[first] * one.values[second]).all()
        return bad

    def _crossed(self, batch: Batch) -> Batch:
        """The rows with every feature and every product."""
        keys, starts = np.asarray(batch.indices), np.asarray(batch.starts)
        keys, starts, values = keys.astype(np.int64), starts.astype(np.int64), np.ascontiguousarray(batch.values)
        rows = Products(values, keys, starts, all=self._crossing.everything)
        if self._crossing.pairs:
            first, second = named_pairs(batch, self._crossing.pairs)
            whose = np.repeat(np.arange(len(batch)), np.diff(starts))
            whose = np.concatenate([whose, whose[first]])
            order = np.argsort(whose, kind="stable")
            keys = np.concatenate([keys, pair_keys(keys[first], keys[second])])[order]
            values = np.concatenate([values, values[first] * values[second]])[order]
            rows = Products(values, keys, np.searchsorted(whose[order], np.arange(len(starts))))
        try:
            return self._crossing.batch(rows, batch.labels)
        except TooManyProducts as error:
            raise self._error(str(error), HASHED) from error


def sparse(batch: Batch) -> Batch:
    """The batch in compressed sparse rows."""
    if batch.starts is not None:
        return batch
    rows, columns = np.nonzero(batch.values)
    starts = np.searchsorted(rows, np.arange(len(batch) + 1))
    return Batch(batch.values[rows, columns], batch.labels, batch.columns, columns, starts)


class TableProducts:
    """Which columns of a table are multiplied.

    Parameters
    ----------
    crossing : Crossing
    numeric, text : list of str
        The columns of numbers and those of text, as the table has them now.
    """

    def __init__(self, crossing: Crossing, numeric: list[str], text: list[str]) -> None:
        self._crossing, self._numeric = crossing, numeric
        self._left, self._right = _places(crossing, [*numeric, *text])

    def rows(self, values: Array, ids: Array, categories: Array, labels: Array | None) -> Iterator[Batch]:
        """The rows with their products, in pieces that take little memory.

        Parameters
        ----------
        values : ndarray, shape (rows, numeric columns)
        ids : ndarray of int32, shape (numeric columns,)
            The feature that each numeric column is.
        categories : ndarray of int32, shape (rows, columns of text)
            The feature, of value 1, that each category is; -1 where there is none.

        Raises
        ------
        TooManyProducts
            If there are more columns than may be listed.
        """
        numbers = np.concatenate([np.broadcast_to(ids, (len(values), len(ids))), categories], axis=1).astype(np.int64)
        values = np.concatenate([values, np.ones(categories.shape, values.dtype)], axis=1)
        width = numbers.shape[1]
        for begin, end in cut(np.full(len(values), width + len(self._left))):
            starts = np.arange(end - begin + 1, dtype=np.int64) * width
            pairs = self._left.astype(np.int32), self._right.astype(np.int32)
            chosen = None if labels is None else labels[begin:end]
            yield self._crossing.batch(
                Products(values[begin:end].ravel(), numbers[begin:end].ravel(), starts, *pairs), chosen
            )

    def infinite(self, values: Array) -> Iterator[tuple[str, str, Array]]:
        """Pairs of numeric columns, and the rows in which they are too large to be multiplied."""
        with np.errstate(over="ignore", invalid="ignore"):
            if not values.size or np.isfinite(np.square(np.abs(values).max())):
                return
            for left, right in zip(self._left.tolist(), self._right.tolist(), strict=True):
                if max(left, right) < len(self._numeric):
                    bad = np.flatnonzero(np.isinf(values[:, left] * values[:, right]))
                    yield self._numeric[left], self._numeric[right], bad


def _places(crossing: Crossing, names: list[str]) -> tuple[Array, Array]:
    if crossing.everything:
        return np.triu_indices(len(names), 1)
    place = {name: number for number, name in enumerate(names)}
    both = [(place[str(a)], place[str(b)]) for a, b in crossing.pairs if a in place and b in place]
    left, right = np.array(both, np.intp).reshape(-1, 2).T
    return left, right
