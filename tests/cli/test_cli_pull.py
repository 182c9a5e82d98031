"""``regretless pull`` over tables of losses."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from regretless.bandits import EXP3S, Exp3IX, Exp3P, Exp4
from regretless.bandits.simulation import Pulls, simulate
from regretless.catalogue import BANDITS, bandit_class
from regretless.environments import Table

from ..command_line import CommandLine, start

ARMS = ["north", "south", "east"]
KEYS = [
    "schema",
    "learner",
    "parameters",
    "runs",
    "rounds",
    "arms",
    "loss",
    "pseudo_regret",
    "regret",
    "best_arm",
    "best_arm_loss",
    "certificates",
    "joint_confidence",
    "observable",
    "seconds",
    "seed",
    "draws",
]
FEW = ("--runs", 4)


@pytest.fixture
def run(capsys, monkeypatch) -> CommandLine:
    return CommandLine(capsys, monkeypatch)


def losses(rounds: int = 200, *, asleep: float = 0.0, seed: int = 0) -> np.ndarray[Any, Any]:
    """Losses of three arms, the second of which is best; some sleep if that is wanted."""
    generator = np.random.default_rng(seed)
    table = np.round(generator.random((rounds, 3)) * [1, 0.5, 0.9], 3)
    table[generator.random(table.shape) < asleep] = np.nan
    table[np.isnan(table).all(axis=1), 1] = 0.25
    return table


def write(path: Path, table: np.ndarray[Any, Any], names: list[str] = ARMS) -> Path:
    cells = [",".join("" if np.isnan(value) else repr(value) for value in row) for row in table.tolist()]
    path.write_text("\n".join([",".join(names), *cells]) + "\n")
    return path


@pytest.fixture
def table(tmp_path) -> Path:
    return write(tmp_path / "losses.csv", losses())


def test_pull_is_simulate_with_the_same_parameters(run, table):
    """Losses, regrets, certificates and draws of the command line are those of Python, to the bit."""
    command = run("pull", table, "--runs", 20, "--seed", 5, "--delta", 0.1, "--json")
    report = command.json
    assert (command.code, command.err) == (0, "")
    assert list(report) == KEYS
    learner = Exp3IX(arms=ARMS, horizon=200, seed=5, delta=0.1)
    pulls = simulate(learner, Table(losses(), ARMS), runs=20)
    assert (report["schema"], report["learner"]) == ("regretless.pull/1", "exp3-ix")
    assert (report["runs"], report["rounds"], report["arms"], report["seed"]) == (20, 200, 3, 5)
    assert report["loss"] == {"mean": pulls.losses.mean(), "sd": pulls.losses.std(ddof=1)}
    assert report["pseudo_regret"] == pulls.pseudo_regret
    assert report["regret"]["mean"] == pulls.regrets.mean()
    quantiles = [report["regret"][name] for name in ("q05", "q50", "q95")]
    assert quantiles == np.quantile(pulls.regrets, [0.05, 0.5, 0.95]).tolist()
    assert (report["best_arm"], report["best_arm_loss"]) == ("south", pytest.approx(losses()[:, 1].sum()))
    assert report["loss"]["mean"] - report["best_arm_loss"] == pytest.approx(report["pseudo_regret"])
    assert report["draws"] == dict(zip(ARMS, pulls.draws.tolist(), strict=True))
    certificate_values = [one.describe() | {"runs": one.runs} for one in pulls.certificates()]
    assert json.loads(json.dumps(certificate_values)) == report["certificates"]
    bounds = report["observable"]["bound"]
    assert report["observable"]["regret"] == pulls.regrets.tolist()
    own = report["certificates"][-1]["runs"]["bound"]
    assert np.quantile(bounds, [0.05, 0.5, 0.95]) == pytest.approx([own["q05"], own["q50"], own["q95"]])
    assert {name: report["parameters"][name] for name in ("horizon", "delta", "seed", "n_arms")} == {
        "horizon": 200,
        "delta": 0.1,
        "seed": 5,
        "n_arms": 3,
    }
    assert "run" not in report["parameters"]


def test_what_is_printed_is_in_the_json(run, table):
    """For people there are the loss, the best arm, the arms by draws, the regret above the bounds, and the theorems."""
    report = run("pull", table, *FEW, "--json").json
    command = run("pull", table, *FEW)
    lines = command.out.splitlines()
    assert (command.code, command.err) == (0, "")
    assert lines[0] == "exp3-ix: 4 runs of 200 rounds, 3 arms, seed 0"
    assert f"{report['loss']['mean']:,.6g}" in lines[1]
    assert lines[2].split()[:3] == ["best", "arm", "south"]
    begin = lines.index(next(line for line in lines if line.startswith("arms "))) + 1
    drawn = [line.split()[0] for line in lines[begin : begin + 3]]
    assert drawn == sorted(ARMS, key=lambda name: -report["draws"][name])
    assert [float(line.split()[2]) for line in lines[begin : begin + 3]] == pytest.approx(
        [losses()[:, ARMS.index(name)].mean() for name in drawn], rel=1e-5
    )
    head = next(line for line in lines if line.startswith("over the runs"))
    regret, *bounds = lines[lines.index(head) + 1 : lines.index(head) + 2 + len(report["certificates"])]
    assert [float(one) for one in regret.split()[1:]] == pytest.approx(
        [report["regret"][name] for name in ("q05", "q50", "q95")], rel=1e-5
    )
    for line, certificate in zip(bounds, report["certificates"], strict=True):
        assert f"{certificate['runs']['bound']['q50']:,.6g}" in line
        assert line.endswith("too few runs" if certificate["kind"] == "expected" else "0 of 4")
    *certificates, joint = lines[lines.index(head) + 2 + len(bounds) :]
    assert len(certificates) == len(bounds)
    assert f"all 3 such lines of a run hold together with at least {100 * report['joint_confidence']:g}%" in joint


@pytest.mark.parametrize("name", list(BANDITS))
def test_every_learner_pulls(run, table, tmp_path, name):
    """Each name on the command line plays a table with its defaults, and some theorem applies to it and holds."""
    advice = tmp_path / "advice.csv"
    advice.write_text("one,two\n" + "north,south\n" * 200)
    words = ["--advice", advice] if name == "exp4" else []
    command = run("pull", table, "--learner", name, *words, "--runs", 10, "--json")
    assert command.code == 0, command.err
    assert command.json["learner"] == name
    assert any(one["applies"] for one in command.json["certificates"])
    assert all(one["observed"] <= one["bound"] for one in command.json["certificates"] if one["applies"])


def test_the_learner_gets_the_number_of_rounds_as_its_horizon(run, table):
    """Unless rates are to fall, or one is set; a learner for changing arms is tuned for five switches."""

    def parameters(*words: object) -> dict[str, Any]:
        settings: dict[str, Any] = run("pull", table, "--runs", 1, "--json", *words).json["parameters"]
        return settings

    assert parameters()["horizon"] == 200
    assert parameters("--anytime")["horizon"] is None
    each_round = parameters("--learner", "exp3", "--set", "epochs=false")
    assert (each_round["horizon"], each_round["epochs"]) == (None, False)
    assert parameters("--set", "rate=0.1") | {"horizon": None, "rate": 0.1} == parameters("--set", "rate=0.1")
    assert parameters("--set", "horizon=50")["horizon"] == 50
    assert "horizon" not in parameters("--learner", "tsallis-inf", "--anytime")
    settings = parameters("--learner", "exp3-s")
    assert (settings["horizon"], settings["switches"]) == (200, 5)
    settings = parameters("--learner", "exp3-s", "--set", "switches=150")
    assert (settings["horizon"], settings["switches"]) == (200, 150)
    settings = parameters("--learner", "exp3-s", "--set", "rate=0.1", "--set", "share=0.01")
    assert (settings["horizon"], settings["switches"], settings["share"]) == (None, None, 0.01)
    settings = parameters("--learner", "exp3-p", "--set", "rate=.1", "--set", "beta=.1", "--set", "explore=.1")
    assert (settings["horizon"], settings["explore"]) == (None, 0.1)


def test_parameters_reach_the_learner(run, table):
    """What --set says is what Python's constructor is given."""
    words = ("--learner", "exp3-s", "--set", "switches=2", "--runs", 3, "--json")
    learner = EXP3S(arms=ARMS, horizon=200, switches=2, seed=0)
    assert run("pull", table, *words).json["loss"]["mean"] == simulate(learner, losses(), runs=3).losses.mean()
    words = ("--learner", "exp3-p", "--delta", 0.01, "--runs", 3, "--json")
    exp3p = Exp3P(arms=ARMS, horizon=200, delta=0.01, seed=0)
    assert run("pull", table, *words).json["loss"]["mean"] == simulate(exp3p, losses(), runs=3).losses.mean()


