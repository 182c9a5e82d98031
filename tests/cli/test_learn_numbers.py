"""``learn`` of numbers on the command line: the task, the model and what is done with it, intervals, and what is
refused."""

from __future__ import annotations

import json

import numpy as np
import pytest

import regretless
from regretless.regression import AggregatedQuantile, AggregatedRegressor, certificates

from ..command_line import CommandLine

QUIET = ("--quiet",)


@pytest.fixture
def run(capsys, monkeypatch) -> CommandLine:
    return CommandLine(capsys, monkeypatch)


@pytest.fixture
def table(tmp_path):
    """A hundred and fifty towns with a rent near a line, in whole and broken numbers."""
    random = np.random.default_rng(2)
    lines = ["size,town,rent,bill"]
    for size, town, noise in zip(
        random.random(150) * 100, random.choice(["Rome", "Oslo"], 150), random.normal(size=150), strict=True
    ):
        rent = 3 * size + 50 * (town == "Rome") + noise
        lines.append(f"{size:.3f},{town},{rent:.2f},{round(rent)}")
    path = tmp_path / "rents.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


RENT = ("--target", "rent", "--ignore", "bill")
BILL = ("--target", "bill", "--ignore", "rent")


def rows_of(table) -> tuple[np.ndarray, np.ndarray]:
    """The columns as the command line encodes them, and the rents."""
    cells = [line.split(",") for line in table.read_text().splitlines()[1:]]
    towns = list(dict.fromkeys(cell[1] for cell in cells))
    X = np.array([[float(cell[0]), *(float(cell[1] == town) for town in towns)] for cell in cells])
    return X, np.array([float(cell[2]) for cell in cells])


def test_fractions_mean_regression(run, table, tmp_path):
    """A target of many fractions is forecast as a number, which is said; JSON has its losses, and the sum is
    Python's."""
    command = run("learn", table, *RENT, "--save", tmp_path / "m.rgl")
    assert command.code == 0
    assert "the target 'rent' has fractions, so numbers are forecast (--task regression)" in command.err
    report = run("learn", table, *RENT, "--json").json
    X, y = rows_of(table)
    learner = AggregatedRegressor().fit(X, y)
    assert (report["task"], report["learner"], report["rounds"]) == ("regression", "aggregated-regressor", 150)
    assert report["squared_loss"] == pytest.approx(learner.ledger_.loss, rel=1e-12)
    assert report["loss"] == learner.ledger_.loss
    assert report["best_constant_loss"] == pytest.approx(((y[1:] - y[1:].mean()) ** 2).sum())
    assert report["progressive"]["rows"] == 149
    assert all(one["applies"] and one["observed"] <= one["bound"] for one in report["certificates"])


def test_whole_numbers_are_asked_about(run, table):
    """Whole numbers that nearly all differ may be either: nothing is learned until the task is said."""
    command = run("learn", table, *BILL, *QUIET)
    assert command.code == 1
    either = "say whether it is one: --task regression, with --set loss=poisson for counts, or --task classification"
    assert either in command.err
    assert run("learn", table, *BILL, *QUIET, "--task", "regression").code == 0
    assert run("learn", table, *BILL, *QUIET, "--task", "classification", "--any-labels", "--no-certify").code == 0


def test_a_quantile_is_learned_as_in_python(run, table):
    """--task quantile with --set quantile=0.9 is `AggregatedQuantile(quantile=0.9)`."""
    report = run("learn", table, *RENT, "--task", "quantile", "--set", "quantile=0.9", "--json").json
    X, y = rows_of(table)
    learner = AggregatedQuantile(quantile=0.9).fit(X, y)
    assert report["loss"] == report["pinball_loss"] == learner.ledger_.loss
    assert report["loss_name"] == "pinball loss"
    constants = [np.where(y[1:] > c, 0.9 * (y[1:] - c), 0.1 * (c - y[1:])).sum() for c in y]
    assert report["best_constant_loss"] == pytest.approx(min(constants), rel=1e-12)


