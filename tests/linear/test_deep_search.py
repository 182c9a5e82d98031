"""A deep search for comparators: each line is the tighter one of two searches, and says by how much."""

from __future__ import annotations

from functools import partial
from math import inf
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.svm import SVC, LinearSVC

import regretless.linear.certificates as linear_certificates
from regretless.certificate import Certificate, tighter_of
from regretless.certify import certify_stream
from regretless.data import sample
from regretless.data.arrays import ArrayStream
from regretless.data.batch import Batch
from regretless.linear import (
    AROW,
    AggregatedClassifier,
    KernelPerceptron,
    MarginPerceptron,
    MulticlassPerceptron,
    OnlineGradientDescent,
    Perceptron,
    SelectiveSamplingPerceptron,
)
from regretless.linear.comparators.machines import machine_directions
from regretless.theory.gradient import posterior_regret
from regretless.theory.perceptron import sharp

LEARNERS = [
    Perceptron(intercept=1.0),
    AROW(),
    KernelPerceptron(),
    MarginPerceptron(gamma=0.01),
    MulticlassPerceptron(),
    OnlineGradientDescent(),
    SelectiveSamplingPerceptron(),
]


def separable(classes: int = 2, rows: int = 150, columns: int = 40) -> tuple[Any, Any]:
    """Rows whose classes are those of the largest score."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(rows, columns))
    return X, (X @ rng.normal(size=(columns, classes))).argmax(axis=1)


@pytest.fixture(autouse=True)
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if quick searches had next to no work to do but for the passes of machines, and deep ones little."""
    few = {"QUICK_WORK": 1.0, "WORK_AN_ENTRY": 0.0, "DEEP_WORK": 1e8, "SETTLED": 0.0, "SETTLED_OF_FEW": 0.0}
    for name, value in few.items():
        monkeypatch.setattr(f"regretless.linear.comparators.question.{name}", value)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
def test_each_line_is_the_tighter_one_of_two_searches(learner, classes, monkeypatch):
    """A deep certificate has the bound of the quick search beside it, and is the smaller one of both."""
    X, y = separable(classes)
    learner = type(learner)(**learner.get_params()).fit(X, y)
    quick, both = learner.certify(X, y), learner.certify(X, y, deep=True)
    with monkeypatch.context() as patch:
        patch.setattr(linear_certificates, "tighter_of", lambda deep, quick: deep)
        deep = learner.certify(X, y, deep=True)
    for one, other, more in zip(both, quick, deep, strict=True):
        assert one.theorem is other.theorem is more.theorem
        if one.theorem.name == "margin_attained":  # of the final weights, for which nobody searches
            assert one.quick_bound is None
        elif one.theorem.quantity == "regret" and one.applies:
            assert _slack(one) == pytest.approx(min(_slack(other), _slack(more)))
            assert one.quick_bound - one.observed == pytest.approx(_slack(other))
        else:
            assert one.quick_bound == (inf if other.bound is None else other.bound)
            assert one.bound == min((its.bound for its in (other, more) if its.bound is not None), default=None)


def _slack(certificate: Certificate) -> float:
    return (certificate.bound or 0.0) - (certificate.observed or 0.0)


@pytest.mark.parametrize("learner", [Perceptron(), MulticlassPerceptron()])
def test_a_longer_search_says_how_much_tighter_it_is(learner):
    """Of rows with a margin that the quick search does not come near, lines, sentences, JSON and tables say by what
    share the bound is below, and of which number."""
    X, y = separable()
    certificates = learner.fit(X, y).certify(X, y, deep=True)
    one = certificates[0]
    words = f"{100 * one.tighter:.3g} % below the {int(one.quick_bound):,} of the quick search"
    assert one.tighter > 0.5
    assert one.tighter == pytest.approx(1 - one.shown_bound / int(one.quick_bound))
    assert f"<= {one.shown_bound:,.0f}, {words}, " in str(one)
    assert f"at most {one.shown_bound:,.0f}, {words}, against" in one.sentence()
    assert words in one._repr_html_()
    assert words in certificates._repr_html_()
    assert one.describe()["quick_bound"] == one.quick_bound > one.bound


