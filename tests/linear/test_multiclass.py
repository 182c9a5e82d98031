"""The perceptron of several classes: its trace, and its bounds against matrices."""

from __future__ import annotations

import warnings
from math import sqrt

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.utils.estimator_checks import parametrize_with_checks

from regretless.comparator import Comparator
from regretless.errors import RegretlessError
from regretless.linear import MulticlassPerceptron, Perceptron, multiclass
from regretless.linear.comparators.question import Question, epochs
from regretless.linear.comparators.rays import Direction
from regretless.linear.multiclass import Matrix, read
from regretless.linear.separation.classes import most_confused
from regretless.textbook.linear import multiclass_perceptron
from regretless.theory.facts import LinearFacts
from regretless.theory.perceptron import (
    MULTICLASS,
    classes_clean_pass,
    classes_posterior,
    classes_separable,
    classes_sharp,
)

WEIGHTS = "a round that weighs 2 is one round and not two"
THRESHOLD = "the weights of classes move a threshold, which takes a constant feature and many passes"
EXPECTED = {
    "check_class_weight_classifiers": THRESHOLD,
    "check_sample_weight_equivalence_on_dense_data": WEIGHTS,
    "check_sample_weight_equivalence_on_sparse_data": WEIGHTS,
}
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    every_check = parametrize_with_checks(
        [MulticlassPerceptron(intercept=1.0, passes=5)], expected_failed_checks=lambda estimator: EXPECTED
    )

small = st.integers(-3, 3).map(float)
reals = st.floats(-8, 8, width=32)


def comparator(X, y, V, repeats=1) -> Comparator:
    """A comparator computed the slow way; V has a row for each class."""
    scores = np.asarray(X, float) @ np.asarray(V, float).T
    rounds = np.arange(len(y))
    own = scores[rounds, y]
    scores[rounds, y] = -np.inf
    leads = own - scores.max(axis=1)
    hinge, squares = np.maximum(0, 1 - leads), (np.asarray(X, float) ** 2).sum(1)
    return Comparator(
        "slow",
        float(np.linalg.norm(V)),
        repeats * float(hinge.sum()),
        repeats * float((hinge**2).sum()),
        None,
        float(leads.min()),
        repeats * len(y),
        float(squares.max()),
        repeats * float(squares.sum()),
    )


def whole(learner) -> LinearFacts:
    """All classes together."""
    norms = learner.state_.norms()
    return LinearFacts(sqrt(2) * norms[0] if len(norms) == 1 else float(np.linalg.norm(norms)), learner.rate)


@pytest.mark.soak
@every_check
@pytest.mark.filterwarnings("ignore")
def test_scikit_learn_finds_no_fault(estimator, check):
    """Each of scikit-learn's estimator checks passes, but for weights that are not repetitions and a threshold that is
    not there."""
    check(estimator)


@given(
    X=arrays(np.float32, (25, 3), elements=small),
    y=arrays(np.int8, 25, elements=st.integers(0, 4)),
    rate=st.sampled_from([1.0, 0.5, 8.0]),
    intercept=st.sampled_from([0.0, 2.0]),
)
def test_the_trace_is_the_twins(X, y, rate, intercept):
    """Weights, updates and mistakes are those of the twin, from dense and sparse rows of either precision."""
    y, classes = np.unique(y, return_inverse=True)[1], len(set(y))
    if classes < 3:
        return
    longer = np.column_stack([X.astype(float), np.full(len(X), intercept)])
    W, updates, mistakes = multiclass_perceptron(longer, y, classes, rate)
    for rows in (X, X.astype(float), sp.csr_array(X), sp.csr_array(X.astype(float))):
        ours = MulticlassPerceptron(rate=rate, intercept=intercept).fit(rows, y)
        np.testing.assert_array_equal(ours.coef_, W[:, :-1])
        np.testing.assert_array_equal(ours.intercept_, W[:, -1] * intercept)
        assert (ours.ledger_.updates, ours.ledger_.mistakes) == (updates, mistakes)


@given(X=arrays(float, (25, 3), elements=small), y=arrays(np.int8, 25, elements=st.sampled_from([-1, 1])))
def test_two_classes_are_the_perceptron(X, y):
    """With two classes every decision is the perceptron's."""
    if len(set(y)) < 2:
        return
    ours, plain = MulticlassPerceptron().fit(X, y), Perceptron().fit(X, y)
    np.testing.assert_array_equal(ours.coef_, plain.coef_)
    assert ours.ledger_ == plain.ledger_


