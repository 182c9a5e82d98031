"""Arrow batches of Spark's columns as batches of rounds: vectors, arrays, or one column a feature."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ...arrays import laid_out
from ...data.batch import Array, Batch
from ...data.stream import Stream, past
from ...errors import DataError

DENSE = 1  # what the field ``type`` of a pyspark.ml vector says of a dense one; 0 of a sparse one
FINITE = "only finite numbers can be used; drop or fill such rows before"


@dataclass(frozen=True, slots=True)
class Layout:
    """Which columns a data frame keeps features and labels in.

    Attributes
    ----------
    kind : {"vector", "array", "columns"}
        pyspark.ml vectors in one column, arrays of numbers in one column, or a numeric column for each feature.
    features : tuple of str
        Names of the columns.
    label : str or None
        None where only predictions are wanted.
    """

    kind: Literal["vector", "array", "columns"]
    features: tuple[str, ...]
    label: str | None = None

    @property
    def names(self) -> list[str] | None:
        """What the features are called; None where they have numbers."""
        return list(self.features) if self.kind == "columns" else None


class RecordStream(Stream):
    """A stream over record batches whose first columns are those of the features; the label, if any, comes last.

    Parameters
    ----------
    read : callable
        Gives the record batches, from the first one.
    layout : Layout
        What the columns are; they go by their places.
    name : str
        What messages call it.
    columns : int, optional
        How many features there must be.
    """

    def __init__(self, read: Callable[[], Iterator[Any]], layout: Layout, name: str, columns: int | None) -> None:
        super().__init__(name)
        self._read, self._layout, self._columns = read, layout, columns

    def batches(self, skip: int = 0) -> Iterator[Batch]:
        """The rows of each record batch.

        Raises
        ------
        DataError
            If something is missing or not finite; it names the column and the row.
        """
        return past(self._batches(), skip)

    def _batches(self) -> Iterator[Batch]:
        first = 0
        for records in self._read():
            if not records.num_rows:
                continue
            batch = batch_of(records, self._layout, self.name, first, self._columns)
            self._columns, first = batch.columns, first + len(batch)
            yield batch

    def schema(self) -> dict[str, Any]:
        """How many columns there are, and what they are called."""
        names = self._layout.names
        return {"format": "array", "columns": self._columns, "target": None, "held": True, "names": names}

    def feature_names(self) -> list[str] | None:
        """Names of the columns; None where they have numbers."""
        return self._layout.names


def batch_of(records: Any, layout: Layout, name: str, first: int = 0, columns: int | None = None) -> Batch:
    """A record batch as rounds; there is no loop over rows.

    Parameters
    ----------
    records : pyarrow.RecordBatch
        The columns of the features, then that of the label if the layout has one.
    layout : Layout
    name : str
        What messages call the rows' place.
    first : int
        How many rows came before: messages count from there.
    columns : int, optional
        How many features there must be.

    Returns
    -------
    Batch
        Sparse if there is a sparse vector in it.

    Raises
    ------
    DataError
        If something is missing, not finite, or of another width.
    """
    rows = _RecordRows(layout, name, first, columns)
    result = records.columns
    for label, column in zip(layout.features, result, strict=False):
        rows.refuse_nulls(column, label)
    batch = rows.matrix(result) if layout.kind == "columns" else getattr(rows, layout.kind)(result[0])
    rows.refuse_unfit(batch)
    labels = None if layout.label is None else rows.labels(result[len(layout.features)])
    return Batch(batch.values, labels, batch.columns, batch.indices, batch.starts)


@dataclass(frozen=True, slots=True)
class _RecordRows:
    """The reading of one record batch: a method for each form of features, and errors that name a row."""

    layout: Layout
    name: str
    first: int
    columns: int | None

    def vector(self, column: Any) -> Batch:
        """Vectors of pyspark.ml: type, size, indices, values, of which a dense one lacks the second and third."""
        import pyarrow.compute as pc

        kinds, sizes, indices, values = (column.field(place) for place in range(4))
        dense = kinds.to_numpy(zero_copy_only=False) == DENSE
        lengths = _lengths(values)
        widths = np.where(dense, lengths, pc.fill_null(sizes, 0).to_numpy(zero_copy_only=False))
        width = self._width(widths, "vector")
        numbers = _numbers(values.flatten())
        if dense.all():
            return Batch(numbers.reshape(len(dense), width), None, width)
        starts = _starts(lengths)
        places = np.arange(len(numbers)) - np.repeat(starts[:-1], lengths)  # those of dense vectors
        places[~np.repeat(dense, lengths)] = indices.flatten().to_numpy(zero_copy_only=False)
        return Batch(numbers, None, width, places, starts)

    def array(self, column: Any) -> Batch:
        """Arrays of numbers, all of one length."""
        width = self._width(_lengths(column), "array")
        flat = column.flatten()
        if flat.null_count:
            place = int(np.flatnonzero(flat.is_null().to_numpy(zero_copy_only=False))[0])
            self._refuse(self.layout.features[0], place // width, f"null at place {place % width}")
        return Batch(_numbers(flat).reshape(len(column), width), None, width)

    def matrix(self, columns: list[Any]) -> Batch:
        """A column for each feature; float32 if all of them are."""
        import pyarrow as pa

        count = len(self.layout.features)
        kinds = {column.type for column in columns[:count]}
        kind = pa.float32() if kinds == {pa.float32()} else pa.float64()
        cast = [column.cast(kind, safe=False) for column in columns[:count]]
        tensor = pa.RecordBatch.from_arrays(cast, names=[str(place) for place in range(count)])
        return Batch(tensor.to_tensor(row_major=True).to_numpy(), None, count)

    def labels(self, column: Any) -> Array:
        """Labels as numpy has them: integers stay integers."""
        import pyarrow as pa

        self.refuse_nulls(column, str(self.layout.label))
        kind = column.type
        if pa.types.is_string(kind) or pa.types.is_large_string(kind):
            coded = column.dictionary_encode()
            words = np.array(coded.dictionary.to_pylist(), dtype=np.str_)
            return np.asarray(words[coded.indices.to_numpy(zero_copy_only=False)])
        if pa.types.is_integer(kind):
            return np.asarray(column.cast(pa.int64()).to_numpy(zero_copy_only=False))
        if pa.types.is_boolean(kind):
            return np.asarray(column.to_numpy(zero_copy_only=False))
        values = np.asarray(column.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False))
        if not np.isfinite(values).all():
            row = int(np.flatnonzero(~np.isfinite(values))[0])
            self._refuse(str(self.layout.label), row, str(values[row]))
        return values

    def refuse_nulls(self, column: Any, called: str) -> None:
        """Refuse a column with a null."""
        if column.null_count:
            row = int(np.flatnonzero(column.is_null().to_numpy(zero_copy_only=False))[0])
            self._refuse(called, row, "null")

    def refuse_unfit(self, batch: Batch) -> None:
        """Refuse features that are not finite."""
        finite = np.isfinite(batch.values)
        if finite.all():
            return
        place = int(np.flatnonzero(~finite.reshape(-1))[0])
        result = batch.values.reshape(-1)[place]
        if batch.starts is None or batch.indices is None:
            row, feature = divmod(place, batch.columns)
        else:
            row = int(np.searchsorted(batch.starts, place, side="right")) - 1
            feature = int(batch.indices[place])
        if self.layout.kind == "columns":
            self._refuse(self.layout.features[feature], row, str(result))
        self._refuse(self.layout.features[0], row, f"{result} at place {feature}")

    def _width(self, widths: Array, what: str) -> int:
        width = int(widths[0]) if self.columns is None else self.columns
        if (widths != width).any():
            row = int(np.flatnonzero(widths != width)[0])
            fault = f"the {what} has {int(widths[row])} numbers"
            self._refuse(self.layout.features[0], row, fault, f"all must have as many, here {width}")
        return width

    def _refuse(self, column: str, row: int, fault: str, advice: str = FINITE) -> None:
        where = f"column {column!r}, row {self.first + row} (counted from 0)"
        raise DataError(self.name, None, None, f"{where}: {fault}", advice)


def _lengths(lists: Any) -> Array:
    import pyarrow.compute as pc

    return np.asarray(pc.fill_null(pc.list_value_length(lists), 0).to_numpy(zero_copy_only=False), np.int64)


def _starts(lengths: Array) -> Array:
    starts = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=starts[1:])
    return starts


def _numbers(flat: Any) -> Array:
    """Numbers of a list column; float32 if that is what they are."""
    import pyarrow as pa

    kind = pa.float32() if flat.type == pa.float32() else pa.float64()
    cast = flat if flat.type == kind else flat.cast(kind, safe=False)
    return laid_out(cast.to_numpy(zero_copy_only=False))
