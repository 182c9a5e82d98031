"""``regretless dimension`` over files, families and points."""

from __future__ import annotations

import math
import signal
import xml.etree.ElementTree as ElementTree
from fractions import Fraction
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
import pytest

from regretless.cli.dimension import EPILOG
from regretless.finite_classes import FAMILIES, Dimension, FiniteClass, MistakeTree
from regretless.finite_classes.littlestone import RandomizedDimension
from regretless.finite_classes.searches import least_by_counting
from regretless.finite_classes.vc import check_shattered
from regretless.report.mistake_tree import LONGEST, MOST, TreePicture, tree_lines, tree_svg

from ..command_line import CommandLine, start

KEYS = ["schema", "path", "named", "hypotheses", "distinct", "points", "vc_dimension", "shattered"]
KEYS += ["littlestone_dimension", "tree", "floor_log2", "exact", "seconds"]
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def run(capsys, monkeypatch) -> CommandLine:
    return CommandLine(capsys, monkeypatch)


@pytest.fixture
def table(tmp_path) -> Path:
    path = tmp_path / "class.csv"
    path.write_text(",p,q,r\na,0,0,1\nb,0,1,1\nc,1,1,1\nd,0,1,1\ne,0,0,0\n")
    return path


@pytest.fixture(scope="module")
def hard(tmp_path_factory) -> Path:
    """A class whose VC dimension takes long to find."""
    path = tmp_path_factory.mktemp("hard") / "hard.npy"
    np.save(path, np.random.default_rng(0).integers(0, 2, (3000, 600), dtype=np.uint8))
    return path


def test_what_is_printed_for_people(run, table):
    """Sizes, both dimensions with what proves them, the log and the optimal bound stand in order, the tree below."""
    command = run("dimension", table)
    assert (command.code, command.err) == (0, "")
    lines = command.out.splitlines()
    assert lines.pop(1)[:-1] == "  VC dimension            1        shattered: point "
    assert lines == [
        f"{table}: 4 different hypotheses, from 5 rows, on 3 points",
        "  Littlestone dimension   2        shattered: a mistake tree of depth 2",
        "  floor(log2 |H|)         2        the halving algorithm errs no more often",
        "  optimal mistake bound   2        no deterministic learner can promise fewer, and standard-optimal promises "
        "these",
        "",
        "mistake tree: whatever is predicted, the other label is still possible, and each path ends at a hypothesis "
        "that agrees",
        "  q",
        "  |- 0: r",
        "  |  |- 0: e",
        "  |  `- 1: a",
        "  `- 1: p",
        "     |- 0: b",
        "     `- 1: c",
    ]


def test_what_is_printed_for_programs(run, table):
    """The JSON object has the keys that are promised, the names of the file, and witnesses that hold."""
    report = run("dimension", table, "--json").json
    assert list(report) == KEYS
    sizes = (report["hypotheses"], report["distinct"], report["points"], report["floor_log2"])
    assert (report["schema"], report["path"], report["named"]) == ("regretless.dimension/1", str(table), None)
    assert sizes == (5, 4, 3, 2)
    assert (report["vc_dimension"], report["littlestone_dimension"], report["exact"]) == (1, 2, True)
    made = FiniteClass.read(table)
    tree = MistakeTree.from_nested(report["tree"], made.point_names, made.hypothesis_names)
    assert tree.depth == 2
    tree.check(made)
    check_shattered(made, [made.point(name) for name in report["shattered"]])


@pytest.mark.parametrize(
    ("named", "vc", "littlestone"),
    [("thresholds:64", 1, 6), ("halfspaces:3x4", 3, 6), ("halfspaces:cube:3", 4, 6), ("at-most-k:8,2", 2, 2)],
)
def test_named_classes(run, named, vc, littlestone):
    """A class of a family has its known dimensions, and witnesses that its own checkers accept."""
    report = run("dimension", "--named", named, "--json").json
    assert (report["vc_dimension"], report["littlestone_dimension"], report["named"]) == (vc, littlestone, named)
    made = FiniteClass.named(named)
    MistakeTree.from_nested(report["tree"], made.point_names, made.hypothesis_names).check(made)