@pytest.mark.parametrize("separable", [True, False])
def test_two_classes_have_the_perceptrons_numbers(separable):
    """At the same vector the three bounds are those that the perceptron has there: half of it for each of two
    opposites."""
    rng = np.random.default_rng(0)
    X, v = rng.normal(size=(80, 3)), np.array([1.0, -2.0, 0.5])
    y = np.where((X @ v > 0) ^ (rng.random(80) < (0.0 if separable else 0.1)), 1, -1)
    theirs = {one.theorem.name: one for one in Perceptron().fit(X, y).certify(X, y, against=v)}
    ours = MulticlassPerceptron().fit(X, y).certify(X, y, against=v)
    for mine, other in zip(ours, map(theirs.get, ("separable", "sharp", "posterior")), strict=True):
        assert mine.applies == other.applies
        assert not mine.applies or mine.bound == pytest.approx(other.bound, rel=1e-2)


def test_a_shuffled_pass_is_a_pass_over_the_shuffled_rows():
    """The order comes from `random_state`, and the rows in that order give the same weights and books."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(80, 4)), rng.integers(0, 3, 80)
    order = np.random.default_rng(3).permutation(80)
    shuffled = MulticlassPerceptron(intercept=1.0, shuffle=True, random_state=3).fit(X, y)
    plain = MulticlassPerceptron(intercept=1.0).fit(X[order], y[order])
    np.testing.assert_array_equal(shuffled.coef_, plain.coef_)
    assert shuffled.ledger_ == plain.ledger_


# ---- the theorems


@given(
    X=arrays(float, (25, 3), elements=st.one_of(reals, st.sampled_from([0.0, 1e-60, 1e60]))),
    y=arrays(np.int8, 25, elements=st.integers(0, 3)),
    V=arrays(float, (4, 3), elements=reals),
    rate=st.sampled_from([1.0, 0.1, 7.0]),
    passes=st.integers(1, 3),
)
def test_no_stream_and_no_comparator_break_a_bound(X, y, V, rate, passes):
    """Every theorem holds on every stream against every matrix, over several passes, with classes that are never
    met."""
    learner = MulticlassPerceptron(rate=rate)
    for _ in range(passes):
        learner.partial_fit(X, y, classes=range(4))
    for scale in (1.0, 0.1, 1e-3, 0.0):
        u = comparator(X, y, scale * V, passes)
        for theorem in MULTICLASS[:3]:
            certificate = theorem.certify(learner.ledger_, [u], whole(learner))
            assert certificate.holds, str(certificate)


@given(
    X=arrays(float, (25, 3), elements=reals),
    y=arrays(np.int8, 25, elements=st.integers(0, 3)),
    V=arrays(float, (4, 3), elements=reals),
)
def test_classes_that_are_met_on_the_way_break_no_bound(X, y, V):
    """The bounds hold of the whole run, one class, two and then more, though early rounds had fewer rivals."""
    learner = MulticlassPerceptron().partial_fit(X, y)
    if len(learner.classes_) < 3:
        return
    places = np.searchsorted(learner.classes_, y)
    for scale in (1.0, 0.1, 1e-3):
        u = comparator(X, places, scale * V[: len(learner.classes_)])
        for theorem in MULTICLASS[:3]:
            certificate = theorem.certify(learner.ledger_, [u], whole(learner))
            assert certificate.holds, str(certificate)
    W = np.column_stack([learner.coef_, learner.intercept_])
    assert np.abs(W.sum(axis=0)).max() <= 1e-9
    assert np.linalg.norm(W) ** 2 <= 2 * learner.ledger_.update_norm2 * (1 + 1e-9) + 1e-12


@pytest.mark.parametrize("n", [1, 4, 9])
def test_orthonormal_rounds_of_two_classes_attain_the_bound(n):
    """On n orthonormal rows the opposite vectors of two classes make n updates, which is 2 (r / rho)^2."""
    X, y = np.eye(n), np.zeros(n, dtype=int)
    learner = MulticlassPerceptron().partial_fit(X, y, classes=[0, 1])
    u = comparator(X, y, np.array([np.ones(n), -np.ones(n)]))
    for theorem in (classes_separable, classes_sharp, classes_posterior):
        v = u if theorem is classes_separable else comparator(X, y, np.array([np.ones(n), -np.ones(n)]) / 2)
        assert theorem.bound(learner.ledger_, v, whole(learner)) == pytest.approx(n)
    assert learner.ledger_.updates == n


def test_without_the_factor_two_the_bound_is_false():
    """A step moves two classes: (r / rho)^2, as for two opposite vectors counted once, breaks."""
    X, y = np.eye(4), np.zeros(4, dtype=int)
    learner = MulticlassPerceptron().partial_fit(X, y, classes=[0, 1])
    u = comparator(X, y, np.array([np.ones(4), -np.ones(4)]))
    assert learner.ledger_.updates == 4 > u.max_norm2 / u.margin**2


# ---- the search for matrices


def question(learner, X, y, **more):
    """What `certify` asks."""
    from regretless.rows.validation import read_rows

    batch, codes = read_rows(X, learner=learner, reset=False), learner.codes(np.asarray(y))
    return learner.question(lambda: iter([(batch, codes)]), len(batch), in_memory=True, svm=False, against=None, **more)


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("intercept", [0.0, 2.0])
def test_matrices_are_read_as_they_are(kind, intercept):
    """Hinge losses, smallest lead and length of a matrix are those computed by hand, constant feature and passes
    included."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(50, 3)), rng.integers(0, 4, 50)
    learner = MulticlassPerceptron(intercept=intercept, passes=3).fit(kind(X), y)
    V, b = rng.normal(size=(4, 3)), rng.normal(size=4) * (intercept > 0)
    (matrix,) = read(question(learner, kind(X), y), [Matrix("some", np.ascontiguousarray(V.T), b)])
    longer = np.column_stack([X, np.full(50, intercept)])
    slow = comparator(longer, y, np.column_stack([V, b]), 3)
    for name in ("norm", "hinge", "squared_hinge", "least", "rounds", "max_norm2", "total_norm2"):
        assert getattr(matrix, name) == pytest.approx(getattr(slow, name)), name
    np.testing.assert_array_equal(matrix.vector, np.column_stack([V, b]) if intercept else V)