def test_a_quick_search_that_found_nothing_is_told_apart(monkeypatch):
    """Where only the deep search has found a margin, the line says so, and JSON has null; where none has, there is
    nothing to say."""
    monkeypatch.setattr("regretless.linear.comparators.margins.MOST_WHOLE", 100)
    X, y = separable(rows=600, columns=10)
    for labels, applies in ((y, True), (np.where(np.arange(600) % 5, y, 1 - y), False)):
        one = Perceptron().fit(X, labels).certify(X, labels, deep=True)[0]
        assert (one.applies, one.tighter, one.quick_bound) == (applies, None, inf)
        assert one.describe()["quick_bound"] is None
        assert ("where the quick search found no bound" in str(one)) == applies


def test_a_quick_search_says_nothing_of_another():
    """Without `deep`, and of a mixture, whose comparators are its own, no certificate speaks of two searches."""
    X, y = separable()
    mixture = AggregatedClassifier().fit(X, y)
    quick = Perceptron().fit(X, y).certify(X, y)
    for one in [*quick, *mixture.certify(X, y, deep=True)]:
        assert "quick_bound" not in one.describe()
        assert "quick search" not in str(one) + one.sentence()
    assert list(map(str, mixture.certify(X, y, deep=True))) == list(map(str, mixture.certify(X, y)))


@pytest.mark.parametrize("classes", [2, 3])
def test_streams_have_what_arrays_have(classes, monkeypatch):
    """The lines of a stream in memory are those of its rows as arrays; of others a sample is searched longer."""
    X, y = separable(classes)
    learner = Perceptron().fit(X, y)
    stream = ArrayStream(X, y)
    certificates = certify_stream(learner, stream, deep=True)
    assert list(map(str, certificates)) == list(map(str, learner.certify(X, y, deep=True)))
    monkeypatch.setattr(sample, "SMALL", 10_000)
    monkeypatch.setattr(sample, "PIECE", 10)
    certificates, quick = certify_stream(learner, stream, deep=True), certify_stream(learner, stream)
    assert [one.quick_bound for one in certificates] == [inf if one.bound is None else one.bound for one in quick]
    assert any(one.applies and one.bound < one.quick_bound for one in certificates)


def test_what_is_made_of_certificates_keeps_the_quick_bound():
    """Rows with weights and a constant feature, rows in few of many columns, and asked rows alone are certified by both
    searches too."""
    X, y = separable()
    weights = np.where(np.arange(len(y)) % 3, 1.0, 2.0)
    weighted = Perceptron(intercept=1.0).fit(X, y, weights)
    wide = sp.csr_array(np.hstack([X, np.zeros((len(y), 80_000))]))
    asking = SelectiveSamplingPerceptron(b=1e15).fit(X, y)  # asks for every label
    assert all(one.quick_bound is not None for one in asking.certify_asked(X, y, deep=True))
    for certificates in (
        weighted.certify(X, y, deep=True, sample_weight=weights),
        Perceptron().fit(wide, y).certify(wide, y, deep=True),
    ):
        assert all(one.quick_bound is not None for one in certificates)
        assert any(one.applies and one.bound < one.quick_bound for one in certificates)


@pytest.mark.parametrize("classes", [2, 3])
def test_a_deep_search_has_machines_of_each_class(classes, monkeypatch):
    """Of two classes they are of 24 penalties, of three each class against the rest has eight; all climb in 30 passes
    over all rows, and none where so many entries are too many."""
    X, y = separable(classes, rows=50, columns=5)
    learner = Perceptron().fit(X, y)
    rounds = partial(iter, [(Batch(X, None, 5), learner.codes(y))])
    deep = learner.question(rounds, len(X), in_memory=True, svm=False, against=None, deep=True)
    for target in range(deep.state.targets):
        names, vectors, _ = zip(*deep.machines(target), strict=True)
        assert len(set(names)) == len(names) == (24 if classes == 2 else 8)
        random = np.random.default_rng(0)
        orders = [random.permutation(len(X)) for _ in range(30)]
        signs = np.where(y == (target if classes > 2 else 1), 1, -1).astype(np.int32)
        own = None if classes > 2 else [10.0**power for power in range(-2, 6)]
        climbed = machine_directions(Batch(X, None, 5), signs, 0.0, float((X * X).sum(axis=1).max()), orders, own)
        np.testing.assert_allclose(np.column_stack(vectors[:8]), np.column_stack([one for _, one, _ in climbed]))
    monkeypatch.setattr("regretless.linear.comparators.question.DEEP_CLIMBED", 200)
    assert deep.machines() == []
    assert any(one.applies for one in learner.certify(X, y, deep=True))


