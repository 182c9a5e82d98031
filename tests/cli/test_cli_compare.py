"""``regretless compare``."""

from __future__ import annotations

import json
import signal
from contextlib import suppress
from pathlib import Path

import pytest

from regretless.verify.formulas import FORMULAS

from ..command_line import BARE, CommandLine, noisy_lines, start, write


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    return CommandLine(capsys, monkeypatch)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return write(tmp_path / "rows.svm", noisy_lines(3000))


def test_the_mistakes_are_those_that_learn_counts(run: CommandLine, file: Path) -> None:
    """Each of the two errs as `learn` says that it does, but for the first rows of the two classes, which nobody could
    say; and `decided` comes with a name."""
    report = run("compare", "perceptron", "arow", file, "--json").json
    for side, name in (("a", "perceptron"), ("b", "arow")):
        alone = run("learn", file, "--learner", name, "--no-certify", "--json").json
        assert 0 <= report[side]["mistakes"] - alone["progressive"]["errors"] <= 2
        assert report[side]["parameters"] == alone["parameters"]
    assert (report["decided"] is None) or report["course"][-1][0] >= report["decided"]
    assert report["difference"] == (report["a"]["mistakes"] - report["b"]["mistakes"]) / 3000
    for one in report["certificates"]:
        again = FORMULAS[one["theorem"]](*(one["constants"][of] for of in ("ledger", "comparator", "learner")))
        assert again == pytest.approx(one["bound"], rel=1e-12)


def test_a_model_is_frozen_and_meets_the_same_rows(run: CommandLine, file: Path, tmp_path: Path) -> None:
    """A model errs as `predict` does, beside a learner that reads its own columns of the file."""
    model, more = tmp_path / "m.rgl", write(tmp_path / "more.svm", noisy_lines(500, seed=5))
    assert run("learn", file, *BARE, "--save", model).code == 0
    before = model.read_bytes()
    report = run("compare", model, "arow", more, "--hash-bits", 10, "--json").json
    assert report["a"]["mistakes"] == run("predict", model, more, "--json").json["errors"]
    assert report["b"]["mistakes"] == run(
        "learn", more, "--learner", "arow", "--hash-bits", 10, "--no-certify", "--json"
    ).json["progressive"]["errors"]  # fmt: skip
    assert model.read_bytes() == before
    assert report["certificates"][0]["assuming"] == "that no model has learned from these rows, or was chosen by them"


def test_the_interval_narrows_with_the_level(run: CommandLine, file: Path) -> None:
    """Less probability, a narrower interval around the same difference."""
    wide, narrow = (
        run("compare", "perceptron", "arow", file, "--level", level, "--json").json for level in (0.99, 0.5)
    )
    assert wide["interval"][0] < narrow["interval"][0] < narrow["difference"] < narrow["interval"][1]
    assert wide["joint_confidence"] == pytest.approx(0.99)


def test_rows_that_one_of_the_two_passes_over_are_an_error(run: CommandLine, tmp_path: Path) -> None:
    """Two models whose columns differ must read the same rows."""
    bare, whole, table = tmp_path / "a.rgl", tmp_path / "b.rgl", tmp_path / "t.csv"
    table.write_text("a,b,label\n1,2,x\n3,4,y\n5,6,x\n")
    assert run("learn", table, *BARE, "--ignore", "b", "--save", bare).code == 0
    assert run("learn", table, *BARE, "--save", whole).code == 0
    table.write_text("a,b,label\n1,2,x\n3,oops,y\n5,6,x\n5,6,y\n")
    command = run("compare", bare, whole, table, "--on-error", "skip")
    assert command.code == 1
    assert "the two read different labels or rows of it" in command.err


def test_a_model_without_labels_is_not_compared(run: CommandLine, tmp_path: Path) -> None:
    """What errs less cannot be said of rows without labels."""
    model, table = tmp_path / "m.rgl", tmp_path / "t.csv"
    table.write_text("a,label\n1,x\n3,y\n")
    assert run("learn", table, *BARE, "--save", model).code == 0
    table.write_text("a\n1\n3\n")
    command = run("compare", model, model, table)
    assert command.code == 1
    assert "there are no labels; name their column with --target" in command.err


