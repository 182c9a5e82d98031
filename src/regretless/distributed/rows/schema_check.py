"""Whether files can be shards of one run: their columns must be told apart in the same way."""

from __future__ import annotations

from collections.abc import Sequence

from ...data.formats import READERS, format_of
from ...errors import DataError
from .shards import FileShard, Shard


def refuse_unlike(shards: Sequence[Shard]) -> None:
    """Refuse files whose formats have columns of different sorts, before any of them is opened.

    Raises
    ------
    DataError
        It names the first shard, and the first one that is not like it.
    """
    formats = [(shard.name, _format(shard)) for shard in shards if isinstance(shard, FileShard)]
    for name, found in formats[1:]:
        first, expected = formats[0]
        if _columns(found) != _columns(expected):
            advice = f"{first}, the first shard, is {expected} with columns {_columns(expected)}"
            advice += "; give shards of one format"
            raise DataError(name, None, None, f"this is {found} with columns {_columns(found)}", advice)


def _format(shard: FileShard) -> str:
    found = shard.reading.get("format")
    return format_of(shard.path) if found is None else str(found)


def _columns(name: str) -> str:
    reader = READERS.get(name)
    if reader is None:
        return ""  # whoever opens it says that there is no such format
    if reader.named:
        return "that have names"
    return "that have ids" if "ids_from" in reader.takes else "that go by their places"
