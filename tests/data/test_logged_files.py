"""Logs and policies in files, and the command line that evaluates them, also on real data."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from regretless.bandits.off_policy import evaluate_policy
from regretless.data.logged import Log, read_log, read_policy
from regretless.errors import DataError, RegretlessError

from ..command_line import CommandLine

COLUMNS: dict[str, Any] = {"action": "a", "reward": "r", "propensity": "p"}
PULL = ("--propensity", "p", "--action", "a", "--reward", "r")


@pytest.fixture
def run(capsys, monkeypatch) -> CommandLine:
    """Runs command lines."""
    return CommandLine(capsys, monkeypatch)


def written(path: Path, text: str) -> Path:
    """A file of that text."""
    path.write_text(text)
    return path


def some_log(path: Path, rounds: int = 400, seed: int = 0) -> Path:
    """A log of three actions in two places."""
    generator = np.random.default_rng(seed)
    actions = generator.choice(3, rounds, p=[0.5, 0.3, 0.2])
    clicks = generator.random(rounds) < np.array([0.2, 0.4, 0.6])[actions]
    places = generator.choice(2, rounds)
    rows = [
        f"{['red', 'green', 'blue'][action]},{[0.5, 0.3, 0.2][action]},{int(click)},{place}\n"
        for action, click, place in zip(actions, clicks, places, strict=True)
    ]
    return written(path, "a,p,r,place\n" + "".join(rows))


class TestFiles:
    """What is read."""

    def test_a_log_is_read_as_it_stands(self, tmp_path):
        """Actions are names in the order of the numbers that they are, rewards may be true and false."""
        path = written(tmp_path / "log.csv", "a,p,r,c\n10,.5,True,u\n9,.25,False,v\n07,1,True,u\n")
        log = read_log(path, context="c", **COLUMNS)
        assert log.names == ["07", "9", "10"]
        assert log.actions.tolist() == [2, 1, 0]
        assert (log.propensities.tolist(), log.rewards.tolist()) == ([0.5, 0.25, 1.0], [1.0, 0.0, 1.0])
        assert (log.contexts.tolist(), log.situations, log.least) == ([0, 1, 0], ["u", "v"], 0.25)

    @pytest.mark.parametrize("suffix", [".parquet", ".feather", ".tsv", ".csv.xz"])
    def test_every_format_gives_the_same_log(self, tmp_path, suffix):
        """Parquet, Feather, tabs and compressed text give what plain text gives, whole numbers as names included."""
        import pandas as pd

        frame = pd.DataFrame({"a": [3, 1, 3], "p": [0.5, 0.25, 0.5], "r": [True, False, True], "d": ["x", "y", "z"]})
        path = tmp_path / f"log{suffix}"
        if suffix == ".parquet":
            frame.to_parquet(path)
        elif suffix == ".feather":
            frame.to_feather(path)
        else:
            frame.to_csv(path, sep="\t" if suffix == ".tsv" else ",", index=False)
        log = read_log(path, **COLUMNS)
        assert log.names == ["1", "3"]
        assert (log.actions.tolist(), log.rewards.tolist()) == ([1, 0, 1], [1.0, 0.0, 1.0])

    @pytest.mark.parametrize(
        ("rows", "place", "expected"),
        [
            ("x,.5,1\ny,0,0\n", "3:3", "column 'p' holds 0; a propensity is"),
            ("x,.5,1\ny,1.5,0\n", "3:3", "column 'p' holds 1.5; a propensity is"),
            ("x,.5,1\ny,-1,0\n", "3:3", "column 'p' holds -1; a propensity is"),
            ("x,.5,1\ny,nan,0\n", "3:3", "column 'p' holds nan; a propensity is"),
            ("x,.5,1\ny,,0\n", "3:3", "column 'p' has no value"),
            ("x,.5,1\n,.3,0\n", "3:1", "column 'a' has no value"),
            ("x,.5,1\ny,.3,\n", "3:6", "column 'r' has no value"),
            ("x,.5,1\ny,.3,2\n", "3:6", "column 'r' holds 2; it must lie in [0, 1]"),
            ("x,.5,1\ny,abc,1\n", "3:3", "column 'p' holds 'abc'; a number is expected"),
            ("x,.5,1\ny,2019-01-01,1\n", "3:3", "column 'p' holds '2019-01-01'; a number is expected"),
            ("x,.5,1\ny,.5\n", "3:1", "2 cells; 3 are expected"),
        ],
    )
    def test_what_cannot_be_used_is_refused_by_line_and_column(self, tmp_path, rows, place, expected):
        """The error names file, line, column, what stands there and what is expected, and nothing of categories."""
        path = written(tmp_path / "log.csv", "a,p,r\n" + rows)
        with pytest.raises(DataError) as caught:
            read_log(path, **COLUMNS)
        assert str(caught.value).startswith(f"{path}:{place}: {expected}")
        assert "--categorical" not in str(caught.value)

    def test_the_first_bad_row_is_the_one_that_is_named(self, tmp_path):
        """Of a reward out of range and a cell that is no number two rows later, the reward is named."""
        path = written(tmp_path / "log.csv", "a,p,r\nx,.5,1\ny,.5,7\nx,.5,0\ny,abc,1\n")
        with pytest.raises(DataError, match=r"log\.csv:3:6: column 'r' holds 7"):
            read_log(path, **COLUMNS)

    def test_a_column_that_is_not_there_is_named_beside_those_that_are(self, tmp_path):
        """The error lists the columns; a file without rows says so."""
        with pytest.raises(DataError, match="there is no column 'r'; the columns are 'a', 'p', 'q'"):
            read_log(written(tmp_path / "log.csv", "a,p,q\nx,1,1\n"), **COLUMNS)
        with pytest.raises(DataError, match="no rows"):
            read_log(written(tmp_path / "none.csv", "a,p,r\n"), **COLUMNS)
        with pytest.raises(RegretlessError, match="columns of their own; 'r' is named twice"):
            read_log(written(tmp_path / "one.csv", "a,p,r\nx,1,1\n"), action="a", reward="r", propensity="r")

    def test_a_policy_is_read_for_the_log(self, tmp_path):
        """Its actions may stand in any order, lack some of the log's, and have more."""
        log = Log.of(["b", "a"], 0.5, [0, 1], contexts=["2", "1"])
        text = "probability,action,place\n0.25,c,1\n0.75,b,1\n1,a,2\n1,zzz,9\n"
        wider, table = read_policy(written(tmp_path / "p.csv", text), log, context="place")
        assert wider.names == ["a", "b", "c"]
        assert table.tolist() == [[0.0, 0.75, 0.25], [1.0, 0.0, 0.0]]

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("action,probability\na,0.5\nb,0.4\n", "p.csv: the probabilities sum to 0.9; they must sum to 1"),
            ("action,probability\na,0.5\na,0.5\n", "p.csv:3:1: action 'a' is listed twice"),
            ("action,probability\na,1.5\nb,-0.5\n", "p.csv:2:3: column 'probability' holds 1.5"),
            ("action,probability\na,nan\nb,1\n", "p.csv:2:3: column 'probability' holds nan"),
            ("action,chance\na,1\n", "there is no column 'probability'"),
        ],
    )
    def test_what_is_no_policy_is_refused(self, tmp_path, text, expected):
        """Sums other than 1, repetitions and numbers outside [0, 1] are errors."""
        log = Log.of(["b", "a"], 0.5, [0, 1])
        with pytest.raises(DataError, match=re.escape(expected)):
            read_policy(written(tmp_path / "p.csv", text), log)


