"""Tables of forecasts, in every format that they may be kept in."""

from __future__ import annotations

import gzip
import io
import lzma
import os
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from regretless.data.column_writer import ColumnsOut
from regretless.data.forecast_stream import ForecastStream
from regretless.data.forecasts import open_forecasts
from regretless.errors import DataError, RegretlessError

TEXT = "day,a,b,y\nMon,1,2,3\nTue,,4,5\nWed,6,7,\n"


def read(stream: ForecastStream, skip: int = 0) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any] | None]:
    """All forecasts and outcomes."""
    batches = list(stream.batches(skip))
    advice = np.concatenate([batch.advice for batch in batches])
    if batches[0].outcomes is None:
        return advice, None
    return advice, np.concatenate([batch.outcomes for batch in batches if batch.outcomes is not None])


def write(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


def complaint(stream: ForecastStream) -> str:
    with pytest.raises(DataError) as caught:
        read(stream)
    return str(caught.value)


def saved(folder: Path, format: str) -> Path:
    """The same table in a format."""
    import pyarrow as pa
    from pyarrow import feather, parquet

    table = pa.table({"day": ["Mon", "Tue", "Wed"], "a": [1.0, None, 6.0], "b": [2, 4, 7], "y": [3.0, 5.0, None]})
    path = folder / f"t.{format}"
    if format == "csv":
        path.write_text(TEXT)
    elif format == "tsv":
        path.write_text(TEXT.replace(",", "\t"))
    elif format == "csv.gz":
        path.write_bytes(gzip.compress(TEXT.encode()))
    elif format == "csv.xz":
        path.write_bytes(lzma.compress(TEXT.encode()))
    elif format == "parquet":
        parquet.write_table(table, path)
    elif format == "feather":
        feather.write_feather(table, path)
    elif format == "arrow":
        with pa.OSFile(str(path), "wb") as file, pa.ipc.new_stream(file, table.schema) as writer:
            writer.write_table(table)
    else:
        columns = {"names": ["a", "b"], "y": [3.0, 5.0, np.nan], "day": ["Mon", "Tue", "Wed"]}
        np.savez(path, experts=[[1, 2], [np.nan, 4], [6, 7]], **{name: np.array(one) for name, one in columns.items()})
    return path


@pytest.mark.parametrize("format", ["csv", "tsv", "csv.gz", "csv.xz", "parquet", "feather", "arrow", "npz"])
def test_every_format_gives_the_same_rounds(tmp_path, format):
    """Forecasts, outcomes, times and names do not depend on the format; missing forecasts are nan."""
    stream = open_forecasts(saved(tmp_path, format), time="day")
    (batch,) = stream.batches()
    assert stream.experts == ["a", "b"]
    assert stream.target == "y"
    np.testing.assert_array_equal(batch.advice, [[1, 2], [np.nan, 4], [6, 7]])
    np.testing.assert_array_equal(batch.outcomes, [3, 5, np.nan])
    assert batch.times == ["Mon", "Tue", "Wed"]
    assert len(batch.with_outcomes()) == 2
    assert batch.advice.flags.c_contiguous
    assert batch.advice.dtype == np.float64
    assert stream.notes == []


def test_standard_input_is_csv(monkeypatch):
    """A dash reads standard input, once."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(TEXT.encode())))
    stream = open_forecasts("-", time="day")
    assert len(read(stream)[0]) == 3
    assert not stream.rereadable
    assert "only once" in complaint(stream)


def test_a_cache_makes_standard_input_rereadable(monkeypatch, tmp_path):
    """What came through a pipe is read again from its copy."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(TEXT.encode())))
    stream = open_forecasts("-", time="day", cache=tmp_path / "kept.csv")
    first, second = read(stream), read(stream)
    np.testing.assert_array_equal(first[0], second[0])
    assert stream.rereadable


@pytest.mark.parametrize("name", ["target", "Y", "outcome", "observed", "Observation", "observations", "obs", "actual"])
def test_the_outcome_is_found_by_its_name(tmp_path, name):
    """A column with one of the usual names is the outcome, in any case of letters."""
    stream = open_forecasts(write(tmp_path / "t.csv", f"a,{name},b\n1,2,3\n"))
    advice, outcomes = read(stream)
    assert (advice.tolist(), outcomes.tolist()) == ([[1, 3]], [2])


def test_an_outcome_that_is_not_distinguished_lists_the_columns(tmp_path):
    """Without a column that is called so, or with two of them, the error lists what there is."""
    for head, words in (("a,b,c", "it is not said"), ("a,y,obs", "any of 'y', 'obs'")):
        path = write(tmp_path / "t.csv", f"{head}\n1,2,3\n")
        message = complaint(open_forecasts(path))
        assert words in message
        assert all(repr(name) in message for name in head.split(","))
    message = complaint(open_forecasts(path, target="z"))
    assert "there is no column 'z'" in message


def test_no_outcome_is_read_where_none_is_needed(tmp_path):
    """Without need of outcomes all columns of numbers are experts."""
    stream = open_forecasts(write(tmp_path / "t.csv", "a,y\n1,2\n"), need_target=False)
    advice, outcomes = read(stream)
    assert advice.tolist() == [[1, 2]]
    assert outcomes is None


def test_named_experts_come_in_the_order_in_which_they_are_named(tmp_path):
    """Only the experts that are named are read."""
    stream = open_forecasts(write(tmp_path / "t.csv", "a,b,c,y\n1,2,3,4\n"), experts=["c", "a"])
    assert read(stream)[0].tolist() == [[3, 1]]
    assert stream.experts == ["c", "a"]


@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_experts_that_cannot_be_are_refused(tmp_path, format):
    """A named column that is missing or holds text is an error that says which columns there are."""
    path = saved(tmp_path, format)
    assert "there is no column 'z'; the columns are 'day', 'a', 'b', 'y'" in complaint(
        open_forecasts(path, experts=["a", "z"])
    )
    message = complaint(open_forecasts(path, experts=["day", "a"]))
    assert "column 'day' holds" in message


def test_columns_of_text_are_left_out_with_a_note(tmp_path):
    """What is no number and no time is not read, and a note says so, once."""
    path = write(tmp_path / "t.csv", "when,a,kind,y\n2030-01-01,1,x,2\n2030-01-02,1,z,2\n")
    stream = open_forecasts(path)
    read(stream)
    read(stream)
    assert stream.experts == ["a"]
    assert stream.notes == [
        f"{path}: 'when' is left out: dates and times are no forecasts",
        f"{path}: 'kind' is left out: text is no forecast",
    ]


def test_a_column_without_a_value_is_an_error(tmp_path):
    """An expert that never speaks is refused, in the first block and before a row is given; a model's is not."""
    path = write(tmp_path / "t.csv", "a,b,y\n1,,2\n1,NA,2\n")
    stream = open_forecasts(path)
    with pytest.raises(DataError, match="column 'b' has no value in any row"):
        next(stream.batches())
    advice, _ = read(open_forecasts(path, names=["b", "a"], target="y"))
    np.testing.assert_array_equal(advice, [[np.nan, 1], [np.nan, 1]])


def test_an_expert_may_wake_in_a_later_block(tmp_path):
    """A column that is empty in the first block of a large file is an expert when numbers come; text is refused."""
    early, late = "1,,2\n" * 300_000, "1,7,2\n" * 3
    stream = open_forecasts(write(tmp_path / "t.csv", f"a,b,y\n{early}{late}"))
    advice, _ = read(stream)
    assert np.isnan(advice[:300_000, 1]).all()
    assert advice[300_000:, 1].tolist() == [7, 7, 7]
    assert len(list(stream.batches())) > 1
    message = complaint(open_forecasts(write(tmp_path / "t.csv", f"a,b,y\n{early}1,word,2\n")))
    assert "'b' holds text, and nothing in the first rows" in message


def test_a_model_finds_its_experts_by_name(tmp_path):
    """Whatever the order of the columns; unknown ones are left out with a note, missing ones are an error."""
    path = write(tmp_path / "t.csv", "new,b,y,a\n9,2,3,1\n")
    stream = open_forecasts(path, names=["a", "b"], target="y")
    assert read(stream)[0].tolist() == [[1, 2]]
    assert stream.notes == [f"{path}: 'new' is left out: not known to the model"]
    assert "there is no column 'c'" in complaint(open_forecasts(path, names=["a", "c"]))


def test_a_model_may_forecast_a_table_without_outcomes(tmp_path):
    """Where a model goes on with a table that has no outcomes, all rows are to be forecast, and a note says so."""
    stream = open_forecasts(write(tmp_path / "t.csv", "a,b\n1,2\n3,4\n"), names=["a", "b"], target="load")
    _, outcomes = read(stream)
    assert np.isnan(outcomes).all()
    assert "all rows are forecast" in stream.notes[0]


def test_outcomes_may_be_missing_anywhere(tmp_path):
    """Rows without an outcome are distinguished from those with one, and errors of the latter name their own lines."""
    path = write(tmp_path / "t.csv", "a,y\n1,1\n2,2\n3,\n4,\n5,5\n")
    (batch,) = open_forecasts(path).batches()
    assert list(batch.runs()) == [(0, 2, True), (2, 4, False), (4, 5, True)]
    known = batch.with_outcomes()
    assert known.outcomes.tolist() == [1, 2, 5]
    assert known.advice.ravel().tolist() == [1, 2, 5]
    assert str(known.error(2, None, "fault", "advice")).startswith(f"{path}:6:")
    assert str(known.slice(1, 3).error(0, None, "fault", "advice")).startswith(f"{path}:3:")


def test_a_bad_cell_is_named_by_line_and_column(tmp_path):
    """A word in a column of numbers is an error with its place, after the rows before it."""
    rows = "1,2\n" * 20
    stream = open_forecasts(write(tmp_path / "t.csv", f"a,y\n{rows}1,oops\n{rows}"))
    batches = stream.batches()
    assert len(next(batches)) == 20
    with pytest.raises(DataError, match=r"t\.csv:22:3: column 'y' holds 'oops'; a number is expected") as caught:
        next(batches)
    assert "--categorical" not in str(caught.value)


def test_the_first_rows_can_be_passed_over(tmp_path):
    """Skipping n rows gives the rows after them, in whichever block they are."""
    text = "a,y\n" + "".join(f"{k},{k}\n" for k in range(200_000))
    stream = open_forecasts(write(tmp_path / "t.csv", text))
    for skip in (1, 150_000, 199_999):
        assert read(stream, skip)[0].ravel().tolist() == list(range(skip, 200_000))


@pytest.mark.parametrize(
    ("times", "arrivals", "expected"),
    [
        ("1,2,3", "2,4,4", ([1, 2, 3], [2, 4, 4])),
        ("2030-01-01,2030-01-02,2030-01-03", "2030-01-02,2030-01-04 12:00,2030-01-05", ([0, 24, 48], [24, 84, 96])),
    ],
)
def test_arrivals_are_numbers_or_dates(tmp_path, times, arrivals, expected):
    """Whole numbers stay what they are, dates become moments; the row to forecast needs no arrival."""
    rows = zip(times.split(","), arrivals.split(","), "123", strict=True)
    text = "t,due,a,y\n" + "".join(f"{t},{due},{k},{k}\n" for t, due, k in rows)
    stream = open_forecasts(write(tmp_path / "t.csv", text), time="t", arrivals="due")
    (batch,) = stream.batches()
    unit = 1 if times == "1,2,3" else 3_600_000_000
    clock, due = (np.array(column) // unit for column in (batch.clock, batch.arrivals))
    offset = 0 if unit == 1 else clock[0]
    assert ((clock - offset).tolist(), (due - offset).tolist()) == expected
    last = text + f"{times.split(',')[-1]},,4,\n"
    (batch,) = open_forecasts(write(tmp_path / "t.csv", last), time="t", arrivals="due").batches()
    assert batch.arrivals[-1] > batch.clock[-1]
    bad = text.replace(arrivals.split(",")[1], "soon")
    message = complaint(open_forecasts(write(tmp_path / "t.csv", bad), time="t", arrivals="due"))
    assert "t.csv:3:" in message
    assert "column 'due' holds 'soon'" in message


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"format": "svmlight"}, "tables of forecasts are csv"),
        ({"target": "a", "time": "a"}, "three columns"),
        ({"experts": ["a", "a"]}, "named twice"),
        ({"experts": ["a", "y"], "target": "y"}, "something else already"),
    ],
)
def test_options_that_contradict_each_other_are_refused(tmp_path, options, words):
    """What cannot be meant is refused before anything is read."""
    with pytest.raises(RegretlessError, match=words):
        open_forecasts(tmp_path / "none.csv", **options)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "the file is empty"),
        ("a,y\n", "no rows"),
        ("y,kind\n1,x\n", "no column of numbers besides 'y'"),
        ("a,a,y\n1,2,3\n", "several columns are called 'a'"),
        ("a,y\n1,x\n2,z\n", "column 'y' holds 'x'"),
    ],
)
def test_tables_that_are_none_are_refused(tmp_path, text, words):
    """A file without rows, experts or outcomes says what is missing."""
    assert words in complaint(open_forecasts(write(tmp_path / "t.csv", text)))


