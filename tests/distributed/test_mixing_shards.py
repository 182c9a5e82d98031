"""Shards: which files a pattern stands for, what may be a shard, and errors that name the one that is wrong."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regretless.data import open_stream
from regretless.data.arrays import ArrayStream
from regretless.data.batch import Batch
from regretless.distributed import arrays, calls, files, mix
from regretless.distributed.paths import natural, paths_of
from regretless.distributed.sources import shards_of
from regretless.errors import DataError, RegretlessError
from regretless.linear import Perceptron

from ..data.mixed_data import fail, pairs, read_pair, write_svm

# ---- which files


def test_numbers_in_names_count_as_numbers(tmp_path: Path) -> None:
    """A pattern gives part-2 before part-10, in whatever order the folder lists them."""
    paths = write_svm(tmp_path, pairs(11))
    assert [shard.name for shard in files(str(tmp_path / "part-*.svm"))] == paths
    assert [shard.name for shard in files(list(reversed(paths)))] == paths


@given(st.lists(st.integers(0, 10**30), min_size=2, unique=True), st.sampled_from(["part-{}", "{}", "a{}b{}"]))
def test_natural_order_is_that_of_the_numbers(numbers: list[int], form: str) -> None:
    """Names that differ in a number alone are in the order of the numbers, however long these are."""
    names = [form.format(number, number) for number in numbers]
    assert sorted(names, key=natural) == [form.format(number, number) for number in sorted(numbers)]


@given(st.text(max_size=12), st.text(max_size=12))
def test_natural_order_never_takes_two_names_for_one(left: str, right: str) -> None:
    """Any two names can be compared, and only equal ones are equal."""
    assert (natural(left) == natural(right)) == (left == right)
    assert natural(left) <= natural(right) or natural(right) <= natural(left)


def test_a_name_with_brackets_that_exists_is_no_pattern(tmp_path: Path) -> None:
    """A file called part[1].svm is found under its own name."""
    path = tmp_path / "part[1].svm"
    path.write_text("1 1:1\n")
    assert paths_of(path) == [str(path)]


def test_a_file_is_given_once(tmp_path: Path) -> None:
    """A file that is given twice is refused, also by a link or a longer path."""
    path = Path(write_svm(tmp_path, pairs(1))[0])
    link = tmp_path / "link.svm"
    link.symlink_to(path)
    for again in (path, link, tmp_path / "." / ".." / tmp_path.name / path.name):
        with pytest.raises(DataError, match="given twice"):
            files([path, again])


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("{}", "this is a folder; give the files in it"),
        ("{}/*.nothing", "no file matches"),
        ([], "there are no files"),
        ("-", "standard input"),
        (["{}/part-1.svm", "-"], "standard input"),
    ],
)
def test_what_is_no_file_is_refused(source: Any, words: str, tmp_path: Path) -> None:
    """Folders, patterns of nothing, empty lists and standard input are refused, and the message says what to give."""
    write_svm(tmp_path, pairs(1))
    fill: Callable[[str], str] = lambda text: text.format(tmp_path)  # noqa: E731
    with pytest.raises(RegretlessError, match=words):
        files(fill(source) if isinstance(source, str) else [fill(one) for one in source])


def test_options_of_reading_are_checked(tmp_path: Path) -> None:
    """An option that no file takes is refused with those that are, and so is the schema, which is found."""
    path = write_svm(tmp_path, pairs(1))
    for option in ("colour", "schema", "cache"):
        with pytest.raises(RegretlessError, match=f"{option}=.*target"):
            files(path, **{option: None})


def test_relative_paths_are_found_from_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A shard that was named by a relative path keeps that name, and is opened from another folder too."""
    write_svm(tmp_path, pairs(1))
    monkeypatch.chdir(tmp_path)
    (shard,) = files("part-1.svm")
    assert shard.name == "part-1.svm"
    monkeypatch.chdir(os.sep)
    assert sum(len(batch) for batch in shard.open(None).batches()) == 60


# ---- what may be a shard