def test_runs_do_not_depend_on_workers_or_on_each_other(run, table):
    """One worker or three, and four runs as the first four of eight: the same losses."""

    def report_of(*words: object) -> dict[str, Any]:
        report: dict[str, Any] = run("pull", table, "--json", *words).json
        return {name: value for name, value in report.items() if name != "seconds"}

    assert report_of("--runs", 8, "--workers", 1) == report_of("--runs", 8, "--workers", 3)
    assert report_of(*FEW, "--seed", 1) != report_of(*FEW, "--seed", 2)
    one = [report_of("--runs", 1, "--seed", 7)["loss"]["mean"] for _ in range(2)]
    assert one[0] == one[1]


def test_rewards_are_losses_turned_over(run, tmp_path):
    """In a table of rewards from 0 to 10 the learner does as with the losses 10 - r, and rewards are reported too."""
    lost = run("pull", write(tmp_path / "l.csv", 10 * losses()), "--range", 0, 10, "--json").json
    path = write(tmp_path / "r.csv", 10 - 10 * losses())
    earned = run("pull", path, "--range", 0, 10, "--rewards", "--json").json
    assert list(earned) == [*KEYS, "reward", "best_arm_reward"]
    assert earned["loss"]["mean"] == pytest.approx(lost["loss"]["mean"])
    assert earned["reward"]["mean"] == pytest.approx(2000 - lost["loss"]["mean"])
    assert earned["best_arm"] == lost["best_arm"] == "south"
    assert earned["best_arm_reward"] == pytest.approx(2000 - lost["best_arm_loss"])
    assert earned["pseudo_regret"] == pytest.approx(lost["pseudo_regret"])
    out = run("pull", path, "--range", 0, 10, "--rewards").out.splitlines()
    assert out[1].split()[:4] == ["reward", "of", "a", "run"]
    assert f"{earned['reward']['mean']:,.6g}" in out[1]


