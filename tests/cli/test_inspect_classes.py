"""``regretless inspect`` of models of finite classes."""

from __future__ import annotations

import pytest

from regretless.finite_classes import FiniteClass, Halving, RandomizedOptimal

from ..command_line import CommandLine

MADE = FiniteClass([[0, 0, 0, 1], [0, 0, 1, 1], [0, 1, 1, 0], [1, 1, 1, 0]], points=["p", "q", "r", "point s"])


@pytest.fixture
def run(capsys, monkeypatch) -> CommandLine:
    return CommandLine(capsys, monkeypatch)


def test_what_it_would_predict_is_shown(run, tmp_path):
    """People see what it says of the first points, or with which probability 1; programs of all of them."""
    path = tmp_path / "m.rgl"
    learner = Halving(MADE)
    learner.play(["p", "point s"], [0, 1])
    learner.save(path)
    output = run("inspect", path, "--top", 3).out
    assert output.endswith("\npoints, and what it would predict\n  p  0\n  q  0\n  r  1\n  and 1 more\n")
    assert run("inspect", path, "--json").json["predictions"] == {"p": 0, "q": 0, "r": 1, "point s": 1}
    learner = RandomizedOptimal(MADE, random_state=0)
    learner.play(["p", "point s"], [0, 1])
    learner.save(path)
    output = run("inspect", path).out
    assert output.endswith(
        "the probability of predicting 1\n  p        0\n  q        0\n  r        0.5\n  point s  1\n"
    )


def test_what_it_goes_by_is_explained(run, tmp_path):
    """Hypotheses that were wrong and still vote, and those that it goes by after the last one died, differ."""
    path = tmp_path / "m.rgl"
    learner = Halving(MADE, prune="mistake")
    learner.play(["p"], [0])
    learner.save(path)
    assert "goes by     4 hypotheses: those that were wrong leave when the learner is\n" in run("inspect", path).out
    learner.play(["p", "q", "q"], [0, 1, 0])
    learner.save(path)
    output = run("inspect", path).out
    assert "agreeing    no hypothesis agrees with all labels\n" in output
    assert (
        "died        the last hypothesis, in round 4\ngoes by     2 hypotheses, as it did before that round\n" in output
    )


def test_one_hypothesis_on_one_point(run, tmp_path):
    """One of a kind is reported in the singular."""
    path = tmp_path / "m.rgl"
    Halving(FiniteClass([[1]])).save(path)
    output = run("inspect", path).out
    assert "class       1 hypothesis on 1 point\n" in output
    assert "agreeing    one hypothesis agrees with all labels\n" in output


@pytest.mark.parametrize("verb", ["predict", "learn", "combine"])
def test_a_refusal_says_what_can_be_done(verb, run, tmp_path):
    """A verb that has no use for such a model says what shows it, and what goes on with it."""
    path, table = tmp_path / "m.rgl", tmp_path / "d.svm"
    Halving(MADE).save(path)
    table.write_text("1 1:1\n")
    requests = [path] if verb == "predict" else ["--resume", path]
    command = run(verb, *requests, table)
    assert command.code == 1
    assert (
        "inspect shows it and what it predicts, and in Python regretless.load(...).play(points, labels)" in command.err
    )
