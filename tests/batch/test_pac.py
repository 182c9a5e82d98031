"""From a mistake bound to a hypothesis that survives: sizes, endings, and how often the promise is broken."""

from __future__ import annotations

from math import ceil, log

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.linear_model import Perceptron as TheirPerceptron

from regretless.batch import average, leave_one_out, pac_run, sample_size
from regretless.catalogue import LEARNERS, learner_class
from regretless.data.arrays import ArrayStream
from regretless.errors import RegretlessError
from regretless.linear import (
    AveragedPerceptron,
    KernelPerceptron,
    OnlineGradientDescent,
    Perceptron,
    VotedPerceptron,
)
from regretless.textbook.batch import longest_survivor


def separable(rows, margin=0.2, seed=0):
    """Rows of a disc, away from a line through its centre."""
    X = np.random.default_rng(seed).uniform(-1, 1, size=(20 * rows, 2))
    X = X[(np.abs(X @ [0.6, 0.8]) >= margin) & ((X**2).sum(axis=1) <= 1)][:rows]
    assert len(X) == rows
    return X, np.where(X @ [0.6, 0.8] > 0, 1, -1)


def test_the_worked_sizes(oracles):
    """Sample sizes are those of the worked cases."""
    for case in (case for case in oracles if case["topic"] == "pac conversion"):
        size = sample_size(case["input"]["M"], case["input"]["epsilon"], case["input"]["delta"])
        assert (size.survive, size.rounds) == (case["expected"]["run_length_k"], case["expected"]["examples_n"])


@given(st.integers(1, 10**6), st.floats(1e-6, 0.999), st.floats(1e-9, 0.999))
def test_a_bad_hypothesis_rarely_survives(mistakes, epsilon, delta):
    """The chance that one of M hypotheses of risk epsilon survives k rounds is at most delta, and n = M k."""
    size = sample_size(mistakes, epsilon, delta)
    assert mistakes * (1 - epsilon) ** size.survive <= delta * (1 + 1e-9)
    assert size.survive == ceil(log(mistakes / delta) / epsilon)
    assert size.rounds == mistakes * size.survive


rows = arrays(np.int8, (40, 2), elements=st.integers(-3, 3))
signs = arrays(np.int8, 40, elements=st.sampled_from([-1, 1]))


@given(rows, signs, st.integers(2, 12), st.floats(0.2, 0.9), st.integers(1, 7))
def test_the_textbook_stops_at_the_same_round(X, y, mistakes, epsilon, size):
    """Weights, round and reason of the end are those of the textbook, whatever the batches and the data are, if both
    classes have come by then."""
    w, rounds, ending = longest_survivor(X.astype(float), y, mistakes, epsilon, 0.1)
    assume(ending != "survived" or len(set(y[:rounds].tolist())) == 2)
    if ending == "promise broken":
        with pytest.raises(
            RegretlessError, match=f"row {rounds} is update {mistakes + 1}; .* no more than {mistakes} "
        ):
            pac_run(Perceptron(), ArrayStream(X, y, entries=2 * size), epsilon, 0.1, mistakes=mistakes)
        return
    if len(set(y.tolist())) == 1:
        ending = "too short"  # nothing was told from anything
    run = pac_run(Perceptron(), ArrayStream(X, y, entries=2 * size), epsilon, 0.1, mistakes=mistakes)
    assert (run.rounds, run.ending) == (rounds, ending)
    coef = run.hypothesis.coef_[0]
    # A single class that is -1 is played as -1, and a second one may come later: the signs are the same.
    assert coef.tolist() == w.tolist()
    assert run.certificate.applies == (ending == "survived")


@pytest.mark.parametrize("margin", [0.05, 0.2])
def test_enough_rounds_always_end_it(margin):
    """With n rounds of separable data a hypothesis survives or all mistakes are made, and its risk is what was asked
    for."""
    X, y = separable(30_000, margin)
    run = pac_run(Perceptron(), ArrayStream(X, y), epsilon=0.2, margin=margin, radius=1.0)
    assert run.size.mistakes == round(1 / margin**2)
    assert run.size.rounds <= 30_000
    assert run.ending == "survived"
    assert (run.survived, run.rounds <= run.size.rounds) == (run.size.survive, True)
    certificate = run.certificate
    assert (certificate.bound, certificate.confidence, certificate.theorem.kind) == (0.2, 0.95, "probable")
    assert (run.hypothesis.predict(X) != y).mean() <= 0.2