def test_arms_that_sleep_are_not_drawn(run, tmp_path):
    """The regret counts the rounds in which the arm is awake, and every bound holds."""
    values = losses(500, asleep=0.3)
    path = write(tmp_path / "t.csv", values)
    report = run("pull", path, "--runs", 30, "--json").json
    assert report["best_arm"] == "south"
    assert report["best_arm_loss"] == pytest.approx(np.nansum(values[:, 1]))
    assert report["loss"]["mean"] - report["best_arm_loss"] > report["pseudo_regret"]
    assert all(one["observed"] <= one["bound"] for one in report["certificates"] if one["applies"])
    assert any(one["applies"] for one in report["certificates"])
    coded = np.where(np.isnan(values), -1, values)
    again = run("pull", write(tmp_path / "c.csv", coded), "--missing", -1, "--runs", 30, "--json").json
    assert again["loss"] == report["loss"]


def test_experts_advise(run, table, tmp_path):
    """Exp4 competes with the best expert, who is called by name."""
    generator = np.random.default_rng(1)
    best, other = losses().argmin(axis=1), generator.integers(0, 3, 200)
    path = tmp_path / "advice.csv"
    rows = [f"{ARMS[i]},{j},south" for i, j in zip(best, other, strict=True)]
    path.write_text("\n".join(["oracle,dice,stubborn", *rows]) + "\n")
    words = ("--learner", "exp4", "--advice", path)
    report = run("pull", table, *words, *FEW, "--json").json
    assert list(report) == [*KEYS, "best_expert", "best_expert_loss"]
    assert report["best_expert"] == "oracle"
    assert report["best_expert_loss"] == pytest.approx(losses().min(axis=1).sum())
    assert report["loss"]["mean"] - report["best_expert_loss"] == pytest.approx(report["pseudo_regret"])
    assert {one["comparator"]["label"] for one in report["certificates"]} == {"best expert oracle"}
    advice = np.stack([best, other, np.ones(200, int)], axis=1)
    learner = Exp4(arms=ARMS, horizon=200, seed=0)
    assert report["loss"]["mean"] == simulate(learner, losses(), advice=advice, runs=4).losses.mean()
    assert "best expert oracle" in run("pull", table, *words, *FEW).out


