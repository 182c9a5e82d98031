"""Certificates against matrices: how these are read and found, and whether any separates the classes."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from regretless import _core
from regretless.data.batch import Batch
from regretless.errors import RegretlessError
from regretless.linear import MulticlassPerceptron
from regretless.linear.comparators import margins, matrices
from regretless.linear.comparators.matrices import Matrix, read
from regretless.linear.comparators.question import Question, epochs
from regretless.linear.comparators.rays import Direction
from regretless.linear.separation import classes as of_classes
from regretless.linear.separation.budget import Budget
from regretless.linear.separation.classes import max_margin_of_classes, most_confused
from regretless.theory.perceptron import classes_clean_pass

from .slow import of_matrix


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
    slow = of_matrix(longer, y, np.column_stack([V, b]), 3)
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
        assert of_matrix(X, y, V).margin <= best.margin * (1 + 1e-9)
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
    monkeypatch.setattr(matrices, "MOST_LOOKED_AT", clear.sum() * 4)
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
    monkeypatch.setattr("regretless.linear.comparators.question.MOST_PLAYED", X.size - 1)
    for one, other in zip(learner.certify(X, y), whole, strict=True):
        assert one.bound is None or one.bound <= other.bound * 1.05
    assert [name for name, _ in names] == ["multiclass perceptron, averaged"]


def test_of_many_rows_of_few_columns_machines_are_learned_from_a_part(monkeypatch):
    """Where columns have sizes and means of their own, bounds along the learner's own average may be a tenth larger;
    with machines of an eighth of the rows they come within 2 % of those with balls of all."""
    random = np.random.default_rng(4)
    X = random.normal(size=(4000, 5)) * np.exp(random.normal(size=5))
    X += np.abs(X).mean(axis=0)
    scores = X @ random.normal(size=(5, 5))
    scores -= scores.mean(axis=0)
    y = (scores + scores.std() * random.normal(size=scores.shape) / 5).argmax(axis=1)
    learner, bounds = MulticlassPerceptron(intercept=1.0).fit(X, y), []
    monkeypatch.setattr("regretless.linear.comparators.question.MOST_PLAYED", X.size - 1)
    for often, rows in ((2.0, 80), (0.2, np.inf), (0.2, 80)):
        monkeypatch.setattr(matrices, "OFTEN", often)
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
    monkeypatch.setattr(matrices, "max_margin_of_classes", no_search)
    learner = MulticlassPerceptron(intercept=intercept).fit(kind(X), y)
    why = str(learner.certify(kind(X), y)[0].why)
    assert why.startswith(matrices.INSEPARABLE_TWO)
    assert why.endswith("rows combine to exactly zero (Gordan)")
    longer = np.column_stack([X, np.full(len(X), intercept)])
    pairs = [(a, c, x) for a, x in zip(y, longer, strict=True) for c in range(4) if c != a]
    leads = np.array([np.outer(np.eye(4)[a] - np.eye(4)[c], x).ravel() for a, c, x in pairs])
    assert linprog(np.zeros(leads.shape[1]), -leads, -np.ones(len(leads)), bounds=(None, None)).status == 2


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_equal_rows_of_different_classes_are_named(kind):
    """Rows that are equal and of different classes are named by the certificate, and so is a row that is zero."""
    X, y = overlapping(3, noise=0.0)
    X, y = np.vstack([X, X[7]]), np.append(y, (y[7] + 1) % 3)
    learner = MulticlassPerceptron().fit(kind(X), y)
    assert "rows 7 and 300 (from 0) are equal" in str(learner.certify(kind(X), y)[0].why)
    X[20] = 0
    assert "row 20 (from 0) is zero" in str(MulticlassPerceptron().fit(kind(X), y).certify(kind(X), y)[0].why)


def test_rows_that_cannot_be_equal_are_not_looked_at_closely(monkeypatch):
    """Where no two rows have equal scores, none are compared by scipy's matrices."""
    X, y = overlapping(3)
    learner = MulticlassPerceptron().fit(sp.csr_array(X), y)
    expected = list(map(str, learner.certify(sp.csr_array(X), y)))
    monkeypatch.setattr(matrices, "SignedRows", no_search)
    assert list(map(str, learner.certify(sp.csr_array(X), y))) == expected


