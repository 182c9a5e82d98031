"""Which format a file of rows has, by its suffix and, of text, by its first line."""

from __future__ import annotations

import os
import re
import stat
import sys
from contextlib import suppress

from ..errors import RegretlessError
from .formats import ROWS, SUFFIXES
from .source import Input, Source, name_of, open_bytes, read_ready, suffixes

HEAD = 1 << 16  # bytes that are looked at
LABEL = rb"[ \t]*[-+]?[0-9.]+(?:[eE][-+]?[0-9]+)?"
SVMLIGHT = re.compile(LABEL + rb"(?:[ \t]+(?:qid|[0-9]+):[-+0-9.eE]+)+[ \t]*(?:#.*)?")
ENTRY = re.compile(rb"[ \t|][^ \t]*:")
TEXT = ("svmlight", "csv", "tsv")


def recognized(path: Source, format: str | None, *, tabular: bool) -> tuple[str, str | None]:
    """The format, and a note where it is another than the suffix says.

    A file called .csv or .tsv whose first line has the form of svmlight is that, and one whose suffix says nothing is
    a table if its first line has cells.

    Parameters
    ----------
    path : path or Input
    format : str, optional
        What the user says.
    tabular : bool
        Whether a file whose suffix says nothing is expected to be a table.

    Raises
    ------
    ParameterError
        If `format` is none of `formats.ROWS`.
    """
    usual = ROWS.choose(path, format, otherwise="csv" if tabular else None)
    if format is not None or usual not in TEXT or isinstance(path, Input):
        return usual, None
    stated = any(suffix in of for suffix in suffixes(path)[-1:] for of in SUFFIXES.values())
    if stated and usual == "svmlight":
        return usual, None
    line = _first_line(path)
    if usual != "svmlight" and SVMLIGHT.fullmatch(line):
        name = "svmlight"
    elif not stated and not tabular and _has_cells(line):
        name = "csv"
    else:
        return usual, None
    what = "a table of delimited text" if name == "csv" else "svmlight"
    return name, f"{name_of(path)} is read as {what}, as its first line looks; --format says otherwise"


def _has_cells(line: bytes) -> bool:
    if b"\0" in line:
        return False
    if re.search(rb"[,;\t]", line) and not re.match(LABEL + rb"[ \t]+[0-9]+:", line):
        return True
    return len(line.split()) > 2 and ENTRY.search(line) is None


def _first_line(path: str | os.PathLike[str]) -> bytes:
    """The first line that is neither blank nor a comment; nothing where the file cannot be read, or only once.

    Standard input is looked at without taking anything from it.
    """
    text = b""
    with suppress(OSError, RegretlessError):
        if os.fspath(path) == "-":
            text = _ahead()
        elif stat.S_ISREG(os.stat(path).st_mode):
            with open_bytes(path) as file:
                text, _ = read_ready(file, HEAD)
    lines = text.removeprefix(b"\xef\xbb\xbf").splitlines()
    return next((line for line in lines if line.strip() and not line.startswith(b"#")), b"")


def _ahead() -> bytes:
    """What standard input has ready, once it has anything; nothing where it is closed or cannot be looked at."""
    peek = getattr(getattr(sys.stdin, "buffer", None), "peek", None)
    return b"" if peek is None else bytes(peek(HEAD))
