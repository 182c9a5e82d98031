"""``--json``: one object on stdout, whatever happens."""

from __future__ import annotations

import signal

import pytest

from ..command_line import CommandLine, noisy_lines, write


@pytest.fixture
def run(capsys, monkeypatch) -> CommandLine:
    return CommandLine(capsys, monkeypatch)


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("learn", "{rows}", "--learner", "nobody"), 2, "argument --learner: invalid choice: 'nobody'"),
        (("learn", "{rows}", "--no-such-option"), 2, "unrecognized arguments"),
        (("learn", "{folder}/absent.svm"), 1, "there is no such file"),
        (("learn", "{bad}", "--learner", "perceptron", "--quiet"), 1, "value not a number"),
        (("learn", "{rows}", "--target", "y"), 2, "--target has no meaning in the format svmlight"),
        (("predict", "{rows}", "{rows}"), 1, "is not a model"),
        (("certify", "{rows}", "{rows}"), 1, "is not a model"),
        (("verify", "{rows}", "{rows}"), 1, "this is no JSON"),
        (("combine", "{bad}", "--target", "y"), 1, "{bad}"),
        (("solve", "{folder}/absent.csv"), 1, "there is no such file"),
        (("dimension",), 2, "name a class"),
    ],
)
def test_an_error_is_one_object_too(run, tmp_path, words, code, message):
    """It has the message of stderr and the exit code; without --json nothing stands on stdout."""
    lines = noisy_lines(20)
    rows, bad = write(tmp_path / "a.svm", lines), write(tmp_path / "b.svm", [*lines, "1 2:x\n"])
    places = {"rows": rows, "bad": bad, "folder": tmp_path}
    words = tuple(word.format(**places) for word in words)
    command = run(*words, "--json")
    assert command.code == code
    assert command.json["schema"] == "regretless.error/1"
    assert command.json["code"] == code
    assert message.format(**places) in command.json["error"]
    assert command.err.splitlines()[0] == f"regretless: {command.json['error']}"
    assert run(*words).out == ""


def test_what_ends_a_command_after_its_object_adds_none(run, tmp_path, monkeypatch):
    """A page that cannot be written, and Ctrl-C among the certificates, end with one object: that of the run."""
    rows = write(tmp_path / "a.svm", noisy_lines(20))
    words = ("learn", rows, "--learner", "perceptron", "--json")
    failed = run(*words, "--report", "/dev/full")
    assert failed.code == 1
    assert failed.json["schema"] == "regretless.learn/1"
    monkeypatch.setattr("regretless.certify.certify_stream", lambda *_, **__: signal.raise_signal(signal.SIGINT))
    assert run(*words).json["schema"] == "regretless.learn/1"
    monkeypatch.setattr("regretless.run.linear.Run.play", lambda _: signal.raise_signal(signal.SIGINT))
    assert run(*words).json["code"] == 130
