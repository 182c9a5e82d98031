"""``regretless play``: any learner against any environment."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from dataclasses import replace
from inspect import signature
from types import SimpleNamespace

import numpy as np
import pytest

import regretless
from regretless import report
from regretless.catalogue import bandit_class, expert_class, learner_class
from regretless.cli.output import Console
from regretless.cli.parameters import ELSEWHERE_IN_PLAY, FIXING
from regretless.environments import LabelFlipping, RandomTarget, Separable, ShatteredTree
from regretless.environments.lower_bounds import LowerBound
from regretless.environments.registry import ENVIRONMENTS, entry_of
from regretless.finite_classes import FiniteClass, Halving
from regretless.linear import Perceptron
from regretless.play import play
from regretless.play.compatibility import GIVES, TABLES, WORST, fits
from regretless.play.player import CurvePoint
from regretless.play.result import CheckedLowerBound
from regretless.report import PlayReport, play_page

from ..command_line import CommandLine
from ..docs.documents import page

KEYS = [
    "schema",
    "learner",
    "kind",
    "parameters",
    "environment",
    "settings",
    "class",
    "rounds",
    "runs",
    "seed",
    "counted",
    "total",
    "best",
    "regret",
    "observed",
    "curve",
    "trace",
    "lower_bounds",
    "certificates",
    "joint_confidence",
    "interrupted",
    "seconds",
    "model",
]
PREFIXES = {
    "class": "classes",
    "linear": "linear",
    "regression": "regression",
    "experts": "experts",
    "bandits": "bandits",
    "contextual": "contextual",
}
NAMED = ("--named", "thresholds:9")


@pytest.fixture
def run(capsys, monkeypatch) -> CommandLine:
    return CommandLine(capsys, monkeypatch)


@pytest.mark.parametrize("environment", [*ENVIRONMENTS, WORST])
def test_every_learner_plays_an_environment_or_is_refused_with_those_it_can_play(run, environment, tmp_path):
    """Each pair that makes sense is played, kept within its theorems and made to pay what is promised; others are 2."""
    more = NAMED if environment == WORST or entry_of(environment).needs_class else ()
    if environment == "written":
        (tmp_path / "rounds.csv").write_text("point,label\n" + "4,1\n6,1\n3,0\n" * 8)
        more += ("--with", f"file={tmp_path / 'rounds.csv'}")
    if environment != WORST:
        more += ("--rounds", 12)
    for kind, names in TABLES.items():
        for name in names:
            learner = f"{PREFIXES[kind]}.{name}"
            answer = run("play", "--learner", learner, "--environment", environment, *more, "--json")
            if not fits(kind, name, environment):
                assert answer.code == 2, learner
                assert f"{learner} cannot play against {environment}" in answer.err
                assert kind in ("regression", "contextual") or "it can play against" in answer.err
                continue
            assert (answer.code, answer.err) == (0, ""), (learner, answer.err)
            output = answer.json
            assert list(output) == KEYS
            assert (output["learner"], output["kind"]) == (name, kind)
            assert output["rounds"] == 12 or environment == WORST
            assert output["certificates"]
            assert all(promise["holds"] for promise in output["lower_bounds"])
            assert not any(sure_and_broken(one) for one in output["certificates"])


def sure_and_broken(certificate) -> bool:
    observed, bound = certificate["observed"], certificate["bound"]
    known = certificate["kind"] == "sure" and observed is not None and bound is not None
    return known and observed > bound + 1e-9 * max(1.0, abs(bound), abs(observed))


def test_play_is_meet(run):
    """What the command line prints is what Python gives."""
    answer = run(
        "play", "--learner", "perceptron", "--environment", "separable", "--with", "noise=0.1", "--with", "columns=4",
        "--rounds", 300, "--runs", 3, "--seed", 7, "--json",
    )  # fmt: skip
    game = play(Perceptron(), Separable(columns=4, noise=0.1, seed=7), 300, runs=3)
    output = answer.json
    assert output["schema"] == "regretless.play/1"
    assert output["total"] == {"mean": game.count, "sd": float(np.std(game.totals, ddof=1))}
    assert output["settings"] == {"columns": 4, "margin": 0.1, "noise": 0.1}
    described = [one.describe() | {"runs": one.runs or None} for one in game.certificates]
    assert output["certificates"] == json.loads(json.dumps(described))
    assert [point["mistakes"] for point in output["curve"]] == [point.count for point in game.curve]
    assert output["observed"]["updates"]["mean"] == game.quantities["updates"].mean()
    assert (output["seed"], output["runs"], output["interrupted"], output["model"]) == (7, 3, False, None)


def test_play_tells_people_what_was_forced_and_what_was_allowed(run):
    """Settings, a table at doubling rounds, promises and certificates stand on stdout, and nothing on stderr."""
    answer = run(
        "play", "--learner", "halving", "--set", "tie=0", "--environment", "shattered-tree", *NAMED, "--rounds", 20
    )
    assert (answer.code, answer.err) == (0, "")
    lines = answer.out.splitlines()
    assert lines[0] == "halving against shattered-tree: 1 run of 20 rounds, seed 0"
    assert "  class          10 hypotheses on 9 points" in lines
    assert "  tie            0" in lines
    heads = next(place for place, line in enumerate(lines) if line.split()[:2] == ["rounds", "mistakes"])
    assert lines[heads].split() == ["rounds", "mistakes", "since", "last", "best", "regret", "alive"]
    rows = [line.split() for line in lines[heads + 1 : heads + 7]]
    assert [row[0] for row in rows] == ["1", "2", "4", "8", "16", "20"]
    assert rows[-1][1] == rows[2][1] == "3"
    forced, allowed = lines.index("forced at least"), lines.index("allowed at most")
    assert lines[forced + 1].startswith("  Shattered tree: mistakes 3 >= 3")
    assert allowed == forced + 2
    assert all(" <= " in line for line in lines[allowed + 1 :])
    assert len(lines) > allowed + 2


def test_the_examples_of_the_document_are_what_is_printed(run):
    """The lines that docs/command-line.md shows are those of the command above them."""
    examples = page("command-line").split("$ regretless play")[1:]
    assert len(examples) == 2
    for example in examples:
        shown = example.partition("\n```")[0].splitlines()
        answer = run("play", *shown[0].split())
        assert answer.out.splitlines() == shown[1:]


def test_a_class_from_a_file_is_the_class_of_its_rows(run, tmp_path):
    """A table of 0 and 1 is read with its names, and points are called as in Python."""
    path = tmp_path / "class.csv"
    path.write_text("name,a,b,c\nnone,0,0,0\nfirst,1,0,0\ntwo,1,1,0\nall,1,1,1\n")
    answer = run(
        "play", "--learner", "halving", "--environment", "random-target", "--class", path, "--rounds", 9, "--json"
    )
    finite_class = FiniteClass.read(path)
    game = play(Halving(finite_class), RandomTarget(finite_class), 9)
    assert answer.json["class"] == {"hypotheses": 4, "points": 3}
    assert answer.json["total"]["mean"] == game.count
    shown = run("play", "--learner", "hedge", "--environment", "random-target", "--class", path, "--rounds", 9).out
    assert f"best expert {finite_class.hypothesis_name(RandomTarget(finite_class).target_of())}" in shown


def test_the_worst_case_of_a_learner_can_be_played(run):
    """Rounds that cost a learner most are found and played, and it errs as often as `worst_case` says."""
    for learner, least in (("consistent", 9), ("halving", 3), ("standard-optimal", 3)):
        output = run("play", "--learner", learner, "--environment", "worst-case", *NAMED, "--json").json
        assert output["total"]["mean"] == output["lower_bounds"][0]["least"] == least
        assert output["lower_bounds"][0]["source"] == "exact dynamic programming"
        assert output["best"] == 0
    aimed = ("play", "--learner", "consistent", "--environment", "worst-case", *NAMED, "--with", "target=4", "--json")
    assert run(*aimed).json["lower_bounds"][0]["least"] == 4
    part = run("play", "--learner", "consistent", "--environment", "worst-case", *NAMED, "--rounds", 2, "--json").json
    assert (part["rounds"], part["lower_bounds"]) == (2, [])
    lonely = run("play", "--learner", "halving", "--environment", "worst-case", "--named", "singletons:1")
    assert (lonely.code, "no labels of a hypothesis force a mistake" in lonely.err) == (1, True)


def test_games_that_end_need_no_rounds(run):
    """Where the game has an end of its own, that is how long it is played."""
    for environment, more, rounds in (
        ("shattered-tree", NAMED, 9),
        ("randomized-tree", NAMED, 9),
        ("orthonormal", ("--with", "columns=7"), 7),
        ("dyadic", (), 52),
    ):
        output = run("play", "--learner", "perceptron", "--environment", environment, *more, "--json").json
        assert output["rounds"] == rounds, environment
        assert all(promise["holds"] for promise in output["lower_bounds"])
    output = run("play", "--learner", "perceptron", "--environment", "exponential", "--json").json
    assert output["observed"]["updates"]["mean"] == output["lower_bounds"][0]["least"] == (4**5 - 1) / 3


def test_settings_are_what_environment_was_made_with(run, tmp_path):
    """Numbers are numbers, and what was not set has its default."""
    play = ("play", "--learner", "exp3", "--rounds", 20, "--json")
    assert run(*play, "--environment", "bernoulli").json["settings"] == {"means": [0.4, 0.6], "rewards": False}
    settings = run(*play, "--environment", "random-target", *NAMED, "--with", "target=3").json["settings"]
    assert settings == {"noise": 0.0, "target": 3}
    settings = run(*play, "--environment", "switching", "--with", "means=0.1,0.9;0.9,0.1").json["settings"]
    assert settings["means"] == [[0.1, 0.9], [0.9, 0.1]]
    (tmp_path / "a,1.csv").write_text("4,1\n")
    file = str(tmp_path / "a,1.csv")
    settings = run(
        "play", "--learner", "halving", "--environment", "written", *NAMED, "--with", f"file={file}", "--json"
    ).json
    assert (settings["settings"], settings["rounds"]) == ({"file": file}, 1)
    worst = ("play", "--learner", "halving", "--environment", "worst-case", *NAMED, "--json")
    assert run(*worst).json["settings"] == {"limit": None, "target": None}


def test_a_trace_tells_every_round(run):
    """For people the first fifty rounds and a word that there are more, for programs up to ten thousand."""
    play = ("play", "--learner", "halving", "--environment", "shattered-tree", *NAMED, "--trace")
    lines = run(*play, "--rounds", 60).out.splitlines()
    head = next(place for place, line in enumerate(lines) if line.split()[:1] == ["round"])
    assert lines[head].split() == ["round", "point", "predicted", "label", "alive"]
    assert lines[head + 1].split() == ["1", "3", "0", "1", "wrong", "4"]
    assert lines[head + 50].split()[0] == "50"
    assert lines[head + 51] == "(the first 50 of 60 rounds; --trace N shows N, and --json 10,000)"
    assert not any("the first" in line for line in run(*play, "--rounds", 50).out.splitlines())
    output = run(*play, "--rounds", 60, "--json").json
    assert len(output["trace"]) == 60
    assert output["trace"][0] == {
        "round": 1, "point": "3", "row": None, "prediction": 0, "probability": None, "label": 1, "wrong": True,
        "alive": 4, "score": None, "weights": None,
    }  # fmt: skip
    assert sum(step["wrong"] for step in output["trace"]) == output["total"]["mean"]
    assert len(run(*play, "7", "--rounds", 60, "--json").json["trace"]) == 7
    assert "(the first 55 of 60 rounds;" in run(*play, "55", "--rounds", 60).out
    long = run(
        "play", "--learner", "perceptron", "--environment", "orthonormal", "--rounds", 10_001, "--trace", "--json"
    )
    assert len(long.json["trace"]) == 10_000
    assert run(*play[:-1], "--rounds", 4, "--json").json["trace"] is None


def test_a_trace_of_arms_tells_draws(run):
    """Who draws arms has them in its trace by name, with their probabilities and what they lost."""
    play = ("play", "--learner", "exp3", "--environment", "bernoulli", "--rounds", 30, "--trace")
    output = run(*play, "--json").json
    assert list(output["trace"][0]) == ["round", "arm", "probability", "loss", "estimates", "next"]
    assert output["trace"][0]["probability"] == 0.5
    assert sum(step["loss"] for step in output["trace"]) == output["total"]["mean"]
    assert "probability         loss" in run(*play).out


def test_an_order_is_set_by_names_or_numbers(run, tmp_path):
    """A consistent learner takes the order of its hypotheses from the command line."""
    path = tmp_path / "class.csv"
    path.write_text("name,a,b\nnone,0,0\nfirst,1,0\nboth,1,1\n")
    play = (
        "play",
        "--learner",
        "consistent",
        "--environment",
        "shattered-tree",
        "--class",
        path,
        "--rounds",
        4,
        "--json",
    )
    names, numbers = (run(*play, "--set", f"order={one}").json for one in ("both,first,none", "2, 1, 0"))
    assert names["curve"] == numbers["curve"]
    assert "must name each of the 3 hypotheses once" in run(*play, "--set", "order=0,1").err
    assert run(*play, "--set", "order=0,1,2", "--set", "order=2,1,0").code == 2
    halving = run("play", "--learner", "halving", "--environment", "shattered-tree", *NAMED, "--set", "order=1")
    assert (halving.code, "halving has no order" in halving.err) == (2, True)


def test_learners_get_the_number_of_rounds_as_their_horizon(run):
    """A rate that can be tuned is tuned for the rounds, unless the user wants it anytime, or sets it."""
    play = ("play", "--environment", "label-flipping", "--rounds", 50, "--json")
    assert run(*play, "--learner", "hedge").json["parameters"]["horizon"] == 50
    assert run(*play, "--learner", "hedge", "--anytime").json["parameters"]["horizon"] is None
    assert run(*play, "--learner", "hedge", "--set", "eta=0.5").json["parameters"]["horizon"] is None
    assert run(*play, "--learner", "exp3").json["parameters"]["horizon"] == 50
    assert run(*play, "--learner", "exp3", "--anytime").json["parameters"]["horizon"] is None
    assert run(*play, "--learner", "exp3-s", "--set", "switches=2").json["parameters"]["switches"] == 2
    assert run(*play, "--learner", "fixed-share", "--set", "switches=2").json["parameters"]["horizon"] == 50
    for name in ("randomized-weighted-majority", "exp3-p"):
        refused = run(*play, "--learner", name, "--anytime")
        assert (refused.code, "--anytime" in refused.err) == (2, True), name


def test_votes_cost_their_distance_from_the_label(run):
    """Combiners of votes have the absolute loss unless another is set; that of arms gets them."""
    votes = ("play", "--environment", "fair-coins", "--rounds", 20, "--json")
    assert run(*votes, "--learner", "ewa").json["parameters"]["loss"] == "absolute"
    assert run(*votes, "--learner", "ewa", "--set", "loss=square").json["parameters"]["loss"] == "square"
    assert run(*votes, "--learner", "ridge").json["parameters"]["loss"] == "square"
    assert run(*votes, "--learner", "weighted-majority").json["parameters"]["loss"] == "zero-one"
    arms = ("play", "--environment", "bernoulli", "--rounds", 20, "--json")
    assert run(*arms, "--learner", "ewa").json["parameters"]["loss"] is None
    assert "votes are right or wrong" in run(*votes, "--learner", "ewa", "--set", "loss=wealth").err
    assert "tells what the arms lose" in run(*arms, "--learner", "ewa", "--set", "loss=square").err


def test_runs_are_averaged(run):
    """Of several runs the table and the JSON give means, and certificates of how many runs they speak."""
    play = ("play", "--learner", "weighted-majority", "--environment", "fair-coins", "--rounds", 64, "--runs", 20)
    output, text = run(*play, "--json").json, run(*play).out
    assert output["runs"] == 20
    assert output["total"]["sd"] > 0
    assert output["curve"][-1]["loss"] == pytest.approx(output["total"]["mean"])
    assert "of 20 runs exceeded it" in text
    assert "as means over the runs; standard deviation at the end" in text
    assert "20 runs of 64 rounds" in text


@pytest.mark.parametrize(
    ("learner", "environment"),
    [
        ("halving", "shattered-tree"),
        ("standard-optimal", "shattered-tree"),
        ("randomized-optimal", "shattered-tree"),
        ("perceptron", "dyadic"),
        ("kernel-perceptron", "label-flipping"),
        ("hedge", "label-flipping"),
        ("exp3-ix", "random-target"),
        ("bandits.hedge", "most-drawn-loses"),
        ("exp4", "fair-coins"),
    ],
)
def test_a_learner_that_is_saved_has_played_the_run(run, tmp_path, learner, environment):
    """The model that is written knows as many rounds as there were, and `inspect` shows it."""
    path = tmp_path / "model.rgl"
    more = NAMED if entry_of(environment).needs_class else ()
    answer = run(
        "play", "--learner", learner, "--environment", environment, "--rounds", 40, *more, "--save", path, "--json"
    )
    assert (answer.code, answer.err) == (0, "")
    assert answer.json["model"] == str(path)
    model = regretless.load(path)
    assert model.ledger_.rounds == 40
    count = model.ledger_.mistakes if answer.json["counted"] == "mistakes" else model.ledger_.loss
    assert count == pytest.approx(answer.json["total"]["mean"])
    assert run("inspect", path).code == 0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ["--learner", "nobody", "--environment", "dyadic"],
            "--learner: there is no learner called 'nobody'; there are: con",
        ),
        (
            ["--learner", "hedge", "--environment", "nobody"],
            "--environment: there is no environment called 'nobody'; there are: shat",
        ),
        (
            ["--learner", "halving", "--environment", "dyadic"],
            "it learns the points of a finite class; it can play against",
        ),
        (
            ["--learner", "perceptron", "--environment", "reversal"],
            "it learns rows and their labels; it can play against",
        ),
        (["--learner", "ridge", "--environment", "bernoulli"], "it combines votes; it can play"),
        (["--learner", "exp3", "--environment", "separable"], "it draws arms, or follows votes; it can play"),
        (
            ["--learner", "ewa", "--environment", "most-drawn-loses"],
            "this environment watches the draws; it can play against",
        ),
        (["--learner", "halving", "--environment", "shattered-tree"], "give --class FILE or --named FAMILY"),
        (
            ["--learner", "halving", "--environment", "worst-case", "--named", "all:2", "--with", "target=nobody"],
            "--with target=nobody: there is no hypothesis called 'nobody'",
        ),
        (["--learner", "ewa", "--environment", "label-flipping"], "--rounds is missing"),
        (["--learner", "ewa", "--environment", "reversal"], "--rounds is missing"),
        (["--learner", "perceptron", "--environment", "dyadic", "--rounds", "99"], "--rounds 99"),
        (["--learner", "perceptron", "--environment", "dyadic", "--rounds", "0"], "is not a whole number above 0"),
        (["--learner", "perceptron", "--environment", "dyadic", "--with", "depth=9"], "--with depth=9: dyadic has no"),
        (
            ["--learner", "perceptron", "--environment", "separable", "--with", "noise=much"],
            "--with noise=much: a number",
        ),
        (
            ["--learner", "perceptron", "--environment", "separable", "--with", "noise=0.7"],
            "--with noise=0.7: it must be",
        ),
        (["--learner", "perceptron", "--environment", "separable", "--with", "noise"], "give a value, as in noise="),
        (["--learner", "perceptron", "--environment", "separable", "--with", "seed=1"], "seed is set by --seed"),
        (["--learner", "winnow", "--environment", "sparse-target", "--set", "rate=0"], "--set rate=0.0: it must be"),
        (["--learner", "winnow", "--environment", "sparse-target", "--set", "passes=2"], "the rounds are played once"),
        (
            ["--learner", "winnow", "--environment", "sparse-target", "--anytime"],
            "--anytime is for learners whose rates",
        ),
        (
            ["--learner", "hedge", "--environment", "fair-coins", "--set", "n_experts=3"],
            "environment says how many there are",
        ),
        (["--learner", "exp3", "--environment", "fair-coins", "--set", "seed=3"], "use --seed"),
        (["--learner", "exp3", "--environment", "fair-coins", "--seed", "-1"], "is not a whole number from 0"),
        (["--learner", "ewa", "--environment", "fair-coins", "--set", "eta=-1"], "--set eta=-1.0: it must be"),
        (
            ["--learner", "ewa", "--environment", "fair-coins", "--named", "all:3"],
            "made of no class that one could choose",
        ),
        (["--learner", "ewa", "--environment", "fair-coins", "--quiet", "--progress"], "contradict each other"),
        (["--learner", "ewa", "--environment", "random-target", "--named", "all:3", "--class", "x"], "are two classes"),
        (["--learner", "ewa", "--environment", "random-target", "--named", "nobody:3"], "--named nobody:3: "),
        (
            ["--learner", "ewa", "--environment", "fair-coins", "--runs", "2", "--save", "x.rgl"],
            "--save keeps one learner",
        ),
        (["--environment", "dyadic"], "--learner"),
        (
            ["--learner", "randomized-optimal", "--environment", "worst-case"],
            "it draws its labels; it can play against",
        ),
        (
            ["--learner", "ewa", "--environment", "worst-case"],
            "this is about learners of finite classes; it can play against",
        ),
        (["--learner", "halving", "--environment", "worst-case"], "give --class FILE or --named FAMILY"),
        (["--learner", "halving", "--environment", "worst-case", *NAMED, "--with", "deep=1"], "worst-case has no such"),
        (
            ["--learner", "halving", "--environment", "worst-case", *NAMED, "--with", "limit=soon"],
            "a number of seconds",
        ),
        (["--learner", "halving", "--environment", "worst-case", *NAMED, "--with", "limit=-1"], "--with limit=-1"),
        (
            ["--learner", "halving", "--environment", "worst-case", *NAMED],
            "worst-case has 3; leave --rounds out to",
        ),
        (["--learner", "halvign", "--environment", "dyadic"], "'halvign'; did you mean halving? there are: con"),
        (["--learner", "ewa", "--environment", "Fair_Coins"], "'Fair_Coins'; did you mean fair-coins? there are: shat"),
        (
            ["--learner", "ewa", "--environment", "random-target", *NAMED, "--with", "target=zzz"],
            "--with target=zzz: there",
        ),
        (
            ["--learner", "perceptron", "--environment", "separable", "--with", "margin=2"],
            "--with margin=2.0: it must lie",
        ),
    ],
)
def test_what_cannot_be_meant_is_refused(run, words, message):
    """It is usage, said in one line with the option that it is about, and nothing is printed."""
    rounds = [] if "missing" in message or "--rounds" in words else ["--rounds", "20"]
    answer = run("play", *words, *rounds)
    assert (answer.code, answer.out) == (2, "")
    assert message in answer.err
    assert answer.err.count("\n") == 1


@pytest.mark.parametrize(
    ("learner", "setting"),
    [("exp3", "rate=-1"), ("ewa", "eta=-1"), ("perceptron", "rate=0"), ("halving", "prune=never"), ("exp3", "rate=x")],
)
def test_settings_are_checked_before_rounds_are_demanded(run, learner, setting):
    """A parameter without a meaning is refused first, and not that something else is missing."""
    environment = ("random-target", *NAMED) if learner == "halving" else ("fair-coins",)
    answer = run("play", "--learner", learner, "--environment", *environment, "--set", setting)
    assert answer.code == 2
    assert f"--set {setting.partition('=')[0]}=" in answer.err
    assert "--rounds" not in answer.err


def test_what_a_verb_does_not_know_is_refused_by_that_verb(run):
    """The help that is named is the one that lists its options."""
    answer = run("play", "--learner", "ewa", "--environment", "fair-coins", "--bogus")
    assert answer.code == 2
    assert "unrecognized arguments: --bogus; see regretless play --help" in answer.err
    assert "see regretless demo --help" in run("demo", "--bogus").err


def test_names_stay_whole_in_the_help(run):
    """No name is broken at its hyphen, and there is an example."""
    text = run("play", "--help").out
    words = text.split()
    playing = (names for kind, names in TABLES.items() if GIVES[kind])
    for name in (*ENVIRONMENTS, *(name for names in playing for name in names)):
        assert f"{name}," in words or name in words or f"{name};" in words, name
    assert "example:" in text


def test_files_that_cannot_be_read_are_named(run, tmp_path):
    """A file that holds no class is bad data, not usage."""
    path = tmp_path / "class.csv"
    path.write_text("0,1\n1,2\n")
    answer = run("play", "--learner", "halving", "--environment", "random-target", "--class", path, "--rounds", 5)
    assert answer.code == 1
    assert str(path) in answer.err
    gone = run(
        "play", "--learner", "halving", "--environment", "random-target", "--class", tmp_path / "no", "--rounds", 5
    )
    assert (gone.code, str(tmp_path / "no") in gone.err) == (1, True)


def test_a_class_is_not_overwritten_by_a_model(run, tmp_path):
    """A model does not take the place of the class that it learned."""
    path = tmp_path / "class.csv"
    path.write_text("0,1\n1,0\n")
    words = ("--class", path, "--rounds", 5, "--save", path)
    answer = run("play", "--learner", "halving", "--environment", "random-target", *words)
    assert (answer.code, "would be overwritten" in answer.err) == (2, True)
    words = ("--environment", "written", "--with", f"file={path}", *NAMED, "--save", path)
    answer = run("play", "--learner", "halving", *words)
    assert (answer.code, "would be overwritten" in answer.err) == (2, True)


@pytest.mark.parametrize(
    "words",
    [
        ("--learner", "halving", "--environment", "shattered-tree", *NAMED, "--rounds", 40),
        ("--learner", "hedge", "--environment", "label-flipping", "--rounds", 40),
        ("--learner", "perceptron", "--environment", "separable", "--rounds", 300, "--runs", 3),
        ("--learner", "exp3", "--environment", "one-better-arm", "--rounds", 100, "--runs", 12),
        ("--learner", "winnow", "--environment", "dyadic", "--rounds", 1),
    ],
)
def test_the_report_is_one_page_that_shows_the_play(run, tmp_path, words):
    """It has the curve, what was forced and every certificate, and asks nothing of any network."""
    path = tmp_path / "play.html"
    answer = run("play", *words, "--report", path)
    assert (answer.code, answer.err) == (0, f"report: {path}\n")
    page = path.read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>") or page.lower().startswith("<!doctype html>")
    assert "http://" not in page.replace("http://www.w3.org", "")
    assert "<script src" not in page
    output = run("play", *words, "--json").json
    assert ("Forced at least" in page) == bool(output["lower_bounds"])
    assert f"against {output['environment']}" in page
    assert page.count('<td data-label="Observed">') == sum(one["applies"] for one in output["certificates"])
    assert "<h2>Estimates</h2>" not in page


def test_a_short_play_is_drawn_round_by_round(run, tmp_path):
    """Every round is a point of the curve, what was printed is not changed by that, and learners are called by name."""
    path = tmp_path / "play.html"
    play = (
        "play",
        "--learner",
        "standard-optimal",
        "--environment",
        "shattered-tree",
        *NAMED,
        "--rounds",
        21,
        "--json",
    )
    with pytest.MonkeyPatch.context() as patch:
        drawn = []
        original = report.page_of_play
        patch.setattr(report, "page_of_play", lambda play: drawn.append(play) or original(play))
        output = run(*play, "--report", path).json
    assert [point.rounds for point in drawn[0].play.curve] == list(range(1, 22))
    assert [point["rounds"] for point in output["curve"]] == [1, 2, 4, 8, 16, 21]
    assert output["curve"] == run(*play).json["curve"]
    shown = original(drawn[0])
    assert shown.title == "standard-optimal against shattered-tree"
    floor = next(line for line in shown.panels[0].series if line.floor)
    assert list(floor.points)[:5] == [(1, 1.0), (2, 2.0), (3, 3.0), (4, 3.0), (5, 3.0)]


def test_a_promise_is_drawn_as_it_grows():
    """A floor that is the number of rounds in the end is no line at that height."""
    bound = LowerBound("All", "mistakes", 4.0, "s")
    game = SimpleNamespace(
        learner=SimpleNamespace(name="l"), rounds=4, runs=1, counts="mistakes", certificates=[], seconds=0.1,
        curve=[CurvePoint(rounds, float(rounds), None) for rounds in (1, 2, 4)],
        lower_bounds=[CheckedLowerBound(bound, 4.0)],
        lower_bounds_at=lambda rounds: [replace(bound, least=float(rounds))],
    )  # fmt: skip

    def floor():
        (panel,) = play_page.page_of_play(PlayReport(game, "n", {}, {})).panels
        return next(line for line in panel.series if line.floor)

    assert list(floor().points) == [(1.0, 1.0), (2.0, 2.0), (4.0, 4.0)]
    game.lower_bounds_at = lambda rounds: []
    assert (list(floor().points), floor().mark) == ([(4.0, 4.0)], "dots")
    assert "<svg" in report.render(play_page.page_of_play(PlayReport(game, "n", {}, {})))


def test_the_report_says_that_a_promise_was_broken(run, tmp_path, monkeypatch):
    """What is sure to be forced and was not is the headline."""
    monkeypatch.setattr(
        LabelFlipping, "lower_bounds", lambda *_: [LowerBound("Too <much>", "mistakes", 99.0, "nobody")]
    )
    path = tmp_path / "play.html"
    answer = run("play", "--learner", "perceptron", "--environment", "label-flipping", "--rounds", 20, "--report", path)
    assert answer.code == 3
    page = path.read_text(encoding="utf-8")
    assert "What is sure to be forced was not" in page
    assert "Too &lt;much&gt;" in page
    assert "and it was less" in page


def test_a_broken_promise_is_a_bug_of_ours(run, monkeypatch):
    """If what is sure to be forced was not, the exit code is 3, and all is printed nevertheless."""
    monkeypatch.setattr(LabelFlipping, "lower_bounds", lambda *_: [LowerBound("Too much", "mistakes", 99.0, "nobody")])
    answer = run("play", "--learner", "perceptron", "--environment", "label-flipping", "--rounds", 20)
    assert answer.code == 3
    assert "Too much: mistakes 20 FALLS SHORT OF 99" in answer.out
    assert "sure to be forced was not (Too much); this is a bug in regretless" in answer.err


def test_a_broken_theorem_is_a_bug_of_ours(run, monkeypatch):
    """A sure bound that is exceeded is said as in all verbs."""
    tree = ShatteredTree(FiniteClass.named("thresholds:9"))
    honest = play(Halving(tree.finite_class), tree, 12)
    broken = type(honest.certificates[0])(honest.certificates[0].theorem, 9.0, 1.0, None, None)
    monkeypatch.setattr(Halving, "certify", lambda self: [broken])
    answer = run("play", "--learner", "halving", "--environment", "shattered-tree", *NAMED, "--rounds", 12)
    assert answer.code == 3
    assert "a bound that always holds was violated" in answer.err


@pytest.mark.parametrize("learner", ["perceptron", "halving", "exp3", "exp4", "hedge"])
def test_an_interrupted_play_is_certified_as_far_as_it_went(run, monkeypatch, learner):
    """Ctrl-C ends the play between two rounds; what was played is printed, and the exit code is 130."""
    struck: list[int] = []

    def strike(console: Console, played: int) -> None:
        if played and not struck:
            struck.append(played)
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(Console, "rounds", strike)
    words = ("play", "--learner", learner, "--environment", "label-flipping", "--rounds", 500_000_000, "--json")
    answer = run(*words, "--anytime") if learner in ("exp3", "exp4", "hedge") else run(*words)
    assert answer.code == 130, answer.err
    output = answer.json
    assert output["interrupted"] is True
    assert struck[0] <= output["rounds"] < 500_000_000
    assert output["curve"][-1]["rounds"] == output["rounds"]
    assert output["lower_bounds"][0]["holds"]
    assert f"interrupted after {output['rounds']:,} of 500,000,000 rounds" in answer.err


def test_the_parser_imports_nothing_heavy():
    """The names of learners and environments are known without numpy."""
    code = "import sys, regretless.cli.entry as p; p.make(); sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_each_kind_keeps_its_own_parameters(run):
    """What is set of a learner reaches it, whatever its kind is."""
    play = ("play", "--environment", "label-flipping", "--rounds", 20, "--json")
    for learner, text, expected in (
        ("halving", "prune=mistake", "mistake"),
        ("perceptron", "intercept=0.5", 0.5),
        ("weighted-majority", "beta=0.25", 0.25),
        ("exp3", "rate=0.125", 0.125),
    ):
        assert run(*play, "--learner", learner, "--set", text).json["parameters"][text.partition("=")[0]] == expected


def test_every_parameter_that_is_set_elsewhere_exists():
    """The table of what is not set by name=value names parameters that some learner of the kind has."""
    from regretless.catalogue import class_learner

    tables = {"class": class_learner, "linear": learner_class, "experts": expert_class, "bandits": bandit_class}
    for kind, find in tables.items():
        known = {one for name in TABLES[kind] for one in signature(find(name)).parameters}
        assert set(ELSEWHERE_IN_PLAY[kind]) <= known


def test_every_parameter_of_a_learner_that_is_tuned_is_known_to_fix_its_rate_or_not():
    """Each parameter of a learner with a horizon says whether a user who sets it wants no tuning."""
    others = {"loss", "value_range", "random_state", "switches", "n_arms", "arms", "rewards", "seed", "run", "delta"}
    others |= {"n_experts", "tau", "linearize", "prior", "alpha"}  # alpha alone leaves eta to itself
    others |= {"epochs"}  # it leaves the rates to the rounds where it is false, and to the horizon where it is true
    learners = [expert_class(name) for name in TABLES["experts"]] + [bandit_class(name) for name in TABLES["bandits"]]
    tuned = [set(signature(one).parameters) for one in learners if "horizon" in signature(one).parameters]
    assert set().union(*tuned) - others == set(FIXING)
