"""Tables of hypotheses and points as bits."""

from __future__ import annotations

import pickle
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from regretless import _core
from regretless.environments import AgnosticTree, RandomizedTree, RandomTarget, ShatteredTree
from regretless.errors import RegretlessError
from regretless.finite_classes import (
    Consistent,
    FiniteClass,
    Halving,
    StandardOptimal,
    finite_class,
    littlestone_dimension,
    randomized_littlestone_dimension,
    vc_dimension,
    worst_case,
)
from regretless.finite_classes.finite_class import packed, transposed, unpacked

from ..command_line import CommandLine

TABLES = st.tuples(st.integers(1, 12), st.integers(1, 150)).flatmap(lambda shape: arrays(bool, shape))


@given(TABLES)
def test_bits_are_those_of_the_table(table):
    """Every word of rows and columns holds the table's own bits, and none beyond them."""
    made = FiniteClass(table)
    matrix = made.matrix
    for hypothesis in range(made.hypotheses):
        for point in range(made.points):
            by_row = int(made.rows[hypothesis, point // 64]) >> point % 64 & 1
            by_column = int(made.columns[point, hypothesis // 64]) >> hypothesis % 64 & 1
            assert by_row == by_column == matrix[hypothesis, point]
    assert np.bitwise_count(made.rows).sum() == np.bitwise_count(made.columns).sum() == matrix.sum()


@given(TABLES)
def test_hypotheses_alike_are_merged(table):
    """What is left are the rows that differ from all before them, in their order."""
    distinct = list(dict.fromkeys(map(tuple, table.tolist())))
    made = FiniteClass(table)
    assert made.matrix.tolist() == [list(row) for row in distinct]
    assert (made.table_rows, made.hypotheses) == (len(table), len(distinct))
    assert made.floor_log2 == int(np.floor(np.log2(len(distinct))))


def test_rows_of_the_same_mark_are_stored_apart(monkeypatch):
    """Different rows of several words stay two hypotheses even where their marks are the same number."""
    monkeypatch.setattr(finite_class, "MIX", 0)  # of the marks only the last word is left
    table = np.zeros((4, 130), dtype=bool)
    table[1, 0] = table[2, 70] = table[3, 0] = True
    assert FiniteClass(table).matrix.tolist() == table[:3].tolist()


def test_packing_can_be_undone():
    """Unpacking what was packed gives the table again, also where it fills its words."""
    for width in (1, 63, 64, 65, 128):
        table = np.random.default_rng(width).integers(0, 2, (5, width)).astype(bool)
        assert np.array_equal(unpacked(packed(table), width), table)


def test_first_names_stay():
    """Of hypotheses that are merged, the first one's name is left."""
    made = FiniteClass([[0, 1], [1, 1], [0, 1]], hypotheses=["a", "b", "c"], points=["left", "right"])
    assert made.hypothesis_names == ["a", "b"]
    assert made.point_names == ["left", "right"]
    assert (made.hypothesis_name(1), made.point_name(0)) == ("b", "left")
    assert (FiniteClass([[0, 1]]).hypothesis_name(0), FiniteClass([[0, 1]]).point_name(1)) == ("0", "1")


def test_points_are_called_by_name_or_number():
    """A name and a number lead to the same point, of a class without names also a number in a string."""
    named = FiniteClass([[0, 1], [1, 1]], points=["left", "right"])
    assert named.point("right") == named.point(1) == named.point(np.int64(1)) == 1
    assert FiniteClass([[0, 1]]).point("1") == 1
    assert FiniteClass([[0, 1], [1, 0]], hypotheses=["x", "y"]).hypothesis("y") == 1


@pytest.mark.parametrize(
    ("called", "message"),
    [
        ("up", "there is no point called 'up'; there are 'left', 'right'"),
        (2, "there is no point 2; they are numbered from 0 to 1"),
        (-1, "there is no point -1; they are numbered from 0 to 1"),
        (0.5, "0.5 is no point; there are 'left', 'right'"),
        ("0", "there is no point called '0'"),
    ],
)
def test_unknown_points_are_refused(called, message):
    """The error says which points there are."""
    with pytest.raises(RegretlessError, match=message):
        FiniteClass([[0, 1], [1, 1]], points=["left", "right"]).point(called)


@pytest.mark.parametrize(
    ("matrix", "options", "message"),
    [
        ([[0, 2]], {}, "hypothesis 0 has 2 for point 1; 0 or 1 is expected"),
        ([[0.0, 1.0], [0.5, 1.0]], {}, "hypothesis 1 has 0.5 for point 0"),
        ([[0, float("nan")]], {}, "hypothesis 0 has nan for point 1"),
        ([["0", "1"]], {}, "hypothesis 0 has 0 for point 0; 0 or 1 is expected"),
        ([[-1, 1]], {}, "hypothesis 0 has -1 for point 0"),
        ([[]], {}, "a class of shape"),
        ([0, 1], {}, "a class of shape"),
        ([[0, 1], [1]], {}, "rows have different lengths"),
        ([[0, 1]], {"points": ["a"]}, "1 names for 2 points"),
        ([[0, 1]], {"hypotheses": ["a", "b"]}, "2 names for 1 hypotheses"),
        ([[0, 1]], {"points": ["a", "a"]}, "two points are called 'a'"),
    ],
)
def test_other_tables_are_refused(matrix, options, message):
    """The error names the hypothesis and the point, or what does not fit."""
    with pytest.raises(RegretlessError, match=message):
        FiniteClass(matrix, **options)


def test_numbers_that_are_0_or_1_are_taken():
    """Floats, bytes and Python's own numbers of a table make the same class as its bits."""
    table = np.array([[0, 1, 1], [1, 0, 1]])
    for same in (table.astype(float), table.astype(np.uint8), table.astype(object), table.tolist(), table == 1):
        assert FiniteClass(same) == FiniteClass(table)


def test_functions_and_points():
    """A function becomes what it says of each point, and points are called by what they print as."""
    made = FiniteClass.from_functions([lambda x: x > 1, lambda x: int(x > 2), lambda x: 1.0], [Fraction(3, 2), 3])
    assert made.matrix.tolist() == [[True, True], [False, True]]
    assert (made.table_rows, made.point_names) == (3, ["3/2", "3"])


def test_functions_that_say_something_else():
    """The error names the function and the point."""

    def half(point: int) -> float:
        return 0.5

    with pytest.raises(RegretlessError, match=r"hypothesis 1 \(half\) has 0.5 for 3; 0 or 1 is expected"):
        FiniteClass.from_functions([lambda x: True, half], [3])


def test_parts_of_a_class():
    """On some of the points hypotheses may become one; some of the hypotheses keep their names."""
    made = FiniteClass([[0, 1, 0], [0, 1, 1], [1, 0, 0]], hypotheses=["a", "b", "c"], points=["p", "q", "r"])
    on = made.on(["q", 0])
    assert (on.matrix.tolist(), on.point_names, on.hypothesis_names) == ([[1, 0], [0, 1]], ["q", "p"], ["a", "c"])
    only = made.only([2, "a"])
    assert (only.matrix.tolist(), only.hypothesis_names) == ([[1, 0, 0], [0, 1, 0]], ["c", "a"])


def test_equal_classes():
    """Equal are classes with the same rows in the same order under the same names; their hashes are, too."""
    one, same = FiniteClass([[0, 1], [1, 1]]), FiniteClass([[0, 1], [1, 1], [0, 1]])
    assert one == same
    assert hash(one) == hash(same)
    assert one != FiniteClass([[1, 1], [0, 1]])
    assert one != FiniteClass([[0, 1], [1, 1]], points=["a", "b"])
    assert FiniteClass([[1] * 64]) != FiniteClass([[1] * 63])
    assert one != "a class"


def test_a_class_cannot_be_changed():
    """Its bits are read-only, also after it was pickled."""
    made = pickle.loads(pickle.dumps(FiniteClass.named("thresholds:70")))
    assert made == FiniteClass.named("thresholds:70")
    with pytest.raises(ValueError, match="read-only"):
        FiniteClass([[0, 1]]).rows[0, 0] = 3
    with pytest.raises(ValueError, match="read-only"):
        made.columns[0, 0] = 3


def test_how_a_class_is_shown():
    """Its size is counted in words that fit one as well as many."""
    assert repr(FiniteClass([[0]])) == "<FiniteClass: 1 hypothesis on 1 point>"
    assert repr(FiniteClass([[0, 1], [1, 1]])) == "<FiniteClass: 2 hypotheses on 2 points>"
    described = FiniteClass([[0, 1], [1, 1], [1, 1]]).describe()
    assert described == {"hypotheses": 3, "distinct": 2, "points": 2, "floor_log2": 1}


@given(st.integers(1, 200), st.integers(1, 200), st.integers(0, 2**32 - 1))
@pytest.mark.kernel
def test_bits_are_turned_over(height, width, seed):
    """Columns are the rows of the table that is turned over, on every side of whole words."""
    table = np.random.default_rng(seed).random((height, width)) < 0.5
    assert np.array_equal(transposed(packed(table), width), packed(table.T))


@pytest.mark.kernel
def test_bits_are_turned_over_alike_everywhere(isas):
    """Columns and rank are the same on every instruction set; room of another shape, or out of line, is refused."""
    table = np.random.default_rng(1).random((300, 130)) < 0.5
    rows, events = packed(table), []
    for isa in isas:
        _core.use_isa(isa)
        events.append((transposed(rows, 130).tobytes(), _core.rank_of_bits(rows.copy())))
    assert set(events) == {(packed(table.T).tobytes(), 130)}
    for shape in [(130, 4), (193, 5), (128, 5)]:
        with pytest.raises(ValueError, match="one bit per"):
            _core.transpose_bits(rows, np.empty(shape, np.uint64))
    astray = np.empty(130 * 5 * 8 + 1, np.uint8)[1:].view(np.uint64).reshape(130, 5)
    with pytest.raises(ValueError, match="must be aligned"):
        _core.transpose_bits(rows, astray)


@pytest.mark.parametrize("kind", ["u1", "i8", "f4", "?", "O"])
def test_tables_are_taken_in_by_blocks(monkeypatch, kind):
    """Whatever a block is, the class is the same, and what is wrong is reported with its place in the whole table."""
    monkeypatch.setattr(finite_class, "BLOCK", 7)
    table = np.random.default_rng(1).integers(0, 2, (40, 3)).astype(kind)
    assert FiniteClass(table) == FiniteClass(table.astype(bool))
    for wrong in {"u1": [2], "i8": [2, -1], "?": []}.get(kind, [2, -1, 0.5, float("nan")]):
        astray = table.copy()
        astray[17, 2] = wrong
        with pytest.raises(RegretlessError, match=r"hypothesis 17 has .* for point 2; 0 or 1 is expected"):
            FiniteClass(astray)


@pytest.mark.parametrize("kind", [np.uint8, bool, np.int8])
def test_sound_tables_are_looked_at_once(monkeypatch, kind):
    """What is wrong is not looked for where the largest entry says that nothing is."""

    def looked(*args):
        raise AssertionError("places are looked for")

    monkeypatch.setattr(np, "argwhere", looked)
    assert FiniteClass(np.eye(9, dtype=kind)).hypotheses == 9


@given(st.integers(1, 200))
def test_everybody_is_all_hypotheses(count):
    """Its bits are those of all hypotheses and no others, for nobody to change; a pickled class has them too."""
    hypotheses = FiniteClass.named(f"singletons:{count}")
    for one in (hypotheses, pickle.loads(pickle.dumps(hypotheses))):
        assert unpacked(one.all_hypotheses[None], 64 * len(one.all_hypotheses))[0].sum() == count
        assert np.array_equal(one.all_hypotheses, packed(np.ones((1, count), dtype=bool))[0])
        with pytest.raises(ValueError, match="read-only"):
            one.all_hypotheses[0] = 0


def test_what_is_found_out_of_a_class_is_remembered():
    """It is found out once, and a pickled class has to find it out again."""
    hypotheses, queries = FiniteClass.named("thresholds:3"), []
    for _ in range(2):
        assert hypotheses.cache("answer", lambda: queries.append(1) or 42) == 42
    assert len(queries) == 1
    assert pickle.loads(pickle.dumps(hypotheses)).cache("answer", lambda: 43) == 43


@pytest.mark.parametrize("table", [[], np.zeros((0, 3)), np.zeros((0, 70), bool)])
def test_the_empty_class_has_dimensions_of_minus_one(table):
    """Without a hypothesis both dimensions are -1 and known, and nobody learns or plays such a class."""
    empty = FiniteClass(table)
    assert (empty.hypotheses, empty.table_rows, empty.points) == (0, 0, np.shape(table)[-1])
    for dimension in (vc_dimension(empty), littlestone_dimension(empty)):
        assert (dimension.value, dimension.exact, str(dimension)) == (-1, True, "-1")
    assert empty.describe()["floor_log2"] == -1
    assert empty == pickle.loads(pickle.dumps(empty)) == FiniteClass(empty.matrix)
    one = FiniteClass([[0, 1]])
    assert (vc_dimension(one).value, littlestone_dimension(one).value) == (0, 0)
    assert (one.only([]).hypotheses, one.only([]).points) == (0, 2)
    for use in (
        randomized_littlestone_dimension,
        Halving,
        Consistent,
        StandardOptimal,
        ShatteredTree,
        RandomTarget,
        lambda made: AgnosticTree(made, 5),
        RandomizedTree,
        lambda made: worst_case(Halving(one), made),
    ):
        with pytest.raises(RegretlessError, match="without hypotheses: its VC and Littlestone dimensions are -1"):
            use(empty)


@pytest.mark.parametrize("verb", ["dimension", "play"])
def test_the_command_line_refuses_an_empty_table(tmp_path, capsys, monkeypatch, verb):
    """A file with names and no hypotheses is refused with its line, and the convention is stated."""
    path = tmp_path / "c.csv"
    path.write_text("a,b\n")
    words = ("dimension", path)
    if verb == "play":
        words = ("play", "--learner", "halving", "--environment", "random-target", "--class", path, "--rounds", 3)
    command = CommandLine(capsys, monkeypatch)(*words)
    assert (command.code, command.out) == (1, "")
    assert "c.csv:1: names alone, and no hypotheses; a row of 0 and 1 is expected below them" in command.err
    assert "dimensions of -1 by convention" in command.err
