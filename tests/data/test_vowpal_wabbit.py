"""Vowpal Wabbit's text of decisions: what its lines mean, and what is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from regretless.data.vowpal_wabbit import TextReader
from regretless.data.vowpal_wabbit_decisions import WabbitDecisions
from regretless.errors import DataError, ModelError

REAL = Path(__file__).parents[3] / "shared/data/bandits/vw_rcv1_raw_cb_small.vw.xz"


def features(path: Path, line: str) -> list[tuple[str, float]]:
    path.write_text(line)
    (read,) = TextReader(path).lines()
    assert read is not None
    return read.features


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("1:0:1 | a b:2 c:-1e-3", [("a", 1), ("b", 2), ("c", -1e-3)]),
        ("1:0:1 |n a:2 |m:0.5 a b:4", [("n^a", 2), ("m^a", 0.5), ("m^b", 2)]),
        ("1:0:1 'tag| a:b:2", [("a:b", 2)]),
        ("1:0:1 tag|n a", [("n^a", 1)]),
        ("1:0:1 |", []),
        ("\ufeff1:0:1 | a\r", [("a", 1)]),
    ],
)
def test_features_have_namespaces_and_values(tmp_path: Path, line: str, expected: list[tuple[str, float]]) -> None:
    """A name without a value is worth 1, and a namespace's own weight multiplies all of its features."""
    assert features(tmp_path / "t.vw", line) == expected


def test_a_round_is_the_action_that_has_a_cost(tmp_path: Path) -> None:
    """Actions without a cost could have been taken; features that stand twice are added up."""
    path = tmp_path / "t.vw"
    path.write_text("2:0.5:0.25 1 3 | a:2 b a\n\n3:1:1 | c\n")
    stream = WabbitDecisions(path)
    (part,) = stream.rounds()
    assert stream.actions == ["1", "2", "3"]
    assert stream.logged
    np.testing.assert_array_equal(part.costs, [[np.nan, 0.5, np.nan], [np.nan, np.nan, 1]])
    np.testing.assert_array_equal(part.taken, [1, 2])
    np.testing.assert_array_equal(part.chances, [0.25, 1])
    np.testing.assert_array_equal(part.rows.values, [3, 1, 1])
    np.testing.assert_array_equal(part.rows.indices, [0, 1, 2])


def test_costs_of_all_actions_are_no_log(tmp_path: Path) -> None:
    """A line of costs without probabilities says what each action would cost."""
    path = tmp_path / "t.vw"
    path.write_text("2:0.5 1:0 | a\n1:1 2:0 | b\n")
    stream = WabbitDecisions(path)
    (part,) = stream.rounds()
    assert not stream.logged
    assert part.taken is None
    np.testing.assert_array_equal(part.costs, [[0, 0.5], [1, 0]])


def test_a_schema_gives_the_same_columns(tmp_path: Path) -> None:
    """Features keep their columns in a second file, and new ones come behind; a hash needs no names."""
    path, other = tmp_path / "t.vw", tmp_path / "u.vw"
    path.write_text("1:0:1 | a b\n")
    other.write_text("2:0:1 | b c a\n")
    first = WabbitDecisions(path, actions=["1", "2"])
    list(first.rounds())
    (part,) = WabbitDecisions(other, actions=["1", "2"], schema=first.schema()).rounds()
    np.testing.assert_array_equal(part.rows.indices, [0, 1, 2])
    hashing = WabbitDecisions(other, actions=["1", "2"], hash_bits=4)
    assert hashing.schema()["features"] == []
    (part,) = hashing.rounds()
    assert part.rows.columns == 16
    path.write_text("2:0.5 1:0 | a\n1:1:1 | b\n")
    with pytest.raises(DataError, match=":2:1: a line of another form than the first"):
        list(WabbitDecisions(path).rounds())
    with pytest.raises(ModelError, match="damaged"):
        WabbitDecisions(other, actions=["1", "2"], schema={"format": "vw"})


