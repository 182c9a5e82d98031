"""The command line when something is wrong: one line on stderr, the right exit code, and never a traceback."""

from __future__ import annotations

import gzip
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from regretless.certificate import Certificate
from regretless.cli.output import explain
from regretless.errors import DataError, RegretlessError
from regretless.linear import Perceptron

from ..command_line import BARE, CommandLine, heed_interrupts, noisy_lines, start, write
from ..kills import forecast_lines

PATIENCE = 120  # seconds until a process that should have ended is given up
POSIX = pytest.mark.skipif(os.name != "posix", reason="needs POSIX pipes")


@pytest.fixture
def run(capsys, monkeypatch) -> CommandLine:
    return CommandLine(capsys, monkeypatch)


@pytest.fixture
def mail(tmp_path) -> Path:
    return write(tmp_path / "mail.svm", noisy_lines(300))


@pytest.fixture
def model(run, mail, tmp_path) -> Path:
    run("learn", mail, *BARE, "--save", tmp_path / "mail.rgl")
    return tmp_path / "mail.rgl"


def complaint(command) -> str:
    """The first line of an error; others, if any, list what could be meant."""
    assert command.out == ""
    line, *listed = command.err.splitlines()
    assert all(one.startswith(" ") for one in listed)
    assert line.startswith("regretless: ")
    assert "Traceback" not in line
    return line.removeprefix("regretless: ")


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ([], "required: VERB"),
        (["frobnicate"], "'frobnicate'"),
        (["learn"], "required: FILE"),
        (["learn", "{mail}", "--header", "--no-header"], "--header and --no-header contradict each other"),
        (["learn", "{mail}", "--learner", "perzeptron"], "'perceptron', 'averaged-perceptron'"),
        (["learn", "{mail}", "--learner", "perceptron", "--bogus"], "--bogus"),
        (["learn", "{mail}", "--learner", "perceptron", "--passes", "0"], "--passes: '0'"),
        (["learn", "{mail}", "--learner", "perceptron", "--passes", "2", "--set", "passes=3"], "contradicts"),
        (["learn", "{mail}", "--learner", "perceptron", "--set", "speed=3"], "it has rate=1.0, intercept=0.0, "),
        (["learn", "{mail}", "--learner", "perceptron", "--set", "rate"], "rate=1.0"),
        (["learn", "{mail}", "--learner", "perceptron", "--set", "rate=fast"], "a number is expected"),
        (["learn", "{mail}", "--learner", "perceptron", "--set", "rate=-1"], "> 0"),
        (["learn", "{mail}", "--learner", "perceptron", "--set", "rate=nan"], "> 0"),
        (["learn", "{mail}", "--learner", "perceptron", "--set", "ties=maybe"], "'update', 1, -1"),
        (["learn", "{mail}", "--learner", "perceptron", "--set", "rate=1", "--set", "rate=2"], "twice"),
        (["learn", "{mail}", "--learner", "perceptron", "--set", "until_clean=3"], "true or false"),
        (["learn", "{mail}", "--learner", "perceptron", "--set", "shuffle=true"], "shuffle the file itself"),
        (["learn", "{mail}", "--learner", "online-gradient-descent", "--set", "loss=zero"], "'squared-hinge'"),
        (["learn", "{mail}", "--learner", "perceptron", "--checkpoint-every", "5"], "needs --save"),
        (["learn", "{mail}", "--learner", "perceptron", "--no-certify", "--svm"], "--no-certify"),
        (["learn", "{mail}", "--learner", "perceptron", "--quiet", "--progress"], "contradict"),
        (["learn", "{mail}", "--learner", "perceptron", "--save", "{mail}"], "would be overwritten"),
        (
            ["learn", "{mail}", "--learner", "perceptron", "--save", "x.rgl", "--report", "x.rgl"],
            "would be overwritten",
        ),
        (["learn", "{mail}", "--learner", "perceptron", "--categorical", "9"], "--categorical has no meaning"),
        (["learn", "{mail}", "--learner", "perceptron", "--missing", "zero"], "--missing has no meaning"),
        (["predict", "{model}", "{mail}", "--target", "y"], "--target has no meaning"),
        (["predict", "{model}"], "required: FILE"),
        (["inspect", "{model}", "--top", "many"], "--top: 'many'"),
    ],
)
def test_wrong_usage_ends_with_2_and_says_what_is_possible(run, mail, model, words, expected):
    """A command line that makes no sense is refused in one line that helps, before anything is read."""
    command = run(*(word.format(mail=mail, model=model) for word in words))
    assert command.code == 2
    assert expected in complaint(command)


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("a.svm", b"", "no rows"),
        ("a.svm", b"# nothing\n\n", "no rows"),
        ("a.svm", b"1 1:1\n1 1:nan\n", ":2:5: "),
        ("a.svm", b"1 1:1\n1 2:1 1:1\n", ":2:7: "),
        ("a.svm", b"1 1:1\nspam 1:1\n", ":2:1: "),
        ("a.svm", b"1 99999999999:1\n", "--max-features"),
        ("a.svm", b"\x80\xff\x00\n", ":1:1: "),
        ("a.svm.gz", gzip.compress(b"1 1:1\n" * 999, mtime=0)[:-9], "damaged"),
        ("a.svm.xz", b"no xz at all", "damaged"),
        ("a.csv", b"a,b\n1,2\n", "--target"),
        ("a.csv", b"a,label\n1,2\n1,2,3\n", ":3"),
        ("a.csv", b"a,label\n1,2\n,3\n", "--missing zero"),
        ("a.csv", b"a,\xff\n1,2\n", "UTF-8"),
        ("a.parquet", b"PAR1 not", "Parquet"),
        ("a.npz", b"PK not", "cannot be read"),
        ("a.npy", b"\x93NUMPY not", ""),
    ],
)
def test_bad_data_end_with_1_and_a_place(run, tmp_path, name, content, expected):
    """Bad data are reported with the file, the place as far as there is one, what was found and what to do."""
    path = tmp_path / name
    path.write_bytes(content)
    command = run("learn", path, *BARE)
    assert command.code == 1
    message = complaint(command)
    assert message.startswith(f"{path}:")
    assert expected in message
    assert "; " in message


