"""What the command line says of rows to come, for those who vouch that rows are independent draws."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest

from regretless.cli.output import DONE, USAGE
from regretless.theory.online_to_batch import small_loss

from ..command_line import CommandLine, noisy_lines, write

LEARN = ("--learner", "perceptron", "--quiet")
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def run(capsys, monkeypatch) -> CommandLine:
    return CommandLine(capsys, monkeypatch)


@pytest.fixture(params=[(-1, 1), (1, 2, 3)], ids=["two classes", "three classes"])
def rows(request, tmp_path) -> Path:
    return write(tmp_path / "rows.svm", noisy_lines(240, classes=request.param))


def future(command) -> list[str]:
    lines = command.out.splitlines()
    return lines[next((place for place, line in enumerate(lines) if line.startswith("Future error")), len(lines)) :]


def test_nothing_is_reported_of_the_future_unless_asked(run, rows):
    """Without --iid there is no word on rows to come; with it, there are two lines below the others, and
    one that says what holds of both."""
    plain, command = run("learn", rows, *LEARN), run("learn", rows, *LEARN, "--iid")
    assert (plain.code, command.code) == (DONE, DONE)
    assert command.out == plain.out + "\n".join(future(command)) + "\n"
    assert len(future(command)) == 3
    assert all("with probability 95%" in line for line in future(command)[:2])
    assert future(command)[2].endswith("all 2 such lines hold together with at least 95% (one event)")


def test_further_passes_change_nothing_in_it(run, rows):
    """The lines are those of the first pass, however many follow, in JSON too."""
    outputs = [run("learn", rows, *LEARN, "--iid", "--passes", passes, "--delta", 0.01).out for passes in (1, 4)]
    assert outputs[0].splitlines()[-2:] == outputs[1].splitlines()[-2:]
    report = run("learn", rows, *LEARN, "--iid", "--passes", 4, "--json").json
    first = run("learn", rows, *LEARN, "--json").json
    risk, vote = report["certificates"][-2:]
    classes = len({line.split()[0] for line in rows.read_text().splitlines()})
    assert risk["observed"] == (first["mistakes"] + classes) / 240
    assert risk["bound"] == small_loss(first["mistakes"] + classes, 240, 0.05)
    assert (risk["kind"], risk["confidence"], vote["theorem"]) == ("probable", 0.95, "voted_risk")


@pytest.mark.parametrize("passes", [1, 3])
def test_a_model_answers_later_too(run, rows, tmp_path, passes):
    """`certify --iid` says of a saved model what `learn --iid` said."""
    model = tmp_path / "model.rgl"
    learned = run("learn", rows, *LEARN, "--passes", passes, "--save", model, "--iid", "--delta", 0.2)
    certified = run("certify", model, rows, "--iid", "--delta", 0.2)
    assert certified.code == DONE
    assert future(certified) == future(learned)
    assert run("certify", model, rows, "--iid", "--json").json["certificates"][-1]["theorem"] == "voted_risk"


def test_no_row_is_read_again_for_it(run, rows):
    """Standard input, which can be read only once, and --no-certify do not stand in its way."""
    learned = run("learn", rows, *LEARN, "--iid")
    piped = run("learn", "-", "--format", "svmlight", *LEARN, "--iid", stdin=rows.read_bytes())
    bare = run("learn", rows, *LEARN, "--iid", "--no-certify")
    assert future(learned) == future(piped) == future(bare)


def test_new_files_are_new_rounds(run, rows, tmp_path):
    """A run that goes on with another file counts the rounds of both."""
    lines = rows.read_text().splitlines(keepends=True)
    one, two = write(tmp_path / "one.svm", lines[:100]), write(tmp_path / "two.svm", lines[100:])
    model = tmp_path / "model.rgl"
    run("learn", one, *LEARN, "--save", model)
    onwards = run("learn", two, "--resume", model, "--quiet", "--iid")
    assert future(onwards) == future(run("learn", rows, *LEARN, "--iid"))


def test_it_stands_in_the_report(run, rows, tmp_path):
    """The report shows both lines with their probability."""
    page = tmp_path / "page.html"
    assert run("learn", rows, *LEARN, "--iid", "--delta", 0.1, "--report", page).code == DONE
    text = page.read_text(encoding="utf-8")
    assert text.count("with probability 90%") >= 2
    assert "Future error of the vote" in text


@pytest.mark.parametrize("words", [("--delta", 0.1), ("--iid", "--delta", 1), ("--iid", "--delta", "often")])
@pytest.mark.parametrize("verb", ["learn", "certify"])
def test_what_cannot_be_meant_is_refused(run, rows, tmp_path, verb, words):
    """A delta without --iid, or one that is no probability, is answered with one line."""
    if verb == "learn":
        command = run("learn", rows, *LEARN, *words)
    else:
        model = tmp_path / "model.rgl"
        run("learn", rows, *LEARN, "--no-certify", "--save", model)
        command = run("certify", model, rows, *words)
    assert command.code == USAGE
    assert command.out == ""
    assert command.err.count("\n") == 1


def test_the_examples_of_the_document_give_what_stands_below_them():
    """Every line of Python in docs/batch.md gives the answer that stands below it."""
    doctests = doctest.testfile(str(ROOT / "docs" / "batch.md"), module_relative=False)
    assert doctests.attempted > 20
    assert doctests.failed == 0
