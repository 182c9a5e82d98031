"""Products of features and hashed features on the command line, from learning to inspecting."""

from __future__ import annotations

from pathlib import Path

import pytest

from ..command_line import BARE, CommandLine, noisy_lines, write

TABLE = "age,job,label\n" + "".join(
    f"{age},{job},{'yes' if (age > 40) == (job == 'clerk') else 'no'}\n"
    for age in range(20, 60)
    for job in ("clerk", "cook", "pilot")
)


@pytest.fixture
def run(capsys, monkeypatch) -> CommandLine:
    return CommandLine(capsys, monkeypatch)


@pytest.fixture
def table(tmp_path) -> Path:
    return write(tmp_path / "people.csv", [TABLE])


@pytest.fixture
def mail(tmp_path) -> Path:
    return write(tmp_path / "mail.svm", noisy_lines(200))


def inspected(run, model, top=100):
    """The names of all weights, and the whole."""
    report = run("inspect", model, "--top", top, "--json").json
    return {one["feature"] for one in report["weights"][0]["largest"]}, report


@pytest.mark.parametrize(
    "options",
    [
        ("--interactions", "age*job"),
        ("--interactions", "*", "--hash-bits", 10),
        ("--interactions", "*", "--hash-bits", 10, "--keep-names", 100),
    ],
)
@pytest.mark.parametrize("verb", ["predict", "certify"])
def test_what_was_learned_of_products_is_used(run, table, tmp_path, options, verb):
    """predict and certify build the products that learn was asked for, without being asked again."""
    model = tmp_path / "m.rgl"
    learned = run("learn", table, "--learner", "perceptron", *options, "--save", model, "--json")
    assert learned.code == 0, learned.err
    assert learned.json["input"]["features"] > 4
    if verb == "predict":
        assert run("predict", model, table, "--json").json["rows"] == 120
    else:
        shown = run("certify", model, table, "--json").json["certificates"]
        assert shown == learned.json["certificates"]


def test_products_separate_what_features_cannot(run, table, tmp_path):
    """With the product of age and job fewer mistakes are made on labels that depend on both."""
    words = ("learn", table, "--learner", "perceptron", "--passes", 30, "--no-certify", "--json")
    plain, crossed = run(*words).json, run(*words, "--interactions", "age*job").json
    assert crossed["mistakes"] < plain["mistakes"]


def test_inspect_calls_products_by_name(run, table, mail, tmp_path):
    """Weights of products have the names of both features, those of numbered ones as the file numbers them."""
    run("learn", table, *BARE, "--interactions", "age*job", "--save", tmp_path / "t.rgl")
    names, entries = inspected(run, tmp_path / "t.rgl")
    assert names <= {f"{age}job={job}" for age in ("", "age*") for job in ("clerk", "cook", "pilot")} | {"age"}
    assert "age*job=clerk" in names
    assert (entries["interactions"], entries["hash_bits"]) == (["age*job"], None)
    assert "with the products age*job" in run("inspect", tmp_path / "t.rgl").out
    run("learn", mail, *BARE, "--interactions", "3*7", "--save", tmp_path / "m.rgl")
    names, entries = inspected(run, tmp_path / "m.rgl")
    assert names <= {*map(str, range(1, 13)), "3*7"}
    assert "3*7" in names
    assert entries["interactions"] == ["3*7"]


@pytest.mark.parametrize("bits", [2, 18])
def test_inspect_shows_names_through_the_hash(run, table, mail, tmp_path, bits):
    """With --keep-names hashed weights have their names, several where features share one; without it, none."""
    words = ("--interactions", "*", "--hash-bits", bits, "--save", tmp_path / "m.rgl")
    expected = {"age", "job=clerk", "job=cook", "job=pilot", "age*job=clerk", "age*job=cook", "age*job=pilot"}
    run("learn", table, *BARE, *words, "--keep-names", 100)
    names, entries = inspected(run, tmp_path / "m.rgl")
    assert entries["hash_bits"] == bits
    if bits == 18:
        assert names <= expected
    else:
        assert any(" | " in name for name in names)
    run("learn", table, *BARE, *words)
    assert all(name.isdecimal() for name in inspected(run, tmp_path / "m.rgl")[0])
    run("learn", mail, *BARE, *words, "--keep-names", 100)
    names, _ = inspected(run, tmp_path / "m.rgl")
    assert {part for name in names for text in name.split(" | ") for part in text.split("*")} >= {"1", "12"}


