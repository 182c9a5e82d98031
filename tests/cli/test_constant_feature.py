"""The constant feature that goes by the first row: its size, and that all paths agree on it."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

import regretless
from regretless.data import load_svmlight
from regretless.data.batch import Batch
from regretless.learner_table import LEARNERS
from regretless.linear import Perceptron
from regretless.run.first_rows import fitting_size, said_of

from ..command_line import CommandLine

WORDS = ("--learner", "perceptron", "--no-certify", "--quiet")


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    """Runs the command line."""
    return CommandLine(capsys, monkeypatch)


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    """Rows about (32, 32) away from 0, of which a hyperplane through 0 separates few."""
    draw, lines = random.Random(2), []
    for _ in range(60):
        a, b = draw.uniform(25, 40), draw.uniform(25, 40)
        lines.append(f"{1 if a + b > 65 else -1} 1:{a:.3f} 2:{b:.3f}\n")
    (tmp_path / "rows.svm").write_text("".join(lines))
    return tmp_path / "rows.svm"


@pytest.mark.parametrize(
    ("row", "size"), [((3.0, 0, 4), 4.0), ((0, 0, 0), 1.0), ((300.0, 300, 0), 256.0), ((np.inf, 1, 1), 1.0)]
)
def test_the_size_is_that_of_numbers_in_the_first_row(row: tuple[float, ...], size: float) -> None:
    """It is the root mean square of those that are not 0, to a power of two; dense, sparse and cut rows agree."""
    dense = np.array([row, (1e6, 1e6, 1e6)])
    sparse = Batch(dense.ravel(), None, 3, np.tile(np.arange(3, dtype=np.int32), 2), np.array([0, 3, 6], np.int32))
    batches = (Batch(dense, None, 3), Batch(dense[:1].astype(np.float32), None, 3), sparse, sparse.slice(0, 1))
    assert {fitting_size(batch) for batch in batches} == {size}


@pytest.mark.parametrize(("number", "text"), [(1e-120, "as small or smaller"), (1e90, "as large or larger")])
def test_a_size_at_its_limit_is_not_said_to_be_that_of_the_first_row(number: float, text: str) -> None:
    """Of a first row whose numbers are beyond the sizes that are chosen, the note says so."""
    size = fitting_size(Batch(np.array([[number]]), None, 1))
    assert text in said_of(Perceptron(intercept=size))
    assert "as large as numbers" not in said_of(Perceptron(intercept=size))


def test_learners_without_a_constant_feature_get_one_where_nobody_says(run: CommandLine, rows: Path) -> None:
    """Those whose info says so have it in their parameters and in a note; --set intercept=0 leaves it out."""
    for name, usual in {"alma": 32.0, "passive-aggressive": 32.0, "winnow": 0.0, "arow": 1.0}.items():
        assert LEARNERS[name].info.constant == (usual == 32)
        output = run("learn", rows, "--learner", name, "--no-certify", "--json").json
        assert output["parameters"]["intercept"] == usual
        assert any("a constant feature of 32" in note for note in output["notes"]) == (usual == 32)
    output = run("learn", rows, "--learner", "perceptron", "--no-certify", "--set", "intercept=0", "--json").json
    assert (output["parameters"]["intercept"], "constant feature" in "".join(output["notes"])) == (0.0, False)


def test_all_paths_have_the_same_constant_feature(run: CommandLine, rows: Path, tmp_path: Path) -> None:
    """A file, a run that goes on, one shard, a comparison and the class in Python with that size learn the same."""
    X, y = load_svmlight(rows)
    twin = Perceptron(intercept=32.0).fit(X, y)
    plain = Perceptron().fit(X, y)
    assert twin.ledger_.mistakes != plain.ledger_.mistakes
    run("learn", rows, *WORDS, "--save", tmp_path / "a.rgl")
    run("learn", rows, *WORDS, "--workers", 1, "--save", tmp_path / "b.rgl")
    for name in "ab":
        model = regretless.load(tmp_path / f"{name}.rgl")
        assert np.array_equal(model.coef_, twin.coef_)
        assert np.array_equal(model.intercept_, twin.intercept_)
    run("learn", rows, *WORDS, "--resume", tmp_path / "a.rgl")
    assert np.array_equal(regretless.load(tmp_path / "a.rgl").coef_, twin.partial_fit(X, y).coef_)
    sides = run("compare", "perceptron", "perceptron", rows, "--set-b", "intercept=0", "--json")
    a, b = (sides.json[letter]["mistakes"] for letter in "ab")
    assert a - b == Perceptron(intercept=32.0).fit(X, y).ledger_.mistakes - plain.ledger_.mistakes


def test_certificates_are_those_of_the_longer_rows(run: CommandLine, rows: Path, tmp_path: Path) -> None:
    """Bounds hold, and verify computes them again from the report."""
    command = run("learn", rows, "--learner", "perceptron", "--json")
    (tmp_path / "r.json").write_text(command.out)
    applying = [one for one in command.json["certificates"] if one["applies"]]
    assert applying
    assert all(one["observed"] <= one["bound"] for one in applying)
    assert applying[0]["constants"]["ledger"]["max_norm2"] > 32.0**2 + 2 * 32.0**2
    assert run("verify", tmp_path / "r.json", rows).code == 0