@pytest.mark.parametrize("loss", ["square", "absolute", "pinball", "huber"])
def test_squared_losses_of_simple_rules_stand_beside_squared_losses_alone(run, table, loss):
    """The mean so far and the row before, whose losses are squared, are printed for the square loss and for no other:
    neither in the lines, nor in the table, nor in a note."""
    words = ("--learner", "online-gradient-descent", "--task", "regression", "--set", f"loss={loss}", "--no-certify")
    command = run("learn", table, *RENT, *words, "--set", "schedule=constant", "--set", "rate=1e-9")
    assert command.code == 0
    for message in ("the mean of the outcomes so far:", "the outcome of the row before:", "mean so far", "loses less"):
        assert (message in command.out + command.err) == (loss == "square"), message


@pytest.mark.parametrize("loss", ["square", "absolute", "pinball", "huber"])
def test_the_best_constant_is_computed_again(run, table, tmp_path, loss):
    """verify finds the loss of the best constant of each loss, and notices another by a hundredth."""
    words = ("--learner", "online-gradient-descent", "--task", "regression", "--set", f"loss={loss}", "--json")
    report, path = run("learn", table, *RENT, *words).json, tmp_path / "r.json"
    for factor, code in ((1, 0), (0.99, 3)):
        path.write_text(json.dumps(report | {"best_constant_loss": factor * report["best_constant_loss"]}))
        assert run("verify", path, table, *RENT).code == code


def test_a_constant_of_a_sample_is_not_called_the_best(run, table, monkeypatch):
    """Of rows too many to be kept a constant is chosen on the first ones: its certificate says so, and no line and no
    number calls it the best one known in hindsight."""
    monkeypatch.setattr(certificates, "BLOCK", 10)
    monkeypatch.setattr(certificates, "ENTRIES", 40)
    words = ("--task", "quantile", "--set", "quantile=0.9")
    command = run("learn", table, *RENT, *words)
    assert "against a constant chosen on the first" in command.out
    assert "known in hindsight" not in command.out
    assert run("learn", table, *RENT, *words, "--json").json["best_constant_loss"] is None


def test_gradient_descent_is_of_both_tasks(run, table, tmp_path):
    """online-gradient-descent learns labels or numbers, as the column or --task says, and its models differ."""
    words = ("--learner", "online-gradient-descent", "--no-certify", *QUIET)
    assert run("learn", table, *RENT, *words, "--set", "loss=huber", "--save", tmp_path / "a.rgl").code == 0
    assert run("learn", table, "--target", "town", *words, "--save", tmp_path / "b.rgl").code == 0
    kinds = [type(regretless.load(tmp_path / name)).__module__ for name in ("a.rgl", "b.rgl")]
    assert kinds == ["regretless.regression.gradient_descent", "regretless.linear.ogd"]
    assert "Huber loss" in run("inspect", tmp_path / "a.rgl").out


def test_a_model_is_used_as_in_python(run, table, tmp_path):
    """predict prints its forecasts, inspect its loss, certify the lines of learn; other rows get none against
    vectors."""
    model = tmp_path / "m.rgl"
    lines = run("learn", table, *RENT, "--save", model, *QUIET).out.splitlines()
    learner = regretless.load(model)
    X, y = rows_of(table)
    assert isinstance(learner, AggregatedRegressor)
    printed = [float(line) for line in run("predict", model, table).out.splitlines()]
    assert printed == learner.predict(X).tolist()
    report = run("predict", model, table, "--json").json
    assert report["squared_loss"] == pytest.approx(((y - learner.predict(X)) ** 2).sum())
    assert report["r2"] == pytest.approx(learner.score(X, y))
    assert run("inspect", model, "--json").json["loss"] == learner.ledger_.loss
    assert "largest weights" in run("inspect", model).out
    assert run("certify", model, table).out.splitlines() == lines
    head, _, tail = table.read_text().rpartition("Rome")
    (tmp_path / "other.csv").write_text(f"{head}Oslo{tail}")
    other = run("certify", model, tmp_path / "other.csv")
    assert (other.code, "learned from other rows than these" in other.err) == (1, True)
    assert "learned from others" in other.out


