"""The averaged perceptron: the mean of all weights, kept without looking at all of them."""

from __future__ import annotations

import warnings
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.utils.estimator_checks import parametrize_with_checks

from regretless.errors import RegretlessError
from regretless.linear import AveragedPerceptron, Perceptron, VotedPerceptron
from regretless.textbook.linear import average

from .slow import hunted

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
        [AveragedPerceptron(average="after", intercept=2.0, passes=3, shuffle=True, random_state=0)],
        expected_failed_checks=lambda estimator: EXPECTED,
    )

small = st.integers(-3, 3).map(float)
signs = st.sampled_from([-1, 1])
when = st.sampled_from(["before", "after"])
# Where the weights may be anywhere between too small for their squares and nearly too large.
wild = st.sampled_from([0.0, 1.0, -1.0, 1e-30, -3e-9, 7.5, 1e9, -1e30])


@pytest.mark.soak
@every_check
@pytest.mark.filterwarnings("ignore")
def test_scikit_learn_finds_no_fault(estimator, check):
    """Each of scikit-learn's estimator checks passes, but for weights that are not repetitions and a threshold that is
    not there."""
    check(estimator)


@given(
    X=arrays(np.float32, (25, 3), elements=small),
    y=arrays(np.int8, 25, elements=signs),
    when=when,
    passes=st.integers(1, 3),
    intercept=st.sampled_from([0.0, 1.0]),
)
def test_the_mean_is_that_of_all_weights(X, y, when, passes, intercept):
    """On whole numbers the mean is the twin's to the last bit, from dense and sparse rows of either precision."""
    if len(set(y)) < 2:
        return
    twin = average(np.column_stack([X.astype(float), np.full(len(X), intercept)]), y, when, passes)
    for rows in (X, X.astype(float), sp.csr_array(X), sp.csr_array(X.astype(float))):
        ours = AveragedPerceptron(average=when, passes=passes, intercept=intercept).fit(rows, y)
        assert ours.coef_[0].tolist() == twin[:-1].tolist()
        assert ours.intercept_[0] == twin[-1] * intercept


@pytest.mark.parametrize("times", ["before", "after"])
def test_any_rows_have_the_mean_of_the_twin(times):
    """On other numbers the mean is the twin's but for rounding."""
    for seed in range(20):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(300, 4)) * 10.0 ** rng.integers(-3, 4), rng.choice([-1, 1], 300)
        ours = AveragedPerceptron(average=times).fit(X, y)
        np.testing.assert_allclose(ours.coef_[0], average(X, y, times), rtol=1e-10)


def test_a_shuffled_pass_is_a_pass_over_the_shuffled_rows():
    """The order comes from `random_state`, and the rows in that order give the same weights and books."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(80, 4)), rng.integers(0, 3, 80)
    order = np.random.default_rng(3).permutation(80)
    shuffled = AveragedPerceptron(average="after", shuffle=True, random_state=3).fit(X, y)
    plain = AveragedPerceptron(average="after").fit(X[order], y[order])
    np.testing.assert_array_equal(shuffled.coef_, plain.coef_)
    assert shuffled.ledger_ == plain.ledger_


def test_the_oracle_of_the_mean(oracles):
    """The mean of the weights after each round is the exact one of the worked case."""
    case = next(case for case in oracles if case["id"] == "averaged/identity")
    X, y = np.array(case["input"]["X"], float), case["input"]["y"]
    ours = AveragedPerceptron(average="after").fit(X, y)
    assert ours.coef_[0].tolist() == [float(Fraction(value)) for value in case["expected"]["average_after"]]


def test_means_and_votes_are_two_things():
    """Three rounds suffice for the mean to predict -1 where most weights vote +1, before the rounds and after them."""
    before = np.array([[-1.0, 0.0], [-2.0, -1.0], [-1.0, 0.0]]), [-1, 1, -1]
    after = np.array([[-1.0, 0.0], [-1.0, 0.0], [-2.0, -2.0]]), [-1, -1, 1]
    for (X, y), times in ((before, "before"), (after, "after")):
        assert AveragedPerceptron(average=times).fit(X, y).predict([[1.0, 1.0]]) == [-1]
        assert VotedPerceptron(votes=times).fit(X, y).predict([[1.0, 1.0]]) == [1]


def test_what_learns_is_the_perceptron():
    """Books, last weights and the numbers of its theorems are the perceptron's, and only the predictions are not."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 5)), rng.integers(0, 3, 200)
    ours, plain = AveragedPerceptron(intercept=1.0).fit(X, y), Perceptron(intercept=1.0).fit(X, y)
    assert ours.ledger_ == plain.ledger_
    np.testing.assert_array_equal(ours.last_coef_, plain.coef_)
    np.testing.assert_array_equal(ours.last_intercept_, plain.intercept_)
    assert [s.norm for s in ours.target_facts()] == [s.norm for s in plain.target_facts()]
    assert (ours.predict(X) != plain.predict(X)).any()


