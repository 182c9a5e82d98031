"""A run that is stopped, by whatever it may be, goes on to the very bytes of the run that was not."""

from __future__ import annotations

import gzip
import os
import shutil
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from regretless.cli.output import Console
from regretless.data.svmlight import SvmlightStream
from regretless.errors import DataError
from regretless.run.linear import Run

from ..command_line import BARE, CommandLine, heed_interrupts, noisy_lines, quietly, start, write
from ..kills import forecast_lines

PATIENCE = 120  # seconds until a process that should have ended is given up


@pytest.fixture
def run(capsys, monkeypatch) -> CommandLine:
    return CommandLine(capsys, monkeypatch)


@pytest.fixture(scope="module", params=["svm", "svm.gz"])
def stored_rows(request, tmp_path_factory) -> Path:
    """A file of three classes, one of which comes late, that takes several blocks to read."""
    folder = tmp_path_factory.mktemp("stored_rows")
    return _compressed(folder / f"rows.{request.param}", noisy_lines(16_000, classes=(1, 2, 3)))


@pytest.fixture
def rows(stored_rows, tmp_path) -> Path:
    """The same, to be spoilt."""
    return Path(shutil.copy(stored_rows, tmp_path))


@pytest.fixture(scope="module")
def whole(stored_rows) -> bytes:
    """The model of three passes over it."""
    model = stored_rows.with_name("whole.rgl")
    assert quietly("learn", stored_rows, *BARE, "--passes", 3, "--save", model) == 0
    return model.read_bytes()


def _compressed(path: Path, lines: list[str]) -> Path:
    data = "".join(lines).encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


@pytest.fixture
def strike(monkeypatch):
    """Have signals sent to this process when so many rounds have been played."""

    def arrange(rounds: int, *numbers: int) -> None:
        original, struck = Console.rounds, []

        def watched(console: Console, played: int) -> None:
            if played >= rounds and not struck:
                struck.append(played)
                for number in numbers:
                    signal.raise_signal(number)
            original(console, played)

        monkeypatch.setattr(Console, "rounds", watched)

    return arrange


@pytest.mark.parametrize("learner", ["perceptron", "online-gradient-descent", "arow", "second-order-perceptron"])
@pytest.mark.parametrize("cut", [1, 2, 7, 350, 699])
def test_two_files_are_learned_like_one(run, tmp_path, learner, cut):
    """N rounds, save, load, M rounds give the bytes of N + M rounds, wherever the cut and whatever it hides."""
    lines = noisy_lines(700, classes=(3, 4, 9))
    first, second, whole = (
        write(tmp_path / f"{name}.svm", part)
        for name, part in (("first", lines[:cut]), ("second", lines[cut:]), ("whole", lines))
    )
    bare = ("--no-certify", "--quiet")
    run("learn", first, "--learner", learner, *bare, "--save", tmp_path / "a.rgl")
    assert run("learn", second, *bare, "--resume", tmp_path / "a.rgl", "--save", tmp_path / "b.rgl").code == 0
    run("learn", whole, "--learner", learner, *bare, "--save", tmp_path / "c.rgl")
    assert (tmp_path / "b.rgl").read_bytes() == (tmp_path / "c.rgl").read_bytes()


def test_two_tables_are_learned_like_one(run, tmp_path):
    """Categories that only the second file has are numbered as if both had been one file."""
    head, first = "kind,size,label\n", ["oak,1,a\n", "fir,-1,b\n", "oak,3,a\n"]
    second = ["yew,1,b\n", "fir,1,b\n", "elm,-2,a\n"]
    for name, lines in (("first", first), ("second", second), ("whole", first + second)):
        write(tmp_path / f"{name}.csv", [head, *lines])
    run("learn", tmp_path / "first.csv", *BARE, "--save", tmp_path / "a.rgl")
    run("learn", tmp_path / "second.csv", "--no-certify", "--quiet", "--resume", tmp_path / "a.rgl")
    run("learn", tmp_path / "whole.csv", *BARE, "--save", tmp_path / "c.rgl")
    assert (tmp_path / "a.rgl").read_bytes() == (tmp_path / "c.rgl").read_bytes()


