"""`learn FILE` with nothing chosen: the default learner, its log loss and its members."""

from __future__ import annotations

import json
import math
import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import regretless
from regretless.catalogue import DEFAULT, LEARNERS

from ..command_line import BARE, CommandLine, quietly


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    return CommandLine(capsys, monkeypatch)


def table(path: Path, *, classes: int = 2, rows: int = 120, seed: int = 1) -> Path:
    """Two numbers a row, and a class by which of so many lines is the highest, mostly."""
    draw = random.Random(seed)
    lines = ["a,b,label"]
    for _ in range(rows):
        a, b = draw.gauss(0, 1), draw.gauss(0, 1)
        heights = [a * math.cos(k) + b * math.sin(k) + draw.gauss(0, 0.3) for k in range(classes)]
        lines.append(f"{a!r},{b!r},{'pqrs'[heights.index(max(heights))]}")
    path.write_text("\n".join(lines) + "\n")
    return path


def test_a_file_alone_is_learned_by_the_default_learner(run: CommandLine, tmp_path: Path) -> None:
    """Without --learner the model has the same bytes as with the default one, which is one that has probabilities."""
    file = table(tmp_path / "t.csv")
    for name, words in (("a", ()), ("b", ("--learner", DEFAULT))):
        assert run("learn", file, *words, "--no-certify", "--save", tmp_path / f"{name}.rgl").code == 0
    assert (tmp_path / "a.rgl").read_bytes() == (tmp_path / "b.rgl").read_bytes()
    assert LEARNERS[DEFAULT].info.predicts_by == "mixture"


@pytest.mark.parametrize("classes", [2, 3])
def test_json_has_log_losses_and_members(run: CommandLine, tmp_path: Path, classes: int) -> None:
    """The log loss of one pass is the ledger's, that of the best constant the entropy of the labels, and members are
    those of the model; another learner says nothing of these."""
    file, model = table(tmp_path / "t.csv", classes=classes), tmp_path / "m.rgl"
    output = run("learn", file, "--no-certify", "--save", model, "--json").json
    learner = regretless.load(model)
    assert output["log_loss"] == pytest.approx(learner.ledger_.loss, rel=1e-12)
    counts = np.array([one["rows"] for one in output["progressive"]["classes"]])
    assert len(counts) == classes
    assert output["best_constant_log_loss"] == pytest.approx(float(-counts @ np.log(counts / 120)))
    assert output["best_constant_log_loss"] < output["progressive"]["constant_so_far_log_loss"]
    assert [one["name"] for one in output["members"]] == learner.members_
    assert [one["loss"] for one in output["members"]] == pytest.approx(learner.losses_.sum(axis=0).tolist())
    assert sum(one["posterior"] for one in output["members"]) == pytest.approx(1)
    assert run("inspect", model, "--json").json["members"] == output["members"]
    other = run("learn", file, *BARE, "--json").json
    assert not {"log_loss", "best_constant_log_loss", "members"} & (other.keys() | other["progressive"].keys())


def test_lines_set_the_log_loss_beside_constants_and_members(run: CommandLine, tmp_path: Path) -> None:
    """People read the log loss, two constants and each member, and certificates begin with one against every vector."""
    file, model = table(tmp_path / "t.csv"), tmp_path / "m.rgl"
    output = run("learn", file, "--no-certify", "--json").json
    lines = run("learn", file, "--save", model).out.splitlines()
    assert lines[0].startswith("log loss, each row predicted before it is learned: ")
    for line, name in zip(lines[:3], ("log_loss", "best_constant_log_loss", "constant_so_far_log_loss"), strict=True):
        loss = output["progressive"][name]
        assert line.endswith(f": {loss:,.1f} ({loss / 120:.4f} a row)")
    shown = [line.rsplit(maxsplit=3) for line in lines if line.startswith(("  rate", "  coins", "  full", "  stacked"))]
    assert [name.strip() for name, *_ in shown] == [one["name"] for one in output["members"]]
    assert [float(weight) for *_, weight in shown] == pytest.approx(
        [one["posterior"] for one in output["members"]], abs=1e-4
    )
    (first, *_) = (line for line in lines if ": log loss " in line)
    assert first.startswith("Against every vector")
    assert "the best vector for rate" in first
    assert [line for line in run("inspect", model).out.splitlines() if line.startswith("  rate")] == [
        line for line in lines if line.startswith("  rate")
    ]


