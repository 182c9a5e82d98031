"""Bytes from plain, compressed and piped files."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import threading
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from regretless.data.source import (
    DECOMPRESSORS,
    Cached,
    LiveInput,
    can_be_read_again,
    name_of,
    open_bytes,
    read_ready,
    suffixes,
    whole_file,
)
from regretless.errors import DataError, RegretlessError

TEXT = os.urandom(3 << 19)


PACK = {".gz": gzip.compress, ".xz": lzma.compress, ".bz2": bz2.compress}


def fill(file: Any, size: int) -> bytes:
    return read_ready(file, size)[0]


def packed(suffix: str, tmp_path: Path, text: bytes = TEXT) -> Path:
    path = tmp_path / f"rows{suffix}"
    if suffix == ".zst":
        with pa.OSFile(str(path), "wb") as raw, pa.CompressedOutputStream(raw, "zstd") as file:
            file.write(text)
    else:
        path.write_bytes(PACK[suffix](text) if suffix else text)
    return path


class Standard:
    """Stands for sys.stdin."""

    def __init__(self, text: bytes) -> None:
        self.buffer: io.BytesIO | io.BufferedReader = io.BytesIO(text)


@pytest.mark.parametrize("suffix", ["", ".gz", ".xz", ".bz2", ".zst"])
def test_every_compression_gives_the_bytes_that_went_in(suffix: str, tmp_path: Path) -> None:
    """Reading a file back gives what was packed, whatever the suffix."""
    with open_bytes(packed(suffix, tmp_path)) as file:
        assert fill(file, 1000) + fill(file, 10 << 20) == TEXT
        assert fill(file, 10) == b""


@pytest.mark.parametrize("suffix", [".gz", ".xz", ".bz2", ".zst"])
def test_a_file_cut_short_is_named(suffix: str, tmp_path: Path) -> None:
    """A truncated file raises a DataError that begins with its path."""
    path = packed(suffix, tmp_path)
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(DataError, match="the compressed data are damaged") as caught, open_bytes(path) as file:
        fill(file, 10 << 20)
    assert str(caught.value).startswith(f"{path}: ")


@pytest.mark.parametrize("suffix", [".gz", ".xz", ".bz2", ".zst"])
def test_a_file_that_is_not_what_its_suffix_says_is_named(suffix: str, tmp_path: Path) -> None:
    """Plain text under a compressed name is an error, not rows."""
    path = tmp_path / f"rows{suffix}"
    path.write_bytes(b"+1 1:2\n" * 1000)
    with pytest.raises(DataError, match="damaged"), open_bytes(path) as file:
        fill(file, 100)


@pytest.mark.parametrize("suffix", [".gz", ".zst"])
def test_concatenated_members_are_read_one_after_the_other(suffix: str, tmp_path: Path) -> None:
    """Two compressed files in one give both texts."""
    path = packed(suffix, tmp_path, b"one\n")
    path.write_bytes(path.read_bytes() * 2)
    with open_bytes(path) as file:
        assert fill(file, 100) == b"one\none\n"


def test_what_is_no_file_has_a_plain_message(tmp_path: Path) -> None:
    """A missing file and a folder are distinguished in words, without errno."""
    with pytest.raises(DataError, match=r"nothing.svm: there is no such file; check its name"):
        open_bytes(tmp_path / "nothing.svm")
    with pytest.raises(DataError, match="this is a folder"):
        open_bytes(tmp_path)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read_has_a_plain_message(tmp_path: Path) -> None:
    """A file without read permission says so."""
    path = packed("", tmp_path)
    path.chmod(0)
    with pytest.raises(DataError, match="may not be read"):
        open_bytes(path)


def test_standard_input_stays_open(monkeypatch: pytest.MonkeyPatch) -> None:
    """Closing the reader of - does not close standard input."""
    standard = Standard(b"abc")
    monkeypatch.setattr("sys.stdin", standard)
    with open_bytes("-") as file:
        assert fill(file, 2) == b"ab"
    assert standard.buffer.read() == b"c"
    assert name_of("-") == "<stdin>"
    assert not can_be_read_again("-")


@pytest.mark.parametrize("suffix", [".gz", ".xz", ".zst"])
def test_compressed_standard_input(suffix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What comes compressed through a pipe is read as its file is, and one cut short is named."""
    stored = packed(suffix, tmp_path).read_bytes()
    standard = Standard(b"")
    monkeypatch.setattr("sys.stdin", standard)
    standard.buffer = io.BufferedReader(io.BytesIO(stored))
    with open_bytes("-") as file:
        assert fill(file, 10 << 20) == TEXT
    assert not standard.buffer.closed
    standard.buffer = io.BufferedReader(io.BytesIO(stored[:-100]))
    with pytest.raises(DataError, match="<stdin>: the compressed data are damaged"), open_bytes("-") as file:
        fill(file, 10 << 20)