def test_certify_has_the_lines_that_need_no_row(run, table, tmp_path):
    """Without a file, bounds against all vectors and the coverage of intervals are as learn printed them; the others
    ask for the file. With it all lines are those of learn. What is about rows is refused."""
    model = tmp_path / "m.rgl"
    lines = run("learn", table, *RENT, "--interval", "0.9", "--save", model, *QUIET).out.splitlines()
    assert run("certify", model, table).out.splitlines() == lines
    alone = run("certify", model).out.splitlines()
    assert len(alone) == len(lines)
    assert (alone[0], alone[-1]) == (lines[0], lines[-1])
    assert alone[0].startswith("Against all vectors at once: ")
    assert lines[-1].startswith("Coverage on any sequence: ")
    assert all("does not apply (the rounds must be read again: give the file" in line for line in alone[1:-1])
    assert run("certify", model, "--json").json["input"] is None
    refused = run("certify", model, "--save-comparators", tmp_path / "v.npz")
    assert (refused.code, refused.err) == (2, "regretless: --save-comparators needs the FILE of the rows\n")


def test_a_run_that_was_stopped_goes_on_to_the_same_model(run, table, tmp_path):
    """Two halves with --resume give the bytes of the whole but for where they were, and the same intervals."""
    head, tail = tmp_path / "head.csv", tmp_path / "tail.csv"
    lines = table.read_text().splitlines(keepends=True)
    head.write_text("".join(lines[:70]))
    tail.write_text("".join([lines[0], *lines[70:]]))
    more = ("--no-certify", "--quiet", "--interval", "0.8")
    assert run("learn", table, *RENT, "--save", tmp_path / "whole.rgl", *more).code == 0
    assert run("learn", head, *RENT, "--save", tmp_path / "half.rgl", *more).code == 0
    assert run("learn", tail, *RENT, "--resume", tmp_path / "half.rgl", *more).code == 0
    assert (tmp_path / "half.rgl").read_bytes() == (tmp_path / "whole.rgl").read_bytes()


def test_checkpoints_and_a_bad_row_leave_the_rows_before(run, table, tmp_path):
    """An outcome of 1e300 is an error with its line; the rows before are saved, and the run goes on when it is
    mended."""
    text = table.read_text().splitlines(keepends=True)
    bad = tmp_path / "bad.csv"
    cells = text[91].split(",")
    bad.write_text("".join([*text[:91], ",".join([*cells[:2], "1e300", cells[3]]), *text[92:]]))
    command = run("learn", bad, *RENT, "--save", tmp_path / "m.rgl", "--quiet")
    assert command.code == 1
    assert "bad.csv, line 92" in command.err.replace(":92", ", line 92")
    assert "1e+300" in command.err
    assert "90 rounds are kept" in command.err
    bad.write_text("".join(text))
    assert run("learn", bad, "--resume", tmp_path / "m.rgl", *RENT, "--quiet", "--no-certify").code == 0
    assert run("learn", table, *RENT, "--save", tmp_path / "whole.rgl", "--quiet", "--no-certify").code == 0
    assert (tmp_path / "m.rgl").read_bytes() == (tmp_path / "whole.rgl").read_bytes()


def test_intervals_of_counts_begin_at_0(run, tmp_path):
    """With the loss of counts, learn and predict have no interval below 0, and predict counts the width of what it
    prints."""
    counts = np.random.default_rng(1).poisson(1.0, 120)
    file, model = tmp_path / "c.svm", tmp_path / "m.rgl"
    file.write_text("".join(f"{count} 1:{row % 3}\n" for row, count in enumerate(counts)))
    words = ("--task", "regression", "--set", "loss=poisson", "--interval", "0.9", "--no-certify", "--save", model)
    assert run("learn", file, *words).code == 0
    lines = run("predict", model, file, "--interval").out.splitlines()
    ends = np.array([line.split("\t")[1:] for line in lines], dtype=float)
    assert ends[:, 0].min() == 0
    interval = run("predict", model, file, "--interval", "--json").json["interval"]
    assert interval["width"] == pytest.approx((ends[:, 1] - ends[:, 0]).mean())
    assert interval["coverage"] == np.mean((ends[:, 0] <= counts) & (counts <= ends[:, 1]))


