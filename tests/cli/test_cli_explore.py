"""``regretless explore`` over trials, labels, logs and Vowpal Wabbit's text."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import regretless
from regretless.cli import main
from regretless.contextual import EpsilonGreedy
from regretless.run import explore as exploring

from ..command_line import CommandLine

ROUNDS = 60
COSTS = ("--costs", "walk,bus")
LOG = ("--action", "action", "--cost", "cost", "--propensity", "probability")


@pytest.fixture
def run(capsys, monkeypatch) -> CommandLine:
    return CommandLine(capsys, monkeypatch)


def table(rounds: int = ROUNDS) -> tuple[np.ndarray, np.ndarray]:
    """A feature, and what walking and the bus cost: the more of it, the less walking pays."""
    draw = np.random.default_rng(3)
    rain = draw.integers(0, 9, rounds) / 8
    return rain[:, None], np.column_stack([rain, 0.5 + draw.integers(-2, 3, rounds) / 16])


def write(path: Path, rows: int = ROUNDS, last: str = "") -> Path:
    X, costs = table()
    lines = [f"{x[0]},{walk},{bus}" for x, (walk, bus) in zip(X[:rows], costs[:rows], strict=True)]
    path.write_text("\n".join(["rain,walk,bus", *lines, last]))
    return path


@pytest.fixture
def trial(tmp_path: Path) -> Path:
    return write(tmp_path / "trial.csv")


def test_a_trial_is_that_of_the_learner_in_python(run, trial):
    """The actions, their probabilities and costs are those of `play` over the same rows."""
    X, costs = table()
    bandit = EpsilonGreedy(arms=["walk", "bus"], seed=5)
    played = bandit.play(X, costs)
    report = run("explore", trial, *COSTS, "--seed", 5, "--json").json
    assert report["cost"] == pytest.approx(played.total)
    assert list(report["taken"].values()) == bandit.counts_.tolist()
    assert report["least_probability"] == played.probabilities.min()
    assert report["action_costs"] == pytest.approx(dict(zip(("walk", "bus"), costs.sum(axis=0), strict=True)))
    assert report["hindsight_policy_cost"] < report["best_action_cost"]
    assert report["certificates"][0]["observed"] == pytest.approx(played.total - costs.sum(axis=0).min())


@pytest.mark.parametrize("option", ["--costs", "--rewards"])
def test_one_action_alone_is_refused_with_the_option_that_names_more(run, trial, option):
    """Columns of costs or rewards are named by their own option, which `--actions` would contradict."""
    command = run("explore", trial, option, "walk")
    assert command.code == 1
    assert command.err.endswith(f"{option} names one only, 'walk'; name all of two or more with {option}\n")


def test_rewards_are_costs_seen_from_the_other_end(run, trial, tmp_path):
    """Of rewards 1 - cost every draw, count, regret and bound is that of the costs, and every total 1 - theirs a round;
    the log has them too, and numbers of both reports are found again."""
    earned, log = tmp_path / "earned.csv", tmp_path / "log.csv"
    frame = pd.read_csv(trial)
    frame.assign(walk=1 - frame.walk, bus=1 - frame.bus).to_csv(earned, index=False)
    cost = run("explore", trial, *COSTS, "--json", "--log", tmp_path / "costs.csv").json
    reward = run("explore", earned, "--rewards", "walk,bus", "--json", "--log", log).json
    for name in ("taken", "best_action", "halvings"):
        assert reward[name] == cost[name]
    for name in ("{}", "best_action_{}", "hindsight_policy_{}"):
        assert reward[name.format("reward")] == pytest.approx(ROUNDS - cost[name.format("cost")])
    assert reward["interval"] == pytest.approx([1 - end for end in reversed(cost["interval"])])
    for one, other in zip(reward["certificates"], cost["certificates"], strict=True):
        assert [one[name] for name in ("observed", "bound")] == pytest.approx(
            [other[name] for name in ("observed", "bound")]
        )
    assert [one["quantity"] for one in reward["certificates"]] == ["regret", "error of the mean reward"]
    words = {log: (*LOG[:2], "--reward", "reward", *LOG[4:]), tmp_path / "costs.csv": LOG}
    again = [run("explore", path, *named, "--json").json for path, named in words.items()]
    assert again[0]["interval"] == pytest.approx([1 - end for end in reversed(again[1]["interval"])])
    assert again[0]["estimates"]["dr"] == pytest.approx(1 - again[1]["estimates"]["dr"])
    for path, report in ((earned, reward), (log, again[0])):
        (tmp_path / "report.json").write_text(json.dumps(report))
        assert run("verify", tmp_path / "report.json", path).code == 0


def test_a_model_of_rewards_takes_no_costs(run, trial, tmp_path):
    """A run goes on with what it has learned from: rewards as rewards, by themselves, and costs not at all."""
    words = ("explore", trial, "--resume", tmp_path / "m.rgl", "--save", tmp_path / "n.rgl", "--quiet")
    run("explore", trial, "--rewards", "walk,bus", "--save", tmp_path / "m.rgl", "--quiet")
    assert regretless.load(tmp_path / "m.rgl").rewards
    assert "reward a round" in run(*words).out
    refused = run(*words, *COSTS)
    assert (refused.code, refused.err) == (
        2,
        f"regretless: {trial} is read as costs, and the model has learned rewards\n",
    )


def test_a_trace_is_the_log_of_its_first_rounds(run, trial, tmp_path):
    """Rows, draws, probabilities and costs are those of the run, which is the same without it; a log draws nothing."""
    words = ("explore", trial, "--costs", "walk,bus", "--seed", 3, "--log", tmp_path / "log.csv")
    traced, plain = run(*words, "--trace", 4, "--json").json, run(*words, "--json").json
    assert {name: value for name, value in traced.items() if name not in ("trace", "seconds")} == {
        name: value for name, value in plain.items() if name != "seconds"
    }
    logged = [line.split(",") for line in (tmp_path / "log.csv").read_text().splitlines()[1:5]]
    assert [[one["action"], one["cost"], one["probability"], *one["row"]] for one in traced["trace"]] == [
        [action, *map(float, rest)] for action, *rest in logged
    ]
    lines = run(*words, "--trace").out.splitlines()
    assert [line for line in lines if line.startswith("round ")] == [f"round {place + 1}" for place in range(10)]
    refused = run(
        "explore", tmp_path / "log.csv", "--action", "action", "--cost", "cost", "--propensity", "0.5", "--trace"
    )
    assert (refused.code, "--trace is for trials" in refused.err) == (2, True)


def test_a_log_that_follows_another_one_is_assumed_to_be_new(run, tmp_path):
    """A model that has learned from a log says of the next one, which may be the same, that its rounds are assumed to
    be new; in its first pass it assumes nothing, nor where that goes on after a stop."""
    log, model, page = tmp_path / "log.csv", tmp_path / "m.rgl", tmp_path / "page.html"
    rows = ["x,action,cost,probability", *(f"{t % 3},{'ab'[t % 2]},{t % 2},0.5" for t in range(20))]
    log.write_text("\n".join([*rows, "0,a,7,0.5"]))
    assert run("explore", log, *LOG, "--save", model, "--quiet").code == 1
    log.write_text("\n".join(rows))
    first = run("explore", log, "--resume", model, "--quiet")
    assert (first.code, "assuming" in first.out) == (0, False)
    again = run("explore", log, "--resume", model, "--report", page, "--quiet")
    assert again.out.count("assuming that these rounds are none that the model had learned from before") == 2
    assert "if no round was learned before" in page.read_text()


def test_a_bad_row_keeps_those_before_and_the_run_goes_on(run, trial, tmp_path):
    """A run that stopped at a bad row, and goes on with the mended file, ends with the bytes of one that did not."""
    whole, part = tmp_path / "whole.rgl", tmp_path / "part.rgl"
    run("explore", trial, *COSTS, "--save", whole, "--quiet")
    write(trial, 37, "0.5,7,0\n")
    stopped = run("explore", trial, *COSTS, "--save", part, "--quiet")
    assert stopped.code == 1
    assert f"{trial}:39:5: the cost 'walk' is 7" in stopped.err
    assert f"37 rounds are kept in {part}" in stopped.err
    write(trial)
    assert run("explore", trial, "--resume", part, "--quiet").code == 0
    assert part.read_bytes() == whole.read_bytes()


def test_a_bad_row_keeps_those_before_beside_words(run, tmp_path):
    """With a column of words, of which a first reading counts the features, the rounds before a bad row are saved and
    logged too."""
    path, model, log = tmp_path / "t.csv", tmp_path / "m.rgl", tmp_path / "log.csv"
    path.write_text("sky,walk,bus\n" + "dry,0,1\nwet,1,0\n" * 9 + "dry,7,1\n")
    stopped = run("explore", path, *COSTS, "--save", model, "--log", log, "--quiet")
    assert (stopped.code, f"18 rounds are kept in {model}" in stopped.err) == (1, True)
    assert len(log.read_text().splitlines()) == 19
    other = run("explore", path, "--resume", model, "--costs", "walk,car")
    assert (other.code, "--costs walk,car: the model has learned walk,bus" in other.err) == (2, True)


def test_a_signal_saves_what_was_learned(run, trial, tmp_path, monkeypatch):
    """Stopped between two pieces, the run ends with 130; --resume ends with the bytes of a whole one."""
    import signal

    whole, part = tmp_path / "whole.rgl", tmp_path / "part.rgl"
    run("explore", trial, *COSTS, "--save", whole, "--quiet")
    observe = exploring.ExploreRun._observe

    def struck(self, rounds):
        observe(self, rounds)
        if self.place == 8:
            signal.raise_signal(signal.SIGINT)

    with monkeypatch.context() as patch:
        patch.setattr(exploring.ExploreRun, "_observe", struck)
        stopped = run("explore", trial, *COSTS, "--save", part, "--quiet")
    assert stopped.code == 130
    assert "8 rounds are kept" in stopped.err
    run("explore", trial, "--resume", part, "--quiet")
    assert part.read_bytes() == whole.read_bytes()


SPARSE = "".join(f"{t % 2} {1 + t % 5}:1 {7 + t % 3}:0.5\n" for t in range(40))


def test_sparse_trials_are_those_of_dense_rows(run, tmp_path, monkeypatch):
    """Rows that are played sparse, and those that a log wants dense, a few at once, leave the bytes of a dense file."""
    svm, dense, models = tmp_path / "r.svm", tmp_path / "r.csv", [tmp_path / f"{name}.rgl" for name in "abc"]
    svm.write_text(SPARSE)
    rows = np.zeros((40, 9))
    for t in range(40):
        rows[t, t % 5], rows[t, 6 + t % 3] = 1, 0.5
    dense.write_text("\n".join(["y,a,b,c,d,e,f,g,h,i", *(f"{t % 2},{','.join(map(str, rows[t]))}" for t in range(40))]))
    paid = [
        run("explore", svm, "--actions", "0,1", "--save", models[0], "--json").json["cost"],
        run("explore", dense, "--target", "y", "--actions", "0,1", "--save", models[1], "--json").json["cost"],
    ]
    monkeypatch.setattr(exploring, "BLOCK", 8 * 9 * 7)  # seven rows
    options = ("--save", models[2], "--log", tmp_path / "l.csv", "--json")
    paid.append(run("explore", svm, "--actions", "0,1", *options).json["cost"])
    tensors = [regretless.load(model).state_dict()[1] for model in models]
    assert paid[0] == paid[1] == paid[2]
    for own in tensors[1:]:
        assert {name: array.tobytes() for name, array in own.items()} == {
            name: array.tobytes() for name, array in tensors[0].items()
        }


@pytest.mark.parametrize(
    ("regressor", "code"), [("online-gradient-descent", 0), ("aggregated-regressor", 0), ("vovk-azoury-warmuth", 1)]
)
def test_memory_is_refused_by_what_the_regressor_takes(run, tmp_path, monkeypatch, regressor, code):
    """Of 3,000 features and two actions matrices would take more than 40 MiB, and what keeps none is not refused."""
    svm = tmp_path / "r.svm"
    svm.write_text(SPARSE + "1 3000:1\n")
    monkeypatch.setenv("REGRETLESS_MAX_MEMORY", "40M")
    command = run("explore", svm, "--actions", "0,1", "--regressor", regressor, "--quiet")
    assert command.code == code, command.err
    assert ("3,000 features for each of 2 actions" in command.err) == bool(code)


@pytest.mark.parametrize("suffix", ["csv", "parquet", "vw", "adf.vw"])
def test_the_log_of_a_run_can_be_read_again(run, trial, tmp_path, suffix):
    """A learner of the same parameters would have done what was logged: weights of 1, and the cost that was paid."""
    log = tmp_path / f"log.{suffix}"
    paid = run("explore", trial, *COSTS, "--log", log, "--json").json
    columns = () if suffix.endswith("vw") else LOG
    names = "a^walk,a^bus" if suffix == "adf.vw" else "walk,bus"
    again = run("explore", log, *columns, "--actions", names, "--json").json
    assert again["rounds"] == ROUNDS
    assert again["logged_cost"] == pytest.approx(paid["cost"])
    assert list(again["taken"].values()) == list(paid["taken"].values())
    assert again["estimates"]["ips"] == pytest.approx(paid["cost"] / ROUNDS)
    assert again["largest_weight"] == pytest.approx(1)
    low, high = again["interval"]
    assert low < paid["cost"] / ROUNDS < high


def test_pull_evaluates_the_log(run, trial, tmp_path):
    """`pull --logged` reads what --log wrote."""
    log, policy = tmp_path / "log.csv", tmp_path / "policy.csv"
    run("explore", trial, *COSTS, "--log", log, "--quiet")
    policy.write_text("action,probability\nbus,1\n")
    columns = ("--action", "action", "--reward", "cost", "--propensity", "probability", "--losses")
    report = run("pull", "--logged", log, *columns, "--policy", policy, "--json").json
    each = [line.split(",") for line in log.read_text().splitlines()[1:]]
    rows = [(float(cost), 1 / float(chance)) for action, cost, chance, *_ in each if action == "bus"]
    by_hand = sum(cost * weight for cost, weight in rows) / sum(weight for _, weight in rows)
    assert report["estimates"]["snips"]["value"] == pytest.approx(by_hand)


def test_a_saved_model_is_a_policy_of_evaluate(run, tmp_path):
    """`evaluate` weighs each row by the probabilities that the model has in Python, on a log with words as on one that
    `--log` wrote; it refuses the rows that the model learned, and `verify` agrees with its report."""
    X, costs = table()
    skies = np.where(X[:, 0] < 0.5, "dry", "wet").tolist()
    lines = [f"{sky},{walk},{bus}\n" for sky, (walk, bus) in zip(skies, costs, strict=True)]
    old, new, model, log, words, own, report = (tmp_path / name for name in ("o.csv", "n.csv", "m", "l", "w", "p", "r"))
    for path, rows in ((old, lines), (new, lines[:-25])):
        path.write_text("sky,walk,bus\n" + "".join(rows))
    run("explore", old, *COSTS, "--save", model, "--log", own, "--quiet")
    run("explore", new, *COSTS, "--seed", 1, "--log", log, "--quiet")
    each = [(sky, *line.split(",")[:3]) for sky, line in zip(skies, log.read_text().splitlines()[1:], strict=False)]
    words.write_text("\n".join(map(",".join, [("sky", "action", "cost", "probability"), *each])) + "\n")
    bandit = regretless.load(model)
    drawn = {sky: bandit.probabilities([sky == skies[0], sky != skies[0]]) for sky in ("dry", "wet")}
    weights = [drawn[sky][bandit.names().index(action)] / float(chance) for sky, action, _, chance in each]
    by_hand = np.average([float(cost) for *_, cost, _ in each], weights=weights)
    arguments = ("--action", "action", "--reward", "cost", "--losses", "--propensity", "probability")
    for path in (log, words):
        command = run("evaluate", path, *arguments, "--policy", f"model:{model}", "--quiet", "--json")
        assert command.json["estimates"]["snips"]["value"] == pytest.approx(by_hand)
        report.write_text(command.out)
        assert run("verify", report, path).code == 0
    refused = run("evaluate", own, *arguments, "--policy", f"model:{model}")
    assert (refused.code, "has learned from these very rounds" in refused.err) == (1, True)
    EpsilonGreedy(2).save(model)
    refused = run("evaluate", own, *arguments, "--policy", f"model:{model}")
    assert (refused.code, f"{model}: this model was made in Python" in refused.err) == (1, True)


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_true_and_false_are_costs_of_1_and_0(run, tmp_path, suffix):
    """A table whose costs are True and False gives the run of the one with 1 and 0."""
    costs = np.random.default_rng(1).random((30, 2)) < 0.5
    outputs = []
    for number, each in enumerate((costs, costs.astype(int))):
        path = tmp_path / f"{number}.{suffix}"
        frame = pd.DataFrame({"rain": np.arange(30) % 4, "walk": each[:, 0], "bus": each[:, 1]})
        frame.to_parquet(path) if suffix == "parquet" else frame.to_csv(path, index=False)
        outputs.append(run("explore", path, *COSTS, "--quiet").out)
    assert outputs[0] == outputs[1]
    assert "30 rounds, 2 actions" in outputs[0]


def test_labels_are_actions(run, tmp_path):
    """Of labelled rows the action that is the label costs nothing, all others 1."""
    X, costs = table()
    path = tmp_path / "rows.svm"
    path.write_text("".join(f"{int(c[0] > c[1])} 1:{x[0]}\n" for x, c in zip(X, costs, strict=True)))
    report = run("explore", path, "--json").json
    wrong = [int((costs[:, 0] > costs[:, 1]).sum()), int((costs[:, 0] <= costs[:, 1]).sum())]
    assert list(report["action_costs"].values()) == wrong
    assert report["cost"] < min(wrong)


def test_a_pipe_is_read_once(run, trial):
    """From a pipe a trial is the same, without the policy in hindsight, which needs a second reading."""
    whole = run("explore", trial, *COSTS, "--json").json
    piped = run("explore", "-", "--format", "csv", *COSTS, "--json", stdin=trial.read_bytes()).json
    assert piped["hindsight_policy_cost"] is None
    assert piped["cost"] == whole["cost"]


def test_what_a_second_run_does_not_know_is_reported(run, trial, tmp_path):
    """On the same rows again notes say that the model knows them and what the log lacks, and a line says why there is
    no policy in hindsight."""
    model, log = tmp_path / "m.rgl", tmp_path / "log.csv"
    run("explore", trial, *COSTS, "--save", model, "--quiet")
    again = run("explore", trial, "--resume", model, "--log", log)
    assert f"the model had learned the rows of {trial} already" in again.err
    assert f"{log} has the {ROUNDS} rounds of this run; the {ROUNDS} before it" in again.err
    assert f"-  not known: {ROUNDS} rounds before those of this file cannot be read again" in again.out


def test_columns_and_labels_that_are_no_classes_are_reported(run, tmp_path):
    """A column with a word of its own in every row is noted, and many labels with fractions are refused."""
    path = tmp_path / "t.csv"
    rows = range(40)
    path.write_text("name,walk,bus\n" + "".join(f"n{row},{row % 2},0.5\n" for row in rows))
    assert "column 'name' has 40 different values in 40 rows" in run("explore", path, *COSTS).err
    path.write_text("x,y\n" + "".join(f"{row},{row + 0.5}\n" for row in rows))
    refused = run("explore", path, "--target", "y")
    assert (refused.code, "40 different numbers, as 0.5; each would be an action; learn" in refused.err) == (1, True)


@pytest.mark.parametrize("name", ["log.json", "log.csv.gz", "log.tsv"])
def test_a_log_of_another_format_is_refused(run, trial, tmp_path, name):
    """A log is not written as comma-separated text under a name that says otherwise."""
    refused = run("explore", trial, *COSTS, "--log", tmp_path / name)
    assert (refused.code, "a log is written as .csv, .parquet or .vw" in refused.err) == (2, True)
    assert not (tmp_path / name).exists()


def test_verify_finds_a_number_that_was_changed(run, trial, tmp_path):
    """A report agrees with its file, and no longer once a number of it is another."""
    report = tmp_path / "r.json"
    command = run("explore", trial, *COSTS, "--json")
    report.write_text(command.out)
    assert run("verify", report, trial).code == 0
    changed = command.json
    changed["best_action_cost"] *= 1.001
    report.write_text(json.dumps(changed))
    assert run("verify", report, trial).code == 3


@pytest.mark.parametrize(
    "settings", [("square-cb", "schedule=theorem"), ("lin-ucb", "width=0"), ("lin-thompson", "size=2")]
)
def test_verify_draws_again_whatever_the_settings(run, trial, tmp_path, settings):
    """What was drawn, and the sums of the theorem about it, are computed again under settings that are no defaults."""
    command = run("explore", trial, *COSTS, "--learner", settings[0], "--set", settings[1], "--json")
    (tmp_path / "r.json").write_text(command.out)
    verified = run("verify", tmp_path / "r.json", trial, "--json").json
    assert (verified["differs"], verified["unchecked"]) == (0, 0)
    assert {"cost", "taken/walk", "curve"} <= set(verified["run"]["numbers"])
    assert all(set(one["taken"]) <= {"assuming"} for one in verified["checks"])


@pytest.mark.parametrize("path", ["cost", "estimates/dr", "shares/bus", "interval/1", "largest_weight", "curve/9/1"])
def test_verify_decides_again_in_the_rows_of_a_log(run, trial, tmp_path, path):
    """A number of what the learner would have done in the rounds of a log is named where it is false."""
    log, report = tmp_path / "log.csv", tmp_path / "r.json"
    run("explore", trial, *COSTS, "--log", log, "--set", "epsilon=0.9", "--quiet")
    honest = run("explore", log, *LOG, "--learner", "square-cb", "--json")
    report.write_text(honest.out)
    assert run("verify", report, log).code == 0
    inside = whole = honest.json
    *keys, last = [int(key) if key.isdigit() else key for key in path.split("/")]
    for key in keys:
        inside = inside[key]
    inside[last] *= 1.0001
    report.write_text(json.dumps(whole))
    command = run("verify", report, log)
    assert (command.code, path.partition("/")[0] in command.out.splitlines()[1]) == (3, True)


def test_verify_says_what_it_did_not_play_again(run, trial, tmp_path):
    """Of a regressor that the textbook does not play row by row the costs of the actions alone are compared."""
    command = run("explore", trial, *COSTS, "--regressor", "aggregated-regressor", "--json")
    (tmp_path / "r.json").write_text(command.out)
    command = run("verify", tmp_path / "r.json", trial)
    assert (command.code, "the run was not played again (the textbook does not play aggregated-" in command.out) == (
        0,
        True,
    )


def test_a_log_is_learned_from(run, trial, tmp_path):
    """What a log teaches is kept: the model goes on with it, and its forecasts are those of the rows that it has."""
    import regretless

    log, model = tmp_path / "log.csv", tmp_path / "m.rgl"
    run("explore", trial, *COSTS, "--log", log, "--set", "epsilon=0.9", "--quiet")
    run("explore", log, *LOG, "--save", model, "--quiet")
    learner = regretless.load(model)
    assert learner.rounds_ == 0
    wet, dry = learner.forecasts([1.0]), learner.forecasts([0.0])
    assert (wet[1] > wet[0]) == (learner.names()[1] == "walk")
    assert (dry[1] > dry[0]) == (learner.names()[1] == "bus")
    assert run("explore", log, "--resume", model, "--quiet").code == 0


def test_a_damaged_model_is_refused(run, trial, tmp_path):
    """A model whose sums are of other actions than its learner's is no model to go on with."""
    from regretless.persist.model import read, write

    model = tmp_path / "m.rgl"
    assert main(["explore", str(trial), *COSTS, "--save", str(model), "--quiet"]) == 0
    learner, extra = read(model)
    for change in ({"rounds": 3}, {"taken": [1, 2, 3]}, {"cost": "much"}, {"least": None}):
        write(model, learner, extra | {"tally": extra["tally"] | change})
        refused = run("explore", trial, "--resume", model)
        assert refused.code == 1
        assert "does not fit together" in refused.err


