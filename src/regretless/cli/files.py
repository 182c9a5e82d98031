"""Checks of output files before any work is done."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..errors import RegretlessError
from .exit_codes import UsageError

if TYPE_CHECKING:
    from .arguments import CombineOptions, LearnOptions


def refuse_overwriting(inputs: Sequence[str], outputs: Sequence[str | None]) -> None:
    """Refuse outputs that are inputs, or each other, or cannot be written; a dash and None are no files.

    Raises
    ------
    UsageError
        If one would be overwritten.
    RegretlessError
        If one cannot be written.
    """
    taken = [path for path in inputs if path != "-"]
    for output in outputs:
        if output is None:
            continue
        if any(_same(output, path) for path in taken):
            raise UsageError(f"{output} would be overwritten; choose another name")
        _refuse_unwritable(output)
        taken.append(output)


def refuse_overwriting_or_model(
    arguments: LearnOptions | CombineOptions, inputs: Sequence[str], outputs: Sequence[str | None]
) -> None:
    """The same of a run that may go on with a model, which is replaced unless --save names another file.

    Raises
    ------
    UsageError
        If a file would be overwritten.
    RegretlessError
        If one cannot be written, or the model would be no regular file.
    OSError
        If there is no model to go on with.
    """
    save, resume = arguments.save, arguments.resume
    if resume is not None:
        os.stat(resume)
        if save is not None and not _same(save, resume):
            inputs = [*inputs, resume]
    model = save or resume
    refuse_overwriting(inputs, [model, *outputs])
    refuse_irregular(model)


def refuse_foreign_suffixes(tables: Sequence[str | None]) -> None:
    """Tables are written as text or Parquet, whatever their name promises.

    Raises
    ------
    UsageError
        If it promises something else.
    """
    for table in tables:
        suffix = os.path.splitext(table or "")[1].lower()
        if suffix in (".xlsx", ".xls", ".ods", ".json", ".npz", ".npy", ".arrow", ".feather", ".gz", ".xz", ".zip"):
            raise UsageError(f"{table}: tables are written as .csv or .parquet, not {suffix}")


def refuse_overwriting_rows(tables: Sequence[str | None]) -> None:
    """A run that goes on writes its own rows alone, which must not take the place of those before.

    Raises
    ------
    UsageError
        If a table exists already.
    """
    for table in tables:
        if table is not None and os.path.isfile(table):
            raise UsageError(
                f"{table} holds the rows of an earlier run, and this one writes its own; name another file"
            )


def refuse_irregular(model: str | None) -> None:
    """A model replaces a file, but nothing else."""
    if model is not None and os.path.exists(model) and not os.path.isfile(model):
        raise RegretlessError(f"{model}: this is no regular file; choose another name for the model")


def _same(one: str, other: str) -> bool:
    try:
        return os.path.samefile(one, other)
    except OSError:
        return os.path.realpath(one) == os.path.realpath(other)


def _refuse_unwritable(path: str) -> None:
    """Say so before hours of learning rather than after."""
    folder = os.path.dirname(os.path.realpath(path))
    if os.path.isdir(path) or os.path.basename(path) in ("", os.curdir, os.pardir):
        raise RegretlessError(f"{path}: this is a folder; name a file in it")
    if os.path.exists(path) and not os.path.isfile(path):  # a pipe or a terminal is written to as it is
        return
    if not os.path.isdir(folder):
        raise RegretlessError(f"{path}: there is no folder {folder}; make it first")
    if not os.access(folder, os.W_OK):
        raise RegretlessError(f"{path}: nothing may be written in {folder}; choose another folder")
