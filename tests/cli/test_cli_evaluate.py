"""``regretless evaluate``: policies by every way to name them, on one log."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from ..command_line import CommandLine

LOG = ("--action", "arm", "--reward", "gain", "--propensity", "prob")


@pytest.fixture
def run(capsys, monkeypatch) -> CommandLine:
    """Runs command lines."""
    return CommandLine(capsys, monkeypatch)


@pytest.fixture
def log(tmp_path) -> Path:
    """A log of three arms, in which the feature x says which of two is better, and `best` names it."""
    generator = np.random.default_rng(0)
    x = np.round(generator.normal(size=3000), 3)
    arms = generator.choice(3, 3000, p=[0.5, 0.3, 0.2])
    best = np.where(x > 0, 1, 2)
    gains = generator.random(3000) < np.where(arms == best, 0.9, 0.2)
    rows = [
        f"{number},{'abc'[arm]},{[0.5, 0.3, 0.2][arm]},{int(gain)},{'abc'[good]},{float(arm == good)}"
        for number, arm, gain, good in zip(x.tolist(), arms, gains, best, strict=True)
    ]
    path = tmp_path / "log.csv"
    path.write_text("x,arm,prob,gain,best,chance\n" + "\n".join(rows) + "\n")
    return path


def test_a_policy_that_is_better_is_reported_so(run, log):
    """The column that names the better arm earns more than the log's policy and than each arm alone, at any time."""
    command = run("evaluate", log, *LOG, "--policy", "action:best", "--quiet")
    assert command.code == 0
    assert "best earns more than the policy of the log, by 0." in command.out
    assert "best earns more than always the same action (that is nearest: " in command.out
    assert "(with probability 95%, at any time)" in command.out


def test_the_probability_of_what_was_taken_is_enough(run, log):
    """A column of the probabilities of the logged arms gives the weights of the policy that names its arms, and no
    doubly robust estimate."""
    named, stated = (
        run("evaluate", log, *LOG, "--policy", policy, "--json").json["estimates"]
        for policy in ("action:best", "probability:chance")
    )
    assert "dr" not in stated
    assert stated["ips"] == named["ips"]


def test_several_policies_hold_together(run, log):
    """Of three policies each interval has a third of delta, and the output says so."""
    words = ("evaluate", log, *LOG, "--policy", "uniform", "--policy", "always:b", "--policy", "log", "--quiet")
    report, command = run(*words, "--json").json, run(*words)
    assert [one["policy"] for one in report["policies"]] == ["uniform", "always:b", "log"]
    assert report["anytime_confidence"] == pytest.approx(1 - 0.05 / 3)
    assert {line["confidence"] for one in report["policies"] for line in one["certificates"]} == {1 - 0.05 / 3}
    assert "each of the 3 intervals holds with probability 98.3333%" in command.out


def test_a_page_shows_several_policies(run, log, tmp_path):
    """The page on two policies has a panel with the interval of each over time, and says how delta is divided."""
    page = tmp_path / "p.html"
    command = run("evaluate", log, *LOG, "--policy", "uniform", "--policy", "always:b", "--report", page, "--quiet")
    text = page.read_text()
    assert (command.code, text.count('<figure data-panel="mean"')) == (0, 1)
    assert {'class="band expert0"', 'class="band expert1"'} <= set(re.findall(r'class="band expert\d"', text))
    assert "δ/K = 0.05/2" in text
    assert "probability 97.5%" in text


def test_without_a_policy_the_log_is_asked_about_itself(run, log):
    """The estimates of the log's own policy are the mean of the log."""
    report = run("evaluate", log, *LOG, "--json", "--quiet").json
    assert report["policy"] == "log"
    assert report["estimates"]["ips"]["value"] == pytest.approx(report["logged"]["value"])


def test_pull_with_a_log_is_the_same(run, log):
    """`pull --logged` prints what `evaluate --learner` does."""
    words = (*LOG, "--runs", 2, "--quiet")
    old, new = run("pull", "--logged", log, *words), run("evaluate", log, *words, "--learner", "exp3-ix")
    assert old.out == new.out


def test_a_model_is_a_policy_on_rows_that_it_has_not_learned(run, log, tmp_path):
    """A model of the better arm is better than the log's policy on other rows, says what is assumed of it, and is
    refused on its own."""
    lines = log.read_text().splitlines(keepends=True)
    for name, rows in {"old.csv": lines[:1001], "new.csv": [lines[0], *lines[1001:]]}.items():
        (tmp_path / name).write_text("".join(rows))
    model = tmp_path / "m.rgl"
    reading = ("--ignore", "arm", "--ignore", "prob", "--ignore", "gain", "--ignore", "chance")
    assert run("learn", tmp_path / "old.csv", "--target", "best", *reading, "--save", model, "--quiet").code == 0
    good = run("evaluate", tmp_path / "new.csv", *LOG, "--policy", f"model:{model}", "--quiet")
    assert "m.rgl earns more than the policy of the log" in good.out
    assert "assuming that the model has not learned from these rounds" in good.out
    again = run("evaluate", tmp_path / "old.csv", *LOG, "--policy", f"model:{model}", "--quiet")
    assert again.code == 1
    assert "has learned from these very rounds, as it seems" in again.err


