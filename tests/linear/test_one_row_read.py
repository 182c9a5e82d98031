"""One row at a time, for learners whose rows the command line read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import regretless
from regretless.errors import NotFittedError, RegretlessError
from regretless.linear import AggregatedClassifier, KernelPerceptron, Perceptron, Winnow
from regretless.regression import AggregatedRegressor

from ..command_line import quietly

pd = pytest.importorskip("pandas")
ROWS = 60
PERCEPTRON = ("--learner", "perceptron")
LEARNED = {
    "perceptron": PERCEPTRON,
    "winnow": ("--learner", "winnow", "--set", "balanced=true"),
    "numbers": ("--task", "regression"),
}
WAYS = {
    "text": ("--text", "note"),
    "pairs of words": ("--text", "note", "--ngrams", "2"),
    "interactions": ("--interactions", "city*age"),
    "hashed": ("--hash-bits", "6"),
    "hashed products": ("--hash-bits", "6", "--interactions", "*"),
    "normalized": ("--normalize",),
    "categorical": ("--categorical", "zip"),
    "plain": (),
}


def rows() -> Any:
    rng = np.random.default_rng(0)
    words = rng.choice(["Free", "call", "you", "now"], (ROWS, 3))
    frame = {
        "note": [" ".join(row) for row in words],
        "city": rng.choice(["Rome", "Oslo"], ROWS),
        "age": rng.normal(size=ROWS).round(2),
        "zip": rng.choice([101, 202, 303], ROWS),
    }
    return pd.DataFrame(frame)


def learned(tmp_path: Path, frame: Any, *how: str, target: str = "label", options: Any = PERCEPTRON) -> Any:
    wrong = (frame["city"] == "Rome") ^ frame["note"].str.contains("Free")
    frame.assign(label=np.where(wrong, "no", "yes"), size=frame["age"] + frame["zip"] / 7).to_csv(
        tmp_path / "t.csv", index=False
    )
    ignored = ("--ignore", "size" if target == "label" else "label")
    arguments = ("--target", target, *options, "--no-certify", "--save", tmp_path / "m.rgl", *ignored)
    assert quietly("learn", tmp_path / "t.csv", *arguments, *how) == 0
    return regretless.load(str(tmp_path / "m.rgl"))


@pytest.mark.parametrize("how", WAYS, ids=str)
def test_a_row_by_name_is_read_as_the_model_was(tmp_path, how):
    """Words, products, hashes, lengths and names that are numbers are made of a single row as of a frame of it."""
    frame = rows()
    learner = learned(tmp_path, frame, *WAYS[how])
    for place in range(8):
        expected = learner.decision_function(frame.iloc[[place]])
        for form in (frame.iloc[place].to_dict(), frame.iloc[place]):
            assert learner.scores_one(form) == expected


@pytest.mark.parametrize("how", WAYS, ids=str)
@pytest.mark.parametrize("learner", LEARNED)
def test_a_row_by_name_is_learned_as_a_frame_of_it(tmp_path, how, learner):
    """`update_one` gives the weights of `partial_fit`, also of words that are new."""
    frame = rows()
    target, outcome = ("size", 7.0) if learner == "numbers" else ("label", "no")
    one = learned(tmp_path, frame, *WAYS[how], target=target, options=LEARNED[learner])
    many = regretless.load(str(tmp_path / "m.rgl"))
    for row in [dict(frame.iloc[0]), {"note": "new words", "city": "Bergen", "age": -0.5, "zip": 404}]:
        one.update_one(row, outcome)
        many.partial_fit(pd.DataFrame([row]), [outcome])
    assert one.ledger_ == many.ledger_
    np.testing.assert_array_equal(one.coef_, many.coef_)
    np.testing.assert_array_equal(one.predict(frame), many.predict(frame))


@pytest.mark.parametrize("how", ["plain", "text", "hashed"])
def test_numbers_as_words_and_unknown_names_are_refused(tmp_path, how):
    """A number in quotes and a missing one name their column, and a row without a known name is not the empty row."""
    frame = rows()
    learner = learned(tmp_path, frame, *WAYS[how])
    row = frame.iloc[0].to_dict()
    for call in (learner.predict_one, lambda row: learner.update_one(row, "no")):
        with pytest.raises(RegretlessError, match=r"column 'age' holds the text '0.5', and a number is expected"):
            call(row | {"age": "0.5"})
        for missing in (None, float("nan"), pd.NA):
            with pytest.raises(RegretlessError, match=r"column 'age' holds .*only finite numbers"):
                call(row | {"age": missing})
        with pytest.raises(RegretlessError, match=r"the row has 'Age', none of which the learner knows; .*'age'"):
            call({"Age": 1.0})
    assert learner.predict_one({}) == learner.predict_one({"age": 0.0})
    assert learner.predict_one(row | {"more": "words"}) == learner.predict_one(row)


def test_a_number_that_may_be_missing_is_zero_by_name_too(tmp_path):
    """With ``--missing zero``, None and nan in a column of numbers are 0, as they are in a frame."""
    frame = rows()
    learner = learned(tmp_path, frame, "--missing", "zero")
    row = frame.iloc[0].to_dict()
    for missing in (None, float("nan")):
        assert learner.scores_one(row | {"age": missing}) == learner.scores_one(row | {"age": 0.0})


def test_a_feature_of_words_is_no_column(tmp_path):
    """A word's feature by its own name is refused with the column that it is made of, rather than passed over."""
    learner = learned(tmp_path, rows(), "--text", "note")
    with pytest.raises(RegretlessError, match=r"'note:free' is no column; .* made of column 'note'"):
        learner.predict_one({"note:free": 1.0, "age": 2.0})


