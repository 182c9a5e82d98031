"""Malformed files: each is refused in one line that says what is wrong with it, and leaves nothing half-written."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from regretless.data import open_stream
from regretless.data.batch import Batch
from regretless.data.gambit_nfg import distinct
from regretless.errors import DataError, ModelError, RegretlessError
from regretless.linear.perceptron import Perceptron
from regretless.persist.format import read_model, write_model
from regretless.persist.model import read

from .command_line import CommandLine
from .corpus.make import Case, cases
from .corpus.seeds import command, write_beside

CASES = cases()


@pytest.fixture(scope="module")
def beside(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The valid files that command lines need besides the malformed one."""
    folder = tmp_path_factory.mktemp("beside")
    write_beside(folder)
    return folder


def test_the_corpus_is_large_and_its_names_differ() -> None:
    """There are at least 150 files, and no two are written over each other."""
    assert len(CASES) >= 150
    assert len({case.name for case in CASES}) == len(CASES)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_malformed_file_is_refused_in_one_line(
    case: Case, beside: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The line names the file and what is wrong, the exit code is 1, and whatever was saved can be read."""
    monkeypatch.delenv("REGRETLESS_MAX_MEMORY", raising=False)
    file, out = tmp_path / case.name, tmp_path / "out.rgl"
    file.write_bytes(case.made())
    answer = CommandLine(capsys, monkeypatch)(*command(case.target, file, beside, out))
    lines = [line for line in answer.err.splitlines() if case.said in line]
    assert lines, answer.err
    assert answer.code == case.code
    assert lines[0].startswith("regretless: ")
    assert "REGRETLESS_TRACEBACK" not in answer.err
    assert "Traceback" not in answer.err
    if out.exists():
        read(out)
        out.unlink()
    assert [path.name for path in tmp_path.iterdir()] == [case.name]


def test_names_do_not_reach_the_terminal_as_commands(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """No escape sequence of a name, a value or a label is printed by learn, inspect, predict or a complaint."""
    run, file, out = CommandLine(capsys, monkeypatch), tmp_path / "a.csv", tmp_path / "m.rgl"
    red = "\x1b[31m\x9b\x07"
    file.write_text(f"x{red},label\n" + f"v{red},a{red}\nw,b\n" * 4)
    commands = [
        run("learn", file, "--learner", "perceptron", "--save", out),
        run("inspect", out),
        run("predict", out, file),
    ]
    commands += [run("learn", file, "--learner", "perceptron", "--target", f"no{red}")]
    assert [result.code for result in commands] == [0, 0, 0, 1]
    for result in commands:
        assert not set(result.out + result.err) & {"\x1b", "\x9b", "\x07"}
    assert "x\\x1b[31m\\x9b\\x07=v" in commands[1].out
    assert commands[2].out.startswith("a\\x1b[31m\\x9b\\x07\n")


@pytest.mark.parametrize("name", ["t.npy", "t.npz", "t.arrow", "t.parquet"])
def test_what_is_read_here_and_there_is_not_waited_for_in_a_pipe(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A FIFO that nobody writes to is refused at once."""
    os.mkfifo(tmp_path / name)
    answer = CommandLine(capsys, monkeypatch)("learn", tmp_path / name, "--learner", "perceptron", "--target", "last")
    assert answer.code == 1
    assert "cannot be read from a pipe" in answer.err


def test_an_array_that_is_cut_short_while_it_is_read_is_an_error(tmp_path: Path) -> None:
    """The rows before the cut are given and the rest is an error, where a mapped file would end the process."""
    path = tmp_path / "t.npy"
    np.save(path, np.ones((400_000, 3)))
    stream = open_stream(path, target="last")
    batches = stream.batches()
    assert len(next(batches)) > 0
    os.truncate(path, 1 << 20)
    with pytest.raises(DataError, match="an array is cut short"):
        list(batches)


def test_names_that_are_alike_are_distinct_in_proportion_to_their_number() -> None:
    """20,000 strategies of one name get 20,000 names, whose search does not begin anew for each."""
    names = distinct(["s"] * 20_000)
    assert names[:2] == ["s", "s (2)"]
    assert names[-1] == "s (20000)"
    assert distinct(["s", "s (2)", "s", ""]) == ["s", "s (2)", "s (3)", "4"]


def test_more_memory_is_allowed_by_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A table that is too wide is read once more is allowed, and refused where less is; nonsense is an error."""
    path = tmp_path / "t.csv"
    path.write_text(",".join(f"c{place}" for place in range(300)) + ",y\n" + "1," * 300 + "0\n")
    monkeypatch.setenv("REGRETLESS_MAX_MEMORY", "1M")
    with pytest.raises(DataError, match="a table of 301 columns would take"):
        list(open_stream(path).batches())
    monkeypatch.setenv("REGRETLESS_MAX_MEMORY", "2m")
    assert len(list(open_stream(path).batches())) == 1
    monkeypatch.setenv("REGRETLESS_MAX_MEMORY", "much")
    with pytest.raises(RegretlessError, match="a number of bytes such as 4G"):
        list(open_stream(path).batches())


def test_a_wrong_setting_of_memory_is_no_wrong_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the environment allows a nonsense of memory, writing or reading a model says so."""
    write_model(tmp_path / "m.rgl", {"a": 1}, {})
    monkeypatch.setenv("REGRETLESS_MAX_MEMORY", "much")
    for call in (lambda: read_model(tmp_path / "m.rgl"), lambda: write_model(tmp_path / "n.rgl", {"a": 1}, {})):
        with pytest.raises(RegretlessError, match=r"^REGRETLESS_MAX_MEMORY=much: a number of bytes") as error:
            call()
        assert not isinstance(error.value, ModelError)


@pytest.mark.parametrize(
    ("meta", "arrays"), [({"text": '"' * 100_000}, 0), ({}, 1500)], ids=["a text of quotes", "many arrays"]
)
def test_what_is_written_may_be_read_with_the_same_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, meta: dict[str, Any], arrays: int
) -> None:
    """A model is written only where as much memory is allowed as reading it takes, quotes and arrays included."""
    path = tmp_path / "m.rgl"
    tensors = {f"array {place}": np.ones(1) for place in range(arrays)}
    read, refused = 0, 0
    for allowed in range(300_000, 1_600_000, 100_000):
        monkeypatch.setenv("REGRETLESS_MAX_MEMORY", str(allowed))
        try:
            write_model(path, meta, tensors)
        except ModelError:
            refused += 1
        else:
            assert read_model(path)[0] == meta
            read += 1
    assert read
    assert refused


def test_classes_that_are_no_classes_are_refused_before_they_take_hours(monkeypatch: pytest.MonkeyPatch) -> None:
    """Labels that are all different, of many features, are refused; what was learned before stays."""
    monkeypatch.setenv("REGRETLESS_MAX_MEMORY", "1M")
    learner = Perceptron()
    rows = Batch(np.ones(400), np.arange(400.0), 500, np.zeros(400, np.int32), np.arange(401))
    with pytest.raises(RegretlessError, match="are too many to be met one by one"):
        learner.observe(rows)
    assert learner.ledger_.rounds > 50