def test_intervals_hold_what_is_promised(run, table, tmp_path):
    """Their coverage is within its bound, predict prints their ends, and JSON says how wide they are."""
    model = tmp_path / "m.rgl"
    report = run("learn", table, *RENT, "--interval", "0.9", "--save", model, "--json").json
    interval = report["interval"]
    assert abs(1 - interval["coverage"] - 0.1) == pytest.approx(interval["coverage_error"])
    assert interval["coverage_error"] <= interval["bound"]
    assert report["certificates"][-1]["theorem"] == "adaptive_coverage"
    assert interval["rounds"] == 149
    _, *lines = run("predict", model, table, "--interval").out.splitlines()
    rows = [list(map(float, line.split("\t"))) for line in lines]
    assert all(low < forecast < high for forecast, low, high in rows)
    counted = run("predict", model, table, "--interval", "--json").json["interval"]
    assert counted["width"] == pytest.approx(rows[0][2] - rows[0][1])
    assert 0.8 < counted["coverage"] <= 1
    assert run("predict", model, table, "--interval").out == run("predict", model, table, "--interval").out
    assert run("certify", model, table, "--json").json["certificates"] == report["certificates"]


def test_the_report_draws_the_loss_forecasts_and_residuals(run, table, tmp_path):
    """The page has the loss under its bounds, forecasts and outcomes, residuals, the intervals' misses and the
    posterior."""
    page = tmp_path / "r.html"
    assert run("learn", table, *RENT, "--interval", "0.9", "--report", page, *QUIET).code == 0
    text = page.read_text()
    for title in (
        "Squared loss under the certified bounds",
        "Forecast and outcome",
        "Residuals",
        "Misses of the intervals",
        "Posterior weights of the members",
    ):
        assert title in text
    assert "NaN" not in text


def test_vectors_are_saved_and_yours_is_compared(run, table, tmp_path):
    """--against reads a vector of yours, and --save-comparators writes those that were found."""
    np.save(tmp_path / "u.npy", [3.0, 50.0, 0.0])
    command = run("learn", table, *RENT, "--against", tmp_path / "u.npy", "--json")
    one = next(one for one in command.json["certificates"] if one["theorem"] == "by_a_full_matrix")
    assert one["comparator"]["label"] == "yours"
    assert one["observed"] <= one["bound"]
    assert run("learn", table, *RENT, "--save-comparators", tmp_path / "u.npz", *QUIET).code == 0
    assert {"against_best_constant", "by_slopes"} <= set(np.load(tmp_path / "u.npz"))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--task", "regression", "--learner", "arow"), "--task regression contradicts --learner arow"),
        (("--task", "quantile", "--learner", "aggregated-regressor"), "which is for regression"),
        (("--task", "regression", "--passes", "2"), "--passes is for learners of labels"),
        (("--task", "regression", "--iid"), "--iid is for learners of labels"),
        (("--task", "regression", "--any-labels"), "--any-labels is about labels"),
        (("--task", "classification", "--any-labels", "--interval", "0.9"), "--interval is for forecasts of numbers"),
        (("--task", "regression", "--interval", "1.5"), "must lie between 0 and 1"),
        (("--task", "quantile", "--set", "quantile=1"), "quantile=1"),
        (("--task", "regression", "--set", "rates=-1"), "rates"),
        (("--task", "regression", "--set", "nonsense=1"), "has no parameter 'nonsense'"),
        (("--task", "regression", "--workers", "2"), "shards are for labels"),
    ],
)
def test_what_contradicts_is_usage(run, table, words, message):
    """Options that do not go together are an error of usage that says which, before anything is learned."""
    command = run("learn", table, *RENT, *words)
    assert command.code == 2
    assert message in command.err
    assert "Traceback" not in command.err