def test_lengths_stay_one_after_a_frame_is_learned(tmp_path):
    """A model of rows of length 1 brings them to it also after `partial_fit` of a frame."""
    frame = rows()
    learner = learned(tmp_path, frame, "--normalize")
    learner.partial_fit(frame[:1], ["no"])
    longer = frame.assign(age=frame["age"] * 1e3).iloc[[5]]
    assert abs(learner.decision_function(longer)[0]) <= np.linalg.norm(learner.coef_) * (1 + 1e-12)


LEARNERS = [AggregatedClassifier, Perceptron, Winnow, KernelPerceptron, AggregatedRegressor]


@pytest.mark.parametrize("kind", LEARNERS)
def test_a_fresh_learner_says_how_to_begin(kind):
    """One row asked of, or learned by, a learner that knows nothing gets the call that comes first."""
    first = r"fitted yet.*begin with partial_fit\(X\[:1\], y\[:1\]" + (
        "" if kind is AggregatedRegressor else ", classes"
    )
    for row in ({"a": 1.0}, np.array([1.0])):
        with pytest.raises(NotFittedError, match=first):
            kind().predict_one(row)
        for outcome in (1, -1):
            with pytest.raises(NotFittedError, match=first):
                kind().update_one(row, outcome)


@pytest.mark.parametrize("kind", LEARNERS)
def test_rows_of_other_widths_are_refused(kind):
    """Wider rows, narrower ones and those of two dimensions are neither predicted nor learned, and counts say why."""
    X = np.random.default_rng(0).random((20, 8))
    learner = kind().fit(X, np.where(X[:, 0] > 0.5, 1.0, -1.0))
    before = learner.ledger_
    for row, fault in [
        (np.arange(20.0), r"\(20,\)"),
        (np.ones(3), r"\(3,\)"),
        (X[:1], r"\(1, 8\): one row is one-dim"),
    ]:
        for call in (learner.predict_one, lambda row: learner.update_one(row, 1.0)):
            with pytest.raises(RegretlessError, match=f"a row of 8 numbers is expected, and its shape is {fault}"):
                call(row)
    for row in ([None] * 8, np.full(8, np.nan)):
        with pytest.raises(RegretlessError, match="not predicted, for it is not finite"):
            learner.predict_one(row)
        with pytest.raises(RegretlessError, match="not played, for its row is not finite"):
            learner.update_one(row, 1.0)
    assert learner.ledger_ == before


def test_a_float32_row_is_learned_by_both_of_a_winnow_without_a_rival():
    """Where the first class may be either sign, a row of another type is learned for both."""
    X = np.random.default_rng(0).random((4, 3)).astype(np.float32)
    learner = Winnow().partial_fit(X[:1], ["b"])
    learner.update_one(X[1], "b")
    assert learner.state_.reversed.ledger().rounds == learner.ledger_.rounds == 2