def test_missing_files_and_folders_say_so(tmp_path):
    """The error of a file that is not there names it."""
    assert "no such file" in complaint(open_forecasts(tmp_path / "none.csv"))
    with pytest.raises(DataError, match="no such file"):
        open_forecasts(tmp_path / "none.npz")


def test_arrays_may_be_named_among_the_experts(tmp_path):
    """In an archive --experts picks columns by name, or the array of forecasts itself."""
    path = tmp_path / "t.npz"
    np.savez(path, ensemble=np.arange(6).reshape(3, 2), obs=np.arange(3.0))
    stream = open_forecasts(path, experts=["ensemble"])
    assert read(stream)[0].tolist() == [[0, 1], [2, 3], [4, 5]]
    assert stream.experts == ["0", "1"]
    assert "--experts NAME among 'ensemble', 'obs'" in complaint(open_forecasts(path))
    np.savez(path, relatives=np.ones((3, 2)), names=["x", "y"])
    stream = open_forecasts(path, experts=["y"], need_target=False)
    assert read(stream)[0].shape == (3, 1)


@pytest.mark.parametrize(
    ("arrays", "words"),
    [
        ({"experts": np.ones(3), "y": np.ones(3)}, "forecasts of shape"),
        ({"experts": np.ones((3, 2)), "y": np.ones(2)}, "is of shape"),
        ({"experts": np.ones((3, 2)), "y": np.array(["a", "b", "c"])}, "holds no numbers"),
        ({"experts": np.ones((3, 2)), "y": np.ones(3), "names": ["a"]}, "1 names for 2 experts"),
        ({"experts": np.array([[1, np.nan]]), "y": np.ones(1)}, "has no value in any row"),
        ({"experts": np.ones((3, 2))}, "it is not said what the outcome is"),
    ],
)
def test_archives_that_do_not_fit_are_refused(tmp_path, arrays, words):
    """Arrays of wrong shapes or types are refused in words."""
    np.savez(tmp_path / "t.npz", **arrays)
    assert words in complaint(open_forecasts(tmp_path / "t.npz"))


