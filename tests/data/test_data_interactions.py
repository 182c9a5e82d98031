"""Products of features and hashed features, in every format."""

from __future__ import annotations

import json
import mmap
from collections import Counter
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regretless import _core
from regretless.data import ArrayStream, CrossedStream, open_stream
from regretless.data import interactions as interactions_module
from regretless.data.columns import hashed
from regretless.data.interactions import Keys, Products, hashed_keys, pair_keys, parts
from regretless.data.names import called, column_names, made_of
from regretless.data.stream import Stream
from regretless.errors import DataError, ModelError, RegretlessError

from .test_data_csv import Table, fails, small, whole  # noqa: F401 (a fixture)

TRAIN = "age,city,hours,label\n30,Rome,2,no\n40,Oslo,0,yes\n50,Rome,4,no\n"
SVM = b"1 1:2 3:4\n-1 2:1\n1 1:3 2:5 3:7\n"
MASK = (1 << 64) - 1


@pytest.fixture
def table(tmp_path: Path) -> Table:
    return Table(tmp_path)


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    path = tmp_path / "t.svm"
    path.write_bytes(SVM)
    return path


def splitmix64(number: int) -> int:
    """As Steele, Lea and Flood print it."""
    mixed = (number + 0x9E3779B97F4A7C15) & MASK
    mixed = ((mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & MASK
    return mixed ^ (mixed >> 31)


def named(stream: Stream) -> list[dict[str, float]]:
    """Each row by the names of its columns."""
    values, _ = whole(stream)
    names = stream.feature_names()
    assert names is not None
    assert len(names) == values.shape[1] == len(set(names))
    return [{name: value for name, value in zip(names, row, strict=True) if value} for row in values.tolist()]


def schema_of(stream: Stream) -> dict[str, Any]:
    """The schema after a reading, as a model file keeps it."""
    list(stream.batches())
    record: dict[str, Any] = json.loads(json.dumps(stream.schema()))
    return record


# ---- tables


def test_other_tables_have_the_same_products(table: Table, tmp_path: Path) -> None:
    """A Parquet and an Arrow file give the products that text with the same cells gives."""
    import pyarrow as pa
    from pyarrow import feather, parquet

    cells = {"age": [30, 40, 50], "city": ["Rome", "Oslo", "Rome"], "hours": [2.0, 0.0, 4.0]}
    cells["label"] = ["no", "yes", "no"]
    parquet.write_table(pa.table(cells), tmp_path / "t.parquet")
    feather.write_feather(pa.table(cells), tmp_path / "t.feather")
    for goal in (["*"], ["age*city", "age*age"]):
        expected = named(table(TRAIN, interactions=goal))
        for name in ("t.parquet", "t.feather"):
            assert named(open_stream(tmp_path / name, interactions=goal)) == expected


def test_a_product_of_two_columns_is_named_after_both(table: Table) -> None:
    """A product of numbers is their product, one of a number and a word is the number where the word stands."""
    entry = named(table(TRAIN, interactions=["age*hours", "city*age"]))
    assert entry == [
        {"age": 30, "hours": 2, "city=Rome": 1, "age*hours": 60, "age*city=Rome": 30},
        {"age": 40, "city=Oslo": 1, "age*city=Oslo": 40},
        {"age": 50, "hours": 4, "city=Rome": 1, "age*hours": 200, "age*city=Rome": 50},
    ]


def test_an_asterisk_multiplies_all_pairs_of_a_row(table: Table) -> None:
    """With * every two features of a row have a product, and none has a square."""
    entry = named(table("a,b,c,y\n2,x,3,1\n5,u,7,0\n", interactions=["*"]))
    assert entry[0] == {"a": 2, "c": 3, "b=x": 1, "a*c": 6, "a*b=x": 2, "b=x*c": 3}
    assert entry[1] == {"a": 5, "c": 7, "b=u": 1, "a*c": 35, "a*b=u": 5, "b=u*c": 7}


def test_a_column_may_be_multiplied_by_itself(table: Table) -> None:
    """a*a is the square of a column of numbers."""
    assert named(table("a,y\n3,1\n-2,0\n", interactions=["a*a"])) == [{"a": 3, "a*a": 9}, {"a": -2, "a*a": 4}]


def test_names_may_have_asterisks(table: Table) -> None:
    """A name with an asterisk is found if only one reading is possible, and refused if there are two."""
    assert named(table("a*b,c,y\n2,3,1\n", interactions=["a*b*c"]))[0]["a*b*c"] == 6
    assert "can be read in 2 ways" in fails(table("a*b,c,a,b*c,y\n2,3,1,1,1\n", interactions=["a*b*c"]))


@pytest.mark.usefixtures("small")
def test_how_a_file_is_cut_does_not_matter(tmp_path: Path) -> None:
    """Products get the same columns in blocks of a few rows as in one."""
    draw = np.random.default_rng(1)
    lines = [f"{draw.integers(-2, 3)},{'uvw'[draw.integers(3)]},{'xyz'[draw.integers(3)]},1\n" for _ in range(60)]
    path = tmp_path / "t.csv"
    path.write_text("a,b,c,y\n" + "".join(lines))
    stream = open_stream(path, interactions=["*"])
    assert sum(1 for _ in stream.batches()) > 5
    values, _ = whole(stream)
    (tmp_path / "t.tsv").write_text(path.read_text().replace(",", "\t"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("regretless.data.csv.SMALLEST", 1 << 20)
        patch.setattr("regretless.data.delimited.SMALLEST", 1 << 20)
        other = open_stream(tmp_path / "t.tsv", interactions=["*"])
        assert sum(1 for _ in other.batches()) == 1
        assert whole(other)[0].tolist() == values.tolist()
    assert other.feature_names() == stream.feature_names()


def test_pieces_are_cut_where_there_would_be_too_many_products(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows are put together a few at a time when their products are many, with the same result."""
    expected = named(table(TRAIN, interactions=["*"]))
    monkeypatch.setattr(interactions_module, "ENTRIES", 4)
    stream = table(TRAIN, interactions=["*"])
    assert [len(batch) for batch in stream.batches()] == [1, 1, 1]
    assert named(stream) == expected


@pytest.mark.parametrize("bits", [3, 20])
def test_hashed_products_have_the_stated_column(bits: int, table: Table) -> None:
    """The column of a product is the low bits of splitmix64 of the numbers of its features, in either order."""
    values, _ = whole(table(TRAIN, interactions=["age*city", "hours*age"], hash_bits=bits))
    expected = np.zeros((3, 1 << bits))
    for row, (age, city, hours) in enumerate([(30, "Rome", 2), (40, "Oslo", 0), (50, "Rome", 4)]):
        at = {"age": hashed("age", bits), "city": hashed(f"city={city}", bits), "hours": hashed("hours", bits)}
        for name, value in (("age", age), ("city", 1), ("hours", hours)):
            expected[row, at[name]] += value
        for a, b, value in (("age", "city", age), ("age", "hours", age * hours)):
            low, high = sorted((at[a], at[b]))
            expected[row, splitmix64((low + 1) * 2**32 + high) % (1 << bits)] += value
    assert values.tolist() == expected.tolist()


@pytest.mark.parametrize("options", [{}, {"hash_bits": 6}, {"hash_bits": 6, "keep_names": 100}])
def test_the_schema_builds_the_same_columns(options: dict[str, Any], table: Table) -> None:
    """The same file, read with its own schema, gives the same rows and the same schema; nothing need be said again."""
    first = table(TRAIN, interactions=["age*city", "hours*city"], **options)
    schema = schema_of(first)
    again = table(TRAIN, schema=schema)
    assert whole(again)[0].tolist() == whole(first)[0].tolist()
    assert json.loads(json.dumps(again.schema())) == schema
    assert whole(table(TRAIN, schema=schema, frozen=True))[0].tolist() == whole(first)[0].tolist()


def test_to_predict_unknown_products_contribute_nothing(table: Table) -> None:
    """A known number in a new city has neither the city nor the product; a known pair that never met has no product."""
    schema = schema_of(table(TRAIN, interactions=["age*city"]))
    stream = table("hours,city,age\n1,Bern,20\n0,Oslo,10\n", schema=schema, frozen=True)
    assert named(stream) == [{"age": 20, "hours": 1}, {"age": 10, "city=Oslo": 1, "age*city=Oslo": 10}]
    assert json.loads(json.dumps(stream.schema())) == schema


def test_a_resumed_stream_goes_on_with_the_products(table: Table) -> None:
    """New products get the columns that follow; those asked for again must be the same."""
    schema = schema_of(table(TRAIN, interactions=["age*city"]))
    stream = table("age,city,hours,label\n9,Bern,1,no\n", schema=schema, interactions=["city*age"])
    assert named(stream) == [{"age": 9, "hours": 1, "city=Bern": 1, "age*city=Bern": 9}]
    assert (stream.feature_names() or [])[-2:] == ["city=Bern", "age*city=Bern"]
    for other in (["*"], ["age*hours"]):
        with pytest.raises(RegretlessError, match=r"interactions=.*the file that this continues had others"):
            table(TRAIN, schema=schema, interactions=other)
    with pytest.raises(RegretlessError, match="the file that this continues had none"):
        table(TRAIN, schema=schema_of(table(TRAIN)), interactions=["age*city"])


def test_products_of_columns_that_are_not_there_are_refused(table: Table) -> None:
    """A product of a column that the table lacks, or of the target, is an error that names the columns."""
    assert fails(table(TRAIN, interactions=["age*town"])) == (
        ": interactions=age*town: there is no column 'town'; the columns are 'age', 'city', 'hours'"
    )
    assert "'label' is the target" in fails(table(TRAIN, interactions=["age*label"]))
    assert "a*b is expected" in fails(table(TRAIN, interactions=["age"]))


def test_too_many_products_are_refused(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither a wide table nor a long list of products without a hash exhausts the memory."""
    monkeypatch.setattr("regretless.data.table.MOST_PRODUCTS", 2)
    assert "3 columns have 3 products; at most 2 are built" in fails(table(TRAIN, interactions=["*"]))
    assert "more than 5 features and products of features; hash them" in fails(
        table(TRAIN, interactions=["age*city"], max_features=5)
    )
    many = "age,city,y\n" + "".join(f"{k + 1},c{k},{k % 2}\n" for k in range(510))
    assert "more than 1,000 features and products of features; hash them with --hash-bits, or raise --max-features" in (
        fails(table(many, interactions=["age*city"], max_features=1000))
    )
    assert "more than 1,000 features, with those of column 'age'" in fails(
        table(many, categorical=["age"], max_features=1000)
    )


def test_an_infinite_product_is_a_bad_row(table: Table) -> None:
    """A product that is too large to be written is an error with its line, or passed over."""
    text = "a,b,y\n1,2,0\n1e200,1e200,1\n1e200,1e100,1\n"
    assert ":3:7: the product of 'a' and 'b' is infinite; scale the values down" in fails(
        table(text, interactions=["a*b"])
    )
    stream = table(text, interactions=["*"], on_error="skip")
    assert named(stream)[1]["a*b"] == 1e300
    assert stream.skipped == 1


def test_real_products_help(data: Path) -> None:
    """All pairs of the columns of a real table are as many as they should be, and exact."""
    stream = open_stream(data / "dense" / "banknote.csv.xz", interactions=["*"])
    plain, _ = whole(open_stream(data / "dense" / "banknote.csv.xz"))
    values, _ = whole(stream)
    names = stream.feature_names() or []
    assert values.shape == (1372, 10)
    places = {name: place for place, name in enumerate(names)}
    columns = [name for name in names if "*" not in name]
    for (i, a), (j, b) in combinations(enumerate(columns), 2):
        assert (values[:, places[f"{a}*{b}"]] == plain[:, i] * plain[:, j]).all()


# ---- numbers


def test_products_of_numbered_features(rows: Path) -> None:
    """Features are called as in the file, and get columns as they come, products after the features of their row."""
    stream = open_stream(rows, interactions=["1*3", "2*2"])
    assert named(stream) == [
        {"1": 2, "3": 4, "1*3": 8},
        {"2": 1, "2*2": 1},
        {"1": 3, "2": 5, "3": 7, "1*3": 21, "2*2": 25},
    ]
    assert stream.feature_names() == ["1", "3", "1*3", "2", "2*2"]
    zero = open_stream(rows, interactions=["0*2"], ids_from=0)
    assert named(zero)[0] == {"1": 2, "3": 4}


def test_all_pairs_of_numbered_features(rows: Path) -> None:
    """With * the features of a row are multiplied two by two."""
    entry = named(open_stream(rows, interactions=["*"]))
    assert entry[2] == {"1": 3, "2": 5, "3": 7, "1*2": 15, "1*3": 21, "2*3": 35}


@pytest.mark.parametrize("bits", [2, 16])
def test_numbers_are_hashed_as_stated(bits: int, rows: Path) -> None:
    """The column of a feature is the low bits of splitmix64 of its number from 0; equal columns add up."""
    values, _ = whole(open_stream(rows, hash_bits=bits))
    expected = np.zeros((3, 1 << bits))
    for row, entries in enumerate([{0: 2, 2: 4}, {1: 1}, {0: 3, 1: 5, 2: 7}]):
        for column, value in entries.items():
            expected[row, splitmix64(column) % (1 << bits)] += value
    assert values.tolist() == expected.tolist()


def test_ids_beyond_the_limit_may_be_hashed(tmp_path: Path) -> None:
    """A hash takes ids that are larger than the number of features allowed, and refuses itself to be larger."""
    (tmp_path / "t.svm").write_bytes(b"1 7:1 2000000000:1\n")
    (batch,) = open_stream(tmp_path / "t.svm", hash_bits=8).batches()
    assert batch.columns == 256
    with pytest.raises(RegretlessError, match="hash_bits=8: that is more than the 100 features allowed"):
        open_stream(tmp_path / "t.svm", hash_bits=8, max_features=100)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_arrays_are_crossed_too(dtype: Any, tmp_path: Path) -> None:
    """Files of arrays, dense and sparse, give the same products as text with the same numbers."""
    X = np.array([[2.0, 0, 4], [0, 1, 0], [3, 5, 7]])
    np.savez(tmp_path / "t.npz", X=X, y=np.array([1, -1, 1]))
    np.save(tmp_path / "t.npy", np.column_stack([X, [1, -1, 1]]))
    expected = [{"0": 2, "2": 4, "0*2": 8}, {"1": 1}, {"0": 3, "1": 5, "2": 7, "0*2": 21}]
    for stream in (
        open_stream(tmp_path / "t.npz", interactions=["0*2"], dtype=dtype),
        open_stream(tmp_path / "t.npy", interactions=["0*2"], target="last", dtype=dtype),
    ):
        assert named(stream) == expected
        assert next(stream.batches()).values.dtype == dtype


@pytest.mark.parametrize("options", [{}, {"hash_bits": 5}, {"hash_bits": 5, "keep_names": 4}])
def test_a_numbered_schema_builds_the_same_columns(options: dict[str, Any], rows: Path, tmp_path: Path) -> None:
    """A model's schema is enough to read the same columns from svmlight and from arrays."""
    first = open_stream(rows, interactions=["1*3"], **options)
    schema = schema_of(first)
    again = open_stream(rows, schema=schema, interactions=["3*1"])
    assert whole(again)[0].tolist() == whole(first)[0].tolist()
    assert json.loads(json.dumps(again.schema())) == schema
    np.savez(tmp_path / "t.npz", X=np.array([[2.0, 0, 4], [0, 1, 0], [3, 5, 7]]), y=np.arange(3))
    arrays = open_stream(tmp_path / "t.npz", schema=schema, frozen=True)
    assert whole(arrays)[0].tolist() == whole(first)[0].tolist()
    with pytest.raises(RegretlessError, match="had others"):
        open_stream(rows, schema=schema, interactions=["1*2"])


def test_frozen_numbers_do_not_grow(rows: Path, tmp_path: Path) -> None:
    """To predict, features and products that were never met contribute nothing."""
    schema = schema_of(open_stream(rows, interactions=["*"]))
    (tmp_path / "new.svm").write_bytes(b"1 1:2 2:3 9:4\n")
    stream = open_stream(tmp_path / "new.svm", schema=schema, frozen=True)
    assert named(stream) == [{"1": 2, "2": 3, "1*2": 6}]


def test_a_model_of_plain_columns_stays_so(rows: Path) -> None:
    """Products and hashes cannot be had for a model that was learned without them."""
    for option in ({"interactions": ["*"]}, {"hash_bits": 4}):
        with pytest.raises(RegretlessError, match=f"{next(iter(option))} has no meaning here"):
            open_stream(rows, schema=schema_of(open_stream(rows)), **option)
    with pytest.raises(RegretlessError, match="hash_bits=5: it was 4 in the file"):
        open_stream(rows, schema=schema_of(open_stream(rows, hash_bits=4)), hash_bits=5)


def test_rows_with_too_many_products_are_bad(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A row with too many features for all pairs is an error, or passed over and counted with those of the file."""
    monkeypatch.setattr("regretless.data.feature_crosses.MOST_PRODUCTS", 3)
    (tmp_path / "t.svm").write_bytes(b"1 1:1 2:1\nx\n1 1:1 2:1 3:1 4:1\n-1 2:1\n")
    stream = open_stream(tmp_path / "t.svm", interactions=["*"], on_error="skip")
    assert [len(row) for row in named(stream)] == [3, 1]
    assert stream.skipped == 2
    assert len(stream.first_errors) == 2
    (tmp_path / "u.svm").write_bytes(b"1 1:1 2:1\n1 1:1 2:1 3:1 4:1\n")
    stream = open_stream(tmp_path / "u.svm", interactions=["*"])
    batches = stream.batches()
    assert len(next(batches)) == 1
    with pytest.raises(DataError, match=r"u\.svm:2: row 2 has 4 features, .* --interactions A\*B; --on-error"):
        next(batches)


def test_nothing_but_bad_rows_is_an_error(tmp_path: Path) -> None:
    """A file of which no row can be used does not pass for an empty one."""
    (tmp_path / "t.svm").write_bytes(b"1 1:1e200 2:1e200\n")
    assert fails(open_stream(tmp_path / "t.svm", interactions=["*"], on_error="skip")).startswith(": no rows")


def test_infinite_products_of_numbers_are_bad(tmp_path: Path) -> None:
    """An overflow is found in the row in which it happens, and only there."""
    (tmp_path / "t.svm").write_bytes(b"1 1:1e200\n1 1:1e200 2:1e50\n1 1:1e200 2:1e200\n-1 2:1\n")
    for expected in ("*", "1*2"):
        stream = open_stream(tmp_path / "t.svm", interactions=[expected], on_error="skip")
        assert len(named(stream)) == 3
        assert "t.svm:3: row 3 has features whose product is infinite" in stream.first_errors[0]
        assert ":3: row 3 " in fails(open_stream(tmp_path / "t.svm", interactions=[expected]))


def test_rows_may_be_passed_over(rows: Path) -> None:
    """A reading that begins later has the same columns as one from the start."""
    stream = open_stream(rows, interactions=["*"])
    (late,) = stream.batches(2)
    assert (len(late), late.columns) == (1, 6)
    assert np.asarray(late.values).tolist() == whole(stream)[0][2, np.asarray(late.indices)].tolist()


ENTRIES = st.dictionaries(st.integers(0, 30), st.sampled_from([-2.0, -1.0, 0.5, 1.0, 3.0]), max_size=8)


@given(
    st.lists(ENTRIES, min_size=1, max_size=6),
    st.sampled_from([["*"], ["3*7", "0*1", "2*2"], []]),
    st.sampled_from([None, 1, 4, 12]),
    st.booleans(),
)
def test_products_are_those_of_plain_loops(
    rows: list[dict[int, float]], wanted: list[str], bits: int | None, dense: bool
) -> None:
    """Whatever the rows, every product stands where a loop over the row's features puts it, and nothing else does."""
    X = np.zeros((len(rows), 31))
    for row, entries in enumerate(rows):
        X[row, list(entries)] = list(entries.values())
    import scipy.sparse

    inner = ArrayStream(X if dense else scipy.sparse.csr_array(X), np.ones(len(rows)))
    stream = CrossedStream(inner, interactions=wanted, hash_bits=bits)
    values, _ = whole(stream)
    pairs = [(int(a), int(b)) for a, b in (text.split("*") for text in wanted)] if wanted != ["*"] else None
    expected = []
    for entries in rows:
        products = {(i,): v for i, v in entries.items()}
        chosen = combinations(sorted(entries), 2) if pairs is None else pairs
        products |= {(i, j): entries[i] * entries[j] for i, j in chosen if i in entries and j in entries}
        expected.append(products)
    columns: dict[tuple[int, ...], int] = {}
    for products in expected:
        for key in sorted(products, key=len):
            number = key[0] if len(key) == 1 else (key[0] + 1) * 2**32 + key[1]
            columns[key] = columns.setdefault(key, len(columns)) if bits is None else splitmix64(number) % (1 << bits)
    names = stream.feature_names()
    for row, products in zip(values, expected, strict=True):
        sums = Counter[Any]()
        for key, value in products.items():
            sums["*".join(map(str, key)) if names else columns[key]] += value
        here = {names[k] if names else k: row[k] for k in np.flatnonzero(row).tolist()}
        assert here == {key: value for key, value in sums.items() if value}


# ---- names


def test_hashed_names_are_stored_on_request(table: Table) -> None:
    """With keep_names each column is called by all names that share it, products by those of their features."""
    stream = table(TRAIN, interactions=["age*city"], hash_bits=16, keep_names=50)
    row = whole(stream)[0][0]
    names = column_names(json.loads(json.dumps(stream.schema())))
    first = {called(names(column), column): row[column] for column in np.flatnonzero(row).tolist()}
    assert first == {"age": 30, "hours": 2, "city=Rome": 1, "age*city=Rome": 30}
    assert column_names(schema_of(table(TRAIN, hash_bits=12)))(hashed("age", 12)) == []


def test_collisions_are_shown(table: Table) -> None:
    """Of features in one column all names are given, the first four in print."""
    names = column_names(schema_of(table(TRAIN, hash_bits=1, keep_names=50)))
    assert sorted(names(0) + names(1)) == ["age", "city=Oslo", "city=Rome", "hours"]
    assert called(["a", "b"], 0) == "a | b"
    assert called(list("abcdef"), 0) == "a | b | c | d | 2 more"
    assert called([], 7) == "7"


def test_no_more_names_are_stored_than_allowed(table: Table, rows: Path) -> None:
    """The names kept are the first ones, at most so many, and features of the others have none."""
    schema = schema_of(table(TRAIN, hash_bits=12, keep_names=1))
    assert schema["kept"]["names"] == ["age"]
    schema = schema_of(open_stream(rows, interactions=["*"], hash_bits=12, keep_names=2))
    names = column_names(schema)
    assert [names(splitmix64(column) % 4096) for column in (0, 2, 1)] == [["1"], ["3"], []]


def test_names_need_a_hash_to_be_stored(rows: Path) -> None:
    """keep_names without a hash is refused."""
    with pytest.raises(RegretlessError, match="keep_names has no meaning without a hash"):
        open_stream(rows, keep_names=3)


def test_nonsense_about_names_is_refused() -> None:
    """What a damaged model says of products and hashes is an error, and no traceback."""
    for damage in ({"crossing": {"pairs": 3}}, {"crossing": {"pairs": [[None]]}}, {"hash": 7}, {"hash": {"bits": "x"}}):
        with pytest.raises(ModelError):
            made_of({"format": "svmlight", **damage})
    with pytest.raises(ModelError):
        column_names({"format": "svmlight", "crossing": 3})


# ---- inside


def test_splitmix64_is_the_published_one() -> None:
    """The hash of 0 and its successors are the first numbers of the generator with seed 0."""
    step = 0x9E3779B97F4A7C15
    states = np.array([0, step, 2 * step & MASK], np.uint64).astype(np.int64)
    published = [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F]
    assert hashed_keys(states, 30).tolist() == [number % 2**30 for number in published]


def test_keys_are_numbered_as_they_come() -> None:
    """New keys follow, known ones keep their number, and no more than the limit are taken."""
    keys = Keys(4)
    numbers, refused = keys.add(np.array([9, 3, 9, 5]))
    assert (numbers.tolist(), refused) == ([0, 1, 0, 2], 0)
    numbers, refused = keys.add(np.array([1, 3, 7]))
    assert (numbers.tolist(), refused) == ([3, 1, -1], 1)
    assert keys.find(np.array([9, 3, 5, 1, 7])).tolist() == [0, 1, 2, 3, -1]
    assert keys.listed().tolist() == [9, 3, 5, 1]


def test_a_table_of_keys_grows() -> None:
    """Ten thousand keys that come twice, in two parts, have the numbers that a dictionary gives."""
    come = np.random.default_rng(0).permutation(np.repeat(np.arange(10_000) << 20, 2))
    keys, expected = Keys(1 << 20), {key: number for number, key in enumerate(dict.fromkeys(come.tolist()))}
    numbers = np.concatenate([keys.add(part)[0] for part in np.split(come, 2)])
    assert numbers.tolist() == [expected[key] for key in come.tolist()]
    assert keys.listed().tolist() == list(expected)
    assert keys.find(np.array([-5, 1, 20 << 20])).tolist() == [-1, -1, expected[20 << 20]]


def test_a_table_that_does_not_fit_its_keys_is_refused() -> None:
    """A table without a free place ends no search by itself, and one that names keys that are not there reads none."""
    listed, numbers, keys = np.array([8, 9, 0]), np.empty(1, np.int64), np.array([7_000])
    near = np.zeros(_core.TRIANGLE_SIZE, np.uint32)
    for places in (np.full(4, 1 + (7 << 32), np.uint64), np.full(4, 5, np.uint64)):
        for learn in (False, True):
            with pytest.raises(ValueError, match="does not fit its keys"):
                _core.number_keys(places, near, listed, 2, 2, 9, learn, keys, numbers)
    with pytest.raises(ValueError, match="does not fit its keys"):
        _core.fill_places(np.empty(2, np.uint64), near, np.array([7_000, 8_000]), 2)
    table = np.zeros(4, np.uint64), near + np.uint32(3), listed, 2, 0, 9, False
    with pytest.raises(ValueError, match="does not fit its keys"):
        _core.number_keys(*table, np.array([7]), numbers)
    none, room = np.empty(0, np.int32), (0, False, np.zeros(2, np.int64), np.empty(3, np.int32), np.empty(3))
    with pytest.raises(ValueError, match="does not fit its keys"):
        _core.cross_rows(np.ones(2), np.array([7, 8]), np.array([0, 2]), none, none, True, 0, *table, *room)


@pytest.mark.parametrize("key", [(1 << 32) - 1, 1 << 31])
def test_a_column_beyond_the_limit_is_not_written(key: int) -> None:
    """Columns are those of 31 bits; a feature with a larger number that is to be its own column is refused."""
    rows = Products(np.ones(1), np.array([key]), np.array([0, 1]))
    with pytest.raises(ValueError, match="no such column"):
        Keys(0).cross(rows, 8, True, False)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("bits", [None, 3, 18])
@pytest.mark.parametrize("limit", [1 << 20, 100])
@pytest.mark.parametrize("shape", [(40, 4, 9), (9, 60, 90), (2, 300, 400), (60, 9, 1700)])
def test_rows_are_crossed_as_a_plain_loop_does(
    shape: tuple[int, int, int], limit: int, bits: int | None, dtype: Any
) -> None:
    """All products of rows of few and of many features have the columns, their order and the sums of a dictionary."""
    random, keys = np.random.default_rng(0), Keys(limit)
    features = [random.permutation(shape[2])[: random.integers(shape[1] + 1)] for _ in range(shape[0])]
    features[::2] = [np.sort(row) for row in features[::2]]
    starts = np.cumsum([0, *map(len, features)])
    flat = np.concatenate(features)
    values = random.integers(-2, 3, len(flat)).astype(dtype) / dtype(3)
    crossed, _ = keys.cross(Products(values, flat, starts, all=True), bits, False, True)
    numbers: dict[int, int] = {}
    for row, (begin, end) in enumerate(zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True)):
        mine = list(zip(flat[begin:end].tolist(), values[begin:end], strict=True))
        entries = mine + [(int(pair_keys(*np.array([[a], [b]]))[0]), u * v) for (a, u), (b, v) in combinations(mine, 2)]
        expected: dict[int, Any] = {}
        for key, value in entries:
            if value and len(numbers) < limit:
                numbers.setdefault(key, len(numbers))
            if value and (bits or key in numbers):
                column = numbers[key] if bits is None else splitmix64(key) % (1 << bits)
                expected[column] = expected.get(column, dtype(0)) + value
        part = slice(crossed.starts[row], crossed.starts[row + 1])
        assert crossed.indices[part].tolist() == sorted(expected)
        assert crossed.values[part].tolist() == [expected[column] for column in sorted(expected)]
    assert keys.listed().tolist() == list(numbers)


def test_rows_of_a_model_are_crossed_alike_in_any_order_of_their_features() -> None:
    """Where no key is new, a row whose features ascend, which is crossed without searches, has the entries of the same
    row turned round; and what was never learned is left out of both."""
    random, keys = np.random.default_rng(0), Keys(1 << 20)
    flat = np.sort(np.concatenate([random.permutation(40)[:12] + 40 * row for row in range(9)]).reshape(9, 12) % 70)
    starts, values = np.arange(10) * 12, random.normal(size=(9, 12))
    keys.cross(Products(values[:5].ravel(), flat[:5].ravel(), starts[:6], all=True), None, False, True)
    both = [
        keys.cross(Products(v.ravel(), f.ravel(), starts, all=True), None, False, False)[0]
        for v, f in ((values, flat), (values[:, ::-1], flat[:, ::-1]))
    ]
    assert 0 < len(both[0].values) < 9 * 78
    assert all((one == other).all() for one, other in zip(*both, strict=True))


@pytest.mark.parametrize("entries", [92_682, 3_100_000_000])
def test_a_row_of_too_many_pairs_is_refused(entries: int) -> None:
    """A row has fewer than 2^32 entries and pairs, also where their number is none of 64 bits."""
    private = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS  # and never written: it takes addresses, no memory
    memory = mmap.mmap(-1, 8 * entries, flags=private, prot=mmap.PROT_READ)
    values, keys = np.frombuffer(memory, np.float32, entries), np.frombuffer(memory, np.int64)
    none, ends = np.empty(0, np.int32), np.zeros(2, np.int64)
    table = np.zeros(16, np.uint64), np.zeros(_core.TRIANGLE_SIZE, np.uint32), np.empty(8, np.int64), 0, 0, 8, True
    with pytest.raises(ValueError, match="a row is too long"):
        _core.cross_rows(
            values, keys, np.array([0, entries]), none, none, True, 0, *table, 0, False, ends, none, values[:0].copy()
        )


def test_a_key_has_its_parts() -> None:
    """A pair's key tells both numbers, up to the largest feature there may be."""
    largest = 2**31 - 2
    for a, b in ((0, 0), (5, 2), (largest, 0), (largest, largest)):
        (key,) = pair_keys(np.array([a]), np.array([b])).tolist()
        assert parts(key) == (min(a, b), max(a, b))
    assert parts(7) == (7,)


@pytest.mark.parametrize(
    "damage",
    [
        {"pairs": [[1, "b"]]},
        {"pairs": 3},
        {"pairs": [["a"]]},
        {"keys": [1, 1]},
        {"keys": [-4]},
        {"keys": ["x"]},
        {"keys": 5},
        {"limit": None, "keys": None},
    ],
)
def test_a_damaged_crossing_is_refused(damage: dict[str, Any], table: Table, rows: Path) -> None:
    """No nonsense about products in a model gets as far as the data."""
    for schema in (
        schema_of(table(TRAIN, interactions=["age*city"])),
        schema_of(open_stream(rows, interactions=["1*2"])),
    ):
        schema["crossing"] |= damage
        if schema["format"] != "table" and damage == {"pairs": [[1, "b"]]}:
            schema["crossing"]["pairs"] = [["a", "b"]]
        with pytest.raises(ModelError):
            open_stream("t.csv" if schema["format"] == "table" else rows, schema=schema)
    schema = schema_of(open_stream(rows, hash_bits=3)) | {"hash": {"function": "md5", "bits": 3}}
    with pytest.raises(ModelError, match="hashed by 'md5'"):
        open_stream(rows, schema=schema)