def test_words_are_no_numbers(run, table):
    """A target of words is refused for regression with its first word."""
    command = run("learn", table, "--target", "town", "--task", "regression", *QUIET)
    assert command.code == 1
    assert "'Oslo', which is no number" in command.err or "'Rome', which is no number" in command.err


def test_words_are_refused_by_the_name_of_the_interval(run, table):
    """Where --interval alone says that numbers are wanted, the message about a target of words names it and the
    column."""
    command = run("learn", table, "--target", "town", "--interval", "0.9", *QUIET)
    assert (command.code, command.out) == (1, "")
    assert "--interval is for numbers, and the target 'town' holds words, first '" in command.err
    assert "choose a column of numbers with --target, or leave --interval out" in command.err


def test_verify_reads_the_target_of_the_report(run, table, tmp_path):
    """The report, of certify too, names the target, which verify takes; another one is refused. Where columns differ,
    the options of reading are asked for. A report without a target that meets words asks for --target."""
    words = table.read_text().replace("town", "label", 1)
    (tmp_path / "towns.csv").write_text(words)
    report = tmp_path / "m.json"
    report.write_text(run("learn", tmp_path / "towns.csv", *RENT, "--json").out)
    command = run("verify", report, tmp_path / "towns.csv")
    assert command.code == 3
    assert command.err.endswith("give the options of reading that learn had (--ignore and the like)\n")
    assert run("verify", report, tmp_path / "towns.csv", "--ignore", "bill").code == 0
    other = run("verify", report, tmp_path / "towns.csv", "--target", "label")
    assert (other.code, other.err) == (2, f"regretless: --target label: {report} is about the target 'rent'\n")
    assert run("learn", tmp_path / "towns.csv", *RENT, *QUIET, "--save", tmp_path / "m.rgl").code == 0
    (tmp_path / "c.json").write_text(run("certify", tmp_path / "m.rgl", tmp_path / "towns.csv", "--json").out)
    assert run("verify", tmp_path / "c.json", tmp_path / "towns.csv", "--ignore", "bill").code == 0
    report.write_text(report.read_text().replace(', "target": "rent"', ""))
    command = run("verify", report, tmp_path / "towns.csv")
    assert (command.code, command.out) == (1, "")
    assert f"the target 'label' holds words, first '{words.splitlines()[1].split(',')[1]}'" in command.err
    assert f"and {report} is about numbers; give --target" in command.err
    assert run("verify", report, tmp_path / "towns.csv", *RENT).code == 0


@pytest.mark.parametrize("learner", ["aggregated-regressor", "vovk-azoury-warmuth", "online-gradient-descent"])
def test_rows_that_are_learned_once_more_are_noticed(run, table, tmp_path, learner):
    """Learning the same file again, and a third time, is warned of; other rows, though they end with the same one, are
    not."""
    model = tmp_path / "m.rgl"
    words = ("--learner", learner, "--task", "regression", *RENT, "--no-certify", *QUIET)
    assert "as it seems" not in run("learn", table, *words, "--save", model).err
    for _ in range(2):
        command = run("learn", table, *words, "--resume", model)
        assert command.code == 0
        assert (
            f"{table} is, as it seems, what the model had learned from: its rows were learned once more" in command.err
        )
    lines = table.read_text().splitlines(keepends=True)
    (tmp_path / "more.csv").write_text("".join([*lines[:5], "700" + lines[5], *lines[6:]]))
    assert run("learn", table, *words, "--save", model).code == 0
    assert "as it seems" not in run("learn", tmp_path / "more.csv", *words, "--resume", model).err