def test_what_does_not_apply_stands_last(run: CommandLine, tmp_path: Path) -> None:
    """Without full members the theorem about them is the last line, and not the first."""
    lines = run("learn", table(tmp_path / "t.csv"), "--set", "full=0", "--quiet").out.splitlines()
    assert ["does not apply" in line for line in lines] == [False] * (len(lines) - 1) + [True]


def test_log_losses_go_on_with_the_model(run: CommandLine, tmp_path: Path) -> None:
    """A run in two halves has the bytes of one over all rows, and its log loss."""
    file, halves = table(tmp_path / "t.csv"), (tmp_path / "1.csv", tmp_path / "2.csv")
    head, *rows = file.read_text().splitlines()
    for half, part in zip(halves, (rows[:50], rows[50:]), strict=True):
        half.write_text("\n".join([head, *part]) + "\n")
    whole = run("learn", file, "--no-certify", "--save", tmp_path / "m.rgl", "--json").json
    assert quietly("learn", halves[0], "--no-certify", "--save", tmp_path / "h.rgl") == 0
    more = run("learn", halves[1], "--resume", tmp_path / "h.rgl", "--no-certify", "--json").json
    assert more["log_loss"] == pytest.approx(whole["log_loss"])
    assert (more["members"], more["best_constant_log_loss"]) == (whole["members"], whole["best_constant_log_loss"])


def notes(run: CommandLine, file: Path, *words: object) -> list[str]:
    return run("learn", file, "--no-certify", "--json", *words).json["notes"]


def test_a_model_that_follows_the_last_rows_is_reported(run: CommandLine, tmp_path: Path) -> None:
    """Where the sign of what matters turns every 100 rows, a note says that a frozen copy will age; where it stays not,
    nor where there is one rate alone."""
    draw, file = random.Random(0), tmp_path / "t.svm"
    rows = [draw.choice((-1, 1)) for _ in range(2000)]
    file.write_text("".join(f"{x if row // 100 % 2 else -x} 1:{x}\n" for row, x in enumerate(rows)))
    (note,) = (note for note in notes(run, file) if "posterior" in note)
    assert "on the fastest rate, 6.4 (" in note
    assert " within the stacked member): its weights follow the last rows" in note
    assert "will age" in note
    assert not any("posterior" in note for note in notes(run, file, "--set", "rates=6.4"))
    file.write_text("".join(f"{1 if draw.random() < 0.8 else -1} 1:1\n" for _ in range(500)))
    assert not any("posterior" in note for note in notes(run, file))


def test_probabilities_that_lose_more_than_constants_are_reported(run: CommandLine, tmp_path: Path) -> None:
    """Labels that follow no feature, of very many features, give a note that constants lose less than diagonals do."""
    draw, file = random.Random(3), tmp_path / "t.svm"
    file.write_text(
        "".join(
            f"{draw.choice((-1, 1))} " + " ".join(f"{k}:{draw.gauss(0, 1):.3f}" for k in range(1, 300)) + "\n"
            for _ in range(120)
        )
    )
    (note,) = (note for note in notes(run, file, "--set", "full=256") if note.startswith("constant probabilities"))
    assert "lose less" in note
    assert not any(note.startswith("constant") for note in notes(run, file, "--learner", "perceptron"))


def test_a_learner_without_intercept_that_a_constant_beats_is_reported(run: CommandLine, tmp_path: Path) -> None:
    """A perceptron that errs more often than the most frequent label is advised an intercept, unless it has one."""
    draw, file = random.Random(5), tmp_path / "t.svm"
    file.write_text("".join(f"{1 if draw.random() < 0.1 else -1} 1:{draw.random():.3f}\n" for _ in range(400)))
    (note,) = notes(run, file, "--learner", "perceptron", "--set", "intercept=0")
    assert f"try --set intercept=1, or the default learner ({DEFAULT})" in note
    (note,) = notes(run, file, "--learner", "perceptron", "--set", "intercept=1")
    assert "intercept" not in note