def test_the_mean_follows_every_round():
    """Predictions between rounds are by the mean of the rounds so far, also when a second and a third class come."""
    rng = np.random.default_rng(1)
    X, y = rng.integers(-3, 4, (60, 3)).astype(float), rng.integers(0, 2, 60)
    ours = AveragedPerceptron().partial_fit(X[:1], y[:1])
    ours.predict(X)
    for t in range(1, 60):
        ours.partial_fit(X[t : t + 1], y[t : t + 1])
        if len(set(y[: t + 1])) == 2:
            mean = average(X[: t + 1], 2 * y[: t + 1] - 1)
            assert ours.decision_function(X).tolist() == pytest.approx((X @ mean).tolist(), abs=1e-12)
            assert ours.predict_one(X[t]) == ours.predict(X[t : t + 1])[0]
    ours.partial_fit(X[:5], np.full(5, 2))
    late = average(X[:5], np.ones(5))
    np.testing.assert_allclose(ours.coef_[2], late, atol=1e-12)


@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_few_sparse_rows_need_few_columns_of_the_mean(index):
    """Between rounds sparse rows are scored by the mean of their own columns, with the bits that the whole mean gives;
    what is no matrix is refused all the same."""
    rng = np.random.default_rng(0)
    X = sp.random(300, 2000, 0.01, format="csr", random_state=0)
    X.indices, X.indptr = X.indices.astype(index), X.indptr.astype(index)
    y = rng.integers(0, 3, 300)
    for when_ in ("before", "after"):
        ours = AveragedPerceptron(average=when_, intercept=0.3).fit(X, y)
        assert not ours.state_.fresh
        few = ours.decision_function(X[:7])
        assert not ours.state_.fresh
        whole = ours.decision_function(X)
        assert ours.state_.fresh
        np.testing.assert_array_equal(few, whole[:7])
        np.testing.assert_array_equal(few, ours.decision_function(X[:7]))
        assert ours.partial_fit(X[:1], y[:1]).decision_function(sp.csr_array((1, 2000))).tolist() == [
            [*ours.intercept_]
        ]
        ours.partial_fit(X[:1], y[:1])
        for column in (-1, 2000):
            bad = X[:2].copy()
            bad.indices[3] = column
            with pytest.raises(RegretlessError, match="sparse"):
                ours.predict(bad)


def test_a_lone_class_that_turns_negative_turns_its_mean():
    """When the class met first proves to be the smaller one, the mean that was already asked for is turned as well."""
    X = np.array([[1.0, 2.0], [2.0, -1.0]])
    ours = AveragedPerceptron(average="after").partial_fit(X[:1], [5])
    assert ours.predict(X).tolist() == [5, 5]
    ours.partial_fit(X[1:], [7])
    np.testing.assert_array_equal(ours.coef_[0], average(X, np.array([-1, 1]), "after"))


@settings(max_examples=25)
@given(
    X=arrays(float, (20, 3), elements=wild),
    y=arrays(np.int8, 20, elements=signs),
    ties=st.sampled_from(["update", 1, -1]),
    times=when,
)
def test_no_stream_breaks_a_certificate(X, y, ties, times):
    """Rows of any size, zeros and repetitions among them, give certificates that hold."""
    if len(set(y)) < 2:
        return
    learner = AveragedPerceptron(ties=ties, average=times)
    try:
        learner.fit(X, y)
    except RegretlessError:
        return
    for certificate in hunted(learner, X, y):
        assert certificate.holds, str(certificate)


def test_only_two_means_are_known():
    """Another word than before and after is refused by the name of the parameter."""
    with pytest.raises(RegretlessError, match="average"):
        AveragedPerceptron(average="now").fit(np.eye(2), [0, 1])