class TestCommandLine:
    """``regretless pull --logged``."""

    def test_a_learner_is_evaluated(self, run, tmp_path):
        """The JSON holds the estimates with their intervals, the log's own mean and certificates that apply."""
        path = some_log(tmp_path / "log.csv")
        report = run("pull", "--logged", path, *PULL, "--json", "--quiet").json
        assert (report["learner"], report["rounds"], report["arms"], report["runs"]) == ("exp3-ix", 400, 3, 10)
        assert list(report["estimates"]) == ["replay", "ips", "snips", "dr", "anytime"]
        for one in [*report["estimates"].values(), report["logged"]]:
            assert one["low"] <= one["value"] <= one["high"]
            assert one["n"] > 0
        assert sum(report["draws"].values()) == pytest.approx(1)
        observable = next(one for one in report["certificates"] if one["theorem"] == "observable")
        assert observable["applies"]
        assert observable["observed"] is None
        assert report["effective_rounds"] < 400

    @pytest.mark.parametrize("learner", ["exp3", "exp3-p", "tsallis-inf", "exp3-s"])
    def test_other_learners_are_too(self, run, tmp_path, learner):
        """Every learner that sees its own reward alone can be evaluated, and the same seed gives the same numbers."""
        path = some_log(tmp_path / "log.csv")
        words = ("pull", "--logged", path, *PULL, "--learner", learner, "--runs", 2, "--json", "--quiet")
        first, second = run(*words, "--seed", 4).json, run(*words, "--seed", 4).json
        assert first["learner"] == learner
        assert first["estimates"] == second["estimates"]
        assert run(*words, "--seed", 5).json["estimates"] != first["estimates"]

    def test_a_policy_is_evaluated_by_context(self, run, tmp_path):
        """The estimates of a policy from files are those of the library, and the JSON names its file."""
        path = some_log(tmp_path / "log.csv")
        policy = written(
            tmp_path / "policy.csv", "place,action,probability\n0,red,1\n1,green,0.5\n1,blue,0.25\n1,red,0.25\n"
        )
        words = ("pull", "--logged", path, *PULL, "--policy", policy, "--context", "place", "--json", "--quiet")
        report = run(*words).json
        log = read_log(path, context="place", **COLUMNS)
        alone = evaluate_policy(log, [[0, 0, 1], [0.25, 0.5, 0.25]], runs=10)
        assert log.names == ["blue", "green", "red"]
        assert report["policy"] == str(policy)
        for name, one in alone.estimates.items():
            assert report["estimates"][name]["value"] == pytest.approx(one.value)
            assert report["estimates"][name]["high"] == pytest.approx(one.high)

    def test_text_and_page_show_the_estimates(self, run, tmp_path):
        """Lines name each estimate and the log's own mean; the report is one page of them."""
        path, page = some_log(tmp_path / "log.csv"), tmp_path / "page.html"
        command = run("pull", "--logged", path, *PULL, "--report", page)
        assert command.code == 0
        for words in ("replay", "inverse propensity", "self-normalised", "doubly robust", "the log itself"):
            assert words in command.out
        assert "with probability 95%" in command.out
        assert re.search("^note: .* can be replayed$", command.out, re.M)
        assert "Doubly robust" in page.read_text()

    def test_the_page_of_a_policy_speaks_of_the_policy(self, run, tmp_path):
        """The page calls a policy one, never a learner, tells its doubly robust estimate first, and the context."""
        path, page = some_log(tmp_path / "log.csv"), tmp_path / "page.html"
        policy = written(tmp_path / "policy.csv", "place,action,probability\n0,red,1\n1,green,1\n")
        words = ("--policy", policy, "--context", "place", "--report", page)
        assert run("pull", "--logged", path, *PULL, *words).code == 0
        text = re.sub(r"<(style|script).*?</\1>|<[^>]*>", " ", page.read_text(), flags=re.DOTALL)
        assert "the policy" in text
        assert "learner" not in text
        assert "(doubly robust, which this page always tells first)" in text
        assert re.search(r"Context\s+place", text)

    def test_one_round_is_one_round(self, run, tmp_path):
        """A log of one round of one action is called that."""
        path = written(tmp_path / "log.csv", "a,p,r\nred,1,1\n")
        out = run("pull", "--logged", path, *PULL, "--runs", 1).out
        assert "exp3-ix: 1 logged round of 1 action (seed 0)" in out
        assert "worth 1 round of equal weights" in out
        assert "what theorems say of it, and last of the 1 round that it played" in out

    def test_delta_widens_and_narrows_the_intervals(self, run, tmp_path):
        """Intervals at delta 0.2 lie inside those at 0.01."""
        path = some_log(tmp_path / "log.csv")
        words = ("pull", "--logged", path, *PULL, "--json", "--quiet", "--delta")
        narrow, wide = run(*words, 0.2).json["estimates"], run(*words, 0.01).json["estimates"]
        assert all(wide[name]["low"] < narrow[name]["low"] < narrow[name]["high"] < wide[name]["high"] for name in wide)

    def test_losses_are_declared(self, run, tmp_path):
        """With --losses the same numbers are losses, which the learner then avoids."""
        path = some_log(tmp_path / "log.csv", 4000)
        words = ("pull", "--logged", path, *PULL, "--json", "--quiet")
        rewards, losses = run(*words).json, run(*words, "--losses").json
        assert (rewards["quantity"], losses["quantity"]) == ("reward", "loss")
        assert rewards["estimates"]["dr"]["value"] > losses["estimates"]["dr"]["value"]
        assert losses["draws"]["red"] > rewards["draws"]["red"]

    @pytest.mark.parametrize(
        ("words", "expected"),
        [
            (("--action", "a", "--reward", "r"), "a log needs --propensity"),
            ((*PULL, "--learner", "hedge"), "--learner hedge needs the rewards of all actions"),
            ((*PULL, "--learner", "exp4"), "--learner exp4 needs advice"),
            ((*PULL, "--rewards", "--losses"), "contradict"),
            ((*PULL, "--arms", "x"), "--arms and --logged exclude"),
            ((*PULL, "--policy", "p.csv", "--set", "rate=1"), "--set is for a learner"),
            ((*PULL, "--policy", "p.csv", "--learner", "exp3"), "--policy and --learner exclude each other"),
            ((*PULL, "--anytime"), "--anytime is how a log is replayed"),
            ((*PULL, "--learner", "exp3-p", "--anytime"), "--learner exp3-p cannot be played with --anytime"),
            ((*PULL, "--range", "1", "0"), "--range 1 0"),
            (("--action", "a", "--reward", "r", "--propensity", "1.5"), "--propensity 1.5"),
            ((*PULL, "--format", "npz"), "--format npz"),
            ((*PULL, "--set", "rate=-1"), "rate"),
        ],
    )
    def test_what_makes_no_sense_is_refused(self, run, tmp_path, words, expected):
        """Options that contradict each other, or lack each other, are wrong usage, in one line."""
        command = run("pull", "--logged", some_log(tmp_path / "log.csv"), *words)
        assert command.code == 2
        assert expected in command.err
        assert command.err.count("\n") == 1

    def test_errors_of_the_file_have_their_line(self, run, tmp_path):
        """A propensity that cannot be is an error of the data, with file, line and column."""
        path = written(tmp_path / "log.csv", "a,p,r\nx,.5,1\ny,0,1\n")
        command = run("pull", "--logged", path, *PULL)
        assert command.code == 1
        assert f"{path}:3:3: column 'p' holds 0" in command.err

    def test_a_log_comes_through_standard_input_too(self, run, tmp_path):
        """A dash reads the log from standard input, to the same numbers."""
        path = some_log(tmp_path / "log.csv")
        words = (*PULL, "--json", "--quiet")
        piped = run("pull", "--logged", "-", *words, stdin=path.read_bytes()).json
        assert piped["estimates"] == run("pull", "--logged", path, *words).json["estimates"]


