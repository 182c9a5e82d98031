"""Formats, pipes and caches, as `open_stream` puts them together."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import regretless.data
from regretless.data import open_stream
from regretless.data.arrow import encoded
from regretless.data.formats import ROWS, SUFFIXES
from regretless.data.rows import READERS
from regretless.errors import DataError, RegretlessError, RowError

from .test_data_csv import whole
from .test_data_source import Standard

SVM = b"1 1:2 3:4\n-1 2:1\n"
CSV = b"a,c,y\n1,u,0\n2,v,1\n"


@pytest.mark.parametrize("name", [suffix for format in ROWS.names for suffix in SUFFIXES[format]])
def test_the_suffix_chooses_the_format(name: str, tmp_path: Path) -> None:
    """Every suffix opens the class of its format, in capitals too, and --format opens it whatever the suffix."""
    path = tmp_path / f"t{name.upper()}"
    path.write_bytes(CSV)
    by_suffix = open_stream(path)
    (tmp_path / "t.data").write_bytes(CSV)
    chosen = next(format for format in ROWS.names if name in SUFFIXES[format])
    assert type(by_suffix) is type(open_stream(tmp_path / "t.data", format=chosen)) is READERS[chosen].make()
    assert by_suffix.name == str(path)


def test_svmlight_where_the_suffix_says_nothing(tmp_path: Path) -> None:
    """A file called a9a.t is read as svmlight."""
    (tmp_path / "a9a.t").write_bytes(SVM)
    assert whole(open_stream(tmp_path / "a9a.t"))[0].tolist() == [[2, 0, 4], [0, 1, 0]]


def test_options_of_other_formats_are_refused(tmp_path: Path) -> None:
    """An option that a format has no use for is an error that names those that have."""
    for path, options, takers in (
        ("t.svm", {"target": "y"}, "csv, tsv, parquet, arrow, feather, npz, npy"),
        ("t.csv", {"ids_from": 0}, "svmlight"),
        ("t.npz", {"max_features": 3, "categorical": ["a"]}, "csv, tsv, parquet, arrow, feather"),
        ("t.svm", {"missing": "zero"}, "csv"),
    ):
        with pytest.raises(RegretlessError, match=f"{list(options)[-1]} has no meaning .* but in {takers}"):
            open_stream(tmp_path / path, **options)
    with pytest.raises(RegretlessError, match="format='xlsx': the formats are svmlight, csv"):
        open_stream(tmp_path / "t.xlsx", format="xlsx")


def test_names_and_numbers_do_not_mix(tmp_path: Path) -> None:
    """What was learned from named columns is not applied to numbered ones, nor the reverse; numbered formats mix."""
    (tmp_path / "t.svm").write_bytes(SVM)
    (tmp_path / "t.csv").write_bytes(CSV)
    np.savez(tmp_path / "t.npz", X=np.eye(3), y=np.arange(3))
    schemas = {}
    for name in ("t.svm", "t.csv", "t.npz"):
        stream = open_stream(tmp_path / name)
        whole(stream)
        schemas[name] = stream.schema()
    with pytest.raises(RegretlessError, match=r"t.svm: its columns have numbers .* by their names"):
        open_stream(tmp_path / "t.svm", schema=schemas["t.csv"])
    with pytest.raises(RegretlessError, match=r"t.csv: its columns have names .* by their numbers"):
        open_stream(tmp_path / "t.csv", schema=schemas["t.npz"])
    assert whole(open_stream(tmp_path / "t.npz", schema=schemas["t.svm"]))[0].tolist() == np.eye(3).tolist()
    assert len(whole(open_stream(tmp_path / "t.svm", schema=schemas["t.npz"]))[0]) == 2


@pytest.mark.parametrize(("text", "format"), [(SVM, None), (CSV, "csv")])
def test_standard_input_is_read_once(text: bytes, format: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """A pipe gives its rows once; it says so beforehand."""
    monkeypatch.setattr("sys.stdin", Standard(text))
    stream = open_stream("-", format=format)
    assert (stream.name, stream.rereadable) == ("<stdin>", False)
    assert len(whole(stream)[0]) == 2


def test_a_second_reading_of_a_pipe_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reading a table from a pipe again does not pass for an empty file."""
    monkeypatch.setattr("sys.stdin", Standard(CSV))
    stream = open_stream("-", format="csv")
    whole(stream)
    with pytest.raises(DataError, match="<stdin>: this can be read only once; keep what is read with --cache"):
        stream.batches()


