"""The compiled reader of delimited text beside pyarrow's."""

from __future__ import annotations

import io
import re
from collections import Counter
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from regretless import _core
from regretless.data import delimited
from regretless.data.csv import _values_of
from regretless.data.delimited import FALSE, NULLS, TRUE, Blocks, infer_columns, parse, plain_columns, plain_reader
from regretless.data.delimited_text import Block, row_ends
from regretless.data.table_chunk import ArrowColumns, Columns, TextColumns

NAMES = ["a", "b", "c"]
KINDS = ["number", "boolean", "text", "words", "empty", None]
TYPES = {
    "number": pa.float64(),
    "boolean": pa.bool_(),
    "text": pa.dictionary(pa.int32(), pa.string()),
    "words": pa.string(),
    "empty": pa.null(),
}
CELLS = {
    "number": st.one_of(
        st.sampled_from(
            [*NULLS, "+1", " 1", "1\t", ".5", "5.", "-0", "1e-400", '"2.5"', "nan", "1e400", "0.1e", "1,5"]
        ),
        st.floats(allow_nan=False, allow_infinity=False).map(repr),
        st.integers(-(10**18), 10**18).map(str),
        st.decimals(-1000, 1000, places=4).map(str),
    ),
    "boolean": st.sampled_from([*TRUE, *FALSE, *NULLS, " true", '"1"', "yes"]),
    "text": st.text('aé"\n\r ,NA', max_size=9) | st.sampled_from([*NULLS, '"a""b"', '"a,b"', '"a\r\nb"', "ab" * 9]),
    "empty": st.sampled_from(NULLS),
}
CELLS["words"] = CELLS["text"]
GOOD = {
    "number": st.floats(allow_nan=False, allow_infinity=False).map(repr) | st.sampled_from(NULLS),
    "boolean": st.sampled_from([*TRUE, *FALSE, *NULLS]),
    "text": st.text("aé ;NA", max_size=9) | st.sampled_from(['"a""b"', '"a,b"', '"a\r\nb"']),
    "empty": st.sampled_from(NULLS),
}
GOOD["words"] = GOOD["text"]


@pytest.fixture(params=_core.isas(), autouse=True)
def isa(request: pytest.FixtureRequest) -> Iterator[None]:
    before = _core.isa()
    _core.use_isa(request.param)
    yield
    _core.use_isa(before)


def block_of(rows: list[list[str]], end: str = "\n") -> Block:
    return Block("".join(",".join(row) + end for row in rows).encode(), 1, b",")


def by_arrow(block: Block, kinds: dict[str, str]) -> ArrowColumns | None:
    """What pyarrow makes of the same text; None where it refuses it."""
    try:
        return ArrowColumns(parse(block, block.text, NAMES, {name: TYPES[kind] for name, kind in kinds.items()}))
    except pa.ArrowInvalid:
        return None


def contents(columns: Columns, kinds: dict[str, str]) -> list[Any]:
    """All that the columns say, numbers to the last bit, and text by its values in the order of the rows."""
    result: list[Any] = [columns.rows]
    for name, kind in kinds.items():
        result.append(columns.missing(name).tolist())
        if kind in ("number", "boolean"):
            numbers = np.array(columns.floats(name))
            numbers[np.isnan(numbers)] = np.nan
            result.append(numbers.tobytes())
        elif kind == "text":
            codes, values = columns.codes(name)
            result.append([None if code < 0 else values[code] for code in codes.tolist()])
        elif kind == "words":
            cells = columns.cells(name)
            spans = pairwise(cells.offsets.tolist())
            result.append([cells.text[begin:end].tobytes() for begin, end in spans])
    return result


@st.composite
def tables(draw: st.DrawFn, cells: dict[str, st.SearchStrategy[str]]) -> tuple[Block, dict[str, str]]:
    chosen = [draw(st.sampled_from(KINDS)) for _ in NAMES]
    row = st.tuples(*(cells[kind or "text"] for kind in chosen)).map(list)
    block = block_of(draw(st.lists(row, min_size=1, max_size=30)), draw(st.sampled_from(["\n", "\r\n"])))
    return block, {name: kind for name, kind in zip(NAMES, chosen, strict=True) if kind is not None}


@given(tables(CELLS))
@example((block_of([["1", "2", "3"], [], ["4", "5", "6"]]), dict.fromkeys(NAMES, "number")))
@example((Block(b"1,2,3\n4,5,6", 1, b","), dict.fromkeys(NAMES, "number")))
@example((Block(b'1,2,"3"\r4,5,6\n', 1, b","), dict.fromkeys(NAMES, "number")))
def test_what_is_read_is_what_pyarrow_reads(table: tuple[Block, dict[str, str]]) -> None:
    """Whatever stands in the cells, the compiled reader makes the same of it as pyarrow, or leaves it to it."""
    block, kinds = table
    plain, other = plain_columns(block, NAMES, kinds, ["b"]), by_arrow(block, kinds)
    if plain is not None and kinds:
        assert other is not None
        assert contents(plain, kinds) == contents(other, kinds)


