"""The shards that a command line names."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from ..distributed.checkpoint import SavedRun
from ..distributed.rows.shards import FileShard, Shard
from ..distributed.rows.sources import files
from . import options
from .exit_codes import UsageError

if TYPE_CHECKING:
    from .arguments import CertifyingOptions


def opened(
    arguments: CertifyingOptions, kept: SavedRun | None = None, schema: dict[str, Any] | None = None
) -> list[Shard]:
    """The shards, the first of which could be opened.

    Parameters
    ----------
    arguments : CertifyingOptions
    kept : SavedRun, optional
        The run that they were in before: they are read as they were then, where the command line says nothing else.
    schema : dict, optional
        The columns that they are read to, if a model says.

    Raises
    ------
    UsageError
        If an option has no meaning for their format.
    RegretlessError
        If there are none, or the first is missing.
    """
    # What is as by default is as the model has it, if there is one to go on with.
    given = {name: value for name, value in options.reading(arguments).items() if value not in ([], "raise")}
    if arguments.pieces is not None:
        given["pieces"] = arguments.pieces
    known = (kept.reading if kept is not None else None) or {}
    with options.told_as_options(given):
        shards = files(arguments.files, **{**known, **given})
        first = shards[0]
        if not isinstance(first, FileShard) or arguments.dask is None or os.path.exists(first.path):
            first.open(schema)  # on a cluster it may be where this process cannot see it
    if len(shards) == 1 and arguments.workers != 1:
        raise UsageError(f"{first.name} alone is one shard, which leaves others nothing to do: cut it with --pieces N")
    return shards
