"""``regretless solve`` over games of every kind."""

from __future__ import annotations

import errno
import gzip
import os
import re
import signal
import tarfile
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regretless import report
from regretless.cli.solve import bimatrix as solve_bimatrix
from regretless.cli.solve.result import certain, ends
from regretless.errors import ParameterError, RegretlessError
from regretless.games import MatrixGame
from regretless.games.general_sum.bimatrix import BimatrixGame
from regretless.games.methods import METHODS
from regretless.games.solvers import exact

from ..command_line import CommandLine, start

TABLE = ",rock,paper,scissors\nrock,0,-1,1\npaper,1,0,-1\nscissors,-1,1,0\n"
UNFAIR = ",left,right\nup,3,-1\ndown,-2,1\n"
KEYS = ["schema", "path", "title", "game", "rows", "columns", "method", "payoffs", "value", "gap", "lower", "upper"]
KEYS += ["row_strategy", "column_strategy", "iterations", "seconds", "note", "stopped", "certificates"]
BATTLE = 'NFG 1 R "Battle of the sexes" {"He" "She"} { {"boxing" "ballet"} {"boxing" "ballet"} } 2 1 0 0 0 0 1 2'
PENNIES = 'NFG 1 R "Pennies" {"A" "B"} { {"h" "t"} {"h" "t"} } 3 1 1 3 1 3 3 1'
TREE = """EFG 2 R "Hidden coin" { "Hider" "Seeker" }
p "" 1 1 "place" { "h" "t" } 0
p "" 2 1 "guess" { "h" "t" } 0
t "" 1 "" { -1, 1 }
t "" 2 "" { 1, -1 }
p "" 2 1 "guess" { "h" "t" } 0
t "" 3 "" { 1, -1 }
t "" 4 "" { -1, 1 }
"""


@pytest.fixture
def run(capsys, monkeypatch) -> CommandLine:
    return CommandLine(capsys, monkeypatch)


@pytest.fixture
def write(tmp_path):
    """Writes a file and says where it is."""

    def writer(content: str | bytes, name: str = "game.csv") -> Path:
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return writer


def sequences(path: Path, **changes: Any) -> Path:
    """Matching pennies in sequence form."""
    choice = {"row": [0, 1, 1, 1], "col": [0, 0, 1, 2], "val": [1.0, -1, 1, 1], "shape": [2, 3]}
    payoffs = {"row": [1, 1, 2, 2], "col": [1, 2, 1, 2], "val": [1.0, -1, -1, 1], "shape": [3, 3]}
    forms = {"A": payoffs, "E": choice, "F": choice}
    np.savez(path, **({f"{f}_{p}": np.array(v) for f, parts in forms.items() for p, v in parts.items()} | changes))
    return path


# Zero-sum games.


def test_solve_is_matrix_game_solve(run, write):
    """Strategies and interval of the command line are those of Python, to the bit, and named."""
    command = run("solve", write(UNFAIR), "--json")
    output = command.json
    assert (command.code, command.err) == (0, "")
    assert list(output) == KEYS
    expected = MatrixGame([[3, -1], [-2, 1]], rows=["up", "down"], cols=["left", "right"]).solve()
    assert (output["schema"], output["game"]) == ("regretless.solve/1", "zero-sum")
    assert (output["lower"], output["upper"], output["gap"]) == (expected.lower, expected.upper, expected.gap)
    assert output["row_strategy"] == dict(zip(["up", "down"], expected.row.tolist(), strict=True))
    assert output["column_strategy"] == dict(zip(["left", "right"], expected.column.tolist(), strict=True))
    assert output["value"] == pytest.approx(1 / 7, abs=1e-12)
    assert all(one["applies"] for one in output["certificates"])


def test_people_read_the_same(run, write):
    """Whose payoff, value, interval, gap, both strategies, method and certificates stand in the text."""
    command = run("solve", write(TABLE))
    assert command.code == 0
    lines = command.out.splitlines()
    assert re.fullmatch(r"zero-sum game, 3 x 3; simplex: \d+ pivots", lines[0])
    assert lines[1] == "payoff of the row player"
    assert [line.split("  ")[1] for line in lines[2:5]] == ["value", "at least, at most", "duality gap"]
    assert lines[5] == "rows (row player), 3 of 3 played"
    assert sorted(line.split()[0] for line in lines[6:9]) == ["paper", "rock", "scissors"]
    assert all(line.endswith("33.3333%") for line in lines[6:9])
    assert lines[9] == "columns (column player), 3 of 3 played"
    assert lines[13].startswith("Weak duality: ")