def test_worked_cases(run, oracles):
    """Both dimensions of every worked case are those that slow exact programs found."""
    hyphened = {"singletons_and_zero": "singletons-and-zero", "all_functions": "all", "at_most_k_ones": "at-most-k"}
    hyphened |= {"exactly_k_ones": "exactly-k", "intervals_and_empty": "intervals", "parities": "parities"}
    hyphened |= {"conjunctions_with_false": "conjunctions", "singletons": "singletons", "thresholds": "thresholds"}
    count = 0
    for case in oracles:
        if case["topic"] != "dimension" or case["input"].get("cls") not in hyphened or "params" not in case["input"]:
            continue
        expected = case["expected"]
        named = f"{hyphened[case['input']['cls']]}:{','.join(map(str, case['input']['params']))}"
        report = run("dimension", "--named", named, "--json").json
        assert report["vc_dimension"] == expected["vcdim"]
        assert report["littlestone_dimension"] == expected["ldim"]
        assert (report["distinct"], report["floor_log2"]) == (expected["size"], expected["floor_log2_size"])
        count += 1
    assert count > 15


def test_one_hypothesis_has_nothing_to_ask(run):
    """A class of one hypothesis has both dimensions 0, and its tree, of one leaf, can be drawn and printed."""
    command = run("dimension", "--named", "exactly-k:3,3")
    assert "VC dimension            0        no point has both labels" in command.out
    assert "Littlestone dimension   0        there is nothing to ask" in command.out
    assert "mistake tree:" not in command.out
    assert run("dimension", "--named", "exactly-k:3,3", "--json").json["tree"] == {"h": "{0, 1, 2}"}


def test_deep_trees_are_cut(run):
    """People see the first four levels of a deep tree; programs see all of one that is 16 deep, and none beyond."""
    assert "mistake tree (the first 4 of 10 levels)" in run("dimension", "--named", "all:10").out
    report = run("dimension", "--named", "all:17", "--json").json
    assert (report["tree"], report["littlestone_dimension"]) == (None, 17)


def test_points_of_halfspaces(run, tmp_path):
    """The corners of a square are parted in 14 ways; through the origin, corners at both signs in 4."""
    square, signs = tmp_path / "square.csv", tmp_path / "signs.tsv"
    square.write_text("0,0\n0,1\n1,0\n1,1\n")
    signs.write_text("name\tx\ty\nsw\t-1\t-1\nnw\t-1\t1/1\nse\t1\t-1.0\nne\t1\t1\n")
    report = run("dimension", "--points", square, "--json").json
    assert (report["distinct"], report["vc_dimension"], report["littlestone_dimension"]) == (14, 3, 3)
    assert (report["path"], report["named"]) == (str(square), "halfspaces")
    for words in (["--homogeneous"], ["--named", "homogeneous-halfspaces"], ["--named", "Halfspaces", "--homogeneous"]):
        report = run("dimension", "--points", signs, *words, "--json").json
        assert (report["distinct"], report["vc_dimension"], report["named"]) == (4, 2, "homogeneous-halfspaces")
        assert set(report["shattered"]) <= {"sw", "nw", "se", "ne"}
    assert run("dimension", "--points", "-", "--json", stdin=square.read_bytes()).json["distinct"] == 14
    assert run("dimension", "--named", "halfspaces:signs:2", "--homogeneous", "--json").json["distinct"] == 4


def test_bad_points_are_reported_with_their_file(run, tmp_path):
    """The origin among homogeneous halfspaces' points, and what is no number, are errors about the file."""
    path = tmp_path / "points.csv"
    path.write_text("0,0\n1,1\n")
    command = run("dimension", "--points", path, "--homogeneous")
    assert command.code == 1
    assert command.err.startswith(
        f"regretless: {path}: point 0 is the origin, which is on every homogeneous hyperplane;"
    )
    path.write_text("0,0\n1,one\n")
    assert "points.csv:2:3: 'one' is no number" in run("dimension", "--points", path).err


def test_one_dimension_alone(run):
    """Of a dimension that is not asked for, null and what the other one says of it are printed."""
    report = run("dimension", "--named", "thresholds:20", "--only", "vc", "--json").json
    assert (report["vc_dimension"], report["littlestone_dimension"], report["tree"]) == (1, None, None)
    assert report["exact"] == {"littlestone_dimension": [1, 4]}
    report = run("dimension", "--named", "thresholds:20", "--only", "littlestone", "--json").json
    assert (report["vc_dimension"], report["shattered"], report["littlestone_dimension"]) == (None, None, 4)
    assert report["exact"] == {"vc_dimension": [1, 4]}
    assert (
        "Littlestone dimension   1 to 4   not looked for"
        in run("dimension", "--named", "thresholds:20", "--only", "vc").out
    )
    output = run("dimension", "--named", "all:1", "--only", "vc").out
    assert "Littlestone dimension   1        not looked for, but it lies between the others" in output


