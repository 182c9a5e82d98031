"""Tables: schemas, frozen columns, hashing and the limit on features."""

from __future__ import annotations

import json
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regretless.data import open_stream
from regretless.data.batch import sparse_rows
from regretless.data.columns import FeatureMap, hashed
from regretless.errors import DataError, ModelError, RegretlessError

from .test_data_csv import Table, dense, fails, whole

TRAIN = "age,city,label\n30,Rome,no\n40,Oslo,yes\n50,Rome,no\n"


@pytest.fixture
def table(tmp_path: Path) -> Table:
    return Table(tmp_path)


def learnt(table: Table, text: str = TRAIN, **options: Any) -> dict[str, Any]:
    """The schema after a reading, as a model file keeps it."""
    stream = table(text, "train.csv", **options)
    list(stream.batches())
    record: dict[str, Any] = json.loads(json.dumps(stream.schema()))
    return record


def test_the_schema_says_all(table: Table) -> None:
    """The schema is JSON and holds columns, kinds, features in order, target, missing values and hash."""
    assert learnt(table) == {
        "format": "table",
        "target": "label",
        "target_kind": "text",
        "missing": "error",
        "columns": [{"name": "age", "kind": "number"}, {"name": "city", "kind": "text"}],
        "features": [[0, None], [1, "Rome"], [1, "Oslo"]],
        "sparse": True,
        "hash": None,
    }
    assert learnt(table, hash_bits=10)["hash"] == {"function": "blake2b-64", "bits": 10}


def test_a_resumed_stream_goes_on_numbering(table: Table) -> None:
    """With the schema of rows read before, new categories get the numbers that follow."""
    stream = table("city,label,age\nBern,yes,1\nOslo,no,2\n", schema=learnt(table))
    values, labels = whole(stream)
    assert values.tolist() == [[1, 0, 0, 1], [2, 0, 1, 0]]
    assert labels == ["yes", "no"]
    assert stream.feature_names() == ["age", "city=Rome", "city=Oslo", "city=Bern"]


def test_a_schema_read_back_gives_the_same_columns(table: Table) -> None:
    """Reading the same file with its own schema changes neither rows nor schema."""
    schema = learnt(table)
    again = table(TRAIN, schema=schema)
    assert whole(again)[0].tolist() == whole(table(TRAIN))[0].tolist()
    assert again.schema() == schema


def test_frozen_columns_do_not_grow(table: Table) -> None:
    """To predict, columns are found by name, unknown words and columns contribute nothing, and labels may be absent."""
    schema = learnt(table)
    stream = table("extra,city,age\n2024-01-01,Bern,1\nx,Oslo,2\n", schema=schema, frozen=True)
    (batch,) = stream.batches()
    assert dense(batch, 3).tolist() == [[1, 0, 0], [2, 0, 1]]
    assert batch.columns == 3
    assert batch.labels is None
    assert stream.schema() == schema


def test_frozen_labels_are_read_where_there_are_any(table: Table) -> None:
    """To predict, a column of labels is read; one without any label counts as absent; one with a gap is an error."""
    schema = learnt(table)
    assert whole(table(TRAIN, schema=schema, frozen=True))[1] == ["no", "yes", "no"]
    assert whole(table("age,city,label\n1,Rome,\n2,Oslo,\n", schema=schema, frozen=True))[1] is None
    assert ":3:8: the label is missing" in fails(
        table("age,city,label\n1,Rome,no\n2,Oslo,\n", schema=schema, frozen=True)
    )


def test_to_learn_a_table_needs_its_target(table: Table) -> None:
    """A target that the schema names and the table lacks is an error unless frozen."""
    assert "there is no column 'label'" in fails(table("age,city\n1,Rome\n", schema=learnt(table)))


def test_a_column_that_is_missing_is_named(table: Table) -> None:
    """A table without a column that was learned from says which."""
    message = fails(table("label\nno\n", schema=learnt(table), frozen=True))
    assert "there is no column 'age' and no column 'city'; the columns are 'label'" in message


