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
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from math import isfinite, nan
from typing import Any, BinaryIO, NoReturn

import numpy as np

from ..errors import DataError, ModelError, ParameterError
from .batch import Batch
from .columns import hashed
from .decisions import (
    LEAST,
    NO_PROPENSITY,
)
from .messages import shown
from .source import LONGEST_ROW, Source, name_of, open_bytes

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
