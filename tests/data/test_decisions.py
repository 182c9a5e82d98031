"""Tables of decisions: costs of all actions, logs of one, labels; and what is refused, with its row."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from regretless.data import CostTable, DecisionLog, LogColumns, open_stream
from regretless.data.decisions import Decisions, DecisionStream, LabelDecisions, in_rewards
from regretless.errors import DataError, ParameterError, RegretlessError

HEAD = "x,town,arm,cost,prob,pa,pb"
GOOD = "2,v,B,0,0.25,0.75,0.25"
COLUMNS = LogColumns(action="arm", cost="cost", probability="prob", probabilities=("pa", "pb"))


def whole(stream: DecisionStream, skip: int = 0) -> Decisions:
    """All rounds of a small file, which are one part."""
    (part,) = stream.rounds(skip)
    return part


def log_of(path: Path, *rows: str, head: str = HEAD, columns: LogColumns = COLUMNS, **more: object) -> DecisionLog:
    path.write_text("\n".join([head, *rows, ""]))
    return DecisionLog(path, columns, **{"actions": ["A", "B"], **more})


def test_columns_of_costs_are_no_features(tmp_path: Path) -> None:
    """The features are those of all other columns, and the costs stand in the order in which they were named."""
    path = tmp_path / "t.csv"
    path.write_text("x,b,town,a\n1,0.25,u,0\n2,1,v,0.5\n")
    stream = CostTable(path, ["a", "b"])
    part = whole(stream)
    assert stream.actions == ["a", "b"]
    assert not stream.logged
    assert part.taken is None
    np.testing.assert_array_equal(part.costs, [[0, 0.25], [0.5, 1]])
    assert [column["name"] for column in stream.schema()["columns"]] == ["x", "town"]
    np.testing.assert_array_equal(part.rows.values, [1, 1, 2, 1])
    np.testing.assert_array_equal(whole(stream, 1).costs, [[0.5, 1]])


def test_a_schema_gives_the_same_columns(tmp_path: Path) -> None:
    """A second file of the same columns in another order has its features where the first had them."""
    path = tmp_path / "t.csv"
    path.write_text("x,b,town,a\n1,0.25,u,0\n2,1,v,0.5\n")
    first = CostTable(path, ["a", "b"])
    whole(first)
    path.write_text("town,a,b,x\nv,1,1,7\n")
    part = whole(CostTable(path, ["a", "b"], schema=first.schema()))
    np.testing.assert_array_equal(part.rows.indices, [0, 2])
    np.testing.assert_array_equal(part.rows.values, [7, 1])


def test_parquet_is_read_as_text_is(tmp_path: Path) -> None:
    """A log in Parquet has the same rounds as in text."""
    text = whole(log_of(tmp_path / "l.csv", "1,u,A,1,0.5,0.5,0.5", GOOD))
    table = pa.table({
        "x": [1.0, 2.0], "town": ["u", "v"], "arm": ["A", "B"], "cost": [True, False],
        "prob": [0.5, 0.25], "pa": [0.5, 0.75], "pb": [0.5, 0.25],
    })  # fmt: skip
    parquet.write_table(table, tmp_path / "l.parquet")
    other = whole(DecisionLog(tmp_path / "l.parquet", COLUMNS, actions=["A", "B"]))
    for name in ("costs", "taken", "chances"):
        np.testing.assert_array_equal(getattr(text, name), getattr(other, name))
    np.testing.assert_array_equal(text.rows.values, other.rows.values)


def test_rewards_are_read_under_their_own_name(tmp_path: Path) -> None:
    """Rewards have the values that costs have, and descriptions, by which a run goes on, call them rewards."""
    path = tmp_path / "t.csv"
    path.write_text("x,a,b\n1,0,1\n2,.5,.25\n")
    earned, paid = CostTable(path, rewards=["a", "b"]), CostTable(path, costs=["a", "b"])
    np.testing.assert_array_equal(whole(earned).costs, whole(paid).costs)
    assert earned.describe() == {"form": "costs", "logged": False, "rewards": ["a", "b"]}
    columns = LogColumns(action="arm", reward="cost", probability="prob")
    log = log_of(tmp_path / "l.csv", GOOD, columns=columns)
    log_of_costs = log_of(tmp_path / "l.csv", GOOD)
    np.testing.assert_array_equal(whole(log).costs, whole(log_of_costs).costs)
    assert log.describe()["reward"] == log_of_costs.describe()["cost"] == "cost"
    assert [in_rewards(one.describe()) for one in (earned, log, paid, log_of_costs)] == [True, True, False, False]


@pytest.mark.parametrize(("value", "count"), [(None, "neither is"), ("a", "both are")])
def test_costs_and_rewards_are_one_of_two(value: str | None, count: str) -> None:
    """Neither, or both, are refused before a file is opened, by the names of the parameters."""
    with pytest.raises(ParameterError, match=f"^cost: cost or reward, one of the two, is expected; {count} named"):
        LogColumns(action="arm", cost=value, reward=value, probability=0.5)
    columns = None if value is None else [value, "b"]
    with pytest.raises(ParameterError, match=f"^costs: costs or rewards, one of the two, is expected; {count} named"):
        CostTable("none.csv", columns, rewards=columns)


def test_a_log_knows_its_action_alone(tmp_path: Path) -> None:
    """Costs of the actions that were not taken are not known; the actions are those of the log in their order."""
    single = LogColumns(action="arm", cost="cost", probability="prob")
    stream = log_of(tmp_path / "l.csv", GOOD, "1,u,A,1,0.5,0.5,0.5", columns=single, actions=None)
    part = whole(stream)
    assert stream.actions == ["A", "B"]
    assert stream.logged
    np.testing.assert_array_equal(part.costs, [[np.nan, 0], [1, np.nan]])
    np.testing.assert_array_equal(part.taken, [1, 0])
    np.testing.assert_array_equal(part.chances, [0.25, 0.5])


def test_the_probability_may_come_from_those_of_all(tmp_path: Path) -> None:
    """Without a column of its own it is that of the action taken; a number stands for all rows."""
    alone = LogColumns(action="arm", cost="cost", probabilities=("pa", "pb"))
    np.testing.assert_array_equal(
        whole(log_of(tmp_path / "l.csv", GOOD, columns=alone, head=HEAD.replace("prob", "y"))).chances, [0.25]
    )
    number = LogColumns(action="arm", cost="cost", probability=0.5)
    np.testing.assert_array_equal(whole(log_of(tmp_path / "l.csv", GOOD, columns=number)).chances, [0.5])


@pytest.mark.parametrize(
    ("row", "text"),
    [
        ("1,u,C,1,0.5,0.5,0.5", ":3:5: the action 'C' is not known; the actions are 'A', 'B'"),
        ("1,u,,1,0.5,0.5,0.5", ":3:5: the action is missing"),
        ("1,u,A,1.5,0.5,0.5,0.5", ":3:7: the cost 'cost' is 1.5; costs from 0 to 1 are expected"),
        ("1,u,A,,0.5,0.5,0.5", ":3:7: the cost 'cost' is missing"),
        ("1,u,A,x,0.5,0.5,0.5", ":3:7: column 'cost' holds 'x'; a number is expected"),
        ("1,u,A,1,0,0.5,0.5", ":3:9: the probability is 0; "),
        ("1,u,A,1,1.25,0.5,0.5", ":3:11: the probability is 1.25; "),
        ("1,u,A,1,,0.5,0.5", ":3:9: the probability is missing"),
        ("1,u,A,1,0.5,0.5,0.25", ":3:13: the probabilities sum to 0.75; they must sum to 1"),
        ("1,u,A,1,0.5,1.5,-0.5", ":3:13: column 'pa' holds 1.5"),
    ],
)
def test_a_row_that_cannot_be_is_named(tmp_path: Path, row: str, text: str) -> None:
    """The error names the line, the column and what stands there; the row before it is given."""
    rounds = log_of(tmp_path / "l.csv", GOOD, row).rounds()
    assert len(next(rounds)) == 1
    with pytest.raises(DataError) as caught:
        next(rounds)
    assert text.split(":", 3)[3] in str(caught.value)
    assert f"{tmp_path / 'l.csv'}:3:" in str(caught.value)


def test_bad_rows_may_be_passed_over(tmp_path: Path) -> None:
    """With on_error="skip" the rounds are those of the rows that can be used, beside their own costs."""
    rows = ("1,u,A,1,0,0.5,0.5", "1,u,A,1,0.5,0.5,0.5", "1,u,C,1,0.5,0.5,0.5", GOOD)
    part = whole(log_of(tmp_path / "l.csv", *rows, on_error="skip"))
    np.testing.assert_array_equal(part.taken, [0, 1])
    np.testing.assert_array_equal(part.chances, [0.5, 0.25])


@pytest.mark.parametrize(
    ("columns", "more", "text"),
    [
        (LogColumns(action="arm", cost="cost"), {}, "with which probability"),
        (LogColumns(action="arm", cost="arm", probability=0.5), {}, "named twice"),
        (LogColumns(action="arm", cost="cost", probability=0.0), {}, "propensity=0: a propensity is the probability"),
        (COLUMNS, {"actions": ["A", "B", "C"]}, "2 for probabilities, and 3 actions"),
        (COLUMNS, {"actions": ["A"]}, "one only, 'A'"),
        (LogColumns(action="arm", cost="paid", probability=0.5), {}, "no column 'paid'"),
    ],
)
def test_what_a_log_lacks_is_reported(tmp_path: Path, columns: LogColumns, more: dict[str, object], text: str) -> None:
    """A log is refused whose columns do not say what must be known."""
    with pytest.raises(RegretlessError, match=text):
        whole(log_of(tmp_path / "l.csv", GOOD, columns=columns, **more))


def test_labels_cost_one_where_they_are_wrong(tmp_path: Path) -> None:
    """An action a label: its own costs nothing, all others 1; an unknown label is named with its line."""
    path = tmp_path / "rows.csv"
    path.write_text("x,label\n1,2\n2,10\n3,2\n")
    stream = LabelDecisions(open_stream(path))
    assert stream.actions == ["2", "10"]
    np.testing.assert_array_equal(whole(stream).costs, [[0, 1], [1, 0], [0, 1]])
    with pytest.raises(DataError, match="in line 3, the action '10' is not known"):
        whole(LabelDecisions(open_stream(path), ["2", "3"]))
    path.write_text("x,label\n1,2\n2,2\n")
    with pytest.raises(DataError, match="one only, '2'"):
        LabelDecisions(open_stream(path))
