"""``regretless explain``, and the first rounds of a run by ``--trace``."""

from __future__ import annotations

import inspect
import io
import re
from pathlib import Path

import numpy as np
import pytest

from regretless.bandits import Exp3
from regretless.catalogue import TABLES, Kind, class_of
from regretless.cli.explain import (
    SECTION,
    _learner_lines,
    _theorem_lines,
    describe_learner,
    describe_theorem,
    theorems,
)
from regretless.experts import Hedge
from regretless.report.formula_text import in_text
from regretless.textbook.linear import perceptron

from ..command_line import CommandLine


@pytest.fixture
def command_line(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    return CommandLine(capsys, monkeypatch)


def test_every_learner_is_explained_with_its_theorems_and_its_twin() -> None:
    """No learner lacks a summary, a theorem with a statement and a source, or the source of the twin that it names."""
    for kind, table in TABLES.items():
        for name, entry in table.items():
            values = describe_learner(kind, name)
            assert values["summary"].endswith((".", ":"))
            assert all(one["statement"] and one["source"] for one in values["theorems"])
            assert len(values["theorems"]) == len(class_of(kind, name).theorems) > 0
            assert (values["twin"] is None) == (not entry.info.twin)


def test_no_update_of_a_docstring_is_left_out(command_line: CommandLine) -> None:
    """All verbatim blocks of a learner are printed, as they stand, and no paragraph ends with two colons."""
    for kind, table in TABLES.items():
        for name in table:
            doc = SECTION.split(inspect.getdoc(class_of(kind, name)) or "")[0]
            blocks = re.findall(r"^ {4}.*", doc, re.MULTILINE)
            values = describe_learner(kind, name)
            printed = "\n".join(_learner_lines(values))
            assert all(line.strip() in printed for line in blocks), name
            assert "::" not in values["about"].replace("``", "")


@pytest.mark.parametrize(
    ("formula", "text"),
    [
        (r"M \le \left\lfloor \log_2 \frac{|H|}{|K|} \right\rfloor", "M ≤ ⌊log_2 ((|H|)/(|K|))⌋"),
        (r"\frac{\ln N}{\eta} + \frac{\eta}{8} \sum_t s_{t,i}^2", "(ln N)/η + (η/8) Σ_t s_(t,i)²"),
        (r"\bar{R}_T \le \tfrac12 \sqrt{K T},\quad x^\top A_t^{-1} x", "R̄_T ≤ (1/2) √(K T),  xᵀ A_t⁻¹ x"),
        (
            r"\lVert v \rVert \Big(a\Big) - \langle v, x \rangle\ \text{(if } t \ne 0 \text{)}",
            "‖v‖ (a) - ⟨v, x⟩ (if t ≠ 0)",
        ),
        (r"\unknown{x}", r"\unknownx"),
    ],
)
def test_a_formula_is_one_line_of_text(formula: str, text: str) -> None:
    """Fractions end where their brackets do, indices stand behind a line, and a command that is not known stays."""
    assert in_text(formula) == text


def test_no_formula_of_a_theorem_keeps_a_command_of_tex() -> None:
    """All that theorems use can be shown as text, in which each bracket closes."""
    for theorem in theorems().values():
        text = in_text(theorem.formula)
        assert "\\" not in text
        assert text.count("(") - text.count(")") == theorem.formula.count("(") - theorem.formula.count(")")


def test_a_terminal_without_such_signs_gets_tex(monkeypatch: pytest.MonkeyPatch) -> None:
    """A formula is printed in TeX where the output's encoding has no sign for it."""
    values = describe_theorem(theorems()["halving"])
    monkeypatch.setattr("sys.stdout", io.TextIOWrapper(io.BytesIO(), encoding="ascii"))
    lines = list(_theorem_lines(values))
    assert f"  formula  {values['formula']}" in lines


def test_theorems_have_names_of_their_own() -> None:
    """No two theorems of learners share the name by which one is asked for."""
    known = theorems()
    for kind, table in TABLES.items():
        for name in table:
            assert all(known[one.name] is one for one in class_of(kind, name).theorems)


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["percptron"], "no learner called 'percptron'; did you mean perceptron"),
        (["--theorem", "seprable"], "no theorem called 'seprable'; did you mean separable"),
        (["separable"], "is a theorem: regretless explain --theorem separable"),
        (["--theorem", "perceptron"], "is a learner: regretless explain perceptron"),
        (["perceptron", "--theorem", "separable"], "name one"),
    ],
)
def test_an_unknown_name_is_refused_with_those_like_it(command_line: CommandLine, words: list[str], text: str) -> None:
    """A name that is wrong is a usage error in one line that says what was meant."""
    command = command_line("explain", *words)
    assert (command.code, command.out) == (2, "")
    assert text in command.err


