"""Pieces of the data of a shard: ranges of lines of a file, row groups of Parquet, rows of arrays."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from io import RawIOBase
from typing import Any, BinaryIO, cast

import numpy as np

from ..data.batch import Batch
from ..data.formats import ROWS
from ..data.rows import open_stream
from ..data.source import DECOMPRESSORS, Input, open_bytes, read_ready
from ..data.stream import Stream, WrappedStream
from ..errors import DataError
from .shards import ArrayShard, FileShard

TEXT = ("svmlight", "csv", "tsv")
WHOLE = "give it as it is, or as several files"
CHUNK = 1 << 20
LINE = 1 << 13  # bytes, more than most lines have
QUOTE, NEWLINE = ord('"'), ord("\n")


@dataclass(frozen=True, slots=True)
class PieceShard(FileShard):
    """One of several pieces of a file, which are of about the same size.

    Attributes
    ----------
    name : str
        ``part-3.svm[2/8]`` for the second of eight.
    path, reading
        As of the whole file.
    file_name : str
        The path as the user wrote it.
    piece, pieces : int
        Which one, from 0, of how many.
    """

    file_name: str = ""
    piece: int = 0
    pieces: int = 1

    @property
    def mark(self) -> str:
        """What distinguishes it from other pieces of the file."""
        return f"[{self.piece + 1}/{self.pieces}]"

    def options(self) -> dict[str, Any]:
        """The options of `files` that give such a shard."""
        return {**self.reading, "pieces": self.pieces}

    def open(self, schema: dict[str, Any] | None) -> Stream:
        """Its rows.

        Raises
        ------
        DataError
            If there is no such file, or it has not enough rows for so many pieces.
        """
        kind = self.reading.get("format") or ROWS.choose(self.file_name)
        if kind == "parquet":
            return self._row_groups(schema)
        # Every piece begins with the line of names, so that it cannot look like a row in one piece and not in another.
        header = kind != "svmlight" and self.reading.get("header") is not False
        lines = Lines(self.path, self.name, self.piece, self.pieces, table=header)
        reading = {**self.reading, "format": kind, **({"header": header} if kind in ("csv", "tsv") else {})}
        return _PieceStream(open_stream(cast(str, lines), schema=schema, **reading), lines)

    def _row_groups(self, schema: dict[str, Any] | None) -> Stream:
        from pyarrow import parquet

        stream: Any = open_stream(self.path, schema=schema, **self.reading)
        open_bytes(self.path).close()  # it says what is wrong with the path
        groups = parquet.read_metadata(self.path).num_row_groups
        if groups < self.pieces:
            fault = f"it has {groups} row groups, too few for {self.pieces} pieces"
            raise DataError(
                self.name, None, None, fault, "cut it into fewer pieces, or write it with smaller row groups"
            )
        stream.groups = range(groups * self.piece // self.pieces, groups * (self.piece + 1) // self.pieces)
        stream.name = self.name
        return cast(Stream, stream)


def pieces_of(shard: FileShard, pieces: int) -> list[FileShard]:
    """A file as so many shards.

    Parameters
    ----------
    shard : FileShard
        The whole file.
    pieces : int
        At least 1.

    Raises
    ------
    DataError
        If it is of a format that cannot be cut.
    """
    kind = shard.reading.get("format") or ROWS.choose(shard.name)
    if os.path.splitext(shard.name)[1].lower() in DECOMPRESSORS:
        fault = "a compressed file can be read from its beginning only, and not be cut into pieces"
        raise DataError(shard.name, None, None, fault, f"decompress it, or {WHOLE}")
    if kind not in (*TEXT, "parquet"):
        fault = f"files of the format {kind} are not cut into pieces, only {', '.join(TEXT)} and parquet are"
        raise DataError(shard.name, None, None, fault, WHOLE)
    cuts: list[FileShard] = []
    for piece in range(pieces):
        name = f"{shard.name}[{piece + 1}/{pieces}]"
        cuts.append(PieceShard(name, shard.path, shard.reading, shard.name, piece, pieces))
    return cuts


def rows_of(shard: ArrayShard, pieces: int) -> list[ArrayShard]:
    """Rows in memory as so many shards.

    Parameters
    ----------
    shard : ArrayShard
    pieces : int
        At least 1; the pieces are of about the same size.

    Raises
    ------
    DataError
        If they are too few.
    """
    if pieces == 1:
        return [shard]
    X = shard.X.tocsr() if hasattr(shard.X, "tocsr") else shard.X
    rows = X.shape[0] if hasattr(X, "shape") else len(X)
    if rows < pieces:
        raise DataError(shard.name, None, None, f"{rows:,} rows", f"they cannot be cut into {pieces:,} pieces")
    cuts = [slice(rows * place // pieces, rows * (place + 1) // pieces) for place in range(pieces)]
    return [
        ArrayShard(f"{shard.name}[{place + 1}/{pieces}]", _take(X, cut), _take(shard.y, cut))
        for place, cut in enumerate(cuts)
    ]


def _take(held: Any, cut: slice) -> Any:
    return held.iloc[cut] if hasattr(held, "iloc") else held[cut]


class Lines(Input):
    """The lines of a plain file that begin in one of several ranges of its bytes, which are of the same size.

    Parameters
    ----------
    path, name : str
    piece, pieces : int
    table : bool
        Whether the first line names the columns: it is read before those of any piece. Then no cell may hold a line
        end, for where a quote begins cannot be seen from the middle of a file.
    """

    rereadable = True

    def __init__(self, path: str, name: str, piece: int, pieces: int, *, table: bool) -> None:
        self.path, self.name = path, name
        self._piece, self._pieces, self._table = piece, pieces, table

    def open(self) -> BinaryIO:
        """The bytes of these lines.

        Raises
        ------
        DataError
            If there is no such file, or it can be read only once.
        """
        file = open_bytes(self.path)
        if not stat.S_ISREG(os.stat(self.path).st_mode):
            file.close()
            fault = "this can be read once only, and every epoch reads it again"
            raise DataError(self.name, None, None, fault, "save it in a file first")
        head, begin, end = self._bounds(file)
        file.seek(begin)
        return cast(BinaryIO, _Range(file, head, end - begin, self.name if self._table else None))

    def lines_before(self) -> int:
        """How many lines of the file come before those that are counted in the piece."""
        with open_bytes(self.path) as file:
            head, left, _ = self._bounds(file)
            file.seek(0)
            result = -head.count(b"\n")
            while left and (chunk := file.read(min(CHUNK, left))):
                result += chunk.count(b"\n")
                left -= len(chunk)
        return result

    def _bounds(self, file: BinaryIO) -> tuple[bytes, int, int]:
        """The header that goes before it, and where the piece begins and ends."""
        size = file.seek(0, os.SEEK_END)
        begin, end = (_line_start(file, size * (self._piece + more) // self._pieces, size) for more in (0, 1))
        if not self._table or self._piece == 0:
            return b"", begin, end
        header = _header(file, self.name)
        return header, max(begin, len(header)), max(end, len(header))


class _Range(RawIOBase):
    """A header, then so many bytes of a file."""

    def __init__(self, file: Any, head: bytes, size: int, table: str | None) -> None:
        self._file, self._head, self._left, self._table = file, head, size, table
        self._quotes = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        view = memoryview(buffer).cast("B")
        if self._head:
            part, self._head = self._head[: len(view)], self._head[len(view) :]
            view[: len(part)] = part
            return len(part)
        count = int(self._file.readinto(view[: min(len(view), self._left)]) or 0) if self._left else 0
        self._left -= count
        if self._table is not None and count:
            self._refuse_quoted_ends(np.frombuffer(view[:count], np.uint8))
        return count

    def _refuse_quoted_ends(self, text: np.ndarray[Any, np.dtype[np.uint8]]) -> None:
        """Every line must have as many quotes that open as quotes that close."""
        quotes = text == QUOTE
        if not self._quotes and not quotes.any():
            return
        so_far = self._quotes + np.cumsum(quotes)
        if (so_far[text == NEWLINE] % 2).any():
            fault = "a quoted cell holds a line end, so that the middle of the file does not show where rows begin"
            raise DataError(cast(str, self._table), None, None, fault, f"save it as Parquet, or {WHOLE}")
        self._quotes = int(so_far[-1]) % 2

    def close(self) -> None:
        if not self.closed:
            self._file.close()
        super().close()


class _PieceStream(WrappedStream):
    """The stream of a piece; errors have the line of the whole file."""

    def __init__(self, inner: Stream, lines: Lines) -> None:
        super().__init__(inner)
        self.name, self.rereadable, self._lines = lines.name, True, lines

    def batches(self, skip: int = 0) -> Iterator[Batch]:
        try:
            yield from self._inner.batches(skip)
        except DataError as error:
            raise self._explain(error) from error
        finally:
            self.skipped = self._inner.skipped
            self.first_errors = self._inner.first_errors and self._renumber(self._inner.first_errors)

    def _line_of(self, row: int) -> int | None:
        return None  # it is not known in the whole file

    def _explain(self, error: DataError) -> DataError:
        if error.line is not None:
            line = error.line + self._lines.lines_before()
            return DataError(error.path, line, error.column, error.fault, error.advice)
        if error.fault == "no rows":
            advice = "cut the file into fewer pieces"
            return DataError(error.path, None, None, "no rows begin in this piece", advice)
        return error

    def _renumber(self, errors: list[str]) -> list[str]:
        """The same messages with the lines of the whole file."""
        before, head = self._lines.lines_before(), f"{self.name}:"
        moved = []
        for message in errors:
            line, colon, rest = message.removeprefix(head).partition(":")
            known = message.startswith(head) and line.isdecimal()
            moved.append(f"{head}{int(line) + before}{colon}{rest}" if known else message)
        return moved


def _line_start(file: BinaryIO, place: int, size: int) -> int:
    """Where the first line begins that does not begin before a place."""
    if place == 0:
        return 0
    at = file.seek(place - 1)
    while chunk := file.read(LINE):
        result = chunk.find(b"\n")
        if result >= 0:
            return at + result + 1
        at += len(chunk)
    return size


def _header(file: BinaryIO, name: str) -> bytes:
    """All up to the end of the first line that is not blank."""
    file.seek(0)
    text, _ = read_ready(file, CHUNK)
    blank = len(text) - len(text.lstrip(b"\xef\xbb\xbf\r\n"))
    end = text.find(b"\n", blank) + 1
    if not end:
        raise DataError(name, None, None, "the first line does not end in its first MiB", WHOLE)
    return text[:end]
