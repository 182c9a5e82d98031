"""How much memory may be taken for what a file asks for, so that a small file has no large cost."""

from __future__ import annotations

import os
import re

from .errors import DataError, RegretlessError

VARIABLE = "REGRETLESS_MAX_MEMORY"
DEFAULT = 1 << 29
TIMES = 8  # so many times its own size a file may always take
UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


def allowed() -> int:
    """Bytes that may be taken at once: 512 MiB, unless the environment says otherwise.

    Raises
    ------
    RegretlessError
        If what it says is no number of bytes.
    """
    text = os.environ.get(VARIABLE, "")
    if not text:
        return DEFAULT
    match = re.fullmatch(r"([0-9]{1,15})([KMGT]?)", text.strip().upper())
    if match is None or int(match[1]) == 0:
        raise RegretlessError(f"{VARIABLE}={text}: a number of bytes such as 4G or 800M is expected")
    return int(match[1]) * UNITS[match[2]]


def more() -> str:
    """What to do about a refusal."""
    return f"to allow more than {shown(allowed())}, set {VARIABLE} in the environment (as in {VARIABLE}=8G)"


def shown(size: int) -> str:
    """Bytes as people say them."""
    for unit, width in (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
        if size >= width:
            return f"{size / width:,.4g} {unit}"
    return f"{size} bytes"


def refuse_large(path: str, size: int, what: str, *, line: int | None = None, file_size: int = 0) -> None:
    """Refuse what would take more than is allowed, and more than the file justifies by its own size.

    Parameters
    ----------
    path : str
        What messages call the file.
    size : int
        Bytes of memory.
    what : str
        What they would be for.
    line : int, optional
        Where it stands.
    file_size : int
        Bytes of the file as it is stored.

    Raises
    ------
    DataError
        If it is too much.
    """
    if size > allowed() and size > TIMES * file_size:
        raise DataError(path, line, None, f"{what} would take {shown(size)} of memory", more())
