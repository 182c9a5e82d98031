"""Shards on the command line: the options, refusals before anything is read, the engine, and the files."""

from __future__ import annotations

import os
from argparse import ArgumentParser, _ArgumentGroup
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from . import options
from .output import UsageError

if TYPE_CHECKING:
    from ..distributed.checkpoint import SavedRun
    from ..distributed.shards import Shard
    from ..distributed.watched import WatchedEngine
    from .arguments import CertifyingOptions
    from .output import Console

WEIGHTINGS = ("uniform", "updates", "rows")
MAGIC = "*?["
HOW = "--workers N (processes of this machine) or --dask ADDRESS (a cluster)"


def add_workers(parser: ArgumentParser) -> _ArgumentGroup:
    """Who goes over the shards."""
    group = parser.add_argument_group("shards")
    options.add_number(group, "--workers", options.whole, "N", "each file is a shard; use N processes of this machine")
    group.add_argument("--dask", metavar="ADDRESS", help="the same on a Dask cluster, as tcp://host:8786")
    options.add_number(
        group, "--pieces", options.whole, "N", "cut each file into N shards: plain text by lines, Parquet by row groups"
    )
    return group


def add_arguments(parser: ArgumentParser) -> None:
    """What learning from shards takes."""
    group = add_workers(parser)
    group.add_argument(
        "--mixing",
        choices=WEIGHTINGS,
        help="what the weights of a shard count in the mean after each epoch: all the same (the default), or in "
        "proportion to its updates or rows",
    )
    options.add_number(
        group,
        "--together",
        options.whole,
        "N",
        "average after every N shards, the next of which begin from the average; by default after all",
    )
    group.add_argument(
        "--one-shot",
        action="store_true",
        help="learn the shards apart and average once, or add up the matrices of second-order learners; no theorem "
        "covers it",
    )


def are_shards(arguments: CertifyingOptions) -> bool:
    """Whether the files are shards."""
    return arguments.workers is not None or arguments.dask is not None


def only_file(arguments: CertifyingOptions, **for_shards: object) -> str:
    """The file, where there may be one only.

    Parameters
    ----------
    arguments : CertifyingOptions
    **for_shards
        What else is set that is for shards, by option.

    Raises
    ------
    UsageError
        If there are several, or options that are for shards.
    """
    options.refuse_set({**for_shards, "--pieces": arguments.pieces}, f"is for shards; say who goes over them: {HOW}")
    path: str = arguments.files[0]
    if len(arguments.files) > 1:
        raise UsageError(f"{len(arguments.files)} files: give one, or take each of them for a shard with {HOW}")
    if set(MAGIC) & set(path) and not os.path.exists(path):
        raise UsageError(f"{path}: there is no such file; if these are to be shards, add {HOW}")
    return path


def refuse_mixed(model: str, extra: Mapping[str, Any]) -> None:
    """A model that was mixed from shards goes on with these.

    Raises
    ------
    UsageError
        If it was mixed.
    """
    if extra.get("mixing") is not None:
        raise UsageError(f"{model} was mixed from shards, each of which must be given: add {HOW}")


def refuse_unmixed(model: str, extra: Mapping[str, Any]) -> None:
    """A model that learned from one sequence of rows has no shards to go on with.

    Raises
    ------
    UsageError
        If it was not mixed.
    """
    if extra.get("mixing") is None:
        refused = (
            f"{model} learned from rows in one sequence, of which its theorems speak, and was not mixed from shards"
        )
        raise UsageError(f"{refused}; go on without --workers or --dask, or begin anew with --learner")


def refuse_contradictions(arguments: CertifyingOptions) -> None:
    """Refuse what has no meaning where files are shards.

    Raises
    ------
    UsageError
        If there is such an option.
    """
    if arguments.workers is not None and arguments.dask is not None:
        raise UsageError("--workers are processes of this machine and --dask those of a cluster; give one of them")
    if "-" in arguments.files:
        raise UsageError("standard input is no shard, for it can be read once only and here only; give files")
    if arguments.cache is not None:
        raise UsageError("--cache has no meaning with shards: they are read where they are, as often as is needed")
    if arguments.threads > 1:
        raise UsageError("--threads is for one file; several shards are read at once by --workers")


# The engine, and the shards.


@contextmanager
def open_engine(arguments: CertifyingOptions, shards: int, console: Console) -> Iterator[WatchedEngine]:
    """This process, more of them on this machine (one a shard at most), or a cluster, to go over the shards.

    Raises
    ------
    RegretlessError
        If no cluster answers.
    """
    from ..distributed.watched import WatchedEngine

    count = min(arguments.workers or 1, shards)
    if arguments.dask is not None:
        from ..distributed.dask import connected

        with _unlogged(), connected(arguments.dask) as cluster:
            yield WatchedEngine(cluster, shards, console.parts)
    elif count == 1:
        yield WatchedEngine(None, shards, console.parts)
    else:
        from ..distributed.processes import workers

        with workers(count) as pool:
            yield WatchedEngine(pool, shards, console.parts)


@contextmanager
def _unlogged() -> Iterator[None]:
    """Log nothing meanwhile: Dask logs tracebacks of errors that are then reported in one line."""
    import logging  # which takes a while, and only shards need it

    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        yield
    finally:
        logging.disable(before)


def open_shards(
    arguments: CertifyingOptions, saved: SavedRun | None = None, schema: dict[str, Any] | None = None
) -> list[Shard]:
    """The shards, the first of which could be opened.

    Parameters
    ----------
    arguments : CertifyingOptions
    saved : SavedRun, optional
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
    from ..distributed.shards import FileShard
    from ..distributed.sources import files

    # What is as by default is as the model has it, if there is one to go on with.
    stated = {name: value for name, value in options.reading(arguments).items() if value not in ([], "raise")}
    if arguments.pieces is not None:
        stated["pieces"] = arguments.pieces
    before = (saved.reading if saved is not None else None) or {}
    with options.errors_by_option(stated):
        shards = files(arguments.files, **{**before, **stated})
        first = shards[0]
        if not isinstance(first, FileShard) or arguments.dask is None or os.path.exists(first.path):
            first.open(schema)  # on a cluster it may be where this process cannot see it
    if len(shards) == 1 and arguments.workers != 1:
        raise UsageError(f"{first.name} alone is one shard, which leaves others nothing to do: cut it with --pieces N")
    return shards


def paths_of(shards: Sequence[Shard]) -> list[str]:
    """The files of the shards, those that a pattern names among them."""
    return [getattr(shard, "path", shard.name) for shard in shards]