def test_kinds_are_those_of_the_schema(table: Table) -> None:
    """Numbers in a column of words are words, and words in a column of numbers an error."""
    schema = learnt(table)
    stream = table("age,city,label\n1,17,no\n", schema=schema)
    whole(stream)
    assert (stream.feature_names() or [])[-1] == "city=17"
    assert "column 'age' holds 'old'" in fails(table("age,city,label\nold,Rome,no\n", schema=schema))


def test_a_target_among_the_features_is_refused(table: Table) -> None:
    """The label of a later file cannot be one of the features."""
    assert "the target 'age' is one of the features" in fails(table(TRAIN, schema=learnt(table), target="age"))


def test_options_that_contradict_the_schema_are_refused(table: Table) -> None:
    """The hash and the kinds cannot change between two files."""
    with pytest.raises(RegretlessError, match="hash_bits=5"):
        table(TRAIN, schema=learnt(table), hash_bits=5)
    with pytest.raises(RegretlessError, match="categorical='age'"):
        table(TRAIN, schema=learnt(table), categorical=["age"])


@pytest.mark.parametrize("bits", [1, 4, 18])
def test_hashed_features_have_the_stated_number(bits: int, table: Table) -> None:
    """A feature's number is the low bits of the 64-bit BLAKE2b hash of its name; equal numbers add up."""
    stream = table(TRAIN, hash_bits=bits)
    values, _ = whole(stream)
    expected = np.zeros((3, 1 << bits))
    for row, (age, city) in enumerate([(30, "Rome"), (40, "Oslo"), (50, "Rome")]):
        for name, value in (("age", age), (f"city={city}", 1)):
            digest = blake2b(name.encode(), digest_size=8).digest()
            expected[row, int.from_bytes(digest, "little") % (1 << bits)] += value
    assert values.tolist() == expected.tolist()
    assert stream.feature_names() is None
    assert hashed("age", 64) == int.from_bytes(blake2b(b"age", digest_size=8).digest(), "little")


def test_hashing_remembers_no_words(table: Table) -> None:
    """The schema of a hashed table does not grow with its words."""
    assert learnt(table, hash_bits=8)["features"] == []


def test_categories_stop_at_the_limit(table: Table) -> None:
    """One feature more than max_features is an error that says what to do, among categories and among columns."""
    assert whole(table(TRAIN, max_features=3))[0].shape == (3, 3)
    assert "more than 2 features, with those of column 'city'; hash them" in fails(table(TRAIN, max_features=2))
    assert "more than 1 features" in fails(table("a,b,y\n1,2,3\n", max_features=1))
    with pytest.raises(RegretlessError, match="hash_bits=5"):
        table(TRAIN, max_features=31, hash_bits=5)


def test_a_file_read_twice_has_the_same_columns(table: Table) -> None:
    """The second reading of a stream knows all columns from its first batch."""
    stream = table(TRAIN)
    first = [dense(batch, 3).tolist() for batch in stream.batches()]
    assert [dense(batch, 3).tolist() for batch in stream.batches()] == first
    assert next(stream.batches()).columns == 3


@pytest.mark.parametrize(
    "damage",
    [
        {"columns": None},
        {"columns": [{"name": "age", "kind": "number"}, {"name": "age", "kind": "text"}]},
        {"columns": [{"name": "age", "kind": "date"}, {"name": "city", "kind": "text"}]},
        {"features": [[0, None], [1, "Rome"], [1, "Rome"]]},
        {"features": [[0, None], [2, "Rome"]]},
        {"features": [[0, "30"], [1, "Rome"]]},
        {"features": [[1, "Rome"]]},
        {"features": [[1, None], [0, None]]},
        {"features": [[0, None], [1, ["Rome"]]]},
        {"hash": {"function": "md5", "bits": 3}},
        {"hash": 7},
        {"sparse": False},
        {"target_kind": "x"},
        {"missing": "mean"},
    ],
)
def test_a_damaged_schema_is_refused(damage: dict[str, Any], table: Table) -> None:
    """No contradiction in the description of the columns gets as far as the data."""
    with pytest.raises(RegretlessError):
        table(TRAIN, schema=learnt(table) | damage)


