"""The perceptron that asks for labels, and games on which its theorems must say numbers that are known by hand."""

from __future__ import annotations

from dataclasses import replace
from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone

import regretless
from regretless.comparator import Comparator
from regretless.errors import RegretlessError
from regretless.linear import MulticlassPerceptron, Perceptron, SelectiveSamplingPerceptron
from regretless.textbook.linear import selective_perceptron
from regretless.theory import facts, selective

from ..known import Assumes, Known, first_of_each, known, refuses, says_its_number

# Twelve rounds: R = 3, |V| = 2, H = 3.25; 18 / 9 of the mistakes weighed, 9 / 9 of them asked, 4.5 behind.
BOOK = selective.SelectiveLedger(
    rounds=12,
    updates=5,
    mistakes=4,
    loss=9,
    max_norm2=9,
    update_norm2=30,
    total_norm2=40,
    first_rate=1,
    last_rate=1,
    asked=7,
    weighed=18,
    learned=9,
    behind=4.5,
)
V = Comparator(
    "v", norm=2.0, hinge=3.25, squared_hinge=0.81, loss=None, least=0.8, rounds=12, max_norm2=9, total_norm2=40
)
HALF = selective.SelectiveFacts(norm=1.0, rate=1.0, b=0.5)
CASES = [
    Known(selective.selective_mistakes, BOOK, V, HALF, 2 * 3.25 + 9 * 4 * 4 / 2, 2),  # (1 + 2 b)^2 / (4 b) = 2
    Known(selective.selective_mistakes, BOOK, V, HALF, 1.25 * 3.25 + 9 * 4 * 25 / 8, 2).changed({"learner.b": 2.0}),
    Known(selective.selective_asked, BOOK, V, HALF, 78.5 - 1, 1),  # 4.5 / (9 / 2)
]
ASSUMES: Assumes = [
    ((selective.selective_mistakes,), (*facts.PLAYED, selective.LABELS_KNOWN, selective.IN_TIME)),
    ((selective.selective_asked,), (*facts.PLAYED, selective.IN_TIME)),
]
BREAKS = {
    facts.SAME_ROUNDS[0]: [{"comparator.rounds": 11}, {"comparator.total_norm2": 41}],
    facts.MEASURED[0]: [{"ledger.max_norm2": 1e-291}],
    facts.UNIT_WEIGHTS[0]: [{"ledger.weighted": 1}],
    facts.STEADY[0]: [{"learner.steady": False}],
    selective.LABELS_KNOWN[0]: [{"ledger.unlabelled": 1}],
    selective.IN_TIME[0]: [{"learner.late": 1}],
}
COUNTS = ("asked", "updates", "mistakes", "expected", "weighed", "learned", "behind")


@known(CASES)
def test_a_theorem_says_its_number(case):
    """On this game a theorem says the number that was found by hand."""
    says_its_number(case)


@known(first_of_each(CASES))
def test_an_assumption_that_fails_is_named(case):
    """Each assumption fails alone on a game, and then there is no number."""
    refuses(case, ASSUMES, BREAKS)


def game(seed: int, classes: int = 2, rows: int = 60, noise: float = 0.2, spread: float = 1.0):
    """Rows of different lengths, whose labels are wrong now and then."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, 4)) * np.exp(spread * rng.normal(size=(rows, 1)))
    y = (X @ rng.normal(size=(4, classes))).argmax(axis=1)
    return X, np.where(rng.random(rows) < noise, rng.integers(classes, size=rows), y)


@pytest.mark.kernel
@given(
    seed=st.integers(0, 10_000),
    classes=st.sampled_from([2, 3, 5]),
    b=st.sampled_from([0.01, 1.0, 100.0]),
    share=st.sampled_from([None, 0.1, 0.6]),
    most=st.sampled_from([None, 9]),
    intercept=st.sampled_from([0.0, 1.0]),
    kind=st.sampled_from([np.asarray, sparse.csr_array, np.float32]),
    passes=st.integers(1, 2),
)
def test_the_learner_is_that_of_the_textbook(seed, classes, b, share, most, intercept, kind, passes):
    """The compiled learner asks, moves and counts as the algorithm does that a book would print."""
    X, y = game(seed, classes)
    X = X.astype(np.float32).astype(np.float64)
    y[:classes] = np.arange(classes)
    ours = SelectiveSamplingPerceptron(
        b=b, share=share, most_labels=most, seed=seed, intercept=intercept, passes=passes
    ).fit(kind(X), y)
    longer = np.column_stack([X, np.full(len(X), intercept)]) if intercept else X
    W, book = selective_perceptron(longer, y, classes, b, seed, share, np.inf if most is None else most, passes)
    for name in COUNTS:
        assert getattr(ours.ledger_, name) == pytest.approx(book[name], rel=1e-9)
    np.testing.assert_allclose(ours.coef_, (W if classes > 2 else W[1:])[:, :4], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(("classes", "full"), [(2, Perceptron), (3, MulticlassPerceptron)])
def test_who_always_asks_is_the_perceptron(classes, full):
    """With a b beyond all scores every label is asked, and the weights are the perceptron's, bit for bit."""
    X, y = game(1, classes, rows=300)
    ours, theirs = SelectiveSamplingPerceptron(b=1e300).fit(X, y), full().fit(X, y)
    assert ours.ledger_.asked == len(X)
    assert np.array_equal(ours.coef_, theirs.coef_)
    assert (ours.ledger_.updates, ours.ledger_.loss) == (theirs.ledger_.updates, theirs.ledger_.loss)


