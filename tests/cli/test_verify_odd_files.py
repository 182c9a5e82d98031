"""``regretless verify``: honest reports on small and odd files are not contradicted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from regretless.catalogue import LEARNERS

from ..command_line import CommandLine, write


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    return CommandLine(capsys, monkeypatch)


ODD = {
    "one row": ["-1 1:1 2:2"],
    "one class, +1": [f"1 1:{k} 2:{k * k % 5 - 2}" for k in range(1, 7)],
    "one class, -1": [f"-1 1:{k} 2:{k * k % 5 - 2}" for k in range(1, 7)],
    "one class, -1, of positive entries": [f"-1 1:{k} 2:1" for k in range(1, 7)],
    "two rows": ["1 1:0.3 2:2.7", "-1 1:0.2 2:-1.1"],
    "opposite rows": ["1 1:1 2:2", "-1 1:-1 2:-2"],
    "rows of zeros": ["1", "-1", "1"],
    "rows of zeros, three classes": ["1", "2", "3", "1"],
    "zeros first": ["1", "-1 1:1", "1 1:2", "-1 1:-1"],
    "equal rows": ["1 1:1 2:0.5"] * 3 + ["-1 1:1 2:0.5"] * 3,
    "a row for each of three classes": ["1 1:1 2:2", "2 1:2 2:-1", "3 1:-1 2:0.3"],
    "short rows": ["1 1:1e-100", "-1 1:-3e-100 2:2e-100", "1 2:-1e-100", "-1 1:1e-100"],
    "long rows": ["1 1:1e100", "-1 1:-3e100 2:2e100", "1 2:-1e100", "-1 1:1e100"],
}


OWN = {"margin-perceptron": ("--set", "max_passes=3"), "kernel-perceptron": ("--set", "gamma=0.1")}


@pytest.mark.parametrize("name", ODD)
@pytest.mark.parametrize("learner", LEARNERS)
def test_an_honest_report_on_an_odd_file_is_not_contradicted(run, tmp_path, learner, name):
    """The numbers of a report agree with the file that it is about, with a constant feature or without; where no
    certificate is compared each line says why."""
    data = write(tmp_path / "odd.svm", [f"{line}\n" for line in ODD[name]])
    settings = OWN.get(learner, ())
    for more in ((), ("--set", "intercept=0")):
        learned = run("learn", data, "--learner", learner, *settings, *more, "--json")
        if learner == "aggregated" and name in ("short rows", "long rows"):
            assert "scale the columns" in learned.err
            continue
        verified = run("verify", write(tmp_path / "report.json", learned.out), data)
        assert (learned.code, verified.code) in ((0, 0), (0, 1)), verified.out + verified.err
        if verified.code:
            assert "none of its certificates was compared" in verified.err
            assert "agrees" not in verified.out.replace("agrees: the run", "")


def altered(path: Path, **numbers: Any) -> None:
    """The same report with other numbers of its run."""
    path.write_text(json.dumps(json.loads(path.read_text()) | numbers))


@pytest.mark.parametrize("label", [-1, 1, 7])
@pytest.mark.parametrize("learner", ["perceptron", "multiclass-perceptron", "selective-perceptron"])
def test_a_false_count_of_one_class_differs(run, tmp_path, learner, label):
    """Where all rows are of one class, whatever its sign, one mistake more than there were is noticed."""
    data = write(tmp_path / "one.svm", [f"{label} 1:{k} 2:{k * k % 5 - 2}\n" for k in range(1, 7)])
    report = write(tmp_path / "one.json", run("learn", data, "--learner", learner, "--json").out)
    assert run("verify", report, data).code == 0
    altered(report, mistakes=json.loads(report.read_text())["mistakes"] + 1)
    assert run("verify", report, data).code == 3


def test_a_divergence_of_nothing_agrees_and_one_of_something_differs(run, tmp_path):
    """Where a comparator weighs all columns the same, a divergence as large as its sum is rounded by agrees with none,
    and one that is a millionth does not."""
    data = write(tmp_path / "two.svm", [f"{line}\n" for line in ODD["opposite rows"]])
    report = write(tmp_path / "two.json", run("learn", data, "--learner", "winnow", "--json").out)
    record = json.loads(report.read_text())
    facts = record["certificates"][0]["constants"]["comparator"]
    assert 0 < facts["divergence"] < 1e-14
    assert run("verify", report, data).code == 0
    facts["divergence"] = 1e-6
    report.write_text(json.dumps(record))
    assert "divergence is 1e-06 in the report and 0.0 here" in run("verify", report, data).out


@pytest.mark.parametrize("learner", ["arow", "second-order-perceptron"])
def test_rows_that_leave_a_matrix_no_digits_are_not_played_again(run, tmp_path, learner):
    """Of rows a hundred million times as long as what a full matrix starts with the output says that it keeps too few
    digits, and of such that are shorter it has the updates."""
    for size, played in ((1e6, True), (1e9, False)):
        draw = np.random.default_rng(0).normal(size=(30, 2)) * size
        rows = [f"{1 if a > b else -1} 1:{a!r} 2:{b!r}\n" for a, b in draw.tolist()]
        data = write(tmp_path / "long.svm", rows)
        made = run("learn", data, "--learner", learner, "--set", "matrix=full", "--json")
        verified = run("verify", write(tmp_path / "long.json", made.out), data)
        assert (verified.code, "keeps less than half the digits" in verified.out) == (0, not played)


RISING = [(int(k > 5), k / 10) for k in range(12)]
AGAIN = [
    (1, 1.2693669670055299),
    (1, -2.3756891795170647),
    (1, 1.2693669670055299),
    (0, -2.3756891795170647),
    (0, -0.4822549610982313),
    (1, -0.6418777036971328),
    (0, -0.4822549610982313),
    (0, -0.4822549610982313),
    (0, -1.0390823151372177),
    (0, -0.5309132136230478),
    (1, 0.2326500773941542),
    (0, -0.5922308604037089),
    (1, 0.5536716310178531),
    (0, -0.5526902820991474),
]


@pytest.mark.parametrize(("rows", "settings"), [(RISING, ("--set", "alpha=1")), (AGAIN, ("--passes", "2"))])
def test_a_weight_of_nothing_but_rounding_is_no_contradiction(run, tmp_path, rows, settings):
    """Where a step of ALMA brings the weight of a lone column to 0, or to its last bit, no honest report differs."""
    data = write(tmp_path / "ties.svm", [f"{label} 1:{x}\n" for label, x in rows])
    made = run("learn", data, "--learner", "alma", "--set", "intercept=0", *settings, "--json")
    assert run("verify", write(tmp_path / "ties.json", made.out), data).code == 0


LARGE = [
    (-4336.536150454896, 0.00036090653598763435, -1313.1486728425634),
    (-8.557303650900863e-08, -566.7785156225656, 0.0001736745774893312),
    (-17.16675465408383, -0.00018055267013986586, 1.978517662389534e-06),
    (-2.4297901364356727, -0.14767888465269094, -0.02127634671252046),
    (-0.5189946604610197, 14121.692689010488, 0.7698249428948407),
    (5.505189187480718e-05, 0.00047212003928713667, 0.0001067441221895685),
    (-755940.1928532841, -290.7773184905999, -1.9194626959053523e-06),
    (-1.5413786476774585, 1258.1923127601717, 0.056214479995441984),
]


def test_a_margin_of_large_numbers_agrees_to_the_digits_that_it_has(run, tmp_path):
    """Where the least margin is a difference of products far larger than it, an honest report agrees."""
    data = write(tmp_path / "large.svm", [f"1 1:{a} 2:{b} 3:{c}\n" for a, b, c in LARGE])
    words = ("--learner", "selective-perceptron", "--passes", "2", "--set", "intercept=0", "--json")
    assert run("verify", write(tmp_path / "large.json", run("learn", data, *words).out), data).code == 0


def test_sums_that_return_to_nothing_tie_again(run, tmp_path):
    """Where rows of both labels cancel, in every pass, the textbook has the second-order perceptron's updates."""
    data = write(tmp_path / "zeros.svm", [f"{label}\n" for label in (1, -1, 1, -1)])
    made = run("learn", data, "--learner", "second-order-perceptron", "--passes", "50", "--json")
    verified = run("verify", write(tmp_path / "zeros.json", made.out), data)
    assert (verified.code, json.loads(made.out)["updates"]) == (0, 200)
    assert "updates" in verified.out.partition("agrees: the run")[2].partition("\n")[0]