def test_standard_input_is_played(run, table):
    """A dash reads the table from a pipe."""
    expected = run("pull", table, *FEW, "--json").json
    report = run("pull", "-", *FEW, "--json", stdin=table.read_bytes()).json
    assert report["loss"] == expected["loss"]


@pytest.mark.parametrize(
    ("shape", "words"),
    [((1, 3), ()), ((50, 1), ()), ((1, 1), ()), ((60, 3), ("--runs", 1)), ((2, 2), ("--anytime",))],
)
@pytest.mark.parametrize("name", [name for name in BANDITS if name != "exp4"])
def test_small_tables_are_played(run, tmp_path, shape, words, name):
    """One round, one arm or one run are enough for every learner; one run has no standard deviation."""
    if bandit_class(name).info.needs_horizon:
        words = tuple(word for word in words if word != "--anytime")
    values = np.random.default_rng(0).random(shape)
    path = write(tmp_path / "t.csv", values, [f"arm{place}" for place in range(shape[1])])
    command = run("pull", path, "--learner", name, *words, "--json")
    assert (command.code, command.err) == (0, "")
    report = command.json
    assert (report["rounds"], report["arms"]) == shape
    assert (report["loss"]["sd"] is None) == (report["runs"] == 1)
    assert run("pull", path, "--learner", name, *words).code == 0


def test_constant_losses_have_no_regret(run, tmp_path):
    """Where all arms always cost the same there is nothing to regret, whichever are drawn."""
    for value in (0.0, 0.5, 1.0):
        report = run("pull", write(tmp_path / "t.csv", np.full((40, 3), value)), "--json").json
        assert report["regret"] == {"mean": 0, "q05": 0, "q50": 0, "q95": 0}
        assert report["loss"] == {"mean": 40 * value, "sd": 0}


def test_the_report_is_written(run, table, tmp_path):
    """One page, named on stderr; nothing is left beside it."""
    page = tmp_path / "page.html"
    command = run("pull", table, *FEW, "--report", page)
    assert (command.code, command.err) == (0, f"report: {page}\n")
    text = page.read_text()
    assert "Exp3IX on losses.csv" in text
    assert sorted(one.name for one in tmp_path.iterdir()) == ["losses.csv", "page.html"]


# What cannot be done.