@pytest.mark.parametrize("classes", [2, 3])
def test_labels_that_were_not_asked_do_not_matter(classes):
    """With garbage for every label that was not asked the weights, and all that is counted of asked ones, are equal."""
    X, y = game(2, classes, rows=400)
    labels, rng = np.arange(classes), np.random.default_rng(0)
    ours = SelectiveSamplingPerceptron(share=0.2)
    ours.announce(labels, 4)
    before, garbage = 0.0, y.copy()
    for t in range(len(X)):
        ours.partial_fit(X[t : t + 1], y[t : t + 1])
        if ours.ledger_.asked == before:
            garbage[t] = rng.integers(classes)
        before = ours.ledger_.asked
    theirs = SelectiveSamplingPerceptron(share=0.2).partial_fit(X, garbage, classes=labels)
    assert (garbage != y).sum() > 50
    assert np.array_equal(ours.coef_, theirs.coef_)
    for name in ("asked", "expected", "updates", "loss", "learned", "estimate", "closed", "pace"):
        assert getattr(ours.ledger_, name) == getattr(theirs.ledger_, name)


@pytest.mark.parametrize("classes", [2, 3])
def test_questions_one_by_one_are_the_rounds_of_a_batch(classes, tmp_path):
    """`ask` and `learn`, with a stop at a model file while a label is waited for, do what `partial_fit` does."""
    X, y = game(3, classes, rows=150)
    labels, file = np.arange(classes), tmp_path / "m.rgl"
    batch = SelectiveSamplingPerceptron(share=0.3).partial_fit(X, y, classes=labels)
    single = SelectiveSamplingPerceptron(share=0.3)
    single.announce(labels, 4)
    chances = 0.0
    for x, label in zip(X, y, strict=True):
        question = single.ask(x)
        chances += question.probability
        if question:
            single.save(file)
            single = regretless.load(file)
            assert single.pending_ == (question.number,)
            single.learn(question, label)
    assert np.array_equal(single.coef_, batch.coef_)
    assert single.ledger_.unlabelled == len(X) - batch.ledger_.asked
    assert chances == pytest.approx(batch.ledger_.expected)
    for name in ("asked", "updates", "loss", "learned", "estimate", "total_norm2", "update_norm2", "reach2"):
        assert getattr(single.ledger_, name) == getattr(batch.ledger_, name)


def test_an_answer_may_be_late_or_never_come_but_not_twice():
    """Late labels are learned and counted, the theorems about mistakes then say nothing, and the second is refused."""
    X, _ = game(4, 3, rows=30)
    learner = SelectiveSamplingPerceptron(b=100.0)
    learner.announce(np.arange(2), 4)
    questions = [question for x in X for question in [learner.ask(x)] if question]
    learner.learn(questions[3], 2)  # a class that nobody had announced
    learner.learn(questions[0], 1)
    assert (learner.late_, learner.ledger_.updates, len(learner.pending_)) == (1, 2, len(questions) - 2)
    with pytest.raises(RegretlessError, match="no label is waited for by question"):
        learner.learn(questions[0], 1)
    assert learner.target_facts()[0].late == 1
    assert "nobody knew" in learner.certify_risk()[0].why


def test_the_count_of_late_answers_is_no_parameter():
    """A clone has no late answers; a file does, and one that says so among the parameters too is read the same."""
    X, y = game(4, 2, rows=30)
    learner = SelectiveSamplingPerceptron(b=100.0).fit(X, y)
    learner.late_ = 3
    assert clone(learner).late_ == 0
    described, tensors = learner.state_dict()
    for older in ({}, {"late_": 3}):
        description = {**described, "parameters": learner.stored_params() | older}
        assert SelectiveSamplingPerceptron.from_state(description, tensors).late_ == 3