def test_a_stopped_run_with_products_goes_on(run, tmp_path):
    """Two files learned one after the other leave, byte for byte, the model of both in one."""
    lines = noisy_lines(300)
    halves = write(tmp_path / "a.svm", lines[:120]), write(tmp_path / "b.svm", lines[120:])
    both = write(tmp_path / "c.svm", lines)
    for options in (("--interactions", "*"), ("--interactions", "1*2", "--hash-bits", 9, "--keep-names", 40)):
        run("learn", both, *BARE, *options, "--save", tmp_path / "whole.rgl")
        run("learn", halves[0], *BARE, *options, "--save", tmp_path / "parts.rgl")
        resumed = run("learn", halves[1], "--resume", tmp_path / "parts.rgl", "--no-certify", "--quiet")
        assert resumed.code == 0, resumed.err
        assert (tmp_path / "parts.rgl").read_bytes() == (tmp_path / "whole.rgl").read_bytes()


@pytest.mark.parametrize(
    ("words", "code", "expected"),
    [
        (("--keep-names", 5), 2, "--keep-names has no meaning without a hash"),
        (("--hash-bits", 31), 2, "--hash-bits=31: it must be at least 1 and at most 30"),
        (("--interactions", "3"), 1, "mail.svm: interactions=3: a*b is expected, or * for all pairs"),
        (("--interactions", "1*2*3"), 1, "interactions=1*2*3: only products of two columns, a*b, can be asked for"),
        (("--interactions", "a*3"), 1, "there is no column 'a'; features are called by their number"),
    ],
)
def test_nonsense_is_refused(run, mail, words, code, expected):
    """Options that have no meaning end in one line and the right exit code."""
    command = run("learn", mail, *BARE, *words)
    assert (command.code, command.out) == (code, "")
    assert expected in command.err


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("--ngrams", 2), "--ngrams is about the words of columns"),
        (("--text", "job,age", "--ignore", "age"), "--text uses 'age', and --ignore leaves it out"),
        (("--categorical", "age", "--ignore", "age"), "--categorical uses 'age', and --ignore leaves it out"),
    ],
)
def test_options_that_would_change_nothing_are_refused(run, table, words, expected):
    """Neighbouring words of no column, and a column that is used and left out at once, end with code 2."""
    command = run("learn", table, *words)
    assert (command.code, command.out) == (2, "")
    assert expected in command.err


@pytest.mark.parametrize(
    ("words", "code", "expected"),
    [
        (("--ignore", "label"), 1, "response or y but for 'label', which --ignore leaves out"),
        (("--ignore", "label", "--target", "label"), 1, "--target uses 'label', and --ignore leaves it out"),
        (("--interactions", "label*age"), 1, "'label' is the target"),
        (("--ignore", "age", "--interactions", "age*job"), 2, "--interactions uses 'age', and --ignore leaves it out"),
        (("--text", "job", "--categorical", "job"), 2, "--text and --categorical both use 'job'"),
        (("--no-certify", "--svm"), 2, "--svm: this is for certificates, and --no-certify wants none"),
    ],
)
def test_a_column_that_an_option_takes_away_is_not_said_to_be_missing(run, table, words, code, expected):
    """Of options that contradict each other the error names both, and never denies a column of the file."""
    command = run("learn", table, *words)
    assert (command.code, expected in command.err) == (code, True), command.err
    assert "there is no column" not in command.err


def test_a_folder_of_a_name_without_a_suffix_asks_for_its_format(run, tmp_path):
    """A folder may be of Parquet files, which the error says, before options that tables alone have are refused."""
    for words in ((), ("--target", "y")):
        command = run("learn", tmp_path, *words)
        assert (command.code, "--format parquet" in command.err) == (1, True)


def test_other_products_than_the_models_are_refused(run, mail, tmp_path):
    """learn --resume refuses products that the model was not learned with, and takes those that it was."""
    run("learn", mail, *BARE, "--interactions", "1*2", "--save", tmp_path / "m.rgl")
    words = ("learn", mail, "--resume", tmp_path / "m.rgl", "--no-certify", "--quiet", "--interactions")
    assert run(*words, "2*1").code == 0
    refused = run(*words, "*")
    assert refused.code == 2
    assert "--interactions=*: the file that this continues had others (1*2)" in refused.err