@given(st.integers(0, 10**9))
@example(0)
def test_numbers_with_many_digits_are_rounded_correctly(seed: int) -> None:
    """A number of up to 24 digits, also one halfway between two doubles or next to that, is the nearest double."""
    random = np.random.default_rng(seed)
    words = []
    for _ in range(40):
        digits = "".join(map(str, random.integers(0, 10, random.integers(2, 25)).tolist()))
        place = int(random.integers(1, min(len(digits), 8)))
        words.append(f"{random.choice(['', '-'])}{digits[:place]}.{digits[place:]}")
        low = np.float64(random.integers(1 << 52, 1 << 53) * 2.0 ** -int(random.integers(46, 54)))
        halfway = (Fraction(float(low)) + Fraction(float(np.nextafter(low, 99)))) / 2
        words += [f"{Decimal(halfway.numerator) / halfway.denominator:f}", f"{low:.20f}", repr(float(low) / 7)]
    columns = plain_columns(block_of([[word] for word in words]), ["a"], {"a": "number"}, [])
    assert columns is not None
    assert columns.floats("a").tobytes() == np.array(list(map(float, words))).tobytes()


@given(tables(GOOD))
def test_usual_tables_are_read_by_the_compiled_reader(table: tuple[Block, dict[str, str]]) -> None:
    """A table of numbers, booleans and words, with gaps and sound quotes, is not left to pyarrow."""
    assert plain_columns(*table[:1], NAMES, table[1], []) is not None


def test_words_that_are_no_utf8_are_left_to_pyarrow() -> None:
    """A column of words with bytes of no character, also where two cells together would have one, is not read."""
    for text in (b"1,\xe9\n", b"1,\xc3\n2,\xa9\n"):
        assert plain_columns(Block(text, 1, b","), ["a", "b"], {"a": "number", "b": "words"}, []) is None
    assert plain_columns(Block("1,\xe9\n".encode(), 1, b","), ["a", "b"], {"b": "words"}, []) is not None


def test_numbers_stand_in_one_matrix_but_for_those_apart() -> None:
    """The matrix has the columns of numbers in the order that is asked for, and the ones apart are vectors."""
    columns = plain_columns(
        block_of([["1", "2", "3"], ["4", "5", "NA"]]), NAMES, {"c": "number", "a": "number", "b": "number"}, ["b"]
    )
    assert isinstance(columns, TextColumns)
    np.testing.assert_array_equal(columns.matrix(["c", "a"], np.dtype(float)), [[3, 1], [np.nan, 4]])
    assert columns.floats("b").tolist() == [2, 5]
    assert columns.missing("c").tolist() == [1]


def test_values_whose_hashes_are_alike_are_left_to_pyarrow() -> None:
    """Words made to meet in the table of values make the reader give up, and not compare all with all."""
    odd, numbers = np.uint64(0x9E3779B97F4A7C15), np.arange(10_000_000, 10_450_000)
    words = np.array(numbers.astype("S8").view("<u8"))
    with np.errstate(over="ignore"):
        first, last = (words ^ np.uint64(8)) * odd, words * odd
        state = first ^ (last << np.uint64(32) | last >> np.uint64(32))
        state = (state ^ state >> np.uint64(32)) * odd >> np.uint64(32)
    alike = numbers[state % 1024 == 0][:400].astype(str).tolist()
    assert len(alike) == 400
    assert plain_columns(block_of([[word] for word in alike]), ["a"], {"a": "text"}, []) is None
    assert plain_columns(block_of([[word] for word in alike[:200]]), ["a"], {"a": "text"}, []) is not None


def test_values_that_differ_in_the_middle_are_distinguished() -> None:
    """Values of 17 to 40 letters that begin and end alike are each one value, with its code in all of its rows."""
    words = []
    for middle in range(1, 25):
        digits = map(str, range(min(10**middle, 200)))
        inner = (text.rjust(middle, "0") if int(text) % 2 else text.ljust(middle, "x") for text in digits)
        words += [f"startsas{each}theendof" for each in inner]
    columns = plain_columns(block_of([[word] for word in words * 2]), ["a"], {"a": "text"}, [])
    assert columns is not None
    codes, values = columns.codes("a")
    assert values == words
    assert codes.tolist() == [*range(len(words))] * 2