def test_what_is_explained_can_be_asked_for_in_python_names(command_line: CommandLine) -> None:
    """A learner's class, a name with its room, and the list of all: each is explained."""
    assert command_line("explain", "AveragedPerceptron", "--json").json["learner"] == "averaged-perceptron"
    assert command_line("explain", "bandits.hedge", "--json").json["kind"] == "bandits"
    assert command_line("explain", "hedge", "--json").json["others"] == ["bandits.hedge"]
    every = command_line("explain").out
    assert all(f"  {name} " in every for table in TABLES.values() for name in table)
    output = command_line("explain", "--theorem", "separable", "--json").json
    assert "linear.perceptron" in output["learners"]
    assert "comparator.margin**2" in output["computed"]


def test_a_theorem_can_be_asked_for_by_the_title_that_certificates_print(command_line: CommandLine) -> None:
    """A title in any case is the theorem of that title; one that several have gives them all, with their learners."""
    output = command_line("explain", "--theorem", "sharp HINGE bound", "--json").json
    assert [one["theorem"] for one in output["theorems"]] == ["p_norm_sharp", "sharp"]
    assert "linear.perceptron" in output["theorems"][1]["learners"]
    printed = command_line("explain", "--theorem", "Sharp hinge bound").out
    assert printed.index("(p_norm_sharp)") < printed.index("(sharp)")
    halving = theorems()["halving"].title
    assert command_line("explain", "--theorem", f"{halving}:", "--json").json["theorem"] == "halving"


@pytest.mark.parametrize("name", ["halving", "perceptron", "experts.hedge", "exp3", "weighted-majority"])
def test_the_commands_to_try_run(command_line: CommandLine, name: str) -> None:
    """The last command that a learner is explained with needs no file, and runs as it stands."""
    words = command_line("explain", name, "--json").json["examples"][-1].split()[1:]
    assert command_line(*words).code == 0


@pytest.fixture
def tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files by the names that commands to try have, in the working directory."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "FILE.csv").write_text("a,b,COLUMN\n0,1,0\n1,0,1\n0,0,0\n1,1,1\n")
    (tmp_path / "LOSSES.csv").write_text("a,b\n0,1\n1,0\n0,1\n1,1\n")
    (tmp_path / "ADVICE.csv").write_text("x,y\na,b\nb,a\na,a\nb,b\n")


@pytest.mark.usefixtures("tables")
@pytest.mark.parametrize("kind", [kind for kind in TABLES if kind != "class"])
def test_the_first_command_to_try_runs_with_its_names_filled_in(command_line: CommandLine, kind: Kind) -> None:
    """With files, a column and a range for its names in capitals, no learner's command on a file is refused."""
    for name in TABLES[kind]:
        command = describe_learner(kind, name)["examples"][0].replace("LO HI", "0 1").replace("ARM,ARM", "a,b")
        more = {"bandits": ["--runs", "1"], "linear": ["--no-certify"], "regression": ["--no-certify"]}.get(kind, [])
        answer = command_line(*command.split()[1:], *more)
        assert answer.code == 0, (command, answer.err)


ROWS = np.array([[1.0, 2.0], [2.0, 1.0], [2.0, -2.0], [-1.0, 0.5], [-3.0, 1.0]])
LABELS = np.array([1, 1, 1, -1, -1])


def rows(folder: Path) -> Path:
    lines = [f"{a},{b},{label}" for (a, b), label in zip(ROWS.tolist(), LABELS.tolist(), strict=True)]
    (folder / "t.csv").write_text("\n".join(["a,b,label", *lines]) + "\n")
    return folder / "t.csv"