@pytest.mark.parametrize(
    ("words", "outcome"),
    [
        (("--learner", "exp4"), "--learner exp4 draws as experts advise: give their --advice FILE"),
        (("--advice", "x.csv"), "--advice is for exp4: exp3-ix has no experts"),
        (("--set", "n_arms=3"), "--set n_arms=3: the file says how many arms there are"),
        (("--set", "seed=3"), "--set seed=3: use --seed"),
        (("--set", "speed=3"), "exp3-ix has no parameter 'speed'; it has rate=None, horizon=None"),
        (("--set", "rate=fast"), "--set rate=fast: a number or none is expected"),
        (("--set", "rate=-1"), "--set rate=-1.0; it must be a finite number > 0"),
        (("--set", "rate=1", "--set", "horizon=9"), "--set rate= and horizon= exclude each other"),
        (("--anytime", "--set", "rate=0.1"), "--anytime contradicts --set rate=0.1"),
        (("--anytime", "--set", "horizon=9"), "--anytime contradicts --set horizon=9"),
        (("--learner", "exp3-p", "--anytime"), "--learner exp3-p cannot be played with --anytime"),
        (("--learner", "exp3-s", "--anytime"), "--learner exp3-s cannot be played with --anytime"),
        (("--learner", "exp3-s", "--set", "switches=200"), "--set switches=200; it must be a whole number"),
        (("--learner", "tsallis-inf", "--set", "estimator=x"), "'importance', 'reduced'"),
        (("--learner", "exp5"), "invalid choice: 'exp5'"),
        (("--range", 1, 0), "--range 1 0: a number and a larger one are expected"),
        (("--range", 0, "nan"), "--range 0 nan: a number and a larger one are expected"),
        (("--seed", -1), "'-1' is not a whole number from 0 to 2^64 - 1"),
        (("--seed", 2**64), "is not a whole number from 0 to 2^64 - 1"),
        (("--runs", 0), "'0' is not a whole number above 0"),
        (("--delta", 1), "'1' is not a number between 0 and 1"),
        (("--arms", "north,north"), "--arms north,north: one of them is named twice"),
        (("--arms", ""), "--arms names no column"),
        (("--array", "x"), "--array x: it is for .npz archives"),
        (("--quiet", "--progress"), "--quiet and --progress contradict each other"),
        (("--reward", "x"), "--reward is about a log, and --logged FILE names none"),
        (("--report", "losses.csv"), "losses.csv would be overwritten"),
    ],
)
def test_nonsense_is_refused(run, table, monkeypatch, words, outcome):
    """What makes no sense is one line that says so, with exit code 2, and nothing is printed."""
    monkeypatch.chdir(table.parent)
    command = run("pull", table, *words)
    assert command.code == 2, command.err
    assert command.out == ""
    assert outcome in command.err
    assert command.err.count("\n") == 1


def test_a_file_is_needed(run):
    """Without a table or a log there is nothing to play."""
    command = run("pull")
    assert command.code == 2
    assert "a FILE of losses is missing, or --logged FILE" in command.err


@pytest.mark.parametrize(
    ("text", "words", "outcome"),
    [
        (
            "a,b\n0,1\n0.5,7200\n",
            (),
            ":3:5: arm 'b' has the loss 7200; losses from 0 to 1 are expected, but this table ",
        ),
        ("a,b\n0,1\n0.5,7200\n", (), "has 0 to 7200: declare with --range LO HI"),
        ("a,b\n0,1\n,\n", (), ":3:1: no arm has a value"),
        ("a,b\n0,x\n0,1\n", (), ":2:3: column 'b' holds 'x'; a number is expected"),
        ("a,b\n0,1\n0\n", (), ":3:1: 1 cell; 2 are expected"),
        ("a,a\n0,1\n", (), "several columns are called 'a'"),
        ("a,b\n", (), "no rows"),
        ("a,b\n0,1\n", ("--arms", "c"), "there is no column 'c'; the columns are 'a', 'b'"),
        ("a,b\n0,1\n", ("--missing", 1), "arm 'b' has no value in any row"),
    ],
)
def test_bad_tables_are_refused(run, tmp_path, text, words, outcome):
    """A table that cannot be played is one line that says where, with exit code 1; nothing is written."""
    path, page = tmp_path / "t.csv", tmp_path / "page.html"
    path.write_text(text)
    command = run("pull", path, *words, "--report", page, "--json")
    assert (command.code, json.loads(command.out)["code"]) == (1, 1)
    assert outcome in command.err
    assert command.err.startswith(f"regretless: {path}")
    assert command.err.count("\n") == 1
    assert not page.exists()


