"""Parquet, Arrow and Feather files, folders of them, and data frames in memory."""

from __future__ import annotations

import os
import sys
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from ..errors import DataError, RegretlessError
from ..memory import allowed, refuse_large
from .arrow_sizes import largest_page, refuse_large_batches, refuse_large_pages, refuse_unsound_columns
from .batch import Batch
from .columns import DATES, NUMERIC, VALUED, FeatureMap
from .source import Input, Source, can_be_read_again, whole_file
from .stream import KEY, normalized
from .table import TableStream
from .table_chunk import ArrowColumns, Chunk

ENTRIES = 1 << 19
ROWS = 1 << 16  # at most, for words may be long
BUFFER = 1 << 16  # read of each column at a time, instead of all its pages of a row group
SUFFIXES = {"Parquet": (".parquet", ".pq"), "Arrow": (".arrow", ".feather", ".ipc", ".arrows")}


class ArrowStream(TableStream):
    """A stream over Parquet, Arrow or Feather files.

    Numbers and booleans are numeric; strings and dictionaries (pandas calls them categories) are text; dates and
    times are left out, and columns of other types refused. Only the columns that are needed are read, a batch at a
    time. A folder stands for the files of the format in it and below, in the order of their names, without those
    called ``_*`` or ``.*``.

    Parameters
    ----------
    kind : {"Parquet", "Arrow"}
        The format; Arrow is the IPC format, which Feather is too, as a file or as a stream.

    The others are those of `TableStream`.

    Attributes
    ----------
    groups : range or None
        Of a Parquet file the row groups to read; None for all.
    """

    groups: range | None = None
    _leaves_out_dates = True

    def __init__(self, path: Source, *, kind: str, **options: Any) -> None:
        super().__init__(path, **options)
        self._format = kind

    def _chunks(self) -> Iterator[Chunk]:
        for path in self._files():
            with self._damage(path):
                yield from self._file(path)

    def _files(self) -> list[str]:
        path, wanted = self._path, SUFFIXES[self._format]
        if not (isinstance(path, str | os.PathLike) and can_be_read_again(path) and os.path.isdir(path)):
            return [whole_file(path, f"the {self._format} format")]
        inside = sorted(file for file in Path(path).rglob("*") if file.suffix.lower() in wanted)
        shown = [file for file in inside if not _is_hidden(file.relative_to(path))]
        if not shown:
            fault = f"this folder holds no file ending in {' or '.join(wanted)}"
            raise self._error(fault, "name a file or another folder")
        return [str(file) for file in shown]

    @contextmanager
    def _damage(self, path: str) -> Iterator[None]:
        import pyarrow as pa

        try:
            yield
        except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
            if isinstance(error, OSError) and error.errno is not None:
                raise
            reason = str(error).partition("\n")[0]
            fault = f"this cannot be read as {self._format} ({reason})"
            raise DataError(path, None, None, fault, "write or fetch the file again") from error

    def _file(self, path: str) -> Iterator[Chunk]:
        opened = _ipc(path) if self._format == "Arrow" else _parquet(path, self.groups)
        with opened as (schema, read, first):
            wanted = self._decide(schema)
            yield from self._read_ahead(self._chunks_of(path, read(wanted, _rows_together(len(wanted))), wanted, first))

    def _chunks_of(
        self, path: str, batches: Iterator[Any], wanted: list[str], first: int
    ) -> Generator[Chunk, None, None]:
        """The chunks of some batches, the first of which begins at a row of this number."""
        for batch in batches:
            yield self._chunk(path, batch, wanted, first)
            first += batch.num_rows

    def _decide(self, schema: Any) -> list[str]:
        """The columns to read, once the kinds of those that were undecided are settled."""
        wanted = self._choose(schema.names)
        types = {name: schema.field(name).type for name in wanted}
        kinds = {name: self._kind_of(name, kind) for name, kind in types.items()}
        for name in wanted:
            self._refuse_other_kind(name, kinds[name], types[name])
        if undecided := self._undecided(wanted):
            self._settle(self._without_dates({name: kinds[name] for name in undecided}, wanted))
        return wanted

    def _kind_of(self, name: str, value: Any) -> str:
        from pyarrow import types

        if types.is_null(value):
            return "empty"
        if (stated := self._stated(name)) is not None or types.is_dictionary(value):
            return stated or "text"
        if types.is_boolean(value):
            return "boolean"
        if types.is_integer(value) or types.is_floating(value) or types.is_decimal(value):
            return "number"
        if _is_text(value):
            return "text"
        if types.is_temporal(value) and self._leaves_out_dates:
            return DATES
        advice = (
            f"leave it out with --ignore {name}, turn it into numbers, or take its values for names with --categorical"
        )
        raise self._error(f"column {name!r} is of type {value}", advice)

    def _refuse_other_kind(self, name: str, kind: str, of_type: Any) -> None:
        if kind == DATES and self._kind(name) != "empty":
            self._refuse_dates(name)
        if self._kind(name) in NUMERIC and kind in VALUED:
            advice = "numbers are expected, as in the first file"
            raise self._error(f"column {name!r} is of type {of_type}", advice)

    def _chunk(self, path: str, batch: Any, wanted: list[str], first: int) -> Chunk:
        import pyarrow as pa

        def error(row: int, column: str | None, fault: str, advice: str) -> DataError:
            return DataError(path, None, None, f"in {self.call_rows(first + row + 1)}, {fault}", advice)

        columns = [_converted(batch.column(name), self._kind(name)) for name in wanted]
        return Chunk(ArrowColumns(pa.Table.from_arrays(columns, wanted)), error)