@pytest.mark.parametrize(
    ("value", "gap", "values"),
    [
        (-1.04e-17, 4.6e-16, "0"),
        (1 / 7, 8.7e-4, "0.1429"),
        (1 / 7, 1e-16, "0.142857142857"),
        (-1234.5678, 0.05, "-1,234.57"),
        (123456.0, 3000.0, "123,000"),
        (2.5, 0.0, "2.5"),
        (0.0, float("inf"), "0"),
    ],
)
def test_values_have_the_digits_that_are_certain(value, gap, values):
    """No digit of a value is printed that its gap leaves open, but that of the gap's own size."""
    assert certain(value, gap) == values


@given(st.floats(-1e300, 1e300), st.floats(0, 1e300))
def test_intervals_are_rounded_outwards(lower, width):
    """The printed ends contain those that were found, and are apart by at most a tenth more."""
    upper = lower + width
    values = [Fraction(text.replace(",", "")) for text in re.split(", (?=[-0-9.])", ends(lower, upper))]
    if upper > lower:
        assert values[0] <= Fraction(lower)
        assert Fraction(upper) <= values[1]
        assert values[1] - values[0] <= (Fraction(upper) - Fraction(lower)) * Fraction(11, 10)
    else:
        assert list(map(float, values)) == [lower, upper]


def test_intervals_within_rounding_are_distinguished():
    """Two ends that differ in the last bits are not printed alike, and ends that are one number are."""
    assert ends(-2.4e-16, 2.2e-16) == "-2.41e-16, 2.21e-16"
    assert ends(0.79575605832076, 0.79575605832077) == "0.79575605832076001, 0.79575605832077002"
    assert ends(0.1, 0.1) == "0.1, 0.1"
    assert ends(-1234567.25, -1234567.0) == "-1,234,567.25, -1,234,567"


def test_long_strategies_are_cut(run, write):
    """Twelve strategies are shown, the likeliest, and how many more there are with what is left for them."""
    identity = "\n".join(",".join("1" if i == j else "0" for j in range(20)) for i in range(20))
    lines = run("solve", write(identity)).out.splitlines()
    assert lines[5] == "rows (row player), 20 of 20 played"
    assert lines[18] == "  … and 8 more, together 40%"


def test_exact_takes_decimals_as_they_are_written(run, write):
    """0.1 is a tenth: the value of [[0.1, 1/3], [1/2, -1]] is what fractions give, not floats."""
    path = write("0.1,1/3\n1/2,-1\n")
    entry = run("solve", path, "--exact", "--json").json["exact"]
    a, b, c, d = Fraction(1, 10), Fraction(1, 3), Fraction(1, 2), Fraction(-1)
    assert Fraction(entry["value"]) == (a * d - b * c) / (a + d - b - c)
    assert sum(map(Fraction, entry["row_strategy"].values())) == 1
    text = run("solve", path, "--exact").out
    assert f"value, exactly                     {entry['value']}" in text
    assert all(chance in text for chance in entry["row_strategy"].values())


def test_losses_are_reported_as_losses(run, write):
    """With --losses the row player minimises, and everything printed is a loss."""
    path = write(UNFAIR)
    output = run("solve", path, "--losses", "--json").json
    expected = MatrixGame.from_losses([[3, -1], [-2, 1]]).solve()
    assert (output["lower"], output["upper"]) == (expected.lower, expected.upper)
    assert output["payoffs"] == "row player's losses"
    assert "loss of the row player, who minimises it" in run("solve", path, "--losses").out


@pytest.mark.parametrize("method", ["auto", *METHODS])
def test_every_method_comes_within_the_tolerance(run, write, method):
    """Each method ends within the gap that was asked for, around the value."""
    output = run("solve", write(UNFAIR), "--method", method, "--tolerance", 0.01, "--json").json
    assert output["gap"] <= 0.01
    assert output["lower"] <= 1 / 7 <= output["upper"]


def test_self_play_takes_its_settings(run, write):
    """Rounds, averages and turns are those that were asked for."""
    path = write(UNFAIR)
    settings = ("--method", "rm+", "--rounds", 50, "--average", "linear", "--simultaneous", "--json")
    output = run("solve", path, *settings).json
    expected = MatrixGame([[3, -1], [-2, 1]]).solve("rm+", rounds=50, average="linear", alternate=False)
    assert (output["iterations"], output["lower"], output["upper"]) == (50, expected.lower, expected.upper)
    expected = MatrixGame([[3, -1], [-2, 1]]).solve("hedge", rounds=50, alternate=True)
    output = run("solve", path, "--method", "hedge", "--rounds", 50, "--alternating", "--json").json
    assert (output["lower"], output["upper"]) == (expected.lower, expected.upper)


