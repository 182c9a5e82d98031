"""``regretless verify``: reports are computed again, and what is false in one is found."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import reduce
from math import inf, log, nan
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from regretless.catalogue import BANDITS, LEARNERS
from regretless.textbook import experts as rules
from regretless.verify import Number

from ..catalogue import OWN_RATES
from ..command_line import CommandLine, noisy_lines, write
from .test_cli_solve import TREE


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    return CommandLine(capsys, monkeypatch)


@pytest.fixture
def mail(tmp_path: Path) -> Path:
    return write(tmp_path / "mail.svm", noisy_lines(200))


@pytest.fixture
def forecasts(tmp_path: Path) -> Path:
    draw = np.random.default_rng(0)
    truth = draw.random(80)
    table = np.clip(np.column_stack([truth, truth[:, None] + draw.normal(0, (0.1, 0.2, 0.6), (80, 3))]), 0, 1)
    rows = "".join(",".join(map(repr, row)) + "\n" for row in table.tolist())
    path = tmp_path / "forecasts.csv"
    path.write_text("y,a,b,c\n" + rows)
    return path


def reported(run: CommandLine, path: Path, *words: Any) -> Path:
    """The JSON of a command, in a file."""
    command = run(*words, "--json")
    assert command.code == 0, command.err
    path.write_text(command.out)
    return path


def learned(run: CommandLine, mail: Path, *words: Any) -> Path:
    return reported(run, mail.with_suffix(".json"), "learn", mail, "--learner", *words)


def reported_as(folder: Path, report: dict[str, Any]) -> Path:
    return write(folder / "other.json", json.dumps(report))


def verification(run: CommandLine, report: Path, data: Path, *words: Any) -> dict[str, Any]:
    command = run("verify", report, data, *words, "--json")
    output: dict[str, Any] = command.json
    compared = any(one["verdict"] == "agrees" for one in output["checks"])
    assert command.code == (3 if output["differs"] else 0 if compared else 1)
    return output


HINDERED = {"aggregated": "it is a mixture of learners", "kernel-perceptron": "it is in the space of a kernel"}


@pytest.mark.parametrize("learner", LEARNERS)
def test_every_learner_of_weights_is_played_again(run, tmp_path, learner):
    """Of two classes the textbook counts what every learner does, or the output says why it does not."""
    data = write(tmp_path / "few.svm", noisy_lines(30))
    extra = ("--set", "gamma=0.1") if learner == "kernel-perceptron" else ()
    extra = ("--set", "max_passes=3") if learner == "margin-perceptron" else extra
    report = verification(run, learned(run, data, learner, *extra), data)
    assert report["differs"] == 0
    notes = [note for note in report["run"]["taken"] if note.startswith("the run was not")]
    counts = {"mistakes", "updates"} & set(report["run"]["numbers"])
    # Of a run that is not played again mistakes are those of the report's own table of labels.
    assert counts == ({"mistakes"} if learner in HINDERED else {"mistakes", "updates"})
    assert notes == [f"the run was not played again ({why})" for name, why in HINDERED.items() if name == learner]


SEVERAL = "the textbook plays this learner, with these settings, of two classes alone"
NOT_OF_SEVERAL = HINDERED | {"winnow": SEVERAL, "selective-perceptron": SEVERAL}


@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize(("classes", "passes"), [((3, 1, 2), 1), ((-1, -2, -3, 0), 2)])
def test_several_classes_are_played_again(run, tmp_path, learner, classes, passes):
    """Of classes that come one after the other, whichever comes first, the textbook has the counts of each against the
    rest, or of all at once, or the output says why it has none."""
    data = write(tmp_path / "few.svm", noisy_lines(30, classes=classes))
    extra = ("--set", "gamma=0.1") if learner == "kernel-perceptron" else ()
    extra = ("--set", f"max_passes={passes}") if learner == "margin-perceptron" else (*extra, "--passes", passes)
    report = verification(run, learned(run, data, learner, *extra), data)
    why = NOT_OF_SEVERAL.get(learner)
    assert report["differs"] == 0
    assert ("updates" in report["run"]["numbers"]) == (why is None)
    assert [note for note in report["run"]["taken"] if note.startswith("the run was not")] == (
        [] if why is None else [f"the run was not played again ({why})"]
    )


@pytest.mark.parametrize("learner", ["perceptron", "multiclass-perceptron"])
def test_a_false_count_of_several_classes_differs(run, tmp_path, learner):
    """Of whole numbers a count of one class, or of all, that is off by one is noticed, mistakes as well as updates."""
    rows = [f"{'abc'[k % 2 + (k > 9 and k % 3 == 0)]} {k % 5 - 2} {k * k % 7 - 3}" for k in range(24)]
    data = tmp_path / "abc.csv"
    data.write_text("".join(row.replace(" ", ",") + "\n" for row in ["y a b", *rows]))
    report = learned(run, data, learner, "--set", "intercept=0")
    record = json.loads(report.read_text())
    assert verification(run, report, data)["differs"] == 0
    report.write_text(json.dumps(record | {"updates": record["updates"] - 1}))
    assert verification(run, report, data)["run"]["verdict"] == "differs"
    (place, ledger), *_ = [
        (k, part["constants"]["ledger"])
        for k, one in enumerate(record["certificates"])
        for part in ((one["parts"] or [one]) if one["applies"] else [])
        if "updates" in (part["constants"]["ledger"] or {})
    ]
    ledger["updates"] += 1
    report.write_text(json.dumps(record))
    check = verification(run, report, data)["checks"][place]
    assert (check["verdict"], "updates is" in check["why"]) == ("differs", True)


def test_a_class_that_was_first_and_turns_out_the_larger_is_played_again(run, tmp_path):
    """Of negative labels the first one counts as -1 while it is alone, and a mistake of that time agrees."""
    data = write(tmp_path / "few.svm", ["-1 2:1\n", "-1 1:1\n", "-2 1:1 2:-1\n", "-1 1:2\n", "-2 2:3\n"])
    verified = verification(run, learned(run, data, "perceptron", "--set", "intercept=0"), data)
    assert (verified["differs"], "mistakes" in verified["run"]["numbers"]) == (0, True)


@pytest.mark.parametrize("learner", ["perceptron", "passive-aggressive", "arow"])
def test_a_report_of_rows_of_one_class_agrees(run, tmp_path, learner):
    """Where no row is of a second class certificates are compared, and none differs."""
    data = write(tmp_path / "one.svm", [f"1 1:{k} 2:1\n" for k in range(1, 9)])
    verified = verification(run, learned(run, data, learner), data)
    assert verified["differs"] == 0
    assert verified["agrees"] > 0


@pytest.mark.parametrize("learner", ["perceptron", "p-norm-perceptron", "second-order-perceptron"])
def test_ties_that_another_sign_decided_are_not_played_again(run, tmp_path, learner):
    """Where ties go to one sign and the smaller class was +1 while it was alone an honest report agrees, and the output
    says that the run was not played again; where the larger one came first it was."""
    for lines, turns in ((("-2 1:1", "-2 1:1", "-1 1:-1", "-1 1:-2"), False), (("1 1:1", "1 1:1", "2 1:-1"), True)):
        data = write(tmp_path / "few.svm", [f"{line}\n" for line in lines])
        for ties in (1, -1):
            report = learned(run, data, learner, "--set", "intercept=0", "--set", f"ties={ties}")
            verified = verification(run, report, data)
            notes = [note for note in verified["run"]["taken"] if "another sign" in note]
            assert (verified["differs"], len(notes)) == (0, int(turns))


def test_what_a_tie_predicts_is_played_again(run, tmp_path):
    """The mistakes of a learner that steps below a margin, and to which a score of 0 says -1, agree."""
    for classes in ((1, -1), (1, 2, 3)):
        data = write(tmp_path / "few.svm", noisy_lines(30, classes=classes))
        report = learned(run, data, "passive-aggressive", "--set", "ties=-1")
        verified = verification(run, report, data)
        assert (verified["differs"], "updates" in verified["run"]["numbers"]) == (0, True)


def test_what_bounds_on_regret_are_made_of_is_played_again(run, tmp_path):
    """Rates, sums of steps and the longest weights of gradient descent are the textbook's, and none is believed."""
    data = write(tmp_path / "few.svm", noisy_lines(30))
    report = learned(run, data, "online-gradient-descent", "--set", "schedule=inverse-sqrt")
    record = json.loads(report.read_text())
    (place,) = (k for k, one in enumerate(record["certificates"]) if one["theorem"] == "posterior_regret")
    for name in ("step2", "first_rate", "last_rate", "reach2"):
        ledger = record["certificates"][place]["constants"]["ledger"]
        ledger[name] /= 2
        report.write_text(json.dumps(record))
        check = verification(run, report, data)["checks"][place]
        assert (check["verdict"], f"{name} is" in check["why"]) == ("differs", True), name
        ledger[name] *= 2