NARROW = [
    "2 1:1.0 2:-1.0 3:1.0 4:0.0",
    "-1 1:1.5 2:1.0 3:-2.0 4:-1.5",
    "-1 1:1.5 2:-0.5 3:1.5 4:1.0",
    "-1 1:1.5 2:-1.0 3:-1.0 4:1.5",
    "1 1:1.5 2:-2.0 3:-1.0 4:-1.0",
    "1 1:2.0 2:0.5 3:0.5 4:-1.0",
]


def test_a_sum_of_bounds_of_which_one_is_not_followed_is_not_compared(run, tmp_path):
    """Of three classes, one of whose bounds takes too many steps, the line says so, and takes no other for the sum."""
    data = write(tmp_path / "narrow.svm", [f"{line}\n" for line in NARROW])
    made = run("learn", data, "--learner", "margin-perceptron", "--set", "max_passes=3", "--json")
    verified = run("verify", write(tmp_path / "narrow.json", made.out), data)
    assert "cannot be checked: margin_recursion: its bound takes too many steps" in verified.out
    assert verified.code == 0


def test_the_worst_of_several_classes_is_found(run, tmp_path):
    """The margin that was attained is that of the class whose margin is the least, whichever that is, and the half of
    it differs."""
    data = write(tmp_path / "rows.svm", [f"{line}\n" for line in ODD["a row for each of three classes"]])
    words = ("--learner", "margin-perceptron", "--set", "max_passes=3", "--json")
    report = write(tmp_path / "rows.json", run("learn", data, *words).out)
    record = json.loads(report.read_text())
    (attained,) = (one for one in record["certificates"] if one["theorem"] == "margin_attained")
    assert attained["applies"]
    assert "agrees: margin_attained" in run("verify", report, data).out
    attained["observed"] /= 2
    report.write_text(json.dumps(record))
    assert "differs: margin_attained" in run("verify", report, data).out


