"""Comma-separated files: what is read, and what is said of what cannot be."""

from __future__ import annotations

import csv
import gzip
import io
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regretless.data import csv as csv_module
from regretless.data import delimited as blocks_module
from regretless.data import open_stream
from regretless.data.batch import Batch
from regretless.data.delimited_text import Block
from regretless.data.stream import Stream
from regretless.errors import DataError, RegretlessError


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks of a few rows."""
    monkeypatch.setattr(csv_module, "SMALLEST", 40)
    monkeypatch.setattr(csv_module, "BYTES_PER_COLUMN", 1)
    monkeypatch.setattr(blocks_module, "SMALLEST", 40)


class Table:
    """Writes a file and opens it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __call__(self, text: str | bytes, name: str = "t.csv", **options: Any) -> Stream:
        path = self.folder / name
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return open_stream(path, **options)


@pytest.fixture
def table(tmp_path: Path) -> Table:
    return Table(tmp_path)


def whole(stream: Stream) -> tuple[np.ndarray, list[Any] | None]:
    """All rows as one dense array, and the labels."""
    batches = list(stream.batches())
    columns = batches[-1].columns
    labels = None if batches[0].labels is None else [x for b in batches for x in np.asarray(b.labels).tolist()]
    return np.concatenate([dense(batch, columns) for batch in batches]), labels


def dense(batch: Batch, columns: int) -> np.ndarray:
    if not batch.sparse:
        return batch.values
    assert batch.starts is not None
    assert batch.indices is not None
    rows = np.repeat(np.arange(len(batch)), np.diff(batch.starts))
    assert all((np.diff(batch.indices[a:b]) > 0).all() for a, b in zip(batch.starts, batch.starts[1:], strict=False))
    sums = np.zeros((len(batch), columns), batch.values.dtype)
    sums[rows, batch.indices] = batch.values
    return sums


def fails(stream: Stream) -> str:
    """What the stream says when it is read; the path is left out."""
    with pytest.raises(DataError) as caught:
        list(stream.batches())
    return str(caught.value).removeprefix(stream.name)


def test_numbers_are_read_as_they_are(table: Table) -> None:
    """A table of numbers gives dense rows without the target, in the order of the file."""
    stream = table("a,label,b\n1,0,-2.5\n 3e2 ,1,.5\n+4,1,5.\n")
    (batch,) = stream.batches()
    assert batch.values.tolist() == [[1, -2.5], [300, 0.5], [4, 5]]
    assert batch.values.dtype == np.float64
    assert batch.values.flags.c_contiguous
    assert batch.labels is not None
    assert batch.labels.tolist() == [0, 1, 1]
    assert (batch.columns, batch.sparse) == (2, False)
    assert stream.feature_names() == ["a", "b"]


def test_values_are_correctly_rounded(table: Table) -> None:
    """Every decimal is read as the nearest float64, as Python reads it."""
    cells = ["0.1", "123456789012345678", "2.2250738585072011e-308", "5e-324", "1.7976931348623157e308", "0.3e-1"]
    values, _ = whole(table("a,y\n" + "".join(f"{cell},1\n" for cell in cells)))
    assert values[:, 0].tolist() == [float(cell) for cell in cells]


def test_categories_become_columns_as_they_appear(table: Table, small: None) -> None:
    """Numbers come first; then each value has a column, in the order of first appearance, row by row."""
    text = "city,age,day,label\nRome,1,mo,a\nOslo,2,tu,b\nRome,0,mo,a\n" + "Bern,3,we,b\n" * 9 + "Oslo,5,th,a\n"
    stream = table(text)
    values, labels = whole(stream)
    names = ["age", "city=Rome", "day=mo", "city=Oslo", "day=tu", "city=Bern", "day=we", "day=th"]
    assert stream.feature_names() == names
    assert values[0].tolist() == [1, 1, 1, 0, 0, 0, 0, 0]
    assert values[2].tolist() == [0, 1, 1, 0, 0, 0, 0, 0]
    assert values[-1].tolist() == [5, 0, 0, 1, 0, 0, 0, 1]
    assert labels == ["a", "b", "a", *"bbbbbbbbb", "a"]
    known = [batch.columns for batch in table(text).batches()]
    assert known == sorted(known)
    assert known[0] < known[-1]


