"""The voted perceptron: every vector it ever had votes, by the very scores of its time."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.utils.estimator_checks import parametrize_with_checks

import regretless
from regretless.errors import ModelError, RegretlessError
from regretless.linear import Perceptron, VotedPerceptron, weight_history
from regretless.persist.format import read_model, write_model
from regretless.textbook.linear import votes

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
        [VotedPerceptron(intercept=2.0, passes=3, shuffle=True, random_state=0)],
        expected_failed_checks=lambda estimator: EXPECTED,
    )

small = st.integers(-3, 3).map(float)
signs = st.sampled_from([-1, 1])


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
    new=arrays(np.float32, (9, 3), elements=small),
    when=st.sampled_from(["before", "after"]),
    passes=st.integers(1, 3),
    intercept=st.sampled_from([0.0, 1.0]),
)
def test_the_votes_are_those_of_all_weights(X, y, new, when, passes, intercept):
    """On whole numbers the shares of votes are the twin's, from dense and sparse rows of either precision."""
    if len(set(y)) < 2:
        return
    longer = [np.column_stack([rows.astype(float), np.full(len(rows), intercept)]) for rows in (X, new)]
    twin = votes(longer[0], y, longer[1], when, passes)
    for kind in (np.asarray, lambda rows: rows.astype(float), sp.csr_array):
        ours = VotedPerceptron(votes=when, passes=passes, intercept=intercept).fit(kind(X), y)
        assert ours.decision_function(kind(new)).tolist() == pytest.approx(twin, abs=1e-15)


def test_the_oracle_of_the_turns(oracles):
    """The updates of the worked case, and for how many rounds each vector was there after the round, are the exact
    ones."""
    case = next(case for case in oracles if case["id"] == "averaged/identity")
    X, y = np.array(case["input"]["X"], float), case["input"]["y"]
    rounds = VotedPerceptron().fit(X, y).state_.support.rounds
    assert (rounds - 1).tolist() == case["expected"]["update_rounds"]
    assert weight_history.lifetimes(rounds, 5, "after").tolist() == [
        0,
        *(turns for _, turns in case["expected"]["survival"]),
    ]
    assert weight_history.lifetimes(rounds, 5, "before").tolist() == [1, 3, 1]


@pytest.mark.parametrize("ties", ["update", 1, -1])
@pytest.mark.parametrize("intercept", [0.0, 0.3])
def test_each_vote_is_the_prediction_of_its_time(ties, intercept):
    """A row's votes are the predictions of the learners that had seen the first 0, 1, ..., T - 1 rounds, added up,
    though the scores are as near to 0 as rows of small whole numbers make them."""
    rng = np.random.default_rng(0)
    X, y = rng.integers(-1, 2, (70, 4)) * 0.1, rng.choice([-1, 1], 70)
    ours = VotedPerceptron(ties=ties, intercept=intercept).partial_fit(X, y, classes=[-1, 1])
    tally = np.full(70, -1 if ties == -1 else 1)
    for t in range(1, 70):
        tally += Perceptron(ties=ties, intercept=intercept).partial_fit(X[:t], y[:t], classes=[-1, 1]).predict(X)
    assert (ours.decision_function(X) * 70).round(9).tolist() == tally.tolist()


@given(X=arrays(float, (20, 2), elements=small), y=arrays(np.int8, 20, elements=signs), seed=st.integers(0, 99))
def test_a_vote_errs_at_most_twice_as_often_as_its_voters(X, y, seed):
    """On any sample the errors of the vote are at most twice the errors of the weights that vote, on average."""
    if len(set(y)) < 2:
        return
    rng = np.random.default_rng(seed)
    new, labels = rng.integers(-2, 3, (30, 2)).astype(float), rng.choice([-1, 1], 30)
    each = [np.mean(labels != 1)]
    for t in range(1, 20):
        each.append(Perceptron().partial_fit(X[:t], y[:t], classes=[-1, 1]).score(new, labels))
        each[-1] = 1 - each[-1]
    assert 1 - VotedPerceptron().fit(X, y).score(new, labels) <= 2 * np.mean(each) + 1e-12


@given(
    X=arrays(float, (20, 2), elements=small), y=arrays(np.int8, 20, elements=st.integers(0, 2)), seed=st.integers(0, 99)
)
def test_a_vote_on_classes_errs_at_most_as_often_as_the_voters_of_all_classes(X, y, seed):
    """On any sample the errors of the vote are at most the mean errors of the voters of each class, added up."""
    rng = np.random.default_rng(seed)
    new, labels = rng.integers(-2, 3, (30, 2)).astype(float), rng.integers(0, 3, 30)
    learner = VotedPerceptron().partial_fit(X, y, classes=[0, 1, 2])
    shares = learner.decision_function(new)
    voters = np.where(labels[:, None] == np.arange(3), 1 - shares, 1 + shares) / 2
    assert (learner.predict(new) != labels).mean() <= voters.mean(axis=0).sum() + 1e-12


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_blocks_make_no_difference(kind, monkeypatch):
    """The votes are the same however many rows, vectors and columns are looked at in one go."""
    rng = np.random.default_rng(0)
    X, y = kind(rng.normal(size=(250, 6)) * (rng.random((250, 6)) < 0.5)), rng.integers(0, 3, 250)
    ours = VotedPerceptron(intercept=1.0).fit(X, y)
    assert len(ours.state_.support.rounds) > 2 * weight_history.WEIGHTS_AT_A_TIME
    whole = ours.decision_function(X)
    for name, value in (("ROWS_AT_A_TIME", 7), ("WEIGHTS_AT_A_TIME", 5), ("MOST_NUMBERS", 9)):
        monkeypatch.setattr(weight_history, name, value)
        np.testing.assert_array_equal(ours.decision_function(X), whole)


