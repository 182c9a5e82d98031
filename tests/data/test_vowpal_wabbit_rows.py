"""Vowpal Wabbit's text of labelled rows: what its lines mean, what is refused, and what is written."""

from __future__ import annotations

import re
import resource
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from regretless import _core
from regretless.data import open_stream, vowpal_wabbit, vowpal_wabbit_rows, write_vowpal_wabbit
from regretless.data.vowpal_wabbit import FeatureColumns
from regretless.data.vowpal_wabbit_rows import PlainRows
from regretless.errors import RegretlessError


def dense(stream) -> tuple[np.ndarray, list]:
    """All rows as a table, and their labels."""
    rows, labels = [], []
    for batch in stream.batches():
        for row, label in enumerate(batch.labels.tolist()):
            one = np.zeros(64)
            one[batch.indices[batch.starts[row] : batch.starts[row + 1]]] = batch.slice(row, row + 1).values
            rows.append(one)
            labels.append(label)
    return np.array(rows), labels


def written(tmp_path, text: str) -> str:
    path = tmp_path / "rows.vw"
    path.write_text(text, encoding="utf-8", newline="")
    return str(path)


def test_labels_namespaces_weights_and_tags(tmp_path):
    """A namespace's weight multiplies its values, what stands twice is added up, and tags are passed over."""
    text = "1 'first|a:2 x:3 y |b x\n-1 1.0 tag| z z:2\n\n1 1 |a x:-1\n"
    stream = open_stream(written(tmp_path, text))
    rows, labels = dense(stream)
    assert stream.feature_names() == ["a^x", "a^y", "b^x", "z"]
    assert rows[:, :4].tolist() == [[6, 2, 1, 0], [0, 0, 0, 3], [-1, 0, 0, 0]]
    assert labels == [1, -1, 1]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("1 2.0 | x", "rows.vw:2:1: the weight '2.0'"),
        ("1 1 0.5 | x", "the initial prediction '0.5'"),
        ("1:0.5:0.5 | x", "costs of actions where a label is expected"),
        ("1:2:0.5 | x", "rows.vw:2:1: costs of actions where a label is expected; this is a line of decisions"),
        ("shared | x", "which explore and evaluate read"),
        ("| x", "no label"),
        ("nan | x", "labels must be finite"),
        ("1 | x:far", "a finite number is expected"),
        ("1 x", "no bar"),
    ],
)
def test_what_is_not_read_is_refused_with_its_line(tmp_path, line, message):
    """Weights, initial predictions, decisions and malformed lines are refused by line, after the good rows before them,
    and passed over and counted where that is asked for."""
    path = written(tmp_path, f"1 | x\n{line}\n-1 | y\n")
    batches = open_stream(path).batches()
    assert next(batches).labels.tolist() == [1]
    with pytest.raises(RegretlessError, match=f"{re.escape(message)}.*--on-error skip passes over such rows"):
        next(batches)
    stream = open_stream(path, on_error="skip")
    assert dense(stream)[1] == [1, -1]
    assert stream.skipped == 1


def test_products_and_tables_are_refused(tmp_path):
    """Options of tables say that they have no meaning in the format."""
    with pytest.raises(RegretlessError, match="interactions has no meaning in the format vw"):
        open_stream(written(tmp_path, "1 | x\n"), interactions=["x*y"])


@pytest.mark.parametrize("bits", [None, 6])
def test_a_stream_goes_on_with_the_columns_of_another(tmp_path, bits):
    """A schema gives the same columns to a file in another order, and new features none where it is frozen."""
    first = open_stream(written(tmp_path, "1 |a x y\n"), hash_bits=bits)
    known, _ = dense(first)
    (tmp_path / "more.vw").write_text("|b new |a y x\n")
    stream = open_stream(tmp_path / "more.vw", schema=first.schema(), frozen=True)
    (batch,) = stream.batches()
    assert batch.labels is None
    if bits is None:
        assert batch.indices.tolist() == np.flatnonzero(known[0]).tolist()
    assert set(np.flatnonzero(known[0])) <= set(batch.indices.tolist())


