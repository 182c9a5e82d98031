"""Vectors of very many columns, measured and scaled where they lie: the same as one after the other."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Event
from time import sleep

import numpy as np
import pytest
from scipy.sparse import csr_array

from regretless import _core
from regretless.certificate import NOT_REPRODUCED
from regretless.linear import (
    AROW,
    AveragedPerceptron,
    PassiveAggressive,
    Perceptron,
    PNormPerceptron,
    SecondOrderPerceptron,
    Winnow,
    mirror_steps,
)
from regretless.linear.comparators import directions, machines, rays
from regretless.rows import narrowed

SIZES = (0, 1, 7, 8, 9, 1023, 1025, 5003)


def table(columns: int, count: int = 4) -> np.ndarray:
    """Vectors side by side, of both signs and many sizes."""
    random = np.random.default_rng(columns)
    return random.normal(size=(columns, count)) * 2.0 ** random.integers(-40, 40, (columns, count))


def test_room_that_is_used_again_holds_zeros() -> None:
    """Zeros are zeros too where others of about their size were written to and given back."""
    for count in (1 << 18, 1 << 18, 3 << 16, 1 << 20):
        zeros = _core.zeros(count)
        assert len(zeros) == count
        assert not zeros.any()
        zeros[:] = 1
        del zeros


def test_rooms_are_nobody_elses() -> None:
    """Threads that take large arrays and give them back at once never write to each other's."""

    def keeps(number: int) -> bool:
        for _ in range(50):
            zeros = _core.zeros(1 << 18)
            zeros += number
            if not (zeros == number).all():
                return False
        return True

    with ThreadPoolExecutor(4) as threads:
        assert all(threads.map(keeps, range(4)))


@pytest.mark.usefixtures("isa")
@pytest.mark.parametrize("count", [4, 8])
@pytest.mark.parametrize("columns", SIZES)
def test_squares_side_by_side_are_those_of_each_alone(columns, count):
    """Sums of squares of vectors side by side, and of their products with roots, have the bits of each alone."""
    vectors, roots = table(columns, count), np.abs(table(columns, 1)[:, 0])
    each = [np.ascontiguousarray(one) for one in vectors.T]
    assert _core.column_squares(vectors) == [_core.squares(one) for one in each]
    assert _core.column_squares(vectors, roots) == [_core.squares(one * roots) for one in each]
    assert _core.column_squares(each[0][:, None], roots) == [_core.squares(each[0] * roots)]


@pytest.mark.usefixtures("isa")
@pytest.mark.parametrize("columns", SIZES)
def test_division_and_positive_parts_are_numpys(columns):
    """Vectors over their lengths times a size, and without negative entries, have numpy's bits."""
    vectors = table(columns)
    expected = vectors / np.array([1.0, 3.0, 5.0, 7.0]) * 0.25
    _core.divide_columns(vectors, [1.0, 3.0, 5.0, 7.0], 0.25)
    np.testing.assert_array_equal(vectors, expected)
    _core.take_positive(vectors)
    np.testing.assert_array_equal(vectors, np.maximum(expected, 0.0))


@pytest.mark.usefixtures("isa")
@pytest.mark.parametrize("count", [1, 4, 8])
@pytest.mark.parametrize("columns", SIZES)
def test_sums_over_the_simplex_are_numpys(columns, count):
    """Sizes, products, sums of s ln s and counts of entries are what numpy makes of them, but for rounding."""
    vectors, duals = table(columns, count), table(columns, 1)[:, 0]
    vectors[::5] = 0
    sizes, products, logs, counts = _core.simplex_sums(vectors, duals, [0.5] * count)
    shares = np.abs(vectors) / (np.abs(vectors).sum(axis=0) + 0.5)
    some = np.where(shares > 0, shares, 1.0)
    np.testing.assert_allclose(sizes, np.abs(vectors).sum(axis=0) + 0.5, rtol=1e-13)
    np.testing.assert_allclose(logs, (some * np.log(some)).sum(axis=0), rtol=1e-13, atol=1e-300)
    products_of = vectors * duals[:, None]
    np.testing.assert_allclose(products, products_of.sum(axis=0), atol=1e-13 * np.abs(products_of).sum())
    assert counts == (shares > 0).sum(axis=0).tolist()


