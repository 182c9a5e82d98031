"""Where comparators are looked for: support vector machines in one pass, scales along rays, columns that occur."""

import pickle
from functools import partial
from math import sqrt

import numpy as np
import pytest
from scipy.sparse import csr_array

from regretless import _core
from regretless.certificate import NOT_REPRODUCED
from regretless.certify import certify_stream
from regretless.comparator import Comparator
from regretless.data.arrays import ArrayStream
from regretless.data.batch import Batch, narrow
from regretless.linear import (
    AROW,
    AggregatedClassifier,
    MarginPerceptron,
    MulticlassPerceptron,
    PassiveAggressive,
    Perceptron,
    PNormPerceptron,
    SecondOrderPerceptron,
    Winnow,
    max_margin,
    mirror_steps,
)
from regretless.linear.aggregated import comparators
from regretless.linear.arow import PENALTIES
from regretless.linear.comparators import margins, question
from regretless.linear.comparators.machines import MORE_PENALTIES, class_directions, climb_to_margin, machine_directions
from regretless.linear.separation.result import INSEPARABLE, OPEN
from regretless.regression import AggregatedRegressor
from regretless.rows import narrowed
from regretless.rows.state import length

from .test_dual_ascent import by_the_book, rows_of


def test_machines_end_near_their_minimum():
    """After some passes no penalty's objective is 2 % above that of a hundred passes."""
    X, y = rows_of(n=60)
    r2 = float((X * X).sum(axis=1).max())
    batch, random = Batch(X, None, 9), np.random.default_rng(0)

    def values(passes):
        orders = [random.permutation(60) for _ in range(passes)]
        means = machine_directions(batch, y, 0.0, r2, orders)
        losses = [np.maximum(0, 1 - y * (X @ v)).sum() for _, v, _ in means]
        return [v @ v / 2 + c / r2 * loss for (c, v, _), loss in zip(means, losses, strict=True) if c < 10]

    near, least = np.array(values(10)), np.array(values(100))
    assert (near <= 1.02 * least).all(), near / least


def test_no_machines_of_rows_whose_squares_are_no_floats():
    """Where penalties are no floats there are none."""
    X, y = rows_of()
    assert machine_directions(Batch(X, None, 9), y, 0.0, 1e-300, [None]) == []


WIDE = [
    Perceptron(),
    MarginPerceptron(),
    AROW(matrix="diagonal"),
    PNormPerceptron(p=3.0),
    Winnow(),
    AggregatedClassifier(),
]


@pytest.mark.parametrize("learner", [*WIDE, MulticlassPerceptron()], ids=lambda one: type(one).__name__)
@pytest.mark.parametrize("classes", [2, 3])
def test_columns_that_do_not_occur_change_no_bound(learner, classes, monkeypatch):
    """Bounds are the same whether or not columns are numbered afresh, and vectors have a number for each of all."""
    random = np.random.default_rng(2)
    X = csr_array((random.normal(size=200), random.integers(0, 700, 200), np.arange(0, 201, 5)), shape=(40, 700))
    X.sum_duplicates()
    y = random.integers(0, classes, 40)
    learner.fit(X, y)
    plain = learner.certify(X, y)
    monkeypatch.setattr(narrowed, "MANY_COLUMNS", 10)
    narrow = learner.certify(X, y)
    for one, other in zip(plain, narrow, strict=True):
        assert one.why == other.why
        if one.bound is not None and one.theorem.name not in ("separable", "posterior", "winnow_posterior"):
            assert other.bound == pytest.approx(one.bound, rel=1e-9)
        elif one.bound is not None:  # how far a margin is searched depends on the width
            assert other.bound == pytest.approx(one.bound, rel=0.05) or other.bound < one.bound
        for vector in (getattr(c.comparator, "vector", None) for c in (other, *other.each)):
            assert vector is None or vector.shape[-1] == 700