def test_a_question_of_another_learner_is_refused():
    """A learner takes no answer to a question that another asked in the same round, whose row and chance are others."""
    X, _ = game(4, 2, rows=4)
    ours, others = SelectiveSamplingPerceptron(b=20.0), SelectiveSamplingPerceptron(b=20.0)
    for learner in (ours, others):
        learner.announce(np.arange(2), X.shape[1])
        first = learner.ask(X[0])
        learner.learn(first, int(not first.predicted))
    mine, foreign = ours.ask(X[0]), others.ask(X[1])
    assert all((mine, foreign))
    assert mine.number == foreign.number
    with pytest.raises(RegretlessError, match="another learner's"):
        ours.learn(foreign, 1)
    ours.learn(mine, 1)


def streamed(X, y, classes, order=None, **parameters):
    """A learner that saw the labels alone that it asked, and the places of these rows; labels are late in an order."""
    learner = SelectiveSamplingPerceptron(**parameters)
    learner.announce(np.arange(classes), X.shape[1])
    calls = []
    for place, x in enumerate(X):
        if question := learner.ask(x):
            calls.append((place, question))
            if order is None:
                learner.learn(question, y[place])
    for place, question in () if order is None else order(calls):
        learner.learn(question, y[place])
    return learner, [place for place, _ in (calls if order is None else order(calls))]


@given(
    seed=st.integers(0, 10_000),
    classes=st.sampled_from([2, 3]),
    share=st.sampled_from([None, 0.3]),
    intercept=st.sampled_from([0.0, 1.0]),
    late=st.booleans(),
)
def test_a_stream_is_certified_by_its_asked_rows(seed, classes, share, intercept, late):
    """The sure bounds hold against any vector on the asked rows alone, late ones too, but that on questions in time."""
    X, y = game(seed, classes, 60, 0.3)
    order = (lambda asked: asked[::-1]) if late else None
    learner, places = streamed(X, y, classes, order, seed=seed, share=share, intercept=intercept)
    direction = np.random.default_rng(seed).normal(size=(1 if classes == 2 else classes, 4))
    certificates = learner.certify_asked(X[places], y[places], against=direction)
    assert [one.holds for one in certificates if one.applies] == [True] * sum(one.applies for one in certificates)
    assert certificates[0].applies is (learner.late_ == 0)
    assert certificates[2].observed == learner.ledger_.updates


def test_the_bound_of_a_stream_is_that_of_all_rows_with_the_hinge_losses_of_the_asked():
    """Its H is that of the asked rows, its R that of all: the longest row was not asked, and stands in the bound."""
    X, u = np.random.default_rng(5).normal(size=(200, 4)), np.array([0.6, 0.0, 0.0, -0.8])
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    X[101] *= 1.5
    y = (X @ u > 0).astype(int)
    learner, places = streamed(X, y, 2, b=0.01)
    first = learner.certify_asked(X[places], y[places], against=[4 * u])[0]
    v = first.comparator.vector[1] - first.comparator.vector[0]  # along u, scaled
    H, R2 = np.maximum(0, 1 - (2 * y[places] - 1) * (X[places] @ v)).sum(), 2.25
    assert 101 not in places
    assert first.comparator.hinge == pytest.approx(H) != 0
    last = R2 * (v @ v) * 1.02**2 / 0.08 - learner.ledger_.behind / (0.01 * R2)
    assert first.bound == pytest.approx(51 * H + last)
    assert first.theorem.title == "Asked labels, of the rounds asked"


def test_other_rows_than_the_asked_are_refused():
    """Rows that give other weights have no certificate, another number of them an error, and weighed ones say why."""
    X, y = game(6, 2, 80)
    learner, places = streamed(X, y, 2)
    back, yours = places[::-1], np.ones((1, 4))
    assert not any(one.applies for one in learner.certify_asked(X[back], y[back]))
    with pytest.raises(RegretlessError, match=f"{len(places) - 1} rows, and {len(places)} labels were learned"):
        learner.certify_asked(X[places[1:]], y[places[1:]])
    weighed, places = streamed(X, y, 2, class_weight={1: 3.0})
    assert {one.why for one in weighed.certify_asked(X[places], y[places], against=yours)} == {facts.UNIT_WEIGHTS[0]}


@given(
    seed=st.integers(0, 10_000),
    classes=st.sampled_from([2, 3]),
    b=st.sampled_from([0.05, 1.0, 20.0]),
    share=st.sampled_from([None, 0.3]),
    spread=st.sampled_from([0.0, 3.0]),
)
def test_no_run_exceeds_a_sure_bound(seed, classes, b, share, spread):
    """Against any vector, on rows of any lengths, what was asked is within the sure bounds."""
    X, y = game(seed, classes, 30, 0.3, spread)
    y[:classes] = np.arange(classes)
    learner = SelectiveSamplingPerceptron(b=b, share=share, seed=seed).fit(X, y)
    direction = np.random.default_rng(seed).normal(size=(3, 1 if classes == 2 else classes, 4))
    for against in (direction[0], 1e-3 * direction[1]):
        certificates = learner.certify(X, y, against=against)
        assert all(one.holds is not False for one in certificates if one.theorem.kind == "sure")


