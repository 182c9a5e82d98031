"""The leave-one-out error: equal to a run for each row, and its bounds."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from regretless.batch import leave_one_out
from regretless.catalogue import LEARNERS, learner_class
from regretless.errors import RegretlessError
from regretless.linear import KernelPerceptron, OnlineGradientDescent, Perceptron
from regretless.textbook import batch as textbook
from regretless.textbook.linear import perceptron

LAZY = {name for name, entry in LEARNERS.items() if entry.info.lazy}
SETTINGS = {
    "margin-perceptron": {"gamma": 0.1, "max_passes": 4},
    "passive-aggressive": {"C": 0.5},
    "winnow": {"rate": 0.3, "balanced": True},
}


def noisy(rows=60, columns=4, classes=2, noise=0.6, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, columns))
    scores = X @ rng.normal(size=(columns, classes)) + noise * rng.normal(size=(rows, classes))
    return X, scores.argmax(axis=1)


def reruns(learner, X, y):
    """Whether each row is mistaken by a fit to all the others."""
    errors = []
    for row in range(len(y)):
        others = np.arange(len(y)) != row
        fitted = type(learner)(**learner.get_params()).fit(X[others], y[others])
        errors.append(fitted.predict(X[row : row + 1])[0] != y[row])
    return np.array(errors)


# ---- exactness


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize(
    "learner",
    [
        Perceptron(),
        Perceptron(passes=3, intercept=1.0),
        Perceptron(ties=1, passes=2, rate=0.3),
        Perceptron(ties=-1, until_clean=True, max_passes=5),
        OnlineGradientDescent(passes=2),
        OnlineGradientDescent(schedule="self-tuned", loss="logistic", radius=1.0),
    ],
    ids=repr,
)
def test_it_is_what_a_run_for_each_row_finds(learner, classes):
    """For each row the answer is that of a fit to all other rows, dense, sparse and in single precision."""
    X, y = noisy(classes=classes)
    for rows in (X, X.astype(np.float32), sp.csr_array(X * (np.abs(X) > 0.3))):
        assert leave_one_out(learner, rows, y).errors.tolist() == reruns(learner, rows, y).tolist()


@pytest.mark.parametrize("name", sorted(LAZY))
@pytest.mark.parametrize("classes", [2, 3])
def test_every_learner_that_skips_rows_may_do_so(name, classes):
    """Each learner that is said not to be changed by a round without an update gives what a run for each row finds."""
    X, y = noisy(rows=40, classes=classes, noise=0.3, seed=5)
    learner = learner_class(name)(**SETTINGS.get(name, {}))
    estimate = leave_one_out(learner, X, y, seconds=0)
    assert estimate.errors.tolist() == reruns(learner, X, y).tolist()
    assert estimate.certificates[0].applies
    assert estimate.certificates[0].holds


@pytest.mark.parametrize("name", sorted(LAZY))
@pytest.mark.parametrize("classes", [2, 3])
def test_a_round_without_an_update_leaves_it_as_it_was(name, classes):
    """After a round without an update, all that the learner predicts has the bits that it had before."""
    X, y = noisy(rows=150, classes=classes, noise=0.02, seed=8)
    learner, probe = learner_class(name)(**SETTINGS.get(name, {})), np.random.default_rng(1).normal(size=(20, 4))
    learner.partial_fit(X[:1], y[:1], classes=np.arange(classes))
    quiet = 0
    for row in range(1, len(y)):
        before, scores = learner.ledger_.updates, learner.decision_function(probe)
        learner.partial_fit(X[row : row + 1], y[row : row + 1])
        if learner.ledger_.updates == before:
            quiet += 1
            assert np.array_equal(learner.decision_function(probe), scores)
    assert quiet


@pytest.mark.parametrize("name", sorted(set(LEARNERS) - LAZY - {"kernel-perceptron"}))
def test_other_learners_are_played_again_for_each_row(name):
    """A learner that any round may change gives what a run for each row finds, and no theorem on support rows applies
    to it."""
    X, y = noisy(rows=25, seed=6)
    learner = learner_class(name)(**SETTINGS.get(name, {}))
    estimate = leave_one_out(learner, X, y, seconds=0)
    assert estimate.errors.tolist() == reruns(learner, X, y).tolist()
    assert not any(certificate.applies for certificate in estimate.certificates)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize(
    ("parameters", "skips"),
    [
        ({"gamma": 0.5}, True),
        ({"gamma": 0.5, "passes": 3, "ties": 1}, True),
        ({"kernel": "poly", "degree": 2, "gamma": 1.0, "until_clean": True, "max_passes": 20}, True),
        ({"kernel": "precomputed"}, True),
        ({"gamma": 0.5, "average": "averaged"}, False),
        ({"gamma": 0.5, "budget": 8}, False),
    ],
)
def test_kernels_are_fitted_to_the_others(parameters, skips, classes):
    """A kernel perceptron gives what a fit for each row finds; rows outside the support are fitted without only where
    more than the updates matters."""
    X, y = noisy(rows=36, classes=classes, seed=2)
    learner, rows = KernelPerceptron(**parameters), X
    if parameters.get("kernel") == "precomputed":
        rows = np.exp(-0.5 * ((X[:, None] - X) ** 2).sum(axis=2))
    estimate = leave_one_out(learner, rows, y, seconds=0)
    for row in range(len(y)):
        others = np.delete(np.arange(len(y)), row)
        fitted = KernelPerceptron(**parameters)
        if rows is X:
            predicted = fitted.fit(X[others], y[others]).predict(X[[row]])
        else:
            predicted = fitted.fit(rows[np.ix_(others, others)], y[others]).predict(rows[[row]][:, others])
        assert estimate.errors[row] == (predicted[0] != y[row])
    assert estimate.certificates[0].applies == skips
    assert estimate.error <= estimate.bound
    assert (estimate.row_visits < estimate.rerun_visits * 0.9) == skips


def test_a_kernel_has_a_margin_in_its_own_space():
    """For a kernel the bound by the margin is that of its own space: on the four corners with the squared kernel, 105
    at most (r^2 = 9 over rho^2 = 3 / 35)."""
    X, y = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [-1, 1, 1, -1]
    estimate = leave_one_out(KernelPerceptron(kernel="poly", degree=2, gamma=1.0, until_clean=True), X, y)
    assert estimate.clean
    assert estimate.certificates[1].bound == pytest.approx(105)
    assert estimate.certificates[1].holds


small_integers = arrays(np.int8, (9, 2), elements=st.integers(-2, 2))
signs = arrays(np.int8, 9, elements=st.sampled_from([-1, 1])).filter(lambda y: len(set(y.tolist())) == 2)


@given(small_integers, signs, st.integers(1, 4))
def test_the_textbook_finds_the_same(X, y, passes):
    """On small whole numbers, ties and duplicates among them, errors are those of the definition, in which an undecided
    score is one."""
    expected = textbook.leave_one_out(X.astype(float), y, lambda A, b: perceptron(A, b, passes=passes)[0])
    assert leave_one_out(Perceptron(passes=passes), X, y, undecided="error").errors.tolist() == expected.tolist()


@given(small_integers, signs, st.integers(0, 1000))
def test_shuffled_rows_keep_their_order_when_one_is_missing(X, y, seed):
    """With shuffling the run without a row meets the others in the order of the run with it."""
    order = np.random.default_rng(seed).permutation(9)
    estimate = leave_one_out(Perceptron(shuffle=True, random_state=seed), X, y)
    assert estimate.errors[order].tolist() == leave_one_out(Perceptron(), X[order], y[order]).errors.tolist()


@given(small_integers, signs, st.booleans(), st.integers(1, 30), st.sampled_from(["predicted", "error"]))
def test_no_rows_break_the_sure_bounds(X, y, until_clean, passes, undecided):
    """The errors are among the support rows and what the final hypothesis mistakes, and after a clean pass at most
    (r / rho)^2."""
    learner = Perceptron(until_clean=True, max_passes=passes) if until_clean else Perceptron(passes=passes)
    estimate = leave_one_out(learner, X, y, undecided=undecided)
    assert estimate.error <= estimate.bound
    assert not any(certificate.violated for certificate in estimate.certificates)
    for row in np.flatnonzero(estimate.errors):
        assert estimate.support[row] or estimate.residual


def test_it_takes_far_fewer_visits_than_a_run_for_each_row():
    """On thousands of rows with few support rows, less than a twentieth of the rounds of a run for each are played."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(5000, 20))
    scores = X @ rng.normal(size=20)
    X, y = X[np.abs(scores) > 1.0], np.sign(scores)[np.abs(scores) > 1.0]
    estimate = leave_one_out(Perceptron(passes=2), X, y, seconds=0)
    assert estimate.rerun_visits == 2 * len(y) * (len(y) - 1)
    assert 20 * estimate.row_visits < estimate.rerun_visits