def test_rows_without_an_outcome_are_predicted(run, table, tmp_path):
    """A blank outcome, or a blank label, stops no prediction, and losses and errors are those of the other rows; learn
    and compare refuse it."""
    lines = table.read_text().splitlines()
    for target, place, task in (("rent", 2, "regression"), ("town", 1, "classification")):
        model, blank = tmp_path / f"{target}.rgl", tmp_path / f"{target}.csv"
        cells = lines[3].split(",")
        cells[place] = ""
        blank.write_text("\n".join([*lines[:3], ",".join(cells), *lines[4:]]) + "\n")
        short = tmp_path / "short.csv"
        short.write_text("\n".join([*lines[:3], *lines[4:]]) + "\n")
        words = ("--target", target, "--ignore", "bill", "--task", task, "--no-certify", *QUIET)
        assert run("learn", table, *words, "--save", model).code == 0
        assert run("predict", model, blank).out == run("predict", model, table).out
        of_all, of_others = (run("predict", model, file, "--json").json for file in (blank, short))
        assert (of_all["rows"], of_others["rows"]) == (150, 149)
        assert of_all["outcomes" if task == "regression" else "labelled"] == 149
        for name in ("squared_loss",) if task == "regression" else ("errors", "error_rate", "unknown_labels"):
            assert of_all[name] == pytest.approx(of_others[name])
        assert ":4:" in run("learn", blank, *words).err
        if task == "classification":
            assert "the label is missing" in run("compare", model, model, blank).err


def test_verbs_of_labels_refuse_a_model_of_numbers(run, table, tmp_path):
    """combine, compare and shards say what the model is; predict has no probabilities and no intervals where there are
    none."""
    model = tmp_path / "m.rgl"
    assert run("learn", table, *RENT, "--save", model, "--no-certify", *QUIET).code == 0
    for words, message in [
        (("predict", model, table, "--probabilities"), "labels alone have probabilities"),
        (("predict", model, table, "--interval"), "it learned without them"),
        (("combine", table, "--target", "rent", "--resume", model), "learned from rows with outcomes"),
        (("learn", table, *RENT, "--resume", model, "--task", "classification"), "which is for regression"),
        (("play", "--learner", "aggregated-regressor", "--environment", "separable"), "which no environment gives"),
    ]:
        command = run(*words)
        assert command.code in (1, 2)
        assert message in command.err, words


@pytest.mark.parametrize("key", ["observed", "bound", "loss", "eta", "gap", "least", "energy"])
def test_a_forged_number_is_noticed(run, table, tmp_path, key):
    """A report agrees with its data by the textbook's run, and no longer once a number of it is another by a
    hundredth."""
    report = run("learn", table, *RENT, "--interval", "0.9", "--json").json
    path = tmp_path / "r.json"
    path.write_text(json.dumps(report))
    honest = run("verify", path, table, "--target", "rent", "--ignore", "bill")
    assert (honest.code, honest.out.count("agrees: ")) == (0, len(report["certificates"]) + 1)
    one = report["certificates"][0]
    place = next(part for part in (one, *one["constants"].values()) if key in part)
    place[key] *= 1.01
    path.write_text(json.dumps(report))
    assert run("verify", path, table, "--target", "rent", "--ignore", "bill").code == 3


@pytest.mark.parametrize("learner", ["aggregated-regressor", "aggregated-quantile", "vovk-azoury-warmuth"])
def test_rates_that_are_too_large_are_computed_again_to_the_digit(run, tmp_path, learner):
    """A rate whose steps double every rounding is played again in the order of the kernel, and its report agrees."""
    random = np.random.default_rng(6)
    rows = random.normal(size=(400, 3)) + np.array([736000.0, 40.0, 1.0])
    y = np.cumsum(random.normal(size=400)) + rows[:, 1]
    cells = [",".join([*map(repr, row), repr(outcome)]) for row, outcome in zip(rows.tolist(), y.tolist(), strict=True)]
    (tmp_path / "walk.csv").write_text("\n".join(["a,b,c,y", *cells, ""]))
    report = run("learn", tmp_path / "walk.csv", "--learner", learner, "--json")
    (tmp_path / "r.json").write_text(report.out)
    checked = run("verify", tmp_path / "r.json", tmp_path / "walk.csv")
    assert checked.code == 0
    assert "differs" not in checked.out