@pytest.mark.parametrize(
    ("number", "rounds"),
    [
        *((signal.SIGINT, rounds) for rounds in (1, 10_000, 20_000, 47_000)),
        (signal.SIGTERM, 20_000),
        (signal.SIGHUP, 47_000),
    ],
)
def test_a_signal_stops_the_run_after_a_checkpoint(run, rows, whole, tmp_path, strike, monkeypatch, rounds, number):
    """Ctrl-C or termination in any of three passes ends with 130 or 143 and a model, and --resume finishes the run."""
    model = tmp_path / "m.rgl"
    strike(rounds, number)
    stopped = run("learn", rows, *BARE, "--passes", 3, "--save", model)
    assert stopped.code == {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 129}[number]
    assert stopped.err.startswith("regretless: interrupted")
    assert f"--resume {model}" in stopped.err
    monkeypatch.undo()
    unfinished = run("inspect", model, "--json").json["unfinished"]
    assert unfinished["passes"] == 3
    assert unfinished["source"] == rows.name
    assert model.read_bytes() != whole
    assert run("learn", rows, "--resume", model, "--no-certify", "--quiet").code == 0
    assert model.read_bytes() == whole


def test_a_signal_stops_within_a_batch(run, tmp_path, monkeypatch):
    """A learner that is slow is stopped between two rows of what was read at once, and --resume finishes the run."""
    rows, whole, model = write(tmp_path / "rows.svm", noisy_lines(3000)), tmp_path / "whole.rgl", tmp_path / "m.rgl"
    run("learn", rows, *BARE, "--save", whole)
    original = Run._observe

    def struck(learning, batch, begin, end):
        original(learning, batch, begin, end)
        if 2100 <= learning.rounds < 2200:
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(Run, "_observe", struck)
    monkeypatch.setattr("regretless.run.base.MOMENT", 0.0)  # everything is slow
    monkeypatch.setattr("regretless.cli.signals.SAME_SIGNAL", 1e9)
    stopped = run("learn", rows, *BARE, "--save", model)
    monkeypatch.undo()
    assert stopped.code == 130
    assert 2100 <= run("inspect", model, "--json").json["rounds"] < 2300
    assert run("learn", rows, "--resume", model, "--no-certify", "--quiet").code == 0
    assert model.read_bytes() == whole.read_bytes()


def test_a_second_signal_ends_at_once(run, rows, tmp_path, strike, monkeypatch):
    """A second Ctrl-C ends a run without waiting for a checkpoint, and the signal handlers are restored."""
    before = signal.getsignal(signal.SIGINT)
    monkeypatch.setattr("regretless.cli.signals.SAME_SIGNAL", 0.0)
    strike(1, signal.SIGINT, signal.SIGINT)
    command = run("learn", rows, *BARE, "--save", tmp_path / "m.rgl")
    assert (command.code, command.out) == (130, "")
    assert "Traceback" not in command.err
    assert not (tmp_path / "m.rgl").exists()
    assert signal.getsignal(signal.SIGINT) is before


def test_a_stop_does_not_wait_for_the_same_wish(run, rows, tmp_path, strike, monkeypatch):
    """A signal that comes twice at once is one wish, without which the command would wait: it ends as soon as it has
    saved, and hands the signals back."""
    before = signal.getsignal(signal.SIGINT)
    monkeypatch.setattr("regretless.cli.signals.SAME_SIGNAL", 1e9)
    monkeypatch.setattr("regretless.cli.signals.sleep", lambda _: pytest.fail("it waits"), raising=False)
    strike(1, signal.SIGINT, signal.SIGINT)
    stopped = run("learn", rows, *BARE, "--save", tmp_path / "m.rgl")
    assert stopped.code == 130
    assert "rounds are kept" in stopped.err
    assert signal.getsignal(signal.SIGINT) is before


@pytest.mark.skipif(os.name != "posix", reason="needs POSIX signals")
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_a_second_signal_ends_with_its_own_code(run, rows, tmp_path, monkeypatch, strike, number, code):
    """A wish that is repeated ends the command at once, and the exit code is that of the signal."""
    monkeypatch.setattr("regretless.cli.signals.SAME_SIGNAL", 0.0)
    strike(1, number, number)
    stopped = run("learn", rows, *BARE, "--save", tmp_path / "m.rgl")
    assert (stopped.code, stopped.err) == (code, "regretless: interrupted\n")