def test_compressed_tables_and_standard_input(run, write):
    """A compressed table and one that comes through a pipe are the same game."""
    expected = run("solve", write(UNFAIR), "--json").json
    piped = run("solve", "-", "--json", stdin=UNFAIR.encode()).json
    packed = run("solve", write(gzip.compress(UNFAIR.encode()), "game.csv.gz"), "--json").json
    for name in ("lower", "upper", "row_strategy"):
        assert expected[name] == piped[name] == packed[name]
    assert run("solve", "-", "--format", "nfg", "--json", stdin=BATTLE.encode()).json["title"] == "Battle of the sexes"


def test_notes_are_reported_unless_quiet(run, write):
    """What was guessed about a file is said on stderr, and not with --quiet."""
    path = write(",0,1\n0,5,6\n1,7,8\n")
    assert "are taken for names" in run("solve", path).err
    assert run("solve", path, "--quiet").err == ""
    assert run("solve", path, "--names", "none").err.endswith(
        "1:1: an empty cell; a number is expected in every cell\n"
    )


# Strategies in files, and pages.


def test_strategies_are_saved_and_taken_up(run, write, tmp_path):
    """What --save wrote is what was printed, --start begins with it, and refuses it for a game of other names."""
    path, archive = write(UNFAIR), tmp_path / "kept.npz"
    first = run("solve", path, "--method", "rm+", "--rounds", 30, "--save", archive, "--json").json
    with np.load(archive) as arrays:
        assert arrays["rows"].tolist() == ["up", "down"]
        assert dict(zip(arrays["cols"].tolist(), arrays["column"].tolist(), strict=True)) == first["column_strategy"]
        assert (float(arrays["lower"]), float(arrays["upper"])) == (first["lower"], first["upper"])
    command = run("solve", path, "--method", "rm+", "--tolerance", 0.01, "--start", archive, "--json")
    assert (command.code, command.json["gap"] <= 0.01) == (0, True)
    other = write(UNFAIR.replace("up", "high"), "other.csv")
    assert "rows have other names; these are strategies of another game" in run("solve", other, "--start", archive).err


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"row": np.ones(2)}, "there are no strategies in it; a .npz file with the arrays row and column is expected"),
        (
            {"row": np.ones(3) / 3, "column": np.ones(2) / 2},
            "row has shape (3,) and type float64; a probability",
        ),
        ({"row": np.array([np.nan, 1]), "column": np.ones(2) / 2}, "row has numbers that are no probabilities"),
        ({"row": np.ones(2), "column": np.ones(2) / 2}, "--start: row: probabilities are not negative and sum to 1"),
        ({"row": np.array(["x"]), "column": np.ones(2) / 2}, "row has shape (1,) and type"),
    ],
)
def test_strategies_that_are_none(run, write, tmp_path, arrays, message):
    """A file to start with that holds something else is refused."""
    archive = tmp_path / "kept.npz"
    np.savez(archive, **arrays)
    command = run("solve", write(UNFAIR), "--start", archive)
    assert command.code != 0
    assert command.out == ""
    assert message in command.err
    assert command.err.count("\n") == 1


def test_a_page_for_every_kind(run, write, tmp_path):
    """Each kind of game gives a page, one file that names what was solved, and says where it is."""
    games = [write(TABLE), write(BATTLE, "b.nfg"), write(PENNIES, "p.nfg"), write(TREE, "t.efg")]
    games.append(sequences(tmp_path / "s.npz"))
    for place, game in enumerate(games):
        page = tmp_path / f"{place}.html"
        command = run("solve", game, "--report", page)
        assert command.code == 0
        assert f"report: {page}" in command.err
        assert game.name in page.read_text()
    page = tmp_path / "play.html"
    run("solve", write(UNFAIR), "--method", "rm+", "--tolerance", 0.01, "--report", page)
    assert "textbook Hedge" in page.read_text()


# Both players have payoffs of their own.


def test_equilibria_are_listed(run, write):
    """The three equilibria of the battle of the sexes are listed, in fractions, and said to be all."""
    path = write(BATTLE, "b.nfg")
    output = run("solve", path, "--json").json
    assert (output["game"], output["complete"], len(output["equilibria"])) == ("bimatrix", True, 3)
    mixed = next(one["exact"] for one in output["equilibria"] if len(one["row_strategy"]) == 2)
    assert mixed["row_strategy"] == {"boxing": "2/3", "ballet": "1/3"}
    text = run("solve", path).out
    assert "3 equilibria, all there are" in text
    assert "boxing (2/3), ballet (1/3)" in text
    assert "payoffs 2/3 and 2/3" in text
    assert len(run("solve", path, "--limit", 1, "--json").json["equilibria"]) == 1