def test_a_comparator_is_compared_as_it_is_described(run, tmp_path):
    """Numbers that a line says of its comparator besides those in its formula are compared with the data's."""
    draw = np.random.default_rng(0)
    rows = [f"{y:.3f} 1:{x:.3f}\n" for x, y in draw.normal(size=(20, 2)).tolist()]
    data = write(tmp_path / "numbers.svm", rows)
    report = learned(run, data, "vovk-azoury-warmuth", "--task", "regression")
    record = json.loads(report.read_text())
    for name, false in {"rounds": 7.0, "regularised": 0.0, "largest": 1e9}.items():
        comparator = record["certificates"][1]["comparator"]
        true, comparator[name] = comparator[name], false
        report.write_text(json.dumps(record))
        check = verification(run, report, data)["checks"][1]
        assert (check["verdict"], f"{name} is" in check["why"]) == ("differs", True), name
        comparator[name] = true


def test_a_matrix_has_no_weight_of_the_constant_feature_besides(run, mail):
    """The weight of the constant feature of one matrix for all classes is 0, as its last column has them."""
    report = learned(run, mail, "multiclass-perceptron", "--set", "intercept=0")
    record = json.loads(report.read_text())
    record["certificates"][1]["comparator"]["bias"] = 5.0
    report.write_text(json.dumps(record))
    assert "bias is" in verification(run, report, mail)["checks"][1]["why"]


def test_what_does_not_apply_is_not_vacuous(run, mail):
    """A line that does not apply has no bound, which cannot be vacuous."""
    report = learned(run, mail, "perceptron")
    record = json.loads(report.read_text())
    record["certificates"][0]["vacuous"] = True
    report.write_text(json.dumps(record))
    assert "vacuous is true" in verification(run, report, mail)["checks"][0]["why"]


def test_updates_are_left_out_where_rounding_decides_them(run, tmp_path):
    """A row that comes again once its loss is 0 is an update or none by its last bit: of a passive-aggressive run the
    mistakes are compared then, and the output says that the updates are not."""
    data = write(tmp_path / "twice.svm", [line for line in noisy_lines(12) for _ in range(2)])
    report = verification(run, learned(run, data, "passive-aggressive", "--set", "variant=PA"), data)
    assert (report["differs"], "mistakes" in report["run"]["numbers"]) == (0, True)
    assert "updates" in report["run"]["taken"]


def test_where_rounding_decides_no_count_is_called_false(run, tmp_path):
    """A score of 0 is a mistake or none by its last bit: a run that counts otherwise is not compared, which is said."""
    lines = ["1 1:1 2:2", "1 1:2 2:-1", "-1 1:-1 2:-1"]  # the second row is at a right angle to the first
    data = write(tmp_path / "ties.svm", [f"{line}\n" for line in lines])
    path = learned(run, data, "alma", "--set", "alpha=1", "--set", "intercept=0")
    report = verification(run, path, data)
    assert (report["differs"], "updates" in report["run"]["taken"]) == (0, False)
    record = json.loads(path.read_text())
    path.write_text(json.dumps(record | {"updates": 3 - record["updates"]}))  # with the second row, or without it
    report = verification(run, path, data)
    assert report["differs"] == 0
    assert any("rounding decides" in note for note in report["run"]["taken"])


def test_rows_that_come_again_are_no_contradiction(run, tmp_path):
    """Where the same row with another label brings a score back to 0, an honest report of several classes agrees."""
    near, far = "0.6,-1.1\n", "-1.5,-2.4\n"
    data = write(tmp_path / "again.csv", ["y,a,b\n", f"b,{near}", f"a,{near}", f"a,{far}", *[f"c,{far}"] * 2])
    assert verification(run, learned(run, data, "second-order-perceptron"), data)["differs"] == 0


@pytest.mark.parametrize("seed", range(3))
def test_updates_of_several_classes_are_left_out_where_rounding_decides_them(run, tmp_path, seed):
    """An honest report of rows that come again and again, of four classes each against the rest, agrees, also where the
    first line that applies states no updates."""
    draw = np.random.default_rng(seed)
    X, y = np.round(draw.normal(size=(50, 2)), 1)[draw.integers(0, 12, 50)], draw.integers(0, 4, 50)
    rows = [f"{'abcd'[label]},{a},{b}\n" for label, (a, b) in zip(y.tolist(), X.tolist(), strict=True)]
    data = write(tmp_path / "again.csv", ["y,a,b\n", *rows])
    assert verification(run, learned(run, data, "passive-aggressive"), data)["differs"] == 0


@pytest.mark.parametrize("size", [1e6, 1e-6])
@pytest.mark.parametrize("learner", ["arow", "second-order-perceptron"])
def test_matrices_of_long_and_short_columns_are_computed_again(run, tmp_path, size, learner):
    """On columns of a million or a millionth an honest report of a second-order learner agrees, and half the volume of
    its matrix differs."""
    draw = np.random.default_rng(0)
    X = size * draw.normal(size=(40, 3))
    y = np.where(X @ draw.normal(size=3) + size * draw.normal(size=40) > 0, 1, -1)
    rows = [
        f"{a} " + " ".join(f"{k}:{x!r}" for k, x in enumerate(row, 1)) + "\n"
        for a, row in zip(y, X.tolist(), strict=True)
    ]
    data = write(tmp_path / "long.svm", rows)
    report = learned(run, data, learner, "--set", "matrix=full")
    verified = verification(run, report, data)
    assert (verified["differs"], "updates" in verified["run"]["numbers"]) == (0, True)
    record = json.loads(report.read_text())
    for one in record["certificates"]:
        if one["applies"] and "volume" in one["constants"]["learner"]:
            one["constants"]["learner"]["volume"] /= 2
    report.write_text(json.dumps(record))
    why = [check["why"] or "" for check in verification(run, report, data)["checks"]]
    assert any("volume is" in one for one in why)


def halved(record: dict[str, Any]) -> dict[str, Any]:
    """A report with half its updates wherever it states them."""
    record["updates"] //= 2
    for one in record["certificates"]:
        if one["applies"] and "updates" in one["constants"]["ledger"]:
            one["constants"]["ledger"]["updates"] //= 2
            one["observed"] //= 2
    return record


TIED = {
    "winnow": ("--set", "balanced=true"),
    "p-norm-perceptron": (),
    "multiclass-perceptron": (),
    "margin-perceptron": ("--set", "max_passes=1"),
    "arow": (),
    "second-order-perceptron": (),
}


@pytest.mark.parametrize("learner", TIED)
def test_rounding_excuses_no_count_that_it_cannot_make(run, tmp_path, learner):
    """On rows of 0 and 1, whose scores are often 0, an honest report agrees and one with half the updates differs."""
    draw = np.random.default_rng(1)
    X, v = (draw.random((120, 8)) < 0.5).astype(int), draw.normal(size=8)
    y = np.where(X @ v + draw.normal(size=120) > 0, 1, -1)
    lines = (f"{a} " + " ".join(f"{k}:1" for k in np.flatnonzero(row) + 1) + "\n" for a, row in zip(y, X, strict=True))
    data = write(tmp_path / "bits.svm", list(lines))
    report = learned(run, data, learner, *TIED[learner])
    assert verification(run, report, data)["differs"] == 0
    report.write_text(json.dumps(halved(json.loads(report.read_text()))))
    assert verification(run, report, data)["differs"] > 0