@pytest.mark.skipif(os.name != "posix", reason="needs POSIX signals")
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])
@pytest.mark.parametrize("verb", ["learn", "combine"])
def test_who_is_stopped_while_certifying_says_what_is_stored(run, rows, tmp_path, monkeypatch, verb, number, code):
    """A signal that comes when the model is saved and certificates are computed ends with its code and a word."""
    where = "regretless.certify.certify_stream" if verb == "learn" else "regretless.run.experts.CombineRun.comparators"
    before = signal.getsignal(number)
    monkeypatch.setattr(where, lambda *_, **__: signal.raise_signal(number))
    table = write(tmp_path / "rows.csv", forecast_lines(50))
    words = (rows, "--learner", "perceptron") if verb == "learn" else (table, "--target", "y")
    model = tmp_path / "m.rgl"
    stopped = run(verb, *words, "--quiet", "--save", model)
    assert stopped.code == code
    assert ("ml-poly: square loss" in stopped.out) == (verb == "combine")
    assert stopped.err.startswith("regretless: interrupted while certifying; ")
    then = f"; for its certificates: regretless certify {model} {rows}" if verb == "learn" else ""
    assert stopped.err.endswith(f"the whole run is kept in {model}{then}\n")
    assert signal.getsignal(number) is before


@pytest.mark.skipif(os.name != "posix", reason="needs POSIX signals")
@pytest.mark.parametrize("interval", [(), ("--interval", "0.9")])
def test_the_summary_is_printed_though_certificates_were_stopped(run, tmp_path, monkeypatch, interval):
    """What was learned, the page and JSON are there without certificates; JSON says why these are missing."""
    where = "certify_outcomes" if interval else "certify_stream"
    monkeypatch.setattr(f"regretless.certify.{where}", lambda *_, **__: signal.raise_signal(signal.SIGINT))
    table, page = write(tmp_path / "rows.csv", forecast_lines(30)), tmp_path / "page.html"
    words = ("learn", table, "--target", "y", *interval, *(() if interval else ("--any-labels",)))
    stopped = run(*words, "--report", page)
    assert stopped.code == 130
    assert "each row " in stopped.out
    assert ("intervals of 90 %" in stopped.out) == bool(interval)
    assert page.exists()
    assert stopped.err.splitlines()[-1].startswith("regretless: interrupted while certifying; nothing was kept")
    output = run(*words, "--json").json
    assert output["rounds"] == 30
    assert (output["certificates"], output["ended"][:28]) == ([], "interrupted while certifying")


def test_a_model_of_two_files_says_how_it_is_certified(run, tmp_path):
    """Rows that a model goes on with do not certify it, which is said without playing them again; all of them do."""
    lines = noisy_lines(90)
    first, other = write(tmp_path / "a.svm", lines[:30]), write(tmp_path / "b.svm", lines[30:])
    model, both = tmp_path / "m.rgl", write(tmp_path / "c.svm", lines)
    assert run("learn", first, *BARE, "--save", model).code == 0
    command = run("learn", other, "--resume", model)
    assert f"does not apply (the model had learned 30 rounds before those of {other})" in command.out
    hint = f"for certificates: regretless certify {model} ALL, where ALL holds the rows of all files, in the order"
    assert hint in command.err.splitlines()[-1]
    assert "Sharp hinge bound: updates " in run("certify", model, both).out


@pytest.mark.skipif(os.name != "posix", reason="needs POSIX signals")
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])
@pytest.mark.parametrize("shards", [(), ("--workers", 1)])
def test_certify_says_that_it_was_stopped(run, rows, tmp_path, monkeypatch, shards, number, code):
    """A signal ends `certify`, over one file and over shards, with its code and one line."""
    model = tmp_path / "m.rgl"
    assert run("learn", rows, *BARE, *shards, "--save", model).code == 0
    where = "distributed.result.Mixture.certify" if shards else "certify.certify_stream"
    monkeypatch.setattr(f"regretless.{where}", lambda *_, **__: signal.raise_signal(number))
    stopped = run("certify", model, rows, *shards)
    assert (stopped.code, stopped.out) == (code, "")
    assert stopped.err.splitlines()[-1:] == ["regretless: interrupted while certifying; the model is as it was"]