@pytest.mark.usefixtures("isa")
@pytest.mark.parametrize("width", [1, 2, 3, 4])
def test_rows_are_taken_with_word_of_the_others(width):
    """Rows by their numbers are copies of them, and a number in any other row is noticed, a zero of either sign not."""
    whole = np.zeros((1300, width))
    numbers = np.array([0, 7, 8, 30, 511, 1024, 1298])
    whole[numbers] = table(7, width)
    whole[9] = -0.0
    rows, clean = _core.rows_of(whole, numbers)
    np.testing.assert_array_equal(rows, whole[numbers])
    assert clean
    for other in (1, 9, 29, 512, 1023, 1299):
        changed = whole.copy()
        changed[other, -1] = 5e-324
        assert not _core.rows_of(changed, numbers)[1]


@pytest.mark.usefixtures("isa")
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_margins_along_a_direction_alone_are_those_among_four(dtype):
    """Rows have the same margins, lengths and least margin along a direction alone and along it beside three others."""
    X, y = wide_rows()
    X.data[::7] = 0
    rows, labels, vectors = (X.data.astype(dtype), X.indices, X.indptr), y.astype(np.int32), table(1000)
    seen = []
    for some in (vectors, np.ascontiguousarray(vectors[:, :1])):
        count = some.shape[1]
        each = np.zeros(count), np.ones(count, dtype=np.int32), np.ones(count)
        least, norms, margins = np.full(count, np.inf), np.zeros(3), np.empty((count, len(y)))
        assert _core.sight_margins(*rows, labels, 0.5, some, *each, least, norms, margins)[1] is None
        seen.append((margins[0].tobytes(), norms.tobytes(), least[0]))
    assert seen[0] == seen[1]


@pytest.mark.usefixtures("isa")
@pytest.mark.parametrize("sized", [False, True])
def test_the_numbers_of_a_diagonal_are_numpys(sized):
    """Roots and inverses of a diagonal have numpy's bits, and its two sums are numpy's but for rounding."""
    records = np.abs(table(2051))
    records[::3, 3] = records[::5, 1] = 0
    start = np.maximum(0.5 * np.where(records[:, 3] > 0, records[:, 3], 1.0), 1e-9) if sized else np.full(2051, 0.5)
    weights, roots, inverse, energy, volume = _core.read_diagonal(records, 0.5, sized, 1e-9)
    entries = start + records[:, 1]
    np.testing.assert_array_equal(weights, records[:, 0])
    np.testing.assert_array_equal(roots, np.sqrt(entries))
    np.testing.assert_array_equal(inverse, 1 / np.square(np.sqrt(entries)))
    assert energy == pytest.approx((records[:, 2] ** 2 / entries).sum(), rel=1e-13)
    assert volume == pytest.approx(np.log1p(records[:, 1] / start).sum(), rel=1e-13)


@pytest.mark.parametrize("columns", SIZES)
def test_sums_are_the_same_bits_on_every_instruction_set(isas, columns):
    """Sums over the simplex and what is read from a diagonal have the same bits on all that this machine can run."""
    records, duals, bits = np.abs(table(columns)), table(columns, 1)[:, 0], set()
    for isa in isas:
        _core.use_isa(isa)
        sums = [_core.simplex_sums(table(columns, count), duals, [0.5] * count) for count in (1, 4, 8)]
        *arrays, energy, volume = _core.read_diagonal(records, 0.5, True, 1e-9)
        bits.add((repr(sums), *(array.tobytes() for array in arrays), energy, volume))
    assert len(bits) == 1