class TestRealData:
    """Logs of experiments, where the truth is known from another one."""

    @pytest.fixture(params=["men", "women"])
    def fashion(self, request, data) -> tuple[Log, Log]:
        """The uniform log of a campaign, and that of Thompson sampling in the same week (Open Bandit)."""
        files = [data / "bandits" / f"obd_{request.param}_{name}.csv.xz" for name in ("random", "bts")]
        if not all(path.is_file() for path in files):
            pytest.skip("no Open Bandit data here")
        uniform, thompson = (
            read_log(path, action="item_id", reward="click", propensity="propensity_score", context="position")
            for path in files
        )
        return uniform, thompson

    def test_uniform_rounds_tell_what_thompson_sampling_earned(self, fashion):
        """From uniformly drawn rounds, every interval holds the click rate that Thompson sampling had on its own."""
        uniform, thompson = fashion
        assert uniform.names == thompson.names
        policy = mean_policy(thompson)
        evaluation = evaluate_policy(uniform, policy, runs=100)
        truth = thompson.rewards.mean()
        assert all(one.enough for one in evaluation.estimates.values())
        assert all(one.low < truth < one.high for one in evaluation.estimates.values())
        assert evaluation.estimates["ips"].cautious[0] < truth < evaluation.estimates["ips"].cautious[1]
        assert 2_000 < evaluation.effective < 5_000

    def test_the_harmonic_means_of_propensities_are_nearly_a_policy(self, fashion):
        """By position they sum to 1 within 15 %, where plain means, which favour the frequent, sum to more than 1.6."""
        thompson = fashion[1]
        assert np.abs(harmonic_means(thompson).sum(axis=1) - 1).max() < 0.15
        counts, sums = np.zeros((2, 3, len(thompson.names)))
        np.add.at(counts, (thompson.contexts, thompson.actions), 1)
        np.add.at(sums, (thompson.contexts, thompson.actions), thompson.propensities)
        assert (sums / counts).sum(axis=1).min() > 1.6

    def test_cookie_cats_replayed(self, data):
        """Replay with propensity 1/2 gives each gate the retention of its own players, and what is known of it."""
        path = data / "bandits" / "cookie_cats.csv.xz"
        if not path.is_file():
            pytest.skip("no cookie_cats here")
        log = read_log(path, action="version", reward="retention_7", propensity=0.5)
        for policy, rate in (([1, 0], 0.1902), ([0, 1], 0.1820)):
            estimates = evaluate_policy(log, policy).estimates
            for name in ("replay", "snips"):
                assert estimates[name].value == pytest.approx(rate, abs=5e-5)
            assert estimates["replay"].n in (44700, 45489)


def harmonic_means(log: Log) -> np.ndarray[Any, Any]:
    """The mean propensity of each action in each situation over all rounds, from those in which it was taken."""
    counts, sums = np.zeros((2, len(log.situations), len(log.names)))
    np.add.at(counts, (log.contexts, log.actions), 1)
    np.add.at(sums, (log.contexts, log.actions), 1 / log.propensities)
    return np.divide(counts, sums, out=np.zeros_like(counts), where=sums > 0)


def mean_policy(log: Log) -> np.ndarray[Any, Any]:
    """These means, scaled to sum to 1 in each situation."""
    means = harmonic_means(log)
    return means / means.sum(axis=1, keepdims=True)