@pytest.mark.parametrize("verb", ["learn", "predict", "certify", "inspect"])
def test_what_is_not_there_is_named(run, mail, model, tmp_path, verb):
    """A missing file or model is named, with exit code 1."""
    nothing = tmp_path / "nothing"
    words = {
        "learn": (nothing, *BARE),
        "predict": (model, nothing),
        "certify": (nothing, mail),
        "inspect": (nothing,),
    }
    command = run(verb, *words[verb])
    assert command.code == 1
    assert complaint(command).startswith(f"{nothing}: ")


@pytest.mark.parametrize("where", ["--save", "--report", "--cache"])
def test_places_that_cannot_be_written_are_refused_before_learning(run, mail, tmp_path, where):
    """A folder that is missing, or stands where the file should, is refused before the rows are read."""
    for path, expected in ((tmp_path / "no" / "m.rgl", "there is no folder"), (tmp_path, "this is a folder")):
        command = run("learn", mail, *BARE, where, path)
        assert command.code == 1
        assert expected in complaint(command)


def test_a_damaged_model_is_refused_everywhere(run, mail, model, tmp_path):
    """A model with one byte changed is neither used nor shown nor resumed."""
    data = bytearray(model.read_bytes())
    data[-1] ^= 1
    bad = tmp_path / "bad.rgl"
    bad.write_bytes(data)
    for words in (("predict", bad, mail), ("certify", bad, mail), ("inspect", bad), ("learn", mail, "--resume", bad)):
        command = run(*words)
        assert command.code == 1
        assert "damaged" in complaint(command)


def test_a_model_and_a_file_of_other_kinds_do_not_go_together(run, model, tmp_path):
    """A model of numbered features refuses a table of named ones."""
    table = write(tmp_path / "t.csv", ["a,label\n", "1,1\n"])
    command = run("predict", model, table)
    assert command.code == 1
    assert complaint(command).startswith(f"{table}: its columns have names")


@pytest.mark.parametrize("vector", [np.ones(5), np.array(["a", "b"]), np.full(12, np.nan)])
def test_a_comparator_that_does_not_fit_is_refused(run, mail, tmp_path, vector):
    """A vector of another length, of words, or with NaN is no comparator."""
    np.save(tmp_path / "u.npy", vector)
    command = run("learn", mail, "--learner", "perceptron", "--quiet", "--against", tmp_path / "u.npy")
    assert command.code == 1
    complaint(command)