def test_what_is_known_at_a_signal_is_printed(file: Path, tmp_path: Path) -> None:
    """A comparison that is terminated prints that of the rows so far, and says that it is of these."""
    rows = file.read_bytes()
    process = start("compare", "perceptron", "arow", "-", "--format", "svmlight", "--json")
    assert process.stdin is not None
    process.stdin.write(rows)
    process.stdin.flush()
    with suppress(BrokenPipeError):
        for _ in range(200):  # more than a pipe holds: some of them have been compared when all are written
            process.stdin.write(rows)
        process.send_signal(signal.SIGTERM)
        for _ in range(200):
            process.stdin.write(rows)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 128 + signal.SIGTERM
    record = json.loads(out)
    assert record["interrupted"]
    assert record["rounds"] >= 3000
    assert f"interrupted: what follows is about the first {record['rounds']:,} rows" in err.decode()


def test_the_page_tells_the_verdict(run: CommandLine, file: Path, tmp_path: Path) -> None:
    """The report has the sentence of the command line, and the curve inside its band."""
    page = tmp_path / "r.html"
    command = run("compare", "perceptron", "perceptron", file, "--set-b", "rate=2", "--report", page)
    assert command.code == 0
    assert "neither is shown to err less" in command.out
    text = page.read_text()
    assert "Not decided yet" in text
    assert 'class="band outer"' in text


def test_rows_that_a_model_has_learned_from_are_warned_of(run: CommandLine, file: Path, tmp_path: Path) -> None:
    """A model that learned the file, in any number of passes, is named; of other rows nothing is said."""
    model, other = tmp_path / "m.rgl", write(tmp_path / "other.svm", noisy_lines(200, seed=1))
    words = ("--learner", "perceptron", "--no-certify", "--quiet", "--save", model)
    for passes in (1, 3):
        assert run("learn", file, *words, "--passes", passes).code == 0
        command = run("compare", "arow", model, file)
        assert f"{file} is, as it seems, what {model} has learned from" in command.err
        assert "as it seems" not in run("compare", "arow", model, other).err


def test_parameters_that_are_taken_from_the_rows_are_refused(run: CommandLine, file: Path) -> None:
    """The automatic power of the p-norm perceptron knows the number of columns; with a number both are compared."""
    command = run("compare", "perceptron", "p-norm-perceptron", file)
    assert (command.code, command.out) == (2, "")
    assert "--set-b p='auto': " in command.err
    assert "give a number" in command.err
    assert run("compare", "perceptron", "p-norm-perceptron", file, "--set-b", "p=4").code == 0


def test_quantities_are_not_compared_as_labels(run: CommandLine, tmp_path: Path) -> None:
    """A column of prices is refused as in `learn`, beside a model too, but not with --any-labels; a learner of numbers
    is named as one."""
    model, table = tmp_path / "m.rgl", tmp_path / "t.csv"
    table.write_text("a,price\n" + "".join(f"{n % 7},{n / 8}\n" for n in range(200)))
    words = ("--target", "price")
    command = run("compare", "aggregated", "perceptron", table, *words)
    assert (command.code, command.out) == (1, "")
    assert "the target 'price' has 200 different numbers in the first 200 rows, as a quantity has" in command.err
    assert "forecast it with learn --task regression (aggregated-regressor)" in command.err
    assert "or give --any-labels" in command.err
    assert run("compare", "arow", "perceptron", table, *words, "--any-labels").code == 0
    assert run("learn", table, *words, *BARE, "--any-labels", "--save", model).code == 0
    assert "as a quantity has" in run("compare", model, "perceptron", table, *words).err
    assert run("compare", model, model, table, *words).code == 0
    command = run("compare", "arow", "AggregatedRegressor", table, *words)
    assert command.code == 2
    assert "B, aggregated-regressor, forecasts numbers, and compare is for labels" in command.err
