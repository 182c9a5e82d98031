"""The svmlight reader against a slow twin, strtod's values, dirty files and every instruction set."""

from __future__ import annotations

import gzip
import math
import os
import re
import time
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regretless import _core
from regretless.data.batch import Batch
from regretless.data.source import Input
from regretless.data.svmlight import SvmlightStream, load_svmlight
from regretless.errors import DataError, RegretlessError

from ..sanitized import fewer

pytestmark = pytest.mark.kernel

DECIMAL = re.compile(rb"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
Row = tuple[float, list[int], list[float]]


class Text(Input):
    """Bytes that a stream reads as it reads a file."""

    name = "text"
    rereadable = True

    def __init__(self, data: bytes) -> None:
        self.data = data

    def open(self) -> Any:
        return BytesIO(self.data)


def each_isa() -> Iterator[str]:
    before = _core.isa()
    try:
        for name in _core.isas():
            _core.use_isa(name)
            yield name
    finally:
        _core.use_isa(before)


@pytest.fixture(params=_core.isas())
def isa(request: pytest.FixtureRequest) -> Iterator[str]:
    before = _core.isa()
    _core.use_isa(request.param)
    yield request.param
    _core.use_isa(before)


def number(text: bytes) -> float:
    value = float(text) if DECIMAL.fullmatch(text) else math.nan
    if not math.isfinite(value):
        raise ValueError
    return value


def reference_row(line: bytes, first_id: int) -> Row | None:
    tokens = line.split(b"#")[0].replace(b"\t", b" ").replace(b"\r", b" ").split(b" ")
    tokens = [token for token in tokens if token]
    if not tokens:
        return None
    label, columns, values = number(tokens[0]), [], []
    for token in tokens[1:]:
        id_, colon, value = token.partition(b":")
        if id_ == b"qid" and re.fullmatch(rb"\d+", value):
            continue
        if not colon or not re.fullmatch(rb"\d+", id_):
            raise ValueError
        columns.append(int(id_) - first_id)
        values.append(number(value))
    if (columns and (columns[0] < 0 or columns[-1] >= 2**27)) or columns != sorted(set(columns)):
        raise ValueError
    return label, columns, values


def reference(data: bytes, first_id: int) -> tuple[list[Row], list[int]]:
    """The good rows and the numbers of the bad lines, by the plainest means."""
    rows, bad = [], []
    for line, text in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
        try:
            row = reference_row(text, first_id)
        except ValueError:
            bad.append(line)
        else:
            rows += [row] if row else []
    return rows, bad


def rows_of(batches: list[Batch]) -> list[Row]:
    rows: list[Row] = []
    for batch in batches:
        assert batch.labels is not None
        assert batch.indices is not None
        assert batch.starts is not None
        for row in range(len(batch)):
            entries = slice(batch.starts[row], batch.starts[row + 1])
            rows.append((float(batch.labels[row]), batch.indices[entries].tolist(), batch.values[entries].tolist()))
    return rows


def read(data: bytes, **options: Any) -> tuple[list[Row], DataError | None, SvmlightStream]:
    """The rows delivered before the error, if there is one."""
    stream, batches = SvmlightStream(Text(data), **options), []
    try:
        for batch in stream.batches():
            batches.append(batch)
    except DataError as error:
        return rows_of(batches), error, stream
    return rows_of(batches), None, stream


def bits(rows: list[Row]) -> list[tuple[bytes, list[int], bytes]]:
    """Rows in a form whose equality tells 0 from -0."""
    return [
        (np.float64(label).tobytes(), columns, np.array(values, np.float64).tobytes())
        for label, columns, values in rows
    ]


def assert_like_reference(data: bytes, first_id: int, block: int) -> None:
    rows, bad = reference(data, first_id)
    got, error, stream = read(data, ids_from=first_id, block=block, on_error="skip")
    assert bits(got) == bits(rows)
    assert stream.skipped == len(bad)
    assert (error is None) == bool(rows)
    places = [int(message.split(":")[1]) for message in stream.first_errors]
    assert places == bad[:20]
    got, error, stream = read(data, ids_from=first_id, block=block)
    if bad:
        assert error is not None
        assert error.line == bad[0]
        before = data.removeprefix(b"\xef\xbb\xbf").split(b"\n")[: bad[0] - 1]
        assert bits(got) == bits(reference(b"\n".join(before), first_id)[0])
    else:
        assert bits(got) == bits(rows)


# ---- values

forms = st.sampled_from(
    [
        "%.5g",
        "%.8f",
        "%.9g",
        "%.15g",
        "%.16g",
        "%.17g",
        "%.20e",
        "%.25f",
        "%+.6f",
        "%.3e",
        "%.0f",
        "%.1f",
        "%r",
        "%.400f",
    ]
)
floats = st.floats(allow_nan=False, allow_infinity=False) | st.floats(-20, 20) | st.floats(-1e-307, 1e-307)
digit_runs = st.text("0123456789", max_size=30)
hand_made = st.builds(
    lambda sign, whole, point, part, exponent: sign + whole + point + part + exponent,
    st.sampled_from(["", "", "-", "+"]),
    st.sampled_from(["", "0", "00"]) | digit_runs,
    st.sampled_from(["", "."]),
    digit_runs,
    st.sampled_from(["", "", ""]) | st.integers(-345, 330).map("e{}".format) | st.integers(-30, 30).map("E{:+}".format),
)
value_texts = (st.builds(lambda form, value: form % value, forms, floats) | hand_made).filter(
    lambda text: DECIMAL.fullmatch(text.encode()) is not None and math.isfinite(float(text))
)


@given(st.lists(value_texts, min_size=1, max_size=40))
def test_values_are_those_of_strtod(texts: list[str]) -> None:
    """Every decimal number becomes the double that strtod gives, bit for bit, on every instruction set."""
    row = "1 " + " ".join(f"{k}:{text}" for k, text in enumerate(texts, 1)) + "\n"
    numbers = np.array([float(text) for text in texts])
    for _ in each_isa():
        ((_, _, values),), error, _ = read(row.encode())
        assert error is None
        assert np.array(values).tobytes() == numbers.tobytes()


ODD_NUMBERS = """
    0 -0 +1 1. .5 -.5 00.5 0. 0.0 -0.0 007 1e5 1E+5 1e-7 1e22 1e23 9007199254740993 0.9007199254740993
    5e-324 2e-324 2.4703282292062327e-324 2.4703282292062328e-324 1e-400 -1e-400 1e-99999999999999999999 0e99999999999
    1.7976931348623157e308 2.2250738585072011e-308 123456789012345678901234567890 0.000000000000000000000000000001
    0.1234567890123456789012345 12345678 123456789 1234567.8 12345678.9 0.12345678 0.123456789 99999999 0.99999999
    0.30000000000000004 8.5 12.5 123.456 1234.5678 1.2345678 1.23456789 -1.5 -12.75e1 1e0 1.e1 .1e1
""".split()  # noqa: SIM905 (so they can be read)


@pytest.mark.parametrize("count", [1, 3, 8, 11])
def test_odd_numbers(isa: str, count: int) -> None:
    """Subnormal, long, signed, bare-pointed and underflowing numbers are read right wherever they stand in a row."""
    for text in [*ODD_NUMBERS, "0." + "0" * 400 + "1e401", "1" + "0" * 400 + "e-400"]:
        for place in range(count):
            texts = ["0.25"] * count
            texts[place] = text
            row = "1 " + " ".join(f"{k}:{value}" for k, value in enumerate(texts, 1))
            ((_, _, values),), error, _ = read(row.encode())
            assert error is None
            assert np.array(values).tobytes() == np.array([float(value) for value in texts]).tobytes(), text


@given(st.lists(floats, min_size=1, max_size=20))
def test_float32_is_the_rounded_double(values: list[float]) -> None:
    """float32 values are the float64 values rounded once; those that would become infinite are refused."""
    row = "1 " + " ".join(f"{k}:{value!r}" for k, value in enumerate(values, 1))
    with np.errstate(over="ignore"):
        expected = np.array(values).astype(np.float32)
    rows, error, _ = read(row.encode(), dtype="float32")
    if np.isfinite(expected).all():
        assert np.array(rows[0][2], np.float32).tobytes() == expected.tobytes()
    else:
        assert "value too large" in str(error)
        assert "float32" in str(error)


# ---- what is accepted

ACCEPTED = [
    (b"1 1:0.5 3:2\n-1 2:1\n", [(1, [0, 2], [0.5, 2]), (-1, [1], [1])]),
    (b"1 1:0.5", [(1, [0], [0.5])]),
    (b"\xef\xbb\xbf1 1:0.5\n", [(1, [0], [0.5])]),
    (b"+1 1:1\r\n-1 1:1\r\n", [(1, [0], [1]), (-1, [0], [1])]),
    (b"# heading\n\n  \n\t\n2 1:1 # so, 5:6\n# end", [(2, [0], [1])]),
    (b"3.5 1:1#tail\n", [(3.5, [0], [1])]),
    (b"1.0\t1:1\t\t2:2 \n", [(1, [0, 1], [1, 2])]),
    (b"   1   1:1    2:2   \n", [(1, [0, 1], [1, 2])]),
    (b"2 qid:7 1:1\n1 qid:12 1:2", [(2, [0], [1]), (1, [0], [2])]),
    (b"1\n-1 \n1 1:1\n", [(1, [], []), (-1, [], []), (1, [0], [1])]),
    (b"1e1 001:1 134217728:-0\n", [(10, [0, 134217727], [1, -0.0])]),
    (b"1 \r\n2\r\n\r\n", [(1, [], []), (2, [], [])]),
]


@pytest.mark.parametrize(("text", "expected"), ACCEPTED)
@pytest.mark.parametrize("block", [16, 1 << 20])
def test_accepted(isa: str, text: bytes, expected: list[Row], block: int) -> None:
    """Comments, qid, carriage returns, tabs, blanks, blank lines, a byte order mark and empty rows are understood."""
    rows, error, _ = read(text, block=block)
    assert error is None
    assert bits(rows) == bits(expected)
    assert_like_reference(text, 1, block)


# ---- what is refused: text, line, column, found, a word of the advice

REFUSED = [
    (b"spam 1:1", 1, 1, "label not a number: 'spam'", "a number"),
    (b"1:0.5 2:1", 1, 1, "label missing: '1:0.5'", "label"),
    (b"1,2 1:1", 1, 1, "several labels: '1,2'", "keep one"),
    (b"nan 1:1", 1, 1, "label not finite: 'nan'", "finite"),
    (b"1e999 1:1", 1, 1, "label not finite: '1e999'", "finite"),
    (b"0x10 1:1", 1, 1, "label not a number: '0x10'", "a number"),
    (b"+-1 1:1", 1, 1, "label not a number: '+-1'", "a number"),
    (b"1 1:1\n1 2", 2, 3, "colon missing: '2'", "id:value"),
    (b"1 1:1\r\n\r\n1 2:1 3 4:1", 3, 7, "colon missing: '3'", "id:value"),
    (b"1 1 :1", 1, 3, "colon missing: '1'", "id:value"),
    (b"1 |f 13:3.9", 1, 3, "colon missing: '|f'", "Vowpal Wabbit text, which is read with --format vw"),
    (b"|f 13:3.9", 1, 1, "label not a number: '|f'", "Vowpal Wabbit"),
    (b"1 'row|f 13:3.9", 1, 3, 'colon missing: "\'row|f"', "Vowpal Wabbit"),
    (b"1 x:1", 1, 3, "id not an integer: 'x'", "whole"),
    (b"1 -1:1", 1, 3, "id not an integer: '-1'", "not negative"),
    (b"1 1.5:1", 1, 3, "id not an integer: '1.5'", "whole"),
    (b"1 :1", 1, 3, "id not an integer: ':1'", "whole"),
    (b"1 qid:a 1:1", 1, 3, "query not an integer: 'qid:a'", "qid"),
    (b"1 134217729:1", 1, 3, "id '134217729' is too large", "; --max-features N allows more"),
    (b"1 99999999999999999999999:1", 1, 3, "id '99999999999999999999999' is too large", "--max-features"),
    (b"1 2:1 2:1", 1, 7, "id repeated: '2'", "once"),
    (b"1 2:1 1:1", 1, 7, "id descending: '1'", "ascend"),
    (b"1 1:", 1, 3, "value missing: '1:'", "id:value"),
    (b"1 1: 2", 1, 3, "value missing: '1:'", "id:value"),
    (b"1 1:x", 1, 5, "value not a number: 'x'", "decimal"),
    (b"1 1:2:3", 1, 5, "value not a number: '2:3'", "decimal"),
    (b"1 1:0.1.2", 1, 5, "value not a number: '0.1.2'", "decimal"),
    (b"1 1:.", 1, 5, "value not a number: '.'", "decimal"),
    (b"1 1:-", 1, 5, "value not a number: '-'", "decimal"),
    (b"1 1:--1", 1, 5, "value not a number: '--1'", "decimal"),
    (b"1 1:1e", 1, 5, "value not a number: '1e'", "decimal"),
    (b"1 1:0x1p3", 1, 5, "value not a number: '0x1p3'", "decimal"),
    (b"1 1:NaN", 1, 5, "value not finite: 'NaN'", "finite"),
    (b"1 1:-inf", 1, 5, "value not finite: '-inf'", "finite"),
    (b"1 1:1e400", 1, 5, "value too large: '1e400'", "float64"),
    (b"1 1:-1e99999999999999999999", 1, 5, "value too large: '-1e99999999999999999999'", "float64"),
    (b"1 1:1\x00", 1, 5, "value not a number: '1\\x00'", "does not look like text"),
    (b"\x7fELF\x02\x01\x00\x00", 1, 1, "label not a number: '\\x7fELF\\x02\\x01\\x00\\x00'", "does not look like text"),
    (b"1 1:" + b"z" * 99, 1, 5, "value not a number: '" + "z" * 40 + "…'", "decimal"),
]


@pytest.mark.parametrize(("text", "line", "column", "message", "advice"), REFUSED)
@pytest.mark.parametrize("before", [0, 1, 40])
def test_refused(isa: str, before: int, text: bytes, line: int, column: int, message: str, advice: str) -> None:
    """A bad line is reported with its place and what stands there, after the good rows before it were delivered."""
    good = b"1 " + b" ".join(b"%d:0.5" % k for k in range(1, 12)) + b"\n"
    rows, error, _ = read(good * before + text + b"\n" + good, block=256)
    assert error is not None
    assert (error.line, error.column, error.fault) == (before + line, column, message)
    assert advice in error.advice
    assert len(rows) == before + line - 1 - text.count(b"\r\n\r\n")
    assert_like_reference(good * before + text + b"\n" + good, 1, 256)


@pytest.mark.parametrize(
    "bad", [b"%d:0.5.", b"%d:1e400", b"%d:", b"%d;1", b"1%d:-", b"%d:0.5:1", b"%d:1..5", b"%d:1.2.5"]
)
def test_bad_entries_are_seen_at_every_place(isa: str, bad: bytes) -> None:
    """The fast path for groups of entries accepts nothing that the careful path refuses."""
    for count in range(1, fewer(20, 12)):
        for place in range(count):
            entries = [b"%d:0.5" % k for k in range(1, count + 1)]
            entries[place] = bad % (place + 1)
            assert_like_reference(b"1 " + b" ".join(entries), 1, 1 << 20)


@pytest.mark.parametrize("text", [b"", b"\n\n", b"# nothing\n", b"\xef\xbb\xbf", b"\r\n"])
def test_a_file_without_rows_is_refused(text: bytes) -> None:
    """An empty file is an error that says so, for the stream and for the loader."""
    _, error, _ = read(text)
    assert error is not None
    assert error.fault == "no rows"
    with pytest.raises(DataError, match="no rows"):
        load_svmlight(Text(text))


# ---- bad lines passed over


def test_skip_counts_and_remembers(isa: str) -> None:
    """on_error="skip" delivers all good rows, counts every bad one and keeps the first twenty messages."""
    lines = [b"1 1:1" if k % 3 else b"1 oops" for k in range(300)]
    rows, error, stream = read(b"\n".join(lines), on_error="skip", block=128)
    assert error is None
    assert len(rows) == 200
    assert stream.skipped == 100
    assert len(stream.first_errors) == 20
    assert stream.first_errors[1].startswith("text:4:3: colon missing: 'oops'; ")
    list(stream.batches())
    assert stream.skipped == 100, "a second reading counts afresh"


def test_a_million_bad_lines_are_fast() -> None:
    """The cost of a bad line does not grow with the block it stands in."""
    lines = fewer(1_000_000, 100_000)
    text = Text(b"1 1:1\n" + b"1 2:1 1:1\n" * lines)
    stream, begin = SvmlightStream(text, on_error="skip"), time.process_time()
    assert sum(len(batch) for batch in stream.batches()) == 1
    assert stream.skipped == lines
    assert time.process_time() - begin < 5


# ---- the first id


def test_first_id_is_found() -> None:
    """Ids begin at 0 if the first block with entries has a 0, else at 1; the schema says so and fixes a later
    reading."""
    for text, first in [(b"1 1:1\n1 2:1\n", 1), (b"1 1:1\n1 0:1\n", 0), (b"1\n2\n", None)]:
        rows, error, stream = read(text)
        assert error is None
        assert stream.schema() == {"format": "svmlight", "ids_from": first}
        assert rows == reference(text, 1 if first is None else first)[0]
    rows, _, _ = read(b"1 1:1\n", schema={"format": "svmlight", "ids_from": 0})
    assert rows == [(1, [1], [1])]
    rows, _, _ = read(b"1 1:1\n", schema={"format": "svmlight", "ids_from": 0}, ids_from=1)
    assert rows == [(1, [0], [1])]


@pytest.mark.parametrize("on_error", ["raise", "skip"])
@pytest.mark.parametrize("first", [b"1 1:1", b"1 0:1", b"1 3:1", b"1 4:1", b"1 0:1 x", b"1", b"1 2147483647:1"])
def test_rows_are_those_of_the_first_id_that_is_found(first: bytes, on_error: str) -> None:
    """Rows, complaints and columns are the same whether the first id is found or said beforehand."""
    for second in (b"1 3:1", b"1 0:2 3:4", b"1 4:1", b"x", b"1 2:1 1:1"):
        text = b"\n".join((first, second, b"0 1:.5 2:.25\n"))
        rows, error, stream = read(text, max_features=3, on_error=on_error)
        found = stream.schema()["ids_from"]
        said = read(text, max_features=3, on_error=on_error, ids_from=1 if found is None else found)
        assert (rows, str(error)) == (said[0], str(said[1]))
        assert (stream.skipped, stream.first_errors) == (said[2].skipped, said[2].first_errors)


def test_rows_without_entries_decide_nothing() -> None:
    """Blocks without entries leave the question of the first id to a later block."""
    rows, error, _ = read(b"1\n" * 100 + b"1 0:1\n", block=16)
    assert error is None
    assert rows[-1] == (1, [0], [1])


def test_zero_after_one_was_decided() -> None:
    """An id 0 that comes too late names the switch that would have helped."""
    rows, error, _ = read(b"1 1:1\n" * 100 + b"1 0:1\n", block=64)
    assert len(rows) == 100
    assert error is not None
    assert (error.line, error.column) == (101, 3)
    assert "--ids-from 0" in error.advice


def test_max_features() -> None:
    """So many columns are allowed as were given, counted from the first id."""
    assert read(b"1 5:1", max_features=5)[1] is None
    assert read(b"1 0:1 4:1", max_features=5)[1] is None
    error = read(b"1 0:1 5:1", max_features=5)[1]
    assert error is not None
    assert "at most 5 columns" in error.advice
    for nonsense in [{"max_features": 0}, {"max_features": 2**31}, {"ids_from": 2}, {"dtype": "int64"}]:
        with pytest.raises(RegretlessError):
            SvmlightStream(Text(b""), **nonsense)


# ---- blocks


@pytest.mark.parametrize("block", [16, 17, 63, 64, 65, 1000, 1 << 20])
def test_blocks_do_not_show(isa: str, block: int) -> None:
    """The rows are the same whatever the size of a block; a line longer than a block makes it grow."""
    random = np.random.default_rng(block)
    lines = []
    for _ in range(120):
        ids = np.flatnonzero(random.random(60) < random.random()) + 1
        lines.append(b"1 " + b" ".join(b"%d:%.4f" % (k, random.normal()) for k in ids))
    text = b"\n".join(lines)
    rows, error, stream = read(text, block=block)
    assert error is None
    assert bits(rows) == bits(reference(text, 1)[0])
    batches = list(stream.batches())
    assert [batch.columns for batch in batches] == sorted(batch.columns for batch in batches)
    for skip in [0, 1, 7, 119]:
        assert bits(rows_of(list(stream.batches(skip)))) == bits(rows[skip:])


def test_very_long_lines(isa: str) -> None:
    """Lines beyond what the marks can hold are read all the same."""
    entries = b" ".join(b"%d:0.5" % k for k in range(1, 200_001))
    assert len(entries) > 1 << 20
    rows, error, _ = read(b"1 1:1\n-1 " + entries + b"\n1 3:3\n")
    assert error is None
    assert [len(columns) for _, columns, _ in rows] == [1, 200_000, 1]
    assert set(rows[1][2]) == {0.5}
    assert rows[2] == (1, [2], [3])


def test_batches_may_be_stored() -> None:
    """A batch that somebody holds is not written over; one that is let go makes room for the next."""
    text = b"".join(b"%d 1:%d\n" % (k, k) for k in range(1000))
    values = list(SvmlightStream(Text(text), block=64).batches())
    assert [row[0] for row in rows_of(values)] == list(range(1000))
    places = set()
    for batch in SvmlightStream(Text(text), block=64).batches():
        places.add(batch.values.ctypes.data)
    assert len(places) <= 4


def test_a_reader_may_give_few_bytes_at_a_time() -> None:
    """Pipes and decompressors that return less than was asked for change nothing."""

    class Slow(BytesIO):
        def readinto(self, buffer: Any) -> int:
            return super().readinto(memoryview(buffer)[:3])

    class SlowText(Text):
        def open(self) -> Any:
            return Slow(self.data)

    text = b"1 1:0.5 2:1\n-1 2:0.25\n" * 50
    stream = SvmlightStream(SlowText(text), block=64)
    assert rows_of(list(stream.batches())) == reference(text, 1)[0]


# ---- loading


def test_load(tmp_path: Path, isa: str) -> None:
    """The loader gives the rows of the stream as one canonical matrix, from plain and from compressed files."""
    text = b"1 1:0.5 3:2\n-1 2:1\n3\n" * 50_000
    (tmp_path / "a.svm").write_bytes(text)
    (tmp_path / "a.svm.gz").write_bytes(gzip.compress(text, 1))
    for name in ["a.svm", "a.svm.gz"]:
        matrix, labels = load_svmlight(tmp_path / name)
        assert matrix.shape == (150_000, 3)
        assert matrix.indices.dtype == matrix.indptr.dtype == np.int32
        assert matrix[:3].toarray().tolist() == [[0.5, 0, 2], [0, 1, 0], [0, 0, 0]]
        assert matrix.sum() == 50_000 * 3.5
        assert labels.tolist() == [1, -1, 3] * 50_000
    matrix, _ = load_svmlight(tmp_path / "a.svm", dtype="float32", n_features=10, ids_from=0)
    assert matrix.dtype == np.float32
    assert matrix.shape == (150_000, 10)
    with pytest.raises(DataError, match=r"a\.svm:1:9: id '3' is too large"):
        load_svmlight(tmp_path / "a.svm", n_features=2)


def test_load_when_later_rows_are_longer() -> None:
    """Room that was measured by the first rows grows when later rows need more, or less."""
    short, long = b"1\n" * 800_000, (b"1 " + b" ".join(b"%d:1" % k for k in range(1, 300)) + b"\n") * 2_000
    for text, entries in [(short + long, 2_000 * 299), (long + short, 2_000 * 299)]:
        matrix, labels = load_svmlight(Text(text))
        assert (len(labels), matrix.nnz) == (802_000, entries)
        assert matrix.sum() == entries


def test_like_scikit_learn() -> None:
    """Real files give what scikit-learn's reader gives."""
    datasets = pytest.importorskip("sklearn.datasets")
    folder = Path(os.environ.get("REGRETLESS_DATA", Path(__file__).parents[3] / "shared" / "data")) / "sparse"
    names = [
        "a9a_test.svm.xz",
        "agaricus_test.svm.xz",
        "german_numer_scale.svm.xz",
        "heart_scale.svm.xz",
        "svmguide1.svm.xz",
    ]
    if not folder.is_dir():
        pytest.skip("no real data here")
    import lzma

    for name in names:
        matrix, labels = load_svmlight(folder / name)
        expected, wanted_labels = datasets.load_svmlight_file(BytesIO(lzma.decompress((folder / name).read_bytes())))
        assert (matrix != expected[:, : matrix.shape[1]]).nnz == 0
        assert matrix.nnz == expected.nnz
        assert labels.tolist() == wanted_labels.tolist()


# ---- fuzzing

entry_lists = st.lists(st.tuples(st.integers(1, 60), value_texts), max_size=24, unique_by=lambda entry: entry[0])
good_lines = st.builds(
    lambda label, entries, end: label + "".join(f" {k}:{value}" for k, value in sorted(entries)) + end,
    st.sampled_from(["1", "-1", "+1", "2.5"]),
    entry_lists,
    st.sampled_from(["\n", "\n", "\r\n", " \n", " # x\n"]),
)
alphabet = st.sampled_from([bytes([c]) for c in b"0123456789.:+-eE# \t\r\n,qidnaf\x00\xff\x0b"])
pieces = st.lists(alphabet | st.sampled_from([b" 1:", b"\n1 ", b"qid:", b"1e400", b"nan", b"0."]), max_size=60).map(
    b"".join
)


@st.composite
def mutated(draw: st.DrawFn) -> bytes:
    text = bytearray("".join(draw(st.lists(good_lines, min_size=1, max_size=6))).encode())
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(text)))
        cut = draw(st.sampled_from([0, 0, 1, 3]))
        text[at : at + cut] = draw(alphabet | st.just(b""))
    return bytes(text)


@given(pieces | mutated() | st.binary(max_size=200), st.sampled_from([0, 1]), st.sampled_from([16, 64, 1 << 20]))
def test_any_bytes_are_read_as_the_reference_reads_them(data: bytes, first_id: int, block: int) -> None:
    """Whatever the bytes: the same rows and the same bad lines as the plain Python reader, on every instruction set."""
    for _ in each_isa():
        assert_like_reference(data, first_id, block)