def with_ties(classes, seed=0):
    """Small whole numbers, zeros and duplicates, on which scores and votes are often level."""
    rng = np.random.default_rng(seed)
    X = rng.integers(-1, 2, size=(30, 3)).astype(float)
    return X, np.concatenate([np.arange(classes), np.arange(classes), rng.integers(classes, size=30 - 2 * classes)])


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize(
    "learner",
    [
        *(learner_class(name)(**SETTINGS.get(name, {})) for name in LEARNERS if name != "kernel-perceptron"),
        *(KernelPerceptron(kernel="linear", average=average) for average in (None, "averaged", "voted")),
    ],
    ids=repr,
)
def test_an_error_is_a_wrong_label(learner, classes):
    """For every learner, votes among them, a row is an error exactly where what the others teach predicts another
    label, however many scores are level; counting those as errors only adds to them."""
    X, y = with_ties(classes)
    estimate = leave_one_out(learner, X, y, seconds=0)
    assert estimate.errors.tolist() == reruns(learner, X, y).tolist()
    strict = leave_one_out(learner, X, y, undecided="error", seconds=0)
    assert (strict.errors >= estimate.errors).all()
    assert strict.clean == estimate.clean
    assert not any(certificate.violated for certificate in estimate.certificates + strict.certificates)