def test_a_traced_perceptron_is_the_one_of_the_textbook(command_line: CommandLine, tmp_path: Path) -> None:
    """After each traced row the weights are those of the textbook's perceptron over the rows so far."""
    words = ("learn", rows(tmp_path), "--learner", "perceptron", "--set", "intercept=0")
    traced = command_line(*words, "--trace", "4", "--json").json
    assert [one["round"] for one in traced["trace"]] == [1, 2, 3, 4]
    for one in traced["trace"]:
        weights, updates, mistakes = perceptron(ROWS[: one["round"]], LABELS[: one["round"]])
        known = one["weights"]["1"]
        assert [known.get(name, 0.0) for name in "ab"] == weights.tolist()
        assert updates == sum(other["updated"] for other in traced["trace"][: one["round"]])
        assert mistakes == sum(o["prediction"] != o["outcome"] for o in traced["trace"][: one["round"]])
    plain = command_line(*words, "--json").json
    assert [plain[name] for name in ("mistakes", "updates", "loss", "curve")] == [
        traced[name] for name in ("mistakes", "updates", "loss", "curve")
    ]


@pytest.mark.parametrize("learner", ["aggregated", "kernel-perceptron", "winnow", "averaged-perceptron"])
def test_losses_of_traced_rows_add_up_to_the_ledger(command_line: CommandLine, tmp_path: Path, learner: str) -> None:
    """Of every kind of learner the losses of all rows together are the loss of the run."""
    words = ("learn", rows(tmp_path), "--learner", learner, "--trace", "9", "--json")
    output = command_line(*words, *(("--set", "gamma=0.1") if learner == "kernel-perceptron" else ())).json
    assert len(output["trace"]) == len(ROWS)
    assert sum(one["loss"] for one in output["trace"]) == pytest.approx(output["loss"])


def test_a_traced_loss_is_that_of_its_round(command_line: CommandLine, tmp_path: Path) -> None:
    """After a loss of 10^18 the losses of rows and of experts are those of their own rounds, to the last digit."""
    (tmp_path / "t.csv").write_text("x,y\n1e9,1\n1e9,0\n1,1\n3,0\n1,1\n")
    words = ("learn", tmp_path / "t.csv", "--target", "y", "--learner", "perceptron", "--set", "intercept=0")
    traced = command_line(*words, "--trace", "5", "--json").json["trace"]
    assert [one["loss"] for one in traced] == [0, 1e18, 0, 3, 2]
    (tmp_path / "f.csv").write_text("one,two,target\n1e9,1,0\n3,2,1\n,4,1\n")
    traced = command_line("combine", tmp_path / "f.csv", "--learner", "hedge", "--trace", "3", "--json").json["trace"]
    assert [one["charges"] for one in traced] == [{"one": 1e18, "two": 1}, {"one": 4, "two": 1}, {"two": 9}]


@pytest.mark.parametrize(
    ("labels", "for_them"), [("ba", ["b", "b"]), ("bc", ["b", "c"]), ("01", ["not 0", "1"]), ("10", ["1", "1"])]
)
def test_a_trace_says_which_class_a_positive_score_speaks_for(
    command_line: CommandLine, tmp_path: Path, labels: str, for_them: list[str]
) -> None:
    """Weights and scores are for the class that is named, also where the second class turns their signs over."""
    (tmp_path / "t.csv").write_text("x,y\n" + "".join(f"1,{label}\n" for label in labels))
    words = ("learn", tmp_path / "t.csv", "--target", "y", "--learner", "perceptron", "--set", "intercept=0")
    out = command_line(*words, "--trace").out
    first, second = (1 if one == label else -1 for one, label in zip(for_them, labels[0] * 2, strict=True))
    assert f"  weights    x {first} for {for_them[0]}\n" in out
    assert f"  score      {second} for {for_them[1]}: " in out


def test_a_traced_round_of_experts_says_whether_it_was_learned(command_line: CommandLine, tmp_path: Path) -> None:
    """Late outcomes are never learned before the next row; with a budget those are that moved the weights."""
    (tmp_path / "f.csv").write_text("one,two,target\n" + "3,2,1\n" * 8)
    words = ("combine", tmp_path / "f.csv", "--learner", "hedge", "--trace", "8")
    late = command_line(*words, "--delay", "3", "--json").json["trace"]
    assert not any(one["learned"] for one in late)
    assert "losses     one 4  two 1, not learned before the next row" in command_line(*words, "--delay", "3").out
    trace = command_line(*words, "--label-budget", "50%", "--json").json["trace"]
    assert {one["learned"] for one in trace} == {True, False}
    for one in trace:
        assert one["charges"] == {"one": 4, "two": 1}
        assert one["learned"] == (one["weights"] != one["played"])


