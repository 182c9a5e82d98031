"""Shards on the command line: mixed models, what is refused, and what is said."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import regretless
from regretless.cli import shards
from regretless.data import load_svmlight
from regretless.distributed import files as shard_files
from regretless.distributed import mix
from regretless.distributed.messages import WEIGHTINGS
from regretless.distributed.mixing import average_once
from regretless.errors import Interrupted
from regretless.linear import AROW, AveragedPerceptron, Perceptron

from ..command_line import CommandLine, noisy_lines, write
from ..distributed.shards import parts

HERE = ("--workers", 1, "--no-certify")
PLAIN = ("--set", "intercept=0")  # rows as they are, as Python plays them
MIXED = ("--learner", "averaged-perceptron", *PLAIN, *HERE)


@pytest.fixture
def run(capsys, monkeypatch) -> CommandLine:
    return CommandLine(capsys, monkeypatch)


@pytest.fixture
def files(tmp_path) -> list[Path]:
    """Shards of three classes, one of which the first of them does not have."""
    return parts(tmp_path, classes=(3, 4, 9))


@pytest.fixture
def pattern(files, tmp_path) -> Path:
    return tmp_path / "part-*.svm"


# ---- learn


@pytest.mark.parametrize("weights", WEIGHTINGS)
def test_the_command_line_mixes_what_python_mixes(run, pattern, tmp_path, weights):
    """The model that --save wrote is, byte for byte, that of `mix` over the same files."""
    words = ("learn", pattern, *MIXED, "--passes", 3, "--mixing", weights, "--save", tmp_path / "m.rgl")
    assert run(*words).code == 0
    mix(AveragedPerceptron(passes=3), str(pattern), weights=weights).save(tmp_path / "p.rgl")
    assert (tmp_path / "m.rgl").read_bytes() == (tmp_path / "p.rgl").read_bytes()


def test_who_expands_the_pattern_and_who_does_the_work_change_nothing(run, files, pattern, tmp_path):
    """A pattern, the files in any order, one process and two of them give the same bytes."""
    saved = []
    for inputs, workers in (((pattern,), 1), (reversed(files), 1), ((pattern,), 2)):
        model = tmp_path / f"m{len(saved)}.rgl"
        words = ("--learner", "perceptron", "--no-certify", "--quiet", "--passes", 2, "--workers", workers)
        command = run("learn", *inputs, *words, "--save", model)
        assert (command.code, command.out, command.err) == (0, "", "")
        saved.append(model.read_bytes())
    assert saved[0] == saved[1] == saved[2]


def test_one_shard_is_learned_like_a_file(run, tmp_path):
    """With a single shard, --workers 1 gives the weights and the counts of the run without it."""
    (rows,) = parts(tmp_path, shards=1)
    words = ("learn", rows, "--learner", "perceptron", "--passes", 3, "--no-certify", "--quiet")
    run(*words, "--save", tmp_path / "a.rgl")
    run(*words, "--workers", 1, "--save", tmp_path / "b.rgl")
    alone, mixed = (regretless.load(tmp_path / f"{name}.rgl") for name in "ab")
    assert np.array_equal(alone.coef_, mixed.coef_)
    counts = [(one.ledger_.rounds, one.ledger_.mistakes, one.ledger_.updates) for one in (alone, mixed)]
    assert counts[0] == counts[1]


def test_shards_in_groups_are_what_python_plays_together(run, pattern, tmp_path):
    """--together averages after every so many shards, as in Python; inspect says so, and a run that goes on does so."""
    words = ("learn", pattern, *MIXED, "--passes", 2, "--together", 2, "--save", tmp_path / "m.rgl")
    assert run(*words).code == 0
    mix(AveragedPerceptron(passes=2), str(pattern), together=2).save(tmp_path / "p.rgl")
    assert (tmp_path / "m.rgl").read_bytes() == (tmp_path / "p.rgl").read_bytes()
    assert "after every 2 of 5 shards" in run("inspect", tmp_path / "m.rgl").out
    assert run("learn", pattern, *HERE, "--resume", tmp_path / "m.rgl", "--passes", 3).code == 0
    mix(AveragedPerceptron(passes=3), str(pattern), together=2).save(tmp_path / "p.rgl")
    assert (tmp_path / "m.rgl").read_bytes() == (tmp_path / "p.rgl").read_bytes()


def test_a_run_that_python_began_is_finished(run, pattern, tmp_path):
    """Without --passes a run that was stopped goes on for as many epochs as Python was asked for."""

    def enough(epoch):
        if epoch.number == 2:
            raise Interrupted("enough")

    with pytest.raises(Interrupted):
        mix(AveragedPerceptron(), str(pattern), epochs=4, checkpoint=tmp_path / "m.rgl", on_epoch=enough)
    assert run("learn", pattern, *HERE, "--resume", tmp_path / "m.rgl").code == 0
    mix(AveragedPerceptron(), str(pattern), epochs=4).save(tmp_path / "p.rgl")
    assert (tmp_path / "m.rgl").read_bytes() == (tmp_path / "p.rgl").read_bytes()


def test_the_table_has_a_row_an_epoch(run, pattern):
    """Each row holds the rounds, mistakes, updates and weighted updates so far, and both rates of mistakes."""
    command = run("learn", pattern, *MIXED, "--passes", 3)
    mixture = mix(AveragedPerceptron(passes=3), str(pattern))
    head, *rows = [line.split() for line in command.err.splitlines()]
    assert head == ["epoch", "rounds", "mistakes", "rate", "so", "far", "this", "epoch", "updates", "weighted"]
    rounds = mistakes = updates = weighted = 0
    for row, epoch in zip(rows, mixture.history, strict=True):
        rounds, mistakes, updates = rounds + epoch.rounds, mistakes + epoch.mistakes, updates + epoch.updates
        weighted += epoch.weighted_updates
        assert [int(row[k]) for k in (0, 1, 2, 5)] == [epoch.number, rounds, mistakes, updates]
        assert float(row[3]) == pytest.approx(mistakes / rounds, abs=1e-6)
        assert float(row[4]) == pytest.approx(epoch.mistakes / epoch.rounds, abs=1e-6)
        assert float(row[6]) == pytest.approx(weighted, rel=1e-5)


def test_json_is_one_object_that_python_knows_too(run, files, pattern, tmp_path):
    """The JSON has its schema, all that `Mixture.describe` says, what was read, and nothing goes to stderr."""
    model = tmp_path / "m.rgl"
    command = run("learn", pattern, *MIXED, "--passes", 2, "--save", model, "--json")
    report, known = command.json, mix(AveragedPerceptron(passes=2), str(pattern)).describe()
    assert (command.code, command.err, report["schema"]) == (0, "", "regretless.mixing/1")
    assert set(report) == {*known, "schema", "loss", "seconds", "certificates", "joint_confidence", "model", "input"}
    assert {key: report[key] for key in known if key != "history"} == {k: v for k, v in known.items() if k != "history"}
    assert [epoch["number"] for epoch in report["history"]] == [1, 2]
    assert report["model"] == str(model)
    values = sum(path.read_text().count(":") for path in files)
    read = {"shards": 5, "rows": 600, "features": 12, "nonzeros": values, "skipped": 0}
    assert report["input"] == {"path": [str(pattern)], **read}


def test_shards_are_counted_where_progress_is_asked_for(run, pattern, monkeypatch):
    """With --progress the shards that are done are reported though stderr is no terminal; without it they are not."""
    monkeypatch.setattr("regretless.cli.output.ELSEWHERE", 0)
    errors = run("learn", pattern, *MIXED, "--passes", 2, "--progress").err
    assert [f"epoch {n} of 2: {k} of 5 shards" in errors for n in (1, 2) for k in range(6)] == [True] * 12
    assert "of 5 shards" not in run("learn", pattern, *MIXED, "--passes", 2).err


def test_labels_and_categories_of_later_shards_are_known_to_all(run, tmp_path):
    """Of tables whose later parts have labels and categories of their own, the model knows all of them."""
    head = "kind,size,label\n"
    write(tmp_path / "t-1.csv", [head, "oak,1,a\n", "fir,-1,b\n"])
    write(tmp_path / "t-2.csv", [head, "yew,1,c\n", "fir,3,b\n", "oak,2,a\n"])
    assert run("learn", tmp_path / "t-*.csv", *MIXED, "--passes", 4, "--save", tmp_path / "m.rgl").code == 0
    report = run("inspect", tmp_path / "m.rgl", "--json").json
    assert report["classes"] == ["a", "b", "c"]
    assert {"kind=yew", "size"} <= {one["feature"] for row in report["weights"] for one in row["largest"]}


def test_passing_over_rows_is_reported(run, files, pattern):
    """With --on-error skip the bad rows of all shards are counted, and what was wrong with them stands on stderr."""
    for path in files[1:3]:
        path.write_text("1 3:x\n" + path.read_text())
    command = run("learn", pattern, *MIXED, "--quiet", "--on-error", "skip", "--json")
    assert command.json["input"]["skipped"] == command.json["skipped"] == 2
    assert command.json["input"]["rows"] == 600
    assert "2 rows were passed over in each epoch" in command.err
    assert f"{files[1]}:1:5:" in command.err


def test_one_shot_is_what_python_averages_once(run, pattern, tmp_path):
    """--one-shot gives the model of `average_once`, and says in JSON that no theorem vouches for it."""
    words = ("learn", pattern, *MIXED, "--one-shot", "--passes", 3, "--save", tmp_path / "m.rgl", "--json")
    report = run(*words).json
    average_once(AveragedPerceptron(passes=3), str(pattern)).save(tmp_path / "p.rgl")
    assert (tmp_path / "m.rgl").read_bytes() == (tmp_path / "p.rgl").read_bytes()
    assert (report["one_shot"], report["epochs"], report["rounds"]) == (True, 1, 1800)
    assert "no theorem" in report["guarantee"]


def test_one_shot_adds_up_what_second_order_learners_know(run, pattern, tmp_path):
    """--one-shot gives the AROW of `average_once`; `learn` and `inspect` say that no theorem is about it."""
    words = ("learn", pattern, "--learner", "arow", "--workers", 1, "--one-shot", "--save", tmp_path / "m.rgl")
    report = run(*words, "--report", tmp_path / "r.html", "--json").json
    average_once(AROW(), str(pattern)).save(tmp_path / "p.rgl")
    assert (tmp_path / "m.rgl").read_bytes() == (tmp_path / "p.rgl").read_bytes()
    assert report["certificates"]
    assert all(not one["applies"] and "matrices were added up" in one["why"] for one in report["certificates"])
    assert "their matrices added up once" in (tmp_path / "r.html").read_text()
    shown = run("inspect", tmp_path / "m.rgl").out
    assert "matrices added up once over" in shown
    assert "no theorem bounds the result" in shown
    assert "share of the mean" not in shown


def test_an_epoch_without_an_update_is_the_last_of_a_run_until_clean(run, tmp_path):
    """--set until_clean=true ends at the first epoch in which no shard had an update, or says that none was clean."""
    for k in range(2):
        write(tmp_path / f"part-{k}.svm", [f"{y} 1:{y} {2 + 3 * k + j}:1\n" for j, y in enumerate((1, -1, 1))])
    words = ("learn", tmp_path / "part-*.svm", "--learner", "perceptron", *HERE, "--set", "until_clean=true", "--json")
    report = run(*words, "--passes", 50).json
    assert report["clean"]
    assert report["epochs"] < 50
    stopped = run(*words, "--passes", 1)
    assert not stopped.json["clean"]
    assert "no epoch was clean" in stopped.err


def test_a_file_in_pieces_is_what_python_cuts(run, tmp_path):
    """--pieces gives the model that Python cuts for; a run that goes on cuts alike, and bad rows have their line."""
    rows = write(tmp_path / "rows.svm", noisy_lines(300))
    words = (
        "learn",
        rows,
        "--learner",
        "perceptron",
        *PLAIN,
        *HERE,
        "--pieces",
        4,
        "--quiet",
        "--save",
        tmp_path / "m.rgl",
    )
    assert run(*words).code == 0
    assert run("learn", rows, *HERE, "--quiet", "--resume", tmp_path / "m.rgl", "--passes", 3).code == 0
    mix(Perceptron(passes=3), shard_files(rows, pieces=4)).save(tmp_path / "p.rgl")
    assert (tmp_path / "m.rgl").read_bytes() == (tmp_path / "p.rgl").read_bytes()
    lines = rows.read_text().splitlines(keepends=True)
    rows.write_text("".join([*lines[:250], "oops\n", *lines[250:]]))
    bad = run(*words)
    assert (bad.code, f"{rows}[4/4]:251:1: " in bad.err) == (1, True)


# ---- what is refused


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["learn", "{one}", "{two}", "--learner", "perceptron"], "2 files: give one, or take each of them for a shard"),
        (["learn", "{pattern}", "--learner", "perceptron"], "if these are to be shards, add --workers"),
        (["certify", "{model}", "{one}", "{two}"], "2 files"),
        (["learn", "{one}", "--learner", "perceptron", "--mixing", "rows"], "--mixing is for shards"),
        (["learn", "{one}", "--learner", "perceptron", "--one-shot"], "--one-shot is for shards"),
        (["learn", "{one}", "--learner", "perceptron", "--together", "2"], "--together is for shards"),
        (["learn", "{one}", "--learner", "perceptron", "--pieces", "2"], "--pieces is for shards"),
        (["learn", "{one}", "--learner", "perceptron", "--workers", "2"], "cut it with --pieces N"),
        (
            ["learn", "{pattern}", "--learner", "perceptron", "--workers", "2", "--one-shot", "--together", "2"],
            "averages once",
        ),
        (["learn", "{pattern}", "--resume", "{model}", "--workers", "2", "--together", "2"], "the model, which has 5"),
        (["learn", "{one}", "--learner", "perceptron", "--workers", "0"], "--workers: '0'"),
        (["learn", "{one}", "--learner", "perceptron", "--workers", "2", "--mixing", "luck"], "'uniform', 'updates'"),
        (["learn", "{one}", "--learner", "perceptron", "--workers", "2", "--dask", "tcp://x:1"], "give one of them"),
        (["learn", "-", "--learner", "perceptron", "--workers", "2"], "standard input is no shard"),
        (["learn", "{one}", "--learner", "perceptron", "--workers", "2", "--cache", "c"], "--cache has no meaning"),
        (
            ["learn", "{one}", "--learner", "perceptron", "--workers", "2", "--save", "m", "--checkpoint-every", "9"],
            "after each epoch",
        ),
        (["learn", "{one}", "--learner", "perceptron", "--workers", "2", "--target", "y"], "--target has no meaning"),
        (["learn", "{one}", "--learner", "arow", "--workers", "2"], "arow cannot be mixed over shards: "),
        (["learn", "{one}", "--learner", "kernel-perceptron", "--workers", "2"], "rows do not travel"),
        (["learn", "{one}", "--learner", "perceptron", "--workers", "2", "--set", "shuffle=yes"], "shuffle the file"),
        (["learn", "{pattern}", "--learner", "perceptron", "--workers", "2", "--save", "{two}"], "overwritten"),
        (["learn", "{pattern}", "--learner", "perceptron", "--workers", "2", "--report", "{two}"], "overwritten"),
        (["learn", "{pattern}", "--resume", "{model}", "--workers", "2", "--one-shot"], "nothing to go on with"),
        (["learn", "{pattern}", "--resume", "{model}"], "add --workers"),
        (["learn", "{one}", "--resume", "{model}"], "was mixed from shards, each of which must be given"),
        (["certify", "{model}", "{one}"], "was mixed from shards"),
        (["learn", "{pattern}", "--resume", "{alone}", "--workers", "2"], "was not mixed from shards"),
        (["learn", "{pattern}", "--resume", "{once}", "--workers", "2"], "was averaged once"),
        (["learn", "{pattern}", "--resume", "{model}", "--workers", "2", "--mixing", "rows"], "has uniform"),
        (["learn", "{pattern}", "--resume", "{model}", "--workers", "2", "--passes", "1"], "2 epochs of the model"),
        (["learn", "{pattern}", "--resume", "{model}", "--workers", "2", "--set", "rate=3"], "contradicts the model"),
    ],
)
def test_wrong_usage_ends_with_2_and_says_what_is_possible(run, files, pattern, tmp_path, words, expected):
    """A command line that makes no sense with shards is refused in one line that helps, and nothing is written."""
    known = {"one": files[0], "two": files[1], "pattern": pattern}
    known |= {name: tmp_path / f"{name}.rgl" for name in ("model", "alone", "once")}
    mix(Perceptron(passes=2), str(pattern)).save(known["model"])
    average_once(Perceptron(), str(pattern)).save(known["once"])
    run("learn", files[0], "--learner", "perceptron", "--no-certify", "--save", known["alone"])
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    command = run(*(word.format(**known) for word in words))
    assert (command.code, command.out) == (2, "")
    (line,) = command.err.splitlines()
    assert line.startswith("regretless: ")
    assert expected in line
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_the_weightings_are_those_that_exist():
    """The command line offers every weighting that mixing knows, and no other."""
    assert set(shards.WEIGHTINGS) == set(WEIGHTINGS)


@pytest.mark.parametrize(
    ("content", "expected", "workers"),
    [
        (None, "part-2.svm", 1),
        (None, "part-2.svm", 2),
        ("", "part-2.svm: no rows", 1),
        ("1 1:1\n1 2:1 1:1\n", "part-2.svm:2:7: ", 1),
        ("1 1:1\nspam 1:1\n", "part-2.svm:2:1: ", 2),
    ],
)
def test_a_bad_shard_is_named_and_nothing_is_written(run, files, tmp_path, content, expected, workers):
    """A shard that is missing, empty or malformed ends the run with 1 and its name and place, and no file appears."""
    if content is None:
        files[1].unlink()
    else:
        files[1].write_text(content)
    words = ("--learner", "perceptron", "--workers", workers, "--no-certify", "--quiet")
    model, page = tmp_path / "m.rgl", tmp_path / "r.html"
    command = run("learn", *files, *words, "--save", model, "--report", page)
    assert (command.code, command.out) == (1, "")
    (line,) = command.err.splitlines()
    assert expected in line
    assert "; " in line
    assert not model.exists()
    assert not page.exists()


def test_a_pattern_that_fits_nothing_is_an_error(run, tmp_path):
    """A pattern without files is named, with exit code 1."""
    command = run("learn", tmp_path / "none-*.svm", *MIXED)
    assert command.code == 1
    assert f"{tmp_path}/none-*.svm: no file matches" in command.err


@pytest.mark.parametrize("option", ["--save", "--report", "--save-comparators"])
def test_outputs_do_not_overwrite_a_shard_that_a_pattern_names(run, tmp_path, option):
    """No output takes the place of a shard, though the command line names it by a pattern alone."""
    path = parts(tmp_path)[0].rename(tmp_path / "part-9.npz")
    before = path.read_bytes()
    words = ("learn", tmp_path / "part-*", "--format", "svmlight", "--learner", "perceptron", "--workers", 1, "--quiet")
    refused = run(*words, option, path)
    assert (refused.code, f"{path} would be overwritten" in refused.err) == (2, True)
    assert path.read_bytes() == before


def test_certifying_does_not_overwrite_a_shard_that_a_pattern_names(run, pattern, tmp_path):
    """So it is where a model is certified over shards."""
    assert run("learn", pattern, *MIXED, "--save", tmp_path / "m.rgl").code == 0
    path = (tmp_path / "part-1.svm").rename(tmp_path / "part-1.npz")
    before = path.read_bytes()
    words = ("certify", tmp_path / "m.rgl", tmp_path / "part-*", "--format", "svmlight", "--workers", 1)
    refused = run(*words, "--save-comparators", path)
    assert (refused.code, f"{path} would be overwritten" in refused.err) == (2, True)
    assert path.read_bytes() == before


@pytest.mark.parametrize("option", ["--report", "--save-comparators"])
def test_outputs_do_not_overwrite_the_mixture_to_go_on_with(run, pattern, tmp_path, option):
    """Neither does one take the place of the model to go on with, which may be named by --save as well."""
    path = tmp_path / "m.npz"
    assert run("learn", pattern, *MIXED, "--save", path).code == 0
    before = path.read_bytes()
    refused = run("learn", pattern, "--workers", 1, "--resume", path, "--passes", 2, "--quiet", option, path)
    assert (refused.code, f"{path} would be overwritten" in refused.err) == (2, True)
    assert path.read_bytes() == before
    assert run("learn", pattern, *HERE, "--resume", path, "--passes", 2, "--quiet", "--save", path).code == 0


# ---- going on


def test_a_finished_run_goes_on_for_more_epochs(run, pattern, tmp_path):
    """--resume with more --passes gives the bytes of the run that had them from the start, and the old model stays."""
    short, long, whole = (tmp_path / f"{name}.rgl" for name in ("short", "long", "whole"))
    run("learn", pattern, *MIXED, "--passes", 2, "--save", short)
    before = short.read_bytes()
    again = run("learn", pattern, *HERE, "--resume", short, "--save", long, "--passes", 5)
    run("learn", pattern, *MIXED, "--passes", 5, "--save", whole)
    assert (again.code, long.read_bytes()) == (0, whole.read_bytes())
    assert short.read_bytes() == before
    assert [int(line.split()[0]) for line in again.err.splitlines()[1:-1]] == [3, 4, 5]
    assert int(again.err.splitlines()[1].split()[1]) == 1800


def test_a_run_that_is_over_says_so(run, pattern, tmp_path):
    """--resume without more epochs leaves the model as it is and says how to ask for more."""
    model = tmp_path / "m.rgl"
    run("learn", pattern, *MIXED, "--passes", 2, "--save", model)
    before = model.read_bytes()
    again = run("learn", pattern, *HERE, "--resume", model)
    assert (again.code, model.read_bytes()) == (0, before)
    assert "2 epochs were played already" in again.err


def test_a_run_goes_on_with_the_same_shards_only(run, files, pattern, tmp_path):
    """A run over other shards, or over fewer, is refused, and the message names what differs."""
    model = tmp_path / "m.rgl"
    run("learn", pattern, *MIXED, "--save", model)
    fewer = run("learn", *files[:3], *HERE, "--resume", model, "--passes", 2)
    assert (fewer.code, "5 shards" in fewer.err) == (1, True)
    files[0].rename(tmp_path / "part-0.svm")
    other = run("learn", pattern, *HERE, "--resume", model, "--passes", 2)
    assert (other.code, "part-0.svm" in other.err) == (1, True)


def test_how_files_are_read_is_remembered(run, tmp_path):
    """A run that goes on reads the shards as the first did, though the command line does not say so again."""
    for k in (1, 2):
        write(tmp_path / f"t-{k}.txt", ["a,b,c\n", "1,2,1\n", f"-1,{k},0\n"])
    inputs, words = tmp_path / "t-*.txt", ("--format", "csv", "--target", "c", "--interactions", "a*b")
    run("learn", inputs, *MIXED, *words, "--save", tmp_path / "m.rgl")
    assert run("learn", inputs, *HERE, "--resume", tmp_path / "m.rgl", "--passes", 3).code == 0
    run("learn", inputs, *MIXED, *words, "--passes", 3, "--save", tmp_path / "whole.rgl")
    assert (tmp_path / "m.rgl").read_bytes() == (tmp_path / "whole.rgl").read_bytes()


@pytest.mark.parametrize("lie", [3, {}, {"history": []}, {"names": ["a"]}, {"clock": "noon"}])
def test_a_model_that_lies_about_its_shards_is_refused(run, pattern, tmp_path, lie):
    """What a model file says of its shards is checked before it is believed."""
    from regretless.persist.model import read
    from regretless.persist.model import write as keep

    model = tmp_path / "m.rgl"
    run("learn", pattern, *MIXED, "--save", model)
    learner, metadata = read(model)
    record = metadata["mixing"] | lie if isinstance(lie, dict) and lie else lie
    keep(model, learner, metadata | {"mixing": record})
    words = ("learn", pattern, "--resume", model), ("certify", model, pattern)
    for command in (*(run(*those, "--workers", 1) for those in words), run("inspect", model)):
        assert command.code == 1
        assert "does not fit together" in command.err


# ---- the other verbs


def test_a_mixed_model_predicts_as_any_other(run, files, pattern, tmp_path):
    """Labels and scores of the command line are those of the learner that `mix` gives."""
    run("learn", pattern, *MIXED, "--passes", 2, "--save", tmp_path / "m.rgl")
    learner = mix(AveragedPerceptron(passes=2), str(pattern)).learner
    X, _ = load_svmlight(files[2], n_features=12)
    labels = run("predict", tmp_path / "m.rgl", files[2]).out.split()
    assert [int(label) for label in labels] == learner.predict(X).astype(int).tolist()
    scores = [line.split("\t") for line in run("predict", tmp_path / "m.rgl", files[2], "--scores").out.splitlines()]
    assert np.array_equal(np.array(scores, dtype=float), learner.decision_function(X))


def test_inspect_shows_how_a_model_was_mixed(run, pattern, tmp_path):
    """Shards, their rows and shares, the weighting and the epochs stand in the text and in JSON; others have null."""
    run("learn", pattern, *MIXED, "--passes", 2, "--mixing", "rows", "--save", tmp_path / "m.rgl")
    mixing = run("inspect", tmp_path / "m.rgl", "--json").json["mixing"]
    assert (mixing["weights"], mixing["epochs"], mixing["epochs_asked"], mixing["one_shot"]) == ("rows", 2, 2, False)
    assert [one["name"] for one in mixing["shards"]] == [f"part-{k}.svm" for k in range(1, 6)]
    shares = [one["rows"] / 600 for one in mixing["shards"]]
    assert [one["share"] / 2 for one in mixing["shards"]] == pytest.approx(shares)
    text = run("inspect", tmp_path / "m.rgl", "--top", 2).out
    assert "mixed       after each epoch over 5 shards, each counting in proportion to its rows" in text
    assert "  part-2.svm " in text
    assert "  part-3.svm " not in text
    assert "  and 3 more" in text
    run("learn", write(tmp_path / "a.svm", noisy_lines(9)), "--learner", "perceptron", "--save", tmp_path / "a.rgl")
    assert run("inspect", tmp_path / "a.rgl", "--json").json["mixing"] is None


# ---- certificates


@pytest.fixture
def separable(tmp_path) -> Path:
    """Shards of rows that weights (2, -1) separate with room to spare."""
    draw = np.random.default_rng(5)
    X = draw.normal(size=(400, 2))
    X = X[np.abs(X @ [2, -1]) > 0.5]
    lines = [f"{1 if 2 * a - b > 0 else -1} 1:{a!r} 2:{b!r}\n" for a, b in X.tolist()]
    for k in range(4):
        write(tmp_path / f"part-{k}.svm", lines[k::4])
    return tmp_path / "part-*.svm"


def test_learn_prints_the_certificates_of_the_mixture(run, separable):
    """One line a certificate stands on stdout, the same that Python gives; the weighted updates are within theirs."""
    mixture = mix(Perceptron(passes=4), str(separable))
    words = ("learn", separable, "--learner", "perceptron", *PLAIN, "--passes", 4)
    command = run(*words, "--workers", 1, "--quiet")
    assert (command.code, command.err) == (0, "")
    assert command.out.splitlines() == [str(one) for one in mixture.certify()]
    bounded = run(*words, "--workers", 1, "--json").json["certificates"]
    weighted = [one for one in bounded if one["applies"] and one["quantity"] == "weighted updates"]
    assert weighted
    assert {one["observed"] for one in weighted} == {sum(epoch.weighted_updates for epoch in mixture.history)}
    assert all(one["observed"] <= one["bound"] for one in weighted)


def test_averaging_once_is_certified_by_nothing(run, pattern):
    """No certificate of a one-shot average applies, and each says that no theorem bounds it."""
    report = run(
        "learn", pattern, "--learner", "perceptron", "--workers", 1, "--one-shot", "--passes", 2, "--json"
    ).json
    assert report["certificates"]
    assert all(not one["applies"] and "no theorem" in one["why"] for one in report["certificates"])


def test_the_first_epoch_is_what_new_rows_are_judged_by(run, separable):
    """--iid adds the guarantee on new rows, from the first epoch alone, with and without other certificates."""
    words = ("learn", separable, "--learner", "perceptron", "--workers", 1, "--passes", 3, "--iid", "--delta", 0.1)
    risks = Perceptron.certify_risk(mix(Perceptron(passes=3), str(separable)).learner, 0.1)
    values = [one.describe() for one in risks]
    assert run(*words, "--no-certify", "--json").json["certificates"] == values
    assert run(*words, "--json").json["certificates"][-len(values) :] == values


def test_a_comparator_of_the_user_is_read_over_shards(run, separable, tmp_path):
    """With --against every applying certificate names the user's vector."""
    np.save(tmp_path / "u.npy", np.array([2.0, -1.0]))
    words = ("learn", separable, "--learner", "perceptron", "--workers", 1, "--against", tmp_path / "u.npy", "--json")
    labels = [one["comparator"] for one in run(*words).json["certificates"] if one["applies"] and one["comparator"]]
    assert labels
    assert all("your" in comparator["name"] for comparator in labels)