def wide_rows(rows: int = 60) -> tuple[csr_array, np.ndarray]:
    """Rows of six entries among a thousand columns, of which fewer than half occur, with labels half at random."""
    random = np.random.default_rng(1)
    X = csr_array(
        (
            random.normal(size=6 * rows),
            np.sort(random.permuted(np.tile(np.arange(400), (rows, 1)), axis=1)[:, :6]).ravel(),
            np.arange(0, 6 * rows + 1, 6),
        ),
        shape=(rows, 1000),
    )
    return X, np.where(X @ random.normal(size=1000) + random.normal(size=rows) > 0, 1, -1)


LEARNERS = {
    "perceptron": Perceptron,
    "averaged": AveragedPerceptron,
    "passive-aggressive": PassiveAggressive,
    "arow": AROW,
    "arow in units": partial(AROW, scale="none"),
    "second order": SecondOrderPerceptron,
    "winnow": Winnow,
    "balanced": partial(Winnow, balanced=True, intercept=1.0),
    "p-norm": PNormPerceptron,
}


@pytest.mark.parametrize("name", LEARNERS)
def test_few_of_many_columns_have_the_certificates_of_all(monkeypatch, name):
    """Rounds replayed in the columns that occur, and machines measured where they lie, give the bounds and comparators
    of all columns."""
    X, y = wide_rows()
    learner = LEARNERS[name]().fit(X, y)
    expected = learner.certify(X, y)
    seen = []
    for module in (narrowed, machines, rays):
        monkeypatch.setattr(module, "MANY_COLUMNS", 100)
    whole = directions.table_of
    monkeypatch.setattr(directions, "table_of", lambda vectors: seen.append(whole(vectors)) or seen[-1])
    certificates = learner.certify(X, y)
    assert any(table is not None for table in seen)
    for one, other in zip(certificates, expected, strict=True):
        assert (one.why, one.observed) == (other.why, other.observed)
        if one.bound is not None:
            assert one.bound == pytest.approx(other.bound, rel=1e-10)
            assert one.comparator.name == other.comparator.name
            units = [its.vector / (np.linalg.norm(its.vector) or 1.0) for its in (one.comparator, other.comparator)]
            np.testing.assert_allclose(*units, atol=1e-10)  # some bounds are the same along a ray


@pytest.mark.parametrize("name", ["perceptron", "arow"])
def test_weights_of_columns_that_do_not_occur_are_noticed(monkeypatch, name):
    """A learner that knows something of a column that no row has did not learn from these rows alone."""
    X, y = wide_rows()
    monkeypatch.setattr(narrowed, "MANY_COLUMNS", 100)
    learner = LEARNERS[name]().fit(X, y)
    array = learner.state_.weights if name == "perceptron" else learner.state_.records
    array[999, 0] = 1.0
    assert {one.why for one in learner.certify(X, y)} == {NOT_REPRODUCED.format(name="X")}


@pytest.mark.parametrize("learner", [Perceptron(), AROW(), PNormPerceptron()])
def test_few_rows_of_hashed_words_are_certified(learner):
    """Rows of few entries among very many columns, numbered by int32, are certified as those numbered by int64."""
    columns = np.random.default_rng(0).integers(0, 2**20, (8, 5)).astype(np.int32)
    rows = csr_array((np.ones(40), np.sort(columns).ravel(), np.arange(0, 41, 5, dtype=np.int32)), shape=(8, 2**20))
    wide, labels = rows.copy(), [0, 1] * 4
    wide.indices, wide.indptr = rows.indices.astype(np.int64), rows.indptr.astype(np.int64)
    lines = [list(map(str, learner.fit(one, labels).certify(one, labels))) for one in (rows, wide)]
    assert lines[0] == lines[1]


