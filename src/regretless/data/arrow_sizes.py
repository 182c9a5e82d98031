"""How much memory Arrow and Parquet files will take, known from their headers before any of it is taken."""

from __future__ import annotations

import io
import os
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from struct import error as Short
from struct import iter_unpack, unpack_from
from typing import Any, BinaryIO

from ..memory import refuse_large, shown

WHAT = "what is to be read at once"
MARK = b"\xff\xff\xff\xff"  # before the size of a message, since Arrow 0.15
DICTIONARY, RECORDS = 2, 3  # kinds of messages
EARLY = b"ARROW:experimental_compression"  # how the first files said that they are compressed
HEADER = 1 << 10  # of a page, nearly always; at most 16 MiB
LONGEST_HEADER = 1 << 24
DEEPEST = 16
DAMAGE = (Short, LookupError, OverflowError, ValueError)
LENGTHS = {1: 0, 2: 0, 3: 1, 7: 8}  # bytes that values of some types take in Parquet's headers


class _Unread(Exception):
    """A page was asked for."""


class _NoPages(io.RawIOBase):
    """A file of which only the length is known."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self._size, self._place = size, 0

    def readable(self) -> bool:
        """As `pyarrow` asks."""
        return True

    def seekable(self) -> bool:
        """As `pyarrow` asks."""
        return True

    def tell(self) -> int:
        """The place."""
        return self._place

    def seek(self, place: int, whence: int = os.SEEK_SET) -> int:
        """Go there."""
        self._place = place + (0, self._place, self._size)[whence]
        return self._place

    def read(self, size: int = -1) -> bytes:
        """There is nothing to read."""
        raise _Unread


def refuse_unsound_columns(path: str, metadata: Any, groups: Iterable[int], names: Collection[str]) -> None:
    """Refuse a Parquet file whose metadata of a column chunk contradict themselves.

    Asked for such metadata, `pyarrow` ends the process. A reader of the column says what is wrong as an error, before
    it asks for the first page; here there are no pages, so that nothing is decompressed.

    Raises
    ------
    OSError
        pyarrow's own, of a column that is damaged.
    """
    from pyarrow import parquet

    if not names:
        return
    pages = _NoPages(os.path.getsize(path))
    with parquet.ParquetFile(pages, metadata=metadata, buffer_size=HEADER, pre_buffer=False) as file:
        for group in groups:
            with suppress(_Unread):
                next(file.iter_batches(1, row_groups=[group], columns=list(names), use_threads=False), None)


def refuse_large_batches(path: str) -> None:
    """Refuse an Arrow file whose record batches, once decompressed, take more memory than is allowed.

    What is damaged is passed over: the reader says so.

    Raises
    ------
    DataError
        If it is too much.
    OSError
        If a message is longer than what is left of the file.
    """
    largest = dictionaries = 0
    with open(path, "rb") as file:
        try:
            for place in _messages(file):
                kind, size = _message(file, place)
                largest = max(largest, size if kind == RECORDS else 0)
                dictionaries += size if kind == DICTIONARY else 0
        except DAMAGE:
            pass
    refuse_large(path, largest + dictionaries, WHAT, file_size=os.path.getsize(path))


def batches_of_stream(file: BinaryIO) -> Iterator[tuple[int, bool]]:
    """Of each batch and each dictionary of an Arrow stream how many rows it says that it has, 0 of a dictionary, and
    whether it is compressed.

    Raises
    ------
    ValueError
        If it is damaged; or a LookupError, an OverflowError, a struct.error, an OSError.
    """
    for place in _messages(file):
        data, _ = _metadata(file, place)
        kind, records, packed = _records(data) if data else (0, 0, False)
        at = _field(data, records, 0) if kind == RECORDS else 0
        if kind:
            yield max(0, unpack_from("<q", data, at)[0]) if at else 0, packed


def refuse_large_pages(path: str, metadata: Any, groups: range, names: list[str], text: frozenset[str]) -> None:
    """Refuse a Parquet file of which some row group takes more memory than is allowed.

    A column is read page by page, each decompressed as a whole beside the dictionary; of text, all pages of a row group
    may be held at once. What the metadata say of sizes is not believed, for it is the pages that are taken at their
    word. What is damaged is passed over, as in `refuse_large_batches`.

    Raises
    ------
    DataError
        If it is too much.
    """
    stored = os.path.getsize(path)
    with open(path, "rb") as file:
        for group in groups:
            columns = _columns(metadata, group, names)
            size = sum(_pages(file, one)[1 if one.path_in_schema in text else 0] for one in columns)
            refuse_large(path, size, WHAT, file_size=stored)


def largest_page(path: str, metadata: Any, groups: range, names: list[str]) -> int:
    """How many bytes the largest page of some columns of a Parquet file takes, its dictionary included."""
    with open(path, "rb") as file:
        columns = (one for group in groups for one in _columns(metadata, group, names))
        return max((_pages(file, one)[0] for one in columns), default=0)


def _columns(metadata: Any, group: int, names: list[str]) -> list[Any]:
    places = {metadata.schema.column(place).path: place for place in range(metadata.num_columns)}
    return [metadata.row_group(group).column(places[name]) for name in names if name in places]


def _pages(file: BinaryIO, column: Any) -> tuple[int, int]:
    """How many bytes the pages of a column take: the dictionary and the largest of them, and all."""
    begins = [place for place in (column.dictionary_page_offset, column.data_page_offset) if place and place > 0]
    if not begins:
        return 0, 0
    place, first, largest, total = min(begins), 0, 0, 0
    end = place + column.total_compressed_size
    try:
        while place < end:
            raw, stored, header = _page(file, place)
            first, largest, total = first or raw, max(largest, raw), total + raw
            place += header + stored
    except DAMAGE:
        pass
    return first + largest, total


def _page(file: BinaryIO, place: int) -> tuple[int, int, int]:
    """How long a page is once it is decompressed, how long it is, and how long its header."""
    size = HEADER
    while True:
        try:
            fields, header = _struct(_read(file, place, size), 0)
            return max(0, fields[2]), max(0, fields[3]), header
        except IndexError:
            if size >= LONGEST_HEADER:
                raise
            size *= 128


def _struct(data: bytes, place: int, depth: int = 0) -> tuple[dict[int, int], int]:
    """The whole numbers in a structure of Thrift's compact protocol by their ids, and where it ends."""
    result: dict[int, int] = {}
    number = 0
    while kind := data[place] & 15:
        step, place = data[place] >> 4, place + 1
        if step:
            number += step
        else:
            number, place = _number(data, place)
        result[number], place = _value(data, place, kind, depth)
    return result, place + 1