@pytest.mark.skipif(os.name != "posix", reason="needs POSIX signals")
def test_no_signal_interrupts_the_end_of_the_process():
    """Once a command is over, the process ends with its exit code, whatever signal comes meanwhile."""
    code = (
        "import atexit, os, signal, sys\n"
        "sys.argv = ['regretless', '--version']\n"
        "from regretless.cli import main\n"
        "atexit.register(lambda: [os.kill(os.getpid(), n) for n in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)])\n"
        "sys.exit(main())\n"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False, preexec_fn=heed_interrupts)
    assert (ended.returncode, ended.stderr) == (0, b"")


def test_an_interruption_without_save_says_that_nothing_was_saved(run, rows, strike):
    """Without --save an interrupted run ends with 130 all the same."""
    strike(1, signal.SIGINT)
    command = run("learn", rows, *BARE)
    assert command.code == 130
    assert "nothing was kept" in command.err


def test_interrupted_until_clean_runs_stop_after_the_same_pass(run, tmp_path, strike, monkeypatch):
    """Whether a pass was clean is judged over the whole pass, also when the run was stopped inside it."""
    # The only updates are among the first rows: a run that counted from its resumption on would call the pass clean.
    first = [f"{1 if k % 2 else -1} 1:{1 if k % 2 else -1} 2:{k % 5 - 2} 3:{(-1) ** (k // 2) * 3}\n" for k in range(40)]
    rows = write(tmp_path / "rows.svm", first + ["1 1:1 4:100\n", "-1 1:-1 4:-100\n"] * 50_000)
    words = ("learn", rows, *BARE, "--passes", 30, "--set", "until_clean=true")
    run(*words, "--save", tmp_path / "whole.rgl")
    total = run("inspect", tmp_path / "whole.rgl", "--json").json["rounds"]
    assert 2 * 100_040 <= total < 30 * 100_040
    strike(total - 150_000, signal.SIGINT)
    assert run(*words, "--save", tmp_path / "m.rgl").code == 130
    monkeypatch.undo()
    run("learn", rows, "--resume", tmp_path / "m.rgl", "--no-certify", "--quiet")
    assert (tmp_path / "m.rgl").read_bytes() == (tmp_path / "whole.rgl").read_bytes()