def test_certify_gives_the_certificates_of_learn(run, separable, tmp_path):
    """A mixed model, certified later over its shards, by two processes, gives the very certificates of its run."""
    words = ("--learner", "perceptron", "--passes", 3, "--workers", 1, "--save", tmp_path / "m.rgl", "--json")
    learned = run("learn", separable, *words).json
    report = run("certify", tmp_path / "m.rgl", separable, "--workers", 2, "--json").json
    assert report["certificates"] == learned["certificates"]
    assert (report["schema"], report["input"]) == ("regretless.certify/1", [str(separable)])
    text = run("certify", tmp_path / "m.rgl", separable, "--workers", 1).out
    assert text.count("\n") == len(report["certificates"])


def test_certify_notices_that_these_are_other_rows(run, separable, tmp_path):
    """Shards whose rows were turned round are certified as nothing, when they are certified later or gone on with."""
    model = tmp_path / "m.rgl"
    run("learn", separable, "--learner", "perceptron", *HERE, "--save", model)
    path = tmp_path / "part-2.svm"
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(reversed(lines)))  # a file of another size is refused before anything is played
    certified = run("certify", model, separable, "--workers", 1, "--json")
    assert certified.code == 1
    later = certified.json
    again = run("learn", separable, "--resume", model, "--passes", 2, "--workers", 1, "--json").json
    for command in (later, again):
        assert command["certificates"]
        assert all(not one["applies"] and "learned from others" in one["why"] for one in command["certificates"])


