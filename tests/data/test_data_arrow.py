"""Parquet, Arrow and Feather files."""

from __future__ import annotations

import zlib
from base64 import b85decode
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import feather, ipc, parquet

from regretless.cli import main
from regretless.data import arrow as arrow_module
from regretless.data import open_stream
from regretless.errors import DataError

from .test_data_csv import Table, whole

COLUMNS = {
    "city": pa.array(["Rome", "Oslo", None, "Rome", "Bern"]),
    "age": pa.array([1, 2, 3, 4, 5], pa.int8()),
    "rate": pa.array([0.5, 1.5, 0, 2.5, 3.5], pa.float32()),
    "new": pa.array([True, False, True, False, True]),
    "label": pa.array(["no", "yes", "no", "yes", "no"]),
}
TABLE = pa.table(COLUMNS)
CSV = """city,age,rate,new,label
Rome,1,.5,true,no
Oslo,2,1.5,false,yes
,3,0,true,no
Rome,4,2.5,false,yes
Bern,5,3.5,true,no
"""


def write_stream(table: Any, path: str) -> None:
    with ipc.new_stream(path, table.schema) as file:
        file.write_table(table, max_chunksize=2)


def write_file(table: Any, path: str) -> None:
    with ipc.new_file(path, table.schema) as file:
        file.write_table(table, max_chunksize=2)


WRITERS = {
    "t.parquet": lambda table, path: parquet.write_table(table, path, row_group_size=2),
    "t.feather": feather.write_feather,
    "plain.feather": lambda table, path: feather.write_feather(table, path, compression="uncompressed"),
    "t.arrow": write_file,
    "t.arrows": write_stream,
}