def test_a_constant_sum_is_a_zero_sum_game(run, write):
    """Payoffs that sum to a constant everywhere are solved as a zero-sum game, and stderr says so."""
    command = run("solve", write(PENNIES, "p.nfg"), "--exact", "--json")
    output = command.json
    assert "the payoffs sum to 4 everywhere, so that this is solved as a zero-sum game" in command.err
    assert (output["game"], output["sum"], output["exact"]["value"]) == ("constant-sum", 4.0, "2")
    assert output["row_strategy"] == pytest.approx({"h": 0.5, "t": 0.5})
    assert "value for the column player        2, for both win 4 together" in run("solve", write(PENNIES, "p.nfg")).out
    assert len(run("solve", write(PENNIES, "p.nfg"), "--equilibria", "auto", "--json").json["equilibria"]) == 1


def test_correlated_equilibria(run, write):
    """The best correlated equilibrium of the battle of the sexes pays 3 together, the best for one player pays it 2."""
    path = write(BATTLE, "b.nfg")
    for kind in ("--correlated", "--coarse"):
        correlated = run("solve", path, kind, "--json").json["correlated"]
        assert correlated["row_payoff"] + correlated["column_payoff"] == pytest.approx(3)
        assert correlated["bound"] >= correlated["best"] - 1e-12
        correlated = run("solve", path, kind, "--objective", "column", "--json").json["correlated"]
        assert correlated["column_payoff"] == pytest.approx(2)
        assert correlated["joint"]["ballet"]["ballet"] == pytest.approx(1)
    assert "correlated equilibrium, the best for both together" in run("solve", path, "--correlated").out


def test_without_the_library_pure_ones_and_a_correlated_one(run, write, tmp_path, monkeypatch):
    """Where equilibria need an extra that is missing, the pure ones are listed, and the extra is named."""

    def missing(*_: object) -> None:
        raise RegretlessError("this needs quantecon; install it with: pip install quantecon")

    monkeypatch.setattr(BimatrixGame, "equilibria", missing)
    monkeypatch.setattr(solve_bimatrix, "find_spec", lambda name: None)
    path, page, archive = write(BATTLE, "b.nfg"), tmp_path / "page.html", tmp_path / "kept.npz"
    command = run("solve", path, "--report", page, "--save", archive)
    assert command.code == 0
    assert "mixed equilibria were not looked for: this needs quantecon" in command.out
    assert "2 pure equilibria:" in command.out
    assert "correlated equilibrium, the best for both together: payoffs" in command.out
    assert page.exists()
    with np.load(archive) as arrays:
        assert arrays["joint"].shape == (2, 2)
    output = run("solve", path, "--json").json
    assert output["pure_equilibria"] == [["boxing", "boxing"], ["ballet", "ballet"]]
    command = run("solve", path, "--equilibria", "lemke-howson")
    assert (command.code, command.out) == (1, "")
    assert "pip install quantecon" in command.err


def test_equilibria_are_stored_one_a_row(run, write, tmp_path):
    """--save keeps all equilibria of a bimatrix game."""
    archive = tmp_path / "kept.npz"
    assert run("solve", write(BATTLE, "b.nfg"), "--save", archive).code == 0
    with np.load(archive) as arrays:
        assert arrays["row"].shape == arrays["column"].shape == (3, 2)


# Games in turns.


def test_sequence_forms(run, tmp_path):
    """A sequence form is solved by linear programming or by self-play, and reported by information set."""
    path = sequences(tmp_path / "s.npz")
    output = run("solve", path, "--json").json
    assert (output["game"], output["value"]) == ("sequence form", pytest.approx(0, abs=1e-9))
    assert output["row_strategy"] == {"1": pytest.approx({"1": 0.5, "2": 0.5})}
    output = run("solve", path, "--method", "pcfr+", "--tolerance", 1e-4, "--json").json
    assert (output["method"], output["gap"] <= 1e-4) == ("pcfr+", True)
    assert "1 information set that it comes to" in run("solve", path).out


def test_trees(run, write):
    """A tree is solved by its sequence form, with the names of its information sets and actions."""
    output = run("solve", write(TREE, "t.efg"), "--json").json
    assert (output["title"], output["value"]) == ("Hidden coin", pytest.approx(0, abs=1e-9))
    assert output["column_strategy"] == {"guess": pytest.approx({"h": 0.5, "t": 0.5})}
    assert "guess" in run("solve", write(TREE, "t.efg")).out


