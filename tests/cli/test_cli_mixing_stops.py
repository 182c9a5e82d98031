"""A run over shards that is stopped, by whatever it may be, goes on to the very bytes of the run that was not."""

from __future__ import annotations

import os
import re
import select
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from regretless.distributed import mix
from regretless.distributed.watched import WatchedEngine
from regretless.linear import Perceptron

from ..command_line import CommandLine, start, write
from ..distributed.shards import TELLS, alive, children, command_of, parts

PATIENCE = 120  # seconds until a process that should have ended is given up
HERE = ("--workers", 1, "--no-certify", "--quiet")
MIXED = ("--learner", "averaged-perceptron", *HERE)
POSIX = pytest.mark.skipif(not TELLS, reason="this system does not tell which processes a process has started")


@pytest.fixture
def run(capsys, monkeypatch) -> CommandLine:
    return CommandLine(capsys, monkeypatch)


@pytest.fixture
def strike(monkeypatch):
    """Have a signal sent to this process when the work on so many shards is done."""

    def arrange(shards: int, number: int) -> None:
        original, done = WatchedEngine.done, []

        def watched(attended: WatchedEngine, place: int) -> None:
            done.append(place)
            if len(done) == shards:
                signal.raise_signal(number)
            original(attended, place)

        monkeypatch.setattr(WatchedEngine, "done", watched)

    return arrange


@pytest.mark.skipif(os.name != "posix", reason="needs POSIX signals")
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
@pytest.mark.parametrize("saved", [True, False])
def test_who_is_stopped_while_certifying_a_mixture_is_not_sent_to_resume(
    run, tmp_path, monkeypatch, saved, number, code
):
    """Of a run whose certificates alone were stopped nothing is left to go on with; certify gives them. JSON has the
    run without them."""
    files, model = parts(tmp_path, shards=2), tmp_path / "m.rgl"
    monkeypatch.setattr("regretless.distributed.result.Mixture.certify", lambda *_, **__: signal.raise_signal(number))
    keep = ("--save", model) if saved else ()
    stopped = run("learn", *files, "--learner", "perceptron", "--workers", 1, "--quiet", "--passes", 2, *keep)
    assert stopped.code == code
    then = f"for its certificates: regretless certify {model}, the same shards"
    what = f"the whole run is kept in {model}; {then}" if saved else "nothing was kept, for there is no --save"
    assert stopped.err == f"regretless: interrupted while certifying; {what}\n"
    output = run("learn", *files, "--learner", "perceptron", "--workers", 1, "--json").json
    assert (output["epochs"], output["certificates"], output["ended"][:28]) == (1, [], "interrupted while certifying")


@pytest.mark.parametrize("shards", [1, 4, 5, 7, 14])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_leaves_the_last_whole_epoch(run, tmp_path, strike, monkeypatch, shards, number):
    """Ctrl-C or termination anywhere in three epochs of four shards ends with 130 or 143, and --resume finishes."""
    files = parts(tmp_path, shards=4)
    whole, model = tmp_path / "whole.rgl", tmp_path / "m.rgl"
    run("learn", *files, *MIXED, "--passes", 4, "--save", whole)
    strike(shards, number)
    stopped = run("learn", *files, *MIXED, "--passes", 4, "--save", model)
    monkeypatch.undo()
    assert stopped.code == {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 129}[number]
    done = (shards - 1) // 4
    if not done:
        assert "no epoch was finished" in stopped.err
        assert not model.exists()
        return
    assert re.search(rf"interrupted; {done} epochs? of 4 (is|are) kept in .*--resume {model}", stopped.err)
    mixing = run("inspect", model, "--json").json["mixing"]
    assert (mixing["epochs"], mixing["epochs_asked"]) == (done, 4)
    assert f"stopped after {done} of 4 epochs" in run("inspect", model).out
    assert run("learn", *files, *HERE, "--resume", model).code == 0
    assert model.read_bytes() == whole.read_bytes()


@pytest.mark.parametrize("pooled", [False, True])
def test_a_signal_raises_where_this_process_plays_only(tmp_path, pooled):
    """Work may be broken off by a signal's handler in this process; a pool, whose locks that would leave taken, is
    asked to stop."""
    events = []
    with ThreadPoolExecutor(2) as threads:
        attended = WatchedEngine(threads if pooled else None, 3, lambda text: None)
        mix(Perceptron(), parts(tmp_path, shards=3), attended, on_shard=lambda *_: events.append(attended.waiting))
    assert events == [not pooled] * 3
    assert not attended.waiting


def test_an_interruption_without_save_says_that_nothing_was_saved(run, tmp_path, strike):
    """Without --save an interrupted run over shards ends with 130 all the same."""
    strike(1, signal.SIGINT)
    command = run("learn", *parts(tmp_path), *MIXED)
    assert (command.code, "nothing was kept" in command.err) == (130, True)