def test_sums_of_whole_numbers_are_not_rounded(run, tmp_path):
    """Of whole numbers a perceptron of several classes rounds nothing, so that a count that is off by one differs
    though runs over rows that are nearly these have it; of other rows rounding decides."""
    rows = [(1, 1, 2), (1, 2, -1), (-1, -1, -1)]  # the second is at a right angle to the first
    for unit, differ in ((1, True), (0.1, False)):
        lines = [f"{y} 1:{a * unit} 2:{b * unit}\n" for y, a, b in rows]
        data = write(tmp_path / "whole.svm", lines)
        report = learned(run, data, "multiclass-perceptron", "--set", "intercept=0")
        record = json.loads(report.read_text())
        report.write_text(json.dumps(record | {"updates": record["updates"] - 1}))
        assert (verification(run, report, data)["differs"] > 0) == differ


@pytest.mark.parametrize("learner", ["winnow", "p-norm-perceptron"])
def test_what_the_settings_and_the_rows_give_is_not_believed(run, tmp_path, learner):
    """The largest row of the updates, the rate and the number of weights are computed, and a false one differs."""
    data = write(tmp_path / "few.svm", noisy_lines(30))
    report = learned(run, data, learner)
    record = json.loads(report.read_text())
    for place, one in enumerate(record["certificates"]):
        facts = one["constants"]["learner"] if one["applies"] else {}
        for name in {"reach", "rate", "weights"} & set(facts):
            facts[name] *= 2
            report.write_text(json.dumps(record))
            check = verification(run, report, data)["checks"][place]
            assert (check["verdict"], f"{name} is" in check["why"]) == ("differs", True), name
            facts[name] /= 2


@pytest.mark.parametrize("learner", ["perceptron", "winnow", "arow"])
@pytest.mark.parametrize("names", [["ham", "spam"], ["spam", "ham"], ["c", "a", "b"]])
def test_labels_may_be_words(run, tmp_path, names, learner):
    """A report on classes with names agrees with its file, whichever class comes first."""
    if learner == "winnow" and len(names) == 3:
        names = ["a", "b", "c"]  # what stood for -1 begins anew otherwise, and the textbook does not
    draw = np.random.default_rng(1)
    labels = [names[0]] * 5 + [names[1]] * 2 + [str(one) for one in draw.choice(names, 60)]
    rows = [f"{label},{draw.normal():.3f},{draw.normal():.3f}\n" for label in labels]
    path = tmp_path / "mail.csv"
    path.write_text("label,a,b\n" + "".join(rows))
    report = learned(run, path, learner)
    verified = verification(run, report, path)
    assert (verified["differs"], json.loads(report.read_text())["rounds"]) == (0, 67)


@pytest.mark.parametrize("learner", ["perceptron", "multiclass-perceptron"])
@pytest.mark.parametrize(
    ("labels", "weights"), [((-1, 1), "1:2.5,-1:0.5"), ((-1, 1), "-1:0"), ((0, 1, 2), "0:2,2:0"), (("a", "b"), "b:3")]
)
def test_rows_of_classes_that_weigh_are_computed_again(run, tmp_path, learner, labels, weights):
    """What is said of rows times the weights of their classes agrees, in two passes and where a class weighs nothing;
    with other hinge losses it does not."""
    random = np.random.default_rng(3)
    rows = [f"{random.choice(labels)},{random.normal():.4f},{random.normal():.4f}\n" for _ in range(60)]
    data = write(tmp_path / "rows.csv", "y,a,b\n" + "".join(rows))
    target = ("--target", "y")
    report = learned(run, data, learner, *target, "--set", f"class_weight={weights}", "--passes", "2")
    output = verification(run, report, data, *target)
    assert output["differs"] == 0
    assert output["agrees"] > 1
    false = json.loads(report.read_text())
    for one in false["certificates"]:
        for part in (one["parts"] or [one]) if one["applies"] else ():
            part["comparator"]["hinge"] += 1
    report.write_text(json.dumps(false))
    assert verification(run, report, data, *target)["differs"] > 0


@pytest.mark.parametrize("seed", [0, 8, 10])
def test_a_bound_may_be_off_by_what_multiplies_rounding(run, tmp_path, seed):
    """Rows of length 10^6, whose squares multiply the rounding of hinge losses in a bound, agree; half of it does
    not, nor nine tenths."""
    random = np.random.default_rng(seed)
    rows = [
        f"{label} 1:{a} 2:{b} 3:{c}"
        for (a, b, c), label in zip(
            (1e6 * random.normal(size=(8, 3))).tolist(), random.choice([-1, 1], 8).tolist(), strict=True
        )
    ]
    data = write(tmp_path / "rows.svm", "\n".join(rows) + "\n")
    report = learned(run, data, "passive-aggressive")
    assert verification(run, report, data)["differs"] == 0
    for part in (0.5, 0.9):
        false = json.loads(report.read_text())
        bounded = [one for one in false["certificates"] if one["theorem"] == "limited_mistakes"]
        bounded[0]["bound"] *= part
        assert verification(run, reported_as(tmp_path, false), data)["differs"] > 0


def test_an_honest_report_agrees(run, mail):
    """Every certificate of a perceptron that applies agrees to nine digits and more."""
    command = run("verify", learned(run, mail, "perceptron"), mail)
    assert (command.code, command.err) == (0, "")
    assert [line.partition(":")[0] for line in command.out.splitlines()] == [
        *["does not apply"],
        *["agrees"] * 7,
        "compared",
        "nothing else was compared",
    ]


# What is false in a report, by where it stands: the certificate's place, the path to a number, what is put there.
FALSE = {
    "bound": (1, ("bound",), lambda x: x * (1 + 1e-6)),
    "observed": (1, ("observed",), lambda x: x - 1),
    "hinge": (1, ("comparator", "hinge"), lambda x: x * 0.999),
    "norm": (4, ("comparator", "norm"), lambda x: x * 0.999),
    "vector": (2, ("comparator", "vector", 3), lambda x: x + 0.01),
    "longest row": (3, ("constants", "ledger", "max_norm2"), lambda x: x * 0.9),
    "weights": (6, ("constants", "learner", "norm"), lambda x: x / 2),
    "rows of updates": (6, ("constants", "ledger", "update_norm2"), lambda x: x * 0.999),
    "columns": (6, ("constants", "learner", "width"), lambda x: x + 1),
}


@pytest.mark.parametrize("what", FALSE)
def test_a_false_number_is_found(run, mail, what):
    """A number of a report that was changed makes its certificate differ, and no other, and the exit code 3."""
    report = learned(run, mail, "perceptron")
    place, path, change = FALSE[what]
    record = json.loads(report.read_text())
    inside = record["certificates"][place]
    for key in path[:-1]:
        inside = inside[key]
    inside[path[-1]] = change(inside[path[-1]])
    report.write_text(json.dumps(record))
    checks = verification(run, report, mail)["checks"]
    assert [place for place, one in enumerate(checks) if one["verdict"] == "differs"] == [place]


HEADLINES = {
    "learn": """rounds mistakes updates loss classes/0 joint_confidence input/rows input/features input/nonzeros
        input/skipped""",
    "combine": """rounds experts missing loss mean_loss expert_losses/a comparators/best_expert/loss
        comparators/best_convex/regret comparators/best_shifting/loss comparators/uniform/loss joint_confidence""",
    "pull": """rounds arms best_arm best_arm_loss loss/mean loss/sd pseudo_regret regret/mean regret/q50 draws/a
        observable/regret/1 joint_confidence""",
    "solve": "rows columns value lower upper gap",
    "explore": """rounds features cost best_action_cost hindsight_policy_cost taken/a least_probability halvings/0
        interval/0 curve/2/1
        joint_confidence""",
}
CLAIMS = {
    "learn": "kind confidence at_once vacuous rounding bound observed comparator/margin",
    "combine": "kind confidence at_once vacuous bound observed comparator/loss comparator/regret",
    "pull": "kind confidence at_once vacuous rounding bound observed comparator/loss comparator/rounds",
    "solve": "kind confidence at_once vacuous rounding bound observed",
    "explore": """kind confidence at_once vacuous rounding bound observed constants/ledger/loss
        constants/ledger/estimates/0/0 constants/ledger/error constants/ledger/price constants/ledger/gamma
        constants/ledger/variance constants/learner/least constants/learner/implicit/0""",
}
EVERY = [(verb, path) for verb, paths in HEADLINES.items() for path in paths.split()]
EVERY += [(verb, f"certificates/*/{path}") for verb, paths in CLAIMS.items() for path in paths.split()]


@pytest.fixture(scope="module")
def honest() -> dict[str, str]:
    """What each verb printed, once verify had agreed."""
    return {}