def test_booleans_are_ones_and_zeros(table: Table) -> None:
    """true and false in any of their spellings make a numeric column, and numeric labels."""
    values, labels = whole(table("a,y\ntrue,False\nFALSE,True\n"))
    assert values.tolist() == [[1], [0]]
    assert labels == [0, 1]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_line_ends_and_byte_order_mark_do_not_matter(end: str, mark: bytes, table: Table) -> None:
    """CRLF, CR and a byte order mark give the rows that LF gives; so does a last line without an end."""
    text = end.join(["a,b,label", "1,x y,no", "", '2,"x, ""y""",yes'])
    stream = table(mark + text.encode())
    values, labels = whole(stream)
    assert values.tolist() == [[1, 1, 0], [2, 0, 1]]
    assert labels == ["no", "yes"]
    assert stream.feature_names() == ["a", "b=x y", 'b=x, "y"']


def test_compressed_and_tab_separated_files(table: Table) -> None:
    """A compressed file reads like a plain one, and .tsv is cut at tabs."""
    assert whole(table(gzip.compress(b"a,y\n1,2\n"), "t.csv.gz"))[0].tolist() == [[1]]
    assert whole(table("a b\ty\n1\t2\n", "t.tsv"))[0].tolist() == [[1]]


def test_dtype_is_that_of_the_values(table: Table) -> None:
    """float32 is asked for and given, and a number too large for it is an error like any infinity."""
    batches = table("a,y\n0.1,1\n1e39,1\n", dtype="float32").batches()
    first = next(batches)
    assert first.values.dtype == np.float32
    assert first.values.tolist() == [[np.float32(0.1)]]
    with pytest.raises(DataError, match=r"t.csv:3:1: column 'a' holds inf; only finite"):
        next(batches)


@pytest.mark.parametrize("header", ["Label", "TARGET", "y", "class", "Outcome", "response"])
def test_the_target_is_found_by_its_name(header: str, table: Table) -> None:
    """The only column called label, target, class, outcome, response or y is the target, in any case of letters."""
    assert whole(table(f"a,{header},b\n1,2,3\n"))[1] == [2]


def test_y_beside_a_label_is_a_coordinate(table: Table) -> None:
    """A column called y is the target only if no other has one of the names."""
    assert whole(table("x,y,label\n1,2,3\n"))[1] == [3]


def test_a_target_that_cannot_be_guessed_has_to_be_named(table: Table) -> None:
    """Without a name or with several, the error lists the columns; --target settles it."""
    assert "or y; choose the target with --target among 'a', 'b', as in --target b" in fails(table("a,b\n1,2\n"))
    assert "any of the columns 'target', 'label' may be the target" in fails(table("target,label\n1,2\n"))
    assert whole(table("target,label\n1,2\n", target="target"))[1] == [1]
    assert "there is no column 'z'" in fails(table("y,label\n1,2\n", target="z"))


def test_the_columns_to_choose_from_are_listed_with_what_they_hold(table: Table) -> None:
    """Numbers by their range, words by the first of them; the guess is the last column of few different values."""
    rows = "".join(f"{k},{'up' if k % 2 else 'down'},person {k},\n" for k in range(30))
    with pytest.raises(DataError, match="as in --target 'went it'") as caught:
        list(table("size,went it,who,none\n" + rows).batches())
    assert caught.value.more == (
        "   1  size     numbers from 0 to 29, 30 different",
        "   2  went it  'down', 'up'",
        "   3  who      'person 0', 'person 1', 'person 2', 'person 3' and 26 others",
        "   4  none     nothing",
    )