def test_a_bad_row_of_a_later_epoch_leaves_those_before(run, tmp_path, strike, monkeypatch):
    """A shard that is spoilt on the way is named, and what was kept finishes to the same bytes once it is mended."""
    files = parts(tmp_path)
    whole, model, good = tmp_path / "whole.rgl", tmp_path / "m.rgl", files[3].read_bytes()
    run("learn", *files, *MIXED, "--passes", 3, "--save", whole)
    original = WatchedEngine.begin

    def spoiling(attended: WatchedEngine, doing: str) -> None:
        if doing == "epoch 3 of 3":
            files[3].write_bytes(good + b"oops\n")
        original(attended, doing)

    monkeypatch.setattr(WatchedEngine, "begin", spoiling)
    stopped = run("learn", *files, *MIXED, "--passes", 3, "--save", model)
    monkeypatch.undo()
    assert stopped.code == 1
    assert f"{files[3]}:{len(good.splitlines()) + 1}:1: " in stopped.err
    assert f"2 epochs of 3 are kept in {model}" in stopped.err
    files[3].write_bytes(good)
    assert run("learn", *files, *HERE, "--resume", model).code == 0
    assert model.read_bytes() == whole.read_bytes()


@contextmanager
def _killed_in_the_end(process: subprocess.Popen[bytes]) -> Iterator[subprocess.Popen[bytes]]:
    """A process that leads a session of its own, and is ended with all that it has started."""
    with process:  # which waits for it, and closes its pipes
        try:
            yield process
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


def test_a_bad_shard_leaves_no_noise(tmp_path):
    """Shards that wait in the queue of a pool when another one fails are let go without a word."""
    files = [write(tmp_path / f"part-{k}.svm", ["1 1:1\n", "oops\n"]) for k in range(12)]
    words = ("--learner", "perceptron", "--workers", 2)
    with _killed_in_the_end(start("learn", *files, *words, start_new_session=True)) as process:
        out, errors = process.communicate(timeout=PATIENCE)
    assert (process.returncode, out) == (1, b"")
    (line,) = errors.decode().splitlines()
    assert ".svm:2:1: " in line


def _until_epoch(process: subprocess.Popen[bytes], number: int) -> None:
    """Read the table until it has a row of this epoch."""
    assert process.stderr is not None
    pipe, message, deadline = process.stderr.fileno(), b"", time.monotonic() + PATIENCE
    while not re.search(rb"^ *%d .*\n" % number, message, re.MULTILINE):
        if not select.select([pipe], [], [], max(0.0, deadline - time.monotonic()))[0]:
            pytest.fail(f"epoch {number} did not come; the run said {message!r}")
        read = os.read(pipe, 1 << 16)
        if not read:
            pytest.fail(f"the run ended early; it said {message!r}")
        message += read


def _workers(process: subprocess.Popen[bytes]) -> list[int]:
    return [one for one in children(process.pid) if "spawn_main" in command_of(one)]


def _soon(holds: Callable[[], bool]) -> bool:
    """Whether something comes to hold before patience ends."""
    deadline = time.monotonic() + PATIENCE
    while not (held := holds()) and time.monotonic() < deadline:
        time.sleep(0.02)
    return held


@pytest.fixture
def endless(tmp_path) -> Iterator[tuple[list[Path], Path, subprocess.Popen[bytes]]]:
    """A run with two processes that has finished some of very many epochs; whatever is left of it is killed."""
    files, model = parts(tmp_path, shards=3), tmp_path / "m.rgl"
    words = ("--learner", "averaged-perceptron", "--workers", 2, "--passes", 10**6, "--save", model)
    with _killed_in_the_end(start("learn", *files, *words, start_new_session=True)) as process:
        _until_epoch(process, 3)
        yield files, model, process


def _finishes_alike(run: CommandLine, files: list[Path], model: Path) -> None:
    """What is kept goes on, with this process alone, to the bytes of a run that was never stopped."""
    done = run("inspect", model, "--json").json["mixing"]["epochs"]
    assert done >= 3
    assert run("learn", *files, *HERE, "--resume", model, "--passes", done + 2).code == 0
    run("learn", *files, *MIXED, "--passes", done + 2, "--save", model.with_name("whole.rgl"))
    assert model.read_bytes() == model.with_name("whole.rgl").read_bytes()


@POSIX
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_no_process_is_left_behind(run, endless, number):
    """However the run is ended, its processes end with it, and what it kept finishes as if nothing had happened."""
    files, model, process = endless
    workers = _workers(process)
    assert len(workers) == 2
    if number == signal.SIGINT:  # a terminal tells all of them
        for worker in workers:
            os.kill(worker, number)
        assert all(map(alive, workers))
    process.send_signal(number)
    output = process.communicate(timeout=PATIENCE)[1]
    assert (
        process.returncode == {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 129, signal.SIGKILL: -9}[number]
    )
    assert b"Traceback" not in output
    assert _soon(lambda: not any(map(alive, workers)))
    _finishes_alike(run, files, model)


@POSIX
def test_a_process_that_is_killed_ends_the_run_with_what_it_kept(run, endless):
    """When the system kills one of the processes the run ends with 1, says what is kept, and can be gone on with."""
    files, model, process = endless
    workers = _workers(process)
    os.kill(workers[0], signal.SIGKILL)
    text = process.communicate(timeout=PATIENCE)[1].decode()
    assert process.returncode == 1
    assert "Traceback" not in text
    last = text.splitlines()[-1]
    assert last.startswith("regretless: a process of the executor is gone")
    assert f"are kept in {model}; to go on" in last
    assert _soon(lambda: not any(map(alive, workers)))
    _finishes_alike(run, files, model)
