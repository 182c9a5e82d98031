"""Words of a column of text as features, and rows divided by their length."""

from __future__ import annotations

import gzip
import re
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from regretless import _core
from regretless.data import open_stream
from regretless.data.arrow_arrays import cells_of
from regretless.data.columns import ColumnOfWords, FeatureMap, TooManyColumns, hashed
from regretless.data.csv import CsvStream
from regretless.errors import DataError, RegretlessError

REVIEWS = [
    'Good film, GOOD actors - "really" good!',
    "",
    "bad film; très bad. naïve_plot 2 stars, 2",
    "The film",
    "नमस्ते good film",
]
WORD = re.compile(r"[\w\u0900-\u097f]+")  # Python's \w lacks the vowel signs of Devanagari


def written(path: Path, reviews: list[str] = REVIEWS) -> Path:
    rows = [
        '{},"{}",{}'.format(row, text.replace('"', '""'), "yes" if row % 2 else "no")
        for row, text in enumerate(reviews)
    ]
    path.write_text("\n".join(["size,review,label", *rows]) + "\n", encoding="utf-8")
    return path


def each_isa() -> Iterator[None]:
    before = _core.isa()
    try:
        for isa in _core.isas():
            _core.use_isa(isa)
            yield
    finally:
        _core.use_isa(before)


def counted(text: str, ngrams: int) -> Counter[str]:
    """What a plain loop over the words of a cell counts."""
    words = WORD.findall(text.lower())
    each = (range(len(words) - length + 1) for length in range(1, ngrams + 1))
    return Counter(" ".join(words[start : start + length]) for length, starts in enumerate(each, 1) for start in starts)


def rows_of(stream: Any) -> list[dict[int, float]]:
    rows = []
    for batch in stream.batches():
        for row in range(len(batch)):
            one = batch.slice(row, row + 1)
            rows.append(dict(zip(np.asarray(one.indices).tolist(), one.values.tolist(), strict=True)))
    return rows


@pytest.mark.parametrize("ngrams", [1, 2, 3])
def test_words_are_counted_as_a_plain_loop_counts_them(tmp_path: Path, ngrams: int) -> None:
    """Each row has its numbers, and each of its words and short sequences with the number of times it stands there."""
    stream = open_stream(written(tmp_path / "r.csv"), text=["review"], ngrams=ngrams)
    rows = rows_of(stream)
    names = stream.feature_names()
    assert names is not None
    for number, (row, text) in enumerate(zip(rows, REVIEWS, strict=True)):
        expected = {f"review:{word}": float(count) for word, count in counted(text, ngrams).items()}
        if number:
            expected["size"] = float(number)
        assert {names[column]: value for column, value in row.items()} == expected


@settings(max_examples=40)
@example(["\u20ac", None, "a\u20ac"], 2)
@given(st.lists(st.none() | st.text("aZ_9 -\xe9\u0446\u20ac\U0001d400", max_size=90), max_size=6), st.integers(1, 3))
def test_words_are_those_of_a_plain_loop_on_every_instruction_set(cells: list[str | None], ngrams: int) -> None:
    """Wherever cells and characters end among blocks of 64 bytes, each has the words and sequences of a plain loop, and
    values are numbered as they come."""
    import pyarrow as pa

    expected = [list(counted(text or "", ngrams).elements()) for text in cells]
    for _ in each_isa():
        column = ColumnOfWords(ngrams)
        words = column.read(cells_of(pa.array(cells, pa.string())))
        read = [[column.values[code] for code in words.codes[slice(*span)]] for span in pairwise(words.ends.tolist())]
        assert list(map(sorted, read)) == list(map(sorted, expected))
        assert column.values == list(dict.fromkeys(value for row in read for value in row))


