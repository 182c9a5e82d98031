"""Labelled rows as decisions: an action a class, which costs 1 where it is not the label."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ..errors import DataError
from .batch import Array
from .decisions import Decisions, DecisionStream, about_action, ordered, past, places_of, refuse_actions
from .stream import Stream

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
        self.actions = list(actions) if actions is not None else self._found()
        if actions is None:
            self._refuse_numbers()
        refuse_actions(self.name, self.actions, "the labels are")

    def _found(self) -> list[str]:
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
