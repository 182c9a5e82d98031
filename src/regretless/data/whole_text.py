"""Small files of text, read as a whole."""

from __future__ import annotations

from collections.abc import Iterator
from io import BufferedReader

from ..errors import DataError
from ..memory import TIMES as TIMES_A_FILE
from ..memory import refuse_large
from .csv_blocks import LONGEST_ROW
from .source import Source, name_of, open_bytes, stored_size

TIMES = 16  # so many times its own size a text takes, once it is understood
PACKED = {"gzip": b"\x1f\x8b", "xz": b"\xfd7zXZ\0", "zstd": b"\x28\xb5\x2f\xfd", "bzip2": b"BZh"}


def read_text(source: Source) -> str:
    """The text of a file, decompressed by its suffix; ``-`` is standard input.

    Raises
    ------
    DataError
        If it cannot be opened, or is no text in UTF-8.
    """
    name, stored, size = name_of(source), stored_size(source), 0
    with open_bytes(source) as file:
        parts = []
        while part := file.read(1 << 20):
            parts.append(part)
            size += len(part)
            # A text that is not packed is as large as its file, and may have what it takes.
            refuse_large(name, TIMES * size, "what this text says", file_size=TIMES // TIMES_A_FILE * stored)
    return decoded(b"".join(parts), name)


def lines_of(file: BufferedReader, name: str) -> Iterator[bytes]:
    """The lines of a file, none of which fills the memory.

    Raises
    ------
    DataError
        If one is too long.
    """
    number = 0
    while raw := file.readline(LONGEST_ROW):
        number += 1
        if len(raw) == LONGEST_ROW:
            fault = f"a line of more than {LONGEST_ROW >> 20} MiB begins here"
            raise DataError(name, number, None, fault, "rows on lines of their own are expected")
        yield raw


def decoded(data: bytes, name: str, line: int = 1) -> str:
    """Bytes as text; `line` is the number of the first line among them.

    Raises
    ------
    DataError
        If they are no text in UTF-8.
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        if (packed := next((kind for kind, begin in PACKED.items() if data.startswith(begin)), None)) and line == 1:
            advice = "decompress it first, or give the file the suffix that says so"
            raise DataError(name, None, None, f"this is compressed ({packed})", advice) from error
        place = line + data.count(b"\n", 0, error.start)
        raise DataError(name, place, None, "this is no text in UTF-8", "save the file as UTF-8 text") from error
    if (zero := text.find("\0")) >= 0:
        place = line + text.count("\n", 0, zero)
        raise DataError(name, place, None, "this is no text", "name the format with --format")
    return text