def _value(data: bytes, place: int, kind: int, depth: int) -> tuple[int, int]:
    """A value, if it is a whole number, and where it ends."""
    if depth > DEEPEST:
        raise ValueError("a header is too deep")
    if kind in LENGTHS:
        return 0, place + LENGTHS[kind]
    if kind in (4, 5, 6):
        return _number(data, place)
    if kind == 8:
        length, place = _varint(data, place)
        return 0, place + length
    if kind == 12:
        return 0, _struct(data, place, depth + 1)[1]
    raise ValueError("a header holds what none has")  # lists and maps


def _number(data: bytes, place: int) -> tuple[int, int]:
    result, place = _varint(data, place)
    return (result >> 1) ^ -(result & 1), place


def _varint(data: bytes, place: int) -> tuple[int, int]:
    result = shift = 0
    while True:
        byte, place = data[place], place + 1
        result |= (byte & 127) << shift
        if byte < 128:
            return result, place
        shift += 7


def _messages(file: BinaryIO) -> Iterator[int]:
    """Where messages begin that hold dictionaries and records."""
    if file.read(6) == b"ARROW1":
        (length,) = unpack_from("<i", _read(file, file.seek(-10, os.SEEK_END), 4))
        end = file.seek(0, os.SEEK_END)
        footer = _read(file, end - 10 - length, length)
        table = _follow(footer, 0)
        for number in (2, 3):
            if at := _field(footer, table, number):
                first = _follow(footer, at)
                (count,) = unpack_from("<I", footer, first)
                blocks = iter_unpack("<qi4xq", footer[first + 4 : first + 4 + 24 * count])
                for offset, header, body in blocks:
                    _refuse_beyond(max(header, body), end - offset)
                    yield offset
        return
    place, end = 0, file.seek(0, os.SEEK_END)
    while place < end:
        yield place
        data, body = _metadata(file, place)
        if not data:
            return
        at = _field(data, _follow(data, 0), 3)
        size = unpack_from("<q", data, at)[0] if at else 0
        _refuse_beyond(size, end - body)
        place = body + size


def _metadata(file: BinaryIO, place: int) -> tuple[bytes, int]:
    """What a message says of itself, and where its body begins; nothing at the end of a stream."""
    start = place + 8 if (head := _read(file, place, 8))[:4] == MARK else place + 4
    (length,) = unpack_from("<i", head, start - place - 4)
    _refuse_beyond(length, file.seek(0, os.SEEK_END) - start)
    return _read(file, start, length), start + length


def _refuse_beyond(size: int, left: int) -> None:
    """Refuse a message that says it ends behind the file: pyarrow would make room for all of it first."""
    if size > max(0, left):
        raise OSError(f"a message of {shown(size)} where {shown(max(0, left))} are left in the file")


def _message(file: BinaryIO, place: int) -> tuple[int, int]:
    """Of which kind a message is, and how many bytes its buffers are once they are decompressed."""
    data, body = _metadata(file, place)
    kind, records, packed = _records(data)
    if not kind or not (at := _field(data, records, 2)):
        return kind, 0
    first = _follow(data, at)
    (count,) = unpack_from("<I", data, first)
    size = 0
    for offset, length in iter_unpack("<qq", data[first + 4 : first + 4 + 16 * count]):
        raw = unpack_from("<q", _read(file, body + offset, 8))[0] if packed and length >= 8 else -1
        size += max(0, length if raw < 0 else raw)
    return kind, size


def _records(data: bytes) -> tuple[int, int, bool]:
    """Of which kind a message is, where the table of its records stands, and whether they are compressed."""
    table = _follow(data, 0)
    kind, header = _field(data, table, 1), _field(data, table, 2)
    if not (kind and header and data[kind] in (DICTIONARY, RECORDS)):
        return 0, 0, False
    records = _follow(data, header)
    if data[kind] == DICTIONARY:
        records = _follow(data, _field(data, records, 1))
    return data[kind], records, bool(_field(data, records, 3)) or EARLY in data


def _field(data: bytes, table: int, number: int) -> int:
    """Where a field of a flatbuffer's table stands; 0 if it has none."""
    described = table - int(unpack_from("<i", data, table)[0])
    if 4 + 2 * number >= unpack_from("<H", data, described)[0]:
        return 0
    offset = int(unpack_from("<H", data, described + 4 + 2 * number)[0])
    return table + offset if offset else 0


def _follow(data: bytes, place: int) -> int:
    return place + int(unpack_from("<I", data, place)[0])


def _read(file: BinaryIO, place: int, size: int) -> bytes:
    if place < 0 or size < 0:
        raise Short("outside the file")
    file.seek(place)
    return file.read(size)
