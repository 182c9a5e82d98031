"""The verbs of the command line, for those who use them rightly."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import regretless
from regretless import report
from regretless.catalogue import LEARNERS, REGRESSORS
from regretless.cli.arguments import SavingOptions
from regretless.cli.entry import VERBS, make
from regretless.cli.options import verb_of
from regretless.data import load_svmlight, open_stream
from regretless.data.formats import ROWS
from regretless.data.rows import READERS
from regretless.linear import AggregatedClassifier, MulticlassPerceptron, OnlineGradientDescent, Perceptron

from ..command_line import BARE, CommandLine, Result, noisy_lines, quietly, write

PLAIN = ("--set", "intercept=0")  # rows as they are, as classes in Python have them
CERTIFICATE_KEYS = [
    "theorem",
    "kind",
    "quantity",
    "observed",
    "bound",
    "rounding",
    "vacuous",
    "applies",
    "why",
    "confidence",
    "at_once",
    "assuming",
    "comparator",
    "source",
    "formula",
    "constants",
    "parts",
]
LEARN_KEYS = [
    "schema",
    "learner",
    "task",
    "parameters",
    "rounds",
    "mistakes",
    "updates",
    "loss",
    "classes",
    "progressive",
    "seconds",
    "curve",
    "certificates",
    "joint_confidence",
    "model",
    "input",
    "notes",
]


@pytest.fixture
def run(capsys, monkeypatch) -> CommandLine:
    return CommandLine(capsys, monkeypatch)


@pytest.fixture
def mail(tmp_path) -> Path:
    """A noisy problem of two classes."""
    return write(tmp_path / "mail.svm", noisy_lines(700))


@pytest.fixture
def table(tmp_path) -> Path:
    """A table with a column of names."""
    path = tmp_path / "trees.csv"
    random = np.random.default_rng(3)
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["height", "kind", "label"])
        for height in random.normal(size=300):
            kind = random.choice(["oak", "fir", "Ölbaum"])
            writer.writerow([height, kind, "old" if height + (kind == "oak") > 0 else "young"])
    return path


# ---- learn


def test_learn_counts_what_the_estimator_counts(run, mail):
    """The file learned through the command line gives the ledger of `fit` on the same rows."""
    X, y = load_svmlight(mail)
    ledger = Perceptron().fit(X, y).ledger_
    output = run("learn", mail, "--learner", "perceptron", *PLAIN, "--json").json
    assert [output["rounds"], output["mistakes"], output["updates"]] == [700, ledger.mistakes, ledger.updates]
    assert output["loss"] == ledger.loss


def test_the_table_shows_prefixes_at_doubling_rounds(run, mail):
    """Each row of the table holds the mistakes of that many first rows, the rate so far and that since the last row."""
    lines = run("learn", mail, "--learner", "perceptron", *PLAIN, "--no-certify").err.splitlines()
    rows = [line.split() for line in lines if not line.startswith("note: ")]
    assert rows[0] == ["rounds", "mistakes", "rate", "so", "far", "since", "last", "updates"]
    counts = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 700]
    assert [int(row[0]) for row in rows[1:]] == counts
    X, y = load_svmlight(mail)
    last = (0, 0)
    for row in rows[1:]:
        rounds, mistakes = int(row[0]), int(row[1])
        prefix = Perceptron().partial_fit(X[:rounds], y[:rounds], classes=[-1, 1]).ledger_
        assert (mistakes, int(row[4])) == (prefix.mistakes, prefix.updates)
        assert float(row[2]) == pytest.approx(mistakes / rounds, abs=1e-6)
        assert float(row[3]) == pytest.approx((mistakes - last[1]) / (rounds - last[0]), abs=1e-6)
        last = rounds, mistakes


def test_learn_prints_the_certificates_of_the_estimator(run, mail):
    """One line a certificate stands on stdout, the same that Python gives."""
    X, y = load_svmlight(mail)
    expected = [str(one) for one in Perceptron().fit(X, y).certify(X, y, svm=False)]
    command = run("learn", mail, "--learner", "perceptron", *PLAIN, "--quiet")
    assert command.out.splitlines() == expected
    assert (command.code, command.err) == (0, "")


def test_learn_json_is_one_finite_object_with_the_promised_keys(run, mail, tmp_path):
    """The JSON of learn has its schema, exactly the promised keys, a curve that ends at the end, and what was read."""
    model = tmp_path / "m.rgl"
    command = run("learn", mail, "--learner", "perceptron", "--passes", 2, "--save", model, "--json")
    output = command.json
    assert (command.code, command.err) == (0, "")
    assert (sorted(output), output["schema"]) == (sorted(LEARN_KEYS), "regretless.learn/1")
    assert output["curve"][-1] == [output["rounds"], output["mistakes"], output["updates"]]
    assert output["rounds"] == 1400
    assert all(list(one) == CERTIFICATE_KEYS for one in output["certificates"])
    assert output["certificates"]
    assert output["parameters"]["passes"] == 2
    assert output["model"] == str(model)
    read = {"path": str(mail), "rows": 700, "features": 12, "nonzeros": 3500, "skipped": 0}
    assert output["input"] == read
    assert output["seconds"] > 0


def test_quiet_leaves_stderr_empty(run, mail):
    """With --quiet nothing but the certificates is printed, and with --no-certify nothing at all."""
    assert run("learn", mail, *BARE) == Result(0, "", "")


def test_progress_is_shown_where_it_is_asked_for(run, mail, monkeypatch):
    """With --progress the number of rounds is written even though stderr is no terminal; without it, it is not."""
    monkeypatch.setattr("regretless.cli.output.ELSEWHERE", 0)
    words = ("learn", mail, "--learner", "perceptron", "--no-certify", "--passes", 3)
    assert "rounds, " in run(*words, "--progress").err
    assert "rounds, " not in run(*words).err


def test_parameters_reach_the_learner_in_their_types(run, mail):
    """What --set says is what the estimator of the same parameters does."""
    X, y = load_svmlight(mail)
    twin = OnlineGradientDescent(loss="logistic", schedule="self-tuned", radius=2.0, intercept=1.0, passes=3).fit(X, y)
    words = ["loss=logistic", "schedule=self-tuned", "radius=2", "intercept=1", "rate=none"]
    settings = [word for pair in words for word in ("--set", pair)]
    output = run("learn", mail, "--learner", "online-gradient-descent", "--passes", 3, *settings, "--json").json
    assert output["parameters"]["radius"] == 2.0
    assert output["parameters"]["rate"] is None
    assert output["loss"] == twin.ledger_.loss


def test_until_clean_stops_after_the_first_clean_pass(run, tmp_path):
    """On separable rows --set until_clean=true ends the passes early."""
    lines = [f"{1 if k % 2 else -1} 1:{1 if k % 2 else -1} {k + 2}:1\n" for k in range(20)]
    words = ("--learner", "perceptron", "--passes", 50, "--set", "until_clean=true", "--json")
    output = run("learn", write(tmp_path / "a.svm", lines), *words).json
    assert output["rounds"] < 50 * 20
    assert output["rounds"] % 20 == 0
    assert output["certificates"][0]["applies"]


def test_classes_weigh_what_the_command_line_says(run, mail, tmp_path):
    """--set class_weight=1:2.5,-1:0.5 gives the weights of the same call in Python, also from a resumed model."""
    model, more = tmp_path / "a.rgl", (*PLAIN, "--set", "class_weight=1:2.5,-1:0.5")
    run("learn", mail, "--learner", "perceptron", *more, "--save", model, "--no-certify")
    X, y = load_svmlight(mail)
    ours, twin = regretless.load(model), Perceptron(class_weight={1: 2.5, -1: 0.5}).fit(X, y)
    assert np.array_equal(ours.coef_, twin.coef_)
    run("learn", mail, "--resume", model, "--no-certify")
    assert np.array_equal(regretless.load(model).coef_, twin.partial_fit(X, y).coef_)
    refused = run("learn", mail, "--learner", "perceptron", "--set", "class_weight=2")
    assert refused.code != 0
    assert "class_weight=1:2.5,-1:1" in refused.err
    refused = run("learn", mail, "--learner", "perceptron", "--set", "class_weight=balanced")
    assert "that is for Python, where all labels are known before the first round" in refused.err


def test_a_weight_of_a_class_that_never_came_is_reported(run, mail):
    """A class of class_weight that no row is of is named on stderr, and one that rows are of is not."""
    words = ("learn", mail, "--learner", "perceptron", "--no-certify", "--set")
    assert "class_weight: no row is of the class '7', so that its weight" in run(*words, "class_weight=1:2.5,7:2").err
    assert "class_weight" not in run(*words, "class_weight=1:2.5,-1:2").err


@pytest.mark.parametrize("learner", [Perceptron, MulticlassPerceptron])
def test_rows_of_classes_that_weigh_are_certified(run, mail, tmp_path, learner):
    """`learn` of a file, and `certify` of the model, print for class_weight the bounds that the same call in Python
    has."""
    model, more = tmp_path / "a.rgl", (*PLAIN, "--set", "class_weight=1:2.5,-1:0.5")
    learned = run("learn", mail, "--learner", learner.info.name, *more, "--save", model, "--json").json
    again = run("certify", model, mail, "--json").json
    X, y = load_svmlight(mail)
    ours = learner(class_weight={1: 2.5, -1: 0.5}).fit(X, y).certify(X, y)
    bounds = [one.bound for one in ours if one.applies]
    assert bounds
    for lines in (learned["certificates"], again["certificates"]):
        assert [one["bound"] for one in lines if one["applies"]] == pytest.approx(bounds, rel=1e-12)


def test_rows_without_lines_are_called_by_their_file(run, tmp_path):
    """Of two rows of Parquet that no vector separates messages say the numbers from 1, and the file."""
    path = tmp_path / "rows.parquet"
    table = {"a": [1.0, 2.0, 1.0], "b": [1.0, 0.0, 1.0], "y": [1, 0, 0]}
    pytest.importorskip("pandas").DataFrame(table).to_parquet(path)
    lines = run("learn", path, "--target", "y", "--learner", "perceptron").out
    assert f"row 1 and row 3 of {path} are equal and have different labels" in lines


def test_passes_limit_a_run_until_clean(run, tmp_path):
    """--passes limits a learner that goes on until a pass is clean, and stderr says when the limit was reached."""
    rows = write(tmp_path / "a.svm", ["1 1:1 2:1\n", "-1 1:1 2:1\n"])
    for passes in (1, 3):
        words = ("--learner", "margin-perceptron", "--passes", passes, "--no-certify")
        ended = run("learn", rows, *words, "--save", tmp_path / "m.rgl")
        assert f"this was pass {passes}, the last" in ended.err
        assert run("inspect", tmp_path / "m.rgl", "--json").json["rounds"] == 2 * passes


def test_inspect_says_what_was_left_open(run, mail, tmp_path):
    """Parameters that are not the default ones are listed, and what the others have come to be."""
    model = tmp_path / "m.rgl"
    for learner, settled in {"winnow": "rate 0.25", "arow": "matrix full", "p-norm-perceptron": "p "}.items():
        run("learn", mail, "--learner", learner, "--set", "passes=2", "--no-certify", "--save", model)
        line = run("inspect", model).out.splitlines()[1]
        assert line.startswith(("parameters  passes=2; ", "parameters  intercept=1.0, passes=2; "))
        assert settled in line


def test_standard_input_is_learned_and_says_why_it_is_not_certified(run, mail):
    """From a pipe the same model is learned; the certificates do not apply, and say that it cannot be read again."""
    piped = run("learn", "-", "--learner", "perceptron", "--json", stdin=mail.read_bytes()).json
    filed = run("learn", mail, "--learner", "perceptron", "--json").json
    assert piped["curve"] == filed["curve"]
    assert piped["input"]["path"] == "-"
    assert all(not one["applies"] and "once only" in one["why"] for one in piped["certificates"])


@pytest.mark.parametrize("how", ["cache", "against"])
def test_standard_input_is_certified_when_it_is_stored(run, mail, tmp_path, how):
    """With --cache or against the user's own vector, what came through a pipe is certified as the file is."""
    vector, cache = tmp_path / "u.npy", tmp_path / "kept.svm"
    np.save(vector, np.arange(12.0))
    words = ("--learner", "perceptron", "--json", *(("--against", vector) if how == "against" else ()))
    more = ("--cache", cache) if how == "cache" else ()
    piped = run("learn", "-", *words, *more, stdin=mail.read_bytes()).json
    assert piped["certificates"] == run("learn", mail, *words).json["certificates"]
    assert any(one["applies"] for one in piped["certificates"])
    assert cache.exists() == (how == "cache")