def test_a_level_score_is_a_right_label_or_an_error():
    """A row that the others score 0 is judged by its label, or is an error if that is asked for."""
    X, y = np.eye(3), [1, -1, 1]
    assert leave_one_out(Perceptron(), X, y).errors.tolist() == [False, True, False]
    assert leave_one_out(Perceptron(), X, y, undecided="error").errors.tolist() == [True, True, True]
    with pytest.raises(RegretlessError, match=r"^undecided="):
        leave_one_out(Perceptron(), X, y, undecided="maybe")


# ---- worked cases


def test_the_worked_sample(oracles):
    """On the worked sample, cycled until a pass is clean, there is no error, and rows 0 and 3 are the support."""
    case = next(case for case in oracles if case["id"] == "loo/sample1")
    X, y = np.array(case["input"]["X"], float), np.array(case["input"]["y"])
    estimate = leave_one_out(Perceptron(until_clean=True), X, y, undecided="error")
    assert estimate.errors.tolist() == [bool(e) for e in case["expected"]["errors"]]
    assert estimate.support.tolist() == [bool(s) for s in case["expected"]["support"]]
    assert estimate.updates == case["expected"]["updates_full"]


def support_of(X, y):
    """How many rows cause an update in a run until a pass is clean; a label may be missing from them."""
    w, names, before = np.zeros(X.shape[1]), set(), None
    while before != w.tolist():
        before = w.tolist()
        for row, (x, label) in enumerate(zip(X, y, strict=True)):
            if label * (w @ x) <= 0:
                w = w + label * x
                names.add(row)
    return len(names)


