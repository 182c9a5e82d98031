"""``regretless verify`` of reports on logs: estimates, intervals and bets are computed again from the rows."""

from __future__ import annotations

import json
from functools import reduce
from operator import getitem
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from regretless.cli.verify import check_log

from ..command_line import CommandLine

LOG = ("--action", "arm", "--reward", "gain", "--propensity", "prob", "--runs", "2")


@pytest.fixture
def run(capsys, monkeypatch) -> CommandLine:
    """Runs command lines."""
    return CommandLine(capsys, monkeypatch)


@pytest.fixture
def log(tmp_path) -> Path:
    """A log of three arms in two places, a column that names one of them, and a table of a policy that knows a
    fourth."""
    generator = np.random.default_rng(0)
    arms, places, best = generator.choice(3, 100, p=[0.5, 0.3, 0.2]), generator.choice(2, 100), generator.choice(3, 100)
    gains = np.round(generator.random(100), 3)
    rows = [
        f"{'abc'[arm]},{[0.5, 0.3, 0.2][arm]},{gain},{'xy'[place]},{'abc'[good]},{float(arm == good)}\n"
        for arm, gain, place, good in zip(arms, gains, places, best, strict=True)
    ]
    (tmp_path / "table.csv").write_text("where,action,probability\nx,a,0.5\nx,d,0.5\ny,b,1\n")
    path = tmp_path / "log.csv"
    path.write_text("arm,prob,gain,where,best,chance\n" + "".join(rows))
    return path


def reported(run: CommandLine, log: Path, *words: object) -> Path:
    """The JSON of `evaluate`, in a file."""
    path = log.with_suffix(".json")
    path.write_text(run("evaluate", log, *LOG, *words, "--json", "--quiet").out)
    return path


@pytest.mark.parametrize(
    "words",
    [
        ("--policy", "action:best", "--least-propensity", "0.1"),
        ("--policy", "probability:chance", "--losses", "--range", "-1", "3"),
        ("--policy", "always:c", "--losses", "--least-propensity", "0.2", "--context", "where", "--delta", "0.3"),
        ("--policy", "TABLE", "--context", "where", "--seed", "7"),
        ("--policy", "uniform", "--policy", "log", "--policy", "always:a", "--least-propensity", "0.1"),
        ("--learner", "exp3-ix", "--losses"),
        (),
    ],
)
def test_an_honest_report_agrees(run, log, words):
    """Of every kind of policy, of several and of a learner, all certificates that apply agree with the log."""
    words = [str(log.with_name("table.csv")) if word == "TABLE" else word for word in words]
    command = run("verify", reported(run, log, *words), log, "--json")
    assert command.code == 0, command.err
    verdicts = {one["verdict"] for one in command.json["checks"]}
    assert (verdicts - {"idle"}, command.json["run"]["verdict"]) == ({"agrees"}, "agrees")


def test_pull_with_a_log_is_read_by_its_own_columns(run, log):
    """What `pull --logged` printed names the columns, and agrees."""
    path = log.with_suffix(".json")
    path.write_text(run("pull", "--logged", log, *LOG, "--json", "--quiet").out)
    assert run("verify", path, log).code == 0


@pytest.mark.parametrize(
    "path",
    [
        "logged/high",
        "estimates/ips/cautious/0",
        "estimates/snips/low",
        "estimates/dr/high",
        "estimates/replay/value",
        "estimates/anytime/high",
        "course/9/1",
        "draws/b",
        "effective_rounds",
        "certificates/0/constants/ledger/gains/4",
        "certificates/1/bound",
        "certificates/2/constants/ledger/sums/3",
        "confidence",
    ],
)
def test_a_changed_number_is_contradicted(run, log, path):
    """Whichever number of a report is changed in its fifth digit, verify names one that differs."""
    report = json.loads(reported(run, log, "--policy", "action:best", "--least-propensity", 0.1).read_text())
    *keys, last = [int(key) if key.isdigit() else key for key in path.split("/")]
    owner = reduce(getitem, keys, report)
    owner[last] = owner[last] * 1.0001
    arguments: Any = SimpleNamespace(report="r.json", file=str(log), format=None)
    assert "differs" in {one.verdict for one in check_log(arguments, report, {})}


def test_the_command_ends_with_three_on_a_false_interval(run, log):
    """A tampered report ends with code 3, and the message names the interval, the report and the log."""
    path = reported(run, log, "--policy", "always:a", "--policy", "uniform")
    report = json.loads(path.read_text())
    report["policies"][1]["estimates"]["anytime"]["low"] += 0.01
    report["anytime_confidence"] = 0.95
    path.write_text(json.dumps(report))
    command = run("verify", path, log)
    assert (command.code, "contradict each other (the run)" in command.err) == (3, True)
    assert "estimates/anytime/low of uniform is 0." in command.out
    assert "anytime_confidence is 0.95 in the report and 0.975 here" in command.out


def test_another_log_is_found(run, log):
    """A report agrees with no log of other rewards, and a shorter one is another by its rounds."""
    path, lines = reported(run, log, "--policy", "uniform"), log.read_text().splitlines(keepends=True)
    log.write_text("".join([*lines[:-1], lines[-1].replace(",0.", ",0.9")]))
    assert run("verify", path, log).code == 3
    log.write_text("".join(lines[:-1]))
    command = run("verify", path, log)
    assert (command.code, "rounds is 100 in the report and 99 here" in command.out) == (3, True)


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"log": None}, "log is null; an object was expected"),
        ({"policy": "always:z"}, "the log took no action 'z', but a, b, c"),
        ({"policy": "action:nowhere"}, "there is no column 'nowhere'"),
        ({"estimates": 3}, "estimates is 3; an object of objects was expected"),
        ({"policies": []}, "it has no certificates"),
        ({"confidence": 2.0}, "confidence is 2.0; a number between 0 and 1 was expected"),
    ],
)
def test_a_report_that_says_no_log_is_refused(run, log, change, expected):
    """What a report lacks, or its log has not, is named, without a traceback."""
    path = reported(run, log, "--policy", "always:a")
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    command = run("verify", path, log)
    assert (command.code in (1, 3), expected in (command.err + command.out).replace("\n", " ")) == (True, True), (
        command.err
    )
    assert "Traceback" not in command.err