def test_what_the_last_mistake_leaves_has_to_survive_too():
    """On orthonormal rows, M updates are all there can be: what they leave is right everywhere, but is guaranteed only
    once it has survived as many rounds as others must, for the margin might have been a smaller one."""
    labels = np.array([-1, 1, -1, -1, 1, 1])
    drawn = np.random.default_rng(0).integers(6, size=600)
    X, y = np.eye(6)[drawn], labels[drawn]
    parameters = {"epsilon": 0.01, "margin": 6**-0.5, "radius": 1.0}
    run = pac_run(Perceptron(), ArrayStream(X, y), **parameters)
    assert (run.size.mistakes, run.updates, run.ending) == (6, 6, "survived")
    assert (run.survived, run.certificate.bound) == (run.size.survive, 0.01)
    assert run.hypothesis.predict(np.eye(6)).tolist() == labels.tolist()
    early = pac_run(Perceptron(), ArrayStream(X[: run.rounds - 1], y[: run.rounds - 1]), **parameters)
    assert (early.ending, early.updates, early.certificate.applies) == ("all mistakes made", 6, False)


def test_a_margin_that_is_not_there_is_found_out():
    """Coins have no margin: whatever is claimed, no hypothesis gets a guarantee, and an update that the claimed margin
    does not allow is an error that names it."""
    for seed in range(20):
        random = np.random.default_rng(seed)
        X = random.normal(size=(3000, 5))
        stream = ArrayStream(X / np.linalg.norm(X, axis=1, keepdims=True), random.choice([-1, 1], 3000))
        with pytest.raises(
            RegretlessError, match=r"is update 26; .* no more than 25 if .* >= 0\.2 in all rounds .* false"
        ):
            pac_run(Perceptron(), stream, epsilon=0.1, margin=0.2, radius=1.0)


def test_a_guarantee_names_what_it_is_worth():
    """The line says what margin, or what number of updates, was promised, and that the risk was not observed."""
    stream = ArrayStream(*separable(3000))
    certificate = pac_run(Perceptron(), stream, epsilon=0.2, margin=0.2, radius=1.0).certificate
    assert str(certificate).startswith(
        "Longest survivor: if some unit vector has y <v, x> >= 0.2 in all rounds and none is longer than 1, "
        "risk of the survivor (not observed) <= 0.2, with probability 95%  ["
    )
    assert (certificate.describe()["if"], certificate.observed) == (certificate.condition, None)
    counted = pac_run(Perceptron(), stream, epsilon=0.2, mistakes=2500).certificate
    assert "if no run makes more than 2,500 updates, risk" in str(counted)


def test_a_short_stream_guarantees_nothing():
    """A stream that ends too early gives the last hypothesis and a certificate that does not apply."""
    X, y = separable(20)
    run = pac_run(Perceptron(), ArrayStream(X, y), epsilon=0.01, margin=0.2, radius=1.0)
    assert (run.ending, run.rounds, run.certificate.applies) == ("too short", 20, False)
    assert run.hypothesis.ledger_.rounds == 20


def test_the_promise_is_broken_at_most_as_often_as_it_says():
    """On orthonormal rows of equal probability, where the bound on mistakes is attained, survivors of a risk above
    epsilon are no more frequent than delta allows."""
    from scipy.stats import binom

    trials, delta, epsilon, broken = 300, 0.1, 0.05, 0
    rng = np.random.default_rng(0)
    labels = np.array([-1, 1, -1, -1, 1, 1])
    for _ in range(trials):
        drawn = rng.integers(6, size=6 * 82)
        run = pac_run(Perceptron(), ArrayStream(np.eye(6)[drawn], labels[drawn]), epsilon, delta, mistakes=6)
        assert run.ending != "too short"
        broken += (labels * run.hypothesis.decision_function(np.eye(6)) <= 0).mean() > epsilon
    assert binom.sf(broken - 1, trials, delta) > 0.001