def test_a_cache_allows_several_passes_over_a_pipe(run, mail, tmp_path):
    """Two passes over a pipe that is kept give the model of two passes over the file."""
    piped, filed, cache = (tmp_path / name for name in ("p.rgl", "f.rgl", "c"))
    words = ("learn", "-", *BARE, "--passes", 2, "--save", piped)
    assert run(*words, "--cache", cache, stdin=mail.read_bytes()).code == 0
    assert run("learn", mail, *BARE, "--passes", 2, "--save", filed).code == 0
    assert piped.read_bytes() == filed.read_bytes()
    refused = run(*words, stdin=mail.read_bytes())
    assert refused.code == 1
    assert "--cache" in refused.err


def test_a_comparator_of_the_user_is_read(run, tmp_path):
    """With --against every applying certificate names the user's vector, which errs on few of these rows."""
    X = np.random.default_rng(0).normal(size=(200, 3))
    y = np.where(X.sum(axis=1) + 0.1 * X[:, 0] > 0, 1, -1)
    cells = [" ".join(f"{column}:{value!r}" for column, value in enumerate(x, 1)) for x in X.tolist()]
    lines = [f"{label} {row}\n" for row, label in zip(cells, y, strict=True)]
    np.save(tmp_path / "u.npy", np.ones(3))
    words = ("--learner", "perceptron", "--against", tmp_path / "u.npy", "--json")
    output = run("learn", write(tmp_path / "sums.svm", lines), *words).json
    names = [one["comparator"]["name"] for one in output["certificates"] if one["applies"]]
    assert names
    assert all("your" in name for name in names)