def test_anything_that_stands_for_shards_is_taken(tmp_path: Path) -> None:
    """Patterns, paths, pairs, functions and shards themselves give the same weights for the same rows."""
    parts = [read_pair(seed) for seed in range(3)]
    paths = write_svm(tmp_path, parts)
    streams = [partial(open_stream, path) for path in paths]
    forms = [str(tmp_path / "*.svm"), paths, map(Path, paths), parts, [partial(read_pair, seed) for seed in range(3)]]
    forms += [streams, files(paths), arrays(iter(parts))]
    weights = [mix(Perceptron(), form, epochs=2).learner.coef_ for form in forms]
    assert all(np.array_equal(one, weights[0]) for one in weights)


@pytest.mark.parametrize("source", [3, [], [3], ["a.svm", 3], [(1, 2, 3)], None])
def test_other_things_are_no_shards(source: Any) -> None:
    """Numbers, nothing, mixtures of kinds and triples are refused."""
    with pytest.raises(RegretlessError):
        shards_of(source)


def test_rows_and_labels_of_one_shard_are_refused_and_a_pair_expected() -> None:
    """Who gives (X, y) where a list of such pairs is expected is advised to give [(X, y)]."""
    X, y = pairs(1)[0]
    for rows, labels in [(X, y), (X.tolist(), y.tolist())]:
        with pytest.raises(RegretlessError, match=r"give \[\(X, y\)\]"):
            mix(Perceptron(), (rows, labels))


def test_rows_in_memory_are_known_again_in_every_form() -> None:
    """Dense rows in whatever form have one fingerprint, with their shape; other rows have another."""
    X, y = pairs(1)[0]
    frame = pytest.importorskip("pandas").DataFrame(X)
    frame.columns = frame.columns.astype(str)
    forms = [X, X.tolist(), frame, Batch(X, None, X.shape[1])]
    if arrow := pytest.importorskip("pyarrow"):
        forms.append(arrow.Table.from_pandas(frame))
    names = {arrays([(form, y)])[0].fingerprint() for form in forms}
    assert len(names) == 1
    assert str(names.pop()).startswith(f"{len(X)} rows of {X.shape[1]} features, ")
    sparse = pytest.importorskip("scipy.sparse").coo_array(X)
    others = [(sparse, y), (X, -y), (X[:-1], y[:-1]), (X[::-1], y)]
    prints = [arrays([other])[0].fingerprint() for other in others]
    assert None not in prints
    assert len(set(prints)) == 4
    assert arrays([(X, y[:-1])])[0].fingerprint() is None


def test_shards_need_names_of_their_own() -> None:
    """The same shard twice is refused, for errors could not tell the two apart."""
    shard = arrays(pairs(1))[0]
    with pytest.raises(RegretlessError, match="shard 0 is given twice"):
        shards_of([shard, shard])


def test_names_of_columns_are_those_of_the_learner() -> None:
    """Frames give the mixed learner the names of their columns, and one with others is refused by its name."""
    pandas = pytest.importorskip("pandas")
    frames = [(pandas.DataFrame(X, columns=list("abcde")), y) for X, y in pairs(2)]
    assert mix(Perceptron(), frames).learner.feature_names_in_.tolist() == list("abcde")
    X, y = frames[1]
    with pytest.raises(DataError, match="shard 1: its columns are b, a"):
        mix(Perceptron(), [frames[0], (X[list("bacde")], y)])


def test_a_column_of_text_is_named_with_its_shard() -> None:
    """A frame with text is an error of the data that names the shard, the column and what to do."""
    pandas = pytest.importorskip("pandas")
    frames = [(pandas.DataFrame(X).rename(columns=str), y) for X, y in pairs(2)]
    frames[1][0]["colour"] = frames[0][0]["colour"] = 1.0
    for changed in ("green", pandas.Timestamp("2020-01-01")):
        shards = [frames[0], (frames[1][0].assign(colour=changed), frames[1][1])]
        with pytest.raises(DataError, match=r"^shard 1: column 'colour' holds (text, such as 'green'|datetime).*paths"):
            mix(Perceptron(), shards)
    mixed = frames[1][0].rename(columns={"colour": 7}), frames[1][1]
    with pytest.raises(DataError, match=r"^shard 1: TypeError: Feature names are only supported"):
        mix(Perceptron(), [frames[0], mixed])