@pytest.mark.parametrize(
    "text",
    [
        "a;b;y\n1,5;-2;x\n-0,25;1e3;y\n",
        "a;b;y\n1.5;-2;x\n-0.25;1e3;y\n",
        'a,b,y\n"1,5",-2,x\n"-0,25",1e3,y\n',
        'a;b;y\n"1,5";-2;x\n"-0,25";1e3;"y"\n',
    ],
)
def test_semicolons_and_decimal_commas_are_read(text: str, table: Table) -> None:
    """Files as spreadsheets of many countries write them hold the numbers that they show."""
    rows, labels = whole(table(text))
    assert rows.tolist() == [[1.5, -2], [-0.25, 1000]]
    assert labels == ["x", "y"]


def test_a_slip_among_decimal_commas_has_its_place(table: Table) -> None:
    """A cell that is no number is named by its line and column, where semicolons separate cells too."""
    rows = "1,5;2;x\n" * 20
    message = fails(table(f"a;b;y\n{rows}1,z;2;x\n"))
    assert message.startswith(":22:1: column 'a' holds '1,z'; a number is expected")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", ": the file is empty; a line of column names is expected"),
        ("\ufeff\n\n", ": the file is empty; a line of column names is expected"),
        ("a,y\n", ": no rows;"),
        ("a,y\n\n\r\n", ": no rows;"),
        ("a,b,a,y\n1,2,3,4\n", ": several columns are called 'a'"),
        (",a,y\n0,1,2\n", ": column 1 has no name"),
        ("y\n1\n", ": there are no features"),
        ("a;b;y\n1,5;2;1\n3.5;2;2\n", ":2:1: column 'a' holds '1,5'; a number is expected"),
        ('a,y\n"1,500",1\n"2,250",2\n', ":2:1: column 'a' holds '1,500'; a number is expected"),
        ("a,y\n2024-01-31,1\n2024-02-01,1\n", ": column 'a' holds dates or times; leave it out with --ignore a"),
        ("a,y\n12:30,1\n", ": column 'a' holds dates or times"),
        ("a,y\n31.01.2024,1\n1.2.2024,1\n", ": column 'a' holds dates or times"),
        ("a,y\n01/31/2024 12:30,1\n", ": column 'a' holds dates or times"),
        (
            "a,b,y\n1,2,1\n1,NA,1\n",
            ":3:3: column 'b' has no value; pass --missing zero to take it for 0, or --ignore b to",
        ),
        ("a,b,y\n1,2,1\n1,2,\n", ":3:5: the label is missing"),
        ("a,b,y\n1,2,1\n\n1,nan,1\n", ":4:3: column 'b' holds nan; only finite numbers can be used"),
        ("a,b,y\n1,2,1\n1,-inf,1\n", ":3:3: column 'b' holds -inf"),
        ("a,b,y\n1,2,1\n1,1e999,1\n", ":3:3: column 'b' holds inf"),
        ("a,b,y\n1,2,1\n1,2,inf\n", ":3:5: column 'y' holds inf"),
        ("a,b,y\n1,2,1\n1,2\n", ":3:1: 2 cells; 3 are expected, as in the first line"),
        ("a,b,y\n1,2,1\n1,2,3,4\n", ":3:1: 4 cells; 3 are expected"),
        ("a,b,y\n1,2,1\n   \n", ":3:1: 1 cell; 3 are expected"),
        ('a,b,y\n1,2,1\n1,"2,3\n', ":3:3: a quote is never closed"),
        ("a,y\nx,1\n\udce9,2\n", ":3:1: column 'a' holds '\\xe9'; UTF-8 text is expected"),
        ("a,y\n1,2\n\udce9\n", ":3:1: 1 cell; 2 are expected"),
        ("a,y\nx,1\n\udce9,2,3\n\udce9,1\n", ":3:1: 3 cells; 2 are expected"),
        ("a,y\nx,1\n\udce9,2\n\udce9\n", ":3:1: column 'a' holds '\\xe9'; UTF-8 text is expected"),
        ("a\udce9,y\n1,2\n", ": the column names are not UTF-8 text"),
        ("PK\x03\x04\x00,y\n", ": this is not text; name the format with --format"),
    ],
)
def test_what_is_wrong_is_reported_with_its_place(text: str, message: str, table: Table) -> None:
    """Each kind of bad file has an answer that names the line and column, what stands there and what to do."""
    assert fails(table(text.encode(errors="surrogateescape"))).startswith(message)


