"""Streams of decisions from Vowpal Wabbit's text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any, NoReturn

import numpy as np

from ..errors import DataError, ParameterError
from .batch import Array
from .decisions import (
    NO_PROPENSITY,
    Decisions,
    DecisionStream,
    about_action,
    ordered,
    past,
    places_of,
    refuse_actions,
)
from .messages import shown
from .source import Source, can_be_read_again
from .vowpal_wabbit import (
    ROWS,
    ActionLabel,
    FeatureColumns,
    Features,
    TextLine,
    TextReader,
)


class WabbitDecisions(DecisionStream):
    """Decisions in Vowpal Wabbit's text, a round a line, or a block of lines.

    Parameters
    ----------
    path : path or "-"
        Perhaps compressed.
    actions : sequence of str, optional
        All that can be taken; by default those that the text names, for which it is read once more.
    value_range : (float, float)
        Where all costs lie.
    hash_bits : int, optional
        Number the features by so many bits of a hash of their names.
    max_features : int, optional
        How many features there may be.
    schema : dict, optional
        The `schema` of an earlier one, whose columns this one continues.

    Raises
    ------
    DataError
        If the actions cannot be known, are fewer than two, or a line cannot be used.
    """

    def __init__(
        self,
        path: Source,
        *,
        actions: Sequence[str] | None = None,
        value_range: tuple[float, float] = (0.0, 1.0),
        hash_bits: int | None = None,
        max_features: int | None = None,
        schema: dict[str, Any] | None = None,
    ) -> None:
        self._reader = TextReader(path, value_range)
        self.name, self.rereadable = self._reader.name, can_be_read_again(path)
        self.columns = FeatureColumns.from_schema(schema) if schema is not None else FeatureColumns(hash_bits)
        self.columns.limit = max_features or self.columns.limit
        if schema is not None and hash_bits not in (None, self.columns.bits):
            raise ParameterError("hash_bits", str(hash_bits), f"it was {self.columns.bits} before", ": ")
        if actions is None:
            actions = self._distinct_actions()
        self.actions = list(actions)
        refuse_actions(self.name, self.actions, "the lines name")
        first, lines = None, self._lines()
        first = next(lines, None)
        if first is None:
            raise DataError(self.name, None, None, "no rows", "give a file with at least one row")
        self.logged = self._is_logged(first)
        self._first = None if self.rereadable else (first, lines)

    def _distinct_actions(self) -> list[str]:
        if not self.rereadable:
            fault = "which actions there are is not known before all is read"
            raise DataError(self.name, None, None, fault, "name all with --actions A,B")
        return ordered(list(dict.fromkeys(label.action for line in self._lines() for label in line.labels)))

    def _lines(self) -> Iterator[TextLine]:
        """A line a round: as the file has it, or what a block of lines comes to."""
        lines = self._reader.lines()
        ahead, blocks = _look_ahead(lines)
        every = chain(ahead, lines)
        yield from (self._merged(every) if blocks else filter(None, every))

    def _merged(self, lines: Iterator[TextLine | None]) -> Iterator[TextLine]:
        block: list[TextLine] = []
        for line in chain(lines, [None]):
            if line is not None:
                block.append(line)
            elif block:
                yield self._round_of(block)
                block = []

    def _round_of(self, block: list[TextLine]) -> TextLine:
        """A block as one line: the features that all actions share, and each action called by its own."""
        shared = [line for line in block if line.shared]
        if shared and (len(shared) > 1 or not block[0].shared):
            self._refuse(shared[-1], "shared features behind an action", "one shared line, first in its block")
        labels = []
        for line in block[len(shared) :]:
            if len(line.labels) > 1:
                self._refuse(line, "several actions in a line of a block", "one at most is expected")
            label = line.labels[0] if line.labels else ActionLabel("")
            labels.append(ActionLabel(_called(line.features), label.cost, label.chance))
        return TextLine(block[0].number, False, labels, shared[0].features if shared else [])

    @staticmethod
    def _is_logged(line: TextLine) -> bool:
        return not line.labels or any(label.cost is None or label.chance is not None for label in line.labels)

    def feature_names(self) -> list[str] | None:
        return self.columns.names()

    def describe(self) -> dict[str, Any]:
        return {"form": "vw", "logged": self.logged}

    @property
    def notes(self) -> list[str]:
        return []

    def schema(self) -> dict[str, Any]:
        return self.columns.schema()

    def rounds(self, skip: int = 0) -> Iterator[Decisions]:
        return past(self._rounds(), skip)

    def _rounds(self) -> Iterator[Decisions]:
        if self._first is None:
            lines = self._lines()
        else:
            (first, rest), self._first = self._first, None
            lines = chain([first], rest)
        part: list[TextLine] = []
        for line in lines:
            part.append(line)
            if len(part) == ROWS:
                yield from self._usable(part)
                part = []
        if part:
            yield from self._usable(part)

    def _usable(self, lines: list[TextLine]) -> Iterator[Decisions]:
        """The rounds of some lines, up to the first that cannot be used, which is then an error."""
        read, error = [], None
        for line in lines:
            try:
                read.append(self._round(line))
            except DataError as fault:
                error = fault
                break
        if read:
            costs, there, taken, chances = (np.array(column) for column in zip(*read, strict=True))
            rows = self.columns.rows(line.features for line in lines[: len(read)])
            logged = (taken.astype(np.int32), chances, None if there.all() else there) if self.logged else ()
            yield Decisions(rows, costs, *logged)
        if error is not None:
            raise error

    def _round(self, line: TextLine) -> tuple[Array, Array, int, float]:
        """The costs, which actions there were, and which was taken with which probability."""
        costs = np.full(len(self.actions), np.nan)
        places = places_of([label.action for label in line.labels], self.actions)
        for at, (place, label) in enumerate(zip(places.tolist(), line.labels, strict=True)):
            if place < 0:
                self._refuse(line, *about_action(label.action, self.actions))
            if place in places[:at]:
                self._refuse(line, f"the action {shown(label.action)} stands twice", "once is expected")
            costs[place] = np.nan if label.cost is None else label.cost
        if not self.logged:
            if self._is_logged(line):
                self._refuse(line, "a line of another form than the first", "the costs of all actions are expected")
            if np.isnan(costs).any():
                lacking = self.actions[int(np.argmax(np.isnan(costs)))]
                self._refuse(line, f"no cost of the action {shown(lacking)}", "every row needs one of each")
            return costs, np.ones(len(costs), bool), 0, 1.0
        known = [at for at, label in enumerate(line.labels) if label.cost is not None]
        if len(known) != 1:
            fault = "no action has a cost" if not known else f"{len(known):,} actions have costs"
            self._refuse(line, fault, "one action:cost:probability is expected")
        chance = line.labels[known[0]].chance
        if chance is None:
            self._refuse(line, f"no probability of {shown(line.labels[known[0]].action)}", NO_PROPENSITY)
        there = np.full(len(costs), len(places) == 1)  # an action alone says nothing of the others
        there[places] = True
        return costs, there, int(places[known[0]]), chance

    def _refuse(self, line: TextLine, fault: str, advice: str) -> NoReturn:
        raise DataError(self.name, line.number, 1, fault, advice)


def _look_ahead(lines: Iterator[TextLine | None]) -> tuple[list[TextLine | None], bool]:
    """The first lines, and whether a round is a block of them: where some are shared, or one of several has a cost."""
    ahead: list[TextLine | None] = []
    known = 0
    for line in lines:
        if line is None and not ahead:
            continue
        ahead.append(line)
        if line is None:
            break
        known += any(label.cost is not None for label in line.labels)
        if line.shared or known > 1:
            return ahead, line.shared
    return ahead, len(ahead) - (None in ahead) > 1


def _called(features: Features) -> str:
    """What an action is called that is known by its features."""
    return " ".join(name if value == 1 else f"{name}:{value:g}" for name, value in features) or "no features"
