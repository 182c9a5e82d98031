"""Logged rounds: which action was taken, how probable that was, and what it earned; and policies to compare."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..errors import DataError, ParameterError, RegretlessError
from .batch import Array
from .decisions import (
    LEAST,
    NO_DISTRIBUTION,
    NO_PROBABILITY,
    NO_PROPENSITY,
    about_action,
    improbable,
    no_distributions,
    no_probabilities,
    places_of,
)
from .messages import listed
from .named_columns import PickedRows, read_picked
from .source import Source, name_of

ACTION, PROBABILITY = "action", "probability"  # columns of a policy
MOST_ACTIONS = 1 << 16


@dataclass(frozen=True, slots=True, eq=False)
class Log:
    """Rounds that were logged, in their order.

    Attributes
    ----------
    name : str
        What messages call it.
    actions : ndarray of int32, shape (rounds,)
        Which of `names` was taken.
    names : list of str
    propensities : ndarray of float64, shape (rounds,)
        The probability with which it was.
    rewards : ndarray of float64, shape (rounds,)
        What the action earned; losses, if `losses` is True.
    value_range : (float, float)
        Where all of these are known to lie.
    losses : bool
        Whether less is better.
    contexts : ndarray of int32, shape (rounds,)
        Which of `situations` the action was taken in; zeros, if the log has none.
    situations : list of str
    least : float
        No action could be less probable than this; the least of the propensities, if nothing is declared.
    declared : bool
        Whether that was declared. What was drawn does not say how improbable the rest was.
    stated : bool
        Whether the actions were named beforehand, and not by the rounds.
    """

    name: str
    actions: Array
    names: list[str]
    propensities: Array
    rewards: Array
    value_range: tuple[float, float]
    losses: bool
    contexts: Array
    situations: list[str]
    least: float
    declared: bool = False
    stated: bool = False

    def __len__(self) -> int:
        return len(self.actions)

    @classmethod
    def of(
        cls,
        actions: Sequence[Any] | Array,
        propensities: float | Sequence[float] | Array,
        rewards: Sequence[float] | Array,
        *,
        contexts: Sequence[Any] | Array | None = None,
        value_range: tuple[float, float] = (0.0, 1.0),
        losses: bool = False,
        least: float | None = None,
    ) -> Log:
        """A log from arrays.

        Parameters
        ----------
        actions : sequence
            What was done in each round, as any values; they are called by their text.
        propensities : float or sequence of float
            How probable that was; one number if it was the same in all rounds.
        rewards : sequence of float
        contexts : sequence, optional
            The situation of each round, if there are several.
        value_range, losses, least
            As the attributes.

        Raises
        ------
        DataError
            If something cannot be used; rows are counted from 0.
        """
        texts, earned = [str(one) for one in actions], np.array(rewards, dtype=np.float64)
        chances = np.array(propensities, dtype=np.float64)
        chances = np.full(len(texts), chances) if chances.ndim == 0 else chances
        situations = [""] * len(texts) if contexts is None else [str(one) for one in contexts]
        lengths = {"actions": len(texts), "propensities": len(chances), "rewards": len(earned)}
        if len({*lengths.values(), len(situations)}) > 1 or not texts:
            fault = ", ".join(f"{count:,} {name}" for name, count in lengths.items())
            raise DataError("log", None, None, fault, "as many of each, and at least one, are expected")
        checks = (("propensity", chances, improbable(chances)), ("reward", earned, _outside(earned, value_range)))
        for what, column, bad in checks:
            if len(bad):
                fault = f"in row {bad[0]} (counted from 0), the {what} is {column[bad[0]]:g}"
                raise DataError("log", None, None, fault, _expected(what, value_range))
        log = _sorted("log", _Coded.of(texts), chances, earned, value_range, losses, _Coded.of(situations))
        return log if least is None else log.declaring(least)

    def declaring(self, least: float) -> Log:
        """The same rounds, of which is known that no action could be less probable than this.

        Raises
        ------
        DataError
            If one was, or it is not above 0.
        """
        if not 0 < least <= self.least:
            fault = f"the least propensity is {self.least:g}"
            raise DataError(self.name, None, None, fault, f"it cannot be less than least={least:g}, nor may that be 0")
        return replace(self, least=float(least), declared=True)

    def among(self, names: Sequence[str]) -> Log:
        """The same rounds with more actions to choose from, after those that it has."""
        return replace(self, names=list(dict.fromkeys([*self.names, *names])))


class _Coded:
    """Words as numbers, in the order in which they first come."""

    def __init__(self) -> None:
        self.places: dict[str, int] = {}
        self.parts: list[Array] = []

    @classmethod
    def of(cls, words: Sequence[str]) -> _Coded:
        result = cls()
        result.parts.append(np.array([result.places.setdefault(word, len(result.places)) for word in words], np.int32))
        return result

    def add(self, codes: Array, words: list[str]) -> None:
        """Further rows, each the place of its word in a list of their own."""
        here = np.array([self.places.setdefault(word, len(self.places)) for word in words], np.int32)
        self.parts.append(here[codes])

    def ordered(self) -> tuple[Array, list[str]]:
        """The rows by number, and the words in the order of the numbers, or letters, that they are."""
        words = list(self.places)
        order = sorted(range(len(words)), key=lambda place: (_number(words[place]), words[place]))
        rank = np.empty(len(words), np.int32)
        rank[order] = np.arange(len(words), dtype=np.int32)
        return rank[np.concatenate(self.parts)], [words[place] for place in order]


def read_log(
    path: Source,
    *,
    action: str,
    reward: str,
    propensity: str | float,
    context: str | None = None,
    value_range: tuple[float, float] = (0.0, 1.0),
    losses: bool = False,
    format: str | None = None,
    named: Sequence[str] | None = None,
) -> Log:
    """Read a log from a table, a row a round.

    Parameters
    ----------
    path : path or "-"
        Delimited text, perhaps compressed, Parquet, Arrow or Feather.
    action, reward : str
        Columns by name; actions are names, whatever they look like, and rewards numbers, or True and False.
    propensity : str or float
        The column, or the propensity of every round.
    context : str, optional
        The column of the situation that a round was in.
    value_range : (float, float)
        Where all rewards are known to lie.
    losses : bool
        Whether the rewards are losses.
    format : str, optional
        By default by the suffix.
    named : sequence of str, optional
        All actions; by default those that the log took.

    Raises
    ------
    DataError
        If something cannot be used, with its line.
    """
    number = None if isinstance(propensity, str) else float(propensity)
    words = [action] if context is None else [action, context]
    numbers = [reward] if number is not None else [reward, str(propensity)]
    if twice := [name for name, count in Counter([*words, *numbers]).items() if count > 1]:
        raise RegretlessError(
            f"action, reward, propensity and context are columns of their own; {listed(twice)} is named twice"
        )
    if number is not None and not LEAST <= number <= 1:
        raise ParameterError("propensity", f"{number:g}", NO_PROPENSITY, ": ")
    actions, situations = _Coded(), _Coded()
    chances, earned = [], []
    for part in read_picked(path, words, numbers, format):
        got = part.numbers[reward]
        probable = np.full(len(got), number) if number is not None else part.numbers[str(propensity)]
        if number is None:
            _check(part, str(propensity), improbable(probable), _expected("propensity", value_range))
        _check(part, reward, _outside(got, value_range), _expected("reward", value_range))
        if named is not None:
            _refuse_unknown(part, action, named)
        part.refuse()
        actions.add(*part.words[action])
        situations.add(*((np.zeros(len(got), np.int32), [""]) if context is None else part.words[context]))
        chances.append(probable)
        earned.append(got)
        if len(actions.places) > MOST_ACTIONS:
            fault = f"column {action!r} holds more than {MOST_ACTIONS:,} different actions"
            raise DataError(name_of(path), None, None, fault, "name the column of actions with --action")
    # One propensity of all rounds does not bound that of actions not drawn: not every round may have had all of them.
    log = _sorted(
        name_of(path), actions, np.concatenate(chances), np.concatenate(earned), value_range, losses, situations
    )
    return log if named is None else replace(log.among(named), stated=True)


def _refuse_unknown(part: PickedRows, column: str, named: Sequence[str]) -> None:
    """Note that rows took actions that are none of those named."""
    codes, words = part.words[column]
    for place in np.flatnonzero(places_of(words, named) < 0).tolist():
        fault, advice = about_action(words[place], named)
        part.chunk.fault(np.flatnonzero(codes == place), column, lambda _, fault=fault: fault, advice)  # type: ignore[misc]


def read_choices(path: Source, log: Log, column: str, format: str | None = None) -> list[str]:
    """The actions that a column of a log names, one a row.

    Raises
    ------
    DataError
        If one of them is none that the log took; it names the line.
    """
    known, result = set(log.names), []
    for part in read_picked(path, [column], [], format):
        codes, words = part.words[column]
        strange = [place for place, word in enumerate(words) if word not in known]
        part.chunk.fault(
            np.flatnonzero(np.isin(codes, strange)),
            column,
            lambda row, codes=codes, words=words: f"column {column!r} names {words[codes[row]]!r}",  # type: ignore[misc]
            f"one of the actions that the log took is expected, such as {log.names[0]!r}",
        )
        part.refuse()
        result += [words[code] for code in codes.tolist()]
    return result


def read_stated(path: Source, column: str, format: str | None = None) -> Array:
    """The probabilities that a column of a log holds, one a row, each from 0 to 1.

    Raises
    ------
    DataError
        If one is not; it names the line.
    """
    result = []
    for part in read_picked(path, [], [column], format):
        chances = part.numbers[column]
        _check(part, column, no_probabilities(chances), NO_PROBABILITY)
        part.refuse()
        result.append(chances)
    return np.concatenate(result)


def read_policy(path: Source, log: Log, *, context: str | None = None) -> tuple[Log, Array]:
    """Read the probabilities with which a policy takes the actions of a log, in each of its situations.

    Parameters
    ----------
    path : path or "-"
        A table with the columns ``action`` and ``probability``, and that of the context, if there is one. An action
        that it does not list is never taken.
    log : Log
    context : str, optional
        The column of contexts, called as in the log.

    Returns
    -------
    Log, ndarray of shape (situations, actions)
        The log with the actions that only the policy has added to its own.

    Raises
    ------
    DataError
        If the probabilities are none, in some situation of the log.
    """
    chance_of: dict[tuple[str, str], float] = {}
    words = [ACTION] if context is None else [ACTION, context]
    if context in (ACTION, PROBABILITY):
        raise ParameterError("context", repr(context), "the policy's columns of that name are something else", ": ")
    for part in read_picked(path, words, [PROBABILITY], None):
        names, chances = part.words[ACTION], part.numbers[PROBABILITY]
        where = (np.zeros(len(chances), np.int32), [""]) if context is None else part.words[context]
        _check(part, PROBABILITY, no_probabilities(chances), NO_PROBABILITY)
        part.refuse()
        for row, (place, code, chance) in enumerate(zip(where[0].tolist(), names[0].tolist(), chances, strict=True)):
            key = where[1][place], names[1][code]
            if key in chance_of:
                fault = f"action {key[1]!r} is listed twice" + (f" for {context} {key[0]!r}" if context else "")
                raise part.chunk.error(row, ACTION, fault, "one probability is expected")
            chance_of[key] = float(chance)
    known = set(log.situations)
    wider = log.among([name for (place, name) in chance_of if place in known])
    column = {name: place for place, name in enumerate(wider.names)}
    table = np.zeros((len(log.situations), len(column)))
    for (situation, name), chance in chance_of.items():
        if situation in known:
            table[log.situations.index(situation), column[name]] = chance
    return wider, _distributions(table, log, name_of(path), context)


def _distributions(table: Array, log: Log, name: str, context: str | None) -> Array:
    sums = table.sum(axis=1)
    for place in no_distributions(sums).tolist():
        which = "" if context is None else f" for {context} {log.situations[place]!r}"
        fault = f"the probabilities{which} sum to {sums[place]:.6g}"
        raise DataError(name, None, None, fault, NO_DISTRIBUTION)
    scaled: Array = table / sums[:, None]
    return scaled


def _check(part: PickedRows, name: str, bad: Array, expected: str) -> None:
    """Note that a column of numbers holds in these rows what cannot be; empty cells are noted already."""
    values = part.numbers[name]
    rows = bad[~np.isnan(values[bad])] if len(part.chunk.columns.missing(name)) else bad  # those have a fault already
    part.chunk.fault(rows, name, lambda row: f"column {name!r} holds {values[row]:g}", expected)


def _outside(values: Array, value_range: tuple[float, float]) -> Array:
    return np.flatnonzero(~((values >= value_range[0]) & (values <= value_range[1])))


def _expected(what: str, value_range: tuple[float, float]) -> str:
    if what == "propensity":
        return NO_PROPENSITY
    return f"it must lie in [{value_range[0]:g}, {value_range[1]:g}]; declare the range of all values with --range"


def _sorted(
    name: str,
    actions: _Coded,
    chances: Array,
    earned: Array,
    value_range: tuple[float, float],
    losses: bool,
    situations: _Coded,
) -> Log:
    codes, names = actions.ordered()
    places, known = situations.ordered()
    return Log(name, codes, names, chances, earned, value_range, losses, places, known, float(chances.min()))


def _number(word: str) -> float:
    """A word as the number that it is; words that are none come after all numbers."""
    try:
        result = float(word)
    except ValueError:
        return float("inf")
    return result if result == result else float("inf")