@pytest.mark.parametrize("rows", [700, 12_000])
def test_linear_svms_are_tried_where_they_are_wanted(run, tmp_path, rows):
    """--svm makes no certificate worse, whether the file is read in one block or in several."""
    pytest.importorskip("sklearn")
    mail = write(tmp_path / "mail.svm", noisy_lines(rows))
    words = ("learn", mail, "--learner", "perceptron", "--json")
    plain, more = (run(*words, *option).json["certificates"] for option in ((), ("--svm",)))
    bounds = [(a["bound"], b["bound"]) for a, b in zip(plain, more, strict=True) if a["applies"]]
    assert len(bounds) >= 4
    assert all(with_svm <= without for without, with_svm in bounds)


def test_skipped_rows_are_counted_and_reported(run, mail, tmp_path):
    """--on-error skip learns the model of the good rows, counts the bad ones and says what was wrong with them."""
    lines = mail.read_text().splitlines(keepends=True)
    bad = write(tmp_path / "bad.svm", [*lines[:9], "1 3:x\n", *lines[9:], "oops\n"])
    command = run("learn", bad, *BARE, "--on-error", "skip", "--save", tmp_path / "bad.rgl", "--json")
    assert (command.code, command.json["input"]["skipped"], command.json["rounds"]) == (0, 2, 700)
    assert "2 rows were passed over" in command.err
    assert f"{bad}:10:5:" in command.err
    assert f"{bad}:702:1:" in command.err
    run("learn", mail, *BARE, "--save", tmp_path / "good.rgl")
    assert (tmp_path / "bad.rgl").read_bytes() == (tmp_path / "good.rgl").read_bytes()