def test_one_propensity_of_all_rounds_bounds_none_that_was_not_drawn(run, tmp_path):
    """Of three actions that take turns in pairs, each drawn with 0.5, one that leaves after half of the rounds may have
    earned nothing since: its interval goes down to that half, unless --least-propensity says what is false here, and
    then certificates say that they assume it."""
    path = tmp_path / "log.csv"
    path.write_text("arm,gain\n" + "a,1\nb,1\n" * 300 + "b,1\nc,1\n" * 300)
    words = ("evaluate", path, "--action", "arm", "--reward", "gain", "--propensity", "0.5", "--policy", "always:a")
    plain = run(*words, "--json", "--quiet").json
    assert plain["estimates"]["anytime"]["low"] < 0.5
    assert plain["estimates"]["ips"]["assuming"] is not None
    declared = run(*words, "--least-propensity", "0.5", "--json", "--quiet").json
    assert declared["estimates"]["anytime"]["low"] > 0.9
    chosen = "that it was not chosen by these rounds"
    assert {one["assuming"] for one in plain["certificates"]} == {chosen}
    expected = f"{chosen}, and that no action had a propensity below 0.5 in any round, as was declared"
    assert {one["assuming"] for one in declared["certificates"]} == {expected}


@pytest.mark.parametrize(
    ("words", "code", "expected"),
    [
        (("--policy", "always:d"), 2, "the log took no action 'd', but a, b, c"),
        (("--policy", "action:gain"), 1, "log.csv:2:13: column 'gain' names"),
        (("--policy", "probability:x"), 1, "a probability from 0 to 1 is expected"),
        (("--policy", "probability:nowhere"), 1, "there is no column 'nowhere'"),
        (("--policy", "nowhere.csv"), 1, "nowhere.csv: there is no such file"),
        (("--policy", "uniform", "--policy", "uniform"), 2, "the same one is there twice"),
        (("--policy", "uniform", "--learner", "exp3"), 2, "--policy and --learner exclude each other"),
        (("--set", "rate=1"), 2, "--set is for a learner"),
        (("--learner", "hedge"), 2, "--learner hedge needs the rewards of all actions"),
        (("--propensity", "2"), 2, "--propensity 2: a propensity is the probability"),
        (("--range", "0", "0.5"), 1, "column 'gain' holds 1; it must lie in [0, 0.5]"),
    ],
)
def test_what_makes_no_sense_is_refused(run, log, words, code, expected):
    """Every error names what is wrong in one line, a cell by its line and column."""
    command = run("evaluate", log, *LOG, *words)
    assert (command.code, expected in command.err.replace("\n", " ")) == (code, True), command.err
    assert "Traceback" not in command.err


@pytest.mark.parametrize("prob", ["0", "1.5", "-0.1", "nan", ""])
def test_a_propensity_that_is_none_is_named_with_its_line(run, tmp_path, prob):
    """0, above 1, below 0, nan and nothing are no propensities."""
    path = tmp_path / "log.csv"
    path.write_text(f"arm,prob,gain\na,0.5,1\nb,{prob},1\n")
    command = run("evaluate", path, *LOG)
    assert command.code == 1
    assert "log.csv:3:3: column 'prob' " in command.err


def test_standard_input_is_read_once(run, log):
    """A policy in a column of a log that comes through a pipe is refused, as it would be read twice."""
    command = run("evaluate", "-", *LOG, "--policy", "action:best", stdin=log.read_bytes())
    assert command.code == 2
    assert "standard input can be read once only" in command.err


def test_named_actions_are_all_that_there_are(run, log, tmp_path):
    """An action that no row took is one of the uniform policy's, and of `verify`'s; a row with another is refused."""
    named = ("evaluate", log, *LOG, "--policy", "uniform")
    command = run(*named, "--actions", "a,b,c,d", "--json")
    assert command.json["arms"] == 4
    assert any(
        "with probability 0.25 the policy takes an action that the log never took" in one
        for one in command.json["notes"]
    )
    (tmp_path / "r.json").write_text(command.out)
    assert run("verify", tmp_path / "r.json", log).code == 0
    log.write_text(log.read_text() + "0.5,d,0.2,1,b,0.0\n")
    refused = run(*named, "--actions", "a,b,c")
    assert (refused.code, "log.csv:3002:5: the action 'd' is not known" in refused.err) == (1, True)
    assert "note: of 3,001 rounds one took 'd': is it an action?" in run(*named).out


def test_each_line_says_of_which_policy_it_is(run, log):
    """Of several policies each line on a value names its own."""
    output = run("evaluate", log, *LOG, "--policy", "uniform", "--policy", "always:b").out
    assert re.findall(r"^Policy value: .*, of (uniform|always b)\b", output, re.M) == ["uniform", "always b"]