def test_what_is_written_is_read_again(tmp_path):
    """Rows of a table, and of the format itself, come back with the same values, to the bit; words as numbers."""
    (tmp_path / "rows.csv").write_text("size,town,y\n0.1,Rome,a\n-3e-7,San José,b\n2,Rome,a\n")
    table = open_stream(tmp_path / "rows.csv", target="y")
    assert write_vowpal_wabbit(table, tmp_path / "out.vw") == (3, {"a": -1, "b": 1})
    rows, labels = dense(open_stream(tmp_path / "out.vw"))
    assert labels == [-1, 1, -1]
    assert rows[:, :3].tolist() == [[0.1, 1, 0], [-3e-7, 0, 1], [2, 1, 0]]
    text = "1 |a x:0.1 y |b z:3\n-1.5 | w\n"
    write_vowpal_wabbit(open_stream(written(tmp_path, text)), tmp_path / "again.vw")
    assert (tmp_path / "again.vw").read_text() == "1 |a x:0.1 y |b z:3.0\n-1.5 | w\n"


@pytest.mark.parametrize("line", [3, 1030])
def test_a_word_among_numbers_is_refused_with_its_line(tmp_path, line):
    """A word where the first label is a number is an error of its line wherever it stands, or passed over if asked for;
    where the first label is a word, numbers are words as they are written."""
    lines = ["1 | x", "-1 | y"] * 600
    lines[line - 1] = "a | x"
    path = written(tmp_path, "\n".join(lines))
    with pytest.raises(RegretlessError, match=f"rows.vw:{line}:1: the label 'a'; a number is expected"):
        list(open_stream(path).batches())
    stream = open_stream(path, on_error="skip")
    assert {label for batch in stream.batches() for label in batch.labels.tolist()} == {-1.0, 1.0}
    assert stream.skipped == 1
    for text in ("a | x\n1 | x\n" * 600, "a | x\n" * 1024 + "1 | x\n" * 1024):
        words = open_stream(written(tmp_path, text))
        assert {label for batch in words.batches() for label in batch.labels.tolist()} == {"a", "1"}


def test_a_line_has_a_longest_length(tmp_path, monkeypatch):
    """A usual line that is longer than lines may be is refused with its number, and with as many bytes it is read."""
    path = written(tmp_path, "1 | y\n-1 | " + "x " * 500 + "\n")
    expected = "rows.vw:2: a line of more than 1,005 bytes begins here; rows on lines of their own are expected"
    for longest, fault in (1006, ""), (1005, expected):
        for module in (vowpal_wabbit, vowpal_wabbit_rows):
            monkeypatch.setattr(module, "LONGEST_ROW", longest)
        assert all_of(path)[2] == f"{path.removesuffix('rows.vw') + fault if fault else ''} 0 []"


def test_a_text_without_ends_of_lines_is_not_read_whole(monkeypatch):
    """Of a line that is too long no more is read than shows that it is."""
    monkeypatch.setattr(vowpal_wabbit, "LONGEST_ROW", 1 << 16)
    (line,) = vowpal_wabbit.lines_of_text(BytesIO(b"x " * (2 << 20)))
    assert 1 << 16 < len(line) < 2 << 20


def test_words_as_labels_are_written_as_numbers(tmp_path):
    """Three words become 1 to 3 in their order, without a change of the values; nothing is written of a file that has
    a word after numbers."""
    written_rows = write_vowpal_wabbit(open_stream(written(tmp_path, "c | x\na | x\nb | x\n")), tmp_path / "out.vw")
    assert written_rows.labels == {"a": 1, "b": 2, "c": 3}
    assert (tmp_path / "out.vw").read_text() == "3 | x\n1 | x\n2 | x\n"
    late = written(tmp_path, "1 | x\n" * 1024 + "a | x\n")
    with pytest.raises(RegretlessError, match=r"rows\.vw:1025:1: the label 'a'"):
        write_vowpal_wabbit(open_stream(late), tmp_path / "late.vw")
    assert not (tmp_path / "late.vw").exists()


def test_shards_need_a_hash(tmp_path):
    """Shards in which features come in another order each are refused, and with a hash they have the same columns."""
    from regretless.distributed import files, mix
    from regretless.linear import Perceptron

    for name, text in {"one": "1 | a\n-1 | b\n", "two": "-1 | b\n1 | a\n"}.items():
        (tmp_path / f"{name}.vw").write_text(text * 4)
    paths = [str(tmp_path / "one.vw"), str(tmp_path / "two.vw")]
    with pytest.raises(RegretlessError, match="no common columns over shards; hash them"):
        mix(Perceptron(), files(paths))
    learner = mix(Perceptron(), files(paths, hash_bits=6), epochs=3).learner
    rows, labels = dense(open_stream(paths[1], hash_bits=6))
    assert learner.predict(rows).tolist() == labels