def test_an_order_of_the_rows_is_the_rows_in_that_order():
    """A shuffled fit keeps the same updates as a plain one of the rows as they were shuffled."""
    rng = np.random.default_rng(0)
    X, y = sp.csr_array(rng.normal(size=(80, 4)) * (rng.random((80, 4)) < 0.5)), rng.integers(0, 2, 80)
    order = np.random.default_rng(3).permutation(80)
    shuffled = VotedPerceptron(shuffle=True, random_state=3).fit(X, y)
    plain = VotedPerceptron().fit(X[order], y[order])
    for name, array in plain.state_.tensors().items():
        np.testing.assert_array_equal(array, shuffled.state_.tensors()[name])


def test_classes_that_come_late_vote_from_then_on():
    """Of classes that are met on the way each has as many votes as it had rounds, and the early ones lose none."""
    rng = np.random.default_rng(0)
    X = rng.integers(-3, 4, (90, 3)).astype(float)
    y = np.r_[np.full(10, 4), rng.integers(3, 5, 40), rng.integers(2, 5, 40)]
    ours = VotedPerceptron()
    for begin in range(0, 90, 9):
        ours.partial_fit(X[begin : begin + 9], y[begin : begin + 9])
        ours.predict(X)
    first = {2: int(np.argmax(y == 2)), 3: int(np.argmax(y == 3)), 4: 0}
    for place, label in enumerate([2, 3, 4]):
        begin = 0 if label > 2 else first[2]
        twin = votes(X[begin:], np.where(y[begin:] == label, 1, -1), X)
        np.testing.assert_allclose(ours.decision_function(X)[:, place], twin, atol=1e-12)


def test_shares_of_votes_lie_between_minus_one_and_one():
    """The decision function is a share of votes, and the class that most vote for wins."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(100, 3)), rng.integers(0, 3, 100)
    ours = VotedPerceptron().fit(X, y)
    shares = ours.decision_function(X)
    assert np.abs(shares).max() <= 1
    assert ours.predict(X).tolist() == shares.argmax(axis=1).tolist()
    assert VotedPerceptron(votes="after", ties=-1).partial_fit(np.zeros((1, 3)), [-1], classes=[-1, 1]).predict(
        X[:1]
    ) == [-1]


@settings(max_examples=25)
@given(X=arrays(float, (20, 3), elements=st.sampled_from([0.0, 1.0, -1.0, 1e-30, 7.5, -1e30])), seed=st.integers(0, 9))
def test_no_stream_breaks_a_certificate(X, seed):
    """The theorems are about the perceptron that learned, and hold of it for rows of any size."""
    y = np.random.default_rng(seed).permutation(np.r_[np.ones(10), -np.ones(10)])
    try:
        learner = VotedPerceptron().fit(X, y)
    except RegretlessError:
        return
    for certificate in hunted(learner, X, y):
        assert certificate.holds, str(certificate)


def test_updates_that_do_not_fit_together_are_refused(tmp_path):
    """A model file with a good checksum but nonsense among its updates is a ModelError, whatever the nonsense."""
    path = tmp_path / "m.rgl"
    rng = np.random.default_rng(0)
    VotedPerceptron().fit(rng.normal(size=(30, 4)), rng.integers(0, 3, 30)).save(path)
    meta, tensors = read_model(path)
    nonsense = {
        "support_values": [tensors["support_values"][1:], np.full_like(tensors["support_values"], np.nan)],
        "support_indices": [
            tensors["support_indices"] + 1,
            tensors["support_indices"][::-1],
            -tensors["support_indices"],
        ],
        "support_starts": [tensors["support_starts"] + 1, tensors["support_starts"][::-1], np.zeros(0, dtype=np.int64)],
        "support_moves": [tensors["support_moves"][:, :1], np.full_like(tensors["support_moves"], np.inf)],
        "support_rounds": [tensors["support_rounds"] + 99, tensors["support_rounds"][::-1], np.array(3)],
    }
    for name, arrays_ in nonsense.items():
        for array in (*arrays_, tensors[name].astype(np.float32)):
            write_model(path, meta, tensors | {name: array})
            with pytest.raises(ModelError):
                regretless.load(path)
        write_model(path, meta, {other: array for other, array in tensors.items() if other != name})
        with pytest.raises(ModelError):
            regretless.load(path)


def test_only_two_elections_are_known():
    """Another word than before and after is refused by the name of the parameter."""
    with pytest.raises(RegretlessError, match="votes"):
        VotedPerceptron(votes="now").fit(np.eye(2), [0, 1])