@pytest.mark.parametrize("learner", [*WIDE, MulticlassPerceptron(intercept=0.5)], ids=lambda one: type(one).__name__)
@pytest.mark.parametrize("classes", [2, 3])
def test_rows_of_a_stream_are_certified_in_the_columns_that_occur(learner, classes, monkeypatch):
    """Lines of a stream in memory are those of its rows as arrays, vectors have all columns of the model, of which the
    stream may lack the last, and of very many columns none is made before somebody reads it."""
    random = np.random.default_rng(2)
    X = csr_array((random.normal(size=200), random.integers(0, 600, 200), np.arange(0, 201, 5)), shape=(40, 600))
    X.sum_duplicates()
    y, wide = random.integers(0, classes, 40), csr_array((X.data, X.indices, X.indptr), shape=(40, 700))
    monkeypatch.setattr(narrowed, "MANY_COLUMNS", 10)
    learner.fit(wide, y)
    lines, direct = certify_stream(learner, ArrayStream(X, y)), learner.certify(wide, y)
    assert list(map(str, lines)) == list(map(str, direct))
    each = [one.comparator for line in lines for one in (line, *line.each) if one.comparator is not None]
    held = [Comparator.__dict__["vector"].__get__(one) for one in each if isinstance(one, Comparator)]
    assert all(vector is None or "whole" not in vars(vector) for vector in held)
    vectors = [one.vector for one in each if one.vector is not None]
    assert {vector.shape[-1] - 700 for vector in vectors} <= {0, 1}


def test_a_constant_feature_stands_behind_columns_that_do_not_occur(monkeypatch):
    """A vector that has the weight of a constant feature at its end has it there in all columns too, and 0 in those
    that do not occur."""
    X, y = csr_array(np.eye(6)[[0, 0, 2, 2, 4, 4]] - np.eye(6)[4]), [0, 0, 1, 1, 2, 2]
    X.resize(6, 100)
    learner = MulticlassPerceptron(intercept=1.0).fit(X, y)
    monkeypatch.setattr(narrowed, "MANY_COLUMNS", 10)
    (line,) = (one for one in learner.certify(X, y) if one.theorem.name == "classes_posterior")
    expected = np.zeros((3, 101))
    expected[:, [0, 2, 4, 100]] = np.array([[2, -1, -1, -1], [-1, 2, -1, -1], [-1, -1, 2, 2]]) / 3
    np.testing.assert_allclose(line.comparator.vector, expected, atol=1e-6)


@pytest.mark.parametrize("learner", WIDE, ids=lambda one: type(one).__name__)
@pytest.mark.parametrize("classes", [2, 3])
def test_bounds_are_the_same_whether_or_not_margins_are_written_down(learner, classes, monkeypatch):
    """What is printed is read from the margins of the rows where these have room, and else from the rows once more."""
    X, y = rows_of(n=90)
    y = np.where(np.arange(90) % classes == 2, 2, y)
    learner.fit(X, y)
    written = learner.certify(X, y)
    monkeypatch.setattr(question, "MOST_MARGINS", 0)
    for one, other in zip(learner.certify(X, y), written, strict=True):
        assert one.why == other.why
        assert one.bound is None or other.bound == pytest.approx(one.bound, rel=1e-12)


@pytest.mark.parametrize("classes", [2, 3])
def test_of_very_many_columns_no_final_weights_are_read(classes, monkeypatch):
    """Where ridge regressions of all rows are compared with, bounds without members' own weights are about as small,
    and sums of slopes and the metric are those that all cells have."""
    random = np.random.default_rng(4)
    X, y = random.normal(size=(80, 12)), random.integers(0, classes, 80)
    learner = AggregatedClassifier(full=0).fit(X, y)
    plain = learner.certify(X, y)
    cells = learner.state_.cells_of(classes - 1 if classes > 2 else 0)
    some, metric = learner.state_.slopes_of(classes - 1 if classes > 2 else 0)
    np.testing.assert_array_equal(some, cells[:, : some.shape[1]])
    np.testing.assert_array_equal(metric, learner.state_.metric_of(cells))
    monkeypatch.setattr(comparators, "MANY_COLUMNS", 10)
    monkeypatch.setattr(type(learner.state_), "cells_of", None)
    for one, other in zip(learner.certify(X, y), plain, strict=True):
        assert one.holds == other.holds
        assert one.bound is None or one.bound <= 1.05 * other.bound