@pytest.mark.parametrize("measured", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("wide", [np.int32, np.int64])
def test_joined_columns_have_the_scores_and_lengths_of_what_they_stand_for(measured, dtype, wide):
    """Vectors of joined columns score the joined rows, and are as long, as those of all columns that they stand for do
    the rows; in a diagonal too, where no other vector of these scores is shorter."""
    random, columns = np.random.default_rng(3), 1500
    X = csr_array((random.normal(size=900), random.integers(0, columns, 900), np.arange(0, 901, 9)), shape=(100, 1500))
    X.sum_duplicates()
    X.data[X.indptr[7] : X.indptr[8]] = 0
    X = X.astype(dtype)
    diagonal = random.uniform(0.1, 10, columns) if measured else np.ones(columns)
    rows = X.data, X.indices.astype(wide), X.indptr.astype(wide)
    values, indices, starts, *which, metric = _core.join_columns(
        *rows, columns, columns, 1 / diagonal if measured else None
    )
    joins = narrowed.JoinedColumns(*which, metric, columns)
    joined = csr_array((values, indices, starts), shape=(100, joins.size))
    assert joined.nnz < X.nnz
    assert joins.starts[-1] == len(joins.lone) == (np.bincount(X.indices) == 1)[X.indices[X.data != 0]].sum()
    short = random.normal(size=joins.size)
    whole = joins.whole(short)
    np.testing.assert_allclose(joined @ short, X.astype(np.float64) @ whole, atol=1e-12)
    assert np.linalg.norm(short) == pytest.approx(np.linalg.norm(whole), rel=1e-14)
    inverse = np.append(1 / diagonal[joins.used], metric[:, 0]) if measured else np.ones(joins.size)
    assert (short**2 / inverse).sum() == pytest.approx((whole**2 * diagonal).sum(), rel=1e-13)
    along = X.astype(np.float64).T @ random.normal(size=100) / diagonal  # a sum of A^-1 x has its like there
    np.testing.assert_allclose(joins.whole(joins.nearest(along * diagonal) * inverse), along, atol=1e-12)
    if measured:
        lengths2 = joined.power(2) @ np.append(np.ones(len(joins.used)), metric[:, 1])
        np.testing.assert_allclose(lengths2, X.astype(np.float64).power(2).sum(axis=1), rtol=1e-12)
    else:
        again, clean = joins.of(along[:, None])
        assert not clean
        np.testing.assert_allclose(joins.whole(again[:, 0]), along, atol=1e-12)


@pytest.mark.parametrize("apart", [False, True])
def test_sums_of_joined_columns_are_those_of_what_they_stand_for(apart, isas):
    """The sizes of a vector, the logarithms of its shares, its product with sums of multiples of rows, and apart its
    positive part, are told by joined columns as by all, to the same bits on every instruction set."""
    random, columns, bits = np.random.default_rng(4), 1500, set()
    X = csr_array((random.normal(size=900), random.integers(0, columns, 900), np.arange(0, 901, 9)), shape=(100, 1500))
    X.sum_duplicates()
    X.data[::7] = 0
    for isa in isas:
        _core.use_isa(isa)
        values, indices, starts, *which = _core.join_columns(
            X.data, X.indices.astype(np.int32), X.indptr, columns, columns, sums=True, apart=apart
        )
        joins = narrowed.JoinedColumns(*which, columns)
        short, duals = random.normal(size=joins.size), X.T @ random.normal(size=100)
        sums = _core.simplex_sums(short[:, None], joins.of(duals[:, None])[0][:, 0], [0.5], joins.metric)
        whole = joins.whole(short)
        expected = _core.simplex_sums(whole[:, None], duals, [0.5])
        np.testing.assert_allclose(sums[:3], expected[:3], rtol=1e-12)
        assert sums[3][0] >= expected[3][0]
        if apart:
            assert (joins.shares > 0).all()
            np.testing.assert_array_equal(joins.whole(np.maximum(short, 0)), np.maximum(whole, 0))
            joined = csr_array((values, indices, starts), shape=(100, joins.size))
            np.testing.assert_allclose(joined @ np.maximum(short, 0), X @ np.maximum(whole, 0), atol=1e-12)
        bits.add(joins.metric.tobytes())
    assert len(bits) == 1


@pytest.mark.parametrize("name", ["winnow", "balanced"])
@pytest.mark.parametrize("classes", [2, 3])
def test_winnow_has_the_bounds_of_rows_that_are_not_joined(monkeypatch, name, classes):
    """Where lone entries are joined, bounds and comparators are those of rows as they are."""
    X, y = wide_rows(150)
    y = np.where(np.arange(150) % classes == 2, 2, y)
    learner = LEARNERS[name](passes=3).fit(X, y)
    for module in (narrowed, machines, rays):
        monkeypatch.setattr(module, "MANY_COLUMNS", 100)
    monkeypatch.setattr(mirror_steps, "MOST_LP_ENTRIES", 0)
    joined = learner.certify(X, y)
    monkeypatch.setattr(mirror_steps, "joined_columns", lambda *_, **__: None)
    for one, other in zip(joined, learner.certify(X, y), strict=True):
        assert (one.why, one.observed) == (other.why, other.observed)
        assert one.bound is None or one.bound == pytest.approx(other.bound, rel=1e-10)
        if one.bound is not None and classes == 2:
            assert one.comparator.name == other.comparator.name
            np.testing.assert_allclose(one.comparator.vector, other.comparator.vector, atol=1e-10)


def test_rows_that_cannot_be_used_are_not_joined():
    """Columns that are out of range, or more of them than are wanted, leave rows as they are; a table that lacks a
    column is refused."""
    rows = np.ones(4), np.array([0, 5, 5, 7], np.int32), np.array([0, 2, 4], np.int32)
    assert _core.join_columns(*rows, 7, 7) is None
    assert _core.join_columns(*rows, 8, 2) is None
    joined = _core.join_columns(*rows, 8, 3)
    assert joined is not None
    assert joined[3].tolist() == [5]
    with pytest.raises(ValueError, match="out of range"):
        _core.join_table(np.ones((7, 1)), *joined[3:7])


@pytest.mark.parametrize("measured", [False, True])
@pytest.mark.parametrize("size", [1e-170, 1e160, np.inf, np.nan])
def test_lone_entries_whose_length_cannot_be_told_are_not_joined(size, measured):
    """Lone entries of a row that are not zeros, but whose squares are, or are beyond the floats, leave rows as they
    are; those beside which others have digits, and zeros, are joined."""
    where = np.arange(6, dtype=np.int32), np.array([0, 2, 4, 6])
    inverse = np.ones(6) if measured else None
    assert _core.join_columns(np.array([1, 2, size, size, 3, 4]), *where, 6, 6, inverse) is None
    joined = _core.join_columns(np.array([1, 1e-170, 0, 0, 3, 4]), *where, 6, 6, inverse)
    assert joined is not None
    assert joined[0].tolist() == [1, 5]


def test_tables_too_large_to_be_joined_are_refused():
    """A joined table whose size no number of bytes can tell is refused, rather than made too small."""
    none = np.zeros(0, np.int64), np.zeros(0, np.int32), np.zeros(0)
    with pytest.raises(ValueError, match="too many numbers"):
        _core.join_table(np.zeros((0, 2**59)), *none, np.zeros(33, np.int64))


def test_columns_that_change_while_they_are_joined_do_no_harm():
    """Lone columns that another thread moves out of the table while they are joined are refused, or were copied."""
    lone, starts = np.zeros(1_000_000, np.int32), np.array([0, 1_000_000])
    done, ends = Event(), {"made": 0, "refused": 0}

    def move() -> None:
        while not done.is_set():
            for column in (2**31 - 1, 0, 0, 0, 0):
                lone[-2000:] = column
                sleep(0.001)

    with ThreadPoolExecutor(1) as threads:
        moving = threads.submit(move)
        for _ in range(20):
            try:
                _core.join_table(np.ones((1, 8)), np.zeros(0, np.int64), lone, np.ones(1_000_000), starts)
                ends["made"] += 1
            except ValueError:
                ends["refused"] += 1
        done.set()
        moving.result()
    assert ends["made"] > 0