def test_a_constant_feature_makes_the_rows_longer():
    """With an intercept, M counts the constant feature into the length of the rows."""
    X, y = separable(50)
    run = pac_run(Perceptron(intercept=1.0), ArrayStream(X, y), epsilon=0.5, margin=0.2, radius=1.0)
    assert run.size.mistakes == 50


@pytest.mark.parametrize(
    ("learner", "parameters", "message"),
    [
        (Perceptron(), {}, "give margin and radius"),
        (Perceptron(), {"margin": 0.1}, "give margin and radius"),
        (Perceptron(), {"margin": 0.1, "radius": 1.0, "mistakes": 3}, "either"),
        (Perceptron(), {"margin": -0.1, "radius": 1.0}, "^margin="),
        (Perceptron(), {"mistakes": 0}, "^mistakes="),
        (Perceptron(), {"mistakes": 5, "epsilon": 1.0}, "^epsilon="),
        (Perceptron(), {"margin": 0.1, "radius": 0.5}, "longer than radius"),
        (OnlineGradientDescent(), {"margin": 0.1, "radius": 1.0}, "not of OnlineGradientDescent"),
        (KernelPerceptron(kernel=np.outer), {"margin": 0.1, "radius": 1.0}, "positive semidefinite on all rows"),
    ],
)
def test_what_does_not_fit_together_is_refused(learner, parameters, message):
    """Missing, contradicting and broken promises are refused by name."""
    with pytest.raises(RegretlessError, match=message):
        pac_run(learner, ArrayStream(*separable(50)), **{"epsilon": 0.1} | parameters)


def test_a_margin_is_one_between_two_classes():
    """A third class is refused where M comes from a margin, and is a change of the hypothesis where M is given."""
    X, y = np.eye(3)[[0, 1, 0, 1, 2, 0, 1, 2]], np.array([0, 1, 0, 1, 2, 0, 1, 2])
    with pytest.raises(RegretlessError, match="two classes"):
        pac_run(Perceptron(), ArrayStream(X, y), epsilon=0.01, margin=0.5, radius=1.0)
    run = pac_run(Perceptron(), ArrayStream(X, y), epsilon=0.9, delta=0.9, mistakes=100)
    assert run.hypothesis.classes_.tolist() == [0, 1, 2]
    assert run.ending == "too short"


def test_the_learner_that_was_given_is_not_changed():
    """The search plays a copy of the learner."""
    learner = Perceptron()
    run = pac_run(learner, ArrayStream(*separable(50)), epsilon=0.5, mistakes=9)
    assert not hasattr(learner, "classes_")
    assert run.hypothesis is not learner


@pytest.mark.parametrize("promise", [{"margin": 122**-0.5, "radius": 101**0.5}, {"mistakes": 12322}])
@pytest.mark.parametrize(
    ("learner", "plain"),
    [
        (AveragedPerceptron(), "take Perceptron"),
        (AveragedPerceptron(average="after"), "take Perceptron"),
        (VotedPerceptron(), "take Perceptron"),
        (KernelPerceptron(kernel="linear", average="averaged"), r"take KernelPerceptron\(average=None\)"),
        (KernelPerceptron(kernel="linear", average="voted"), r"take KernelPerceptron\(average=None\)"),
    ],
    ids=repr,
)
def test_a_mean_or_a_vote_is_not_what_survives(learner, plain, promise):
    """Learners that predict by more than their last weights are refused by the name of the plain one: on these two
    rows the last weights survive while their mean is wrong on most draws."""
    rng = np.random.default_rng(3)
    drawn, signs = (rng.random(20_000) < 0.4).astype(int), rng.choice([-1, 1], 20_000)
    stream = ArrayStream(np.array([[1.0, 0.0], [-10.0, 1.0]])[drawn] * signs[:, None], signs)
    with pytest.raises(RegretlessError, match=plain):
        pac_run(learner, stream, epsilon=0.3, **promise)