def test_shards_ask_for_a_learner_that_can_be_mixed(run: CommandLine, tmp_path: Path) -> None:
    """Without --learner, shards are refused with the reason and the names of learners that can be mixed."""
    files = [table(tmp_path / f"{k}.csv", seed=k) for k in (1, 2)]
    command = run("learn", *files, "--workers", 1)
    assert (command.code, command.out) == (2, "")
    assert f"give --learner, the default one will not do: {DEFAULT} cannot be mixed over shards" in command.err
    assert "perceptron" in command.err


def test_scipy_is_read_for_certificates_alone(tmp_path: Path) -> None:
    """A run without certificates imports no module of scipy, which would take longer than a small file."""
    program = (
        "import sys; from regretless.cli import main; code = main(sys.argv[1:]); "
        "print(code, [name for name in sys.modules if name.partition('.')[0] == 'scipy'])"
    )
    words = ["learn", str(table(tmp_path / "t.csv")), "--no-certify", "--quiet"]
    done = subprocess.run([sys.executable, "-c", program, *words], capture_output=True, text=True, check=True)
    assert done.stdout == "0 []\n"


def test_certificates_against_vectors_are_computed_again(run: CommandLine, tmp_path: Path) -> None:
    """`verify` computes losses and bounds again from rows and vectors, finds a false one, and says which it cannot."""
    file, report = table(tmp_path / "t.csv"), tmp_path / "r.json"
    text = run("learn", file, "--json").out
    report.write_text(text)
    lines = run("verify", report, file)
    assert lines.code == 0
    assert sum(": rounds, loss, " in line and "bound" in line for line in lines.out.splitlines()) == 5
    assert "cannot be checked: mixture: its comparator is a member of the mixture, and no vector" in lines.out
    (line,) = (line for line in lines.out.splitlines() if "the run" in line and "agrees" in line)
    assert "best_constant_log_loss" in line
    values = json.loads(text)
    for path in (("certificates", 0, "comparator", "loss"), ("certificates", 1, "bound"), ("best_constant_log_loss",)):
        wrong = json.loads(text)
        place = wrong
        for key in path[:-1]:
            place = place[key]
        place[path[-1]] *= 1 + 1e-6
        assert wrong != values
        report.write_text(json.dumps(wrong))
        false = run("verify", report, file)
        assert false.code != 0
        assert "differs: " in false.out


def test_vectors_of_several_classes_are_reported_as_missing(run: CommandLine, tmp_path: Path) -> None:
    """Of three classes `verify` asks for no file that cannot have the vectors."""
    file, report = table(tmp_path / "t.csv", classes=3), tmp_path / "r.json"
    report.write_text(run("learn", file, "--json").out)
    command = run("verify", report, file)
    assert "cannot be checked: by_a_rate: its comparators are vectors of each class, which are not kept" in command.out
    assert "--comparators" not in command.out
    assert "\ncompared: 0 certificates and " in command.out
    unchecked = command.out.count("cannot be checked: ")
    assert unchecked > 3
    assert f" of the run; {unchecked} cannot be checked\n" in command.out


@pytest.mark.parametrize("classes", [2, 3])
def test_vectors_suffer_in_every_pass(run: CommandLine, tmp_path: Path, classes: int) -> None:
    """Labels drawn at random, in three passes: no bound is below what was observed, and a vector loses in each pass; a
    class that comes late is not charged for the rows before it."""
    draw, file = random.Random(7), tmp_path / "t.csv"
    rows = [f"{draw.gauss(0, 1):.3f},{'pqr'[draw.randrange(classes if k > 20 else 2)]}" for k in range(300)]
    file.write_text("\n".join(["a,label", *rows]) + "\n")
    once, thrice = (run("learn", file, "--passes", passes, "--set", "full=0", "--json") for passes in (1, 3))
    assert (once.code, thrice.code) == (0, 0)
    one, three = ({c["theorem"]: c for c in command.json["certificates"]} for command in (once, thrice))
    assert three["against_constant"]["observed"] > 2.5 * one["against_constant"]["observed"]
    losses = [each["against_constant"]["comparator"]["loss"] for each in (one, three)]
    assert losses[1] == pytest.approx(3 * losses[0], rel=0 if classes == 2 else 0.1)
    assert all(c["observed"] <= c["bound"] for c in three.values() if c["applies"])