def _until(process, rounds: int, output: list[bytes]) -> None:
    """Read the table until it has a row of so many rounds."""
    assert process.stderr is not None
    for line in process.stderr:
        output.append(line)
        if line.split()[:1] == [str(rounds).encode()]:
            return
    pytest.fail(f"the run ended early: {output}")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs POSIX signals")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_a_process_on_a_pipe_can_be_stopped(run, tmp_path, number):
    """A learner on a pipe that has no end ends on Ctrl-C with a checkpoint; killed, it leaves the last one; either goes
    on when the same rounds come again."""
    lines = 19 * noisy_lines(2111)  # which come again at no round that a checkpoint is due
    data, model = "".join(lines).encode(), tmp_path / "m.rgl"
    words = ("--learner", "perceptron", "--no-certify")
    process = start("learn", "-", *words, "--save", model, "--checkpoint-every", 1000)
    process.stdin.write(data[: len(data) // 4 * 3])
    process.stdin.flush()
    messages: list[bytes] = []
    _until(process, 8192, messages)
    process.send_signal(number)
    with suppress(BrokenPipeError):  # more may come, or there may be nobody to take it
        process.stdin.write(data[len(data) // 4 * 3 :])
        process.stdin.flush()
    assert (
        process.wait(PATIENCE)
        == {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 129, signal.SIGKILL: -9}[number]
    )
    with suppress(BrokenPipeError):
        process.stdin.close()
    assert b"Traceback" not in b"".join(messages) + process.stderr.read()
    unfinished = run("inspect", model, "--json").json["unfinished"]
    assert 8000 <= unfinished["row"] < 40_000
    assert unfinished["source"] == "<stdin>"
    assert run("learn", "-", "--no-certify", "--quiet", "--resume", model, stdin=data).code == 0
    run("learn", "-", *BARE, "--save", tmp_path / "whole.rgl", stdin=data)
    assert model.read_bytes() == (tmp_path / "whole.rgl").read_bytes()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_run_is_stopped_while_it_waits_for_rows(run, tmp_path, monkeypatch, number):
    """A signal that comes while the next rows are being read ends the reading, though they may never come, and even if
    the reader has words of its own for what happened."""
    rows = write(tmp_path / "rows.svm", noisy_lines(100))
    original = SvmlightStream.batches

    def quiet(stream, skip=0):
        yield from original(stream, skip)
        try:
            signal.raise_signal(number)
        except ValueError as error:
            raise DataError(stream.name, None, None, "this cannot be read", "read it again") from error
        pytest.fail("the reader was not interrupted")

    monkeypatch.setattr(SvmlightStream, "batches", quiet)
    command = run("learn", rows, *BARE, "--save", tmp_path / "m.rgl")
    assert command.code == {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 129}[number]
    assert "100 rounds are kept" in command.err


@pytest.mark.parametrize("every", [1, 256, 699, 700])
def test_checkpoints_are_written_where_they_are_due(run, tmp_path, monkeypatch, every):
    """--checkpoint-every N saves after every N rounds, and the finished model is the one without checkpoints."""
    from regretless.run import base as runs

    rows = write(tmp_path / "rows.svm", noisy_lines(700))
    checkpoints: list[int] = []
    original = runs.write
    monkeypatch.setattr(
        runs,
        "write",
        lambda path, learner, extra: checkpoints.append(int(learner.ledger_.rounds)) or original(path, learner, extra),
    )
    run("learn", rows, *BARE, "--save", tmp_path / "a.rgl", "--checkpoint-every", every)
    assert checkpoints == [*range(every, 701, every), 700]
    run("learn", rows, *BARE, "--save", tmp_path / "b.rgl")
    assert (tmp_path / "a.rgl").read_bytes() == (tmp_path / "b.rgl").read_bytes()


@pytest.mark.parametrize("place", [1, 300, 15_000])
def test_rows_before_a_bad_one_are_stored(run, rows, tmp_path, place):
    """At a bad row the rows before it are saved; once it is mended, --resume gives the model of the mended file."""
    data = rows.read_bytes()
    lines = (gzip.decompress(data) if rows.suffix == ".gz" else data).decode().splitlines(keepends=True)
    _compressed(rows, [*lines[:place], "1 5:1 4:1\n", *lines[place:]])
    stopped = run("learn", rows, *BARE, "--passes", 2, "--save", tmp_path / "m.rgl")
    assert stopped.code == 1
    assert f"{rows}:{place + 1}:" in stopped.err
    assert f"{place:,} rounds are kept in {tmp_path / 'm.rgl'}" in stopped.err
    rows.write_bytes(data)
    assert run("learn", rows, "--no-certify", "--quiet", "--resume", tmp_path / "m.rgl").code == 0
    run("learn", rows, *BARE, "--passes", 2, "--save", tmp_path / "whole.rgl")
    assert (tmp_path / "m.rgl").read_bytes() == (tmp_path / "whole.rgl").read_bytes()


def test_a_run_that_learned_nothing_new_leaves_the_model_as_it_is(run, tmp_path):
    """A model whose resumption fails before the first row is not touched."""
    rows = write(tmp_path / "rows.svm", noisy_lines(50))
    run("learn", rows, *BARE, "--save", tmp_path / "m.rgl")
    before = (tmp_path / "m.rgl").read_bytes()
    command = run("learn", write(tmp_path / "bad.svm", ["oops\n"]), "--resume", tmp_path / "m.rgl", "--quiet")
    assert command.code == 1
    assert "are kept" not in command.err
    assert (tmp_path / "m.rgl").read_bytes() == before


def test_a_resumed_run_is_certified_for_what_it_played(run, tmp_path, strike, monkeypatch):
    """A run that was stopped and finished is certified like one that was not; one that began on another file is not."""
    rows = write(tmp_path / "rows.svm", 19 * noisy_lines(3163))
    learned = run("learn", rows, "--learner", "perceptron", "--json").json
    strike(1, signal.SIGINT)
    run("learn", rows, *BARE, "--save", tmp_path / "m.rgl")
    monkeypatch.undo()
    finished = run("learn", rows, "--resume", tmp_path / "m.rgl", "--json").json
    assert finished["certificates"] == learned["certificates"]
    assert (finished["curve"], finished["input"]) == (learned["curve"], learned["input"])
    other = write(tmp_path / "more.svm", 19 * noisy_lines(3163, seed=1))
    more = run("learn", other, "--resume", tmp_path / "m.rgl", "--json")
    assert more.code == 0
    assert not any(one["applies"] for one in more.json["certificates"])


def test_the_table_goes_on_where_it_stopped(run, tmp_path):
    """The table of a resumed run begins behind the last row of the run before it."""
    first, second = noisy_lines(100), noisy_lines(100, seed=1)
    run("learn", write(tmp_path / "a.svm", first), *BARE, "--save", tmp_path / "m.rgl")
    words = ("--learner", "perceptron", "--no-certify")
    more = run("learn", write(tmp_path / "b.svm", second), *words, "--resume", tmp_path / "m.rgl")
    once = run("learn", write(tmp_path / "c.svm", first + second), *words)
    assert more.out == once.out
    resumed, whole = ([line for line in one.err.splitlines() if line[:4] != "note"] for one in (more, once))
    assert resumed[1:3] == whole[-2:]


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("--learner", "online-gradient-descent"), "contradicts the model"),
        (("--set", "rate=2"), "contradicts the model"),
        (("--passes", "2"), "is one of 3"),
    ],
)
def test_what_contradicts_the_model_is_refused(run, tmp_path, strike, monkeypatch, words, complaint):
    """A learner, a parameter or a number of passes other than the model's is wrong usage."""
    rows = write(tmp_path / "rows.svm", noisy_lines(50))
    strike(1, signal.SIGINT)
    run("learn", rows, *BARE, "--passes", 3, "--save", tmp_path / "m.rgl")
    monkeypatch.undo()
    command = run("learn", rows, "--resume", tmp_path / "m.rgl", *words)
    assert command.code == 2
    assert complaint in command.err
    agreeing = ("--learner", "perceptron", "--set", "rate=1", "--passes", "3", "--quiet")
    assert run("learn", rows, "--resume", tmp_path / "m.rgl", *agreeing).code == 0


def test_an_unfinished_run_goes_on_in_its_own_file_only(run, tmp_path, strike, monkeypatch):
    """A run that stopped in one file is not finished with another."""
    rows = write(tmp_path / "rows.svm", noisy_lines(50))
    strike(1, signal.SIGINT)
    run("learn", rows, *BARE, "--passes", 2, "--save", tmp_path / "m.rgl")
    monkeypatch.undo()
    command = run("learn", write(tmp_path / "other.svm", noisy_lines(50)), "--resume", tmp_path / "m.rgl")
    assert command.code == 1
    assert "rows.svm" in command.err


def test_columns_of_a_model_are_not_hashed_anew(run, tmp_path):
    """--hash-bits that differ from the model's are refused, the model's own are accepted."""
    table = write(tmp_path / "t.csv", ["kind,label\n", "oak,1\n", "fir,0\n"])
    run("learn", table, *BARE, "--hash-bits", 5, "--save", tmp_path / "m.rgl")
    words = ("learn", table, "--resume", tmp_path / "m.rgl", "--no-certify", "--quiet", "--hash-bits")
    assert run(*words, 6).code == 2
    assert run(*words, 5).code == 0


@pytest.mark.parametrize(
    "extra",
    [
        {"schema": 3},
        {"curve": [[1, 2]]},
        {"unfinished": {"pass": 0}},
        {"unfinished": {"pass": 0, "row": -1, "nonzeros": 0, "updates": 0, "passes": 1, "source": "rows.svm"}},
        {"unfinished": {"pass": 3, "row": 1, "nonzeros": 0, "updates": 0, "passes": 1, "source": "rows.svm"}},
    ],
)
def test_a_model_that_lies_about_its_run_is_refused(run, tmp_path, extra):
    """What a model file says of its run is checked before it is believed."""
    from regretless.persist.model import read
    from regretless.persist.model import write as keep

    rows = write(tmp_path / "rows.svm", noisy_lines(20))
    run("learn", rows, *BARE, "--save", tmp_path / "m.rgl")
    learner, metadata = read(tmp_path / "m.rgl")
    keep(tmp_path / "m.rgl", learner, metadata | extra)
    for words in (("learn", rows, "--resume", tmp_path / "m.rgl"), ("inspect", tmp_path / "m.rgl")):
        command = run(*words)
        assert command.code == 1
        assert "does not fit together" in command.err
