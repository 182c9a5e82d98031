"""Fixed policies: with what probability each action is taken, in each situation."""

from __future__ import annotations

import numpy as np

from ..errors import DataError, ParameterError
from .logged import Log, check
from .named_columns import read_picked
from .source import Source, name_of
from .table_chunk import Array

ACTION, PROBABILITY = "action", "probability"
SUMS = 1e-6  # how far from 1 the probabilities of a policy may sum to, as they are rounded in a file


def read_policy(path: Source, log: Log, *, context: str | None = None, format: str | None = None) -> tuple[Log, Array]:
    """Read the probabilities with which a policy takes the actions of a log, in each of its situations.

    Parameters
    ----------
    path : path or "-"
        A table with the columns ``action`` and ``probability``, and that of the context, if there is one. An action
        that it does not list is never taken.
    log : Log
    context : str, optional
        The column of contexts, called as in the log.
    format : str, optional
        By default by the suffix.

    Returns
    -------
    Log, ndarray of shape (situations, actions)
        The log with the actions that only the policy has added to its own.

    Raises
    ------
    DataError
        If the probabilities are none, in some situation of the log.
    """
    given: dict[tuple[str, str], float] = {}
    words = [ACTION] if context is None else [ACTION, context]
    if context in (ACTION, PROBABILITY):
        raise ParameterError("context", repr(context), "the policy's columns of that name are something else", ": ")
    for part in read_picked(path, words, [PROBABILITY], format):
        names, chances = part.words[ACTION], part.numbers[PROBABILITY]
        where = (np.zeros(len(chances), np.int32), [""]) if context is None else part.words[context]
        check(part, PROBABILITY, np.flatnonzero(~(chances >= 0) | (chances > 1)), "a number from 0 to 1 is expected")
        part.refuse()
        for row, (place, code, chance) in enumerate(zip(where[0].tolist(), names[0].tolist(), chances, strict=True)):
            key = where[1][place], names[1][code]
            if key in given:
                found = f"action {key[1]!r} is listed twice" + (f" for {context} {key[0]!r}" if context else "")
                raise part.chunk.error(row, ACTION, found, "one probability is expected")
            given[key] = float(chance)
    known = set(log.situations)
    wider = log.among([name for (place, name) in given if place in known])
    column = {name: place for place, name in enumerate(wider.names)}
    table = np.zeros((len(log.situations), len(column)))
    for (situation, name), chance in given.items():
        if situation in known:
            table[log.situations.index(situation), column[name]] = chance
    return wider, _distributions(table, log, name_of(path), context)


def _distributions(table: Array, log: Log, name: str, context: str | None) -> Array:
    sums = table.sum(axis=1)
    for place in np.flatnonzero(np.abs(sums - 1) > SUMS).tolist():
        which = "" if context is None else f" for {context} {log.situations[place]!r}"
        found = f"the probabilities{which} sum to {sums[place]:.6g}"
        raise DataError(name, None, None, found, "they must sum to 1")
    scaled: Array = table / sums[:, None]
    return scaled
