"""Vowpal Wabbit's text of decisions: ``action:cost:probability | features`` in a line, or in a block of lines.

A line has actions before its first bar and features behind it. Of ``--cb`` a round is a line: one action with its cost
and probability, beside it perhaps others that were there to take; or the costs of all, ``1:0.5 2:0 3:1``. Of
``--cb_adf`` a round is a block of lines that a blank one ends: perhaps one of features that all actions share, then one
an action, of which one has a cost. An action is then known by its features, which are the same whenever it can be
taken. A feature is called ``namespace^name``, or ``name`` alone behind a bare bar.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from math import isfinite, nan
from typing import Any, BinaryIO, NoReturn

import numpy as np

from ..errors import DataError, ModelError, ParameterError
from .batch import Array, Batch
from .columns import hashed
from .decisions import (
    LEAST,
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
from .source import LONGEST_ROW, Source, can_be_read_again, name_of, open_bytes

Features = list[tuple[str, float]]
FORM = "a line is 'action:cost:probability | feature feature:value'"
SHARED = "shared"
ROWS = 1024  # that are given together
DEFAULT = " "  # the namespace of a bare bar
WORD = re.compile(r"\S+")


@dataclass(frozen=True, slots=True)
class ActionLabel:
    """An action before the bar: with a cost, and a probability, where they are there."""

    action: str
    cost: float | None = None
    chance: float | None = None


@dataclass(frozen=True, slots=True)
class TextLine:
    """A line of text.

    Attributes
    ----------
    number : int
        Of the line, from 1.
    shared : bool
        Whether its features are those of all actions of its block.
    labels : list of ActionLabel
    features : list of (str, float)
        Names with their namespace, and values; what stands there twice is listed twice.
    """

    number: int
    shared: bool
    labels: list[ActionLabel]
    features: Features


class TextReader:
    """Reads lines.

    Parameters
    ----------
    path : path or "-"
        Perhaps compressed.
    value_range : (float, float)
        Where all costs lie.
    form : str
        What messages say that a line is.
    """

    def __init__(self, path: Source, value_range: tuple[float, float] = (0.0, 1.0), *, form: str = FORM) -> None:
        self._path, self.name, self._range, self._form = path, name_of(path), value_range, form

    def lines(self, pass_over: Callable[[DataError], None] | None = None) -> Iterator[TextLine | None]:
        """All lines; None for a blank one, and for one that is passed over.

        Parameters
        ----------
        pass_over : callable, optional
            Called with what is wrong with a line that cannot be used, which is then passed over.

        Raises
        ------
        DataError
            At a line that cannot be used, with its number and column.
        """
        with open_bytes(self._path) as file:
            yield from self.read(lines_of_text(file), 1, pass_over)

    def read(
        self, lines: Iterable[bytes], first: int, pass_over: Callable[[DataError], None] | None = None
    ) -> Iterator[TextLine | None]:
        """The same of lines of bytes, the first of which has this number."""
        for number, raw in enumerate(lines, first):
            if len(raw) > LONGEST_ROW:
                fault = f"a line of more than {LONGEST_ROW:,} bytes begins here"
                self._refuse(number, None, fault, "rows on lines of their own are expected")
            try:
                line = self._read(number, raw)
            except DataError as error:
                if pass_over is None:
                    raise
                pass_over(error)
                line = None
            yield line

    def _read(self, number: int, raw: bytes) -> TextLine | None:
        try:
            text = raw.decode().strip("\r\n\ufeff")
        except UnicodeDecodeError as error:
            raise DataError(self.name, number, None, "this is not UTF-8 text", self._form) from error
        return self._line(number, text) if text.strip() else None

    def _line(self, number: int, text: str) -> TextLine:
        head, bar, tail = text.partition("|")
        if not bar:
            self._refuse(number, 1, f"no bar in {shown(text)}", self._form)
        words = head.split()
        if words and head[-1:] not in (" ", "\t"):
            tag = words.pop()  # what touches the bar names the line
            if ":" in tag:
                self._refuse(number, len(head), f"no space between {shown(tag)} and the bar", self._form)
        if words and words[-1].startswith("'"):
            words.pop()
        shared = words == [SHARED]
        labels, end = [], 0
        for word in () if shared else words:
            begin = head.index(word, end)
            end = begin + len(word)
            labels.append(self._label(number, begin + 1, word))
        return TextLine(number, shared, labels, self._features(number, tail, len(head) + 1))

    def _label(self, number: int, column: int, word: str) -> ActionLabel:
        parts = word.split(":")
        if len(parts) > 3 or not parts[0] or parts[0] == SHARED:
            self._refuse(number, column, f"{shown(word)} where an action is expected", self._form)
        numbers = [self._number(number, column, part, word) for part in parts[1:]]
        low, high = self._range
        if numbers and not low <= numbers[0] <= high:
            advice = f"costs from {low:g} to {high:g} are expected; declare with --range LO HI where costs can lie"
            self._refuse(number, column, f"the cost of {shown(word)} is {numbers[0]:g}", advice)
        if len(numbers) == 2 and not LEAST <= numbers[1] <= 1:
            self._refuse(number, column, f"the probability of {shown(word)} is {numbers[1]:g}", NO_PROPENSITY)
        return ActionLabel(parts[0], *numbers)

    def _features(self, number: int, tail: str, start: int) -> Features:
        """The features of all namespaces, which stand from this place of the line on."""
        features: Features = []
        for part in tail.split("|"):
            words, first = part.split(), len(features)
            space, scale = DEFAULT, 1.0
            if words and part[0] not in " \t":
                word, first = words.pop(0), first - 1
                space, colon, weight = word.partition(":")
                scale = self._number(number, start + 1, weight, word) if colon else 1.0
            for word in words:
                name, colon, value = word.rpartition(":")
                if not colon:
                    name, size = word, scale
                else:
                    try:
                        size = scale * float(value)
                    except ValueError:
                        size = nan
                    if not (name and isfinite(size)):
                        self._check_feature(number, start + _column(part, len(features) - first), word)
                features.append((name if space == DEFAULT else f"{space}^{name}", size))
            start += len(part) + 1
        return features

    def _check_feature(self, number: int, column: int, word: str) -> None:
        name, _, value = word.rpartition(":")
        if not name:
            self._refuse(number, column, f"{shown(word)} has no name", self._form)
        self._number(number, column, value, word)

    def _number(self, number: int, column: int, text: str, word: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = nan
        if not isfinite(value):
            self._refuse(number, column, f"{shown(text)} in {shown(word)}", "a finite number is expected")
        return value

    def _refuse(self, line: int, column: int | None, fault: str, advice: str) -> NoReturn:
        raise DataError(self.name, line, column, fault, advice)


class _UntilTooLong(io.RawIOBase):
    """A file that ends once one of its lines is too long, so that not all of it is read before it is refused."""

    def __init__(self, file: Any) -> None:
        self._file, self._begun = file, 0  # bytes of the last line so far

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        if self._begun > LONGEST_ROW:
            return 0
        size: int | None = self._file.readinto(buffer)
        if size:
            end = bytes(buffer[:size]).rfind(b"\n") + 1
            self._begun = size - end + (0 if end else self._begun)
        return size

    def close(self) -> None:
        self._file.close()
        super().close()


def lines_of_text(file: BinaryIO) -> Iterator[bytes]:
    """The lines of an open file, of which one that is too long is the last, and perhaps cut short."""
    return iter(io.BufferedReader(_UntilTooLong(file), 1 << 20))


def _column(text: str, place: int) -> int:
    """Where a word begins, counted from 1."""
    return [match.start() + 1 for match in WORD.finditer(text)][place]


class FeatureColumns:
    """Gives each feature its column: in the order in which they first come, or by a hash of their names.

    Parameters
    ----------
    bits : int, optional
        Of the hash, from 1 to 30.
    limit : int
        How many columns there may be.
    """

    def __init__(self, bits: int | None = None, limit: int = 1 << 27) -> None:
        if bits is not None and not (1 <= bits <= 30 and 1 << bits <= limit):
            raise ParameterError("hash_bits", str(bits), "it must be at least 1 and at most 30", ": ")
        self.bits, self.limit = bits, limit
        self._known: dict[str, int] = {}
        self.frozen = False

    def __len__(self) -> int:
        return len(self._known) if self.bits is None else 1 << self.bits

    def column(self, name: str) -> int | None:
        """The column of a feature; None of one that is not known where nothing new is learned."""
        column = self._known.get(name)
        if column is None and not (self.frozen and self.bits is None):
            if self.bits is None and len(self._known) >= self.limit:
                raise ParameterError(
                    "max_features", str(self.limit), "there are more; hash them with --hash-bits", ": "
                )
            column = len(self._known) if self.bits is None else hashed(name, self.bits)
            if self.bits is None or len(self._known) < 1 << 16:
                self._known[name] = column
        return column

    def rows(self, each: Iterable[Features]) -> Batch:
        """Sparse rows; a feature that stands in a row twice is added up."""
        starts, indices, values = [0], [], []
        for features in each:
            row: dict[int, float] = {}
            for name, value in features:
                if (column := self.column(name)) is not None:
                    row[column] = row.get(column, 0.0) + value
            indices += (ordered_columns := sorted(row))
            values += [row[column] for column in ordered_columns]
            starts.append(len(indices))
        return Batch(np.array(values), None, len(self), np.array(indices, np.int32), np.array(starts, np.int64))

    def names(self) -> list[str] | None:
        """What the columns are called, in their order; None where they are hashed."""
        return list(self._known) if self.bits is None else None

    def schema(self) -> dict[str, Any]:
        """All that is needed to build the same columns again, as JSON values."""
        names = list(self._known) if self.bits is None else []
        return {"format": "vw", "features": names, "bits": self.bits}

    @classmethod
    def from_schema(cls, schema: dict[str, Any]) -> FeatureColumns:
        """The columns that wrote this schema.

        Raises
        ------
        ModelError
            If it does not fit together.
        """
        try:
            bits = schema["bits"]
            result = cls(None if bits is None else int(bits))
            names = [str(name) for name in schema["features"]]
        except (LookupError, TypeError, ValueError) as error:
            raise ModelError(f"the description of the columns is damaged ({error!r})") from error
        result._known = {name: place for place, name in enumerate(names)}
        if len(result._known) < len(names):
            raise ModelError("the description of the columns names one twice")
        return result


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