@pytest.mark.parametrize("name", LEARNERS)
def test_what_survives_is_what_predicts(name):
    """Each learner that is not refused is right in every round without an update, and predicts after it what it
    predicted before."""
    X, y = separable(150, seed=4)
    needed = {"margin-perceptron": {"gamma": 0.1}, "kernel-perceptron": {"gamma": 0.5}}
    learner, probe = learner_class(name)(**needed.get(name, {})), separable(30, seed=5)[0]
    try:
        pac_run(learner, ArrayStream(X, y), epsilon=0.5, mistakes=10**6)
    except RegretlessError:
        assert name in ("averaged-perceptron", "voted-perceptron", "aggregated")
        return
    learner.partial_fit(X[:2], y[:2], classes=[-1, 1])
    quiet = 0
    for row in range(2, len(y)):
        updates, before = learner.ledger_.updates, learner.predict(np.vstack([X[row], probe])).tolist()
        learner.partial_fit(X[[row]], y[[row]])
        if learner.ledger_.updates == updates:
            quiet += 1
            assert before[0] == y[row]
            assert learner.predict(np.vstack([X[row], probe])).tolist() == before
    assert quiet


def test_rows_that_are_never_updates_are_refused():
    """A class of weight 0 is refused, for its mistakes would change nothing."""
    stream = ArrayStream(*separable(50))
    with pytest.raises(RegretlessError, match="weight 0"):
        pac_run(Perceptron(class_weight={-1: 0.0}), stream, epsilon=0.5, mistakes=9)


def test_one_class_alone_survives_nothing():
    """While one class has come, which is then predicted for every row, the search goes on, and ends without a
    guarantee."""
    rows = np.ones((500, 1))
    run = pac_run(Perceptron(), ArrayStream(rows, np.ones(500)), epsilon=0.1, margin=1.0, radius=1.0)
    assert (run.ending, run.updates, run.survived, run.certificate.applies) == ("too short", 1, 499, False)
    rows[200], labels = -1.0, np.where(np.arange(500) == 200, -1, 1)
    run = pac_run(Perceptron(), ArrayStream(rows, labels), epsilon=0.1, margin=1.0, radius=1.0)
    assert (run.ending, run.rounds, run.hypothesis.predict([[-2.0], [2.0]]).tolist()) == (
        "survived",
        201,
        [-1, 1],
    )


def test_more_updates_than_there_can_be_are_reported():
    """A run that breaks the promise that there are at most M updates is stopped with an error."""
    with pytest.raises(RegretlessError, match="row 2 is update 2; there can be no more than 1"):
        pac_run(Perceptron(), ArrayStream(np.eye(2), np.array([1, -1])), epsilon=0.1, mistakes=1)


def test_a_class_that_is_no_update_is_no_last_mistake():
    """A fourth class that all others reject, so that its arrival is no update, changes the hypothesis, but does not end
    the search as an update would."""
    X, y = np.vstack([*3 * [np.eye(3)], np.ones((1, 3)), np.eye(3)]), np.array([0, 1, 2, 0, 1, 2, 0, 1, 2, 3, 0, 1, 2])
    learner = Perceptron(ties=1)
    before, after = (pac_run(learner, ArrayStream(X[:k], y[:k]), epsilon=0.5, mistakes=99) for k in (9, 10))
    assert (before.updates, before.survived > 0, after.survived) == (after.updates, True, 0)
    run = pac_run(learner, ArrayStream(X[:10], y[:10]), epsilon=0.5, mistakes=before.updates + 1)
    assert (run.ending, run.updates, run.certificate.applies) == ("too short", before.updates, False)


def test_what_is_no_learner_and_no_stream_is_refused():
    """Learners of other libraries, classes instead of learners, and arrays instead of streams are answered in words."""
    X, y = np.array([[1.0], [-1.0]]), np.array([1, -1])
    for call in (
        lambda: leave_one_out(TheirPerceptron(), X, y),
        lambda: average(TheirPerceptron(), X, y),
        lambda: pac_run(Perceptron, ArrayStream(X, y), 0.1, mistakes=1),
    ):
        with pytest.raises(RegretlessError, match="is no learner of"):
            call()
    with pytest.raises(RegretlessError, match="ArrayStream"):
        pac_run(Perceptron(), X, 0.1, mistakes=1)