def test_more_classes_than_a_report_describes_are_not_compared(run, tmp_path):
    """Of 25 classes, each against the rest, no file of vectors is asked for: the output says what the report lacks."""
    data = write(tmp_path / "many.svm", [f"{k % 25} 1:{k % 7} 2:{k % 4}\n" for k in range(80)])
    vectors = tmp_path / "vectors.npz"
    made = run("learn", data, "--learner", "perceptron", "--json", "--save-comparators", vectors)
    verified = run("verify", write(tmp_path / "many.json", made.out), data, "--comparators", vectors)
    assert verified.code == 1
    assert "cannot be checked: sharp: it sums over 25 classes, and the report has the numbers of none" in verified.out
    assert "--comparators" not in verified.out


TIED = {
    "other rows, as many": (
        ("second-order-perceptron", "--set", "intercept=0"),
        "0 3:-1 5:1 7:-1|1 1:-1 3:-1|1 7:-1|0 1:-1 7:1|1 1:1 8:-1|0|0 5:-1|0 1:1 7:-1 8:-1|0 5:1|0 7:1",
    ),
    "other rows, as many, of one class": (
        ("winnow", "--set", "balanced=true"),
        "-1 1:-1 2:1 3:1 5:-1 6:-1 7:1 8:-1 10:-1 11:1 17:1 20:1 21:-1 22:1 23:1 24:-1 25:-1 27:-1 28:1 29:1"
        " 30:1 31:1 32:1 33:-1 36:-1 38:-1 40:1|-1 1:-1 2:1 4:-1 5:1 6:1 8:-1 9:-1 10:-1 11:-1 12:-1 13:-1"
        " 15:-1 18:-1 19:-1 20:1 21:-1 22:-1 23:1 24:-1 25:1 27:1 28:1 29:1 31:-1 32:-1 33:1 36:1 38:-1 40:-1"
        "|-1 4:1 7:-1 9:-1 19:-1 20:-1 23:1 25:1 27:-1 29:-1 30:1 32:-1 33:-1 34:-1 36:1 39:-1|-1 5:-1 6:-1"
        " 8:1 9:1 10:-1 31:1|-1 4:-1 6:1 8:1 9:1 20:1 21:-1 22:-1 24:-1 28:-1 30:1 33:-1 38:1 40:-1|-1 10:1"
        " 22:-1 24:1 29:-1 32:1 39:1|-1 28:-1 33:-1 34:-1 36:1|-1 1:1 23:-1 30:-1 39:1|-1 30:1|-1 5:1 7:-1"
        " 8:-1 10:-1 11:1 14:-1 15:-1 16:-1 17:-1 19:1 21:1 22:-1 23:-1 25:1 27:-1 28:1 29:-1 30:1 32:-1 33:1"
        " 38:-1 39:1 40:1",
    ),
    "all ties, which no other run has": (
        ("winnow", "--set", "balanced=true", "--passes", "5"),
        "2 2:3 4:2 5:1|2 1:-3 2:-2 4:1 5:-2|1 5:-2|2 1:1 2:-3 3:-1 4:-3|2 1:-2 3:-1 5:-2|2 2:1 3:-2|1 1:-2|2"
        " 2:1 3:3 4:-2|1 2:2|1 1:-2 2:3|2 1:-1 2:-2 3:3|1|1 4:-2 5:-1|2 4:-3 5:-3",
    ),
    "steps that weights forget": (
        ("winnow", "--set", "balanced=true", "--set", "intercept=0", "--passes", "2"),
        "7 2:1.43312e-108|3 2:-1.9508e-109 3:2.57511e-109|6",
    ),
}


@pytest.mark.parametrize("name", TIED)
def test_where_a_tie_hinges_on_rounding_an_honest_report_is_not_contradicted(run, tmp_path, name):
    """Where scores are 0 but for rounding, so that other rounds are updates, the report agrees, and with a row more
    in the file it does not."""
    settings, rows = TIED[name]
    lines = [f"{line}\n" for line in rows.split("|")]
    data = write(tmp_path / "ties.svm", lines)
    report = write(tmp_path / "ties.json", run("learn", data, "--learner", *settings, "--json").out)
    assert run("verify", report, data).code == 0
    assert run("verify", report, write(tmp_path / "more.svm", [*lines, lines[0]])).code == 3


def test_ties_excuse_no_count_beyond_them(run, tmp_path):
    """Where all ties are updates, which runs that differ by rounding have not, a count far beyond them differs."""
    settings, rows = TIED["all ties, which no other run has"]
    data = write(tmp_path / "ties.svm", [f"{line}\n" for line in rows.split("|")])
    report = write(tmp_path / "ties.json", run("learn", data, "--learner", *settings, "--json").out)
    record = json.loads(report.read_text())
    record["updates"] += 15
    assert run("verify", write(tmp_path / "more.json", json.dumps(record)), data).code == 3