ENTRY = """EFG 2 R "Entry" { "New" "Old" }
p "" 1 1 "market" { "out" "in" } 0
t "" 1 "" { 0 2 }
p "" 2 1 "reply" { "fight" "share" } 0
t "" 2 "" { -1 -1 }
t "" 3 "" { 1 1 }"""


def test_trees_of_any_sum(run, write):
    """A tree without a constant sum is answered by the equilibria of its plans, exactly, or by a correlated one."""
    path = write(ENTRY, "t.efg")
    command = run("solve", path)
    assert "solved by its reduced strategic form, 2 x 2 plans" in command.err
    assert "Entry\nbimatrix game, 2 x 2; exact-enumeration: 3 equilibria" in command.out
    assert "  rows                               market: in (1)" in command.out
    output = run("solve", path, "--json").json
    assert [one["exact"]["column_strategy"] for one in output["equilibria"]] == [
        {"reply: fight": "1"},
        {"reply: fight": "1/2", "reply: share": "1/2"},
        {"reply: share": "1"},
    ]
    best = run("solve", path, "--correlated", "--json").json["correlated"]
    assert best["joint"] in ({"market: out": {"reply: fight": 1.0}}, {"market: in": {"reply: share": 1.0}})


@pytest.mark.parametrize("words", [("--method", "cfr+"), ("--rounds", 5, "--method", "cfr"), ("--losses",)])
def test_trees_of_any_sum_have_no_value(run, write, words):
    """Options about a value, or losses, are refused where both players have payoffs of their own."""
    command = run("solve", write(ENTRY, "t.efg"), *words)
    assert (command.code, command.out) == (2, "")
    assert "holds payoffs of both players" in command.err


# What cannot be meant, and what goes wrong.


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--quiet", "--progress"), "--quiet and --progress contradict each other"),
        (("--correlated", "--coarse"), "--correlated and --coarse are two sets of equilibria"),
        (("--equilibria", "auto", "--coarse"), "--equilibria lists Nash equilibria"),
        (("--objective", "row"), "--objective chooses among the correlated equilibria"),
        (("--rounds", 5), "--rounds is about self-play; --method names one: rm+"),
        (("--average", "linear", "--method", "simplex"), "--average is about self-play"),
        (("--simultaneous",), "--simultaneous is about self-play"),
        (("--simultaneous", "--alternating"), "not allowed with argument"),
        (("--tolerance", 0), "'0' is not a number above 0"),
        (("--tolerance", "nan"), "'nan' is not a number above 0"),
        (("--rounds", 0), "--rounds"),
        (("--method", "cfr"), "--method cfr is for games in turns"),
        (("--correlated",), "--correlated has no meaning here"),
        (("--start", "x.npz", "--method", "simplex"), "--start is of no use to the simplex method"),
        (("--save", "x.txt"), "--save x.txt: strategies are saved in a .npz file"),
        (("--array", "A"), "--array=A: it is for .npz archives, and this is read as csv"),
        (("--method", "best"), "invalid choice: 'best'"),
    ],
)
def test_command_lines_that_make_no_sense(run, write, words, message):
    """Each is refused in one line with exit code 2, and nothing is printed."""
    command = run("solve", write(TABLE), *words)
    assert (command.code, command.out) == (2, "")
    assert message in command.err
    assert command.err.count("\n") == 1


@pytest.mark.parametrize(
    ("name", "content", "words", "message"),
    [
        ("b.nfg", BATTLE, ("--losses",), "--losses has no meaning here"),
        ("b.nfg", BATTLE, ("--method", "rm+"), "--method has no meaning here"),
        ("b.nfg", BATTLE, ("--tolerance", 0.1), "--tolerance has no meaning here"),
        ("t.efg", TREE, ("--losses",), "--losses has no meaning here"),
        ("t.efg", TREE, ("--method", "simplex"), "--method simplex is for games by their matrix"),
        ("t.efg", TREE, ("--coarse",), "--coarse has no meaning here"),
        ("t.efg", TREE, ("--names", "both"), "--names=both: it is for tables of text"),
    ],
)
def test_options_that_do_not_fit_the_game(run, write, name, content, words, message):
    """What has no meaning for a game of its kind is refused, not ignored."""
    command = run("solve", write(content, name), *words)
    assert (command.code, command.out) == (2, "")
    assert message in command.err


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("game.csv", "1,2\n3,x\n", ":2:3: 'x' is no number; a number such as 3, -0.25 or 2/3 is expected"),
        ("game.csv", "", ": the file is empty; rows of payoffs are expected"),
        ("game.nfg", "NFG 1 R", ":1:8: the end of the file stands here; the game's title in quotes is expected"),
        ("game.nfg", 'NFG 1 R "" {"a" "b" "c"} {1 1 1} 1 2 3', ": a game of 3 players; games of two players alone"),
        ("game.efg", "EFG", ":1:4: the end of the file"),
        ("game.npz", "x", ": this cannot be read"),
        ("game.rgl", "x", ": this is a saved model; a game is expected here"),
    ],
)
def test_files_that_are_no_game(run, write, tmp_path, name, content, message):
    """Each gives one line with the file, the line and the column, exit code 1, and nothing is written."""
    path = write(content, name)
    page, archive = tmp_path / "page.html", tmp_path / "kept.npz"
    command = run("solve", path, "--report", page, "--save", archive)
    assert (command.code, command.out) == (1, "")
    assert command.err.startswith(f"regretless: {path}{message}")
    assert command.err.count("\n") == 1
    assert not page.exists()
    assert not archive.exists()


