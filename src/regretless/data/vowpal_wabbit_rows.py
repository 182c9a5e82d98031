"""Vowpal Wabbit's text of labelled rows: ``label | feature feature:value`` in a line, read and written."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterator
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from .._core import VowpalRows, columns_of
from ..atomic_write import replacing
from ..errors import DataError, RegretlessError
from .batch import ABSENT, Array, Batch
from .messages import one_of, or_skipped, shown
from .names import called, column_names
from .source import LONGEST_ROW, Source, can_be_read_again, name_of, open_bytes
from .stream import REMEMBERED_ERRORS, Stream, past
from .vowpal_wabbit import FeatureColumns, TextLine, TextReader, lines_of_text

DECISIONS = "this is a line of decisions, which explore and evaluate read"
FORM = "a line is 'label | feature feature:value'"
ROWS = 1024  # that are given together
REMEMBERED_BYTES = 1 << 26  # of names that are no columns
BYTES_OF_NAME = 160  # besides its letters
UNUSUAL = re.compile("[^\\S \n]|\ufeff")


class PlainRows:
    """Reads lines of the usual form: numbers for labels, and nothing that is wrong or rare.

    Parameters
    ----------
    columns : FeatureColumns
    dtype : dtype
        Of the values.

    Attributes
    ----------
    first : float, str or None
        The first label of this reading, of whose kind all are to be.
    """

    def __init__(self, columns: FeatureColumns, dtype: np.dtype[Any]) -> None:
        self._columns, self._dtype = columns, dtype
        self.first: float | str | None = None
        self._begin()

    def _begin(self) -> None:
        self._reader, self._numbers = VowpalRows(), np.empty(0, np.int32)
        self._names = self._bytes = 0  # that the reader remembers; the memory of those that are no columns

    def batch(self, text: bytes) -> Batch | None:
        """The rows of whole lines; None where one of them is of another form."""
        decoded = None if isinstance(self.first, str) else _with_usual_blanks(text)
        read = None if decoded is None else self._reader.read(decoded)
        if read is None:
            return None
        labels, ends, codes, values, names = read
        self.first = float(labels[0]) if self.first is None else self.first
        self._add(names)
        values, indices, starts = columns_of(values, codes, ends, self._numbers[: self._names])
        if self._bytes > REMEMBERED_BYTES:
            self._begin()
        return Batch(values.astype(self._dtype, copy=False), labels, len(self._columns), indices, starts)

    def _add(self, names: list[str]) -> None:
        """Look up the columns of new names."""
        first, self._names = self._names, self._names + len(names)
        if self._names > len(self._numbers):
            self._numbers = np.resize(self._numbers, 2 * self._names)  # so that few batches copy them
        columns = [ABSENT if column is None else column for column in map(self._columns.column, names)]
        self._numbers[first : self._names] = columns
        hashed = self._columns.bits is not None
        self._bytes += sum(
            BYTES_OF_NAME + len(name) for name, column in zip(names, columns, strict=True) if hashed or column == ABSENT
        )


def _with_usual_blanks(text: bytes) -> str | None:
    """The text, if it is UTF-8 in which spaces and ends of lines alone are blank."""
    try:
        decoded = text.decode()
    except UnicodeDecodeError:
        return None
    return decoded if decoded.isascii() or UNUSUAL.search(decoded) is None else None


class WabbitStream(Stream):
    """Rows of Vowpal Wabbit's text.

    A line is a label (a number or a word), perhaps the weight 1 and a tag, a bar, and features with or without values,
    each called ``namespace^name``, or ``name`` alone behind a bare bar. A namespace's own weight multiplies its values.
    What stands in a line twice is added up. Where the first label is a number all must be; where it is a word, numbers
    are words too. A weight other than 1 is refused: theorems count each row once.

    Parameters
    ----------
    path : path, "-" or Input
        Perhaps compressed.
    on_error : {"raise", "skip"}
        Whether a line that cannot be used ends the reading or is passed over and counted.
    schema : dict, optional
        The `schema` of an earlier stream, whose columns this one continues.
    frozen : bool
        Features that the schema does not know contribute nothing, and labels may be absent.
    dtype : {"float64", "float32"}
        Of the values.
    hash_bits : int, optional
        Number the features by so many bits of a hash of their names.
    max_features : int
        How many features there may be.
    """

    def __init__(
        self,
        path: Source,
        *,
        on_error: str = "raise",
        schema: dict[str, Any] | None = None,
        frozen: bool = False,
        dtype: str = "float64",
        hash_bits: int | None = None,
        max_features: int = 2**27,
    ) -> None:
        super().__init__(name_of(path))
        one_of("on_error", on_error, ("raise", "skip"))
        one_of("dtype", dtype, ("float32", "float64"))
        self.rereadable, self._dtype, self._frozen = can_be_read_again(path), np.dtype(dtype), frozen
        self._path, self._reader = path, TextReader(path, (-math.inf, math.inf), form=FORM)
        self._skips = on_error == "skip"
        self._begun = {"features": [], "bits": hash_bits} if schema is None else schema
        self._limit = max_features
        self._columns = self._begin()
        if hash_bits not in (None, self._columns.bits):
            raise RegretlessError(f"hash_bits: {hash_bits}: it was {self._columns.bits} before")

    def _begin(self) -> FeatureColumns:
        columns = FeatureColumns.from_schema(self._begun)
        columns.limit, columns.frozen = self._limit, self._frozen
        return columns

    def batches(self, skip: int = 0) -> Iterator[Batch]:
        """Read from the start, passing over the first `skip` good rows.

        Raises
        ------
        DataError
            At a line that cannot be used, after the good rows before it, and if the file has no rows.
        """
        return past(self._read(), skip)

    def schema(self) -> dict[str, Any]:
        """The names of the features so far, or the bits of their hash."""
        return self._columns.schema()

    def feature_names(self) -> list[str] | None:
        return self._columns.names()

    def _line_of(self, row: int) -> int | None:
        rows = (line.number for line in self._reader.lines(None) if line is not None)
        return next(islice(rows, row - 1, None), None)

    def _read(self) -> Iterator[Batch]:
        self._forget_errors()
        empty, part, error = True, list[tuple[TextLine, Any]](), None
        with open_bytes(self._path) as opened:
            file, number, plain = lines_of_text(opened), 1, PlainRows(self._columns, self._dtype)
            while lines := list(islice(file, ROWS - len(part))):
                short = max(map(len, lines)) <= LONGEST_ROW
                if short and not part and (batch := plain.batch(b"".join(lines))) is not None:
                    yield batch
                    empty = False
                else:
                    error = self._take(lines, number, part, plain)
                    if len(part) == ROWS:
                        yield self._batch(part)
                        part, empty = [], False
                    if error is not None:  # the good rows before it come first
                        break
                number += len(lines)
        if part:
            yield self._batch(part)
        if error is not None:
            raise error
        if empty and not part:
            raise DataError(self.name, None, None, "no rows", "give a file with at least one row")

    def _take(
        self, lines: list[bytes], number: int, part: list[tuple[TextLine, Any]], plain: PlainRows
    ) -> DataError | None:
        """Add the rows of lines, the first of which has this number; what is wrong with one that ends the reading."""
        try:
            for line in self._reader.read(lines, number, self._pass if self._skips else None):
                if line is None:
                    continue
                try:
                    part.append((line, label := self._label(line, plain.first)))
                    plain.first = label if plain.first is None else plain.first
                except DataError as fault:
                    if not self._skips:
                        raise
                    self._pass(fault)
        except DataError as fault:
            is_read = fault.column is not None  # what is too long is not, and cannot be passed over
            return or_skipped(fault) if is_read and not self._skips else fault
        return None

    def _batch(self, part: list[tuple[TextLine, Any]]) -> Batch:
        rows = self._columns.rows(line.features for line, _ in part)
        labels = [label for _, label in part]
        if any(label is None for label in labels):
            if any(label is not None for label in labels):
                at = next(line.number for line, label in part if label is None)
                raise DataError(self.name, at, 1, "no label, though other lines have one", FORM)
            column = None
        else:
            column = np.array(labels)
        return Batch(rows.values.astype(self._dtype), column, rows.columns, rows.indices, rows.starts)

    def _label(self, line: TextLine, first: float | str | None) -> float | str | None:
        """The label of a line, of the kind of the first one; None if it has none."""
        words = [label.action for label in line.labels]
        if line.shared or any(label.cost is not None for label in line.labels):
            self._refuse(line, "costs of actions where a label is expected", DECISIONS)
        if len(words) > 1 and words[1] not in ("1", "1.0"):
            fault = f"the weight {shown(words[1])}" if len(words) == 2 else f"{len(words)} words before the bar"
            self._refuse(
                line,
                fault,
                "rows of weight 1 are read, for theorems count each row once; write a line of weight 3 three times, or "
                "use sample_weight in Python, with which most theorems do not apply",
            )
        if len(words) > 2:
            self._refuse(line, f"the initial prediction {shown(words[2])}", "none can be given")
        if not words:
            if not self._frozen:
                self._refuse(line, "no label", FORM)
            return None
        if isinstance(first, str):
            return words[0]
        try:
            number = float(words[0])
        except ValueError:
            if first is not None:
                advice = f"a number is expected, as the first label is {first:g}; names as labels must all be words"
                self._refuse(line, f"the label {shown(words[0])}", advice)
            return words[0]
        if not math.isfinite(number):
            self._refuse(line, f"the label {shown(words[0])}", "labels must be finite")
        return number

    def _refuse(self, line: TextLine, fault: str, advice: str) -> None:
        raise DataError(self.name, line.number, 1, fault, advice)

    def _pass(self, fault: DataError) -> None:
        self.skipped += 1
        if len(self.first_errors) < REMEMBERED_ERRORS:
            self.first_errors.append(str(fault))


class WrittenRows(NamedTuple):
    """What `write_vowpal_wabbit` wrote.

    Attributes
    ----------
    rows : int
        How many rows there are.
    labels : dict of str to int
        The number that stands for each label that is a word; empty where labels are numbers.
    """

    rows: int
    labels: dict[str, int]


def write_vowpal_wabbit(stream: Stream, path: str | os.PathLike[str]) -> WrittenRows:
    """Write the rows of a stream as Vowpal Wabbit's text, a line each.

    Labels that are numbers stay as they are. Vowpal Wabbit takes every word for 0, so that numbers are written for
    words, in the order of the sorted labels: -1 and 1 for two, as its losses of labels want them, and 1 to K for K > 2
    (or the only one), as ``--oaa K`` wants them. Rows with such labels are read twice.

    Parameters
    ----------
    stream : Stream
        As `open_stream` gives it. A feature is called by its name, in which spaces, bars and colons become underscores,
        or by its number; those of Vowpal Wabbit's own text keep their namespaces.
    path : path
        The file; it is there once it is whole.

    Returns
    -------
    WrittenRows
        How many rows there are, and the numbers of labels.

    Raises
    ------
    DataError
        If a row cannot be read.
    RegretlessError
        If labels are words and the stream can be read only once, or words come after numbers.
    OSError
        If the file cannot be written.
    """
    rows, numbers = 0, _numbers_of_labels(stream)
    with replacing(path) as file:
        for batch in stream.batches():
            names = column_names(stream.schema())
            for row in range(len(batch)):
                file.write(_line(batch.slice(row, row + 1), names, numbers).encode())
            rows += len(batch)
    return WrittenRows(rows, numbers)


def _numbers_of_labels(stream: Stream) -> dict[str, int]:
    """A number for each label that is a word; none where the first labels are numbers."""
    words: set[str] = set()
    for batch in stream.batches() if stream.rereadable else ():
        if batch.labels is None or not (words or _are_words(batch.labels)):
            break
        words.update(map(str, batch.labels.tolist()))
    numbers = (-1, 1) if len(words) == 2 else range(1, len(words) + 1)
    return dict(zip(sorted(words), numbers, strict=True))


def _are_words(labels: Array) -> bool:
    return labels.dtype.kind not in "biuf"


def _label_text(label: Any, is_word: bool, numbers: dict[str, int]) -> str:
    if numbers:
        return f"{numbers[str(label)]} "
    if is_word:
        raise RegretlessError(
            f"the label {label!r} is a word, which Vowpal Wabbit takes for 0, and numbers for words need a file that "
            "can be read twice and whose labels are all words; write the rows to such a file first"
        )
    return f"{label:.17g} "


def _line(row: Batch, names: Any, numbers: dict[str, int]) -> str:
    if row.indices is None:
        columns, values = range(row.columns), row.values[0]
    else:
        columns, values = row.indices.tolist(), row.values
    label = "" if row.labels is None else _label_text(row.labels[0].item(), _are_words(row.labels), numbers)
    spaces: dict[str, list[str]] = {}
    for column, value in zip(columns, values.tolist(), strict=True):
        if value != 0:
            space, _, name = called(names(column), column).rpartition("^")
            entry = "".join("_" if sign in " |:\t\n\r" else sign for sign in name)
            spaces.setdefault(space, []).append(entry if value == 1 else f"{entry}:{value!r}")
    parts = [f"|{space} {' '.join(entries)}" for space, entries in spaces.items()] or ["|"]
    return label + " ".join(parts) + "\n"