def test_an_ordinary_model_is_certified_over_shards(run, separable, tmp_path):
    """A model that learned from one file is certified over its parts, in their order, as over the file."""
    parts = [tmp_path / f"part-{k}.svm" for k in range(4)]
    whole = write(tmp_path / "whole.svm", [path.read_text() for path in parts])
    words = ("--learner", "perceptron", "--passes", 2, "--save", tmp_path / "m.rgl", "--json")
    learned = run("learn", whole, *words).json
    report = run("certify", tmp_path / "m.rgl", *parts, "--workers", 1, "--json").json
    assert report["certificates"] == learned["certificates"]
    fewer = run("certify", tmp_path / "m.rgl", *parts[:3], "--workers", 1, "--json").json
    assert all(not one["applies"] for one in fewer["certificates"])


def test_a_violated_bound_ends_with_3(run, pattern, monkeypatch):
    """When a bound that always holds does not, the certificate says EXCEEDS, and the command ends with exit code 3."""
    from regretless.certificate import Certificate
    from regretless.distributed.result import Mixture

    def broken(mixture, *_, **__):
        return [Certificate(theorem, 10.0, 1.0, None, None) for theorem in mixture.learner.theorems]

    monkeypatch.setattr(Mixture, "certify", broken)
    command = run("learn", pattern, "--learner", "perceptron", "--workers", 1, "--quiet")
    assert command.code == 3
    assert "EXCEEDS" in command.out
    assert "please report it" in command.err


def test_the_report_shows_the_run(run, separable, tmp_path, monkeypatch):
    """--report writes a page with the shards, the counts and the smallest certified bound on the weighted updates."""
    from regretless import report

    drawn = []
    original = report.page_of_mix
    monkeypatch.setattr(report, "page_of_mix", lambda report: drawn.append(report) or original(report))
    words = ("learn", separable, "--learner", "perceptron", "--workers", 1, "--passes", 3, "--json")
    output = run(*words, "--report", tmp_path / "r.html").json
    bounds = [
        one["bound"] for one in output["certificates"] if one["quantity"] == "weighted updates" and one["applies"]
    ]
    assert drawn[0].bound[1] == min(bounds)
    assert drawn[0].weighted == pytest.approx(output["weighted_updates"])
    assert (drawn[0].updates, drawn[0].mistakes, drawn[0].rounds) == tuple(
        output[key] for key in ("updates", "mistakes", "rounds")
    )
    page = (tmp_path / "r.html").read_text()
    assert "Perceptron on part-*.svm" in page
    assert "part-3.svm" in page
    assert page.rstrip().endswith("</html>")