@settings(max_examples=8)
@given(
    X=arrays(float, (20, 3), elements=st.sampled_from([0.0, 1.0, -1.0, 1e-30, 7.5, -1e30])),
    seed=st.integers(0, 99),
    classes=st.integers(2, 4),
)
def test_no_stream_breaks_what_is_printed(X, seed, classes):
    """The certificates with the matrices that are found in hindsight hold, for rows of any size."""
    y = np.r_[np.arange(classes), np.random.default_rng(seed).integers(0, classes, 20 - classes)]
    try:
        learner = MulticlassPerceptron().fit(X, y)
    except RegretlessError:
        return
    for certificate in learner.judge(question(learner, X, y)):
        assert certificate.holds, str(certificate)


def test_the_largest_margin_of_all_classes_is_found():
    """On separable classes the bound is that of the largest margin: no random matrix has a larger one, and the same
    rows with one label changed have none, which the certificate proves."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 60)
    X = 4 * np.eye(3)[y] + rng.normal(size=(60, 3))
    X, y = X[np.abs(X).max(1) > 0], y
    learner = MulticlassPerceptron(until_clean=True).fit(X, y)
    certificates = learner.certify(X, y, svm=False)
    assert all(certificate.applies and certificate.holds for certificate in certificates)
    assert certificates[-1].theorem is classes_clean_pass
    best = certificates[0].comparator
    assert best.name == "maximum margin"
    assert np.abs(best.vector.sum(axis=0)).max() < 1e-9
    for V in best.vector + 0.1 * rng.normal(size=(200, 3, 3)) * np.abs(best.vector).max():
        assert comparator(X, y, V).margin <= best.margin * (1 + 1e-9)
    y[0] = (y[0] + 1) % 3
    X = np.vstack([X, X[0]])
    broken = MulticlassPerceptron().fit(X, np.r_[y, (y[0] + 1) % 3]).certify(X, np.r_[y, (y[0] + 1) % 3], svm=False)
    assert "cannot be separated" in str(broken[0].why)


def test_what_all_classes_share_makes_no_matrix_longer():
    """Comparators are looked for among matrices whose classes sum to zero; yours is read as it is, and scaled and
    centred."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 90)
    X = 3 * np.eye(3)[y] + rng.normal(size=(90, 3))
    learner = MulticlassPerceptron().fit(X, y)
    V = np.eye(3)
    plain, shifted = (learner.certify(X, y, against=matrix) for matrix in (V, V + 5.0))
    for one, other in zip(plain[1:], shifted[1:], strict=True):
        assert one.bound == pytest.approx(other.bound, rel=1e-6)
        assert one.bound < 90