def test_words_are_numbered_in_the_order_of_the_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However the rows are cut in blocks, a word gets the next number when it first comes."""
    path = written(tmp_path / "r.csv", REVIEWS * 3 + ["a new word"])
    whole = open_stream(path, text=["review"], ngrams=2)
    rows = rows_of(whole)
    names = whole.feature_names()
    assert names is not None
    firsts = [name.split(":")[1] for name in names[1:]]
    words = [word for text in [*REVIEWS, "a new word"] for word in counted(text, 1)]
    assert [name for name in firsts if " " not in name] == list(dict.fromkeys(words))
    monkeypatch.setattr("regretless.data.csv.SMALLEST", 16)
    monkeypatch.setattr("regretless.data.csv.BYTES_PER_COLUMN", 1)
    monkeypatch.setattr("regretless.data.delimited.SMALLEST", 16)
    cut = open_stream(path, text=["review"], ngrams=2)
    assert len(list(cut.batches())) > 3
    assert (rows_of(cut), cut.feature_names()) == (rows, names)


def test_words_get_numbers_in_the_order_of_rows_that_are_learned() -> None:
    """A word that was read in a row that was passed over gets its number where it comes again: after words before it
    there, and none as long as it does not come."""
    import pyarrow as pa

    column, columns = ColumnOfWords(1), FeatureMap()
    columns.settle({"review": "words"})
    passed_over = column.read(cells_of(pa.array(["late", "good"]))).only(np.array([False, True]))
    columns.learn({}, {"review": passed_over})
    assert columns.feature_names() == ["review:good"]
    columns.learn({}, {"review": column.read(cells_of(pa.array(["film late"])))})
    assert columns.feature_names() == ["review:good", "review:film", "review:late"]


def test_long_words_among_sequences_are_known_however_many_came_after_them() -> None:
    """Words of more than 16 letters, and pairs of them, that were read before a thousand others are not new again."""
    import pyarrow as pa

    column = ColumnOfWords(2)
    cells = cells_of(pa.array([f"averyverylongword{number} anotherlongword{number}" for number in range(500)]))
    codes = column.read(cells).codes.copy()
    assert len(column.values) == 1000 + 500
    np.testing.assert_array_equal(column.read(cells).codes, codes)
    assert len(column.values) == 1000 + 500


@pytest.mark.parametrize("limit", [4, 6, 7, 8, 9, 10])
def test_words_end_at_the_limit_as_on_the_plain_path(limit: int) -> None:
    """One column of text alone, whose words are numbered all at once, has the features, or the error, that it has
    where they are numbered one by one."""
    import pyarrow as pa

    def numbered(plain: bool) -> tuple[str, list[str] | None]:
        column, columns, end = ColumnOfWords(2), FeatureMap(limit=limit), ""
        columns.settle({"size": "number", "review": "words"})
        with pytest.MonkeyPatch.context() as patch:
            if plain:
                patch.setattr(FeatureMap, "_learn_words", lambda self, name, words: False)
            try:
                for text in ("good film", "a good film", "bad film good"):
                    columns.learn({}, {"review": column.read(cells_of(pa.array([text])))})
            except TooManyColumns as error:
                end = str(error)
        return end, columns.feature_names()

    end, names = numbered(plain=False)
    assert (end, names) == numbered(plain=True)
    assert (end == "") == (limit >= 9)
    assert names is not None
    assert len(names) == min(limit, 9)


@pytest.mark.parametrize("limit", ["REMEMBERED_WORDS", "REMEMBERED_LETTERS", ""])
def test_words_of_any_length_are_distinguished(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str) -> None:
    """Words that differ in one letter, of 1 to 40 letters, are features of their own in every block, whether or not
    the words of the blocks before are remembered."""
    if limit:
        monkeypatch.setattr(f"regretless.data.columns.{limit}", 0)
    monkeypatch.setattr("regretless.data.csv.SMALLEST", 64)
    monkeypatch.setattr("regretless.data.delimited.SMALLEST", 64)
    monkeypatch.setattr("regretless.data.csv.BYTES_PER_COLUMN", 1)
    lengths = [*range(1, 19), 24, 25, 40]
    words = [word for length in lengths for word in ("a" * length, "a" * (length - 1) + "b", "c" + "a" * length)]
    reviews = [" ".join([word, *words[:place]]) for place, word in enumerate(words)]
    stream = open_stream(written(tmp_path / "r.csv", reviews), text=["review"])
    rows, names = rows_of(stream), stream.feature_names()
    assert names is not None
    assert [name for name in names if ":" in name] == [f"review:{word}" for word in words]
    for row, text in zip(rows, reviews, strict=True):
        counts = {names[column]: value for column, value in row.items() if ":" in names[column]}
        assert counts == {f"review:{word}": count for word, count in counted(text, 1).items()}


@pytest.mark.parametrize(("length", "different"), [(15, 60), (48, 60), (49, 60), (300, 60), (48, 2), (300, 2)])
def test_columns_of_long_rows_ascend(tmp_path: Path, isa: str, length: int, different: int) -> None:
    """However many words a row has, its columns ascend, none comes twice, and a repeated word is counted."""
    rng = np.random.default_rng(length)
    reviews = [" ".join(f"w{word}" for word in rng.integers(0, different, length)) for _ in range(4)]
    stream = open_stream(written(tmp_path / "r.csv", reviews), text=["review"])
    (batch,) = stream.batches()
    names = stream.feature_names()
    assert names is not None
    for row, text in enumerate(reviews):
        one = batch.slice(row, row + 1)
        columns = np.asarray(one.indices)
        assert (np.diff(columns) > 0).all()
        counts = {names[c]: value for c, value in zip(columns, one.values, strict=True) if names[c] != "size"}
        assert counts == {f"review:{word}": count for word, count in counted(text, 1).items()}


def test_names_without_end_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Long words that all differ, of --text or of a category, end with an error once their names take more than is
    allowed, and not with all memory; hashed, and as many as have room, they are read. A file that is not compressed
    has room for eight times its size."""
    words = [f"{'x' * 900}{k}" for k in range(30)]
    plain = written(tmp_path / "r.csv", words)
    path = tmp_path / "r.csv.gz"
    path.write_bytes(gzip.compress(plain.read_bytes()))
    for text in (["review"], []):
        monkeypatch.setenv("REGRETLESS_MAX_MEMORY", "20K")
        assert len(rows_of(open_stream(plain, text=text))) == 30
        with pytest.raises(RegretlessError, match=r"names of the features take .* 'review'; hash them .*MAX_MEMORY"):
            list(open_stream(path, text=text).batches())
        monkeypatch.setattr("regretless.data.columns.REMEMBERED_LETTERS", 1000)
        assert len(rows_of(open_stream(path, text=text, hash_bits=6))) == 30
        monkeypatch.setenv("REGRETLESS_MAX_MEMORY", "40K")
        assert len(rows_of(open_stream(path, text=text))) == 30