@pytest.fixture
def printed(run, mail, forecasts, tmp_path, honest) -> Callable[[str], tuple[Path, Path, tuple[Any, ...]]]:
    """A report of a verb with which verify agrees, the file that it is about, and how verify is to read that."""

    def make(verb: str) -> tuple[Path, Path, tuple[Any, ...]]:
        table, game, trial = (tmp_path / f"{name}.csv" for name in ("t", "g", "trial"))
        draws = np.random.default_rng(3).uniform(2, 5, (40, 3)).tolist()
        table.write_text("a,b,c\n" + "".join(",".join(map(repr, row)) + "\n" for row in draws))
        game.write_text("0,-1,1\n1,0,-1\n-1,2,0\n")
        rows = np.random.default_rng(4).uniform(0, 1, (12, 4)).round(3).tolist()
        trial.write_text("x,z,a,b\n" + "".join(",".join(map(repr, row)) + "\n" for row in rows))
        words: dict[str, tuple[Path, tuple[Any, ...], tuple[Any, ...]]] = {
            "learn": (mail, ("--learner", "perceptron", "--iid"), ()),
            "combine": (forecasts, ("--learner", "hedge", "--range", 0, 1), ("--target", "y")),
            "pull": (table, ("--learner", "exp3-ix", "--runs", 3, "--range", 2, 5), ()),
            "solve": (game, (), ()),
            "explore": (trial, ("--costs", "a,b", "--learner", "square-cb"), ()),
        }
        data, more, reading = words[verb]
        report = tmp_path / f"{verb}.json"
        if verb not in honest:
            command = run("verify", reported(run, report, verb, data, *more, *reading), data, *reading)
            assert command.code == 0, command.out + command.err
            honest[verb] = report.read_text()
        report.write_text(honest[verb])
        return report, data, reading

    return make


def tampered(report: dict[str, Any], path: str) -> str:
    """Change what is at a path, in the first certificate that has it where the path has a star; how verify calls it."""
    *keys, last = path.split("/")
    inside: Any = report
    if keys[:2] == ["certificates", "*"]:
        having = [one for one in report["certificates"] if one["applies"] and _has(one, [*keys[2:], last])]
        inside, keys = having[0], keys[2:]
    for key in keys:
        inside = inside[int(key) if isinstance(inside, list) else key]
    key = int(last) if isinstance(inside, list) else last
    value = inside[key]
    if isinstance(value, bool | str):
        inside[key] = not value if isinstance(value, bool) else "c" if last == "best_arm" else "expected"
    elif value is None:
        inside[key] = True if last == "at_once" else 0.5
    else:
        inside[key] = value + (1 if isinstance(value, int) else 1 + abs(value) / 7)
    return next(name for name in (last, *reversed(keys)) if not name.isdigit())


def _has(one: Any, keys: list[str]) -> bool:
    for key in keys:
        one = one[int(key)] if isinstance(one, list) else (one or {}).get(key)
    return one is not None or keys[-1] in ("confidence", "at_once")


@pytest.mark.parametrize(("verb", "path"), EVERY)
def test_every_number_that_is_compared_is_named_when_it_is_false(run, printed, verb, path):
    """A number of a report that was changed ends in exit code 3 and a line with its name and both values."""
    report, data, reading = printed(verb)
    whole = json.loads(report.read_text())
    name = tampered(whole, path)
    report.write_text(json.dumps(whole))
    command = run("verify", report, data, *reading)
    assert command.code == 3, command.out + command.err
    lines = [line for line in command.out.splitlines() if line.startswith("differs")]
    assert any(f"{name} is " in line and " in the report and " in line and " here" in line for line in lines), lines


def test_vectors_of_the_report_and_of_the_file_are_compared(run, mail, tmp_path):
    """A vector in the report that is not the one of --comparators differs, though the file's own is the right one."""
    report = learned(run, mail, "perceptron", "--save-comparators", tmp_path / "v.npz")
    whole = json.loads(report.read_text())
    whole["certificates"][2]["comparator"]["vector"][3] += 0.01
    report.write_text(json.dumps(whole))
    check = verification(run, report, mail, "--comparators", tmp_path / "v.npz")["checks"][2]
    assert (check["verdict"], check["why"].startswith("vector is ")) == ("differs", True)


def test_a_certificate_that_is_reported_not_to_apply_is_found(run, mail):
    """Where applies is made false the line says what the report still has of a certificate that applies."""
    report = learned(run, mail, "perceptron")
    changed(report, lambda one: one.update(applies=False))
    command = run("verify", report, mail)
    assert command.code == 3
    assert "None" not in command.out
    assert command.out.count("applies is false in the report, which has observed and bound and constants of it") == 6


def test_what_the_quick_search_gave_is_the_reports_and_no_smaller(run, mail):
    """The bound of the quick search is said to be from the report; one that is below the bound, or stands where nothing
    applies, is found, and one that is no number has its key named."""
    report = learned(run, mail, "perceptron", "--deep")
    whole = report.read_text()
    command = run("verify", report, mail)
    assert (command.code, command.out.count("from the report: quick_bound")) == (0, 6)
    for place, false, words in (
        (1, 0.5, "quick_bound is 0.5 in the report, and bound is "),
        (0, 9.0, "applies is false in the report, which has quick_bound of it"),
        (1, "so", "quick_bound is 'so'; a number or null was expected"),
    ):
        record = json.loads(whole)
        record["certificates"][place]["quick_bound"] = false
        report.write_text(json.dumps(record))
        command = run("verify", report, mail)
        assert command.code != 0
        assert words in command.out + command.err


def shapes(report: Any) -> list[tuple[Any, ...]]:
    """The paths to all values, of those that stand alike in several certificates and are of one type to the first."""
    known: dict[tuple[Any, ...], tuple[Any, ...]] = {}
    for path in leaves(report):
        value = reduce(lambda inside, key: inside[key], path, report)
        alike = tuple(key if isinstance(key, str) else "*" for key in path)
        known.setdefault((alike, type(value)), path)
    return list(known.values())