PIECES = ["1", "-1", "0.5", "yes", " ", "  ", "|", "| ", "|n ", "|n:2 ", "a", "b:2", "a:-0", "a:0.25", ":", "a:b:3"]
PIECES += ["é", "\t", "\n", "\r\n", "'t", "1.0", "x:1e400", "x:1_0", "x:nan", "shared", "\u00a0", "\ufeff"]
FROZEN = {"schema": {"format": "vw", "features": ["a", "n^b", "n^a"], "bits": None}, "frozen": True}
USUAL = ["\n1 | ", "\n-1 1.0 t|n ", "\n2 'one|n:-3 a ", "a ", "b:2 ", "a:0.25 ", "é:3 ", "|m:0.5 ", "|", "a:-0 "]


def all_of(path: str, **how) -> tuple[list, list | None, str]:
    """All that a reading gives, to the last bit, what the features are called, and how it ends."""
    stream, parts, end = open_stream(path, **how), [], ""
    try:
        for batch in stream.batches():
            arrays = batch.values, batch.labels, batch.indices, batch.starts
            parts.append([batch.columns, *((array.dtype, array.tobytes()) for array in arrays)])
    except RegretlessError as error:
        end = str(error)
    return parts, stream.feature_names(), f"{end} {stream.skipped} {stream.first_errors}"


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.sampled_from(PIECES), max_size=30) | st.lists(st.sampled_from(USUAL), max_size=60),
    st.sampled_from([{}, {"on_error": "skip"}, {"hash_bits": 3}, {"dtype": "float32"}, FROZEN]),
)
def test_usual_lines_are_read_as_a_loop_over_their_words_reads_them(tmp_path, isas, pieces, how):
    """On every instruction set the compiled reader and the loop in Python give the same batches, names and errors."""
    path = written(tmp_path, "".join(pieces))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(vowpal_wabbit_rows, "ROWS", 3)
        compiled = []
        for isa in isas:
            _core.use_isa(isa)
            compiled.append(all_of(path, **how))
        patch.setattr(PlainRows, "batch", lambda self, text: None)
        assert compiled == [all_of(path, **how)] * len(isas)


HEADS = ["1 ", "-1.5 ", "  2e3  ", "1 1 ", "1 1.0 ", "+1 tag", "1 'tag", "1 'tag ", "1 1 'tag ", "1 1.0 a'b", "1 '"]
TAILS = ["|", "| ", "| a", "| a:2  b:-0.5e1 ", "|n a", "|n:2 a:3", "|n:.5 a |m b", "| a:b:3", "| é:2", "|n||m a", "|n"]


def test_usual_lines_are_not_left_to_the_loop():
    """Labels that are numbers, weights of 1, tags in quotes or at the bar, namespaces with weights and other alphabets
    are read compiled, each line alone and all together."""
    reader, lines = PlainRows(FeatureColumns(), np.dtype(float)), [f"{a}{b}\n".encode() for a in HEADS for b in TAILS]
    assert [line for line in lines if reader.batch(line) is None] == []
    assert len(reader.batch(b"".join(lines))) == len(lines)


@pytest.mark.parametrize(
    "text",
    [
        *("yes | a\n", "1 |\ta\n", "1 | a", "1 2 | a\n", "1 | a:\n", "1 | :2\n", "1 |:2 a\n", "\n", "1\u00a0| a\n"),
        *("1 tag | a\n", "1 1 1 'tag | a\n", "1 a:b| a\n", "1 'tag' 1 | a\n", "| a\n", "'tag | a\n"),
    ],
)
def test_unusual_lines_are_left_to_the_loop(text):
    """Words as labels, weights, tabs, a lacking end of line and all that is wrong are not read compiled."""
    assert PlainRows(FeatureColumns(), np.dtype(float)).batch(text.encode()) is None


@pytest.mark.parametrize("line", [b"1 | a\xff b\n", b"1 'tag\xe9| a\n", b"1 | a\xed\xa0\x80\n"])
def test_bytes_that_are_no_utf8_are_refused_with_their_line(tmp_path, line):
    """The good rows before them come first, no name of theirs becomes a column, and names after them have theirs."""
    path = tmp_path / "rows.vw"
    path.write_bytes(b"1 | a\n1 | b:2\n" + line + b"1 | c\n")
    parts, names, end = all_of(path)
    assert (len(parts), names, end.split(";")[0]) == (1, ["a", "b"], f"{path}:3: this is not UTF-8 text")
    passing = open_stream(path, on_error="skip")
    assert dense(passing)[0][:, :3].tolist() == [[1, 0, 0], [0, 2, 0], [0, 0, 1]]
    assert passing.skipped == 1