@pytest.mark.parametrize("make", [AggregatedClassifier, AggregatedRegressor])
@pytest.mark.parametrize("passes", [1, 2])
def test_other_rounds_in_few_columns_are_not_those_that_were_played(make, passes, monkeypatch):
    """Where columns are numbered afresh, rounds that lack one entry of a column of its own, however small, have no
    certificate, and those that were played have the bounds that they have in all columns."""
    random = np.random.default_rng(3)
    X = csr_array((random.normal(size=200), random.integers(0, 700, 200), np.arange(0, 201, 5)), shape=(40, 700))
    X.sum_duplicates()
    unused = np.setdiff1d(np.arange(700), X.indices)[0]
    more = X.tolil()
    more[39, unused] = 1e-30
    y = random.choice([-1, 1], 40)
    learner = make(**{"passes": passes} if make is AggregatedClassifier else {}).fit(more.tocsr(), y)
    plain = [one.bound or -1.0 for one in learner.certify(more.tocsr(), y)]
    monkeypatch.setattr(narrowed, "MANY_COLUMNS", 10)
    again = [one.bound or -1.0 for one in learner.certify(more.tocsr(), y)]
    assert again == pytest.approx(plain, rel=1e-6)
    assert max(plain) > 0
    assert all(one.why == NOT_REPRODUCED.format(name="X") for one in learner.certify(X, y) if one.theorem.compares)


@pytest.mark.parametrize("columns", [50, 10**6])
def test_rows_keep_their_entries_where_columns_are_numbered_afresh(columns):
    """The number of each entry's column stands for the column that it had, whether columns are marked or sorted."""
    random = np.random.default_rng(3)
    indices = random.integers(0, columns, 40).astype(np.int32)
    batch = Batch(np.ones(40), None, columns, indices, np.arange(0, 41, 4, dtype=np.int32))
    narrower, used = narrow(batch)
    assert narrower.columns == len(used)
    np.testing.assert_array_equal(used[narrower.indices], indices)
    assert (np.diff(used) > 0).all()


@pytest.mark.parametrize(("columns", "looked"), [(50, True), (600, False)])
def test_rows_that_are_few_beside_their_columns_are_not_looked_at(columns, looked, monkeypatch):
    """Whether some of many rows cannot be separated is asked unless those would be fewer than twice the columns."""
    random = np.random.default_rng(4)
    X = csr_array((random.normal(size=220_000), random.integers(0, columns, 220_000), np.arange(0, 220_001, 20)))
    X.sum_duplicates()
    y = random.choice([-1, 1], X.shape[0])
    monkeypatch.setattr(margins, "MOST_WHOLE", 1000)
    (separable,) = (one for one in Perceptron().fit(X, y).certify(X, y) if one.theorem.name == "separable")
    assert (separable.why != margins.WIDE) == looked
    assert separable.why.startswith(INSEPARABLE) == looked


@pytest.mark.parametrize("many", [10**6, 10])
def test_theorems_with_the_same_comparator_share_its_vector(many, monkeypatch):
    """A vector is made and read once for all theorems that choose it, whether or not columns are numbered afresh."""
    random = np.random.default_rng(5)
    X = csr_array((random.normal(size=100), random.integers(0, 700, 100), np.arange(0, 101, 5)), shape=(20, 700))
    X.sum_duplicates()
    y = random.choice([-1, 1], 20)
    monkeypatch.setattr(narrowed, "MANY_COLUMNS", many)
    each = [one.comparator for one in Perceptron().fit(X, y).certify(X, y) if one.bound is not None]
    alike = {(one.name, one.norm): one.vector for one in each}
    assert len(alike) < len(each)
    assert all(one.vector is alike[one.name, one.norm] for one in each)