def test_experts_may_not_advise_an_arm_that_sleeps(run, tmp_path):
    """A table with gaps is played if nobody advises what sleeps, and else refused with the row and the arm."""
    path = write(tmp_path / "t.csv", np.array([[0, 1, 0.5], [0.5, np.nan, 1]]))
    advice = tmp_path / "advice.csv"
    advice.write_text("one,two\nsouth,north\neast,north\n")
    words = ("--learner", "exp4", "--advice", advice, *FEW)
    assert run("pull", path, *words).code == 0
    advice.write_text("one,two\nsouth,north\neast,south\n")
    command = run("pull", path, *words)
    assert command.code == 1
    assert "row 1" in command.err
    assert "south" in command.err


def test_the_regret_against_sequences_has_a_row_of_its_own(run, table):
    """Exp3.S is printed with its regret against one arm and against the best sequence, and no title is cut."""
    out = run("pull", table, "--learner", "exp3-s", "--set", "switches=3", *FEW).out
    arm = next(line for line in out.splitlines() if line.startswith("  regret against best arm "))
    sequence = next(
        line for line in out.splitlines() if line.startswith("  regret against best sequence with 3 switches ")
    )
    assert float(arm.split()[-2]) < float(sequence.split()[-2])
    assert "\n  regret   " in run("pull", table, *FEW).out
    assert "Pseudo-regret of Tsallis-INF as printed  " in run("pull", table, "--learner", "tsallis-inf", *FEW).out


def test_of_a_certificate_that_does_not_apply_no_runs_are_reported(run, table):
    """Certificates have the same keys in JSON whether they apply, and of one run or many."""
    certificates = run("pull", table, "--set", "rate=0.1", *FEW, "--json").json["certificates"]
    assert (
        [one["runs"] for one in certificates if not one["applies"]]
        == [None] * sum(not one["applies"] for one in certificates)
        != []
    )
    assert all(one["runs"]["of"] == 4 for one in certificates if one["applies"])
    single = run("pull", table, "--runs", 1, "--json").json
    assert {one["runs"] for one in single["certificates"]} == {None}
    assert len(single["observable"]["bound"]) == 1


def test_a_bound_in_expectation_is_not_tested_by_few_runs(run, tmp_path):
    """The table and the page say that two runs are too few, and the page tells nothing of what they exceed."""
    path, page = tmp_path / "o.csv", tmp_path / "page.html"
    path.write_text("a,b\n1,0\n")
    words = ("pull", path, "--learner", "hedge", "--seed", 1, "--report", page, "--runs")
    assert re.search(r"\n  Expected regret of Hedge .*  too few runs\n", run(*words, 2).out)
    text = page.read_text()
    assert "Every bound that could be tested held" in text
    assert "no run exceeded a bound that holds with a probability; 1 bound in expectation not tested" in text
    assert "no run exceeded any" not in text
    assert "Too few runs to test what is expected" in text
    assert text.count("vacuous: nothing can exceed it") == 2
    assert "55.2% used; vacuous, as nothing can exceed it" in text
    assert re.search(r"\n  Expected regret of Hedge .*  mean within\n", run(*words, 20).out)
    assert "Every bound held" in page.read_text()


def test_one_run_has_no_quantiles(run, table, tmp_path):
    """Of a single run one number is printed, and no median of it."""
    page = tmp_path / "page.html"
    out = run("pull", table, "--runs", 1, "--report", page).out
    assert re.search(r"\nin the run +at the end  exceeded in\n  regret +[-0-9.]+\n", out)
    assert "median" not in out
    assert "median" not in re.sub(r"(?s)<style>.*?</style>|<script.*?</script>", "", page.read_text()).lower()


def test_the_regret_against_a_sequence_is_not_called_that_against_one_arm(run, table, tmp_path):
    """What Exp3.S certifies has a name of its own, and its curve says that it is about one arm."""
    page = tmp_path / "page.html"
    words = ("--learner", "exp3-s", "--runs", 12, "--report", page)
    assert ": pseudo-regret against the sequence " in run("pull", table, *words).out
    assert "Pseudo-regret against a sequence, of one arm alone" in page.read_text()