def test_a_slip_among_numbers_is_an_error(table: Table) -> None:
    """A cell that is no number in a column of numbers is found even in the first block."""
    text = "a,y\n" + "1,0\n" * 20 + "0x1f,0\n"
    assert fails(table(text)).startswith(
        ":22:1: column 'a' holds '0x1f'; a number is expected; pass --categorical a if its values are names"
    )
    stream = table(text, categorical=["a"])
    assert whole(stream)[0].tolist() == [[1, 0]] * 20 + [[0, 1]]
    assert stream.feature_names() == ["a=1", "a=0x1f"]


def test_mixed_words_and_numbers_are_categories(table: Table) -> None:
    """A column of a few different numbers, and of one word in five cells, is a column of words."""
    stream = table("doors,y\n2,0\n4,0\n2,0\n4,0\n5more,0\n")
    assert whole(stream)[0].shape == (5, 3)
    assert stream.feature_names() == ["doors=2", "doors=4", "doors=5more"]


@pytest.mark.parametrize("cell", ["12..5", "-", "none", "1,5"])
def test_a_bad_cell_among_quantities_makes_no_categories(cell: str, table: Table) -> None:
    """One cell in five that is no number, among numbers that differ, is named with its place and what can be done."""
    message = fails(table(f'a,y\n1.5,0\n2.5,0\n3,0\n"{cell}",0\n4,1\n'))
    assert message.startswith(
        f":5:1: column 'a' holds '{cell}'; a number is expected; pass --categorical a if its values are names "
        "(4 of 5 cells here are numbers), or --ignore a to leave the column out, or --missing zero, with nothing in "
    )


@pytest.mark.parametrize("row", [5, 3000])
def test_a_dash_among_many_numbers_is_an_error_wherever_it_stands(row: int, table: Table) -> None:
    """A dash in a long column of numbers, among the first 16 KB or far behind them, is named with its line."""
    cells = [f"{number}.5" for number in range(4000)]
    cells[row] = cells[row + 2] = "-"
    text = "a,y\n" + "".join(f"{cell},0\n" for cell in cells)
    assert text.index("-") < blocks_module.FIRST or row > 5
    assert fails(table(text)).startswith(f":{row + 2}:1: column 'a' holds '-'; a number is expected")


def test_long_values_are_not_remembered_without_end() -> None:
    """A word is the same object in the next block of a file, unless words of more than 2**25 letters came between."""
    reader = blocks_module.plain_reader()

    def values(*cells: str) -> list[str]:
        text = "".join(f"{cell},1\n" for cell in [*cells, *[""] * len(cells)])
        columns = blocks_module.plain_columns(Block(text.encode(), 1, b","), ["a", "b"], {"a": "text"}, [], reader)
        assert columns is not None
        return columns.codes("a")[1]

    (word,) = values("word")
    assert values("word")[0] is word
    long = [f"{number}" * (1 << 19) for number in range(10, 43)]
    assert values("word", *long) == ["word", *long]
    (again,) = values("word")
    assert again == word
    assert again is not word
    assert values("word")[0] is again


def test_the_kind_is_fixed_by_the_first_block(table: Table, small: None) -> None:
    """A word, a fraction of a boolean and a late number in an empty column are judged by what the first rows held."""
    assert fails(table("a,y\n" + "1,0\n" * 30 + "x,0\n")).startswith(":32:1: column 'a' holds 'x'; a number is")
    assert fails(table("a,y\n" + "true,0\n" * 30 + "0.5,0\n")).startswith(
        ":32:1: column 'a' holds '0.5'; true or false is expected"
    )
    assert "column 'b' holds numbers, but none in the first rows" in fails(table("a,b,y\n" + "1,,0\n" * 30 + "1,7,0\n"))