def test_learners_that_draw(run):
    """The expected mistakes that cannot be avoided are printed as a decimal to people and as a fraction to programs."""
    out = run("dimension", "--named", "thresholds:2", "--randomized").out
    assert "randomized              0.75     expected mistakes" in out
    assert out.partition("exactly ")[2].startswith("3/4\n")
    report = run("dimension", "--named", "thresholds:2", "--randomized", "--json").json
    assert (report["randomized_littlestone_dimension"], report["exact"]) == ("3/4", True)
    assert list(report) == [*KEYS[:-2], "randomized_littlestone_dimension", *KEYS[-2:]]


def test_a_search_that_ran_out_of_time(run, hard, monkeypatch):
    """When the seconds are over, an interval takes the place of what is not known, and the witnesses still hold."""
    for module in ("regretless.finite_classes.dimension", "regretless.finite_classes.searches"):
        monkeypatch.setattr(f"{module}.perf_counter", process_time)  # as much is found on a machine that is busy
    report = run("dimension", hard, "--limit", 0.3, "--json").json
    (low, high), made = report["exact"]["vc_dimension"], FiniteClass.read(hard)
    assert report["vc_dimension"] is None
    assert len(report["shattered"]) == low < high <= report["floor_log2"]
    check_shattered(made, report["shattered"])
    assert report["seconds"] < 5
    assert " to 11  shattered: points" in run("dimension", hard, "--limit", 0.3).out


def ended_at(monkeypatch, module: str, name: str, lower: Any, upper: Any, witness: object = None) -> None:
    """Let a search end with this."""
    drawn = isinstance(lower, Fraction)
    result = RandomizedDimension(name, lower, upper) if drawn else Dimension(name, lower, upper, witness)
    monkeypatch.setattr(f"regretless.finite_classes.{module}", lambda *_, **__: result)


LEAF = MistakeTree(np.empty(0, dtype=np.int64), np.zeros(1, dtype=np.int64))


def test_the_tree_proves_the_lower_end(run, monkeypatch, tmp_path):
    """A shattered set that is larger than the tree is deep is itself the tree, in text, in JSON and as a picture."""
    ended_at(monkeypatch, "littlestone.littlestone_dimension", "Littlestone dimension", 0, 5, LEAF)
    path = tmp_path / "tree.svg"
    out = run("dimension", "--named", "all:5", "--tree", path).out
    assert "Littlestone dimension   5        shattered: a mistake tree of depth 5" in out
    assert "mistake tree (the first 4 of 5 levels)" in out
    assert "A mistake tree of depth 5 for all:5" in path.read_text()
    made = FiniteClass.named("all:5")
    report = run("dimension", "--named", "all:5", "--json").json
    tree = MistakeTree.from_nested(report["tree"], made.point_names, made.hypothesis_names)
    tree.check(made)
    assert (tree.depth, report["littlestone_dimension"]) == (5, 5)


def test_an_interval_says_what_is_forced_and_what_is_enough(run, monkeypatch):
    """Of a bound that is not known, how many mistakes are forced stands beside how many a learner makes at most."""
    tree = MistakeTree(np.array([1]), np.array([2, 1]))
    ended_at(monkeypatch, "littlestone.littlestone_dimension", "Littlestone dimension", 1, 3, tree)
    ended_at(monkeypatch, "littlestone.randomized_littlestone_dimension", "", Fraction(1, 4), Fraction(3, 2))
    output = run("dimension", "--named", "thresholds:10", "--randomized").out
    assert "1 to 3   no deterministic learner can promise fewer than 1, and halving promises 3\n" in output
    assert "no learner which draws can promise fewer than 0.5 expected mistakes, and the best promises 1.5\n" in output
    ended_at(monkeypatch, "littlestone.littlestone_dimension", "Littlestone dimension", 1, 2, tree)
    assert "fewer than 1, and standard-optimal promises 2" in run("dimension", "--named", "thresholds:10").out


def test_intervals_use_what_the_randomised_dimension_says(run, monkeypatch):
    """The Littlestone dimension is at least the randomised one, and at most twice that."""
    tree = MistakeTree(np.array([1]), np.array([2, 1]))
    ended_at(monkeypatch, "littlestone.littlestone_dimension", "Littlestone dimension", 1, 3, tree)
    ended_at(monkeypatch, "littlestone.randomized_littlestone_dimension", "", Fraction(5, 4), Fraction(5, 4))
    arguments = ("dimension", "--named", "thresholds:10", "--randomized")
    assert run(*arguments, "--json").json["littlestone_dimension"] == 2
    assert "a mistake tree of depth 1; at least 2, by the randomized dimension" in run(*arguments).out
    ended_at(monkeypatch, "littlestone.randomized_littlestone_dimension", "", Fraction(1, 2), Fraction(2))
    report = run("dimension", "--named", "singletons:70", "--randomized", "--json").json
    assert report["exact"]["randomized_littlestone_dimension"] == ["1/2", "2"]