def test_sparse_rows_may_be_wider_elsewhere_and_dense_ones_not() -> None:
    """Sparse matrices of different widths are learned like the widest, arrays of different widths are refused."""
    sparse = pytest.importorskip("scipy.sparse")
    (X, y), (Z, z) = pairs(2)
    X[:, 3:] = 0
    narrow = mix(Perceptron(), [(sparse.csr_matrix(X[:, :3]), y), (sparse.csr_matrix(Z), z)], epochs=2)
    assert np.array_equal(narrow.learner.coef_, mix(Perceptron(), [(X, y), (Z, z)], epochs=2).learner.coef_)
    with pytest.raises(DataError, match="shard 1: 5 columns of features; 3 are expected"):
        mix(Perceptron(), [(X[:, :3], y), (Z, z)])


# ---- errors name the shard

BROKEN = {
    "missing": (None, "there is no such file"),
    "empty": ("", "no rows"),
    "malformed": ("1 1:1\n-1 2:x\n", r":2:6: value not a number: 'x'"),
    "unlabelled": ("1:1\n", ":1"),
}


@pytest.mark.parametrize("place", [0, 2])
@pytest.mark.parametrize("kind", BROKEN)
def test_a_broken_file_is_named_and_nothing_is_written(kind: str, place: int, tmp_path: Path) -> None:
    """A missing, empty or malformed file is named, with the line if there is one, and no checkpoint is begun."""
    paths = write_svm(tmp_path, pairs(3))
    text, words = BROKEN[kind]
    Path(paths[place]).unlink()
    if text is not None:
        Path(paths[place]).write_text(text)
    with pytest.raises(DataError, match=words) as caught:
        mix(Perceptron(), paths, checkpoint=tmp_path / "model.rgl")
    assert caught.value.path == paths[place]
    assert sorted(path.suffix for path in tmp_path.iterdir() if path.suffix != ".svm") == []


def test_a_bad_row_of_an_array_names_its_shard() -> None:
    """NaN in an array, too few labels and rows that are none are reported with the number of the shard."""
    (X, y), (Z, z) = pairs(2)
    holed = Z.copy()
    holed[5, 2] = np.nan
    for bad, words in [((holed, z), "row 5, column 2"), ((Z, z[:3]), "inconsistent"), ((Z[0], z[0]), "2D")]:
        with pytest.raises(RegretlessError, match=words) as caught:
            mix(Perceptron(), [(X, y), bad])
        assert str(caught.value).startswith("shard 1: ")


def test_a_reader_that_fails_is_named() -> None:
    """What a reader raises is reported with the shard's number, the reader's name and the kind of the error."""
    with pytest.raises(DataError, match=r"shard 1 \(fail\): its reader raised OfNoModuleError: no luck"):
        mix(Perceptron(), [partial(read_pair, 0), partial(fail, "no luck")])


def test_a_reader_must_give_rows() -> None:
    """A reader that gives something else is refused with what it gave."""
    with pytest.raises(DataError, match=r"shard 0 \(int\): this is int"):
        mix(Perceptron(), calls([int]))


def test_a_reader_may_give_a_stream_of_a_file(tmp_path: Path) -> None:
    """If the file of a reader's stream is bad, both the shard and the file are named."""
    (tmp_path / "bad.svm").write_text("1 1:1\n1 x\n")
    with pytest.raises(DataError, match=r"shard 0 \(open_stream\): .*bad\.svm:2:3"):
        mix(Perceptron(), calls([partial(open_stream, tmp_path / "bad.svm")]))


def test_streams_without_labels_teach_nothing() -> None:
    """A reader whose rows have no labels is refused by its name."""
    with pytest.raises(RegretlessError, match=r"shard 0 \(ArrayStream\).*labels"):
        mix(Perceptron(), calls([partial(ArrayStream, np.ones((3, 2)))]))


def test_a_pipe_is_no_shard(tmp_path: Path) -> None:
    """A named pipe is refused, for every epoch reads its shards again."""
    pipe = tmp_path / "pipe.svm"
    os.mkfifo(pipe)
    with pytest.raises(DataError, match="once only"):
        mix(Perceptron(), [pipe])