def test_a_column_without_values_waits_for_its_first(table: Table, small: None) -> None:
    """A column that is empty in the first block becomes text or, with missing="zero", numbers when they come."""
    stream = table("a,b,y\n" + "1,,0\n" * 30 + "1,x,0\n")
    assert whole(stream)[0][-2:].tolist() == [[1, 0], [1, 1]]
    stream = table("b,a,y\n" + ",u,0\n" * 30 + "7,u,0\n", missing="zero")
    assert whole(stream)[0][-2:].tolist() == [[1, 0], [1, 7]]
    assert stream.feature_names() == ["a=u", "b"]


def test_missing_values(table: Table) -> None:
    """A missing number is 0 on demand; a missing category, or a column without any value, contributes nothing."""
    stream = table('a,b,y\n1,u,1\nNA,v,1\n?,"",0\n,NULL,0\n', missing="zero")
    assert whole(stream)[0].tolist() == [[1, 1, 0], [0, 0, 1], [0, 0, 0], [0, 0, 0]]
    assert stream.feature_names() == ["a", "b=u", "b=v"]
    assert whole(table("a,b,y\n1,,1\n2,,0\n"))[0].tolist() == [[1], [2]]


def test_the_rows_before_a_bad_one_are_given_first(table: Table) -> None:
    """Rows before the error come out; none after it does."""
    stream = table("a,c,y\n1,u,1\n2,v,1\n,w,1\n4,x,1\n")
    batches = stream.batches()
    assert len(next(batches)) == 2
    with pytest.raises(DataError, match=":4:1:"):
        next(batches)
    assert stream.feature_names() == ["a", "c=u", "c=v"]


def test_bad_rows_are_skipped_and_counted(table: Table, small: None) -> None:
    """Skipping leaves the good rows as they are, makes no column for a bad row's words, and keeps 20 messages."""
    good, bad = "1,u,0\n", ["x,v,1\n", "1,2\n", "1,2,3,4\n", ",v,1\n", "inf,v,1\n", "1,v,\n"]
    stream = table("a,c,y\n" + good * 20 + "".join(good * 3 + row for row in bad * 10), on_error="skip")
    for _ in range(2):
        values, labels = whole(stream)
        assert values.tolist() == [[1, 1]] * 200
        assert labels == [0] * 200
        assert stream.skipped == 60
        assert len(stream.first_errors) == 20
    assert "t.csv:25:1: column 'a' holds 'x'; a number is expected; pass --categorical a if" in stream.first_errors[0]
    assert [int(error.split(":")[1]) for error in stream.first_errors] == [25 + 4 * k for k in range(20)]


def test_when_every_row_is_bad_there_are_no_rows(table: Table) -> None:
    """Skipping everything is an error in the end."""
    assert fails(table("a,b,y\n1,2\n3,4\n", on_error="skip")).startswith(": no rows")


def test_lines_count_quoted_line_ends(table: Table) -> None:
    """The line of an error is the editor's, although a quoted cell before it spans three lines."""
    assert fails(table('c,a,y\n"one\ntwo\nthree",1,0\nx,2,0\n"p\nq",zz,0\n' + "x,1,0\n" * 20)).startswith(
        ":7:4: column 'a' holds 'zz'"
    )


def test_wide_tables(table: Table) -> None:
    """10,000 columns are read in order."""
    names = ",".join(f"f{i}" for i in range(10_000))
    rows = "\n".join(",".join(str(i * j % 7) for i in range(10_000)) + f",{j}" for j in range(3))
    values, labels = whole(table(f"{names},label\n{rows}\n"))
    assert values.tolist() == [[i * j % 7 for i in range(10_000)] for j in range(3)]
    assert labels == [0, 1, 2]


def test_one_row(table: Table) -> None:
    """A single row without a line end is a batch of one."""
    assert whole(table("a,y\n1,2"))[0].tolist() == [[1]]


