"""Arrays of pyarrow, from words and as arrays of numpy. Its own ways import pandas where that is installed, which takes
longer than to read a small file."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .batch import Array


class TextCells(NamedTuple):
    """The cells of a column of text.

    Attributes
    ----------
    text : ndarray of uint8
        Their bytes in UTF-8, one after the other.
    offsets : ndarray of int64, shape (rows + 1,)
        The cell of row t stands from ``offsets[t]`` to ``offsets[t + 1]``.
    missing : ndarray of int64
        The rows without one, ascending.
    """

    text: Array
    offsets: Array
    missing: Array

    def in_small_letters(self) -> TextCells:
        """The same in small letters, but for those of ASCII where there are no others."""
        if is_ascii(self.text):
            return self
        import pyarrow as pa
        from pyarrow import compute

        parts = [None, pa.py_buffer(self.offsets), pa.py_buffer(self.text)]
        column = pa.Array.from_buffers(pa.large_string(), len(self.offsets) - 1, parts)
        return cells_of(compute.utf8_lower(column))._replace(missing=self.missing)


def is_ascii(text: Array) -> bool:
    """Whether all bytes are of ASCII."""
    return int(text.max(initial=0)) < 0x80


def cells_of(column: Any) -> TextCells:
    """The cells of a column of strings of pyarrow."""
    import pyarrow as pa

    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    cells = column.cast("large_string")
    _, begins, text = cells.buffers()
    offsets = np.zeros(1, np.int64) if begins is None else np.frombuffer(begins, np.int64)[cells.offset :]
    offsets = offsets[: len(cells) + 1]
    data = np.empty(0, np.uint8) if text is None else np.frombuffer(text, np.uint8)
    return TextCells(data[offsets[0] : offsets[-1]], offsets - offsets[0], missing_in(cells).astype(np.int64))


def strings_of(values: list[str]) -> Any:
    """These values as an array of strings of pyarrow; of less than 2 GiB, as those of a block are."""
    import pyarrow as pa

    encoded = [value.encode() for value in values]
    offsets = np.cumsum([0, *map(len, encoded)], dtype=np.int32)
    parts = [None, pa.py_buffer(offsets), pa.py_buffer(b"".join(encoded))]
    return pa.Array.from_buffers(pa.string(), len(values), parts)


def numpy_of(array: Any, dtype: np.dtype[Any]) -> Array:
    """An array of pyarrow without gaps, or of gaps whose values do not matter, without a copy."""
    values = array.buffers()[1]
    if values is None or not len(array):
        return np.empty(0, dtype)
    return np.frombuffer(values, dtype, len(array), array.offset * dtype.itemsize)


def missing_in(column: Any) -> Array:
    """The places at which a column of pyarrow has no value."""
    from pyarrow import compute

    if not column.null_count:
        return np.empty(0, np.intp)
    return numpy_of(compute.indices_nonzero(column.is_null()), np.dtype(np.uint64)).astype(np.intp)


def floats(column: Any) -> Array:
    """A column of numbers as pyarrow has it; what is missing becomes nan."""
    if str(column.type) != "double":
        column = column.cast("double")
    chunks = [numpy_of(chunk, np.dtype(np.float64)) for chunk in column.chunks]
    if len(chunks) == 1 and not column.null_count:
        return chunks[0]
    values = np.concatenate([np.empty(0), *chunks])
    values[missing_in(column)] = np.nan
    return values