def test_a_report_is_written(run, mail, tmp_path):
    """--report writes one page with the numbers of the run, its weights by id and its certified bound."""
    page = tmp_path / "r.html"
    output = run("learn", mail, "--learner", "perceptron", "--report", page, "--json").json
    text = page.read_text()
    assert "Perceptron on mail.svm" in text
    assert f"{output['mistakes']} mistakes" in text
    assert len(text) < 200_000
    assert text.rstrip().endswith("</html>")


def test_only_what_is_certified_is_drawn(run, mail, monkeypatch):
    """The report's bound is the smallest applying bound on a count, one flat line; without certificates there is
    none."""
    drawn = []
    original = report.page_of_run
    monkeypatch.setattr(report, "page_of_run", lambda run: drawn.append(run) or original(run))
    output = run("learn", mail, "--learner", "perceptron", "--report", mail.parent / "r.html", "--json").json
    run("learn", mail, *BARE, "--report", mail.parent / "r.html")
    run("learn", mail, "--learner", "online-gradient-descent", "--quiet", "--report", mail.parent / "r.html")
    smallest = min(one["bound"] for one in output["certificates"] if one["applies"])
    assert drawn[0].bound[1] == np.floor(smallest * (1 + 1e-9) + 1e-9)
    assert drawn[1].bound is None
    assert drawn[1].certificates == []
    assert drawn[2].quantity == "mistakes"
    assert drawn[2].bound[0] == "Mistakes from regret"


# ---- predict


def test_predict_prints_a_label_a_line(run, mail, tmp_path):
    """The labels are those of the estimator, whole numbers without a point; the scores are its scores, to the bit."""
    X, y = load_svmlight(mail)
    twin = Perceptron().fit(X, y)
    run("learn", mail, *BARE, *PLAIN, "--save", tmp_path / "m.rgl")
    assert run("predict", tmp_path / "m.rgl", mail).out.split("\n") == [*(f"{int(one)}" for one in twin.predict(X)), ""]
    scores = [float(line) for line in run("predict", tmp_path / "m.rgl", mail, "--scores").out.split()]
    assert scores == twin.decision_function(X).tolist()