@pytest.mark.parametrize("intercept", [0.0, 0.7])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_a_margin_of_classes_is_that_of_the_differences_of_their_rows(kind, dtype, intercept, monkeypatch):
    """What is searched is each row in its own class less the same in another, in the order of the others."""
    random = np.random.default_rng(0)
    X = (random.normal(size=(20, 4)) * (random.random((20, 4)) < 0.6)).astype(dtype)
    y, seen = random.integers(0, 3, 20).astype(np.int32), []
    monkeypatch.setattr(of_classes, "max_margin_signed", lambda rows, **_: seen.append(rows))
    batch, _ = next(question(MulticlassPerceptron().fit(kind(X), y), kind(X), y).rounds())
    max_margin_of_classes(batch, y, 3, intercept, Budget(work=1e9), str)
    (rows,) = seen
    longer = np.column_stack([X.astype(float), np.full((20, 1 if intercept else 0), intercept)])
    each = [(a, c, x) for c in range(3) for a, x in zip(y, longer, strict=True) if a != c]
    expected = [np.outer(np.eye(3)[a] - np.eye(3)[c], x).ravel() for a, c, x in each]
    found = sp.csr_array((rows.values, rows.indices, rows.starts), shape=(len(rows), rows.columns))
    np.testing.assert_array_equal(found.toarray(), expected)
    assert found.has_sorted_indices


def test_a_search_that_cannot_be_paid_for_ends_as_it_would_end():
    """Where the work does not suffice for a step, what is said of plain rows is what their search says."""
    X, y = overlapping(3, rows=200, columns=90)
    batch, _ = next(question(MulticlassPerceptron().fit(X, y), X, y).rounds())
    ends = [max_margin_of_classes(batch, y, 3, 0.0, Budget(work=1e5), str, plain=plain) for plain in (False, True)]
    assert [(one.weights, one.separable, one.converged) for one in ends] == [(None, None, False)] * 2
    assert ends[0].why == ends[1].why == "the work that it may cost is done"


@pytest.mark.parametrize("classes", [2, 3, 5])
@pytest.mark.parametrize("most_whole", [0, 10**6])
def test_a_margin_that_no_matrix_of_the_run_has_is_found(classes, most_whole, monkeypatch):
    """Classes that can be separated have a bound though no matrix that is looked along separates them, also where some
    of the rows are looked at first."""
    monkeypatch.setattr(margins, "MOST_WHOLE", most_whole)
    monkeypatch.setattr(matrices, "_means", lambda question: [])
    X, y = overlapping(classes, rows=200, noise=0.0)
    learner = MulticlassPerceptron().fit(X, y)
    assert learner.score(X, y) < 0.98
    first = learner.certify(X, y)[0]
    assert (first.applies, first.comparator.name) == (True, "maximum margin")
    assert of_matrix(X, y, np.asarray(first.comparator.vector)).margin == pytest.approx(first.comparator.margin)


def test_a_margin_of_two_classes_is_looked_for_among_wide_rows_of_many_entries():
    """Dense rows no more than their columns, of more entries than are searched unasked, have a bound by a margin."""
    X, y = overlapping(2, rows=500, columns=500, noise=0.0)
    assert X.size > margins.MOST_WHOLE
    first = MulticlassPerceptron().fit(X, y).certify(X, y)[0]
    assert first.applies, first.why


def test_many_columns_are_searched_only_where_few_rounds_are_wrong(monkeypatch):
    """Where the differences have many columns and every matrix has many rounds wrong, no margin is looked for, which
    the certificate says; where few are, one is."""
    X, y = overlapping(3, rows=200, columns=90, noise=0.0)
    learner = MulticlassPerceptron().fit(X, y)
    monkeypatch.setattr(matrices, "_means", lambda question: [])
    monkeypatch.setattr(matrices, "max_margin_of_classes", no_search)
    assert learner.certify(X, y)[0].why == matrices.UNKNOWN
    monkeypatch.undo()
    assert learner.certify(X, y)[0].comparator.name == "a margin, not yet the largest"


def test_some_of_many_rows_of_two_classes_prove_that_all_cannot_be_separated(monkeypatch):
    """Of rows with many entries, of which many are wrong, some are searched and prove it for all."""
    X, y = overlapping(2, rows=600)
    learner = MulticlassPerceptron().fit(X, y)
    monkeypatch.setattr(margins, "MOST_WHOLE", 0)
    monkeypatch.setattr(matrices, "margin_direction", no_search)
    why = str(learner.certify(X, y)[0].why)
    assert why.startswith(matrices.INSEPARABLE_CLASSES)
    assert "exactly zero" in why


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_leads_of_two_classes_are_the_margins_of_one_vector(kind):
    """Two classes are read along single vectors, and have the bins, losses and smallest leads of the matrices."""
    X, y = overlapping(2, rows=80)
    learner = MulticlassPerceptron(intercept=2.0, passes=2).fit(kind(X), y)
    asked, random = question(learner, kind(X), y), np.random.default_rng(1)
    some = [Matrix("", v, b) for v, b in zip(random.normal(size=(3, 4, 2)), random.normal(size=(3, 2)), strict=True)]
    along = [Direction("", axis, 0.0, 1.0, 1.0) for axis in np.eye(3)]
    (slow,) = asked.look([matrices.SightOfLeads(some, along, 2.0)], whole=True)
    for ray, bins, least in zip(matrices._rays(asked, some, 1.0), slow.bins, slow.least, strict=True):
        np.testing.assert_allclose(ray.bins, bins[bins.any(axis=1)], rtol=1e-12)
        assert ray.least == pytest.approx(least)
    (exact,) = asked.gather([matrices.ExactLeads(some, 2.0)], whole=True)
    for k, one in enumerate(read(asked, some)):
        other = exact.comparator(k, "", some[k].size, loss=None, vector=one.vector)
        for name in ("norm", "hinge", "squared_hinge", "least", "rounds", "max_norm2", "total_norm2"):
            assert getattr(one, name) == pytest.approx(getattr(other, name), rel=1e-12), name