@given(st.text('ab",\n\r', max_size=200))
def test_the_last_row_ends_where_the_plain_search_finds_it(text: str) -> None:
    """Where quotes stand around whole cells, the last row that ends is that of the search by numpy."""
    cut = _core.cut_delimited(text.encode(), ",")
    if cut >= 0:
        ends = row_ends(text.encode(), b",", final=False)
        assert cut == (ends[-1] if len(ends) else 0)
    elif '"' not in text:
        assert "\r" in text.replace("\r\n", "")


SAME = st.sampled_from(
    ["1", "0", "-2", "2.5", "true", "2024-05-06", "2024-05-06 10:00", "10:30", "x", "", "NA", '"a,b"']
)


@given(st.lists(st.lists(SAME, min_size=1, max_size=4), min_size=3, max_size=3), st.integers(1, 9))
@example([["1", "2.5"], ["true", "1"], ["2024-05-06", "x"]], 2)
@example([["1", "true"], ["2024-05-06", "2024-05-06 10:00"], ["", "x"]], 3)
def test_columns_hold_what_pyarrow_infers(columns: list[list[str]], repeated: int) -> None:
    """What is inferred of columns from their first rows and the compiled reader is what pyarrow infers of all."""
    rows = [[cells[k * k // repeated % len(cells)] for cells in columns] for k in range(40)]
    block, unknown = block_of(rows), dict.fromkeys(NAMES)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(delimited, "FIRST", len(block.text) // 2)
        inferred = infer_columns(block, NAMES, unknown, [], plain_reader())
    if inferred is None:
        return
    whole = parse(block, block.text, NAMES, unknown)
    for name in NAMES:
        mine, other = inferred.table[name], whole[name]
        kinds = [delimited._kind_of(column.type) for column in (mine, other)]
        assert kinds[0] == kinds[1]
        assert pa.types.is_temporal(mine.type) == pa.types.is_temporal(other.type)
        if pa.types.is_dictionary(mine.type):
            values, counts = _values_of(mine)
            assert dict(zip(values.to_pylist(), counts.tolist(), strict=True)) == Counter(other.drop_null().to_pylist())
    assert contents(inferred.columns, inferred.kinds) == contents(by_arrow(block, inferred.kinds), inferred.kinds)


def test_usual_columns_are_inferred_by_the_compiled_reader() -> None:
    """Numbers, booleans, words and days are inferred without pyarrow's reading all rows."""
    block = block_of([[str(k), "true", f"2024-05-{k % 28 + 1:02}"] for k in range(2000)])
    inferred = infer_columns(block, NAMES, dict.fromkeys(NAMES), [], plain_reader())
    assert inferred is not None
    assert inferred.kinds == {"a": "number", "b": "boolean", "c": "text"}
    assert pa.types.is_temporal(inferred.table["c"].type)


@given(st.lists(st.lists(st.sampled_from(["ab", "cd", "\xe9", "x" * 20, "NA", '"a""b"']) | st.text("ab", max_size=3))))
def test_values_are_those_of_the_block_whatever_was_read_before(blocks: list[list[str]]) -> None:
    """A reader that has read other blocks gives the values of a block, in its order, as one that has read none does."""
    reader, kinds = plain_reader(), {"a": "text"}
    for cells in blocks:
        block = block_of([[cell or "NA"] for cell in [*cells, *cells, "z"]])
        bad = Block(b"\xff\n" * 9, 1, b",")
        assert plain_columns(bad, ["a"], kinds, [], reader) is None
        mine, other = (plain_columns(block, ["a"], kinds, [], one) for one in (reader, plain_reader()))
        assert mine is not None
        assert other is not None
        assert mine.codes("a")[0].tolist() == other.codes("a")[0].tolist()
        assert mine.codes("a")[1] == other.codes("a")[1]


@given(st.text('1,-"\na', max_size=200))
def test_a_decimal_comma_in_quotes_is_a_delimiter_in_quotes(text: str) -> None:
    """Where no delimiter is quoted and no quote out of place, no cell in quotes has a decimal comma."""
    quoted = re.search(r'"[-+]?[0-9]*,([0-9]+)"', text)
    assert _core.quotes_delimiter(text.encode(), ",") or not quoted


@given(st.text('1,"\na\r', min_size=1, max_size=60), st.integers(0, 30))
def test_the_first_row_and_the_last_are_those_of_all_rows(text: str, size: int) -> None:
    """However little is looked at for it first, the first row is the same; the last one is the last of the list."""
    headers = []
    for some in (size, 1 << 14):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(delimited, "FIRST", some)
            blocks = Blocks(io.BytesIO(text.encode()), "", b",")
            headers.append(blocks._first_row() if blocks._more(99) is None else None)
    assert headers[0] == headers[1]
    block = Block(text.encode(), 1, b",")
    if rows := block.rows():
        assert block.last_row() == rows[-1]
