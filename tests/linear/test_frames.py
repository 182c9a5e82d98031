"""Data frames whose columns are text or categories."""

from __future__ import annotations

import re
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import regretless
from regretless.cli import main
from regretless.errors import RegretlessError
from regretless.linear import AROW, Perceptron

from ..command_line import quietly

pd = pytest.importorskip("pandas")
ROWS = 400


def columns(seed: int = 0) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    city, age = rng.choice(["Paris", "Rome", "Oslo"], ROWS), rng.normal(size=ROWS).round(3)
    size = rng.choice(["s", "m", "l"], ROWS)
    return {"city": city, "age": age, "size": size, "label": np.where((city == "Rome") ^ (age > 0), "yes", "no")}


def frames(data: dict[str, Any]) -> dict[str, Any]:
    """The features in every way that frames keep text: as objects, strings, categories, Arrow's and polars' own."""
    features = {name: value for name, value in data.items() if name != "label"}
    plain = pd.DataFrame(features)
    result = {
        "strings": plain,
        "objects": plain.astype({"city": object, "size": object}),
        "categories": plain.astype({"city": "category", "size": "category"}),
    }
    polars = pytest.importorskip("polars")
    result["polars"] = polars.DataFrame(features)
    result["polars categories"] = result["polars"].with_columns(polars.col("city", "size").cast(polars.Categorical))
    return result


@pytest.mark.parametrize("kind", ["strings", "objects", "categories", "polars", "polars categories"])
def test_a_frame_is_learned_as_the_command_line_learns_the_table(kind: str, tmp_path: Path) -> None:
    """Weights, names and predictions are those of ``learn`` on the same rows in a file, to the bit."""
    data = columns()
    pd.DataFrame(data).to_csv(tmp_path / "t.csv", index=False)
    assert quietly("learn", tmp_path / "t.csv", "--learner", "arow", "--no-certify", "--save", tmp_path / "m.rgl") == 0
    filed: Any = regretless.load(str(tmp_path / "m.rgl"))
    frame = frames(data)[kind]
    mine = AROW().partial_fit(frame, data["label"])
    assert mine.ledger_.mistakes == filed.ledger_.mistakes
    columns_of = {name: place for place, name in enumerate(mine.feature_names_in_)}
    assert set(columns_of) == {"age", *(f"city={c}" for c in data["city"]), *(f"size={s}" for s in data["size"])}
    np.testing.assert_array_equal(mine.coef_, filed.coef_)
    np.testing.assert_array_equal(mine.predict(frame), filed.predict(frame))
    first = {name: value[0] if name == "age" else str(value[0]) for name, value in data.items()}
    assert filed.predict_one(first) == filed.predict(frame)[0]


def test_what_was_never_met_contributes_nothing_and_is_learned_later() -> None:
    """A new value leaves the score that the other columns give; `partial_fit` makes a feature of it."""
    data = columns()
    frame = frames(data)["strings"]
    learner = Perceptron().fit(frame, data["label"])
    new = frame.iloc[:3].assign(city="Kiel")
    known = {name: place for place, name in enumerate(learner.feature_names_in_)}
    expected = [
        learner.coef_[0, known["age"]] * age + learner.coef_[0, known[f"size={size}"]]
        for age, size in zip(new["age"], new["size"], strict=True)
    ]
    np.testing.assert_allclose(learner.decision_function(new), expected)
    before = learner.n_features_in_
    learner.partial_fit(new, ["no", "yes", "no"])
    assert learner.n_features_in_ == before + 1
    assert learner.feature_names_in_[-1] == "city=Kiel"
    assert learner.coef_[0, -1] != 0