def test_sequence_forms_that_are_none(run, tmp_path):
    """A sequence form whose constraints are no such thing is refused with the file's name."""
    path = sequences(tmp_path / "s.npz", E_val=np.array([1.0, -1, 1, 2]))
    command = run("solve", path)
    assert (command.code, command.out) == (1, "")
    assert command.err.startswith(f"regretless: {path}: E")
    assert command.err.count("\n") == 1


def test_a_failed_solve_is_an_error(run, write, tmp_path):
    """Where the tolerance is not reached, one line tells the interval, and nothing is written."""
    page, archive = tmp_path / "page.html", tmp_path / "kept.npz"
    words = ("--method", "hedge", "--rounds", 5, "--tolerance", 1e-6, "--report", page, "--save", archive)
    command = run("solve", write(UNFAIR), *words)
    assert (command.code, command.out) == (1, "")
    assert re.match(r"regretless: .*game.csv: .* gap of .*-?\d\S+ and -?\d", command.err)
    assert command.err.count("\n") == 1
    assert not page.exists()
    assert not archive.exists()


def test_outputs_do_not_overwrite_inputs(run, write, tmp_path):
    """The file of strategies to start with is not overwritten by those that are kept."""
    archive = tmp_path / "kept.npz"
    np.savez(archive, row=np.ones(2) / 2, column=np.ones(2) / 2)
    command = run("solve", write(UNFAIR), "--start", archive, "--save", archive)
    assert (command.code, "would be overwritten" in command.err) == (2, True)
    assert run("solve", write(UNFAIR), "--save", tmp_path / "no" / "kept.npz").code == 1


def test_strategies_that_cannot_be_saved(run, write, tmp_path, monkeypatch):
    """Where keeping them fails, the old file stays, no other one is left, and one line names what was to be written."""
    archive = tmp_path / "kept.npz"
    archive.write_bytes(b"old")

    def fails(*_, **__):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(np, "savez", fails)
    command = run("solve", write(UNFAIR), "--save", archive)
    assert (command.code, command.out) == (1, "")
    assert command.err.startswith(f"regretless: {archive}: No space left on device; make room")
    assert archive.read_bytes() == b"old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["game.csv", "kept.npz"]


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        (MemoryError(), 1, "game.csv: memory is exhausted; try --method rm+"),
        (ParameterError("rounds", None, "0; a whole number is expected"), 2, "regretless: --rounds: 0; a whole number"),
        (RegretlessError("there is no end to it"), 1, "game.csv: there is no end to it"),
        (OSError(errno.EIO, "Input/output error"), 1, "game.csv: Input/output error; try again"),
        (RuntimeError("what now"), 1, "game.csv: RuntimeError: what now; set REGRETLESS_TRACEBACK=1"),
    ],
)
def test_whatever_fails_while_solving_is_reported_in_one_line(run, write, monkeypatch, error, code, message):
    """Errors of a solver name the file, or the option that they are about."""

    def fails(*_, **__):
        raise error

    monkeypatch.setattr(MatrixGame, "solve", fails)
    command = run("solve", write(UNFAIR))
    assert (command.code, command.out, command.err.count("\n")) == (code, "", 1)
    assert message in command.err


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_a_report_that_cannot_be_written_is_named(run, write):
    """A full device is called by its name, and what was found is printed all the same."""
    command = run("solve", write(UNFAIR), "--report", "/dev/full")
    assert command.code == 1
    assert command.err == "regretless: /dev/full: No space left on device; make room, or choose another folder\n"
    assert command.out.startswith("zero-sum game, 2 x 2")


