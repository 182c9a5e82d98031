"""Decisions in tables: columns of features, and beside them costs, or an action with its cost and probability."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from ..checks import names_in
from ..errors import DataError, ParameterError, RegretlessError
from .arrow import ArrowStream
from .batch import Array, Batch
from .csv import CsvStream
from .decisions import (
    LEAST,
    NO_DISTRIBUTION,
    NO_PROBABILITY,
    NO_PROPENSITY,
    Decisions,
    DecisionStream,
    about_action,
    improbable,
    no_distributions,
    no_probabilities,
    ordered,
    past,
    places_of,
    refuse_actions,
)
from .formats import COLUMNS, delimiter_of
from .messages import shown
from .named_columns import read_picked
from .source import Source, name_of
from .table import TableStream
from .table_chunk import Chunk

Sides = dict[str, Array]
One = TypeVar("One")


class _BesideTable(TableStream):
    """A table with columns that are no features: words, and numbers.

    Attributes
    ----------
    words, numbers : sequence of str
    check : callable
        Takes a chunk; returns the columns beside by name, and notes in the chunk what is wrong with them.
    sides : dict of str to ndarray
        Those of the rows that were read last and can be used.
    """

    words: Sequence[str]
    numbers: Sequence[str]
    check: Any
    sides: Sides

    def _choose(self, names: list[str]) -> list[str]:
        self._refuse_names(names)
        beside = [*self.words, *self.numbers]
        self._refuse_missing(beside, names)
        return [*super()._choose([name for name in names if name not in beside]), *beside]

    def _find_target(self, names: list[str]) -> str | None:
        return None

    def _kind(self, name: str) -> str:
        if name in self.words:
            return "text"
        return self._kinds.get(name, "empty") if name in self.numbers else super()._kind(name)

    @cached_property
    def _kinds(self) -> dict[str, str]:
        """Of the columns of numbers: number or boolean, once they are known."""
        return {}

    def _settle(self, kinds: dict[str, str]) -> None:
        self._kinds.update({name: kind for name, kind in kinds.items() if name in self.numbers})
        super()._settle({name: kind for name, kind in kinds.items() if name not in self.numbers})

    def _apart(self) -> Collection[str]:
        return self.numbers

    def _judge(self, chunk: Chunk) -> tuple[Array | None, DataError | None]:
        sides = self.check(chunk)
        good, error = super()._judge(chunk)
        self.sides = sides if good is None else {name: column[good] for name, column in sides.items()}
        return good, error


class _BesideText(_BesideTable, CsvStream):
    """Delimited text."""

    def _names_target(self, cells: list[str]) -> bool:
        return {*self.words, *self.numbers} <= set(cells)

    def _kind_of(self, name: str, column: Any) -> str:
        from pyarrow import types

        # What is no number is not taken for a word: reading it as one says in which line it stands.
        if name in self.numbers and not (types.is_null(column.type) or types.is_boolean(column.type)):
            return "number"
        return super()._kind_of(name, column)

    def _ways(self, name: str, numbers: int, cells: int) -> str:
        return "" if name in self.numbers else super()._ways(name, numbers, cells)


class _BesideArrow(_BesideTable, ArrowStream):
    """Parquet and Arrow."""

    def _refuse_other_kind(self, name: str, kind: str, of_type: Any) -> None:
        if name in self.numbers and kind not in ("number", "boolean", "empty"):
            raise self._error(f"column {name!r} is of type {of_type}", "numbers are expected")
        if name not in self.words:
            super()._refuse_other_kind(name, kind, of_type)


def _opened(path: Source, format: str | None, options: Mapping[str, Any]) -> _BesideTable:
    chosen = COLUMNS.choose(path, format)
    if chosen in ("csv", "tsv"):
        return _BesideText(path, delimiter=delimiter_of(chosen), **options)
    refused = [name for name in ("header",) if options.get(name) is not None]
    if refused:
        raise RegretlessError(f"--header is for csv and tsv, and {name_of(path)} is read as {chosen}")
    others = {name: value for name, value in options.items() if name != "header"}
    return _BesideArrow(path, kind="Parquet" if chosen == "parquet" else "Arrow", **others)


class _TableDecisions(DecisionStream):
    """What tables of either kind share."""

    def __init__(self, path: Source, format: str | None, options: Mapping[str, Any]) -> None:
        self._table = _opened(path, format, options)
        self.name, self.rereadable = self._table.name, self._table.rereadable
        self._table.check = self._check

    def rounds(self, skip: int = 0) -> Iterator[Decisions]:
        return past(self._rounds(), skip)

    def schema(self) -> dict[str, Any]:
        return self._table.schema()

    def feature_names(self) -> list[str] | None:
        return self._table.feature_names()

    @property
    def notes(self) -> list[str]:
        return self._table.notes

    @property
    def skipped(self) -> int:
        return self._table.skipped

    @property
    def first_errors(self) -> list[str]:
        return self._table.first_errors

    def _rounds(self) -> Iterator[Decisions]:
        sides, done = None, 0
        for batch in self._table.batches():
            if sides is not self._table.sides:  # else a further piece of the same rows
                sides, done = self._table.sides, 0
            piece = {name: column[done : done + len(batch)] for name, column in sides.items()}
            yield self._decisions(batch, piece)
            done += len(batch)

    def _check(self, chunk: Chunk) -> Sides:
        """The columns beside of all rows of a chunk; what cannot be used is noted."""
        raise NotImplementedError

    def _decisions(self, batch: Batch, sides: Sides) -> Decisions:
        raise NotImplementedError


class CostTable(_TableDecisions):
    """A table that says of every round what each action would cost, or earn.

    Parameters
    ----------
    path : path or "-"
        Delimited text, perhaps compressed, Parquet, Arrow or Feather.
    costs : sequence of str
        The column of each action, which is called so; all others are features.
    rewards : sequence of str
        The same in place of `costs`, of columns of rewards, of which more is better.
    value_range : (float, float)
        Where all costs, or rewards, lie.
    format : str, optional
        By default by the suffix.
    **options
        Of `TableStream`.

    Raises
    ------
    ParameterError
        If both `costs` and `rewards` are named, or neither.
    DataError
        If fewer than two columns are named.
    """

    logged = False

    def __init__(
        self,
        path: Source,
        costs: Sequence[str] | None = None,
        *,
        rewards: Sequence[str] | None = None,
        value_range: tuple[float, float] = (0.0, 1.0),
        format: str | None = None,
        **options: Any,
    ) -> None:
        columns = _one_of({"costs": costs, "rewards": rewards})
        super().__init__(path, format, options)
        self._rewards = costs is None
        self.actions = list(names_in(self._noun, columns))
        refuse_actions(self.name, self.actions, f"--{self._noun} names", f"--{self._noun}")
        self._range = value_range
        self._table.words, self._table.numbers = (), self.actions

    def describe(self) -> dict[str, Any]:
        return {"form": "costs", "logged": False, self._noun: self.actions}

    @property
    def _noun(self) -> str:
        return "rewards" if self._rewards else "costs"

    def _check(self, chunk: Chunk) -> Sides:
        return {name: _cost(chunk, name, self._range, self._rewards) for name in self.actions}

    def _decisions(self, batch: Batch, sides: Sides) -> Decisions:
        return Decisions(batch, np.column_stack([sides[name] for name in self.actions]))


@dataclass(frozen=True, kw_only=True)
class LogColumns:
    """Which columns of a log are what.

    Attributes
    ----------
    action : str
    cost, reward : str or None
        What the action cost, or what it earned, of which more is better: one of the two.
    probability : str or float or None
        The column of the probability with which the action was taken, or the number for all rows; None where
        `probabilities` say it.
    probabilities : sequence of str
        Columns of the probability of each action, in the order of the actions.

    Raises
    ------
    ParameterError
        If both `cost` and `reward` are named, or neither.
    """

    action: str
    cost: str | None = None
    reward: str | None = None
    probability: str | float | None = None
    probabilities: Sequence[str] = ()

    def __post_init__(self) -> None:
        _one_of({"cost": self.cost, "reward": self.reward})
        names_in("probabilities", self.probabilities)

    @property
    def outcome(self) -> str:
        """The column of costs, or of rewards."""
        return _one_of({"cost": self.cost, "reward": self.reward})

    @property
    def numbers(self) -> list[str]:
        """All columns of numbers."""
        one = [self.probability] if isinstance(self.probability, str) else []
        return [self.outcome, *one, *self.probabilities]


class DecisionLog(_TableDecisions):
    """A table that says of every round which action was taken, with which probability, and what it cost.

    Parameters
    ----------
    path : path or "-"
        As of `CostTable`.
    columns : LogColumns
    actions : sequence of str, optional
        All that can be taken; by default those that the log has, for which it is read once more.
    value_range, format, **options
        As of `CostTable`.

    Raises
    ------
    DataError
        If the log has one action only, or is read without names of actions though it can be read only once.
    RegretlessError
        If a column is named for two things, or there are not as many columns of probabilities as actions, or these
        columns are named without the actions.
    """

    logged = True

    def __init__(
        self,
        path: Source,
        columns: LogColumns,
        *,
        actions: Sequence[str] | None = None,
        value_range: tuple[float, float] = (0.0, 1.0),
        format: str | None = None,
        **options: Any,
    ) -> None:
        named = [columns.action, *columns.numbers]
        if len(set(named)) < len(named):
            noun = "cost" if columns.reward is None else "reward"
            raise RegretlessError(f"action, {noun} and probabilities are columns of their own; one is named twice")
        if columns.probability is None and not columns.probabilities:
            raise RegretlessError("a log says with which probability each action was taken: name the column")
        if isinstance(columns.probability, float) and not LEAST <= columns.probability <= 1:
            raise ParameterError("propensity", f"{columns.probability:g}", NO_PROPENSITY, ": ")
        if columns.probabilities and actions is None:
            fault = "columns of the probability of each action, and no order of the actions"
            raise RegretlessError(f"{name_of(path)}: {fault}; name them in the order of these columns (--actions A,B)")
        super().__init__(path, format, options)
        self._columns, self._range = columns, value_range
        self.actions = list(actions) if actions is not None else self._distinct_actions(path, format)
        refuse_actions(self.name, self.actions, f"the column {columns.action!r} holds")
        if columns.probabilities and len(columns.probabilities) != len(self.actions):
            fault = f"{len(columns.probabilities):,} for probabilities, and {len(self.actions):,} actions"
            raise RegretlessError(
                f"{self.name}: columns: {fault} ({', '.join(self.actions)}); one for each is expected"
            )
        self._table.words, self._table.numbers = (columns.action,), columns.numbers

    def _distinct_actions(self, path: Source, format: str | None) -> list[str]:
        if not self.rereadable:
            advice = "name all actions with --actions A,B"
            raise DataError(self.name, None, None, "which actions there are is not known before all is read", advice)
        words: dict[str, None] = {}
        for part in read_picked(path, [self._columns.action], [], format):
            words.update(dict.fromkeys(part.words[self._columns.action][1]))
        return ordered(list(words))

    def describe(self) -> dict[str, Any]:
        columns = asdict(self._columns)
        del columns["reward" if self._columns.reward is None else "cost"]
        columns["probabilities"] = [*self._columns.probabilities]
        return {"form": "log", "logged": True, **columns}

    def _check(self, chunk: Chunk) -> Sides:
        columns, rows = self._columns, chunk.columns.rows
        taken = self._taken(chunk)
        cost = _cost(chunk, columns.outcome, self._range, columns.reward is not None)
        shares = _shares(chunk, columns.probabilities)
        if columns.probability is None:
            chances = shares[np.arange(rows), np.maximum(taken, 0)]
            _refuse_improbable(chunk, columns.action, chances, "of the action taken is")
        elif isinstance(columns.probability, str):
            chances = chunk.columns.floats(columns.probability)
            _refuse_improbable(chunk, columns.probability, chances, "is")
        else:
            chances = np.full(rows, columns.probability)
        return {"taken": taken, "cost": cost, "chances": chances}

    def _taken(self, chunk: Chunk) -> Array:
        name = self._columns.action
        codes, words = chunk.columns.codes(name)
        chunk.fault(chunk.columns.missing(name), name, lambda _: "the action is missing", "every row needs one")
        places = np.append(places_of(words, self.actions), np.int32(-1))
        taken: Array = places[codes]  # the code -1 picks the last
        for code in np.unique(codes[(taken < 0) & (codes >= 0)]).tolist():
            fault, advice = about_action(words[code], self.actions)
            chunk.fault(np.flatnonzero(codes == code), name, lambda _, fault=fault: fault, advice)  # type: ignore[misc]
        return taken

    def _decisions(self, batch: Batch, sides: Sides) -> Decisions:
        costs = np.full((len(batch), len(self.actions)), np.nan)
        costs[np.arange(len(batch)), sides["taken"]] = sides["cost"]
        return Decisions(batch, costs, sides["taken"], sides["chances"])


def _one_of(named: dict[str, One | None]) -> One:
    """What is named by the one of these parameters that is set."""
    chosen = [value for value in named.values() if value is not None]
    if len(chosen) != 1:
        first, second = named
        count = "both are" if chosen else "neither is"
        raise ParameterError(first, None, f"{first} or {second}, one of the two, is expected; {count} named")
    return chosen[0]


def _cost(chunk: Chunk, name: str, value_range: tuple[float, float], rewards: bool) -> Array:
    """A column of costs, or of rewards."""
    (low, high), word = value_range, "reward" if rewards else "cost"
    values = chunk.columns.floats(name)
    missing = chunk.columns.missing(name)
    chunk.fault(missing, name, lambda _: f"the {word} {shown(name)} is missing", "every row needs one")
    bad = np.setdiff1d(np.flatnonzero(~((values >= low) & (values <= high))), missing)
    advice = f"{word}s from {low:g} to {high:g} are expected; declare with --range LO HI where {word}s can lie"
    chunk.fault(bad, name, lambda row: f"the {word} {shown(name)} is {values[row]:g}", advice)
    return values


def _refuse_improbable(chunk: Chunk, name: str, chances: Array, which: str) -> None:
    def fault(row: int) -> str:
        return "the probability is missing" if np.isnan(chances[row]) else f"the probability {which} {chances[row]:g}"

    chunk.fault(improbable(chances), name, fault, NO_PROPENSITY)


def _shares(chunk: Chunk, names: Sequence[str]) -> Array:
    """The probabilities of all actions, which must add up."""
    if not names:
        return np.empty((chunk.columns.rows, 0))
    shares = np.column_stack([chunk.columns.floats(name) for name in names])
    for name, column in zip(names, shares.T, strict=True):
        chunk.fault(no_probabilities(column), name, _holds(name, column), NO_PROBABILITY)
    sums = shares.sum(axis=1)
    bad = no_distributions(sums)
    chunk.fault(bad, names[0], lambda row: f"the probabilities sum to {sums[row]:.6g}", NO_DISTRIBUTION)
    return shares


def _holds(name: str, column: Array) -> Any:
    return lambda row: f"column {name!r} holds {column[row]:g}"