def test_a_damaged_archive_is_one_error(tmp_path):
    """What cannot be unpacked is a DataError with the file's name."""
    path = write(tmp_path / "t.npz", "no archive")
    assert str(path) in complaint(open_forecasts(path))


def test_an_archive_is_read_in_pieces(tmp_path):
    """A large array comes in several batches, outcomes and times with it."""
    advice = np.arange(400_000.0).reshape(-1, 4)
    np.savez(tmp_path / "t.npz", experts=advice, y=np.arange(100_000), when=np.arange(100_000))
    stream = open_forecasts(tmp_path / "t.npz", time="when")
    assert len(list(stream.batches())) > 1
    forecasts, outcomes = read(stream, 7)
    np.testing.assert_array_equal(forecasts, advice[7:])
    np.testing.assert_array_equal(outcomes, np.arange(7, 100_000))


# ---- writing


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_what_is_written_is_read_back(tmp_path, suffix):
    """Rows written in blocks of any size are those that are read, to the bit; nan is a missing value."""
    path = tmp_path / f"o.{suffix}"
    values = np.random.default_rng(0).normal(size=(50, 2))
    values[-1, 1] = np.nan
    out = ColumnsOut(path, lambda: ["when", "a", "y"])
    for begin, end in ((0, 1), (1, 2), (2, 50)):
        out.write([f"2030-01-01, {k}" for k in range(begin, end)], list(values[begin:end].T))
    assert not path.exists()
    out.finish()
    advice, outcomes = read(open_forecasts(path, time="when"))
    np.testing.assert_array_equal(advice[:, 0], values[:, 0])
    np.testing.assert_array_equal(outcomes, values[:, 1])
    assert [one.name for one in tmp_path.iterdir()] == [path.name]