@pytest.mark.parametrize("part", ["columns", "features", "hash", "target", "missing", "target_kind", "sparse"])
def test_an_incomplete_schema_is_refused(part: str, table: Table) -> None:
    """Each part of a schema is needed."""
    schema = learnt(table)
    del schema[part]
    with pytest.raises(ModelError):
        table(TRAIN, schema=schema)


def test_words_of_bad_rows_are_not_numbered() -> None:
    """A listed word that stands in no row gets no number."""
    features = FeatureMap()
    features.settle({"c": "text"})
    codes = {"c": (np.array([2, -1, 0]), ["u", "v", "w"])}
    features.learn(codes, {})
    numbers = features.numbers(codes, 3)
    assert numbers.ravel().tolist() == [0, -1, 1]
    assert features.feature_names() == ["c=w", "c=u"]


def test_real_tables(data: Path) -> None:
    """Real files are read with the rows, columns and missing cells that they are known to have."""
    dense_files = data / "dense"
    for name, rows, columns in [("banknote", 1372, 4), ("spambase", 4601, 57), ("house_votes84", 435, 32)]:
        values, labels = whole(open_stream(dense_files / f"{name}.csv.xz"))
        assert values.shape == (rows, columns)
        assert len(labels or []) == rows
    stream = open_stream(dense_files / "breast_cancer_wisconsin.csv.xz", on_error="skip")
    assert len(whole(stream)[0]) == 683
    assert stream.skipped == 16
    with pytest.raises(DataError, match=r"column 'Bare\.nuclei' has no value"):
        whole(open_stream(dense_files / "breast_cancer_wisconsin.csv.xz"))


def test_hashing_takes_bounded_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many words a hashed column has, few of them are remembered, and their numbers stay the same."""
    monkeypatch.setattr("regretless.data.columns.REMEMBERED_HASHES", 10)
    features = FeatureMap(12)
    features.settle({"c": "text"})
    words = [f"w{number}" for number in range(100)]
    numbers = features.numbers({"c": (np.arange(100), words)}, 100)
    assert numbers.ravel().tolist() == [hashed(f"c={word}", 12) for word in words]
    assert len(features._numbers["c"]) <= 10


@given(st.integers(0, 40), st.lists(st.integers(0, 60), max_size=4), st.integers(0, 40), st.integers(1, 50), st.data())
def test_rows_are_put_together_as_a_plain_loop_does(
    rows: int, ids: list[int], textual: int, largest: int, data: st.DataObject
) -> None:
    """Whether or not columns come in order and once, each row has the sum of what stands in each of its columns."""
    random = np.random.default_rng(data.draw(st.integers(0, 99)))
    values = random.integers(-1, 3, (rows, len(ids))).astype(np.float64)
    categories = random.integers(-1, largest, (rows, textual), dtype=np.int32)
    before = categories.copy()
    batch = sparse_rows(values, np.array(ids, np.int32), categories, None, 99)
    np.testing.assert_array_equal(categories, before)
    assert batch.indices is not None
    assert batch.starts is not None
    for row in range(rows):
        expected: dict[int, float] = {}
        pairs = [*zip(ids, values[row].tolist(), strict=True), *((int(c), 1.0) for c in categories[row] if c >= 0)]
        for column, value in pairs:
            if value:
                expected[column] = expected.get(column, 0.0) + value
        entries = slice(batch.starts[row], batch.starts[row + 1])
        results = list(zip(batch.indices[entries].tolist(), batch.values[entries].tolist(), strict=True))
        assert results == sorted(expected.items())
