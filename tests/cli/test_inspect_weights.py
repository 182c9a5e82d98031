"""``regretless inspect``: which weights are the largest."""

from __future__ import annotations

import random

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
    generator = np.random.default_rng(4)
    lines = ["small,large,price,label"]
    for small, large in generator.normal(size=(150, 2)):
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


@pytest.mark.parametrize(("setting", "shown"), [("full", "matrix=full"), ("auto", "; matrix full\n")])
def test_a_matrix_is_shown_once(run, table, tmp_path, setting, shown):
    """What was set is not shown again as what it has come to be; what was left open is."""
    words = ("learn", table, "--target", "label", "--learner", "arow", "--set", f"matrix={setting}")
    run(*words, "--quiet", "--no-certify", "--save", tmp_path / "m.rgl")
    text = run("inspect", tmp_path / "m.rgl").out
    assert shown in text
    assert text.count("matrix") == 1


def test_weights_without_sizes_are_ranked_as_they_are(run, table, tmp_path):
    """A perceptron does not know how large its features were, and the title says nothing of it."""
    model = tmp_path / "m.rgl"
    words = ("--learner", "perceptron", "--ignore", "price", "--no-certify", "--quiet")
    assert run("learn", table, *words, "--save", model).code == 0
    lines = run("inspect", model).out.splitlines()
    assert lines[-3].startswith("largest weights, for ")
    assert "each times" not in lines[-3]
    assert "size" not in run("inspect", model, "--json").json["weights"][0]["largest"][0]


@pytest.mark.parametrize(
    ("learner", "suffix", "title"),
    [
        ("aggregated", "csv", "Largest weights, times the largest size of each feature<"),
        ("perceptron", "csv", "Largest weights, times the largest size of each feature in the first rows<"),
        ("perceptron", "svm", "Largest weights<"),
    ],
)
def test_bars_of_a_report_show_what_features_make_of_weights(run, tmp_path, learner, suffix, title):
    """Weights of columns in units of their own are multiplied by the sizes of these where they are known."""
    draw, file, page = random.Random(4), tmp_path / f"t.{suffix}", tmp_path / "r.html"
    rows = [(draw.choice((-400.0, 200.0)), draw.choice((-1.0, 1.0)), row % 2) for row in range(30)]
    lines = [f"{c} 1:{a} 2:{b}\n" if suffix == "svm" else f"{a},{b},{c}\n" for a, b, c in rows]
    file.write_text("".join(lines) if suffix == "svm" else "pay,rank,label\n" + "".join(lines))
    words = ("--learner", learner, "--save", tmp_path / "m.rgl", "--report", page, "--no-certify", "--quiet")
    assert run("learn", file, *words).code == 0
    text = page.read_text()
    assert title in text
    weight = load(tmp_path / "m.rgl").coef_[0, 0]
    shown = next(line for line in text.splitlines() if f"<title>{'1' if suffix == 'svm' else 'pay'}: " in line)
    value = float(shown.partition("<title>")[2].partition(": ")[2].partition("<")[0].replace("−", "-").replace(",", ""))
    assert value == pytest.approx(weight * (1 if suffix == "svm" else 400), rel=2e-3)


def test_weights_of_a_lone_class_of_minus_one_speak_against_it(run, tmp_path):
    """Where all rows are of the class -1, positive weights are for what is not -1, and the title says so."""
    data, model = tmp_path / "d.csv", tmp_path / "m.rgl"
    data.write_text("x,z,label\n1,2,-1\n3,4,-1\n")
    words = ("--learner", "passive-aggressive", "--target", "label", "--no-certify", "--quiet", "--save", model)
    assert run("learn", data, *words).code == 0
    (weights,) = run("inspect", model, "--json").json["weights"]
    assert weights["class"] == "not -1"
    assert all(one["weight"] < 0 for one in weights["largest"])
    assert any(line.startswith("largest weights, for not -1") for line in run("inspect", model).out.splitlines())
