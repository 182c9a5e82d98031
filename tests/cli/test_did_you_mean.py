"""A name that is nearly one that there is."""

from __future__ import annotations

import pytest

from regretless.errors import did_you_mean

from ..command_line import CommandLine


@pytest.fixture
def run(capsys, monkeypatch) -> CommandLine:
    return CommandLine(capsys, monkeypatch)


@pytest.mark.parametrize(
    ("text", "names", "message"),
    [
        ("Realprice", ["time", "Real price"], "did you mean Real price? "),
        ("dnn2", ["DNN 1", "DNN 2"], "did you mean DNN 2? "),
        ("perceptrn", ["arow", "voted-perceptron", "perceptron"], "did you mean perceptron or voted-perceptron? "),
        ("zebra", ["arow", "perceptron"], ""),
        ("", ["a"], ""),
    ],
)
def test_names_that_are_like_a_text(text, names, message):
    """The nearest come first; case and signs between words do not count, and what is like none has no advice."""
    assert did_you_mean(text, names) == message


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (("lern", "{table}"), "learn"),
        (("learn", "{table}", "--lerner", "arow"), "--learner"),
        (("learn", "{table}", "--learner", "arrow"), "arow"),
        (("learn", "{table}", "--task", "regresion"), "regression"),
        (("learn", "{table}", "--learner", "arow", "--set", "matrx=full"), "matrix"),
        (("learn", "{table}", "--learner", "arow", "--set", "matrix=ful"), "full"),
        (("learn", "{table}", "--target", "Heigth"), "height"),
        (("learn", "{table}", "--ignore", "wieght"), "weight"),
        (("combine", "{table}", "--target", "hight"), "height"),
        (("combine", "{table}", "--target", "height", "--experts", "wight"), "weight"),
        (("compare", "arrow", "perceptron", "{table}"), "arow"),
        (("dimension", "--named", "treshold:3"), "thresholds"),
    ],
)
def test_misspelt_words_are_answered_by_what_may_be_meant(run, tmp_path, words, meant):
    """Verbs, options, their values, parameters and columns."""
    (tmp_path / "t.csv").write_text("height,weight,label\n1,2,x\n2,1,y\n")
    command = run(*(word.format(table=tmp_path / "t.csv") for word in words))
    assert command.code in (1, 2)
    assert command.out == ""
    assert f"did you mean {meant}" in command.err


def test_a_target_is_advised_for_labels_and_for_numbers(run, tmp_path):
    """Where no column is called as a target is, the last one with few values and the last of all are named; words for
    outcomes of forecasts are not taken for an expert."""
    lines = [f"{row / 7:.3f},{'ab'[row % 2]},{row * row / 3:.2f}" for row in range(60)]
    (tmp_path / "t.csv").write_text("\n".join(["size,colour,price", *lines]) + "\n")
    command = run("learn", tmp_path / "t.csv")
    assert command.err.splitlines()[0].endswith("as in --target colour or --target price")
    command = run("combine", tmp_path / "t.csv", "--target", "colour")
    assert command.err.splitlines()[-1].endswith(":2:7: column 'colour' holds 'a'; a number is expected")


@pytest.mark.parametrize("verb", ["predict", "certify"])
def test_a_model_in_place_of_the_rows_is_reported(run, tmp_path, verb):
    """Rows before the model are answered by the order, and a model alone in place of data by what takes it."""
    table, model = tmp_path / "t.csv", tmp_path / "m.rgl"
    table.write_text("a,label\n1,x\n2,y\n")
    assert run("learn", table, "--learner", "perceptron", "--no-certify", "--quiet", "--save", model).code == 0
    command = run(verb, table, model)
    message = f"regretless: the model comes first, and the rows behind it: {model} {table}\n"
    assert (command.code, command.err) == (2, message)
    command = run("learn", model)
    assert command.err.startswith(f"regretless: {model}: this is a saved model; give a file of data")