def test_a_violated_bound_ends_with_3(run, mail, model, monkeypatch):
    """When a bound that always holds does not, the certificate says EXCEEDS, and all output ends with exit code 3."""

    def broken(learner, *_, **__):
        return [Certificate(theorem, 10.0, 1.0, None, None) for theorem in learner.theorems]

    monkeypatch.setattr("regretless.certify.certify_stream", broken)
    for words in (("learn", mail, "--learner", "perceptron", "--quiet"), ("certify", model, mail)):
        command = run(*words)
        assert (command.code, command.out.count("EXCEEDS")) == (3, len(Perceptron.theorems))
        assert "please report it" in command.err
        assert run(*words, "--json").code == 3


def test_only_the_verdict_is_coloured_and_only_on_a_terminal(mail, monkeypatch):
    """On a terminal the sign of a certificate has a colour; with NO_COLOR, and in a pipe, there is no escape code."""
    from regretless.cli.output import certificate_line, coloured

    class Terminal:
        def isatty(self) -> bool:
            return True

    from regretless.theory.perceptron import PERCEPTRON

    for certificate, words in (
        (Certificate(PERCEPTRON[0], 1.0, 2.0, None, None), "\033[32m<=\033[0m"),
        (Certificate(PERCEPTRON[0], 3.0, 2.0, None, None), "\033[1;31mEXCEEDS\033[0m"),
        (Certificate(PERCEPTRON[0], None, None, None, "so"), "\033[33mdoes not apply\033[0m"),
    ):
        line = certificate_line(certificate, True)
        assert words in line
        assert line.count("\033") == 2
        assert certificate_line(certificate, False) == str(certificate)
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert coloured(Terminal())
    monkeypatch.setenv("NO_COLOR", "1")
    assert not coloured(Terminal())
    assert not coloured(None)


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (MemoryError(), "memory is exhausted"),
        (OSError(28, "No space left on device", "x.rgl"), "x.rgl: No space left on device; make room"),
        (UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid start byte"), "UnicodeDecodeError"),
        (RegretlessError("all is said"), "all is said"),
        (KeyError("what"), "KeyError"),
        (RecursionError("deep\nand deeper"), "RecursionError: deep;"),
    ],
)
def test_every_failure_is_one_line(run, mail, monkeypatch, error, expected):
    """Whatever goes wrong in a verb, there is one line and exit code 1."""

    def fail(*_, **__):
        raise error

    monkeypatch.setattr("regretless.data.open_stream", fail, raising=False)
    command = run("learn", mail, *BARE)
    assert command.code == 1
    assert expected in complaint(command)


def test_warnings_are_not_shown(run, mail, monkeypatch):
    """Warnings of libraries do not reach the user."""
    import warnings

    from regretless.linear.base import OnlineClassifier

    original = OnlineClassifier.observe

    def noisy(self, batch):
        warnings.warn("beware", RuntimeWarning, stacklevel=2)
        original(self, batch)

    monkeypatch.setattr(OnlineClassifier, "observe", noisy)
    assert run("learn", mail, *BARE).err == ""


@POSIX
@pytest.mark.parametrize("verb", ["predict", "certify", "inspect"])
def test_a_closed_pipe_is_no_error(mail, model, verb):
    """A reader that goes away, as `head` does, ends the command without a word and with exit code 0."""
    words = {"predict": (model, mail), "certify": (model, mail), "inspect": (model,)}
    process = start(verb, *words[verb], stdin=subprocess.DEVNULL)
    process.stdout.close()
    assert (process.wait(PATIENCE), process.stderr.read()) == (0, b"")
    process.stderr.close()


@POSIX
@pytest.mark.parametrize("verb", ["learn", "combine"])
def test_a_page_that_nobody_reads_is_an_error(mail, tmp_path, verb):
    """A report into a pipe whose reader is gone is no report: that is said, by the name of the pipe, with code 1."""
    reading, writing = os.pipe()
    os.close(reading)
    rows = write(tmp_path / "rows.csv", forecast_lines(50))
    words = (mail, *BARE) if verb == "learn" else (rows, "--target", "y", "--quiet")
    page = f"/dev/fd/{writing}"
    process = start(verb, *words, "--report", page, stdin=subprocess.DEVNULL, pass_fds=[writing])
    os.close(writing)
    _, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 1
    assert errors.decode().startswith(f"regretless: {page}: Broken pipe")