def test_methods_may_be_written_with_underscores(run, write):
    """An underscore stands for a hyphen, and a way to list equilibria is refused with its own option."""
    assert run("solve", write(UNFAIR), "--method", "interior_point", "--json").json["method"] == "interior-point"
    output = run("solve", write(BATTLE, "b.nfg"), "--equilibria", "exact_enumeration", "--json").json
    assert output["method"] == "exact-enumeration"
    command = run("solve", write(UNFAIR), "--method", "lemke_howson")
    assert (command.code, command.out) == (2, "")
    assert "lemke-howson lists equilibria of two matrices: --equilibria lemke-howson" in command.err


def test_what_is_exact_of_floats_is_reported(run, tmp_path):
    """Numbers that are floats are solved exactly for what they are, and a note says so; text needs none."""
    np.save(tmp_path / "game.npy", np.array([[0.1, 0.2], [0.3, 0.0]]))
    assert (
        "its numbers are floats; what is exact is about their very values"
        in run("solve", tmp_path / "game.npy", "--exact").err
    )
    (tmp_path / "game.csv").write_text("0.1,0.2\n0.3,0\n")
    assert run("solve", tmp_path / "game.csv", "--exact").err == ""


def test_lines_stay_lines_whatever_names_hold(run, write):
    """A name with a line break in it takes no line of its own, in no kind of game."""
    plain, odd = run("solve", write(BATTLE, "b.nfg")), write(BATTLE.replace('"boxing"', '"box\ning"'), "b.nfg")
    command = run("solve", odd)
    assert len(command.out.splitlines()) == len(plain.out.splitlines())
    tree = run("solve", write(TREE, "t.efg"))
    command = run("solve", write(TREE.replace('"h"', '"he\nads"').replace('"Seeker"', '"See\nker"'), "t.efg"))
    assert len(command.out.splitlines()) == len(tree.out.splitlines())


def test_one_equilibrium_has_no_mixtures(run, write):
    """A degenerate game with one equilibrium is not said to have mixtures of it."""
    path = write('NFG 1 R "" {"A" "B"} { {"t" "b"} {"l" "r"} } 1 1 0 1 0 0 0 0', "one.nfg")
    output = run("solve", path, "--equilibria", "auto", "--json").json
    text = run("solve", path, "--equilibria", "auto").out
    assert (len(output["equilibria"]), output["degenerate"]) == (1, True)
    assert "1 equilibrium, all there is" in text


def test_information_sets_are_reported_with_how_often_they_are_reached(run, write, tmp_path, monkeypatch):
    """A report has the probability with which the player's own choices lead to each set."""
    pages = []
    original = report.page_of_game
    monkeypatch.setattr(report, "page_of_game", lambda game: pages.append(game) or original(game))
    twice = """EFG 2 R "Twice" { "A" "B" }
p "" 1 1 "first" { "go" "stop" } 0
p "" 1 2 "second" { "x" "y" } 0
p "" 2 1 "answer" { "x" "y" } 0
t "" 1 "" { 1, -1 }
t "" 2 "" { -1, 1 }
p "" 2 1 "answer" { "x" "y" } 0
t "" 3 "" { -1, 1 }
t "" 4 "" { 1, -1 }
t "" 5 "" { 0, 0 }
"""
    assert (
        run("solve", write(twice, "t.efg"), "--method", "cfr", "--rounds", 7, "--report", tmp_path / "p.html").code == 0
    )
    (page,) = pages
    rows = {row.name: row for row in page.behaviour}
    assert rows["first"].reached == 1
    assert rows["second"].reached == pytest.approx(rows["first"].actions["go"])
    assert 0 < rows["second"].reached < 1


# Interruptions.


def long_game(folder: Path) -> Path:
    """A game on which the textbook's algorithm takes for ever."""
    path = folder / "long.npy"
    np.save(path, np.random.default_rng(0).uniform(-1, 1, (60, 60)))
    return path


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_interruptions_give_the_solution_so_far(tmp_path, number, code):
    """A signal ends self-play, whose progress was shown, with what it found, its gap and all that was to be written."""
    archive, page = tmp_path / "kept.npz", tmp_path / "page.html"
    words = ("--method", "hedge", "--tolerance", 1e-9, "--save", archive, "--report", page, "--progress")
    process = start("solve", long_game(tmp_path), *words)
    shown = process.stderr.readline().decode()
    assert re.fullmatch(r"gap \S+, [\d,]+ rounds, [\d,]+ a second\n", shown)
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    assert process.returncode == code
    gap = re.search(r"regretless: interrupted after [\d,]+ rounds, with a gap of (\S+)", err.decode())[1]
    assert "stopped before it was done" in out.decode().splitlines()[0]
    assert f"duality gap                        {gap}\n" in out.decode()
    with np.load(archive) as arrays:
        result = MatrixGame(np.load(tmp_path / "long.npy")).gap(arrays["row"], arrays["column"])
        assert float(f"{result:.3g}") == pytest.approx(float(gap), rel=0.01)
    assert "interrupted" in page.read_text()