def test_what_is_given_up_leaves_nothing(tmp_path):
    """A file that is discarded leaves the old one as it was, and no other."""
    path = write(tmp_path / "o.csv", "old")
    out = ColumnsOut(path, lambda: ["when", "a"])
    out.write(["1"], [np.ones(1)])
    out.discard()
    assert path.read_text() == "old"
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs POSIX pipes")
def test_what_is_no_regular_file_is_written_to_as_it_is(tmp_path):
    """A named pipe is not replaced by a file: its reader gets the rows."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    results: list[str] = []
    reader = threading.Thread(target=lambda: results.append(pipe.read_text()))
    reader.start()
    out = ColumnsOut(pipe, lambda: ["when", "a"])
    out.write(["1"], [np.ones(1)])
    out.finish()
    reader.join(60)
    assert results == ["when,a\n1,1.0\n"]
    assert pipe.is_fifo()


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_without_rows_there_are_columns(tmp_path, suffix):
    """A file without rows has its columns."""
    from pyarrow import csv, parquet

    path = tmp_path / f"o.{suffix}"
    ColumnsOut(path, lambda: ["when", "a"]).finish()
    table = csv.read_csv(path) if suffix == "csv" else parquet.read_table(path)
    assert table.column_names == ["when", "a"]


# ---- real data


def test_real_tables_are_read(data):
    """The public tables have the experts and rows that their publishers tell of."""
    stream = open_forecasts(data / "experts/epf_BE.csv.xz", target="Real price", time="time")
    advice, outcomes = read(stream)
    assert advice.shape == (17_472, 10)
    assert outcomes[0] == 36.26
    stream = open_forecasts(data / "experts/opera_regional.npz", time="date_unix")
    assert read(stream)[0].shape == (398, 65)
    assert stream.experts[0] == "nat0.05"
    stream = open_forecasts(data / "experts/flusight_2015.csv.xz")
    assert np.isnan(read(stream)[0]).any()
    assert stream.notes


def test_a_column_of_dates_is_not_taken_for_an_expert_in_silence(tmp_path):
    """A column of whole numbers that grow is an expert unless it is named as the time, and a note says so."""
    rows = "".join(f"{20300101 + t},{t % 3},{t % 4}\n" for t in range(20))
    path = write(tmp_path / "t.csv", "day,a,load\n" + rows)
    stream = open_forecasts(path, target="load")
    list(stream.batches())
    assert stream.experts == ["day", "a"]
    assert any("'day' grows from row to row" in note for note in stream.notes)
    for options in ({"time": "day"}, {"experts": ["day", "a"]}):
        quiet = open_forecasts(path, target="load", **options)
        list(quiet.batches())
        assert not quiet.notes