def test_numbers_are_traced_with_their_forecasts(command_line: CommandLine, tmp_path: Path) -> None:
    """The squared errors of traced forecasts are the loss of the run; before the first outcome there is none."""
    words = ("learn", rows(tmp_path), "--task", "regression", "--trace", "9", "--json")
    output = command_line(*words).json
    errors = [(one["prediction"] - one["outcome"]) ** 2 for one in output["trace"][1:]]
    assert sum(errors) == pytest.approx(output["progressive"]["squared_loss"])
    assert output["trace"][0]["prediction"] is None
    assert "forecast   none yet, " in command_line(*words[:-1]).out


def test_of_many_experts_the_same_are_traced_in_every_line(command_line: CommandLine, tmp_path: Path) -> None:
    """Of ten experts the eight that weigh most are shown, whatever they say and lose in a round."""
    advice = np.random.default_rng(0).random((4, 10))
    table = np.column_stack([advice, advice[:, 3]])
    names = [f"e{k}" for k in range(10)]
    np.savetxt(tmp_path / "f.csv", table, delimiter=",", header=",".join([*names, "target"]), comments="")
    words = ("combine", tmp_path / "f.csv", "--learner", "hedge", "--set", "eta=2", "--trace", "4", "--quiet")
    lines = [line for line in command_line(*words).out.splitlines() if " and 2 more" in line]
    shown = {tuple(word for word in line.split() if word in names) for line in lines}
    assert len(lines) == 16
    assert len(shown) == 1
    assert "e3" in shown.pop()


def test_traced_forecasts_go_by_the_weights_of_the_learner(command_line: CommandLine, tmp_path: Path) -> None:
    """Each traced row is combined by the weights that the row before left, and these are the learner's."""
    advice = np.array([[0.1, 0.9], [0.5, 0.25], [0.0, 1.0]])
    outcomes = np.array([0.2, 0.5, 0.25])
    lines = [f"{a},{b},{y}" for (a, b), y in zip(advice.tolist(), outcomes.tolist(), strict=True)]
    (tmp_path / "f.csv").write_text("\n".join(["one,two,target", *lines]) + "\n")
    words = ("combine", tmp_path / "f.csv", "--learner", "hedge", "--set", "eta=0.5")
    traced = command_line(*words, "--trace", "--json").json["trace"]
    learner, before = Hedge(eta=0.5, loss="square"), {"one": 0.5, "two": 0.5}
    for one, row, outcome in zip(traced, advice, outcomes, strict=True):
        assert one["played"] == pytest.approx(before)
        learner.play(row[None], outcome[None])
        before = dict(zip(("one", "two"), learner.weights.tolist(), strict=True))
        assert one["weights"] == pytest.approx(before)
        assert one["charges"] == pytest.approx(dict(zip(("one", "two"), (row - outcome) ** 2, strict=True)))


def test_traced_draws_are_those_of_the_first_run(command_line: CommandLine, tmp_path: Path) -> None:
    """The draws, their probabilities and the estimates are those of the learner that plays the first run."""
    losses = np.array([[0, 1, 0.5], [1, 0, 0.5], [0, 1, 1], [0, 1, 0]])
    np.savetxt(tmp_path / "l.csv", losses, delimiter=",", header="a,b,c", comments="")
    words = ("pull", tmp_path / "l.csv", "--learner", "exp3", "--runs", "1", "--seed", "3", "--trace", "4")
    output = command_line(*words, "--json").json
    assert sum(one["loss"] for one in output["trace"]) == pytest.approx(output["loss"]["mean"])
    learner = Exp3(3, arms=["a", "b", "c"], horizon=4, seed=3)
    for one, row in zip(output["trace"], losses, strict=True):
        draw = learner.draw()
        assert (draw.name, draw.probability) == (one["arm"], one["probability"])
        learner.update(draw, row[int(draw)])
        assert list(one["next"].values()) == learner.probabilities().tolist()
        assert list(one["estimates"].values()) == learner.estimates_.tolist()
    assert command_line(*words).out.startswith("round 1: drawn ")
    assert command_line(*words, "--runs", "2").out.startswith("Run 1 of 2\nround 1: drawn ")