@POSIX
def test_outputs_go_into_pipes_by_their_names(mail, tmp_path):
    """Rows and pages reach a pipe that is named as shells name them."""
    rows = write(tmp_path / "rows.csv", forecast_lines(50))
    process = start("combine", rows, "--target", "y", "--quiet", "--json", "--out", "/dev/stdout")
    errors, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0
    assert errors.splitlines()[0] == b"row,outcome,forecast,loss"
    reading, writing = os.pipe()
    process = start("learn", mail, *BARE, "--report", f"/dev/fd/{writing}", pass_fds=[writing])
    os.close(writing)
    with open(reading, "rb") as page:
        assert page.read().startswith(b"<!doctype html>")
    process.communicate(timeout=PATIENCE)
    assert process.returncode == 0


@pytest.mark.parametrize("option", ["--save", "--report"])
def test_a_name_that_ends_as_a_folder_is_refused(run, mail, tmp_path, option):
    """Where there is no such folder nothing is written under its name."""
    command = run("learn", mail, *BARE, option, f"{tmp_path}/out/")
    assert (command.code, complaint(command)) == (1, f"{tmp_path}/out/: this is a folder; name a file in it")
    assert not (tmp_path / "out").exists()


# ---- the model to go on with


@pytest.mark.parametrize("option", ["--report", "--cache", "--save-comparators"])
@pytest.mark.parametrize("saved", [False, True])
def test_outputs_do_not_overwrite_the_model_to_go_on_with(run, mail, model, tmp_path, option, saved):
    """Neither where the model is replaced nor where it stays does another output take its place."""
    path, before = tmp_path / "model.npz", model.read_bytes()
    model.rename(path)
    words = ("--save", tmp_path / "new.rgl") if saved else ()
    command = run("learn", mail, "--resume", path, "--quiet", *words, option, path)
    assert (command.code, complaint(command)) == (2, f"{path} would be overwritten; choose another name")
    assert path.read_bytes() == before
    assert run("learn", path, "--resume", path, "--quiet").code == 2
    assert run("certify", path, mail, "--cache", path).code == 2


def test_a_model_to_go_on_with_may_be_named_twice(run, mail, model):
    """The model that is replaced may be named by --save as well."""
    assert run("learn", mail, "--resume", model, "--save", model, "--no-certify", "--quiet").code == 0


@pytest.mark.parametrize("option", ["--report", "--out", "--weights", "--cache", "--save-comparators"])
def test_outputs_of_combine_do_not_overwrite_the_model_to_go_on_with(run, tmp_path, option):
    """So it is with combiners."""
    rows, path = write(tmp_path / "rows.csv", forecast_lines(50)), tmp_path / "model.npz"
    assert run("combine", rows, "--target", "y", "--quiet", "--save", path).code == 0
    before = path.read_bytes()
    command = run("combine", rows, "--resume", path, "--quiet", option, path)
    assert (command.code, complaint(command)) == (2, f"{path} would be overwritten; choose another name")
    assert path.read_bytes() == before


@POSIX
def test_the_folder_of_a_model_to_go_on_with_is_looked_at_first(run, mail, model, monkeypatch):
    """Where a model cannot be replaced that is said before a row is learned; where there is none, that."""
    monkeypatch.setattr(os, "access", lambda *_: False)
    monkeypatch.setattr("regretless.run.linear.Run.play", lambda _: pytest.fail("it learns"))
    words = ("--no-certify", "--quiet")
    assert "nothing may be written in" in complaint(run("learn", mail, "--resume", model, *words))
    gone = model.parent / "no" / "m.rgl"
    assert complaint(run("learn", mail, "--resume", gone, *words)).startswith(f"{gone}: there is no such file")


@POSIX
def test_a_watcher_who_leaves_does_not_stop_the_learning(mail, tmp_path):
    """When nobody reads the table any more, the run goes on to its end."""
    process = start(
        "learn", mail, "--learner", "perceptron", "--no-certify", "--save", tmp_path / "m.rgl", stdin=subprocess.DEVNULL
    )
    process.stderr.close()
    assert process.wait(PATIENCE) == 0
    assert process.stdout.read().startswith(b"errors, each row predicted before it is learned: ")
    process.stdout.close()
    assert (tmp_path / "m.rgl").exists()