def test_a_vector_of_very_many_columns_is_made_once_it_is_read(monkeypatch):
    """A comparator of rows whose columns were numbered afresh has its vector in no more columns than occur until
    somebody reads it; one that was pickled has the same."""
    X = csr_array(([1.0, 2.0, -1.0], ([0, 1, 2], [5, 90, 5])), shape=(3, 100))
    monkeypatch.setattr(narrowed, "MANY_COLUMNS", 10)
    (comparator, *_) = (one.comparator for one in Perceptron().fit(X, [1, 1, -1]).certify(X, [1, 1, -1]))
    held = Comparator.__dict__["vector"].__get__(comparator)
    assert isinstance(held, narrowed.Wide)
    assert "whole" not in vars(held)
    assert comparator.vector.nonzero()[0].tolist() == [5, 90]
    assert comparator.vector.shape == (100,)
    again = pickle.loads(pickle.dumps(comparator))
    assert again.vector.tolist() == comparator.vector.tolist()
    assert again.describe() == comparator.describe()


@pytest.mark.parametrize("kind", [AROW, SecondOrderPerceptron])
@pytest.mark.parametrize("matrix", ["diagonal", "full"])
def test_second_order_learners_look_along_machines_in_their_own_metric(kind, matrix, monkeypatch):
    """Their machines are those of the rows A^-1/2 x, taken back to the columns that are there, and one of the rows; of
    AROW penalties are in units of |w| / |u|."""
    monkeypatch.setattr(question, "SETTLED_OF_FEW", 0.0)
    learner = kind(matrix=matrix, intercept=1.0)
    X, y = rows_of()
    state = learner.fit(X, y).state_
    rounds = partial(iter, [(Batch(X, None, X.shape[1]), y.astype(np.int32))])
    asking = learner.question(rounds, len(X), in_memory=True, svm=False, against=None)
    names, vectors, biases = zip(*asking.machines(), strict=True)
    own = kind is AROW
    assert len(set(names)) == (1 if own else 2) * _core.PENALTIES + 1
    b = learner.rules().intercept
    wide = np.column_stack([np.full(len(X), b), X])
    if learner.matrix == "full":
        back = state.root(0)
    else:
        roots, constant = state.roots(0)
        back = np.diag(1 / np.append(constant, roots))
    rows = wide @ back
    random = np.random.default_rng(0)
    orders = [random.permutation(len(X)) for _ in range(question.MOST_CLIMBS)]
    weights = np.linalg.solve(back, np.append(state.biases()[0], learner.coef_[0]))
    unit = np.linalg.norm(weights) / sqrt(state.energy(0)) if own else 1 / (rows**2).sum(axis=1).mean()
    most = np.array(PENALTIES if own else MORE_PENALTIES).reshape(-1, 4) * unit
    means = np.hstack([by_the_book(rows, y, 0.0, orders, some)[1][:-1] for some in most])
    made = np.vstack([np.ravel(biases), np.column_stack(vectors)])
    np.testing.assert_allclose(made[:, :-1], back @ means, rtol=1e-6, atol=1e-9)
    penalties = np.repeat(question.PLAIN / (wide**2).sum(axis=1).max(), _core.PENALTIES)
    plain = by_the_book(wide, y, 0.0, orders[: question.PLAIN_CLIMBS], penalties)[1][:-1]
    np.testing.assert_allclose(made[:, -1], plain[:, 0], rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize(("classes", "most"), [(2, 12.3), (3, 40.0)])
def test_mistakes_of_arow_are_compared_with_a_short_vector(classes, most):
    """Where columns of different scales are more than the rows, so that ln det A is far above u'A^-1 u, mistakes have
    a tighter bound than along the machine whose C is a tenth of |w| / |u|: 18.9 of two classes, and 63.6 of three."""
    random = np.random.default_rng(2)
    X = random.normal(size=(50, 180)) * 10.0 ** (1.5 * random.normal(size=180))
    y = (X @ random.normal(size=(180, classes))).argmax(axis=1)
    mistakes, _ = AROW().fit(X, y).certify(X, y)
    assert mistakes.observed <= mistakes.bound < most


def test_machines_go_over_a_part_of_rows_that_are_many_beside_their_columns(monkeypatch):
    """Of 8,500 rows of three columns each pass looks at 4,096, and at all of 110 columns."""
    made, climb, random = [], _core.climb, np.random.default_rng(0)
    monkeypatch.setattr(_core, "climb", lambda *how: made.append(len(how[4])) or climb(*how))
    for columns, looked in ((3, question.LEAST_CLIMBED), (110, 8500)):
        X = random.normal(size=(8500, columns))
        y = np.where(X[:, 0] + random.normal(size=8500) > 0, 1, -1)
        made.clear()
        Perceptron().fit(X, y).certify(X, y)
        assert set(made) == {looked}


@pytest.mark.parametrize("most", [10, 11, 29])
def test_a_climb_makes_no_more_passes_than_it_may(most, monkeypatch):
    """Asked for the margin after every ten passes, it ends before it would make more than it may."""
    made, climb = [], _core.climb
    monkeypatch.setattr(_core, "climb", lambda *how: made.append(how) or climb(*how))
    X, y = rows_of(n=60)
    y[:30] = -y[:30]
    assert climb_to_margin(Batch(X, None, 9), y, 0.0, 1.0, question.orders_of(60, 10), most) == (None, False)
    assert len(made) == most // 10 * 10


@pytest.mark.parametrize("rows", [50, question.MOST_SHUFFLED, question.MOST_SHUFFLED + 17])
def test_a_part_of_an_order_is_the_first_of_the_whole(rows):
    """Asked for so many rows of each pass, orders are the first of those of all rows, which they have once each."""
    whole = question.orders_of(rows, 3)
    assert all((np.sort(order) == np.arange(rows)).all() for order in whole)
    for most in (1, 31, 33, rows - 1, rows + 5):
        for part, order in zip(question.orders_of(rows, 3, most), whole, strict=True):
            np.testing.assert_array_equal(part, order[:most])


@pytest.mark.parametrize("settled", [0.0, 0.2])
def test_passes_end_where_duals_settle(settled, monkeypatch):
    """Machines make all passes unless one of them raises the duals by little; the next one is the last then, of which
    they are the mean."""
    X, y = rows_of(n=60)
    made, climb = [], _core.climb
    monkeypatch.setattr(_core, "climb", lambda *how: made.append(how[10] is not None) or climb(*how))
    orders = [np.random.default_rng(k).permutation(60) for k in range(10)]
    machine_directions(Batch(X, None, 9), y, 0.0, 1.0, orders, settled=settled)
    assert made == [False] * (len(made) - 1) + [True]
    assert (len(made) == 10) == (settled == 0)
    assert len(made) > 2


@pytest.mark.parametrize(
    ("columns", "noise", "dense", "climbs"),
    [(800, 0.0, False, True), (800, 0.0, True, True), (300, 1.0, False, False), (80, 0.0, False, False)],
)
def test_a_margin_is_climbed_to_where_a_search_is_dear(columns, noise, dense, climbs, monkeypatch):
    """Where a step of a search would cost more than many passes, a machine of no penalty finds nearly the largest
    margin; where many rows are wrong it is not asked, and where columns are few the search finds the largest."""
    random, made, climb = np.random.default_rng(0), [], margins.climb_to_margin
    X = csr_array((random.normal(size=16_000), random.integers(0, columns, 16_000), np.arange(0, 16_001, 20)))
    X.sum_duplicates()
    X.resize(800, columns)
    scores = X @ random.normal(size=columns)
    y = np.where(scores + 4 * noise * scores.std() * random.normal(size=800) > 0, 1, -1)
    if dense:
        X, y = X.toarray()[:400, :400], y[:400]
    monkeypatch.setattr(margins, "climb_to_margin", lambda *how: made.append(climb(*how)) or made[-1])
    one = Perceptron().fit(X, y).certify(X, y)[0]
    assert bool(made) == climbs
    if climbs:
        ((name, vector, _), near) = made[0]
        assert near
        assert one.comparator.name == name
        unit = vector / np.linalg.norm(vector)
        assert one.comparator.margin == pytest.approx((y * (X @ unit)).min())
        assert one.comparator.margin > 0.98 * max_margin(X, y, tolerance=0.001).lower


@pytest.mark.parametrize("equal", [False, True])
def test_equal_rows_are_told_of_where_no_step_of_a_search_is_made(equal):
    """Of rows that are too wide for a step, and many of them wrong, two that are equal and of different labels prove
    that no vector separates them; without such rows it is not found out."""
    random = np.random.default_rng(0)
    X = csr_array((random.normal(size=30_000), random.integers(0, 1000, 30_000), np.arange(0, 30_001, 20)))
    X.sum_duplicates()
    y = random.choice([-1, 1], 1500)
    if equal:
        X, y = X[[*range(1499), 7]], np.append(y[:1499], -y[7])
    why = str(Perceptron().fit(X, y).certify(X, y)[0].why)
    assert why.startswith(INSEPARABLE if equal else OPEN)
    assert ("rows 7 and 1499" in why) == equal


@pytest.mark.parametrize("power", [0, 9])
def test_a_small_margin_is_looked_for_where_machines_miss_it(power):
    """Rows that can be separated, but by no machine, have the maximum margin as comparator though no line asks for one:
    the mistakes are at most 27,531 in units of their squares, and by the best machine 63,440."""
    random = np.random.default_rng(0)
    X, normal = random.normal(size=(400, 8)), random.normal(size=8)
    y = np.where(X @ normal > 0, 1, -1)
    mistakes, *_ = PassiveAggressive(C=100).fit(X * 10.0**power, y).certify(X * 10.0**power, y)
    assert mistakes.theorem.name == "limited_mistakes"
    assert mistakes.comparator.name == "maximum margin"
    assert mistakes.bound < 31_000


@pytest.mark.parametrize(
    ("learner", "words"),
    [
        (Perceptron(), ""),
        (Winnow(balanced=True, gamma=0.1), " in Euclidean length"),
        (PNormPerceptron(p=3.0), " in Euclidean length"),
    ],
)
def test_a_margin_says_by_which_length_it_is_the_largest(learner, words, monkeypatch):
    """Where theorems measure vectors by another length, that of the maximum margin is called the Euclidean one."""
    monkeypatch.setattr(mirror_steps, "MOST_LP_ENTRIES", 0)  # no margin over the simplex is at hand
    random = np.random.default_rng(1)
    X, normal = random.normal(size=(60, 3)), np.array([1.0, -0.5, 0.3])
    X = X[np.abs(X @ normal) > 0.2]
    certificates = learner.fit(X, np.sign(X @ normal)).certify(X, np.sign(X @ normal))
    names = {one.comparator.name for one in certificates if one.applies}
    assert {name for name in names if name.startswith("maximum margin")} == {f"maximum margin{words}"}


@pytest.mark.parametrize("power", [15, 30])
def test_second_order_learners_have_good_comparators_on_long_rows(power):
    """Where rows are so long that rounding eats what machines in the ellipsoid are worth, one of the rows is good."""
    random = np.random.default_rng(1)
    X = random.normal(size=(300, 6))
    y = X @ random.normal(size=6) > 0.3 * random.normal(size=300)
    X = X * 10.0**power
    certificate = AROW(matrix="full").fit(X, y).certify(X, y)[1]
    assert certificate.bound < 36  # 34 where no row is longer than 1e10, and 215 against v = 0


def test_a_comparator_of_zero_has_no_direction():
    """Where no direction is better than v = 0, the line says that, and not which direction has no length."""
    X, y = np.array([[1.0], [1.0]]), np.array([1, -1])
    comparator = Perceptron(intercept=0).fit(X, y).certify(X, y)[1].comparator
    assert (comparator.name, comparator.norm) == ("v = 0", 0.0)


@pytest.mark.parametrize("count", [9000, 9003])
@pytest.mark.parametrize("power", [0, 90, 200, -200])
def test_the_length_of_a_long_vector_is_that_of_a_short_one(count, power):
    """A vector that is read once has the length that scaled squares give, where squares are no floats too."""
    vector = np.random.default_rng(6).normal(size=count) * 10.0**power
    scaled = float(np.sqrt(np.square(vector / 10.0**power).sum() + 4.0)) * 10.0**power
    assert length(vector, 2 * 10.0**power) == pytest.approx(scaled, rel=1e-13)


@pytest.mark.parametrize(("noise", "count"), [(1.0, 1), (0.1, 2)])
def test_many_rows_of_many_classes_are_passed_over_less_often(noise, count, monkeypatch):
    """Where rows have many entries one average is learned of targets that are often updated, else two, and bounds come
    within 5 % of those along all."""
    random, names = np.random.default_rng(0), []
    y = random.integers(0, 6, 400)
    X = np.eye(6)[y] + noise * random.normal(size=(400, 6))
    learner = Perceptron().fit(X, y)
    whole, means = learner.certify(X, y), question.Question.means
    monkeypatch.setattr(question.Question, "means", lambda self, plans: names.extend(plans) or means(self, plans))
    monkeypatch.setattr(question, "MOST_PLAYED", X.size - 1)
    for one, other in zip(learner.certify(X, y), whole, strict=True):
        assert one.bound is None or one.bound <= other.bound * 1.05
    assert len(names) == count
    assert any("ball" in name for name, _ in names)


def test_many_rows_of_many_classes_and_few_columns_are_looked_at_in_part(monkeypatch):
    """Where the smallest ball alone makes a bound a third larger, machines of an eighth of the rows bring each within
    5 % of those along machines of all rows."""
    random = np.random.default_rng(67)
    X = random.normal(size=(4000, 5)) * np.exp(random.normal(size=(4000, 1)))
    X *= np.exp(random.normal(size=5))
    scores = X @ random.normal(size=(5, 6))
    scores -= scores.mean(axis=0)
    y = (scores + scores.std() * random.normal(size=scores.shape) / 2).argmax(axis=1)
    learner, bounds = Perceptron(intercept=1.0).fit(X, y), []
    for most, rows in ((6 * X.size, 80), (X.size - 1, np.inf), (X.size - 1, 80)):
        monkeypatch.setattr(question, "MOST_PLAYED", most)
        monkeypatch.setattr(question, "ROWS_A_NUMBER", rows)
        bounds.append(np.array([one.bound for one in learner.certify(X, y) if one.applies]))
    whole, few, part = bounds
    assert (few / whole).max() > 4 / 3
    assert (part / whole).max() < 1.05


@pytest.mark.parametrize(("columns", "machines"), [(600, True), (6000, False)])
def test_few_rows_of_very_many_weights_have_no_machine_of_each_class(columns, machines, monkeypatch):
    """Machines of each class are made where the weights of all classes are few, however few the rows are."""
    random, made, plain = np.random.default_rng(6), [], class_directions
    X = csr_array((random.normal(size=1200), random.integers(0, columns, 1200), np.arange(0, 1201, 3)))
    X.sum_duplicates()
    X.resize(400, columns)
    monkeypatch.setattr(question, "class_directions", lambda *how: made.append(how) or plain(*how))
    y = np.arange(400).astype(str)
    MulticlassPerceptron().fit(X, y).certify(X, y)
    assert bool(made) == machines


@pytest.mark.kernel
def test_bins_of_margins_are_the_same_in_every_instruction_set(isas):
    """Certificates, whose scales are chosen from margins in bins, have the same bits on every instruction set."""
    draw = np.random.default_rng(2)
    X, y = draw.integers(-3, 4, (200, 5)).astype(float), draw.integers(0, 2, 200)
    learner, lines = Perceptron().fit(X, y), []
    for isa in isas:
        _core.use_isa(isa)
        lines.append([one.describe() for one in learner.certify(X, y)])
    assert all(one == lines[0] for one in lines)
