"""Svmlight (libsvm) text: ``label id:value id:value ... # comment``, one row a line."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterator
from contextlib import closing
from io import BufferedReader, RawIOBase
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal, cast

import numpy as np

from .._core import SvmlightParser
from ..errors import DataError, RegretlessError
from .batch import Array, Batch
from .messages import or_skipped
from .source import Source, can_be_read_again, name_of, open_bytes
from .stream import Stream, past

if TYPE_CHECKING:
    from scipy.sparse import csr_array

MAX_FEATURES = 2**27
MOST_FEATURES = 2**31 - 1  # columns are int32
BLOCK = 1 << 20
SHOWN = 40

ADVICE = {
    "label missing": "a row begins with its label, a number",
    "label not a number": "a row begins with its label, a number",
    "label not finite": "labels must be finite",
    "several labels": "rows with several labels are not supported; keep one",
    "query not an integer": "qid is followed by a whole number",
    "colon missing": "entries have the form id:value",
    "id not an integer": "ids are whole numbers, not negative",
    "id zero": "ids were taken to begin at 1; if they begin at 0 say so: --ids-from 0",
    "id repeated": "an id may stand in a row only once",
    "id descending": "ids must ascend within a row",
    "value missing": "entries have the form id:value",
    "value not a number": "values are decimal numbers",
    "value not finite": "values must be finite",
    "value too large": "values must be finite as {dtype}",
    "line too long": "lines may have up to 2**28 bytes",
}

VOWPAL_WABBIT = (
    "this looks like Vowpal Wabbit text, which is read with --format vw; svmlight text is 'label id:value id:value'"
)

Complaint = tuple[str, int, int, bytes]


class SvmlightStream(Stream):
    """Rows of an svmlight file.

    A row is a label (a number) and any number of ``id:value`` entries with ascending ids. Comments (``#`` to the end of
    the line), ``qid:N``, blank lines, tabs and carriage returns are passed over.

    The arrays of a batch stay as they are for as long as anyone holds them: their memory is used again only when all
    references to them are gone. So a batch may be used later, at the price of its memory.

    Parameters
    ----------
    path : str, path-like or Input
        The file; decompressed by its suffix; ``-`` is standard input.
    dtype : {"float64", "float32"}
        Type of the values. float32 values are the float64 values, rounded.
    ids_from : {0, 1} or None
        The id of the first column. None: 0 if an id in the first block that has entries is 0, else 1.
    max_features : int
        Ids of more columns than this are refused.
    on_error : {"raise", "skip"}
        Whether a bad line ends the reading or is passed over, counted and remembered.
    schema : dict or None
        The `schema` of an earlier stream; its ``ids_from`` is used if there is no other.
    block : int
        Bytes read at a time.
    """

    def __init__(
        self,
        path: Source,
        *,
        dtype: str = "float64",
        ids_from: int | None = None,
        max_features: int = MAX_FEATURES,
        on_error: Literal["raise", "skip"] = "raise",
        schema: dict[str, Any] | None = None,
        block: int = BLOCK,
    ) -> None:
        super().__init__(name_of(path))
        self.rereadable = can_be_read_again(path)
        self._path, self._dtype, self._block = path, np.dtype(dtype), block
        self._ids_from = ids_from if ids_from is not None or schema is None else schema.get("ids_from")
        self._max_features, self._skip_bad = max_features, on_error == "skip"
        self._parser()  # refuses what cannot be, now and not at the first batch

    def batches(self, skip: int = 0) -> Iterator[Batch]:
        """Read from the start, passing over the first `skip` good rows.

        Raises
        ------
        DataError
            At a bad line (after the good rows before it), and if the file has no rows.
        """
        return past(self._read(), skip)

    def schema(self) -> dict[str, Any]:
        """The format and the id of the first column; None as long as neither the user nor a row has said it."""
        return {"format": "svmlight", "ids_from": self._ids_from}

    def _line_of(self, row: int) -> int | None:
        """The line of a row, both from 1."""
        with open_bytes(self._path) as file, BufferedReader(cast(RawIOBase, file)) as text:
            rows = (number for number, line in enumerate(text, 1) if line.partition(b"#")[0].strip())
            return next(islice(rows, row - 1, None), None)

    def _parser(self) -> SvmlightParser:
        return make_parser(self._dtype, self._ids_from, self._max_features, self._skip_bad, self._block)

    def _read(self) -> Iterator[Batch]:
        self._forget_errors()
        empty, rows = True, 0
        with open_bytes(self._path) as file, closing(self._read_ahead(self._blocks(file))) as blocks:
            for block, self._ids_from in blocks:
                labels, starts, indices, values, columns, bad, complaints = block
                batch = Batch(values, labels, columns, indices, starts)
                if bad and self._skip_bad:
                    wrong = np.isnan(labels)
                    self._mark(rows + np.flatnonzero(wrong))
                    batch = batch.only(~wrong)
                rows += len(labels)
                if len(batch):
                    empty = False
                    yield batch
                self._judge(bad, complaints)
        if empty:
            raise no_rows(self.name)

    def _blocks(self, file: Any) -> Generator[tuple[Any, int | None], None, None]:
        """What the parser makes of each block, and the id of the first column as far as it is known then."""
        parser = self._parser()
        while (block := parser.next(file)) is not None:
            yield block, parser.first_id

    def _judge(self, bad: int, complaints: list[Complaint]) -> None:
        for complaint in complaints:
            error = self._refused(complaint)
            if complaint[0] == "line too long":
                raise error
            if not self._skip_bad:
                raise error if b"|" in complaint[3] else or_skipped(error)  # of a file of another format all are bad
            self._pass_over(str(error))
        self.skipped += bad - len(complaints)

    def _refused(self, complaint: Complaint) -> DataError:
        limit = f"at most {self._max_features:,} columns are allowed; --max-features N allows more"
        return complaint_error(self.name, complaint, limit, self._dtype)


def load_svmlight(
    path: Source, *, dtype: str = "float64", ids_from: int | None = None, n_features: int | None = None
) -> tuple[csr_array, Array]:
    """Read a whole svmlight file.

    Parameters
    ----------
    path : str, path-like or Input
        The file; decompressed by its suffix; ``-`` is standard input.
    dtype : {"float64", "float32"}
        Type of the values.
    ids_from : {0, 1} or None
        The id of the first column; None: as in `SvmlightStream`.
    n_features : int or None
        How many columns there are; None: as many as the largest id needs.

    Returns
    -------
    X : csr_array of shape (rows, columns)
    y : ndarray of float64, shape (rows,)

    Raises
    ------
    DataError
        At a bad line, an id beyond `n_features`, and if the file has no rows.
    """
    from scipy.sparse import csr_array

    numbers, allowed = np.dtype(dtype), MAX_FEATURES if n_features is None else n_features
    parser = make_parser(numbers, ids_from, allowed, False, BLOCK)
    with open_bytes(path) as file:
        size = plain_size(file)
        while parser.gather(file, size):
            pass
    labels, starts, indices, values, columns, bad, complaints = parser.gathered()
    if bad:
        limit = f"at most {allowed} columns are allowed; to allow more give n_features"
        raise complaint_error(name_of(path), complaints[0], limit, numbers)
    if not len(labels):
        raise no_rows(name_of(path))
    if len(indices) <= np.iinfo(np.int32).max:
        starts = starts.astype(np.int32)  # else scipy widens the indices, at the price of a copy
    matrix = csr_array((values, indices, starts), shape=(len(labels), columns if n_features is None else n_features))
    matrix.has_canonical_format = True  # ids ascend strictly
    return matrix, labels


def make_parser(
    dtype: np.dtype[Any], ids_from: int | None, max_features: int, skip: bool, block: int
) -> SvmlightParser:
    """The compiled parser, if it can do what is asked of it."""
    if dtype not in (np.float32, np.float64):
        raise RegretlessError(f"values can be float32 or float64, not {dtype}")
    if ids_from not in (None, 0, 1):
        raise RegretlessError(f"ids begin at 0 or at 1, not at {ids_from!r}")
    if not 1 <= max_features <= MOST_FEATURES:
        raise RegretlessError(
            f"the number of features allowed must be from 1 to {MOST_FEATURES:,}, not {max_features:,}"
        )
    return SvmlightParser(dtype == np.float32, ids_from, max_features, skip, block)


def plain_size(file: Any) -> int:
    """The size of an uncompressed file, or 0."""
    try:
        return os.fstat(file.fileno()).st_size
    except (AttributeError, OSError):
        return 0


def no_rows(name: str) -> DataError:
    """The message about a file without a row."""
    return DataError(name, None, None, "no rows", "give a file with at least one labelled row")


def complaint_error(name: str, complaint: Complaint, limit: str, dtype: np.dtype[Any]) -> DataError:
    """The message about a bad line; `limit` says so of an id that is too large."""
    what, line, column, raw = complaint
    text = raw.decode("utf-8", "replace")
    shown = repr(text if len(text) <= SHOWN else text[:SHOWN] + "…")
    if what == "id too large":
        return DataError(name, line, column, f"id {shown} is too large", limit)
    namespace = what in ("colon missing", "label missing", "label not a number") and "|" in text
    advice = VOWPAL_WABBIT if namespace else ADVICE[what].format(dtype=dtype.name)
    if any(byte < 32 and byte not in b"\t\r\n" for byte in raw):
        advice = f"this does not look like text ({advice})"
    return DataError(name, line, column, f"{what}: {shown}", advice)