@pytest.mark.parametrize("name", ["loo/orthonormal3 m1", "loo/orthonormal3 m2", "loo/far pair m1"])
def test_the_mean_over_all_samples_is_the_risk(oracles, name):
    """Over all samples of m + 1 rows, exactly: the mean leave-one-out error is the mean risk of what m rows teach, and
    at most the mean of (r / rho)^2 / (m + 1), with r measured from the origin."""
    case = next(case for case in oracles if case["id"] == name)
    rows, m = np.array(case["input"]["support"], float), case["input"]["m"]
    labels = np.array(case["input"]["labels"], float)
    if name == "loo/far pair m1":
        labels[1] = -1  # the numbers of this case are those of two rows with two labels
    expected = {key: Fraction(value) for key, value in case["expected"].items()}
    error = risk = support = bound = Fraction(0)
    samples = list(product(range(len(rows)), repeat=m + 1))
    for sample in samples:
        X, y = rows[list(sample)], labels[list(sample)]
        error += Fraction(int(textbook.leave_one_out(X, y, textbook.until_clean).sum()), m + 1)
        support += Fraction(support_of(X, y), m + 1)
        w = textbook.until_clean(X[:m], y[:m])
        risk += Fraction(int((labels * (rows @ w) <= 0).sum()), len(rows))
        bound += Fraction(round(ratio(X, y)), m + 1)
    assert error / len(samples) == expected["expected_loo"]
    assert risk / len(samples) == expected["expected_risk"]
    assert support / len(samples) == expected["expected_sv_over_m1"]
    assert bound / len(samples) == expected["bound_79"]


def ratio(X, y):
    from regretless.linear.separation.margin import max_margin_signed

    return (X**2).sum(axis=1).max() / max_margin_signed(X, y).lower ** 2


def test_orthonormal_rows_attain_every_bound():
    """On n orthonormal rows every row is an error, every row is support, and (r / rho)^2 = n."""
    for n in (2, 5, 9):
        estimate = leave_one_out(Perceptron(until_clean=True), np.eye(n), np.arange(n) % 2, undecided="error")
        assert estimate.clean
        assert [c.observed for c in estimate.certificates] == [n, n, 1, 1]
        assert [c.bound for c in estimate.certificates] == pytest.approx([n, n, 1, 1])


def test_a_sphere_away_from_the_origin_would_be_wrong():
    """Two far rows with two labels are both errors; the smallest sphere around them has radius 1 and would promise one
    error at most, the length of the rows promises 101."""
    estimate = leave_one_out(Perceptron(until_clean=True), [[10.0, 1.0], [10.0, -1.0], [10.0, 1.0]], [1, -1, 1])
    assert estimate.certificates[1].shown_bound == 101
    pair = leave_one_out(Perceptron(until_clean=True), [[10.0, 1.0], [10.0, -1.0]], [1, -1])
    assert pair.errors.tolist() == [True, True]
    radius_of_the_sphere, margin = 1.0, 1.0
    assert pair.errors.sum() > (radius_of_the_sphere / margin) ** 2


def test_several_classes_have_a_margin_each():
    """With three classes the margin bound is the sum of the bounds of the one-against-rest problems."""
    X = np.array([[2.0, 0.0], [3.0, 0.5], [-1.0, 2.0], [-1.5, 2.5], [-1.0, -2.0], [-1.5, -2.0]])
    y = np.array(["a", "a", "b", "b", "c", "c"])
    estimate = leave_one_out(Perceptron(until_clean=True), X, y)
    assert estimate.clean
    expected = sum(ratio(X, np.where(y == c, 1.0, -1.0)) for c in "abc")
    assert estimate.certificates[1].bound == pytest.approx(expected)
    assert estimate.certificates[3].bound == pytest.approx(expected / 6)


def test_data_that_cannot_be_separated_has_no_margin_bound():
    """Without a clean pass the bound by support rows applies and the one by the margin says why it does not."""
    estimate = leave_one_out(Perceptron(until_clean=True, max_passes=5), *noisy(noise=3.0))
    assert not estimate.clean
    assert [certificate.applies for certificate in estimate.certificates] == [True, False, True, False]
    assert "without an update" in estimate.certificates[1].why


def test_one_class_cannot_be_left_out_of():
    """Rows of a single class are refused."""
    with pytest.raises(RegretlessError, match="one class only"):
        leave_one_out(Perceptron(), np.eye(3), [1, 1, 1])
