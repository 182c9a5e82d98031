"""Rounds in which one of several actions is taken: what each would cost, or what a log says of the one taken.

Labelled rows are such rounds: an action a class, which costs 1 where it is not the label.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any, NamedTuple

import numpy as np

from ..errors import DataError, did_you_mean
from .batch import Array, Batch
from .messages import listed, shown
from .stream import Stream

LEAST = 1e-100  # of a probability: the square of one by it, and sums of these, are floats
SUMS = 1e-6  # how far from 1 the probabilities of a row may sum to, as they are rounded in a file
MOST_ACTIONS = 1 << 12  # each has a regressor of its own
NO_PROPENSITY = "a propensity is the probability with which the action was taken: above 0 (1e-100 or more), at most 1"
NO_PROBABILITY = "a probability from 0 to 1 is expected"
NO_DISTRIBUTION = "they must sum to 1"
STRANGE, SLIGHT = 5.0, 0.02  # a mean of weights that far off is no accident: in standard deviations, and at all
FEW = 10  # actions that came less often may not be the only ones that seldom come


def improbable(chances: Array) -> Array:
    """The places of what cannot be the probabilities of actions that were taken."""
    return np.flatnonzero(~((chances >= LEAST) & (chances <= 1)))


def no_probabilities(chances: Array) -> Array:
    """The places of what cannot be probabilities of actions, taken or not."""
    return np.flatnonzero(~((chances >= 0) & (chances <= 1)))


def no_distributions(sums: Array) -> Array:
    """The places of sums that those of all actions cannot have."""
    return np.flatnonzero(np.abs(sums - 1) > SUMS)


class ValueSums(NamedTuple):
    """Of numbers, one a round.

    Attributes
    ----------
    rounds : int
    total, squares : float
        Their sum, and that of their squares.
    """

    rounds: int
    total: float
    squares: float

    @classmethod
    def of(cls, values: Array) -> ValueSums:
        """Of all of these."""
        return cls(len(values), float(values.sum()), float((values**2).sum()))

    def gap(self, expected: float) -> float:
        """How far their mean is from what is expected; 0 where that may be an accident."""
        mean = self.total / self.rounds
        error = sqrt(max(self.squares / self.rounds - mean**2, 0.0) / self.rounds)
        return mean - expected if abs(mean - expected) > STRANGE * error else 0.0


def doubts(weights: ValueSums, expected: float, inverse: ValueSums, actions: float, fewest: int) -> list[str]:
    """What shows that propensities are wrong, whatever the rewards are, as notes.

    Parameters
    ----------
    weights : ValueSums
        Of a policy.
    expected : float
        What their mean is expected to be: the probability with which the policy does what the log ever did.
    inverse : ValueSums
        Of 1 over the propensity: it is the number of the actions that may be taken, at most all of them.
    actions : float
        How many of those that were ever taken could be taken in a round, on average.
    fewest : int
        How often the rarest of these was taken.
    """
    doubt, notes = "are these the probabilities of the actions that were taken?", []
    if abs(gap := weights.gap(expected)) > SLIGHT:
        notes.append(f"the weights have a mean of {expected + gap:.4g}, and {expected:.4g} is expected: {doubt}")
    # If one came seldom there may be others that never came.
    if fewest >= FEW and (gap := inverse.gap(actions)) > SLIGHT * actions:
        notes.append(
            f"1 over the propensity has a mean of {actions + gap:.4g}, more than the {actions:.4g} actions: {doubt}"
        )
    return notes


def seldom(names: Sequence[str], counts: Array) -> list[str]:
    """A note on actions that were taken in one round alone among many: perhaps words that were misspelt."""
    once = [name for name, count in zip(names, counts.tolist(), strict=True) if count == 1]
    if not once or counts.sum() < FEW**2 or len(once) == np.count_nonzero(counts):
        return []
    named = listed(once)
    return [
        f"of {int(counts.sum()):,} rounds one took {named}: is it an action?"
        if len(once) == 1
        else f"{len(once):,} actions were taken in one round each: {named}; are they actions?"
    ]


@dataclass(frozen=True, slots=True)
class Decisions:
    """Consecutive rounds.

    Attributes
    ----------
    rows : Batch
        The features; without labels.
    costs : ndarray of float64, shape (rounds, actions)
        What each action costs, or earns where the stream is of rewards; of a log nan but for the action that was taken.
    taken : ndarray of int32, shape (rounds,), or None
        Which action a log says was taken; None where the costs of all are known.
    chances : ndarray of float64, shape (rounds,), or None
        The probability with which it was.
    available : ndarray of bool, shape (rounds, actions), or None
        Which actions of a log could be taken; None: all.
    """

    rows: Batch
    costs: Array
    taken: Array | None = None
    chances: Array | None = None
    available: Array | None = None

    def __len__(self) -> int:
        return len(self.costs)

    def slice(self, begin: int, end: int) -> Decisions:
        """The rounds begin <= t < end."""
        logged = (None if one is None else one[begin:end] for one in (self.taken, self.chances, self.available))
        return Decisions(self.rows.slice(begin, end), self.costs[begin:end], *logged)


class DecisionStream(ABC):
    """A source of decisions.

    Attributes
    ----------
    name : str
        What messages call it.
    actions : list of str
    logged : bool
        Whether it is a log, which says of the action taken alone what it cost.
    rereadable : bool
        Whether a second call of `rounds` gives the same again.
    """

    name: str
    actions: list[str]
    logged: bool
    rereadable: bool

    @abstractmethod
    def rounds(self, skip: int = 0) -> Iterator[Decisions]:
        """Read from the start, passing over the first `skip` rounds.

        Raises
        ------
        DataError
            If a row cannot be used; those before it have been given.
        """

    @abstractmethod
    def schema(self) -> dict[str, Any]:
        """By which another file gets the same columns, as JSON values."""

    @abstractmethod
    def feature_names(self) -> list[str] | None:
        """What the features are called that are known so far; None where names are hashed."""

    @property
    @abstractmethod
    def notes(self) -> list[str]:
        """What the user should know of how the rows are read."""

    @property
    def skipped(self) -> int:
        """Rows that were passed over."""
        return 0

    @property
    def first_errors(self) -> list[str]:
        """What was wrong with the first of them."""
        return []

    @abstractmethod
    def describe(self) -> dict[str, Any]:
        """How the rounds are written in the file, as JSON values: their form, and the columns that say them."""


def in_rewards(description: Mapping[str, Any]) -> bool:
    """Whether the numbers of a stream that is described so are rewards, of which more is better, and not costs."""
    return "reward" in description or "rewards" in description


def past(rounds: Iterator[Decisions], skip: int) -> Iterator[Decisions]:
    """The rounds without the first `skip`."""
    for part in rounds:
        if skip < len(part):
            yield part.slice(skip, len(part)) if skip else part
        skip = max(0, skip - len(part))


def places_of(words: Sequence[str], actions: Sequence[str]) -> Array:
    """Which of the actions each word is, int32; -1 for none."""
    places = {name: place for place, name in enumerate(actions)}
    return np.array([places.get(word, -1) for word in words], np.int32)


def about_action(word: str, actions: Sequence[str]) -> tuple[str, str]:
    """What to say of an action that is none of those known: what was found, and what was expected."""
    return f"the action {shown(word)} is not known", f"{did_you_mean(word, actions)}the actions are {listed(actions)}"


def ordered(words: Sequence[str]) -> list[str]:
    """Actions in the order of the numbers, or letters, that they are."""

    def number(word: str) -> float:
        try:
            value = float(word)
        except ValueError:
            return float("inf")
        return value if value == value else float("inf")

    return sorted(dict.fromkeys(words), key=lambda word: (number(word), word))


def refuse_actions(name: str, actions: Sequence[str], which: str, option: str = "--actions") -> None:
    """Refuse a number of actions that leaves no choice, or would need a regressor for each of very many.

    Parameters
    ----------
    name : str
        What the file is called.
    which : str
        What says them, as "the column 'arm' holds".
    option : str
        The one of the command line that can name more.

    Raises
    ------
    DataError
        If there are fewer than two, or more than 4,096.
    """
    if len(actions) < 2:
        only = f"one only, {shown(actions[0])}" if actions else "none"
        raise DataError(name, None, None, f"{which} {only}", f"name all of two or more with {option}")
    if len(actions) > MOST_ACTIONS:
        fault = f"{which} {len(actions):,} different actions"
        raise DataError(name, None, None, fault, f"each has a regressor of its own, and {MOST_ACTIONS:,} are the most")


MOST_FRACTIONS = 20  # labels that may be numbers with fractions


class LabelDecisions(DecisionStream):
    """The rows of a stream of labels, of which a learner is told only whether the action that it took was right.

    Parameters
    ----------
    stream : Stream
    actions : sequence of str, optional
        The labels; by default those that the rows have, for which they are read once more.

    Raises
    ------
    DataError
        If there is one label only, or the rows can be read only once and `actions` does not say the labels.
    """

    logged = False

    def __init__(self, stream: Stream, actions: Sequence[str] | None = None) -> None:
        self._stream, self.name, self.rereadable = stream, stream.name, stream.rereadable
        if actions is None and not self.rereadable:
            fault = "which labels there are is not known before all is read"
            raise DataError(self.name, None, None, fault, "name all with --actions A,B")
        self.actions = list(actions) if actions is not None else self._distinct_labels()
        if actions is None:
            self._refuse_numbers()
        refuse_actions(self.name, self.actions, "the labels are")

    def _distinct_labels(self) -> list[str]:
        words: dict[str, None] = {}
        for batch in self._stream.batches():
            words.update(dict.fromkeys(map(label_word, np.unique(_labels(self.name, batch.labels)).tolist())))
        return ordered(list(words))

    def _refuse_numbers(self) -> None:
        """Refuse many labels that are numbers with fractions: these are no classes."""
        fractions = [word for word in self.actions if _is_fraction(word)]
        if len(self.actions) > MOST_FRACTIONS and len(fractions) > len(self.actions) / 2:
            fault = f"the labels are {len(self.actions):,} different numbers, as {fractions[0]}"
            advice = "each would be an action; learn forecasts numbers, and --actions A,B names labels that are actions"
            raise DataError(self.name, None, None, fault, advice)

    def rounds(self, skip: int = 0) -> Iterator[Decisions]:
        return past(self._rounds(), skip)

    def _rounds(self) -> Iterator[Decisions]:
        before = 0
        for batch in self._stream.batches():
            values, codes = np.unique(_labels(self.name, batch.labels), return_inverse=True)
            words = [label_word(value) for value in values.tolist()]
            right = places_of(words, self.actions)[codes]
            if (right < 0).any():
                row = int(np.argmax(right < 0))
                fault, advice = about_action(words[codes[row]], self.actions)
                place = self._stream.place_of(before + row + 1)
                raise DataError(self.name, None, None, f"in {place}, {fault}", advice)
            costs = np.ones((len(batch), len(self.actions)))
            costs[np.arange(len(batch)), right] = 0.0
            yield Decisions(batch, costs)
            before += len(batch)

    def schema(self) -> dict[str, Any]:
        return self._stream.schema()

    def feature_names(self) -> list[str] | None:
        return self._stream.feature_names()

    def describe(self) -> dict[str, Any]:
        return {"form": "labels", "logged": False}

    @property
    def skipped(self) -> int:
        return self._stream.skipped

    @property
    def first_errors(self) -> list[str]:
        return self._stream.first_errors

    @property
    def notes(self) -> list[str]:
        return self._stream.notes


def label_word(label: Any) -> str:
    """A label as the text that names it."""
    if isinstance(label, str):
        return label
    return str(int(label)) if float(label).is_integer() else repr(float(label))


def _is_fraction(word: str) -> bool:
    try:
        return not float(word).is_integer()
    except ValueError:
        return False


def _labels(name: str, labels: Array | None) -> Array:
    if labels is None:
        raise DataError(name, None, None, "the rows have no labels", "an action for each label is expected")
    return labels