def _rows_together(columns: int) -> int:
    """How many rows of so many columns are read at a time: each batch has a price for each column."""
    return max(min(ENTRIES // columns, ROWS), 1)


def _is_text(value: Any) -> bool:
    from pyarrow import types

    return types.is_string(value) or types.is_large_string(value) or str(value) == "string_view"


def _is_hidden(path: Path) -> bool:
    return any(part.startswith((".", "_")) for part in path.parts)


def _converted(column: Any, kind: str) -> Any:
    import pyarrow as pa

    if kind in NUMERIC:
        return column.cast("double", safe=False)
    if kind == "empty":
        return pa.nulls(len(column))
    if kind == "words":
        return column.cast("string")
    if not pa.types.is_dictionary(column.type):
        return column.cast("string").dictionary_encode()
    # Each value once, in the order of the rows: a long one that stands in many rows must not be written out for each.
    used, listed = column.indices.dictionary_encode(), column.dictionary
    if str(listed.type) == "string_view":  # which pyarrow cannot take from
        listed = listed.cast("string")
    values = listed.take(used.dictionary).cast("string").dictionary_encode()
    return pa.DictionaryArray.from_arrays(values.indices.take(used.indices), values.dictionary)


def _sound(batch: Any) -> Any:
    """The batch, once its buffers are known to be what they say: offsets that lead astray would end the process."""
    batch.validate(full=True)
    return batch


def _refuse_long_views(path: str, batch: Any) -> None:
    """Refuse text that is far longer than what is stored, for many rows may look at one piece of it."""
    size = 0
    for column in batch.columns:
        values = getattr(column, "dictionary", column)
        if str(values.type) in ("string_view", "binary_view") and len(values):
            views = np.frombuffer(values.buffers()[1], np.int32).reshape(-1, 4)[values.offset :][: len(values)]
            size += int(np.maximum(views[:, 0], 0).sum(dtype=np.int64))
    refuse_large(path, size, "the text of a record batch", file_size=os.path.getsize(path))


@contextmanager
def _parquet(path: str, groups: range | None) -> Iterator[tuple[Any, Any, int]]:
    """The schema of a file, what reads chosen columns so many rows at a time, and the number of the first row."""
    from pyarrow import parquet

    with parquet.ParquetFile(path) as file:
        schema, metadata = file.schema_arrow, file.metadata
    text = frozenset(field.name for field in schema if _is_text(field.type))
    refuse_unsound_columns(path, metadata, range(metadata.num_row_groups), text)
    prefixed = _delta_encoded(metadata, text)  # which pyarrow does not read as dictionaries
    how = {"metadata": metadata, "buffer_size": BUFFER, "pre_buffer": False, "read_dictionary": sorted(text - prefixed)}
    with parquet.ParquetFile(path, **how) as file:
        chosen = range(file.num_row_groups) if groups is None else groups

        def read(names: list[str], rows: int) -> Iterator[Any]:
            refuse_unsound_columns(path, metadata, chosen, names)
            refuse_large_pages(path, metadata, chosen, names, text)
            # What begins like the cell before it is stored without that, so that each cell may be as long as a page.
            longest = largest_page(path, metadata, chosen, [name for name in names if name in prefixed])
            rows = max(1, min(rows, allowed() // max(1, longest)))
            batches = file.iter_batches(rows, row_groups=chosen, columns=names, use_threads=False)
            return map(_sound, batches)

        yield schema, read, sum(metadata.row_group(place).num_rows for place in range(chosen.start))


def _delta_encoded(metadata: Any, names: frozenset[str]) -> frozenset[str]:
    """Which of these columns of a Parquet file are encoded by differences somewhere."""
    places = [place for place in range(metadata.num_columns) if metadata.schema.column(place).path in names]
    columns = (metadata.row_group(group).column(place) for group in range(metadata.num_row_groups) for place in places)
    return frozenset(one.path_in_schema for one in columns if any("DELTA" in encoding for encoding in one.encodings))


@contextmanager
def _ipc(path: str) -> Iterator[tuple[Any, Any, int]]:
    import pyarrow as pa

    refuse_large_batches(path)
    with pa.OSFile(path) as file:
        seekable = file.read(6) == b"ARROW1"
        file.seek(0)
        reader = pa.ipc.open_file(file) if seekable else pa.ipc.open_stream(file)
        count = reader.num_record_batches if seekable else 0
        batches = (reader.get_batch(place) for place in range(count))

        def read(names: list[str], rows: int) -> Iterator[Any]:
            for batch in batches if seekable else reader:
                chosen = batch.select(names)
                _refuse_long_views(path, chosen)
                _sound(chosen)
                for first in range(0, batch.num_rows, rows):
                    yield chosen.slice(first, rows)

        yield reader.schema, read, 0


class _Memory(Input):
    name = "X"
    rereadable = True

    def open(self) -> BinaryIO:
        raise NotImplementedError


class FrameStream(ArrowStream):
    """A stream over a frame of pandas, or whatever offers ``__arrow_c_stream__``; all columns are features.

    Parameters
    ----------
    frame : pandas.DataFrame, polars.DataFrame, pyarrow.Table or the like
    schema : dict, optional
        The schema of an earlier stream, whose features this one continues.
    frozen : bool
        Whether values that the schema does not know contribute nothing.
    known : FeatureMap, optional
        That of an earlier stream of this schema, if it is settled.
    """

    _leaves_out_dates = False  # no note would be read
    _first_number = 0

    def __init__(
        self,
        frame: Any,
        schema: dict[str, Any] | None = None,
        *,
        frozen: bool = False,
        known: FeatureMap | None = None,
    ) -> None:
        self._known_map = known
        super().__init__(_Memory(), kind="Arrow", schema=schema, frozen=frozen)
        self._table = _table_of(frame)

    def _map_of(self, schema: dict[str, Any], limit: int) -> FeatureMap:
        return super()._map_of(schema, limit) if self._known_map is None else self._known_map

    @property
    def features(self) -> FeatureMap:
        """The map of features now."""
        return self._map

    def _find_target(self, names: list[str]) -> str | None:
        return None

    def _chunks(self) -> Iterator[Chunk]:
        wanted = self._decide(self._table.schema)
        batches = self._table.select(wanted).to_batches(max_chunksize=_rows_together(len(wanted)))
        yield from self._chunks_of(self.name, batches, wanted, 0)


def encoded(
    frame: Any, schema: dict[str, Any] | None, *, frozen: bool, known: FeatureMap | None = None
) -> tuple[Batch, FrameStream]:
    """All rows of a frame as the command line reads a table, and the stream that knows the features now.

    Parameters
    ----------
    frame, schema, frozen, known
        As of `FrameStream`.

    Raises
    ------
    RegretlessError
        If a column cannot be used.
    """
    stream = FrameStream(frame, schema, frozen=frozen, known=known)
    try:
        batch = _joined(list(stream.batches()))
    except DataError as error:
        raise RegretlessError(f"X: {error.fault}; {_without_options(error.advice)}") from error
    return (normalized(batch) if (schema or {}).get(KEY) else batch), stream


def _without_options(advice: str) -> str:
    """Advice without what can be said on the command line alone."""
    advice = advice.partition("; to pass over such rows")[0].partition("; pass --")[0]
    if "--missing" in advice:
        return "fill or drop its missing values"
    return "convert it or leave it out" if "--" in advice else advice


def _table_of(frame: Any) -> Any:
    import pyarrow as pa

    pandas = sys.modules.get("pandas")
    try:
        if pandas is not None and isinstance(frame, pandas.DataFrame):
            return pa.Table.from_pandas(frame, preserve_index=False)
        return pa.RecordBatchReader.from_stream(frame).read_all()
    except (pa.ArrowInvalid, pa.ArrowTypeError, TypeError) as error:
        raise RegretlessError(f"X cannot be read as a table ({error}); give each column values of one type") from error


def _joined(batches: list[Batch]) -> Batch:
    last = batches[-1]
    if len(batches) == 1:
        return last
    values = np.concatenate([batch.values for batch in batches])
    if last.starts is None:
        return Batch(values, None, last.columns)
    indices = np.concatenate([np.asarray(batch.indices) for batch in batches])
    lengths = np.concatenate([np.diff(np.asarray(batch.starts)) for batch in batches])
    return Batch(values, None, last.columns, indices, np.concatenate([[0], np.cumsum(lengths)]))