def test_a_model_that_follows_a_drift_is_reported_to_age(run, tmp_path):
    """Where the posterior is on the fastest rate, and where the row before forecasts better, notes say so."""
    level = np.repeat(np.random.default_rng(4).normal(size=30) * 10, 20)
    lines = [f"{number / 7:.4f} 1:1 2:{row % 2}\n" for row, number in enumerate(level)]
    (tmp_path / "walk.svm").write_text("".join(lines))
    report = run(
        "learn", tmp_path / "walk.svm", "--task", "regression", "--set", "full=0", "--no-certify", "--json"
    ).json
    assert report["members"][-1]["posterior"] > 0.5
    assert any("of the posterior is on the fastest rate, 1.6" in note for note in report["notes"])
    assert any("the outcome of the row before loses less" in note for note in report["notes"])


def test_a_stream_that_is_read_once_is_learned(run, table):
    """From standard input the task is found all the same; the bound that reads no row again stands."""
    command = run("learn", "-", "--format", "csv", *RENT, "--json", stdin=table.read_bytes())
    record = json.loads(command.out)
    assert record["rounds"] == 150
    applies = {one["theorem"]: one["applies"] for one in record["certificates"]}
    assert applies["against_all"]
    assert not applies["by_slopes"]
    whole = run("learn", table, *RENT, "--json").json
    assert record["loss"] == whole["loss"]


@pytest.mark.parametrize(("setting", "task"), [("loss=poisson", "regression"), ("quantile=0.9", "quantile")])
def test_a_parameter_of_a_learner_of_numbers_names_the_task(run, tmp_path, setting, task):
    """A parameter that the default learner of labels lacks and one of numbers has says which task to add, and with the
    task it is taken."""
    (tmp_path / "counts.csv").write_text("a,visits\n" + "".join(f"{row % 7},{row % 9}\n" for row in range(60)))
    arguments = ("learn", tmp_path / "counts.csv", *QUIET, "--target", "visits", "--set", setting)
    command = run(*arguments)
    assert command.code == 2
    assert f"has {setting.partition('=')[0]}, so for numbers add --task {task}" in command.err
    assert run(*arguments, "--task", task, "--no-certify").code == 0
    assert "add --task" not in run(*arguments[:-1], "speed=1").err
    assert "add --task" not in run(*arguments, "--learner", "perceptron").err


def test_what_contradicts_the_task_of_a_model_is_named(run, tmp_path, table):
    """To go on with a model of numbers, the option that asks for labels is named, and not one that was not written."""
    saved = tmp_path / "m.rgl"
    assert run("learn", table, *QUIET, *RENT, "--no-certify", "--save", saved).code == 0
    for option in (("--learner", "perceptron"), ("--any-labels",), ("--task", "classification")):
        command = run("learn", table, *QUIET, *RENT, "--resume", saved, *option)
        assert command.code == 2
        assert f"{' '.join(option)} contradicts the model, which is for regression" in command.err


def test_a_word_where_numbers_are_learned_on_is_refused_with_its_line(run, tmp_path):
    """A model of numbers that goes on with labels of words names the file, the line and the first word."""
    numbers, words, model = tmp_path / "n.vw", tmp_path / "w.vw", tmp_path / "m.rgl"
    numbers.write_text("1.5 | a\n2.5 | b\n3.5 | a b\n")
    words.write_text("spam | a\n2 | b\n")
    assert run("learn", numbers, "--task", "regression", "--save", model, "--quiet").code == 0
    command = run("learn", words, "--resume", model, "--quiet")
    assert command.code == 1
    assert (
        f"{words}:1: row 1 has the label 'spam'; a number is expected, as the model has learned numbers" in command.err
    )