@pytest.mark.parametrize(("text", "format"), [(SVM, None), (CSV, "csv")])
def test_a_cached_pipe_is_read_again(
    text: bytes, format: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a cache a pipe gives the same rows as often as wanted, and the cache is what came through it."""
    monkeypatch.setattr("sys.stdin", Standard(text))
    stream = open_stream("-", format=format, cache=tmp_path / "copy")
    assert stream.rereadable
    first = whole(stream)
    assert (tmp_path / "copy").read_bytes() == text
    for _ in range(2):
        values, labels = whole(stream)
        assert values.tolist() == first[0].tolist()
        assert labels == first[1]
    assert stream.name == "<stdin>"


def test_a_bad_row_in_a_pipe_leaves_no_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An error before the end of a pipe leaves nothing behind."""
    monkeypatch.setattr("sys.stdin", Standard(b"1 1:1\nx\n" + b"1 1:1\n" * 1_000_000))
    with pytest.raises(DataError, match="<stdin>:2:1"):
        whole(open_stream("-", cache=tmp_path / "copy"))
    assert list(tmp_path.iterdir()) == []


def test_a_cache_of_a_file_is_not_written(tmp_path: Path) -> None:
    """What can be read again is not copied."""
    (tmp_path / "t.svm").write_bytes(SVM)
    whole(open_stream(tmp_path / "t.svm", cache=tmp_path / "copy"))
    assert not (tmp_path / "copy").exists()


def test_a_missing_file_is_found_when_it_is_read(tmp_path: Path) -> None:
    """A stream over nothing says so at its first batch."""
    for name in ("t.svm", "t.csv", "t.parquet"):
        with pytest.raises(DataError, match="there is no such file"):
            list(open_stream(tmp_path / name).batches())


def test_importing_the_package_loads_no_library() -> None:
    """Neither the package nor opening an svmlight file imports pyarrow, scipy or pandas."""
    code = (
        "import sys, regretless.data as data; data.open_stream('x.svm'); data.Batch; data.Stream; data.ArrayStream;"
        "print([name for name in ('pyarrow', 'scipy', 'pandas', 'sklearn') if name in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_the_exports_are_there() -> None:
    """Every name in __all__ can be had, and no other."""
    for name in regretless.data.__all__:
        assert getattr(regretless.data, name)
    assert set(dir(regretless.data)) >= set(regretless.data.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _: Any = regretless.data.nothing


def test_process_substitution_is_a_pipe(tmp_path: Path) -> None:
    """A path that leads to a pipe is known to be read once."""
    code = (
        "import sys; from regretless.data import open_stream; s = open_stream(sys.argv[1]);"
        "print(s.rereadable, sum(map(len, s.batches())))"
    )
    (tmp_path / "t.svm").write_bytes(SVM)
    command = f'{sys.executable} -c "{code}" <(cat {tmp_path / "t.svm"})'
    run = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "False 2"


def test_messages_count_rows_in_one_way(tmp_path: Path) -> None:
    """Text has lines, from 1, blank ones too; tables without lines have rows from 1; arrays and frames count from 0."""
    import pandas as pd

    frame = pd.DataFrame({"x": [1.0, 2.0, 3.0], "y": [0, 1, 0]})
    frame.to_parquet(tmp_path / "t.parquet")
    frame.to_feather(tmp_path / "t.feather")
    frame.to_csv(tmp_path / "t.csv", index=False)
    (tmp_path / "t.svm").write_text("1 1:1\n\n-1 1:2\n1 1:3\n")
    (tmp_path / "t.vw").write_text("1 | x:1\n-1 | x:2\n1 | x:3\n")
    np.savez(tmp_path / "t.npz", X=frame[["x"]].to_numpy(), y=frame["y"].to_numpy())
    np.save(tmp_path / "t.npy", frame.to_numpy())
    lines = {"csv": 3, "svm": 3, "vw": 2}
    for suffix in ("csv", "svm", "vw", "parquet", "feather", "npz", "npy"):
        stream = open_stream(tmp_path / f"t.{suffix}", target={"npy": "last"}.get(suffix))
        list(stream.batches())
        called = "row 1 (counted from 0)" if suffix in ("npz", "npy") else "row 2"
        line = f":{lines[suffix]}" if suffix in lines else ""
        message = str(stream.refused(RowError("", 0, 1, "is odd", "mend it"), 0))
        assert message == f"{tmp_path / f't.{suffix}'}{line}: {called} is odd; mend it"
        assert stream.place_of(2) == (f"line {lines[suffix]}" if suffix in lines else called)
    with pytest.raises(RegretlessError, match=r"^X: in row 1 \(counted from 0\), column 'x' has no value"):
        encoded(pd.DataFrame({"x": [1.0, None]}), None, frozen=False)