@POSIX
def test_closed_streams_are_no_error(mail, model):
    """With stdout and stderr closed from the start a command does its work and ends as it should."""
    command = f'exec "{sys.executable}" -m regretless "$@" >&- 2>&-'
    for words in (("predict", model, mail), ("learn", mail, *BARE), ("inspect", model)):
        assert subprocess.run(["/bin/sh", "-c", command, "sh", *map(str, words)], check=False).returncode == 0


def small_files(most: int) -> Callable[[], None]:
    """Let the files of a process grow to so many bytes: the write that passes them is cut short, the next one fails."""
    resource = pytest.importorskip("resource")

    def limit() -> None:
        heed_interrupts()
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))

    return limit


@POSIX
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_file_that_ends_early_is_an_error(tmp_path, mail, model, unbuffered):
    """Labels whose last ones cannot be written end with 1 and one line, with Python's own buffer and without it."""
    before = start("predict", model, mail).communicate()[0]
    environment = {**os.environ, "PYTHONUNBUFFERED": unbuffered}
    with open(tmp_path / "labels.txt", "wb") as labels:
        process = start("predict", model, mail, stdout=labels, env=environment, preexec_fn=small_files(len(before) - 3))
        _, err = process.communicate()
    assert (process.returncode, err.count(b"\n")) == (1, 1)
    assert b"File too large" in err


@POSIX
@pytest.mark.parametrize("rows", [1, 400])
@pytest.mark.parametrize("name", ["out.csv", "out.parquet"])
def test_a_table_that_cannot_be_written_is_named_and_leaves_nothing(tmp_path, name, rows):
    """Where there is no room for the forecasts the error names their file, and no temporary file stays."""
    table = tmp_path / "load.csv"
    table.write_text("load,a,b\n" + "1.25,1.5,0.75\n" * rows)
    words = ("combine", table, "--target", "load", "--out", tmp_path / name)
    process = start(*words, preexec_fn=small_files(20))
    _, err = process.communicate()
    assert process.returncode == 1
    assert err.decode().splitlines()[-1].startswith(f"regretless: {tmp_path / name}: File too large")
    assert [path.name for path in tmp_path.iterdir()] == ["load.csv"]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_a_full_disk_is_reported_once(mail, model):
    """Output that cannot be written ends with 1 and one line that names the standard output."""
    with open("/dev/full", "wb") as full:
        for words in (("predict", model, mail), ("inspect", model), ("--version",)):
            process = start(*words, stdout=full)
            _, err = process.communicate()
            assert (process.returncode, err.count(b"\n")) == (1, 1)
            assert err.startswith(b"regretless: standard output: No space left on device; ")


@pytest.mark.parametrize(
    ("words", "place"),
    [
        (["learn", "{huge}", *BARE], ":304: row 302"),
        (["learn", "{huge}", *BARE, "--on-error", "skip"], ":304: row 302"),
        (["learn", "{short}", "{huge}", *BARE, "--workers", "1"], ":304: row 302"),
        (["learn", "{table}", *BARE], ":4: row 2"),
        (["learn", "{huge}", "--hash-bits", "4", *BARE], ":304: row 302"),
        (["predict", "{model}", "{huge}"], ":304: row 302"),
        (["certify", "{model}", "{strange}"], ":301: row 301"),
    ],
)
def test_a_row_that_cannot_be_played_is_named_with_its_file(run, mail, model, tmp_path, words, place):
    """A row that is too long, or of a label never met, is refused with the file, the line and the row, from 1."""
    lines = mail.read_text().splitlines(keepends=True)
    files = {
        "huge": write(tmp_path / "huge.svm", [*lines, "1 1:1\n", "# none\n", "\n", "1 1:1e200\n", *lines]),
        "strange": write(tmp_path / "strange.svm", [*lines, "7 1:1\n", *lines]),
        "table": write(tmp_path / "table.csv", ["word,x,label\n", '"a\n', 'b",1,0\n', "c,1e200,1\n"]),
        "short": mail,
        "model": model,
    }
    command = run(*(word.format(**files) for word in words))
    assert command.code == 1
    assert any(f"regretless: {file}{place} " in command.err for file in files.values())


def test_what_is_reported_without_a_file_is_reported_with_it(run, tmp_path):
    """A refusal of classes that would take too much memory names the file that they came from."""
    lines = [f"{k} {1 + 20_000_000 * (k == 1)}:1\n" for k in range(20)]
    command = run("learn", rows := write(tmp_path / "rows.svm", lines), *BARE)
    assert command.code == 1
    assert f"regretless: {rows}: " in command.err