def test_more_runs_than_can_be_stored_are_refused(run, table, monkeypatch):
    """A log is replayed so often and no more; where memory ends it is the runs that are too many."""
    log = ("--logged", table, "--action", "a", "--reward", "r", "--propensity", 0.5)
    command = run("pull", *log, "--runs", 100_001)
    assert (command.code, command.out) == (2, "")
    assert "--runs 100001: a log is replayed at most 100,000 times" in command.err

    def exhausted(*_, **__):
        raise MemoryError

    monkeypatch.setattr("regretless.bandits.simulation.simulate", exhausted)
    command = run("pull", table, "--runs", 10**15)
    assert command.code == 1
    assert "use fewer (--runs)" in command.err
    assert "features" not in command.err


def test_a_model_is_no_table(run, tmp_path):
    """A saved model is called one, with the verb that shows it."""
    Exp3IX(3).save(tmp_path / "m.rgl")
    command = run("pull", tmp_path / "m.rgl")
    assert command.code == 1
    assert f"{tmp_path}/m.rgl: this is a saved model; regretless inspect shows it" in command.err


def test_a_report_that_cannot_be_written_is_named(run, table):
    """Where the folder takes no files, the message has the report's own name, and the numbers are printed."""
    if not Path("/proc/self").is_dir():
        pytest.skip("no folder here that takes no files from anybody")
    command = run("pull", table, *FEW, "--report", "/proc/x.html")
    assert command.code == 1
    assert "/proc/x.html: there is no such file" in command.err
    assert ".tmp" not in command.err
    assert "pseudo-regret" in command.out


def test_bad_advice_names_the_cell(run, table, tmp_path):
    """The file, line and column of a recommendation that is none."""
    path = tmp_path / "advice.csv"
    path.write_text("one,two\n" + "north,south\n" * 9 + "south,west\n" + "north,south\n" * 190)
    command = run("pull", table, "--learner", "exp4", "--advice", path)
    assert command.code == 1
    assert f"{path}:11:7: expert 'two' recommends 'west'" in command.err


def test_a_column_that_counts_is_left_out_aloud(run, tmp_path):
    """A note on stderr says which column is no arm, unless it is to be quiet."""
    values = np.column_stack([np.arange(200), losses()])
    command = run("pull", write(tmp_path / "t.csv", values, ["round", *ARMS]), *FEW, "--json")
    assert command.json["arms"] == 3
    assert command.err == f"regretless: {tmp_path}/t.csv: 'round' is left out: it counts the rows (--arms takes it)\n"
    assert run("pull", tmp_path / "t.csv", *FEW, "--quiet").err == ""


def test_a_violated_bound_is_a_bug(run, table, monkeypatch):
    """If a bound that always holds does not, the exit code is 3, and everything is printed all the same."""
    from dataclasses import replace

    judged = Pulls.certificates

    def broken(pulls: Pulls) -> list[Any]:
        return [replace(one, bound=-1.0) if one.theorem.kind == "sure" else one for one in judged(pulls)]

    monkeypatch.setattr(Pulls, "certificates", broken)
    command = run("pull", table, "--learner", "hedge", *FEW, "--json")
    assert command.code == 3
    assert "hedge_mixed" in command.err
    assert command.json["runs"] == 4


# While it runs.


@pytest.fixture(scope="module")
def large(tmp_path_factory) -> Path:
    """A table that takes a while."""
    path = tmp_path_factory.mktemp("large") / "large.npy"
    np.save(path, np.random.default_rng(0).random((100_000, 10), dtype=np.float32))
    return path


