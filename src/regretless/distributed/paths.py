"""The files that paths and patterns stand for."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from glob import glob, has_magic

from ..errors import DataError, RegretlessError

Paths = str | os.PathLike[str] | Iterable[str | os.PathLike[str]]


def paths_of(paths: Paths) -> list[str]:
    """The files that paths and patterns stand for, ``part-2`` before ``part-10``.

    Parameters
    ----------
    paths : path, pattern such as ``"part-*.svm"``, or sequence of these
        What exists under the name itself is no pattern.

    Returns
    -------
    list of str
        In natural order, so that it does not matter what expands a pattern. That a
        file exists shows when it is opened: it may lie on another machine.

    Raises
    ------
    RegretlessError
        If no file matches, a path is a folder, or a file is given twice.
    """
    listed = [paths] if isinstance(paths, str | os.PathLike) else list(paths)
    if not listed:
        raise RegretlessError("there are no files; give paths or a pattern such as 'part-*.svm'")
    result = [path for one in listed for path in _expand(os.fspath(one))]
    seen: dict[str, str] = {}
    for path in result:
        _refuse_folder(path)
        real = os.path.realpath(path)
        if real in seen:
            also = "" if seen[real] == path else f", also as {seen[real]}"
            raise DataError(path, None, None, f"this file is given twice{also}", "give every file once")
        seen[real] = path
    return sorted(result, key=natural)


def same_file(first: str | os.PathLike[str], second: str | os.PathLike[str]) -> bool:
    """Whether two paths lead to the same place, be there a file or not."""
    return os.path.realpath(first) == os.path.realpath(second)


def natural(name: str) -> tuple[tuple[tuple[int, int, str], ...], str]:
    """A key to sort names by, in which numbers count as numbers."""
    pieces = re.split(r"([0-9]+)", name)
    return tuple((1, int(one), "") if one.isdecimal() else (0, 0, one) for one in pieces), name


def _expand(path: str) -> list[str]:
    if path == "-":
        fault = "standard input can be read once only, and every epoch reads its shards again"
        raise DataError("<stdin>", None, None, fault, "save it in a file first")
    if not has_magic(path) or os.path.exists(path):
        return [path]
    matches = glob(path, recursive=True)
    if not matches:
        raise DataError(path, None, None, "no file matches this pattern", "check the folder and the pattern")
    return matches


def _refuse_folder(path: str) -> None:
    if os.path.isdir(path):
        inside = os.path.join(path, "*")
        raise DataError(path, None, None, "this is a folder", f"give the files in it, as {inside!r}")