def test_a_learner_of_a_frame_is_stored_with_its_columns(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A saved learner predicts frames, dictionaries and files as the one in memory, and is certified."""
    data = columns()
    frame = frames(data)["categories"]
    learner = AROW().fit(frame, data["label"])
    learner.save(tmp_path / "m.rgl")
    loaded: Any = regretless.load(str(tmp_path / "m.rgl"))
    expected = learner.predict(frame)
    np.testing.assert_array_equal(loaded.predict(frame), expected)
    rows = [dict(zip(frame.columns, row, strict=True)) for row in frame.itertuples(index=False)]
    np.testing.assert_array_equal([loaded.predict_one(row) for row in rows], expected)
    frame.to_csv(tmp_path / "f.csv", index=False)
    capsys.readouterr()
    assert main(["predict", str(tmp_path / "m.rgl"), str(tmp_path / "f.csv")]) == 0
    np.testing.assert_array_equal(capsys.readouterr().out.split(), expected)
    assert any(one.applies for one in learner.certify(frame, data["label"]))


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"age": None}, r"row 0 \(counted from 0\), column 'age' has no value; fill or drop its missing values"),
        ({"when": pd.Timestamp("2030-01-01")}, r"column 'when' is of type timestamp\[.*\]; convert it or leave it out"),
    ],
)
def test_what_is_no_feature_is_an_error(change: dict[str, Any], text: str) -> None:
    """A missing number and a column of times are named, with what to do; nothing is learned."""
    data = columns()
    frame = frames(data)["strings"].assign(**change)
    if "age" in change:
        frame["age"] = np.nan
    learner = Perceptron()
    with pytest.raises(RegretlessError, match=text):
        learner.fit(frame, data["label"])
    assert not hasattr(learner, "classes_")


@pytest.mark.parametrize("kind", ["polars", "categories", "arrow"])
def test_a_missing_category_of_an_arrow_frame_is_a_row_with_none_of_them(kind: str) -> None:
    """Frames of polars and tables of pyarrow with a null among words are learned as the same frame of pandas is."""
    polars, pyarrow = pytest.importorskip("polars"), pytest.importorskip("pyarrow")
    data, labels = {"size": [1.0, 2, 3, 4], "town": ["Rome", "Oslo", None, "Rome"]}, [1, 0, 1, 0]
    frame = pyarrow.table(data) if kind == "arrow" else polars.DataFrame(data)
    if kind == "categories":
        frame = frame.with_columns(polars.col("town").cast(polars.Categorical))
    mine, same = AROW().fit(frame, labels), AROW().fit(pd.DataFrame(data), labels)
    assert mine.feature_names_in_.tolist() == ["size", "town=Rome", "town=Oslo"]
    np.testing.assert_array_equal(mine.coef_, same.coef_)
    np.testing.assert_array_equal(mine.decision_function(frame), same.decision_function(pd.DataFrame(data)))


def test_a_frame_that_lacks_a_column_is_refused() -> None:
    """Prediction needs every column that learning had."""
    data = columns()
    frame = frames(data)["strings"]
    learner = Perceptron().fit(frame, data["label"])
    with pytest.raises(RegretlessError, match="there is no column 'city'"):
        learner.predict(frame.drop(columns="city"))


def test_a_column_of_free_text_is_warned_of_as_the_command_line_does(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A text in every row is a feature of its own in every row: `fit` and ``learn`` say so of that column alone."""
    data = columns() | {"note": [f"note number {row}" for row in range(ROWS)]}
    frame = pd.DataFrame({name: value for name, value in data.items() if name != "label"})
    fault = "has 400 different values in 400 rows (100%), each a feature of its own"
    with pytest.warns(UserWarning, match=re.escape(f"column 'note' of X {fault}")) as warned:
        Perceptron().fit(frame, data["label"])
    assert [Path(one.filename) for one in warned] == [Path(__file__)]
    pd.DataFrame(data).to_csv(tmp_path / "t.csv", index=False)
    assert main(["learn", str(tmp_path / "t.csv"), "--target", "label", "--no-certify"]) == 0
    assert f"column 'note' {fault}" in capsys.readouterr().err


def test_dates_that_are_strings_are_warned_of_with_what_to_do() -> None:
    """Days as strings are a feature each, and the warning says what to make of them; of that there is none."""
    days = pd.Series(pd.date_range("2030-01-01", periods=60))
    labels = [0, 1] * 30
    with pytest.warns(UserWarning, match="days since a date and days of the week"):
        assert Perceptron().fit(pd.DataFrame({"day": days.astype(str)}), labels).n_features_in_ == 60
    with warnings.catch_warnings(action="error"):
        frame = pd.DataFrame({"day": (days - days.min()).dt.days, "name": days.dt.day_name()})
        assert Perceptron().fit(frame, labels).n_features_in_ == 8


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("different", [3, 20])
def test_few_values_are_no_free_text(different: int) -> None:
    """Up to 20 values are categories, be there as few rows; so are many values of twice as many rows."""
    frame = pd.DataFrame({"a": [str(row) for row in range(different)]})
    Perceptron().fit(frame, np.arange(different) % 2)
    frame = pd.DataFrame({"a": [str(row % (ROWS // 2)) for row in range(ROWS)]})
    Perceptron().fit(frame, np.arange(ROWS) % 2)


def test_columns_in_another_order_are_read_by_name_or_refused() -> None:
    """A frame with columns of text is read by the names of its columns; of a frame of numbers, as scikit-learn asks,
    another order is an error that says how to mend it."""
    data = columns()
    frame = frames(data)["strings"]
    learner = AROW().fit(frame, data["label"])
    np.testing.assert_array_equal(learner.predict(frame[frame.columns[::-1]]), learner.predict(frame))
    rng = np.random.default_rng(0)
    numbers = pd.DataFrame(rng.normal(size=(ROWS, 3)), columns=["a", "b", "c"])
    learner = AROW().fit(numbers, data["label"])
    turned = numbers[["c", "a", "b"]]
    with pytest.raises(RegretlessError, match="same order as they were in fit") as refused:
        learner.predict(turned)
    assert "X[learner.feature_names_in_]" in str(refused.value)
    np.testing.assert_array_equal(learner.predict(turned[learner.feature_names_in_]), learner.predict(numbers))