def test_intervals_use_what_counting_says(run, monkeypatch):
    """So many hypotheses as there are shatter a set of some size, found or not, by the lemma of Sauer and Shelah."""
    ended_at(monkeypatch, "vc.vc_dimension", "VC dimension", 1, 5, (3,))
    arguments = ("dimension", "--named", "at-most-k:9,4", "--only", "vc")
    report = run(*arguments, "--json").json
    assert (report["exact"]["vc_dimension"], report["exact"]["littlestone_dimension"]) == ([4, 5], [4, 8])
    assert "VC dimension            4 to 5   shattered: point 3; at least 4, by counting" in run(*arguments).out
    ended_at(monkeypatch, "vc.vc_dimension", "VC dimension", 0, 5, ())
    assert "VC dimension            4 to 5   none shattered so far; at least 4, by counting" in run(*arguments).out
    for points in range(9):
        for dimension in range(points + 1):
            most = sum(math.comb(points, size) for size in range(dimension + 1))
            assert least_by_counting(most, points) == dimension
            assert dimension == points or least_by_counting(most + 1, points) == dimension + 1


def test_a_fraction_that_is_too_fine_is_reported_as_one_number(run):
    """A randomised dimension finer than the search counts is shown rounded, and how well it is known."""
    output = run("dimension", "--named", "singletons:70", "--randomized").out
    assert "randomized              1        expected mistakes" in output
    assert "known to within " in output
    assert ", for it is finer than 2^-58\n" in output


def test_numbers_alone(run):
    """Without the tree the five rows stand alone, and programs are given null."""
    out = run("dimension", "--named", "thresholds:7", "--no-tree").out
    assert out.count("\n") == 5
    assert "mistake tree:" not in out
    assert run("dimension", "--named", "thresholds:7", "--no-tree", "--json").json["tree"] is None


def test_help_lists_every_family():
    """Every family of classes is named below the options, with as many numbers as it takes."""
    for name in FAMILIES:
        assert f"{name}:" in EPILOG


def test_draws_the_tree(run, tmp_path):
    """The tree is drawn as SVG with each of its points and labels, and the console says where."""
    path = tmp_path / "tree.svg"
    command = run("dimension", "--named", "thresholds:7", "--tree", path)
    assert (command.code, command.err) == (0, f"tree: {path}\n")
    drawn = [text.text for text in ElementTree.parse(path).getroot().iter(f"{SVG}text")]
    assert sorted(name for name in drawn if name.startswith("point")) == [f"point {x}" for x in range(7)]
    assert sum(name in ("0", "1") for name in drawn) == 14
    assert sum(name.startswith("x >= ") or name == "none" for name in drawn) == 8
    assert run("dimension", "--named", "thresholds:7", "--tree", path, "--json").err == ""