def test_an_interruption_is_reported_though_nobody_reads(tmp_path):
    """Where stdout's reader is gone, stderr still says where the strategies are, and with which gap the run ended."""
    archive = tmp_path / "kept.npz"
    words = ("--method", "hedge", "--tolerance", 1e-9, "--save", archive, "--progress")
    process = start("solve", long_game(tmp_path), *words)
    process.stderr.readline()
    process.stdout.close()
    process.send_signal(signal.SIGINT)
    err = process.stderr.read().decode()
    process.stderr.close()
    assert process.wait(60) == 130
    assert f"strategies: {archive}\n" in err
    assert "regretless: interrupted after" in err


# Real games.


@pytest.mark.parametrize(
    ("name", "value", "support"),
    [
        ("roshambo_bots", 0.000334, 6),
        ("sscait_2016", 0.0, 2),
        ("pokemon_types", 0.0, 13),
        ("blotto_10_3", 0.0, 17),
        ("blotto_5_4", 0.0, None),
        ("atari_agent57", -0.257106, 4),
        ("atari_muesli11", -0.258959, 3),
    ],
)
def test_real_games(run, data, name, value, support):
    """Values and sizes of supports are those that others found (of games with one solution)."""
    output = run("solve", data / "games" / f"{name}.npz", "--json").json
    assert output["value"] == pytest.approx(value, abs=6e-7)
    assert output["gap"] <= 2e-9
    if support is not None and name != "blotto_10_3":
        assert len(output["row_strategy"]) == support


@pytest.mark.parametrize(("name", "value"), [("kuhn_poker", -1 / 18), ("leduc_poker", -0.085606424)])
def test_real_games_in_turns(run, data, name, value):
    """Kuhn's poker is worth -1/18 to who begins, Leduc's -0.085606."""
    output = run("solve", data / "games" / f"seqform_{name}.npz", "--json").json
    assert output["value"] == pytest.approx(value, abs=1e-8)


def test_every_strategic_form_of_gambit_is_solved_or_refused(run, data, tmp_path):
    """Games of two players give equilibria in which nobody gains, the others the number of their players."""
    with tarfile.open(data / "games" / "gambit_nfg_dev.tar.xz") as file:
        texts = {one.name: file.extractfile(one).read() for one in file.getmembers()}
    solved = 0
    for name, text in texts.items():
        path = tmp_path / Path(name).name
        path.write_bytes(text)
        command = run("solve", path, "--json")
        if command.code == 1:
            assert re.search(r": a game of [3-5] players; games of two players alone", command.err)
            continue
        solved += 1
        output = command.json
        if output["game"] == "bimatrix":
            assert output["equilibria"]
            assert all(max(one["row_gain"], one["column_gain"]) <= 1e-9 for one in output["equilibria"])
        else:
            assert output["gap"] <= 1e-8
    assert solved == 24


# Interruptions of exact solutions.


def struck_in_the_middle(solve):
    """The search for fractions, in which a signal comes after it has asked a few times whether to stop."""

    def solved(payoffs, result, *, stop):
        queries: list[None] = []

        def asks() -> bool:
            queries.append(None)
            if len(queries) == 5:
                signal.raise_signal(signal.SIGINT)
            return stop()

        return solve(payoffs, result, stop=asks)

    return solved


def test_fractions_that_take_long_are_interrupted(run, monkeypatch, tmp_path):
    """A signal while fractions are looked for ends the run, with the solution in floats that is there already."""
    draw, most = np.random.default_rng(0), 10**7
    # Nearly of low rank: what decides is beyond floats, and exact pivots take minutes.
    game = draw.integers(-most, most, (500, 3)) @ draw.integers(-most, most, (3, 500))
    np.savez(tmp_path / "game.npz", A=game + draw.integers(-9, 10, (500, 500)))
    monkeypatch.setattr(exact, "solve_exactly", struck_in_the_middle(exact.solve_exactly))
    command = run("solve", tmp_path / "game.npz", "--exact")
    assert command.code == 130
    assert "regretless: interrupted after" in command.err
    assert "stopped before it was done" in command.out.splitlines()[0]
    assert "value, exactly" not in command.out
    gap = float(re.search(r"duality gap +(\S+)\n", command.out)[1])
    assert 0 <= gap <= 1e-9 * np.ptp(game)
