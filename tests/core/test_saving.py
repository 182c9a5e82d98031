"""Nothing that was learned is lost: what is saved can be read, whatever rows had to be refused before."""

from __future__ import annotations

import errno
import gc
import os
import stat
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from regretless import load
from regretless.atomic_write import HOST, Replacement, replacing
from regretless.catalogue import EXPERT_LEARNERS, LEARNERS, expert_class, learner_class
from regretless.data import column_writer
from regretless.data.column_writer import ColumnsOut
from regretless.errors import RegretlessError
from regretless.linear import Perceptron
from regretless.persist.format import read_model, write_model

from ..command_line import BARE, CommandLine, noisy_lines, write
from ..examples import at_most
from ..kills import forecast_lines

SETTINGS: dict[str, list[dict[str, Any]]] = {
    "perceptron": [{}, {"intercept": 1.0}],
    "margin-perceptron": [{"gamma": 0.05, "max_passes": 3}],
    "passive-aggressive": [{"variant": variant} for variant in ("PA", "PA-I", "PA-II")],
    "online-gradient-descent": [
        {},
        {"radius": 1.0, "loss": "logistic"},
        {"loss": "square", "schedule": "constant"},
        {"radius": 1e150, "loss": "squared-hinge", "schedule": "scale-free", "rate": 1e60},
    ],
    "winnow": [{"balanced": True}, {"rate": 1.0}, {"rate": 0.5, "intercept": 1.0}, {"rate": 1e290}],
    "p-norm-perceptron": [{}, {"p": 3}],
    "second-order-perceptron": [{"matrix": "full"}, {"matrix": "diagonal"}],
    "arow": [{"matrix": "full"}, {"matrix": "diagonal"}, {"r": 1e-200}],
    "aggregated": [{}, {"share": False, "intercept": 0.0}, {"full": 0, "coins": False, "rates": (1e3,)}],
    "kernel-perceptron": [{"kernel": "linear"}, {"kernel": "poly", "gamma": 1.0}, {"kernel": "rbf", "gamma": 1.0}],
}
CASES = [(name, settings) for name in LEARNERS for settings in SETTINGS.get(name, [{}])]
EVERY = pytest.mark.parametrize(("name", "settings"), CASES, ids=[f"{n}-{list(s.values())}" for n, s in CASES])
OF_BOUNDED_LOSS = ("weighted-majority", "randomized-weighted-majority", "aggregating")
SIZES = [1e-300, 1e-160, 1e-80, 1e-10, 1.0, 1e10, 1e50, 1e76, 1e100, 9e153, 1e160, 1e300]
NUMBERS = st.builds(lambda size, sign: size * sign, st.sampled_from(SIZES), st.sampled_from([-1.0, 0.0, 1.0, 0.7]))
ROUNDS = st.lists(
    st.tuples(
        st.tuples(NUMBERS, NUMBERS, NUMBERS), st.integers(0, 2), st.sampled_from([1.0, 1.0, 0.0, 1e-300, 1e150, 1e300])
    ),
    min_size=1,
    max_size=12,
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One folder for the files of all examples."""
    return tmp_path_factory.mktemp("saved")


@EVERY
@at_most(10)
@given(rounds=ROUNDS, classes=st.integers(2, 3))
def test_a_learner_can_be_saved_after_the_last_of_any_rounds(folder, name, settings, rounds, classes):
    """However large the rows of some rounds were, what a learner has learned after the last of them is saved, read, and
    saved as the same bytes; a round that is refused changes nothing of it."""
    first, second = folder / "a.rgl", folder / "b.rgl"
    learner = learner_class(name)(**settings)
    learner.partial_fit([[1.0, 0.0, -1.0]], [0], classes=range(classes))
    for row, label, weight in rounds:
        before = deepcopy(learner)
        try:
            learner.partial_fit([row], [label % classes], sample_weight=[weight])
        except RegretlessError:
            before.save(first)
            learner.save(second)
            assert second.read_bytes() == first.read_bytes()
    learner.save(first)
    load(first).save(second)
    assert second.read_bytes() == first.read_bytes()


@pytest.mark.parametrize("classes", [2, 3])
@EVERY
def test_a_refused_round_that_shows_a_new_column_changes_nothing(tmp_path, name, settings, classes):
    """A learner whose known column speaks against a class by far is left as it was by any sparse row of another column
    that is refused."""
    first, second = tmp_path / "a.rgl", tmp_path / "b.rgl"
    learner = learner_class(name)(**settings)
    for _ in range(8):  # plain Winnow weighs columns that it has not seen as if nothing spoke against them
        learner.partial_fit(csr_array(([100.0], ([0], [0])), shape=(1, 5)), [0], classes=range(classes))
    learner.save(first)
    for size in SIZES:
        learner = load(first)
        with suppress(RegretlessError):
            learner.partial_fit(csr_array(([size], ([0], [4])), shape=(1, 5)), [0], sample_weight=[1e299])
            continue
        learner.save(second)
        assert second.read_bytes() == first.read_bytes()


# ---- what is said to be saved is


@pytest.fixture
def run(capsys, monkeypatch) -> CommandLine:
    return CommandLine(capsys, monkeypatch)


@pytest.fixture
def full_disk(monkeypatch):
    """Have the disk full once so many files were written."""

    def arrange(written: int) -> None:
        fsync, left = os.fsync, [written]

        def full(descriptor: int) -> None:
            if stat.S_ISREG(os.fstat(descriptor).st_mode):
                if not left[0]:
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
                left[0] -= 1
            fsync(descriptor)

        monkeypatch.setattr(os, "fsync", full)

    return arrange


def test_rows_that_would_spoil_the_model_are_refused_and_the_model_stays_good(run, tmp_path):
    """Rows whose squares add up beyond the floats end a run with what is kept, and that is a model which goes on."""
    good = write(tmp_path / "good.svm", noisy_lines(200))
    huge = write(tmp_path / "huge.svm", [f"{1 - 2 * (k % 2)} 1:9e153 2:{k}\n" for k in range(12)])
    model = tmp_path / "m.rgl"
    assert run("learn", good, *BARE, "--save", model).code == 0
    stopped = run("learn", huge, "--resume", model, "--no-certify", "--quiet")
    assert stopped.code == 1
    assert f"{huge}:1: row 1 is so long" in stopped.err
    assert run("inspect", model, "--json").json["rounds"] == 200
    assert run("learn", good, "--resume", model, "--no-certify", "--quiet").code == 0


def test_a_full_disk_is_not_said_to_hold_an_epoch(run, tmp_path, full_disk):
    """A run over shards whose first epoch cannot be saved says why, claims nothing, and leaves nothing."""
    shards = [write(tmp_path / f"part-{k}.svm", noisy_lines(50, seed=k)) for k in range(2)]
    full_disk(0)
    stopped = run("learn", *shards, *BARE, "--workers", 1, "--passes", 3, "--save", tmp_path / "m.rgl")
    assert stopped.code == 1
    assert "No space left on device" in stopped.err
    assert "kept" not in stopped.err
    assert sorted(tmp_path.iterdir()) == shards


def test_a_disk_that_fills_up_keeps_the_epoch_before(run, tmp_path, full_disk):
    """A run over shards claims the last epoch that was written, and goes on from there to the same bytes."""
    shards = [write(tmp_path / f"part-{k}.svm", noisy_lines(50, seed=k)) for k in range(2)]
    words = ("learn", *shards, *BARE, "--workers", 1, "--passes", 3)
    run(*words, "--save", tmp_path / "whole.rgl")
    full_disk(2)
    stopped = run(*words, "--save", tmp_path / "m.rgl")
    assert stopped.code == 1
    assert f"2 epochs of 3 are kept in {tmp_path / 'm.rgl'}" in stopped.err
    assert run("inspect", tmp_path / "m.rgl", "--json").json["mixing"]["epochs"] == 2


@pytest.mark.parametrize("written", [0, 2])
@pytest.mark.parametrize("verb", ["learn", "combine"])
def test_a_checkpoint_that_is_claimed_exists(run, tmp_path, full_disk, verb, written):
    """On a disk that fills up the rounds are claimed that the file has, if any; a temporary file is not left."""
    if verb == "learn":
        rows = write(tmp_path / "rows.svm", noisy_lines(1000))
        words = ("learn", rows, *BARE)
    else:
        rows = write(tmp_path / "rows.csv", forecast_lines(1000))
        words = ("combine", rows, "--target", "y", "--quiet")
    model = tmp_path / "m.rgl"
    full_disk(written)
    stopped = run(*words, "--save", model, "--checkpoint-every", 100)
    assert stopped.code == 1
    assert f"{model}: No space left on device" in stopped.err
    assert ("200 rounds are kept" in stopped.err) == model.exists() == (written > 0)
    assert {path.name for path in tmp_path.iterdir()} == {rows.name, *(["m.rgl"] if written else [])}
    if written:
        assert run("inspect", model, "--json").json["rounds"] == 200


def test_a_full_disk_does_not_hide_the_row_that_is_wrong(run, tmp_path, full_disk):
    """When a row cannot be used and the rows before it cannot be saved, both are said."""
    rows = write(tmp_path / "rows.svm", [*noisy_lines(100), "oops\n"])
    full_disk(0)
    stopped = run("learn", rows, *BARE, "--save", tmp_path / "m.rgl")
    assert stopped.code == 1
    assert "rows.svm:101:1" in stopped.err
    assert "nothing is kept; " in stopped.err
    assert "No space left on device" in stopped.err


def test_a_finished_model_knows_its_rows(run, tmp_path):
    """Going on with the file that a finished model has learned from is reported; with other rows nothing is said."""
    rows, others = (write(tmp_path / f"{seed}.svm", noisy_lines(300, seed=seed)) for seed in range(2))
    model = tmp_path / "m.rgl"
    run("learn", rows, *BARE, "--passes", 2, "--save", model)
    words = ("--resume", model, "--no-certify", "--quiet")
    assert run("learn", others, *words, "--save", tmp_path / "other.rgl").err == ""
    again = run("learn", rows, *words)
    assert again.code == 0
    assert f"{rows} is, as it seems, what the model had learned from" in again.err


# ---- temporary files, and two who write


def test_what_a_killed_process_left_over_is_removed(tmp_path):
    """The next who writes a file removes the temporary ones of it that nobody holds, and no others."""
    learner = Perceptron().fit([[1.0], [-1.0]], [1, -1])
    stray, other, alive, elsewhere, foreign = (
        tmp_path / f".{name}.tmp"
        for name in (
            f"m.rgl.{HOST}.123.{'a' * 16}",
            f"n.rgl.{HOST}.123.{'a' * 16}",
            f"m.rgl.{HOST}.456.{'b' * 16}",
            f"m.rgl.another{HOST}.123.{'a' * 16}",  # whose locks this machine may not see
            "m.rgl.mine",
        )
    )
    for path in (stray, other, alive, elsewhere, foreign):
        path.write_bytes(b"half")
    fcntl = pytest.importorskip("fcntl")
    with alive.open() as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        learner.save(tmp_path / "m.rgl")
    assert set(tmp_path.iterdir()) == {tmp_path / "m.rgl", other, alive, elsewhere, foreign}


@pytest.mark.skipif(os.name != "posix", reason="needs POSIX permissions")
def test_a_private_file_is_private_while_it_is_replaced(tmp_path):
    """The temporary file of a private one can be read by nobody else, and the permissions are there before the name."""
    path, before = tmp_path / "m.rgl", os.umask(0o022)
    try:
        path.write_bytes(b"old")
        path.chmod(0o640)
        replacement = Replacement(path)
        (temporary,) = set(tmp_path.iterdir()) - {path}
        assert temporary.name.split(".")[3] == HOST
        assert stat.S_IMODE(temporary.stat().st_mode) == 0o600
        replacement.finish()
        assert stat.S_IMODE(path.stat().st_mode) == 0o640
    finally:
        os.umask(before)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="who is not root gives nothing away")
def test_a_replaced_file_stays_its_owners(tmp_path):
    """Who may do that gives a file that is replaced to whom it belonged before."""
    path = tmp_path / "m.rgl"
    path.touch()
    os.chown(path, 1234, 2345)
    write_model(path, {}, {})
    assert (path.stat().st_uid, path.stat().st_gid) == (1234, 2345)


@pytest.mark.parametrize("path", ["new/", "new/.", "new/.."])
def test_what_ends_as_a_folder_is_no_file(tmp_path, path):
    """A name that ends in a separator, or in the folder itself, is refused and leaves nothing."""
    with pytest.raises(IsADirectoryError, match="new/"):
        Replacement(f"{tmp_path}/{path}")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not os.path.exists("/dev/fd"), reason="needs names of open files")
def test_a_pipe_is_written_to_by_its_name(tmp_path):
    """A pipe's name under /dev leads to the pipe, though no path does."""
    reading, writing = os.pipe()
    with replacing(f"/dev/fd/{writing}") as file:
        file.write(b"rows")
    os.close(writing)
    with open(reading, "rb") as read:
        assert read.read() == b"rows"


@pytest.mark.parametrize("rows", [column_writer._TextRows, column_writer._ParquetRows])
@pytest.mark.parametrize("at", ["__init__", "write"])
def test_a_table_that_fails_is_given_up(tmp_path, monkeypatch, rows, at):
    """A table whose rows cannot be begun, or written, leaves no temporary file, and the old one stays."""
    path = tmp_path / ("t.csv" if rows is column_writer._TextRows else "t.parquet")
    path.write_bytes(b"old")

    def full(*_: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(rows, at, full)
    table = ColumnsOut(path, lambda: ["time", "x"])
    with pytest.raises(OSError, match="No space left") as error:
        table.write(["1"], [np.ones(1)])
    assert error.value.filename == str(path)
    table.finish()
    table.discard()
    assert {name.name: name.read_bytes() for name in tmp_path.iterdir()} == {path.name: b"old"}


def test_a_parquet_table_is_given_up_without_a_word(tmp_path, monkeypatch):
    """What is given up in the middle of a Parquet table does not complain when it goes."""
    calls: list[Any] = []
    monkeypatch.setattr(sys, "unraisablehook", calls.append)
    table = ColumnsOut(tmp_path / "t.parquet", lambda: ["time", "x"])
    table.write(["1"], [np.ones(1)])
    table.discard()
    del table
    gc.collect()
    assert calls == []
    assert list(tmp_path.iterdir()) == []


def test_of_two_who_write_a_model_the_last_wins(tmp_path):
    """Models that are written under one name at once replace each other whole, and nobody's is torn or refused."""
    path = tmp_path / "m.rgl"
    models = [({"writer": k}, {"w": np.full(20_000, float(k))}) for k in range(2)]

    def write_often(k: int) -> None:
        for _ in range(50):
            write_model(path, *models[k])

    with ThreadPoolExecutor(2) as threads:
        for done in [threads.submit(write_often, k) for k in range(2)]:
            done.result()
    meta, arrays = read_model(path)
    assert (arrays["w"] == meta["writer"]).all()
    assert list(tmp_path.iterdir()) == [path]
    write_model(path, *models[0])
    assert read_model(path)[0] == {"writer": 0}


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", [name for name in EXPERT_LEARNERS if name not in OF_BOUNDED_LOSS])
def test_a_combiner_can_be_saved_after_any_rounds(tmp_path, name):
    """However large forecasts and outcomes were, what a combiner has learned is saved, read, and saved as the same
    bytes."""
    first, second = tmp_path / "a.rgl", tmp_path / "b.rgl"
    rng = np.random.default_rng(0)
    for _ in range(5):
        learner = expert_class(name)(n_experts=3, loss="square")
        learner.play([[0.0, 1.0, 2.0]], [1.0])
        for _ in range(5):
            advice = rng.choice(SIZES, 3) * rng.choice([-1.0, 0.0, 1.0], 3)
            with suppress(RegretlessError):
                learner.play(advice[None], [float(rng.choice(SIZES))])
            learner.save(first)
            load(first).save(second)
            assert second.read_bytes() == first.read_bytes()