def test_pictures_of_trees():
    """Names are escaped and shortened, deep trees cut, and a tree of a leaf alone drawn."""
    name = "<b> & a name that is far too long to be shown"
    text = tree_svg(TreePicture("A & B", 1, [name], ["yes", "no"]))
    root = ElementTree.fromstring(text)
    values = [one.text or one[0].tail for one in root.iter(f"{SVG}text")]
    assert max(len(one) for one in values[2:]) <= LONGEST
    assert [one.text for one in root.iter(f"{SVG}title")] == [name]
    deep = tree_svg(TreePicture("deep", 20, ["p"] * ((1 << MOST) - 1)))
    assert f"the first {MOST} of 20 levels" in deep
    assert "there is nothing to ask" in tree_svg(TreePicture("flat", 0, [], ["only"]))
    assert list(tree_lines(TreePicture("flat", 0, [], ["only"]))) == ["only"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "name a class: a FILE, --named FAMILY:N, or --points FILE for halfspaces"),
        (["c.csv", "--named", "all:3"], "FILE and --named are two classes"),
        (["c.csv", "--points", "p.csv"], "FILE and --points are two classes"),
        (["--named", "all:3", "--points", "p.csv"], "--points is for halfspaces, and --named all:3 has points"),
        (["--named", "halfspaces:3x3", "--points", "p.csv"], "--named halfspaces:3x3 has points of its own"),
        (["--named", "halfspaces"], "of which points? --points FILE, or halfspaces:3x4 for a grid"),
        (["--named", "all:3", "--homogeneous"], "--homogeneous is for halfspaces"),
        (["--named", "all:3", "--names", "rows"], "--names is about reading a class from a FILE"),
        (["--named", "all:3", "--transpose"], "--transpose is about reading a class from a FILE"),
        (["--points", "p.csv", "--transpose"], "--transpose is about reading a class from a FILE"),
        (["--named", "sets:3"], "--named: there is no family called 'sets'; there are: thresholds:N"),
        (["--named", "all:99"], "--named: all: more than 268,435,456 entries"),
        (["c.csv", "--array", "x"], "--array x: it is for .npz archives"),
        (["--named", "all:3", "--limit", "0"], "'0' is not a number of seconds above 0"),
        (["--named", "all:3", "--limit", "nan"], "'nan' is not a number of seconds above 0"),
        (["--named", "all:3", "--only", "vc", "--tree", "t.svg"], "--only vc computes no mistake tree"),
        (["--named", "all:3", "--only", "vc", "--randomized"], "--only vc computes no mistake tree"),
        (["--named", "all:3", "--tree", "t.png"], "--tree t.png: the tree is drawn as an .svg file"),
        (["t.svg", "--tree", "t.svg", "--format", "csv"], "t.svg would be overwritten"),
        (["--named", "all:3", "--quiet", "--progress"], "--quiet and --progress contradict each other"),
    ],
)
def test_nonsense_is_refused(run, tmp_path, monkeypatch, words, message):
    """What cannot be meant is wrong usage, reported before anything is read, and nothing is printed on stdout."""
    monkeypatch.chdir(tmp_path)
    for name in ("c.csv", "t.svg"):
        Path(name).write_text("0,1\n1,1\n")
    command = run("dimension", *words)
    assert (command.code, command.out) == (2, "")
    assert message in command.err
    assert command.err.count("\n") == 1


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("none.csv", None, "none.csv: there is no such file"),
        ("a.csv", "0,1\n1,2\n", "a.csv:2:3: found '2'; 0 or 1 is expected"),
        ("a.rgl", "", "a.rgl: this is no table of text, and no array"),
        ("a.npy", "0,1\n", "a.npy: this is no .npy file; name the format that it has with --format"),
        ("a.csv", "", "a.csv: the file is empty"),
    ],
)
def test_bad_files_are_reported_in_one_line(run, tmp_path, name, content, message):
    """A file that cannot be used is a failure, and one line says where and why."""
    if content is not None:
        (tmp_path / name).write_text(content)
    command = run("dimension", tmp_path / name)
    assert (command.code, command.out) == (1, "")
    assert command.err.startswith("regretless: ")
    assert message in command.err
    assert command.err.count("\n") == 1


def test_notes_can_be_silenced(run, tmp_path):
    """How a file was understood is said on stderr, unless nothing is to be printed there."""
    path = tmp_path / "class.csv"
    path.write_text("# a comment\n0,1\n1,1\n")
    assert "passed over as comments: 1 line" in run("dimension", path).err
    assert run("dimension", path, "--quiet").err == ""


def test_memory_may_not_suffice(run, monkeypatch):
    """A class that memory does not hold is reported as such."""

    def exhausted(text: str) -> FiniteClass:
        raise MemoryError

    monkeypatch.setattr("regretless.finite_classes.families.named", exhausted)
    command = run("dimension", "--named", "all:20")
    assert (command.code, command.err) == (
        1,
        "regretless: memory is exhausted by this class; a smaller one is needed\n",
    )


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_the_search(hard, number, code):
    """At Ctrl-C, or at kill, what is known by then is printed, and the exit code says why it ended."""
    process = start("dimension", hard, "--progress")
    for line in process.stderr:
        if line.startswith(b"VC dimension"):
            break
    process.send_signal(number)
    out, err = process.communicate(timeout=30)
    assert process.returncode == code
    assert b" to 11  shattered: points" in out
    assert b"mistake tree (the first 4 of 11 levels)" in out
    assert err.endswith(b"regretless: interrupted; the bounds so far were printed\n")


def test_a_reader_may_have_seen_enough():
    """A closed pipe ends the command without a word."""
    process = start("dimension", "--named", "all:16", "--json")
    process.stdout.read(10)
    process.stdout.close()
    assert process.stderr.read() == b""
    assert process.wait(30) == 0