def test_the_most_confused_classes_have_enough_rows():
    """Of two classes that have too few rows together, nothing is said; of equally many errors the first two count."""
    labels, predicted = np.array([0, 0, 1, 2, 2, 2, 2, 3, 3]), np.array([1, 1, 0, 3, 2, 2, 2, 2, 3])
    assert most_confused(labels, predicted, 4, 0) == (0, 1)
    assert most_confused(labels, predicted, 4, 4) == (2, 3)
    assert most_confused(labels, predicted, 4, 7) is None
    assert most_confused(labels, labels, 4, 0) is None


@pytest.mark.parametrize(("rows", "passes"), [(60, 30), (250, 20), (600, 10)])
def test_few_rows_are_passed_over_more_often(rows, passes):
    """Learners that are averaged go over 500 rows or more ten times, and over fewer up to thirty times."""
    X, y = overlapping(4, rows=rows)
    assert epochs(question(MulticlassPerceptron().fit(X, y), X, y)) == passes


@pytest.mark.usefixtures("isa")
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("single", [False, True])
def test_leads_of_matrices_are_those_of_a_plain_loop(kind, single):
    """Of each row and matrix the lead is the score of its class less the largest other one, and 0 where v = 0."""
    random = np.random.default_rng(3)
    X = kind(random.normal(size=(30, 5)).astype(np.float32 if single else float))
    codes = random.integers(0, 4, 30).astype(np.int32)
    each = [Matrix(str(k), random.normal(size=(5, 4)), random.normal(size=4)) for k in range(3)]
    each.insert(1, Matrix("v = 0", np.zeros((5, 1)), np.zeros(1)))
    rows = (X.data, X.indices, X.indptr) if sp.issparse(X) else (X, None, None)
    leads = matrices.Leads(each, 2.0).of(Batch(rows[0], None, 5, *rows[1:]), codes)
    assert leads.shape == (30, 4)
    for row, code, its in zip(np.asarray(X @ np.eye(5)), codes, leads, strict=True):
        for matrix, lead in zip(each, its, strict=True):
            scores = list(row @ matrix.vectors + 2.0 * matrix.biases) * (4 // matrix.vectors.shape[1])
            own = scores.pop(code)
            assert lead == pytest.approx(own - max(scores), rel=1e-12, abs=1e-12)


def test_leads_that_do_not_fit_are_refused():
    """Labels of no class, numbers that are not finite, scores that are none, of whichever class, and arrays of other
    sizes are errors."""
    leads = matrices.Leads([Matrix("some", np.ones((2, 3)), np.zeros(3))], 0.0)
    with pytest.raises(ValueError, match="a label is no sign"):
        leads.of(Batch(np.ones((1, 2)), None, 2), np.array([3], np.int32))
    with pytest.raises(RegretlessError, match="row 1 of the rounds to certify against is not finite"):
        leads.of(Batch(np.array([[1, 1], [1, np.inf]]), None, 2), np.zeros(2, np.int32))
    for column in range(3):
        vectors = np.ones((2, 3))
        vectors[:, column] = 1e308, -1e308
        long = matrices.Leads([Matrix("long", vectors, np.zeros(3))], 0.0)
        with pytest.raises(RegretlessError, match="row 1 of the rounds to certify against is diverged"):
            long.of(Batch(np.array([[1, 1], [10.0, 10.0]]), None, 2), np.zeros(2, np.int32))
    with pytest.raises(ValueError, match="room for a lead"):
        _core.leads(
            np.ones((1, 2)), None, None, np.zeros(1, np.int32), 0.0, np.ones((2, 3)), np.zeros(3), 3, np.ones((1, 2))
        )
