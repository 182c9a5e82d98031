"""Reading ahead in another thread."""

from __future__ import annotations

import threading
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

from regretless.data import arrow, delimited, open_stream, svmlight
from regretless.data.batch import Batch
from regretless.data.stream import AHEAD, read_ahead
from regretless.errors import DataError, Interrupted, ParameterError

from ..command_line import BARE, CommandLine

ROWS = 400


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks so small that a file has many of them."""
    monkeypatch.setattr(delimited, "SMALLEST", 500)
    monkeypatch.setattr("regretless.data.csv.BYTES_PER_COLUMN", 100)
    monkeypatch.setattr("regretless.data.csv.SMALLEST", 500)
    monkeypatch.setattr(arrow, "ENTRIES", 60)


def write(path: Path, bad: int | None = None) -> Path:
    """A file of so many rows, of which one cannot be used."""
    x = [str(t % 7) for t in range(ROWS)]
    if bad is not None:
        x[bad] = "x"
    words = [f"w{t % 11 + t // 50}" for t in range(ROWS)]
    if path.suffix == ".csv":
        rows = "".join(f"{a},{b},{t % 2}\n" for t, (a, b) in enumerate(zip(x, words, strict=True)))
        path.write_text(f"x,word,label\n{rows}")
    elif path.suffix == ".svm":
        path.write_text("".join(f"{t % 2} 1:{a} {t % 9 + 2}:1\n" for t, a in enumerate(x)))
    else:
        numbers = [float("nan") if one == "x" else float(one) for one in x]
        table = pa.table({"x": numbers, "word": words, "label": [t % 2 for t in range(ROWS)]})
        pa.parquet.write_table(table, path, row_group_size=90)
    return path


def stream_of(path: Path, threads: Any, **options: Any) -> Any:
    """Its rows, in small blocks too where the format leaves that to the stream."""
    stream = open_stream(path, threads=threads, **options)
    if isinstance(stream, svmlight.SvmlightStream):
        stream._block = 500
    return stream


def contents(batches: Iterator[Batch]) -> list[Any]:
    """All that is in some batches."""
    arrays = [(b.values, b.labels, b.indices, b.starts) for b in batches]
    return [[None if one is None else np.asarray(one).tolist() for one in each] for each in arrays]


@pytest.mark.parametrize("name", ["a.csv", "a.svm", "a.parquet"])
def test_the_batches_and_the_schema_are_the_same(tmp_path: Path, name: str) -> None:
    """With two threads every batch, and what is known of the columns with it, are those of one."""
    one, two = (stream_of(write(tmp_path / name), threads) for threads in (1, 2))
    count = 0
    for left, right in zip(one.batches(), two.batches(), strict=True):
        assert contents(iter([left])) == contents(iter([right]))
        assert one.schema() == two.schema()
        count += 1
    assert count > 4


@pytest.mark.parametrize("name", ["a.csv", "a.svm", "a.parquet"])
@pytest.mark.parametrize("on_error", ["raise", "skip"])
def test_a_bad_row_is_complained_of_at_the_same_place(tmp_path: Path, name: str, on_error: str) -> None:
    """The rows before a bad one are the same, and so are the message and what is passed over."""
    path, results = write(tmp_path / name, bad=250), []
    for threads in (1, 2):
        stream, batches = stream_of(path, threads, on_error=on_error), []
        try:
            for batch in stream.batches():
                batches.append(batch)
            error = ""
        except DataError as raised:
            error = str(raised)
        results.append((contents(iter(batches)), error, stream.skipped, stream.first_errors))
    assert results[0] == results[1]
    assert (on_error == "raise") == bool(results[0][1])


def test_no_more_is_read_ahead_than_is_allowed() -> None:
    """Before an item is used, no more than a fixed number behind it have been read."""
    read = 0

    def items() -> Generator[int, None, None]:
        nonlocal read
        for item in range(50):
            read = item
            yield item

    for used in read_ahead(items()):
        assert read <= used + AHEAD + 1


def test_the_thread_has_ended_when_nothing_more_is_wanted(tmp_path: Path) -> None:
    """A reading that is given up, or interrupted, leaves no thread and no open file behind."""
    before = threading.active_count()
    batches = stream_of(write(tmp_path / "a.csv"), 2).batches()
    next(batches)
    next(batches)
    assert threading.active_count() == before + 1
    with pytest.raises(Interrupted):
        batches.throw(Interrupted("interrupted"))
    assert threading.active_count() == before


def test_threads_are_one_or_two(tmp_path: Path) -> None:
    """Other numbers of threads are refused by name."""
    with pytest.raises(ParameterError, match="threads"):
        stream_of(write(tmp_path / "a.csv"), 3)


def test_a_model_learned_with_two_threads_has_the_same_bytes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The command line learns the same model and predicts the same rows with two threads, and shards refuse them."""
    run, path = CommandLine(capsys, monkeypatch), write(tmp_path / "a.csv")
    for threads in (1, 2):
        assert run("learn", path, *BARE, "--threads", threads, "--save", tmp_path / f"{threads}.rgl").code == 0
    model = tmp_path / "1.rgl"
    assert model.read_bytes() == (tmp_path / "2.rgl").read_bytes()
    assert run("predict", model, path, "--threads", 2).out == run("predict", model, path).out
    refused = run("learn", path, path, *BARE, "--workers", 2, "--threads", 2)
    assert refused.code == 2
    assert "--threads is for one file" in refused.err