@pytest.mark.parametrize(
    ("line", "column", "text"),
    [
        ("1:2:0.5 | a", 1, "the cost of '1:2:0.5' is 2; costs from 0 to 1"),
        ("2 1:1:0 | a", 3, "the probability of '1:1:0' is 0"),
        ("1:1:1.5 | a", 1, "the probability of '1:1:1.5' is 1.5"),
        ("1:1:0.5| a", 7, "no space between '1:1:0.5' and the bar"),
        ("1:x:0.5 | a", 1, "'x' in '1:x:0.5'; a finite number"),
        ("1:1:0.5 | a:nan", 11, "'nan' in 'a:nan'"),
        ("1:1:0.5 | :3", 11, "':3' has no name"),
        ("1:1:0.5 |s:2 b:x |t a:1  b:x", 14, "'x' in 'b:x'"),
        ("1:1:0.5 |s:2 b:1 |t a:1  b:x", 26, "'x' in 'b:x'"),
        ("1:1:0.5 |s:2 b:1 |t:x a:1", 19, "'x' in 't:x'"),
        ("2:1 1:1:0 1: | a", 5, "the probability of '1:1:0' is 0"),
        ("7:1:1 | a", 1, "the action '7' is not known; the actions are '1', '2'"),
        ("1 2 | a", 1, "no action has a cost"),
        ("1:1 | a", 1, "no probability of '1'"),
        ("1:1:0.5 2:1:0.5 | a", 1, "2 actions have costs"),
        ("1:1:0.5 1 | a", 1, "the action '1' stands twice"),
        ("1:1:1:1 | a", 1, "'1:1:1:1' where an action is expected"),
        ("1:1:0.5 a", 1, "no bar"),
    ],
)
def test_a_line_that_cannot_be_is_named(tmp_path: Path, line: str, column: int, text: str) -> None:
    """The error names the line and the column; the rounds before it are given."""
    path = tmp_path / "t.vw"
    path.write_text(f"1:0:0.5 | q\n\n{line}\n")
    with pytest.raises(DataError) as caught:
        list(WabbitDecisions(path, actions=["1", "2"]).rounds())
    assert f"{path}:3:{column}: " in str(caught.value)
    assert text in str(caught.value)


def test_blocks_of_lines_are_rounds(tmp_path: Path) -> None:
    """An action is called by its own features, and can be taken in the rounds that list it."""
    path = tmp_path / "t.vw"
    path.write_text("shared |s x:2\n|a red\n0:0.5:0.25 |a green\n\n\nshared |s y\n7:1:1 |a blue size:2\n|a red")
    stream = WabbitDecisions(path)
    (part,) = stream.rounds()
    assert stream.actions == ["a^blue a^size:2", "a^green", "a^red"]
    assert part.available is not None
    np.testing.assert_array_equal(part.available, [[False, True, True], [True, False, True]])
    np.testing.assert_array_equal(part.taken, [1, 0])
    np.testing.assert_array_equal(part.chances, [0.25, 1])
    np.testing.assert_array_equal(part.rows.values, [2, 1])
    assert stream.feature_names() == ["s^x", "s^y"]
    path.write_text("|a red\n0:0.5:0.25 |a green\n\n0:1:1 |a red\n|a green\n")
    (part,) = WabbitDecisions(path).rounds()
    assert part.available is None
    for block, message in (
        ("|a red\nshared |s x\n0:1:1 |a green\n", ":4:1: shared features behind an action"),
        ("|a red\n|a green\n", ":3:1: no action has a cost"),
        ("0:1:1 |a red\n|a red\n", ":3:1: the action 'a^red' stands twice"),
        ("0:1:1 1 |a red\n|a green\n", ":3:1: several actions in a line of a block"),
    ):
        path.write_text(f"0:1:1 |a red\n|a green\n\n{block}".replace("\n\n", "\n\n", 1))
        with pytest.raises(DataError) as caught:
            list(WabbitDecisions(path, actions=["a^red", "a^green"]).rounds())
        assert message.partition(": ")[2] in str(caught.value)


@pytest.mark.skipif(not REAL.exists(), reason="the data are not here")
def test_a_real_log_is_read() -> None:
    """The log of Vowpal Wabbit's own tests has 1,000 rounds of two actions, at a mean cost of 0.477."""
    stream = WabbitDecisions(REAL)
    parts = list(stream.rounds())
    costs = np.concatenate([part.costs for part in parts])
    assert stream.actions == ["1", "2"]
    assert costs.shape == (1000, 2)
    assert np.nansum(costs) / 1000 == pytest.approx(0.477)
    assert len(stream.columns) == 9519