@pytest.fixture(params=WRITERS)
def save(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    """Writes a table in one of the formats; gives the path."""

    def write(table: Any) -> Path:
        path = tmp_path / str(request.param)
        WRITERS[request.param](table, str(path))
        return path

    return write


def refusal(path: Path, **options: Any) -> str:
    with pytest.raises(DataError) as caught:
        list(open_stream(path, **options).batches())
    return str(caught.value).removeprefix(str(path))


@pytest.mark.parametrize("entries", [1, 10, 1 << 17])
def test_every_format_gives_what_csv_gives(
    save: Any, tmp_path: Path, entries: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same table gives the same rows, features and schema in all formats, however it is cut in batches."""
    monkeypatch.setattr(arrow_module, "ENTRIES", entries)
    expected = Table(tmp_path)(CSV)
    rows = whole(expected)
    stream = open_stream(save(TABLE))
    for _ in range(2):
        values, labels = whole(stream)
        assert values.tolist() == rows[0].tolist()
        assert labels == rows[1]
    assert stream.schema() == expected.schema()
    assert stream.feature_names() == ["age", "rate", "new", "city=Rome", "city=Oslo", "city=Bern"]


def test_a_model_of_csv_predicts_for_parquet(tmp_path: Path) -> None:
    """Columns are matched by name between the formats; those that are not needed may be of any type."""
    learned = Table(tmp_path)(CSV)
    rows, _ = whole(learned)
    table = TABLE.append_column("when", pa.array([0] * 5, pa.timestamp("s")))
    parquet.write_table(table.select(["when", "new", "rate", "age", "city"]), tmp_path / "new.parquet")
    values, labels = whole(open_stream(tmp_path / "new.parquet", schema=learned.schema(), frozen=True))
    assert values.tolist() == rows.tolist()
    assert labels is None


def test_all_numbers_and_all_words_are_understood(tmp_path: Path) -> None:
    """Integers, floats and decimals of any width are numbers; strings and dictionaries of any kind are words."""
    numbers = {
        "u8": pa.array([2**63], pa.uint64()),
        "f2": pa.array([0.5], pa.float16()),
        "decimal": pa.array([Decimal("1.25")]),
        "one": pa.array([True]),
    }
    words = {
        "large": pa.array(["v"], pa.large_string()),
        "view": pa.array(["v"], pa.string_view()),
        "dictionary": pa.array(["w"]).dictionary_encode(),
        "numbers": pa.array([7]).dictionary_encode(),
        "nothing": pa.nulls(1),
    }
    write_file(pa.table({**numbers, **words, "y": pa.array([True])}), str(tmp_path / "t.arrow"))
    stream = open_stream(tmp_path / "t.arrow")
    values, labels = whole(stream)
    assert values.tolist() == [[2.0**63, 0.5, 1.25, 1, 1, 1, 1, 1]]
    assert labels == [1]
    assert stream.feature_names() == [*numbers, "large=v", "view=v", "dictionary=w", "numbers=7"]


def test_numbers_can_be_taken_for_words(save: Any) -> None:
    """categorical= makes words of integers, with the names that CSV would give them."""
    stream = open_stream(save(TABLE.select(["age", "label"])), categorical=["age"])
    assert whole(stream)[0].tolist() == np.eye(5).tolist()
    assert stream.feature_names() == [f"age={k}" for k in range(1, 6)]


@pytest.mark.parametrize("dates", [pa.timestamp("s"), pa.date32(), pa.duration("s")])
def test_dates_are_left_out_with_a_note(save: Any, dates: Any) -> None:
    """A column of dates or times is no feature, in no reading, and the stream says so once."""
    rows = whole(open_stream(save(TABLE)))[0].tolist()
    stream = open_stream(save(TABLE.append_column("x", pa.array([0] * 5, dates))))
    for _ in range(2):
        assert whole(stream)[0].tolist() == rows
    assert len(stream.notes) == 1
    assert stream.notes[0].startswith("column 'x' holds dates or times: it is left out")


@pytest.mark.parametrize(
    ("column", "message"),
    [
        (pa.array([[1]] * 5), ": column 'x' is of type list"),
        (pa.array([b"a"] * 5), ": column 'x' is of type binary"),
        (pa.array([1, 2, None, 4, None]), ": in row 3, column 'x' has no value; pass --missing zero"),
        (pa.array([1, 2, 3, float("nan"), 5]), ": in row 4, column 'x' holds nan"),
    ],
)
def test_what_cannot_be_used_is_named(save: Any, column: Any, message: str) -> None:
    """A column's type and a row's value are refused with their names, rows counted from 1."""
    assert refusal(save(TABLE.append_column("x", column))).startswith(message)


def test_rows_are_skipped_and_counted(save: Any) -> None:
    """Rows without a value or a label are passed over on demand."""
    table = TABLE.append_column("x", pa.array([1, None, 3, 4, float("inf")]))
    stream = open_stream(save(table.set_column(4, "label", pa.array([0, 0, 0, None, 0]))), on_error="skip")
    values, labels = whole(stream)
    assert values[:, 3].tolist() == [1, 3]
    assert labels == [0, 0]
    assert stream.skipped == 3
    assert stream.feature_names() == ["age", "rate", "new", "x", "city=Rome"]
    zeros = open_stream(save(TABLE.append_column("x", pa.nulls(5, pa.int8()))), missing="zero")
    assert whole(zeros)[0][:, 3].tolist() == [0] * 5


def test_words_where_numbers_were_are_refused(tmp_path: Path) -> None:
    """A column of strings is not parsed for numbers."""
    parquet.write_table(TABLE, tmp_path / "old.parquet")
    stream = open_stream(tmp_path / "old.parquet")
    whole(stream)
    parquet.write_table(TABLE.set_column(1, "age", pa.array(["1"] * 5)), tmp_path / "new.parquet")
    message = refusal(tmp_path / "new.parquet", schema=stream.schema())
    assert message == ": column 'age' is of type string; numbers are expected, as in the first file"


def test_a_folder_is_its_files_in_order(tmp_path: Path) -> None:
    """A folder is read file by file in the order of names, below as well, without what is hidden."""
    folder = tmp_path / "t.parquet"
    for name, begin in (("part-1", 2), ("part-0", 0), ("z/part", 4), ("_temporary/x", 0), (".hidden", 0)):
        path = folder / f"{name}.parquet"
        path.parent.mkdir(parents=True, exist_ok=True)
        parquet.write_table(TABLE.slice(begin, 2), path)
    (folder / "_SUCCESS").touch()
    stream = open_stream(folder)
    assert stream.rereadable
    assert whole(stream)[0].tolist() == whole(Table(tmp_path)(CSV))[0].tolist()
    empty = tmp_path / "empty"
    empty.mkdir()
    assert ": this folder holds no file ending in .parquet or .pq" in refusal(empty, format="parquet")


def test_files_that_are_none(tmp_path: Path) -> None:
    """Missing, empty, damaged, compressed and piped files each have their answer."""
    for name in ("t.parquet", "t.feather"):
        path = tmp_path / name
        assert ": there is no such file" in refusal(path)
        path.write_bytes(b"")
        assert ": the file is empty" in refusal(path)
        for text in (b"hello", b"ARROW1 and then nothing", b"PAR1PAR1"):
            path.write_bytes(text)
            assert ": this cannot be read as" in refusal(path)
        assert ": the" in refusal(tmp_path / f"{name}.gz")
        assert "cannot be read from a pipe" in refusal(Path("-"), format=name.split(".")[1])
    parquet.write_table(TABLE, tmp_path / "t.parquet")
    good = (tmp_path / "t.parquet").read_bytes()
    (tmp_path / "t.parquet").write_bytes(good[:40] + bytes(200) + good[240:])
    assert ": this cannot be read as Parquet" in refusal(tmp_path / "t.parquet")


def test_a_table_without_rows(save: Any) -> None:
    """A file with columns but no rows is said to have none."""
    assert ": no rows" in refusal(save(TABLE.slice(0, 0)))


def packed(table: Any, path: Path, compression: str = "zstd") -> Path:
    """Writes an Arrow file whose buffers are compressed; as a stream, if it is called so."""
    begin = ipc.new_stream if path.suffix == ".arrows" else ipc.new_file
    with begin(str(path), table.schema, options=ipc.IpcWriteOptions(compression=compression)) as file:
        file.write_table(table)
    return path


def shared(rows: int, size: int) -> Any:
    """A column of which each row looks at the same long text."""
    views = np.zeros((rows, 4), np.int32)
    views[:, 0], views[:, 1] = size, int.from_bytes(b"xxxx", "little")
    return pa.Array.from_buffers(
        pa.string_view(), rows, [None, pa.py_buffer(views.tobytes()), pa.py_buffer(b"x" * size)]
    )


LABELS = pa.array([0, 1] * 500)
LONG = "x" * 100_000
PLAIN = pa.table({"c": pa.array([LONG] * 1000, pa.large_string()), "label": LABELS})
ONCE = pa.table({"c": pa.array([LONG] * 1000).dictionary_encode(), "label": LABELS})
ZEROS = pa.table({"c": np.zeros(5_000_000), "label": np.zeros(5_000_000, np.int8)})
BARE = {"compression": "zstd", "use_dictionary": False}
HUGE = {
    "long cells.parquet": lambda path: parquet.write_table(PLAIN, path, **BARE),
    "long cells.arrow": lambda path: packed(PLAIN, path),
    "long cells.arrows": lambda path: packed(PLAIN, path, "lz4"),
    "views.arrow": lambda path: packed(pa.table({"c": shared(1000, 100_000), "label": LABELS}), path),
    "labels.parquet": lambda path: parquet.write_table(ONCE.rename_columns(["label", "c"]), path, compression="zstd"),
    "one page.parquet": lambda path: parquet.write_table(
        ZEROS, path, **BARE, row_group_size=1 << 23, data_page_size=1 << 30, max_rows_per_page=1 << 23
    ),
    "zeros.feather": lambda path: feather.write_feather(ZEROS, str(path), compression="zstd", chunksize=1 << 23),
}


@pytest.mark.parametrize("name", HUGE)
def test_a_small_file_is_refused_before_it_takes_much_memory(tmp_path, monkeypatch, name):
    """Files of some KB that would take more than 16 MiB at once are refused if that is all that is allowed, without
    taking it, and are read with more."""
    path = tmp_path / name
    HUGE[name](path)
    monkeypatch.setenv("REGRETLESS_MAX_MEMORY", "16M")
    with pytest.raises(DataError, match=r"would take .* of memory; to allow more than 16 MiB, set REGRETLESS_MAX_M"):
        peak(path)
    monkeypatch.setenv("REGRETLESS_MAX_MEMORY", "1G")
    assert peak(path)[1] > 0


def peak(path: Path, **how: Any) -> tuple[int, int]:
    """How many bytes Arrow took at once for reading a file, and how many rows that has."""
    before = pa.default_memory_pool()
    pool = pa.proxy_memory_pool(before)
    pa.set_memory_pool(pool)
    try:
        rows = sum(len(batch) for batch in open_stream(path, **how).batches())
    finally:
        pa.set_memory_pool(before)
        assert pool.max_memory() < 150 << 20
    return pool.max_memory(), rows


@pytest.mark.parametrize("name", ["t.parquet", "t.arrow", "t.arrows"])
def test_a_long_cell_that_many_rows_share_is_held_once(tmp_path, monkeypatch, name):
    """A text of 100 KB that stands in 1000 rows as one entry of a dictionary takes no 1000 times that."""
    path = tmp_path / name
    if path.suffix == ".parquet":
        parquet.write_table(ONCE, path, compression="zstd")
    else:
        packed(ONCE, path)
    monkeypatch.setenv("REGRETLESS_MAX_MEMORY", "16M")
    taken, rows = peak(path)
    assert (taken < 16 << 20, rows) == (True, 1000)


def test_dictionaries_may_repeat_values_and_hold_what_is_missing_or_never_used(tmp_path):
    """A column is read by its values, however its dictionary lists them."""
    words = pa.DictionaryArray.from_arrays(pa.array([3, 1, None, 2, 0, 4]), ["b", "a", "a", "c", None, "unused"])
    table = pa.table({"word": words, "label": [0, 1, 0, 1, 0, 1]})
    dense = pa.table({"word": ["c", "a", None, "a", "b", None], "label": [0, 1, 0, 1, 0, 1]})
    write_file(table, str(tmp_path / "t.arrow"))
    write_file(dense, str(tmp_path / "dense.arrow"))
    streams = [open_stream(tmp_path / name) for name in ("t.arrow", "dense.arrow")]
    (X, _), (Y, _) = (whole(stream) for stream in streams)
    assert np.array_equal(X, Y)
    assert streams[0].feature_names() == streams[1].feature_names() == ["word=c", "word=a", "word=b"]


def test_text_that_is_stored_by_differences_is_read_in_pieces_that_fit(tmp_path, monkeypatch):
    """Cells that share their beginnings, each as long as a page, are read a few at a time."""
    cells = [LONG + str(number) for number in range(1000)]
    table = pa.table({"c": cells, "label": LABELS})
    parquet.write_table(
        table, tmp_path / "t.parquet", **BARE, column_encoding={"c": "DELTA_BYTE_ARRAY", "label": "PLAIN"}
    )
    monkeypatch.setenv("REGRETLESS_MAX_MEMORY", "16M")
    taken, rows = peak(tmp_path / "t.parquet", hash_bits=4)
    assert (taken < 64 << 20, rows) == (True, 1000)


# Files whose metadata of a column chunk contradict themselves, found by the fuzzer: asked for those, pyarrow 26 ends
# the process. zlib, base85.
CONTRADICTORY = {
    "levels": (
        (
            "c-jka3^EjD5iJnS@Db$`We{RuuwY=|WpsHHxI?b>^+EgoLtiyw`Y+kHzGf6uxovODb$xMx?IU|eIi0{A&w!#}W%i;BqDrD_I-&-"
            "m0-"
            "|i9Y%&rYFc}FB1_)>nW6;1NDkumf1s#}xqyZx{d&e=UixJ9F*)Bjg8Hg(R08InANrHjFh>=0%f;~jn1CWI>q6)|s!eme_#1sWv$Y"
            "%nvkcnNza}p2%Z3_@}@e$<$+ok~u0hU=a85vnl+H-Qa+_X0agU9x>W`e*=EdGVbpjwY9itb-G7v)8Q7dtXUStNZ-"
            "86?<>lQU9t6Ghn=M7dO%Bv|wEi%K$}?Be`V2wO*jB{i|Qgh9+eQby87jX_3~OVX5qO+XT=UX)49Kx_?@*a{}K9!50|(qcnW2N)O("
            "qD%}xLI6nFXtGJFF&F@4Q7i&G25iwYMzK4LYVVlTHZYME4aC_5_A1z-"
            "9wxCCCbc&#YCSBZ1vqYt#OASy8K`lHb+9o=%1H1y1_k+tTS1~gVhxi%2w0{&0zsf71b90-mODD7JGwbKraL-"
            "=r5v4{936c@3};72Pp|-jc7#Yd8Gu-RjxeK~^Fc;~l~jNQBN6Jsz!gM9g}YUyfVs|zQ1#A^ejz}X1xSetSdmjYTs;JYf&{CQjKd5"
            "P!PX~1)q8>zg@W7-"
            ")Zzj12iP%iOJU}fV>7Qb$=C~Io;y^(J5<scO4~9>C=?_X6_%!!=q48w=q45w<(Dgzr4|)u=I1FGnduqm8A{s7Ffc$6!+T%`2mls6"
            "06c2-LI"
        ),
        "Definition level histogram size mismatch",
    ),
    "type": (
        (
            "c-"
            "obd&2G~`5XWbo#F&snTCvtz@*#)T3Q}77K`TH((KsXx5K0rNigI*Jl%}M_`JgQl2M!!L^g(zCjywV4gg9~TBQU#mumzD2BWu?B@9"
            "ghC9<7hCz0K47HWy7=U=<*{#sDCYX~Kc8a<jw@p65E(?R_Y+iD1FX3hmx3Xp{}cQn_UWPo~~7LQgR74?>oXZt+r+Y9v7bWLWw~C3"
            "B+)*A<9@SmYA3gc0i3mBkypH=(#hRc_g}&`nES0Z&`aJrMfLKk1)&TnC<8*F+{5d47K#nznQ^NYOoiJ{-"
            "SZNLi9@1=DfQ>kUW4`CBjz%eKl6*gR+Lfu6S_2G>l(d}n@OPT4V%W3x(fNL-"
            "U2lc%Lj1l@8#wwlC5#xdtJb3U@<`2I!8Mx<oF3iqAS<9yScEA9VA_?P3Ig`fE~Wg3oQ{!D>oiyXGwFFFsy*@{ovT^SDsNYTPDo*`"
            "bKJHR^P0IO;XT^I4We5oQnQ9`_8xaHoDAu?A760J%umG~;ISJ9NoZ#+Hkp4Eq5=Q4QNP$dV_m;4W+x+)%?5=r7~^_qgHrfM;&E5("
            "!UZae7h+@p3>eGA=|?3Xw`K90<PA8H+|RvVc7bd*O(bZ6bp;V3?$_8);L1m1M=ra#~CgJ8p(PRAF8^Zs;3m!Yt;zqz%!ZI$URh7W"
            "w9D}6-2@GmD#tRM"
        ),
        "Unencoded byte array data bytes does not support FLOAT",
    ),
}


@pytest.mark.parametrize("name", CONTRADICTORY)
def test_metadata_that_contradict_themselves_are_refused(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A Parquet file with them is refused with what pyarrow says is wrong; the process goes on."""
    content, fault = CONTRADICTORY[name]
    path = tmp_path / "t.parquet"
    path.write_bytes(zlib.decompress(b85decode(content)))
    assert main(["pull", str(path), "--quiet"]) == 1
    assert f"{path}: this cannot be read as Parquet ({fault}" in capsys.readouterr().err