def leaves(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The paths to all that is no object and no list, and of long lists to the first of them."""
    if isinstance(value, dict):
        return [leaf for key, one in value.items() for leaf in leaves(one, (*path, key))]
    if isinstance(value, list):
        return [path, *(leaf for place, one in enumerate(value[:2]) for leaf in leaves(one, (*path, place)))]
    return [path]


@pytest.mark.parametrize("verb", HEADLINES)
@pytest.mark.parametrize("other", [None, "x", 1.5, [1.0]], ids=["null", "text", "float", "list"])
def test_no_type_leads_to_a_trace_back(run, printed, verb, other):
    """Whatever stands in the place of a value, the report agrees, differs by name, or one line says what is wrong."""
    report, data, reading = printed(verb)
    text = report.read_text()
    for path in shapes(json.loads(text)):
        whole = json.loads(text)
        inside = whole
        for key in path[:-1]:
            inside = inside[key]
        inside[path[-1]] = other
        report.write_text(json.dumps(whole))
        command = run("verify", report, data, *reading)
        assert command.code in (0, 1, 2, 3), (path, command.err)
        message = command.out + command.err
        assert not any(word in message for word in ("Traceback", "Error", "object is", "NoneType")), (path, message)
        assert len(command.err.splitlines()) == (0 if command.code == 0 else 1), (path, command.err)
        assert command.code != 3 or "differs: " in command.out, (path, message)


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("certificates", 1, "parts"), 1.0, "certificates[1].parts is 1.0; a list of objects or null was expected"),
        (("certificates", 1, "bound"), "x", "certificates[1].bound is 'x'; a number or null was expected"),
        (("mistakes",), None, "mistakes is null; a whole number or an object of numbers was expected"),
        (("parameters", "rate"), [1], "parameters.rate is [1]; a number or text or null was expected"),
    ],
)
def test_a_wrong_type_is_reported_with_its_key(run, mail, path, value, message):
    """The error has the key, what is there, and what was expected, and no word of Python's."""
    report = learned(run, mail, "perceptron")
    whole = json.loads(report.read_text())
    inside = whole
    for key in path[:-1]:
        inside = inside[key]
    inside[path[-1]] = value
    report.write_text(json.dumps(whole))
    command = run("verify", report, mail)
    assert (command.code, command.out) == (1, "")
    assert f"{report}: {message}; make it again with this version" in command.err


DRAWING = [name for name, one in BANDITS.items() if one.info.draws and not one.info.advised]


@pytest.mark.parametrize("learner", DRAWING)
@pytest.mark.parametrize("words", [(), ("--rewards",)])
def test_draws_are_made_again_from_the_seed(run, tmp_path, learner, words):
    """What all runs lost, and how often each arm was drawn, is found by the textbook and the seed of the report."""
    table = tmp_path / "t.csv"
    rows = np.random.default_rng(3).uniform(2, 5, (50, 3)).tolist()
    table.write_text("a,b,c\n" + "".join(",".join(map(repr, row)) + "\n" for row in rows))
    whole = ("pull", table, "--learner", learner, "--runs", 4, "--range", 2, 5, "--seed", 7, *words)
    verdicts = verification(run, reported(run, tmp_path / "p.json", *whole), table)
    assert verdicts["differs"] == 0
    assert {"loss/mean", "loss/sd", "draws/a", "regret/q95"} <= set(verdicts["run"]["numbers"])


def test_draws_that_were_not_made_again_are_reported(run, tmp_path):
    """Of more draws than are followed the output says that they were not replayed."""
    table = tmp_path / "t.csv"
    table.write_text("a,b\n" + "0.5,0.25\n0.25,1\n" * 300)
    report = reported(run, tmp_path / "p.json", "pull", table, "--learner", "exp3", "--runs", 400)
    command = run("verify", report, table)
    assert command.code == 0
    assert "the draws were not replayed" in command.out.splitlines()[-1]


def test_what_was_counted_again_is_not_said_to_be_the_reports(run, mail):
    """The mistakes in the risk of a run that the textbook plays are compared, and not taken from the report."""
    checks = verification(run, learned(run, mail, "perceptron", "--iid"), mail)["checks"]
    risks = [one for one in checks if one["theorem"] in ("average_risk", "voted_risk")]
    assert len(risks) == 2
    assert all("mistakes" in one["numbers"] and "ledger.mistakes" not in one["taken"] for one in risks)


def changed(report: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """The same report with something changed in each certificate that applies."""
    whole = json.loads(report.read_text())
    for one in whole["certificates"]:
        if one["applies"]:
            change(one)
    report.write_text(json.dumps(whole))


@pytest.mark.parametrize("loss", [1e30, "inf", "nan"])
def test_no_number_of_a_report_widens_what_is_allowed(run, mail, loss):
    """A loss that is put among the constants excuses no false count and no false bound."""

    def change(one: dict[str, Any]) -> None:
        one["observed"], one["bound"] = 7, 8.5
        one["constants"]["ledger"] |= {"updates": 7, "mistakes": 7, "loss": loss}

    report = learned(run, mail, "perceptron")
    changed(report, change)
    assert [one["verdict"] for one in verification(run, report, mail)["checks"]] == ["idle"] + ["differs"] * 6


def test_a_line_that_claims_to_be_surer_than_it_is_differs(run, mail):
    """The confidence of a line is 1 less the delta that its bound was computed with."""
    path = learned(run, mail, "perceptron", "--iid")
    honest = {one["theorem"]: one["verdict"] for one in verification(run, path, mail)["checks"]}
    report = json.loads(path.read_text())
    for one in report["certificates"]:
        one["confidence"] = one["confidence"] and 0.999
    path.write_text(json.dumps(report))
    surer = {one["theorem"]: one["verdict"] for one in verification(run, path, mail)["checks"]}
    changed = {name: (honest[name], surer[name]) for name in honest if honest[name] != surer[name]}
    assert changed == dict.fromkeys(("average_risk", "voted_risk"), ("agrees", "differs"))


def test_counts_are_compared_exactly():
    """A count that is one off differs, however many there are, and a sum of that size agrees."""
    assert not Number("updates", 1e12 + 1, 10**12, scale=1e30).agrees
    assert Number("updates", 1e12, 10**12).agrees
    assert Number("loss", 1e12 + 1, 1e12).agrees


@pytest.mark.parametrize("scale", [inf, nan])
def test_a_scale_that_is_no_number_excuses_nothing(scale):
    """A difference of numbers that are not finite has no scale: it is compared by its own size."""
    assert not Number("regret", 1.0, 2.0, scale).agrees
    assert not Number("bound", nan, nan, scale).agrees


@pytest.mark.parametrize("fact", ["gap", "last_rate"])
@pytest.mark.parametrize("value", ["nan", 0, "x"])
def test_constants_without_a_bound_are_no_bound(run, forecasts, tmp_path, fact, value):
    """Where the constants taken from a report make a bound NaN or divide by zero it differs; words are malformed."""
    words = ("--target", "y", "--learner", "hedge", "--range", 0, 1)
    report = reported(run, tmp_path / "r.json", "combine", forecasts, *words)
    whole = json.loads(report.read_text())
    first = whole["certificates"][0]
    first["constants"]["ledger"][fact], first["bound"] = value, 1e-6
    report.write_text(json.dumps(whole))
    command = run("verify", report, forecasts, "--target", "y")
    assert command.code == (1 if value == "x" else 3)
    assert len(command.err.splitlines()) == 1
    assert (f"constants.ledger.{fact} is 'x'; a number was expected" if value == "x" else "contradict") in command.err


def test_a_recursion_that_is_too_long_is_unchecked(run, tmp_path):
    """A bound that is a recursion of too many steps is not said to agree, whatever it is said to be."""
    rows = write(tmp_path / "two.svm", ["1 1:1\n", "-1 1:-1\n", "1 2:1\n"])
    report = learned(run, rows, "margin-perceptron", "--set", "gamma=0.05")
    checks = verification(run, report, rows)["checks"]
    place = [one["theorem"] for one in checks].index("margin_recursion")
    assert checks[place]["verdict"] == "agrees"
    whole = json.loads(report.read_text())
    entry = whole["certificates"][place]
    entry["constants"]["learner"]["threshold"] = entry["comparator"]["margin"] * (1 - 1e-9)
    entry["bound"] = 1e-6
    report.write_text(json.dumps(whole))
    assert verification(run, report, rows)["checks"][place]["verdict"] == "unchecked"


REPLAYED = {
    "hedge": (),
    "ewa": ("--set", "eta=2"),
    "eg": ("--loss", "square"),
    "adahedge": (),
    "fixed-share": (),
    **dict.fromkeys(OWN_RATES, ()),
    "aggregating": (),
    "ridge": (),
}


@pytest.mark.parametrize("learner", REPLAYED)
def test_the_learners_own_loss_is_computed_again(run, forecasts, tmp_path, learner):
    """A learner's loss that is false in every place of the report, and so its regret, is found by the textbook."""
    words = ("--target", "y", "--learner", learner, "--loss", "square", "--range", 0, 1, *REPLAYED[learner])
    report = reported(run, tmp_path / "r.json", "combine", forecasts, *words)
    checks = verification(run, report, forecasts, "--target", "y")["checks"]
    assert all("comparator.faced" not in one["taken"] for one in checks)
    whole = json.loads(report.read_text())
    whole["loss"] -= 0.01

    def change(one: dict[str, Any]) -> None:
        one["observed"] -= 0.01
        one["constants"]["comparator"]["faced"] -= 0.01
        one["constants"]["comparator"]["regret"] -= 0.01

    report.write_text(json.dumps(whole))
    changed(report, change)
    verdicts = [one["verdict"] for one in verification(run, report, forecasts, "--target", "y")["checks"]]
    assert "agrees" not in verdicts
    assert "differs" in verdicts


def test_a_twin_takes_parameters_by_name_or_is_not_played(run, forecasts, tmp_path, monkeypatch):
    """A rule of the textbook is played with the numbers of the report that its signature names, and not at all if the
    report has no number by one of the names: its default is not what the run had."""
    report = reported(run, tmp_path / "r.json", "combine", forecasts, "--target", "y", "--learner", "boa")
    rates: list[float] = []

    def hedge(prior: Any, rate: float) -> rules.Rule:
        rates.append(rate)
        return rules.hedge(prior, rules.constant(rate))

    monkeypatch.setattr(rules, "boa", lambda prior, tau=3.0: hedge(prior, tau))
    assert verification(run, report, forecasts, "--target", "y")["differs"]
    assert set(rates) == {0.5}
    for twin in (lambda prior, pace=3.0: hedge(prior, pace), lambda prior, horizon=3.0: hedge(prior, horizon)):
        rates.clear()
        monkeypatch.setattr(rules, "boa", twin)
        verified = verification(run, report, forecasts, "--target", "y")
        assert (rates, verified["differs"], verified["agrees"] > 0) == ([], 0, True)


@pytest.mark.parametrize("learner", ["weighted-majority", "randomized-weighted-majority"])
def test_the_losses_of_majorities_are_computed_again(run, tmp_path, learner):
    """Mistakes, or the expected loss, that are false in a report of a majority are found by the textbook's run."""
    draw = np.random.default_rng(2)
    path = tmp_path / "votes.csv"
    path.write_text("y,a,b,c\n" + "".join(",".join(map(str, row)) + "\n" for row in draw.integers(2, size=(60, 4))))
    words = ("combine", path, "--target", "y", "--learner", learner, "--loss", "zero-one", "--set", "beta=0.5")
    report = reported(run, tmp_path / "r.json", *words)
    assert verification(run, report, path, "--target", "y")["agrees"] > 0
    quantities = ("mistakes", "expected loss")

    def change(one: dict[str, Any]) -> None:
        if one["quantity"] in quantities:
            one["observed"] -= 1
            ledger = one["constants"]["ledger"]
            ledger |= {name: value - 1 for name, value in ledger.items() if name in ("mistakes", "expected")}

    changed(report, change)
    whole = json.loads(report.read_text())["certificates"]
    changed_ones = [place for place, one in enumerate(whole) if one["applies"] and one["quantity"] in quantities]
    checks = verification(run, report, path, "--target", "y")["checks"]
    assert changed_ones
    assert all(checks[place]["verdict"] == "differs" for place in changed_ones)


def test_what_no_textbook_has_is_reported_as_the_reports(run, forecasts, tmp_path):
    """Of a run whose outcomes come late the learner's loss and the regret are named as taken from the report."""
    words = ("--target", "y", "--learner", "hedge", "--loss", "square", "--range", 0, 1, "--delay", 3)
    report = reported(run, tmp_path / "r.json", "combine", forecasts, *words)
    verifications = [
        one for one in verification(run, report, forecasts, "--target", "y")["checks"] if one["verdict"] == "agrees"
    ]
    assert verifications
    for one in verifications:
        assert {"comparator.faced", "observed"} <= set(one["taken"])
        assert "observed" not in one["numbers"]


def test_a_run_that_rounding_decides_is_not_played_again(run, tmp_path):
    """Of exponentiated gradients at so high a rate that runs end apart which begin alike, the loss is the report's."""
    draw = np.random.default_rng(1)
    relatives = (0.05 + 0.9 * draw.random((2000, 7)).round(1)).tolist()
    path = tmp_path / "relatives.csv"
    path.write_text("a,b,c,d,e,f,g\n" + "".join(",".join(map(repr, row)) + "\n" for row in relatives))
    words = ("--learner", "eg", "--loss", "wealth", "--set", "eta=3")
    report = reported(run, tmp_path / "r.json", "combine", path, *words)
    verdicts = verification(run, report, path)
    assert (verdicts["differs"], verdicts["agrees"] > 0) == (0, True)
    assert all("comparator.faced" in one["taken"] for one in verdicts["checks"] if one["verdict"] == "agrees")


@pytest.mark.parametrize("loss", ["square", "zero-one"])
def test_silent_experts_are_combined_again(run, tmp_path, loss):
    """Where experts are silent in some rounds, what the learner faced in the others is found again, and spreads."""
    draw = np.random.default_rng(0)
    y = draw.random(120)
    table = np.clip(np.column_stack([y, y[:, None] + draw.normal(0, (0.1, 0.2, 0.6), (120, 3))]), 0, 1)
    table = np.round(table) if loss == "zero-one" else table
    cells = [[repr(value) for value in row] for row in table.tolist()]
    for row in range(0, 120, 3):
        cells[row][1 + row % 2] = ""
    path = tmp_path / "silent.csv"
    path.write_text("y,a,b,c\n" + "".join(",".join(row) + "\n" for row in cells))
    for learner in ("hedge", "adahedge", "ml-poly", "squint"):
        words = ("--target", "y", "--learner", learner, "--loss", loss)
        words += ("--set", "eta=1") if learner == "hedge" else ()
        verdicts = verification(run, reported(run, tmp_path / "r.json", "combine", path, *words), path, "--target", "y")
        assert (verdicts["differs"], verdicts["agrees"] > 0) == (0, True)
        assert all("observed" in one["numbers"] for one in verdicts["checks"] if one["verdict"] == "agrees")


def test_a_report_without_certificates_is_refused(run, mail):
    """A report of a run that certified nothing is not said to agree: there is nothing to check."""
    report = learned(run, mail, "perceptron", "--no-certify")
    command = run("verify", report, mail)
    assert (command.code, command.out, len(command.err.splitlines())) == (1, "", 1)
    assert "there is nothing to check" in command.err


def test_a_report_of_which_no_certificate_is_compared_is_no_proof(run, mail, tmp_path):
    """Where no line applies, or none can be checked, the run's own numbers do not make up for it: the exit code is 1,
    and one line says how many of each there are; one certificate that is compared is enough for 0."""
    report = json.loads(learned(run, mail, "perceptron").read_text())
    idle = [one for one in report["certificates"] if not one["applies"]]
    applying = [one for one in report["certificates"] if one["applies"]]
    unchecked = [one | {"comparator": one["comparator"] | {"vector": None}} for one in applying]
    for lines, words in ((idle, "1 does not apply"), (idle + unchecked, "6 cannot be checked, 1 does not apply")):
        command = run("verify", reported_as(tmp_path, report | {"certificates": lines}), mail)
        assert (command.code, command.err.count("\n")) == (1, 1)
        assert f"none of its certificates was compared ({words}), and at least one must be" in command.err
        assert "agrees: the run: input/rows, " in command.out
    lines = [*unchecked[1:], applying[0]]
    command = run("verify", reported_as(tmp_path, report | {"certificates": lines}), mail)
    assert (command.code, command.err) == (0, "")
    assert "compared: 1 certificate and " in command.out
    assert " numbers of the run; 5 cannot be checked\n" in command.out


@pytest.mark.parametrize("exponent", [-200, -308, 200])
@pytest.mark.parametrize("learner", LEARNERS)
def test_rows_of_extreme_sizes_contradict_no_report(run, tmp_path, learner, exponent):
    """Of rows whose squares are no floats a report is refused by `learn`, or not contradicted, and no number is nan."""
    lines = [re.sub(r"(:\S+)", rf"\1e{exponent}", line) for line in noisy_lines(20)]
    data = write(tmp_path / "far.svm", lines)
    words = ("learn", data, "--learner", learner, *(("--set", "gamma=0.1") if learner == "kernel-perceptron" else ()))
    command = run(*words, *(("--set", "max_passes=3") if learner == "margin-perceptron" else ()), "--json")
    assert "nan" not in (command.out + command.err).lower()
    if command.code:
        assert (command.code, "scale the columns" in command.err) == (1, True)
        return
    report = write(tmp_path / "far.json", command.out)
    outcome = run("verify", report, data)
    assert (outcome.code in (0, 1), "nan" in outcome.out) == (True, False), outcome.out


PREDICTED = ("rows", "errors", "error_rate", "most_frequent_label", "previous_label", "classes", "confusion")


@pytest.mark.parametrize("classes", [(-2, 3), (3, 1, 2)])
@pytest.mark.parametrize(
    "learner", ["perceptron", "multiclass-perceptron", "arow", "averaged-perceptron", "aggregated"]
)
def test_how_rows_were_predicted_is_found_again(run, tmp_path, learner, classes):
    """No number of mistakes, rows, errors, shares and tables of labels is off by one unnoticed, whether all classes
    are learned at once, each against the rest, or by a mixture; and where the textbook plays the run, none of its
    curve."""
    data = write(tmp_path / "few.svm", noisy_lines(30, classes=classes))
    report = json.loads(learned(run, data, learner).read_text())
    told = report["progressive"]
    false = [report | {"mistakes": report["mistakes"] // 2}]
    false += [report | {"progressive": told | {name: one}} for name in PREDICTED for one in off_by_one(told[name])]
    if learner != "aggregated":
        false += [report | {"curve": one} for one in off_by_one(report["curve"])][:9]
    assert len(false) > 20
    assert verification(run, reported_as(tmp_path, report), data)["differs"] == 0
    for one in false:
        verdicts = verification(run, reported_as(tmp_path, one), data)
        assert [check["theorem"] for check in verdicts["checks"] if check["verdict"] == "differs"] == []
        assert verdicts["run"]["verdict"] == "differs", one["progressive"]


def off_by_one(value: Any) -> list[Any]:
    """The same value once for each number in it, which is larger by 1."""
    if isinstance(value, dict):
        return [value | {key: other} for key, one in value.items() for other in off_by_one(one)]
    if isinstance(value, list):
        return [[*value[:k], other, *value[k + 1 :]] for k, one in enumerate(value) for other in off_by_one(one)]
    return [value + 1] if isinstance(value, int | float) else []


def test_other_rows_are_found(run, mail, tmp_path):
    """A report and rows of which one label was changed contradict each other."""
    report = learned(run, mail, "perceptron")
    lines = mail.read_text().splitlines(keepends=True)
    lines[17] = ("1" if lines[17].startswith("-1") else "-1") + lines[17][lines[17].index(" ") :]
    assert verification(run, report, write(tmp_path / "other.svm", lines))["differs"] > 0


def test_long_vectors_come_from_their_file(run, tmp_path):
    """Vectors of more than a hundred numbers are not in the report; with their file every certificate is checked."""
    rows = write(tmp_path / "wide.svm", noisy_lines(150, columns=130))
    report = learned(run, rows, "perceptron", "--save-comparators", tmp_path / "v.npz")
    assert verification(run, report, rows)["unchecked"] > 0
    assert (
        "give --comparators FILE, which --save-comparators of learn or combine writes"
        in run("verify", report, rows).out
    )
    verdicts = verification(run, report, rows, "--comparators", tmp_path / "v.npz")
    assert (verdicts["unchecked"], verdicts["differs"]) == (0, 0)
    assert verdicts["agrees"] > 0


@pytest.mark.parametrize("learner", ["perceptron", "winnow", "arow", "multiclass-perceptron", "passive-aggressive"])
def test_several_classes_are_summed_again(run, tmp_path, learner):
    """With three classes, one of which comes late, each class's own sums and bounds add up to the certificate's."""
    rows = write(tmp_path / "three.svm", noisy_lines(150, classes=(1, 2, 3), seed=4))
    verdicts = verification(run, learned(run, rows, learner, "--passes", 2, "--set", "intercept=1"), rows)
    assert verdicts["differs"] == verdicts["unchecked"] == 0
    assert verdicts["agrees"] > 0


def test_forecasts_are_combined_again(run, forecasts, tmp_path):
    """Certificates on the best expert, combination and sequence are those of the table."""
    for learner in ("hedge", "adahedge", "ml-poly", "fixed-share", "ridge"):
        words = ("--target", "y", "--learner", learner, "--loss", "square", "--range", 0, 1)
        verdicts = verification(
            run, reported(run, tmp_path / "r.json", "combine", forecasts, *words), forecasts, "--target", "y"
        )
        assert (verdicts["differs"], verdicts["unchecked"]) == (0, 0)
        assert verdicts["agrees"] > 0


def test_the_outcome_is_the_one_that_the_report_names(run, forecasts, tmp_path):
    """A column of outcomes that --target named is read again without it, and another one is refused."""
    table = tmp_path / "f.csv"
    table.write_text(forecasts.read_text().replace("y,", "Real price,", 1))
    report = reported(run, tmp_path / "r.json", "combine", table, "--target", "Real price")
    assert json.loads(report.read_text())["input"] == {"path": str(table), "rows": 80, "target": "Real price"}
    assert verification(run, report, table)["differs"] == 0
    assert "is about the target 'Real price'" in run("verify", report, table, "--target", "a").err


def test_the_times_are_those_that_the_report_names(run, tmp_path):
    """A column that --time named is read again without it, as no expert, and another one is refused."""
    table = tmp_path / "t.csv"
    table.write_text("day,y,a,b\n" + "".join(f"{t // 2},{t % 3 / 2},{t % 2},0.5\n" for t in range(20)))
    report = reported(run, tmp_path / "r.json", "combine", table, "--target", "y", "--time", "day")
    assert json.loads(report.read_text())["input"]["time"] == "day"
    assert verification(run, report, table)["differs"] == 0
    assert "--time a: " in (refused := run("verify", report, table, "--time", "a")).err
    assert "is about the time 'day'" in refused.err


@pytest.mark.parametrize("learner", ["hedge", "adahedge", "ml-poly", "fixed-share", "ridge"])
def test_late_outcomes_are_combined_again(run, forecasts, tmp_path, learner):
    """Where outcomes come late, what the delay cost enters the bounds that are left, and none is unchecked."""
    words = ("--target", "y", "--learner", learner, "--loss", "square", "--range", 0, 1, "--delay", 3)
    verdicts = verification(
        run, reported(run, tmp_path / "r.json", "combine", forecasts, *words), forecasts, "--target", "y"
    )
    assert (verdicts["differs"], verdicts["unchecked"]) == (0, 0)
    assert verdicts["agrees"] > 0


def test_the_last_gap_enters_the_last_bound_once(run, forecasts, tmp_path):
    """AdaHedge's bound on a run whose last round has a gap is not twice the gaps, and verify finds it again."""
    short = tmp_path / "short.csv"
    short.write_text("".join(forecasts.read_text().splitlines(keepends=True)[:3]))
    report = reported(run, tmp_path / "r.json", "combine", short, "--target", "y", "--learner", "adahedge")
    first = json.loads(report.read_text())["certificates"][0]
    assert first["bound"] < 0.95 * 2 * first["constants"]["ledger"]["gap"]
    assert verification(run, report, short, "--target", "y")["checks"][0]["verdict"] == "agrees"


@pytest.mark.parametrize("learner", ["hedge", "ml-poly", "ridge"])
def test_what_has_many_numbers_is_unchecked(run, tmp_path, learner):
    """Facts of more than a hundred experts are not in the report: their certificates cannot be checked, and say why."""
    draw = np.random.default_rng(6)
    y = draw.random(30)
    table = np.column_stack([y, np.clip(y[:, None] + draw.normal(0, 0.3, (30, 120)), 0, 1)])
    path = tmp_path / "many.csv"
    names = ",".join(f"e{place}" for place in range(120))
    path.write_text(f"y,{names}\n" + "".join(",".join(map(repr, row)) + "\n" for row in table.tolist()))
    words = ("--target", "y", "--learner", learner, "--save-comparators", tmp_path / "v.npz")
    report = reported(run, tmp_path / "r.json", "combine", path, *words)
    verdicts = verification(run, report, path, "--target", "y", "--comparators", tmp_path / "v.npz")
    assert verdicts["differs"] == 0
    whys = [one["why"] for one in verdicts["checks"] if one["verdict"] == "unchecked"]
    assert whys
    assert all(one.startswith("what has many numbers is not in the report: ") for one in whys)


def test_what_rotations_may_do_is_computed_again(run, tmp_path):
    """The allowance for rounding in a bound of ridge regression on long columns is that of verify's own formula."""
    draw = np.random.default_rng(6)
    y = draw.normal(size=300)
    path = tmp_path / "long.csv"
    table = np.column_stack([y, 1e6 + y + draw.normal(size=300), 1e6 - y + draw.normal(size=300)])
    path.write_text("y,a,b\n" + "".join(",".join(map(repr, row)) + "\n" for row in table.tolist()))
    words = ("--target", "y", "--learner", "ridge", "--set", "around=zero")
    verdicts = verification(run, reported(run, tmp_path / "r.json", "combine", path, *words), path, "--target", "y")
    assert (verdicts["differs"], verdicts["unchecked"]) == (0, 0)
    assert verdicts["agrees"] > 0


def test_the_margin_that_is_left_is_found_again(run, tmp_path):
    """The margin asked for over the margin attained is that of the final weights' rows, and a false one is found."""
    draw = np.random.default_rng(5)
    X = draw.normal(size=(90, 3)).round(3)
    y = np.where(X @ [1.0, -0.5, 0.25] > 0, 1, -1) * (np.abs(X @ [1.0, -0.5, 0.25]) > 0.15)
    lines = [
        f"{label} " + " ".join(f"{i + 1}:{x!r}" for i, x in enumerate(row)) + "\n"
        for label, row in zip(y.tolist(), X.tolist(), strict=True)
        if label
    ]
    rows = write(tmp_path / "wide.svm", lines)
    report = learned(run, rows, "margin-perceptron", "--set", "gamma=0.05")
    whole = json.loads(report.read_text())
    attained = whole["certificates"][-1]
    assert (attained["theorem"], attained["applies"]) == ("margin_attained", True)
    check = verification(run, report, rows)["checks"][-1]
    assert check["verdict"] == "agrees"
    assert {"own", "least", "observed", "bound"} <= set(check["numbers"])
    attained["observed"] *= 0.999
    report.write_text(json.dumps(whole))
    assert verification(run, report, rows)["checks"][-1]["verdict"] == "differs"


def test_rewards_and_ranges_are_drawn_again(run, tmp_path):
    """What an arm lost is found from rewards, and from losses whose range does not begin at 0."""
    table = tmp_path / "t.csv"
    rows = np.random.default_rng(3).uniform(2, 5, (50, 3)).tolist()
    table.write_text("a,b,c\n" + "".join(",".join(map(repr, row)) + "\n" for row in rows))
    for words in ((), ("--rewards",)):
        whole = ("pull", table, "--learner", "exp3-ix", "--runs", 1, "--range", 2, 5, *words)
        verdicts = verification(run, reported(run, tmp_path / "p.json", *whole), table)
        assert (verdicts["differs"], verdicts["unchecked"]) == (0, 0)
        assert verdicts["agrees"] == 5


def test_a_game_is_answered_again(run, tmp_path):
    """Gap and gains of a solution are those of its strategies, and those of another game are not."""
    game = tmp_path / "g.csv"
    game.write_text("0,-1,1\n1,0,-1\n-1,2,0\n-9,-9,-9\n")  # whose last row is never played
    report = reported(run, tmp_path / "s.json", "solve", game)
    verdicts = verification(run, report, game)
    assert (verdicts["agrees"], verdicts["differs"]) == (4, 0)
    game.write_text("0,-1,1\n1,0,-1\n-1,2.5,0\n-9,-9,-9\n")
    assert verification(run, report, game)["differs"] > 0


def test_games_in_turns_are_not_checked(run, tmp_path):
    """Of a game in turns nothing is compared, which is said, and its report is not said to differ; false strategies
    do."""
    game = tmp_path / "t.efg"
    game.write_text(TREE)
    report = reported(run, tmp_path / "s.json", "solve", game)
    command = run("verify", report, game)
    assert (command.code, "none of its certificates was compared (1 cannot be checked)" in command.err) == (1, True)
    assert "cannot be checked: weak_duality: games in turns are not checked\n" in command.out
    assert "compared: 0 certificates and 0 numbers of the run; 1 cannot be checked\n" in command.out
    report.write_text(json.dumps(json.loads(report.read_text()) | {"game": "zero-sum"}))
    assert "; an object of numbers was expected" in run("verify", report, game).err


@pytest.mark.parametrize("learner", ["perceptron", "multiclass-perceptron", "selective-perceptron"])
@pytest.mark.parametrize("classes", ["ab", "xyz", "12", "a"])
def test_data_of_other_classes_contradict_a_report(run, tmp_path, learner, classes):
    """Rows with fewer classes, with others, or with numbers for words differ from a report, which is not blamed."""
    paths = [tmp_path / "abc.csv", tmp_path / "other.csv"]
    for path, names in zip(paths, ("abc", classes), strict=True):
        rows = [f"{names[place % len(names)]},{place % 5},{place % 7}" for place in range(20)]
        path.write_text("\n".join(["label,u,v", *rows, ""]))
    command = run("verify", learned(run, paths[0], learner), paths[1])
    assert command.code == 3
    assert "differs: the run: " in command.out
    assert "contradict each other" in command.err


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("{", "this is no JSON"),
        ("[]", "this is no report"),
        ('{"schema": "regretless.learn/1"}', "it does not say what a report of learn says"),
        ('{"schema": "regretless.play/1"}', "is a report of play"),
    ],
)
def test_what_is_no_report_is_refused(run, mail, tmp_path, text, outcome):
    """What is no report, or lacks what one has, is answered with one line."""
    path = tmp_path / "r.json"
    path.write_text(text)
    command = run("verify", path, mail)
    assert command.code in (1, 2)
    assert outcome in command.err
    assert len(command.err.splitlines()) == 1


def test_what_holds_no_vectors_is_refused(run, mail, tmp_path):
    """A file that is no archive of arrays is named."""
    report = learned(run, mail, "perceptron")
    command = run("verify", report, mail, "--comparators", mail)
    assert (command.code, len(command.err.splitlines())) == (1, 1)
    assert "these are no arrays of numbers" in command.err


def test_vectors_are_saved_as_npz_alone(run, mail, tmp_path):
    """A name that promises another format is refused, and so is a run that certifies nothing."""
    assert run("learn", mail, "--learner", "perceptron", "--save-comparators", tmp_path / "v.txt").code == 2
    words = ("--no-certify", "--save-comparators", tmp_path / "v.npz")
    assert run("learn", mail, "--learner", "perceptron", *words).code == 2


def test_real_rows_are_verified(run, data, tmp_path):
    """Every certificate on the census rows agrees, with vectors of 123 numbers in a file of their own."""
    rows = data / "sparse" / "a9a_test.svm.xz"
    words = ("learn", rows, "--learner", "averaged-perceptron", "--save-comparators", tmp_path / "v.npz")
    verdicts = verification(run, reported(run, tmp_path / "r.json", *words), rows, "--comparators", tmp_path / "v.npz")
    assert (verdicts["differs"], verdicts["unchecked"]) == (0, 0)
    assert verdicts["agrees"] >= 4


def test_a_game_of_losses_is_reported_in_losses(run, tmp_path):
    """The value of a game of losses, and the ends around it, agree when the file is read as losses."""
    game = tmp_path / "g.csv"
    game.write_text("3,4\n5,2\n")
    report = reported(run, tmp_path / "s.json", "solve", game, "--losses")
    assert verification(run, report, game, "--losses")["differs"] == 0


def test_a_page_and_a_model_are_no_reports(run: CommandLine, mail: Path, tmp_path: Path) -> None:
    """Each is called what it is, with the command that prints a report."""
    page, model = tmp_path / "p.html", tmp_path / "m.rgl"
    assert run("learn", mail, "--learner", "perceptron", "--quiet", "--save", model, "--report", page).code == 0
    for path, what in ((page, "this is a page"), (model, "this is a model"), (mail, "this is no JSON")):
        command = run("verify", path, mail)
        assert (command.code, command.out) == (1, "")
        assert f"{path}: {what}" in command.err
        assert "regretless learn (or explore, combine) DATA --json > report.json" in command.err


def test_a_run_agrees_whose_power_goes_by_its_first_rows(run: CommandLine, tmp_path: Path) -> None:
    """A column that comes after the first rows leaves p as it was, for the textbook too."""
    rows = [line.replace(" ", " | ", 1) for line in noisy_lines(1024)]  # which are read at once
    path = write(tmp_path / "late.vw", [*rows, *(line.rstrip() + " late\n" for line in rows[:50])])
    report = reported(run, tmp_path / "late.json", "learn", path, "--learner", "p-norm-perceptron")
    lines = [one["constants"]["learner"] for one in json.loads(report.read_text())["certificates"] if one["applies"]]
    assert {line["p"] for line in lines if "p" in line} == {2 * log(13)}
    output = verification(run, report, path)
    assert "updates" in str(output)
    assert not output["differs"]


def test_a_report_of_a_table_is_not_compared_with_another_format(run, tmp_path, mail):
    """Of a report on a column of a table and a file without columns, the message names both and no option."""
    rows = "".join(f"{row % 3},{row % 5},{'yes' if row % 2 else 'no'}\n" for row in range(40))
    report = learned(run, write(tmp_path / "table.csv", "a,b,label\n" + rows), "perceptron", "--target", "label")
    refused = run("verify", report, mail)
    assert refused.code == 2
    assert f"{mail}: {report} is about the column 'label' of a table, and this is of the format svmlight" in refused.err
    assert "--target" not in refused.err