@POSIX
def test_signals_that_are_ignored_stay_ignored(mail, tmp_path):
    """Under nohup, or as a shell's background job, a run is not ended by the signal that it ignores."""
    program = (
        "import signal, sys; signal.signal(signal.SIGINT, signal.SIG_IGN);"
        "from regretless.cli import main; from regretless.cli.output import Console;"
        "Console.rounds = lambda *_: signal.raise_signal(signal.SIGINT);"
        "sys.exit(main(sys.argv[1:]))"
    )
    words = ["learn", str(mail), *BARE, "--save", str(tmp_path / "m.rgl")]
    assert subprocess.run([sys.executable, "-c", program, *words], check=False).returncode == 0


def test_signal_handlers_are_left_alone_in_other_threads(run, mail, tmp_path):
    """A thread, which may not touch signals, can run a command too."""
    from threading import Thread

    codes: list[int] = []
    thread = Thread(target=lambda: codes.append(run("learn", mail, *BARE).code))
    thread.start()
    thread.join()
    assert codes == [0]
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


def test_an_interrupted_certification_says_where_the_model_is(run, mail, tmp_path, monkeypatch):
    """Ctrl-C while the rows are read again ends with 130; the model was saved before."""

    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("regretless.certify.certify_stream", interrupted)
    command = run("learn", mail, "--learner", "perceptron", "--quiet", "--save", tmp_path / "m.rgl")
    assert command.code == 130
    assert f"the whole run is kept in {tmp_path / 'm.rgl'}" in complaint(command)


def test_a_report_that_cannot_be_written_does_not_hide_the_certificates(run, mail, tmp_path, monkeypatch):
    """When the disk is full at the end of a run, the certificates are printed all the same."""

    def full(*_):
        raise OSError(28, "No space left on device", str(tmp_path / "r.html"))

    monkeypatch.setattr("regretless.report.write_report", full)
    words = ("learn", mail, "--learner", "perceptron", "--quiet")
    command = run(*words, "--report", tmp_path / "r.html")
    assert (command.code, command.out) == (1, run(*words).out)
    assert "r.html: No space left on device" in command.err


def test_svm_without_scikit_learn_is_refused(run, mail, model, monkeypatch):
    """--svm says what to install where scikit-learn is missing, before anything is learned."""
    monkeypatch.setattr("regretless.cli.files.find_spec", lambda name: None)
    for words in (("learn", mail, "--learner", "perceptron", "--svm"), ("certify", model, mail, "--svm")):
        command = run(*words)
        assert command.code == 1
        assert "pip install" in complaint(command)


def test_the_demonstration_without_scikit_learn_says_what_to_install(run, tmp_path, monkeypatch):
    """Without scikit-learn `demo` names the extra that brings it."""
    monkeypatch.setitem(sys.modules, "sklearn.datasets", None)
    command = run("demo", "--folder", tmp_path)
    assert command.code == 1
    assert "pip install scikit-learn" in complaint(command)


class Impatience:
    """Ctrl-C while a module is looked for."""

    def __init__(self, module: str) -> None:
        self._module = module

    def find_spec(self, name: str, *_: object) -> None:
        if name == self._module:
            raise KeyboardInterrupt


@pytest.mark.parametrize("module", ["regretless.cli.entry", "regretless.cli.learn.labels"])
def test_an_interruption_while_modules_are_imported_is_one_line(run, mail, monkeypatch, module):
    """Ctrl-C before the work begins ends with 130 and one word, and no traceback."""
    monkeypatch.delitem(sys.modules, module, raising=False)
    monkeypatch.delattr(module, raising=False)
    monkeypatch.setattr(sys, "meta_path", [Impatience(module), *sys.meta_path])
    command = run("learn", mail, *BARE)
    assert (command.code, command.out, command.err) == (130, "", "regretless: interrupted\n")


def test_an_error_is_of_a_file_by_its_kind_and_not_by_its_words():
    """A file whose name is a word of the error is named all the same, and one that the error is about only once."""
    assert explain(RegretlessError("the labels are of one class"), "labels") == "labels: the labels are of one class"
    about = DataError("labels", 2, None, "a label is missing", "every row needs one")
    assert explain(about, "labels") == "labels:2: a label is missing; every row needs one"