def interrupted(process: subprocess.Popen[bytes], number: signal.Signals) -> tuple[int, str, str]:
    """Send a signal once some runs are over, and see how it ends."""
    count = b""
    while True:
        line = process.stderr.readline()
        count += line
        if not line or int(re.match(rb"([0-9,]+) of", line)[1].replace(b",", b"")) > 0:
            break
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    return process.returncode, out.decode(), (count + err).decode()


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_runs_that_were_over_are_reported(large, tmp_path, number, code):
    """A signal ends the runs; those that were over are printed and on the page, and the exit code tells the signal."""
    page = tmp_path / "page.html"
    process = start("pull", large, "--runs", 100_000, "--progress", "--report", page)
    result, out, err = interrupted(process, number)
    assert result == code, err
    runs = int(re.match(r"exp3-ix: ([0-9,]+) runs? of 100,000 rounds, 10 arms", out)[1].replace(",", ""))
    assert 0 < runs < 100_000
    assert err.splitlines()[-1] == f"regretless: interrupted; this is about {runs} of 100000 runs"
    assert "This was interrupted: 100,000 runs were wanted." in page.read_text()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_delivered_twice_is_one_wish(large, number):
    """What is pressed or sent twice within milliseconds ends the runs once, and those that were over are printed."""
    process = start("pull", large, "--runs", 100_000, "--progress")
    observed = process.stderr.readline()
    process.send_signal(number)
    time.sleep(0.005)
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    assert process.returncode == {signal.SIGINT: 130, signal.SIGTERM: 143}[number], err
    assert out or b"interrupted before the first run was over" in err, (observed, err)
    assert b"ImportError" not in err


def test_signals_stop_without_numpy():
    """What a signal needs is there before it comes, and costs no start."""
    program = "import sys, regretless.cli.signals; assert not {'numpy', 'regretless.run.linear'} & set(sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_progress_is_shown_where_it_is_wanted(large):
    """Runs and rounds with --progress; nothing at all on a stderr that is no terminal without it."""
    process = subprocess.run(
        [sys.executable, "-m", "regretless", "pull", large, "--runs", "30", "--progress"],
        capture_output=True,
        check=True,
    )
    lines = process.stderr.decode().splitlines()
    assert all(re.fullmatch(r"[0-9,]+ of 30 runs, [0-9,]+ rounds, [0-9,]+ a second", line) for line in lines)
    silent = subprocess.run(
        [sys.executable, "-m", "regretless", "pull", large, "--runs", "3"], capture_output=True, check=True
    )
    assert silent.stderr == b""


# Real data.


@pytest.mark.parametrize(
    ("name", "cutoff"),
    [
        ("asp_potassco", 600),
        ("bnsl_2016", 7200),
        ("maxsat15_pms_indu", 1801),
        ("mip_2016", 72000),
        ("sat11_hand", 5000),
    ],
)
def test_solvers_are_selected(run, data, name, cutoff):
    """Every bound holds on the runtimes of solvers, and the best solver is the one with the least sum."""
    path = data / "bandits" / f"aslib_{name}.npz"
    if not path.is_file():
        pytest.skip("no runtimes among the real data")
    with np.load(path) as arrays:
        cost, solvers = arrays["cost"], arrays["algorithm"]
    for learner in ("exp3-ix", "tsallis-inf", "hedge"):
        command = run("pull", path, "--range", 0, cutoff, "--learner", learner, "--runs", 20, "--json")
        report = command.json
        assert (command.code, report["rounds"], report["arms"]) == (0, *cost.shape)
        assert report["best_arm"] == solvers[cost.sum(axis=0).argmin()]
        assert report["best_arm_loss"] == pytest.approx(cost.sum(axis=0).min())
        for one in report["certificates"]:
            assert one["applies"]
            assert one["observed"] <= one["bound"]
    refused = run("pull", path)
    assert refused.code == 1
    assert re.search(rf"this table has [0-9.e-]+ to {cutoff}: declare with --range LO HI", refused.err)


def test_jokes_that_nobody_rated_are_asleep(run, data):
    """The table of ratings has a code for jokes that were not rated, and ratings are rewards."""
    path = data / "bandits" / "jester5k.npz"
    if not path.is_file():
        pytest.skip("no jokes among the real data")
    words = ("--rewards", "--range", -1000, 1000, "--missing", -32768)
    report = run("pull", path, *words, "--learner", "exp3-ix", "--runs", 5, "--json").json
    assert (report["rounds"], report["arms"]) == (5000, 100)
    assert report["reward"]["mean"] > 0
    assert all(one["observed"] <= one["bound"] for one in report["certificates"] if one["applies"])
    assert "--missing" in run("pull", path, "--rewards", "--range", -1000, 1000).err