@pytest.mark.parametrize("format", ["csv", "svmlight"])
def test_a_row_on_standard_input_is_answered_at_once(tmp_path, format):
    """Each line of a pipe has its label before the next line is written; a model of a table expects its names."""
    lines = {"csv": ["a,b,label", "1,2,1", "3,4,-1"], "svmlight": ["1 1:1 2:2", "-1 1:3 2:4"]}[format]
    table, model = tmp_path / f"t.{format if format == 'csv' else 'svm'}", tmp_path / "m.rgl"
    table.write_text("\n".join(lines) + "\n")
    assert quietly("learn", table, *BARE, "--save", model) == 0
    command = [sys.executable, "-m", "regretless", "predict", str(model), "-"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        rows = ["a,b\n1,2\n", "3,4\n", "1,1\n"] if format == "csv" else ["0 1:1 2:2\n", "0 1:3 2:4\n", "0 1:1\n"]
        for row in rows:
            process.stdin.write(row)
            process.stdin.flush()
            assert process.stdout.readline() in ("1\n", "-1\n")
        process.stdin.close()
        assert process.stdout.read() == ""
        assert process.wait() == 0


def test_predict_json_counts_labels_and_errors(run, mail, tmp_path):
    """The JSON of predict counts each label, the errors among labelled rows, and labels that were never met."""
    run("learn", mail, *BARE, "--save", tmp_path / "m.rgl")
    predicted = run("predict", tmp_path / "m.rgl", mail).out.split()
    labels = [line.split()[0] for line in mail.read_text().splitlines()]
    output = run("predict", tmp_path / "m.rgl", mail, "--json").json
    assert output["counts"] == {"-1": predicted.count("-1"), "1": predicted.count("1")}
    assert output["errors"] == sum(a != b for a, b in zip(predicted, labels, strict=True))
    assert (output["schema"], output["rows"], output["unknown_labels"]) == ("regretless.predict/1", 700, 0)
    other = write(tmp_path / "other.svm", ["7 1:1\n", "7 2:1\n"])
    assert run("predict", tmp_path / "m.rgl", other, "--json").json["unknown_labels"] == 2


def test_several_classes_have_a_score_each(run, tmp_path):
    """With four classes --scores prints four columns, the largest of which is that of the label."""
    rows = write(tmp_path / "many.svm", noisy_lines(400, classes=(2, 3, 5, 7)))
    run("learn", rows, *BARE, "--save", tmp_path / "m.rgl")
    labels = run("predict", tmp_path / "m.rgl", rows).out.split()
    for line, label in zip(run("predict", tmp_path / "m.rgl", rows, "--scores").out.splitlines(), labels, strict=True):
        scores = [float(score) for score in line.split("\t")]
        assert len(scores) == 4
        assert (2, 3, 5, 7)[int(np.argmax(scores))] == int(label)


def test_unknown_features_and_categories_contribute_nothing(run, mail, table, tmp_path):
    """Rows with ids and names that the model never met get the labels that they have without them."""
    run("learn", mail, *BARE, "--save", tmp_path / "m.rgl")
    lines = mail.read_text().splitlines()
    wide = write(tmp_path / "wide.svm", [f"{line} 13:1e9 2000000000:5\n" for line in lines])
    assert run("predict", tmp_path / "m.rgl", wide).out == run("predict", tmp_path / "m.rgl", mail).out
    run("learn", table, *BARE, "--save", tmp_path / "t.rgl")
    strange = write(tmp_path / "strange.csv", ["kind,more,height\n", "yew,1,5\n", "yew,2,-5\n"])
    command = run("predict", tmp_path / "t.rgl", strange)
    assert (command.code, command.out) == (0, "old\nyoung\n")


def test_predict_without_labels_reports_no_errors(run, table, tmp_path):
    """A table without its label column is predicted; --json then has null for the errors."""
    run("learn", table, *BARE, "--save", tmp_path / "t.rgl")
    bare = write(tmp_path / "bare.csv", ["kind,height\n", "oak,1\n", "fir,-3\n"])
    output = run("predict", tmp_path / "t.rgl", bare, "--json").json
    assert (output["errors"], output["counts"]) == (None, {"old": 1, "young": 1})


def test_a_model_fitted_in_python_is_used_by_column_names(run, tmp_path):
    """A model that was fitted to a data frame finds its columns by name, whatever their order in the file."""
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(np.random.default_rng(0).normal(size=(50, 3)), columns=["a", "b", "c"])
    labels = (frame["a"] > frame["c"]).to_numpy()
    learner = Perceptron().fit(frame, np.where(labels, 1, 0))
    learner.save(tmp_path / "m.rgl")
    frame.assign(more=7.0)[["c", "more", "a", "b"]].to_csv(tmp_path / "rows.csv", index=False)
    expected = [str(label) for label in learner.predict(frame)]
    assert run("predict", tmp_path / "m.rgl", tmp_path / "rows.csv").out.split() == expected


# ---- certify


def test_certify_gives_the_certificates_of_learn(run, mail, tmp_path):
    """A saved model, certified later against its file, gives the very certificates of its run."""
    learned = run("learn", mail, "--learner", "perceptron", "--passes", 3, "--save", tmp_path / "m.rgl", "--json").json
    output = run("certify", tmp_path / "m.rgl", mail, "--json").json
    assert output["certificates"] == learned["certificates"]
    assert (output["schema"], output["rounds"]) == ("regretless.certify/1", 2100)
    assert run("certify", tmp_path / "m.rgl", mail).out.count("\n") == len(output["certificates"])


@pytest.mark.parametrize("change", ["label", "value", "order", "shorter"])
def test_certify_notices_that_these_are_other_rounds(run, tmp_path, change):
    """Rows of the same number and the same lengths that are not the ones learned from are certified as nothing."""
    lines = [f"{1 if k % 3 else -1} {k % 5 + 1}:1 {k % 7 + 6}:1\n" for k in range(100)]
    run("learn", write(tmp_path / "a.svm", lines), *BARE, "--save", tmp_path / "m.rgl")
    other = list(lines)
    if change == "label":
        other[50] = other[50].replace("1 ", "-1 ", 1) if other[50][0] == "1" else other[50][1:]
    elif change == "value":
        other[51] = other[51].replace(":1", ":-1", 1)
    elif change == "order":
        other.reverse()
    else:
        del other[-1]
    command = run("certify", tmp_path / "m.rgl", write(tmp_path / "b.svm", other), "--json")
    assert (command.code, "learned from other rows than these" in command.err) == (1, True)
    assert all(not one["applies"] and "learned from others" in one["why"] for one in command.json["certificates"])


def test_certify_takes_what_python_fitted(run, mail, tmp_path):
    """A model that `fit` made of arrays, its classes known from the start, is certified against the file."""
    X, y = load_svmlight(mail)
    Perceptron(passes=2).fit(X, y).save(tmp_path / "m.rgl")
    assert any(one["applies"] for one in run("certify", tmp_path / "m.rgl", mail, "--json").json["certificates"])


def test_a_search_that_a_mixture_does_not_make_is_reported(run, tmp_path):
    """--deep changes no certificate of the default learner, as learn and certify say; of a perceptron neither does."""
    rows = write(tmp_path / "a.svm", [f"{1 if k % 3 else -1} {k % 5 + 1}:1 {k % 7 + 6}:1\n" for k in range(40)])
    model, line = tmp_path / "m.rgl", "--deep changes nothing: aggregated is a mixture of learners, whose"
    for words, is_said in (((), True), (("--learner", "perceptron"), False)):
        learned = run("learn", rows, *words, "--deep", "--quiet", "--save", model)
        command = run("certify", model, rows, "--deep")
        assert (line in learned.err, line in command.err) == (is_said, is_said)
        assert not is_said or command.out == run("certify", model, rows).out


def test_every_way_to_certify_deeply_speaks_of_the_quick_search(run, mail, tmp_path):
    """`learn` and `certify` with --deep, of a file, a pipe with its copy and shards, say in each line that applies what
    the quick search gave, and in JSON its bound, which is no smaller; without --deep nothing does."""
    model, words = tmp_path / "m.rgl", ("--learner", "perceptron", "--quiet")
    for learned, how, stdin in (
        ((mail, *words), (mail,), None),
        (("-", *words, "--cache", tmp_path / "kept"), (mail,), mail.read_bytes()),
        ((mail, *words, "--workers", 1, "--pieces", 2), (mail, "--workers", 1, "--pieces", 2), None),
    ):
        learning = run("learn", *learned, "--deep", "--save", model, stdin=stdin)
        for command in (learning, run("certify", model, *how, "--deep")):
            lines = [line.partition("  [")[0] for line in command.out.splitlines()]
            applying = [line for line in lines if " <= " in line]
            assert len(applying) == sum("the quick search" in line for line in lines) > 0
        values = run("certify", model, *how, "--deep", "--json").json["certificates"]
        assert all(one["quick_bound"] >= one["bound"] for one in values if one["applies"])
        plain = run("certify", model, *how)
        assert (plain.code, "quick" in plain.out) == (0, False)


# ---- inspect


def test_inspect_names_features_as_the_file_does(run, mail, table, tmp_path):
    """Ids are those of the file (also when they begin at 0), categories have their names, and signs are those of the
    weights."""
    lines = [f"{y} {3 * (y > 0) + 4 * (y < 0)}:1\n" for y in (1, -1, 1, -1)]
    for first in (0, 1):
        rows = write(tmp_path / f"ids{first}.svm", lines)
        run("learn", rows, *BARE, "--ids-from", first, "--save", tmp_path / "m.rgl")
        output = run("inspect", tmp_path / "m.rgl", "--json").json
        (weights,) = output["weights"]
        assert weights["class"] == "1"
        assert sorted((one["feature"], one["weight"]) for one in weights["largest"]) == [("3", 1.0), ("4", -1.0)]
    run("learn", table, *BARE, "--save", tmp_path / "t.rgl")
    output = run("inspect", tmp_path / "t.rgl", "--top", 1, "--json").json
    assert output["classes"] == ["old", "young"]
    assert len(output["weights"][0]["largest"]) == 1
    assert {"height", "kind=oak"} >= {one["feature"] for one in output["weights"][0]["largest"]}


def test_inspect_tells_all_about_a_model(run, tmp_path):
    """The text of inspect holds the learner, its parameters, classes, counts, and a list of weights for each class."""
    rows = write(tmp_path / "many.svm", noisy_lines(200, classes=(2, 3, 5)))
    run("learn", rows, *BARE, "--set", "intercept=2", "--save", tmp_path / "m.rgl")
    output, text = run("inspect", tmp_path / "m.rgl", "--json").json, run("inspect", tmp_path / "m.rgl").out
    assert output["unfinished"] is None
    assert output["rounds"] == 200
    assert output["features"] == 12
    for words in (
        "perceptron",
        "intercept=2.0",
        "2, 3, 5",
        str(output["mistakes"]),
        str(output["updates"]),
        "finished",
    ):
        assert words in text
    assert all(f"largest weights, for {label}" in text for label in (2, 3, 5))
    for one in output["weights"]:
        sizes = [abs(weight["weight"]) for weight in one["largest"]]
        assert sizes == sorted(sizes, reverse=True)
        assert len(sizes) == 10


# ---- formats, demo, help


@pytest.mark.parametrize("suffix", ["svm.gz", "svm.xz", "svm.bz2", "svm.zst", "npz", "csv", "parquet"])
def test_every_format_gives_the_same_counts(run, mail, tmp_path, suffix):
    """The same rows in another format are learned with the same mistakes and predicted with the same labels."""
    X, y = load_svmlight(mail)
    path = tmp_path / f"rows.{suffix}"
    if suffix == "npz":
        np.savez(path, X=X.toarray(), y=y)
    elif suffix in ("csv", "parquet"):
        pandas = pytest.importorskip("pandas")
        frame = pandas.DataFrame(X.toarray(), columns=[f"x{k}" for k in range(12)]).assign(label=y)
        frame.to_csv(path, index=False) if suffix == "csv" else frame.to_parquet(path)
    else:
        _compress(mail, path)
    expected = run("learn", mail, *BARE, "--save", tmp_path / "a.rgl", "--json").json
    output = run("learn", path, *BARE, "--save", tmp_path / "b.rgl", "--json").json
    assert [output[k] for k in ("rounds", "mistakes", "updates")] == [
        expected[k] for k in ("rounds", "mistakes", "updates")
    ]
    assert output["input"]["nonzeros"] == 3500
    assert run("predict", tmp_path / "b.rgl", path).out == run("predict", tmp_path / "a.rgl", mail).out


def _compress(source: Path, target: Path) -> None:
    import bz2
    import gzip
    import lzma

    import pyarrow

    codecs = {".gz": gzip.compress, ".xz": lzma.compress, ".bz2": bz2.compress}
    compress = codecs.get(target.suffix, lambda data: pyarrow.compress(data, "zstd", asbytes=True))
    target.write_bytes(compress(source.read_bytes()))


def test_the_demonstration_goes_through_learn_and_predict(run, tmp_path):
    """`demo` writes the data without loss, a model and a report, prints the certificates and ends with the report's
    path."""
    sklearn = pytest.importorskip("sklearn.datasets")
    command = run("demo", "--folder", tmp_path / "demo")
    data, model, page = (tmp_path / "demo" / f"breast_cancer.{kind}" for kind in ("svm", "rgl", "html"))
    assert command.code == 0
    features, labels = sklearn.load_breast_cancer(return_X_y=True)
    X, y = load_svmlight(data)
    assert np.array_equal(X.toarray(), (features - features.mean(axis=0)) / features.std(axis=0))
    assert np.array_equal(y, 2 * labels - 1)
    for certificate in AggregatedClassifier().fit(X, y).certify(X, y):
        assert str(certificate) in command.out
    assert command.out.rstrip().endswith(str(page))
    assert page.exists()
    assert model.exists()


def test_the_formats_and_learners_are_those_that_exist():
    """The command line names every reader and every learner, and no other."""
    assert set(ROWS.names) == set(READERS)
    verbs = next(action for action in make()._actions if action.choices and "learn" in action.choices)
    learner = next(action for action in verbs.choices["learn"]._actions if action.dest == "learner")
    assert tuple(learner.choices) == tuple(dict.fromkeys([*LEARNERS, *REGRESSORS]))


@pytest.mark.parametrize("verb", VERBS)
def test_the_record_of_a_verb_has_its_arguments(verb):
    """The record that a verb's function takes has a field for every argument and no other, which may be None where
    the argument may be missing."""
    verbs = next(action for action in make()._actions if action.choices and "learn" in action.choices)
    actions = verbs.choices[verb]._actions
    missing = {one.dest: one.default is None and not one.required for one in actions if one.dest != "help"}
    module = verb_of(verb)
    record = getattr(module, module.run.__annotations__["arguments"])
    assert {name: "None" in written for name, written in record.fields().items()} == missing


def test_a_record_has_each_of_its_values_and_keeps_them():
    """A record of arguments refuses a value too few, one of no field, and a change; another one is made instead."""
    made = SavingOptions(save="m.rgl", resume=None, checkpoint_every=None)
    assert (made.but(save=None).save, made.save) == (None, "m.rgl")
    with pytest.raises(TypeError, match=r"SavingOptions: .* checkpoint_every"):
        SavingOptions(save=None, resume=None)
    with pytest.raises(TypeError, match=r"SavingOptions: .* passes"):
        made.but(passes=2)
    with pytest.raises(AttributeError, match="save"):
        made.save = None


@pytest.mark.parametrize("words", [["--help"], ["learn", "--help"], ["predict", "--help"], ["--version"]])
def test_help_imports_nothing_heavy(words):
    """Help and the version are printed without numpy and without the compiled core."""
    program = (
        "import sys; from regretless.cli import main; code = main(sys.argv[1:]);"
        "heavy = {'numpy', 'regretless._core', 'shtab', 'inspect'} & set(sys.modules);"
        "sys.exit(code or (str(heavy) if heavy else 0))"
    )
    done = subprocess.run([sys.executable, "-c", program, *words], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert regretless.__version__ in done.stdout or "usage: regretless" in done.stdout


def test_learning_imports_nothing_it_does_not_need(mail, tmp_path):
    """`learn --no-certify` of svmlight text loads no scikit-learn, scipy, pyarrow, jinja2, pandas or numpy.ma."""
    program = (
        "import sys; from regretless.cli import main; code = main(sys.argv[1:]);"
        "heavy = {'sklearn', 'scipy', 'pyarrow', 'jinja2', 'pandas', 'shtab', 'rich', 'numpy.ma'} & set(sys.modules);"
        "sys.exit(code or (str(heavy) if heavy else 0))"
    )
    words = ["learn", str(mail), *BARE, "--save", str(tmp_path / "m.rgl")]
    done = subprocess.run([sys.executable, "-c", program, *words], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("shell", ["bash", "zsh", "tcsh"])
def test_completion_scripts_know_the_verbs(run, shell):
    """The completion script of each shell names the verbs and the options of learn."""
    script = run("--print-completion", shell).out
    assert "learn" in script
    assert "checkpoint" in script


def test_a_saved_model_reads_its_columns_again(run, table, tmp_path):
    """The schema that is kept with a model opens its file with the same columns."""
    run("learn", table, *BARE, "--save", tmp_path / "t.rgl")
    from regretless.persist.model import read

    learner, extra = read(tmp_path / "t.rgl")
    stream = open_stream(table, schema=json.loads(json.dumps(extra["schema"])))
    (batch,) = stream.batches()
    assert batch.columns == learner.state_.columns