def test_a_run_that_went_on_after_a_clean_pass_has_no_bound_on_its_length():
    """The certificate on the rounds until clean does not apply when more passes followed."""
    X, y = np.array([[2.0, 0.0], [0.0, 2.0], [-1.0, -1.0]]), ["a", "b", "c"]
    learner = MulticlassPerceptron(until_clean=True).fit(X, y)
    assert learner.certify(X, y)[-1].applies
    for _ in range(9):
        learner.partial_fit(X, y)
    assert "until a pass" in str(learner.certify(X, y)[-1].why)


def test_an_update_is_one_round():
    """The ledger counts rounds that moved two classes once, and what two classes were charged goes on when a third
    comes."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 3)), np.r_[np.arange(2), rng.integers(0, 2, 38), rng.integers(0, 3, 20)]
    late = MulticlassPerceptron().partial_fit(X, y).ledger_
    two = Perceptron().partial_fit(X[:40], y[:40]).ledger_
    ledger = MulticlassPerceptron().partial_fit(X, y, classes=[0, 1, 2]).ledger_
    assert late.updates <= late.rounds == ledger.rounds == 60
    half = MulticlassPerceptron().partial_fit(X[:40], y[:40]).extended(np.arange(3)).ledger()
    assert half.updates == two.updates
    assert half.loss == 2 * two.loss
    assert half.slope2 == 2 * two.slope2 == 2 * half.update_norm2


def test_a_class_that_comes_late_is_met_without_a_copy_of_the_others():
    """Meeting one class more takes the memory of the new weights alone, in which the others stand where they did."""
    import tracemalloc

    learner, many, columns = Perceptron(), 20, 5_000
    X = np.eye(many, columns)
    learner.partial_fit(X, np.arange(many) * 2)
    before = learner.state_.coefficients()
    tracemalloc.start()
    learner._meet(21)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 1.5 * before.nbytes
    assert np.array_equal(np.delete(learner.state_.coefficients(), 11, axis=1), before)


@pytest.mark.parametrize("separable", [False, True])
def test_scales_are_looked_for_on_some_of_many_rows(separable, monkeypatch):
    """Bounds of scales that were looked for on a part of the rows hold, and are about those of all rows; what separates
    all of them still does."""
    random = np.random.default_rng(0)
    V, X = random.normal(size=(4, 3)), random.normal(size=(1200, 4))
    y = (X @ V + (0 if separable else random.normal(size=(1200, 3)))).argmax(axis=1)
    clear = np.diff(np.sort(X @ V, axis=1))[:, -1] > 1 if separable else np.ones(1200, dtype=bool)
    learner = MulticlassPerceptron(until_clean=separable).fit(X[clear], y[clear])
    whole = learner.certify(X[clear], y[clear])
    monkeypatch.setattr(multiclass, "MOST_LOOKED_AT", clear.sum() * 4)
    assert any(one.theorem.name == "classes_separable" and one.bound for one in whole) == separable
    for one, other in zip(learner.certify(X[clear], y[clear]), whole, strict=True):
        assert one.holds == other.holds
        assert one.bound is None or other.bound <= one.bound * 1.001
        assert one.bound is None or one.bound <= other.bound * 1.05


def test_many_rows_are_looked_at_along_the_learners_own_average(monkeypatch):
    """Of many entries of rows that are few beside their columns no ball is learned for each class, and bounds come
    within 5 % of those with balls."""
    random = np.random.default_rng(0)
    X = random.normal(size=(600, 6))
    y = (X @ random.normal(size=(6, 3)) + random.normal(size=(600, 3)) / 2).argmax(axis=1)
    learner, names = MulticlassPerceptron().fit(X, y), []
    whole = learner.certify(X, y)
    means = Question.means
    monkeypatch.setattr(Question, "means", lambda self, plans: names.extend(plans) or means(self, plans))
    monkeypatch.setattr(multiclass, "MOST_PLAYED", X.size - 1)
    for one, other in zip(learner.certify(X, y), whole, strict=True):
        assert one.bound is None or one.bound <= other.bound * 1.05
    assert [name for name, _ in names] == ["multiclass perceptron, averaged"]


def test_of_many_rows_of_few_columns_a_ball_is_learned_from_a_part(monkeypatch):
    """Where columns have sizes and means of their own, bounds along the learner's own average may be a tenth larger;
    with balls that are learned from an eighth of the rows they come within 2 % of those with balls of all."""
    random = np.random.default_rng(4)
    X = random.normal(size=(4000, 5)) * np.exp(random.normal(size=5))
    X += np.abs(X).mean(axis=0)
    scores = X @ random.normal(size=(5, 5))
    scores -= scores.mean(axis=0)
    y = (scores + scores.std() * random.normal(size=scores.shape) / 5).argmax(axis=1)
    learner, bounds = MulticlassPerceptron(intercept=1.0).fit(X, y), []
    for module in ("multiclass", "comparators.question"):
        monkeypatch.setattr(f"regretless.linear.{module}.MOST_PLAYED", X.size - 1)
    for often, rows in ((2.0, 80), (0.2, np.inf), (0.2, 80)):
        monkeypatch.setattr(multiclass, "OFTEN", often)
        monkeypatch.setattr("regretless.linear.comparators.question.ROWS_A_NUMBER", rows)
        bounds.append(learner.certify(X, y)[1].bound)
    whole, own, part = bounds
    assert own > 1.1 * whole
    assert part < 1.02 * whole


# ---- whether any matrix separates the classes


def overlapping(classes, rows=300, columns=4, noise=0.3):
    """Rows whose classes are noisy, and these."""
    random = np.random.default_rng(0)
    X = random.normal(size=(rows, columns))
    scores = X @ random.normal(size=(columns, classes))
    return X, (scores + noise * random.normal(size=scores.shape)).argmax(axis=1)


def no_search(*_, **__):
    """What must not be called."""
    raise AssertionError("the rows were searched")


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("intercept", [0.0, 2.0])
def test_two_classes_that_cannot_be_separated_prove_that_no_matrix_separates_all(kind, intercept, monkeypatch):
    """The rows of the two classes that are most often taken for one another are proved inseparable, without a look at
    the differences of all; a linear program finds no matrix either."""
    from scipy.optimize import linprog

    X, y = overlapping(4)
    monkeypatch.setattr(multiclass, "max_margin_of_classes", no_search)
    learner = MulticlassPerceptron(intercept=intercept).fit(kind(X), y)
    why = str(learner.certify(kind(X), y)[0].why)
    assert why.startswith(multiclass.INSEPARABLE_TWO)
    assert why.endswith("rows combine to exactly zero (Gordan)")
    longer = np.column_stack([X, np.full(len(X), intercept)])
    pairs = [(a, c, x) for a, x in zip(y, longer, strict=True) for c in range(4) if c != a]
    leads = np.array([np.outer(np.eye(4)[a] - np.eye(4)[c], x).ravel() for a, c, x in pairs])
    assert linprog(np.zeros(leads.shape[1]), -leads, -np.ones(len(leads)), bounds=(None, None)).status == 2


def test_equal_rows_of_different_classes_are_named():
    """Rows that are equal and of different classes are named by the certificate, and so is a row that is zero."""
    X, y = overlapping(3, noise=0.0)
    X, y = np.vstack([X, X[7]]), np.append(y, (y[7] + 1) % 3)
    learner = MulticlassPerceptron().fit(X, y)
    assert "rows 7 and 300 (from 0) are equal" in str(learner.certify(X, y)[0].why)
    X[20] = 0
    assert "row 20 (from 0) is zero" in str(MulticlassPerceptron().fit(X, y).certify(X, y)[0].why)


@pytest.mark.parametrize("classes", [2, 3, 5])
@pytest.mark.parametrize("most_whole", [0, 10**6])
def test_a_margin_that_no_matrix_of_the_run_has_is_found(classes, most_whole, monkeypatch):
    """Classes that can be separated have a bound though no matrix that is looked along separates them, also where some
    of the rows are looked at first."""
    monkeypatch.setattr(multiclass, "MOST_WHOLE", most_whole)
    monkeypatch.setattr(multiclass, "_means", lambda question: [])
    X, y = overlapping(classes, rows=200, noise=0.0)
    learner = MulticlassPerceptron().fit(X, y)
    assert learner.score(X, y) < 0.98
    first = learner.certify(X, y)[0]
    assert (first.applies, first.comparator.name) == (True, "maximum margin")
    assert comparator(X, y, np.asarray(first.comparator.vector)).margin == pytest.approx(first.comparator.margin)


def test_many_columns_are_searched_only_where_few_rounds_are_wrong(monkeypatch):
    """Where the differences have many columns and every matrix has many rounds wrong, no margin is looked for, which
    the certificate says; where few are, one is."""
    X, y = overlapping(3, rows=200, columns=90, noise=0.0)
    learner = MulticlassPerceptron().fit(X, y)
    monkeypatch.setattr(multiclass, "_means", lambda question: [])
    monkeypatch.setattr(multiclass, "max_margin_of_classes", no_search)
    assert learner.certify(X, y)[0].why == multiclass.UNKNOWN
    monkeypatch.undo()
    assert learner.certify(X, y)[0].comparator.name == "a margin, not yet the largest"


def test_some_of_many_rows_of_two_classes_prove_that_all_cannot_be_separated(monkeypatch):
    """Of rows with many entries, of which many are wrong, some are searched and prove it for all."""
    X, y = overlapping(2, rows=600)
    learner = MulticlassPerceptron().fit(X, y)
    monkeypatch.setattr(multiclass, "MOST_WHOLE", 0)
    monkeypatch.setattr(multiclass, "margin_direction", no_search)
    why = str(learner.certify(X, y)[0].why)
    assert why.startswith(multiclass.INSEPARABLE_CLASSES)
    assert "exactly zero" in why


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_leads_of_two_classes_are_the_margins_of_one_vector(kind):
    """Two classes are read along single vectors, and have the bins, losses and smallest leads of the matrices."""
    X, y = overlapping(2, rows=80)
    learner = MulticlassPerceptron(intercept=2.0, passes=2).fit(kind(X), y)
    asked, random = question(learner, kind(X), y), np.random.default_rng(1)
    matrices = [
        Matrix("", v, b) for v, b in zip(random.normal(size=(3, 4, 2)), random.normal(size=(3, 2)), strict=True)
    ]
    along = [Direction("", axis, 0.0, 1.0, 1.0) for axis in np.eye(3)]
    (slow,) = asked.look([multiclass.SightOfLeads(matrices, along, 2.0)], whole=True)
    for ray, bins, least in zip(multiclass._rays(asked, matrices, 1.0), slow.bins, slow.least, strict=True):
        np.testing.assert_allclose(ray.bins, bins, rtol=1e-12)
        assert ray.least == pytest.approx(least)
    (exact,) = asked.gather([multiclass.ExactLeads(matrices, 2.0)], whole=True)
    for k, one in enumerate(read(asked, matrices)):
        other = exact.comparator(k, "", matrices[k].size, loss=None, vector=one.vector)
        for name in ("norm", "hinge", "squared_hinge", "least", "rounds", "max_norm2", "total_norm2"):
            assert getattr(one, name) == pytest.approx(getattr(other, name), rel=1e-12), name


def test_the_most_confused_classes_have_enough_rows():
    """Of two classes that have too few rows together, nothing is said; of equally many errors the first two count."""
    labels, predicted = np.array([0, 0, 1, 2, 2, 2, 2, 3, 3]), np.array([1, 1, 0, 3, 2, 2, 2, 2, 3])
    assert most_confused(labels, predicted, 4, 0) == (0, 1)
    assert most_confused(labels, predicted, 4, 4) == (2, 3)
    assert most_confused(labels, predicted, 4, 7) is None
    assert most_confused(labels, labels, 4, 0) is None


@pytest.mark.parametrize(("classes", "passes"), [(4, 30), (5, 20)])
def test_few_rows_of_many_classes_are_passed_over_less_often(classes, passes):
    """Of more classes than few a third of the passes is left out."""
    X, y = overlapping(classes, rows=60)
    assert epochs(question(MulticlassPerceptron().fit(X, y), X, y)) == passes