def test_a_compiled_reader_takes_text_alone():
    """Names are slices of text, which bytes are not before they are decoded."""
    reader = _core.VowpalRows()
    for wrong in (b"1 | a\n", "1 | \udcff\n"):
        with pytest.raises(TypeError):
            reader.read(wrong)
    assert reader.read("1 | a\n")[-1] == ["a"]


def readers_of(path: str, remembered: int, **how) -> tuple[tuple, list[int]]:
    """What a reading gives where readers may remember so many bytes, and how many names each of them has seen."""
    sizes = []

    class CountedRows:
        def __init__(self) -> None:
            self._reader, self._place = _core.VowpalRows(), len(sizes)
            sizes.append(0)

        def read(self, text):
            read = self._reader.read(text)
            sizes[self._place] += len(read[-1])
            return read

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(vowpal_wabbit_rows, "VowpalRows", CountedRows)
        patch.setattr(vowpal_wabbit_rows, "ROWS", 2)
        patch.setattr(vowpal_wabbit_rows, "REMEMBERED_BYTES", remembered)
        return all_of(path, **how), sizes


@pytest.mark.parametrize("how", [{"hash_bits": 8}, FROZEN])
def test_names_that_are_no_columns_are_not_remembered_without_end(tmp_path, how):
    """However many names a text has, the reader holds few that are hashed or unknown, and gives the same bits as one
    that holds all of them; long names count for their letters."""
    text = "".join(f"1 | a b{row} a{row % 5}:2 |n b:3 a b\n" for row in range(200))
    path = written(tmp_path, text)
    few, sizes = readers_of(path, 40 * 160, **how)
    assert max(sizes) <= 40 + 2 * 6
    assert few == readers_of(path, 1 << 30, **how)[0]
    sizes = readers_of(written(tmp_path, text.replace("b", "b" * 1000)), 40 * 160, **how)[1]
    assert max(sizes) <= 6 + 2 * 6


def test_names_that_are_columns_are_looked_up_once(tmp_path):
    """Columns are held anyway: a text that makes them, or has no others, is read by one reader to its end."""
    path = written(tmp_path, "".join(f"1 | a{row} b\n" for row in range(20)))
    made, sizes = readers_of(path, 0)
    assert (len(made[1]), sizes) == (21, [21])
    schema = {"format": "vw", "features": made[1], "bits": None}
    assert readers_of(path, 0, schema=schema, frozen=True)[1] == [21]


def test_features_of_long_namespaces_are_distinguished():
    """Names that are looked up together have the numbers in which they come, however long their namespace is."""
    _, _, codes, _, names = _core.VowpalRows().read("1 |" + "n" * 30_000 + " a b a c d b e\n")
    assert [name[-3:] for name in names] == ["n^a", "n^b", "n^c", "n^d", "n^e"]
    assert codes.tolist() == [0, 1, 0, 2, 3, 1, 4]


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="the memory of a process is read as Linux says it")
def test_labels_hold_no_room_of_their_text():
    """Labels of one byte in a million hold less than a tenth of the text's memory while they are in use."""
    text, reader, held = "1 | " + "x" * 1_000_000 + "\n", _core.VowpalRows(), []
    reader.read(text)
    before = int(Path("/proc/self/statm").read_text().split()[1])
    for _ in range(20):
        held.append(reader.read(text)[0])
    pages = int(Path("/proc/self/statm").read_text().split()[1]) - before
    assert pages * resource.getpagesize() < 2_000_000


@pytest.mark.parametrize("length", [3, 32, 33, 90])
def test_features_are_put_in_the_order_of_their_columns(isas, length):
    """However long rows are, features of one column are added up in the order of the text, those of none left out."""
    random = np.random.default_rng(length)
    codes, columns = random.integers(0, 60, 4 * length).astype(np.int32), random.permutation(50).astype(np.int32) - 1
    values, ends = random.normal(size=4 * length) * 10.0 ** random.integers(-9, 9, 4 * length), [0, length, length]
    ends = np.array([*ends, 3 * length, 4 * length])
    for isa in isas:
        _core.use_isa(isa)
        out, indices, starts = _core.columns_of(values, codes, ends, columns)
        for row in range(4):
            sums: dict[int, float] = {}
            for k in range(ends[row], ends[row + 1]):
                if codes[k] < 50 and columns[codes[k]] >= 0:
                    sums[columns[codes[k]]] = sums.get(columns[codes[k]], 0.0) + values[k]
            part = slice(starts[row], starts[row + 1])
            assert list(zip(indices[part], out[part], strict=True)) == sorted(sums.items())
