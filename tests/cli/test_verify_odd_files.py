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


def test_a_weight_of_nothing_but_rounding_is_no_contradiction(run, tmp_path):
    """Where a step of ALMA brings the weight of a lone column to 0, or to its last bit, an honest report agrees, and
    the output says that rounding decides."""
    data = write(tmp_path / "ties.svm", [f"{1 if k > 5 else -1} 1:{k / 10}\n" for k in range(12)])
    made = run("learn", data, "--learner", "alma", "--set", "alpha=1", "--set", "intercept=0", "--json")
    verified = run("verify", write(tmp_path / "ties.json", made.out), data)
    assert (verified.code, "rounding decides" in verified.out) == (0, True)


def test_sums_that_return_to_nothing_tie_again(run, tmp_path):
    """Where rows of both labels cancel, in every pass, the textbook has the second-order perceptron's updates."""
    data = write(tmp_path / "zeros.svm", [f"{label}\n" for label in (1, -1, 1, -1)])
    made = run("learn", data, "--learner", "second-order-perceptron", "--passes", "50", "--json")
    verified = run("verify", write(tmp_path / "zeros.json", made.out), data)
    assert (verified.code, json.loads(made.out)["updates"]) == (0, 200)
    assert "updates" in verified.out.partition("agrees: the run")[2].partition("\n")[0]


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