def test_closed_standard_input_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a standard input, - is a DataError and no AttributeError."""
    monkeypatch.setattr("sys.stdin", None)
    with pytest.raises(DataError, match="standard input is closed"):
        open_bytes("-")


def test_a_pipe_gives_all_its_bytes_and_only_once(tmp_path: Path) -> None:
    """A named pipe whose writer dribbles fills whole blocks, and is known not to be rereadable."""
    path = tmp_path / "pipe"
    os.mkfifo(path)

    def write() -> None:
        with path.open("wb", buffering=0) as file:
            for _ in range(50):
                file.write(b"x" * 100)

    writer = threading.Thread(target=write)
    assert not can_be_read_again(path)
    writer.start()
    with open_bytes(path) as file:
        assert len(fill(file, 4000)) == 4000
        assert len(fill(file, 4000)) == 1000
    writer.join()


def test_suffixes_ignore_case_and_compression() -> None:
    """The format's suffix is the last one once a compression's is taken off."""
    assert suffixes("a.b/MAIL.CSV.GZ")[-1] == ".csv"
    assert suffixes("mail.gz") == []
    assert suffixes("-") == []


@pytest.mark.parametrize("source", ["-", "x.npz.gz"])
def test_formats_that_seek_refuse_pipes_and_compression(source: str) -> None:
    """What cannot be read here and there is refused before it is opened."""
    with pytest.raises(DataError, match="cannot be read"):
        whole_file(source, "an array")


def test_a_cache_appears_when_the_source_is_exhausted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The copy is complete, has no temporary name left beside it, and serves the second reading."""
    monkeypatch.setattr("sys.stdin", Standard(TEXT))
    copy = tmp_path / "copy.svm"
    cached = Cached("-", copy)
    with cached.open() as file:
        assert fill(file, 1000) == TEXT[:1000]
        assert not copy.exists()
        fill(file, 10 << 20)
    assert copy.read_bytes() == TEXT
    assert os.listdir(tmp_path) == ["copy.svm"]
    for _ in range(2):
        with cached.open() as file:
            assert fill(file, 10 << 20) == TEXT


def test_a_reading_that_is_broken_off_leaves_no_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither the copy nor its temporary file survives, and a second reading says why there is none."""
    monkeypatch.setattr("sys.stdin", Standard(TEXT))
    cached = Cached("-", tmp_path / "copy.svm")
    with cached.open() as file:
        fill(file, 1000)
    assert os.listdir(tmp_path) == []
    with pytest.raises(DataError, match="not read to its end"):
        cached.open()


def test_a_cache_needs_a_folder(tmp_path: Path) -> None:
    """A cache in a folder that is not there is refused before anything is read."""
    with pytest.raises(RegretlessError, match="cache="):
        Cached("-", tmp_path / "nowhere" / "copy.svm")


def test_errors_of_the_disk_are_not_called_damage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An OSError with an errno passes through unchanged."""

    def broken(file: Any) -> Any:
        class Broken:
            def readinto(self, buffer: Any) -> int:
                raise OSError(5, "Input/output error")

            def close(self) -> None:
                pass

        return Broken()

    monkeypatch.setitem(DECOMPRESSORS, ".gz", broken)
    with pytest.raises(OSError, match="Input/output") as caught, open_bytes(packed(".gz", tmp_path)) as file:
        fill(file, 1)
    assert not isinstance(caught.value, DataError)


@pytest.mark.parametrize("rows", [b"1 1:1\n", b"a,b\n1,2\n"])
def test_live_input_gives_what_is_there(monkeypatch: pytest.MonkeyPatch, rows: bytes) -> None:
    """A live pipe gives the bytes that have come, says that there may be more, and ends when it is closed."""
    reading, writing = os.pipe()
    with os.fdopen(reading, "rb") as pipe, LiveInput.open(_open_live(monkeypatch, pipe)) as file:
        os.write(writing, rows)
        assert read_ready(file, 1 << 20) == (rows, None)
        os.write(writing, rows[:3])
        assert read_ready(file, 1 << 20) == (rows[:3], None)
        os.write(writing, rows[3:])
        os.close(writing)
        assert read_ready(file, 1 << 20) == (rows[3:], True)


def _open_live(monkeypatch: pytest.MonkeyPatch, pipe: Any) -> LiveInput:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(pipe))
    return LiveInput()