@pytest.mark.parametrize(("learner", "classes"), [(Perceptron(), 2), (Perceptron(), 4), (AROW(), 4)])
def test_longer_machines_make_bounds_tighter(learner, classes):
    """Where a few labels are wrong, so that there is no margin, some bound is tighter all the same."""
    X, y = separable(classes, rows=1000, columns=20)
    y[::40] = (y[::40] + 1) % classes
    certificates = type(learner)(**learner.get_params()).fit(X, y).certify(X, y, deep=True)
    assert any(one.tighter for one in certificates)


def test_rounds_are_played_again_once(monkeypatch):
    """That rounds are the learner's own is seen in one replay, however many searches there are."""
    X, y = separable()
    learner, replays = Perceptron().fit(X, y), []
    whether = linear_certificates.reproduces
    monkeypatch.setattr(linear_certificates, "reproduces", lambda *how: replays.append(1) or whether(*how))
    learner.certify(X, y, deep=True)
    assert len(replays) == 1


@pytest.mark.parametrize("learner", [Perceptron(), MulticlassPerceptron(), KernelPerceptron(gamma=0.5)], ids=repr)
def test_both_searches_share_machines_of_scikit_learn(learner, monkeypatch):
    """With svm each of scikit-learn's machines is fitted once, though there are two searches."""
    X, y = separable(3, rows=60)
    machine = SVC if isinstance(learner, KernelPerceptron) else LinearSVC
    whole, fitted = machine.fit, []

    def fit(self, rows, labels, *more):
        fitted.append((self.C, tuple(labels)))
        return whole(self, rows, labels, *more)

    monkeypatch.setattr(machine, "fit", fit)
    learner.fit(X, y).certify(X, y, deep=True, svm=True)
    assert len(fitted) == len(set(fitted)) > 0


@pytest.mark.parametrize("learner", [Perceptron(), MulticlassPerceptron()], ids=repr)
def test_a_comparator_of_the_users_is_read_once(learner, monkeypatch):
    """Against a given vector a deep search has nothing to search for: the rounds are judged once, with the numbers of
    the quick search."""
    X, y = separable(3)
    judged, whole = [], type(learner).judge
    monkeypatch.setattr(type(learner), "judge", lambda *asked: judged.append(1) or whole(*asked))
    against = np.arange(1.0, 1 + 3 * X.shape[1]).reshape(3, -1)
    deep = learner.fit(X, y).certify(X, y, deep=True, against=against)
    assert len(judged) == 1
    assert [one.bound for one in deep] == [one.bound for one in learner.certify(X, y, against=against)]


numbers = st.floats(0.1, 1e3)


@given(bounds=st.tuples(numbers, numbers), regrets=st.tuples(numbers, numbers), count=numbers)
def test_the_tighter_one_has_the_smaller_room(bounds, regrets, count):
    """Of counts the smaller bound is kept; of regrets against two comparators the one with less room above what was
    observed, and the quick one then bounds the regret that is printed."""
    for theorem, seen in ((sharp, (count, count)), (posterior_regret, regrets)):
        deep, quick = (Certificate(theorem, *its, None, None) for its in zip(seen, bounds, strict=True))
        both = tighter_of(deep, quick)
        assert (both.observed, both.bound) in ((deep.observed, deep.bound), (quick.observed, quick.bound))
        assert _slack(both) <= min(_slack(deep), _slack(quick)) + 1e-9
        assert both.quick_bound >= both.bound
        assert both.quick_bound - both.observed == pytest.approx(_slack(quick), abs=1e-9)


@pytest.mark.parametrize(
    ("bound", "quick", "words"),
    [
        (212.4, 248.9, "14.5 % below the 248 of the quick search"),
        (212.1, 212.9, "no tighter than the quick search's"),
        (2e6, 2_000_100, "less than 0.1 % below the 2,000,100 of the quick search"),
        (2.0, 2e6, "more than 99.9 % below the 2,000,000 of the quick search"),
        (2.0, inf, "where the quick search found no bound"),
        (2.0, None, ""),
        (None, inf, ""),
    ],
)
def test_words_are_about_the_printed_numbers(bound, quick, words):
    """Counts are compared as they are printed, and shares of nearly nothing or all are not rounded to that."""
    why = "so" if bound is None else None
    one = Certificate(sharp, bound and 1.0, bound, None, why, quick_bound=quick)
    assert one.deeper == words