def test_the_expected_bound_is_attained():
    """Rows at right angles are tied and asked for sure, and with b = 1/2 there are as many as the bound says."""
    learner = SelectiveSamplingPerceptron(b=0.5)
    learner.announce(np.array([-1, 1]), 20)
    certificate = learner.partial_fit(np.eye(20), np.ones(20, dtype=int)).certify(
        np.eye(20), np.ones(20, dtype=int), against=[np.ones(20)]
    )[0]
    assert certificate.observed == 20
    assert certificate.bound == pytest.approx(20)


def test_the_expected_bound_holds_of_the_mean_and_not_without_its_factor():
    """A label that turns round is wrong until it is asked: that is more often than H and the last term allow, and no
    more often than (1 + 1 / (2 b)) H and the last term."""
    X, y = np.ones((150, 1)), np.array([1] + [-1] * 149)
    counts, b = [], 0.05
    for seed in range(40):
        learner = SelectiveSamplingPerceptron(b=b, seed=seed).partial_fit(X, y, classes=[-1, 1])
        counts.append(learner.ledger_.weighed)
    last = (1 + 2 * b) ** 2 / (8 * b)
    mean, error = np.mean(counts), np.std(counts) / sqrt(40)
    assert 2 + last < mean - 3 * error
    assert mean - 3 * error < (1 + 1 / (2 * b)) * 2 + last


def test_a_reach_that_is_not_the_longest_so_far_would_be_wrong():
    """Without the weights of short first rows the bound would fail: long rows that come late do not undo mistakes."""
    X = np.concatenate([np.tile([[1e-3, 5e-5], [-1e-3, 5e-5]], (400, 1)), [[1.0, 0.05]]])
    y = np.ones(801, dtype=int)
    learner = SelectiveSamplingPerceptron(b=0.5).partial_fit(X, y, classes=[-1, 1])
    certificate = learner.certify(X, y, against=[[0.0, 20.0]])[0]
    assert certificate.observed < 1 < learner.ledger_.mistakes


@given(share=st.sampled_from([0.02, 0.2, 0.7]), seed=st.integers(0, 100))
def test_no_more_is_asked_than_the_budget_allows(share, seed):
    """At no time more than 30 labels or the share of the rounds are asked, and never more than there may be in all."""
    X, y = game(seed, rows=400)
    learner = SelectiveSamplingPerceptron(share=share, most_labels=100, seed=seed)
    for t in range(0, 400, 20):
        learner.partial_fit(X[t : t + 20], y[t : t + 20], classes=[0, 1])
        assert learner.ledger_.asked <= min(100, max(30, share * (t + 20)))
    assert learner.ledger_.asked >= min(100, 0.5 * share * 400)


@pytest.mark.parametrize(
    "wrong", [{"b": 0}, {"share": 1.0}, {"most_labels": 0}, {"seed": -1}, {"seed": 2**64}, {"until_clean": True}]
)
def test_a_parameter_without_a_meaning_is_refused_by_name(wrong):
    """The message names the parameter."""
    with pytest.raises(RegretlessError, match=next(iter(wrong))):
        SelectiveSamplingPerceptron(**wrong).fit(np.eye(2), [0, 1])


def test_an_unlucky_run_is_no_violation():
    """A run whose weighed mistakes exceed the bound on their expectation is said to be expected to lie below it, with
    what is assumed, and holds: of one run nothing else is known."""
    unlucky = selective.selective_mistakes.certify(replace(BOOK, weighed=900), [V], HALF)
    assert unlucky.observed > unlucky.bound
    assert unlucky.holds
    assert "weighed mistakes 100, expected to be <= 78.5" in str(unlucky)
    assert "assuming rows and labels do not depend on which labels were asked" in str(unlucky)


def test_rows_of_a_stream_with_few_labels_are_not_called_others():
    """Of a learner that was asked row by row `certify` says that labels are not known, and what reads the asked rows;
    of one that learned other rows with all their labels it says that these are others."""
    X, y = game(5, rows=40)
    queries = SelectiveSamplingPerceptron(b=0.1)
    queries.announce(np.arange(2), 4)
    for x, label in zip(X, y, strict=True):
        if question := queries.ask(x):
            queries.learn(question, label)
    assert {"certify_asked" in one.why for one in queries.certify(X, y)} == {True}
    other = SelectiveSamplingPerceptron(b=0.1).fit(X[1:], y[1:])
    assert {one.of_other_rounds for one in other.certify(X, y)} == {True}
