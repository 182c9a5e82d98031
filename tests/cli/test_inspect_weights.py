"""``regretless inspect``: which weights are the largest."""

from __future__ import annotations

import numpy as np
import pytest

from regretless import load

from ..command_line import CommandLine


@pytest.fixture
def run(capsys, monkeypatch) -> CommandLine:
    return CommandLine(capsys, monkeypatch)


@pytest.fixture
def table(tmp_path):
    """A label, and a number, that follow a column of hundreds, not one of hundredths."""
    random = np.random.default_rng(4)
    lines = ["small,large,price,label"]
    for small, large in random.normal(size=(150, 2)):
        lines.append(f"{small / 100:.5f},{100 * large:.2f},{3 * large + 0.1 * small:.4f},{'x' if large > 0 else 'y'}")
    (tmp_path / "t.csv").write_text("\n".join(lines) + "\n")
    return tmp_path / "t.csv"


@pytest.mark.parametrize("words", [("--ignore", "price"), ("--target", "price", "--ignore", "label")])
def test_weights_are_ranked_by_what_they_make_of_their_features(run, table, tmp_path, words):
    """A small weight of large numbers stands before a large one of small numbers, with the size that it is multiplied
    by; a learner that knows no sizes ranks weights as they are."""
    model = tmp_path / "m.rgl"
    assert run("learn", table, *words, "--no-certify", "--quiet", "--save", model).code == 0
    values = run("inspect", model, "--json").json["weights"]
    first, second = values if "--target" in words else values[0]["largest"]
    assert (first["feature"], second["feature"]) == ("large", "small")
    assert abs(first["weight"]) < abs(second["weight"])
    sizes = np.abs(np.loadtxt(table, delimiter=",", skiprows=1, usecols=(0, 1))).max(axis=0)
    assert [second["size"], first["size"]] == sizes.tolist()
    lines = run("inspect", model).out.splitlines()
    assert lines[-3].endswith(", each times the largest size of its feature")
    assert lines[-2].split()[:2] == ["large", f"{first['weight'] * first['size']:+.6g}"]
    (chart,) = load(model).bars()
    assert chart.title.endswith(", times the largest size of each feature")
    assert np.abs(chart.values).argmax() == 1


def test_weights_without_sizes_are_ranked_as_they_are(run, table, tmp_path):
    """A perceptron does not know how large its features were, and the title says nothing of it."""
    model = tmp_path / "m.rgl"
    words = ("--learner", "perceptron", "--ignore", "price", "--no-certify", "--quiet")
    assert run("learn", table, *words, "--save", model).code == 0
    lines = run("inspect", model).out.splitlines()
    assert lines[-3].startswith("largest weights, for ")
    assert "each times" not in lines[-3]
    assert "size" not in run("inspect", model, "--json").json["weights"][0]["largest"][0]