def test_names_that_a_model_has_are_not_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What goes on with a schema has room for its names, and for new ones in proportion to its own file."""
    first = open_stream(written(tmp_path / "r.csv", [f"{'x' * 900}{k}" for k in range(30)]), text=["review"])
    rows_of(first)
    monkeypatch.setenv("REGRETLESS_MAX_MEMORY", "20K")
    onwards = open_stream(written(tmp_path / "o.csv", ["unheard"]), schema=first.schema())
    assert rows_of(onwards) == [{31: 1.0}]
    sequences = written(tmp_path / "s.csv", [" ".join(f"{'y' * 90}{k}" for k in range(300))])
    with pytest.raises(RegretlessError, match="names of the features take"):
        rows_of(open_stream(sequences, text=["review"], ngrams=5))


@pytest.mark.parametrize("other", ["", "ab"])
@pytest.mark.parametrize("hash_bits", [None, 6])
def test_a_column_of_words_without_any_has_words_later(tmp_path: Path, other: str, hash_bits: int | None) -> None:
    """A column of --text with no value at all is read beside others, and words that come later are new words of it."""
    (tmp_path / "k.csv").write_text(f"t,u,b,label\n,{other},1,p\n,,2,n\n")
    first = open_stream(tmp_path / "k.csv", text=["t", "u"], hash_bits=hash_bits)
    assert [len(row) for row in rows_of(first)] == [1 + bool(other), 1]
    (tmp_path / "m.csv").write_text("t,u,b,label\nok then,,1,p\n,,2,n\n")
    onwards = open_stream(tmp_path / "m.csv", schema=first.schema())
    assert [len(row) for row in rows_of(onwards)] == [3, 1]
    if hash_bits is None:
        assert onwards.feature_names() == ["b", *([f"u:{other}"] if other else []), "t:ok", "t:then"]


@pytest.mark.parametrize("text", [["t"], ["t", "u"]])
def test_a_parquet_column_of_words_may_have_none(tmp_path: Path, text: list[str]) -> None:
    """A column of strings that are all missing is one of words without any."""
    import pyarrow as pa
    from pyarrow import parquet

    nothing = pa.array([None, None], pa.string())
    parquet.write_table(pa.table({"t": nothing, "u": nothing, "b": [1, 2], "y": [0, 1]}), tmp_path / "k.parquet")
    stream = open_stream(tmp_path / "k.parquet", text=text, target="y", categorical={"t", "u"} - set(text))
    assert rows_of(stream) == [{0: 1.0}, {0: 2.0}]


def test_hashed_words_get_the_hash_of_their_name(tmp_path: Path) -> None:
    """With a hash the column of a word is that of ``review:word``, and words that share one are added up."""
    stream = open_stream(written(tmp_path / "r.csv"), text=["review"], hash_bits=3)
    for number, (row, text) in enumerate(zip(rows_of(stream), REVIEWS, strict=True)):
        expected = Counter({hashed("size", 3): float(number)} if number else {})
        for word, count in counted(text, 1).items():
            expected[hashed(f"review:{word}", 3)] += count
        assert row == expected


def test_a_schema_goes_on_and_a_frozen_one_passes_over_new_words(tmp_path: Path) -> None:
    """What continues a schema numbers the same words the same, knows the sequences, and if frozen no other word."""
    first = open_stream(written(tmp_path / "r.csv"), text=["review"], ngrams=2)
    rows = rows_of(first)
    again = open_stream(tmp_path / "r.csv", schema=first.schema(), frozen=True)
    assert rows_of(again) == rows
    other = open_stream(written(tmp_path / "o.csv", ["unheard film"]), schema=first.schema(), frozen=True)
    names = first.feature_names()
    assert names is not None
    assert rows_of(other) == [{names.index("review:film"): 1.0}]
    onwards = open_stream(tmp_path / "o.csv", schema=first.schema())
    rows_of(onwards)
    assert onwards.feature_names() == [*names, "review:unheard", "review:unheard film"]


def test_arrow_files_have_the_same_words(tmp_path: Path) -> None:
    """A Parquet file with the same cells, plain or as a dictionary, gives the rows of the text file."""
    import pyarrow as pa
    from pyarrow import feather, parquet

    rows = rows_of(open_stream(written(tmp_path / "r.csv"), text=["review"]))
    cells = pa.array([text or None for text in REVIEWS])
    for column in (cells, cells.dictionary_encode(), cells.cast("string_view")):
        table = {"size": range(len(REVIEWS)), "review": column, "label": ["no", "yes"] * 2 + ["no"]}
        feather.write_feather(pa.table(table), str(tmp_path / "r.feather"))
        parquet.write_table(pa.table({**table, "review": cells}), tmp_path / "r.parquet")
        for path in (tmp_path / "r.parquet", *tmp_path.glob("*.feather")):
            assert rows_of(open_stream(path, text=["review"])) == rows


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"text": ["nothing"]}, "there is no column 'nothing'"),
        ({"text": ["label"], "target": "label"}, "names the target 'label'; leave it out of --text"),
        ({"text": ["review"], "ngrams": 6}, "it must be at least 1 and at most 5"),
        ({"text": ["review"], "categorical": ["review"]}, "it is to be taken for names by categorical"),
        ({"text": ["review"], "ignore": ["review"]}, "text='review': ignore leaves it out"),
        ({"categorical": ["stars"], "ignore": ["stars"]}, "categorical='stars': ignore leaves it out"),
        (
            {"text": ["review"], "interactions": ["size*stars"]},
            "no products are made in a table with columns of words ('review')",
        ),
    ],
)
def test_what_cannot_be_words_is_an_error(tmp_path: Path, options: dict[str, Any], text: str) -> None:
    """A column that is not there, the target, or one that is asked for in two ways is refused."""
    with pytest.raises(RegretlessError, match=re.escape(text)):
        list(open_stream(written(tmp_path / "r.csv"), **options).batches())


def test_a_model_of_words_refuses_other_sequences(tmp_path: Path) -> None:
    """A schema of single words cannot go on with pairs, nor a column of names as one of words."""
    path = written(tmp_path / "r.csv")
    words, names = open_stream(path, text=["review"]), open_stream(path)
    for stream in (words, names):
        list(stream.batches())
    with pytest.raises(RegretlessError, match="it was 1 in the file"):
        open_stream(path, schema=words.schema(), ngrams=2)
    with pytest.raises(RegretlessError, match="it was none of words"):
        open_stream(path, schema=names.schema(), text=["review"])


def test_bytes_that_are_no_text_are_found(tmp_path: Path) -> None:
    """A cell of words that is not UTF-8 is an error with its line."""
    path = written(tmp_path / "r.csv")
    path.write_bytes(path.read_bytes().replace("très".encode(), b"tr\xe8s"))
    with pytest.raises(DataError, match=r"r\.csv:4:.*UTF-8 text is expected"):
        list(CsvStream(path, text=["review"]).batches())
    stream = CsvStream(path, text=["review"], on_error="skip")
    assert len(rows_of(stream)) == len(REVIEWS) - 1
    assert stream.skipped == 1


@pytest.mark.parametrize("format", ["csv", "svmlight"])
def test_normalized_rows_have_length_one(tmp_path: Path, format: str) -> None:
    """Every row is what it was, divided by its length, and a row of zeros stays one; large numbers do not overflow."""
    rng = np.random.default_rng(1)
    values = rng.normal(size=(50, 4)) * 10.0 ** rng.integers(-100, 100, size=(50, 1))
    values[7], values[8] = 0, [3e200, 0, 4e200, 0]
    path = tmp_path / f"t.{format}"
    if format == "csv":
        lines = ["a,b,c,d,label", *(",".join([*map(repr, row.tolist()), "1"]) for row in values)]
    else:
        lines = ["1 " + " ".join(f"{k + 1}:{x!r}" for k, x in enumerate(row.tolist()) if x) for row in values]
    path.write_text("\n".join(lines) + "\n")
    stream = open_stream(path, normalize=True)
    rows = np.zeros((50, 4))
    for number, batch in enumerate(stream.batches()):
        assert not number
        if batch.starts is None:
            rows[:] = batch.values
        else:
            rows[np.repeat(np.arange(50), np.diff(batch.starts)), np.asarray(batch.indices)] = batch.values
    largest = np.abs(values).max(axis=1, keepdims=True)
    scaled = values / np.where(largest, largest, 1)
    lengths = np.linalg.norm(scaled, axis=1, keepdims=True)
    np.testing.assert_allclose(rows, scaled / np.where(lengths, lengths, 1), rtol=1e-14)
    np.testing.assert_array_equal(rows[7], 0)
    np.testing.assert_allclose(rows[8], [0.6, 0, 0.8, 0])
    assert next(iter(open_stream(path, schema=stream.schema()).batches())).values.tolist() == batch.values.tolist()
    with pytest.raises(RegretlessError, match="learned from rows as they are"):
        open_stream(path, schema=open_stream(path).schema(), normalize=True)