def logged_rounds(path: Path, propensity: float | None = None, last: str = "") -> Path:
    """A log of 200 rounds that walked with 1/4 of the probability, and took the bus else; what it says it did."""
    draw = np.random.default_rng(5)
    walks = draw.random(200) < 0.25
    shares = np.where(walks, 0.25, 0.75) if propensity is None else np.full(200, propensity)
    rows = [
        f"{'walk' if one else 'bus'},{0.2 if one else 0.6},{p},{p},{1 - p}"
        for one, p in zip(walks, shares, strict=True)
    ]
    path.write_text("\n".join(["action,cost,probability,pa,rain", *rows, last]))
    return path


@pytest.mark.parametrize("propensity", [0.05, None])
def test_propensities_that_are_too_small_are_refused_and_noted(run, tmp_path, propensity):
    """Where a log has a propensity of 1/20 throughout the learner's interval is refused, as its certificate is, and
    notes say that weights are wrong, on stdout and in JSON; with the right ones there is neither."""
    path = logged_rounds(tmp_path / "log.csv", propensity)
    report, output = run("explore", path, *LOG, "--json").json, run("explore", path, *LOG).out
    wrong = propensity is not None
    assert (report["interval"] is None, report["certificates"][0]["applies"]) == (wrong, not wrong)
    assert any("the weights have a mean of" in note for note in report["notes"]) is wrong
    assert ("refused" in output, "note: the weights have a mean of" in output) == (wrong, wrong)