def test_skip_passes_over_good_rows_only(table: Table, small: None) -> None:
    """Reading from row k gives what reading everything gives from there, with the same columns."""
    text = "a,c,y\n" + "".join(f"{k},w{k % 5},{k % 2}\n" if k % 7 else "bad,bad\n" for k in range(100))
    values, labels = whole(table(text, on_error="skip"))
    assert labels is not None
    for skip in (0, 1, 30, 84):
        rest = list(table(text, on_error="skip").batches(skip))
        columns = values.shape[1]
        assert np.concatenate([dense(batch, columns) for batch in rest]).tolist() == values[skip:].tolist()


def test_options_are_checked(table: Table) -> None:
    """A word that is none of those allowed is refused before anything is read."""
    for options in ({"on_error": "ignore"}, {"missing": "mean"}, {"dtype": "float16"}, {"hash_bits": 31}):
        with pytest.raises(RegretlessError):
            table("a,y\n1,2\n", **options)


words = st.sampled_from(["", "u", "v w", "x,y", 'q"q', "line\nend", "NA", "é"])
numbers = st.one_of(
    st.floats(-1e6, 1e6).map(repr), st.integers(-99, 99).map(str), st.sampled_from(["", "x", "nan", "1 2"])
)
rows_of_cells = st.lists(st.tuples(numbers, words, words), min_size=1, max_size=40)


@given(rows_of_cells, st.sampled_from(["\n", "\r\n"]), st.booleans(), st.data())
def test_any_table_is_read_as_python_reads_it(
    rows: list[tuple[str, ...]], end: str, all_quoted: bool, data: Any
) -> None:
    """Whatever the quoting and the blocks, skipping gives the rows that a slow reader finds good, and no others."""
    file = io.StringIO()
    quoting = csv.QUOTE_ALL if all_quoted else csv.QUOTE_MINIMAL
    writer = csv.writer(file, lineterminator=end, quoting=quoting)
    writer.writerows([("a", "c", "label"), *[("1", "first", "p")] * 400, *rows])
    with pytest.MonkeyPatch.context() as patch, tempfile.TemporaryDirectory() as folder:
        patch.setattr(csv_module, "SMALLEST", data.draw(st.sampled_from([3000, 4200, 1 << 20])))
        patch.setattr(csv_module, "BYTES_PER_COLUMN", 1)
        stream = Table(Path(folder))(file.getvalue(), on_error="skip")
        values, labels = whole(stream)
    good = [row for row in rows if is_number(row[0]) and row[2] not in ("", "NA")]
    assert stream.skipped == len(rows) - len(good)
    assert labels == ["p"] * 400 + [row[2] for row in good]
    names = stream.feature_names()
    assert names is not None
    assert names == ["a", "c=first", *dict.fromkeys(f"c={row[1]}" for row in good if row[1] not in ("", "NA"))]
    for row, result in zip(good, values[400:], strict=True):
        expected = {"a": float(row[0])} | ({f"c={row[1]}": 1.0} if row[1] not in ("", "NA") else {})
        assert dict(zip(names, result.tolist(), strict=True)) == {name: expected.get(name, 0.0) for name in names}


def is_number(text: str) -> bool:
    try:
        return bool(np.isfinite(float(text)))
    except ValueError:
        return False


def test_a_signal_is_not_lost_while_text_is_read(monkeypatch):
    """Python's own handler hears a signal that comes while pyarrow reads a block of text."""
    import signal

    calls: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _: calls.append(number))

    class Striking(blocks_module.UnequalRows):
        def __call__(self, row: Any) -> str:
            signal.raise_signal(signal.SIGINT)
            return super().__call__(row)

    try:
        block = blocks_module.Block(b"", 1, b",")
        blocks_module.parse(block, b"1,2\n3\n4,5\n", ["a", "b"], {"a": None, "b": None}, Striking())
    finally:
        signal.signal(signal.SIGINT, before)
    assert calls == [signal.SIGINT]
