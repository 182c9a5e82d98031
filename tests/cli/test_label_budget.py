"""``learn --label-budget``: what is asked, what is said of it, and what is refused."""

from __future__ import annotations

import pytest

from ..command_line import CommandLine, noisy_lines, write


@pytest.fixture
def run(capsys, monkeypatch) -> CommandLine:
    return CommandLine(capsys, monkeypatch)


@pytest.mark.parametrize(
    ("budget", "most", "settings"), [("10%", 40, {"share": 0.1}), ("60", 60, {"most_labels": 60, "share": 0.15})]
)
def test_a_budget_is_spread_over_the_file_and_not_exceeded(run, tmp_path, budget, most, settings):
    """The learner that asks takes it, keeps to it, and asks in the second half of the rows too."""
    data, page = write(tmp_path / "rows.svm", noisy_lines(400)), tmp_path / "r.html"
    learned = run("learn", data, "--label-budget", budget, "--json", "--report", page)
    assert learned.code == 0, learned.err
    assert learned.json["learner"] == "selective-perceptron"
    assert settings.items() <= learned.json["parameters"].items()
    assert most / 2 < learned.json["asked"]["labels"] <= most
    assert "Labels asked" in page.read_text()
    half = run("learn", write(tmp_path / "half.svm", noisy_lines(200)), "--json", *_set(learned.json["parameters"]))
    assert half.json["asked"]["labels"] < learned.json["asked"]["labels"]


def _set(parameters):
    names = ("share", "most_labels", "intercept")
    settings = [f"{name}={parameters[name]}" for name in names if parameters[name] is not None]
    return ["--learner", "selective-perceptron", *(word for one in settings for word in ("--set", one))]


def test_the_lines_say_what_was_asked(run, tmp_path):
    """People read how many labels were asked, how many were to be expected, and how many of them were wrong."""
    data = write(tmp_path / "rows.svm", noisy_lines(400))
    few, many = run("learn", data, "--label-budget", "25").out, run("learn", data, *_set(_always())).out
    assert "labels asked: 25 of 400 (6.25 %); " in few
    assert "rows at which the budget allowed no question: " in few
    assert run("learn", data, "--label-budget", "25", "--json").json["asked"]["wrong_estimated"] is None
    assert "by these alone, so many of all rows are wrong or tied: about " in many
    assert "labels asked" not in run("learn", data, "--learner", "perceptron").out
    model = tmp_path / "m.rgl"
    run("learn", data, "--label-budget", "25", "--save", model)
    assert "asked       25 labels, of " in run("inspect", model).out
    assert run("inspect", model, "--json").json["asked"]["labels"] == 25


def _always():
    return {"share": None, "most_labels": None, "intercept": 1.0}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--label-budget", "0"], "'0' is neither a whole number of labels nor a share"),
        (["--label-budget", "100%"], "'100%' is neither a whole number of labels nor a share"),
        (["--label-budget", "5%", "--learner", "arow"], "arow learns from all labels; leave out --learner"),
        (["--label-budget", "5", "--set", "share=0.1"], "sets share, and so does --set"),
        (["--label-budget", "5", "--task", "regression"], "is for learners of labels"),
        (["--label-budget", "5", "--workers", "2"], "is for one file"),
    ],
)
def test_a_budget_that_cannot_be_is_refused(run, tmp_path, words, message):
    """The message says why, and what to do instead."""
    data = write(tmp_path / "rows.svm", noisy_lines(40))
    refused = run("learn", data, *words)
    assert refused.code == 2
    assert message in refused.err


def test_a_row_without_a_label_is_refused_with_a_hint(run, tmp_path):
    """A label that is missing might be asked, so the line is named and passing over it offered."""
    data = write(tmp_path / "rows.csv", ["a,y\n", "1,p\n", "2,\n", "3,q\n"])
    refused = run("learn", data, "--target", "y", "--label-budget", "2")
    assert refused.code == 1
    assert "rows.csv:3:3: the label is missing; every row needs one; --on-error skip passes over" in refused.err


def test_a_resumed_run_is_the_whole_run(run, tmp_path):
    """Two halves with a model between them ask the same labels and give the same model as the whole file."""
    lines, quiet = noisy_lines(300), ["--no-certify", "--quiet"]
    words = ["--set", "share=0.2", "--set", "intercept=1", "--learner", "selective-perceptron", *quiet]
    whole, halves = tmp_path / "w.rgl", tmp_path / "h.rgl"
    assert run("learn", write(tmp_path / "all.svm", lines), *words, "--save", whole).code == 0
    assert run("learn", write(tmp_path / "one.svm", lines[:150]), *words, "--save", halves).code == 0
    assert run("learn", write(tmp_path / "two.svm", lines[150:]), "--resume", halves, *quiet).code == 0
    assert _description(run, whole) == _description(run, halves)


def _description(run, model):
    return [line for line in run("inspect", model).out.splitlines() if "run" not in line]