def test_an_action_that_no_round_took_is_not_the_best_one(run, tmp_path):
    """Of a train that a log never took no cost is known, from the first round on: walking is the best action."""
    path = logged_rounds(tmp_path / "log.csv")
    report = run("explore", path, *LOG, "--actions", "walk,bus,train", "--json").json
    assert report["best_action"] == "walk"
    assert min(best for _, _, best in report["curve"]) > 0


def test_an_action_that_one_round_took_is_noted(run, tmp_path):
    """One misspelt word among 201 rounds is an action, and a note asks whether it is; named actions refuse it."""
    path = logged_rounds(tmp_path / "log.csv", last="wlak,0.1,0.25,0.25,0.75")
    assert "of 201 rounds one took 'wlak': is it an action?" in run("explore", path, *LOG).out
    refused = run("explore", path, *LOG, "--actions", "walk,bus")
    assert (refused.code, "log.csv:202:1: the action 'wlak' is not known" in refused.err) == (1, True)


def test_columns_of_probabilities_need_the_order_of_the_actions(run, tmp_path):
    """Without --actions it is not known which column is about which action."""
    path = logged_rounds(tmp_path / "log.csv")
    refused = run("explore", path, *LOG[:4], "--propensities", "probability,rain")
    assert refused.code == 1
    assert "name them in the order of these columns (--actions A,B)" in refused.err
