"""Experts' advice on which arm to draw: a row a round, a column an expert; or probabilities in an array."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ..errors import DataError
from .archives import NUMBERS, Archive, Member, array_of, open_arrays
from .batch import Array
from .formats import LOSSES
from .messages import listed
from .named_columns import PickedRows, read_picked
from .source import Source

NO_ARM = -1
SUM = 1e-6  # by which probabilities may miss one


@dataclass(frozen=True)
class Advice:
    """What every expert recommends in every round.

    Attributes
    ----------
    values : ndarray
        The number of an arm, int64 of shape (rounds, experts); or probabilities of arms, float64 of shape (rounds,
        experts, arms).
    experts : list of str
    """

    values: Array
    experts: list[str]


def read_advice(path: str | os.PathLike[str], arms: Sequence[str], rounds: int) -> Advice:
    """Read experts' advice on so many rounds.

    Parameters
    ----------
    path : path or "-"
        A table in a format of tables of losses: a column an expert, each cell an arm by its name or by its number
        (from 0). Or a .npz archive, whose array ``advice``, or only array of two or three dimensions, holds numbers or
        names of arms, or probabilities: a matrix of experts and arms for each round.
    arms : sequence of str
    rounds : int

    Raises
    ------
    DataError
        If there is other than one recommendation for each expert and each round.
    """
    chosen = LOSSES.choose(path)
    if chosen in ("npz", "npy"):
        advice = _read_arrays(path, arms, archive=chosen == "npz")
    else:
        advice = _read_table(path, arms, chosen)
    if len(advice.values) != rounds:
        fault = f"advice on {len(advice.values):,} round{'s' * (len(advice.values) != 1)}"
        raise DataError(os.fspath(path), None, None, fault, f"one row for each of the {rounds:,} rounds is expected")
    return advice


class _Lookup:
    """Finds arms by name, else by number."""

    def __init__(self, arms: Sequence[str]) -> None:
        self._places = {str(place): place for place in range(len(arms))}
        self._places |= {name: place for place, name in enumerate(arms)}
        self.expected = f"an arm is expected, one of {listed(arms)}, or its number from 0"

    def __call__(self, word: str) -> int:
        word = word.strip()
        return self._places.get(word, self._places.get(word.removesuffix(".0"), NO_ARM))


def _read_table(path: Source, arms: Sequence[str], format: str) -> Advice:
    """A table all of whose columns are words."""
    arm, rows = _Lookup(arms), []
    for part in read_picked(path, None, (), format):
        columns = [_numbers(part, name, arm) for name in part.words]
        part.refuse()
        rows.append(np.column_stack(columns))
    return Advice(np.ascontiguousarray(np.concatenate(rows)), list(part.words))


def _numbers(part: PickedRows, name: str, arm: _Lookup) -> Array:
    """The arms that an expert recommends; words that are none become faults, as empty cells are already."""
    codes, words = part.words[name]
    places = np.array([*map(arm, words), NO_ARM], np.int64)[codes]  # a code of -1 is the last
    wrong = np.flatnonzero((places == NO_ARM) & (codes >= 0))
    part.chunk.fault(wrong, name, lambda row: f"expert {name!r} recommends {words[codes[row]]!r}", arm.expected)
    return places


# Arrays.


def _read_arrays(path: str | os.PathLike[str], arms: Sequence[str], *, archive: bool) -> Advice:
    with open_arrays(path, archive=archive) as (file, opened):
        if opened is None:
            return _checked(file, array_of(file), None, arms)
        member = _chosen(opened)
        return _checked(file, member.all(), opened.strings(member.shape[1]), arms)


def _chosen(archive: Archive) -> Member:
    tables = archive.shaped(3, NUMBERS) | archive.shaped(2, "iuUSf")
    name = "advice" if "advice" in tables else next(iter(tables)) if len(tables) == 1 else None
    if name is None:
        advice = "an array 'advice' of rounds and experts, or of rounds, experts and arms is expected"
        raise DataError(archive.path, None, None, f"the arrays in it are {listed(archive.names)}", advice)
    return tables[name]


def _checked(path: str, values: Array, experts: list[str] | None, arms: Sequence[str]) -> Advice:
    if values.ndim not in (2, 3) or 0 in values.shape or values.shape[2:] not in ((), (len(arms),)):
        advice = f"rounds and experts are expected, or rounds, experts and the {len(arms):,} arms"
        raise DataError(path, None, None, f"an array of shape {values.shape}", advice)
    names = experts or [str(place) for place in range(values.shape[1])]
    if values.ndim == 3:
        return Advice(_probabilities(path, values, names, arms), names)
    arm = _Lookup(arms)
    words, codes = np.unique(values, return_inverse=True)
    if words.dtype.kind == "S":
        words = np.char.decode(words, "utf-8")
    places = np.array([arm(str(word)) for word in words.tolist()], np.int64)[codes].reshape(values.shape)
    if (places == NO_ARM).any():
        row, place = (int(one) for one in np.argwhere(places == NO_ARM)[0])
        fault = f"in row {row} (counted from 0), expert {names[place]!r} recommends {values[row, place].item()!r}"
        raise DataError(path, None, None, fault, arm.expected)
    return Advice(np.ascontiguousarray(places), names)


def _probabilities(path: str, values: Array, names: list[str], arms: Sequence[str]) -> Array:
    shares = np.array(values, dtype=np.float64, order="C")
    _refuse(
        path, ~(shares >= 0), lambda row, place, arm: f"gives {shares[row, place, arm]:g} to arm {arms[arm]!r}", names
    )
    off = ~(np.abs(shares.sum(axis=2) - 1) <= SUM)
    _refuse(path, off, lambda row, place: f"gives {shares[row, place].sum():g} in all", names)
    shares /= shares.sum(axis=2, keepdims=True)  # of what was written in fewer digits, too
    return shares


def _refuse(path: str, bad: Array, what: Callable[..., str], names: list[str]) -> None:
    """Name the first of the probabilities that are none."""
    if bad.any():
        first = [int(one) for one in np.argwhere(bad)[0]]
        fault = f"in row {first[0]} (counted from 0), expert {names[first[1]]!r} {what(*first)}"
        raise DataError(path, None, None, fault, "probabilities of arms, which sum to one, are expected")
