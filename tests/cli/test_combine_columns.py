"""``regretless combine``: which columns are experts, and what is no forecast."""

from __future__ import annotations

import numpy as np
import pytest

from regretless.errors import RegretlessError

from ..command_line import CommandLine
from ..data.forecasts import EXPERTS, QUIET, drawn, write_table

WORDS = ("--target", "load", "--time", "day")


@pytest.fixture
def run(capsys, monkeypatch) -> CommandLine:
    return CommandLine(capsys, monkeypatch)


@pytest.fixture
def weather(tmp_path):
    """Forecasts beside the place, a flag, and the outcome."""
    advice, outcomes = drawn(40)
    rows = ["latitude,holiday,a,b,load"]
    for row, (a, b) in enumerate(advice[:, :2].tolist()):
        rows.append(f"{44.5 + row % 3},{row % 7 // 6},{a},{b},{outcomes[row]}")
    (tmp_path / "w.csv").write_text("\n".join(rows) + "\n")
    return tmp_path / "w.csv"


def test_columns_that_are_hardly_forecasts_are_reported(run, weather):
    """A column far from all outcomes and a flag are experts as they stand, and a note says how to leave them out."""
    command = run("combine", weather, "--target", "load", "--json")
    assert command.json["experts"] == 4
    assert "'latitude' lies far (44.5 to 46.5) from all outcomes of the first rows (0.1" in command.err
    assert "'holiday' is 0 or 1 in all of the first rows, as a flag is" in command.err
    assert command.err.count("leave it out with --ignore") == 2
    quiet = run("combine", weather, "--target", "load", "--ignore", "latitude,holiday", "--json")
    assert (quiet.json["experts"], quiet.err) == (2, "")
    chosen = run("combine", weather, "--target", "load", "--experts", "a,b", "--json")
    assert chosen.json["loss"] == quiet.json["loss"]
    named = run("combine", weather, "--target", "load", "--experts", "latitude,a", "--json")
    assert named.err == ""


def test_forecasts_of_flags_and_biased_forecasts_are_not_suspected(run, tmp_path):
    """Votes on outcomes of 0 and 1, and a forecast that is off by half of what outcomes vary, are no strangers."""
    advice, outcomes = drawn(40)
    votes = write_table(tmp_path / "v.csv", np.round(advice), np.round(outcomes))
    assert run("combine", votes, *WORDS, *QUIET).err == ""
    assert run("combine", write_table(tmp_path / "b.csv", advice + 0.4, outcomes), *WORDS, *QUIET).err == ""


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("--ignore", "nothing"), 1, "there is no column 'nothing'"),
        (("--ignore", "load"), 2, "'load' is used"),
        (("--ignore", "north", "--experts", "north,south"), 2, "'north' is used"),
        (("--learner", "eg"), 0, ""),
    ],
)
def test_what_is_ignored_must_be_there_and_unused(run, tmp_path, words, code, message):
    """A column that is not there, or that another option names, is refused."""
    command = run("combine", write_table(tmp_path / "t.csv", *drawn(30)), *WORDS, *words, *QUIET)
    assert command.code == code
    assert message in command.err


def test_archives_ignore_columns_too(run, tmp_path):
    """In a .npz file --ignore names columns of the array of experts."""
    advice, outcomes = drawn(30)
    np.savez(tmp_path / "t.npz", experts=advice, names=list(EXPERTS), y=outcomes)
    report = run("combine", tmp_path / "t.npz", "--ignore", "north", "--json").json
    assert list(report["expert_losses"]) == list(EXPERTS[1:])
    assert "there is no expert 'up'" in run("combine", tmp_path / "t.npz", "--ignore", "up").err


def test_prices_are_not_guessed(run, tmp_path):
    """Without --loss and --target, eg asks whether the columns are price relatives or forecasts."""
    table = write_table(tmp_path / "t.csv", *drawn(30))
    command = run("combine", table, "--time", "day", "--learner", "eg")
    assert command.code == 2
    assert "needs a --loss: wealth where the table holds price relatives" in command.err
    forecast = run("combine", table, *WORDS, "--learner", "eg", "--json").json
    assert forecast["loss_name"] == "square"


def test_a_model_of_python_says_which_columns_it_lacks(tmp_path):
    """In Python, too, what is ignored may not be used."""
    from regretless.data.forecasts import open_forecasts

    table = write_table(tmp_path / "t.csv", *drawn(30))
    with pytest.raises(RegretlessError, match="'day' is used"):
        open_forecasts(table, time="day", ignore=["day"])


def test_all_columns_are_listed_where_the_outcome_is_to_be_chosen(run, tmp_path):
    """Of thirty columns every one is named."""
    names = [f"e{place}" for place in range(30)]
    (tmp_path / "t.csv").write_text(",".join(names) + "\n" + ",".join("1" for _ in names) + "\n")
    error = run("combine", tmp_path / "t.csv").err
    assert all(repr(name) in error for name in names)
